//! What other languages spell differently: operators and type names.

use crate::data_type::Scalar;
use crate::fault::hint::Stop;
use crate::fault::spelling::distance;
use crate::fault::{Fault, code};
use crate::grammar::{EXPRESSION, OPERATOR};

/// Operators and what to write instead.
const OPERATORS: [(&str, &str); 12] = [
    ("==", "equality is written `=`"),
    (
        "||",
        "strings are joined with concat(a, b); the logical operator is OR",
    ),
    ("&&", "the logical operator is AND"),
    ("!", "negation is written NOT"),
    ("IN", "write a = x OR a = y"),
    ("LIKE", "use starts_with, ends_with, contains or regexp_like"),
    ("ILIKE", "use contains(lower(a), 'x') or regexp_like with (?i)"),
    ("BETWEEN", "write a >= x AND a <= y"),
    ("XOR", "write a != b between two BOOL values"),
    ("MOD", "the remainder is written %"),
    ("DIV", "division is written /; of integers it truncates"),
    (":", "a conversion is written a AS TYPE"),
];

/// The fault of an operator that NSPL does not have.
pub(super) fn hint(stop: &Stop<'_, '_>, plain: &Fault) -> Option<Fault> {
    let found = stop.found()?;
    let in_expression = stop.expects(OPERATOR) || stop.expects(EXPRESSION);
    // `a NOT IN (...)`, `a NOT LIKE 'x'`, `a NOT BETWEEN ...`
    let negated = found.is_word("NOT") && stop.expects(OPERATOR);
    let word = if negated {
        stop.tokens.get(stop.at + 1)?
    } else {
        found
    };
    let matches = |name: &str| word.is_symbol(name) || word.is_word(name);
    let (name, help) = OPERATORS
        .iter()
        .find(|(name, _)| in_expression && matches(name))?;
    let message = format!("there is no operator `{name}`: {}", plain.message);
    let help = match negated {
        true => format!("put NOT (...) around it; without NOT: {help}"),
        false => (*help).to_owned(),
    };
    Some(
        Fault {
            code: code::FOREIGN_OPERATOR,
            message,
            ..plain.clone()
        }
        .with_help(help),
    )
}

/// The help for a word that is no type.
pub(super) fn type_help(word: &str) -> String {
    let upper = word.to_ascii_uppercase();
    let meant = match upper.as_str() {
        "INT" | "INTEGER" | "INT4" | "INT32" => "I32",
        "BIGINT" | "LONG" | "INT8" | "INT64" => "I64",
        "SMALLINT" | "SHORT" | "INT2" | "INT16" => "I16",
        "TINYINT" | "BYTE" => "I8",
        "UINT" | "UINT32" => "U32",
        "UINT8" => "U8",
        "UINT16" => "U16",
        "UINT64" => "U64",
        "FLOAT" | "REAL" | "FLOAT32" | "FLOAT4" => "F32",
        "DOUBLE" | "FLOAT64" | "FLOAT8" | "NUMERIC" | "DECIMAL" | "NUMBER" => "F64",
        "BOOLEAN" | "BIT" => "BOOL",
        "TEXT" | "VARCHAR" | "CHAR" | "UUID" | "JSON" | "JSONB" | "STR" => "STRING",
        "TIMESTAMP" | "TIMESTAMPTZ" | "DATE" | "TIME" => "DATETIME",
        "BINARY" | "VARBINARY" | "BYTEA" | "BLOB" => "BYTES",
        "LIST" => "VEC<T> or ARRAY<T, n>",
        _ => {
            let near = Scalar::ALL
                .iter()
                .map(|scalar| scalar.as_str())
                .find(|known| distance(&upper, known) == 1);
            return near.map_or_else(all_types, |near| format!("did you mean `{near}`?"));
        }
    };
    format!("`{word}` is {meant} here")
}

fn all_types() -> String {
    let scalars: Vec<_> = Scalar::ALL.iter().map(|scalar| scalar.as_str()).collect();
    format!("the types are {}, ARRAY<T, n> and VEC<T>", scalars.join(", "))
}
