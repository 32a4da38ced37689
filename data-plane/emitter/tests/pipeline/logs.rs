//! What an emitter writes into the log: ON MESSAGE ERROR LOG, ON GENERAL ERROR, and error records that could not be built
//! (companion section 6, rulings section 9 "General error"). Nothing quotes a value.

use std::io::Write;
use std::sync::Arc;

use nervix_emitter::{CHANGES_MAX, CHANGES_PERIOD, EmitterEventKind};
use nervix_sink::{Failure, FailureKind};
use nervix_sink_testkit::Deed;
use nspl_model::{DataType, GeneralPolicy, MessagePolicy};
use parking_lot::Mutex;
use tracing::subscriber::DefaultGuard;

use crate::model::{BACKOFF, binary, dividing, input, integer, send_to, thousand_by_id};
use crate::outside::to_kafka;
use crate::stage::{Stage, delivery, failures_def, stage};

/// A value that may stand nowhere.
const SECRET: &str = "hunter2";

/// What is logged on this thread from now on.
pub(crate) struct Log {
    lines: Arc<Mutex<Vec<u8>>>,
    _guard: DefaultGuard,
}

struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Log {
    pub(crate) fn begin() -> Self {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let writer = lines.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .with_writer(move || Lines(writer.clone()))
            .finish();
        Self {
            lines,
            _guard: tracing::subscriber::set_default(subscriber),
        }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.lines.lock().clone()).unwrap()
    }
}

/// An application asks for a delivery again.
async fn in_trouble(general: GeneralPolicy) -> Stage {
    let stage = stage(|def| def.on_general_error = general);
    let consumer = stage.consumer(8);
    stage.write(&[1]).await;
    stage.flow().await;
    let first = delivery(&consumer).await;
    consumer
        .retry(std::slice::from_ref(&first.reference))
        .await
        .unwrap();
    stage.clock.settle().await;
    stage
}

#[tokio::test]
async fn on_general_error_ignore_silences_the_log_line_and_neither_describe_nor_events() {
    for (general, logged) in [(GeneralPolicy::Log, true), (GeneralPolicy::Ignore, false)] {
        let log = Log::begin();
        let stage = in_trouble(general).await;
        assert_eq!(
            log.text().contains("event=\"retrying\""),
            logged,
            "{}",
            log.text()
        );
        let transient = stage.handle.status().transient_error;
        assert_eq!(transient.map(|transient| transient.backoff), Some(BACKOFF));
        assert_eq!(stage.told(), [EmitterEventKind::Retrying]);
    }
}

#[tokio::test]
async fn on_message_error_log_says_where_and_why_once_for_a_cause_and_ignore_says_nothing() {
    for (policy, logged) in [(MessagePolicy::Log, true), (MessagePolicy::Ignore, false)] {
        let log = Log::begin();
        let stage = stage(|def| {
            def.construction = dividing();
            def.on_message_error = policy;
        });
        let written = stage.write_to(0, &[0, 1, 0], SECRET).await;
        let text = log.text();
        assert_eq!(
            text.matches("records rejected").count(),
            usize::from(logged),
            "{text}"
        );
        let says = [
            "domain=shop",
            "emitter=notify",
            "code=evaluation",
            "operation=construct",
            "operation_index=0",
            "fields=\"id\"",
            "rows=2",
            "reference=\"",
            "division by zero",
        ];
        assert_eq!(says.iter().all(|word| text.contains(word)), logged, "{text}");
        assert!(!text.contains(SECRET), "{text}");
        assert!(
            written.verdict().is_none(),
            "the row that did not fail is under way"
        );
    }
}

