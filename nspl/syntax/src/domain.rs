//! Domains: `CREATE DOMAIN`, `USE`, `START` and `STOP` (companion section 2).

use crate::expression::Number;
use crate::grammar::{Rule, accept, keyword, located, name, phrase, text};
use crate::name::{Name, Text};
use crate::printer::{Print, Printer};
use crate::quantity::{Duration, duration};
use crate::span::{Span, Spanned};
use crate::token::TokenKind;
use chumsky::prelude::{Parser, choice};

/// `[UNPACED] DOMAIN d` or `PACED DOMAIN d WITH PERIOD p SKEW s`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Domain {
    /// The name of the domain.
    pub name: Name,
    /// How its time runs.
    pub pacing: Pacing,
}

/// How the time of a domain runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pacing {
    /// Domain time is the wall clock.
    Unpaced,
    /// Domain time runs from the START instant.
    Paced {
        /// The period.
        period: Duration,
        /// The skew.
        skew: Duration,
    },
}

/// `START [AT ... [TIME RATE f]]`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Start {
    /// The instant domain time starts at.
    pub at: Option<StartAt>,
    /// The rate of domain time; only behind AT.
    pub rate: Option<Spanned<Number>>,
    /// Where the statement stands.
    pub span: Span,
}

/// The instant of START AT.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StartAt {
    /// `NOW`
    Now(Span),
    /// A quoted RFC 3339 instant; that it is one is the checker's rule.
    Instant(Text),
}

/// The label of a place for a domain's name.
pub(crate) const DOMAIN: &str = "a domain name";

pub(crate) fn rule<'t>() -> Rule<'t, Domain> {
    let plain = choice((phrase("UNPACED DOMAIN"), keyword("DOMAIN"))).ignore_then(name(DOMAIN));
    let plain = plain
        .map(|name| Domain {
            name,
            pacing: Pacing::Unpaced,
        })
        .boxed();
    let clock = phrase("WITH PERIOD")
        .ignore_then(duration())
        .then_ignore(keyword("SKEW"))
        .then(duration());
    let paced = phrase("PACED DOMAIN").ignore_then(name(DOMAIN)).then(clock);
    let paced = paced
        .map(|(name, (period, skew))| Domain {
            name,
            pacing: Pacing::Paced { period, skew },
        })
        .boxed();
    choice((plain, paced)).boxed()
}

pub(crate) fn start_rule<'t>() -> Rule<'t, Start> {
    let now = keyword("NOW").map(StartAt::Now).boxed();
    let instant = text("a quoted RFC 3339 instant").map(StartAt::Instant).boxed();
    let rate = accept("a number", |token| {
        (token.kind == TokenKind::Number).then(|| {
            Spanned::new(
                Number {
                    text: token.text.to_owned(),
                },
                token.span,
            )
        })
    });
    let rate = phrase("TIME RATE").ignore_then(rate).or_not();
    let at = keyword("AT")
        .ignore_then(choice((now, instant)))
        .then(rate)
        .or_not();
    located(keyword("START").ignore_then(at), |at, span| {
        let (at, rate) = at.map_or((None, None), |(at, rate)| (Some(at), rate));
        Start { at, rate, span }
    })
}

impl Print for Domain {
    fn print(&self, printer: &mut Printer) {
        match &self.pacing {
            Pacing::Unpaced => printer.put("UNPACED DOMAIN ").node(&self.name),
            Pacing::Paced { period, skew } => {
                let domain = printer.put("PACED DOMAIN ").node(&self.name);
                domain.put(" WITH PERIOD ").node(period).put(" SKEW ").node(skew)
            }
        };
    }
}

impl Print for Start {
    fn print(&self, printer: &mut Printer) {
        printer.put("START");
        match &self.at {
            None => return,
            Some(StartAt::Now(_)) => printer.put(" AT NOW"),
            Some(StartAt::Instant(instant)) => printer.put(" AT ").node(instant),
        };
        if let Some(rate) = &self.rate {
            printer.put(" TIME RATE ").put(&rate.text);
        }
    }
}
