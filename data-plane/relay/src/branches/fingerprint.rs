//! What the outside sees of a branch: a keyed digest that names it without showing its key values.

use std::fmt;

use hmac::digest::KeyInit;
use hmac::{Hmac, Mac};
use sha2::Sha256;

/// Parts this use of the key from any other, and this form of the input from a later one.
const PURPOSE: &[u8] = b"nervix branch fingerprint 1";
/// The block of SHA-256 in bytes: a shorter key is filled up with zeros (RFC 2104).
const BLOCK_BYTES: usize = 64;
/// Room for the two digits of each byte.
const HEX_BYTES: usize = 64;

/// A domain's stored key and its name, ready to make fingerprints (flight.md "Consuming").
#[derive(Clone)]
pub struct FingerprintKey {
    keyed: Hmac<Sha256>,
}

impl FingerprintKey {
    /// The key of `domain`. The same domain and secret give the same fingerprints, whatever process asks.
    pub fn new(domain: &str, secret: [u8; 32]) -> Self {
        let mut block = [0; BLOCK_BYTES];
        for (place, byte) in block.iter_mut().zip(secret) {
            *place = byte;
        }
        let mut keyed = <Hmac<Sha256> as KeyInit>::new(&block.into());
        keyed.update(PURPOSE);
        absorb(&mut keyed, domain.as_bytes());
        Self { keyed }
    }

    /// An opaque name of this incarnation of the domain: one that is dropped and created again has another.
    pub fn incarnation(&self) -> String {
        // No branch has an empty name.
        self.clone().of_branch("").of(b"incarnation")
    }

    /// The key for one branch of the domain.
    pub(super) fn of_branch(mut self, name: &str) -> Self {
        absorb(&mut self.keyed, name.as_bytes());
        self
    }

    /// The fingerprint of a key of this branch: 64 lowercase hexadecimal digits.
    pub(super) fn of(&self, key: &[u8]) -> String {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut keyed = self.keyed.clone();
        absorb(&mut keyed, key);
        let mut hex = String::with_capacity(HEX_BYTES);
        for byte in keyed.finalize().into_bytes() {
            hex.push(char::from(DIGITS[usize::from(byte >> 4)]));
            hex.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
        hex
    }
}

/// Takes in a part with its length, so that no two lists of parts look alike.
fn absorb(keyed: &mut Hmac<Sha256>, part: &[u8]) {
    keyed.update(&(part.len() as u64).to_be_bytes());
    keyed.update(part);
}

impl fmt::Debug for FingerprintKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FingerprintKey(***)")
    }
}
