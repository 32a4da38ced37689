use bytes::Bytes;
use nspl_model::BatchLimits;
use proptest::prelude::{Just, Strategy, any, prop, prop_oneof};
use proptest::{prop_assert, prop_assert_eq, proptest};

use super::{GIVEN_BYTES_MIN, Members, SAMPLE_MEMBERS, pack_batches, pack_singly};
use crate::bounded::{BoundedWriter, Full};
use crate::container::{AvroArray, CborArray, Container, JsonArray};
use crate::encode::{LeftOut, Packed};
use crate::fault::RecordFault;
use crate::results::Enough;

/// Records by the length of their member; `None` cannot be a member.
struct Scripted<'a> {
    rows: &'a [Option<usize>],
    written: usize,
}

impl<'a> Scripted<'a> {
    fn new(rows: &'a [Option<usize>]) -> Self {
        Self { rows, written: 0 }
    }
}

impl Members for Scripted<'_> {
    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn fault(&mut self, row: usize) -> Option<RecordFault> {
        self.rows[row].is_none().then(unfit)
    }

    fn write(&mut self, row: usize, out: &mut BoundedWriter) -> Result<(), Full> {
        self.written += 1;
        member(row, self.rows[row].unwrap())
            .iter()
            .try_for_each(|byte| out.push(*byte))
    }
}

fn unfit() -> RecordFault {
    RecordFault::validation(vec!["f".into()], "unfit")
}

fn member(row: usize, length: usize) -> Vec<u8> {
    vec![b'a' + (row % 26) as u8; length]
}

fn limits(max_messages: u32, max_bytes: u64) -> BatchLimits {
    BatchLimits {
        max_messages,
        max_bytes,
    }
}

fn enough(payloads: usize) -> Enough {
    Enough {
        payloads,
        bytes: u64::MAX,
    }
}

fn packed(
    rows: &[Option<usize>],
    container: &dyn Container,
    limits: BatchLimits,
    payloads_max: usize,
) -> Vec<Packed> {
    let enough = enough(payloads_max);
    pack_batches(&mut Scripted::new(rows), container, limits, "JSON", enough)
}

fn bytes_of(packed: &[Packed]) -> Vec<&[u8]> {
    let payloads = packed.iter().filter_map(|packed| match packed {
        Packed::Payload { bytes, .. } => Some(bytes.as_ref()),
        Packed::Rejected { .. } => None,
    });
    payloads.collect()
}

/// The specification to its letter: every candidate is built in full, measured, and halved.
fn by_halving(rows: &[Option<usize>], container: &dyn Container, limits: BatchLimits) -> Vec<Packed> {
    let mut results = Vec::new();
    let mut front = 0;
    while front < rows.len() {
        if rows[front].is_none() {
            results.push(Packed::rejected(unfit()));
            front += 1;
            continue;
        }
        let fit = (front..rows.len()).filter(|row| rows[*row].is_some());
        let mut candidate: Vec<usize> = fit.take(limits.max_messages as usize).collect();
        loop {
            let members = candidate.iter().map(|row| member(*row, rows[*row].unwrap()));
            let members: Vec<Vec<u8>> = members.collect();
            let payload = container.payload(members.len(), &members.join(container.between()));
            if payload.len() as u64 <= limits.max_bytes {
                let last = candidate[candidate.len() - 1];
                let unfit_rows = (front..last).filter(|row| rows[*row].is_none());
                let left_out = unfit_rows.map(|row| LeftOut {
                    row: row - front,
                    fault: unfit(),
                });
                results.push(Packed::Payload {
                    rows: last + 1 - front,
                    left_out: left_out.collect(),
                    bytes: Bytes::from(payload),
                });
                front = last + 1;
                break;
            }
            if candidate.len() == 1 {
                let fault = RecordFault::validation(
                    Vec::new(),
                    format!("JSON payload exceeds MAX SIZE {}B", limits.max_bytes),
                );
                results.push(Packed::rejected(fault));
                front += 1;
                break;
            }
            candidate.truncate(candidate.len().div_ceil(2));
        }
    }
    results
}

#[test]
fn a_payload_of_exactly_max_size_is_published_and_one_byte_more_is_halved() {
    let rows = [Some(4), Some(4), Some(4)];
    let whole = packed(&rows, &JsonArray, limits(10, 16), 9);
    assert_eq!(bytes_of(&whole), [b"[aaaa,bbbb,cccc]".as_slice()]);
    let halved = packed(&rows, &JsonArray, limits(10, 15), 9);
    assert_eq!(bytes_of(&halved), [b"[aaaa,bbbb]".as_slice(), b"[cccc]"]);
}

#[test]
fn a_record_too_large_alone_is_rejected_with_the_limit_as_it_would_be_written() {
    let results = packed(&[Some(1), Some(500), Some(1)], &JsonArray, limits(10, 32), 9);
    assert_eq!(bytes_of(&results), [b"[a]".as_slice(), b"[c]"]);
    let Packed::Rejected { rows: 1, fault, .. } = &results[1] else {
        panic!("{results:?}")
    };
    assert_eq!(fault.to_string(), "JSON payload exceeds MAX SIZE 32B");
    assert_eq!(fault.code.as_str(), "validation");
}

