//! COBOL text to a tree to a layout: offsets, lengths and types of every field, with diagnostics.
//!
//! Each pass has its own module, in this order:
//!
//! - `source` turns columns, comments and continuation into logical text.
//! - `expand` inserts the members of COPY statements and replaces text.
//! - `token` splits the text.
//! - `section` finds the entries of a whole program.
//! - `parser` reads the entries.
//! - `tree` puts them into records.
//! - `shape` sizes elementary items.
//! - `place` gives offsets.
//! - `counter` finds the counters of OCCURS DEPENDING ON.
//!
//! Storage rules are IBM Enterprise COBOL's.
//!
//! ```
//! let text = "       01  CUSTOMER.\n           05  NAME PIC X(20).\n           05  BALANCE PIC S9(7)V99 COMP-3.\n";
//! let parsed = copybook::parse("CUST.cpy", text, &copybook::Options::default()).expect("a valid copybook");
//! let layout = &parsed.layouts[0];
//! let balance = layout.field(layout.resolve("BALANCE").expect("a field"));
//! assert_eq!((balance.offset, balance.bytes), (20, 5));
//! ```
//!
//! Every finding has a stable code; [`CODES`] lists them. Every limit is a `MAX_` constant.
//!
//! Deliberately absent: reading files (a [`Library`] gives members), and everything that depends on the bytes
//! of records.

mod codes;
mod counter;
mod diagnostic;
mod entry;
mod expand;
mod files;
mod layout;
mod library;
mod parser;
mod picture;
mod place;
mod program_text;
mod renames;
mod report;
mod section;
mod shape;
mod source;
mod special_names;
mod token;
mod tree;

pub use codes::{CODES, Code};
pub use diagnostic::{Diagnostic, Place, Severity, SourceFile};
pub use expand::{MAX_COMPARISONS, MAX_COPIES, MAX_COPY_DEPTH, MAX_EXPANDED_BYTES, MAX_REPLACEMENTS};
pub use layout::{
    Condition, Edited, Field, FieldId, Kind, Layout, Literal, Occurs, Paths, ResolveError, Sign,
    edit_distance,
};
pub use library::{Library, Member};
pub use parser::{MAX_ENTRIES, MAX_OCCURS};
pub use picture::{MAX_DIGITS, picture_symbols};
pub use place::MAX_RECORD_BYTES;
pub use program_text::ProgramText;
pub use renames::Rename;
pub use report::MAX_DIAGNOSTICS;
pub use shape::MAX_BINARY_DIGITS;
pub use token::{Token, TokenKind};

use expand::{Expanded, Scope};
use files::Files;
use report::Report;
use source::Source;
use special_names::Symbols;

/// The code of text in column 7 that is not an indicator. The text may be of free format.
pub const BAD_INDICATOR: Code = codes::BAD_INDICATOR;

/// The code of a placeholder that COPY REPLACING gives a text.
pub const PLACEHOLDER: Code = codes::PLACEHOLDER;

/// The code of a picture with a second decimal point. The comma may be meant to be the point.
pub const SECOND_POINT: Code = codes::SECOND_POINT;

/// The most bytes of text that one copybook or program may have.
pub const MAX_TEXT_BYTES: usize = 4 << 20;

/// The columns of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Fixed or free, from the look of the text.
    #[default]
    Auto,
    /// Columns 1-6 sequence, 7 indicator, 8-72 text, 73-80 identification.
    Fixed,
    /// Text anywhere, `*>` comments.
    Free,
}

/// A section of a program that describes data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// LINKAGE SECTION: the data that callers pass.
    Linkage,
    /// WORKING-STORAGE SECTION.
    WorkingStorage,
    /// LOCAL-STORAGE SECTION.
    LocalStorage,
    /// FILE SECTION.
    File,
}

/// The size of addresses in the program that the record belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PointerBytes {
    /// AMODE 31, LP(32).
    #[default]
    Four,
    /// AMODE 64, LP(64).
    Eight,
    /// GnuCOBOL on machines of 64 bits: addresses have 8 bytes, and INDEX has 4.
    EightAndIndexFour,
}

impl PointerBytes {
    fn of_address(self) -> usize {
        match self {
            Self::Four => 4,
            Self::Eight | Self::EightAndIndexFour => 8,
        }
    }

    fn of_index(self) -> usize {
        match self {
            Self::Four | Self::EightAndIndexFour => 4,
            Self::Eight => 8,
        }
    }
}

