//! Foreign WSDLs become copybooks, or faults with their places.

mod golden;
mod headers;
mod limits;
mod random;
