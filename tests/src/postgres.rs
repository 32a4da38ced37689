//! A real Postgres of the tests' own, on a free loopback port, with its data in a folder of its own.
//!
//! Its time zone is that of New York, so that nothing in a test depends on it silently. The superuser `postgres` is trusted;
//! everybody else needs a password, `tlsonly` an encrypted connection, too, and `known` a certificate of its authority. Its certificate is valid for `localhost`.

mod pooler;

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use tempfile::TempDir;
use tokio::task::JoinSet;
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

use crate::authority::Authority;
use crate::ports::free_port;
use crate::process::Process;
use crate::wait::{must, until};
pub use pooler::Pooler;

/// The database that tests write to.
pub const DATABASE: &str = "nervix";
/// The role that writes, and that may make nothing.
pub const USER: &str = "writer";

/// A running Postgres.
#[derive(Debug)]
pub struct Postgres {
    process: Process,
    port: u16,
    folder: TempDir,
    authority: Arc<Authority>,
}

impl Postgres {
    /// Starts it and waits until it takes connections. The role [`USER`] has this password.
    ///
    /// # Panics
    /// When `NERVIX_TEST_POSTGRES` names no folder with Postgres's programs: a missing server fails the test.
    pub async fn start(password: &str) -> Self {
        Self::start_with(password, "").await
    }

    /// The same with further lines of `postgresql.conf`.
    ///
    /// # Panics
    /// When there is no Postgres.
    pub async fn start_with(password: &str, settings: &str) -> Self {
        let folder = must("make a folder", tempfile::tempdir());
        let owner = Owner::find();
        owner.give(folder.path());
        let (data, port) = (folder.path().join("data"), free_port());
        let mut initdb = owner.command("initdb");
        initdb.arg("-D").arg(&data);
        initdb.args([
            "-U",
            "postgres",
            "-A",
            "trust",
            "--no-sync",
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
        ]);
        let made = must("run initdb", initdb.output());
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let authority = Authority::new();
        let (certificate, key) = authority.issue(&["localhost"]).write(folder.path(), "server");
        let trusted = folder.path().join("ca.pem");
        must("write a certificate", std::fs::write(&trusted, authority.pem()));
        owner.give(&certificate);
        owner.give_alone(&key);
        let configuration = format!(
            "listen_addresses = '127.0.0.1'\nport = {port}\nunix_socket_directories = ''\nfsync = off\n\
             shared_buffers = 16MB\nTimeZone = 'America/New_York'\nssl = on\nssl_cert_file = '{}'\n\
             ssl_key_file = '{}'\nssl_ca_file = '{}'\n{settings}\n",
            certificate.display(),
            key.display(),
            trusted.display()
        );
        append(&data.join("postgresql.conf"), &configuration);
        let rules = "host all,replication postgres 127.0.0.1/32 trust\nhostssl all tlsonly 127.0.0.1/32 scram-sha-256\n\
                     host all tlsonly 127.0.0.1/32 reject\n\
                     hostssl all known 127.0.0.1/32 scram-sha-256 clientcert=verify-ca\nhost all all 127.0.0.1/32 scram-sha-256\n";
        must(
            "write pg_hba.conf",
            std::fs::write(data.join("pg_hba.conf"), rules),
        );
        let process = launch(&owner, folder.path());
        let postgres = Self {
            process,
            port,
            folder,
            authority: Arc::new(authority),
        };
        postgres.ready().await;
        postgres
            .sql_in(
                "postgres",
                &format!(
                    "CREATE ROLE {USER} LOGIN PASSWORD '{password}';
                     CREATE ROLE tlsonly LOGIN PASSWORD '{password}';
                     CREATE ROLE known LOGIN PASSWORD '{password}'"
                ),
            )
            .await;
        postgres
            .sql_in("postgres", &format!("CREATE DATABASE {DATABASE}"))
            .await;
        postgres
    }

    /// Starts a standby that follows it: it takes connections, and no writes until it is promoted.
    ///
    /// # Panics
    /// When it cannot be copied.
    pub async fn standby(&self) -> Self {
        let folder = must("make a folder", tempfile::tempdir());
        let owner = Owner::find();
        owner.give(folder.path());
        let (data, port) = (folder.path().join("data"), free_port());
        let mut copying = owner.command("pg_basebackup");
        copying.args(["-h", "127.0.0.1", "-p", &self.port.to_string(), "-U", "postgres"]);
        copying.args(["-R", "-c", "fast", "--no-sync", "-D"]).arg(&data);
        let copied = must("run pg_basebackup", copying.output());
        assert!(
            copied.status.success(),
            "{}",
            String::from_utf8_lossy(&copied.stderr)
        );
        append(&data.join("postgresql.conf"), &format!("port = {port}\n"));
        let standby = Self {
            process: launch(&owner, folder.path()),
            port,
            folder,
            authority: Arc::clone(&self.authority),
        };
        standby.ready().await;
        standby
    }

    /// Where clients connect: host:port.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Who issued its certificate.
    pub fn authority(&self) -> &Authority {
        &self.authority
    }

    /// The process, to pause or resume it.
    pub fn process(&mut self) -> &mut Process {
        &mut self.process
    }

    /// Runs statements as the superuser, and gives the rows of all of them as text.
    ///
    /// # Panics
    /// When it refuses one.
    pub async fn sql(&self, statements: &str) -> Vec<Vec<Option<String>>> {
        self.sql_in(DATABASE, statements).await
    }

