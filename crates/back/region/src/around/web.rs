//! Programs that answer requests over HTTP themselves (EXEC CICS WEB), as service providers.

use std::sync::Arc;
use std::time::Instant;

use service::{CallContext, Error, Outcome, Payload, ServiceProvider, SystemOfRecord};
use wire::{Interface, Name};

use crate::around::provider::{Slot, error};
use crate::region::Request;
use crate::rights::{TaskCaller, user_id};

/// A program that a URIMAP names.
#[derive(Debug)]
pub struct WebProvider {
    /// The region that has it.
    pub region: Arc<Slot>,
    /// Its name.
    pub program: Name<8>,
    /// The transaction that it runs under.
    pub transaction: Name<4>,
}

/// What a program is called in messages.
fn shown(name: &[u8]) -> &str {
    std::str::from_utf8(name).unwrap_or_default().trim_end()
}

impl WebProvider {
    fn request(
        &self,
        context: &CallContext<'_>,
        payload: Payload,
    ) -> Result<(Arc<crate::Region>, Request), Error> {
        let Some(region) = self.region.get().cloned() else {
            return Err(Error::refused("the region of the program is not started"));
        };
        let Payload::Web(request) = payload else {
            return Err(Error::refused("expected a request over HTTP for the program"));
        };
        let program = shown(&self.program);
        if region.settings().definitions.faulty_programs.contains(&self.program) {
            return Err(Error::unusable(format!(
                "the program {program} has faults, which gantry check tells"
            )));
        }
        if region.settings().definitions.remote_program(self.program).is_some() {
            return Err(Error::unusable(format!(
                "the program {program} is one of another region, which cannot answer over HTTP"
            )));
        }
        if !region.settings().has_program(self.program) {
            return Err(Error::unusable(format!("the program {program} does not exist in programs/")));
        }
        let rights = &region.settings().rights;
        let refused_programs = rights.refused_programs(context.caller);
        if refused_programs.contains(&self.program)
            || !rights.allow_transaction(self.transaction, context.caller)
        {
            let transaction = shown(&self.transaction);
            return Err(Error::not_authorized(format!(
                "expected a user who may run the program {program} and the transaction {transaction}"
            )));
        }
        let request = Request {
            program: self.program,
            transaction: self.transaction,
            user: context.caller.map(|caller| user_id(caller.user)),
            refused_programs,
            caller: context.caller.map(|caller| Arc::new(TaskCaller::of(caller))),
            until: Instant::now().checked_add(context.time_left),
            interface: Interface::Web(request),
        };
        Ok((region, request))
    }
}

impl ServiceProvider for WebProvider {
    fn call(&self, context: CallContext<'_>, payload: Payload) -> Outcome {
        let (region, request) = match self.request(&context, payload) {
            Ok(request) => request,
            Err(error) => return Outcome::Ready(Err(error)),
        };
        Outcome::Pending(Box::pin(async move {
            match region.run(request).await.map_err(error)? {
                Interface::WebAnswer(answer) => Ok(Payload::WebAnswer(answer)),
                // The program has ended without an answer.
                _ => Ok(Payload::Record(Vec::new())),
            }
        }))
    }

    fn kind(&self) -> &'static str {
        "program"
    }

    fn system_of_record(&self) -> SystemOfRecord<'_> {
        let settings = self.region.get().map(|region| region.settings());
        SystemOfRecord {
            identifier: settings.map(|settings| shown(&settings.applid)),
            reference: settings.map(|settings| shown(&settings.sysid)),
            resource: Some(shown(&self.program)),
        }
    }
}
