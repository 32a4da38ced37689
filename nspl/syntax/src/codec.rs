//! `CODEC c FROM ... TO SCHEMA s ...` in its four forms (companion section 2, rulings section 3).

use crate::client::Config;
use crate::grammar::{HIDDEN, Rule, choice_of, keyword, keyword_as, located, name, phrase, symbol, text};
use crate::name::{Name, Text};
use crate::printer::{Print, Printer};
use crate::resource::Version;
use crate::span::Span;
use crate::wire_schema::WireFormat;
use crate::{client, resource, wire_schema};
use chumsky::prelude::{IterParser, Parser, choice};

/// A codec definition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Codec {
    /// The name of the codec.
    pub name: Name,
    /// The schema of its records.
    pub schema: Name,
    /// How records look outside.
    pub form: CodecForm,
}

/// The forms of codecs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CodecForm {
    /// `FROM WIRE <format> SCHEMA w TO SCHEMA s [ENCODE f AS RFC3339, ...]`
    Schemaful {
        /// The format of the wire schema.
        format: WireFormat,
        /// The wire schema.
        wire_schema: Name,
        /// The DATETIME fields written as RFC 3339 text.
        rfc3339: Vec<Name>,
    },
    /// `FROM JSON|YAML|TOML|XML|CBOR TO SCHEMA s WITH JAQ TRANSFORMATIONS ...`
    Jaq {
        /// The format.
        format: JaqFormat,
        /// Its programs.
        transformations: Transformations,
    },
    /// `FROM PROTOBUF USING RESOURCE r [VERSION n] CONFIG {...} MESSAGE 'm' [BATCH MESSAGE 'm'] TO SCHEMA s WITH ...`
    Protobuf(Box<Protobuf>),
    /// `FROM SYSLOG TO SCHEMA s`
    Syslog,
}

/// The formats of jaq-native codecs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JaqFormat {
    /// `JSON`
    Json,
    /// `YAML`
    Yaml,
    /// `TOML`
    Toml,
    /// `XML`
    Xml,
    /// `CBOR`
    Cbor,
}

/// The parts of a protobuf codec.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Protobuf {
    /// The resource that holds the .proto files.
    pub resource: Name,
    /// Its version; none: the latest when the codec is created.
    pub version: Option<Version>,
    /// Which files.
    pub config: Config,
    /// The message of one record.
    pub message: Text,
    /// The message of a batch.
    pub batch_message: Option<Text>,
    /// Its programs.
    pub transformations: Transformations,
}

/// `WITH JAQ TRANSFORMATIONS [ON INGESTION '..'] [ON EMITTING '..'] [ON EMITTING BATCH '..']`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Transformations {
    /// The program of incoming records.
    pub on_ingestion: Option<Text>,
    /// The program of outgoing records.
    pub on_emitting: Option<Text>,
    /// The program of outgoing batches.
    pub on_emitting_batch: Option<Text>,
    /// Where the clause stands.
    pub span: Span,
}

impl JaqFormat {
    /// Every format.
    pub const ALL: [Self; 5] = [Self::Json, Self::Yaml, Self::Toml, Self::Xml, Self::Cbor];

    /// The keyword.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Yaml => "YAML",
            Self::Toml => "TOML",
            Self::Xml => "XML",
            Self::Cbor => "CBOR",
        }
    }
}

pub(crate) fn rule<'t>() -> Rule<'t, Codec> {
    let head = keyword("CODEC")
        .ignore_then(name("a codec name"))
        .then_ignore(keyword("FROM"));
    let form = choice((schemaful(), protobuf(), syslog(), jaq()));
    head.then(form)
        .map(|(name, (schema, form))| Codec { name, schema, form })
        .boxed()
}

fn to_schema<'t>() -> Rule<'t, Name> {
    phrase("TO SCHEMA").ignore_then(name("a schema name")).boxed()
}

fn schemaful<'t>() -> Rule<'t, (Name, CodecForm)> {
    let wire = keyword("WIRE")
        .ignore_then(wire_schema::format())
        .then_ignore(keyword("SCHEMA"));
    let field = name("a field name").then_ignore(phrase("AS RFC3339"));
    // The word ENCODE may be repeated before each field; it may also be a field.
    let repeated = keyword_as("ENCODE", HIDDEN).ignore_then(field.clone()).boxed();
    let more = symbol(",").ignore_then(choice((repeated, field.clone().boxed())));
    let encode = keyword("ENCODE")
        .ignore_then(field)
        .then(more.repeated().collect::<Vec<_>>());
    let parts = wire
        .then(name("a wire schema name"))
        .then(to_schema())
        .then(encode.or_not());
    parts
        .map(|(((format, wire_schema), schema), encode)| {
            let rfc3339 = encode
                .map(|(first, rest)| [vec![first], rest].concat())
                .unwrap_or_default();
            (
                schema,
                CodecForm::Schemaful {
                    format,
                    wire_schema,
                    rfc3339,
                },
            )
        })
        .boxed()
}

