//! Translates a program with EXEC CICS commands into one that GnuCOBOL 3 compiles.
//!
//! [`copybook::ProgramText`] carries out COPY and REPLACE, takes columns and comments away, and knows where
//! every byte came from. Then these passes work on the text:
//!
//! - `units` finds programs and their divisions.
//! - `blocks` finds the EXEC blocks.
//! - `command` reads a block by the table in [`crate::commands`].
//! - `rules` checks the command.
//! - `emit` writes the command as COBOL.
//! - `calls` handles CALL statements, and `names` the names of programs.
//! - `obsolete` handles words for old compilers, `periods` missing periods, and `stop_run` STOP RUN.
//! - `xml_parse` makes a loop of XML PARSE.
//! - `missing` handles statements that GnuCOBOL does not have, `message_queue` calls of IBM MQ, `byte_order`
//!   COMP-5.
//! - `records` finds records, `varying` groups with tables DEPENDING ON an item, `moves` each MOVE to such a group,
//!   `receivers` other statements that receive in one.
//! - `native` handles input and output of COBOL itself.
//! - `plain` finds programs that do not use CICS.
//! - `synchronized` writes slack bytes as FILLER.
//! - `pointers` warns of items of 4 bytes over an address.
//! - `frame` inserts the declarations that a program needs.
//! - `output` puts the text together, with the line that everything came from.
//!
//! The output has the form of cobc's own preprocessor, with `#line` for every place. So cobc's messages name
//! the user's files and lines, and those of members.
//!
//! A command becomes a call with two addresses. The first is the program's frame, whose slots hold addresses
//! and numbers of the arguments. The second is a constant with the command and the meaning of its slots.
//! COBOL converts between its own types and those of the slots, because COBOL knows them. The translator does
//! all checks before. The table is Rust, and the runtime uses the same.
//!
//! # Questions
//!
//! **Why is a HANDLE label reached through a section at the program's end?** Any command may lead to any
//! label of its program. A list of all labels after every command grows with the product of both counts. With
//! one section it only grows with their sum. A program that reaches the section at its end runs through it,
//! because the number is then 0.
//!
//! **Why does a translated program end in `.i`?** Only text that counts as preprocessed may carry `#line`.
//! Only with `#line` can cobc name the user's own lines, in messages and at run time. Keeping the count of
//! lines would be enough for the program, but not for its members.

mod blocks;
mod byte_order;
mod calls;
mod codes;
mod command;
mod data;
mod emit;
mod frame;
mod literals;
mod message_queue;
mod missing;
mod moves;
mod names;
mod native;
mod obsolete;
mod output;
mod periods;
mod plain;
mod pointers;
mod receivers;
mod records;
mod rules;
mod stop_run;
mod synchronized;
mod units;
mod varying;
mod xml_parse;

use std::ops::Range;

use copybook::{
    Code, Diagnostic, Format, Library, Options, ProgramText, Severity, SourceFile, Token, TokenKind,
};

use crate::OwnMembers;
use blocks::{Block, Language};
pub use codes::CODES;
use frame::{Frame, Own};
use output::Edit;
use records::Record;
use units::{Region, Units};

/// The warning of JSON GENERATE. If the compiler has no JSON library, its caller must refuse the program.
pub const NEEDS_JSON: Code = codes::NO_JSON;

/// The error of EXEC SQL without a precompiler.
pub const SQL: Code = codes::SQL;

/// The most labels that one program may name in HANDLE commands.
pub const LABELS_MAX: usize = 1_000;

/// The most errors of the translator that are reported; reading a text reports [`copybook::MAX_DIAGNOSTICS`] more.
pub const FINDINGS_MAX: usize = 200;

/// The settings of a translation.
#[derive(Clone, Copy, Default)]
pub struct Settings<'s> {
    /// Columns.
    pub format: Format,
    /// The precompiler for EXEC SQL blocks. Without it they are errors.
    pub sql: Option<&'s dyn SqlPrecompiler>,
    /// The treatment of commands that need a terminal.
    pub terminal: TerminalCommands,
    /// The name of the program, like that of a load module on a mainframe. It overrides PROGRAM-ID.
    pub name: Option<&'s str>,
    /// The names that a CALL may have, besides the programs of this text and those in
    /// [`reachable`](crate::reachable). Without a list, any name may be called.
    pub callable: Option<&'s [String]>,
}

/// The treatment of commands that need a terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TerminalCommands {
    /// They are errors.
    #[default]
    Refuse,
    /// They are translated with a warning, and raise INVREQ when they run, as in a program that another
    /// region has linked to. This is for programs that use a terminal only if no other program has linked to
    /// them.
    FailAtRunTime,
}

/// Turns EXEC SQL blocks into COBOL.
pub trait SqlPrecompiler {
    /// Its name, for messages.
    fn name(&self) -> &str;

