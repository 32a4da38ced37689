//! Cases of typing beyond the examples of the rules: what an expression becomes, and which code refuses it.

use nspl_model::{DataType, Field, Schema};
use nspl_syntax::Statement;
use nspl_syntax::entity::Entity;

use super::{Environment, NO_STATES, Output, Place, Record, Typed, Typer};
use crate::constant::pattern::Patterns;
use crate::{Diagnostic, Severity};

fn schema() -> Schema {
    let field = |name: &str, data_type: DataType, optional| Field {
        name: name.into(),
        sensitive: name == "secret",
        data_type,
        optional,
    };
    Schema {
        name: "s".into(),
        fields: vec![
            field("i8", DataType::I8, false),
            field("u8", DataType::U8, false),
            field("i64", DataType::I64, false),
            field("f32", DataType::F32, false),
            field("f64", DataType::F64, true),
            field("text", DataType::String, false),
            field("maybe", DataType::String, true),
            field("flag", DataType::Bool, false),
            field("at", DataType::DateTime, false),
            field("octets", DataType::Bytes, false),
            field("list", DataType::Vec(Box::new(DataType::I8)), false),
            field("pair", DataType::Array(Box::new(DataType::F32), vec![2]), false),
            field("secret", DataType::String, false),
        ],
    }
}

/// Types an expression for a target; the emitter around it is only the way to its tree.
fn judge(text: &str, of: &DataType) -> (Option<Typed>, Vec<Diagnostic>) {
    let statement = format!(
        "CREATE EMITTER e FROM r WHERE {text} TO CLIENT SCHEMA s MODE ACK SEQUENTIAL ACK TIMEOUT 1s \
         RETRY POLICY BACKOFF 1s MAX 1s BATCH MAX MESSAGES 1 MAX SIZE 1B FLUSH IMMEDIATE \
         ON MESSAGE ERROR LOG ON GENERAL ERROR LOG"
    );
    let parsed = nspl_syntax::parse(&statement);
    assert_eq!(parsed.faults, [], "{text}");
    let Statement::Create(create) = &parsed.statements[0].node else {
        panic!("{text}")
    };
    let Entity::Emitter(emitter) = &create.entity else {
        panic!("{text}")
    };
    let node = emitter.sources[0].filter.as_ref().unwrap();
    let schema = schema();
    let record = Record::of(&schema);
    let env = Environment {
        place: Place::SourceFilter,
        input: Some(&record),
        output: Output::None,
        states: Some(NO_STATES),
        partial_output: Output::None,
        error: None,
    };
    let mut faults = Vec::new();
    let typed = Typer::new(&env, &mut faults, &mut 0, Patterns::While(&|| true)).value(node, of, "it");
    (typed, faults)
}

fn accepted(text: &str, of: DataType, nullable: bool) {
    let (typed, mut faults) = judge(text, &of);
    faults.retain(|fault| fault.severity == Severity::Error);
    assert_eq!(faults, [], "{text}");
    let expr = typed.unwrap().expr;
    assert_eq!((expr.data_type, expr.nullable), (of, nullable), "{text}");
}

fn refused(text: &str, of: DataType, code: &str) {
    let (typed, faults) = judge(text, &of);
    assert_eq!(
        faults.iter().map(|fault| fault.code).collect::<Vec<_>>(),
        [code],
        "{text} {faults:#?}"
    );
    assert!(typed.is_none() || code == "E1313" || code == "E1317", "{text}");
}

#[test]
fn literals_take_the_type_of_their_place_through_everything_that_passes_it_on() {
    for text in [
        "100 + 27",
        "-128",
        "-(1)",
        "(1)",
        "IF flag THEN 1 ELSE 2 END",
        "abs(-5)",
        "i8 + 1",
        "1 + i8",
    ] {
        accepted(text, DataType::I8, false);
    }
    for text in [
        "1",
        "1.5",
        "coalesce(f64, 0.0)",
        "round(1)",
        "leak_sensitive(2)",
        "CASE i8 WHEN 1 THEN 0.5 ELSE 1 END",
    ] {
        accepted(text, DataType::F64, false);
    }
    accepted("nullif(1, 2)", DataType::U8, true);
    accepted("NULL", DataType::Bytes, true);
    accepted("IF flag THEN NULL ELSE 1 END", DataType::I8, true);
    accepted("f32 * 1.5", DataType::F32, false);
    accepted("f32 = 1.5", DataType::Bool, false);
    accepted("1.5 = f64", DataType::Bool, true);
    accepted("1 < 2", DataType::Bool, false);
    accepted("NOT NULL", DataType::Bool, true);
    accepted("maybe = NULL", DataType::Bool, true);
    accepted("[1, -2]", DataType::Vec(Box::new(DataType::I8)), false);
    accepted("[]", DataType::Vec(Box::new(DataType::I8)), false);
    accepted(
        "[1, 2.5]",
        DataType::Array(Box::new(DataType::F32), vec![2]),
        false,
    );
    accepted(
        "['2026-01-01T00:00:00Z' AS DATETIME]",
        DataType::Vec(Box::new(DataType::DateTime)),
        false,
    );
    accepted(
        "coalesce(list, [1])",
        DataType::Vec(Box::new(DataType::I8)),
        false,
    );
}

