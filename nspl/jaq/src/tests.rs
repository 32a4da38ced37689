//! What programs can do, what they cannot, and where faults are said to be.

use std::collections::BTreeMap;

use crate::{Fault, PROGRAM_BYTES_MAX, Program, Reason, Val};

fn outputs(program: &str, input: Val, now_ns: i64) -> Vec<String> {
    let program = Program::compile(program).unwrap();
    program
        .run(input, now_ns)
        .map(|output| output.map_or_else(|error| error.to_string(), |value| value.to_string()))
        .collect()
}

/// The first fault: the text that it points at, and what it says.
fn fault(program: &str) -> (String, String) {
    let faults = Program::compile(program).unwrap_err();
    let Fault { span, reason } = &faults[0];
    (program.get(span.clone()).unwrap().to_owned(), reason.to_string())
}

#[test]
fn a_program_makes_any_number_of_outputs_of_its_input() {
    let record = || {
        Val::obj(
            [(Val::from("id".to_owned()), Val::from(7_isize))]
                .into_iter()
                .collect(),
        )
    };
    assert_eq!(outputs("{payload: .}", record(), 0), [r#"{"payload":{"id":7}}"#]);
    assert_eq!(outputs(".id, .id + 1", record(), 0), ["7", "8"]);
    assert_eq!(outputs("empty", record(), 0), Vec::<String>::new());
    assert_eq!(outputs("[.[] | tojson] | first", record(), 0), [r#""7""#]);
    assert_eq!(
        outputs(".id, error(\"secret\")", record(), 0),
        ["7", "the program failed"]
    );
}

#[test]
fn now_is_the_instant_of_the_snapshot() {
    let at = 1_767_225_600_250_000_000;
    assert_eq!(outputs("now", Val::Null, at), ["1767225600.25"]);
    assert_eq!(
        outputs("now | floor | todateiso8601", Val::Null, at),
        [r#""2026-01-01T00:00:00Z""#]
    );
    assert_eq!(outputs("now", Val::Null, -500_000_000), ["-0.5"]);
}

#[test]
fn times_are_read_without_the_zones_of_the_machine() {
    let at = |format: &str, text: &str| {
        let program = format!("strptime(\"{format}\") | tojson");
        outputs(&program, Val::from(text.to_owned()), 0)
    };
    assert_eq!(
        at("%Y-%m-%dT%H:%M:%SZ", "2015-03-05T23:51:47Z"),
        [r#""[2015,2,5,23,51,47,4,63]""#]
    );
    assert_eq!(
        at("%F %T%.f %z", "2024-02-29 00:00:01.5 +0200"),
        [r#""[2024,1,29,0,0,1.5,4,59]""#]
    );
    assert_eq!(
        at("%F %T %Q", "2024-07-15 16:24:59 +0200"),
        [r#""[2024,6,15,16,24,59,1,196]""#]
    );
    for zone in ["America/New_York", "UTC", "Nowhere/Town"] {
        let read = at("%F %T %Q", &format!("2024-07-15 16:24:59 {zone}"));
        assert_eq!(read, ["the program failed"], "{zone}");
    }
    assert_eq!(at("%F", "no date"), ["the program failed"]);
    let iso = Val::from("2015-03-05T23:51:47Z".to_owned());
    assert_eq!(outputs("fromdate", iso, 0), ["1425599507"]);
}

#[test]
fn a_fault_stands_where_it_is() {
    let cases = [
        ("{payload: .", "", "a closing brace"),
        (
            "{\"ä\": .} | nothing(1; 2)",
            "nothing",
            "no filter nothing with 2 arguments",
        ),
        (".a | $missing", "$missing", "no variable $missing"),
        ("if . then 1", "", "else or end"),
        (".a .. b", ".", "the end of the program"),
        ("", "", "a term"),
        ("\"a\\q\"", "q", "an escape sequence"),
        ("break $out", "$out", "no label $out"),
    ];
    let found: BTreeMap<&str, (String, String)> = cases
        .iter()
        .map(|(program, ..)| (*program, fault(program)))
        .collect();
    let wrong = cases.iter().filter(|(program, place, says)| {
        let (at, said) = &found[program];
        at != place || !said.contains(says)
    });
    assert_eq!(wrong.count(), 0, "{found:#?}");
    let both = Program::compile("one, two").unwrap_err();
    assert_eq!(
        both.iter().map(|fault| fault.span.clone()).collect::<Vec<_>>(),
        [0..3, 5..8]
    );
}

#[test]
fn what_reaches_out_of_a_program_is_not_there() {
    let barred = [
        "env",
        "env.HOME",
        "$ENV",
        "$ENV.PATH",
        "input",
        "inputs",
        "[inputs]",
        "debug",
        "debug(1)",
        "debug_empty",
        "stderr",
        "stderr_empty",
        "input_filename",
        "input_line_number",
        "halt",
        "halt(1)",
        "halt_error",
        "localtime",
        "strflocaltime(\"%c\")",
        "$__prog_args",
        "get_search_list",
        "modulemeta",
        "[.[] | debug] | map(. + 1)",
    ];
    for program in barred {
        let faults = Program::compile(program).unwrap_err();
        assert!(
            matches!(
                &faults[..],
                [Fault {
                    reason: Reason::Barred { .. },
                    ..
                }]
            ),
            "{program}: {faults:?}"
        );
    }
    for program in [
        "import \"a\" as a; .",
        "include \"a\"; .",
        "import \"a\" as $a; $a",
    ] {
        let faults = Program::compile(program).unwrap_err();
        assert!(
            matches!(
                &faults[..],
                [Fault {
                    reason: Reason::Import,
                    ..
                }]
            ),
            "{program}: {faults:?}"
        );
        assert_eq!(program.get(faults[0].span.clone()), Some("a"), "{program}");
    }
}

#[test]
fn names_of_its_own_are_not_barred() {
    assert_eq!(outputs("def debug: . + 1; debug", Val::from(1_isize), 0), ["2"]);
    assert_eq!(
        outputs(". as $ENV | {env: $ENV, input: 1}", Val::Null, 0),
        [r#"{"env":null,"input":1}"#]
    );
}

/// The deepest nesting that fits: it is compiled, or refused, and does not end the process.
#[test]
fn the_longest_programs_are_compiled_or_refused() {
    let filled = |open: &str, middle: &str, close: &str| {
        let levels = (PROGRAM_BYTES_MAX - middle.len()) / (open.len() + close.len());
        format!("{}{middle}{}", open.repeat(levels), close.repeat(levels))
    };
    let deep = [
        filled("(", ".", ")"),
        filled("[", ".", "]"),
        filled("{a:", ".", "}"),
        filled("-", "1", ""),
        filled("try ", ".", ""),
        filled(".|", ".", ""),
        filled(".,", ".", ""),
        filled("if 1 then ", ".", " end"),
        filled("\"\\(", ".", ")\""),
        filled("def f: ", ".", "; ."),
        filled("1+", "1", ""),
        filled(".a?", "", ""),
        filled(". as $x|", ".", ""),
        filled("reduce . as $x (0; ", ".", ")"),
        filled("1//", "1", ""),
        filled("[", "", ""),
        filled(". as [", "$x", "]"),
        filled("label $x|", ".", ""),
        filled(".[", "0", "]"),
    ];
    for program in deep {
        drop(Program::compile(&program));
    }
    let long = format!("{:width$}", ".", width = PROGRAM_BYTES_MAX + 1);
    assert!(matches!(
        &Program::compile(&long).unwrap_err()[..],
        [Fault {
            reason: Reason::TooLong,
            ..
        }]
    ));
    assert!(Program::compile(long.get(..PROGRAM_BYTES_MAX).unwrap()).is_ok());
}
