//! Expressions in both languages.

use arrow::datatypes::DataType;
use datafusion_expr::{Expr, cast, col, lit, when};
use datafusion_functions::{regex, string, unicode};

/// An expression in NSPL and in DataFusion's builder.
pub(crate) struct Case {
    /// In NSPL.
    pub(crate) text: &'static str,
    /// Its type there.
    pub(crate) data_type: &'static str,
    /// In DataFusion.
    pub(crate) expr: fn() -> Expr,
    /// What DataFusion does beside it.
    pub(crate) theirs: Theirs,
}

/// Whether DataFusion's side does the same work.
#[derive(Clone, Copy)]
pub(crate) enum Theirs {
    /// As it stands.
    Same,
    /// It does not: its sums wrap, and its texts are taken for texts unseen, which needs unsafe code.
    DoesLess,
    /// Made to fail where the result is past the range, which is a setting of its operators.
    FailsPastTheRange,
    /// Made to look whether its bytes and offsets are text, as safe code has to.
    LooksAtItsText,
}

impl Theirs {
    /// What the table says of it.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Same => "",
            Self::DoesLess => ", DataFusion does less",
            Self::FailsPastTheRange => ", an overflow fails on both sides",
            Self::LooksAtItsText => ", text is looked at on both sides",
        }
    }
}

const fn case(text: &'static str, data_type: &'static str, expr: fn() -> Expr) -> Case {
    Case {
        text,
        data_type,
        expr,
        theirs: Theirs::Same,
    }
}

const fn beside(theirs: Theirs, case: Case) -> Case {
    Case { theirs, ..case }
}

const SUM: Case = case("o + n", "I64 OPTIONAL", || col("o") + col("n"));
const LOWER: Case = case("lower(t)", "STRING", || string::expr_fn::lower(col("t")));

/// Those of which DataFusion does less, with DataFusion made to do the same.
pub(crate) const ALIKE: [Case; 2] = [
    beside(Theirs::FailsPastTheRange, SUM),
    beside(Theirs::LooksAtItsText, LOWER),
];

/// What is compared: comparison, logic, arithmetic, conversion, choice, text, patterns.
pub(crate) const CASES: [Case; 18] = [
    case("n > 500000", "BOOL", || col("n").gt(lit(500_000_i64))),
    case("n > 500000 AND x < 0.5", "BOOL", || {
        col("n").gt(lit(500_000_i64)).and(col("x").lt(lit(0.5)))
    }),
    case("t = 'Name-77'", "BOOL", || col("t").eq(lit("Name-77"))),
    case("n * 3 + n", "I64", || col("n") * lit(3_i64) + col("n")),
    beside(Theirs::DoesLess, SUM),
    case("x * 2.5 - x", "F64", || col("x") * lit(2.5) - col("x")),
    case("n AS STRING", "STRING", || cast(col("n"), DataType::Utf8)),
    case("n AS I32", "I32", || cast(col("n"), DataType::Int32)),
    case("IF x < 0.5 THEN n ELSE 0 END", "I64", || {
        either(col("x").lt(lit(0.5)), col("n"), lit(0_i64))
    }),
    case("coalesce(o, n)", "I64", || {
        // What DataFusion makes of coalesce before it runs it.
        either(col("o").is_not_null(), col("o"), col("n"))
    }),
    beside(Theirs::DoesLess, LOWER),
    case("contains(t, '77')", "BOOL", || {
        string::expr_fn::contains(col("t"), lit("77"))
    }),
    case("substr(t, 6, 2)", "STRING", || {
        unicode::expr_fn::substring(col("t"), lit(6_i64), lit(2_i64))
    }),
    case("concat(t, '-', t)", "STRING", || {
        string::expr_fn::concat(vec![col("t"), lit("-"), col("t")])
    }),
    case("replace(t, 'Name', 'N')", "STRING", || {
        string::expr_fn::replace(col("t"), lit("Name"), lit("N"))
    }),
    case("length(t)", "I64", || {
        unicode::expr_fn::character_length(col("t"))
    }),
    case("regexp_like(t, '^N.*-7+$')", "BOOL", || {
        regex::expr_fn::regexp_like(col("t"), lit("^N.*-7+$"), None)
    }),
    case("regexp_replace(t, '([0-9])([0-9]+)$', '$2')", "STRING", || {
        regex::expr_fn::regexp_replace(col("t"), lit("([0-9])([0-9]+)$"), lit("$2"), None)
    }),
];

fn either(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    match when(condition, then).otherwise(otherwise) {
        Ok(expr) => expr,
        Err(error) => panic!("an arm and an ELSE make a CASE: {error}"),
    }
}
