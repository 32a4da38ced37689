//! Numbers and instants under the six operators, 64 rows to a word.
//!
//! Arrow's kernels order floats by their bits, in which -0.0 is less than 0.0 and a NaN may be the least; here NaN is the
//! greatest, equals itself, and zeros are equal. Beside a constant that is a number one machine comparison says all of it.

use arrow::array::{Array, ArrowPrimitiveType, BooleanArray};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::error::ArrowError;
use nspl_model::BinaryOp;

use crate::program::operand::Numbers;
use crate::program::value::{Value, wrong_type};

/// Rows whose bits fill a word.
const WORD: usize = u64::BITS as usize;

/// Rows that are compared at a time.
const LANES: usize = 8;

/// A number of any type.
pub(super) trait Number: Copy + PartialOrd {
    /// Whether it is none, which integers always are.
    fn is_nan(self) -> bool {
        false
    }
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Number for $type {}
    )*};
}

integers!(i8, i16, i32, i64, u8, u16, u32, u64);

impl Number for f32 {
    fn is_nan(self) -> bool {
        self.is_nan()
    }
}

impl Number for f64 {
    fn is_nan(self) -> bool {
        self.is_nan()
    }
}

/// The comparison of two operands of the type `T`.
pub(super) fn compare<T>(op: BinaryOp, left: &Value, right: &Value) -> Result<BooleanArray, ArrowError>
where
    T: ArrowPrimitiveType,
    T::Native: Number,
{
    let (bits, nulls) = match (Numbers::<T>::of(left)?, Numbers::<T>::of(right)?) {
        (Numbers::Rows(left), Numbers::Rows(right)) if left.len() == right.len() => (
            of_rows(op, left.values(), right.values()),
            NullBuffer::union(left.nulls(), right.nulls()),
        ),
        (Numbers::Rows(left), Numbers::Constant(Some(right))) => {
            (beside(op, left.values(), right), left.nulls().cloned())
        }
        (Numbers::Constant(Some(left)), Numbers::Rows(right)) => {
            (beside(mirrored(op), right.values(), left), right.nulls().cloned())
        }
        (Numbers::Constant(Some(left)), Numbers::Constant(Some(right))) => (beside(op, &[left], right), None),
        _ => return Err(wrong_type()),
    };
    let bits = bits.ok_or_else(wrong_type)?;
    Ok(BooleanArray::new(bits, nulls))
}

fn equal<N: Number>(left: N, right: N) -> bool {
    (left == right) | (left.is_nan() & right.is_nan())
}

fn less<N: Number>(left: N, right: N) -> bool {
    (left < right) | (!left.is_nan() & right.is_nan())
}

/// The operator that says of `right, left` what `op` says of `left, right`.
fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::LessOrEqual => BinaryOp::GreaterOrEqual,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::GreaterOrEqual => BinaryOp::LessOrEqual,
        other => other,
    }
}

/// Rows beside rows; none for what is no comparison.
fn of_rows<N: Number>(op: BinaryOp, left: &[N], right: &[N]) -> Option<BooleanBuffer> {
    Some(match op {
        BinaryOp::Equal => paired(left, right, equal),
        BinaryOp::NotEqual => paired(left, right, |left, right| !equal(left, right)),
        BinaryOp::Less => paired(left, right, less),
        BinaryOp::LessOrEqual => paired(left, right, |left, right| !less(right, left)),
        BinaryOp::Greater => paired(left, right, |left, right| less(right, left)),
        BinaryOp::GreaterOrEqual => paired(left, right, |left, right| !less(left, right)),
        _ => return None,
    })
}

/// Rows beside one value; none for what is no comparison.
fn beside<N: Number>(op: BinaryOp, rows: &[N], value: N) -> Option<BooleanBuffer> {
    if value.is_nan() {
        return of_rows(op, rows, &vec![value; rows.len()]);
    }
    // A row that is NaN is greater than it; a machine comparison says no of it.
    Some(match op {
        BinaryOp::Equal => packed(rows, |row| row == value),
        BinaryOp::NotEqual => packed(rows, |row| row != value),
        BinaryOp::Less => packed(rows, |row| row < value),
        BinaryOp::LessOrEqual => packed(rows, |row| row <= value),
        BinaryOp::Greater => packed(rows, |row| (row > value) | row.is_nan()),
        BinaryOp::GreaterOrEqual => packed(rows, |row| (row >= value) | row.is_nan()),
        _ => return None,
    })
}

/// A bit for each row. Words of a fixed length leave the loop without checks of its bounds.
fn packed<N: Number>(rows: &[N], holds: impl Fn(N) -> bool) -> BooleanBuffer {
    let (words, rest) = rows.as_chunks::<WORD>();
    let mut bits = Vec::with_capacity(words.len() + 1);
    bits.extend(words.iter().map(|word| word_of(word, &holds)));
    bits.push(part_of_word(rest.iter().map(|row| holds(*row))));
    BooleanBuffer::new(bits.into(), 0, rows.len())
}

/// A bit for each pair of rows.
fn paired<N: Number>(left: &[N], right: &[N], holds: impl Fn(N, N) -> bool) -> BooleanBuffer {
    let (words, rest) = left.as_chunks::<WORD>();
    let (others, other_rest) = right.as_chunks::<WORD>();
    let mut bits = Vec::with_capacity(words.len() + 1);
    let pairs = words.iter().zip(others);
    bits.extend(pairs.map(|(word, other)| word_of_pairs(word, other, &holds)));
    let pairs = rest.iter().zip(other_rest);
    bits.push(part_of_word(pairs.map(|(left, right)| holds(*left, *right))));
    BooleanBuffer::new(bits.into(), 0, left.len())
}

/// The bits of a word of rows. Each lane has every eighth of them, so that this becomes vector instructions.
fn word_of<N: Number>(rows: &[N; WORD], holds: impl Fn(N) -> bool) -> u64 {
    let (groups, _) = rows.as_chunks::<LANES>();
    let mut lanes = [0; LANES];
    for (group, rows) in groups.iter().enumerate() {
        for (lane, row) in lanes.iter_mut().zip(rows) {
            *lane |= u64::from(holds(*row)) << (group * LANES);
        }
    }
    joined(lanes)
}

/// The same of pairs of rows.
fn word_of_pairs<N: Number>(left: &[N; WORD], right: &[N; WORD], holds: impl Fn(N, N) -> bool) -> u64 {
    let ((left, _), (right, _)) = (left.as_chunks::<LANES>(), right.as_chunks::<LANES>());
    let mut lanes = [0; LANES];
    for (group, (left, right)) in left.iter().zip(right).enumerate() {
        for (lane, (left, right)) in lanes.iter_mut().zip(left.iter().zip(right)) {
            *lane |= u64::from(holds(*left, *right)) << (group * LANES);
        }
    }
    joined(lanes)
}

fn joined(lanes: [u64; LANES]) -> u64 {
    let lanes = lanes.iter().enumerate();
    lanes.fold(0, |word, (position, lane)| word | (lane << position))
}

fn part_of_word(bits: impl Iterator<Item = bool>) -> u64 {
    bits.enumerate()
        .fold(0, |word, (position, bit)| word | (u64::from(bit) << position))
}
