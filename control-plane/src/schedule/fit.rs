//! Which node can take the graph: as long as one executes all of it, one that was built with all that it needs (rulings
//! section 9 "What can run"), and whose Flight carries its largest batch (flight.md "Ends and limits").

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use nspl::{Needs, model::SizeText};

use crate::catalog::{NodeRecord, State};

/// Nodes that a sentence names.
const NAMED_MAX: usize = 3;

/// Why none of the attached nodes can take the graph: what each of them lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unfit(Vec<(String, Lack)>);

/// What a node lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Lack {
    /// It was not built for these kinds.
    Kinds(Vec<&'static str>),
    /// Its bound of Flight messages, in bytes, is below what the graph's largest batch takes.
    Message { has: u64, needs: u64 },
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kinds(kinds) => write!(f, "was not built for {}", kinds.join(", ")),
            Self::Message { has, needs } => write!(
                f,
                "sends Flight messages of at most {}, and the largest BATCH MAX SIZE takes {}: start it with a larger \
                 --flight-max-message",
                SizeText(*has),
                SizeText(*needs)
            ),
        }
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(nodes) = self;
        if nodes.is_empty() {
            return f.write_str("none is attached that is not cordoned");
        }
        let said = nodes.iter().take(NAMED_MAX);
        let said: Vec<_> = said.map(|(node, lack)| format!("node {node} {lack}")).collect();
        f.write_str(&said.join("; "))
    }
}

/// The first of the attached nodes that can take the graph.
pub(crate) fn candidate(state: &State, attached: &BTreeSet<String>) -> Result<String, Unfit> {
    first_fit(&nspl::needs(&state.catalog), &state.nodes, attached)
}

/// Whether a node has all that the graph needs.
pub(crate) fn fits(state: &State, node: &NodeRecord) -> bool {
    lack(&nspl::needs(&state.catalog), node).is_none()
}

fn first_fit(
    needs: &Needs,
    nodes: &BTreeMap<String, NodeRecord>,
    attached: &BTreeSet<String>,
) -> Result<String, Unfit> {
    let mut unfit = Vec::new();
    for (name, node) in nodes {
        if node.cordoned || !attached.contains(name) {
            continue;
        }
        match lack(needs, node) {
            None => return Ok(name.clone()),
            Some(lack) => unfit.push((name.clone(), lack)),
        }
    }
    Err(Unfit(unfit))
}

/// The first that a node lacks; a bound of messages that it did not tell is none.
fn lack(needs: &Needs, node: &NodeRecord) -> Option<Lack> {
    let built_for = |kind: &str| node.kinds.iter().any(|built| built.eq_ignore_ascii_case(kind));
    let missing: Vec<_> = needs
        .kinds
        .iter()
        .copied()
        .filter(|kind| !built_for(kind))
        .collect();
    if !missing.is_empty() {
        return Some(Lack::Kinds(missing));
    }
    let (has, needs) = (node.flight_message_bytes_max, needs.flight_message_bytes);
    (has > 0 && has < needs).then_some(Lack::Message { has, needs })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use nspl::Needs;

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
        let needs = Needs {
            kinds: BTreeSet::from(["CLIENT", "KAFKA"]),
            flight_message_bytes: 0,
        };
        let among = |attached: &str| {
            let attached = attached.chars().map(String::from).collect();
            first_fit(&needs, &nodes, &attached).map_err(|unfit| unfit.to_string())
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
