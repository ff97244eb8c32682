//! MQCRTMH, MQDLTMH, MQSETMP, MQINQMP and MQDLTMP: message handles, and the properties that they hold.
//!
//! Source: IBM MQ, "MQCRTMH - Create message handle" and the descriptions of the other calls and their structures.

use message::{Message, PropertyValue, Reason};
use mqi::{
    CREATE_HANDLE, DELETE_HANDLE, DELETE_PROPERTY, Fields, INQUIRE_PROPERTY, Kind, MESSAGE, PROPERTY,
    SET_PROPERTY,
};
use wire::{MessageAnswer, PropertyAsk};

use crate::descriptor::fill;
use crate::handles::{Attributes, Found, Held, LookAt, SetAt, initial_descriptor};
use crate::property_name::{NewName, Pattern};
use crate::property_value::{Form, NATIVE, converted, encoded, kind_of, read as value, written};
use crate::task::{Surroundings, TaskCalls, read, warned};
use crate::topic::ccsid_of;

type Answered = Result<Box<MessageAnswer>, Reason>;

/// UTF-8, in which every text can be given.
const UTF_8: u16 = 1208;

/// The options of MQINQMP.
#[derive(Clone, Copy, Debug)]
struct InquireOptions {
    look: LookAt,
    converts_type: bool,
    converts_value: bool,
    /// Only the length is wanted.
    is_query: bool,
}

impl InquireOptions {
    fn of(options: i32) -> Result<Self, Reason> {
        let has = |bit: i32| options & bit != 0;
        let look = match options & 0x18 {
            0 => LookAt::First,
            0x8 => LookAt::Next,
            0x10 => LookAt::UnderCursor,
            _ => return Err(Reason::Options),
        };
        if options & !0x3E != 0 {
            return Err(Reason::Options);
        }
        Ok(Self { look, converts_type: has(0x2), converts_value: has(0x20), is_query: has(0x4) })
    }
}

/// A value or a name in bytes, and their code page. `reason` is that of a warning.
struct Given {
    bytes: Vec<u8>,
    ccsid: u16,
    encoding: i32,
    reason: Reason,
    /// The length that the program has to have room for.
    length: usize,
}

impl TaskCalls {
    pub(crate) fn create_handle(&mut self, options: &[u8]) -> Answered {
        let options = read(&CREATE_HANDLE, options, Reason::CreateHandleOptions)?;
        // MQCMHO-DEFAULT-VALIDATION, NO-VALIDATION and VALIDATE: names are checked in any case.
        if !(0..=2).contains(&options.number("OPTIONS")) {
            return Err(Reason::Options);
        }
        let handle = self.handles.create()?;
        Ok(Box::new(MessageAnswer { handle, ..MessageAnswer::default() }))
    }

    pub(crate) fn delete_handle(&mut self, handle: i64, options: &[u8]) -> Answered {
        let options = read(&DELETE_HANDLE, options, Reason::DeleteHandleOptions)?;
        if options.number("OPTIONS") != 0 {
            return Err(Reason::Options);
        }
        self.handles.delete(handle)?;
        Ok(Box::default())
    }

    pub(crate) fn set_property(
        &mut self,
        handle: i64,
        ask: &PropertyAsk,
        kind: i32,
        bytes: &[u8],
        around: Surroundings<'_>,
    ) -> Answered {
        let options = read(&SET_PROPERTY, &ask.options, Reason::SetPropertyOptions)?;
        let attributes = Attributes::of(&ask.descriptor)?;
        let held = self.handles.get(handle)?;
        let at = match options.number("OPTIONS") {
            0 => SetAt::First,
            1 => SetAt::UnderCursor,
            2 => SetAt::AfterCursor,
            4 => SetAt::Append,
            8 => SetAt::BeforeCursor,
            _ => return Err(Reason::Options),
        };
        let name = NewName::of(ask, around)?;
        let ccsid = ccsid_of(options.number("VALUECCSID"), around).ok_or(Reason::SourceCcsid)?;
        let given = value(kind, bytes, Form { ccsid, encoding: options.number("VALUEENCODING") })?;
        match name {
            NewName::Field(field) => set_field(&mut held.descriptor, field, &given, around)?,
            NewName::Property(name) => {
                let property = message::Property::new(&name, given).map_err(|_| Reason::PropertyName)?;
                held.set(Held { property, attributes }, at)?;
            }
        }
        Ok(Box::default())
    }

