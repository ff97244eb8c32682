//! One message on its way through a pipeline.

use service::{Channel, Container, Content, ErrorKind, LinkError, SoapFault};

use crate::containers::{self as names, BadText, Contained, text};
use crate::file::BUILT_IN_APPLICATION;
use crate::headers::{HeaderCall, Opened};
use crate::{By, Handler, HandlerError, HandlerErrorKind, Pipeline, Role, Terminal};
use soap::{Trouble, Version};

/// The channels of message handlers, of header programs and of application handlers.
const HANDLER_CHANNEL: &str = "DFHHC-V1";
const HEADER_CHANNEL: &str = "DFHHHC-V1";
const APPLICATION_CHANNEL: &str = "DFHAHC-V1";

/// The reason why a program is called: the content of DFHFUNCTION.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// A provider has a request.
    ReceiveRequest,
    /// A provider has a response.
    SendResponse,
    /// A requester has a request.
    SendRequest,
    /// A requester has a response.
    ReceiveResponse,
    /// The last program of a provider has a request, and answers it.
    ProcessRequest,
    /// There is no response.
    NoResponse,
    /// Another handler has failed.
    HandlerError,
}

impl Function {
    /// The name in DFHFUNCTION, which has 16 characters.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Function::ReceiveRequest => "RECEIVE-REQUEST ",
            Function::SendResponse => "SEND-RESPONSE   ",
            Function::SendRequest => "SEND-REQUEST    ",
            Function::ReceiveResponse => "RECEIVE-RESPONSE",
            Function::ProcessRequest => "PROCESS-REQUEST ",
            Function::NoResponse => "NO-RESPONSE     ",
            Function::HandlerError => "HANDLER-ERROR   ",
        }
    }
}

/// The next step for a message.
#[derive(Debug)]
pub enum Next<'r> {
    /// Link this program; then [`Run::linked`].
    Link(LinkTo<'r>),
    /// Open the envelope of this message; then [`Run::opened`], or [`Run::refused`].
    Open(&'r str),
    /// Let the service do what this message asks for; then [`Run::answered`], [`Run::no_answer`] or [`Run::refused`].
    Apply(Envelope<'r>),
    /// Write an envelope; then [`Run::closed`], or [`Run::refused`].
    Close(Closing<'r>),
    /// Send this request to the server of the requester; then [`Run::received`].
    Send(&'r str),
    /// Undo all that programs have changed in this unit of work; then [`Run::backed_out`].
    BackOut,
    /// Nothing: the run is over.
    Done(&'r Outcome),
}

/// A program to be linked.
#[derive(Debug)]
pub struct LinkTo<'r> {
    /// The program.
    pub program: &'r str,
    /// The name of its channel.
    pub channel_name: &'static str,
    /// Its channel.
    pub channel: &'r Channel,
    /// The fault that programs have made so far.
    pub fault: Option<&'r SoapFault>,
    /// The transaction and the user of its task, if a handler has changed them. The program then runs as a
    /// task of its own.
    pub other_task: OtherTask<'r>,
}

/// The changes of a handler to the task of the target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OtherTask<'r> {
    /// The transaction.
    pub transaction: Option<&'r str>,
    /// The user.
    pub user: Option<&'r str>,
}

/// A message whose envelope was opened, on its way to the service.
#[derive(Debug)]
pub struct Envelope<'r> {
    /// The element `Body` with all its content, as header programs have left it.
    pub body: &'r str,
    /// The declarations of prefixes in scope there.
    pub namespaces: &'r str,
    /// The channel that programs have filled, for a target that has a channel too.
    pub channel: &'r Channel,
    /// The transaction and the user of the target, if a handler has changed them.
    pub other_task: OtherTask<'r>,
}

/// An envelope to be written.
#[derive(Debug)]
pub struct Closing<'r> {
    /// Its version.
    pub version: Version,
    /// Header blocks, one behind the other.
    pub headers: &'r str,
    /// Declarations of prefixes for the envelope.
    pub namespaces: &'r str,
    /// The element `Body` with all its content, unless there is a fault.
    pub body: &'r str,
    /// True if body and namespaces come from the driver: no program has changed them.
    pub is_given: bool,
    /// The fault that is the content of the body.
    pub fault: Option<&'r SoapFault>,
    /// Header blocks that nobody here understands, by namespace and name. The body then has a fault that says
    /// so.
    pub not_understood: &'r [(String, String)],
}

impl Closing<'_> {
    /// The envelope, without the fault. It does not check again the parts that the driver has given.
    ///
    /// # Errors
    /// The parts that programs have left do not make an envelope.
    pub fn envelope(&self) -> Result<String, Trouble> {
        let close = if self.is_given { soap::close_around } else { soap::close };
        close(self.version, (self.headers, self.namespaces), self.body)
    }
}

