//! The one table of administration's routes: who may take each, what the audit calls it, and which function answers.
//!
//! Dispatch, the check of rights, the record of acts, 405 with Allow and the list at `/` come from the rows.

use std::sync::LazyLock;

use http::{Method, Uri};
use region::Region;
use routing::{Found as Matched, Routes, RoutesBuilder};
use security::Action::{self, Operate, Read};
use serde_json::Value;

use super::asked::{Answer, Asked, Incoming, Pending, decoded, parameter};
use super::region::{dumps, links, queues, trace, view};
use super::{configuration, documents, health, paths, region as of_region, zos_connect};
use switches::Kind;
use zos_connect::{packages, services};

/// One route.
#[derive(Clone, Copy, Debug)]
pub(super) struct RouteSpec {
    pub(super) verb: Verb,
    /// The template: a name stands in braces.
    pub(super) path: &'static str,
    /// The query parameter, with its value, without which the row is not meant. Such rows stand before the row of the same
    /// verb and path that takes every query.
    pub(super) query: Option<(&'static str, &'static str)>,
    pub(super) right: Right,
    /// None if it changes nothing.
    pub(super) act: Option<ActSpec>,
    pub(super) run: Run,
}

/// The methods of administration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Get,
    Put,
    Post,
    Delete,
}

/// What a caller needs to be let in. An object's name is the first one in the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Right {
    /// Nothing: it is open to all who reach the address.
    Open,
    /// To see the figures.
    Metrics,
    /// To do this with the gateway as a whole.
    Whole(Action),
    /// To do this with at least one of a kind.
    List(Kind, Action),
    /// To do this with one.
    Object(Kind, Action),
    /// To call a service.
    Invoke,
    /// To see the health of an API: in full, or whether it works if nobody is known.
    Health,
}

/// What the audit records.
#[derive(Clone, Copy, Debug)]
pub(super) struct ActSpec {
    pub(super) action: ActName,
    /// Of which kind the thing is whose name is the first one in the path.
    pub(super) kind: &'static str,
}

