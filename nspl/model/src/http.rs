//! What a request may be made of (emitters.txt "HTTP request configuration", rulings sections 7 and 9).
//!
//! Validation judges constants by it, the data plane every record: one answer for both. No fault quotes what it is about.

use std::fmt;

use url::{Position, Url};

/// The most bytes of a method.
pub const METHOD_BYTES_MAX: usize = 64;

/// The most bytes of a normalized target.
pub const TARGET_BYTES_MAX: usize = 8 * 1024;

/// The most headers of a request that the application writes, after replacement.
pub const HEADERS_MAX: usize = 128;

/// The most bytes of their names and values, after replacement.
pub const HEADER_BYTES_MAX: usize = 32 * 1024;

/// Headers that the transport writes itself.
const TRANSPORT_OWNED: [&str; 10] = [
    "Host",
    "Connection",
    "Content-Length",
    "Transfer-Encoding",
    "TE",
    "Trailer",
    "Upgrade",
    "Keep-Alive",
    "Proxy-Connection",
    "Expect",
];

/// Why a method is none.
pub fn method_fault(method: &str) -> Option<&'static str> {
    let barred = ["CONNECT", "TRACE"];
    if method.is_empty() || method.len() > METHOD_BYTES_MAX {
        return Some("a method has from 1 to 64 bytes");
    }
    if !method.bytes().all(is_token) {
        return Some("a method is a token of ASCII letters, digits and !#$%&'*+-.^_`|~");
    }
    let is_barred = barred.iter().any(|barred| method.eq_ignore_ascii_case(barred));
    is_barred.then_some("CONNECT and TRACE are unavailable")
}

/// Whether a request of this method carries no body: GET and HEAD, in any case.
pub fn is_bodiless(method: &str) -> bool {
    method.eq_ignore_ascii_case("GET") || method.eq_ignore_ascii_case("HEAD")
}

/// Why the name of a header is none that may be written.
pub fn header_name_fault(name: &str) -> Option<&'static str> {
    if name.is_empty() || !name.bytes().all(is_token) {
        return Some("a field name is a token of ASCII letters, digits and !#$%&'*+-.^_`|~");
    }
    let owned = TRANSPORT_OWNED
        .iter()
        .any(|owned| name.eq_ignore_ascii_case(owned));
    owned.then_some("the transport writes this header itself")
}

/// Why the value of a header is none; an empty one is sent as it is.
pub fn header_value_fault(value: &str) -> Option<&'static str> {
    if value.contains(char::is_control) {
        return Some("a header's value holds no control characters");
    }
    (value.trim() != value).then_some("a header's value neither begins nor ends with a blank")
}

/// `token` of RFC 9110.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// The scheme, the host and the port of an endpoint.
#[derive(Clone, PartialEq, Eq)]
pub struct Origin(Url);

impl Origin {
    /// Reads an endpoint: `http://` or `https://`, a host, a port or none, and nothing else.
    ///
    /// # Errors
    /// What it is or has instead.
    pub fn read(endpoint: &str) -> Result<Origin, &'static str> {
        let rest = endpoint
            .strip_prefix("http://")
            .or_else(|| endpoint.strip_prefix("https://"));
        let Some(rest) = rest else {
            return Err("http://host or https://host is expected");
        };
        if rest.contains('@') {
            return Err("it holds credentials; write them with write_header");
        }
        let authority = rest.strip_suffix('/').unwrap_or(rest);
        if authority.contains(['/', '?', '#', '\\']) {
            return Err("it holds more than a host and a port; the path is the emitter's");
        }
        if authority.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err("it holds a blank or a control character");
        }
        Url::parse(endpoint)
            .map(Origin)
            .map_err(|_| "its host or its port is invalid")
    }

    /// The target of a request: the path and the query, normalized as the WHATWG URL parser does it.
    ///
    /// # Errors
    /// Why the path cannot be one.
    pub fn target(&self, path: &str) -> Result<String, TargetFault> {
        if !path.starts_with('/') || path.starts_with("//") {
            return Err(TargetFault::Start);
        }
        let barred = |c: char| c == '#' || c == '\\' || c.is_whitespace() || c.is_control();
        if path.contains(barred) {
            return Err(TargetFault::Character);
        }
        if !escapes_are_whole(path) {
            return Err(TargetFault::Escape);
        }
        let url = self.0.join(path).map_err(|_| TargetFault::Leaves)?;
        let target = &url[Position::BeforePath..Position::AfterQuery];
        if url.origin() != self.0.origin() || !target.starts_with('/') || target.starts_with("//") {
            return Err(TargetFault::Leaves);
        }
        if target.len() > TARGET_BYTES_MAX {
            return Err(TargetFault::Long);
        }
        Ok(target.to_owned())
    }

    /// The origin as a URL, its path `/`.
    pub fn url(&self) -> &Url {
        &self.0
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Origin(..)")
    }
}

/// Why a path is no target.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TargetFault {
    /// It begins with no `/`, or with more than one.
    #[error("a path begins with exactly one '/'")]
    Start,
    /// It holds what no path may hold.
    #[error("a path holds no fragment, backslash, blank or control character")]
    Character,
    /// A `%` without two hexadecimal digits behind it.
    #[error("a '%' stands before two hexadecimal digits")]
    Escape,
    /// Its normal form is one of another origin, or begins with `//`.
    #[error("its normal form leaves the origin, or begins with '//'")]
    Leaves,
    /// Its normal form is above [`TARGET_BYTES_MAX`].
    #[error("its normal form has more than 8 KiB")]
    Long,
}

fn escapes_are_whole(path: &str) -> bool {
    path.split('%')
        .skip(1)
        .all(|rest| rest.len() >= 2 && rest.bytes().take(2).all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests;
