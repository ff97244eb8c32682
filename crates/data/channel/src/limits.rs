//! The limits that a schema sets for values: lengths in characters, ranges, listed values.

use std::borrow::Cow;

use assistant::Decimal;
use record::Cause;
use xsd::TextType;

use crate::error::{Error, ErrorKind};

/// How much of a value messages show.
const SHOWN_CHARACTERS_MAX: usize = 40;

/// The limits of text.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextLimits {
    pub(crate) min: u64,
    pub(crate) max: Option<u64>,
    /// Sorted; empty if all values are allowed.
    pub(crate) values: Vec<Box<str>>,
    /// The type in XML, if white space around a value does not belong to it.
    pub(crate) kind: Option<TextType>,
    /// A value must be one of the type.
    pub(crate) checks_kind: bool,
}

impl TextLimits {
    /// The value that text of XML is.
    pub(crate) fn value<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let most = self.max.and_then(|max| usize::try_from(max).ok()).unwrap_or(usize::MAX);
        self.kind.map_or(Cow::Borrowed(text), |kind| kind.value(text, most))
    }

    pub(crate) fn of(text: &assistant::Text) -> Self {
        let mut values: Vec<Box<str>> = text.values.iter().map(|value| value.as_str().into()).collect();
        values.sort_unstable();
        Self { min: text.min, max: text.max, values, kind: text.kind, checks_kind: false }
    }

    pub(crate) fn check(&self, text: &str) -> Result<(), Error> {
        if !self.values.is_empty() {
            let found = self.values.binary_search_by(|value| (**value).cmp(text));
            return found.map(drop).map_err(|_| not_listed(text));
        }
        if let Some(kind) = self.kind.filter(|_| self.checks_kind) {
            kind.check(text).map_err(|message| {
                let error = Error::new(ErrorKind::WrongType, message);
                if kind == TextType::Base64Binary { error.because(Cause::NotBase64) } else { error }
            })?;
        }
        if self.min == 0 && self.max.is_none() {
            return Ok(());
        }
        let characters = text.chars().count() as u64;
        if self.max.is_some_and(|max| characters > max) {
            let most = self.max.unwrap_or_default();
            let message = format!("expected text of at most {most} characters, found {characters}");
            return Err(Error::new(ErrorKind::Length, message));
        }
        if characters < self.min {
            let message = format!("expected text of at least {} characters, found {characters}", self.min);
            return Err(Error::new(ErrorKind::Length, message));
        }
        Ok(())
    }
}

/// The limits of a number.
#[derive(Clone, Debug, Default)]
pub(crate) struct NumberLimits {
    least: Option<Decimal>,
    greatest: Option<Decimal>,
    /// Empty if all values are allowed.
    values: Vec<Decimal>,
}

impl NumberLimits {
    pub(crate) fn of(number: &assistant::Number) -> Self {
        Self { least: number.least, greatest: number.greatest, values: number.values.clone() }
    }

    /// Checks a number as JSON writes it. The field checks whether it is a number.
    pub(crate) fn check(&self, text: &str) -> Result<(), Error> {
        if self.least.is_none() && self.greatest.is_none() && self.values.is_empty() {
            return Ok(());
        }
        let Some(value) = Decimal::parse(text) else { return self.check_roughly(text) };
        if !self.values.is_empty() && !self.values.contains(&value) {
            return Err(not_listed(text));
        }
        if let Some(least) = self.least.filter(|least| value < *least) {
            let message = format!("expected a number of at least {least}, found {}", shown(text));
            let error = Error::new(ErrorKind::OutOfRange, message);
            return Err(if least == Decimal::integer(0) { error.because(Cause::Negative) } else { error });
        }
        if let Some(greatest) = self.greatest.filter(|greatest| value > *greatest) {
            let message = format!("expected a number of at most {greatest}, found {}", shown(text));
            return Err(Error::new(ErrorKind::OutOfRange, message));
        }
        Ok(())
    }

    /// Checks a number with more digits than any limit. Fields of exact numbers cannot hold such a number;
    /// floating point takes the nearest one anyway.
    fn check_roughly(&self, text: &str) -> Result<(), Error> {
        let rough = |limit: Decimal| limit.to_string().parse::<f64>().unwrap_or(0.0);
        let Ok(value) = text.parse::<f64>() else { return Ok(()) };
        let beyond = self.least.is_some_and(|least| value < rough(least))
            || self.greatest.is_some_and(|greatest| value > rough(greatest));
        if beyond || !self.values.is_empty() {
            let message = format!("expected a number within the schema's limits, found {}", shown(text));
            return Err(Error::new(ErrorKind::OutOfRange, message));
        }
        Ok(())
    }
}

#[cold]
fn not_listed(text: &str) -> Error {
    let message = format!("expected one of the listed values, found '{}'", shown(text));
    Error::new(ErrorKind::NotListed, message)
}

fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARACTERS_MAX) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
