//! What destinations make of the names and values of headers: one judgement for constants and for records.

use crate::{http, sqs};

/// The most bytes of a short string of AMQP, which the name of a header is.
const AMQP_NAME_BYTES_MAX: usize = 255;

/// What names and values of headers may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeaderForm {
    /// Any text.
    Text,
    /// Attributes of an SQS message: [`crate::sqs`].
    SqsAttribute,
    /// Fields of an HTTP request: [`crate::http`].
    HttpField,
    /// Lines of a NATS message.
    NatsHeader,
    /// Entries of an AMQP field table.
    AmqpField,
    /// Headers of a Kafka record.
    KafkaHeader,
}

/// The bounds of what one record writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeaderBounds {
    /// The most headers.
    pub count: usize,
    /// The most bytes of all names and values.
    pub bytes: usize,
}

impl HeaderForm {
    /// Why the destination refuses a name.
    pub fn name_fault(self, name: &str) -> Option<&'static str> {
        match self {
            HeaderForm::Text => None,
            HeaderForm::SqsAttribute => sqs::attribute_name_fault(name),
            HeaderForm::HttpField => http::header_name_fault(name),
            HeaderForm::NatsHeader => {
                let fits = |byte: u8| byte.is_ascii_graphic() && byte != b':';
                (name.is_empty() || !name.bytes().all(fits)).then_some(
                    "a header's name of NATS is made of printable ASCII characters but ':' and the blank",
                )
            }
            HeaderForm::AmqpField => {
                (name.len() > AMQP_NAME_BYTES_MAX).then_some("a header's name of AMQP has at most 255 bytes")
            }
            HeaderForm::KafkaHeader => name
                .contains('\0')
                .then_some("the name of a Kafka header holds no NUL character"),
        }
    }

    /// Why the destination refuses a value.
    pub fn value_fault(self, value: &str) -> Option<&'static str> {
        match self {
            HeaderForm::Text => None,
            HeaderForm::SqsAttribute => sqs::attribute_value_fault(value),
            HeaderForm::HttpField => http::header_value_fault(value),
            HeaderForm::NatsHeader => value
                .contains(['\r', '\n'])
                .then_some("a header's value of NATS holds no line break"),
            HeaderForm::AmqpField | HeaderForm::KafkaHeader => None,
        }
    }

    /// The bounds that it sets; `None` where it sets none.
    pub fn bounds(self) -> Option<HeaderBounds> {
        match self {
            HeaderForm::Text | HeaderForm::NatsHeader | HeaderForm::AmqpField | HeaderForm::KafkaHeader => {
                None
            }
            HeaderForm::SqsAttribute => Some(HeaderBounds {
                count: sqs::ATTRIBUTES_MAX,
                bytes: usize::MAX,
            }),
            HeaderForm::HttpField => Some(HeaderBounds {
                count: http::HEADERS_MAX,
                bytes: http::HEADER_BYTES_MAX,
            }),
        }
    }

    /// Whether two names are one header.
    pub fn same_name(self, a: &str, b: &str) -> bool {
        match self {
            HeaderForm::HttpField => a.eq_ignore_ascii_case(b),
            _ => a == b,
        }
    }
}

/// What has been written of one record where the last write of a name wins: how many headers, how many bytes.
#[derive(Clone, Debug)]
pub struct HeaderTally {
    form: HeaderForm,
    entries: Vec<(String, usize)>,
}

/// A bound that a write crosses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum HeaderOverflow {
    /// Too many headers.
    #[error("it is one more than the {0} headers of a record")]
    Count(usize),
    /// Too many bytes.
    #[error("the names and values of the headers reach more than {0} bytes with it")]
    Bytes(usize),
}

impl HeaderTally {
    /// Nothing written.
    pub fn new(form: HeaderForm) -> HeaderTally {
        HeaderTally {
            form,
            entries: Vec::new(),
        }
    }

