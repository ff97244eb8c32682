//! Record to JSON: a flat list of steps, run in the order of the record.

use std::ops::Range;

use copybook::{FieldId, Kind, Layout};

use crate::error::{Error, ErrorKind};
use crate::json::write_string;
use crate::model::{Member, Node};
use crate::options::DataTruncation;
use crate::shape::{Count, Counts, Rows, Shape, short};
use crate::slot::{Codec, Slot};
use crate::text::TextTables;

/// The steps that write a record as JSON.
#[derive(Clone, Debug)]
pub(crate) struct DecodePlan {
    steps: Vec<Step>,
    /// The bytes of all [`Step::Literal`]s.
    literals: Vec<u8>,
    /// The JSON path of each slot, rows as `[]`, for messages.
    paths: Vec<String>,
    max_bytes: usize,
    truncation: DataTruncation,
}

#[derive(Clone, Debug)]
enum Step {
    Literal(Range<usize>),
    /// A comma, unless the object has just been opened: members before may have been left out.
    Comma,
    Value {
        slot: Slot,
        path: usize,
    },
    Count {
        counter: usize,
        offset: usize,
        path: usize,
    },
    Table(TableStep),
}

#[derive(Clone, Debug)]
struct TableStep {
    offset: usize,
    stride: usize,
    rows: Rows,
    /// The text around the rows; none for a table that does not show.
    text: Option<TableText>,
    /// Steps of one row, which follow this step.
    body: usize,
    /// The rows vary in length themselves.
    varies: bool,
    path: usize,
}

/// The bytes around the rows of a table. Literals at which the rows start and end are part of it.
#[derive(Clone, Debug)]
struct TableText {
    comma: CommaRule,
    open: Range<usize>,
    between: Range<usize>,
    close: Range<usize>,
}

/// When the comma before an array is written: with the array, which may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CommaRule {
    Never,
    Always,
    UnlessFirst,
}

/// Makes the plan.
pub(crate) fn plan(
    members: &[Member],
    wrapper: Option<&str>,
    layout: &Layout,
    shape: &Shape,
    truncation: DataTruncation,
) -> DecodePlan {
    let mut planner = Planner {
        layout,
        shape,
        steps: Vec::new(),
        literals: Vec::new(),
        paths: Vec::new(),
        prefix: wrapper.unwrap_or_default().to_owned(),
    };
    let root = layout.root();
    planner.literal(b"{");
    if let Some(wrapper) = wrapper {
        planner.name(wrapper);
        planner.literal(b"{");
    }
    let mut object = ObjectState::Empty;
    if root.kind == Kind::Group {
        planner.group(&root.children, members, &mut object);
    } else if let Some(member) = members.first() {
        planner.member(member, &mut object);
    }
    planner.literal(if wrapper.is_some() { b"}}" } else { b"}" });
    DecodePlan {
        steps: planner.steps,
        literals: planner.literals,
        paths: planner.paths,
        max_bytes: layout.max_bytes(),
        truncation,
    }
}

/// Whether an object has members already when the next one is planned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ObjectState {
    /// Certainly not.
    Empty,
    /// Only such as may be left out.
    Perhaps,
    /// Certainly.
    Begun,
}

struct Planner<'l> {
    layout: &'l Layout,
    shape: &'l Shape,
    steps: Vec<Step>,
    literals: Vec<u8>,
    paths: Vec<String>,
    prefix: String,
}

