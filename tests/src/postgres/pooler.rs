//! A real PgBouncer before a Postgres, on a free loopback port.

use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_postgres::Client;

use super::{DATABASE, Owner, Postgres, USER, driven};
use crate::ports::free_port;
use crate::process::Process;
use crate::wait::{must, until};

/// A running PgBouncer, which lets everybody in as [`USER`].
#[derive(Debug)]
pub struct Pooler {
    _process: Process,
    port: u16,
    _folder: TempDir,
}

impl Pooler {
    /// Starts one with two sessions of a server and this `pool_mode`, and waits until it takes connections.
    ///
    /// # Panics
    /// When `NERVIX_TEST_PGBOUNCER` names no PgBouncer: a missing server fails the test.
    pub async fn start(server: &Postgres, password: &str, mode: &str) -> Self {
        let program = std::env::var_os("NERVIX_TEST_PGBOUNCER").map(PathBuf::from);
        let Some(program) = program.filter(|program| program.is_file()) else {
            panic!(
                "NERVIX_TEST_PGBOUNCER names no PgBouncer: run the tests with `make test`, which installs it"
            );
        };
        let folder = must("make a folder", tempfile::tempdir());
        let owner = Owner::find();
        owner.give(folder.path());
        let port = free_port();
        let settings = format!(
            "[databases]\n{DATABASE} = host=127.0.0.1 port={} user={USER} password='{password}'\n\
             [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = any\n\
             pool_mode = {mode}\ndefault_pool_size = 2\n",
            server.port(),
        );
        let file = folder.path().join("pgbouncer.ini");
        must("write its settings", std::fs::write(&file, settings));
        owner.give_alone(&file);
        let mut command = Command::new(program);
        owner.run(&mut command).arg(&file);
        let process = Process::start("pgbouncer", command, &folder.path().join("log"));
        until("PgBouncer takes connections", || async {
            TcpStream::connect(("127.0.0.1", port)).await.ok().map(drop)
        })
        .await;
        Self {
            _process: process,
            port,
            _folder: folder,
        }
    }

    /// Where clients connect: host:port.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// A client of [`USER`] through it; its connection ends with the set.
    ///
    /// # Panics
    /// When it takes none.
    pub async fn client(&self) -> (Client, JoinSet<()>) {
        let mut config = tokio_postgres::Config::new();
        config
            .host("127.0.0.1")
            .port(self.port)
            .user(USER)
            .dbname(DATABASE);
        driven(&config).await
    }
}
