//! Checks values against schemas. Every rule is here once, and each violation has its place. Depth and steps
//! are limited.

mod alternatives;
mod array;
mod defaults;
mod object;
mod path;

use std::cmp::Ordering;

use expression::{Number, Value};

use crate::schema::{
    Bound, BoundKind, Counts, NumberRules, Schema, SchemaId, Schemas, TextRules, Types, compare, is_multiple,
};
use crate::violation::{Subject, Violation, ViolationKind};
pub(crate) use path::{Path, shortened};

/// The direction of a value. Read-only and write-only members go only one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Request,
    Response,
}

/// The rules of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The most reported violations. The check ends when this number is reached.
    pub violation_count_max: usize,
    /// Levels of objects and arrays in a body.
    pub body_depth_max: usize,
    /// Values times schemas that are visited for one request or answer.
    pub step_count_max: usize,
    /// Query parameters that the document does not have are refused. Few documents have all parameters that
    /// clients send.
    pub unknown_query_refused: bool,
    /// Read-only members are accepted in requests, and write-only ones in answers. Otherwise they are
    /// refused.
    pub other_direction_allowed: bool,
    /// Missing values of a request get the defaults of their schemas. Parameters always do.
    pub defaults_filled: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            violation_count_max: 10,
            body_depth_max: 64,
            step_count_max: 1_000_000,
            unknown_query_refused: false,
            other_direction_allowed: false,
            defaults_filled: false,
        }
    }
}

/// A check of one request or answer.
#[derive(Debug)]
pub(crate) struct Check<'s> {
    schemas: &'s Schemas,
    options: Options,
    direction: Direction,
    /// The owner of the values that are checked now.
    pub(crate) subject: Subject,
    steps: usize,
    /// The number of schemas around the present one.
    depth: usize,
    /// More than zero while alternatives are tried, and only the result counts.
    quiet: usize,
    violations: Vec<Violation>,
    /// There were too many steps.
    cut_short: bool,
}

/// The most schemas that may contain each other, each with the same value or one in it. Each takes a few
/// calls on the stack.
const JUDGED_DEPTH_MAX: usize = 256;

/// A violation of a rule, before it has a place.
struct Fault {
    kind: ViolationKind,
    expected: String,
    found: String,
}

impl<'s> Check<'s> {
    pub(crate) fn new(schemas: &'s Schemas, options: &Options, direction: Direction) -> Self {
        Self {
            schemas,
            options: *options,
            direction,
            subject: Subject::Body,
            steps: 0,
            depth: 0,
            quiet: 0,
            violations: Vec::new(),
            cut_short: false,
        }
    }

    /// All violations.
    pub(crate) fn into_violations(self) -> Vec<Violation> {
        self.violations
    }

