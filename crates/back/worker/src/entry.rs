//! The functions that programs find in a worker's process: commands, and the functions of libcob that the
//! worker must watch.
//!
//! The executable exports them (`exports.txt`, which the build scripts read), so that they are found before libcob's own.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_uint};

use program::interface::xml::Parse;
use wire::FromWorker;

use crate::called::api_calls::{self, ElementCall, HostCall, StubCall};
use crate::called::{callable, message_calls, xml_parse};
use crate::cobol::arguments::{Arguments, FrameHead};
use crate::cobol::libcob::{Called, CobolField, ContainedProgram, Module, ResolveField, ResolveName};
use crate::cobol::{calls, output};
use crate::task;

/// Keeps the linker from leaving the functions out: nothing in Rust calls them.
#[used]
static KEPT: (
    unsafe extern "C-unwind" fn(*mut FrameHead, *const u8) -> c_int,
    extern "C-unwind" fn(*mut FrameHead) -> c_int,
    unsafe extern "C-unwind" fn(*mut Module),
    extern "C-unwind" fn(c_int) -> !,
    unsafe extern "C-unwind" fn(*const c_char, *const c_char, c_int),
) = (gantry_exec, gantry_after_call, cob_set_cancel, cob_stop_run, cob_check_version);

/// The same for the function of XML PARSE.
#[used]
static KEPT_FOR_XML: unsafe extern "C-unwind" fn(*mut FrameHead, *mut Parse) -> c_int = gantry_xml;

/// The same for the functions with which libcob looks up a CALL.
#[used]
static KEPT_FOR_CALLS: (ResolveName, ResolveField) = (cob_resolve_cobol, cob_call_field);

/// The same for the functions that programs CALL to reach remote APIs.
#[used]
static KEPT_FOR_APIS: (StubFunction, [HostFunction; 3], [SimpleHostFunction; 4]) =
    (baq_stub, [baq_execute, baq_get_next, baq_put_next], [baq_stub_end, baq_begin, baq_free, baq_end]);

type StubFunction =
    extern "C-unwind" fn(*mut u8, *mut u8, *mut u8, *mut u8, *mut u8, *mut u8, *mut u8) -> c_int;
type HostFunction = extern "C-unwind" fn(*mut u8, *mut u8, *mut u8, *mut u8) -> c_int;
type SimpleHostFunction = extern "C-unwind" fn(*mut u8) -> c_int;

/// A service of Language Environment. It gets the addresses of its arguments; only those that the program
/// gave exist.
type ServiceFunction =
    extern "C-unwind" fn(Place, Place, Place, Place, Place, Place, Place, Place, Place) -> c_int;
type Place = *mut u8;

macro_rules! services {
    ($count:literal: $($export:literal $function:ident;)*) => {
        $(
            #[unsafe(export_name = $export)]
            extern "C-unwind" fn $function(
                a: Place, b: Place, c: Place, d: Place, e: Place, f: Place, g: Place, h: Place, i: Place,
            ) -> c_int {
                callable::call($export, [a, b, c, d, e, f, g, h, i])
            }
        )*

        /// The same for the services of Language Environment.
        #[used]
        static KEPT_SERVICES: [ServiceFunction; $count] = [$($function),*];
    };
}

services! { 21:
    "CEEDAYS" ceedays;
    "CEECBLDY" ceecbldy;
    "CEEDATE" ceedate;
    "CEEDATM" ceedatm;
    "CEESECS" ceesecs;
    "CEEDYWK" ceedywk;
    "CEEISEC" ceeisec;
    "CEESECI" ceeseci;
    "CEELOCT" ceeloct;
    "CEEGMT" ceegmt;
    "CEEUTC" ceeutc;
    "CEEGMTO" ceegmto;
    "CEEQCEN" ceeqcen;
    "CEESCEN" ceescen;
    "CEE3ABD" cee3abd;
    "CEE3AB2" cee3ab2;
    "CEE3DMP" cee3dmp;
    "CEEMOUT" ceemout;
    "CEEGTST" ceegtst;
    "CEEFRST" ceefrst;
    "ILBOABN0" ilboabn0;
}

/// A call of the Message Queue Interface. It gets the addresses of its parameters; only those that the
/// program gave exist.
type MessageFunction = extern "C-unwind" fn(
    Place,
    Place,
    Place,
    Place,
    Place,
    Place,
    Place,
    Place,
    Place,
    Place,
    Place,
) -> c_int;

