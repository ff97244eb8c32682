//! Reads a file into a web service that can run, or reports its faults.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use admission::config::{
    ApiSections, CallLimitsSection, OperationSections, OwnSecuritySection, SecurityReader,
};
use admission::{ApiGuard, Security};
use api::{Api, Document, ElsewhereSpec, ServiceInterface};
use conversion::Conversion;
use record::{Bind, Options, PROGRAM_INTERFACE, ProgramInterface};
use recording::config::Around;
use settings::Loader;
use soap::{ADDRESS, Mtom, Operation, Side, WebService, Wsdl, default_action};
use toml::Spanned;
use web_service::Level;
use wsdl::{Definitions, ElementName, TypeNames};

use crate::pipelines::{NamedPipeline, Pipelines};
use crate::section::{OperationSection, VersionsWord, WebServiceFile};
use pipeline::Role;

/// The folder of the files.
pub const FOLDER: &str = "soap";

/// The base path of web services, as in CICS.
const BASE_PATH: &str = "/cics/services";

/// The objects to which the files refer.
#[derive(Clone, Copy, Debug)]
pub struct Known<'k> {
    /// The rules of admission.
    pub security: &'k Security,
    /// The conversions of services' payloads into JSON or XML, by name.
    pub conversions: &'k HashMap<String, Conversion>,
    /// Services of records by name.
    pub interfaces: &'k HashMap<String, ServiceInterface>,
    /// The security sections of services.
    pub sections: &'k HashMap<String, OwnSecuritySection>,
    /// Services whose files have faults.
    pub faulty: &'k HashSet<String>,
    /// The APIs, whose names are already taken.
    pub apis: &'k [Api],
    /// The pipelines of the configuration.
    pub pipelines: &'k Pipelines,
}

/// A loaded web service.
pub struct Loaded {
    /// Its entry in lists, logs, metrics and switches.
    pub api: Api,
    /// Its guard.
    pub guard: ApiGuard,
    /// The interceptors and the policy of its calls.
    pub around: Around,
    /// Its operations.
    pub service: WebService,
    /// The programs that see its messages; none if there are none.
    pub pipeline: Option<NamedPipeline>,
}

/// Reads all files. The faults of a file go to the loader's problems, and that file is left out.
pub fn read(loader: &mut Loader<'_>, known: &Known<'_>) -> Vec<Loaded> {
    let mut loaded = Vec::new();
    for entry in loader.entries(FOLDER) {
        let path = format!("{FOLDER}/{entry}");
        let Some(name) = entry.strip_suffix(".toml") else {
            loader.at_file(&path, "is not a web service: files in soap/ end with .toml");
            continue;
        };
        let Some((file, _)) = loader.parse::<WebServiceFile>(&path) else { continue };
        let mut reader = Reader { loader, known, path: &path, name, schemas: Schemas::default() };
        loaded.extend(reader.web_service(file));
    }
    loaded
}

/// Reads one file.
struct Reader<'a, 'f> {
    loader: &'a mut Loader<'f>,
    known: &'a Known<'a>,
    path: &'a str,
    name: &'a str,
    schemas: Schemas,
}

/// The schemas of a web service so far: no namespace may have an element or a type twice.
#[derive(Default)]
struct Schemas {
    /// The schema of each element, with the first name for its type.
    elements: HashMap<(String, String), String>,
    types: TypeNames,
}

