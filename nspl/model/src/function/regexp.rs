//! Functions of regular expressions.

use super::Function::{RegexpLike, RegexpReplace, RegexpSubstr};
use super::Parameter::String as Text;
use super::ResultType::{Bool, String};
use super::{Nullability, Row, Signature};

pub(super) const ROWS: [Row; 3] = [
    (RegexpLike, "regexp_like", Signature::fixed(&[Text, Text], Bool)),
    (
        RegexpReplace,
        "regexp_replace",
        Signature::fixed(&[Text, Text, Text], String),
    ),
    (
        RegexpSubstr,
        "regexp_substr",
        Signature::fixed(&[Text, Text], String).nullability(Nullability::Always),
    ),
];
