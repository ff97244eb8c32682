//! Finds the programs of a text, nested ones too, with the divisions and sections that matter.

use copybook::{Token, TokenKind};

/// The programs of a text.
pub(super) struct Units {
    /// In the order of their headings, so that a program comes before its nested ones.
    pub(super) programs: Vec<Unit>,
    /// The region of every token.
    pub(super) regions: Vec<Region>,
}

/// The region of a token: the program, by its index, and the part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Region {
    /// Before and after all programs.
    Outside,
    /// IDENTIFICATION DIVISION.
    Identification(usize),
    /// ENVIRONMENT and DATA DIVISION.
    Data(usize),
    /// PROCEDURE DIVISION, its heading too.
    Code(usize),
}

/// A program. All numbers are indexes of tokens.
#[derive(Debug, Default)]
pub(super) struct Unit {
    /// The program around it.
    pub(super) parent: Option<usize>,
    /// True if there are programs in it.
    pub(super) has_nested: bool,
    /// The name in PROGRAM-ID, in capitals.
    pub(super) name: String,
    /// True once the IDENTIFICATION DIVISION has ended.
    has_body: bool,
    /// The DATA DIVISION's heading.
    pub(super) data_division: Option<usize>,
    /// The token after the heading of the WORKING-STORAGE SECTION.
    pub(super) working_storage: Option<usize>,
    /// The token after the heading of the LINKAGE SECTION.
    pub(super) linkage: Option<usize>,
    /// The heading of the first section that comes after WORKING-STORAGE in COBOL's order.
    pub(super) after_working_storage: Option<usize>,
    /// The heading of the first section that comes after LINKAGE.
    pub(super) after_linkage: Option<usize>,
    /// The PROCEDURE DIVISION.
    pub(super) procedure: Option<Procedure>,
}

/// A PROCEDURE DIVISION, by indexes of tokens.
#[derive(Clone, Debug)]
pub(super) struct Procedure {
    /// The word PROCEDURE.
    pub(super) heading: usize,
    /// The period after the heading; the number of tokens if there is none.
    pub(super) period: usize,
    /// The last token of the code.
    pub(super) last: usize,
}

/// Finds the programs of a text.
pub(super) fn find(tokens: &[Token<'_>]) -> Units {
    let mut finder = Finder { tokens, units: Vec::new(), open: Vec::new(), code_ended: false };
    let mut regions = Vec::with_capacity(tokens.len());
    for at in 0..tokens.len() {
        if starts_sentence(tokens, at) {
            finder.heading(at);
        }
        let region = finder.region();
        if let Region::Code(unit) = region
            && let Some(procedure) = &mut finder.units[unit].procedure
        {
            procedure.last = at;
        }
        regions.push(region);
    }
    Units { programs: finder.units, regions }
}

struct Finder<'t> {
    tokens: &'t [Token<'t>],
    units: Vec<Unit>,
    /// The open programs, the outermost first.
    open: Vec<usize>,
    /// True after the end of a nested program. The code of the program around it ended where the nested one
    /// began.
    code_ended: bool,
}

impl Finder<'_> {
    fn region(&self) -> Region {
        match self.open.last() {
            Some(&unit) if self.units[unit].procedure.is_some() && !self.code_ended => Region::Code(unit),
            Some(_) if self.code_ended => Region::Outside,
            Some(&unit) if self.units[unit].has_body => Region::Data(unit),
            Some(&unit) => Region::Identification(unit),
            None => Region::Outside,
        }
    }

    fn heading(&mut self, at: usize) {
        let [first, second, ..] = &self.tokens[at..] else { return };
        let division = second.is("DIVISION");
        if first.is("END") && second.is("PROGRAM") {
            self.open.pop();
            self.code_ended = true;
        } else if (division && first.is_any(&["IDENTIFICATION", "ID"]))
            || (first.is("PROGRAM-ID") && !self.awaits_a_name())
        {
            self.begin();
        }
        if first.is("PROGRAM-ID") {
            self.name(at);
        } else if division && first.is_any(&["ENVIRONMENT", "DATA", "PROCEDURE"]) {
            if self.open.is_empty() {
                self.begin();
            }
            self.division(at, first);
        } else if second.is("SECTION") {
            self.section(at, first);
        }
    }

    fn begin(&mut self) {
        let parent = self.open.last().copied();
        if let Some(parent) = parent {
            self.units[parent].has_nested = true;
        }
        self.code_ended = false;
        self.open.push(self.units.len());
        self.units.push(Unit { parent, ..Unit::default() });
    }

    /// True if the newest open program has no name yet.
    fn awaits_a_name(&self) -> bool {
        let last = self.open.last().map(|unit| &self.units[*unit]);
        last.is_some_and(|unit| unit.name.is_empty() && !unit.has_body)
    }

    fn name(&mut self, at: usize) {
        let after = at + 1 + usize::from(self.is_period(at + 1));
        let name = match self.tokens.get(after).map(|token| (&token.kind, token.text)) {
            Some((TokenKind::Word, word)) => word.to_ascii_uppercase(),
            Some((TokenKind::Text(text), _)) => text.to_ascii_uppercase(),
            _ => return,
        };
        if let Some(&unit) = self.open.last() {
            self.units[unit].name = name;
        }
    }

    fn division(&mut self, at: usize, first: &Token<'_>) {
        let Some(&open) = self.open.last() else { return };
        if self.units[open].procedure.is_some() {
            return;
        }
        let period = (at..self.tokens.len()).find(|at| self.is_period(*at)).unwrap_or(self.tokens.len());
        let unit = &mut self.units[open];
        unit.has_body = true;
        if first.is("DATA") {
            unit.data_division.get_or_insert(at);
        } else if first.is("PROCEDURE") {
            unit.procedure = Some(Procedure { heading: at, period, last: at });
        }
    }

    fn section(&mut self, at: usize, first: &Token<'_>) {
        let after = at + 2 + usize::from(self.is_period(at + 2));
        let Some(&open) = self.open.last() else { return };
        let unit = &mut self.units[open];
        if unit.procedure.is_some() {
            return;
        }
        let last = first.is_any(&["COMMUNICATION", "REPORT", "SCREEN"]);
        if first.is("WORKING-STORAGE") {
            unit.working_storage.get_or_insert(after);
        } else if last || first.is_any(&["LOCAL-STORAGE", "LINKAGE"]) {
            unit.after_working_storage.get_or_insert(at);
        }
        if first.is("LINKAGE") {
            unit.linkage.get_or_insert(after);
        } else if last {
            unit.after_linkage.get_or_insert(at);
        }
    }

    fn is_period(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Period)
    }
}

/// True if a sentence may begin at a token: the first on a line, or after a period.
pub(super) fn starts_sentence(tokens: &[Token<'_>], at: usize) -> bool {
    at == 0 || tokens[at].first_on_line || tokens[at - 1].kind == TokenKind::Period
}
