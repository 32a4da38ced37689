//! A bounded, repeatable run of the fuzz targets on a stable compiler: the saved texts, and mutations of them from a
//! fixed seed. What it demands is in nspl/fuzz/targets.rs; besides that, no text takes long, and none makes time grow
//! faster than its length.

#[path = "../../fuzz/targets.rs"]
mod targets;

use std::time::Duration;

use crate::golden::{files, read};
use crate::thread_time::computed_in;
use targets::TARGETS;

/// Where a run begins; another number is another run.
const SEED: u64 = 0x6e73_706c;

/// Mutated texts for each target.
const TEXTS: usize = 300;

/// Bytes of a mutated text.
const TEXT_BYTES_MAX: usize = 4_096;

/// What one text of that size may take, with room for a busy machine and a slow build.
const TEXT_TIME_MAX: Duration = Duration::from_secs(10);

/// Folders of saved texts: what is saved beside the fuzzer, the corpus, the examples of the specification.
const SAVED: [&str; 3] = [
    "nspl/fuzz/corpus",
    "nspl/tests/corpus",
    "nspl/syntax/tests/corpus",
];

/// Pieces that mutations put in.
const PIECES: [&str; 42] = [
    "'",
    "\"",
    "/*",
    "*/",
    "--",
    "\n",
    "\r",
    "\r\n",
    ";",
    ",",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "=",
    "<>",
    "||",
    "==",
    ".",
    "-",
    "1e9",
    "0xff",
    "250ms",
    "1MiB",
    "99999999999999999999",
    "ä",
    "\u{2028}",
    "🦀",
    " BEGIN; ",
    " COMMIT; ",
    " CREATE ",
    " FROM ",
    " WHERE ",
    " CASE WHEN ",
    " END ",
    " NULL ",
    " AS VEC<I8> ",
    " input.",
    " ARRAY<",
    " SET ",
];

/// Numbers that are the same in each run (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        usize::try_from(mixed % u64::try_from(bound.max(1)).unwrap()).unwrap()
    }

    /// A boundary between characters.
    fn boundary(&mut self, text: &str) -> usize {
        let at = self.below(text.len() + 1);
        (at..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap()
    }

    fn range(&mut self, text: &str) -> std::ops::Range<usize> {
        let begin = self.boundary(text);
        let length = [1, 8, 64, 512][self.below(4)];
        let end = (begin + self.below(length)).min(text.len());
        begin..(end..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap()
    }
}

fn saved() -> Vec<String> {
    let paths = SAVED.iter().flat_map(|folder| files(folder, "nspl"));
    let texts: Vec<String> = paths.map(|path| read(&path)).collect();
    assert!(texts.len() > 60, "{} texts are saved", texts.len());
    texts
}

/// A saved text with a few changes.
fn mutated(saved: &[String], numbers: &mut Numbers) -> String {
    let whole = &saved[numbers.below(saved.len())];
    let begin = if whole.len() > TEXT_BYTES_MAX {
        numbers.boundary(whole)
    } else {
        0
    };
    let mut text = cut(whole.get(begin..).unwrap());
    for _ in 0..=numbers.below(6) {
        let place = numbers.range(&text);
        match numbers.below(5) {
            0 => text.replace_range(place, ""),
            1 => {
                let copy = text.get(place.clone()).unwrap().to_owned();
                text.insert_str(place.end, &copy);
            }
            2 => text.insert_str(place.start, PIECES[numbers.below(PIECES.len())]),
            3 => text.replace_range(place, PIECES[numbers.below(PIECES.len())]),
            _ => {
                let other = &saved[numbers.below(saved.len())];
                let piece = other.get(numbers.range(other)).unwrap().to_owned();
                text.insert_str(place.start, &piece);
            }
        }
    }
    cut(&text)
}

fn cut(text: &str) -> String {
    let end = (0..=TEXT_BYTES_MAX.min(text.len()))
        .rev()
        .find(|at| text.is_char_boundary(*at));
    text.get(..end.unwrap()).unwrap().to_owned()
}

/// Runs a target and tells the text where it panics or takes long.
fn run(name: &str, target: fn(&str), text: &str) {
    match std::panic::catch_unwind(|| computed_in(|| target(text)).0) {
        Ok(taken) => assert!(taken < TEXT_TIME_MAX, "{name} took {taken:?} for\n{text}"),
        Err(_) => panic!(
            "{name} broke its promise for\n{text}\n(save it in nspl/fuzz/corpus; the run began with {SEED:#x})"
        ),
    }
}

#[test]
fn every_target_has_its_fuzzer() {
    let fuzzers = files("nspl/fuzz/fuzz_targets", "rs");
    assert_eq!(fuzzers.len(), TARGETS.len());
    for (index, (name, _)) in TARGETS.iter().enumerate() {
        let fuzzer = read(&format!("nspl/fuzz/fuzz_targets/{name}.rs"));
        assert!(fuzzer.contains(&format!("TARGETS[{index}]")), "{name}");
    }
}

#[test]
fn saved_texts_keep_every_promise() {
    for text in saved() {
        for (name, target) in TARGETS {
            run(name, target, &text);
        }
    }
}

#[test]
fn mutated_texts_keep_every_promise() {
    let saved = saved();
    for (name, target) in TARGETS {
        let mut numbers = Numbers(SEED);
        for _ in 0..TEXTS {
            run(name, target, &mutated(&saved, &mut numbers));
        }
    }
}

/// How often the longer text holds the shorter one, and how much longer it may take: less than the power 1.5 would (64).
const TIMES: usize = 16;
const TIMES_MAX: u32 = 48;

#[test]
fn time_grows_no_faster_than_texts() {
    let saved = saved();
    let mut numbers = Numbers(SEED);
    for (name, target) in TARGETS {
        for _ in 0..6 {
            let unit = mutated(&saved, &mut numbers) + "\n";
            let small = unit.repeat(2_048_usize.div_ceil(unit.len()));
            let best = |text: &str| (0..2).map(|_| computed_in(|| target(text)).0).min().unwrap();
            let (short, long) = (best(&small), best(&small.repeat(TIMES)));
            assert!(
                long < short * TIMES_MAX + Duration::from_millis(20),
                "{name}: {short:?}, and {TIMES} times as long a text {long:?}:\n{unit}"
            );
        }
    }
}
