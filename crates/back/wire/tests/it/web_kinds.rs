//! Any message about servers that programs call over HTTP.

use proptest::collection::vec;
use proptest::prelude::*;
use wire::{UriMapFacts, Wanted, WebAsk, WebReply, WebSend, WebServer};

use crate::kinds::{web_answer, web_headers};

fn web_server() -> impl Strategy<Value = WebServer> {
    (any::<(bool, u16)>(), "[ -~]{0,9}").prop_map(|((is_secure, port), host)| WebServer {
        is_secure,
        host,
        port,
    })
}

/// Boxed, as its generator would fill the stack of the one that it is a part of.
pub(crate) fn web_ask() -> BoxedStrategy<WebAsk> {
    let bytes = || vec(any::<u8>(), 0..9);
    let texts = proptest::array::uniform5("[ -~]{0,9}");
    let credentials = proptest::option::of(("[ -~]{0,9}", bytes()));
    let send = (web_server(), texts, web_headers(), bytes(), credentials).prop_map(
        |(server, [opened, uri_map, method, path, query], headers, body, credentials)| {
            WebAsk::Send(Box::new(WebSend {
                server,
                opened,
                uri_map,
                method,
                path,
                query,
                headers,
                body,
                credentials,
            }))
        },
    );
    prop_oneof![
        web_server().prop_map(WebAsk::Open),
        "[ -~]{0,8}".prop_map(WebAsk::OpenUriMap),
        send,
        any::<[u8; 8]>().prop_map(|name| WebAsk::UriMap(Wanted::After(name))),
    ]
    .boxed()
}

pub(crate) fn web_reply() -> BoxedStrategy<WebReply> {
    let facts = (any::<([u8; 8], Option<([u8; 8], [u8; 4])>)>(), web_server(), "[ -~]{0,9}").prop_map(
        |((name, answers), server, path)| {
            WebReply::UriMap(Box::new(UriMapFacts { name, server, path, answers }))
        },
    );
    prop_oneof![
        (web_server(), "[ -~]{0,9}").prop_map(|(server, path)| WebReply::Open { server, path }),
        web_answer().prop_map(|answer| WebReply::Answer(Box::new(answer))),
        facts,
    ]
    .boxed()
}