/// How a run has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A provider answers with this message.
    Response(String),
    /// A requester gives this body to its program.
    Body(String),
    /// A requester gives a SOAP fault to its program: the body with the fault.
    Fault(String),
    /// There is no response.
    NoResponse,
    /// A program of the pipeline has failed, and no handler has answered for it.
    Failed(HandlerError),
}

/// Why a program was not linked, or has failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotDone {
    /// It has ended with an abend.
    Abended {
        /// The code.
        code: String,
        /// For operators.
        message: String,
    },
    /// It cannot be called: for operators.
    NotCalled(String),
}

impl From<LinkError> for NotDone {
    /// A program that ran out of time has the abend that CICS gives to a runaway task.
    fn from(error: LinkError) -> Self {
        let message = error.error.message;
        match (error.abend, error.error.kind) {
            (Some(code), _) => NotDone::Abended { code, message },
            (None, ErrorKind::TimedOut) => NotDone::Abended { code: "AICA".to_owned(), message },
            (None, _) => NotDone::NotCalled(message),
        }
    }
}

/// One message on its way.
#[derive(Debug)]
pub struct Run<'p> {
    pipeline: &'p Pipeline,
    /// All handlers but the terminal one, in the order of a request.
    handlers: Vec<&'p Handler>,
    /// The code page of the programs.
    local: u16,
    channel: Channel,
    fault: Option<SoapFault>,
    /// The message as a text: the request, and later the response.
    message: String,
    version: Version,
    opened: Option<Opened>,
    calls: Vec<HeaderCall>,
    /// The header blocks of the message that goes out.
    headers: String,
    namespaces: String,
    body: String,
    /// Body and namespaces come from the driver.
    is_given: bool,
    not_understood: Vec<(String, String)>,
    /// The transaction of the target's task before any handler ran.
    transaction: String,
    user: String,
    other_transaction: Option<String>,
    other_user: Option<String>,
    error: Option<HandlerError>,
    application: String,
    state: State,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    /// Handlers before this one have had the request.
    Forward(usize),
    /// The terminal handler is a program.
    Terminal,
    Open,
    /// Header programs of an incoming message. The calls before this one are done.
    HeadersIn(usize),
    /// The built-in application handler.
    Apply,
    /// An application handler of the user's own.
    Application,
    /// Header programs of an outgoing message.
    HeadersOut(usize),
    Close,
    Send,
    /// Handlers from this one on have had the response.
    Back(usize),
    /// Handlers from this one on know that there is no response.
    Quiet(usize),
    /// The changes are to be undone. The run then goes on with this state.
    BackOut(Box<State>),
    /// Handlers from this one on know of the error.
    Failing(usize),
    Done(Outcome),
}

/// The container of the version.
fn level(version: Version) -> Container {
    let level: i32 = match version {
        Version::Soap11 => 1,
        Version::Soap12 => 2,
    };
    let content = Content::Bit(level.to_be_bytes().to_vec());
    Container { name: names::SOAP_LEVEL.to_owned(), content }
}

