//! The COBOL program of a record: it moves the values and writes what lies in storage then.
//!
//! Everything goes to the standard output through the C library's `write`: a frame is its length in 4 bytes of the
//! machine's order, then this number of bytes. The main program calls those of all records of a batch.

use super::entry::{Entry, Record};
use super::text::wrap;
use super::values::{self, Set};

/// The frames that a program writes, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// Three numbers for each of [`measured`]: offset, length, and from row to row (0 if there is one).
    Places,
    /// The record after INITIALIZE.
    Types,
    /// The record after INITIALIZE TO VALUE.
    Values,
    /// The record after the moves of a set.
    Moved(Set),
    /// A number for each of [`conditional`]: 1 if one of its conditions is true.
    Flags(Set),
}

/// The frames of a record.
pub(crate) fn frames(record: &Record) -> Vec<Frame> {
    let mut frames = vec![Frame::Places];
    if !record.varying {
        frames.extend([Frame::Types, Frame::Values]);
    }
    frames.extend([Frame::Moved(Set::Full), Frame::Flags(Set::Full)]);
    if !record.varying {
        frames.push(Frame::Moved(Set::Sparse));
    }
    if record.all().iter().any(|entry| !entry.conditions.is_empty()) {
        frames.extend([Frame::Moved(Set::Conditions), Frame::Flags(Set::Conditions)]);
    }
    frames
}

/// An entry whose place is asked for.
pub(crate) struct Measured<'r> {
    pub(crate) name: &'r str,
    /// Tables around it, its own included.
    dimensions: usize,
    /// It is a table of two rows or more.
    rows: bool,
}

/// The named entries, views too.
pub(crate) fn measured(record: &Record) -> Vec<Measured<'_>> {
    fn add<'r>(entries: &'r [Entry], around: usize, found: &mut Vec<Measured<'r>>) {
        for entry in entries {
            let dimensions = around + usize::from(entry.occurs.is_some());
            if let Some(name) = &entry.name {
                let rows = entry.occurs.as_ref().is_some_and(|occurs| occurs.max > 1);
                found.push(Measured { name, dimensions, rows });
            }
            add(&entry.children, dimensions, found);
        }
    }
    let mut found = Vec::new();
    add(&record.entries, 0, &mut found);
    found
}

/// Entries with condition names outside of tables and of views, each with the groups around it.
pub(crate) fn conditional(record: &Record) -> Vec<(Vec<&str>, &Entry)> {
    fn add<'r>(entries: &'r [Entry], around: &[&'r str], found: &mut Vec<(Vec<&'r str>, &'r Entry)>) {
        for entry in entries.iter().filter(|entry| entry.occurs.is_none() && entry.redefines.is_none()) {
            let Some(name) = &entry.name else { continue };
            if !entry.conditions.is_empty() {
                found.push((around.to_vec(), entry));
            }
            add(&entry.children, &[around, &[name]].concat(), found);
        }
    }
    let mut found = Vec::new();
    add(&record.entries, &[], &mut found);
    found
}

/// The name of a record's program, and of its copybook.
pub(crate) fn name(record: &Record) -> String {
    format!("L{}", record.id)
}

/// One source text with the main program and those of all records.
pub(crate) fn source(records: &[Record]) -> String {
    let mut out = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. GNTMAIN.\n".to_owned();
    out.push_str("       PROCEDURE DIVISION.\n");
    for record in records {
        out.push_str(&format!("           CALL \"{}\".\n", name(record)));
    }
    out.push_str("           STOP RUN.\n       END PROGRAM GNTMAIN.\n");
    records.iter().for_each(|record| program(record, &mut out));
    out
}

