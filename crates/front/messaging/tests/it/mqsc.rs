//! Commands and their answers, as recorded clients expect them.

use bytes::Bytes;
use messaging::{
    Asked, Change, Command, Display, Done, Failed, Item, Kind, Manager, Outcome, Process, Queue, Reply,
    State, Subscription, Topic, Version, Wanted,
};
use serde_json::{Value, json};

fn asked(body: &Value) -> Asked {
    Asked::parse(body.to_string().as_bytes()).expect("a command")
}

fn text(command: &str) -> Asked {
    asked(&json!({ "type": "runCommand", "parameters": { "command": command } }))
}

fn answered(asked: Asked, items: Vec<Item>) -> Value {
    let answer = Outcome::Mqsc(asked, Reply { items }).answer(Version::V2, false);
    assert_eq!(answer.status, 200);
    serde_json::from_slice(&answer.body).expect("JSON")
}

fn queue(name: &str, depth: u64) -> Item {
    Item::Queue(Queue {
        name: name.to_owned(),
        kind: Kind::Local,
        attributes: vec![
            Change::Description("it's (one)".to_owned()),
            Change::MaximumDepth(5_000),
            Change::DefaultPersistent(false),
            Change::Trigger(false),
            Change::Process(String::new()),
        ],
        state: Some(State { depth, ..State::default() }),
    })
}

#[test]
fn a_scaler_reads_the_depth() {
    let command = json!({"type": "runCommandJSON", "command": "display", "qualifier": "qlocal",
        "name": "DEV.QUEUE.1", "responseParameters": ["CURDEPTH"]});
    let answer = answered(asked(&command), vec![queue("DEV.QUEUE.1", 10)]);
    let expected = json!({
        "commandResponse": [{"completionCode": 0, "reasonCode": 0,
            "parameters": {"curdepth": 10, "type": "QLOCAL", "queue": "DEV.QUEUE.1"}}],
        "overallReasonCode": 0, "overallCompletionCode": 0
    });
    assert_eq!(answer, expected);
}

#[test]
fn an_unknown_queue_fails_inside_of_200() {
    let command = json!({"type": "runCommandJSON", "command": "display", "qualifier": "qlocal",
        "name": "FAKE.QUEUE", "responseParameters": ["CURDEPTH"]});
    let failed = Item::Failed(Failed::NotFound("FAKE.QUEUE".to_owned()));
    let expected = json!({
        "commandResponse": [{"completionCode": 2, "reasonCode": 2085,
            "message": ["AMQ8147E: IBM MQ object FAKE.QUEUE not found."]}],
        "overallReasonCode": 3008, "overallCompletionCode": 2
    });
    assert_eq!(answered(asked(&command), vec![failed]), expected);
}

#[test]
fn text_is_answered_by_text() {
    let answer =
        answered(text("DISPLAY QLOCAL(*) CURDEPTH WHERE(CURDEPTH GT 3)"), vec![queue("A", 3), queue("B", 4)]);
    let items = answer["commandResponse"].as_array().expect("items");
    assert_eq!(items.len(), 1);
    let line = items[0]["text"][0].as_str().expect("a text");
    assert!(line.starts_with("AMQ8409I: Display Queue details.   QUEUE(B)  "), "{line}");
    assert!(line.ends_with("CURDEPTH(4)") && line.contains("TYPE(QLOCAL)"), "{line}");
    let none = answered(text("DIS QL(*) WHERE(CURDEPTH GT 9)"), vec![queue("A", 3)]);
    assert_eq!(none["commandResponse"][0]["reasonCode"], 2085);
    let whole = answered(text("dis q('A')"), vec![queue("A", 3)]);
    let line = whole["commandResponse"][0]["text"][0].as_str().expect("a text");
    for attribute in [
        "DESCR(it's (one))",
        "MAXDEPTH(5000)",
        "DEFPSIST(NO)",
        "NOTRIGGER",
        "SHARE",
        "CLUSTER( )",
        "USAGE(NORMAL)",
    ] {
        assert!(line.contains(attribute), "{attribute}: {line}");
    }
    let done = answered(text("PING QMGR"), vec![Item::Done(Done::Pinged)]);
    assert_eq!(
        done["commandResponse"][0]["text"][0],
        "AMQ8415I: Ping IBM MQ Queue Manager command complete."
    );
    let manager = Manager { name: "QM1".to_owned(), ..Manager::default() };
    let shown = answered(text("DISPLAY QMGR QMNAME CMDLEVEL"), vec![Item::Manager(manager)]);
    let line = shown["commandResponse"][0]["text"][0].as_str().expect("a text");
    assert!(
        line.contains("QMNAME(QM1)") && line.contains("CMDLEVEL(930)") && !line.contains("CCSID"),
        "{line}"
    );
}

