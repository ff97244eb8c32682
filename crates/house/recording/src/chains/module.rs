//! Asks a module of WebAssembly, which decides in the gateway's own process.

use bytes::Bytes;
use http::{HeaderMap, HeaderName};
use interceptor::external::{Decision, header};
use wasm::{Answer, Call, Error, Level, Sandbox};

use super::asker::Asker;
use super::{Asked, Seen, Stop};

/// The interceptor.
#[derive(Debug)]
pub(crate) struct ModuleInterceptor {
    asker: Asker,
    sandbox: Sandbox,
}

impl ModuleInterceptor {
    pub(super) fn new(asker: Asker, sandbox: Sandbox) -> Self {
        Self { asker, sandbox }
    }

    /// Headers that only the module may set. They are first removed from the caller's request.
    pub(super) fn may_set_headers(&self) -> &[HeaderName] {
        &self.asker.terms.may_set_headers
    }

    /// Asks the module on the worker's own thread. The module's fuel limits how long other requests
    /// of the worker wait.
    pub(super) fn before(
        &self,
        asked: &Asked<'_>,
        body: &Bytes,
        headers: &mut Option<HeaderMap>,
    ) -> Result<(), Stop> {
        let call = self.sandbox.before(self.asker.before(asked, body, headers.as_ref()));
        let answer = self.logged(asked.id, call).map_err(|error| error.to_string());
        let decision = answer.and_then(|answer| self.decision(answer));
        self.asker.decided(asked, decision, headers)
    }

    /// Reports the end of a call to the module, if it wants reports.
    pub(super) fn after(&self, seen: &Seen<'_>) {
        if !self.sandbox.has_after() {
            return;
        }
        let call = self.sandbox.after(self.asker.after(seen));
        if let Err(error) = self.logged(seen.id, call) {
            self.asker.metrics.failed();
            let (id, name) = (seen.id, &self.asker.name);
            tracing::warn!(id, interceptor = name, error = %error, "could not run `after` for the end of a call");
        }
    }

    /// An empty answer allows the call. Headers count in the order of their setting. Those of the
    /// answer come last.
    fn decision(&self, answer: Answer) -> Result<Decision, String> {
        let may_set = self.may_set_headers();
        let decision = if answer.bytes.is_empty() {
            Decision::Allow(Vec::new())
        } else {
            Decision::parse(&answer.bytes, may_set).map_err(|error| error.to_string())?
        };
        let Decision::Allow(last) = decision else { return Ok(decision) };
        let first = answer.headers.iter().map(|(name, value)| header(name, value, may_set));
        let mut set = first.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
        set.extend(last);
        Ok(Decision::Allow(set))
    }

    /// Writes the module's lines to the log, with the id of the request.
    fn logged(&self, id: &str, call: Call) -> Result<Answer, Error> {
        let name = &self.asker.name;
        for line in &call.lines {
            let said = &line.text;
            match line.level {
                Level::Error => tracing::error!(id, interceptor = name, said),
                Level::Warning => tracing::warn!(id, interceptor = name, said),
                Level::Information => tracing::info!(id, interceptor = name, said),
                Level::Debug => tracing::debug!(id, interceptor = name, said),
            }
        }
        if call.lost_lines > 0 {
            tracing::warn!(
                id,
                interceptor = name,
                lost = call.lost_lines,
                "it logged more lines than it may"
            );
        }
        call.result
    }
}
