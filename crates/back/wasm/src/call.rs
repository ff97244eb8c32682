//! One call of a module: an instance of its own, the question in, the answer out.

use wasmtime::{Instance, Memory, ModuleExport, Store, StoreLimitsBuilder, WasmParams, WasmResults};

use crate::host::{Host, Line, range};
use crate::module::{Sandbox, TABLE_ELEMENTS_MAX};
use crate::{Error, Kind};

/// The end of a call, and the module's lines for the log.
#[derive(Debug)]
pub struct Call {
    /// Lines for the log, also of a call that failed.
    pub lines: Vec<Line>,
    /// How many lines were too many.
    pub lost_lines: usize,
    /// The result.
    pub result: Result<Answer, Error>,
}

/// The answer of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The bytes that it gave back, empty if it gave none. Nothing has looked at them.
    pub bytes: Vec<u8>,
    /// Names and values of headers, in the order in which it set them by `set_header`.
    pub headers: Vec<(String, String)>,
}

/// An instance that runs one call.
struct Running<'s> {
    sandbox: &'s Sandbox,
    store: Store<Host>,
    instance: Instance,
    memory: Memory,
}

impl Sandbox {
    /// Asks the module before a call. `question` is a JSON object.
    #[must_use]
    pub fn before(&self, question: Vec<u8>) -> Call {
        self.call(question, |running, place| {
            let packed: i64 = running.run(&self.exports.before, place)?;
            running.answer(packed)
        })
    }

    /// Tells the module how a call ended, if it wants to know. The answer is empty.
    #[must_use]
    pub fn after(&self, question: Vec<u8>) -> Call {
        let Some(after) = &self.exports.after else {
            return Call { lines: Vec::new(), lost_lines: 0, result: Ok(Answer::default()) };
        };
        self.call(question, |running, place| running.run(after, place).map(|()| Vec::new()))
    }

    /// The version that the module says it is of.
    pub(crate) fn version(&self) -> Result<i32, Error> {
        let mut store = self.store(Vec::new());
        self.start(&mut store).and_then(|(instance, memory)| {
            let mut running = Running { sandbox: self, store, instance, memory };
            running.run(&self.exports.version, ())
        })
    }

    fn call(
        &self,
        question: Vec<u8>,
        run: impl FnOnce(&mut Running<'_>, (i32, i32)) -> Result<Vec<u8>, Error>,
    ) -> Call {
        let mut store = self.store(question);
        let (instance, memory) = match self.start(&mut store) {
            Ok(started) => started,
            Err(error) => return ended(store, Err(error)),
        };
        let mut running = Running { sandbox: self, store, instance, memory };
        let result = running.give().and_then(|place| run(&mut running, place));
        ended(running.store, result)
    }

    fn store(&self, question: Vec<u8>) -> Store<Host> {
        let limits = StoreLimitsBuilder::new()
            .memory_size(self.limits.memory_max_bytes)
            .table_elements(TABLE_ELEMENTS_MAX)
            .instances(1)
            .memories(1)
            .build();
        let mut store = Store::new(&self.engine, Host::new(limits, question));
        store.limiter(|host| &mut host.limits);
        store.set_epoch_deadline(self.ticks);
        store
    }

    fn start(&self, store: &mut Store<Host>) -> Result<(Instance, Memory), Error> {
        store.set_fuel(self.limits.fuel_per_call).map_err(|error| Error::of_call(&error))?;
        let instance = self.ready.instantiate(&mut *store).map_err(|error| Error::of_call(&error))?;
        let memory = instance.get_module_export(&mut *store, &self.exports.memory);
        let memory = memory.and_then(wasmtime::Extern::into_memory);
        let memory = memory.ok_or_else(|| Error::new(Kind::Exports, "must export its memory as 'memory'"))?;
        Ok((instance, memory))
    }
}

fn ended(store: Store<Host>, result: Result<Vec<u8>, Error>) -> Call {
    let host = store.into_data();
    let Host { lines, lost_lines, headers, .. } = host;
    Call { lines, lost_lines, result: result.map(|bytes| Answer { bytes, headers }) }
}

impl Running<'_> {
    fn run<P: WasmParams, R: WasmResults>(
        &mut self,
        export: &ModuleExport,
        parameters: P,
    ) -> Result<R, Error> {
        let function = self.instance.get_module_export(&mut self.store, export);
        let function = function.and_then(wasmtime::Extern::into_func);
        let function = function.ok_or_else(|| Error::new(Kind::Exports, "an export is not a function"))?;
        let typed = function.typed::<P, R>(&self.store).map_err(|error| Error::of_call(&error))?;
        typed.call(&mut self.store, parameters).map_err(|error| Error::of_call(&error))
    }

    /// Writes the question to where the module wants it; gives place and length.
    fn give(&mut self) -> Result<(i32, i32), Error> {
        let bytes = self.store.data().question.len();
        let length = i32::try_from(bytes)
            .map_err(|_| Error::new(Kind::Bounds, format!("a question has {bytes} bytes")))?;
        let at: i32 = self.run(&self.sandbox.exports.alloc, length)?;
        let (data, host) = self.memory.data_and_store_mut(&mut self.store);
        let place = range(data.len(), "alloc", (at, length))?;
        data[place].copy_from_slice(&host.question);
        Ok((at, length))
    }

    /// The answer at a place that is packed with its length.
    fn answer(&self, packed: i64) -> Result<Vec<u8>, Error> {
        let (at, length) = unpack(packed);
        let data = self.memory.data(&self.store);
        let place = range(data.len(), "before", (at, length))?;
        let most = self.sandbox.limits.answer_max_bytes;
        if place.len() > most {
            let message =
                format!("before: expected an answer of at most {most} bytes, found {}", place.len());
            return Err(Error::new(Kind::Bounds, message));
        }
        Ok(data[place].to_vec())
    }
}

/// The upper and the lower 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "the halves are what is wanted")]
fn unpack(packed: i64) -> (i32, i32) {
    ((packed >> 32) as i32, packed as i32)
}
