//! From a folder of text files to what runs, or to everything that is wrong with them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::net::{SocketAddr, ToSocketAddrs};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ::api::{Api, ContractSpec, Conversion, Router, ServiceInterface, SpecError};
use codepage::CodePage;
use interceptor::policy::RuleSet;
use record::Bind;
use region::UriForm;
use requester::Connection;
use security::Access;
use serde::de::DeserializeOwned;
use toml::Spanned;

use super::api::ApiReader;
use super::contract::{self, ContractReader};
use super::files::Files;
use super::interceptors::{Around, Interceptors};
use super::mcp::{ApiOffer, McpReader, McpSettings, OperationOffer};
use super::outbound::Connections;
use super::problem::{Problem, Problems, Severity};
use super::project::{FoundProject, ProjectReader, Projects};
use super::region::{RegionPlan, RegionUse};
use super::security::{
    ApiSections, CallLimitsSection, ClientAuthorities, ClientCertificates, OperationSections,
    OwnSecuritySection, SecurityReader, TlsFiles,
};
use super::service::{RunningService, ServiceLoader};
use super::written::{
    AdminSection, ApiFile, ContractFile, GantryFile, Limits, ListenerSection, LogSection, ProviderSection,
    ServiceFile, TlsSection,
};
use crate::copybooks::{self, Library, SOURCE_CCSID};
use crate::intercept::InterceptorSettings;
use crate::json_server::JsonServer;
use crate::metrics::MetricsSettings;
use crate::outbound::Requester;
use crate::security::{ApiGuard, Security};
use crate::traces::TraceSettings;

/// What runs.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) listeners: Vec<Listener>,
    pub(crate) admin: Option<Listener>,
    pub(crate) workers: usize,
    pub(crate) shutdown_timeout: Duration,
    /// How often the files are looked at for changes; none if they are not.
    pub(crate) reload_poll: Option<Duration>,
    pub(crate) metrics: MetricsSettings,
    pub(crate) log: LogSection,
    pub(crate) limits: Limits,
    pub(crate) apis: Vec<Api>,
    pub(crate) router: Router,
    pub(crate) services: BTreeMap<String, RunningService>,
    pub(crate) connections: BTreeMap<String, Arc<Connection>>,
    pub(crate) requesters: BTreeMap<String, Requester>,
    pub(crate) security: Security,
    /// What guards each API, in their order.
    pub(crate) guards: Vec<ApiGuard>,
    pub(crate) interceptors: InterceptorSettings,
    /// The policy of each API, in their order.
    pub(crate) policies: Vec<Option<Arc<RuleSet>>>,
    /// How requests are traced, and who is sent their spans.
    pub(crate) traces: Option<(TraceSettings, Option<JsonServer>)>,
    /// The operations that are tools; none if there are no tools at all.
    pub(crate) mcp: Option<McpSettings>,
    /// Where programs run; none if no service needs one.
    pub(crate) region: Option<RegionPlan>,
    /// How programs transform records, by name.
    pub(crate) transforms: BTreeMap<String, Arc<Bind>>,
    /// What does not prevent serving, but should be known.
    pub(crate) warnings: Problems,
}

/// An address to serve on.
#[derive(Clone, Debug)]
pub(crate) struct Listener {
    pub(crate) address: SocketAddr,
    pub(crate) tls: Option<TlsFiles>,
}

/// An API that starts from a document.
struct ContractParts<'p> {
    path: &'p str,
    file: &'p ContractFile,
    spec: ContractSpec,
}

/// The APIs of a configuration, with what guards each and what it says about tools.
#[derive(Default)]
struct Apis {
    apis: Vec<Api>,
    guards: Vec<ApiGuard>,
    offers: Vec<ApiOffer>,
}

/// An address as it is written, and what protects it.
struct Entrance<'s> {
    address: &'s Spanned<String>,
    tls: Option<&'s TlsSection>,
    /// Whether nobody gets anything there without being known.
    authenticated: bool,
    allow_unprotected: bool,
}

/// The services of a configuration.
#[derive(Default)]
pub(super) struct Services {
    running: BTreeMap<String, RunningService>,
    interfaces: HashMap<String, ServiceInterface>,
    conversions: HashMap<String, Conversion>,
    security: HashMap<String, OwnSecuritySection>,
    /// Names of services whose files have faults.
    pub(super) faulty: HashSet<String>,
    /// Names of programs that stand for services of API projects in `[providers]`.
    pub(super) programs: HashSet<String>,
}

impl Services {
    /// Adds a service that no file of its own describes.
    pub(super) fn add(&mut self, name: &str, service: RunningService) {
        self.conversions.insert(name.to_owned(), service.conversion.clone());
        self.running.insert(name.to_owned(), service);
    }

