//! The statements of earlier sessions: a file of the user, with mode 0600 and a bound.
//!
//! Invariant: what may hold a secret is never written (`nspl::may_hold_secret`). One entry a line, with `\n` and `\\` for
//! line ends and backslashes. A history that cannot be read or written is said once and does not stop anybody.

use std::{
    fs::{DirBuilder, File, OpenOptions, Permissions},
    io::{self, Read, Seek, SeekFrom, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

/// The entries that are kept.
pub(super) const ENTRIES_MAX: usize = 1_000;

/// The bytes at the end of the file that are read.
const FILE_BYTES_MAX: u64 = 4 << 20;

/// The file of one user.
#[derive(Debug)]
pub(super) struct History {
    path: PathBuf,
}

impl History {
    /// The file in the state folder of the user; `None` where there is no home.
    pub(super) fn of_user() -> Option<History> {
        let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from);
        let state = state.filter(|path| path.is_absolute());
        let state = state.or_else(|| Some(std::env::home_dir()?.join(".local/state")))?;
        Some(History {
            path: state.join("nervix/history"),
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The entries, oldest first, at most [`ENTRIES_MAX`]; a file with more is cut to them.
    pub(super) fn load(&self) -> io::Result<Vec<String>> {
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let skipped = file.metadata()?.len().saturating_sub(FILE_BYTES_MAX);
        file.seek(SeekFrom::Start(skipped))?;
        let mut bytes = Vec::new();
        file.take(FILE_BYTES_MAX).read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        // The first line of a part of a file is only the end of one.
        let part = usize::from(skipped > 0);
        let lines: Vec<&str> = text.lines().skip(part).collect();
        let kept = lines
            .get(lines.len().saturating_sub(ENTRIES_MAX)..)
            .unwrap_or_default();
        if kept.len() < lines.len() || part > 0 {
            let mut file = self.open(OpenOptions::new().write(true).truncate(true))?;
            file.write_all((kept.join("\n") + "\n").as_bytes())?;
        }
        Ok(kept.iter().map(|line| unescaped(line)).collect())
    }

    /// Adds an entry; one that may hold a secret is left out.
    pub(super) fn add(&self, entry: &str) -> io::Result<()> {
        if nspl::may_hold_secret(entry) {
            return Ok(());
        }
        if let Some(folder) = self.path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let mut file = self.open(OpenOptions::new().append(true))?;
        file.write_all(format!("{}\n", escaped(entry)).as_bytes())
    }

    /// Opens the file for its owner alone, whatever it was before.
    fn open(&self, how: &mut OpenOptions) -> io::Result<File> {
        let file = how.create(true).mode(0o600).open(&self.path)?;
        file.set_permissions(Permissions::from_mode(0o600))?;
        Ok(file)
    }
}

fn escaped(entry: &str) -> String {
    entry.replace('\\', "\\\\").replace('\n', "\\n")
}

fn unescaped(line: &str) -> String {
    let mut entry = String::with_capacity(line.len());
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('n') => entry.push('\n'),
                Some(other) => entry.push(other),
                None => entry.push('\\'),
            },
            other => entry.push(other),
        }
    }
    entry
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::{ENTRIES_MAX, History};

    #[test]
    fn entries_survive_with_their_lines_and_backslashes_for_their_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let history = History {
            path: folder.path().join("nervix/history"),
        };
        assert_eq!(history.load().unwrap(), [""; 0]);
        let entries = ["USE d;", "CREATE SCHEMA s\n  (a I64);", "SHOW \\n 'x\\';"];
        // The last cannot be read and holds a string: it may hold a secret.
        entries.iter().for_each(|entry| history.add(entry).unwrap());
        history.add("SHOW \\n;").unwrap();
        history
            .add("CREATE CLIENT c TYPE REDIS CONFIG {'addr' = 'redis://h', 'password' = 'hunter2'};")
            .unwrap();
        assert_eq!(history.load().unwrap(), [entries[0], entries[1], "SHOW \\n;"]);
        let mode = std::fs::metadata(&history.path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn the_file_is_cut_to_its_bound() {
        let folder = tempfile::tempdir().unwrap();
        let history = History {
            path: folder.path().join("history"),
        };
        std::fs::write(&history.path, "STOP;\n".repeat(ENTRIES_MAX + 5)).unwrap();
        assert_eq!(history.load().unwrap().len(), ENTRIES_MAX);
        let text = std::fs::read_to_string(&history.path).unwrap();
        assert_eq!(text.lines().count(), ENTRIES_MAX);
    }
}
