//! The kind of a source line (code, a continuation or nothing), and the columns of it that count.

use std::ops::Range;

use super::format;
use crate::Format;
use crate::codes::{self, Code};

/// The last column of the text area in fixed format.
pub(super) const LAST_TEXT_COLUMN: usize = 72;
/// The column of the indicator in fixed format.
const INDICATOR_COLUMN: usize = 7;
/// The columns of a sequence number.
const SEQUENCE_CHARACTERS: usize = 6;
/// Tabs lead to the next column after a multiple of this number.
const TAB_COLUMNS: usize = 8;

/// A line, with spans in bytes of the line.
pub(super) enum Line {
    /// Blank, a comment, or a statement to the compiler's listing.
    Nothing,
    /// Text of COBOL. `cut`: a period stands after column 72.
    Code { text: Range<usize>, cut: bool, warning: Option<Remark> },
    /// Text that continues the line before.
    Continuation { text: Range<usize>, cut: bool },
    /// A directive: the lines below are in this format.
    Format(Format),
}

/// The fault of a line, or a warning about it.
pub(super) struct Remark {
    pub(super) code: Code,
    pub(super) span: Range<usize>,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

/// The code before a line.
#[derive(Clone, Copy)]
pub(super) struct Before {
    /// Code, so that no compiler options can follow.
    pub(super) started: bool,
    pub(super) sentence: Sentence,
}

/// The sentence that the lines so far leave open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Sentence {
    /// A period came last, or nothing.
    #[default]
    None,
    /// It begins with a level number.
    Entry,
    /// It begins with a word: statements, or headings.
    Other,
}

impl Sentence {
    /// The sentence that is open after one more piece of code.
    pub(super) fn after(self, code: &str) -> Self {
        let code = code.trim();
        let ends = |at: usize| code[at + 1..].chars().next().is_none_or(char::is_whitespace);
        let last = code.rmatch_indices('.').map(|(at, _)| at).find(|at| ends(*at));
        let open = last.map_or(code, |at| code[at + 1..].trim_start());
        match (open.split_whitespace().next(), last) {
            (None, None) => self,
            (None, Some(_)) => Self::None,
            (Some(_), None) if self != Self::None => self,
            (Some(word), _) if word.bytes().all(|byte| byte.is_ascii_digit()) => Self::Entry,
            (Some(_), _) => Self::Other,
        }
    }
}

/// Decides the kind of a line.
pub(super) fn classify(line: &str, format: Format, before: Before) -> Result<Line, Remark> {
    let content = line.trim();
    if content.is_empty() || (!before.started && is_compiler_options(line)) {
        return Ok(Line::Nothing);
    }
    if is_directive(content) {
        return directive(line, content);
    }
    if includes_member(line) {
        return Ok(Line::Code { text: 0..line.trim_end().len(), cut: false, warning: None });
    }
    match format {
        Format::Free => Ok(free(line, content, before.sentence)),
        Format::Fixed | Format::Auto => fixed(line, before.sentence),
    }
}

/// True for `END PROGRAM`: the next program of the file may have compiler options of its own.
pub(super) fn ends_program(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let mut is_next = |word: &str| words.next().is_some_and(|next| next.eq_ignore_ascii_case(word));
    is_next("END") && is_next("PROGRAM")
}

/// CBL and PROCESS statements, which may begin in any column and come before a program.
///
/// A sequence number before them has six characters, the first of them a digit (Enterprise COBOL Programming Guide, "Specifying compiler
/// options with the PROCESS (CBL) statement").
fn is_compiler_options(line: &str) -> bool {
    let numbered = line.starts_with(|c: char| c.is_ascii_digit());
    let after = line.char_indices().nth(SEQUENCE_CHARACTERS).map_or("", |(at, _)| &line[at..]);
    let line = if numbered { after.trim_start_matches(|c: char| c.is_ascii_digit()) } else { line };
    let word = line.split_whitespace().next().unwrap_or("");
    word.eq_ignore_ascii_case("CBL") || word.eq_ignore_ascii_case("PROCESS")
}

/// Statements of library managers, which begin in column 1 whatever the format.
fn includes_member(line: &str) -> bool {
    let word = line.split([' ', '\t']).next().unwrap_or("");
    word.eq_ignore_ascii_case("-INC") || word.eq_ignore_ascii_case("++INCLUDE")
}

