//! The facade of NSPL: parse, format, check, render.
