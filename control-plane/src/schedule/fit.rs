//! Which node can take the graph: as long as one executes all of it, one that was built with all that it needs (rulings
//! section 9 "What can run").

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use crate::catalog::{NodeRecord, State};

/// Nodes that a sentence names.
const NAMED_MAX: usize = 3;

/// Why none of the attached nodes can take the graph: what each of them was not built for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unfit(Vec<(String, Vec<&'static str>)>);

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(nodes) = self;
        if nodes.is_empty() {
            return f.write_str("none is attached that is not cordoned");
        }
        let said = nodes.iter().take(NAMED_MAX);
        let said: Vec<_> = said
            .map(|(node, missing)| format!("node {node} was not built for {}", missing.join(", ")))
            .collect();
        f.write_str(&said.join("; "))
    }
}

/// The first of the attached nodes that can take the graph.
pub(crate) fn candidate(state: &State, attached: &BTreeSet<String>) -> Result<String, Unfit> {
    first_fit(&nspl::used_kinds(&state.catalog), &state.nodes, attached)
}

/// Whether a node was built with all that the graph needs.
pub(crate) fn fits(state: &State, node: &NodeRecord) -> bool {
    missing(&nspl::used_kinds(&state.catalog), node).is_empty()
}

fn first_fit(
    used: &BTreeSet<&'static str>,
    nodes: &BTreeMap<String, NodeRecord>,
    attached: &BTreeSet<String>,
) -> Result<String, Unfit> {
    let mut unfit = Vec::new();
    for (name, node) in nodes {
        if node.cordoned || !attached.contains(name) {
            continue;
        }
        let missing = missing(used, node);
        if missing.is_empty() {
            return Ok(name.clone());
        }
        unfit.push((name.clone(), missing));
    }
    Err(Unfit(unfit))
}

fn missing(used: &BTreeSet<&'static str>, node: &NodeRecord) -> Vec<&'static str> {
    let built_for = |kind: &str| node.kinds.iter().any(|built| built.eq_ignore_ascii_case(kind));
    used.iter().copied().filter(|kind| !built_for(kind)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::first_fit;
    use crate::catalog::NodeRecord;

    #[test]
    fn the_graph_goes_to_the_first_node_that_is_there_may_take_it_and_was_built_for_it() {
        let node = |kinds: &[&str], cordoned| NodeRecord {
            kinds: kinds.iter().map(|kind| (*kind).to_owned()).collect(),
            cordoned,
            ..NodeRecord::default()
        };
        let nodes = BTreeMap::from([
            ("a".to_owned(), node(&["CLIENT"], false)),
            ("b".to_owned(), node(&["CLIENT", "KAFKA"], true)),
            ("c".to_owned(), node(&["CLIENT", "KAFKA"], false)),
            ("d".to_owned(), node(&["KAFKA", "CLIENT", "HTTP"], false)),
        ]);
        let used = BTreeSet::from(["CLIENT", "KAFKA"]);
        let among = |attached: &str| {
            let attached = attached.chars().map(String::from).collect();
            first_fit(&used, &nodes, &attached).map_err(|unfit| unfit.to_string())
        };
        assert_eq!(among("abcd"), Ok("c".to_owned()));
        assert_eq!(among("abd"), Ok("d".to_owned()));
        assert_eq!(among("ab"), Err("node a was not built for KAFKA".to_owned()));
        assert_eq!(
            among("bx"),
            Err("none is attached that is not cordoned".to_owned())
        );
    }
}
