//! Answers as recorded servers gave them, and requests that are refused.

use http::{HeaderValue, StatusCode};
use message::{
    Ccsid, CorrelationId, Descriptor, Format, ManagerName, Message, MessageId, Moment, Persistence, Priority,
    Property, PropertyValue, QueueName, ReplyTo, Selection,
};
use messaging::{
    Delivered, Get, Listed, Operation, Outcome, PROPERTIES_HEADER_BYTES_MAX, Trouble, Version, of_text,
};
use mqi::DeadLetterHeader;
use serde_json::{Value, json};

use crate::Sent;

fn descriptor() -> Descriptor {
    Descriptor {
        message_id: MessageId([0x41; 24]),
        priority: Priority::new(4).expect("a priority"),
        format: Format::STRING,
        ..Descriptor::default()
    }
}

fn delivered(descriptor: Descriptor, body: &[u8]) -> Box<Delivered> {
    with_properties(descriptor, Vec::new(), body)
}

fn with_properties(descriptor: Descriptor, properties: Vec<Property>, body: &[u8]) -> Box<Delivered> {
    let message = Message { descriptor, properties, body: body.to_vec() };
    Box::new(Delivered::new(message, Moment(1_000)))
}

fn json_of(trouble: &Trouble) -> Value {
    serde_json::from_slice(&trouble.answer().body).expect("JSON")
}

#[test]
fn a_put_is_answered_with_its_id() {
    let id = MessageId([0x41; 24]);
    for (version, expected) in
        [(Version::V2, "41".repeat(24)), (Version::V3, format!("ID:{}", "41".repeat(24)))]
    {
        let answer = Outcome::Put(id).answer(version, false);
        assert_eq!((answer.status.as_u16(), answer.body.len()), (201, 0));
        assert_eq!(answer.headers["ibm-mq-md-messageId"], expected);
        assert_eq!(answer.headers["content-language"], "en-US");
        assert_eq!(answer.headers["content-type"], "text/plain; charset=utf-8");
    }
}

#[test]
fn a_message_has_its_text_and_headers() {
    let plain = delivered(descriptor(), "häh".as_bytes());
    let answer = Outcome::Message(plain, None).answer(Version::V2, false);
    assert_eq!((answer.status.as_u16(), &*answer.body), (200, "häh".as_bytes()));
    assert_eq!(answer.headers["ibm-mq-md-expiry"], "unlimited");
    assert_eq!(answer.headers["ibm-mq-md-persistence"], "nonPersistent");
    for absent in ["ibm-mq-md-correlationid", "ibm-mq-md-replyto", "ibm-mq-md-priority", "ibm-mq-usr"] {
        assert!(!answer.headers.contains_key(absent), "{absent}");
    }
    let text = "order order order order order order";
    let descriptor = Descriptor {
        correlation_id: CorrelationId(of_text(text)),
        expires: Some(Moment(1_500)),
        persistence: Persistence::Persistent,
        reply_to: Some(ReplyTo {
            queue: QueueName::new("R").expect("a name"),
            manager: Some(ManagerName::new("QM1").expect("a name")),
        }),
        backout_count: 2,
        ..descriptor()
    };
    let property = |name, value| Property::new(name, value).expect("a name");
    let properties = vec![
        property("a", PropertyValue::Int32(-1)),
        property("JMSCorrelationID", PropertyValue::Text(text.to_owned())),
    ];
    let whole = with_properties(descriptor, properties, b"x");
    let answer = Outcome::Message(whole.clone(), Some(MessageId([7; 24]))).answer(Version::V3, false);
    for (name, value) in [
        ("ibm-mq-md-expiry", "500"),
        ("ibm-mq-md-persistence", "persistent"),
        ("ibm-mq-md-replyto", "R@QM1"),
        ("ibm-mq-md-priority", "4"),
        ("ibm-mq-usr", "a;-1;i4"),
        ("ibm-mq-md-correlationid", text),
        ("gantry-mq-backout-count", "2"),
        ("gantry-mq-reservation", &"07".repeat(24)),
    ] {
        assert_eq!(answer.headers[name], value, "{name}");
    }
    let answer = Outcome::Message(whole, None).answer(Version::V2, false);
    assert_eq!(answer.headers["ibm-mq-md-correlationid"].len(), 48);
}

