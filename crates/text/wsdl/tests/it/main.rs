//! Foreign WSDLs become copybooks, or faults with their places.

mod foreign;
mod golden;
mod headers;
mod limits;
mod random;
mod schemas;
