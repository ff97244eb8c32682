//! Requests of programs to their region's surroundings: APIs, services, transformations, operators.

use service::DataArea;

use super::bytes::{Reader, put_bytes};
use super::web_calls::{WebAsk, WebReply};
use super::{BadMessage, Container, put_containers, take_containers};

/// The longest message, in bytes (CICS TS, WRITE OPERATOR).
pub const OPERATOR_TEXT_MAX_BYTES: usize = 690;

/// The most routing codes of a message to operators, and the highest one.
pub const OPERATOR_ROUTES_MAX: usize = 28;

/// The most data areas that go with one call of an API, or come back.
pub const DATA_AREAS_MAX: usize = 10_000;

/// A call that leaves the region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallAsk {
    /// BAQCSTUB or BAQEXEC.
    Api {
        /// The API requester.
        api: String,
        /// The method of its operation.
        method: String,
        /// The path of its operation; some characters may be escaped.
        path: String,
        /// The record of the request.
        record: Vec<u8>,
        /// The data areas that it names; none of BAQCSTUB, which knows none.
        areas: Option<Vec<DataArea>>,
    },
    /// INVOKE SERVICE.
    Service {
        /// The service.
        service: String,
        /// Its operation.
        operation: String,
        /// Where it is.
        target: ServiceTarget,
        /// The containers of the channel.
        containers: Vec<Container>,
    },
    /// TRANSFORM.
    Transform {
        /// The name of the transformer.
        transformer: String,
        /// Which way.
        way: TransformWay,
        /// The record, or UTF-8 text.
        input: Vec<u8>,
    },
    /// WRITE OPERATOR.
    Operator {
        /// The text, in the region's code page.
        text: Vec<u8>,
        /// The routing codes.
        routes: Vec<u8>,
        /// The descriptor code of the action that the operator should take, or 0.
        action: u8,
    },
    /// A request to a server over HTTP, or a question about URIMAPs.
    Web(WebAsk),
}

/// Where INVOKE SERVICE says that its service is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServiceTarget {
    /// Nowhere: the configuration says it.
    Configured,
    /// URI.
    Uri(String),
    /// URIMAP.
    UriMap(String),
}

/// Which way TRANSFORM goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransformWay {
    /// DATATOJSON.
    DataToJson,
    /// JSONTODATA.
    JsonToData,
    /// DATATOXML.
    DataToXml,
    /// XMLTODATA.
    XmlToData,
}

/// The answer to a [`CallAsk`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallAnswer {
    /// The API answered.
    Api {
        /// Its status.
        status: u16,
        /// The record of the answer.
        record: Vec<u8>,
        /// The data areas that it names.
        areas: Vec<DataArea>,
    },
    /// The call of an API failed.
    ApiFailed {
        /// 1 in the API, 2 in the gateway, 3 before it, 4 without an answer: BAQ-RETURN-CODE.
        place: u8,
        /// The status that says why.
        status: u16,
        /// A description.
        message: String,
    },
    /// The service's containers.
    Service(Vec<Container>),
    /// The service answered with a fault, which is in these containers.
    ServiceFault(Vec<Container>),
    /// The record, or UTF-8 text.
    Transformed(Vec<u8>),
    /// The input cannot be transformed.
    Untransformable(String),
    /// The operators have the message.
    Written,
    /// The answer to a [`WebAsk`].
    Web(WebReply),
}

const WAYS: [TransformWay; 4] =
    [TransformWay::DataToJson, TransformWay::JsonToData, TransformWay::DataToXml, TransformWay::XmlToData];

impl CallAsk {
    pub(super) fn encode(&self, to: &mut Vec<u8>) {
        match self {
            CallAsk::Api { api, method, path, record, areas } => {
                to.push(b'A');
                for text in [api, method, path] {
                    put_bytes(to, text.as_bytes());
                }
                put_bytes(to, record);
                to.push(u8::from(areas.is_some()));
                if let Some(areas) = areas {
                    put_areas(to, areas);
                }
            }
            CallAsk::Service { service, operation, target, containers } => {
                to.push(b'S');
                put_bytes(to, service.as_bytes());
                put_bytes(to, operation.as_bytes());
                target.encode(to);
                put_containers(to, containers);
            }
            CallAsk::Transform { transformer, way, input } => {
                to.push(b'T');
                put_bytes(to, transformer.as_bytes());
                to.push(*way as u8);
                put_bytes(to, input);
            }
            CallAsk::Operator { text, routes, action } => {
                to.push(b'O');
                put_bytes(to, text);
                put_bytes(to, routes);
                to.push(*action);
            }
            CallAsk::Web(ask) => {
                to.push(b'H');
                ask.encode(to);
            }
        }
    }