#[test]
fn definitions_are_understood_in_both_forms() {
    let changes =
        vec![Change::MaximumDepth(7), Change::DefaultPersistent(true), Change::Description("x y".to_owned())];
    let same = |command: Asked| {
        let Ok(Command::Define { kind, name, replace, like, changes: mut found }) = command.command else {
            panic!("{command:?}")
        };
        assert_eq!((kind, &*name, replace, like), (Kind::Local, "New.Q", true, None));
        found.sort_by_key(|change| format!("{change:?}"));
        let mut expected = changes.clone();
        expected.sort_by_key(|change| format!("{change:?}"));
        assert_eq!(found, expected);
    };
    same(text("define ql('New.Q') maxdepth(7) defpsist(yes) descr('x y') usage(normal) share replace"));
    same(asked(
        &json!({"type": "runCommandJSON", "command": "DEFINE", "qualifier": "QLOCAL", "name": "New.Q",
        "parameters": {"maxdepth": 7, "defpsist": "yes", "descr": "x y", "replace": "yes"}}),
    ));
    assert_eq!(
        text("DELETE QLOCAL(A) PURGE").command,
        Ok(Command::Delete {
            kind: Some(Kind::Local),
            name: "A".to_owned(),
            purge: true,
            ignore_missing: false
        })
    );
    assert_eq!(text("CLEAR QLOCAL(A)").command, Ok(Command::Clear("A".to_owned())));
    let alias = Command::Define {
        kind: Kind::Alias,
        name: "A".to_owned(),
        replace: false,
        like: None,
        changes: vec![Change::Target("B".to_owned())],
    };
    assert_eq!(text("DEF QA(A) TARGET(B)").command, Ok(alias));
}

#[test]
fn attributes_without_effect_are_kept_and_shown() {
    let asked =
        text("DEF QL(A) QDEPTHHI(90) qdphiev(enabled) MONQ(high) DEFBIND(NOTFIXED) NOHARDENBO CLUSTER(' ')");
    let Ok(Command::Define { changes, .. }) = asked.command else { panic!("{asked:?}") };
    let kept = |name, value: &str| Change::Kept(name, value.to_owned());
    let expected = [
        kept("QDEPTHHI", "90"),
        kept("QDPHIEV", "ENABLED"),
        kept("MONQ", "HIGH"),
        kept("DEFBIND", "NOTFIXED"),
    ];
    assert_eq!(changes, expected);
    let shown =
        Item::Queue(Queue { name: "A".to_owned(), kind: Kind::Local, attributes: changes, state: None });
    let answer = answered(text("DISPLAY QLOCAL(A) ALL"), vec![shown.clone()]);
    let line = answer["commandResponse"][0]["text"][0].as_str().expect("a text");
    for attribute in ["QDEPTHHI(90)", "QDPHIEV(ENABLED)", "MONQ(HIGH)", "DEFBIND(NOTFIXED)", "QDEPTHLO(20)"] {
        assert_eq!(line.matches(attribute).count(), 1, "{attribute}: {line}");
    }
    let above = answered(text("DISPLAY QLOCAL(*) WHERE(QDEPTHHI GT 80) QDEPTHHI"), vec![shown]);
    assert_eq!(above["commandResponse"][0]["completionCode"], 0);
    let model = text("DEFINE QMODEL(M) DEFTYPE(TEMPDYN)");
    let Ok(Command::Define { kind, changes, .. }) = model.command else { panic!("{model:?}") };
    assert_eq!((kind, changes), (Kind::Model, vec![Change::Permanent(false)]));
}