impl Planner<'_> {
    /// Appends a literal, to the one before if that is the last step.
    fn literal(&mut self, bytes: &[u8]) {
        let start = self.literals.len();
        self.literals.extend_from_slice(bytes);
        match self.steps.last_mut() {
            Some(Step::Literal(range)) if range.end == start => range.end = self.literals.len(),
            _ => self.steps.push(Step::Literal(start..self.literals.len())),
        }
    }

    fn name(&mut self, name: &str) {
        let mut text = Vec::new();
        write_string(name, &mut text);
        text.push(b':');
        self.literal(&text);
    }

    fn path(&mut self, path: String) -> usize {
        self.paths.push(path);
        self.paths.len() - 1
    }

    /// Plans the fields of a group in the order of the record: the members that show, and what must be read on the
    /// way (counters, tables of varying length).
    fn group(&mut self, children: &[FieldId], members: &[Member], object: &mut ObjectState) {
        for child in children {
            let field = self.layout.field(*child);
            if let Some(counter) = self.shape.counter_of(*child)
                && !self.shape.is_fixed()
            {
                let path = self.path(self.path_of(&field.name));
                self.steps.push(Step::Count { counter, offset: field.offset, path });
            }
            match members.iter().find(|member| member.field == *child) {
                Some(member) => self.member(member, object),
                // A hidden group may hold members that it gave to the group around it, and counters.
                None if field.kind == Kind::Group && field.occurs.is_none() => {
                    self.group(&field.children.clone(), members, object);
                }
                None if field.occurs.is_some() => self.hidden_table(*child),
                None => {}
            }
        }
    }

    fn path_of(&self, name: &str) -> String {
        if self.prefix.is_empty() { name.to_owned() } else { format!("{}.{name}", self.prefix) }
    }

    fn member(&mut self, member: &Member, object: &mut ObjectState) {
        let outer = std::mem::take(&mut self.prefix);
        self.prefix = outer.clone();
        let path = self.path_of(&member.name);
        match member.table {
            None => {
                self.comma(*object);
                *object = ObjectState::Begun;
                self.name(&member.name);
                self.prefix = path;
                self.value(member);
            }
            Some(_) => {
                self.prefix = format!("{path}[]");
                self.table(member, path, object);
            }
        }
        self.prefix = outer;
    }

    fn comma(&mut self, object: ObjectState) {
        match object {
            ObjectState::Empty => {}
            ObjectState::Perhaps => self.steps.push(Step::Comma),
            ObjectState::Begun => self.literal(b","),
        }
    }

    fn value(&mut self, member: &Member) {
        match &member.node {
            Node::Scalar(slot) => {
                let quoted = matches!(slot.codec, Codec::Text(_));
                if quoted {
                    self.literal(b"\"");
                }
                let path = self.path(self.prefix.clone());
                self.steps.push(Step::Value { slot: slot.clone(), path });
                if quoted {
                    self.literal(b"\"");
                }
            }
            Node::Object(members) => {
                self.literal(b"{");
                let children = self.layout.field(member.field).children.clone();
                self.group(&children, members, &mut ObjectState::Empty);
                self.literal(b"}");
            }
        }
    }

    fn table(&mut self, member: &Member, path: String, object: &mut ObjectState) {
        let comma = match *object {
            ObjectState::Empty => CommaRule::Never,
            ObjectState::Perhaps => CommaRule::UnlessFirst,
            ObjectState::Begun => CommaRule::Always,
        };
        if *object == ObjectState::Empty {
            *object = ObjectState::Perhaps;
        }
        let at = self.steps.len();
        self.table_step(member.field, path, |planner| planner.value(member));
        let row = self.rows_without_borders(at + 1);
        let mut open = Vec::new();
        write_string(&member.name, &mut open);
        open.extend_from_slice(b":[");
        open.extend_from_slice(&row.start);
        let text = TableText {
            comma,
            open: self.bytes(&open),
            between: self.bytes(&[&row.end, b",".as_slice(), &row.start].concat()),
            close: self.bytes(&[row.end.as_slice(), b"]"].concat()),
        };
        let body = self.steps.len() - at - 1;
        if let Step::Table(step) = &mut self.steps[at] {
            (step.text, step.body) = (Some(text), body);
        }
    }

    /// Takes the literals at which the steps from `at` on start and end out of them.
    fn rows_without_borders(&mut self, at: usize) -> Range<Vec<u8>> {
        let mut borders = Vec::new()..Vec::new();
        if let Some(Step::Literal(range)) = self.steps.get(at) {
            borders.start = self.literals[range.clone()].to_vec();
            self.steps.remove(at);
        }
        if let Some(Step::Literal(range)) = self.steps[at..].last() {
            borders.end = self.literals[range.clone()].to_vec();
            self.steps.pop();
        }
        borders
    }

    /// Keeps bytes that are no step of their own.
    fn bytes(&mut self, bytes: &[u8]) -> Range<usize> {
        let start = self.literals.len();
        self.literals.extend_from_slice(bytes);
        start..self.literals.len()
    }

    fn hidden_table(&mut self, field: FieldId) {
        let varies = self.layout.field(field).occurs.is_some_and(|occurs| occurs.depending_on.is_some());
        if !varies && !self.holds_varying_table(field) {
            return;
        }
        let path = self.path_of(&self.layout.field(field).name);
        let children = self.layout.field(field).children.clone();
        let outer = std::mem::replace(&mut self.prefix, format!("{path}[]"));
        self.table_step(field, path, |planner| {
            planner.group(&children, &[], &mut ObjectState::Empty);
        });
        self.prefix = outer;
    }

    /// Plans a table that does not show.
    fn table_step(&mut self, id: FieldId, path: String, body: impl FnOnce(&mut Self)) {
        let field = self.layout.field(id);
        let (offset, stride) = (field.offset, field.bytes);
        let Some(rows) = self.shape.rows_of(id) else { return };
        let varies = self.holds_varying_table(id);
        let path = self.path(path);
        let at = self.steps.len();
        self.steps.push(Step::Table(TableStep { offset, stride, rows, text: None, body: 0, varies, path }));
        body(self);
        let length = self.steps.len() - at - 1;
        if let Step::Table(step) = &mut self.steps[at] {
            step.body = length;
        }
        // What follows must not be joined to the last literal of the row.
        self.literals.push(b' ');
    }

    fn holds_varying_table(&self, id: FieldId) -> bool {
        let mut pending = self.layout.field(id).children.clone();
        while let Some(next) = pending.pop() {
            let field = self.layout.field(next);
            if field.occurs.is_some_and(|occurs| occurs.depending_on.is_some()) {
                return true;
            }
            pending.extend(&field.children);
        }
        false
    }
}

