//! API projects of z/OS Connect, unchanged. `apis/NAME/` has the content of their folder
//! `src/main`, or the folder around it.
//!
//! Each asset becomes a service, `NAME.ASSET`. `[providers]` gives its provider under this name, or
//! under the name of its program. Several assets often share a program.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use ::api::{BodySpec, CallSpec, ContractSpec, FlowSpec, MemberSpec, OnFailure, ReplySpec, Text, Written};
use contract::Contract;
use http::Method;
use packaged::{ProjectFiles, ReadProject};
use packages::{Body, Condition, Expression, Mapping, Operation, Project, Response};
use settings::line_at;

use super::asset::AssetReader;
use super::contract::{is_meant, read_document, section_of};
use super::loader::Loader;
use super::services::{Given, Services};
use super::written::{ContractFile, ContractOperationSection, UnknownQuery, default_timeout_ms};

/// Reads one project.
pub(super) struct ProjectReader<'a, 'f, 'g> {
    pub(super) loader: &'a mut Loader<'f>,
    pub(super) given: &'a mut Given<'g>,
    /// The API's name.
    pub(super) name: &'a str,
    /// The text of the API's file. A project need not have one.
    pub(super) text: &'a str,
    /// The root of the project's parts in the API's folder.
    pub(super) root: &'static str,
}

