//! JSON to record: one pass over the text, each member's value written straight to its place.

use std::collections::HashSet;

use crate::error::{Error, ErrorKind};
use crate::json::Cursor;
use crate::lookup::Lookup;
use crate::model::{Member, Node, TABLE_DEPTH_MAX};
use crate::options::UnknownFields;
use crate::shape::Shape;
use crate::slot::{Codec, Slot};
use crate::text::TextTables;

/// The plan of one JSON object.
#[derive(Clone, Debug)]
pub(crate) struct ObjectPlan {
    lookup: Lookup,
    members: Vec<MemberPlan>,
    /// Positions of members that must be there.
    required: Vec<usize>,
}

#[derive(Clone, Debug)]
struct MemberPlan {
    name: Box<str>,
    value: ValuePlan,
    table: Option<TablePlan>,
}

#[derive(Clone, Debug)]
enum ValuePlan {
    Object(ObjectPlan),
    Scalar(Slot),
}

#[derive(Clone, Copy, Debug)]
struct TablePlan {
    stride: usize,
    min: usize,
    max: usize,
    counter: Option<usize>,
    depth: usize,
}

impl ObjectPlan {
    /// Plans the members of an object.
    pub(crate) fn new(members: &[Member]) -> Self {
        let names = members.iter().map(|member| member.name.as_str().into()).collect();
        let required =
            members.iter().enumerate().filter(|(_, member)| member.required).map(|(at, _)| at).collect();
        let members = members.iter().map(MemberPlan::new).collect();
        Self { lookup: Lookup::new(names), members, required }
    }

    /// An object around this one.
    pub(crate) fn wrapped(self, name: &str) -> Self {
        let required = if self.required.is_empty() { Vec::new() } else { vec![0] };
        let member = MemberPlan { name: name.into(), value: ValuePlan::Object(self), table: None };
        Self { lookup: Lookup::new(vec![name.into()]), members: vec![member], required }
    }
}

impl MemberPlan {
    fn new(member: &Member) -> Self {
        let value = match &member.node {
            Node::Object(members) => ValuePlan::Object(ObjectPlan::new(members)),
            Node::Scalar(slot) => ValuePlan::Scalar(slot.clone()),
        };
        let table = member.table.map(|table| TablePlan {
            stride: table.stride,
            min: table.min,
            max: table.max,
            counter: table.counter,
            depth: table.depth,
        });
        Self { name: member.name.as_str().into(), value, table }
    }
}

/// What one request writes into.
pub(crate) struct Encoder<'a> {
    pub(crate) cursor: Cursor<'a>,
    pub(crate) record: &'a mut [u8],
    pub(crate) tables: &'a TextTables,
    pub(crate) shape: &'a Shape,
    pub(crate) unknown_fields: UnknownFields,
    /// For each depth of tables, how far the row being written lies behind the first.
    deltas: [usize; TABLE_DEPTH_MAX + 1],
    depth: usize,
    /// Where shared counters were written, to see that all who share one agree.
    shared_counters: HashSet<usize>,
}

impl<'a> Encoder<'a> {
    pub(crate) fn new(
        text: &'a str,
        record: &'a mut [u8],
        tables: &'a TextTables,
        shape: &'a Shape,
        unknown_fields: UnknownFields,
    ) -> Self {
        Self {
            cursor: Cursor::new(text),
            record,
            tables,
            shape,
            unknown_fields,
            deltas: [0; TABLE_DEPTH_MAX + 1],
            depth: 0,
            shared_counters: HashSet::new(),
        }
    }

    /// Writes the whole text, which must be one object.
    pub(crate) fn run(mut self, plan: &ObjectPlan) -> Result<(), Error> {
        match self.cursor.peek() {
            Some(b'{') => {}
            // What is no JSON at all is said so, before what is JSON of another kind.
            _ => {
                let (start, kind) = (self.cursor.at(), self.cursor.kind());
                self.cursor.skip_value(0)?;
                self.end()?;
                let error = Error::new(ErrorKind::NotAnObject, format!("expected an object, found {kind}"));
                return Err(self.placed(error, start));
            }
        }
        self.object(plan)?;
        self.end()
    }

