//! The bounds of a script, by name. What is past one is refused with a fault that tells the bound.

/// The bytes of one script.
pub const SCRIPT_BYTES_MAX: usize = 16 << 20;

/// The bytes of one string literal, quotes included.
pub const TEXT_BYTES_MAX: usize = 256 << 10;

/// The bytes of one number, its unit included.
pub const NUMBER_BYTES_MAX: usize = 1_024;

/// The bytes of one identifier.
pub const NAME_BYTES_MAX: usize = 255;

/// How deep parentheses, brackets, IF, CASE and prefix operators nest.
pub const NESTING_MAX: usize = 64;

/// How many operators and levels may lie on the way from the root of an expression to a leaf.
pub const HEIGHT_MAX: usize = 256;

/// The faults listed for one script; the rest is counted.
pub const FAULTS_MAX: usize = 1_000;
