//! One scrape: reads every ingestor, emitter and relay of the directory.
//!
//! Values of the label `direction`: `in`, `out`. Of `stream`: `client` (an application), `destination` (an outside system),
//! `relay`, `error` (error records).

use std::{fmt, sync::Arc};

use nervix_budget::Budget;
use nervix_emitter::{CounterSnapshot, EmitterState, EmitterStatus, HistogramSnapshot};
use nervix_ingestor::{Flow, IngestorTraffic};
use nervix_relay::StateSize;
use nervix_sink::SessionStatus;
use nervix_sink_client::Exchange;
use nervix_state::StateStore;
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, MetricEncoder},
};

use super::Family;
use crate::directory::{Directory, Entry, Outlet};

const MICROS_PER_SECOND: f64 = 1_000_000.0;

/// See the module.
pub(crate) struct Scrape {
    node: Arc<str>,
    directory: Directory,
    budget: Budget,
    states: StateStore,
}

/// What is read of one entity, once a scrape.
struct Entity {
    domain: Arc<str>,
    name: Arc<str>,
    reading: Reading,
}

enum Reading {
    Ingestor(Arc<IngestorTraffic>),
    Emitter {
        counters: Box<CounterSnapshot>,
        /// Of an emitter with consumers.
        session: Option<SessionStatus>,
        status: Option<Box<EmitterStatus>>,
    },
}

struct FlowReading {
    direction: &'static str,
    stream: &'static str,
    messages: u64,
    batches: u64,
    bytes: u64,
}

type Labels<'a> = Vec<(&'a str, &'a str)>;

/// A gauge of an emitter and how it is read.
type Gauge = (Family, fn(&Reading) -> u64);

/// What is read of a relay's materialized state.
type SizeOf = fn(&StateSize) -> u64;

impl Scrape {
    pub(crate) fn new(node: &str, directory: Directory, (budget, states): (Budget, StateStore)) -> Self {
        Self {
            node: node.into(),
            directory,
            budget,
            states,
        }
    }

    fn entities(&self) -> Vec<Entity> {
        let entries = self.directory.list(None).into_iter();
        let read = entries.map(|((domain, name), entry)| Entity {
            domain,
            name,
            reading: match entry {
                Entry::Ingestor(inlet) => Reading::Ingestor(Arc::clone(inlet.traffic())),
                Entry::Emitter(outlet) => read_emitter(&outlet),
            },
        });
        read.collect()
    }

    fn labels<'a>(&'a self, entity: &'a Entity) -> Labels<'a> {
        let kind = match entity.reading {
            Reading::Ingestor(_) => "ingestor",
            Reading::Emitter { .. } => "emitter",
        };
        vec![
            ("domain", &*entity.domain),
            ("target_kind", kind),
            ("target", &*entity.name),
            ("node", &*self.node),
        ]
    }

    fn flows(
        &self,
        entities: &[Entity],
        encoder: &mut DescriptorEncoder<'_>,
        (family, value): (Family, fn(&FlowReading) -> u64),
    ) -> fmt::Result {
        let mut metric = begin(encoder, family)?;
        for entity in entities {
            for flow in entity.flows() {
                let mut labels = self.labels(entity);
                labels.extend([("direction", flow.direction), ("stream", flow.stream)]);
                count(&mut metric, &labels, value(&flow))?;
            }
        }
        Ok(())
    }

    fn histograms(&self, entities: &[Entity], encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let mut metric = begin(encoder, Family::MessagesPerBatch)?;
        for entity in entities {
            let (sum, buckets) = match &entity.reading {
                Reading::Ingestor(traffic) => (traffic.rows.sum() as f64, traffic.rows.buckets()),
                Reading::Emitter { counters, .. } => buckets_of(&counters.messages_per_batch, 1.0),
            };
            observe(&mut metric, &self.labels(entity), (sum, buckets))?;
        }
        let mut metric = begin(encoder, Family::DeliveryLatencySeconds)?;
        for entity in entities {
            if let Reading::Emitter { counters, .. } = &entity.reading {
                let read = buckets_of(&counters.latency_us, MICROS_PER_SECOND);
                observe(&mut metric, &self.labels(entity), read)?;
            }
        }
        Ok(())
    }

