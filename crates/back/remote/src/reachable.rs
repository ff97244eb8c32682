//! The servers that data may choose among: connections of the configuration, by name or by a URL below theirs.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::connection::Connection;

/// Connections among which a program may choose.
#[derive(Clone, Debug, Default)]
pub struct Reachable(pub(crate) BTreeMap<String, Arc<Connection>>);

impl Reachable {
    /// The connection of that name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Arc<Connection>> {
        self.0.get(name)
    }

    /// All of them, by their names.
    pub fn all(&self) -> impl Iterator<Item = (&str, &Arc<Connection>)> {
        self.0.iter().map(|(name, connection)| (name.as_str(), connection))
    }

    /// The connection that has a whole URL below its own, and the path and query of the URL there. Of several, `own` goes
    /// first, and then the one with the longest path.
    #[must_use]
    pub fn at(&self, url: &str, own: Option<&Arc<Connection>>) -> Option<(Arc<Connection>, String)> {
        let below = |connection: &Arc<Connection>| {
            connection.base().below(url).map(|target| (Arc::clone(connection), target))
        };
        own.and_then(below).or_else(|| {
            self.0.values().filter_map(below).max_by_key(|(connection, _)| connection.base().path_bytes())
        })
    }
}
