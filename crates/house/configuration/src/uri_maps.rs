//! Reads `[[urimap]]` (EXEC CICS WEB). With usage server it is a path whose requests a program answers itself; each such path is one
//! of the APIs. With usage client it is a server that programs call.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use api::{Api, ElsewhereSpec};
use codepage::Encoding;
use percent::bare_host;
use region_config::RegionUse;
use remote::Reachable;
use requesters::{UriMap, WebClient, is_allowed, url_of};
use serde::Deserialize;
use service::{Service, WebServer};
use toml::Spanned;

use super::apis::Apis;
use super::loader::Loader;
use super::mcp::ApiOffer;
use super::written::default_timeout_ms;
use admission::Security;
use admission::config::{
    ApiSections, CallLimitsSection, CorsSection, OperationSections, OwnSecuritySection, SecurityReader,
};
use gateway::LoadedUriMap;
use recording::config::{Around, ChainSection, Interceptors};
use settings::GANTRY_FILE;

/// The longest name of a URIMAP (CICS TS).
const NAME_BYTES_MAX: usize = 8;

/// The id of the only operation of a URIMAP.
const OPERATION: &str = "request";

/// `usage`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Usage {
    /// A program answers requests.
    #[default]
    Server,
    /// Programs send requests.
    Client,
}

/// `scheme`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Scheme {
    #[default]
    Http,
    Https,
}

/// `[[urimap]]`: a URIMAP of CICS with USAGE(SERVER) or USAGE(CLIENT).
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UriMapSection {
    /// Its name, in lists, logs, metrics and switches, and for programs.
    name: Spanned<String>,
    #[serde(default)]
    usage: Usage,
    #[serde(default)]
    description: String,
    /// The path of requests. With `*` at its end it is all paths that begin so.
    path: Spanned<String>,
    /// The host that requests name; all hosts if it is left out. Of usage client, the server's.
    host: Option<Spanned<String>>,
    /// The scheme and the port of the server, of usage client.
    scheme: Option<Scheme>,
    port: Option<Spanned<u16>>,
    /// The program that answers, of usage server.
    program: Option<Spanned<String>>,
    /// The transaction that it runs under. This and all keys below are of usage server.
    transaction: Option<String>,
    /// The character set of text for which nothing else names one.
    charset: Option<Spanned<String>>,
    timeout_ms: Option<u64>,
    security: Option<OwnSecuritySection>,
    limits: Option<CallLimitsSection>,
    cors: Option<CorsSection>,
    interceptors: Option<ChainSection>,
    policy: Option<Spanned<String>>,
}

/// The transaction of CICS for such programs.
const TRANSACTION: &str = "CWBA";

/// The character set of CICS for text without one.
const CHARSET: &str = "iso-8859-1";

