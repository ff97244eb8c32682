//! One connection: TLS if the listener has it, then HTTP/1.1 or HTTP/2, as the client chooses.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io::{self, ErrorKind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::header::CONNECTION;
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Body;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use prometheus_client::metrics::gauge::Gauge;
use security::CertificateNames;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio_rustls::{Accept, TlsAcceptor};

use crate::activity::{Activity, coming, receiving};
use crate::first_bytes::{Begun, Version, version};
use crate::heads::Heads;
use crate::http2::{Backlog, Client, Http2};
use crate::line_limit::LineLimit;
use crate::lingering::{LINGER_TIME_MAX, linger};
use crate::places::Guest;
use crate::waiting::Waiting;
use crate::worker::{Accepted, Entrance, Shared};
use crate::write_limit::WriteLimit;
use crate::{Answering, LAST_REQUEST};
use admission::{Peer, Presence, Way};

/// Serves the connections of one worker.
pub(crate) struct Server<A> {
    answering: Arc<A>,
    /// Open connections.
    connections: Gauge,
    http1: http1::Builder,
    http2: Http2,
    handshake_timeout: Duration,
    /// The time for the first bytes, and between requests.
    idle_timeout: Duration,
    waiting: Waiting,
    /// Limits the lines about refused handshakes.
    refused_handshakes: LineLimit,
}

impl<A: Answering> Server<A> {
    /// Makes it from the settings of the process. A changed configuration does not change them.
    pub(crate) fn new(shared: &Shared<'_, A>, waiting: &Waiting) -> Self {
        let Shared { answering, limits, counts, .. } = shared;
        let mut http1 = http1::Builder::new();
        // A client may close its side after its last request and still get the answers. A client
        // that is gone looks the same, so its request runs on, at most for the service's time.
        // `Heads` checks the client of a waiting request. `pipeline_flush` stays off: it delays
        // answers while bytes of a next request are there, and loses them if the connection then
        // ends.
        http1
            .timer(TokioTimer::new())
            .header_read_timeout(limits.header_read_timeout)
            .max_headers(limits.header_count_max)
            .max_buf_size(limits.header_max_bytes)
            .half_close(true);
        Self {
            answering: Arc::clone(answering),
            connections: counts.connections.clone(),
            http1,
            http2: Http2::new(limits, waiting),
            handshake_timeout: limits.tls_handshake_timeout,
            idle_timeout: limits.header_read_timeout,
            waiting: waiting.clone(),
            refused_handshakes: LineLimit::default(),
        }
    }

    /// Serves a connection to its end. A handshake that is not finished when the gateway stops is
    /// dropped.
    pub(crate) async fn connection(&self, accepted: Accepted, stopping: watch::Receiver<bool>) {
        let Accepted { stream, address, tls, hosts, listener, entrance, place } = accepted;
        let plain = Peer {
            address,
            secure: false,
            hosts,
            way: Way::Http(listener),
            certificate: None,
            presence: Presence::default(),
            known: None,
        };
        // Administration is not counted, so that reading the figures does not change them.
        let counted = (entrance != Entrance::Admin).then_some(&self.connections);
        if let Some(gauge) = counted {
            gauge.inc();
        }
        let activity = place.guest.as_ref().map(Guest::activity).unwrap_or_default();
        let caller = Entered { plain, entrance, activity, http2_only: false };
        let mut serving = pin!(self.serve(Wire { stream, tls }, caller, stopping));
        match &place.guest {
            None => serving.await,
            Some(guest) => tokio::select! {
                // The requests come first, because a guest with a running request stays.
                biased;
                () = serving.as_mut() => {}
                () = guest.asked_to_leave() => tracing::debug!("connection ended: another takes its place"),
            },
        }
        if let Some(gauge) = counted {
            gauge.dec();
        }
        drop(place);
    }

    async fn serve(&self, Wire { stream, tls }: Wire, entered: Entered, stopping: watch::Receiver<bool>) {
        match (TcpStream::from_std(stream), tls) {
            (Err(error), _) => tracing::error!("a connection is lost: {error}"),
            (Ok(stream), None) => self.http(stream, entered, stopping).await,
            // TLS needs much memory. Connections without it do not pay for it.
            (Ok(stream), Some(acceptor)) => {
                Box::pin(self.tls(acceptor.accept(stream), entered, stopping)).await;
            }
        }
    }

