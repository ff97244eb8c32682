//! z/OS Connect's administration interface: its URLs, verbs, JSON keys and statuses, for clients that know it.
//!
//! APIs, services and API requesters: lists, details, deployment of packages, start and stop; of services schemas,
//! statistics and direct calls too.

use std::fmt::Display;
use std::sync::Arc;

use bytes::Bytes;
use failure::{Code, Failure};
use http::header::{CONTENT_TYPE, HeaderMap};
use http::request::Parts;
use http::{Method, StatusCode, Uri};
use hyper::body::Body;
use security::{Action, Identity};
use serde_json::{Value, json};

use super::deploy::{Deployment, Refusal};
use super::{Act, host};
use crate::dates::timestamp;
use crate::gateway::{ApiEntry, Gateway, RequesterEntry, ServiceEntry};
use crate::handler::collect;
use crate::live::Live;
use crate::metrics::ServiceMetrics;
use crate::security::{Admin, Peer};
use crate::serve::Listening;
use crate::serve::direct::{self, Direct};
use crate::switches::{Kind, Switch};

/// The path under which all of it lies.
pub(super) const ROOT: &str = "/zosConnect";

/// True for a path of the administration interface.
pub(crate) fn is_here(path: &str) -> bool {
    path.strip_prefix(ROOT).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The content type of packages.
const PACKAGE: &[u8] = b"application/zip";

/// The most bytes of a package that are received; what it may hold has limits of its own.
const PACKAGE_MAX_BYTES: usize = 16 << 20;

/// Of a PUT that brings nothing and asks for nothing.
const NEITHER: &str = "a package is sent as application/zip; or say what to do: ?status= or ?action=";

/// The status and JSON of an answer that is made here.
type Answer = (StatusCode, Value);

/// Who asks whom.
pub(super) struct Asking<'a> {
    pub(super) live: &'a Arc<Live>,
    /// The gateway that let the request in.
    pub(super) gateway: &'a Arc<Gateway>,
    pub(super) peer: &'a Peer,
    pub(super) identity: Option<Arc<Identity>>,
}

/// Answers a request below [`ROOT`] that was let in for what [`wanted`] says of it.
pub(super) async fn answer<B>(asking: Asking<'_>, parts: Parts, body: B) -> direct::Answer
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    let Asking { live, gateway, peer, identity } = asking;
    let segments = segments(&parts.uri);
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let query = parts.uri.query().unwrap_or_default();
    let asked = Asked { live, gateway, base: base(&parts, peer.secure), query, identity };
    if let (&Method::PUT | &Method::POST, ["services", name]) = (&parts.method, segments.as_slice())
        && asked.is_action("invoke")
    {
        // JSON of records is passed on as it is.
        return asked.invoke((&parts, peer), name, body).await;
    }
    if let Some(schema) = asked.schema_wanted(&parts.method, &segments) {
        return schema;
    }
    let (status, value) = match (&parts.method, segments.as_slice()) {
        (&Method::GET, ["apis"]) => asked.apis(),
        (&Method::POST, ["apis"]) => asked.deploy(Kind::Api, None, &parts.headers, body).await,
        (&Method::POST, ["services"]) => asked.deploy(Kind::Service, None, &parts.headers, body).await,
        (&Method::PUT, ["apis", name]) if asked.is_package(&parts.headers) => {
            asked.deploy(Kind::Api, Some(name), &parts.headers, body).await
        }
        (&Method::PUT, ["services", name])
            if asked.parameter("action").is_none() && asked.is_package(&parts.headers) =>
        {
            asked.deploy(Kind::Service, Some(name), &parts.headers, body).await
        }
        (&Method::DELETE, ["apis", name]) => asked.undeploy(Kind::Api, name).await,
        (&Method::DELETE, ["services", name]) => asked.undeploy(Kind::Service, name).await,
        (&Method::GET, ["apis", name]) => asked.with_api(name, |asked, entry| asked.api(entry)),
        (&Method::PUT, ["apis", name]) => asked.with_api(name, |asked, entry| {
            if asked.parameter("status").is_none() {
                return error(StatusCode::UNSUPPORTED_MEDIA_TYPE, NEITHER);
            }
            asked.switch(Kind::Api, entry.api.name(), &entry.switch, |asked| asked.api(entry))
        }),
        (&Method::GET, ["services"]) => asked.services(),
        (&Method::GET | &Method::PUT | &Method::POST, ["services", name]) => {
            let Some(entry) = gateway.services.get(*name) else { return rendered(unknown(name)) };
            asked.service_request(&parts.method, entry)
        }
        (&Method::GET, ["operations", "getStatistics"]) => asked.statistics_of_all(),
        (&Method::GET, ["apiRequesters"]) => asked.requesters(),
        (&Method::POST, ["apiRequesters"]) => asked.deploy(Kind::Requester, None, &parts.headers, body).await,
        (&Method::PUT, ["apiRequesters", name]) if asked.is_package(&parts.headers) => {
            asked.deploy(Kind::Requester, Some(name), &parts.headers, body).await
        }
        (&Method::DELETE, ["apiRequesters", name]) => asked.undeploy(Kind::Requester, name).await,
        (&Method::GET, ["apiRequesters", name]) => asked.detail(Kind::Requester, name),
        (&Method::PUT, ["apiRequesters", name]) => {
            let Some(entry) = gateway.requesters.get(*name) else { return rendered(unknown(name)) };
            if asked.parameter("status").is_none() {
                return rendered(error(StatusCode::UNSUPPORTED_MEDIA_TYPE, NEITHER));
            }
            asked.switch(Kind::Requester, name, &entry.switch, |asked| asked.requester(entry))
        }
        (_, ["apis" | "services" | "apiRequesters" | "operations", ..]) => {
            error(StatusCode::METHOD_NOT_ALLOWED, "the method is not for this URL")
        }
        _ => error(StatusCode::NOT_FOUND, "the administration interface has no such URL"),
    };
    rendered((status, value))
}

