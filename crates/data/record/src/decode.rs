//! Record to JSON or XML: a flat list of steps, run in the order of the record.

mod plan;
mod shortcuts;
mod texts;

use std::ops::Range;

pub(crate) use plan::{Parts, Syntax, plan};

use crate::error::{Error, ErrorKind};
use crate::json::write_string;
use crate::number::QuickNumber;
use crate::options::DataTruncation;
use crate::out::Out;
use crate::shape::{Count, Counts, Rows, Shape, short};
use crate::slot::{Codec, Found, Slot};
use crate::text::{TextCodec, TextTables};
use crate::views::Rule;
use texts::{BLOCK_BYTES, Piece, TextsStep};

/// The steps that write a record as JSON or XML.
#[derive(Clone, Debug)]
pub(crate) struct DecodePlan {
    steps: Vec<Step>,
    /// The bytes of all [`Step::Literal`]s, with padding behind them, so that each can be read as a vector.
    literals: Vec<u8>,
    /// The fields of all [`Step::Texts`].
    pieces: Vec<Piece>,
    /// The JSON path of each slot, rows as `[]`, for messages.
    paths: Vec<String>,
    max_bytes: usize,
    truncation: DataTruncation,
    /// The number of noted places of fields that tell views apart.
    notes: usize,
    /// Some elements may be nil.
    has_nil: bool,
}

/// [`Step::Number`] and [`Step::Texts`] are shortcuts. They stand before the steps whose work they do. A
/// shortcut that cannot do the work leaves it to those steps.
#[derive(Clone, Debug)]
enum Step {
    Literal(Range<usize>),
    /// A shortcut for the number of the next step.
    Number {
        offset: usize,
        number: QuickNumber,
    },
    /// Texts that lie side by side, with the literals between them.
    Texts(TextsStep),
    /// A comma, unless the object has just been opened. The members before it may have been left out.
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
    /// A member that may be left out because of its value, or an element that may be nil because of its
    /// value.
    Member {
        slot: Slot,
        path: usize,
        comma: CommaRule,
        name: Range<usize>,
        may_omit: bool,
    },
    /// An attribute of the element whose start tag is being written.
    Attribute {
        slot: Slot,
        path: usize,
        /// The text before the value: a blank, the name, the quote.
        name: Range<usize>,
        may_omit: bool,
    },
    /// A field that tells which view of other bytes the record holds. The step notes its place.
    Teller {
        note: usize,
        offset: usize,
    },
    /// Steps of a view of bytes that are described several times; they follow this step.
    View(ViewStep),
    /// The record must hold one of several views.
    Match(MatchStep),
}

#[derive(Clone, Debug)]
struct ViewStep {
    /// The steps run if any of these rules holds (`when`), or if none does.
    checks: Vec<ViewCheck>,
    when: bool,
    body: usize,
}

#[derive(Clone, Debug)]
struct MatchStep {
    checks: Vec<ViewCheck>,
    /// Where the views lie.
    offset: usize,
    path: usize,
}

/// The way to the field that tells views apart.
#[derive(Clone, Debug)]
struct ViewCheck {
    /// The number of the rule.
    rule: usize,
    /// The note of its place. None if it follows the view, at a fixed distance.
    note: Option<usize>,
    path: usize,
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
    /// Empty rows at its end do not show.
    trims: bool,
    path: usize,
}

/// The bytes around the rows of a table. Literals at which the rows start and end are part of it.
#[derive(Clone, Debug)]
struct TableText {
    comma: CommaRule,
    open: Range<usize>,
    between: Range<usize>,
    close: Range<usize>,
    /// The text for a table without rows; mostly nothing.
    none: Range<usize>,
}

/// When the comma before an array is written: with the array, which may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CommaRule {
    Never,
    Always,
    UnlessFirst,
}

impl CommaRule {
    #[inline]
    fn write(self, out: &mut Out<'_>) {
        let comma = match self {
            CommaRule::Never => false,
            CommaRule::Always => true,
            CommaRule::UnlessFirst => out.last() != Some(b'{'),
        };
        if comma {
            out.push(b',');
        }
    }
}

