//! `HTTP <client> METHOD <expr> PATH <expr>` (emitters.txt "HTTP request configuration").

use crate::expression::Expr;
use crate::name::Name;

/// The HTTP destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HttpSink {
    /// The client.
    pub client: Name,
    /// The request method.
    pub method: Expr,
    /// The request path.
    pub path: Expr,
}
