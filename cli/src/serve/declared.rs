//! `nervix dev FILE`: what FILE declares, beside what the store already holds.
//!
//! An empty catalog takes FILE whole. A catalog that says the same goes on as it is. Anything else is not decided here:
//! the differences are listed, with the two remedies.

use nervix_client::Client;
use nspl::{Catalog, Difference, DifferenceKind};

use crate::{
    check,
    exit::{Exit, Failure},
    output,
    script::{self, Script},
};

/// A checked FILE.
#[derive(Debug)]
pub(super) struct Declared {
    script: Script,
    catalog: Catalog,
}

impl Declared {
    /// Reads FILE and judges it by itself, as `nervix check` does.
    pub(super) fn read(path: &str) -> Result<Self, Failure> {
        let script = Script::read(path)?;
        let report = nspl::check(&script.name, &script.text, None, &Catalog::default());
        check::render(&script, &report);
        if report.is_refused() {
            return Err(Failure::Refused(format!(
                "{path} has faults: correct them and start again"
            )));
        }
        Ok(Declared {
            script,
            catalog: report.plan.catalog,
        })
    }

    /// Brings the running catalog to what FILE says, or says why not.
    pub(super) async fn reconcile(&self, stored: &Catalog, client: &Client) -> Result<(), Failure> {
        if stored.is_empty() {
            return self.apply(client).await;
        }
        let differences = stored.differences(&self.catalog);
        if differences.is_empty() {
            tracing::info!(
                file = self.script.name,
                "the catalog says what the file says: going on"
            );
            return Ok(());
        }
        let name = &self.script.name;
        output::note(&format!("{name} differs from the catalog in the store:"));
        differences
            .iter()
            .for_each(|difference| output::note(&format!("  {}", line(difference))));
        Err(Failure::Refused(format!(
            "the catalog was left as it is. Start again without {name} and bring the changes in with `nervix apply`, \
             or start over from {name} with `nervix dev {name} --reset`, which forgets the stored catalog"
        )))
    }

    async fn apply(&self, client: &Client) -> Result<(), Failure> {
        let reply = client
            .execute_in(&self.script.text, None, Some(&self.script.name))
            .await?;
        if reply.succeeded() {
            tracing::info!(
                file = self.script.name,
                statements = reply.statements.len(),
                "applied"
            );
            return Ok(());
        }
        match script::show(&reply)? {
            Exit::Done => Ok(()),
            _ => Err(Failure::Refused(format!("{} was refused", self.script.name))),
        }
    }
}

fn line(difference: &Difference) -> String {
    let what = match difference.kind {
        DifferenceKind::Added => "only in the file",
        DifferenceKind::Removed => "only in the catalog",
        DifferenceKind::Changed => "defined differently",
    };
    format!("{} in domain {}: {what}", difference.key, difference.domain)
}