/// One run of a plan over a record.
struct Decoder<'a> {
    plan: &'a DecodePlan,
    record: &'a [u8],
    template: &'a [u8],
    tables: &'a TextTables,
    shape: &'a Shape,
    counts: Counts,
    /// How many tables are around the value.
    depth: usize,
    /// Rows around the value where a run failed, innermost first.
    failed_rows: Vec<usize>,
}

impl DecodePlan {
    /// Writes a record as JSON at the end of `out`; after an error `out` is as it was.
    pub(crate) fn run(
        &self,
        record: &[u8],
        template: &[u8],
        tables: &TextTables,
        shape: &Shape,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let start = out.len();
        out.reserve(record.len() + self.literals.len() + 64);
        let counts = vec![Count::default(); shape.counters.len()];
        let mut decoder = Decoder {
            plan: self,
            record,
            template,
            tables,
            shape,
            counts,
            depth: 0,
            failed_rows: Vec::new(),
        };
        let result = decoder
            .steps(0..self.steps.len(), 0, out)
            .map_err(|error| decoder.with_rows(error))
            .and_then(|missing| self.check_length(record.len(), self.max_bytes - missing));
        if result.is_err() {
            out.truncate(start);
        }
        result
    }

    /// A record may be as long as its rows make it, or as long as its tables at their largest.
    fn check_length(&self, found: usize, expected: usize) -> Result<(), Error> {
        if found < expected && self.truncation == DataTruncation::Refuse {
            return Err(short(found, found));
        }
        if found > self.max_bytes {
            let message = format!("the record has {found} bytes, the layout at most {}", self.max_bytes);
            return Err(Error::new(ErrorKind::RecordLength, message).at_offset(self.max_bytes));
        }
        Ok(())
    }
}