impl Loader<'_> {
    /// Loads the servers that programs may call. They are those of connections. The client also knows all URIMAPs, for INQUIRE
    /// URIMAP.
    pub(super) fn web_client(&mut self, sections: &[UriMapSection], reachable: Reachable) -> WebClient {
        let mut known = BTreeMap::new();
        for section in sections {
            let made = match section.usage {
                Usage::Server => Ok(section.answered()),
                Usage::Client => section.called(&reachable),
            };
            match made {
                Ok(made) => {
                    let name = section.name.get_ref();
                    let is_client = section.usage == Usage::Client;
                    // Two for requests to programs are a fault of their names as APIs.
                    let is_twice = |old: UriMap| is_client || old.answers.is_none();
                    if known.insert(name.clone(), made).is_some_and(is_twice) {
                        self.at(GANTRY_FILE, section.name.span(), taken(name));
                    }
                }
                Err((span, message)) => self.at(GANTRY_FILE, span, message),
            }
        }
        WebClient::new(reachable, known)
    }

    /// Loads the paths of programs. Each gets an API that represents it.
    pub(super) fn uri_maps(
        &mut self,
        sections: &[UriMapSection],
        loaded: &mut Apis,
        region: &mut RegionUse,
        security: &Security,
        interceptors: &mut Interceptors,
    ) -> Vec<LoadedUriMap> {
        let mut paths = HashSet::new();
        let mut maps = Vec::new();
        for section in sections.iter().filter(|section| section.usage == Usage::Server) {
            let path =
                (section.path.get_ref().as_str(), section.host.as_ref().map(|host| host.get_ref().as_str()));
            if !paths.insert(path) {
                let message = format!("another [[urimap]] has the path {} of the same host", path.0);
                self.at(GANTRY_FILE, section.path.span(), message);
            }
            let Some(service) = self.program_of(section, loaded, region) else { continue };
            let api = loaded.apis.len();
            self.represent(section, loaded, security, interceptors);
            maps.push(LoadedUriMap {
                api,
                name: section.name.get_ref().clone(),
                path: section.path.get_ref().clone(),
                host: section.host.as_ref().map(|host| host.get_ref().clone()),
                charset: section.charset().to_owned(),
                service: Arc::new(service),
            });
        }
        maps
    }

    /// The program of a section, after its keys have been checked.
    fn program_of(
        &mut self,
        section: &UriMapSection,
        loaded: &Apis,
        region: &mut RegionUse,
    ) -> Option<Service> {
        let name = section.name.get_ref();
        if let Some(port) = &section.port {
            self.at(
                GANTRY_FILE,
                port.span(),
                "port is for usage = \"client\": requests come by the listeners",
            );
        }
        if section.scheme.is_some() {
            self.at(
                GANTRY_FILE,
                section.name.span(),
                "scheme is for usage = \"client\"; [urimap.security] may require TLS",
            );
        }
        let Some(program) = &section.program else {
            let message = "expected 'program', which answers the requests, or usage = \"client\"";
            self.at(GANTRY_FILE, section.name.span(), message);
            return None;
        };
        let provider = region.web_provider(program.get_ref(), section.transaction(), program.span());
        let faults: Vec<(Range<usize>, String)> = [
            check_name(name).map_err(|message| (section.name.span(), message)),
            check_not_taken(name, loaded).map_err(|message| (section.name.span(), message)),
            check_path(section.path.get_ref(), loaded).map_err(|message| (section.path.span(), message)),
            section
                .host
                .as_ref()
                .map_or(Ok(()), |host| check_host(host.get_ref()).map_err(|message| (host.span(), message))),
            section.charset.as_ref().map_or(Ok(()), |charset| {
                check_charset(charset.get_ref()).map_err(|message| (charset.span(), message))
            }),
        ]
        .into_iter()
        .filter_map(Result::err)
        .collect();
        let is_fine = faults.is_empty();
        for (span, message) in faults {
            self.at(GANTRY_FILE, span, message);
        }
        match provider {
            Ok(provider) if is_fine => Some(Service {
                name: format!("urimap {name}"),
                description: section.description.clone(),
                timeout: Duration::from_millis(section.timeout_ms.unwrap_or_else(default_timeout_ms)),
                provider: Arc::new(provider),
            }),
            Ok(_) => None,
            Err(message) => {
                self.at(GANTRY_FILE, program.span(), message);
                None
            }
        }
    }

    /// Adds the API that represents a path, with its guard and its interceptors.
    fn represent(
        &mut self,
        section: &UriMapSection,
        loaded: &mut Apis,
        security: &Security,
        interceptors: &mut Interceptors,
    ) {
        let mut reader = SecurityReader { loader: &mut self.reading, path: GANTRY_FILE };
        let (own_security, own_limits) = (OwnSecuritySection::default(), CallLimitsSection::default());
        let sections = ApiSections {
            security: section.security.as_ref().unwrap_or(&own_security),
            limits: section.limits.as_ref().unwrap_or(&own_limits),
            cors: section.cors.as_ref(),
        };
        let mut guard = reader.api(security, sections);
        let unlimited = CallLimitsSection::default();
        let operation =
            OperationSections { scopes: &[], limits: &unlimited, services: Vec::new(), roles: None };
        let own = reader.operation(security, &guard, &operation);
        guard.operations.push(own);
        let around = Around {
            path: GANTRY_FILE.to_owned(),
            chain: section.interceptors.clone().unwrap_or_default(),
            policy: section.policy.clone(),
        };
        interceptors.api(self, &around);
        loaded.apis.push(Api::elsewhere(ElsewhereSpec {
            name: section.name.get_ref().clone(),
            description: section.description.clone(),
            path: section.path.get_ref().clone(),
            operations: vec![(OPERATION.to_owned(), section.program_name().to_owned())],
            document: None,
        }));
        loaded.guards.push(guard);
        let (path, operations) = (around.path, Vec::new());
        loaded.offers.push(ApiOffer { path, offered: Some(false), operations });
    }
}

/// A fault with the place where it stands.
type Fault = (Range<usize>, String);

impl UriMapSection {
    fn program_name(&self) -> &str {
        self.program.as_ref().map_or("", |program| program.get_ref())
    }

    fn transaction(&self) -> &str {
        self.transaction.as_deref().unwrap_or(TRANSACTION)
    }

    fn charset(&self) -> &str {
        self.charset.as_ref().map_or(CHARSET, |charset| charset.get_ref())
    }

