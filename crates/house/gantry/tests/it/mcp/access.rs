//! Tests who sees and calls tools. The rules are those of REST.

use serde_json::{Value, json};

use super::{CLIENT, ON, ask, calling, echoes, fails, message, names, post, seven};
use crate::folder::{ECHO_API, Folder, service};
use crate::process::Gantry;
use crate::security::{BASIC, JOHN, JWT, MARY, SECRET, WRONG, token, user};

const STAFF: &str = "[security]\nroles.invoke = [\"staff\"]\n";

/// Makes the echo API with the users mary (in staff) and john, and a second API `/open`. Both get
/// more keys.
fn folder(gantry: &str, echo: (&str, &str), open: &str) -> Folder {
    let (base, operation) = ECHO_API.split_once("\n\n").expect("a base path");
    let users = format!("{}{}", user("mary", "staff", "secret"), user("john", "", "word"));
    Folder::echo(gantry)
        .with("users.txt", &users)
        .with("jwt.secret", SECRET)
        .with("apis/echo/api.toml", &format!("{base}\n{}\n{operation}\n{}\n", echo.0, echo.1))
        .with(
            "apis/open/api.toml",
            &format!("{}\n{open}\n{operation}\noperation_id = \"open\"\n", base.replace("echo", "open")),
        )
}

#[test]
fn everybody_sees_what_they_may_call() {
    let folder = folder(&format!("{ON}[security]\nopen_metrics = true\n{BASIC}"), (STAFF, ""), "");
    let gantry = Gantry::folder(folder.path());
    assert_eq!(names(&gantry, MARY), ["putecho", "open"]);
    assert_eq!(names(&gantry, JOHN), ["open"]);
    echoes(&gantry, MARY);
    let details = fails(&gantry, JOHN, ("putecho", &seven()), "BAQR0406W");
    assert!(details.starts_with("BAQR0409W"), "{details}");
    // Callers without the right learn nothing about the arguments.
    fails(&gantry, JOHN, ("putecho", &json!({})), "BAQR0406W");
    for headers in ["", WRONG] {
        for method in ["initialize", "tools/list", "tools/call"] {
            let response = post(&gantry, headers, &message(method, &json!({})));
            response.fails(401, "GTY0432W");
            assert_eq!(
                response.header("www-authenticate"),
                Some("Basic realm=\"gantry\", charset=\"UTF-8\"")
            );
        }
    }
    assert_eq!(
        gantry.metric("gantry_requests_total{api=\"echo\",operation=\"putecho\",status=\"403\"}"),
        2.0
    );
    assert_eq!(
        gantry.metric("gantry_requests_total{api=\"echo\",operation=\"putecho\",status=\"200\"}"),
        1.0
    );
    let log = gantry.stop();
    assert!(log.lines().any(|line| line.contains("/echo/7") && line.contains("\"mary\"")), "{log}");
    // Arguments that make no request have no path. Then the log has the operation's path.
    for path in ["\"/echo/7\"", "\"/echo/{number}\""] {
        let refused = |line: &&str| line.contains(path) && line.contains("\"john\"");
        assert_eq!(log.lines().filter(refused).count(), 1, "{path}: {log}");
    }
    assert!(!log.contains("bWFyeTpzZWNyZXQ"), "{log}");
}

#[test]
fn what_is_open_is_open_here_too() {
    let folder = folder(&format!("{ON}{BASIC}"), (STAFF, ""), "[security]\nrequire_auth = false\n");
    let gantry = Gantry::folder(folder.path());
    assert_eq!(names(&gantry, ""), ["open"]);
    let arguments = calling("open", &seven());
    assert_eq!(super::answer(&post(&gantry, "", &arguments))["result"]["structuredContent"]["number_of"], 7);
    // A call that needs a known caller gets its answer from HTTP. There clients look for
    // challenges.
    let response = post(&gantry, "", &calling("putecho", &seven()));
    response.fails(401, "GTY0432W");
    assert!(response.header("www-authenticate").is_some());
    post(&gantry, WRONG, &arguments).fails(401, "GTY0432W");
}

