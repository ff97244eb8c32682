//! Headers, fields of forms and parameters of queries: read by name, or one after the other.

use program::commands::OptionName;
use program::commands::names::*;
use program::conditions::{ENDFILE, ILLOGIC, INVREQ, LENGERR, NOTFND};
use program::web::{self, Field, NoForm};
use wire::WebHeader;

use super::super::{Done, memory};
use super::{condition, converted, give, given_charset, host_page, local_text, page, task, whole};
use crate::cobol::arguments::Arguments;
use crate::task::{Fault, Runtime, Step, raise};

/// INVREQ: a browse has not begun; the body is not a form; the boundary of its parts is missing.
const RESP2_NOT_BEGUN: u32 = 4;
const RESP2_NO_FORM: u32 = 153;
const RESP2_NO_BOUNDARY: u32 = 154;
/// INVREQ, our own: the request has more fields than a program may see.
const RESP2_TOO_MANY: u32 = 106;
/// ILLOGIC, and INVREQ for fields: a browse has begun already.
const RESP2_BEGUN: u32 = 10;
/// LENGERR: a length is not positive; in a read, the value does not fit; in a browse, the name, and the value.
const RESP2_NO_LENGTH: u32 = 1;
const RESP2_VALUE: u32 = 2;
const RESP2_NEXT_NAME: u32 = 4;
const RESP2_NEXT_VALUE: u32 = 5;
/// NOTFND: there is none of the name.
const RESP2_NONE: u32 = 1;

/// A kind of fields, with its place among the browses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Header,
    Form,
    Query,
}

impl Kind {
    fn option(self) -> OptionName {
        match self {
            Kind::Header => HTTPHEADER,
            Kind::Form => FORMFIELD,
            Kind::Query => QUERYPARM,
        }
    }
}

/// A browse: the fields that are left.
#[derive(Debug)]
pub(super) struct Browse(std::vec::IntoIter<Shown>);

/// A field in the code page of the program.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    name: Vec<u8>,
    value: Vec<u8>,
    /// False if characters became blanks.
    whole: bool,
}

pub(super) fn carry_out(runtime: &mut Runtime, arguments: &Arguments, function: u16) -> Done {
    match function {
        0xF075 => read(runtime, arguments, Kind::Header),
        0xF076 => start(runtime, arguments, Kind::Header),
        0xF077 => next(runtime, arguments, Kind::Header),
        0xF078 => end(runtime, Kind::Header),
        0xF07A => read(runtime, arguments, Kind::Form),
        0xF07B => start(runtime, arguments, Kind::Form),
        0xF07C => next(runtime, arguments, Kind::Form),
        0xF07D => end(runtime, Kind::Form),
        0xF07E => read(runtime, arguments, Kind::Query),
        0xF07F => start(runtime, arguments, Kind::Query),
        0xF080 => next(runtime, arguments, Kind::Query),
        0xF081 => end(runtime, Kind::Query),
        _ => raise(&INVREQ),
    }
}

/// All fields of a kind.
fn all(runtime: &mut Runtime, arguments: &Arguments, kind: Kind) -> Result<Vec<Shown>, Fault> {
    let (local, host) = (runtime.task.ccsid, host_page(runtime, arguments)?);
    let own = task(runtime)?;
    if kind == Kind::Header {
        return Ok(headers(&own.request.headers, local));
    }
    let is_in_query = kind == Kind::Query || matches!(own.request.method.as_str(), "GET" | "HEAD");
    let fields = match is_in_query {
        true => web::query_fields(own.request.query.as_bytes()),
        false => web::form_fields(&own.content_type(), &own.request.body),
    };
    let fields = fields.or_else(unreadable)?;
    let charset = given_charset(arguments).or_else(|| own.charset().filter(|_| !is_in_query));
    let from = page(charset.as_deref().unwrap_or(&own.request.charset))?;
    fields.into_iter().map(|field| shown(field, from, host)).collect()
}

/// Headers in the code page of the program.
pub(super) fn headers(headers: &[WebHeader], local: u16) -> Vec<Shown> {
    let shown = headers.iter().map(|header| {
        let value = local_text(&header.value, local);
        Shown { name: header.name.clone().into_bytes(), value: value.bytes, whole: value.whole }
    });
    shown.collect()
}

/// The condition for fields that cannot be read.
fn unreadable<T>(reason: NoForm) -> Result<T, Fault> {
    let resp2 = match reason {
        NoForm::Type => RESP2_NO_FORM,
        NoForm::Boundary => RESP2_NO_BOUNDARY,
        NoForm::TooMany => RESP2_TOO_MANY,
    };
    condition(&INVREQ, resp2)
}

fn shown(field: Field, from: u16, to: u16) -> Result<Shown, Fault> {
    let name = converted(field.name, from, to)?;
    if field.is_file {
        return Ok(Shown { name: name.bytes, value: field.value, whole: name.whole });
    }
    let value = converted(field.value, from, to)?;
    Ok(Shown { name: name.bytes, value: value.bytes, whole: name.whole && value.whole })
}

