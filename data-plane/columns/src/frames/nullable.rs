//! A schema in which everything may be null: what a peer says of nulls does not count, and the Arrow reader would refuse
//! a whole batch for one null that its schema rules out.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Schema};

pub(super) fn schema(schema: &Schema) -> Schema {
    let fields: Vec<FieldRef> = schema.fields().iter().map(field).collect();
    Schema::new_with_metadata(fields, schema.metadata().clone())
}

fn field(given: &FieldRef) -> FieldRef {
    let field: &Field = given;
    let data_type = match field.data_type() {
        DataType::List(item) => DataType::List(self::field(item)),
        DataType::LargeList(item) => DataType::LargeList(self::field(item)),
        DataType::ListView(item) => DataType::ListView(self::field(item)),
        DataType::LargeListView(item) => DataType::LargeListView(self::field(item)),
        DataType::FixedSizeList(item, length) => DataType::FixedSizeList(self::field(item), *length),
        // Whatever else has fields inside is no type of ours, and is refused by its schema.
        other => other.clone(),
    };
    Arc::new(field.clone().with_data_type(data_type).with_nullable(true))
}
