//! Messages of compiled .proto files, as programs see them: in protobuf's own JSON mapping (companion section 12).
//!
//! A value is written by the names of the .proto file or their JSON names; 64-bit numbers are numbers or text, enums are
//! names or numbers, `bytes` are base64 text or byte strings, well-known types have their own forms. A key that is no
//! field is a fault. A message is read by the names of the .proto file, with every field that has a default; 64-bit
//! numbers are numbers.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jaq_json::{Map, Num, Val};
use nspl_model::ProtobufDef;
use nspl_protobuf::{DescriptorPool, FileMap, MessageDescriptor, is_batch_of};
use prost_reflect::prost::Message;
use prost_reflect::prost::encoding::{WireType, encode_key, encode_varint, encoded_len_varint, key_len};
use prost_reflect::{DeserializeOptions, DynamicMessage, SerializeOptions};
use serde_json::Value;

use crate::bounded::BoundedWriter;
use crate::native::fault::{ReadFault, WriteFault};
use crate::native::nesting::{self, TOO_DEEP};
use crate::native::number;

/// The messages of one codec: descriptors in the form in which they travel, and full names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MessagesDef {
    /// An encoded `FileDescriptorSet`.
    pub(crate) descriptors: Vec<u8>,
    pub(crate) message: String,
    pub(crate) batch_message: Option<String>,
}

impl MessagesDef {
    /// Compiles the files of the codec's resource.
    ///
    /// # Errors
    /// When there are none, they do not compile, or a message is not in them.
    pub(crate) fn compile(def: &ProtobufDef, files: Option<&FileMap>) -> Result<MessagesDef, String> {
        let files = files.ok_or_else(|| format!("the files of resource '{}' are not there", def.resource))?;
        let pool =
            nspl_protobuf::compile(files, &def.files, &def.includes).map_err(|fault| fault.to_string())?;
        let messages = MessagesDef {
            descriptors: pool.encode_to_vec(),
            message: def.message.clone(),
            batch_message: def.batch_message.clone(),
        };
        Messages::of(&messages).map(|_| messages)
    }
}

/// The messages of one codec.
pub(crate) struct Messages {
    message: MessageDescriptor,
    batch: Option<Batch>,
}

struct Batch {
    message: MessageDescriptor,
    /// The number of the one field, when the batch is nothing but `repeated` members.
    members: Option<u32>,
}

impl Messages {
    /// # Errors
    /// When the descriptors are none, or a message is not in them.
    pub(crate) fn of(def: &MessagesDef) -> Result<Messages, String> {
        let pool = DescriptorPool::decode(def.descriptors.as_slice());
        let pool = pool.map_err(|_| "its descriptors cannot be read".to_owned())?;
        let find = |name: &str| {
            let found = pool.get_message_by_name(name);
            found.ok_or_else(|| format!("there is no message '{name}' in the files of its resource"))
        };
        let message = find(&def.message)?;
        let batch = def.batch_message.as_deref().map(find).transpose()?;
        let batch = batch.map(|batch| {
            let mut fields = batch.fields();
            let members = fields.next().filter(|_| is_batch_of(&batch, &message));
            Batch {
                members: members.map(|field| field.number()),
                message: batch.clone(),
            }
        });
        Ok(Messages { message, batch })
    }

    /// Whether batches can be made, by a program or without one (`emitters.txt`, Batching).
    ///
    /// # Errors
    /// Why they cannot.
    pub(crate) fn batches(&self, by_program: bool) -> Result<(), String> {
        match &self.batch {
            None => Err("it has no BATCH MESSAGE, so that its emitter cannot have BATCH".to_owned()),
            Some(Batch {
                members: None,
                message,
            }) if !by_program => Err(format!(
                "BATCH MESSAGE '{}' does not declare exactly one field, repeated {}",
                message.full_name(),
                self.message.full_name()
            )),
            Some(_) => Ok(()),
        }
    }

    /// Appends a MESSAGE.
    pub(crate) fn write(&self, value: &Val, out: &mut BoundedWriter) -> Result<(), WriteFault> {
        append(&message_of(value, &self.message)?, Vec::new(), out)
    }

    /// Appends a MESSAGE as an element of the field of BATCH MESSAGE.
    pub(crate) fn write_member(&self, value: &Val, out: &mut BoundedWriter) -> Result<(), WriteFault> {
        let number = self.batch.as_ref().and_then(|batch| batch.members);
        let number = number.ok_or(WriteFault::Value("a member of no container"))?;
        let message = message_of(value, &self.message)?;
        let length = message.encoded_len() as u64;
        let mut head = Vec::with_capacity(key_len(number) + encoded_len_varint(length));
        encode_key(number, WireType::LengthDelimited, &mut head);
        encode_varint(length, &mut head);
        append(&message, head, out)
    }