impl Schemas {
    /// The schema of an element; none if it is there already.
    ///
    /// # Errors
    /// The element is there with another schema.
    fn add(
        &mut self,
        (namespace, element): (&str, &str),
        level: Option<Level>,
        write: impl Fn(Option<ProgramInterface<'_>>) -> String,
    ) -> Result<Option<String>, String> {
        let first = write(level.map(|level| level.name().into()));
        let place = (namespace.to_owned(), element.to_owned());
        if let Some(known) = self.elements.get(&place) {
            let message = format!("another operation has the element {element} with other fields");
            return if *known == first { Ok(None) } else { Err(message) };
        }
        self.elements.insert(place, first.clone());
        let Some(level) = level else { return Ok(Some(first)) };
        let type_name = self.types.add(namespace, PROGRAM_INTERFACE);
        Ok(Some(write(Some(ProgramInterface { mapping_level: level.name(), type_name: &type_name }))))
    }
}

/// The namespaces of a web service.
struct Namespaces {
    target: String,
    request: String,
    response: String,
}

/// An operation, with further parts for its description.
struct Described {
    operation: Operation,
    service: String,
    schemas: Vec<String>,
    wsdl: wsdl::Operation,
}

impl Reader<'_, '_> {
    fn web_service(&mut self, mut file: WebServiceFile) -> Option<Loaded> {
        self.check_name()?;
        let pipeline = match &file.pipeline {
            Some(written) => Some(self.pipeline(written, &file)?),
            None => None,
        };
        if let Some(handler) = pipeline.as_ref().and_then(|pipeline| pipeline.pipeline.soap_handler()) {
            // CICS's handlers know one version each.
            file.versions = VersionsWord::only(handler.version);
        }
        let path = self.service_path(&file)?;
        self.check_tokens(&file);
        let mtom = self.mtom(&file, pipeline.as_ref())?;
        let namespaces = self.namespaces(&file)?;
        let guard = self.guard(&file);
        if file.operation.is_empty() {
            self.loader.at_file(self.path, "a web service has one [[operation]] at least");
            return None;
        }
        let described: Vec<Option<Described>> =
            file.operation.iter().map(|section| self.operation(section, &namespaces, &file)).collect();
        let described: Vec<Described> = described.into_iter().collect::<Option<_>>()?;
        self.check_elements(&file, &described)?;
        let wsdl = match &file.wsdl {
            Some(written) => self.wsdl_of_others(written, &file, &path)?,
            None => Wsdl::new(&self.wsdl(&file, (&namespaces, &path), &described)),
        };
        let operations = described.iter();
        let spec = ElsewhereSpec {
            name: self.name.to_owned(),
            description: file.description.clone(),
            path: path.clone(),
            operations: operations
                .map(|described| (described.operation.element.clone(), described.service.clone()))
                .collect(),
            document: Some(Document {
                path: format!("{path}?wsdl"),
                content_type: "text/xml; charset=utf-8",
                text: wsdl.template().into(),
            }),
        };
        let needs_caller = pipeline.as_ref().is_some_and(|pipeline| pipeline.pipeline.username_token);
        let service = WebService {
            name: self.name.to_owned(),
            path,
            versions: file.versions.of_soap(),
            faults: file.faults.style(),
            username_token: needs_caller
                || file.username_token.as_ref().is_some_and(|taken| *taken.get_ref()),
            needs_caller,
            mtom,
            operations: described.into_iter().map(|described| described.operation).collect(),
            wsdl,
        };
        let around = Around { path: self.path.to_owned(), chain: file.interceptors, policy: file.policy };
        Some(Loaded { api: Api::elsewhere(spec), guard, around, service, pipeline })
    }

    fn pipeline(&mut self, written: &Spanned<String>, file: &WebServiceFile) -> Option<NamedPipeline> {
        let found = self.known.pipelines.of(self.loader, (self.path, written), Role::Provider)?;
        if found.pipeline.username_token && self.known.security.knows_nobody() {
            let message = "its pipeline has <wsse_handler>: gantry.toml has no [[security.authenticator]] to authenticate callers";
            self.at(written.span(), message);
            return None;
        }
        let version = found.pipeline.soap_handler().map(|handler| handler.version);
        if version.is_some_and(|version| !file.versions.of_soap().has(version)) {
            let message = "the SOAP handler of the pipeline is of a version that is not among 'versions'";
            self.at(written.span(), message);
            return None;
        }
        Some(found)
    }

    /// The MTOM settings. If there is a pipeline, it gives them.
    fn mtom(&mut self, file: &WebServiceFile, pipeline: Option<&NamedPipeline>) -> Option<Option<Mtom>> {
        match (&file.mtom, pipeline) {
            (Some(written), Some(_)) => {
                let message = "the pipeline says whether messages are MTOM: <cics_mtom_handler> in its file";
                self.at(written.span(), message);
                None
            }
            (Some(written), None) => Some(Some(written.get_ref().of_soap())),
            (None, pipeline) => Some(pipeline.and_then(|pipeline| pipeline.pipeline.mtom.clone())),
        }
    }

    fn at(&mut self, span: Range<usize>, message: impl Into<String>) {
        self.loader.at(self.path, span, message);
    }

    /// Checks the name. It becomes a part of names in the WSDL, in metrics and in switches.
    fn check_name(&mut self) -> Option<()> {
        if !xml::is_name(self.name) {
            let message = format!("'{}' cannot be a name in a WSDL: rename the file", self.name);
            self.loader.at_file(self.path, message);
            return None;
        }
        if self.known.apis.iter().any(|api| api.name() == self.name) {
            let message = format!("'{}' is already the name of an API: rename the file", self.name);
            self.loader.at_file(self.path, message);
            return None;
        }
        Some(())
    }

