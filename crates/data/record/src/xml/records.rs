//! A document of many records: one element for each, in an element around all.

use std::borrow::Cow;
use std::ops::Range;

use ::xml::{Cursor, Encoding, decode};

use crate::bind::Bind;
use crate::error::{Error, ErrorKind};

/// The text of a document, which [`XmlText::records`] reads record by record.
#[derive(Clone, Debug)]
pub struct XmlText<'a> {
    text: Cow<'a, str>,
    encoding: Encoding,
}

impl<'a> XmlText<'a> {
    /// Takes a document's bytes: UTF-8, which is not copied, or UTF-16 with a byte order mark.
    ///
    /// # Errors
    /// Other encodings, and bytes that are not text.
    pub fn new(bytes: &'a [u8]) -> Result<Self, Error> {
        let (text, encoding) = decode(bytes)?;
        Ok(Self { text, encoding })
    }

    /// The records in the document's outermost element, whatever its name.
    ///
    /// # Errors
    /// The text up to the first record is not XML.
    pub fn records<'t>(&'t self, bind: &'t Bind) -> Result<XmlRecords<'t>, Error> {
        let mut cursor = Cursor::new(&self.text, self.encoding)?;
        cursor.root()?;
        Ok(XmlRecords { bind, text: &self.text, cursor, last: 0..0, is_done: false, broken: None })
    }
}

/// Reads the records of a document, one after the other.
pub struct XmlRecords<'t> {
    bind: &'t Bind,
    text: &'t str,
    cursor: Cursor<'t>,
    /// Where the last record stands in the text.
    last: Range<usize>,
    /// There is nothing more to read.
    is_done: bool,
    /// An error of XML behind a record that did not fit. The next call reports it.
    broken: Option<Error>,
}

impl<'t> XmlRecords<'t> {
    /// The element of the last record that was read, also if it did not fit.
    #[must_use]
    pub fn last_text(&self) -> &'t str {
        self.text.get(self.last.clone()).unwrap_or_default().trim()
    }

    /// Makes `record` the next record; false at the end of the document.
    ///
    /// # Errors
    /// As [`Bind::encode_xml`], lines counted from the start of the document. After a record that does not
    /// fit, the next one can be read. After text that is not XML, there are no more records.
    pub fn read(&mut self, record: &mut Vec<u8>) -> Result<bool, Error> {
        if let Some(error) = self.broken.take() {
            return Err(error);
        }
        if self.is_done {
            return Ok(false);
        }
        let depth = self.cursor.depth();
        self.last.start = self.cursor.at();
        let read = self.read_next(record);
        if let Err(error) = &read {
            self.is_done = matches!(error.kind, ErrorKind::Syntax | ErrorKind::TooDeep);
            if !self.is_done
                && let Err(error) = self.cursor.skip_to(depth)
            {
                (self.is_done, self.broken) = (true, Some(error.into()));
            }
        }
        self.last.end = self.cursor.at();
        read
    }

    fn read_next(&mut self, record: &mut Vec<u8>) -> Result<bool, Error> {
        let Some(open) = self.cursor.child()? else {
            self.cursor.end()?;
            self.is_done = true;
            return Ok(false);
        };
        self.last.start = open.at;
        self.bind.start(record);
        self.bind.fill_element(&mut self.cursor, &open, record)?;
        self.bind.finish(record)?;
        Ok(true)
    }
}
