//! ON CONFLICT has the form that the database has (emitters.txt "Postgres", "MySQL", "MongoDB").

use nspl_model::{Capabilities, ConflictRule};
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::article::with_article;
use crate::rule::{Rule, direct_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1263",
    title: "ON CONFLICT is one of the forms of its database",
    fails: direct_example!(
        "MYSQL mysql INSERT TO TABLE t VALUES {'id' = id} ON CONFLICT ('id') DO NOTHING",
        "BATCH MAX MESSAGES 100 MAX SIZE 1MiB"
    ),
    passes: direct_example!(
        "MYSQL mysql INSERT TO TABLE t VALUES {'id' = id} ON CONFLICT DO NOTHING",
        "BATCH MAX MESSAGES 100 MAX SIZE 1MiB"
    ),
};

/// The database has no such form.
pub(crate) fn fault(place: Span, sink: &Capabilities) -> Diagnostic {
    let (why, help) = match sink.conflict {
        ConflictRule::Refused => ("takes no conflict policy", "leave ON CONFLICT out"),
        ConflictRule::TargetForUpdate => (
            "needs target columns to update by",
            "write ON CONFLICT ('column', ...) DO UPDATE, or ON CONFLICT DO NOTHING",
        ),
        ConflictRule::NoTarget => (
            "takes no target columns: the keys of the table decide",
            "write ON CONFLICT DO UPDATE or ON CONFLICT DO NOTHING",
        ),
        ConflictRule::TargetRequired => (
            "needs target fields to find the document by",
            "write ON CONFLICT ('field', ...) DO UPDATE or ON CONFLICT ('field', ...) DO NOTHING",
        ),
    };
    RULE.fault(place, format!("{} emitter {why}", with_article(sink.kind)))
        .help(help)
}