    fn end(&mut self) -> Result<(), Error> {
        match self.cursor.peek() {
            None => Ok(()),
            Some(_) => Err(self.cursor.unexpected("the end of the text")),
        }
    }

    fn object(&mut self, plan: &ObjectPlan) -> Result<(), Error> {
        let start = self.cursor.at();
        self.cursor.expect(b'{')?;
        let mut seen = Seen::new(plan.members.len());
        if !self.cursor.take(b'}') {
            let mut expected = 0;
            loop {
                self.one_member(plan, &mut seen, &mut expected)?;
                if !self.cursor.take(b',') {
                    if self.cursor.take(b'}') {
                        break;
                    }
                    return Err(self.cursor.unexpected("',' or '}'"));
                }
            }
        }
        for required in &plan.required {
            if !seen.contains(*required) {
                let error = Error::new(ErrorKind::MissingField, "this field is required");
                let error = error.within(&plan.members[*required].name);
                return Err(Error { position: Some(self.cursor.position(start)), ..error });
            }
        }
        Ok(())
    }

    #[inline]
    fn one_member(&mut self, plan: &ObjectPlan, seen: &mut Seen, expected: &mut usize) -> Result<(), Error> {
        if self.cursor.peek() != Some(b'"') {
            return Err(self.cursor.unexpected("a member's name in quotes"));
        }
        let start = self.cursor.at();
        let name = self.cursor.string()?;
        self.cursor.expect(b':')?;
        let Some(position) = plan.lookup.find(name.as_bytes(), *expected) else {
            return self.unknown(plan, &name, start);
        };
        *expected = position + 1;
        let member = &plan.members[position];
        if !seen.insert(position) {
            let error = Error::new(ErrorKind::DuplicateField, "this field stands twice in one object");
            return Err(self.placed(error.within(&member.name), start));
        }
        let value_start = {
            self.cursor.peek();
            self.cursor.at()
        };
        self.member(member).map_err(|error| self.placed(error.within(&member.name), value_start))
    }

    /// Adds line and column to an error that has none yet.
    #[cold]
    fn placed(&self, mut error: Error, at: usize) -> Error {
        error.position.get_or_insert_with(|| self.cursor.position(at));
        error
    }

    #[cold]
    fn unknown(&mut self, plan: &ObjectPlan, name: &str, start: usize) -> Result<(), Error> {
        if self.unknown_fields == UnknownFields::Ignore {
            return self.cursor.skip_value(1);
        }
        let message = match plan.lookup.nearest(name) {
            Some(nearest) => format!("unknown field; did you mean '{nearest}'?"),
            None => "unknown field".to_owned(),
        };
        let shown: String = name.chars().take(64).collect();
        Err(self.placed(Error::new(ErrorKind::UnknownField, message).within(&shown), start))
    }

    fn member(&mut self, member: &MemberPlan) -> Result<(), Error> {
        match &member.table {
            None => self.value(&member.value),
            Some(table) => self.table(table, &member.value),
        }
    }

    #[inline]
    fn value(&mut self, value: &ValuePlan) -> Result<(), Error> {
        let next = self.cursor.peek();
        match value {
            ValuePlan::Scalar(slot) => {
                let delta = self.deltas[self.depth];
                match (&slot.codec, next) {
                    (Codec::Text(codec), Some(b'"')) => {
                        let text = self.cursor.string()?;
                        slot.set_string(*codec, &text, self.record, delta, self.tables)
                    }
                    (Codec::Number(codec), Some(b'-' | b'0'..=b'9')) => {
                        let start = self.cursor.at();
                        let text = self.cursor.number();
                        match slot.set_number(codec, text, self.record, delta) {
                            Err(error) if error.kind == ErrorKind::WrongType => {
                                Err(self.cursor.bad_number(start))
                            }
                            other => other,
                        }
                    }
                    (Codec::Text(_), _) => Err(self.wrong_type("text")),
                    (Codec::Number(_), _) => Err(self.wrong_type("a number")),
                }
            }
            ValuePlan::Object(plan) if next == Some(b'{') => self.object(plan),
            ValuePlan::Object(_) => Err(self.wrong_type("an object")),
        }
    }

