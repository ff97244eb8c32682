//! The end of a connection whose client may still send: its request was refused before the whole
//! body had come.
//!
//! If a socket is closed with unread bytes, the system resets the connection. The reset can reach
//! the client before the answer does. Many clients also look for an answer only after they have
//! sent everything. So the gateway ends its own side first, and reads what the client still sends.

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};

/// The longest time for the rest of a refused request.
pub(crate) const LINGER_TIME_MAX: Duration = Duration::from_secs(5);

/// The most bytes of it that are read.
const LINGER_MAX_BYTES: usize = 64 << 20;

/// Bytes of one read.
const READ_BYTES: usize = 16 << 10;

/// Reads and drops what the client sends, until it closes its side or a limit is reached.
pub(crate) async fn linger<S: AsyncRead + Unpin>(stream: &mut S, time_max: Duration) {
    let reading = async {
        let (mut buffer, mut read) = (vec![0; READ_BYTES], 0);
        while read < LINGER_MAX_BYTES {
            match stream.read(&mut buffer).await {
                Ok(0) | Err(_) => return,
                Ok(count) => read += count,
            }
        }
    };
    // After the time the connection is reset, as it would have been at once.
    let _ = tokio::time::timeout(time_max, reading).await;
}

#[cfg(test)]
mod tests {
    use tokio::io::repeat;

    use super::*;

    /// Ends at once, or when its time is over.
    fn linger_at(stream: &mut (impl AsyncRead + Unpin), time_max: Duration) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        runtime.expect("a runtime").block_on(linger(stream, time_max));
    }

    #[test]
    fn it_ends_with_the_stream() {
        let mut stream: &[u8] = &[b'a'; 3 * READ_BYTES];
        linger_at(&mut stream, Duration::MAX);
        assert!(stream.is_empty());
    }

    #[test]
    fn a_client_that_sends_for_ever_is_left() {
        linger_at(&mut repeat(b'a'), Duration::MAX);
    }

    #[test]
    fn a_client_that_sends_nothing_is_left() {
        let (mut near, _far) = tokio::io::duplex(1);
        linger_at(&mut near, Duration::from_millis(10));
    }
}
