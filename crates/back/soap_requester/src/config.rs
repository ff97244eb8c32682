//! Operations of SOAP servers in a configuration: what is written becomes plans.

use std::sync::Arc;

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue};
use interface::Interface;
use queue_config::{QueueExchange, QueueSlot};
use record::{Bind, Naming, Options};
use remote::PathTemplate;
use serde::Deserialize;
use service::{Channel, Payload};
use soap::{RemoteOperation, Side, Version};

use crate::jms::JmsUri;
use crate::operation::SoapOperation;

/// The header in which SOAP 1.1 names the action.
pub(crate) const SOAP_ACTION: HeaderName = HeaderName::from_static("soapaction");

/// `[provider]` with `kind = "soap"` apart from its connection, and `[operation.soap]` of an API requester.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SoapSection {
    /// Below the path of the connection; without it, the connection's URL is the server's.
    #[serde(default)]
    path: String,
    /// The version of its messages.
    #[serde(default)]
    soap: VersionWord,
    /// The element in the body of a request.
    element: Option<String>,
    /// The element in the body of an answer; that of the request and `Response` if it is not said.
    response_element: Option<String>,
    /// The namespace of both elements; empty for none. Records need it.
    namespace: Option<String>,
    /// The namespace of the answer's element, if that is another one.
    response_namespace: Option<String>,
    /// Whether the elements in these elements have their namespace.
    #[serde(default)]
    element_form: FormWord,
    /// How elements get their names; as the record's JSON has it if it is not said.
    naming: Option<Naming>,
    #[serde(default)]
    soap_action: String,
    /// There is no answer.
    #[serde(default)]
    one_way: bool,
    /// A request may be sent twice.
    #[serde(default)]
    idempotent: bool,
}

/// `soap`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
enum VersionWord {
    #[default]
    #[serde(rename = "1.1")]
    Soap11,
    #[serde(rename = "1.2")]
    Soap12,
}

/// `element_form`: XSD's `elementFormDefault`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum FormWord {
    #[default]
    Qualified,
    Unqualified,
}

/// The records of an operation, or its channels.
#[derive(Clone, Copy, Debug)]
pub struct Sides<'i> {
    /// The request.
    pub request: Option<SideOf<'i>>,
    /// The response.
    pub response: Option<SideOf<'i>>,
}