    async fn tls(
        &self,
        handshake: Accept<TcpStream>,
        mut entered: Entered,
        mut stopping: watch::Receiver<bool>,
    ) {
        let handshake = tokio::time::timeout(self.handshake_timeout, handshake);
        let done = tokio::select! {
            () = crate::dismissed(&mut stopping) => return,
            done = Box::pin(handshake) => done,
        };
        match done {
            Ok(Ok(stream)) => {
                let session = stream.get_ref().1;
                let certificates = session.peer_certificates().unwrap_or_default();
                entered.plain.secure = true;
                entered.plain.certificate = certificates.first().and_then(|der| CertificateNames::parse(der));
                entered.http2_only = session.alpn_protocol() == Some(b"h2");
                self.http(stream, entered, stopping).await;
            }
            // A client that has gone is no news; one that TLS has refused is.
            Ok(Err(error)) if error.kind() == ErrorKind::InvalidData => self.refused(&entered.plain, &error),
            Ok(Err(error)) => tracing::debug!("TLS handshake failed: {error}"),
            Err(_) => tracing::debug!("TLS handshake timed out"),
        }
    }

    /// Tells of a refused handshake, such as one with a bad certificate. Many of them must not fill the log.
    fn refused(&self, peer: &Peer, error: &io::Error) {
        if !self.refused_handshakes.may_say() {
            return tracing::debug!("TLS handshake with {} failed: {error}", peer.address);
        }
        let listener = match &peer.way {
            Way::Http(Some(name)) => format!(" at the listener {name}"),
            _ => String::new(),
        };
        tracing::info!("TLS handshake with {}{listener} failed: {error}", peer.address);
    }

    async fn http<S>(&self, stream: S, entered: Entered, mut stopping: watch::Receiver<bool>)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let begun = tokio::select! {
            () = crate::dismissed(&mut stopping) => return,
            begun = version(stream, self.idle_timeout) => begun,
        };
        let Entered { plain: peer, entrance, activity, http2_only } = entered;
        let answering = Arc::clone(&self.answering);
        let caller = Arc::new(Caller { answering, peer: Arc::new(peer), entrance, activity });
        match begun {
            Err(error) => tracing::debug!("connection ended: {error}"),
            Ok((Version::Http1, _)) if http2_only => tracing::debug!("connection ended: no HTTP/2"),
            Ok((Version::Http1, stream)) => Box::pin(self.http1(stream, caller, stopping)).await,
            Ok((Version::Http2, stream)) => {
                let backlog = Backlog::default();
                let stream = WriteLimit::http2(stream, self.waiting.clone(), backlog.clone());
                Box::pin(self.http2.serve(stream, Client { caller, backlog }, stopping)).await;
            }
        }
    }

    /// Serves requests one after another. A connection that rests between requests has no buffers.
    async fn http1<S>(&self, stream: Begun<S>, caller: Arc<Caller<A>>, mut stopping: watch::Receiver<bool>)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let heads = Heads::new(stream, &caller.activity, &caller.peer);
        let mut stream = WriteLimit::http1(heads, self.waiting.clone(), &caller.activity);
        while let Some(mut resting) = Box::pin(self.requests(stream, &caller, &mut stopping)).await {
            let again = tokio::select! {
                () = crate::dismissed(&mut stopping) => false,
                again = resting.get_mut().get_mut().begin_again(self.idle_timeout) => matches!(again, Ok(true)),
            };
            if !again {
                let _ = resting.shutdown().await;
                return;
            }
            stream = resting;
        }
    }

    /// Answers requests until the connection ends, or rests; then it gives back its stream.
    async fn requests<S>(
        &self,
        stream: Http1Stream<S>,
        caller: &Arc<Caller<A>>,
        stopping: &mut watch::Receiver<bool>,
    ) -> Option<Http1Stream<S>>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let ending = &AtomicBool::new(false);
        // True if the last request was answered although its body had not come.
        let is_sending = &AtomicBool::new(false);
        let service = service_fn(move |request| {
            let caller = Arc::clone(caller);
            Box::pin(async move {
                let running = caller.activity.begin();
                // Free its place now, because the connection may stay idle for long.
                let mut response = caller.answer(request.map(|body| coming(body, is_sending))).await;
                drop(running);
                // The end of the body is unknown after a 501. When the process stops, the client
                // must connect elsewhere.
                if response.status() == StatusCode::NOT_IMPLEMENTED || ending.load(Ordering::Relaxed) {
                    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
                }
                Ok::<_, Infallible>(response)
            })
        });
        let activity = &caller.activity;
        let mut connection = self.http1.serve_connection(TokioIo::new(stream), service);
        let mut dismissed = false;
        loop {
            let is_ending = ending.load(Ordering::Relaxed);
            tokio::select! {
                // The connection comes first, because only its poll tells the last branch that a
                // request has ended.
                biased;
                ended = poll_fn(|context| connection.poll_without_shutdown(context)) => {
                    let is_sending = match ended {
                        Ok(()) => is_sending.load(Ordering::Relaxed),
                        Err(error) => {
                            tracing::debug!("connection ended: {error}");
                            error.is_parse()
                        }
                    };
                    end(connection.into_parts().io.into_inner(), is_sending, stopping).await;
                    return None;
                }
                () = crate::stopped(stopping), if !is_ending => ending.store(true, Ordering::Relaxed),
                // Not earlier, because it closes a connection without a request at once.
                () = async { tokio::time::sleep(LAST_REQUEST).await }, if is_ending && !dismissed => {
                    dismissed = true;
                    std::pin::Pin::new(&mut connection).graceful_shutdown();
                }
                () = activity.idle(REST_AFTER), if !is_ending => if activity.is_at_rest() {
                    break;
                }
            }
        }
        let parts = connection.into_parts();
        // Between requests only empty lines may come (RFC 9112, section 2.2).
        let is_between = parts.read_buf.iter().all(|byte| b"\r\n".contains(byte));
        is_between.then(|| parts.io.into_inner())
    }
}

