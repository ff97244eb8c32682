//! The programs for CALLs to remote APIs: BAQCSTUB of z/OS Connect 2.0, and the Host API of 3.0.
//!
//! Offsets are those of our copybooks BAQRINFO and BAQHAREC (crate `program`), whose names and values are the documented ones;
//! addresses have 8 bytes here, so that areas are longer than on a mainframe. The areas belong to the program, which waits.
//!
//! Deliberately absent: credentials of programs, which are the gateway's, and parameters by name.

use service::{ApiAnswer, DATA_AREA_NAME_CHARACTERS_MAX};
use wire::{Answer, Ask, CallAnswer, CallAsk, Name};

use crate::called::data_areas::{Reason, Refusal, RequestAreas, ResponseAreas, area_name, keep};
use crate::cobol::arguments::Area;
use crate::cobol::storage::Storage;
use crate::task::{Fault, Runtime, with};

/// The names of the called programs, for operators.
const STUB_FUNCTION: Name<8> = *b"BAQCSTUB";
const HOST_FUNCTION: Name<8> = *b"BAQEXEC ";

/// The bytes of the name, the path and the method in an area that describes an operation.
const TEXT_BYTES: usize = 255;

/// Where name, path and method are in the area of BAQCSTUB, each with its length behind it.
const STUB_TEXTS: [usize; 3] = [0, 260, 520];
/// Where they are in the Host API's.
const HOST_TEXTS: [usize; 3] = [16, 276, 536];
/// From the beginning of a text to its length: the number is on a boundary of 4 bytes.
const TEXT_LENGTH: usize = 256;

/// BAQ-RESPONSE-INFO.
const STUB_NAME: usize = 4;
const RETURN_CODE: usize = 12;
const STATUS_CODE: usize = 16;
const STATUS_MESSAGE: usize = 20;
const STATUS_MESSAGE_LENGTH: usize = 1044;
const MESSAGE_BYTES: usize = 1024;

/// BAQ-RETURN-CODE.
const SUCCESS: i32 = 0;
const ERROR_IN_STUB: i32 = 3;

/// BAQ-ZCONNECT-AREA, with its 64 parameters of 60 bytes.
const COMPLETION_CODE: usize = 3856;
const REASON_CODE: usize = 3860;
const RETURN_MESSAGE_LENGTH: usize = 3876;
const RETURN_MESSAGE: usize = 3880;

/// BAQ-REQUEST-AREA and BAQ-RESPONSE-AREA.
const BASE_ADDRESS: usize = 16;
const BASE_LENGTH: usize = 24;
const RESPONSE_STATUS: usize = 32;
const RESPONSE_MESSAGE_LENGTH: usize = 36;
const RESPONSE_MESSAGE: usize = 40;

/// BAQ-ZCON-COMPLETION-CODE.
const COMPLETE: i32 = 0;
const WARNING: i32 = 4;
const ERROR: i32 = 8;
const SEVERE: i32 = 12;
const CRITICAL: i32 = 16;

/// The areas of one call of BAQCSTUB, in their order.
#[derive(Debug)]
pub(crate) struct StubCall {
    pub(crate) operation: *mut u8,
    pub(crate) request_address: *mut u8,
    pub(crate) request_length: *mut u8,
    pub(crate) response_info: *mut u8,
    pub(crate) response_address: *mut u8,
    pub(crate) response_length: *mut u8,
}

/// The areas of one call of BAQEXEC, in their order.
#[derive(Debug)]
pub(crate) struct HostCall {
    pub(crate) connection: *mut u8,
    pub(crate) operation: *mut u8,
    pub(crate) request: *mut u8,
    pub(crate) response: *mut u8,
}

/// The parameters of one call of BAQGETN or BAQPUTN, in their order.
#[derive(Debug)]
pub(crate) struct ElementCall {
    pub(crate) connection: *mut u8,
    /// The name of the data area, 16 bytes.
    pub(crate) name: *mut u8,
    /// A pointer: where the element is, or where to put its address.
    pub(crate) element: *mut u8,
    /// The bytes of the element, in 4 bytes.
    pub(crate) length: *mut u8,
}

/// The state of a task's Host API.
#[derive(Debug, Default)]
pub(crate) struct HostApi {
    is_begun: bool,
    /// Answers and their data areas, until BAQFREE.
    storage: Storage,
    request: RequestAreas,
    response: ResponseAreas,
}