impl<'p> Run<'p> {
    /// A run of a provider: a request has come. The channel has the driver's facts about it: DFHWS-URI,
    /// DFHWS-TRANID and others.
    #[must_use]
    pub fn provide(
        pipeline: &'p Pipeline,
        (by, local): (By<'_>, u16),
        request: String,
        channel: Channel,
    ) -> Self {
        let handlers = pipeline.transport.of(by).iter().chain(&pipeline.handlers).collect();
        let mut run = Self::new(pipeline, handlers, local, channel);
        run.message = request;
        run.state = State::Forward(0);
        run.application = pipeline.application.clone().unwrap_or_else(|| BUILT_IN_APPLICATION.to_owned());
        let application = text(names::APPLICATION, run.application.clone());
        if run.channel.get(names::APPLICATION).is_none() {
            run.channel.put(application);
        }
        run
    }

    /// A run of a requester: a program wants this body sent, an element `Body` with its declarations of prefixes. Without a SOAP
    /// handler the body is the message.
    #[must_use]
    pub fn request(
        pipeline: &'p Pipeline,
        (by, local): (By<'_>, u16),
        body: String,
        channel: Channel,
    ) -> Self {
        let handlers = pipeline.handlers.iter().chain(pipeline.transport.of(by)).collect();
        let mut run = Self::new(pipeline, handlers, local, channel);
        match pipeline.soap_handler() {
            Some(handler) => {
                run.version = handler.version;
                run.body = body;
                run.is_given = true;
                run.go_out();
            }
            None => {
                run.message = body;
                run.state = State::Forward(0);
            }
        }
        run
    }

    fn new(pipeline: &'p Pipeline, handlers: Vec<&'p Handler>, local: u16, mut channel: Channel) -> Self {
        if let Some(parameters) = &pipeline.service_parameters {
            channel.put(text(names::SERVICE_PARAMETERS, parameters.clone()));
        }
        let given =
            |name| Contained::of(&channel, name).text(local).unwrap_or_default().trim_end().to_owned();
        Self {
            transaction: given(names::TRANSACTION),
            user: given(names::USER),
            pipeline,
            handlers,
            local,
            channel,
            fault: None,
            message: String::new(),
            version: Version::Soap11,
            opened: None,
            calls: Vec::new(),
            headers: String::new(),
            namespaces: String::new(),
            body: String::new(),
            is_given: false,
            not_understood: Vec::new(),
            other_transaction: None,
            other_user: None,
            error: None,
            application: String::new(),
            state: State::Forward(0),
        }
    }

    /// The text that programs have left in a container, without blanks at its end; empty if there is none.
    ///
    /// # Errors
    /// It is not text.
    pub fn left(&self, name: &str) -> Result<String, BadText> {
        Ok(Contained::of(&self.channel, name).text(self.local)?.trim_end().to_owned())
    }

    /// The declarations of prefixes that are in scope in the body.
    #[must_use]
    pub fn namespaces(&self) -> &str {
        &self.namespaces
    }

    /// The fault that header programs have made.
    #[must_use]
    pub fn fault(&self) -> Option<&SoapFault> {
        self.fault.as_ref()
    }

    /// Header blocks of the opened envelope that must be understood, but have no program: namespace and name.
    #[must_use]
    pub fn not_understood(&self) -> &[(String, String)] {
        &self.not_understood
    }

    /// The next step. It stays the same until the driver reports the result.
    pub fn step(&mut self) -> Next<'_> {
        self.pass_over();
        if let Some((program, channel_name, function)) = self.program() {
            self.fill(function);
            let other_task = match self.state {
                State::Application => self.other_task(),
                _ => OtherTask::default(),
            };
            let (channel, fault) = (&self.channel, self.fault.as_ref());
            let program = match &self.state {
                State::Application => &*self.application,
                _ => program,
            };
            return Next::Link(LinkTo { program, channel_name, channel, fault, other_task });
        }
        if self.state == State::Apply {
            self.fill_for_target();
        }
        match &self.state {
            State::Open => Next::Open(&self.message),
            State::Apply => Next::Apply(Envelope {
                body: &self.body,
                namespaces: &self.namespaces,
                channel: &self.channel,
                other_task: self.other_task(),
            }),
            State::Close => Next::Close(Closing {
                version: self.version,
                headers: &self.headers,
                namespaces: &self.namespaces,
                body: &self.body,
                is_given: self.is_given,
                fault: self.fault.as_ref(),
                not_understood: &self.not_understood,
            }),
            State::Send => Next::Send(&self.message),
            State::BackOut(_) => Next::BackOut,
            State::Done(outcome) => Next::Done(outcome),
            _ => unreachable!("all other states have a program"),
        }
    }

    /// Passes states that have nothing left to do.
    fn pass_over(&mut self) {
        loop {
            let next = match &self.state {
                State::Forward(at) if *at == self.handlers.len() => self.at_the_end(),
                State::HeadersIn(at) if *at == self.calls.len() => self.at_the_target(),
                State::HeadersOut(at) if *at == self.calls.len() => State::Close,
                State::Back(0) if self.pipeline.role == Role::Provider => {
                    State::Done(Outcome::Response(std::mem::take(&mut self.message)))
                }
                State::Back(0) => match self.pipeline.soap_handler() {
                    Some(_) => State::Open,
                    None => State::Done(Outcome::Body(std::mem::take(&mut self.message))),
                },
                State::Quiet(0) => State::Done(Outcome::NoResponse),
                State::Failing(0) => match self.error.take() {
                    Some(error) => State::Done(Outcome::Failed(error)),
                    None => return,
                },
                _ => return,
            };
            self.state = next;
        }
    }

    /// What follows the last handler of a request.
    fn at_the_end(&self) -> State {
        match (self.pipeline.role, &self.pipeline.terminal) {
            (Role::Requester, _) => State::Send,
            (Role::Provider, Some(Terminal::Program(_))) => State::Terminal,
            (Role::Provider, _) => State::Open,
        }
    }

    /// The state after the last header program of an incoming message.
    fn at_the_target(&self) -> State {
        if self.pipeline.role == Role::Requester {
            return State::Done(Outcome::Body(self.body.clone()));
        }
        match &*self.application {
            BUILT_IN_APPLICATION => State::Apply,
            _ => State::Application,
        }
    }

    /// The program of a state, its channel's name, and its function.
    fn program(&self) -> Option<(&'p str, &'static str, Function)> {
        let is_provider = self.pipeline.role == Role::Provider;
        let (request, response) = match is_provider {
            true => (Function::ReceiveRequest, Function::SendResponse),
            false => (Function::SendRequest, Function::ReceiveResponse),
        };
        let handler =
            |at: usize, function| Some((self.handlers[at].program.as_str(), HANDLER_CHANNEL, function));
        let header = |at: usize, function| {
            let handler = self.pipeline.soap_handler()?;
            let program = handler.header_programs[self.calls[at].program].program.as_str();
            Some((program, HEADER_CHANNEL, function))
        };
        match (&self.state, &self.pipeline.terminal) {
            (State::Forward(at), _) => handler(*at, request),
            (State::Back(at), _) => handler(at - 1, response),
            (State::Quiet(at), _) => handler(at - 1, Function::NoResponse),
            (State::Failing(at), _) => handler(at - 1, Function::HandlerError),
            (State::HeadersIn(at), _) => header(*at, if is_provider { request } else { response }),
            (State::HeadersOut(at), _) => header(*at, if is_provider { response } else { request }),
            (State::Terminal, Some(Terminal::Program(terminal))) => {
                Some((terminal.program.as_str(), HANDLER_CHANNEL, Function::ProcessRequest))
            }
            // Its name stands in the channel, not in the pipeline.
            (State::Application, _) => Some(("", APPLICATION_CHANNEL, Function::ProcessRequest)),
            _ => None,
        }
    }

    fn other_task(&self) -> OtherTask<'_> {
        OtherTask { transaction: self.other_transaction.as_deref(), user: self.other_user.as_deref() }
    }

