//! The notation in which the pages of the reference write grammar, and the sentences that it stands for.
//!
//! `WORD` and symbols stand for themselves, `'('` and `')'` too; `<place>` for a rule or for one of the samples;
//! `[a]` for a or nothing; `(a | b)` for either; `a, ...` for a list with commas; `a ...` for one or more.

use std::collections::BTreeMap;

/// Rules by the name of their place.
pub(crate) type Rules = BTreeMap<String, Node>;

/// A piece of grammar.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    /// A keyword or symbol.
    Word(String),
    /// A place, without its brackets.
    Place(String),
    /// One after another.
    Row(Vec<Node>),
    /// One of them.
    Either(Vec<Node>),
    /// It or nothing.
    Maybe(Box<Node>),
    /// One or more, parted by this.
    Several(Box<Node>, &'static str),
}

/// Terminal places and what is written in them.
pub(crate) const SAMPLES: [(&str, &str); 28] = [
    ("domain", "shop"),
    ("schema", "order_event"),
    ("wire schema", "wire"),
    ("codec", "json"),
    ("branch", "by_region"),
    ("relay", "orders"),
    ("resource", "tls"),
    ("client", "kafka"),
    ("ingestor", "orders_in"),
    ("emitter", "outbox"),
    ("field", "amount"),
    ("node", "'node-1.example'"),
    ("kind of client", "NATS"),
    ("wire type", "integer"),
    ("type", "ARRAY<VEC<I8>, 4>"),
    ("number", "12"),
    ("decimal", "2.5"),
    ("duration", "250ms"),
    ("size", "1MiB"),
    ("string", "'text'"),
    ("external name", "'orders.v1/eu'"),
    ("instant", "'2026-01-01T00:00:00Z'"),
    ("literal", "'text'"),
    ("constant", "-1"),
    ("expression", "lower(id) = 'x' AND NOT active"),
    ("program", "'{payload: .}'"),
    ("folder", "'./files'"),
    ("key", "'key'"),
];

/// Reads the rules of a grammar block: `<place>: ...` begins one, what stands before the first is the statement.
pub(crate) fn read(block: &str) -> (Node, Rules) {
    let mut parts: Vec<(String, String)> = vec![(String::new(), String::new())];
    for line in block.lines() {
        let rule = line.strip_prefix('<').and_then(|line| line.split_once(">:"));
        match rule {
            Some((name, rest)) => parts.push((name.to_owned(), rest.to_owned())),
            None => {
                let (_, text) = parts.last_mut().unwrap();
                text.push(' ');
                text.push_str(line);
            }
        }
    }
    let mut parts = parts
        .into_iter()
        .map(|(name, text)| (name, Reader::new(&text).whole()));
    let (_, statement) = parts.next().unwrap();
    (statement, parts.collect())
}

struct Reader {
    tokens: Vec<String>,
    at: usize,
}