impl Decoder<'_> {
    /// Runs steps; a field lies `moved` bytes after its offset in the layout where nothing is missing before it.
    /// Returns the bytes by which tables in these steps were shorter than they could be.
    fn steps(&mut self, range: Range<usize>, moved: isize, out: &mut Vec<u8>) -> Result<usize, Error> {
        let plan = self.plan;
        let mut missing = 0usize;
        let mut at = range.start;
        while at < range.end {
            let moved = moved - missing as isize;
            match &plan.steps[at] {
                Step::Literal(literal) => out.extend_from_slice(&plan.literals[literal.clone()]),
                Step::Comma => {
                    if out.last() != Some(&b'{') {
                        out.push(b',');
                    }
                }
                Step::Value { slot, path } => {
                    self.value(slot, moved, out).map_err(|error| self.placed(error, *path))?
                }
                Step::Count { counter, offset, path } => {
                    self.counts[*counter] =
                        self.count(*counter, *offset, moved).map_err(|error| self.placed(error, *path))?;
                }
                Step::Table(table) => {
                    missing += self.table(table, at + 1, moved, out)?;
                    at += table.body;
                }
            }
            at += 1;
        }
        Ok(missing)
    }

    #[inline]
    fn value(&mut self, slot: &Slot, moved: isize, out: &mut Vec<u8>) -> Result<(), Error> {
        let at = slot.offset.wrapping_add_signed(moved);
        let field = match self.record.get(at..at + slot.bytes) {
            Some(field) => field,
            None => self.beyond_end(slot, at)?,
        };
        match &slot.codec {
            Codec::Text(codec) => self.tables.decode(*codec, field, out),
            Codec::Number(codec) => slot.write_json_number(codec, field, out),
        }
        .map_err(|error| error.at_offset(at))
    }

    #[cold]
    fn beyond_end(&self, slot: &Slot, at: usize) -> Result<&[u8], Error> {
        if self.is_cut_before(at) {
            return Ok(&self.template[slot.offset..slot.offset + slot.bytes]);
        }
        Err(short(self.record.len(), at))
    }

    fn count(&mut self, counter: usize, offset: usize, moved: isize) -> Result<Count, Error> {
        let at = offset.wrapping_add_signed(moved);
        if self.is_cut_before(at) {
            return self.shape.read_counter(counter, self.template, offset);
        }
        self.shape.read_counter(counter, self.record, at)
    }

    /// True if the record ends before this place, and may do so: not within a row.
    fn is_cut_before(&self, at: usize) -> bool {
        self.plan.truncation == DataTruncation::Accept && self.depth == 0 && at >= self.record.len()
    }

    fn table(
        &mut self,
        table: &TableStep,
        body: usize,
        moved: isize,
        out: &mut Vec<u8>,
    ) -> Result<usize, Error> {
        let start = table.offset.wrapping_add_signed(moved);
        let wanted = self.rows(table, start).map_err(|error| self.placed(error, table.path))?;
        let text = table.text.as_ref().filter(|_| wanted > 0);
        if let Some(text) = text {
            let comma = match text.comma {
                CommaRule::Never => false,
                CommaRule::Always => true,
                CommaRule::UnlessFirst => out.last() != Some(&b'{'),
            };
            if comma {
                out.push(b',');
            }
            out.extend_from_slice(&self.plan.literals[text.open.clone()]);
        }
        let (mut rows, mut missing) = (0, 0);
        if text.is_none() && !table.varies {
            rows = wanted;
        }
        while rows < wanted {
            let moved = moved + (rows * table.stride) as isize - missing as isize;
            if rows > 0 {
                if table.varies && self.is_cut_before(table.offset.wrapping_add_signed(moved)) {
                    break;
                }
                if let Some(text) = text {
                    out.extend_from_slice(&self.plan.literals[text.between.clone()]);
                }
            }
            self.depth += 1;
            missing += self
                .steps(body..body + table.body, moved, out)
                .inspect_err(|_| self.failed_rows.push(rows))?;
            self.depth -= 1;
            rows += 1;
        }
        if let Some(text) = text {
            out.extend_from_slice(&self.plan.literals[text.close.clone()]);
        }
        Ok(missing + (table.rows.room - rows) * table.stride)
    }

    /// The number of rows; of a record that may be cut, those that it still has. How many rows are left is not yet
    /// known where they vary in length, unless none is.
    fn rows(&self, table: &TableStep, start: usize) -> Result<usize, Error> {
        let rows = self.shape.rows(table.rows, &self.counts)?;
        if self.is_cut_before(start) {
            return Ok(0);
        }
        if self.plan.truncation == DataTruncation::Accept && self.depth == 0 && !table.varies {
            let left = self.record.len().saturating_sub(start);
            return Ok(rows.min(left.div_ceil(table.stride.max(1))));
        }
        Ok(rows)
    }

    #[cold]
    fn placed(&self, mut error: Error, path: usize) -> Error {
        error.path.clone_from(&self.plan.paths[path]);
        error
    }

    /// Puts the numbers of the rows that failed into the path of an error.
    #[cold]
    fn with_rows(&self, mut error: Error) -> Error {
        for row in self.failed_rows.iter().rev() {
            error.path = error.path.replacen("[]", &format!("[{row}]"), 1);
        }
        error
    }
}
