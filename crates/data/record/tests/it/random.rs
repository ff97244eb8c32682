//! Random layouts as copybook text, with random JSON that fits them: the material of the property tests.

use std::fmt::Write;

use crate::value::Value;

/// Random choices, drawn from a list of numbers that proptest makes smaller when a test fails; then all are 0.
pub(crate) struct Dice<'a> {
    rolls: std::slice::Iter<'a, u32>,
}

impl<'a> Dice<'a> {
    pub(crate) fn new(rolls: &'a [u32]) -> Self {
        Self { rolls: rolls.iter() }
    }

    /// A number from 0 to `sides` - 1; the simplest choice is 0.
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.rolls.next().map_or(0, |roll| *roll as usize % sides)
    }

    pub(crate) fn one_in(&mut self, sides: usize) -> bool {
        self.roll(sides) == sides - 1
    }
}

/// One field, or group, of a random layout.
enum Item {
    Text {
        length: usize,
        justified: bool,
        /// PIC N.
        national: bool,
    },
    Number(Number),
    Group(Vec<Entry>),
    /// A group without a name, whose fields belong to the group around it.
    Dissolved(Vec<Entry>),
    /// Bytes that JSON does not see.
    Hidden(&'static str),
    Counter {
        id: usize,
        clauses: &'static str,
    },
    /// The same bytes twice.
    Views {
        first: Box<Entry>,
        second: Box<Entry>,
        choice: Choice,
    },
}

/// Which view of the same bytes a record has.
enum Choice {
    /// Always this one: the second is chosen, or the first shows.
    Fixed { second: bool },
    /// The one that a field in front of them tells, by `1` or `2`.
    Told { teller: String },
}

struct Number {
    clauses: String,
    scale: i32,
    least: i128,
    greatest: i128,
}

struct Entry {
    name: String,
    item: Item,
    occurs: Option<Occurs>,
}

#[derive(Clone, Copy)]
struct Occurs {
    rows: Rows,
    counter: Option<usize>,
}

#[derive(Clone, Copy)]
struct Rows {
    min: usize,
    max: usize,
}

/// A random layout: its text, and the data for making its JSON.
pub(crate) struct RandomLayout {
    entries: Vec<Entry>,
    /// The limits of the tables of each counter.
    counters: Vec<Rows>,
    /// Names of the views to choose.
    pub(crate) chosen: Vec<String>,
    /// Names of views, of the fields that tell about them, and with which value.
    pub(crate) rules: Vec<(String, String, &'static str)>,
    pub(crate) copybook: String,
}

const COUNTERS: [&str; 5] = ["PIC 9(2)", "PIC S9(4) COMP", "PIC S9(3) COMP-3", "PIC 9(4) COMP-5", "PIC S99"];
const HIDDEN: [&str; 6] =
    ["PIC X(3)", "PIC 9(5) COMP-3", "POINTER", "COMP-2", "PIC N(2)", "PIC X(2) OCCURS 2 VALUE 'ab'"];

impl RandomLayout {
    pub(crate) fn new(dice: &mut Dice<'_>) -> Self {
        let mut maker = Maker { dice, names: 0, counters: Vec::new(), chosen: Vec::new(), rules: Vec::new() };
        let entries = maker.entries(Place { depth: 0, may_vary: true, counters: &[] });
        let mut copybook = "01 R.\n".to_owned();
        write_entries(&entries, 5, &mut copybook);
        Self { entries, counters: maker.counters, chosen: maker.chosen, rules: maker.rules, copybook }
    }

    /// Random JSON for the layout.
    pub(crate) fn value(&self, dice: &mut Dice<'_>) -> Value {
        let mut rows = vec![0; self.counters.len()];
        Value::Object(self.members(&self.entries, dice, &mut rows))
    }

