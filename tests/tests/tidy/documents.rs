//! Documents that name code: what they name must exist.

use nspl_model::{Build, SinkKind, SourceKind};

use crate::tree::{files, read};

/// What every page of sentences or faults names at least, so that none is read past.
const NAMED_MIN: usize = 20;

/// Pages for contributors that name the tests of what they tell, and how many at least.
const GUIDES: [(&str, usize); 1] = [("docs/functions.md", 8)];

/// Every source of the repository, as where tests are.
pub(crate) struct Tests(Vec<(String, String)>);

impl Tests {
    /// Reads all of them.
    pub(crate) fn read() -> Self {
        let sources = files("rs").into_iter().map(|path| (path.clone(), read(&path)));
        Self(sources.collect())
    }

    /// Whether a test has this name, as [`is_named`] reads it.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(path, text)| is_named(name, path, text))
    }
}

#[test]
fn every_test_that_a_list_of_tests_names_exists() {
    let is_list = |path: &String| path.starts_with("docs/conformance") || path == "docs/faults.md";
    let lists: Vec<String> = files("md").into_iter().filter(is_list).collect();
    assert!(lists.len() > 4, "{lists:?}");
    let tests = Tests::read();
    for list in lists {
        hold(&list, &tests, NAMED_MIN);
    }
    for (guide, least) in GUIDES {
        hold(guide, &tests, least);
    }
}

fn holds_tests(path: &str, text: &str) -> bool {
    path.contains("tests") || text.contains("#[cfg(test)]")
}

/// What a destination's document calls the conformance suite on it, and the folder of that suite.
const SUITE: (&str, &str) = ("suite", "conformance");

/// Whether `name`, as in `file::function` or `module::function`, is a test in `path`: what stands before the function is
/// part of the path, or a module of that file.
fn is_named(name: &str, path: &str, text: &str) -> bool {
    let mut parts: Vec<&str> = name.split("::").collect();
    let function = parts.pop().unwrap_or_default();
    let steps: Vec<&str> = path.trim_end_matches(".rs").split('/').collect();
    let leads = |part: &&str| {
        let part = if *part == SUITE.0 { SUITE.1 } else { part };
        steps.iter().any(|step| step.replace('-', "_") == part) || text.contains(&format!("mod {part} {{"))
    };
    let is_test = is_test(text, function) || (steps.contains(&SUITE.1) && is_scenario(text, function));
    holds_tests(path, text) && is_test && parts.iter().all(leads)
}

/// Whether a function of this name has the attribute of a test.
fn is_test(text: &str, function: &str) -> bool {
    let mut before: Vec<&str> = text.split(&format!("fn {function}(")).collect();
    before.pop();
    before.into_iter().any(|before| {
        let (lines, _) = before.rsplit_once('\n').unwrap_or_default();
        let lines = lines.lines().rev().map(str::trim);
        let mut attributes = lines.take_while(|line| line.starts_with(['#', '/']));
        attributes.any(|line| line.starts_with("#[test]") || line.starts_with("#[tokio::test"))
    })
}

/// Whether it is a scenario of a suite, of any destination.
fn is_scenario(text: &str, function: &str) -> bool {
    text.contains(&format!("fn {function}<"))
}

#[test]
fn a_test_is_named_by_its_file_or_module() {
    let (path, text) = (
        "tests/tests/scenarios/limits.rs",
        "mod inner {\n    #[test]\n    fn works() {}\n    fn helps() {}\n}",
    );
    assert!(is_named("limits::works", path, text));
    assert!(!is_named("limits::helps", path, text));
    assert!(is_named("limits::inner::works", path, text));
    assert!(!is_named("writing::works", path, text));
    assert!(!is_named("limits::fails", path, text));
}

fn hold(path: &str, tests: &Tests, least: usize) {
    let document = read(path);
    let named: Vec<&str> = document
        .split('`')
        .filter(|word| word.contains("::") && !word.contains(' '))
        .collect();
    assert!(named.len() > least, "{path} names {} tests only", named.len());
    let missing: Vec<&str> = named.into_iter().filter(|name| !tests.has(name)).collect();
    assert!(
        missing.is_empty(),
        "{path} names tests that do not exist: {missing:?}"
    );
}

#[test]
fn every_link_of_a_document_leads_somewhere() {
    let root = crate::tree::root();
    let mut dead = Vec::new();
    for path in files("md") {
        let text = read(&path);
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap_or_default();
            let folder = std::path::Path::new(&path)
                .parent()
                .map(|folder| root.join(folder))
                .unwrap_or_default();
            if !file.is_empty() && !file.contains("://") && !folder.join(file).exists() {
                dead.push(format!("{path}: {target}"));
            }
        }
    }
    assert!(dead.is_empty(), "dead links: {dead:?}");
}

#[test]
fn every_family_of_metrics_is_documented() {
    let page = read("docs/metrics.md");
    // Prometheus' text form adds the end of a counter's name.
    let has = |name: &str| page.contains(&format!("`{name}`")) || page.contains(&format!("`{name}_total`"));
    for (path, least) in [
        ("data-plane/src/metrics/family.rs", 20),
        ("control-plane/src/metrics.rs", 5),
    ] {
        let source = read(path);
        let names: Vec<&str> = source
            .split('"')
            .filter(|word| word.starts_with("nervix_"))
            .collect();
        assert!(names.len() >= least, "{} families found in {path}", names.len());
        let missing: Vec<&&str> = names.iter().filter(|name| !has(name)).collect();
        assert!(missing.is_empty(), "docs/metrics.md lacks {missing:?}");
    }
}

/// E1221 and docs/limits.md send people to these features.
#[test]
fn every_feature_that_a_kind_is_said_to_need_is_one_of_the_executable() {
    let manifest = read("cli/Cargo.toml");
    let features = manifest
        .split_once("[features]")
        .and_then(|(_, rest)| rest.split("\n[").next())
        .expect("features of the executable");
    let limits = read("docs/limits.md");
    let builds = SinkKind::ALL.map(|kind| kind.capabilities().build);
    let sources = SourceKind::ALL.map(|source| source.build);
    let mut named = 0;
    for build in builds.into_iter().chain(sources) {
        if let Build::Feature(feature) = build {
            assert!(features.contains(&format!("\n{feature} = ")), "{feature}");
            assert!(
                limits.contains(&format!("`{feature}`")),
                "docs/limits.md lacks {feature}"
            );
            named += 1;
        }
    }
    assert!(named > 0, "no kind needs a feature");
}
