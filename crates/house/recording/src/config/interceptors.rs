//! Interceptors and policies in the configuration: turns sections into running parts.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use http::HeaderName;
use interceptor::chain::{Choice, Placed, SEQUENCE_MAX, early, order};
use interceptor::policy::RuleSet;
use interceptor::record::AUDIT_HEADERS_MAX;
use interceptor::redact::{Redaction, SECRET_HEADERS};
use toml::Spanned;

use remote::json_server::{AskSettings, JsonServer};
use settings::{CertificatesOf, GANTRY_FILE, Loader, Problem, Severity, is_safe};

#[cfg(not(feature = "wasm"))]
use super::written::WasmSection;
use super::written::{
    AuditSection, ChainSection, FileSection, HttpSection, InterceptorSection, OnFailureWord,
    OnWriteErrorWord, OverflowWord, RequestLogSection, Section, SyncWord,
};
use crate::chains::{
    AuditSettings, Configured, ExternalSettings, InterceptorSettings, Kind, LogSettings, OnFailure, Terms,
};
use crate::journal::{FileSettings, OnWriteError, Overflow, Sync};

/// The most bytes of an answer from a server or a module.
pub(crate) const ANSWER_MAX_BYTES: usize = 64 * 1024;

/// The folder of rule sets.
const POLICIES: &str = "policies";

/// The interceptors and policies of a configuration, while it is read.
pub struct Interceptors {
    placed: Vec<Placed>,
    settings: InterceptorSettings,
    faulty: FaultyNames,
    /// The rule sets by name; none for faulty ones.
    rule_sets: HashMap<String, Option<Arc<RuleSet>>>,
    global_policy: Option<Arc<RuleSet>>,
    /// The policy of each API.
    policies: Vec<Option<Arc<RuleSet>>>,
}

/// Names whose sections have faults. These faults are reported at the sections, so an API that gives such a name has no
/// further fault.
enum FaultyNames {
    /// These.
    Some(Vec<String>),
    /// Perhaps every name, because a section has no readable name.
    Any,
}

impl FaultyNames {
    /// Names of sections that are not among those that could be read.
    fn beside(loader: &Loader<'_>, read: &[Spanned<InterceptorSection>]) -> Self {
        let names = loader.names_of_faulty("interceptor");
        let Some(names) = names.and_then(|names| names.into_iter().collect::<Option<Vec<_>>>()) else {
            return Self::Any;
        };
        let is_read = |name: &String| read.iter().any(|section| section.get_ref().0.name() == name);
        Self::Some(names.into_iter().filter(|name| !is_read(name)).collect())
    }

    fn add(&mut self, name: &str) {
        if let Self::Some(names) = self {
            names.push(name.to_owned());
        }
    }

    fn has(&self, name: &str) -> bool {
        match self {
            Self::Some(names) => names.iter().any(|known| known == name),
            Self::Any => true,
        }
    }
}

/// The interceptors and the policy of an API.
pub struct Around {
    /// The file of the API.
    pub path: String,
    /// Its `[interceptors]`.
    pub chain: ChainSection,
    /// The name of its policy.
    pub policy: Option<Spanned<String>>,
}

impl Interceptors {
    /// Reads `[[interceptor]]` and `policy` of `gantry.toml`, and all rule sets. Headers of API keys are secret.
    pub fn read(
        loader: &mut Loader<'_>,
        sections: &[Spanned<InterceptorSection>],
        policy: Option<&Spanned<String>>,
        secret: &[HeaderName],
    ) -> Self {
        let rule_sets = read_rule_sets(loader);
        let mut this = Self {
            placed: Vec::new(),
            settings: InterceptorSettings::default(),
            faulty: FaultyNames::beside(loader, sections),
            rule_sets,
            global_policy: None,
            policies: Vec::new(),
        };
        this.global_policy = this.policy(loader, GANTRY_FILE, policy);
        let mut paths: Vec<PathBuf> = Vec::new();
        for section in sections {
            let mut reader = SectionReader { loader, span: section.span(), secret };
            let (placed, configured) = reader.section(&section.get_ref().0);
            if this.placed.iter().any(|known| known.name == placed.name) {
                reader.wrong(format!("there are two interceptors '{}'", placed.name));
            }
            let Some(configured) = configured else {
                this.faulty.add(&placed.name);
                continue;
            };
            if let Some(path) = configured.kind.path() {
                if paths.contains(path) {
                    reader.wrong(format!("{} is written by another interceptor already", path.display()));
                }
                paths.push(path.clone());
            }
            this.placed.push(placed);
            this.settings.interceptors.push(configured);
        }
        this.settings.early = early(&this.placed);
        this
    }

