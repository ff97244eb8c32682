//! A module as it is compiled and checked, once, when a configuration is loaded.

use std::time::Duration;

use wasmtime::{Config, Engine, ExternType, InstancePre, Linker, Module, ModuleExport, ValType};

use crate::host::{self, Host};
use crate::text::binary;
use crate::{Error, Kind};

/// The version of the interface between the gateway and a module.
pub const ABI_VERSION: i32 = 1;
/// The most bytes of a module, as text or in its binary form.
pub const MODULE_MAX_BYTES: usize = 8 * 1024 * 1024;
/// The most elements of a module's tables.
pub const TABLE_ELEMENTS_MAX: usize = 64 * 1024;

/// How often a running module is asked whether its time is over.
const TICK: Duration = Duration::from_millis(10);
/// The most bytes of a module's call stack.
const STACK_MAX_BYTES: usize = 256 * 1024;

/// The limits of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Units of fuel: an instruction is about one.
    pub fuel_per_call: u64,
    /// Bytes of its memory.
    pub memory_max_bytes: usize,
    /// Bytes of its answer.
    pub answer_max_bytes: usize,
    /// How long it may run, to about 20 ms.
    pub timeout: Duration,
}

/// A module that is ready to be called, by any number of threads at once.
pub struct Sandbox {
    pub(crate) engine: Engine,
    pub(crate) ready: InstancePre<Host>,
    pub(crate) exports: Exports,
    pub(crate) limits: Limits,
    /// The time limit in ticks of the engine's epoch.
    pub(crate) ticks: u64,
}

/// Where the functions of a module are.
pub(crate) struct Exports {
    pub(crate) memory: ModuleExport,
    pub(crate) version: ModuleExport,
    pub(crate) alloc: ModuleExport,
    pub(crate) before: ModuleExport,
    pub(crate) after: Option<ModuleExport>,
}

impl std::fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sandbox").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl Sandbox {
    /// Compiles a module from its binary form or its text, and asks it for its version.
    ///
    /// # Errors
    /// It is too large, is not a valid module, or imports something that does not exist. Or it lacks an
    /// export, has one of another type, cannot be started within the limits, or is of another version than
    /// [`ABI_VERSION`].
    pub fn compile(source: &[u8], limits: Limits) -> Result<Self, Error> {
        if source.len() > MODULE_MAX_BYTES {
            let message = format!("expected at most {MODULE_MAX_BYTES} bytes, found {}", source.len());
            return Err(Error::new(Kind::Module, message));
        }
        let bytes = binary(source)?;
        let engine = engine()?;
        let module = Module::new(&engine, &bytes)
            .map_err(|error| Error::new(Kind::Module, format!("is not a valid module: {error:#}")))?;
        check_imports(&module)?;
        let exports = Exports::of(&module)?;
        let mut linker = Linker::new(&engine);
        host::define(&mut linker).map_err(|error| Error::new(Kind::System, format!("{error:#}")))?;
        let ready = linker
            .instantiate_pre(&module)
            .map_err(|error| Error::new(Kind::Imports, format!("{error:#}")))?;
        let ticks = limits.timeout.as_millis().div_ceil(TICK.as_millis());
        let ticks = u64::try_from(ticks).unwrap_or(u64::MAX).saturating_add(1);
        tick(&engine)?;
        let sandbox = Self { engine, ready, exports, limits, ticks };
        sandbox.check_version()?;
        Ok(sandbox)
    }

    /// True if it wants to hear how calls ended.
    #[must_use]
    pub fn has_after(&self) -> bool {
        self.exports.after.is_some()
    }

    fn check_version(&self) -> Result<(), Error> {
        match self.version()? {
            ABI_VERSION => Ok(()),
            other => {
                let message = format!("expected gantry_abi to give {ABI_VERSION}, found {other}");
                Err(Error::new(Kind::Exports, message))
            }
        }
    }
}