#[test]
fn what_cannot_be_done_is_a_syntax_error() {
    for command in [
        "",
        "DISPLAY",
        "DISPLAY NOTHING(A)",
        "DISPLAY QLOCAL",
        "DISPLAY QLOCAL(A) NOSUCH",
        "DEFINE QLOCAL(A) MAXDEPTH(-1)",
        "DEFINE QLOCAL(A) MAXDEPTH(1000000000)",
        "DEFINE QLOCAL(A) QDEPTHHI(101)",
        "DEFINE QLOCAL(A) MONQ(SOME)",
        "DEFINE QLOCAL(A) DEFTYPE(PERMDYN)",
        "DEFINE QMODEL(A) DEFTYPE(ODD)",
        "DEFINE QLOCAL(A) TARGET(B)",
        "DEFINE QLOCAL(A) DESCR('",
        "DEFINE QUEUE(A)",
        "CLEAR QALIAS(A)",
        "CLEAR QLOCAL(A) NOW",
        "DELETE QLOCAL(A) MAYBE",
        "DISPLAY CHANEL(A)",
        "PERFORM CHANNEL(A)",
        "START QLOCAL(A)",
        "DISPLAY QMSTATUS TYPE(NATIVEHA)",
        "DISPLAY QMGR NOSUCH",
        "DISPLAY QMGR CURDEPTH",
        "DISPLAY QMSTATUS DEADQ",
        "DISPLAY QLOCAL(A) WHERE(CURDEPTH)",
        "DISPLAY QLOCAL(A) TYPE(QALIAS)",
    ] {
        let asked = text(command);
        let piece = asked.command.clone().expect_err(command);
        let answer = answered(asked, vec![Item::Failed(Failed::Syntax(piece))]);
        assert_eq!(answer["overallReasonCode"], 3008, "{command}");
    }
}

#[test]
fn a_body_that_is_no_command_is_refused() {
    for body in [
        "",
        "[]",
        "{}",
        r#"{"type":"runOther"}"#,
        r#"{"type":"runCommand"}"#,
        r#"{"type":"runCommand","parameters":{"command":7}}"#,
        r#"{"type":"runCommandJSON"}"#,
        r#"{"type":"runCommandJSON","command":"display"}"#,
        r#"{"type":"runCommandJSON","command":"define","qualifier":"qlocal","parameters":{"a":{"b":1}}}"#,
        r#"{"type":"runCommandJSON","command":"alter","qualifier":"qlocal","name":"A","parameters":{"get":"disabled","get":"enabled"}}"#,
    ] {
        assert_eq!(Asked::parse(body.as_bytes()).expect_err(body).status, 400, "{body}");
    }
    let long = Bytes::from(vec![b' '; messaging::MQSC_BYTES_MAX + 1]);
    assert_eq!(Asked::parse(&long).expect_err("long").status, 400);
}

