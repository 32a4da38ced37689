//! The functions of expressions and their signatures (companion section 4, rulings section 5).
//!
//! `write_header` is no function of expressions: it stands in INVOKE only.

mod contextual;
mod nulls;
mod numeric;
mod regexp;
mod string;

/// A function of the expression language; aliases are variants of their own, so that text survives a round trip.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(
    missing_docs,
    reason = "each is documented by the function reference under its name"
)]
pub enum Function {
    Lower,
    Upper,
    Trim,
    Btrim,
    Ltrim,
    Rtrim,
    Length,
    CharLength,
    BitLength,
    Ascii,
    Initcap,
    Left,
    Right,
    Substr,
    Substring,
    Concat,
    Repeat,
    Replace,
    Reverse,
    Lpad,
    Rpad,
    SplitPart,
    Strpos,
    Translate,
    ToHex,
    Md5,
    Contains,
    StartsWith,
    EndsWith,
    RegexpLike,
    RegexpReplace,
    RegexpSubstr,
    Abs,
    Acos,
    Asin,
    Atan,
    Ceil,
    Ceiling,
    Cos,
    Exp,
    Floor,
    Ln,
    Log,
    Pow,
    Power,
    Round,
    Sqrt,
    Tan,
    Coalesce,
    IsNull,
    Nullif,
    Now,
    UuidV4,
    UuidV7,
    LeakSensitive,
}

/// What a parameter takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parameter {
    /// STRING.
    String,
    /// I64: counts and positions.
    Count,
    /// Any integer type.
    Integer,
    /// Any integer or float type; parameters of one call may differ.
    Numeric,
    /// Any type, the same exact one for every parameter of this sort in one call.
    Same,
    /// Like `Same`, of a type that `=` compares.
    SameComparable,
    /// Any type.
    Any,
}

/// The type of the result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResultType {
    /// BOOL.
    Bool,
    /// STRING.
    String,
    /// I64.
    I64,
    /// F64.
    F64,
    /// DATETIME.
    DateTime,
    /// The type of the first argument.
    First,
}

/// When the result may be null.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nullability {
    /// When any argument may be null; a null argument makes the result null.
    Propagates,
    /// Never.
    Never,
    /// Always.
    Always,
    /// When every argument may be null.
    EveryArgument,
}

/// What a call must look like and what it gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signature {
    /// In order; a variadic function repeats the last.
    pub parameters: &'static [Parameter],
    /// How many of them a call must have.
    pub required: usize,
    /// Whether the last parameter may repeat.
    pub variadic: bool,
    /// Type of the result.
    pub result: ResultType,
    /// Nullability of the result.
    pub nullability: Nullability,
}

impl Signature {
    const fn fixed(parameters: &'static [Parameter], result: ResultType) -> Signature {
        let nullability = Nullability::Propagates;
        Signature {
            parameters,
            required: parameters.len(),
            variadic: false,
            result,
            nullability,
        }
    }

    const fn optional(self, count: usize) -> Signature {
        Signature {
            required: self.parameters.len() - count,
            ..self
        }
    }

    const fn variadic(self) -> Signature {
        Signature {
            variadic: true,
            ..self
        }
    }

    const fn nullability(self, nullability: Nullability) -> Signature {
        Signature { nullability, ..self }
    }

    /// What the argument at a position must be; `None` past the last.
    pub fn parameter(&self, index: usize) -> Option<Parameter> {
        let last = self.parameters.last().copied().filter(|_| self.variadic);
        self.parameters.get(index).copied().or(last)
    }

    /// Whether a call with so many arguments can be right.
    pub fn accepts(&self, count: usize) -> bool {
        count >= self.required && (self.variadic || count <= self.parameters.len())
    }
}

type Row = (Function, &'static str, Signature);

const TABLES: [&[Row]; 5] = [
    &string::ROWS,
    &regexp::ROWS,
    &numeric::ROWS,
    &nulls::ROWS,
    &contextual::ROWS,
];

impl Function {
    /// Every function, by family.
    pub fn all() -> impl Iterator<Item = Function> {
        TABLES
            .iter()
            .flat_map(|rows| rows.iter())
            .map(|(function, ..)| *function)
    }

    /// Finds a function by its name, in any case.
    pub fn from_name(name: &str) -> Option<Function> {
        let row = TABLES
            .iter()
            .flat_map(|rows| rows.iter())
            .find(|(_, known, _)| known.eq_ignore_ascii_case(name));
        row.map(|(function, ..)| *function)
    }

    fn row(self) -> &'static Row {
        // The tables are total; the test beside them holds that, and the first row stands in for the impossible.
        let row = TABLES
            .iter()
            .flat_map(|rows| rows.iter())
            .find(|(function, ..)| *function == self);
        row.unwrap_or(&string::ROWS[0])
    }

    /// Its name, in lower case.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// What a call of it must look like.
    pub fn signature(self) -> &'static Signature {
        &self.row().2
    }

    /// Whether a call reads the execution snapshot, so that it is no constant and has a site.
    pub fn is_volatile(self) -> bool {
        matches!(self, Function::Now | Function::UuidV4 | Function::UuidV7)
    }
}

#[cfg(test)]
mod tests;
