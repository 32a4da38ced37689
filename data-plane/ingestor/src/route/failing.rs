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
use crate::error_policy::Failed;

const PARTIAL_TOO_LARGE: &str =
    "what is not set of their partial_output takes too much memory; write smaller batches";
const KEY_TOO_LONG: &str = "the branch key is longer than 1024 bytes";

impl Route {
    /// Deals with rows that failed before this route built anything of them.
    pub(crate) async fn fail(
        &mut self,
        (failures, input): (Vec<Failure>, RecordBatch),
        share: Share,
        snapshot: &Snapshot,
    ) -> Result<(), RouteError> {
        let partial_output = match self.nothing_built(input.num_rows()) {
            Ok(nothing) => nothing,
            Err(ArrowError::MemoryError(why)) => {
                self.policy.take_unbuildable((failures, share), &why, snapshot);
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        let failed = Failed {
            failures,
            input,
            partial_output,
            share,
        };
        Ok(self.policy.take(failed, snapshot).await?)
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

    /// Each row of a batch that takes too much memory in this route.
    pub(super) fn all_too_large(&self, rows: usize, why: &str) -> Vec<Failure> {
        let site = self.constructor.unset_site();
        let rows = 0..u32::try_from(rows).unwrap_or(u32::MAX);
        rows.map(|row| Failure::new(row, Arc::clone(site), why.to_owned()))
            .collect()
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
