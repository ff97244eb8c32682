//! Tests SOAP over queues: services whose SOAP servers are behind queues, and web services called
//! by messages of queues.

use crate::client::Response;
use crate::folder::Folder;
use crate::listeners;
use crate::process::{Gantry, run, text};

const SOAP_11: &str = "http://schemas.xmlsoap.org/soap/envelope/";

const QUEUES: &str = "
[store]
path = '.state/store'
[queue_manager]
name = 'QM1'
dead_letter_queue = 'DEAD'
[[queue_manager.queue]]
name = 'ASKED'
[[queue_manager.queue]]
name = 'TOLD'
[[queue_manager.queue]]
name = 'DEAD'
";

const ITEM: &str = "       01  ITEM.\n           05  ITEM-ID     PIC X(8).\n";

const URI: &str = "jms:/queue?destination=ASKED@QM1&replyDestination=TOLD&persistence=1&priority=7&timeout=5000\
                   &targetService=/cics/services/find";

const W3C_URI: &str = "jms:queue:ASKED?timeToLive=60000";

const FIND: &str = "namespace = 'urn:shop'\nelement = 'Find'\nsoap_action = 'urn:find'\n";

fn service(provider: &str) -> String {
    format!(
        "ccsid = 37\ntimeout_ms = 20000\n[provider]\nkind = 'soap'\n{provider}\n\
         [request]\ncopybook = 'ITEM.cpy'\nwrapper = ''\n[response]\ncopybook = 'ITEM.cpy'\nwrapper = ''\n"
    )
}

fn folder() -> Folder {
    let operation = |service: &str| {
        format!("[[operation]]\nmethod = 'PUT'\npath = '/{service}'\nservice = '{service}'\n")
    };
    let api = ["find", "hurry", "tell"].map(operation).concat();
    let hurry = URI.replace("timeout=5000", "timeout=50");
    Folder::empty()
        .with("gantry.toml", QUEUES)
        .with("copybooks/ITEM.cpy", ITEM)
        .with("services/find.toml", &service(&format!("uri = '{URI}'\n{FIND}")))
        .with("services/hurry.toml", &service(&format!("uri = '{hurry}'\n{FIND}")))
        .with("services/tell.toml", &service(&format!("uri = '{W3C_URI}'\none_way = true\n{FIND}")))
        .with("apis/shop/api.toml", &format!("base_path = '/shop'\n{api}"))
}

const CSRF: &str = "ibm-mq-rest-csrf-token: x\r\n";

fn path(queue: &str) -> String {
    format!("/ibmmq/rest/v3/messaging/qmgr/QM1/queue/{queue}/message")
}

/// Gets a message, and waits for it.
#[track_caller]
fn get(gantry: &Gantry, queue: &str) -> Response {
    let answer = gantry.send("DELETE", &format!("{}?wait=20000", path(queue)), CSRF, "");
    assert_eq!(answer.status, 200, "{queue}: {}", answer.text());
    answer
}

/// Replies like a server that copies the message id to the correlation id.
#[track_caller]
fn reply(gantry: &Gantry, request: &Response, headers: &str, body: &str) {
    let id = request.header("ibm-mq-md-messageid").expect("an id");
    let headers =
        format!("{CSRF}content-type: text/plain;charset=utf-8\r\nibm-mq-md-correlationId: {id}\r\n{headers}");
    let body = format!("<e:Envelope xmlns:e='{SOAP_11}'><e:Body>{body}</e:Body></e:Envelope>");
    let answer = gantry.send("POST", &path("TOLD"), &headers, &body);
    assert_eq!(answer.status, 201, "{}", answer.text());
}

/// Calls a service, and answers its message with a function.
fn call(gantry: &Gantry, service: &str, id: &str, answer: impl FnOnce(&Response)) -> Response {
    std::thread::scope(|scope| {
        let json = format!("{{\"item_id\":\"{id}\"}}");
        let called = scope.spawn(move || gantry.put(&format!("/shop/{service}"), &json));
        answer(&get(gantry, "ASKED"));
        called.join().expect("no panic")
    })
}

const FOUND: &str = "<FindResponse xmlns='urn:shop'><item_id>Pen</item_id></FindResponse>";

