//! Columns in memory: the values of one field over many records, with the levels that say which are there.

use parquet::column::writer::ColumnWriterImpl;
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray, FixedLenByteArrayType,
    Int32Type, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedColumnWriter;
use record::{Decimal, Schema};

use crate::cursor::{Scalar, unescape};
use crate::error::{Error, ErrorKind};

/// Bytes of a decimal of more than 18 digits.
pub(super) const DECIMAL_BYTES: usize = 16;
/// The digits that fit them.
const DECIMAL_DIGITS_MAX: i32 = 38;

/// How much of the path to a value is there, and which of its tables has a further row.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Levels {
    pub(super) definition: i16,
    pub(super) repetition: i16,
}

impl Levels {
    /// One more step of the path is there.
    pub(super) fn defined(self) -> Self {
        Self { definition: self.definition + 1, ..self }
    }

    /// The greatest levels in the rows of a table that has these.
    pub(super) fn repeated(self) -> Self {
        Self { definition: self.definition + 1, repetition: self.repetition + 1 }
    }
}

/// The type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueType {
    Text,
    Boolean,
    Float,
    Int32,
    Int64,
    Decimal { precision: i32, scale: i32 },
}

impl ValueType {
    /// The type that holds all values of a schema exactly.
    pub(super) fn of(schema: &Schema) -> Self {
        match schema.kind {
            "string" => return ValueType::Text,
            "boolean" => return ValueType::Boolean,
            // Nothing else in the format holds all digits and the exponent.
            _ if schema.is_wide => return ValueType::Text,
            _ => {}
        }
        let decimal =
            |text: &Option<String>| text.as_ref().and_then(|text| Decimal::from_json(text.as_bytes()).ok());
        let unit = decimal(&schema.multiple_of);
        let (Some(least), Some(greatest)) = (decimal(&schema.minimum), decimal(&schema.maximum)) else {
            return if schema.kind == "integer" { ValueType::Int64 } else { ValueType::Float };
        };
        let scale = unit.map_or(0, |unit| unit.scale.max(0));
        let (Ok(least), Ok(greatest)) = (least.scaled_to(scale), greatest.scaled_to(scale)) else {
            return ValueType::Decimal { precision: DECIMAL_DIGITS_MAX, scale };
        };
        let fits =
            |range: std::ops::RangeInclusive<i128>| range.contains(&least) && range.contains(&greatest);
        match scale {
            0 if fits(i32::MIN.into()..=i32::MAX.into()) => ValueType::Int32,
            0 if fits(i64::MIN.into()..=i64::MAX.into()) => ValueType::Int64,
            _ => {
                let largest = least.unsigned_abs().max(greatest.unsigned_abs());
                let digits = largest.checked_ilog10().map_or(1, |log| log as i32 + 1);
                ValueType::Decimal { precision: digits.max(scale), scale }
            }
        }
    }
}

/// The values of a column, in the form that the file has.
#[derive(Debug)]
enum Values {
    Text(Vec<ByteArray>),
    Boolean(Vec<bool>),
    Float(Vec<f64>),
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Fixed(Vec<FixedLenByteArray>),
}

/// A column.
#[derive(Debug)]
pub(super) struct Column {
    value: ValueType,
    /// The levels of a value that is there.
    full: Levels,
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
    values: Values,
}

impl Column {
    pub(super) fn new(value: ValueType, full: Levels) -> Self {
        let values = match value {
            ValueType::Text => Values::Text(Vec::new()),
            ValueType::Boolean => Values::Boolean(Vec::new()),
            ValueType::Float => Values::Float(Vec::new()),
            ValueType::Int32 | ValueType::Decimal { precision: ..=9, .. } => Values::Int32(Vec::new()),
            ValueType::Int64 | ValueType::Decimal { precision: 10..=18, .. } => Values::Int64(Vec::new()),
            ValueType::Decimal { .. } => Values::Fixed(Vec::new()),
        };
        Self { value, full, definitions: Vec::new(), repetitions: Vec::new(), values }
    }

    pub(super) fn clear(&mut self) {
        self.definitions.clear();
        self.repetitions.clear();
        match &mut self.values {
            Values::Text(values) => values.clear(),
            Values::Boolean(values) => values.clear(),
            Values::Float(values) => values.clear(),
            Values::Int32(values) => values.clear(),
            Values::Int64(values) => values.clear(),
            Values::Fixed(values) => values.clear(),
        }
    }

    /// Notes that no value is there; `levels` are those of the innermost thing around it that is.
    pub(super) fn push_absent(&mut self, levels: Levels) {
        self.definitions.push(levels.definition);
        self.repetitions.push(levels.repetition);
    }

    /// # Errors
    /// A value that is not of the column's type, which a bind does not write.
    pub(super) fn push(&mut self, scalar: Scalar<'_>, levels: Levels) -> Result<(), Error> {
        match (&mut self.values, scalar) {
            (Values::Text(values), Scalar::Text(text)) => {
                let mut plain = Vec::with_capacity(text.len());
                unescape(text, &mut plain);
                values.push(ByteArray::from(plain));
            }
            (Values::Text(values), Scalar::Bare(number)) => values.push(ByteArray::from(number.to_vec())),
            (Values::Boolean(values), Scalar::Bare(word)) => values.push(word == b"true"),
            (Values::Float(values), Scalar::Bare(number)) => {
                let number = std::str::from_utf8(number).ok().and_then(|number| number.parse().ok());
                values.push(number.ok_or_else(unexpected)?);
            }
            (Values::Int32(values), Scalar::Bare(number)) => {
                values.push(integer(self.value, number)?.try_into().map_err(|_| unexpected())?);
            }
            (Values::Int64(values), Scalar::Bare(number)) => {
                values.push(integer(self.value, number)?.try_into().map_err(|_| unexpected())?);
            }
            (Values::Fixed(values), Scalar::Bare(number)) => {
                let bytes = integer(self.value, number)?.to_be_bytes().to_vec();
                values.push(FixedLenByteArray::from(bytes));
            }
            _ => return Err(unexpected()),
        }
        self.definitions.push(self.full.definition);
        self.repetitions.push(levels.repetition);
        Ok(())
    }

    pub(super) fn write(&self, writer: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        match &self.values {
            Values::Text(values) => self.write_typed::<ByteArrayType>(values, writer.typed()),
            Values::Boolean(values) => self.write_typed::<BoolType>(values, writer.typed()),
            Values::Float(values) => self.write_typed::<DoubleType>(values, writer.typed()),
            Values::Int32(values) => self.write_typed::<Int32Type>(values, writer.typed()),
            Values::Int64(values) => self.write_typed::<Int64Type>(values, writer.typed()),
            Values::Fixed(values) => self.write_typed::<FixedLenByteArrayType>(values, writer.typed()),
        }
    }

    fn write_typed<T: DataType>(
        &self,
        values: &[T::T],
        writer: &mut ColumnWriterImpl<'_, T>,
    ) -> Result<(), ParquetError> {
        let repetitions = (self.full.repetition > 0).then_some(self.repetitions.as_slice());
        writer.write_batch(values, Some(&self.definitions), repetitions).map(drop)
    }
}

/// A number as an integer of the column's scale.
fn integer(value: ValueType, number: &[u8]) -> Result<i128, Error> {
    let scale = match value {
        ValueType::Decimal { scale, .. } => scale,
        _ => 0,
    };
    Decimal::from_json(number).and_then(|number| number.scaled_to(scale)).map_err(|_| unexpected())
}

#[cold]
fn unexpected() -> Error {
    Error::new(ErrorKind::Data, "a value is not of the type that the schema gives its column")
}
