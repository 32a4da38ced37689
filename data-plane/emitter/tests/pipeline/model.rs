//! Definitions as the checker would hand them over.

use std::sync::Arc;
use std::time::Duration;

use nspl_model::{
    Assignment, Attachment, BatchLimits, BinaryOp, BranchDef, ClientSinkDef, Confirmation, Construction,
    Content, DataType, Dependency, EmitterDef, ErrorRoute, Expr, ExprKind, Field, FieldRef, Flush,
    GeneralPolicy, Literal, MessagePolicy, Mode, ModeForm, RelayDef, Resolution, RetryPolicy, Schema, Scope,
    SinkDef, SourceDef, Step, Window,
};

pub(crate) const ACK_TIMEOUT: Duration = Duration::from_secs(30);
pub(crate) const BACKOFF: Duration = Duration::from_millis(250);

fn field(name: &str, data_type: DataType, optional: bool) -> Field {
    Field {
        name: name.to_owned(),
        data_type,
        optional,
        sensitive: false,
    }
}

/// `id I64, name STRING`.
pub(crate) fn order_schema() -> Arc<Schema> {
    let fields = vec![
        field("id", DataType::I64, false),
        field("name", DataType::String, false),
    ];
    Arc::new(Schema {
        name: "order".to_owned(),
        fields,
    })
}

/// `reference STRING, code STRING, operation STRING, message STRING, id I64, name STRING OPTIONAL`.
pub(crate) fn failure_schema() -> Arc<Schema> {
    let text = |name: &str| field(name, DataType::String, false);
    let fields = vec![
        text("reference"),
        text("code"),
        text("operation"),
        text("message"),
        field("id", DataType::I64, false),
        field("name", DataType::String, true),
    ];
    Arc::new(Schema {
        name: "failure".to_owned(),
        fields,
    })
}

pub(crate) fn relay_def(
    name: &str,
    schema: Arc<Schema>,
    branch: Option<Arc<BranchDef>>,
    capacity: u32,
) -> Arc<RelayDef> {
    Arc::new(RelayDef {
        name: name.to_owned(),
        schema,
        branch,
        capacity,
        materialized: false,
    })
}

pub(crate) fn branch_def() -> Arc<BranchDef> {
    let schema = Schema {
        name: "by_name".to_owned(),
        fields: vec![field("name", DataType::String, false)],
    };
    let ttl = Duration::from_secs(60);
    Arc::new(BranchDef {
        name: "by_name".to_owned(),
        schema: Arc::new(schema),
        ttl,
        max_instances: None,
    })
}

/// `FROM orders TO CLIENT ... INHERIT ALL`, unbatched in all but name, FLUSH IMMEDIATE, errors ignored.
pub(crate) fn emitter_def(sources: Vec<Arc<RelayDef>>) -> EmitterDef {
    let output = order_schema();
    let steps = vec![
        Step::Inherit { output: 0, input: 0 },
        Step::Inherit { output: 1, input: 1 },
    ];
    EmitterDef {
        domain: "shop".to_owned(),
        name: "notify".to_owned(),
        attachment: Attachment::Attached,
        sources: sources
            .into_iter()
            .map(|relay| SourceDef { relay, filter: None })
            .collect(),
        collect: None,
        dependencies: Vec::new(),
        sink: SinkDef::Client(ClientSinkDef {
            schema: output.clone(),
        }),
        output,
        construction: Construction { steps, filter: None },
        content: Content::Columns,
        headers: Vec::new(),
        batch: Some(BatchLimits {
            max_messages: 1_000,
            max_bytes: 1024 * 1024,
        }),
        flush: Flush::Immediate,
        mode: mode(Window::Sequential),
        on_message_error: MessagePolicy::Ignore,
        on_general_error: GeneralPolicy::Log,
    }
}

pub(crate) fn mode(window: Window) -> Mode {
    Mode {
        form: ModeForm::Ack,
        confirmation: Confirmation::Acked {
            window,
            timeout: Some(ACK_TIMEOUT),
        },
        retry: RetryPolicy {
            backoff: BACKOFF,
            max: Duration::from_secs(1),
        },
    }
}

