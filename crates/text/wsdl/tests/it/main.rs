//! Foreign WSDLs become copybooks, or faults with their places.

mod golden;
mod limits;
mod random;
