//! One `TO relay ...` of an ingestor: construct, WHERE, branch keys, flush buffers.
//!
//! Invariant: each row that enters leaves exactly once: published, dropped by WHERE (done), or through the route's
//! error policy. Before a route waits for a branch instance it flushes everything that the ingestor holds, so an
//! ingestor never waits for itself, nor for a FLUSH that is far away.

mod failing;

use std::sync::Arc;

use arrow::{array::RecordBatch, error::ArrowError};
use nervix_ack::{Fate, Share};
use nervix_budget::Held;
use nervix_clock::Snapshot;
use nervix_columns::{arrow_kind, compact, filter, held_bytes, held_bytes_together};
use nervix_expr::{CompileError, Constructed, Constructor, FailureSite, Frame, RowGroup};
use nervix_flush::Due;
use nervix_relay::{BranchKey, BranchRef, Branches, Groups, Timestamps};
use nspl_model::{
    Flush, RouteDef,
    record_error::{ErrorCode, Operation},
};

use crate::{
    error_policy::{ErrorPolicy, Failed, PolicyParts},
    outgoing::{Outgoing, OutgoingError},
    parts::Parts,
    piece::Piece,
    traffic::IngestorTraffic,
};

/// What a piece of a branch costs beyond its buffers: the objects around it, and per column.
const PIECE_OVERHEAD_BYTES: u64 = 256;
const COLUMN_OVERHEAD_BYTES: u64 = 128;

/// Why rows of a batch are unresolved.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RouteError {
    /// They did not reach their relay.
    #[error(transparent)]
    Outgoing(#[from] OutgoingError),
    /// The columns contradict the compiled definition: a defect.
    #[error("a batch does not fit the compiled definition ({})", arrow_kind(.0))]
    Columns(#[from] ArrowError),
    /// A branch key cannot be formed: a defect.
    #[error(transparent)]
    Key(#[from] nervix_relay::KeyError),
}

/// One route, compiled, with its buffers.
pub(crate) struct Route {
    constructor: Constructor,
    keys: Option<Keys>,
    outgoing: Outgoing,
    policy: ErrorPolicy,
    traffic: Arc<IngestorTraffic>,
}

struct Keys {
    constructor: Constructor,
    branches: Branches,
    too_long: Arc<FailureSite>,
}

/// Rows of one admitted batch on their way through a route.
pub(crate) struct Rows<'a> {
    pub(crate) input: &'a RecordBatch,
    pub(crate) share: Share,
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) held: &'a Arc<Held>,
    pub(crate) others: Others<'a>,
}

/// The other routes of the ingestor.
pub(crate) struct Others<'a> {
    pub(crate) before: &'a mut [Route],
    pub(crate) after: &'a mut [Route],
}

impl Others<'_> {
    /// Publishes everything that they hold. What one of them loses is no fault of the route that asks.
    async fn flush_all(&mut self) {
        for route in self.before.iter_mut().chain(self.after.iter_mut()) {
            match route.flush_all().await {
                Ok(()) | Err(RouteError::Outgoing(OutgoingError::Closed)) => {}
                Err(error) => tracing::error!(%error, "rows of another route are unresolved"),
            }
        }
    }
}

/// What rows need on their way besides themselves.
struct Way<'a> {
    input: &'a RecordBatch,
    snapshot: &'a Snapshot,
    held: &'a Arc<Held>,
    others: Others<'a>,
}

impl Route {
    /// # Errors
    /// When an expression of the route does not compile.
    pub(crate) fn compile(def: &RouteDef, parts: &PolicyParts<'_>) -> Result<Self, CompileError> {
        let relay = parts.relays.relay(&def.relay);
        let keys = match (&def.branch_keys, &def.relay.branch) {
            (Some(keys), Some(branch)) => Some(Keys {
                constructor: Constructor::branch_keys(keys, &branch.schema)?.without_partial_output(),
                branches: parts.relays.branches(branch),
                too_long: Arc::new(FailureSite {
                    code: ErrorCode::Validation,
                    operation: Operation::Branch,
                    operation_index: None,
                    fields: branch_fields(&branch.schema),
                }),
            }),
            _ => None,
        };
        let constructor = Constructor::compile(&def.construction, &def.relay.schema)?;
        let policy = ErrorPolicy::compile(&def.on_message_error, def.flush, parts)?;
        Ok(Self {
            constructor: match policy.reads_partial() {
                true => constructor,
                false => constructor.without_partial_output(),
            },
            keys,
            outgoing: Outgoing::new(relay, def.flush, parts.clock.clone(), parts.budget.clone()),
            policy,
            traffic: Arc::clone(parts.traffic),
        })
    }