fn rendered((status, value): Answer) -> direct::Answer {
    (status, Bytes::from(value.to_string()))
}

/// What a request wants, and so which role it needs; it reads path and query as [`answer`] does.
pub(super) fn wanted(method: &Method, uri: &Uri) -> Admin {
    let segments = segments(uri);
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let asked = parameter(uri.query().unwrap_or_default(), "action");
    let action = match (method, asked.as_deref()) {
        (&Method::GET, Some("getStatistics")) => Action::Operate,
        (&Method::GET, _) => Action::Read,
        _ => Action::Operate,
    };
    let object = |kind, name: &str| Admin::Object(kind, name.to_owned(), action);
    match (method, segments.as_slice(), asked.as_deref()) {
        (&Method::PUT | &Method::POST, ["services", name], Some("invoke")) => {
            Admin::Invoke((*name).to_owned())
        }
        (&Method::GET, ["apis"], _) => Admin::List(Kind::Api, Action::Read),
        (&Method::GET, ["services"], _) => Admin::List(Kind::Service, Action::Read),
        (&Method::GET, ["operations", ..], _) => Admin::List(Kind::Service, Action::Operate),
        (_, ["apis", name, ..], _) => object(Kind::Api, name),
        (_, ["services", name, ..], _) => object(Kind::Service, name),
        (_, ["apiRequesters", name, ..], _) => object(Kind::Requester, name),
        _ => Admin::Action(action),
    }
}

/// The act of administration that a request is for, whether it may be or not; none if it changes nothing.
pub(super) fn act(method: &Method, uri: &Uri) -> Option<Act> {
    let segments = segments(uri);
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let query = uri.query().unwrap_or_default();
    let kind = match segments.first() {
        Some(&"apis") => "api",
        Some(&"services") => "service",
        Some(&"apiRequesters") => "apiRequester",
        _ => return None,
    };
    let status = parameter(query, "status");
    let action = match (method, parameter(query, "action").as_deref(), status.as_deref()) {
        // A call is no act of administration: it is recorded as one.
        (_, Some("invoke"), _) => return None,
        (&Method::PUT | &Method::POST, Some("start"), _) => "start",
        (&Method::PUT | &Method::POST, Some("stop"), _) => "stop",
        (&Method::POST, ..) => "deploy",
        (&Method::PUT, _, Some("started")) => "start",
        (&Method::PUT, _, Some("stopped")) => "stop",
        (&Method::PUT, ..) => "update",
        (&Method::DELETE, ..) => "delete",
        _ => return None,
    };
    Some(Act { action, kind, name: segments.get(1).map(|name| (*name).to_owned()) })
}

