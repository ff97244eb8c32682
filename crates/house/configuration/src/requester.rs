//! Reads `requesters/NAME/requester.toml` into an API requester. Each operation has records and an
//! HTTP request.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use channel::{Interface, Side, UnknownMembers};
use codepage::{Encoding, Family};
use interface::{IEEE_ORDER_OF_PROGRAMS, InterfaceSection, Pages, as_programs_have};
use providers::Origin;
use record::{Bind, Naming, Options};
use requesters::config::{
    HttpSection, OperationReader, RequesterOperationSection, Sides, Structures, StructuresSection,
    UnknownFieldsWord,
};
use security::Access;
use serde::Deserialize;
use toml::Spanned;

use super::loader::Loader;
use super::service::ServiceLoader;
use super::services::Given;
use super::written::default_timeout_ms;
use admission::Security;
use admission::config::RequesterSecuritySection;
use gateway::LoadedPipeline;
use queue_config::QueueExchange;
use remote::{Connection, PathTemplate, Reachable};
use requesters::{OperationPlan, Requester, RequesterOperation, SoapPlan};
use settings::{self, Problem, Severity, is_safe};
use soap_requester::config::SideOf;
use soap_requester::{JmsUri, RequesterPipeline, SoapOperation};
use web_service::{InterfaceKind, Messages};

/// The folder of API requesters.
const FOLDER: &str = "requesters";

/// `requesters/NAME/requester.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RequesterFile {
    /// The kind of the remote server.
    #[serde(default)]
    pub(super) kind: KindWord,
    pub(super) version: Option<String>,
    #[serde(default)]
    pub(super) description: String,
    /// One of `[connections]`.
    pub(super) connection: Option<Spanned<String>>,
    /// The address of a SOAP server, in place of a connection: a URL below that of one of
    /// `[connections]`, or a queue.
    pub(super) uri: Option<Spanned<String>>,
    /// One of `[[pipeline]]`. Its programs see the messages.
    pub(super) pipeline: Option<Spanned<String>>,
    /// The path in front of the paths of all operations.
    #[serde(default)]
    pub(super) base_path: Option<Spanned<String>>,
    #[serde(default = "default_timeout_ms")]
    pub(super) timeout_ms: u64,
    pub(super) ccsid: Spanned<u16>,
    /// The CCSID of PIC N: 1200 or 1202.
    pub(super) national_ccsid: Option<Spanned<u16>>,
    /// The CCSID of PIC G, if `ccsid` has no double-byte part.
    pub(super) dbcs_ccsid: Option<Spanned<u16>>,
    #[serde(default)]
    pub(super) naming: Naming,
    /// The rules for making structures from schemas.
    #[serde(default)]
    pub(super) structures: StructuresSection,
    #[serde(default)]
    pub(super) security: RequesterSecuritySection,
    #[serde(default)]
    pub(super) operation: Vec<RequesterOperationSection>,
}

/// `kind`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum KindWord {
    /// A REST API.
    #[default]
    Rest,
    /// A SOAP server.
    Soap,
}

impl Loader<'_> {
    /// Reads all API requesters.
    pub(super) fn requesters(
        &mut self,
        given: &mut Given<'_>,
        security: &mut Security,
    ) -> BTreeMap<String, Requester> {
        let record_max_bytes = given.gantry.limits.record_max_bytes;
        let mut requesters = BTreeMap::new();
        let mut administered = HashMap::new();
        for name in self.entries(FOLDER) {
            let path = format!("{FOLDER}/{name}/requester.toml");
            let Some((file, _)) = self.parse::<RequesterFile>(&path) else { continue };
            let mut reader = RequesterReader {
                records: ServiceLoader {
                    loader: &mut *self,
                    given: &mut *given,
                    path: &path,
                    name: &name,
                    record_max_bytes,
                    origin: Origin::File,
                    bound: None,
                    is_transformed: false,
                },
            };
            let (administration, access) = file.security.access(security.access());
            if let Some(requester) = reader.requester(&file, access) {
                administered.insert(name.clone(), administration);
                requesters.insert(name, requester);
            }
        }
        security.set_requesters(administered);
        requesters
    }
}

