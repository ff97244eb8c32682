//! The declarations of a translated program: its frame, the EXEC interface block, the commarea, and its
//! parameters.

use std::collections::{HashMap, HashSet};

use copybook::TokenKind;

use super::data::{COMMAREA, Data, EIB};
use super::emit::hex;
use super::output::{Edit, Origin};
use super::units::{Procedure, Region, Unit};
use super::{Translator, codes};
use crate::members::DFHEIBLK;

/// The file name in cobc's messages for lines that the translator has added.
const ADDED: &str = "<exec-cics>";

/// The section that leads to labels.
const GO_ON: &str = "GANTRY-GO-ON";

/// The most bytes of one literal in a long command.
const PIECE_BYTES: usize = 80;

/// The needs of a program's commands.
#[derive(Clone, Default)]
pub(super) struct Frame {
    /// True if the program has commands.
    pub(super) used: bool,
    /// The most slots that a command fills.
    pub(super) slots: usize,
    /// True if a number of a command is in a pointer.
    pub(super) pointer_numbers: bool,
    labels: Vec<Label>,
    numbers: HashMap<String, u16>,
    long_commands: Vec<Vec<u8>>,
}

/// The declarations of a program for the translator's own use.
#[derive(Default)]
pub(super) struct Own {
    /// Entries of the WORKING-STORAGE SECTION.
    pub(super) storage: Vec<String>,
    /// Entries of the LINKAGE SECTION.
    pub(super) linkage: Vec<String>,
    /// Statements that find the entries of the LINKAGE SECTION. A nested program begins with them.
    pub(super) first: Vec<String>,
}

/// A paragraph or section that a HANDLE command names.
#[derive(Clone)]
struct Label {
    name: String,
    /// The token of the first command that names it.
    token: usize,
}

impl Frame {
    /// The number of a label, from 1. None if there are too many.
    pub(super) fn label(&mut self, name: &str, token: usize) -> Option<u16> {
        let upper = name.to_ascii_uppercase();
        if let Some(number) = self.numbers.get(&upper) {
            return Some(*number);
        }
        let number = u16::try_from(self.labels.len() + 1).ok()?;
        self.labels.push(Label { name: name.to_owned(), token });
        self.numbers.insert(upper, number);
        Some(number)
    }

    /// Keeps a command that is too long for a literal. Gives the name of its item.
    pub(super) fn long_command(&mut self, bytes: Vec<u8>) -> String {
        self.long_commands.push(bytes);
        format!("GANTRY-COMMAND-{}", self.long_commands.len())
    }

    /// The statement after a command: go on, or return.
    pub(super) fn go_on(&self) -> String {
        match self.labels.is_empty() {
            true => "IF GANTRY-NEXT < 0 GOBACK END-IF".to_owned(),
            false => format!("IF GANTRY-NEXT NOT = 0 GO TO {GO_ON} END-IF"),
        }
    }

    /// The section at the end of the code that leads to the labels, if there are any. A program that reaches
    /// it runs through it, because the number is then 0.
    fn section(&self) -> Vec<String> {
        if self.labels.is_empty() {
            return Vec::new();
        }
        let mut lines = vec![
            format!("{GO_ON} SECTION."),
            "IF GANTRY-NEXT < 0 GOBACK.".to_owned(),
            "MOVE GANTRY-NEXT TO GANTRY-LABEL.".to_owned(),
            "MOVE 0 TO GANTRY-NEXT.".to_owned(),
            "GO TO".to_owned(),
        ];
        lines.extend(self.labels.iter().map(|label| label.name.clone()));
        lines.push("DEPENDING ON GANTRY-LABEL.".to_owned());
        lines
    }

