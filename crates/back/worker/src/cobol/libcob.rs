//! GnuCOBOL's runtime library, loaded while the worker runs: nothing of it is linked.
//!
//! The places in libcob's structures are those of versions 3.1 and 3.2, whose headers promise not to move them;
//! every program is checked against them when it first runs.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::path::Path;
use std::sync::OnceLock;

use rustix::process::Signal;

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};

use crate::cobol::output::StreamFunctions;

/// The file of GnuCOBOL 3's runtime library.
const FILE_NAME: &str = "libcob.so.4";

/// The signals of a program that did something impossible.
const CRASH_SIGNALS: [i32; 4] =
    [Signal::SEGV.as_raw(), Signal::BUS.as_raw(), Signal::FPE.as_raw(), Signal::ILL.as_raw()];

/// `_IONBF` of the C library.
const UNBUFFERED: c_int = 2;

/// `SIG_DFL` of the C library.
const SIGNAL_DEFAULT: usize = 0;

/// The function of a program, with the EXEC interface block and the commarea.
pub(crate) type Entry = unsafe extern "C-unwind" fn(*mut u8, *mut u8) -> c_int;

/// The address of the function that a CALL reaches; null for none.
pub(crate) type Called = *const c_void;

/// `cob_resolve_cobol`.
pub(crate) type ResolveName = unsafe extern "C-unwind" fn(*const c_char, c_int, c_int) -> Called;

/// `cob_call_field`.
pub(crate) type ResolveField =
    unsafe extern "C-unwind" fn(*const CobolField, *const ContainedProgram, c_uint, c_int) -> Called;

/// The beginning of `cob_field`.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct CobolField {
    bytes: usize,
    data: *const u8,
}

impl CobolField {
    /// The bytes in the field.
    ///
    /// # Safety
    /// The field has storage, which does not change meanwhile.
    pub(crate) unsafe fn text(&self) -> &[u8] {
        match self.data.is_null() {
            true => &[],
            // SAFETY: the caller says so.
            false => unsafe { std::slice::from_raw_parts(self.data, self.bytes) },
        }
    }
}

/// `cob_call_struct`: a program that stands within another one.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct ContainedProgram {
    name: *const c_char,
    call: *const c_void,
    cancel: *const c_void,
}

impl ContainedProgram {
    /// True if a program of that name is in the list.
    ///
    /// # Safety
    /// `list` is null, or a list that ends with a program without a name.
    pub(crate) unsafe fn list_has(list: *const Self, name: &[u8]) -> bool {
        let mut left = list;
        // SAFETY: the caller says so.
        unsafe {
            while !left.is_null() && !(*left).name.is_null() {
                if CStr::from_ptr((*left).name).to_bytes().eq_ignore_ascii_case(name) {
                    return true;
                }
                left = left.add(1);
            }
        }
        false
    }
}

/// The beginning of `cob_module`.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Module {
    next: *mut Module,
    parameters: *mut c_void,
    name: *const c_char,
    date: *const c_char,
    source: *const c_char,
    entry: *const c_void,
    cancel: Option<unsafe extern "C-unwind" fn(c_int) -> c_int>,
    collating_sequence: *const c_void,
    crt_status: *mut c_void,
    cursor: *mut c_void,
    reference_count: *mut u32,
    path: *mut *const c_char,
    active: u32,
}

/// The beginning of `cob_global`.
#[repr(C)]
struct Global {
    error_file: *mut c_void,
    current: *mut Module,
}

/// The library.
#[derive(Debug)]
pub(crate) struct Libcob {
    global: *mut Global,
    cancel: unsafe extern "C-unwind" fn(*const c_char),
    set_cancel: unsafe extern "C-unwind" fn(*mut Module),
    check_version: unsafe extern "C-unwind" fn(*const c_char, *const c_char, c_int),
    parameter_count: unsafe extern "C-unwind" fn() -> c_int,
    parameter_bytes: unsafe extern "C-unwind" fn(c_int) -> c_int,
    number: unsafe extern "C-unwind" fn(c_int) -> i64,
    set_number: unsafe extern "C-unwind" fn(c_int, i64),
    resolve_name: ResolveName,
    resolve_field: ResolveField,
}

// SAFETY: a worker has one thread that runs programs; the library is loaded before and never unloaded.
unsafe impl Send for Libcob {}
// SAFETY: as above; only that thread calls it.
unsafe impl Sync for Libcob {}

static LIBCOB: OnceLock<Libcob> = OnceLock::new();

