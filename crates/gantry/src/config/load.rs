//! From a folder of text files to what runs, or to everything that is wrong with them.

use std::collections::{HashMap, HashSet};
use std::net::{SocketAddr, ToSocketAddrs};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use api::{
    Api, ApiSpec, HeaderSpec, HeaderValueSpec, MoveSpec, OperationSpec, RenameSpec, RequestSpec,
    ResponseSpec, Router, ServiceInterface, Source, Text, ValueSpec,
};
use serde::de::DeserializeOwned;
use service::Service;
use toml::Spanned;

use super::files::{Files, is_safe};
use super::problem::{Problem, Problems, Severity, line_at};
use super::service::ServiceLoader;
use super::written::{
    ApiFile, GantryFile, HeaderSection, Limits, ListenerSection, MethodWord, MoveSection, OperationSection,
    RequestSection, ResponseSection, Scalar, ServiceFile, TlsSection,
};

/// What runs.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) listeners: Vec<Listener>,
    pub(crate) admin: Option<SocketAddr>,
    pub(crate) workers: usize,
    pub(crate) shutdown_timeout: Duration,
    pub(crate) provider_cpu_sample_every: u32,
    pub(crate) limits: Limits,
    pub(crate) apis: Vec<Api>,
    pub(crate) router: Router,
    pub(crate) services: HashMap<String, Arc<Service>>,
    /// What does not prevent serving, but should be known.
    pub(crate) warnings: Problems,
}

/// An address to serve on.
#[derive(Clone, Debug)]
pub(crate) struct Listener {
    pub(crate) address: SocketAddr,
    pub(crate) tls: Option<TlsFiles>,
}

/// The files of a TLS listener.
#[derive(Clone, Debug)]
pub(crate) struct TlsFiles {
    pub(crate) certificate: PathBuf,
    pub(crate) private_key: PathBuf,
}

/// The services of a configuration.
#[derive(Default)]
struct Services {
    running: HashMap<String, Arc<Service>>,
    interfaces: HashMap<String, ServiceInterface>,
    /// Names of services whose files have faults.
    faulty: HashSet<String>,
}

/// The address that is served on if the configuration names none.
const DEFAULT_ADDRESS: &str = "127.0.0.1:2222";

/// Loads everything.
pub(crate) fn load(files: &Files) -> Result<Settings, Problems> {
    let mut loader = Loader { files, problems: Problems::default() };
    let gantry = loader.gantry();
    let services = loader.services();
    let apis = loader.apis(&services);
    let router = loader.router(&apis);
    let listeners = loader.listeners(&gantry);
    let admin = gantry.admin.as_ref().and_then(|admin| loader.admin(&admin.address));
    loader.limits(&gantry.limits);
    if loader.problems.error_count() > 0 {
        return Err(loader.problems);
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(Settings {
        listeners,
        admin,
        workers: if gantry.server.workers == 0 { cores } else { gantry.server.workers },
        shutdown_timeout: Duration::from_millis(gantry.server.shutdown_timeout_ms),
        provider_cpu_sample_every: gantry.server.provider_cpu_sample_every,
        limits: gantry.limits,
        apis,
        router,
        services: services.running,
        warnings: loader.problems,
    })
}

const GANTRY_FILE: &str = "gantry.toml";

/// Reads files and gathers what is wrong with them.
pub(super) struct Loader<'f> {
    pub(super) files: &'f Files,
    pub(super) problems: Problems,
}