    /// The first key that counts only where a program answers requests.
    fn key_of_server(&self) -> Option<&'static str> {
        let keys = [
            ("program", self.program.is_some()),
            ("transaction", self.transaction.is_some()),
            ("charset", self.charset.is_some()),
            ("timeout_ms", self.timeout_ms.is_some()),
            ("security", self.security.is_some()),
            ("limits", self.limits.is_some()),
            ("cors", self.cors.is_some()),
            ("interceptors", self.interceptors.is_some()),
            ("policy", self.policy.is_some()),
        ];
        keys.into_iter().find_map(|(key, is_there)| is_there.then_some(key))
    }

    /// As programs see it that ask for URIMAPs.
    fn answered(&self) -> UriMap {
        let host = self.host.as_ref().map_or("*", |host| host.get_ref()).to_owned();
        UriMap {
            server: WebServer { is_secure: false, host, port: 0 },
            path: self.path.get_ref().clone(),
            answers: Some((self.program_name().to_owned(), self.transaction().to_owned())),
        }
    }

    /// A server for requests of programs. One of the connections must lead there.
    fn called(&self, reachable: &Reachable) -> Result<UriMap, Fault> {
        let fault = |text: &Spanned<String>, message| (text.span(), message);
        check_name(self.name.get_ref()).map_err(|message| fault(&self.name, message))?;
        if let Some(key) = self.key_of_server() {
            let message =
                format!("{key} is for usage = \"server\": the connection has the settings of requests");
            return Err(fault(&self.name, message));
        }
        let Some(host) = &self.host else {
            return Err(fault(&self.name, "expected 'host', the server for requests of programs".to_owned()));
        };
        let name = bare_host(host.get_ref()).to_owned();
        if !program::web::is_host(&name) {
            let message = format!("host is '{name}'; expected a host name or an address, without a port");
            return Err(fault(host, message));
        }
        let path = self.path.get_ref();
        if !path.starts_with('/') || !program::web::is_target(path) {
            let message =
                format!("path is '{path}'; expected a path as it stands in URLs, which begins with '/'");
            return Err(fault(&self.path, message));
        }
        let is_secure = self.scheme == Some(Scheme::Https);
        let port = match &self.port {
            Some(port) if *port.get_ref() == 0 => {
                return Err((port.span(), "expected a port from 1 to 65535".to_owned()));
            }
            Some(port) => *port.get_ref(),
            None if is_secure => 443,
            None => 80,
        };
        let server = WebServer { is_secure, host: name, port };
        match is_allowed(&server, path, reachable) {
            true => Ok(UriMap { server, path: path.clone(), answers: None }),
            false => {
                let message =
                    format!("{} is not below the url of any of [connections]", url_of(&server, path));
                Err(fault(host, message))
            }
        }
    }
}

fn taken(name: &str) -> String {
    format!("'{name}' is already the name of an API, a web service or another [[urimap]]")
}

fn check_name(name: &str) -> Result<(), String> {
    let fits = (1..=NAME_BYTES_MAX).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"$@#_-".contains(&byte));
    let expected = "expected a name of 1 to 8 letters, digits, '$', '@', '#', '_' and '-'";
    if fits { Ok(()) } else { Err(format!("{expected}, found '{name}'")) }
}

fn check_not_taken(name: &str, loaded: &Apis) -> Result<(), String> {
    match loaded.apis.iter().any(|api| api.name() == name) {
        true => Err(taken(name)),
        false => Ok(()),
    }
}

fn check_path(path: &str, loaded: &Apis) -> Result<(), String> {
    let whole = path.strip_suffix('*').unwrap_or(path);
    let good = |c: char| c.is_ascii_alphanumeric() || "/-._~%:@!$&'()+,;=".contains(c);
    if !whole.starts_with('/') || !whole.chars().all(good) {
        return Err(format!(
            "path is '{path}'; expected a path as it stands in URLs, which begins with '/', and may have '*' at its end"
        ));
    }
    match loaded.apis.iter().find(|api| api.base_path() == path) {
        Some(api) => Err(format!("{path} is the path of '{}'", api.name())),
        None => Ok(()),
    }
}

fn check_host(host: &str) -> Result<(), String> {
    let good = |byte: u8| byte.is_ascii_alphanumeric() || b".-_[]:".contains(&byte);
    let has_port = !host.starts_with('[') && host.contains(':');
    match !host.is_empty() && host.bytes().all(good) && !has_port {
        true => Ok(()),
        false => Err(format!("host is '{host}'; expected a host name or an address, without a port")),
    }
}

fn check_charset(charset: &str) -> Result<(), String> {
    let is_token = charset.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte));
    match Encoding::by_charset(charset).filter(|_| is_token) {
        Some(_) => Ok(()),
        None => Err(format!("'{charset}' is not a character set that Gantry knows")),
    }
}