#[test]
fn a_queue_manager_without_channels_answers_as_mq_does() {
    let manager = Manager { name: "QM1".to_owned(), ..Manager::default() };
    let shown = answered(text("DIS QMSTATUS ALL"), vec![Item::Manager(manager.clone())]);
    let line = shown["commandResponse"][0]["text"][0].as_str().expect("a text");
    assert!(line.starts_with("AMQ8705I: Display Queue Manager Status Details.   QMNAME(QM1)  "), "{line}");
    for attribute in ["STATUS(RUNNING)", "CHINIT(STOPPED)", "CMDSERV(RUNNING)", "CONNS(0)", "TYPE(QMGR)"] {
        assert!(line.contains(attribute), "{attribute}: {line}");
    }
    let asked_for = asked(&json!({"type": "runCommandJSON", "command": "display", "qualifier": "qmstatus",
        "responseParameters": ["status"]}));
    let shown = answered(asked_for, vec![Item::Manager(manager)]);
    let expected = json!({ "qmname": "QM1", "type": "QMGR", "status": "RUNNING" });
    assert_eq!(shown["commandResponse"][0]["parameters"], expected);
    for command in [
        "DISPLAY CHSTATUS(*) CURRENT ALL",
        "DIS CHS(TO.QM2) CONNAME(10.0.0.1) WHERE(STATUS EQ RUNNING)",
        "DISPLAY CHANNEL(*) CHLTYPE(SVRCONN) ALL",
        "DISPLAY CHL(A) TYPE(SDR)",
        "DISPLAY LISTENER(*) TRPTYPE(TCP)",
        "DIS LSTR(A)",
        "DIS NL(*)",
        "DISPLAY SERVICE(*) ALL",
        "DISPLAY AUTHINFO(*) AUTHTYPE(CRLLDAP)",
        "DISPLAY CONN(*) TYPE(HANDLE) ALL",
        "DIS CONN(*) TYPE(*) WHERE(APPLTAG EQ x)",
        "DISPLAY QMGR ALL",
        "DISPLAY QMGR SYSTEM CHLAUTH CERTLABL REPOS PSMODE",
        "DISPLAY QMSTATUS LOG LOGPATH HOSTNAME STARTDA",
        "DISPLAY QUEUE(*) ALL CLUSINFO",
        "DISPLAY QLOCAL(A) CLUSQMGR STGCLASS INDXTYPE QSGDISP",
    ] {
        assert!(matches!(text(command).command, Ok(Command::Display(_))), "{command}");
    }
    let handles = json!({"type": "runCommandJSON", "command": "display", "qualifier": "conn", "name": "*",
        "parameters": {"type": "*"}, "responseParameters": ["all"]});
    assert!(matches!(asked(&handles).command, Ok(Command::Display(_))));
    let all = json!({"type": "runCommandJSON", "command": "DISPLAY", "qualifier": "QUEUE", "name": "*",
        "responseParameters": ["all", "CLUSINFO"]});
    assert!(matches!(asked(&all).command, Ok(Command::Display(Display { wanted: Wanted::All, .. }))));
    let none = answered(text("DISPLAY CHSTATUS(*)"), vec![Item::Failed(Failed::NoChannelStatus)]);
    let expected = json!({
        "commandResponse": [{"completionCode": 2, "reasonCode": 3065, "text": ["AMQ8420I: Channel Status not found."]}],
        "overallReasonCode": 3008, "overallCompletionCode": 2
    });
    assert_eq!(none, expected);
}

