//! Bind files on the shelves of pipelines. They act as services, copybooks and web services of the
//! configuration.

use packaged::Other;
use settings::{Files, GANTRY_FILE};
use web_service::pipeline::{PipelineSection, of_configuration};
use web_service::{BindFile, Problem};

use crate::FOLDER;

/// The extension of bind files.
const ENDING: &str = ".wsbind";
/// The code page of a program's text, if neither the bind file nor a region gives one.
const CCSID_OF_PROGRAMS: u16 = 819;

/// True for the path of a bind file.
#[must_use]
pub fn is_bind_file(path: &str) -> bool {
    path.ends_with(ENDING)
}

/// The bind files on all shelves of a configuration. Faults of its pipelines are reported where all
/// of `gantry.toml` is read.
#[must_use]
pub fn on_shelves(files: &Files) -> Vec<Other> {
    let text = files.read(GANTRY_FILE).unwrap_or_default();
    let pipelines = of_configuration(&text).unwrap_or_default();
    let mut others = Vec::new();
    for pipeline in &pipelines {
        let shelf = pipeline.shelf();
        let names = files.list(&shelf).unwrap_or_default().into_iter();
        for path in names.filter(|name| is_bind_file(name)).map(|name| format!("{shelf}/{name}")) {
            others.push(Other { texts: texts(files, &path, pipeline), path });
        }
    }
    others
}

/// The files that a bind file replaces. Its messages go through the programs of the pipeline, if it
/// has any.
fn texts(
    files: &Files,
    path: &str,
    pipeline: &PipelineSection,
) -> Result<Vec<(String, String)>, Vec<String>> {
    let bytes = files.read_bytes(path).map_err(|error| vec![format!("cannot be read: {error}")])?;
    let told = |problems: Vec<Problem>| problems.iter().map(ToString::to_string).collect::<Vec<_>>();
    let mut texts = BindFile::read(&bytes).and_then(|file| file.folder(CCSID_OF_PROGRAMS)).map_err(told)?;
    if pipeline.file.is_some() {
        let has_pipeline = |path: &str| path.starts_with(&format!("{FOLDER}/")) || is_requester(path);
        for (_, text) in texts.iter_mut().filter(|(path, _)| has_pipeline(path)) {
            text.insert_str(0, &format!("pipeline = \"{}\"\n", pipeline.name));
        }
    }
    if let Some(wait) = pipeline.response_wait_ms {
        let waits = |path: &str| path.starts_with("services/") || is_requester(path);
        let services = texts.iter_mut().filter(|(path, _)| waits(path));
        services.for_each(|(_, text)| text.insert_str(0, &format!("timeout_ms = {wait}\n")));
    }
    Ok(texts)
}

/// True for the file of an API requester.
fn is_requester(path: &str) -> bool {
    path.starts_with("requesters/")
}
