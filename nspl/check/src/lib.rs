//! From a syntax tree and a catalog to definitions, or to all diagnostics.
