//! `nervix fmt`: rewrites scripts in the canonical form.

use std::{io::Write, path::Path};

use clap::Args;

use crate::{
    exit::{Exit, Failure},
    output,
    script::Script,
};

/// Rewrite NSPL scripts in the canonical form
///
/// Formats each file in place, keeping its comments; `-` formats standard input to standard output. A script with faults
/// of lexis or syntax is left as it is, and they are printed. Needs no server.
///
/// Exit codes: 0 all are formatted (or were canonical), 1 faults, or with --check: one is not canonical, 2 one could not be
/// read or written.
///
/// Examples:
///   nervix fmt pipeline.nspl
///   nervix fmt --check *.nspl
///   nervix fmt - < pipeline.nspl
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct Fmt {
    /// The scripts, or `-` for standard input
    #[arg(required = true)]
    files: Vec<String>,
    /// Change nothing; exit 1 when a script is not in the canonical form
    #[arg(long)]
    check: bool,
}

impl Fmt {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let mut all = Exit::Done;
        for file in &self.files {
            if self.format(file)? == Exit::Refused {
                all = Exit::Refused;
            }
        }
        Ok(all)
    }

    fn format(&self, file: &str) -> Result<Exit, Failure> {
        let script = Script::read(file)?;
        let formatted = match nspl::format(&script.text) {
            Ok(formatted) => formatted,
            Err(diagnostics) => {
                let listing = nspl::Listing::new(&script.name, &script.text);
                for diagnostic in diagnostics {
                    let text = listing.render(&diagnostic, nspl::Colour::Never);
                    output::note(text.trim_end());
                }
                return Ok(Exit::Refused);
            }
        };
        let canonical = formatted == script.text;
        if self.check {
            if !canonical {
                output::note(&format!(
                    "{}: not in the canonical form; run `nervix fmt` on it",
                    script.name
                ));
            }
            return Ok(if canonical { Exit::Done } else { Exit::Refused });
        }
        if file == "-" {
            output::print(&formatted)?;
        } else if !canonical {
            replace(Path::new(file), &formatted).map_err(Failure::io(file))?;
        }
        Ok(Exit::Done)
    }
}

/// Writes a file beside the old one and moves it there, so that no moment has half a script. What stands behind a link is
/// replaced, not the link.
pub(crate) fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    if let Ok(old) = std::fs::metadata(path) {
        file.as_file().set_permissions(old.permissions())?;
    }
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::replace;

    #[test]
    fn a_file_behind_a_link_is_replaced_and_the_link_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        symlink("file", &link).unwrap();
        replace(&link, "new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        let other = folder.path().join("other");
        replace(&other, "made").unwrap();
        assert_eq!(fs::read_to_string(&other).unwrap(), "made");
    }
}
