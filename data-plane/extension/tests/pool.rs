//! Programs on real processes: what is ended, who is blamed, and what comes back.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and runs its jobs itself"
)]

use std::fs::Permissions;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arrow::array::{ArrayRef, UInt64Array};
use arrow::record_batch::RecordBatch;
use nervix_clock::{ManualClock, PhysicalClock};
use nervix_codec::{Answer, InThread, Job, JobFuture, Jobs, Packed, Packing, Place, Refused, Rows, encoder};
use nervix_columns::arrow_schema;
use nervix_extension::{ExtensionLimits, Pool, STOPPED_LINES_MAX};
use nspl_model::{BatchLimits, CodecDef, CodecForm, DataType, Field, JaqFormat, JaqPrograms, Schema};

/// No test waits longer for anything.
const PATIENCE: Duration = Duration::from_secs(60);

/// Long enough that a loaded machine does not pass it by accident, where nothing is to be stopped.
const AMPLE: Duration = Duration::from_secs(30);

fn schema() -> Schema {
    Schema {
        name: "records".to_owned(),
        fields: vec![Field {
            name: "id".to_owned(),
            data_type: DataType::U64,
            optional: false,
            sensitive: false,
        }],
    }
}

fn rows(count: u64) -> Vec<Rows> {
    let ids: ArrayRef = Arc::new((0..count).collect::<UInt64Array>());
    vec![Rows {
        records: RecordBatch::try_new(arrow_schema(&schema()), vec![ids]).unwrap(),
        snapshot_ns: 0,
    }]
}

fn codec(emitting: &str, batch: Option<&str>) -> CodecDef {
    CodecDef {
        name: "c".to_owned(),
        schema: Arc::new(schema()),
        form: CodecForm::Jaq {
            format: JaqFormat::Json,
            programs: JaqPrograms {
                ingestion: None,
                emitting: Some(emitting.to_owned()),
                emitting_batch: batch.map(str::to_owned),
            },
        },
    }
}

fn executable() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_extension-worker"))
}

fn pool(step_time: Duration, memory_bytes: u64) -> Arc<dyn Jobs> {
    pool_of(executable(), step_time, memory_bytes)
}

fn pool_of(executable: PathBuf, step_time: Duration, memory_bytes: u64) -> Arc<dyn Jobs> {
    let limits = limits(step_time, memory_bytes);
    Arc::new(Pool::of_executable(limits, PhysicalClock::system(), executable))
}

fn limits(step_time: Duration, memory_bytes: u64) -> ExtensionLimits {
    ExtensionLimits {
        workers: NonZeroUsize::MIN,
        waiting: 1,
        step_time,
        memory_bytes,
    }
}

fn job(
    jobs: &Arc<dyn Jobs>,
    def: &CodecDef,
    limits: Option<BatchLimits>,
    count: u64,
) -> JobFuture<Vec<Packed>> {
    match encoder(def, None, limits, jobs).unwrap().pack(&rows(count), 100) {
        Packing::Job(job) => job,
        Packing::Done(_) => panic!("a program ran on the spot"),
    }
}

async fn bounded<T>(work: impl Future<Output = T>) -> T {
    PhysicalClock::system()
        .timeout(PATIENCE, work)
        .await
        .expect("it takes too long")
}

async fn pack(jobs: &Arc<dyn Jobs>, def: &CodecDef, limits: Option<BatchLimits>, count: u64) -> Vec<String> {
    shown(&bounded(job(jobs, def, limits, count)).await.unwrap())
}

fn shown(results: &[Packed]) -> Vec<String> {
    let show = |packed: &Packed| match packed {
        Packed::Payload { bytes, left_out, .. } => {
            format!("{}{}", String::from_utf8_lossy(bytes), "!".repeat(left_out.len()))
        }
        Packed::Rejected { rows, fault, .. } => format!("{rows} {}: {}", fault.code.as_str(), fault.cause),
    };
    results.iter().map(show).collect()
}

const BATCH: Option<BatchLimits> = Some(BatchLimits {
    max_messages: 10,
    max_bytes: 1000,
});

