//! Where a job stands, in a file that outlives the process that wrote it.
//!
//! The file is the standard error of the process, so that it needs no name; what the runtime says of a process that breaks
//! off stands at its front and is read by nobody, since it may hold a value.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;

use nervix_codec::{Step, Watch};

/// Where the note stands: behind anything that a runtime says.
const AT: u64 = 1 << 16;

/// A step of a job; jobs of one process count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) job: u64,
    pub(crate) step: Step,
}

impl Note {
    fn to_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        let (job, step) = bytes.split_at_mut(8);
        let (row, members) = step.split_at_mut(4);
        job.copy_from_slice(&self.job.to_le_bytes());
        row.copy_from_slice(&self.step.row.to_le_bytes());
        members.copy_from_slice(&self.step.members.to_le_bytes());
        bytes
    }

    fn of_bytes(bytes: [u8; 16]) -> Option<Note> {
        let (job, step) = bytes.split_first_chunk()?;
        let (row, members) = step.split_first_chunk()?;
        Some(Note {
            job: u64::from_le_bytes(*job),
            step: Step {
                row: u32::from_le_bytes(*row),
                members: u32::from_le_bytes(*members.first_chunk()?),
            },
        })
    }
}

/// The side of the process.
pub(crate) struct Notes {
    file: File,
    pub(crate) job: u64,
}

impl Notes {
    /// # Errors
    /// When standard error is no file: nobody but a node starts such a process.
    pub(crate) fn on_standard_error() -> io::Result<Self> {
        let file = File::from(io::stderr().as_fd().try_clone_to_owned()?);
        if !file.metadata()?.is_file() {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
        Ok(Self { file, job: 0 })
    }
}

impl Watch for Notes {
    fn begins(&mut self, step: Step) {
        let note = Note { job: self.job, step };
        // A step that cannot be noted runs; were it stopped, its job would be refused.
        let _noted = self.file.write_all_at(&note.to_bytes(), AT).is_ok();
    }
}

/// The side of the node.
pub(crate) struct NoteFile(File);

impl NoteFile {
    /// A new file, and the handle that is given to the process.
    pub(crate) fn create() -> io::Result<(NoteFile, File)> {
        let file = tempfile::tempfile()?;
        let given = file.try_clone()?;
        Ok((NoteFile(file), given))
    }

    /// The latest step of a job; none before its first one.
    pub(crate) fn latest(&self, job: u64) -> Option<Step> {
        let mut bytes = [0; 16];
        self.0.read_exact_at(&mut bytes, AT).ok()?;
        Note::of_bytes(bytes)
            .filter(|note| note.job == job)
            .map(|note| note.step)
    }
}

#[cfg(test)]
mod tests {
    use nervix_codec::{Step, Watch};

    use super::{NoteFile, Notes};

    #[test]
    fn the_node_reads_the_latest_step_of_its_job_alone() {
        let (read, file) = NoteFile::create().unwrap();
        let mut written = Notes { file, job: 1 };
        assert_eq!(read.latest(1), None);
        let steps = [(7, 0), (u32::MAX, u32::MAX)].map(|(row, members)| Step { row, members });
        for step in steps {
            written.begins(step);
            assert_eq!((read.latest(1), read.latest(2)), (Some(step), None));
        }
        written.job = 2;
        written.begins(steps[0]);
        assert_eq!((read.latest(1), read.latest(2)), (None, Some(steps[0])));
    }
}
