//! A page for each family of functions, and their index.

use nervix_expr::{Entry, EvalError, Example, Family, Sample, families, reference};
use nspl_model::{Nullability, Parameter, ResultType};

pub(crate) fn pages() -> Vec<(String, String)> {
    let mut pages: Vec<_> = families()
        .iter()
        .map(|family| (format!("{}.md", family.page), page(family)))
        .collect();
    pages.push(("README.md".to_owned(), index()));
    pages
}

fn page(family: &Family) -> String {
    let mut text = format!(
        "# {}\n\n{} [All functions](README.md).\n",
        family.title, family.about
    );
    for entry in family.entries() {
        text.push_str(&section(entry));
    }
    text
}

fn section(entry: &Entry) -> String {
    let name = entry.function.name();
    let mut text = format!(
        "\n## {name}\n\n```text\n{}\n```\n\n{} {}\n",
        signature(entry),
        entry.summary,
        nullability(entry)
    );
    let mut faults: Vec<String> = entry
        .examples
        .iter()
        .filter_map(|example| said(name, example.result))
        .collect();
    faults.dedup();
    faults.sort();
    faults.dedup();
    if !faults.is_empty() {
        text.push_str(&format!("\nErrors of the record: `{}`.\n", faults.join("`, `")));
    }
    if !entry.examples.is_empty() {
        text.push_str("\n```sql\n");
        for example in entry.examples {
            text.push_str(&line(entry, example));
        }
        text.push_str("```\n");
    }
    text
}

fn line(entry: &Entry, example: &Example) -> String {
    let name = entry.function.name();
    let args: Vec<String> = example.args.iter().map(|arg| literal(*arg)).collect();
    let result =
        said(name, example.result).map_or_else(|| literal(example.result), |fault| format!("error: {fault}"));
    format!("{:<44} -- {result}\n", format!("{name}({})", args.join(", ")))
}

/// `error.message` of a result that is none.
fn said(name: &'static str, result: Sample) -> Option<String> {
    match result {
        Sample::Fails(fault) => Some(
            EvalError {
                fault,
                operation: name,
            }
            .to_string(),
        ),
        _ => None,
    }
}

/// A value as it is written in NSPL.
fn literal(sample: Sample) -> String {
    match sample {
        Sample::Text(value) => format!("'{}'", value.replace('\'', "''")),
        Sample::I64(value) => value.to_string(),
        Sample::I8(value) => format!("{value} AS I8"),
        Sample::U64(value) => format!("{value} AS U64"),
        Sample::F64(value) if value.is_finite() => format!("{value:?}"),
        Sample::F64(value) => format!("'{value}' AS F64"),
        Sample::Bool(value) => value.to_string().to_uppercase(),
        Sample::NullText => "NULL AS STRING".into(),
        Sample::NullI64 => "NULL AS I64".into(),
        Sample::NullF64 => "NULL AS F64".into(),
        Sample::Fails(_) => panic!("a failure is written as its message"),
    }
}

fn signature(entry: &Entry) -> String {
    let signature = entry.function.signature();
    let mut parameters = String::new();
    for (index, parameter) in signature.parameters.iter().enumerate() {
        let separator = if index == 0 { "" } else { ", " };
        let one = format!("{separator}{}", word(*parameter));
        if index < signature.required {
            parameters.push_str(&one);
        } else {
            parameters.push_str(&format!("[{one}]"));
        }
    }
    if signature.variadic {
        parameters.push_str(", ...");
    }
    let result = match signature.result {
        ResultType::Bool => "BOOL",
        ResultType::String => "STRING",
        ResultType::I64 => "I64",
        ResultType::F64 => "F64",
        ResultType::DateTime => "DATETIME",
        ResultType::First => "the type of the argument",
    };
    format!("{}({parameters}) -> {result}", entry.function.name())
}

fn word(parameter: Parameter) -> &'static str {
    match parameter {
        Parameter::String => "STRING",
        Parameter::Count => "I64",
        Parameter::Integer => "integer",
        Parameter::Numeric => "number",
        Parameter::Same => "same",
        Parameter::SameComparable => "comparable",
        Parameter::Any => "any",
    }
}

fn nullability(entry: &Entry) -> &'static str {
    let signature = entry.function.signature();
    match signature.nullability {
        Nullability::Propagates if signature.parameters.is_empty() => "Never null.",
        Nullability::Propagates => "Null when an argument is null; of type OPTIONAL when one may be.",
        Nullability::Never => "Never null.",
        Nullability::Always => "Always of type OPTIONAL.",
        Nullability::EveryArgument => "Of type OPTIONAL when every argument may be null.",
    }
}

fn index() -> String {
    let mut text = String::from(
        "# Expressions\n\nFunctions are called by their names in any case. All types are exact: nothing is converted unless \
         [AS](conversions.md) says so. In the signatures `integer` stands for any of the eight integer types, `number` for \
         those and F32 and F64, `any` for any type, `same` for any type that is the same in every argument, and \
         `comparable` for such a type that `=` takes; what stands in brackets may be left out, and `...` repeats what \
         precedes it.\n\nAn error concerns its record alone: it becomes `error.message` of that record, the others go on. \
         An error of an argument counts before a null beside it. A STRING above 16 MiB is an error of the record in \
         every function. An expression of constants that always fails is refused at validation where the checker computes \
         it, and fails at every record otherwise.\n\n\
         - [Casts and JSON](conversions.md)\n- [Operators](operators.md)\n",
    );
    for family in families() {
        text.push_str(&format!("- [{}]({}.md)\n", family.title, family.page));
    }
    text.push_str("\n| function | signature |\n|---|---|\n");
    let mut entries: Vec<_> = reference().collect();
    entries.sort_by_key(|entry| entry.function.name());
    for entry in entries {
        let name = entry.function.name();
        let mine = |family: &&Family| family.entries().any(|known| known.function == entry.function);
        let page = families().iter().find(mine).unwrap().page;
        text.push_str(&format!(
            "| [{name}]({page}.md#{name}) | `{}` |\n",
            signature(entry)
        ));
    }
    text
}