    pub(crate) fn inquire_property(
        &mut self,
        handle: i64,
        ask: &PropertyAsk,
        kind: i32,
        room: usize,
        around: Surroundings<'_>,
    ) -> Answered {
        let mut fields = read(&INQUIRE_PROPERTY, &ask.options, Reason::InquirePropertyOptions)?;
        let mut descriptor = read(&PROPERTY, &ask.descriptor, Reason::PropertyDescriptor)?;
        let options = InquireOptions::of(fields.number("OPTIONS"))?;
        let held = self.handles.get(handle)?;
        let pattern = match options.look {
            LookAt::UnderCursor => None,
            LookAt::First | LookAt::Next => Some(Pattern::of(ask, around)?),
        };
        let at = held.find(options.look, pattern.as_ref())?;
        let found = held.at(at)?;
        let (name, attributes) = (found.name(), found.attributes());
        let mut inquired = match found {
            Found::Field(field) => field_value(&held.descriptor, field, around),
            Found::Property(held) => held.property.value().clone(),
        };
        if options.converts_type {
            inquired = converted(inquired, kind)?;
        }
        held.moved(at, pattern);
        let requested = requested(&fields, options, around);
        let given = given(&inquired, requested, room, around);
        fields.set_number("RETURNEDCCSID", given.ccsid.into());
        fields.set_number("RETURNEDENCODING", given.encoding);
        fields.set_text("TYPESTRING", "");
        attributes.give(&mut descriptor);
        let (string, name_reason) = give_name(&mut fields, &name, requested, around);
        let is_cut = given.length > room && !options.is_query;
        let answer = MessageAnswer {
            kind: kind_of(&inquired),
            length: u32::try_from(given.length).unwrap_or(u32::MAX),
            options: fields.into_bytes(),
            descriptor: descriptor.into_bytes(),
            string,
            data: if options.is_query { Vec::new() } else { given.bytes },
            ..MessageAnswer::default()
        };
        let failed = match name_reason {
            Reason::PropertyNameTooBig => Some(name_reason),
            _ => is_cut.then_some(Reason::PropertyValueTooBig),
        };
        Ok(match failed {
            Some(reason) => Box::new(MessageAnswer { completion: 2, ..*warned(answer, reason) }),
            None if given.reason != Reason::None => warned(answer, given.reason),
            None => warned(answer, name_reason),
        })
    }

    pub(crate) fn delete_property(
        &mut self,
        handle: i64,
        ask: &PropertyAsk,
        around: Surroundings<'_>,
    ) -> Answered {
        let options = read(&DELETE_PROPERTY, &ask.options, Reason::DeletePropertyOptions)?;
        let held = self.handles.get(handle)?;
        let at = match options.number("OPTIONS") {
            0 => {
                let pattern = Pattern::of(ask, around)?;
                if pattern.is_beginning() {
                    return Err(Reason::PropertyName);
                }
                match held.find(LookAt::First, Some(&pattern)) {
                    Ok(at) => at,
                    Err(reason) => return Ok(warned(MessageAnswer::default(), reason)),
                }
            }
            1 => held.find(LookAt::UnderCursor, None)?,
            _ => return Err(Reason::Options),
        };
        held.delete(at)?;
        Ok(Box::default())
    }

    /// Fills a handle with a message that was got. `ccsid` is the code page of its body as the program gets it.
    pub(crate) fn hold(
        &mut self,
        handle: i64,
        message: Message,
        ccsid: i32,
        around: Surroundings<'_>,
    ) -> Result<(), Reason> {
        let mut descriptor = initial_descriptor()?;
        fill(&mut descriptor, &message, around.now);
        descriptor.set_number("CODEDCHARSETID", ccsid);
        let held = message.properties.into_iter();
        let held = held.map(|property| Held { property, attributes: Attributes::OF_MESSAGE }).collect();
        self.handles.get(handle)?.hold(descriptor, held);
        Ok(())
    }
}

/// The form in which the program wants a value; none if it does not say.
fn requested(
    fields: &Fields,
    options: InquireOptions,
    around: Surroundings<'_>,
) -> Option<(Option<u16>, i32)> {
    let ccsid = ccsid_of(fields.number("REQUESTEDCCSID"), around);
    options.converts_value.then(|| (ccsid, fields.number("REQUESTEDENCODING")))
}

