//! Makes a copybook of a record in a program: it takes the lines of the record's entries out of the
//! source.
//!
//! The lines are copied, not written anew, so comments and COPY statements stay. The copybook must
//! have the same layout as the record in the program; else the program is refused.

use copybook::{Diagnostic, Field, FieldId, Layout, Library, Options, Section, Severity, parse_with};
use program::OwnMembers;

use crate::sources::{Found, Members, NOT_THERE, Source, SourceFile};

/// The sections that may hold an interface: first the parameters of callers, then the areas for
/// containers.
const SECTIONS: [Section; 3] = [Section::Linkage, Section::WorkingStorage, Section::LocalStorage];
/// The most parts of a record that begins with a COPY statement: members, and entries between them.
const PARTS_MAX: usize = 8;
/// The columns of code in fixed format, from 0.
const CODE: std::ops::Range<usize> = 7..72;

/// The names of the records in the LINKAGE SECTION; none without this section.
///
/// # Errors
/// The section has faults, which are printed.
pub(crate) fn linkage(file: &SourceFile) -> Result<Vec<String>, String> {
    let source = Source::read(&file.path)?;
    let members = Members::of_program(file);
    let options = Options { section: Some(Section::Linkage), ..Options::default() };
    let parsed =
        members.library(|library| parse_with(&source.name, &source.text, &options, &OwnMembers(library)));
    match parsed {
        Ok(parsed) => Ok(parsed.layouts.iter().map(|layout| layout.name().to_owned()).collect()),
        Err(faults) if is_not_there(&faults) => Ok(Vec::new()),
        Err(faults) => Err(members.tell_all(&source, faults)),
    }
}

/// The layout of a record in a program, in any section; None if the program does not have the record.
///
/// # Errors
/// The program cannot be read, or the record's entries have faults, which are printed.
pub(crate) fn layout(file: &SourceFile, record: &str) -> Result<Option<Layout>, String> {
    in_program(&Source::read(&file.path)?, &Members::of_program(file), record)
}

/// A record of a program as a copybook.
///
/// # Errors
/// The program does not have the record, its entries have faults, or they cannot stand alone.
pub(crate) fn record(file: &SourceFile, record: &str) -> Result<Found, String> {
    let path = &file.path;
    let source = Source::read(path)?;
    let members = Members::of_program(file);
    let Some(layout) = in_program(&source, &members, record)? else {
        return part_of_record(file, &source, record)
            .ok_or_else(|| format!("{} has no 01 level {record}: say --copybook FILE", path.display()));
    };
    let alone = || {
        format!(
            "{}: the entries of {record} have another layout outside of the program: say --copybook FILE",
            path.display()
        )
    };
    if let Some(found) = copied(file, &source, &layout) {
        return Ok(found);
    }
    // A copied member may have a part of the record. Take the whole section then.
    let taken = taken_out(&source.text, record).or_else(|| linkage_taken_out(&source.text));
    let text = taken.ok_or_else(|| {
        format!(
            "{}: {record} stands in a copybook that the program copies: say --copybook FILE",
            path.display()
        )
    })?;
    let name = copybook_name(file, record);
    // Copy only the members of this record.
    let members = Members::of_program(file);
    let chosen = |mut layouts: Vec<Layout>| {
        let records = layouts.iter().map(|layout| layout.name().to_owned()).collect();
        layouts.retain(|found| found.name() == record);
        (layouts.len() == 1 && is_same(&layouts[0], &layout)).then_some((layouts, records))
    };
    let ((layouts, records), decimal_comma) = parsed(&members, &name, &text, chosen).ok_or_else(alone)?;
    let mut files = members.files()?;
    files.push((format!("copybooks/{name}"), text.into_bytes()));
    Ok(Found { name, records, layouts, decimal_comma, replacing: Vec::new(), files })
}