#[test]
fn a_request_goes_to_a_queue_and_its_reply_comes_back() {
    let folder = folder();
    let gantry = Gantry::folder(folder.path());
    let answer = call(&gantry, "find", "A<B", |request| {
        assert_eq!(
            request.text(),
            format!(
                "<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"{SOAP_11}\"><SOAP-ENV:Body><Find xmlns=\"urn:shop\">\
                 <item_id>A&lt;B</item_id></Find></SOAP-ENV:Body></SOAP-ENV:Envelope>"
            )
        );
        for (name, value) in [("replyto", "TOLD"), ("persistence", "persistent"), ("priority", "7")] {
            let found = request.header(&format!("ibm-mq-md-{name}")).expect(name);
            assert_eq!(found.split('@').next(), Some(value), "{name}");
        }
        assert_ne!(request.header("ibm-mq-md-expiry"), Some("unlimited"), "it expires with the wait");
        let properties = request.header("ibm-mq-usr").expect("properties");
        for property in [
            "contentType;\"text/xml; charset=utf-8\";string",
            "soapAction;\"urn:find\";string",
            "targetService;\"/cics/services/find\";string",
            "transportVersion;\"1\";string",
            &format!("endpointURL;\"{URI}\";string"),
        ] {
            assert!(properties.contains(property), "{property}: {properties}");
        }
        reply(&gantry, request, "", FOUND);
    });
    assert_eq!((answer.status, answer.text()), (200, r#"{"item_id":"Pen"}"#));
    gantry.stop();
}

#[test]
fn faults_and_replies_that_are_none_are_told() {
    let folder = folder();
    let gantry = Gantry::folder(folder.path());
    let fault = "<e:Fault><faultcode>e:Server</faultcode><faultstring>secret</faultstring></e:Fault>";
    for (body, code) in [(fault, "GTY0515E"), ("<Lost/>", "GTY0500E")] {
        let told = call(&gantry, "find", "A", |request| reply(&gantry, request, "", body)).fails(502, code);
        assert!(!told.contains("secret"), "{told}");
    }
    // The content type of a reply names the kind of its bytes.
    let text = "ibm-mq-usr: contentType;\"text/plain\";string\r\n";
    call(&gantry, "find", "A", |request| reply(&gantry, request, text, FOUND)).fails(502, "GTY0500E");
    let log = gantry.stop();
    assert!(log.contains("the server answered with the fault e:Server: secret"), "{log}");
    assert!(log.contains("found the content type 'text/plain; charset=utf-8'"), "{log}");
}

#[test]
fn a_reply_that_comes_too_late_goes_to_the_dead_letter_queue() {
    let folder = folder();
    let gantry = Gantry::folder(folder.path());
    let mut id = String::new();
    let late = call(&gantry, "hurry", "A", |request| {
        id = request.header("ibm-mq-md-messageid").expect("an id").to_owned();
        // This is longer than the service waits.
        std::thread::sleep(std::time::Duration::from_millis(200));
    });
    assert_eq!(late.fails(503, "BAQR0405I"), "the provider has a shorter limit");
    let headers =
        format!("{CSRF}content-type: text/plain;charset=utf-8\r\nibm-mq-md-correlationId: {id}\r\n");
    assert_eq!(gantry.send("POST", &path("TOLD"), &headers, "late").status, 201);
    assert_eq!(get(&gantry, "DEAD").text(), "late");
    gantry.stop();
}

#[test]
fn a_one_way_message_is_answered_when_it_is_on_its_queue() {
    let folder = folder();
    let gantry = Gantry::folder(folder.path());
    let answer = gantry.put("/shop/tell", r#"{"item_id":"A"}"#);
    assert_eq!((answer.status, answer.text()), (200, r#"{"item_id":""}"#));
    let message = get(&gantry, "ASKED");
    assert!(message.text().contains("<item_id>A</item_id>"), "{}", message.text());
    assert_eq!(message.header("ibm-mq-md-replyto"), None);
    let properties = message.header("ibm-mq-usr").expect("properties");
    for property in [
        "SOAPJMS_contentType;\"text/xml; charset=utf-8\";string",
        "SOAPJMS_soapAction;\"urn:find\";string",
        "SOAPJMS_bindingVersion;\"1.0\";string",
        &format!("SOAPJMS_requestURI;\"{W3C_URI}\";string"),
    ] {
        assert!(properties.contains(property), "{property}: {properties}");
    }
    gantry.stop();
}

#[test]
fn faults_of_addresses_are_told_with_their_file() {
    for (provider, gantry, expected) in [
        (format!("uri = '{URI}'\n{FIND}"), "", "queues need a [queue_manager], and there is none"),
        (format!("uri = 'jms:/queue?priority=1'\n{FIND}"), QUEUES, "expected the option destination"),
        (format!("uri = '{W3C_URI}'\n{FIND}"), QUEUES, "needs replyDestination in the uri"),
        (format!("uri = '{W3C_URI}'\nconnection = 'shop'\n{FIND}"), QUEUES, "connection or uri, not both"),
        (FIND.to_owned(), QUEUES, "'connection' is missing"),
    ] {
        let folder = folder().with("services/find.toml", &service(&provider)).with("gantry.toml", gantry);
        let checked = run(&["check", text(folder.path())]);
        let found = String::from_utf8_lossy(&checked.stderr);
        assert!(!checked.status.success() && found.contains(expected), "{expected} in\n{found}");
        assert!(found.contains("services/find.toml:"), "{found}");
    }
}

const LISTENER: &str = "[[queue_manager.listener]]\nqueue = 'IN'\nbackoff_ms = 10\nsoap = ";

const LISTENED: &str = "[[operation]]\nname = 'note'\nservice = 'listener'\nrequest_namespace = 'urn:l'\n";

/// Makes a message to the web service of the program LISTENER.
fn note(act: &str) -> String {
    format!(
        "<e:Envelope xmlns:e='{SOAP_11}'><e:Body><note xmlns='urn:l'><li_act>{act}</li_act><li_text>{act}</li_text>\
         </note></e:Body></e:Envelope>"
    )
}

#[test]
fn a_message_its_program_and_the_reply_of_a_web_service_are_one_unit() {
    let folder = listeners::folder(&format!("{LISTENER}'/cics/services/LISTENER'\n"))
        .with("soap/LISTENER.toml", LISTENED);
    let gantry = Gantry::as_written(folder.path());
    let id = listeners::put(&gantry, "", &note("OK"));
    let reply = listeners::get(&gantry, "REPLIES");
    assert!(reply.text().contains("<li_act>DONE</li_act>"), "{}", reply.text());
    assert_eq!(reply.header("ibm-mq-md-correlationid"), Some(&*id));
    assert_eq!(listeners::get(&gantry, "WORK").text().trim_end(), "OK");

    // An abend undoes the program's puts. At the threshold the message moves.
    let bad = listeners::put(&gantry, "", &note("ABEND"));
    let dead = listeners::get(&gantry, "DEAD");
    assert_eq!((dead.header("ibm-mq-md-messageid"), dead.text()), (Some(&*bad), &*note("ABEND")));
    listeners::is_empty(&gantry, "WORK");

    // A message without SOAP gets a fault.
    let id = listeners::put(&gantry, "", "<note/>");
    let fault = listeners::get(&gantry, "REPLIES");
    assert!(fault.text().contains("<faultcode>SOAP-ENV:Client</faultcode>"), "{}", fault.text());
    assert_eq!(fault.header("ibm-mq-md-correlationid"), Some(&*id));
    listeners::is_empty(&gantry, "DEAD");
    listeners::is_empty(&gantry, "IN");
    gantry.stop();
}

const ITEMS: &str = "[[operation]]\nname = 'Find'\nservice = 'items'\nrequest_namespace = 'urn:shop'\n\
                     response_namespace = 'urn:shop'\n";

#[test]
fn a_gateway_calls_its_own_web_service_over_queues() {
    let uri = "jms:/queue?destination=ASKED&replyDestination=TOLD&targetService=/cics/services/ITEMS";
    let w3c = "jms:queue:ASKED?replyToName=TOLD&targetService=/cics/services/ITEMS";
    let lost = uri.replace("/ITEMS", "/LOST").replace("targetService", "timeout=300&targetService");
    let listener = "[[queue_manager.listener]]\nqueue = 'ASKED'\nbackoff_ms = 10\nsoap = '*'\n";
    let sides =
        "[request]\ncopybook = 'ITEM.cpy'\nwrapper = ''\n[response]\ncopybook = 'ITEM.cpy'\nwrapper = ''\n";
    let folder = folder()
        .with("gantry.toml", &format!("{QUEUES}{listener}"))
        .with("services/find.toml", &service(&format!("uri = '{uri}'\n{FIND}")))
        .with("services/hurry.toml", &service(&format!("uri = '{lost}'\n{FIND}")))
        .with("services/tell.toml", &service(&format!("uri = '{w3c}'\nsoap = '1.2'\n{FIND}")))
        .with(
            "services/items.toml",
            &format!("ccsid = 37\n[provider]\nkind = 'simulated'\nanswer = 'echo'\n{sides}"),
        )
        .with("soap/ITEMS.toml", ITEMS);
    let gantry = Gantry::folder(folder.path());
    for name in ["find", "tell"] {
        let answer = gantry.put(&format!("/shop/{name}"), r#"{"item_id":"Ink"}"#);
        assert_eq!((answer.status, answer.text()), (200, r#"{"item_id":"Ink"}"#), "{name}");
    }
    // The message waits for the web service until it expires.
    gantry.put("/shop/hurry", r#"{"item_id":"Ink"}"#).fails(503, "BAQR0405I");
    let log = gantry.stop();
    assert!(log.contains("there is no web service at /cics/services/LOST"), "{log}");
}

#[test]
fn a_message_whose_path_leads_nowhere_goes_to_the_backout_queue() {
    let queues = QUEUES.replace("name = 'ASKED'\n", "name = 'ASKED'\nbackout_threshold = 2\n");
    let listener = "[[queue_manager.listener]]\nqueue = 'ASKED'\nbackoff_ms = 10\nsoap = '*'\n";
    let folder = folder().with("gantry.toml", &format!("{queues}{listener}"));
    let gantry = Gantry::folder(folder.path());
    for target in ["/lost", "/a b"] {
        let property = format!("ibm-mq-usr: targetService;\"{target}\";string\r\n");
        let headers = format!("{CSRF}content-type: text/plain;charset=utf-8\r\n{property}");
        let put = gantry.send("POST", &path("ASKED"), &headers, target);
        assert_eq!(put.status, 201, "{}", put.text());
        assert_eq!(get(&gantry, "DEAD").text(), target);
    }
    gantry.stop();
}

/// The user of the listener is no proof of the user that the message names.
#[test]
fn the_password_of_a_message_is_checked_although_its_listener_has_a_user() {
    let listener =
        "[[queue_manager.listener]]\nqueue = 'ASKED'\nuser = 'batch'\nsoap = '/cics/services/ITEMS'\n";
    let security = format!("[security]\nrequire_auth = false\n{}", crate::security::BASIC);
    let sides =
        "[request]\ncopybook = 'ITEM.cpy'\nwrapper = ''\n[response]\ncopybook = 'ITEM.cpy'\nwrapper = ''\n";
    let folder = folder()
        .with("gantry.toml", &format!("{QUEUES}{listener}{security}"))
        .with("users.txt", &crate::security::user("mary", "staff", "secret"))
        .with(
            "services/items.toml",
            &format!("ccsid = 37\n[provider]\nkind = 'simulated'\nanswer = 'echo'\n{sides}"),
        )
        .with("soap/ITEMS.toml", &format!("username_token = true\n{ITEMS}"));
    let gantry = Gantry::folder(folder.path());
    let ask = |header: &str| {
        let message = format!(
            "<e:Envelope xmlns:e='{SOAP_11}' xmlns:s='{SOAP_11}'><e:Header>{header}</e:Header><e:Body>\
             <Find xmlns='urn:shop'><item_id>Ink</item_id></Find></e:Body></e:Envelope>"
        );
        let headers =
            format!("{CSRF}content-type: text/plain;charset=utf-8\r\nibm-mq-md-replyTo: TOLD@QM1\r\n");
        let put = gantry.send("POST", &path("ASKED"), &headers, &message);
        assert_eq!(put.status, 201, "{}", put.text());
        get(&gantry, "TOLD").text().to_owned()
    };
    let answer = ask(&crate::soap::presented("mary", "wrong"));
    assert!(answer.contains("GTY0432W") && !answer.contains("Ink"), "{answer}");
    for header in [crate::soap::presented("mary", "secret"), String::new()] {
        let answer = ask(&header);
        assert!(answer.contains("Ink"), "{answer}");
    }
}

#[test]
fn faults_of_listeners_of_soap_are_told() {
    for (soap, expected) in [
        ("'/lost'", "there is no web service at /lost"),
        ("'lost'", "expected the path of a web service, or \"*\""),
        ("'*'\nservice = 'find'", "a listener has one of 'program', 'service', 'api' and 'soap'"),
    ] {
        let listener = format!("[[queue_manager.listener]]\nqueue = 'ASKED'\nsoap = {soap}\n");
        let folder = folder().with("gantry.toml", &format!("{QUEUES}{listener}"));
        let checked = run(&["check", text(folder.path())]);
        let found = String::from_utf8_lossy(&checked.stderr);
        assert!(!checked.status.success() && found.contains(expected), "{expected} in\n{found}");
    }
}
