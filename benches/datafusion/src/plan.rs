//! DataFusion's side: a physical expression from a logical one, and its column.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::SchemaRef;
use datafusion_common::DFSchema;
use datafusion_expr::Expr;
use datafusion_expr::execution_props::ExecutionProps;
use datafusion_physical_expr::{PhysicalExpr, create_physical_expr};

/// The physical expression over batches of the schema.
pub(crate) fn physical(expr: &Expr, schema: &SchemaRef) -> Arc<dyn PhysicalExpr> {
    let schema = DFSchema::try_from(schema.as_ref().clone());
    let planned = schema.and_then(|schema| create_physical_expr(expr, &schema, &ExecutionProps::new()));
    match planned {
        Ok(planned) => planned,
        Err(error) => panic!("{expr} cannot be planned: {error}"),
    }
}

/// Its column.
pub(crate) fn evaluate(expr: &Arc<dyn PhysicalExpr>, batch: &RecordBatch) -> ArrayRef {
    let evaluated = expr.evaluate(batch);
    match evaluated.and_then(|value| value.into_array(batch.num_rows())) {
        Ok(array) => array,
        Err(error) => panic!("{expr} cannot be evaluated: {error}"),
    }
}

/// Both columns hold the same, in types that may differ in their width.
pub(crate) fn assert_same(text: &str, ours: &ArrayRef, theirs: &ArrayRef) {
    let theirs = arrow::compute::cast(theirs, ours.data_type());
    let same = theirs.is_ok_and(|theirs| theirs.to_data() == ours.to_data());
    assert!(same, "{text}: the columns differ");
}
