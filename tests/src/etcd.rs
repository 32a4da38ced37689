//! A real etcd of one member, on free loopback ports, with its data in a folder of its own.

use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use crate::ports::free_port;
use crate::process::Process;
use crate::wait::{must, until};

/// A running etcd.
#[derive(Debug)]
pub struct Etcd {
    process: Process,
    port: u16,
    _folder: TempDir,
}

impl Etcd {
    /// Starts it and waits until it takes connections.
    ///
    /// # Panics
    /// When `NERVIX_TEST_ETCD_BIN` names no etcd: a missing server fails the test.
    pub async fn start() -> Self {
        let program = std::env::var_os("NERVIX_TEST_ETCD_BIN").map(PathBuf::from);
        let Some(program) = program else {
            panic!("NERVIX_TEST_ETCD_BIN is not set: run the tests with `make test`, which installs etcd");
        };
        let folder = must("make a folder", tempfile::tempdir());
        let (port, peer) = (free_port(), free_port());
        let client_url = format!("http://127.0.0.1:{port}");
        let peer_url = format!("http://127.0.0.1:{peer}");
        let mut command = Command::new(program);
        command
            .arg("--data-dir")
            .arg(folder.path().join("data"))
            .args([
                "--listen-client-urls",
                &client_url,
                "--advertise-client-urls",
                &client_url,
            ])
            .args([
                "--listen-peer-urls",
                &peer_url,
                "--initial-advertise-peer-urls",
                &peer_url,
            ])
            .args([
                "--initial-cluster",
                &format!("default={peer_url}"),
                "--log-level",
                "error",
            ]);
        let process = Process::start("etcd", command, &folder.path().join("log"));
        until("etcd takes connections", || async move {
            tokio::net::TcpStream::connect(("127.0.0.1", port)).await.ok()
        })
        .await;
        Self {
            process,
            port,
            _folder: folder,
        }
    }

    /// Where clients connect: host:port.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// What `--store` takes.
    pub fn store_url(&self) -> String {
        format!("etcd://{}", self.address())
    }

    /// The process, to pause, resume or kill it.
    pub fn process(&mut self) -> &mut Process {
        &mut self.process
    }
}
