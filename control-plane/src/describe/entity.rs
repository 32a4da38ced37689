//! DESCRIBE of what no worker executes by itself: schemas, branches, relays.

use nspl::model::{Definition, DurationText, EntityKey, Schema};

use crate::{catalog::ResourceVersion, rollout::Line};

pub(super) fn lines(domain: &str, definition: &Definition, users: &[EntityKey]) -> Vec<Line> {
    let mut lines = vec![
        Line::new(definition.kind().words().to_lowercase(), definition.name()),
        Line::new("domain", domain),
    ];
    match definition {
        Definition::Schema(schema) => lines.extend(fields(schema)),
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
