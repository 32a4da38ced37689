//! Benchmarks of Nervix.
