//! Input and output of COBOL itself. Programs under CICS must not use them: a worker cannot open files and
//! has no input. The unit of work does not back out such output.

use std::collections::{HashMap, HashSet};

use copybook::{Severity, Token, TokenKind};

use super::Translator;
use super::blocks::{Block, outside_of_blocks};
use super::calls::ends_statement;
use super::codes;
use super::units::Region;

/// The sources that ACCEPT may have: the system's date and time, as under CICS.
const CLOCK: &[&str] = &["DATE", "DAY", "DAY-OF-WEEK", "TIME"];

/// Devices of DISPLAY that lead to the log, like DISPLAY without UPON.
const LOG: &[&str] = &["SYSOUT", "SYSOU", "SYSLST", "SYSLIST", "SYSERR"];

/// Devices whose text goes to the log here, but to another place on the mainframe.
const CONSOLE: &[&str] = &["CONSOLE", "PRINTER"];

/// Devices whose text is lost.
const LOST: &[&str] = &["SYSPUNCH", "SYSPCH"];

impl Translator<'_> {
    /// Warns of files, ACCEPT, DISPLAY UPON and STOP.
    pub(super) fn warn_of_own_input_and_output(&mut self, regions: &[Region], blocks: &[Block]) {
        let names = Names::of(self.tokens, regions);
        for (at, region) in outside_of_blocks(regions, blocks) {
            match region {
                Region::Data(_) => self.warn_of_file(at, &names),
                Region::Code(_) => self.warn_of_statement(at, &names),
                Region::Outside | Region::Identification(_) => {}
            }
        }
    }

    /// Warns of a file, at its SELECT. Files that only SORT uses (SD) are allowed.
    fn warn_of_file(&mut self, at: usize, names: &Names<'_>) {
        if !self.tokens[at].is("SELECT") {
            return;
        }
        let name = at + 1 + usize::from(self.tokens.get(at + 1).is_some_and(|token| token.is("OPTIONAL")));
        let [file, assign, ..] = &self.tokens[name.min(self.tokens.len())..] else { return };
        if file.kind != TokenKind::Word || !assign.is("ASSIGN") {
            return;
        }
        let file = file.text;
        if !names.sorted.contains(&file.to_ascii_uppercase()) {
            let message = format!(
                "the file {file} is COBOL's own: its OPEN fails here, and it is outside of the unit of work"
            );
            let help =
                "define it as [[region.file]], and use EXEC CICS READ, WRITE, REWRITE, DELETE, STARTBR";
            self.report(codes::OWN_FILE, at..name + 1, (message, Some(help.to_owned())), Severity::Warning);
        }
    }

    fn warn_of_statement(&mut self, at: usize, names: &Names<'_>) {
        let (message, help) = match () {
            () if self.tokens[at].is("ACCEPT") => match self.after(at, "FROM").map(|from| &self.tokens[from])
            {
                Some(from) if from.is_any(CLOCK) => return,
                _ => (
                    "ACCEPT gets nothing: programs of a region have no input".to_owned(),
                    "take the data from the commarea, a container or RETRIEVE",
                ),
            },
            () if self.tokens[at].is("DISPLAY") => {
                let Some(upon) = self.after(at, "UPON") else { return };
                let written = self.tokens[upon].text;
                let device = names.devices.get(&written.to_ascii_uppercase()).copied().unwrap_or(written);
                let is_one =
                    |devices: &[&str]| devices.iter().any(|known| device.eq_ignore_ascii_case(known));
                match () {
                    () if is_one(LOG) => return,
                    () if is_one(CONSOLE) => (
                        format!("CICS has no DISPLAY UPON {written}: the text goes to the gateway's log"),
                        "use EXEC CICS WRITE OPERATOR, or DISPLAY without UPON",
                    ),
                    () => (
                        format!("CICS has no DISPLAY UPON {written}: the text may be lost"),
                        "use DISPLAY without UPON, or EXEC CICS WRITEQ TD",
                    ),
                }
            }
            () if self.tokens[at].is("STOP") => match self.tokens.get(at + 1) {
                Some(next) if next.is("RUN") && self.stops_with_code(at) => (
                    "STOP RUN with a return code ends the task with an abend".to_owned(),
                    "set a field of the commarea, and use EXEC CICS RETURN, or EXEC CICS ABEND",
                ),
                Some(next) if next.kind != TokenKind::Word => (
                    "CICS has no STOP with a literal: nobody can answer".to_owned(),
                    "use EXEC CICS WRITE OPERATOR",
                ),
                _ => return,
            },
            () => return,
        };
        self.report(codes::OWN_IO, at..at + 1, (message, Some(help.to_owned())), Severity::Warning);
    }

    /// True if a STOP RUN has a return code: in words, or as a number alone.
    pub(super) fn stops_with_code(&self, at: usize) -> bool {
        let has_code = |token: &Token<'_>| {
            token.kind == TokenKind::Number || token.is_any(&["RETURNING", "GIVING", "WITH"])
        };
        self.tokens.get(at + 2).is_some_and(has_code)
    }

    /// The token behind a word of the statement that begins at a token.
    fn after(&self, statement: usize, word: &str) -> Option<usize> {
        let ends = |token: &Token<'_>| token.kind == TokenKind::Period || ends_statement(token);
        let rest = &self.tokens[statement + 1..];
        let place = rest.iter().take_while(|token| !ends(token)).position(|token| token.is(word))?;
        let behind = statement + 1 + place + 1;
        (behind < self.tokens.len()).then_some(behind)
    }
}

/// Names in the data divisions of the programs, in capitals.
#[derive(Default)]
struct Names<'t> {
    /// The files of SORT.
    sorted: HashSet<String>,
    /// The devices by their names in SPECIAL-NAMES.
    devices: HashMap<String, &'t str>,
}

impl<'t> Names<'t> {
    fn of(tokens: &'t [Token<'t>], regions: &[Region]) -> Self {
        let mut names = Self::default();
        for (at, region) in regions.iter().enumerate() {
            let [first, second, rest @ ..] = &tokens[at..] else { break };
            if !matches!(region, Region::Data(_)) {
                continue;
            }
            if first.is("SD") {
                names.sorted.insert(second.text.to_ascii_uppercase());
            } else if first.is_any(LOG) || first.is_any(CONSOLE) || first.is_any(LOST) {
                let name = if second.is("IS") { rest.first() } else { Some(second) };
                let name = name.filter(|name| name.kind == TokenKind::Word);
                names.devices.extend(name.map(|name| (name.text.to_ascii_uppercase(), first.text)));
            }
        }
        names
    }
}
