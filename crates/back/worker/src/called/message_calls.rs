//! Calls of the Message Queue Interface: passes a program's parameters to the region, and the region's answer
//! to the program.
//!
//! The order of parameters is the documented one (IBM MQ, "MQI calls"). Structures travel as they are in the program's
//! storage. Here only their identifier and version are looked at, which tell how long they are. Under CICS a program
//! needs no MQCONN: the handle 0 (MQHC-DEF-HCONN) is always good.
//!
//! Deliberately absent: queues, which the region has, and calls that no program under CICS may give.

use message::Reason;
use mqi::{
    BadStructure, BadVarying, CREATE_HANDLE, DELETE_HANDLE, DELETE_PROPERTY, Fields, GET_OPTIONS,
    INQUIRE_PROPERTY, MESSAGE, OBJECT, PROPERTY, PUT_OPTIONS, Place, SET_PROPERTY, SUBSCRIPTION,
    SUBSCRIPTION_REQUEST, Structure, VARYING_TEXT, Varying,
};
use wire::{
    Answer, Ask, MESSAGE_MAX_BYTES, MessageAnswer, MessageAsk, Name, ObjectAsk, Outgoing, PropertyAsk,
    SELECTORS_MAX, SubscribeAsk,
};

use crate::cobol::arguments::Area;
use crate::cobol::libcob::Libcob;
use crate::task::{self, Fault, Runtime};

/// The most parameters of a call.
pub(crate) const PARAMETERS_MAX: usize = 11;

/// The most bytes of a text of varying length, such as a topic (IBM MQ, "MQOD - Object descriptor").
const STRING_MAX_BYTES: usize = 10_240;
/// MQOT-TOPIC.
const TOPIC: i32 = 8;
/// The most bytes of the name of a property (MQ-MAX-PROPERTY-NAME-LENGTH).
const PROPERTY_NAME_MAX_BYTES: usize = 4095;
/// MQTYPE-STRING, and MQVL-NULL-TERMINATED.
const STRING: i32 = 0x400;
const NULL_TERMINATED: i32 = -1;
/// The most bytes of an object's name, and of another name that operators see.
const NAME_MAX_BYTES: usize = 48;

/// MQHC-DEF-HCONN.
const DEFAULT_CONNECTION: i64 = 0;
/// MQHC-UNASSOCIATED-HCONN: message handles need no connection.
const NO_CONNECTION: i64 = -3;
/// MQHC-UNUSABLE-HCONN, MQHO-UNUSABLE-HOBJ and MQHM-UNUSABLE-HMSG.
const UNUSABLE: i64 = -1;
/// MQCC-FAILED.
const FAILED: i32 = 2;

/// The parameters of a CALL.
struct Call {
    libcob: &'static Libcob,
    places: [*mut u8; PARAMETERS_MAX],
    count: usize,
}

/// Why a call did nothing: its reason, or the abend that ends the task.
enum Refusal {
    Reason(Reason),
    Abend { code: [u8; 4], message: String },
}

type Outcome = Result<Box<MessageAnswer>, Refusal>;

impl From<Reason> for Refusal {
    fn from(reason: Reason) -> Self {
        Refusal::Reason(reason)
    }
}

/// Carries out a call. The program learns the outcome from its completion code and its reason.
pub(crate) fn call(function: &str, places: [*mut u8; PARAMETERS_MAX]) -> i32 {
    let Some(libcob) = task::with(|runtime| runtime.libcob) else { return 0 };
    let call = Call { libcob, places, count: libcob.parameter_count().min(PARAMETERS_MAX) };
    let (codes, outcome) = match function {
        "MQCONN" => (2, call.connect(1)),
        "MQCONNX" => (3, call.connect(2)),
        "MQDISC" => (1, call.disconnect()),
        "MQOPEN" => (4, call.open()),
        "MQCLOSE" => (3, call.close()),
        "MQPUT" => (6, call.put()),
        "MQPUT1" => (6, call.put_one()),
        "MQGET" => (7, call.get()),
        "MQINQ" => (8, call.inquire()),
        "MQSET" => (8, call.set()),
        "MQSUB" => (4, call.subscribe()),
        "MQSUBRQ" => (4, call.request()),
        "MQCRTMH" => (3, call.create_handle()),
        "MQDLTMH" => (3, call.delete_handle()),
        "MQSETMP" => (8, call.set_property()),
        "MQINQMP" => (9, call.inquire_property()),
        "MQDLTMP" => (4, call.delete_property()),
        "MQCMIT" => (1, call.for_connection(function, MessageAsk::Commit)),
        _ => (1, call.for_connection(function, MessageAsk::BackOut)),
    };
    let (completion, reason) = match outcome {
        Ok(answer) => (answer.completion, answer.reason),
        Err(Refusal::Reason(reason)) => (FAILED, code(reason)),
        Err(Refusal::Abend { code, message }) => {
            task::abend_in_call(code, message);
            return 0;
        }
    };
    call.set_number(codes, completion.into());
    call.set_number(codes + 1, reason.into());
    0
}