    /// Counts a write; an earlier one of the same name is replaced before the bounds are looked at.
    ///
    /// # Errors
    /// The bound that is crossed with this write.
    pub fn write(&mut self, name: &str, value_bytes: usize) -> Result<(), HeaderOverflow> {
        let form = self.form;
        let Some(bounds) = form.bounds() else {
            return Ok(());
        };
        match self
            .entries
            .iter_mut()
            .find(|(known, _)| form.same_name(known, name))
        {
            Some((_, bytes)) => *bytes = value_bytes,
            None => self.entries.push((name.to_owned(), value_bytes)),
        }
        if self.entries.len() > bounds.count {
            return Err(HeaderOverflow::Count(bounds.count));
        }
        let bytes: usize = self.entries.iter().map(|(name, value)| name.len() + value).sum();
        if bytes > bounds.bytes {
            return Err(HeaderOverflow::Bytes(bounds.bytes));
        }
        Ok(())
    }

    /// A write whose name is not known: it may replace the value of any other by an empty one, so only names still count.
    pub fn write_unknown(&mut self) {
        for (_, bytes) in &mut self.entries {
            *bytes = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{HeaderForm, HeaderOverflow, HeaderTally};

    #[test]
    fn the_last_write_counts_and_the_one_that_crosses_is_named() {
        let mut tally = HeaderTally::new(HeaderForm::HttpField);
        for index in 0..128 {
            assert_eq!(tally.write(&format!("h{index}"), 0), Ok(()));
        }
        assert_eq!(tally.write("H0", 0), Ok(()));
        assert_eq!(tally.write("one-more", 0), Err(HeaderOverflow::Count(128)));

        let mut tally = HeaderTally::new(HeaderForm::HttpField);
        assert_eq!(tally.write("a", 32 * 1024 - 1), Ok(()));
        assert_eq!(tally.write("A", 1), Ok(()));
        assert_eq!(tally.write("b", 32 * 1024 - 3), Ok(()));
        assert_eq!(tally.write("a", 2), Err(HeaderOverflow::Bytes(32 * 1024)));

        let mut tally = HeaderTally::new(HeaderForm::SqsAttribute);
        for index in 0..10 {
            assert_eq!(tally.write(&format!("h{index}"), 1 << 20), Ok(()));
        }
        assert_eq!(tally.write("H0", 1), Err(HeaderOverflow::Count(10)));
    }

    #[test]
    fn what_a_line_a_short_string_or_a_record_cannot_carry_is_a_fault() {
        let judged = |form: HeaderForm, name: &str, value: &str| {
            (form.name_fault(name).is_none(), form.value_fault(value).is_none())
        };
        assert_eq!(
            judged(HeaderForm::NatsHeader, "Trace-Id_1", "ü, b: c"),
            (true, true)
        );
        for name in ["", "a b", "a:", "a\r", "ü", "a\n"] {
            assert!(!judged(HeaderForm::NatsHeader, name, "").0, "{name:?}");
        }
        assert!(!judged(HeaderForm::NatsHeader, "a", "b\r\nc: d").1);
        assert_eq!(
            judged(HeaderForm::AmqpField, &"a".repeat(255), "\n"),
            (true, true)
        );
        assert!(!judged(HeaderForm::AmqpField, &"é".repeat(128), "").0);
        assert_eq!(judged(HeaderForm::KafkaHeader, "", "\0"), (true, true));
        assert!(!judged(HeaderForm::KafkaHeader, "a\0", "").0);
    }

    #[test]
    fn a_write_of_an_unknown_name_leaves_the_names_that_are_known() {
        let mut tally = HeaderTally::new(HeaderForm::HttpField);
        assert_eq!(tally.write("a", 32 * 1024 - 1), Ok(()));
        tally.write_unknown();
        assert_eq!(tally.write("b", 32 * 1024 - 2), Ok(()));
        assert_eq!(tally.write("c", 0), Err(HeaderOverflow::Bytes(32 * 1024)));
    }
}
