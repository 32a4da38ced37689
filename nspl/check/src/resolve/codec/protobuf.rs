//! `FROM PROTOBUF USING RESOURCE r` (companion section 2, rulings section 3).

use std::collections::HashMap;

use nspl_model::{CodecForm, EntityKind, ProtobufDef};
use nspl_syntax::Span;
use nspl_syntax::client::Config;
use nspl_syntax::codec as tree;
use nspl_syntax::expression::ExprKind;

use super::super::Resolver;
use crate::rules;

/// What CONFIG says, each list in written order.
#[derive(Default)]
struct Paths {
    files: Vec<String>,
    includes: Vec<String>,
}

impl Resolver<'_> {
    pub(super) fn protobuf_form(&mut self, tree: &tree::Protobuf) -> Option<CodecForm> {
        let resource = self.refer(EntityKind::Resource, &tree.resource);
        let version = match &tree.version {
            Some(version) => self.version(version),
            None => Some(None),
        };
        let paths = self.paths(&tree.config);
        let programs = self.programs(&tree.transformations);
        resource?;
        let (version, paths) = (version?, paths?);
        Some(CodecForm::Protobuf(Box::new(ProtobufDef {
            resource: tree.resource.text.clone(),
            version,
            files: paths.files,
            includes: paths.includes,
            message: tree.message.value.clone(),
            batch_message: tree.batch_message.as_ref().map(|message| message.value.clone()),
            programs: programs?,
        })))
    }

    fn paths(&mut self, config: &Config) -> Option<Paths> {
        let faults_before = self.faults.len();
        let mut first: HashMap<&str, Span> = HashMap::new();
        let mut paths = Paths::default();
        for entry in &config.entries {
            let key = entry.key.value.as_str();
            // A key and its plural are one.
            let one = key.strip_suffix('s').unwrap_or(key);
            let list = match one {
                "file" => &mut paths.files,
                "include" => &mut paths.includes,
                _ => {
                    self.faults.push(rules::protobuf_config::unknown(&entry.key));
                    continue;
                }
            };
            if let Some(before) = first.insert(one, entry.key.span) {
                self.faults
                    .push(rules::doubled_target::fault(entry.key.span, key, before));
                continue;
            }
            let ExprKind::Text(text) = &entry.value.kind else {
                self.faults
                    .push(rules::protobuf_config::no_text(entry.value.span, key));
                continue;
            };
            let written: Vec<&str> = text.split(',').map(str::trim).collect();
            match written.iter().find(|path| !is_path(path)) {
                Some(path) => self
                    .faults
                    .push(rules::protobuf_config::no_path(entry.value.span, key, path)),
                None => *list = written.into_iter().map(str::to_owned).collect(),
            }
        }
        (self.faults.len() == faults_before).then_some(paths)
    }
}

/// Whether a path stays below the root of its resource; `.` is the root itself.
fn is_path(path: &str) -> bool {
    path == "."
        || path
            .split('/')
            .all(|part| !matches!(part, "" | "." | "..") && !part.contains('\\'))
}
