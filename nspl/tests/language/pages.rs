//! Whole scripts on the pages of docs/: they check clean, and are written in the canonical form.

use nspl::{Catalog, check, format};

use crate::case::shown;
use crate::golden::{files, read};

/// What a script that needs nothing before it begins with.
const HEAD: &str = "CREATE UNPACED DOMAIN";

#[test]
fn every_whole_script_of_a_page_checks_clean() {
    let mut scripts = 0;
    let mut wrong = String::new();
    for path in files("docs", "md") {
        let text = read(&path);
        let blocks = text
            .split("```sql\n")
            .skip(1)
            .filter_map(|rest| rest.split("```").next());
        for script in blocks.filter(|script| script.starts_with(HEAD)) {
            scripts += 1;
            let report = check(&path, script, None, &Catalog::default());
            if !report.diagnostics.is_empty() {
                wrong.push_str(&shown(&path, script, &report));
            }
            let canonical = format(script);
            assert_eq!(canonical.as_deref(), Ok(script), "{path}");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(scripts > 0, "no page has a whole script");
}
