//! Programs as service providers: a record or a channel goes to a program of the region, and its answer comes back.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use codepage::{Encoding, Unmappable};
use service::{
    CallContext, Channel, Content, Error, Outcome, Payload, ServiceProvider, SoapFault, Stated,
    SystemOfRecord,
};
use wire::{Container, Interface, Name, name, soap_fault};

use crate::around::context::ContextContainers;
use crate::around::task::RegionTask;
use crate::region::{Failure, Region, Request};
use crate::rights::{TaskCaller, user_id};

/// Where a provider finds its region, which starts after the provider was made.
#[derive(Debug, Default)]
pub struct Slot(OnceLock<Arc<Region>>);

impl Slot {
    /// Gives the slot its region. False if it has one.
    pub fn fill(&self, region: Arc<Region>) -> bool {
        self.0.set(region).is_ok()
    }

    /// The region, once it has started.
    #[must_use]
    pub fn get(&self) -> Option<&Arc<Region>> {
        self.0.get()
    }
}

/// How a service's payload and a program's interface become each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Interchange {
    /// Records are commareas.
    Commarea {
        /// How long the commarea is at least, so that the answer has room.
        bytes: usize,
        /// The bytes of it that are the answer.
        answer_bytes: usize,
    },
    /// Records are containers of kind BIT.
    Containers {
        /// The channel's name.
        channel: Name<16>,
        /// The container of the request; none if the program gets no data.
        request: Option<Name<16>>,
        /// The container of the answer; none if the program gives no data.
        response: Option<Name<16>>,
    },
    /// Records are several containers of kind BIT, one behind the other.
    Parts {
        /// The channel's name.
        channel: Name<16>,
        /// The containers of the request.
        request: Vec<ContainerPart>,
        /// The containers of the answer.
        response: Vec<ContainerPart>,
    },
    /// Channels are channels.
    Channel {
        /// The channel's name.
        channel: Name<16>,
    },
}

/// The part of a record that is a container. The last part goes to the end of the record, however long that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContainerPart {
    /// The container's name.
    pub container: Name<16>,
    /// How many bytes it has.
    pub bytes: usize,
}

/// A program.
#[derive(Debug)]
pub struct ProgramProvider {
    /// The region that has it.
    pub region: Arc<Slot>,
    /// Its name.
    pub program: Name<8>,
    /// The transaction that it runs under.
    pub transaction: Name<4>,
    /// The data that it gets and gives.
    pub interchange: Interchange,
    /// The containers that describe the request from outside; none if the service asks for none.
    pub context: Option<ContextContainers>,
    /// True if the container `DFHHTTPSTATUS`, which the program fills, gives the status of the answer.
    pub states_status: bool,
}

/// The property by which a policy gives a call another transaction (z/OS Connect, policies).
const TRANSACTION_PROPERTY: &str = "cicsTransId";

/// The container of the status of an answer, as in CICS's pipelines.
pub const STATUS_CONTAINER: &str = "DFHHTTPSTATUS";

impl ServiceProvider for ProgramProvider {
    fn call(&self, context: CallContext<'_>, request: Payload) -> Outcome {
        let Some(region) = self.region.0.get().cloned() else {
            return Outcome::Ready(Err(Error::refused("the region of the program is not started")));
        };
        if let Err(error) = check_program(&region, self.program) {
            return Outcome::Ready(Err(error));
        }
        let mut interface = match self.interchange.request(request) {
            Ok(interface) => interface,
            Err(error) => return Outcome::Ready(Err(error)),
        };
        if let Interface::Channel { containers, .. } = &mut interface {
            if let Some(wanted) = &self.context {
                wanted.add(&context, containers);
            }
            if let Some(soap) = &context.soap {
                add_missing(containers, soap.containers);
            }
        }
        let transaction = match self.transaction(&context) {
            Ok(transaction) => transaction,
            Err(error) => return Outcome::Ready(Err(error)),
        };
        let request = match task_request(&region, &context, self.program, transaction, interface) {
            Ok(request) => request,
            Err(error) => return Outcome::Ready(Err(error)),
        };
        let interchange = self.interchange.clone();
        let states_status = self.states_status;
        if let Some(soap) = &context.soap {
            let task = soap.task.and_then(|task| RegionTask::of(task, &region));
            return Outcome::Pending(Box::pin(async move {
                let answer = match task {
                    Some(task) => task.run(request).await,
                    None => region.run(request).await,
                };
                interchange.soap_answer(answer.map_err(error)?)
            }));
        }
        let task = context.task.and_then(|task| RegionTask::of(task, &region));
        Outcome::Pending(Box::pin(async move {
            let answer = match task {
                Some(task) => Box::pin(task.run(request)).await,
                None => region.run(request).await,
            };
            let mut answer = answer.map_err(error)?;
            let said = if states_status { status_line(&mut answer, region.settings().ccsid) } else { None };
            let payload = interchange.answer(answer)?;
            Ok(match said {
                None => payload,
                status_line => Payload::Stated(Box::new(Stated { payload, status_line, fault: None })),
            })
        }))
    }

