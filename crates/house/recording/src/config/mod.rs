//! The sections of this crate: `[[interceptor]]`, `policy` and the rule sets, `[interceptors]` of an API, and `[traces]`.

mod interceptors;
#[cfg(feature = "wasm")]
mod module;
mod traces;
mod written;

pub use interceptors::{ANSWER_MAX_BYTES, Around, Interceptors};
pub use traces::TracesSection;
pub use written::{ChainSection, InterceptorSection};
