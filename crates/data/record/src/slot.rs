//! A slot: the typed place of one field in a record, read and set without knowing JSON or XML.

use crate::decimal::{Decimal, NumberError, write_number};
use crate::error::{Cause, Error, ErrorKind, hex};
use crate::number::NumberForm;
use crate::rich::{Form, Rich};
use crate::text::{TextCodec, TextTables};

/// The place of a field, and the encoding of its bytes.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    /// Bytes from the start of the record, in the first row of every table around it.
    pub(crate) offset: usize,
    pub(crate) bytes: usize,
    pub(crate) codec: Codec,
}

/// The way in which a field's bytes hold its value. The first two are the plain cases, with strict policies.
/// They are by far the most frequent, so their code is kept free of all others.
#[derive(Clone, Debug)]
pub(crate) enum Codec {
    Text(TextCodec),
    Number(NumberCodec),
    Rich(Box<Rich>),
}

/// A value on its way into a field.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Given<'a> {
    Null,
    Boolean(bool),
    /// A number as JSON writes it.
    Number(&'a str),
    Text(&'a str),
    /// Text of a parameter, an XML element or a table's cell. It is converted to the field's type.
    Untyped(&'a str),
}

/// The kind of value that a field holds. Text and numbers are written where the caller said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Null,
    Boolean(bool),
    Number,
    Text,
}

/// The least and greatest value of a number in units of its last decimal place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) scale: i32,
    pub(crate) least: i128,
    pub(crate) greatest: i128,
}

/// A number's form and its limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NumberCodec {
    pub(crate) form: NumberForm,
    pub(crate) limits: Limits,
}

impl Limits {
    /// The value as an integer of the field's scale, within its limits.
    #[inline]
    pub(crate) fn admit(&self, number: Result<Decimal, NumberError>) -> Result<i128, Error> {
        let value =
            number.and_then(|decimal| decimal.scaled_to(self.scale)).map_err(|error| self.refuse(error))?;
        if value > self.greatest {
            return Err(self.beyond("greater than the greatest", self.greatest));
        }
        if value < self.least {
            let error = self.beyond("less than the least", self.least);
            return Err(if self.least == 0 { error.because(Cause::Negative) } else { error });
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
                Error::new(ErrorKind::OutOfRange, "expected an integer").because(Cause::NotInteger)
            }
            NumberError::TooPrecise if self.scale > 0 => {
                let message = match self.scale {
                    1 => "the number has more than 1 decimal place".to_owned(),
                    scale => format!("the number has more than {scale} decimal places"),
                };
                Error::new(ErrorKind::OutOfRange, message).because(Cause::DecimalPlaces)
            }
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

    /// Checks a number that was read; none stands for bytes that are not a number.
    #[inline]
    pub(crate) fn check(&self, value: Option<i128>, field: &[u8]) -> Result<i128, Error> {
        match value {
            Some(value) if value >= self.least && value <= self.greatest => Ok(value),
            Some(value) => Err(self.bad_value(value, field)),
            None => Err(bad_bytes(field)),
        }
    }

    #[cold]
    fn bad_value(&self, value: i128, field: &[u8]) -> Error {
        let shown = |mantissa| Decimal { mantissa, scale: self.scale };
        let (value, least, greatest) = (shown(value), shown(self.least), shown(self.greatest));
        Error::new(
            ErrorKind::BadData,
            format!("the number {value}, in bytes {}, is not between {least} and {greatest}", hex(field)),
        )
    }
}

impl NumberCodec {
    /// Reads a number, and checks that the bytes are a number within its limits.
    #[inline]
    pub(crate) fn read(&self, field: &[u8]) -> Result<i128, Error> {
        match self.form.read(field) {
            None if self.form.is_packed() => Err(bad_bytes(field).because(Cause::NotPacked)),
            value => self.limits.check(value, field),
        }
    }

    /// Reads a number and writes it as JSON does.
    #[inline]
    pub(crate) fn write_json(&self, field: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
        let value = self.read(field)?;
        write_number(value, self.limits.scale, out);
        Ok(())
    }
}

impl Codec {
    /// The limits of a decimal number, if the field holds one.
    pub(crate) fn limits(&self) -> Option<&Limits> {
        match self {
            Codec::Text(_) => None,
            Codec::Number(codec) => Some(&codec.limits),
            Codec::Rich(rich) => rich.limits(),
        }
    }

    /// The same, to narrow them.
    pub(crate) fn limits_mut(&mut self) -> Option<&mut Limits> {
        match self {
            Codec::Text(_) => None,
            Codec::Number(codec) => Some(&mut codec.limits),
            Codec::Rich(rich) => rich.limits_mut(),
        }
    }

