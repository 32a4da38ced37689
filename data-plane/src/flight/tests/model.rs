//! Definitions for the tests: orders (id, key, amount) from ingestor `in` over relay `orders` to emitter `out`.

use std::{sync::Arc, time::Duration};

use nspl_model::{
    Assignment, Attachment, BatchLimits, BinaryOp, BranchDef, ClientSinkDef, Confirmation, Construction,
    Content, DataType, EmitterDef, ErrorRoute, Expr, ExprKind, Field, FieldRef, Flush, GeneralPolicy,
    IngestMode, IngestorDef, Literal, MessagePolicy, Mode, ModeForm, RelayDef, RetryPolicy, RouteDef, Schema,
    Scope, SinkDef, SourceDef, SourceKind, Step, Window,
};

pub(super) const DOMAIN: &str = "shop";

pub(super) fn field(name: &str, data_type: DataType, optional: bool) -> Field {
    Field {
        name: name.into(),
        data_type,
        optional,
        sensitive: false,
    }
}

pub(super) fn orders() -> Arc<Schema> {
    Arc::new(Schema {
        name: "orders".into(),
        fields: vec![
            field("id", DataType::I64, false),
            field("key", DataType::String, false),
            field("amount", DataType::I64, true),
        ],
    })
}

/// What error records say.
pub(super) fn faults() -> Arc<Schema> {
    Arc::new(Schema {
        name: "faults".into(),
        fields: vec![
            field("operation", DataType::String, false),
            field("id", DataType::I64, true),
        ],
    })
}

pub(super) fn relay(name: &str, schema: Arc<Schema>, branch: Option<Arc<BranchDef>>) -> Arc<RelayDef> {
    Arc::new(RelayDef {
        name: name.into(),
        schema,
        branch,
        capacity: 8,
        materialized: false,
    })
}

pub(super) fn by_key(max_instances: Option<u32>) -> Arc<BranchDef> {
    let schema = Schema {
        name: "keys".into(),
        fields: vec![field("key", DataType::String, false)],
    };
    Arc::new(BranchDef {
        name: "by_key".into(),
        schema: Arc::new(schema),
        ttl: Duration::from_secs(60),
        max_instances,
    })
}

fn read(scope: Scope, name: &str, index: usize, data_type: DataType, nullable: bool) -> Expr {
    let field = FieldRef {
        scope,
        name: name.into(),
        index,
    };
    Expr {
        data_type,
        nullable,
        sensitive: false,
        kind: ExprKind::Field(field),
    }
}

fn number(value: i64) -> Expr {
    let kind = ExprKind::Literal(Literal::I64(value));
    Expr {
        data_type: DataType::I64,
        nullable: false,
        sensitive: false,
        kind,
    }
}

fn binary(op: BinaryOp, data_type: DataType, left: Expr, right: Expr) -> Expr {
    let nullable = left.nullable || right.nullable;
    let kind = ExprKind::Binary {
        op,
        left: Box::new(left),
        right: Box::new(right),
    };
    Expr {
        data_type,
        nullable,
        sensitive: false,
        kind,
    }
}

/// `input.id >= least`.
pub(super) fn id_at_least(least: i64) -> Expr {
    binary(
        BinaryOp::GreaterOrEqual,
        DataType::Bool,
        read(Scope::Input, "id", 0, DataType::I64, false),
        number(least),
    )
}

/// `100 / input.amount`: fails where the amount is 0.
pub(super) fn hundred_by_amount() -> Assignment {
    let amount = read(Scope::Input, "amount", 2, DataType::I64, true);
    Assignment {
        index: 2,
        expr: binary(BinaryOp::Divide, DataType::I64, number(100), amount),
    }
}

pub(super) fn inherit_all() -> Construction {
    let steps = (0..3).map(|index| Step::Inherit {
        output: index,
        input: index,
    });
    Construction {
        steps: steps.collect(),
        filter: None,
    }
}

/// Error records into relay `faults`: the operation, and the id where it was read.
pub(super) fn send_to(relay: &Arc<RelayDef>) -> MessagePolicy {
    let operation = Assignment {
        index: 0,
        expr: read(Scope::Error, "operation", 2, DataType::String, false),
    };
    let id = Assignment {
        index: 1,
        expr: read(Scope::Input, "id", 0, DataType::I64, true),
    };
    MessagePolicy::SendTo(ErrorRoute {
        relay: Arc::clone(relay),
        set: vec![operation, id],
    })
}

pub(super) fn ingestor(mode: IngestMode) -> IngestorDef {
    IngestorDef {
        domain: DOMAIN.into(),
        name: "in".into(),
        source: SourceKind::Client { schema: orders() },
        filter: None,
        mode,
        routes: vec![RouteDef {
            relay: relay("orders", orders(), None),
            construction: inherit_all(),
            branch_keys: None,
            flush: Flush::Immediate,
            on_message_error: MessagePolicy::Log,
        }],
        on_general_error: GeneralPolicy::Log,
    }
}

/// The same, with `orders` branched by `key`.
pub(super) fn branched_ingestor(branch: &Arc<BranchDef>) -> IngestorDef {
    let mut def = ingestor(IngestMode::Ack);
    let key = read(Scope::Output, "key", 1, DataType::String, false);
    def.routes[0].relay = relay("orders", orders(), Some(Arc::clone(branch)));
    def.routes[0].branch_keys = Some(vec![Assignment { index: 0, expr: key }]);
    def
}

pub(super) fn emitter(name: &str, source: Arc<RelayDef>) -> EmitterDef {
    let schema = Arc::clone(&source.schema);
    let fields = schema.fields.len();
    let steps = (0..fields).map(|index| Step::Inherit {
        output: index,
        input: index,
    });
    EmitterDef {
        domain: DOMAIN.into(),
        name: name.into(),
        attachment: Attachment::Attached,
        sources: vec![SourceDef {
            relay: source,
            filter: None,
        }],
        collect: None,
        dependencies: Vec::new(),
        sink: SinkDef::Client(ClientSinkDef {
            schema: Arc::clone(&schema),
        }),
        output: schema,
        construction: Construction {
            steps: steps.collect(),
            filter: None,
        },
        content: Content::Columns,
        headers: Vec::new(),
        batch: Some(BatchLimits {
            max_messages: 65_536,
            max_bytes: 2 * 1024 * 1024,
        }),
        flush: Flush::Immediate,
        mode: Mode {
            form: ModeForm::Ack,
            confirmation: Confirmation::Acked {
                window: Window::Parallel(64),
                timeout: Some(Duration::from_secs(30)),
            },
            retry: RetryPolicy {
                backoff: Duration::from_millis(5),
                max: Duration::from_millis(20),
            },
        },
        on_message_error: MessagePolicy::Log,
        on_general_error: GeneralPolicy::Log,
    }
}
