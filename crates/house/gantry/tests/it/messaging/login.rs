//! Tests who may use messages: passwords, tokens, roles and grants.

use serde_json::{Value, json};

use super::{CSRF, MESSAGE, TEXT, delete, folder, mqsc, trouble};
use crate::client::Response;
use crate::folder::Folder;
use crate::process::{Gantry, run};
use crate::security::{BASIC, JOHN, MARY, WRONG, user};

/// root:secret, in the group ops.
pub(super) const ADMIN: &str = "authorization: Basic cm9vdDpzZWNyZXQ=\r\n";

fn users() -> String {
    user("mary", "staff", "secret") + &user("john", "", "word") + &user("root", "ops", "secret")
}

/// Makes QM1 for everybody. root may administer.
pub(super) fn open_folder() -> Folder {
    let roles = "[security]\nrequire_auth = false\nroles = { admin = [\"ops\"] }\n\n";
    folder(&format!("{roles}{BASIC}")).with("users.txt", &users())
}

/// Makes QM1 for users, with tokens.
pub(super) fn closed_folder(more: &str) -> Folder {
    let security = format!(
        "[security]\nroles = {{ admin = [\"ops\"] }}\n\n{BASIC}\n[[security.authenticator]]\nkind = \"token\"\nkey = {{ file = \"token.key\" }}\n\n{more}"
    );
    folder(&security).with("users.txt", &users()).with("token.key", &"k".repeat(32))
}

#[track_caller]
pub(super) fn put(gantry: &Gantry, body: &str) {
    super::put(gantry, MESSAGE, "", body);
}

#[track_caller]
pub(super) fn get(gantry: &Gantry) -> Response {
    super::get(gantry, MESSAGE)
}

const LOGIN: &str = "/ibmmq/rest/v2/login";

pub(super) fn log_in(gantry: &Gantry, user: &str, password: &str) -> Response {
    let body = format!("{{\"username\":\"{user}\",\"password\":\"{password}\"}}");
    gantry.send("POST", LOGIN, "", &body)
}

/// Gives the header with the cookie of a login.
#[track_caller]
pub(super) fn cookie(answer: &Response) -> String {
    assert_eq!(answer.status, 204, "{}", answer.text());
    let set = answer.header("set-cookie").expect("a cookie");
    assert!(set.starts_with("LtpaToken2=") && set.ends_with("; Path=/; HttpOnly; SameSite=Strict"), "{set}");
    format!("cookie: {}\r\n", set.split(';').next().expect("a pair"))
}

