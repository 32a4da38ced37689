//! A script: its statements in order, its transactions, its session (rulings section 1).

mod alter;
mod broken;
mod session;
mod snapshot;
mod transaction;

use nspl_syntax::{Parsed, Span, Spanned, Statement};

use crate::{Catalog, Diagnostic, Plan, Settings, rules};
use broken::broken_statements;
use session::Session;
pub use snapshot::Snapshot;

/// What became of a script.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// To be carried out only when no diagnostic is an error.
    pub plan: Plan,
    /// In source order, each once.
    pub diagnostics: Vec<Diagnostic>,
}

/// Judges a script that has been parsed; `text` is what was parsed.
pub fn check_script(parsed: &Parsed, text: &str, settings: &Settings, catalog: &Catalog) -> Checked {
    check_script_while(parsed, text, (settings, catalog), &|| true).unwrap_or_default()
}

/// Judges a script like [`check_script`], and asks whether anybody still waits for it: before each statement, each entity
/// of what a transaction adds up to, and each pattern; `None` as soon as nobody does. Who once said no says it again.
pub fn check_script_while(
    parsed: &Parsed,
    text: &str,
    (settings, catalog): (&Settings, &Catalog),
    is_wanted: &dyn Fn() -> bool,
) -> Option<Checked> {
    let mut session = Session::new(settings, catalog, is_wanted);
    for item in &items(parsed, text) {
        if !is_wanted() {
            return None;
        }
        session.judge(item);
    }
    let (plan, mut diagnostics) = session.finish();
    if !is_wanted() {
        return None;
    }
    diagnostics.extend(parsed.faults.iter().map(Diagnostic::from));
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.span.end, diagnostic.code));
    diagnostics.dedup();
    rules::duplicate_name::say_once(&mut diagnostics);
    Some(Checked { plan, diagnostics })
}

/// One statement as the session sees it.
enum Item<'a> {
    Read(&'a Spanned<Statement>),
    /// A statement that could not be read.
    Broken(broken::Broken<'a>),
}

impl Item<'_> {
    fn span(&self) -> Span {
        match self {
            Item::Read(statement) => statement.span,
            Item::Broken(broken) => broken.span,
        }
    }
}

fn items<'a>(parsed: &'a Parsed, text: &str) -> Vec<Item<'a>> {
    let mut items: Vec<Item<'a>> = parsed.statements.iter().map(Item::Read).collect();
    if !parsed.broken.is_empty() {
        items.extend(broken_statements(parsed, text).into_iter().map(Item::Broken));
        items.sort_by_key(|item| item.span().start);
    }
    items
}

impl From<&nspl_syntax::Fault> for Diagnostic {
    fn from(fault: &nspl_syntax::Fault) -> Diagnostic {
        let mut diagnostic = Diagnostic::error(fault.code, fault.span.range(), fault.message.clone());
        for (span, message) in &fault.labels {
            diagnostic = diagnostic.label(span.range(), message.clone());
        }
        Diagnostic {
            help: fault.help.clone(),
            ..diagnostic
        }
    }
}

/// The model's kind of a written kind.
pub(crate) fn model_kind(kind: nspl_syntax::Kind) -> nspl_model::EntityKind {
    use nspl_model::EntityKind;
    use nspl_syntax::Kind;
    use nspl_syntax::wire_schema::WireFormat;
    match kind {
        Kind::Domain => EntityKind::Domain,
        Kind::Schema => EntityKind::Schema,
        Kind::WireSchema(WireFormat::Json) => EntityKind::WireJsonSchema,
        Kind::WireSchema(WireFormat::Cbor) => EntityKind::WireCborSchema,
        Kind::WireSchema(WireFormat::Avro) => EntityKind::WireAvroSchema,
        Kind::Codec => EntityKind::Codec,
        Kind::Branch => EntityKind::Branch,
        Kind::Relay => EntityKind::Relay,
        Kind::Resource => EntityKind::Resource,
        Kind::Client => EntityKind::Client,
        Kind::Ingestor => EntityKind::Ingestor,
        Kind::Emitter => EntityKind::Emitter,
    }
}

#[cfg(test)]
mod tests;
