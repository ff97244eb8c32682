//! A record as a tree of its fields, and how it is compared with the JSON that another project expects.

use std::collections::BTreeMap;

use copybook::{FieldId, Kind, Layout};

use super::json::{Exact, Json};

/// Fields with their values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tree {
    /// The fields of a group that show, in the order of the copybook.
    Members(BTreeMap<FieldId, Tree>),
    /// The rows of a table.
    Rows(Vec<Tree>),
    Text(String),
    /// As JSON writes it.
    Number(String),
    /// The bytes are no value of the field's type: why.
    Refused(String),
}

impl Tree {
    /// Brings in what another view of the same bytes shows.
    pub(super) fn merge(&mut self, other: Tree) {
        match (self, other) {
            (Tree::Members(members), Tree::Members(others)) => {
                for (id, other) in others {
                    match members.get_mut(&id) {
                        Some(member) => member.merge(other),
                        None => drop(members.insert(id, other)),
                    }
                }
            }
            (Tree::Rows(rows), Tree::Rows(others)) => {
                for (row, other) in rows.iter_mut().zip(others) {
                    row.merge(other);
                }
            }
            _ => {}
        }
    }

    /// True if there is nothing to be seen: blanks, low values, no rows.
    fn is_blank(&self) -> bool {
        match self {
            Tree::Members(members) => members.values().all(Tree::is_blank),
            Tree::Rows(rows) => rows.iter().all(Tree::is_blank),
            Tree::Text(text) => text.chars().all(|c| c <= ' '),
            Tree::Number(_) => false,
            Tree::Refused(_) => true,
        }
    }
}

/// How expected JSON is compared.
pub(super) struct Rules<'r> {
    pub(super) layout: &'r Layout,
    /// The JSON name of a field.
    pub(super) name: &'r dyn Fn(FieldId) -> String,
    /// The function that both texts go through before they are compared.
    pub(super) text: &'r dyn Fn(&str) -> String,
    /// True if fields that the expected JSON lacks are no fault, whatever they hold.
    pub(super) subset: bool,
}

