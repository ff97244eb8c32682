//! Asks another server whether a call is allowed, and reports its end to that server.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderName};
use interceptor::external::Decision;
use tokio::sync::Semaphore;

use super::asker::{Asker, Terms};
use super::{Asked, Seen, Stop};
use remote::json_server::JsonServer;

/// The most reports that run at one time. Further ones are dropped.
const TELLING_MAX: usize = 256;

/// The interceptor.
#[derive(Debug)]
pub(crate) struct External {
    asker: Asker,
    server: JsonServer,
    tell_after: bool,
    telling: Arc<Semaphore>,
}

/// The settings of the server.
#[derive(Clone, Debug)]
pub(crate) struct ExternalSettings {
    pub(crate) server: JsonServer,
    pub(crate) terms: Terms,
    /// True if the server gets reports of ended calls.
    pub(crate) tell_after: bool,
}

impl External {
    pub(super) fn new(asker: Asker, server: JsonServer, tell_after: bool) -> Self {
        Self { asker, server, tell_after, telling: Arc::new(Semaphore::new(TELLING_MAX)) }
    }

    /// Headers that only the server may set. They are first removed from the caller's request.
    pub(super) fn may_set_headers(&self) -> &[HeaderName] {
        &self.asker.terms.may_set_headers
    }

    /// Asks the server, and sets the headers of its answer.
    pub(super) async fn before(
        &self,
        asked: &Asked<'_>,
        body: &Bytes,
        headers: &mut Option<HeaderMap>,
    ) -> Result<(), Stop> {
        let answer = self.server.post(self.asker.before(asked, body, headers.as_ref())).await;
        let decision = answer.and_then(|answer| {
            Decision::parse(&answer, self.may_set_headers()).map_err(|error| error.to_string())
        });
        self.asker.decided(asked, decision, headers)
    }

    /// Reports the end of a call to the server. The caller does not wait for it.
    pub(super) fn after(&self, seen: &Seen<'_>) {
        if !self.tell_after {
            return;
        }
        let Ok(turn) = Arc::clone(&self.telling).try_acquire_owned() else {
            self.asker.metrics.failed();
            return;
        };
        let json = self.asker.after(seen);
        let (server, metrics, name) =
            (self.server.clone(), self.asker.metrics.clone(), self.asker.name.clone());
        tokio::spawn(async move {
            if let Err(error) = server.post(json).await {
                metrics.failed();
                tracing::debug!(interceptor = name, error, "could not send the end of a call");
            }
            drop(turn);
        });
    }
}
