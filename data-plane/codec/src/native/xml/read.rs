//! From a document to its tree, without recursion.

use jaq_json::{Map, Val};
use xmlparser::{ElementEnd, StrSpan, Token, Tokenizer};

use super::name::is_qualified;
use super::{ENCODING, is_character};
use crate::native::fault::ReadFault;
use crate::native::nesting::DEPTH_MAX;

/// The levels of values that an element is: itself and its content.
const LEVELS: usize = 2;

/// An element that is not closed yet.
struct Open {
    name: String,
    attributes: Map,
    content: Vec<Val>,
}

/// Reads one document: its element, or an array of it and of what stands around it.
pub(crate) fn read(payload: &[u8]) -> Result<Val, ReadFault> {
    let text = std::str::from_utf8(payload).map_err(|_| ReadFault::Malformed)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if !text.chars().all(is_character) {
        return Err(ReadFault::Malformed);
    }
    let mut tree = Tree::default();
    for token in Tokenizer::from(text) {
        tree.take(token.map_err(|_| ReadFault::Malformed)?)?;
    }
    tree.document()
}

#[derive(Default)]
struct Tree {
    top: Vec<Val>,
    elements: usize,
    open: Vec<Open>,
}

impl Tree {
    fn take(&mut self, token: Token<'_>) -> Result<(), ReadFault> {
        match token {
            Token::Declaration {
                version,
                encoding,
                standalone,
                ..
            } => {
                if encoding.is_some_and(|encoding| !encoding.as_str().eq_ignore_ascii_case(ENCODING)) {
                    return Err(ReadFault::Unsupported("an encoding other than UTF-8"));
                }
                let parts = [
                    ("version", Some(text(version))),
                    ("encoding", encoding.map(text)),
                    ("standalone", standalone.map(Val::from)),
                ];
                self.add(single("xmldecl", object(parts)))
            }
            Token::ProcessingInstruction { target, content, .. } => {
                let parts = [("target", Some(text(target))), ("content", content.map(text))];
                self.add(single("pi", object(parts)))
            }
            Token::Comment { text: comment, .. } => self.add(single("comment", text(comment))),
            Token::Cdata { text: section, .. } => self.add(single("cdata", text(section))),
            Token::Text { text } => self.add(Val::from(resolved(text.as_str())?)),
            Token::ElementStart { prefix, local, span } => self.open(name(span, &prefix, &local)?),
            Token::Attribute {
                prefix,
                local,
                value,
                span,
            } => self.attribute(name(span, &prefix, &local)?, value.as_str()),
            Token::ElementEnd { end, span } => self.end(end, span),
            Token::DtdStart { .. }
            | Token::EmptyDtd { .. }
            | Token::EntityDeclaration { .. }
            | Token::DtdEnd { .. } => Err(ReadFault::Unsupported("a document type")),
        }
    }

    fn open(&mut self, name: String) -> Result<(), ReadFault> {
        if (self.open.len() + 1) * LEVELS > DEPTH_MAX as usize {
            return Err(ReadFault::TooDeep);
        }
        self.open.push(Open {
            name,
            attributes: Map::default(),
            content: Vec::new(),
        });
        Ok(())
    }

    fn attribute(&mut self, name: String, value: &str) -> Result<(), ReadFault> {
        let element = self.open.last_mut().ok_or(ReadFault::Malformed)?;
        // A line end in an attribute is a blank.
        let blank = value.replace("\r\n", " ").replace(['\n', '\t', '\r'], " ");
        let twice = element
            .attributes
            .insert(Val::from(name), Val::from(resolved(&blank)?));
        if twice.is_some() {
            return Err(ReadFault::Malformed);
        }
        Ok(())
    }

    fn end(&mut self, end: ElementEnd<'_>, span: StrSpan<'_>) -> Result<(), ReadFault> {
        let has_content = match end {
            // Its content follows.
            ElementEnd::Open => return Ok(()),
            ElementEnd::Empty => false,
            ElementEnd::Close(prefix, local) => {
                let closed = name(span, &prefix, &local)?;
                if self.open.last().is_none_or(|element| element.name != closed) {
                    return Err(ReadFault::Malformed);
                }
                true
            }
        };
        let element = self.open.pop().ok_or(ReadFault::Malformed)?;
        let parts = [
            ("t", Some(Val::from(element.name))),
            (
                "a",
                (!element.attributes.is_empty()).then(|| Val::obj(element.attributes)),
            ),
            ("c", has_content.then(|| element.content.into_iter().collect())),
        ];
        self.elements += usize::from(self.open.is_empty());
        self.add(object(parts))
    }

    fn add(&mut self, node: Val) -> Result<(), ReadFault> {
        match (self.open.last_mut(), &node) {
            (Some(element), _) => element.content.push(node),
            (None, Val::TStr(text)) if !text.iter().all(u8::is_ascii_whitespace) => {
                return Err(ReadFault::Malformed);
            }
            (None, Val::TStr(_)) => {}
            (None, _) => self.top.push(node),
        }
        Ok(())
    }

    fn document(mut self) -> Result<Val, ReadFault> {
        if self.elements != 1 || !self.open.is_empty() {
            return Err(ReadFault::Malformed);
        }
        match self.top.len() {
            1 => self.top.pop().ok_or(ReadFault::Malformed),
            _ => Ok(self.top.into_iter().collect()),
        }
    }
}

/// The name of an element or an attribute, as it stands in the document: the tokenizer drops a colon that begins it.
fn name(span: StrSpan<'_>, prefix: &str, local: &str) -> Result<String, ReadFault> {
    let name = match prefix {
        "" => local.to_owned(),
        prefix => format!("{prefix}:{local}"),
    };
    let written = span.as_str().trim_start_matches(['<', '/']);
    if written.starts_with(&name) && is_qualified(&name) {
        Ok(name)
    } else {
        Err(ReadFault::Malformed)
    }
}

fn text(span: StrSpan<'_>) -> Val {
    Val::from(span.as_str().to_owned())
}

fn single(key: &str, value: Val) -> Val {
    object([(key, Some(value))])
}

fn object<const N: usize>(parts: [(&str, Option<Val>); N]) -> Val {
    let set = parts
        .into_iter()
        .filter_map(|(key, value)| Some((Val::from(key.to_owned()), value?)));
    Val::obj(set.collect())
}

/// Text with its references resolved and its line ends made one.
fn resolved(text: &str) -> Result<String, ReadFault> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut parts = text.split('&');
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (reference, rest) = part.split_once(';').ok_or(ReadFault::Malformed)?;
        whole.push(referred(reference).ok_or(ReadFault::Malformed)?);
        whole.push_str(rest);
    }
    Ok(whole)
}

fn referred(reference: &str) -> Option<char> {
    match reference {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        other => {
            let number = other.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            code.ok()
                .and_then(char::from_u32)
                .filter(|found| is_character(*found))
        }
    }
}
