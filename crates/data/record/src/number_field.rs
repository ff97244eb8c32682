//! One numeric field alone, for plans other than a bind: converts its bytes to and from a JSON number.

use ::xml::trim;
use copybook::{FieldId, Kind, Layout};

use crate::decimal::Decimal;
use crate::error::{CompileError, Error};
use crate::fields::slot_of;
use crate::options::Options;
use crate::slot::{Codec, Given, bad_bytes};
use crate::text::TextTables;
use crate::xml::plain_number;

/// The codec of the number in a zoned, packed, binary or floating-point field.
#[derive(Clone, Debug)]
pub struct NumberField {
    codec: Codec,
    /// The tables that rich codecs need.
    tables: Box<TextTables>,
}

impl NumberField {
    /// The codec of a field of a layout, wherever it lies. Of the options, those of encodings, numbers and
    /// policies count.
    ///
    /// # Errors
    /// The field is not numeric.
    pub fn new(layout: &Layout, id: FieldId, options: &Options) -> Result<Self, CompileError> {
        let field = layout.field(id);
        let fail = |message| CompileError { field: layout.path(id), line: field.place.line, message };
        let numeric = matches!(
            field.kind,
            Kind::Zoned { .. }
                | Kind::Packed { .. }
                | Kind::PackedUnsigned { .. }
                | Kind::Binary { .. }
                | Kind::Float
        );
        if !numeric {
            return Err(fail("expected a number, found a field of another type".to_owned()));
        }
        let tables = TextTables::new(options.encoding);
        let slot = slot_of(layout, id, options, &tables).map_err(fail)?;
        Ok(Self { codec: slot.codec, tables: Box::new(tables) })
    }

    /// Writes a number, as JSON writes it, into the field's bytes.
    ///
    /// # Errors
    /// The text is not a number of JSON, or the field cannot hold it exactly. Floating point takes the
    /// nearest number.
    pub fn write(&self, json: &str, field: &mut [u8]) -> Result<(), Error> {
        match &self.codec {
            Codec::Number(codec) => {
                let value = codec.limits.admit(Decimal::from_json(json.as_bytes()))?;
                codec.form.write(value, field);
                Ok(())
            }
            Codec::Rich(rich) => rich.write(Given::Number(json), field, &self.tables),
            Codec::Text(_) => Err(bad_bytes(field)),
        }
    }

    /// Writes a number, as XML has it, into the field's bytes: with white space around it, a plus sign, leading zeros, or no
    /// digit on one side of its point.
    ///
    /// # Errors
    /// As [`NumberField::write`].
    pub fn write_xml(&self, text: &str, field: &mut [u8]) -> Result<(), Error> {
        self.write(&plain_number(trim(text)), field)
    }

    /// Appends the number in the field's bytes as JSON writes it.
    ///
    /// # Errors
    /// The bytes are not a number of the field's type.
    pub fn read(&self, field: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
        match &self.codec {
            Codec::Number(codec) => codec.write_json(field, out),
            Codec::Rich(rich) => {
                let mut text = String::new();
                rich.read(field, &self.tables, &mut text)?;
                out.extend_from_slice(text.as_bytes());
                Ok(())
            }
            Codec::Text(_) => Err(bad_bytes(field)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_to_their_bytes_and_back_wherever_the_field_lies() {
        let text = "       01  R.\n           05  T OCCURS 3.\n             07  P PIC S9(3)V99 COMP-3.\n             \
                    07  B PIC S9(4) COMP-5.\n             07  F COMP-2.\n             07  X PIC X.\n";
        let parsed = copybook::parse("R", text, &copybook::Options::default()).expect("a copybook");
        let layout = &parsed.layouts[0];
        let page = codepage::CodePage::by_ccsid(37).expect("CCSID 37");
        let field =
            |name| NumberField::new(layout, layout.resolve(name).expect("a field"), &Options::new(page));
        for (name, given, bytes) in [
            ("P", "-1.5", &[0x00, 0x15, 0x0D][..]),
            ("B", "32767", &[0x7F, 0xFF]),
            ("F", "-118.625", &[0xC2, 0x76, 0xA0, 0, 0, 0, 0, 0]),
        ] {
            let codec = field(name).expect("a number");
            let (mut record, mut json) = (vec![0; bytes.len()], Vec::new());
            codec.write(given, &mut record).expect("it fits");
            assert_eq!(record, bytes, "{name}");
            codec.read(&record, &mut json).expect("a number");
            assert_eq!(json, given.as_bytes(), "{name}");
        }
        let packed = field("P").expect("a number");
        assert!(packed.write("1.234", &mut [0; 3]).is_err(), "three places do not fit");
        assert!(packed.write("01", &mut [0; 3]).is_err(), "no number of JSON");
        assert!(packed.read(&[0, 0, 0], &mut Vec::new()).is_err(), "no sign");
        assert!(field("X").is_err() && field("T").is_err());
    }
}
