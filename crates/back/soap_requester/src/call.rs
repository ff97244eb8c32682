//! One call of an operation: straight to the server, or through the programs of a pipeline on its way out and back.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use http::header::CONTENT_TYPE;
use pipeline::containers::{self as names, text};
use pipeline::{HandlerError, HeaderBlock, Next, NotDone, Opened, Outcome, Pipeline, Run};
use remote::{Answer, Call, CallerName, Connection, ErrorKind, Outgoing, Reachable, header_value};
use service::{Channel, LinkedChannel, Payload, ProgramRunner, ProgramTask};
use soap::{
    Given, Heard, Packed, Packing, Parts, Trouble, Version, Versions, close, close_around, is_fault,
    program_fault,
};
use xml::Encoding;

use crate::operation::{NoRecord, SoapOperation, words};
use crate::transport::{Route, Transport};

/// The container of the SOAP action, which a handler may change.
const ACTION: &str = "DFHWS-SOAPACTION";

/// The number of the next MIME package: it tells content ids of this process apart.
static PACKAGES: AtomicU64 = AtomicU64::new(1);

/// A pipeline of requesters, with the region that runs its programs.
#[derive(Clone, Debug)]
pub struct RequesterPipeline {
    /// Its name.
    pub name: String,
    /// Its file.
    pub pipeline: Arc<Pipeline>,
    /// The transaction of its task.
    pub transaction: String,
    /// Who runs its programs.
    pub programs: Arc<dyn ProgramRunner>,
}

/// For whom a call is, and how long it may take.
#[derive(Clone, Debug)]
pub struct Within {
    /// When the caller no longer waits.
    pub deadline: Instant,
    /// Who calls, if that is known.
    pub caller: Option<CallerName>,
}

/// Why a call has no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallError {
    /// The server, or a program of the pipeline, answered with a fault.
    Fault {
        /// For the log.
        message: String,
        /// The element `Body`, which has the fault.
        body: String,
        /// The declarations of prefixes that are in scope there.
        namespaces: String,
    },
    /// The record of the request cannot become a message.
    Record(String),
    /// A message cannot be converted, or the answer is none.
    Conversion(String),
    /// It was not done.
    Refused(String),
    /// No answer came in time.
    TimedOut,
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CallError::Fault { message, .. }
            | CallError::Record(message)
            | CallError::Conversion(message)
            | CallError::Refused(message) => message,
            CallError::TimedOut => "no answer in time",
        })
    }
}

impl From<NoRecord> for CallError {
    fn from(why: NoRecord) -> Self {
        let message = why.to_string();
        match why {
            NoRecord::Fault(fault) => {
                CallError::Fault { message, body: fault.body, namespaces: fault.namespaces }
            }
            NoRecord::Failed(_) => CallError::Conversion(message),
        }
    }
}

impl From<remote::Error> for CallError {
    fn from(error: remote::Error) -> Self {
        match error.kind {
            ErrorKind::TimedOut => CallError::TimedOut,
            ErrorKind::Full | ErrorKind::Unreachable | ErrorKind::NoToken => {
                CallError::Refused(error.message)
            }
            _ => CallError::Conversion(error.message),
        }
    }
}

impl Within {
    pub(crate) fn call(&self, connection: &Connection) -> Call {
        let caller = self.caller.clone().filter(|_| connection.names_callers());
        Call { deadline: self.deadline, caller, token: None }
    }
}

impl SoapOperation {
    /// Calls the server with a payload.
    ///
    /// # Errors
    /// The answer has no payload.
    pub async fn call(
        &self,
        payload: &Payload,
        transport: impl Transport,
        within: &Within,
    ) -> Result<Payload, CallError> {
        let envelope = Given::of(payload).and_then(|given| self.messages.envelope(given));
        let outgoing = self.request(envelope.map_err(of_record)?);
        let answer = transport.exchange(outgoing, self.pattern(), within).await?;
        Ok(self.payload(&answer)?)
    }
}

fn of_record(trouble: Trouble) -> CallError {
    CallError::Record(format!("the request's record: {}", words(trouble)))
}

/// A call through a pipeline.
#[derive(Debug)]
pub struct PipedCall<'c> {
    /// The pipeline.
    pub pipeline: &'c RequesterPipeline,
    /// The task of its programs; none if it has none. It is backed out if this is dropped before its end.
    pub task: Option<Arc<dyn ProgramTask>>,
    /// The operation.
    pub operation: &'c SoapOperation,
    /// Where the message goes, if no handler says otherwise.
    pub route: Route,
    /// The servers that a handler may name in its place.
    pub reachable: &'c Reachable,
    /// For whom it is, and how long it may take.
    pub within: &'c Within,
}

