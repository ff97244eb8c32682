//! The response mapping of an operation: what consumers do not see, other names, headers, status.

use std::sync::Arc;

use conversion::has_no_body;
use copybook::Layout;
use http::{HeaderName, HeaderValue, StatusCode};
use record::{Bind, Options};

use super::{Compiler, SpecError};
use crate::operation::{HeaderSource, ResponseHeader, ResponseMapping, RuledResponse};
use crate::rules::{Rule, Rules};
use crate::spec::{HeaderSpec, HeaderValueSpec, ResponseSpec};

impl Compiler<'_> {
    pub(super) fn response(&mut self, spec: &ResponseSpec) -> Option<ResponseMapping> {
        const UNFIT: [StatusCode; 3] =
            [StatusCode::NO_CONTENT, StatusCode::RESET_CONTENT, StatusCode::PARTIAL_CONTENT];
        let layout = Arc::clone(&self.service.response.layout);
        let mut options = self.service.response.options.clone();
        for removed in &spec.remove {
            if let Some(field) = self.resolve(&layout, removed) {
                self.hide(&layout, &mut options, field, removed);
            }
        }
        self.rename(&layout, &mut options, &spec.rename);
        let bind = self.bind(&layout, &options, "response")?;
        let limits = &self.service.response.options;
        self.check_header_names(spec);
        let headers =
            spec.headers.iter().filter_map(|header| self.header(header, &layout, &bind, limits)).collect();
        let is_empty = layout.max_bytes() == 0;
        let status = spec.status.text.parse().ok().and_then(|status| StatusCode::from_u16(status).ok());
        let status = match status {
            // Of a service that gives nothing back.
            Some(StatusCode::OK) if is_empty => Some(StatusCode::NO_CONTENT),
            status => status,
        };
        let fits = |status: &StatusCode| {
            let answers = status.is_success() || status.is_client_error() || status.is_server_error();
            // Without rules it is the answer to a call that went well.
            let has_body = !UNFIT.contains(status) || (is_empty && has_no_body(*status));
            answers && has_body && (status.is_success() || spec.when.is_some())
        };
        let Some(status) = status.filter(fits) else {
            let message = format!("status {} cannot be that of this answer", spec.status.text);
            self.errors.push(SpecError::at(&spec.status, message));
            return None;
        };
        let status_field = match &spec.status_field {
            Some(word) => {
                let field = self.resolve(&layout, word)?;
                Some(self.slot(&bind, &layout, field, limits, word)?)
            }
            None => None,
        };
        Some(ResponseMapping { description: spec.description.clone(), bind, status, status_field, headers })
    }

    /// A response under rules. The rules are read with the limits of the service, whatever the mapping hides.
    pub(super) fn ruled_response(&mut self, spec: &ResponseSpec) -> Option<RuledResponse> {
        self.hidden.clear();
        let mapping = self.response(spec)?;
        let when = spec.when.as_ref()?;
        let layout = Arc::clone(&self.service.response.layout);
        let options = self.service.response.options.clone();
        let mut rules = Vec::new();
        for rule in &when.rules {
            let field = self.resolve(&layout, &rule.field)?;
            let slot = self.slot(&mapping.bind, &layout, field, &options, &rule.field)?;
            rules.push(Rule { slot, comparison: rule.comparison, value: rule.value.clone() });
        }
        Some(RuledResponse { rules: Rules { rules, all: when.all }, mapping })
    }

    fn check_header_names(&mut self, spec: &ResponseSpec) {
        for (position, header) in spec.headers.iter().enumerate() {
            let name = &header.name;
            let before = spec.headers[..position].iter().map(|other| other.name.text.as_str());
            if is_set_before(&name.text, before) {
                self.errors.push(SpecError::at(name, format!("header '{}' is set twice", name.text)));
            }
        }
    }

    fn header(
        &mut self,
        spec: &HeaderSpec,
        layout: &Layout,
        bind: &Bind,
        options: &Options,
    ) -> Option<ResponseHeader> {
        let name = match HeaderName::from_bytes(spec.name.text.as_bytes()) {
            Ok(name) if !headers::refused_in_answer(name.as_str()) => name,
            _ => {
                let message = format!("'{}' is not a header that a mapping can set", spec.name.text);
                self.errors.push(SpecError::at(&spec.name, message));
                return None;
            }
        };
        let value = match &spec.value {
            HeaderValueSpec::Field(field) => {
                let id = self.resolve(layout, field)?;
                HeaderSource::Field(self.slot(bind, layout, id, options, field)?)
            }
            HeaderValueSpec::Constant(text) => match HeaderValue::from_str(&text.text) {
                Ok(value) => HeaderSource::Constant(value),
                Err(_) => {
                    self.errors.push(SpecError::at(text, "a header value cannot have control characters"));
                    return None;
                }
            },
        };
        Some(ResponseHeader { name, value })
    }
}

/// True if one of these headers has the name. Only Set-Cookie may be there several times: each is a cookie.
pub(crate) fn is_set_before<'n>(name: &str, mut before: impl Iterator<Item = &'n str>) -> bool {
    !name.eq_ignore_ascii_case("set-cookie") && before.any(|other| other.eq_ignore_ascii_case(name))
}
