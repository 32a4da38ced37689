//! Harness and end-to-end tests of Nervix.
