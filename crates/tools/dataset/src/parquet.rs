//! Parquet out and back: a column for each value, groups as structs, tables as lists, decimals as DECIMAL(p,s).
//!
//! Every value may be null, since JSON may leave any out. Types, levels and the three-level form of lists follow the
//! Parquet format's LogicalTypes document.

mod columns;
mod rows;

pub use rows::ParquetTexts;

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type, TypePtr};
use record::{Bind, Schema, write_string};

use crate::cursor::{Cursor, Scalar};
use crate::decode::Sink;
use crate::error::{Error, ErrorKind};
use columns::{Column, Levels, ValueType};

/// Bytes of JSON, and of what tables may have, after which a row group is written.
pub const ROW_GROUP_BYTES: usize = 64 << 20;
/// Bytes that a value costs in a row group even if it is absent: its levels.
const LEVELS_BYTES: usize = 4;

/// The values under a name.
#[derive(Debug)]
enum Node {
    Value { column: usize },
    Object(Vec<Member>),
    Rows { item: Box<Node>, repetition: i16 },
}

#[derive(Debug)]
struct Member {
    /// The name as JSON writes it, without its quotes.
    name: Vec<u8>,
    node: Node,
}

/// Writes records as Parquet, from JSON lines: a [`Sink`] for a [`crate::Decode`] with [`crate::Output::JsonLines`].
pub struct ParquetWriter<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    root: Node,
    columns: Vec<Column>,
    gathered_bytes: usize,
}

impl<W: Write + Send> ParquetWriter<W> {
    /// A writer of a bind's records.
    ///
    /// # Errors
    /// The target cannot be written.
    pub fn new(bind: &Bind, target: W) -> Result<Self, Error> {
        let schema = bind.response_schema();
        let mut columns = Vec::new();
        let mut fields = Vec::new();
        let mut members = Vec::new();
        for (name, schema) in &schema.properties {
            let (node, field) = plan(name, schema, Levels::default(), &mut columns)?;
            members.push(Member { name: inner(name), node });
            fields.push(field);
        }
        let root = Type::group_type_builder("record").with_fields(fields).build().map_err(failed)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(concat!("gantry ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let writer =
            SerializedFileWriter::new(target, Arc::new(root), Arc::new(properties)).map_err(failed)?;
        Ok(Self { writer, root: Node::Object(members), columns, gathered_bytes: 0 })
    }

    /// Writes what was gathered and the end of the file, without which it is none.
    ///
    /// # Errors
    /// The target cannot be written.
    pub fn finish(mut self) -> Result<(), Error> {
        self.write_group()?;
        self.writer.close().map_err(failed)?;
        Ok(())
    }

    fn write_group(&mut self) -> Result<(), Error> {
        if self.gathered_bytes == 0 {
            return Ok(());
        }
        let mut group = self.writer.next_row_group().map_err(failed)?;
        for column in &mut self.columns {
            let writer = group.next_column().map_err(failed)?;
            let mut writer = writer.expect("the file has as many columns as the plan");
            column.write(&mut writer).map_err(failed)?;
            writer.close().map_err(failed)?;
            column.clear();
        }
        group.close().map_err(failed)?;
        self.gathered_bytes = 0;
        Ok(())
    }
}

impl<W: Write + Send> Sink for ParquetWriter<W> {
    fn write(&mut self, text: &[u8]) -> Result<(), Error> {
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let json = line.strip_suffix(b"\n").unwrap_or(line);
            // The root has no level of its own.
            gather_object(&self.root, &mut Cursor::new(json), Levels::default(), &mut self.columns)?;
            self.gathered_bytes += json.len() + LEVELS_BYTES * self.columns.len() + 1;
            if self.gathered_bytes >= ROW_GROUP_BYTES {
                self.write_group()?;
            }
        }
        Ok(())
    }
}

fn failed(error: ParquetError) -> Error {
    let kind = match &error {
        ParquetError::External(_) => ErrorKind::Io,
        _ => ErrorKind::Text,
    };
    let message = error.to_string();
    Error { source: Some(Box::new(error)), ..Error::new(kind, message) }
}

/// A name as it stands between the quotes of JSON.
fn inner(name: &str) -> Vec<u8> {
    let mut quoted = Vec::new();
    write_string(name, &mut quoted);
    quoted[1..quoted.len() - 1].to_vec()
}

/// The column or columns of a value, and their type in the file. `levels` are those of what holds it.
fn plan(
    name: &str,
    schema: &Schema,
    levels: Levels,
    columns: &mut Vec<Column>,
) -> Result<(Node, TypePtr), Error> {
    let levels = levels.defined();
    let group = |fields, logical| {
        let group = Type::group_type_builder(name)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical)
            .with_fields(fields);
        group.build().map(Arc::new).map_err(failed)
    };
    match schema.kind {
        "object" => {
            let (mut members, mut fields) = (Vec::new(), Vec::new());
            for (name, schema) in &schema.properties {
                let (node, field) = plan(name, schema, levels, columns)?;
                members.push(Member { name: inner(name), node });
                fields.push(field);
            }
            Ok((Node::Object(members), group(fields, None)?))
        }
        "array" => {
            let items = schema.items.as_deref().cloned().unwrap_or_default();
            let levels = levels.repeated();
            let (item, element) = plan("element", &items, levels, columns)?;
            let list = Type::group_type_builder("list")
                .with_repetition(Repetition::REPEATED)
                .with_fields(vec![element]);
            let list = list.build().map(Arc::new).map_err(failed)?;
            let node = Node::Rows { item: Box::new(item), repetition: levels.repetition };
            Ok((node, group(vec![list], Some(LogicalType::List))?))
        }
        _ => {
            let value = ValueType::of(schema);
            let field = leaf(name, value)?;
            columns.push(Column::new(value, levels));
            Ok((Node::Value { column: columns.len() - 1 }, field))
        }
    }
}