    /// The provider that `gantry.toml` has for a service, by its name or by that of its program.
    pub(super) fn bound<'g>(
        &mut self,
        gantry: &'g GantryFile,
        name: &str,
        program: Option<&str>,
    ) -> Option<&'g Spanned<ProviderSection>> {
        let find = |wanted: &str| gantry.providers.iter().find(|(known, _)| known.get_ref() == wanted);
        let (known, section) = find(name).or_else(|| program.and_then(find))?;
        self.programs.insert(known.get_ref().clone());
        Some(section)
    }

    /// How the records of a service become JSON or XML, and back; none if it has containers, or is not there.
    pub(super) fn conversion(&self, name: &str) -> Option<&Conversion> {
        Some(&self.running.get(name)?.conversion)
    }

    /// True if there is a service of that name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.running.contains_key(name)
    }

    /// Who may call which service directly.
    fn access(&self, security: &Security) -> HashMap<String, Access> {
        let access =
            |(name, own): (&String, &OwnSecuritySection)| (name.clone(), own.access(security.access()));
        self.security.iter().map(access).collect()
    }
}

/// The address that is served on if the configuration names none.
const DEFAULT_ADDRESS: &str = "127.0.0.1:2222";

/// Loads everything.
pub(crate) fn load(files: &Files) -> Result<Settings, Problems> {
    let mut problems = Problems::default();
    let (files, projects) = super::packaged::with_packages(files, &mut problems);
    let mut loader = Loader {
        files: &files,
        problems,
        projects,
        connections: Connections::default(),
        region: RegionUse::default(),
        source_page: copybooks::source_page(SOURCE_CCSID).expect("the table has it"),
    };
    let gantry = loader.gantry();
    loader.source_page(&gantry);
    let mut security = SecurityReader { loader: &mut loader, path: GANTRY_FILE }.security(&gantry.security);
    loader.connections = loader.connections(&gantry);
    let mut services = loader.services(&gantry);
    let requesters = loader.requesters(&gantry, &mut security);
    let region = loader.region(&gantry.region);
    let transforms = loader.transforms(&gantry.region.transform, &services);
    security.set_services(services.access(&security));
    let secret = security.secret_headers();
    let mut interceptors = Interceptors::read(&mut loader, &gantry, &secret);
    let traces = loader.traces(&gantry);
    let Apis { apis, guards, offers } = loader.apis(&gantry, (&mut services, &security), &mut interceptors);
    loader.check_providers(&gantry, &services);
    let of_apis = apis.iter().zip(&guards);
    security.set_apis(of_apis.map(|(api, guard)| (api.name().to_owned(), guard.access.clone())).collect());
    let router = loader.router(&apis);
    let mcp = McpReader { loader: &mut loader, path: GANTRY_FILE, security: &security, router: &router }.mcp(
        &gantry.mcp,
        &apis,
        &offers,
    );
    let listeners = loader.listeners(&gantry, &security);
    let admin = gantry.admin.as_ref().and_then(|section| loader.admin(section, &security));
    loader.limits(&gantry.limits);
    if loader.problems.error_count() > 0 {
        return Err(loader.problems);
    }
    let (interceptors, policies) = interceptors.finish();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(Settings {
        listeners,
        admin,
        workers: if gantry.server.workers == 0 { cores } else { gantry.server.workers },
        shutdown_timeout: Duration::from_millis(gantry.server.shutdown_timeout_ms),
        reload_poll: Some(gantry.server.reload_poll_ms).filter(|ms| *ms > 0).map(Duration::from_millis),
        metrics: MetricsSettings {
            times: gantry.metrics.times,
            sizes: gantry.metrics.sizes,
            cpu_sample_every: gantry.server.provider_cpu_sample_every,
        },
        log: gantry.log,
        limits: gantry.limits,
        apis,
        router,
        services: services.running,
        connections: loader.connections.into_all(),
        requesters,
        security,
        guards,
        interceptors,
        policies,
        traces,
        mcp,
        region,
        transforms,
        warnings: loader.problems,
    })
}

pub(super) const GANTRY_FILE: &str = "gantry.toml";

/// Reads files and gathers what is wrong with them.
pub(super) struct Loader<'f> {
    pub(super) files: &'f Files,
    pub(super) problems: Problems,
    projects: Projects,
    /// Empty until they are read.
    pub(super) connections: Connections,
    /// What services need of the region.
    pub(super) region: RegionUse,
    /// The code page of COBOL sources that are not UTF-8.
    pub(super) source_page: &'static CodePage,
}