impl Call {
    fn connect(&self, connection: usize) -> Outcome {
        let manager = self.area(0, 48).ok_or(Reason::ManagerName)?;
        let manager: Name<48> = manager.copy().try_into().map_err(|_| Reason::ManagerName)?;
        self.check_given(connection, Reason::ConnectionHandle)?;
        let answer = ask("MQCONN", manager_shown(&manager), MessageAsk::Connect { manager })?;
        let handle = if answer.completion == FAILED { UNUSABLE } else { DEFAULT_CONNECTION };
        self.set_number(connection, handle);
        Ok(answer)
    }

    fn disconnect(&self) -> Outcome {
        let answer = self.for_connection("MQDISC", MessageAsk::Disconnect)?;
        if answer.completion != FAILED {
            self.set_number(0, UNUSABLE);
        }
        Ok(answer)
    }

    fn for_connection(&self, function: &str, question: MessageAsk) -> Outcome {
        self.check_connection()?;
        ask(function, "", question)
    }

    fn open(&self) -> Outcome {
        self.check_connection()?;
        let object = self.object()?;
        let options = self.number(2).ok_or(Reason::Options)?;
        self.check_given(3, Reason::ObjectHandle)?;
        let name = object_shown(&OBJECT, &object.descriptor, &object.string);
        let answer = ask("MQOPEN", &name, MessageAsk::Open { object, options })?;
        self.give_named(&OBJECT, &answer);
        let handle = if answer.completion == FAILED { UNUSABLE } else { answer.handle.into() };
        self.set_number(3, handle);
        Ok(answer)
    }

    fn close(&self) -> Outcome {
        self.check_connection()?;
        let handle = self.number(1).ok_or(Reason::ObjectHandle)?;
        let options = self.number(2).ok_or(Reason::Options)?;
        let answer = ask("MQCLOSE", "", MessageAsk::Close { handle, options })?;
        if answer.completion != FAILED {
            self.set_number(1, UNUSABLE);
        }
        Ok(answer)
    }

    fn put(&self) -> Outcome {
        self.check_connection()?;
        let handle = self.number(1).ok_or(Reason::ObjectHandle)?;
        let message = self.message()?;
        let answer = ask("MQPUT", "", MessageAsk::Put { handle, message })?;
        Ok(self.give_put(answer))
    }

    fn put_one(&self) -> Outcome {
        self.check_connection()?;
        let object = self.object()?;
        let message = self.message()?;
        let name = object_shown(&OBJECT, &object.descriptor, &object.string);
        let answer = ask("MQPUT1", &name, MessageAsk::PutOne { object, message })?;
        self.give_named(&OBJECT, &answer);
        Ok(self.give_put(answer))
    }

    fn get(&self) -> Outcome {
        self.check_connection()?;
        let handle = self.number(1).ok_or(Reason::ObjectHandle)?;
        let descriptor = self.descriptor()?;
        let options = self.structure(3, &GET_OPTIONS, |bad| match bad {
            BadStructure::Version(_) => Reason::WrongGetOptionsVersion,
            _ => Reason::GetOptions,
        })?;
        let room = self.number(4).and_then(|room| u32::try_from(room).ok()).ok_or(Reason::BufferLength)?;
        let buffer = self.area(5, room as usize);
        if buffer.is_none() && room > 0 {
            return Err(Reason::Buffer.into());
        }
        self.check_given(6, Reason::DataLength)?;
        let answer = ask("MQGET", "", MessageAsk::Get { handle, descriptor, options, room })?;
        self.give(2, &answer.descriptor);
        self.give(3, &answer.options);
        if let Some(buffer) = buffer {
            buffer.write(&answer.data);
        }
        self.set_number(6, answer.length.into());
        Ok(answer)
    }