/// An engine without features that modules do not need. Its traps are explicit checks in the code, so that
/// the process has no signal handlers for them. A memory takes no more addresses than it may have bytes.
fn engine() -> Result<Engine, Error> {
    let mut config = Config::new();
    config
        .consume_fuel(true)
        .epoch_interruption(true)
        .signals_based_traps(false)
        .memory_reservation(0)
        .memory_guard_size(0)
        .memory_reservation_for_growth(0)
        .max_wasm_stack(STACK_MAX_BYTES)
        .wasm_backtrace_max_frames(None)
        .wasm_multi_memory(false)
        .wasm_memory64(false);
    Engine::new(&config).map_err(|error| Error::new(Kind::System, format!("{error:#}")))
}

/// Lets the engine's epoch go on, as long as there is the engine.
fn tick(engine: &Engine) -> Result<(), Error> {
    let engine = engine.weak();
    let run = move || {
        while let Some(engine) = engine.upgrade() {
            engine.increment_epoch();
            drop(engine);
            std::thread::sleep(TICK);
        }
    };
    let started = std::thread::Builder::new().name("wasm-epoch".to_owned()).spawn(run);
    started
        .map(drop)
        .map_err(|error| Error::new(Kind::System, format!("no thread for its time limit: {error}")))
}

fn check_imports(module: &Module) -> Result<(), Error> {
    let is_ours = |import: &wasmtime::ImportType<'_>| {
        import.module() == host::MODULE && host::FUNCTIONS.contains(&import.name())
    };
    let foreign: Vec<String> = module
        .imports()
        .filter(|import| !is_ours(import))
        .map(|import| format!("{}.{}", import.module(), import.name()))
        .collect();
    if foreign.is_empty() {
        return Ok(());
    }
    let ours = host::FUNCTIONS.map(|name| format!("{}.{name}", host::MODULE)).join(", ");
    Err(Error::new(Kind::Imports, format!("may import {ours}; found {}", foreign.join(", "))))
}

impl Exports {
    fn of(module: &Module) -> Result<Self, Error> {
        let found = Self::find(module);
        found.map_err(|message| Error::new(Kind::Exports, message))
    }

    fn find(module: &Module) -> Result<Self, String> {
        use ValType::{I32, I64};
        let memory = match module.get_export("memory") {
            Some(ExternType::Memory(_)) => module.get_export_index("memory"),
            _ => None,
        };
        let after = module.get_export("after").is_some();
        Ok(Self {
            memory: memory.ok_or("must export its memory as 'memory'")?,
            version: function(module, "gantry_abi", (&[], &[I32]))?,
            alloc: function(module, "alloc", (&[I32], &[I32]))?,
            before: function(module, "before", (&[I32, I32], &[I64]))?,
            after: if after { Some(function(module, "after", (&[I32, I32], &[]))?) } else { None },
        })
    }
}

/// A function that a module must export, with the types of its parameters and results.
fn function(
    module: &Module,
    name: &str,
    (parameters, results): (&[ValType], &[ValType]),
) -> Result<ModuleExport, String> {
    let expected = || format!("must export a function '{name}': {}", signature(parameters, results));
    let export = module.get_export(name).ok_or_else(expected)?;
    let ExternType::Func(found) = export else { return Err(expected()) };
    let (given, gives): (Vec<ValType>, Vec<ValType>) = (found.params().collect(), found.results().collect());
    let is_same =
        |a: &[ValType], b: &[ValType]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| ValType::eq(a, b));
    if !is_same(&given, parameters) || !is_same(&gives, results) {
        return Err(format!("{}; found {}", expected(), signature(&given, &gives)));
    }
    module.get_export_index(name).ok_or_else(expected)
}

fn signature(parameters: &[ValType], results: &[ValType]) -> String {
    let list = |types: &[ValType]| types.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    format!("({}) -> ({})", list(parameters), list(results))
}
