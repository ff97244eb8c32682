//! Text to a time, by a picture or by ISO 8601.

use super::super::integers::{Form, IntegerPicture};
use super::offset;
use super::picture::{Component, Part, Picture};
use super::write::{MONTHS, WEEKDAYS};
use crate::error::Error;
use crate::evaluate::Result;
use calendar::Date;

/// The components in a text.
#[derive(Default)]
struct Found {
    values: Vec<(char, i64)>,
}

/// The time in milliseconds; none if the text does not have the picture's form. Missing components before the
/// first one of the picture are those of now. Missing ones behind it have their least value.
///
/// # Errors
/// D3136 for pictures that do not identify a day.
pub(super) fn read(picture: &Picture, text: &str, now_ms: i64) -> Result<Option<i64>> {
    let mut found = Found::default();
    let mut rest = text;
    for (at, part) in picture.parts.iter().enumerate() {
        let behind = match part {
            Part::Text(literal) => strip(rest, literal),
            Part::Component(component) => {
                let tight =
                    matches!(picture.parts.get(at + 1), Some(Part::Component(next)) if next.names.is_none());
                component.read(rest, tight).map(|(value, behind)| {
                    found.values.push((component.letter, value));
                    behind
                })
            }
        };
        match behind {
            Some(behind) => rest = behind,
            None => return Ok(None),
        }
    }
    if rest.is_empty() { found.time(now_ms) } else { Ok(None) }
}

/// The rest behind a literal, whose letters may have any case.
fn strip<'t>(text: &'t str, literal: &str) -> Option<&'t str> {
    let (start, rest) = text.split_at_checked(literal.len())?;
    (start.to_lowercase() == literal.to_lowercase()).then_some(rest)
}

impl Component {
    /// The value at the start of a text, and the rest. In a tight text, digits follow directly.
    fn read<'t>(&self, text: &'t str, tight: bool) -> Option<(i64, &'t str)> {
        if matches!(self.letter, 'Z' | 'z') {
            return read_zone(strip(text, "GMT").filter(|_| self.letter == 'z').unwrap_or(text));
        }
        if self.names.is_some() || self.letter == 'P' {
            return self.read_name(text);
        }
        let picture = self.integer.as_ref()?;
        let end = match &picture.form {
            Form::Decimal(digits) => {
                let limit = match (self.width_min, self.width_max) {
                    (Some(least), Some(most)) if least == most => most,
                    _ if tight => digits.mandatory,
                    _ => usize::MAX,
                };
                let mut end = text.len();
                for (count, (at, character)) in text.char_indices().enumerate() {
                    let belongs = picture.read(character.encode_utf8(&mut [0; 4])).is_some();
                    if count >= limit || !(belongs || character == ',' && digits.regular.is_some()) {
                        end = at;
                        break;
                    }
                }
                end
            }
            _ => text.find(|c: char| !(c.is_alphabetic() || " -".contains(c))).unwrap_or(text.len()),
        };
        let (number, rest) = self.read_number(picture, text, end)?;
        let rest = match (picture.ordinal, rest.split_at_checked(2)) {
            (true, Some(("st" | "nd" | "rd" | "th", rest))) => rest,
            _ => rest,
        };
        Some((number, rest))
    }

    fn read_number<'t>(&self, picture: &IntegerPicture, text: &'t str, end: usize) -> Option<(i64, &'t str)> {
        // The words of the number end at the first other word.
        let mut end = end;
        loop {
            let candidate = text.get(..end)?.trim_end();
            if let Some(value) = picture.read(candidate) {
                return Some((i64::try_from(value).ok()?, &text[candidate.len()..]));
            }
            end = candidate.rfind([' ', '-'])?;
        }
    }

    fn read_name<'t>(&self, text: &'t str) -> Option<(i64, &'t str)> {
        let table: &[&str] = match self.letter {
            'P' => &["am", "pm"],
            'F' => &WEEKDAYS,
            'C' | 'E' => &["ISO"],
            _ => &MONTHS,
        };
        let most = self.width_max.unwrap_or(usize::MAX);
        table
            .iter()
            .zip(1..)
            .find_map(|(name, value)| strip(text, &name[..name.len().min(most)]).map(|rest| (value, rest)))
    }
}

