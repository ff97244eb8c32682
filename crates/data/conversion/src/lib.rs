//! JSON of a service becomes its payload, and back: its provider takes and gives records or channels.
//!
//! Every front that has JSON uses the same [`Conversion`] of a service, whatever the payload is. The crate also reads
//! the status that a program gives to its answer.

mod stated;

use std::sync::Arc;

use channel::{Imported, Side};
use failure::{Code, Failure};
use record::{Bind, Schema};
use service::Payload;

pub use stated::{STATUS_LINE_MAX_BYTES, StatedStatus, has_no_body, status_in_field};

/// How the JSON of a service becomes its payload, and its payload JSON.
#[derive(Clone, Debug)]
pub enum Conversion {
    /// Records: a commarea, a message.
    Record {
        /// From JSON.
        request: Arc<Bind>,
        /// To JSON.
        response: Arc<Bind>,
    },
    /// Records of messages that a WSDL describes.
    Message {
        /// From JSON. The record names no containers.
        request: Arc<channel::Interface>,
        /// To JSON; none if the operation has no response. Its JSON is an empty object then.
        response: Option<Arc<channel::Interface>>,
        /// The JSON Schemas of both.
        schemas: [Arc<str>; 2],
    },
    /// Channels of containers.
    Channel {
        /// From JSON.
        request: Arc<channel::Interface>,
        /// To JSON.
        response: Arc<channel::Interface>,
        /// The JSON Schemas of both.
        schemas: [Arc<str>; 2],
    },
    /// Channels of containers that have a copybook each, or are text.
    Containers {
        /// From JSON.
        request: Arc<Imported>,
        /// To JSON.
        response: Arc<Imported>,
    },
    /// The provider takes and gives JSON itself.
    Json {
        /// The JSON Schemas of request and response.
        schemas: [Arc<str>; 2],
    },
}

impl Conversion {
    /// The payload of a request in JSON.
    ///
    /// # Errors
    /// What in the JSON does not fit.
    pub fn request(&self, json: &[u8]) -> Result<Payload, Failure> {
        match self {
            Conversion::Record { request, .. } => {
                let mut record = Vec::with_capacity(request.max_bytes());
                request.encode(json, &mut record).map_err(|error| Failure::from_request(&error))?;
                Ok(Payload::Record(record))
            }
            Conversion::Message { request, .. } => {
                let made = request.to_record_alone(json);
                let record = made.map_err(|error| Failure::from_channel(&error, Side::Request))?;
                Ok(Payload::Record(record))
            }
            Conversion::Channel { request, .. } => {
                let channel =
                    request.to_channel(json).map_err(|error| Failure::from_channel(&error, Side::Request))?;
                Ok(Payload::Channel(channel))
            }
            Conversion::Containers { request, .. } => {
                let channel =
                    request.to_channel(json).map_err(|error| Failure::from_channel(&error, Side::Request))?;
                Ok(Payload::Channel(channel))
            }
            Conversion::Json { .. } => Ok(Payload::Record(json.to_vec())),
        }
    }

    /// Writes the JSON of an answer.
    ///
    /// # Errors
    /// The payload does not fit the description of the service.
    pub fn response(&self, payload: &Payload, json: &mut Vec<u8>) -> Result<(), Failure> {
        match (self, payload) {
            (Conversion::Record { response, .. }, Payload::Record(record)) => {
                response.decode(record, json).map_err(|error| Failure::from_response(&error))
            }
            (Conversion::Message { response: Some(response), .. }, Payload::Record(record)) => response
                .record_to_json(record.clone(), Vec::new(), json)
                .map_err(|error| Failure::from_channel(&error, Side::Response)),
            (Conversion::Message { response: None, .. }, Payload::Record(_)) => {
                json.extend_from_slice(b"{}");
                Ok(())
            }
            (Conversion::Channel { response, .. }, Payload::Channel(channel)) => {
                response.to_json(channel, json).map_err(|error| Failure::from_channel(&error, Side::Response))
            }
            (Conversion::Containers { response, .. }, Payload::Channel(channel)) => {
                response.to_json(channel, json).map_err(|error| Failure::from_channel(&error, Side::Response))
            }
            (Conversion::Json { .. }, Payload::Record(record)) => {
                json.extend_from_slice(record);
                Ok(())
            }
            // Nothing came back: a message may have no answer.
            (Conversion::Channel { .. } | Conversion::Containers { .. }, Payload::Record(record))
                if record.is_empty() =>
            {
                json.extend_from_slice(b"{}");
                Ok(())
            }
            (Conversion::Channel { .. } | Conversion::Containers { .. }, _) => {
                Err(unexpected("a channel was expected, not a record"))
            }
            (_, _) => Err(unexpected("a record was expected, not a channel")),
        }
    }

    /// The JSON Schema of requests, as JSON.
    #[must_use]
    pub fn request_schema(&self) -> Vec<u8> {
        match self {
            Conversion::Record { request, .. } => schema(&request.request_schema()),
            Conversion::Containers { request, .. } => schema(&request.request_schema()),
            Conversion::Message { schemas, .. }
            | Conversion::Channel { schemas, .. }
            | Conversion::Json { schemas } => schemas[0].as_bytes().to_vec(),
        }
    }

    /// The JSON Schema of answers, as JSON.
    #[must_use]
    pub fn response_schema(&self) -> Vec<u8> {
        match self {
            Conversion::Record { response, .. } => schema(&response.response_schema()),
            Conversion::Containers { response, .. } => schema(&response.response_schema()),
            Conversion::Message { schemas, .. }
            | Conversion::Channel { schemas, .. }
            | Conversion::Json { schemas } => schemas[1].as_bytes().to_vec(),
        }
    }
}

fn schema(schema: &Schema) -> Vec<u8> {
    // A schema has only names, texts and numbers, so writing it cannot fail.
    serde_json::to_vec(schema).unwrap_or_default()
}

fn unexpected(message: &str) -> Failure {
    Failure { log: Some(message.to_owned()), ..Failure::new(Code::BadRecord) }
}
