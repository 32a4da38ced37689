//! Calls of the control API whose connection breaks.

use nervix_client::{Client, Error};
use tokio::{io::AsyncReadExt, net::TcpListener};

use crate::peer::soon;

#[tokio::test]
async fn a_call_that_breaks_off_is_unanswered_and_one_that_finds_nobody_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let client = soon(Client::connect(&address)).await.unwrap();
    let script = "SHOW DOMAINS;".repeat(100);
    let breaking = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut read = 0;
        let mut buffer = [0; 4096];
        while read < script.len() {
            read += stream.read(&mut buffer).await.unwrap();
        }
        drop((stream, listener));
    };
    let broken = Box::pin(async { tokio::join!(client.execute(&script), breaking) });
    let (answer, ()) = soon(broken).await;
    match answer {
        Err(Error::Unanswered { address: asked, .. }) => assert_eq!(asked, address),
        other => panic!("{other:?}"),
    }
    let again = soon(client.execute("SHOW DOMAINS;")).await;
    assert!(matches!(again, Err(Error::Unreachable { .. })), "{again:?}");
}
