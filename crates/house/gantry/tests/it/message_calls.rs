//! Tests COBOL programs that call the queue manager.

use std::path::Path;

use crate::folder::Folder;
use crate::process::{Gantry, text};

/// Reads a file of `tests/programs`.
fn source(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name);
    std::fs::read_to_string(path).expect("a text")
}

const SERVICE: &str = r#"
ccsid = 1252
[provider]
kind = "program"
program = "MQCALLS"
[request]
copybook = "MQCALLSR.cpy"
wrapper = ""
[response]
copybook = "MQCALLSR.cpy"
wrapper = ""
"#;

const API: &str =
    "base_path = \"/mq\"\n[[operation]]\nmethod = \"POST\"\npath = \"/\"\nservice = \"calls\"\n";

/// Makes a configuration with the program MQCALLS. `queues` may define queues.
fn folder(queues: &str) -> Folder {
    with_program(("MQCALLS", "MQCALLSR"), queues)
}

/// Makes a configuration with a program and its copybook.
fn with_program((program, copybook): (&str, &str), queues: &str) -> Folder {
    let service = SERVICE.replace("MQCALLSR", copybook).replace("\"MQCALLS\"", &format!("\"{program}\""));
    let folder = Folder::empty()
        .with(&format!("programs/{program}.cbl"), &source(&format!("{program}.cbl")))
        .with(&format!("copybooks/{copybook}.cpy"), &source(&format!("{copybook}.cpy")))
        .with("services/calls.toml", &service)
        .with("apis/mq/api.toml", API);
    let place = text(folder.path()).to_owned();
    let listener = "[[listener]]\naddress = \"127.0.0.1:0\"\n[admin]\naddress = \"127.0.0.1:0\"\n";
    let region = format!("[region]\ncache = \"{place}/.cache\"\nworkers = 2\nccsid = 1252\n");
    let store = format!("[store]\npath = \"{place}/.state/store\"\n");
    folder.with("gantry.toml", &format!("{listener}{region}{store}{queues}"))
}

const QUEUES: &str = "[queue_manager]\nname = \"QM1\"\n[[queue_manager.queue]]\nname = \"DEV.QUEUE.1\"\n";

