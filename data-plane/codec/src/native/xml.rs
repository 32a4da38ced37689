//! XML of values: the element tree that jaq's programs see.
//!
//! An element is `{"t": name, "a": {name: text}, "c": content}`, `a` and `c` may be missing; content is text, a number, a
//! truth value, or an array of content. `{"cdata": ..}`, `{"comment": ..}`, `{"pi": {"target": .., "content": ..}}` and
//! `{"xmldecl": {"version": .., ..}}` stand for themselves. Text is meant, not markup: it is escaped when it is written
//! and its references are resolved when it is read. A document has one element. Document types are neither written nor
//! read.

use jaq_json::{Map, Val};

use super::fault::WriteFault;
use super::nesting::Nesting;
use super::number;
use crate::bounded::BoundedWriter;

mod name;
mod read;

pub(crate) use read::read;

/// The parts of an XML declaration, in the order that XML demands.
const DECLARATION: [&str; 3] = ["version", "encoding", "standalone"];

/// What documents are written and read in.
const ENCODING: &str = "UTF-8";

const NO_NAME: WriteFault = WriteFault::Value("a name that is none in XML");
const NO_DECLARATION: WriteFault = WriteFault::Value("an XML declaration that is none");

/// Appends a document: one element, and around it what may stand there.
pub(crate) fn write(value: &Val, out: &mut BoundedWriter) -> Result<(), WriteFault> {
    let alone = std::slice::from_ref(value);
    let nodes = match value {
        Val::Arr(nodes) => nodes,
        _ => alone,
    };
    let mut elements = 0;
    for (place, node) in nodes.iter().enumerate() {
        match kind(node) {
            Some("t") => elements += 1,
            Some("comment" | "pi") => {}
            Some("xmldecl") if place == 0 => {
                write_declaration(node, out)?;
                continue;
            }
            _ => return Err(WriteFault::Value("a value that is no XML document")),
        }
        write_node(node, out, Nesting::default())?;
    }
    if elements == 1 {
        Ok(())
    } else {
        Err(WriteFault::Value("a document that has not exactly one element"))
    }
}

/// Appends one element.
pub(crate) fn write_element(value: &Val, out: &mut BoundedWriter) -> Result<(), WriteFault> {
    match kind(value) {
        Some("t") => write_node(value, out, Nesting::default().deeper()?),
        _ => Err(WriteFault::Value("a value that is no XML element")),
    }
}

/// The key by which an object says what it is.
fn kind(node: &Val) -> Option<&str> {
    let Val::Obj(fields) = node else { return None };
    if fields.contains_key(&Val::from("t".to_owned())) {
        return Some("t");
    }
    match fields.first() {
        Some((Val::TStr(key), _)) if fields.len() == 1 => std::str::from_utf8(key).ok(),
        _ => None,
    }
}

fn write_node(node: &Val, out: &mut BoundedWriter, nesting: Nesting) -> Result<(), WriteFault> {
    match (node, kind(node)) {
        (Val::Null, _) => Ok(()),
        (Val::Arr(nodes), _) => {
            let within = nesting.deeper()?;
            nodes.iter().try_for_each(|node| write_node(node, out, within))
        }
        (Val::Obj(fields), Some("t")) => write_tagged(fields, out, nesting.deeper()?),
        (Val::Obj(fields), Some(kind)) => write_special(kind, fields, out),
        (Val::Obj(_), None) => Err(WriteFault::Value("an object that is no XML node")),
        (scalar, _) => write_text(&text_of(scalar)?, out, false),
    }
}

fn write_tagged(fields: &Map, out: &mut BoundedWriter, nesting: Nesting) -> Result<(), WriteFault> {
    let (mut name, mut attributes, mut content) = (None, None, None);
    for (key, value) in fields {
        match (key, value) {
            (Val::TStr(key), Val::TStr(_)) if &***key == b"t" => name = Some(name_of(value)?),
            (Val::TStr(key), Val::Obj(fields)) if &***key == b"a" => attributes = Some(fields),
            (Val::TStr(key), value) if &***key == b"c" => content = Some(value),
            _ => return Err(WriteFault::Value("an object that is no XML node")),
        }
    }
    let name = name.ok_or(NO_NAME)?;
    out.write(b"<")?;
    out.write(name.as_bytes())?;
    for (key, value) in attributes.into_iter().flat_map(|attributes| attributes.iter()) {
        write_attribute(&name_of(key)?, value, out)?;
    }
    match content {
        None | Some(Val::Null) => out.write(b"/>")?,
        Some(content) => {
            out.write(b">")?;
            write_node(content, out, nesting)?;
            out.write(b"</")?;
            out.write(name.as_bytes())?;
            out.write(b">")?;
        }
    }
    Ok(())
}

fn write_attribute(name: &str, value: &Val, out: &mut BoundedWriter) -> Result<(), WriteFault> {
    out.write(b" ")?;
    out.write(name.as_bytes())?;
    out.write(b"=\"")?;
    write_text(&text_of(value)?, out, true)?;
    out.write(b"\"")?;
    Ok(())
}

