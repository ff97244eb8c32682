//! Reads a service file into a service: its copybooks, its interfaces, its provider.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use ::api::ServiceInterface;
use codepage::Encoding;
use conversion::Conversion;
use copybook::Layout;
use interface::{Interface, InterfaceSection, Pages, Rules, as_programs_have};
use providers::{Origin, Payloads, Place, RecordSide};
use record::{Bind, Naming, Options};
use requesters::config::{HttpSection, OperationReader, Sides};
use requesters::{HttpWay, RecordOperation};
use service::{Service, ServiceProvider, Unbound};
use settings::copybooks::{Copybook, replacing_phrase};
use settings::{GANTRY_FILE, copybooks, is_safe};
use toml::Spanned;

use super::loader::Loader;
use super::services::Given;
use super::written::{ProviderSection, ServiceFile};
use gateway::RunningService;

/// Names of fields that one warning shows. The others are counted.
const SHOWN_NAMES_MAX: usize = 8;

pub(super) struct ServiceLoader<'a, 'f, 'g> {
    pub(super) loader: &'a mut Loader<'f>,
    pub(super) given: &'a mut Given<'g>,
    pub(super) path: &'a str,
    pub(super) name: &'a str,
    pub(super) record_max_bytes: usize,
    /// The description of the service.
    pub(super) origin: Origin,
    /// The provider of the service in `gantry.toml`.
    pub(super) bound: Option<&'a Spanned<ProviderSection>>,
    /// True if programs transform its records.
    pub(super) is_transformed: bool,
}

/// The records of a service; none for those with faulty copybooks.
pub(super) type ServiceSides<'i> = (Option<&'i Interface>, Option<&'i Interface>);

