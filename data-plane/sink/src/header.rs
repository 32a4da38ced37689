//! The headers that the members of one payload wrote (`emitters.txt`, Header invocations).
//!
//! Invariant: they never change after they were written, and are shared by all attempts of a payload. Names and values
//! are values of records: the Debug form shows neither.

use std::fmt;
use std::sync::Arc;

/// One header.
#[derive(Clone, PartialEq, Eq)]
pub struct Header {
    /// Its name, already judged by the destination's rules.
    pub name: Box<str>,
    /// Its value, already judged by the destination's rules.
    pub value: Box<str>,
}

/// Headers in written order. Where the destination keeps repeated values, a name may stand more than once; where the
/// last write wins, each stands once. Cheap to clone.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Headers(Option<Arc<[Header]>>);

impl Headers {
    /// Headers in this order.
    pub fn new(headers: Vec<Header>) -> Self {
        Self((!headers.is_empty()).then(|| headers.into()))
    }

    /// The headers in written order.
    pub fn iter(&self) -> std::slice::Iter<'_, Header> {
        self.as_slice().iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.as_slice().len()
    }

    /// Whether none was written.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Bytes of all names and values.
    pub fn size_bytes(&self) -> u64 {
        let bytes = self.iter().map(|header| header.name.len() + header.value.len());
        bytes.sum::<usize>() as u64
    }

    fn as_slice(&self) -> &[Header] {
        self.0.as_deref().unwrap_or_default()
    }
}

impl fmt::Debug for Headers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Headers({} written)", self.len())
    }
}

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Header(***)")
    }
}

#[cfg(test)]
mod tests {
    use super::{Header, Headers};

    #[test]
    fn headers_keep_order_and_show_nothing() {
        let header = |name: &str, value: &str| Header {
            name: name.into(),
            value: value.into(),
        };
        let headers = Headers::new(vec![header("a", "tok-1"), header("b", ""), header("a", "2")]);
        let names: Vec<&str> = headers.iter().map(|header| &*header.name).collect();
        assert_eq!((names, headers.size_bytes()), (vec!["a", "b", "a"], 9));
        let shown = format!("{headers:?} {:?}", headers.iter().next());
        assert!(!shown.contains("tok-1"), "{shown}");
        assert!(Headers::new(Vec::new()).is_empty());
    }
}
