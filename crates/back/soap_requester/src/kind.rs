//! The kind `soap`: the records of a service go to a SOAP server over a connection, or over queues.

use std::sync::Arc;
use std::time::Instant;

use providers::{Given, Kind, Payloads, Place, Section};
use queue_config::{QueueExchange, QueueUse};
use remote::config::Connections;
use remote::{Connection, HttpProvider};
use serde::Deserialize;
use serde::de::Error as _;
use service::{CallContext, Error, ErrorKind, Outcome, Payload, ServiceProvider, Stated};
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

/// The messages of a WSDL, for a service that has them in place of records.
#[derive(Debug)]
pub struct Messages {
    /// The request.
    pub request: Arc<channel::Interface>,
    /// The response; none if the operation is one-way.
    pub response: Option<Arc<channel::Interface>>,
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
    /// Finds it. If it does not exist, the message about it, or none if that has been reported.
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
        let found = match self.leads.find(&mut place.given) {
            Ok(found) => Some(found),
            Err(message) => {
                message.into_iter().for_each(|message| place.fault(message));
                None
            }
        };
        let usual = format!("{}Operation", place.service);
        let made = match place.payloads {
            Payloads::Records { request, response } => {
                // The fault of a faulty copybook has been reported.
                let (Some(request), Some(response)) = (request.interface, response.interface) else {
                    return None;
                };
                let (request, response) = (SideOf::Record(request), SideOf::Record(response));
                self.soap.operation(&usual, Sides { request: Some(request), response: Some(response) })
            }
            Payloads::Messages { .. } => {
                Err(vec!["the provider soap sends messages as they are: it goes without interface = \"commarea\" in [messages]".to_owned()])
            }
            Payloads::Channels => match place.given.get::<Messages>() {
                Some(messages) => self.operation_of(messages),
                None => Err(vec!["the provider soap needs a service of records or of [messages]".to_owned()]),
            },
        };
        match made {
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

impl SoapProviderSection {
    /// The operation that has the messages of a WSDL. Where it has no answer, there is no content.
    fn operation_of(&self, Messages { request, response }: &Messages) -> Result<SoapOperation, Vec<String>> {
        let keys = self.soap.keys_of_elements();
        let faults: Vec<String> = keys.map(|key| format!("{key}: the WSDL of [messages] says it")).collect();
        if !faults.is_empty() {
            return Err(faults);
        }
        let sides = Sides {
            request: Some(SideOf::Channel(request)),
            response: response.as_ref().map(SideOf::Channel),
        };
        let mut operation = self.soap.operation("", sides)?;
        operation.unanswered = Payload::Stated(Box::new(Stated {
            payload: Payload::Record(Vec::new()),
            status_line: Some("204".to_owned()),
            fault: None,
        }));
        Ok(operation)
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