impl ServiceLoader<'_, '_, '_> {
    /// Makes the service of a file, with its interface for operations that map fields. A service
    /// with several containers has no interface.
    pub(super) fn service(
        &mut self,
        file: &ServiceFile,
    ) -> Option<(RunningService, Option<ServiceInterface>)> {
        if !file.request_container.is_empty() || !file.response_container.is_empty() {
            return self.service_of_containers(file).map(|running| (running, None));
        }
        if let Some(section) = &file.messages {
            return self.service_of_messages(file, section).map(|running| (running, None));
        }
        let ccsid = self.ccsid(file);
        let pages =
            Pages { ccsid: &ccsid, national: file.national_ccsid.as_ref(), dbcs: file.dbcs_ccsid.as_ref() };
        let options = self.options(pages, file.naming).map(|options| self.as_served(file, options));
        let encoding = options.as_ref().map(|options| options.encoding);
        let wrapper = |suffix: &str| Some(format!("{}{suffix}", self.name));
        let (out, back) = (wrapper("Operation"), wrapper("OperationResponse"));
        let request =
            options.as_ref().and_then(|options| self.record_side(&file.request, options.clone(), out));
        if let (Some(section), Some((interface, bind))) = (&file.request, &request) {
            self.warn_of_dates(section, (&interface.layout, bind));
            self.warn_of_conditions(section, bind);
        }
        let response = options.and_then(|options| self.record_side(&file.response, options, back));
        let sides = (request.as_ref().map(|side| &side.0), response.as_ref().map(|side| &side.0));
        let provider = self.record_provider(file, encoding, sides);
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
        let states_status = self.section_of(file).is_some_and(|section| section.get_ref().0.states_status());
        Some((
            running,
            Some(ServiceInterface { name: self.name.to_owned(), request, response, states_status }),
        ))
    }

    pub(super) fn at(&mut self, span: Range<usize>, message: impl Into<String>) {
        let shown = self.loader.files.display(self.path);
        self.loader.problems.add(&shown, Some(span), message);
    }

    /// The options of a service whose records may go to a program.
    pub(super) fn as_served(&self, file: &ServiceFile, options: Options) -> Options {
        // Records of other providers do not leave the gateway. Only JSON made from them does.
        match self.is_transformed || self.is_programs(file) {
            true => as_programs_have(options),
            false => options,
        }
    }

    /// The code page of the records. If a program here gets them, it is that of the region, else
    /// that of the file.
    pub(super) fn ccsid(&mut self, file: &ServiceFile) -> Spanned<u16> {
        match self.is_programs(file) {
            true => self.given.region.ccsid_of_programs(self.loader, self.path, &file.ccsid),
            false => file.ccsid.clone(),
        }
    }

    /// True if its provider is a program that runs here.
    fn is_programs(&self, file: &ServiceFile) -> bool {
        self.section_of(file).is_some_and(|provider| provider.get_ref().0.runs_here())
    }

    /// The section of its provider, in its own file or in `gantry.toml`.
    fn section_of<'s>(&'s self, file: &'s ServiceFile) -> Option<&'s Spanned<ProviderSection>> {
        self.own_section(file).or(self.bound)
    }

    /// The provider in its own file. A bind file names the program and its channel, but
    /// `gantry.toml` may replace it.
    pub(super) fn own_section<'s>(&self, file: &'s ServiceFile) -> Option<&'s Spanned<ProviderSection>> {
        let is_replaced = self.bound.is_some()
            && self.loader.files.package_of(self.path).is_some_and(web_services::is_bind_file);
        file.provider.as_ref().filter(|_| !is_replaced)
    }

    /// The provider of a service of records.
    fn record_provider<'s>(
        &mut self,
        file: &'s ServiceFile,
        encoding: Option<Encoding>,
        sides: ServiceSides<'_>,
    ) -> Option<Arc<dyn ServiceProvider>> {
        let section = |side: &'s Option<Spanned<InterfaceSection>>| side.as_ref().map(Spanned::get_ref);
        let request = RecordSide { section: section(&file.request), interface: sides.0 };
        let response = RecordSide { section: section(&file.response), interface: sides.1 };
        let payloads = (encoding, Payloads::Records { request, response });
        let Some(http) = &file.http else { return self.provider_of(self.own_section(file), payloads, None) };
        // Check the section even if the service has no provider yet.
        let operation = self.http_operation(http, sides);
        match self.section_of(file) {
            None => operation.and(self.provider_of(None, payloads, None)),
            Some(section) if section.get_ref().0.way() != Some("http") => {
                self.at(http.span(), "[http] goes with the provider http");
                None
            }
            Some(_) => self.provider_of(self.own_section(file), payloads, Some(&mut HttpWay(operation))),
        }
    }

    /// The provider that the service's file names, or that of `gantry.toml`, or one that refuses
    /// all calls. Texts of its section use the encoding; none if the encoding has a fault, which is
    /// reported elsewhere. `own_part` is the file's section for one kind of provider.
    pub(super) fn provider_of(
        &mut self,
        own: Option<&Spanned<ProviderSection>>,
        (encoding, payloads): (Option<Encoding>, Payloads<'_>),
        own_part: Option<&mut dyn Any>,
    ) -> Option<Arc<dyn ServiceProvider>> {
        let section = match (own, self.bound) {
            (Some(own), Some(_)) => {
                self.at(own.span(), "gantry.toml also sets a provider for this service; remove one");
                return None;
            }
            (Some(section), None) | (None, Some(section)) => section,
            (None, None) => return Some(Arc::new(Unbound)),
        };
        // A program in `programs/` has no written section.
        let is_of_gantry_file = own.is_none() && !section.span().is_empty();
        let mut made: Vec<&mut dyn Any> = vec![
            &mut *self.given.connections,
            &mut *self.given.groups,
            &mut *self.given.region,
            &mut *self.given.queues,
        ];
        made.extend(own_part);
        section.get_ref().0.provider(Place {
            loader: &mut self.loader.reading,
            path: self.path,
            section_path: if is_of_gantry_file { GANTRY_FILE } else { self.path },
            span: section.span(),
            service: self.name,
            encoding,
            payloads,
            origin: self.origin,
            given: providers::Given(&mut made),
        })
    }

    fn http_operation(
        &mut self,
        section: &Spanned<HttpSection>,
        (request, response): ServiceSides<'_>,
    ) -> Option<RecordOperation> {
        // The fault of a faulty copybook is already reported.
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

    /// One side of the service, if it has this side.
    fn record_side(
        &mut self,
        section: &Option<Spanned<InterfaceSection>>,
        options: Options,
        wrapper: Option<String>,
    ) -> Option<(Interface, Bind)> {
        match section {
            Some(section) => self.interface(section, options, wrapper),
            None => interface::nothing(self.name, options, &mut |span, message| self.at(span, message)),
        }
    }

    /// Warns of dates that a request may leave out. No program could then give them back.
    fn warn_of_dates(&mut self, section: &Spanned<InterfaceSection>, (layout, bind): (&Layout, &Bind)) {
        for (name, field) in bind.dates_without_value() {
            let message = format!(
                "'{name}' is a date without an initial value: a request without it makes a record that no answer can have (GTY0502E); \
                 set its default, or required = true"
            );
            self.loader.warn_at(self.path, section.get_ref().place_of(layout, field), message);
        }
    }

    /// Warns of fields that are limited to their condition names and that a request may leave out. The program then
    /// gets another value.
    fn warn_of_conditions(&mut self, section: &Spanned<InterfaceSection>, bind: &Bind) {
        let names = bind.conditions_without_value();
        if names.is_empty() {
            return;
        }
        let mut shown: Vec<String> =
            names.iter().take(SHOWN_NAMES_MAX).map(|name| format!("'{name}'")).collect();
        if names.len() > shown.len() {
            shown.push(format!("{} more", names.len() - shown.len()));
        }
        let message = format!(
            "a request without {} gives the program an initial value that is none of the condition names, \
             although conditions = \"enforce\"; set a default, or required = true",
            shown.join(" or ")
        );
        self.loader.warn_at(self.path, section.get_ref().copybook.span(), message);
    }

    /// A record and its form in JSON. `wrapper` is the member around the fields, where the profile
    /// uses names of services.
    pub(super) fn interface(
        &mut self,
        section: &Spanned<InterfaceSection>,
        options: Options,
        wrapper: Option<String>,
    ) -> Option<(Interface, Bind)> {
        let layout = self.layout(section.get_ref(), &options)?;
        let rules = Rules { options, wrapper, record_max_bytes: self.record_max_bytes };
        interface::compile(section, layout, rules, &mut |span, message| self.at(span, message))
    }

    /// The phrases that replace text in the copybook; none if one is wrong.
    fn replacing(&mut self, section: &InterfaceSection) -> Option<Vec<String>> {
        let mut phrases = Vec::new();
        for text in &section.replacing {
            match replacing_phrase(text.get_ref()) {
                Ok(phrase) => phrases.push(phrase),
                Err(message) => self.at(text.span(), message),
            }
        }
        (phrases.len() == section.replacing.len()).then_some(phrases)
    }

    fn layout(&mut self, section: &InterfaceSection, options: &Options) -> Option<Layout> {
        let member = section.copybook.get_ref();
        if !is_safe(member) {
            self.at(section.copybook.span(), "a copybook is a file below copybooks/");
            return None;
        }
        let replacing = self.replacing(section)?;
        let place = self.loader.copybooks();
        let options = section.copybook_options(options);
        let shown = self.loader.files.display(self.path);
        let source = Copybook {
            libraries: &[place],
            name: member,
            replacing: &replacing,
            replaced_at: (&shown, section.replacing.first().map(Spanned::span)),
        };
        match copybooks::read_with(source, &options, &mut self.loader.problems) {
            Ok(layouts) => section.choose(layouts?, &mut |span, message| self.at(span, message)),
            Err(error) => {
                let is_missing = error.kind() == std::io::ErrorKind::NotFound;
                let near = if is_missing { copybooks::nearest_file(place, member) } else { None };
                let near = near.map(|name| format!("; did you mean {name}?")).unwrap_or_default();
                let message = format!("copybooks/{member} cannot be read: {error}{near}");
                self.at(section.copybook.span(), message);
                None
            }
        }
    }

    /// Options with the encodings of the records and the naming profile.
    pub(super) fn options(&mut self, pages: Pages<'_>, naming: Naming) -> Option<Options> {
        pages.options(naming, &mut |span, message| self.at(span, message))
    }
}
