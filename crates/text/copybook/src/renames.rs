//! Level-66 entries: other names for bytes that other entries describe.

use std::collections::HashMap;
use std::ops::Range;

use crate::codes;
use crate::entry::{Entry, Spanned};
use crate::report::Report;
use crate::{Field, FieldId, Place};

/// If many fields have the same name, only this number of them is tried.
const CANDIDATES_TRIED: usize = 1_000;

/// A level-66 entry: a name for the bytes from one field to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rename {
    /// The COBOL name in upper case.
    pub name: String,
    /// The name as the copybook spells it.
    pub spelling: String,
    /// Its first field.
    pub first: FieldId,
    /// Its last field; `first` without THRU.
    pub last: FieldId,
    /// Bytes from the start of the record.
    pub offset: usize,
    /// Bytes up to the end of the last field.
    pub bytes: usize,
    /// The place of the entry.
    pub place: Place,
}

/// RENAMES as written: the qualified names of the first field and the last.
#[derive(Clone, Debug)]
pub(crate) struct RenamesClause {
    pub(crate) first: Spanned<Vec<String>>,
    pub(crate) last: Option<Spanned<Vec<String>>>,
}

/// Finds the fields of the level-66 entries of a record. Faults are reported, by the rules of the Enterprise
/// COBOL Language Reference, "RENAMES clause".
pub(crate) fn resolve(entries: &[&Entry], fields: &[Field], report: &mut Report) -> Vec<Rename> {
    if entries.is_empty() {
        return Vec::new();
    }
    let record = Record::new(fields);
    let mut found = Vec::new();
    for entry in entries {
        let (Some(name), Some(clause)) = (&entry.name, &entry.renames) else {
            if !entry.broken {
                let message = "a level 66 needs a name and a RENAMES clause";
                report.error(codes::INCOMPLETE_CLAUSE, &entry.span, message);
            }
            continue;
        };
        match record.range(clause) {
            Ok((first, last)) => found.push(Rename {
                name: name.clone(),
                spelling: entry.spelling.clone().unwrap_or_default(),
                first: FieldId(first as u32),
                last: FieldId(last as u32),
                offset: fields[first].offset,
                bytes: record.end(last) - fields[first].offset,
                place: report.place(&entry.span),
            }),
            Err((span, message)) => report.error(codes::BAD_RENAMES, &span, message),
        }
    }
    found
}

struct Record<'f> {
    fields: &'f [Field],
    by_name: HashMap<&'f str, Vec<usize>>,
    /// The number of tables of variable length before each field.
    variable: Vec<usize>,
}

type Problem = (Range<usize>, String);

impl<'f> Record<'f> {
    fn new(fields: &'f [Field]) -> Self {
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, field) in fields.iter().enumerate().skip(1).filter(|(_, field)| !field.filler) {
            by_name.entry(&field.name).or_default().push(at);
        }
        let mut variable = vec![0];
        for (at, field) in fields.iter().enumerate() {
            let counts = field.occurs.is_some_and(|occurs| occurs.depending_on.is_some());
            variable.push(variable[at] + usize::from(counts));
        }
        Record { fields, by_name, variable }
    }

    fn range(&self, clause: &RenamesClause) -> Result<(usize, usize), Problem> {
        let first = self.find(&clause.first)?;
        let Some(through) = &clause.last else {
            self.check_length(first, first, &clause.first)?;
            return Ok((first, first));
        };
        let last = self.find(through)?;
        let (begin, end) = (&self.fields[first], &self.fields[last]);
        let within = self.upwards(last).any(|at| at == first);
        if within || end.offset < begin.offset || self.end(last) <= self.end(first) {
            let message = format!("{} must begin and end after {}", end.name, begin.name);
            return Err((through.span.clone(), message));
        }
        self.check_length(first, last, through)?;
        Ok((first, last))
    }

    /// The field of a qualified name.
    fn find(&self, names: &Spanned<Vec<String>>) -> Result<usize, Problem> {
        let name = names.value[0].as_str();
        let problem = |message: String| Err((names.span.clone(), message));
        let candidates = self.by_name.get(name).map_or(&[][..], Vec::as_slice).iter().copied();
        let mut fits =
            candidates.take(CANDIDATES_TRIED).filter(|at| self.is_qualified(*at, &names.value[1..]));
        match (fits.next(), fits.next()) {
            (None, _) => problem(format!("no field {} in the record above", names.value.join(" OF "))),
            (Some(_), Some(_)) => problem(format!("several fields are named {name}; qualify it with OF")),
            (Some(found), None) if self.upwards(found).any(|at| self.fields[at].occurs.is_some()) => {
                problem(format!("{name} is a table or is in one, and cannot be renamed"))
            }
            (Some(found), None) => Ok(found),
        }
    }

    fn check_length(&self, first: usize, last: usize, names: &Spanned<Vec<String>>) -> Result<(), Problem> {
        let mut end = last;
        while let Some(child) = self.fields[end].children.last() {
            end = child.index();
        }
        if self.variable[first] == self.variable[end + 1] {
            return Ok(());
        }
        Err((names.span.clone(), "a table of variable length is within, and cannot be renamed".to_owned()))
    }

    fn is_qualified(&self, field: usize, groups: &[String]) -> bool {
        let mut around = self.upwards(field).skip(1);
        groups.iter().all(|group| around.any(|at| self.fields[at].name == *group))
    }

    /// A field and the groups around it.
    fn upwards(&self, field: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(field), |at| self.fields[*at].parent.map(FieldId::index))
    }

    fn end(&self, field: usize) -> usize {
        self.fields[field].offset + self.fields[field].bytes
    }
}