    fn inquire(&self) -> Outcome {
        let (handle, selectors) = self.selection()?;
        let numbers = self.count(4, Reason::IntAttributeCount)?;
        let text_bytes = self.count(6, Reason::CharAttributeLength)?;
        let question =
            MessageAsk::Inquire { handle, selectors, numbers: numbers as u32, text_bytes: text_bytes as u32 };
        let answer = ask("MQINQ", "", question)?;
        let given: Vec<u8> = answer.numbers.iter().flat_map(|number| number.to_be_bytes()).collect();
        if let Some(area) = self.area(5, numbers * 4) {
            area.write(&given);
        }
        if let Some(area) = self.area(7, text_bytes) {
            area.write(&answer.data);
        }
        Ok(answer)
    }

    fn set(&self) -> Outcome {
        let (handle, selectors) = self.selection()?;
        let numbers = self.numbers(5, self.count(4, Reason::IntAttributeCount)?);
        let text_bytes = self.count(6, Reason::CharAttributeLength)?;
        let text = self.area(7, text_bytes).map(Area::copy).unwrap_or_default();
        ask("MQSET", "", MessageAsk::Set { handle, selectors, numbers, text })
    }

    fn subscribe(&self) -> Outcome {
        self.check_connection()?;
        let descriptor = self.structure(1, &SUBSCRIPTION, |_| Reason::SubscriptionDescriptor)?;
        self.check_given(3, Reason::ObjectHandle)?;
        let queue = self.number(2).ok_or(Reason::ObjectHandle)?;
        let text = |field: &str, otherwise: Reason| {
            self.text(&SUBSCRIPTION, field, &descriptor).map_err(|BadVarying| otherwise)
        };
        let string = text("OBJECTSTRING", Reason::ObjectString)?;
        let name = text("SUBNAME", Reason::SubscriptionName)?;
        let user_data = text("SUBUSERDATA", Reason::SubscriptionUserData)?;
        let shown = object_shown(&SUBSCRIPTION, &descriptor, &string);
        let subscription = Box::new(SubscribeAsk { descriptor, string, name, user_data });
        let answer = ask("MQSUB", &shown, MessageAsk::Subscribe { subscription, queue })?;
        self.give_named(&SUBSCRIPTION, &answer);
        self.give_text(1, &SUBSCRIPTION, "SUBUSERDATA", &answer.object, &answer.data);
        if answer.completion != FAILED {
            self.set_number(2, answer.queue.into());
            self.set_number(3, answer.handle.into());
        }
        Ok(answer)
    }

    fn request(&self) -> Outcome {
        self.check_connection()?;
        let handle = self.number(1).ok_or(Reason::ObjectHandle)?;
        let action = self.number(2).ok_or(Reason::Action)?;
        let options = self.structure(3, &SUBSCRIPTION_REQUEST, |_| Reason::SubscriptionRequestOptions)?;
        let answer = ask("MQSUBRQ", "", MessageAsk::Request { handle, action, options })?;
        self.give(3, &answer.options);
        Ok(answer)
    }

    fn create_handle(&self) -> Outcome {
        self.check_connection_of_handle()?;
        let options = self.structure(1, &CREATE_HANDLE, |_| Reason::CreateHandleOptions)?;
        self.check_given(2, Reason::MessageHandle)?;
        let answer = ask("MQCRTMH", "", MessageAsk::CreateHandle { options })?;
        let handle = if answer.completion == FAILED { UNUSABLE } else { answer.handle.into() };
        self.set_number(2, handle);
        Ok(answer)
    }

    fn delete_handle(&self) -> Outcome {
        let handle = self.message_handle()?;
        let options = self.structure(2, &DELETE_HANDLE, |_| Reason::DeleteHandleOptions)?;
        let answer = ask("MQDLTMH", "", MessageAsk::DeleteHandle { handle, options })?;
        if answer.completion != FAILED {
            self.set_number(1, UNUSABLE);
        }
        Ok(answer)
    }

