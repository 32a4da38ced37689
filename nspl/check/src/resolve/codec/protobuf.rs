//! `FROM PROTOBUF USING RESOURCE r` (companion section 2, rulings section 3).

use std::collections::HashMap;

use nspl_model::{CodecDef, CodecForm, EntityKind, ProtobufDef};
use nspl_protobuf::{DescriptorPool, is_batch_of, message_names};
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
        let version = self.described(tree, version, &paths)?;
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

    /// Judges what depends on the files; the version that is meant.
    fn described(
        &mut self,
        tree: &tree::Protobuf,
        version: Option<u64>,
        paths: &Paths,
    ) -> Option<Option<u64>> {
        let fresh = self.world.is_fresh(self.owner);
        let found = match self.find_version(&tree.resource.text, version) {
            Ok(Some(found)) => found,
            Ok(None) => return Some(version),
            Err(missing) => {
                if fresh {
                    self.faults
                        .push(rules::resource_version::fault(&tree.resource, version, &missing));
                }
                return None;
            }
        };
        if fresh {
            match found.files() {
                Err(why) => self
                    .faults
                    .push(rules::files_unjudged::fault(&tree.resource, &why)),
                Ok(files) => match self
                    .world
                    .descriptors
                    .compiled(&files, &paths.files, &paths.includes)
                {
                    Err(fault) => self.faults.push(rules::protobuf_files::fault(tree, &fault)),
                    Ok(pool) => self.messages(tree, &pool),
                },
            }
        }
        Some(found.version.or(version))
    }

    /// BATCH MESSAGE of a codec that a batching emitter encodes with is a sequence of MESSAGE. What the files themselves
    /// lack is reported at the codec.
    pub(in crate::resolve) fn batch_message(
        &mut self,
        place: Span,
        codec: &CodecDef,
        (protobuf, batch): (&ProtobufDef, &str),
    ) {
        let Ok(Some(found)) = self.find_version(&protobuf.resource, protobuf.version) else {
            return;
        };
        let compiled = found.files().ok().and_then(|files| {
            let descriptors = &self.world.descriptors;
            let compiled = descriptors.compiled(&files, &protobuf.files, &protobuf.includes);
            compiled.ok()
        });
        let messages = compiled.and_then(|pool| {
            let member = pool.get_message_by_name(&protobuf.message)?;
            Some((pool.get_message_by_name(batch)?, member))
        });
        if let Some((found, member)) = messages
            && !is_batch_of(&found, &member)
        {
            self.faults.push(rules::batch_codec::no_sequence(
                place,
                codec,
                batch,
                &protobuf.message,
            ));
        }
    }

    fn messages(&mut self, tree: &tree::Protobuf, pool: &DescriptorPool) {
        let named = [Some(&tree.message), tree.batch_message.as_ref()];
        for message in named.into_iter().flatten() {
            if pool.get_message_by_name(&message.value).is_none() {
                self.faults
                    .push(rules::protobuf_message::fault(message, &message_names(pool)));
            }
        }
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
        self.is_clean_since(faults_before).then_some(paths)
    }
}

/// Whether a path stays below the root of its resource; `.` is the root itself.
fn is_path(path: &str) -> bool {
    path == "."
        || path
            .split('/')
            .all(|part| !matches!(part, "" | "." | "..") && !part.contains('\\'))
}
