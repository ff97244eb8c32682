//! Rows of a Parquet file as JSON texts, to be made records of.

use std::fs::File;

use parquet::data_type::Decimal as FileDecimal;
use parquet::file::reader::SerializedFileReader;
use parquet::record::reader::RowIter;
use parquet::record::{Field, Row};
use record::{Bind, Decimal, Schema, write_string};

use super::failed;
use crate::encode::{Text, Texts};
use crate::error::{Error, ErrorKind};

/// Reads the rows of a Parquet file whose columns have the names that JSON has; nulls are left out.
pub struct ParquetTexts {
    rows: RowIter<'static>,
    schema: Schema,
    number: u64,
    json: Vec<u8>,
}

impl ParquetTexts {
    /// Reads the end of a file, where its columns are described.
    ///
    /// # Errors
    /// The file cannot be read or is not Parquet.
    pub fn new(bind: &Bind, file: File) -> Result<Self, Error> {
        let reader = SerializedFileReader::new(file).map_err(failed)?;
        Ok(Self { rows: reader.into_iter(), schema: bind.response_schema(), number: 0, json: Vec::new() })
    }
}

impl Texts for ParquetTexts {
    fn next_text(&mut self) -> Result<Option<Text<'_>>, Error> {
        let Some(row) = self.rows.next() else { return Ok(None) };
        self.number += 1;
        let row = row.map_err(|error| failed(error).in_record(self.number))?;
        self.json.clear();
        let fault = write_row(&row, Some(&self.schema), &mut self.json).err();
        Ok(Some(Text { number: self.number, place: None, json: &self.json, fault, cells: None }))
    }
}

/// Writes a row or a struct; the schema is that of the record, where it has such a field.
fn write_row(row: &Row, schema: Option<&Schema>, out: &mut Vec<u8>) -> Result<(), Error> {
    out.push(b'{');
    let mut begun = false;
    for (name, field) in row.get_column_iter() {
        if matches!(field, Field::Null) {
            continue;
        }
        if begun {
            out.push(b',');
        }
        begun = true;
        write_string(name, out);
        out.push(b':');
        write_field(name, field, schema.and_then(|schema| member(schema, name)), out)?;
    }
    out.push(b'}');
    Ok(())
}

fn member<'s>(schema: &'s Schema, name: &str) -> Option<&'s Schema> {
    schema.properties.iter().find(|(known, _)| known == name).map(|(_, schema)| schema)
}

/// True for text that JSON has as a number. All other text is refused with its field.
fn is_number(text: &str) -> bool {
    Decimal::from_json(text.as_bytes()).is_ok()
}

fn write_field(name: &str, field: &Field, schema: Option<&Schema>, out: &mut Vec<u8>) -> Result<(), Error> {
    let text = match field {
        Field::Null => "null".to_owned(),
        Field::Bool(value) => value.to_string(),
        Field::Byte(value) => value.to_string(),
        Field::Short(value) => value.to_string(),
        Field::Int(value) => value.to_string(),
        Field::Long(value) => value.to_string(),
        Field::UByte(value) => value.to_string(),
        Field::UShort(value) => value.to_string(),
        Field::UInt(value) => value.to_string(),
        Field::ULong(value) => value.to_string(),
        // With an exponent: a great number would have hundreds of digits without.
        Field::Float(value) if value.is_finite() => format!("{value:e}"),
        Field::Double(value) if value.is_finite() => format!("{value:e}"),
        Field::Decimal(value) => {
            decimal(value).ok_or_else(|| unsupported(name, "a decimal of so many digits"))?
        }
        Field::Str(text) if schema.is_some_and(|schema| schema.is_wide) && is_number(text) => text.clone(),
        Field::Str(text) => {
            write_string(text, out);
            return Ok(());
        }
        Field::Group(row) => return write_row(row, schema, out),
        Field::ListInternal(list) => {
            out.push(b'[');
            for (index, element) in list.elements().iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_field(name, element, schema.and_then(|schema| schema.items.as_deref()), out)?;
            }
            out.push(b']');
            return Ok(());
        }
        _ => return Err(unsupported(name, "a value of this type")),
    };
    out.extend_from_slice(text.as_bytes());
    Ok(())
}

fn unsupported(name: &str, what: &str) -> Error {
    Error::new(ErrorKind::Data, format!("{name}: {what} cannot be put into a record; cast the column first"))
}

/// Two's complement, the high byte first, with a scale.
fn decimal(value: &FileDecimal) -> Option<String> {
    let bytes = value.data();
    let negative = bytes.first().is_some_and(|byte| byte & 0x80 != 0);
    let fill = if negative { 0xFF } else { 0 };
    let mut wide = [fill; size_of::<i128>()];
    let surplus = bytes.len().saturating_sub(wide.len());
    let (lost, kept) = bytes.split_at(surplus);
    let start = wide.len() - kept.len();
    wide[start..].copy_from_slice(kept);
    let mantissa = i128::from_be_bytes(wide);
    let fits = lost.iter().all(|byte| *byte == fill) && (mantissa < 0) == negative;
    fits.then(|| Decimal { mantissa, scale: value.scale() }.to_string())
}
