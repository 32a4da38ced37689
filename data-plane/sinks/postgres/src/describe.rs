//! What an insert is for the columns that the table has now.

use std::fmt;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch};
use bytes::BytesMut;
use nervix_columns::arrow_schema;
use nervix_sink::Measure;
use nspl_model::{PostgresSinkDef, Schema};
use tokio_postgres::Statement;
use tokio_postgres::error::{Severity, SqlState};
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use crate::bind::{Binding, ValueFault};
use crate::fault::{During, Fault};
use crate::limits::ANSWER_TIME;
use crate::pool::{Lease, Pool};
use crate::statement;

/// The statement, and how each column is bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Insert {
    text: String,
    bindings: Vec<Binding>,
}

/// One bound column. `Debug` shows nothing of it.
pub(crate) struct Parameter<'a> {
    binding: &'a Binding,
    array: &'a dyn Array,
}

impl Insert {
    /// Asks the server for the types of the columns.
    pub(crate) async fn read(
        pool: &Arc<Pool>,
        def: &PostgresSinkDef,
        schema: &Schema,
    ) -> Result<Self, Fault> {
        let clock = pool.shared().dialler.clock().clone();
        let mut lease = pool.lease().await?;
        let described = clock
            .timeout(ANSWER_TIME, describe(&mut lease, def, schema))
            .await;
        let described = described.map_err(|_| Fault::ColumnsTimedOut(ANSWER_TIME.as_millis()))?;
        let (types, described) = match described {
            Ok(told) => told,
            Err(error) => {
                let fault = Fault::of(&error, During::Describing);
                if is_in_order(&error) {
                    lease.give_back();
                }
                return Err(fault);
            }
        };
        let columns = described.columns().iter();
        let columns = columns.map(|column| (column.type_().clone(), column.type_modifier()));
        let insert = Self::of((def, schema), &types, columns);
        drop(described);
        Lease::give_back(lease);
        Ok(insert)
    }

    /// The insert into columns of these types and modifiers, which are the catalog's `types` together.
    pub(crate) fn of(
        (def, schema): (&PostgresSinkDef, &Schema),
        types: &str,
        columns: impl Iterator<Item = (Type, i32)>,
    ) -> Self {
        let arrow = arrow_schema(schema);
        let bindings = arrow.fields().iter().zip(columns);
        let bindings: Vec<Binding> = bindings
            .map(|(field, (column, modifier))| Binding::of(field.data_type(), &column, modifier))
            .collect();
        Self {
            text: statement::insert(def, schema, types, &bindings),
            bindings,
        }
    }

    /// The statement.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Exact bytes of the statement and of its arrays.
    pub(crate) fn measure(&self, rows: &RecordBatch) -> Measure {
        let arrays = self.bindings.iter().map(Binding::array_bytes);
        let mut row_bytes = vec![0; rows.num_rows()];
        for (binding, array) in self.columns(rows) {
            binding.row_bytes(array.as_ref(), &mut row_bytes);
        }
        Measure {
            write_bytes: self.text.len() as u64 + arrays.sum::<u64>(),
            row_bytes,
        }
    }

    /// The first value that cannot be bound.
    pub(crate) fn fault(&self, rows: &RecordBatch) -> Option<ValueFault> {
        let mut columns = self.columns(rows);
        columns.find_map(|(binding, array)| binding.fault(array.as_ref()))
    }

    /// The columns as parameters, in order.
    pub(crate) fn parameters<'a>(&'a self, rows: &'a RecordBatch) -> Vec<Parameter<'a>> {
        let columns = self.columns(rows);
        let parameters = columns.map(|(binding, array)| Parameter {
            binding,
            array: array.as_ref(),
        });
        parameters.collect()
    }

    fn columns<'a>(&'a self, rows: &'a RecordBatch) -> impl Iterator<Item = (&'a Binding, &'a ArrayRef)> {
        self.bindings.iter().zip(rows.columns())
    }
}

/// The types of the columns: the text that stands for them, and a statement that has them. Those of a column that changes in
/// between are not what the text stands for, and the insert finds that out. What is missing is told as the insert would.
async fn describe(
    lease: &mut Lease,
    def: &PostgresSinkDef,
    schema: &Schema,
) -> Result<(String, Statement), tokio_postgres::Error> {
    let session = lease.session();
    let types = session.text(&statement::types_question(def)).await;
    let described = session.describe(&statement::question(def, schema)).await?;
    Ok((types?.unwrap_or_default(), described))
}

/// Whether a session may be used again after this error: the server answered, keeps the session with its statements, and
/// takes writes, as another host may that a new connection comes to.
pub(crate) fn is_in_order(error: &tokio_postgres::Error) -> bool {
    let ends = [
        SqlState::INVALID_SQL_STATEMENT_NAME,
        SqlState::READ_ONLY_SQL_TRANSACTION,
    ];
    error.as_db_error().is_some_and(|answer| {
        answer.parsed_severity() == Some(Severity::Error) && !ends.contains(answer.code())
    })
}

impl ToSql for Parameter<'_> {
    fn to_sql(
        &self,
        _type: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        self.binding.write(self.array, out);
        Ok(IsNull::No)
    }

    fn accepts(_type: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl fmt::Debug for Parameter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Parameter(***)")
    }
}
