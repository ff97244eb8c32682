//! Guesses from the first bytes of a file whose records do not fit: another code page, another record format.
//! They are only shown, never acted upon.

use codepage::Family;
use copybook::{Field, Layout};
use record::{Bind, Options};

use crate::format::{DESCRIPTOR_BYTES, Framing, RDW_BYTES_MAX, RecordFormat, prefix_length};

/// How much of a file is looked at.
pub const HINT_BYTES: usize = 16 << 10;

/// The most records that [`Look::lost_hint`] converts.
const LOST_RECORDS_MAX: usize = 64;

/// The known facts about a file.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    /// Its first bytes, [`HINT_BYTES`] of them are enough.
    pub first: &'a [u8],
    /// Its length, if that is known.
    pub bytes: Option<u64>,
}

impl Look<'_> {
    /// A hint if the text seems to be of the other family of code pages.
    #[must_use]
    pub fn page_hint(&self, options: &Options) -> Option<String> {
        match (options.family(), Family::seen_in(self.first)) {
            (Family::Ebcdic, Some(Family::Ascii)) => Some(
                "the text looks like ASCII, not EBCDIC; try --ccsid 1252 (Windows), 819 (Latin 1) or 850 (DOS)"
                    .to_owned(),
            ),
            (Family::Ascii, Some(Family::Ebcdic)) => Some(
                "the text looks like EBCDIC, not ASCII; try --ccsid 37 (US), 500, 1047 or that of the country"
                    .to_owned(),
            ),
            _ => None,
        }
    }

    /// A hint if a field without a name has data that the text does not have: records that are made of the text again would
    /// differ there. It looks at the first records of one length.
    #[must_use]
    pub fn lost_hint(&self, bind: &Bind, layout: &Layout, framing: &Framing) -> Option<String> {
        if framing.recfm != RecordFormat::Fixed || !bind.is_fixed() || framing.record_bytes == 0 {
            return None;
        }
        let (mut text, mut again) = (Vec::new(), Vec::new());
        for record in self.first.chunks_exact(framing.record_bytes).take(LOST_RECORDS_MAX) {
            text.clear();
            again.clear();
            let record = record.get(..framing.layout_bytes).unwrap_or(record);
            if bind.decode(record, &mut text).is_err() || bind.encode(&text, &mut again).is_err() {
                continue;
            }
            let differs = |at: &usize| record[*at] != again[*at];
            let lost = (0..record.len().min(again.len())).filter(differs).find_map(|at| unnamed(layout, at));
            if let Some(field) = lost {
                let at = field.offset;
                return Some(format!(
                    "the FILLER at offset {at} has data that the output leaves out; --filler shows it"
                ));
            }
        }
        None
    }

    /// A hint if another record format than the one that was tried seems to fit.
    #[must_use]
    pub fn format_hint(&self, layout: &Layout, tried: RecordFormat) -> Option<String> {
        let most = layout.max_bytes();
        let hint = |format: &str, why: &str| Some(format!("{why}; try --recfm {format}"));
        if tried != RecordFormat::Spanned && self.chain(0, most, true).is_some_and(|spanned| spanned) {
            return hint("vbs", "the file looks like segments of spanned records");
        }
        if tried != RecordFormat::Variable && self.chain(0, most, false).is_some() {
            return hint("vb", "the file looks like records with descriptor words (RDW)");
        }
        if self.block().is_some_and(|after| self.chain(after, most, true).is_some()) {
            let spanned = self.block().and_then(|after| self.chain(after, most, true)) == Some(true);
            let format = if spanned { "vbs --bdw" } else { "vb --bdw" };
            return hint(format, "the file looks like blocks with descriptor words (BDW)");
        }
        for recfm in [RecordFormat::GnuCobol, RecordFormat::LittleEndian] {
            if tried != recfm && self.prefixed(recfm, most) {
                return hint(recfm.word(), "the file looks like records with a length before each");
            }
        }
        if tried != RecordFormat::Lines && self.lines(most) {
            return hint("lines", "the file looks like text lines");
        }
        let whole = self.bytes.is_some_and(|bytes| bytes > 0 && bytes.is_multiple_of(most.max(1) as u64));
        if tried != RecordFormat::Fixed && whole {
            let varies =
                layout.fields().iter().any(|field| field.occurs.is_some_and(|it| it.depending_on.is_some()));
            let format = if varies { format!("fb --lrecl {most}") } else { "fb".to_owned() };
            return hint(&format, "the file's length is a multiple of the copybook's");
        }
        None
    }

    /// Follows descriptor words from a place on: none if they do not lead through what is there, or not to a second
    /// one. True if any is that of a part of a record.
    fn chain(&self, from: usize, most: usize, segments: bool) -> Option<bool> {
        let (mut at, mut found, mut parts) = (from, 0, false);
        while let Some([high, low, control, fourth]) = self.first.get(at..).and_then(<[u8]>::first_chunk) {
            let length = usize::from(u16::from_be_bytes([*high, *low]));
            let data = length.checked_sub(DESCRIPTOR_BYTES)?;
            let control_fits = if segments { *control <= 3 } else { *control == 0 };
            if data > most || length > RDW_BYTES_MAX || !control_fits || *fourth != 0 || data == 0 {
                // The next block's word, if blocks are followed, is not a record's.
                return (from > 0 && found > 0).then_some(parts);
            }
            parts |= *control != 0;
            (at, found) = (at + length, found + 1);
        }
        let reaches_end = at >= self.first.len();
        (reaches_end && (found > 1 || (found == 1 && self.bytes == Some(at as u64)))).then_some(parts)
    }

    /// True if lengths that do not count themselves lead through what is there, over two records at least or to the end.
    fn prefixed(&self, recfm: RecordFormat, most: usize) -> bool {
        let (mut at, mut found) = (0, 0);
        while let Some(word) = self.first.get(at..).and_then(<[u8]>::first_chunk) {
            match prefix_length(recfm, *word) {
                Some(data) if data > 0 && data <= most => {
                    (at, found) = (at + DESCRIPTOR_BYTES + data, found + 1)
                }
                _ => return false,
            }
        }
        at >= self.first.len() && (found > 1 || (found == 1 && self.bytes == Some(at as u64)))
    }

    /// Where the first block's data starts, if the file starts with a block descriptor word before a record's.
    fn block(&self) -> Option<usize> {
        let word: &[u8; DESCRIPTOR_BYTES] = self.first.first_chunk()?;
        let block = usize::from(u16::from_be_bytes([word[0], word[1]]));
        let next: &[u8; DESCRIPTOR_BYTES] = self.first.get(DESCRIPTOR_BYTES..)?.first_chunk()?;
        let record = usize::from(u16::from_be_bytes([next[0], next[1]]));
        (word[2..] == [0, 0] && record > DESCRIPTOR_BYTES && record + DESCRIPTOR_BYTES <= block)
            .then_some(DESCRIPTOR_BYTES)
    }

    /// Lines that are no longer than a record, one at least, each shown by the first look.
    fn lines(&self, most: usize) -> bool {
        let mut lines = self.first.split_inclusive(|byte| matches!(byte, b'\n' | 0x15));
        let fits = |line: &[u8]| line.len() <= most + 2;
        let first = lines.next();
        first.is_some_and(|line| matches!(line.last(), Some(b'\n' | 0x15)) && fits(line) && line.len() > 1)
            && lines.all(fits)
    }
}

/// The field without a name at an offset of a record. Views of other fields do not count.
fn unnamed(layout: &Layout, at: usize) -> Option<&Field> {
    let covers = |field: &&Field| {
        field.children.is_empty() && field.filler && (field.offset..field.offset + field.bytes).contains(&at)
    };
    layout.fields().iter().find(|field| covers(field) && !is_view(layout, field))
}

/// True for a field that redefines another, or stands in one that does.
fn is_view(layout: &Layout, field: &Field) -> bool {
    let mut around = Some(field);
    while let Some(one) = around {
        if one.redefines.is_some() {
            return true;
        }
        around = one.parent.map(|parent| layout.field(parent));
    }
    false
}
