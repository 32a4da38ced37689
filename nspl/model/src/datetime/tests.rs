//! RFC 3339 in and out.

use proptest::prelude::{any, prop_assert_eq, proptest};

use super::{DateTimeText, Unread, read_datetime as read};

fn written(nanos: i64) -> String {
    DateTimeText::of(nanos).as_str().to_owned()
}

#[test]
fn times_are_read_with_any_offset_and_written_in_utc() {
    let table = [
        ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"),
        ("2026-01-31t23:59:59.5+01:30", "2026-01-31T22:29:59.500Z"),
        ("1969-12-31T23:59:59.999999999z", "1969-12-31T23:59:59.999999999Z"),
        ("2024-02-29T00:00:00.000120-00:00", "2024-02-29T00:00:00.000120Z"),
        ("1900-03-01T00:00:00-12:00", "1900-03-01T12:00:00Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
        ("2017-01-01T00:59:60.25+01:00", "2017-01-01T00:00:00.250Z"),
        ("2262-04-11T23:47:16.854775807Z", "2262-04-11T23:47:16.854775807Z"),
        ("1677-09-21T00:12:43.145224192Z", "1677-09-21T00:12:43.145224192Z"),
    ];
    for (given, expected) in table {
        assert_eq!(read(given).map(written), Ok(expected.to_owned()), "{given}");
    }
}

#[test]
fn what_is_no_rfc_3339_is_unreadable() {
    for given in [
        "",
        "2026-01-31",
        "2026-01-31 23:59:59Z",
        "2026-01-31T23:59:59",
        "2026-1-31T23:59:59Z",
        "2026-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-01-32T00:00:00Z",
        "2026-01-31T24:00:00Z",
        "2026-01-31T23:60:00Z",
        "2026-01-31T23:59:61Z",
        "2026-01-31T12:00:60Z",
        "2026-01-31T23:59:59.Z",
        "2026-01-31T23:59:59.1234567891Z",
        "2026-01-31T23:59:59+0100",
        "2026-01-31T23:59:59+24:00",
        "2026-01-31T23:59:59Z ",
        " 2026-01-31T23:59:59Z",
        "+026-01-31T23:59:59Z",
        "２０２６-01-31T23:59:59Z",
    ] {
        assert_eq!(read(given), Err(Unread::Unreadable), "{given:?}");
    }
}

#[test]
fn what_nanoseconds_of_64_bits_do_not_reach_is_out_of_range() {
    for given in [
        "2262-04-11T23:47:16.854775808Z",
        "1677-09-21T00:12:43.145224191Z",
        "0000-01-01T00:00:00Z",
        "9999-12-31T23:59:59Z",
    ] {
        assert_eq!(read(given), Err(Unread::OutOfRange), "{given}");
    }
}

proptest! {
    #[test]
    fn what_is_written_reads_back(nanos in any::<i64>()) {
        prop_assert_eq!(read(&written(nanos)), Ok(nanos));
    }
}
