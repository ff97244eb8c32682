//! What programs of the region reach through the gateway: API requesters, by themselves and as services, and
//! transformations by the binds of services.

use std::sync::{Arc, Weak};

use region::Surroundings;
use service::{
    ApiCall, ApiError, ApiErrorKind, ApiFuture, ApiOperation, ApiRequest, ApiRequester, Channel, Container,
    Content, Invocation, InvokeError, InvokeFuture, SERVICE_DATA_CONTAINER, ServiceInvoker, TransformError,
    Transformation, Transformer,
};

use crate::live::Live;

/// What the programs of regions get of a gateway, which does not live for their sake.
pub(crate) fn surroundings(live: &Arc<Live>) -> Surroundings {
    let apis: Weak<dyn ApiRequester> = Arc::downgrade(live) as _;
    let services: Weak<dyn ServiceInvoker> = Arc::downgrade(live) as _;
    let transformers: Weak<dyn Transformer> = Arc::downgrade(live) as _;
    Surroundings { apis, services, transformers }
}

impl ApiRequester for Live {
    fn call_api(&self, call: ApiCall<'_>, request: ApiRequest) -> ApiFuture {
        let fail = |kind, status, message: String| -> ApiFuture {
            Box::pin(std::future::ready(Err(ApiError { kind, status, message })))
        };
        let api = call.api.trim_end();
        if api.is_empty() {
            return fail(ApiErrorKind::Stub, 400, "the call names no API".to_owned());
        }
        let gateway = self.gateway();
        match gateway.requesters.get(api) {
            None => fail(ApiErrorKind::Gateway, 404, format!("there is no API requester '{api}'")),
            Some(entry) if !entry.switch.is_started() => {
                fail(ApiErrorKind::Gateway, 503, format!("the API requester '{api}' is stopped"))
            }
            Some(entry) => entry.requester.call(call, request),
        }
    }
}

impl ServiceInvoker for Live {
    /// Services are API requesters: the record is in the container of CICS's web services, out and back.
    fn invoke(&self, invocation: Invocation<'_>, channel: Channel) -> InvokeFuture {
        let refuse = |error| -> InvokeFuture { Box::pin(std::future::ready(Err(error))) };
        let gateway = self.gateway();
        let name = invocation.service;
        let Some(entry) = gateway.requesters.get(name) else { return refuse(InvokeError::NoService) };
        let operation = ApiOperation::Named(invocation.operation);
        if entry.requester.operation(operation).is_none() {
            return refuse(InvokeError::NoOperation);
        }
        if invocation.names_target {
            let message = "where a service is comes from the configuration alone: leave out URI and URIMAP";
            return refuse(InvokeError::Refused(message.to_owned()));
        }
        if !entry.switch.is_started() {
            return refuse(InvokeError::Refused(format!("the API requester '{name}' is stopped")));
        }
        let Some(data) = channel.get(SERVICE_DATA_CONTAINER) else {
            let message = format!("expected the record in the container {SERVICE_DATA_CONTAINER}");
            return refuse(InvokeError::Conversion(message));
        };
        let Invocation { caller, time_left, .. } = invocation;
        let call = ApiCall { api: name, operation, caller, time_left };
        let answer = entry.requester.call(call, data.content.bytes().to_vec().into());
        Box::pin(async move {
            let answer = answer.await.map_err(|error| match (error.kind, error.status) {
                (ApiErrorKind::Api, _) => InvokeError::Fault(error.message),
                (_, 504) => InvokeError::TimedOut,
                (_, 400 | 502) => InvokeError::Conversion(error.message),
                _ => InvokeError::Refused(error.message),
            })?;
            let content = Content::Bit(answer.record);
            Ok(Channel::of(vec![Container { name: SERVICE_DATA_CONTAINER.to_owned(), content }]))
        })
    }
}

impl Transformer for Live {
    fn transform(&self, name: &str, way: Transformation, input: &[u8]) -> Result<Vec<u8>, TransformError> {
        let gateway = self.gateway();
        let bind = gateway.transforms.get(name).ok_or(TransformError::Unknown)?;
        let mut output = Vec::new();
        let done = match way {
            Transformation::DataToJson => bind.decode(input, &mut output),
            Transformation::JsonToData => bind.encode(input, &mut output),
            Transformation::DataToXml => bind.decode_xml(input, &mut output),
            Transformation::XmlToData => bind.encode_xml(input, &mut output),
        };
        match done {
            Ok(()) => Ok(output),
            Err(error) => Err(TransformError::Input(error.to_string())),
        }
    }
}

#[cfg(test)]
mod tests;
