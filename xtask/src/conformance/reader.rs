//! Reads a record through binds of its layout, one for each view, and says of every field that is refused why.
//!
//! Other projects show all views of the same bytes, and null where a value is wrong. A bind shows one view and
//! refuses the record; so each view gets its bind, and a refused field is noted, given a valid value, and the record
//! is read again.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use codepage::CodePage;
use copybook::{FieldId, Kind, Layout, Sign};
use record::{
    BinaryRange, Bind, DataTruncation, ErrorKind, FieldOptions, Filler, Options, Policies, TrimText,
};

use super::json::Json;
use super::tree::Tree;

/// More refused fields in one record than any case has.
const REFUSED_MAX: usize = 10_000;

/// The binds of a layout.
pub(super) struct Reader<'l> {
    layout: &'l Layout,
    page: &'static CodePage,
    base: Options,
    binds: Vec<Bind>,
    /// Fields of types that a bind does not take.
    unsupported: BTreeMap<FieldId, String>,
    counters: BTreeSet<FieldId>,
}

impl<'l> Reader<'l> {
    /// Makes the binds.
    ///
    /// # Errors
    /// A view for which no bind can be made, and why.
    pub(super) fn new(layout: &'l Layout, page: &'static CodePage) -> Result<Self, String> {
        Self::with(layout, page, Options::new(page))
    }

    /// A reader by options of its own.
    pub(super) fn with(layout: &'l Layout, page: &'static CodePage, base: Options) -> Result<Self, String> {
        let counters = layout.iter().filter_map(|(_, field)| field.occurs?.depending_on).collect();
        let mut reader =
            Reader { layout, page, base, binds: Vec::new(), unsupported: BTreeMap::new(), counters };
        let views: Vec<FieldId> =
            layout.iter().filter(|(_, field)| field.redefines.is_some()).map(|(id, _)| id).collect();
        let base = reader.bind(None)?;
        reader.binds.push(base);
        for view in views {
            let bind = reader.bind(Some(view))?;
            reader.binds.push(bind);
        }
        Ok(reader)
    }