/// A field of a record as a copybook of its own, if the program has one field of this name, in no table, and the lines of its entries
/// stand in the program itself.
fn part_of_record(file: &SourceFile, source: &Source, field: &str) -> Option<Found> {
    let members = Members::of_program(file);
    let options = |section| Options { section: Some(section), ..Options::default() };
    let all = SECTIONS.iter().flat_map(|section| {
        let parsed = members.library(|library| {
            parse_with(&source.name, &source.text, &options(*section), &OwnMembers(library))
        });
        parsed.map(|parsed| parsed.layouts).unwrap_or_default()
    });
    let found = all.flat_map(|layout| {
        let named = |(id, found): (FieldId, &Field)| (found.name == field).then_some(id);
        let ids: Vec<FieldId> = layout.iter().filter_map(named).collect();
        ids.into_iter().map(move |id| (layout.clone(), id))
    });
    let found: Vec<(Layout, FieldId)> = found.collect();
    let [(layout, id)] = found.as_slice() else { return None };
    if layout.around(*id).any(|around| layout.field(around).occurs.is_some()) {
        return None;
    }
    let text = field_taken_out(&source.text, field)?;
    made(file, field, &text, |found| is_field(found, layout, *id))
}

/// The copybook of a record that a COPY statement brings, as a whole or in part.
fn copied(file: &SourceFile, source: &Source, layout: &Layout) -> Option<Found> {
    copies(&source.text)
        .into_iter()
        .find_map(|text| made(file, layout.name(), &text, |found| is_same(found, layout)))
}

/// A copybook with this text, if it has this record and no other, and the record is the one that is meant.
fn made(file: &SourceFile, record: &str, text: &str, is_meant: impl Fn(&Layout) -> bool) -> Option<Found> {
    let name = copybook_name(file, record);
    // Only the members of this record.
    let members = Members::of_program(file);
    let chosen = |layouts: Vec<Layout>| {
        let is_it = layouts.len() == 1 && layouts[0].name() == record && is_meant(&layouts[0]);
        is_it.then_some(layouts)
    };
    let (layouts, decimal_comma) = parsed(&members, &name, text, chosen)?;
    let mut files = members.files().ok()?;
    files.push((format!("copybooks/{name}"), text.as_bytes().to_vec()));
    Some(Found {
        name,
        records: vec![record.to_owned()],
        layouts,
        decimal_comma,
        replacing: Vec::new(),
        files,
    })
}

/// The chosen records of a copybook, and whether the comma is their decimal point: the program says that, and
/// the copybook does not.
fn parsed<T>(
    members: &Members,
    name: &str,
    text: &str,
    chosen: impl Fn(Vec<Layout>) -> Option<T>,
) -> Option<(T, bool)> {
    [false, true].into_iter().find_map(|decimal_comma| {
        let options = Options { decimal_comma, ..Options::default() };
        let parsed = members.library(|library| parse_with(name, text, &options, library)).ok()?;
        Some((chosen(parsed.layouts)?, decimal_comma))
    })
}

fn copybook_name(file: &SourceFile, record: &str) -> String {
    let stem = file.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    format!("{stem}-{record}.cpy")
}

/// The record in the program, in any section.
fn in_program(source: &Source, members: &Members, record: &str) -> Result<Option<Layout>, String> {
    for section in SECTIONS {
        let options =
            Options { section: Some(section), record: Some(record.to_owned()), ..Options::default() };
        let read =
            |library: &dyn Library| parse_with(&source.name, &source.text, &options, &OwnMembers(library));
        match members.library(read) {
            Ok(parsed) => return Ok(parsed.layouts.into_iter().next()),
            Err(faults) if is_not_there(&faults) => {}
            Err(faults) => return Err(members.tell_all(source, faults)),
        }
    }
    Ok(None)
}

/// True if the text lacks the section or the record, and has no other error. Warnings are about other records.
fn is_not_there(faults: &[Diagnostic]) -> bool {
    let mut errors = faults.iter().filter(|fault| fault.severity == Severity::Error);
    errors.all(|fault| NOT_THERE.contains(&fault.code))
}

fn is_same(one: &Layout, other: &Layout) -> bool {
    let fields = |layout: &Layout| -> Vec<Field> { layout.iter().map(|(_, field)| field.clone()).collect() };
    let (one, other) = (fields(one), fields(other));
    let same = |(one, other): (&Field, &Field)| {
        (&one.name, one.offset, one.bytes, one.occurs, one.redefines, &one.kind, &one.value)
            == (
                &other.name,
                other.offset,
                other.bytes,
                other.occurs,
                other.redefines,
                &other.kind,
                &other.value,
            )
    };
    one.len() == other.len() && one.iter().zip(&other).all(same)
}

