//! The parts of a record whose length varies (OCCURS DEPENDING ON). This file finds the real places of
//! fields, and compacts a record that was written with all tables at their largest.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use copybook::{FieldId, Kind, Layout};

use crate::error::{CompileError, Error, ErrorKind};
use crate::fields::slot_of;
use crate::options::{Options, TableRoom, ZeroOccurs};
use crate::slot::{Limits, Slot};
use crate::text::TextTables;

/// A counter of a table: its number among the counters, and its slot.
#[derive(Clone, Debug)]
pub(crate) struct Counter {
    pub(crate) slot: Slot,
    pub(crate) field: FieldId,
    /// The field's COBOL path, for messages.
    path: String,
    /// The number of tables around the counter.
    pub(crate) depth: usize,
    /// More than one table, or more than one row of an outer table, uses this counter.
    pub(crate) shared: bool,
    /// It lies in bytes that are described several times.
    pub(crate) overlaid: bool,
    /// The least number of rows that all its tables allow.
    pub(crate) min: usize,
    /// The greatest number of rows that all its tables allow, and that it can hold.
    pub(crate) max: usize,
}

/// One part that varies, or that must be read before such a part.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// A counter lies at `offset`.
    Count { counter: usize, offset: usize },
    /// A table lies at `offset`. If its rows vary themselves, they have parts.
    Table(VaryingTable),
}

#[derive(Clone, Debug)]
pub(crate) struct VaryingTable {
    pub(crate) offset: usize,
    pub(crate) stride: usize,
    pub(crate) rows: Rows,
    pub(crate) parts: Vec<Part>,
}

/// The number of rows of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    /// The counter's number; none for a table of fixed length.
    pub(crate) counter: Option<usize>,
    /// The number of rows that the layout has room for.
    pub(crate) room: usize,
}

/// All parts of a layout that vary.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    pub(crate) counters: Vec<Counter>,
    parts: Vec<Part>,
    tables: HashMap<FieldId, Rows>,
    /// The parts that vary within views of bytes that are described several times. The views keep their full
    /// room.
    areas: HashMap<FieldId, Vec<Part>>,
    zero_occurs: ZeroOccurs,
    room: TableRoom,
}

/// The value of a counter, and its place in the record.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Count {
    rows: usize,
    at: usize,
}

/// The values of the counters while a reader walks through the record in order.
pub(crate) type Counts = Vec<Count>;

impl Shape {
    /// Finds the parts of a layout that vary.
    ///
    /// # Errors
    /// A table varies inside a REDEFINES, or a counter is not an integer.
    pub(crate) fn new(
        layout: &Layout,
        options: &Options,
        tables: &TextTables,
    ) -> Result<Self, Vec<CompileError>> {
        let mut finder = Finder {
            layout,
            options,
            tables,
            shape: Shape { zero_occurs: options.zero_occurs, room: options.table_room, ..Shape::default() },
            errors: Vec::new(),
        };
        finder.find_counters();
        finder.find_tables();
        let root = layout.iter().next().map(|(id, _)| id).expect("a layout has a root");
        let parts = finder.parts_of(root);
        if !finder.errors.is_empty() {
            return Err(finder.errors);
        }
        // If the fields of a layout do not move, its parts need no walk.
        let moves = has_table(&parts) && options.table_room == TableRoom::Rows;
        Ok(Self { parts: if moves { parts } else { Vec::new() }, ..finder.shape })
    }

    /// The rows of a field; none if it has no OCCURS.
    pub(crate) fn rows_of(&self, field: FieldId) -> Option<Rows> {
        self.tables.get(&field).copied()
    }

    /// The number of a field among the counters; none if it is not one.
    pub(crate) fn counter_of(&self, field: FieldId) -> Option<usize> {
        self.counters.iter().position(|counter| counter.field == field)
    }

    /// The least and greatest number of rows of a table.
    pub(crate) fn limits(&self, rows: Rows) -> (usize, usize) {
        match rows.counter {
            None => (rows.room, rows.room),
            Some(counter) => (self.counters[counter].min, self.counters[counter].max),
        }
    }

    /// True if a table may have no rows although its least number is greater.
    pub(crate) fn may_be_empty(&self) -> bool {
        self.zero_occurs == ZeroOccurs::Accept
    }

    /// True if tables have counters, whether or not the fields behind them move.
    pub(crate) fn counts(&self) -> bool {
        !self.counters.is_empty()
    }

