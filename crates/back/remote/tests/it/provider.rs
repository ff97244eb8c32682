//! A REST API as a service provider: what a conversion makes goes out, and what fails says whose fault it is.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use remote::{Answer, Auth, ConnectionSettings, HttpProvider, Outgoing, PayloadsOverHttp};
use service::{
    CallContext, Caller, Channel, Error, ErrorKind, Headers, Outcome, Payload, RequestView, ServiceProvider,
};

use crate::server::{PATIENCE, Reply, Server, answer, connection, post};

/// Sends the record as a body, and takes the body as the record.
#[derive(Debug)]
struct Plain;

impl PayloadsOverHttp for Plain {
    fn kind(&self) -> &'static str {
        "http"
    }

    fn outgoing(&self, payload: &Payload) -> Result<Outgoing, Error> {
        let Payload::Record(record) = payload else {
            return Err(Error::failed("a record is expected"));
        };
        if record.is_empty() {
            return Err(Error::failed("the record is empty"));
        }
        Ok(Outgoing { body: bytes::Bytes::copy_from_slice(record), ..post("/", "") })
    }

    fn incoming(&self, answer: &Answer) -> Result<Payload, Error> {
        match answer.status.as_u16() {
            200 => Ok(Payload::Record(answer.body.to_vec())),
            status => Err(Error::failed(format!("status {status}"))),
        }
    }
}

async fn called(server: &Server, payload: Payload) -> Result<Payload, Error> {
    let provider = HttpProvider::new(connection(server.settings()), Arc::new(Plain));
    assert_eq!(provider.kind(), "http");
    let context = context(PATIENCE);
    match provider.call(context, payload) {
        Outcome::Ready(result) => result,
        Outcome::Pending(future) => future.await,
    }
}

fn context(time_left: Duration) -> CallContext<'static> {
    CallContext { service: "test", time_left, ..CallContext::default() }
}

#[tokio::test]
async fn a_record_goes_out_and_one_comes_back() {
    let server = Server::start([answer(200, "back"), answer(500, "")]).await;
    let payload = Payload::Record(b"there".to_vec());
    assert_eq!(called(&server, payload.clone()).await, Ok(Payload::Record(b"back".to_vec())));
    assert!(server.asked()[0].ends_with("\r\n\r\nthere"));
    let error = called(&server, payload).await.expect_err("it fails");
    assert_eq!((error.kind, error.message.as_str()), (ErrorKind::Failed, "status 500"));
}

#[tokio::test]
async fn what_cannot_be_sent_is_not() {
    let server = Server::start([answer(200, "")]).await;
    for payload in [Payload::Record(Vec::new()), Payload::Channel(Channel::default())] {
        assert_eq!(called(&server, payload).await.map_err(|error| error.kind), Err(ErrorKind::Failed));
    }
    assert!(server.asked().is_empty());
}

#[tokio::test]
async fn the_services_time_is_the_deadline() {
    let server = Server::start([Reply::Silence]).await;
    let provider = HttpProvider::new(connection(server.settings()), Arc::new(Plain));
    let context = context(Duration::from_millis(20));
    let Outcome::Pending(future) = provider.call(context, Payload::Record(vec![1])) else {
        panic!("it waits")
    };
    assert_eq!(future.await.map_err(|error| error.kind), Err(ErrorKind::TimedOut));
}

#[derive(Debug)]
struct Authorization(&'static str);

impl Headers for Authorization {
    fn value(&self, name: &str) -> Option<Cow<'_, str>> {
        (name == "authorization" && !self.0.is_empty()).then_some(Cow::Borrowed(self.0))
    }
}

#[tokio::test]
async fn the_callers_token_goes_along_if_the_caller_is_known_by_one() {
    let server = Server::start([answer(200, "back")]).await;
    let settings = ConnectionSettings { auth: Auth::Caller, ..server.settings() };
    let provider = HttpProvider::new(connection(settings), Arc::new(Plain));
    let known = Some(Caller { user: "mary", groups: &[] });
    for (authorization, caller, goes) in [
        ("Bearer a.b.c", known, true),
        ("Bearer a.b.c", None, false),
        ("Basic Ym9iOnB3", known, false),
        ("", known, false),
    ] {
        let headers = Authorization(authorization);
        let request = RequestView {
            method: "PUT",
            scheme: "https",
            authority: None,
            path: "/",
            query: None,
            headers: &headers,
        };
        let context = CallContext { caller, request: Some(request), ..context(PATIENCE) };
        let Outcome::Pending(future) = provider.call(context, Payload::Record(b"there".to_vec())) else {
            panic!("it goes out")
        };
        let result = future.await;
        if goes {
            assert_eq!(result, Ok(Payload::Record(b"back".to_vec())));
            let asked = server.asked();
            assert!(asked[0].contains("authorization: Bearer a.b.c\r\n"), "{asked:?}");
        } else {
            let error = result.expect_err("it has no token");
            assert_eq!(error.kind, ErrorKind::Refused, "{error}");
        }
    }
    assert_eq!(server.asked().len(), 1);
}