fn segments(uri: &Uri) -> Vec<String> {
    let path = uri.path().strip_prefix(ROOT).unwrap_or_default();
    path.split('/').skip(1).map(decoded).collect()
}

/// The first value of a query parameter.
pub(super) fn parameter(query: &str, name: &str) -> Option<String> {
    let pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.filter(|(key, _)| *key == name).map(|(_, value)| decoded(value)).next()
}

/// A request with all that an answer may need.
struct Asked<'a> {
    live: &'a Arc<Live>,
    gateway: &'a Arc<Gateway>,
    /// Scheme and host of the request, for URLs in answers.
    base: String,
    query: &'a str,
    /// Who asks, if that is known.
    identity: Option<Arc<Identity>>,
}

impl Asked<'_> {
    fn parameter(&self, name: &str) -> Option<String> {
        parameter(self.query, name)
    }

    fn is_action(&self, action: &str) -> bool {
        self.parameter("action").as_deref() == Some(action)
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// Whether the caller may do this with one of many.
    fn may(&self, kind: Kind, name: &str, action: Action) -> bool {
        self.gateway.security.may(self.identity.as_deref(), (kind, name), action)
    }

    /// The URL of a path where APIs are served: at the host that the caller knows, and the port of the first listener,
    /// unless the request came to a port of APIs itself.
    fn api_url(&self, path: &str) -> String {
        let listening = self.live.listening();
        let Some((scheme, authority)) = self.base.split_once("://") else { return self.url(path) };
        let known = authority.parse::<http::uri::Authority>().ok();
        let host = known.as_ref().map_or("localhost", http::uri::Authority::host);
        let default_port = if scheme == "https" { 443 } else { 80 };
        let port = known.as_ref().and_then(http::uri::Authority::port_u16).unwrap_or(default_port);
        let is_here = listening.iter().any(|listener| listener.address.port() == port);
        match listening.first().filter(|_| !is_here) {
            Some(Listening { address, tls }) => {
                let scheme = if *tls { "https" } else { "http" };
                format!("{scheme}://{host}:{}{path}", address.port())
            }
            None => self.url(path),
        }
    }

    /// The APIs that the caller may see.
    fn apis(&self) -> Answer {
        let apis: Vec<Value> = self
            .gateway
            .apis
            .iter()
            .filter(|entry| self.may(Kind::Api, entry.api.name(), Action::Read))
            .map(|ApiEntry { api, .. }| {
                json!({
                    "name": api.name(),
                    "version": api.version(),
                    "description": api.description(),
                    "adminUrl": self.url(&format!("{ROOT}/apis/{}", encoded(api.name()))),
                })
            })
            .collect();
        (StatusCode::OK, json!({ "apis": apis }))
    }

    fn is_package(&self, headers: &HeaderMap) -> bool {
        headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes() == PACKAGE)
    }

    /// Deploys a package: a new one, or in place of one that is stopped.
    async fn deploy<B>(&self, kind: Kind, name: Option<&str>, headers: &HeaderMap, body: B) -> Answer
    where
        B: Body<Data = Bytes>,
        B::Error: Display,
    {
        if !self.is_package(headers) {
            return error(StatusCode::UNSUPPORTED_MEDIA_TYPE, "a package is sent as application/zip");
        }
        let started = match self.parameter("status").as_deref() {
            None | Some("started") => true,
            Some("stopped") => false,
            Some(_) => return error(StatusCode::BAD_REQUEST, "status is 'started' or 'stopped'"),
        };
        if let Some(name) = name {
            match self.is_started(kind, name) {
                None => return unknown(name),
                Some(true) => return error(StatusCode::CONFLICT, "it must be stopped first"),
                Some(false) => {}
            }
        }
        let time = std::time::Duration::from_millis(self.gateway.limits.body_read_timeout_ms);
        let bytes = match tokio::time::timeout(time, collect(body, PACKAGE_MAX_BYTES)).await {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(failure)) => return failed(&failure),
            Err(_) => return failed(&Failure::new(Code::BodyTimeout)),
        };
        let (live, replaces) = (Arc::clone(self.live), name.map(str::to_owned));
        let deployed = tokio::task::spawn_blocking(move || {
            let replaces = replaces.as_deref();
            live.deploy(&Deployment { kind, replaces, bytes: &bytes, started })
        })
        .await;
        let deployed = match deployed {
            Ok(Ok(deployed)) => deployed,
            Ok(Err(refusal)) => return refused(refusal),
            Err(_) => return error(StatusCode::INTERNAL_SERVER_ERROR, "the deployment broke off"),
        };
        // The answer is what serves now, not what served when the request came.
        let gateway = self.live.gateway();
        let asked =
            Asked { gateway: &gateway, base: self.base.clone(), identity: self.identity.clone(), ..*self };
        let (_, detail) = asked.detail(kind, &deployed);
        (if name.is_none() { StatusCode::CREATED } else { StatusCode::OK }, detail)
    }

    async fn undeploy(&self, kind: Kind, name: &str) -> Answer {
        match self.is_started(kind, name) {
            None => return unknown(name),
            Some(true) => return error(StatusCode::CONFLICT, "it must be stopped first"),
            Some(false) => {}
        }
        let (live, owned) = (Arc::clone(self.live), name.to_owned());
        match tokio::task::spawn_blocking(move || live.undeploy(kind, &owned)).await {
            Ok(Ok(())) => (StatusCode::OK, json!({ "name": name })),
            Ok(Err(Refusal::Unknown)) => unknown(name),
            Ok(Err(refusal)) => refused(refusal),
            Err(_) => error(StatusCode::INTERNAL_SERVER_ERROR, "the deployment broke off"),
        }
    }

    /// Whether an API or service is started; none if there is none.
    fn is_started(&self, kind: Kind, name: &str) -> Option<bool> {
        match kind {
            Kind::Api => {
                let entry = self.gateway.apis.iter().find(|entry| entry.api.name() == name)?;
                Some(entry.switch.is_started())
            }
            Kind::Service => Some(self.gateway.services.get(name)?.switch.is_started()),
            Kind::Requester => Some(self.gateway.requesters.get(name)?.switch.is_started()),
        }
    }

    fn detail(&self, kind: Kind, name: &str) -> Answer {
        match kind {
            Kind::Api => self.with_api(name, |asked, entry| asked.api(entry)),
            Kind::Service => match self.gateway.services.get(name) {
                Some(entry) => self.service(entry),
                None => unknown(name),
            },
            Kind::Requester => match self.gateway.requesters.get(name) {
                Some(entry) => self.requester(entry),
                None => unknown(name),
            },
        }
    }

    fn requesters(&self) -> Answer {
        let requesters: Vec<Value> = self
            .gateway
            .requesters
            .values()
            .map(|RequesterEntry { requester, switch, .. }| {
                json!({
                    "name": requester.name,
                    "version": requester.version,
                    "description": requester.description,
                    "status": status(switch),
                    "connectionRef": requester.connection_name,
                    "adminUrl": self.url(&format!("{ROOT}/apiRequesters/{}", encoded(&requester.name))),
                })
            })
            .collect();
        (StatusCode::OK, json!({ "apiRequesters": requesters }))
    }

    fn requester(&self, entry: &RequesterEntry) -> Answer {
        let requester = &entry.requester;
        let detail = json!({
            "name": requester.name,
            "version": requester.version,
            "description": requester.description,
            "status": status(&entry.switch),
            "connection": requester.connection_name,
        });
        (StatusCode::OK, detail)
    }

    fn with_api(&self, name: &str, answer: impl FnOnce(&Self, &ApiEntry) -> Answer) -> Answer {
        match self.gateway.apis.iter().find(|entry| entry.api.name() == name) {
            Some(entry) => answer(self, entry),
            None => unknown(name),
        }
    }

    fn api(&self, entry: &ApiEntry) -> Answer {
        let api = &entry.api;
        let mut names: Vec<&str> =
            api.operations().iter().flat_map(|operation| operation.services()).collect();
        names.sort_unstable();
        names.dedup();
        let services: Vec<Value> =
            names.iter().map(|name| json!({ "name": name, "uri": self.service_url(name) })).collect();
        let detail = json!({
            "name": api.name(),
            "version": api.version(),
            "description": api.description(),
            "status": status(&entry.switch),
            "apiUrl": self.api_url(api.base_path()),
            "documentation": { "swagger": self.api_url(&format!("{}/api-docs", api.base_path())) },
            "services": services,
        });
        (StatusCode::OK, detail)
    }

    /// Starts or stops what `status` says, and answers with its detail.
    fn switch(
        &self,
        kind: Kind,
        name: &str,
        switch: &Switch,
        detail: impl FnOnce(&Self) -> Answer,
    ) -> Answer {
        let started = match self.parameter("status").as_deref() {
            Some("started") => true,
            Some("stopped") => false,
            _ => return error(StatusCode::BAD_REQUEST, "status is 'started' or 'stopped'"),
        };
        if switch.is_started() != started
            && let Err(cause) = self.live.switches.set(kind, name, started)
        {
            tracing::error!("whether {name} is started cannot be kept: {cause}");
            return error(StatusCode::INTERNAL_SERVER_ERROR, "the state cannot be kept");
        }
        tracing::info!(?kind, name, started, "switched");
        detail(self)
    }

    fn service_url(&self, name: &str) -> String {
        self.url(&format!("{ROOT}/services/{}", encoded(name)))
    }

    /// The services that the caller may see.
    fn services(&self) -> Answer {
        let services: Vec<Value> = self
            .gateway
            .services
            .values()
            .filter(|entry| self.may(Kind::Service, &entry.running.service.name, Action::Read))
            .map(|entry| {
                let service = &entry.running.service;
                json!({
                    "ServiceName": service.name,
                    "ServiceDescription": service.description,
                    "ServiceProvider": provider(entry),
                    "ServiceURL": self.service_url(&service.name),
                })
            })
            .collect();
        (StatusCode::OK, json!({ "zosConnectServices": services }))
    }

    /// Calls a service.
    async fn invoke<B>(&self, (parts, peer): (&Parts, &Peer), name: &str, body: B) -> direct::Answer
    where
        B: Body<Data = Bytes>,
        B::Error: Display,
    {
        let Some(entry) = self.gateway.services.get(name) else { return rendered(unknown(name)) };
        let (gateway, identity) = (&**self.gateway, self.identity.as_ref());
        Direct { gateway, peer, identity, parts, entry }.invoke(body).await
    }

    fn service_request(&self, method: &Method, entry: &ServiceEntry) -> Answer {
        let name = &entry.running.service.name;
        match (method, self.parameter("action").as_deref()) {
            (&Method::GET, None) => self.service(entry),
            (&Method::GET, Some("getStatistics")) => {
                (StatusCode::OK, json!({ name: self.statistics(entry) }))
            }
            (&Method::GET, Some("status")) => self.service(entry),
            (&Method::PUT | &Method::POST, Some(action @ ("start" | "stop"))) => {
                let query = format!("status={}", if action == "start" { "started" } else { "stopped" });
                let (base, identity) = (self.base.clone(), self.identity.clone());
                let asked = Asked { query: &query, base, identity, ..*self };
                asked.switch(Kind::Service, name, &entry.switch, |asked| asked.service(entry))
            }
            (&Method::PUT, None) if self.parameter("status").is_some() => {
                self.switch(Kind::Service, name, &entry.switch, |asked| asked.service(entry))
            }
            (_, Some(_)) => error(StatusCode::METHOD_NOT_ALLOWED, "the action is not for this method"),
            (_, None) => error(StatusCode::UNSUPPORTED_MEDIA_TYPE, NEITHER),
        }
    }

    fn service(&self, entry: &ServiceEntry) -> Answer {
        let service = &entry.running.service;
        let url = self.service_url(&service.name);
        let detail = json!({
            "zosConnect": {
                "serviceName": service.name,
                "serviceDescription": service.description,
                "serviceProvider": provider(entry),
                "version": "1.0.0",
                "serviceURL": url,
                "serviceInvokeURL": format!("{url}?action=invoke"),
                "dataXformProvider": "gantry",
                "serviceStatus": status(&entry.switch),
            },
            &service.name: {},
        });
        (StatusCode::OK, detail)
    }

    /// The answer to a request for a schema, if it is one.
    fn schema_wanted(&self, method: &Method, segments: &[&str]) -> Option<direct::Answer> {
        match segments {
            _ if method != Method::GET => None,
            ["services", name, "schema", side] => Some(self.schema(name, side)),
            // The form of older clients.
            ["services", name] if self.is_action("getRequestSchema") => Some(self.schema(name, "request")),
            ["services", name] if self.is_action("getResponseSchema") => Some(self.schema(name, "response")),
            _ => None,
        }
    }

    fn schema(&self, name: &str, side: &str) -> direct::Answer {
        let Some(entry) = self.gateway.services.get(name) else { return rendered(unknown(name)) };
        let schema = match side {
            "request" => entry.running.conversion.request_schema(),
            "response" => entry.running.conversion.response_schema(),
            _ => {
                let message = "there are schema/request and schema/response";
                return rendered(error(StatusCode::NOT_FOUND, message));
            }
        };
        (StatusCode::OK, Bytes::from(schema))
    }

    fn statistics(&self, entry: &ServiceEntry) -> Value {
        json!({
            "ServiceProvider": provider(entry),
            "InvokeRequestCount": entry.metrics.calls().to_string(),
            "TimeOfRegistrationWithZosConnect": timestamp(self.live.begun),
            "ServiceStatistics": statistics_of(&entry.metrics),
        })
    }

    fn statistics_of_all(&self) -> Answer {
        let wanted = self.parameter("provider");
        let may =
            |entry: &&ServiceEntry| self.may(Kind::Service, &entry.running.service.name, Action::Operate);
        let entries = self.gateway.services.values().filter(may);
        let statistics: serde_json::Map<String, Value> = entries
            .filter(|entry| wanted.as_deref().is_none_or(|wanted| wanted == provider(entry)))
            .map(|entry| (entry.running.service.name.clone(), self.statistics(entry)))
            .collect();
        (StatusCode::OK, Value::Object(statistics))
    }
}