/// True if the record is this field of the other layout.
fn is_field(record: &Layout, other: &Layout, id: FieldId) -> bool {
    let base = other.field(id).offset;
    let within = other.iter().filter(|(within, _)| other.around(*within).any(|around| around == id));
    let facts = |field: &Field, base: usize| {
        let rows = field.occurs.map(|occurs| (occurs.min, occurs.max));
        (field.name.clone(), field.offset - base, field.bytes, rows, field.kind.clone(), field.children.len())
    };
    record.iter().map(|(_, field)| facts(field, 0)).eq(within.map(|(_, field)| facts(field, base)))
}

/// The lines of a field that is not a record, with the level of one.
fn field_taken_out(text: &str, field: &str) -> Option<String> {
    let is_free = is_free(text);
    let code: Vec<String> = text.lines().map(|line| code(line, is_free)).collect();
    let level = |line: &String| line.split_whitespace().next().and_then(|word| word.parse::<u8>().ok());
    let begins = |line: &&String| {
        let name = line.split_whitespace().nth(1).unwrap_or_default();
        level(line).is_some() && name.trim_end_matches('.').eq_ignore_ascii_case(field)
    };
    let first = code.iter().position(|line| begins(&line))?;
    let own = level(&code[first])?;
    let ends = |line: &String| {
        let second = line.split_whitespace().nth(1).unwrap_or_default().trim_end_matches('.');
        level(line).is_some_and(|level| level <= own || [77, 78].contains(&level))
            || ["SECTION", "DIVISION", "PROGRAM"].iter().any(|word| second.eq_ignore_ascii_case(word))
    };
    let rest = &code[first + 1..];
    let mut end = first + 1 + rest.iter().position(ends).unwrap_or(rest.len());
    while code[end - 1].trim().is_empty() {
        end -= 1;
    }
    let head = code[first].trim();
    let entry = head.split_once(char::is_whitespace)?.1.trim_start();
    Some(format!("       01  {entry}\n{}", lines(text, first + 1..end, is_free)))
}

/// The COPY statements of a program that begin on a line of their own: alone, and with more and more of the entries
/// and COPY statements below, up to the next record. A member may have only a part of a record.
fn copies(text: &str) -> Vec<String> {
    let is_free = is_free(text);
    let code: Vec<String> = text.lines().map(|line| code(line, is_free)).collect();
    let begins =
        |line: &String| line.split_whitespace().next().is_some_and(|word| word.eq_ignore_ascii_case("COPY"));
    let starts = code.iter().enumerate().filter(|(_, line)| begins(line)).map(|(at, _)| at);
    let statement_end = |at: usize| {
        let last = code[at..].iter().position(|line| line.trim_end().ends_with('.'))?;
        Some(at + last + 1)
    };
    let ends = |at: usize| {
        let mut ends: Vec<usize> = statement_end(at).into_iter().collect();
        while let Some(last) = ends.last().copied().filter(|_| ends.len() < PARTS_MAX) {
            let stops = |line: &String| begins(line) || ends_record(line);
            // A COPY statement that comes next belongs to the next part.
            let blank = code[last..].iter().take_while(|line| line.trim().is_empty()).count();
            let next = last + blank;
            let from = match code.get(next).is_some_and(begins) {
                true => statement_end(next).unwrap_or(next),
                false => next,
            };
            let end = from + code[from..].iter().position(stops).unwrap_or(code.len() - from);
            let end = without_blanks(&code, at, end);
            if end <= last {
                break;
            }
            ends.push(end);
        }
        ends
    };
    starts
        .flat_map(|at| ends(at).into_iter().map(move |end| at..end))
        .map(|range| lines(text, range, is_free))
        .collect()
}

/// True for a line of code that cannot be in the record above: another record, or a heading.
fn ends_record(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let second = second.trim_end_matches('.');
    is_record_level(first)
        || ["77", "78"].contains(&first)
        || ["SECTION", "DIVISION", "PROGRAM"].iter().any(|word| second.eq_ignore_ascii_case(word))
}