    fn members(&self, entries: &[Entry], dice: &mut Dice<'_>, rows: &mut [usize]) -> Vec<(String, Value)> {
        let mut members = Vec::new();
        for entry in entries {
            match &entry.item {
                Item::Hidden(_) => {}
                Item::Counter { id, .. } => {
                    let Rows { min, max } = self.counters[*id];
                    // A counter of 0 is accepted below the minimum too.
                    rows[*id] = if dice.one_in(4) { 0 } else { min + dice.roll(max - min + 1) };
                }
                Item::Dissolved(inner) => members.extend(self.members(inner, dice, rows)),
                Item::Views { first, second, choice } => {
                    let chosen = match choice {
                        Choice::Fixed { second } => *second,
                        Choice::Told { teller } => {
                            let second = dice.one_in(2);
                            let told = if second { "2" } else { "1" };
                            members.push((teller.to_ascii_lowercase(), Value::Text(told.to_owned())));
                            second
                        }
                    };
                    members.extend(self.member(if chosen { second } else { first }, dice, rows));
                }
                _ => members.extend(self.member(entry, dice, rows)),
            }
        }
        members
    }

    fn member(&self, entry: &Entry, dice: &mut Dice<'_>, rows: &mut [usize]) -> Option<(String, Value)> {
        let name = entry.name.to_ascii_lowercase();
        let Some(occurs) = entry.occurs else {
            return self.one_value(&entry.item, dice, rows).map(|value| (name, value));
        };
        let count = occurs.counter.map_or(occurs.rows.max, |counter| rows[counter]);
        let values: Option<Vec<Value>> =
            (0..count).map(|_| self.one_value(&entry.item, dice, rows)).collect();
        values.filter(|values| !values.is_empty()).map(|values| (name, Value::Array(values)))
    }

    /// The value of an item; none for a group without visible fields.
    fn one_value(&self, item: &Item, dice: &mut Dice<'_>, rows: &mut [usize]) -> Option<Value> {
        Some(match item {
            Item::Text { length, justified, .. } => Value::Text(random_text(dice, *length, *justified)),
            Item::Number(number) => {
                let magnitude = random_magnitude(dice);
                let value = if dice.one_in(2) { -magnitude } else { magnitude };
                Value::Number { mantissa: value.clamp(number.least, number.greatest), scale: number.scale }
            }
            Item::Group(entries) if shows(entries) => Value::Object(self.members(entries, dice, rows)),
            _ => return None,
        })
    }
}

/// True if any field of a group is part of the interface.
fn shows(entries: &[Entry]) -> bool {
    entries.iter().any(|entry| match &entry.item {
        Item::Hidden(_) | Item::Counter { .. } => false,
        Item::Group(inner) | Item::Dissolved(inner) => shows(inner),
        Item::Views { choice: Choice::Told { .. }, .. } => true,
        Item::Views { first, second, choice: Choice::Fixed { second: chosen } } => {
            shows(std::slice::from_ref(if *chosen { second } else { first }))
        }
        Item::Text { .. } | Item::Number(_) => true,
    })
}

fn random_text(dice: &mut Dice<'_>, length: usize, justified: bool) -> String {
    const CHARACTERS: [char; 16] =
        ['A', 'z', '0', ' ', ' ', '"', '\\', '/', 'é', 'ü', '{', '~', '\n', '\t', '\u{1}', ','];
    let text: String = (0..dice.roll(length + 1)).map(|_| CHARACTERS[dice.roll(CHARACTERS.len())]).collect();
    let trimmed = if justified { text.trim_start_matches(' ') } else { text.trim_end_matches(' ') };
    trimmed.to_owned()
}

/// A number of any size up to 32 digits; all nines, and zeros at the end, more often than by chance.
fn random_magnitude(dice: &mut Dice<'_>) -> i128 {
    let digits = dice.roll(33);
    let every = [None, Some(9), Some(0)][dice.roll(3)];
    (0..digits).fold(0, |value, at| {
        let digit = if at == 0 { 1 + dice.roll(9) } else { dice.roll(10) };
        value * 10 + every.filter(|_| at > 0).unwrap_or(digit as i128)
    })
}

/// Where a group stands that is being made.
#[derive(Clone, Copy)]
struct Place<'p> {
    depth: usize,
    /// Tables of varying length are allowed: not in views.
    may_vary: bool,
    /// Counters of the groups around, which tables here may share.
    counters: &'p [usize],
}

struct Maker<'m, 'd> {
    dice: &'m mut Dice<'d>,
    names: usize,
    counters: Vec<Rows>,
    chosen: Vec<String>,
    rules: Vec<(String, String, &'static str)>,
}

impl Maker<'_, '_> {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("F{}", self.names)
    }