/// Processes that were started by the thread of a test or by its runtime.
fn workers_of(parent: u32) -> Vec<u32> {
    let pids = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let is_child = |pid: &u32| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let line = |key: &str| {
            status
                .lines()
                .find_map(|line| line.strip_prefix(key))
                .unwrap_or_default()
                .trim()
                .to_owned()
        };
        line("PPid:") == parent.to_string()
            && line("Name:").starts_with("extension-work")
            && !line("State:").starts_with('Z')
    };
    pids.filter(is_child).collect()
}

async fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let clock = PhysicalClock::system();
    let deadline = clock.now().after(PATIENCE);
    while !condition() {
        assert!(clock.now() < deadline, "{what}");
        clock.sleep(Duration::from_millis(5)).await;
    }
}

/// What a process has had of a processor in its own code, in ticks.
fn work_of(pid: u32) -> u64 {
    let line = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name in parentheses, then the state as field 3; user time is field 14.
    let fields = line.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().nth(11);
    ticks.and_then(|ticks| ticks.parse().ok()).unwrap_or_default()
}

fn kill(pid: u32) {
    let killed = Command::new("kill")
        .args(["-9", &pid.to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
}

/// Tests that look at the processes of this one run one after the other.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

#[tokio::test]
async fn a_process_answers_what_a_thread_answers() {
    let _alone = ALONE.lock().await;
    let (pool, thread) = (pool(AMPLE, 512 << 20), Arc::new(InThread) as Arc<dyn Jobs>);
    let cases = [
        (codec("if .id == 3 then empty else {n: .id} end", None), None),
        (codec("{n: .id}", None), BATCH),
        (
            codec("if .id == 3 then error else .id end", Some("{all: .}")),
            BATCH,
        ),
        (codec(".id", Some("empty")), BATCH),
    ];
    for (def, limits) in cases {
        assert_eq!(
            pack(&pool, &def, limits, 25).await,
            pack(&thread, &def, limits, 25).await
        );
    }
    assert_eq!(workers_of(std::process::id()).len(), 1);
}

#[tokio::test]
async fn a_program_without_end_is_ended_and_only_its_record_is_rejected() {
    let _alone = ALONE.lock().await;
    let pool = pool(Duration::from_millis(500), 512 << 20);
    let def = codec("def f: f; if .id == 1 then f else .id end", None);
    let slow = "1 evaluation: ON EMITTING ran longer than 500ms";
    assert_eq!(pack(&pool, &def, None, 3).await, ["0", slow, "2"]);
    assert_eq!(pack(&pool, &def, BATCH, 3).await, ["[0,2]!"]);
    let def = codec(".id", Some("def f: f; f"));
    let slow = "3 evaluation: ON EMITTING BATCH ran longer than 500ms for a batch of 3 messages";
    assert_eq!(pack(&pool, &def, BATCH, 3).await, [slow]);
    // The pool goes on.
    assert_eq!(pack(&pool, &codec(".id", None), None, 2).await, ["0", "1"]);
}

/// What is logged goes here.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn lines_about_processes_that_are_ended_are_bounded() {
    let _alone = ALONE.lock().await;
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone());
    let logs = tracing::subscriber::set_default(subscriber.finish());
    // A clock that stands: the period has no end.
    let clock = ManualClock::new().physical();
    let pool = Pool::of_executable(limits(AMPLE, 128 << 20), clock, executable());
    let pool = Arc::new(pool) as Arc<dyn Jobs>;
    let count = u64::from(STOPPED_LINES_MAX) + 4;
    let greedy = codec("\"x\" * 1000000000 | length", None);
    let packed = pack(&pool, &greedy, None, count).await;
    assert_eq!(packed.len() as u64, count);
    drop(logs);
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let lines = text.matches("was ended at its limit").count();
    assert_eq!(lines, STOPPED_LINES_MAX as usize, "{text}");
}

