//! One connection: TLS if the listener has it, then HTTP/1.1 or HTTP/2, whichever the client speaks.

use std::convert::Infallible;
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

use crate::activity::{Activity, Receiving};
use crate::first_bytes::{Begun, Version, version};
use crate::heads::Heads;
use crate::http2::{Backlog, Client, Http2};
use crate::places::Guest;
use crate::waiting::Waiting;
use crate::worker::{Accepted, Entrance, Shared};
use crate::write_limit::WriteLimit;
use crate::{Answering, LAST_REQUEST};
use admission::{Peer, Presence, Way};

/// How one worker serves connections.
pub(crate) struct Server<A> {
    answering: Arc<A>,
    /// Connections that are open.
    connections: Gauge,
    http1: http1::Builder,
    http2: Http2,
    handshake_timeout: Duration,
    /// For the first bytes, and between requests.
    idle_timeout: Duration,
    waiting: Waiting,
}

impl<A: Answering> Server<A> {
    /// What is set here holds for the connections of the process; a changed configuration does not change it.
    pub(crate) fn new(shared: &Shared<'_, A>, waiting: &Waiting) -> Self {
        let Shared { answering, limits, counts, .. } = shared;
        let mut http1 = http1::Builder::new();
        // A client that has sent all that it will send still gets its answers. One that is gone looks the same, so its
        // request runs on, for the service's time at most; `Heads` looks at the client of one that waits.
        // Without pipeline_flush: it holds answers back while bytes of a next request are there, and loses them when
        // the connection ends so.
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
        }
    }

    /// Serves a connection to its end. A handshake that is not done when the gateway stops is given up.
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
        // Administration is not counted: what reads the figures does not change them.
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
            // TLS takes much room, which connections without it do not pay for.
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
            Ok(Err(error)) => tracing::debug!("TLS handshake failed: {error}"),
            Err(_) => tracing::debug!("TLS handshake timed out"),
        }
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

    /// Requests one after another. A connection that rests between two of them has no buffers.
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

    /// Answers requests until the connection rests, which gives back its stream, or ends.
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
        let service = service_fn(move |request| {
            let caller = Arc::clone(caller);
            async move {
                let running = caller.activity.begin();
                // Its place is free again when it has ended, while the connection may idle for long.
                let mut response = Box::pin(caller.answer(request)).await;
                drop(running);
                // Nobody knows where the body of a 501 ends. When the process stops, the client asks elsewhere.
                if response.status() == StatusCode::NOT_IMPLEMENTED || ending.load(Ordering::Relaxed) {
                    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
                }
                Ok::<_, Infallible>(response)
            }
        });
        let activity = &caller.activity;
        let mut connection = self.http1.serve_connection(TokioIo::new(stream), service);
        let mut dismissed = false;
        loop {
            let is_ending = ending.load(Ordering::Relaxed);
            tokio::select! {
                // First, because nothing else tells the last branch that a request has ended.
                biased;
                ended = &mut connection => {
                    if let Err(error) = ended {
                        tracing::debug!("connection ended: {error}");
                    }
                    return None;
                }
                () = crate::stopped(stopping), if !is_ending => ending.store(true, Ordering::Relaxed),
                // Only now, since it closes a connection without a request at once.
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
        // Between requests there is nothing that matters but empty lines (RFC 9112, section 2.2).
        let is_between = parts.read_buf.iter().all(|byte| b"\r\n".contains(byte));
        is_between.then(|| parts.io.into_inner())
    }
}

/// A stream of HTTP/1.1.
type Http1Stream<S> = WriteLimit<Heads<Begun<S>>>;

/// A connection without requests for so long, or up to twice as long, gives its buffers back.
const REST_AFTER: Duration = Duration::from_secs(1);

/// What a connection comes over.
struct Wire {
    stream: std::net::TcpStream,
    tls: Option<TlsAcceptor>,
}

/// A connection as it comes in; TLS adds to what is known of its peer.
struct Entered {
    plain: Peer,
    entrance: Entrance,
    activity: Arc<Activity>,
    /// The TLS handshake agreed on HTTP/2.
    http2_only: bool,
}

/// Who sends the requests of a connection, and to which entrance.
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
            // What is seldom asked makes the future of every other request no bigger.
            let request = request.map(|body| Receiving::new(body, &self.activity));
            return Box::pin(self.answering.administer(&self.peer, request)).await;
        }
        self.answering.answer(&self.peer, request).await
    }
}
