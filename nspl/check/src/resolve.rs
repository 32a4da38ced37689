//! From one tree to its definition, against the world it would live in.
//!
//! What an entity refers to is judged before it, kind by kind. Something that is wrong by itself hides its users'
//! faults: they are judged as far as possible and say nothing about what they cannot see.

mod batch;
mod branch;
mod branch_keys;
mod client;
mod codec;
mod construction;
mod dependency;
mod domain;
mod emitter;
mod error_policy;
mod flush;
mod headers;
mod ingestor;
mod mapping;
mod mode;
mod relay;
mod resource;
mod schema;
mod sink;
mod source;
mod wire_schema;

use std::collections::BTreeSet;
use std::sync::Arc;

use nspl_model::{
    BranchDef, ClientDef, ClientKind, CodecDef, DataType, Definition, EntityKey, EntityKind, RelayDef,
    ResourceDef, Schema,
};
use nspl_syntax::entity::Entity;
use nspl_syntax::{Name, expression as tree};

use crate::expression::{Environment, Typed, Typer};
use crate::rules;
use crate::world::{Sight, World};
use crate::{Diagnostic, Severity};

pub(crate) use domain::domain;

/// What became of one entity.
pub(crate) struct Resolution {
    /// `None` when a fault leaves it without meaning.
    pub(crate) definition: Option<Definition>,
    /// What it refers to, existing or not.
    pub(crate) refers: BTreeSet<EntityKey>,
    /// In no particular order.
    pub(crate) faults: Vec<Diagnostic>,
}

/// Judges one entity.
pub(crate) fn resolve(world: &World<'_>, key: &EntityKey, entity: &Entity) -> Resolution {
    let mut resolver = Resolver {
        world,
        owner: key,
        faults: Vec::new(),
        refers: BTreeSet::new(),
        sites: 0,
    };
    let definition = match entity {
        Entity::Domain(tree) => domain(tree, &mut resolver.faults).map(Definition::Domain),
        Entity::Schema(tree) => resolver.schema_definition(tree).map(Definition::Schema),
        Entity::Branch(tree) => resolver.branch_definition(tree).map(Definition::Branch),
        Entity::Relay(tree) => resolver.relay_definition(tree).map(Definition::Relay),
        Entity::Ingestor(tree) => resolver.ingestor_definition(tree).map(Definition::Ingestor),
        Entity::Emitter(tree) => resolver.emitter_definition(tree).map(Definition::Emitter),
        Entity::Client(tree) => resolver.client_definition(tree).map(Definition::Client),
        Entity::Resource(tree) => Some(Definition::Resource(Arc::new(ResourceDef {
            name: tree.name.text.clone(),
        }))),
        Entity::WireSchema(tree) => resolver.wire_schema_definition(tree).map(Definition::WireSchema),
        Entity::Codec(tree) => resolver.codec_definition(tree).map(Definition::Codec),
    };
    Resolution {
        definition,
        refers: resolver.refers,
        faults: resolver.faults,
    }
}

/// Judges one entity and remembers what it refers to.
struct Resolver<'w> {
    world: &'w World<'w>,
    owner: &'w EntityKey,
    faults: Vec<Diagnostic>,
    refers: BTreeSet<EntityKey>,
    /// Volatile calls so far.
    sites: u32,
}

