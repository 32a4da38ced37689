//! The service `nervix.v1.Control`.

use std::sync::Arc;

use futures::{Stream, StreamExt, stream::BoxStream};
use nervix_proto::v1::{
    self, CompleteRequest, CompleteResponse, DescribeEntityRequest, DescribeEntityResponse, Entity, Event,
    ExecuteRequest, ExecuteResponse, GetClusterStatusRequest, GetClusterStatusResponse, ListEntitiesRequest,
    ListEntitiesResponse, Node, UploadResourceRequest, UploadResourceResponse, ValidateRequest,
    ValidateResponse, WatchEventsRequest, control_server::Control,
};
use nspl::model::{EntityKey, EntityKind};
use tonic::{Request, Response, Status, Streaming};

use super::{
    Stopping,
    answer::{diagnostics, emitter_status, property, result},
    completion,
    forward::{self, OtherControlPlanes},
    refused, uploads,
};
use crate::{
    catalog::{State, missing, no_domain},
    change::{Caller, Changes, Refusal, Script, Turns},
    describe::Reader,
    tasks::Tasks,
};

/// The file's name in diagnostics when the caller gives none.
const DEFAULT_FILE: &str = "script";

pub(super) struct ControlApi {
    pub(super) changes: Changes,
    pub(super) others: Arc<OtherControlPlanes>,
    pub(super) tasks: Tasks,
    pub(super) stopping: Stopping,
}

#[tonic::async_trait]
impl Control for ControlApi {
    async fn execute(&self, request: Request<ExecuteRequest>) -> Result<Response<ExecuteResponse>, Status> {
        let forwarded = forward::was_forwarded(request.metadata());
        let request = request.into_inner();
        let script = script_of(
            request.script.clone(),
            request.domain.clone(),
            request.file.clone(),
        );
        if !forwarded
            && let Some(address) = self.changes.passed_on_to(&script).await
            && let Some(answer) = self
                .others
                .execute(&address, &request, self.changes.drain_bound)
                .await
        {
            return answer;
        }
        // A caller that goes away does not leave a drain half done: what has begun is carried through without it.
        let caller = Caller::default();
        let _waits = caller.waits();
        let (changes, own) = (self.changes.clone(), Arc::clone(&script));
        let carried_out = self
            .tasks
            .attend("a script", async move { changes.execute(&own, &caller).await });
        let executed = carried_out
            .await
            .map_err(|_| Status::internal("the script ended early; see the log"))?;
        Ok(Response::new(ExecuteResponse {
            diagnostics: diagnostics(&self.changes, script, executed.findings).await,
            results: executed.results.into_iter().map(result).collect(),
            domain: executed.domain.unwrap_or_default(),
        }))
    }

    async fn validate(
        &self,
        request: Request<ValidateRequest>,
    ) -> Result<Response<ValidateResponse>, Status> {
        let ValidateRequest { script, domain, file } = request.into_inner();
        let script = script_of(script, domain, file);
        let foreseen = self.changes.validate(&script).await;
        Ok(Response::new(ValidateResponse {
            diagnostics: diagnostics(&self.changes, script, foreseen.findings).await,
            results: foreseen.results.into_iter().map(result).collect(),
        }))
    }

    async fn complete(
        &self,
        request: Request<CompleteRequest>,
    ) -> Result<Response<CompleteResponse>, Status> {
        let state = self.changes.catalog.state();
        Ok(Response::new(completion::answer(&request.into_inner(), &state)))
    }

    async fn list_entities(
        &self,
        request: Request<ListEntitiesRequest>,
    ) -> Result<Response<ListEntitiesResponse>, Status> {
        let ListEntitiesRequest { domain, kind } = request.into_inner();
        let kind = if kind.is_empty() {
            None
        } else {
            Some(kind_of(&kind)?)
        };
        let state = self.changes.catalog.state();
        if !domain.is_empty() && state.catalog.domain(&domain).is_none() {
            return Err(refused::not_found(&no_domain(&state.catalog, &domain)));
        }
        let revision = state.revision().0;
        let domain = Some(domain).filter(|domain| !domain.is_empty());
        let entities = listed(&self.changes.turns, state, domain, kind)
            .await
            .map_err(|busy| Status::resource_exhausted(busy.to_string()))?;
        Ok(Response::new(ListEntitiesResponse { entities, revision }))
    }