    /// Notes the interceptors and the policy of an API. It is called once for each API that runs,
    /// in their order.
    pub fn api(&mut self, loader: &mut Loader<'_>, around: &Around) {
        let Around { path, chain, policy } = around;
        let names = chain.names.iter().map(|name| name.get_ref().clone()).collect();
        let choice = Choice { names, run_global: chain.run_global };
        match order(&self.placed, &choice) {
            Ok(places) => self.settings.chains.push(places),
            Err(unknown) => {
                for one in unknown {
                    if self.faulty.has(chain.names[one.at].get_ref()) {
                        continue;
                    }
                    let span = chain.names[one.at].span();
                    loader.at(path, span, format!("{one}; they are configured in {GANTRY_FILE}"));
                }
                self.settings.chains.push(Vec::new());
            }
        }
        let own = self.policy(loader, path, policy.as_ref());
        // Only one policy counts, as in z/OS Connect.
        self.policies.push(if policy.is_some() { own } else { self.global_policy.clone() });
    }

    fn policy(
        &self,
        loader: &mut Loader<'_>,
        path: &str,
        name: Option<&Spanned<String>>,
    ) -> Option<Arc<RuleSet>> {
        let name = name?;
        match self.rule_sets.get(name.get_ref()) {
            Some(rules) => rules.clone(),
            None => {
                let message = format!("{POLICIES}/{}.xml does not exist", name.get_ref());
                loader.at(path, name.span(), message);
                None
            }
        }
    }

    /// The settings to run, and the policy of each API.
    #[must_use]
    pub fn finish(self) -> (InterceptorSettings, Vec<Option<Arc<RuleSet>>>) {
        (self.settings, self.policies)
    }
}

fn read_rule_sets(loader: &mut Loader<'_>) -> HashMap<String, Option<Arc<RuleSet>>> {
    let mut rule_sets = HashMap::new();
    for entry in loader.entries(POLICIES) {
        let path = format!("{POLICIES}/{entry}");
        let Some(name) = entry.strip_suffix(".xml") else {
            loader.at_file(&path, "is not a rule set: files in policies/ end with .xml");
            continue;
        };
        let text = match loader.files.read(&path) {
            Ok(text) => text,
            Err(error) => {
                loader.at_file(&path, format!("cannot be read: {error}"));
                continue;
            }
        };
        let shown = loader.files.display(&path);
        loader.problems.text(&shown, &text);
        let (rules, findings) = match RuleSet::parse(&text) {
            Ok((rules, warnings)) => (Some(Arc::new(rules)), warnings),
            Err(findings) => (None, findings),
        };
        for finding in findings {
            let severity = if finding.is_warning { Severity::Warning } else { Severity::Error };
            let span = loader.problems.span_of_line(&shown, finding.line);
            let message = finding.message;
            loader.problems.push(Problem { severity, file: shown.clone(), span, message, help: None });
        }
        rule_sets.insert(name.to_owned(), rules);
    }
    rule_sets
}

impl From<OnFailureWord> for OnFailure {
    fn from(word: OnFailureWord) -> Self {
        match word {
            OnFailureWord::Open => OnFailure::Open,
            OnFailureWord::Closed => OnFailure::Closed,
        }
    }
}

/// Reads one section. Faults are reported at its place.
pub(super) struct SectionReader<'a, 'f> {
    pub(super) loader: &'a mut Loader<'f>,
    span: Range<usize>,
    secret: &'a [HeaderName],
}

impl SectionReader<'_, '_> {
    pub(super) fn wrong(&mut self, message: impl Into<String>) {
        self.loader.at(GANTRY_FILE, self.span.clone(), message);
    }

    fn section(&mut self, section: &Section) -> (Placed, Option<Configured>) {
        let name = section.name();
        let (sequence, global) = match section {
            Section::Audit(audit) => (audit.sequence, audit.global),
            Section::Log(log) => (log.sequence, log.global),
            Section::Http(http) => (http.sequence, http.global),
            Section::Wasm(wasm) => (wasm.sequence, wasm.global),
        };
        if name.is_empty() {
            self.wrong("an interceptor needs a name");
        }
        if sequence > SEQUENCE_MAX {
            self.wrong(format!("sequence is {sequence}; it must be at most {SEQUENCE_MAX}"));
        }
        let kind = match section {
            Section::Audit(audit) => self.audit(audit).map(Kind::Audit),
            Section::Log(log) => self.log(log).map(Kind::Log),
            Section::Http(http) => self.http(http),
            Section::Wasm(wasm) => self.wasm(wasm),
        };
        let configured = kind.map(|kind| Configured { name: name.to_owned(), kind });
        (Placed { name: name.to_owned(), sequence, global }, configured)
    }

    fn audit(&mut self, section: &AuditSection) -> Option<AuditSettings> {
        let request_headers = self.recorded("request_headers", &section.request_headers);
        let response_headers = self.recorded("response_headers", &section.response_headers);
        let redaction = self.redaction(Vec::new(), &section.redact)?;
        let (file, overflow) = self.file(&section.file)?;
        Some(AuditSettings {
            file,
            overflow,
            server: section.server.clone(),
            request_headers,
            response_headers,
            redaction,
            early_failures: section.early_failures,
        })
    }

    fn log(&mut self, section: &RequestLogSection) -> Option<LogSettings> {
        let headers = self.headers(&section.redact_headers);
        let redaction = self.redaction(headers, &section.redact)?;
        let (file, overflow) = self.file(&section.file)?;
        Some(LogSettings { file, overflow, redaction, body_max_bytes: section.body_max_bytes })
    }

