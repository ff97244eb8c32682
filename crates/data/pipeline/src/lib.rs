//! Pipelines: which programs see a message on its way, and what each may change.
//!
//! [`file`] reads a pipeline file of CICS into a [`Pipeline`]. A [`Run`] takes one message through it. It
//! says which program comes next with which containers ([`Next`]), and takes the containers that the program
//! leaves. The driver of a run links the programs, reads and writes envelopes, and calls the service. The
//! driver does all of one run in one unit of work.
//!
//! A provider's message goes this way, and its answer comes back in the opposite order:
//!
//! 1. Handlers of the transport, then handlers of the service. A handler may answer in place of the service.
//! 2. The terminal handler. A SOAP handler opens the envelope and calls header programs for its header
//!    blocks.
//! 3. The application handler: DFHPITP, which is built in, or a program.
//!
//! A requester's message is made by its SOAP handler. It then passes the handlers of the service and those of
//! the transport.
//!
//! Names of elements, containers and functions are those of CICS TS, "Pipeline configuration files" and
//! "Containers used in the pipeline". Deliberately absent: IO, a clock, and handlers in Java.

pub mod containers;
pub mod file;
mod headers;
mod run;

pub use containers::{Contained, HandlerError, HandlerErrorKind};
pub use headers::{HeaderBlock, Opened};
pub use run::{Closing, Envelope, Function, LinkTo, Next, NotDone, Outcome, Run};

use soap::{Mtom, Version};

/// A pipeline, as its file describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// Which side of a call it serves.
    pub role: Role,
    /// Handlers that see each message first (provider) or last (requester).
    pub transport: Transport,
    /// Handlers of the service, in the order of a request. A requester runs them behind its SOAP handler.
    pub handlers: Vec<Handler>,
    /// The terminal handler of a provider, the SOAP handler of a requester; none if a requester sends no SOAP.
    pub terminal: Option<Terminal>,
    /// The application handler; none for DFHPITP, or for the program that DFHWS-APPHANDLER names.
    pub application: Option<String>,
    /// The content of `service_parameter_list`, which is the content of DFH-SERVICEPLIST.
    pub service_parameters: Option<String>,
    /// The user name in a UsernameToken becomes the user of the task (`wsse_handler` with basic
    /// authentication).
    pub username_token: bool,
    /// The settings of `cics_mtom_handler`, if the file has it.
    pub mtom: Option<Mtom>,
}

/// The sides of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Takes requests: the root is `provider_pipeline`.
    Provider,
    /// Sends requests: the root is `requester_pipeline`.
    Requester,
}

/// The handlers of a transport. Only the most specific list runs: that of the resource, else that of HTTP or
/// of queues, else that of any transport.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transport {
    /// For any transport: `default_transport_handler_list`.
    pub any: Option<Vec<Handler>>,
    /// For HTTP: `default_http_transport_handler_list`.
    pub http: Option<Vec<Handler>>,
    /// For queues: `default_mq_transport_handler_list`.
    pub queue: Option<Vec<Handler>>,
    /// For a listener or a queue by its name: `named_transport_entry`, of providers alone.
    pub named: Vec<NamedTransport>,
}

/// The handlers of a listener or a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedTransport {
    /// Its name.
    pub name: String,
    /// The kind; none if the file does not say.
    pub kind: Option<TransportKind>,
    /// Its handlers.
    pub handlers: Vec<Handler>,
    /// The line of the file where it stands.
    pub line: usize,
}

/// The kinds of transports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportKind {
    /// HTTP.
    Http,
    /// Queues.
    Queue,
}

/// A message handler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handler {
    /// The program.
    pub program: String,
    /// The content of `handler_parameter_list`, which is the content of DFH-HANDLERPLIST while it runs.
    pub parameters: Option<String>,
}

/// The last handler before the application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Terminal {
    /// One that knows SOAP.
    Soap(SoapHandler),
    /// A program, which answers.
    Program(Handler),
}