    /// The number of bytes that a table with these rows is shorter than its maximum.
    pub(crate) fn missing(&self, table: Rows, rows: usize, stride: usize) -> usize {
        match self.room {
            TableRoom::Rows => (table.room - rows) * stride,
            TableRoom::Full => 0,
        }
    }

    /// True if a view of bytes that are described several times has tables with counters.
    pub(crate) fn varies_within(&self, view: FieldId) -> bool {
        self.areas.contains_key(&view)
    }

    /// True if fields of such a view have no fixed place.
    pub(crate) fn moves_within(&self, view: FieldId) -> bool {
        self.room == TableRoom::Rows && self.varies_within(view)
    }

    /// Compacts a view that was written with its tables at their largest. Its row lies `deltas` bytes behind
    /// the first row of each table around it. The free bytes at its end become blanks.
    ///
    /// # Errors
    /// A counter holds a number that its table does not allow.
    pub(crate) fn compact_area(
        &self,
        view: FieldId,
        bytes: Range<usize>,
        record: &mut [u8],
        deltas: &[usize],
        blank: u8,
    ) -> Result<(), Error> {
        let Some(parts) = self.areas.get(&view).filter(|_| self.moves_within(view)) else {
            return Ok(());
        };
        let delta = deltas.last().copied().unwrap_or(0);
        let mut counts = vec![Count::default(); self.counters.len()];
        // Counters in front of the view. Counters within it are read on the way.
        let (mut used, mut within) = (HashSet::new(), HashSet::new());
        gather_counters(parts, &mut used, &mut within);
        for number in used.difference(&within) {
            let counter = &self.counters[*number];
            if let Some(delta) = deltas.get(counter.depth) {
                counts[*number] = self.read_counter(*number, record, counter.slot.offset + delta)?;
            }
        }
        let mut mover = Mover { from: bytes.start, to: bytes.start };
        self.compact_parts(parts, record, delta, &mut mover, &mut counts)?;
        let rest = bytes.end - mover.from;
        mover.keep(record, rest);
        record[mover.to..bytes.end].fill(blank);
        Ok(())
    }

    /// True if every record has the same length.
    pub(crate) fn is_fixed(&self) -> bool {
        self.parts.is_empty()
    }

    /// The number of rows of a table.
    ///
    /// # Errors
    /// Its counter holds a number that the table does not allow.
    pub(crate) fn rows(&self, rows: Rows, counts: &Counts) -> Result<usize, Error> {
        let Some(counter) = rows.counter else { return Ok(rows.room) };
        let (min, max) = self.limits(rows);
        let Count { rows, at } = counts[counter];
        let zero = rows == 0 && self.zero_occurs == ZeroOccurs::Accept;
        if (min..=max).contains(&rows) || zero {
            return Ok(rows);
        }
        let message = format!("the counter holds {rows}, the table has {min} to {max} rows");
        let error = Error::new(ErrorKind::BadData, message).at_offset(at);
        Err(error.within(&self.counters[counter].path))
    }

    /// Reads a counter that lies at `at`.
    ///
    /// # Errors
    /// The bytes are not a valid number of rows, or the record ends before them.
    pub(crate) fn read_counter(&self, counter: usize, record: &[u8], at: usize) -> Result<Count, Error> {
        let counter = &self.counters[counter];
        let in_counter = |error: Error| error.at_offset(at).within(&counter.path);
        let field =
            record.get(at..at + counter.slot.bytes).ok_or_else(|| in_counter(short(record.len(), at)))?;
        let value = counter.slot.codec.read_number(field).map_err(in_counter)?;
        let rows = usize::try_from(value).map_err(|_| {
            let message = format!("the counter is {value}, which is not a valid number of rows");
            in_counter(Error::new(ErrorKind::BadData, message))
        })?;
        Ok(Count { rows, at })
    }

    /// Compacts a record that was written with all tables at their largest.
    ///
    /// # Errors
    /// A counter holds a number that its table does not allow.
    pub(crate) fn compact(&self, record: &mut Vec<u8>) -> Result<(), Error> {
        let mut counts = vec![Count::default(); self.counters.len()];
        let mut mover = Mover { from: 0, to: 0 };
        self.compact_parts(&self.parts, record, 0, &mut mover, &mut counts)?;
        let rest = record.len() - mover.from;
        mover.keep(record, rest);
        record.truncate(mover.to);
        Ok(())
    }

