//! From a service file to a service: its copybooks, its interfaces, its provider.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use ::api::ServiceInterface;
use codepage::Encoding;
use conversion::Conversion;
use copybook::Layout;
use interface::{Interface, InterfaceSection, Pages, Rules, as_programs_have};
use providers::Place;
use record::{Bind, Naming, Options};
use region::{ContainerPart, UriForm};
use region_config::ProgramSection;
use remote::HttpProvider;
use requesters::RecordOperation;
use requesters::config::{HttpSection, OperationReader, Sides};
use service::{Service, ServiceProvider, Unbound};
use settings::{copybooks, is_safe};
use toml::Spanned;

use super::loader::Loader;
use super::services::Given;
use super::written::{HttpProviderSection, ProviderSection, ServiceFile};
use gateway::RunningService;

pub(super) struct ServiceLoader<'a, 'f, 'g> {
    pub(super) loader: &'a mut Loader<'f>,
    pub(super) given: &'a mut Given<'g>,
    pub(super) path: &'a str,
    pub(super) name: &'a str,
    pub(super) record_max_bytes: usize,
    /// How a program with a channel gets the URI of its request, if it wants it.
    pub(super) uri: UriForm,
    /// The provider that `gantry.toml` gives to the service.
    pub(super) bound: Option<&'a Spanned<ProviderSection>>,
    /// Programs transform its records.
    pub(super) is_transformed: bool,
}

/// The records of a service, as far as their copybooks have no faults.
pub(super) type ServiceSides<'i> = (Option<&'i Interface>, Option<&'i Interface>);

