//! Functions of numbers.

use super::Function::{
    Abs, Acos, Asin, Atan, Ceil, Ceiling, Cos, Exp, Floor, Ln, Log, Pow, Power, Round, Sqrt, Tan,
};
use super::Parameter::Numeric;
use super::ResultType::{F64, First};
use super::{Row, Signature};

pub(super) const ROWS: [Row; 16] = [
    (Abs, "abs", Signature::fixed(&[Numeric], First)),
    (Acos, "acos", Signature::fixed(&[Numeric], F64)),
    (Asin, "asin", Signature::fixed(&[Numeric], F64)),
    (Atan, "atan", Signature::fixed(&[Numeric], F64)),
    (Ceil, "ceil", Signature::fixed(&[Numeric], First)),
    (Ceiling, "ceiling", Signature::fixed(&[Numeric], First)),
    (Cos, "cos", Signature::fixed(&[Numeric], F64)),
    (Exp, "exp", Signature::fixed(&[Numeric], F64)),
    (Floor, "floor", Signature::fixed(&[Numeric], First)),
    (Ln, "ln", Signature::fixed(&[Numeric], F64)),
    (Log, "log", Signature::fixed(&[Numeric, Numeric], F64).optional(1)),
    (Pow, "pow", Signature::fixed(&[Numeric, Numeric], F64)),
    (Power, "power", Signature::fixed(&[Numeric, Numeric], F64)),
    (Round, "round", Signature::fixed(&[Numeric], First)),
    (Sqrt, "sqrt", Signature::fixed(&[Numeric], F64)),
    (Tan, "tan", Signature::fixed(&[Numeric], F64)),
];
