//! The outcome of a run over a file: how many records were read, and which did not fit.

use crate::error::Error;

/// How many records a run had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Records, or texts, that were read.
    pub read: u64,
    /// Those of them that did not fit, and were left out of what was written.
    pub rejected: u64,
    /// Values of records that were written as null, since the policies say so.
    pub nulls: u64,
}

/// A record, or a text, that does not fit the layout.
#[derive(Clone, Copy, Debug)]
pub struct Rejected<'a> {
    /// Its number in the file, from 1.
    pub number: u64,
    /// Bytes from the start of the file to its data, where it is a record.
    pub offset: Option<u64>,
    /// The record, or the text, as it is in the file: JSON, a row of CSV, an element of XML. Of a row of Parquet, its JSON.
    pub bytes: &'a [u8],
    /// The text before the first record of the file and behind the last one, in a document of XML.
    pub around: Option<(&'a [u8], &'a [u8])>,
    /// Why it does not fit.
    pub error: &'a Error,
}
