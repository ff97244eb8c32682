//! The table of administration's routes: the right, the name in the audit, and the function of
//! each.
//!
//! Dispatch, the check of rights, the audit, 405 with Allow and the list at `/` all come from the
//! rows.

use std::sync::LazyLock;

use failure::Failure;
use http::{Method, StatusCode, Uri};
use region::Region;
use routing::{Found as Matched, Routes, RoutesBuilder};
use security::Action::{self, Operate, Read};
use security::Kind;
use serde_json::Value;

use crate::asked::{Answer, Asked, Incoming, Pending, decoded, parameter};
use crate::region::{dumps, files, links, pending, queues, start, trace, view};
use crate::zos_connect::{packages, services};
use crate::{
    configuration, documents, endpoint_groups, health, message_queues, paths, region as of_region,
    zos_connect,
};

/// One route.
#[derive(Clone, Copy, Debug)]
pub struct RouteSpec {
    /// The method.
    pub verb: Verb,
    /// The template. A word in braces stands for a name.
    pub path: &'static str,
    /// A required query parameter, with its value. Rows with one stand before the row of the same
    /// verb and path that takes every query.
    pub query: Option<(&'static str, &'static str)>,
    /// The condition for callers.
    pub right: Right,
    /// The act for the audit; none if the row changes nothing.
    pub act: Option<ActSpec>,
    /// The function that answers.
    pub run: Run,
}

/// The methods of administration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// GET: nothing changes.
    Get,
    /// PUT.
    Put,
    /// POST.
    Post,
    /// DELETE.
    Delete,
}

/// A condition for callers. The name of an object is the first one in the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// None: it is open to all who reach the address.
    Open,
    /// Read the metrics.
    Metrics,
    /// Do this with the gateway as a whole.
    Whole(Action),
    /// Do this with at least one object of a kind.
    List(Kind, Action),
    /// Do this with one object.
    Object(Kind, Action),
    /// Call a service.
    Invoke,
    /// See the health of an API. Unknown callers get only whether it works.
    Health,
}

/// An act for the audit.
#[derive(Clone, Copy, Debug)]
pub struct ActSpec {
    /// The name of the act.
    pub action: ActName,
    /// The kind of the object. Its name is the first one in the path.
    pub kind: &'static str,
}

