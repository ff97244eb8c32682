//! Any message of those that links between regions carry, too.

use proptest::collection::vec;
use proptest::prelude::*;
use wire::{
    Container, Interface, Location, QueueAsk, Start, StartAsk, StartedData, WantedData, WebAnswer, WebHeader,
    WebRequest,
};

pub(crate) fn web_headers() -> impl Strategy<Value = Vec<WebHeader>> {
    vec(("[ -~]{0,9}", vec(any::<u8>(), 0..9)).prop_map(|(name, value)| WebHeader { name, value }), 0..4)
}

fn web_request() -> impl Strategy<Value = WebRequest> {
    let texts = proptest::array::uniform8("[ -~]{0,9}");
    (texts, any::<bool>(), any::<u16>(), web_headers(), vec(any::<u8>(), 0..50)).prop_map(
        |([method, version, host, path, query, uri_map, client, charset], is_secure, port, headers, body)| {
            WebRequest {
                method,
                version,
                is_secure,
                host,
                port,
                path,
                query,
                headers,
                body,
                uri_map,
                client,
                charset,
            }
        },
    )
}

pub(crate) fn web_answer() -> impl Strategy<Value = WebAnswer> {
    (any::<(u16, bool)>(), vec(any::<u8>(), 0..9), web_headers(), vec(any::<u8>(), 0..50)).prop_map(
        |((status, closes), reason, headers, body)| WebAnswer { status, reason, headers, body, closes },
    )
}

pub(crate) fn interface() -> impl Strategy<Value = Interface> {
    let container = (any::<[u8; 16]>(), any::<Option<u16>>(), vec(any::<u8>(), 0..50))
        .prop_map(|(name, ccsid, bytes)| Container { name, ccsid, bytes });
    prop_oneof![
        Just(Interface::None),
        vec(any::<u8>(), 0..100).prop_map(Interface::Commarea),
        (any::<[u8; 16]>(), vec(container, 0..4))
            .prop_map(|(name, containers)| Interface::Channel { name, containers }),
        web_request().prop_map(|request| Interface::Web(Box::new(request))),
        web_answer().prop_map(|answer| Interface::WebAnswer(Box::new(answer))),
    ]
}

fn location() -> impl Strategy<Value = Location> {
    prop_oneof![Just(Location::Main), Just(Location::Auxiliary)]
}

pub(crate) fn ask() -> impl Strategy<Value = QueueAsk> {
    let (queue, data) = (vec(any::<u8>(), 0..17), vec(any::<u8>(), 0..50));
    prop_oneof![
        (queue.clone(), any::<Option<i64>>(), data, proptest::option::of(location()))
            .prop_map(|(queue, item, data, location)| QueueAsk::Write { queue, item, data, location }),
        (queue.clone(), any::<Option<i64>>()).prop_map(|(queue, item)| QueueAsk::Read { queue, item }),
        queue.prop_map(|queue| QueueAsk::Delete { queue }),
    ]
}

pub(crate) fn started_data() -> impl Strategy<Value = StartedData> {
    let names = any::<(Option<[u8; 4]>, Option<[u8; 4]>, Option<[u8; 8]>)>();
    (proptest::option::of(vec(any::<u8>(), 0..50)), any::<bool>(), names).prop_map(
        |(data, headers, (return_transaction, return_terminal, queue))| StartedData {
            data,
            headers,
            return_transaction,
            return_terminal,
            queue,
        },
    )
}

pub(crate) fn start_ask() -> impl Strategy<Value = StartAsk> {
    let names = any::<([u8; 4], Option<[u8; 8]>, Option<[u8; 8]>)>();
    prop_oneof![
        (names, any::<u64>(), any::<bool>(), started_data(), interface()).prop_map(
            |((transaction, request, user), milliseconds, protect, data, interface)| StartAsk::Start(Start {
                transaction,
                milliseconds,
                request,
                user,
                protect,
                data,
                interface,
            })
        ),
        any::<[bool; 4]>().prop_map(|[data, return_transaction, return_terminal, queue]| {
            StartAsk::Retrieve(WantedData { data, return_transaction, return_terminal, queue })
        }),
        any::<[u8; 8]>().prop_map(|request| StartAsk::Cancel { request }),
        any::<([u8; 8], u64)>().prop_map(|(request, milliseconds)| StartAsk::Delay { request, milliseconds }),
    ]
}
