//! SQLSTATE: whose fault an error of the server is (rulings section 9, SQLSTATE).
//!
//! One total table, by class: what is not in it is a class that Postgres does not define, which a user's function raised about
//! a record.

/// Whose fault it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Blame {
    /// The row's; of a write of several rows, one of them.
    Row,
    /// The row's when it was written alone; of several rows it says that it may be (an index row that is too large).
    RowAlone,
    /// Not a row's: the connection, the server, its tables or its operator.
    Server,
}

/// What Postgres calls the class, and whose fault its errors are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Class {
    /// The heading of the class in Postgres's list of error codes.
    pub(crate) name: &'static str,
    pub(crate) blame: Blame,
}

/// The class of a code.
pub(crate) fn class(code: &str) -> Class {
    let class = |name, blame| Class { name, blame };
    match code.get(..2).unwrap_or(code) {
        "00" => class("successful completion", Blame::Server),
        "01" => class("warning", Blame::Server),
        "02" => class("no data", Blame::Server),
        "03" => class("SQL statement not yet complete", Blame::Server),
        "08" => class("connection exception", Blame::Server),
        "09" => class("triggered action exception", Blame::Row),
        "0A" => class("feature not supported", Blame::Server),
        "0B" => class("invalid transaction initiation", Blame::Server),
        "0F" => class("locator exception", Blame::Server),
        "0L" => class("invalid grantor", Blame::Server),
        "0P" => class("invalid role specification", Blame::Server),
        "0Z" => class("diagnostics exception", Blame::Server),
        "10" => class("XQuery error", Blame::Server),
        "20" => class("case not found", Blame::Server),
        "21" => class("cardinality violation", Blame::Row),
        "22" => class("data exception", Blame::Row),
        "23" => class("integrity constraint violation", Blame::Row),
        "24" => class("invalid cursor state", Blame::Server),
        "25" => class("invalid transaction state", Blame::Server),
        "26" => class("invalid SQL statement name", Blame::Server),
        "27" => class("triggered data change violation", Blame::Server),
        "28" => class("invalid authorization specification", Blame::Server),
        "2B" => class("dependent privilege descriptors still exist", Blame::Server),
        "2D" => class("invalid transaction termination", Blame::Server),
        "2F" => class("SQL routine exception", Blame::Row),
        "34" => class("invalid cursor name", Blame::Server),
        "38" => class("external routine exception", Blame::Row),
        "39" => class("external routine invocation exception", Blame::Row),
        "3B" => class("savepoint exception", Blame::Server),
        "3D" => class("invalid catalog name", Blame::Server),
        "3F" => class("invalid schema name", Blame::Server),
        "40" => class("transaction rollback", Blame::Server),
        "42" => class("syntax error or access rule violation", Blame::Server),
        "44" => class("WITH CHECK OPTION violation", Blame::Row),
        "53" => class("insufficient resources", Blame::Server),
        "54" => class("program limit exceeded", Blame::RowAlone),
        "55" => class("object not in prerequisite state", Blame::Server),
        "57" => class("operator intervention", Blame::Server),
        "58" => class("system error", Blame::Server),
        "72" => class("snapshot failure", Blame::Server),
        "F0" => class("configuration file error", Blame::Server),
        "HV" => class("foreign data wrapper error", Blame::Server),
        "P0" => class("PL/pgSQL error", Blame::Row),
        "XX" => class("internal error", Blame::Server),
        _ => class("an error of a function of the database", Blame::Row),
    }
}

#[cfg(test)]
mod tests {
    use super::{Blame, class};

    /// Every class of Postgres's list of error codes.
    const DEFINED: [&str; 44] = [
        "00", "01", "02", "03", "08", "09", "0A", "0B", "0F", "0L", "0P", "0Z", "10", "20", "21", "22", "23",
        "24", "25", "26", "27", "28", "2B", "2D", "2F", "34", "38", "39", "3B", "3D", "3F", "40", "42", "44",
        "53", "54", "55", "57", "58", "72", "F0", "HV", "P0", "XX",
    ];

    #[test]
    fn every_class_has_its_blame() {
        let rows = ["09", "21", "22", "23", "2F", "38", "39", "44", "P0"];
        let digits = || ('0'..='9').chain('A'..='Z');
        for code in digits().flat_map(|first| digits().map(move |second| format!("{first}{second}000"))) {
            let of = code.get(..2).expect("five characters");
            let expected = match of {
                "54" => Blame::RowAlone,
                _ if rows.contains(&of) || !DEFINED.contains(&of) => Blame::Row,
                _ => Blame::Server,
            };
            assert_eq!(class(&code).blame, expected, "{code}");
        }
    }

    #[test]
    fn codes_that_are_met_have_the_outcome_that_is_meant() {
        let met = [
            ("21000", Blame::Row),
            ("22001", Blame::Row),
            ("22003", Blame::Row),
            ("22021", Blame::Row),
            ("22P02", Blame::Row),
            ("23502", Blame::Row),
            ("23503", Blame::Row),
            ("23505", Blame::Row),
            ("23514", Blame::Row),
            ("25006", Blame::Server),
            ("28P01", Blame::Server),
            ("3D000", Blame::Server),
            ("40001", Blame::Server),
            ("40P01", Blame::Server),
            ("42501", Blame::Server),
            ("42703", Blame::Server),
            ("42P01", Blame::Server),
            ("428C9", Blame::Server),
            ("44000", Blame::Row),
            ("53100", Blame::Server),
            ("53300", Blame::Server),
            ("54000", Blame::RowAlone),
            ("57014", Blame::Server),
            ("57P01", Blame::Server),
            ("P0001", Blame::Row),
            ("U0001", Blame::Row),
            ("XX000", Blame::Server),
        ];
        for (code, blame) in met {
            assert_eq!(class(code).blame, blame, "{code}");
        }
    }
}
