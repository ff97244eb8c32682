//! Random records: groups, tables, redefinitions, fillers, VALUE clauses and condition names.

use super::dice::Dice;
use super::entry::{Condition, Currency, Entry, Kind, Occurs, Record};
use super::picture::{self, Around};
use super::values;

/// How deep groups nest.
const DEPTH_MAX: usize = 3;

const CURRENCIES: [Currency; 4] = [
    Currency { sign: "F", symbol: None },
    Currency { sign: "#", symbol: None },
    Currency { sign: "U", symbol: None },
    Currency { sign: "$", symbol: None },
];

/// The record number `id` of a seed's run.
pub(crate) fn record(seed: u64, id: usize) -> Record {
    let mut dice = Dice::of(seed, &[id]);
    let varying = dice.one_in(4);
    let comma = dice.one_in(5);
    let currency = dice.one_in(6).then(|| *dice.pick(&CURRENCIES));
    let wide_pointers = dice.one_in(2);
    let around = Around { sync: !varying, all_moved: varying, comma, currency };
    let mut maker = Maker { dice, around, varying, wide_pointers, names: 0, table_depth: None };
    let mut entries = Vec::new();
    let place = Place { depth: 0, in_table: false, in_view: false };
    maker.entries(place, &mut Vec::new(), &mut entries);
    if varying {
        // Something behind the last table, to see where it comes to lie.
        let last = maker.elementary(place);
        entries.push(last);
    }
    Record { id, entries, comma, currency, varying, wide_pointers }
}

#[derive(Clone, Copy)]
struct Place {
    depth: usize,
    in_table: bool,
    in_view: bool,
}

struct Maker {
    dice: Dice,
    around: Around,
    varying: bool,
    wide_pointers: bool,
    names: usize,
    /// The depth of the group in which a first table of varying length stands. GnuCOBOL loses its way where others
    /// stand in other groups, unless they are within that table.
    table_depth: Option<usize>,
}

impl Maker {
    fn name(&mut self, letter: char) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    fn plain(&mut self, name: Option<String>, clauses: Vec<String>, value: Kind) -> Entry {
        Entry {
            name,
            clauses,
            value,
            occurs: None,
            redefines: None,
            children: Vec::new(),
            conditions: Vec::new(),
            seed: self.dice.next(),
        }
    }

    /// Entries of one group. `counters` are those that tables here may depend on.
    fn entries(&mut self, place: Place, counters: &mut Vec<(String, u32, u32)>, out: &mut Vec<Entry>) {
        let counted = counters.len();
        for _ in 0..1 + self.dice.roll(if place.depth == 0 { 5 } else { 3 }) {
            let occurs = if place.depth < DEPTH_MAX && self.dice.one_in(4) {
                Some(self.occurs(place, counters, out))
            } else {
                None
            };
            let inner = Place {
                depth: place.depth + 1,
                in_table: place.in_table || occurs.is_some(),
                in_view: place.in_view,
            };
            let mut entry = match self.dice.roll(12) {
                0 | 1 if place.depth < DEPTH_MAX => self.group(inner, counters),
                2 if place.depth < DEPTH_MAX && occurs.is_none() && !self.varying => {
                    self.views(inner, out);
                    continue;
                }
                3 if !self.varying => self.hidden(inner.in_table || out.is_empty()),
                _ => {
                    // Slack bytes at the start of a group belong to it for GnuCOBOL, and stand before it for us.
                    let around = self.around;
                    // In rows that do not begin on their boundary it places fields beside theirs.
                    self.around.sync &= !out.is_empty() && !inner.in_table;
                    let entry = self.elementary(inner);
                    self.around = around;
                    entry
                }
            };
            entry.occurs = occurs;
            if entry.occurs.is_none() && matches!(entry.value, Kind::Group) && self.dice.one_in(4) {
                entry.name = None;
            }
            out.push(entry);
        }
        // A table that depends on a counter stands in the counter's group.
        counters.truncate(counted);
    }

    fn group(&mut self, inner: Place, counters: &mut Vec<(String, u32, u32)>) -> Entry {
        let name = self.name('G');
        let mut group = self.plain(Some(name), Vec::new(), Kind::Group);
        self.entries(inner, counters, &mut group.children);
        group
    }

