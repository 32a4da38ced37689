//! The `nervix` executable.

fn main() {}