    fn service_path(&mut self, file: &WebServiceFile) -> Option<String> {
        let Some(path) = &file.path else { return Some(format!("{BASE_PATH}/{}", self.name)) };
        let text = path.get_ref();
        let good = |c: char| c.is_ascii_alphanumeric() || "/-._~".contains(c);
        if text.starts_with('/') && text.len() > 1 && !text.ends_with('/') && text.chars().all(good) {
            return Some(text.clone());
        }
        let message = format!(
            "path is '{text}'; expected a path that starts with '/', does not end with it, and has letters, digits, '-', '.', '_' and '~'"
        );
        self.at(path.span(), message);
        None
    }

    fn check_tokens(&mut self, file: &WebServiceFile) {
        let Some(taken) = file.username_token.as_ref().filter(|taken| *taken.get_ref()) else { return };
        if self.known.security.knows_nobody() {
            let message = "gantry.toml has no [[security.authenticator]] to authenticate callers";
            self.at(taken.span(), message);
        }
    }

    fn namespaces(&mut self, file: &WebServiceFile) -> Option<Namespaces> {
        let Some(written) = &file.namespace else {
            let name = self.name;
            return Some(Namespaces {
                target: format!("http://www.{name}.com"),
                request: format!("http://www.{name}.Request.com"),
                response: format!("http://www.{name}.Response.com"),
            });
        };
        let target = self.namespace(written)?;
        let separator = match target.chars().last() {
            Some('/' | ':' | '#') => "",
            _ if target.starts_with("urn:") => ":",
            _ => "/",
        };
        let below = |word: &str| format!("{target}{separator}{word}");
        Some(Namespaces { request: below("Request"), response: below("Response"), target })
    }

    /// A namespace that is valid in an attribute, and is not that of SOAP or XML.
    fn namespace(&mut self, written: &Spanned<String>) -> Option<String> {
        let text = written.get_ref();
        let is_clean = !text.is_empty() && !text.chars().any(|c| c.is_whitespace() || c.is_control());
        let is_taken = soap::Version::of_namespace(text).is_some();
        if is_clean && !is_taken {
            return Some(text.clone());
        }
        self.at(written.span(), "expected a namespace of your own, without blanks");
        None
    }

    /// The namespace of an element; empty for none.
    fn element_namespace(&mut self, written: &Spanned<String>) -> Option<String> {
        if written.get_ref().is_empty() { Some(String::new()) } else { self.namespace(written) }
    }

    /// A WSDL from elsewhere with its imports, at this gateway's address.
    fn wsdl_of_others(
        &mut self,
        written: &Spanned<String>,
        file: &WebServiceFile,
        path: &str,
    ) -> Option<Wsdl> {
        let name = written.get_ref();
        if file.mapping_level.is_some() {
            let message = "mapping_level is the shape of a WSDL that follows from services; a web service with wsdl has none";
            self.at(written.span(), message);
            return None;
        }
        if !settings::is_safe(name) {
            self.at(written.span(), format!("'{name}' is not a path in the configuration folder"));
            return None;
        }
        let files = self.loader.files;
        let bytes = match files.read_bytes(name) {
            Ok(bytes) => bytes,
            Err(error) => {
                self.at(written.span(), format!("the WSDL {name} cannot be read: {error}"));
                return None;
            }
        };
        let address = format!("{ADDRESS}{path}");
        let mut of_folder = |path: &str| files.read_bytes(path).map_err(|error| error.to_string());
        let served = wsdl::read::below_root((name, web_service::OUTSIDE), &mut of_folder, |name, files| {
            wsdl::read::serve(name, bytes.clone(), files, &address)
        });
        match served {
            Ok(served) => Some(Wsdl::with_parts(&served.wsdl, served.parts)),
            Err(fault) => {
                self.at(written.span(), fault.to_string());
                None
            }
        }
    }

    /// The guard of the web service. The body names the operation, but the caller is judged before
    /// the body is read. So all operations have the same guard. It demands what any of their
    /// services demands.
    fn guard(&mut self, file: &WebServiceFile) -> ApiGuard {
        let Known { security, sections, .. } = *self.known;
        let mut reader = SecurityReader { loader: self.loader, path: self.path };
        let api = ApiSections { security: &file.security, limits: &file.limits, cors: file.cors.as_ref() };
        let mut guard = reader.api(security, api);
        let services = |section: &OperationSection| sections.get(section.service.get_ref());
        for _ in &file.operation {
            let sections = OperationSections {
                scopes: &[],
                limits: &CallLimitsSection::default(),
                services: file.operation.iter().filter_map(services).collect(),
                roles: None,
            };
            let operation = reader.operation(security, &guard, &sections);
            guard.operations.push(operation);
        }
        guard
    }

