//! The kind `http`: the records of a service go to a REST API over a connection.

use std::sync::Arc;

use providers::{Kind, Place, Section};
use remote::HttpProvider;
use remote::config::Connections;
use serde::Deserialize;
use service::ServiceProvider;
use toml::Table;

use crate::RecordOperation;

/// The kind `http`.
pub static KIND: &dyn Kind = &HttpKind;

#[derive(Debug)]
struct HttpKind;

impl Kind for HttpKind {
    fn word(&self) -> &'static str {
        "http"
    }

    fn read(&self, keys: Table) -> Result<Box<dyn Section>, toml::de::Error> {
        Ok(Box::new(keys.try_into::<HttpProviderSection>()?))
    }
}

/// `[provider]` with `kind = "http"`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct HttpProviderSection {
    /// One of `[connections]`.
    connection: String,
}

/// How the records of a service go over HTTP, made of `[http]` in its file. The kind gets it beside the
/// connections.
#[derive(Debug)]
pub struct HttpWay(
    /// None if it has faults, which are reported.
    pub Option<RecordOperation>,
);

impl Section for HttpProviderSection {
    fn provider(&self, mut place: Place<'_, '_>) -> Option<Arc<dyn ServiceProvider>> {
        let Some(HttpWay(operation)) = place.given.get::<HttpWay>() else {
            place.fault(
                "the provider http needs [http] in the service's file, which says how records go over HTTP",
            );
            return None;
        };
        let operation = operation.take();
        let found = match place.given.get::<Connections>() {
            Some(connections) => connections.find(&self.connection).cloned(),
            None => Err(Some("the provider http needs connections, and there are none".to_owned())),
        };
        match found {
            Ok(connection) => Some(Arc::new(HttpProvider::new(connection, Arc::new(operation?)))),
            Err(message) => {
                message.into_iter().for_each(|message| place.fault(message));
                None
            }
        }
    }

    fn way(&self) -> Option<&'static str> {
        Some("http")
    }
}
