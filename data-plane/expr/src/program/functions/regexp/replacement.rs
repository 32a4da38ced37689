//! What stands in the place of a match: text, and references to what the groups of the pattern matched.
//!
//! The syntax is that of the regex crate: `$1`, `$name`, `${1}`, `${name}`, `$$` for a dollar; a group that there is not is
//! an empty text. It is read once for a pattern and a text, so that a match costs no allocation.

use regex::{CaptureLocations, Regex};

use crate::fault::Fault;
use crate::program::built::Text;

/// A replacement that is read for one pattern.
pub(super) struct Replacement<'a> {
    parts: Vec<Part<'a>>,
}

enum Part<'a> {
    Text(&'a str),
    /// What the group of this number matched.
    Group(usize),
}

impl<'a> Replacement<'a> {
    /// Reads a replacement for a pattern.
    pub(super) fn new(text: &'a str, pattern: &Regex) -> Self {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(dollar) = rest.find('$') {
            let (before, at) = rest.split_at(dollar);
            parts.push(Part::Text(before));
            if let Some(behind) = at.strip_prefix("$$") {
                parts.push(Part::Text("$"));
                rest = behind;
            } else if let Some((name, behind)) = reference(at) {
                parts.extend(group(name, pattern).map(Part::Group));
                rest = behind;
            } else {
                parts.push(Part::Text("$"));
                rest = at.strip_prefix('$').unwrap_or_default();
            }
        }
        parts.push(Part::Text(rest));
        parts.retain(|part| !matches!(part, Part::Text("")));
        Self { parts }
    }

    /// Whether it names a group that the pattern has.
    pub(super) fn refers(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Group(_)))
    }

    /// Appends what stands in the place of a match of `text`.
    pub(super) fn append(
        &self,
        text: &str,
        found: &CaptureLocations,
        out: &mut Text<'_>,
    ) -> Result<(), Fault> {
        for part in &self.parts {
            match part {
                Part::Text(part) => out.push_str(part)?,
                Part::Group(group) => {
                    let matched = found.get(*group).and_then(|(start, end)| text.get(start..end));
                    out.push_str(matched.unwrap_or_default())?;
                }
            }
        }
        Ok(())
    }
}

/// The name at a dollar, and what stands behind it.
fn reference(at: &str) -> Option<(&str, &str)> {
    let name = at.strip_prefix('$')?;
    if let Some(braced) = name.strip_prefix('{') {
        return braced.split_once('}');
    }
    let end = name
        .find(|character: char| !(character.is_ascii_alphanumeric() || character == '_'))
        .unwrap_or(name.len());
    (end > 0).then(|| name.split_at(end))
}

fn group(name: &str, pattern: &Regex) -> Option<usize> {
    match name.parse::<usize>() {
        Ok(number) => (number < pattern.captures_len()).then_some(number),
        Err(_) => pattern
            .capture_names()
            .position(|known| known.is_some_and(|known| known == name)),
    }
}
