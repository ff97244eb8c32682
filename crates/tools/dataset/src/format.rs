//! Record formats: how a file separates its records.
//!
//! The words are z/OS's (RECFM, LRECL, RDW, BDW). Rules of descriptor words and segments: z/OS DFSMS Using Data Sets,
//! "Variable-length record formats" and "Spanned variable-length records".

use std::fmt;
use std::str::FromStr;

use codepage::Family;
use copybook::Layout;
use record::{Bind, Options};

use crate::error::Error;
use crate::extent::Extent;

/// Bytes of a record or block descriptor word.
pub const DESCRIPTOR_BYTES: usize = 4;
/// The greatest length that a record descriptor word may give, itself included; longer records are spanned.
pub const RDW_BYTES_MAX: usize = 32_760;
/// The greatest length of a block, its descriptor word included, unless the word is of the extended form.
pub const BLOCK_BYTES_MAX: usize = 32_760;
/// The greatest length that the 31 bits of an extended block descriptor word can give.
pub const EXTENDED_BLOCK_BYTES_MAX: usize = 0x7FFF_FFFF;
/// The greatest length that a prefix of two bytes can give, as GnuCOBOL's variable sequential files have it.
pub const PREFIX_BYTES_MAX: usize = 0xFFFF;
/// The greatest length of a line or of a record put together from segments.
pub const RECORD_BYTES_MAX: usize = copybook::MAX_RECORD_BYTES;

/// How records are separated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RecordFormat {
    /// F or FB: all records have one length. Blocks leave no trace in the bytes.
    #[default]
    Fixed,
    /// V or VB: a record descriptor word before each record.
    Variable,
    /// VS or VBS: a segment descriptor word before each piece of a record.
    Spanned,
    /// U: blocks without structure. Refused, with the reason.
    Undefined,
    /// Text lines.
    Lines,
    /// Records that follow each other with nothing between them; how long each is follows from the counters of its
    /// tables (OCCURS DEPENDING ON).
    Counted,
    /// GnuCOBOL's variable sequential files (`COB_VARSEQ_FORMAT=0`): two bytes of length, itself not included, and
    /// two of zeros.
    GnuCobol,
    /// The same the other way round: two bytes of zeros, and two of length with the low one first, itself not included,
    /// as some transfers leave descriptor words.
    LittleEndian,
}

impl RecordFormat {
    /// The words by which [`RecordFormat::from_str`] knows the formats.
    pub const WORDS: &[&str] =
        &["f", "fb", "v", "vb", "vs", "vbs", "u", "lines", "odo", "gnucobol", "rdw-le"];

    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            RecordFormat::Fixed => "fb",
            RecordFormat::Variable => "vb",
            RecordFormat::Spanned => "vbs",
            RecordFormat::Undefined => "u",
            RecordFormat::Lines => "lines",
            RecordFormat::Counted => "odo",
            RecordFormat::GnuCobol => "gnucobol",
            RecordFormat::LittleEndian => "rdw-le",
        }
    }
}

/// The length before each record of a format that has one which does not count itself.
pub(crate) fn prefix_length(recfm: RecordFormat, word: [u8; DESCRIPTOR_BYTES]) -> Option<usize> {
    match (recfm, word) {
        (RecordFormat::GnuCobol, [high, low, 0, 0]) => Some(usize::from(u16::from_be_bytes([high, low]))),
        (RecordFormat::LittleEndian, [0, 0, low, high]) => Some(usize::from(u16::from_le_bytes([low, high]))),
        _ => None,
    }
}

/// The prefix that gives a length.
pub(crate) fn prefix(recfm: RecordFormat, length: u16) -> [u8; DESCRIPTOR_BYTES] {
    let [high, low] = length.to_be_bytes();
    match recfm {
        RecordFormat::LittleEndian => [0, 0, low, high],
        _ => [high, low, 0, 0],
    }
}

impl fmt::Display for RecordFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for RecordFormat {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        Ok(match word.to_ascii_lowercase().as_str() {
            "f" | "fb" => RecordFormat::Fixed,
            "v" | "vb" => RecordFormat::Variable,
            "vs" | "vbs" => RecordFormat::Spanned,
            "u" => RecordFormat::Undefined,
            "lines" => RecordFormat::Lines,
            "odo" => RecordFormat::Counted,
            "gnucobol" => RecordFormat::GnuCobol,
            "rdw-le" => RecordFormat::LittleEndian,
            _ => return Err(format!("the record formats are {}", Self::WORDS.join(", "))),
        })
    }
}

/// The end of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LineEnd {
    /// NL in EBCDIC, else LF; reading LF, a CR before it belongs to the line's end.
    #[default]
    ByPage,
    /// The byte 0A.
    Lf,
    /// The bytes 0D 0A.
    CrLf,
    /// EBCDIC's new line, the byte 15.
    Nl,
    /// EBCDIC's line feed, the byte 25.
    EbcdicLf,
}

/// The bytes at the end of a line, and whether a CR before them belongs to it when a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineMark {
    pub(crate) bytes: &'static [u8],
    pub(crate) optional_cr: bool,
}

impl LineEnd {
    pub(crate) fn mark(self, family: Family) -> LineMark {
        let (bytes, optional_cr): (&'static [u8], bool) = match self {
            LineEnd::ByPage if family == Family::Ebcdic => (b"\x15", false),
            LineEnd::ByPage => (b"\n", true),
            LineEnd::Lf => (b"\n", false),
            LineEnd::CrLf => (b"\r\n", false),
            LineEnd::Nl => (b"\x15", false),
            LineEnd::EbcdicLf => (b"\x25", false),
        };
        LineMark { bytes, optional_cr }
    }
}