    fn set_property(&self) -> Outcome {
        let handle = self.message_handle()?;
        let options = self.structure(2, &SET_PROPERTY, |_| Reason::SetPropertyOptions)?;
        let property = self.property(options, true)?;
        let kind = self.number(5).ok_or(Reason::PropertyType)?;
        let value = match self.number(6) {
            Some(NULL_TERMINATED) if kind == STRING => {
                let text = self.area(7, MESSAGE_MAX_BYTES / 4).ok_or(Reason::Buffer)?;
                text.copy_to_null().ok_or(Reason::BufferLength)?
            }
            _ => match (self.count(6, Reason::BufferLength)?, self.area(7, 0)) {
                (0, _) => Vec::new(),
                (_, None) => return Err(Reason::Buffer.into()),
                (bytes, Some(_)) => self.area(7, bytes).map(Area::copy).unwrap_or_default(),
            },
        };
        let shown = property_shown(&property);
        ask("MQSETMP", &shown, MessageAsk::SetProperty { handle, property, kind, value })
    }

    fn inquire_property(&self) -> Outcome {
        let handle = self.message_handle()?;
        let options = self.structure(2, &INQUIRE_PROPERTY, |_| Reason::InquirePropertyOptions)?;
        let property = self.property(options, true)?;
        let kind = self.number(5).ok_or(Reason::PropertyType)?;
        let room = self.number(6).and_then(|room| u32::try_from(room).ok()).ok_or(Reason::BufferLength)?;
        let buffer = self.area(7, room as usize);
        if buffer.is_none() && room > 0 {
            return Err(Reason::Buffer.into());
        }
        self.check_given(8, Reason::DataLength)?;
        let shown = property_shown(&property);
        let answer = ask("MQINQMP", &shown, MessageAsk::InquireProperty { handle, property, kind, room })?;
        // Without a property that was found, nothing changes.
        if answer.options.is_empty() {
            return Ok(answer);
        }
        self.give(2, &answer.options);
        self.give(4, &answer.descriptor);
        self.set_number(5, answer.kind.into());
        if let Some(buffer) = buffer {
            buffer.write(&answer.data);
        }
        self.set_number(8, answer.length.into());
        self.give_text(2, &INQUIRE_PROPERTY, "RETURNEDNAME", &answer.options, &answer.string);
        Ok(answer)
    }

    fn delete_property(&self) -> Outcome {
        let handle = self.message_handle()?;
        let options = self.structure(2, &DELETE_PROPERTY, |_| Reason::DeletePropertyOptions)?;
        let property = self.property(options, false)?;
        let shown = property_shown(&property);
        ask("MQDLTMP", &shown, MessageAsk::DeleteProperty { handle, property })
    }

    /// The connection and the message handle.
    fn message_handle(&self) -> Result<i64, Refusal> {
        self.check_connection_of_handle()?;
        Ok(self.libcob_number(1).ok_or(Reason::MessageHandle)?)
    }

    /// The name of a property, and its descriptor.
    fn property(&self, options: Vec<u8>, has_descriptor: bool) -> Result<Box<PropertyAsk>, Refusal> {
        let bytes = VARYING_TEXT.bytes(1).unwrap_or_default();
        let name = self.area(3, bytes).and_then(|name| Varying::read(&name.copy()));
        let given = name.ok_or(Reason::PropertyName)?;
        let is_long = usize::try_from(given.length()).map_or(true, |length| length > PROPERTY_NAME_MAX_BYTES);
        let otherwise = if is_long { Reason::PropertyNameLength } else { Reason::PropertyName };
        let name = self.varying(given, PROPERTY_NAME_MAX_BYTES, 3).map_err(|BadVarying| otherwise)?;
        let descriptor = match has_descriptor {
            true => self.structure(4, &PROPERTY, |_| Reason::PropertyDescriptor)?,
            false => Vec::new(),
        };
        Ok(Box::new(PropertyAsk { options, name, name_ccsid: given.ccsid, descriptor }))
    }

    /// The object and the selectors of MQINQ and MQSET.
    fn selection(&self) -> Result<(i32, Vec<i32>), Refusal> {
        self.check_connection()?;
        let handle = self.number(1).ok_or(Reason::ObjectHandle)?;
        let selectors = self.count(2, Reason::SelectorCount)?;
        if selectors > SELECTORS_MAX {
            return Err(Reason::SelectorCount.into());
        }
        Ok((handle, self.numbers(3, selectors)))
    }

