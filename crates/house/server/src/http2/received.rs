//! A request body from h2. Each read makes room for more.

use std::pin::Pin;
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

/// The body of a request. Trailers are ignored.
///
/// An answer may come before the body has ended, such as 401. h2 then resets the stream. This is right, but some clients take the
/// reset for a failure, and lose the answer: curl 7.88 does. So what is left of a short body is read and dropped.
pub(super) struct Received(Option<RecvStream>);

impl Received {
    pub(super) fn new(stream: RecvStream) -> Self {
        Self(Some(stream))
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
        if let Some(stream) = self.0.take().filter(|stream| !stream.is_end_stream())
            && let Ok(runtime) = Handle::try_current()
        {
            runtime.spawn(drop_rest(stream));
        }
    }
}

impl Body for Received {
    type Data = Bytes;
    type Error = h2::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, h2::Error>>> {
        let Some(stream) = &mut self.0 else { return Poll::Ready(None) };
        poll_data(stream, context).map(|data| data.map(|data| data.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        self.0.as_ref().is_none_or(RecvStream::is_end_stream)
    }
}
