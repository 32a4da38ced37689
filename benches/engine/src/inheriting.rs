//! What a row costs on its whole way through an emitter that only inherits: relay, construction, flush, packing, encoding,
//! delivery, the application's answer, the acknowledgement of its writer. No wire is part of it.

use std::sync::Arc;
use std::sync::mpsc;

use arrow::array::RecordBatch;
use nervix_ack::{Verdict, root};
use nervix_budget::Budget;
use nervix_clock::{DomainClock, PhysicalClock};
use nervix_columns::held_bytes;
use nervix_emitter::{Emitter, EmitterCounters, EmitterParts, NoEvents, Supply};
use nervix_relay::{Relay, RelayBatch, Timestamps};
use nervix_sink_client::{
    ConnectOptions, ConsumerSession, Exchange, ExchangeOptions, SessionEvent, SessionOptions,
};
use nspl::model::{EmitterDef, Flush};
use tokio::time::Instant;

use crate::bound::Bound;
use crate::report::{Report, Row};
use crate::runs::Runs;
use crate::subject::Subject;
use crate::timing::figure;

/// Runs of each size of batch.
const RUNS: usize = 25;
/// Batches that are not counted: the first ones find no memory that was used before.
const WARM: usize = 5;
/// Bytes a consumer may hold: more than a batch has.
const CONSUMER_BYTES: u64 = 1 << 30;

/// Measures batches of all rows, and of a thousand.
pub(crate) async fn measure(report: &mut Report) {
    let subject = Subject::new("", "n I64, x F64, t STRING, o I64 OPTIONAL", "INHERIT ALL");
    for rows in [subject.batch.num_rows(), 1_000] {
        let runs = run(&subject, rows).await;
        report.row(Row {
            what: &format!(
                "an emitter that only inherits, batches of {rows} rows, from relay to acknowledgement"
            ),
            nervix: figure(&runs),
            beside: String::new(),
            ratio: None,
            bound: Bound::Reported,
        });
    }
}

/// A relay with one consumer, whose emitter runs beside what is measured.
struct Way {
    relay: Arc<Relay>,
    domain: DomainClock,
    budget: Budget,
    application: ConsumerSession,
}

async fn run(subject: &Subject, rows: usize) -> Runs {
    let physical = PhysicalClock::system();
    let domain = DomainClock::unpaced(physical.clone());
    let def = Arc::new(EmitterDef {
        // Each batch leaves at once, by its size: no window is measured.
        flush: Flush::Each {
            every: std::time::Duration::from_secs(1),
            max_bytes: 1,
        },
        ..(*subject.emitter).clone()
    });
    let relay = Relay::new(def.sources[0].relay.clone());
    let exchange = Exchange::new(ExchangeOptions {
        clock: physical,
        consumer_bytes: CONSUMER_BYTES,
    });
    let budget = Budget::new(u64::MAX);
    let parts = EmitterParts {
        consumers: vec![relay.attach("e", def.attachment)],
        sink: Supply::Open(exchange.open(SessionOptions {
            ack_timeout: std::time::Duration::from_secs(30),
        })),
        dependencies: Vec::new(),
        error_relay: None,
        clock: domain.clone(),
        budget: budget.clone(),
        counters: Arc::new(EmitterCounters::default()),
        events: Arc::new(NoEvents),
        def,
    };
    let Ok((_handle, emitter)) = Emitter::new(parts) else {
        panic!("an emitter that only inherits compiles");
    };
    let Ok(application) = exchange.connect(ConnectOptions::default()) else {
        panic!("an exchange takes consumers");
    };
    let way = Way {
        relay,
        domain,
        budget,
        application,
    };
    tokio::select! {
        _ = emitter.run() => panic!("the emitter ended"),
        runs = way.runs(&subject.batch, rows) => runs,
    }
}

impl Way {
    async fn runs(&self, batch: &RecordBatch, rows: usize) -> Runs {
        let mut figures = Vec::new();
        for number in 0..WARM + RUNS {
            let start = Instant::now();
            for first in (0..batch.num_rows()).step_by(rows) {
                self.deliver(batch.slice(first, rows.min(batch.num_rows() - first)))
                    .await;
            }
            if number >= WARM {
                figures.push(start.elapsed().as_secs_f64() * 1e9 / batch.num_rows() as f64);
            }
        }
        Runs::of(figures)
    }

    /// One batch, from its publication to the verdict of its writer.
    async fn deliver(&self, records: RecordBatch) {
        let (told, verdict) = mpsc::sync_channel(1);
        let rows = u32::try_from(records.num_rows()).unwrap_or(u32::MAX);
        let share = root(rows, move |verdict| told.send(verdict).unwrap_or(()));
        let snapshot = self.domain.snapshot();
        let batch = RelayBatch {
            timestamps: Timestamps::uniform(records.num_rows(), snapshot.domain_time),
            snapshot: Arc::new(snapshot),
            held: Arc::new(self.budget.charge(held_bytes(&records))),
            records,
            share,
            branch: None,
        };
        if self.relay.publish(batch).await.is_err() {
            panic!("the relay is open");
        }
        self.application.grant(1);
        loop {
            match self.application.recv().await {
                Some(SessionEvent::Deliver(delivery)) => {
                    let answered = self.application.ack(&[delivery.reference]).await;
                    assert!(answered.is_ok(), "a ref that was delivered is well formed");
                }
                Some(SessionEvent::Outcome { .. }) => break,
                _ => panic!("the exchange is open"),
            }
        }
        loop {
            match verdict.try_recv() {
                Ok(Verdict { .. }) => return,
                Err(_) => tokio::task::yield_now().await,
            }
        }
    }
}
