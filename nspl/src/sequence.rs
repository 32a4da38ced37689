//! Scripts that are judged one after the other, as `check` does: each sees what the ones before it create and upload.

use std::path::{Path, absolute};
use std::sync::Arc;

use nspl_check::{Action, Catalog, Diagnostic, PROTOBUF_FILES, PROTOBUF_MESSAGE, Resources};
use nspl_syntax::Statement;

use crate::Folders;
use crate::report::{Report, check_uploaded};

/// What the scripts so far would have left, if they had been applied to an empty catalog.
#[derive(Default)]
pub struct Sequence {
    /// The session's domain before each script.
    domain: Option<String>,
    catalog: Catalog,
    /// Domain, resource and folder, in the order of their uploads.
    uploads: Vec<(String, String, String)>,
}

impl Sequence {
    /// Nothing so far; each script begins in `domain`.
    pub fn new(domain: Option<&str>) -> Sequence {
        Sequence {
            domain: domain.map(str::to_owned),
            ..Sequence::default()
        }
    }

    /// Judges the next script; what it does counts for those after it, as far as it is without faults.
    pub fn check(&mut self, file: &str, text: &str) -> Report {
        let mut resources = Resources::new(Arc::new(Folders::beside(file)));
        for (domain, resource, folder) in &self.uploads {
            resources.upload(domain, resource, folder);
        }
        let report = check_uploaded(file, text, self.domain.as_deref(), (&self.catalog, resources));
        let beside = Path::new(file).parent().unwrap_or(Path::new(""));
        for step in &report.plan.steps {
            if let Action::Upload {
                domain,
                resource,
                folder,
            } = &step.action
            {
                let folder = beside.join(folder);
                let found_from_everywhere = absolute(&folder).unwrap_or(folder);
                let folder = found_from_everywhere.to_string_lossy().into_owned();
                self.uploads.push((domain.clone(), resource.clone(), folder));
            }
        }
        self.catalog = report.plan.catalog.clone();
        report
    }
}

/// What is wrong with the files of the folders that a script uploads itself, as far as its own codecs need them. Whoever
/// sends the folders tells it before anything of the script runs; the rest is judged where the catalog is.
pub fn folder_faults(file: &str, text: &str, domain: Option<&str>) -> Vec<Diagnostic> {
    let mut scripts = Sequence::new(domain);
    scripts.check("", &uploaded_to(text, domain));
    let mut found = scripts.check(file, text).diagnostics;
    found.retain(|fault| [PROTOBUF_FILES.code, PROTOBUF_MESSAGE.code].contains(&fault.code));
    found
}

/// A script that creates the resources that another one uploads to, as if they were there before it.
fn uploaded_to(text: &str, domain: Option<&str>) -> String {
    let mut domain = domain.map(str::to_owned);
    let mut creates = String::new();
    for statement in nspl_syntax::parse(text).statements {
        match (statement.node, &domain) {
            (Statement::Use(used), _) => domain = Some(used.text),
            (Statement::Upload(upload), Some(domain)) => {
                let name = upload.name.text;
                creates += &format!(
                    "CREATE IF NOT EXISTS DOMAIN {domain}; USE {domain}; CREATE IF NOT EXISTS RESOURCE {name};\n"
                );
            }
            _ => {}
        }
    }
    creates
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Sequence, folder_faults};

    const START: &str = "CREATE DOMAIN d; USE d; CREATE RESOURCE p; UPLOAD RESOURCE p VERSION 'protos';";
    const CODEC: &str = "CREATE SCHEMA s (id STRING);
      CREATE CODEC c FROM PROTOBUF USING RESOURCE p CONFIG {} MESSAGE 'p.Event' TO SCHEMA s
        WITH JAQ TRANSFORMATIONS ON EMITTING '.';";

    fn codes(report: &crate::Report) -> Vec<&'static str> {
        report.diagnostics.iter().map(|found| found.code).collect()
    }

    fn later() -> String {
        format!("USE d; BEGIN; {CODEC} COMMIT;")
    }

    #[test]
    fn codecs_see_what_an_earlier_script_uploads_from_its_own_folder() {
        let root = tempfile::tempdir().unwrap();
        let (first, second) = (root.path().join("one/a.nspl"), root.path().join("two/b.nspl"));
        fs::create_dir_all(root.path().join("one/protos")).unwrap();
        let proto = root.path().join("one/protos/event.proto");
        fs::write(
            &proto,
            "syntax = \"proto3\"; package p; message Event { string id = 1; }",
        )
        .unwrap();
        let (first, second) = (first.to_str().unwrap(), second.to_str().unwrap());
        let both = || {
            let mut scripts = Sequence::new(None);
            assert_eq!(codes(&scripts.check(first, START)), Vec::<&str>::new());
            codes(&scripts.check(second, &later()))
        };
        assert_eq!(both(), Vec::<&str>::new());
        fs::write(
            &proto,
            "syntax = \"proto3\"; package p; message Other { string id = 1; }",
        )
        .unwrap();
        assert_eq!(both(), ["E1512"]);
        fs::write(
            &proto,
            "syntax = \"proto3\"; package p; message Event { strng id = 1; }",
        )
        .unwrap();
        assert_eq!(both(), ["E1511"]);
        let whole = format!("{START} BEGIN; {CODEC} COMMIT; CREATE RELAY r SCHEMA nope UNBRANCHED;");
        let found = folder_faults(first, &whole, None);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].message.contains("event.proto:1"), "{}", found[0].message);
        // What the script does not create is the server's.
        let known = format!("UPLOAD RESOURCE p VERSION 'protos'; BEGIN; {CODEC} COMMIT;");
        assert_eq!(folder_faults(first, &known, Some("d")).len(), 1);
        assert_eq!(folder_faults(first, &format!("USE d; {known}"), None).len(), 1);
        let created = format!("BEGIN; CREATE RESOURCE p; COMMIT; {known}");
        assert_eq!(folder_faults(first, &created, Some("d")).len(), 1);
    }

    #[test]
    fn without_the_script_that_uploads_the_files_are_said_to_be_unjudged() {
        let script = format!("CREATE DOMAIN d; USE d; CREATE RESOURCE p; BEGIN; {CODEC} COMMIT;");
        let report = Sequence::new(None).check("b.nspl", &script);
        assert_eq!(codes(&report), ["W1002"]);
        let help = report.diagnostics[0].help.clone().unwrap_or_default();
        assert!(help.contains("the given scripts upload"), "{help}");
    }
}
