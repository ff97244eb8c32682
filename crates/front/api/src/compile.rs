//! From what users wrote to operations that run: names are resolved, binds compiled, contradictions reported.

mod paths;
mod response;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use copybook::{FieldId, Layout};
use failure::Code;
use http::{HeaderName, Method, StatusCode};
use interface::Interface;
use record::{Bind, FieldOptions, FieldSlot, Options};
use routing::{path_parameters, positional};

use crate::operation::{BodyRule, MappedOperation, Move, RequestMapping};
use crate::spec::{ApiSpec, MoveSpec, OperationSpec, RenameSpec, RequestSpec, Source, Text};

pub(crate) use response::is_set_before;

/// Both sides of a service.
#[derive(Clone, Debug)]
pub struct ServiceInterface {
    /// The service's name.
    pub name: String,
    /// The request layout.
    pub request: Interface,
    /// The response layout.
    pub response: Interface,
    /// Its program may give the status of an answer, beside the record.
    pub states_status: bool,
}

/// Something wrong in an API's definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError {
    /// The file, relative to the API's folder; none for the API's own file.
    pub file: Option<Arc<str>>,
    /// The line in the file; 0 if unknown.
    pub line: usize,
    /// The fault, and the expected text.
    pub message: String,
}

impl SpecError {
    fn at(text: &Text, message: impl Into<String>) -> Self {
        Self { file: None, line: text.line, message: message.into() }
    }
}

/// Compiles the operations of an API.
pub(crate) fn operations(
    spec: &ApiSpec,
    services: &HashMap<String, ServiceInterface>,
) -> Result<Vec<MappedOperation>, Vec<SpecError>> {
    let mut operations: Vec<MappedOperation> = Vec::new();
    let mut errors = Vec::new();
    check_base_path(&spec.base_path, &mut errors);
    let statuses = statuses(&spec.statuses, &mut errors);
    for operation_spec in &spec.operations {
        let Some(service) = services.get(&operation_spec.service.text) else {
            errors.push(unknown_service(&operation_spec.service, services));
            continue;
        };
        let statuses = statuses.clone();
        let operation_spec = &match paths::resolved(operation_spec, service) {
            Ok(resolved) => resolved,
            Err(mut found) => {
                errors.append(&mut found);
                continue;
            }
        };
        let mut compiler =
            Compiler { spec: operation_spec, service, statuses, hidden: HashSet::new(), errors: Vec::new() };
        match compiler.operation(&spec.base_path.text) {
            Some(mut operation) if compiler.errors.is_empty() => {
                operation.request.refuses_unknown_query = spec.refuse_unknown_query;
                if let Some(other) = operations.iter().find(|other| other.id == operation.id) {
                    let message = format!(
                        "operation id '{}' is also that of {} {}; set operation_id",
                        operation.id, other.method, other.path
                    );
                    errors.push(SpecError::at(&operation_spec.path, message));
                }
                operations.push(operation);
            }
            _ => errors.append(&mut compiler.errors),
        }
    }
    check_names(spec, &mut errors);
    if errors.is_empty() { Ok(operations) } else { Err(errors) }
}

/// The statuses that an API gives to failures of its providers, in place of those of the codes.
pub(crate) fn statuses(written: &[(Text, u16)], errors: &mut Vec<SpecError>) -> Vec<(Code, StatusCode)> {
    const OF_PROVIDERS: [Code; 16] = [
        Code::ProviderTimeout,
        Code::ProviderRefused,
        Code::ProviderFailed,
        Code::ServerFault,
        Code::ProgramAbended,
        Code::BadRecord,
        Code::BadStatus,
        Code::ProgramUnusable,
        Code::OutcomeUnknown,
        Code::GroupStopped,
        Code::GroupFull,
        Code::GroupUnwell,
        Code::ConnectionBroken,
        Code::BadReply,
        Code::Unframeable,
        Code::GroupTooMany,
    ];
    let mut statuses = Vec::new();
    for (word, status) in written {
        let code = OF_PROVIDERS.into_iter().find(|code| code.as_str() == word.text);
        let status = StatusCode::from_u16(*status).ok();
        let status = status.filter(|status| status.is_client_error() || status.is_server_error());
        match (code, status) {
            (Some(code), Some(status)) => statuses.push((code, status)),
            (None, _) => {
                let known = OF_PROVIDERS.map(Code::as_str).join(", ");
                let message =
                    format!("'{}' is not a failure of a provider; known failures: {known}", word.text);
                errors.push(SpecError::at(word, message));
            }
            (_, None) => errors.push(SpecError::at(word, "a failure has a status from 400 to 599")),
        }
    }
    statuses
}

