//! Values that tell whether they are what was written.
//!
//! The driver of the database believes what its file says, except after an end that was not clean. Invariant: a value of
//! which one byte is another than was written is never opened, nor one that stands at another key. That is no protection
//! against somebody who means to change it.

use crate::{OpenError, REMEDY};

const SUM_BYTES: usize = size_of::<u64>();

/// A value with its checksum before it, which covers what the value belongs to as well: its key, say.
pub fn seal(belongs: &[&[u8]], value: &[u8]) -> Vec<u8> {
    [&sum(belongs, value).to_le_bytes(), value].concat()
}

/// The value that was sealed as what belongs there.
///
/// # Errors
/// [`OpenError::Damaged`] of the file at `place`.
pub fn unseal<'a>(place: &str, belongs: &[&[u8]], sealed: &'a [u8]) -> Result<&'a [u8], OpenError> {
    sealed
        .split_first_chunk::<SUM_BYTES>()
        .filter(|(own, value)| u64::from_le_bytes(**own) == sum(belongs, value))
        .map(|(_, value)| value)
        .ok_or_else(|| OpenError::Damaged {
            place: place.to_owned(),
            what: format!("what it holds is not what was written; {REMEDY}"),
        })
}

/// FNV-1a over all parts with their lengths: of values of one length that differ in one byte no two have the same.
fn sum(belongs: &[&[u8]], value: &[u8]) -> u64 {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let step = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(PRIME);
    let part = |sum, part: &[u8]| {
        let length = (part.len() as u64).to_le_bytes();
        length.iter().chain(part).fold(sum, step)
    };
    part(belongs.iter().copied().fold(BASIS, part), value)
}

#[cfg(test)]
mod tests {
    use super::{seal, unseal};

    #[test]
    fn a_value_with_another_byte_or_at_another_place_is_not_opened() {
        let belongs: [&[u8]; 2] = [b"relay", b"key"];
        let sealed = seal(&belongs, b"a value");
        let open =
            |belongs: &[&[u8]], sealed: &[u8]| unseal("file", belongs, sealed).ok().map(<[u8]>::to_vec);
        assert_eq!(open(&belongs, &sealed).as_deref(), Some(&b"a value"[..]));
        for place in 0..sealed.len() {
            for bit in 0..8 {
                let mut changed = sealed.clone();
                changed[place] ^= 1 << bit;
                assert_eq!(open(&belongs, &changed), None, "byte {place}, bit {bit}");
            }
            assert_eq!(open(&belongs, &sealed[..place]), None, "cut at {place}");
        }
        assert_eq!(open(&[b"relayk", b"ey"], &sealed), None);
        let told = unseal("file", &[], b"").unwrap_err().to_string();
        assert!(told.contains("file") && told.contains("begin anew"), "{told}");
    }
}
