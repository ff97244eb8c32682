//! The input and output of a program, by its own source.

use copybook::{Kind, Layout};

use crate::containers::{self, Channel, Container};
use crate::sources::SourceFile;
use crate::ways::{Part, Way, Ways};
use crate::{NewArgs, Rules, Side, ask, compiled, entries, moved, side};

/// The record of the commarea, as the program itself has it.
pub(crate) const COMMAREA: &str = "DFHCOMMAREA";
/// The longest commarea.
const COMMAREA_MAX_BYTES: usize = 32_763;

/// The input and output of a program: its commarea, else its containers, else its caller's parameter.
///
/// # Errors
/// The program has faults, or does not tell what it takes.
pub(crate) fn ways(
    args: &NewArgs,
    file: &SourceFile,
    channel: &mut Option<Channel>,
    rules: Rules,
) -> Result<Ways, String> {
    let passed = entries::linkage(file)?;
    if args.record.is_none() && !passed.iter().any(|name| name == COMMAREA) {
        *channel = containers::channel(file)?;
    }
    match channel {
        Some(channel) if args.response.is_none() && args.response_record.is_none() => {
            of_channel(file, channel, rules)
        }
        _ => of_records(args, file, channel.as_ref(), &passed, rules),
    }
}

/// The containers of a channel.
fn of_channel(file: &SourceFile, channel: &Channel, rules: Rules) -> Result<Ways, String> {
    let parts = |containers: &[Container]| -> Result<Vec<Part>, String> {
        containers.iter().map(|container| part(file, container, rules)).collect()
    };
    let (mut request, mut response) = (parts(&channel.request)?, parts(&channel.response)?);
    let is_record = |parts: &[Part]| match parts {
        [] => true,
        [only] => !only.is_text && only.side.is_some(),
        _ => false,
    };
    if !is_record(&request) || !is_record(&response) {
        return Ok((Way::Containers(request), Way::Containers(response)));
    }
    let only = |parts: &mut Vec<Part>| Way::from(parts.pop().and_then(|part| part.side));
    Ok((only(&mut request), only(&mut response)))
}

/// A container with a literal, a record, or a field of PIC X.
fn part(file: &SourceFile, container: &Container, rules: Rules) -> Result<Part, String> {
    let Container { name, record, is_text } = container;
    if let Some(literal) = record.strip_prefix(['\'', '"']).and_then(|rest| rest.strip_suffix(['\'', '"'])) {
        let max_bytes = literal.chars().count();
        return Ok(Part { name: name.clone(), is_text: *is_text, side: None, max_bytes });
    }
    let found = entries::record(file, record)?;
    let text = found.layouts.first().filter(|layout| matches!(layout.root().kind, Kind::Text { .. }));
    let (is_plain, max_bytes) = (text.is_some(), text.map_or(0, Layout::max_bytes));
    let side = if is_plain { None } else { Some(compiled_of(file, found, rules)?) };
    Ok(Part { name: name.clone(), is_text: *is_text, side, max_bytes })
}

/// A record each way.
fn of_records(
    args: &NewArgs,
    file: &SourceFile,
    channel: Option<&Channel>,
    passed: &[String],
    rules: Rules,
) -> Result<Ways, String> {
    let of_container = |containers: &[Container]| match containers {
        [] => Ok(None),
        [only] => Ok(Some(only.record.clone())),
        several => {
            Err(format!("--response, --response-record: the program has {} containers", several.len()))
        }
    };
    let is_open = args.record.is_none() && args.response.is_none() && args.response_record.is_none();
    let of_program = |record: &str| {
        let is_told = !(is_open && record == COMMAREA);
        let found = entries::record(file, record);
        let found = found.map_err(|reason| if is_told { reason } else { without_fields(file, reason) })?;
        // So many single characters say that the program takes a commarea of any length.
        let is_any = |layout: &Layout| moved::is_plain(layout) && layout.max_bytes() > COMMAREA_MAX_BYTES;
        if !is_told && found.layouts.first().is_some_and(is_any) {
            return Err(no_fields(file));
        }
        compiled_of(file, found, rules)
    };
    if is_open && channel.is_none() {
        let moved = if passed.iter().any(|name| name == COMMAREA) { moved::records(file)? } else { None };
        let found = match moved {
            Some(found) => Some(found),
            None => moved::laid_over(file)?,
        };
        if let Some((request, response)) = found {
            return Ok((Some(of_program(&request)?).into(), Some(of_program(&response)?).into()));
        }
    }
    let request = match (&args.record, channel, passed) {
        (Some(record), _, _) => Some(record.to_ascii_uppercase()),
        (None, Some(channel), _) => of_container(&channel.request)?,
        (None, None, names) if names.iter().any(|name| name == COMMAREA) => Some(COMMAREA.to_owned()),
        (None, None, [only]) => Some(only.clone()),
        // It is called without anything.
        (None, None, []) => None,
        (None, None, records) => {
            let list = records.join(", ");
            Some(ask(&format!("The record, one of {list}"), &format!("--record one of {list}"))?)
        }
    };
    let response = match (&args.response, &args.response_record) {
        (Some(path), record) => {
            let file =
                SourceFile { path: path.clone(), copybooks: file.copybooks.clone(), ..SourceFile::default() };
            Some(side(&file, record.as_deref(), "--response-record", rules)?)
        }
        (None, Some(record)) => Some(of_program(&record.to_ascii_uppercase())?),
        (None, None) => request.as_deref().map(of_program).transpose()?,
    };
    Ok((request.as_deref().map(of_program).transpose()?.into(), response.into()))
}

/// Why a commarea without fields is not a record, if it has none.
fn without_fields(file: &SourceFile, reason: String) -> String {
    match entries::layout(file, COMMAREA) {
        Ok(Some(layout)) if moved::is_plain(&layout) => no_fields(file),
        _ => reason,
    }
}

fn no_fields(file: &SourceFile) -> String {
    let path = file.path.display();
    format!(
        "{path}: {COMMAREA} has no fields, and the program does not tell which record it is: say --record RECORD or --copybook FILE"
    )
}

fn compiled_of(file: &SourceFile, found: crate::sources::Found, rules: Rules) -> Result<Side, String> {
    let is_one_of_several = found.records.len() > 1;
    compiled(&file.path, found, is_one_of_several, rules)
}
