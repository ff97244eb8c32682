//! The logical text, which COBOL's grammar reads, with a map back to its files.

mod columns;
mod conditions;
mod format;
mod read;

use std::ops::Range;

pub(crate) use read::read;

/// Text with comments and sequence areas gone, continued lines joined, lines separated by `\n`.
///
/// Its segments map it to positions of [`Files`](crate::files::Files).
#[derive(Default)]
pub(crate) struct Source {
    pub(crate) text: String,
    /// The pieces of the files in `text`, in the order of `text`.
    segments: Vec<Segment>,
}

/// A piece of the logical text.
#[derive(Clone, Debug)]
struct Segment {
    logical: usize,
    original: Range<usize>,
    /// True if the text differs from the original: it replaces the original as a whole.
    replaced: bool,
    /// True if a period after column 72 was left out.
    cut: bool,
}

impl Source {
    /// The span of the files for a span of the logical text.
    pub(crate) fn original(&self, logical: Range<usize>) -> Range<usize> {
        let last = logical.end.saturating_sub(1).max(logical.start);
        let start = self.segment(logical.start).map_or(0, |segment| segment.position(logical.start));
        let end = self.segment(last).map_or(0, |segment| match segment.replaced {
            true => segment.original.end,
            false => segment.position(last) + 1,
        });
        start..end.max(start)
    }

    /// True if a period stands after column 72 of the line at a position of the logical text.
    pub(crate) fn is_cut(&self, logical: usize) -> bool {
        self.segment(logical).is_some_and(|segment| segment.cut)
    }

    /// Begins a new line.
    pub(crate) fn push_line_end(&mut self) {
        self.text.push('\n');
    }

    /// Adds a piece of another logical text.
    pub(crate) fn push_part(&mut self, from: &Source, part: Range<usize>) {
        if part.is_empty() {
            return;
        }
        let shift = self.text.len();
        let first = from.segments.partition_point(|segment| segment.logical <= part.start).saturating_sub(1);
        for segment in &from.segments[first.min(from.segments.len())..] {
            if segment.logical >= part.end {
                break;
            }
            let skipped = part.start.saturating_sub(segment.logical);
            let mut segment = segment.clone();
            if !segment.replaced {
                segment.original.start = (segment.original.start + skipped).min(segment.original.end);
            }
            segment.logical = (segment.logical + skipped - part.start) + shift;
            self.segments.push(segment);
        }
        self.text.push_str(&from.text[part]);
    }

    /// Adds text that replaces a piece of another logical text.
    pub(crate) fn push_replacement(&mut self, text: &str, from: &Source, part: Range<usize>) {
        if text.is_empty() {
            return;
        }
        let cut = from.is_cut(part.start);
        let original = from.original(part);
        self.segments.push(Segment { logical: self.text.len(), original, replaced: true, cut });
        self.text.push_str(text);
    }

    fn segment(&self, logical: usize) -> Option<&Segment> {
        let after = self.segments.partition_point(|segment| segment.logical <= logical);
        self.segments.get(after.checked_sub(1)?)
    }
}

impl Segment {
    fn position(&self, logical: usize) -> usize {
        if self.replaced {
            return self.original.start;
        }
        // The blanks that fill up a continued literal, and line ends, are not in the original.
        (self.original.start + (logical - self.logical)).min(self.original.end)
    }
}