/// The target of a requester.
struct Leads {
    connection_name: String,
    connection: Option<Arc<Connection>>,
    queue: Option<(Arc<JmsUri>, QueueExchange)>,
    /// The path in front of the paths of all operations.
    base_path: String,
}

struct RequesterReader<'a, 'f, 'g> {
    records: ServiceLoader<'a, 'f, 'g>,
}

impl RequesterReader<'_, '_, '_> {
    /// Makes the requester of a file.
    fn requester(&mut self, file: &RequesterFile, access: Access) -> Option<Requester> {
        let own_path = file.base_path.as_ref().map_or("", |path| path.get_ref().trim_end_matches('/'));
        let Leads { connection_name, connection, queue, base_path } = self.leads(file, own_path)?;
        let base_path = base_path.as_str();
        let mut fine = true;
        // Only programs that run here call it.
        let ccsid = self.ccsid(file);
        let pages =
            Pages { ccsid: &ccsid, national: file.national_ccsid.as_ref(), dbcs: file.dbcs_ccsid.as_ref() };
        let options = self.records.options(pages, file.naming).map(as_programs_have)?;
        let structures = structure_options(&file.structures, options.encoding);
        if structures.encoding.family() != Some(Family::Ascii) && file.operation.iter().any(has_areas) {
            let message = format!(
                "expected a code page of the ASCII family, as programs that put data areas have it, found CCSID {}",
                file.ccsid.get_ref()
            );
            self.at(&file.ccsid, message);
            fine = false;
        }
        let pipeline = match &file.pipeline {
            None => None,
            Some(written) => {
                let pipeline = self.pipeline(file, written);
                fine &= pipeline.is_some();
                pipeline
            }
        };
        let mut operations = BTreeMap::new();
        for section in &file.operation {
            let name = section.name.get_ref();
            let operation = match file.kind {
                KindWord::Rest => self.rest_operation(section, base_path, &options, &structures),
                KindWord::Soap => {
                    let queue = queue.as_ref().map(|(uri, _)| &**uri);
                    self.soap_operation(section, base_path, &options, pipeline.as_ref(), queue)
                }
            };
            match operation {
                Some(operation) if !operations.contains_key(name) => {
                    operations.insert(name.clone(), operation);
                }
                Some(_) => {
                    self.at(&section.name, format!("there are two operations '{name}'"));
                    fine = false;
                }
                None => fine = false,
            }
        }
        fine.then(|| Requester {
            name: self.records.name.to_owned(),
            version: file.version.clone().unwrap_or_else(|| "1.0.0".to_owned()),
            description: file.description.clone(),
            connection_name,
            connection,
            queue,
            reachable: match file.kind {
                KindWord::Rest => Reachable::default(),
                KindWord::Soap => self.records.given.connections.reachable(),
            },
            base_path: base_path.to_owned(),
            pipeline,
            access,
            timeout: Duration::from_millis(file.timeout_ms),
            operations,
        })
    }

    /// The pipeline of its messages.
    fn pipeline(&mut self, file: &RequesterFile, written: &Spanned<String>) -> Option<RequesterPipeline> {
        if file.kind != KindWord::Soap {
            self.at(written, "only an API requester of kind soap has a pipeline");
            return None;
        }
        let ServiceLoader { loader, given, path, .. } = &mut self.records;
        let named = given.pipelines.of_requester(&mut loader.reading, (path, written))?;
        let LoadedPipeline { name, pipeline, programs, transaction, .. } = loader.pipeline(named, given)?;
        Some(RequesterPipeline { name, pipeline, transaction, programs })
    }

    /// The code page of records.
    fn ccsid(&mut self, file: &RequesterFile) -> Spanned<u16> {
        let ServiceLoader { loader, given, path, .. } = &mut self.records;
        given.region.ccsid_of_programs(loader, path, &file.ccsid)
    }

    fn at<T>(&mut self, word: &Spanned<T>, message: impl Into<String>) {
        self.records.loader.at(self.records.path, word.span(), message);
    }

    /// The server that the file names.
    fn leads(&mut self, file: &RequesterFile, base_path: &str) -> Option<Leads> {
        let (name, uri) = match (&file.connection, &file.uri) {
            (Some(name), None) => (name, None),
            (None, Some(uri)) if file.kind == KindWord::Soap => (uri, Some(uri)),
            _ => {
                let shown = self.records.loader.files.display(self.records.path);
                let message = "expected connection, or uri in place of it with kind = \"soap\"";
                self.records.loader.problems.add(&shown, None, message);
                return None;
            }
        };
        let Some(uri) = uri else {
            let connection = self.records.given.connections.get(name.get_ref()).cloned();
            let is_fine = connection.is_some() || self.no_connection(name);
            let (connection_name, base_path) = (name.get_ref().clone(), base_path.to_owned());
            return is_fine.then_some(Leads { connection_name, connection, queue: None, base_path });
        };
        if JmsUri::is_meant(uri.get_ref()) {
            return self.leads_to_queue(uri, base_path);
        }
        let Some((connection, path)) = self.records.given.connections.reachable().at(uri.get_ref(), None)
        else {
            let message = format!("'{}' is not below the url of any of [connections]", uri.get_ref());
            self.at(uri, message);
            return None;
        };
        let connection_name = connection.name().to_owned();
        Some(Leads {
            connection_name,
            connection: Some(connection),
            queue: None,
            base_path: path + base_path,
        })
    }

    /// The target of a queue's address.
    fn leads_to_queue(&mut self, uri: &Spanned<String>, base_path: &str) -> Option<Leads> {
        let queues = &self.records.given.queues;
        match soap_requester::config::queue(uri.get_ref(), queues.is_there.then_some(&queues.slot)) {
            Ok(queue) => {
                let (connection_name, base_path) = (uri.get_ref().clone(), base_path.to_owned());
                Some(Leads { connection_name, connection: None, queue: Some(queue), base_path })
            }
            Err(message) => {
                self.at(uri, message);
                None
            }
        }
    }

    /// Reports a missing connection of a text file. For a package this is not a fault: its calls are
    /// refused until the connection exists. True in that case.
    fn no_connection(&mut self, written: &Spanned<String>) -> bool {
        let name = written.get_ref();
        if self.records.given.connections.is_faulty(name) {
            return false;
        }
        let message = self.records.given.connections.unknown(name);
        let ServiceLoader { loader, path, .. } = &mut self.records;
        let packaged = loader.files.is_packaged(path);
        let help =
            packaged.then(|| "calls of this API requester fail until the connection exists".to_owned());
        let shown = loader.files.display(path);
        loader.problems.push(Problem {
            severity: if packaged { Severity::Warning } else { Severity::Error },
            file: shown,
            span: Some(written.span()),
            message,
            help,
        });
        packaged
    }

    /// An operation of a REST API.
    fn rest_operation(
        &mut self,
        section: &RequesterOperationSection,
        base_path: &str,
        options: &Options,
        structures: &channel::Options,
    ) -> Option<RequesterOperation> {
        if section.soap.is_some() || section.response.is_some() {
            self.at(&section.name, "[operation.soap] and [operation.response] go with kind = \"soap\"");
            return None;
        }
        let Some(http) = &section.http else {
            self.at(&section.name, "the operation needs [operation.http], which says how it goes over HTTP");
            return None;
        };
        let plan = match has_areas(section) {
            true => self.area_operation(section, http, base_path, structures),
            false => self.operation(section, http, base_path, options),
        };
        let written = http.get_ref();
        Some(RequesterOperation {
            method: http::Method::from(*written.method.get_ref()).to_string(),
            path: written.path.get_ref().clone(),
            plan: plan?,
        })
    }

    /// The messages of a WSDL that an operation has, if it has them; an error if a fault was reported.
    fn messages_of(
        &mut self,
        section: &RequesterOperationSection,
        options: &Options,
    ) -> Result<Option<Messages>, ()> {
        let Some(written) = &section.messages else { return Ok(None) };
        if section.request.is_some() || section.response.is_some() {
            self.at(written, "an operation has records or the messages of a WSDL, not both");
            return Err(());
        }
        if written.get_ref().interface == InterfaceKind::Commarea {
            self.at(written, "interface = \"commarea\" goes with services: a requester has a channel");
            return Err(());
        }
        self.records.messages(written, options.encoding).map(Some).ok_or(())
    }

    /// An operation of a SOAP server.
    fn soap_operation(
        &mut self,
        section: &RequesterOperationSection,
        base_path: &str,
        options: &Options,
        pipeline: Option<&RequesterPipeline>,
        queue: Option<&JmsUri>,
    ) -> Option<RequesterOperation> {
        if section.http.is_some() || has_areas(section) {
            let message = "an API requester of kind soap has no [operation.http] and no schemas";
            self.at(&section.name, message);
            return None;
        }
        let Some(soap) = &section.soap else {
            self.at(&section.name, "the operation needs [operation.soap], which says what its messages are");
            return None;
        };
        let messages = self.messages_of(section, options).ok()?;
        let request = self.record(section.request.as_ref(), options);
        let response = self.record(section.response.as_ref(), options);
        let (request, response) = (request?, response?);
        let sides = match &messages {
            Some(messages) => soap_requester::config::Sides {
                request: Some(SideOf::Channel(&messages.request)),
                response: messages.response.as_ref().map(SideOf::Channel),
            },
            None => soap_requester::config::Sides {
                request: request.as_ref().map(|(side, _)| SideOf::Record(side)),
                response: response.as_ref().map(|(side, _)| SideOf::Record(side)),
            },
        };
        let mut operation = match soap.get_ref().operation(section.name.get_ref(), sides) {
            Ok(operation) => operation,
            Err(messages) => {
                messages.into_iter().for_each(|message| self.at(soap, message));
                return None;
            }
        };
        operation.path.insert_str(0, base_path);
        if let Some(uri) = queue
            && let Err(message) = operation.goes_by(uri)
        {
            self.at(soap, message);
            return None;
        }
        if let Some(message) = pipeline.and_then(|pipeline| other_version(pipeline, &operation)) {
            self.at(soap, message);
            return None;
        }
        if let (false, Err(error)) = (operation.path.is_empty(), PathTemplate::parse(&operation.path)) {
            self.at(soap, error.to_string());
            return None;
        }
        let bind = |side: Option<(interface::Interface, Bind)>| side.map(|(_, bind)| Arc::new(bind));
        Some(RequesterOperation {
            method: http::Method::POST.to_string(),
            path: operation.path.clone(),
            plan: OperationPlan::Soap(Arc::new(SoapPlan {
                operation,
                request: bind(request),
                response: bind(response),
            })),
        })
    }

    fn operation(
        &mut self,
        section: &RequesterOperationSection,
        http: &Spanned<HttpSection>,
        base_path: &str,
        options: &Options,
    ) -> Option<OperationPlan> {
        let request = self.record(section.request.as_ref(), options);
        let mut answers = Vec::new();
        for answer in &http.get_ref().responses {
            answers.push(self.record(answer.get_ref().record.as_ref(), options));
        }
        let request = request?;
        let responses: Vec<Option<interface::Interface>> = answers
            .into_iter()
            .map(|side| side.map(|side| side.map(|(interface, _)| interface)))
            .collect::<Option<_>>()?;
        let sides = Sides {
            request: request.as_ref().map(|(interface, _)| interface),
            responses: &responses,
            usual: None,
        };
        let ServiceLoader { loader, path, .. } = &mut self.records;
        let mut tell = |span, message: String| loader.at(path, span, message);
        let mut reader = OperationReader { tell: &mut tell, base_path };
        let plan = Arc::new(reader.operation(http, sides)?);
        let request = request.map(|(_, bind)| Arc::new(bind));
        Some(OperationPlan::Record { plan, request })
    }

    /// An operation with structures made from schemas, with data areas.
    fn area_operation(
        &mut self,
        section: &RequesterOperationSection,
        http: &Spanned<HttpSection>,
        base_path: &str,
        options: &channel::Options,
    ) -> Option<OperationPlan> {
        if let Some(record) = &section.request {
            self.at(record, "an operation has records or schemas, not both");
            return None;
        }
        let request = self.structure(section.request_schema.as_ref(), Side::Request, options);
        let response = self.structure(section.response_schema.as_ref(), Side::Response, options);
        let structures = Structures { request: request?, response: response? };
        let ServiceLoader { loader, path, .. } = &mut self.records;
        let mut tell = |span, message: String| loader.at(path, span, message);
        let mut reader = OperationReader { tell: &mut tell, base_path };
        let plan = reader.area_operation(http, structures)?;
        Some(OperationPlan::Areas(Arc::new(plan)))
    }

    /// The structure of a schema in the requester's folder, if there is one. The outer option is
    /// none if it has faults.
    #[expect(clippy::option_option, reason = "the outer one is a fault that was reported")]
    fn structure(
        &mut self,
        file: Option<&Spanned<String>>,
        side: Side,
        options: &channel::Options,
    ) -> Option<Option<Interface>> {
        let Some(file) = file else { return Some(None) };
        if !is_safe(file.get_ref()) {
            self.at(file, "expected a file in the API requester's folder");
            return None;
        }
        let path = format!("{FOLDER}/{}/{}", self.records.name, file.get_ref());
        let loader = &mut *self.records.loader;
        let text = match loader.files.read(&path) {
            Ok(text) => text,
            Err(error) => {
                self.at(file, format!("{path} cannot be read: {error}"));
                return None;
            }
        };
        match Interface::compile_record(&text, side, options) {
            Ok(structure) if structure.structure_max_bytes() > self.records.record_max_bytes => {
                let message = format!(
                    "a structure of it has {} bytes, more than limits.record_max_bytes, {}",
                    structure.structure_max_bytes(),
                    self.records.record_max_bytes
                );
                self.at(file, message);
                None
            }
            Ok(structure) => {
                for warning in structure.warnings() {
                    loader.warn_at_line(&path, warning.line, warning.to_string());
                }
                Some(Some(structure))
            }
            Err(found) => {
                for finding in &found {
                    match finding.severity {
                        channel::Severity::Error => loader.at_line(&path, finding.line, finding.to_string()),
                        channel::Severity::Warning => {
                            loader.warn_at_line(&path, finding.line, finding.to_string());
                        }
                    }
                }
                None
            }
        }
    }

    /// The record of a section, if there is one. The outer option is none if it has faults.
    #[expect(clippy::option_option, reason = "the outer one is a fault that was reported")]
    fn record(
        &mut self,
        section: Option<&Spanned<InterfaceSection>>,
        options: &Options,
    ) -> Option<Option<(interface::Interface, Bind)>> {
        match section {
            None => Some(None),
            Some(section) => self.records.interface(section, options.clone(), None).map(Some),
        }
    }
}

