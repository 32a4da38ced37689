//! One statement of a script.

use crate::alter::Alter;
use crate::domain::Start;
use crate::entity::{Create, EntityRef};
use crate::grammar::{Failure, Rule, Tokens, input, keyword, name, whole_statement};
use crate::name::Name;
use crate::node::NodeStatement;
use crate::printer::{Print, Printer};
use crate::resource::UploadResource;
use crate::show::{Describe, Show};
use crate::token::Source;
use crate::{alter, domain, entity, expression, node, resource, show};
use chumsky::inspector::SimpleState;
use chumsky::prelude::{Parser, choice};

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Statement {
    /// `CREATE ...`
    Create(Create),
    /// `ALTER ...`
    Alter(Alter),
    /// `DROP <KIND> name`; `DROP NODE` is a node statement.
    Drop(EntityRef),
    /// `SHOW ...`
    Show(Show),
    /// `DESCRIBE ...`
    Describe(Describe),
    /// `USE d`
    Use(Name),
    /// `START ...`
    Start(Start),
    /// `STOP`
    Stop,
    /// `BEGIN`
    Begin,
    /// `COMMIT`
    Commit,
    /// `REVERT`
    Revert,
    /// `UPLOAD RESOURCE ...`
    Upload(UploadResource),
    /// `CORDON|UNCORDON|DRAIN|DROP NODE n`
    Node(NodeStatement),
}

impl Statement {
    /// Whether it creates, alters or drops something that lives in a domain: what a transaction is made of
    /// (rulings section 1).
    #[must_use]
    pub const fn is_model(&self) -> bool {
        match self {
            Self::Create(create) => !matches!(create.entity.kind(), crate::entity::Kind::Domain),
            Self::Drop(target) => !matches!(target.kind, crate::entity::Kind::Domain),
            Self::Alter(_) => true,
            _ => false,
        }
    }

    /// Whether it only reads.
    #[must_use]
    pub const fn is_reading(&self) -> bool {
        matches!(self, Self::Show(_) | Self::Describe(_))
    }
}

thread_local! {
    /// Building it takes as long as reading some hundred statements.
    static RULE: Rule<'static, Statement> = rule();
}

/// Reads a statement, or tells every place where reading stopped, the furthest last.
pub(crate) fn read(tokens: Tokens<'_>, source: &Source) -> Result<Statement, Vec<Failure>> {
    let mut source = SimpleState(source.clone());
    RULE.with(|rule| rule.parse_with_state(input(tokens), &mut source).into_result())
}

/// The grammar of statements, with nothing behind.
fn rule<'t>() -> Rule<'t, Statement> {
    let expression = expression::rule();
    let statement = choice((
        entity::create_rule(&expression).map(Statement::Create).boxed(),
        alter::rule(&expression).map(Statement::Alter).boxed(),
        keyword("DROP")
            .ignore_then(entity::reference())
            .map(Statement::Drop)
            .boxed(),
        show::show_rule().map(Statement::Show).boxed(),
        show::describe_rule().map(Statement::Describe).boxed(),
        keyword("USE")
            .ignore_then(name(domain::DOMAIN))
            .map(Statement::Use)
            .boxed(),
        domain::start_rule().map(Statement::Start).boxed(),
        keyword("STOP").map(|_| Statement::Stop).boxed(),
        keyword("BEGIN").map(|_| Statement::Begin).boxed(),
        keyword("COMMIT").map(|_| Statement::Commit).boxed(),
        keyword("REVERT").map(|_| Statement::Revert).boxed(),
        resource::upload_rule().map(Statement::Upload).boxed(),
        node::rule().map(Statement::Node).boxed(),
    ));
    whole_statement(statement.boxed())
}

impl Print for Statement {
    fn print(&self, printer: &mut Printer) {
        match self {
            Self::Create(create) => printer.node(create),
            Self::Alter(alter) => printer.node(alter),
            Self::Drop(target) => printer.put("DROP ").node(target),
            Self::Show(show) => printer.node(show),
            Self::Describe(describe) => printer.node(describe),
            Self::Use(domain) => printer.put("USE ").node(domain),
            Self::Start(start) => printer.node(start),
            Self::Stop => printer.put("STOP"),
            Self::Begin => printer.put("BEGIN"),
            Self::Commit => printer.put("COMMIT"),
            Self::Revert => printer.put("REVERT"),
            Self::Upload(upload) => printer.node(upload),
            Self::Node(statement) => printer.node(statement),
        };
    }
}
