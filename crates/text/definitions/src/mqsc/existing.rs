//! The content of an existing `gantry.toml`, as far as definitions refer to it.

use std::collections::{BTreeMap, BTreeSet};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The existing definitions.
#[derive(Debug, Default)]
pub(super) struct Existing {
    /// The name of the queue manager; empty if there is none.
    pub(super) name: String,
    /// Queues, and whether they are local.
    pub(super) queues: BTreeMap<String, bool>,
    pub(super) processes: BTreeSet<String>,
    pub(super) subscriptions: BTreeSet<String>,
    /// Transactions of the region.
    pub(super) transactions: BTreeSet<String>,
    /// True if callers are authenticated, so that grants to groups can hold.
    pub(super) has_authenticators: bool,
}

impl Existing {
    /// Reads a text. A text that is not TOML counts as empty; the writer of the file reports the fault.
    pub(super) fn of(text: &str) -> Self {
        let Ok(root) = DeTable::parse(text) else { return Self::default() };
        let root = root.get_ref();
        let manager = table(root, "queue_manager");
        let names = |parent: Option<&DeTable<'_>>, list: &str| -> BTreeSet<String> {
            entries(parent, list).iter().filter_map(|entry| text_of(entry, "name")).collect()
        };
        let queues = entries(manager, "queue").into_iter().filter_map(|entry| {
            let is_local = match text_of(entry, "type") {
                Some(kind) => kind == "local",
                None => !entry.contains_key("alias_of"),
            };
            Some((text_of(entry, "name")?, is_local))
        });
        Self {
            name: manager.and_then(|manager| text_of(manager, "name")).unwrap_or_default(),
            queues: queues.collect(),
            processes: names(manager, "process"),
            subscriptions: names(manager, "subscription"),
            transactions: names(table(root, "region"), "transaction"),
            has_authenticators: !entries(table(root, "security"), "authenticator").is_empty(),
        }
    }

    pub(super) fn has_name(&self) -> bool {
        !self.name.is_empty()
    }
}

fn table<'t, 'i>(parent: &'t DeTable<'i>, name: &str) -> Option<&'t DeTable<'i>> {
    parent.get(name).map(Spanned::get_ref).and_then(DeValue::as_table)
}

fn entries<'t, 'i>(parent: Option<&'t DeTable<'i>>, list: &str) -> Vec<&'t DeTable<'i>> {
    let list = parent.and_then(|parent| parent.get(list)).and_then(|list| list.get_ref().as_array());
    list.into_iter().flat_map(|list| list.iter()).filter_map(|entry| entry.get_ref().as_table()).collect()
}

fn text_of(table: &DeTable<'_>, key: &str) -> Option<String> {
    table.get(key).and_then(|value| value.get_ref().as_str()).map(str::to_owned)
}
