//! ALTER changes what is there (emitters.txt "Altering emitters", rulings section 1).

use nspl_model::SinkKind;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::article::with_article;
use crate::nearest::{nearest, some_of};
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1223",
    title: "ALTER adds what is missing and drops or changes what is there",
    fails: "ALTER SCHEMA failure DROP FIELD nothing;",
    passes: "ALTER SCHEMA failure ADD FIELD more STRING OPTIONAL;",
};

/// The schema has no such field; `schema` is its kind and name.
pub(crate) fn no_field(place: Span, schema: &str, field: &str, known: &[&str]) -> Diagnostic {
    let fault = RULE.fault(place, format!("{schema} has no field {field}"));
    match (
        nearest(field, known.iter().copied()),
        some_of(known.iter().copied()),
    ) {
        (Some(near), _) => fault.help(format!("the nearest is {near}")),
        (None, Some(some)) => fault.help(format!("it has: {some}")),
        (None, None) => fault,
    }
}

/// The schema has that field already.
pub(crate) fn field_exists(place: Span, schema: &str, field: &str) -> Diagnostic {
    RULE.fault(place, format!("{schema} has a field {field} already"))
}

/// A schema keeps one field at least.
pub(crate) fn last_field(place: Span, schema: &str) -> Diagnostic {
    RULE.fault(place, format!("this is the only field of {schema}"))
}

/// The relay is a source already.
pub(crate) fn source_exists(place: Span, emitter: &str, relay: &str) -> Diagnostic {
    RULE.fault(place, format!("EMITTER {emitter} reads RELAY {relay} already"))
        .help(format!("ALTER FROM {relay} SET WHERE ... changes its condition"))
}

/// The relay is no source.
pub(crate) fn no_source(place: Span, emitter: &str, relay: &str, known: &[&str]) -> Diagnostic {
    let fault = RULE.fault(place, format!("RELAY {relay} is no source of EMITTER {emitter}"));
    match some_of(known.iter().copied()) {
        Some(some) => fault.help(format!("it reads: {some}")),
        None => fault,
    }
}

/// An emitter keeps one source at least.
pub(crate) fn last_source(place: Span, emitter: &str) -> Diagnostic {
    RULE.fault(place, format!("this is the only source of EMITTER {emitter}"))
        .help("ADD FROM another relay before it, or DROP EMITTER")
}

/// There is no such clause.
pub(crate) fn absent(place: Span, emitter: &str, clause: &str) -> Diagnostic {
    RULE.fault(place, format!("EMITTER {emitter} has no {clause} here"))
}

/// A sink that publishes with a codec or without a body says which in its whole clause.
pub(crate) fn drop_encode(place: Span, emitter: &str, kind: &str) -> Diagnostic {
    RULE.fault(
        place,
        format!("DROP ENCODE is invalid for {kind}, and EMITTER {emitter} is TO {kind}"),
    )
    .help(format!(
        "use a complete SET TO {kind} ... WITHOUT BODY, which restates the method, path, mode and body selection"
    ))
}

/// The construction that stays is of the other kind: VALUES, or INHERIT and SET.
pub(crate) fn construction(place: Span, emitter: &str, kind: &str) -> Diagnostic {
    RULE.fault(
        place,
        format!(
            "the construction of EMITTER {emitter} stays, and {} emitter cannot have it",
            with_article(kind)
        ),
    )
    .help("DROP and CREATE in one transaction")
}

/// The sink uses no CLIENT.
pub(crate) fn no_client(place: Span, emitter: &str) -> Diagnostic {
    RULE.fault(place, format!("the sink of EMITTER {emitter} uses no CLIENT"))
}

/// The sink has no COMMIT EACH.
pub(crate) fn no_commit(place: Span, emitter: &str, kind: &str) -> Diagnostic {
    let having = SinkKind::ALL
        .into_iter()
        .filter(|kind| kind.capabilities().commit);
    let having: Vec<&str> = having.map(SinkKind::name).collect();
    let having = having.join(", ");
    RULE.fault(
        place,
        format!("EMITTER {emitter} is TO {kind}; COMMIT EACH is a clause of {having}"),
    )
}