    /// Numbers that stand one behind the other, four bytes each with the highest first.
    fn numbers(&self, index: usize, count: usize) -> Vec<i32> {
        let bytes = self.area(index, count * 4).map(Area::copy).unwrap_or_default();
        bytes.chunks_exact(4).map(|four| i32::from_be_bytes([four[0], four[1], four[2], four[3]])).collect()
    }

    /// A count or a length, which is not negative and not larger than what a call carries.
    fn count(&self, index: usize, otherwise: Reason) -> Result<usize, Refusal> {
        let count = self.number(index).and_then(|count| usize::try_from(count).ok());
        Ok(count.filter(|count| *count <= MESSAGE_MAX_BYTES / 4).ok_or(otherwise)?)
    }

    /// MQMD, MQPMO and the data of MQPUT and MQPUT1.
    fn message(&self) -> Result<Outgoing, Refusal> {
        let descriptor = self.descriptor()?;
        let options = self.structure(3, &PUT_OPTIONS, |_| Reason::PutOptions)?;
        let bytes =
            self.number(4).and_then(|bytes| usize::try_from(bytes).ok()).ok_or(Reason::BufferLength)?;
        if bytes > MESSAGE_MAX_BYTES {
            return Err(Reason::MessageTooBigForManager.into());
        }
        let data = match self.area(5, bytes) {
            Some(buffer) => buffer.copy(),
            None if bytes == 0 => Vec::new(),
            None => return Err(Reason::Buffer.into()),
        };
        Ok(Outgoing { descriptor, options, data })
    }

    fn give_put(&self, answer: Box<MessageAnswer>) -> Box<MessageAnswer> {
        self.give(2, &answer.descriptor);
        self.give(3, &answer.options);
        answer
    }

    /// MQOD, with the object string of a topic.
    fn object(&self) -> Result<ObjectAsk, Refusal> {
        let descriptor = self.structure(1, &OBJECT, |_| Reason::ObjectDescriptor)?;
        let is_topic =
            OBJECT.bytes_of("OBJECTTYPE", &descriptor).is_some_and(|kind| *kind == TOPIC.to_be_bytes());
        let string = match is_topic {
            true => {
                self.text(&OBJECT, "OBJECTSTRING", &descriptor).map_err(|BadVarying| Reason::ObjectString)?
            }
            false => Vec::new(),
        };
        Ok(ObjectAsk { descriptor, string })
    }

    /// A text of varying length that the program gives in a structure, which is its second parameter.
    fn text(&self, structure: &'static Structure, field: &str, bytes: &[u8]) -> Result<Vec<u8>, BadVarying> {
        let Some(text) = Varying::of(structure, field, bytes) else { return Ok(Vec::new()) };
        self.varying(text, STRING_MAX_BYTES, 1)
    }

    /// A text of varying length, which the parameter `index` describes.
    fn varying(&self, text: Varying, most: usize, index: usize) -> Result<Vec<u8>, BadVarying> {
        match text.given(most)? {
            None => Ok(Vec::new()),
            Some((place, Some(bytes))) => Ok(self.text_at(index, place, bytes).copy()),
            Some((place, None)) => self.text_at(index, place, most + 1).copy_to_null().ok_or(BadVarying),
        }
    }

    /// The place of a text of varying length: an offset from the parameter `index`, or elsewhere in the program. It is believed, as
    /// all addresses are.
    fn text_at(&self, index: usize, place: Place, bytes: usize) -> Area {
        match place {
            Place::Address(address) => {
                let address = usize::try_from(address).unwrap_or_default();
                Area::new(std::ptr::with_exposed_provenance_mut(address), bytes)
            }
            Place::Offset(offset) => Area::new(self.places[index].wrapping_offset(offset as isize), bytes),
        }
    }

    /// Gives MQOD or MQSD back, and the whole topic where the program wants it.
    fn give_named(&self, structure: &'static Structure, answer: &MessageAnswer) {
        self.give(1, &answer.object);
        self.give_text(1, structure, "RESOBJECTSTRING", &answer.object, &answer.string);
    }

    /// Gives a text of varying length where the program wants it, by a field of the structure that is the parameter `index`.
    fn give_text(&self, index: usize, structure: &'static Structure, field: &str, bytes: &[u8], text: &[u8]) {
        let wanted = Varying::of(structure, field, bytes);
        if let Some(Ok(Some((place, room)))) = wanted.map(|wanted| wanted.wanted())
            && !text.is_empty()
        {
            self.text_at(index, place, room).write(text);
        }
    }