    /// Appends a BATCH MESSAGE that ON EMITTING BATCH built.
    pub(crate) fn write_batch(&self, value: &Val, out: &mut BoundedWriter) -> Result<(), WriteFault> {
        let batch = self.batch.as_ref().map(|batch| &batch.message);
        let batch = batch.ok_or(WriteFault::Value("a value of no message"))?;
        append(&message_of(value, batch)?, Vec::new(), out)
    }

    /// Reads a MESSAGE.
    pub(crate) fn read(&self, payload: &[u8]) -> Result<Val, ReadFault> {
        let message = DynamicMessage::decode(self.message.clone(), payload);
        let message = message.map_err(|_| ReadFault::Malformed)?;
        let options = SerializeOptions::new()
            .stringify_64_bit_integers(false)
            .use_proto_field_name(true)
            .skip_default_fields(false);
        let value = message.serialize_with_options(serde_json::value::Serializer, &options);
        let value = value.map_err(|_| ReadFault::Unsupported("a message that has no JSON form"))?;
        Ok(value_of(value))
    }
}

/// Its size is known before it is written, so that what is too large is not.
fn append(message: &DynamicMessage, mut head: Vec<u8>, out: &mut BoundedWriter) -> Result<(), WriteFault> {
    if head.len().saturating_add(message.encoded_len()) > out.room() {
        return Err(WriteFault::Full);
    }
    head.reserve(message.encoded_len());
    // A vector has room for everything.
    message.encode(&mut head).map_err(|_| WriteFault::Full)?;
    out.write(&head)?;
    Ok(())
}

fn message_of(value: &Val, descriptor: &MessageDescriptor) -> Result<DynamicMessage, WriteFault> {
    if !nesting::is_bounded(value) {
        return Err(WriteFault::Value(TOO_DEEP));
    }
    let options = DeserializeOptions::new().deny_unknown_fields(true);
    let message = DynamicMessage::deserialize_with_options(descriptor.clone(), json_of(value)?, &options);
    message.map_err(|_| WriteFault::Value("a value that does not fit its message"))
}

/// It recurses no deeper than the value is, which was bounded.
fn json_of(value: &Val) -> Result<Value, WriteFault> {
    let text = |text: &[u8]| {
        let text = std::str::from_utf8(text).map_err(|_| WriteFault::NOT_UTF8)?;
        Ok::<_, WriteFault>(text.to_owned())
    };
    Ok(match value {
        Val::Null => Value::Null,
        Val::Bool(truth) => Value::Bool(*truth),
        Val::Num(number) => json_number(number)?,
        Val::TStr(characters) => Value::String(text(characters)?),
        Val::BStr(octets) => Value::String(STANDARD.encode(&***octets)),
        Val::Arr(elements) => Value::Array(elements.iter().map(json_of).collect::<Result<_, _>>()?),
        Val::Obj(fields) => {
            let entries = fields.iter().map(|(key, field)| match key {
                Val::TStr(key) => Ok((text(key)?, json_of(field)?)),
                _ => Err(WriteFault::KEY),
            });
            Value::Object(entries.collect::<Result<_, _>>()?)
        }
    })
}

fn json_number(number: &Num) -> Result<Value, WriteFault> {
    const BEYOND: WriteFault = WriteFault::Value("a whole number beyond 64 bits");
    if number::is_whole(number) {
        let digits = number.to_string();
        let positive = digits.parse::<u64>().map(Value::from);
        return positive
            .or_else(|_| digits.parse::<i64>().map(Value::from))
            .map_err(|_| BEYOND);
    }
    let double = number::double(number);
    // The mapping writes what is not finite as text.
    let text = if double.is_nan() {
        "NaN"
    } else if double < 0.0 {
        "-Infinity"
    } else {
        "Infinity"
    };
    let finite = serde_json::Number::from_f64(double).map(Value::Number);
    Ok(finite.unwrap_or_else(|| Value::String(text.to_owned())))
}

/// It recurses no deeper than the message was decoded, which the decoder bounds.
fn value_of(value: Value) -> Val {
    match value {
        Value::Null => Val::Null,
        Value::Bool(truth) => Val::from(truth),
        Value::Number(number) => Val::Num(number::read(&number.to_string())),
        Value::String(text) => Val::from(text),
        Value::Array(elements) => elements.into_iter().map(value_of).collect(),
        Value::Object(fields) => {
            let entries = fields
                .into_iter()
                .map(|(key, field)| (Val::from(key), value_of(field)));
            Val::obj(entries.collect::<Map>())
        }
    }
}
