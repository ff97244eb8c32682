//! A slot: the typed place of one field in a record, read and set without knowing JSON or XML.

use crate::decimal::{Decimal, NumberError, write_number};
use crate::error::{Error, ErrorKind};
use crate::number::NumberForm;
use crate::text::{TextCodec, TextTables};

/// Where a field lies and how its bytes are encoded.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    /// Bytes from the start of the record, in the first row of every table around it.
    pub(crate) offset: usize,
    pub(crate) bytes: usize,
    pub(crate) codec: Codec,
}

#[derive(Clone, Debug)]
pub(crate) enum Codec {
    Text(TextCodec),
    Number(NumberCodec),
}

/// A number's form and its limits in units of its last decimal place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NumberCodec {
    pub(crate) form: NumberForm,
    pub(crate) scale: i32,
    pub(crate) least: i128,
    pub(crate) greatest: i128,
}

impl NumberCodec {
    /// The value as an integer of the field's scale, within its limits.
    #[inline]
    fn admit(&self, number: Result<Decimal, NumberError>) -> Result<i128, Error> {
        let value =
            number.and_then(|decimal| decimal.scaled_to(self.scale)).map_err(|error| self.refuse(error))?;
        if value > self.greatest {
            return Err(self.beyond("greater than the greatest", self.greatest));
        }
        if value < self.least {
            return Err(self.beyond("less than the least", self.least));
        }
        Ok(value)
    }

    #[cold]
    fn refuse(&self, error: NumberError) -> Error {
        match error {
            NumberError::Syntax => Error::new(
                ErrorKind::WrongType,
                if self.scale > 0 { "expected a number" } else { "expected an integer" },
            ),
            NumberError::TooLarge => self.beyond("beyond the greatest", self.greatest),
            NumberError::TooPrecise if self.scale == 0 => {
                Error::new(ErrorKind::OutOfRange, "expected an integer")
            }
            NumberError::TooPrecise if self.scale > 0 => Error::new(
                ErrorKind::OutOfRange,
                format!("the number has more than {} decimal places", self.scale),
            ),
            NumberError::TooPrecise => Error::new(
                ErrorKind::OutOfRange,
                format!(
                    "the number is not a multiple of 1{}",
                    "0".repeat(self.scale.unsigned_abs() as usize)
                ),
            ),
        }
    }

    #[cold]
    fn beyond(&self, how: &str, limit: i128) -> Error {
        let limit = Decimal { mantissa: limit, scale: self.scale };
        Error::new(ErrorKind::OutOfRange, format!("the number is {how} allowed, {limit}"))
    }
}

impl Slot {
    /// Sets the field, in a row `delta` bytes after the first, from a JSON number's text.
    #[inline]
    pub(crate) fn set_number(
        &self,
        codec: &NumberCodec,
        text: &[u8],
        record: &mut [u8],
        delta: usize,
    ) -> Result<(), Error> {
        let value = codec.admit(Decimal::from_json(text))?;
        codec.form.write(value, self.field_mut(record, delta));
        Ok(())
    }

    /// Sets a text field.
    #[inline]
    pub(crate) fn set_string(
        &self,
        codec: TextCodec,
        text: &str,
        record: &mut [u8],
        delta: usize,
        tables: &TextTables,
    ) -> Result<(), Error> {
        tables.encode(codec, text, self.field_mut(record, delta))
    }

    /// Sets the field from a parameter's text, converted to the field's type.
    pub(crate) fn set_from_text(
        &self,
        text: &str,
        record: &mut [u8],
        tables: &TextTables,
    ) -> Result<(), Error> {
        match &self.codec {
            Codec::Text(codec) => tables.encode(*codec, text, self.field_mut(record, 0)),
            Codec::Number(codec) => {
                let value = codec.admit(Decimal::from_text(text.as_bytes()))?;
                codec.form.write(value, self.field_mut(record, 0));
                Ok(())
            }
        }
    }

    /// The field's value as text; `field` is its bytes.
    pub(crate) fn text_of(&self, field: &[u8], tables: &TextTables) -> Result<String, Error> {
        match &self.codec {
            Codec::Text(codec) => {
                let mut text = String::new();
                tables.decode_plain(*codec, field, &mut text)?;
                Ok(text)
            }
            Codec::Number(codec) => {
                let mut text = Vec::new();
                self.write_json_number(codec, field, &mut text)?;
                Ok(String::from_utf8_lossy(&text).into_owned())
            }
        }
    }

    /// Reads a number and writes it as JSON does.
    #[inline]
    pub(crate) fn write_json_number(
        &self,
        codec: &NumberCodec,
        field: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let value = codec.read(field)?;
        write_number(value, codec.scale, out);
        Ok(())
    }

    fn field_mut<'r>(&self, record: &'r mut [u8], delta: usize) -> &'r mut [u8] {
        &mut record[self.offset + delta..self.offset + delta + self.bytes]
    }
}

impl NumberCodec {
    /// Reads a number and checks that it is one and within its limits.
    #[inline]
    pub(crate) fn read(&self, field: &[u8]) -> Result<i128, Error> {
        match self.form.read(field) {
            Some(value) if value >= self.least && value <= self.greatest => Ok(value),
            Some(value) => Err(self.bad_value(value)),
            None => Err(bad_bytes(field)),
        }
    }

    #[cold]
    fn bad_value(&self, value: i128) -> Error {
        let value = Decimal { mantissa: value, scale: self.scale };
        let least = Decimal { mantissa: self.least, scale: self.scale };
        let greatest = Decimal { mantissa: self.greatest, scale: self.scale };
        Error::new(ErrorKind::BadData, format!("the number {value} is not between {least} and {greatest}"))
    }
}

#[cold]
fn bad_bytes(field: &[u8]) -> Error {
    const SHOWN: usize = 16;
    let hex: Vec<String> = field.iter().take(SHOWN).map(|byte| format!("{byte:02X}")).collect();
    let more = if field.len() > SHOWN { " ..." } else { "" };
    Error::new(
        ErrorKind::BadData,
        format!("the bytes {}{more} are no number of the field's type", hex.join(" ")),
    )
}
