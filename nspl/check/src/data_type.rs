//! From written types to those of the model.

use nspl_model::DataType;
use nspl_syntax::data_type::{DataType as Tree, DataTypeKind, Scalar};
use nspl_syntax::quantity::Whole;

use crate::Diagnostic;
use crate::quantity::positive_u32;
use crate::rules;

/// The elements of one value by the ARRAY dimensions of its type, all axes multiplied.
const ELEMENTS_MAX: u64 = 1 << 20;

/// The ARRAY axes of one type, those of its elements included.
const AXES_MAX: usize = 64;

/// The type, when its dimensions are in range.
pub(crate) fn data_type(tree: &Tree) -> Option<DataType> {
    data_type_or_fault(tree, &mut Vec::new())
}

/// The type; dimensions out of range are reported.
pub(crate) fn data_type_or_fault(tree: &Tree, faults: &mut Vec<Diagnostic>) -> Option<DataType> {
    let written = axes(tree);
    if written.len() > AXES_MAX {
        faults.push(rules::array_size::axes(tree.span, AXES_MAX));
        return None;
    }
    let data_type = read(tree, faults)?;
    let mut lengths = written.iter().filter_map(|axis| axis.value());
    let elements = lengths.try_fold(1, u64::checked_mul);
    if elements.is_none_or(|elements| elements > ELEMENTS_MAX) {
        faults.push(rules::array_size::elements(tree.span, ELEMENTS_MAX));
        return None;
    }
    Some(data_type)
}

/// Every ARRAY dimension of a type, those of its elements included.
fn axes(mut tree: &Tree) -> Vec<&Whole> {
    let mut found = Vec::new();
    loop {
        match &tree.kind {
            DataTypeKind::Scalar(_) => return found,
            DataTypeKind::Vec { element } => tree = element,
            DataTypeKind::Array { element, dimensions } => {
                found.extend(dimensions);
                tree = element;
            }
        }
    }
}

fn read(tree: &Tree, faults: &mut Vec<Diagnostic>) -> Option<DataType> {
    match &tree.kind {
        DataTypeKind::Scalar(scalar) => Some(scalar_type(*scalar)),
        DataTypeKind::Vec { element } => Some(DataType::Vec(Box::new(read(element, faults)?))),
        DataTypeKind::Array { element, dimensions } => {
            let element = read(element, faults);
            let axes: Vec<Option<u32>> = dimensions
                .iter()
                .map(|dimension| positive_u32(dimension, "an array dimension", i32::MAX as u32, faults))
                .collect();
            Some(DataType::Array(
                Box::new(element?),
                axes.into_iter().collect::<Option<Vec<u32>>>()?,
            ))
        }
    }
}

fn scalar_type(scalar: Scalar) -> DataType {
    match scalar {
        Scalar::U8 => DataType::U8,
        Scalar::I8 => DataType::I8,
        Scalar::U16 => DataType::U16,
        Scalar::I16 => DataType::I16,
        Scalar::U32 => DataType::U32,
        Scalar::I32 => DataType::I32,
        Scalar::U64 => DataType::U64,
        Scalar::I64 => DataType::I64,
        Scalar::F32 => DataType::F32,
        Scalar::F64 => DataType::F64,
        Scalar::Bool => DataType::Bool,
        Scalar::String => DataType::String,
        Scalar::DateTime => DataType::DateTime,
        Scalar::Bytes => DataType::Bytes,
    }
}