#[test]
fn services_guard_their_tools() {
    let own = format!("{}\n{STAFF}", service("echo", ""));
    let folder = folder(&format!("{ON}{BASIC}"), ("", ""), "").with("services/echo.toml", &own);
    let gantry = Gantry::folder(folder.path());
    assert_eq!(names(&gantry, MARY).len(), 2);
    assert!(names(&gantry, JOHN).is_empty());
}

#[test]
fn what_needs_tls_is_not_shown_without() {
    let folder = folder(ON, ("[security]\nrequire_secure = true\n", ""), "");
    let gantry = Gantry::folder(folder.path());
    assert_eq!(names(&gantry, ""), ["open"]);
    fails(&gantry, "", ("putecho", &seven()), "GTY0434W");
    let all = Folder::echo(&format!("{ON}[security]\nrequire_secure = true\n"));
    let gantry = Gantry::folder(all.path());
    post(&gantry, "", &message("tools/list", &json!({}))).fails(403, "GTY0434W");
}

#[test]
fn limits_count_calls_and_not_lists() {
    let limits = "[limits]\ncaller_rate = { requests = 2, per_ms = 3600000 }\n";
    let folder = folder(&format!("{ON}{BASIC}"), (limits, ""), "");
    let gantry = Gantry::folder(folder.path());
    for _ in 0..5 {
        assert_eq!(names(&gantry, MARY).len(), 2);
    }
    echoes(&gantry, MARY);
    // Calls over REST and MCP share one count.
    assert_eq!(gantry.send("PUT", "/echo/7", MARY, "{}").status, 200);
    fails(&gantry, MARY, ("putecho", &seven()), "GTY0436W");
    let response = post(&gantry, MARY, &calling("putecho", &seven()));
    assert!(response.header("retry-after").is_some(), "{:?}", response.headers);
    echoes(&gantry, JOHN);
    assert_eq!(gantry.send("PUT", "/echo/7", MARY, "{}").status, 429);
}

#[test]
fn messages_have_a_limit_of_their_own() {
    let limits = "limits.caller_rate = { requests = 3, per_ms = 3600000 }\n";
    let folder = folder(&format!("{ON}{limits}[security]\nopen_metrics = true\n{BASIC}"), ("", ""), "");
    let gantry = Gantry::folder(folder.path());
    post(&gantry, MARY, &message("initialize", &json!({})));
    assert_eq!(names(&gantry, MARY).len(), 2);
    echoes(&gantry, MARY);
    let is_limited = || {
        for method in ["initialize", "tools/list", "tools/call"] {
            let response = post(&gantry, MARY, &message(method, &json!({})));
            response.fails(429, "GTY0436W");
            assert!(response.header("retry-after").is_some(), "{:?}", response.headers);
        }
    };
    is_limited();
    // A changed configuration does not give callers their limit anew.
    gantry.signal(rustix::process::Signal::HUP);
    crate::reload::wait(|| gantry.metric("gantry_configuration_reloads_total{outcome=\"applied\"}") == 1.0);
    is_limited();
    // Other callers have their own limit. REST does not count here.
    echoes(&gantry, JOHN);
    assert_eq!(gantry.send("PUT", "/echo/7", MARY, "{}").status, 200);
    let none = format!("{ON}limits.caller_rate = {{ requests = 0 }}\n");
    let checked = crate::process::run(&["check", crate::process::text(Folder::echo(&none).path())]);
    let found = String::from_utf8_lossy(&checked.stderr);
    assert!(found.contains("gantry.toml:3: a rate has requests, per_ms and burst above 0"), "{found}");
}