/// What an act is called.
#[derive(Clone, Copy, Debug)]
pub(super) enum ActName {
    Is(&'static str),
    /// Start or stop, as `?status=` says, or else update.
    ByStatus,
}

/// What answers, and what it does with the body.
#[derive(Clone, Copy, Debug)]
pub(super) enum Run {
    /// Answers at once. The body is not read.
    Now(fn(&Asked<'_>) -> Answer),
    /// The same, of the region, which must be there.
    Shown(fn(&Region) -> Value),
    /// Waits for files, threads or the region. The body is not read.
    Later(for<'a> fn(Asked<'a>) -> Pending<'a>),
    /// Answers at once when the body is there.
    WithBody(Small),
    /// Looks at the head first, and then receives a package if it is worth it.
    Package(for<'a> fn(Asked<'a>, &'a mut dyn Incoming) -> Pending<'a>),
    /// Calls the service with the JSON of the body.
    Direct,
}

/// A body of few bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Small {
    pub(super) max_bytes: usize,
    pub(super) run: fn(&Asked<'_>, &[u8]) -> Answer,
    /// What the act is about, which only the body says.
    pub(super) subject: fn(&[u8]) -> Option<String>,
}

/// The routes, in the order in which the list at `/` has them.
pub(super) static ROUTES: &[RouteSpec] = &[
    get("/", Right::Open, Run::Now(super::index)),
    get("/metrics", Right::Metrics, Run::Now(configuration::metrics)),
    get("/health", Right::Open, Run::Now(health::live)),
    get("/health/live", Right::Open, Run::Now(health::live)),
    get("/health/ready", Right::Open, Run::Now(health::ready)),
    get("/health/apis", Right::List(Kind::Api, Read), Run::Later(health::apis)),
    get("/health/apis/{name}", Right::Health, Run::Later(health::api)),
    get("/configuration", READ, Run::Now(configuration::shown)),
    post("/configuration/reload", OPERATE, Run::Later(configuration::reload)).act("reload", "configuration"),
    // What programs work with, customers' data among it, is not for whoever may look: such rows need OPERATE.
    get(paths::REGION, READ, Run::Shown(view::summary)),
    get(paths::PROGRAMS, READ, Run::Now(of_region::programs)),
    get(paths::TASKS, READ, Run::Shown(view::tasks)),
    post(paths::PURGE, OPERATE, Run::Now(of_region::purge)).act("purge", "task"),
    get(paths::WORKERS, READ, Run::Shown(view::workers)),
    get(paths::QUEUES, READ, Run::Later(queues::all)),
    get(paths::QUEUE, OPERATE, Run::Later(queues::item)),
    get(paths::LINKS, READ, Run::Shown(links::links)),
    get(paths::UNITS, READ, Run::Shown(links::units)),
    post(paths::COMMIT, OPERATE, Run::Later(links::commit)).act("commit", "unit"),
    post(paths::BACKOUT, OPERATE, Run::Later(links::back_out)).act("backout", "unit"),
    get(paths::TRACE, OPERATE, Run::Shown(trace::shown)),
    post(paths::TRACE, OPERATE, Run::WithBody(trace::BEGIN)).act("trace", "region"),
    post(paths::TRACE_OFF, OPERATE, Run::Now(trace::end)).act("trace off", "region"),
    get(paths::DUMPS, READ, Run::Later(dumps::all)),
    get(paths::DUMP, OPERATE, Run::Later(dumps::one)),
    get(paths::MESSAGES, READ, Run::Now(of_region::messages)),
    get("/openapi.json", Right::List(Kind::Api, Read), Run::Now(documents::administration)),
    get(paths::APIS, Right::List(Kind::Api, Read), Run::Now(zos_connect::apis)),
    post(paths::APIS, OPERATE, DEPLOY_API).act("deploy", "api"),
    get(paths::API, Right::Object(Kind::Api, Read), Run::Now(zos_connect::api)),
    put(paths::API, Right::Object(Kind::Api, Operate), PUT_API).act_by_status("api"),
    delete(paths::API, Right::Object(Kind::Api, Operate), DELETE_API).act("delete", "api"),
    get(paths::SERVICES, Right::List(Kind::Service, Read), Run::Now(services::list)),
    post(paths::SERVICES, OPERATE, DEPLOY_SERVICE).act("deploy", "service"),
    get(paths::SERVICE, OPERATE_SERVICE, Run::Now(services::statistics)).when("action", "getStatistics"),
    // The forms of older clients.
    get(paths::SERVICE, READ_SERVICE, Run::Now(services::request_schema)).when("action", "getRequestSchema"),
    get(paths::SERVICE, READ_SERVICE, Run::Now(services::response_schema))
        .when("action", "getResponseSchema"),
    get(paths::SERVICE, READ_SERVICE, Run::Now(services::shown)),
    // The audit records a call as a call.
    put(paths::SERVICE, Right::Invoke, Run::Direct).when("action", "invoke"),
    put(paths::SERVICE, OPERATE_SERVICE, Run::Now(services::start))
        .when("action", "start")
        .act("start", "service"),
    put(paths::SERVICE, OPERATE_SERVICE, Run::Now(services::stop))
        .when("action", "stop")
        .act("stop", "service"),
    put(paths::SERVICE, OPERATE_SERVICE, PUT_SERVICE).act_by_status("service"),
    post(paths::SERVICE, Right::Invoke, Run::Direct).when("action", "invoke"),
    post(paths::SERVICE, OPERATE_SERVICE, Run::Now(services::start))
        .when("action", "start")
        .act("start", "service"),
    post(paths::SERVICE, OPERATE_SERVICE, Run::Now(services::stop))
        .when("action", "stop")
        .act("stop", "service"),
    // Nothing can be done by it: it is no act.
    post(paths::SERVICE, OPERATE_SERVICE, Run::Now(services::posted)),
    delete(paths::SERVICE, OPERATE_SERVICE, DELETE_SERVICE).act("delete", "service"),
    get("/zosConnect/services/{name}/schema/request", READ_SERVICE, Run::Now(services::request_schema)),
    get("/zosConnect/services/{name}/schema/response", READ_SERVICE, Run::Now(services::response_schema)),
    get(
        "/zosConnect/operations/getStatistics",
        Right::List(Kind::Service, Operate),
        Run::Now(services::all_statistics),
    ),
    get(paths::REQUESTERS, Right::List(Kind::Requester, Read), Run::Now(zos_connect::requesters)),
    post(paths::REQUESTERS, OPERATE, DEPLOY_REQUESTER).act("deploy", "apiRequester"),
    get(paths::REQUESTER, Right::Object(Kind::Requester, Read), Run::Now(zos_connect::requester)),
    put(paths::REQUESTER, Right::Object(Kind::Requester, Operate), PUT_REQUESTER)
        .act_by_status("apiRequester"),
    delete(paths::REQUESTER, Right::Object(Kind::Requester, Operate), DELETE_REQUESTER)
        .act("delete", "apiRequester"),
    get("/zosConnect/api-docs", Right::List(Kind::Api, Read), Run::Now(documents::zos_connect)),
];

const READ: Right = Right::Whole(Read);
const OPERATE: Right = Right::Whole(Operate);
const READ_SERVICE: Right = Right::Object(Kind::Service, Read);
const OPERATE_SERVICE: Right = Right::Object(Kind::Service, Operate);

const DEPLOY_API: Run = Run::Package(|asked, package| packages::post(asked, Kind::Api, package));
const DEPLOY_SERVICE: Run = Run::Package(|asked, package| packages::post(asked, Kind::Service, package));
const DEPLOY_REQUESTER: Run = Run::Package(|asked, package| packages::post(asked, Kind::Requester, package));
const PUT_API: Run = Run::Package(|asked, package| packages::put(asked, Kind::Api, package));
const PUT_SERVICE: Run = Run::Package(services::put);
const PUT_REQUESTER: Run = Run::Package(|asked, package| packages::put(asked, Kind::Requester, package));
const DELETE_API: Run = Run::Later(|asked| packages::delete(asked, Kind::Api));
const DELETE_SERVICE: Run = Run::Later(|asked| packages::delete(asked, Kind::Service));
const DELETE_REQUESTER: Run = Run::Later(|asked| packages::delete(asked, Kind::Requester));

const fn get(path: &'static str, right: Right, run: Run) -> RouteSpec {
    RouteSpec { verb: Verb::Get, path, query: None, right, act: None, run }
}

const fn put(path: &'static str, right: Right, run: Run) -> RouteSpec {
    RouteSpec { verb: Verb::Put, ..get(path, right, run) }
}

const fn post(path: &'static str, right: Right, run: Run) -> RouteSpec {
    RouteSpec { verb: Verb::Post, ..get(path, right, run) }
}

const fn delete(path: &'static str, right: Right, run: Run) -> RouteSpec {
    RouteSpec { verb: Verb::Delete, ..get(path, right, run) }
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

impl Verb {
    /// The method as HTTP has it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Verb::Get => "GET",
            Verb::Put => "PUT",
            Verb::Post => "POST",
            Verb::Delete => "DELETE",
        }
    }
}

impl ActName {
    /// What this act is called.
    pub(super) fn word(self, query: &str) -> &'static str {
        match (self, parameter(query, "status").as_deref()) {
            (ActName::Is(word), _) => word,
            (ActName::ByStatus, Some("started")) => "start",
            (ActName::ByStatus, Some("stopped")) => "stop",
            (ActName::ByStatus, _) => "update",
        }
    }
}

/// Where a request leads.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) target: Target,
    /// What the caller needs.
    pub(super) right: Right,
    /// The names in the path, decoded.
    pub(super) names: Vec<String>,
    /// The part of administration that says what is not there.
    pub(super) section: Section,
}

