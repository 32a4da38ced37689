//! Rows of a route that fail: before anything was built of them, while it was built, and at their branch key.
//!
//! Invariant: every row that is handed over here leaves through the error policy of the route, with what SET may read of
//! it. Which rows fail is decided elsewhere.

use std::sync::Arc;

use arrow::{
    array::{RecordBatch, RecordBatchOptions},
    buffer::BooleanBuffer,
    error::ArrowError,
};
use nervix_ack::Share;
use nervix_clock::Snapshot;
use nervix_columns::{CONVERTED_BYTES_MAX, NullColumns, filter, nullable_schema};
use nervix_expr::{Constructed, Failure};
use nervix_relay::Groups;

use super::{Route, RouteError};
use crate::{error_policy::Failed, parts::Parts};

const PARTIAL_TOO_LARGE: &str =
    "what is not set of its partial_output takes too much memory in this record alone";
const KEY_TOO_LONG: &str = "the branch key is longer than 1024 bytes";

impl Route {
    /// Deals with rows that failed before this route built anything of them. Where their `partial_output`, in which
    /// nothing is set, takes too much memory at once, each half is dealt with by itself.
    pub(crate) async fn fail(
        &mut self,
        (failures, input): (Vec<Failure>, RecordBatch),
        share: Share,
        snapshot: &Snapshot,
    ) -> Result<(), RouteError> {
        let mut parts = Parts::of(input, share);
        let mut failures = failures.into_iter();
        while let Some(part) = parts.next() {
            let partial_output = match self.nothing_built(part.rows()) {
                Err(ArrowError::MemoryError(_)) if part.rows() > 1 => {
                    parts.halve(part);
                    continue;
                }
                other => other,
            };
            let failures: Vec<Failure> = failures.by_ref().take(part.rows()).collect();
            match partial_output {
                Ok(partial_output) => {
                    let failed = Failed {
                        failures,
                        input: part.records,
                        partial_output,
                        share: part.share,
                    };
                    self.policy.take(failed, snapshot).await?;
                }
                Err(ArrowError::MemoryError(why)) => {
                    self.policy
                        .take_unbuildable((failures, part.share), &why, snapshot);
                }
                Err(error) => return Err(error.into()),
            }
            if !parts.is_empty() {
                self.flush_errors().await?;
            }
        }
        Ok(())
    }

    /// Publishes the error records that are gathered.
    pub(super) async fn flush_errors(&mut self) -> Result<(), RouteError> {
        if let Some(errors) = self.policy.outgoing_mut() {
            errors.flush_all(&self.traffic.errors).await?;
        }
        Ok(())
    }

    pub(super) async fn fail_built(
        &mut self,
        built: &Constructed,
        input: RecordBatch,
        share: Share,
        snapshot: &Snapshot,
    ) -> Result<(), RouteError> {
        let failures = built.failures.clone();
        let partial = &built.partial_output;
        if self.policy.reads_partial() && partial.num_rows() < failures.len() {
            self.policy
                .take_unbuildable((failures, share), PARTIAL_TOO_LARGE, snapshot);
            return Ok(());
        }
        let failed = Failed {
            partial_output: self.policy.reads_partial().then(|| partial.clone()),
            failures,
            input,
            share,
        };
        Ok(self.policy.take(failed, snapshot).await?)
    }

    pub(super) async fn fail_long_keys(
        &mut self,
        groups: &Groups,
        (input, records): (&RecordBatch, &RecordBatch),
        share: Share,
        snapshot: &Snapshot,
    ) -> Result<Share, RouteError> {
        let too_long: Vec<bool> = groups
            .group_of_row()
            .iter()
            .map(|group| *group == Groups::NONE)
            .collect();
        let mask = BooleanBuffer::from_iter(too_long.iter().copied());
        let (lost, kept) = share.filter(&too_long);
        let site = self.keys.as_ref().map(|keys| Arc::clone(&keys.too_long));
        let failures = groups.too_long().iter().zip(site.iter().cycle());
        let failures = failures.map(|(row, site)| Failure::new(*row, Arc::clone(site), KEY_TOO_LONG));
        let failed = Failed {
            failures: failures.collect(),
            input: filter(input, &mask)?,
            partial_output: self.partial_of(records, &mask)?,
            share: lost,
        };
        self.policy.take(failed, snapshot).await?;
        Ok(kept)
    }

    /// What the policy reads of finished records that fail later.
    pub(super) fn partial_of(
        &self,
        records: &RecordBatch,
        failed: &BooleanBuffer,
    ) -> Result<Option<RecordBatch>, ArrowError> {
        let reads = self.policy.reads_partial();
        reads.then(|| filter(&nullable(records)?, failed)).transpose()
    }

    fn nothing_built(&self, rows: usize) -> Result<Option<RecordBatch>, ArrowError> {
        if !self.policy.reads_partial() {
            return Ok(None);
        }
        let schema = nullable_schema(self.constructor.schema());
        let mut nulls = NullColumns::within(CONVERTED_BYTES_MAX);
        let columns = schema.fields().iter();
        let columns = columns.map(|field| nulls.column(field.data_type(), rows));
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(schema, columns, &options).map(Some)
    }
}

fn nullable(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(
        nullable_schema(batch.schema_ref()),
        batch.columns().to_vec(),
        &options,
    )
}