#[test]
fn who_is_turned_away_is_recorded() {
    let audit = crate::audit::interceptor("audit", "", "");
    let folder = folder(&format!("{audit}{ON}{BASIC}"), ("", ""), "");
    let gantry = Gantry::folder(folder.path());
    let list = message("tools/list", &json!({}));
    let wrong = format!("{WRONG}x-request-id: turned-away\r\n");
    let response = post(&gantry, &wrong, &list);
    response.fails(401, "GTY0432W");
    assert_eq!(response.header("x-request-id"), Some("turned-away"));
    assert_eq!(names(&gantry, MARY).len(), 2);
    gantry.get("/mcp").fails(405, "GTY0405W");
    gantry.stop();
    let records = crate::audit::lines(&folder.path().join(".gantry/audit.jsonl"));
    // A list of tools is not a call, so it gets no record.
    let [refused, wrong_method] = records.as_slice() else { panic!("{records:?}") };
    let told =
        |record: &Value| (record["uri"].clone(), record["httpStatus"].clone(), record["failure"].clone());
    assert_eq!(told(refused), (json!("/mcp"), json!(401), json!("GTY0432W")));
    assert_eq!((&refused["requestId"], &refused["apiName"]), (&json!("turned-away"), &Value::Null));
    assert_eq!(told(wrong_method), (json!("/mcp"), json!(405), json!("GTY0405W")));
}

#[test]
fn a_call_whose_arguments_make_no_request_is_recorded_as_one() {
    let audit = crate::audit::interceptor("audit", "", "");
    let folder = folder(&format!("{audit}{ON}[security]\nopen_metrics = true\n{BASIC}"), ("", ""), "");
    let gantry = Gantry::folder(folder.path());
    fails(&gantry, MARY, ("putecho", &json!({ "nothing": 1 })), "GTY0420W");
    let failures = "gantry_api_failures_total{api=\"echo\",code=\"GTY0420W\"}";
    assert_eq!(gantry.metric(failures), 1.0);
    gantry.stop();
    let records = crate::audit::lines(&folder.path().join(".gantry/audit.jsonl"));
    let [record] = records.as_slice() else { panic!("{records:?}") };
    assert_eq!((&record["apiName"], &record["operation"]), (&json!("echo"), &json!("putecho")));
    assert_eq!((&record["user"], &record["failure"]), (&json!("mary"), &json!("GTY0420W")));
    assert_eq!((&record["httpStatus"], &record["uri"]), (&json!(400), &json!("/echo/{number}")));
}

fn tokens() -> Folder {
    let gantry = format!("{ON}{JWT}algorithms = [\"HS256\"]\nsecret = {{ file = \"jwt.secret\" }}\n");
    folder(&gantry, ("", "scopes = [\"echo:write\"]"), "")
}

#[test]
fn a_client_finds_where_tokens_come_from() {
    let gantry = Gantry::folder(tokens().path());
    let metadata = json!({
        "resource": "http://localhost/mcp",
        "authorization_servers": ["https://issuer.example"],
        "bearer_methods_supported": ["header"],
        "scopes_supported": ["echo:write"],
    });
    for path in ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"] {
        let response = gantry.get(path);
        assert_eq!(response.status, 200);
        assert_eq!(response.header("access-control-allow-origin"), Some("*"));
        assert_eq!(serde_json::from_slice::<Value>(&response.body).expect("JSON"), metadata);
        gantry.send("POST", path, "", "").fails(405, "GTY0405W");
    }
    gantry.get("/.well-known/oauth-protected-resource/other").fails(404, "GTY0404W");
    let bad = b"GET /.well-known/oauth-protected-resource HTTP/1.1\r\nhost: a\"b\r\n\r\n";
    gantry.request(bad).fails(400, "GTY0406W");

    let response = post(&gantry, "", &message("initialize", &json!({})));
    response.fails(401, "GTY0432W");
    let more = "resource_metadata=\"http://localhost/.well-known/oauth-protected-resource/mcp\"";
    assert_eq!(response.header("www-authenticate"), Some(&*format!("Bearer realm=\"gantry\", {more}")));
    // REST keeps its own challenge.
    let rest = gantry.send("PUT", "/echo/7", "", "{}");
    assert_eq!(rest.header("www-authenticate"), Some("Bearer realm=\"gantry\""));

    let good = token(&json!({ "scope": "echo:write" }));
    assert_eq!(names(&gantry, &good), ["putecho", "open"]);
    echoes(&gantry, &good);
    let poor = token(&json!({ "scope": "echo:read" }));
    assert_eq!(names(&gantry, &poor), ["open"]);
    let response = post(&gantry, &poor, &calling("putecho", &seven()));
    response.fails(403, "GTY0433W");
    let challenge =
        format!("Bearer realm=\"gantry\", error=\"insufficient_scope\", scope=\"echo:write\", {more}");
    assert_eq!(response.header("www-authenticate"), Some(&*challenge));
}