#[test]
fn what_does_not_fit_is_refused_once_under_its_own_code() {
    for (text, of, code) in [
        ("128", DataType::I8, "E1308"),
        ("-1", DataType::U8, "E1308"),
        ("1.5", DataType::I64, "E1308"),
        ("i8 = 1.5", DataType::Bool, "E1308"),
        ("9007199254740993", DataType::F64, "E1308"),
        ("9223372036854775808 = i64", DataType::Bool, "E1308"),
        ("1e400", DataType::F64, "E1308"),
        ("NULL = NULL", DataType::Bool, "E1307"),
        ("is_null(NULL)", DataType::Bool, "E1307"),
        ("'a'", DataType::I8, "E1304"),
        ("1", DataType::String, "E1304"),
        ("i8", DataType::I64, "E1304"),
        ("text + 'a'", DataType::String, "E1306"),
        ("'a' + 1", DataType::String, "E1306"),
        ("-u8", DataType::U8, "E1306"),
        ("flag < flag", DataType::Bool, "E1306"),
        ("list = list", DataType::Bool, "E1306"),
        ("CASE list WHEN list THEN 1 ELSE 2 END", DataType::I8, "E1306"),
        (
            "nullif(list, list)",
            DataType::Vec(Box::new(DataType::I8)),
            "E1311",
        ),
        ("i8 + i64", DataType::I8, "E1305"),
        ("i8 = text", DataType::Bool, "E1305"),
        ("IF flag THEN i8 ELSE i64 END", DataType::I8, "E1305"),
        ("coalesce(text, i8)", DataType::String, "E1305"),
        ("flag AND i8", DataType::Bool, "E1304"),
        ("nothing = 300 AND flag", DataType::Bool, "E1301"),
        ("nothing = NULL", DataType::Bool, "E1301"),
        ("other.field = 1", DataType::Bool, "E1302"),
        ("output.i8 = 1", DataType::Bool, "E1302"),
        ("relay_state.r.f = 1", DataType::Bool, "E1302"),
        ("flag AS I8", DataType::I8, "E1312"),
        ("list AS STRING", DataType::String, "E1312"),
        ("at AS I64", DataType::I64, "E1312"),
        ("left(text, i8)", DataType::String, "E1311"),
        ("round(f64, 2)", DataType::F64, "E1310"),
        ("JSON_VALUE(text, '$[' AS I8)", DataType::I8, "E1316"),
        ("JSON_VALUE(text, '$' AS BYTES)", DataType::Bytes, "E1316"),
        (
            "[1, 2, 3]",
            DataType::Array(Box::new(DataType::F32), vec![2]),
            "E1318",
        ),
        ("[i8]", DataType::Vec(Box::new(DataType::I8)), "E1318"),
        ("[NULL]", DataType::Vec(Box::new(DataType::I8)), "E1318"),
        ("is_null([1])", DataType::Bool, "E1318"),
    ] {
        refused(text, of, code);
    }
}

#[test]
fn constants_that_always_fail_are_refused_and_excused_where_they_may_not_be_reached() {
    for text in [
        "1 / 0",
        "i8 + 100 * 2",
        "NULL + 1 % 0",
        "coalesce(1 / 0, 1)",
        "CASE WHEN 1 / 0 = 1 THEN 1 END",
        "TRY_CAST(1 / 0 AS I8)",
        "'x' AS I8",
        "300 AS I8",
        "abs(-128)",
    ] {
        refused(text, DataType::I8, "E1313");
    }
    for text in ["ln(0)", "sqrt(-1)", "exp(710)", "log(1, 2)", "pow(0, -1)"] {
        refused(text, DataType::F64, "E1313");
    }
    for text in [
        "repeat('a', -1)",
        "repeat('abc', 1000000)",
        "split_part('a', 'b', 0)",
        "lpad('a', 2000000)",
    ] {
        refused(text, DataType::String, "E1313");
    }
    refused("regexp_like(text, '(')", DataType::Bool, "E1317");
    refused("regexp_like('a', '(')", DataType::Bool, "E1317");
    for text in [
        "length(concat('a', 'bc')) AS I8 / (strpos('abc', 'x') AS I8)",
        "JSON_VALUE('{\"a\": 300}', '$.a' AS I8)",
        "JSON_VALUE('{', '$' AS I8)",
        "(IF TRUE THEN '300' ELSE '1' END) AS I8",
        "(CASE 'b' WHEN 'a' THEN 1 ELSE 1000 END AS I64) AS I8",
        "(coalesce(nullif('a', 'a'), 'x')) AS I8",
        "leak_sensitive('x') AS I8",
        "trim(' 12x ') AS I8",
        "regexp_replace('1-2', '-', '') AS I8 * 100",
    ] {
        refused(text, DataType::I8, "E1313");
    }
    refused("left('abc', -1)", DataType::String, "E1313");
    refused("JSON_EXISTS('nope', '$.a')", DataType::Bool, "E1313");
    for text in [
        "IF flag THEN 1 / 0 ELSE 1 END",
        "coalesce(i8, 1 / 0)",
        "CASE WHEN flag THEN 1 WHEN 1 / 0 = 1 THEN 2 ELSE 3 END",
    ] {
        accepted(text, DataType::I8, false);
    }
    accepted("flag OR 1 / 0 = 1", DataType::Bool, false);
    accepted("TRY_CAST(300 AS I8)", DataType::I8, true);
    accepted("TRY_JSON_VALUE('{', '$' AS I8)", DataType::I8, true);
    accepted("IF TRUE THEN 1 / 0 ELSE 1 END", DataType::I8, false);
    accepted("(IF TRUE THEN 1 / 0 ELSE 1 END) + 1", DataType::I8, false);
    accepted("1 / 0 = 1 AND strpos('a', 'b') = 1", DataType::Bool, false);
    accepted("i8 / 0", DataType::I8, false);
}