    /// Puts the containers of the next program into the channel.
    fn fill(&mut self, function: Function) {
        self.channel.put(text(names::FUNCTION, function.name()));
        match function {
            // They must not change the message as a whole: they have its parts.
            _ if self.sees_parts() => {
                self.channel.delete(names::REQUEST);
                self.channel.delete(names::RESPONSE);
            }
            Function::ReceiveRequest | Function::SendRequest | Function::ProcessRequest => {
                self.channel.put(text(names::REQUEST, self.message.clone()));
                self.channel.put(text(names::RESPONSE, ""));
            }
            Function::SendResponse | Function::ReceiveResponse => {
                self.channel.delete(names::REQUEST);
                self.channel.put(text(names::RESPONSE, self.message.clone()));
            }
            Function::HandlerError => {
                self.channel.delete(names::REQUEST);
                self.channel.put(text(names::RESPONSE, ""));
            }
            Function::NoResponse => {
                self.channel.delete(names::REQUEST);
                self.channel.delete(names::RESPONSE);
            }
        }
        match (&self.error, function) {
            (Some(error), Function::HandlerError) => {
                self.channel.put(error.encode(self.pipeline.role, self.local));
            }
            _ => {
                self.channel.delete(names::ERROR);
            }
        }
        self.fill_for_one();
    }

    /// True if the next program has the parts of the message, and not the message.
    fn sees_parts(&self) -> bool {
        matches!(self.state, State::HeadersIn(_) | State::HeadersOut(_) | State::Application)
    }