impl ServiceLoader<'_, '_, '_> {
    /// The service of a file, with its interface for operations that map fields; a service of several containers has none.
    pub(super) fn service(
        &mut self,
        file: &ServiceFile,
    ) -> Option<(RunningService, Option<ServiceInterface>)> {
        if !file.request_container.is_empty() || !file.response_container.is_empty() {
            return self.service_of_containers(file).map(|running| (running, None));
        }
        let (Some(request), Some(response)) = (&file.request, &file.response) else {
            let message =
                "a service has [request] and [response], or [[request_container]] and [[response_container]]";
            let shown = self.loader.files.display(self.path);
            self.loader.problems.add(&shown, None, message);
            return None;
        };
        let ccsid = self.ccsid(file);
        let pages =
            Pages { ccsid: &ccsid, national: file.national_ccsid.as_ref(), dbcs: file.dbcs_ccsid.as_ref() };
        let options = self.options(pages, file.naming).map(|options| self.as_served(file, options));
        let encoding = options.as_ref().map(|options| options.encoding);
        let wrapper = |suffix: &str| Some(format!("{}{suffix}", self.name));
        let (out, back) = (wrapper("Operation"), wrapper("OperationResponse"));
        let request = options.as_ref().and_then(|options| self.interface(request, options.clone(), out));
        let response = options.and_then(|options| self.interface(response, options, back));
        let sides = (request.as_ref().map(|side| &side.0), response.as_ref().map(|side| &side.0));
        let provider = match &file.http {
            Some(http) => self.http_provider(http, (file.provider.as_ref(), encoding), sides),
            None => match file.provider.as_ref().or(self.bound).map(|section| (section, section.get_ref())) {
                Some((section, ProviderSection::Program(program))) => match self.parts(file, sides) {
                    Ok(parts) => self.program_provider(
                        (section.span(), program),
                        (file.provider.is_some(), parts),
                        sides,
                    ),
                    Err(()) => None,
                },
                _ => self.provider_of(file.provider.as_ref(), encoding),
            },
        };
        let service = Service {
            name: self.name.to_owned(),
            description: file.description.clone(),
            timeout: Duration::from_millis(file.timeout_ms),
            provider: provider?,
        };
        let ((request, request_bind), (response, response_bind)) = (request?, response?);
        let running = RunningService {
            zos_provider: file.service_provider.clone(),
            service: Arc::new(service),
            conversion: Conversion::Record {
                request: Arc::new(request_bind),
                response: Arc::new(response_bind),
            },
        };
        let states_status = match file.provider.as_ref().or(self.bound).map(Spanned::get_ref) {
            Some(ProviderSection::Program(program)) => program.use_http_status,
            _ => false,
        };
        Some((
            running,
            Some(ServiceInterface { name: self.name.to_owned(), request, response, states_status }),
        ))
    }

    pub(super) fn at(&mut self, span: Range<usize>, message: impl Into<String>) {
        let shown = self.loader.files.display(self.path);
        self.loader.problems.add(&shown, Some(span), message);
    }

    /// The options of a service whose records a program may have.
    pub(super) fn as_served(&self, file: &ServiceFile, options: Options) -> Options {
        // Records of other providers do not leave the gateway: what is made of them is JSON.
        match self.is_transformed || self.is_programs(file) {
            true => as_programs_have(options),
            false => options,
        }
    }

    /// The code page of the records: that of the region if a program here has them, and else what the file says.
    pub(super) fn ccsid(&mut self, file: &ServiceFile) -> Spanned<u16> {
        match self.is_programs(file) {
            true => self.given.region.ccsid_of_programs(self.loader, self.path, &file.ccsid),
            false => file.ccsid.clone(),
        }
    }

    /// True if a program that runs here serves it.
    fn is_programs(&self, file: &ServiceFile) -> bool {
        file.provider.as_ref().or(self.bound).is_some_and(|provider| provider.get_ref().is_program())
    }

    /// The provider that the service's file names, or the one that `gantry.toml` gives it, or one that refuses. What it
    /// says as text is in `encoding`; none if the encoding has a fault, which is told elsewhere.
    pub(super) fn provider_of(
        &mut self,
        own: Option<&Spanned<ProviderSection>>,
        encoding: Option<Encoding>,
    ) -> Option<Arc<dyn ServiceProvider>> {
        match (own, self.bound) {
            (Some(own), Some(_)) => {
                self.at(own.span(), "gantry.toml also sets a provider for this service; remove one");
                None
            }
            (Some(section), None) | (None, Some(section))
                if matches!(section.get_ref(), ProviderSection::Program(_)) =>
            {
                let ProviderSection::Program(program) = section.get_ref() else { return None };
                match self.given.region.channel_provider(program, self.uri) {
                    Ok(provider) => Some(Arc::new(provider)),
                    Err(message) => {
                        self.at(section.span(), message);
                        None
                    }
                }
            }
            (Some(section), None) | (None, Some(section)) => self.provider(section, encoding),
            (None, None) => Some(Arc::new(Unbound)),
        }
    }

    /// The provider of a service whose file says how its records go over HTTP.
    fn http_provider(
        &mut self,
        http: &Spanned<HttpSection>,
        (own, encoding): (Option<&Spanned<ProviderSection>>, Option<Encoding>),
        sides: ServiceSides<'_>,
    ) -> Option<Arc<dyn ServiceProvider>> {
        // What it says is checked, even if nobody serves it yet.
        let operation = self.http_operation(http, sides);
        let Some(section) = own.or(self.bound) else { return operation.and(self.provider_of(own, encoding)) };
        let ProviderSection::Http(HttpProviderSection { connection }) = section.get_ref() else {
            self.at(http.span(), "[http] goes with the provider http");
            return None;
        };
        if own.is_some() && self.bound.is_some() {
            return self.provider_of(own, encoding);
        }
        let connections = self.given.connections;
        let Some(connection) = connections.get(connection).cloned() else {
            if !connections.is_faulty(connection) {
                let message = connections.unknown(connection);
                self.at(section.span(), message);
            }
            return None;
        };
        Some(Arc::new(HttpProvider::new(connection, Arc::new(operation?))))
    }

    /// The program of a service of records.
    fn program_provider(
        &mut self,
        (place, program): (Range<usize>, &ProgramSection),
        (is_own, parts): (bool, Option<[Vec<ContainerPart>; 2]>),
        (request, response): ServiceSides<'_>,
    ) -> Option<Arc<dyn ServiceProvider>> {
        if is_own && self.bound.is_some() {
            self.at(place, "gantry.toml also sets a provider for this service; remove one");
            return None;
        }
        // Of a faulty copybook the fault has been told.
        let bytes = (request?.layout.max_bytes(), response?.layout.max_bytes());
        match self.given.region.record_provider(program, bytes, parts) {
            Ok(provider) => {
                self.given.region.note_commarea(self.path, &provider);
                Some(Arc::new(provider))
            }
            Err(message) => {
                self.at(place, message);
                None
            }
        }
    }

    fn http_operation(
        &mut self,
        section: &Spanned<HttpSection>,
        (request, response): ServiceSides<'_>,
    ) -> Option<RecordOperation> {
        // Of a faulty copybook the fault has been told.
        let (request, response) = (request?, response?);
        let answers = &section.get_ref().responses;
        if let Some(record) = answers.iter().find_map(|answer| answer.get_ref().record.as_ref()) {
            self.at(record.span(), "a service has one record for all statuses, its [response]");
            return None;
        }
        let responses = vec![Some(response.clone()); answers.len()];
        let sides = Sides { request: Some(request), responses: &responses, usual: Some(response) };
        let mut tell = |span, message: String| self.at(span, message);
        OperationReader { tell: &mut tell, base_path: "" }.operation(section, sides)
    }

    /// The provider of a section that a back end registered.
    fn provider(
        &mut self,
        section: &Spanned<ProviderSection>,
        encoding: Option<Encoding>,
    ) -> Option<Arc<dyn ServiceProvider>> {
        let ProviderSection::Registered(of_kind) = section.get_ref() else {
            let message =
                "the provider http needs [http] in the service's file, which says how records go over HTTP";
            self.at(section.span(), message);
            return None;
        };
        let loader = &mut self.loader.reading;
        of_kind.provider(Place {
            loader,
            path: self.path,
            span: section.span(),
            service: self.name,
            encoding,
        })
    }

    /// A record and how JSON sees it, with `wrapper` around the fields where the profile makes names of services.
    pub(super) fn interface(
        &mut self,
        section: &Spanned<InterfaceSection>,
        options: Options,
        wrapper: Option<String>,
    ) -> Option<(Interface, Bind)> {
        let layout = self.layout(section.get_ref())?;
        let rules = Rules { options, wrapper, record_max_bytes: self.record_max_bytes };
        interface::compile(section, layout, rules, &mut |span, message| self.at(span, message))
    }

    fn layout(&mut self, section: &InterfaceSection) -> Option<Layout> {
        let member = section.copybook.get_ref();
        if !is_safe(member) {
            self.at(section.copybook.span(), "a copybook is a file below copybooks/");
            return None;
        }
        let place = self.loader.copybooks();
        match copybooks::read(place, member, &section.copybook_options(), &mut self.loader.problems) {
            Ok(layouts) => section.choose(layouts?, &mut |span, message| self.at(span, message)),
            Err(error) => {
                self.at(section.copybook.span(), format!("copybooks/{member} cannot be read: {error}"));
                None
            }
        }
    }

    /// Options with the encodings of the records and the naming profile.
    pub(super) fn options(&mut self, pages: Pages<'_>, naming: Naming) -> Option<Options> {
        pages.options(naming, &mut |span, message| self.at(span, message))
    }
}