#[test]
fn a_record_that_cannot_be_a_member_is_left_out_and_those_around_it_are_packed_together() {
    let rows = [None, Some(1), None, None, Some(1), None];
    let results = packed(&rows, &JsonArray, limits(10, 32), 9);
    let [first, payload, last] = results.as_slice() else {
        panic!("{results:?}")
    };
    assert_eq!((first, last), (&Packed::rejected(unfit()), first));
    let left_out = [1, 2].map(|row| LeftOut { row, fault: unfit() });
    let expected = Packed::Payload {
        rows: 4,
        left_out: left_out.to_vec(),
        bytes: Bytes::from_static(b"[b,e]"),
    };
    assert_eq!(payload, &expected);
}

#[test]
fn without_limits_every_record_is_a_payload_of_its_own() {
    let rows = [Some(2), None, Some(0), Some(1)];
    let results = pack_singly(&mut Scripted::new(&rows), enough(3));
    assert_eq!(bytes_of(&results), [b"aa".as_slice(), b""]);
    assert_eq!(results.iter().map(Packed::rows).collect::<Vec<_>>(), [1, 1, 1]);
}

#[test]
fn no_payload_is_made_behind_the_one_that_reaches_enough_bytes() {
    let enough = Enough {
        payloads: 9,
        bytes: 10,
    };
    let rows = [Some(4); 8];
    assert_eq!(bytes_of(&pack_singly(&mut Scripted::new(&rows), enough)).len(), 3);
    let batches = pack_batches(
        &mut Scripted::new(&rows),
        &JsonArray,
        limits(2, 30),
        "JSON",
        enough,
    );
    assert_eq!(bytes_of(&batches), [b"[aaaa,bbbb]".as_slice()]);
    let none = Enough {
        payloads: 0,
        bytes: 1,
    };
    assert_eq!(
        pack_singly(&mut Scripted::new(&rows), none).len(),
        1,
        "one is always made"
    );
}

#[test]
fn a_large_payload_is_the_same_with_the_head_of_its_own_number_of_members() {
    for (members, length) in [(70_000, 10), (SAMPLE_MEMBERS + 1, 10_000)] {
        let rows = vec![Some(length); members];
        for container in CONTAINERS {
            // All of them, and exactly their half: the head of a CBOR or Avro array of the half may be shorter.
            for fit in [members, members.div_ceil(2)] {
                let between = container.between().len() * (fit - 1);
                let around = container.head_len(fit) + container.tail().len();
                let limits = limits(100_000, (around + between + fit * length) as u64);
                let results = packed(&rows, container, limits, usize::MAX);
                assert!(bytes_of(&results)[0].len() >= GIVEN_BYTES_MIN);
                assert!(
                    results == by_halving(&rows, container, limits),
                    "{members} of {length}, {fit} fit"
                );
            }
        }
    }
}

#[test]
fn nothing_comes_of_nothing() {
    assert_eq!(packed(&[], &JsonArray, limits(3, 30), 9), []);
}

fn rows() -> impl Strategy<Value = Vec<Option<usize>>> {
    let one =
        prop_oneof![8 => (0..40_usize).prop_map(Some), 1 => (0..700_usize).prop_map(Some), 1 => Just(None)];
    prop::collection::vec(one, 0..400)
}

const CONTAINERS: [&dyn Container; 3] = [&JsonArray, &CborArray, &AvroArray];

proptest! {
    #[test]
    fn groups_are_those_of_really_halving(
        rows in rows(),
        container in 0..CONTAINERS.len(),
        max_messages in prop_oneof![1..12_u32, 1..500_u32],
        max_bytes in prop_oneof![1..80_u64, 1..2000_u64, 1..40_000_u64],
    ) {
        let (container, limits) = (CONTAINERS[container], limits(max_messages, max_bytes));
        let mut members = Scripted::new(&rows);
        let results = pack_batches(&mut members, container, limits, "JSON", enough(usize::MAX));
        prop_assert_eq!(&results, &by_halving(&rows, container, limits));
        // Beside each member's one encoding at most one that is abandoned for each result.
        prop_assert!(members.written <= rows.len() + results.len());
    }

    #[test]
    fn results_do_not_depend_on_how_many_are_asked_for(
        rows in rows(),
        max_messages in 1..100_u32,
        max_bytes in 1..1500_u64,
        at_once in any::<prop::sample::Index>(),
    ) {
        let limits = limits(max_messages, max_bytes);
        let at_once = at_once.index(9) + 1;
        let (mut results, mut front) = (Vec::new(), 0);
        while front < rows.len() {
            let some = packed(&rows[front..], &CborArray, limits, at_once);
            prop_assert!((1..=at_once).contains(&some.len()));
            front += some.iter().map(Packed::rows).sum::<usize>();
            results.extend(some.iter().map(Packed::rows));
        }
        let all = packed(&rows, &CborArray, limits, usize::MAX);
        prop_assert_eq!(results, all.iter().map(Packed::rows).collect::<Vec<_>>());
    }
}
