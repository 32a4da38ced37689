//! The `nervix` executable under test: `dev` in one process, or `control-plane` and `worker` in processes of their own.

use std::ffi::OsStr;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::names::Names;
use crate::ports::free_port;
use crate::process::Process;
use crate::wait::{must, until};

/// The executable that `cargo build` left beside the tests.
///
/// # Panics
/// When it is not there.
pub fn executable() -> PathBuf {
    let mut folder = must("find the test", std::env::current_exe());
    while folder.pop() {
        let candidate = folder.join("nervix");
        if candidate.is_file() {
            return candidate;
        }
    }
    panic!("there is no nervix executable beside the tests: build it first, as `make test` does");
}

/// Addresses of a running process, as its ports file gives them.
#[derive(Debug, Clone, Default)]
pub struct Ports {
    /// Control API, `host:port`; empty for a worker.
    pub control: String,
    /// Arrow Flight, `host:port`; empty for a control plane.
    pub flight: String,
    /// Metrics and health, `host:port`.
    pub http: String,
}

impl Ports {
    fn kept() -> Self {
        let address = || format!("127.0.0.1:{}", free_port());
        Self {
            control: address(),
            flight: address(),
            http: address(),
        }
    }
}

/// One running `nervix` process with a folder of its own.
#[derive(Debug)]
pub struct Nervix {
    process: Process,
    ports: Ports,
    folder: TempDir,
    run: Run,
}

/// What is run.
#[derive(Debug)]
struct Run {
    arguments: Vec<String>,
    /// None: those of the system.
    names: Option<Names>,
}

impl Nervix {
    /// `nervix dev`, without a store, on free ports.
    pub async fn dev() -> Self {
        Self::start(&["dev", "--ephemeral"]).await
    }

    /// `nervix dev` whose store outlives a restart.
    pub async fn dev_with_store() -> Self {
        Self::start(&["dev"]).await
    }

    /// [`Self::dev`], resolving by these names.
    pub async fn dev_with_names(names: &Names) -> Self {
        Self::start_run(&["dev", "--ephemeral"], Some(names.clone())).await
    }

    /// Any serving command, on free ports, in a fresh folder. What is not ephemeral may come back, and has ports that
    /// nobody else gets meanwhile.
    pub async fn start(arguments: &[&str]) -> Self {
        Self::start_run(arguments, None).await
    }

    async fn start_run(arguments: &[&str], names: Option<Names>) -> Self {
        let folder = must("make a folder", tempfile::tempdir());
        let comes_back = !arguments.contains(&"--ephemeral");
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let run = Run { arguments, names };
        let wanted = if comes_back {
            Ports::kept()
        } else {
            Ports::default()
        };
        let (process, ports) = launch(&run, folder.path(), &wanted).await;
        Self {
            process,
            ports,
            folder,
            run,
        }
    }

    /// Starts the same command again in the same folder and on the same ports; the process must have ended.
    pub async fn start_again(&mut self) {
        let (process, ports) = launch(&self.run, self.folder.path(), &self.ports).await;
        self.process = process;
        self.ports = ports;
    }

    /// Its addresses.
    pub fn ports(&self) -> &Ports {
        &self.ports
    }

    /// Its working directory.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The process, to signal or kill it.
    pub fn process(&mut self) -> &mut Process {
        &mut self.process
    }

    /// Runs a client command against this server, in its folder.
    ///
    /// # Panics
    /// When the command cannot be started.
    pub fn command<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Output {
        must("run nervix", self.client(arguments).output())
    }

    fn client<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Command {
        let mut command = Command::new(executable());
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env("NERVIX_SERVER", &self.ports.control);
        command
    }

    /// Runs NSPL and expects it to be accepted. It goes through standard input, which takes a script of any length.
    ///
    /// # Panics
    /// When it is refused, with what was printed.
    pub fn exec(&self, script: &str) -> String {
        let mut input = must("make a file", tempfile::tempfile());
        must("write the script", input.write_all(script.as_bytes()));
        must("rewind the script", input.rewind());
        let output = must("run nervix", self.client(&["exec", "-"]).stdin(input).output());
        let printed = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert!(
            output.status.success(),
            "nervix exec was refused:\n{script}\n{printed}"
        );
        printed
    }

    /// One page of its HTTP server.
    ///
    /// # Panics
    /// When the server does not answer.
    pub async fn page(&self, path: &str) -> (u16, String) {
        must("read a page", get(&self.ports.http, path).await)
    }

    /// The sum of all series of a family; 0 when there is none.
    pub async fn metric(&self, family: &str) -> f64 {
        self.metric_of(family, "").await
    }

    /// The sum of those series of a family whose line holds `label`, such as `target="orders"`.
    pub async fn metric_of(&self, family: &str, label: &str) -> f64 {
        let (_, page) = self.page("/metrics").await;
        page.lines()
            .filter(|line| line.starts_with(family) && line.contains(label))
            .filter_map(|line| line.rsplit(' ').next())
            .filter_map(|value| value.parse::<f64>().ok())
            .sum()
    }
}

/// Bytes as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

async fn launch(run: &Run, folder: &Path, wanted: &Ports) -> (Process, Ports) {
    let file = folder.join("ports.json");
    std::fs::remove_file(&file).unwrap_or_default();
    let serves = run.arguments.first().map(String::as_str).unwrap_or_default();
    let mut command = match &run.names {
        Some(names) => names.command(&executable()),
        None => Command::new(executable()),
    };
    command
        .args(&run.arguments)
        .arg("--ports-file")
        .arg(&file)
        .current_dir(folder);
    let or_free = |address: &str| {
        if address.is_empty() {
            "127.0.0.1:0".to_owned()
        } else {
            address.to_owned()
        }
    };
    if serves != "worker" {
        command.args(["--control-addr", &or_free(&wanted.control)]);
    }
    if serves != "control-plane" {
        command.args(["--flight-addr", &or_free(&wanted.flight)]);
    }
    command.args(["--http-addr", &or_free(&wanted.http)]);
    let mut process = Process::start("nervix", command, &folder.join("log"));
    let ports = until("nervix writes its ports file", || {
        if let Some(status) = process.ended() {
            panic!("nervix ended ({status}) before it served:\n{}", process.printed());
        }
        let ports = read_ports(&file);
        async move { ports }
    })
    .await;
    (process, ports)
}

fn read_ports(file: &Path) -> Option<Ports> {
    let json: serde_json::Value = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
    let field = |name: &str| {
        json.get(name)
            .and_then(|value| value.as_str())
            .unwrap_or_default()
            .to_owned()
    };
    Some(Ports {
        control: field("control"),
        flight: field("flight"),
        http: field("http"),
    })
}

async fn get(address: &str, path: &str) -> std::io::Result<(u16, String)> {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut stream = tokio::net::TcpStream::connect(address).await?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    let answer = text(&answer);
    let status = answer
        .split(' ')
        .nth(1)
        .and_then(|code| code.parse().ok())
        .unwrap_or(0);
    let body = answer
        .split_once("\r\n\r\n")
        .map(|(_, body)| body.to_owned())
        .unwrap_or_default();
    Ok((status, body))
}
