//! From `[http]` to an operation that runs: names are resolved, binds compiled, contradictions reported with their
//! places.

use std::sync::Arc;

use copybook::{FieldId, Layout};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use interface::{Interface, Tell};
use record::{Bind, FieldOptions, FieldSlot, Options};
use remote::{PathTemplate, header_value, push_query};
use toml::Spanned;

use super::written::{AnswerSection, BodyWord, HttpSection, OutMoveSection};
use crate::records::{
    Body, RECORD_TYPE, RecordOperation, RecordParameter, RecordRequest, RecordResponse, usual_headers,
};
use crate::statuses::{ByStatus, Statuses};

/// The records of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Sides<'i> {
    /// The request; none if it has no data.
    pub request: Option<&'i Interface>,
    /// The responses, one for each of the section's.
    pub responses: &'i [Option<Interface>],
    /// The response for success if the section has no responses.
    pub usual: Option<&'i Interface>,
}

/// Compiles the operations of one file.
pub struct OperationReader<'a, 't> {
    /// Gets the faults.
    pub tell: &'a mut Tell<'t>,
    /// In front of the operation's path.
    pub base_path: &'a str,
}

/// A record's layout with the options that change while fields are taken out of its JSON.
struct Shown<'i> {
    layout: &'i Layout,
    /// As the interface says.
    given: &'i Options,
    /// The bind of the interface, to find fields and their slots.
    whole: Bind,
    options: Options,
    /// Fields that something else gives or takes.
    taken: Vec<(FieldId, std::ops::Range<usize>)>,
}

/// A fault was reported.
pub(super) struct Told;

pub(super) type Read<T> = Result<T, Told>;

impl OperationReader<'_, '_> {
    /// The operation, or none if there are faults, which are then reported.
    pub fn operation(&mut self, section: &Spanned<HttpSection>, sides: Sides<'_>) -> Option<RecordOperation> {
        let request = self.request(section.get_ref(), sides.request);
        let mut answers = Vec::new();
        for (answer, interface) in section.get_ref().responses.iter().zip(sides.responses) {
            answers.push(self.answer(answer, interface.as_ref()));
        }
        if section.get_ref().responses.is_empty() {
            answers.push(self.usual(section, sides.usual));
        }
        let mut answers: Vec<(Statuses, RecordResponse)> = answers.into_iter().collect::<Read<_>>().ok()?;
        let request = request.ok()?;
        if let (Body::Record, Some(kind)) = (&request.body, request.headers.get(CONTENT_TYPE)) {
            answers.iter_mut().for_each(|(_, plan)| plan.record_type = kind.clone());
        }
        Some(RecordOperation { request, responses: self.by_status(section.get_ref(), answers)? })
    }

    /// The plans for answers, by their statuses. None if two responses have the same one, which is then
    /// reported.
    pub(super) fn by_status<P>(
        &mut self,
        section: &HttpSection,
        plans: Vec<(Statuses, P)>,
    ) -> Option<ByStatus<P>> {
        let mut all = ByStatus::default();
        for (at, (statuses, plan)) in plans.into_iter().enumerate() {
            if !all.add(statuses, plan) {
                self.at(&section.responses[at].get_ref().status, "another response has this status too");
                return None;
            }
        }
        Some(all)
    }

    /// The statuses that a response is for.
    pub(super) fn statuses(&mut self, section: &AnswerSection) -> Read<Statuses> {
        let word = section.status.get_ref();
        Statuses::parse(word).ok_or_else(|| {
            self.at(&section.status, format!("'{word}' is not a status: expected 200, 2xx or default"))
        })
    }

    pub(super) fn at<T>(&mut self, word: &Spanned<T>, message: impl Into<String>) -> Told {
        (self.tell)(word.span(), message.into());
        Told
    }

    /// The meaning of success if the section says nothing else.
    fn usual(
        &mut self,
        section: &Spanned<HttpSection>,
        interface: Option<&Interface>,
    ) -> Read<(Statuses, RecordResponse)> {
        let bind = match interface {
            Some(interface) => Some(Arc::new(self.shown(section, interface)?.whole)),
            None => None,
        };
        let body = match (&bind, section.get_ref().body.as_ref().map(|word| *word.get_ref())) {
            (None, _) => Body::None,
            (Some(_), Some(BodyWord::Record)) => Body::Record,
            (Some(_), _) => Body::Json,
        };
        let (header_fields, status_field) = (Vec::new(), None);
        let whole = bind.clone();
        let plan =
            RecordResponse { body, record_type: RECORD_TYPE, header_fields, status_field, bind, whole };
        Ok((Statuses::Class(2), plan))
    }