pub(crate) fn input(name: &str, index: usize, data_type: DataType) -> Expr {
    column(Scope::Input, name, index, data_type)
}

/// `relay_state.<relay>.id`.
pub(crate) fn state_id(relay: &str) -> Expr {
    let relay = relay.to_owned();
    column(Scope::RelayState { relay }, "id", 0, DataType::I64)
}

/// `SET id = input.id + relay_state.<relay>.id` for each relay, the name inherited.
pub(crate) fn adding_states(relays: &[&str]) -> Construction {
    let sum = relays.iter().fold(input("id", 0, DataType::I64), |sum, relay| {
        binary(BinaryOp::Add, sum, state_id(relay), DataType::I64)
    });
    let set = Step::Set(Assignment { index: 0, expr: sum });
    Construction {
        steps: vec![Step::Inherit { output: 1, input: 1 }, set],
        filter: None,
    }
}

/// `USING MATERIALIZED STATE <relay> ...`, a relay of orders.
pub(crate) fn dependency(relay: &str, branch: Option<Arc<BranchDef>>, resolution: Resolution) -> Dependency {
    let mut relay = (*relay_def(relay, order_schema(), branch, 64)).clone();
    relay.materialized = true;
    Dependency {
        relay: Arc::new(relay),
        resolution,
    }
}

fn column(scope: Scope, name: &str, index: usize, data_type: DataType) -> Expr {
    let nullable = scope == Scope::PartialOutput;
    let kind = ExprKind::Field(FieldRef {
        scope,
        name: name.to_owned(),
        index,
    });
    Expr {
        data_type,
        nullable,
        sensitive: false,
        kind,
    }
}

pub(crate) fn text(value: &str) -> Expr {
    Expr {
        data_type: DataType::String,
        nullable: false,
        sensitive: false,
        kind: ExprKind::Literal(Literal::String(value.to_owned())),
    }
}

pub(crate) fn integer(value: i64) -> Expr {
    let kind = ExprKind::Literal(Literal::I64(value));
    Expr {
        data_type: DataType::I64,
        nullable: false,
        sensitive: false,
        kind,
    }
}

pub(crate) fn binary(op: BinaryOp, left: Expr, right: Expr, data_type: DataType) -> Expr {
    let kind = ExprKind::Binary {
        op,
        left: Box::new(left),
        right: Box::new(right),
    };
    Expr {
        data_type,
        nullable: false,
        sensitive: false,
        kind,
    }
}

/// `1000 / id`: fails for an id of 0.
pub(crate) fn thousand_by_id() -> Expr {
    binary(
        BinaryOp::Divide,
        integer(1_000),
        input("id", 0, DataType::I64),
        DataType::I64,
    )
}

/// `SET id = 1000 / id`, the name inherited.
pub(crate) fn dividing() -> Construction {
    let set = Step::Set(Assignment {
        index: 0,
        expr: thousand_by_id(),
    });
    Construction {
        steps: vec![Step::Inherit { output: 1, input: 1 }, set],
        filter: None,
    }
}

/// `id > 0`.
pub(crate) fn positive() -> Expr {
    binary(
        BinaryOp::Greater,
        input("id", 0, DataType::I64),
        integer(0),
        DataType::Bool,
    )
}

/// `1000 / id > 0`: false of negative ids, and it fails where the id is 0.
pub(crate) fn positive_thousand() -> Expr {
    binary(BinaryOp::Greater, thousand_by_id(), integer(0), DataType::Bool)
}

/// `SEND TO failures SET reference = error.reference, ..., id = <id>, name = partial_output.name`.
pub(crate) fn send_to(relay: Arc<RelayDef>, id: Expr) -> MessagePolicy {
    let error = |index: usize, name: &str, column_index: usize| Assignment {
        index,
        expr: column(Scope::Error, name, column_index, DataType::String),
    };
    let set = vec![
        error(0, "reference", 0),
        error(1, "code", 1),
        error(2, "operation", 2),
        error(3, "message", 6),
        Assignment { index: 4, expr: id },
        Assignment {
            index: 5,
            expr: column(Scope::PartialOutput, "name", 1, DataType::String),
        },
    ];
    MessagePolicy::SendTo(ErrorRoute { relay, set })
}
