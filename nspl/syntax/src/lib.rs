//! NSPL text to tree and tree to canonical text.
//!
//! Purpose: [`parse`] reads a script into [`Statement`]s that keep every span and comment, [`print()`] writes a
//! statement in its canonical form, [`format()`] a whole script; [`propose()`] tells what fits next. Invariant:
//! `parse(print(x)) == x` for every statement that can be read. It deliberately knows no types, no catalog and no
//! ranges: those are rules of `nspl-check`.
//!
//! Lay of the land: one file per construct holds its node, its rule and its printer; `grammar` and `printer` hold what
//! they are made of; `script` parts a text into statements; `fault` turns failures into what a reader can act on.

pub mod alter;
pub mod assignment;
pub mod branch;
pub mod client;
pub mod codec;
mod comment;
mod complete;
pub mod construction;
pub mod data_type;
pub mod domain;
pub mod emitter;
pub mod entity;
pub mod error_policy;
pub mod expression;
pub mod fault;
pub mod flush;
mod format;
mod grammar;
pub mod ingestor;
mod lexeme;
mod lexer;
pub mod limits;
pub mod name;
pub mod node;
mod printer;
pub mod quantity;
pub mod relay;
pub mod resource;
pub mod schema;
mod script;
pub mod show;
pub mod sink;
mod span;
mod statement;
mod token;
pub mod wire_schema;

pub use comment::Comment;
pub use complete::{Proposal, Typed, propose};
pub use entity::{Create, Entity, EntityRef, Kind};
pub use expression::{Expr, ExprKind};
pub use fault::Fault;
pub use format::format;
pub use lexeme::{Lexeme, LexemeKind, lexemes};
pub use name::{ExternalName, Name, Text};
pub use printer::{print, print_masked};
pub use script::{Broken, Parsed, parse, parse_apart, parse_while};
pub use span::{Span, Spanned};
pub use statement::Statement;
