//! The public packages say what each message, field, value and call means: whoever reads them by reflection has nothing
//! else.

use std::collections::BTreeSet;

use prost::Message;
use prost_types::{DescriptorProto, EnumDescriptorProto, FileDescriptorProto, FileDescriptorSet};

/// Tags of descriptor.proto: what a path is made of.
const MESSAGES: i32 = 4;
const ENUMS: i32 = 5;
const SERVICES: i32 = 6;
const FIELDS: i32 = 2;
const NESTED: i32 = 3;
const ENUMS_OF_MESSAGE: i32 = 4;
const VALUES: i32 = 2;
const METHODS: i32 = 2;

/// The things of one file that have no comment.
struct Bare<'a> {
    commented: BTreeSet<&'a [i32]>,
    names: Vec<String>,
}

impl Bare<'_> {
    fn see(&mut self, path: &[i32], name: String) {
        if !self.commented.contains(path) {
            self.names.push(name);
        }
    }

    fn message(&mut self, path: &[i32], message: &DescriptorProto) {
        self.see(path, message.name().to_owned());
        for (at, field) in (0..).zip(&message.field) {
            let name = format!("{}.{}", message.name(), field.name());
            self.see(&[path, &[FIELDS, at]].concat(), name);
        }
        for (at, nested) in (0..).zip(&message.nested_type) {
            self.message(&[path, &[NESTED, at]].concat(), nested);
        }
        for (at, values) in (0..).zip(&message.enum_type) {
            self.values(&[path, &[ENUMS_OF_MESSAGE, at]].concat(), values);
        }
    }

    fn values(&mut self, path: &[i32], values: &EnumDescriptorProto) {
        self.see(path, values.name().to_owned());
        for (at, value) in (0..).zip(&values.value) {
            // That of number 0 stands for nothing.
            if value.number() != 0 || !value.name().ends_with("_UNSPECIFIED") {
                self.see(&[path, &[VALUES, at]].concat(), value.name().to_owned());
            }
        }
    }
}

fn bare(file: &FileDescriptorProto) -> Vec<String> {
    let locations = file.source_code_info.iter().flat_map(|info| &info.location);
    let commented = locations.filter(|location| !location.leading_comments().trim().is_empty());
    let mut bare = Bare {
        commented: commented.map(|location| location.path.as_slice()).collect(),
        names: Vec::new(),
    };
    for (at, message) in (0..).zip(&file.message_type) {
        bare.message(&[MESSAGES, at], message);
    }
    for (at, values) in (0..).zip(&file.enum_type) {
        bare.values(&[ENUMS, at], values);
    }
    for (at, service) in (0..).zip(&file.service) {
        bare.see(&[SERVICES, at], service.name().to_owned());
        for (number, method) in (0..).zip(&service.method) {
            bare.see(&[SERVICES, at, METHODS, number], method.name().to_owned());
        }
    }
    bare.names
}

#[test]
fn all_of_the_public_packages_is_commented() {
    let set =
        FileDescriptorSet::decode(nervix_proto::FILE_DESCRIPTOR_SET).expect("it was encoded by the build");
    let public = set
        .file
        .iter()
        .filter(|file| matches!(file.package(), "nervix.v1" | "nervix.client.v1"));
    let files: Vec<&FileDescriptorProto> = public.collect();
    assert_eq!(files.len(), 2);
    for file in files {
        assert_eq!(bare(file), [""; 0], "{}", file.name());
    }
}
