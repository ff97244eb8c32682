//! Fields beyond the plain cases: floating point, national and double-byte text, edited pictures as values,
//! other formats (dates, booleans, bytes), and every lenient policy.
//!
//! A rich codec has three parts. The `Base` says how bytes hold a value: text in any encoding, floating
//! point, edited pictures. The `Form` is the form of the value outside: a date, a boolean, bytes as text. The
//! `Policies` say where the codec is lenient. A value passes between a rich codec and JSON, XML or a
//! parameter as `Given` or `Found`, so neither side knows the other.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use codepage::Encoding;
use xsd::TextType;

use crate::characters;
use crate::date::DateFormat;
use crate::decimal::Decimal;
use crate::edited::{EditPlan, InsertionPlan};
use crate::error::{Cause, Error, ErrorKind, hex};
use crate::float::FloatCodec;
use crate::number::NumberForm;
use crate::options::ByteOrder;
use crate::policies::{
    BadNumber, LongText, LowValueText, Nulls, OmitEmpty, PaddedNumbers, Policies, TextNumbers,
};
use crate::slot::{Found, Given, Limits, NumberCodec, append_number, bad_bytes};
use crate::text::{TextCodec, TextTables};

/// A field's type, the form of its value, and its policies.
#[derive(Clone, Debug)]
pub(crate) struct Rich {
    pub(crate) base: Base,
    pub(crate) form: Form,
    pub(crate) policies: Policies,
    /// The value that is left out of the JSON, as text.
    pub(crate) omit: Option<String>,
    /// The values that a request may give.
    pub(crate) allowed: Option<Allowed>,
    /// The encoding of the record's text; it defines the bytes of a blank.
    pub(crate) encoding: Encoding,
}

/// The way in which the bytes hold a value.
#[derive(Clone, Debug)]
pub(crate) enum Base {
    Text {
        encoding: Encoding,
        justified: bool,
        /// The most characters, if the bytes have room for more (PIC U).
        most: Option<usize>,
    },
    Number(NumberCodec),
    Float(FloatCodec),
    EditedNumber {
        plan: EditPlan,
        limits: Limits,
        encoding: Encoding,
    },
    EditedText {
        plan: InsertionPlan,
        encoding: Encoding,
    },
    /// There is no value, only the bytes.
    Bytes,
}

/// The form of the value outside.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// The form of the base.
    Plain,
    /// A number as text.
    Quoted,
    Date(DateFormat),
    Boolean {
        yes: String,
        no: String,
    },
    Hex,
    Base64,
    /// Text of a simple type of XML Schema. `plain` is the codec of the base, if it has a plain one.
    Typed {
        kind: TextType,
        plain: Option<TextCodec>,
    },
}

/// The values of a field's condition names.
#[derive(Clone, Debug)]
pub(crate) enum Allowed {
    /// Ranges of numbers in units of the last place, both ends included.
    Numbers(Vec<(i128, i128)>),
    /// Ranges of the field's bytes. Compilers compare text by its bytes.
    Bytes(Vec<(Vec<u8>, Vec<u8>)>),
}

impl Rich {
    pub(crate) fn limits(&self) -> Option<&Limits> {
        match &self.base {
            Base::Number(codec) => Some(&codec.limits),
            Base::EditedNumber { limits, .. } => Some(limits),
            _ => None,
        }
    }

    pub(crate) fn limits_mut(&mut self) -> Option<&mut Limits> {
        match &mut self.base {
            Base::Number(codec) => Some(&mut codec.limits),
            Base::EditedNumber { limits, .. } => Some(limits),
            _ => None,
        }
    }

    /// True if the value may be left out of an object.
    pub(crate) fn may_be_omitted(&self) -> bool {
        self.omit.is_some() || self.policies.omit_empty != OmitEmpty::Never
    }

    /// True if reading may find null.
    pub(crate) fn may_be_null(&self) -> bool {
        let policies = self.policies;
        let number = [policies.blank_numbers, policies.low_value_numbers, policies.bad_numbers];
        match self.base {
            Base::Text { .. } | Base::EditedText { .. } | Base::Bytes => {
                policies.low_value_text == LowValueText::Null
                    || (!matches!(self.form, Form::Plain | Form::Typed { .. })
                        && number.iter().any(|choice| *choice != BadNumber::Refuse))
            }
            _ => {
                let dated = matches!(self.form, Form::Date(_) | Form::Boolean { .. });
                number
                    .iter()
                    .any(|choice| *choice == BadNumber::Null || (dated && *choice == BadNumber::Zero))
            }
        }
    }