#[tokio::test]
async fn many_steps_of_little_time_are_not_one_of_much() {
    let _alone = ALONE.lock().await;
    let pool = pool(Duration::from_secs(1), 512 << 20);
    let def = codec("[range(3000)] | length", None);
    let count = 2000;
    let packed = bounded(job(&pool, &def, BATCH, count)).await.unwrap();
    assert!(
        packed
            .iter()
            .all(|packed| matches!(packed, Packed::Payload { .. })),
        "{:?}",
        shown(&packed).first()
    );
}

#[tokio::test]
async fn a_program_without_measure_is_ended_and_only_its_record_is_rejected() {
    let _alone = ALONE.lock().await;
    let pool = pool(AMPLE, 128 << 20);
    let much = "1 evaluation: ON EMITTING took more than 128MiB of memory";
    for greedy in [
        "[range(1e9)]",
        "def f: 1 + f; f",
        "\"x\" * 1000000000",
        "[limit(1e8; repeat(1))]",
        "reduce range(1e7) as $n (0; [.])",
    ] {
        let def = codec(
            &format!("if .id == 1 then ({greedy} | length) else .id end"),
            None,
        );
        assert_eq!(pack(&pool, &def, None, 3).await, ["0", much, "2"], "{greedy}");
    }
    let def = codec(".id", Some("[range(1e9)]"));
    let much = "3 evaluation: ON EMITTING BATCH took more than 128MiB of memory for a batch of 3 messages";
    assert_eq!(pack(&pool, &def, BATCH, 3).await, [much]);
    let def = codec("if .id == 1 then \"x\" * 70000000 else .id end", None);
    let roomy = self::pool(AMPLE, 1 << 30);
    assert_eq!(
        pack(&roomy, &def, None, 3).await,
        ["0", "1 validation: JSON payload exceeds 64MiB", "2"]
    );
}

#[tokio::test]
async fn a_job_whose_process_is_killed_runs_again_and_blames_nobody() {
    let _alone = ALONE.lock().await;
    let own = std::process::id();
    let pool = pool(Duration::from_secs(2), 512 << 20);
    // One that nobody waits for.
    assert_eq!(pack(&pool, &codec(".id", None), None, 1).await, ["0"]);
    let idle = workers_of(own);
    idle.iter().copied().for_each(kill);
    assert_eq!(pack(&pool, &codec(".id", None), None, 1).await, ["0"]);
    // Once in the middle: the second process runs it to the limit of its own.
    let endless = codec("def f: f; if .id == 1 then f else .id end", None);
    let running = tokio::task::spawn(job(&pool, &endless, None, 3));
    let before = workers_of(own);
    assert_eq!(before.len(), 1);
    let worked = work_of(before[0]);
    until("the job is under way", || work_of(before[0]) > worked + 2).await;
    before.iter().copied().for_each(kill);
    let packed = shown(&bounded(running).await.unwrap().unwrap());
    assert_eq!(packed, ["0", "1 evaluation: ON EMITTING ran longer than 2s", "2"]);
    // Again and again: nothing is rejected, the records stay where they are.
    let running = tokio::task::spawn(job(&pool, &endless, None, 3));
    until("the job is given back", || {
        workers_of(own).into_iter().for_each(|pid| {
            let _gone = Command::new("kill")
                .args(["-9", &pid.to_string()])
                .stderr(Stdio::null())
                .status()
                .is_ok();
        });
        running.is_finished()
    })
    .await;
    let refused = running.await.unwrap().unwrap_err();
    assert!(refused.message.contains("were ended from outside"), "{refused}");
}

#[tokio::test]
async fn a_process_that_answers_what_is_no_answer_is_ended_and_blames_nobody() {
    let _alone = ALONE.lock().await;
    let folder = tempfile::tempdir().unwrap();
    let executable = folder.path().join("worker");
    // More than any answer has, and then it goes on.
    let script = "#!/bin/sh\nprintf '\\377\\377\\377\\377\\377\\377\\377\\377'\nexec /bin/cat > /dev/null\n";
    std::fs::write(&executable, script).unwrap();
    std::fs::set_permissions(&executable, Permissions::from_mode(0o700)).unwrap();
    let pool = pool_of(executable, AMPLE, 128 << 20);
    let refused = bounded(job(&pool, &codec(".id", None), None, 1))
        .await
        .unwrap_err();
    assert!(refused.message.contains("were ended"), "{refused}");
}

