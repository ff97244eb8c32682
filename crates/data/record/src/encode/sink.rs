//! The target of JSON and XML: the record, the places of rows, the chosen views, and the values of counters.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use copybook::FieldId;

use super::{MemberPlan, ObjectPlan, TablePlan, ValuePlan, ViewPlan};
use crate::error::{Error, ErrorKind};
use crate::model::{Shown, TABLE_DEPTH_MAX};
use crate::options::{Counters, DuplicateFields, MissingRows, UnknownFields, UnmatchedViews};
use crate::policies::Nulls;
use crate::shape::Shape;
use crate::slot::Codec;
use crate::text::TextTables;
use crate::views::Rule;

/// The target of one request.
pub(crate) struct Sink<'a> {
    pub(crate) record: &'a mut [u8],
    pub(crate) target: Target<'a>,
    /// For each depth of tables, how far the row being written lies behind the first.
    deltas: [usize; TABLE_DEPTH_MAX + 1],
    depth: usize,
    /// Where shared counters were written, to check that all tables of a counter agree.
    shared_counters: HashSet<usize>,
    /// Views that were chosen.
    choices: Vec<Choice>,
    /// Areas for which the request chose no view.
    unchosen: Vec<Unchosen>,
    /// The places of fields that tell views apart, if the request gave them or a view set them.
    told: HashSet<usize>,
    /// The counters in the request: their numbers, places and names.
    told_counts: Vec<(usize, usize, String)>,
    /// For each table in the request: the place of its counter, and the number of its rows.
    rows: Vec<(usize, usize)>,
    /// The ranges of written counters that lie in bytes described several times.
    counted: BTreeSet<(usize, usize)>,
    /// The word for the thing that has the rows: the array of JSON, the document of XML.
    rows_in: &'static str,
}

/// A view that a request chose, in one row of the tables around it.
struct Choice {
    view: FieldId,
    bytes: Range<usize>,
    /// The rule that must hold, and where the field that tells lies.
    rule: Option<(usize, usize)>,
    /// Rules that must not hold, in the same way.
    others: Vec<(usize, usize)>,
    deltas: [usize; TABLE_DEPTH_MAX + 1],
    depth: usize,
    path: String,
}

/// Views of the same bytes, if the request gave none of them.
struct Unchosen {
    /// Their rules, and where the fields that tell lie.
    rules: Vec<(usize, usize)>,
    names: Box<str>,
}

/// The parts of a bind that a request needs.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) template: &'a [u8],
    pub(crate) tables: &'a TextTables,
    pub(crate) shape: &'a Shape,
    pub(crate) rules: &'a [Rule],
    pub(crate) policies: RequestPolicies,
}

impl Target<'_> {
    /// True if null means the same as a missing member. For a field its policy says so. For a group or table
    /// any policy that takes null does, because no bytes stand for its null.
    pub(crate) fn ignores_null(&self, member: &MemberPlan) -> bool {
        match (&member.table, &member.value) {
            (None, ValuePlan::Scalar(slot)) => match &slot.codec {
                Codec::Rich(rich) => rich.policies.nulls == Nulls::Initial,
                _ => false,
            },
            _ => self.policies.nulls != Nulls::Refuse,
        }
    }

    /// True if a member may occur twice: a single value, and the last one counts. Two groups, tables or views
    /// would be mixed.
    pub(crate) fn takes_twice(&self, member: &MemberPlan) -> bool {
        let single = member.table.is_none() && member.view.is_none();
        self.policies.duplicate_fields == DuplicateFields::Last
            && single
            && matches!(member.value, ValuePlan::Scalar(_))
    }
}

/// The lenient rules that a request may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestPolicies {
    pub(crate) unknown_fields: UnknownFields,
    pub(crate) duplicate_fields: DuplicateFields,
    pub(crate) missing_rows: MissingRows,
    pub(crate) nulls: Nulls,
    pub(crate) counters: Counters,
    pub(crate) unmatched_views: UnmatchedViews,
}

impl<'a> Sink<'a> {
    /// A sink for a started record. `rows_in` is the word in messages for the thing that has the rows of
    /// tables.
    pub(crate) fn new(record: &'a mut [u8], target: Target<'a>, rows_in: &'static str) -> Self {
        Self {
            record,
            target,
            deltas: [0; TABLE_DEPTH_MAX + 1],
            depth: 0,
            shared_counters: HashSet::new(),
            choices: Vec::new(),
            unchosen: Vec::new(),
            told: HashSet::new(),
            told_counts: Vec::new(),
            rows: Vec::new(),
            counted: BTreeSet::new(),
            rows_in,
        }
    }

