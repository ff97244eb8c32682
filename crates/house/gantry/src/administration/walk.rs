//! Tries every route of administration as every kind of caller. The expected rights are written
//! here a second time, by hand.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use administration::{ROUTES, RouteSpec};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use settings::Files;

use super::answer;
use crate::live::Live;
use admission::Peer;
use admission::{Hosts, Presence, Way};
use configuration::load;

/// A caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Nobody,
    /// For the gateway as a whole.
    Reader,
    Operator,
    Admin,
    /// For the requested API, service and API requester.
    OwnReader,
    OwnOperator,
    /// For other objects.
    OtherOperator,
}

use Who::{Admin, Nobody, Operator, OtherOperator, OwnOperator, OwnReader, Reader};

const EVERYBODY: [Who; 7] = [Nobody, Reader, Operator, Admin, OwnReader, OwnOperator, OtherOperator];

impl Who {
    fn group(self) -> Option<&'static str> {
        Some(match self {
            Nobody => return None,
            Reader => "readers",
            Operator => "operators",
            Admin => "admins",
            OwnReader => "own-readers",
            OwnOperator => "own-operators",
            OtherOperator => "other-operators",
        })
    }
}

type Allowed = &'static [Who];

const ALL: Allowed = &EVERYBODY;
const READERS: Allowed = &[Reader, Operator, Admin];
const OPERATORS: Allowed = &[Operator, Admin];
const WHO_READS_ONE: Allowed = &[Reader, Operator, Admin, OwnReader, OwnOperator, OtherOperator];
const WHO_OPERATES_ONE: Allowed = &[Operator, Admin, OwnOperator, OtherOperator];
const OWN_READERS: Allowed = &[Admin, OwnReader, OwnOperator];
const OWN_OPERATORS: Allowed = &[Admin, OwnOperator];
/// The service gives the role Invoke to the group of its readers.
const OWN_CALLERS: Allowed = &[Admin, OwnReader];
/// Unknown callers get short health reports.
const HEALTH: Allowed = &[Nobody, Admin, OwnReader, OwnOperator];