/// The form of values: JSON or XML.
pub(crate) trait Dialect {
    /// Writes the text of a plain field; quotes and tags are literals.
    fn text(
        tables: &TextTables,
        codec: TextCodec,
        field: &[u8],
        scratch: &mut String,
        out: &mut Out<'_>,
    ) -> Result<(), Error>;

    /// Writes the value in `text`.
    fn found(found: Found, text: &str, out: &mut Vec<u8>) -> Result<(), Error>;

    /// Writes a value with its name, as [`Step::Member`] has it.
    fn member(name: &[u8], found: Found, text: &str, out: &mut Vec<u8>) -> Result<(), Error>;

    /// Writes an attribute, as [`Step::Attribute`] has it. Only XML has attributes.
    fn attribute(_: &[u8], _: Found, _: &str, _: &mut Vec<u8>) -> Result<(), Error> {
        Ok(())
    }
}

/// JSON, for generic code.
pub(crate) struct Json;

impl Dialect for Json {
    #[inline]
    fn text(
        tables: &TextTables,
        codec: TextCodec,
        field: &[u8],
        _: &mut String,
        out: &mut Out<'_>,
    ) -> Result<(), Error> {
        tables.decode(codec, field, out)
    }

    fn found(found: Found, text: &str, out: &mut Vec<u8>) -> Result<(), Error> {
        match found {
            Found::Null => out.extend_from_slice(b"null"),
            Found::Boolean(true) => out.extend_from_slice(b"true"),
            Found::Boolean(false) => out.extend_from_slice(b"false"),
            Found::Number => out.extend_from_slice(text.as_bytes()),
            Found::Text => write_string(text, out),
        }
        Ok(())
    }

    fn member(name: &[u8], found: Found, text: &str, out: &mut Vec<u8>) -> Result<(), Error> {
        out.extend_from_slice(name);
        Self::found(found, text, out)
    }
}

/// The parts of a bind that a plan needs.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) template: &'a [u8],
    /// The template as programs make it, if it differs and rows are compared with it.
    pub(crate) blanks: Option<&'a [u8]>,
    pub(crate) tables: &'a TextTables,
    pub(crate) shape: &'a Shape,
    pub(crate) rules: &'a [Rule],
}

/// One run of a plan over a record.
struct Decoder<'a> {
    plan: &'a DecodePlan,
    record: &'a [u8],
    source: Source<'a>,
    counts: Counts,
    notes: Vec<usize>,
    /// Text on its way from a field to JSON.
    scratch: String,
    /// The number of tables around the value.
    depth: usize,
    /// Rows around the value where a run failed, innermost first.
    failed_rows: Vec<usize>,
    /// Values that were read as null.
    nulls: usize,
    /// Texts that were translated together.
    block: [u8; BLOCK_BYTES],
}

impl DecodePlan {
    /// True if some elements may be nil.
    pub(crate) fn has_nil(&self) -> bool {
        self.has_nil
    }

    /// Writes a record at the end of `out`, and gives the number of values that were read as null; after an error `out` is as it was.
    pub(crate) fn run<D: Dialect>(
        &self,
        record: &[u8],
        source: Source<'_>,
        out: &mut Vec<u8>,
    ) -> Result<usize, Error> {
        let start = out.len();
        // Makes room once for the whole text, if the names of rows are short.
        let mut text = Out::new(out, record.len() + record.len() / 8 + self.literals.len() + 64);
        let counts = vec![Count::default(); source.shape.counters.len()];
        let mut decoder = Decoder {
            plan: self,
            record,
            source,
            counts,
            notes: vec![0; self.notes],
            scratch: String::new(),
            depth: 0,
            failed_rows: Vec::new(),
            nulls: 0,
            block: [0; BLOCK_BYTES],
        };
        let ended = decoder.steps::<D>(0..self.steps.len(), 0, &mut text);
        text.finish();
        let result = ended
            .map_err(|error| decoder.with_rows(error))
            .and_then(|missing| self.check_length(record.len(), self.max_bytes - missing));
        if result.is_err() {
            out.truncate(start);
        }
        result.map(|()| decoder.nulls)
    }

