//! JSON to record: one pass over the text, each member's value written straight to its place.

use std::collections::HashSet;
use std::ops::Range;

use copybook::{FieldId, Layout};

use crate::error::{Error, ErrorKind};
use crate::json::Cursor;
use crate::lookup::Lookup;
use crate::model::{Member, Node, TABLE_DEPTH_MAX};
use crate::options::{DuplicateFields, MissingRows, UnknownFields};
use crate::policies::Nulls;
use crate::rich::Rich;
use crate::shape::Shape;
use crate::slot::{Codec, Given, Slot};
use crate::text::TextTables;
use crate::views::Rule;

/// The plan of one JSON object.
#[derive(Clone, Debug)]
pub(crate) struct ObjectPlan {
    lookup: Lookup,
    members: Vec<MemberPlan>,
    /// Positions of members that must be there.
    required: Vec<usize>,
    /// Some members are views of the same bytes.
    has_views: bool,
}

#[derive(Clone, Debug)]
struct MemberPlan {
    name: Box<str>,
    value: ValuePlan,
    table: Option<TablePlan>,
    view: Option<ViewPlan>,
    /// The field tells which view of other bytes the record holds.
    tells: bool,
}

/// A member that is one of several views of the same bytes.
#[derive(Clone, Debug)]
struct ViewPlan {
    view: FieldId,
    area: FieldId,
    offset: usize,
    initial: Box<[u8]>,
    rule: Option<usize>,
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
    pub(crate) fn new(members: &[Member], layout: &Layout, rules: &[Rule]) -> Self {
        let names = members.iter().map(|member| member.name.as_str().into()).collect();
        let required =
            members.iter().enumerate().filter(|(_, member)| member.required).map(|(at, _)| at).collect();
        let has_views = members.iter().any(|member| member.view.is_some());
        let members = members.iter().map(|member| MemberPlan::new(member, layout, rules)).collect();
        Self { lookup: Lookup::new(names), members, required, has_views }
    }

    /// An object around this one.
    pub(crate) fn wrapped(self, name: &str) -> Self {
        let required = if self.required.is_empty() { Vec::new() } else { vec![0] };
        let value = ValuePlan::Object(self);
        let member = MemberPlan { name: name.into(), value, table: None, view: None, tells: false };
        Self { lookup: Lookup::new(vec![name.into()]), members: vec![member], required, has_views: false }
    }
}

impl MemberPlan {
    fn new(member: &Member, layout: &Layout, rules: &[Rule]) -> Self {
        let value = match &member.node {
            Node::Object(members) => ValuePlan::Object(ObjectPlan::new(members, layout, rules)),
            Node::Scalar(slot) => ValuePlan::Scalar(slot.clone()),
        };
        let table = member.table.map(|table| TablePlan {
            stride: table.stride,
            min: table.min,
            max: table.max,
            counter: table.counter,
            depth: table.depth,
        });
        let view = member.view.as_ref().map(|view| ViewPlan {
            view: member.field,
            area: view.area,
            offset: layout.field(member.field).offset,
            initial: view.initial.as_slice().into(),
            rule: view.rule,
        });
        let tells = rules.iter().any(|rule| rule.field == member.field);
        Self { name: member.name.as_str().into(), value, table, view, tells }
    }
}

/// What one request writes into.
pub(crate) struct Encoder<'a> {
    cursor: Cursor<'a>,
    record: &'a mut [u8],
    target: Target<'a>,
    /// For each depth of tables, how far the row being written lies behind the first.
    deltas: [usize; TABLE_DEPTH_MAX + 1],
    depth: usize,
    /// Where shared counters were written, to see that all who share one agree.
    shared_counters: HashSet<usize>,
    /// Views that were chosen.
    choices: Vec<Choice>,
    /// Where fields that tell views apart were written.
    told: Vec<usize>,
}

/// A view that a request chose, in one row of the tables around it.
struct Choice {
    view: FieldId,
    bytes: Range<usize>,
    /// The rule, and where the field that tells lies.
    rule: Option<(usize, usize)>,
    deltas: [usize; TABLE_DEPTH_MAX + 1],
    depth: usize,
    path: String,
}

/// What a request needs of its bind.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) template: &'a [u8],
    pub(crate) tables: &'a TextTables,
    pub(crate) shape: &'a Shape,
    pub(crate) rules: &'a [Rule],
    pub(crate) policies: RequestPolicies,
}

/// What a request may do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestPolicies {
    pub(crate) unknown_fields: UnknownFields,
    pub(crate) duplicate_fields: DuplicateFields,
    pub(crate) missing_rows: MissingRows,
    pub(crate) nulls: Nulls,
}