    /// How far the row being written lies behind the first.
    #[inline]
    pub(crate) fn delta(&self) -> usize {
        self.deltas[self.depth]
    }

    /// Notes a given member that may tell views apart.
    #[inline]
    pub(crate) fn note(&mut self, member: &MemberPlan) {
        if member.tells
            && let ValuePlan::Scalar(slot) = &member.value
        {
            let at = slot.offset + self.delta();
            self.told.insert(at);
            if let Some(counter) = member.counter {
                self.told_counts.push((counter, at, member.name.to_string()));
            }
        }
    }

    /// Begins the rows of a table.
    pub(crate) fn enter(&mut self) {
        self.depth += 1;
    }

    /// Goes to a row of the table that was entered last.
    ///
    /// # Errors
    /// The table does not have this row.
    #[inline]
    pub(crate) fn row(&mut self, table: &TablePlan, row: usize) -> Result<(), Error> {
        if row == table.max {
            let message = format!("the {} has more than {} rows", self.rows_in, table.max);
            return Err(Error::new(ErrorKind::RowCount, message));
        }
        self.deltas[self.depth] = self.deltas[self.depth - 1] + row * table.stride;
        Ok(())
    }

    /// Ends the rows of a table, and counts them.
    ///
    /// # Errors
    /// There are too few rows, or a shared counter has another number.
    pub(crate) fn leave(&mut self, table: &TablePlan, rows: usize) -> Result<(), Error> {
        self.depth -= 1;
        let fixed = table.counter.is_none();
        if rows < table.min && !(fixed && self.target.policies.missing_rows == MissingRows::Initial) {
            return Err(Error::new(
                ErrorKind::RowCount,
                format!("the {} has {rows} rows, the table has at least {}", self.rows_in, table.min),
            ));
        }
        table.counter.map_or(Ok(()), |counter| self.count(counter, rows, table))
    }

    /// Checks that the counters of the request agree with its rows. Then settles views.
    ///
    /// # Errors
    /// They do not agree, or as [`Sink::settle_views`].
    pub(crate) fn settle(&mut self) -> Result<(), Error> {
        // The counts of one counter stand together, in the order of the request.
        self.rows.sort_by_key(|(at, _)| *at);
        for (counter, at, name) in std::mem::take(&mut self.told_counts) {
            let slot = &self.target.shape.counters[counter].slot;
            let told = slot.codec.read_number(&self.record[at..at + slot.bytes])?;
            let first = self.rows.partition_point(|(place, _)| *place < at);
            let given = self.rows[first..].iter().take_while(|(place, _)| *place == at);
            let mut given = given.map(|(_, rows)| *rows).peekable();
            let none = given.peek().is_none().then_some(0);
            if let Some(rows) = none.into_iter().chain(given).find(|rows| *rows as i128 != told) {
                let message = format!("the counter is {told}, but the {} has {rows} rows", self.rows_in);
                return Err(Error::new(ErrorKind::RowCount, message).within(&name));
            }
        }
        self.settle_views()
    }

    /// Sets the fields that tell views apart, and gives the fields of views their places.
    ///
    /// # Errors
    /// A view contradicts the field that tells, or has rows that it does not allow.
    fn settle_views(&mut self) -> Result<(), Error> {
        let choices = std::mem::take(&mut self.choices);
        for choice in &choices {
            if let Some((rule, at)) = choice.rule {
                self.tell(rule, at).map_err(|error| error.within(&choice.path))?;
            }
        }
        // This comes after the first loop, because a view may depend on a field that another view has set.
        for choice in &choices {
            for (rule, at) in &choice.others {
                let rule = &self.target.rules[*rule];
                if rule.matches(&self.record[*at..*at + rule.slot.bytes]) {
                    return Err(contradiction().within(&choice.path));
                }
            }
        }
        for Unchosen { rules, names } in std::mem::take(&mut self.unchosen) {
            let holds = |(rule, at): &(usize, usize)| {
                let rule = &self.target.rules[*rule];
                rule.matches(&self.record[*at..*at + rule.slot.bytes])
            };
            // If the request gives a field that tells, it has chosen: possibly none of the views.
            let is_told = |(rule, at): &(usize, usize)| {
                let slot = &self.target.rules[*rule].slot;
                let initial = &self.target.template[slot.offset..slot.offset + slot.bytes];
                self.told.contains(at) || self.record[*at..*at + slot.bytes] != *initial
            };
            if !rules.iter().any(|place| holds(place) || is_told(place)) {
                let message = format!("expected one of {names}, found none");
                return Err(Error::new(ErrorKind::MissingField, message));
            }
        }
        // A view within a view stands behind it in the list. The inner one must be compacted first, because the outer one
        // moves it.
        for choice in choices.into_iter().rev() {
            let Target { shape, tables, .. } = self.target;
            let deltas = &choice.deltas[..=choice.depth];
            shape
                .compact_area(choice.view, choice.bytes, self.record, deltas, tables.space())
                .map_err(|error| Error { kind: ErrorKind::RowCount, offset: None, ..error })?;
        }
        Ok(())
    }