/// The admitted callers, by method and target.
const EXPECTED: &[(&str, &str, Allowed)] = &[
    ("GET", "/", ALL),
    ("GET", "/metrics", READERS),
    ("GET", "/health", ALL),
    ("GET", "/health/live", ALL),
    ("GET", "/health/ready", ALL),
    ("GET", "/health/apis", WHO_READS_ONE),
    ("GET", "/health/apis/own", HEALTH),
    ("GET", "/configuration", READERS),
    ("POST", "/configuration/reload", OPERATORS),
    ("POST", "/pipelines/scan", OPERATORS),
    ("GET", "/region", READERS),
    ("GET", "/region/programs", READERS),
    ("GET", "/region/tasks", READERS),
    ("POST", "/region/tasks/own/purge", OPERATORS),
    ("POST", "/region/transactions/own/start", OPERATORS),
    ("GET", "/region/starts", READERS),
    ("POST", "/region/starts/own/cancel", OPERATORS),
    ("GET", "/region/files", READERS),
    ("GET", "/region/workers", READERS),
    ("GET", "/region/queues", READERS),
    ("GET", "/region/queues/own", OPERATORS),
    ("GET", "/region/links", READERS),
    ("GET", "/region/units", READERS),
    ("POST", "/region/units/own/commit", OPERATORS),
    ("POST", "/region/units/own/backout", OPERATORS),
    ("GET", "/region/trace", OPERATORS),
    ("POST", "/region/trace", OPERATORS),
    ("POST", "/region/trace/off", OPERATORS),
    ("GET", "/region/dumps", READERS),
    ("GET", "/region/dumps/own", OPERATORS),
    ("GET", "/region/messages", READERS),
    ("GET", "/connector", READERS),
    ("POST", "/connector/clearstats", OPERATORS),
    ("GET", "/connector/groups/own", READERS),
    ("POST", "/connector/groups/own/start", OPERATORS),
    ("POST", "/connector/groups/own/stop", OPERATORS),
    ("POST", "/connector/groups/own/quiesce", OPERATORS),
    ("POST", "/connector/groups/own/clearstats", OPERATORS),
    ("POST", "/store/backup", OPERATORS),
    ("GET", "/queues", READERS),
    ("POST", "/queues", OPERATORS),
    ("GET", "/queues/own", READERS),
    ("DELETE", "/queues/own", OPERATORS),
    ("GET", "/queues/own/messages", OPERATORS),
    ("POST", "/queues/own/messages", OPERATORS),
    ("POST", "/queues/own/move", OPERATORS),
    ("POST", "/queues/own/retry", OPERATORS),
    ("POST", "/queues/own/purge", OPERATORS),
    ("GET", "/openapi.json", WHO_READS_ONE),
    ("GET", "/zosConnect/apis", WHO_READS_ONE),
    ("POST", "/zosConnect/apis", OPERATORS),
    ("GET", "/zosConnect/apis/own", OWN_READERS),
    ("PUT", "/zosConnect/apis/own", OWN_OPERATORS),
    ("DELETE", "/zosConnect/apis/own", OWN_OPERATORS),
    ("GET", "/zosConnect/services", WHO_READS_ONE),
    ("POST", "/zosConnect/services", OPERATORS),
    ("GET", "/zosConnect/services/own", OWN_READERS),
    ("GET", "/zosConnect/services/own?action=getStatistics", OWN_OPERATORS),
    ("GET", "/zosConnect/services/own?action=getRequestSchema", OWN_READERS),
    ("GET", "/zosConnect/services/own?action=getResponseSchema", OWN_READERS),
    ("PUT", "/zosConnect/services/own", OWN_OPERATORS),
    ("PUT", "/zosConnect/services/own?action=invoke", OWN_CALLERS),
    ("PUT", "/zosConnect/services/own?action=start", OWN_OPERATORS),
    ("PUT", "/zosConnect/services/own?action=stop", OWN_OPERATORS),
    ("POST", "/zosConnect/services/own", OWN_OPERATORS),
    ("POST", "/zosConnect/services/own?action=invoke", OWN_CALLERS),
    ("POST", "/zosConnect/services/own?action=start", OWN_OPERATORS),
    ("POST", "/zosConnect/services/own?action=stop", OWN_OPERATORS),
    ("DELETE", "/zosConnect/services/own", OWN_OPERATORS),
    ("GET", "/zosConnect/services/own/schema/request", OWN_READERS),
    ("GET", "/zosConnect/services/own/schema/response", OWN_READERS),
    ("GET", "/zosConnect/operations/getStatistics", WHO_OPERATES_ONE),
    ("GET", "/zosConnect/apiRequesters", WHO_READS_ONE),
    ("POST", "/zosConnect/apiRequesters", OPERATORS),
    ("GET", "/zosConnect/apiRequesters/own", OWN_READERS),
    ("PUT", "/zosConnect/apiRequesters/own", OWN_OPERATORS),
    ("DELETE", "/zosConnect/apiRequesters/own", OWN_OPERATORS),
    ("GET", "/zosConnect/api-docs", WHO_READS_ONE),
];

const GANTRY: &str = r#"
[[security.authenticator]]
kind = "api_key"
keys = "keys.txt"
[security.roles]
admin = ["admins"]
operations = ["operators"]
reader = ["readers"]
[connections.there]
url = "http://127.0.0.1:9"
"#;

const API: &str = "base_path = \"/NAME\"\n[security]\nrequire_auth = true\n[security.roles]\nROLES\n[[operation]]\nmethod = \"PUT\"\npath = \"/\"\nservice = \"NAME\"\n";

const SERVICE: &str = r#"
ccsid = 37
[provider]
kind = "simulated"
answer = "echo"
[request]
copybook = "NOTE.cpy"
wrapper = ""
[response]
copybook = "NOTE.cpy"
wrapper = ""
[security]
require_auth = true
[security.roles]
invoke = ["NAME-readers"]
ROLES
"#;

const REQUESTER: &str = r#"
connection = "there"
ccsid = 819
[security.roles]
ROLES
[[operation]]
name = "get"
[operation.http]
method = "GET"
path = "/"
[[operation.http.responses]]
status = "200"
"#;

