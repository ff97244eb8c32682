//! `[[pipeline]]` in `gantry.toml`: the pipeline files, and their names for web services.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use pipeline::file::parse;
use pipeline::{Pipeline, Role, TransportKind};
use serde::Deserialize;
use settings::{GANTRY_FILE, Loader};
use toml::Spanned;

/// The default transaction of a pipeline's task, as in CICS.
const USUAL_TRANSACTION: &str = "CPIH";

/// The longest name of a pipeline and of a user, and the longest name of a transaction (CICS TS).
const NAME_BYTES_MAX: usize = 8;
const TRANSACTION_BYTES_MAX: usize = 4;

/// `[[pipeline]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PipelineSection {
    /// The name by which web services refer to it.
    name: Spanned<String>,
    /// The pipeline file, from the configuration folder. Without it no program sees the messages.
    file: Option<Spanned<String>>,
    /// The folders for new bind files and for running ones. `web_service::pipeline` reads these
    /// keys.
    #[serde(rename = "pickup")]
    _pickup: Option<String>,
    #[serde(rename = "shelf")]
    _shelf: Option<String>,
    /// The longest time for a service's answer, in milliseconds, beside its own limit.
    response_wait_ms: Option<Spanned<u64>>,
    /// The transaction of the task that runs its programs.
    transaction: Option<Spanned<String>>,
    /// The users under whom handlers may run services.
    #[serde(default)]
    users: Vec<Spanned<String>>,
}

/// A pipeline for web services.
#[derive(Clone, Debug)]
pub struct NamedPipeline {
    /// Its name.
    pub name: String,
    /// The contents of its file.
    pub pipeline: Arc<Pipeline>,
    /// The transaction of its task.
    pub transaction: String,
    /// The longest time for a service's answer, beside its own limit. Without the key there is no
    /// end.
    pub response_wait: Duration,
    /// The users under whom handlers may run services.
    pub users: Vec<String>,
}

/// All pipelines of a configuration.
#[derive(Debug, Default)]
pub struct Pipelines {
    pipelines: BTreeMap<String, NamedPipeline>,
    /// Pipelines with faults, which are already reported.
    faulty: Vec<String>,
}

impl Pipelines {
    /// Reads all pipeline files. They may refer to these listeners. Faults go to the loader's
    /// problems.
    pub fn read(loader: &mut Loader<'_>, sections: &[PipelineSection], listeners: &[&str]) -> Self {
        let mut pipelines = Self::default();
        for section in sections {
            let name = section.name.get_ref().clone();
            if let Err(message) = check_name("name", &name, NAME_BYTES_MAX) {
                loader.at(GANTRY_FILE, section.name.span(), message);
            }
            if pipelines.pipelines.contains_key(&name) || pipelines.faulty.contains(&name) {
                let message = format!("another [[pipeline]] has the name {name}");
                loader.at(GANTRY_FILE, section.name.span(), message);
                continue;
            }
            if let Some(wait) = section.response_wait_ms.as_ref().filter(|wait| *wait.get_ref() == 0) {
                loader.at(GANTRY_FILE, wait.span(), "response_wait_ms: expected 1 or more, found 0");
            }
            let Some(file) = &section.file else { continue };
            match named(loader, (section, listeners), file) {
                Some(pipeline) => drop(pipelines.pipelines.insert(name, pipeline)),
                None => pipelines.faulty.push(name),
            }
        }
        pipelines
    }

    /// The pipeline of an API requester. A faulty name goes to the loader's problems.
    pub fn of_requester(
        &self,
        loader: &mut Loader<'_>,
        place: (&str, &Spanned<String>),
    ) -> Option<NamedPipeline> {
        self.of(loader, place, Role::Requester)
    }

    /// The pipeline of this role.
    pub(crate) fn of(
        &self,
        loader: &mut Loader<'_>,
        (path, written): (&str, &Spanned<String>),
        role: Role,
    ) -> Option<NamedPipeline> {
        let name = written.get_ref();
        let message = match self.pipelines.get(name) {
            Some(found) if found.pipeline.role == role => return Some(found.clone()),
            Some(_) if role == Role::Provider => {
                "the pipeline of a web service is a <provider_pipeline>".to_owned()
            }
            Some(_) => "the pipeline of an API requester is a <requester_pipeline>".to_owned(),
            None if self.faulty.contains(name) => return None,
            None => format!("there is no pipeline '{name}': gantry.toml has it as [[pipeline]]"),
        };
        loader.at(path, written.span(), message);
        None
    }
}

fn named(
    loader: &mut Loader<'_>,
    (section, listeners): (&PipelineSection, &[&str]),
    file: &Spanned<String>,
) -> Option<NamedPipeline> {
    let pipeline = read_file(loader, file, listeners)?;
    let transaction = match &section.transaction {
        None => USUAL_TRANSACTION.to_owned(),
        Some(written) => {
            if let Err(message) = check_name("transaction", written.get_ref(), TRANSACTION_BYTES_MAX) {
                loader.at(GANTRY_FILE, written.span(), message);
                return None;
            }
            written.get_ref().clone()
        }
    };
    let users = section.users.iter().map(|user| user.get_ref().clone()).collect();
    let pipeline = Arc::new(pipeline);
    let wait = section.response_wait_ms.as_ref().map(|wait| Duration::from_millis(*wait.get_ref()));
    let response_wait = wait.unwrap_or(Duration::MAX);
    Some(NamedPipeline { name: section.name.get_ref().clone(), pipeline, transaction, response_wait, users })
}

/// Reads a pipeline file. Each of its faults is reported with its line.
fn read_file(loader: &mut Loader<'_>, file: &Spanned<String>, listeners: &[&str]) -> Option<Pipeline> {
    let path = file.get_ref();
    let read = loader.files.read_bytes(path).map_err(|error| error.to_string());
    let text = match read.and_then(pipeline::file::text) {
        Ok(text) => text,
        Err(error) => {
            loader.at(GANTRY_FILE, file.span(), format!("the pipeline file {path} cannot be read: {error}"));
            return None;
        }
    };
    let shown = loader.files.display(path);
    loader.problems.text(&shown, &text);
    let pipeline = match parse(&text) {
        Ok(pipeline) => pipeline,
        Err(findings) => {
            for finding in findings {
                loader.at_line(path, finding.line, finding.message);
            }
            return None;
        }
    };
    let missing = [
        (
            pipeline.soap_handler().is_none() && pipeline.role == Role::Provider,
            "the terminal handler of a web service is a SOAP handler",
        ),
        (
            pipeline.soap_handler().is_none() && pipeline.role == Role::Requester,
            "the handlers of a requester begin with a SOAP handler, which makes the message",
        ),
    ];
    let mut is_good = true;
    for (is_wrong, message) in missing {
        if is_wrong {
            loader.at_line(path, 1, message);
            is_good = false;
        }
    }
    for entry in &pipeline.transport.named {
        let is_listener = listeners.contains(&entry.name.as_str());
        if !is_listener && entry.kind != Some(TransportKind::Queue) {
            let name = &entry.name;
            let message =
                format!("<named_transport_entry>: no [[listener]] of gantry.toml has the name {name}");
            loader.at_line(path, entry.line, message);
            is_good = false;
        }
    }
    is_good.then_some(pipeline)
}

/// Checks a name of 1 to `most` characters.
fn check_name(what: &str, name: &str, most: usize) -> Result<(), String> {
    let is_one = (1..=most).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_graphic());
    if is_one {
        return Ok(());
    }
    Err(format!("{what}: expected 1 to {most} characters without blanks, found {name:?}"))
}
