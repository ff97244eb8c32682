//! Reads an API file into its specification. It keeps the line of every word that a message may
//! name.

use std::ops::Range;

use ::api::{
    ApiSpec, Comparison, HeaderSpec, HeaderValueSpec, MoveSpec, OperationProtection, OperationSpec,
    RenameSpec, RequestSpec, ResponseSpec, RuleSpec, Source, Text, ValueSpec, WhenSpec,
};
use interface::Scalar;
use settings::Lines;
use toml::Spanned;

use super::loader::Loader;
use super::written::{
    ApiFile, HeaderSection, MatchWord, MethodWord, MoveSection, OperationSection, RequestSection,
    ResponseSection, RuleSection, UnknownQuery,
};

/// Turns the sections of one API file into its specification.
pub(super) struct ApiReader<'a, 'f> {
    pub(super) loader: &'a mut Loader<'f>,
    pub(super) path: &'a str,
    pub(super) lines: Lines,
}

impl ApiReader<'_, '_> {
    /// The specification of the whole file, under the API's name.
    pub(super) fn api(&mut self, name: &str, file: &ApiFile) -> ApiSpec {
        ApiSpec {
            name: name.to_owned(),
            title: file.title.clone().unwrap_or_else(|| name.to_owned()),
            version: file.version.clone().unwrap_or_else(|| "1.0.0".to_owned()),
            description: file.description.clone(),
            base_path: self.text(&file.base_path),
            refuse_unknown_query: file.unknown_query == UnknownQuery::Refuse,
            statuses: file.statuses.iter().map(|(code, status)| (self.text(code), *status)).collect(),
            schemes: Vec::new(),
            operations: file.operation.iter().filter_map(|section| self.operation(section)).collect(),
        }
    }

    fn text(&self, word: &Spanned<String>) -> Text {
        Text { text: word.get_ref().clone(), line: self.lines.at(word.span().start) }
    }

    fn scalar(&self, value: &Spanned<Scalar>) -> Text {
        Text { text: value.get_ref().text(), line: self.lines.at(value.span().start) }
    }

    fn operation(&mut self, section: &OperationSection) -> Option<OperationSpec> {
        let method = match section.method.get_ref() {
            MethodWord::Get => http::Method::GET,
            MethodWord::Put => http::Method::PUT,
            MethodWord::Post => http::Method::POST,
            MethodWord::Patch => http::Method::PATCH,
            MethodWord::Delete => http::Method::DELETE,
        };
        Some(OperationSpec {
            method,
            path: self.text(&section.path),
            service: self.text(&section.service),
            operation_id: section.operation_id.clone(),
            summary: section.summary.clone(),
            description: section.description.clone(),
            request: self.request(&section.request)?,
            response: self.default_response(section)?,
            responses: section
                .responses
                .iter()
                .map(|response| self.ruled_response(section, response))
                .collect::<Option<_>>()?,
            protection: OperationProtection::default(),
        })
    }

    fn request(&mut self, section: &RequestSection) -> Option<RequestSpec> {
        let moves: Vec<Option<MoveSpec>> = section.r#move.iter().map(|step| self.step(step)).collect();
        Some(RequestSpec {
            moves: moves.into_iter().collect::<Option<_>>()?,
            assign: section.assign.iter().map(|(field, value)| self.value(field, value)).collect(),
            default: section.default.iter().map(|(field, value)| self.value(field, value)).collect(),
            remove: section.remove.iter().map(|field| self.text(field)).collect(),
            rename: section.rename.iter().map(|(field, name)| self.rename(field, name)).collect(),
        })
    }

    fn value(&self, field: &Spanned<String>, value: &Spanned<Scalar>) -> ValueSpec {
        ValueSpec { field: self.text(field), value: self.scalar(value) }
    }

    fn rename(&self, field: &Spanned<String>, name: &Spanned<String>) -> RenameSpec {
        RenameSpec { field: self.text(field), name: self.text(name) }
    }

