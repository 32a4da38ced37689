//! Tests of the helps of known mistakes.