    /// Takes rows through construction and WHERE into the buffers. What takes too much memory at once is divided, and a
    /// part is built only when what was built of the one before it has left, so that one part at a time is held here.
    pub(crate) async fn take(&mut self, rows: Rows<'_>) -> Result<(), RouteError> {
        let Rows {
            input,
            share,
            snapshot,
            held,
            others,
        } = rows;
        let mut snapshot = *snapshot;
        let mut parts = Parts::of(input.clone(), share);
        while let Some(part) = parts.next() {
            let built = match self.construct(&Frame::of_input(&part.records, &snapshot), part.rows()) {
                Ok(built) => built,
                Err(ArrowError::MemoryError(_)) if part.rows() > 1 => {
                    parts.halve(part);
                    continue;
                }
                Err(ArrowError::MemoryError(_)) => {
                    let failures = vec![self.constructor.unset_failure()];
                    self.fail((failures, part.records), part.share, &snapshot).await?;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            let way = Way {
                input: &part.records,
                snapshot: &snapshot,
                held,
                others: Others {
                    before: &mut *others.before,
                    after: &mut *others.after,
                },
            };
            self.take_built(built, part.share, way).await?;
            if !parts.is_empty() {
                self.flush_all().await?;
                // Volatile functions must not repeat in one part what they gave in another.
                snapshot.seed = self.outgoing.snapshot().seed;
            }
        }
        Ok(())
    }

    async fn take_built(&mut self, built: Constructed, share: Share, way: Way<'_>) -> Result<(), RouteError> {
        let Some(groups) = built.groups() else {
            return self.gather((built, share), way).await;
        };
        let mut parts = share.partition(&groups, RowGroup::COUNT);
        let failed = parts.pop().unwrap_or_default();
        let dropped = parts.pop().unwrap_or_default();
        let kept = parts.pop().unwrap_or_default();
        self.traffic.count_filtered(dropped.len());
        dropped.settle(Fate::Done);
        if !built.failures.is_empty() {
            let input = filter(way.input, &built.failed())?;
            self.fail_built(&built, input, failed, way.snapshot).await?;
        }
        self.gather((built, kept), way).await
    }

    /// Builds records. Where `partial_output` of a single row that failed takes too much memory it is left out; several
    /// rows are divided first.
    fn construct(&self, frame: &Frame<'_>, rows: usize) -> Result<Constructed, ArrowError> {
        match self.constructor.construct(frame) {
            Err(ArrowError::MemoryError(_)) if rows == 1 && self.policy.reads_partial() => {
                self.constructor.clone().without_partial_output().construct(frame)
            }
            built => built,
        }
    }

    /// When the next buffer of the route is due.
    pub(crate) fn next_due(&self) -> Option<Due> {
        let errors = self.policy.outgoing().and_then(Outgoing::next_due);
        [self.outgoing.next_due(), errors].into_iter().flatten().min()
    }

    /// Bytes that wait for their boundary, error records as well.
    pub(crate) fn gathered_bytes(&self) -> u64 {
        let errors = self.policy.outgoing().map_or(0, Outgoing::gathered_bytes);
        self.outgoing.gathered_bytes() + errors
    }

    /// Waits until `due`, which [`Self::next_due`] gave.
    pub(crate) async fn wait(&self, due: Due) {
        self.outgoing.policy().wait(due).await;
    }

    /// Installs another FLUSH, for error records as well; the caller flushes what is buffered.
    pub(crate) fn install_flush(&mut self, flush: Flush) {
        self.outgoing.install_flush(flush);
        if let Some(errors) = self.policy.outgoing_mut() {
            errors.install_flush(flush);
        }
    }

    /// Publishes what is due.
    pub(crate) async fn flush_due(&mut self) -> Result<(), RouteError> {
        self.outgoing.flush_due(&self.traffic.published).await?;
        if let Some(errors) = self.policy.outgoing_mut() {
            errors.flush_due(&self.traffic.errors).await?;
        }
        Ok(())
    }

    /// Publishes everything.
    pub(crate) async fn flush_all(&mut self) -> Result<(), RouteError> {
        self.outgoing.flush_all(&self.traffic.published).await?;
        self.flush_errors().await
    }

    async fn gather(&mut self, (built, share): (Constructed, Share), way: Way<'_>) -> Result<(), RouteError> {
        if built.batch.num_rows() == 0 {
            return Ok(());
        }
        if self.keys.is_none() {
            let times = Timestamps::uniform(share.len(), way.snapshot.domain_time);
            let held = self.holding(&built.batch, &way);
            let piece = Piece::new(built.batch, share, times, held);
            return Ok(self.outgoing.push(None, piece, &self.traffic.published).await?);
        }
        self.gather_by_key((built, share), way).await
    }

    async fn gather_by_key(
        &mut self,
        (built, mut share): (Constructed, Share),
        way: Way<'_>,
    ) -> Result<(), RouteError> {
        let snapshot = way.snapshot;
        let Some(keys) = &self.keys else {
            return Ok(());
        };
        let mut input = match &built.kept {
            Some(kept) => filter(way.input, kept)?,
            None => way.input.clone(),
        };
        let mut records = built.batch.clone();
        let output = built.output();
        let keyed = keys
            .constructor
            .construct(&Frame::of_input(&input, snapshot).with_output(&output))?;
        if !keyed.failures.is_empty() {
            let failed = keyed.failed();
            let (lost, kept) = share.filter_by(|row| failed.value(row));
            share = kept;
            let given = Failed {
                input: filter(&input, &failed)?,
                partial_output: self.partial_of(&records, &failed)?,
                failures: keyed.failures.clone(),
                share: lost,
            };
            self.policy.take(given, snapshot).await?;
            input = filter(&input, &!&failed)?;
            records = filter(&records, &!&failed)?;
        }
        let Some(keys) = &self.keys else {
            return Ok(());
        };
        let groups = keys.branches.group(keyed.batch.columns())?;
        if !groups.too_long().is_empty() {
            share = self
                .fail_long_keys(&groups, (&input, &records), share, snapshot)
                .await?;
        }
        self.gather_groups(&groups, (&records, share), way).await
    }

    async fn gather_groups(
        &mut self,
        groups: &Groups,
        (records, share): (&RecordBatch, Share),
        mut way: Way<'_>,
    ) -> Result<(), RouteError> {
        // The share has lost the rows without a group already.
        let group_of_row: Vec<u32> = groups
            .group_of_row()
            .iter()
            .copied()
            .filter(|group| *group != Groups::NONE)
            .collect();
        let shares = share.partition(&group_of_row, groups.len());
        let parts = groups.gather(records)?;
        let several = parts.len() > 1;
        for (number, (part, share)) in parts.into_iter().zip(shares).enumerate() {
            let branch = self.branch_of(groups.key(number), &mut way.others).await?;
            let times = Timestamps::uniform(part.num_rows(), way.snapshot.domain_time);
            let (part, held) = match several {
                false => {
                    let held = self.holding(&part, &way);
                    (part, held)
                }
                true => {
                    let part = compact(part)?;
                    let held = Arc::new(self.policy.charge(piece_bytes(&part)));
                    (part, held)
                }
            };
            let piece = Piece::new(part, share, times, held);
            self.outgoing
                .push(Some(branch), piece, &self.traffic.published)
                .await?;
        }
        Ok(())
    }

    /// The instance of a key. Before it has to be waited for, everything that the ingestor holds is flushed: what may
    /// hold the instances that are in the way is then downstream, or another ingestor's.
    async fn branch_of(
        &mut self,
        key: BranchKey<'_>,
        others: &mut Others<'_>,
    ) -> Result<BranchRef, RouteError> {
        let Some(keys) = &self.keys else {
            return Err(ArrowError::InvalidArgumentError("an unbranched route has no keys".into()).into());
        };
        if let Some(branch) = keys.branches.try_intern(key) {
            return Ok(branch);
        }
        let branches = keys.branches.clone();
        self.flush_all().await?;
        others.flush_all().await;
        Ok(branches.intern(key).await)
    }

    /// What the records of a piece hold of the node's budget: the columns that they share with the input, which the input
    /// counts, and those that were made for them.
    fn holding(&self, records: &RecordBatch, way: &Way<'_>) -> Arc<Held> {
        let made = held_bytes_together([way.input, records]) - held_bytes(way.input);
        if made == 0 {
            return Arc::clone(way.held);
        }
        let own = self.policy.charge(made);
        let shares = made < held_bytes(records);
        Arc::new(if shares {
            own.beside(Arc::clone(way.held))
        } else {
            own
        })
    }
}

fn branch_fields(schema: &nspl_model::Schema) -> Vec<String> {
    let mut names: Vec<String> = schema.fields.iter().map(|field| field.name.clone()).collect();
    names.sort_unstable();
    names
}

fn piece_bytes(piece: &RecordBatch) -> u64 {
    held_bytes(piece) + PIECE_OVERHEAD_BYTES + COLUMN_OVERHEAD_BYTES * piece.num_columns() as u64
}

#[cfg(test)]
mod tests {
    use arrow::error::ArrowError;

    use super::{OutgoingError, RouteError};

    #[test]
    fn what_arrow_says_of_a_value_is_not_told() {
        let said = || ArrowError::ComputeError("4711 does not fit".to_owned());
        let joined = OutgoingError::Join(said());
        for error in [RouteError::Columns(said()), RouteError::Outgoing(joined)] {
            let told = error.to_string();
            assert!(told.contains("compute") && !told.contains("4711"), "{told}");
        }
    }
}
