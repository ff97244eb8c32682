//! INVOKE SERVICE and TRANSFORM: the region passes them on to its surroundings.

use program::commands::OptionName;
use program::commands::names::*;
use program::conditions::{CHANNELERR, CONTAINERERR, INVREQ};
use wire::{Answer, Ask, CallAnswer, CallAsk, Container, Interface, ServiceTarget, TransformWay};

use super::Done;
use super::containers::is_name;
use super::copies::{check_room, copied_channel};
use super::text::{Converted, convert};
use crate::cobol::arguments::Arguments;
use crate::task::{Fault, Runtime, Step, raise};

/// UTF-8.
const UTF_8: u16 = 1208;

/// INVREQ of INVOKE SERVICE: the service answered with a fault.
const RESP2_FAULT: u32 = 6;
/// CHANNELERR: the name is not valid, or the channel does not exist.
const RESP2_CHANNEL_NAME: u32 = 1;
const RESP2_NO_CHANNEL: u32 = 2;
/// CONTAINERERR: the input container is missing.
const RESP2_NO_INPUT: u32 = 3;
/// CONTAINERERR: the name of the container for the output is none.
const RESP2_OUTPUT_NAME: u32 = 18;
/// INVREQ: it could not be transformed; the container is of the other kind.
const RESP2_NOT_TRANSFORMED: u32 = 6;
const RESP2_KIND: u32 = 8;

/// Where a program finds why something could not be transformed.
const ERROR_CONTAINER: &[u8; 16] = b"DFHJSON-ERRORMSG";

pub(super) fn invoke(runtime: &mut Runtime, arguments: &Arguments, named: OptionName) -> Done {
    let service = text(arguments, named);
    runtime.level().eib.set_resource(service.as_bytes());
    let channel = arguments.name::<16>(CHANNEL).unwrap_or([b' '; 16]);
    let Interface::Channel { containers, .. } = copied_channel(runtime, channel)? else {
        return raise(&INVREQ);
    };
    let ask = CallAsk::Service {
        service,
        operation: text(arguments, OPERATION),
        target: if arguments.has(URI) {
            ServiceTarget::Uri(text(arguments, URI))
        } else if arguments.has(URIMAP) {
            ServiceTarget::UriMap(text(arguments, URIMAP))
        } else {
            ServiceTarget::Configured
        },
        containers,
    };
    let (answered, fault) = match call(runtime, ask)? {
        CallAnswer::Service(answered) => (answered, false),
        CallAnswer::ServiceFault(answered) => (answered, true),
        _ => return raise(&INVREQ),
    };
    check_room(runtime, &answered)?;
    for container in answered {
        put(runtime, channel, container)?;
    }
    if fault { Err(Fault::Condition(&INVREQ, RESP2_FAULT)) } else { Ok(Step::GoOn) }
}

