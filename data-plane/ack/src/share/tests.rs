use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, sync_channel};

use crate::{Fate, REASON_MESSAGE_BYTES_MAX, Reason, Share, Verdict, root};

/// A root whose verdicts can be counted.
fn observed(rows: u32) -> (Share, Receiver<Verdict>) {
    let (told, verdicts) = sync_channel(4);
    let share = root(rows, move |verdict| told.send(verdict).unwrap());
    (share, verdicts)
}

fn counts(verdict: &Verdict) -> (u32, u32, u32) {
    (verdict.done, verdict.refused, verdict.unresolved)
}

#[test]
fn a_root_of_no_rows_is_done_at_once() {
    let (share, verdicts) = observed(0);
    assert!(share.is_empty());
    assert_eq!(verdicts.try_recv().unwrap().worst(), Fate::Done);
}

#[test]
fn a_root_resolves_when_the_last_fork_settles_and_not_before() {
    let (share, verdicts) = observed(3);
    let fork = share.fork();
    share.settle(Fate::Done);
    assert!(verdicts.try_recv().is_err());
    fork.settle(Fate::Done);
    assert_eq!(
        verdicts.try_recv().unwrap(),
        Verdict {
            rows: 3,
            done: 3,
            ..Verdict::default()
        }
    );
    assert!(verdicts.try_recv().is_err());
}

#[test]
fn the_worst_fate_of_a_row_wins_and_brings_its_reason() {
    let (share, verdicts) = observed(4);
    let mut other = share.fork();
    let (first, rest) = share.filter(&[true, false, false, true]);
    first.settle_with(
        Fate::Refused,
        Reason::new("validation", "a required field is null"),
    );
    rest.settle(Fate::Done);
    other.split_to(1).settle_with(
        Fate::Unresolved,
        Reason::new("external", "the destination is away"),
    );
    other.settle(Fate::Done);
    let verdict = verdicts.try_recv().unwrap();
    assert_eq!(counts(&verdict), (2, 1, 1));
    assert_eq!(verdict.worst(), Fate::Unresolved);
    assert_eq!(verdict.reason.unwrap().code(), "external");
}

#[test]
fn the_first_reason_of_the_worst_fate_is_told_and_none_of_a_better_one() {
    let why = |code| Reason::new(code, "it is at fault");
    let (mut share, verdicts) = observed(3);
    share.split_to(1).settle_with(Fate::Refused, why("validation"));
    share.split_to(1).settle_with(Fate::Refused, why("evaluation"));
    share.settle(Fate::Done);
    assert_eq!(verdicts.try_recv().unwrap().reason, Some(why("validation")));
    let (mut share, verdicts) = observed(2);
    share.split_to(1).settle_with(Fate::Refused, why("validation"));
    share.settle(Fate::Unresolved);
    assert_eq!(verdicts.try_recv().unwrap().reason, None);
}

#[test]
fn a_dropped_share_is_unresolved() {
    let (mut share, verdicts) = observed(5);
    share.split_to(2).settle(Fate::Done);
    drop(share);
    let verdict = verdicts.try_recv().unwrap();
    assert_eq!(counts(&verdict), (2, 0, 3));
    assert!(verdict.reason.is_some());
}

#[test]
fn a_share_that_a_panic_unwinds_is_unresolved() {
    let (share, verdicts) = observed(2);
    let ended = catch_unwind(AssertUnwindSafe(move || {
        let _held = share;
        panic!("a stage broke");
    }));
    assert!(ended.is_err());
    assert_eq!(counts(&verdicts.try_recv().unwrap()), (0, 0, 2));
}

#[test]
fn a_panic_of_one_listener_keeps_no_other_root_from_resolving() {
    let mut share = root(1, |_| panic!("a listener broke"));
    let (second, verdicts) = observed(1);
    share.append(second);
    share.settle(Fate::Done);
    assert_eq!(counts(&verdicts.try_recv().unwrap()), (1, 0, 0));
}

#[test]
fn rows_without_a_group_resolve_as_unresolved() {
    let (share, verdicts) = observed(5);
    let groups = share.partition(&[1, 0, 7, 1], 2);
    assert_eq!(groups.iter().map(Share::len).collect::<Vec<_>>(), [1, 2]);
    groups.into_iter().for_each(|group| group.settle(Fate::Done));
    assert_eq!(counts(&verdicts.try_recv().unwrap()), (3, 0, 2));
}

#[test]
fn pieces_that_follow_one_another_join_again() {
    let (mut share, verdicts) = observed(10);
    let mut joined = Share::default();
    while !share.is_empty() {
        joined.append(share.split_to(3));
    }
    assert_eq!(format!("{joined:?}"), "Share { rows: 10, segments: 1 }");
    joined.settle(Fate::Done);
    assert_eq!(counts(&verdicts.try_recv().unwrap()), (10, 0, 0));
}

#[test]
fn a_share_of_many_roots_is_cut_across_them() {
    let (mut joined, first) = observed(3);
    let (second, second_verdicts) = observed(3);
    joined.append(second);
    let front = joined.split_to(4);
    assert_eq!((front.len(), joined.len()), (4, 2));
    front.settle(Fate::Done);
    assert_eq!(counts(&first.try_recv().unwrap()), (3, 0, 0));
    assert!(second_verdicts.try_recv().is_err());
    joined.settle(Fate::Refused);
    assert_eq!(counts(&second_verdicts.try_recv().unwrap()), (1, 2, 0));
}

#[test]
fn untracked_rows_behave_like_others_and_nobody_hears_of_them() {
    let mut share = Share::untracked(6);
    share.append(Share::untracked(2));
    let (kept, dropped) = share.filter_by(|row| row % 2 == 0);
    assert_eq!((kept.len(), dropped.len()), (4, 4));
    assert!(!kept.is_tracked());
    kept.settle(Fate::Done);
    drop(dropped);
}

#[test]
fn a_long_message_is_cut_at_a_character() {
    let reason = Reason::new("external", "\u{e9}".repeat(REASON_MESSAGE_BYTES_MAX));
    assert_eq!(reason.message().len(), REASON_MESSAGE_BYTES_MAX);
    let odd = Reason::new(
        "external",
        format!("x{}", "\u{e9}".repeat(REASON_MESSAGE_BYTES_MAX)),
    );
    assert_eq!(odd.message().len(), REASON_MESSAGE_BYTES_MAX - 1);
}
