//! Services of several containers: each with its copybook, or text, and together one JSON object.

use std::sync::Arc;
use std::time::Duration;

use channel::{Imported, ImportedContainer, ImportedForm, UnknownMembers};
use conversion::Conversion;
use copybook::{FieldId, Layout};
use interface::{InterfaceSection, Pages};
use record::Options;
use region::{CONTEXT_CONTAINERS, ContainerPart, STATUS_CONTAINER};
use region_config::container_name;
use service::Service;
use toml::Spanned;

use super::service::{ServiceLoader, ServiceSides};
use super::written::{ContainerSection, DataTypeWord, ServiceFile};
use gateway::RunningService;

impl ServiceLoader<'_, '_, '_> {
    /// The service of a file that names containers.
    pub(super) fn service_of_containers(&mut self, file: &ServiceFile) -> Option<RunningService> {
        if let Some(section) = file.request.as_ref().or(file.response.as_ref()) {
            self.at(section.span(), "a service has records or containers, not both");
            return None;
        }
        let ccsid = self.ccsid(file);
        let pages =
            Pages { ccsid: &ccsid, national: file.national_ccsid.as_ref(), dbcs: file.dbcs_ccsid.as_ref() };
        let options = self.options(pages, file.naming).map(|options| self.as_served(file, options))?;
        let request = self.side(&file.request_container, &options);
        let response = self.side(&file.response_container, &options);
        if let Some(http) = &file.http {
            self.at(http.span(), "[http] goes with records, not with containers");
            return None;
        }
        let provider = self.provider_of(file.provider.as_ref(), Some(options.encoding));
        let (request, response) = (Arc::new(request?), Arc::new(response?));
        let service = Service {
            name: self.name.to_owned(),
            description: file.description.clone(),
            timeout: Duration::from_millis(file.timeout_ms),
            provider: provider?,
        };
        let conversion = Conversion::Containers { request, response };
        Some(RunningService {
            service: Arc::new(service),
            conversion,
            zos_provider: file.service_provider.clone(),
        })
    }

    /// The containers of one side; none if there is a fault.
    fn side(&mut self, sections: &[Spanned<ContainerSection>], options: &Options) -> Option<Imported> {
        let containers: Vec<_> = sections.iter().map(|section| self.container(section, options)).collect();
        let containers = containers.into_iter().collect::<Option<Vec<_>>>()?;
        let Some(last) = sections.last() else {
            let shown = self.loader.files.display(self.path);
            let message =
                "expected containers for both sides: [[request_container]] and [[response_container]]";
            self.loader.problems.add(&shown, None, message);
            return None;
        };
        match Imported::new(containers, None, UnknownMembers::Refuse) {
            Ok(side) => Some(side),
            Err(message) => {
                self.at(last.span(), message);
                None
            }
        }
    }

    /// The containers that the records of a service are; none if they are no containers, an error if a fault was told.
    pub(super) fn parts(
        &mut self,
        file: &ServiceFile,
        (request, response): ServiceSides<'_>,
    ) -> Result<Option<[Vec<ContainerPart>; 2]>, ()> {
        let sections = [&file.request, &file.response].map(|side| side.as_ref().map(Spanned::get_ref));
        if sections.iter().flatten().all(|section| section.containers.is_empty()) {
            return Ok(None);
        }
        let [Some(first), Some(second)] = sections else { return Ok(None) };
        // Of a faulty copybook the fault has been told.
        let (request, response) = (request.ok_or(())?, response.ok_or(())?);
        let first = self.parts_of(first, &request.layout);
        let second = self.parts_of(second, &response.layout);
        Ok(Some([first.ok_or(())?, second.ok_or(())?]))
    }

    /// The containers of one record, in their order.
    fn parts_of(&mut self, section: &InterfaceSection, layout: &Layout) -> Option<Vec<ContainerPart>> {
        let groups = &layout.root().children;
        let mut parts = Vec::new();
        for id in groups {
            let field = layout.field(*id);
            let named =
                section.containers.iter().find(|(name, _)| name.get_ref().eq_ignore_ascii_case(&field.name));
            let Some((key, name)) = named else {
                let message =
                    format!("'containers' names no container for {}, a group of the record", field.name);
                self.at(section.copybook.span(), message);
                return None;
            };
            let is_last = groups.last() == Some(id);
            if !is_last && varies(layout, *id) {
                let message =
                    format!("{} has a varying length: only the last container of a record may", field.name);
                self.at(key.span(), message);
                return None;
            }
            match container_name(name) {
                Ok(container) => parts.push(ContainerPart { container, bytes: field.bytes }),
                Err(message) => {
                    self.at(key.span(), message);
                    return None;
                }
            }
        }
        let is_group = |name: &Spanned<String>| {
            groups.iter().any(|id| layout.field(*id).name.eq_ignore_ascii_case(name.get_ref()))
        };
        if let Some(unknown) = section.containers.keys().find(|name| !is_group(name)) {
            self.at(
                unknown.span(),
                format!("the record has no group {} at its outermost level", unknown.get_ref()),
            );
            return None;
        }
        Some(parts)
    }

    fn container(
        &mut self,
        section: &Spanned<ContainerSection>,
        options: &Options,
    ) -> Option<ImportedContainer> {
        let ContainerSection { name, member, optional, data_type, record } = section.get_ref();
        if CONTEXT_CONTAINERS.contains(&name.as_str()) || name == STATUS_CONTAINER {
            self.at(section.span(), format!("{name} is a container of the gateway: name another for data"));
            return None;
        }
        let form = match (record, data_type) {
            (None, Some(DataTypeWord::Bit)) => {
                self.at(section.span(), "a BIT container needs a 'record' with a copybook");
                return None;
            }
            (None, _) => ImportedForm::Text(options.encoding),
            (Some(record), data_type) => {
                let mut options = options.clone();
                options.wrapper = None;
                let encoding = options.encoding;
                let (_, bind) = self.interface(record, options, None)?;
                match data_type {
                    Some(DataTypeWord::Char) => ImportedForm::TextRecord(Box::new(bind), encoding),
                    _ => ImportedForm::Record(Box::new(bind)),
                }
            }
        };
        Some(ImportedContainer {
            name: name.clone(),
            member: member.clone().unwrap_or_else(|| name.to_lowercase()),
            required: !optional,
            form,
        })
    }
}

/// True if a group has a table of varying length.
fn varies(layout: &Layout, group: FieldId) -> bool {
    layout.iter().any(|(id, field)| {
        field.occurs.is_some_and(|occurs| occurs.min < occurs.max)
            && layout.around(id).any(|around| around == group)
    })
}
