//! Files of records: telling one record from the next, and turning whole files into JSON, CSV or Parquet and back.
//!
//! A [`RecordReader`] finds the records of a file in any [`RecordFormat`], a [`RecordWriter`] writes them. Both stream:
//! memory does not grow with the file.
//!
//! Deliberately absent: what a record means (a [`record::Bind`] knows that), and opening files by name. Everything
//! works on [`std::io::Read`] and [`std::io::Write`].
//!
//! # How it works
//!
//! `Format` is what a user says of a file. `Framing` is the same, checked against one layout. [`RecordReader`] gives
//! each record as a slice of the block that was read. It copies only what is put together: segments, and lines with
//! their blanks.
//!
//! [`Decode`] renders records into one buffer that a [`Sink`] takes. Threads get batches in turn and give them back in
//! the same order. CSV and Parquet are made from the bind's JSON and its schema, so every policy of the bind holds for
//! them too.
//!
//! `csv/write.rs` writes a line of CSV while it reads the record's JSON; both are in the plan's order. `csv/rows.rs`
//! knows where each cell of a file is. `xml.rs` cuts a document between records, and the bind's reader judges
//! everything else.
//!
//! [`Explainer`] walks the layout field by field and goes on after a fault. The bind, which is fast, stops at the
//! first.

mod csv;
mod cursor;
mod decode;
mod encode;
mod error;
mod explain;
mod extent;
mod format;
mod hints;
mod input;
mod outcome;
#[cfg(feature = "parquet")]
mod parquet;
mod reader;
mod writer;
mod xml;

pub use crate::csv::{CSV_COLUMNS_MAX, CSV_ROW_BYTES_MAX, CsvPlan, CsvTexts};
#[cfg(feature = "parquet")]
pub use crate::parquet::{ParquetTexts, ParquetWriter, ROW_GROUP_BYTES};
pub use decode::{Decode, Output, Sink, THREADS_MAX, XML_ROOT, stop};
pub use encode::{JSON_BYTES_MAX, JsonTexts, Place, Text, Texts, encode};
pub use error::{Error, ErrorKind};
pub use explain::{Content, Explainer, Item};
pub use format::{
    BLOCK_BYTES_MAX, DESCRIPTOR_BYTES, EXTENDED_BLOCK_BYTES_MAX, Format, Framing, LineEnd, PREFIX_BYTES_MAX,
    RDW_BYTES_MAX, RECORD_BYTES_MAX, RecordFormat,
};
pub use hints::{HINT_BYTES, Look};
pub use outcome::{Counts, Rejected};
pub use reader::{Portion, Record, RecordReader, SKIP_LAST_MAX};
pub use writer::RecordWriter;
pub use xml::{XML_BYTES_MAX, encode_xml};
