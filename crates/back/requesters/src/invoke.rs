//! INVOKE SERVICE: a program calls an operation with the containers of CICS's web services.

use std::sync::Arc;

use remote::Connection;
use service::{
    ApiCall, ApiError, ApiErrorKind, ApiRequest, Channel, Container, Content, InvokeError, InvokeFault,
    InvokeFuture, SERVICE_BODY_CONTAINER, SERVICE_DATA_CONTAINER, Target,
};
use soap_requester::{NoRecord, SoapOperation};

use crate::requester::{OperationPlan, Requester, SoapPlan, in_gateway};

/// UTF-8, in which containers of text are.
const UTF_8: u16 = 1208;

/// The container that has the declarations of prefixes for the one of the body.
const NAMESPACES_CONTAINER: &str = "DFHWS-XMLNS";

impl Requester {
    /// Starts a call of one of its operations. The record is in the container DFHWS-DATA, out and back.
    pub fn invoke(&self, call: ApiCall<'_>, target: Target<'_>, channel: &Channel) -> InvokeFuture {
        self.invoked(call, target, channel).unwrap_or_else(|error| Box::pin(std::future::ready(Err(error))))
    }

    fn invoked(
        &self,
        call: ApiCall<'_>,
        target: Target<'_>,
        channel: &Channel,
    ) -> Result<InvokeFuture, InvokeError> {
        let operation = self.allowed(&call).map_err(not_called)?;
        let data = channel.get(SERVICE_DATA_CONTAINER).ok_or_else(|| {
            InvokeError::Conversion(format!("expected the record in the container {SERVICE_DATA_CONTAINER}"))
        })?;
        let record = data.content.bytes().to_vec();
        match &operation.plan {
            OperationPlan::Soap(plan) => self.invoked_by_soap(&call, target, (plan, &record)),
            _ if target != Target::Configured => Err(InvokeError::Refused(
                "only the configuration sets the address of a REST API: remove URI and URIMAP".to_owned(),
            )),
            _ => {
                let answer = self.call(call, ApiRequest::from(record));
                Ok(Box::pin(async move {
                    let answer = answer.await.map_err(not_answered)?;
                    Ok(data_of(answer.record))
                }))
            }
        }
    }

    fn invoked_by_soap(
        &self,
        call: &ApiCall<'_>,
        target: Target<'_>,
        (plan, record): (&Arc<SoapPlan>, &[u8]),
    ) -> Result<InvokeFuture, InvokeError> {
        let (connection, path) = self.target(target, &plan.operation)?;
        let told = |error: record::Error| InvokeError::Conversion(format!("the request's record: {error}"));
        let envelope = plan.operation.messages.envelope(record).map_err(told)?;
        let mut outgoing = plan.operation.request(envelope);
        outgoing.target = path;
        let (within, plan) = (self.within(call, &connection), Arc::clone(plan));
        Ok(Box::pin(async move {
            let answer = connection.exchange(outgoing, &within).await;
            let answer = answer.map_err(|error| not_answered(in_gateway(error.into())))?;
            plan.operation.record(&answer).map(data_of).map_err(no_record)
        }))
    }

    /// The connection and the path of a call.
    fn target(
        &self,
        target: Target<'_>,
        operation: &SoapOperation,
    ) -> Result<(Arc<Connection>, String), InvokeError> {
        let own = self.connection.as_ref();
        match target {
            Target::Configured => {
                let connection = own.ok_or_else(|| not_called(self.no_connection()))?;
                Ok((Arc::clone(connection), operation.path.clone()))
            }
            // A program may have blanks behind a URI; it never has a say in hosts.
            Target::Uri(uri) => self.reachable.at(uri.trim(), own).ok_or_else(|| {
                InvokeError::Refused("the URI is not below the url of any of [connections]".to_owned())
            }),
            Target::UriMap(name) => {
                let connection = self.reachable.named(name.trim()).ok_or(InvokeError::NoUriMap)?;
                Ok((Arc::clone(connection), operation.path.clone()))
            }
        }
    }
}

/// The channel of an answer.
fn data_of(record: Vec<u8>) -> Channel {
    let (name, content) = (SERVICE_DATA_CONTAINER.to_owned(), Content::Bit(record));
    Channel::of(vec![Container { name, content }])
}

fn not_called(error: ApiError) -> InvokeError {
    match error.status {
        404 => InvokeError::NoOperation,
        _ => InvokeError::Refused(error.message),
    }
}

fn not_answered(error: ApiError) -> InvokeError {
    match (error.kind, error.status) {
        (ApiErrorKind::Api, _) => {
            InvokeError::Fault(Box::new(InvokeFault { message: error.message, containers: Vec::new() }))
        }
        (_, 504) => InvokeError::TimedOut,
        (_, 400 | 502) => InvokeError::Conversion(error.message),
        _ => InvokeError::Refused(error.message),
    }
}

/// What a program gets for an answer without a record: the body of a fault, as the server wrote it.
fn no_record(why: NoRecord) -> InvokeError {
    let message = why.to_string();
    match why {
        NoRecord::Failed(_) => InvokeError::Conversion(message),
        NoRecord::Fault(fault) => {
            let text = |name: &str, text: String| Container {
                name: name.to_owned(),
                content: Content::Char { bytes: text.into_bytes(), ccsid: UTF_8 },
            };
            let containers =
                vec![text(SERVICE_BODY_CONTAINER, fault.body), text(NAMESPACES_CONTAINER, fault.namespaces)];
            InvokeError::Fault(Box::new(InvokeFault { message, containers }))
        }
    }
}