    fn kind(&self) -> &'static str {
        "program"
    }

    fn system_of_record(&self) -> SystemOfRecord<'_> {
        system_of_record(&self.region, &self.program)
    }
}

/// The region of a program, and the program, for a provider.
pub(crate) fn system_of_record<'p>(region: &'p Slot, program: &'p Name<8>) -> SystemOfRecord<'p> {
    fn text(bytes: &[u8]) -> Option<&str> {
        std::str::from_utf8(bytes).ok().map(str::trim_end)
    }
    let settings = region.get().map(|region| region.settings());
    SystemOfRecord {
        identifier: settings.and_then(|settings| text(&settings.applid)),
        reference: settings.and_then(|settings| text(&settings.sysid)),
        resource: text(program),
    }
}

/// Refuses a program that has faults.
///
/// # Errors
/// It cannot be used.
pub(crate) fn check_program(region: &Region, program: Name<8>) -> Result<(), Error> {
    if !region.settings().definitions.faulty_programs.contains(&program) {
        return Ok(());
    }
    let program = String::from_utf8_lossy(&program);
    Err(Error::unusable(format!("the program {} has faults; gantry check shows them", program.trim_end())))
}

/// The request for a task of a provider's program, with all that the task must know of the caller.
///
/// # Errors
/// The caller may not run the program or the transaction.
pub(crate) fn task_request(
    region: &Region,
    context: &CallContext<'_>,
    program: Name<8>,
    transaction: Name<4>,
    interface: Interface,
) -> Result<Request, Error> {
    let rights = &region.settings().rights;
    let refused_programs = rights.refused_programs(context.caller);
    if refused_programs.contains(&program) || !rights.allow_transaction(transaction, context.caller) {
        return Err(not_authorized(program, transaction, context));
    }
    let user = context.caller.map(|caller| user_id(caller.user));
    // Programs may begin tasks and call APIs, long after the request is gone.
    let caller = context.caller.map(|caller| Arc::new(TaskCaller::of(caller)));
    let until = Instant::now().checked_add(context.time_left);
    Ok(Request { program, transaction, user, refused_programs, caller, until, interface })
}

impl ProgramProvider {
    /// The transaction of a call: that of the service, or the one that a policy sets.
    fn transaction(&self, context: &CallContext<'_>) -> Result<Name<4>, Error> {
        let Some(given) = context.property(TRANSACTION_PROPERTY) else { return Ok(self.transaction) };
        let is_one = (1..=4).contains(&given.len()) && given.bytes().all(|byte| byte.is_ascii_graphic());
        match is_one {
            true => Ok(name(given)),
            false => Err(Error::refused(format!(
                "{TRANSACTION_PROPERTY}: expected a transaction of 1 to 4 characters, found {given:?}"
            ))),
        }
    }
}

fn not_authorized(program: Name<8>, transaction: Name<4>, context: &CallContext<'_>) -> Error {
    let (program, transaction) = (String::from_utf8_lossy(&program), String::from_utf8_lossy(&transaction));
    let (program, transaction) = (program.trim_end(), transaction.trim_end());
    let user =
        context.caller.map_or_else(|| "an unknown user".to_owned(), |caller| format!("{:?}", caller.user));
    Error::not_authorized(format!(
        "expected a user who may run the program {program} and the transaction {transaction}, found {user}"
    ))
}

/// Adds the containers that are not there yet.
fn add_missing(containers: &mut Vec<Container>, more: &[service::Container]) {
    for container in more {
        let container = to_program(container.clone());
        if containers.iter().all(|known| known.name != container.name) {
            containers.push(container);
        }
    }
}

/// Takes the status line of the answer out of the program's channel. A BIT container is read in the region's
/// code page.
fn status_line(answer: &mut Interface, local: u16) -> Option<String> {
    let Interface::Channel { containers, .. } = answer else { return None };
    let of_status = name(STATUS_CONTAINER);
    let place = containers.iter().position(|container| container.name == of_status)?;
    let container = containers.remove(place);
    let mut line = String::new();
    // Characters that cannot be decoded are replaced, and the reader of the line then refuses it as a status.
    if let Some(encoding) = Encoding::by_ccsid(container.ccsid.unwrap_or(local)) {
        let _ = encoding.decode(&container.bytes, Unmappable::Substitute, &mut line);
    }
    Some(line)
}

pub(crate) fn error(failure: Failure) -> Error {
    match failure {
        Failure::NotBegun(reason) => Error::refused(reason),
        Failure::Abend { .. } => Error::abended(failure.to_string()),
        Failure::TimedOut => Error::timed_out(),
        Failure::OutcomeUnknown(_) => Error::outcome_unknown(failure.to_string()),
    }
}