/// Ends a connection. If the client is perhaps still sending, it can do so for a while.
async fn end<S>(mut stream: Http1Stream<S>, is_sending: bool, stopping: &mut watch::Receiver<bool>)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    if stream.shutdown().await.is_ok() && is_sending {
        tokio::select! {
            () = crate::dismissed(stopping) => {}
            () = Box::pin(linger(stream.get_mut().get_mut(), LINGER_TIME_MAX)) => {}
        }
    }
}

/// A stream of HTTP/1.1.
type Http1Stream<S> = WriteLimit<Heads<Begun<S>>>;

/// A connection without requests for this time, or up to twice this time, frees its buffers.
const REST_AFTER: Duration = Duration::from_secs(1);

/// The transport of a connection.
struct Wire {
    stream: std::net::TcpStream,
    tls: Option<TlsAcceptor>,
}

/// An incoming connection. TLS adds facts about its peer.
struct Entered {
    plain: Peer,
    entrance: Entrance,
    activity: Arc<Activity>,
    /// True if the TLS handshake agreed on HTTP/2.
    http2_only: bool,
}

/// The sender of a connection's requests, and their entrance.
pub(crate) struct Caller<A> {
    answering: Arc<A>,
    peer: Arc<Peer>,
    entrance: Entrance,
    pub(crate) activity: Arc<Activity>,
}

impl<A: Answering> Caller<A> {
    /// Answers one request.
    pub(crate) async fn answer<B>(&self, request: Request<B>) -> Response<Full<Bytes>>
    where
        B: Body<Data = Bytes> + Send + Unpin,
        B::Error: std::fmt::Display,
    {
        let administers = match self.entrance {
            Entrance::Apis => false,
            Entrance::Admin => true,
            Entrance::Shared => A::is_shared(request.uri().path()),
        };
        if administers {
            // Boxed, because it is rare and would enlarge the future of every other request.
            let request = request.map(|body| receiving(body, &self.activity));
            return Box::pin(self.answering.administer(&self.peer, request)).await;
        }
        self.answering.answer(&self.peer, request).await
    }
}
