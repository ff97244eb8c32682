//! A whole program in the form of COBOL's grammar, for readers of its code and not only its data.

use std::ops::Range;

use crate::codes;
use crate::expand::{self, Expanded, Refused, Scope};
use crate::files::Files;
use crate::report::Report;
use crate::source::{self, Source};
use crate::special_names::{self, Symbols};
use crate::token::{Token, TokenKind};
use crate::{
    Code, Diagnostic, Layout, Library, MAX_TEXT_BYTES, Options, Place, PointerBytes, Severity, SourceFile,
    parser, place, section, tree,
};

/// The text of a program with its members in it: columns, comments and continuation are gone, lines are separated by
/// `\n`, and COPY, `EXEC SQL INCLUDE` and REPLACE have been carried out, in the PROCEDURE DIVISION too.
///
/// ```
/// use copybook::{Member, Options, ProgramText};
///
/// let library = |member: &str, _library: Option<&str>| match member {
///     "STOP" => Ok(Member { name: "STOP.cpy".into(), text: "           GOBACK.\n".into() }),
///     _ => Err("it is not there".to_owned()),
/// };
/// let text = "       PROCEDURE DIVISION.\n           COPY STOP.\n";
/// let program = ProgramText::read("P.cbl", text, &Options::default(), &library);
/// let tokens = program.tokens();
/// let goback = tokens.iter().find(|token| token.is("GOBACK")).expect("the member's statement");
/// let place = program.place(&goback.span);
/// assert_eq!((program.files()[place.file].name.as_str(), place.line, place.column), ("STOP.cpy", 1, 12));
/// ```
pub struct ProgramText {
    source: Source,
    files: Files,
    decimal_comma: bool,
    findings: Vec<Diagnostic>,
}

impl ProgramText {
    /// Reads a program. `member` names it in findings; `library` gives the members that it copies. Of the
    /// options, only the format and the decimal comma count.
    ///
    /// A fault does not end the reading. It goes to [`findings`](Self::findings), so that the findings of
    /// other passes can be shown with it.
    pub fn read(member: &str, text: &str, options: &Options, library: &dyn Library) -> Self {
        let fits = text.len() <= MAX_TEXT_BYTES;
        let mut report = Report::new(Files::new(member, if fits { text } else { "" }));
        if !fits {
            let message = format!("expected at most {MAX_TEXT_BYTES} bytes of text, found {}", text.len());
            report.error(codes::TEXT_TOO_LONG, &(0..0), message);
        }
        let source = source::read(0, options.format, &mut report);
        let scope = Scope { format: options.format, library: Some(library), code: true };
        let Expanded { source, refused } = expand::expand(source, scope, &mut report);
        let (tokens, symbols) = crate::tokens(&source, options);
        report_refused(refused, &tokens, &source, &mut report);
        let decimal_comma = symbols.decimal_comma;
        let (files, findings) = report.into_parts();
        ProgramText { source, files, decimal_comma, findings }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.source.text
    }

    /// The text's tokens.
    pub fn tokens(&self) -> Vec<Token<'_>> {
        crate::token::tokens(&self.source.text, self.decimal_comma)
    }

    /// The origin of a span of the text.
    pub fn place(&self, span: &Range<usize>) -> Place {
        self.files.place(&self.source.original(span.clone()))
    }

    /// The files of the text: the program, then a member for each COPY statement.
    pub fn files(&self) -> Vec<SourceFile> {
        self.files.listing()
    }

    /// The name of the file with a position of the text.
    pub fn file_name(&self, position: usize) -> &str {
        self.files.name(self.source.original(position..position + 1).start)
    }

    /// The layout of one record: the entries in a range of [`tokens`](Self::tokens), from a level 01 or 77 on. None if an entry
    /// has a fault.
    pub fn record(
        &self,
        tokens: &[Token<'_>],
        range: Range<usize>,
        pointer_bytes: PointerBytes,
    ) -> Option<Layout> {
        let mut report = Report::new(self.files.clone());
        let currencies = special_names::currencies(tokens);
        let symbols = Symbols { decimal_comma: self.decimal_comma, currencies };
        let mut refused = Refused::default();
        let mut entries = parser::entries(&tokens[range], &self.source, symbols, &mut refused, &mut report);
        // The record that the root redefines is outside of the range. It does not change a place.
        entries.first_mut()?.redefines = None;
        let elsewhere = section::declared(tokens);
        let mut layouts: Vec<Layout> = tree::records("", &entries, &mut report)
            .into_iter()
            .map(|record| place::layout(record, pointer_bytes, &elsewhere, &mut report))
            .collect();
        let layout = layouts.pop()?;
        (layouts.is_empty() && !report.has_errors()).then_some(layout)
    }

    /// The findings of the reading, in the order of the files.
    pub fn findings(&self) -> &[Diagnostic] {
        &self.findings
    }

    /// A finding about a span of the text, for another pass.
    pub fn error(
        &self,
        code: Code,
        span: &Range<usize>,
        (message, help): (String, Option<String>),
    ) -> Diagnostic {
        let file = self.file_name(span.start).to_owned();
        let place = self.place(span);
        Diagnostic { code: code.id, severity: Severity::Error, file, place, message, help }
    }
}

/// Reports statements that could not be carried out. Those before the first division with code or data are
/// words of comments (AUTHOR, REMARKS).
fn report_refused(refused: Refused, tokens: &[Token<'_>], source: &Source, report: &mut Report) {
    let divisions = ["ENVIRONMENT", "DATA", "PROCEDURE"];
    let heading = tokens
        .windows(2)
        .find(|two| two[0].is_any(&divisions) && two[1].is("DIVISION") && two[0].first_on_line);
    let comments_end = heading.map_or(0, |two| source.original(two[0].span.clone()).start);
    for (position, refusal) in refused.into_all() {
        if position >= comments_end {
            report.error_with_help(refusal.code, &refusal.span, refusal.message, refusal.help);
        }
    }
    let first_bad = tokens.iter().find(|token| matches!(token.kind, TokenKind::BadLiteral(_)));
    if let Some(token) = first_bad
        && let TokenKind::BadLiteral(message) = &token.kind
    {
        let span = source.original(token.span.clone());
        // Comments may have a single quote: "JOHN O'BRIEN".
        if span.start >= comments_end {
            report.error(codes::BAD_LITERAL, &span, message.clone());
        }
    }
}
