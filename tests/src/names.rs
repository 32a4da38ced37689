//! Names that a process resolves as the test says: a hosts file of the test's own, and a name server that is not there.
//!
//! Both take the places of the system's in a namespace of mounts that the process has for itself, so that whoever resolves in
//! it is told the same: the net room as well as the C library, which librdkafka asks. Nothing outside of it is touched.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use tempfile::TempDir;

use crate::wait::must;

/// Puts the two files in their places, then becomes the program.
const ENTER: &str =
    "mount --bind \"$1\" /etc/hosts && mount --bind \"$2\" /etc/resolv.conf && shift 2 && exec \"$@\"";
/// A server that refuses at once: a name that no file has is not found.
const RESOLV: &str = "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n";

/// The names of one process; clones are the same.
#[derive(Debug, Clone)]
pub struct Names {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    folder: TempDir,
    said: Mutex<BTreeMap<String, Ipv4Addr>>,
}

impl Names {
    /// Only `localhost` resolves.
    ///
    /// # Panics
    /// When no files can be made.
    pub fn new() -> Self {
        let shared = Shared {
            folder: must("make a folder", tempfile::tempdir()),
            said: Mutex::default(),
        };
        let names = Self {
            shared: Arc::new(shared),
        };
        names.say("localhost", Ipv4Addr::LOCALHOST);
        must("write a file", std::fs::write(names.file("resolv.conf"), RESOLV));
        names
    }

    /// From now on the name has this address alone.
    ///
    /// # Panics
    /// When the file cannot be written.
    pub fn say(&self, name: &str, address: Ipv4Addr) {
        self.change(|said| said.insert(name.to_owned(), address));
    }

    /// From now on the name does not resolve.
    ///
    /// # Panics
    /// When the file cannot be written.
    pub fn forget(&self, name: &str) {
        self.change(|said| said.remove(name));
    }

    /// A command whose process, and its children, resolve by these names. It needs a kernel that lets whoever runs the tests
    /// have namespaces of users and mounts; `unshare` says so where it does not.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new("unshare");
        command
            .args(["--user", "--map-root-user", "--mount", "sh", "-c", ENTER, "sh"])
            .args([self.file("hosts"), self.file("resolv.conf")])
            .arg(program);
        command
    }

    fn file(&self, name: &str) -> PathBuf {
        self.shared.folder.path().join(name)
    }

    fn change<T>(&self, change: impl FnOnce(&mut BTreeMap<String, Ipv4Addr>) -> T) {
        let mut said = self.shared.said.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut said);
        let hosts: String = said
            .iter()
            .map(|(name, address)| format!("{address} {name}\n"))
            .collect();
        // In place: the mount is of this very file.
        must("write a file", std::fs::write(self.file("hosts"), hosts));
    }
}

impl Default for Names {
    fn default() -> Self {
        Self::new()
    }
}
