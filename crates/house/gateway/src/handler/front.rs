//! The one way that every request takes, and the trait of those who ask: REST, direct calls, MCP, programs.
//!
//! [`run`] says which step follows which. A front says how it does each step. `run` is generic and each front is a
//! concrete type, so that nothing of this costs a request anything.

use std::future::Future;

use bytes::Bytes;
use failure::Failure;
use http::Response;
use http_body_util::Full;
use tracing::Instrument;

use super::exchange::Exchange;
use admission::Refusal;
use recording::chains::Stop;

/// One way in for requests. A value of it is one request: [`run`] calls its functions in the order in which they stand
/// here, and at the first stop goes on with [`Front::fail`].
pub trait Front {
    /// Where a request leads: what is called.
    type Place;
    /// What the caller counts against its limits; dropped when the call has ended.
    type Admitted;
    /// What is read of a request beside its head: a body, a record.
    type Input;
    /// What came of the call.
    type Output;
    /// Why a request gets no further.
    type Stop;
    /// What the caller gets.
    type Answer;

    /// Checks what is asked of every request, wherever it leads. Nothing, if the front does not say.
    fn check_head(&mut self) -> Result<(), Self::Stop> {
        Ok(())
    }

    /// Finds what is called.
    fn route(&mut self) -> impl Future<Output = Result<Self::Place, Self::Stop>>;

    /// Lets the caller in, or not. A request that is not let in has nothing more read of it.
    fn admit(&mut self, place: &Self::Place) -> impl Future<Output = Result<Self::Admitted, Self::Stop>>;

    /// Checks that what is called is started. It is, if the front does not say.
    fn check_started(&mut self, _place: &Self::Place) -> Result<(), Self::Stop> {
        Ok(())
    }

    /// Reads the request, within limits of bytes and time.
    fn read(&mut self, place: &Self::Place) -> impl Future<Output = Result<Self::Input, Self::Stop>>;

    /// Asks the interceptors whether the call may be. There are none, if the front does not say.
    fn intercept(&mut self, _input: &Self::Input) -> impl Future<Output = Result<(), Self::Stop>> {
        std::future::ready(Ok(()))
    }

    /// Maps the request, calls, and maps what comes back.
    fn call(
        &mut self,
        place: Self::Place,
        input: Self::Input,
    ) -> impl Future<Output = Result<Self::Output, Self::Stop>>;

    /// Writes the answer to a request that went well.
    fn succeed(&mut self, output: Self::Output) -> Self::Answer;

    /// Writes the answer to a request that did not.
    fn fail(&mut self, stop: Self::Stop) -> Self::Answer;
}

/// A front over HTTP, whose requests are watched: they have an id, and are measured, traced, logged and recorded.
pub(crate) trait HttpFront<'r>: Front<Answer = Response<Full<Bytes>>> {
    /// What is known of the request.
    fn exchange(&mut self) -> &mut Exchange<'r>;

    /// Adds to an answer what every answer of the front has.
    fn complete(&mut self, _response: &mut Response<Full<Bytes>>) {}
}

/// Why a request over HTTP has its answer before its call has ended.
pub(crate) enum Ending {
    /// It failed. Without a status of its own it has the one that its operation has for the failure.
    Failed(Stop),
    /// It is not let in.
    Refused(Refusal),
    /// There is nothing to call: it asked for what is there already.
    Answered(Box<Response<Full<Bytes>>>),
}

impl From<Stop> for Ending {
    fn from(stop: Stop) -> Self {
        Ending::Failed(stop)
    }
}

impl From<Failure> for Ending {
    fn from(failure: Failure) -> Self {
        Ending::Failed(failure.into())
    }
}

impl Ending {
    /// The answer that is there already.
    pub(crate) fn answered(response: Response<Full<Bytes>>) -> Self {
        Ending::Answered(Box::new(response))
    }
}

/// Answers one request. It never fails: what goes wrong becomes an answer too.
pub async fn run<F: Front>(front: &mut F) -> F::Answer {
    match pass(front).await {
        Ok(output) => front.succeed(output),
        Err(stop) => front.fail(stop),
    }
}

/// The steps of every request.
async fn pass<F: Front>(front: &mut F) -> Result<F::Output, F::Stop> {
    front.check_head()?;
    let place = front.route().await?;
    // What it counts against its limits lasts until the call has ended.
    let _admitted = front.admit(&place).await?;
    front.check_started(&place)?;
    let input = front.read(&place).await?;
    front.intercept(&input).await?;
    front.call(place, input).await
}

/// Answers one request over HTTP, and tells those who watch.
pub(crate) async fn run_watched<'r, F: HttpFront<'r>>(front: &mut F) -> Response<Full<Bytes>> {
    let exchange = front.exchange();
    let (gateway, span) = (exchange.arrival.gateway, exchange.log_span());
    let (mut response, cpu) = gateway.metrics.sampling.request(run(front).instrument(span)).await;
    front.complete(&mut response);
    front.exchange().end(&response, cpu).await;
    response
}