/// Loads and starts the library.
///
/// # Errors
/// It is not installed, or is of another version than 3: the reason for people.
pub(crate) fn load() -> Result<&'static Libcob, String> {
    let missing = |error| {
        format!(
            "GnuCOBOL's runtime library {FILE_NAME} cannot be loaded: install Debian's package gnucobol3 ({error})"
        )
    };
    // SAFETY: the library's initialisers do nothing but set up itself.
    let library = unsafe { Library::open(Some(FILE_NAME), RTLD_NOW | RTLD_GLOBAL) }.map_err(missing)?;
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: the functions have these types in versions 3 and 4 alike (libcob/common.h).
    let global = unsafe {
        let version: unsafe extern "C" fn(*mut c_int, *mut c_int, *mut c_int) -> c_int =
            symbol(&library, c"set_libcob_version")?;
        version(&mut major, &mut minor, &mut patch);
        if major != 3 || minor < 1 {
            return Err(refused(major, minor));
        }
        let init: unsafe extern "C" fn(c_int, *mut *mut c_char) = symbol(&library, c"cob_init")?;
        init(0, std::ptr::null_mut());
        gather_output(&library)?;
        let signal: SetHandler = symbol(&library, c"signal")?;
        let _ = SIGNAL.set(signal);
        for number in CRASH_SIGNALS {
            signal(number, crashed as *const () as usize);
        }
        let global: unsafe extern "C" fn() -> *mut Global = symbol(&library, c"cob_get_global_ptr")?;
        global()
    };
    // SAFETY: as above.
    let libcob = unsafe {
        Libcob {
            global,
            cancel: symbol(&library, c"cob_cancel")?,
            set_cancel: symbol(&library, c"cob_set_cancel")?,
            check_version: symbol(&library, c"cob_check_version")?,
            parameter_count: symbol(&library, c"cob_get_num_params")?,
            parameter_bytes: symbol(&library, c"cob_get_param_size")?,
            number: symbol(&library, c"cob_get_s64_param")?,
            set_number: symbol(&library, c"cob_put_s64_param")?,
            resolve_name: symbol(&library, c"cob_resolve_cobol")?,
            resolve_field: symbol(&library, c"cob_call_field")?,
        }
    };
    // Never unloaded.
    std::mem::forget(library);
    Ok(LIBCOB.get_or_init(|| libcob))
}

/// `signal` of the C library.
type SetHandler = unsafe extern "C" fn(c_int, usize) -> usize;

static SIGNAL: OnceLock<SetHandler> = OnceLock::new();

/// A program has crashed. Its output is saved, and the process ends by its signal, so that the region knows
/// the reason.
extern "C" fn crashed(number: c_int) {
    crate::cobol::output::save();
    if let Some(signal) = SIGNAL.get() {
        // SAFETY: it has this type. The faulting instruction, or a signal that was sent, comes again and ends the process.
        unsafe { signal(number, SIGNAL_DEFAULT) };
    }
    let own = rustix::process::getpid();
    if let Some(number) = Signal::from_named_raw(number) {
        let _ = rustix::process::kill_process(own, number);
    }
}

/// Makes the C library's standard output and error streams whose text goes to the region.
///
/// # Safety
/// Nothing is in the library's streams that must still be written, and nobody uses them now.
unsafe fn gather_output(library: &Library) -> Result<(), String> {
    type Open = unsafe extern "C" fn(*mut c_void, *const c_char, StreamFunctions) -> *mut c_void;
    type SetBuffer = unsafe extern "C" fn(*mut c_void, *mut c_char, c_int, usize) -> c_int;
    // SAFETY: the functions and variables have these types in the C library, which libcob brings; a stream's functions are ours and
    // are never gone.
    unsafe {
        let open: Open = symbol(library, c"fopencookie")?;
        let set_buffer: SetBuffer = symbol(library, c"setvbuf")?;
        for name in [c"stdout", c"stderr"] {
            let place: *mut *mut c_void = symbol(library, name)?;
            let stream = open(std::ptr::null_mut(), c"w".as_ptr(), StreamFunctions::GATHER);
            if stream.is_null() {
                return Err("the C library has no memory for a stream".to_owned());
            }
            set_buffer(stream, std::ptr::null_mut(), UNBUFFERED, 0);
            *place = stream;
        }
    }
    Ok(())
}

fn refused(major: c_int, minor: c_int) -> String {
    let reason = match major {
        4 => ": version 4 is an unfinished snapshot of 2020, without indexed files",
        _ => "",
    };
    format!("expected GnuCOBOL 3.1 or 3.2 (Debian's package gnucobol3), found {major}.{minor}{reason}")
}

/// libcob counts arguments from 1.
fn ordinal(index: usize) -> c_int {
    c_int::try_from(index + 1).unwrap_or(c_int::MAX)
}

/// A function of a library.
///
/// # Safety
/// It has the type `T`.
unsafe fn symbol<T: Copy>(library: &Library, name: &CStr) -> Result<T, String> {
    // SAFETY: the caller says so.
    unsafe { library.get::<T>(name.to_bytes_with_nul()) }
        .map(|symbol| *symbol)
        .map_err(|error| format!("{FILE_NAME}: {error}"))
}

impl Libcob {
    /// The module that runs now; null if none does.
    pub(crate) fn current(&self) -> *mut Module {
        // SAFETY: libcob keeps the structure as long as the process lives.
        unsafe { (*self.global).current }
    }

