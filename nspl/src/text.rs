//! Text for people from what the catalog holds: statements without secrets, and single clauses.

use nspl_check::{Diagnostic, Entity};
use nspl_syntax::entity::Entity as Tree;
use nspl_syntax::fault::Fault;
use nspl_syntax::sink::SinkTarget;
use nspl_syntax::{Create, LexemeKind, Statement, lexemes};

use crate::bounds::bounded;
use crate::shown::hushed;

/// The canonical CREATE statement with every secret shown as `'***'`: SHOW CREATE.
pub fn masked(entity: &Entity) -> String {
    let parsed = nspl_syntax::parse(&entity.text);
    parsed
        .statements
        .first()
        .map(|statement| nspl_syntax::print_masked(statement))
        .unwrap_or_default()
}

/// The FROM list of an emitter, one text a source, such as `flights WHERE delay > 10`; empty for anything else.
pub fn source_texts(entity: &Entity) -> Vec<String> {
    let Some(Tree::Emitter(emitter)) = tree(entity) else {
        return Vec::new();
    };
    let text = |source: &nspl_syntax::emitter::source::Source| clause(entity, source.span);
    emitter.sources.iter().map(text).collect()
}

/// METHOD and PATH of an HTTP emitter as its statement writes them; `None` for anything else.
pub fn request_texts(entity: &Entity) -> Option<(String, String)> {
    let Some(Tree::Emitter(emitter)) = tree(entity) else {
        return None;
    };
    let SinkTarget::Http(http) = &emitter.sink.target else {
        return None;
    };
    Some((clause(entity, http.method.span), clause(entity, http.path.span)))
}

/// What stands behind ON MESSAGE ERROR of an emitter, such as `SEND TO failures SET reason = error.message`, on one line.
pub fn message_error_text(entity: &Entity) -> String {
    let Some(Tree::Emitter(emitter)) = tree(entity) else {
        return String::new();
    };
    let text = clause(entity, emitter.on_message_error.span);
    text.trim_start_matches("ON MESSAGE ERROR")
        .trim_start()
        .to_owned()
}

/// Whether a text that a person has typed may hold a secret: a statement that is shown otherwise than it is, or one that
/// cannot be read and has a string in it.
pub fn may_hold_secret(text: &str) -> bool {
    let parsed = nspl_syntax::parse(text);
    let is_masked =
        |statement: &Statement| nspl_syntax::print(statement) != nspl_syntax::print_masked(statement);
    let is_text = |kind| matches!(kind, LexemeKind::Text | LexemeKind::OpenText);
    parsed.statements.iter().any(|statement| is_masked(statement))
        || (!parsed.faults.is_empty() && lexemes(text).iter().any(|lexeme| is_text(lexeme.kind)))
}

/// A script in canonical form, with its comments.
///
/// # Errors
/// Everything that keeps it from being read; the text is then left alone.
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    let found = |faults: Vec<Fault>| faults.iter().map(Diagnostic::from).collect();
    nspl_syntax::format(text).map_err(|faults| bounded(hushed(found(faults), text)))
}

fn tree(entity: &Entity) -> Option<Tree> {
    match nspl_syntax::parse(&entity.text)
        .statements
        .into_iter()
        .next()?
        .node
    {
        Statement::Create(Create { entity, .. }) => Some(entity),
        _ => None,
    }
}

/// A piece of the canonical text, which holds no secrets in these clauses, on one line.
fn clause(entity: &Entity, span: nspl_syntax::Span) -> String {
    let text = entity.text.get(span.range()).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