impl Resolver<'_> {
    /// Whether nothing was refused since there were so many faults.
    fn is_clean_since(&self, faults_before: usize) -> bool {
        let mut since = self.faults.iter().skip(faults_before);
        !since.any(|fault| fault.severity == Severity::Error)
    }

    fn refer(&mut self, kind: EntityKind, name: &Name) -> Option<Definition> {
        let key = EntityKey::new(kind, name.text.as_str());
        self.refers.insert(key.clone());
        match self.world.sight(&key) {
            Sight::Known(definition) => Some(definition),
            Sight::Hidden => None,
            Sight::Missing { dropped } => {
                let near = self.world.nearest(kind, &name.text);
                self.faults.push(rules::missing_reference::fault(
                    name.span, self.owner, &key, dropped, near,
                ));
                None
            }
        }
    }

    fn schema(&mut self, name: &Name) -> Option<Arc<Schema>> {
        match self.refer(EntityKind::Schema, name)? {
            Definition::Schema(schema) => Some(schema),
            _ => None,
        }
    }

    fn branch(&mut self, name: &Name) -> Option<Arc<BranchDef>> {
        match self.refer(EntityKind::Branch, name)? {
            Definition::Branch(branch) => Some(branch),
            _ => None,
        }
    }

    fn relay(&mut self, name: &Name) -> Option<Arc<RelayDef>> {
        match self.refer(EntityKind::Relay, name)? {
            Definition::Relay(relay) => Some(relay),
            _ => None,
        }
    }

    fn codec(&mut self, name: &Name) -> Option<Arc<CodecDef>> {
        match self.refer(EntityKind::Codec, name)? {
            Definition::Codec(codec) => Some(codec),
            _ => None,
        }
    }

    /// The CLIENT that a clause connects by; it is of the kind that the clause needs.
    fn client(&mut self, name: &Name, kind: ClientKind) -> Option<Arc<ClientDef>> {
        match self.refer(EntityKind::Client, name)? {
            Definition::Client(client) if client.kind == kind => Some(client),
            Definition::Client(client) => {
                self.faults
                    .push(rules::client_of_kind::fault(name.span, &client, kind));
                None
            }
            _ => None,
        }
    }

    fn typer<'t>(&'t mut self, env: &'t Environment<'t>) -> Typer<'t> {
        Typer::new(env, &mut self.faults, &mut self.sites, self.world.patterns())
    }

    fn condition(&mut self, env: &Environment<'_>, node: &tree::Expr, what: &str) -> Option<Typed> {
        self.typer(env).condition(node, what)
    }

    fn value(&mut self, env: &Environment<'_>, node: &tree::Expr, target: Target<'_>) -> Option<Typed> {
        let Some(field) = target.field else {
            self.typer(env).anything(node);
            return None;
        };
        let what = format!("{} {}", target.what, field.name);
        let typed = self.typer(env).value(node, &field.data_type, &what)?;
        let nullable = typed.expr.nullable && !field.optional;
        let sensitive = typed.expr.sensitive && !target.boundary.admits(field.sensitive);
        self.admit(typed, &what, (nullable, sensitive), target.boundary)
    }

    /// A text that leaves the system beside the record: exact, non-null STRING, nothing sensitive.
    fn external_text(&mut self, env: &Environment<'_>, node: &tree::Expr, what: &str) -> Option<Typed> {
        let typed = self.typer(env).value(node, &DataType::String, what)?;
        let faults = (typed.expr.nullable, typed.expr.sensitive);
        self.admit(typed, what, faults, Boundary::External)
    }

    fn admit(
        &mut self,
        typed: Typed,
        what: &str,
        (nullable, sensitive): (bool, bool),
        boundary: Boundary,
    ) -> Option<Typed> {
        if nullable {
            self.faults.push(rules::nullable_value::fault(typed.span, what));
        }
        if sensitive {
            self.faults
                .push(rules::sensitive_value::fault(typed.span, what, boundary));
        }
        (!nullable && !sensitive).then_some(typed)
    }
}

/// What a value is for.
#[derive(Clone, Copy)]
struct Target<'f> {
    /// `None`: it has no known field, which has been reported.
    field: Option<&'f nspl_model::Field>,
    /// The clause, as in "SET" or "the key".
    what: &'f str,
    boundary: Boundary,
}

/// Where a value goes, for the rules of sensitivity (rulings section 6).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Boundary {
    /// Out of the system: nothing sensitive.
    External,
    /// Into the graph: sensitive values into SENSITIVE fields.
    Graph,
}

impl Boundary {
    fn admits(self, field_is_sensitive: bool) -> bool {
        self == Boundary::Graph && field_is_sensitive
    }
}
