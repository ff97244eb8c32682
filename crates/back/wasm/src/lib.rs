//! Interceptors of WebAssembly: modules that are compiled when a configuration is loaded, and called in the gateway's
//! own process with limits of fuel, memory and time.
//!
//! A module exports:
//!
//! - `memory`,
//! - `gantry_abi() -> i32`: the version of this interface, [`ABI_VERSION`],
//! - `alloc(length: i32) -> i32`,
//! - `before(at: i32, length: i32) -> i64`,
//! - `after(at: i32, length: i32)`, if it wants to know how calls end.
//!
//! The module is given one JSON object, written to the place that `alloc` gives. `before` returns the place
//! of its answer in the upper 32 bits and the length in the lower. 0 means that there is no answer.
//!
//! It may import three functions of the module `gantry`, and nothing else:
//!
//! - `log(level: i32, at: i32, length: i32)`: 1 error, 2 warning, 3 information, 4 debug.
//! - `get(pointer_at: i32, pointer_length: i32, to: i32, to_max: i32) -> i32`: the value at a JSON pointer (RFC 6901)
//!   in the question. A string comes without its quotes, other values as JSON. The result is the length, or -1 if there
//!   is nothing or null. A value that is longer than `to_max` is not written.
//! - `set_header(name_at: i32, name_length: i32, value_at: i32, value_length: i32)`.
//!
//! The question and the answer are the JSON of external interceptors. `chains::asker` in the crate `recording` is what
//! both have in common. Deliberately absent: WASI, files, clocks, random numbers, threads, and any knowledge of HTTP or
//! of what the JSON means.
//!
//! # How it works
//!
//! A [`Sandbox`] is one module, compiled when the configuration is loaded, with all that a call needs looked up. Every
//! call has an instance of its own. So nothing of one request is left when the next one comes.
//!
//! A call runs on the thread of the gateway that serves the request. Fuel bounds its work. An epoch bounds its time,
//! because calls into the gateway cost no fuel; a thread of its own counts the epoch. The compiled code checks bounds
//! itself and does not use signals. So the process gets no new signal handlers, and a memory takes no more addresses
//! than bytes.

mod call;
mod error;
mod host;
mod module;
mod text;

pub use call::{Answer, Call};
pub use error::{Error, Kind};
pub use host::{HEADER_MAX_BYTES, HEADERS_MAX, LOG_LINE_MAX_BYTES, LOG_LINES_MAX, Level, Line};
pub use module::{ABI_VERSION, Limits, MODULE_MAX_BYTES, Sandbox, TABLE_ELEMENTS_MAX};
