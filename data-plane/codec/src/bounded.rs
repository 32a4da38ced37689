//! The bounded writer (`emitters.txt`, Batch payloads): it refuses to grow past its bound and says so at the first write
//! that would not fit, so nothing too large is ever built.

/// The write would pass the bound; nothing of it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Full;

/// Bytes, and the length that they never pass.
#[derive(Debug, Default)]
pub(crate) struct BoundedWriter {
    bytes: Vec<u8>,
    end: usize,
}

impl BoundedWriter {
    /// A writer that takes as much as there is memory.
    pub(crate) fn unbounded() -> Self {
        Self {
            bytes: Vec::new(),
            end: usize::MAX,
        }
    }

    /// Allows `room` more bytes from here on.
    pub(crate) fn allow(&mut self, room: usize) {
        self.end = self.bytes.len().saturating_add(room);
    }

    /// Appends bytes.
    #[inline]
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Full> {
        if bytes.len() > self.end - self.bytes.len() {
            return Err(Full);
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Appends one byte.
    #[inline]
    pub(crate) fn push(&mut self, byte: u8) -> Result<(), Full> {
        if self.bytes.len() == self.end {
            return Err(Full);
        }
        self.bytes.push(byte);
        Ok(())
    }

    /// Overwrites a byte that was written before.
    #[inline]
    pub(crate) fn put(&mut self, at: usize, byte: u8) {
        if let Some(place) = self.bytes.get_mut(at) {
            *place = byte;
        }
    }

    /// How much is written.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Everything that is written.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Takes back what was written after the first `length` bytes.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.bytes.truncate(length);
    }

    /// Forgets the first `length` bytes.
    pub(crate) fn forget(&mut self, length: usize) {
        self.bytes.drain(..length.min(self.bytes.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::{BoundedWriter, Full};

    #[test]
    fn nothing_is_written_past_the_bound() {
        let mut out = BoundedWriter::default();
        assert_eq!(out.push(b'a'), Err(Full));
        out.allow(3);
        assert_eq!(out.write(b"abcd"), Err(Full));
        assert_eq!(out.write(b"abc"), Ok(()));
        assert_eq!(
            (out.push(b'd'), out.write(b"d"), out.write(b"")),
            (Err(Full), Err(Full), Ok(()))
        );
        assert_eq!(out.bytes(), b"abc");
        out.truncate(2);
        out.forget(1);
        out.allow(1);
        assert_eq!((out.push(b'x'), out.push(b'y')), (Ok(()), Err(Full)));
        assert_eq!(out.bytes(), b"bx");
    }
}