    /// A table's clause. A counter goes in front of it; none stands in a table, where COBOL knows no counters.
    fn occurs(
        &mut self,
        place: Place,
        counters: &mut Vec<(String, u32, u32)>,
        out: &mut Vec<Entry>,
    ) -> Occurs {
        const COUNTERS: [&str; 5] =
            ["PIC 9(2)", "PIC S9(4) COMP", "PIC S9(3) COMP-3", "PIC 9(4) COMP-5", "PIC S99"];
        let elsewhere =
            !place.in_table && self.table_depth.is_some_and(|depth| depth != place.depth || depth > 0);
        if !self.varying || elsewhere || self.dice.one_in(3) || (place.in_table && counters.is_empty()) {
            let rows = 1 + self.dice.roll(3) as u32;
            return Occurs { min: rows, max: rows, counter: None };
        }
        if !place.in_table {
            self.table_depth = Some(place.depth);
        }
        if !counters.is_empty() && (place.in_table || self.dice.one_in(3)) {
            let (name, min, max) = self.dice.pick(counters).clone();
            return Occurs { min, max, counter: Some(name) };
        }
        let min = self.dice.roll(2) as u32;
        let max = min + 1 + self.dice.roll(3) as u32;
        let name = self.name('N');
        let clauses = vec![(*self.dice.pick(&COUNTERS)).to_owned()];
        let counter = self.plain(Some(name.clone()), clauses, Kind::Counter { min, max });
        out.push(counter);
        counters.push((name.clone(), min, max));
        Occurs { min, max, counter: Some(name) }
    }

    /// A group and others that redefine it; JSON shows the first.
    fn views(&mut self, inner: Place, out: &mut Vec<Entry>) {
        let first = self.group(inner, &mut Vec::new());
        let target = first.name.clone();
        out.push(first);
        for _ in 0..1 + self.dice.roll(2) {
            let mut view = self.group(Place { in_view: true, ..inner }, &mut Vec::new());
            view.redefines.clone_from(&target);
            out.push(view);
        }
    }

    /// An entry that JSON does not show.
    fn hidden(&mut self, unaligned: bool) -> Entry {
        let pointer = if self.wide_pointers { "POINTER" } else { "INDEX" };
        let choices = [
            "PIC X(3)",
            "PIC 9(5) COMP-3",
            pointer,
            "PIC S9(3)",
            "COMP-2",
            "PIC X(4) VALUE \"abcd\"",
            pointer,
        ];
        let clauses = *self.dice.pick(&choices);
        let named = clauses == pointer && self.dice.one_in(2);
        let name = named.then(|| self.name('P'));
        let mut clauses = vec![clauses.to_owned()];
        if self.around.sync && clauses[0] == pointer && !unaligned && self.dice.one_in(3) {
            clauses.push("SYNC".to_owned());
        }
        self.plain(name, clauses, Kind::Opaque)
    }

    fn elementary(&mut self, place: Place) -> Entry {
        let item = picture::item(&mut self.dice, self.around);
        let name = self.name('F');
        let literals = item.literals;
        let mut entry = self.plain(Some(name), item.clauses, item.value);
        if !place.in_view && !self.varying && literals && self.dice.one_in(3) {
            let value = values::written(&entry, &[0], self.around.comma);
            if let Some(value) = value.filter(|value| value.literal != "SPACES") {
                entry.clauses.push(format!("VALUE {}", value.literal));
            }
        }
        let conditional = matches!(entry.value, Kind::Number(_) | Kind::Text { .. }) && literals;
        if conditional && self.dice.one_in(4) {
            for at in 0..1 + self.dice.roll(2) {
                let name = self.name('K');
                let values = self.condition_values(&entry, at);
                entry.conditions.push(Condition { name, values });
            }
        }
        entry
    }

    /// One or two values, the last of them perhaps a range.
    fn condition_values(&mut self, entry: &Entry, at: usize) -> Vec<(values::Given, Option<values::Given>)> {
        let value = |number: usize| values::written(entry, &[at, number], self.around.comma);
        let mut found: Vec<_> = (0..1 + self.dice.roll(2)).filter_map(|n| Some((value(n)?, None))).collect();
        if self.dice.one_in(3)
            && let Some((least, greatest)) = values::range(entry, &[at, 9], self.around.comma)
        {
            found.push((least, Some(greatest)));
        }
        found
    }
}
