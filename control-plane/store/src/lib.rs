//! The catalog store: its trait, the embedded implementation and the suite both implementations pass.
