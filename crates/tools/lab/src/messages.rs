//! The messages of a target: made from templates, asked once each before anything is measured, with their answers judged.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use load::frames::Framing;
use load::plan::{self, Call, Endpoint, Expect, Protocol, build_request};
use load::reader::{FRAME_STATUS, FrameReader, Reader};
use load::response::ResponseReader;
use load::wire;

use crate::file::{Compare, Connections, Experiment, Target};
use crate::template::{self, Scope};
use crate::values;

/// A target that answered every message as it must.
pub(crate) struct Messages {
    /// The target of the driver.
    pub(crate) target: plan::Target,
    /// Mean length of the bodies of requests.
    pub(crate) request_bytes: f64,
    /// Mean length of the bodies of answers.
    pub(crate) answer_bytes: f64,
}

impl Messages {
    /// Writes the body of each message and of its answer to files, so that others can judge them.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), String> {
        let cannot = |error: std::io::Error| format!("cannot write {}: {error}", folder.display());
        fs::create_dir_all(folder).map_err(cannot)?;
        for (number, call) in self.target.calls.iter().enumerate() {
            let body = match &self.target.protocol {
                Protocol::Http => &call.request[call.request.len() - call.body_bytes..],
                Protocol::Frames(framing) => {
                    let found = framing.scan(&call.request, 0).ok().flatten();
                    found.map_or(&[][..], |found| &call.request[found.message])
                }
            };
            fs::write(folder.join(format!("{number}.request")), body).map_err(cannot)?;
            if let Some(answer) = &call.answer {
                fs::write(folder.join(format!("{number}.answer")), answer).map_err(cannot)?;
            }
        }
        Ok(())
    }
}

/// Makes the messages and asks each once.
///
/// # Errors
/// Why the target cannot be measured, in one line.
pub(crate) fn ask(
    experiment: &Experiment,
    target: &Target,
    url: String,
    names: &BTreeMap<String, String>,
    timeout: Duration,
) -> Result<Messages, String> {
    let text = |file: &Option<toml::Spanned<String>>| match file {
        None => Ok(None),
        Some(file) => {
            experiment.files.read(&experiment.beside(file.get_ref())).map(Some).map_err(|e| e.to_string())
        }
    };
    let (request, answer) = (text(&target.request)?, text(&target.answer)?);
    let framing = target.framing.as_ref().map(|framing| Framing::parse(framing.get_ref())).transpose()?;
    let endpoint = Endpoint::parse_tcp(&url).unwrap_or_else(|| Endpoint::parse(&url));
    let endpoint = endpoint.map_err(|error| error.to_string())?;
    let method: http::Method = target.method.get_ref().parse().map_err(|_| "no HTTP method".to_owned())?;
    let keeps_connections = target.connections == Connections::Kept;
    let mut calls = Vec::new();
    let (mut request_bytes, mut answer_bytes) = (0, 0);
    for message in 0..*target.messages.get_ref() {
        let made = |text: &Option<String>| {
            let scope = Scope { names, message };
            let made = text.as_ref().map(|text| template::render(text.trim_end_matches('\n'), scope));
            made.transpose().map_err(|fault| format!("line {}: {}", fault.line, fault.message))
        };
        let (body, expected) = (made(&request)?, made(&answer)?);
        let bytes = body.as_ref().map(String::as_bytes);
        let request = match &framing {
            Some(framing) => framing.frame(bytes.unwrap_or_default())?,
            None => build_request(&method, &endpoint, &target.headers, bytes, keeps_connections)
                .map_err(|error| error.to_string())?,
        };
        let mut call = Call::unchecked(request, body.map_or(0, |b| b.len()));
        let found = one(target, framing.as_ref(), &endpoint, &call, timeout)?;
        judge(target.comparison(), expected.as_deref(), &found)
            .map_err(|why| format!("answer to message {message}: {why}"))?;
        request_bytes += call.body_bytes;
        answer_bytes += found.len();
        call.answer = (target.comparison() != Compare::Status).then_some(found);
        calls.push(call);
    }
    let count = calls.len().max(1) as f64;
    let target = plan::Target {
        name: target.name.get_ref().clone(),
        url,
        expect: Expect { status: framing.as_ref().map_or(target.status, |_| FRAME_STATUS), bytes: None },
        protocol: framing.map_or(Protocol::Http, Protocol::Frames),
        method,
        endpoint,
        calls,
        keeps_connections,
    };
    Ok(Messages {
        target,
        request_bytes: request_bytes as f64 / count,
        answer_bytes: answer_bytes as f64 / count,
    })
}

/// The body of the answer to one message.
fn one(
    target: &Target,
    framing: Option<&Framing>,
    endpoint: &Endpoint,
    call: &Call,
    timeout: Duration,
) -> Result<Vec<u8>, String> {
    let reader = match framing {
        Some(framing) => Reader::Frames(FrameReader::new(framing.clone())),
        None => Reader::Http(ResponseReader::keeping_content()),
    };
    let (answer, body) =
        wire::exchange(endpoint, &call.request, reader, timeout).map_err(|error| error.to_string())?;
    if framing.is_some() || answer.status == target.status {
        return Ok(body);
    }
    const TOLD_BYTES: usize = 400;
    let told = String::from_utf8_lossy(&body[..body.len().min(TOLD_BYTES)]).into_owned();
    Err(format!("status {} instead of {}: {told}", answer.status, target.status))
}

fn judge(compare: Compare, expected: Option<&str>, found: &[u8]) -> Result<(), String> {
    match (compare, expected) {
        (Compare::Bytes, Some(expected)) => {
            let same = expected.bytes().zip(found).take_while(|(one, other)| one == *other).count();
            if same == expected.len() && same == found.len() {
                return Ok(());
            }
            let (wanted, got) = (expected.len(), found.len());
            Err(format!("it differs from byte {same} on, and has {got} bytes instead of {wanted}"))
        }
        (Compare::Values, Some(expected)) => {
            let text = std::str::from_utf8(found).map_err(|_| "it is not UTF-8".to_owned())?;
            values::difference(expected, text).map_or(Ok(()), Err)
        }
        _ => Ok(()),
    }
}
