//! From a record's tree to its layout: offsets, lengths, slack bytes and redefinitions.

use std::collections::HashSet;

use crate::codes;
use crate::counter;
use crate::entry::Entry;
use crate::renames;
use crate::report::Report;
use crate::shape::{self, Inherited, Shape};
use crate::tree::Record;
use crate::{Field, FieldId, Kind, Layout, Occurs, Place, PointerBytes};

/// The most bytes that a record may have.
pub const MAX_RECORD_BYTES: usize = 128 << 20;

/// Lays out one record. Errors go to the report, and the result must not be used then. `elsewhere` has the
/// names that any record of the text declares.
pub(crate) fn layout(
    record: Record<'_>,
    pointer_bytes: PointerBytes,
    elsewhere: &HashSet<String>,
    report: &mut Report,
) -> Layout {
    let shapes = shapes(&record, pointer_bytes, report);
    let fields = fields(&record, &shapes, report);
    let mut placer = Placer { record: &record, shapes: &shapes, fields, report };
    placer.item(0, 0);
    let mut fields = placer.fields;
    counter::resolve(&record, &mut fields, elsewhere, report);
    // After an error, offsets are not reliable.
    let entries = if report.has_errors() { &[][..] } else { &record.renames };
    let renames = renames::resolve(entries, &fields, report);
    Layout { name: record.name, fields, renames, redefines: record.redefines }
}

/// The shape of every item, in the order of the text, so that a group comes before its children.
fn shapes(record: &Record<'_>, pointer_bytes: PointerBytes, report: &mut Report) -> Vec<Shape> {
    let mut inherited: Vec<Inherited> = Vec::with_capacity(record.items.len());
    let mut found = Vec::with_capacity(record.items.len());
    for item in &record.items {
        let from = item.parent.map(|parent| inherited[parent]).unwrap_or_default();
        let group = Shape { kind: Kind::Group, bytes: 0, align: 1, synchronized: false };
        let Some(entry) = item.entry else {
            inherited.push(from);
            found.push(group);
            continue;
        };
        check_usage(entry, from, report);
        inherited.push(Inherited {
            usage: entry.usage.as_ref().map(|usage| usage.value).or(from.usage),
            sign: entry.sign.as_ref().map(|sign| sign.value).or(from.sign),
            synchronized: entry.synchronized.is_some() || from.synchronized,
        });
        if item.children.is_empty() {
            found.push(shape::of_item(entry, from, pointer_bytes, report).unwrap_or(group));
        } else {
            check_group(entry, report);
            found.push(group);
        }
    }
    found
}

/// A USAGE of a group holds for all its items. Their own usage must be the same.
fn check_usage(entry: &Entry, from: Inherited, report: &mut Report) {
    let (Some(own), Some(group)) = (&entry.usage, from.usage) else { return };
    if own.value != group {
        let message =
            format!("the usage {} differs from that of the group, {}", own.value.word(), group.word());
        report.error(codes::USAGE_CONFLICT, &own.span, message);
    }
}

fn check_group(entry: &Entry, report: &mut Report) {
    if let Some(picture) = &entry.picture {
        let message =
            format!("{} has items below it, so it is a group and cannot have a PICTURE", entry.shown());
        report.error(codes::PICTURE_ON_GROUP, &picture.span, message);
    }
    for span in [&entry.justified, &entry.blank_when_zero].into_iter().flatten() {
        report.warning(codes::CLAUSE_NOT_FOR_ITEM, span, "the clause has no effect on a group");
    }
}

/// The fields, without their places in the record.
fn fields(record: &Record<'_>, shapes: &[Shape], report: &mut Report) -> Vec<Field> {
    let id = |index: usize| FieldId(index as u32);
    let field = |(item, shape): (&crate::tree::Item<'_>, &Shape)| {
        let name = match item.entry {
            Some(entry) => entry.name.clone(),
            None => Some(record.name.clone()),
        };
        Field {
            filler: name.is_none(),
            spelling: item
                .entry
                .and_then(|entry| entry.spelling.clone())
                .or_else(|| name.clone())
                .unwrap_or_default(),
            name: name.unwrap_or_else(|| "FILLER".to_owned()),
            level: item.level(),
            parent: item.parent.map(id),
            children: item.children.iter().copied().map(id).collect(),
            offset: 0,
            bytes: shape.bytes,
            occurs: item.entry.and_then(|entry| entry.occurs.as_ref()).map(|occurs| Occurs {
                min: occurs.value.min,
                max: occurs.value.max,
                depending_on: None,
            }),
            redefines: None,
            kind: shape.kind.clone(),
            synchronized: shape.synchronized,
            value: item
                .entry
                .and_then(|entry| entry.values.as_ref())
                .and_then(|values| values.value.first())
                .map(|(value, _)| value.clone()),
            conditions: item.conditions.clone(),
            place: item.entry.map_or_else(Place::default, |entry| report.place(&entry.span)),
        }
    };
    record.items.iter().zip(shapes).map(field).collect()
}

struct Placer<'p> {
    record: &'p Record<'p>,
    shapes: &'p [Shape],
    fields: Vec<Field>,
    report: &'p mut Report,
}