macro_rules! message_calls {
    ($count:literal: $($export:literal $function:ident;)*) => {
        $(
            #[unsafe(export_name = $export)]
            extern "C-unwind" fn $function(
                a: Place, b: Place, c: Place, d: Place, e: Place, f: Place, g: Place, h: Place, i: Place, j: Place, k: Place,
            ) -> c_int {
                message_calls::call($export, [a, b, c, d, e, f, g, h, i, j, k])
            }
        )*

        /// The same for the calls of the Message Queue Interface.
        #[used]
        static KEPT_MESSAGE_CALLS: [MessageFunction; $count] = [$($function),*];
    };
}

message_calls! { 19:
    "MQBACK" mqback;
    "MQCLOSE" mqclose;
    "MQCMIT" mqcmit;
    "MQCONN" mqconn;
    "MQCONNX" mqconnx;
    "MQCRTMH" mqcrtmh;
    "MQDISC" mqdisc;
    "MQDLTMH" mqdltmh;
    "MQDLTMP" mqdltmp;
    "MQGET" mqget;
    "MQINQ" mqinq;
    "MQINQMP" mqinqmp;
    "MQOPEN" mqopen;
    "MQPUT" mqput;
    "MQPUT1" mqput1;
    "MQSET" mqset;
    "MQSETMP" mqsetmp;
    "MQSUB" mqsub;
    "MQSUBRQ" mqsubrq;
}

/// BAQCSTUB: calls a remote API.
#[unsafe(export_name = "BAQCSTUB")]
extern "C-unwind" fn baq_stub(
    operation: *mut u8,
    _request_info: *mut u8,
    request_address: *mut u8,
    request_length: *mut u8,
    response_info: *mut u8,
    response_address: *mut u8,
    response_length: *mut u8,
) -> c_int {
    api_calls::stub(&StubCall {
        operation,
        request_address,
        request_length,
        response_info,
        response_address,
        response_length,
    });
    0
}

/// BAQCTERM: the program has no connection of its own to close.
#[unsafe(export_name = "BAQCTERM")]
extern "C-unwind" fn baq_stub_end(_response_info: *mut u8) -> c_int {
    0
}

#[unsafe(export_name = "BAQINIT")]
extern "C-unwind" fn baq_begin(connection: *mut u8) -> c_int {
    api_calls::begin(connection)
}

#[unsafe(export_name = "BAQEXEC")]
extern "C-unwind" fn baq_execute(
    connection: *mut u8,
    operation: *mut u8,
    request: *mut u8,
    response: *mut u8,
) -> c_int {
    api_calls::execute(&HostCall { connection, operation, request, response })
}

#[unsafe(export_name = "BAQGETN")]
extern "C-unwind" fn baq_get_next(
    connection: *mut u8,
    name: *mut u8,
    element: *mut u8,
    length: *mut u8,
) -> c_int {
    api_calls::get_next(&ElementCall { connection, name, element, length })
}

#[unsafe(export_name = "BAQPUTN")]
extern "C-unwind" fn baq_put_next(
    connection: *mut u8,
    name: *mut u8,
    element: *mut u8,
    length: *mut u8,
) -> c_int {
    api_calls::put_next(&ElementCall { connection, name, element, length })
}

#[unsafe(export_name = "BAQFREE")]
extern "C-unwind" fn baq_free(connection: *mut u8) -> c_int {
    api_calls::free(connection)
}

#[unsafe(export_name = "BAQTERM")]
extern "C-unwind" fn baq_end(connection: *mut u8) -> c_int {
    api_calls::end(connection)
}

/// Carries out a command (`docs/reference/exec-cics-interface.md`).
///
/// # Safety
/// `frame` and `command` are those of a translated program, as the reference describes them.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn gantry_exec(frame: *mut FrameHead, command: *const u8) -> c_int {
    // SAFETY: the program's command is a constant of it.
    let plan = task::with(|runtime| unsafe { runtime.plans.of(command) });
    match plan {
        // SAFETY: the program waits for us, and its frame has room for all its commands.
        Some(Ok(plan)) => task::execute(&unsafe { Arguments::new(plan, frame) }),
        Some(Err(bad)) => task::refuse(frame.addr(), &bad.to_string()),
        None => std::process::exit(1),
    }
}

