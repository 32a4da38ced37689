//! The settings of a node.

use std::path::Path;

use crate::conformance::NAME;
use crate::ports::free_port;

/// Who may come in by SASL.
pub const USER: &str = "alice";
/// With this password.
pub const PASSWORD: &str = "alice-keeps-it-to-herself";

/// Where a node listens.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodePorts {
    /// In plain text.
    pub(super) plain: u16,
    /// In plain text, for those who are told to come to `door` at the name of the conformance suite.
    pub(super) behind_door: u16,
    /// Where nothing listens but a door of the test.
    pub(super) door: u16,
    /// Over TLS.
    pub(super) tls: u16,
    /// Over TLS with a certificate for another name.
    pub(super) misnamed: u16,
    /// Over TLS, for those who show a certificate.
    pub(super) mutual: u16,
    /// With SASL.
    pub(super) sasl: u16,
    /// For the other nodes.
    pub(super) controller: u16,
}

impl NodePorts {
    pub(super) fn pick() -> Self {
        Self {
            plain: free_port(),
            behind_door: free_port(),
            door: free_port(),
            tls: free_port(),
            misnamed: free_port(),
            mutual: free_port(),
            sasl: free_port(),
            controller: free_port(),
        }
    }

    /// `NAME`, host, where it listens and where clients are told to come.
    fn listeners(&self) -> [(&'static str, &'static str, u16, u16); 6] {
        [
            ("PLAINTEXT", "127.0.0.1", self.plain, self.plain),
            ("DOOR", NAME, self.behind_door, self.door),
            ("SSL", "localhost", self.tls, self.tls),
            ("MISNAMED", "localhost", self.misnamed, self.misnamed),
            ("MUTUAL", "localhost", self.mutual, self.mutual),
            ("SASL", "127.0.0.1", self.sasl, self.sasl),
        ]
    }
}

/// The properties of a node of a cluster, counted from 1.
pub(super) fn properties(node: usize, cluster: &[NodePorts], folder: &Path) -> String {
    let own = &cluster[node - 1];
    let controller = cluster[0].controller;
    let mut listeners: Vec<String> = Vec::new();
    let mut advertised: Vec<String> = Vec::new();
    for (name, host, port, told) in own.listeners() {
        listeners.push(format!("{name}://127.0.0.1:{port}"));
        advertised.push(format!("{name}://{host}:{told}"));
    }
    let mut roles = "broker";
    if node == 1 {
        roles = "broker,controller";
        listeners.push(format!("CONTROLLER://127.0.0.1:{controller}"));
    }
    let (listeners, advertised) = (listeners.join(","), advertised.join(","));
    let (copies, in_sync) = if cluster.len() < 3 { (1, 1) } else { (3, 2) };
    let folder = folder.display();
    format!(
        "node.id={node}
process.roles={roles}
controller.quorum.voters=1@127.0.0.1:{controller}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listeners={listeners}
advertised.listeners={advertised}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,DOOR:PLAINTEXT,SSL:SSL,MISNAMED:SSL,MUTUAL:SSL,SASL:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={folder}/node{node}
num.partitions=1
default.replication.factor={copies}
min.insync.replicas={in_sync}
offsets.topic.replication.factor={copies}
offsets.topic.num.partitions=1
transaction.state.log.replication.factor={copies}
transaction.state.log.min.isr={in_sync}
transaction.state.log.num.partitions=1
share.coordinator.state.topic.replication.factor={copies}
share.coordinator.state.topic.min.isr={in_sync}
share.coordinator.state.topic.num.partitions=1
auto.create.topics.enable=false
message.max.bytes=1048576
group.initial.rebalance.delay.ms=0
broker.heartbeat.interval.ms=500
broker.session.timeout.ms=2000
replica.lag.time.max.ms=3000
num.network.threads=1
num.io.threads=2
log.cleaner.dedupe.buffer.size=4194304
ssl.keystore.type=PEM
ssl.keystore.location={folder}/good.keystore
ssl.truststore.type=PEM
ssl.truststore.location={folder}/ca.pem
listener.name.misnamed.ssl.keystore.type=PEM
listener.name.misnamed.ssl.keystore.location={folder}/misnamed.keystore
listener.name.mutual.ssl.client.auth=required
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS
allow.everyone.if.no.acl.found=true
sasl.enabled.mechanisms=PLAIN
listener.name.sasl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_{USER}=\"{PASSWORD}\";
"
    )
}
