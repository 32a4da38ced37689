//! The descriptor of a Flight call: `[domain, "ingestor" | "emitter", name]` (flight.md "Finding").

use arrow_flight::{FlightDescriptor, flight_descriptor::DescriptorType};

use super::ending::{Ending, Reason};
use crate::directory::{Directory, Entry, Named};

/// What a descriptor names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) domain: String,
    pub(crate) kind: Kind,
    pub(crate) name: String,
}

/// The second part of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Ingestor,
    Emitter,
}

impl Kind {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Ingestor => "ingestor",
            Self::Emitter => "emitter",
        }
    }
}

impl Target {
    /// Reads a descriptor.
    pub(crate) fn read(descriptor: Option<&FlightDescriptor>) -> Result<Self, Ending> {
        let bad = |what: &str| {
            let text =
                format!("{what}; the descriptor is a path [domain, \"ingestor\" or \"emitter\", name]");
            Ending::new(Reason::BadDescriptor, text)
        };
        let descriptor = descriptor.ok_or_else(|| bad("the first message has no flight_descriptor"))?;
        if descriptor.r#type() != DescriptorType::Path {
            return Err(bad("the descriptor is not a path"));
        }
        let [domain, kind, name] = descriptor.path.as_slice() else {
            return Err(bad(&format!("the path has {} parts", descriptor.path.len())));
        };
        let kind = match kind.as_str() {
            "ingestor" => Kind::Ingestor,
            "emitter" => Kind::Emitter,
            _ => return Err(bad("the second part of the path is another word")),
        };
        Ok(Self {
            domain: domain.clone(),
            kind,
            name: name.clone(),
        })
    }

    /// The descriptor of an entry.
    pub(crate) fn descriptor(domain: &str, entry: &Entry, name: &str) -> FlightDescriptor {
        FlightDescriptor::new_path(vec![domain.to_owned(), entry.kind().to_owned(), name.to_owned()])
    }

    /// The same, with a call that takes one kind only.
    pub(crate) fn of_kind(
        descriptor: Option<&FlightDescriptor>,
        kind: Kind,
        call: &str,
    ) -> Result<Self, Ending> {
        let target = Self::read(descriptor)?;
        if target.kind == kind {
            return Ok(target);
        }
        let text = format!(
            "{call} takes an {}, and the descriptor names an {}",
            kind.word(),
            target.kind.word()
        );
        Err(Ending::new(Reason::BadDescriptor, text))
    }

    /// Looks the target up.
    pub(crate) fn find(&self, directory: &Directory) -> Result<Entry, Ending> {
        let entry = match self.kind {
            Kind::Ingestor => directory.inlet(&self.domain, &self.name).map(Entry::Ingestor),
            Kind::Emitter => directory.outlet(&self.domain, &self.name).map(Entry::Emitter),
        };
        entry.ok_or_else(|| self.unknown(directory))
    }

    /// The end of a call whose entity is not here. While the whole graph is elsewhere, only who executes it knows what
    /// there is: the call is sent there, without a promise.
    pub(crate) fn unknown(&self, directory: &Directory) -> Ending {
        let known = directory.knows_domain(&self.domain);
        if let Some(location) = directory.elsewhere().filter(|_| known) {
            let title = format!("{} `{}` of domain `{}`", self.kind.word(), self.name, self.domain);
            return Ending::elsewhere(&title, &location);
        }
        if !directory.is_assigned() {
            return Ending::starting();
        }
        let text = if known {
            self.absence(directory)
        } else {
            format!(
                "there is no domain `{}`; ListFlights names what there is",
                self.domain
            )
        };
        Ending::new(Reason::Unknown, text)
    }

    /// Why a known domain has no such way in or out: what else goes by the name, and what to do with that.
    fn absence(&self, directory: &Directory) -> String {
        let Self { domain, kind, name } = self;
        match directory.named(domain, name).as_slice() {
            [] => format!(
                "there is no {} `{name}` in domain `{domain}`; ListFlights and SHOW {}S name what there is",
                kind.word(),
                kind.word().to_ascii_uppercase()
            ),
            [Named::Outside, ..] => format!(
                "emitter `{name}` of domain `{domain}` publishes to a destination outside: only an emitter TO CLIENT \
                 can be consumed; DESCRIBE EMITTER tells how it fares"
            ),
            [Named::Ingestor, ..] => format!(
                "`{name}` is an ingestor of domain `{domain}`: it is written to (DoPut, `nervix send`), and emitters \
                 TO CLIENT are consumed"
            ),
            [Named::Emitter, ..] => format!(
                "`{name}` is an emitter of domain `{domain}`: it is consumed (DoExchange, `nervix consume`), and \
                 ingestors are written to"
            ),
            [Named::Relay, ..] => format!(
                "`{name}` is a relay of domain `{domain}`: ingestors are written to (`nervix send`), and emitters TO \
                 CLIENT that read it are consumed (`nervix consume`)"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use arrow_flight::FlightDescriptor;

    use super::{Kind, Target};

    fn path(parts: &[&str]) -> FlightDescriptor {
        FlightDescriptor::new_path(parts.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_path_of_three_parts_is_read() {
        let target = Target::read(Some(&path(&["shop", "ingestor", "orders"]))).unwrap();
        assert_eq!(
            (target.domain.as_str(), target.kind, target.name.as_str()),
            ("shop", Kind::Ingestor, "orders")
        );
    }

    #[test]
    fn everything_else_is_refused_with_the_form_that_is_expected() {
        let descriptors = [
            None,
            Some(FlightDescriptor::new_cmd("x")),
            Some(path(&["shop", "orders"])),
            Some(path(&["shop", "relay", "orders"])),
        ];
        for descriptor in descriptors {
            let ending = Target::read(descriptor.as_ref()).unwrap_err();
            assert!(ending.message().contains("path [domain"), "{}", ending.message());
        }
        assert!(Target::of_kind(Some(&path(&["d", "emitter", "e"])), Kind::Ingestor, "DoPut").is_err());
    }
}