    async fn describe_entity(
        &self,
        request: Request<DescribeEntityRequest>,
    ) -> Result<Response<DescribeEntityResponse>, Status> {
        let forwarded = forward::was_forwarded(request.metadata());
        let request = request.into_inner();
        if let Some(address) = self.changes.owner_elsewhere().filter(|_| !forwarded)
            && let Some(answer) = self.others.describe(&address, &request).await
        {
            return answer;
        }
        let DescribeEntityRequest { domain, kind, name } = request;
        let key = EntityKey::new(kind_of(&kind)?, name.as_str());
        let state = self.changes.catalog.state();
        let Some(entity) = state.catalog.get(&domain, &key) else {
            return Err(refused::not_found(&missing(&state.catalog, &domain, &key)));
        };
        let entity = entity_of(&state, &domain, entity);
        let reader = Reader {
            state: state.clone(),
            cluster: &self.changes.cluster,
        };
        let described = reader.describe(&domain, &key, &state.catalog).await;
        let emitter_status = emitter_status(&described)?;
        let properties = described.lines.into_iter().map(property).collect();
        Ok(Response::new(DescribeEntityResponse {
            entity: Some(entity),
            properties,
            emitter_status,
        }))
    }

    async fn get_cluster_status(
        &self,
        request: Request<GetClusterStatusRequest>,
    ) -> Result<Response<GetClusterStatusResponse>, Status> {
        let state = self.changes.catalog.state();
        let revision = state.revision().0;
        let cluster = &self.changes.cluster;
        let nodes = if forward::was_forwarded(request.metadata()) {
            cluster.own_nodes(&state)
        } else {
            cluster.nodes(&state).await
        };
        let nodes = nodes.into_iter().map(|node| Node {
            name: node.name,
            flight_address: node.flight_address,
            state: node.state.word().into(),
            kinds: node.kinds,
            applied_revision: node.applied_revision,
            last_seen_s: node.last_seen_s,
        });
        Ok(Response::new(GetClusterStatusResponse {
            nodes: nodes.collect(),
            revision,
        }))
    }

    type WatchEventsStream = BoxStream<'static, Result<Event, Status>>;

    async fn watch_events(
        &self,
        request: Request<WatchEventsRequest>,
    ) -> Result<Response<Self::WatchEventsStream>, Status> {
        let WatchEventsRequest { domain } = request.into_inner();
        let events = self.changes.events.watch().take_until(self.stopping.clone());
        Ok(Response::new(of_domain(events, domain).boxed()))
    }

    async fn upload_resource(
        &self,
        request: Request<Streaming<UploadResourceRequest>>,
    ) -> Result<Response<UploadResourceResponse>, Status> {
        // A caller that goes away must not leave behind what was stored: the upload is ended without it.
        let (changes, stopping) = (self.changes.clone(), self.stopping.clone());
        let stream = request.into_inner();
        let received = self.tasks.attend("an upload", async move {
            uploads::receive(&changes, stream, stopping).await
        });
        received
            .await
            .map_err(|_| Status::internal("the upload ended early; see the log"))?
            .map(Response::new)
    }
}

fn script_of(text: String, domain: String, file: String) -> Arc<Script> {
    Arc::new(Script {
        file: if file.is_empty() {
            DEFAULT_FILE.into()
        } else {
            file
        },
        text,
        domain: (!domain.is_empty()).then_some(domain),
    })
}

fn kind_of(words: &str) -> Result<EntityKind, Status> {
    EntityKind::from_words(words).ok_or_else(|| {
        let known: Vec<_> = EntityKind::ALL.iter().map(|kind| kind.words()).collect();
        refused::invalid(&format!(
            "kinds of entities are {}; this is none: {words:?}",
            known.join(", ")
        ))
    })
}

