//! `TO CLICKHOUSE | POSTGRES | MYSQL | MONGODB` (emitters.txt "ClickHouse", "Postgres", "MySQL", "MongoDB").

use std::collections::HashMap;
use std::sync::Arc;

use nspl_model::{
    Capabilities, ClickHouseSinkDef, ClientDef, ClientKind, Conflict, ConflictAction, ConflictRule,
    IdentifierForm, MongoDbSinkDef, MySqlSinkDef, PostgresSinkDef, TableName,
};
use nspl_syntax::sink::conflict as tree;
use nspl_syntax::sink::database::DatabaseSink;
use nspl_syntax::sink::values::Values;
use nspl_syntax::{ExternalName, Span};

use super::{Resolver, SinkSite};
use crate::rules;

impl Resolver<'_> {
    pub(super) fn clickhouse_sink(
        &mut self,
        tree: &DatabaseSink,
        values: Option<&Values>,
        site: SinkSite<'_>,
    ) -> Option<ClickHouseSinkDef> {
        let (client, table, _) = self.table_sink((tree, ClientKind::ClickHouse), values, site)?;
        Some(ClickHouseSinkDef { client, table })
    }

    pub(super) fn postgres_sink(
        &mut self,
        tree: &DatabaseSink,
        values: Option<&Values>,
        site: SinkSite<'_>,
    ) -> Option<PostgresSinkDef> {
        let (client, table, conflict) = self.table_sink((tree, ClientKind::Postgres), values, site)?;
        Some(PostgresSinkDef {
            client,
            table,
            conflict,
        })
    }

    pub(super) fn mysql_sink(
        &mut self,
        tree: &DatabaseSink,
        values: Option<&Values>,
        site: SinkSite<'_>,
    ) -> Option<MySqlSinkDef> {
        let (client, table, conflict) = self.table_sink((tree, ClientKind::MySql), values, site)?;
        Some(MySqlSinkDef {
            client,
            table,
            conflict,
        })
    }

    pub(super) fn mongodb_sink(
        &mut self,
        tree: &DatabaseSink,
        values: Option<&Values>,
        site: SinkSite<'_>,
    ) -> Option<MongoDbSinkDef> {
        let client = self.client(&tree.client, ClientKind::MongoDb);
        let collection = self.external_name(&tree.table, "COLLECTION", MongoDbSinkDef::collection_fault);
        let conflict = self.mapped(tree, values, site.capabilities);
        Some(MongoDbSinkDef {
            client: client?,
            collection: collection?,
            conflict: conflict?,
        })
    }

    /// What the sinks that write rows of a table have in common.
    fn table_sink(
        &mut self,
        (tree, kind): (&DatabaseSink, ClientKind),
        values: Option<&Values>,
        site: SinkSite<'_>,
    ) -> Option<(Arc<ClientDef>, TableName, Option<Conflict>)> {
        let client = self.client(&tree.client, kind);
        let table = self.table(&tree.table, site.capabilities.identifiers);
        let conflict = self.mapped(tree, values, site.capabilities);
        Some((client?, table?, conflict?))
    }

    /// VALUES and ON CONFLICT.
    fn mapped(
        &mut self,
        tree: &DatabaseSink,
        values: Option<&Values>,
        sink: &Capabilities,
    ) -> Option<Option<Conflict>> {
        self.identifiers(values, sink, tree.conflict.is_some());
        self.conflict(tree.conflict.as_ref(), values, sink)
    }

    fn table(&mut self, tree: &ExternalName, form: IdentifierForm) -> Option<TableName> {
        let judged = TableName::parse(&tree.text).and_then(|table| {
            let fault = table.parts().find_map(|part| form.fault(part));
            fault.map_or(Ok(table), Err)
        });
        match judged {
            Ok(table) => {
                if let Some(part) = table.parts().find(|part| form.caution(part).is_some()) {
                    self.caution(tree.span, part, form);
                }
                Some(table)
            }
            Err(why) => {
                self.faults
                    .push(rules::external_name::fault(tree.span, "TABLE", &why));
                None
            }
        }
    }

    /// ON CONFLICT, by the form that the database has.
    fn conflict(
        &mut self,
        tree: Option<&tree::Conflict>,
        values: Option<&Values>,
        sink: &Capabilities,
    ) -> Option<Option<Conflict>> {
        let Some(tree) = tree else {
            return Some(None);
        };
        let update = tree.action == tree::ConflictAction::Update;
        let fits = match sink.conflict {
            ConflictRule::Refused => false,
            ConflictRule::NoTarget => tree.targets.is_empty(),
            ConflictRule::TargetForUpdate => !update || !tree.targets.is_empty(),
            ConflictRule::TargetRequired => !tree.targets.is_empty(),
        };
        if !fits {
            self.faults.push(rules::conflict_form::fault(tree.span, sink));
            return None;
        }
        let targets = self.conflict_targets(tree, values)?;
        let columns = values.map_or(0, |values| values.map.entries.len());
        if update && !targets.is_empty() && targets.len() == columns {
            self.faults
                .push(rules::conflict_target::nothing_to_update(tree.span));
            return None;
        }
        let action = match tree.action {
            tree::ConflictAction::Update => ConflictAction::Update,
            tree::ConflictAction::Nothing => ConflictAction::Nothing,
        };
        Some(Some(Conflict { targets, action }))
    }

    /// The targets as indexes into VALUES.
    fn conflict_targets(&mut self, tree: &tree::Conflict, values: Option<&Values>) -> Option<Vec<usize>> {
        let entries = &values?.map.entries;
        let columns = entries.iter().enumerate();
        let columns: HashMap<&str, usize> = columns
            .map(|(index, entry)| (entry.key.value.as_str(), index))
            .collect();
        let faults_before = self.faults.len();
        let mut seen: HashMap<&str, Span> = HashMap::new();
        let mut found = Vec::new();
        for target in &tree.targets {
            if let Some(before) = seen.insert(&target.value, target.span) {
                self.faults.push(rules::conflict_target::doubled(target, before));
                continue;
            }
            match columns.get(target.value.as_str()) {
                Some(index) => found.push(*index),
                None => {
                    let keys = entries.iter().map(|entry| entry.key.value.as_str());
                    self.faults.push(rules::conflict_target::unmapped(target, keys));
                }
            }
        }
        self.is_clean_since(faults_before).then_some(found)
    }
}