fn unknown_service(name: &Text, services: &HashMap<String, ServiceInterface>) -> SpecError {
    SpecError::at(name, no_service(&name.text, services.keys()))
}

/// The message for an unknown service. It lists the known ones.
pub(crate) fn no_service<'n>(name: &str, known: impl Iterator<Item = &'n String>) -> String {
    let mut known: Vec<&str> = known.map(String::as_str).collect();
    known.sort_unstable();
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    format!("service '{name}' does not exist; known: {known}")
}

pub(crate) fn check_base_path(path: &Text, errors: &mut Vec<SpecError>) {
    let text = &path.text;
    let fine = text.starts_with('/')
        && text.len() > 1
        && !text.ends_with('/')
        && !text.contains(['{', '}', '?', '#', ' ']);
    if !fine {
        errors.push(SpecError::at(
            path,
            format!("base_path '{text}' must start with '/', not end with it, and have no parameters"),
        ));
    }
}

/// Documents cannot describe one path under two names (OpenAPI 3.1, Paths Object).
fn check_names(spec: &ApiSpec, errors: &mut Vec<SpecError>) {
    let mut seen: HashMap<String, &str> = HashMap::new();
    for operation in &spec.operations {
        let path = &operation.path;
        let first = *seen.entry(positional(&path.text)).or_insert(&path.text);
        if first != path.text {
            let message = format!("path '{}' is '{first}' with other names; use the same", path.text);
            errors.push(SpecError::at(path, message));
        }
    }
}

struct Compiler<'a> {
    spec: &'a OperationSpec,
    service: &'a ServiceInterface,
    statuses: Vec<(Code, StatusCode)>,
    /// Fields that this mapping has taken out of the body so far.
    hidden: HashSet<FieldId>,
    errors: Vec<SpecError>,
}

