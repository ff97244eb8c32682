//! COBOL in the process: the runtime library of GnuCOBOL, the programs, their memory and what they display.

pub(crate) mod address_map;
pub(crate) mod arguments;
pub(crate) mod calls;
pub(crate) mod commareas;
pub(crate) mod libcob;
pub(crate) mod output;
pub(crate) mod programs;
pub(crate) mod storage;
