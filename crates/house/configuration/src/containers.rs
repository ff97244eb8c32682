//! Services with several containers. Each has a copybook or is text. Together they are one JSON
//! object.

use std::sync::Arc;
use std::time::Duration;

use channel::{Imported, ImportedContainer, ImportedForm, UnknownMembers};
use conversion::Conversion;
use interface::Pages;
use providers::Payloads;
use record::Options;
use region::{CONTEXT_CONTAINERS, STATUS_CONTAINER};
use service::Service;
use toml::Spanned;

use super::service::ServiceLoader;
use super::written::{ContainerSection, DataTypeWord, ServiceFile};
use gateway::RunningService;

impl ServiceLoader<'_, '_, '_> {
    /// Makes the service of a file with containers.
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
        let provider =
            self.provider_of(self.own_section(file), (Some(options.encoding), Payloads::Channels), None);
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

    /// The containers of one side, which may be no containers at all; `None` if there is a fault.
    fn side(&mut self, sections: &[Spanned<ContainerSection>], options: &Options) -> Option<Imported> {
        let containers: Vec<_> = sections.iter().map(|section| self.container(section, options)).collect();
        let containers = containers.into_iter().collect::<Option<Vec<_>>>()?;
        match Imported::new(containers, None, UnknownMembers::Refuse) {
            Ok(side) => Some(side),
            Err(message) => {
                if let Some(last) = sections.last() {
                    self.at(last.span(), message);
                }
                None
            }
        }
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
