//! COBOL in the process: GnuCOBOL's runtime library, the programs, their memory and their output.

pub(crate) mod address_map;
pub(crate) mod arguments;
pub(crate) mod calls;
pub(crate) mod commareas;
pub(crate) mod libcob;
pub(crate) mod output;
pub(crate) mod programs;
pub(crate) mod storage;
