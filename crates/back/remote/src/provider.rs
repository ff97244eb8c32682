//! A REST API as a service provider: the record goes out as an HTTP request, the answer comes back as a record.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use http::{HeaderMap, HeaderValue};
use service::{CallContext, Error, Outcome, Payload, ServiceProvider, Trace};

use crate::connection::{Call, CallerName, Connection};
use crate::message::{Answer, Outgoing};

/// Turns payloads into requests and answers into payloads. Crates that know the layouts implement it.
pub trait PayloadsOverHttp: Send + Sync {
    /// The request that a payload means.
    ///
    /// # Errors
    /// The payload is not of its layout, or a value cannot be sent.
    fn outgoing(&self, payload: &Payload) -> Result<Outgoing, Error>;

    /// The payload that an answer means.
    ///
    /// # Errors
    /// The status means failure, or the answer does not fit the layout.
    fn incoming(&self, answer: &Answer) -> Result<Payload, Error>;

    /// What kind of provider it makes, in one word, for operators.
    fn kind(&self) -> &'static str;
}

// A bound by `Debug` would keep the code that shows whole configurations.
impl fmt::Debug for dyn PayloadsOverHttp + '_ {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("PayloadsOverHttp")
    }
}

/// The provider.
#[derive(Debug)]
pub struct HttpProvider {
    connection: Arc<Connection>,
    conversion: Arc<dyn PayloadsOverHttp>,
}

impl HttpProvider {
    /// A provider that goes out over this connection.
    #[must_use]
    pub fn new(connection: Arc<Connection>, conversion: Arc<dyn PayloadsOverHttp>) -> Self {
        Self { connection, conversion }
    }
}

impl ServiceProvider for HttpProvider {
    fn call(&self, context: CallContext<'_>, request: Payload) -> Outcome {
        let mut outgoing = match self.conversion.outgoing(&request) {
            Ok(outgoing) => outgoing,
            Err(error) => return Outcome::Ready(Err(error)),
        };
        if let Some(trace) = context.trace {
            pass_on(trace, &mut outgoing.headers);
        }
        let call = Call {
            deadline: Instant::now() + context.time_left,
            caller: context
                .caller
                .filter(|_| self.connection.names_callers())
                .map(|caller| CallerName::of(&caller)),
            token: self.connection.token_of(&context),
        };
        let (connection, conversion) = (Arc::clone(&self.connection), Arc::clone(&self.conversion));
        Outcome::Pending(Box::pin(async move {
            let answer = connection.exchange(outgoing, &call).await?;
            conversion.incoming(&answer)
        }))
    }

    fn kind(&self) -> &'static str {
        self.conversion.kind()
    }
}

/// The remote server joins the trace of the call, whatever the record said about one.
fn pass_on(trace: Trace<'_>, headers: &mut HeaderMap) {
    for (name, value) in [("traceparent", Some(trace.parent)), ("tracestate", trace.state)] {
        match value.and_then(|value| HeaderValue::from_str(value).ok()) {
            Some(value) => drop(headers.insert(name, value)),
            None => drop(headers.remove(name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_passed_on_in_place_of_another() {
        let mut headers = HeaderMap::new();
        headers.insert("traceparent", HeaderValue::from_static("other"));
        headers.insert("tracestate", HeaderValue::from_static("other"));
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        pass_on(Trace { parent, state: None }, &mut headers);
        assert_eq!(headers.get("traceparent").map(HeaderValue::as_bytes), Some(parent.as_bytes()));
        assert_eq!(headers.get("tracestate"), None);
    }
}
