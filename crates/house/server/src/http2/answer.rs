//! Sends one answer: at once if the client's windows allow it, else as the client takes it, within
//! limits.

use std::cell::Cell;
use std::future::poll_fn;
use std::task::{Context, Poll, ready};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use calendar::Utc;
use h2::server::SendResponse;
use h2::{Reason, SendStream};
use http::header::{CONNECTION, CONTENT_LENGTH, DATE, TRANSFER_ENCODING, UPGRADE};
use http::{HeaderValue, Response};
use http_body_util::{BodyExt, Full};
use tokio::time::Instant;

use super::Shared;
use super::backlog::Counted;
use crate::RESPONSE_WRITE_MIN_BYTES;
use crate::waiting::Held;

/// Bytes of an answer that go to h2 together after it had to wait.
const PIECE_BYTES: usize = 16 * 1024;

/// If there is no room for more waiting answers, an answer ends when its client took nothing for
/// this time.
const STALLED_IF_SHORT: Duration = Duration::from_secs(1);

/// An answer to one request.
pub(super) struct Reply {
    pub(super) response: Response<Full<Bytes>>,
    /// True if the request was HEAD.
    pub(super) without_body: bool,
}

/// An answer that the client did not take at once.
pub(super) struct WaitingAnswer {
    stream: SendStream<Counted>,
    bytes: Bytes,
    _held: Held,
}

impl<A> Shared<A> {
    /// Sends an answer, or gives back the part that the client's windows do not allow at once.
    ///
    /// # Errors
    /// The stream or the connection has ended.
    pub(super) async fn send(
        &self,
        mut respond: SendResponse<Counted>,
        Reply { response, without_body }: Reply,
    ) -> Result<Option<WaitingAnswer>, h2::Error> {
        let (mut parts, mut body) = response.into_parts();
        let bytes = match body.frame().await {
            Some(Ok(frame)) => frame.into_data().unwrap_or_default(),
            None => Bytes::new(),
        };
        let headers = &mut parts.headers;
        // HTTP/2 has no connection headers (RFC 9113, section 8.2.2).
        for name in [CONNECTION, TRANSFER_ENCODING, UPGRADE] {
            headers.remove(name);
        }
        if !headers.contains_key(DATE) {
            headers.insert(DATE, date());
        }
        if !bytes.is_empty() && !headers.contains_key(CONTENT_LENGTH) {
            headers.insert(CONTENT_LENGTH, HeaderValue::from(bytes.len()));
        }
        let parts = Response::from_parts(parts, ());
        if without_body || bytes.is_empty() {
            return respond.send_response(parts, true).map(|_| None);
        }
        let mut stream = respond.send_response(parts, false)?;
        stream.reserve_capacity(bytes.len());
        if stream.capacity() >= bytes.len() && self.backlog.has_room() {
            return stream.send_data(self.backlog.count(bytes), true).map(|()| None);
        }
        let held = self.waiting.hold(bytes.len());
        if held.is_none() {
            // Other answers fill the room. Ending the connection would only make its client come
            // back with more requests.
            stream.send_reset(Reason::ENHANCE_YOUR_CALM);
            self.waiting.given_up();
        }
        Ok(held.map(|held| WaitingAnswer { stream, bytes, _held: held }))
    }

    /// Sends the waiting part.
    ///
    /// # Errors
    /// The stream or the connection has ended.
    pub(super) async fn send_waiting(&self, answer: WaitingAnswer) -> Result<(), h2::Error> {
        let WaitingAnswer { mut stream, bytes, _held } = answer;
        if self.send_slowly(&mut stream, bytes).await? {
            self.taken();
        } else {
            stream.send_reset(Reason::ENHANCE_YOUR_CALM);
            self.stalled();
        }
        Ok(())
    }

    /// Sends the part that the client's windows do not allow at once. False if the client takes too
    /// little of it.
    async fn send_slowly(
        &self,
        stream: &mut SendStream<Counted>,
        mut bytes: Bytes,
    ) -> Result<bool, h2::Error> {
        let mut deadline = std::pin::pin!(tokio::time::sleep(self.waiting.time));
        let (mut taken, mut last) = (0, Instant::now());
        loop {
            let capacity = async {
                self.backlog.room().await;
                poll_fn(|context| poll_capacity(stream, context)).await
            };
            tokio::select! {
                biased;
                capacity = capacity => {
                    let piece = bytes.split_to(capacity?.min(PIECE_BYTES).min(bytes.len()));
                    taken += piece.len();
                    stream.send_data(self.backlog.count(piece), bytes.is_empty())?;
                    if bytes.is_empty() {
                        return Ok(true);
                    }
                    last = Instant::now();
                    if taken >= RESPONSE_WRITE_MIN_BYTES {
                        taken = 0;
                        deadline.as_mut().reset(last + self.waiting.time);
                    }
                }
                () = deadline.as_mut() => return Ok(false),
                () = self.waiting.short() => if last.elapsed() > STALLED_IF_SHORT {
                    return Ok(false);
                },
            }
        }
    }
}

/// The bytes that the client would take now. It waits until there is at least one.
fn poll_capacity(
    stream: &mut SendStream<Counted>,
    context: &mut Context<'_>,
) -> Poll<Result<usize, h2::Error>> {
    loop {
        let capacity = stream.capacity();
        if capacity > 0 {
            return Poll::Ready(Ok(capacity));
        }
        match ready!(stream.poll_capacity(context)) {
            Some(Ok(_)) => {}
            Some(Err(error)) => return Poll::Ready(Err(error)),
            // The client has reset the stream.
            None => return Poll::Ready(Err(Reason::CANCEL.into())),
        }
    }
}

thread_local! {
    /// The second of the last date, and this date.
    static DATES: Cell<(u64, Option<HeaderValue>)> = const { Cell::new((0, None)) };
}

/// The present time for the header `date`.
fn date() -> HeaderValue {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    DATES.with(|dates| {
        let value = match dates.take() {
            (second, Some(value)) if second == now => value,
            _ => HeaderValue::from_str(&Utc::of_seconds(now).http())
                .unwrap_or_else(|_| HeaderValue::from_static("Thu, 01 Jan 1970 00:00:00 GMT")),
        };
        dates.set((now, Some(value.clone())));
        value
    })
}
