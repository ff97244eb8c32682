//! Cases in the form of the Spark source and writer for COBOL files: layouts, copybooks to refuse, data and JSON.

pub(super) mod data;
pub(super) mod encode;
mod framing;
pub(super) mod layout;
mod options;
mod records;
mod rules;
mod segments;
pub(super) mod syntax;