    /// The COBOL in place of a block: statements in the PROCEDURE DIVISION, whole entries in the DATA
    /// DIVISION, where the period after END-EXEC is replaced too. INCLUDE never gets here, because members
    /// are copied earlier.
    ///
    /// # Errors
    /// The fault of the block, in words that complete "the precompiler says: ".
    fn translate(&self, block: &SqlBlock<'_>) -> Result<String, String>;
}

/// An EXEC SQL block.
#[derive(Clone, Copy, Debug)]
pub struct SqlBlock<'b> {
    /// The text between EXEC SQL and END-EXEC, with its line ends.
    pub text: &'b str,
    /// True in the PROCEDURE DIVISION.
    pub code: bool,
}

/// A translated program.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The text in the form of cobc's preprocessor: free columns, with `#line` lines. Compile it from a file
    /// whose name ends in `.i`: this tells cobc that it is preprocessed.
    pub text: String,
    /// The names of the programs in it, the nested ones too, in capitals.
    pub programs: Vec<String>,
    /// The files of the text; the program itself is first.
    pub files: Vec<SourceFile>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

/// Translates a program. `member` names it in findings and in the text; `library` gives the members that it
/// copies. If it lacks CEEIGZCT, DFH0CFIL, DFHAID, DFHBMSCA, DFHEIBLK, SQLCA or SQLDA, our own are used.
///
/// # Errors
/// All faults of the program, in the order of the files.
pub fn translate(
    member: &str,
    text: &str,
    settings: &Settings<'_>,
    library: &dyn Library,
) -> Result<Translation, Vec<Diagnostic>> {
    let options = Options { format: settings.format, ..Options::default() };
    let program = ProgramText::read(member, text, &options, &OwnMembers(library));
    let tokens = program.tokens();
    let mut translator = Translator {
        program: &program,
        tokens: &tokens,
        settings,
        findings: program.findings().to_vec(),
        errors: 0,
        edits: Vec::new(),
    };
    let mut units = units::find(&tokens);
    translator.run(&mut units);
    let Translator { mut findings, edits, .. } = translator;
    findings.sort_by_key(|finding| (finding.place.file, finding.place.line, finding.place.column));
    if findings.iter().any(|finding| finding.severity == Severity::Error) {
        return Err(findings);
    }
    let text = output::write(&program, edits);
    let programs =
        units.programs.iter().map(|unit| unit.name.clone()).filter(|name| !name.is_empty()).collect();
    Ok(Translation { text, programs, files: program.files(), warnings: findings })
}

/// The data that the passes share.
struct Translator<'t> {
    program: &'t ProgramText,
    tokens: &'t [Token<'t>],
    settings: &'t Settings<'t>,
    findings: Vec<Diagnostic>,
    /// The number of errors of the translator among the findings.
    errors: usize,
    edits: Vec<Edit>,
}

/// A finding's text: the fault, and the way to mend it.
type Message = (String, Option<String>);

