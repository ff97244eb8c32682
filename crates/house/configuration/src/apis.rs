//! All APIs of the configuration, with their guards and their settings for tools.

use std::collections::HashMap;
use std::sync::Arc;

use ::api::{Api, ContractSpec, Router, SpecError};

use super::api::ApiReader;
use super::contract::{self, ContractReader};
use super::loader::Loader;
use super::mcp::{ApiOffer, OperationOffer};
use super::project::ProjectReader;
use super::services::{Given, Services};
use super::written::{ApiFile, ContractFile};
use admission::config::{ApiSections, CallLimitsSection, OperationSections, SecurityReader};
use admission::{ApiGuard, Security};
use gateway::{LoadedPipeline, LoadedWebService};
use packaged::{FoundProject, Projects};
use recording::config::{Around, Interceptors};
use security::Access;
use settings::{GANTRY_FILE, Lines};
use web_services::{Known, Loaded, NamedPipeline};

/// The APIs of a configuration, with their guards and their settings for tools.
#[derive(Default)]
pub(super) struct Apis {
    pub(super) apis: Vec<Api>,
    pub(super) guards: Vec<ApiGuard>,
    pub(super) offers: Vec<ApiOffer>,
}

impl Apis {
    /// The access rules of each, by name.
    pub(super) fn access(&self) -> HashMap<String, Access> {
        let of_apis = self.apis.iter().zip(&self.guards);
        of_apis.map(|(api, guard)| (api.name().to_owned(), guard.access.clone())).collect()
    }
}

/// An API that starts from a document.
struct ContractParts<'p> {
    path: &'p str,
    file: &'p ContractFile,
    spec: ContractSpec,
}

