//! Reads `[[urimap]]`: paths whose requests a program answers itself (EXEC CICS WEB). Each is one of the APIs.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use api::{Api, ElsewhereSpec};
use codepage::Encoding;
use region_config::RegionUse;
use serde::Deserialize;
use service::Service;
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

/// `[[urimap]]`: a URIMAP of CICS with USAGE(SERVER).
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UriMapSection {
    /// Its name, in lists, logs, metrics and switches, and for WEB EXTRACT.
    name: Spanned<String>,
    #[serde(default)]
    description: String,
    /// The path of requests. With `*` at its end it is all paths that begin so.
    path: Spanned<String>,
    /// The host that requests name; all hosts if it is left out.
    host: Option<Spanned<String>>,
    /// The program that answers.
    program: Spanned<String>,
    /// The transaction that it runs under.
    #[serde(default = "default_transaction")]
    transaction: String,
    /// The character set of text for which nothing else names one.
    #[serde(default = "default_charset")]
    charset: Spanned<String>,
    #[serde(default = "default_timeout_ms")]
    timeout_ms: u64,
    #[serde(default)]
    security: OwnSecuritySection,
    #[serde(default)]
    limits: CallLimitsSection,
    cors: Option<CorsSection>,
    #[serde(default)]
    interceptors: ChainSection,
    policy: Option<Spanned<String>>,
}

/// The transaction of CICS for such programs.
fn default_transaction() -> String {
    "CWBA".to_owned()
}

/// The character set of CICS for text without one.
fn default_charset() -> Spanned<String> {
    Spanned::new(0..0, "iso-8859-1".to_owned())
}

impl Loader<'_> {
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
        for section in sections {
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
                charset: section.charset.get_ref().clone(),
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
        let provider =
            region.web_provider(section.program.get_ref(), &section.transaction, section.program.span());
        let faults: Vec<(Range<usize>, String)> = [
            check_name(name).map_err(|message| (section.name.span(), message)),
            check_not_taken(name, loaded).map_err(|message| (section.name.span(), message)),
            check_path(section.path.get_ref(), loaded).map_err(|message| (section.path.span(), message)),
            section
                .host
                .as_ref()
                .map_or(Ok(()), |host| check_host(host.get_ref()).map_err(|message| (host.span(), message))),
            check_charset(section.charset.get_ref()).map_err(|message| (section.charset.span(), message)),
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
                timeout: Duration::from_millis(section.timeout_ms),
                provider: Arc::new(provider),
            }),
            Ok(_) => None,
            Err(message) => {
                self.at(GANTRY_FILE, section.program.span(), message);
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
        let sections =
            ApiSections { security: &section.security, limits: &section.limits, cors: section.cors.as_ref() };
        let mut guard = reader.api(security, sections);
        let unlimited = CallLimitsSection::default();
        let operation =
            OperationSections { scopes: &[], limits: &unlimited, services: Vec::new(), roles: None };
        let own = reader.operation(security, &guard, &operation);
        guard.operations.push(own);
        let around = Around {
            path: GANTRY_FILE.to_owned(),
            chain: section.interceptors.clone(),
            policy: section.policy.clone(),
        };
        interceptors.api(self, &around);
        loaded.apis.push(Api::elsewhere(ElsewhereSpec {
            name: section.name.get_ref().clone(),
            description: section.description.clone(),
            path: section.path.get_ref().clone(),
            operations: vec![(OPERATION.to_owned(), section.program.get_ref().clone())],
            document: None,
        }));
        loaded.guards.push(guard);
        let (path, operations) = (around.path, Vec::new());
        loaded.offers.push(ApiOffer { path, offered: Some(false), operations });
    }
}

fn check_name(name: &str) -> Result<(), String> {
    let fits = (1..=NAME_BYTES_MAX).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"$@#_-".contains(&byte));
    let expected = "expected a name of 1 to 8 letters, digits, '$', '@', '#', '_' and '-'";
    if fits { Ok(()) } else { Err(format!("{expected}, found '{name}'")) }
}

fn check_not_taken(name: &str, loaded: &Apis) -> Result<(), String> {
    match loaded.apis.iter().any(|api| api.name() == name) {
        true => Err(format!("'{name}' is already the name of an API, a web service or another [[urimap]]")),
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
