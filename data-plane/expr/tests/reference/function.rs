//! The functions, character by character.

use std::cell::RefCell;
use std::collections::HashMap;

use nervix_clock::Snapshot;
use nervix_expr::Fault;
use nspl_model::{DataType, Expr, Function};

use super::{Answer, Value, is_null_with_a_null, order, text};

const GROWN_BYTES_MAX: usize = 1 << 20;

/// A call; its arguments are evaluated as far as the function looks at them.
pub(crate) fn call(
    function: Function,
    args: &[Expr],
    eval: &dyn Fn(&Expr) -> Answer,
    snapshot: &Snapshot,
) -> Answer {
    if function == Function::Coalesce {
        for arg in args {
            if let Some(value) = eval(arg)? {
                return Ok(Some(value));
            }
        }
        return Ok(None);
    }
    let values = args.iter().map(eval).collect::<Result<Vec<_>, _>>()?;
    if is_null_with_a_null(function, &values) {
        return Ok(None);
    }
    match (function, values.as_slice()) {
        (Function::IsNull, [value]) => Ok(Some(Value::Bool(value.is_none()))),
        (Function::Nullif, [Some(a), Some(b)]) => Ok(order(a, b).is_ne().then(|| a.clone())),
        (Function::Nullif | Function::LeakSensitive, [a, ..]) => Ok(a.clone()),
        (Function::Now, _) => Ok(Some(Value::Time(snapshot.domain_time.0))),
        // Their values are drawn; the generator only measures them.
        (Function::UuidV4 | Function::UuidV7, _) => Ok(Some(Value::Text("x".repeat(36)))),
        (Function::Concat, parts) => Ok(Some(Value::Text(parts.iter().filter_map(text).collect()))),
        (Function::RegexpSubstr, [a, b]) => match (text(a), text(b)) {
            (Some(a), Some(b)) => Ok(pattern(b)?
                .find(a)
                .map(|found| Value::Text(found.as_str().into()))),
            _ => Ok(None),
        },
        (function, values) => {
            let values: Vec<&Value> = values.iter().flatten().collect();
            let numeric = args.first().is_some_and(|arg| arg.data_type.is_numeric());
            let value = match (numeric, function) {
                (true, Function::ToHex) => hex(values[0], &args[0].data_type),
                (true, function) => number(function, &values, &args[0].data_type)?,
                (false, function) => of_text(function, &values)?,
            };
            Ok(Some(value))
        }
    }
}

thread_local! {
    /// To compile a pattern takes longer than everything else here.
    static COMPILED: RefCell<HashMap<String, Option<regex::Regex>>> = RefCell::default();
}

fn pattern(text: &str) -> Result<regex::Regex, Fault> {
    COMPILED.with_borrow_mut(|compiled| {
        let known = compiled.entry(text.to_owned());
        let built = || regex::RegexBuilder::new(text).size_limit(4 << 20).build().ok();
        known.or_insert_with(built).clone().ok_or(Fault::Pattern)
    })
}

fn hex(value: &Value, of: &DataType) -> Value {
    let Value::Int(value) = value else {
        panic!("to_hex takes integers")
    };
    let (least, greatest) = of.integer_range().unwrap();
    let width = greatest - least + 1;
    Value::Text(format!("{:x}", value.rem_euclid(width)))
}

fn number(function: Function, values: &[&Value], of: &DataType) -> Result<Value, Fault> {
    match (function, values) {
        (Function::Abs, [Value::Int(value)]) => super::fitting(value.abs(), of, Fault::Overflow),
        (Function::Abs, [Value::F32(value)]) => Ok(Value::F32(value.abs())),
        (Function::Abs, [Value::F64(value)]) => Ok(Value::F64(value.abs())),
        (Function::Ceil | Function::Ceiling | Function::Floor | Function::Round, [value]) => {
            Ok(whole(function, value))
        }
        (function, values) => {
            let args: Vec<f64> = values.iter().map(|value| real(value)).collect();
            let result = function_of_reals(function, &args);
            if result.is_nan() && !args.iter().any(|arg| arg.is_nan()) {
                return Err(Fault::Domain);
            }
            if result.is_infinite() && args.iter().all(|arg| arg.is_finite()) {
                return Err(Fault::Overflow);
            }
            Ok(Value::F64(result))
        }
    }
}

