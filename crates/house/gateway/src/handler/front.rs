//! The steps of every request, and the trait of the fronts: REST, direct calls, MCP, programs.
//!
//! [`run`] has the order of the steps. A front implements each step. `run` is generic and each
//! front is a concrete type, so this costs a request nothing.

use std::future::Future;
use std::marker::PhantomData;

use bytes::Bytes;
use failure::Failure;
use http::Response;
use http_body_util::Full;
use tracing::Instrument;

use super::exchange::Exchange;
use admission::Refusal;
use recording::chains::Stop;

/// A front for requests. A value of it is one request. [`run`] calls its functions in the order
/// below. After the first stop it goes on with [`Front::fail`].
pub trait Front {
    /// The target of a request.
    type Place;
    /// The caller's counts against its limits. They are dropped when the call has ended.
    type Admitted;
    /// The content of a request beside its head: a body, a record.
    type Input;
    /// The result of the call.
    type Output;
    /// Why a request stops.
    type Stop;
    /// The answer for the caller.
    type Answer;

    /// Checks common to all requests. The default checks nothing.
    fn check_head(&mut self) -> Result<(), Self::Stop> {
        Ok(())
    }

    /// Finds the target.
    fn route(&mut self) -> impl Future<Output = Result<Self::Place, Self::Stop>>;

    /// Admits the caller or refuses. After a refusal, nothing more of the request is read.
    fn admit(&mut self, place: &Self::Place) -> impl Future<Output = Result<Self::Admitted, Self::Stop>>;

    /// Checks that the target is started. By default it is.
    fn check_started(&mut self, _place: &Self::Place) -> Result<(), Self::Stop> {
        Ok(())
    }

    /// Reads the request, within limits of bytes and time.
    fn read(&mut self, place: &Self::Place) -> impl Future<Output = Result<Self::Input, Self::Stop>>;

    /// Asks the interceptors whether the call is allowed. By default there are none.
    fn intercept(&mut self, _input: &Self::Input) -> impl Future<Output = Result<(), Self::Stop>> {
        std::future::ready(Ok(()))
    }

    /// Maps the request, calls, and maps the result.
    fn call(
        &mut self,
        place: Self::Place,
        input: Self::Input,
    ) -> impl Future<Output = Result<Self::Output, Self::Stop>>;

    /// Writes the answer after a success.
    fn succeed(&mut self, output: Self::Output) -> Self::Answer;

    /// Writes the answer after a stop.
    fn fail(&mut self, stop: Self::Stop) -> Self::Answer;
}

/// A front over HTTP. Its requests have an id, and are measured, traced, logged and recorded.
pub(crate) trait HttpFront<'r>: Front<Answer = Response<Full<Bytes>>> {
    /// The facts about the request.
    fn exchange(&mut self) -> &mut Exchange<'r>;

    /// Adds the common parts of the front's answers to an answer.
    fn complete(&mut self, _response: &mut Response<Full<Bytes>>) {}
}

/// Why a request over HTTP has its answer before its call has ended.
pub(crate) enum Ending {
    /// It failed. If it has no own status, the operation gives one for the failure.
    Failed(Stop),
    /// It is refused.
    Refused(Refusal),
    /// It needs no call: the answer already exists.
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
    /// Ends with an existing answer.
    pub(crate) fn answered(response: Response<Full<Bytes>>) -> Self {
        Ending::Answered(Box::new(response))
    }
}

/// Answers one request. It never fails, because a failure also becomes an answer.
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
    // The counts against limits last until the call has ended.
    let _admitted = front.admit(&place).await?;
    front.check_started(&place)?;
    let input = front.read(&place).await?;
    front.intercept(&input).await?;
    front.call(place, input).await
}

/// Answers one request over HTTP, and reports it to metrics, logs and interceptors. It is also
/// reported if this is dropped, because the client has cancelled the request.
pub(crate) async fn run_watched<'r, F: HttpFront<'r>>(front: &mut F) -> Response<Full<Bytes>> {
    let exchange = front.exchange();
    let (gateway, span) = (exchange.arrival.gateway, exchange.log_span());
    let mut watched = Watched { front, is_over: false, request: PhantomData };
    let running = run(&mut *watched.front).instrument(span);
    let (mut response, cpu) = gateway.metrics.sampling.request(running).await;
    watched.is_over = true;
    watched.front.complete(&mut response);
    watched.front.exchange().end(&response, cpu).await;
    response
}

/// A request that is reported when this is dropped, unless it is over.
struct Watched<'f, 'r, F: HttpFront<'r>> {
    front: &'f mut F,
    is_over: bool,
    request: PhantomData<&'r ()>,
}

impl<'r, F: HttpFront<'r>> Drop for Watched<'_, 'r, F> {
    fn drop(&mut self) {
        // A second panic would end the process.
        if !self.is_over && !std::thread::panicking() {
            self.front.exchange().abandon();
        }
    }
}
