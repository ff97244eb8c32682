//! Commands on containers and channels.
//!
//! Rules are those of CICS TS, "GET CONTAINER (CHANNEL)" and its kin. Data is BIT unless the program says
//! otherwise. Text is converted from the code page of the container to the one that a program wants.

use program::commands::OptionName;
use program::commands::names::*;
use program::conditions::{
    CCSIDERR, CHANNELERR, CODEPAGEERR, CONTAINERERR, Condition, END, INVREQ, LENGERR, TOKENERR,
};
use program::cvda;
use wire::Container;

use super::text::{Converted, Unconvertible, ccsid, convert};
use super::{Done, memory};
use crate::channels::Channel;
use crate::cobol::arguments::{Area, Arguments};
use crate::task::{Fault, Runtime, Step, raise};

const RESP2_CHANNEL_NAME: u32 = 1;
const RESP2_NO_CHANNEL: u32 = 2;
const RESP2_NO_CONTAINER: u32 = 10;
const RESP2_CONTAINER_NAME: u32 = 18;
/// INVREQ: there is no current channel.
const RESP2_NO_CURRENT_CHANNEL: u32 = 4;
const RESP2_CURRENT_CHANNEL: u32 = 4;
/// INVREQ: a container cannot change from BIT to CHAR, or back.
const RESP2_DATATYPE: u32 = 33;
/// INVREQ: DATATYPE is neither BIT nor CHAR.
const RESP2_NO_DATATYPE: u32 = 32;
/// CCSIDERR: not a number of a code page. CODEPAGEERR: not a name of a known one.
const RESP2_NO_PAGE: u32 = 1;
/// There is no conversion between the two pages.
const RESP2_NO_CONVERSION: u32 = 2;
/// The data is of kind BIT: it was given as it is.
const RESP2_BIT_CONTAINER: u32 = 3;
/// Some characters could not be converted, and became blanks.
const RESP2_BAD_CHARACTERS: u32 = 4;
/// The data is not text of its page, and was not converted.
const RESP2_MALFORMED: u32 = 5;
/// LENGERR: a length is negative; the program's area is too short.
const RESP2_NEGATIVE: u32 = 1;
const RESP2_AREA_TOO_SHORT: u32 = 11;

fn condition<T>(condition: &'static Condition, resp2: u32) -> Result<T, Fault> {
    Err(Fault::Condition(condition, resp2))
}

/// True if a container or channel may have the name: characters of CICS TS, "Naming", without blanks inside.
pub(super) fn is_name(name: &[u8; 16]) -> bool {
    let length = name.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1);
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"$@#/%&?!:|\"=,;<>.-_".contains(byte);
    length > 0 && name[..length].iter().all(allowed)
}

/// The channel that a command names, or the current one.
fn channel_id(runtime: &mut Runtime, arguments: &Arguments, make: bool) -> Result<u32, Fault> {
    named_channel(runtime, arguments.name::<16>(CHANNEL), make)
}

fn named_channel(runtime: &mut Runtime, name: Option<[u8; 16]>, make: bool) -> Result<u32, Fault> {
    let (depth, current) = (runtime.levels.len(), runtime.level().channel);
    let Some(name) = name else {
        return current.map_or_else(|| condition(&INVREQ, RESP2_NO_CURRENT_CHANNEL), Ok);
    };
    match runtime.channels.find(name, depth, current) {
        Some(id) => Ok(id),
        None if !is_name(&name) => condition(&CHANNELERR, RESP2_CHANNEL_NAME),
        None if make => Ok(runtime.channels.create(name, depth, Vec::new())),
        None => condition(&CHANNELERR, RESP2_NO_CHANNEL),
    }
}

fn channel(runtime: &mut Runtime, id: u32) -> &mut Channel {
    runtime.channels.get(id).expect("a channel that was just found")
}

fn container_name(arguments: &Arguments, option: OptionName) -> Result<[u8; 16], Fault> {
    let name = arguments.name::<16>(option).unwrap_or([b' '; 16]);
    if is_name(&name) { Ok(name) } else { condition(&CONTAINERERR, RESP2_CONTAINER_NAME) }
}