fn write_declaration(node: &Val, out: &mut BoundedWriter) -> Result<(), WriteFault> {
    let parts = match node {
        Val::Obj(fields) => match fields.first() {
            Some((_, Val::Obj(parts))) => parts,
            _ => return Err(NO_DECLARATION),
        },
        _ => return Err(NO_DECLARATION),
    };
    let named = DECLARATION.map(|name| (name, parts.get(&Val::from(name.to_owned()))));
    let known = named.iter().filter(|(_, value)| value.is_some()).count();
    if known < parts.len() || named.first().is_some_and(|(_, version)| version.is_none()) {
        return Err(NO_DECLARATION);
    }
    out.write(b"<?xml")?;
    for (name, value) in named {
        let text = match value {
            Some(Val::Bool(true)) => "yes".to_owned(),
            Some(Val::Bool(false)) => "no".to_owned(),
            Some(value) => text_of(value)?,
            None => continue,
        };
        if !is_declarable(name, &text) {
            return Err(NO_DECLARATION);
        }
        out.write(format!(" {name}=\"{text}\"").as_bytes())?;
    }
    out.write(b"?>")?;
    Ok(())
}

/// Whether a declaration may say this: the version that is written, and the encoding that it is written in.
fn is_declarable(name: &str, text: &str) -> bool {
    match name {
        "version" => text == "1.0",
        "encoding" => text.eq_ignore_ascii_case(ENCODING),
        _ => matches!(text, "yes" | "no"),
    }
}

fn write_special(kind: &str, fields: &Map, out: &mut BoundedWriter) -> Result<(), WriteFault> {
    let value = fields.first().map_or(&Val::Null, |(_, value)| value);
    match (kind, value) {
        ("cdata", Val::TStr(_)) => write_verbatim("<![CDATA[", value, "]]>", "]]>", out),
        // Another dash would make the end of it another one.
        ("comment", Val::TStr(text)) if text.ends_with(b"-") => Err(ENDS),
        ("comment", Val::TStr(_)) => write_verbatim("<!--", value, "-->", "--", out),
        ("pi", Val::Obj(parts)) => {
            let part = |name: &str| parts.get(&Val::from(name.to_owned()));
            let target = name_of(part("target").unwrap_or(&Val::Null))?;
            if target.eq_ignore_ascii_case("xml") {
                return Err(NO_DECLARATION);
            }
            if !name::is_plain(&target) {
                return Err(NO_NAME);
            }
            out.write(format!("<?{target}").as_bytes())?;
            match part("content") {
                None | Some(Val::Null) => out.write(b"?>")?,
                Some(content) => write_verbatim(" ", content, "?>", "?>", out)?,
            }
            Ok(())
        }
        _ => Err(WriteFault::Value("an object that is no XML node")),
    }
}

const ENDS: WriteFault = WriteFault::Value("text that would end an XML section");

/// What cannot be escaped, and must not hold what ends it.
fn write_verbatim(
    open: &str,
    value: &Val,
    close: &str,
    barred: &str,
    out: &mut BoundedWriter,
) -> Result<(), WriteFault> {
    let text = text_of(value)?;
    if text.contains(barred) || text.chars().any(|character| !is_character(character)) {
        return Err(ENDS);
    }
    out.write(open.as_bytes())?;
    out.write(text.as_bytes())?;
    out.write(close.as_bytes())?;
    Ok(())
}

fn text_of(scalar: &Val) -> Result<String, WriteFault> {
    match scalar {
        Val::TStr(text) => {
            let text = std::str::from_utf8(text).map_err(|_| WriteFault::NOT_UTF8)?;
            Ok(text.to_owned())
        }
        Val::Num(number) => number::finite(number).ok_or(WriteFault::NOT_FINITE),
        Val::Bool(truth) => Ok(truth.to_string()),
        _ => Err(WriteFault::Value("a value that is no XML text")),
    }
}

fn name_of(value: &Val) -> Result<String, WriteFault> {
    let Val::TStr(name) = value else {
        return Err(NO_NAME);
    };
    let name = std::str::from_utf8(name).map_err(|_| WriteFault::NOT_UTF8)?;
    if name::is_qualified(name) {
        Ok(name.to_owned())
    } else {
        Err(NO_NAME)
    }
}

/// The characters of XML 1.0.
fn is_character(character: char) -> bool {
    !matches!(character, '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\u{fffe}' | '\u{ffff}')
}

fn write_text(text: &str, out: &mut BoundedWriter, is_attribute: bool) -> Result<(), WriteFault> {
    let mut written = 0;
    for (at, character) in text.char_indices() {
        if !is_character(character) {
            return Err(WriteFault::Value("a character that XML has not"));
        }
        let reference = match character {
            '&' => "&amp;",
            '<' => "&lt;",
            '>' => "&gt;",
            '\r' => "&#13;",
            '"' if is_attribute => "&quot;",
            '\n' if is_attribute => "&#10;",
            '\t' if is_attribute => "&#9;",
            _ => continue,
        };
        out.write(text.as_bytes().get(written..at).unwrap_or_default())?;
        out.write(reference.as_bytes())?;
        written = at + 1;
    }
    out.write(text.as_bytes().get(written..).unwrap_or_default())?;
    Ok(())
}
