//! What WSDLs of others become: copybooks, or what is wrong with them, and where.

mod golden;
mod limits;
mod random;