fn position(channel: &Channel, name: [u8; 16]) -> Result<usize, Fault> {
    channel.place(name).map_or_else(|| condition(&CONTAINERERR, RESP2_NO_CONTAINER), Ok)
}

/// The code page that a command names, and the condition that goes with the way in which it names it.
#[derive(Clone, Copy, Debug)]
pub(super) struct NamedPage {
    /// None if it names none.
    pub(super) ccsid: Option<u16>,
    /// CODEPAGEERR for names, CCSIDERR for numbers and for the region's own page.
    condition: &'static Condition,
}

impl NamedPage {
    /// The page of these two options.
    pub(super) fn of(arguments: &Arguments, number: OptionName, name: OptionName) -> Result<Self, Fault> {
        if let Some(number) = arguments.number(number) {
            return match u16::try_from(number) {
                Ok(ccsid) if codepage::Encoding::by_ccsid(ccsid).is_some() => {
                    Ok(Self { ccsid: Some(ccsid), condition: &CCSIDERR })
                }
                Ok(1..) => condition(&CCSIDERR, RESP2_NO_CONVERSION),
                _ => condition(&CCSIDERR, RESP2_NO_PAGE),
            };
        }
        let Some(name) = arguments.bytes(name, Some(40)) else {
            return Ok(Self { ccsid: None, condition: &CCSIDERR });
        };
        match ccsid(&String::from_utf8_lossy(&name)) {
            Some(ccsid) => Ok(Self { ccsid: Some(ccsid), condition: &CODEPAGEERR }),
            None => condition(&CODEPAGEERR, RESP2_NO_PAGE),
        }
    }

    pub(super) fn converted(self, bytes: Vec<u8>, from: u16, to: u16) -> Result<Converted, Fault> {
        convert(bytes, from, to).or_else(|reason| match reason {
            Unconvertible::Page => condition(self.condition, RESP2_NO_CONVERSION),
            Unconvertible::Malformed => condition(self.condition, RESP2_MALFORMED),
        })
    }

    /// The end of a command that converts text; `whole` is false if some characters became blanks.
    fn end(self, whole: bool) -> Done {
        if whole { Ok(Step::GoOn) } else { condition(self.condition, RESP2_BAD_CHARACTERS) }
    }
}

/// The kind of data that PUT CONTAINER names; none if it leaves that to the container.
fn data_type(arguments: &Arguments, page: NamedPage) -> Result<Option<bool>, Fault> {
    let given = arguments.number(DATATYPE);
    let is = |word: &str| given.is_some() && given == cvda::value(word).map(i64::from);
    match given {
        _ if arguments.has(CHAR) || page.ccsid.is_some() || is("CHAR") => Ok(Some(true)),
        _ if arguments.has(BIT) || is("BIT") => Ok(Some(false)),
        None => Ok(None),
        Some(_) => condition(&INVREQ, RESP2_NO_DATATYPE),
    }
}

pub(super) fn put(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let name = container_name(arguments, CONTAINER)?;
    let page = NamedPage::of(arguments, FROMCCSID, FROMCODEPAGE)?;
    let is_text = data_type(arguments, page)?;
    let from = page.ccsid.unwrap_or(runtime.task.ccsid);
    let bytes = given(arguments)?;
    let id = channel_id(runtime, arguments, true)?;
    let limit = runtime.task.containers_max_bytes;
    if runtime.channels.bytes() + bytes.len() as u64 > limit {
        let message = format!("expected at most {limit} bytes in all containers of a task");
        return Err(Fault::Abend(runtime.abend(*b"GCON", message)));
    }
    let channel = channel(runtime, id);
    let Some(place) = channel.place(name) else {
        let ccsid = (is_text == Some(true)).then_some(from);
        return if channel.put(Container { name, ccsid, bytes }) { Ok(Step::GoOn) } else { raise(&INVREQ) };
    };
    let container = &mut channel.containers[place];
    // The kind is that of the container's first data, and so is the page of its text.
    let Converted { bytes, whole } = match (container.ccsid, is_text) {
        (None, None | Some(false)) => Converted { bytes, whole: true },
        (Some(kept), None | Some(true)) => page.converted(bytes, from, kept)?,
        _ => return condition(&INVREQ, RESP2_DATATYPE),
    };
    if arguments.has(APPEND) {
        container.bytes.extend(bytes);
    } else if arguments.has(PREPEND) {
        container.bytes.splice(..0, bytes);
    } else {
        container.bytes = bytes;
    }
    page.end(whole)
}

