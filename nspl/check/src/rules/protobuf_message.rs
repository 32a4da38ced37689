//! The messages of a protobuf codec are in its files (rulings section 3).

use nspl_syntax::Text;

use crate::Diagnostic;
use crate::nearest::nearest;
use crate::rule::Rule;

/// So many names are listed when none is near.
const LISTED_MAX: usize = 8;

/// The rule; who sends folders looks for its code before anything is sent.
pub const RULE: Rule = Rule {
    code: "E1512",
    title: "MESSAGE and BATCH MESSAGE are messages of the codec's files, by their full names",
    fails: "",
    passes: "",
};

/// There is no such message.
pub(crate) fn fault(message: &Text, known: &[String]) -> Diagnostic {
    let fault = RULE.fault(
        message.span,
        format!("the files have no message '{}'", message.value),
    );
    // A name without its package is a slip that spelling does not show.
    let short = known
        .iter()
        .find(|name| name.rsplit('.').next() == Some(message.value.as_str()));
    let near = short.map(String::as_str).or_else(|| {
        let names = known.iter().map(String::as_str);
        nearest(&message.value, names)
    });
    match near {
        Some(near) => fault.help(format!("they have a message '{near}'")),
        None if known.is_empty() => fault,
        None => {
            let mut listed: Vec<&str> = known.iter().map(String::as_str).collect();
            listed.sort_unstable();
            listed.truncate(LISTED_MAX);
            fault.help(format!("their messages: {}", listed.join(", ")))
        }
    }
}
