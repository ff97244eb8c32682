//! The admin address: metrics and health, apart from the APIs and on this machine only.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::accept::ACCEPT_RETRY;
use crate::gateway::Gateway;

const TEXT: &str = "text/plain; charset=utf-8";
const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Serves until the gateway stops.
pub(super) async fn serve(socket: TcpListener, gateway: Arc<Gateway>, mut stopping: watch::Receiver<bool>) {
    loop {
        let stream = tokio::select! {
            () = super::stopped(&mut stopping) => return,
            accepted = socket.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(_) => {
                    tokio::time::sleep(ACCEPT_RETRY).await;
                    continue;
                }
            },
        };
        let gateway = Arc::clone(&gateway);
        tokio::spawn(async move {
            let service = service_fn(|request| {
                let response = answer(&gateway, &request);
                async move { Ok::<_, Infallible>(response) }
            });
            let mut http = hyper::server::conn::http1::Builder::new();
            let connection = http.timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service);
            if let Err(error) = connection.await {
                tracing::debug!("admin connection ended: {error}");
            }
        });
    }
}

fn answer(gateway: &Gateway, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    let (status, kind, body) = match (request.method(), request.uri().path()) {
        (&Method::GET, "/metrics") => (StatusCode::OK, OPENMETRICS, gateway.metrics.text()),
        (&Method::GET, "/health") => (StatusCode::OK, TEXT, "up\n".to_owned()),
        (&Method::GET, "/") => (StatusCode::OK, TEXT, "/metrics\n/health\n".to_owned()),
        (_, "/metrics" | "/health" | "/") => (StatusCode::METHOD_NOT_ALLOWED, TEXT, "GET only\n".to_owned()),
        _ => (StatusCode::NOT_FOUND, TEXT, "not found; there are /metrics and /health\n".to_owned()),
    };
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