/// A value in bytes, cut to `room`. A text that the wanted code page lacks stays in the code page of the region, or in UTF-8.
fn given(
    inquired: &PropertyValue,
    requested: Option<(Option<u16>, i32)>,
    room: usize,
    around: Surroundings<'_>,
) -> Given {
    let of_region = || match written(inquired, Form { ccsid: around.ccsid, encoding: NATIVE }) {
        Some(bytes) => (bytes, around.ccsid),
        None => (written(inquired, Form { ccsid: UTF_8, encoding: NATIVE }).unwrap_or_default(), UTF_8),
    };
    let wanted = requested.map(|(ccsid, encoding)| {
        ccsid.and_then(|ccsid| Some((written(inquired, Form { ccsid, encoding })?, ccsid, encoding)))
    });
    let mut given = match wanted {
        Some(Some((bytes, ccsid, encoding))) if bytes.len() <= room => {
            Given { length: bytes.len(), bytes, ccsid, encoding, reason: Reason::None }
        }
        Some(Some((longer, ..))) => {
            let (bytes, ccsid) = of_region();
            Given { length: longer.len(), bytes, ccsid, encoding: NATIVE, reason: Reason::None }
        }
        other => {
            let (bytes, ccsid) = of_region();
            let reason = if other.is_some() { Reason::PropertyValueNotConverted } else { Reason::None };
            Given { length: bytes.len(), bytes, ccsid, encoding: NATIVE, reason }
        }
    };
    given.bytes.truncate(room);
    given
}

/// Gives the name of a property where the program wants it: its bytes, and a reason if it is too long or not converted.
fn give_name(
    fields: &mut Fields,
    name: &str,
    requested: Option<(Option<u16>, i32)>,
    around: Surroundings<'_>,
) -> (Vec<u8>, Reason) {
    let room = match fields.varying("RETURNEDNAME").map(|place| place.wanted()) {
        Some(Ok(Some((_, room)))) => room,
        Some(Err(_)) => 0,
        Some(Ok(None)) | None => return (Vec::new(), Reason::None),
    };
    let ccsid = match requested {
        Some((ccsid, _)) => ccsid,
        None => Some(around.ccsid),
    };
    let wanted = ccsid.and_then(|ccsid| Some((encoded(name, ccsid)?, ccsid)));
    let is_converted = wanted.is_some() || requested.is_none();
    let (bytes, ccsid) = wanted.unwrap_or_else(|| (name.as_bytes().to_vec(), UTF_8));
    fields.set_varying("RETURNEDNAME", i32::try_from(bytes.len()).unwrap_or(i32::MAX), ccsid.into());
    match bytes.len() <= room {
        true if is_converted => (bytes, Reason::None),
        true => (bytes, Reason::PropertyNameNotConverted),
        false => (Vec::new(), Reason::PropertyNameTooBig),
    }
}

/// The value of a field of MQMD. Its texts are in the code page of the region.
fn field_value(descriptor: &Fields, field: &str, around: Surroundings<'_>) -> PropertyValue {
    let field = field.to_ascii_uppercase();
    let bytes = descriptor.bytes(&field).unwrap_or_default();
    match MESSAGE.field(&field).map(|(_, field)| field.kind) {
        Some(Kind::Number(_)) => PropertyValue::Int32(descriptor.number(&field)),
        Some(Kind::Text(..)) => {
            let form = Form { ccsid: around.ccsid, encoding: NATIVE };
            let text = value(crate::property_value::kind::STRING, bytes, form);
            text.unwrap_or_else(|_| PropertyValue::Text(String::from_utf8_lossy(bytes).into_owned()))
        }
        _ => PropertyValue::Bytes(bytes.to_vec()),
    }
}

/// Sets a field of MQMD.
///
/// # Errors
/// `PropertyType` for another type than the field's; `BufferLength`; `SourceCcsid` for a text that the region's code page lacks.
fn set_field(
    descriptor: &mut Fields,
    field: &str,
    given: &PropertyValue,
    around: Surroundings<'_>,
) -> Result<(), Reason> {
    let field = field.to_ascii_uppercase();
    match (MESSAGE.field(&field).map(|(_, field)| field.kind), given) {
        (Some(Kind::Number(_)), PropertyValue::Int32(number)) => {
            descriptor.set_number(&field, *number);
        }
        (Some(Kind::Text(room, _)), PropertyValue::Text(text)) => {
            let mut bytes = encoded(text, around.ccsid).ok_or(Reason::SourceCcsid)?;
            if bytes.len() > room {
                return Err(Reason::BufferLength);
            }
            bytes.resize(room, b' ');
            descriptor.set_bytes(&field, &bytes);
        }
        (Some(Kind::Bytes(room)), PropertyValue::Bytes(bytes)) if bytes.len() == room => {
            descriptor.set_bytes(&field, bytes);
        }
        (Some(Kind::Bytes(_)), PropertyValue::Bytes(_)) => return Err(Reason::BufferLength),
        _ => return Err(Reason::PropertyType),
    }
    Ok(())
}
