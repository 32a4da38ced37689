//! The bounded writer (`emitters.txt`, Batch payloads): it refuses to grow past its bound and says so at the first write
//! that would not fit, so nothing too large is ever built.

/// The write would pass the bound; nothing of it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Full;

/// Bytes at least that are made ready when there is no room.
const READY_BYTES_MIN: usize = 256;

/// Bytes at most that are made ready at once: they are cleared, so that they must still be near when they are written.
const READY_BYTES_MAX: usize = 16 << 10;

/// Bytes, and the length that they never pass.
///
/// Invariant: `ready` is at most `end` long, so that one look at it answers both whether there is memory and whether it may
/// be used.
#[derive(Debug, Default)]
pub(crate) struct BoundedWriter {
    /// What is written, and behind it room that may be used.
    ready: Vec<u8>,
    length: usize,
    end: usize,
}

impl BoundedWriter {
    /// A writer that takes as much as there is memory.
    pub(crate) fn boundless() -> Self {
        Self {
            end: usize::MAX,
            ..Self::default()
        }
    }

    /// Allows `room` more bytes from here on.
    pub(crate) fn allow(&mut self, room: usize) {
        self.end = self.length.saturating_add(room);
        self.ready.truncate(self.end);
    }

    /// Appends bytes.
    #[inline]
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Full> {
        let until = self.length + bytes.len();
        let Some(room) = self.ready.get_mut(self.length..until) else {
            return self.write_beyond(bytes);
        };
        room.copy_from_slice(bytes);
        self.length = until;
        Ok(())
    }

    /// Appends bytes that are mostly few, such as a number or the name of a field.
    #[inline]
    pub(crate) fn write_short(&mut self, bytes: &[u8]) -> Result<(), Full> {
        let until = self.length + bytes.len();
        let Some(room) = self.ready.get_mut(self.length..until) else {
            return self.write_beyond(bytes);
        };
        copy_short(room, bytes);
        self.length = until;
        Ok(())
    }

    /// Appends one byte.
    #[inline]
    pub(crate) fn push(&mut self, byte: u8) -> Result<(), Full> {
        let Some(room) = self.ready.get_mut(self.length) else {
            return self.write_beyond(&[byte]);
        };
        *room = byte;
        self.length += 1;
        Ok(())
    }

    /// Appends where no room is ready.
    #[cold]
    #[inline(never)]
    fn write_beyond(&mut self, bytes: &[u8]) -> Result<(), Full> {
        let until = self.length.checked_add(bytes.len()).ok_or(Full)?;
        if until > self.end {
            return Err(Full);
        }
        let more = self.ready.len().clamp(READY_BYTES_MIN, READY_BYTES_MAX);
        let wanted = until.max(self.ready.len().saturating_add(more));
        self.ready.resize(wanted.min(self.end), 0);
        match self.ready.get_mut(self.length..until) {
            Some(room) => room.copy_from_slice(bytes),
            None => return Err(Full),
        }
        self.length = until;
        Ok(())
    }

    /// Overwrites a byte that was written before.
    #[inline]
    pub(crate) fn put(&mut self, at: usize, byte: u8) {
        if let Some(place) = self.ready.get_mut(at) {
            *place = byte;
        }
    }

    /// Gets memory for so many bytes more, as far as they are allowed.
    pub(crate) fn reserve(&mut self, bytes: usize) {
        let until = self.length.saturating_add(bytes).min(self.end);
        self.ready.reserve_exact(until.saturating_sub(self.ready.len()));
    }

    /// Gives away everything that is written, with the memory it is in; the room stays what it was.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        let mut bytes = std::mem::take(&mut self.ready);
        bytes.truncate(self.length);
        self.end -= self.length;
        self.length = 0;
        bytes
    }

    /// How many bytes it still takes.
    pub(crate) fn room(&self) -> usize {
        self.end - self.length
    }

    /// How much is written.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Everything that is written.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.ready.get(..self.length).unwrap_or_default()
    }

    /// Takes back what was written after the first `length` bytes.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
    }

    /// Forgets the first `length` bytes.
    pub(crate) fn forget(&mut self, length: usize) {
        let length = length.min(self.length);
        self.ready.copy_within(length..self.length, 0);
        self.length -= length;
    }
}

/// Copies without the call that a copy of any length is: by its two ends, which may overlap.
#[inline]
fn copy_short(room: &mut [u8], bytes: &[u8]) {
    macro_rules! ends {
        ($length:literal) => {
            if let (Some(front), Some(back)) = (
                bytes.first_chunk::<$length>(),
                bytes.last_chunk::<$length>(),
            ) && room.len() >= $length
            {
                if let Some(room) = room.first_chunk_mut::<$length>() {
                    *room = *front;
                }
                if let Some(room) = room.last_chunk_mut::<$length>() {
                    *room = *back;
                }
                return;
            }
        };
    }
    if bytes.len() > 32 {
        room.copy_from_slice(bytes);
        return;
    }
    ends!(16);
    ends!(8);
    ends!(4);
    for (place, byte) in room.iter_mut().zip(bytes) {
        *place = *byte;
    }
}

#[cfg(test)]
mod tests {
    use super::{BoundedWriter, Full};

    #[test]
    fn short_writes_of_every_length_are_whole() {
        let bytes: Vec<u8> = (0..80).collect();
        for length in 0..bytes.len() {
            let mut out = BoundedWriter::default();
            out.allow(length * 2);
            for _ in 0..2 {
                assert_eq!(out.write_short(&bytes[..length]), Ok(()));
            }
            assert_eq!(out.write_short(b"x"), Err(Full));
            assert_eq!(out.bytes(), [&bytes[..length], &bytes[..length]].concat());
        }
    }

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

    #[test]
    fn what_is_written_is_given_away_and_the_room_is_kept() {
        let mut out = BoundedWriter::default();
        out.allow(5);
        out.reserve(1_000_000);
        assert_eq!(out.write(b"abc"), Ok(()));
        assert_eq!(
            (out.take(), out.bytes(), out.room()),
            (b"abc".to_vec(), b"".as_slice(), 2)
        );
        assert_eq!((out.write(b"de"), out.push(b'f')), (Ok(()), Err(Full)));
        assert_eq!(out.take(), b"de");
    }

    #[test]
    fn more_than_is_made_ready_at_once_is_written() {
        let mut out = BoundedWriter::boundless();
        let piece = [7; 1000];
        for _ in 0..100 {
            assert_eq!(out.write(&piece), Ok(()));
        }
        assert_eq!(out.take(), [7; 100_000]);
    }
}
