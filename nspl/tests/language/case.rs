//! One file of the corpus: a script, and what its `--!` lines say. What a case is of stands anywhere, right before it;
//! surroundings stand at the head.
//!
//! | line | means |
//! |---|---|
//! | `--! ruling 2.1.4` | from here to the next such line it is a case of that row of docs/rulings.md |
//! | `--! clause CREATE RELAY / CAPACITY` | likewise of that clause of a statement's page |
//! | `--! ruling 2.1.3: E1201, E1408` | so where it is refused: each statement that begins there is, by these codes and no other |
//! | `--! besides` | from here to the next such line it is a case of nothing that is listed |
//! | `--! catalog none` | it begins with an empty catalog and no domain, not with world.nspl and its domain `shop` |
//! | `--! domain none` | the session has no domain |
//! | `--! workers CLIENT, KAFKA` | it is judged as `apply` does, with workers of these kinds |
//! | `--! flight-message-max 1048576` | the workers' `--flight-max-message` in bytes |
//! | `--! mounts only` | it is judged as by the control plane of a cluster: workers have the files of mounts alone |
//! | `--! folders ../protos` | folders of UPLOAD RESOURCE are looked for in that folder beside the case |
//! | `--! times 1001` | the text below the head stands there so often |

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use nspl::{Catalog, Colour, Folders, Listing, Report, Resources, Settings, check, check_with};

use crate::golden::{files, read, root};

/// Where the corpus lives.
pub(crate) const CORPUS: &str = "nspl/tests/corpus";

/// More diagnostics than these are shown by the first, the second and the last.
const SHOWN_MAX: usize = 60;

/// A script of the corpus.
#[derive(Clone)]
pub(crate) struct Case {
    /// From the root of the repository.
    pub(crate) path: String,
    /// What is judged.
    pub(crate) text: String,
    marks: Vec<Mark>,
    settings: Settings,
    begins_empty: bool,
}

/// What a piece of a case is of.
#[derive(Clone)]
pub(crate) struct Mark {
    /// The byte where it is said.
    at: usize,
    /// `ruling 2.1.4`; empty where nothing is.
    pub(crate) of: String,
    /// The codes by which it is refused.
    pub(crate) codes: Vec<String>,
}

/// A piece of a case: from marks with nothing between them to the next one.
pub(crate) struct Part {
    pub(crate) bytes: Range<usize>,
    pub(crate) marks: Vec<Mark>,
}

/// The cases of a folder of the corpus, `ok` or `err`.
pub(crate) fn cases(folder: &str) -> Vec<Case> {
    let found: Vec<Case> = files(&format!("{CORPUS}/{folder}"), "nspl")
        .into_iter()
        .map(|path| Case::read(&path))
        .collect();
    assert!(found.len() > 20, "only {} cases are {folder}", found.len());
    found
}

/// The catalog that world.nspl makes.
pub(crate) fn world() -> &'static Catalog {
    static WORLD: OnceLock<Catalog> = OnceLock::new();
    WORLD.get_or_init(|| {
        let text = read(&format!("{CORPUS}/world.nspl"));
        let report = check("world.nspl", &text, None, &Catalog::default());
        assert!(!report.is_refused(), "{}", shown("world.nspl", &text, &report));
        report.plan.catalog
    })
}

impl Case {
    /// Reads a file of the corpus.
    pub(crate) fn read(path: &str) -> Case {
        let mut case = Case {
            path: path.to_owned(),
            text: read(path),
            marks: Vec::new(),
            settings: Settings::in_domain(Some("shop")),
            begins_empty: false,
        };
        let marks: Vec<(usize, String)> = lines(&case.text)
            .filter_map(|(at, line)| Some((at, line.trim().strip_prefix("--! ")?.to_owned())))
            .collect();
        for (at, line) in marks {
            case.set(at, &line);
        }
        case
    }

