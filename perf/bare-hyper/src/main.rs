//! The peer of the benchmark: a bare hyper server that reads a PUT body and answers with constant bytes, so that the
//! gateway's cost is told as a ratio to the least that the same HTTP library can do.

use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::process::ExitCode;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const USAGE: &str = "usage: bare-hyper [--listen ADDRESS:PORT] [--bytes N] [--threads N]";
const BYTES_MAX: usize = 64 * 1024 * 1024;
const THREADS_MAX: usize = 64;

struct Settings {
    listen: SocketAddr,
    bytes: usize,
    threads: usize,
}

fn main() -> ExitCode {
    let outcome = settings(std::env::args().skip(1)).and_then(|settings| serve(&settings));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn settings(mut arguments: impl Iterator<Item = String>) -> Result<Settings, String> {
    let mut settings = Settings { listen: SocketAddr::from(([127, 0, 0, 1], 0)), bytes: 1_024, threads: 1 };
    while let Some(option) = arguments.next() {
        let value = arguments.next().ok_or(USAGE)?;
        let bad = |error: &dyn std::fmt::Display| format!("{option} {value}: {error}; {USAGE}");
        match option.as_str() {
            "--listen" => settings.listen = value.parse().map_err(|error| bad(&error))?,
            "--bytes" => settings.bytes = value.parse().map_err(|error| bad(&error))?,
            "--threads" => settings.threads = value.parse().map_err(|error| bad(&error))?,
            _ => return Err(USAGE.to_owned()),
        }
    }
    if settings.bytes > BYTES_MAX || !(1..=THREADS_MAX).contains(&settings.threads) {
        return Err(format!("at most {BYTES_MAX} bytes and 1 to {THREADS_MAX} threads; {USAGE}"));
    }
    Ok(settings)
}

/// One current_thread runtime per worker thread, as the gateway has them; all accept from the same socket.
fn serve(settings: &Settings) -> Result<(), String> {
    let body = Bytes::from(vec![b'x'; settings.bytes]);
    let listener =
        StdListener::bind(settings.listen).map_err(|error| format!("{}: {error}", settings.listen))?;
    listener.set_nonblocking(true).map_err(|error| error.to_string())?;
    println!("{}", listener.local_addr().map_err(|error| error.to_string())?);
    let mut workers = Vec::new();
    for _ in 1..settings.threads {
        let (listener, body) = (listener.try_clone().map_err(|error| error.to_string())?, body.clone());
        workers.push(std::thread::spawn(move || worker(listener, &body)));
    }
    worker(listener, &body)
}

fn worker(listener: StdListener, body: &Bytes) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let listener = TcpListener::from_std(listener).map_err(|error| error.to_string())?;
        loop {
            let stream = match listener.accept().await {
                Ok((stream, _)) => stream,
                Err(error) => return Err(format!("cannot accept: {error}")),
            };
            let body = body.clone();
            tokio::spawn(async move {
                let _ = stream.set_nodelay(true);
                let service = service_fn(move |request| answer(request, body.clone()));
                // A client that goes away is no fault of the server.
                let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
            });
        }
    })
}

async fn answer(request: Request<Incoming>, body: Bytes) -> Result<Response<Full<Bytes>>, Infallible> {
    let status = match request.into_body().collect().await {
        Ok(_) => StatusCode::OK,
        Err(_) => StatusCode::BAD_REQUEST,
    };
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(response)
}