/// A gateway with two teams, `own` and `other`. Each has an API, a service and an API requester.
/// Every known caller has a key.
fn live(folder: &Path) -> (Arc<Live>, Vec<(Who, Option<String>)>) {
    let mut files = vec![
        ("gantry.toml".to_owned(), GANTRY.to_owned()),
        ("copybooks/NOTE.cpy".to_owned(), "       01  NOTE.\n           05  WORDS PIC X(20).\n".to_owned()),
    ];
    for name in ["own", "other"] {
        let roles = format!("operations = [\"{name}-operators\"]\nreader = [\"{name}-readers\"]");
        let text = |template: &str| template.replace("NAME", name).replace("ROLES", &roles);
        files.push((format!("apis/{name}/api.toml"), text(API)));
        files.push((format!("services/{name}.toml"), text(SERVICE)));
        files.push((format!("requesters/{name}/requester.toml"), text(REQUESTER)));
    }
    let keys = EVERYBODY.map(|who| (who, who.group().map(key)));
    let lines = keys.iter().filter_map(|(_, key)| key.as_ref()).map(|(line, _)| format!("{line}\n"));
    files.push(("keys.txt".to_owned(), lines.collect()));
    for (path, text) in files {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    }
    let files = Files::at(folder.to_owned());
    let settings = load(&files).map_err(|problems| problems.render(false)).expect("a configuration");
    let source = settings.source(files, None);
    let live = Live::new(settings.into_loaded(), source).expect("a gateway");
    (Arc::new(live), keys.into_iter().map(|(who, key)| (who, key.map(|(_, key)| key))).collect())
}

/// A line of the file of keys, and its key.
fn key(group: &str) -> (String, String) {
    security::key_line(group, &[group.to_owned()]).expect("a key")
}

async fn ask(
    live: &Arc<Live>,
    (method, target): (&str, &str),
    key: Option<&String>,
) -> Response<Full<Bytes>> {
    let peer = Peer {
        address: [127, 0, 0, 1].into(),
        secure: true,
        hosts: Arc::new(Hosts::Any),
        way: Way::Http(None),
        certificate: None,
        presence: Presence::default(),
        known: None,
    };
    let mut request = Request::builder().method(method).uri(target).header("host", "localhost");
    if let Some(key) = key {
        request = request.header("x-api-key", key);
    }
    answer(live, &peer, request.body(Full::default()).expect("a request")).await
}

/// The template of a target, and its query.
fn template((method, target): (&str, &str)) -> (String, String, String) {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let known = |row: &&RouteSpec| {
        let (before, after) = row.path.split_once('{').unwrap_or((row.path, ""));
        let after = after.split_once('}').map_or("", |(_, after)| after);
        row.path == path || (row.path.contains('{') && path == format!("{before}own{after}"))
    };
    let path = ROUTES.iter().find(known).map_or(path, |row| row.path);
    (method.to_owned(), path.to_owned(), query.to_owned())
}

#[test]
fn every_route_is_walked() {
    let walked: BTreeSet<_> = EXPECTED.iter().map(|(method, target, _)| template((method, target))).collect();
    let routes: BTreeSet<_> = ROUTES
        .iter()
        .map(|row| {
            let query = row.query.map(|(name, value)| format!("{name}={value}")).unwrap_or_default();
            (row.verb.word().to_owned(), row.path.to_owned(), query)
        })
        .collect();
    assert_eq!(walked, routes);
}

#[tokio::test]
async fn every_route_lets_those_in_who_have_its_right() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let (live, keys) = live(folder.path());
    for (method, target, allowed) in EXPECTED {
        for (who, key) in &keys {
            let status = ask(&live, (method, target), key.as_ref()).await.status().as_u16();
            let refused = if *who == Nobody { 401 } else { 403 };
            match allowed.contains(who) {
                true => assert!(![401, 403, 405].contains(&status), "{method} {target} {who:?}: {status}"),
                false => assert_eq!(status, refused, "{method} {target} {who:?}"),
            }
        }
    }
}

#[tokio::test]
async fn lists_show_what_the_caller_may_see() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let (live, keys) = live(folder.path());
    for (who, key) in keys {
        let expected: &[&str] = match who {
            Admin => &["other", "own"],
            OwnReader | OwnOperator => &["own"],
            OtherOperator => &["other"],
            // The groups of the teams replace the global ones.
            Reader | Operator => &[],
            Nobody => continue,
        };
        for (path, list, name) in [
            ("/zosConnect/apis", "apis", "name"),
            ("/zosConnect/services", "zosConnectServices", "ServiceName"),
            ("/zosConnect/apiRequesters", "apiRequesters", "name"),
            ("/health/apis", "apis", "name"),
        ] {
            let body = ask(&live, ("GET", path), key.as_ref()).await.into_body();
            let body = body.collect().await.expect("a body").to_bytes();
            let value: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
            let shown = value[list].as_array().expect("a list").iter();
            let shown: Vec<&str> = shown.map(|one| one[name].as_str().expect("a name")).collect();
            assert_eq!(shown, expected, "{path} {who:?}");
        }
    }
}
