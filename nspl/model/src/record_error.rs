//! The error of a record: its closed sets of words, and the columns behind the scope `error` (companion section 6).

use std::fmt;

use crate::{DataType, Field, Schema};

/// `error.code`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ErrorCode {
    /// An expression failed.
    Evaluation,
    /// A value is not allowed where it stands.
    Validation,
    /// The outside refused it.
    External,
}

/// `error.operation`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Operation {
    /// A source's WHERE or FILTER WHERE.
    Filter,
    /// INHERIT, SET or VALUES.
    Construct,
    /// A route's WHERE.
    Route,
    /// A header write.
    Invoke,
    /// Making the payload.
    Encode,
    /// Publishing it.
    Publish,
    /// Reading what came in.
    Decode,
    /// A branch key.
    Branch,
}

impl ErrorCode {
    /// Every code.
    pub const ALL: [ErrorCode; 3] = [ErrorCode::Evaluation, ErrorCode::Validation, ErrorCode::External];

    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            ErrorCode::Evaluation => "evaluation",
            ErrorCode::Validation => "validation",
            ErrorCode::External => "external",
        }
    }
}

impl Operation {
    /// Every operation.
    pub const ALL: [Operation; 8] = [
        Operation::Filter,
        Operation::Construct,
        Operation::Route,
        Operation::Invoke,
        Operation::Encode,
        Operation::Publish,
        Operation::Decode,
        Operation::Branch,
    ];

    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Operation::Filter => "filter",
            Operation::Construct => "construct",
            Operation::Route => "route",
            Operation::Invoke => "invoke",
            Operation::Encode => "encode",
            Operation::Publish => "publish",
            Operation::Decode => "decode",
            Operation::Branch => "branch",
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The columns behind [`crate::Scope::Error`], in the order of companion section 6; the schema has no name.
pub fn error_schema() -> Schema {
    let field = |name: &str, data_type, optional| Field {
        name: name.into(),
        data_type,
        optional,
        sensitive: false,
    };
    Schema {
        name: String::new(),
        fields: vec![
            field("reference", DataType::String, false),
            field("code", DataType::String, false),
            field("operation", DataType::String, false),
            field("operation_index", DataType::U32, true),
            field("fields", DataType::Vec(Box::new(DataType::String)), false),
            field("timestamp", DataType::DateTime, false),
            field("message", DataType::String, false),
        ],
    }
}
