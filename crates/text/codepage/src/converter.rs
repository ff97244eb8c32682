//! Conversion of bytes straight from one encoding to another.

use crate::encoding::{Encoding, Inner, Unmappable};
use crate::fast::{self, ByteTable, MixedTable, Utf8Table, Utf16Table};
use crate::mixed::Mixed;
use crate::simd::Cpu;
use crate::unicode::ByteOrder;
use crate::{CodePage, Error};

/// A conversion from one encoding to another, decided once.
///
/// Between single-byte pages, UTF-8 and UTF-16, and between mixed pages and UTF-8, the bytes are converted
/// directly. The first pass assumes that the data is right. If it is not, the data is converted again through
/// a text, which finds the error or makes the replacements.
#[derive(Debug)]
pub struct Converter {
    from: Encoding,
    to: Encoding,
    plan: Plan,
    cpu: Cpu,
}

#[derive(Debug)]
enum Plan {
    Bytes(Box<ByteTable>),
    SingleToUtf8(Box<Utf8Table>),
    SingleToUtf16(Box<Utf16Table>),
    Utf8ToSingle(&'static CodePage),
    Utf16ToSingle(ByteOrder, &'static CodePage),
    Utf8ToUtf16(ByteOrder),
    Utf16ToUtf8(ByteOrder),
    MixedToUtf8(MixedTable),
    Utf8ToMixed(&'static Mixed),
    /// Decode, then encode.
    Text,
}

impl Converter {
    /// The conversion between two encodings. This builds a table for most pairs; keep it.
    #[must_use]
    pub fn new(from: Encoding, to: Encoding) -> Converter {
        let plan = match (from.inner, to.inner) {
            (Inner::Single(from), Inner::Single(to)) => Plan::Bytes(Box::new(ByteTable::new(from, to))),
            (Inner::Single(from), Inner::Utf8) => Plan::SingleToUtf8(Box::new(Utf8Table::new(from))),
            (Inner::Single(from), Inner::Utf16(order)) => {
                Plan::SingleToUtf16(Box::new(Utf16Table::new(from, order)))
            }
            (Inner::Utf8, Inner::Single(to)) => Plan::Utf8ToSingle(to),
            (Inner::Utf16(order), Inner::Single(to)) => Plan::Utf16ToSingle(order, to),
            (Inner::Utf8, Inner::Utf16(order)) => Plan::Utf8ToUtf16(order),
            (Inner::Utf16(order), Inner::Utf8) => Plan::Utf16ToUtf8(order),
            (Inner::Mixed(from), Inner::Utf8) => Plan::MixedToUtf8(MixedTable::new(from)),
            (Inner::Utf8, Inner::Mixed(to)) => Plan::Utf8ToMixed(to),
            _ => Plan::Text,
        };
        Converter { from, to, plan, cpu: Cpu::best() }
    }

    /// As [`Converter::new`], but without vector instructions beyond those that the crate is compiled for:
    /// this is the path of other CPUs, for tests and measurements.
    #[must_use]
    pub fn portable(from: Encoding, to: Encoding) -> Converter {
        Converter { cpu: Cpu::portable(), ..Converter::new(from, to) }
    }

    /// The encoding of the input.
    #[must_use]
    pub fn from(&self) -> Encoding {
        self.from
    }

    /// The encoding of the output.
    #[must_use]
    pub fn to(&self) -> Encoding {
        self.to
    }

    /// Appends the converted bytes to `out`, and returns the number of replaced codes and characters.
    ///
    /// # Errors
    ///
    /// As [`Encoding::decode`] of the first encoding, with an offset in bytes, and [`Encoding::encode`] of
    /// the second one, with an index in characters. `out` is then as it was.
    pub fn convert(&self, bytes: &[u8], unmappable: Unmappable, out: &mut Vec<u8>) -> Result<usize, Error> {
        let (cpu, start) = (self.cpu, out.len());
        let is_done = match &self.plan {
            Plan::Bytes(table) => table.convert(cpu, bytes, out),
            Plan::SingleToUtf8(table) => table.convert(cpu, bytes, out),
            Plan::SingleToUtf16(table) => table.convert(cpu, bytes, out),
            Plan::Utf8ToSingle(page) => fast::utf8_to_single(cpu, page, bytes, out),
            Plan::Utf16ToSingle(order, page) => fast::utf16_to_single(cpu, *order, page, bytes, out),
            Plan::Utf8ToUtf16(order) => fast::utf8_to_utf16(cpu, *order, bytes, out),
            Plan::Utf16ToUtf8(order) => fast::utf16_to_utf8(cpu, *order, bytes, out),
            Plan::MixedToUtf8(table) => table.convert(bytes, out),
            Plan::Utf8ToMixed(page) => fast::utf8_to_mixed(page, bytes, out),
            Plan::Text => None,
        };
        if is_done.is_some() {
            return Ok(0);
        }
        out.truncate(start);
        let result = self.convert_through_text(bytes, unmappable, out);
        if result.is_err() {
            out.truncate(start);
        }
        result
    }

    fn convert_through_text(
        &self,
        bytes: &[u8],
        unmappable: Unmappable,
        out: &mut Vec<u8>,
    ) -> Result<usize, Error> {
        let mut text = String::new();
        let undecoded = self.from.decode(bytes, unmappable, &mut text)?;
        Ok(undecoded + self.to.encode(&text, unmappable, out)?)
    }
}