    pub(super) fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        match from.byte()? {
            b'A' => Ok(CallAsk::Api {
                api: from.text()?,
                method: from.text()?,
                path: from.text()?,
                record: from.bytes()?,
                areas: if from.flag()? { Some(take_areas(from)?) } else { None },
            }),
            b'S' => Ok(CallAsk::Service {
                service: from.text()?,
                operation: from.text()?,
                target: ServiceTarget::decode(from)?,
                containers: take_containers(from)?,
            }),
            b'T' => Ok(CallAsk::Transform {
                transformer: from.text()?,
                way: *WAYS.get(usize::from(from.byte()?)).ok_or(BadMessage("expected a way to transform"))?,
                input: from.bytes()?,
            }),
            b'O' => {
                Ok(CallAsk::Operator { text: from.bytes()?, routes: from.bytes()?, action: from.byte()? })
            }
            b'H' => Ok(CallAsk::Web(WebAsk::decode(from)?)),
            _ => Err(BadMessage("expected a call that leaves the region")),
        }
    }
}

impl ServiceTarget {
    fn encode(&self, to: &mut Vec<u8>) {
        let (kind, text) = match self {
            ServiceTarget::Configured => (b'-', ""),
            ServiceTarget::Uri(uri) => (b'U', uri.as_str()),
            ServiceTarget::UriMap(name) => (b'M', name.as_str()),
        };
        to.push(kind);
        put_bytes(to, text.as_bytes());
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        let (kind, text) = (from.byte()?, from.text()?);
        match kind {
            b'-' if text.is_empty() => Ok(ServiceTarget::Configured),
            b'U' => Ok(ServiceTarget::Uri(text)),
            b'M' => Ok(ServiceTarget::UriMap(text)),
            _ => Err(BadMessage("expected where a service is")),
        }
    }
}

impl CallAnswer {
    pub(super) fn encode(&self, to: &mut Vec<u8>) {
        match self {
            CallAnswer::Api { status, record, areas } => {
                to.push(b'A');
                to.extend(status.to_le_bytes());
                put_bytes(to, record);
                put_areas(to, areas);
            }
            CallAnswer::ApiFailed { place, status, message } => {
                to.push(b'F');
                to.push(*place);
                to.extend(status.to_le_bytes());
                put_bytes(to, message.as_bytes());
            }
            CallAnswer::Service(containers) => {
                to.push(b'S');
                put_containers(to, containers);
            }
            CallAnswer::ServiceFault(containers) => {
                to.push(b'X');
                put_containers(to, containers);
            }
            CallAnswer::Transformed(output) => {
                to.push(b'T');
                put_bytes(to, output);
            }
            CallAnswer::Untransformable(message) => {
                to.push(b'U');
                put_bytes(to, message.as_bytes());
            }
            CallAnswer::Written => to.push(b'W'),
            CallAnswer::Web(reply) => {
                to.push(b'H');
                reply.encode(to);
            }
        }
    }

    pub(super) fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        match from.byte()? {
            b'A' => {
                let status = u16::from_le_bytes(from.array()?);
                Ok(CallAnswer::Api { status, record: from.bytes()?, areas: take_areas(from)? })
            }
            b'F' => {
                let (place, status) = (from.byte()?, u16::from_le_bytes(from.array()?));
                Ok(CallAnswer::ApiFailed { place, status, message: from.text()? })
            }
            b'S' => Ok(CallAnswer::Service(take_containers(from)?)),
            b'X' => Ok(CallAnswer::ServiceFault(take_containers(from)?)),
            b'T' => Ok(CallAnswer::Transformed(from.bytes()?)),
            b'U' => Ok(CallAnswer::Untransformable(from.text()?)),
            b'W' => Ok(CallAnswer::Written),
            b'H' => Ok(CallAnswer::Web(WebReply::decode(from)?)),
            _ => Err(BadMessage("expected an answer to a call that leaves the region")),
        }
    }
}

fn put_areas(to: &mut Vec<u8>, areas: &[DataArea]) {
    to.extend((areas.len() as u32).to_le_bytes());
    for area in areas {
        put_bytes(to, area.name.as_bytes());
        to.extend((area.element_bytes as u32).to_le_bytes());
        put_bytes(to, &area.bytes);
    }
}

fn take_areas(from: &mut Reader<'_>) -> Result<Vec<DataArea>, BadMessage> {
    let count = from.u32()? as usize;
    if count > DATA_AREAS_MAX {
        return Err(BadMessage("expected at most 10,000 data areas"));
    }
    let mut areas = Vec::new();
    for _ in 0..count {
        let (name, element_bytes, bytes) = (from.text()?, from.u32()? as usize, from.bytes()?);
        if bytes.len().checked_rem(element_bytes) != Some(0) {
            return Err(BadMessage("expected a data area of whole elements"));
        }
        areas.push(DataArea { name, element_bytes, bytes });
    }
    Ok(areas)
}