    /// Adds a violation.
    pub(crate) fn add(&mut self, violation: Violation) {
        if self.quiet == 0 && !self.is_full() {
            self.violations.push(violation);
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.violations.len() >= self.options.violation_count_max.max(1)
    }

    /// True if further violations would not change the result.
    fn is_over(&self) -> bool {
        self.cut_short || (self.quiet == 0 && self.is_full())
    }

    /// Checks a value; true if it fits.
    pub(crate) fn value(&mut self, id: SchemaId, value: &Value, path: &Path<'_>) -> bool {
        if id == SchemaId::ANYTHING {
            return true;
        }
        if !self.may_go_on(path) {
            return false;
        }
        self.depth += 1;
        let fits = self.schema(self.schemas.get(id), value, path);
        self.depth -= 1;
        fits
    }

    fn schema(&mut self, schema: &'s Schema, value: &Value, path: &Path<'_>) -> bool {
        if !schema.types.meets(Types::of(value)) {
            return self.wrong_type(schema, value, path);
        }
        let mut fits = self.listed(schema, value, path);
        fits &= match value {
            Value::Number(number) => self.number(schema.number.as_deref(), number, path),
            Value::String(text) => self.text(schema.text.as_deref(), text, path),
            Value::Array(array) => self.array(schema.array.as_deref(), array.items(), path),
            Value::Object(object) => self.object(schema.object.as_deref(), object, path),
            _ => true,
        };
        if !fits && (self.quiet > 0 || self.is_over()) {
            return false;
        }
        for inner in &schema.all {
            fits &= self.value(*inner, value, path);
        }
        fits & self.combined(schema, value, path)
    }

    /// Reads JSON. None after a reported error.
    pub(crate) fn json(&mut self, json: &[u8], path: &Path<'_>) -> Option<Value> {
        let error = match Value::from_json(json, self.options.body_depth_max) {
            Ok(value) => return Some(value),
            Err(error) => error,
        };
        let kind = match error.code() {
            "J0002" => ViolationKind::TooDeep,
            "J0003" => ViolationKind::DuplicateField,
            _ => ViolationKind::Syntax,
        };
        let (expected, found) = (format!("JSON: {}", error.message()), String::new());
        self.add(Violation { kind, subject: self.subject, path: path.text(), expected, found });
        None
    }

    /// Counts a step; false if there have been too many, which is a violation of its own.
    fn may_go_on(&mut self, path: &Path<'_>) -> bool {
        self.steps += 1;
        let expected = if self.steps > self.options.step_count_max {
            format!("a value that is judged in {} steps", self.options.step_count_max)
        } else if self.depth >= JUDGED_DEPTH_MAX {
            format!("a value that is judged by {JUDGED_DEPTH_MAX} schemas in each other")
        } else {
            return !self.is_over();
        };
        // This counts even while alternatives are tried: a check that was cut short must not look like a
        // result.
        if !self.cut_short {
            self.cut_short = true;
            let (subject, path) = (self.subject, path.text());
            let (kind, found) = (ViolationKind::TooComplex, String::new());
            self.violations.push(Violation { kind, subject, path, expected, found });
        }
        false
    }

    /// Adds a violation with its place. Its texts are only made if it is reported.
    fn fails(&mut self, path: &Path<'_>, fault: impl FnOnce() -> Fault) -> bool {
        if self.quiet == 0 && !self.is_full() {
            let Fault { kind, expected, found } = fault();
            self.violations.push(Violation {
                kind,
                subject: self.subject,
                path: path.text(),
                expected,
                found,
            });
        }
        false
    }

    fn wrong_type(&mut self, schema: &Schema, value: &Value, path: &Path<'_>) -> bool {
        self.fails(path, || {
            let expected = match schema.types {
                Types::NONE => "nothing here".to_owned(),
                types => types.words(),
            };
            Fault { kind: ViolationKind::WrongType, expected, found: described(value) }
        })
    }

    fn listed(&mut self, schema: &Schema, value: &Value, path: &Path<'_>) -> bool {
        let is_in = |values: &[Value]| values.iter().any(|known| equal(known, value));
        let Some(values) = schema.values.iter().find(|values| !is_in(values)) else { return true };
        self.fails(path, || {
            let shown: Vec<String> = values.iter().take(LISTED_MAX).map(described).collect();
            let more = if values.len() > LISTED_MAX { ", ..." } else { "" };
            let one = if values.len() == 1 { "" } else { "one of " };
            let expected = format!("{one}{}{more}", shown.join(", "));
            Fault { kind: ViolationKind::NotListed, expected, found: described(value) }
        })
    }

    fn number(&mut self, rules: Option<&NumberRules>, number: &Number, path: &Path<'_>) -> bool {
        let Some(rules) = rules else { return true };
        let mut fits = true;
        let mut out_of_range = |run: &mut Self, expected: String| {
            let kind = ViolationKind::OutOfRange;
            fits = run.fails(path, || Fault { kind, expected, found: shortened(&number.to_string()) });
        };
        for bound in rules.bounds.iter().filter(|bound| !within(bound, number)) {
            let words = match bound.kind {
                BoundKind::AtLeast => "at least",
                BoundKind::Above => "more than",
                BoundKind::AtMost => "at most",
                BoundKind::Below => "less than",
            };
            out_of_range(self, format!("{words} {}", bound.limit));
        }
        if let Some(of) = &rules.multiple_of {
            match is_multiple(number, of) {
                Some(true) => {}
                Some(false) => out_of_range(self, format!("a multiple of {of}")),
                None => out_of_range(
                    self,
                    format!("a number of fewer digits, to tell if it is a multiple of {of}"),
                ),
            }
        }
        fits
    }

    fn text(&mut self, rules: Option<&TextRules>, text: &str, path: &Path<'_>) -> bool {
        let Some(rules) = rules else { return true };
        let mut fits = self.characters(rules.characters, text, path);
        if let Some(pattern) = rules.pattern.as_ref().filter(|pattern| !pattern.is_in(text)) {
            fits = self.fails(path, || Fault {
                kind: ViolationKind::Format,
                expected: format!("text that fits the pattern {}", shortened(&pattern.text)),
                found: quoted(text),
            });
        }
        if let Some(format) = rules.format.filter(|format| !format.fits(text)) {
            fits = self.fails(path, || Fault {
                kind: ViolationKind::Format,
                expected: format.words().to_owned(),
                found: quoted(text),
            });
        }
        fits
    }

    /// Characters are those of Unicode, as in JSON Schema.
    fn characters(&mut self, limits: Counts, text: &str, path: &Path<'_>) -> bool {
        // A text has at most as many characters as bytes, so most texts need no count.
        let sure = limits.most.is_none_or(|most| text.len() <= most)
            && limits.least.is_none_or(|least| text.len() >= least.saturating_mul(4));
        if sure {
            return true;
        }
        let found = text.chars().count();
        let kind = match limits {
            Counts { most: Some(most), .. } if found > most => ViolationKind::TooLong,
            Counts { least: Some(least), .. } if found < least => ViolationKind::TooShort,
            _ => return true,
        };
        self.fails(path, || Fault { kind, expected: counted(limits, "characters"), found: found.to_string() })
    }
}

/// The most values that a message lists.
const LISTED_MAX: usize = 10;

fn within(bound: &Bound, number: &Number) -> bool {
    let order = compare(number, &bound.limit);
    match bound.kind {
        BoundKind::AtLeast => order != Ordering::Less,
        BoundKind::Above => order == Ordering::Greater,
        BoundKind::AtMost => order != Ordering::Greater,
        BoundKind::Below => order == Ordering::Less,
    }
}

/// The allowed number, in words.
fn counted(limits: Counts, what: &str) -> String {
    match limits {
        Counts { least: Some(least), most: Some(most) } if least == most => format!("{least} {what}"),
        Counts { least: Some(least), most: Some(most) } => format!("{least} to {most} {what}"),
        Counts { least: Some(least), most: None } => format!("at least {least} {what}"),
        Counts { least: None, most: Some(most) } => format!("at most {most} {what}"),
        Counts { least: None, most: None } => format!("any number of {what}"),
    }
}

/// True if both are equal in JSON Schema: numbers by value, objects in any order of their members.
fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => compare(left, right) == Ordering::Equal,
        (Value::Array(left), Value::Array(right)) => {
            let (left, right) = (left.items(), right.items());
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(name, left)| right.get(name).is_some_and(|right| equal(left, right)))
        }
        _ => left == right,
    }
}

/// A value, for messages.
pub(crate) fn described(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => shortened(&number.to_string()),
        Value::String(text) => quoted(text),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        _ => "nothing".to_owned(),
    }
}

pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", shortened(text))
}