/// True for a directive: `>>` begins one of the standard, `$` one of Micro Focus.
pub(super) fn is_directive(content: &str) -> bool {
    let word = content.split_whitespace().next().unwrap_or("");
    let foreign = ["$SET", "$IF", "$ELIF", "$ELSE", "$END", "$DISPLAY", "$REGION", "$END-REGION"];
    content.starts_with(">>") || foreign.iter().any(|name| name.eq_ignore_ascii_case(word))
}

/// Directives for the source format are obeyed. Those about listings and code are ignored. Those that change
/// the text are refused.
fn directive(line: &str, content: &str) -> Result<Line, Remark> {
    const HARMLESS: &[&str] = &[
        "PAGE",
        "LISTING",
        "TURN",
        "CALLINTERFACE",
        "CALL-CONVENTION",
        "FLAG-02",
        "FLAG-85",
        "INLINE",
        "JAVA-CALLABLE",
        "JAVA-SHAREABLE",
        "LEAP-SECOND",
        "PROPAGATE",
        "$SET",
        "$REGION",
        "$END-REGION",
    ];
    // IF and DEFINE are carried out earlier.
    const CONDITIONAL: &[&str] = &["EVALUATE", "WHEN", "END-EVALUATE"];
    if let Some(format) = format::stated(content) {
        return Ok(Line::Format(format));
    }
    let upper = content.to_ascii_uppercase();
    let name = upper.trim_start_matches('>').split_whitespace().next().unwrap_or("");
    if HARMLESS.contains(&name) {
        return Ok(Line::Nothing);
    }
    let start = line.len() - line.trim_start().len();
    let (reason, help) = match name {
        name if CONDITIONAL.contains(&name) => {
            ("which lines count is decided by compiler options", "give the text without the lines left out")
        }
        "SOURCE" => ("the source format is neither FIXED nor FREE", "give the text in one of these formats"),
        _ => ("it may change the text", "give the text as it is after the directive was carried out"),
    };
    let shown = if name.starts_with('$') { name.to_owned() } else { format!(">>{name}") };
    Err(Remark {
        code: codes::DIRECTIVE,
        span: start..start + content.len(),
        message: format!("the directive {shown} is not supported: {reason}"),
        help: Some(help.to_owned()),
    })
}

/// In free format no sentence and no clause of an entry begins with `*` or `/`, so fixed-format comments are
/// recognized there too. Within a statement these signs multiply and divide.
fn free(line: &str, content: &str, sentence: Sentence) -> Line {
    let operates = sentence == Sentence::Other && !content.starts_with("*>");
    if (content.starts_with(['*', '/']) && !operates) || is_listing_statement(content) {
        return Line::Nothing;
    }
    let start = line.len() - line.trim_start().len();
    Line::Code { text: start..line.trim_end().len(), cut: false, warning: None }
}

fn fixed(line: &str, sentence: Sentence) -> Result<Line, Remark> {
    // A form feed is a page break of a printed listing, and takes no column.
    let fed = line.len() - line.trim_start_matches('\u{c}').len();
    let cells = Cells::of(&line[fed..], fed);
    let text = cells.text.clone();
    let content = line[text.clone()].trim();
    let cut = line[text.end..].split_whitespace().any(|word| word.ends_with('.'));
    // Editors without columns often leave remarks that begin in column 1. A change mark (`*CR12 `) is not a
    // remark.
    if line.starts_with("* ") || line.starts_with("**") {
        let is_mark =
            cells.indicator == ' ' && line[..cells.indicator_at].trim_start_matches('*').trim().is_empty();
        if !is_mark || !format::begins_code(content) {
            return Ok(Line::Nothing);
        }
        let warning = Some(starred_code(&cells));
        return Ok(Line::Code { text, cut, warning });
    }
    match cells.indicator {
        '*' | '/' | 'D' | 'd' => Ok(Line::Nothing),
        ' ' | '-' if content.is_empty() || is_listing_statement(content) || content.starts_with("*>") => {
            Ok(Line::Nothing)
        }
        '-' => Ok(Line::Continuation { text, cut }),
        // No sentence begins so. IBM's compiler expects the `*` of a comment in column 7.
        ' ' if sentence == Sentence::None && content.starts_with('*') => Ok(Line::Nothing),
        ' ' => Ok(Line::Code { warning: lost_text(line, &cells), text, cut }),
        _ if cells.numbered_or_blank && format::begins_code(&line[cells.indicator_at..]) => {
            Ok(early_code(cells, cut))
        }
        _ if line.starts_with('*') => Ok(Line::Nothing),
        other => Err(Remark {
            code: codes::BAD_INDICATOR,
            span: cells.indicator_at..cells.indicator_at + other.len_utf8(),
            message: format!("column 7 holds '{other}'; expected a blank, '*', '/', '-' or 'D'"),
            help: Some(
                "in fixed format the text begins in column 8; if this is free format, say so".to_owned(),
            ),
        }),
    }
}

