//! A real Apache Kafka on free loopback ports, of one node or of three, with its data in a folder of its own.
//!
//! Each node listens in plain text, in plain text where clients are told to come to another name and port (a door stands there),
//! over TLS with a good certificate, the same asking for the client's, over TLS with one for another name, and with SASL.

mod access;
mod settings;
mod topics;

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::authority::Authority;
use crate::process::Process;
use crate::wait::{PATIENCE, must, until_within};
pub use access::Operation;
use settings::NodePorts;
pub use settings::{PASSWORD, USER};
pub use topics::Read;

/// What a broker prints when it takes connections.
const READY: &str = "Kafka Server started";
/// What a broker is made of, so that many fit on a small machine.
const JVM: [&str; 5] = [
    "-Xms64m",
    "-Xmx256m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Djava.awt.headless=true",
];

/// A running cluster; dropping it ends it.
#[derive(Debug)]
pub struct Kafka {
    installed: PathBuf,
    folder: TempDir,
    nodes: Vec<Node>,
}

/// A node, running or not.
#[derive(Debug)]
struct Node {
    ports: NodePorts,
    process: Option<Process>,
}

impl Kafka {
    /// Starts one node and waits until it is ready.
    ///
    /// # Panics
    /// When `NERVIX_TEST_KAFKA` names no Kafka: a missing server fails the test.
    pub async fn start() -> Self {
        Self::of_nodes(1).await
    }

    /// Starts three nodes, the first of which is the controller alone: brokers can leave an in-sync set while it lives.
    ///
    /// # Panics
    /// As [`Self::start`].
    pub async fn start_three() -> Self {
        Self::of_nodes(3).await
    }

    async fn of_nodes(count: usize) -> Self {
        let installed = std::env::var_os("NERVIX_TEST_KAFKA").map(PathBuf::from);
        let installed = installed.filter(|folder| folder.join(".installed").is_file());
        let Some(installed) = installed else {
            panic!("NERVIX_TEST_KAFKA names no Kafka: run the tests with `make test`, which installs it");
        };
        let folder = must("make a folder", tempfile::tempdir());
        write_certificates(folder.path());
        let nodes = (0..count).map(|_| Node {
            ports: NodePorts::pick(),
            process: None,
        });
        let mut kafka = Self {
            installed,
            nodes: nodes.collect(),
            folder,
        };
        for node in 1..=count {
            kafka.prepare(node);
            kafka.launch(node);
        }
        for node in 1..=count {
            kafka.ready(node).await;
        }
        kafka
    }

    /// Where clients find all nodes in plain text.
    pub fn address(&self) -> String {
        let ports = self.nodes.iter().map(|node| node.ports.plain);
        let addresses: Vec<String> = ports.map(|port| format!("127.0.0.1:{port}")).collect();
        addresses.join(",")
    }

    /// Where the first node listens for those who come through a door.
    pub fn behind_door(&self) -> String {
        format!("127.0.0.1:{}", self.ports(1).behind_door)
    }

    /// The port at which those are told to come.
    pub fn door_port(&self) -> u16 {
        self.ports(1).door
    }

    /// The first node over TLS.
    pub fn tls(&self) -> String {
        format!("localhost:{}", self.ports(1).tls)
    }

    /// The first node over TLS, with a certificate for another name.
    pub fn tls_of_another_name(&self) -> String {
        format!("localhost:{}", self.ports(1).misnamed)
    }

    /// The first node over TLS, where clients have to show a certificate.
    pub fn mutual_tls(&self) -> String {
        format!("localhost:{}", self.ports(1).mutual)
    }

    /// A folder with what a client of TLS needs: `ca.pem`, `client.pem` and `client.key`.
    pub fn client_folder(&self) -> PathBuf {
        self.folder.path().join("client")
    }

    /// The first node with SASL, mechanism PLAIN, in plain text.
    pub fn sasl(&self) -> String {
        format!("127.0.0.1:{}", self.ports(1).sasl)
    }

    /// The file of the authority that all certificates of the cluster are of.
    pub fn ca_file(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }

    /// A node's process, counted from 1, to pause or resume it.
    ///
    /// # Panics
    /// When it was killed.
    pub fn process(&mut self, node: usize) -> &mut Process {
        let process = self
            .nodes
            .get_mut(node - 1)
            .and_then(|node| node.process.as_mut());
        must("a running node", process.ok_or(node))
    }

    /// Ends a node as a crash would; its data stay.
    pub fn kill(&mut self, node: usize) {
        if let Some(mut process) = self.nodes.get_mut(node - 1).and_then(|node| node.process.take()) {
            process.kill();
        }
    }

