//! The way from a region's programs to servers over HTTP: EXEC CICS WEB, the client side. The configuration says which servers
//! a program may call; a task that asks for another one gets a condition, and the log the reason.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use program::conditions::{Condition, END, INVREQ, IOERR, LENGERR, NOTAUTH, NOTFND, TIMEDOUT};
use requesters::{UriMap, WebClient, WebFailure, url_of};
use service::{Caller, WebSend, WebServer};
use wire::{UriMapFacts, WEB_HEADERS_MAX, Wanted, WebAsk, WebReply, name};

use crate::resources::catalogue::find;

/// NOTAUTH: the server is not allowed.
const RESP2_NOT_ALLOWED: u32 = 100;
/// NOTFND: the URIMAP does not exist.
const RESP2_NO_URI_MAP: u32 = 61;
const RESP2_INQUIRED: u32 = 1;
/// END: a browse is at its end.
const RESP2_BROWSED: u32 = 2;
/// IOERR, and TIMEDOUT.
const RESP2_NETWORK: u32 = 42;
const RESP2_TIMED_OUT: u32 = 62;
/// INVREQ, our own: the URIMAP has another use or another server; the request cannot be sent.
const RESP2_OTHER_URI_MAP: u32 = 112;
const RESP2_UNSENDABLE: u32 = 113;
/// LENGERR, our own: the answer is too long.
const RESP2_TOO_LARGE: u32 = 105;

/// Who has the servers that programs may call.
pub trait WebClients: Send + Sync {
    /// The servers, and the URIMAPs.
    fn web_client(&self) -> Arc<WebClient>;
}

// A bound by `Debug` would keep the code that shows whole configurations.
impl fmt::Debug for dyn WebClients + '_ {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("WebClients")
    }
}

type Done = Result<WebReply, (&'static Condition, u32)>;

/// Carries out a command about servers over HTTP.
pub(crate) async fn carry_out(
    ask: WebAsk,
    client: Option<&WebClient>,
    caller: Option<Caller<'_>>,
    time_left: Duration,
) -> Done {
    let none = WebClient::default();
    let client = client.unwrap_or(&none);
    let done = match ask {
        WebAsk::Open(server) => {
            let checked = check_host(&server).and_then(|()| client.check(&server));
            checked.map(|()| WebReply::Open { server, path: String::new() })
        }
        WebAsk::OpenUriMap(name) => client
            .client_map(&name)
            .and_then(|(server, path)| client.check(&server).map(|()| (server, path)))
            .map(|(server, path)| WebReply::Open { server, path }),
        WebAsk::Send(send) => sent(*send, client, caller, time_left).await,
        WebAsk::UriMap(wanted) => return uri_map(client, wanted),
    };
    done.map_err(|failure| {
        tracing::warn!("EXEC CICS WEB: {failure}");
        refusal(&failure)
    })
}

async fn sent(
    send: WebSend,
    client: &WebClient,
    caller: Option<Caller<'_>>,
    time_left: Duration,
) -> Result<WebReply, WebFailure> {
    check_host(&send.server)?;
    let shown = url_of(&send.server, "");
    let answer = tokio::time::timeout(time_left, client.send(send, caller, time_left)).await;
    let late = || WebFailure::TimedOut(format!("{shown}: no answer in the time of the task"));
    let answer = answer.map_err(|_| late())??;
    match answer.headers.len() > WEB_HEADERS_MAX {
        true => {
            Err(WebFailure::TooLarge(format!("{shown}: the answer has more than {WEB_HEADERS_MAX} headers")))
        }
        false => Ok(WebReply::Answer(Box::new(answer))),
    }
}

fn refusal(failure: &WebFailure) -> (&'static Condition, u32) {
    match failure {
        WebFailure::NoUriMap(_) => (&NOTFND, RESP2_NO_URI_MAP),
        WebFailure::OtherUriMap(_) => (&INVREQ, RESP2_OTHER_URI_MAP),
        WebFailure::NotAllowed(_) => (&NOTAUTH, RESP2_NOT_ALLOWED),
        WebFailure::Unsendable(_) => (&INVREQ, RESP2_UNSENDABLE),
        WebFailure::TimedOut(_) => (&TIMEDOUT, RESP2_TIMED_OUT),
        WebFailure::Network(_) => (&IOERR, RESP2_NETWORK),
        WebFailure::TooLarge(_) => (&LENGERR, RESP2_TOO_LARGE),
    }
}

/// INQUIRE URIMAP.
fn uri_map(client: &WebClient, wanted: Wanted<8>) -> Done {
    let names: BTreeSet<[u8; 8]> = client.uri_maps().keys().map(|key| name::<8>(key)).collect();
    let missing = match wanted {
        Wanted::Named(_) => (&NOTFND, RESP2_INQUIRED),
        _ => (&END, RESP2_BROWSED),
    };
    let found = find(&names, wanted, |_| true).ok_or(missing)?;
    let entry = client.uri_maps().iter().find(|(key, _)| name::<8>(key) == found);
    let (_, UriMap { server, path, answers }) = entry.ok_or(missing)?;
    Ok(WebReply::UriMap(Box::new(UriMapFacts {
        name: found,
        server: server.clone(),
        path: path.clone(),
        answers: answers.as_ref().map(|(program, transaction)| (name(program), name(transaction))),
    })))
}

/// Checks the host that a worker names. One that is none would go into the log as it is.
fn check_host(server: &WebServer) -> Result<(), WebFailure> {
    match program::web::is_host(&server.host) {
        true => Ok(()),
        false => Err(WebFailure::Unsendable(format!("{:?} is not a host", server.host))),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use remote::config::Connections;

    use super::*;

    #[tokio::test]
    async fn uri_maps_are_found_in_the_order_of_their_names() {
        let map = |program: Option<&str>| UriMap {
            server: WebServer { is_secure: false, host: "h".to_owned(), port: 80 },
            path: "/a".to_owned(),
            answers: program.map(|program| (program.to_owned(), "CWBA".to_owned())),
        };
        let maps = BTreeMap::from([("ONE".to_owned(), map(None)), ("TWO".to_owned(), map(Some("PROG")))]);
        let client = WebClient::new(Connections::default().reachable(), maps);
        let found =
            async |wanted| match carry_out(WebAsk::UriMap(wanted), Some(&client), None, Duration::ZERO).await
            {
                Ok(WebReply::UriMap(facts)) => Ok((facts.name, facts.answers)),
                Ok(other) => panic!("unexpected: {other:?}"),
                Err((condition, resp2)) => Err((condition.number, resp2)),
            };
        assert_eq!(found(Wanted::From([0; 8])).await, Ok((*b"ONE     ", None)));
        assert_eq!(
            found(Wanted::After(*b"ONE     ")).await,
            Ok((*b"TWO     ", Some((*b"PROG    ", *b"CWBA"))))
        );
        assert_eq!(found(Wanted::After(*b"TWO     ")).await, Err((END.number, RESP2_BROWSED)));
        assert_eq!(found(Wanted::Named(*b"NONE    ")).await, Err((NOTFND.number, RESP2_INQUIRED)));
    }
}