    /// A table of the superuser that [`USER`] may write, and nothing else.
    pub async fn table(&self, name: &str, columns: &str) {
        let statements = format!(
            "CREATE TABLE {name} ({columns}); GRANT INSERT, SELECT, UPDATE ON {name} TO {USER}, tlsonly, known;
             GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {USER}, tlsonly, known"
        );
        self.sql(&statements).await;
    }

    /// The first column of the first row.
    ///
    /// # Panics
    /// When there is none, or it is null.
    pub async fn value(&self, statement: &str) -> String {
        let rows = self.sql(statement).await;
        let value = rows
            .into_iter()
            .next()
            .and_then(|row| row.into_iter().next().flatten());
        must("read a value", value.ok_or(statement))
    }

    /// The first column of all rows.
    pub async fn column(&self, statement: &str) -> Vec<Option<String>> {
        let rows = self.sql(statement).await;
        rows.into_iter()
            .map(|row| row.into_iter().next().flatten())
            .collect()
    }

    /// Ends it as a crash would; its data stay.
    pub fn kill(&mut self) {
        self.process.kill();
    }

    /// Starts it again at the same address with the same data.
    pub async fn start_again(&mut self) {
        let owner = Owner::find();
        let folder = self.folder.path().to_owned();
        // What a killed server leaves of itself goes a moment later, and until then its memory keeps a new one from starting.
        let mut process = launch(&owner, &folder);
        let answered = until("Postgres takes connections again", || {
            if process.ended().is_some() {
                process = launch(&owner, &folder);
            }
            let config = self.superuser("postgres");
            async move { config.connect(NoTls).await.is_ok().then_some(()) }
        });
        answered.await;
        self.process = process;
    }

    async fn ready(&self) {
        until("Postgres takes connections", || async {
            self.superuser("postgres")
                .connect(NoTls)
                .await
                .is_ok()
                .then_some(())
        })
        .await;
    }

    fn superuser(&self, database: &str) -> tokio_postgres::Config {
        let mut config = tokio_postgres::Config::new();
        config
            .host("127.0.0.1")
            .port(self.port)
            .user("postgres")
            .dbname(database);
        config
    }

    /// A client of the superuser; its connection ends with the set.
    ///
    /// # Panics
    /// When it takes none.
    pub async fn client(&self) -> (Client, JoinSet<()>) {
        self.client_in(DATABASE).await
    }

    async fn client_in(&self, database: &str) -> (Client, JoinSet<()>) {
        driven(&self.superuser(database)).await
    }

    async fn sql_in(&self, database: &str, statements: &str) -> Vec<Vec<Option<String>>> {
        let (client, _driver) = self.client_in(database).await;
        let answered = client.simple_query(statements).await;
        let messages = match answered {
            Ok(messages) => messages,
            Err(error) => panic!("{statements}: {error:?}"),
        };
        let rows = messages.into_iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(row),
            _ => None,
        });
        rows.map(|row| {
            (0..row.len())
                .map(|index| row.get(index).map(str::to_owned))
                .collect()
        })
        .collect()
    }
}

/// A client; its connection ends with the set.
async fn driven(config: &tokio_postgres::Config) -> (Client, JoinSet<()>) {
    let connected = config.connect(NoTls).await;
    let (client, connection) = must("connect to Postgres", connected);
    let mut driver = JoinSet::new();
    driver.spawn(async move { connection.await.unwrap_or_default() });
    (client, driver)
}

fn launch(owner: &Owner, folder: &Path) -> Process {
    let mut command = owner.command("postgres");
    command.arg("-D").arg(folder.join("data"));
    Process::start("postgres", command, &folder.join("log"))
}

fn append(path: &Path, text: &str) {
    let before = must("read a file", std::fs::read_to_string(path));
    must("write a file", std::fs::write(path, before + text));
}

/// Who runs the server: Postgres refuses to be root, so root runs it as the user `postgres`.
#[derive(Debug)]
struct Owner {
    programs: PathBuf,
    other: Option<(u32, u32)>,
}

impl Owner {
    fn find() -> Self {
        let programs = std::env::var_os("NERVIX_TEST_POSTGRES").map(PathBuf::from);
        let Some(programs) = programs.filter(|programs| programs.join("postgres").is_file()) else {
            panic!(
                "NERVIX_TEST_POSTGRES names no Postgres: run the tests with `make test`, which installs it"
            );
        };
        let users = must("read the users", std::fs::read_to_string("/etc/passwd"));
        let of = |name: &str| {
            let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
            let mut fields = line.split(':').skip(2);
            Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
        };
        let is_root =
            std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
        Self {
            programs,
            other: if is_root { of("postgres") } else { None },
        }
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        self.run(&mut command);
        command
    }

    /// Has the owner run it.
    fn run<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.current_dir("/").env("LC_ALL", "C");
        if let Some((user, group)) = self.other {
            command.uid(user).gid(group);
        }
        command
    }

    fn give(&self, path: &Path) {
        if let Some((user, group)) = self.other {
            must(
                "give a file away",
                std::os::unix::fs::chown(path, Some(user), Some(group)),
            );
        }
    }

    /// Gives it, readable by nobody else.
    fn give_alone(&self, path: &Path) {
        use std::os::unix::fs::PermissionsExt;
        let alone = std::fs::Permissions::from_mode(0o600);
        must("keep a key secret", std::fs::set_permissions(path, alone));
        self.give(path);
    }
}