/// The bytes of FROM in the length of FLENGTH.
fn given(arguments: &Arguments) -> Result<Vec<u8>, Fault> {
    let length = match arguments.number(FLENGTH) {
        None => None,
        Some(length) => match usize::try_from(length) {
            Ok(length) => Some(length),
            Err(_) => return condition(&LENGERR, RESP2_NEGATIVE),
        },
    };
    Ok(match (arguments.area(FROM), length) {
        // The program may give a length beyond the item, as in CICS.
        (Some(area), Some(length)) => Area::new(area.address(), length).copy(),
        (Some(area), None) => area.copy(),
        (None, length) => arguments.bytes(FROM, length).unwrap_or_default(),
    })
}

pub(super) fn get(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let name = container_name(arguments, CONTAINER)?;
    let wanted = NamedPage::of(arguments, INTOCCSID, INTOCODEPAGE)?;
    let id = channel_id(runtime, arguments, false)?;
    let local = runtime.task.ccsid;
    let channel = channel(runtime, id);
    let place = position(channel, name)?;
    let container = &channel.containers[place];
    let convert_status = arguments.number(CONVERTST);
    let raw = arguments.has(NOCONVERT)
        || (convert_status.is_some() && convert_status == cvda::value("NOCONVERT").map(i64::from));
    let copied = container.bytes.clone();
    let Converted { bytes, whole } = match container.ccsid {
        Some(kept) if !raw => wanted.converted(copied, kept, wanted.ccsid.unwrap_or(local))?,
        _ => Converted { bytes: copied, whole: true },
    };
    let is_bit = container.ccsid.is_none();
    arguments.set_number(CCSID, container.ccsid.unwrap_or_default().into());
    let wanted_part = part(arguments, &bytes)?;
    deliver(runtime, arguments, wanted_part)?;
    if is_bit && wanted.ccsid.is_some() {
        return condition(wanted.condition, RESP2_BIT_CONTAINER);
    }
    // Characters that could not be converted are blanks.
    wanted.end(whole)
}

/// The bytes that a command wants. With BYTEOFFSET they are a part: FLENGTH limits their number, and further
/// bytes are not an error ("GET CONTAINER (CHANNEL)", FLENGTH, "BYTEOFFSET option specified").
fn part<'b>(arguments: &Arguments, bytes: &'b [u8]) -> Result<&'b [u8], Fault> {
    let Some(offset) = arguments.number(BYTEOFFSET) else { return Ok(bytes) };
    // An offset is one in the text as it is given; one below zero is zero.
    let offset = usize::try_from(offset).unwrap_or(0);
    if offset > 0 && offset >= bytes.len() {
        return condition(&LENGERR, RESP2_NEGATIVE);
    }
    let rest = &bytes[offset..];
    let asked = arguments.number(FLENGTH).map(|length| usize::try_from(length).unwrap_or(0));
    let room = arguments.area(INTO).map(|area| area.bytes);
    let most = asked.into_iter().chain(room).min().unwrap_or(rest.len());
    Ok(&rest[..most.min(rest.len())])
}

/// Gives the bytes to INTO, SET or, of their length alone, NODATA.
fn deliver(runtime: &mut Runtime, arguments: &Arguments, bytes: &[u8]) -> Result<(), Fault> {
    let room = arguments.number(FLENGTH);
    arguments.set_number(FLENGTH, bytes.len() as i64);
    if arguments.has(NODATA) {
        return Ok(());
    }
    if arguments.has(SET) {
        return memory::set(runtime, arguments, bytes);
    }
    let Some(area) = arguments.area(INTO) else { return raise(&INVREQ) };
    // A length below zero is zero.
    let room = room.map_or(area.bytes, |room| usize::try_from(room).unwrap_or(0).min(area.bytes));
    area.first(room).write(bytes);
    if bytes.len() > room { condition(&LENGERR, RESP2_AREA_TOO_SHORT) } else { Ok(()) }
}

