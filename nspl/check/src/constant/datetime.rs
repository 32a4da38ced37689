//! DATETIME text of constants (rulings section 5), read and written as at run time, with what a diagnostic says.

use nspl_model::{DateTimeText, Unread};

use super::Failure;

/// `T` or `t`, an offset, up to nine fraction digits; second 60 only as the last of a UTC day, meaning the next second.
pub(crate) fn read_datetime(text: &str) -> Result<i64, Failure> {
    nspl_model::read_datetime(text).map_err(|why| match why {
        Unread::Unreadable => "the text is no RFC 3339 instant, such as 2026-01-01T00:00:00Z".to_owned(),
        Unread::OutOfRange => "the instant is out of the range of DATETIME".to_owned(),
    })
}

/// With 0, 3, 6 or 9 fraction digits and `Z`.
pub(crate) fn datetime_text(nanos: i64) -> String {
    DateTimeText::of(nanos).as_str().to_owned()
}
