//! The small hyper server that the runs are made against.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;

/// The way in which the server answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// 200 with the request's body.
    Echo,
    /// As `Echo`, and closes the connection after each answer.
    CloseEach,
    /// As `Echo`, but stands still once, at this request.
    StallAt { request: u64, ms: u64 },
    /// As `Echo` up to this request, then 503.
    FailFrom { request: u64 },
    /// As `Echo` up to this request, then never.
    SilentFrom { request: u64 },
    /// As `Echo`, and a metrics page whose counter grows by one second with each reading.
    Metrics,
}

/// A running server; it ends with the test's process.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) requests: Arc<AtomicU64>,
    pub(crate) connections: Arc<AtomicU64>,
}

impl Server {
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

/// Starts a server on a thread of its own: one thread, so that a stall stops all its connections.
pub(crate) fn start(manner: Manner) -> Server {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.set_nonblocking(true).expect("nonblocking");
    let server = Server {
        address: listener.local_addr().expect("an address"),
        requests: Arc::default(),
        connections: Arc::default(),
    };
    let started = server.clone();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
            loop {
                let (stream, _) = listener.accept().await.expect("a connection");
                server.connections.fetch_add(1, Ordering::Relaxed);
                let requests = server.requests.clone();
                tokio::spawn(async move {
                    let service = service_fn(move |request| answer(manner, requests.clone(), request));
                    let serve = hyper::server::conn::http1::Builder::new()
                        .serve_connection(TokioIo::new(stream), service);
                    let _ = serve.await;
                });
            }
        });
    });
    started
}

async fn answer(
    manner: Manner,
    requests: Arc<AtomicU64>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let number = requests.fetch_add(1, Ordering::Relaxed) + 1;
    let is_metrics = manner == Manner::Metrics && request.uri().path() == "/metrics";
    let mut body = request.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    if is_metrics {
        body = Bytes::from(format!("gantry_provider_cpu_seconds_total{{service=\"a\"}} {number}\n"));
    }
    let mut response = Response::new(Full::new(body));
    match manner {
        Manner::CloseEach => {
            response.headers_mut().insert("connection", hyper::header::HeaderValue::from_static("close"));
        }
        Manner::StallAt { request, ms } if number == request => std::thread::sleep(Duration::from_millis(ms)),
        Manner::FailFrom { request } if number >= request => {
            *response.status_mut() = hyper::StatusCode::SERVICE_UNAVAILABLE;
        }
        Manner::SilentFrom { request } if number >= request => std::future::pending().await,
        _ => {}
    }
    Ok(response)
}