    /// Writes a literal. Most are short.
    #[inline(always)]
    fn literal(&self, literal: &Range<usize>, out: &mut Out<'_>) {
        let bytes = &self.literals[literal.start..];
        match bytes.first_chunk::<{ shortcuts::PADDING_BYTES }>() {
            Some(window) if literal.len() <= window.len() => out.extend_window(window, literal.len()),
            _ => out.extend(&bytes[..literal.len()]),
        }
    }

    /// A record may have the length of its rows, or the length with all tables at their largest.
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

impl<'a> Decoder<'a> {
    /// Runs steps. A field lies `moved` bytes after its offset in the layout, if no rows are missing before
    /// it. Returns how many bytes the tables in these steps were shorter than their maximum.
    fn steps<D: Dialect>(
        &mut self,
        range: Range<usize>,
        moved: isize,
        out: &mut Out<'_>,
    ) -> Result<usize, Error> {
        let plan = self.plan;
        let mut missing = 0usize;
        let mut at = range.start;
        while at < range.end {
            let moved = moved - missing as isize;
            match &plan.steps[at] {
                Step::Literal(literal) => plan.literal(literal, out),
                Step::Number { offset, number } => {
                    if let Some(digits) = number.read(self.record, offset.wrapping_add_signed(moved)) {
                        number.write_json(digits, out);
                        at += 1;
                    }
                }
                Step::Texts(texts) => {
                    if self.texts(texts, moved, out) {
                        at += texts.steps;
                    }
                }
                Step::Comma => {
                    if out.last() != Some(b'{') {
                        out.push(b',');
                    }
                }
                Step::Value { slot, path } => {
                    self.value::<D>(slot, moved, out).map_err(|error| self.placed(error, *path))?
                }
                Step::Count { counter, offset, path } => {
                    self.counts[*counter] =
                        self.count(*counter, *offset, moved).map_err(|error| self.placed(error, *path))?;
                }
                Step::Table(table) => {
                    missing += self.table::<D>(table, at + 1, moved, out)?;
                    at += table.body;
                }
                Step::Member { slot, path, comma, name, may_omit } => {
                    let name = &plan.literals[name.clone()];
                    let comma = may_omit.then_some(*comma);
                    self.member::<D>(slot, moved, comma, name, out)
                        .map_err(|error| self.placed(error, *path))?;
                }
                Step::Attribute { slot, path, name, may_omit } => {
                    let name = &plan.literals[name.clone()];
                    self.attribute::<D>(slot, moved, name, *may_omit, out)
                        .map_err(|error| self.placed(error, *path))?;
                }
                Step::Teller { note, offset } => self.notes[*note] = offset.wrapping_add_signed(moved),
                Step::View(view) => {
                    if self.any_holds(&view.checks, moved)? == view.when {
                        // Outside of the view, its bytes always take their full room.
                        self.steps::<D>(at + 1..at + 1 + view.body, moved, out)?;
                    }
                    at += view.body;
                }
                Step::Match(step) => self.expect_match(step, moved)?,
            }
            at += 1;
        }
        Ok(missing)
    }

    #[inline]
    fn value<D: Dialect>(&mut self, slot: &Slot, moved: isize, out: &mut Out<'_>) -> Result<(), Error> {
        let (at, field) = self.field(slot, moved)?;
        match &slot.codec {
            Codec::Text(codec) => D::text(self.source.tables, *codec, field, &mut self.scratch, out),
            Codec::Number(codec) => out.with(|out| codec.write_json(field, out)),
            Codec::Rich(_) => return self.rich::<D>(slot, moved, out),
        }
        .map_err(|error| error.at_offset(at))
    }