#[tokio::test]
async fn lines_about_rejected_records_are_bounded_and_what_is_passed_over_is_counted() {
    let log = Log::begin();
    let stage = stage(|def| {
        def.construction = dividing();
        def.on_message_error = MessagePolicy::Log;
    });
    for _ in 0..100 {
        stage.write(&[0]).await;
    }
    let lines = || log.text().matches("records rejected").count();
    assert_eq!(lines(), MessagePolicy::LOG_LINES_MAX as usize);
    stage.clock.advance(MessagePolicy::LOG_PERIOD).await;
    stage.write(&[0]).await;
    assert_eq!(lines(), MessagePolicy::LOG_LINES_MAX as usize + 1);
    assert!(log.text().contains("passed_over=92"), "{}", log.text());
    assert_eq!(stage.handle.status().counters.rejected_messages(), 101);
}

#[tokio::test]
async fn lines_about_a_destination_that_comes_and_goes_are_bounded_and_the_rest_is_counted() {
    let log = Log::begin();
    let stage = stage(|def| {
        to_kafka(def);
        def.on_general_error = GeneralPolicy::Log;
    });
    let mut is_away = false;
    stage.broker.on_receipt(move |_| {
        is_away = !is_away;
        match is_away {
            true => Deed::Fail(Failure::new(FailureKind::Unavailable, "it is away")),
            false => Deed::Take,
        }
    });
    for id in 0..20 {
        stage.write(&[id]).await;
        stage.flow().await;
        stage.clock.advance(BACKOFF).await;
    }
    assert_eq!(stage.handle.status().counters.sent.messages, 20);
    let lines = || log.text().matches("event=").count();
    assert_eq!(lines(), CHANGES_MAX as usize);
    stage.clock.advance(CHANGES_PERIOD).await;
    assert_eq!(lines(), CHANGES_MAX as usize + 1);
    assert!(
        log.text()
            .contains("nothing waits to be sent again (35 changes before it were not told)"),
        "{}",
        log.text()
    );
    assert_eq!(stage.told().last(), Some(&EmitterEventKind::Recovered));
}

#[tokio::test]
async fn an_error_record_that_cannot_be_built_is_logged_with_its_cause() {
    let log = Log::begin();
    let stage = stage(|def| {
        def.construction = dividing();
        // SET id = 1000 / id fails again for the very same row.
        def.on_message_error = send_to(failures_def(64), thousand_by_id());
        // Which of the policies is said makes no difference here.
        def.on_general_error = GeneralPolicy::Ignore;
    });
    let written = stage.write_to(0, &[0], SECRET).await;
    let text = log.text();
    assert!(text.contains("error records could not be built"), "{text}");
    assert!(
        text.contains("relay=\"failures\"") && text.contains("division by zero"),
        "{text}"
    );
    assert!(!text.contains(SECRET), "{text}");
    assert!(written.verdict().is_some_and(|verdict| verdict.refused == 1));
}

#[tokio::test]
async fn the_fields_of_a_failure_are_sorted_and_each_named_once() {
    let log = Log::begin();
    let stage = stage(|def| {
        let name = input("name", 1, DataType::String);
        let id = || input("id", 0, DataType::I64);
        let is_named = binary(nspl_model::BinaryOp::Equal, name, text(SECRET), DataType::Bool);
        let fails = binary(
            nspl_model::BinaryOp::Greater,
            binary(nspl_model::BinaryOp::Divide, id(), id(), DataType::I64),
            integer(0),
            DataType::Bool,
        );
        def.sources[0].filter = Some(binary(nspl_model::BinaryOp::And, is_named, fails, DataType::Bool));
        def.on_message_error = MessagePolicy::Log;
    });
    stage.write_to(0, &[0], SECRET).await;
    let text = log.text();
    assert!(
        text.contains("fields=\"id,name\"") && text.contains("operation=filter"),
        "{text}"
    );
    assert!(!text.contains(SECRET), "{text}");
}

fn text(value: &str) -> nspl_model::Expr {
    nspl_model::Expr {
        data_type: DataType::String,
        nullable: false,
        sensitive: false,
        kind: nspl_model::ExprKind::Literal(nspl_model::Literal::String(value.to_owned())),
    }
}