fn whole(function: Function, value: &Value) -> Value {
    let turn = |value: f64| match function {
        Function::Ceil | Function::Ceiling => value.ceil(),
        Function::Floor => value.floor(),
        // Half away from zero, by its definition.
        _ if value.fract().abs() == 0.5 => value.trunc() + value.signum(),
        _ => value.round(),
    };
    match value {
        Value::F64(value) => Value::F64(turn(*value)),
        Value::F32(value) => Value::F32(turn((*value).into()) as f32),
        integer => integer.clone(),
    }
}

fn real(value: &Value) -> f64 {
    match value {
        Value::Int(value) => *value as f64,
        Value::F32(value) => (*value).into(),
        Value::F64(value) => *value,
        _ => panic!("a number is expected"),
    }
}

/// NaN where the function has no value.
fn function_of_reals(function: Function, args: &[f64]) -> f64 {
    match (function, args) {
        (Function::Acos, [x]) => x.acos(),
        (Function::Asin, [x]) => x.asin(),
        (Function::Atan, [x]) => x.atan(),
        (Function::Cos, [x]) => x.cos(),
        (Function::Exp, [x]) => x.exp(),
        (Function::Sqrt, [x]) => x.sqrt(),
        (Function::Tan, [x]) => x.tan(),
        (Function::Ln | Function::Log, [0.0]) => f64::NAN,
        (Function::Ln, [x]) => x.ln(),
        (Function::Log, [x]) => x.log10(),
        (Function::Log, [base, x]) if *base <= 0.0 || *base == 1.0 || *x == 0.0 => f64::NAN,
        (Function::Log, [base, x]) if *base == 10.0 => x.log10(),
        (Function::Log, [base, x]) if *base == 2.0 => x.log2(),
        (Function::Log, [base, x]) => x.ln() / base.ln(),
        (Function::Pow | Function::Power, [a, b]) => a.powf(*b),
        _ => panic!("{} takes no numbers", function.name()),
    }
}

fn of_text(function: Function, values: &[&Value]) -> Result<Value, Fault> {
    let chars = |index: usize| -> Vec<char> {
        match values.get(index) {
            Some(Value::Text(text)) => text.chars().collect(),
            _ => vec![' '],
        }
    };
    let string = |index: usize| chars(index).into_iter().collect::<String>();
    let int = |index: usize| match values.get(index) {
        Some(Value::Int(value)) => Some(*value),
        _ => None,
    };
    let (subject, first) = (chars(0), string(0));
    let texts = |chars: &[char]| Ok(Value::Text(chars.iter().collect()));
    let count = |value: usize| Ok(Value::Int(value as i128));
    let found = find(&subject, &chars(1));
    match function {
        Function::Lower => Ok(Value::Text(first.to_lowercase())),
        Function::Upper => Ok(Value::Text(first.to_uppercase())),
        Function::Trim | Function::Btrim | Function::Ltrim | Function::Rtrim => {
            texts(trimmed(function, &subject, &chars(1)))
        }
        Function::Length | Function::CharLength => count(subject.len()),
        Function::BitLength => count(first.len() * 8),
        Function::Ascii => Ok(Value::Int(subject.first().map_or(0, |c| *c as i128))),
        Function::Initcap => Ok(Value::Text(initcap(&subject))),
        Function::Left => texts(&subject[..positive(int(1))?.min(subject.len())]),
        Function::Right => texts(&subject[subject.len() - positive(int(1))?.min(subject.len())..]),
        Function::Substr | Function::Substring => substr(&subject, int(1).unwrap(), int(2)),
        Function::Repeat => repeat(&first, positive(int(1))?),
        Function::Replace if string(1).is_empty() => Ok(Value::Text(first)),
        Function::Replace => Ok(Value::Text(first.replace(&string(1), &string(2)))),
        Function::Reverse => Ok(Value::Text(subject.iter().rev().collect())),
        Function::Lpad | Function::Rpad => pad(function, &subject, positive(int(1))?, &chars(2)),
        Function::SplitPart => split_part(&first, &string(1), int(2).unwrap()),
        Function::Strpos => count(found.map_or(0, |at| at + 1)),
        Function::Translate => texts(&translate(&subject, &chars(1), &chars(2))),
        Function::Md5 => Ok(Value::Text(md5(&first))),
        Function::Contains => Ok(Value::Bool(found.is_some())),
        Function::StartsWith => Ok(Value::Bool(subject.starts_with(&chars(1)))),
        Function::EndsWith => Ok(Value::Bool(subject.ends_with(&chars(1)))),
        Function::RegexpLike => Ok(Value::Bool(pattern(&string(1))?.is_match(&first))),
        Function::RegexpReplace => {
            let replaced = pattern(&string(1))?.replace_all(&first, string(2)).into_owned();
            Ok(Value::Text(replaced))
        }
        other => panic!("{} takes no text", other.name()),
    }
}