    /// A bind that shows a view, and of all others the first.
    fn bind(&mut self, view: Option<FieldId>) -> Result<Bind, String> {
        let mut left_out: BTreeSet<FieldId> = BTreeSet::new();
        loop {
            let options = self.options(view, &left_out);
            let errors = match Bind::compile(self.layout, &options) {
                Ok(bind) => return Ok(bind),
                Err(errors) => errors,
            };
            let before = (self.unsupported.len(), left_out.len());
            for error in &errors {
                let found = self.layout.iter().find(|(id, field)| {
                    field.place.line == error.line && self.layout.path(*id) == error.field
                });
                match found {
                    Some((id, _)) if error.message.contains("does not show") => drop(left_out.insert(id)),
                    Some((id, field)) if field.kind != Kind::Group => {
                        self.unsupported.insert(id, error.message.clone());
                    }
                    _ => return Err(error.to_string()),
                }
            }
            if before == (self.unsupported.len(), left_out.len()) {
                return Err(errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "));
            }
        }
    }

    fn options(&self, view: Option<FieldId>, unnamed: &BTreeSet<FieldId>) -> Options {
        let layout = self.layout;
        let mut chosen: HashMap<FieldId, FieldId> = HashMap::new();
        let around = std::iter::successors(view, |id| layout.field(*id).parent);
        chosen.extend(around.filter_map(|id| Some((layout.field(id).redefines?, id))));
        let shows = |id: FieldId| {
            let original = layout.field(id).redefines.unwrap_or(id);
            *chosen.get(&original).unwrap_or(&original) == id
        };
        let mut fields = HashMap::new();
        for (id, field) in layout.iter() {
            let shown = std::iter::successors(Some(id), |at| layout.field(*at).parent).all(shows);
            let hidden = self.unsupported.contains_key(&id);
            let named = shown && !hidden && !self.counters.contains(&id) && !unnamed.contains(&id);
            let named =
                named && field.kind != Kind::Pointer && (field.parent.is_some() || field.kind != Kind::Group);
            let included = match hidden {
                true => Some(false),
                false if shown && chosen.get(&field.redefines.unwrap_or(id)) == Some(&id) => Some(true),
                false => None,
            };
            let name = named.then(|| format!("F{}", id.index()));
            fields.insert(id, FieldOptions { name, included, ..FieldOptions::default() });
        }
        Options {
            filler: Filler::Expose,
            data_truncation: DataTruncation::Accept,
            policies: Policies { trim_text: TrimText::Keep, ..self.base.policies },
            binary_range: BinaryRange::Bytes,
            fields,
            ..self.base.clone()
        }
    }

    /// Reads a record.
    ///
    /// # Errors
    /// The record as a whole cannot be read: its length, or a counter, is wrong.
    pub(super) fn read(&self, record: &[u8]) -> Result<Tree, String> {
        let mut whole = Tree::Members(BTreeMap::new());
        for bind in &self.binds {
            whole.merge(self.view(bind, record)?);
        }
        self.count(&mut whole);
        Ok(whole)
    }

    fn view(&self, bind: &Bind, record: &[u8]) -> Result<Tree, String> {
        let mut record = record.to_vec();
        let mut refused = Vec::new();
        let mut json = Vec::new();
        while let Err(error) = bind.decode(&record, &mut json) {
            let place = steps(&error.path).zip(error.offset);
            let Some((steps, at)) = place.filter(|_| error.kind != ErrorKind::RecordLength) else {
                return Err(error.to_string());
            };
            let id = steps.iter().rev().find_map(|step| self.id(*step)).ok_or_else(|| error.to_string())?;
            let field = self.layout.field(id);
            let end = at + field.bytes;
            if end > record.len() || refused.len() == REFUSED_MAX {
                return Err(error.to_string());
            }
            record[at..end].copy_from_slice(&self.valid(&field.kind, field.bytes));
            refused.push((steps, error.message));
        }
        let text = std::str::from_utf8(&json).map_err(|error| error.to_string())?;
        let mut tree = self.tree(&Json::parse(text)?)?;
        for (steps, reason) in refused {
            if let Some(field) = self.at(&mut tree, &steps) {
                *field = Tree::Refused(reason);
            }
        }
        Ok(tree)
    }

    /// Bytes that are a value of a type.
    fn valid(&self, kind: &Kind, bytes: usize) -> Vec<u8> {
        let byte = |ascii: u8| self.page.ascii_to_page()[usize::from(ascii)];
        match kind {
            Kind::Zoned { sign, .. } => {
                let mut zero = vec![byte(b'0'); bytes];
                match sign {
                    Sign::LeadingSeparate => zero[0] = byte(b'+'),
                    Sign::TrailingSeparate => zero[bytes - 1] = byte(b'+'),
                    _ => {}
                }
                zero
            }
            Kind::Packed { signed, .. } => {
                let mut zero = vec![0; bytes];
                zero[bytes - 1] = if *signed { 0x0C } else { 0x0F };
                zero
            }
            Kind::Text { .. } | Kind::Edited { .. } => vec![self.page.space(); bytes],
            _ => vec![0; bytes],
        }
    }

    fn id(&self, step: Step) -> Option<FieldId> {
        let Step::Field(index) = step else { return None };
        self.layout.iter().nth(index).map(|(id, _)| id)
    }

    fn tree(&self, json: &Json) -> Result<Tree, String> {
        Ok(match json {
            Json::Members(members) => {
                let of = |(name, value): (&String, &Json)| {
                    let id =
                        name.strip_prefix('F').and_then(|index| self.id(Step::Field(index.parse().ok()?)));
                    Ok((id.ok_or_else(|| format!("a member {name} that no field has"))?, self.tree(value)?))
                };
                Tree::Members(members.iter().map(of).collect::<Result<_, String>>()?)
            }
            Json::List(rows) => Tree::Rows(rows.iter().map(|row| self.tree(row)).collect::<Result<_, _>>()?),
            Json::Text(text) => Tree::Text(text.clone()),
            Json::Number(text) => Tree::Number(text.clone()),
            Json::Truth(truth) => Tree::Text(truth.to_string()),
            Json::Null => Tree::Refused("null".to_owned()),
        })
    }

    fn at<'t>(&self, tree: &'t mut Tree, steps: &[Step]) -> Option<&'t mut Tree> {
        let Some((step, rest)) = steps.split_first() else { return Some(tree) };
        let next = match (tree, step) {
            (Tree::Members(members), Step::Field(_)) => members.get_mut(&self.id(*step)?)?,
            (Tree::Rows(rows), Step::Row(row)) => rows.get_mut(*row)?,
            _ => return None,
        };
        self.at(next, rest)
    }

    /// Puts in the counters of tables, which JSON does not show, as the number of rows that there are.
    fn count(&self, whole: &mut Tree) {
        for (table, field) in self.layout.iter() {
            let Some(counter) = field.occurs.and_then(|occurs| occurs.depending_on) else { continue };
            let (to_table, to_counter) = (self.way(table), self.way(counter));
            let shared = to_table.iter().zip(&to_counter).take_while(|(a, b)| a == b).count();
            let shared = shared.min(to_counter.len() - 1);
            count_in(whole, &to_table, &to_counter, shared);
        }
        for id in self.unsupported.keys() {
            let reason = self.unsupported[id].clone();
            put(whole, &self.way(*id), &Tree::Refused(reason));
        }
    }

    /// The groups around a field, below the record, and the field.
    fn way(&self, id: FieldId) -> Vec<FieldId> {
        let mut way: Vec<FieldId> =
            std::iter::successors(Some(id), |at| self.layout.field(*at).parent).collect();
        way.pop();
        way.reverse();
        way
    }
}