#[test]
fn commands_about_what_is_not_here_are_told_apart_from_faults() {
    for (command, told) in [
        ("ALTER QMGR DEADQ(A)", "ALTER QMGR is not supported: gantry.toml defines the queue manager"),
        (
            "DEFINE CHANNEL(A) CHLTYPE(SDR) CONNAME('h(1414)') XMITQ(X)",
            "DEFINE CHANNEL is not supported: this",
        ),
        ("start chl(A)", "START CHL is not supported: this"),
        (
            "SET AUTHREC PROFILE(A) OBJTYPE(QUEUE) GROUP('g') AUTHADD(PUT)",
            "SET AUTHREC is not supported: gantry.toml defines the rights, [[messaging.grant]]",
        ),
        (
            "DEFINE TOPIC(T) TOPICSTR('a')",
            "DEFINE TOPIC is not supported: gantry.toml defines the topic objects, [[queue_manager.topic]]",
        ),
        ("DISPLAY TPSTATUS('#')", "DISPLAY TPSTATUS is not supported: gantry.toml defines the subscriptions"),
        (
            "DEFINE SUB(S) TOPICSTR('a/b') DEST(Q)",
            "DEFINE SUB is not supported: gantry.toml defines the subscriptions",
        ),
        ("DEF PRO(P)", "DEF PRO is not supported: gantry.toml defines the processes"),
        ("DIS LSSTATUS(*)", "DIS LSSTATUS is not supported: this queue manager has queues"),
        ("DIS QS(A) TYPE(HANDLE) ALL", "DIS QS TYPE(HANDLE) is not supported: only the numbers of handles"),
        ("RESET QSTATS(*)", "RESET QSTATS is not supported: this"),
        ("MOVE QLOCAL(A) TOQLOCAL(B)", "MOVE QLOCAL is not supported: this"),
        ("DEFINE QLOCAL(A) CLUSTER(C)", "CLUSTER(C) is not supported: queues here have no CLUSTER"),
        ("DEFINE QLOCAL(A) USAGE(XMITQ)", "USAGE(XMITQ) is not supported: queues here have USAGE(NORMAL)"),
        ("ALTER QLOCAL(A) NOSHARE", "NOSHARE is not supported: queues here have SHARE"),
        (
            "DEFINE QMODEL(A) DEFTYPE(SHAREDYN)",
            "DEFTYPE(SHAREDYN) is not supported: queues here have DEFTYPE(PERMDYN)",
        ),
    ] {
        let asked = text(command);
        let Ok(Command::Unsupported(found)) = asked.command.clone() else { panic!("{command}: {asked:?}") };
        let answer = answered(asked, vec![Item::Failed(Failed::Unsupported(found))]);
        let item = &answer["commandResponse"][0];
        assert_eq!((&item["reasonCode"], &answer["overallCompletionCode"]), (&json!(2298), &json!(2)));
        let shown = item["text"][0].as_str().expect("a text");
        assert!(
            shown.starts_with(&format!("AMQ8101S: {told}")) && shown.ends_with(" (reason 2298)."),
            "{shown}"
        );
    }
    let list =
        asked(&json!({"type": "runCommandJSON", "command": "define", "qualifier": "namelist", "name": "N",
        "parameters": {"names": ["A", "B"]}}));
    assert!(matches!(list.command, Ok(Command::Unsupported(_))), "{list:?}");
    assert!(matches!(text("DIS QSTATUS(*) TYPE(QUEUE) MONITOR CURDEPTH").command, Ok(Command::Display(_))));
}

#[test]
fn subscriptions_and_processes_are_shown() {
    let subscription = || {
        Item::Subscription(Subscription {
            name: "new orders".to_owned(),
            topics: "orders/+/new".to_owned(),
            queue: "ORDERS".to_owned(),
            manager: "QM1".to_owned(),
            id: "41".repeat(24),
            durable: true,
            managed: false,
            user: None,
        })
    };
    // Each of several choices counts.
    for (choices, is_shown) in [
        ("DURABLE(YES) SUBTYPE(ADMIN)", true),
        ("DURABLE(NO) SUBTYPE(ADMIN)", false),
        ("DURABLE(YES) SUBTYPE(API)", false),
        ("WHERE(DEST EQ OTHER) DURABLE(YES)", false),
        ("WHERE(DEST EQ ORDERS) DURABLE(YES)", true),
    ] {
        let answer = answered(text(&format!("DISPLAY SUB(*) {choices}")), vec![subscription()]);
        assert_eq!(answer["commandResponse"][0]["completionCode"] == 0, is_shown, "{choices}: {answer}");
    }
    let answer = answered(text("DISPLAY SUB(*) TOPICSTR DEST SUBTYPE(ALL)"), vec![subscription()]);
    let shown = answer["commandResponse"][0]["text"][0].as_str().expect("a text");
    for expected in [
        "AMQ8096I: IBM MQ subscription inquired.",
        "SUB(new orders)",
        "DEST(ORDERS)",
        "TOPICSTR(orders/+/new)",
    ] {
        assert!(shown.contains(expected), "{expected} in {shown}");
    }
    assert!(!shown.contains("DESTQMGR"), "{shown}");
    let wanted = json!({"type": "runCommandJSON", "command": "display", "qualifier": "sub", "name": "*",
        "parameters": {"where": "dest eq OTHER"}});
    let answer = answered(asked(&wanted), vec![subscription()]);
    assert_eq!(answer["commandResponse"][0]["reasonCode"], 2085);
    let process = Item::Process(Process {
        name: "ORDER.PROCESS".to_owned(),
        transaction: "ORDR".to_owned(),
        environment_data: String::new(),
        user_data: "batch".to_owned(),
    });
    let wanted = json!({"type": "runCommandJSON", "command": "display", "qualifier": "process", "name": "ORDER*",
        "responseParameters": ["all"]});
    let answer = answered(asked(&wanted), vec![process]);
    let expected = json!({"process": "ORDER.PROCESS", "applicid": "ORDR", "appltype": "CICS", "descr": "",
        "envrdata": "", "userdata": "batch"});
    assert_eq!(answer["commandResponse"][0]["parameters"], expected);
    for command in
        ["DISPLAY SUB", "DISPLAY SUB(*) NOSUCH", "DISPLAY SUB(*) SUBTYPE(PROXY)", "DISPLAY PROCESS(*) DEST"]
    {
        assert!(text(command).command.is_err(), "{command}");
    }
}