    /// Starts a node again on its ports with its data.
    ///
    /// # Panics
    /// When it does not come.
    pub async fn start_again(&mut self, node: usize) {
        self.launch(node);
        self.ready(node).await;
    }

    /// Keeps a copy of what a node has on its disk. It is ended politely for that, and started again.
    ///
    /// # Panics
    /// When it does not end, or does not come.
    pub async fn back_up(&mut self, node: usize) {
        self.process(node).terminate().await;
        copy(&self.node_folder(node), &self.copy_folder(node));
        self.start_again(node).await;
    }

    /// Gives a node the disk that [`Self::back_up`] kept: what came since is lost.
    ///
    /// # Panics
    /// When there is no copy, or the node does not come.
    pub async fn restore(&mut self, node: usize) {
        self.kill(node);
        let folder = self.node_folder(node);
        must("lose a disk", std::fs::remove_dir_all(&folder));
        copy(&self.copy_folder(node), &folder);
        self.start_again(node).await;
    }

    fn ports(&self, node: usize) -> &NodePorts {
        let node = self.nodes.get(node - 1);
        &must("a node", node.ok_or("none")).ports
    }

    fn node_folder(&self, node: usize) -> PathBuf {
        self.folder.path().join(format!("node{node}"))
    }

    fn copy_folder(&self, node: usize) -> PathBuf {
        self.folder.path().join(format!("copy{node}"))
    }

    /// Copies the formatted storage of a node.
    fn prepare(&self, node: usize) {
        copy(
            &self.installed.join(format!("node{node}")),
            &self.node_folder(node),
        );
        let ports: Vec<NodePorts> = self.nodes.iter().map(|node| node.ports).collect();
        let text = settings::properties(node, &ports, self.folder.path());
        must(
            "write its settings",
            std::fs::write(self.settings_file(node), text),
        );
    }

    fn settings_file(&self, node: usize) -> PathBuf {
        self.folder.path().join(format!("node{node}.properties"))
    }

    fn log_file(&self, node: usize) -> PathBuf {
        self.folder.path().join(format!("node{node}.log"))
    }

    fn launch(&mut self, node: usize) {
        let installed = self.installed.display();
        let mut command = Command::new("java");
        command
            .args(JVM)
            .arg(format!("-XX:SharedArchiveFile={installed}/classes.jsa"))
            .arg(format!(
                "-Dlog4j2.configurationFile={installed}/log4j2.properties"
            ))
            .args(["-cp", &format!("{installed}/jars/*"), "kafka.Kafka"])
            .arg(self.settings_file(node));
        // What is waited for is what this start prints.
        std::fs::remove_file(self.log_file(node)).unwrap_or_default();
        let process = Process::start("a Kafka node", command, &self.log_file(node));
        if let Some(node) = self.nodes.get_mut(node - 1) {
            node.process = Some(process);
        }
    }

    async fn ready(&mut self, node: usize) {
        let process = self.process(node);
        let bound = 2 * PATIENCE;
        until_within(bound, "a Kafka node is ready", || {
            let ended = process.ended();
            assert!(ended.is_none(), "a Kafka node ended: {ended:?}");
            let ready = process.printed().contains(READY).then_some(());
            async move { ready }
        })
        .await;
    }
}

/// Copies a folder with all that is in it.
fn copy(from: &Path, to: &Path) {
    must("make a folder", std::fs::create_dir_all(to));
    for entry in must("read a folder", std::fs::read_dir(from)) {
        let from = must("read a folder", entry).path();
        let to = to.join(from.file_name().unwrap_or_default());
        if from.is_dir() {
            copy(&from, &to);
        } else {
            must("copy a file", std::fs::copy(&from, &to));
        }
    }
}

/// The certificates of the nodes, as Kafka reads them (the key, then the certificate), and of a client.
fn write_certificates(folder: &Path) {
    let authority = Authority::new();
    let client = folder.join("client");
    must("make a folder", std::fs::create_dir_all(&client));
    for folder in [folder, &client] {
        must(
            "write a certificate",
            std::fs::write(folder.join("ca.pem"), authority.pem()),
        );
    }
    authority.issue(&["client.example"]).write(&client, "client");
    for (name, names) in [
        ("good", &["localhost", "127.0.0.1"][..]),
        ("misnamed", &["wrong.example"][..]),
    ] {
        let issued = authority.issue(names);
        let text = format!("{}{}", issued.key, issued.certificate);
        must(
            "write a certificate",
            std::fs::write(folder.join(format!("{name}.keystore")), text),
        );
    }
}
