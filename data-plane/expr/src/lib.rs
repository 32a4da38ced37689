//! Columnar evaluation of typed NSPL expressions.
