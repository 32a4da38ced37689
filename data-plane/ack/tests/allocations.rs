//! Nothing is allocated for each row of a root whose rows agree in fate, whatever their shares go through: a batch of a
//! hundred thousand rows takes the allocations, and the bytes, of a batch of sixteen.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use allocation_counter::{AllocationInfo, measure};
use nervix_ack::{Fate, Reason, Share, root};

const FEW: u32 = 16;
const MANY: u32 = 100_000;

/// How all rows of a root end.
#[derive(Clone, Copy, Debug)]
enum End {
    Settled(Fate),
    SettledWith(Fate),
    Dropped,
}

const ENDS: [End; 6] = [
    End::Settled(Fate::Done),
    End::Settled(Fate::Refused),
    End::Settled(Fate::Unresolved),
    End::SettledWith(Fate::Refused),
    End::SettledWith(Fate::Unresolved),
    End::Dropped,
];

fn end(share: Share, how: End) {
    match how {
        End::Settled(fate) => share.settle(fate),
        End::SettledWith(fate) => share.settle_with(fate, Reason::new("external", "it was refused")),
        End::Dropped => drop(share),
    }
}

/// What a batch's share goes through on its way: two consumers, a filter that keeps all and one that keeps nothing, the
/// one branch of all rows, halves that meet again, and rows of another batch behind its own.
fn travel(rows: u32, (keep, branch): (&[bool], &[u32]), how: End) {
    let resolved = Arc::new(AtomicU32::new(0));
    let open = || {
        let resolved = Arc::clone(&resolved);
        root(rows, move |verdict| {
            resolved.fetch_add(verdict.rows, Ordering::Relaxed);
        })
    };
    let share = open();
    let other_path = share.fork();
    let (kept, nothing) = share.filter(keep);
    assert!(nothing.is_empty());
    let (nothing, mut kept) = kept.filter_by(|_| false);
    assert!(nothing.is_empty());
    let mut front = kept.split_to(rows as usize / 2);
    front.append(kept);
    let mut dealt = front.partition(branch, 2);
    let mut whole = dealt.swap_remove(0);
    assert_eq!(whole.len(), rows as usize);
    whole.append(open());
    end(whole, how);
    assert_eq!(resolved.load(Ordering::Relaxed), rows, "the other path is open");
    end(other_path, how);
    assert_eq!(resolved.load(Ordering::Relaxed), 2 * rows);
}

fn allocations(rows: u32, how: End) -> AllocationInfo {
    let (keep, branch) = (vec![true; rows as usize], vec![0; rows as usize]);
    measure(|| travel(rows, (&keep, &branch), how))
}

#[test]
fn rows_that_agree_in_fate_allocate_nothing_each() {
    for how in ENDS {
        let (few, many) = (allocations(FEW, how), allocations(MANY, how));
        assert!(few.count_total > 0, "allocations are counted");
        assert_eq!(
            (many.count_total, many.bytes_total),
            (few.count_total, few.bytes_total),
            "{how:?}"
        );
    }
}

/// The measure sees what it is to rule out: rows that differ cost a byte each.
#[test]
fn rows_that_differ_in_fate_are_what_costs() {
    let cost = |rows: u32| {
        measure(|| {
            let mut share = root(rows, drop);
            share.split_to(1).settle(Fate::Refused);
            share.settle(Fate::Done);
        })
        .bytes_total
    };
    assert!(cost(MANY) >= cost(FEW) + u64::from(MANY - FEW));
}
