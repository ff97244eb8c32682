//! The pieces of messages: numbers with their lowest byte first, texts and data after their length in four bytes.

use super::BadMessage;

/// Adds bytes after their length.
pub fn put_bytes(to: &mut Vec<u8>, bytes: &[u8]) {
    // The area is smaller than 4 GiB, so that longer data never fit into it.
    to.extend((bytes.len() as u32).to_le_bytes());
    to.extend(bytes);
}

/// Adds a number that may be missing.
pub fn put_optional(to: &mut Vec<u8>, number: Option<i64>) {
    to.push(u8::from(number.is_some()));
    to.extend(number.unwrap_or_default().to_le_bytes());
}

/// Adds a name that may be missing.
pub fn put_optional_name<const N: usize>(to: &mut Vec<u8>, name: Option<[u8; N]>) {
    to.push(u8::from(name.is_some()));
    to.extend(name.unwrap_or([0; N]));
}

/// One message has one form.
const NOT_MISSING: BadMessage = BadMessage("expected zeros in place of what is missing");

fn present<T: Default + PartialEq>(given: bool, number: T) -> Result<Option<T>, BadMessage> {
    match given || number == T::default() {
        true => Ok(given.then_some(number)),
        false => Err(NOT_MISSING),
    }
}

/// The bytes of a message that are not read yet.
pub struct Reader<'b>(pub &'b [u8]);

impl<'b> Reader<'b> {
    /// The next `count` bytes.
    ///
    /// # Errors
    /// There are fewer bytes.
    pub fn take(&mut self, count: usize) -> Result<&'b [u8], BadMessage> {
        let (taken, rest) =
            self.0.split_at_checked(count).ok_or(BadMessage("the message ends before its time"))?;
        self.0 = rest;
        Ok(taken)
    }

    /// The next bytes as an array.
    ///
    /// # Errors
    /// There are fewer bytes.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], BadMessage> {
        Ok(self.take(N)?.try_into().expect("as many bytes as were asked for"))
    }

    /// One byte.
    ///
    /// # Errors
    /// There is no byte left.
    pub fn byte(&mut self) -> Result<u8, BadMessage> {
        Ok(self.take(1)?[0])
    }

    /// One byte: 0 or 1.
    ///
    /// # Errors
    /// There are fewer bytes, or they do not have this form.
    pub fn flag(&mut self) -> Result<bool, BadMessage> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(BadMessage("expected 0 or 1")),
        }
    }

    /// Four bytes.
    ///
    /// # Errors
    /// There are fewer bytes, or they do not have this form.
    pub fn u32(&mut self) -> Result<u32, BadMessage> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// Eight bytes, with a sign.
    ///
    /// # Errors
    /// There are fewer bytes, or they do not have this form.
    pub fn i64(&mut self) -> Result<i64, BadMessage> {
        Ok(i64::from_le_bytes(self.array()?))
    }

    /// Data after its length.
    ///
    /// # Errors
    /// There are fewer bytes, or they do not have this form.
    pub fn bytes(&mut self) -> Result<Vec<u8>, BadMessage> {
        let length = self.u32()?;
        Ok(self.take(length as usize)?.to_vec())
    }

    /// Text after its length.
    ///
    /// # Errors
    /// There are fewer bytes, or they are not UTF-8.
    pub fn text(&mut self) -> Result<String, BadMessage> {
        String::from_utf8(self.bytes()?).map_err(|_| BadMessage("expected text in UTF-8"))
    }

    /// A number that may be missing.
    ///
    /// # Errors
    /// There are fewer bytes, or they do not have this form.
    pub fn optional(&mut self) -> Result<Option<i64>, BadMessage> {
        let given = self.flag()?;
        present(given, i64::from_le_bytes(self.array()?))
    }

    /// A small number that may be missing.
    ///
    /// # Errors
    /// There are fewer bytes, or they do not have this form.
    pub fn optional_u16(&mut self) -> Result<Option<u16>, BadMessage> {
        let given = self.flag()?;
        present(given, u16::from_le_bytes(self.array()?))
    }

    /// A name that may be missing.
    ///
    /// # Errors
    /// There are fewer bytes, or they do not have this form.
    pub fn optional_name<const N: usize>(&mut self) -> Result<Option<[u8; N]>, BadMessage> {
        let given = self.flag()?;
        match (given, self.array()?) {
            (false, name) if name != [0; N] => Err(NOT_MISSING),
            (given, name) => Ok(given.then_some(name)),
        }
    }

    /// Eight bytes.
    ///
    /// # Errors
    /// There are fewer bytes, or they do not have this form.
    pub fn u64(&mut self) -> Result<u64, BadMessage> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// The message, if nothing is left.
    ///
    /// # Errors
    /// There are bytes left.
    pub fn end<T>(&self, message: T) -> Result<T, BadMessage> {
        match self.0 {
            [] => Ok(message),
            _ => Err(BadMessage("bytes follow after the message")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_one_form() {
        let read = |bytes: &[u8]| Reader(bytes).text();
        assert_eq!(read(b"\x03\0\0\0a\xC3\xA9").as_deref(), Ok("a\u{e9}"));
        assert!(read(b"\x01\0\0\0\xFC").is_err(), "no UTF-8");
        assert!(read(b"\x02\0\0\0a").is_err(), "too short");
    }
}
