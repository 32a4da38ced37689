//! What a worker knows of a codec: it travels at the front of every job, and is compiled once a worker.

use nspl_jaq::Program;
use nspl_model::{CodecDef, CodecForm, JaqFormat, JaqPrograms};
use nspl_protobuf::FileMap;

use super::format::Format;
use super::wire::{Reader, Unreadable, Writer};
use crate::protobuf::{Messages, MessagesDef};

/// The formats that programs write and read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FormatDef {
    Native(JaqFormat),
    Protobuf(MessagesDef),
}

/// A codec with programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Definition {
    pub(crate) format: FormatDef,
    pub(crate) programs: JaqPrograms,
}

/// A codec with programs, ready to run.
pub(crate) struct Compiled {
    pub(crate) format: Format,
    pub(crate) emitting: Option<Program>,
    pub(crate) emitting_batch: Option<Program>,
    pub(crate) ingestion: Option<Program>,
}

const FORMATS: [JaqFormat; 5] = [
    JaqFormat::Json,
    JaqFormat::Yaml,
    JaqFormat::Toml,
    JaqFormat::Xml,
    JaqFormat::Cbor,
];

/// In the place of the number of a native format.
const PROTOBUF: u8 = u8::MAX;

impl Definition {
    /// Takes what a definition says.
    ///
    /// # Errors
    /// When its form has no programs, or a .proto file is missing or does not compile.
    pub(crate) fn of(def: &CodecDef, files: Option<&FileMap>) -> Result<Definition, String> {
        match &def.form {
            CodecForm::Jaq { format, programs } => Ok(Definition {
                format: FormatDef::Native(*format),
                programs: programs.clone(),
            }),
            CodecForm::Protobuf(protobuf) => Ok(Definition {
                format: FormatDef::Protobuf(MessagesDef::compile(protobuf, files)?),
                programs: protobuf.programs.clone(),
            }),
            CodecForm::Schemaful { .. } | CodecForm::Syslog => Err("it has no programs".to_owned()),
        }
    }

    /// Compiles the programs and the format.
    ///
    /// # Errors
    /// What does not compile; the checker lets nothing through that does not.
    pub(crate) fn compile(&self) -> Result<Compiled, String> {
        let format = match &self.format {
            FormatDef::Native(format) => Format::Native(*format),
            FormatDef::Protobuf(messages) => Format::Protobuf(Messages::of(messages)?),
        };
        let JaqPrograms {
            ingestion,
            emitting,
            emitting_batch,
        } = &self.programs;
        Ok(Compiled {
            format,
            emitting: program("ON EMITTING", emitting.as_deref())?,
            emitting_batch: program("ON EMITTING BATCH", emitting_batch.as_deref())?,
            ingestion: program("ON INGESTION", ingestion.as_deref())?,
        })
    }

    pub(crate) fn write(&self) -> Vec<u8> {
        let mut out = Writer::default();
        match &self.format {
            FormatDef::Native(format) => {
                let place = FORMATS.iter().position(|known| known == format);
                out.byte(
                    place
                        .and_then(|place| u8::try_from(place).ok())
                        .unwrap_or_default(),
                );
            }
            FormatDef::Protobuf(messages) => {
                out.byte(PROTOBUF);
                out.bytes(&messages.descriptors);
                out.text(&messages.message);
                out.some_text(messages.batch_message.as_deref());
            }
        }
        out.some_text(self.programs.ingestion.as_deref());
        out.some_text(self.programs.emitting.as_deref());
        out.some_text(self.programs.emitting_batch.as_deref());
        out.into_bytes().into()
    }

    pub(crate) fn read(bytes: &[u8]) -> Result<Definition, Unreadable> {
        let mut reader = Reader::new(bytes);
        let format = match reader.byte()? {
            PROTOBUF => FormatDef::Protobuf(MessagesDef {
                descriptors: reader.bytes()?.to_vec(),
                message: reader.text()?,
                batch_message: reader.some_text()?,
            }),
            native => FormatDef::Native(*FORMATS.get(usize::from(native)).ok_or(Unreadable)?),
        };
        let programs = JaqPrograms {
            ingestion: reader.some_text()?,
            emitting: reader.some_text()?,
            emitting_batch: reader.some_text()?,
        };
        reader.end()?;
        Ok(Definition { format, programs })
    }
}

fn program(clause: &str, text: Option<&str>) -> Result<Option<Program>, String> {
    let compiled = text.map(Program::compile).transpose();
    compiled.map_err(|faults| {
        let first = faults.first().map(|fault| fault.reason.to_string());
        format!("{clause}: {}", first.unwrap_or_default())
    })
}
