//! TOML of values: plain entries before tables, arrays of tables as `[[...]]`; dates and times are text.
//!
//! TOML has no null and no whole number beyond 64 bits: a value that holds one cannot be written. A byte string becomes
//! padded base64 text.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jaq_json::{Map, Num, Val};

use super::fault::{ReadFault, WriteFault};
use super::json;
use super::nesting::{DEPTH_MAX, Nesting};
use super::number;
use crate::bounded::BoundedWriter;

/// Appends a document, which is a table.
pub(crate) fn write(value: &Val, out: &mut BoundedWriter) -> Result<(), WriteFault> {
    let root = table_of(value)?;
    write_table(root, &mut Path::default(), out, Nesting::default().deeper()?)
}

/// Appends an element of the array of tables with a key of the document.
pub(crate) fn write_element(key: &str, value: &Val, out: &mut BoundedWriter) -> Result<(), WriteFault> {
    let table = table_of(value)?;
    let mut path = Path::default();
    path.enter(key.as_bytes())?;
    out.write(format!("[[{}]]\n", path.text).as_bytes())?;
    write_table(table, &mut path, out, Nesting::default().deeper()?.deeper()?)
}

fn table_of(value: &Val) -> Result<&Map, WriteFault> {
    match value {
        Val::Obj(fields) => Ok(fields),
        _ => Err(WriteFault::Value("a value that is no table")),
    }
}

/// The dotted key of a table.
#[derive(Default)]
struct Path {
    text: String,
}

impl Path {
    /// Gives the length to go back to.
    fn enter(&mut self, key: &[u8]) -> Result<usize, WriteFault> {
        let before = self.text.len();
        if before > 0 {
            self.text.push('.');
        }
        self.text.push_str(&key_text(key)?);
        Ok(before)
    }
}

fn key_text(key: &[u8]) -> Result<String, WriteFault> {
    let is_bare = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let text = std::str::from_utf8(key).map_err(|_| WriteFault::NOT_UTF8)?;
    if !key.is_empty() && key.iter().all(is_bare) {
        return Ok(text.to_owned());
    }
    // No key is longer than the value that has it.
    let mut quoted = BoundedWriter::default();
    quoted.allow(usize::MAX);
    write_text(key, &mut quoted)?;
    String::from_utf8(quoted.bytes().to_vec()).map_err(|_| WriteFault::NOT_UTF8)
}

/// What an entry of a table is written as.
enum Entry<'a> {
    Plain,
    Table(&'a Map),
    Tables(Vec<&'a Map>),
}

impl Entry<'_> {
    fn of(value: &Val) -> Entry<'_> {
        match value {
            Val::Obj(fields) => Entry::Table(fields),
            Val::Arr(elements) if !elements.is_empty() => {
                let tables = elements.iter().map(|element| table_of(element).ok());
                tables
                    .collect::<Option<Vec<_>>>()
                    .map_or(Entry::Plain, Entry::Tables)
            }
            _ => Entry::Plain,
        }
    }
}

fn write_table(
    fields: &Map,
    path: &mut Path,
    out: &mut BoundedWriter,
    nesting: Nesting,
) -> Result<(), WriteFault> {
    let mut below = Vec::new();
    for (key, value) in fields {
        let Val::TStr(key) = key else {
            return Err(WriteFault::KEY);
        };
        match Entry::of(value) {
            Entry::Plain => {
                out.write(key_text(key)?.as_bytes())?;
                out.write(b" = ")?;
                write_inline(value, out, nesting)?;
                out.write(b"\n")?;
            }
            table => below.push((key, table)),
        }
    }
    for (key, entry) in below {
        let back = path.enter(key)?;
        match entry {
            Entry::Plain => {}
            Entry::Table(table) => write_headed("[", table, "]", (path, out, nesting.deeper()?))?,
            Entry::Tables(tables) => {
                let within = nesting.deeper()?.deeper()?;
                for table in tables {
                    write_headed("[[", table, "]]", (path, out, within))?;
                }
            }
        }
        path.text.truncate(back);
    }
    Ok(())
}

fn write_headed(
    open: &str,
    table: &Map,
    close: &str,
    (path, out, nesting): (&mut Path, &mut BoundedWriter, Nesting),
) -> Result<(), WriteFault> {
    let gap = if out.len() > 0 { "\n" } else { "" };
    out.write(format!("{gap}{open}{}{close}\n", path.text).as_bytes())?;
    write_table(table, path, out, nesting)
}