    fn relays(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let mut metric = begin(encoder, Family::RelayBufferLen)?;
        for (domain, run) in self.directory.runs() {
            for relay in run.list() {
                let labels = vec![
                    ("domain", &*domain),
                    ("target_kind", "relay"),
                    ("target", relay.name()),
                    ("node", &*self.node),
                ];
                gauge(&mut metric, &labels, relay.buffered() as u64)?;
            }
        }
        Ok(())
    }

    fn states(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let sizes: [(Family, SizeOf); 2] = [
            (Family::RelayStateRows, |size| size.rows),
            (Family::RelayStateBytes, |size| size.bytes),
        ];
        for (family, value) in sizes {
            let mut metric = begin(encoder, family)?;
            for (domain, run) in self.directory.runs() {
                for relay in run.list() {
                    let Some(state) = relay.materialized() else {
                        continue;
                    };
                    let labels = vec![
                        ("domain", &*domain),
                        ("target_kind", "relay"),
                        ("target", relay.name()),
                        ("node", &*self.node),
                    ];
                    gauge(&mut metric, &labels, value(&state.size()))?;
                }
            }
        }
        let status = self.states.status();
        let labels = vec![("node", &*self.node)];
        count(
            &mut begin(encoder, Family::StateCommits)?,
            &labels,
            status.commits,
        )?;
        count(&mut begin(encoder, Family::StateRows)?, &labels, status.rows)?;
        gauge(
            &mut begin(encoder, Family::StateUnwritten)?,
            &labels,
            status.unwritten,
        )
    }

    fn emitters(&self, entities: &[Entity], encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let mut metric = begin(encoder, Family::EmitterRetries)?;
        for (entity, counters) in emitters(entities) {
            count(&mut metric, &self.labels(entity), counters.retries)?;
        }
        let mut metric = begin(encoder, Family::EmitterLost)?;
        for (entity, counters) in emitters(entities) {
            count(&mut metric, &self.labels(entity), counters.lost)?;
        }
        let mut metric = begin(encoder, Family::EmitterRejected)?;
        for (entity, counters) in emitters(entities) {
            for rejected in &counters.rejected {
                let mut labels = self.labels(entity);
                labels.extend([
                    ("code", rejected.code.as_str()),
                    ("operation", rejected.operation.as_str()),
                ]);
                count(&mut metric, &labels, rejected.messages)?;
            }
        }
        let mut metric = begin(encoder, Family::EmitterSkipped)?;
        for (entity, counters) in emitters(entities) {
            count(&mut metric, &self.labels(entity), counters.skipped)?;
        }
        let gauges: [Gauge; 4] = [
            (Family::EmitterWaitingRecords, waiting),
            (Family::EmitterPendingPayloads, pending),
            (Family::EmitterUnavailable, unavailable),
            (Family::ClientConsumers, consumers),
        ];
        for (family, value) in gauges {
            let mut metric = begin(encoder, family)?;
            for (entity, _) in emitters(entities) {
                gauge(&mut metric, &self.labels(entity), value(&entity.reading))?;
            }
        }
        Ok(())
    }
}

impl Collector for Scrape {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let entities = self.entities();
        let encoder = &mut encoder;
        self.flows(&entities, encoder, (Family::Messages, |flow| flow.messages))?;
        self.flows(&entities, encoder, (Family::Batches, |flow| flow.batches))?;
        self.flows(&entities, encoder, (Family::Bytes, |flow| flow.bytes))?;
        self.histograms(&entities, encoder)?;
        self.relays(encoder)?;
        self.states(encoder)?;
        self.emitters(&entities, encoder)?;
        let mut metric = begin(encoder, Family::BudgetBytes)?;
        for (of, bytes) in [("held", self.budget.used()), ("limit", self.budget.limit())] {
            gauge(&mut metric, &vec![("of", of), ("node", &*self.node)], bytes)?;
        }
        let mut metric = begin(encoder, Family::BudgetWaiting)?;
        gauge(
            &mut metric,
            &vec![("node", &*self.node)],
            self.budget.waiting() as u64,
        )
    }
}

impl fmt::Debug for Scrape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scrape")
            .field("node", &self.node)
            .finish_non_exhaustive()
    }
}