/// The entities of a domain, or of all, that are of this kind. Each statement is read to mask its secrets, which takes a turn.
async fn listed(
    turns: &Turns,
    state: Arc<State>,
    domain: Option<String>,
    kind: Option<EntityKind>,
) -> Result<Vec<Entity>, Refusal> {
    let mut found = Vec::new();
    for name in state.catalog.domains() {
        if domain.as_ref().is_some_and(|domain| **domain != *name) {
            continue;
        }
        let own = state.catalog.domain_entity(&name).cloned();
        let all = own.into_iter().chain(state.catalog.entities(&name));
        let wanted = all.filter(|entity| kind.is_none_or(|kind| entity.key.kind == kind));
        found.extend(wanted.map(|entity| (Arc::clone(&name), entity)));
    }
    let bytes = found.iter().map(|(_, entity)| entity.text.len()).sum();
    let found: Arc<[_]> = found.into();
    let masking = move |is_wanted: &dyn Fn() -> bool| {
        let mut entities = Vec::new();
        for (domain, entity) in found.iter() {
            entities.push(is_wanted().then(|| entity_of(&state, domain, entity))?);
        }
        Some(entities)
    };
    turns.take(bytes, masking).await
}

fn entity_of(state: &State, domain: &str, entity: &nspl::Entity) -> Entity {
    Entity {
        domain: domain.into(),
        kind: entity.key.kind.words().into(),
        name: entity.key.name.to_string(),
        statement: nspl::masked(entity),
        modified_revision: state.modified(domain, &entity.key),
    }
}

/// Events of one domain, or all; those that belong to no domain go to everybody.
fn of_domain(
    events: impl Stream<Item = crate::events::Event> + Send + 'static,
    domain: String,
) -> impl Stream<Item = Result<Event, Status>> + Send {
    events.filter_map(move |event| {
        let wanted = domain.is_empty() || event.domain.is_empty() || event.domain == domain;
        let event = wanted.then(|| {
            Ok(v1::Event {
                at_ns: event.at_ns,
                domain: event.domain,
                entity_kind: event.entity_kind,
                entity_name: event.entity_name,
                kind: event.kind,
                message: event.message,
                node: event.node,
            })
        });
        std::future::ready(event)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex, mpsc::channel};

    use futures::FutureExt;
    use nervix_clock::PhysicalClock;
    use nervix_store::{Change, Revision, Snapshot};

    use super::listed;
    use crate::{catalog::State, change::Turns};

    /// More than may have a turn at once.
    const HELD: usize = 64;

    #[tokio::test]
    async fn a_listing_takes_a_turn_as_scripts_do() {
        let put = |key: &str, value: &'static str| Change::Put {
            key: key.into(),
            value: value.into(),
        };
        let mut snapshot = Snapshot::default();
        let domain = put("domain/d", "CREATE UNPACED DOMAIN d;");
        snapshot.apply(Revision(1), &[put("format", "1"), domain]);
        let state = Arc::new(State::of(snapshot).unwrap());
        let turns = Turns::new(PhysicalClock::system());
        let (end, ends) = channel::<()>();
        let ends = Arc::new(Mutex::new(ends));
        let holding = || {
            let ends = Arc::clone(&ends);
            Box::pin(turns.take_again(1, move |_| ends.lock().unwrap().recv().err()))
        };
        let mut held: Vec<_> = (0..HELD).map(|_| holding()).collect();
        assert!(held.iter_mut().all(|one| one.now_or_never().is_none()));
        let mut listing = Box::pin(listed(&turns, state, None, None));
        assert!((&mut listing).now_or_never().is_none(), "others have all turns");
        drop(end);
        for one in held {
            one.await;
        }
        let names: Vec<String> = listing.await.unwrap().into_iter().map(|one| one.name).collect();
        assert_eq!(names, ["d"]);
    }
}