impl Reader {
    fn new(text: &str) -> Reader {
        let mut tokens = Vec::new();
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let length = match first {
                '<' => rest.find('>').unwrap_or_else(|| panic!("no > in {rest}")) + 1,
                '\'' => 3,
                _ if rest.starts_with("...") => 3,
                _ if first.is_alphanumeric() => rest
                    .find(|letter: char| !letter.is_alphanumeric() && letter != '_')
                    .unwrap_or(rest.len()),
                _ => first.len_utf8(),
            };
            let (token, then) = rest.split_at(length);
            tokens.push(token.to_owned());
            rest = then.trim_start();
        }
        Reader { tokens, at: 0 }
    }

    fn whole(mut self) -> Node {
        let node = self.either();
        assert_eq!(self.at, self.tokens.len(), "{:?}", self.tokens.get(self.at..));
        node
    }

    fn peek(&self, ahead: usize) -> &str {
        self.tokens.get(self.at + ahead).map_or("", String::as_str)
    }

    fn take(&mut self, token: &str) {
        assert_eq!(self.peek(0), token, "{:?}", self.tokens.get(self.at..));
        self.at += 1;
    }

    fn either(&mut self) -> Node {
        let mut arms = vec![self.row()];
        while self.peek(0) == "|" {
            self.at += 1;
            arms.push(self.row());
        }
        if arms.len() == 1 {
            arms.remove(0)
        } else {
            Node::Either(arms)
        }
    }

    fn row(&mut self) -> Node {
        let mut row = Vec::new();
        while !matches!(self.peek(0), "" | "|" | "]" | ")") {
            let item = self.item();
            let item = match (self.peek(0), self.peek(1)) {
                (",", "...") => {
                    self.at += 2;
                    Node::Several(Box::new(item), ",")
                }
                ("...", _) => {
                    self.at += 1;
                    Node::Several(Box::new(item), "")
                }
                _ => item,
            };
            row.push(item);
        }
        Node::Row(row)
    }

    fn item(&mut self) -> Node {
        let token = self.peek(0).to_owned();
        self.at += 1;
        match token.as_str() {
            "[" => {
                let inner = self.either();
                self.take("]");
                Node::Maybe(Box::new(inner))
            }
            "(" => {
                let inner = self.either();
                self.take(")");
                inner
            }
            _ => match token.strip_prefix('<').and_then(|name| name.strip_suffix('>')) {
                Some(place) => Node::Place(place.to_owned()),
                None => Node::Word(token.trim_matches('\'').to_owned()),
            },
        }
    }
}

impl Node {
    /// Sentences that take each way of the grammar at least once: first the shortest, last one with everything.
    pub(crate) fn sentences(&self, rules: &Rules) -> Vec<String> {
        match self {
            Node::Word(word) => vec![word.clone()],
            Node::Place(place) => match (rules.get(place), sample(place)) {
                (Some(rule), _) => rule.sentences(rules),
                (None, Some(text)) => vec![text.to_owned()],
                (None, None) => panic!("<{place}> is neither a rule nor a sample"),
            },
            Node::Either(arms) => arms.iter().flat_map(|arm| arm.sentences(rules)).collect(),
            Node::Maybe(inner) => std::iter::once(String::new())
                .chain(inner.sentences(rules))
                .collect(),
            Node::Several(inner, between) => {
                let mut found = inner.sentences(rules);
                found.push(found.join(&format!(" {between} ")));
                found
            }
            Node::Row(row) => {
                let items: Vec<Vec<String>> = row.iter().map(|item| item.sentences(rules)).collect();
                let with = |changed: usize, variant: usize| -> String {
                    let item = |(index, item): (usize, &Vec<String>)| {
                        let chosen = if index == changed {
                            item.get(variant)
                        } else {
                            item.first()
                        };
                        chosen.cloned().unwrap_or_default()
                    };
                    joined(items.iter().enumerate().map(item))
                };
                let mut found = vec![with(0, 0)];
                for (index, item) in items.iter().enumerate() {
                    found.extend((1..item.len()).map(|variant| with(index, variant)));
                }
                let full = items.iter().filter_map(|item| item.last().cloned());
                found.push(joined(full));
                found
            }
        }
    }

    /// The words that may stand somewhere in a sentence.
    pub(crate) fn words(&self, rules: &Rules) -> Vec<String> {
        match self {
            Node::Word(word) => vec![word.clone()],
            Node::Place(place) => rules.get(place).map(|rule| rule.words(rules)).unwrap_or_default(),
            Node::Row(parts) | Node::Either(parts) => {
                parts.iter().flat_map(|part| part.words(rules)).collect()
            }
            Node::Maybe(inner) => inner.words(rules),
            Node::Several(inner, between) => {
                let mut words = inner.words(rules);
                words.push((*between).to_owned());
                words
            }
        }
    }
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

fn sample(place: &str) -> Option<&'static str> {
    SAMPLES
        .iter()
        .find(|(name, _)| *name == place)
        .map(|(_, text)| *text)
}