/// The name of an act.
#[derive(Clone, Copy, Debug)]
pub enum ActName {
    /// This word.
    Is(&'static str),
    /// Start or stop, by `?status=`, else update.
    ByStatus,
}

/// The part that answers.
#[derive(Clone, Copy, Debug)]
pub enum Run {
    /// Administration.
    Here(Function),
    /// The service. The house calls it with the JSON of the body.
    Direct,
}

/// The function that answers, and its use of the body.
#[derive(Clone, Copy, Debug)]
pub enum Function {
    /// Answers at once. The body is not read.
    Now(fn(&Asked<'_>) -> Answer),
    /// The same for the region, which must exist.
    Shown(fn(&Region) -> Value),
    /// Waits for files, threads or the region. The body is not read.
    Later(for<'a> fn(Asked<'a>) -> Pending<'a>),
    /// Answers at once after the body has come.
    WithBody(Small),
    /// Checks the head first. Then it receives a package, if the head is right.
    Package(for<'a> fn(Asked<'a>, &'a mut dyn Incoming) -> Pending<'a>),
}

/// A small body.
#[derive(Clone, Copy, Debug)]
pub struct Small {
    /// The most bytes of the body.
    pub max_bytes: usize,
    /// The function that answers.
    pub run: fn(&Asked<'_>, &[u8]) -> Answer,
    /// The subject of the act, if only the body names it.
    pub subject: fn(&[u8]) -> Option<String>,
}

/// The routes, in the order of the list at `/`.
pub static ROUTES: &[RouteSpec] = &[
    get("/", Right::Open, Function::Now(index)),
    get("/metrics", Right::Metrics, Function::Now(configuration::metrics)),
    get("/health", Right::Open, Function::Now(health::live)),
    get("/health/live", Right::Open, Function::Now(health::live)),
    get("/health/ready", Right::Open, Function::Now(health::ready)),
    get("/health/apis", Right::List(Kind::Api, Read), Function::Later(health::apis)),
    get("/health/apis/{name}", Right::Health, Function::Later(health::api)),
    get("/configuration", READ, Function::Now(configuration::shown)),
    post("/configuration/reload", OPERATE, Function::Later(configuration::reload))
        .act("reload", "configuration"),
    post(paths::SCAN, OPERATE, Function::Later(configuration::scan)).act("scan", "pipelines"),
    // Rows that show the data of programs, perhaps of customers, need OPERATE. READ is not enough.
    get(paths::REGION, READ, Function::Shown(view::summary)),
    get(paths::PROGRAMS, READ, Function::Now(of_region::programs)),
    get(paths::TASKS, READ, Function::Shown(view::tasks)),
    post(paths::PURGE, OPERATE, Function::Now(of_region::purge)).act("purge", "task"),
    post(paths::START, OPERATE, Function::WithBody(start::BEGIN)).act("start", "transaction"),
    get(paths::STARTS, READ, Function::Shown(pending::all)),
    post(paths::CANCEL, OPERATE, Function::Later(pending::cancel)).act("cancel", "start"),
    get(paths::FILES, READ, Function::Later(files::all)),
    get(paths::WORKERS, READ, Function::Shown(view::workers)),
    get(paths::QUEUES, READ, Function::Later(queues::all)),
    get(paths::QUEUE, OPERATE, Function::Later(queues::item)),
    get(paths::LINKS, READ, Function::Shown(links::links)),
    get(paths::UNITS, READ, Function::Shown(links::units)),
    post(paths::COMMIT, OPERATE, Function::Later(links::commit)).act("commit", "unit"),
    post(paths::BACKOUT, OPERATE, Function::Later(links::back_out)).act("backout", "unit"),
    get(paths::TRACE, OPERATE, Function::Shown(trace::shown)),
    post(paths::TRACE, OPERATE, Function::WithBody(trace::BEGIN)).act("trace", "region"),
    post(paths::TRACE_OFF, OPERATE, Function::Now(trace::end)).act("trace off", "region"),
    get(paths::DUMPS, READ, Function::Later(dumps::all)),
    get(paths::DUMP, OPERATE, Function::Later(dumps::one)),
    get(paths::MESSAGES, READ, Function::Now(of_region::messages)),
    get(paths::CONNECTOR, READ, Function::Now(endpoint_groups::all)),
    post(paths::CONNECTOR_CLEAR, OPERATE, Function::Now(endpoint_groups::clear_all))
        .act("clearstats", "connector"),
    get(paths::GROUP, READ, Function::Now(endpoint_groups::one)),
    post(paths::GROUP_START, OPERATE, Function::Now(endpoint_groups::start)).act("start", "endpointGroup"),
    post(paths::GROUP_STOP, OPERATE, Function::Now(endpoint_groups::stop)).act("stop", "endpointGroup"),
    post(paths::GROUP_QUIESCE, OPERATE, Function::Now(endpoint_groups::quiesce))
        .act("quiesce", "endpointGroup"),
    post(paths::GROUP_CLEAR, OPERATE, Function::Now(endpoint_groups::clear))
        .act("clearstats", "endpointGroup"),
    post(paths::BACKUP, OPERATE, Function::Later(configuration::backup)).act("backup", "store"),
    get(paths::MESSAGE_QUEUES, READ, Function::Now(message_queues::all)),
    post(paths::MESSAGE_QUEUES, OPERATE, Function::WithBody(message_queues::DEFINE)).act("define", "queue"),
    get(paths::MESSAGE_QUEUE, READ, Function::Now(message_queues::one)),
    delete(paths::MESSAGE_QUEUE, OPERATE, Function::Later(message_queues::delete)).act("delete", "queue"),
    get(paths::QUEUE_MESSAGES, OPERATE, Function::Later(message_queues::messages)),
    post(paths::QUEUE_MESSAGES, OPERATE, Function::Package(message_queues::put)).act("put", "queue"),
    post(paths::QUEUE_MOVE, OPERATE, Function::Package(message_queues::shift)).act("move", "queue"),
    post(paths::QUEUE_RETRY, OPERATE, Function::Package(message_queues::retry)).act("retry", "queue"),
    post(paths::QUEUE_PURGE, OPERATE, Function::Later(message_queues::purge)).act("purge", "queue"),
    get("/openapi.json", Right::List(Kind::Api, Read), Function::Now(documents::administration)),
    get(paths::APIS, Right::List(Kind::Api, Read), Function::Now(zos_connect::apis)),
    post(paths::APIS, OPERATE, DEPLOY_API).act("deploy", "api"),
    get(paths::API, Right::Object(Kind::Api, Read), Function::Now(zos_connect::api)),
    put(paths::API, Right::Object(Kind::Api, Operate), PUT_API).act_by_status("api"),
    delete(paths::API, Right::Object(Kind::Api, Operate), DELETE_API).act("delete", "api"),
    get(paths::SERVICES, Right::List(Kind::Service, Read), Function::Now(services::list)),
    post(paths::SERVICES, OPERATE, DEPLOY_SERVICE).act("deploy", "service"),
    get(paths::SERVICE, OPERATE_SERVICE, Function::Now(services::statistics)).when("action", "getStatistics"),
    // The forms of older clients.
    get(paths::SERVICE, READ_SERVICE, Function::Now(services::request_schema))
        .when("action", "getRequestSchema"),
    get(paths::SERVICE, READ_SERVICE, Function::Now(services::response_schema))
        .when("action", "getResponseSchema"),
    get(paths::SERVICE, READ_SERVICE, Function::Now(services::shown)),
    // The audit records a call as a call.
    direct(Verb::Put, paths::SERVICE).when("action", "invoke"),
    switch(Verb::Put, "start", Function::Now(services::start)),
    switch(Verb::Put, "stop", Function::Now(services::stop)),
    put(paths::SERVICE, OPERATE_SERVICE, PUT_SERVICE).act_by_status("service"),
    direct(Verb::Post, paths::SERVICE).when("action", "invoke"),
    switch(Verb::Post, "start", Function::Now(services::start)),
    switch(Verb::Post, "stop", Function::Now(services::stop)),
    // It changes nothing, so it is not an act.
    post(paths::SERVICE, OPERATE_SERVICE, Function::Now(services::posted)),
    delete(paths::SERVICE, OPERATE_SERVICE, DELETE_SERVICE).act("delete", "service"),
    get("/zosConnect/services/{name}/schema/request", READ_SERVICE, Function::Now(services::request_schema)),
    get(
        "/zosConnect/services/{name}/schema/response",
        READ_SERVICE,
        Function::Now(services::response_schema),
    ),
    get(
        "/zosConnect/operations/getStatistics",
        Right::List(Kind::Service, Operate),
        Function::Now(services::all_statistics),
    ),
    get(paths::REQUESTERS, Right::List(Kind::Requester, Read), Function::Now(zos_connect::requesters)),
    post(paths::REQUESTERS, OPERATE, DEPLOY_REQUESTER).act("deploy", "apiRequester"),
    get(paths::REQUESTER, Right::Object(Kind::Requester, Read), Function::Now(zos_connect::requester)),
    put(paths::REQUESTER, Right::Object(Kind::Requester, Operate), PUT_REQUESTER)
        .act_by_status("apiRequester"),
    delete(paths::REQUESTER, Right::Object(Kind::Requester, Operate), DELETE_REQUESTER)
        .act("delete", "apiRequester"),
    get("/zosConnect/api-docs", Right::List(Kind::Api, Read), Function::Now(documents::zos_connect)),
];

const READ: Right = Right::Whole(Read);
const OPERATE: Right = Right::Whole(Operate);
const READ_SERVICE: Right = Right::Object(Kind::Service, Read);
const OPERATE_SERVICE: Right = Right::Object(Kind::Service, Operate);

const DEPLOY_API: Function = Function::Package(|asked, package| packages::post(asked, Kind::Api, package));
const DEPLOY_SERVICE: Function =
    Function::Package(|asked, package| packages::post(asked, Kind::Service, package));
const DEPLOY_REQUESTER: Function =
    Function::Package(|asked, package| packages::post(asked, Kind::Requester, package));
const PUT_API: Function = Function::Package(|asked, package| packages::put(asked, Kind::Api, package));
const PUT_SERVICE: Function = Function::Package(services::put);
const PUT_REQUESTER: Function =
    Function::Package(|asked, package| packages::put(asked, Kind::Requester, package));
const DELETE_API: Function = Function::Later(|asked| packages::delete(asked, Kind::Api));
const DELETE_SERVICE: Function = Function::Later(|asked| packages::delete(asked, Kind::Service));
const DELETE_REQUESTER: Function = Function::Later(|asked| packages::delete(asked, Kind::Requester));

const fn get(path: &'static str, right: Right, function: Function) -> RouteSpec {
    RouteSpec { verb: Verb::Get, path, query: None, right, act: None, run: Run::Here(function) }
}

const fn put(path: &'static str, right: Right, function: Function) -> RouteSpec {
    RouteSpec { verb: Verb::Put, ..get(path, right, function) }
}

const fn post(path: &'static str, right: Right, function: Function) -> RouteSpec {
    RouteSpec { verb: Verb::Post, ..get(path, right, function) }
}

const fn delete(path: &'static str, right: Right, function: Function) -> RouteSpec {
    RouteSpec { verb: Verb::Delete, ..get(path, right, function) }
}

/// A direct call of the service in the path.
const fn direct(verb: Verb, path: &'static str) -> RouteSpec {
    RouteSpec { verb, path, query: None, right: Right::Invoke, act: None, run: Run::Direct }
}

/// Starts or stops a service, by its action.
const fn switch(verb: Verb, action: &'static str, function: Function) -> RouteSpec {
    let spec = RouteSpec { verb, ..put(paths::SERVICE, OPERATE_SERVICE, function) };
    spec.when("action", action).act(action, "service")
}

impl RouteSpec {
    const fn when(self, parameter: &'static str, value: &'static str) -> Self {
        Self { query: Some((parameter, value)), ..self }
    }

    const fn act(self, action: &'static str, kind: &'static str) -> Self {
        Self { act: Some(ActSpec { action: ActName::Is(action), kind }), ..self }
    }

    const fn act_by_status(self, kind: &'static str) -> Self {
        Self { act: Some(ActSpec { action: ActName::ByStatus, kind }), ..self }
    }

    fn takes(&self, method: &Method, query: &str) -> bool {
        let is_asked = |(name, value)| parameter(query, name).as_deref() == Some(value);
        method == self.verb.word() && self.query.is_none_or(is_asked)
    }
}

impl Function {
    /// Answers an admitted request. `subject` gets the subject that the body names.
    ///
    /// # Errors
    /// The body cannot be received.
    pub async fn answer(
        &self,
        asked: Asked<'_>,
        body: &mut dyn Incoming,
        subject: &mut Option<String>,
    ) -> Result<Answer, Failure> {
        Ok(match self {
            Function::Now(answer) => answer(&asked),
            Function::Shown(view) => of_region::shown(&asked, *view),
            Function::Later(answer) => answer(asked).await,
            Function::WithBody(small) => {
                let body = body.receive(small.max_bytes).await?;
                *subject = (small.subject)(&body);
                (small.run)(&asked, &body)
            }
            Function::Package(answer) => answer(asked, body).await,
        })
    }
}

impl Verb {
    /// The method as an HTTP word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Verb::Get => "GET",
            Verb::Put => "PUT",
            Verb::Post => "POST",
            Verb::Delete => "DELETE",
        }
    }
}

impl ActName {
    /// The name of this act.
    #[must_use]
    pub fn word(self, query: &str) -> &'static str {
        match (self, parameter(query, "status").as_deref()) {
            (ActName::Is(word), _) => word,
            (ActName::ByStatus, Some("started")) => "start",
            (ActName::ByStatus, Some("stopped")) => "stop",
            (ActName::ByStatus, _) => "update",
        }
    }
}

/// The result of a search for a request's route.
#[derive(Debug)]
pub struct Found {
    /// The row, if there is one.
    pub target: Target,
    /// The condition for the caller.
    pub right: Right,
    /// The names in the path, decoded.
    pub names: Vec<String>,
    /// The part of administration that answers for missing routes.
    pub section: Section,
}

/// The entry of the table for a request.
#[derive(Debug)]
pub enum Target {
    /// A row.
    Row(&'static RouteSpec),
    /// The path exists, but not with this method. The text is for the Allow header.
    WrongMethod(String),
    /// The path does not exist.
    Unknown,
}

/// A part of administration with common URLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// The region.
    Region,
    /// The endpoint groups.
    Connector,
    /// The queue manager.
    Queues,
    /// z/OS Connect's administration interface.
    ZosConnect,
    /// All other parts.
    Own,
}

impl Section {
    /// The part to which a path belongs.
    #[must_use]
    pub fn of(path: &str) -> Self {
        if paths::is_below(paths::REGION, path) {
            Section::Region
        } else if paths::is_below(paths::CONNECTOR, path) {
            Section::Connector
        } else if paths::is_below(paths::MESSAGE_QUEUES, path) {
            Section::Queues
        } else if paths::is_below(paths::ZOS_CONNECT, path) {
            Section::ZosConnect
        } else {
            Section::Own
        }
    }

