//! Functions by their rulings: what each makes of constants.

use nspl_model::{Function, Literal};

use super::call;

/// Texts and I64 as they are written; other types by their variant.
trait Arg {
    fn literal(self) -> Literal;
}

impl Arg for &str {
    fn literal(self) -> Literal {
        Literal::String(self.into())
    }
}

impl Arg for i64 {
    fn literal(self) -> Literal {
        Literal::I64(self)
    }
}

impl Arg for Literal {
    fn literal(self) -> Literal {
        self
    }
}

impl Arg for bool {
    fn literal(self) -> Literal {
        Literal::Bool(self)
    }
}

fn value(function: Function, args: &[Literal]) -> Result<Option<Literal>, String> {
    call(function, &args.iter().collect::<Vec<_>>())
}

macro_rules! gives {
    ($($function:ident($($arg:expr),*) = $wanted:expr;)*) => {$(
        assert!(
            value(Function::$function, &[$(Arg::literal($arg)),*]) == Ok(Some(Arg::literal($wanted))),
            "{}", stringify!($function($($arg),*) = $wanted)
        );
    )*};
}

macro_rules! fails {
    ($($function:ident($($arg:expr),*);)*) => {$(
        assert!(
            value(Function::$function, &[$(Arg::literal($arg)),*]).is_err(),
            "{}", stringify!($function($($arg),*))
        );
    )*};
}

#[test]
fn parts_of_a_text_are_counted_in_characters_from_1() {
    gives! {
        Left("a€🦀d", 3) = "a€🦀";
        Left("ab", 9) = "ab";
        Right("a€🦀d", 2) = "🦀d";
        Right("ab", 0) = "";
        Substr("a€🦀d", 2) = "€🦀d";
        Substring("a€🦀d", 2, 2) = "€🦀";
        Substr("hello", -1, 4) = "he";
        Substr("hello", 0) = "hello";
        Substr("hello", 9) = "";
        Substr("hello", 2, i64::MAX) = "ello";
        Substr("hello", i64::MIN, i64::MAX) = "";
        SplitPart("a,b,c", ",", 2) = "b";
        SplitPart("a,b,c", ",", -1) = "c";
        SplitPart("a,b,c", ",", -3) = "a";
        SplitPart("a,b,c", ",", -4) = "";
        SplitPart("a,b,c", ",", 9) = "";
        SplitPart("a,b,c", "", 1) = "a,b,c";
        SplitPart("a,b,c", "", -1) = "a,b,c";
        SplitPart("a,b,c", "", 2) = "";
        SplitPart("aaa", "aa", -1) = "a";
        SplitPart("a,b", ",", i64::MIN) = "";
        Strpos("a€🦀", "🦀") = 3;
        Strpos("abc", "") = 1;
        Strpos("abc", "x") = 0;
        Trim("\t a ") = "\t a";
        Btrim("xyaxy", "yx") = "a";
        Ltrim("xyaxy", "yx") = "axy";
        Rtrim("€a€", "€") = "€a";
        Trim(" a ", "") = " a ";
    }
    fails! {
        Left("ab", -1);
        Right("ab", -1);
        Substr("hello", 1, -1);
        SplitPart("a", ",", 0);
    }
}

#[test]
fn texts_change_by_the_mapping_of_unicode_and_grow_within_bounds() {
    gives! {
        Upper("straße") = "STRASSE";
        Lower("ÀB1") = "àb1";
        Initcap("hELLO wORLD-1a élan") = "Hello World-1a Élan";
        Reverse("a€🦀") = "🦀€a";
        Replace("aaa", "aa", "b") = "ba";
        Replace("abc", "", "x") = "abc";
        Translate("12345", "143", "ax") = "a2x5";
        Translate("abc", "aa", "xy") = "xbc";
        Concat("a", "b", "🦀") = "ab🦀";
        Repeat("ab", 3) = "ababab";
        Repeat("", i64::MAX) = "";
        Lpad("7", 3, "0") = "007";
        Lpad("€", 4, "🦀x") = "🦀x🦀€";
        Lpad("abcd", 2) = "ab";
        Lpad("ab", 5, "") = "ab";
        Rpad("ab", 4) = "ab  ";
        Rpad("7", 4, "xy") = "7xyx";
    }
    fails! {
        Repeat("x", (1 << 20) + 1);
        Repeat("x", -1);
        Lpad("ab", i64::MAX);
        Rpad("ab", -1);
        Replace(&*"x".repeat(256 << 10), "x", &*"y".repeat(65));
    }
    assert!(value(Function::Repeat, &["x".literal(), (1 << 20).literal()]) == Ok(None));
}

#[test]
fn texts_are_looked_at_in_characters_and_bits() {
    gives! {
        Length("€🦀") = 2;
        CharLength("") = 0;
        BitLength("🦀") = 32;
        Ascii("€") = 0x20AC;
        Ascii("") = 0;
        Contains("a%c", "%") = true;
        StartsWith("abc", "b") = false;
        EndsWith("a€", "€") = true;
        Md5("abc") = "900150983cd24fb0d6963f7d28e17f72";
        ToHex(255) = "ff";
        ToHex(Literal::I8(-1)) = "ff";
        ToHex(Literal::U64(u64::MAX)) = "ffffffffffffffff";
    }
}

#[test]
fn patterns_have_the_syntax_of_the_crate_and_so_have_replacements() {
    gives! {
        RegexpLike("order-42", "[0-9]+$") = true;
        RegexpLike("a\nb", "a.b") = false;
        RegexpSubstr("order-42-7", "[0-9]+") = "42";
        RegexpSubstr("abc", "[0-9]+") = Literal::Null;
        RegexpReplace("a1b22", "[0-9]+", "<$0>") = "a<1>b<22>";
        RegexpReplace("k=v", "(?P<k>\\w)=(\\w)", "$2=${k}$$") = "v=k$";
        RegexpReplace("baac", "a*", "-") = "-b-c-";
        RegexpReplace("abc", "b", "$9") = "ac";
    }
    fails! { RegexpLike("a", "("); }
}

#[test]
fn numbers_fail_outside_of_the_domain_at_poles_and_past_the_range() {
    let float = Literal::F64;
    gives! {
        Abs(Literal::I8(-5)) = Literal::I8(5);
        Round(float(2.5)) = float(3.0);
        Round(Literal::F32(-2.5)) = Literal::F32(-3.0);
        Ceil(float(-1.2)) = float(-1.0);
        Floor(7) = 7;
        Log(1000) = float(3.0);
        Log(2, 8) = float(3.0);
        Pow(1, float(f64::NAN)) = float(1.0);
        Power(float(f64::NAN), 0) = float(1.0);
        Exp(-800) = float(0.0);
        Pow(float(-1e-200), 3) = float(-0.0);
        Exp(float(f64::INFINITY)) = float(f64::INFINITY);
    }
    fails! {
        Abs(Literal::I8(i8::MIN));
        Ln(0);
        Sqrt(-1);
        Acos(2);
        Log(1, 5);
        Log(-2, 8);
        Pow(0, -1);
        Pow(float(-8.0), float(0.5));
        Exp(710);
        Cos(float(f64::INFINITY));
    }
    let nan = value(Function::Log, &[float(f64::NAN), Literal::I64(-1)]);
    assert!(matches!(nan, Ok(Some(Literal::F64(value))) if value.is_nan()));
}
