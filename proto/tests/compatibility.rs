//! What the public packages have promised stays: every message, field, enum value, service and method of the committed
//! descriptor is still there with the same number, type, label and name.

use std::collections::BTreeMap;

use prost::Message;
use prost_types::{DescriptorProto, EnumDescriptorProto, FileDescriptorProto, FileDescriptorSet};

const COMMITTED: &[u8] = include_bytes!("../descriptors/public.binpb");
const REMEDY: &str = "the public API only grows: take the change back, or mark the old thing deprecated and add a new one; \
     after an addition run `cargo run -p nervix-proto --example descriptors`";

/// One promise of the API by its full name, with what is promised of it.
type Promises = BTreeMap<String, String>;

fn promises(set: &FileDescriptorSet) -> Promises {
    let mut promises = Promises::new();
    for file in set
        .file
        .iter()
        .filter(|file| matches!(file.package(), "nervix.v1" | "nervix.client.v1"))
    {
        collect_file(file, &mut promises);
    }
    promises
}

fn collect_file(file: &FileDescriptorProto, promises: &mut Promises) {
    for message in &file.message_type {
        collect_message(file.package(), message, promises);
    }
    for item in &file.enum_type {
        collect_enum(file.package(), item, promises);
    }
    for service in &file.service {
        for method in &service.method {
            promises.insert(
                format!("method {}.{}/{}", file.package(), service.name(), method.name()),
                format!(
                    "takes {} (stream {}) and returns {} (stream {})",
                    method.input_type(),
                    method.client_streaming(),
                    method.output_type(),
                    method.server_streaming()
                ),
            );
        }
    }
}

fn collect_message(scope: &str, message: &DescriptorProto, promises: &mut Promises) {
    let name = format!("{scope}.{}", message.name());
    promises.insert(format!("message {name}"), String::new());
    for field in &message.field {
        let oneof = field
            .oneof_index
            .and_then(|index| message.oneof_decl.get(index as usize));
        promises.insert(
            format!("field {} of {name}", field.number()),
            format!(
                "is `{}` (JSON `{}`), {:?} {:?} {}, in oneof `{}`",
                field.name(),
                field.json_name(),
                field.label(),
                field.r#type(),
                field.type_name(),
                oneof.map_or("", |oneof| oneof.name())
            ),
        );
    }
    for nested in &message.nested_type {
        collect_message(&name, nested, promises);
    }
    for item in &message.enum_type {
        collect_enum(&name, item, promises);
    }
}

fn collect_enum(scope: &str, item: &EnumDescriptorProto, promises: &mut Promises) {
    for value in &item.value {
        promises.insert(
            format!("value {} of {scope}.{}", value.number(), item.name()),
            format!("is `{}`", value.name()),
        );
    }
}

fn broken(committed: &Promises, current: &Promises) -> Vec<String> {
    let mut broken = Vec::new();
    for (what, promised) in committed {
        match current.get(what) {
            Some(now) if now == promised => {}
            Some(now) => broken.push(format!("{what} {promised}; now it {now}")),
            None => broken.push(format!("{what} ({promised}) is gone")),
        }
    }
    broken
}

fn decode(bytes: &[u8]) -> FileDescriptorSet {
    FileDescriptorSet::decode(bytes).unwrap_or_else(|error| panic!("no descriptor set: {error}"))
}

#[test]
fn the_public_api_keeps_what_it_promised() {
    let committed = promises(&decode(COMMITTED));
    let current = promises(&decode(nervix_proto::FILE_DESCRIPTOR_SET));
    let broken = broken(&committed, &current);
    assert!(broken.is_empty(), "{}\n{REMEDY}", broken.join("\n"));
}

#[test]
fn the_committed_descriptor_holds_every_addition() {
    let committed = promises(&decode(COMMITTED));
    let current = promises(&decode(nervix_proto::FILE_DESCRIPTOR_SET));
    let missing: Vec<_> = current
        .keys()
        .filter(|what| !committed.contains_key(*what))
        .collect();
    assert!(
        missing.is_empty(),
        "not yet in proto/descriptors/public.binpb: {missing:?}\n{REMEDY}"
    );
}

#[test]
fn a_removed_renumbered_or_retyped_part_is_refused() {
    let committed = decode(COMMITTED);
    let before = promises(&committed);
    let refuses = |change: &dyn Fn(&mut FileDescriptorProto)| {
        let mut changed = committed.clone();
        let control = changed.file.iter_mut().find(|file| file.package() == "nervix.v1");
        change(control.expect("nervix.v1"));
        !broken(&before, &promises(&changed)).is_empty()
    };
    assert!(!refuses(&|_| ()));
    assert!(refuses(&|file| drop(file.message_type.pop())));
    assert!(refuses(&|file| drop(file.message_type[0].field.pop())));
    assert!(refuses(&|file| file.message_type[0].field[0].number = Some(99)));
    assert!(refuses(
        &|file| file.message_type[0].field[0].set_type(prost_types::field_descriptor_proto::Type::Bytes)
    ));
    assert!(refuses(
        &|file| file.message_type[0].field[0].name = Some("other".into())
    ));
    assert!(refuses(&|file| drop(file.service[0].method.pop())));
    assert!(refuses(
        &|file| file.service[0].method[0].server_streaming = Some(true)
    ));
    assert!(refuses(&|file| {
        let holder = file
            .message_type
            .iter_mut()
            .find(|message| !message.enum_type.is_empty());
        drop(holder.expect("an enum").enum_type[0].value.pop());
    }));
}
