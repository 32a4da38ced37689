//! The stored form of small records: lines of `name=value`. Unknown names are left alone, so that a record can grow.

use std::{collections::BTreeMap, fmt::Display, str::FromStr};

/// Values by name; a value holds no line's end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Record(BTreeMap<String, String>);

impl Record {
    pub(super) fn with(mut self, name: &str, value: impl Display) -> Self {
        let value = value.to_string().replace(['\n', '\r'], " ");
        self.0.insert(name.into(), value);
        self
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    pub(super) fn get<T: FromStr>(&self, name: &str) -> Option<T> {
        self.text(name)?.parse().ok()
    }

    pub(super) fn write(&self) -> String {
        self.0
            .iter()
            .map(|(name, value)| format!("{name}={value}\n"))
            .collect()
    }

    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let pairs = text.lines().map(|line| line.split_once('='));
        pairs
            .map(|pair| pair.map(|(name, value)| (name.into(), value.into())))
            .collect::<Option<_>>()
            .map(Self)
    }
}
