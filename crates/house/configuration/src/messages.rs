//! Services with messages of a WSDL. The WSDL describes their channels or records, in place of a copybook.

use std::sync::Arc;
use std::time::Duration;

use codepage::Encoding;
use conversion::Conversion;
use interface::Pages;
use providers::Payloads;
use service::Service;
use toml::Spanned;
use web_service::{InterfaceKind, Messages, MessagesSection};

use super::service::ServiceLoader;
use super::written::ServiceFile;
use gateway::RunningService;

/// The schema of the answer of an operation without a response.
const NOTHING: &str = r#"{"type":"object","additionalProperties":false}"#;

impl ServiceLoader<'_, '_, '_> {
    /// Makes the service of a file with messages of a WSDL.
    pub(super) fn service_of_messages(
        &mut self,
        file: &ServiceFile,
        section: &Spanned<MessagesSection>,
    ) -> Option<RunningService> {
        if let Some(other) = file.request.as_ref().or(file.response.as_ref()) {
            self.at(other.span(), "a service has records or the messages of a WSDL, not both");
            return None;
        }
        if let Some(http) = &file.http {
            self.at(http.span(), "[http] goes with records, not with the messages of a WSDL");
            return None;
        }
        let ccsid = self.ccsid(file);
        let pages =
            Pages { ccsid: &ccsid, national: file.national_ccsid.as_ref(), dbcs: file.dbcs_ccsid.as_ref() };
        let options = self.options(pages, file.naming)?;
        let Messages { request, response } = self.messages(section, options.encoding)?;
        let mut of_server =
            soap_requester::Messages { request: Arc::clone(&request), response: response.clone() };
        let is_channel = section.get_ref().interface == InterfaceKind::Channel;
        let response_bytes = response.as_ref().map_or(0, |response| response.structure_max_bytes());
        let payloads = match is_channel {
            true => Payloads::Channels,
            false => Payloads::Messages { request_bytes: request.structure_max_bytes(), response_bytes },
        };
        let payloads = (Some(options.encoding), payloads);
        let provider = self.provider_of(self.own_section(file), payloads, Some(&mut of_server));
        let provider = provider?;
        // A SOAP server's answers are checked. Programs may leave other values than those of the schema.
        let is_checked = provider.kind() == "soap";
        let schema_of = |side: &channel::Interface| match is_checked {
            true => side.json_schema(),
            false => side.answer_schema(),
        };
        let answer = response.as_ref().map(|side| schema_of(side));
        let service = Service {
            name: self.name.to_owned(),
            description: file.description.clone(),
            timeout: Duration::from_millis(file.timeout_ms),
            provider,
        };
        Some(RunningService {
            service: Arc::new(service),
            conversion: match is_channel {
                true => {
                    let response = response.unwrap_or_else(|| Arc::clone(&request));
                    let answer = answer.unwrap_or_else(|| schema_of(&response));
                    let schemas = [request.json_schema(), answer];
                    Conversion::Channel { request, response, schemas }
                }
                false => {
                    let schemas = [request.json_schema(), answer.unwrap_or_else(|| NOTHING.into())];
                    Conversion::Message { request, response, schemas }
                }
            },
            zos_provider: file.service_provider.clone(),
        })
    }

    /// The messages of an operation of a WSDL in the folder.
    pub(super) fn messages(
        &mut self,
        section: &Spanned<MessagesSection>,
        encoding: Encoding,
    ) -> Option<Messages> {
        let written = section.get_ref();
        if !settings::is_safe(&written.wsdl) {
            let message = format!("'{}' is not a path in the configuration folder", written.wsdl);
            self.at(section.span(), message);
            return None;
        }
        let files = self.loader.files;
        let mut of_folder = |path: &str| files.read_bytes(path).map_err(|error| error.to_string());
        let read = self.given.wsdls.get(&written.wsdl, &mut of_folder);
        match read.and_then(|wsdl| written.compile(wsdl, encoding)) {
            Ok(messages) => Some(messages),
            Err(problems) => {
                problems.iter().for_each(|problem| self.at(section.span(), problem.to_string()));
                None
            }
        }
    }
}
