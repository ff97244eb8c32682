//! The text in a commarea, by its copybook: the bytes that change between the code pages of two regions.
//!
//! Characters of both code pages have one byte, so that text keeps its place. Other parts are refused here:
//! tables of varying length, double-byte characters, and bytes that are text in one view and not in another.

use copybook::{Field, Kind, Layout, PointerBytes};
use settings::copybooks::{self, FormatWord};
use settings::{GANTRY_FILE, is_safe};
use toml::Spanned;
use wire::COMMAREA_MAX_BYTES;

use crate::plan::Reader;

/// The copybook of a commarea, for both ways.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Commarea<'w> {
    /// Its file.
    pub(crate) copybook: &'w Spanned<String>,
    /// Its record, if it has several.
    pub(crate) record: Option<&'w Spanned<String>>,
    /// Its columns.
    pub(crate) format: FormatWord,
}

impl<'w> Commarea<'w> {
    /// The copybook of a section; none if it names none. `has_text` is true if the section also lists its
    /// text.
    pub(crate) fn of(
        copybook: Option<&'w Spanned<String>>,
        (record, format): (Option<&'w Spanned<String>>, Option<FormatWord>),
        has_text: bool,
    ) -> Result<Option<Self>, String> {
        match copybook {
            Some(_) if has_text => Err("'copybook' and 'text' exclude each other".to_owned()),
            Some(copybook) => Ok(Some(Self { copybook, record, format: format.unwrap_or_default() })),
            None if record.is_some() || format.is_some() => {
                Err("'record' and 'format' are those of a 'copybook'".to_owned())
            }
            None => Ok(None),
        }
    }
}

/// A part of a commarea: its first byte, and its length.
pub(crate) type Part = (usize, usize);

impl Reader<'_, '_> {
    /// The text in a commarea; none if its copybook has a fault.
    pub(crate) fn commarea_text(&mut self, commarea: Commarea<'_>) -> Option<Vec<Part>> {
        let Commarea { copybook: member, record, format } = commarea;
        if !is_safe(member.get_ref()) {
            self.at(GANTRY_FILE, member.span(), "a copybook is a file below copybooks/");
            return None;
        }
        let options = copybook::Options {
            format: format.into(),
            pointer_bytes: PointerBytes::EightAndIndexFour,
            ..copybook::Options::default()
        };
        let read = copybooks::read(self.copybooks(), member.get_ref(), &options, &mut self.problems);
        let layouts = match read {
            Ok(layouts) => layouts?,
            Err(error) => {
                let message = format!("copybooks/{} cannot be read: {error}", member.get_ref());
                self.at(GANTRY_FILE, member.span(), message);
                return None;
            }
        };
        let (span, found) = match chosen(&layouts, record.map(|record| record.get_ref().as_str())) {
            Ok(layout) => (member.span(), text_parts(layout)),
            Err(message) => (record.unwrap_or(member).span(), Err(message)),
        };
        match found {
            Ok(parts) => Some(parts),
            Err(message) => {
                self.at(GANTRY_FILE, span, message);
                None
            }
        }
    }
}

fn chosen<'l>(layouts: &'l [Layout], wanted: Option<&str>) -> Result<&'l Layout, String> {
    let names = || layouts.iter().map(Layout::name).collect::<Vec<_>>().join(", ");
    match (layouts, wanted) {
        (_, Some(wanted)) => {
            let found = layouts.iter().find(|layout| layout.name().eq_ignore_ascii_case(wanted));
            found.ok_or_else(|| format!("the copybook has no record '{wanted}'; it has: {}", names()))
        }
        ([only], None) => Ok(only),
        _ => Err(format!("the copybook has several records; choose one: record = one of {}", names())),
    }
}

/// The use of a byte of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Byte {
    Unused,
    /// With the number of the field.
    Text(usize),
    Other(usize),
}

/// The parts of a record that are text.
fn text_parts(layout: &Layout) -> Result<Vec<Part>, String> {
    let length = layout.root().bytes * layout.root().occurs.map_or(1, |occurs| occurs.max as usize);
    if length > COMMAREA_MAX_BYTES {
        return Err(format!(
            "expected a commarea of at most {COMMAREA_MAX_BYTES} bytes, found a record of {length}"
        ));
    }
    let mut bytes = vec![Byte::Unused; length];
    for (number, field) in layout.fields().iter().enumerate() {
        if field.occurs.is_some_and(|occurs| occurs.depending_on.is_some()) {
            return Err(format!(
                "{} occurs a varying number of times: the fields after it have no fixed place, and cannot be converted",
                field.name
            ));
        }
        let Some(is_text) = is_text(field)? else { continue };
        for start in rows(layout, number) {
            for place in start..start + field.bytes {
                bytes[place] = seen(bytes[place], (number, is_text), layout)?;
            }
        }
    }
    Ok(parts(&bytes))
}

