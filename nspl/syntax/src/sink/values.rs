//! `VALUES {...} [WHERE e]`: the direct mapping of database, object-store and telemetry sinks (emitters.txt
//! "Direct-emitter values", rulings section 3).

use crate::assignment::Map;
use crate::expression::Expr;
use crate::span::Span;

/// The VALUES clause with the WHERE that stands right behind it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Values {
    /// External key to expression, in written order.
    pub map: Map,
    /// The route WHERE of a direct sink.
    pub filter: Option<Expr>,
    /// Where the clause stands.
    pub span: Span,
}