    fn operation(
        &mut self,
        section: &OperationSection,
        namespaces: &Namespaces,
        file: &WebServiceFile,
    ) -> Option<Described> {
        let service = section.service.get_ref();
        let Some(interface) = self.known.interfaces.get(service) else {
            return self.operation_of_messages(section, namespaces, file);
        };
        let element = self.element(section.name.as_ref(), || format!("{service}Operation"))?;
        let namespace = match &section.request_namespace {
            Some(written) => self.element_namespace(written)?,
            None => namespaces.request.clone(),
        };
        let options = |options: &Options, namespace: &str, element: &str| {
            let mut options = options.clone();
            options.naming = file.naming.unwrap_or(options.naming);
            options.xml.namespace = (!namespace.is_empty()).then(|| namespace.to_owned());
            options.xml.prefix = None;
            options.xml.root = Some(element.to_owned());
            options
        };
        let request = options(&interface.request.options, &namespace, &element);
        let request = self.bind(&section.service, Bind::compile(&interface.request.layout, &request))?;
        let schema = |shape: Option<ProgramInterface<'_>>| request_schema(&request, shape);
        let mut schemas = Vec::new();
        schemas.extend(self.schema((section.service.span(), file), (&namespace, &element), schema)?);
        let mut answer = None;
        let mut response_element = None;
        if !section.one_way {
            let element = self.element(section.response.as_ref(), || format!("{element}Response"))?;
            let namespace = match &section.response_namespace {
                Some(written) => self.element_namespace(written)?,
                None => namespaces.response.clone(),
            };
            let response = options(&interface.response.options, &namespace, &element);
            let response =
                self.bind(&section.service, Bind::compile(&interface.response.layout, &response))?;
            let schema = |shape: Option<ProgramInterface<'_>>| response_schema(&response, shape);
            schemas.extend(self.schema((section.service.span(), file), (&namespace, &element), schema)?);
            answer = Some(response);
            response_element = Some(ElementName { namespace, name: element });
        } else if let Some(response) = &section.response {
            self.at(response.span(), "an operation that is one_way has no response");
            return None;
        }
        let port_type = format!("{}Port", self.name);
        let wsdl = wsdl::Operation {
            name: element.clone(),
            action: section.soap_action.clone(),
            request: ElementName { namespace: namespace.clone(), name: element.clone() },
            response: response_element,
        };
        let operation = Operation {
            response_action: section.response_action.clone().unwrap_or_else(|| {
                default_action(&namespaces.target, &port_type, &format!("{element}Response"))
            }),
            binary_elements: answer.as_ref().map(|bind| bind.base64_elements()).unwrap_or_default(),
            element,
            namespace,
            request: request.into(),
            response: answer.map(Into::into),
        };
        Some(Described { operation, service: service.clone(), schemas, wsdl })
    }