impl Loader<'_> {
    /// Reads and parses one TOML file; what is wrong with it is noted.
    fn parse<T: DeserializeOwned>(&mut self, path: &str) -> Option<(T, String)> {
        let shown = self.files.display(path);
        let text = match self.files.read(path) {
            Ok(text) => text,
            Err(error) => {
                self.problems.add(&shown, None, format!("cannot be read: {error}"));
                return None;
            }
        };
        self.problems.text(&shown, &text);
        match toml::from_str(&text) {
            Ok(value) => Some((value, text)),
            Err(error) => {
                let message = error.message().lines().next().unwrap_or_default().to_owned();
                let help = nearest_key(error.message());
                let severity = Severity::Error;
                self.problems.push(Problem { severity, file: shown, span: error.span(), message, help });
                None
            }
        }
    }

    fn gantry(&mut self) -> GantryFile {
        if self.files.read(GANTRY_FILE).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
            let shown = self.files.display(GANTRY_FILE);
            self.problems.add(
                &shown,
                None,
                "there is no such file; a configuration folder has one, even if it is empty",
            );
            return GantryFile::default();
        }
        self.parse(GANTRY_FILE).map(|(file, _)| file).unwrap_or_default()
    }

    fn at(&mut self, path: &str, span: Range<usize>, message: impl Into<String>) {
        let shown = self.files.display(path);
        self.problems.add(&shown, Some(span), message);
    }

    fn entries(&mut self, folder: &str) -> Vec<String> {
        self.files.list(folder).unwrap_or_else(|error| {
            let shown = self.files.display(folder);
            self.problems.add(&shown, None, format!("cannot be read: {error}"));
            Vec::new()
        })
    }

    fn services(&mut self) -> Services {
        let mut services = Services::default();
        for entry in self.entries("services") {
            let path = format!("services/{entry}");
            let Some(name) = entry.strip_suffix(".toml") else {
                let shown = self.files.display(&path);
                self.problems.add(&shown, None, "is no service: files in services/ end with .toml");
                continue;
            };
            let loaded = match self.parse::<ServiceFile>(&path) {
                Some((file, _)) => ServiceLoader { loader: self, path: &path, name }.service(&file),
                None => None,
            };
            match loaded {
                Some((service, interface)) => {
                    services.running.insert(name.to_owned(), Arc::new(service));
                    services.interfaces.insert(name.to_owned(), interface);
                }
                None => {
                    services.faulty.insert(name.to_owned());
                }
            }
        }
        services
    }

    fn apis(&mut self, services: &Services) -> Vec<Api> {
        let mut apis = Vec::new();
        for name in self.entries("apis") {
            let path = format!("apis/{name}/api.toml");
            let Some((file, text)) = self.parse::<ApiFile>(&path) else { continue };
            let Some(mut spec) = self.api_spec(&path, &name, &file, &text) else { continue };
            // Of a faulty service the fault has been told; that its operations cannot be made is no news.
            spec.operations.retain(|operation| !services.faulty.contains(&operation.service.text));
            match Api::compile(&spec, &services.interfaces) {
                Ok(api) => apis.push(api),
                Err(errors) => {
                    let shown = self.files.display(&path);
                    for error in errors {
                        self.problems.add_line(&shown, error.line, error.message);
                    }
                }
            }
        }
        apis
    }

    fn router(&mut self, apis: &[Api]) -> Router {
        match Router::new(apis) {
            Ok(router) => router,
            Err(errors) => {
                for error in errors {
                    let shown = self.files.display(&format!("apis/{}/api.toml", apis[error.api].name()));
                    self.problems.add(&shown, None, error.message);
                }
                Router::default()
            }
        }
    }

    fn listeners(&mut self, gantry: &GantryFile) -> Vec<Listener> {
        if gantry.listener.is_empty() {
            let address = DEFAULT_ADDRESS.parse().expect("the default address is one");
            return vec![Listener { address, tls: None }];
        }
        gantry.listener.iter().filter_map(|section| self.listener(section)).collect()
    }

    fn listener(&mut self, section: &ListenerSection) -> Option<Listener> {
        let address = self.address(&section.address)?;
        // There is no authentication yet, so TLS alone does not protect an address that others can reach.
        if !address.ip().is_loopback() && !section.allow_unprotected {
            self.at(
                GANTRY_FILE,
                section.address.span(),
                format!("{address} can be reached from other machines, without authentication; say allow_unprotected = true if that is meant"),
            );
        }
        let tls = match &section.tls {
            Some(tls) => Some(self.tls(tls)?),
            None => None,
        };
        Some(Listener { address, tls })
    }

    fn tls(&mut self, section: &TlsSection) -> Option<TlsFiles> {
        let certificate = self.on_disk(&section.certificate)?;
        let private_key = self.on_disk(&section.private_key)?;
        let files = TlsFiles { certificate, private_key };
        if let Err(message) = crate::serve::tls::server_config(&files) {
            self.at(GANTRY_FILE, section.certificate.span(), message);
        }
        Some(files)
    }

    fn on_disk(&mut self, path: &Spanned<String>) -> Option<PathBuf> {
        let found = self.files.on_disk(path.get_ref());
        if found.is_none() {
            self.at(
                GANTRY_FILE,
                path.span(),
                "certificates are read from disk; an example in the binary has none",
            );
        }
        found
    }

    fn address(&mut self, text: &Spanned<String>) -> Option<SocketAddr> {
        match text.get_ref().to_socket_addrs().map(|mut found| found.next()) {
            Ok(Some(address)) => Some(address),
            _ => {
                self.at(GANTRY_FILE, text.span(), format!("'{}' is no address and port", text.get_ref()));
                None
            }
        }
    }

    fn admin(&mut self, text: &Spanned<String>) -> Option<SocketAddr> {
        let address = self.address(text)?;
        if !address.ip().is_loopback() {
            self.at(GANTRY_FILE, text.span(), "the admin address must be on this machine (127.0.0.1 or [::1]): it has no authentication yet");
        }
        Some(address)
    }

    fn limits(&mut self, limits: &Limits) {
        let shown = self.files.display(GANTRY_FILE);
        let least = [
            ("request_body_max_bytes", limits.request_body_max_bytes, 1),
            ("connections_max", limits.connections_max, 1),
            ("header_count_max", limits.header_count_max, 8),
            ("header_max_bytes", limits.header_max_bytes, 8192),
        ];
        for (name, value, least) in least {
            if value < least {
                self.problems.add(
                    &shown,
                    None,
                    format!("limits.{name} is {value}; it must be {least} at least"),
                );
            }
        }
    }

    fn api_spec(&mut self, path: &str, name: &str, file: &ApiFile, text: &str) -> Option<ApiSpec> {
        if !is_safe(name) {
            return None;
        }
        let mut reader = ApiReader { loader: self, path, text };
        let operations = file.operation.iter().filter_map(|section| reader.operation(section)).collect();
        Some(ApiSpec {
            name: name.to_owned(),
            title: file.title.clone().unwrap_or_else(|| name.to_owned()),
            version: file.version.clone().unwrap_or_else(|| "1.0.0".to_owned()),
            description: file.description.clone(),
            base_path: reader.text(&file.base_path),
            operations,
        })
    }
}