    #[inline]
    fn field(&self, slot: &Slot, moved: isize) -> Result<(usize, &'a [u8]), Error> {
        let at = slot.offset.wrapping_add_signed(moved);
        // If the record was cut, a place may lie before its start. Such a range does not exist.
        match self.record.get(at..at.wrapping_add(slot.bytes)) {
            Some(field) => Ok((at, field)),
            None => Ok((at, self.beyond_end(slot, at)?)),
        }
    }

    /// Reads a field into the scratch text.
    fn read(&mut self, slot: &Slot, moved: isize) -> Result<Found, Error> {
        let mut text = std::mem::take(&mut self.scratch);
        text.clear();
        let found = self.field(slot, moved).and_then(|(at, field)| {
            slot.read(field, self.source.tables, &mut text).map_err(|error| error.at_offset(at))
        });
        self.scratch = text;
        self.nulls += usize::from(matches!(found, Ok(Found::Null)));
        found
    }

    /// A value that writes its own quotes, or null.
    fn rich<D: Dialect>(&mut self, slot: &Slot, moved: isize, out: &mut Out<'_>) -> Result<(), Error> {
        let found = self.read(slot, moved)?;
        out.with(|out| D::found(found, &self.scratch, out)).map_err(|error| self.at_field(error, slot, moved))
    }

    /// A value with its name. A value that may be left out may also need a comma before it.
    fn member<D: Dialect>(
        &mut self,
        slot: &Slot,
        moved: isize,
        comma: Option<CommaRule>,
        name: &[u8],
        out: &mut Out<'_>,
    ) -> Result<(), Error> {
        let found = self.read(slot, moved)?;
        if let Some(comma) = comma {
            if let Codec::Rich(rich) = &slot.codec
                && rich.omits(found, &self.scratch)
            {
                return Ok(());
            }
            comma.write(out);
        }
        out.with(|out| D::member(name, found, &self.scratch, out))
            .map_err(|error| self.at_field(error, slot, moved))
    }

    #[inline(never)]
    fn attribute<D: Dialect>(
        &mut self,
        slot: &Slot,
        moved: isize,
        name: &[u8],
        may_omit: bool,
        out: &mut Out<'_>,
    ) -> Result<(), Error> {
        let found = self.read(slot, moved)?;
        let omits = |rich: &crate::rich::Rich| may_omit && rich.omits(found, &self.scratch);
        if matches!(&slot.codec, Codec::Rich(rich) if omits(rich)) {
            return Ok(());
        }
        out.with(|out| D::attribute(name, found, &self.scratch, out))
            .map_err(|error| self.at_field(error, slot, moved))
    }

    #[cold]
    fn at_field(&self, error: Error, slot: &Slot, moved: isize) -> Error {
        error.at_offset(slot.offset.wrapping_add_signed(moved))
    }