fn read_zone(text: &str) -> Option<(i64, &str)> {
    if let Some(rest) = text.strip_prefix('Z') {
        return Some((0, rest));
    }
    text.strip_prefix(['+', '-'])?;
    let digits =
        text[1..].find(|c: char| !(c.is_ascii_digit() || c == ':')).map_or(text.len(), |end| end + 1);
    let zone = &text[..digits];
    // Hours may stand without minutes.
    let zone = if zone.len() <= 3 { format!("{zone}00") } else { zone.to_string() };
    offset(&zone).map(|minutes| (minutes, &text[digits..]))
}

impl Found {
    fn get(&self, letter: char) -> Option<i64> {
        self.values.iter().rev().find(|(known, _)| *known == letter).map(|(_, value)| *value)
    }

    fn time(&self, now_ms: i64) -> Result<Option<i64>> {
        let unclear = |what: &str| Err(Error::new("D3136", format!("the picture does not say {what}")));
        if self.values.iter().any(|(letter, _)| matches!(letter, 'X' | 'x' | 'W' | 'w')) {
            return unclear("the day by its year and month; weeks are only written");
        }
        let today = Date::of(now_ms.div_euclid(86_400_000));
        let given = |letters: &str| letters.chars().any(|letter| self.get(letter).is_some());
        // Behind the coarsest given component, missing ones have their least value.
        let year = self.get('Y').unwrap_or(today.year);
        if self.get('Y').is_some() && self.get('M').is_none() && self.get('D').is_some() {
            return unclear("the month");
        }
        if self.get('M').is_some() && self.get('D').is_none() && given("Hhms") {
            return unclear("the day");
        }
        let days = match self.get('d') {
            Some(day) => Date { year, month: 1, day }.days(),
            None => {
                let month = self.get('M').unwrap_or(if given("Y") { 1 } else { today.month });
                let day = self.get('D').unwrap_or(if given("YM") { 1 } else { today.day });
                Date { year, month, day }.days()
            }
        };
        let hour = match (self.get('H'), self.get('h'), self.get('P')) {
            (Some(hour), ..) => hour,
            (None, Some(hour), half) => hour % 12 + if half == Some(2) { 12 } else { 0 },
            (None, None, _) if given("ms") && !given("YMDd") => return unclear("the hour"),
            _ => 0,
        };
        let part = |letter| self.get(letter).unwrap_or(0);
        let seconds = i128::from(hour) * 3_600 + i128::from(part('m')) * 60 + i128::from(part('s'));
        let zone = self.get('Z').or_else(|| self.get('z')).unwrap_or(0);
        let time = i128::from(days) * 86_400_000 + seconds * 1_000 + i128::from(part('f'))
            - i128::from(zone) * 60_000;
        Ok(i64::try_from(time).ok())
    }
}

/// `2026`, `2026-11`, `2026-11-21`, with `T09:08:07.006` and a zone. Without a zone it is Greenwich time.
pub(super) fn iso(text: &str) -> Option<i64> {
    let (date, time) = match text.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let mut parts = date.split('-');
    let mut part = |digits: usize, range: std::ops::RangeInclusive<i64>| match parts.next() {
        None => Some(*range.start()),
        Some(text) => number(text, digits).filter(|value| range.contains(value)),
    };
    let date = Date { year: part(4, 0..=9_999)?, month: part(2, 1..=12)?, day: part(2, 1..=31)? };
    if parts.next().is_some() || Date::of(date.days()) != date {
        return None;
    }
    let midnight = date.days() * 86_400_000;
    match time {
        None => Some(midnight),
        Some(time) => Some(midnight + iso_time(time)?),
    }
}

fn iso_time(text: &str) -> Option<i64> {
    let end = text.find(['Z', '+', '-']).unwrap_or(text.len());
    let (time, zone) = text.split_at(end);
    let offset_minutes = match zone {
        "" => 0,
        zone => read_zone(zone).filter(|(_, rest)| rest.is_empty() && (zone == "Z" || zone.len() >= 5))?.0,
    };
    let (whole, fraction) = time.split_once('.').unwrap_or((time, ""));
    let mut parts = whole.split(':');
    let mut part = |most: i64| number(parts.next()?, 2).filter(|value| *value <= most);
    let (hour, minute, second) = (part(23)?, part(59)?, part(59)?);
    if parts.next().is_some() || (time.contains('.') && fraction.is_empty()) {
        return None;
    }
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let thousandths: String = fraction.chars().chain("000".chars()).take(3).collect();
    let seconds = hour * 3_600 + minute * 60 + second - offset_minutes * 60;
    Some(seconds * 1_000 + thousandths.parse::<i64>().ok()?)
}

fn number(text: &str, digits: usize) -> Option<i64> {
    (text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| text.parse().ok())
        .flatten()
}
