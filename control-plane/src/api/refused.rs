//! Errors of calls. Their text travels in a header, and clients refuse headers of more than 8 KiB: what a caller names may
//! be longer than that.

use tonic::Status;

/// Bytes of a text; in a header each may take three.
const TEXT_BYTES_MAX: usize = 2_048;

pub(super) fn not_found(text: &str) -> Status {
    Status::not_found(short(text))
}

pub(super) fn invalid(text: &str) -> Status {
    Status::invalid_argument(short(text))
}

fn short(text: &str) -> String {
    if text.len() <= TEXT_BYTES_MAX {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(TEXT_BYTES_MAX);
    format!("{} ...", text.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{TEXT_BYTES_MAX, not_found};

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(not_found("short").message(), "short");
        let long = not_found(&"\u{20ac}".repeat(TEXT_BYTES_MAX));
        assert!(long.message().len() <= TEXT_BYTES_MAX + 4 && long.message().ends_with("\u{20ac} ..."));
    }
}