impl PipedCall<'_> {
    /// Calls the server with a payload. `known` are texts that programs find in containers.
    ///
    /// # Errors
    /// The answer has no payload.
    pub async fn run(&self, payload: &Payload, known: &[(&str, &str)]) -> Result<Payload, CallError> {
        let driven = tokio::time::timeout_at(self.within.deadline.into(), self.drive(payload, known)).await;
        driven.unwrap_or(Err(CallError::TimedOut))
    }

    async fn drive(&self, payload: &Payload, known: &[(&str, &str)]) -> Result<Payload, CallError> {
        let body = Given::of(payload).and_then(|given| self.operation.messages.body(given));
        let body = body.map_err(of_record)?;
        let local = self.pipeline.programs.ccsid();
        let way = (self.route.by(), local);
        let mut run = Run::request(&self.pipeline.pipeline, way, body, self.context(known));
        // Why the server gave no answer, if no handler has one; and the prefixes of a fault.
        let (mut failure, mut prefixes) = (None, prefixes_of_ours(self.operation.messages.version));
        loop {
            match run.step() {
                Next::Link(to) => {
                    let program = to.program.to_owned();
                    let given = LinkedChannel {
                        name: to.channel_name.to_owned(),
                        channel: to.channel.clone(),
                        fault: to.fault.cloned(),
                    };
                    run.linked(match &self.task {
                        Some(task) => {
                            let left = task.link(&program, given).await;
                            left.map(|left| (left.channel, left.fault)).map_err(NotDone::from)
                        }
                        None => Err(NotDone::NotCalled("the pipeline has no task for programs".to_owned())),
                    });
                }
                Next::Close(closing) => match closing.fault {
                    // A header program has made a fault: nothing is sent, and nothing is undone.
                    Some(fault) => {
                        let (_, body) = program_fault(closing.version, fault);
                        run.opened_fault(body);
                    }
                    None => {
                        let message = closing.envelope().map_err(of_trouble)?;
                        run.closed(message);
                    }
                },
                Next::Send(message) => {
                    let message = message.to_owned();
                    let received = self.send(&run, message).await;
                    run.received(received.map_err(|error| {
                        let message = error.to_string();
                        failure = Some(error);
                        message
                    }));
                }
                Next::Open(message) => {
                    let message = message.to_owned();
                    if let Some(of_fault) = self.open(&mut run, &message)? {
                        prefixes = of_fault;
                    }
                }
                Next::BackOut => {
                    if let Some(task) = &self.task
                        && let Err(error) = task.back_out().await
                    {
                        return Err(CallError::Refused(error.message));
                    }
                    run.backed_out();
                }
                Next::Done(outcome) => {
                    let outcome = outcome.clone();
                    return self.end(&run, outcome, (failure, &prefixes)).await;
                }
                Next::Apply(_) => {
                    return Err(CallError::Refused("the pipeline is that of a provider".to_owned()));
                }
            }
        }
    }

    /// The channel of the programs before any of them has run.
    fn context(&self, known: &[(&str, &str)]) -> Channel {
        let uri = self.route.uri();
        let own = [
            ("DFHWS-PIPELINE", self.pipeline.name.as_str()),
            (names::TRANSACTION, self.pipeline.transaction.as_str()),
            (names::URI, uri.as_str()),
            (ACTION, self.operation.messages.action.as_str()),
        ];
        let mut channel = Channel::default();
        for (name, value) in own.iter().chain(known) {
            channel.put(text(name, *value));
        }
        channel
    }

    /// Sends a message to the place that the handlers want; none if the server does not answer.
    async fn send(&self, run: &Run<'_>, message: String) -> Result<Option<String>, CallError> {
        let route = self.routed(run)?;
        let action = left(run, ACTION)?;
        let outgoing = self.packed(message, &action)?;
        let answer = route.exchange(outgoing, self.operation.pattern(), self.within).await?;
        self.taken(&answer)
    }

    /// The request of a message: a MIME package, if the pipeline says so.
    fn packed(&self, message: String, action: &str) -> Result<Outgoing, CallError> {
        let mtom = self.pipeline.pipeline.mtom.as_ref().filter(|mtom| mtom.asks());
        let id = PACKAGES.fetch_add(1, Ordering::Relaxed).to_string();
        let packed = mtom.and_then(|mtom| {
            let (elements, version) = (&self.operation.binary_elements[..], self.operation.messages.version);
            soap::pack(&message, &Packing { mtom, elements, id: &id, version, action })
        });
        let refused = || CallError::Refused(format!("{ACTION} cannot be an action"));
        let Some(Packed { content_type, body }) = packed else {
            return self.operation.request_for(message, action).ok_or_else(refused);
        };
        let mut outgoing = self.operation.request_for(body, action).ok_or_else(refused)?;
        outgoing.headers.insert(CONTENT_TYPE, header_value(&content_type).map_err(|_| refused())?);
        Ok(outgoing)
    }

    /// The text of an answer. Text that no reader of XML accepts is refused before any handler gets it.
    fn taken(&self, answer: &Answer) -> Result<Option<String>, CallError> {
        let Some((text, encoding)) = self.operation.message(answer)? else { return Ok(None) };
        parts(&text, encoding)?;
        if !answer.status.is_success() && !is_fault(&text) {
            let status = answer.status.as_u16();
            let message = format!("the answer with status {status}: expected a fault, found an answer");
            return Err(CallError::Conversion(message));
        }
        Ok(Some(match text {
            Cow::Borrowed(text) => text.to_owned(),
            Cow::Owned(text) => text,
        }))
    }

    /// Where the handlers want the message to go, as far as the configuration allows it.
    fn routed(&self, run: &Run<'_>) -> Result<Route, CallError> {
        let uri = left(run, names::URI)?;
        if uri == self.route.uri() {
            return Ok(self.route.clone());
        }
        let found = self.route.at(&uri, self.reachable);
        found.map_err(|why| CallError::Refused(format!("{} {why}", names::URI)))
    }

    /// Opens the envelope of an answer, as handlers have left it. Gives the prefixes in scope in a fault.
    fn open(&self, run: &mut Run<'_>, message: &str) -> Result<Option<String>, CallError> {
        // The text is decoded, and its declaration still names the encoding that it had.
        let parts = parts(message, Encoding::Told)?;
        if is_fault(message) {
            run.opened_fault(parts.body(message).to_owned());
            return Ok(Some(parts.namespaces));
        }
        let own = self.operation.messages.version;
        if parts.version != own {
            let (own, found) = (own.number(), parts.version.number());
            return Err(CallError::Conversion(format!(
                "the answer: expected a message of SOAP {own}, found one of SOAP {found}"
            )));
        }
        let ours = parts.blocks.iter().filter(|block| block.is_ours);
        let blocks = ours.map(|block| HeaderBlock {
            namespace: block.namespace.clone(),
            local_name: block.local_name.clone(),
            text: block.text.clone(),
            must_understand: block.must_understand && block.namespace != soap::ADDRESSING,
        });
        run.opened(Opened {
            version: parts.version,
            namespaces: parts.namespaces.clone(),
            blocks: blocks.collect(),
            body: parts.body(message).to_owned(),
        });
        match run.not_understood() {
            [] => Ok(None),
            [(_, name), ..] => Err(CallError::Conversion(format!(
                "the answer: must understand the header block {name}, which no program knows"
            ))),
        }
    }

    /// Ends the task, and keeps its programs' changes.
    async fn end(
        &self,
        run: &Run<'_>,
        outcome: Outcome,
        (failure, prefixes): (Option<CallError>, &str),
    ) -> Result<Payload, CallError> {
        let ended = match &self.task {
            Some(task) => task.end().await,
            None => Ok(()),
        };
        let outcome = match (outcome, run.fault()) {
            (Outcome::Body(_), Some(made)) => {
                Outcome::Fault(program_fault(self.operation.messages.version, made).1)
            }
            (outcome, _) => outcome,
        };
        let result = match outcome {
            Outcome::Body(body) | Outcome::Response(body) => self.payload_of(&body, run.namespaces()),
            Outcome::Fault(body) => Err(self.fault_of(body, prefixes)),
            Outcome::NoResponse if self.operation.messages.response.is_none() => {
                Ok(self.operation.unanswered.clone())
            }
            Outcome::NoResponse => Err(CallError::Conversion("there is no answer".to_owned())),
            Outcome::Failed(error) => Err(failure.unwrap_or_else(|| self.failed(&error))),
        };
        match ended {
            Ok(()) => result,
            Err(error) => Err(CallError::Refused(error.message)),
        }
    }

    /// The fault of a body, in the words of the fault.
    fn fault_of(&self, body: String, prefixes: &str) -> CallError {
        let told = [Version::Soap11, Version::Soap12].into_iter().find_map(|version| {
            let message = close(version, ("", prefixes), &body).ok()?;
            self.operation.payload_of(&message, Encoding::Utf8).err()
        });
        let message = told.map_or_else(|| "the answer is a fault".to_owned(), |why| why.to_string());
        CallError::Fault { message, body, namespaces: prefixes.to_owned() }
    }

    fn failed(&self, error: &HandlerError) -> CallError {
        let HandlerError { program, message, .. } = error;
        CallError::Refused(format!("program {program} of the pipeline {}: {message}", self.pipeline.name))
    }

    /// The payload of a body that programs have left.
    fn payload_of(&self, body: &str, namespaces: &str) -> Result<Payload, CallError> {
        let messages = &self.operation.messages;
        // The reader of a response judges the body.
        let close = if messages.response.is_some() { close_around } else { close };
        let message = close(messages.version, ("", namespaces), body).map_err(of_trouble)?;
        Ok(self.operation.payload_of(&message, Encoding::Utf8)?)
    }
}

/// The declaration of the prefix in bodies that are written here.
fn prefixes_of_ours(version: Version) -> String {
    format!("xmlns:SOAP-ENV=\"{}\"", version.namespace())
}

fn parts(text: &str, encoding: Encoding) -> Result<Parts, CallError> {
    let cursor = soap::cursor(text, encoding).map_err(of_trouble)?;
    Parts::of(cursor, (Versions::All, &mut Heard::default())).map_err(of_trouble)
}

fn left(run: &Run<'_>, name: &str) -> Result<String, CallError> {
    run.left(name).map_err(|_| CallError::Refused(format!("{name} is not text")))
}

fn of_trouble(trouble: soap::Trouble) -> CallError {
    let why = trouble.failure.details.unwrap_or_else(|| trouble.failure.code.text().to_owned());
    CallError::Conversion(format!("the message: {why}"))
}
