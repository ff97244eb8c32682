//! Finds the counters of tables with OCCURS DEPENDING ON, and checks that they can be read before the table.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::codes::{self, Code};
use crate::layout::edit_distance;
use crate::report::Report;
use crate::tree::Record;
use crate::{Field, FieldId, Kind};

/// If many fields have the same name, only this number of them, the nearest ones, are tried. So a hostile
/// text cannot make the search quadratic.
const CANDIDATES_TRIED: usize = 1_000;

/// The length of the commarea. CICS keeps it in an area of its own.
const COMMAREA_LENGTH: &str = "EIBCALEN";

/// Sets `depending_on` of every variable table of a record. A table whose counter is in another record always
/// has its greatest number of rows.
pub(crate) fn resolve(
    record: &Record<'_>,
    fields: &mut [Field],
    elsewhere: &HashSet<String>,
    report: &mut Report,
) {
    let clauses = record.items.iter().enumerate().filter_map(|(index, item)| {
        let occurs = item.entry?.occurs.as_ref()?;
        occurs.value.depending_on.as_ref().map(|counter| (index, counter))
    });
    let mut by_name: Option<HashMap<String, Vec<usize>>> = None;
    for (table, counter) in clauses {
        if report.is_full() {
            return;
        }
        let by_name = by_name.get_or_insert_with(|| index(fields));
        let search = Search { fields, by_name, names: &counter.value, table };
        match search.find() {
            Ok(found) => {
                if search.shares_row(found) {
                    let message =
                        format!("{} is in a row of a table; IBM's compiler refuses that", counter.value[0]);
                    report.warning(codes::COUNTER_IN_ROW, &counter.span, message);
                }
                if let Some(occurs) = &mut fields[table].occurs {
                    occurs.depending_on = Some(FieldId(found as u32));
                }
            }
            Err(problem)
                if problem.code == codes::UNKNOWN_COUNTER
                    && is_elsewhere(&counter.value[0], by_name, elsewhere) =>
            {
                let name = &counter.value[0];
                let message = format!(
                    "the counter {name} is not a field of this record; the table has its maximum number of rows"
                );
                report.warning(codes::UNKNOWN_COUNTER, &counter.span, message);
                if let Some(occurs) = &mut fields[table].occurs {
                    occurs.min = occurs.max;
                }
            }
            Err(problem) => problem.report(&counter.span, report),
        }
    }
}

fn is_elsewhere(name: &str, here: &HashMap<String, Vec<usize>>, elsewhere: &HashSet<String>) -> bool {
    name == COMMAREA_LENGTH || (elsewhere.contains(name) && !here.contains_key(name))
}

/// The fields of each name, in the order of the text.
fn index(fields: &[Field]) -> HashMap<String, Vec<usize>> {
    let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, field) in fields.iter().enumerate().filter(|(_, field)| !field.filler) {
        by_name.entry(field.name.clone()).or_default().push(at);
    }
    by_name
}

struct Problem {
    code: Code,
    message: String,
    help: Option<String>,
}

impl Problem {
    fn new(code: Code, message: String) -> Self {
        Problem { code, message, help: None }
    }

    fn report(self, span: &Range<usize>, report: &mut Report) {
        report.error_with_help(self.code, span, self.message, self.help);
    }
}

struct Search<'s> {
    fields: &'s [Field],
    by_name: &'s HashMap<String, Vec<usize>>,
    /// The counter's name and its qualifiers, innermost first.
    names: &'s [String],
    table: usize,
}

impl Search<'_> {
    /// The nearest field above the table with the name, if it can be a counter.
    fn find(&self) -> Result<usize, Problem> {
        let name = self.names[0].as_str();
        let all = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        let above = all.partition_point(|at| *at < self.table);
        let fits = |at: &&usize| self.is_qualified(**at);
        let found = all[..above].iter().rev().take(CANDIDATES_TRIED).find(fits);
        let Some(&found) = found else {
            if all[above..].iter().take(CANDIDATES_TRIED).any(|at| fits(&at)) {
                let message = format!("the counter {name} is after its table; it must come before");
                return Err(Problem::new(codes::COUNTER_AFTER_TABLE, message));
            }
            return Err(self.unknown());
        };
        self.check(found).map(|()| found)
    }

    fn check(&self, found: usize) -> Result<(), Problem> {
        let field = &self.fields[found];
        let name = &field.name;
        let integer = match field.kind {
            Kind::Zoned { scale, .. }
            | Kind::Packed { scale, .. }
            | Kind::Binary { scale, .. }
            | Kind::PackedUnsigned { scale, .. }
            | Kind::NationalNumber { scale, .. } => scale == 0,
            _ => false,
        };
        if !integer {
            let found = match field.kind {
                Kind::Group => "a group",
                Kind::Text { .. } | Kind::National { .. } | Kind::Dbcs { .. } | Kind::Utf8 { .. } => "text",
                Kind::Edited(_) => "edited",
                Kind::Zoned { .. }
                | Kind::Packed { .. }
                | Kind::Binary { .. }
                | Kind::PackedUnsigned { .. }
                | Kind::NationalNumber { .. } => "a number with decimals",
                Kind::Float | Kind::Pointer => "no decimal number",
            };
            let message = format!("the counter {name} must be an integer field, and it is {found}");
            return Err(Problem::new(codes::BAD_COUNTER, message));
        }
        if self.rows_around(found).any(|table| !self.is_around(table, self.table)) {
            let message =
                format!("the counter {name} is in another table, and the copybook does not say in which row");
            return Err(Problem::new(codes::BAD_COUNTER, message));
        }
        if field.offset + field.bytes > self.fields[self.table].offset {
            let message = format!("the bytes of the counter {name} are not before the table");
            return Err(Problem::new(codes::COUNTER_AFTER_TABLE, message));
        }
        Ok(())
    }

    /// True if a table around the counter is also around the table that it counts.
    fn shares_row(&self, found: usize) -> bool {
        self.rows_around(found).next().is_some()
    }

    /// The tables around a field, with the field itself.
    fn rows_around(&self, field: usize) -> impl Iterator<Item = usize> {
        self.upwards(field).filter(|at| self.fields[*at].occurs.is_some())
    }

    fn is_around(&self, outer: usize, inner: usize) -> bool {
        self.upwards(inner).skip(1).any(|at| at == outer)
    }

    /// A field and the groups around it.
    fn upwards(&self, field: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(field), |at| self.fields[*at].parent.map(FieldId::index))
    }

    fn is_qualified(&self, field: usize) -> bool {
        let mut groups = self.upwards(field).skip(1);
        self.names[1..].iter().all(|name| groups.any(|at| self.fields[at].name == *name))
    }

    fn unknown(&self) -> Problem {
        let name = self.names.join(" OF ");
        let wanted = &self.names[0];
        // COBOL names are short. Comparing a long name would cost its length for every field.
        let nearest = (wanted.len() <= 40).then(|| {
            let names = self.fields[..self.table].iter().rev().take(CANDIDATES_TRIED);
            let near = names.filter(|field| !field.filler && field.name.len() <= 40);
            near.map(|field| (edit_distance(&field.name, wanted), &field.name)).min()
        });
        let nearest = nearest
            .flatten()
            .filter(|(distance, _)| *distance <= (1 + wanted.len() / 4).min(wanted.len() - 1));
        Problem {
            code: codes::UNKNOWN_COUNTER,
            message: format!("no field {name} in the record above the table"),
            help: match nearest {
                Some((_, near)) => Some(format!("did you mean {near}?")),
                None => Some("the counter must be a field of the same record".to_owned()),
            },
        }
    }
}