#[test]
fn properties_that_do_not_fit_in_a_header_are_refused() {
    let text = |bytes| PropertyValue::Text("x".repeat(bytes));
    let with = |bytes| {
        let property = Property::new("a", text(bytes)).expect("a name");
        with_properties(descriptor(), vec![property], b"x")
    };
    // `a;"...";string`
    let most = PROPERTIES_HEADER_BYTES_MAX - 11;
    let fits = with(most);
    assert_eq!(fits.check_properties(), Ok(()));
    let answer = Outcome::Message(fits, None).answer(Version::V3, false);
    assert_eq!(answer.headers["ibm-mq-usr"].len(), PROPERTIES_HEADER_BYTES_MAX);
    let longer = with(most + 1);
    let trouble = longer.check_properties().expect_err("it does not fit");
    assert_eq!((trouble.status.as_u16(), trouble.id), (501, "GTY0518E"));
    assert_eq!(Outcome::Message(longer.clone(), None).answer(Version::V3, false).status, 501);
    // They are not shown here, or not in a header.
    assert_eq!(Outcome::Message(longer.clone(), None).answer(Version::V2, false).status, 200);
    assert_eq!(Outcome::Messages(vec![*longer]).answer(Version::V3, false).status, 200);
}

#[test]
fn text_comes_from_its_encoding_or_not_at_all() {
    let of = |ccsid, body: &[u8]| delivered(Descriptor { ccsid: Ccsid(ccsid), ..descriptor() }, body);
    let hello = of(37, b"\xc8\x85\x93\x93\x96");
    assert_eq!(hello.text(), Ok(&b"Hello"[..]));
    assert_eq!(hello.text().map(<[u8]>::as_ptr), hello.text().map(<[u8]>::as_ptr), "it is converted once");
    assert_eq!(of(1200, b"\0H\0i").text(), Ok(&b"Hi"[..]));
    let binary = delivered(Descriptor { format: Format::NONE, ..descriptor() }, b"\xff\0");
    for bad in [of(1208, b"\xff"), of(65_000, b"a"), of(70_000, b"a"), of(1200, b"\0"), binary.clone()] {
        let trouble = bad.text().expect_err("no text");
        assert_eq!(trouble.status, 501);
        let answer = Outcome::Message(bad.clone(), None).answer(Version::V2, false);
        assert_eq!(answer.status, 501);
    }
    let answer = Outcome::Message(binary, None).answer(Version::V2, true);
    assert_eq!((answer.status.as_u16(), &*answer.body), (200, &b"\xff\0"[..]));
    assert_eq!(answer.headers["content-type"], "application/octet-stream");
}

#[test]
fn a_dead_letter_is_its_text_and_headers_tell_where_it_came_from() {
    let dead = |format: Format, ccsid, body: &[u8]| {
        let header = DeadLetterHeader {
            reason: 2053,
            queue: "ORDERS".to_owned(),
            manager: "QM1".to_owned(),
            encoding: 785,
            ccsid,
            format: format.0,
        };
        let body = [&header.written("QM1", 0)[..], body].concat();
        delivered(Descriptor { format: Format::DEAD_LETTER, ..descriptor() }, &body)
    };
    for message in [dead(Format::STRING, 1208, b"Hello"), dead(Format::STRING, 37, b"\xc8\x85\x93\x93\x96")] {
        for binary in [false, true] {
            let answer = Outcome::Message(message.clone(), None).answer(Version::V2, binary);
            assert_eq!((answer.status.as_u16(), &*answer.body), (200, &b"Hello"[..]));
            assert_eq!(answer.headers["ibm-mq-md-format"], "MQSTR");
            assert_eq!(answer.headers["gantry-mq-origin-queue"], "ORDERS");
            assert_eq!(answer.headers["gantry-mq-dead-letter-reason"], "2053");
        }
    }
    let bytes = dead(Format::NONE, 1208, b"\0");
    assert_eq!(Outcome::Message(bytes.clone(), None).answer(Version::V2, false).status, 501);
    let answer = Outcome::Message(bytes, None).answer(Version::V2, true);
    assert_eq!((answer.body.len(), &answer.body[..4]), (DeadLetterHeader::BYTES + 1, &b"DLH "[..]));
    assert_eq!(answer.headers["ibm-mq-md-format"], "MQDEAD");
    // A program may put a message of this format without a header.
    let headless = delivered(Descriptor { format: Format::DEAD_LETTER, ..descriptor() }, b"DLH ");
    let answer = Outcome::Message(headless, None).answer(Version::V2, true);
    assert_eq!((answer.status.as_u16(), &*answer.body), (200, &b"DLH "[..]));
    assert!(!answer.headers.contains_key("gantry-mq-origin-queue"));

    let origin = Property::new(Property::ORIGIN_QUEUE, PropertyValue::Text("ORDERS".to_owned()));
    let backed_out = with_properties(descriptor(), vec![origin.expect("a name")], b"x");
    let answer = Outcome::Message(backed_out, None).answer(Version::V3, false);
    assert_eq!(answer.headers["gantry-mq-origin-queue"], "ORDERS");
    for absent in ["ibm-mq-usr", "gantry-mq-dead-letter-reason"] {
        assert!(!answer.headers.contains_key(absent), "{absent}");
    }
}

