//! Shortcuts through the steps of a plan: numbers that are written quickly, and texts that lie side by side.
//!
//! Plans put a shortcut before the steps whose work it does. A shortcut takes the usual values and knows no
//! errors. The ordinary step takes all other values, right or wrong.
//!
//! - `TextsStep` translates texts that lie side by side, and rows of them, at once. It also checks them for
//!   escapes at once.
//! - `QuickNumber` turns up to sixteen digits into text, and back, in one word.
//! - When JSON is read, `JsonReader::quick` tries the same shortcuts first. `TextTables::encode_json` reads
//!   rows of text in one call.
//! - `Out` makes room before a piece is written, so that short pieces are stores of fixed length.

use std::ops::Range;

use super::texts::{Piece, SHORT_BYTES, TEXTS_BYTES_MAX, TextsStep};
use super::{Step, TableStep, ViewStep};
use crate::number::QuickNumber;
use crate::slot::{Codec, Slot};
use crate::text::TextCodec;

/// The bytes of padding after all literals.
pub(super) const PADDING_BYTES: usize = 32;
/// The most bytes of a row that no text shows. Their translation is wasted.
const HIDDEN_BYTES_MAX: usize = 16;

/// Steps with the shortcuts among them.
pub(super) struct Shortcuts {
    pub(super) steps: Vec<Step>,
    pub(super) pieces: Vec<Piece>,
}

/// The known facts about a table while its row is planned.
struct Row {
    stride: usize,
    between: Range<usize>,
}

impl Shortcuts {
    /// Adds the shortcuts. Shortcuts for texts are for JSON alone.
    pub(super) fn new(steps: &[Step], is_json: bool) -> Self {
        let mut shortcuts = Self { steps: Vec::with_capacity(steps.len()), pieces: Vec::new() };
        shortcuts.copy(steps, None, is_json);
        shortcuts
    }

    /// Copies steps.
    fn copy(&mut self, steps: &[Step], row: Option<&Row>, is_json: bool) {
        let mut at = 0;
        // The number of steps that a shortcut passes over.
        let mut joined = 0;
        while at < steps.len() {
            if is_json && at >= joined {
                joined = at + self.join(steps, at, row);
            }
            let inner = match &steps[at] {
                Step::Table(TableStep { body, stride, varies: false, text: Some(text), .. }) => {
                    Some((*body, Some(Row { stride: *stride, between: text.between.clone() })))
                }
                Step::Table(TableStep { body, .. }) => Some((*body, None)),
                Step::View(ViewStep { body, .. }) => Some((*body, None)),
                Step::Value { slot, .. } if at >= joined => {
                    self.number(slot);
                    None
                }
                _ => None,
            };
            let place = self.steps.len();
            self.steps.push(steps[at].clone());
            at += 1;
            if let Some((length, row)) = inner {
                self.copy(&steps[at..at + length], row.as_ref(), is_json);
                at += length;
                let length = self.steps.len() - place - 1;
                if let Step::Table(TableStep { body, .. }) | Step::View(ViewStep { body, .. }) =
                    &mut self.steps[place]
                {
                    *body = length;
                }
            }
        }
    }

    fn number(&mut self, slot: &Slot) {
        if let Codec::Number(codec) = &slot.codec
            && let Some(number) = QuickNumber::new(codec, slot.bytes)
        {
            self.steps.push(Step::Number { offset: slot.offset, number });
        }
    }

    /// Adds a shortcut for the texts from a step on, if there are any. Returns how many steps it passes over.
    fn join(&mut self, steps: &[Step], at: usize, row: Option<&Row>) -> usize {
        let Some((first, _)) = steps.get(at).and_then(text) else { return 0 };
        let (offset, start) = (first.offset, self.pieces.len());
        let row = row.filter(|row| at == 0 && row.stride <= TEXTS_BYTES_MAX);
        let (mut next, mut end, mut hidden) = (at, offset, 0);
        while let Some((slot, codec)) = steps.get(next).and_then(text) {
            let gap = slot.offset.checked_sub(end).unwrap_or(usize::MAX);
            let fits = slot.offset.saturating_sub(offset) + slot.bytes <= TEXTS_BYTES_MAX;
            if !fits || gap > if row.is_some() { HIDDEN_BYTES_MAX } else { 0 } {
                break;
            }
            (end, hidden, next) = (slot.offset + slot.bytes, hidden + gap, next + 1);
            let mut after = 0..0;
            if let Some(Step::Literal(literal)) = steps.get(next) {
                (after, next) = (literal.clone(), next + 1);
            }
            let is_short = slot.bytes <= SHORT_BYTES && after.len() <= SHORT_BYTES;
            let start = slot.offset - offset;
            self.pieces.push(Piece { start, bytes: slot.bytes, trim: codec.trim, after, is_short });
        }
        let row = row.filter(|row| {
            let behind = (offset + row.stride).saturating_sub(end);
            next == steps.len() && hidden + behind <= HIDDEN_BYTES_MAX
        });
        let count = self.pieces.len() - start;
        match (row, self.pieces.last_mut()) {
            (Some(row), Some(last)) => {
                last.after = row.between.clone();
                last.is_short &= row.between.len() <= SHORT_BYTES;
            }
            // A shortcut for a single text gains nothing.
            _ if hidden > 0 || count < 2 => {
                self.pieces.truncate(start);
                return 0;
            }
            _ => {}
        }
        let bytes = row.map_or(end - offset, |row| row.stride);
        let (pieces, is_row) = (start..self.pieces.len(), row.is_some());
        let text_bytes_max =
            self.pieces[pieces.clone()].iter().map(|piece| piece.bytes + piece.after.len()).sum();
        let steps = next - at;
        self.steps.push(Step::Texts(TextsStep { offset, bytes, pieces, text_bytes_max, steps, is_row }));
        steps
    }
}

/// A text that is padded at its end, in plain bytes.
fn text(step: &Step) -> Option<(&Slot, TextCodec)> {
    match step {
        Step::Value { slot, .. } => match slot.codec {
            Codec::Text(codec) if !codec.justified => Some((slot, codec)),
            _ => None,
        },
        _ => None,
    }
}
