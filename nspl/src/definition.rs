//! From stored statements back to definitions, without judging anew what was judged when it was committed.

use nspl_check::{Catalog, Diagnostic, RestoreError};
use nspl_model::Definition;
use thiserror::Error;

/// Why stored statements give no definition: they were written by another release, or damaged.
#[derive(Debug, Error)]
pub enum DefinitionError {
    /// There is no statement, or one creates nothing.
    #[error("no CREATE statement")]
    Empty,
    /// A statement is refused.
    #[error("statement {index} is refused: {} {}", .diagnostic.code, .diagnostic.message)]
    Refused {
        /// Which, from 0.
        index: usize,
        /// Why; its span means nothing.
        diagnostic: Box<Diagnostic>,
    },
}

/// The definition of the last statement; the others are what it refers to, each before what refers to it, as
/// [`Catalog::closure`] lists them. All are canonical CREATE statements of one domain; a CREATE DOMAIN may come first.
///
/// # Errors
/// When a statement is refused, which no statement of a catalog is.
pub fn definition(domain: &str, statements: &[impl AsRef<str>]) -> Result<Definition, DefinitionError> {
    Ok(nspl_check::definition(domain, statements)?)
}

/// The catalog of stored statements: pairs of domain and canonical CREATE statement, in any order; each domain has its
/// CREATE DOMAIN among them.
///
/// # Errors
/// When a statement is refused; the index is that of the pair.
pub fn restore<'a>(
    statements: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<Catalog, DefinitionError> {
    Ok(nspl_check::restore(statements)?)
}

impl From<RestoreError> for DefinitionError {
    fn from(error: RestoreError) -> DefinitionError {
        match error {
            RestoreError::Empty => DefinitionError::Empty,
            RestoreError::Refused { index, diagnostic } => DefinitionError::Refused { index, diagnostic },
        }
    }
}