    pub(super) fn entries(&self) -> Vec<String> {
        let mut lines = vec![
            "01 GANTRY-FRAME.".to_owned(),
            "05 GANTRY-RUNTIME PIC S9(18) COMP-5 OCCURS 2 TIMES.".to_owned(),
            format!("05 GANTRY-SLOT OCCURS {} TIMES.", self.slots.max(1)),
            "10 GANTRY-ADDRESS USAGE POINTER.".to_owned(),
            "10 GANTRY-VALUE PIC S9(18) COMP-5.".to_owned(),
            "10 GANTRY-SET PIC S9(9) COMP-5.".to_owned(),
            "10 FILLER PIC S9(9) COMP-5.".to_owned(),
            "01 GANTRY-NEXT PIC S9(9) COMP-5.".to_owned(),
        ];
        if self.pointer_numbers {
            let at = lines.iter().position(|line| line.starts_with("10 GANTRY-VALUE")).unwrap_or(lines.len());
            lines.insert(at, "10 GANTRY-NUMBER REDEFINES GANTRY-ADDRESS PIC S9(18) COMP-5.".to_owned());
        }
        if !self.labels.is_empty() {
            lines.push("01 GANTRY-LABEL PIC S9(9) COMP-5.".to_owned());
        }
        for (command, number) in self.long_commands.iter().zip(1..) {
            lines.push(format!("01 GANTRY-COMMAND-{number}."));
            let pieces = command.chunks(PIECE_BYTES);
            lines.extend(
                pieces.map(|piece| format!("05 FILLER PIC X({}) VALUE {}.", piece.len(), hex(piece))),
            );
        }
        lines
    }
}

