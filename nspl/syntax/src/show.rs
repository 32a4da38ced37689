//! Reading statements: SHOW and DESCRIBE (companion section 2).

use crate::entity;
use crate::entity::{EntityRef, Kind};
use crate::grammar::{Rule, choice_of, keyword, name, phrase};
use crate::name::Name;
use crate::printer::{Print, Printer};
use chumsky::prelude::{Parser, choice};

/// A SHOW statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Show {
    /// `SHOW CREATE <KIND> name`
    Create(EntityRef),
    /// `SHOW <KIND>S`
    List(Kind),
    /// `SHOW CLUSTER STATUS`
    ClusterStatus,
}

/// A DESCRIBE statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Describe {
    /// `DESCRIBE <KIND> name`, any kind but DOMAIN.
    Entity(EntityRef),
    /// `DESCRIBE DOMAIN [d]`: the session's domain without a name.
    Domain(Option<Name>),
}

pub(crate) fn show_rule<'t>() -> Rule<'t, Show> {
    let create = keyword("CREATE")
        .ignore_then(entity::reference())
        .map(Show::Create)
        .boxed();
    let plurals: Vec<_> = Kind::ALL
        .into_iter()
        .map(|kind| choice_of(kind.plural(), kind).map(Show::List).boxed())
        .collect();
    let status = phrase("CLUSTER STATUS").map(|_| Show::ClusterStatus).boxed();
    keyword("SHOW")
        .ignore_then(choice((create, choice(plurals).boxed(), status)))
        .boxed()
}

pub(crate) fn describe_rule<'t>() -> Rule<'t, Describe> {
    let domain = keyword("DOMAIN")
        .ignore_then(name("a domain name").or_not())
        .map(Describe::Domain)
        .boxed();
    let entity = entity::reference_but_domain().map(Describe::Entity).boxed();
    keyword("DESCRIBE").ignore_then(choice((domain, entity))).boxed()
}

impl Print for Show {
    fn print(&self, printer: &mut Printer) {
        match self {
            Self::Create(target) => printer.put("SHOW CREATE ").node(target),
            Self::List(kind) => printer.put("SHOW ").put(kind.plural()),
            Self::ClusterStatus => printer.put("SHOW CLUSTER STATUS"),
        };
    }
}

impl Print for Describe {
    fn print(&self, printer: &mut Printer) {
        match self {
            Self::Entity(target) => printer.put("DESCRIBE ").node(target),
            Self::Domain(None) => printer.put("DESCRIBE DOMAIN"),
            Self::Domain(Some(name)) => printer.put("DESCRIBE DOMAIN ").node(name),
        };
    }
}