/// Gives the place where a program goes on after a CALL of COBOL.
#[unsafe(no_mangle)]
extern "C-unwind" fn gantry_after_call(frame: *mut FrameHead) -> c_int {
    task::after_call(frame.addr())
}

/// Gives a program the next event of an XML PARSE (`docs/reference/exec-cics-interface.md`).
///
/// # Safety
/// `parse` is that of a translated program, as the reference describes it.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn gantry_xml(frame: *mut FrameHead, parse: *mut Parse) -> c_int {
    // SAFETY: the item is the program's, which waits.
    xml_parse::next(frame.addr(), unsafe { &mut *parse })
}

/// A module begins with fresh storage. libcob learns of it, and so does the link level, which frees the
/// storage at its end.
///
/// # Safety
/// `module` is one of libcob's.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn cob_set_cancel(module: *mut Module) {
    task::with(|runtime| runtime.module_begins(module));
}

/// The abend of a fault that libcob has found. Bytes that are not numeric are a data exception, which is ASRA under CICS.
fn abend_of(fault: Option<String>) -> ([u8; 4], String) {
    match fault {
        Some(fault) if fault.contains(" not numeric: ") => (*b"ASRA", fault),
        Some(fault) => (*b"4038", fault),
        None => (*b"4038", "a run-time error of GnuCOBOL, or STOP RUN with RETURN-CODE 1".to_owned()),
    }
}

/// STOP RUN, or a fault that libcob has found: the task has failed, and the process ends.
#[unsafe(no_mangle)]
extern "C-unwind" fn cob_stop_run(status: c_int) -> ! {
    // A worker that another command has borrowed is beyond telling; its end alone says enough.
    let _ = std::panic::catch_unwind(|| {
        task::with(|runtime| {
            let fault = output::fault();
            runtime.tell_output();
            let (code, message) = match status {
                1 => abend_of(fault),
                _ => (*b"GSTP", format!("STOP RUN with RETURN-CODE {status}")),
            };
            let abend = runtime.abend(code, message);
            runtime.keep_state();
            runtime.tell_end(Some(&abend));
            let task::Abend { code, program, message } = abend;
            runtime.door.tell(&FromWorker::Abended { code, program, message, last: true })
        })
    });
    crate::end()
}

/// A module asks, each time that its storage is fresh, whether libcob is of its version. Once is enough: libcob reads
/// version numbers out of texts, which takes a quarter of a LINK.
///
/// # Safety
/// `source` and `package` are texts, constants of a module.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn cob_check_version(source: *const c_char, package: *const c_char, patch: c_int) {
    let libcob = task::with(|runtime| runtime.checked.insert(source.addr()).then_some(runtime.libcob));
    if let Some(Some(libcob)) = libcob {
        // SAFETY: the arguments are those for libcob. The runtime is not borrowed: what is of another version ends here.
        unsafe { libcob.check_version(source, package, patch) };
    }
}

/// Looks up the function for a CALL of a literal.
///
/// # Safety
/// `name` is a text.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn cob_resolve_cobol(name: *const c_char, fold: c_int, ends: c_int) -> Called {
    // SAFETY: the caller says so.
    let shown = unsafe { CStr::from_ptr(name) }.to_bytes();
    match calls::admit(shown, ends != 0) {
        // SAFETY: the arguments are those for libcob.
        Ok(libcob) => unsafe { libcob.resolve_name(name, fold, ends) },
        Err(refused) => refused,
    }
}

/// Looks up the function for a CALL of a field.
///
/// # Safety
/// `field` is one of libcob's, and `contained` null or a list that ends with a program without a name.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn cob_call_field(
    field: *const CobolField,
    contained: *const ContainedProgram,
    ends: c_uint,
    fold: c_int,
) -> Called {
    // SAFETY: the caller says so.
    let (name, is_contained) = unsafe {
        let name = (*field).text().trim_ascii_end();
        (name, ContainedProgram::list_has(contained, name))
    };
    let admitted = match is_contained {
        true => calls::libcob(),
        false => calls::admit(name, ends != 0),
    };
    match admitted {
        // SAFETY: the arguments are those for libcob.
        Ok(libcob) => unsafe { libcob.resolve_field(field, contained, (ends, fold)) },
        Err(refused) => refused,
    }
}
