//! Interceptors of WebAssembly: modules that are compiled when a configuration is loaded, and called in the gateway's
//! own process with limits of fuel, memory and time.
//!
//! A module exports `memory`, `gantry_abi() -> i32` (the version of this interface, [`ABI_VERSION`]),
//! `alloc(length: i32) -> i32`, `before(at: i32, length: i32) -> i64` and, if it wants to know how calls end,
//! `after(at: i32, length: i32)`. What it is given is one JSON object, written to the place that `alloc` gives. What
//! `before` gives back is the place of its answer in the upper 32 bits and the length in the lower; 0 is no answer.
//!
//! It may import three functions of the module `gantry`, and nothing else:
//! - `log(level: i32, at: i32, length: i32)`: 1 error, 2 warning, 3 information, 4 debug;
//! - `get(pointer_at: i32, pointer_length: i32, to: i32, to_max: i32) -> i32`: the value at a JSON pointer (RFC 6901) in
//!   the question: a string without its quotes, other values as JSON. Gives the length, or -1 if there is nothing or
//!   null; what is longer than `to_max` is not written;
//! - `set_header(name_at: i32, name_length: i32, value_at: i32, value_length: i32)`.
//!
//! Every call has an instance of its own, so that nothing is left of one request when the next one comes. Deliberately
//! absent: WASI, files, clocks, random numbers, threads, and any knowledge of HTTP or of what the JSON means.

mod call;
mod error;
mod host;
mod module;
mod text;

pub use call::{Answer, Call};
pub use error::{Error, Kind};
pub use host::{HEADER_MAX_BYTES, HEADERS_MAX, LOG_LINE_MAX_BYTES, LOG_LINES_MAX, Level, Line};
pub use module::{ABI_VERSION, Limits, MODULE_MAX_BYTES, Sandbox, TABLE_ELEMENTS_MAX};
