//! Constants are judged for every record at once, in whatever way they are written.

use super::{emitter, refused, request};

fn published(sink: &str, mode: &str, name: &str, value: &str) -> String {
    let rest = format!("ENCODE USING json INHERIT id INVOKE write_header({name}, {value})");
    emitter("events", sink, mode, &rest)
}

#[test]
fn requests_of_constants_are_judged_whatever_makes_them() {
    for (method, path, headers, expected) in [
        ("upper('post')", "concat('/', lpad('1', 3, '0'))", "", vec![]),
        ("replace('T-R-A-C-E', '-', '')", "'/'", "", vec!["E1253"]),
        (
            "IF 1 < 2 THEN 'GET' ELSE input.verb END",
            "'/'",
            "",
            vec!["E1253"],
        ),
        ("'POST'", "trim('x/a')", "", vec!["E1254"]),
        ("'POST'", "split_part('a:b c', ':', 2)", "", vec!["E1254"]),
        ("'POST'", "coalesce(nullif('a', 'a'), '/#')", "", vec!["E1254"]),
        (
            "'POST'",
            "'/'",
            "INVOKE write_header(initcap('HOST'), id)",
            vec!["E1248"],
        ),
        (
            "'POST'",
            "'/'",
            "INVOKE write_header('a', leak_sensitive(' b'))",
            vec!["E1248"],
        ),
        (
            "'POST'",
            "'/'",
            "INVOKE write_header('a', repeat('b', 40000))",
            vec!["E1249"],
        ),
        ("'POST'", "concat('x', uuid_v4())", "", vec![]),
        ("'POST'", "IF id = 'a' THEN '/a' ELSE 'b' END", "", vec![]),
    ] {
        let text = request(method, path, headers);
        assert_eq!(refused(&text), expected, "{text}");
    }
}

#[test]
fn headers_that_a_destination_can_never_carry_are_refused() {
    let long = format!("'{}'", "a".repeat(256));
    let (nats, rabbit) = ("NATS nats SUBJECT s", "RABBITMQ rabbitmq QUEUE q");
    let (kafka, pulsar) = ("KAFKA kafka TOPIC t", "PULSAR pulsar TOPIC t");
    for (sink, name, value, fits) in [
        (nats, "'Trace-Id'", "'a: b'", true),
        (nats, "'a b'", "id", false),
        (nats, "'a:'", "id", false),
        (nats, "concat('a', 'ü')", "id", false),
        (nats, "''", "id", false),
        (nats, "'a'", "'b\nc: d'", false),
        (nats, "id", "path", true),
        (rabbit, "'a b:'", "'\n'", true),
        (rabbit, &long, "id", false),
        (kafka, &long, "'\n'", true),
        (kafka, "'a\0'", "id", false),
        (pulsar, &long, "''", true),
    ] {
        let text = published(sink, "NO_ACK", name, value);
        let expected: &[&str] = if fits { &[] } else { &["E1248"] };
        assert_eq!(refused(&text), expected, "{text}");
    }
}
