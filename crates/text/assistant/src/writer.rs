//! Writes laid out structures as COBOL text: columns 8 to 72, a comment for each field.

use std::fmt::Write;

use crate::options::{CharVarying, Optional, Options, VaryingArrays};
use crate::structure::{Field, Laid, Structure};

/// The last column of the text.
const LAST_COLUMN: usize = 72;

/// Columns before the text.
const MARGIN: &str = "       ";

/// The column in which clauses begin, if names leave room for it.
const CLAUSE_COLUMN: usize = 44;

/// The most columns by which entries are indented. Deep entries must leave room for names.
const INDENT_MAX: usize = 24;

/// The whole copybook.
pub(crate) fn text(laid: &Laid, options: &Options) -> String {
    let mut text = String::new();
    head(&mut text, laid, options);
    for structure in &laid.structures {
        text.push('\n');
        record(&mut text, structure);
    }
    text
}

fn head(text: &mut String, laid: &Laid, options: &Options) {
    let rule = "*".repeat(LAST_COLUMN - 7);
    // Writing into a string does not fail.
    let _ = writeln!(text, "      *{rule}");
    let name = laid.structures.first().map_or("", |structure| &structure.name);
    let origin = if options.origin.is_empty() { "a schema" } else { &options.origin };
    comment(text, &format!("{name}, made by Gantry from {origin}. Change the schema, not this text."));
    comment(text, &rules(options));
    let _ = writeln!(text, "      *{rule}");
}

/// The choices that a reader of the structure must know.
fn rules(options: &Options) -> String {
    let varying = match options.char_varying {
        CharVarying::No => "NO",
        CharVarying::Collapse => "COLLAPSE",
        CharVarying::Null => "NULL",
        CharVarying::Yes => "YES",
    };
    let what = options.apart.word();
    let arrays = match options.varying_arrays {
        VaryingArrays::Inline => format!("inline or in {what}s"),
        VaryingArrays::DependingOn => "OCCURS DEPENDING ON".to_owned(),
        VaryingArrays::Container => format!("in {what}s"),
    };
    let optional = match options.optional {
        Optional::Counter => "with counters",
        Optional::Plain => "without counters",
    };
    format!(
        "Rules of {}, MAPPING-LEVEL={}, CHAR-VARYING={varying}; varying arrays {arrays}; optional fields \
         {optional}.",
        options.assistant.name(),
        options.mapping_level
    )
}

fn record(text: &mut String, structure: &Structure) {
    if let Some(says) = &structure.comment {
        comment(text, says);
    }
    let _ = writeln!(text, "{MARGIN}01  {}.", structure.name);
    for field in &structure.fields {
        entry(text, field, 1);
    }
}

fn entry(text: &mut String, field: &Field, depth: usize) {
    for says in &field.comments {
        comment(text, says);
    }
    let level = 3 * depth;
    let indent = indent(depth);
    statement(text, indent, &format!("{level:02}  {}", field.name), &field.clauses);
    for (name, literal) in &field.conditions {
        statement(text, indent + 4, &format!("88  {name}"), &[format!("VALUE {literal}")]);
    }
    for child in &field.children {
        entry(text, child, depth + 1);
    }
}

fn indent(depth: usize) -> usize {
    (2 + 2 * depth).min(INDENT_MAX)
}

/// One entry. Clauses that do not fit go into further lines.
fn statement(text: &mut String, indent: usize, name: &str, clauses: &[String]) {
    let mut line = format!("{MARGIN}{}{name}", " ".repeat(indent));
    for (index, clause) in clauses.iter().enumerate() {
        let ends = usize::from(index + 1 == clauses.len());
        let gap = if index == 0 { CLAUSE_COLUMN.saturating_sub(line.len() + 1).max(1) } else { 1 };
        if line.len() + gap + clause.len() + ends > LAST_COLUMN {
            let _ = writeln!(text, "{line}");
            line = format!("{MARGIN}{}{clause}", " ".repeat(indent + 4));
        } else {
            let _ = write!(line, "{}{clause}", " ".repeat(gap));
        }
    }
    let _ = writeln!(text, "{line}.");
}

/// A comment, in one or more lines. Characters that some code pages lack are escaped.
fn comment(text: &mut String, says: &str) {
    let room = LAST_COLUMN - 9;
    let mut line = String::new();
    for word in plain(says).split_ascii_whitespace() {
        let mut word = word;
        if !line.is_empty() && line.len() + 1 + word.len() > room {
            let _ = writeln!(text, "      * {line}");
            line = " ".to_owned();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        while line.len() + word.len() > room {
            let (part, rest) = word.split_at(room - line.len());
            let _ = writeln!(text, "      * {line}{part}");
            line = "  ".to_owned();
            word = rest;
        }
        line.push_str(word);
    }
    let _ = writeln!(text, "      * {line}");
}

/// The text in printable ASCII.
fn plain(says: &str) -> String {
    says.chars().fold(String::with_capacity(says.len()), |mut text, character| {
        match character {
            ' '..='~' => text.push(character),
            '\n' | '\r' | '\t' => text.push(' '),
            _ => {
                let _ = write!(text, "\\u{{{:X}}}", u32::from(character));
            }
        }
        text
    })
}
