//! USING MATERIALIZED STATE (companion section 2; rulings section 9, Order): binds each admitted batch to the states of its
//! branch, or has it wait, or skips it.
//!
//! Invariants: dependencies are resolved in written order, and from the first again when a wait wakes; a batch is bound
//! once and keeps what it is bound to; batches of one source relay and concrete branch keep their order, and other lanes
//! flow on; a batch that waits keeps its share open, its branch instance in use, and its bytes in the read-ahead bound.

mod bound;
mod resolve;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use ahash::AHashMap;
use nervix_relay::{MaterializedState, Wakes};
use nspl_model::EmitterDef;

use crate::admit::Admitted;
use crate::lane::LaneKey;
use crate::plan::StartError;
use crate::status::WaitingStatus;
pub(crate) use bound::Bound;
use bound::{BoundState, constant};
use resolve::{Absent, Resolved, resolve};

/// The dependencies of one run, and what waits for them.
pub(crate) struct Dependencies {
    list: Vec<Dependency>,
    wakes: Arc<Wakes>,
    lanes: AHashMap<LaneKey, u64>,
    waiting: BTreeMap<u64, WaitingLane>,
    /// Lanes whose state came while they began to wait.
    ready: Vec<u64>,
    next: u64,
}

struct Dependency {
    relay: Arc<str>,
    state: Arc<MaterializedState>,
    absent: Absent<BoundState>,
    records: u64,
    branches: u64,
}

struct WaitingLane {
    key: LaneKey,
    /// What its first batch waits for, while it is counted there.
    dependency: Option<usize>,
    batches: VecDeque<Admitted>,
    records: u64,
}

/// What becomes of a batch that waits for nothing.
pub(crate) enum Release {
    Run(Bound),
    Skip,
}

impl Dependencies {
    /// `states` are those of the definition's dependencies, in written order.
    pub(crate) fn new(def: &EmitterDef, states: Vec<Arc<MaterializedState>>) -> Result<Self, StartError> {
        if states.len() != def.dependencies.len() {
            return Err(StartError::Parts {
                emitter: def.name.clone(),
                what: "not one state for each dependency",
            });
        }
        let pairs = def.dependencies.iter().zip(states);
        let list = pairs.map(|(dependency, state)| {
            let relay: Arc<str> = dependency.relay.name.as_str().into();
            let absent = match &dependency.resolution {
                nspl_model::Resolution::Wait => Absent::Wait,
                nspl_model::Resolution::Skip => Absent::Skip,
                nspl_model::Resolution::Default(literals) => {
                    Absent::Use(constant(&relay, &dependency.relay.schema, literals, &def.name)?)
                }
            };
            Ok(Dependency {
                relay,
                state,
                absent,
                records: 0,
                branches: 0,
            })
        });
        Ok(Self {
            list: list.collect::<Result<_, StartError>>()?,
            wakes: Arc::default(),
            lanes: AHashMap::new(),
            waiting: BTreeMap::new(),
            ready: Vec::new(),
            next: 0,
        })
    }

    /// What becomes of a batch of this lane that arrives now; nothing where it has to wait.
    pub(crate) fn decide(&self, lane: &LaneKey) -> Option<Release> {
        if self.lanes.contains_key(lane) {
            return None;
        }
        match self.resolve(lane) {
            Resolved::Bound(states) => Some(Release::Run(Bound::new(states))),
            Resolved::Skipped => Some(Release::Skip),
            Resolved::Waits(_) => None,
        }
    }

    /// Has a batch wait, behind those of its lane.
    pub(crate) fn park(&mut self, admitted: Admitted) {
        let records = admitted.records.num_rows() as u64;
        if let Some(lane) = self
            .lanes
            .get(&admitted.lane)
            .and_then(|id| self.waiting.get_mut(id))
        {
            lane.records += records;
            lane.batches.push_back(admitted);
            let counted = lane.dependency.and_then(|index| self.list.get_mut(index));
            counted
                .into_iter()
                .for_each(|dependency| dependency.records += records);
            return;
        }
        let id = self.next;
        self.next += 1;
        self.lanes.insert(admitted.lane.clone(), id);
        let lane = WaitingLane {
            key: admitted.lane.clone(),
            dependency: None,
            batches: VecDeque::from([admitted]),
            records,
        };
        self.waiting.insert(id, lane);
        self.watch(id);
    }

    /// Waits until a state has come. Cancel-safe.
    pub(crate) async fn woken(&self) {
        self.wakes.any().await;
    }

    /// The lanes whose state has come.
    pub(crate) fn take_woken(&mut self) -> Vec<u64> {
        let mut woken = self.wakes.take();
        woken.append(&mut self.ready);
        woken
    }

    /// The first batch of a woken lane with what becomes of it; none when it waits again, or nothing is left.
    pub(crate) fn release(&mut self, id: u64) -> Option<(Admitted, Release)> {
        self.uncount(id);
        let key = &self.waiting.get(&id)?.key;
        let release = match self.resolve(key) {
            Resolved::Bound(states) => Release::Run(Bound::new(states)),
            Resolved::Skipped => Release::Skip,
            Resolved::Waits(_) => {
                self.watch(id);
                return None;
            }
        };
        let lane = self.waiting.get_mut(&id)?;
        let admitted = lane.batches.pop_front();
        let records = admitted
            .as_ref()
            .map_or(0, |admitted| admitted.records.num_rows());
        lane.records -= records as u64;
        if lane.batches.is_empty()
            && let Some(lane) = self.waiting.remove(&id)
        {
            self.lanes.remove(&lane.key);
        }
        admitted.map(|admitted| (admitted, release))
    }

    /// What waits, for each dependency that something waits for.
    pub(crate) fn status(&self) -> Vec<WaitingStatus> {
        let waited_for = self.list.iter().filter(|dependency| dependency.branches > 0);
        let status = waited_for.map(|dependency| WaitingStatus {
            relay: Arc::clone(&dependency.relay),
            records: dependency.records,
            branches: dependency.branches,
        });
        status.collect()
    }

    /// Whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    fn resolve(&self, lane: &LaneKey) -> Resolved<BoundState> {
        resolve(self.list.iter().map(|dependency| &dependency.absent), |index| {
            let dependency = self.list.get(index)?;
            let latest = dependency.state.known(lane.branch.as_ref())?;
            Some(BoundState::latest(&dependency.relay, latest))
        })
    }

    /// Watches for the state that the lane lacks now; one that has come meanwhile makes it ready.
    fn watch(&mut self, id: u64) {
        let Some(lane) = self.waiting.get(&id) else {
            return;
        };
        let Resolved::Waits(index) = self.resolve(&lane.key) else {
            return self.ready.push(id);
        };
        let Some(dependency) = self.list.get_mut(index) else {
            return;
        };
        if dependency
            .state
            .watch(lane.key.branch.as_ref(), &self.wakes, id)
            .is_some()
        {
            return self.ready.push(id);
        }
        dependency.records += lane.records;
        dependency.branches += 1;
        if let Some(lane) = self.waiting.get_mut(&id) {
            lane.dependency = Some(index);
        }
    }

    fn uncount(&mut self, id: u64) {
        let Some(lane) = self.waiting.get_mut(&id) else {
            return;
        };
        if let Some(dependency) = lane.dependency.take().and_then(|index| self.list.get_mut(index)) {
            dependency.records -= lane.records;
            dependency.branches -= 1;
        }
    }
}
