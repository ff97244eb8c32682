//! Files of records: telling one record from the next, and turning whole files into JSON, CSV or Parquet and back.
//!
//! A [`RecordReader`] finds the records of a file in any [`RecordFormat`], a [`RecordWriter`] writes them. Both stream:
//! memory does not grow with the file.
//!
//! Deliberately absent: what a record means (a [`record::Bind`] knows that), and opening files by name; everything
//! works on [`std::io::Read`] and [`std::io::Write`].

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
pub use xml::encode_xml;
