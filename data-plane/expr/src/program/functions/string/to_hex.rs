//! `to_hex`.

use std::fmt::{LowerHex, Write};

use arrow::array::{Array, ArrowPrimitiveType};
use arrow::datatypes::{
    DataType as ArrowType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{I8, I64, NullI64, NullText, Text, U64};
use super::super::reference::{Entry, example};
use crate::program::built::text_rows;
use crate::program::operand::Numbers;
use crate::program::value::{Outcome, wrong_type};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::ToHex,
    summary: "The hexadecimal digits of an integer; a negative one in two's complement of its own width.",
    examples: &[
        example(&[I64(255)], Text("ff")),
        example(&[I8(-1)], Text("ff")),
        example(&[I64(-1)], Text("ffffffffffffffff")),
        example(&[U64(u64::MAX)], Text("ffffffffffffffff")),
        example(&[I64(0)], Text("0")),
        example(&[NullI64], NullText),
    ],
    kernel: to_hex,
}];

fn to_hex(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    match args.value(0)?.array().data_type() {
        ArrowType::Int8 => digits::<Int8Type>(args),
        ArrowType::Int16 => digits::<Int16Type>(args),
        ArrowType::Int32 => digits::<Int32Type>(args),
        ArrowType::Int64 => digits::<Int64Type>(args),
        ArrowType::UInt8 => digits::<UInt8Type>(args),
        ArrowType::UInt16 => digits::<UInt16Type>(args),
        ArrowType::UInt32 => digits::<UInt32Type>(args),
        ArrowType::UInt64 => digits::<UInt64Type>(args),
        _ => Err(wrong_type()),
    }
}

fn digits<T>(args: &Args<'_>) -> Result<Outcome, ArrowError>
where
    T: ArrowPrimitiveType,
    T::Native: LowerHex,
{
    let numbers = Numbers::<T>::of(args.value(0)?)?;
    text_rows(args.context, args.name, |row, out| {
        let Some(number) = numbers.get(row) else {
            return Ok(None);
        };
        out.append_with(|column| {
            // Writing to a String cannot fail.
            let _written = write!(column, "{number:x}").is_ok();
        })
        .map(Some)
    })
}