impl Compiler<'_> {
    fn operation(&mut self, base_path: &str) -> Option<MappedOperation> {
        self.check_path();
        let request = self.request(&self.spec.request);
        self.hidden.clear();
        let response = self.response(&self.spec.response);
        let responses: Vec<_> =
            self.spec.responses.iter().map(|response| self.ruled_response(response)).collect();
        let id = self.spec.operation_id.clone().unwrap_or_else(|| {
            format!("{}{}", self.spec.method.as_str().to_ascii_lowercase(), self.service.name)
        });
        Some(MappedOperation {
            id,
            method: self.spec.method.clone(),
            path: format!("{base_path}{}", self.spec.path.text),
            service: self.service.name.clone(),
            states_status: self.service.states_status,
            summary: self.spec.summary.clone(),
            description: self.spec.description.clone(),
            request: request?,
            response: response?,
            responses: responses.into_iter().collect::<Option<_>>()?,
            statuses: std::mem::take(&mut self.statuses),
            protection: self.spec.protection.clone(),
        })
    }

    /// Every `{parameter}` of the path goes somewhere, and only those are moved from the path.
    fn check_path(&mut self) {
        let path = &self.spec.path;
        if !path.text.starts_with('/') {
            self.errors.push(SpecError::at(path, format!("path '{}' must start with '/'", path.text)));
        }
        if path.text.contains(['?', '#']) {
            let message = format!(
                "path '{}' has '?' or '#', which no path of a request has; a query parameter is a move from the query",
                path.text
            );
            self.errors.push(SpecError::at(path, message));
        }
        let in_path = path_parameters(&path.text);
        let braces = path.text.matches(['{', '}']).count();
        let plain = |name: &&str| {
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
        };
        if braces != 2 * in_path.len() || !in_path.iter().all(plain) {
            let message = format!(
                "path '{}': a parameter is a name in braces, of letters, digits, '_', '-' and '.'",
                path.text
            );
            self.errors.push(SpecError::at(path, message));
        }
        for (position, name) in in_path.iter().enumerate() {
            if in_path[..position].contains(name) {
                self.errors
                    .push(SpecError::at(path, format!("path parameter '{name}' occurs twice in the path")));
            }
        }
        let moves = &self.spec.request.moves;
        for name in &in_path {
            if !moves.iter().any(|step| step.source == Source::Path && step.name.text == *name) {
                self.errors
                    .push(SpecError::at(path, format!("path parameter '{name}' is not moved to any field")));
            }
        }
        for step in moves.iter().filter(|step| step.source == Source::Path) {
            if !in_path.contains(&step.name.text.as_str()) {
                let message = format!("the path has no parameter '{}'", step.name.text);
                self.errors.push(SpecError::at(&step.name, message));
            }
        }
    }

    fn request(&mut self, spec: &RequestSpec) -> Option<RequestMapping> {
        let layout = Arc::clone(&self.service.request.layout);
        let mut options = self.service.request.options.clone();
        for value in spec.assign.iter().chain(&spec.default) {
            if let Some(field) = self.resolve(&layout, &value.field) {
                options.fields.entry(field).or_default().default = Some(value.value.text.clone());
            }
        }
        // The slots of moved fields keep the limits of the service; the body no longer has them.
        let limits = options.clone();
        let moved: Vec<(&MoveSpec, FieldId)> = spec
            .moves
            .iter()
            .filter_map(|step| self.resolve(&layout, &step.field).map(|field| (step, field)))
            .collect();
        for (step, field) in &moved {
            self.hide(&layout, &mut options, *field, &step.field);
        }
        for removed in spec.assign.iter().map(|value| &value.field).chain(&spec.remove) {
            if let Some(field) = self.resolve(&layout, removed) {
                self.hide(&layout, &mut options, field, removed);
            }
        }
        self.rename(&layout, &mut options, &spec.rename);
        let bind = self.bind(&layout, &options, "request")?;
        self.check_values(spec, &layout, &bind, &limits);
        let moves =
            moved.into_iter().filter_map(|(step, field)| self.moved(step, field, &bind, &limits)).collect();
        let body = match self.spec.method {
            Method::GET | Method::DELETE => BodyRule::None,
            _ if bind.has_members() => BodyRule::Required,
            _ => BodyRule::Optional,
        };
        Some(RequestMapping { bind, moves, body, refuses_unknown_query: false })
    }

    /// Fields with values from elsewhere: nothing in the body may write over them, and constants keep the limits of the
    /// service.
    fn check_values(&mut self, spec: &RequestSpec, layout: &Layout, bind: &Bind, limits: &Options) {
        let moved = spec.moves.iter().map(|step| &step.field);
        for word in moved.chain(spec.assign.iter().map(|value| &value.field)) {
            if let Ok(field) = layout.resolve(&word.text)
                && let Some(conflict) = bind.conflict(layout, field)
            {
                self.errors
                    .push(SpecError::at(word, format!("{} cannot be set here: {conflict}", word.text)));
            }
        }
        let mut scratch = Vec::new();
        bind.start(&mut scratch);
        for value in spec.assign.iter().chain(&spec.default) {
            let slot = layout
                .resolve(&value.field.text)
                .ok()
                .and_then(|field| bind.slot(layout, field, limits).ok());
            if let Some(slot) = slot
                && let Err(error) = bind.set(&slot, &value.value.text, &mut scratch)
            {
                let message =
                    format!("'{}' does not fit {}: {}", value.value.text, value.field.text, error.message);
                self.errors.push(SpecError::at(&value.value, message));
            }
        }
        // A field has several names: with and without the groups around it.
        let mut has_value: HashSet<FieldId> =
            spec.assign.iter().filter_map(|value| layout.resolve(&value.field.text).ok()).collect();
        for value in &spec.default {
            let field = layout.resolve(&value.field.text).ok();
            if field.is_some_and(|field| !has_value.insert(field)) {
                let message = format!("{} has another default, or is assigned, too", value.field.text);
                self.errors.push(SpecError::at(&value.field, message));
            }
        }
    }

    fn moved(&mut self, step: &MoveSpec, field: FieldId, bind: &Bind, limits: &Options) -> Option<Move> {
        let slot = self.slot(bind, &self.service.request.layout.clone(), field, limits, &step.field)?;
        if step.source == Source::Header && HeaderName::from_bytes(step.name.text.as_bytes()).is_err() {
            self.errors.push(SpecError::at(&step.name, format!("'{}' is not a header name", step.name.text)));
        }
        let position = path_parameters(&self.spec.path.text).iter().position(|name| *name == step.name.text);
        Some(Move {
            position: position.unwrap_or_default(),
            source: step.source,
            name: step.name.text.clone(),
            slot,
            required: step.required || step.source == Source::Path,
            description: step.description.clone(),
        })
    }

    fn slot(
        &mut self,
        bind: &Bind,
        layout: &Layout,
        field: FieldId,
        options: &Options,
        word: &Text,
    ) -> Option<FieldSlot> {
        match bind.slot(layout, field, options) {
            Ok(slot) => Some(slot),
            Err(error) => {
                self.errors.push(SpecError::at(word, error.to_string()));
                None
            }
        }
    }

    /// Takes a field, or a group with all in it, out of the body, and with it what the service says of its place there.
    fn hide(&mut self, layout: &Layout, options: &mut Options, field: FieldId, word: &Text) {
        if layout.field(field).parent.is_none() && !layout.field(field).children.is_empty() {
            self.errors
                .push(SpecError::at(word, format!("{} is the whole record; name its fields", word.text)));
        }
        if !self.hidden.insert(field) {
            let message = format!("{} is moved, assigned or removed more than once", word.text);
            self.errors.push(SpecError::at(word, message));
        }
        let mut pending = vec![field];
        while let Some(next) = pending.pop() {
            if let Some(choice) = options.fields.get_mut(&next) {
                *choice = FieldOptions {
                    included: choice.included,
                    default: choice.default.take(),
                    ..FieldOptions::default()
                };
            }
            pending.extend(&layout.field(next).children);
        }
        options.fields.entry(field).or_default().removed = true;
    }

    fn rename(&mut self, layout: &Layout, options: &mut Options, renames: &[RenameSpec]) {
        for rename in renames {
            if let Some(field) = self.resolve(layout, &rename.field) {
                options.fields.entry(field).or_default().name = Some(rename.name.text.clone());
            }
        }
    }

    fn bind(&mut self, layout: &Layout, options: &Options, side: &str) -> Option<Bind> {
        match Bind::compile(layout, options) {
            Ok(bind) => Some(bind),
            Err(errors) => {
                let line = self.spec.path.line;
                self.errors.extend(errors.into_iter().map(|error| SpecError {
                    file: None,
                    line,
                    message: format!("{side}: {error}"),
                }));
                None
            }
        }
    }

    fn resolve(&mut self, layout: &Layout, name: &Text) -> Option<FieldId> {
        match layout.resolve(&name.text) {
            Ok(field) => Some(field),
            Err(error) => {
                self.errors.push(SpecError::at(name, error.explain(&name.text)));
                None
            }
        }
    }
}
