//! Functions that look at nulls.

use super::Function::{Coalesce, IsNull, Nullif};
use super::Parameter::{Any, Same, SameComparable};
use super::ResultType::{Bool, First};
use super::{Nullability, Row, Signature};

pub(super) const ROWS: [Row; 3] = [
    (
        Coalesce,
        "coalesce",
        Signature::fixed(&[Same], First)
            .variadic()
            .nullability(Nullability::EveryArgument),
    ),
    (
        IsNull,
        "is_null",
        Signature::fixed(&[Any], Bool).nullability(Nullability::Never),
    ),
    (
        Nullif,
        "nullif",
        Signature::fixed(&[SameComparable, SameComparable], First).nullability(Nullability::Always),
    ),
];
