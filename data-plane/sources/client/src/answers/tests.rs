//! The ledger of answers: ranges, bounds, and a property over any order of fates.

use std::time::Duration;

use proptest::{collection::vec, prelude::Just, prop_assert, prop_assert_eq, proptest, strategy::Strategy};

use super::{
    Answer, AnswerRange, Answers, READY_RANGES_MAX, Status,
    statuses::{BLOCK_BYTES, Statuses},
};

fn refused(text: &str) -> Answer {
    Answer::refused("evaluation", text)
}

fn issued(count: u64) -> Answers {
    let mut answers = Answers::default();
    for _ in 0..count {
        answers.issue();
    }
    answers
}

fn drain(answers: &mut Answers) -> Vec<AnswerRange> {
    std::iter::from_fn(|| answers.take()).collect()
}

#[test]
fn neighbours_of_one_answer_become_one_range() {
    let mut answers = issued(5);
    for position in [3, 1, 0, 4, 2] {
        answers.settle(position, Answer::done());
    }
    assert_eq!(
        drain(&mut answers),
        [AnswerRange {
            first: 0,
            last: 4,
            answer: Answer::done()
        }]
    );
    assert_eq!(answers.open(), 0);
}

#[test]
fn answers_that_differ_stay_apart() {
    let mut answers = issued(3);
    answers.settle(0, Answer::done());
    answers.settle(1, refused("1 of 2 rows"));
    answers.settle(2, Answer::done());
    assert_eq!(drain(&mut answers).len(), 3);
}

#[test]
fn the_first_answer_of_a_position_stands() {
    let mut answers = issued(2);
    answers.settle_open(&Answer::unresolved(
        "stopped",
        "the domain is stopped",
        Duration::ZERO,
    ));
    answers.settle(0, Answer::done());
    let ranges = drain(&mut answers);
    assert_eq!(ranges.len(), 1);
    assert_eq!(ranges[0].answer.status, Status::Unresolved);
    assert_eq!((ranges[0].first, ranges[0].last), (0, 1));
}

#[test]
fn two_hundred_thousand_unread_answers_take_one_range() {
    let mut answers = issued(200_000);
    for position in 0..200_000 {
        answers.settle(position, Answer::done());
    }
    assert_eq!(answers.ready.len(), 1);
    assert_eq!(answers.answered.len(), 1);
}

#[test]
fn unread_answers_that_alternate_stay_bounded_and_keep_their_status() {
    const COUNT: u64 = 100_000;
    let status = |position: u64| match position % 3 {
        0 => Status::Done,
        1 => Status::Refused,
        _ => Status::Unresolved,
    };
    let mut answers = issued(COUNT);
    for position in 0..COUNT {
        let answer = Answer {
            status: status(position),
            ..refused(&position.to_string())
        };
        answers.settle(position, answer);
        assert!(answers.ready.len() <= READY_RANGES_MAX);
    }
    assert!(answers.terse.bytes() as u64 <= COUNT / 4 + BLOCK_BYTES as u64);
    let mut next = 0;
    for range in drain(&mut answers) {
        assert_eq!((range.first, range.last), (next, next));
        assert_eq!(range.answer.status, status(next));
        next += 1;
    }
    assert_eq!(next, COUNT);
    assert_eq!(answers.terse.bytes(), 0);
}

#[test]
fn long_runs_without_words_are_told_as_few_ranges() {
    let mut statuses = Statuses::default();
    statuses.insert(5, 2_000_000, Status::Done);
    statuses.insert(2_000_001, 2_000_040, Status::Unresolved);
    statuses.insert(2_000_100, 2_000_100, Status::Refused);
    assert_eq!(statuses.take(), Some((5, 2_000_000, Status::Done)));
    assert_eq!(statuses.take(), Some((2_000_001, 2_000_040, Status::Unresolved)));
    assert_eq!(statuses.take(), Some((2_000_100, 2_000_100, Status::Refused)));
    assert_eq!((statuses.take(), statuses.bytes()), (None, 0));
}

proptest! {
    #[test]
    fn every_position_is_answered_once_with_its_own_status(
        order in vec(0..3u8, 1..200).prop_flat_map(|fates| {
            let positions: Vec<usize> = (0..fates.len()).collect();
            (Just(fates), Just(positions).prop_shuffle())
        }),
        read_every in 1..20usize,
    ) {
        let (fates, positions) = order;
        let answer = |fate: u8| match fate {
            0 => Answer::done(),
            1 => refused("r"),
            _ => Answer::unresolved("stopped", "u", Duration::ZERO),
        };
        let mut answers = issued(fates.len() as u64);
        let mut seen = vec![None; fates.len()];
        let mut note = |range: AnswerRange| {
            for position in range.first..=range.last {
                let place = &mut seen[position as usize];
                assert!(place.is_none());
                *place = Some(range.answer.clone());
            }
        };
        for (turn, position) in positions.iter().enumerate() {
            answers.settle(*position as u64, answer(fates[*position]));
            answers.settle(*position as u64, Answer::done());
            if turn % read_every == 0 {
                answers.take().into_iter().for_each(&mut note);
            }
        }
        drain(&mut answers).into_iter().for_each(&mut note);
        prop_assert!(answers.ready.is_empty());
        prop_assert_eq!(answers.open(), 0);
        for (position, fate) in fates.iter().enumerate() {
            prop_assert_eq!(seen[position].clone(), Some(answer(*fate)));
        }
    }
}