    /// Makes the field that tells agree with the chosen view. If the request gave the field, it must agree already.
    fn tell(&mut self, rule: usize, at: usize) -> Result<(), Error> {
        let rule = &self.target.rules[rule];
        let bytes = at..at + rule.slot.bytes;
        if rule.matches(&self.record[bytes.clone()]) {
            self.told.insert(at);
            return Ok(());
        }
        let initial = &self.target.template[rule.slot.offset..rule.slot.offset + rule.slot.bytes];
        if self.told.contains(&at) || self.record[bytes.clone()] != *initial {
            return Err(contradiction());
        }
        self.record[bytes].copy_from_slice(rule.first());
        self.told.insert(at);
        Ok(())
    }

    /// Notes the views of an object, if the request gave none of them. A field must then choose one.
    #[inline]
    pub(crate) fn expect_choices(&mut self, plan: &ObjectPlan, chosen: &[FieldId]) {
        if plan.choices.is_empty() || self.target.policies.unmatched_views == UnmatchedViews::Omit {
            return;
        }
        for choice in plan.choices.iter().filter(|choice| !chosen.contains(&choice.area)) {
            let place = |number: &usize| {
                let rule = &self.target.rules[*number];
                (*number, rule.slot.offset + self.deltas[rule.depth.min(self.depth)])
            };
            let rules = choice.rules.iter().map(place).collect();
            self.unchosen.push(Unchosen { rules, names: choice.names.clone() });
        }
    }

    /// Chooses a view: its bytes get its initial values, before those of the request.
    pub(crate) fn choose(
        &mut self,
        view: &ViewPlan,
        chosen: &mut Vec<FieldId>,
        path: &str,
    ) -> Result<(), Error> {
        if chosen.contains(&view.area) {
            let message = "another view of the same bytes is given too";
            return Err(Error::new(ErrorKind::View, message));
        }
        chosen.push(view.area);
        let start = view.offset + self.deltas[self.depth];
        let bytes = start..start + view.initial.len();
        // A table outside the view may use a counter in it. If the request gave that table first, the counter is written
        // already, and stays.
        let counters: Vec<(Range<usize>, Vec<u8>)> = self
            .counted
            .range((bytes.start, 0)..(bytes.end, 0))
            .filter(|(_, to)| *to <= bytes.end)
            .map(|(from, to)| (*from..*to, self.record[*from..*to].to_vec()))
            .collect();
        self.record[bytes.clone()].copy_from_slice(&view.initial);
        for (counter, value) in counters {
            self.record[counter].copy_from_slice(&value);
        }
        let place = |number: &usize| {
            let rule = &self.target.rules[*number];
            (*number, rule.slot.offset + self.deltas[rule.depth.min(self.depth)])
        };
        let (rule, others) = match &view.shown {
            Shown::Always => (None, Vec::new()),
            Shown::If(number) => (Some(place(number)), Vec::new()),
            Shown::Unless(numbers) => (None, numbers.iter().map(place).collect()),
        };
        let (deltas, depth, path) = (self.deltas, self.depth, path.to_owned());
        self.choices.push(Choice { view: view.view, bytes, rule, others, deltas, depth, path });
        Ok(())
    }

    /// Writes the number of rows into the table's counter.
    fn count(&mut self, counter: usize, rows: usize, table: &TablePlan) -> Result<(), Error> {
        let counter = &self.target.shape.counters[counter];
        let delta = self.deltas[counter.depth.min(table.depth)];
        let at = counter.slot.offset + delta;
        if counter.overlaid {
            self.counted.insert((at, at + counter.slot.bytes));
        }
        if self.target.policies.counters == Counters::Show {
            self.rows.push((at, rows));
            // The request's own counter stays, for a later comparison.
            if self.told.contains(&at) {
                return Ok(());
            }
        }
        let field = &mut self.record[at..at + counter.slot.bytes];
        if counter.shared && !self.shared_counters.insert(at) {
            return match counter.slot.codec.read_number(field)? {
                written if written == rows as i128 => Ok(()),
                written => Err(Error::new(
                    ErrorKind::RowCount,
                    format!(
                        "the {} has {rows} rows, but another table with the same counter has {written}",
                        self.rows_in
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

#[cold]
fn contradiction() -> Error {
    let message = "this view contradicts the field that tells which view the record holds";
    Error::new(ErrorKind::View, message)
}
