//! Arrow forms of NSPL types: schemas, exact conversion, sizes, slices.
