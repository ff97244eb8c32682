//! A file to records: fixed length, lengths in front, lengths in a field, lines.

use copybook::Layout;

use super::super::extent::{self, Tables};
use super::options::CaseOptions;

/// How a file is cut.
pub(super) struct Framing<'f> {
    pub(super) options: &'f CaseOptions,
    pub(super) layouts: &'f [Layout],
    /// The bytes of a record with all tables at their largest.
    pub(super) record_bytes: usize,
}

impl Framing<'_> {
    /// Cuts a file.
    ///
    /// # Errors
    /// The options are not understood, or the file does not follow them.
    pub(super) fn records(&self, file: &[u8]) -> Result<Vec<Vec<u8>>, String> {
        let options = self.options;
        let start = options.number("file_start_offset")?.unwrap_or(0);
        let end = file.len().checked_sub(options.number("file_end_offset")?.unwrap_or(0));
        let file = end.and_then(|end| file.get(start..end)).ok_or("the file is shorter than its offsets")?;
        let records = match options.format() {
            "F" | "FB" => self.fixed(file)?,
            "V" => self.with_lengths(file)?,
            "VB" => {
                let big = options.is_true("is_bdw_big_endian");
                let adjust = adjustment(options, "bdw_adjustment", "is_bdw_part_of_record_length")?;
                let mut records = Vec::new();
                for block in self.split(file, big, adjust)? {
                    records.extend(self.with_lengths(&block)?);
                }
                records
            }
            "D" | "D2" | "T" => self.lines(file),
            other => return Err(format!("record_format is {other}")),
        };
        let least = options.number("minimum_record_length")?.unwrap_or(0);
        let most = options.number("maximum_record_length")?.unwrap_or(usize::MAX);
        let records = records.into_iter().filter(|record| (least..=most).contains(&record.len()));
        let cut = options.number("record_start_offset")?.unwrap_or(0);
        let cut_end = options.number("record_end_offset")?.unwrap_or(0);
        Ok(records
            .map(|record| record.get(cut..record.len() - cut_end).unwrap_or_default().to_vec())
            .collect())
    }

    fn fixed(&self, file: &[u8]) -> Result<Vec<Vec<u8>>, String> {
        let options = self.options;
        let around = options.number("record_start_offset")?.unwrap_or(0)
            + options.number("record_end_offset")?.unwrap_or(0);
        let given = options.number("record_length")?;
        let mut records = Vec::new();
        let mut at = 0;
        while at < file.len() {
            let rest = &file[at..];
            let bytes = if let Some(field) = options.get("record_length_field") {
                self.length_in_field(field, rest)?
            } else if let Some(bytes) = given {
                bytes
            } else if options.is_true("variable_size_occurs") {
                self.measured(rest)?
            } else {
                self.record_bytes + around
            };
            if bytes == 0 {
                return Err(format!("a record of no bytes at {at}"));
            }
            records.push(rest[..bytes.min(rest.len())].to_vec());
            at += bytes;
        }
        Ok(records)
    }

    fn measured(&self, rest: &[u8]) -> Result<usize, String> {
        let mut bytes = 0;
        for layout in self.layouts.iter().filter(|layout| layout.redefines().is_none()) {
            let rest = rest.get(bytes..).unwrap_or_default();
            bytes += extent::of(layout, self.options.page()?, Tables::Shift, rest)?.bytes;
        }
        Ok(bytes)
    }

    /// The length that a field of the record tells, itself or through a table of names.
    fn length_in_field(&self, name: &str, rest: &[u8]) -> Result<usize, String> {
        let layout = self.layouts.first().ok_or("no record")?;
        let field = layout.field(
            layout
                .resolve(&name.replace('_', "-"))
                .or_else(|_| layout.resolve(name))
                .map_err(|e| e.explain(name))?,
        );
        let bytes =
            rest.get(field.offset..field.offset + field.bytes).ok_or("the file ends before a length")?;
        let mut text = String::new();
        self.options.page()?.decode(bytes, &mut text).map_err(|error| error.to_string())?;
        let text = text.trim();
        let adjust = self.options.number("record_length_adjustment")?.unwrap_or(0);
        let Some(map) = self.options.get("record_length_map") else {
            return text
                .parse::<usize>()
                .map(|bytes| bytes + adjust)
                .map_err(|_| format!("the length {text:?}"));
        };
        let map: std::collections::BTreeMap<String, usize> =
            serde_json::from_str(map).map_err(|error| error.to_string())?;
        map.get(text).or_else(|| map.get("_")).copied().ok_or_else(|| format!("no length for {text:?}"))
    }

    fn with_lengths(&self, file: &[u8]) -> Result<Vec<Vec<u8>>, String> {
        let options = self.options;
        let adjust = adjustment(options, "rdw_adjustment", "is_rdw_part_of_record_length")?;
        self.split(file, options.is_true("is_rdw_big_endian"), adjust)
    }

    /// Takes parts that each have four bytes with their length in front.
    fn split(&self, mut file: &[u8], big_endian: bool, adjust: isize) -> Result<Vec<Vec<u8>>, String> {
        let mut parts = Vec::new();
        while let Some((head, rest)) = file.split_first_chunk::<4>() {
            let pair = |low: u8, high: u8| isize::from(low) + isize::from(high) * 256;
            let bytes = match (big_endian, head) {
                (true, [high, low, _, _]) => pair(*low, *high),
                // Written words have the length in the first two bytes, read words in the last two.
                (false, [low, high, 0, 0]) => pair(*low, *high),
                (false, [_, _, low, high]) => pair(*low, *high),
            };
            let bytes = usize::try_from(bytes + adjust).map_err(|_| "a length that is too small")?;
            parts.push(rest.get(..bytes).ok_or("the file ends within a record")?.to_vec());
            file = &rest[bytes..];
        }
        Ok(parts)
    }

    /// Lines, blanks added to short ones, long ones cut: as a line-sequential file is read.
    fn lines(&self, file: &[u8]) -> Vec<Vec<u8>> {
        let varies = self.options.is_true("variable_size_occurs");
        let lines = file.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let lines = lines.filter(|line| !line.is_empty());
        lines
            .map(|line| {
                let mut line = line.to_vec();
                if !varies {
                    line.resize(self.record_bytes, b' ');
                } else if let Ok(bytes) = self.measured(&line) {
                    line.resize(bytes, b' ');
                }
                line
            })
            .collect()
    }
}

fn adjustment(options: &CaseOptions, name: &str, part_of_it: &str) -> Result<isize, String> {
    let given = match options.get(name) {
        None => 0,
        Some(text) => text.parse().map_err(|_| format!("{name} is {text}"))?,
    };
    Ok(given - if options.is_true(part_of_it) { 4 } else { 0 })
}