    #[cold]
    fn wrong_type(&mut self, expected: &str) -> Error {
        let at = self.cursor.at();
        let kind = self.cursor.kind();
        // If what stands there is no JSON, that is what is wrong.
        if let Err(error) = self.cursor.skip_value(0) {
            return error;
        }
        self.placed(Error::new(ErrorKind::WrongType, format!("expected {expected}, found {kind}")), at)
    }

    fn table(&mut self, table: &TablePlan, value: &ValuePlan) -> Result<(), Error> {
        if self.cursor.peek() != Some(b'[') {
            return Err(self.wrong_type("an array"));
        }
        self.cursor.expect(b'[')?;
        let outer = self.deltas[self.depth];
        self.depth += 1;
        let mut rows = 0;
        if !self.cursor.take(b']') {
            loop {
                if rows == table.max {
                    return Err(Error::new(
                        ErrorKind::RowCount,
                        format!("the array has more than {} rows", table.max),
                    ));
                }
                self.deltas[self.depth] = outer + rows * table.stride;
                self.cursor.peek();
                let start = self.cursor.at();
                self.value(value).map_err(|error| self.placed(error.within_row(rows), start))?;
                rows += 1;
                if !self.cursor.take(b',') {
                    if self.cursor.take(b']') {
                        break;
                    }
                    return Err(self.cursor.unexpected("',' or ']'"));
                }
            }
        }
        self.depth -= 1;
        if rows < table.min {
            return Err(Error::new(
                ErrorKind::RowCount,
                format!("the array has {rows} rows, the table has at least {}", table.min),
            ));
        }
        table.counter.map_or(Ok(()), |counter| self.count(counter, rows, table))
    }

    /// Writes the number of rows into the table's counter.
    fn count(&mut self, counter: usize, rows: usize, table: &TablePlan) -> Result<(), Error> {
        let counter = &self.shape.counters[counter];
        let delta = self.deltas[counter.depth.min(table.depth)];
        let at = counter.slot.offset + delta;
        let field = &mut self.record[at..at + counter.slot.bytes];
        if counter.shared && !self.shared_counters.insert(at) {
            return match counter.codec.read(field)? {
                written if written == rows as i128 => Ok(()),
                written => Err(Error::new(
                    ErrorKind::RowCount,
                    format!(
                        "the array has {rows} rows, but another one that goes by the same counter has {written}"
                    ),
                )),
            };
        }
        counter.codec.form.write(rows as i128, field);
        Ok(())
    }
}

/// Which members of an object were there.
enum Seen {
    Small(u64),
    Large(Vec<bool>),
}

impl Seen {
    #[inline]
    fn new(members: usize) -> Self {
        if members <= 64 { Seen::Small(0) } else { Seen::Large(vec![false; members]) }
    }

    /// Notes a member; false if it was there before.
    #[inline]
    fn insert(&mut self, position: usize) -> bool {
        match self {
            Seen::Small(bits) => {
                let bit = 1 << position;
                let new = *bits & bit == 0;
                *bits |= bit;
                new
            }
            Seen::Large(flags) => !std::mem::replace(&mut flags[position], true),
        }
    }

    fn contains(&self, position: usize) -> bool {
        match self {
            Seen::Small(bits) => bits & (1 << position) != 0,
            Seen::Large(flags) => flags[position],
        }
    }
}
