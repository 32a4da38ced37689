//! The sink of one emitter: measure, insert, answer.

use std::sync::Arc;

use futures::future::BoxFuture;
use nervix_columns::logical_bytes;
use nervix_sink::{Measure, Outcome, RowAnswer, RowSink, Rows, WriteLimits};
use nspl_model::{PostgresSinkDef, Schema};
use tokio_postgres::types::ToSql;

use crate::answer::Refusal;
use crate::describe::{Insert, is_in_order};
use crate::fault::Fault;
use crate::limits::{WRITE_BYTES_MAX, answer_time};
use crate::pool::Pool;

/// How often one write is bound anew because the columns have changed.
const BINDINGS_MAX: usize = 2;

/// Inserts rows into one table.
pub(crate) struct PostgresSink {
    pool: Arc<Pool>,
    def: PostgresSinkDef,
    schema: Arc<Schema>,
    insert: Insert,
    /// How often the columns were others than before.
    edition: u64,
    /// Whether the columns have to be asked for before the next write.
    stale: bool,
    /// Whether they were asked for since the last write that was whole.
    asked: bool,
}

impl PostgresSink {
    /// Asks for the columns of the table.
    pub(crate) async fn open(
        pool: Arc<Pool>,
        def: PostgresSinkDef,
        schema: Arc<Schema>,
    ) -> Result<Self, Fault> {
        let insert = Insert::read(&pool, &def, &schema).await?;
        Ok(Self {
            pool,
            def,
            schema,
            insert,
            edition: 0,
            stale: false,
            asked: false,
        })
    }

    async fn answer(&mut self, rows: &Rows) -> RowAnswer {
        self.asked &= rows.isolated;
        for _ in 0..BINDINGS_MAX {
            if self.stale
                && let Err(fault) = self.bind_anew().await
            {
                return RowAnswer::Unresolved(fault.failure());
            }
            let refusal = match self.attempt(rows).await {
                Ok(()) => return RowAnswer::All(Outcome::DELIVERED),
                Err(refusal) => refusal,
            };
            let is_believed = rows.isolated && self.asked && refusal.is_of_rows();
            if is_believed || !refusal.is_about_columns() {
                return refusal.answer();
            }
            // It is believed when the columns are still those that the rows were bound for.
            self.stale = true;
            match self.bind_anew().await {
                Ok(true) => {}
                Ok(false) => return refusal.answer(),
                Err(fault) => return RowAnswer::Unresolved(fault.failure()),
            }
        }
        RowAnswer::Unresolved(Fault::Changing.failure())
    }

    /// Asks for the columns again. Whether they have changed.
    async fn bind_anew(&mut self) -> Result<bool, Fault> {
        let insert = Insert::read(&self.pool, &self.def, &self.schema).await?;
        (self.stale, self.asked) = (false, true);
        let changed = insert != self.insert;
        self.edition += u64::from(changed);
        self.insert = insert;
        Ok(changed)
    }

    async fn attempt(&self, rows: &Rows) -> Result<(), Refusal> {
        let columns = &rows.columns;
        if let Some(fault) = self.insert.fault(columns) {
            return Err(Refusal::of_value(fault));
        }
        let parameters = self.insert.parameters(columns);
        let parameters: Vec<&(dyn ToSql + Sync)> = parameters
            .iter()
            .map(|parameter| parameter as &(dyn ToSql + Sync))
            .collect();
        let mut lease = self.pool.lease().await.map_err(Refusal::Server)?;
        let bytes = logical_bytes(columns);
        let time = answer_time(bytes);
        let clock = self.pool.shared().dialler.clock();
        let insert = lease.session().execute(self.insert.text(), (&parameters, bytes));
        let answered = clock.timeout(time, Box::pin(insert)).await;
        match answered {
            Ok(Ok(_)) => {
                lease.give_back();
                Ok(())
            }
            Ok(Err(error)) => {
                if is_in_order(&error) {
                    lease.give_back();
                }
                Err(Refusal::of(&error))
            }
            Err(_) => Err(Refusal::Server(Fault::TimedOut(time.as_millis()))),
        }
    }
}

impl RowSink for PostgresSink {
    fn limits(&self) -> WriteLimits {
        WriteLimits {
            name: "Postgres insert",
            rows_max: None,
            bytes_max: Some(WRITE_BYTES_MAX),
        }
    }

    fn measure(&self, rows: &Rows) -> Measure {
        self.insert.measure(&rows.columns)
    }

    fn edition(&self) -> u64 {
        self.edition
    }

    fn write<'a>(&'a mut self, rows: &'a Rows) -> BoxFuture<'a, RowAnswer> {
        Box::pin(self.answer(rows))
    }
}