fn program(record: &Record, out: &mut String) {
    let name = name(record);
    let measured = measured(record);
    out.push_str(&format!("       IDENTIFICATION DIVISION.\n       PROGRAM-ID. {name}.\n"));
    out.push_str(&record.special_names());
    out.push_str("       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n");
    out.push_str(&format!("       COPY \"{name}.cpy\".\n"));
    let numbers = (measured.len() * 3).max(1);
    out.push_str(&format!(
        "       01  GNT-START USAGE POINTER.
       01  GNT-START-N REDEFINES GNT-START PIC S9(18) COMP-5.
       01  GNT-HERE USAGE POINTER.
       01  GNT-HERE-N REDEFINES GNT-HERE PIC S9(18) COMP-5.
       01  GNT-SIZE PIC S9(9) COMP-5.
       01  GNT-DONE PIC S9(9) COMP-5.
       01  GNT-TABLE.
           05  GNT-NUMBER PIC S9(9) COMP-5 OCCURS {numbers} TIMES.
       PROCEDURE DIVISION.
"
    ));
    largest(record, out);
    for frame in frames(record) {
        match frame {
            Frame::Places => places(&measured, out),
            Frame::Types => initialize("WITH FILLER", out),
            Frame::Values => initialize("WITH FILLER ALL TO VALUE THEN TO DEFAULT", out),
            Frame::Moved(set) => moved(record, set, out),
            Frame::Flags(_) => flags(record, out),
        }
    }
    out.push_str(&format!("           GOBACK.\n       END PROGRAM {name}.\n"));
}

/// Tables at their largest.
fn largest(record: &Record, out: &mut String) {
    for entry in record.all() {
        if let (super::entry::Kind::Counter { max, .. }, Some(name)) = (&entry.value, &entry.name) {
            out.push_str(&format!("           MOVE {max} TO {name}.\n"));
        }
    }
}

fn places(measured: &[Measured<'_>], out: &mut String) {
    out.push_str("           SET GNT-START TO ADDRESS OF R.\n");
    for (index, field) in measured.iter().enumerate() {
        let at = |last: usize| {
            let mut rows = vec!["1".to_owned(); field.dimensions];
            if let Some(row) = rows.last_mut() {
                *row = last.to_string();
            }
            if rows.is_empty() {
                field.name.to_owned()
            } else {
                format!("{} ({})", field.name, rows.join(" "))
            }
        };
        let number = index * 3;
        out.push_str(&format!(
            "           SET GNT-HERE TO ADDRESS OF {first}
           COMPUTE GNT-NUMBER ({}) = GNT-HERE-N - GNT-START-N
           MOVE LENGTH OF {first} TO GNT-NUMBER ({})
           MOVE 0 TO GNT-NUMBER ({}).\n",
            number + 1,
            number + 2,
            number + 3,
            first = at(1),
        ));
        if field.rows {
            out.push_str(&format!(
                "           SET GNT-START TO GNT-HERE.
           SET GNT-HERE TO ADDRESS OF {}
           COMPUTE GNT-NUMBER ({}) = GNT-HERE-N - GNT-START-N
           SET GNT-START TO ADDRESS OF R.\n",
                at(2),
                number + 3,
            ));
        }
    }
    write("GNT-TABLE", &(measured.len() * 12).to_string(), out);
}

fn initialize(how: &str, out: &mut String) {
    out.push_str("           MOVE SPACES TO R.\n");
    out.push_str(&format!("           INITIALIZE R {how}.\n"));
    write("R", "LENGTH OF R", out);
}

fn moved(record: &Record, set: Set, out: &mut String) {
    // Blanks in counters would be tables without end.
    if !record.varying {
        out.push_str("           MOVE SPACES TO R.\n");
        out.push_str("           INITIALIZE R WITH FILLER ALL TO VALUE THEN TO DEFAULT.\n");
    }
    for statement in values::moves(record, set).statements {
        wrap(11, &statement, out);
    }
    out.push_str("           .\n");
    write("R", "LENGTH OF R", out);
}

fn flags(record: &Record, out: &mut String) {
    let conditional = conditional(record);
    for (index, (_, entry)) in conditional.iter().enumerate() {
        let names: Vec<&str> = entry.conditions.iter().map(|condition| condition.name.as_str()).collect();
        out.push_str(&format!(
            "           MOVE 0 TO GNT-NUMBER ({at})
           IF {} MOVE 1 TO GNT-NUMBER ({at}).\n",
            names.join(" OR "),
            at = index + 1,
        ));
    }
    write("GNT-TABLE", &(conditional.len() * 4).to_string(), out);
}

/// Writes a frame.
fn write(what: &str, length: &str, out: &mut String) {
    out.push_str(&format!(
        "           MOVE {length} TO GNT-SIZE.
           CALL \"write\" USING BY VALUE 1 BY REFERENCE GNT-SIZE
               BY VALUE 4 RETURNING GNT-DONE.
           CALL \"write\" USING BY VALUE 1 BY REFERENCE {what}
               BY VALUE GNT-SIZE RETURNING GNT-DONE.\n"
    ));
}
