//! Functions of constants, none of them null. What looks at nulls is judged where the node is.

use nspl_model::{Function, Literal};

use super::text::{change, digest, grow, part};
use super::{Folded, numeric, pattern};

/// The value of a call; `None`: not worked out, or a text too long to keep.
pub(super) fn call(function: Function, args: &[&Literal]) -> Folded {
    changed(function, args)
        .or_else(|| looked_at(function, args))
        .unwrap_or_else(|| numeric::call(function, args))
}

/// Functions that make another text of a text.
fn changed(function: Function, args: &[&Literal]) -> Option<Folded> {
    let (text, count) = (|index| text(args, index), |index| count(args, index));
    Some(match function {
        Function::Lower => change::lower(text(0)?),
        Function::Upper => change::upper(text(0)?),
        Function::Initcap => change::initcap(text(0)?),
        Function::Reverse => change::reverse(text(0)?),
        Function::Trim | Function::Btrim => part::trim(text(0)?, text(1), (true, true)),
        Function::Ltrim => part::trim(text(0)?, text(1), (true, false)),
        Function::Rtrim => part::trim(text(0)?, text(1), (false, true)),
        Function::Left => part::left(text(0)?, count(1)?),
        Function::Right => part::right(text(0)?, count(1)?),
        Function::Substr | Function::Substring => part::substr(text(0)?, count(1)?, count(2)),
        Function::SplitPart => part::split_part(text(0)?, text(1)?, count(2)?),
        Function::Concat => grow::concat(args.iter().map(|arg| arg.as_str()).collect::<Option<Vec<_>>>()?),
        Function::Repeat => grow::repeat(text(0)?, count(1)?),
        Function::Lpad => grow::pad(text(0)?, count(1)?, text(2), grow::End::Start),
        Function::Rpad => grow::pad(text(0)?, count(1)?, text(2), grow::End::End),
        Function::Replace => change::replace(text(0)?, text(1)?, text(2)?),
        Function::Translate => change::translate(text(0)?, text(1)?, text(2)?),
        Function::RegexpReplace => pattern::replace(text(0)?, text(1)?, text(2)?),
        Function::RegexpSubstr => pattern::substr(text(0)?, text(1)?),
        Function::Md5 => digest::md5(text(0)?),
        Function::ToHex => digest::to_hex(args.first()?),
        _ => return None,
    })
}

/// Functions that say something about a text.
fn looked_at(function: Function, args: &[&Literal]) -> Option<Folded> {
    let text = |index| text(args, index);
    let truth = |value| Ok(Some(Literal::Bool(value)));
    let number = |value: usize| Ok(Some(Literal::I64(i64::try_from(value).unwrap_or(i64::MAX))));
    Some(match function {
        Function::Length | Function::CharLength => number(text(0)?.chars().count()),
        Function::BitLength => number(text(0)?.len() * 8),
        Function::Ascii => number(text(0)?.chars().next().map_or(0, |first| first as usize)),
        Function::Strpos => number(part::position(text(0)?, text(1)?)),
        Function::Contains => truth(text(0)?.contains(text(1)?)),
        Function::StartsWith => truth(text(0)?.starts_with(text(1)?)),
        Function::EndsWith => truth(text(0)?.ends_with(text(1)?)),
        Function::RegexpLike => pattern::like(text(0)?, text(1)?),
        _ => return None,
    })
}

fn text<'a>(args: &[&'a Literal], index: usize) -> Option<&'a str> {
    args.get(index).and_then(|arg| arg.as_str())
}

fn count(args: &[&Literal], index: usize) -> Option<i64> {
    match args.get(index) {
        Some(Literal::I64(count)) => Some(*count),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
