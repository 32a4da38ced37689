//! Ingestors: the ways in (companion section 8).

use std::sync::Arc;

use crate::{
    Assignment, Build, ClientDef, CodecDef, Construction, Expr, Flush, GeneralPolicy, MessagePolicy,
    RelayDef, Schema, Window,
};

/// An INGESTOR definition with all it refers to.
#[derive(Clone, PartialEq, Debug)]
pub struct IngestorDef {
    /// Its domain.
    pub domain: String,
    /// Name in the domain.
    pub name: String,
    /// Where records come from.
    pub source: SourceKind,
    /// FILTER WHERE over the input row.
    pub filter: Option<Expr>,
    /// When a writer is answered, or an offset is committed.
    pub mode: IngestMode,
    /// Never empty; every row passes all of them.
    pub routes: Vec<RouteDef>,
    /// ON GENERAL ERROR.
    pub on_general_error: GeneralPolicy,
}

/// Where records come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SourceKind {
    /// An application writes Arrow batches through Flight DoPut.
    Client {
        /// What it writes.
        schema: Arc<Schema>,
    },
    /// Messages of a Kafka topic.
    Kafka {
        /// A KAFKA client.
        client: Arc<ClientDef>,
        /// TOPIC.
        topic: String,
        /// OFFSET BY CONSUMER GROUP: it holds the offsets.
        group: String,
        /// INSTANCES: consumers of the group that this ingestor runs, at least 1.
        instances: u32,
        /// DECODE USING: one that decodes; its schema is the payload.
        codec: Arc<CodecDef>,
    },
}

/// What a worker needs to run a source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SourceBuild {
    /// The keyword behind FROM.
    pub keyword: &'static str,
    /// The word by which workers report that they can; it differs from that of the sink where both have one keyword.
    pub word: &'static str,
    /// Which workers run it.
    pub build: Build,
}

impl SourceKind {
    /// Every source.
    pub const ALL: [SourceBuild; 2] = [SourceKind::CLIENT, SourceKind::KAFKA];

    /// FROM CLIENT.
    pub const CLIENT: SourceBuild = SourceBuild {
        keyword: "CLIENT",
        word: "CLIENT",
        build: Build::Every,
    };

    /// FROM KAFKA.
    pub const KAFKA: SourceBuild = SourceBuild {
        keyword: "KAFKA",
        word: "KAFKA SOURCE",
        build: Build::None,
    };

    /// The most that INSTANCES may say.
    pub const INSTANCES_MAX: u32 = 1_024;

    /// Why brokers could never have such a consumer group.
    pub fn group_fault(group: &str) -> Option<String> {
        if group.is_empty() {
            return Some("a consumer group has a name".into());
        }
        group
            .contains(char::is_control)
            .then(|| "a consumer group holds no control characters".into())
    }

    /// What a worker needs to run it.
    pub fn build(&self) -> SourceBuild {
        match self {
            SourceKind::Client { .. } => SourceKind::CLIENT,
            SourceKind::Kafka { .. } => SourceKind::KAFKA,
        }
    }

    /// The keyword behind FROM; what workers report is [`SourceBuild::word`].
    pub fn name(&self) -> &'static str {
        self.build().keyword
    }

    /// The payload.
    pub fn schema(&self) -> &Arc<Schema> {
        match self {
            SourceKind::Client { schema } => schema,
            SourceKind::Kafka { codec, .. } => &codec.schema,
        }
    }
}

/// When a writer is answered, or an offset is committed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IngestMode {
    /// When every attached descendant has resolved. A writer decides by itself how much it sends ahead: CLIENT only.
    Ack,
    /// The same; of one partition so many messages may be on their way: KAFKA only.
    AckWindow(Window),
    /// At admission.
    NoAck,
}

/// One `TO relay ...` of an ingestor.
#[derive(Clone, PartialEq, Debug)]
pub struct RouteDef {
    /// The target.
    pub relay: Arc<RelayDef>,
    /// How its records are built.
    pub construction: Construction,
    /// One per field of the branch's schema, in its order; `None` when the relay is unbranched.
    pub branch_keys: Option<Vec<Assignment>>,
    /// FLUSH.
    pub flush: Flush,
    /// ON MESSAGE ERROR of this route.
    pub on_message_error: MessagePolicy,
}
