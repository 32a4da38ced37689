//! What is logged while a test runs.

use std::{
    io,
    sync::{Arc, Mutex},
};

use tracing::subscriber::DefaultGuard;

/// The lines that are logged on the thread of a test.
#[derive(Clone, Default)]
pub(crate) struct Logged(Arc<Mutex<Vec<u8>>>);

impl Logged {
    /// From now on, as long as the guard is held.
    pub(crate) fn here() -> (Self, DefaultGuard) {
        let lines = Self::default();
        let written = lines.clone();
        let log = tracing_subscriber::fmt()
            .with_writer(move || written.clone())
            .finish();
        (lines, tracing::subscriber::set_default(log))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }
}

impl io::Write for Logged {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