    fn step(&mut self, section: &MoveSection) -> Option<MoveSpec> {
        let from = section.from.get_ref();
        let source = match from.split_once('.') {
            Some(("path", name)) => Some((Source::Path, name)),
            Some(("query", name)) => Some((Source::Query, name)),
            Some(("header", name)) => Some((Source::Header, name)),
            _ => None,
        };
        let Some((source, name)) = source.filter(|(_, name)| !name.is_empty()) else {
            let message =
                format!("'{from}' is not a parameter: expected path.NAME, query.NAME or header.NAME");
            self.loader.at(self.path, section.from.span(), message);
            return None;
        };
        Some(MoveSpec {
            source,
            name: Text { text: name.to_owned(), ..self.text(&section.from) },
            field: self.text(&section.to),
            required: section.required,
            description: section.description.clone(),
        })
    }

    fn default_response(&mut self, operation: &OperationSection) -> Option<ResponseSpec> {
        let section = &operation.response;
        if let Some(rule) = section.when.first() {
            let message =
                "the response where no other one applies has no rules; rules are for [[operation.responses]]";
            self.loader.at(self.path, rule.field.span(), message);
            return None;
        }
        self.response(section, operation.path.span())
    }

    fn ruled_response(
        &mut self,
        operation: &OperationSection,
        section: &ResponseSection,
    ) -> Option<ResponseSpec> {
        let mut rules = Vec::new();
        for rule in &section.when {
            rules.push(self.rule(rule)?);
        }
        if rules.is_empty() {
            let message = "a response in [[operation.responses]] needs rules: when = [{ field = ..., is = ..., value = ... }]";
            let span = section.status.as_ref().map_or(operation.path.span(), Spanned::span);
            self.loader.at(self.path, span, message);
            return None;
        }
        let when = Some(WhenSpec { rules, all: section.r#match == MatchWord::All });
        Some(ResponseSpec { when, ..self.response(section, operation.path.span())? })
    }

    fn rule(&mut self, section: &RuleSection) -> Option<RuleSpec> {
        let word = section.is.get_ref();
        let Some(comparison) = Comparison::of(word) else {
            let words = Comparison::WORDS.map(|(word, _)| word).join(", ");
            let message = format!("'{word}' is not a comparison; known: {words}");
            self.loader.at(self.path, section.is.span(), message);
            return None;
        };
        if section.value.is_none() != (comparison == Comparison::Exists) {
            let message = "every comparison except 'exists' needs a value";
            self.loader.at(self.path, section.is.span(), message);
            return None;
        }
        let value = section.value.as_ref().map(Scalar::text).unwrap_or_default();
        Some(RuleSpec { field: self.text(&section.field), comparison, value })
    }

    fn response(&mut self, section: &ResponseSection, place: Range<usize>) -> Option<ResponseSpec> {
        let mut headers = Vec::new();
        for (name, value) in &section.headers {
            headers.push(self.header(name, value)?);
        }
        Some(ResponseSpec {
            when: None,
            description: section.description.clone(),
            status: match &section.status {
                Some(status) => {
                    Text { text: status.get_ref().to_string(), line: self.lines.at(status.span().start) }
                }
                None => Text { text: "200".to_owned(), line: self.lines.at(place.start) },
            },
            status_field: section.status_field.as_ref().map(|field| self.text(field)),
            remove: section.remove.iter().map(|field| self.text(field)).collect(),
            rename: section.rename.iter().map(|(field, name)| self.rename(field, name)).collect(),
            headers,
        })
    }

    fn header(&mut self, name: &Spanned<String>, section: &HeaderSection) -> Option<HeaderSpec> {
        let value = match (&section.field, &section.value) {
            (Some(field), None) => HeaderValueSpec::Field(self.text(field)),
            (None, Some(value)) => HeaderValueSpec::Constant(self.text(value)),
            _ => {
                self.loader.at(self.path, name.span(), "a header has either a field or a value");
                return None;
            }
        };
        Some(HeaderSpec { name: self.text(name), value })
    }
}