/// The type of a value in the file.
fn leaf(name: &str, value: ValueType) -> Result<TypePtr, Error> {
    let (physical, logical) = match value {
        ValueType::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
        ValueType::Boolean => (PhysicalType::BOOLEAN, None),
        ValueType::Float => (PhysicalType::DOUBLE, None),
        ValueType::Int32 => (PhysicalType::INT32, None),
        ValueType::Int64 => (PhysicalType::INT64, None),
        ValueType::Decimal { precision, scale } => {
            let physical = match precision {
                ..=9 => PhysicalType::INT32,
                10..=18 => PhysicalType::INT64,
                _ => PhysicalType::FIXED_LEN_BYTE_ARRAY,
            };
            (physical, Some(LogicalType::decimal(scale, precision)))
        }
    };
    let mut builder = Type::primitive_type_builder(name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical);
    if let ValueType::Decimal { precision, scale } = value {
        builder = builder.with_precision(precision).with_scale(scale);
    }
    if physical == PhysicalType::FIXED_LEN_BYTE_ARRAY {
        builder = builder.with_length(columns::DECIMAL_BYTES as i32);
    }
    builder.build().map(Arc::new).map_err(failed)
}

/// Puts the members of an object, which is there with these levels, into their columns.
fn gather_object(
    node: &Node,
    cursor: &mut Cursor<'_>,
    levels: Levels,
    columns: &mut [Column],
) -> Result<(), Error> {
    let Node::Object(members) = node else { return Ok(()) };
    cursor.take(b'{');
    let mut next = 0;
    while let Some(name) = cursor.member() {
        // Members come in the order of the plan; those that were left out are absent.
        let Some(skipped) = members[next..].iter().position(|member| member.name == name) else {
            cursor.skip();
            continue;
        };
        for member in &members[next..next + skipped] {
            absent(&member.node, levels, columns);
        }
        next += skipped;
        gather(&members[next].node, cursor, levels, columns)?;
        next += 1;
    }
    for member in &members[next..] {
        absent(&member.node, levels, columns);
    }
    Ok(())
}

/// Puts the value that is next into its columns; `levels` are those of what holds it.
fn gather(node: &Node, cursor: &mut Cursor<'_>, levels: Levels, columns: &mut [Column]) -> Result<(), Error> {
    match node {
        Node::Value { column } => match cursor.scalar() {
            Scalar::Null => columns[*column].push_absent(levels),
            scalar => columns[*column].push(scalar, levels)?,
        },
        Node::Object(_) if cursor.peek() == Some(b'{') => {
            gather_object(node, cursor, levels.defined(), columns)?;
        }
        Node::Rows { item, repetition } if cursor.take(b'[') => {
            let list = levels.defined();
            let mut row = list.defined();
            let mut any = false;
            while cursor.element() {
                gather(item, cursor, row, columns)?;
                row.repetition = *repetition;
                any = true;
            }
            if !any {
                absent(item, list, columns);
            }
        }
        Node::Object(_) | Node::Rows { .. } => {
            cursor.skip();
            absent(node, levels, columns);
        }
    }
    Ok(())
}

/// Notes that nothing of a node is there.
fn absent(node: &Node, levels: Levels, columns: &mut [Column]) {
    match node {
        Node::Value { column } => columns[*column].push_absent(levels),
        Node::Object(members) => members.iter().for_each(|member| absent(&member.node, levels, columns)),
        Node::Rows { item, .. } => absent(item, levels, columns),
    }
}