impl Loader<'_> {
    /// Loads all APIs. The interceptors and policies of each are noted.
    pub(super) fn apis(
        &mut self,
        given: &mut Given<'_>,
        projects: &mut Projects,
        services: &mut Services,
        security: &Security,
        interceptors: &mut Interceptors,
    ) -> Apis {
        let mut loaded = Apis::default();
        for name in self.entries("apis") {
            let project = projects.remove(&name);
            if let Some((api, guard, around, offer)) =
                self.api(given, &name, project, &mut *services, security)
            {
                loaded.apis.push(api);
                loaded.guards.push(guard);
                loaded.offers.push(offer);
                interceptors.api(self, &around);
            }
        }
        loaded
    }

    /// Loads the web services. Each gets an API that represents it.
    pub(super) fn web_services(
        &mut self,
        loaded: &mut Apis,
        services: &Services,
        security: &Security,
        interceptors: &mut Interceptors,
        given: &mut Given<'_>,
    ) -> Vec<LoadedWebService> {
        let known = Known {
            pipelines: given.pipelines,
            security,
            conversions: &services.conversions,
            interfaces: &services.interfaces,
            sections: &services.security,
            faulty: &services.faulty,
            apis: &loaded.apis,
        };
        let mut web_services = Vec::new();
        for Loaded { api, guard, around, service, pipeline } in web_services::read(self, &known) {
            interceptors.api(self, &around);
            let pipeline = pipeline.and_then(|pipeline| self.pipeline(pipeline, given));
            web_services.push(LoadedWebService { api: loaded.apis.len(), service, pipeline });
            loaded.apis.push(api);
            loaded.guards.push(guard);
            let (path, operations) = (around.path, Vec::new());
            loaded.offers.push(ApiOffer { path, offered: Some(false), operations });
        }
        web_services
    }

    /// A pipeline with the runner of its programs.
    pub(super) fn pipeline(
        &mut self,
        pipeline: NamedPipeline,
        given: &mut Given<'_>,
    ) -> Option<LoadedPipeline> {
        let NamedPipeline { name, pipeline, transaction, response_wait, users } = pipeline;
        match given.region.task_runner(pipeline.programs(), &transaction) {
            Ok(runner) => {
                let programs = Arc::new(runner);
                Some(LoadedPipeline { name, pipeline, programs, transaction, response_wait, users })
            }
            Err(message) => {
                self.at_file(GANTRY_FILE, format!("[[pipeline]] {name}: {message}"));
                None
            }
        }
    }

    /// Loads one API: an API project, an API that starts from its own document, or one that starts
    /// from its services.
    fn api(
        &mut self,
        given: &mut Given<'_>,
        name: &str,
        project: Option<FoundProject>,
        services: &mut Services,
        security: &Security,
    ) -> Option<(Api, ApiGuard, Around, ApiOffer)> {
        let path = format!("apis/{name}/api.toml");
        if let Some(FoundProject { root, read }) = project {
            // A project needs no API file.
            let (file, text) = match self.files.read(&path) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Default::default(),
                _ => self.parse::<ContractFile>(&path)?,
            };
            let mut reader = ProjectReader { loader: self, given, name, text: &text, root };
            let spec = reader.api(read, &file, services)?;
            let parts = ContractParts { path: &path, file: &file, spec };
            return self.contract(parts, services, security);
        }
        if self.starts_from_document(&path) {
            let (file, text) = self.parse::<ContractFile>(&path)?;
            let spec =
                ContractReader { loader: self, path: &path, lines: Lines::of(&text) }.api(name, &file)?;
            let parts = ContractParts { path: &path, file: &file, spec };
            return self.contract(parts, services, security);
        }
        let (file, text) = self.parse::<ApiFile>(&path)?;
        let mut spec = ApiReader { loader: self, path: &path, lines: Lines::of(&text) }.api(name, &file);
        if file.operation.is_empty() {
            self.warn_at_line(&path, 0, "the API has no [[operation]]: it serves only its documents");
        }
        let guard = self.guard(&path, &file, services, security);
        spec.schemes = security.schemes();
        for (operation, guard) in spec.operations.iter_mut().zip(&guard.operations) {
            operation.protection = security.protection(guard);
        }
        // The fault of a faulty service is already reported. Its operations need no further
        // message.
        spec.operations.retain(|operation| !services.faulty.contains(&operation.service.text));
        for operation in &spec.operations {
            let service = &operation.service;
            if services.running.contains_key(&service.text)
                && !services.interfaces.contains_key(&service.text)
            {
                let message = format!(
                    "the service '{}' has several containers: an API that starts from its own document can call it (docs/guides/contract-first.md)",
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

    /// True if the file names a document. Other faults are found when the file is read in this
    /// form.
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
            self.at_line(&file_of(path, &error), error.line, error.message);
        }
        None
    }

    /// Compiles an API that starts from a document, with its guard.
    fn contract(
        &mut self,
        parts: ContractParts<'_>,
        services: &Services,
        security: &Security,
    ) -> Option<(Api, ApiGuard, Around, ApiOffer)> {
        let ContractParts { path, file, mut spec } = parts;
        spec.flows.retain(|flow| !flow.calls.iter().any(|call| services.faulty.contains(&call.service.text)));
        let mut reader = SecurityReader { loader: &mut self.reading, path };
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
        let api = self.compiled(path, compiled)?;
        for slip in api.slips() {
            self.warn_at_line(&file_of(path, slip), slip.line, slip.message.clone());
        }
        Some((api, guard, around, offer))
    }

    fn guard(&mut self, path: &str, file: &ApiFile, services: &Services, security: &Security) -> ApiGuard {
        let mut reader = SecurityReader { loader: &mut self.reading, path };
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

    /// Makes the router from paths to operations.
    pub(super) fn router(&mut self, apis: &[Api]) -> Router {
        match Router::new(apis) {
            Ok(router) => router,
            Err(errors) => {
                for error in errors {
                    let api = &apis[error.api];
                    let file = match api.is_elsewhere() {
                        true => format!("{}/{}.toml", web_services::FOLDER, api.name()),
                        false => format!("apis/{}/api.toml", api.name()),
                    };
                    let shown = self.files.display(&file);
                    self.problems.add(&shown, None, error.message);
                }
                Router::default()
            }
        }
    }
}

/// The file of an error in an API, whose own file is at `path`.
fn file_of(path: &str, error: &SpecError) -> String {
    match &error.file {
        Some(file) => path.replace("api.toml", file),
        None => path.to_owned(),
    }
}