    /// True if this value is left out.
    pub(crate) fn omits(&self, found: Found, text: &str) -> bool {
        let empty = match self.policies.omit_empty {
            OmitEmpty::Never => false,
            OmitEmpty::Null => found == Found::Null,
            OmitEmpty::Text => found == Found::Null || (found == Found::Text && text.is_empty()),
            OmitEmpty::Zero => {
                found == Found::Null
                    || (found == Found::Text && text.is_empty())
                    || ((found == Found::Number || matches!(self.form, Form::Quoted)) && text == "0")
            }
        };
        let named = self.omit.as_deref().is_some_and(|omit| match found {
            Found::Text | Found::Number => text == omit,
            Found::Boolean(value) => omit == if value { "true" } else { "false" },
            Found::Null => omit.is_empty(),
        });
        empty || named
    }

    /// The integer in a decimal number's bytes, by the policies.
    pub(crate) fn read_number(&self, field: &[u8]) -> Result<i128, Error> {
        let textual = match &self.base {
            Base::Number(codec) => codec.form.is_text(),
            _ => true,
        };
        self.tolerate(self.strict_number(field), field, self.encoding, textual)?
            .ok_or_else(|| bad_bytes(field))
    }

    fn strict_number(&self, field: &[u8]) -> Result<i128, Error> {
        match &self.base {
            Base::Number(codec) => {
                codec.read(field).or_else(|error| self.without_padding(codec, field).ok_or(error))
            }
            Base::EditedNumber { plan, limits, encoding } => {
                let mut shown = String::new();
                let decoded = encoding.decode(field, codepage::Unmappable::Error, &mut shown);
                limits.check(decoded.ok().and_then(|_| plan.parse(&shown)), field)
            }
            _ => Err(bad_bytes(field)),
        }
    }

    /// Reads the value; text, or a number as JSON writes it, is appended to `out`.
    ///
    /// # Errors
    /// The bytes are not a value of the type, and the policies refuse them.
    pub(crate) fn read(&self, field: &[u8], tables: &TextTables, out: &mut String) -> Result<Found, Error> {
        match &self.form {
            Form::Hex => {
                codepage::readable::push_hex(field, out);
                Ok(Found::Text)
            }
            Form::Base64 => {
                BASE64.encode_string(field, out);
                Ok(Found::Text)
            }
            Form::Typed { plain: Some(codec), .. } => {
                tables.decode_plain(*codec, field, out).map(|()| Found::Text)
            }
            Form::Plain | Form::Typed { plain: None, .. } => self.read_base(field, tables, out),
            Form::Quoted => Ok(match self.read_base(field, tables, out)? {
                Found::Number => Found::Text,
                other => other,
            }),
            Form::Date(format) => self.read_date(format, field, tables, out),
            Form::Boolean { yes, no } => {
                let mut text = String::new();
                let found = self.read_base(field, tables, &mut text)?;
                if found == Found::Null {
                    return Ok(Found::Null);
                }
                if text == *yes || text == *no {
                    return Ok(Found::Boolean(text == *yes));
                }
                let is_blank = text.trim_matches(' ').is_empty();
                if is_blank && self.policies.blank_numbers != BadNumber::Refuse {
                    return Ok(Found::Null);
                }
                if self.policies.bad_numbers == BadNumber::Refuse {
                    let message = format!("'{text}', in bytes {}, is neither '{yes}' nor '{no}'", hex(field));
                    return Err(Error::new(ErrorKind::BadData, message));
                }
                Ok(Found::Null)
            }
        }
    }

