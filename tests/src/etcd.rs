//! A real etcd, of one member or of three, on free loopback ports, with its data in folders of its own.

use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use crate::ports::free_port;
use crate::process::Process;
use crate::wait::{must, until};

/// Members of a cluster.
const MEMBERS: usize = 3;

/// A running etcd of one member.
#[derive(Debug)]
pub struct Etcd(Member);

impl Etcd {
    /// Starts it and waits until it takes connections.
    ///
    /// # Panics
    /// When `NERVIX_TEST_ETCD_BIN` names no etcd: a missing server fails the test.
    pub async fn start() -> Self {
        let place = Place::new("default");
        let member = Member::start(&place, &place.name_and_peer());
        until("etcd takes connections", || member.answers()).await;
        Self(member)
    }

    /// Where clients connect: host:port.
    pub fn address(&self) -> String {
        self.0.address()
    }

    /// What `--store` takes.
    pub fn store_url(&self) -> String {
        format!("etcd://{}", self.address())
    }

    /// The process, to pause, resume or kill it.
    pub fn process(&mut self) -> &mut Process {
        &mut self.0.process
    }
}

/// A running etcd of three members.
#[derive(Debug)]
pub struct Members(Vec<Member>);

impl Members {
    /// Starts them and waits until they take connections.
    ///
    /// # Panics
    /// When `NERVIX_TEST_ETCD_BIN` names no etcd.
    pub async fn start() -> Self {
        let places: Vec<Place> = (0..MEMBERS).map(|at| Place::new(&format!("m{at}"))).collect();
        let all: Vec<String> = places.iter().map(Place::name_and_peer).collect();
        let all = all.join(",");
        let members = Self(places.iter().map(|place| Member::start(place, &all)).collect());
        until("etcd takes connections", || members.answer()).await;
        members
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// What `--store` takes.
    pub fn store_url(&self) -> String {
        let addresses: Vec<String> = self.0.iter().map(Member::address).collect();
        format!("etcd://{}", addresses.join(","))
    }

    /// Where clients connect to a member: host:port.
    pub fn address(&self, member: usize) -> String {
        self.0[member].address()
    }

    /// The process of a member, to pause, resume or kill it.
    pub fn process(&mut self, member: usize) -> &mut Process {
        &mut self.0[member].process
    }

    /// Starts a killed member again, with its data, and waits until it takes connections.
    pub async fn start_again(&mut self, member: usize) {
        let member = &mut self.0[member];
        member.process = launch(&member.place, &member.all, &member.folder);
        until("etcd takes connections", || member.answers()).await;
    }

    async fn answer(&self) -> Option<()> {
        for member in &self.0 {
            member.answers().await?;
        }
        Some(())
    }
}

/// Where a member is.
#[derive(Clone, Debug)]
struct Place {
    name: String,
    port: u16,
    peer: u16,
}

impl Place {
    fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            port: free_port(),
            peer: free_port(),
        }
    }

    fn name_and_peer(&self) -> String {
        format!("{}=http://127.0.0.1:{}", self.name, self.peer)
    }
}

#[derive(Debug)]
struct Member {
    process: Process,
    place: Place,
    /// All members, as etcd is told of them.
    all: String,
    folder: TempDir,
}

impl Member {
    fn start(place: &Place, all: &str) -> Self {
        let folder = must("make a folder", tempfile::tempdir());
        Self {
            process: launch(place, all, &folder),
            place: place.clone(),
            all: all.to_owned(),
            folder,
        }
    }

    fn address(&self) -> String {
        format!("127.0.0.1:{}", self.place.port)
    }

    async fn answers(&self) -> Option<()> {
        let connected = tokio::net::TcpStream::connect(self.address()).await;
        connected.ok().map(drop)
    }
}

fn launch(place: &Place, all: &str, folder: &TempDir) -> Process {
    let program = std::env::var_os("NERVIX_TEST_ETCD_BIN").map(PathBuf::from);
    let Some(program) = program else {
        panic!("NERVIX_TEST_ETCD_BIN is not set: run the tests with `make test`, which installs etcd");
    };
    let client_url = format!("http://127.0.0.1:{}", place.port);
    let peer_url = format!("http://127.0.0.1:{}", place.peer);
    let mut command = Command::new(program);
    command
        .args(["--name", &place.name, "--log-level", "error", "--data-dir"])
        .arg(folder.path().join("data"))
        .args(["--listen-client-urls", &client_url])
        .args(["--advertise-client-urls", &client_url])
        .args(["--listen-peer-urls", &peer_url])
        .args(["--initial-advertise-peer-urls", &peer_url])
        .args(["--initial-cluster", all]);
    Process::start("etcd", command, &folder.path().join("log"))
}
