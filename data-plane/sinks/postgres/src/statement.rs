//! The text of an insert: `INSERT INTO t (...) SELECT ... FROM unnest(...) WHERE ... [ON CONFLICT ...]`, and of the question
//! for the columns' types.
//!
//! Invariant: an insert writes only into columns that are still those that the question was about. Of others the server would
//! take many by a cast of its own, which loses what text would have kept.

use nspl_model::{Conflict, ConflictAction, PostgresSinkDef, Schema, TableName};

use crate::bind::Binding;

/// A name in double quotes.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn table(name: &TableName) -> String {
    let parts: Vec<String> = name.parts().map(quoted).collect();
    parts.join(".")
}

fn columns(schema: &Schema) -> impl Iterator<Item = String> {
    schema.fields.iter().map(|field| quoted(&field.name))
}

/// A text as a value, whatever the server's settings.
fn literal(text: &str) -> String {
    format!("E'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
}

/// Asks for the columns that are written and for no row. The server reads the names as it will read them in the insert.
pub(crate) fn question(def: &PostgresSinkDef, schema: &Schema) -> String {
    let columns: Vec<String> = columns(schema).collect();
    format!("SELECT {} FROM {} LIMIT 0", columns.join(", "), table(&def.table))
}

/// Asks for the text that stands for the types of the table's columns.
pub(crate) fn types_question(def: &PostgresSinkDef) -> String {
    format!("SELECT {}", types(def))
}

/// The types of the table's columns with their modifiers, as the catalog numbers them: a domain is another one than its base
/// type. In the order of the columns' names, which an insert goes by.
fn types(def: &PostgresSinkDef) -> String {
    format!(
        "(SELECT string_agg(concat_ws(' ', atttypid, atttypmod), ',' ORDER BY attname) FROM pg_attribute \
         WHERE attrelid = {}::regclass AND attnum > 0)",
        literal(&table(&def.table))
    )
}

/// A condition that holds while the columns have the types `known`, and is refused as a relation that does not exist (42P01)
/// when they have others: no row is at fault then.
fn unchanged(def: &PostgresSinkDef, known: &str) -> String {
    format!(
        "CAST(CASE {} WHEN {} THEN NULL ELSE 'columns of other types' END AS regclass) IS NULL",
        types(def),
        literal(known)
    )
}

/// Inserts the elements of one array for each column; `bindings` are those of the fields of `schema`, for columns that have
/// the types `known`.
pub(crate) fn insert(def: &PostgresSinkDef, schema: &Schema, known: &str, bindings: &[Binding]) -> String {
    let columns: Vec<String> = columns(schema).collect();
    let numbered = || bindings.iter().enumerate();
    let values = numbered().map(|(index, binding)| match binding.cast() {
        Some(cast) => format!("CAST(u.c{index} AS {cast})"),
        None => format!("u.c{index}"),
    });
    let arrays = numbered().map(|(index, binding)| format!("${}::{}", index + 1, binding.array_name()));
    let names = numbered().map(|(index, _)| format!("c{index}"));
    let mut text = format!(
        "INSERT INTO {} ({}) SELECT {} FROM unnest({}) AS u({}) WHERE {}",
        table(&def.table),
        columns.join(", "),
        joined(values),
        joined(arrays),
        joined(names),
        unchanged(def, known),
    );
    if let Some(conflict) = &def.conflict {
        text.push_str(&on_conflict(conflict, &columns));
    }
    text
}

fn on_conflict(conflict: &Conflict, columns: &[String]) -> String {
    let targets = conflict.targets.iter().filter_map(|target| columns.get(*target));
    let targets = joined(targets.cloned());
    let targets = match targets.as_str() {
        "" => String::new(),
        targets => format!(" ({targets})"),
    };
    match conflict.action {
        ConflictAction::Nothing => format!(" ON CONFLICT{targets} DO NOTHING"),
        ConflictAction::Update => {
            let others = columns.iter().enumerate();
            let others = others.filter(|(index, _)| !conflict.targets.contains(index));
            let updates = joined(others.map(|(_, column)| format!("{column} = EXCLUDED.{column}")));
            format!(" ON CONFLICT{targets} DO UPDATE SET {updates}")
        }
    }
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    let parts: Vec<String> = parts.collect();
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::datatypes::DataType as ArrowType;
    use nspl_model::{
        ClientDef, ClientKind, Conflict, ConflictAction, DataType, Field, PostgresSinkDef, Schema, TableName,
    };
    use tokio_postgres::types::Type;

    use super::{insert, question};
    use crate::bind::Binding;

    fn schema() -> Schema {
        let field = |name: &str, data_type| Field {
            name: name.to_owned(),
            data_type,
            optional: false,
            sensitive: false,
        };
        Schema {
            name: "t".to_owned(),
            fields: vec![field("id", DataType::I64), field("a\"b", DataType::String)],
        }
    }

    fn def(conflict: Option<Conflict>) -> PostgresSinkDef {
        let client = ClientDef {
            name: "pg".to_owned(),
            kind: ClientKind::Postgres,
            pool: Some((0, 1)),
            mount: None,
            config: Vec::new(),
        };
        PostgresSinkDef {
            client: Arc::new(client),
            table: TableName::parse("shop.my \"t").unwrap_or(TableName {
                schema: Some("shop".to_owned()),
                table: "my \"t".to_owned(),
            }),
            conflict,
        }
    }

    fn text(conflict: Option<Conflict>) -> String {
        let bindings = [
            Binding::of(&ArrowType::Int64, &Type::INT4, -1),
            Binding::of(&ArrowType::Utf8, &Type::JSONB, -1),
        ];
        insert(&def(conflict), &schema(), "20 -1", &bindings)
    }

    #[test]
    fn names_are_quoted_and_what_is_text_is_cast() {
        let plain = "INSERT INTO \"shop\".\"my \"\"t\" (\"id\", \"a\"\"b\") SELECT u.c0, CAST(u.c1 AS \"pg_catalog\".\"jsonb\") \
                     FROM unnest($1::int8[], $2::text[]) AS u(c0, c1) WHERE CAST(CASE (SELECT string_agg(concat_ws(' ', \
                     atttypid, atttypmod), ',' ORDER BY attname) FROM pg_attribute WHERE attrelid = E'\"shop\".\"my \
                     \"\"t\"'::regclass AND attnum > 0) WHEN E'20 -1' THEN NULL ELSE 'columns of other types' END AS \
                     regclass) IS NULL";
        assert_eq!(text(None), plain);
        assert_eq!(
            question(&def(None), &schema()),
            "SELECT \"id\", \"a\"\"b\" FROM \"shop\".\"my \"\"t\" LIMIT 0"
        );
    }

    #[test]
    fn a_literal_is_the_text_whatever_is_in_it() {
        assert_eq!(super::literal("a'b\\c\"d"), "E'a''b\\\\c\"d'");
    }

    #[test]
    fn a_conflict_policy_updates_all_but_its_target() {
        let end = |targets: &[usize], action| {
            let text = text(Some(Conflict {
                targets: targets.to_vec(),
                action,
            }));
            text.split_once("IS NULL").map(|(_, end)| end.to_owned())
        };
        assert_eq!(
            end(&[0], ConflictAction::Update).as_deref(),
            Some(" ON CONFLICT (\"id\") DO UPDATE SET \"a\"\"b\" = EXCLUDED.\"a\"\"b\"")
        );
        assert_eq!(
            end(&[1, 0], ConflictAction::Nothing).as_deref(),
            Some(" ON CONFLICT (\"a\"\"b\", \"id\") DO NOTHING")
        );
        assert_eq!(
            end(&[], ConflictAction::Nothing).as_deref(),
            Some(" ON CONFLICT DO NOTHING")
        );
    }
}