    fn read_base(&self, field: &[u8], tables: &TextTables, out: &mut String) -> Result<Found, Error> {
        match &self.base {
            Base::Text { encoding, justified, most } => {
                let field = most.map_or(Ok(field), |most| characters::first_utf8(field, most))?;
                let some = characters::decode(*encoding, *justified, self.policies, field, out)?;
                Ok(if some { Found::Text } else { Found::Null })
            }
            Base::Number(codec) => {
                let read = self.strict_number(field);
                let number = self.tolerate(read, field, tables.encoding(), codec.form.is_text())?;
                Ok(self.number(number, codec.limits.scale, out))
            }
            Base::EditedNumber { limits, encoding, .. } => {
                let number = self.tolerate(self.strict_number(field), field, *encoding, true)?;
                Ok(self.number(number, limits.scale, out))
            }
            Base::Float(codec) => {
                if codec.read(field, out) {
                    return Ok(Found::Number);
                }
                let number = self.tolerate(Err(bad_bytes(field)), field, tables.encoding(), false)?;
                Ok(self.number(number, 0, out))
            }
            Base::EditedText { plan, encoding } => {
                let mut shown = String::new();
                // The policies are for the value. The picture is read without them.
                if self.policies.low_value_text == LowValueText::Null && characters::is_low(field) {
                    return Ok(Found::Null);
                }
                characters::decode(*encoding, false, as_it_stands(self.policies), field, &mut shown)?;
                let start = out.len();
                if !plan.parse(&shown, out) {
                    let message =
                        format!("the text '{shown}', in bytes {}, does not fit the picture", hex(field));
                    return Err(Error::new(ErrorKind::BadData, message));
                }
                let value = out.split_off(start);
                out.push_str(&characters::cleaned(value, false, ' ', self.policies)?);
                Ok(Found::Text)
            }
            Base::Bytes => Err(bad_bytes(field)),
        }
    }

    /// The number of a zoned or national field without the blanks and low-values around it. The policies must
    /// allow them, and other bytes must remain.
    fn without_padding(&self, codec: &NumberCodec, field: &[u8]) -> Option<i128> {
        if self.policies.padded_numbers == PaddedNumbers::Refuse {
            return None;
        }
        let unit = match codec.form {
            NumberForm::Zoned { .. } => 1,
            NumberForm::National { .. } => 2,
            _ => return None,
        };
        // The blank of EBCDIC is not a digit or sign of ASCII, nor the other way round.
        let padding = |unit: &&[u8]| unit.iter().all(|byte| matches!(byte, 0x00 | 0x20 | 0x40));
        let front = field.chunks(unit).take_while(padding).count() * unit;
        let back = field.rchunks(unit).take_while(padding).count() * unit;
        let digits = field.get(front..field.len().checked_sub(back)?).filter(|digits| !digits.is_empty())?;
        codec.limits.check(codec.form.read(digits), digits).ok()
    }

    /// Applies the policies for bytes that are not a number; none means null.
    fn tolerate(
        &self,
        number: Result<i128, Error>,
        field: &[u8],
        encoding: Encoding,
        textual: bool,
    ) -> Result<Option<i128>, Error> {
        let error = match number {
            Ok(number) => return Ok(Some(number)),
            Err(error) => error,
        };
        let policies = self.policies;
        let blank = textual && self.is_blank(encoding, field);
        let low = textual && characters::is_low(field);
        let choice = match (blank, low) {
            (true, _) if policies.blank_numbers != BadNumber::Refuse => policies.blank_numbers,
            (_, true) if policies.low_value_numbers != BadNumber::Refuse => policies.low_value_numbers,
            _ => policies.bad_numbers,
        };
        match choice {
            BadNumber::Refuse => Err(error),
            BadNumber::Null => Ok(None),
            BadNumber::Zero => Ok(Some(0)),
        }
    }

    fn is_blank(&self, encoding: Encoding, field: &[u8]) -> bool {
        match &self.base {
            Base::Number(NumberCodec { form: NumberForm::National { order, .. }, .. }) => {
                let blank = national_blank(*order);
                field.chunks(2).all(|unit| unit == blank)
            }
            _ => characters::is_blank(encoding, field),
        }
    }

    fn number(&self, number: Option<i128>, scale: i32, out: &mut String) -> Found {
        let Some(value) = number else { return Found::Null };
        append_number(value, scale, out);
        Found::Number
    }

