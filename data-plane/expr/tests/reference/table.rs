//! Random schemas, and batches of them.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::datatypes::{Field, Schema};
use nspl_model::{DataType, Literal};

use crate::dice::Dice;
use crate::documents;
use crate::values::{column, random, types};

/// Columns of a schema at most, so that it has some type twice and lacks others.
const COLUMNS_MAX: usize = 30;

/// Rows that are cut off a batch, so that its columns are slices.
const CUT_MAX: usize = 3;

/// A column.
pub(crate) struct Column {
    /// Its type.
    pub(crate) of: DataType,
    /// Whether it may hold nulls.
    pub(crate) nullable: bool,
    /// Whether its schema says so.
    pub(crate) sensitive: bool,
    /// Whether its texts are JSON documents.
    pub(crate) documents: bool,
}

/// A schema; the name of a column is [`name`] of its position.
pub(crate) struct Table {
    /// In order.
    pub(crate) columns: Vec<Column>,
}

/// The name of a column.
pub(crate) fn name(index: usize) -> String {
    format!("f{index}")
}

impl Table {
    /// Some columns of some types, in any order.
    pub(crate) fn random(dice: &mut Dice) -> Self {
        let count = dice.below(COLUMNS_MAX) + 1;
        let columns = (0..count).map(|_| {
            let documents = dice.below(6) == 0;
            let of = match documents {
                true => DataType::String,
                false => dice.pick(&types()),
            };
            let (nullable, sensitive) = (dice.below(2) == 0, dice.below(12) == 0);
            Column {
                of,
                nullable,
                sensitive,
                documents,
            }
        });
        Self {
            columns: columns.collect(),
        }
    }

    /// Where such columns stand.
    pub(crate) fn positions(&self, of: &DataType, documents: bool) -> Vec<usize> {
        let fits = |column: &Column| column.of == *of && column.documents == documents;
        let columns = self.columns.iter().enumerate();
        columns
            .filter(|(_, column)| fits(column))
            .map(|(index, _)| index)
            .collect()
    }

    /// A slice of a batch, of one row up to several words of rows; a nullable column has some nulls, none, or nothing else.
    pub(crate) fn batch(&self, dice: &mut Dice) -> RecordBatch {
        let rows = match dice.below(8) {
            0 => 1,
            1 => 60 + dice.below(140),
            _ => dice.below(20) + 1,
        };
        self.batch_of(rows, dice)
    }

    /// The same of so many rows.
    pub(crate) fn batch_of(&self, rows: usize, dice: &mut Dice) -> RecordBatch {
        let whole = rows + CUT_MAX;
        let arrays: Vec<ArrayRef> = self.columns.iter().map(|one| one.array(dice, whole)).collect();
        let fields = self.columns.iter().zip(&arrays).enumerate();
        let fields = fields.map(|(index, (column, array))| {
            Field::new(name(index), array.data_type().clone(), column.nullable)
        });
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let options = RecordBatchOptions::new().with_row_count(Some(whole));
        let whole = RecordBatch::try_new_with_options(schema, arrays, &options).unwrap();
        whole.slice(dice.below(CUT_MAX + 1), rows)
    }
}

impl Column {
    fn array(&self, dice: &mut Dice, rows: usize) -> ArrayRef {
        let nulls = match self.nullable {
            true => dice.pick(&[0, 1, 1, 1, 4]),
            false => 0,
        };
        let mut value = || match dice.below(4) < nulls {
            true => Literal::Null,
            false if self.documents => Literal::String(dice.pick(&documents::TEXTS).into()),
            false => random(dice, &self.of),
        };
        let values: Vec<Literal> = (0..rows).map(|_| value()).collect();
        column(&self.of, &values)
    }
}
