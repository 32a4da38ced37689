//! `nervix dev FILE`: what FILE declares, beside what the store already holds.
//!
//! An empty catalog takes FILE whole. A catalog that says the same goes on as it is. Anything else is not decided here:
//! the differences are listed, with the two remedies. A domain that FILE starts and that never was, for the process ended
//! between the two, is started; one that was stopped since stays stopped.

use std::{collections::BTreeMap, ops::Range};

use nervix_client::Client;
use nervix_control_plane::ControlHandle;
use nspl::{Action, Catalog, Difference, DifferenceKind, Plan};

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
    /// The domains that run when FILE has been carried out, and where it starts them.
    started: BTreeMap<String, Range<usize>>,
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
            started: started(&report.plan),
            catalog: report.plan.catalog,
        })
    }

    /// Brings the running catalog to what FILE says, or says why not.
    pub(super) async fn reconcile(&self, control: &ControlHandle, client: &Client) -> Result<(), Failure> {
        let stored = control.catalog();
        if stored.is_empty() {
            return self.apply(client).await;
        }
        let differences = stored.differences(&self.catalog);
        if differences.is_empty() {
            tracing::info!(
                file = self.script.name,
                "the catalog says what the file says: going on"
            );
            return self.start_the_rest(control, client).await;
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

    async fn start_the_rest(&self, control: &ControlHandle, client: &Client) -> Result<(), Failure> {
        let never = self
            .started
            .iter()
            .filter(|(domain, _)| !control.was_started(domain));
        for (domain, place) in never {
            let statement = self.script.text.get(place.clone()).unwrap_or_default();
            let reply = client
                .execute_in(statement, Some(domain), Some(&self.script.name))
                .await?;
            if !reply.succeeded() {
                script::show(&reply)?;
                return Err(Failure::Refused(format!("domain {domain} was not started")));
            }
            tracing::info!(domain, "it was declared and never started: started now");
        }
        Ok(())
    }

    async fn apply(&self, client: &Client) -> Result<(), Failure> {
        let reply = script::run(client, &self.script, None).await?;
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

fn started(plan: &Plan) -> BTreeMap<String, Range<usize>> {
    let mut started = BTreeMap::new();
    for step in &plan.steps {
        match &step.action {
            Action::Start { domain, .. } => started.insert(domain.clone(), step.span.clone()),
            Action::Stop { domain } => started.remove(domain),
            _ => None,
        };
    }
    started
}

fn line(difference: &Difference) -> String {
    let what = match difference.kind {
        DifferenceKind::Added => "only in the file",
        DifferenceKind::Removed => "only in the catalog",
        DifferenceKind::Changed => "defined differently",
    };
    format!("{} in domain {}: {what}", difference.key, difference.domain)
}

#[cfg(test)]
mod tests {
    use std::{error::Error, sync::Arc};

    use nervix_client::Client;
    use nervix_control_plane::{ControlOptions, ControlPlane};
    use nervix_store::EmbeddedStore;
    use tokio::net::TcpListener;

    use super::Declared;

    type Outcome = Result<(), Box<dyn Error>>;

    #[tokio::test]
    async fn a_domain_that_the_file_starts_and_that_never_was_is_started_and_a_stopped_one_is_not() -> Outcome
    {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let store = Arc::new(EmbeddedStore::in_memory()?);
        let control = ControlPlane::start(ControlOptions::new(listener, store)).await?;
        let client = Client::connect(&control.control_addr().to_string()).await?;
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("f.nspl");
        let declaration = "CREATE DOMAIN d; USE d; CREATE SCHEMA s (id I64);";
        std::fs::write(&path, format!("{declaration} START; CREATE DOMAIN e;"))?;
        let declared = Declared::read(path.to_str().ok_or("not text")?)?;
        // A process that ended before START.
        client.execute(&format!("{declaration} CREATE DOMAIN e;")).await?;
        assert!(!control.was_started("d"));
        declared.reconcile(&control, &client).await?;
        assert!(control.was_started("d") && !control.was_started("e"));
        client.execute("USE d; STOP;").await?;
        let before = control.revision();
        declared.reconcile(&control, &client).await?;
        assert_eq!(control.revision(), before, "a stopped domain stays stopped");
        Ok(())
    }
}