fn write_inline(value: &Val, out: &mut BoundedWriter, nesting: Nesting) -> Result<(), WriteFault> {
    match value {
        Val::Null => return Err(WriteFault::Value("null")),
        Val::Bool(true) => out.write(b"true")?,
        Val::Bool(false) => out.write(b"false")?,
        Val::Num(number) => out.write(number_text(number)?.as_bytes())?,
        Val::TStr(text) => write_text(text, out)?,
        Val::BStr(octets) => write_text(STANDARD.encode(&***octets).as_bytes(), out)?,
        Val::Arr(elements) => {
            let within = nesting.deeper()?;
            out.write(b"[")?;
            for (place, element) in elements.iter().enumerate() {
                separate(place, out)?;
                write_inline(element, out, within)?;
            }
            out.write(b"]")?;
        }
        Val::Obj(fields) => {
            let within = nesting.deeper()?;
            out.write(b"{")?;
            for (place, (key, field)) in fields.iter().enumerate() {
                let Val::TStr(key) = key else {
                    return Err(WriteFault::KEY);
                };
                separate(place, out)?;
                out.write(key_text(key)?.as_bytes())?;
                out.write(b" = ")?;
                write_inline(field, out, within)?;
            }
            out.write(b"}")?;
        }
    }
    Ok(())
}

fn separate(place: usize, out: &mut BoundedWriter) -> Result<(), WriteFault> {
    if place > 0 {
        out.write(b", ")?;
    }
    Ok(())
}

fn number_text(number: &Num) -> Result<String, WriteFault> {
    if number::is_whole(number) {
        let whole = number.as_isize().and_then(|whole| i64::try_from(whole).ok());
        let whole = whole.ok_or(WriteFault::Value("a whole number beyond 64 bits"))?;
        return Ok(whole.to_string());
    }
    let text = number::finite(number).unwrap_or_else(|| {
        let double = number::double(number);
        // `inf`, `-inf` or `nan`.
        if double.is_nan() {
            "nan".to_owned()
        } else {
            double.to_string()
        }
    });
    Ok(text)
}

/// TOML's escapes are JSON's, and it has no bare DEL.
fn write_text(text: &[u8], out: &mut BoundedWriter) -> Result<(), WriteFault> {
    const DEL: u8 = 0x7f;
    if !text.contains(&DEL) {
        return json::write_text(text, out);
    }
    let mut quoted = BoundedWriter::default();
    quoted.allow(usize::MAX);
    json::write_text(text, &mut quoted)?;
    for run in quoted.bytes().split_inclusive(|byte| *byte == DEL) {
        match run.split_last() {
            Some((&DEL, plain)) => {
                out.write(plain)?;
                out.write(b"\\u007f")?;
            }
            _ => out.write(run)?,
        }
    }
    Ok(())
}

/// Reads one document.
pub(crate) fn read(payload: &[u8]) -> Result<Val, ReadFault> {
    let text = std::str::from_utf8(payload).map_err(|_| ReadFault::Malformed)?;
    if depth_at_most(payload) > DEPTH_MAX as usize {
        return Err(ReadFault::TooDeep);
    }
    jaq_fmts::read::toml::parse(text).map_err(|_| ReadFault::Malformed)
}

/// No value of the document is deeper: brackets and braces that are open at once, and dots of a line, outside of strings and
/// comments.
fn depth_at_most(text: &[u8]) -> usize {
    let (mut open, mut dots, mut deepest, mut at) = (0_usize, 0_usize, 0, 0);
    while let Some(byte) = text.get(at) {
        let rest = text.get(at..).unwrap_or_default();
        at += match byte {
            b'#' => rest.iter().take_while(|byte| **byte != b'\n').count(),
            b'"' | b'\'' => string_length(rest, *byte),
            _ => 1,
        };
        match byte {
            b'[' | b'{' => open += 1,
            b']' | b'}' => open = open.saturating_sub(1),
            b'.' => dots += 1,
            b'\n' => dots = 0,
            _ => {}
        }
        deepest = deepest.max(open + dots);
    }
    deepest
}

/// The bytes of a string with its quotes, one or three on each side; all the rest when it does not end.
fn string_length(text: &[u8], quote: u8) -> usize {
    let triple = text.starts_with(&[quote; 3]);
    let mut at = if triple { 3 } else { 1 };
    while let Some(byte) = text.get(at) {
        if *byte == b'\\' && quote == b'"' {
            at += 2;
        } else if triple && text.get(at..).is_some_and(|rest| rest.starts_with(&[quote; 3])) {
            return at + 3;
        } else if !triple && (*byte == quote || *byte == b'\n') {
            return at + 1;
        } else {
            at += 1;
        }
    }
    text.len().max(1)
}