#[test]
fn a_login_gives_a_token_that_a_restart_does_not_end_but_a_logout_does() {
    let folder = closed_folder("");
    let gantry = Gantry::folder(folder.path());
    let token = cookie(&log_in(&gantry, "mary", "secret"));
    let other = cookie(&log_in(&gantry, "mary", "secret"));
    let answer = gantry.send("POST", MESSAGE, &format!("{TEXT}{token}"), "one");
    assert_eq!(answer.status, 201, "{}", answer.text());
    let who = gantry.send("GET", LOGIN, &token, "");
    assert_eq!(who.text(), r#"{"user":[{"name":"mary","role":["MQWebUser"]}]}"#);
    drop(gantry);
    let gantry = Gantry::folder(folder.path());
    assert_eq!(gantry.send("GET", LOGIN, &token, "").status, 200);
    let out = delete(&gantry, LOGIN, &token);
    assert!(out.status == 204 && out.header("set-cookie").is_some_and(|set| set.contains("Max-Age=0")));
    let has_ended = |gantry: Gantry| {
        let ended = gantry.send("GET", LOGIN, &token, "");
        assert_eq!((ended.status, trouble(&ended).0.as_str()), (401, "MQWB0112E"), "{}", ended.text());
        assert_eq!(gantry.send("GET", LOGIN, &other, "").status, 200);
    };
    has_ended(gantry);
    has_ended(Gantry::folder(folder.path()));
}

#[test]
fn credentials_that_are_no_good_are_told_apart() {
    let folder = closed_folder("");
    let gantry = Gantry::folder(folder.path());
    let foreign = "cookie: LtpaToken2_1648032846462470073=AAAA\r\n";
    for (headers, code) in [("", "MQWB0104E"), (WRONG, "MQWB0105E"), (foreign, "MQWB0112E")] {
        let answer = gantry.send("POST", MESSAGE, &format!("{TEXT}{headers}"), "a");
        assert_eq!((answer.status, trouble(&answer).0.as_str()), (401, code), "{}", answer.text());
    }
    let named: Value = serde_json::from_slice(&gantry.send("GET", MESSAGE, foreign, "").body).expect("JSON");
    let text = named["error"][0]["message"].as_str().expect("a text");
    assert_eq!(
        text,
        "MQWB0112E: The 'LtpaToken2_1648032846462470073' authentication token cookie failed verification."
    );
    for (user, password) in [("mary", "wrong"), ("nobody", "secret"), ("a:b", "c")] {
        let answer = log_in(&gantry, user, password);
        assert_eq!((answer.status, trouble(&answer).0.as_str()), (401, "MQWB0105E"), "{user}");
    }
    let log = gantry.stop();
    assert!(!log.contains("\"secret\""), "no password is in the log");
}

#[test]
fn a_token_that_is_forged_or_made_with_another_key_is_refused() {
    let folder = closed_folder("");
    let gantry = Gantry::folder(folder.path());
    let token = cookie(&log_in(&gantry, "mary", "secret"));
    let elsewhere = closed_folder("").with("token.key", &"o".repeat(32));
    let foreign = cookie(&log_in(&Gantry::folder(elsewhere.path()), "mary", "secret"));
    let value_at = token.find('=').expect("a pair") + 1;
    let refused = |header: &str| {
        let answer = gantry.send("POST", MESSAGE, &format!("{TEXT}{header}"), "a");
        assert_eq!((answer.status, trouble(&answer).0.as_str()), (401, "MQWB0112E"), "{header}");
    };
    refused(&foreign);
    // Every character of the token counts but the last. Its encoding may have unused bits.
    for at in value_at..token.trim_end().len() - 1 {
        let other = if token.as_bytes()[at] == b'A' { "B" } else { "A" };
        refused(&format!("{}{other}{}", &token[..at], &token[at + 1..]));
    }
    refused(&format!("{}\r\n", &token[..value_at]));
    refused(&format!("{}\r\n", &token[..token.len() - 6]));
    assert_eq!(gantry.send("POST", MESSAGE, &format!("{TEXT}{token}"), "a").status, 201);
}

#[test]
fn a_check_tells_of_grants_and_tokens_that_nobody_can_use() {
    let told = |folder: &Folder| {
        let output = run(&["check", folder.path().to_str().expect("UTF-8")]);
        assert!(output.status.success());
        String::from_utf8(output.stdout).expect("UTF-8") + &String::from_utf8_lossy(&output.stderr)
    };
    let grant = "[[messaging.grant]]\nqueues = [\"DEV.*\"]\ngroups = [\"staff\"]\nrights = [\"put\"]\n";
    let nobody = told(&folder(grant));
    assert!(nobody.contains("nobody may put, get or browse"), "{nobody}");
    let without_login = |text: &str| Folder::empty().with("gantry.toml", text).with("users.txt", &users());
    let tokens = format!("{BASIC}\n[[security.authenticator]]\nkind = \"token\"\n");
    let no_login = "this gateway gives out none";
    let no_manager = told(&without_login(&tokens));
    assert!(no_manager.contains(no_login), "{no_manager}");
    let off = told(&folder(&format!("[messaging]\nenabled = false\n{tokens}")).with("users.txt", &users()));
    assert!(off.contains(no_login), "{off}");
    let right = told(&closed_folder(grant));
    assert!(!right.contains(no_login) && !right.contains("nobody may"), "{right}");
}

#[test]
fn grants_say_who_may_do_what_with_which_queue() {
    let grants =
        "[[messaging.grant]]\nqueues = [\"DEV.*\"]\ngroups = [\"staff\"]\nrights = [\"put\", \"browse\"]\n";
    let folder = closed_folder(grants);
    let gantry = Gantry::folder(folder.path());
    let put = |who: &str| gantry.send("POST", MESSAGE, &format!("{TEXT}{who}"), "a");
    assert_eq!(put(MARY).status, 201);
    assert_eq!(gantry.send("GET", MESSAGE, MARY, "").status, 200);
    for refused in
        [delete(&gantry, MESSAGE, MARY), put(JOHN), gantry.send("GET", MESSAGE, JOHN, ""), put(ADMIN)]
    {
        assert_eq!(refused.status, 403, "{}", refused.text());
        assert_eq!(trouble(&refused), ("MQWB0103E".to_owned(), 2035));
    }
    let mary = gantry.send("GET", LOGIN, MARY, "");
    assert!(mary.text().contains("MQWebUser"), "{}", mary.text());
}

#[test]
fn commands_are_for_those_who_administer() {
    let folder = closed_folder(
        "[[messaging.grant]]\nqueues = [\"STAFF.*\"]\ngroups = [\"staff\"]\nrights = [\"administer\"]\n",
    );
    let gantry = Gantry::folder(folder.path());
    let path = "/ibmmq/rest/v2/admin/action/qmgr/QM1/mqsc";
    let run = |who: &str, command: &str| {
        let body = serde_json::json!({"type": "runCommand", "parameters": {"command": command}}).to_string();
        gantry.send("POST", path, &format!("{CSRF}{who}"), &body)
    };
    assert_eq!(run(JOHN, "DISPLAY QLOCAL(*)").status, 403);
    assert_eq!(run("", "PING QMGR").status, 401);
    let done = |who: &str, command: &str| -> Value {
        let answer = run(who, command);
        assert_eq!(answer.status, 200, "{}", answer.text());
        serde_json::from_slice(&answer.body).expect("JSON")
    };
    assert_eq!(done(MARY, "DEFINE QLOCAL(STAFF.Q)")["overallCompletionCode"], 0);
    assert_eq!(done(MARY, "DEFINE QLOCAL(OTHER.Q)")["commandResponse"][0]["reasonCode"], 2035);
    assert_eq!(done(MARY, "DISPLAY QLOCAL(DEV.QUEUE.1)")["commandResponse"][0]["reasonCode"], 2085);
    assert_eq!(mqsc(&gantry, "DISPLAY QLOCAL(DEV.QUEUE.1) CURDEPTH")["overallCompletionCode"], 0);
}

#[test]
fn queues_are_made_changed_and_deleted_by_command() {
    let folder = open_folder();
    let gantry = Gantry::folder(folder.path());
    let done = |command: &str| mqsc(&gantry, command)["commandResponse"][0].clone();
    assert_eq!(done("PING QMGR")["text"][0], "AMQ8415I: Ping IBM MQ Queue Manager command complete.");
    assert_eq!(done("DEFINE QLOCAL(NEW.Q) MAXDEPTH(1)")["text"][0], "AMQ8006I: IBM MQ queue created.");
    assert_eq!(done("DEFINE QLOCAL(NEW.Q)")["reasonCode"], 4001);
    assert_eq!(done("DEFINE QALIAS(NEW.A) TARGET(NEW.Q)")["reasonCode"], 0);
    let path = super::message_of("NEW.A");
    super::put(&gantry, &path, "", "one");
    let shown = done("DISPLAY QUEUE(NEW.*) CURDEPTH MAXDEPTH TARGET");
    assert!(shown["text"][0].as_str().is_some_and(|text| text.contains("QUEUE(NEW.A)")), "{shown}");
    assert_eq!(done("ALTER QLOCAL(NEW.Q) MAXDEPTH(2)")["text"][0], "AMQ8008I: IBM MQ queue changed.");
    super::put(&gantry, &path, "", "two");
    assert_eq!(done("DELETE QLOCAL(NEW.Q)")["reasonCode"], 2055);
    assert_eq!(done("CLEAR QLOCAL(NEW.Q)")["text"][0], "AMQ8022I: IBM MQ queue cleared.");
    assert_eq!(done("DELETE QLOCAL(NEW.Q)")["text"][0], "AMQ8007I: IBM MQ queue deleted.");
    let of_file = done("ALTER QLOCAL(DEV.QUEUE.1) MAXDEPTH(2)");
    assert!(of_file["text"][0].as_str().is_some_and(|text| text.contains("gantry.toml")), "{of_file}");
    assert_eq!(done("DISPLAY CHANNEL(*)")["reasonCode"], 2085);
    assert_eq!(done("DEFINE NONSENSE")["reasonCode"], 3008);
    let none = done("DIS CHSTATUS(*) CURRENT");
    assert_eq!(
        (&none["reasonCode"], &none["text"][0]),
        (&json!(3065), &json!("AMQ8420I: Channel Status not found."))
    );
    assert_eq!(done("DEFINE CHANNEL(A) CHLTYPE(SVRCONN)")["reasonCode"], 2298);
    let running = done("DISPLAY QMSTATUS STATUS");
    assert!(
        running["text"][0]
            .as_str()
            .is_some_and(|text| text.contains("QMNAME(QM1)") && text.contains("STATUS(RUNNING)")),
        "{running}"
    );
    assert!(
        done("DISPLAY QSTATUS(DEV.QUEUE.1)")["text"][0]
            .as_str()
            .is_some_and(|text| text.contains("CURDEPTH(0)"))
    );
}

#[test]
fn clients_see_the_installation() {
    let folder = open_folder();
    let gantry = Gantry::folder(folder.path());
    let expected = r#"{"installation":[{"name":"Gantry","platform":"unix","version":"9.3.0.0"}]}"#;
    for path in ["v1/admin/installation", "v3/admin/installation/", "v2/admin/installation/Gantry"] {
        let answer = gantry.send("GET", &format!("/ibmmq/rest/{path}?attributes=*"), ADMIN, "");
        assert_eq!((answer.status, answer.text()), (200, expected), "{path}");
    }
    assert_eq!(gantry.send("GET", "/ibmmq/rest/v2/admin/installation/Other", ADMIN, "").status, 404);
    assert_eq!(
        gantry.send("POST", "/ibmmq/rest/v2/admin/installation", &format!("{CSRF}{ADMIN}"), "").status,
        405
    );
}

#[test]
fn clients_see_subscriptions_and_an_empty_list_of_channels() {
    let section = |name: &str, topics: &str, queue: &str| {
        format!("[[queue_manager.subscription]]\nname = '{name}'\ntopics = '{topics}'\nqueue = '{queue}'\n")
    };
    let sections =
        section("sport", "news/sport", "DEV.QUEUE.1") + &section("all news", "news/#", "DEV.QUEUE.2");
    let roles = format!("[security]\nrequire_auth = false\nroles = {{ admin = [\"ops\"] }}\n\n{BASIC}");
    let folder = folder(&format!("{sections}{roles}")).with("users.txt", &users());
    let gantry = Gantry::folder(folder.path());
    let get = |path: &str| {
        let answer = gantry.send("GET", &format!("/ibmmq/rest/v1/admin/qmgr/QM1/{path}"), ADMIN, "");
        (answer.status, serde_json::from_slice::<Value>(&answer.body).unwrap_or_default())
    };
    assert_eq!(get("channel"), (200, json!({ "channel": [] })));
    assert_eq!(get("channel?attributes=*&type=sender").1, json!({ "channel": [] }));
    assert_eq!(get("channel/TO.QM2").0, 404);
    let (status, all) = get("subscription");
    let names: Vec<_> =
        all["subscription"].as_array().expect("a list").iter().map(|one| one["name"].clone()).collect();
    assert_eq!((status, names), (200, vec![json!("all news"), json!("sport")]));
    let id = all["subscription"][1]["id"].as_str().expect("an id");
    assert_eq!((id.len(), &id[..14]), (48, "414D5120514D31"));
    assert_eq!(
        all["subscription"][1],
        json!({ "id": id, "name": "sport", "resolvedTopicString": "news/sport" })
    );
    let (_, one) = get("subscription/all%20news?attributes=destination.name,topic");
    assert_eq!(one["subscription"][0]["destination"], json!({ "name": "DEV.QUEUE.2" }));
    assert_eq!(one["subscription"][0]["topic"]["definedString"], "news/#");
    assert_eq!(get(&format!("subscription?id={id}")).1["subscription"], json!([all["subscription"][1]]));
    assert_eq!(get("subscription?name=all*").1["subscription"], json!([all["subscription"][0]]));
    assert_eq!(get("subscription?name=none*").1, json!({ "subscription": [] }));
    assert_eq!(get("subscription/none").0, 404);
    let other = gantry.send("GET", "/ibmmq/rest/v1/admin/qmgr/QM2/subscription", ADMIN, "");
    assert_eq!(other.status, 404);
    let visitor = gantry.send("GET", "/ibmmq/rest/v1/admin/qmgr/QM1/subscription", "", "");
    assert!(matches!(visitor.status, 401 | 403), "{}", visitor.status);
    let shown = mqsc(&gantry, "DISPLAY SUB('sport') SUBID")["commandResponse"][0]["text"][0].clone();
    assert!(shown.as_str().is_some_and(|text| text.contains(&format!("SUBID({id})"))), "{shown}");
    let shown = mqsc(&gantry, "DISPLAY TOPIC(SYSTEM.BASE.TOPIC)")["commandResponse"][0]["text"][0].clone();
    assert!(shown.as_str().is_some_and(|text| text.contains("PUB(ENABLED)")), "{shown}");
}

#[test]
fn definitions_are_read_as_scripts_write_them() {
    let folder = open_folder();
    let gantry = Gantry::folder(folder.path());
    let done = |gantry: &Gantry, command: &str| mqsc(gantry, command)["commandResponse"][0].clone();
    let shown = |gantry: &Gantry, command: &str, parts: &[&str]| {
        let answer = done(gantry, command);
        let text = answer["text"][0].as_str().unwrap_or_default();
        assert!(parts.iter().all(|part| text.contains(part)), "{parts:?} in {answer}");
    };
    let script = "* Orders.\nDEFINE QLOCAL('ORDERS') LIKE(SYSTEM.DEFAULT.LOCAL.QUEUE) REPLACE +\n       DESCR('Orders of +\n              today') -\n QDEPTHHI(90) QDPHIEV(ENABLED)\n";
    assert_eq!(done(&gantry, script)["reasonCode"], 0);
    let parts = ["DESCR(Orders of today)", "QDEPTHHI(90)", "QDPHIEV(ENABLED)", "QDEPTHLO(20)"];
    shown(&gantry, "DISPLAY QLOCAL(ORDERS)", &parts);
    assert_eq!(done(&gantry, "DEFINE QLOCAL(MORE) LIKE(ORDERS) QDEPTHHI(70)")["reasonCode"], 0);
    assert_eq!(done(&gantry, "DEFINE QMODEL(MODEL)")["reasonCode"], 0);
    assert_eq!(done(&gantry, "DEFINE QMODEL(OTHER) DEFTYPE(PERMDYN)")["reasonCode"], 0);
    assert_eq!(done(&gantry, "DEFINE QMODEL(LASTING) LIKE(OTHER)")["reasonCode"], 0);
    // A queue of this name counts before the defaults of MQ.
    assert_eq!(done(&gantry, "DEFINE QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) DEFPSIST(YES)")["reasonCode"], 0);
    assert_eq!(done(&gantry, "DEFINE QLOCAL(SAFE) LIKE(SYSTEM.DEFAULT.LOCAL.QUEUE)")["reasonCode"], 0);
    let model = r#"{"name":"R.MODEL","type":"model"}"#;
    let head = format!("{CSRF}{ADMIN}");
    assert_eq!(gantry.send("POST", "/ibmmq/rest/v1/admin/qmgr/QM1/queue", &head, model).status, 201);
    assert_eq!(done(&gantry, "DEFINE QALIAS(X) TARGET(MORE) QDEPTHHI(90)")["reasonCode"], 3008);
    assert_eq!(done(&gantry, "DEFINE QALIAS(AKA) TARGET(MORE) DEFBIND(NOTFIXED)")["reasonCode"], 0);
    assert_eq!(done(&gantry, "DEFINE QLOCAL(X) CLUSTER(C)")["reasonCode"], 2298);
    assert_eq!(done(&gantry, "DEFINE QLOCAL(X) LIKE(NONE)")["reasonCode"], 2085);
    drop(gantry);
    let gantry = Gantry::folder(folder.path());
    shown(&gantry, "DISPLAY QLOCAL(ORDERS)", &parts);
    shown(&gantry, "DISPLAY QLOCAL(MORE)", &["QDEPTHHI(70)", "QDPHIEV(ENABLED)"]);
    shown(&gantry, "DISPLAY QMODEL(MODEL)", &["DEFTYPE(TEMPDYN)"]);
    shown(&gantry, "DISPLAY QLOCAL(SAFE)", &["DEFPSIST(YES)"]);
    for model in ["OTHER", "LASTING", "R.MODEL"] {
        shown(&gantry, &format!("DISPLAY QMODEL({model})"), &["DEFTYPE(PERMDYN)"]);
    }
}

#[test]
fn queues_are_resources_of_version_1() {
    let folder = open_folder();
    let gantry = Gantry::folder(folder.path());
    let path = "/ibmmq/rest/v1/admin/qmgr/QM1/queue";
    let head = format!("{CSRF}{ADMIN}");
    let body = r#"{"name":"R.Q","general":{"description":"d"},"storage":{"maximumDepth":7}}"#;
    assert_eq!(gantry.send("POST", path, &head, body).status, 201);
    assert_eq!(gantry.send("POST", &format!("{path}?noReplace"), &head, body).status, 409);
    // As in IBM MQ, a queue that is there is replaced, with its other attributes.
    let other = r#"{"name":"R.Q","storage":{"maximumDepth":9}}"#;
    assert_eq!(gantry.send("POST", path, &head, other).status, 201);
    let replaced = gantry.send("GET", &format!("{path}/R.Q?attributes=*"), ADMIN, "");
    let replaced: Value = serde_json::from_slice(&replaced.body).expect("JSON");
    let queue = &replaced["queue"][0];
    assert_eq!(
        (&queue["storage"]["maximumDepth"], &queue["general"]["description"]),
        (&json!(9), &json!(""))
    );
    assert_eq!(gantry.send("POST", path, &head, body).status, 201);
    let one = format!("{path}/R.Q");
    assert_eq!(gantry.send("PATCH", &one, &head, r#"{"storage":{"maximumDepth":8}}"#).status, 204);
    // A body that means another queue changes none.
    for other in [r#"{"name":"R.OTHER"}"#, r#"{"type":"alias"}"#, r#"{"alias":{"targetName":"DEV.QUEUE.1"}}"#]
    {
        assert_eq!(gantry.send("PATCH", &one, &head, other).status, 400, "{other}");
    }
    let wrong = r#"{"name":"R.A","type":"alias","alias":{"targetName":"R.Q"},"storage":{"maximumDepth":1}}"#;
    let answer = gantry.send("POST", path, &head, wrong);
    assert_eq!(answer.status, 400, "{}", answer.text());
    assert!(answer.text().contains("a queue of the type alias has no attribute storage.maximumDepth"));
    let shown = gantry.send("GET", &format!("{one}?attributes=storage&status=currentDepth"), ADMIN, "");
    let shown: Value = serde_json::from_slice(&shown.body).expect("JSON");
    assert_eq!(shown["queue"][0]["storage"]["maximumDepth"], 8);
    assert_eq!(shown["queue"][0]["status"]["currentDepth"], 0);
    assert_eq!(delete(&gantry, &one, ADMIN).status, 204);
    assert_eq!(gantry.send("GET", &one, ADMIN, "").status, 404);
    assert_eq!(gantry.send("GET", path, "", "").status, 401);
}

#[test]
fn subscriptions_and_processes_of_a_file_are_shown_to_those_who_may_look() {
    let more = "[[queue_manager.subscription]]\nname = 'orders'\ntopics = 'orders/#'\nqueue = 'DEV.QUEUE.1'\n\
        [[queue_manager.process]]\nname = 'P'\ntransaction = 'ORDR'\n\
        [[messaging.grant]]\nqueues = ['STAFF.*']\ngroups = ['staff']\nrights = ['administer']\n";
    let folder = closed_folder(more);
    let gantry = Gantry::folder(folder.path());
    let text = |command: &str| mqsc(&gantry, command)["commandResponse"][0]["text"][0].clone();
    let shown = text("DISPLAY SUB('ord*') ALL").to_string();
    for expected in ["SUB(orders)", "TOPICSTR(orders/#)", "DEST(DEV.QUEUE.1)", "DESTQMGR(QM1)"] {
        assert!(shown.contains(expected), "{expected} in {shown}");
    }
    let shown = text("DISPLAY PROCESS(P)").to_string();
    assert!(shown.contains("APPLICID(ORDR)") && shown.contains("APPLTYPE(CICS)"), "{shown}");
    assert_eq!(mqsc(&gantry, "DIS SUB('other')")["commandResponse"][0]["reasonCode"], 2085);
    assert_eq!(mqsc(&gantry, "DEFINE QALIAS(A)")["commandResponse"][0]["reasonCode"], 2082);
    // mary administers other queues, and sees neither.
    let path = "/ibmmq/rest/v2/admin/action/qmgr/QM1/mqsc";
    for command in ["DISPLAY SUB(*)", "DISPLAY PROCESS(*)"] {
        let body = json!({"type": "runCommand", "parameters": {"command": command}}).to_string();
        let answer = gantry.send("POST", path, &format!("{CSRF}{MARY}"), &body);
        let answer: Value = serde_json::from_slice(&answer.body).expect("JSON");
        assert_eq!(answer["commandResponse"][0]["reasonCode"], 2085, "{command}");
    }
}

#[test]
fn callers_without_a_right_use_up_no_limit() {
    let roles = "[security]\nroles = { admin = [\"ops\"], invoke = [\"staff\", \"ops\"] }\n\n";
    let limits = "[messaging]\nlimits.rate = { requests = 2, per_ms = 3600000 }\n";
    let folder = folder(&format!("{roles}{BASIC}{limits}")).with("users.txt", &users());
    let gantry = Gantry::folder(folder.path());
    for _ in 0..3 {
        assert_eq!(gantry.send("GET", MESSAGE, JOHN, "").status, 403);
        assert_eq!(gantry.send("GET", "/ibmmq/rest/v1/admin/qmgr/QM1/queue", JOHN, "").status, 403);
    }
    assert_eq!(gantry.send("GET", MESSAGE, MARY, "").status, 204);
    assert_eq!(gantry.send("GET", "/ibmmq/rest/v1/admin/qmgr/QM1/queue", ADMIN, "").status, 200);
    assert_eq!(gantry.send("GET", MESSAGE, MARY, "").status, 429);
}
