//! What an expression may begin with: fields, scopes, functions with their signatures, and the words of its grammar.

use nspl_model::{Function, Parameter, ResultType, Signature};

use super::Place;
use super::candidate::{CandidateKind, Gathering};
use super::fields;
use super::scene::Clause;

/// Calls whose arguments hold a type or a path: they are no functions of the model.
const FORMS: [(&str, &str); 4] = [
    ("try_cast(", "try_cast(value AS TYPE): null where AS fails"),
    ("json_value(", "json_value(document, '$.path' AS TYPE)"),
    (
        "try_json_value(",
        "try_json_value(document, '$.path' AS TYPE): null where it fails",
    ),
    ("json_exists(", "json_exists(document, '$.path') -> BOOL"),
];

/// The words that an expression may begin with.
const WORDS: [&str; 6] = ["NOT", "IF", "CASE", "TRUE", "FALSE", "NULL"];

/// The words that may follow an operand; AS is the grammar's own.
const OPERATORS: [&str; 4] = ["AND", "OR", "IS NULL", "IS NOT NULL"];

/// Proposes what an expression may begin with at the place.
pub(super) fn gather(place: &Place<'_>, into: &mut Gathering<'_>) {
    bare(place, into);
    for (scope, detail) in scopes(place) {
        into.push(CandidateKind::Scope, *scope, *detail);
    }
    for function in Function::all() {
        let name = function.name();
        let empty = function.signature().parameters.is_empty();
        let text = format!("{name}{}", if empty { "()" } else { "(" });
        into.push(
            CandidateKind::Function,
            text,
            signature(name, function.signature()),
        );
    }
    for (form, detail) in FORMS {
        into.push(CandidateKind::Function, form, detail);
    }
    if place.scene.clause == Clause::Finished {
        into.push(
            CandidateKind::Function,
            "write_header(",
            "write_header(name, value): INVOKE only",
        );
    }
    for word in WORDS {
        into.push(CandidateKind::Keyword, word, "");
    }
}

/// Proposes the words that may follow an operand.
pub(super) fn operators(into: &mut Gathering<'_>) {
    for word in OPERATORS {
        into.push(CandidateKind::Keyword, word, "");
    }
}

/// Fields by their bare names.
fn bare(place: &Place<'_>, into: &mut Gathering<'_>) {
    let rows = fields::rows(place);
    match place.scene.clause {
        Clause::Set => {
            // What is set already; it hides an input field of its name. The last target is only being set.
            let named = place
                .scene
                .named
                .split_last()
                .map(|(_, before)| before)
                .unwrap_or_default();
            fields::only(rows.output.as_ref(), named, into);
            fields::push(rows.input.as_ref(), &[], into);
        }
        Clause::Finished | Clause::BranchSet => {
            fields::push(rows.output.as_ref(), &[], into);
            fields::push(rows.input.as_ref(), &[], into);
        }
        Clause::ErrorSet | Clause::Default | Clause::Config => {}
        _ => fields::push(rows.input.as_ref(), &[], into),
    }
}

type Scopes = &'static [(&'static str, &'static str)];

fn scopes(place: &Place<'_>) -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    const INPUT: (&str, &str) = ("input.", "the source row");
    const MESSAGE: (&str, &str) = ("message.", "the output where it is set, else the source row");
    const OUTPUT: (&str, &str) = ("output.", "the record under construction");
    const STATE: (&str, &str) = ("relay_state.", "the state of a materialized relay");
    const ERROR: Scopes = &[
        ("error.", "what went wrong"),
        INPUT,
        ("partial_output.", "what was built before the error"),
    ];
    const SOURCE: Scopes = &[INPUT, MESSAGE];
    const ROUTE: Scopes = &[INPUT, MESSAGE, OUTPUT];
    const STATES: Scopes = &[STATE];
    let scopes: Scopes = match place.scene.clause {
        Clause::ErrorSet => ERROR,
        Clause::Set | Clause::Finished | Clause::BranchSet => ROUTE,
        Clause::Default | Clause::Config => &[],
        _ => SOURCE,
    };
    let reads_states = !place.scene.states.is_empty() && place.scene.clause != Clause::SourceFilter;
    scopes.iter().chain(STATES.iter().filter(move |_| reads_states))
}

/// Such as `substr(STRING, I64, [I64]) -> STRING`.
fn signature(name: &str, signature: &Signature) -> String {
    let parameter = |(index, parameter): (usize, &Parameter)| {
        let text = match parameter {
            Parameter::String => "STRING",
            Parameter::Count => "I64",
            Parameter::Integer => "integer",
            Parameter::Numeric => "number",
            Parameter::Same | Parameter::SameComparable => "T",
            Parameter::Any => "any",
        };
        match index < signature.required {
            true => text.to_owned(),
            false => format!("[{text}]"),
        }
    };
    let mut parameters: Vec<String> = signature.parameters.iter().enumerate().map(parameter).collect();
    if signature.variadic {
        parameters.push("...".to_owned());
    }
    let first = match signature.parameters.first() {
        Some(Parameter::Same | Parameter::SameComparable) => "T",
        _ => "as the argument",
    };
    let result = match signature.result {
        ResultType::Bool => "BOOL",
        ResultType::String => "STRING",
        ResultType::I64 => "I64",
        ResultType::F64 => "F64",
        ResultType::DateTime => "DATETIME",
        ResultType::First => first,
    };
    format!("{name}({}) -> {result}", parameters.join(", "))
}
