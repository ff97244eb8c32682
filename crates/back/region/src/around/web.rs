//! Programs that answer requests over HTTP themselves (EXEC CICS WEB), as service providers.

use std::sync::Arc;

use service::{CallContext, Error, Outcome, Payload, ServiceProvider, SystemOfRecord};
use wire::{Interface, Name, shown};

use crate::around::provider::{Slot, check_program, error, system_of_record, task_request};
use crate::region::Request;

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
        check_program(&region, self.program)?;
        let program = shown(&self.program);
        if region.settings().definitions.remote_program(self.program).is_some() {
            return Err(Error::unusable(format!(
                "the program {program} is one of another region, which cannot answer over HTTP"
            )));
        }
        if !region.settings().has_program(self.program) {
            return Err(Error::unusable(format!("the program {program} does not exist in programs/")));
        }
        let interface = Interface::Web(request);
        let request = task_request(&region, context, self.program, self.transaction, interface)?;
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
        system_of_record(&self.region, &self.program)
    }
}
