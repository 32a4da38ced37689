//! Names of tables, columns and fields as databases read them: what can never be written, and what a person who wrote
//! it may not have meant.

/// How a database reads names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IdentifierForm {
    /// As they are.
    Text,
    /// Postgres, which cuts long ones.
    Postgres,
    /// MySQL and MariaDB, which refuse long ones.
    MySql,
    /// Fields of MongoDB, where dots and dollars mean something to queries and updates.
    MongoDb,
}

/// What Postgres keeps of a name, in bytes (NAMEDATALEN less one).
const POSTGRES_BYTES_MAX: usize = 63;

/// The most columns of a table of Postgres.
const POSTGRES_COLUMNS_MAX: usize = 1_600;

/// The most characters of a name of MySQL.
const MYSQL_CHARS_MAX: usize = 64;

/// The most columns of a table of MySQL; it is below the 65,535 placeholders of one statement.
const MYSQL_COLUMNS_MAX: usize = 4_096;

impl IdentifierForm {
    /// Why the database can have nothing of this name.
    pub fn fault(self, name: &str) -> Option<String> {
        let why = match self {
            IdentifierForm::MySql if name.chars().count() > MYSQL_CHARS_MAX => {
                return Some(format!(
                    "a name of MySQL has at most {MYSQL_CHARS_MAX} characters"
                ));
            }
            IdentifierForm::MySql if name.ends_with(' ') => "a name of MySQL does not end with a blank",
            IdentifierForm::MySql if name.chars().any(|c| u32::from(c) > 0xFFFF) => {
                "a name of MySQL holds no character past U+FFFF"
            }
            _ => return None,
        };
        Some(why.into())
    }

    /// Why a write with ON CONFLICT, which is an update, can have no field of this name.
    pub fn update_fault(self, name: &str) -> Option<&'static str> {
        if self != IdentifierForm::MongoDb {
            return None;
        }
        let mut steps = name.split('.');
        steps
            .clone()
            .any(str::is_empty)
            .then_some(
                "a write with ON CONFLICT reads a dot as a step into a document, and every step has a name",
            )
            .or_else(|| {
                steps
                    .any(|step| step.starts_with('$'))
                    .then_some("a write with ON CONFLICT takes what begins with $ for an operator")
            })
    }

    /// What the database makes of the name that may surprise.
    pub fn caution(self, name: &str) -> Option<String> {
        let why = match self {
            IdentifierForm::Postgres if self.as_read(name) != name => {
                return Some(format!(
                    "Postgres keeps the first {POSTGRES_BYTES_MAX} bytes of it"
                ));
            }
            IdentifierForm::MongoDb if name.starts_with('$') => {
                "servers before 5.0 refuse a field that begins with $, and later ones query it through $getField alone"
            }
            IdentifierForm::MongoDb if name.contains('.') => {
                "MongoDB reads a dot as a step into a document wherever a query or an update names the field"
            }
            _ => return None,
        };
        Some(why.into())
    }

    /// What the database keeps of a name.
    pub fn as_read(self, name: &str) -> &str {
        if self != IdentifierForm::Postgres {
            return name;
        }
        let end = (0..=POSTGRES_BYTES_MAX.min(name.len()))
            .rev()
            .find(|end| name.is_char_boundary(*end));
        end.and_then(|end| name.get(..end)).unwrap_or(name)
    }

    /// The most columns that one row can have.
    pub fn columns_max(self) -> Option<usize> {
        match self {
            IdentifierForm::Postgres => Some(POSTGRES_COLUMNS_MAX),
            IdentifierForm::MySql => Some(MYSQL_COLUMNS_MAX),
            IdentifierForm::Text | IdentifierForm::MongoDb => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::IdentifierForm::{MongoDb, MySql, Postgres, Text};

    #[test]
    fn postgres_keeps_whole_characters_of_63_bytes() {
        let fits = "a".repeat(63);
        assert_eq!(Postgres.as_read(&fits), fits);
        assert_eq!(Postgres.caution(&fits), None);
        assert_eq!(Postgres.as_read(&format!("{fits}b")), fits);
        let wide = "é".repeat(32);
        assert_eq!(Postgres.as_read(&wide), "é".repeat(31));
        assert!(Postgres.caution(&wide).is_some() && Postgres.fault(&wide).is_none());
        assert_eq!(Text.as_read(&wide), wide);
    }

    #[test]
    fn mysql_refuses_what_is_longer_than_64_characters() {
        assert_eq!(MySql.fault(&"é".repeat(64)), None);
        for name in ["é".repeat(65), "a ".into(), "🦀".into()] {
            assert!(MySql.fault(&name).is_some(), "{name}");
        }
    }

    #[test]
    fn mongodb_minds_dots_and_dollars_and_updates_mind_them_more() {
        assert_eq!((MongoDb.caution("a"), MongoDb.update_fault("a")), (None, None));
        assert_eq!(MongoDb.update_fault("a.b"), None);
        for name in ["$a", ".a", "a.", "a..b", "a.$b"] {
            assert!(MongoDb.caution(name).is_some(), "{name}");
            assert!(MongoDb.update_fault(name).is_some(), "{name}");
        }
        assert!(MongoDb.caution("a.b").is_some());
        assert_eq!(Postgres.update_fault("$a"), None);
    }
}
