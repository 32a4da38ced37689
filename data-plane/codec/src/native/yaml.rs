//! YAML of values: block style, indented by two, one document without markers; read by the core schema of YAML 1.2.
//!
//! Text is plain only where no version of YAML reads anything else in it, and in double quotes otherwise. Floats are
//! written so that readers of YAML 1.1 see numbers, too. A byte string is `!!binary`. Keys are text.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jaq_json::{Num, Val};
use saphyr_parser::{Event, Parser};

use super::fault::{ReadFault, WriteFault};
use super::nesting::{DEPTH_MAX, Nesting, TOO_DEEP};
use super::number;
use crate::bounded::BoundedWriter;

/// The longest key that may stand before a colon.
const KEY_BYTES_MAX: usize = 1024;

/// Words that some reader takes for no text, in lower case.
const WORDS: [&str; 9] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];

/// Appends a document.
pub(crate) fn write(value: &Val, out: &mut BoundedWriter) -> Result<(), WriteFault> {
    write_lines(value, out, Nesting::default(), 0)
}

/// Appends an element of a sequence that is the document.
pub(crate) fn write_element(value: &Val, out: &mut BoundedWriter) -> Result<(), WriteFault> {
    out.write(b"- ")?;
    write_lines(value, out, Nesting::default().deeper()?, 2)
}

/// Appends whole lines. The first one continues what stands before it; the others begin at `indent`.
fn write_lines(
    value: &Val,
    out: &mut BoundedWriter,
    nesting: Nesting,
    indent: usize,
) -> Result<(), WriteFault> {
    match value {
        Val::Arr(elements) if !elements.is_empty() => {
            let within = nesting.deeper()?;
            for (place, element) in elements.iter().enumerate() {
                begin(place, indent, out)?;
                out.write(b"- ")?;
                write_lines(element, out, within, indent + 2)?;
            }
        }
        Val::Obj(fields) if !fields.is_empty() => {
            let within = nesting.deeper()?;
            for (place, (key, field)) in fields.iter().enumerate() {
                begin(place, indent, out)?;
                write_key(key, out)?;
                if is_block(field) {
                    out.write(b"\n")?;
                    spaces(indent + 2, out)?;
                } else {
                    out.write(b" ")?;
                }
                write_lines(field, out, within, indent + 2)?;
            }
        }
        scalar => {
            write_scalar(scalar, out)?;
            out.write(b"\n")?;
        }
    }
    Ok(())
}

fn is_block(value: &Val) -> bool {
    match value {
        Val::Arr(elements) => !elements.is_empty(),
        Val::Obj(fields) => !fields.is_empty(),
        _ => false,
    }
}

fn begin(place: usize, indent: usize, out: &mut BoundedWriter) -> Result<(), WriteFault> {
    if place > 0 { spaces(indent, out) } else { Ok(()) }
}

fn spaces(count: usize, out: &mut BoundedWriter) -> Result<(), WriteFault> {
    // Two for each level of nesting, which is bounded.
    const SPACES: [u8; 2 * (DEPTH_MAX as usize + 2)] = [b' '; 2 * (DEPTH_MAX as usize + 2)];
    out.write(SPACES.get(..count).ok_or(WriteFault::Value(TOO_DEEP))?)?;
    Ok(())
}

fn write_key(key: &Val, out: &mut BoundedWriter) -> Result<(), WriteFault> {
    match key {
        Val::TStr(text) if text.len() <= KEY_BYTES_MAX => write_text(text, out)?,
        Val::TStr(_) => return Err(WriteFault::Value("a key of more than 1024 bytes")),
        _ => return Err(WriteFault::KEY),
    }
    out.write(b":")?;
    Ok(())
}

fn write_scalar(value: &Val, out: &mut BoundedWriter) -> Result<(), WriteFault> {
    match value {
        Val::Null => out.write(b"null")?,
        Val::Bool(true) => out.write(b"true")?,
        Val::Bool(false) => out.write(b"false")?,
        Val::Num(number) => out.write(number_text(number).as_bytes())?,
        Val::TStr(text) => write_text(text, out)?,
        Val::BStr(octets) => out.write(format!("!!binary {:?}", STANDARD.encode(&***octets)).as_bytes())?,
        Val::Arr(_) => out.write(b"[]")?,
        Val::Obj(_) => out.write(b"{}")?,
    }
    Ok(())
}

fn number_text(number: &Num) -> String {
    let Some(text) = number::finite(number) else {
        let double = number::double(number);
        let text = if double.is_nan() {
            ".nan"
        } else if double < 0.0 {
            "-.inf"
        } else {
            ".inf"
        };
        return text.to_owned();
    };
    let Some((digits, power)) = text.split_once(['e', 'E']) else {
        return text;
    };
    let point = if digits.contains('.') { "" } else { ".0" };
    let sign = if power.starts_with(['-', '+']) { "" } else { "+" };
    format!("{digits}{point}e{sign}{power}")
}

fn write_text(text: &[u8], out: &mut BoundedWriter) -> Result<(), WriteFault> {
    let text = std::str::from_utf8(text).map_err(|_| WriteFault::NOT_UTF8)?;
    if is_plain(text) {
        out.write(text.as_bytes())?;
        return Ok(());
    }
    out.write(b"\"")?;
    let mut buffer = [0; 4];
    for character in text.chars() {
        match character {
            '"' => out.write(b"\\\"")?,
            '\\' => out.write(b"\\\\")?,
            '\n' => out.write(b"\\n")?,
            '\t' => out.write(b"\\t")?,
            '\r' => out.write(b"\\r")?,
            // What is not printed, or ends a line for some readers.
            '\0'..' ' | '\x7f'..'\u{a0}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                out.write(format!("\\u{:04x}", u32::from(character)).as_bytes())?;
            }
            other => out.write(other.encode_utf8(&mut buffer).as_bytes())?,
        }
    }
    out.write(b"\"")?;
    Ok(())
}

fn is_plain(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b' ');
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.bytes().all(inner)
        && !text.ends_with(' ')
        && !WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Reads one document.
pub(crate) fn read(payload: &[u8]) -> Result<Val, ReadFault> {
    let text = std::str::from_utf8(payload).map_err(|_| ReadFault::Malformed)?;
    judge(text)?;
    match jaq_fmts::read::yaml::parse_many(text).next() {
        Some(Ok(value)) => Ok(value),
        _ => Err(ReadFault::Malformed),
    }
}

/// Lets through only what the reader of values reads without running out of stack: one document, not too deep.
fn judge(text: &str) -> Result<(), ReadFault> {
    let (mut depth, mut documents) = (0_u32, 0_usize);
    for event in Parser::new_from_str(text) {
        match event.map_err(|_| ReadFault::Malformed)?.0 {
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                depth += 1;
                if depth > DEPTH_MAX {
                    return Err(ReadFault::TooDeep);
                }
            }
            Event::DocumentStart(_) => documents += 1,
            Event::SequenceEnd | Event::MappingEnd => depth = depth.saturating_sub(1),
            // An alias repeats what may be as deep as its place, and what it repeats may be repeated: a small text would
            // become a value of any size.
            Event::Alias(_) => return Err(ReadFault::Unsupported("an alias")),
            _ => {}
        }
    }
    if documents == 1 {
        Ok(())
    } else {
        Err(ReadFault::Malformed)
    }
}