    fn read_date(
        &self,
        format: &DateFormat,
        field: &[u8],
        tables: &TextTables,
        out: &mut String,
    ) -> Result<Found, Error> {
        let mut kept = String::new();
        // Programs write blanks, zeros and low-values if there is no date, also into numbers.
        let is_low = characters::is_low(field);
        let is_empty = is_low || self.is_blank(tables.encoding(), field);
        match self.read_base(field, tables, &mut kept) {
            Ok(Found::Null) => return Ok(Found::Null),
            Ok(Found::Number) => kept = format!("{kept:0>width$}", width = format.length()),
            Ok(_) => {}
            Err(_) if is_empty && self.policies.blank_numbers != BadNumber::Refuse => {
                return Ok(Found::Null);
            }
            Err(error) if is_empty => return Err(error.because(Cause::UnsetDate)),
            Err(error) => return Err(error),
        }
        if format.show(&kept, out) {
            return Ok(Found::Text);
        }
        let is_unset = is_empty || kept.trim_matches(['0', ' ', '\0', '-', '/', '.', ':']).is_empty();
        let policies = self.policies;
        let allows = |applies: bool, choice: BadNumber| applies && choice != BadNumber::Refuse;
        if allows(is_unset, policies.blank_numbers)
            || allows(is_low, policies.low_value_numbers)
            || allows(true, policies.bad_numbers)
        {
            return Ok(Found::Null);
        }
        let message = format!("'{kept}', in bytes {}, is not a date in the field's picture", hex(field));
        let error = Error::new(ErrorKind::BadData, message);
        Err(if is_unset { error.because(Cause::UnsetDate) } else { error })
    }

    /// True if a date that is not set is an error.
    pub(crate) fn refuses_unset_date(&self) -> bool {
        let Policies { blank_numbers, bad_numbers, .. } = self.policies;
        matches!(self.form, Form::Date(_))
            && [blank_numbers, bad_numbers].iter().all(|choice| *choice == BadNumber::Refuse)
    }

    /// Writes a value.
    ///
    /// # Errors
    /// It is of another type, does not fit, or is not allowed.
    pub(crate) fn write(&self, given: Given<'_>, field: &mut [u8], tables: &TextTables) -> Result<(), Error> {
        if let Given::Null = given {
            return self.write_null(field, tables);
        }
        match &self.form {
            Form::Plain | Form::Quoted => self.write_base(given, field)?,
            Form::Typed { kind, plain } => {
                let (Given::Text(text) | Given::Untyped(text)) = given else {
                    return Err(wrong_type("text", given));
                };
                kind.check(text).map_err(|message| no_value_of(*kind, message))?;
                match plain {
                    Some(codec) => tables.encode(*codec, text, field)?,
                    None => self.write_base(given, field)?,
                }
            }
            Form::Hex => write_bytes(given, field, from_hex)?,
            Form::Base64 => write_bytes(given, field, from_base64)?,
            Form::Date(format) => {
                let (Given::Text(text) | Given::Untyped(text)) = given else {
                    return Err(wrong_type("a date as text", given));
                };
                let mut kept = String::new();
                format.keep(text, &mut kept).map_err(|message| Error::new(ErrorKind::OutOfRange, message))?;
                self.write_base(Given::Untyped(&kept), field)?;
            }
            Form::Boolean { yes, no } => {
                let value = match given {
                    Given::Boolean(value) => value,
                    Given::Untyped("true" | "1") => true,
                    Given::Untyped("false" | "0") => false,
                    other => return Err(wrong_type("true or false", other)),
                };
                self.write_base(Given::Untyped(if value { yes } else { no }), field)?;
            }
        }
        self.check_allowed(field)
    }

    fn write_null(&self, field: &mut [u8], tables: &TextTables) -> Result<(), Error> {
        match self.policies.nulls {
            Nulls::Refuse => Err(wrong_type(self.expected(), Given::Null)),
            Nulls::Initial => Ok(()),
            Nulls::LowValues => {
                field.fill(0);
                Ok(())
            }
            Nulls::Blanks => {
                if let Base::Number(NumberCodec { form: NumberForm::National { order, .. }, .. }) = &self.base
                {
                    let blank = national_blank(*order);
                    field.as_chunks_mut::<2>().0.fill(blank);
                    return Ok(());
                }
                let encoding = match &self.base {
                    Base::Text { encoding, .. }
                    | Base::EditedNumber { encoding, .. }
                    | Base::EditedText { encoding, .. } => *encoding,
                    _ => tables.encoding(),
                };
                characters::fill_blanks(encoding, field);
                Ok(())
            }
        }
    }

