//! Sixteen octets for each row of a volatile call.

use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use super::super::call::Args;

/// The octets of the call's rows, from the first on: a stream of its own for each call, so that calls neither
/// share values nor depend on one another.
pub(super) struct Octets(ChaCha12Rng);

impl Octets {
    pub(super) fn of(args: &Args<'_>) -> Self {
        let mut stream = ChaCha12Rng::from_seed(args.context.frame().snapshot.seed);
        stream.set_stream(u64::from(args.site));
        Self(stream)
    }

    /// The octets of the next row; every row takes its turn, also one that does not matter.
    pub(super) fn next(&mut self) -> [u8; 16] {
        let mut octets = [0; 16];
        self.0.fill_bytes(&mut octets);
        octets
    }
}