impl ProjectReader<'_, '_, '_> {
    /// The specification of the API. The services of its assets are added to the others.
    pub(super) fn api(
        &mut self,
        read: io::Result<ReadProject>,
        file: &ContractFile,
        services: &mut Services,
    ) -> Option<ContractSpec> {
        let (project, files) = self.project(read)?;
        let path = format!("{}{}", self.folder(), project.document);
        let (_, bytes) = files.iter().find(|(path, _)| *path == project.document)?;
        let contract = read_document(self.loader, &path, bytes)?;
        let assets = self.assets(&project, services);
        self.note_unmapped(&project, &contract);
        self.check_sections(file, &project, &contract);
        let flow = |operation| self.flow(operation, &assets, timeout(operation, file, &contract));
        let flows = project.operations.iter().filter_map(flow).collect();
        let word = |word: &toml::Spanned<String>| Text {
            text: word.get_ref().clone(),
            line: line_at(self.text, word.span().start),
        };
        Some(ContractSpec {
            name: self.name.to_owned(),
            base_path: file.base_path.as_ref().map(word),
            contract: Arc::new(contract),
            refuse_unknown_query: file.unknown_query == UnknownQuery::Refuse,
            check_responses: file.check_responses,
            statuses: file.statuses.iter().map(|(code, status)| (word(code), *status)).collect(),
            flows,
            protections: Vec::new(),
        })
    }

    fn folder(&self) -> String {
        format!("apis/{}/{}", self.name, self.root)
    }

    /// The model of the project, and its files.
    fn project(&mut self, read: io::Result<ReadProject>) -> Option<(Project, ProjectFiles)> {
        let folder = self.folder();
        let ReadProject { files, project } = match read {
            Ok(read) => read,
            Err(error) => {
                self.loader.at_file(&folder, format!("cannot be read: {error}"));
                return None;
            }
        };
        match project {
            Ok(project) => Some((project, files)),
            Err(faults) => {
                for fault in faults {
                    let file = format!("{folder}{}", fault.file);
                    self.loader.at_line(&file, fault.line, fault.message);
                }
                None
            }
        }
    }

    /// The services of the assets, by the assets' names, each with the member for its JSON in
    /// mappings.
    fn assets(&mut self, project: &Project, services: &mut Services) -> HashMap<String, AssetService> {
        let folder = self.folder();
        let mut found = HashMap::new();
        for asset in &project.assets {
            let mut reader = AssetReader {
                loader: &mut *self.loader,
                given: &mut *self.given,
                api: self.name,
                folder: &folder,
                options: &project.options,
            };
            match reader.service(asset, services) {
                Some(service) => {
                    found.insert(asset.name.clone(), service);
                }
                None => {
                    services.faulty.insert(asset.service_name(self.name));
                }
            }
        }
        found
    }

    /// Reports operations of the document without a mapping, because they are not served.
    fn note_unmapped(&mut self, project: &Project, contract: &Contract) {
        let mapped = |operation: &&contract::Operation| {
            project.operations.iter().any(|known| is_for(known, operation))
        };
        let unmapped = contract.operations().iter().filter(|operation| !mapped(operation));
        let names: Vec<String> =
            unmapped.map(|operation| format!("{} {}", operation.method, operation.path)).collect();
        if !names.is_empty() {
            let message =
                format!("these operations have no mapping and are not served: {}", names.join(", "));
            let path = format!("{}{}", self.folder(), project.document);
            self.loader.warn(&path, message);
        }
    }

    /// Checks that the sections of the API's file are for served operations, and repeat nothing
    /// from the project.
    fn check_sections(&mut self, file: &ContractFile, project: &Project, contract: &Contract) {
        let path = format!("apis/{}/api.toml", self.name);
        for (at, section) in file.operation.iter().enumerate() {
            let word = section.operation.get_ref();
            let known = contract.operations().iter().find(|operation| is_meant(operation, word));
            let same = |other: &&ContractOperationSection| {
                known.is_some_and(|known| is_meant(known, other.operation.get_ref()))
            };
            let message = if !section.call.is_empty() || !section.reply.is_empty() {
                "the calls and replies of a project are in its operations folder".to_owned()
            } else if !known
                .is_some_and(|known| project.operations.iter().any(|mapped| is_for(mapped, known)))
            {
                let served = project.operations.iter();
                let served: Vec<String> = served
                    .map(|operation| format!("{} {}", operation.method.to_ascii_uppercase(), operation.path))
                    .collect();
                format!("the project has no operation '{word}'; it has: {}", served.join(", "))
            } else if file.operation[..at].iter().any(|other| same(&other)) {
                format!("there are two sections of the operation '{word}'")
            } else {
                continue;
            };
            self.loader.at(&path, section.operation.span(), message);
        }
    }

    fn flow(
        &self,
        operation: &Operation,
        assets: &HashMap<String, AssetService>,
        timeout: Duration,
    ) -> Option<FlowSpec> {
        let asset = assets.get(&operation.asset)?;
        let method = Method::from_bytes(operation.method.to_ascii_uppercase().as_bytes()).ok()?;
        let call = CallSpec {
            name: Written::from("asset"),
            service: Written::from(asset.service.as_str()),
            when: None,
            after: None,
            request: BodySpec::Object(self.members(&operation.request)),
            wrapper: asset.wrapper,
            on_failure: OnFailure::Fail,
        };
        Some(FlowSpec {
            method,
            path: Written::from(operation.path.as_str()),
            timeout,
            calls: vec![call],
            replies: operation.responses.iter().map(|response| self.reply(response)).collect(),
        })
    }

    fn reply(&self, response: &Response) -> ReplySpec {
        let named = |name: &str| response.mappings.iter().find(|mapping| mapping.name == name);
        let headers = match named("headers").map(|mapping| &mapping.body) {
            Some(Body::Object(members)) => self.members(members),
            _ => Vec::new(),
        };
        ReplySpec {
            when: match &response.condition {
                Condition::Always => None,
                Condition::When(expression) => Some(self.written(expression)),
            },
            status: response.status,
            place: Written { text: String::new(), file: self.file(&response.file), line: 1 },
            headers,
            body: named("body").map(|mapping| self.member(mapping)),
        }
    }

    fn members(&self, mappings: &[Mapping]) -> Vec<MemberSpec> {
        mappings.iter().map(|mapping| self.member(mapping)).collect()
    }

    fn member(&self, mapping: &Mapping) -> MemberSpec {
        MemberSpec {
            name: Written { line: mapping.line, ..Written::from(mapping.name.as_str()) },
            body: self.body(&mapping.body),
            required: mapping.required,
            nullable: mapping.nullable,
            exists_if_empty: mapping.exists_if_empty.as_ref().map(|condition| self.written(condition)),
        }
    }

    fn body(&self, body: &Body) -> BodySpec {
        match body {
            Body::Template(text) => BodySpec::Template(self.written(text)),
            Body::Expression(text) => BodySpec::Expression(self.written(text)),
            Body::Object(mappings) => BodySpec::Object(self.members(mappings)),
            Body::Each { input, exists_if_empty, body } => BodySpec::Each {
                input: self.written(input),
                exists_if_empty: exists_if_empty.as_ref().map(|condition| self.written(condition)),
                body: Box::new(self.body(body)),
            },
            Body::Nothing => BodySpec::Nothing,
        }
    }

    fn written(&self, expression: &Expression) -> Written {
        Written { text: expression.text.clone(), file: self.file(&expression.file), line: expression.line }
    }

    /// A file of the project, relative to the API's folder.
    fn file(&self, file: &str) -> Arc<str> {
        format!("{}{file}", self.root).into()
    }
}

/// True if an operation of the project is the same as one of the document.
fn is_for(mapped: &Operation, known: &contract::Operation) -> bool {
    known.path == mapped.path && known.method.as_str().eq_ignore_ascii_case(&mapped.method)
}

/// The time limit of an operation: from the API's file, or else the default.
fn timeout(mapped: &Operation, file: &ContractFile, contract: &Contract) -> Duration {
    let known = contract.operations().iter().find(|known| is_for(mapped, known));
    let section = known.and_then(|known| section_of(file, known));
    Duration::from_millis(section.map_or_else(default_timeout_ms, |section| section.timeout_ms))
}

/// The service of an asset.
pub(super) struct AssetService {
    /// Its name among all services.
    pub(super) service: String,
    /// The member of a mapping that holds its JSON.
    pub(super) wrapper: Option<&'static str>,
}
