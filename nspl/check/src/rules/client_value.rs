//! Values of CONFIG have the type of their key (rulings section 8).

use nspl_model::{BondTakes, KeyBond};
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1404",
    title: "A value of CONFIG is of the sort that its key takes",
    fails: "CREATE CLIENT c TYPE SQS CONFIG {'region' = 'eu-west-1', 'timeout_ms' = '5'};",
    passes: "CREATE CLIENT c TYPE SQS CONFIG {'region' = 'eu-west-1', 'timeout_ms' = 5};",
};

/// The key takes something else.
pub(crate) fn fault(place: Span, key: &str, takes: &str) -> Diagnostic {
    RULE.fault(place, format!("'{key}' takes {takes}"))
}

/// The value is neither string nor number nor boolean.
pub(crate) fn no_scalar(place: Span, key: &str) -> Diagnostic {
    RULE.fault(place, format!("'{key}' takes a string, a number, true or false"))
}

/// Another key bounds what this one takes.
pub(crate) fn bound(place: Span, bond: &KeyBond) -> Diagnostic {
    let takes = match bond.takes {
        BondTakes::Word(word) => format!("'{word}' alone"),
        BondTakes::AtMost(most) => format!("at most {most}"),
    };
    let (key, value) = bond.when;
    RULE.fault(
        place,
        format!(
            "with '{key}' = '{value}', '{}' takes {takes}: {}",
            bond.key, bond.why
        ),
    )
    .help(format!("leave '{}' out, or choose another '{key}'", bond.key))
}
