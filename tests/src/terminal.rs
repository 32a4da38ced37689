//! A program on a terminal of its own, typed into and looked at as a person would.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use nix::pty::{Winsize, openpty};

use crate::wait::{must, until};

/// Ctrl-C.
const INTERRUPT: &str = "\x03";
/// Ctrl-D.
pub const END: &str = "\x04";
/// The arrow key.
pub const UP: &str = "\x1b[A";

/// A running program and the terminal it sits at.
#[derive(Debug)]
pub struct Terminal {
    child: Child,
    keys: File,
    shown: Arc<Mutex<Vec<u8>>>,
    /// What was looked at: characters of the screen's text.
    seen: usize,
}

impl Terminal {
    /// Starts `command` on a terminal of 40 lines and 160 columns.
    ///
    /// # Panics
    /// When there is no terminal, or the program cannot be started.
    pub fn start(mut command: Command) -> Self {
        let size = Winsize {
            ws_row: 40,
            ws_col: 160,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        let pair = must("open a terminal", openpty(Some(&size), None));
        let end = || Stdio::from(must("share the terminal", pair.slave.try_clone()));
        command.stdin(end()).stdout(end()).stderr(end());
        command.env("TERM", "xterm-256color");
        let child = must("start a program", command.spawn());
        let keys = File::from(pair.master);
        let mut screen = must("share the terminal", keys.try_clone());
        let shown = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&shown);
        // Ends with the terminal: reading fails when the program has gone.
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = screen.read(&mut bytes) {
                let read = bytes.get(..count).unwrap_or_default();
                into.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .extend_from_slice(read);
            }
        });
        Self {
            child,
            keys,
            shown,
            seen: 0,
        }
    }

    /// Presses keys.
    ///
    /// # Panics
    /// When the terminal is gone.
    pub fn press(&mut self, keys: &str) {
        must("press keys", self.keys.write_all(keys.as_bytes()));
    }

    /// Types a line and presses Enter.
    pub fn enter(&mut self, line: &str) {
        self.press(line);
        self.press("\r");
    }

    /// Presses Ctrl-C and waits for a fresh prompt. What is typed along with Ctrl-C is thrown away, as terminals do.
    ///
    /// # Panics
    /// When there is none within the harness's patience; the screen is shown.
    pub async fn interrupt(&mut self, prompt: &str) {
        self.press(INTERRUPT);
        let (shown, seen) = (Arc::clone(&self.shown), self.seen);
        let fresh = format!("\n{prompt}");
        self.seen = until("the terminal shows a fresh prompt", || {
            let screen = screen(&shown);
            let found = screen.get(seen..).is_some_and(|new| new.ends_with(&fresh));
            async move { found.then_some(screen.len()) }
        })
        .await;
    }

    /// Waits until the text appears behind what was seen before, and has then seen it.
    ///
    /// # Panics
    /// When it does not within the harness's patience; the screen is shown.
    pub async fn see(&mut self, text: &str) {
        let (shown, seen) = (Arc::clone(&self.shown), self.seen);
        let what = format!("the terminal shows {text:?}");
        self.seen = until(&what, || {
            let screen = screen(&shown);
            let found = screen.get(seen..).and_then(|new| new.find(text));
            async move { found.map(|at| seen + at + text.len()) }
        })
        .await;
    }

    /// Waits until these bytes have been written to the terminal, colours and movements among them.
    ///
    /// # Panics
    /// When they are not within the harness's patience.
    pub async fn see_painted(&self, bytes: &str) {
        let shown = Arc::clone(&self.shown);
        let what = format!("the terminal is painted with {bytes:?}");
        until(&what, || {
            let written = written(&shown);
            let found = written.contains(bytes);
            async move { found.then_some(()) }
        })
        .await;
    }

    /// Waits until it has ended by itself.
    ///
    /// # Panics
    /// When it does not within the harness's patience.
    pub async fn exit(&mut self) -> ExitStatus {
        let child = &mut self.child;
        until("the program ends", || {
            let ended = must("ask for the child's state", child.try_wait());
            async move { ended }
        })
        .await
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if self.child.kill().is_ok() {
            must("wait for the killed child", self.child.wait());
        }
        if std::thread::panicking() {
            // Captured by the test runner, and shown with the failure.
            let screen = screen(&self.shown);
            std::mem::drop(std::io::Write::write_all(
                &mut std::io::stderr(),
                format!("--- the terminal\n{screen}\n---\n").as_bytes(),
            ));
        }
    }
}

/// All that was written to the terminal.
fn written(shown: &Mutex<Vec<u8>>) -> String {
    let bytes = shown.lock().unwrap_or_else(PoisonError::into_inner).clone();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What was shown, without colours and movements.
fn screen(shown: &Mutex<Vec<u8>>) -> String {
    let text = written(shown);
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\x1b' => {
                if characters.next_if_eq(&'[').is_some() {
                    // A control sequence ends with its first letter.
                    while characters.next_if(|part| !part.is_ascii_alphabetic()).is_some() {}
                    characters.next();
                }
            }
            '\r' => {}
            other => plain.push(other),
        }
    }
    plain
}