#[tokio::test]
async fn a_full_pool_refuses_and_runs_what_it_took() {
    let _alone = ALONE.lock().await;
    let pool = pool(Duration::from_millis(500), 512 << 20);
    let (slow, quick) = (codec("def f: f; f", None), codec(".id", None));
    let first = tokio::task::spawn(job(&pool, &slow, None, 1));
    let second = tokio::task::spawn(job(&pool, &quick, None, 1));
    until("both were taken", || {
        let packing = encoder(&quick, None, None, &pool).unwrap().pack(&rows(1), 1);
        let Packing::Job(job) = packing else { return false };
        let full = futures::FutureExt::now_or_never(job);
        matches!(full, Some(Err(Refused { message })) if message == "all 1 extension workers are busy and 1 jobs wait for one")
    })
    .await;
    assert_eq!(
        shown(&bounded(first).await.unwrap().unwrap()),
        ["1 evaluation: ON EMITTING ran longer than 500ms"]
    );
    assert_eq!(shown(&bounded(second).await.unwrap().unwrap()), ["0"]);
    assert_eq!(pack(&pool, &quick, None, 1).await, ["0"]);
}

#[tokio::test]
async fn a_job_that_is_abandoned_takes_its_process_with_it() {
    let _alone = ALONE.lock().await;
    let own = std::process::id();
    let pool = pool(AMPLE, 512 << 20);
    let running = tokio::task::spawn(job(&pool, &codec("def f: f; f", None), None, 1));
    until("the process runs", || !workers_of(own).is_empty()).await;
    running.abort();
    until("the process is gone", || workers_of(own).is_empty()).await;
    assert_eq!(pack(&pool, &codec(".id", None), None, 1).await, ["0"]);
    drop(pool);
    until("an idle process goes with its pool", || {
        workers_of(own).is_empty()
    })
    .await;
}

/// Keeps the jobs that it is given.
#[derive(Clone, Default)]
struct Keeping(Arc<Mutex<Vec<Job>>>);

impl Jobs for Keeping {
    fn place(&self) -> Result<Box<dyn Place>, Refused> {
        Ok(Box::new(self.clone()))
    }
}

impl Place for Keeping {
    fn run(&self, job: Job) -> JobFuture<Answer> {
        self.0.lock().unwrap().push(job);
        let refused = Refused {
            message: "kept".into(),
        };
        Box::pin(std::future::ready(Err(refused)))
    }
}

#[tokio::test]
async fn a_process_ends_with_its_node_also_in_the_middle_of_a_job() {
    let _alone = ALONE.lock().await;
    let keeping = Keeping::default();
    let jobs: Arc<dyn Jobs> = Arc::new(keeping.clone());
    let _refused = job(&jobs, &codec("def f: f; f", None), None, 1)
        .await
        .unwrap_err();
    let bytes = keeping.0.lock().unwrap().pop().unwrap().bytes;
    let notes = tempfile::tempfile().unwrap();
    let mut process = Command::new(executable())
        .args(["extension-worker", "--memory", "100000000"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::from(notes.try_clone().unwrap()))
        .spawn()
        .unwrap();
    let mut input = process.stdin.take().unwrap();
    std::io::Write::write_all(&mut input, &(bytes.len() as u64).to_le_bytes()).unwrap();
    std::io::Write::write_all(&mut input, &bytes).unwrap();
    until("the step is noted", || notes.metadata().unwrap().len() > 0).await;
    drop(input);
    let mut ended = None;
    until("the process has ended", || {
        ended = process.try_wait().unwrap();
        ended.is_some()
    })
    .await;
    assert!(ended.unwrap().success());
}

#[test]
fn a_process_that_is_started_by_hand_says_no() {
    let mut command = Command::new(executable());
    let by_hand = command
        .args(["extension-worker", "--memory", "1"])
        .stdin(Stdio::null())
        .stderr(Stdio::piped());
    assert!(!by_hand.status().unwrap().success());
    assert!(!Command::new(executable()).status().unwrap().success());
}