/// Calls the program; gives its completion code, reason and text.
fn called(gantry: &Gantry, act: &str, queue: &str, given: &str) -> (u64, u64, String) {
    let body = format!(r#"{{"mc_act":"{act}","mc_queue":"{queue}","mc_text":"{given}"}}"#);
    let head = "POST /mq/ HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
    let response = gantry.request(format!("{head}content-length: {}\r\n\r\n{body}", body.len()).as_bytes());
    let answer: serde_json::Value = serde_json::from_slice(&response.body).expect("JSON");
    let number = |name: &str| answer[name].as_u64().unwrap_or(u64::MAX);
    let text = answer["mc_text"].as_str().unwrap_or_default().trim_end().to_owned();
    (number("mc_completion"), number("mc_reason"), text)
}

/// A task that ended with an abend answers without these numbers.
const ABENDED: (u64, u64) = (u64::MAX, u64::MAX);

#[test]
fn messages_belong_to_the_unit_of_work_of_the_task() {
    let folder = folder(QUEUES);
    let gantry = Gantry::folder(folder.path());
    let call = |act: &str, given: &str| called(&gantry, act, "DEV.QUEUE.1", given);
    let codes = |(completion, reason, _)| (completion, reason);

    assert_eq!(codes(call("GET", "")), (2, 2033), "MQRC-NO-MSG-AVAILABLE after the wait");
    assert_eq!(codes(call("PUT", "first")), (0, 0));
    assert_eq!(codes(call("PUTABEND", "never")), ABENDED);
    assert_eq!(codes(call("GETABEND", "")), ABENDED);
    assert_eq!(
        call("GET", ""),
        (0, 0, "first".to_owned()),
        "what the abend took is back, what it put is not there"
    );
    assert_eq!(codes(call("GET", "")), (2, 2033));
    assert_eq!(codes(call("COMMIT", "")), (2, 2012), "MQRC-ENVIRONMENT-ERROR");
    assert_eq!(codes(called(&gantry, "GET", "NO.SUCH.QUEUE", "")), (2, 2085), "MQRC-UNKNOWN-OBJECT-NAME");
}

#[test]
fn a_program_hears_of_the_end_of_a_wait_before_its_caller_leaves() {
    let folder = folder(QUEUES).with("services/calls.toml", &format!("timeout_ms = 2000\n{SERVICE}"));
    let gantry = Gantry::folder(folder.path());
    let (completion, reason, _) = called(&gantry, "GETLONG", "DEV.QUEUE.1", "");
    assert_eq!((completion, reason), (2, 2033), "MQRC-NO-MSG-AVAILABLE");
}

#[test]
fn a_program_deletes_the_permanent_queue_that_a_model_made() {
    let model = "[[queue_manager.queue]]\nname = \"MODEL\"\ntype = \"model\"\npermanent = true\n";
    let folder = folder(&format!("{QUEUES}{model}"));
    let gantry = Gantry::folder(folder.path());
    assert_eq!(called(&gantry, "MAKE", "MODEL", "MADE.HERE"), (0, 0, "MADE.HERE".to_owned()));
    gantry.kill();
    let gantry = Gantry::folder(folder.path());
    let delete = |queue| called(&gantry, "DELETE", queue, "").1;
    assert_eq!(called(&gantry, "PUT", "MADE.HERE", "kept").1, 0);
    assert_eq!(delete("MADE.HERE"), 2055, "MQRC-Q-NOT-EMPTY");
    assert_eq!(called(&gantry, "GET", "MADE.HERE", "").1, 0);
    assert_eq!((delete("MADE.HERE"), delete("MADE.HERE")), (0, 2085), "MQRC-UNKNOWN-OBJECT-NAME");
    assert_eq!(delete("DEV.QUEUE.1"), 2045, "MQRC-OPTION-NOT-VALID-FOR-TYPE");
}

#[test]
fn a_message_outlives_a_kill() {
    let folder = folder(QUEUES);
    let gantry = Gantry::folder(folder.path());
    assert_eq!(called(&gantry, "PUT", "DEV.QUEUE.1", "kept").1, 0);
    gantry.kill();
    let gantry = Gantry::folder(folder.path());
    assert_eq!(called(&gantry, "GET", "DEV.QUEUE.1", ""), (0, 0, "kept".to_owned()));
}

#[test]
fn without_a_queue_manager_calls_are_refused() {
    let folder = folder("");
    let gantry = Gantry::folder(folder.path());
    let (completion, reason, _) = called(&gantry, "PUT", "DEV.QUEUE.1", "x");
    assert_eq!((completion, reason), (2, 2204), "MQRC-ADAPTER-NOT-AVAILABLE");
}

/// Topics below `news` go to ALL; `news/sport` goes to SPORT, too. SPORT takes two messages.
const TOPICS: &str = "[queue_manager]\nname = \"QM1\"\n\
    [[queue_manager.queue]]\nname = \"ALL\"\n\
    [[queue_manager.queue]]\nname = \"SPORT\"\ndepth_max = 2\n\
    [[queue_manager.topic]]\nname = \"NEWS\"\ntopic = \"news\"\n\
    [[queue_manager.topic]]\nname = \"OLD\"\ntopic = \"news/old\"\npublish_enabled = false\n\
    [[queue_manager.subscription]]\nname = \"all\"\ntopics = \"news/#\"\nqueue = \"ALL\"\n\
    [[queue_manager.subscription]]\nname = \"sport\"\ntopics = \"news/sport\"\nqueue = \"SPORT\"\n\
    [messaging]\n";

/// Calls MQTOPIC with a topic object and a string; gives completion code, reason, and the whole topic.
fn published(gantry: &Gantry, act: &str, (object, string): (&str, &str)) -> (u64, u64, String) {
    let length = string.len();
    let body = format!(
        r#"{{"mt_act":"{act}","mt_object":"{object}","mt_string":"{string}","mt_length":{length},"mt_text":"news"}}"#
    );
    let response = gantry.send("POST", "/mq/", "content-type: application/json\r\n", &body);
    let answer: serde_json::Value = serde_json::from_slice(&response.body).expect("JSON");
    let number = |name: &str| answer[name].as_u64().unwrap_or(u64::MAX);
    let text = answer["mt_string"].as_str().unwrap_or_default().trim_end().to_owned();
    (number("mt_completion"), number("mt_reason"), text)
}

/// The texts of all messages of a queue, which are got.
fn all_of(gantry: &Gantry, queue: &str) -> usize {
    let path = format!("/ibmmq/rest/v2/messaging/qmgr/QM1/queue/{queue}/message");
    let mut count = 0;
    while gantry.send("DELETE", &path, "ibm-mq-rest-csrf-token: x\r\n", "").status == 200 {
        count += 1;
    }
    count
}

#[test]
fn a_program_publishes_to_topics_by_objects_and_strings() {
    let folder = with_program(("MQTOPIC", "MQTOPICR"), TOPICS);
    let gantry = Gantry::folder(folder.path());
    let call = |act: &str, topic: (&str, &str)| published(&gantry, act, topic);
    let whole = |topic: &str| (0, 0, topic.to_owned());
    let codes = |act: &str, topic: (&str, &str)| {
        let (completion, reason, _) = call(act, topic);
        (completion, reason)
    };
    assert_eq!(call("PUT", ("NEWS", "")), whole("news"));
    assert_eq!(call("PUT", ("NEWS", "weather")), whole("news/weather"));
    assert_eq!(call("PUT", ("", "news/sport")), whole("news/sport"));
    assert_eq!(call("PUT1", ("NEWS", "sport")), whole("news/sport"));
    assert_eq!(call("NULL", ("NEWS", "null")), whole("news/null"));
    assert_eq!(call("OFFSET", ("NEWS", "offset")), whole("news/offset"));
    assert_eq!(codes("WARN", ("NEWS", "warn")), (0, 0));
    assert_eq!(codes("PUT", ("", "weather")), (0, 0));
    assert_eq!(codes("WARN", ("", "weather")), (1, 2550), "MQRC-NO-SUBS-MATCHED");
    assert_eq!(codes("ABEND", ("NEWS", "abend")), ABENDED);
    assert_eq!(codes("PUT", ("NOWHERE", "")), (2, 2085), "MQRC-UNKNOWN-OBJECT-NAME");
    assert_eq!(codes("PUT", ("", "")), (2, 2085), "MQRC-UNKNOWN-OBJECT-NAME");
    assert_eq!(codes("PUT", ("SYSTEM.BASE.TOPIC", "")), (2, 2425), "MQRC-TOPIC-STRING-ERROR");
    assert_eq!(codes("BOTH", ("", "x")), (2, 2441), "MQRC-OBJECT-STRING-ERROR");
    assert_eq!(codes("NOPLACE", ("", "x")), (2, 2441), "MQRC-OBJECT-STRING-ERROR");
    assert_eq!(codes("NOROOM", ("", "x")), (2, 2520), "MQRC-RES-OBJECT-STRING-ERROR");
    assert_eq!(codes("SUBSCRIB", ("NEWS", "")), (2, 2045), "MQRC-OPTION-NOT-VALID-FOR-TYPE");
    assert_eq!(codes("PUT", ("OLD", "1")), (2, 2051), "MQRC-PUT-INHIBITED");
    // SPORT is full, so nobody gets the third one.
    assert_eq!(codes("PUT", ("NEWS", "sport")), (2, 2502), "MQRC-PUBLICATION-FAILURE");
    gantry.kill();
    let gantry = Gantry::folder(folder.path());
    assert_eq!((all_of(&gantry, "ALL"), all_of(&gantry, "SPORT")), (7, 2));
}

/// Calls MQSUBSC; gives completion code, reason, and the text.
fn subscribed(gantry: &Gantry, act: &str, (name, topic): (&str, &str), given: &str) -> (u64, u64, String) {
    let body = format!(
        r#"{{"ms_act":"{act}","ms_name":"{name}","ms_name_length":{},"ms_topic":"{topic}","ms_topic_length":{},"ms_text":"{given}"}}"#,
        name.len(),
        topic.len(),
    );
    let response = gantry.send("POST", "/mq/", "content-type: application/json\r\n", &body);
    let answer: serde_json::Value = serde_json::from_slice(&response.body).expect("JSON");
    let number = |name: &str| answer[name].as_u64().unwrap_or(u64::MAX);
    let text = |name: &str| answer[name].as_str().unwrap_or_default().trim_end().to_owned();
    let text =
        if act == "TAKE" { format!("{} {}", text("ms_text"), text("ms_data")) } else { text("ms_text") };
    (number("ms_completion"), number("ms_reason"), text)
}

#[test]
fn a_program_subscribes_for_its_task_or_for_longer() {
    let queues = "[queue_manager]\nname = \"QM1\"\nsweep_ms = 20\n\
        [[queue_manager.queue]]\nname = \"OWN.QUEUE\"\n[messaging]\n";
    let folder = with_program(("MQSUBSC", "MQSUBSCR"), queues);
    let gantry = Gantry::folder(folder.path());
    let done = |text: &str| (0, 0, text.to_owned());
    let call = |gantry: &Gantry, act: &str, name: &str, topic: &str, text: &str| {
        subscribed(gantry, act, (name, topic), text)
    };
    let codes = |gantry: &Gantry, act: &str, name: &str| {
        let (completion, reason, _) = call(gantry, act, name, "news/x", "x");
        (completion, reason)
    };
    // One that is not durable ends with its handle, or with the task.
    assert_eq!(call(&gantry, "LIVE", "", "news/x", "first"), done("first"));
    assert_eq!(codes(&gantry, "LEAVE", "LEFT"), (0, 0));
    assert_eq!(codes(&gantry, "LEAVE", "LEFT"), (0, 0), "its name is free again");
    // A durable one gets what is published while nobody uses it, also over a restart.
    assert_eq!(codes(&gantry, "TAKE", "KEPT"), (2, 2428), "MQRC-NO-SUBSCRIPTION");
    assert_eq!(codes(&gantry, "MAKE", ""), (2, 2440), "MQRC-SUB-NAME-ERROR");
    assert_eq!(call(&gantry, "MAKE", "KEPT", "news/#", ""), done(""));
    assert_eq!(codes(&gantry, "MAKE", "KEPT"), (2, 2432), "MQRC-SUB-ALREADY-EXISTS");
    assert_eq!(call(&gantry, "PUBLISH", "", "news/1", "one"), done("one"));
    gantry.kill();
    let gantry = Gantry::folder(folder.path());
    assert_eq!(call(&gantry, "PUBLISH", "", "news/2", "two"), done("two"));
    assert_eq!(call(&gantry, "TAKE", "KEPT", "", ""), done("one SOME DATA"));
    assert_eq!(call(&gantry, "TAKE", "KEPT", "", ""), done("two SOME DATA"));
    assert_eq!(call(&gantry, "TAKE", "KEPT", "", "").1, 2033, "MQRC-NO-MSG-AVAILABLE");
    assert_eq!(call(&gantry, "REQUEST", "KEPT", "news/#", "").1, 2437, "MQRC-NO-RETAINED-MSG");
    assert_eq!(call(&gantry, "REQUEST", "KEPT", "other", "").1, 2510, "MQRC-TOPIC-NOT-ALTERABLE");
    assert_eq!(call(&gantry, "REMOVE", "KEPT", "news/#", ""), done(""));
    assert_eq!(codes(&gantry, "TAKE", "KEPT"), (2, 2428));
    // One on a queue of the program's own leaves that.
    assert_eq!(codes(&gantry, "OWN", "OWN"), (0, 0));
    assert_eq!(codes(&gantry, "OWN", "OWN"), (0, 0), "it is resumed");
    assert_eq!(call(&gantry, "PUBLISH", "", "news/x", "own"), done("own"));
    assert_eq!(call(&gantry, "TAKE", "OWN", "", ""), done("own SOME DATA"));
    assert_eq!(call(&gantry, "PUBLISH", "", "news/x", "more"), done("more"));
    assert_eq!(call(&gantry, "REMOVE", "OWN", "news/x", ""), done(""));
    assert_eq!(call(&gantry, "PUBLISH", "", "news/x", "none"), done("none"));
    assert_eq!(all_of(&gantry, "OWN.QUEUE"), 1);
}

/// Calls MQHANDLE; gives the codes, and the answer.
fn with_handle(
    gantry: &Gantry,
    act: &str,
    (name, value): (&str, &str),
    number: i32,
) -> ((u64, u64), serde_json::Value) {
    let body = format!(
        r#"{{"mh_act":"{act}","mh_name":"{name}","mh_name_length":{},"mh_text":"{value}","mh_text_length":{},"mh_number":{number}}}"#,
        name.len(),
        value.len(),
    );
    let response = gantry.send("POST", "/mq/", "content-type: application/json\r\n", &body);
    let answer: serde_json::Value = serde_json::from_slice(&response.body).expect("JSON");
    let code = |name: &str| answer[name].as_u64().unwrap_or(u64::MAX);
    ((code("mh_completion"), code("mh_reason")), answer)
}

#[test]
fn a_program_puts_and_gets_properties_with_message_handles() {
    let queues = "[queue_manager]\nname = \"QM1\"\n[[queue_manager.queue]]\nname = \"PROPS\"\n[messaging]\n";
    let folder = with_program(("MQHANDLE", "MQHANDR"), queues);
    let gantry = Gantry::folder(folder.path());
    let text = |answer: &serde_json::Value, name: &str| {
        answer[name].as_str().unwrap_or_default().trim_end().to_owned()
    };
    let codes = |act: &str, name: &str| with_handle(&gantry, act, (name, "x"), 0).0;
    for _ in 0..2 {
        assert_eq!(with_handle(&gantry, "PUT", ("colour", "red"), 70_000).0, (0, 0));
    }
    let (done, got) = with_handle(&gantry, "GET", ("colour", ""), 0);
    assert_eq!(done, (0, 0));
    assert_eq!((text(&got, "mh_text").as_str(), got["mh_text_length"].as_u64()), ("red", Some(3)));
    assert_eq!((got["mh_kind"].as_u64(), got["mh_number"].as_u64()), (Some(1024), Some(70_000)));
    let (done, got) = with_handle(&gantry, "NAMES", ("", ""), 0);
    assert_eq!((done, text(&got, "mh_names").as_str()), ((0, 0), "colour amount"));
    let (done, got) = with_handle(&gantry, "NULLTERM", ("abcdef", "value and more"), 0);
    assert_eq!((done, text(&got, "mh_text").as_str()), ((0, 0), "valu"));
    assert_eq!(codes("SET", "JMSType"), (2, 2442), "MQRC-PROPERTY-NAME-ERROR");
    assert_eq!(codes("SET", ""), (2, 2513), "MQRC-PROPERTY-NAME-LENGTH-ERR");
    assert_eq!(codes("DELETE", "colour"), (2, 2471), "MQRC-PROPERTY-NOT-AVAILABLE");
    assert_eq!(codes("GET", "colour"), (2, 2033), "MQRC-NO-MSG-AVAILABLE");
    // A property that a sender over HTTP has set, and one for a receiver over HTTP.
    let path = "/ibmmq/rest/v3/messaging/qmgr/QM1/queue/PROPS/message";
    let head = "ibm-mq-rest-csrf-token: x\r\ncontent-type: text/plain;charset=utf-8\r\n";
    let sent = gantry.send("POST", path, &format!("{head}ibm-mq-usr: size;\"large\";string\r\n"), "BODY");
    assert_eq!(sent.status, 201, "{}", String::from_utf8_lossy(&sent.body));
    let (_, got) = with_handle(&gantry, "GET", ("size", ""), 0);
    assert_eq!(text(&got, "mh_text"), "large");
    assert_eq!(with_handle(&gantry, "PUT", ("colour", "blue"), 5).0, (0, 0));
    let received = gantry.send("DELETE", path, "ibm-mq-rest-csrf-token: x\r\n", "");
    assert_eq!(received.header("ibm-mq-usr"), Some("colour;\"blue\";string, amount;5;i4"));
}

/// Queues for reports. A message of `WORK` goes to `DEAD` after two backouts.
const REPORTING: &str = "[queue_manager]\nname = \"QM1\"\nsweep_ms = 20\ndead_letter_queue = \"DEAD\"\n\
    [[queue_manager.queue]]\nname = \"WORK\"\nbackout_threshold = 2\n\
    [[queue_manager.queue]]\nname = \"REPORTS\"\n[[queue_manager.queue]]\nname = \"DEAD\"\n\
    [[queue_manager.queue]]\nname = \"SMALL\"\ndepth_max = 1\n";

/// The answer of MQREPORT about a message.
#[derive(Debug, Default, PartialEq, Eq)]
struct Heard {
    codes: (u64, u64),
    kind: u64,
    report: u64,
    feedback: u64,
    /// Whether the correlation id equals the message id.
    same_ids: bool,
    correlation_id: String,
    queue: String,
    text: String,
}

/// Calls MQREPORT with: its act on a queue, the queue for replies, and the message's expiry in
/// tenths of a second.
fn reported(gantry: &Gantry, act: &str, (queue, reply_to): (&str, &str), expiry: u32) -> Heard {
    let body = format!(
        r#"{{"mr_act":"{act}","mr_queue":"{queue}","mr_replyto":"{reply_to}","mr_expiry":{expiry},"mr_text":"work","mr_correlid":"MINE"}}"#
    );
    let response = gantry.send("POST", "/mq/", "content-type: application/json\r\n", &body);
    let answer: serde_json::Value = serde_json::from_slice(&response.body).expect("JSON");
    let number = |name: &str| answer[name].as_u64().unwrap_or(u64::MAX);
    let text = |name: &str| answer[name].as_str().unwrap_or_default().trim_end().to_owned();
    Heard {
        codes: (number("mr_completion"), number("mr_reason")),
        kind: number("mr_msgtype"),
        report: number("mr_report"),
        feedback: number("mr_feedback"),
        same_ids: text("mr_msgid") == "SAME",
        correlation_id: text("mr_correlid"),
        queue: text("mr_queue"),
        text: text("mr_text"),
    }
}

/// Gives the next message of a queue, and waits for it.
fn next(gantry: &Gantry, queue: &str) -> Heard {
    loop {
        let heard = reported(gantry, "GET", (queue, ""), 0);
        if heard.codes != (2, 2033) {
            return heard;
        }
    }
}

/// Gives the next dead letter, with what MQDLH says: its reason as `report`, its queue, and its
/// queue manager as `correlation_id`.
fn next_dead(gantry: &Gantry) -> Heard {
    loop {
        let heard = reported(gantry, "GETDEAD", ("DEAD", ""), 0);
        if heard.codes != (2, 2033) {
            assert_eq!(heard.codes, (0, 0));
            return heard;
        }
    }
}

#[test]
fn a_program_hears_of_arrival_and_delivery_with_the_units_that_they_are_of() {
    let folder = with_program(("MQREPORT", "MQREPTR"), REPORTING);
    let gantry = Gantry::folder(folder.path());
    let call = |act: &str, queue: &str| reported(&gantry, act, (queue, "REPORTS"), 0);
    assert_eq!(call("PUTABEND", "WORK").codes, ABENDED);
    assert_eq!(call("GET", "REPORTS").codes, (2, 2033), "nothing has arrived");
    assert_eq!(call("PUT", "WORK").codes, (0, 0));
    let arrival = call("GET", "REPORTS");
    assert_eq!((arrival.codes, arrival.kind, arrival.feedback), ((0, 0), 4, 259), "MQMT-REPORT, MQFB-COA");
    assert_eq!((arrival.report, arrival.text.as_str()), (0, ""));
    assert!(arrival.same_ids, "MQRO-PASS-MSG-ID and MQRO-COPY-MSG-ID-TO-CORREL-ID");
    assert_eq!(call("GETABEND", "WORK").codes, ABENDED);
    assert_eq!(call("GET", "REPORTS").codes, (2, 2033), "nothing was delivered");
    let work = call("GET", "WORK");
    assert_eq!((work.codes, work.kind, work.report), ((0, 0), 8, 256 + 14_336 + 128));
    assert_eq!((work.text.as_str(), work.correlation_id.as_str()), ("work", "MINE"));
    let delivery = call("GET", "REPORTS");
    assert_eq!((delivery.feedback, delivery.text.as_str()), (260, "work"), "MQFB-COD");
    assert_eq!(call("GET", "REPORTS").codes, (2, 2033));
}

#[test]
fn a_program_hears_of_failures_and_the_log_of_dead_letters() {
    let folder = with_program(("MQREPORT", "MQREPTR"), REPORTING);
    let gantry = Gantry::folder(folder.path());
    let call = |act: &str, queue: &str| reported(&gantry, act, (queue, "REPORTS"), 0);
    assert_eq!(reported(&gantry, "PUTONE", ("WORK", "REPORTS"), 1).codes, (0, 0));
    let expired = next(&gantry, "REPORTS");
    assert_eq!((expired.kind, expired.feedback), (4, 258), "MQFB-EXPIRATION");
    assert_eq!((expired.text.as_str(), expired.correlation_id.as_str()), ("work", "MINE"));

    assert_eq!(call("PUTONE", "WORK").codes, (0, 0));
    for _ in 0..2 {
        assert_eq!(call("GETABEND", "WORK").codes, ABENDED);
    }
    let exception = next(&gantry, "REPORTS");
    assert_eq!((exception.kind, exception.feedback), (4, 2362), "MQRC-BACKOUT-THRESHOLD-REACHED");
    let dead = next_dead(&gantry);
    assert_eq!((dead.report, dead.feedback, dead.text.as_str()), (2362, 0, "work"), "MQDLH-REASON");
    assert_eq!((dead.queue.as_str(), dead.correlation_id.as_str()), ("WORK", "QM1"), "MQDLH-DESTQNAME");

    // If a queue cannot take a report, the report goes to the dead-letter queue.
    for _ in 0..2 {
        assert_eq!(reported(&gantry, "PUT", ("WORK", "SMALL"), 0).codes, (0, 0));
    }
    let dead = next_dead(&gantry);
    assert_eq!((dead.report, dead.kind, dead.feedback), (2053, 4, 259), "MQRC-Q-FULL, MQFB-COA");
    assert_eq!(dead.queue, "SMALL");
    assert_eq!(reported(&gantry, "PUTONE", ("WORK", ""), 0).codes, (2, 2027), "MQRC-MISSING-REPLY-TO-Q");
    assert_eq!(call("PUTBAD", "WORK").codes, (2, 2061), "MQRC-REPORT-OPTIONS-ERROR");
    let log = gantry.stop();
    let dead = log.lines().filter(|line| line.contains("went to the dead-letter queue DEAD")).count();
    assert_eq!(dead, 2, "{log}");
}

#[test]
fn a_program_needs_the_right_to_put_where_its_reports_go() {
    let grant = "[[region.queue_grant]]\nusers = [\"*\"]\nqueues = [\"WORK\"]\nrights = [\"put\", \"get\"]\n";
    let folder = with_program(("MQREPORT", "MQREPTR"), &format!("{grant}{REPORTING}"));
    let gantry = Gantry::folder(folder.path());
    assert_eq!(reported(&gantry, "PUT", ("WORK", "REPORTS"), 0).codes, (2, 2035), "MQRC-NOT-AUTHORIZED");
    assert_eq!(reported(&gantry, "GET", ("WORK", ""), 0).codes, (2, 2033), "nothing was put");
    assert_eq!(reported(&gantry, "PUT", ("WORK", "WORK"), 0).codes, (0, 0));
}

#[test]
fn a_report_that_can_go_nowhere_is_counted_and_logged() {
    let queues = REPORTING.replace("dead_letter_queue = \"DEAD\"\n", "");
    let folder = with_program(("MQREPORT", "MQREPTR"), &queues);
    let gantry = Gantry::folder(folder.path());
    assert_eq!(reported(&gantry, "PUT", ("WORK", "NOWHERE"), 0).codes, (0, 0));
    assert_eq!(gantry.metric("gantry_queue_reports_lost_total{queue=\"WORK\"}"), 1.0);
    let log = gantry.stop();
    assert!(log.contains("the report 259 about message") && log.contains("NOWHERE"), "{log}");
}