    /// The schema of an element for the WSDL that is made here; none within if there is none, or if it is there already.
    fn schema(
        &mut self,
        (span, file): (Range<usize>, &WebServiceFile),
        element: (&str, &str),
        write: impl Fn(Option<ProgramInterface<'_>>) -> String,
    ) -> Option<Option<String>> {
        if file.wsdl.is_some() {
            return Some(None);
        }
        let added = self.schemas.add(element, file.mapping_level, write);
        added.map_err(|message| self.at(span, format!("{message}: set name or response"))).ok()
    }

    /// An operation whose messages a WSDL describes. Its elements are those of the WSDL.
    fn operation_of_messages(
        &mut self,
        section: &OperationSection,
        namespaces: &Namespaces,
        file: &WebServiceFile,
    ) -> Option<Described> {
        let (request, response, sides) = match self.known.conversions.get(section.service.get_ref()) {
            Some(Conversion::Channel { request, response, .. }) if request.is_message() => {
                let [asked, answered] = [request, response].map(|side| Side::Channel(Arc::clone(side)));
                (Arc::clone(request), Some(Arc::clone(response)), (asked, Some(answered)))
            }
            Some(Conversion::Message { request, response, .. }) => {
                let answered = response.as_ref().map(|side| Side::Message(Arc::clone(side)));
                (Arc::clone(request), response.clone(), (Side::Message(Arc::clone(request)), answered))
            }
            _ => {
                self.unknown_service(&section.service);
                return None;
            }
        };
        if file.wsdl.is_none() {
            let message = "the messages of the service are those of a WSDL: set wsdl to the same file";
            self.at(section.service.span(), message);
            return None;
        }
        let (element, namespace) = request.element()?;
        if response.is_none() && !section.one_way {
            let message = "the operation of the WSDL has no response: set one_way = true";
            self.at(section.service.span(), message);
            return None;
        }
        let answered = response.as_ref().filter(|_| !section.one_way).and_then(|response| response.element());
        let port_type = format!("{}Port", self.name);
        let wsdl = wsdl::Operation {
            name: element.to_owned(),
            action: section.soap_action.clone(),
            request: ElementName { namespace: namespace.to_owned(), name: element.to_owned() },
            response: answered.map(|(name, namespace)| ElementName {
                namespace: namespace.to_owned(),
                name: name.to_owned(),
            }),
        };
        let response_action = section.response_action.clone();
        let (request_side, response_side) = sides;
        let operation = Operation {
            response_action: response_action.unwrap_or_else(|| {
                default_action(&namespaces.target, &port_type, &format!("{element}Response"))
            }),
            binary_elements: Vec::new(),
            element: element.to_owned(),
            namespace: namespace.to_owned(),
            response: response_side.filter(|_| !section.one_way),
            request: request_side,
        };
        Some(Described { operation, service: section.service.get_ref().clone(), schemas: Vec::new(), wsdl })
    }

    fn unknown_service(&mut self, service: &Spanned<String>) {
        let name = service.get_ref();
        // The fault of a faulty service is already reported.
        if self.known.faulty.contains(name) {
            return;
        }
        let message = if self.known.sections.contains_key(name) {
            format!("the service '{name}' has several containers: a web service needs one of a record")
        } else {
            format!("service '{name}' does not exist: expected the name of a file in services/")
        };
        self.at(service.span(), message);
    }

    fn element(&mut self, written: Option<&Spanned<String>>, usual: impl Fn() -> String) -> Option<String> {
        let Some(written) = written else { return Some(xml::element_name(&usual())) };
        if xml::is_name(written.get_ref()) {
            return Some(written.get_ref().clone());
        }
        let message = format!("'{}' is not a name for an element of XML", written.get_ref());
        self.at(written.span(), message);
        None
    }

    fn bind(
        &mut self,
        service: &Spanned<String>,
        compiled: Result<Bind, Vec<record::CompileError>>,
    ) -> Option<Arc<Bind>> {
        match compiled {
            Ok(bind) => Some(Arc::new(bind)),
            Err(errors) => {
                for error in errors {
                    self.at(service.span(), format!("the service's record as XML: {error}"));
                }
                None
            }
        }
    }

    /// The element in a body must identify its operation.
    fn check_elements(&mut self, file: &WebServiceFile, described: &[Described]) -> Option<()> {
        for (at, Described { operation, .. }) in described.iter().enumerate() {
            let same = |other: &Described| {
                other.operation.element == operation.element
                    && other.operation.namespace == operation.namespace
            };
            if described[..at].iter().any(same) {
                let message = format!("another operation has the element {}; set name", operation.element);
                self.at(file.operation[at].service.span(), message);
                return None;
            }
        }
        Some(())
    }

    fn wsdl(
        &self,
        file: &WebServiceFile,
        (namespaces, path): (&Namespaces, &str),
        described: &[Described],
    ) -> String {
        wsdl::write(&Definitions {
            name: self.name.to_owned(),
            namespace: namespaces.target.clone(),
            address: format!("{ADDRESS}{path}"),
            versions: file.versions.of_wsdl(),
            comment: None,
            schemas: described.iter().flat_map(|described| described.schemas.clone()).collect(),
            operations: described.iter().map(|described| described.wsdl.clone()).collect(),
        })
    }
}

/// The schema of a request's element, in the shape of the mapping level if there is one.
fn request_schema(bind: &Bind, shape: Option<ProgramInterface<'_>>) -> String {
    match shape {
        Some(interface) => bind.request_program_interface(interface),
        None => bind.request_xsd(),
    }
}

/// The schema of an answer's element.
fn response_schema(bind: &Bind, shape: Option<ProgramInterface<'_>>) -> String {
    match shape {
        Some(interface) => bind.response_program_interface(interface),
        None => bind.response_xsd(),
    }
}
