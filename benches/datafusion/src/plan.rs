//! DataFusion's side: a physical expression from a logical one, and its column.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, RecordBatch, StringArray};
use arrow::datatypes::SchemaRef;
use datafusion_common::DFSchema;
use datafusion_expr::Expr;
use datafusion_expr::execution_props::ExecutionProps;
use datafusion_physical_expr::expressions::BinaryExpr;
use datafusion_physical_expr::{PhysicalExpr, create_physical_expr};

use crate::cases::Theirs;

/// The physical expression over batches of the schema.
pub(crate) fn physical(expr: &Expr, schema: &SchemaRef, theirs: Theirs) -> Arc<dyn PhysicalExpr> {
    let schema = DFSchema::try_from(schema.as_ref().clone());
    let planned = schema.and_then(|schema| create_physical_expr(expr, &schema, &ExecutionProps::new()));
    let planned = match planned {
        Ok(planned) => planned,
        Err(error) => panic!("{expr} cannot be planned: {error}"),
    };
    match (theirs, planned.as_any().downcast_ref::<BinaryExpr>()) {
        (Theirs::FailsPastTheRange, Some(operator)) => Arc::new(operator.clone().with_fail_on_overflow(true)),
        (Theirs::FailsPastTheRange, None) => panic!("{expr} is no operator"),
        _ => planned,
    }
}

/// The same texts, once their bytes and offsets were seen to be text.
pub(crate) fn looked_at(column: &ArrayRef) -> ArrayRef {
    let (offsets, bytes, nulls) = column.as_string::<i32>().clone().into_parts();
    match StringArray::try_new(offsets, bytes, nulls) {
        Ok(texts) => Arc::new(texts),
        Err(error) => panic!("it was text before: {error}"),
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