impl Rules<'_> {
    /// Compares the value of a field.
    ///
    /// # Errors
    /// The first difference, with the path to it.
    pub(super) fn compare(&self, expected: &Json, found: &Tree, id: Option<FieldId>) -> Result<(), String> {
        match (expected, found) {
            (Json::Members(expected), Tree::Members(found)) => self.members(expected, found),
            (Json::List(expected), Tree::Rows(found)) => {
                // Rows at the end that show nothing may be left out.
                let more = found.get(expected.len()..);
                if more.is_none_or(|more| !more.iter().all(Tree::is_blank)) {
                    return Err(format!(": expected {} rows, found {}", expected.len(), found.len()));
                }
                for (row, (expected, found)) in expected.iter().zip(found).enumerate() {
                    self.compare(expected, found, id).map_err(|error| format!("[{row}]{error}"))?;
                }
                Ok(())
            }
            // A table of at most one row may show as the row alone.
            (Json::Members(_), Tree::Rows(rows)) if rows.len() == 1 => self.compare(expected, &rows[0], id),
            (Json::Text(_) | Json::Number(_), Tree::Rows(rows)) if rows.len() == 1 => {
                self.compare(expected, &rows[0], id)
            }
            (Json::Null, found) if found.is_blank() => Ok(()),
            (Json::List(rows), found) if rows.is_empty() && found.is_blank() => Ok(()),
            (_, Tree::Refused(reason)) => Err(format!(": expected {expected:?}, refused: {reason}")),
            (Json::Text(expected), Tree::Text(found)) => {
                let (expected, found) = ((self.text)(expected), (self.text)(found));
                // Another project's JSON may show numeric edited text as the number.
                let numbers = || {
                    self.is_edited(id)
                        && number_of(&expected).is_some()
                        && number_of(&expected) == number_of(&found)
                };
                same(expected == found || numbers(), &expected, &found)
            }
            (Json::Number(expected), Tree::Text(found)) => {
                same(self.is_edited(id) && Exact::parse(expected) == number_of(found), expected, found)
            }
            (Json::Number(expected) | Json::Text(expected), Tree::Number(found)) => {
                let exact = Exact::parse(expected).is_some() && Exact::parse(expected) == Exact::parse(found);
                same(exact || self.is_near(id, expected, found), expected, found)
            }
            _ => Err(format!(": expected {expected:?}, found {found:?}")),
        }
    }

    fn members(
        &self,
        expected: &BTreeMap<String, Json>,
        found: &BTreeMap<FieldId, Tree>,
    ) -> Result<(), String> {
        let named: Vec<(String, FieldId, &Tree)> =
            found.iter().map(|(id, tree)| ((self.name)(*id), *id, tree)).collect();
        for (name, value) in expected {
            match named.iter().find(|(found, _, _)| found.eq_ignore_ascii_case(name)) {
                Some((_, id, tree)) => {
                    self.compare(value, tree, Some(*id))
                        .map_err(|error| format!("{name}{}{error}", dot(&error)))?;
                }
                None if *value == Json::Null || *value == Json::List(Vec::new()) => {}
                None => return Err(format!("{name}: expected {value:?}, found no such field")),
            }
        }
        for (name, id, tree) in &named {
            let missing = !expected.keys().any(|key| key.eq_ignore_ascii_case(name));
            let shows = !tree.is_blank() && !self.is_beyond_picture(*id, tree);
            if missing && !self.subset && !self.layout.field(*id).filler && shows {
                return Err(format!("{name}: expected nothing, found {tree:?}"));
            }
        }
        Ok(())
    }

    /// A binary number of more digits than its picture has may be shown or not.
    fn is_beyond_picture(&self, id: FieldId, tree: &Tree) -> bool {
        let Kind::Binary { digits, .. } = self.layout.field(id).kind else { return false };
        matches!(tree, Tree::Number(text) if text.bytes().filter(u8::is_ascii_digit).count() > usize::from(digits))
    }

    fn is_edited(&self, id: Option<FieldId>) -> bool {
        id.is_some_and(|id| matches!(self.layout.field(id).kind, Kind::Edited { .. }))
    }

    /// Floating point is compared by the digits that both formats keep.
    fn is_near(&self, id: Option<FieldId>, expected: &str, found: &str) -> bool {
        let Some(field) = id.map(|id| self.layout.field(id)) else { return false };
        let (Ok(expected), Ok(found)) = (expected.parse::<f64>(), found.parse::<f64>()) else { return false };
        let tolerance = if field.bytes == 4 { 1e-6 } else { 1e-13 };
        is_float(&field.kind) && (expected - found).abs() <= tolerance * expected.abs()
    }
}

/// True for COMP-1 and COMP-2.
pub(super) fn is_float(kind: &Kind) -> bool {
    matches!(kind, Kind::Float)
}

fn dot(error: &str) -> &'static str {
    if error.starts_with([':', '[']) { "" } else { "." }
}

fn same(equal: bool, expected: &str, found: &str) -> Result<(), String> {
    if equal { Ok(()) } else { Err(format!(": expected {expected:?}, found {found:?}")) }
}

/// The number that edited text shows: the last point or comma is the decimal point.
fn number_of(text: &str) -> Option<Exact> {
    let negative = text.contains('-') || text.ends_with("CR") || text.ends_with("DB");
    let point = text.rfind(['.', ',']);
    let mut plain = String::from(if negative { "-" } else { "" });
    for (at, c) in text.char_indices() {
        match c {
            '0'..='9' => plain.push(c),
            _ if Some(at) == point => plain.push('.'),
            ' ' | '+' | '-' | ',' | '.' | '*' | '$' | 'C' | 'R' | 'D' | 'B' => {}
            _ => return None,
        }
    }
    Exact::parse(&plain)
}