/// The end of lines without the blank ones: comments before the next heading belong to that heading.
fn without_blanks(code: &[String], first: usize, mut end: usize) -> usize {
    while end > first + 1 && code[end - 1].trim().is_empty() {
        end -= 1;
    }
    end
}

/// The lines from the record's 01 level to the next one, or to the end of its section.
fn taken_out(text: &str, record: &str) -> Option<String> {
    let is_free = is_free(text);
    let code: Vec<String> = text.lines().map(|line| code(line, is_free)).collect();
    let begins = |line: &String| {
        let mut words = line.split_whitespace();
        is_record_level(words.next().unwrap_or_default())
            && words.next().is_some_and(|word| word.trim_end_matches('.').eq_ignore_ascii_case(record))
    };
    let first = code.iter().position(begins)?;
    let rest = &code[first + 1..];
    let end = first + 1 + rest.iter().position(|line| ends_record(line)).unwrap_or(rest.len());
    let end = without_blanks(&code, first, end);
    Some(lines(text, first..end, is_free))
}

/// The lines of the LINKAGE SECTION without its heading.
fn linkage_taken_out(text: &str) -> Option<String> {
    let is_free = is_free(text);
    let code: Vec<String> = text.lines().map(|line| code(line, is_free).to_ascii_uppercase()).collect();
    let heads = |line: &String, word: &str| {
        let mut words = line.split_whitespace();
        words.next() == Some(word)
            && words.next().is_some_and(|word| word.starts_with("SECTION") || word.starts_with("DIVISION"))
    };
    let first = code.iter().position(|line| heads(line, "LINKAGE"))? + 1;
    let rest = &code[first..];
    let end =
        rest.iter().position(|line| ["PROCEDURE", "REPORT", "SCREEN"].iter().any(|word| heads(line, word)));
    Some(lines(text, first..first + end.unwrap_or(rest.len()), is_free))
}

/// Lines of a text in the form of a copybook.
fn lines(text: &str, range: std::ops::Range<usize>, is_free: bool) -> String {
    let lines = text.lines().skip(range.start).take(range.len()).map(|line| match is_free {
        true => line.trim_end().to_owned(),
        // Leave out the numbers in columns 1 to 6 and from 73 on.
        false => {
            let kept: String = line.chars().take(CODE.end).skip(CODE.start - 1).collect();
            format!("      {kept}").trim_end().to_owned()
        }
    });
    lines.map(|line| line + "\n").collect()
}

/// True if the text is in free format: a heading begins before the columns of code.
pub(crate) fn is_free(text: &str) -> bool {
    text.lines().any(|line| {
        let upper = line.to_ascii_uppercase();
        let heading = upper.trim_start();
        let is_heading = heading.starts_with("IDENTIFICATION DIVISION")
            || heading.starts_with("ID DIVISION")
            || heading.starts_with("PROCEDURE DIVISION");
        is_heading && line.len() - heading.len() < CODE.start - 1
    })
}

/// The code of a line; empty for a comment.
pub(crate) fn code(line: &str, is_free: bool) -> String {
    if is_free {
        return match line.split_once("*>") {
            Some((code, _)) => code.to_owned(),
            None => line.to_owned(),
        };
    }
    match line.chars().nth(CODE.start - 1) {
        Some('*' | '/') => String::new(),
        _ => line.chars().take(CODE.end).skip(CODE.start).collect(),
    }
}

fn is_record_level(word: &str) -> bool {
    ["01", "1"].contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_may_have_several_members() {
        let text = "       COPY ONE.\n           05  A PIC X.\n      * Other\n       COPY TWO\n           REPLACING X BY Y.\n\n       COPY THREE.\n       01  B PIC X.\n";
        let one = "       COPY ONE.\n";
        let a = "           05  A PIC X.\n";
        let two = "       COPY TWO\n           REPLACING X BY Y.\n";
        let three = "       COPY THREE.\n";
        let expected = [
            one.to_owned(),
            format!("{one}{a}"),
            format!("{one}{a}      * Other\n{two}"),
            format!("{one}{a}      * Other\n{two}\n{three}"),
            two.to_owned(),
            format!("{two}\n{three}"),
            three.to_owned(),
        ];
        assert_eq!(copies(text), expected);
    }
}
