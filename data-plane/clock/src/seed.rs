//! Seeds for execution snapshots: unpredictable in production, fixed under a manual clock.

use std::fmt;
use std::hash::{BuildHasher, RandomState};

use parking_lot::Mutex;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// A stream of 32-byte seeds.
pub(crate) struct Seeds(Mutex<ChaCha12Rng>);

impl Seeds {
    /// Seeded by the operating system.
    pub(crate) fn from_entropy() -> Self {
        let mut key = [0; 32];
        if getrandom::fill(&mut key).is_err() {
            // The system has no entropy call that works; the standard library's hasher keys are what is left.
            let state = RandomState::new();
            for (index, chunk) in key.chunks_mut(8).enumerate() {
                chunk.copy_from_slice(&state.hash_one(index).to_le_bytes());
            }
        }
        Self::fixed(key)
    }

    /// The same stream every time.
    pub(crate) fn fixed(key: [u8; 32]) -> Self {
        Self(Mutex::new(ChaCha12Rng::from_seed(key)))
    }

    pub(crate) fn next(&self) -> [u8; 32] {
        let mut seed = [0; 32];
        self.0.lock().fill_bytes(&mut seed);
        seed
    }
}

impl fmt::Debug for Seeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seeds")
    }
}