    /// The integer in a decimal number's bytes, with its limits checked.
    pub(crate) fn read_number(&self, field: &[u8]) -> Result<i128, Error> {
        match self {
            Codec::Number(codec) => codec.read(field),
            Codec::Rich(rich) => rich.read_number(field),
            Codec::Text(_) => Err(bad_bytes(field)),
        }
    }
}

impl Slot {
    /// True if the value outside is a date.
    pub(crate) fn is_date(&self) -> bool {
        matches!(&self.codec, Codec::Rich(rich) if matches!(rich.form, Form::Date(_)))
    }

    /// True if the value outside is a date, and bytes of a date that is not set are an error.
    pub(crate) fn refuses_unset_date(&self) -> bool {
        matches!(&self.codec, Codec::Rich(rich) if rich.refuses_unset_date())
    }

    /// True if the bytes are a value that a request may give. Only condition names limit them.
    pub(crate) fn allows(&self, bytes: &[u8]) -> bool {
        match &self.codec {
            Codec::Rich(rich) => rich.check_allowed(bytes).is_ok(),
            _ => true,
        }
    }

    /// True if the value outside is base64.
    pub(crate) fn is_base64(&self) -> bool {
        matches!(&self.codec, Codec::Rich(rich) if matches!(rich.form, Form::Base64))
    }

    /// Sets the field, in a row `delta` bytes after the first, from a JSON number's text.
    #[inline]
    pub(crate) fn set_number(
        &self,
        codec: &NumberCodec,
        text: &[u8],
        record: &mut [u8],
        delta: usize,
    ) -> Result<(), Error> {
        let value = codec.limits.admit(Decimal::from_json(text))?;
        codec.form.write(value, self.field_mut(record, delta));
        Ok(())
    }

    /// Sets the field from text, converted to the field's type.
    pub(crate) fn set_from_text(
        &self,
        text: &str,
        record: &mut [u8],
        delta: usize,
        tables: &TextTables,
    ) -> Result<(), Error> {
        match &self.codec {
            Codec::Text(codec) => tables.encode(*codec, text, self.field_mut(record, delta)),
            Codec::Number(codec) => {
                let value = codec.limits.admit(Decimal::from_text(text.as_bytes()))?;
                codec.form.write(value, self.field_mut(record, delta));
                Ok(())
            }
            Codec::Rich(rich) => rich.write(Given::Untyped(text), self.field_mut(record, delta), tables),
        }
    }

    /// Reads the field's value; text, or a number as JSON writes it, is appended to `out`.
    pub(crate) fn read(&self, field: &[u8], tables: &TextTables, out: &mut String) -> Result<Found, Error> {
        match &self.codec {
            Codec::Text(codec) => tables.decode_plain(*codec, field, out).map(|()| Found::Text),
            Codec::Number(codec) => {
                let value = codec.read(field)?;
                append_number(value, codec.limits.scale, out);
                Ok(Found::Number)
            }
            Codec::Rich(rich) => rich.read(field, tables, out),
        }
    }

    /// The field's value as text; `field` is its bytes.
    pub(crate) fn text_of(&self, field: &[u8], tables: &TextTables) -> Result<String, Error> {
        self.found_text(field, tables).map(|(_, text)| text)
    }

    /// The same; none if the field's choices leave this value out.
    pub(crate) fn text_unless_omitted(
        &self,
        field: &[u8],
        tables: &TextTables,
    ) -> Result<Option<String>, Error> {
        let (found, text) = self.found_text(field, tables)?;
        let is_omitted = matches!(&self.codec, Codec::Rich(rich) if rich.omits(found, &text));
        Ok((!is_omitted).then_some(text))
    }

    fn found_text(&self, field: &[u8], tables: &TextTables) -> Result<(Found, String), Error> {
        let mut text = String::new();
        let found = self.read(field, tables, &mut text)?;
        if let Found::Boolean(value) = found {
            text.push_str(if value { "true" } else { "false" });
        }
        Ok((found, text))
    }

    pub(crate) fn field_mut<'r>(&self, record: &'r mut [u8], delta: usize) -> &'r mut [u8] {
        &mut record[self.offset + delta..self.offset + delta + self.bytes]
    }
}

/// Appends a number as JSON writes it.
pub(crate) fn append_number(value: i128, scale: i32, out: &mut String) {
    let mut digits = Vec::new();
    write_number(value, scale, &mut digits);
    out.push_str(&String::from_utf8_lossy(&digits));
}

#[cold]
pub(crate) fn bad_bytes(field: &[u8]) -> Error {
    Error::new(ErrorKind::BadData, format!("the bytes {} are not a number of the field's type", hex(field)))
}