impl Translator<'_> {
    fn run(&mut self, units: &mut Units) {
        let records = self.records(&units.regions);
        self.adapt(units, &records);
        let blocks = self.blocks(&units.regions);
        let mut substitutes = self.replace_functions(&blocks);
        let parses = self.find_xml_parses(units, &blocks, &mut substitutes);
        let data = data::read(self.tokens, &units.regions);
        self.check_characters(&units.regions);
        self.warn_of_debugging_lines(&units.regions);
        self.warn_of_short_addresses(&units.regions);
        let mut frames = vec![Frame::default(); units.programs.len()];
        parses.programs().for_each(|unit| frames[unit].used = true);
        let mut commands = Vec::new();
        for block in &blocks {
            if self.is_full() {
                return;
            }
            match (block.language, block.unit_code) {
                (Language::Sql, _) => self.sql(block),
                (Language::Cics, Some(unit)) => {
                    if let Some(parsed) = self.command(block) {
                        let labelled = self.labelled(parsed, &mut frames[unit]);
                        commands.push((block, unit, labelled));
                    }
                }
                (Language::Cics, None) => {
                    let message = "EXEC CICS stands outside of a PROCEDURE DIVISION".to_owned();
                    self.error(codes::MISPLACED, block.first..block.first + 2, (message, None));
                }
            }
        }
        self.check_labels(&units.regions, &frames);
        self.refuse_missing_statements(&units.regions);
        self.refuse_data_outside_of_its_division(units);
        self.warn_of_message_queues(&units.regions);
        self.warn_of_own_input_and_output(&units.regions, &blocks);
        self.replace_stop_run(&units.regions, &mut frames);
        let groups = self.varying_groups(&records);
        self.move_whole_groups(&units.regions, &blocks, &groups);
        self.receive_whole_groups(&units.regions, &blocks, &groups);
        let calls = self.find_calls(&units.regions, &blocks, &mut frames);
        for (call, unit) in calls {
            self.check_called(call, &units.programs);
            self.after_call(call, &frames[unit]);
        }
        let context = emit::Context { substitutes: &substitutes, data: &data, groups: &groups };
        self.write_xml_parses(&parses, &blocks, &context, &frames);
        // Commands are written when all labels of their program are known, because any command may lead to
        // any label.
        for (block, unit, labelled) in &commands {
            self.emit(block, labelled, &context, &mut frames[*unit]);
        }
        let plain = plain::find(self.tokens, units, &blocks);
        for (index, frame) in frames.iter().enumerate() {
            let mut own = Own { storage: parses.storage(index), ..Own::default() };
            if frame.used {
                own.storage.extend(frame.entries());
            }
            own.linkage = parses.linkage(index);
            own.first = parses.addresses(index);
            match plain[index] {
                true => self.declare_own(&units.programs[index], own),
                false => self.declare(index, &units.programs, frame, own, &data),
            }
        }
    }

    /// Changes the parts of the source that GnuCOBOL reads otherwise, or not at all.
    fn adapt(&mut self, units: &mut Units, records: &[Record]) {
        self.drop_comment_paragraphs(&units.regions);
        self.assume_periods(&units.regions);
        self.keep_byte_order(&units.regions);
        self.place_synchronized(records);
        self.drop_date_formats(&units.regions);
        self.drop_obsolete_statements(&units.regions);
        self.fold_names(units);
    }

    /// Reports an error about some tokens.
    fn error(&mut self, code: Code, tokens: Range<usize>, message: Message) {
        self.report(code, tokens, message, Severity::Error);
    }

    fn report(&mut self, code: Code, tokens: Range<usize>, message: Message, severity: Severity) {
        let (Some(first), Some(last)) =
            (self.tokens.get(tokens.start), self.tokens.get(tokens.end.max(tokens.start + 1) - 1))
        else {
            return;
        };
        // A span across files is shown where it starts.
        let span = first.span.start..last.span.end.max(first.span.end);
        // Warnings never crowd out an error, because errors decide whether there is a translation at all.
        let is_error = severity == Severity::Error;
        if !self.is_full() && (is_error || self.findings.len() < FINDINGS_MAX) {
            self.errors += usize::from(is_error);
            self.findings.push(Diagnostic { severity, ..self.program.error(code, &span, message) });
        }
    }

    /// True if the limit of findings is reached.
    fn is_full(&self) -> bool {
        self.errors >= FINDINGS_MAX
    }

    /// Text that was not UTF-8 must not reach the compiler as something else. It does no harm in comments,
    /// nor in the comment paragraphs of the IDENTIFICATION DIVISION.
    fn check_characters(&mut self, regions: &[Region]) {
        let is_lost = |(token, region): (&Token<'_>, &Region)| {
            !matches!(region, Region::Identification(_))
                && self.program.text()[token.span.clone()].contains(char::REPLACEMENT_CHARACTER)
        };
        if !self.program.text().contains(char::REPLACEMENT_CHARACTER) {
            return;
        }
        let token = self.tokens.iter().zip(regions).position(is_lost);
        if let Some(token) = token {
            let message = "expected UTF-8 text, found other bytes".to_owned();
            let help = "convert the file, or write the bytes as a hexadecimal literal".to_owned();
            self.error(codes::NOT_UTF_8, token..token + 1, (message, Some(help)));
        }
    }

    /// Lines with D in column 7 are always read as comments, whatever the program says.
    fn warn_of_debugging_lines(&mut self, regions: &[Region]) {
        let mode = self.tokens.windows(2).zip(regions).position(|(two, region)| {
            matches!(region, Region::Data(_)) && two[0].is("DEBUGGING") && two[1].is("MODE")
        });
        if let Some(at) = mode {
            let message = "WITH DEBUGGING MODE has no effect: debugging lines are left out".to_owned();
            self.report(codes::DEBUGGING_LINES, at..at + 2, (message, None), Severity::Warning);
        }
    }

    /// Passes a block to the precompiler.
    fn sql(&mut self, block: &Block) {
        let tokens = block.first..block.end;
        let Some(precompiler) = self.settings.sql else {
            let help = "name a precompiler for EXEC SQL, or call a program that has none".to_owned();
            let message = "EXEC SQL needs a precompiler, and none is configured".to_owned();
            return self.error(codes::SQL, tokens, (message, Some(help)));
        };
        let (from, to) = (self.tokens[block.first + 1].span.end, self.tokens[block.end - 1].span.start);
        let text = &self.program.text()[from..to];
        match precompiler.translate(&SqlBlock { text, code: block.unit_code.is_some() }) {
            Ok(cobol) => {
                let at = self.tokens[block.first].span.start;
                let lines = cobol.lines().map(|line| (output::Origin::Text(at), line.to_owned())).collect();
                // Entries have their own periods.
                let period = self.tokens.get(block.end).filter(|token| token.kind == TokenKind::Period);
                let last =
                    period.filter(|_| block.unit_code.is_none()).unwrap_or(&self.tokens[block.end - 1]);
                self.edits.push(Edit::lines(at..last.span.end, lines));
            }
            Err(reason) => {
                let message = format!("the precompiler {} says: {reason}", precompiler.name());
                self.error(codes::SQL, tokens, (message, None));
            }
        }
    }
}