impl Interchange {
    fn request(&self, payload: Payload) -> Result<Interface, Error> {
        match (self, payload) {
            (Interchange::Commarea { bytes, .. }, Payload::Record(mut record)) => {
                record.resize(record.len().max(*bytes), 0);
                Ok(Interface::Commarea(record))
            }
            (Interchange::Containers { channel, request, .. }, Payload::Record(bytes)) => {
                let containers = request.map(|name| Container { name, ccsid: None, bytes });
                Ok(Interface::Channel { name: *channel, containers: containers.into_iter().collect() })
            }
            (Interchange::Parts { channel, request, .. }, Payload::Record(record)) => {
                Ok(Interface::Channel { name: *channel, containers: cut(request, &record)? })
            }
            (Interchange::Channel { channel }, Payload::Channel(given)) => {
                let containers = given.into_containers().into_iter().map(to_program).collect();
                Ok(Interface::Channel { name: *channel, containers })
            }
            (Interchange::Channel { .. }, _) => {
                Err(Error::refused("expected a channel for the program, found a record"))
            }
            _ => Err(Error::refused("expected a record for the program, found a channel")),
        }
    }

    /// The answer of a SOAP request, which may be a fault.
    fn soap_answer(&self, mut interface: Interface) -> Result<Payload, Error> {
        if let Interface::Channel { containers, .. } = &mut interface
            && let Some(fault) = taken_fault(containers)?
        {
            let payload = Payload::Record(Vec::new());
            return Ok(Payload::Stated(Box::new(Stated { payload, status_line: None, fault: Some(fault) })));
        }
        self.answer(interface)
    }

    fn answer(&self, interface: Interface) -> Result<Payload, Error> {
        match (self, interface) {
            (Interchange::Commarea { answer_bytes, .. }, Interface::Commarea(mut bytes)) => {
                bytes.truncate(*answer_bytes);
                Ok(Payload::Record(bytes))
            }
            // A commarea of no bytes is none.
            (Interchange::Commarea { .. }, Interface::None) => Ok(Payload::Record(Vec::new())),
            (Interchange::Containers { response, .. }, Interface::Channel { containers, .. }) => {
                let Some(response) = response else { return Ok(Payload::Record(Vec::new())) };
                let found = containers.into_iter().find(|container| container.name == *response);
                let missing = || {
                    let shown = String::from_utf8_lossy(response);
                    Error::failed(format!("the program gave no container {} back", shown.trim_end()))
                };
                Ok(Payload::Record(found.ok_or_else(missing)?.bytes))
            }
            (Interchange::Parts { response, .. }, Interface::Channel { containers, .. }) => {
                joined(response, &containers).map(Payload::Record)
            }
            (Interchange::Channel { .. }, Interface::Channel { containers, .. }) => {
                Ok(Payload::Channel(Channel::of(containers.into_iter().map(from_program).collect())))
            }
            _ => Err(Error::failed("the program gave back something else than it got")),
        }
    }
}

/// Takes the fault of a SOAP request out of a channel.
pub(crate) fn taken_fault(containers: &mut Vec<Container>) -> Result<Option<SoapFault>, Error> {
    soap_fault::take(containers)
        .map_err(|bad| Error::failed(format!("the program gave a SOAP fault back that is none: {bad}")))
}

/// The containers of a record.
fn cut(parts: &[ContainerPart], record: &[u8]) -> Result<Vec<Container>, Error> {
    let mut rest = record;
    let mut containers = Vec::with_capacity(parts.len());
    for (number, part) in parts.iter().enumerate() {
        let bytes = if number + 1 == parts.len() { rest.len() } else { part.bytes };
        let Some((own, after)) = rest.split_at_checked(bytes) else {
            return Err(Error::refused("expected a record with all containers of the program"));
        };
        containers.push(Container { name: part.container, ccsid: None, bytes: own.to_vec() });
        rest = after;
    }
    Ok(containers)
}

/// The record of containers.
fn joined(parts: &[ContainerPart], containers: &[Container]) -> Result<Vec<u8>, Error> {
    let mut record = Vec::with_capacity(parts.iter().map(|part| part.bytes).sum());
    for (number, part) in parts.iter().enumerate() {
        let shown = String::from_utf8_lossy(&part.container);
        let shown = shown.trim_end();
        let Some(found) = containers.iter().find(|container| container.name == part.container) else {
            return Err(Error::failed(format!("the program gave no container {shown} back")));
        };
        let count = found.bytes.len();
        if number + 1 < parts.len() && count != part.bytes {
            let message = format!("expected {} bytes in the container {shown}, found {count}", part.bytes);
            return Err(Error::failed(message));
        }
        record.extend_from_slice(&found.bytes);
    }
    Ok(record)
}

pub(crate) fn to_program(container: service::Container) -> Container {
    let (ccsid, bytes) = match container.content {
        Content::Bit(bytes) => (None, bytes),
        Content::Char { bytes, ccsid } => (Some(ccsid), bytes),
    };
    Container { name: name(&container.name), ccsid, bytes }
}

pub(crate) fn from_program(container: Container) -> service::Container {
    let content = match container.ccsid {
        None => Content::Bit(container.bytes),
        Some(ccsid) => Content::Char { bytes: container.bytes, ccsid },
    };
    service::Container { name: String::from_utf8_lossy(&container.name).trim_end().to_owned(), content }
}
