//! What a file imports, spelled out: `use a::{b::c, d};` names `a::b::c` and `a::d`, however it is written.

/// The full paths of all `use` declarations of a file, renamings kept (`a::b as c`).
pub(crate) fn imported(text: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("use ") {
        let begins = before
            .rsplit(['\n', ';', '{', '}'])
            .next()
            .unwrap_or_default()
            .trim();
        if (begins.is_empty() || begins.starts_with("pub"))
            && let Some((tree, tail)) = after.split_once(';')
        {
            let tree = tree.split_whitespace().collect::<Vec<_>>().join(" ");
            expand("", &tree, &mut paths);
            rest = tail;
        } else {
            rest = after;
        }
    }
    paths
}

/// Adds every path of a tree behind `prefix`.
fn expand(prefix: &str, tree: &str, paths: &mut Vec<String>) {
    let tree = tree.trim();
    let Some((head, inner)) = tree.split_once('{') else {
        if !tree.is_empty() {
            paths.push(format!("{prefix}{tree}"));
        }
        return;
    };
    let prefix = format!("{prefix}{head}");
    let inner = inner.rsplit_once('}').map_or(inner, |(inner, _)| inner);
    let (mut depth, mut start) = (0, 0);
    for (at, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                expand(&prefix, inner.get(start..at).unwrap_or_default(), paths);
                start = at + 1;
            }
            _ => {}
        }
    }
    expand(&prefix, inner.get(start..).unwrap_or_default(), paths);
}

#[test]
fn every_spelling_of_an_import_names_the_same_path() {
    let spellings = [
        "use tokio::net::lookup_host;",
        "use tokio::{net::lookup_host, sync::mpsc};",
        "pub(crate) use tokio::{\n    net::{\n        TcpListener,\n        lookup_host,\n    },\n};",
        "//! docs\n\nfn f() {\n    use tokio::{net::{self, lookup_host}};\n}",
    ];
    for text in spellings {
        let paths = imported(text);
        assert!(
            paths.iter().any(|path| path == "tokio::net::lookup_host"),
            "{text}: {paths:?}"
        );
    }
    assert_eq!(
        imported("use a::{b as c, d};\n// I use e;\n"),
        ["a::b as c", "a::d"]
    );
}