fn jaq<'t>() -> Rule<'t, (Name, CodecForm)> {
    let formats: Vec<_> = JaqFormat::ALL
        .into_iter()
        .map(|format| choice_of(format.as_str(), format))
        .collect();
    let parts = choice(formats).then(to_schema()).then(transformations());
    parts
        .map(|((format, schema), transformations)| {
            (
                schema,
                CodecForm::Jaq {
                    format,
                    transformations,
                },
            )
        })
        .boxed()
}

fn syslog<'t>() -> Rule<'t, (Name, CodecForm)> {
    keyword("SYSLOG")
        .ignore_then(to_schema())
        .map(|schema| (schema, CodecForm::Syslog))
        .boxed()
}

fn protobuf<'t>() -> Rule<'t, (Name, CodecForm)> {
    let resource = phrase("PROTOBUF USING RESOURCE").ignore_then(name(resource::RESOURCE));
    let message = keyword("MESSAGE").ignore_then(text("a quoted message name"));
    let batch_message = phrase("BATCH MESSAGE")
        .ignore_then(text("a quoted message name"))
        .or_not();
    let files = resource
        .then(resource::numbered().or_not())
        .then(client::config())
        .boxed();
    let messages = message.then(batch_message).boxed();
    files
        .then(messages)
        .then(to_schema())
        .then(transformations())
        .map(
            |(((((resource, version), config), (message, batch_message)), schema), transformations)| {
                let form = Protobuf {
                    resource,
                    version,
                    config,
                    message,
                    batch_message,
                    transformations,
                };
                (schema, CodecForm::Protobuf(Box::new(form)))
            },
        )
        .boxed()
}

fn transformations<'t>() -> Rule<'t, Transformations> {
    let program = || text("a quoted jaq program");
    let on_ingestion = phrase("ON INGESTION").ignore_then(program()).or_not();
    let on_emitting = phrase("ON EMITTING").ignore_then(program()).or_not();
    let on_emitting_batch = phrase("ON EMITTING BATCH").ignore_then(program()).or_not();
    let programs = on_ingestion.then(on_emitting).then(on_emitting_batch);
    located(
        phrase("WITH JAQ TRANSFORMATIONS").ignore_then(programs),
        |((on_ingestion, on_emitting), on_emitting_batch), span| Transformations {
            on_ingestion,
            on_emitting,
            on_emitting_batch,
            span,
        },
    )
}

impl Print for Codec {
    fn print(&self, printer: &mut Printer) {
        printer.put("CODEC ").node(&self.name);
        match &self.form {
            CodecForm::Schemaful {
                format,
                wire_schema,
                rfc3339,
            } => {
                printer
                    .line(2)
                    .put("FROM WIRE ")
                    .put(format.as_str())
                    .put(" SCHEMA ")
                    .node(wire_schema);
                printer.line(2).put("TO SCHEMA ").node(&self.schema);
                for (index, field) in rfc3339.iter().enumerate() {
                    if index > 0 {
                        printer.put(",").line(9);
                    } else {
                        printer.line(2).put("ENCODE ");
                    }
                    printer.node(field).put(" AS RFC3339");
                }
            }
            CodecForm::Jaq {
                format,
                transformations,
            } => {
                printer.line(2).put("FROM ").put(format.as_str());
                printer
                    .line(2)
                    .put("TO SCHEMA ")
                    .node(&self.schema)
                    .line(2)
                    .node(transformations);
            }
            CodecForm::Protobuf(form) => {
                form.print_head(printer);
                printer
                    .line(2)
                    .put("TO SCHEMA ")
                    .node(&self.schema)
                    .line(2)
                    .node(&form.transformations);
            }
            CodecForm::Syslog => {
                printer
                    .line(2)
                    .put("FROM SYSLOG")
                    .line(2)
                    .put("TO SCHEMA ")
                    .node(&self.schema);
            }
        }
    }
}

impl Protobuf {
    fn print_head(&self, printer: &mut Printer) {
        printer
            .line(2)
            .put("FROM PROTOBUF USING RESOURCE ")
            .node(&self.resource);
        if let Some(version) = &self.version {
            printer.put(" ").node(version);
        }
        printer.line(4);
        self.config.print_at(printer, 4, None);
        printer.line(4).put("MESSAGE ").node(&self.message);
        if let Some(message) = &self.batch_message {
            printer.line(4).put("BATCH MESSAGE ").node(message);
        }
    }
}

impl Print for Transformations {
    fn print(&self, printer: &mut Printer) {
        printer.put("WITH JAQ TRANSFORMATIONS");
        let programs = [
            ("ON INGESTION ", &self.on_ingestion),
            ("ON EMITTING ", &self.on_emitting),
            ("ON EMITTING BATCH ", &self.on_emitting_batch),
        ];
        for (clause, program) in programs {
            if let Some(program) = program {
                printer.line(4).put(clause).node(program);
            }
        }
    }
}
