//! A request body from h2. Each read makes room for more.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use h2::RecvStream;
use hyper::body::{Body, Frame};
use tokio::runtime::Handle;

/// The most bytes of a body that are read, and dropped, behind an early answer.
const REST_MAX_BYTES: usize = 256 * 1024;
/// The longest time that is spent on them.
const REST_MAX: Duration = Duration::from_secs(1);
/// The most bodies of a connection that are read so at one time.
const RESTS_MAX: usize = 16;

/// How many bodies of a connection are read to their end behind early answers.
pub(super) type Rests = Arc<AtomicUsize>;

/// The body of a request. Trailers are ignored.
///
/// An answer may come before the body has ended, such as 401. h2 then resets the stream. This is right, but some clients take the
/// reset for a failure, and lose the answer: curl 7.88 does. So what is left of a short body is read and dropped.
pub(super) struct Received {
    stream: Option<RecvStream>,
    rests: Rests,
}

impl Received {
    pub(super) fn new(stream: RecvStream, rests: &Rests) -> Self {
        Self { stream: Some(stream), rests: Arc::clone(rests) }
    }
}

/// The next bytes of a body.
fn poll_data(stream: &mut RecvStream, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, h2::Error>>> {
    let data = ready!(stream.poll_data(context));
    Poll::Ready(data.map(|data| {
        let data = data?;
        stream.flow_control().release_capacity(data.len())?;
        Ok(data)
    }))
}

/// Reads the rest of a body, within limits.
async fn drop_rest(mut stream: RecvStream) {
    let rest = async {
        let mut bytes = 0;
        while bytes <= REST_MAX_BYTES {
            match std::future::poll_fn(|context| poll_data(&mut stream, context)).await {
                Some(Ok(data)) => bytes += data.len(),
                Some(Err(_)) | None => return,
            }
        }
    };
    // A body that is too long or too slow is reset after all.
    let _ = tokio::time::timeout(REST_MAX, rest).await;
}

impl Drop for Received {
    fn drop(&mut self) {
        let Some(stream) = self.stream.take().filter(|stream| !stream.is_end_stream()) else { return };
        let (Ok(runtime), rests) = (Handle::try_current(), Arc::clone(&self.rests)) else { return };
        if rests.fetch_add(1, Ordering::Relaxed) >= RESTS_MAX {
            rests.fetch_sub(1, Ordering::Relaxed);
            return;
        }
        runtime.spawn(async move {
            drop_rest(stream).await;
            rests.fetch_sub(1, Ordering::Relaxed);
        });
    }
}

impl Body for Received {
    type Data = Bytes;
    type Error = h2::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, h2::Error>>> {
        let Some(stream) = &mut self.stream else { return Poll::Ready(None) };
        poll_data(stream, context).map(|data| data.map(|data| data.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        self.stream.as_ref().is_none_or(RecvStream::is_end_stream)
    }
}
