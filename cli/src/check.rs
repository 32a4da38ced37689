//! `nervix check`: judges scripts without a server.

use clap::{Args, ValueEnum};
use nspl::{Colour, Listing, Report, Sequence};

use crate::{
    exit::{Exit, Failure},
    output,
    script::Script,
};

/// Check NSPL scripts without a server
///
/// Reads the files in the given order, each as if the ones before it had been applied to an empty catalog, and prints
/// every fault and warning: code, place, what was found, what would be accepted. Needs no server and changes nothing.
/// Folders of UPLOAD RESOURCE, each beside its script, are read where a codec of the same or a later script needs them.
/// Kinds of source and sink that a worker may lack are accepted here; `nervix apply` asks the workers.
///
/// Exit codes: 0 no faults (perhaps warnings), 1 faults, 2 a file could not be read.
///
/// Examples:
///   nervix check schemas.nspl pipeline.nspl
///   nervix check --format json pipeline.nspl | jq .code
///   generate | nervix check schemas.nspl -
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct Check {
    /// The scripts, in the order in which they would be applied; `-` for standard input
    #[arg(required = true)]
    files: Vec<String>,
    /// Domain of the statements before the first USE
    #[arg(long, env = "NERVIX_DOMAIN")]
    domain: Option<String>,
    /// Form of the diagnostics
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// The forms, as arguments name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Excerpts of the script on standard error, for a person
    Text,
    /// One JSON object a line on standard output: file, severity, code, message, line, column, end_line, end_column,
    /// labels, help
    Json,
}

impl Check {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let mut scripts = Sequence::new(self.domain.as_deref());
        let mut exit = Exit::Done;
        for file in &self.files {
            let script = Script::read(file)?;
            let report = scripts.check(&script.name, &script.text);
            self.show(&script, &report)?;
            if report.is_refused() {
                exit = Exit::Refused;
            }
        }
        Ok(exit)
    }

    fn show(&self, script: &Script, report: &Report) -> Result<(), Failure> {
        if self.format == Format::Json {
            let listing = Listing::new(&script.name, &script.text);
            for diagnostic in &report.diagnostics {
                output::print(&format!("{}\n", listing.json_line(diagnostic)))?;
            }
            return Ok(());
        }
        render(script, report);
        if !report.is_refused() {
            output::note(&format!("{}: no faults", script.name));
        }
        Ok(())
    }
}

/// Shows the diagnostics of a report on standard error.
pub(crate) fn render(script: &Script, report: &Report) {
    let colour = if output::notes_are_on_a_terminal() {
        Colour::Always
    } else {
        Colour::Never
    };
    let listing = Listing::new(&script.name, &script.text);
    for diagnostic in &report.diagnostics {
        output::note(listing.render(diagnostic, colour).trim_end());
    }
}
