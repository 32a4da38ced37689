//! The stack that high expressions take.

/// What one level may take, with all that it calls, before the next one looks again. What may take more, as the compiling
/// of patterns does, looks for itself.
const LEVEL: usize = 128 * 1024;
/// What is added where less is left.
const MORE: usize = 1024 * 1024;

/// One level of a recursion over an expression. The language bounds the height of one, not what a level takes on the stack;
/// threads of a runtime have little of it, and a stack that runs over ends the whole process. Where too little is left,
/// `level` runs on a stack of its own.
pub fn deep<T>(level: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(LEVEL, MORE, level)
}