impl Entity {
    fn flows(&self) -> Vec<FlowReading> {
        match &self.reading {
            Reading::Ingestor(traffic) => vec![
                flow_reading(("in", "client"), &traffic.written),
                flow_reading(("out", "relay"), &traffic.published),
                flow_reading(("out", "error"), &traffic.errors),
            ],
            Reading::Emitter {
                counters, session, ..
            } => vec![
                FlowReading {
                    direction: "in",
                    stream: "relay",
                    messages: counters.received.messages,
                    batches: counters.received.batches,
                    bytes: counters.received.bytes,
                },
                FlowReading {
                    direction: "out",
                    stream: if session.is_some() {
                        "client"
                    } else {
                        "destination"
                    },
                    messages: counters.sent.messages,
                    batches: counters.sent.batches,
                    bytes: counters.sent.bytes,
                },
            ],
        }
    }
}

fn flow_reading((direction, stream): (&'static str, &'static str), flow: &Flow) -> FlowReading {
    FlowReading {
        direction,
        stream,
        messages: flow.messages(),
        batches: flow.batches(),
        bytes: flow.bytes(),
    }
}

fn read_emitter(outlet: &Outlet) -> Reading {
    let handle = outlet.handle.lock().clone();
    let status = handle.map(|handle| Box::new(handle.status()));
    // A running emitter has read its session already.
    let session = status.as_ref().and_then(|status| status.session.clone());
    Reading::Emitter {
        counters: Box::new(outlet.counters.snapshot()),
        session: session.or_else(|| outlet.exchange.as_ref().map(Exchange::status)),
        status,
    }
}

fn emitters(entities: &[Entity]) -> impl Iterator<Item = (&Entity, &CounterSnapshot)> {
    entities.iter().filter_map(|entity| match &entity.reading {
        Reading::Emitter { counters, .. } => Some((entity, &**counters)),
        Reading::Ingestor(_) => None,
    })
}

fn pending(reading: &Reading) -> u64 {
    match reading {
        Reading::Emitter {
            status: Some(status), ..
        } => status.pending.retained_batches,
        _ => 0,
    }
}

fn waiting(reading: &Reading) -> u64 {
    match reading {
        Reading::Emitter {
            status: Some(status), ..
        } => status.waiting.iter().map(|waiting| waiting.records).sum(),
        _ => 0,
    }
}

fn unavailable(reading: &Reading) -> u64 {
    match reading {
        Reading::Emitter {
            status: Some(status), ..
        } => u64::from(status.state == EmitterState::Unavailable),
        _ => 0,
    }
}

fn consumers(reading: &Reading) -> u64 {
    match reading {
        Reading::Emitter { session, .. } => session.as_ref().map_or(0, |session| session.active_consumers),
        Reading::Ingestor(_) => 0,
    }
}

fn buckets_of(read: &HistogramSnapshot, unit: f64) -> (f64, Vec<(f64, u64)>) {
    let bounds = read
        .bounds
        .iter()
        .map(|bound| *bound as f64 / unit)
        .chain([f64::MAX]);
    (
        read.sum as f64 / unit,
        bounds.zip(read.counts.iter().copied()).collect(),
    )
}

fn begin<'a>(
    encoder: &'a mut DescriptorEncoder<'_>,
    family: Family,
) -> Result<MetricEncoder<'a>, fmt::Error> {
    encoder.encode_descriptor(family.name(), family.help(), None, family.metric_type())
}

fn count(metric: &mut MetricEncoder<'_>, labels: &Labels<'_>, value: u64) -> fmt::Result {
    metric
        .encode_family(labels)?
        .encode_counter::<prometheus_client::encoding::NoLabelSet, u64, u64>(&value, None)
}

fn gauge(metric: &mut MetricEncoder<'_>, labels: &Labels<'_>, value: u64) -> fmt::Result {
    metric
        .encode_family(labels)?
        .encode_gauge(&i64::try_from(value).unwrap_or(i64::MAX))
}

fn observe(
    metric: &mut MetricEncoder<'_>,
    labels: &Labels<'_>,
    (sum, buckets): (f64, Vec<(f64, u64)>),
) -> fmt::Result {
    let total = buckets.iter().map(|(_, count)| count).sum();
    metric
        .encode_family(labels)?
        .encode_histogram::<prometheus_client::encoding::NoLabelSet>(sum, total, &buckets, None)
}
