//! `nervix describe`: what is there, and how it fares.

use clap::Args;
use nervix_client::{Client, ClusterStatus, Description, Entity};

use crate::{
    connection::Connection,
    exit::{Exit, Failure},
    output,
    target::Target,
};

/// Show what is there, and how it fares
///
/// Without arguments: the nodes and every entity. With KIND: the entities of that kind. With KIND and NAME, or with
/// DOMAIN.NAME: everything known of an entity, with its live counters where a worker executes it. Secrets are masked.
///
/// Exit codes: 0 shown, 1 refused (unknown kind or name), 2 could not run.
///
/// Examples:
///   nervix describe
///   nervix describe emitter --domain travel
///   nervix describe travel.delayed
///   nervix describe emitter delayed --domain travel
///   nervix describe domain travel
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct Describe {
    /// A kind in NSPL's words, such as emitter (quote those of several words), or DOMAIN.NAME
    what: Option<String>,
    /// The name of the entity
    name: Option<String>,
    /// The domain
    #[arg(long, env = "NERVIX_DOMAIN")]
    domain: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl Describe {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let client = self.connection.client().await?;
        let domain = self.domain.as_deref();
        if let (Some(what), None) = (&self.what, &self.name)
            && what.contains(['.', '/'])
        {
            let target = what
                .parse::<Target>()
                .map_err(|how| Failure::Usage(format!("`{what}`: {how}")))?;
            return everything_named(&client, &target).await;
        }
        match (self.what.map(|kind| kind.to_uppercase()), self.name) {
            (None, _) => overview(&client, domain).await?,
            (Some(kind), None) => output::print(&entities(&client.list(domain, Some(&kind)).await?))?,
            (Some(kind), Some(name)) => {
                let domain = match (domain, kind.as_str()) {
                    (_, "DOMAIN") => name.as_str(),
                    (Some(domain), _) => domain,
                    (None, _) => return Err(Failure::Usage("say which domain with --domain".to_owned())),
                };
                output::print(&description(&client.describe(domain, &kind, &name).await?))?;
            }
        }
        Ok(Exit::Done)
    }
}

/// Describes every entity of a name; names are unique per kind only.
async fn everything_named(client: &Client, target: &Target) -> Result<Exit, Failure> {
    let listed = client.list(Some(&target.domain), None).await?;
    let named: Vec<&Entity> = listed
        .iter()
        .filter(|entity| entity.name == target.name)
        .collect();
    if named.is_empty() {
        return Err(Failure::Refused(format!(
            "domain {} has nothing named {}",
            target.domain, target.name
        )));
    }
    for entity in named {
        output::print(&description(
            &client
                .describe(&entity.domain, &entity.kind, &entity.name)
                .await?,
        ))?;
    }
    Ok(Exit::Done)
}

async fn overview(client: &Client, domain: Option<&str>) -> Result<(), Failure> {
    let status = client.cluster_status().await?;
    let listed = client.list(domain, None).await?;
    output::print(&format!("{}\n{}", nodes(&status), entities(&listed)))
}

fn nodes(status: &ClusterStatus) -> String {
    let rows: Vec<Vec<String>> = status
        .nodes
        .iter()
        .map(|node| {
            let applied = format!("{}/{}", node.applied_revision, status.revision);
            let seen = format!("{:.1}s", node.last_seen_s);
            [
                node.name.clone(),
                node.state.to_string(),
                node.flight_address.clone(),
                applied,
                seen,
                node.kinds.join(","),
            ]
            .into()
        })
        .collect();
    table(["node", "state", "flight", "revision", "seen", "kinds"], &rows)
}

fn entities(entities: &[Entity]) -> String {
    let rows: Vec<Vec<String>> = entities
        .iter()
        .map(|entity| {
            let changed = entity.modified_revision.to_string();
            [
                entity.domain.clone(),
                entity.kind.clone(),
                entity.name.clone(),
                changed,
            ]
            .into()
        })
        .collect();
    table(["domain", "kind", "name", "changed at revision"], &rows)
}

fn description(description: &Description) -> String {
    let lines = description
        .properties
        .iter()
        .map(|property| match property.key.as_str() {
            "" => format!("{}\n", property.value),
            key => format!("{key}: {}\n", property.value),
        });
    lines.collect()
}

fn table<const N: usize>(columns: [&str; N], rows: &[Vec<String>]) -> String {
    nspl::aligned(&columns.map(str::to_owned), rows) + "\n"
}
