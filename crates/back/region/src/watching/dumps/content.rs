//! The content of a dump, as JSON.

use codepage::readable::{self, hex};
use serde::Serialize;
use wire::notes::{CommandEnd, Note};
use wire::{ChannelState, Clipped, HEADERS, name, shown};

use super::folder::stamp;
use super::{Cause, Material};
use crate::watching::trace::{command_name, condition_name};

/// The version of this form.
const VERSION: u32 = 1;

/// How many bytes stand in a line.
const LINE_BYTES: usize = 32;

/// The code page of most regions on mainframes; bytes are shown in it too.
const US_EBCDIC: u16 = 37;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Dump<'m> {
    version: u32,
    time: String,
    applid: String,
    sysid: String,
    ccsid: u16,
    task: u32,
    transaction: String,
    user: String,
    /// The task's first program.
    program: String,
    /// None if the program has asked for the dump.
    abend: Option<Abend<'m>>,
    /// None if the dump is that of an abend.
    dump: Option<Asked<'m>>,
    /// Programs that were linked to each other, the first one first.
    link_levels: Vec<String>,
    /// `abend`, or `command` for DUMP TRANSACTION; `begin` if the data at the abend are not known; null if no data are known.
    data_of: Option<&'static str>,
    commarea: Option<Bytes>,
    channels: Vec<Channel>,
    /// The last ones, oldest first.
    commands: Vec<Command>,
}

#[derive(Debug, Serialize)]
struct Abend<'m> {
    code: &'m str,
    program: Option<&'m str>,
    /// The line of the last command, if that was the program's in which it happened.
    line: Option<u32>,
    message: &'m str,
}

/// DUMP TRANSACTION.
#[derive(Debug, Serialize)]
struct Asked<'m> {
    code: &'m str,
    program: &'m str,
    line: Option<u32>,
    /// The area of FROM.
    area: Option<Bytes>,
}

#[derive(Debug, Serialize)]
struct Channel {
    name: String,
    current: bool,
    containers: Vec<Container>,
}

#[derive(Debug, Serialize)]
struct Container {
    name: String,
    /// None for BIT.
    ccsid: Option<u16>,
    content: Bytes,
}

#[derive(Debug, Serialize)]
struct Bytes {
    /// How many there are.
    bytes: u64,
    /// How many of them are shown.
    shown: usize,
    hex: Vec<String>,
    text: Vec<String>,
    text037: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Command {
    number: u32,
    level: u8,
    program: String,
    line: u32,
    command: String,
    name: String,
    /// The name of the condition, `abend`, or `running`.
    resp: &'static str,
    resp2: u32,
    abend: Option<String>,
}

/// A dump as JSON.
pub(super) fn text(material: &Material) -> String {
    let Material { settings, task, evidence, .. } = material;
    let ccsid = settings.ccsid;
    let (data_of, state) = match (&evidence.state, &evidence.begun) {
        (Some(state), _) => (Some(if asks(material) { "command" } else { "abend" }), Some(state)),
        (None, Some(begun)) => (Some("begin"), Some(begun)),
        (None, None) => (None, None),
    };
    let commarea = state.and_then(|state| state.commarea.as_ref()).map(|clipped| bytes(clipped, ccsid));
    let channels = state.into_iter().flat_map(|state| &state.channels);
    let channels = channels.map(|channel| of_channel(channel, ccsid)).collect();
    let levels = evidence.state.as_ref().map(|state| state.programs.iter().map(|name| shown(name)).collect());
    let dump = Dump {
        version: VERSION,
        time: stamp(material.time).readable,
        applid: shown(&settings.applid),
        sysid: shown(&settings.sysid),
        ccsid,
        task: task.number,
        transaction: shown(&task.transaction),
        user: shown(&task.user),
        program: shown(&task.program),
        abend: (!asks(material)).then(|| abend(material)),
        dump: asked(material),
        link_levels: levels.unwrap_or_default(),
        data_of,
        commarea,
        channels,
        commands: evidence.commands.iter().map(|note| command(note, ccsid)).collect(),
    };
    // Structures of texts and numbers are always JSON.
    serde_json::to_string_pretty(&dump).unwrap_or_default() + "\n"
}

/// True if the program has asked for the dump.
fn asks(material: &Material) -> bool {
    matches!(material.cause, Cause::Command { .. })
}

fn abend(material: &Material) -> Abend<'_> {
    Abend {
        code: &material.code,
        program: Some(material.program.as_str()).filter(|program| !program.is_empty()),
        line: line(material),
        message: &material.message,
    }
}

fn asked(material: &Material) -> Option<Asked<'_>> {
    let Cause::Command { area } = &material.cause else { return None };
    let area = area.as_ref().map(|area| bytes(area, material.settings.ccsid));
    Some(Asked { code: &material.code, program: &material.program, line: line(material), area })
}

/// The line of the last command, if that was one of the program in question.
fn line(material: &Material) -> Option<u32> {
    let last = material.evidence.commands.last()?;
    let in_it = material.program.is_empty() || shown(&last.program) == material.program;
    Some(last.line).filter(|line| in_it && *line > 0)
}

fn of_channel(channel: &ChannelState, ccsid: u16) -> Channel {
    let containers = channel.containers.iter();
    let containers =
        containers.map(|container| of_container(&container.name, container.ccsid, &container.content, ccsid));
    Channel { name: shown(&channel.name), current: channel.is_current, containers: containers.collect() }
}

/// A container. The headers of a request may hold credentials, so that only the length of their container is
/// shown.
fn of_container(given: &[u8; 16], own: Option<u16>, content: &Clipped, ccsid: u16) -> Container {
    let content = match *given == name(HEADERS) {
        true => bytes(&Clipped { bytes: content.bytes, first: Vec::new() }, ccsid),
        false => bytes(content, own.unwrap_or(ccsid)),
    };
    Container { name: shown(given), ccsid: own, content }
}

fn bytes(clipped: &Clipped, ccsid: u16) -> Bytes {
    let lines = |line: &dyn Fn(&[u8]) -> String| clipped.first.chunks(LINE_BYTES).map(line).collect();
    Bytes {
        bytes: clipped.bytes,
        shown: clipped.first.len(),
        hex: lines(&hex),
        text: lines(&|line| readable::text(line, ccsid)),
        text037: lines(&|line| readable::text(line, US_EBCDIC)),
    }
}

fn command(note: &Note, ccsid: u16) -> Command {
    let (resp, resp2, abend) = match note.end {
        CommandEnd::Running => ("running", 0, None),
        CommandEnd::Condition { resp, resp2 } => (condition_name(resp), resp2, None),
        CommandEnd::Abend(code) => ("abend", 0, Some(shown(&code))),
    };
    Command {
        number: note.number,
        level: note.level,
        program: shown(&note.program),
        line: note.line,
        command: command_name(note.function),
        name: readable::text(&note.name, ccsid).trim_end().to_owned(),
        resp,
        resp2,
        abend,
    }
}