    fn shown<'i, T>(&mut self, word: &Spanned<T>, interface: &'i Interface) -> Read<Shown<'i>> {
        let (layout, given) = (&*interface.layout, &interface.options);
        match Bind::compile(layout, given) {
            Ok(whole) => Ok(Shown { layout, given, whole, options: given.clone(), taken: Vec::new() }),
            Err(errors) => {
                for error in errors {
                    self.at(word, error.to_string());
                }
                Err(Told)
            }
        }
    }

    fn request(&mut self, section: &HttpSection, interface: Option<&Interface>) -> Read<RecordRequest> {
        let method = Method::from(*section.method.get_ref());
        let path = PathTemplate::parse(&format!("{}{}", self.base_path, section.path.get_ref()))
            .map_err(|error| self.at(&section.path, error.to_string()))?;
        let mut shown = match interface {
            Some(interface) => Some(self.shown(&section.path, interface)?),
            None => None,
        };
        let mut plan = RecordRequest {
            path_fields: Vec::new(),
            query: self.query(section)?,
            query_fields: Vec::new(),
            headers: HeaderMap::new(),
            header_fields: Vec::new(),
            body: Body::None,
            idempotent: section.idempotent.unwrap_or(method.is_idempotent()),
            bind: None,
            method,
            path,
        };
        self.moves(section, shown.as_mut(), &mut plan)?;
        if let Some(shown) = shown {
            self.body(section, shown, &mut plan)?;
        } else if let Some(word) = &section.body
            && *word.get_ref() != BodyWord::None
        {
            return Err(self.at(word, "no record exists for the body"));
        }
        plan.headers = self.headers(section, &plan.body)?;
        Ok(plan)
    }

    pub(super) fn query(&mut self, section: &HttpSection) -> Read<String> {
        let mut query = String::new();
        for (name, value) in &section.query {
            push_query(&mut query, name, value.get_ref())
                .map_err(|error| self.at(value, error.to_string()))?;
        }
        Ok(query)
    }

    pub(super) fn headers(&mut self, section: &HttpSection, body: &Body) -> Read<HeaderMap> {
        let content_type = match &section.content_type {
            Some(word) => Some(self.header_value(word)?),
            None => None,
        };
        let mut headers = usual_headers(body, content_type);
        for (name, value) in &section.headers {
            let known = self.header_name(name, name.get_ref())?;
            if known == http::header::AUTHORIZATION {
                return Err(self.at(name, "credentials belong to the connection, as its auth"));
            }
            let value = self.header_value(value)?;
            headers.insert(known, value);
        }
        Ok(headers)
    }

    pub(super) fn header_name<T>(&mut self, word: &Spanned<T>, name: &str) -> Read<HeaderName> {
        match name.parse::<HeaderName>() {
            Ok(name) if headers::refused_in_request(name.as_str()) => {
                Err(self.at(word, format!("the header {name} is that of the connection alone")))
            }
            Ok(name) => Ok(name),
            Err(_) => Err(self.at(word, format!("'{name}' cannot be a header's name"))),
        }
    }

    fn header_value(&mut self, word: &Spanned<String>) -> Read<HeaderValue> {
        header_value(word.get_ref()).map_err(|error| self.at(word, error.to_string()))
    }

    /// Fields that become parameters.
    fn moves(
        &mut self,
        section: &HttpSection,
        mut shown: Option<&mut Shown<'_>>,
        plan: &mut RecordRequest,
    ) -> Read<()> {
        let mut in_path: Vec<(String, FieldSlot)> = Vec::new();
        for step in &section.r#move {
            let Some(shown) = shown.as_deref_mut() else {
                return Err(self.at(&step.from, "there is no record to move from"));
            };
            let field = self.take(shown, &step.from)?;
            match self.place(step)? {
                ("path", name) => {
                    if !plan.path.names().any(|known| known == name) {
                        return Err(self.at(&step.to, format!("the path has no parameter '{name}'")));
                    }
                    in_path.push((name.to_owned(), field));
                }
                ("query", name) => {
                    let name = name.to_owned();
                    plan.query_fields.push(RecordParameter { name, field, required: step.required });
                }
                (_, name) => {
                    let name = self.header_name(&step.to, name)?;
                    plan.header_fields.push(RecordParameter { name, field, required: step.required });
                }
            }
        }
        for name in plan.path.names() {
            let mut found = in_path.iter().filter(|(known, _)| known == name);
            match (found.next(), found.next()) {
                (Some((_, field)), None) => plan.path_fields.push(field.clone()),
                (None, _) => {
                    let message = format!("no field is moved to the path parameter '{name}'");
                    return Err(self.at(&section.path, message));
                }
                _ => {
                    let message = format!("two fields are moved to the path parameter '{name}'");
                    return Err(self.at(&section.path, message));
                }
            }
        }
        Ok(())
    }

    pub(super) fn place<'s>(&mut self, step: &'s OutMoveSection) -> Read<(&'s str, &'s str)> {
        let found = step
            .to
            .get_ref()
            .split_once('.')
            .filter(|(place, name)| matches!(*place, "path" | "query" | "header") && !name.is_empty());
        found.ok_or_else(|| {
            let message = format!(
                "'{}' is not a parameter: expected path.NAME, query.NAME or header.NAME",
                step.to.get_ref()
            );
            self.at(&step.to, message)
        })
    }

    /// The slot of a field outside of the JSON; the JSON no longer has the field.
    fn take(&mut self, shown: &mut Shown<'_>, word: &Spanned<String>) -> Read<FieldSlot> {
        let field = self.field(shown, word)?;
        let slot = shown
            .whole
            .slot(shown.layout, field, shown.given)
            .map_err(|error| self.at(word, error.to_string()))?;
        self.hide(shown, field, word)?;
        Ok(slot)
    }

    /// A field by its COBOL name, or by the path of its JSON names with a slash in front.
    fn field(&mut self, shown: &Shown<'_>, word: &Spanned<String>) -> Read<FieldId> {
        let name = word.get_ref();
        match name.strip_prefix('/') {
            Some(path) => shown
                .whole
                .field_at(path)
                .ok_or_else(|| self.at(word, format!("the record's JSON has no field '{name}'"))),
            None => shown.layout.resolve(name).map_err(|error| self.at(word, error.explain(name))),
        }
    }

    fn hide(&mut self, shown: &mut Shown<'_>, field: FieldId, word: &Spanned<String>) -> Read<()> {
        if shown.taken.iter().any(|(known, _)| *known == field) {
            return Err(self.at(word, "the field is moved or assigned more than once"));
        }
        shown.taken.push((field, word.span()));
        remove(shown, field);
        Ok(())
    }

    fn body(&mut self, section: &HttpSection, mut shown: Shown<'_>, plan: &mut RecordRequest) -> Read<()> {
        let sends_body = !matches!(plan.method, Method::GET | Method::HEAD | Method::DELETE);
        let word = section.body.as_ref().map(|word| *word.get_ref());
        let word = word.unwrap_or(match sends_body || section.member.is_some() {
            true => BodyWord::Json,
            false => BodyWord::None,
        });
        plan.body = self.form(word, section.member.as_ref(), &mut shown)?;
        if matches!(plan.body, Body::None | Body::Record) {
            // Only slots are read, which lie where they lie whatever the JSON shows.
            plan.bind = Some(Arc::new(shown.whole));
            return Ok(());
        }
        let bind = self.bind(&section.path, &shown)?;
        if plan.body == Body::Json && !bind.has_members() && section.body.is_none() {
            plan.body = Body::None;
        }
        plan.bind = Some(Arc::new(bind));
        Ok(())
    }

    /// The form of a body. With a member, all else goes out of the JSON.
    fn form(
        &mut self,
        word: BodyWord,
        member: Option<&Spanned<String>>,
        shown: &mut Shown<'_>,
    ) -> Read<Body> {
        let Some(member) = member else {
            return Ok(match word {
                BodyWord::Json => Body::Json,
                BodyWord::Record => Body::Record,
                BodyWord::None => Body::None,
            });
        };
        let name = member.get_ref();
        if word != BodyWord::Json {
            return Err(self.at(member, "member goes with body = \"json\""));
        }
        if shown.given.wrapper.is_some() {
            return Err(
                self.at(member, "member needs wrapper = \"\": the record's fields must be at the top level")
            );
        }
        let field =
            shown.whole.field_at(name).filter(|_| !name.contains('/')).ok_or_else(|| {
                self.at(member, format!("the record's JSON has no member '{name}' at its top"))
            })?;
        for other in &shown.layout.root().children {
            if *other != field {
                remove(shown, *other);
            }
        }
        let mut around = b"{".to_vec();
        record::write_string(name, &mut around);
        around.push(b':');
        let around = String::from_utf8(around).map_err(|_| self.at(member, "the name is not UTF-8"))?;
        let is_table = shown.layout.field(field).occurs.is_some();
        Ok(Body::Member { around, empty: if is_table { b"[]" } else { b"{}" } })
    }

    fn bind<T>(&mut self, word: &Spanned<T>, shown: &Shown<'_>) -> Read<Bind> {
        let bind = Bind::compile(shown.layout, &shown.options).map_err(|errors| {
            for error in errors {
                self.at(word, error.to_string());
            }
            Told
        })?;
        Ok(bind)
    }

    fn answer(
        &mut self,
        section: &Spanned<AnswerSection>,
        interface: Option<&Interface>,
    ) -> Read<(Statuses, RecordResponse)> {
        let answer = section.get_ref();
        let statuses = self.statuses(answer)?;
        let mut plan = RecordResponse {
            body: Body::None,
            record_type: RECORD_TYPE,
            header_fields: Vec::new(),
            status_field: None,
            bind: None,
            whole: None,
        };
        let Some(interface) = interface else {
            let asks = answer.body.as_ref().is_some_and(|word| *word.get_ref() != BodyWord::None)
                || answer.member.is_some()
                || answer.status_to.is_some()
                || !(answer.r#move.is_empty() && answer.assign.is_empty());
            if asks {
                return Err(self.at(section, "there is no record for this response"));
            }
            return Ok((statuses, plan));
        };
        let mut shown = self.shown(section, interface)?;
        for step in &answer.r#move {
            let name = step.from.get_ref().strip_prefix("header.").unwrap_or_default();
            if name.is_empty() {
                return Err(self.at(&step.from, "expected header.NAME"));
            }
            let name = self.header_name(&step.from, name)?;
            let field = self.take(&mut shown, &step.to)?;
            plan.header_fields.push((name, field));
        }
        if let Some(word) = &answer.status_to {
            plan.status_field = Some(self.take(&mut shown, word)?);
        }
        self.assign(answer, &mut shown)?;
        let word = answer.body.as_ref().map_or(BodyWord::Json, |word| *word.get_ref());
        plan.body = self.form(word, answer.member.as_ref(), &mut shown)?;
        if plan.body == Body::Record && !shown.taken.is_empty() {
            return Err(self.at(section, "with body = \"record\" the whole record is the answer's"));
        }
        let bind = self.bind(section, &shown)?;
        if matches!(plan.body, Body::Json | Body::Member { .. }) {
            self.conflicts(&bind, &shown)?;
        }
        plan.bind = Some(Arc::new(bind));
        plan.whole = Some(Arc::new(shown.whole));
        Ok((statuses, plan))
    }

    fn assign(&mut self, answer: &AnswerSection, shown: &mut Shown<'_>) -> Read<()> {
        let mut scratch = Vec::new();
        shown.whole.start(&mut scratch);
        for (name, value) in &answer.assign {
            let slot = self.take(shown, name)?;
            let text = value.get_ref().text();
            shown
                .whole
                .set(&slot, &text, &mut scratch)
                .map_err(|error| self.at(value, format!("'{text}' does not fit: {}", error.message)))?;
            let field = self.field(shown, name)?;
            shown.options.fields.entry(field).or_default().default = Some(text);
        }
        Ok(())
    }

    /// The JSON must not write over fields that something else gives.
    fn conflicts(&mut self, bind: &Bind, shown: &Shown<'_>) -> Read<()> {
        for (field, span) in &shown.taken {
            if let Some(conflict) = bind.conflict(shown.layout, *field) {
                let path = shown.layout.path(*field);
                (self.tell)(span.clone(), format!("{path} cannot be set here: {conflict}"));
                return Err(Told);
            }
        }
        Ok(())
    }
}

/// Takes a field and everything below it out of the JSON, together with the interface's settings for its
/// place.
fn remove(shown: &mut Shown<'_>, field: FieldId) {
    let mut pending = vec![field];
    while let Some(next) = pending.pop() {
        if let Some(choice) = shown.options.fields.get_mut(&next) {
            *choice = FieldOptions {
                included: choice.included,
                default: choice.default.take(),
                ..FieldOptions::default()
            };
        }
        pending.extend(&shown.layout.field(next).children);
    }
    shown.options.fields.entry(field).or_default().removed = true;
    // An empty group is removed too.
    let Some(group) = shown.layout.field(field).parent else { return };
    let is_root = shown.layout.field(group).parent.is_none();
    let gone = |child: &FieldId| shown.options.fields.get(child).is_some_and(|choice| choice.removed);
    if !is_root && shown.layout.field(group).children.iter().all(gone) {
        remove(shown, group);
    }
}