    /// Goes back to a module after those above it were left without their own ends: they are no longer active.
    ///
    /// # Safety
    /// `module` is null, or a module below the current one.
    pub(crate) unsafe fn unwind_to(&self, module: *mut Module) {
        // SAFETY: the chain leads from the current module to the first one, and `module` is in it.
        unsafe {
            let mut left = (*self.global).current;
            while !left.is_null() && left != module {
                (*left).active = 0;
                left = (*left).next;
            }
            (*self.global).current = left;
        }
    }

    /// Tells libcob of a module that begins, as the module itself would have.
    ///
    /// # Safety
    /// `module` is one, with the name under which CALL may find it.
    pub(crate) unsafe fn announce(&self, module: *mut Module) {
        // SAFETY: the caller says so.
        unsafe { (self.set_cancel)(module) }
    }

    /// Frees a module's storage, so that its next run has it fresh, by its name among those that were announced.
    ///
    /// # Safety
    /// `module` has been announced, is not active, and is not used again by this pointer.
    pub(crate) unsafe fn cancel(&self, module: *mut Module) {
        // SAFETY: the name is a constant of the program.
        unsafe { (self.cancel)((*module).name) }
    }

    /// Ends the process if a module is of a later version than libcob.
    ///
    /// # Safety
    /// `source` and `package` are texts.
    pub(crate) unsafe fn check_version(&self, source: *const c_char, package: *const c_char, patch: c_int) {
        // SAFETY: the caller says so.
        unsafe { (self.check_version)(source, package, patch) }
    }

    /// The function that a CALL of this name reaches.
    ///
    /// # Safety
    /// `name` is a text.
    pub(crate) unsafe fn resolve_name(&self, name: *const c_char, fold: c_int, ends: c_int) -> Called {
        // SAFETY: the caller says so.
        unsafe { (self.resolve_name)(name, fold, ends) }
    }

    /// The function that a CALL of the name in this field reaches.
    ///
    /// # Safety
    /// As for `cob_call_field`.
    pub(crate) unsafe fn resolve_field(
        &self,
        field: *const CobolField,
        contained: *const ContainedProgram,
        (ends, fold): (c_uint, c_int),
    ) -> Called {
        // SAFETY: the caller says so.
        unsafe { (self.resolve_field)(field, contained, ends, fold) }
    }

    /// How many arguments the CALL has that is being carried out.
    pub(crate) fn parameter_count(&self) -> usize {
        // SAFETY: libcob counts them for every CALL.
        usize::try_from(unsafe { (self.parameter_count)() }).unwrap_or(0)
    }

    /// The length of an argument of the CALL, from 0; 0 for one that is OMITTED or missing.
    pub(crate) fn parameter_bytes(&self, index: usize) -> usize {
        // SAFETY: libcob refuses numbers of arguments that there are not.
        usize::try_from(unsafe { (self.parameter_bytes)(ordinal(index)) }).unwrap_or(0)
    }

    /// An argument of the CALL as a number, whatever its usage.
    pub(crate) fn number(&self, index: usize) -> i64 {
        // SAFETY: as above.
        unsafe { (self.number)(ordinal(index)) }
    }

    /// Moves a number to an argument of the CALL, whatever its usage.
    pub(crate) fn set_number(&self, index: usize, number: i64) {
        // SAFETY: as above.
        unsafe { (self.set_number)(ordinal(index), number) }
    }

    /// Loads a program.
    ///
    /// # Errors
    /// The file cannot be loaded, or does not have the program.
    pub(crate) fn program(&self, file: &Path, symbol_name: &CStr) -> Result<Entry, String> {
        let shown = |error| format!("{error}");
        // SAFETY: programs are what the region runs, in this process for that reason; what they do when they are
        // loaded, they could do when they run.
        let library = unsafe { Library::open(Some(file), RTLD_NOW) }.map_err(shown)?;
        // SAFETY: a program has this type (docs/reference/exec-cics-interface.md).
        let entry = unsafe { symbol(&library, symbol_name) };
        // Never unloaded: plans, labels and libcob's own tables point into it.
        std::mem::forget(library);
        entry
    }
}

impl Module {
    /// True if the module is that of a program's function.
    ///
    /// # Safety
    /// `module` is one.
    pub(crate) unsafe fn is_of(module: *mut Module, entry: Entry) -> bool {
        // SAFETY: the caller says so.
        unsafe { (*module).entry == entry as *const c_void }
    }

    /// True if the module runs, or waits for one that it called.
    ///
    /// # Safety
    /// `module` is one.
    pub(crate) unsafe fn is_active(module: *mut Module) -> bool {
        // SAFETY: the caller says so.
        unsafe { (*module).active > 0 }
    }

    /// Frees the storage of a module that was not announced.
    ///
    /// # Safety
    /// `module` is one that is not active, and is not used again by this pointer.
    pub(crate) unsafe fn cancel(module: *mut Module) {
        // SAFETY: what libcob's own CANCEL does; generated code frees the storage at -1.
        unsafe {
            if let Some(cancel) = (*module).cancel {
                cancel(-1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn other_versions_are_refused_with_the_reason() {
        assert!(super::refused(4, 0).contains("found 4.0: version 4 is an unfinished snapshot"));
        assert!(super::refused(2, 2).ends_with("found 2.2"));
    }
}
