//! The form of all values that the store itself writes: numbers in big-endian order, bytes with their length
//! in front. Reading checks everything.

use crate::error::{Error, ErrorKind, Result};

/// Writes fields one after the other.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub(crate) fn byte(&mut self, value: u8) {
        self.bytes.push(value);
    }

    pub(crate) fn u32(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_be_bytes());
    }

    pub(crate) fn u64(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_be_bytes());
    }

    pub(crate) fn raw(&mut self, value: &[u8]) {
        self.bytes.extend_from_slice(value);
    }

    /// Writes the number of the things that follow.
    pub(crate) fn count(&mut self, count: usize) {
        self.u64(count as u64);
    }

    pub(crate) fn bytes(&mut self, value: &[u8]) {
        self.count(value.len());
        self.raw(value);
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// Reads fields one after the other.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    what: &'static str,
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Reader<'a> {
    /// Reads a value. Errors name it by `what`.
    pub(crate) fn new(what: &'static str, bytes: &'a [u8]) -> Self {
        Self { what, bytes, offset: 0 }
    }

    /// The fault for a wrong field at the current offset.
    pub(crate) fn fault(&self, expected: &str) -> Error {
        let message =
            format!("{}: expected {expected} at offset {} of {}", self.what, self.offset, self.bytes.len());
        Error::new(ErrorKind::Corrupt, message)
    }

    pub(crate) fn raw(&mut self, count: usize) -> Result<&'a [u8]> {
        let rest = &self.bytes[self.offset..];
        let field = rest.get(..count).ok_or_else(|| self.fault(&format!("{count} bytes")))?;
        self.offset += count;
        Ok(field)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let field = self.raw(N)?;
        Ok(field.try_into().expect("exactly this number of bytes"))
    }

    pub(crate) fn byte(&mut self) -> Result<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(crate) fn u32(&mut self) -> Result<u32> {
        self.array().map(u32::from_be_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64> {
        self.array().map(u64::from_be_bytes)
    }

    /// A count. It is at most the number of bytes left, because each counted thing has at least one byte.
    pub(crate) fn count(&mut self) -> Result<usize> {
        let count = self.u64()?;
        let left = self.bytes.len() - self.offset;
        usize::try_from(count)
            .ok()
            .filter(|count| *count <= left)
            .ok_or_else(|| self.fault(&format!("a count of at most {left} before it, found {count}")))
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8]> {
        let count = self.count()?;
        self.raw(count)
    }

    pub(crate) fn text(&mut self) -> Result<&'a str> {
        let bytes = self.bytes()?;
        std::str::from_utf8(bytes).map_err(|_| self.fault("text in UTF-8 before it"))
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.offset == self.bytes.len()
    }

    /// Checks that nothing follows.
    pub(crate) fn end(self) -> Result<()> {
        if self.is_at_end() { Ok(()) } else { Err(self.fault("the end")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_or_too_long_is_corrupt() {
        let mut writer = Writer::default();
        writer.bytes(b"abc");
        writer.u32(7);
        let bytes = writer.finish();
        for cut in 0..bytes.len() {
            let mut reader = Reader::new("test", &bytes[..cut]);
            let read = reader.bytes().and_then(|_| reader.u32());
            assert_eq!(read.unwrap_err().kind(), ErrorKind::Corrupt, "cut at {cut}");
        }
        let mut reader = Reader::new("test", &bytes);
        assert_eq!((reader.bytes().unwrap(), reader.byte().unwrap()), (&b"abc"[..], 0));
        assert_eq!(reader.end().unwrap_err().to_string(), "test: expected the end at offset 12 of 15");
    }

    #[test]
    fn a_count_beyond_the_bytes_is_not_believed() {
        let bytes = u64::MAX.to_be_bytes();
        assert_eq!(Reader::new("test", &bytes).bytes().unwrap_err().kind(), ErrorKind::Corrupt);
    }
}
