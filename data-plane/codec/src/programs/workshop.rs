//! The far side of jobs: what runs them, wherever that is.

use std::fmt;
use std::rc::Rc;

use bytes::Bytes;

use super::definition::{Compiled, Definition};
use super::request::{Task, definition_of, read_job, write_decoded, write_packed};
use super::wire::Unreadable;
use super::{emission, ingestion};
use crate::jobs::Watch;

/// How many codecs are kept compiled, the latest used.
const COMPILED_MAX: usize = 32;

/// Runs jobs, one after the other, and keeps compiled what they were about.
#[derive(Default)]
pub struct Workshop {
    /// The latest used last.
    compiled: Vec<(Vec<u8>, Rc<Compiled>)>,
}

impl Workshop {
    /// Compiles the codec of a job, so that [`Workshop::run`] will not have to. It is not a step of the job: a program was
    /// compiled before, when it was checked, and takes more stack for that than a job has.
    ///
    /// # Errors
    /// When the bytes are no job.
    pub fn prepare(&mut self, job: &[u8]) -> Result<(), Unreadable> {
        self.compiled(definition_of(job)?).map(|_| ())
    }

    /// Runs a job to its end and gives its answer.
    ///
    /// # Errors
    /// When the bytes are no job.
    pub fn run(&mut self, job: &[u8], watch: &mut dyn Watch) -> Result<Bytes, Unreadable> {
        let (definition, struck, task) = read_job(job)?;
        let codec = self.compiled(definition)?;
        match task {
            Task::Emit(emit) => Ok(write_packed(&emission::run(&codec, &emit, &struck, watch))),
            Task::Ingest(ingest) => write_decoded(&ingestion::run(&codec, &ingest, &struck, watch)),
        }
    }

    fn compiled(&mut self, definition: &[u8]) -> Result<Rc<Compiled>, Unreadable> {
        let known = self.compiled.iter().position(|(known, _)| known == definition);
        let entry = match known {
            Some(place) => self.compiled.remove(place),
            None => {
                let codec = Definition::read(definition)?.compile().map_err(|_| Unreadable)?;
                (definition.to_vec(), Rc::new(codec))
            }
        };
        if self.compiled.len() >= COMPILED_MAX {
            self.compiled.remove(0);
        }
        let codec = Rc::clone(&entry.1);
        self.compiled.push(entry);
        Ok(codec)
    }
}

/// Shows no program.
impl fmt::Debug for Workshop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workshop")
            .field("compiled", &self.compiled.len())
            .finish()
    }
}
