//! The kind `soap`: the records of a service go to a SOAP server over a connection.

use std::sync::Arc;

use providers::{Kind, Payloads, Place, RecordSide, Section};
use remote::HttpProvider;
use remote::config::Connections;
use serde::Deserialize;
use serde::de::Error as _;
use service::ServiceProvider;
use toml::Table;

use crate::config::{Sides, SoapSection};

/// The kind `soap`.
pub static KIND: &dyn Kind = &SoapKind;

#[derive(Debug)]
struct SoapKind;

impl Kind for SoapKind {
    fn word(&self) -> &'static str {
        "soap"
    }

    fn read(&self, mut keys: Table) -> Result<Box<dyn Section>, toml::de::Error> {
        let connection =
            keys.remove("connection").ok_or_else(|| toml::de::Error::missing_field("connection"))?;
        let connection = String::deserialize(connection)?;
        Ok(Box::new(SoapProviderSection { connection, soap: keys.try_into()? }))
    }
}

/// `[provider]` with `kind = "soap"`.
#[derive(Debug)]
struct SoapProviderSection {
    /// One of `[connections]`.
    connection: String,
    soap: SoapSection,
}

impl Section for SoapProviderSection {
    fn provider(&self, mut place: Place<'_, '_>) -> Option<Arc<dyn ServiceProvider>> {
        let Payloads::Records { request, response } = place.payloads else {
            place.fault("the provider soap needs a service of records: [request] and [response]");
            return None;
        };
        let found = match place.given.get::<Connections>() {
            Some(connections) => connections.find(&self.connection).cloned(),
            None => Err(Some("the provider soap needs connections, and there are none".to_owned())),
        };
        let connection = match found {
            Ok(connection) => Some(connection),
            Err(message) => {
                message.into_iter().for_each(|message| place.fault(message));
                None
            }
        };
        // Of a faulty copybook the fault has been told.
        let (RecordSide { interface: Some(request), .. }, RecordSide { interface: Some(response), .. }) =
            (request, response)
        else {
            return None;
        };
        let usual = format!("{}Operation", place.service);
        let sides = Sides { request: Some(request), response: Some(response) };
        match self.soap.operation(&usual, sides) {
            Ok(operation) => Some(Arc::new(HttpProvider::new(connection?, Arc::new(operation)))),
            Err(messages) => {
                messages.into_iter().for_each(|message| place.fault(message));
                None
            }
        }
    }
}
