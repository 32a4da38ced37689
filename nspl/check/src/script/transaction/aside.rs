//! What a script says and its candidate does not hold: what a later operation of ALTER overwrites, a definition that was
//! refused, a statement that is broken.
//!
//! It is judged beside the candidate, in the world of its transaction. Its faults are told, and nothing else comes of it.

use std::ops::Range;
use std::sync::Arc;

use nspl_model::EntityKey;
use nspl_syntax::entity::{Create, Entity as Tree};
use nspl_syntax::sink::SinkTarget;
use nspl_syntax::sink::otel::Signal;
use nspl_syntax::{Span, Spanned, Statement};

use super::{Draft, Site};
use crate::candidate::Judged;
use crate::resolve::resolve;
use crate::script::model_kind;
use crate::world::{Slot, Surroundings, Unseen, World};
use crate::{Diagnostic, rules, stored};

/// What of one transaction is judged aside though it is much longer than the words that say so.
const LONG_ASIDES_MAX: usize = 256;

/// An entity as some words of the script have it.
pub(super) struct Aside {
    pub(super) key: EntityKey,
    /// A fault counts when all of these have it.
    pub(super) trees: Vec<Arc<Tree>>,
    pub(super) counted: Counted,
}

/// Which of its faults count.
pub(in crate::script) enum Counted {
    /// Those within one place.
    Within(Span),
    /// Those that places of the script, or of this statement of it, have by themselves, and that none of these has, which
    /// may not say what was meant.
    Apart {
        statement: Option<Range<usize>>,
        doubted: Vec<Span>,
    },
}

impl Aside {
    /// The faults that count, in no particular order.
    fn faults(&self, world: &World<'_>) -> Vec<Diagnostic> {
        let mut each = self
            .trees
            .iter()
            .map(|tree| resolve(world, &self.key, tree).faults);
        let mut common = each.next().unwrap_or_default();
        for others in each {
            common.retain(|fault| others.contains(fault));
        }
        common.retain(|fault| self.counted.counts(fault));
        common
    }
}

impl Counted {
    /// Those of a broken statement.
    pub(in crate::script) fn of(broken: &nspl_syntax::Broken) -> Counted {
        Counted::Apart {
            statement: Some(broken.span.range()),
            doubted: broken.doubted.clone(),
        }
    }

    pub(in crate::script) fn counts(&self, fault: &Diagnostic) -> bool {
        match self {
            Counted::Within(place) => place.start <= fault.span.start && fault.span.end <= place.end,
            Counted::Apart { statement, doubted } => {
                let inside = |place: &Range<usize>| match statement {
                    Some(statement) => statement.start <= place.start && place.end <= statement.end,
                    None => stored::in_script(place),
                };
                let written = |place: &Range<usize>| {
                    let touches = |doubted: &Span| doubted.start <= place.end && place.start <= doubted.end;
                    inside(place) && !place.is_empty() && !doubted.iter().any(touches)
                };
                let mut places = fault.labels.iter().map(|label| &label.span).chain([&fault.span]);
                places.all(written) && !rules::is_relation(fault.code)
            }
        }
    }
}

impl Draft<'_> {
    pub(super) fn long_aside(&mut self, aside: Aside) {
        if self.long_asides < LONG_ASIDES_MAX {
            self.long_asides += 1;
            self.asides.push(aside);
        }
    }

    /// A definition that does not count.
    pub(super) fn create_aside(&mut self, create: &Create, counted: Counted) {
        let key = EntityKey::new(
            model_kind(create.entity.kind()),
            create.entity.name().text.as_str(),
        );
        self.asides.push(Aside {
            key,
            trees: vec![Arc::new(create.entity.clone())],
            counted,
        });
    }

    /// A broken statement, for what it says where it could be read.
    pub(in crate::script) fn broken(
        &mut self,
        (broken, tree): (&nspl_syntax::Broken, &Statement),
        hidden: &Unseen,
        faults: &mut Vec<Diagnostic>,
    ) {
        let site = Site {
            span: broken.span,
            hidden,
        };
        if let Statement::Alter(alter) = tree {
            return self.alter_brokenly(alter, site, &broken.doubted, faults);
        }
        self.close_altering();
        let counted = Counted::of(broken);
        match tree {
            Statement::Create(create) if knows_kind(&create.entity, &broken.doubted) => {
                self.create_aside(create, counted);
            }
            Statement::Drop(target) => {
                let key = EntityKey::new(model_kind(target.kind), target.name.text.as_str());
                let mut found = Vec::new();
                self.exists((&key, target.name.span), site, &mut found);
                faults.extend(found.into_iter().filter(|fault| counted.counts(fault)));
            }
            _ => {}
        }
    }

    /// What is wrong with what the candidate does not hold, and is not reported where it stands already.
    pub(super) fn faults_aside(
        &mut self,
        judged: &Judged,
        surroundings: Surroundings<'_>,
        hidden: &Unseen,
    ) -> Vec<Diagnostic> {
        let doubted = std::mem::take(&mut self.doubted).into_iter().map(Aside::from);
        let asides: Vec<Aside> = std::mem::take(&mut self.asides)
            .into_iter()
            .chain(doubted)
            .collect();
        if asides.is_empty() {
            return Vec::new();
        }
        let hidden = self.hidden(hidden);
        let mut world = World::new(&self.base, self.domain(), &self.overlay, surroundings, hidden);
        for (key, _) in self
            .overlay
            .iter()
            .filter(|(_, slot)| matches!(slot, Slot::Defined(_)))
        {
            // What has a fault of its own keeps its old definition, or has none: either hides nothing that is wrong.
            let definition = judged
                .catalog
                .get(self.domain(), key)
                .map(|entity| entity.definition.clone());
            world.resolved.insert(key.clone(), definition);
        }
        let mut found = Vec::new();
        for aside in asides {
            if !(surroundings.is_wanted)() {
                break;
            }
            let mut faults = aside.faults(&world);
            faults.retain(|fault| !judged.faults.contains(fault));
            found.append(&mut faults);
        }
        found
    }
}

/// Whether a broken definition says what kind of thing it defines: everything else in it is judged by that.
fn knows_kind(tree: &Tree, doubted: &[Span]) -> bool {
    let said = match tree {
        Tree::Emitter(emitter) => {
            let start = emitter.sink.span.start;
            let signal = match &emitter.sink.target {
                SinkTarget::Otel(otel) => Some(signal(&otel.signal)),
                _ => None,
            };
            [Some(start..start), signal]
        }
        Tree::Client(client) => [Some(client.kind.span.range()), None],
        Tree::Codec(codec) => [Some(codec.name.span.end..codec.schema.span.start), None],
        _ => return true,
    };
    let touches = |said: &Range<usize>| {
        doubted
            .iter()
            .any(|place| place.start <= said.end && said.start <= place.end)
    };
    !said.iter().flatten().any(touches)
}

/// Where an OTEL emitter says which keys its values have.
fn signal(signal: &Spanned<Signal>) -> Range<usize> {
    match &signal.node {
        Signal::Metric(metric) => metric.shape.span.range(),
        Signal::Logs | Signal::Traces => signal.span.range(),
    }
}