/// The options for reading a copybook.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Columns.
    pub format: Format,
    /// True if DECIMAL-POINT IS COMMA holds although the text does not say so.
    pub decimal_comma: bool,
    /// The size of POINTER, INDEX and similar items.
    pub pointer_bytes: PointerBytes,
    /// The section of a whole program to read. By default it is the first one with records: LINKAGE,
    /// WORKING-STORAGE, LOCAL-STORAGE or FILE.
    pub section: Option<Section>,
    /// The only record wanted, by its name.
    pub record: Option<String>,
}

/// The result for a copybook: its records, and warnings.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// One layout for each 01 level, or one for a copybook without any.
    pub layouts: Vec<Layout>,
    /// The texts of the copybook: first the given one, then a member for each COPY statement.
    pub files: Vec<SourceFile>,
    /// Warnings that do not prevent a layout.
    pub warnings: Vec<Diagnostic>,
}

/// Reads a copybook that needs no other text. `member` names it in messages, and names the record if the text
/// has no 01 level (without a folder or an ending).
///
/// # Errors
/// All its faults, in the order of the text.
pub fn parse(member: &str, text: &str, options: &Options) -> Result<Parsed, Vec<Diagnostic>> {
    read(member, text, options, None)
}

/// Reads a copybook like [`parse`]. `library` gives the members of its COPY statements.
///
/// # Errors
/// All faults of the copybook and its members. A fault of a member has the member's name and place.
pub fn parse_with(
    member: &str,
    text: &str,
    options: &Options,
    library: &dyn Library,
) -> Result<Parsed, Vec<Diagnostic>> {
    read(member, text, options, Some(library))
}

fn read(
    member: &str,
    text: &str,
    options: &Options,
    library: Option<&dyn Library>,
) -> Result<Parsed, Vec<Diagnostic>> {
    if text.len() > MAX_TEXT_BYTES {
        let mut report = Report::new(Files::new(member, ""));
        let message = format!("expected at most {MAX_TEXT_BYTES} bytes of text, found {}", text.len());
        report.error(codes::TEXT_TOO_LONG, &(0..0), message);
        return Err(report.into_findings());
    }
    let mut report = Report::new(Files::new(member, text));
    let source = source::read(0, options.format, &mut report);
    let Expanded { source, mut refused } =
        expand::expand(source, Scope { format: options.format, library, code: false }, &mut report);
    let (tokens, symbols) = tokens(&source, options);
    let layouts = match section::entries(&tokens, options.section) {
        Some(range) => {
            let mut entries = parser::entries(&tokens[range], &source, symbols, &mut refused, &mut report);
            if report.has_errors() {
                // The missing clauses of an entry may be in a line that could not be read.
                entries.iter_mut().filter(|entry| entry.is_bare()).for_each(|entry| entry.broken = true);
            }
            let elsewhere = section::declared(&tokens);
            tree::records(&tree::member_name(member), &entries, &mut report)
                .into_iter()
                .map(|record| place::layout(record, options.pointer_bytes, &elsewhere, &mut report))
                .collect()
        }
        None => Vec::new(),
    };
    if layouts.is_empty() && !report.has_errors() {
        report.error(codes::NO_DATA, &(0..0), "expected data description entries, found none");
    }
    let layouts = wanted(layouts, options, &mut report);
    if report.has_errors() {
        return Err(report.into_findings());
    }
    let files = report.files.listing();
    Ok(Parsed { layouts, files, warnings: report.into_findings() })
}

/// The tokens, read a second time if the text itself says that the comma is the decimal point.
fn tokens<'s>(source: &'s Source, options: &Options) -> (Vec<Token<'s>>, Symbols) {
    let mut tokens = token::tokens(&source.text, options.decimal_comma);
    let currencies = special_names::currencies(&tokens);
    let mut decimal_comma = options.decimal_comma;
    if !decimal_comma && special_names::sets_decimal_comma(&tokens) {
        decimal_comma = true;
        tokens = token::tokens(&source.text, decimal_comma);
    }
    (tokens, Symbols { decimal_comma, currencies })
}

/// The wanted layouts.
fn wanted(layouts: Vec<Layout>, options: &Options, report: &mut Report) -> Vec<Layout> {
    let Some(name) = options.record.as_deref().filter(|_| !layouts.is_empty()) else { return layouts };
    let names: Vec<String> = layouts.iter().take(10).map(|layout| layout.name.clone()).collect();
    let found: Vec<Layout> =
        layouts.into_iter().filter(|layout| layout.name.eq_ignore_ascii_case(name)).collect();
    if found.is_empty() {
        let message = format!("no record {name}; the text has {}", names.join(", "));
        report.error(codes::UNKNOWN_RECORD, &(0..0), message);
    }
    found
}