/// The message if the handler of a pipeline and an operation have different versions of SOAP.
fn other_version(pipeline: &RequesterPipeline, operation: &SoapOperation) -> Option<String> {
    let (own, other) = (operation.messages.version, pipeline.pipeline.soap_handler()?.version);
    let (shown, theirs) = (own.number(), other.number());
    let message =
        format!("the operation is of SOAP {shown}, and the handler of its pipeline of SOAP {theirs}");
    (own != other).then_some(message)
}

/// True for an operation with structures made from schemas.
fn has_areas(section: &RequesterOperationSection) -> bool {
    section.request_schema.is_some() || section.response_schema.is_some()
}

/// The rules of structures. They limit the bytes for programs. The defaults are those of z/OS
/// Connect's API requesters.
fn structure_options(section: &StructuresSection, encoding: Encoding) -> channel::Options {
    channel::Options {
        default_char_max: section.default_character_max_length,
        default_fraction_digits: section.default_fraction_digits,
        inline_max_occurs: section.inline_max_occurs,
        synchronized_floats: section.synchronized_floats,
        unknown_members: match section.unknown_fields {
            UnknownFieldsWord::Refuse => UnknownMembers::Refuse,
            UnknownFieldsWord::Ignore => UnknownMembers::Ignore,
        },
        ieee_order: Some(IEEE_ORDER_OF_PROGRAMS),
        // Data for programs must fit into the memory that a worker shares with the gateway.
        channel_max_bytes: region::Limits::default().area_bytes,
        ..channel::Options::host_api(encoding)
    }
}
