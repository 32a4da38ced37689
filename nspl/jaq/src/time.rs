//! `strptime` without the machine: a zone is an offset, or UTC where none is written. A zone's name, which `%Q` reads, would
//! have to be looked up in the database of the machine, so that one text would be two instants on two machines.

use jaq_core::Error;
use jaq_core::native::{Fun, run, unary, v};
use jaq_json::Val;
use jaq_std::ValT;
use jiff::Zoned;
use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::{Offset, TimeZoneDatabase};

use crate::library::Kind;

/// The filter.
pub(crate) fn strptime() -> Fun<Kind> {
    run::<Kind>(("strptime", v(1), |cv| {
        unary(cv, |text, format| {
            let parts = read(characters(&text)?, characters(&format)?).map_err(Error::str)?;
            Ok(parts.into_iter().collect())
        })
    }))
}

fn characters(value: &Val) -> Result<&str, Error<Val>> {
    std::str::from_utf8(value.try_as_bytes()?).map_err(Error::str)
}

/// jq's "broken down time": year, month from 0, day, hour, minute, second, day of the week from Sunday, day of the year
/// from 0; in the zone that is written.
fn read(text: &str, format: &str) -> Result<[Val; 8], String> {
    let mut read = BrokenDownTime::parse(format, text).map_err(|error| error.to_string())?;
    if read.iana_time_zone().is_some() {
        return Err("the name of a time zone is not read: write an offset".to_owned());
    }
    if read.offset().is_none() {
        read.set_offset(Some(Offset::UTC));
    }
    let zoned = read.to_zoned_with(&TimeZoneDatabase::none());
    zoned.map(|at| parts(&at)).map_err(|error| error.to_string())
}

fn parts(at: &Zoned) -> [Val; 8] {
    let whole = |number: i16| Val::from(isize::from(number));
    let second = match at.subsec_nanosecond() {
        0 => whole(at.second().into()),
        nanos => Val::from(f64::from(at.second()) + f64::from(nanos) / 1e9),
    };
    [
        whole(at.year()),
        whole(i16::from(at.month()) - 1),
        whole(at.day().into()),
        whole(at.hour().into()),
        whole(at.minute().into()),
        second,
        whole(at.weekday().to_sunday_zero_offset().into()),
        whole(at.day_of_year() - 1),
    ]
}