fn md5(text: &str) -> String {
    use md5::Digest;
    let digest = md5::Md5::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn find(text: &[char], wanted: &[char]) -> Option<usize> {
    (0..=text.len()).find(|at| text[*at..].starts_with(wanted))
}

fn positive(count: Option<i128>) -> Result<usize, Fault> {
    usize::try_from(count.unwrap()).map_err(|_| Fault::NegativeCount)
}

fn trimmed<'a>(function: Function, text: &'a [char], set: &[char]) -> &'a [char] {
    let mut text = text;
    while let Some((first, rest)) = text.split_first() {
        if function == Function::Rtrim || !set.contains(first) {
            break;
        }
        text = rest;
    }
    while let Some((last, rest)) = text.split_last() {
        if function == Function::Ltrim || !set.contains(last) {
            break;
        }
        text = rest;
    }
    text
}

fn initcap(text: &[char]) -> String {
    let mut result = String::new();
    for (index, c) in text.iter().enumerate() {
        let within = index > 0 && text[index - 1].is_alphanumeric();
        match (c.is_alphanumeric(), within) {
            (false, _) => result.push(*c),
            (true, true) => result.extend(c.to_lowercase()),
            (true, false) => result.extend(c.to_uppercase()),
        }
    }
    result
}

/// Every position from `start` on, as many as the count says, that is in the text.
fn substr(text: &[char], start: i128, count: Option<i128>) -> Result<Value, Fault> {
    if count.is_some_and(|count| count < 0) {
        return Err(Fault::NegativeCount);
    }
    let end = count.map_or(i128::MAX, |count| start + count);
    let within = |index: &usize| (start..end).contains(&(*index as i128 + 1));
    Ok(Value::Text(
        (0..text.len()).filter(within).map(|index| text[index]).collect(),
    ))
}

fn repeat(text: &str, count: usize) -> Result<Value, Fault> {
    if text.is_empty() {
        return Ok(Value::Text(String::new()));
    }
    if text.len().saturating_mul(count) > GROWN_BYTES_MAX {
        return Err(Fault::TooLong);
    }
    Ok(Value::Text(text.repeat(count)))
}

fn pad(function: Function, text: &[char], count: usize, fill: &[char]) -> Result<Value, Fault> {
    let text = &text[..count.min(text.len())];
    let mut filled = String::new();
    if !fill.is_empty() {
        for index in 0..count - text.len() {
            filled.push(fill[index % fill.len()]);
            if filled.len() > GROWN_BYTES_MAX {
                return Err(Fault::TooLong);
            }
        }
    }
    let text: String = text.iter().collect();
    if text.len() + filled.len() > GROWN_BYTES_MAX {
        return Err(Fault::TooLong);
    }
    Ok(Value::Text(match function {
        Function::Lpad => filled + &text,
        _ => text + &filled,
    }))
}

fn split_part(text: &str, mark: &str, position: i128) -> Result<Value, Fault> {
    if position == 0 {
        return Err(Fault::ZeroIndex);
    }
    let parts: Vec<&str> = match mark {
        "" => vec![text],
        mark => text.split(mark).collect(),
    };
    let index = if position > 0 {
        position - 1
    } else {
        parts.len() as i128 + position
    };
    let part = usize::try_from(index).ok().and_then(|index| parts.get(index));
    Ok(Value::Text(part.map_or(String::new(), |part| (*part).to_owned())))
}

fn translate(text: &[char], from: &[char], to: &[char]) -> Vec<char> {
    let turned = text
        .iter()
        .filter_map(|c| match from.iter().position(|known| known == c) {
            None => Some(*c),
            Some(at) => to.get(at).copied(),
        });
    turned.collect()
}