/// Turns the sections of one API file into its specification.
struct ApiReader<'a, 'f> {
    loader: &'a mut Loader<'f>,
    path: &'a str,
    text: &'a str,
}

impl ApiReader<'_, '_> {
    fn text(&self, word: &Spanned<String>) -> Text {
        Text { text: word.get_ref().clone(), line: line_at(self.text, word.span().start) }
    }

    fn scalar(&self, value: &Spanned<Scalar>) -> Text {
        Text { text: value.get_ref().text(), line: line_at(self.text, value.span().start) }
    }

    fn operation(&mut self, section: &OperationSection) -> Option<OperationSpec> {
        let method = match section.method.get_ref() {
            MethodWord::Get => http::Method::GET,
            MethodWord::Put => http::Method::PUT,
            MethodWord::Post => http::Method::POST,
            MethodWord::Patch => http::Method::PATCH,
            MethodWord::Delete => http::Method::DELETE,
        };
        Some(OperationSpec {
            method,
            path: self.text(&section.path),
            service: self.text(&section.service),
            operation_id: section.operation_id.clone(),
            summary: section.summary.clone(),
            description: section.description.clone(),
            request: self.request(&section.request)?,
            response: self.response(&section.response)?,
        })
    }

    fn request(&mut self, section: &RequestSection) -> Option<RequestSpec> {
        let moves: Vec<Option<MoveSpec>> = section.r#move.iter().map(|step| self.step(step)).collect();
        Some(RequestSpec {
            moves: moves.into_iter().collect::<Option<_>>()?,
            assign: section.assign.iter().map(|(field, value)| self.value(field, value)).collect(),
            default: section.default.iter().map(|(field, value)| self.value(field, value)).collect(),
            remove: section.remove.iter().map(|field| self.text(field)).collect(),
            rename: section.rename.iter().map(|(field, name)| self.rename(field, name)).collect(),
        })
    }

    fn value(&self, field: &Spanned<String>, value: &Spanned<Scalar>) -> ValueSpec {
        ValueSpec { field: self.text(field), value: self.scalar(value) }
    }

    fn rename(&self, field: &Spanned<String>, name: &Spanned<String>) -> RenameSpec {
        RenameSpec { field: self.text(field), name: self.text(name) }
    }

    fn step(&mut self, section: &MoveSection) -> Option<MoveSpec> {
        let from = section.from.get_ref();
        let source = match from.split_once('.') {
            Some(("path", name)) => Some((Source::Path, name)),
            Some(("query", name)) => Some((Source::Query, name)),
            Some(("header", name)) => Some((Source::Header, name)),
            _ => None,
        };
        let Some((source, name)) = source.filter(|(_, name)| !name.is_empty()) else {
            let message = format!("'{from}' is no parameter: expected path.NAME, query.NAME or header.NAME");
            self.loader.at(self.path, section.from.span(), message);
            return None;
        };
        Some(MoveSpec {
            source,
            name: Text { text: name.to_owned(), ..self.text(&section.from) },
            field: self.text(&section.to),
            required: section.required,
            description: section.description.clone(),
        })
    }

    fn response(&mut self, section: &ResponseSection) -> Option<ResponseSpec> {
        let mut headers = Vec::new();
        for (name, value) in &section.headers {
            headers.push(self.header(name, value)?);
        }
        Some(ResponseSpec {
            status: section.status.unwrap_or(200),
            remove: section.remove.iter().map(|field| self.text(field)).collect(),
            rename: section.rename.iter().map(|(field, name)| self.rename(field, name)).collect(),
            headers,
        })
    }

    fn header(&mut self, name: &Spanned<String>, section: &HeaderSection) -> Option<HeaderSpec> {
        let value = match (&section.field, &section.value) {
            (Some(field), None) => HeaderValueSpec::Field(self.text(field)),
            (None, Some(value)) => HeaderValueSpec::Constant(self.text(value)),
            _ => {
                self.loader.at(self.path, name.span(), "a header has either a field or a value");
                return None;
            }
        };
        Some(HeaderSpec { name: self.text(name), value })
    }
}

/// For a message that lists the known keys, the one that was probably meant.
fn nearest_key(message: &str) -> Option<String> {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let found = quoted
        .next()
        .filter(|_| message.starts_with("unknown field") || message.starts_with("unknown variant"))?;
    let close = |known: &&str| {
        let plain = |text: &str| text.replace(['_', '-'], "").to_ascii_lowercase();
        plain(known) == plain(found) || copybook::edit_distance(known, found) <= 1 + found.len() / 4
    };
    quoted.find(close).map(|known| format!("did you mean '{known}'?"))
}
