//! Heads as they come, and as they should not.

use tokio::io::AsyncWriteExt;

use super::{FinalHead, HeadReader};
use crate::fault::AttemptFault;
use crate::limits::{RESPONSE_BLOCK_BYTES_MAX, RESPONSE_FIELD_BYTES_MAX};

async fn read(bytes: impl AsRef<[u8]>) -> Result<FinalHead, AttemptFault> {
    HeadReader::default().read_final(&mut bytes.as_ref()).await
}

async fn status(bytes: impl AsRef<[u8]>) -> Result<u16, AttemptFault> {
    read(bytes).await.map(|head| head.status)
}

fn is_malformed(answer: &Result<u16, AttemptFault>) -> bool {
    matches!(answer, Err(AttemptFault::Malformed(_)))
}

#[tokio::test]
async fn the_first_final_head_is_the_answer_and_interim_ones_are_passed_over() {
    let heads = [
        ("HTTP/1.1 200 OK\r\n\r\n", 200),
        ("HTTP/1.1 204\r\n\r\n", 204),
        ("HTTP/1.0 404 Not Found\r\nServer: x\r\n\r\n", 404),
        ("HTTP/1.1 599 \u{e4}\r\n\r\nbody", 599),
        ("HTTP/1.1 200 OK\nA: b\n\n", 200),
        (
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.1 500 No\r\n\r\n",
            500,
        ),
        (
            "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
            101,
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nHTTP/1.1 500 No\r\n\r\n",
            200,
        ),
    ];
    for (bytes, expected) in heads {
        assert_eq!(status(bytes).await, Ok(expected), "{bytes:?}");
    }
}

#[tokio::test]
async fn bytes_that_come_one_by_one_make_the_same_head() {
    let bytes = "HTTP/1.1 102 Wait\r\nA: b\r\n\r\nHTTP/1.1 503 No\r\nretry-AFTER:  7 \r\n\r\n";
    let (mut near, mut far) = tokio::io::duplex(1);
    let writing = async {
        far.write_all(bytes.as_bytes()).await.expect("a reader");
        drop(far);
    };
    let mut reader = HeadReader::default();
    let (head, ()) = tokio::join!(reader.read_final(&mut near), writing);
    let retry_after = Some(b"7".to_vec());
    assert_eq!(
        head,
        Ok(FinalHead {
            status: 503,
            retry_after
        })
    );
}

#[tokio::test]
async fn retry_after_counts_when_exactly_one_field_has_it() {
    let asked = |fields: &str| format!("HTTP/1.1 503 No\r\n{fields}\r\n");
    for (fields, expected) in [
        ("", None),
        ("Retry-After: 5\r\n", Some("5")),
        ("Retry-After: \r\n", Some("")),
        ("Retry-After: 5\r\nretry-after: 5\r\n", None),
        ("Retry-After: 5\r\nX: y\r\nRetry-After: 6\r\n", None),
    ] {
        let head = read(asked(fields)).await.expect("a head");
        assert_eq!(
            head.retry_after.as_deref(),
            expected.map(str::as_bytes),
            "{fields:?}"
        );
    }
}

#[tokio::test]
async fn a_malformed_head_is_no_answer_although_its_status_is_200() {
    let heads = [
        "HTTP/1.1 200 OK\r\nX: y\r\n folded\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: y\r\n\tfolded\r\n\r\n",
        "HTTP/1.1 200 OK\r\n X: y\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX : y\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX\t: y\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\n: y\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX\u{e4}: y\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: y\0z\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: y\rz\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 204 OK\r\nContent-Length: one\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 000 OK\r\n\r\n",
        "HTTP/1.1 099 OK\r\n\r\n",
        "HTTP/1.1 600 OK\r\n\r\n",
        "HTTP/1.1 999 OK\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n",
        "HTTP/1.1 2x0 OK\r\n\r\n",
        "HTTP/2 200 OK\r\n\r\n",
        "HTTP/1.2 200 OK\r\n\r\n",
        "http/1.1 200 OK\r\n\r\n",
        "\r\nHTTP/1.1 200 OK\r\n\r\n",
        "\u{16}\u{3} not http\r\n\r\n",
        "HTTP/1.1 100 Continue\r\nX : y\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
    ];
    for bytes in heads {
        let answer = status(bytes).await;
        assert!(is_malformed(&answer), "{bytes:?}: {answer:?}");
    }
}

#[tokio::test]
async fn a_head_that_is_not_complete_is_no_answer() {
    for bytes in [
        "",
        "HTTP/1.1 200 OK",
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\nX: y\r\n",
        "HTTP/1.1 100 C\r\n\r\n",
    ] {
        assert_eq!(status(bytes).await, Err(AttemptFault::Ended), "{bytes:?}");
    }
}

/// `count` fields whose names and values have `bytes` bytes together.
fn fields(count: usize, bytes: usize) -> String {
    let names: Vec<String> = (0..count).map(|index| format!("f{index:03}")).collect();
    let rest = bytes - names.iter().map(String::len).sum::<usize>();
    let mut text = String::new();
    for (index, name) in names.iter().enumerate() {
        let value = if index == 0 {
            "v".repeat(rest)
        } else {
            String::new()
        };
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text
}

#[tokio::test]
async fn a_block_has_128_fields_and_64_kib_of_names_and_values() {
    let final_head = |fields: &str| format!("HTTP/1.1 200 OK\r\n{fields}\r\n");
    let interim = |fields: &str| format!("HTTP/1.1 103 Hints\r\n{fields}\r\nHTTP/1.1 200 OK\r\n\r\n");
    let bytes_max = RESPONSE_FIELD_BYTES_MAX;
    for wrap in [final_head as fn(&str) -> String, interim] {
        assert_eq!(status(wrap(&fields(128, bytes_max))).await, Ok(200));
        let many = status(wrap(&fields(129, bytes_max))).await;
        assert_eq!(many, Err(AttemptFault::TooManyFields));
        let large = status(wrap(&fields(128, bytes_max + 1))).await;
        assert_eq!(large, Err(AttemptFault::FieldsTooLarge));
    }
    // Each block has the bounds for itself.
    let both = format!(
        "HTTP/1.1 103 H\r\n{0}\r\nHTTP/1.1 200 OK\r\n{0}\r\n",
        fields(128, bytes_max)
    );
    assert_eq!(status(both).await, Ok(200));
}

#[tokio::test]
async fn what_counts_as_no_name_or_value_is_bounded_too() {
    let padded = format!(
        "HTTP/1.1 200 OK\r\nX:{}y\r\n\r\n",
        " ".repeat(RESPONSE_BLOCK_BYTES_MAX)
    );
    assert_eq!(status(padded).await, Err(AttemptFault::BlockTooLarge));
    let endless = format!("HTTP/1.1 200 {}", "a".repeat(4 * RESPONSE_BLOCK_BYTES_MAX));
    assert_eq!(status(endless).await, Err(AttemptFault::BlockTooLarge));
}

#[tokio::test]
async fn interim_heads_without_end_hold_no_memory() {
    let many = "HTTP/1.1 103 Hints\r\nLink: <x>\r\n\r\n".repeat(20_000);
    let bytes = format!("{many}HTTP/1.1 201 Made\r\n\r\n");
    let mut reader = HeadReader::default();
    let head = reader.read_final(&mut bytes.as_bytes()).await.expect("a head");
    assert_eq!(head.status, 201);
    assert!(
        reader.buffer.capacity() <= 4 * super::READ_BYTES,
        "{}",
        reader.buffer.capacity()
    );
}