/// The container that WEB SEND names: its code page, none for BIT, and its bytes.
pub(super) fn sent(runtime: &mut Runtime, arguments: &Arguments) -> Result<(Option<u16>, Vec<u8>), Fault> {
    let name = container_name(arguments, CONTAINER)?;
    let id = channel_id(runtime, arguments, false)?;
    let channel = channel(runtime, id);
    let container = &channel.containers[position(channel, name)?];
    Ok((container.ccsid, container.bytes.clone()))
}

/// Puts what WEB RECEIVE has received into a container, in place of the one of its name.
pub(super) fn received(
    runtime: &mut Runtime,
    arguments: &Arguments,
    ccsid: Option<u16>,
    bytes: Vec<u8>,
) -> Done {
    let name = container_name(arguments, TOCONTAINER)?;
    let id = named_channel(runtime, arguments.name::<16>(TOCHANNEL), true)?;
    let container = Container { name, ccsid, bytes };
    super::copies::check_room(runtime, std::slice::from_ref(&container))?;
    if channel(runtime, id).put(container) { Ok(Step::GoOn) } else { raise(&INVREQ) }
}

/// MOVE CONTAINER: the container goes to another channel, or gets another name.
pub(super) fn rename(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let (name, new_name) = (container_name(arguments, CONTAINER)?, container_name(arguments, AS)?);
    let from = channel_id(runtime, arguments, false)?;
    position(channel(runtime, from), name)?;
    let to = match arguments.name::<16>(TOCHANNEL) {
        Some(name) => named_channel(runtime, Some(name), true)?,
        None => named_channel(runtime, None, false)?,
    };
    // The channel may have as many containers as it can.
    if runtime.channels.move_container((from, name), (to, new_name)) {
        Ok(Step::GoOn)
    } else {
        raise(&INVREQ)
    }
}

pub(super) fn delete(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let name = container_name(arguments, CONTAINER)?;
    let id = channel_id(runtime, arguments, false)?;
    let channel = channel(runtime, id);
    let place = position(channel, name)?;
    channel.containers.remove(place);
    Ok(Step::GoOn)
}

pub(super) fn delete_channel(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let id = channel_id(runtime, arguments, false)?;
    if runtime.level().channel == Some(id) {
        return condition(&CHANNELERR, RESP2_CURRENT_CHANNEL);
    }
    runtime.channels.delete(id);
    Ok(Step::GoOn)
}

/// QUERY CHANNEL.
pub(super) fn count(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let id = channel_id(runtime, arguments, false)?;
    arguments.set_number(CONTAINERCNT, channel(runtime, id).containers.len() as i64);
    Ok(Step::GoOn)
}

pub(super) fn start_browse(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let id = channel_id(runtime, arguments, false)?;
    let token = runtime.channels.browse(id);
    arguments.set_number(BROWSETOKEN, token.into());
    Ok(Step::GoOn)
}

pub(super) fn next(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let token = arguments.number(BROWSETOKEN).unwrap_or_default();
    let mut browses = runtime.channels.browses.iter_mut();
    let Some(browse) = browses.find(|browse| i64::from(browse.token) == token) else {
        return raise(&TOKENERR);
    };
    match browse.names.next() {
        Some(name) => arguments.set_characters(CONTAINER, &name),
        None => return raise(&END),
    }
    Ok(Step::GoOn)
}

pub(super) fn end_browse(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let token = arguments.number(BROWSETOKEN).unwrap_or_default();
    let browses = &mut runtime.channels.browses;
    let count = browses.len();
    browses.retain(|browse| i64::from(browse.token) != token);
    if browses.len() < count { Ok(Step::GoOn) } else { raise(&TOKENERR) }
}
