//! Functions of text.

use super::Function::{
    Ascii, BitLength, Btrim, CharLength, Concat, Contains, EndsWith, Initcap, Left, Length, Lower, Lpad,
    Ltrim, Md5, Repeat, Replace, Reverse, Right, Rpad, Rtrim, SplitPart, StartsWith, Strpos, Substr,
    Substring, ToHex, Translate, Trim, Upper,
};
use super::Parameter::{Count, Integer, String as Text};
use super::ResultType::{Bool, I64, String};
use super::{Nullability, Row, Signature};

pub(super) const ROWS: [Row; 29] = [
    (Lower, "lower", Signature::fixed(&[Text], String)),
    (Upper, "upper", Signature::fixed(&[Text], String)),
    (Trim, "trim", Signature::fixed(&[Text, Text], String).optional(1)),
    (
        Btrim,
        "btrim",
        Signature::fixed(&[Text, Text], String).optional(1),
    ),
    (
        Ltrim,
        "ltrim",
        Signature::fixed(&[Text, Text], String).optional(1),
    ),
    (
        Rtrim,
        "rtrim",
        Signature::fixed(&[Text, Text], String).optional(1),
    ),
    (Length, "length", Signature::fixed(&[Text], I64)),
    (CharLength, "char_length", Signature::fixed(&[Text], I64)),
    (BitLength, "bit_length", Signature::fixed(&[Text], I64)),
    (Ascii, "ascii", Signature::fixed(&[Text], I64)),
    (Initcap, "initcap", Signature::fixed(&[Text], String)),
    (Left, "left", Signature::fixed(&[Text, Count], String)),
    (Right, "right", Signature::fixed(&[Text, Count], String)),
    (
        Substr,
        "substr",
        Signature::fixed(&[Text, Count, Count], String).optional(1),
    ),
    (
        Substring,
        "substring",
        Signature::fixed(&[Text, Count, Count], String).optional(1),
    ),
    (
        Concat,
        "concat",
        Signature::fixed(&[Text], String)
            .variadic()
            .nullability(Nullability::Never),
    ),
    (Repeat, "repeat", Signature::fixed(&[Text, Count], String)),
    (Replace, "replace", Signature::fixed(&[Text, Text, Text], String)),
    (Reverse, "reverse", Signature::fixed(&[Text], String)),
    (
        Lpad,
        "lpad",
        Signature::fixed(&[Text, Count, Text], String).optional(1),
    ),
    (
        Rpad,
        "rpad",
        Signature::fixed(&[Text, Count, Text], String).optional(1),
    ),
    (
        SplitPart,
        "split_part",
        Signature::fixed(&[Text, Text, Count], String),
    ),
    (Strpos, "strpos", Signature::fixed(&[Text, Text], I64)),
    (
        Translate,
        "translate",
        Signature::fixed(&[Text, Text, Text], String),
    ),
    (ToHex, "to_hex", Signature::fixed(&[Integer], String)),
    (Md5, "md5", Signature::fixed(&[Text], String)),
    (Contains, "contains", Signature::fixed(&[Text, Text], Bool)),
    (StartsWith, "starts_with", Signature::fixed(&[Text, Text], Bool)),
    (EndsWith, "ends_with", Signature::fixed(&[Text, Text], Bool)),
];
