//! JSON_VALUE, TRY_JSON_VALUE and JSON_EXISTS.

use nspl_model::{CastError, DataType, Expr, ExprKind, JsonPath};
use nspl_syntax::data_type::DataType as TreeType;
use nspl_syntax::expression::Expr as Node;
use nspl_syntax::{Span, Text};

use super::{Typed, Typer, Want};
use crate::constant::node;
use crate::data_type::data_type_or_fault;
use crate::rules;

impl Typer<'_> {
    pub(super) fn json_value(
        &mut self,
        source: (&Node, &Text),
        target: (&TreeType, bool),
        span: Span,
    ) -> Option<Typed> {
        let document = self.document(source.0, "JSON_VALUE");
        let path = self.json_path(source.1);
        let data_type = data_type_or_fault(target.0, self.faults)?;
        if data_type.is_list() || data_type == DataType::Bytes {
            self.faults.push(rules::json::target(target.0.span, &data_type));
            return None;
        }
        let (mut document, path) = (document?, path?);
        let on_error = if target.1 {
            CastError::Null
        } else {
            CastError::Fail
        };
        let outcome = node::json_value((&path, &data_type), on_error, document.take());
        let constant = self.fold(span, outcome);
        let sensitive = document.expr.sensitive;
        let kind = ExprKind::JsonValue {
            document: Box::new(document.expr),
            path,
            on_error,
        };
        Some(Typed {
            expr: Expr {
                data_type,
                nullable: true,
                sensitive,
                kind,
            },
            constant,
            span,
        })
    }

    pub(super) fn json_exists(&mut self, document: &Node, path: &Text, span: Span) -> Option<Typed> {
        let document = self.document(document, "JSON_EXISTS");
        let path = self.json_path(path);
        let (mut document, path) = (document?, path?);
        let constant = self.fold(span, node::json_exists(&path, document.take()));
        let (nullable, sensitive) = (document.expr.nullable, document.expr.sensitive);
        let kind = ExprKind::JsonExists {
            document: Box::new(document.expr),
            path,
        };
        Some(Typed {
            expr: Expr {
                data_type: DataType::Bool,
                nullable,
                sensitive,
                kind,
            },
            constant,
            span,
        })
    }

    fn document(&mut self, node: &Node, what: &str) -> Option<Typed> {
        let typed = self.typed(node, Want::Type(&DataType::String))?;
        self.expect(typed, &DataType::String, what)
    }

    fn json_path(&mut self, path: &Text) -> Option<JsonPath> {
        match JsonPath::parse(&path.value) {
            Ok(parsed) => Some(parsed),
            Err(why) => {
                self.faults.push(rules::json::path(path.span, &why));
                None
            }
        }
    }
}