    /// Puts the containers that differ from one program to the next.
    fn fill_for_one(&mut self) {
        // Without the level, SOAPFAULT does not exist. Handlers do not have it.
        for name in [names::HANDLER_PARAMETERS, names::HEADER, names::SOAP_LEVEL] {
            self.channel.delete(name);
        }
        let parameters = match (&self.state, &self.pipeline.terminal) {
            (State::Forward(at), _) => self.handlers[*at].parameters.as_ref(),
            (State::Back(at) | State::Quiet(at) | State::Failing(at), _) => {
                self.handlers[at - 1].parameters.as_ref()
            }
            (State::Terminal, Some(Terminal::Program(terminal))) => terminal.parameters.as_ref(),
            _ => None,
        };
        if let Some(parameters) = parameters {
            self.channel.put(text(names::HANDLER_PARAMETERS, parameters.clone()));
        }
        if !self.sees_parts() {
            return;
        }
        let block = match (&self.state, &self.opened) {
            (State::HeadersIn(at), Some(opened)) => {
                self.calls[*at].block.map_or("", |block| opened.blocks[block].text.as_str())
            }
            _ => "",
        };
        let header = text(names::HEADER, block);
        if self.state != State::Application {
            self.channel.put(header);
        }
        self.channel.put(text(names::NAMESPACES, self.namespaces.clone()));
        self.channel.put(text(names::BODY, self.body.clone()));
        self.channel.put(level(self.version));
    }

    /// The channel for a target of the service's own, without the containers of the pipeline.
    fn fill_for_target(&mut self) {
        let driving = [
            names::REQUEST,
            names::RESPONSE,
            names::FUNCTION,
            names::ERROR,
            names::HEADER,
            names::HANDLER_PARAMETERS,
            names::SERVICE_PARAMETERS,
            names::NAMESPACES,
            names::BODY,
        ];
        for name in driving {
            self.channel.delete(name);
        }
        self.channel.put(level(self.version));
    }

    /// The program was linked, and has left this channel and this fault, or the link failed.
    pub fn linked(&mut self, left: Result<(Channel, Option<SoapFault>), NotDone>) {
        let (channel, fault) = match left {
            Ok(left) => left,
            Err(failed) => return self.program_failed(failed),
        };
        self.channel = channel;
        let taken = match self.state.clone() {
            State::Forward(at) => self.after_request(at),
            State::Terminal => self.after_terminal(),
            State::Back(at) => self.after_response(at),
            State::Quiet(at) => {
                self.state = State::Quiet(at - 1);
                Ok(())
            }
            State::Failing(at) => self.after_error(at),
            State::HeadersIn(at) => {
                self.fault = fault;
                self.after_header(at)
            }
            State::HeadersOut(at) => {
                self.fault = fault;
                self.after_header_out(at)
            }
            State::Application => {
                self.fault = fault;
                self.after_application()
            }
            _ => Ok(()),
        };
        if let Err(kind) = taken {
            let message = format!("the program left its containers otherwise than it must: {kind:?}");
            self.failed(kind, message);
        }
    }

    fn program_failed(&mut self, failed: NotDone) {
        let (kind, message) = match failed {
            NotDone::Abended { code, message } => (HandlerErrorKind::Abended(code), message),
            NotDone::NotCalled(message) => (HandlerErrorKind::NotCalled, message),
        };
        self.failed(kind, message);
    }

    /// The program of this state has failed. The handlers that had the message before it get to know.
    fn failed(&mut self, kind: HandlerErrorKind, message: String) {
        let program = match &self.state {
            State::Application => self.application.clone(),
            _ => self.program().map(|(program, ..)| program.to_owned()).unwrap_or_default(),
        };
        let told = match self.state {
            State::Forward(at) => at,
            State::Back(at) | State::Quiet(at) | State::Failing(at) => at - 1,
            // A requester makes its message before any handler has it.
            State::HeadersOut(_) if self.pipeline.role == Role::Requester => 0,
            State::HeadersIn(_) if self.pipeline.role == Role::Requester => 0,
            _ => self.handlers.len(),
        };
        // The others get to know the first error.
        self.error.get_or_insert(HandlerError { kind, program, message });
        self.state = State::BackOut(Box::new(State::Failing(told)));
    }

