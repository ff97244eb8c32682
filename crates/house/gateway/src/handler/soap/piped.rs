//! A message in the programs of a pipeline. They are linked here, in one task.

use std::sync::Arc;

use failure::{Code, Failure};
use pipeline::containers::{self as names, text};
use pipeline::{By, Closing, HandlerErrorKind, HeaderBlock, Next, NotDone, Opened, Outcome, Run};
use service::{Channel, Container, Error, LinkedChannel, ProgramTask, SoapFault};
use soap::{Block, Heard, Parts, Trouble, Version, Versions, close, fault_status, program_fault};

use crate::gateway::PipelineEntry;

/// A message in a pipeline.
pub(super) struct Piped<'r> {
    entry: &'r PipelineEntry,
    run: Run<'r>,
    task: Arc<dyn ProgramTask>,
    versions: Versions,
    /// The opened envelope, and its parts.
    opened: Option<(String, Parts)>,
    /// The status of the last fault.
    status: Option<u16>,
}

/// The progress of a message.
pub(super) enum Reached {
    /// The service is next.
    Target(Target),
    /// The end, with a message and its HTTP status; none for a message without an answer.
    End(Option<(u16, String)>),
    /// A fault. Go on with [`Piped::refused`].
    Trouble(Box<Trouble>),
}

/// The input of the service.
pub(super) struct Target {
    /// The envelope without the header blocks that header programs have taken.
    pub(super) message: String,
    /// Containers for a program with a channel.
    pub(super) containers: Vec<Container>,
    /// The transaction and the user that a handler has chosen for the program.
    pub(super) transaction: Option<String>,
    pub(super) user: Option<String>,
}

impl<'r> Piped<'r> {
    pub(super) fn begin(
        entry: &'r PipelineEntry,
        task: Arc<dyn ProgramTask>,
        by: By<'_>,
        versions: Versions,
        message: String,
        context: Channel,
    ) -> Self {
        let run = Run::provide(&entry.pipeline, (by, entry.programs.ccsid()), message, context);
        Self { entry, run, task, versions, opened: None, status: None }
    }

    /// The task of its programs.
    pub(super) fn task(&self) -> &Arc<dyn ProgramTask> {
        &self.task
    }

    /// Runs the pipeline until the service is next, or to the end.
    pub(super) async fn go_on(&mut self, heard: &mut Heard) -> Reached {
        loop {
            match self.run.step() {
                Next::Link(to) => {
                    let (program, transaction) = (to.program.to_owned(), to.other_task.transaction);
                    if transaction.is_some() || to.other_task.user.is_some() {
                        let why = "an application handler of one's own runs in the task of its pipeline: DFHWS-TRANID and \
                                   DFHWS-USERID cannot be changed for it";
                        return trouble(Failure::from_service(&Error::refused(why)).into());
                    }
                    let given = LinkedChannel {
                        name: to.channel_name.to_owned(),
                        channel: to.channel.clone(),
                        fault: to.fault.cloned(),
                    };
                    self.link(&program, given).await;
                }
                Next::Open(message) => {
                    let message = message.to_owned();
                    let cursor = soap::cursor(&message, xml_encoding());
                    match cursor.and_then(|cursor| Parts::of(cursor, (self.versions, heard))) {
                        Ok(parts) => {
                            heard.reply = parts.reply(|block| is_taken(self.entry, block));
                            self.run.opened(opened(&message, &parts));
                            self.opened = Some((message, parts));
                        }
                        Err(wrong) => return trouble(wrong),
                    }
                }
                Next::Apply(envelope) => {
                    let task = envelope.other_task;
                    let (transaction, user) =
                        (task.transaction.map(str::to_owned), task.user.map(str::to_owned));
                    let containers = envelope.channel.containers().to_vec();
                    let Some(opened) = &self.opened else {
                        return trouble(Failure::new(Code::Internal).into());
                    };
                    let message = rebuilt(self.entry, opened, (envelope.body, envelope.namespaces));
                    return Reached::Target(Target { message, containers, transaction, user });
                }
                Next::Close(closing) => {
                    let reply = heard.reply.as_ref().filter(|_| closing.fault.is_some());
                    if reply.is_some_and(|reply| reply.fault_target() == soap::Target::None) {
                        self.run.no_answer();
                        continue;
                    }
                    match closed(&closing, reply) {
                        Ok((status, message)) => {
                            self.status = status;
                            self.run.closed(message);
                        }
                        Err(wrong) => return trouble(wrong),
                    }
                }
                Next::Send(_) => self.run.received(Err("the pipeline is that of a provider".to_owned())),
                Next::BackOut => {
                    if let Err(error) = self.task.back_out().await {
                        tracing::error!("the pipeline {}: {error}", self.entry.name);
                    }
                    self.run.backed_out();
                }
                Next::Done(outcome) => {
                    let outcome = outcome.clone();
                    return self.end(outcome).await;
                }
            }
        }
    }

    /// Links a program of the pipeline, and takes its result.
    async fn link(&mut self, program: &str, given: LinkedChannel) {
        let left = self.task.link(program, given).await;
        self.run.linked(left.map(|left| (left.channel, left.fault)).map_err(|error| {
            tracing::warn!("program {program} of the pipeline {}: {}", self.entry.name, error.error);
            NotDone::from(error)
        }));
    }

