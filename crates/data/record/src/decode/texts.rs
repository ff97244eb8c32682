//! Texts that lie side by side, and rows of them. All are translated at once, and searched at once for
//! characters that JSON escapes. Quotes, names and commas are put between them.

use std::ops::Range;

use super::shortcuts::PADDING_BYTES;
use super::{DecodePlan, Decoder, Dialect, TableStep, TableText};
use crate::error::Error;
use crate::out::Out;
use crate::text::TextTables;

/// The most bytes that are translated at once.
pub(super) const TEXTS_BYTES_MAX: usize = 1 << 10;
/// The same, with room for copying a text as a vector.
pub(super) const BLOCK_BYTES: usize = TEXTS_BYTES_MAX + SHORT_BYTES;
/// The longest text, and the longest literal behind it, that is copied as a vector.
pub(super) const SHORT_BYTES: usize = PADDING_BYTES;
/// A text and a literal.
const WINDOW_BYTES: usize = 2 * SHORT_BYTES;

/// Texts that lie side by side in the record, and follow each other in JSON with literals between them.
#[derive(Clone, Debug)]
pub(super) struct TextsStep {
    /// Where the first one lies.
    pub(super) offset: usize,
    /// From the first byte to the last; for a row, to the next row.
    pub(super) bytes: usize,
    /// The texts.
    pub(super) pieces: Range<usize>,
    /// The most bytes of text that they become, with the literals behind them, without escapes.
    pub(super) text_bytes_max: usize,
    /// The number of following steps that do the same work.
    pub(super) steps: usize,
    /// A row of a table has nothing but these texts.
    pub(super) is_row: bool,
}

/// One of the texts.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// Bytes from the first text.
    pub(super) start: usize,
    pub(super) bytes: usize,
    /// Blanks at the end are left out.
    pub(super) trim: bool,
    /// The literal behind it. Behind the last text of a row, it is the literal between rows.
    pub(super) after: Range<usize>,
    /// Neither the text nor the literal has more than [`SHORT_BYTES`].
    pub(super) is_short: bool,
}

impl DecodePlan {
    /// Writes texts that were translated into `block` to `room` from `at` on; `from` are their bytes. Returns where they
    /// end. The room has [`WINDOW_BYTES`] more than the texts at their longest.
    #[inline(always)]
    fn pieces(
        &self,
        pieces: &[Piece],
        from: &[u8],
        block: &[u8],
        tables: &TextTables,
        room: &mut [u8],
        mut at: usize,
    ) -> usize {
        for piece in pieces {
            let mut field = &from[piece.start..piece.start + piece.bytes];
            if piece.trim {
                field = tables.without_trailing_blanks(field);
            }
            let (length, text) = (field.len(), &block[piece.start..]);
            let (after, to) = (&self.literals[piece.after.start..], &mut room[at..]);
            at += length + piece.after.len();
            if !piece.is_short || put_short(text, length, after, to).is_none() {
                put_long(&text[..length], &after[..piece.after.len()], to);
            }
        }
        at
    }

    /// Writes rows of texts. Returns where they end.
    #[inline(never)]
    fn rows(
        &self,
        pieces: &[Piece],
        from: &[u8],
        block: &[u8],
        stride: usize,
        tables: &TextTables,
        room: &mut [u8],
    ) -> usize {
        let mut at = 0;
        for (row, from) in from.chunks_exact(stride).enumerate() {
            at = self.pieces(pieces, from, &block[row * stride..], tables, room, at);
        }
        at
    }
}

/// Writes a text and the literal behind it as vectors; none if a slice is too short for that.
#[inline(always)]
fn put_short(text: &[u8], length: usize, after: &[u8], to: &mut [u8]) -> Option<()> {
    let (text, after) = (text.first_chunk::<SHORT_BYTES>()?, after.first_chunk::<SHORT_BYTES>()?);
    let to = to.first_chunk_mut::<WINDOW_BYTES>()?;
    *to.first_chunk_mut()? = *text;
    *to.get_mut(length..)?.first_chunk_mut()? = *after;
    Some(())
}

#[cold]
#[inline(never)]
fn put_long(text: &[u8], after: &[u8], to: &mut [u8]) {
    to[..text.len()].copy_from_slice(text);
    to[text.len()..text.len() + after.len()].copy_from_slice(after);
}

impl Decoder<'_> {
    /// Writes texts side by side. Returns false, and writes nothing, if a text needs an escape or has a
    /// special character, or the record ends before the last text.
    #[inline]
    pub(super) fn texts(&mut self, texts: &TextsStep, moved: isize, out: &mut Out<'_>) -> bool {
        let (plan, tables) = (self.plan, self.source.tables);
        let start = texts.offset.wrapping_add_signed(moved);
        let Some(from) = self.record.get(start..start + texts.bytes) else { return false };
        if tables.translate_plain(from, &mut self.block[..texts.bytes]) < texts.bytes {
            return false;
        }
        let room = out.room(texts.text_bytes_max + WINDOW_BYTES);
        let pieces = &plan.pieces[texts.pieces.clone()];
        let length = plan.pieces(pieces, from, &self.block, tables, room, 0);
        out.advance(length);
        true
    }

    /// Writes the rows of a table. Rows with other than plain characters are written by the ordinary `steps`.
    pub(super) fn text_rows<D: Dialect>(
        &mut self,
        (texts, steps): (&TextsStep, Range<usize>),
        (table, text): (&TableStep, &TableText),
        moved: isize,
        wanted: usize,
        out: &mut Out<'_>,
    ) -> Result<(), Error> {
        let (plan, tables, record) = (self.plan, self.source.tables, self.record);
        let pieces = &plan.pieces[texts.pieces.clone()];
        let most = TEXTS_BYTES_MAX / table.stride;
        // The size of a batch follows the number of plain rows before it, so little translation is wasted.
        let (mut rows, mut batch) = (0, most);
        while rows < wanted {
            let count = batch.min(wanted - rows);
            let start = (texts.offset + rows * table.stride).wrapping_add_signed(moved);
            let from = record.get(start..start + count * table.stride).unwrap_or_default();
            let plain = tables.translate_plain(from, &mut self.block[..from.len()]) / table.stride;
            let room = out.room(plain * texts.text_bytes_max + WINDOW_BYTES);
            let from = &from[..plain * table.stride];
            let at = plan.rows(pieces, from, &self.block, table.stride, tables, room);
            rows += plain;
            // Only the end of the array is behind the last row.
            out.advance(if rows == wanted { at - text.between.len() } else { at });
            batch = (2 * batch).min(most);
            if plain < count {
                self.depth += 1;
                let moved = moved + (rows * table.stride) as isize;
                self.steps::<D>(steps.clone(), moved, out).inspect_err(|_| self.failed_rows.push(rows))?;
                self.depth -= 1;
                rows += 1;
                batch = plain.max(1);
                if rows < wanted {
                    plan.literal(&text.between, out);
                }
            }
        }
        Ok(())
    }
}
