//! What `nervix dev` leaves on the machine, who can reach it there, and what ends it.

use std::{
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

use nervix_tests::{
    process::Process,
    server::executable,
    wait::{must, until},
};

/// `nervix dev` that was started through a shell of its own.
struct Started {
    process: Process,
    folder: tempfile::TempDir,
}

impl Started {
    /// Waits until it serves; `shell` is what runs it, as `exec "$@"` does.
    async fn by(shell: &str, arguments: &[&str], temporary: &Path) -> Self {
        let folder = must("a folder", tempfile::tempdir());
        let mut command = Command::new("sh");
        command
            .args(["-c", shell, "sh"])
            .arg(executable())
            .args([
                "dev",
                "--control-addr",
                "127.0.0.1:0",
                "--flight-addr",
                "127.0.0.1:0",
            ])
            .args(["--http-addr", "127.0.0.1:0", "--ports-file", "ports.json"])
            .args(arguments)
            .env("TMPDIR", temporary)
            .current_dir(folder.path());
        let mut process = Process::start("nervix dev", command, &folder.path().join("log"));
        let ports = folder.path().join("ports.json");
        until("nervix dev serves", || {
            assert!(process.ended().is_none(), "{}", process.printed());
            let serves = ports.exists().then_some(());
            async move { serves }
        })
        .await;
        Self { process, folder }
    }
}

fn in_folder(folder: &Path) -> Vec<PathBuf> {
    let entries = must("list a folder", std::fs::read_dir(folder));
    entries.map(|entry| must("an entry", entry).path()).collect()
}

/// Everything below a folder.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut all = in_folder(folder);
    let inner = all.iter().filter(|path| path.is_dir());
    let inner: Vec<PathBuf> = inner.flat_map(|path| below(path)).collect();
    all.extend(inner);
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn under_a_lax_umask_nobody_else_reaches_the_worker_or_what_is_kept() {
    let temporary = must("a folder", tempfile::tempdir());
    for arguments in [&["--ephemeral"][..], &[]] {
        let started = Started::by("umask 000; exec \"$@\"", arguments, temporary.path()).await;
        let sockets = must(
            "list sockets",
            std::fs::read_to_string(format!("/proc/{}/net/unix", started.process.id())),
        );
        for place in [temporary.path(), started.folder.path()] {
            let place = place.to_str().expect("a plain path");
            assert!(!sockets.contains(place), "a socket with a name below {place}");
        }
        let kept = started.folder.path().join(".nervix");
        let kept = if kept.exists() { below(&kept) } else { Vec::new() };
        for path in below(temporary.path()).into_iter().chain(kept) {
            let mode = must("ask for the mode", std::fs::metadata(&path))
                .permissions()
                .mode();
            let private = path.is_dir() || mode & 0o077 == 0;
            assert!(private, "{}: {mode:o}", path.display());
        }
        for folder in in_folder(temporary.path()) {
            let mode = must("ask for the mode", std::fs::metadata(&folder))
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0o700, "{}", folder.display());
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_dev_leaves_nothing_in_the_temporary_place_beyond_the_next_start() {
    let temporary = must("a folder", tempfile::tempdir());
    for (arguments, leaves) in [(&[][..], 0), (&["--ephemeral"][..], 1)] {
        for _ in 0..2 {
            let mut started = Started::by("exec \"$@\"", arguments, temporary.path()).await;
            started.process.kill();
            assert_eq!(in_folder(temporary.path()).len(), leaves, "{arguments:?}");
        }
    }
    let mut started = Started::by("exec \"$@\"", &["--ephemeral"], temporary.path()).await;
    assert!(started.process.terminate().await.success());
    assert_eq!(in_folder(temporary.path()), Vec::<PathBuf>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dev_needs_no_temporary_place() {
    let long = PathBuf::from(format!("/nowhere/{}", "x".repeat(120)));
    let mut started = Started::by("exec \"$@\"", &[], &long).await;
    assert!(started.process.terminate().await.success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_closed_terminal_drains_unless_it_is_to_be_outlived() {
    let temporary = must("a folder", tempfile::tempdir());
    // Whoever runs the tests may be one that is to be outlived.
    let script = "exec env --default-signal=HUP \"$@\"";
    let mut started = Started::by(script, &[], temporary.path()).await;
    started.process.signal("HUP");
    assert!(started.process.exit().await.success());
    assert!(started.process.printed().contains("drained: nothing is left"));
    let mut outlives = Started::by("trap '' HUP; exec \"$@\"", &[], temporary.path()).await;
    assert!(ignores_hangup(outlives.process.id()));
    assert!(outlives.process.terminate().await.success());
}

/// As the system tells it.
fn ignores_hangup(process: u32) -> bool {
    let status = must(
        "ask the system",
        std::fs::read_to_string(format!("/proc/{process}/status")),
    );
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = u64::from_str_radix(ignored.expect("a mask").trim(), 16).expect("a number");
    mask & 1 != 0
}
