//! The error channel joins and stays sorted.

use super::RowErrors;
use crate::{EvalError, Fault};

fn error(fault: Fault) -> EvalError {
    EvalError {
        fault,
        operation: "test",
    }
}

#[test]
fn joined_errors_stay_sorted_and_the_first_side_wins_a_row() {
    let left = RowErrors::of_rows([1, 4, 9].into_iter(), error(Fault::Overflow));
    let right = RowErrors::of_rows([0, 4, 5, 12].into_iter(), error(Fault::NotJson));
    let joined = left.merge(right);
    let rows: Vec<_> = joined.iter().map(|(row, error)| (row, error.fault)).collect();
    assert_eq!(
        rows,
        [
            (0, Fault::NotJson),
            (1, Fault::Overflow),
            (4, Fault::Overflow),
            (5, Fault::NotJson),
            (9, Fault::Overflow),
            (12, Fault::NotJson)
        ]
    );
    assert_eq!(joined.at(4), Some(error(Fault::Overflow)));
    assert_eq!(joined.at(3), None);
    assert_eq!(
        joined.mask(6).iter().collect::<Vec<_>>(),
        [true, true, false, false, true, true]
    );
    assert_eq!(joined.len(), 6);
}

#[test]
fn no_error_says_nothing_of_a_value() {
    let shown = format!("{} {:?}", error(Fault::Unreadable), error(Fault::Unreadable));
    assert_eq!(
        shown,
        "test: the text is not a value of the type EvalError { fault: Unreadable, operation: \"test\" }"
    );
}