    fn http(&mut self, section: &HttpSection) -> Option<Kind> {
        let ca = section.ca.as_ref().and_then(|path| self.loader.files.on_disk(path));
        if let Some(ca) = &ca {
            let place = (GANTRY_FILE, Some(self.span.clone()));
            self.loader.note_certificates(ca, CertificatesOf::Authorities, place);
        }
        let terms = Terms {
            on_failure: section.on_failure.into(),
            send_headers: self.headers(&section.send_headers),
            may_set_headers: self.headers(&section.may_set_headers),
            send_body: section.send_body,
        };
        let asked = AskSettings {
            url: &section.url,
            ca: ca.as_deref(),
            timeout: Duration::from_millis(section.timeout_ms),
            answer_max_bytes: ANSWER_MAX_BYTES,
        };
        let tell_after = section.tell_after;
        match JsonServer::new(asked) {
            Ok(server) => Some(Kind::External(Box::new(ExternalSettings { server, terms, tell_after }))),
            Err(message) => {
                self.wrong(message);
                None
            }
        }
    }

    #[cfg(not(feature = "wasm"))]
    fn wasm(&mut self, section: &WasmSection) -> Option<Kind> {
        let name = &section.name;
        self.wrong(format!(
            "interceptor '{name}': this gantry was built without WebAssembly; cargo build --features wasm has it"
        ));
        None
    }

    pub(super) fn headers(&mut self, names: &[String]) -> Vec<HeaderName> {
        let mut headers = Vec::new();
        for name in names {
            match name.parse() {
                Ok(header) => headers.push(header),
                Err(_) => self.wrong(format!("'{name}' cannot be a header's name")),
            }
        }
        headers
    }

    /// The headers for an audit record.
    fn recorded(&mut self, key: &str, names: &[String]) -> Vec<HeaderName> {
        let headers = self.headers(names);
        if headers.len() > AUDIT_HEADERS_MAX {
            let count = headers.len();
            self.wrong(format!("{key} has {count} headers; a record has {AUDIT_HEADERS_MAX} at most"));
        }
        for header in &headers {
            if SECRET_HEADERS.contains(header) || self.secret.contains(header) {
                self.wrong(format!("{key}: '{header}' is secret and never recorded"));
            }
        }
        headers
    }

    fn redaction(&mut self, mut headers: Vec<HeaderName>, fields: &[String]) -> Option<Redaction> {
        headers.extend_from_slice(self.secret);
        Redaction::new(headers, fields).map_err(|error| self.wrong(format!("redact: {error}"))).ok()
    }

    fn file(&mut self, section: &FileSection) -> Option<(FileSettings, Overflow)> {
        if section.queue_max_lines == 0 {
            self.wrong("file.queue_max_lines is 0; it must be 1 at least");
            return None;
        }
        let overflow = match section.overflow {
            OverflowWord::Drop => Overflow::Drop,
            OverflowWord::Block => Overflow::Block(Duration::from_millis(section.block_max_ms)),
            OverflowWord::Refuse => Overflow::Refuse,
        };
        let sync = match section.sync {
            SyncWord::Never => Sync::Never,
            SyncWord::Write => Sync::Write,
            SyncWord::Interval => Sync::Every(Duration::from_millis(section.sync_interval_ms)),
        };
        let on_write_error = match section.on_write_error {
            OnWriteErrorWord::Retry => OnWriteError::Retry,
            OnWriteErrorWord::Drop => OnWriteError::Drop,
        };
        let settings = FileSettings {
            path: self.path(&section.path)?,
            queue_max_lines: section.queue_max_lines,
            rotate_bytes: section.rotate_bytes,
            rotate_s: section.rotate_s,
            files_max: section.files_max,
            sync,
            on_write_error,
        };
        Some((settings, overflow))
    }

    /// The path on disk. A change of this file must not look like a changed configuration.
    fn path(&mut self, path: &str) -> Option<PathBuf> {
        let files = self.loader.files;
        let is_hidden = |path: &Path| {
            path.components().any(|part| match part {
                Component::Normal(name) => name.as_encoded_bytes().starts_with(b"."),
                _ => false,
            })
        };
        if Path::new(path).is_absolute() {
            let watched = files.folder().and_then(|folder| folder.canonicalize().ok());
            let below =
                watched.and_then(|folder| Some(Path::new(path).strip_prefix(folder).ok()?.to_owned()));
            if below.is_none_or(|below| is_hidden(&below)) {
                return Some(PathBuf::from(path));
            }
        } else if is_safe(path) && is_hidden(Path::new(path)) {
            let found = files.on_disk(path);
            if found.is_none() {
                self.wrong("an example in the binary has no folder: the file's path must be absolute");
            }
            return found;
        }
        self.wrong(format!(
            "'{path}' is watched as a part of the configuration: expected a path outside of its folder, or below a \
             folder whose name begins with a dot (.gantry/audit.jsonl)"
        ));
        None
    }
}
