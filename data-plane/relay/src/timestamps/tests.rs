use nervix_clock::DomainTime;
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::{prop_assert_eq, proptest};

use super::Timestamps;

fn of_rows(times: &[i64]) -> Timestamps {
    let mut built = Timestamps::uniform(0, DomainTime::default());
    for time in times {
        built.append(&Timestamps::uniform(1, DomainTime(*time)));
    }
    built
}

fn rows(timestamps: &Timestamps) -> Vec<i64> {
    timestamps
        .runs()
        .flat_map(|(rows, time)| std::iter::repeat_n(time.0, rows))
        .collect()
}

#[test]
fn rows_of_one_admission_are_one_run() {
    let mut times = Timestamps::uniform(3, DomainTime(5));
    times.append(&Timestamps::uniform(2, DomainTime(5)));
    assert_eq!(times.runs().collect::<Vec<_>>(), [(5, DomainTime(5))]);
    assert_eq!((times.at(4), times.at(5)), (Some(DomainTime(5)), None));
}

proptest! {
    #[test]
    fn runs_are_what_a_list_of_rows_would_be(
        times in vec(0_i64..4, 0..40),
        first in 0_usize..45,
        count in 0_usize..45,
        keep in vec(any::<bool>(), 40),
    ) {
        let built = of_rows(&times);
        prop_assert_eq!(built.len(), times.len());
        prop_assert_eq!(rows(&built), times.clone());
        for (row, time) in times.iter().enumerate() {
            prop_assert_eq!(built.at(row), Some(DomainTime(*time)));
        }
        let sliced = built.slice(first, count);
        let expected: Vec<i64> = times.iter().skip(first).take(count).copied().collect();
        prop_assert_eq!(sliced.len(), expected.len());
        prop_assert_eq!(rows(&sliced), expected);
        let kept = built.filter_by(|row| keep[row]);
        let expected: Vec<i64> =
            times.iter().zip(&keep).filter(|(_, keep)| **keep).map(|(time, _)| *time).collect();
        prop_assert_eq!(rows(&kept), expected);
    }
}
