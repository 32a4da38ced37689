//! Judging a script over a state, with the files of the resources that it is judged by.
//!
//! Judging opens nothing; it waits for a turn, and ends with whoever waits for it. The first time it tells which stored
//! versions it asks for; they are read from the store, and it is done again with them, until nothing is asked for that was
//! not read. A stored version never changes, so what was read holds over every later state; which version is the latest is
//! taken from the state alone.
//!
//! Invariant: what is read for judgements, at most [`FILES_BYTES_MAX`] in this process, is held by one of them at a time.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use nspl::{FileMap, Report, ResourceFiles, Resources, Settings, model::FLIGHT_MESSAGE_BYTES_DEFAULT};
use parking_lot::Mutex;
use tokio::sync::MutexGuard;

use super::{
    Changes, Script,
    answer::{Refusal, code},
    script::unstored,
};
use crate::catalog::{State, read_files};

/// Bytes of all files that the judgement of one script reads.
const FILES_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// A stored version: domain, resource, number.
type Wanted = (String, String, u64);

/// What was read for judgements, by the blob that holds it.
#[derive(Default)]
pub(crate) struct ReadFiles {
    maps: BTreeMap<String, (FileMap, u64)>,
}

impl ReadFiles {
    /// Forgets what `kept` does not name when `bytes` more would be too many; whether they fit.
    fn make_room(&mut self, bytes: u64, kept: &BTreeSet<String>) -> bool {
        let held = |maps: &BTreeMap<String, (FileMap, u64)>| -> u64 {
            maps.values()
                .map(|(_, held)| *held)
                .fold(bytes, u64::saturating_add)
        };
        if held(&self.maps) > FILES_BYTES_MAX {
            self.maps.retain(|blob, _| kept.contains(blob));
        }
        held(&self.maps) <= FILES_BYTES_MAX
    }
}

/// The resources of a state, as one judgement sees them.
struct Stored {
    state: Arc<State>,
    read: Mutex<BTreeMap<Wanted, FileMap>>,
    missing: Mutex<BTreeSet<Wanted>>,
}

impl Stored {
    fn of(state: &Arc<State>) -> Arc<Self> {
        Arc::new(Self {
            state: Arc::clone(state),
            read: Mutex::default(),
            missing: Mutex::default(),
        })
    }
}

impl ResourceFiles for Stored {
    fn latest(&self, domain: &str, resource: &str) -> Option<u64> {
        Some(self.state.latest_version(domain, resource))
    }

    fn stored(&self, domain: &str, resource: &str, version: u64) -> Result<FileMap, String> {
        let wanted = (domain.to_owned(), resource.to_owned(), version);
        if let Some(files) = self.read.lock().get(&wanted) {
            return Ok(Arc::clone(files));
        }
        self.missing.lock().insert(wanted);
        Err("they were not read".to_owned())
    }

    fn folder(&self, folder: &str) -> Result<FileMap, String> {
        Err(format!("the folder '{folder}' is read when it is uploaded"))
    }
}

impl Changes {
    /// Judges a script over a state, as `apply` does.
    ///
    /// # Errors
    /// The files that it is judged by cannot be read, or are too many; too many scripts wait to be judged.
    pub(super) async fn judge(&self, script: &Arc<Script>, state: &Arc<State>) -> Result<Report, Refusal> {
        let stored = Stored::of(state);
        let mut files: Option<MutexGuard<'_, ReadFiles>> = None;
        let mut kept = BTreeSet::new();
        loop {
            let report = self.judge_with(script, state, &stored).await?;
            let missing = std::mem::take(&mut *stored.missing.lock());
            if missing.is_empty() {
                return Ok(report);
            }
            let files = match &mut files {
                Some(files) => files,
                none => none.insert(self.files.lock().await),
            };
            for wanted in missing {
                let map = self.read_version(&wanted, state, files, &mut kept).await?;
                stored.read.lock().insert(wanted, map);
            }
        }
    }

