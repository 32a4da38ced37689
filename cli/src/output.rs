//! Standard output and standard error, written through here alone.
//!
//! Standard output carries what a command was asked for and nothing else, so that it can be piped; everything for the
//! person beside it goes to standard error.

use std::{
    fs,
    io::{self, IsTerminal, Write},
    os::unix::fs::{FileTypeExt, MetadataExt},
};

use nix::libc;

use crate::exit::Failure;

/// Writes text to standard output and flushes it.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(Failure::io("standard output"))
}

/// Writes one line to standard error. A person who closed it does not read it: that is no failure.
pub(crate) fn note(line: &str) {
    let mut err = io::stderr().lock();
    drop(writeln!(err, "{line}"));
}

/// Refuses a standard output that was closed when the process began: the runtime has put `/dev/null` in its place, and
/// whoever hears that something was written would believe it. It is told from a `/dev/null` that somebody chose by being
/// open for reading too.
pub(crate) fn refuse_closed() -> Result<(), Failure> {
    let Ok(null) = fs::metadata("/dev/null") else {
        return Ok(());
    };
    let (Ok(own), Ok(info)) = (
        fs::metadata("/proc/self/fd/1"),
        fs::read_to_string("/proc/self/fdinfo/1"),
    ) else {
        // Where the system does not say, writing says.
        return Ok(());
    };
    if own.file_type().is_char_device() && own.rdev() == null.rdev() && is_open_for_reading(&info) {
        return Err(Failure::Usage(
            "standard output is closed, so that everything would be lost: name a file with --output, which may be \
             /dev/null"
                .to_owned(),
        ));
    }
    Ok(())
}

/// By the system's description of an open file, whose flags are octal.
fn is_open_for_reading(info: &str) -> bool {
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| i32::from_str_radix(flags.trim(), 8).ok());
    flags.is_some_and(|flags| flags & libc::O_ACCMODE == libc::O_RDWR)
}

/// Whether standard output is a terminal.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Whether standard error is a terminal.
pub(crate) fn notes_are_on_a_terminal() -> bool {
    io::stderr().is_terminal()
}
