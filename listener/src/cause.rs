//! Why a connection to another process of Nervix failed.

use std::error::Error;

/// The innermost cause: the transport's own text is only `transport error`.
pub fn cause(error: &(dyn Error + 'static)) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use tonic::transport::Endpoint;

    use super::cause;

    #[tokio::test]
    async fn what_the_system_says_is_told() {
        let nobody = Endpoint::from_static("http://127.0.0.1:1").connect().await;
        let failed = nobody.map(drop).unwrap_err();
        assert_eq!(failed.to_string(), "transport error");
        assert!(
            cause(&failed).contains("Connection refused"),
            "{}",
            cause(&failed)
        );
    }
}