    /// Ends the task, and keeps the changes of its programs.
    async fn end(&mut self, outcome: Outcome) -> Reached {
        let message = match outcome {
            Outcome::Response(message) | Outcome::Body(message) | Outcome::Fault(message) => Some(message),
            Outcome::NoResponse => None,
            Outcome::Failed(error) => {
                let name = &self.entry.name;
                let message = format!("program {} of the pipeline {name}: {}", error.program, error.message);
                let failed = match error.kind {
                    HandlerErrorKind::Abended(_) => Error::abended(message),
                    HandlerErrorKind::NotCalled => Error::refused(message),
                    _ => Error::failed(message),
                };
                // After the others were backed out, the later work of handlers is kept.
                if let Err(error) = self.task.end().await {
                    tracing::error!("the pipeline {name}: {error}");
                }
                return trouble(Failure::from_service(&failed).into());
            }
        };
        if let Err(error) = self.task.end().await {
            return trouble(Failure::from_service(&error).into());
        }
        Reached::End(message.map(|message| {
            // A handler may have put another message in place of a fault.
            let status = fault_status(&message).map_or(200, |status| self.status.unwrap_or(status));
            (status, message)
        }))
    }

    /// Takes the envelope of the service's answer.
    ///
    /// # Errors
    /// The envelope cannot be split for header programs.
    pub(super) fn answered(&mut self, envelope: Vec<u8>, version: Version) -> Result<(), Trouble> {
        let message = String::from_utf8(envelope)
            .map_err(|_| Failure::with_details(Code::BadRecord, "the answer is not UTF-8"))?;
        let handler = self.entry.pipeline.soap_handler();
        if !handler.is_some_and(|handler| handler.header_programs.iter().any(|program| program.is_mandatory))
        {
            self.run.closed(message);
            return Ok(());
        }
        let parts = Parts::of_answer(&message, version)?;
        self.run.answered(parts.body(&message).to_owned(), parts.namespaces.clone(), None);
        for block in &parts.blocks {
            self.run.add_headers(&block.text);
        }
        Ok(())
    }

    /// Takes a fault that the service's program has made.
    pub(super) fn faulted(&mut self, fault: SoapFault) {
        self.run.answered("<SOAP-ENV:Body/>".to_owned(), String::new(), Some(fault));
    }

    /// Notes that the service has no answer.
    pub(super) fn quiet(&mut self) {
        self.run.no_answer();
    }

    /// Shows a fault to the handlers, and undoes the work.
    pub(super) fn refused(&mut self, status: u16, fault: String) {
        self.status = Some(status);
        self.run.refused(fault);
    }

    /// Ends the run, and undoes the work.
    pub(super) async fn give_up(&self) {
        if let Err(error) = self.task.back_out().await {
            tracing::error!("the pipeline {}: {error}", self.entry.name);
        }
    }

    /// True if a handler may run the service under this user.
    pub(super) fn may_run_as(&self, user: &str) -> bool {
        self.entry.users.iter().any(|known| known == user)
    }
}

/// The context of a request for a pipeline's first program.
pub(super) fn context(entry: &PipelineEntry, known: &[(&str, &str)]) -> Channel {
    let mut channel = Channel::default();
    let own = [("DFHWS-PIPELINE", entry.name.as_str()), (names::TRANSACTION, entry.transaction.as_str())];
    for (name, value) in own.iter().chain(known) {
        channel.put(text(name, *value));
    }
    channel
}

/// The message of an envelope, with its status if it is a fault. `reply` has the addresses of a fault.
fn closed(closing: &Closing<'_>, reply: Option<&soap::Reply>) -> Result<(Option<u16>, String), Trouble> {
    let Some(fault) = closing.fault else { return Ok((None, closing.envelope()?)) };
    let (status, body) = program_fault(closing.version, fault);
    let blocks = reply.map(soap::Reply::fault_blocks).unwrap_or_default();
    let headers = format!("{blocks}{}", closing.headers);
    Ok((Some(status), close(closing.version, (&headers, closing.namespaces), &body)?))
}

fn trouble(wrong: Trouble) -> Reached {
    Reached::Trouble(Box::new(wrong))
}

/// The parts of an opened envelope that header programs see.
fn opened(message: &str, parts: &Parts) -> Opened {
    let ours = parts.blocks.iter().filter(|block| block.is_ours);
    let blocks = ours.map(|block| HeaderBlock {
        namespace: block.namespace.clone(),
        local_name: block.local_name.clone(),
        text: block.text.clone(),
        // The reader of the service's envelope judges the blocks that no program takes.
        must_understand: false,
    });
    Opened {
        version: parts.version,
        namespaces: parts.namespaces.clone(),
        blocks: blocks.collect(),
        body: parts.body(message).to_owned(),
    }
}

/// The envelope for the service, with the body from header programs.
fn rebuilt(entry: &PipelineEntry, (message, parts): &(String, Parts), own: (&str, &str)) -> String {
    parts.rebuilt(message, |block| is_taken(entry, block), own)
}

/// True if a header program takes a header block.
fn is_taken(entry: &PipelineEntry, block: &Block) -> bool {
    let handler = entry.pipeline.soap_handler();
    let programs = handler.map(|handler| &handler.header_programs[..]).unwrap_or_default();
    let takes = |program: &pipeline::HeaderProgram| program.takes(&block.namespace, &block.local_name);
    block.is_ours && programs.iter().any(takes)
}

/// Programs leave text. Its declaration still names the encoding that the request had, which does not matter.
pub(super) fn xml_encoding() -> soap::TextEncoding {
    soap::TextEncoding::Told
}
