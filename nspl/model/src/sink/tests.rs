//! Rows of capabilities, and names of outside systems.

use super::{KafkaSinkDef, MqttSinkDef, NatsSinkDef, PulsarSinkDef, RabbitMqSinkDef, RedisSinkDef, SinkKind};
use crate::{Body, Build, Presence};

#[test]
fn a_row_is_that_of_its_kind_and_its_feature_is_the_keyword() {
    for kind in SinkKind::ALL {
        let row = kind.capabilities();
        assert_eq!(row.kind, kind);
        match row.build {
            Build::Feature(feature) => assert_eq!(feature, kind.name().to_lowercase()),
            Build::Every => assert_eq!(kind, SinkKind::Client),
            Build::None => {}
        }
        assert!(!row.modes.is_empty(), "{kind}");
        let encodes = matches!(row.body, Body::Codec | Body::CodecOrNone);
        assert!(!row.batch_program || encodes, "{kind}");
        assert_eq!(row.client == Presence::Barred, kind == SinkKind::Client, "{kind}");
    }
}

fn judge(fault: fn(&str) -> Option<String>, good: &[&str], bad: &[&str]) {
    for name in good {
        assert_eq!(fault(name), None, "{name:?}");
    }
    for name in bad {
        assert!(fault(name).is_some(), "{name:?}");
    }
}

#[test]
fn names_that_no_outside_system_could_have_are_faults() {
    let long = "t".repeat(256);
    judge(
        KafkaSinkDef::topic_fault,
        &["orders.v1_a-b", "..a"],
        &["", ".", "..", "a b", "a/b", "ö", &long],
    );
    judge(
        PulsarSinkDef::topic_fault,
        &["orders", "persistent://t/n/a", "non-persistent://t/n/a/b"],
        &["", "a b", "persistent://t/n", "persistent://t//a", "http://t/n/a"],
    );
    judge(
        RabbitMqSinkDef::queue_fault,
        &["jobs.fifo", "ö"],
        &["", "a\n", &long],
    );
    judge(RedisSinkDef::channel_fault, &["a b", "*"], &[""]);
    judge(
        MqttSinkDef::topic_fault,
        &["/a b/ö", "$SYS"],
        &["", "a/+", "#", "a\0"],
    );
    judge(
        NatsSinkDef::subject_fault,
        &["a.b", "a*", ">a"],
        &["", "a..b", ".a", "a.", "a.*", ">", "a b"],
    );
}
