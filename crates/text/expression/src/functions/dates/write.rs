//! A time to text, by a picture.

use super::super::integers::{Form, IntegerPicture};
use super::picture::{Component, Part, Picture};
use crate::error::Error;
use crate::evaluate::Result;
use calendar::{Date, thursday, weekday};

pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

pub(super) const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

const DAY_MS: i64 = 86_400_000;

/// A time in the zone for writing.
struct Moment {
    days: i64,
    date: Date,
    /// Milliseconds of the day.
    time: i64,
    offset_minutes: i64,
}

pub(super) fn write(picture: &Picture, time_ms: i64, offset_minutes: i64) -> Result<String> {
    let local = time_ms + offset_minutes * 60_000;
    let days = local.div_euclid(DAY_MS);
    let moment = Moment { days, date: Date::of(days), time: local.rem_euclid(DAY_MS), offset_minutes };
    let mut out = String::new();
    for part in &picture.parts {
        match part {
            Part::Text(text) => out.push_str(text),
            Part::Component(component) => out.push_str(&moment.component(component)?),
        }
    }
    Ok(out)
}

impl Moment {
    fn component(&self, component: &Component) -> Result<String> {
        match component.letter {
            'Z' | 'z' => return self.zone(component),
            'P' => {
                let name = if self.hour() < 12 { "am" } else { "pm" };
                return Ok(component.names.map_or(name.to_string(), |case| case.apply(name)));
            }
            'C' | 'E' => return Ok("ISO".to_string()),
            _ => {}
        }
        let value = self.value(component.letter);
        if let Some(case) = component.names {
            let table: &[&str] = if component.letter == 'F' { &WEEKDAYS } else { &MONTHS };
            let name = table[usize::try_from(value - 1).unwrap_or(0)];
            let most = component.width_max.unwrap_or(usize::MAX);
            return Ok(case.apply(&name.chars().take(most).collect::<String>()));
        }
        let Some(picture) = &component.integer else { return Ok(String::new()) };
        let value = match year_digits(component, picture).and_then(|digits| 10_i64.checked_pow(digits)) {
            Some(modulus) if component.letter == 'Y' => value.rem_euclid(modulus),
            _ => value,
        };
        picture.format(value.into())
    }

    fn hour(&self) -> i64 {
        self.time / 3_600_000
    }

    fn value(&self, letter: char) -> i64 {
        let week = thursday(self.days);
        match letter {
            'Y' => self.date.year,
            'M' => self.date.month,
            'D' => self.date.day,
            'd' => self.date.day_of_year(),
            'F' => weekday(self.days),
            'W' => (week.day_of_year() - 1) / 7 + 1,
            'w' => (week.day - 1) / 7 + 1,
            'X' => week.year,
            'x' => week.month,
            'H' => self.hour(),
            'h' => (self.hour() + 11) % 12 + 1,
            'm' => self.time / 60_000 % 60,
            's' => self.time / 1_000 % 60,
            _ => self.time % 1_000,
        }
    }

    fn zone(&self, component: &Component) -> Result<String> {
        let (sign, minutes) = (if self.offset_minutes < 0 { '-' } else { '+' }, self.offset_minutes.abs());
        if minutes == 0 && component.zulu {
            return Ok("Z".to_string());
        }
        let together = i128::from(minutes / 60 * 100 + minutes % 60);
        let unknown = || Error::new("D3134", "the picture of a time zone needs one to four digits");
        let Some(picture @ IntegerPicture { form: Form::Decimal(digits), .. }) = &component.integer else {
            return Err(unknown());
        };
        let text = if digits.regular.is_some() {
            picture.format(together)?
        } else {
            match digits.mandatory {
                1 | 2 if minutes % 60 == 0 => picture.format((minutes / 60).into())?,
                1 | 2 => format!("{}:{:02}", picture.format((minutes / 60).into())?, minutes % 60),
                3 | 4 => picture.format(together)?,
                _ => return Err(unknown()),
            }
        };
        let prefix = if component.letter == 'z' { "GMT" } else { "" };
        Ok(format!("{prefix}{sign}{text}"))
    }
}

/// The number of digits of a year: the wanted number, if it is two or more.
fn year_digits(component: &Component, picture: &IntegerPicture) -> Option<u32> {
    if let Some(most) = component.width_max {
        return u32::try_from(most).ok();
    }
    let Form::Decimal(digits) = &picture.form else { return None };
    let count = digits.mandatory + digits.optional;
    u32::try_from(count).ok().filter(|count| *count >= 2)
}
