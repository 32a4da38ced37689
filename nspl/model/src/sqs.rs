//! What SQS refuses, so that it is refused before it is sent (emitters.txt "SQS").

/// The largest message, attributes and message group included, in bytes.
pub const MESSAGE_BYTES_MAX: u64 = 262_144;

/// The most attributes of one message.
pub const ATTRIBUTES_MAX: usize = 10;

/// The suffix of the name of a FIFO queue, exactly.
pub const FIFO_SUFFIX: &str = ".fifo";

const NAME_CHARS_MAX: usize = 80;
const ATTRIBUTE_CHARS_MAX: usize = 256;
const GROUP_CHARS_MAX: usize = 128;

/// Why SQS could never have a queue of this name.
pub fn queue_fault(queue: &str) -> Option<String> {
    let own = queue.strip_suffix(FIFO_SUFFIX).unwrap_or(queue);
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if queue.len() > NAME_CHARS_MAX {
        return Some(format!("a queue's name has at most {NAME_CHARS_MAX} characters"));
    }
    (own.is_empty() || !own.chars().all(allowed)).then(|| {
        "a queue's name is made of A-Z, a-z, 0-9, '-' and '_', with .fifo behind it for a FIFO queue".into()
    })
}

/// Why SQS refuses a body or an attribute value: its characters are those of the XML 1.0 Char production.
pub fn text_fault(text: &str) -> Option<&'static str> {
    let allowed = |c: char| matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..='\u{10FFFF}');
    (!text.chars().all(allowed)).then_some("it holds a character that SQS forbids")
}

/// Why SQS refuses the name of an attribute.
pub fn attribute_name_fault(name: &str) -> Option<&'static str> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let starts = |prefix: &str| {
        name.get(..prefix.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(prefix))
    };
    if name.is_empty() || name.len() > ATTRIBUTE_CHARS_MAX {
        return Some("an attribute's name has from 1 to 256 characters");
    }
    if !name.chars().all(allowed) {
        return Some("an attribute's name is made of A-Z, a-z, 0-9, '_', '-' and '.'");
    }
    if name.starts_with('.') || name.ends_with('.') || name.contains("..") {
        return Some("an attribute's name neither begins nor ends with '.', and has no two of them in a row");
    }
    (starts("AWS.") || starts("Amazon."))
        .then_some("names that begin with AWS. or Amazon. belong to the service")
}

/// Why SQS refuses the value of an attribute.
pub fn attribute_value_fault(value: &str) -> Option<&'static str> {
    match value {
        "" => Some("an attribute's value is not empty"),
        _ => text_fault(value),
    }
}

/// Why SQS refuses a FIFO message group.
pub fn group_fault(group: &str) -> Option<&'static str> {
    if group.is_empty() || group.len() > GROUP_CHARS_MAX {
        return Some("a message group has from 1 to 128 characters");
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || c.is_ascii_punctuation();
    (!group.chars().all(allowed))
        .then_some("a message group is made of ASCII letters, digits and punctuation")
}

#[cfg(test)]
mod tests {
    use super::{attribute_name_fault, attribute_value_fault, group_fault, queue_fault};

    fn judge(fits: fn(&str) -> bool, good: &[&str], bad: &[&str]) {
        for text in good {
            assert!(fits(text), "{text:?}");
        }
        for text in bad {
            assert!(!fits(text), "{text:?}");
        }
    }

    #[test]
    fn what_sqs_takes_passes_and_what_it_refuses_does_not() {
        let long = "a".repeat(257);
        judge(
            |text| queue_fault(text).is_none(),
            &["jobs", "jobs.fifo", "a-b_C9"],
            &["", ".fifo", "a.b", "a b", &long],
        );
        judge(
            |text| attribute_name_fault(text).is_none(),
            &["tenant", "a.b-c_d", "AWS", "awsome.x"],
            &["", ".a", "a.", "a..b", "aws.x", "AMAZON.y", "a b", "ö", &long],
        );
        judge(
            |text| attribute_value_fault(text).is_none(),
            &["a", "\t\n\r", "\u{FFFD}", "\u{FDD0}", "\u{1FFFE}"],
            &["", "\0", "\u{1b}", "\u{FFFE}", "\u{FFFF}"],
        );
        judge(
            |text| group_fault(text).is_none(),
            &["a", "!~"],
            &["", "a b", "ö", &long],
        );
    }
}