/// Goes down the groups that a table and its counter share, through all their rows.
fn count_in(tree: &mut Tree, table: &[FieldId], counter: &[FieldId], shared: usize) {
    match tree {
        Tree::Rows(rows) => {
            for row in rows {
                count_in(row, table, counter, shared);
            }
        }
        Tree::Members(members) if shared > 0 => {
            if let Some(group) = table.first().and_then(|id| members.get_mut(id)) {
                count_in(group, &table[1..], &counter[1..], shared - 1);
            }
        }
        Tree::Members(_) => {
            let Some(rows) = rows_of(tree, table) else { return };
            put(tree, counter, &Tree::Number(rows.to_string()));
            if rows == 0 {
                put(tree, table, &Tree::Rows(Vec::new()));
            }
        }
        _ => {}
    }
}

/// The number of rows of a table; 0 if its group shows, but not the table. None if that shows nothing.
fn rows_of(tree: &Tree, way: &[FieldId]) -> Option<usize> {
    match (tree, way) {
        (Tree::Rows(rows), []) => Some(rows.len()),
        (Tree::Rows(rows), _) => rows.iter().find_map(|row| rows_of(row, way)),
        (Tree::Members(members), [first, rest @ ..]) => match members.get(first) {
            Some(inner) => rows_of(inner, rest),
            None if rest.is_empty() => Some(0),
            None => None,
        },
        _ => None,
    }
}

/// Puts in a value where there is none, in all rows of the tables on the way.
fn put(tree: &mut Tree, way: &[FieldId], value: &Tree) {
    match (tree, way) {
        (Tree::Rows(rows), _) => rows.iter_mut().for_each(|row| put(row, way, value)),
        (Tree::Members(members), [last]) => drop(members.entry(*last).or_insert_with(|| value.clone())),
        (Tree::Members(members), [first, rest @ ..]) => {
            put(members.entry(*first).or_insert_with(|| Tree::Members(BTreeMap::new())), rest, value);
        }
        _ => {}
    }
}

/// One step of an error's path.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// The number of a field, which its JSON name is made of.
    Field(usize),
    Row(usize),
}

/// The steps of `F1.F4[2].F7`. None if it is another path.
fn steps(path: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    for part in path.split('.') {
        let mut rows = part.split('[');
        steps.push(Step::Field(rows.next()?.strip_prefix('F')?.parse().ok()?));
        for row in rows {
            steps.push(Step::Row(row.strip_suffix(']')?.parse().ok()?));
        }
    }
    Some(steps)
}