    /// All was undone.
    pub fn backed_out(&mut self) {
        if let State::BackOut(next) = &mut self.state {
            self.state = std::mem::replace(&mut **next, State::Done(Outcome::NoResponse));
        }
    }

    fn text_of(&self, name: &'static str) -> Result<String, HandlerErrorKind> {
        let read = Contained::of(&self.channel, name).text(self.local);
        read.map_err(|BadText { .. }| HandlerErrorKind::NotText(name))
    }

    /// The text of a container that must have text.
    fn needed(&self, name: &'static str) -> Result<String, HandlerErrorKind> {
        match Contained::of(&self.channel, name) {
            Contained::Absent => Err(HandlerErrorKind::Missing(name)),
            Contained::Empty => Err(HandlerErrorKind::Empty(name)),
            Contained::Bytes(..) => self.text_of(name),
        }
    }

    fn has(&self, name: &str) -> bool {
        matches!(Contained::of(&self.channel, name), Contained::Bytes(..))
    }

    /// A handler of a request has come back: the request goes on, or it has answered.
    fn after_request(&mut self, at: usize) -> Result<(), HandlerErrorKind> {
        if self.has(names::RESPONSE) {
            if self.has(names::REQUEST) {
                return Err(HandlerErrorKind::Both(names::REQUEST, names::RESPONSE));
            }
            self.message = self.needed(names::RESPONSE)?;
            self.state = State::Back(at);
            return Ok(());
        }
        self.message = self.needed(names::REQUEST)?;
        self.note_target()?;
        self.state = State::Forward(at + 1);
        Ok(())
    }

    /// Keeps the target that a handler has chosen.
    fn note_target(&mut self) -> Result<(), HandlerErrorKind> {
        if self.pipeline.role == Role::Requester {
            return Ok(());
        }
        let changed = |given: String, before: &str| {
            let given = given.trim_end();
            (!given.is_empty() && given != before).then(|| given.to_owned())
        };
        self.other_transaction = changed(self.text_of(names::TRANSACTION)?, &self.transaction);
        self.other_user = changed(self.text_of(names::USER)?, &self.user);
        let application = self.text_of(names::APPLICATION)?;
        let application = application.trim_end();
        if application.is_empty() {
            return Err(HandlerErrorKind::Empty(names::APPLICATION));
        }
        self.application = application.to_owned();
        Ok(())
    }

    /// The terminal handler has come back: there is a response, or there is none.
    fn after_terminal(&mut self) -> Result<(), HandlerErrorKind> {
        let is_answered = self.has(names::RESPONSE);
        if is_answered && self.has(names::REQUEST) && self.text_of(names::REQUEST)? != self.message {
            return Err(HandlerErrorKind::Both(names::REQUEST, names::RESPONSE));
        }
        let all = self.handlers.len();
        if is_answered {
            self.message = self.needed(names::RESPONSE)?;
            self.state = State::Back(all);
            return Ok(());
        }
        // To say that there is no response, it deletes both containers.
        match Contained::of(&self.channel, names::RESPONSE) {
            Contained::Absent => self.state = State::Quiet(all),
            _ => return Err(HandlerErrorKind::Empty(names::RESPONSE)),
        }
        Ok(())
    }

    fn after_response(&mut self, at: usize) -> Result<(), HandlerErrorKind> {
        self.message = self.needed(names::RESPONSE)?;
        self.state = State::Back(at - 1);
        Ok(())
    }

    /// A handler that gets an error may answer; else the next handler gets it.
    fn after_error(&mut self, at: usize) -> Result<(), HandlerErrorKind> {
        if self.has(names::RESPONSE) {
            self.message = self.needed(names::RESPONSE)?;
            self.error = None;
            self.state = State::Back(at - 1);
        } else {
            self.state = State::Failing(at - 1);
        }
        Ok(())
    }

    /// Takes the parts of a message that a program has left.
    fn take_parts(&mut self) -> Result<(), HandlerErrorKind> {
        if !self.is_same(names::BODY, &self.body) {
            self.body = self.needed(names::BODY)?;
            self.is_given = false;
        }
        if !self.is_same(names::NAMESPACES, &self.namespaces) {
            self.namespaces = self.text_of(names::NAMESPACES)?;
            self.is_given = false;
        }
        Ok(())
    }

