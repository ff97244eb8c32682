//! The values for a record's fields: as JSON and as COBOL statements.

use super::dice::Dice;
pub(crate) use super::entry::Given;
use super::entry::{Entry, Kind, Number, Record};
use super::text::{decimal, literal};

/// Which of a record's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Set {
    /// Every field has one.
    Full,
    /// Some fields have none, and stay as they are.
    Sparse,
    /// Every field has one, those with condition names by SET ... TO TRUE.
    Conditions,
}

/// A record's values, to be moved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Moves {
    pub(crate) json: String,
    pub(crate) statements: Vec<Vec<String>>,
}

/// The values of a record.
pub(crate) fn moves(record: &Record, set: Set) -> Moves {
    let mut writer = Writer { set, comma: record.comma, statements: Vec::new(), counters: Vec::new() };
    let json = format!("{{{}}}", writer.members(&record.entries, &[]).join(","));
    Moves { json, statements: writer.statements }
}

struct Writer<'r> {
    set: Set,
    comma: bool,
    statements: Vec<Vec<String>>,
    /// How many rows the counters so far say.
    counters: Vec<(&'r str, u32)>,
}

impl<'r> Writer<'r> {
    fn members(&mut self, entries: &'r [Entry], rows: &[usize]) -> Vec<String> {
        let mut members = Vec::new();
        for entry in entries {
            // The fields of a group without a name belong to the group around it.
            match (&entry.name, &entry.value) {
                (None, Kind::Group) => members.extend(self.members(&entry.children, rows)),
                _ => members.extend(self.member(entry, rows)),
            }
        }
        members
    }

    fn member(&mut self, entry: &'r Entry, rows: &[usize]) -> Option<String> {
        let name = entry.name.as_deref().filter(|_| entry.redefines.is_none())?;
        if let Kind::Counter { min, max } = entry.value {
            let count =
                min + Dice::of(entry.seed, &[self.set as usize]).roll((max - min + 1) as usize) as u32;
            self.counters.push((name, count));
            self.statements.push(vec![format!("MOVE {count}"), format!("TO {name}")]);
            return None;
        }
        let value = match &entry.occurs {
            None => self.one(entry, name, rows)?,
            Some(occurs) => {
                let counted = occurs.counter.as_deref();
                let counter = self.counters.iter().find(|(name, _)| Some(*name) == counted);
                let count = counter.map_or(occurs.max, |(_, count)| *count);
                let values: Option<Vec<String>> =
                    (1..=count as usize).map(|row| self.one(entry, name, &[rows, &[row]].concat())).collect();
                format!("[{}]", values.filter(|values| !values.is_empty())?.join(","))
            }
        };
        Some(format!("\"{name}\":{value}"))
    }

    fn one(&mut self, entry: &'r Entry, name: &str, rows: &[usize]) -> Option<String> {
        match entry.value {
            Kind::Group => {
                // A group without a visible field is not a member.
                if !shows(entry) {
                    return None;
                }
                let members = self.members(&entry.children, rows);
                Some(format!("{{{}}}", members.join(",")))
            }
            Kind::Opaque | Kind::Counter { .. } => None,
            _ => {
                let parts = [&[self.set as usize], rows].concat();
                // Rows of a table are all there, or none.
                let absent = self.set == Set::Sparse && entry.occurs.is_none();
                if absent && Dice::of(entry.seed, &parts).one_in(3) {
                    return None;
                }
                let target = |name: &str| {
                    let rows: Vec<String> = rows.iter().map(usize::to_string).collect();
                    if rows.is_empty() { name.to_owned() } else { format!("{name} ({})", rows.join(" ")) }
                };
                if let (Set::Conditions, Some(condition)) = (self.set, entry.conditions.first()) {
                    self.statements
                        .push(vec![format!("SET {}", target(&condition.name)), "TO TRUE".to_owned()]);
                    return condition.values.first().map(|(value, _)| value.json.clone());
                }
                let given = moved(entry, &parts, self.comma)?;
                self.statements.push(vec![format!("MOVE {}", given.literal), format!("TO {}", target(name))]);
                Some(given.json)
            }
        }
    }
}

/// True if JSON has a field of the entry, or one in it.
pub(crate) fn shows(entry: &Entry) -> bool {
    match entry.value {
        Kind::Group => entry.children.iter().any(|child| child.redefines.is_none() && shows(child)),
        Kind::Opaque | Kind::Counter { .. } => false,
        _ => true,
    }
}

/// The value of a field outside of tables, in a set that leaves out no field.
pub(crate) fn of_entry(entry: &Entry, set: Set, comma: bool) -> Option<Given> {
    match (set, entry.conditions.first()) {
        (Set::Conditions, Some(condition)) => condition.values.first().map(|(value, _)| value.clone()),
        _ => moved(entry, &[set as usize], comma),
    }
}