/// The contents of BAQ-ZCONNECT-AREA after a verb fails.
#[derive(Debug)]
struct Failure {
    completion: i32,
    reason: i32,
    message: String,
}

impl From<(i32, String)> for Failure {
    fn from((completion, message): (i32, String)) -> Self {
        Self { completion, reason: 0, message }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let completion = match refusal.reason {
            Reason::EndOfArea => WARNING,
            Reason::BadName | Reason::UnknownArea | Reason::WrongLength | Reason::TooLarge => ERROR,
            Reason::NotBegun | Reason::NoAddress | Reason::NoStorage => SEVERE,
        };
        Self { completion, reason: refusal.reason as i32, message: refusal.message }
    }
}

/// Calls an API for BAQCSTUB. The outcome is in the program's BAQ-RESPONSE-INFO.
pub(crate) fn stub(call: &StubCall) {
    if call.response_info.is_null() {
        return;
    }
    let outcome = stub_answer(call);
    let (place, status, message) = match outcome {
        Ok(status) => (SUCCESS, status, String::new()),
        Err(failure) => failure,
    };
    put(call.response_info, STUB_NAME, b"BAQCSTUB");
    put_number(call.response_info, RETURN_CODE, place);
    put_number(call.response_info, STATUS_CODE, status.into());
    put_message(call.response_info, (STATUS_MESSAGE, STATUS_MESSAGE_LENGTH), &message);
}

type Failed = (i32, u16, String);

fn stub_answer(call: &StubCall) -> Result<u16, Failed> {
    let in_stub = |message: &str| (ERROR_IN_STUB, 400, message.to_owned());
    let parameters = [
        call.operation,
        call.request_address,
        call.request_length,
        call.response_address,
        call.response_length,
    ];
    if parameters.iter().any(|parameter| parameter.is_null()) {
        return Err(in_stub("expected seven parameters"));
    }
    let [api, path, method] = texts(call.operation, STUB_TEXTS).map_err(|message| in_stub(&message))?;
    let bytes = number(call.request_length, 0);
    let request = Area::new(
        address(call.request_address, 0),
        length(bytes).ok_or_else(|| in_stub("the length of the request is negative"))?,
    );
    let record = request.copy();
    let ApiAnswer { status, record, .. } = ask(CallAsk::Api { api, method, path, record, areas: None })?;
    let room = length(number(call.response_length, 0)).unwrap_or(0);
    if record.len() > room {
        let message = format!("expected room for {} bytes in the response, found {room}", record.len());
        return Err((ERROR_IN_STUB, status, message));
    }
    Area::new(address(call.response_address, 0), room).write(&record);
    Ok(status)
}

/// BAQINIT. The result is for RETURNING.
pub(crate) fn begin(connection: *mut u8) -> i32 {
    host(connection, |runtime| {
        runtime.host_api.is_begun = true;
        Ok(())
    })
}

/// BAQEXEC.
pub(crate) fn execute(call: &HostCall) -> i32 {
    let eyes = [(call.operation, b"BAQA"), (call.request, b"BAQR"), (call.response, b"BAQP")];
    host(call.connection, |runtime| {
        check_begun(runtime, "BAQEXEC")?;
        // The elements go with this request, whatever its outcome. A program that goes on after a failure
        // puts the elements of its next request, and must not find old ones before them.
        let areas = Some(runtime.host_api.request.take());
        for (area, eye) in eyes {
            check_eye(area, eye).map_err(|message| (SEVERE, message))?;
        }
        let [api, path, method] = texts(call.operation, HOST_TEXTS).map_err(|message| (SEVERE, message))?;
        let bytes = length(number(call.request, BASE_LENGTH))
            .ok_or((SEVERE, "the length of the request is negative".to_owned()))?;
        let record = Area::new(address(call.request, BASE_ADDRESS), bytes).copy();
        let ask = CallAsk::Api { api, method, path, record, areas };
        let outcome = api_answer(runtime, (HOST_FUNCTION, ask));
        respond(&mut runtime.host_api, call.response, outcome)
    })
}