pub(super) fn transform(runtime: &mut Runtime, arguments: &Arguments, way: TransformWay) -> Done {
    let json = matches!(way, TransformWay::DataToJson | TransformWay::JsonToData);
    let (input, output) = match way {
        _ if json => (INCONTAINER, OUTCONTAINER),
        TransformWay::DataToXml => (DATCONTAINER, XMLCONTAINER),
        _ => (XMLCONTAINER, DATCONTAINER),
    };
    let transformer = match json {
        true if arguments.has(TRANSFORMER) => text(arguments, TRANSFORMER),
        true => text(arguments, JSONTRANSFRM),
        false => text(arguments, XMLTRANSFORM),
    };
    runtime.level().eib.set_resource(transformer.as_bytes());
    // Names of elements and namespaces cannot be given yet. All of these options are refused, so that none
    // gets a wrong value.
    if [NSCONTAINER, ELEMNAME, ELEMNS, TYPENAME, TYPENS].into_iter().any(|name| arguments.has(name)) {
        return raise(&INVREQ);
    }
    let channel = channel(runtime, arguments)?;
    let output = arguments.name::<16>(output).unwrap_or([b' '; 16]);
    if !is_name(&output) {
        return Err(Fault::Condition(&CONTAINERERR, RESP2_OUTPUT_NAME));
    }
    let from_data = matches!(way, TransformWay::DataToJson | TransformWay::DataToXml);
    let input = given(runtime, channel, (arguments.name(input).unwrap_or([b' '; 16]), from_data))?;
    match call(runtime, CallAsk::Transform { transformer, way, input })? {
        CallAnswer::Transformed(bytes) => {
            let container = Container { name: output, ccsid: from_data.then_some(UTF_8), bytes };
            check_room(runtime, std::slice::from_ref(&container))?;
            put(runtime, channel, container)?;
            Ok(Step::GoOn)
        }
        CallAnswer::Untransformable(message) => {
            let container =
                Container { name: *ERROR_CONTAINER, ccsid: Some(UTF_8), bytes: message.into_bytes() };
            put(runtime, channel, container)?;
            Err(Fault::Condition(&INVREQ, RESP2_NOT_TRANSFORMED))
        }
        _ => raise(&INVREQ),
    }
}

/// The name of the channel that TRANSFORM works on, which the program sees.
fn channel(runtime: &mut Runtime, arguments: &Arguments) -> Result<[u8; 16], Fault> {
    let name = arguments.name::<16>(CHANNEL).unwrap_or([b' '; 16]);
    if !is_name(&name) {
        return Err(Fault::Condition(&CHANNELERR, RESP2_CHANNEL_NAME));
    }
    let (depth, current) = (runtime.levels.len(), runtime.level().channel);
    match runtime.channels.find(name, depth, current) {
        Some(_) => Ok(name),
        None => Err(Fault::Condition(&CHANNELERR, RESP2_NO_CHANNEL)),
    }
}

/// The bytes of a container: a record as it is, text in UTF-8.
fn given(
    runtime: &mut Runtime,
    channel: [u8; 16],
    (name, is_data): ([u8; 16], bool),
) -> Result<Vec<u8>, Fault> {
    let Interface::Channel { containers, .. } = copied_channel(runtime, channel)? else {
        return Err(Fault::Condition(&CONTAINERERR, RESP2_NO_INPUT));
    };
    let found = containers.into_iter().find(|container| container.name == name);
    let Some(Container { ccsid, bytes, .. }) = found else {
        return Err(Fault::Condition(&CONTAINERERR, RESP2_NO_INPUT));
    };
    match (is_data, ccsid) {
        (true, Some(_)) => Err(Fault::Condition(&INVREQ, RESP2_KIND)),
        (true, None) | (false, None) => Ok(bytes),
        (false, Some(ccsid)) => match convert(bytes, ccsid, UTF_8) {
            Ok(Converted { bytes, whole: true }) => Ok(bytes),
            _ => Err(Fault::Condition(&INVREQ, RESP2_NOT_TRANSFORMED)),
        },
    }
}

/// Puts a container in place of the one of its name.
fn put(runtime: &mut Runtime, channel: [u8; 16], container: Container) -> Result<(), Fault> {
    let id = super::links::channel(runtime, channel)?;
    if let Some(channel) = runtime.channels.get(id) {
        channel.containers.retain(|known| known.name != container.name);
        channel.containers.push(container);
    }
    Ok(())
}

/// A text option, without blanks at its end.
fn text(arguments: &Arguments, name: OptionName) -> String {
    String::from_utf8_lossy(&arguments.bytes(name, Some(255)).unwrap_or_default()).trim_end().to_owned()
}

fn call(runtime: &mut Runtime, ask: CallAsk) -> Result<CallAnswer, Fault> {
    match runtime.ask(Ask::Call(ask))? {
        Answer::Call(answer) => Ok(answer),
        _ => raise(&INVREQ),
    }
}
