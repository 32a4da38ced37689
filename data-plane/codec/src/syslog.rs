//! SYSLOG codecs: records to RFC 5424 frames and back (companion section 12; `emitters.txt`, Syslog).
//!
//! A record is one frame. With BATCH, the frames of members that share their header but for the timestamp stand in a JSON
//! array, which is the message of one frame with the first member's header and no structured data. The message is UTF-8
//! without a byte order mark; a timestamp is cut to the microseconds that RFC 5424 has. Framing on a stream is the
//! connection's business.

mod decoder;
mod encoder;
mod fields;
mod frame;
mod structured_data;

pub(crate) use decoder::SyslogDecoder;
pub(crate) use encoder::SyslogEncoder;

#[cfg(test)]
mod tests;