    /// The JSON type that the field needs, in words.
    pub(crate) fn expected(&self) -> &'static str {
        match (&self.form, &self.base) {
            (Form::Date(_), _) => "a date as text",
            (Form::Boolean { .. }, _) => "true or false",
            (Form::Hex | Form::Base64, _)
            | (_, Base::Text { .. } | Base::EditedText { .. } | Base::Bytes) => "text",
            _ if self.takes_number_as_text() => "a number, or one as text",
            _ => "a number",
        }
    }

    fn takes_number_as_text(&self) -> bool {
        matches!(self.form, Form::Quoted) || self.policies.text_numbers == TextNumbers::Accept
    }

    fn write_base(&self, given: Given<'_>, field: &mut [u8]) -> Result<(), Error> {
        match &self.base {
            Base::Text { encoding, justified, most } => {
                let (Given::Text(text) | Given::Untyped(text)) = given else {
                    return Err(wrong_type("text", given));
                };
                let text = most.map_or(Ok(text), |most| characters::at_most(text, most, self.policies))?;
                characters::encode(*encoding, *justified, self.policies, text, field)
            }
            Base::EditedText { plan, encoding } => {
                let (Given::Text(text) | Given::Untyped(text)) = given else {
                    return Err(wrong_type("text", given));
                };
                let length = text.chars().count();
                if length > plan.length() && self.policies.long_text == LongText::Refuse {
                    let room = plan.length();
                    let message = format!("text of {length} characters is longer than the picture's {room}");
                    return Err(Error::new(ErrorKind::TooLong, message));
                }
                let text = characters::allowed(text, self.policies)?;
                let mut shown = String::new();
                plan.edit(&text, &mut shown);
                characters::encode(*encoding, false, as_it_stands(self.policies), &shown, field)
            }
            Base::Number(codec) => {
                let value = codec.limits.admit(self.decimal(given)?)?;
                codec.form.write(value, field);
                Ok(())
            }
            Base::EditedNumber { plan, limits, encoding } => {
                let value = limits.admit(self.decimal(given)?)?;
                let mut shown = String::new();
                plan.edit(value, &mut shown);
                characters::encode(*encoding, false, self.policies, &shown, field)
            }
            Base::Float(codec) => {
                let (Given::Number(text) | Given::Untyped(text) | Given::Text(text)) = given else {
                    return Err(wrong_type("a number", given));
                };
                if matches!(given, Given::Text(_)) && !self.takes_number_as_text() {
                    return Err(wrong_type("a number", given));
                }
                codec.write(text, field).map_err(|error| match error {
                    // XML Schema has these values; COBOL does not.
                    crate::decimal::NumberError::Syntax if matches!(text, "INF" | "-INF" | "NaN") => {
                        let message =
                            format!("expected a finite number, found {text}, which COBOL does not have");
                        Error::new(ErrorKind::OutOfRange, message)
                    }
                    crate::decimal::NumberError::Syntax => wrong_type("a number", Given::Text(text)),
                    _ => Error::new(ErrorKind::OutOfRange, "the number is greater than the field can hold"),
                })
            }
            Base::Bytes => Err(wrong_type("hexadecimal digits", given)),
        }
    }

    fn decimal(&self, given: Given<'_>) -> Result<Result<Decimal, crate::decimal::NumberError>, Error> {
        match given {
            Given::Number(text) => Ok(Decimal::from_json(text.as_bytes())),
            Given::Untyped(text) => Ok(Decimal::from_text(text.as_bytes())),
            Given::Text(text) if self.policies.text_numbers == TextNumbers::Accept => {
                Ok(Decimal::from_text(text.as_bytes()))
            }
            Given::Text(text) if matches!(self.form, Form::Quoted) => Ok(Decimal::from_json(text.as_bytes())),
            other => Err(wrong_type(self.expected(), other)),
        }
    }

    pub(crate) fn check_allowed(&self, field: &[u8]) -> Result<(), Error> {
        let fits = match &self.allowed {
            None => true,
            Some(Allowed::Bytes(ranges)) => ranges
                .iter()
                .any(|(least, greatest)| least.as_slice() <= field && field <= greatest.as_slice()),
            Some(Allowed::Numbers(ranges)) => {
                let value = self.read_number(field)?;
                ranges.iter().any(|(least, greatest)| (*least..=*greatest).contains(&value))
            }
        };
        if fits {
            return Ok(());
        }
        let message =
            format!("the value is not one of the field's condition names: {}", self.shown_allowed());
        Err(Error::new(ErrorKind::OutOfRange, message))
    }

    /// The values of the condition names, for the message of a refused request.
    #[cold]
    fn shown_allowed(&self) -> String {
        let mut shown: Vec<String> = match &self.allowed {
            None => Vec::new(),
            Some(Allowed::Numbers(ranges)) => {
                let scale = self.limits().map_or(0, |limits| limits.scale);
                let number = |value: &i128| {
                    let mut text = String::new();
                    append_number(*value, scale, &mut text);
                    text
                };
                ranges.iter().map(|(least, greatest)| range(number(least), number(greatest))).collect()
            }
            Some(Allowed::Bytes(ranges)) => {
                let encoding = match &self.base {
                    Base::Text { encoding, .. } | Base::EditedText { encoding, .. } => *encoding,
                    _ => self.encoding,
                };
                let text = |bytes: &Vec<u8>| {
                    let mut text = String::new();
                    match encoding.decode(bytes, codepage::Unmappable::Error, &mut text) {
                        Ok(_) => format!("'{}'", text.trim_end()),
                        Err(_) => format!("the bytes {}", hex(bytes)),
                    }
                };
                ranges.iter().map(|(least, greatest)| range(text(least), text(greatest))).collect()
            }
        };
        let more = shown.len().saturating_sub(ALLOWED_SHOWN_MAX);
        shown.truncate(ALLOWED_SHOWN_MAX);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("expected {}{rest}", shown.join(", "))
    }
}