    fn descriptor(&self) -> Result<Vec<u8>, Refusal> {
        self.structure(2, &MESSAGE, |bad| match bad {
            BadStructure::Version(_) => Reason::WrongDescriptorVersion,
            _ => Reason::MessageDescriptor,
        })
    }

    /// A structure as long as its version says.
    fn structure(
        &self,
        index: usize,
        structure: &'static Structure,
        reason: impl Fn(BadStructure) -> Reason,
    ) -> Result<Vec<u8>, Refusal> {
        let head = self.area(index, Fields::HEAD_BYTES).ok_or_else(|| reason(BadStructure::Short))?;
        let bytes = Fields::length(structure, &head.copy()).map_err(&reason)?;
        Ok(self.area(index, bytes).map(Area::copy).unwrap_or_default())
    }

    fn check_connection(&self) -> Result<(), Refusal> {
        match self.libcob_number(0) {
            Some(DEFAULT_CONNECTION) => Ok(()),
            _ => Err(Reason::ConnectionHandle.into()),
        }
    }

    fn check_connection_of_handle(&self) -> Result<(), Refusal> {
        match self.libcob_number(0) {
            Some(DEFAULT_CONNECTION | NO_CONNECTION) => Ok(()),
            _ => Err(Reason::ConnectionHandle.into()),
        }
    }

    fn check_given(&self, index: usize, otherwise: Reason) -> Result<(), Refusal> {
        match self.area(index, 0) {
            Some(_) => Ok(()),
            None => Err(otherwise.into()),
        }
    }

    /// A parameter as bytes of the program; none if the program does not give it.
    fn area(&self, index: usize, bytes: usize) -> Option<Area> {
        let place = self.places[..self.count].get(index).copied().filter(|place| !place.is_null())?;
        Some(Area::new(place, bytes))
    }

    fn libcob_number(&self, index: usize) -> Option<i64> {
        self.area(index, 0).map(|_| self.libcob.number(index))
    }

    fn number(&self, index: usize) -> Option<i32> {
        self.libcob_number(index).and_then(|number| i32::try_from(number).ok())
    }

    fn set_number(&self, index: usize, number: i64) {
        if self.area(index, 0).is_some() {
            self.libcob.set_number(index, number);
        }
    }

    /// Gives a structure back if the region has changed it.
    fn give(&self, index: usize, bytes: &[u8]) {
        if let Some(area) = self.area(index, bytes.len()) {
            area.write(bytes);
        }
    }
}

/// Asks the region; operators see the call with the object that it names.
fn ask(function: &str, object: &str, question: MessageAsk) -> Outcome {
    let asked = task::with(|runtime: &mut Runtime| {
        let begun = runtime.call_begins(wire::name(function), object);
        let answered = runtime.ask(Ask::Message(question));
        let code = match &answered {
            Ok(Answer::Message(answer)) => u16::try_from(answer.reason).unwrap_or_default(),
            _ => 0,
        };
        runtime.call_ends(begun, code);
        answered
    });
    match asked {
        Some(Ok(Answer::Message(answer))) => Ok(answer),
        Some(Err(Fault::Abend(abend))) => Err(Refusal::Abend { code: abend.code, message: abend.message }),
        // The answer did not fit into the memory that is shared with the region.
        Some(_) => Err(Reason::StorageNotAvailable.into()),
        None => Err(Reason::Unexpected.into()),
    }
}

fn code(reason: Reason) -> i32 {
    i32::try_from(reason.code()).unwrap_or(i32::MAX)
}

/// The name in an MQOD or MQSD, or the beginning of its object string, for operators.
fn object_shown(structure: &'static Structure, descriptor: &[u8], string: &[u8]) -> String {
    let name = wire::shown(structure.bytes_of("OBJECTNAME", descriptor).unwrap_or_default());
    if name.is_empty() { wire::shown(&string[..string.len().min(NAME_MAX_BYTES)]) } else { name }
}

/// The beginning of the name of a property, for operators.
fn property_shown(property: &PropertyAsk) -> String {
    wire::shown(&property.name[..property.name.len().min(NAME_MAX_BYTES)])
}

fn manager_shown(manager: &Name<48>) -> &str {
    str::from_utf8(manager).unwrap_or_default().trim_end_matches([' ', '\0'])
}
