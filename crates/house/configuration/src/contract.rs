//! APIs that start from their own OpenAPI document: joins the contract, the calls and the replies
//! for `api`.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use ::api::{BodySpec, CallSpec, ContractSpec, FlowSpec, MemberSpec, OnFailure, ReplySpec, Text, Written};
use contract::Contract;
use settings::Lines;
use toml::Spanned;

use super::loader::Loader;
use super::written::{
    CallSection, ContractFile, ContractOperationSection, OnFailureWord, ReplySection, UnknownQuery,
};

/// Reads an API's file and its document.
pub(super) struct ContractReader<'a, 'f> {
    pub(super) loader: &'a mut Loader<'f>,
    /// The API's file.
    pub(super) path: &'a str,
    pub(super) lines: Lines,
}

/// The longest document, in bytes.
pub(super) const DOCUMENT_MAX_BYTES: usize = 8 * 1024 * 1024;

impl ContractReader<'_, '_> {
    /// The specification of the whole API, under its name. None if the document cannot be read.
    pub(super) fn api(&mut self, name: &str, file: &ContractFile) -> Option<ContractSpec> {
        let document = file.document.as_ref()?;
        let contract = self.document(name, document)?;
        let flows = file.operation.iter().filter_map(|section| self.flow(section, &contract)).collect();
        Some(ContractSpec {
            name: name.to_owned(),
            base_path: file.base_path.as_ref().map(|path| self.word(path)),
            contract: Arc::new(contract),
            refuse_unknown_query: file.unknown_query == UnknownQuery::Refuse,
            check_responses: file.check_responses,
            statuses: file.statuses.iter().map(|(code, status)| (self.word(code), *status)).collect(),
            flows,
            protections: Vec::new(),
        })
    }

    fn at(&mut self, span: Range<usize>, message: impl Into<String>) {
        self.loader.at(self.path, span, message);
    }

    fn document(&mut self, name: &str, document: &Spanned<String>) -> Option<Contract> {
        let word = document.get_ref();
        if !settings::is_safe(word) {
            self.at(document.span(), "the document is a file beside this one");
            return None;
        }
        let path = format!("apis/{name}/{word}");
        let bytes = match self.loader.files.read_bytes(&path) {
            Ok(bytes) if bytes.len() > DOCUMENT_MAX_BYTES => {
                let message = format!("{path} has {} bytes, more than {DOCUMENT_MAX_BYTES}", bytes.len());
                self.at(document.span(), message);
                return None;
            }
            Ok(bytes) => bytes,
            Err(error) => {
                self.at(document.span(), format!("{path} cannot be read: {error}"));
                return None;
            }
        };
        read_document(self.loader, &path, &bytes)
    }

    fn word(&self, word: &Spanned<String>) -> Text {
        Text { text: word.get_ref().clone(), line: self.lines.at(word.span().start) }
    }

    fn written(&self, word: &Spanned<String>) -> Written {
        let Text { text, line } = self.word(word);
        Written { text, file: Arc::default(), line }
    }

    /// The operation of the contract for a section.
    fn flow(&mut self, section: &ContractOperationSection, contract: &Contract) -> Option<FlowSpec> {
        let word = section.operation.get_ref();
        let Some(operation) = contract.operations().iter().find(|operation| is_meant(operation, word)) else {
            let known: Vec<String> = contract.operations().iter().map(name_of).collect();
            let message = format!("the document has no operation '{word}'; it has: {}", known.join(", "));
            self.at(section.operation.span(), message);
            return None;
        };
        Some(FlowSpec {
            method: operation.method.clone(),
            path: Written { text: operation.path.clone(), ..self.written(&section.operation) },
            timeout: Duration::from_millis(section.timeout_ms),
            calls: section.call.iter().map(|call| self.call(call)).collect(),
            replies: section.reply.iter().map(|reply| self.reply(reply)).collect(),
        })
    }

    fn call(&self, section: &CallSection) -> CallSpec {
        CallSpec {
            name: self.written(section.name.as_ref().unwrap_or(&section.service)),
            service: self.written(&section.service),
            when: section.when.as_ref().map(|when| self.written(when)),
            after: section.after.as_ref().map(|names| names.iter().map(|name| self.written(name)).collect()),
            request: BodySpec::Expression(self.written(&section.request)),
            wrapper: None,
            on_failure: match section.on_failure {
                OnFailureWord::Fail => OnFailure::Fail,
                OnFailureWord::Continue => OnFailure::Continue,
            },
        }
    }

    fn reply(&self, section: &ReplySection) -> ReplySpec {
        let expression = |word: &Spanned<String>| BodySpec::Expression(self.written(word));
        let header = |(name, value): (&Spanned<String>, &Spanned<String>)| {
            MemberSpec::new(self.written(name), expression(value))
        };
        let line = self.lines.at(section.status.span().start);
        ReplySpec {
            when: section.when.as_ref().map(|when| self.written(when)),
            status: *section.status.get_ref(),
            place: Written { line, ..Written::default() },
            headers: section.headers.iter().map(header).collect(),
            body: section.body.as_ref().map(|body| MemberSpec::new(self.written(body), expression(body))),
        }
    }
}

/// Reads an OpenAPI document in YAML or JSON. Faults are reported.
pub(super) fn read_document(loader: &mut Loader<'_>, path: &str, bytes: &[u8]) -> Option<Contract> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.trim_start_matches('\u{feff}'),
        Err(error) => {
            loader.at_file(path, format!("byte {} is not UTF-8", error.valid_up_to()));
            return None;
        }
    };
    let json = if text.trim_start().starts_with('{') {
        Cow::Borrowed(text)
    } else {
        match packages::json_of_yaml(path, text, &packages::Limits::default()) {
            Ok(json) => Cow::Owned(json),
            Err(fault) => {
                loader.at_line(path, fault.line, fault.message);
                return None;
            }
        }
    };
    match Contract::read(json.as_bytes(), &contract::Limits::default()) {
        Ok(contract) => {
            for warning in contract.warnings() {
                loader.warn(path, warning.to_string());
            }
            Some(contract)
        }
        Err(problems) => {
            for problem in problems {
                loader.at_line(path, problem.line, format!("{}: {}", problem.pointer, problem.message));
            }
            None
        }
    }
}

/// An operation's id, or its method and path.
fn name_of(operation: &contract::Operation) -> String {
    operation.id.clone().unwrap_or_else(|| format!("{} {}", operation.method, operation.path))
}

/// True if a word names an operation: by its id, or by method and path.
pub(super) fn is_meant(operation: &contract::Operation, word: &str) -> bool {
    operation.id.as_deref() == Some(word)
        || word.split_once(' ').is_some_and(|(method, path)| {
            operation.method.as_str().eq_ignore_ascii_case(method) && operation.path == path.trim()
        })
}

/// The section of an operation in its API's file, if there is one.
pub(super) fn section_of<'f>(
    file: &'f ContractFile,
    operation: &contract::Operation,
) -> Option<&'f ContractOperationSection> {
    file.operation.iter().find(|section| is_meant(operation, section.operation.get_ref()))
}