/// A SOAP handler of CICS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SoapHandler {
    /// The version of its messages.
    pub version: Version,
    /// Its header programs, in the order of the file.
    pub header_programs: Vec<HeaderProgram>,
}

/// A program for header blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderProgram {
    /// The program.
    pub program: String,
    /// The namespace of its header blocks.
    pub namespace: String,
    /// Their name.
    pub local_name: LocalName,
    /// It runs once for a message without such a header block.
    pub is_mandatory: bool,
}

/// The name of header blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocalName {
    /// This one.
    Exact(String),
    /// All names with this prefix; the file has `*` at the end.
    Prefix(String),
}

/// The transport of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By<'n> {
    /// HTTP, by the listener of this name; empty for none.
    Http(&'n str),
    /// A queue of this name.
    Queue(&'n str),
}

impl Transport {
    /// The handlers for messages of this transport.
    #[must_use]
    pub fn of(&self, by: By<'_>) -> &[Handler] {
        let (name, kind) = match by {
            By::Http(name) => (name, TransportKind::Http),
            By::Queue(name) => (name, TransportKind::Queue),
        };
        let is_it = |entry: &&NamedTransport| entry.name == name && entry.kind.is_none_or(|own| own == kind);
        if let Some(entry) = self.named.iter().find(is_it) {
            return &entry.handlers;
        }
        let own = match by {
            By::Http(_) => &self.http,
            By::Queue(_) => &self.queue,
        };
        own.as_deref().or(self.any.as_deref()).unwrap_or_default()
    }
}

impl Pipeline {
    /// The SOAP handler, if there is one.
    #[must_use]
    pub fn soap_handler(&self) -> Option<&SoapHandler> {
        match &self.terminal {
            Some(Terminal::Soap(handler)) => Some(handler),
            _ => None,
        }
    }

    /// True if a message with these header blocks calls no program but the service's own. Its driver needs no
    /// [`Run`] then. A header block is a namespace and a local name.
    pub fn calls_nobody<'h>(&self, by: By<'_>, blocks: impl Iterator<Item = (&'h str, &'h str)>) -> bool {
        let Some(handler) = self.soap_handler() else { return false };
        let no_handlers = self.handlers.is_empty() && self.transport.of(by).is_empty();
        no_handlers && self.application.is_none() && !handler.calls_any(blocks)
    }

    /// The names of all programs that the pipeline may call, in the order of the file.
    pub fn programs(&self) -> impl Iterator<Item = &str> {
        let Transport { any, http, queue, named } = &self.transport;
        let lists = [any, http, queue].into_iter().flatten().chain(named.iter().map(|entry| &entry.handlers));
        let terminal = match &self.terminal {
            Some(Terminal::Program(handler)) => Some(handler),
            _ => None,
        };
        let handlers = lists.flatten().chain(&self.handlers).chain(terminal);
        let headers = self.soap_handler().into_iter().flat_map(|handler| &handler.header_programs);
        handlers
            .map(|handler| handler.program.as_str())
            .chain(headers.map(|header| header.program.as_str()))
            .chain(self.application.as_deref())
    }
}

impl SoapHandler {
    /// True if a message with these header blocks needs a header program.
    fn calls_any<'h>(&self, mut blocks: impl Iterator<Item = (&'h str, &'h str)>) -> bool {
        if self.header_programs.iter().any(|program| program.is_mandatory) {
            return true;
        }
        let knows = |(namespace, name): (&str, &str)| {
            self.header_programs.iter().any(|program| program.takes(namespace, name))
        };
        !self.header_programs.is_empty() && blocks.any(knows)
    }
}

impl HeaderProgram {
    /// True if the program is for header blocks of this namespace and local name.
    #[must_use]
    pub fn takes(&self, namespace: &str, name: &str) -> bool {
        let is_name = match &self.local_name {
            LocalName::Exact(own) => own == name,
            LocalName::Prefix(start) => name.starts_with(start.as_str()),
        };
        is_name && self.namespace == namespace
    }
}