#[derive(Debug)]
pub(super) enum Target {
    Row(&'static RouteSpec),
    /// The path is there, but not with this method. It has those of the Allow header.
    WrongMethod(String),
    Unknown,
}

/// A part of administration whose URLs lie together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Region,
    ZosConnect,
    /// All else.
    Own,
}

impl Section {
    /// The part that a path belongs to.
    pub(super) fn of(path: &str) -> Self {
        if paths::is_below(paths::REGION, path) {
            Section::Region
        } else if paths::is_below(paths::ZOS_CONNECT, path) {
            Section::ZosConnect
        } else {
            Section::Own
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

/// The paths of the table. Rows decide about methods: HEAD is not offered, which [`Routes`] would add to GET.
static PATHS: LazyLock<Routes<PathRows>> = LazyLock::new(|| {
    let mut routes = RoutesBuilder::new(&[""]);
    for path in PathRows::all() {
        routes.add(0, path.first.path, (Method::GET, path));
    }
    routes.finish().expect("no two paths of the table contradict each other")
});

/// Finds where a request leads.
pub(super) fn find(method: &Method, uri: &Uri) -> Found {
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

/// The paths without names, for people who ask `/`.
pub(super) static INDEX: LazyLock<String> = LazyLock::new(|| {
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
            // The audit records a call as a call, and one of the others does nothing.
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
            // A parameter that the row does not look at hides no act.
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
