//! Numbers, durations and sizes that are written wrongly.

use crate::fault::hint::Stop;
use crate::fault::{Fault, code};
use crate::quantity::{DURATION, DurationUnit, SIZE, SizeUnit, WHOLE};
use crate::token::{Token, TokenKind};

/// The fault of a number where a whole number, a duration or a size is wanted.
pub(super) fn hint(stop: &Stop<'_, '_>, plain: &Fault) -> Option<Fault> {
    let found = stop.found()?;
    let help = if stop.expects(DURATION) {
        let units: Vec<_> = DurationUnit::ALL.iter().map(|unit| unit.as_str()).collect();
        with_unit(stop, found, ("a duration", "250ms"), &units)?
    } else if stop.expects(SIZE) {
        let units: Vec<_> = SizeUnit::ALL.iter().map(|unit| unit.as_str()).collect();
        with_unit(stop, found, ("a size", "1MiB"), &units)?
    } else if stop.expects(WHOLE) {
        whole(found)?
    } else {
        return None;
    };
    Some(
        Fault {
            code: code::BAD_QUANTITY,
            ..plain.clone()
        }
        .with_help(help),
    )
}

fn whole(found: &Token<'_>) -> Option<String> {
    match found.kind {
        TokenKind::Number => Some("it is counted in whole numbers: no point, no exponent".to_owned()),
        TokenKind::Quantity { .. } => Some("it takes no unit".to_owned()),
        TokenKind::Symbol if found.text == "-" => Some("it is never negative".to_owned()),
        _ => None,
    }
}

fn with_unit(
    stop: &Stop<'_, '_>,
    found: &Token<'_>,
    (what, example): (&str, &str),
    units: &[&str],
) -> Option<String> {
    let listed = units.join(", ");
    match found.kind {
        TokenKind::Number => {
            let unit = stop
                .tokens
                .get(stop.at + 1)
                .filter(|next| units.contains(&next.text));
            Some(match unit {
                Some(unit) => format!("the unit touches the number: {}{}", found.text, unit.text),
                None => format!("{what} needs a unit right behind the number, as in {example}: {listed}"),
            })
        }
        TokenKind::Quantity { number } => {
            let (amount, unit) = found.text.split_at_checked(number)?;
            if let Some(exact) = units
                .iter()
                .find(|known| known.eq_ignore_ascii_case(unit) && **known != unit)
            {
                return Some(format!("units are exact in case: {amount}{exact}"));
            }
            Some(if units.contains(&unit) {
                format!("{what} is a whole number of a unit: write it in a smaller one of {listed}")
            } else {
                format!("the units of {what} are {listed}")
            })
        }
        TokenKind::Symbol if found.text == "-" => Some(format!("{what} is never negative")),
        TokenKind::Text => Some(format!("{what} is written without quotes, as in {example}")),
        _ => None,
    }
}
