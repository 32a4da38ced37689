//! How one column of a writer becomes the exact form of its type.
//!
//! A reading is planned once per stream from two types and then applied to each batch. Nulls stay nulls here;
//! who may hold one is judged by the list or record around them.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryViewArray, PrimitiveArray, StringViewArray, TimestampNanosecondArray,
};
use arrow::buffer::BooleanBuffer;
use arrow::compute::cast;
use arrow::datatypes::{
    ArrowTimestampType, DataType as ArrowType, TimeUnit, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType,
};
use arrow::error::ArrowError;
use nspl_model::DataType;

use super::ConversionError;
use super::dictionary::read_dictionary;
use super::list::{ListForm, read_fixed_size_list, read_list};
use crate::types::{UTC, arrow_type};

/// Spellings of a time zone that mean UTC.
const UTC_ZONES: [&str; 5] = [UTC, "Z", "+00:00", "-00:00", "Etc/UTC"];

/// How one array is read.
#[derive(Debug, Clone)]
pub(super) enum Reading {
    /// It is in the exact form.
    Exact,
    /// Text or bytes with 64-bit offsets.
    Large,
    /// Text or bytes as views.
    View,
    /// A timestamp of this unit, in UTC whatever its zone is called.
    Timestamp(TimeUnit),
    /// A dictionary over values read like this.
    Dictionary(Box<Reading>),
    /// A list of any form with items read like this.
    List(ListForm, Box<Reading>),
    /// A list of fixed size with items read like this.
    FixedSizeList(Box<Reading>),
}

/// An array in exact form, and which of its non-null elements did not convert.
pub(super) struct Read {
    pub(super) array: ArrayRef,
    pub(super) unfit: Option<BooleanBuffer>,
}

impl Read {
    fn exact(array: ArrayRef) -> Self {
        Self { array, unfit: None }
    }
}

/// What a batch may still unfold to, in bytes.
pub(super) struct Allowance {
    bytes_max: u64,
    left: u64,
}

impl Allowance {
    pub(super) fn new(bytes_max: u64) -> Self {
        Self {
            bytes_max,
            left: bytes_max,
        }
    }

    pub(super) fn spend(&mut self, bytes: u64) -> Result<(), ConversionError> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(ConversionError::TooLarge {
                bytes_max: self.bytes_max,
            }),
        }
    }
}

impl Reading {
    /// How an array of `from` is read as `to`; `None` when the types differ.
    pub(super) fn plan(from: &ArrowType, to: &DataType) -> Option<Self> {
        if let ArrowType::Dictionary(_, values) = from {
            return Some(Self::Dictionary(Box::new(Self::plan(values, to)?)));
        }
        match (to, from) {
            (DataType::String, ArrowType::LargeUtf8) | (DataType::Bytes, ArrowType::LargeBinary) => {
                Some(Self::Large)
            }
            (DataType::String, ArrowType::Utf8View) | (DataType::Bytes, ArrowType::BinaryView) => {
                Some(Self::View)
            }
            (DataType::DateTime, ArrowType::Timestamp(unit, zone)) => {
                zone.as_ref()
                    .is_none_or(|zone| UTC_ZONES.contains(&zone.as_ref()))
                    .then_some(())?;
                Some(Self::Timestamp(*unit))
            }
            (DataType::Vec(item), from) => {
                let (form, field) = ListForm::of(from)?;
                Some(Self::List(form, Box::new(Self::plan(field.data_type(), item)?)))
            }
            (DataType::Array(item, axes), from) => Self::plan_axes(from, item, axes),
            (to, from) => (arrow_type(to) == *from).then_some(Self::Exact),
        }
    }

    fn plan_axes(from: &ArrowType, item: &DataType, axes: &[u32]) -> Option<Self> {
        let [axis, inner @ ..] = axes else {
            return Self::plan(from, item);
        };
        // Each axis may be a dictionary of its own, so this does not go through `plan`.
        if let ArrowType::Dictionary(_, values) = from {
            return Some(Self::Dictionary(Box::new(Self::plan_axes(values, item, axes)?)));
        }
        let ArrowType::FixedSizeList(field, size) = from else {
            return None;
        };
        if u32::try_from(*size).ok()? != *axis {
            return None;
        }
        Some(Self::FixedSizeList(Box::new(Self::plan_axes(
            field.data_type(),
            item,
            inner,
        )?)))
    }

    /// Reads one array into `target`, the exact Arrow type that was planned for.
    pub(super) fn read(
        &self,
        array: &ArrayRef,
        target: &ArrowType,
        allowance: &mut Allowance,
    ) -> Result<Read, ConversionError> {
        match self {
            Self::Exact => Ok(Read::exact(array.clone())),
            Self::Large => Ok(Read::exact(cast(array, target)?)),
            Self::View => {
                allowance.spend(viewed_bytes(array)?)?;
                Ok(Read::exact(cast(array, target)?))
            }
            Self::Timestamp(unit) => read_timestamp(array, *unit),
            Self::Dictionary(values) => read_dictionary(array, values, target, allowance),
            Self::List(form, items) => read_list(array, *form, items, target, allowance),
            Self::FixedSizeList(items) => read_fixed_size_list(array, items, target, allowance),
        }
    }
}

/// The refusal of an array whose type is not what its plan was made for.
pub(super) fn other_type() -> ConversionError {
    ConversionError::Malformed(ArrowError::SchemaError(
        "an array is not of the type that was planned".into(),
    ))
}

fn viewed_bytes(array: &ArrayRef) -> Result<u64, ConversionError> {
    fn total(lengths: impl Iterator<Item = u32>, array: &dyn Array) -> u64 {
        let valid = lengths.enumerate().filter(|(row, _)| array.is_valid(*row));
        valid.map(|(_, length)| u64::from(length)).sum()
    }
    if let Some(views) = array.as_any().downcast_ref::<StringViewArray>() {
        Ok(total(views.lengths(), array))
    } else if let Some(views) = array.as_any().downcast_ref::<BinaryViewArray>() {
        Ok(total(views.lengths(), array))
    } else {
        Err(other_type())
    }
}

fn read_timestamp(array: &ArrayRef, unit: TimeUnit) -> Result<Read, ConversionError> {
    match unit {
        TimeUnit::Second => scale::<TimestampSecondType>(array, 1_000_000_000),
        TimeUnit::Millisecond => scale::<TimestampMillisecondType>(array, 1_000_000),
        TimeUnit::Microsecond => scale::<TimestampMicrosecondType>(array, 1_000),
        TimeUnit::Nanosecond => {
            let times = array
                .as_primitive_opt::<TimestampNanosecondType>()
                .ok_or_else(other_type)?;
            Ok(Read::exact(Arc::new(times.clone().with_timezone(UTC))))
        }
    }
}

fn scale<T: ArrowTimestampType>(array: &ArrayRef, factor: i64) -> Result<Read, ConversionError> {
    let times: &PrimitiveArray<T> = array.as_primitive_opt::<T>().ok_or_else(other_type)?;
    let fits = |row: usize| times.is_null(row) || times.value(row).checked_mul(factor).is_some();
    let scaled: Vec<i64> = times
        .values()
        .iter()
        .map(|time| time.wrapping_mul(factor))
        .collect();
    let unfit = (0..times.len())
        .any(|row| !fits(row))
        .then(|| BooleanBuffer::collect_bool(times.len(), |row| !fits(row)));
    let array = TimestampNanosecondArray::new(scaled.into(), times.nulls().cloned()).with_timezone(UTC);
    Ok(Read {
        array: Arc::new(array),
        unfit,
    })
}
