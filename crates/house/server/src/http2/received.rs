//! A request body from h2. Each read makes room for more.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use h2::RecvStream;
use hyper::body::{Body, Frame};

/// The body of a request. Trailers are ignored.
pub(super) struct Received(RecvStream);

impl Received {
    pub(super) fn new(stream: RecvStream) -> Self {
        Self(stream)
    }
}

impl Body for Received {
    type Data = Bytes;
    type Error = h2::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, h2::Error>>> {
        let data = ready!(self.0.poll_data(context));
        Poll::Ready(data.map(|data| {
            let data = data?;
            self.0.flow_control().release_capacity(data.len())?;
            Ok(Frame::data(data))
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }
}
