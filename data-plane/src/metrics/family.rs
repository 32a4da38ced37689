//! The names of all families, in one place.

use prometheus_client::metrics::MetricType;

/// One family of metrics. Counters get `_total` in the text form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Messages,
    Batches,
    Bytes,
    MessagesPerBatch,
    DeliveryLatencySeconds,
    RelayBufferLen,
    EmitterRetries,
    EmitterLost,
    EmitterRejected,
    EmitterPendingPayloads,
    EmitterUnavailable,
    ClientConsumers,
    BudgetBytes,
    BudgetWaiting,
    EmitterSkipped,
    EmitterWaitingRecords,
    RelayStateRows,
    RelayStateBytes,
    StateCommits,
    StateRows,
    StateUnwritten,
}

impl Family {
    /// Every family, in the order of the text.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 21] = [
        Self::Messages,
        Self::Batches,
        Self::Bytes,
        Self::MessagesPerBatch,
        Self::DeliveryLatencySeconds,
        Self::RelayBufferLen,
        Self::EmitterRetries,
        Self::EmitterLost,
        Self::EmitterRejected,
        Self::EmitterPendingPayloads,
        Self::EmitterUnavailable,
        Self::ClientConsumers,
        Self::BudgetBytes,
        Self::BudgetWaiting,
        Self::EmitterSkipped,
        Self::EmitterWaitingRecords,
        Self::RelayStateRows,
        Self::RelayStateBytes,
        Self::StateCommits,
        Self::StateRows,
        Self::StateUnwritten,
    ];

    /// The name, without the suffix of counters.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Messages => "nervix_messages",
            Self::Batches => "nervix_batches",
            Self::Bytes => "nervix_bytes",
            Self::MessagesPerBatch => "nervix_messages_per_batch",
            Self::DeliveryLatencySeconds => "nervix_delivery_latency_seconds",
            Self::RelayBufferLen => "nervix_relay_buffer_len",
            Self::EmitterRetries => "nervix_emitter_retries",
            Self::EmitterLost => "nervix_emitter_lost_payloads",
            Self::EmitterRejected => "nervix_emitter_rejected",
            Self::EmitterPendingPayloads => "nervix_emitter_pending_payloads",
            Self::EmitterUnavailable => "nervix_emitter_unavailable",
            Self::ClientConsumers => "nervix_client_consumers",
            Self::BudgetBytes => "nervix_budget_bytes",
            Self::BudgetWaiting => "nervix_budget_waiting",
            Self::EmitterSkipped => "nervix_emitter_skipped",
            Self::EmitterWaitingRecords => "nervix_emitter_waiting_records",
            Self::RelayStateRows => "nervix_relay_state_rows",
            Self::RelayStateBytes => "nervix_relay_state_bytes",
            Self::StateCommits => "nervix_state_commits",
            Self::StateRows => "nervix_state_rows",
            Self::StateUnwritten => "nervix_state_unwritten",
        }
    }

    /// What it counts.
    pub(crate) fn help(self) -> &'static str {
        match self {
            Self::Messages => "Records, by entity, direction and stream",
            Self::Batches => "Batches, by entity, direction and stream",
            Self::Bytes => "Logical bytes, by entity, direction and stream",
            Self::MessagesPerBatch => {
                "Records of one batch: written to an ingestor, or confirmed by an emitter"
            }
            Self::DeliveryLatencySeconds => {
                "From the admission of a payload's oldest record to its confirmation"
            }
            Self::RelayBufferLen => "Batches that the consumer furthest behind has still to take",
            Self::EmitterRetries => "Payloads that were sent again",
            Self::EmitterLost => "Payloads that a client without confirmations took and never sent",
            Self::EmitterRejected => "Records that followed ON MESSAGE ERROR, by code and operation",
            Self::EmitterPendingPayloads => "Payloads whose outcome is not known",
            Self::EmitterUnavailable => "1 while the destination takes nothing",
            Self::ClientConsumers => "Connected consumers",
            Self::BudgetBytes => "Bytes of the node's budget, held and in all",
            Self::BudgetWaiting => "Ways in that wait for the node's budget",
            Self::EmitterSkipped => "Records that REQUIRED SKIP dropped",
            Self::EmitterWaitingRecords => "Records that REQUIRED WAIT keeps until a state comes",
            Self::RelayStateRows => "Concrete branches with a materialized state",
            Self::RelayStateBytes => "Bytes of the materialized states of a relay",
            Self::StateCommits => "Durable commits of materialized states",
            Self::StateRows => "Materialized states that commits wrote or forgot",
            Self::StateUnwritten => "Batches that wait for their state to be durable",
        }
    }

    /// Its type.
    pub(crate) fn metric_type(self) -> MetricType {
        match self {
            Self::Messages
            | Self::Batches
            | Self::Bytes
            | Self::EmitterRetries
            | Self::EmitterLost
            | Self::EmitterRejected
            | Self::EmitterSkipped
            | Self::StateCommits
            | Self::StateRows => MetricType::Counter,
            Self::MessagesPerBatch | Self::DeliveryLatencySeconds => MetricType::Histogram,
            Self::RelayBufferLen
            | Self::EmitterPendingPayloads
            | Self::EmitterUnavailable
            | Self::ClientConsumers
            | Self::BudgetBytes
            | Self::BudgetWaiting
            | Self::EmitterWaitingRecords
            | Self::RelayStateRows
            | Self::RelayStateBytes
            | Self::StateUnwritten => MetricType::Gauge,
        }
    }
}