impl<'f> Loader<'f> {
    /// The folder of copybooks.
    pub(super) fn copybooks(&self) -> Library<'f> {
        Library { files: self.files, folder: "copybooks", page: self.source_page }
    }

    /// Takes the code page of sources from the configuration.
    fn source_page(&mut self, gantry: &GantryFile) {
        let Some(ccsid) = &gantry.source_ccsid else { return };
        match copybooks::source_page(*ccsid.get_ref()) {
            Ok(page) => self.source_page = page,
            Err(message) => self.at(GANTRY_FILE, ccsid.span(), message),
        }
    }

    /// Reads and parses one TOML file; what is wrong with it is noted.
    pub(super) fn parse<T: DeserializeOwned>(&mut self, path: &str) -> Option<(T, String)> {
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

    pub(super) fn at(&mut self, path: &str, span: Range<usize>, message: impl Into<String>) {
        let shown = self.files.display(path);
        self.problems.add(&shown, Some(span), message);
    }

    /// A fault of a line of a file, or of the whole file if the line is 0.
    pub(super) fn at_line(&mut self, path: &str, line: usize, message: impl Into<String>) {
        let shown = self.files.display(path);
        if let Ok(text) = self.files.read(path) {
            self.problems.text(&shown, &text);
        }
        self.problems.add_line(&shown, line, message);
    }

    /// Something about a file that does not prevent serving.
    pub(super) fn warn(&mut self, path: &str, message: impl Into<String>) {
        let file = self.files.display(path);
        let severity = Severity::Warning;
        self.problems.push(Problem { severity, file, span: None, message: message.into(), help: None });
    }

    /// A fault of a file as a whole.
    pub(super) fn at_file(&mut self, path: &str, message: impl Into<String>) {
        let shown = self.files.display(path);
        self.problems.add(&shown, None, message);
    }

    pub(super) fn entries(&mut self, folder: &str) -> Vec<String> {
        self.files.list(folder).unwrap_or_else(|error| {
            let shown = self.files.display(folder);
            self.problems.add(&shown, None, format!("cannot be read: {error}"));
            Vec::new()
        })
    }

    fn services(&mut self, gantry: &GantryFile) -> Services {
        let record_max_bytes = gantry.limits.record_max_bytes;
        let mut services = Services::default();
        for entry in self.entries("services") {
            let path = format!("services/{entry}");
            let Some(name) = entry.strip_suffix(".toml") else {
                let shown = self.files.display(&path);
                self.problems.add(&shown, None, "is no service: files in services/ end with .toml");
                continue;
            };
            let loaded = match self.parse::<ServiceFile>(&path) {
                Some((file, _)) => {
                    let bound = services.bound(gantry, name, file.program.as_deref());
                    let mut loader = ServiceLoader {
                        loader: self,
                        path: &path,
                        name,
                        record_max_bytes,
                        uri: UriForm::Url,
                        bound,
                    };
                    let loaded = loader.service(&file);
                    services.security.insert(name.to_owned(), file.security);
                    loaded
                }
                None => None,
            };
            match loaded {
                Some((service, interface)) => {
                    services.add(name, service);
                    if let Some(interface) = interface {
                        services.interfaces.insert(name.to_owned(), interface);
                    }
                }
                None => {
                    services.faulty.insert(name.to_owned());
                }
            }
        }
        services
    }

    /// A provider for a service that is not there is a slip.
    fn check_providers(&mut self, gantry: &GantryFile, services: &Services) {
        for name in gantry.providers.keys() {
            let known = name.get_ref();
            let is_used = services.programs.contains(known)
                || services.running.contains_key(known)
                || services.faulty.contains(known);
            if !is_used {
                self.at(GANTRY_FILE, name.span(), format!("there is no service '{known}'"));
            }
        }
    }

    fn apis(
        &mut self,
        gantry: &GantryFile,
        (services, security): (&mut Services, &Security),
        interceptors: &mut Interceptors,
    ) -> Apis {
        let mut loaded = Apis::default();
        for name in self.entries("apis") {
            if let Some((api, guard, around, offer)) = self.api(gantry, &name, (&mut *services, security)) {
                loaded.apis.push(api);
                loaded.guards.push(guard);
                loaded.offers.push(offer);
                interceptors.api(self, &around);
            }
        }
        loaded
    }

    /// One API: an API project, one that starts from its own document, or one that starts from its services.
    fn api(
        &mut self,
        gantry: &GantryFile,
        name: &str,
        (services, security): (&mut Services, &Security),
    ) -> Option<(Api, ApiGuard, Around, ApiOffer)> {
        let path = format!("apis/{name}/api.toml");
        if let Some(FoundProject { root, read }) = self.projects.remove(name) {
            // A project needs no file of ours.
            let (file, text) = match self.files.read(&path) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Default::default(),
                _ => self.parse::<ContractFile>(&path)?,
            };
            let mut reader = ProjectReader { loader: self, gantry, name, text: &text, root };
            let spec = reader.api(read, &file, services)?;
            let parts = ContractParts { path: &path, file: &file, spec };
            return self.contract(parts, services, security);
        }
        if self.starts_from_document(&path) {
            let (file, text) = self.parse::<ContractFile>(&path)?;
            let spec = ContractReader { loader: self, path: &path, text: &text }.api(name, &file)?;
            let parts = ContractParts { path: &path, file: &file, spec };
            return self.contract(parts, services, security);
        }
        let (file, text) = self.parse::<ApiFile>(&path)?;
        let mut spec = ApiReader { loader: self, path: &path, text: &text }.api(name, &file);
        let guard = self.guard(&path, &file, services, security);
        spec.schemes = security.schemes();
        for (operation, guard) in spec.operations.iter_mut().zip(&guard.operations) {
            operation.protection = security.protection(guard);
        }
        // Of a faulty service the fault has been told; that its operations cannot be made is no news.
        spec.operations.retain(|operation| !services.faulty.contains(&operation.service.text));
        for operation in &spec.operations {
            let service = &operation.service;
            if services.running.contains_key(&service.text)
                && !services.interfaces.contains_key(&service.text)
            {
                let message = format!(
                    "the service '{}' has several containers: an API that starts from its own document can call it",
                    service.text
                );
                self.at_line(&path, service.line, message);
                return None;
            }
        }
        let compiled = Api::compile(&spec, &services.interfaces);
        let api = self.compiled(&path, compiled)?;
        let around = Around { path: path.clone(), chain: file.interceptors, policy: file.policy };
        let operations = file.operation.into_iter();
        let operations =
            operations.map(|section| OperationOffer { shown: section.mcp, scopes: section.scopes });
        let offer = ApiOffer { path, offered: file.mcp, operations: operations.collect() };
        Some((api, guard, around, offer))
    }

    /// True if the file names a document. Whether it is right otherwise is found when it is read as that.
    fn starts_from_document(&self, path: &str) -> bool {
        let text = self.files.read(path).unwrap_or_default();
        text.parse::<toml::Table>().is_ok_and(|table| table.contains_key("document"))
    }

    fn compiled(&mut self, path: &str, compiled: Result<Api, Vec<SpecError>>) -> Option<Api> {
        let errors = match compiled {
            Ok(api) => return Some(api),
            Err(errors) => errors,
        };
        for error in errors {
            let file = match &error.file {
                Some(file) => path.replace("api.toml", file),
                None => path.to_owned(),
            };
            self.at_line(&file, error.line, error.message);
        }
        None
    }

    /// Compiles an API that starts from a document, and what guards it.
    fn contract(
        &mut self,
        parts: ContractParts<'_>,
        services: &Services,
        security: &Security,
    ) -> Option<(Api, ApiGuard, Around, ApiOffer)> {
        let ContractParts { path, file, mut spec } = parts;
        spec.flows.retain(|flow| !flow.calls.iter().any(|call| services.faulty.contains(&call.service.text)));
        let mut reader = SecurityReader { loader: self, path };
        let sections =
            ApiSections { security: &file.security, limits: &file.limits, cors: file.cors.as_ref() };
        let mut guard = reader.api(security, sections);
        let unlimited = CallLimitsSection::default();
        let mut operations = Vec::new();
        for flow in &spec.flows {
            let mut known = spec.contract.operations().iter();
            let operation = known.find(|known| known.method == flow.method && known.path == flow.path.text);
            let section = operation.and_then(|known| contract::section_of(file, known));
            let sections = OperationSections {
                scopes: section.map_or(&[], |section| &section.scopes),
                limits: section.map_or(&unlimited, |section| &section.limits),
                services: flow
                    .calls
                    .iter()
                    .filter_map(|call| services.security.get(&call.service.text))
                    .collect(),
                roles: operation.and_then(|known| known.roles_allowed.as_deref()),
            };
            guard.operations.push(reader.operation(security, &guard, &sections));
            operations.push(section.map_or_else(OperationOffer::default, |section| OperationOffer {
                shown: section.mcp.clone(),
                scopes: section.scopes.clone(),
            }));
        }
        spec.protections = guard.operations.iter().map(|guard| security.protection(guard)).collect();
        let compiled = Api::of_contract(&spec, &services.conversions);
        let around =
            Around { path: path.to_owned(), chain: file.interceptors.clone(), policy: file.policy.clone() };
        let offer = ApiOffer { path: path.to_owned(), offered: file.mcp, operations };
        Some((self.compiled(path, compiled)?, guard, around, offer))
    }

    fn guard(&mut self, path: &str, file: &ApiFile, services: &Services, security: &Security) -> ApiGuard {
        let mut reader = SecurityReader { loader: self, path };
        let sections =
            ApiSections { security: &file.security, limits: &file.limits, cors: file.cors.as_ref() };
        let mut guard = reader.api(security, sections);
        for operation in &file.operation {
            let sections = OperationSections {
                scopes: &operation.scopes,
                limits: &operation.limits,
                services: services.security.get(operation.service.get_ref()).into_iter().collect(),
                roles: None,
            };
            let operation = reader.operation(security, &guard, &sections);
            guard.operations.push(operation);
        }
        guard
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

    fn listeners(&mut self, gantry: &GantryFile, security: &Security) -> Vec<Listener> {
        if gantry.listener.is_empty() {
            let address = DEFAULT_ADDRESS.parse().expect("the default address is one");
            return vec![Listener { address, tls: None }];
        }
        gantry.listener.iter().filter_map(|section| self.listener(section, security)).collect()
    }

    fn listener(&mut self, section: &ListenerSection, security: &Security) -> Option<Listener> {
        self.entrance(Entrance {
            address: &section.address,
            tls: section.tls.as_ref(),
            authenticated: security.access().requires_auth(),
            allow_unprotected: section.allow_unprotected,
        })
    }

    /// The admin address: administration is for those who are known wherever anybody can be.
    fn admin(&mut self, section: &AdminSection, security: &Security) -> Option<Listener> {
        self.entrance(Entrance {
            address: &section.address,
            tls: section.tls.as_ref(),
            authenticated: !security.knows_nobody(),
            allow_unprotected: section.allow_unprotected,
        })
    }

    fn entrance(&mut self, entrance: Entrance<'_>) -> Option<Listener> {
        let address = self.address(entrance.address)?;
        let missing = match (entrance.tls, entrance.authenticated) {
            (_, false) => Some("authentication"),
            (None, true) => Some("TLS"),
            (Some(_), true) => None,
        };
        if let Some(missing) = missing.filter(|_| !address.ip().is_loopback() && !entrance.allow_unprotected)
        {
            self.at(
                GANTRY_FILE,
                entrance.address.span(),
                format!("{address} can be reached from other machines, without {missing}; say allow_unprotected = true if that is meant"),
            );
        }
        let tls = match entrance.tls {
            Some(tls) => Some(self.tls(tls)?),
            None => None,
        };
        Some(Listener { address, tls })
    }

    fn tls(&mut self, section: &TlsSection) -> Option<TlsFiles> {
        let mut certificates =
            vec![(self.on_disk(&section.certificate)?, self.on_disk(&section.private_key)?)];
        for other in &section.sni {
            certificates.push((self.on_disk(&other.certificate)?, self.on_disk(&other.private_key)?));
        }
        let asked = section.client_certificates;
        let clients = match (&section.client_ca, asked) {
            (None, ClientCertificates::None) => None,
            (Some(file), ClientCertificates::Optional | ClientCertificates::Required) => {
                let required = asked == ClientCertificates::Required;
                Some(ClientAuthorities { file: self.on_disk(file)?, required })
            }
            _ => {
                let message = "client_ca goes with client_certificates = \"optional\" or \"required\"";
                self.at(GANTRY_FILE, section.certificate.span(), message);
                None
            }
        };
        let files = TlsFiles { certificates, clients };
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

    fn limits(&mut self, limits: &Limits) {
        let shown = self.files.display(GANTRY_FILE);
        let least: [(&str, u64, u64); 10] = [
            ("request_body_max_bytes", limits.request_body_max_bytes as u64, 1),
            ("record_max_bytes", limits.record_max_bytes as u64, 1),
            ("connections_max", limits.connections_max as u64, 1),
            ("header_count_max", limits.header_count_max as u64, 8),
            ("header_max_bytes", limits.header_max_bytes as u64, 8192),
            ("header_read_timeout_ms", limits.header_read_timeout_ms, 1),
            ("body_read_timeout_ms", limits.body_read_timeout_ms, 1),
            ("response_write_timeout_ms", limits.response_write_timeout_ms, 1),
            ("tls_handshake_timeout_ms", limits.tls_handshake_timeout_ms, 1),
            ("http2_streams_max", limits.http2_streams_max.into(), 1),
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
