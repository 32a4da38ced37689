//! What records of a SYSLOG codec are made of (companion section 12, rulings section 7).

use crate::DataType;

/// One field of a syslog record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyslogField {
    /// Its exact name.
    pub name: &'static str,
    /// Its exact type.
    pub data_type: DataType,
    /// Whether its value may be null: then the header has a `-` in its place, and a schema may leave the field out.
    pub optional: bool,
}

/// Every field, in the order in which RFC 5424 has them.
pub static SYSLOG_FIELDS: [SyslogField; 9] = [
    field("facility", DataType::U8, false),
    field("severity", DataType::U8, false),
    field("timestamp", DataType::DateTime, true),
    field("hostname", DataType::String, true),
    field("app_name", DataType::String, true),
    field("proc_id", DataType::String, true),
    field("msg_id", DataType::String, true),
    field("structured_data", DataType::String, true),
    field("message", DataType::String, false),
];

const fn field(name: &'static str, data_type: DataType, optional: bool) -> SyslogField {
    SyslogField {
        name,
        data_type,
        optional,
    }
}
