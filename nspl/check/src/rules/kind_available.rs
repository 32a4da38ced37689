//! Nothing is accepted that no worker can run (rulings section 9).

use nspl_model::{Build, EntityKey, SinkKind, SourceBuild, SourceKind};
use nspl_syntax::Span;

use crate::rule::Rule;
use crate::{Diagnostic, Settings};

pub(crate) const RULE: Rule = Rule {
    code: "E1221",
    title: "apply: some worker was built with the kind of sink or source",
    fails: "",
    passes: "",
};

/// Nobody runs emitters TO the kind: not the node of the settings, where one is named.
pub(crate) fn sink(place: Span, owner: &EntityKey, kind: SinkKind, settings: &Settings) -> Diagnostic {
    let builds = SinkKind::ALL.map(|kind| (kind.name(), kind.capabilities().build));
    let release = format!("this release delivers TO {}", ran(&builds));
    fault(
        place,
        owner,
        (&format!("TO {kind}"), kind.capabilities().build),
        (&release, settings),
    )
}

/// Nobody runs ingestors FROM the kind: not the node of the settings, where one is named.
pub(crate) fn source(place: Span, owner: &EntityKey, source: SourceBuild, settings: &Settings) -> Diagnostic {
    let builds = SourceKind::ALL.map(|source| (source.keyword, source.build));
    let release = format!("this release takes records FROM {}", ran(&builds));
    fault(
        place,
        owner,
        (&format!("FROM {}", source.keyword), source.build),
        (&release, settings),
    )
}

fn fault(
    place: Span,
    owner: &EntityKey,
    (what, build): (&str, Build),
    (release, settings): (&str, &Settings),
) -> Diagnostic {
    let node = settings.node.as_deref();
    let why = match (build, node) {
        (Build::None, _) => format!("no build of this release runs {what}"),
        (_, Some(node)) => format!("node {node}, which executes the graph, was not built for {what}"),
        (Build::Every, None) => format!("none that is known runs {what}"),
        (Build::Feature(_), None) => format!("none was built for {what}"),
    };
    let help = match build {
        Build::None => format!("{release}; check accepts the others, apply does not"),
        Build::Every => "start a worker of this release: each of them does".to_owned(),
        Build::Feature(feature) if settings.node_is_only => {
            format!(
                "end nervix, build it with the feature {feature}, and start it again: make build FEATURES={feature}"
            )
        }
        Build::Feature(feature) => {
            format!("start a worker that has the feature {feature}: make build FEATURES={feature}")
        }
    };
    let help = match node.filter(|_| build != Build::None && !settings.node_is_only) {
        Some(node) => format!("{help}; DRAIN NODE {node} then moves the graph to it"),
        None => help,
    };
    RULE.fault(place, format!("no worker can run {owner}: {why}"))
        .help(help)
}

/// The kinds that some build runs, as `A, B and C`.
fn ran(builds: &[(&'static str, Build)]) -> String {
    let names: Vec<&str> = builds
        .iter()
        .filter(|(_, build)| *build != Build::None)
        .map(|(name, _)| *name)
        .collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}