/// What `/metrics` shows of the service, under keys of ours: z/OS Connect leaves them to the provider.
fn statistics_of(metrics: &ServiceMetrics) -> Value {
    let mut statistics = json!({ "FailedInvokeCount": metrics.failures().to_string() });
    if let Some(seconds) = metrics.seconds() {
        statistics["InvokeSeconds"] = format!("{seconds:.6}").into();
    }
    statistics
}

fn refused(refusal: Refusal) -> Answer {
    match refusal {
        Refusal::Bad(message) => error(StatusCode::BAD_REQUEST, &message),
        Refusal::Conflict(message) => error(StatusCode::CONFLICT, &message),
        Refusal::Unknown => error(StatusCode::NOT_FOUND, "there is no such package"),
        Refusal::Io(message) => error(StatusCode::INTERNAL_SERVER_ERROR, &message),
    }
}

fn status(switch: &Switch) -> &'static str {
    if switch.is_started() { "Started" } else { "Stopped" }
}

/// The name that clients know from z/OS Connect, else that of what serves it here.
fn provider(entry: &ServiceEntry) -> String {
    let known = entry.running.zos_provider.as_deref();
    known.unwrap_or_else(|| entry.running.service.provider.kind()).to_owned()
}

fn unknown(name: &str) -> Answer {
    let message = format!("BAQR0431W: The resource {name} is not available.");
    (StatusCode::NOT_FOUND, json!({ "errorMessage": message }))
}

fn error(status: StatusCode, message: &str) -> Answer {
    (status, json!({ "errorMessage": message }))
}

fn failed(failure: &Failure) -> Answer {
    tracing::debug!(%failure, "a package could not be received");
    let body = serde_json::from_slice(&failure.body()).unwrap_or(Value::Null);
    (failure.code.status(), body)
}

/// Scheme and host as the caller knows them.
fn base(parts: &Parts, secure: bool) -> String {
    let scheme = if secure { "https" } else { "http" };
    match host(&parts.uri, &parts.headers) {
        Some(host) => format!("{scheme}://{host}"),
        None => format!("{scheme}://localhost"),
    }
}

pub(super) fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// A name in a path: slashes and all else that is not plain are escaped.
fn encoded(name: &str) -> String {
    percent_encoding::utf8_percent_encode(name, percent_encoding::NON_ALPHANUMERIC)
        .to_string()
        .replace("%2D", "-")
        .replace("%5F", "_")
        .replace("%2E", ".")
}