/// Gives the program the API's answer, in storage of the task.
fn respond(host_api: &mut HostApi, area: *mut u8, outcome: Result<ApiAnswer, Failed>) -> Result<(), Failure> {
    let (ApiAnswer { status, record, areas }, message, result) = match outcome {
        Ok(answer) => (answer, String::new(), Ok(())),
        Err((place, status, message)) => {
            let completion = match place {
                1 => WARNING,
                ERROR_IN_STUB => SEVERE,
                _ => ERROR,
            };
            let nothing = ApiAnswer { status, ..ApiAnswer::default() };
            (nothing, message.clone(), Err(Failure::from((completion, message))))
        }
    };
    // The last answer does not belong to this request, even if there is no storage for the new one.
    put(area, BASE_ADDRESS, &0_usize.to_ne_bytes());
    put_number(area, BASE_LENGTH, 0);
    put_number(area, RESPONSE_STATUS, status.into());
    put_message(area, (RESPONSE_MESSAGE, RESPONSE_MESSAGE_LENGTH), &message);
    let stored = host_api.response.set(areas, &mut host_api.storage).map_err(Failure::from);
    let stored = stored.and_then(|()| match record.as_slice() {
        [] => Ok(std::ptr::null_mut()),
        record => Ok(keep(record, &mut host_api.storage)?),
    });
    match stored {
        Ok(address) => {
            put(area, BASE_ADDRESS, &address.expose_provenance().to_ne_bytes());
            put_number(area, BASE_LENGTH, i32::try_from(record.len()).unwrap_or(i32::MAX));
        }
        Err(failure) => {
            host_api.response = Default::default();
            return Err(failure);
        }
    }
    result
}

/// BAQPUTN: puts an element into a data area of the next request.
pub(crate) fn put_next(call: &ElementCall) -> i32 {
    host(call.connection, |runtime| {
        check_begun(runtime, "BAQPUTN")?;
        let (name, length) = element_of(call)?;
        let areas = &mut runtime.host_api.request;
        let bytes = areas.room_for(length)?;
        let element = address(call.element, 0);
        if element.is_null() {
            return Err(no_address("the element").into());
        }
        areas.put(name, &Area::new(element, bytes).copy())?;
        Ok(())
    })
}

/// BAQGETN: gives the address of the next element of a data area of the last answer; null if there is none.
pub(crate) fn get_next(call: &ElementCall) -> i32 {
    host(call.connection, |runtime| {
        if !call.element.is_null() {
            put(call.element, 0, &0_usize.to_ne_bytes());
        }
        check_begun(runtime, "BAQGETN")?;
        let (name, length) = element_of(call)?;
        let address = runtime.host_api.response.next(&name, length)?;
        put(call.element, 0, &address.expose_provenance().to_ne_bytes());
        Ok(())
    })
}

/// The name and the length that a call has; its parameters have addresses.
fn element_of(call: &ElementCall) -> Result<(String, i32), Refusal> {
    let parameters = [
        (call.name, "the name of the data area"),
        (call.element, "the element"),
        (call.length, "the length"),
    ];
    for (parameter, what) in parameters {
        if parameter.is_null() {
            return Err(no_address(what));
        }
    }
    let name = area_name(&Area::new(call.name, DATA_AREA_NAME_CHARACTERS_MAX).copy())?;
    Ok((name, number(call.length, 0)))
}

fn no_address(what: &str) -> Refusal {
    Refusal::new(Reason::NoAddress, format!("expected the address of {what}, found null"))
}

fn check_begun(runtime: &Runtime, verb: &str) -> Result<(), Refusal> {
    match runtime.host_api.is_begun {
        true => Ok(()),
        false => Err(Refusal::new(Reason::NotBegun, format!("{verb} came before BAQINIT"))),
    }
}

/// BAQFREE: forgets the elements of request and response, and frees their storage.
pub(crate) fn free(connection: *mut u8) -> i32 {
    host(connection, |runtime| {
        let is_begun = runtime.host_api.is_begun;
        runtime.host_api = HostApi { is_begun, ..HostApi::default() };
        Ok(())
    })
}

/// BAQTERM.
pub(crate) fn end(connection: *mut u8) -> i32 {
    host(connection, |runtime| {
        runtime.host_api = HostApi::default();
        Ok(())
    })
}

