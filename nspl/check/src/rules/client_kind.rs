//! TYPE of a client is one of the kinds (rulings section 8).

use nspl_model::ClientKind;
use nspl_syntax::Name;

use crate::Diagnostic;
use crate::nearest::nearest;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1401",
    title: "The TYPE of a client is a kind that Nervix knows",
    fails: "CREATE CLIENT c TYPE KAFKAA CONFIG {'bootstrap.servers' = 'h:9092'};",
    passes: "CREATE CLIENT c TYPE KAFKA CONFIG {'bootstrap.servers' = 'h:9092'};",
};

/// There is no such kind.
pub(crate) fn fault(kind: &Name) -> Diagnostic {
    let fault = RULE.fault(kind.span, format!("there is no kind of client {}", kind.text));
    let known: Vec<&str> = ClientKind::all().map(ClientKind::name).collect();
    match nearest(&kind.text, known.iter().copied()) {
        Some(near) => fault.help(format!("there is TYPE {near}")),
        None => fault.help(format!("one of {}", known.join(", "))),
    }
}