    /// True if any of these rules holds.
    fn any_holds(&self, checks: &[ViewCheck], moved: isize) -> Result<bool, Error> {
        for check in checks {
            if self.holds(check, moved)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Checks that the record holds one of several views, unless it ends before them.
    fn expect_match(&self, step: &MatchStep, moved: isize) -> Result<(), Error> {
        let at = step.offset.wrapping_add_signed(moved);
        if self.is_cut_before(at) || self.any_holds(&step.checks, moved)? {
            return Ok(());
        }
        let message = "no view matches the value of the field that selects the view";
        Err(self.placed(Error::new(ErrorKind::View, message).at_offset(at), step.path))
    }

    fn holds(&self, check: &ViewCheck, moved: isize) -> Result<bool, Error> {
        let ViewCheck { rule, note, path } = check;
        let rule = &self.source.rules[*rule];
        let slot = &rule.slot;
        let at = note.map_or_else(|| slot.offset.wrapping_add_signed(moved), |note| self.notes[note]);
        let field = match self.record.get(at..at + slot.bytes) {
            Some(field) => field,
            None => self.beyond_end(slot, at).map_err(|error| self.placed(error, *path))?,
        };
        Ok(rule.matches(field))
    }

    #[cold]
    fn beyond_end(&self, slot: &Slot, at: usize) -> Result<&'a [u8], Error> {
        if self.is_cut_before(at) {
            return Ok(&self.source.template[slot.offset..slot.offset + slot.bytes]);
        }
        Err(short(self.record.len(), at))
    }

    fn count(&mut self, counter: usize, offset: usize, moved: isize) -> Result<Count, Error> {
        let at = offset.wrapping_add_signed(moved);
        if self.is_cut_before(at) {
            return self.source.shape.read_counter(counter, self.source.template, offset);
        }
        self.source.shape.read_counter(counter, self.record, at)
    }

    /// True if the record ends before this place, and is allowed to. Within a row it is not.
    fn is_cut_before(&self, at: usize) -> bool {
        self.plan.truncation == DataTruncation::Accept && self.depth == 0 && at >= self.record.len()
    }

    fn table<D: Dialect>(
        &mut self,
        table: &TableStep,
        body: usize,
        moved: isize,
        out: &mut Out<'_>,
    ) -> Result<usize, Error> {
        let start = table.offset.wrapping_add_signed(moved);
        let mut wanted = self.rows(table, start).map_err(|error| self.placed(error, table.path))?;
        let there = wanted;
        if table.trims {
            wanted = self.filled_rows(table, start, wanted);
        }
        let text = table.text.as_ref().filter(|_| wanted > 0);
        if wanted == 0
            && let Some(text) = &table.text
        {
            self.plan.literal(&text.none, out);
        }
        if let Some(text) = text {
            text.comma.write(out);
            self.plan.literal(&text.open, out);
        }
        let (mut rows, mut missing) = (0, 0);
        if text.is_none() && !table.varies {
            rows = wanted;
        }
        if let (Some(text), Some(Step::Texts(texts))) = (text, self.plan.steps.get(body))
            && texts.is_row
        {
            let range = body + 1..body + table.body;
            self.text_rows::<D>((texts, range), (table, text), moved, wanted, out)?;
            rows = wanted;
        }
        while rows < wanted {
            let moved = moved + (rows * table.stride) as isize - missing as isize;
            if rows > 0 {
                if table.varies && self.is_cut_before(table.offset.wrapping_add_signed(moved)) {
                    break;
                }
                if let Some(text) = text {
                    self.plan.literal(&text.between, out);
                }
            }
            self.depth += 1;
            missing += self
                .steps::<D>(body..body + table.body, moved, out)
                .inspect_err(|_| self.failed_rows.push(rows))?;
            self.depth -= 1;
            rows += 1;
        }
        if let Some(text) = text {
            self.plan.literal(&text.close, out);
        }
        let rows = rows + (there - wanted);
        Ok(missing + self.source.shape.missing(table.rows, rows, table.stride))
    }

    /// The number of rows up to the last one that is not empty.
    fn filled_rows(&self, table: &TableStep, start: usize, rows: usize) -> usize {
        let row_at = |from: usize, row: usize| from + row * table.stride..from + (row + 1) * table.stride;
        let is_empty = |row: usize| {
            let Some(bytes) = self.record.get(row_at(start, row)) else { return false };
            let is_initial =
                |template: &[u8]| template.get(row_at(table.offset, row)).is_some_and(|row| row == bytes);
            bytes.iter().all(|byte| *byte == 0)
                || is_initial(self.source.template)
                || self.source.blanks.is_some_and(is_initial)
        };
        let mut filled = rows;
        while filled > 0 && is_empty(filled - 1) {
            filled -= 1;
        }
        filled
    }

    /// The number of rows. If the record may be cut, this is the number of rows that it still has. If rows
    /// vary in length, it is only known whether any row is left.
    fn rows(&self, table: &TableStep, start: usize) -> Result<usize, Error> {
        let rows = self.source.shape.rows(table.rows, &self.counts)?;
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
