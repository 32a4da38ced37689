//! The article before a word of the language, as it is spoken.

use std::fmt::Display;

/// Words that are read letter by letter.
const SPELLED: [&str; 5] = ["HTTP", "MQTT", "SQS", "S3", "XML"];

/// The word behind `a` or `an`.
pub(crate) fn with_article(word: impl Display) -> String {
    let word = word.to_string();
    let vowels = match SPELLED.contains(&word.as_str()) {
        // Of the letters' own names.
        true => "AEFHILMNORSX",
        false => "AEIO",
    };
    let article = match word.starts_with(|first: char| vowels.contains(first.to_ascii_uppercase())) {
        true => "an",
        false => "a",
    };
    format!("{article} {word}")
}

#[cfg(test)]
mod tests {
    use nspl_model::{ClientKind, SinkKind};

    use super::with_article;

    #[test]
    fn every_kind_has_the_article_that_is_spoken_before_it() {
        let an = [
            "HTTP",
            "MQTT",
            "SQS",
            "OTEL",
            "ICEBERG",
            "ICEBERG_REST",
            "S3",
            "AZURE_BLOB",
        ];
        let sinks = SinkKind::ALL.iter().map(|kind| kind.to_string());
        let clients = ClientKind::all().map(|kind| kind.to_string());
        for kind in sinks.chain(clients) {
            let article = match an.contains(&kind.as_str()) {
                true => "an",
                false => "a",
            };
            assert_eq!(with_article(&kind), format!("{article} {kind}"));
        }
    }
}
