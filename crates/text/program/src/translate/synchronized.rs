//! SYNCHRONIZED: GnuCOBOL and the mainframe's compiler put slack bytes in different places. A binary number of 8 bytes has a
//! boundary of 4 on the mainframe. Slack bytes go before a group that begins with a synchronized item, and behind each row of a
//! table. So the translator removes the clause, and writes the slack bytes as FILLER.

use std::ops::Range;

use copybook::{FieldId, Layout, Severity};

use super::output::{Edit, Origin};
use super::records::Record;
use super::{Translator, codes};

/// The clause's word.
const WORDS: &[&str] = &["SYNC", "SYNCHRONIZED"];

impl Translator<'_> {
    /// Replaces the clause in all records.
    pub(super) fn place_synchronized(&mut self, records: &[Record]) {
        for (_, record) in records {
            self.place_items(record.clone());
        }
    }

    fn place_items(&mut self, record: Range<usize>) {
        let clauses: Vec<usize> = record.clone().filter(|at| self.tokens[*at].is_any(WORDS)).collect();
        let Some(&first) = clauses.first() else { return };
        let entries = self.entries(record.clone());
        let layout = self.layout(record.clone());
        let Some(layout) = layout.filter(|layout| layout.fields().len() == entries.len()) else {
            let message =
                "SYNCHRONIZED may place the items of this record otherwise than the mainframe".to_owned();
            let help = "write the slack bytes as FILLER, and remove the clause".to_owned();
            return self.report(
                codes::SYNCHRONIZED,
                first..first + 1,
                (message, Some(help)),
                Severity::Warning,
            );
        };
        for clause in clauses {
            let side = self.tokens.get(clause + 1).filter(|side| side.is_any(&["LEFT", "RIGHT"]));
            let end = side.unwrap_or(&self.tokens[clause]).span.end;
            self.edits.push(Edit::inline(self.tokens[clause].span.start..end, String::new()));
        }
        for Slack { before, level, bytes } in slack(&layout) {
            let at = match entries.get(before) {
                Some(entry) => self.tokens[*entry].span.start,
                None => self.tokens[record.end - 1].span.end,
            };
            let line = format!("{level:02} FILLER PIC X({bytes}).");
            self.edits.push(Edit::lines(at..at, vec![(Origin::Text(at), line)]));
        }
    }
}

/// Bytes of no item.
struct Slack {
    /// The number of the field that follows, in the order of the text.
    before: usize,
    level: u8,
    bytes: usize,
}

/// The slack bytes of a record, in the order of the text.
fn slack(layout: &Layout) -> Vec<Slack> {
    let mut found = Vec::new();
    if let Some((root, _)) = layout.iter().next() {
        within(layout, root, &mut found);
    }
    found
}

/// Finds the slack bytes within a field. Gives the number of the field behind it.
fn within(layout: &Layout, id: FieldId, found: &mut Vec<Slack>) -> usize {
    let group = layout.field(id);
    let (mut end, mut next) = (group.offset, id.index() + 1);
    for &child in &group.children {
        let field = layout.field(child);
        if field.redefines.is_none() && field.offset > end {
            found.push(Slack { before: child.index(), level: field.level, bytes: field.offset - end });
        }
        let rows = field.occurs.map_or(1, |occurs| occurs.max as usize);
        end = end.max(field.offset + field.bytes * rows);
        next = within(layout, child, found);
    }
    let row_end = group.offset + group.bytes;
    // An item of the least level is in the group itself, not in the last item of the group.
    let level = group.children.iter().map(|child| layout.field(*child).level).min();
    if let Some(level) = level.filter(|_| row_end > end) {
        found.push(Slack { before: next, level, bytes: row_end - end });
    }
    next
}
