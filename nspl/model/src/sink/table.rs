//! Names of tables in SQL databases (rulings section 9 "Postgres"): a dot separates schema and table, and a part in
//! double quotes may hold a dot.

use std::fmt;

/// `table`, `schema.table`, or either with quoted parts; every part is the name itself, without quotes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableName {
    /// The schema (the database, in MySQL and ClickHouse); `None`: that of the connection.
    pub schema: Option<String>,
    /// The table.
    pub table: String,
}

impl TableName {
    /// Reads a name. A doubled quote inside of a quoted part is one quote.
    ///
    /// # Errors
    /// Says what is no name of a table: an empty part, more than two of them, a stray quote, a control character.
    pub fn parse(text: &str) -> Result<TableName, String> {
        if text.contains(char::is_control) {
            return Err("a table's name holds no control characters".into());
        }
        let mut parts = Vec::new();
        let mut rest = text;
        loop {
            let (part, behind) = part(rest)?;
            parts.push(part);
            match behind {
                Some(behind) => rest = behind,
                None => break,
            }
        }
        match <[String; 1]>::try_from(parts) {
            Ok([table]) => Ok(TableName { schema: None, table }),
            Err(parts) => match <[String; 2]>::try_from(parts) {
                Ok([schema, table]) => Ok(TableName {
                    schema: Some(schema),
                    table,
                }),
                Err(_) => Err("a table's name has at most two parts, schema.table".into()),
            },
        }
    }
}

impl TableName {
    /// Schema and table, as far as they are named.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.schema
            .as_deref()
            .into_iter()
            .chain(std::iter::once(self.table.as_str()))
    }
}

/// The first part, and what stands behind its dot.
fn part(text: &str) -> Result<(String, Option<&str>), String> {
    let (part, rest) = match text.strip_prefix('"') {
        Some(quoted) => quoted_part(quoted)?,
        None => {
            let end = text.find('.').unwrap_or(text.len());
            let (part, rest) = text.split_at(end);
            if part.contains('"') {
                return Err("a double quote begins or ends a whole part of a table's name".into());
            }
            (part.to_owned(), rest)
        }
    };
    if part.is_empty() {
        return Err("a part of the table's name is empty".into());
    }
    Ok((part, rest.strip_prefix('.')))
}

/// What stands up to the closing quote, and the text behind that.
fn quoted_part(quoted: &str) -> Result<(String, &str), String> {
    let mut part = String::new();
    let mut rest = quoted;
    loop {
        let Some((before, behind)) = rest.split_once('"') else {
            return Err("a double quote of the table's name is not closed".into());
        };
        part.push_str(before);
        match behind.strip_prefix('"') {
            Some(more) => {
                part.push('"');
                rest = more;
            }
            None if behind.is_empty() || behind.starts_with('.') => return Ok((part, behind)),
            None => return Err("a double quote begins or ends a whole part of a table's name".into()),
        }
    }
}

/// As [`TableName::parse`] reads it.
impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |part: &str| match part.contains(['.', '"']) {
            true => format!("\"{}\"", part.replace('"', "\"\"")),
            false => part.to_owned(),
        };
        if let Some(schema) = &self.schema {
            write!(f, "{}.", shown(schema))?;
        }
        f.write_str(&shown(&self.table))
    }
}

#[cfg(test)]
mod tests {
    use super::TableName;

    fn read(text: &str) -> (Option<String>, String) {
        let name = TableName::parse(text).unwrap();
        assert_eq!(TableName::parse(&name.to_string()).as_ref(), Ok(&name), "{text}");
        (name.schema, name.table)
    }

    #[test]
    fn a_dot_separates_schema_and_table_unless_it_is_quoted() {
        assert_eq!(read("orders"), (None, "orders".into()));
        assert_eq!(read("shop.orders"), (Some("shop".into()), "orders".into()));
        assert_eq!(read("\"a.b\""), (None, "a.b".into()));
        assert_eq!(read("\"a.b\".c"), (Some("a.b".into()), "c".into()));
        assert_eq!(read("a.\"b\"\".c\""), (Some("a".into()), "b\".c".into()));
        assert_eq!(read("my table"), (None, "my table".into()));
    }

    #[test]
    fn what_names_no_table_is_refused() {
        for text in [
            "", ".", "a.", ".a", "a..b", "a.b.c", "\"\"", "\"a", "a\"b\"", "\"a\"b", "a\0", "a.\"\"",
        ] {
            assert!(TableName::parse(text).is_err(), "{text:?}");
        }
    }
}