impl<'a> Encoder<'a> {
    pub(crate) fn new(text: &'a str, record: &'a mut [u8], target: Target<'a>) -> Self {
        Self {
            cursor: Cursor::new(text),
            record,
            target,
            deltas: [0; TABLE_DEPTH_MAX + 1],
            depth: 0,
            shared_counters: HashSet::new(),
            choices: Vec::new(),
            told: Vec::new(),
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
        self.end()?;
        self.settle_views()
    }

    /// Sets the fields that tell views apart, and gives the fields of views their places.
    fn settle_views(&mut self) -> Result<(), Error> {
        let choices = std::mem::take(&mut self.choices);
        for choice in &choices {
            if let Some((rule, at)) = choice.rule {
                self.tell(rule, at).map_err(|error| error.within(&choice.path))?;
            }
        }
        // A view within a view was chosen after it, and must be drawn together before its place moves.
        for choice in choices.into_iter().rev() {
            let Target { shape, tables, .. } = self.target;
            let deltas = &choice.deltas[..=choice.depth];
            shape
                .compact_area(choice.view, choice.bytes, self.record, deltas, tables.space())
                .map_err(|error| Error { kind: ErrorKind::RowCount, offset: None, ..error })?;
        }
        Ok(())
    }

    /// Sees that a field tells of the view that was chosen: one that the request gave must, another one is set.
    fn tell(&mut self, rule: usize, at: usize) -> Result<(), Error> {
        let rule = &self.target.rules[rule];
        let bytes = at..at + rule.slot.bytes;
        if rule.matches(&self.record[bytes.clone()]) {
            self.told.push(at);
            return Ok(());
        }
        let initial = &self.target.template[rule.slot.offset..rule.slot.offset + rule.slot.bytes];
        if self.told.contains(&at) || self.record[bytes.clone()] != *initial {
            let message = "this view contradicts the field that tells which view the record holds";
            return Err(Error::new(ErrorKind::View, message));
        }
        self.record[bytes].copy_from_slice(rule.first());
        self.told.push(at);
        Ok(())
    }

    /// Chooses a view: its bytes get its initial values, before those of the request.
    fn choose(&mut self, view: &ViewPlan, chosen: &mut Vec<FieldId>, path: &str) -> Result<(), Error> {
        if chosen.contains(&view.area) {
            let message = "another view of the same bytes is given too";
            return Err(Error::new(ErrorKind::View, message));
        }
        chosen.push(view.area);
        let start = view.offset + self.deltas[self.depth];
        let bytes = start..start + view.initial.len();
        self.record[bytes.clone()].copy_from_slice(&view.initial);
        let rule = view.rule.map(|number| {
            let rule = &self.target.rules[number];
            (number, rule.slot.offset + self.deltas[rule.depth.min(self.depth)])
        });
        let (deltas, depth, path) = (self.deltas, self.depth, path.to_owned());
        self.choices.push(Choice { view: view.view, bytes, rule, deltas, depth, path });
        Ok(())
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
        let name = self.cursor.string()?;
        self.cursor.expect(b':')?;
        let Some(position) = plan.lookup.find(name.as_bytes(), *expected) else {
            return self.unknown(plan, &name, start);
        };
        *expected = position + 1;
        let member = &plan.members[position];
        if !seen.insert(position) && self.target.policies.duplicate_fields == DuplicateFields::Refuse {
            let error = Error::new(ErrorKind::DuplicateField, "this field stands twice in one object");
            return Err(self.placed(error.within(&member.name), start));
        }
        let value_start = {
            self.cursor.peek();
            self.cursor.at()
        };
        if plan.has_views
            && let Some(view) = &member.view
        {
            self.choose(view, chosen, &member.name)
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
        if self.target.policies.unknown_fields == UnknownFields::Ignore {
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
        if member.tells
            && let ValuePlan::Scalar(slot) = &member.value
        {
            self.told.push(slot.offset + self.deltas[self.depth]);
        }
        if self.cursor.peek() == Some(b'n')
            && self.target.policies.nulls != Nulls::Refuse
            && (member.table.is_some() || matches!(member.value, ValuePlan::Object(_)))
        {
            // A group or table of null keeps its initial values.
            return self.cursor.word("null");
        }
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
                        let tables = self.target.tables;
                        let field = slot.field_mut(self.record, delta);
                        if self.cursor.plain_string(|json| tables.encode_json(*codec, json, field)) {
                            return Ok(());
                        }
                        tables.encode(*codec, &self.cursor.string()?, field)
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
                    (Codec::Rich(rich), next) => self.rich(slot, rich, next),
                    (Codec::Text(_), _) => Err(self.wrong_type("text")),
                    (Codec::Number(_), _) => Err(self.wrong_type("a number")),
                }
            }
            ValuePlan::Object(plan) if next == Some(b'{') => self.object(plan),
            ValuePlan::Object(_) => Err(self.wrong_type("an object")),
        }
    }

    fn rich(&mut self, slot: &Slot, rich: &Rich, next: Option<u8>) -> Result<(), Error> {
        let tables = self.target.tables;
        let field = slot.field_mut(self.record, self.deltas[self.depth]);
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
        let fixed = table.counter.is_none();
        if rows < table.min && !(fixed && self.target.policies.missing_rows == MissingRows::Initial) {
            return Err(Error::new(
                ErrorKind::RowCount,
                format!("the array has {rows} rows, the table has at least {}", table.min),
            ));
        }
        table.counter.map_or(Ok(()), |counter| self.count(counter, rows, table))
    }

    /// Writes the number of rows into the table's counter.
    fn count(&mut self, counter: usize, rows: usize, table: &TablePlan) -> Result<(), Error> {
        let counter = &self.target.shape.counters[counter];
        let delta = self.deltas[counter.depth.min(table.depth)];
        let at = counter.slot.offset + delta;
        let field = &mut self.record[at..at + counter.slot.bytes];
        if counter.shared && !self.shared_counters.insert(at) {
            return match counter.slot.codec.read_number(field)? {
                written if written == rows as i128 => Ok(()),
                written => Err(Error::new(
                    ErrorKind::RowCount,
                    format!(
                        "the array has {rows} rows, but another one that goes by the same counter has {written}"
                    ),
                )),
            };
        }
        match &counter.slot.codec {
            Codec::Number(codec) => {
                codec.form.write(rows as i128, field);
                Ok(())
            }
            _ => counter.slot.set_from_text(&rows.to_string(), self.record, delta, self.target.tables),
        }
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