    fn entries(&mut self, place: Place<'_>) -> Vec<Entry> {
        let mut counters = place.counters.to_vec();
        let mut entries = Vec::new();
        for _ in 0..1 + self.dice.roll(5) {
            let mut occurs = None;
            if place.depth < 6 && self.dice.one_in(3) {
                occurs = Some(self.occurs(place, &mut counters, &mut entries));
            }
            let place = Place { counters: &counters, ..place };
            let entry = self.entry(occurs, place);
            entries.push(entry);
        }
        entries
    }

    /// The clause of a table; its counter goes in front, unless one of those that are there is shared.
    fn occurs(&mut self, place: Place<'_>, counters: &mut Vec<usize>, entries: &mut Vec<Entry>) -> Occurs {
        if !place.may_vary || self.dice.one_in(2) {
            let rows = 1 + self.dice.roll(3);
            return Occurs { rows: Rows { min: rows, max: rows }, counter: None };
        }
        if !counters.is_empty() && self.dice.one_in(3) {
            let counter = counters[self.dice.roll(counters.len())];
            return Occurs { rows: self.counters[counter], counter: Some(counter) };
        }
        let min = self.dice.roll(3);
        let rows = Rows { min, max: min + 1 + self.dice.roll(3) };
        let id = self.counters.len();
        self.counters.push(rows);
        counters.push(id);
        let clauses = COUNTERS[self.dice.roll(COUNTERS.len())];
        entries.push(Entry { name: format!("C{id}"), item: Item::Counter { id, clauses }, occurs: None });
        Occurs { rows, counter: Some(id) }
    }

    fn entry(&mut self, occurs: Option<Occurs>, place: Place<'_>) -> Entry {
        let name = self.name();
        let inner = Place { depth: place.depth + 1, ..place };
        let deep = place.depth >= 5;
        let item = match self.dice.roll(12) {
            9 | 10 if !deep => Item::Group(self.entries(inner)),
            8 if !deep && occurs.is_none() => Item::Dissolved(self.entries(inner)),
            7 if !deep && occurs.is_none() => self.views(inner),
            6 if occurs.is_none() => Item::Hidden(HIDDEN[self.dice.roll(HIDDEN.len())]),
            0 | 1 | 11 => Item::Text {
                length: 1 + self.dice.roll(12),
                justified: self.dice.one_in(5),
                national: self.dice.one_in(5),
            },
            _ => Item::Number(self.number()),
        };
        Entry { name, item, occurs }
    }

    fn views(&mut self, place: Place<'_>) -> Item {
        let told = self.dice.one_in(2);
        let place = Place { may_vary: told, counters: &[], ..place };
        let teller = self.name();
        let mut view =
            || Box::new(Entry { name: self.name(), item: Item::Group(self.entries(place)), occurs: None });
        let (first, second) = (view(), view());
        let choice = if told {
            for (view, value) in [(&first, "1"), (&second, "2")] {
                self.rules.push((view.name.clone(), teller.clone(), value));
            }
            Choice::Told { teller }
        } else {
            Choice::Fixed { second: self.dice.one_in(2) }
        };
        if let Choice::Fixed { second: true } = choice {
            self.chosen.push(second.name.clone());
        }
        Item::Views { first, second, choice }
    }

    /// A numeric edited picture, for layouts whose edited fields are numbers.
    fn edited(&mut self) -> Number {
        const PICTURES: [(&str, i32, u32, bool); 8] = [
            ("ZZZ9", 0, 4, false),
            ("-(5)9.99", 2, 7, true),
            ("$$$,$$9.99", 2, 7, false),
            ("***,**9.99CR", 2, 8, true),
            ("9(3)/9(3)B", 0, 6, false),
            ("+Z(6)V99", 2, 8, true),
            ("Z(5).ZZ", 2, 7, false),
            ("9(4) BLANK WHEN ZERO", 0, 4, false),
        ];
        let (picture, scale, digits, signed) = PICTURES[self.dice.roll(PICTURES.len())];
        let greatest = 10i128.pow(digits) - 1;
        let least = if signed { -greatest } else { 0 };
        let national = if self.dice.one_in(4) { " NATIONAL" } else { "" };
        Number { clauses: format!("PIC {picture}{national}"), scale, least, greatest }
    }

