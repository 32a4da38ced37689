//! Names, types, schemas, typed expressions and definitions of NSPL.
