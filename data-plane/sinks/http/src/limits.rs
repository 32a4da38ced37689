//! What a response may cost (`emitters.txt`, "HTTP requests"). What a request may be made of is judged before it is
//! prepared, by the same rules as at validation (`nspl_model::http`).

/// The most fields of one header block, interim or final.
pub const RESPONSE_FIELDS_MAX: usize = 128;

/// The most bytes of field names and values of one header block.
pub const RESPONSE_FIELD_BYTES_MAX: usize = 64 * 1024;

/// The most bytes of a status line, of separators and of blanks that do not count as values, beside those.
const RESPONSE_OTHER_BYTES_MAX: usize = 32 * 1024;

/// The most bytes of one header block as it stands on the wire: no more is kept of a response.
pub const RESPONSE_BLOCK_BYTES_MAX: usize = RESPONSE_FIELD_BYTES_MAX + RESPONSE_OTHER_BYTES_MAX;
