//! Tests health as probes and operators see it: of the gateway, and of each API.

use serde_json::{Value, json};

use crate::administration::key;
use crate::client::{Client, Response};
use crate::folder::{Folder, service};
use crate::process::{Gantry, request};
use crate::security::KEYS;

fn ask(gantry: &Gantry, path: &str, headers: &str) -> Response {
    Client::connect(gantry.admin).ask(request("GET", path, headers, "").as_bytes())
}

fn json(answer: &Response, status: u16) -> Value {
    assert_eq!(answer.status, status, "{}", answer.text());
    serde_json::from_str(answer.text()).expect("JSON")
}

#[test]
fn the_gateway_as_a_whole() {
    let folder = Folder::echo(KEYS).with("keys.txt", "");
    let gantry = Gantry::folder(folder.path());
    for (path, text) in [("/health", "up\n"), ("/health/live", "up\n"), ("/health/ready", "ready\n")] {
        let answer = ask(&gantry, path, "");
        assert_eq!((answer.status, answer.text()), (200, text), "{path}");
        let posted = Client::connect(gantry.admin).ask(request("POST", path, "", "").as_bytes());
        assert_eq!(posted.status, 405, "{path}");
    }
    assert_eq!(ask(&gantry, "/health/apis", "").status, 401);
    assert_eq!(ask(&gantry, "/health/other", "").status, 404);
}

#[test]
fn an_api_is_ready_while_it_and_its_services_are_started() {
    let folder = Folder::echo("[server]\nreload_poll_ms = 0\n");
    let gantry = Gantry::folder(folder.path());
    let service =
        |started| json!({"name": "echo", "started": started, "provider": "simulated", "refusing": false});
    let report = |started, service_started| {
        json!({"name": "echo", "loaded": true, "current": true, "started": started,
            "ready": started && service_started, "services": [service(service_started)]})
    };
    let put = |path: &str| Client::connect(gantry.admin).ask(request("PUT", path, "", "").as_bytes()).status;
    assert_eq!(json(&ask(&gantry, "/health/apis/echo", ""), 200), report(true, true));
    assert_eq!(put("/zosConnect/apis/echo?status=stopped"), 200);
    assert_eq!(json(&ask(&gantry, "/health/apis/echo", ""), 503), report(false, true));
    assert_eq!(put("/zosConnect/apis/echo?status=started"), 200);
    assert_eq!(put("/zosConnect/services/echo?status=stopped"), 200);
    assert_eq!(json(&ask(&gantry, "/health/apis/echo", ""), 503), report(true, false));
    assert_eq!(json(&ask(&gantry, "/health/apis", ""), 200), json!({"apis": [report(true, false)]}));
    assert_eq!(ask(&gantry, "/health/apis/none", "").status, 404);
}

#[test]
fn a_provider_that_refuses_shows() {
    let folder = Folder::echo("").with("services/echo.toml", &service("echo", "refuse = true"));
    let gantry = Gantry::folder(folder.path());
    assert_eq!(json(&ask(&gantry, "/health/apis/echo", ""), 200)["services"][0]["refusing"], false);
    assert_eq!(gantry.put("/echo/7", "{}").status, 503);
    let report = json(&ask(&gantry, "/health/apis/echo", ""), 503);
    assert_eq!((&report["ready"], &report["services"][0]["refusing"]), (&json!(false), &json!(true)));
    gantry.stop();

    let (head, rest) = service("echo", "").split_once("[provider]").map(own).expect("a provider");
    let interfaces = rest.split_once("\n\n\n").expect("interfaces").1.to_owned();
    let folder = Folder::echo("").with("services/echo.toml", &format!("{head}{interfaces}"));
    let gantry = Gantry::folder(folder.path());
    let report = json(&ask(&gantry, "/health/apis/echo", ""), 503);
    assert_eq!(report["services"][0]["provider"], "unbound");
}

fn own((head, rest): (&str, &str)) -> (String, String) {
    (head.to_owned(), rest.to_owned())
}

#[test]
fn what_cannot_be_loaded_is_never_started() {
    let folder = Folder::echo("[server]\nreload_poll_ms = 0\n");
    let gantry = Gantry::folder(folder.path());
    let _folder = folder.with("apis/new/api.toml", "base_path = 5\n").with("packages/note.aar", "no archive");
    let reload =
        || Client::connect(gantry.admin).ask(request("POST", "/configuration/reload", "", "").as_bytes());
    assert_eq!(reload().status, 409);
    for name in ["new", "note"] {
        let report = json(&ask(&gantry, &format!("/health/apis/{name}"), ""), 503);
        let expected = json!({"name": name, "loaded": false, "current": false, "started": false,
            "ready": false, "services": []});
        assert_eq!(report, expected);
    }
    let report = json(&ask(&gantry, "/health/apis/echo", ""), 200);
    assert_eq!(
        (&report["current"], &report["started"]),
        (&json!(false), &json!(true)),
        "the one before serves"
    );
    let all = json(&ask(&gantry, "/health/apis", ""), 200);
    assert_eq!(all["apis"].as_array().map(Vec::len), Some(3));
    let list = json(&ask(&gantry, "/zosConnect/apis", ""), 200);
    assert_eq!(list["apis"].as_array().map(Vec::len), Some(1), "only what is loaded");
}

#[test]
fn who_is_not_known_learns_one_word() {
    let roles = "[security.roles]\nreader = [\"readers\"]\n";
    let folder = Folder::echo(&format!("{KEYS}\n{roles}"));
    let (reader, other) = (key(&folder, "reader", "readers"), key(&folder, "other", "others"));
    let gantry = Gantry::folder(folder.path());
    let answer = ask(&gantry, "/health/apis/echo", "");
    assert_eq!((answer.status, answer.text()), (200, "up\n"));
    let answer = ask(&gantry, "/health/apis/none", "");
    assert_eq!((answer.status, answer.text()), (503, "down\n"));
    assert_eq!(json(&ask(&gantry, "/health/apis/echo", &reader), 200)["loaded"], true);
    assert_eq!(ask(&gantry, "/health/apis/none", &reader).status, 404);
    assert_eq!(ask(&gantry, "/health/apis/echo", &other).status, 403);
    assert_eq!(ask(&gantry, "/health/apis/echo", "x-api-key: wrong\r\n").status, 401);
}