impl Translator<'_> {
    /// Reports labels that are not paragraphs or sections of their program.
    pub(super) fn check_labels(&mut self, regions: &[Region], frames: &[Frame]) {
        let mut known = HashSet::new();
        for (at, region) in regions.iter().enumerate().skip(1) {
            let Region::Code(unit) = *region else { continue };
            let Some(after) = self.tokens.get(at + 1) else { continue };
            let heads = after.kind == TokenKind::Period || after.is("SECTION");
            if heads && !frames[unit].labels.is_empty() && self.tokens[at - 1].kind == TokenKind::Period {
                known.insert((unit, self.tokens[at].text.to_ascii_uppercase()));
            }
        }
        for (unit, frame) in frames.iter().enumerate() {
            for label in &frame.labels {
                if !known.contains(&(unit, label.name.to_ascii_uppercase())) {
                    let message = format!("{} is not a paragraph or section of the program", label.name);
                    self.error(codes::UNKNOWN_LABEL, label.token..label.token + 1, (message, None));
                }
            }
        }
    }

    /// Inserts the declarations that a program needs.
    pub(super) fn declare(&mut self, index: usize, units: &[Unit], frame: &Frame, mut own: Own, data: &Data) {
        let unit = &units[index];
        let Some(procedure) = &unit.procedure else { return };
        let missing: Vec<&str> =
            [EIB, COMMAREA].into_iter().filter(|record| data.declared(index, record).is_none()).collect();
        if unit.parent.is_none() {
            self.parameters(procedure);
            if unit.has_nested {
                own.storage.extend(
                    [EIB, COMMAREA].map(|record| format!("01 {} USAGE POINTER GLOBAL.", pointer(record))),
                );
            }
        }
        let mut linkage: Vec<String> = missing.iter().flat_map(|record| entries_of(record)).collect();
        linkage.append(&mut own.linkage);
        self.insert(unit, procedure, own.storage, linkage);
        self.share(unit, procedure, &missing, own.first);
        let mut section = frame.section();
        if !section.is_empty() {
            let last = &self.tokens[procedure.last];
            if last.kind != TokenKind::Period {
                section.insert(0, ".".to_owned());
            }
            let at = last.span.end;
            self.edits.push(added(at, section));
        }
    }

    /// Inserts the declarations that the statements of a program without CICS need.
    pub(super) fn declare_own(&mut self, unit: &Unit, own: Own) {
        if let Some(procedure) = &unit.procedure {
            self.insert(unit, procedure, own.storage, own.linkage);
            if unit.parent.is_some() {
                self.share(unit, procedure, &[], own.first);
            }
        }
    }

    /// Lets nested programs see the records of the outermost one. They have records of their own at the same
    /// address, because GnuCOBOL 3.1 cannot compile the use of a GLOBAL record of a LINKAGE SECTION in a
    /// nested program.
    fn share(&mut self, unit: &Unit, procedure: &Procedure, missing: &[&str], first: Vec<String>) {
        let lines: Vec<String> = match unit.parent {
            None if unit.has_nested => [EIB, COMMAREA]
                .map(|record| format!("SET {} TO ADDRESS OF {record}.", pointer(record)))
                .into(),
            None => return,
            Some(_) => missing
                .iter()
                .map(|record| format!("SET ADDRESS OF {record} TO {}.", pointer(record)))
                .chain(first.into_iter().map(|statement| format!("{statement}.")))
                .collect(),
        };
        // DECLARATIVES must come first.
        let is = |at: usize, word: &str| self.tokens.get(at).is_some_and(|token| token.is(word));
        let mut last = procedure.period;
        if is(last + 1, "DECLARATIVES") {
            let end = (last..procedure.last).find(|at| is(*at, "END") && is(*at + 1, "DECLARATIVES"));
            last = end.map_or(last, |end| end + 2);
        }
        if let Some(token) = self.tokens.get(last).filter(|_| !lines.is_empty()) {
            let at = token.span.end;
            self.edits.push(added(at, lines));
        }
    }

    /// Makes DFHEIBLK and DFHCOMMAREA the first parameters.
    fn parameters(&mut self, procedure: &Procedure) {
        let heading = procedure.heading + 1;
        let using = &self.tokens[heading + 1..procedure.period.max(heading + 1).min(self.tokens.len())];
        let noise = ["BY", "REFERENCE"];
        let names: Vec<_> = using.iter().skip_while(|token| !token.is("USING")).skip(1).collect();
        let mut parameters = names.iter().skip_while(|token| token.is_any(&noise));
        let first = parameters.next();
        let (at, text) = match first {
            Some(first) if first.is(EIB) => return,
            Some(_) => {
                let has_commarea = names.iter().any(|token| token.is(COMMAREA));
                let text = if has_commarea { format!("{EIB} ") } else { format!("{EIB} {COMMAREA} ") };
                (names[0].span.start, text)
            }
            None => (self.tokens[heading].span.end, format!(" USING {EIB} {COMMAREA}")),
        };
        self.edits.push(Edit::inline(at..at, text));
    }

    /// Inserts entries into the two sections. Missing headings are added.
    fn insert(&mut self, unit: &Unit, procedure: &Procedure, storage: Vec<String>, linkage: Vec<String>) {
        let after = |token: usize| self.tokens.get(token - 1).map_or(0, |token| token.span.end);
        let before = |token: usize| self.tokens[token].span.start;
        let mut inserts: Vec<(usize, Vec<String>)> = Vec::new();
        let mut needs_division = unit.data_division.is_none();
        let sections = [
            ("WORKING-STORAGE SECTION.", storage, unit.working_storage, unit.after_working_storage),
            ("LINKAGE SECTION.", linkage, unit.linkage, unit.after_linkage),
        ];
        for (heading, entries, section, next) in sections {
            if entries.is_empty() {
                continue;
            }
            let at = match section {
                Some(section) => after(section),
                None => before(next.unwrap_or(procedure.heading)),
            };
            let mut lines = Vec::new();
            if std::mem::take(&mut needs_division) {
                lines.push("DATA DIVISION.".to_owned());
            }
            if section.is_none() {
                lines.push(heading.to_owned());
            }
            lines.extend(entries);
            match inserts.last_mut().filter(|last| last.0 == at) {
                Some(last) => last.1.extend(lines),
                None => inserts.push((at, lines)),
            }
        }
        self.edits.extend(inserts.into_iter().map(|(at, lines)| added(at, lines)));
    }
}

/// The entries of a record that a program does not declare.
fn entries_of(record: &str) -> Vec<String> {
    if record == COMMAREA {
        return vec![format!("01 {COMMAREA} PIC X.")];
    }
    let text = DFHEIBLK.lines().filter(|line| !line.trim_start().starts_with('*'));
    text.map(|line| line.trim().to_owned()).collect()
}

/// The pointer that nested programs use to find a record of the outermost one.
fn pointer(record: &str) -> String {
    format!("GANTRY-{record}")
}

/// Added lines at a place of the text.
fn added(at: usize, lines: Vec<String>) -> Edit {
    let lines = lines.into_iter().zip(1..).map(|(line, number)| (Origin::Added(ADDED, number), line));
    Edit::lines(at..at, lines.collect())
}