#[test]
fn what_is_worked_out_of_a_typed_tree_is_what_was_worked_out_while_it_was_typed() {
    for (text, of) in [
        ("lpad(to_hex(255), 4, '0')", DataType::String),
        ("initcap(split_part('a b,c d', ',', -1))", DataType::String),
        ("CASE 2 WHEN 1 THEN 'one' WHEN 2 THEN 'two' END", DataType::String),
        ("coalesce(nullif('a', 'a'), md5(''))", DataType::String),
        ("JSON_VALUE('{\"a\": [1e2]}', '$.a[0]' AS U8)", DataType::U8),
        ("flag OR 1 / 0 = 1 OR TRUE", DataType::Bool),
        ("IF NULL THEN 1 ELSE 2 END", DataType::I8),
        ("i8", DataType::I8),
        ("now()", DataType::DateTime),
    ] {
        let (typed, faults) = judge(text, &of);
        assert_eq!(faults, [], "{text}");
        let typed = typed.unwrap();
        assert!(crate::constant_value(&typed.expr) == Ok(typed.constant), "{text}");
    }
}

#[test]
fn many_long_texts_are_not_kept() {
    let (typed, faults) = judge(
        &format!("concat({})", vec!["repeat('x', 65536)"; 1_000].join(", ")),
        &DataType::String,
    );
    assert_eq!(faults, []);
    assert!(typed.unwrap().constant.is_none());
}

#[test]
fn nullability_follows_the_values() {
    accepted("concat(maybe, text)", DataType::String, false);
    accepted("upper(maybe)", DataType::String, true);
    accepted("coalesce(maybe, text)", DataType::String, false);
    accepted("CASE WHEN flag THEN text END", DataType::String, true);
    accepted("regexp_substr(text, 'a')", DataType::String, true);
    accepted("JSON_VALUE(text, '$.a' AS I64)", DataType::I64, true);
    accepted("JSON_EXISTS(text, '$.a')", DataType::Bool, false);
    accepted("is_null(maybe)", DataType::Bool, false);
    accepted("maybe IS NOT NULL AND flag", DataType::Bool, false);
}

#[test]
fn sensitivity_follows_values_and_conditions_until_it_is_let_out() {
    for (text, sensitive) in [
        ("secret", true),
        ("concat(text, secret)", true),
        ("IF secret = 'a' THEN 'b' ELSE 'c' END", true),
        ("leak_sensitive(secret)", false),
        ("concat(text, leak_sensitive(secret))", false),
        ("text", false),
    ] {
        let (typed, faults) = judge(text, &DataType::String);
        assert_eq!(faults, [], "{text}");
        assert_eq!(typed.unwrap().expr.sensitive, sensitive, "{text}");
    }
}

#[test]
fn the_highest_tree_that_is_read_is_judged_on_an_ordinary_stack() {
    accepted(&format!("{}i8", "0 + ".repeat(250)), DataType::I8, false);
    accepted(
        &format!("{}i8{}", "abs(".repeat(60), ")".repeat(60)),
        DataType::I8,
        false,
    );
    let nested = format!("{}i8{}", "IF flag THEN 1 ELSE ".repeat(60), " END".repeat(60));
    accepted(&nested, DataType::I8, false);
    accepted(
        &format!("{}flag", "NOT flag AND ".repeat(120)),
        DataType::Bool,
        false,
    );
}

#[test]
fn the_most_nested_pattern_is_judged_under_an_expression_of_any_height() {
    let work = || {
        let nested = |inner: usize| "(".repeat(249) + &inner.to_string() + &")".repeat(249);
        for terms in 0..250 {
            // What is known of a pattern is not asked again, so each is another.
            let (pattern, chain) = (nested(terms), " AND flag".repeat(terms));
            accepted(
                &format!("regexp_like(text, '{pattern}'){chain}"),
                DataType::Bool,
                false,
            );
        }
        let deeper = format!("regexp_like(text, '(({}))')", nested(0));
        refused(&deeper, DataType::Bool, "E1317");
    };
    // What a thread of a runtime has.
    let thread = std::thread::Builder::new().stack_size(2 << 20);
    thread.spawn(work).unwrap().join().unwrap();
}
