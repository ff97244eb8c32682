//! SOAPFAULT CREATE, ADD and DELETE: a program's fault in answer to a SOAP request.
//!
//! Rules are those of CICS TS, "SOAPFAULT CREATE" and its kin: only programs that are reached with the channel of a SOAP
//! pipeline have it. The container DFHWS-SOAPLEVEL on their channel says so.

use program::commands::OptionName;
use program::commands::names::*;
use program::conditions::{CCSIDERR, INVREQ, LENGERR, NOTFND};
use program::cvda;
use service::{SoapFault, SoapFaultCode};
use wire::{Container, name, soap_fault};

use super::Done;
use super::containers::NamedPage;
use super::copies::check_room;
use super::text::Converted;
use crate::cobol::arguments::Arguments;
use crate::task::{Fault, Runtime, Step, raise};

/// UTF-8.
const UTF_8: u16 = 1208;

/// INVREQ: the program was not reached by a SOAP pipeline.
const RESP2_NO_PIPELINE: u32 = 3;
/// NOTFND of DELETE, INVREQ of ADD: there is no fault yet.
const RESP2_NO_FAULT: u32 = 2;
/// CCSIDERR: some characters could not be converted.
const RESP2_BAD_CHARACTERS: u32 = 4;

/// The most bytes of FAULTSTRING, and of codes.
const STRING_MAX_BYTES: usize = 2_056;
const CODE_MAX_BYTES: usize = 64;
/// The most bytes of a URI, and of DETAIL: IBM's limits are not known to us.
const LONG_MAX_BYTES: usize = 32_767;

/// The language of a text if the program names none.
const USUAL_LANGUAGE: &str = "en";

/// The channel of a SOAP pipeline, by its id, and the version of the request's SOAP.
struct Pipeline {
    channel: u32,
    is_soap_1_2: bool,
}

pub(super) fn create(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let pipeline = pipeline(runtime)?;
    // Each is of one version of SOAP.
    if arguments.has(if pipeline.is_soap_1_2 { FAULTACTOR } else { ROLE }) {
        return raise(&INVREQ);
    }
    let texts = Texts { arguments, page: NamedPage::of(arguments, FROMCCSID, FROMCODEPAGE)? };
    let given = arguments.number(FAULTCODE);
    let is = |option: OptionName| {
        arguments.has(option)
            || given.is_some_and(|given| cvda::value(option.text).map(i64::from) == Some(given))
    };
    let code = match texts.get(runtime, (FAULTCODESTR, FAULTCODELEN, CODE_MAX_BYTES))? {
        Some(code) => SoapFaultCode::Other(code),
        None if is(CLIENT) || is(SENDER) => SoapFaultCode::Client,
        None if is(SERVER) || is(RECEIVER) => SoapFaultCode::Server,
        None => return raise(&INVREQ),
    };
    let reason = texts.get(runtime, (FAULTSTRING, FAULTSTRLEN, STRING_MAX_BYTES))?.unwrap_or_default();
    let role = match texts.get(runtime, (ROLE, ROLELENGTH, LONG_MAX_BYTES))? {
        None => texts.get(runtime, (FAULTACTOR, FAULTACTLEN, LONG_MAX_BYTES))?,
        role => role,
    };
    let detail = texts.get(runtime, (DETAIL, DETAILLENGTH, LONG_MAX_BYTES))?;
    let reasons = vec![(language(arguments), reason)];
    keep(runtime, &pipeline, &SoapFault { code, reasons, role, detail, subcodes: Vec::new() })
}

pub(super) fn add(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let pipeline = pipeline(runtime)?;
    let texts = Texts { arguments, page: NamedPage::of(arguments, FROMCCSID, FROMCODEPAGE)? };
    let Some(mut fault) = kept(runtime, &pipeline) else {
        return Err(Fault::Condition(&INVREQ, RESP2_NO_FAULT));
    };
    if let Some(reason) = texts.get(runtime, (FAULTSTRING, FAULTSTRLEN, STRING_MAX_BYTES))? {
        let language = language(arguments);
        match fault.reasons.iter_mut().find(|known| known.0 == language) {
            Some(known) => known.1 = reason,
            None => fault.reasons.push((language, reason)),
        }
    }
    if let Some(subcode) = texts.get(runtime, (SUBCODESTR, SUBCODELEN, CODE_MAX_BYTES))?
        && pipeline.is_soap_1_2
    {
        fault.subcodes.push(subcode);
    }
    keep(runtime, &pipeline, &fault)
}