/// The most values of condition names that a message shows.
const ALLOWED_SHOWN_MAX: usize = 10;

fn range(least: String, greatest: String) -> String {
    if least == greatest { least } else { format!("{least} to {greatest}") }
}

/// The blank of UTF-16.
fn national_blank(order: ByteOrder) -> [u8; 2] {
    match order {
        ByteOrder::Big => [0, b' '],
        ByteOrder::Little => [b' ', 0],
    }
}

/// Policies that read a text unchanged, with all its blanks.
fn as_it_stands(policies: Policies) -> Policies {
    let unmappable = policies.unmappable;
    Policies { trim_text: crate::policies::TrimText::Keep, unmappable, ..Policies::default() }
}

#[cold]
fn wrong_type(expected: &str, given: Given<'_>) -> Error {
    let found = match given {
        Given::Null => "null",
        Given::Boolean(_) => "a boolean",
        Given::Number(_) => "a number",
        Given::Text(_) | Given::Untyped(_) => "text",
    };
    Error::new(ErrorKind::WrongType, format!("expected {expected}, found {found}"))
}

fn write_bytes(
    given: Given<'_>,
    field: &mut [u8],
    parse: fn(&str) -> Result<Vec<u8>, Error>,
) -> Result<(), Error> {
    let (Given::Text(text) | Given::Untyped(text)) = given else {
        return Err(wrong_type("text", given));
    };
    let bytes = parse(text)?;
    if bytes.len() != field.len() {
        let message = format!("the text needs {} bytes, the field has {}", bytes.len(), field.len());
        return Err(Error::new(ErrorKind::TooLong, message));
    }
    field.copy_from_slice(&bytes);
    Ok(())
}

fn from_base64(text: &str) -> Result<Vec<u8>, Error> {
    let refused = |_| Error::new(ErrorKind::WrongType, "the text is not base64").because(Cause::NotBase64);
    BASE64.decode(text).map_err(refused)
}

fn from_hex(text: &str) -> Result<Vec<u8>, Error> {
    let refused = || Error::new(ErrorKind::WrongType, "the text is not hexadecimal digits");
    let digits: Option<Vec<u8>> = text.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
    let digits = digits.ok_or_else(refused)?;
    match digits.len().is_multiple_of(2) {
        true => Ok(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()),
        false => Err(refused().because(Cause::OddHexDigits)),
    }
}

/// The error for a text that is not a value of its type.
#[cold]
fn no_value_of(kind: TextType, message: String) -> Error {
    let error = Error::new(ErrorKind::WrongType, message);
    if kind == TextType::Base64Binary { error.because(Cause::NotBase64) } else { error }
}
