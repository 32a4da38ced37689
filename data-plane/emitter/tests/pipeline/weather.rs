//! A seeded storm over the driver of a shape of sink: writers of many branches, flushes, waits, and a destination that takes,
//! refuses, fails, loses answers, stays silent and answers late. At the end every member is settled once and nothing is held;
//! what else holds for a shape its [`Weather`] checks.

use std::time::Duration;

use futures::FutureExt;

use crate::dice::Dice;
use crate::ledger::Ledger;
use crate::stage::Stage;

/// Rows of one write at most.
pub(crate) const ROWS_MAX: u64 = 12;
/// Steps of a storm.
const STEPS: usize = 120;
/// Seconds until everything has to be over once the destination is well again.
const AFTERMATH: usize = 2_000;

/// A destination in a storm.
pub(crate) trait Weather {
    /// What the destination stands on.
    fn stage(&self) -> &Stage;

    /// Makes some of the ids of a write ones that cannot be written.
    fn spoil(&self, _dice: &mut Dice, _ids: &mut [i64]) {}

    /// The destination answers some of what it holds.
    fn answer(&self, dice: &mut Dice);

    /// A wait that is long for this shape, or none this time.
    fn long_wait(&self, dice: &mut Dice) -> Option<Duration>;

    /// Holds what has to be true at any time.
    fn check(&mut self);

    /// The destination is well from now on.
    fn clear(&self);

    /// It takes whatever it still holds.
    fn release(&self);

    /// Holds what has to be true in the end, when ids below `next` were written.
    fn close(&self, next: i64);
}

struct Storm<W> {
    weather: W,
    dice: Dice,
    next: i64,
    ledger: Ledger,
}

/// Lets a storm of this seed pass.
pub(crate) fn rage<W: Weather>(seed: u64, make: impl FnOnce(&mut Dice, u64) -> W) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut dice = Dice::new(seed);
        let mut storm = Storm {
            weather: make(&mut dice, seed),
            dice,
            next: 0,
            ledger: Ledger::default(),
        };
        for _ in 0..STEPS {
            storm.step().await;
        }
        storm.finish().await;
    });
}

impl<W: Weather> Storm<W> {
    async fn step(&mut self) {
        match self.dice.roll(10) {
            0..=3 => self.write().await,
            4 | 5 => self.weather.answer(&mut self.dice),
            6 => self.weather.stage().handle.kick().await,
            roll => {
                let long = (roll == 7)
                    .then(|| self.weather.long_wait(&mut self.dice))
                    .flatten();
                let wait = long.unwrap_or_else(|| Duration::from_micros(self.dice.roll(600_000)));
                self.weather.stage().clock.advance(wait).await;
            }
        }
        self.weather.stage().clock.settle().await;
        self.check();
    }

    async fn write(&mut self) {
        let rows = 1 + self.dice.roll(ROWS_MAX) as usize;
        let mut ids: Vec<i64> = (0..rows as i64).map(|row| self.next + row).collect();
        self.next += rows as i64;
        self.weather.spoil(&mut self.dice, &mut ids);
        let branch = format!("branch-{}", self.dice.roll(3));
        let stage = self.weather.stage();
        let (batch, written) = stage.batch(0, &ids, &branch).await;
        let published = stage.sources[0].publish(batch).now_or_never();
        assert!(matches!(published, Some(Ok(()))), "the relay has room");
        self.ledger.wrote(written, rows);
    }

    fn check(&mut self) {
        self.weather.check();
        self.ledger.check(self.weather.stage());
    }

    /// The destination is well again; everything ends.
    async fn finish(mut self) {
        self.weather.clear();
        for _ in 0..AFTERMATH {
            self.weather.release();
            self.weather.stage().clock.advance(Duration::from_secs(1)).await;
            self.check();
            if self.ledger.is_settled() {
                break;
            }
        }
        self.ledger.close(self.weather.stage(), self.next);
        self.weather.close(self.next);
    }
}
