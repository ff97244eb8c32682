//! The kind `soap`: the records of a service go to a SOAP server over a connection, or over queues.

use std::sync::Arc;
use std::time::Instant;

use providers::{Given, Kind, Payloads, Place, RecordSide, Section};
use queue_config::{QueueExchange, QueueUse};
use remote::config::Connections;
use remote::{Connection, HttpProvider};
use serde::Deserialize;
use serde::de::Error as _;
use service::{CallContext, Error, ErrorKind, Outcome, Payload, ServiceProvider};
use toml::Table;

use crate::call::{CallError, Within};
use crate::config::{SideOf, Sides, SoapSection};
use crate::jms::JmsUri;
use crate::operation::SoapOperation;
use crate::transport::{QueueRoute, Transport};

/// The kind `soap`.
pub static KIND: &dyn Kind = &SoapKind;

#[derive(Debug)]
struct SoapKind;

impl Kind for SoapKind {
    fn word(&self) -> &'static str {
        "soap"
    }

    fn read(&self, mut keys: Table) -> Result<Box<dyn Section>, toml::de::Error> {
        let mut text = |key: &str| keys.remove(key).map(String::deserialize).transpose();
        let leads = match (text("connection")?, text("uri")?) {
            (Some(connection), None) => Leads::Connection(connection),
            (None, Some(uri)) => Leads::Queue(uri),
            (None, None) => return Err(toml::de::Error::missing_field("connection")),
            (Some(_), Some(_)) => {
                return Err(toml::de::Error::custom("expected connection or uri, not both"));
            }
        };
        Ok(Box::new(SoapProviderSection { leads, soap: keys.try_into()? }))
    }
}

/// `[provider]` with `kind = "soap"`.
#[derive(Debug)]
struct SoapProviderSection {
    leads: Leads,
    soap: SoapSection,
}

/// Where the server is.
#[derive(Debug)]
enum Leads {
    /// One of `[connections]`.
    Connection(String),
    /// The address of a queue.
    Queue(String),
}

/// The same, found.
enum Found {
    Connection(Arc<Connection>),
    Queue((Arc<JmsUri>, QueueExchange)),
}

impl Leads {
    /// Finds it; what to say if it is not there, or nothing if that has been told.
    fn find(&self, given: &mut Given<'_>) -> Result<Found, Option<String>> {
        match self {
            Leads::Connection(name) => match given.get::<Connections>() {
                Some(connections) => connections.find(name).cloned().map(Found::Connection),
                None => Err(Some("the provider soap needs connections, and there are none".to_owned())),
            },
            Leads::Queue(uri) => {
                let uses = given.get::<QueueUse>().filter(|uses| uses.is_there);
                crate::config::queue(uri, uses.map(|uses| &uses.slot)).map(Found::Queue).map_err(Some)
            }
        }
    }
}

impl Section for SoapProviderSection {
    fn provider(&self, mut place: Place<'_, '_>) -> Option<Arc<dyn ServiceProvider>> {
        let Payloads::Records { request, response } = place.payloads else {
            place.fault("the provider soap needs a service of records: [request] and [response]");
            return None;
        };
        let found = match self.leads.find(&mut place.given) {
            Ok(found) => Some(found),
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
        let sides =
            Sides { request: Some(SideOf::Record(request)), response: Some(SideOf::Record(response)) };
        match self.soap.operation(&usual, sides) {
            Ok(operation) => match found? {
                Found::Connection(connection) => {
                    Some(Arc::new(HttpProvider::new(connection, Arc::new(operation))))
                }
                Found::Queue((uri, queues)) => {
                    if let Err(message) = operation.goes_by(&uri) {
                        place.fault(message);
                        return None;
                    }
                    let path = operation.path.clone();
                    Some(Arc::new(MessageProvider {
                        operation: Arc::new(operation),
                        transport: QueueRoute { uri, queues, path },
                    }))
                }
            },
            Err(messages) => {
                messages.into_iter().for_each(|message| place.fault(message));
                None
            }
        }
    }
}

/// A service behind a SOAP server over any transport but HTTP, which `remote::HttpProvider` has.
#[derive(Debug)]
struct MessageProvider<T> {
    operation: Arc<SoapOperation>,
    transport: T,
}

impl<T: Transport + Clone + Sync + 'static> ServiceProvider for MessageProvider<T> {
    fn call(&self, context: CallContext<'_>, request: Payload) -> Outcome {
        let within = Within { deadline: Instant::now() + context.time_left, caller: None };
        let (operation, transport) = (Arc::clone(&self.operation), self.transport.clone());
        Outcome::Pending(Box::pin(async move {
            operation.call(&request, transport, &within).await.map_err(of_call)
        }))
    }

    fn kind(&self) -> &'static str {
        "soap"
    }
}

fn of_call(error: CallError) -> Error {
    let message = error.to_string();
    match error {
        CallError::Fault { .. } => Error::faulted(message),
        CallError::Record(_) | CallError::Conversion(_) => Error::failed(message),
        CallError::Refused(_) => Error::refused(message),
        CallError::TimedOut => Error { kind: ErrorKind::TimedOut, message },
    }
}

#[cfg(test)]
mod tests;