/// Whether a field is text; none for a group.
fn is_text(field: &Field) -> Result<Option<bool>, String> {
    match &field.kind {
        Kind::Group => Ok(None),
        // Digits and signs are characters, those with signs letters or braces.
        Kind::Text { .. } | Kind::Zoned { .. } => Ok(Some(true)),
        Kind::Edited(edited) => Ok(Some(!edited.national)),
        Kind::Dbcs { .. } => Err(format!(
            "{} has double-byte characters, which take another number of bytes in another code page",
            field.name
        )),
        _ => Ok(Some(false)),
    }
}

/// Where a field begins, in each row of the tables that it is in.
fn rows(layout: &Layout, number: usize) -> Vec<usize> {
    let mut starts = vec![layout.fields()[number].offset];
    let mut next = Some(&layout.fields()[number]);
    while let Some(field) = next {
        if let Some(occurs) = field.occurs {
            let rows = 0..occurs.max as usize;
            starts = rows.flat_map(|row| starts.iter().map(move |start| start + row * field.bytes)).collect();
        }
        next = field.parent.map(|parent| layout.field(parent));
    }
    starts
}

fn seen(before: Byte, (number, is_text): (usize, bool), layout: &Layout) -> Result<Byte, String> {
    let now = if is_text { Byte::Text(number) } else { Byte::Other(number) };
    let (text, other) = match (before, now) {
        (Byte::Text(text), Byte::Other(other)) | (Byte::Other(other), Byte::Text(text)) => (text, other),
        _ => return Ok(now),
    };
    let name = |number: usize| &layout.fields()[number].name;
    Err(format!(
        "{} is text where {} is not: whether these bytes are to be converted is unknown",
        name(text),
        name(other)
    ))
}

fn parts(bytes: &[Byte]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for (place, _) in bytes.iter().enumerate().filter(|(_, byte)| matches!(byte, Byte::Text(_))) {
        match parts.last_mut() {
            Some((start, length)) if *start + *length == place => *length += 1,
            _ => parts.push((place, 1)),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Result<Vec<Part>, String> {
        let options = copybook::Options::default();
        let parsed = copybook::parse("TEST", text, &options).unwrap_or_else(|faults| panic!("{faults:?}"));
        text_parts(chosen(&parsed.layouts, None)?)
    }

    #[test]
    fn fields_of_text_are_found_in_every_row() {
        let parts = found(
            "       01  REC.
           05  NAME        PIC X(8).
           05  BALANCE     PIC S9(5)V99 COMP-3.
           05  ROWS-OF OCCURS 2.
               10  COUNT-OF    PIC S9(4) COMP.
               10  CODES       PIC X OCCURS 3.
           05  AMOUNT      PIC S9(3).
           05  SHOWN       PIC ZZ9.
           05  WIDE        PIC N(2).
           05  FILLER      PIC X(2).
",
        );
        assert_eq!(parts, Ok(vec![(0, 8), (14, 3), (19, 9), (32, 2)]));
    }

    #[test]
    fn another_view_of_the_same_kind_is_no_matter() {
        let text = "       01  REC.
           05  WHOLE       PIC X(4).
           05  PARTS REDEFINES WHOLE.
               10  PART    PIC 99 OCCURS 2.
";
        assert_eq!(found(text), Ok(vec![(0, 4)]));
    }

    #[test]
    fn what_has_no_fixed_place_or_kind_is_refused() {
        for (fields, expected) in [
            ("05 A PIC X(2).\n           05 B REDEFINES A PIC S9(4) COMP.", "A is text where B is not"),
            (
                "05 A PIC 9.\n           05 B PIC X OCCURS 1 TO 9 DEPENDING ON A.",
                "B occurs a varying number of times",
            ),
            ("05 A PIC G(4) USAGE DISPLAY-1.", "A has double-byte characters"),
            ("05 A PIC X(32764).", "at most 32763 bytes, found a record of 32764"),
        ] {
            let message = found(&format!("       01  REC.\n           {fields}\n")).expect_err(fields);
            assert!(message.contains(expected), "{fields}: {message}");
        }
    }

    #[test]
    fn one_of_several_records_must_be_named() {
        let text = "       01  ONE.\n           05  A PIC X.\n       01  TWO.\n           05  B PIC X.\n";
        let parsed = copybook::parse("TEST", text, &copybook::Options::default()).expect("records");
        assert_eq!(chosen(&parsed.layouts, Some("two")).map(Layout::name), Ok("TWO"));
        let several = chosen(&parsed.layouts, None).expect_err("two records");
        assert!(several.contains("one of ONE, TWO"), "{several}");
        assert!(chosen(&parsed.layouts, Some("OTHER")).is_err_and(|message| message.contains("'OTHER'")));
    }
}