#[test]
fn topic_objects_are_shown() {
    let topics = || {
        let news = Topic { name: "NEWS".to_owned(), topic: "news".to_owned(), ..Topic::default() };
        let open = Some(true);
        let old = Topic { publish_enabled: Some(false), persistent: open, priority: Some(4), ..news.clone() };
        vec![Item::Topic(news), Item::Topic(Topic { name: "OLD".to_owned(), ..old })]
    };
    let answer = answered(text("DISPLAY TOPIC(*) TYPE(LOCAL) ALL"), topics());
    let shown = |at: usize| answer["commandResponse"][at]["text"][0].as_str().expect("a text");
    for (at, expected) in [
        (0, "AMQ8633I: Display topic details."),
        (0, "TOPIC(NEWS)"),
        (0, "TOPICSTR(news)"),
        (0, "PUB(ASPARENT)"),
        (0, "DEFPRTY(ASPARENT)"),
        (1, "PUB(DISABLED)"),
        (1, "DEFPSIST(YES)"),
        (1, "DEFPRTY(4)"),
    ] {
        assert!(shown(at).contains(expected), "{expected} in {}", shown(at));
    }
    let wanted = json!({"type": "runCommandJSON", "command": "display", "qualifier": "topic", "name": "*",
        "parameters": {"where": "pub eq DISABLED"}, "responseParameters": ["pub"]});
    let answer = answered(asked(&wanted), topics());
    let expected = json!({"topic": "OLD", "type": "LOCAL", "pub": "DISABLED"});
    assert_eq!(answer["commandResponse"].as_array().map(Vec::len), Some(1));
    assert_eq!(answer["commandResponse"][0]["parameters"], expected);
    for command in ["DISPLAY TOPIC", "DISPLAY TOPIC(*) TYPE(CLUSTER)", "DISPLAY TOPIC(*) DEST"] {
        assert!(text(command).command.is_err(), "{command}");
    }
}

#[test]
fn what_is_said_twice_and_filters_by_nothing_known_are_syntax_errors() {
    for (command, piece) in [
        ("DEFINE QLOCAL(A) MAXDEPTH(1) MAXDEPTH(2)", "MAXDEPTH"),
        ("DEFINE QLOCAL(A) REPLACE NOREPLACE", "NOREPLACE"),
        ("ALTER QLOCAL(A) TRIGGER NOTRIGGER", "NOTRIGGER"),
        ("DEFINE QALIAS(A) TARGET(B) TARGQ(C)", "TARGQ"),
        ("DISPLAY QLOCAL(*) WHERE(NOSUCH GT 1)", "WHERE(NOSUCH GT 1)"),
        ("DISPLAY QLOCAL(*) WHERE(CURDEPTH GT 1) WHERE(CURDEPTH LT 9)", "WHERE"),
        ("DELETE QLOCAL(A) NOPURGE PURGE", "PURGE"),
    ] {
        assert_eq!(text(command).command, Err(piece.to_owned()), "{command}");
    }
}
