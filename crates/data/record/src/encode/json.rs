//! JSON to record: one pass over the text with a cursor.

use copybook::FieldId;

use super::{MemberPlan, ObjectPlan, Quick, Seen, Sink, TablePlan, ValuePlan};
use crate::error::{Error, ErrorKind};
use crate::json::Cursor;
use crate::options::UnknownFields;

use crate::rich::Rich;
use crate::slot::{Codec, Given, Slot};
use crate::text::TextCodec;

/// Reads one JSON text into a record.
pub(crate) struct JsonReader<'a> {
    cursor: Cursor<'a>,
    sink: Sink<'a>,
}

impl<'a> JsonReader<'a> {
    pub(crate) fn new(text: &'a str, sink: Sink<'a>) -> Self {
        Self { cursor: Cursor::new(text), sink }
    }

    /// Writes the whole text, which must be one object.
    pub(crate) fn run(mut self, plan: &ObjectPlan) -> Result<(), Error> {
        match self.cursor.peek() {
            Some(b'{') => {}
            // Text that is not JSON is reported before JSON of a wrong type.
            _ => {
                let (start, kind) = (self.cursor.at(), self.cursor.kind());
                self.cursor.skip_value(0)?;
                self.end()?;
                let error = Error::new(ErrorKind::NotAnObject, format!("expected an object, found {kind}"));
                return Err(self.placed(error, start));
            }
        }
        self.object(plan)?;
        self.end()?;
        self.sink.settle()
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
        // Without views nothing is put in, and nothing allocated.
        let mut chosen = Vec::new();
        if !self.cursor.take(b'}') {
            let mut expected = 0;
            loop {
                self.one_member(plan, &mut seen, &mut chosen, &mut expected)?;
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
        self.sink.expect_choices(plan, &chosen);
        Ok(())
    }

    #[inline]
    fn one_member(
        &mut self,
        plan: &ObjectPlan,
        seen: &mut Seen,
        chosen: &mut Vec<FieldId>,
        expected: &mut usize,
    ) -> Result<(), Error> {
        if self.cursor.peek() != Some(b'"') {
            return Err(self.cursor.unexpected("a member's name in quotes"));
        }
        let start = self.cursor.at();
        // The expected name, in its usual form, is tried first.
        let usual = plan.members.get(*expected).and_then(|member| member.key.starts(self.cursor.rest()));
        let position = if let Some(length) = usual {
            self.cursor.pass(length);
            *expected
        } else {
            let name = self.cursor.string()?;
            self.cursor.expect(b':')?;
            match plan.lookup.find(name.as_bytes(), *expected) {
                Some(position) => position,
                None => return self.unknown(plan, &name, start),
            }
        };
        *expected = position + 1;
        let member = &plan.members[position];
        if self.cursor.peek() == Some(b'n') && self.sink.target.ignores_null(member) {
            return self.cursor.word("null");
        }
        if !seen.insert(position) && !self.sink.target.takes_twice(member) {
            let error = Error::new(ErrorKind::DuplicateField, "this field occurs twice in one object");
            return Err(self.placed(error.within(&member.name), start));
        }
        if member.table.is_none() && self.quick(member) {
            return Ok(());
        }
        let value_start = {
            self.cursor.peek();
            self.cursor.at()
        };
        if plan.has_views
            && let Some(view) = &member.view
        {
            self.sink
                .choose(view, chosen, &member.name)
                .map_err(|error| self.placed(error.within(&member.name), start))?;
        }
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
        if self.sink.target.policies.unknown_fields == UnknownFields::Ignore {
            return self.cursor.skip_value(1);
        }
        let message = match plan.lookup.nearest(name) {
            Some(nearest) => format!("unknown field; did you mean '{nearest}'?"),
            None => match plan.group_with(name) {
                Some(group) => format!("unknown field; it belongs in the object '{group}'"),
                None => "unknown field".to_owned(),
            },
        };
        let shown: String = name.chars().take(64).collect();
        Err(self.placed(Error::new(ErrorKind::UnknownField, message).within(&shown), start))
    }

    fn member(&mut self, member: &MemberPlan) -> Result<(), Error> {
        self.sink.note(member);
        match &member.table {
            None => self.value(member),
            Some(table) => self.table(table, member),
        }
    }

    #[inline]
    fn value(&mut self, member: &MemberPlan) -> Result<(), Error> {
        let next = self.cursor.peek();
        match &member.value {
            ValuePlan::Scalar(slot) => {
                let delta = self.sink.delta();
                match (&slot.codec, next) {
                    (Codec::Text(codec), Some(b'"')) => {
                        let tables = self.sink.target.tables;
                        let field = slot.field_mut(self.sink.record, delta);
                        tables.encode(*codec, &self.cursor.string()?, field)
                    }
                    (Codec::Number(codec), Some(b'-' | b'0'..=b'9')) => {
                        let start = self.cursor.at();
                        let text = self.cursor.number();
                        match slot.set_number(codec, text, self.sink.record, delta) {
                            Err(error) if error.kind == ErrorKind::WrongType => {
                                Err(self.cursor.bad_number(start))
                            }
                            other => other,
                        }
                    }
                    (Codec::Rich(rich), next) => self.rich(slot, rich, next),
                    (Codec::Text(_), _) => Err(self.wrong_type("text")),
                    (Codec::Number(_), _) => Err(self.wrong_type("a number")),
                }
            }
            ValuePlan::Object(plan) if next == Some(b'{') => self.object(plan),
            ValuePlan::Object(_) => Err(self.wrong_type("an object")),
        }
    }

    /// Writes the next value if it is a usual one; else does nothing.
    #[inline]
    fn quick(&mut self, member: &MemberPlan) -> bool {
        let (rest, delta) = (self.cursor.rest(), self.sink.delta());
        let passed = match &member.quick {
            Quick::Number { number, offset } => number.parse_json(rest).map(|(digits, length)| {
                number.write(digits, self.sink.record, offset + delta);
                length
            }),
            Quick::Text { codec, offset, bytes } => {
                let field = &mut self.sink.record[offset + delta..offset + delta + bytes];
                let done = self.sink.target.tables.encode_json(*codec, rest, *bytes, field);
                (done.rows == 1).then_some(done.read)
            }
            Quick::Never => None,
        };
        self.cursor.pass(passed.unwrap_or_default());
        passed.is_some()
    }

    fn rich(&mut self, slot: &Slot, rich: &Rich, next: Option<u8>) -> Result<(), Error> {
        let (tables, delta) = (self.sink.target.tables, self.sink.delta());
        let field = slot.field_mut(self.sink.record, delta);
        let start = self.cursor.at();
        match next {
            Some(b'"') => rich.write(Given::Text(&self.cursor.string()?), field, tables),
            Some(b'-' | b'0'..=b'9') => {
                let text = std::str::from_utf8(self.cursor.number()).unwrap_or_default();
                match crate::decimal::Decimal::from_json(text.as_bytes()) {
                    Err(crate::decimal::NumberError::Syntax) => Err(self.cursor.bad_number(start)),
                    _ => rich.write(Given::Number(text), field, tables),
                }
            }
            Some(b't') => {
                self.cursor.word("true")?;
                rich.write(Given::Boolean(true), field, tables)
            }
            Some(b'f') => {
                self.cursor.word("false")?;
                rich.write(Given::Boolean(false), field, tables)
            }
            Some(b'n') => {
                self.cursor.word("null")?;
                rich.write(Given::Null, field, tables)
            }
            _ => Err(self.wrong_type(rich.expected())),
        }
    }

    #[cold]
    fn wrong_type(&mut self, expected: &str) -> Error {
        let at = self.cursor.at();
        let kind = self.cursor.kind();
        // If the text there is not JSON, that is the error.
        if let Err(error) = self.cursor.skip_value(0) {
            return error;
        }
        self.placed(Error::new(ErrorKind::WrongType, format!("expected {expected}, found {kind}")), at)
    }

    /// Writes the next rows of text together, if possible. `row` is the number of the next row. Returns how
    /// many rows it wrote, at least one.
    #[inline]
    fn text_rows(
        &mut self,
        table: &TablePlan,
        slot: &Slot,
        codec: TextCodec,
        row: usize,
    ) -> Result<usize, Error> {
        let (tables, start) = (self.sink.target.tables, slot.offset + self.sink.delta());
        let fields = &mut self.sink.record[start..start + (table.max - row) * slot.bytes];
        let done = tables.encode_json(codec, self.cursor.rest(), slot.bytes, fields);
        if done.rows > 0 {
            self.cursor.pass(done.read);
            return Ok(done.rows);
        }
        tables.encode(codec, &self.cursor.string()?, &mut fields[..slot.bytes])?;
        Ok(1)
    }

    fn table(&mut self, table: &TablePlan, member: &MemberPlan) -> Result<(), Error> {
        if self.cursor.peek() != Some(b'[') {
            return Err(self.wrong_type("an array"));
        }
        self.cursor.expect(b'[')?;
        self.sink.enter();
        let mut rows = 0;
        if !self.cursor.take(b']') {
            loop {
                self.sink.row(table, rows)?;
                let next = self.cursor.peek();
                let start = self.cursor.at();
                let written = match &member.value {
                    ValuePlan::Scalar(slot) if next == Some(b'"') && table.stride == slot.bytes => {
                        match slot.codec {
                            Codec::Text(codec) => self.text_rows(table, slot, codec, rows),
                            _ => self.value(member).map(|()| 1),
                        }
                    }
                    ValuePlan::Scalar(_) if self.quick(member) => Ok(1),
                    _ => self.value(member).map(|()| 1),
                };
                rows += written.map_err(|error| self.placed(error.within_row(rows), start))?;
                if !self.cursor.take(b',') {
                    if self.cursor.take(b']') {
                        break;
                    }
                    return Err(self.cursor.unexpected("',' or ']'"));
                }
            }
        }
        self.sink.leave(table, rows)
    }
}