/// The room of an item, with all its rows.
struct Extent {
    end: usize,
    /// The strictest boundary of a synchronized item inside.
    align: usize,
}

impl Placer<'_> {
    /// Places an item, and all items in it, at an offset.
    fn item(&mut self, index: usize, offset: usize) -> Extent {
        let shape = &self.shapes[index];
        let (mut bytes, mut align) = (shape.bytes, shape.align);
        self.fields[index].offset = offset;
        if !self.record.items[index].children.is_empty() {
            let within = self.children(index, offset);
            (bytes, align) = (within.end - offset, within.align);
        }
        let rows = self.fields[index].occurs.map(|occurs| occurs.max as usize);
        if rows.is_some() {
            // Slack bytes follow each row, so that the next row is aligned like the first.
            bytes = bytes.next_multiple_of(align);
        }
        let total = bytes.checked_mul(rows.unwrap_or(1)).and_then(|total| total.checked_add(offset));
        match total {
            Some(end) if end <= MAX_RECORD_BYTES => {
                self.fields[index].bytes = bytes;
                Extent { end, align }
            }
            _ => {
                self.fields[index].bytes = 0;
                self.refuse_length(index);
                Extent { end: offset, align }
            }
        }
    }

    fn refuse_length(&mut self, index: usize) {
        let Some(entry) = self.record.items[index].entry else { return };
        let message = format!("the record grows beyond {MAX_RECORD_BYTES} bytes at {}", entry.shown());
        self.report.error(codes::RECORD_TOO_LONG, &entry.span, message);
    }

    /// Places the items of a group one after the other. A redefinition gets the place of the redefined item.
    fn children(&mut self, group: usize, offset: usize) -> Extent {
        let record = self.record;
        let mut extent = Extent { end: offset, align: 1 };
        let mut views = Views::default();
        for &child in &record.items[group].children {
            let entry = record.items[child].entry;
            let target = entry.and_then(|entry| entry.redefines.as_ref());
            let original = match target {
                None => None,
                Some(target) => {
                    let found = views.original.filter(|_| views.names.contains(target.value.as_str()));
                    if found.is_none() {
                        self.refuse_redefines(entry, group, child);
                    }
                    found
                }
            };
            let placed = match original {
                Some(original) => self.redefinition(child, original),
                None => {
                    let start = extent.end.next_multiple_of(self.leading_align(child));
                    let placed = self.item(child, start);
                    views = Views { original: Some(child), ..Views::default() };
                    placed
                }
            };
            views.names.extend(entry.and_then(|entry| entry.name.as_deref()));
            extent.end = extent.end.max(placed.end);
            extent.align = extent.align.max(placed.align);
        }
        extent
    }

    fn redefinition(&mut self, child: usize, original: usize) -> Extent {
        let Some(entry) = self.record.items[child].entry else { return Extent { end: 0, align: 1 } };
        self.fields[child].redefines = Some(FieldId(original as u32));
        let (offset, bytes) = (self.fields[original].offset, self.fields[original].bytes);
        let occurs = self.fields[original].occurs;
        let end = offset + bytes * occurs.map_or(1, |occurs| occurs.max as usize);
        let name = self.fields[original].name.clone();
        if offset % self.leading_align(child) != 0 {
            let message = format!("{} is synchronized, and {name} is not on its boundary", entry.shown());
            self.report.warning(codes::MISALIGNED, &entry.span, message);
        }
        if occurs.is_some() {
            let message = format!("{name} has an OCCURS clause; IBM's compiler refuses to redefine it");
            self.report.warning(codes::REDEFINES_TABLE, &entry.span, message);
        }
        let placed = self.item(child, offset);
        if placed.end > end {
            let (longer, shorter) = (placed.end - offset, end - offset);
            let message = format!(
                "{} has {longer} bytes and redefines {name} of {shorter}; the group is extended",
                entry.shown()
            );
            self.report.warning(codes::LONGER_REDEFINES, &entry.span, message);
        }
        placed
    }

    /// The boundary of the first elementary item within an item. Slack bytes go before a group that begins
    /// with it.
    fn leading_align(&self, index: usize) -> usize {
        let mut at = index;
        while let Some(&first) = self.record.items[at].children.first() {
            at = first;
        }
        self.shapes[at].align
    }

    fn refuse_redefines(&mut self, entry: Option<&Entry>, group: usize, child: usize) {
        let Some(target) = entry.and_then(|entry| entry.redefines.as_ref()) else { return };
        let mut siblings = self.record.items[group].children.iter();
        let earlier = siblings.any(|sibling| *sibling < child && self.fields[*sibling].name == target.value);
        let message = if earlier {
            format!("{} cannot be redefined here: other storage lies between", target.value)
        } else {
            format!("expected the name of the item just before at the same level, found {}", target.value)
        };
        self.report.error(codes::BAD_REDEFINES, &target.span, message);
    }
}

/// The item whose storage can be redefined here, and the names of all its views.
#[derive(Default)]
struct Views<'e> {
    original: Option<usize>,
    names: HashSet<&'e str>,
}