    /// `delta` is how far the row that holds `parts` lies behind the first one.
    fn compact_parts(
        &self,
        parts: &[Part],
        record: &mut [u8],
        delta: usize,
        mover: &mut Mover,
        counts: &mut Counts,
    ) -> Result<(), Error> {
        for part in parts {
            match part {
                Part::Count { counter, offset } => {
                    counts[*counter] = self.read_counter(*counter, record, offset + delta)?;
                }
                Part::Table(table) => {
                    mover.keep(record, table.offset + delta - mover.from);
                    for row in 0..self.rows(table.rows, counts)? {
                        let row_end = table.offset + delta + (row + 1) * table.stride;
                        self.compact_parts(&table.parts, record, delta + row * table.stride, mover, counts)?;
                        mover.keep(record, row_end - mover.from);
                    }
                    mover.from = table.offset + delta + table.rows.room * table.stride;
                }
            }
        }
        Ok(())
    }

    /// The real place of a field outside of tables. `offset` is its place with all tables at their largest.
    ///
    /// # Errors
    /// A counter does not hold a number, or its table does not allow the number, or the record ends before
    /// it.
    pub(crate) fn locate(&self, record: &[u8], offset: usize) -> Result<usize, Error> {
        if self.is_fixed() {
            return Ok(offset);
        }
        let mut counts = vec![Count::default(); self.counters.len()];
        let mut walker = Walker { shape: self, record, counts: &mut counts };
        let missing = walker.missing_before(&self.parts, 0, offset)?;
        Ok(offset - missing)
    }
}

/// Walks through a record in order and adds up how many bytes its tables are shorter than their maximum.
struct Walker<'a> {
    shape: &'a Shape,
    record: &'a [u8],
    counts: &'a mut Counts,
}

impl Walker<'_> {
    /// The bytes missing from `parts` that start before `limit`. `moved` is the distance of the row that
    /// holds the parts from its place in the layout.
    fn missing_before(&mut self, parts: &[Part], moved: isize, limit: usize) -> Result<usize, Error> {
        let mut missing = 0usize;
        for part in parts {
            let moved = moved - missing as isize;
            match part {
                Part::Count { counter, offset } if *offset < limit => {
                    let at = offset.saturating_add_signed(moved);
                    self.counts[*counter] = self.shape.read_counter(*counter, self.record, at)?;
                }
                Part::Table(table) if table.offset < limit => missing += self.missing_in(table, moved)?,
                _ => break,
            }
        }
        Ok(missing)
    }

    fn missing_in(&mut self, table: &VaryingTable, moved: isize) -> Result<usize, Error> {
        let rows = self.shape.rows(table.rows, self.counts)?;
        let mut missing = 0;
        if !table.parts.is_empty() {
            for row in 0..rows {
                let moved = moved + (row * table.stride) as isize - missing as isize;
                missing += self.missing_before(&table.parts, moved, usize::MAX)?;
            }
        }
        Ok(missing + self.shape.missing(table.rows, rows, table.stride))
    }
}

/// Moves bytes of a record to the left, over the bytes that are left out.
struct Mover {
    from: usize,
    to: usize,
}

impl Mover {
    fn keep(&mut self, record: &mut [u8], bytes: usize) {
        if self.from != self.to {
            record.copy_within(self.from..self.from + bytes, self.to);
        }
        self.from += bytes;
        self.to += bytes;
    }
}

#[cold]
pub(crate) fn short(length: usize, at: usize) -> Error {
    Error::new(
        ErrorKind::RecordLength,
        format!("the record ends after {length} bytes, before this field does"),
    )
    .at_offset(at)
}

struct Finder<'l, 'o> {
    layout: &'l Layout,
    options: &'o Options,
    tables: &'o TextTables,
    shape: Shape,
    errors: Vec<CompileError>,
}

impl Finder<'_, '_> {
    fn find_counters(&mut self) {
        for (id, field) in self.layout.iter() {
            let Some((occurs, field)) = field.occurs.and_then(|occurs| Some((occurs, occurs.depending_on?)))
            else {
                continue;
            };
            let (min, max) = (occurs.min as usize, occurs.max as usize);
            let depth = self.tables_around(field);
            let shared = depth < self.tables_around(id);
            if let Some(known) = self.shape.counter_of(field) {
                let counter = &mut self.shape.counters[known];
                (counter.min, counter.max) = (counter.min.max(min), counter.max.min(max));
                counter.shared = true;
            } else if let Some((slot, limits)) = self.counter_slot(field) {
                let max = max.min(usize::try_from(limits.greatest).unwrap_or(usize::MAX));
                let path = self.layout.path(field);
                let overlaid = self.layout.around(field).any(|at| self.layout.is_overlaid(at));
                let counter = Counter { slot, field, path, depth, shared, overlaid, min, max };
                self.shape.counters.push(counter);
            }
        }
        for counter in &self.shape.counters {
            if counter.min > counter.max {
                let line = self.layout.field(counter.field).place.line;
                let message =
                    "the tables of this counter have no possible number of rows in common".to_owned();
                self.errors.push(CompileError { field: counter.path.clone(), line, message });
            }
        }
    }