    /// The answer for a path that does not exist.
    #[must_use]
    pub fn unknown(self) -> Answer {
        match self {
            Section::Region => of_region::not_found("the region has no such URL"),
            Section::Connector => of_region::not_found("the connector has no such URL"),
            Section::Queues => of_region::not_found("the queue manager has no such URL"),
            Section::ZosConnect => {
                let message = "the administration interface has no such URL";
                zos_connect::error(StatusCode::NOT_FOUND, message)
            }
            Section::Own => Answer::text(StatusCode::NOT_FOUND, format!("not found; there are:\n{}", *INDEX)),
        }
    }

    /// The answer for a path without this method. The Allow header has the methods of the path.
    #[must_use]
    pub fn wrong_method(self, allow: &str) -> Answer {
        let status = StatusCode::METHOD_NOT_ALLOWED;
        match self {
            Section::ZosConnect => zos_connect::error(status, "the method is not for this URL"),
            Section::Region | Section::Connector | Section::Queues | Section::Own => {
                Answer::text(status, format!("{} only\n", allow.replace(", ", " and ")))
            }
        }
    }
}

/// The rows of one path.
#[derive(Debug)]
struct PathRows {
    first: &'static RouteSpec,
    rows: Vec<&'static RouteSpec>,
}

impl PathRows {
    /// All of them, in the order of the table.
    fn all() -> Vec<Self> {
        let mut paths: Vec<PathRows> = Vec::new();
        for row in ROUTES {
            match paths.iter_mut().find(|known| known.first.path == row.path) {
                Some(known) => known.rows.push(row),
                None => paths.push(PathRows { first: row, rows: vec![row] }),
            }
        }
        paths
    }