pub(super) fn delete(runtime: &mut Runtime) -> Done {
    let pipeline = pipeline(runtime)?;
    if kept(runtime, &pipeline).is_none() {
        return Err(Fault::Condition(&NOTFND, RESP2_NO_FAULT));
    }
    remove(runtime, &pipeline);
    Ok(Step::GoOn)
}

/// The pipeline that has reached the program.
fn pipeline(runtime: &mut Runtime) -> Result<Pipeline, Fault> {
    let none = Fault::Condition(&INVREQ, RESP2_NO_PIPELINE);
    let Some(channel) = runtime.level().channel else { return Err(none) };
    let containers = runtime.channels.get(channel).map_or(&[][..], |channel| &channel.containers);
    let level = containers.iter().find(|container| container.name == name("DFHWS-SOAPLEVEL"));
    // A fullword: 1, 2, or 10 for a request that is none of SOAP.
    match level.map(|level| level.bytes.as_slice()) {
        Some([0, 0, 0, level @ (1 | 2)]) => Ok(Pipeline { channel, is_soap_1_2: *level == 2 }),
        _ => Err(none),
    }
}

/// The texts of a command, in UTF-8.
struct Texts<'a> {
    arguments: &'a Arguments,
    page: NamedPage,
}

impl Texts<'_> {
    /// The text of an option, with the length of another option, and at most `most` bytes.
    fn get(
        &self,
        runtime: &Runtime,
        (option, length, most): (OptionName, OptionName, usize),
    ) -> Result<Option<String>, Fault> {
        let length = match self.arguments.number(length).map(usize::try_from) {
            None => None,
            Some(Ok(length)) if length <= most => Some(length),
            Some(_) => return raise(&LENGERR),
        };
        let Some(bytes) = self.arguments.bytes_of(option, length) else { return Ok(None) };
        if bytes.len() > most {
            return raise(&LENGERR);
        }
        let from = self.page.ccsid.unwrap_or(runtime.task.ccsid);
        let Converted { bytes, whole } = self.page.converted(bytes, from, UTF_8)?;
        match String::from_utf8(bytes) {
            Ok(text) if whole => Ok(Some(text)),
            _ => Err(Fault::Condition(&CCSIDERR, RESP2_BAD_CHARACTERS)),
        }
    }
}

/// The language of NATLANG.
fn language(arguments: &Arguments) -> String {
    let given = arguments.bytes(NATLANG, None).unwrap_or_default();
    let given = String::from_utf8_lossy(&given).trim_end().to_owned();
    if given.is_empty() { USUAL_LANGUAGE.to_owned() } else { given }
}

/// The fault that there is.
fn kept(runtime: &mut Runtime, pipeline: &Pipeline) -> Option<SoapFault> {
    let channel = runtime.channels.get(pipeline.channel)?;
    let found = channel.containers.iter().find(|container| container.name == soap_fault::container_name())?;
    soap_fault::decode(&found.bytes).ok()
}

/// Removes the container of the fault, and gives it.
fn remove(runtime: &mut Runtime, pipeline: &Pipeline) -> Option<Container> {
    let containers = &mut runtime.channels.get(pipeline.channel)?.containers;
    let place = containers.iter().position(|container| container.name == soap_fault::container_name())?;
    Some(containers.remove(place))
}

/// Puts a fault in place of the present one, which stays if there is no room.
fn keep(runtime: &mut Runtime, pipeline: &Pipeline, fault: &SoapFault) -> Done {
    let before = remove(runtime, pipeline);
    let container = soap_fault::container(fault);
    let room = check_room(runtime, std::slice::from_ref(&container));
    let stays = if room.is_ok() { Some(container) } else { before };
    if let Some(channel) = runtime.channels.get(pipeline.channel) {
        channel.containers.extend(stays);
    }
    room.map(|()| Step::GoOn)
}