/// One side of an operation.
#[derive(Clone, Copy, Debug)]
pub enum SideOf<'i> {
    /// A record and its copybook.
    Record(&'i Interface),
    /// Containers, laid out by a WSDL.
    Channel(&'i Arc<channel::Interface>),
}

impl SoapSection {
    /// The operation that the section describes. `usual` is the element of a request where the section says none.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn operation(&self, usual: &str, sides: Sides<'_>) -> Result<SoapOperation, Vec<String>> {
        let mut faults = Vec::new();
        let is_of_messages = matches!(sides.request, Some(SideOf::Channel(_)));
        let namespace = self.namespace.as_deref().unwrap_or_default();
        let element = self.element.as_deref().unwrap_or(usual);
        let response_element = match &self.response_element {
            Some(own) => own.clone(),
            None => format!("{element}Response"),
        };
        if !is_of_messages {
            // A WSDL names its elements itself.
            faults.extend(self.namespace_missing());
            faults.extend(name_faults([("element", element), ("response_element", &response_element)]));
        }
        let response_namespace = self.response_namespace.as_deref().unwrap_or(namespace);
        faults
            .extend(namespace_faults([("namespace", namespace), ("response_namespace", response_namespace)]));
        faults.extend(self.path_fault());
        let is_plain = |found: char| found.is_ascii_graphic() && found != '"' && found != '\\';
        if !self.soap_action.chars().all(is_plain) {
            faults.push("soap_action: expected a URI without blanks and quotes".to_owned());
        }
        if self.one_way && (self.response_element.is_some() || self.response_namespace.is_some()) {
            faults.push(
                "an operation that is one_way has no response_element and no response_namespace".to_owned(),
            );
        }
        let mut bind = |side: Option<SideOf<'_>>, (element, namespace): (&str, &str), what: &str| {
            let Some(side) = side else {
                faults.push(format!("the operation needs the record of its {what}"));
                return None;
            };
            let side = match side {
                SideOf::Record(side) => side,
                SideOf::Channel(interface) => return Some(Side::Channel(Arc::clone(interface))),
            };
            let compiled = Bind::compile(&side.layout, &self.options(side, element, namespace));
            let told = |errors: Vec<record::CompileError>| {
                faults.extend(errors.iter().map(|error| format!("the {what}'s record as XML: {error}")));
            };
            compiled.map(|bind| Side::Record(Arc::new(bind))).map_err(told).ok()
        };
        let request = bind(sides.request, (element, namespace), "request");
        // The WSDL says of its messages whether there is an answer.
        let is_one_way = self.one_way || (is_of_messages && sides.response.is_none());
        let response = match is_one_way {
            true => None,
            false => bind(sides.response, (&response_element, response_namespace), "response"),
        };
        let unanswered = self.unanswered(sides.response, &mut faults);
        let (Some(request), true) = (request, faults.is_empty()) else { return Err(faults) };
        let version = match self.soap {
            VersionWord::Soap11 => Version::Soap11,
            VersionWord::Soap12 => Version::Soap12,
        };
        let messages = RemoteOperation { version, action: self.soap_action.clone(), request, response };
        let headers = headers(&messages).map_err(|error| vec![error.to_string()])?;
        Ok(SoapOperation {
            binary_elements: messages.request.base64_elements(),
            messages,
            path: self.path.clone(),
            headers,
            idempotent: self.idempotent,
            unanswered,
        })
    }

    /// The keys about elements that a WSDL already has.
    pub(crate) fn keys_of_elements(&self) -> impl Iterator<Item = &'static str> {
        let keys = [
            ("element", self.element.is_some()),
            ("response_element", self.response_element.is_some()),
            ("namespace", self.namespace.is_some()),
            ("response_namespace", self.response_namespace.is_some()),
            ("naming", self.naming.is_some()),
            ("element_form", self.element_form != FormWord::default()),
        ];
        keys.into_iter().filter(|(_, is_said)| *is_said).map(|(key, _)| key)
    }

    /// The message if records have no namespace.
    fn namespace_missing(&self) -> Option<String> {
        let text = "'namespace' is missing: that of the elements in the body, or \"\" for none";
        self.namespace.is_none().then(|| text.to_owned())
    }

    /// The fault of the path.
    fn path_fault(&self) -> Option<String> {
        if self.path.is_empty() {
            return None;
        }
        match PathTemplate::parse(&self.path) {
            Ok(path) if path.names().next().is_none() => None,
            Ok(_) => Some("path: messages have no parameters in the path".to_owned()),
            Err(error) => Some(format!("path: {error}")),
        }
    }

    /// The options of a side's record as an element.
    fn options(&self, side: &Interface, element: &str, namespace: &str) -> Options {
        let mut options = side.options.clone();
        options.naming = self.naming.unwrap_or(options.naming);
        options.xml.namespace = (!namespace.is_empty()).then(|| namespace.to_owned());
        options.xml.prefix = None;
        options.xml.root = Some(element.to_owned());
        if self.element_form == FormWord::Unqualified && !namespace.is_empty() {
            for (id, _) in side.layout.iter() {
                let own = options.fields.entry(id).or_default().xml.get_or_insert_default();
                own.namespace.get_or_insert_default();
            }
        }
        options
    }

    /// The payload of an operation that is not answered: the initial values of its record.
    fn unanswered(&self, side: Option<SideOf<'_>>, faults: &mut Vec<String>) -> Payload {
        let mut record = Vec::new();
        let side = match side.filter(|_| self.one_way) {
            None => return Payload::Record(record),
            Some(SideOf::Channel(_)) => return Payload::Channel(Channel::default()),
            Some(SideOf::Record(side)) => side,
        };
        match Bind::compile(&side.layout, &side.options) {
            Ok(bind) => {
                bind.start(&mut record);
                if let Err(error) = bind.finish(&mut record) {
                    faults.push(format!("the response's record: {error}"));
                }
            }
            Err(errors) => faults.extend(errors.iter().map(ToString::to_string)),
        }
        Payload::Record(record)
    }
}

/// The queues of an address. `slot` is where the queue manager will be, if there is one.
///
/// # Errors
/// The address cannot be read, or there is no queue manager.
pub fn queue(uri: &str, slot: Option<&Arc<QueueSlot>>) -> Result<(Arc<JmsUri>, QueueExchange), String> {
    let uri = JmsUri::parse(uri)?;
    let slot = slot.ok_or("queues need a [queue_manager], and there is none")?;
    let destination = (uri.destination.clone(), uri.manager.clone());
    let queues = QueueExchange::new(Arc::clone(slot), destination, uri.reply_destination.clone());
    Ok((Arc::new(uri), queues))
}

/// The headers of the requests of an operation.
fn headers(messages: &RemoteOperation) -> Result<HeaderMap, http::header::InvalidHeaderValue> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_str(&messages.content_type())?);
    let accepted = match messages.version {
        Version::Soap11 => "text/xml",
        Version::Soap12 => "application/soap+xml",
    };
    headers.insert(ACCEPT, HeaderValue::from_static(accepted));
    if messages.version == Version::Soap11 {
        headers.insert(SOAP_ACTION, HeaderValue::from_str(&format!("\"{}\"", messages.action))?);
    }
    Ok(headers)
}

/// The faults of the names of elements, by their keys.
fn name_faults(names: [(&str, &str); 2]) -> impl Iterator<Item = String> {
    let wrong = names.into_iter().filter(|(_, name)| !xml::is_name(name) || name.contains(':'));
    wrong.map(|(key, name)| format!("{key}: '{name}' is not a name for an element of XML"))
}

/// The faults of the namespaces of elements, by their keys.
fn namespace_faults(namespaces: [(&str, &str); 2]) -> impl Iterator<Item = String> {
    let is_wrong = |namespace: &str| {
        namespace.chars().any(|found| found.is_whitespace() || found.is_control())
            || Version::of_namespace(namespace).is_some()
    };
    let wrong = namespaces.into_iter().filter(move |(_, namespace)| is_wrong(namespace));
    wrong.map(|(key, _)| format!("{key}: expected the namespace of the server's schema, without blanks"))
}