    fn number(&mut self) -> Number {
        let usage = self.dice.roll(10);
        if usage == 9 {
            return self.edited();
        }
        let signed = usage != 7 && self.dice.one_in(2);
        let digits = 1 + self.dice.roll(if matches!(usage, 3..=5) { 18 } else { 31 });
        let (picture, scale) = self.picture(digits);
        let sign = if signed { "S" } else { "" };
        let clause = match usage {
            1 if signed => " SIGN LEADING SEPARATE",
            2 if signed => " SIGN TRAILING SEPARATE",
            3 => " COMP",
            4 => " COMP SYNC",
            5 => " COMP-5",
            6 => " COMP-3",
            7 => " COMP-6",
            8 if signed => " NATIONAL SIGN LEADING SEPARATE",
            8 => " NATIONAL",
            _ if signed && self.dice.one_in(2) => " SIGN LEADING",
            _ => "",
        };
        let bits = [16, 32, 64][usize::from(digits > 4) + usize::from(digits > 9)];
        let (least, greatest) = match (usage, signed) {
            (5, true) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            (5, false) => (0, (1 << bits) - 1),
            (_, true) => (1 - 10i128.pow(digits as u32), 10i128.pow(digits as u32) - 1),
            (_, false) => (0, 10i128.pow(digits as u32) - 1),
        };
        Number { clauses: format!("PIC {sign}{picture}{clause}"), scale, least, greatest }
    }

    /// A picture with this number of digits, and its scale.
    fn picture(&mut self, digits: usize) -> (String, i32) {
        let digits_i32 = digits as i32;
        match self.dice.roll(6) {
            3 => (format!("V9({digits})"), digits_i32),
            2 if digits > 1 => {
                let fraction = 1 + self.dice.roll(digits - 1);
                (format!("9({})V9({fraction})", digits - fraction), fraction as i32)
            }
            4 if digits < 16 => (format!("9({digits})PP"), -2),
            5 if digits < 16 => (format!("VPP9({digits})"), digits_i32 + 2),
            _ => (format!("9({digits})"), 0),
        }
    }
}

fn write_entries(entries: &[Entry], level: usize, out: &mut String) {
    for entry in entries {
        write_entry(entry, "", level, out);
    }
}

fn write_entry(entry: &Entry, redefines: &str, level: usize, out: &mut String) {
    let name = match entry.item {
        Item::Hidden(_) | Item::Dissolved(_) => "FILLER",
        _ => &entry.name,
    };
    if let Item::Views { first, second, choice } = &entry.item {
        if let Choice::Told { teller } = choice {
            writeln!(out, "{:level$}{level:02} {teller} PIC X.", "").expect("memory");
        }
        write_entry(first, "", level, out);
        return write_entry(second, &format!(" REDEFINES {}", first.name), level, out);
    }
    let mut line = format!("{:width$}{level:02} {name}{redefines}", "", width = level);
    match &entry.item {
        Item::Text { length, justified, national } => {
            let clause = if *justified { " JUSTIFIED" } else { "" };
            let symbol = if *national { 'N' } else { 'X' };
            write!(line, " PIC {symbol}({length}){clause}").expect("memory");
        }
        Item::Number(number) => write!(line, " {}", number.clauses).expect("memory"),
        Item::Hidden(clauses) | Item::Counter { clauses, .. } => {
            write!(line, " {clauses}").expect("memory");
        }
        _ => {}
    }
    if let Some(Occurs { rows: Rows { min, max }, counter }) = entry.occurs {
        match counter {
            Some(id) => write!(line, " OCCURS {min} TO {max} DEPENDING ON C{id}").expect("memory"),
            None => write!(line, " OCCURS {max}").expect("memory"),
        }
    }
    out.push_str(&line);
    out.push_str(".\n");
    if let Item::Group(inner) | Item::Dissolved(inner) = &entry.item {
        write_entries(inner, level + 5, out);
    }
}
