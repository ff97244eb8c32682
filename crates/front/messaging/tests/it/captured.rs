//! Requests of clients that nobody here wrote.

use message::{Expiry, Persistence};
use messaging::{Command, Operation};
use serde_json::Value;

use crate::Sent;

/// The operations of all captured requests, in their order.
fn operations() -> Vec<Operation> {
    let text = include_str!("../captured/requests.jsonl");
    let operation = |line: &str| {
        let request: Value = serde_json::from_str(line).expect("JSON");
        let text = |name: &str| request[name].as_str().expect("a text").to_owned();
        let headers = request["headers"].as_object().expect("headers");
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (name.as_str(), value.as_str().expect("a text"))).collect();
        let (method, target, body) = (text("method"), text("path"), text("body"));
        let sent = Sent { method: &method, target: &target, headers: &headers, body: body.as_bytes() };
        sent.operation().unwrap_or_else(|trouble| panic!("{line}: {trouble:?}")).1
    };
    text.lines().map(operation).collect()
}

#[test]
fn captured_requests_are_understood() {
    let operations = operations();
    assert_eq!(operations.len(), 24);
    let count = |is: fn(&Operation) -> bool| operations.iter().filter(|operation| is(operation)).count();
    assert_eq!(count(|operation| matches!(operation, Operation::Put(..))), 10);
    assert_eq!(count(|operation| matches!(operation, Operation::Get(..))), 7);
    assert_eq!(count(|operation| matches!(operation, Operation::Browse(..))), 3);
    assert_eq!(count(|operation| matches!(operation, Operation::LogIn(_))), 2);
    assert_eq!(count(|operation| matches!(operation, Operation::Managers(_))), 1);
    assert_eq!(count(|operation| matches!(operation, Operation::Mqsc(_))), 1);
    let Some(Operation::Put(queue, put)) =
        operations.iter().rev().find(|op| matches!(op, Operation::Put(..)))
    else {
        panic!("a put")
    };
    assert_eq!(
        (&**queue, put.persistence, put.expiry),
        ("NR.Q", Some(Persistence::Persistent), Expiry::AfterMs(60_000))
    );
    let reply_to = put.reply_to.as_ref().expect("a queue for replies");
    assert_eq!(
        (reply_to.queue.as_str(), reply_to.manager.as_ref().map(|name| name.as_str())),
        ("R", Some("QM1"))
    );
    let Some(Operation::Mqsc(asked)) = operations.iter().find(|op| matches!(op, Operation::Mqsc(_))) else {
        panic!("a command")
    };
    assert!(matches!(&asked.command, Ok(Command::Display(display)) if display.name == "*"));
}
