//! The functions of the gateway for a running module: lines for the log, values of the question, headers to
//! set.

use serde_json::Value;
use wasmtime::{Caller, Extern, Linker, Memory, StoreLimits};

use crate::{Error, Kind};

/// The module whose functions may be imported.
pub(crate) const MODULE: &str = "gantry";
/// Those functions.
pub(crate) const FUNCTIONS: [&str; 3] = ["log", "get", "set_header"];

/// The most lines that one call may log; more are lost, and counted.
pub const LOG_LINES_MAX: usize = 16;
/// The most bytes of a line; the rest is lost.
pub const LOG_LINE_MAX_BYTES: usize = 1024;
/// The most headers that one call may set.
pub const HEADERS_MAX: usize = 64;
/// The most bytes of a header's name, and of its value.
pub const HEADER_MAX_BYTES: usize = 8 * 1024;

/// How much a line of the log matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Something is wrong.
    Error,
    /// Somebody should know.
    Warning,
    /// It is worth a note.
    Information,
    /// It helps to find faults.
    Debug,
}

/// A line that a module wants in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// How much it matters.
    pub level: Level,
    /// The line; bytes that are not UTF-8 are replaced.
    pub text: String,
}

/// The state of one call.
pub(crate) struct Host {
    pub(crate) limits: StoreLimits,
    pub(crate) question: Vec<u8>,
    /// The question as a tree, once somebody has asked for a value.
    parsed: Option<Value>,
    pub(crate) lines: Vec<Line>,
    pub(crate) lost_lines: usize,
    pub(crate) headers: Vec<(String, String)>,
}

impl Host {
    pub(crate) fn new(limits: StoreLimits, question: Vec<u8>) -> Self {
        Self { limits, question, parsed: None, lines: Vec::new(), lost_lines: 0, headers: Vec::new() }
    }

    /// The value at a JSON pointer as text; none if it is missing or null.
    fn value(&mut self, pointer: &str) -> Option<String> {
        // The gateway wrote it: if it is not JSON, nothing is found.
        let question = &self.question;
        let parsed = self.parsed.get_or_insert_with(|| serde_json::from_slice(question).unwrap_or_default());
        match parsed.pointer(pointer)? {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        }
    }

    fn log(&mut self, level: Level, bytes: &[u8]) {
        if self.lines.len() == LOG_LINES_MAX {
            self.lost_lines += 1;
            return;
        }
        let shown = &bytes[..bytes.len().min(LOG_LINE_MAX_BYTES)];
        self.lines.push(Line { level, text: String::from_utf8_lossy(shown).into_owned() });
    }
}

/// Defines the functions that a module may import.
pub(crate) fn define(linker: &mut Linker<Host>) -> wasmtime::Result<()> {
    linker.func_wrap(MODULE, "log", log)?;
    linker.func_wrap(MODULE, "get", get)?;
    linker.func_wrap(MODULE, "set_header", set_header)?;
    Ok(())
}

fn log(mut caller: Caller<'_, Host>, level: i32, at: i32, length: i32) -> wasmtime::Result<()> {
    let level = match level {
        1 => Level::Error,
        2 => Level::Warning,
        3 => Level::Information,
        4 => Level::Debug,
        other => {
            let message = format!("log: expected a level of 1 to 4, found {other}");
            return Err(Error::new(Kind::Bounds, message).into());
        }
    };
    let memory = memory(&mut caller)?;
    let (data, host) = memory.data_and_store_mut(&mut caller);
    let line = part(data, "log", (at, length))?;
    host.log(level, line);
    Ok(())
}

fn get(
    mut caller: Caller<'_, Host>,
    pointer_at: i32,
    pointer_length: i32,
    to: i32,
    to_max: i32,
) -> wasmtime::Result<i32> {
    let memory = memory(&mut caller)?;
    let (data, host) = memory.data_and_store_mut(&mut caller);
    let pointer = text(part(data, "get", (pointer_at, pointer_length))?, "get")?;
    let Some(value) = host.value(pointer) else { return Ok(-1) };
    let room = range(data.len(), "get", (to, to_max))?;
    let length = i32::try_from(value.len())
        .map_err(|_| Error::new(Kind::Bounds, format!("get: a value has {} bytes", value.len())))?;
    if value.len() <= room.len() {
        data[room.start..room.start + value.len()].copy_from_slice(value.as_bytes());
    }
    Ok(length)
}

fn set_header(
    mut caller: Caller<'_, Host>,
    name_at: i32,
    name_length: i32,
    value_at: i32,
    value_length: i32,
) -> wasmtime::Result<()> {
    let memory = memory(&mut caller)?;
    let (data, host) = memory.data_and_store_mut(&mut caller);
    let name = part(data, "set_header", (name_at, name_length))?;
    let value = part(data, "set_header", (value_at, value_length))?;
    let longest = name.len().max(value.len());
    if longest > HEADER_MAX_BYTES {
        let message = format!("set_header: expected at most {HEADER_MAX_BYTES} bytes, found {longest}");
        return Err(Error::new(Kind::Bounds, message).into());
    }
    if host.headers.len() == HEADERS_MAX {
        let message = format!("set_header: sets more than {HEADERS_MAX} headers");
        return Err(Error::new(Kind::Bounds, message).into());
    }
    let header = (text(name, "set_header")?.to_owned(), text(value, "set_header")?.to_owned());
    host.headers.push(header);
    Ok(())
}

/// The module's memory, which it was checked to export.
fn memory(caller: &mut Caller<'_, Host>) -> Result<Memory, Error> {
    let export = caller.get_export("memory").and_then(Extern::into_memory);
    export.ok_or_else(|| Error::new(Kind::Exports, "must export its memory as 'memory'"))
}

/// Bytes of a module's memory; lengths and places are unsigned whatever their type says.
fn part<'m>(data: &'m [u8], what: &str, place: (i32, i32)) -> Result<&'m [u8], Error> {
    range(data.len(), what, place).map(|range| &data[range])
}

/// A range in a memory of `size` bytes.
pub(crate) fn range(
    size: usize,
    what: &str,
    (at, length): (i32, i32),
) -> Result<std::ops::Range<usize>, Error> {
    let (at, length) = (u64::from(at.cast_unsigned()), u64::from(length.cast_unsigned()));
    let inside = || {
        let (start, end) = (usize::try_from(at).ok()?, usize::try_from(at + length).ok()?);
        (end <= size).then_some(start..end)
    };
    inside().ok_or_else(|| {
        let message = format!("{what}: {length} bytes at {at} are not in its memory of {size} bytes");
        Error::new(Kind::Bounds, message)
    })
}

fn text<'m>(bytes: &'m [u8], what: &str) -> Result<&'m str, Error> {
    std::str::from_utf8(bytes).map_err(|error| {
        let message = format!("{what}: expected UTF-8, found other bytes after {}", error.valid_up_to());
        Error::new(Kind::Bounds, message)
    })
}