/// A record format with what belongs to it, as a user gives it.
#[derive(Clone, Debug, Default)]
pub struct Format {
    /// How records are separated.
    pub recfm: RecordFormat,
    /// The length of fixed records, where it is not the layout's (LRECL).
    pub record_bytes: Option<usize>,
    /// A block descriptor word stands before each block (variable and spanned records).
    pub block_words: bool,
    /// The greatest length of a block that is written; [`BLOCK_BYTES_MAX`] if it is left out.
    pub block_bytes: Option<usize>,
    /// The end of a line.
    pub line_end: LineEnd,
    /// Lines without the blanks at their end: these are left out when a line is written and put back when it is read.
    pub trimmed_lines: bool,
}

/// A [`Format`] for one layout, checked, ready to read and write with.
#[derive(Clone, Debug)]
pub struct Framing {
    pub(crate) recfm: RecordFormat,
    /// The length of fixed records.
    pub(crate) record_bytes: usize,
    /// The most bytes of a record that the layout describes.
    pub(crate) layout_bytes: usize,
    pub(crate) block_words: bool,
    pub(crate) block_bytes: usize,
    pub(crate) line: LineMark,
    pub(crate) trimmed_lines: bool,
    pub(crate) blank: u8,
    pub(crate) extent: Option<Extent>,
}

impl Framing {
    /// Checks a format against the layout whose records are read or written, as `bind` sees them with `options`.
    ///
    /// # Errors
    /// The format cannot hold such records, or cannot tell them apart; an option has no meaning for the format.
    pub fn new(format: &Format, layout: &Layout, bind: &Bind, options: &Options) -> Result<Self, Error> {
        let recfm = format.recfm;
        check_options(format)?;
        match recfm {
            RecordFormat::Undefined => {
                return Err(Error::setting(
                    "RECFM=U has no records, only blocks, and a file does not tell where these end; \
                     copy it to a data set with RECFM=FB or VB first, or name the format that the bytes really have (--recfm)",
                ));
            }
            RecordFormat::Fixed if format.record_bytes.is_none() && !bind.is_fixed() => {
                return Err(Error::setting(format!(
                    "the copybook's records vary in length, and fixed records do not; say how they are told apart: \
                     --recfm vb (descriptor words), odo (by their counters), lines, or give the length of all (--lrecl), \
                     which is {} if they are as long as their tables at their largest",
                    bind.max_bytes()
                )));
            }
            RecordFormat::Lines if format.trimmed_lines && !bind.is_fixed() => {
                return Err(Error::setting(
                    "the copybook's records vary in length, so blanks left out at a line's end cannot be put back",
                ));
            }
            _ => {}
        }
        let extent = match recfm {
            RecordFormat::Counted => Some(Extent::new(layout, options)?),
            _ => None,
        };
        let block_bytes = format.block_bytes.unwrap_or(BLOCK_BYTES_MAX);
        if !(BLOCK_BYTES_LEAST..=BLOCK_BYTES_MAX).contains(&block_bytes) {
            return Err(Error::setting(format!(
                "a block has {BLOCK_BYTES_LEAST} to {BLOCK_BYTES_MAX} bytes, not {block_bytes}"
            )));
        }
        Ok(Self {
            recfm,
            record_bytes: format.record_bytes.unwrap_or(bind.max_bytes()),
            layout_bytes: bind.max_bytes(),
            block_words: format.block_words,
            block_bytes,
            line: format.line_end.mark(options.family()),
            trimmed_lines: format.trimmed_lines,
            blank: options.encoding.blank()[0],
            extent,
        })
    }

    /// The bytes at the end of each fixed record that the layout does not describe; they are not shown when a file is
    /// read, and are blanks when one is written.
    #[must_use]
    pub fn undescribed_bytes(&self) -> usize {
        match self.recfm {
            RecordFormat::Fixed => self.record_bytes.saturating_sub(self.layout_bytes),
            _ => 0,
        }
    }
}

/// The smallest block: both descriptor words and a byte.
const BLOCK_BYTES_LEAST: usize = 2 * DESCRIPTOR_BYTES + 1;

/// An option that has no meaning for the format is a misunderstanding, not a wish.
fn check_options(format: &Format) -> Result<(), Error> {
    let recfm = format.recfm;
    let described = matches!(recfm, RecordFormat::Variable | RecordFormat::Spanned);
    let lines = recfm == RecordFormat::Lines;
    let without_meaning = [
        (
            "a record length (--lrecl)",
            format.record_bytes.is_some() && recfm != RecordFormat::Fixed,
            "f and fb",
        ),
        ("block descriptor words (--bdw)", format.block_words && !described, "v, vb, vs and vbs"),
        (
            "a block length (--blksize)",
            format.block_bytes.is_some() && !format.block_words,
            "blocks with descriptor words (--bdw)",
        ),
        ("a line end (--line-end)", format.line_end != LineEnd::ByPage && !lines, "lines"),
        ("trimming of lines (--trimmed)", format.trimmed_lines && !lines, "lines"),
    ];
    if let Some((what, _, with)) = without_meaning.iter().find(|(_, given, _)| *given) {
        return Err(Error::setting(format!(
            "{what}: only for {with}; the record format is {recfm} (--recfm)"
        )));
    }
    if format.record_bytes.is_some_and(|bytes| bytes == 0 || bytes > RECORD_BYTES_MAX) {
        return Err(Error::setting(format!("a record has 1 to {RECORD_BYTES_MAX} bytes")));
    }
    Ok(())
}