/// Carries out a verb of the Host API, and puts the outcome into the program's BAQ-ZCONNECT-AREA.
fn host(connection: *mut u8, act: impl FnOnce(&mut Runtime) -> Result<(), Failure>) -> i32 {
    if check_eye(connection, b"BAQZ").is_err() {
        return CRITICAL;
    }
    let outcome = with(act).unwrap_or_else(|| Err((CRITICAL, "there is no task".to_owned()).into()));
    let done = Failure { completion: COMPLETE, reason: 0, message: String::new() };
    let Failure { completion, reason, message } = outcome.err().unwrap_or(done);
    put_number(connection, COMPLETION_CODE, completion);
    put_number(connection, REASON_CODE, reason);
    put_message(connection, (RETURN_MESSAGE, RETURN_MESSAGE_LENGTH), &message);
    0
}

fn ask(ask: CallAsk) -> Result<ApiAnswer, Failed> {
    let answer = with(|runtime| api_answer(runtime, (STUB_FUNCTION, ask)));
    answer.unwrap_or_else(|| Err((ERROR_IN_STUB, 503, "there is no task".to_owned())))
}

fn api_answer(runtime: &mut Runtime, (function, ask): (Name<8>, CallAsk)) -> Result<ApiAnswer, Failed> {
    let begun = match &ask {
        CallAsk::Api { api, .. } => runtime.call_begins(function, api),
        _ => runtime.call_begins(function, ""),
    };
    let answered = answer_of(runtime.ask(Ask::Call(ask)));
    let return_code = answered.as_ref().err().map_or(SUCCESS, |(place, ..)| *place);
    runtime.call_ends(begun, u16::try_from(return_code).unwrap_or_default());
    answered
}

fn answer_of(answer: Result<Answer, Fault>) -> Result<ApiAnswer, Failed> {
    match answer {
        Ok(Answer::Call(CallAnswer::Api { status, record, areas })) => {
            Ok(ApiAnswer { status, record, areas })
        }
        Ok(Answer::Call(CallAnswer::ApiFailed { place, status, message })) => {
            Err((place.into(), status, message))
        }
        // The answer did not fit into the memory that is shared with the gateway.
        _ => Err((
            ERROR_IN_STUB,
            502,
            "the response is larger than the 16 MiB that a worker shares with the gateway".to_owned(),
        )),
    }
}

fn check_eye(area: *mut u8, eye: &[u8; 4]) -> Result<(), String> {
    let shown = String::from_utf8_lossy(eye);
    if area.is_null() || Area::new(area, 4).copy() != eye {
        return Err(format!("expected an area that begins with {shown}"));
    }
    Ok(())
}

/// The texts of an area that describes an operation.
fn texts(area: *mut u8, places: [usize; 3]) -> Result<[String; 3], String> {
    let mut found = [const { String::new() }; 3];
    for (text, place) in found.iter_mut().zip(places) {
        let bytes = length(number(area, place + TEXT_LENGTH)).filter(|bytes| *bytes <= TEXT_BYTES);
        let bytes =
            bytes.ok_or_else(|| format!("expected names of at most {TEXT_BYTES} bytes for the operation"))?;
        let given = Area::new(area.wrapping_add(place), bytes).copy();
        *text = String::from_utf8_lossy(&given).trim_end().to_owned();
    }
    Ok(found)
}

/// A number of 4 bytes, its highest byte first as in all programs that were translated.
fn number(area: *mut u8, place: usize) -> i32 {
    let bytes = Area::new(area.wrapping_add(place), 4).copy();
    i32::from_be_bytes(bytes.try_into().unwrap_or_default())
}

fn length(number: i32) -> Option<usize> {
    usize::try_from(number).ok()
}

/// An address that stands in an area.
fn address(area: *mut u8, place: usize) -> *mut u8 {
    let bytes = Area::new(area.wrapping_add(place), size_of::<usize>()).copy();
    std::ptr::with_exposed_provenance_mut(usize::from_ne_bytes(bytes.try_into().unwrap_or_default()))
}

fn put(area: *mut u8, place: usize, bytes: &[u8]) {
    Area::new(area.wrapping_add(place), bytes.len()).write(bytes);
}

fn put_number(area: *mut u8, place: usize, number: i32) {
    put(area, place, &number.to_be_bytes());
}

/// A message, cut or filled with blanks, and its length.
fn put_message(area: *mut u8, (place, length_place): (usize, usize), message: &str) {
    let bytes = &message.as_bytes()[..message.floor_char_boundary(MESSAGE_BYTES)];
    let mut filled = [b' '; MESSAGE_BYTES];
    filled[..bytes.len()].copy_from_slice(bytes);
    put(area, place, &filled);
    put_number(area, length_place, bytes.len() as i32);
}