    fn counter_slot(&mut self, field: FieldId) -> Option<(Slot, Limits)> {
        let slot = slot_of(self.layout, field, self.options, self.tables).ok();
        let limits = slot.as_ref().and_then(|slot| slot.codec.limits()).copied();
        match (slot, limits) {
            (Some(slot), Some(limits)) if limits.scale == 0 => Some((slot, limits)),
            _ => {
                self.fail(field, "the counter of a table must be an integer");
                None
            }
        }
    }

    fn find_tables(&mut self) {
        for (id, field) in self.layout.iter() {
            if let Some(occurs) = field.occurs {
                let counter = occurs.depending_on.and_then(|counter| self.shape.counter_of(counter));
                self.shape.tables.insert(id, Rows { counter, room: occurs.max as usize });
            }
        }
    }

    fn tables_around(&self, id: FieldId) -> usize {
        let groups = self.layout.around(id).skip(1);
        groups.filter(|at| self.layout.field(*at).occurs.is_some()).count()
    }

    /// The parts below a field, in order of their place in the record.
    fn parts_of(&mut self, id: FieldId) -> Vec<Part> {
        let mut parts = Vec::new();
        for child in self.layout.field(id).children.clone() {
            let field = self.layout.field(child);
            if let Some(counter) = self.shape.counter_of(child) {
                parts.push(Part::Count { counter, offset: field.offset });
            }
            let inner = if field.kind == Kind::Group { self.parts_of(child) } else { Vec::new() };
            let rows = self.shape.rows_of(child);
            let varies = has_table(&inner) || rows.is_some_and(|rows| rows.counter.is_some());
            if varies && self.layout.is_overlaid(child) {
                // Outside of the view its bytes have a fixed length. Only counters of tables elsewhere are
                // read.
                let counts = counters_used_outside(self.layout, &self.shape, child);
                parts.extend(counts.into_iter().map(|counter| {
                    let offset = self.shape.counters[counter].slot.offset;
                    Part::Count { counter, offset }
                }));
                let within = match rows {
                    None => inner,
                    Some(rows) => {
                        let (offset, stride) = (field.offset, field.bytes);
                        vec![Part::Table(VaryingTable { offset, stride, rows, parts: inner })]
                    }
                };
                self.shape.areas.insert(child, within);
                continue;
            }
            match rows {
                None => parts.extend(inner),
                Some(rows) if varies => {
                    let (offset, stride) = (field.offset, field.bytes);
                    parts.push(Part::Table(VaryingTable { offset, stride, rows, parts: inner }));
                }
                Some(_) => {}
            }
        }
        parts
    }

    fn fail(&mut self, id: FieldId, message: &str) {
        let line = self.layout.field(id).place.line;
        self.errors.push(CompileError { field: self.layout.path(id), line, message: message.to_owned() });
    }
}

/// Counters within a view that count tables outside of it. They count whichever view a record holds.
pub(crate) fn counters_used_outside(layout: &Layout, shape: &Shape, view: FieldId) -> Vec<usize> {
    let inside = |id: FieldId| layout.is_within(id, view);
    let used_outside = |counter: FieldId| {
        let depends =
            |field: &copybook::Field| field.occurs.and_then(|occurs| occurs.depending_on) == Some(counter);
        layout.iter().any(|(id, field)| depends(field) && !inside(id))
    };
    let counters = shape.counters.iter().enumerate();
    counters
        .filter(|(_, counter)| inside(counter.field) && used_outside(counter.field))
        .map(|(number, _)| number)
        .collect()
}

/// The counters that tables of these parts use, and the counters among the parts.
fn gather_counters(parts: &[Part], used: &mut HashSet<usize>, within: &mut HashSet<usize>) {
    for part in parts {
        match part {
            Part::Count { counter, .. } => drop(within.insert(*counter)),
            Part::Table(table) => {
                used.extend(table.rows.counter);
                gather_counters(&table.parts, used, within);
            }
        }
    }
}

fn has_table(parts: &[Part]) -> bool {
    parts.iter().any(|part| matches!(part, Part::Table(_)))
}