/// The name that the program looks for: as long as NAMELENGTH says, without blanks at its end.
fn wanted(arguments: &Arguments, kind: Kind) -> Result<Option<Vec<u8>>, Fault> {
    let length = match arguments.number(NAMELENGTH) {
        Some(length @ 1..) => Some(usize::try_from(length).unwrap_or(usize::MAX)),
        Some(_) => return condition(&LENGERR, RESP2_NO_LENGTH),
        None => None,
    };
    let length = length.map(|length| length.min(web::HEADER_VALUE_MAX_BYTES));
    let Some(mut name) = arguments.bytes_of(kind.option(), length) else { return Ok(None) };
    name.truncate(name.trim_ascii_end().len());
    Ok(Some(name))
}

fn check_length(arguments: &Arguments, option: OptionName) -> Result<(), Fault> {
    match arguments.number(option) {
        Some(..=0) => condition(&LENGERR, RESP2_NO_LENGTH),
        _ => Ok(()),
    }
}

fn read(runtime: &mut Runtime, arguments: &Arguments, kind: Kind) -> Done {
    let name = wanted(arguments, kind)?.unwrap_or_default();
    if arguments.has(VALUE) {
        check_length(arguments, VALUELENGTH)?;
    }
    let fields = all(runtime, arguments, kind)?;
    give_named(runtime, arguments, &name, fields)
}

/// READ HTTPHEADER of other headers than those of the task's request.
pub(super) fn read_header(runtime: &mut Runtime, arguments: &Arguments, fields: Vec<Shown>) -> Done {
    let name = wanted(arguments, Kind::Header)?.unwrap_or_default();
    check_length(arguments, VALUELENGTH)?;
    give_named(runtime, arguments, &name, fields)
}

/// Gives the value of the first field of a name.
fn give_named(runtime: &mut Runtime, arguments: &Arguments, name: &[u8], fields: Vec<Shown>) -> Done {
    let Some(found) = fields.into_iter().find(|field| field.name.eq_ignore_ascii_case(name)) else {
        return condition(&NOTFND, RESP2_NONE);
    };
    if arguments.has(SET) {
        memory::set(runtime, arguments, &found.value)?;
        arguments.set_number(VALUELENGTH, i64::try_from(found.value.len()).unwrap_or(i64::MAX));
    } else {
        give(arguments, &[(VALUE, VALUELENGTH, &found.value, RESP2_VALUE)])?;
    }
    whole(found.whole)
}

fn start(runtime: &mut Runtime, arguments: &Arguments, kind: Kind) -> Done {
    if task(runtime)?.browses[kind as usize].is_some() {
        return match kind {
            Kind::Header => condition(&ILLOGIC, RESP2_BEGUN),
            _ => condition(&INVREQ, RESP2_BEGUN),
        };
    }
    let mut fields = all(runtime, arguments, kind)?;
    if kind != Kind::Header
        && let Some(name) = wanted(arguments, kind)?
    {
        let place = fields.iter().position(|field| field.name.eq_ignore_ascii_case(&name));
        let Some(place) = place else { return condition(&NOTFND, RESP2_NONE) };
        fields.drain(..place);
    }
    task(runtime)?.browses[kind as usize] = Some(Browse(fields.into_iter()));
    Ok(Step::GoOn)
}

/// A field that does not fit stays the next one of a form or a query; of the headers, the next one follows.
fn next(runtime: &mut Runtime, arguments: &Arguments, kind: Kind) -> Done {
    next_of(arguments, kind, task(runtime)?.browses[kind as usize].as_mut())
}

/// READNEXT HTTPHEADER of other headers than those of the task's request.
pub(super) fn next_header(arguments: &Arguments, browse: Option<&mut Browse>) -> Done {
    next_of(arguments, Kind::Header, browse)
}

fn next_of(arguments: &Arguments, kind: Kind, browse: Option<&mut Browse>) -> Done {
    let Some(Browse(left)) = browse else {
        return condition(&INVREQ, RESP2_NOT_BEGUN);
    };
    check_length(arguments, NAMELENGTH)?;
    check_length(arguments, VALUELENGTH)?;
    let Some(field) = left.as_slice().first().cloned() else { return raise(&ENDFILE) };
    let given = give(
        arguments,
        &[
            (kind.option(), NAMELENGTH, &field.name, RESP2_NEXT_NAME),
            (VALUE, VALUELENGTH, &field.value, RESP2_NEXT_VALUE),
        ],
    );
    if given.is_ok() || kind == Kind::Header {
        left.next();
    }
    given?;
    whole(field.whole)
}

fn end(runtime: &mut Runtime, kind: Kind) -> Done {
    end_of(&mut task(runtime)?.browses[kind as usize])
}

/// STARTBROWSE HTTPHEADER of other headers than those of the task's request.
pub(super) fn start_headers(browse: &mut Option<Browse>, fields: Vec<Shown>) -> Done {
    if browse.is_some() {
        return condition(&ILLOGIC, RESP2_BEGUN);
    }
    *browse = Some(Browse(fields.into_iter()));
    Ok(Step::GoOn)
}

/// The end of a browse.
pub(super) fn end_of(browse: &mut Option<Browse>) -> Done {
    match browse.take() {
        Some(_) => Ok(Step::GoOn),
        None => condition(&INVREQ, RESP2_NOT_BEGUN),
    }
}
