//! How a writer's schema differs from what an ingestor takes, all of it at once.

use std::collections::HashSet;
use std::fmt;

use arrow::datatypes::{DataType as ArrowType, Schema as ArrowSchema};
use nspl_model::{DataType, Field, Schema};

/// Differences that the text of [`Differences`] spells out; the rest is counted.
const SHOWN_MAX: usize = 64;

/// Characters of a writer's column name or type that the text shows.
const NAME_CHARS_MAX: usize = 64;

/// One column that is not as the schema wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// A required field that the writer does not send.
    Missing {
        /// The field of the schema.
        field: String,
        /// Its type.
        expected: DataType,
    },
    /// A column that the schema does not have.
    Unexpected {
        /// The writer's name for it.
        column: String,
    },
    /// A column that the writer sends more than once.
    Doubled {
        /// Its name.
        column: String,
    },
    /// A column of a type that does not convert exactly.
    OtherType {
        /// The field of the schema.
        field: String,
        /// Its type.
        expected: DataType,
        /// The Arrow type that was sent.
        found: String,
    },
}

impl Difference {
    pub(super) fn other_type(field: &Field, found: &ArrowType) -> Self {
        Self::OtherType {
            field: field.name.clone(),
            expected: field.data_type.clone(),
            found: shorten(&found.to_string()),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { field, expected } => write!(f, "{field} {expected} is missing"),
            Self::Unexpected { column } => write!(f, "{column} is not in the schema"),
            Self::Doubled { column } => write!(f, "{column} is there more than once"),
            Self::OtherType {
                field,
                expected,
                found,
            } => {
                write!(f, "{field} is {expected}, not {found}")
            }
        }
    }
}

/// Every difference between a writer's schema and the schema of an ingestor. Never empty.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Differences(Vec<Difference>);

impl Differences {
    pub(super) fn new(differences: Vec<Difference>) -> Self {
        Self(differences)
    }

    /// The differences: names first in the writer's order, then types in the schema's order.
    pub fn list(&self) -> &[Difference] {
        &self.0
    }
}

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the schema differs: ")?;
        for (index, difference) in self.0.iter().take(SHOWN_MAX).enumerate() {
            if index > 0 {
                write!(f, "; ")?;
            }
            write!(f, "{difference}")?;
        }
        match self.0.len().saturating_sub(SHOWN_MAX) {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}

/// What is missing, unexpected or doubled, by name.
pub(super) fn names(source: &ArrowSchema, target: &Schema) -> Vec<Difference> {
    let mut seen = HashSet::new();
    let mut doubled = HashSet::new();
    let mut differences = Vec::new();
    for sent in source.fields() {
        let name = sent.name().as_str();
        if !seen.insert(name) {
            if doubled.insert(name) {
                differences.push(Difference::Doubled {
                    column: shorten(name),
                });
            }
        } else if !target.fields.iter().any(|field| field.name == name) {
            differences.push(Difference::Unexpected {
                column: shorten(name),
            });
        }
    }
    for field in target
        .fields
        .iter()
        .filter(|field| !field.optional && !seen.contains(field.name.as_str()))
    {
        differences.push(Difference::Missing {
            field: field.name.clone(),
            expected: field.data_type.clone(),
        });
    }
    differences
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= NAME_CHARS_MAX {
        return text.to_owned();
    }
    text.chars().take(NAME_CHARS_MAX).chain("...".chars()).collect()
}