    /// Judges a script without the files of resources: for its plan alone.
    ///
    /// # Errors
    /// Too many scripts wait to be judged.
    pub(super) async fn judge_unread(
        &self,
        script: &Arc<Script>,
        state: &Arc<State>,
    ) -> Result<Report, Refusal> {
        self.judge_with(script, state, &Stored::of(state)).await
    }

    async fn judge_with(
        &self,
        script: &Arc<Script>,
        state: &Arc<State>,
        stored: &Arc<Stored>,
    ) -> Result<Report, Refusal> {
        let text_bytes = script.text.len();
        let mut settings = Settings::in_domain(script.domain.as_deref());
        self.set_runner(&mut settings, state);
        settings.mounts_only = self.mounts_only;
        let files: Arc<dyn ResourceFiles> = Arc::<Stored>::clone(stored);
        settings.resources = Some(Resources::new(files));
        let (script, state) = (Arc::clone(script), Arc::clone(state));
        let judging = move |is_wanted: &dyn Fn() -> bool| {
            nspl::check_while(&script.text, &settings, &state.catalog, is_wanted)
        };
        self.turns.take(text_bytes, judging).await
    }

    /// What is applied is judged by the node that executes the graph; while there is none, by what this release can run
    /// and the least bound of Flight messages that a known node told, or the default.
    fn set_runner(&self, settings: &mut Settings, state: &State) {
        let Some((node, record)) = self.workers.runner(state) else {
            let bounds = state.nodes.values().map(|node| node.flight_message_bytes_max);
            let least = bounds.filter(|bytes| *bytes > 0).min();
            settings.kinds = Some(nspl::release_kinds());
            settings.flight_message_max = Some(least.unwrap_or(FLIGHT_MESSAGE_BYTES_DEFAULT.into()));
            return;
        };
        settings.node_is_only = self.only_own_worker;
        settings.node = Some(node.to_owned());
        settings.kinds = Some(record.kinds.clone());
        settings.flight_message_max = Some(record.flight_message_bytes_max).filter(|bytes| *bytes > 0);
    }

    async fn read_version(
        &self,
        (domain, resource, number): &Wanted,
        state: &State,
        files: &mut ReadFiles,
        kept: &mut BTreeSet<String>,
    ) -> Result<FileMap, Refusal> {
        let Some(version) = state.resource_version(domain, resource, *number) else {
            let message =
                format!("version {number} of RESOURCE {resource} of domain {domain} cannot be read");
            return Err(Refusal::new(code::STORE, message).help("upload it again"));
        };
        kept.insert(version.blob.clone());
        if let Some((map, _)) = files.maps.get(&version.blob) {
            return Ok(Arc::clone(map));
        }
        let bytes = version.size_bytes();
        if !files.make_room(bytes, kept) {
            let message = format!(
                "version {number} of RESOURCE {resource} has {bytes} bytes; all files that the codecs of one script \
                 are judged by have at most {FILES_BYTES_MAX}"
            );
            return Err(Refusal::new(code::FILES, message).help(
                "keep the .proto files in a resource of their own, or apply codecs in several scripts",
            ));
        }
        let read = read_files(&**self.catalog.store(), &version).await;
        let map: FileMap = Arc::new(read.map_err(|error| unstored(&error.into()))?);
        files.maps.insert(version.blob.clone(), (Arc::clone(&map), bytes));
        Ok(map)
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, sync::Arc};

    use super::{FILES_BYTES_MAX, ReadFiles};

    #[test]
    fn what_another_script_needed_makes_room_and_what_this_one_needs_stays() {
        let mut files = ReadFiles::default();
        let half = FILES_BYTES_MAX / 2;
        for blob in ["a", "b"] {
            files.maps.insert(blob.to_owned(), (Arc::default(), half));
        }
        let kept = BTreeSet::from(["b".to_owned(), "c".to_owned()]);
        assert!(files.make_room(half, &kept));
        assert!(!files.maps.contains_key("a") && files.maps.contains_key("b"));
        assert!(!files.make_room(half + 1, &kept));
        assert!(!files.make_room(u64::MAX, &kept));
    }
}
