//! The reference has a page for every code of what is refused when it runs.

use std::path::Path;

use nervix_control_plane::RUNTIME_CODES;

#[test]
fn every_runtime_code_has_its_page() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/diagnostics");
    for (code, meaning) in RUNTIME_CODES {
        let page = std::fs::read_to_string(folder.join(format!("{code}.md"))).unwrap_or_default();
        assert!(page.starts_with(&format!("# {code}: ")), "{code} has no page");
        assert!(page.contains(meaning), "the page of {code} lacks: {meaning}");
    }
}