#[test]
fn a_list_and_the_rest() {
    let listed = Listed { id: MessageId([1; 24]), correlation: CorrelationId::NONE, format: Format::STRING };
    let answer = Outcome::Listed(vec![listed]).answer(Version::V3, false);
    let body: Value = serde_json::from_slice(&answer.body).expect("JSON");
    let expected = json!({"messages": [{"messageId": format!("ID:{}", "01".repeat(24)),
        "correlationId": format!("ID:{}", "00".repeat(24)), "format": "MQSTR"}]});
    assert_eq!(body, expected);
    let text = |outcome: Outcome| {
        let answer = outcome.answer(Version::V2, false);
        (answer.status.as_u16(), String::from_utf8(answer.body.to_vec()).expect("UTF-8"))
    };
    assert_eq!(text(Outcome::Nothing), (204, String::new()));
    assert_eq!(
        text(Outcome::Managers(vec!["QM12".to_owned()])),
        (200, r#"{"qmgr":[{"name":"QM12","state":"running"}]}"#.to_owned())
    );
    let who = Outcome::Who("reader".to_owned(), vec!["MQWebAdminRO", "MQWebUser"]);
    assert_eq!(
        text(who),
        (200, r#"{"user":[{"name":"reader","role":["MQWebAdminRO","MQWebUser"]}]}"#.to_owned())
    );
    let cookie = HeaderValue::from_static("LtpaToken2=x; Path=/");
    let answer = Outcome::LoggedIn(cookie.clone()).answer(Version::V2, false);
    assert_eq!((answer.status.as_u16(), &answer.headers["set-cookie"]), (204, &cookie));
    assert_eq!(answer.headers["x-frame-options"], "DENY");
}

#[test]
fn trouble_has_the_form_that_was_recorded() {
    let body = json_of(&Trouble::unknown_manager("testqmgR"));
    let error = &body["error"][0];
    for (member, value) in [
        ("msgId", json!("MQWB0009E")),
        ("messageId", json!("MQWB0009E")),
        ("action", json!("Resubmit the request with a valid queue manager name.")),
        ("completionCode", json!(2)),
        ("reasonCode", json!(2058)),
        ("type", json!("rest")),
        ("message", json!("MQWB0009E: Could not query the queue manager 'testqmgR'.")),
    ] {
        assert_eq!(error[member], value, "{member}");
    }
}

#[test]
fn trouble_says_whose_turn_it_is() {
    let action = |status: StatusCode| {
        json_of(&Trouble::new(status, "GTY0436W", "It is so."))["error"][0]["action"].clone()
    };
    assert_eq!(action(StatusCode::BAD_REQUEST), "Correct the request and send it again.");
    assert_eq!(action(StatusCode::TOO_MANY_REQUESTS), "Try again later.");
    assert_eq!(action(StatusCode::SERVICE_UNAVAILABLE), "Try again later.");
    assert_eq!(
        action(StatusCode::INTERNAL_SERVER_ERROR),
        "Ask the operator; the log has this request by its x-request-id."
    );
}

const TEXT: (&str, &str) = ("content-type", "text/plain");
const CSRF: (&str, &str) = ("ibm-mq-rest-csrf-token", "");
const MESSAGE: &str = "/ibmmq/rest/v2/messaging/qmgr/QM1/queue/Q1/message";

#[test]
fn bad_requests_have_their_status() {
    fn sent(method: &str, target: &str, headers: &[(&str, &str)], body: &[u8]) -> Trouble {
        Sent { method, target, headers, body }.operation().expect_err(target)
    }
    let csrf = sent("POST", MESSAGE, &[TEXT], b"a");
    assert_eq!((csrf.status.as_u16(), csrf.id), (403, "MQWB0100E"));
    assert_eq!(sent("DELETE", MESSAGE, &[], b"").id, "MQWB0100E");
    assert_eq!(sent("DELETE", "/ibmmq/rest/v2/login", &[], b"").id, "MQWB0100E");
    let media = sent("POST", MESSAGE, &[CSRF, ("content-type", "image/png")], b"a");
    assert_eq!((media.status.as_u16(), media.id), (415, "MQWB0306E"));
    assert_eq!(sent("POST", MESSAGE, &[CSRF], b"a").status, 415);
    assert_eq!(sent("POST", MESSAGE, &[CSRF, TEXT], b"\xff").id, "MQWB0301E");
    assert_eq!(sent("PUT", MESSAGE, &[CSRF, TEXT], b"a").status, 405);
    for query in ["messageId=00", "correlationId=x", "wait=-1", "wait=x"] {
        assert_eq!(sent("DELETE", &format!("{MESSAGE}?{query}"), &[CSRF], b"").status, 400, "{query}");
    }
    let login = "/ibmmq/rest/v2/login";
    assert_eq!(
        sent("POST", login, &[("content-type", "application/json")], b"{\"username\":\"a\"}").status,
        400
    );
    assert_eq!(sent("POST", login, &[TEXT], b"{}").status, 415);
    assert_eq!(sent("POST", "/ibmmq/rest/v9/login", &[], b"").status, 404);
}

#[test]
fn ours_are_understood() {
    fn operation(method: &str, target: &str, headers: &[(&str, &str)], body: &[u8]) -> Operation {
        Sent { method, target, headers, body }.operation().expect(target).1
    }
    let get = Get { reserve_ms: Some(500), wait_ms: 9, ..Get::default() };
    let target = format!("{MESSAGE}?reserve=500&wait=9");
    assert_eq!(operation("DELETE", &target, &[CSRF], b""), Operation::Get("Q1".to_owned(), get));
    let id = "07".repeat(24);
    let target = format!("/ibmmq/rest/v2/messaging/qmgr/QM1/queue/Q1/reservation/{id}");
    assert_eq!(
        operation("DELETE", &target, &[CSRF], b""),
        Operation::Confirm("Q1".to_owned(), MessageId([7; 24]))
    );
    assert_eq!(
        operation("POST", &target, &[CSRF], b""),
        Operation::Release("Q1".to_owned(), MessageId([7; 24]))
    );
    let batch = "/ibmmq/rest/v2/messaging/qmgr/QM1/queue/Q1/messages";
    let body = br#"{"messages":[{"body":"a","headers":{"ibm-mq-md-persistence":"persistent"}},{"bodyBase64":"/w=="}]}"#;
    let json = ("content-type", "application/json");
    let Operation::PutBatch(_, puts) = operation("POST", batch, &[CSRF, json], body) else {
        panic!("a batch")
    };
    assert_eq!((puts[0].persistence, puts[0].format), (Some(Persistence::Persistent), Format::STRING));
    assert_eq!((&*puts[0].body, &*puts[1].body, puts[1].format), (&b"a"[..], &b"\xff"[..], Format::NONE));
    let Operation::GetBatch(_, get, limit) = operation("DELETE", &format!("{batch}?limit=7"), &[CSRF], b"")
    else {
        panic!("a batch")
    };
    assert_eq!((get.selection, limit), (Selection::default(), 7));
    // Nobody may believe that these have reserved something.
    for (method, target) in [("DELETE", batch), ("GET", MESSAGE)] {
        let target = &format!("{target}?reserve=500");
        let trouble = Sent { method, target, headers: &[CSRF], body: b"" }.operation().expect_err(target);
        assert_eq!((trouble.status.as_u16(), trouble.id), (400, "GTY0411W"), "{target}");
    }
    // A text of a property may have any characters, as in a put of one message.
    let umlaut = r#"{"messages":[{"body":"a","headers":{"ibm-mq-usr":"name;\"hän\";string"}}]}"#;
    let v3 = batch.replace("/v2/", "/v3/");
    let Operation::PutBatch(_, puts) = operation("POST", &v3, &[CSRF, json], umlaut.as_bytes()) else {
        panic!("a batch")
    };
    assert_eq!(puts[0].properties.len(), 1);
    for bad in [
        &b"{}"[..],
        br#"{"messages":[]}"#,
        br#"{"messages":[{}]}"#,
        br#"{"messages":[{"body":"a","bodyBase64":""}]}"#,
        br#"{"messages":[{"bodyBase64":"?"}]}"#,
        br#"{"messages":[{"body":"a","headers":{"cookie":"a"}}]}"#,
    ] {
        let sent = Sent { method: "POST", target: batch, headers: &[CSRF, json], body: bad };
        assert_eq!(sent.operation().expect_err("bad").status, 400);
    }
}