    fn set(&mut self, at: usize, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "ruling" | "clause" => {
                let (of, codes) = line.split_once(": ").unwrap_or((line, ""));
                let codes = codes.split(", ").filter(|code| !code.is_empty());
                self.marks.push(Mark {
                    at,
                    of: of.to_owned(),
                    codes: codes.map(str::to_owned).collect(),
                });
            }
            "besides" => self.marks.push(Mark {
                at,
                of: String::new(),
                codes: Vec::new(),
            }),
            "catalog" => {
                assert_eq!(rest, "none", "{}", self.path);
                self.begins_empty = true;
                self.settings.domain = None;
            }
            "domain" => self.settings.domain = Some(rest.to_owned()).filter(|domain| domain != "none"),
            "workers" => self.settings.kinds = Some(rest.split(", ").map(str::to_owned).collect()),
            "flight-message-max" => self.settings.flight_message_max = Some(rest.parse().unwrap()),
            "mounts" => {
                assert_eq!(rest, "only", "{}", self.path);
                self.settings.mounts_only = true;
            }
            "folders" => {
                let beside = format!("{}/{}/{rest}/script.nspl", root().display(), folder(&self.path));
                let folders = Folders::beside(&beside);
                self.settings.resources = Some(Resources::new(Arc::new(folders)));
            }
            "times" => self.repeat(rest.parse().unwrap()),
            _ => panic!("{}: {line}", self.path),
        }
    }

    fn repeat(&mut self, times: usize) {
        let head: String = self
            .text
            .split_inclusive('\n')
            .take_while(|line| line.starts_with("--!"))
            .collect();
        let body = self
            .text
            .strip_prefix(&head)
            .unwrap()
            .trim_end_matches('\n')
            .repeat(times);
        self.text = head + &body;
    }

    /// What the checker says.
    pub(crate) fn report(&self) -> Report {
        let empty = Catalog::default();
        let catalog = if self.begins_empty { &empty } else { world() };
        check_with(&self.path, &self.text, &self.settings, catalog)
    }

    /// The pieces that are marked: each from its marks to the next one that something stands before.
    pub(crate) fn parts(&self) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        for mark in &self.marks {
            let before = parts.last_mut();
            match before.filter(|part| self.is_only_marks(part.bytes.start..mark.at)) {
                Some(part) => part.marks.push(mark.clone()),
                None => parts.push(Part {
                    bytes: mark.at..self.text.len(),
                    marks: vec![mark.clone()],
                }),
            }
        }
        let begins: Vec<usize> = parts.iter().skip(1).map(|part| part.bytes.start).collect();
        parts
            .iter_mut()
            .zip(begins)
            .for_each(|(part, end)| part.bytes.end = end);
        parts.retain(|part| part.marks.iter().all(|mark| !mark.of.is_empty()));
        parts
    }

    fn is_only_marks(&self, bytes: Range<usize>) -> bool {
        let text = self.text.get(bytes).unwrap();
        text.lines().all(|line| line.trim().starts_with("--! "))
    }

    /// The name of the file, as diagnostics show it.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap()
    }
}

/// The folder of a path.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The lines of a text, each with the byte at which it begins.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |at, line| {
        let begin = *at;
        *at += line.len();
        Some((begin, line))
    })
}

/// The diagnostics of a report as people see them.
pub(crate) fn shown(file: &str, text: &str, report: &Report) -> String {
    let listing = Listing::new(file, text);
    let count = report.diagnostics.len();
    let mut out = String::new();
    for (number, found) in report.diagnostics.iter().enumerate() {
        if count > SHOWN_MAX && number == 2 {
            out.push_str(&format!("({} more like these)\n\n", count - 3));
        }
        if count <= SHOWN_MAX || number < 2 || number + 1 == count {
            let rendered = listing.render(found, Colour::Never);
            for line in rendered.trim_end().lines() {
                out.push_str(line.trim_end());
                out.push('\n');
            }
            out.push('\n');
        }
    }
    let end = out.trim_end().len();
    out.truncate(end);
    out.push('\n');
    out
}
