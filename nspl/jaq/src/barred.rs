//! What a program must not call: input, output, the environment, and the end of the process (rulings section 9).

/// Filters of jq that are not there, with what they would do.
const FILTERS: [(&str, &str); 17] = [
    ("env", READS_ENVIRONMENT),
    ("localtime", READS_ENVIRONMENT),
    ("strflocaltime", READS_ENVIRONMENT),
    ("get_search_list", READS_ENVIRONMENT),
    ("input", READS_INPUT),
    ("inputs", READS_INPUT),
    ("input_filename", READS_INPUT),
    ("input_line_number", READS_INPUT),
    ("modulemeta", READS_FILES),
    ("debug", WRITES),
    ("debug_empty", WRITES),
    ("stderr", WRITES),
    ("stderr_empty", WRITES),
    ("halt", ENDS),
    ("halt_error", ENDS),
    ("repl", READS_INPUT),
    ("exec", ENDS),
];

/// Variables of jq that are not there.
const VARIABLES: [(&str, &str); 2] = [("$ENV", READS_ENVIRONMENT), ("$__prog_args", READS_ENVIRONMENT)];

const READS_ENVIRONMENT: &str = "reads the environment of the process";
const READS_INPUT: &str = "reads further input";
const READS_FILES: &str = "reads files";
const WRITES: &str = "writes beside the output";
const ENDS: &str = "reaches outside of the program";

/// What a name of jq would do, when it is barred.
pub(crate) fn barred(name: &str) -> Option<&'static str> {
    let all = FILTERS.iter().chain(&VARIABLES);
    all.into_iter()
        .find(|(known, _)| *known == name)
        .map(|(_, does)| *does)
}
