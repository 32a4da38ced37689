//! DESCRIBE of what no worker executes by itself: schemas, wire schemas, codecs, branches, relays.

use nspl::model::{
    CodecDef, CodecForm, Definition, DurationText, EntityKey, ProtobufDef, Schema, WireSchemaDef,
};

use crate::{catalog::ResourceVersion, rollout::Line};

pub(super) fn lines(domain: &str, definition: &Definition, users: &[EntityKey]) -> Vec<Line> {
    let mut lines = vec![
        Line::new(definition.kind().words().to_lowercase(), definition.name()),
        Line::new("domain", domain),
    ];
    match definition {
        Definition::Schema(schema) => lines.extend(fields(schema)),
        Definition::WireSchema(wire) => lines.extend(wire_schema(wire)),
        Definition::Codec(described) => lines.extend(codec(described)),
        Definition::Branch(branch) => {
            lines.push(Line::new("schema", branch.schema.name.as_str()));
            lines.push(Line::new("ttl", DurationText(branch.ttl).to_string()));
            let instances = branch
                .max_instances
                .map_or("unlimited".into(), |max| max.to_string());
            lines.push(Line::new("max instances", instances));
        }
        Definition::Relay(relay) => {
            lines.push(Line::new("schema", relay.schema.name.as_str()));
            let branch = relay
                .branch
                .as_ref()
                .map_or("none", |branch| branch.name.as_str());
            lines.push(Line::new("branched by", branch));
            lines.push(Line::new("capacity", relay.capacity.to_string()));
            lines.push(Line::new("materialized", relay.materialized.to_string()));
        }
        _ => {}
    }
    let users: Vec<_> = users.iter().map(ToString::to_string).collect();
    lines.push(Line::new(
        "used by",
        if users.is_empty() {
            "none".into()
        } else {
            users.join(", ")
        },
    ));
    lines
}

/// One version of a resource.
pub(super) fn version((number, version): &(u64, ResourceVersion)) -> Line {
    let (files, bytes) = (version.files.len(), version.size_bytes());
    Line::new(
        format!("version {number}"),
        format!("{files} files {bytes} bytes sha256 {}", version.checksum),
    )
}

fn fields(schema: &Schema) -> Vec<Line> {
    let fields = schema.fields.iter().map(|field| {
        let optional = if field.optional { " OPTIONAL" } else { "" };
        let sensitive = if field.sensitive { " SENSITIVE" } else { "" };
        Line::new(
            format!("field {}", field.name),
            format!("{}{optional}{sensitive}", field.data_type),
        )
    });
    fields.collect()
}

fn wire_schema(wire: &WireSchemaDef) -> Vec<Line> {
    let fields = wire.fields.iter().map(|field| {
        let optional = if field.optional { " OPTIONAL" } else { "" };
        Line::new(
            format!("field {}", field.name),
            format!("{}{optional}", field.wire_type),
        )
    });
    let head = [
        Line::new("format", wire.format.name()),
        Line::new("mode", wire.mode.name()),
    ];
    head.into_iter().chain(fields).collect()
}

fn codec(codec: &CodecDef) -> Vec<Line> {
    let mut lines = vec![Line::new("schema", codec.schema.name.as_str())];
    match &codec.form {
        CodecForm::Schemaful { wire, rfc3339 } => {
            let fields = rfc3339.iter().filter_map(|index| codec.schema.fields.get(*index));
            let names: Vec<&str> = fields.map(|field| field.name.as_str()).collect();
            lines.push(Line::new("format", wire.format.name()));
            lines.push(Line::new("wire schema", wire.name.as_str()));
            lines.push(Line::new("rfc3339", listed(&names)));
        }
        CodecForm::Jaq { format, .. } => lines.push(Line::new("format", format.name())),
        CodecForm::Protobuf(protobuf) => lines.extend(descriptors(protobuf)),
        CodecForm::Syslog => lines.push(Line::new("format", "SYSLOG")),
    }
    if let Some(programs) = codec.programs() {
        let written = [
            ("ON INGESTION", &programs.ingestion),
            ("ON EMITTING", &programs.emitting),
            ("ON EMITTING BATCH", &programs.emitting_batch),
        ];
        let written = written.into_iter().filter(|(_, program)| program.is_some());
        let names: Vec<&str> = written.map(|(clause, _)| clause).collect();
        lines.push(Line::new("programs", names.join(", ")));
    }
    lines.push(Line::new("emits", codec.emits().to_string()));
    lines.push(Line::new("decodes", codec.decodes().to_string()));
    lines
}

fn descriptors(protobuf: &ProtobufDef) -> Vec<Line> {
    let version = protobuf
        .version
        .map_or("latest".into(), |version| version.to_string());
    let paths = |paths: &[String]| listed(&paths.iter().map(String::as_str).collect::<Vec<_>>());
    vec![
        Line::new("format", "PROTOBUF"),
        Line::new("resource", format!("{} version {version}", protobuf.resource)),
        Line::new("files", paths(&protobuf.files)),
        Line::new("includes", paths(&protobuf.includes)),
        Line::new("message", protobuf.message.as_str()),
        Line::new(
            "batch message",
            protobuf.batch_message.as_deref().unwrap_or("none"),
        ),
    ]
}

fn listed(names: &[&str]) -> String {
    match names {
        [] => "none".into(),
        names => names.join(", "),
    }
}