/// The value that a field gets: one of its condition names now and then.
fn moved(entry: &Entry, parts: &[usize], comma: bool) -> Option<Given> {
    let mut dice = Dice::of(!entry.seed, parts);
    if !entry.conditions.is_empty() && dice.one_in(2) {
        let (least, greatest) = dice.pick(&condition_values(entry)).clone();
        return Some(greatest.filter(|_| dice.one_in(2)).unwrap_or(least));
    }
    given(entry, parts, comma)
}

/// All values of a field's condition names.
fn condition_values(entry: &Entry) -> Vec<(Given, Option<Given>)> {
    entry.conditions.iter().flat_map(|condition| condition.values.iter().cloned()).collect()
}

/// A value for a field, which depends on its seed and on `parts` alone; none for a group and the like.
pub(crate) fn given(entry: &Entry, parts: &[usize], comma: bool) -> Option<Given> {
    let mut dice = Dice::of(entry.seed, parts);
    Some(match &entry.value {
        Kind::Text { length, justified } => {
            let text = random_text(&mut dice, *length, *justified);
            Given { json: serde_json::to_string(&text).ok()?, literal: literal(&text) }
        }
        Kind::Number(number) => number_given(random_number(&mut dice, number), number.scale, comma),
        Kind::Float { bits } => {
            // Halves, quarters and so on: GnuCOBOL cuts where a decimal fraction has no end in binary.
            let places = dice.roll(if *bits > 24 { 8 } else { 3 }) as u32;
            let mantissa = i128::from(dice.next() % (1u64 << (*bits / 2)));
            let mantissa = if dice.one_in(2) { -mantissa } else { mantissa };
            number_given(mantissa * 5i128.pow(places), places as i32, comma)
        }
        Kind::Group | Kind::Opaque | Kind::Counter { .. } => return None,
    })
}

/// A value for a literal of the copybook.
pub(crate) fn written(entry: &Entry, parts: &[usize], comma: bool) -> Option<Given> {
    given(&as_written(entry), parts, comma)
}

/// The entry with the values that its picture allows.
fn as_written(entry: &Entry) -> Entry {
    let mut entry = entry.clone();
    if let Kind::Number(Number { least, greatest, written, .. }) = &mut entry.value {
        (*least, *greatest) = ((*least).max(-*written), *written);
    }
    entry
}

/// Two values in order, the ends of a range; none for fields that are no numbers.
pub(crate) fn range(entry: &Entry, parts: &[usize], comma: bool) -> Option<(Given, Given)> {
    let entry = as_written(entry);
    let Kind::Number(number) = &entry.value else { return None };
    let mut dice = Dice::of(entry.seed, parts);
    let (a, b) = (random_number(&mut dice, number), random_number(&mut dice, number));
    let given = |value| number_given(value, number.scale, comma);
    (a != b).then(|| (given(a.min(b)), given(a.max(b))))
}

pub(crate) fn number_given(value: i128, scale: i32, comma: bool) -> Given {
    let json = decimal(value, scale);
    let literal = match (value, comma) {
        // GnuCOBOL does not come back from MOVE 0 to a binary number with P at its end.
        (0, _) if scale < 0 => "ZERO".to_owned(),
        (_, true) => json.replace('.', ","),
        (_, false) => json.clone(),
    };
    Given { json, literal }
}

fn random_text(dice: &mut Dice, length: usize, justified: bool) -> String {
    const CHARACTERS: [char; 16] =
        ['A', 'z', '0', ' ', ' ', '"', '\\', '/', 'é', 'ü', '{', '~', '\'', '5', '.', ','];
    let text: String = (0..dice.roll(length + 1)).map(|_| *dice.pick(&CHARACTERS)).collect();
    let trimmed = if justified { text.trim_start_matches(' ') } else { text.trim_end_matches(' ') };
    trimmed.to_owned()
}

/// A number of any size that fits; zero, the limits, all nines and zeros at the end more often than by chance.
fn random_number(dice: &mut Dice, number: &Number) -> i128 {
    match dice.roll(12) {
        0 => return 0,
        1 => return number.least,
        2 => return number.greatest,
        _ => {}
    }
    let digits = dice.roll(33);
    let every = [None, Some(9), Some(0)][dice.roll(3)];
    let magnitude = (0..digits).fold(0i128, |value, at| {
        let digit = if at == 0 { 1 + dice.roll(9) } else { dice.roll(10) };
        value * 10 + every.filter(|_| at > 0).unwrap_or(digit as i128)
    });
    let value = if dice.one_in(2) { -magnitude } else { magnitude };
    if (number.least..=number.greatest).contains(&value) {
        return value;
    }
    let room = number.greatest - number.least + 1;
    number.least + value.rem_euclid(room)
}