    /// The value of the Allow header.
    fn allow(&self) -> String {
        let mut verbs: Vec<&str> = self.rows.iter().map(|row| row.verb.word()).collect();
        verbs.dedup();
        verbs.join(", ")
    }
}

/// The paths of the table. The rows decide about methods, so [`Routes`] must not add HEAD to GET.
static PATHS: LazyLock<Routes<PathRows>> = LazyLock::new(|| {
    let mut routes = RoutesBuilder::new(&[""]);
    for path in PathRows::all() {
        routes.add(0, path.first.path, (Method::GET, path));
    }
    routes.finish().expect("no two paths of the table contradict each other")
});

/// Finds the route of a request.
#[must_use]
pub fn find(method: &Method, uri: &Uri) -> Found {
    let (path, query) = (uri.path(), uri.query().unwrap_or_default());
    let section = Section::of(path);
    let Matched::Target { target: known, path: values } = PATHS.find(&Method::GET, path) else {
        let action = if method == Method::GET { Read } else { Operate };
        let right = if section == Section::Own { Right::Open } else { Right::Whole(action) };
        return Found { target: Target::Unknown, right, names: Vec::new(), section };
    };
    let names = values.texts().map(decoded).collect();
    match known.rows.iter().find(|row| row.takes(method, query)) {
        Some(row) => Found { target: Target::Row(row), right: row.right, names, section },
        None => {
            let target = Target::WrongMethod(known.allow());
            Found { target, right: known.first.right, names, section }
        }
    }
}

/// Answers `/`.
fn index(_: &Asked<'_>) -> Answer {
    Answer::text(StatusCode::OK, INDEX.as_str())
}

/// The paths without names, for the list at `/`.
static INDEX: LazyLock<String> = LazyLock::new(|| {
    let shown = |path: &PathRows| path.first.path != "/" && !path.first.path.contains('{');
    let line = |path: &PathRows| match path.first.verb {
        Verb::Get => format!("{}\n", path.first.path),
        verb => format!("{} ({})\n", path.first.path, verb.word()),
    };
    PathRows::all().iter().filter(|path| shown(path)).map(line).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    fn found(method: &Method, uri: &'static str) -> Found {
        find(method, &Uri::from_static(uri))
    }

    /// The act and the names of a request.
    fn act(method: &Method, uri: &'static str) -> Option<(&'static str, &'static str, Vec<String>)> {
        let found = found(method, uri);
        let Target::Row(row) = found.target else { return None };
        let query = uri.split_once('?').map_or("", |(_, query)| query);
        row.act.map(|act| (act.action.word(query), act.kind, found.names))
    }

    #[test]
    fn rows_that_look_at_the_query_stand_before_the_one_that_does_not() {
        for (position, row) in ROUTES.iter().enumerate() {
            let is_same = |other: &&RouteSpec| (other.verb, other.path) == (row.verb, row.path);
            let later: Vec<&RouteSpec> = ROUTES[position + 1..].iter().filter(is_same).collect();
            assert!(later.iter().all(|other| other.query != row.query), "{row:?} is there twice");
            assert!(later.is_empty() || row.query.is_some(), "{row:?} hides {later:?}");
            assert!(!later.is_empty() || row.query.is_none(), "no row takes what {row:?} leaves");
        }
    }

    #[test]
    fn rows_name_what_their_rights_are_about_and_get_changes_nothing() {
        for row in ROUTES {
            let is_about_one = matches!(row.right, Right::Object(..) | Right::Invoke | Right::Health);
            assert!(!is_about_one || row.path.contains('{'), "{row:?}");
            // The audit records a direct call as a call. One other row changes nothing.
            let is_other = matches!(row.run, Run::Direct)
                || (row.verb, row.path, row.query) == (Verb::Post, paths::SERVICE, None);
            assert_eq!(row.act.is_some(), row.verb != Verb::Get && !is_other, "{row:?}");
        }
    }

    #[test]
    fn only_what_changes_something_is_an_act() {
        for (path, expected) in [
            ("/region/tasks/7/purge", ("purge", "task", "7")),
            ("/region/units/A%2FB/commit", ("commit", "unit", "A/B")),
            ("/region/units/01/backout", ("backout", "unit", "01")),
            ("/region/transactions/LGSE/start", ("start", "transaction", "LGSE")),
            ("/region/starts/PAY%201/cancel", ("cancel", "start", "PAY 1")),
        ] {
            let (action, kind, names) = act(&Method::POST, path).expect("an act");
            assert_eq!((action, kind, &*names), (expected.0, expected.1, &[expected.2.to_owned()][..]));
            assert_eq!(act(&Method::GET, path), None);
        }
        assert_eq!(act(&Method::POST, "/region/tasks"), None);
        let of_echo = |action, kind| Some((action, kind, vec!["echo".to_owned()]));
        for (method, uri, expected) in [
            (Method::PUT, "/zosConnect/apis/echo?status=stopped", of_echo("stop", "api")),
            (Method::PUT, "/zosConnect/apis/echo?x&status=started", of_echo("start", "api")),
            (Method::PUT, "/zosConnect/apis/echo", of_echo("update", "api")),
            (Method::POST, "/zosConnect/services/echo?action=start", of_echo("start", "service")),
            (Method::PUT, "/zosConnect/services/echo?action=st%6Fp", of_echo("stop", "service")),
            (Method::PUT, "/zosConnect/services/echo?action=invoke", None),
            (Method::GET, "/zosConnect/services/echo?action=start", None),
            (Method::POST, "/zosConnect/services/echo", None),
            // A parameter that the row ignores must not hide an act.
            (Method::DELETE, "/zosConnect/services/echo?action=invoke", of_echo("delete", "service")),
            (Method::POST, "/zosConnect/apis?action=invoke", Some(("deploy", "api", Vec::new()))),
        ] {
            assert_eq!(act(&method, uri), expected, "{method} {uri}");
        }
    }

    #[test]
    fn what_shows_data_of_programs_is_for_operators() {
        for (path, action) in [
            ("/region/queues", Read),
            ("/region/dumps", Read),
            ("/region/no/such/place", Read),
            ("/region/queues/Q", Operate),
            ("/region/dumps/1", Operate),
            ("/region/trace", Operate),
        ] {
            assert_eq!(found(&Method::GET, path).right, Right::Whole(action), "{path}");
        }
    }

    #[test]
    fn paths_tell_their_methods() {
        let allow = |uri| match found(&Method::PATCH, uri).target {
            Target::WrongMethod(allow) => allow,
            other => panic!("{uri}: {other:?}"),
        };
        assert_eq!(allow("/metrics"), "GET");
        assert_eq!(allow("/region/trace"), "GET, POST");
        assert_eq!(allow("/zosConnect/services/echo?action=invoke"), "GET, PUT, POST, DELETE");
        assert!(matches!(found(&Method::HEAD, "/metrics").target, Target::WrongMethod(_)));
        assert!(matches!(found(&Method::GET, "/metrics/x").target, Target::Unknown));
        assert_eq!(found(&Method::GET, "/zosConnect/x").right, Right::Whole(Read));
        assert_eq!(found(&Method::PUT, "/zosConnect/x").right, Right::Whole(Operate));
        assert_eq!(found(&Method::GET, "/x").right, Right::Open);
    }
}