/// An entry behind a `*` in column 1, which is no indicator there.
fn starred_code(cells: &Cells) -> Remark {
    Remark {
        code: codes::BAD_INDICATOR,
        span: 0..cells.indicator_at,
        message: "the entry counts: a '*' in columns 1 to 6 makes no comment, only one in column 7"
            .to_owned(),
        help: None,
    }
}

/// A level number in column 7 cannot be anything else. Files that never were on a mainframe may have it
/// there.
fn early_code(cells: Cells, cut: bool) -> Line {
    let warning = Remark {
        code: codes::BAD_INDICATOR,
        span: cells.indicator_at..cells.indicator_at + 1,
        message: "the text begins in column 7, where IBM's compiler expects an indicator".to_owned(),
        help: None,
    };
    Line::Code { text: cells.indicator_at..cells.text.end, cut, warning: Some(warning) }
}

/// Text after column 72 that continues the text in column 72, and is not a sequence number.
fn lost_text(line: &str, cells: &Cells) -> Option<Remark> {
    let kept = line[cells.text.clone()].chars().next_back()?;
    let rest = line[cells.text.end..].trim_end();
    let first = rest.chars().next()?;
    let joined = !kept.is_whitespace() && !first.is_whitespace();
    let identification = rest.chars().all(|c| c.is_ascii_digit());
    (joined && !identification).then(|| Remark {
        code: codes::PAST_COLUMN_72,
        span: cells.text.end..cells.text.end + rest.len(),
        message: "the text crosses column 72; the rest is ignored".to_owned(),
        help: None,
    })
}

/// Statements that are only about the compiler's listing.
fn is_listing_statement(content: &str) -> bool {
    let statement = content.trim_end_matches('.').trim_end();
    let alone = ["EJECT", "SKIP1", "SKIP2", "SKIP3"].iter().any(|word| statement.eq_ignore_ascii_case(word));
    let title = content.split_once([' ', '\t']).is_some_and(|(word, rest)| {
        word.eq_ignore_ascii_case("TITLE") && rest.trim_start().starts_with(['\'', '"'])
    });
    let control = ["*CBL", "*CONTROL"]
        .iter()
        .any(|word| content.split_whitespace().next().is_some_and(|first| first.eq_ignore_ascii_case(word)));
    alone || title || control
}

/// The areas of a fixed-format line.
struct Cells {
    indicator: char,
    indicator_at: usize,
    text: Range<usize>,
    /// True if columns 1 to 6 have only a sequence number, or are blank.
    numbered_or_blank: bool,
}

impl Cells {
    /// Splits a line into its areas. `shift` is its start in the original line.
    fn of(line: &str, shift: usize) -> Self {
        let (mut indicator, mut indicator_at) = (' ', line.len());
        let (mut start, mut end) = (line.len(), line.len());
        let mut column = 0;
        for (count, (at, c)) in line.char_indices().enumerate() {
            let first = column + 1;
            column = advance(column, c);
            if first <= INDICATOR_COLUMN && column >= INDICATOR_COLUMN {
                (indicator, indicator_at) = (if c == '\t' { ' ' } else { c }, at);
                start = at + c.len_utf8();
            }
            // The width of the writer's tabs is unknown, so a text is only cut where any width would cut it.
            if count >= LAST_TEXT_COLUMN {
                end = at;
                break;
            }
        }
        let sequence = &line[..indicator_at.min(line.len())];
        Cells {
            indicator,
            indicator_at: indicator_at + shift,
            text: start.min(end) + shift..end + shift,
            numbered_or_blank: sequence.chars().all(|c| c == ' ')
                || sequence.chars().all(|c| c.is_ascii_digit()),
        }
    }
}

/// The number of columns of a text that starts in column 1.
pub(super) fn width(text: &str) -> usize {
    text.chars().filter(|c| *c != '\u{c}').fold(0, advance)
}

fn advance(column: usize, c: char) -> usize {
    if c == '\t' { (column / TAB_COLUMNS + 1) * TAB_COLUMNS } else { column + 1 }
}

/// The column, from 1, of a line's first character that is not blank.
pub(super) fn first_column(line: &str) -> usize {
    let blank = line.len() - line.trim_start().len();
    width(&line[..blank]) + 1
}