#[test]
fn the_resource_is_what_the_configuration_says() {
    let text = std::fs::read_to_string(tokens().path().join("gantry.toml")).expect("a file");
    let said = text.replace("enabled = true\n", "enabled = true\nresource = \"https://gate.example/mcp\"\n");
    let gantry = Gantry::folder(tokens().with("gantry.toml", &said).path());
    let response = gantry.get("/.well-known/oauth-protected-resource");
    assert!(response.text().contains("\"https://gate.example/mcp\""), "{}", response.text());
    let challenge = post(&gantry, "", "{}");
    let challenge = challenge.header("www-authenticate").expect("a challenge");
    assert!(
        challenge.contains("\"https://gate.example/.well-known/oauth-protected-resource/mcp\""),
        "{challenge}"
    );
}

#[test]
fn without_tokens_there_is_no_metadata() {
    let gantry = Gantry::folder(folder(&format!("{ON}{BASIC}"), ("", ""), "").path());
    gantry.get("/.well-known/oauth-protected-resource").fails(404, "GTY0404W");
}

/// A page may point its own name to this machine (DNS rebinding). Its origin still has the page's
/// name.
#[test]
fn pages_are_refused_unless_they_are_known() {
    let folder = Folder::echo(&format!("{ON}origins = [\"https://app.example\"]\n"));
    let gantry = Gantry::folder(folder.path());
    echoes(&gantry, "");
    for origin in ["http://evil.example", "http://localhost", "null", "https://app.example.evil.example"] {
        let response = post(&gantry, &format!("origin: {origin}\r\n"), &calling("putecho", &seven()));
        response.fails(403, "GTY0435W");
        assert_eq!(response.header("access-control-allow-origin"), None);
    }
    assert_eq!(
        gantry.metric("gantry_requests_total{api=\"echo\",operation=\"putecho\",status=\"200\"}"),
        1.0
    );
    let known = "origin: https://app.example\r\n";
    echoes(&gantry, known);
    let response = post(&gantry, known, &calling("putecho", &seven()));
    assert_eq!(response.header("access-control-allow-origin"), Some("https://app.example"));
    let asks = |headers: &str| {
        let asked =
            format!("access-control-request-method: POST\r\naccess-control-request-headers: {headers}\r\n");
        gantry.send("OPTIONS", "/mcp", &format!("{known}{asked}"), "")
    };
    let allowed = asks("authorization,content-type,mcp-protocol-version,mcp-method,mcp-name");
    assert_eq!(allowed.status, 204);
    assert_eq!(allowed.header("access-control-allow-methods"), Some("POST"));
    asks("x-other").fails(403, "GTY0435W");
    let nobody = Gantry::folder(Folder::echo(ON).path());
    let list = format!("{CLIENT}{known}");
    nobody.send("POST", "/mcp", &list, &message("tools/list", &json!({}))).fails(403, "GTY0435W");
    assert_eq!(ask(&nobody, "", "ping", &json!({}))["result"], json!({}));
}