    /// True if a container has this text, as it was put there.
    fn is_same(&self, name: &str, text: &str) -> bool {
        let same = Contained::Bytes(text.as_bytes(), Some(names::UTF_8));
        !text.is_empty() && Contained::of(&self.channel, name) == same
    }

    fn after_header(&mut self, at: usize) -> Result<(), HandlerErrorKind> {
        self.take_parts()?;
        if self.pipeline.role == Role::Provider {
            self.note_target()?;
        }
        self.state = match self.fault {
            // The target is not called: the fault is the answer.
            Some(_) if self.pipeline.role == Role::Provider => State::Close,
            _ => State::HeadersIn(at + 1),
        };
        Ok(())
    }

    fn after_header_out(&mut self, at: usize) -> Result<(), HandlerErrorKind> {
        self.take_parts()?;
        let headers = self.text_of(names::HEADER)?;
        self.headers.push_str(&headers);
        self.state = State::HeadersOut(at + 1);
        Ok(())
    }

    fn after_application(&mut self) -> Result<(), HandlerErrorKind> {
        let is_quiet = self.channel.get(names::NO_RESPONSE).is_some();
        if is_quiet && self.fault.is_none() {
            self.state = State::Quiet(self.handlers.len());
            return Ok(());
        }
        self.take_parts()?;
        self.headers = self.text_of(names::EXIT_HEADER)?;
        self.go_out();
        Ok(())
    }

    /// Starts to send a message with its body: header programs may add header blocks.
    fn go_out(&mut self) {
        self.calls = self.pipeline.soap_handler().map(crate::SoapHandler::outbound).unwrap_or_default();
        self.state = State::HeadersOut(0);
    }

    /// The envelope was opened.
    pub fn opened(&mut self, opened: Opened) {
        let Some(handler) = self.pipeline.soap_handler() else { return };
        self.version = opened.version;
        self.namespaces.clone_from(&opened.namespaces);
        self.body.clone_from(&opened.body);
        self.is_given = true;
        self.calls = handler.inbound(&opened.blocks);
        self.not_understood = handler.not_understood(&opened.blocks);
        self.opened = Some(opened);
        let is_refused = !self.not_understood.is_empty() && self.pipeline.role == Role::Provider;
        self.state = if is_refused { State::Close } else { State::HeadersIn(0) };
    }

    /// The server of a requester has answered with a SOAP fault. Header programs do not see it.
    pub fn opened_fault(&mut self, body: String) {
        self.state = State::Done(Outcome::Fault(body));
    }

    /// The service has answered with this element `Body` and these header blocks, or with a fault. `Body`
    /// needs these declarations of prefixes.
    pub fn answered(&mut self, body: String, namespaces: String, fault: Option<SoapFault>) {
        self.body = body;
        self.namespaces = namespaces;
        self.is_given = true;
        self.fault = fault;
        self.go_out();
    }

    /// Header blocks that the service wants in its answer.
    pub fn add_headers(&mut self, headers: &str) {
        self.headers.push_str(headers);
    }

    /// The service has done its work, and has no answer.
    pub fn no_answer(&mut self) {
        self.state = State::Quiet(self.handlers.len());
    }

    /// The envelope was written.
    pub fn closed(&mut self, message: String) {
        self.message = message;
        self.state = match self.pipeline.role {
            Role::Provider => State::Back(self.handlers.len()),
            Role::Requester => State::Forward(0),
        };
    }

    /// A step could not be done, so all changes are undone. The caller of a provider gets this message, a
    /// whole envelope, after the handlers have seen it.
    pub fn refused(&mut self, message: String) {
        self.message = message;
        let back = match self.pipeline.role {
            Role::Provider => State::Back(self.handlers.len()),
            Role::Requester => State::Done(Outcome::Fault(std::mem::take(&mut self.message))),
        };
        self.state = State::BackOut(Box::new(back));
    }

    /// The server of a requester has answered, perhaps with nothing, or has not been reached. The error is
    /// for operators.
    pub fn received(&mut self, response: Result<Option<String>, String>) {
        match response {
            Ok(Some(message)) => {
                self.message = message;
                self.state = State::Back(self.handlers.len());
            }
            Ok(None) => self.state = State::Quiet(self.handlers.len()),
            Err(message) => {
                self.error = Some(HandlerError {
                    kind: HandlerErrorKind::NotReached,
                    program: String::new(),
                    message,
                });
                self.state = State::Failing(self.handlers.len());
            }
        }
    }
}
