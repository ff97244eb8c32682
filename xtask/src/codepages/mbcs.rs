//! Reads the mixed (shift-out, shift-in) converters from ICU's common data file.
//!
//! A converter is a state table: state 0 is the single-byte and state 1 the double-byte one, and an
//! extension table for what the state table cannot say: characters beyond U+FFFF, pairs of characters, and all
//! that an extension-only converter adds to its base. The formats are those of ICU's `ucnvmbcs.h` and
//! `ucnv_ext.h`.

use super::icu::{self, Reader};

/// The characters of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mapping {
    /// The character, and the second one of a pair or 0.
    pub(super) characters: [u32; 2],
    /// Whether it is encoded as this code again.
    pub(super) round_trip: bool,
}

/// The mappings of one mixed converter.
pub(super) struct Mixed {
    pub(super) name: String,
    pub(super) substitute: u8,
    pub(super) double_substitute: u16,
    /// The mapping of each single byte.
    pub(super) single: Vec<Option<Mapping>>,
    /// The double-byte codes that are defined, ascending.
    pub(super) double: Vec<(u16, Mapping)>,
}

/// The state table and the extension of a converter.
struct Tables<'a> {
    states: Reader<'a>,
    extension: Option<Reader<'a>>,
}

/// Reads the converter of a name such as `ibm-930_P120-1999`.
pub(super) fn mixed_converter(data: &[u8], name: &str) -> Result<Mixed, String> {
    let items = icu::items(data)?;
    let item = find(&items, name)?;
    let static_data = item.after_header(b"cnvt")?;
    let (double_substitute, substitute) = (static_data.u16(72)?.swap_bytes(), static_data.u8(80)?);
    if static_data.u8(76)? != 2 || substitute == 0 {
        return Err(item.error("needs a substitution character of each width"));
    }
    let tables = tables(&items, item)?;
    let single = (0..=255).map(|byte| tables.mapping(&[byte])).collect::<Result<_, _>>()?;
    let mut double = Vec::new();
    for code in 0..=0xFFFFu16 {
        if let Some(mapping) = tables.mapping(&code.to_be_bytes())? {
            double.push((code, mapping));
        }
    }
    Ok(Mixed { name: static_data.text(4)?.to_string(), substitute, double_substitute, single, double })
}

fn find<'a, 'b>(items: &'b [Reader<'a>], name: &str) -> Result<&'b Reader<'a>, String> {
    let ends = |item: &&Reader<'_>| item.name.rsplit('/').next() == Some(&format!("{name}.cnv"));
    items.iter().find(ends).ok_or_else(|| format!("the data file has no {name}"))
}

fn tables<'a>(items: &[Reader<'a>], item: &Reader<'a>) -> Result<Tables<'a>, String> {
    let static_data = item.after_header(b"cnvt")?;
    let states = Reader { start: static_data.start + static_data.u32(0)? as usize, ..static_data };
    let flags = states.u32(24)?;
    let (output_type, offset) = (flags & 0xFF, (flags >> 8) as usize);
    let extension = (offset != 0).then_some(Reader { start: states.start + offset, ..states });
    match (states.u8(0)?, output_type) {
        (4, 0xC) => Ok(Tables { states, extension }),
        // Only the extension: the state table is that of a base, whose own extension does not count.
        (4, 0xE) => {
            let base = tables(items, find(items, states.text(32)?)?)?;
            Ok(Tables { states: base.states, extension })
        }
        other => Err(item.error(&format!("version and output type {other:?}, not (4, 12 or 14)"))),
    }
}

/// The entry of the state table for a code.
enum Base {
    Mapped(Mapping),
    /// The extension may know it.
    Unassigned,
    /// It is a shift, or not well-formed.
    NoCode,
}

impl Tables<'_> {
    fn mapping(&self, code: &[u8]) -> Result<Option<Mapping>, String> {
        match self.base(code)? {
            Base::Mapped(mapping) => Ok(Some(mapping)),
            Base::Unassigned => self.extended(code),
            Base::NoCode => Ok(None),
        }
    }

    /// Walks the state table from state 0 for one byte, from state 1 for two.
    fn base(&self, code: &[u8]) -> Result<Base, String> {
        let table = &self.states;
        let (mut state, mut unit) = (code.len() - 1, 0);
        for (position, byte) in code.iter().enumerate() {
            let entry = table.u32(32 + 1024 * state + 4 * usize::from(*byte))?;
            if entry >> 31 == 0 {
                state = (entry >> 24) as usize;
                unit += entry & 0xFF_FFFF;
                continue;
            }
            if position + 1 < code.len() {
                return Ok(Base::NoCode);
            }
            let value = entry & 0xF_FFFF;
            return match (entry >> 20) & 0xF {
                0 => Ok(mapped(value & 0xFFFF, true)),
                1 => Ok(mapped(value + 0x1_0000, true)),
                2 => Ok(mapped(value & 0xFFFF, false)),
                3 => Ok(mapped(value + 0x1_0000, false)),
                4 => self.unit(unit + (value & 0xFFFF)),
                5 => self.unit_pair(unit + (value & 0xFFFF)),
                6 => Ok(Base::Unassigned),
                7 | 8 => Ok(Base::NoCode),
                action => Err(table.error(&format!("{code:02X?} has action {action}"))),
            };
        }
        Ok(Base::NoCode)
    }

    fn code_unit(&self, index: u32) -> Result<u32, String> {
        let units = self.states.u32(12)? as usize;
        self.states.u16(units + 2 * index as usize).map(u32::from)
    }

    /// A character as one unit; FFFE asks for the list of one-way mappings.
    fn unit(&self, index: u32) -> Result<Base, String> {
        match self.code_unit(index)? {
            0xFFFE => {
                let (states, one_ways) = (self.states.u32(4)? as usize, self.states.u32(8)? as usize);
                for entry in (0..one_ways).map(|number| 32 + 1024 * states + 8 * number) {
                    if self.states.u32(entry)? == index {
                        return Ok(mapped(self.states.u32(entry + 4)?, false));
                    }
                }
                Ok(Base::Unassigned)
            }
            0xFFFF => Ok(Base::Unassigned),
            unit => Ok(mapped(unit, true)),
        }
    }

    /// A character as two units: itself, or E000 (E001 when one-way) and itself, or surrogates, of which a
    /// first one from DC00 marks a one-way mapping.
    fn unit_pair(&self, index: u32) -> Result<Base, String> {
        let second = self.code_unit(index + 1);
        match self.code_unit(index)? {
            first @ 0..0xD800 => Ok(mapped(first, true)),
            first @ 0xD800..0xE000 => {
                Ok(mapped(0x1_0000 + ((first & 0x3FF) << 10) + (second? - 0xDC00), first < 0xDC00))
            }
            0xE000 => Ok(mapped(second?, true)),
            0xE001 => Ok(mapped(second?, false)),
            _ => Ok(Base::Unassigned),
        }
    }

    /// Walks the sections of the extension table. Each begins with its count and its default.
    fn extended(&self, code: &[u8]) -> Result<Option<Mapping>, String> {
        let Some(extension) = &self.extension else { return Ok(None) };
        let (table, mut section) = (extension.u32(4)? as usize, 0);
        let word = |index: u32| extension.u32(table + 4 * index as usize);
        for (position, byte) in code.iter().enumerate() {
            let (mut low, mut high) = (section + 1, section + 1 + (word(section)? >> 24));
            let end = high;
            while low < high {
                let middle = low.midpoint(high);
                match word(middle)? >> 24 < u32::from(*byte) {
                    true => low = middle + 1,
                    false => high = middle,
                }
            }
            let entry = if low < end { word(low)? } else { 0 };
            let value = if entry >> 24 == u32::from(*byte) { entry & 0xFF_FFFF } else { 0 };
            let is_last = position + 1 == code.len();
            match value {
                0 => return Ok(None),
                1..0x1F_0000 if is_last => return extension_result(extension, word(value)? & 0xFF_FFFF),
                1..0x1F_0000 => section = value,
                _ if is_last => return extension_result(extension, value),
                _ => return Ok(None),
            }
        }
        Ok(None)
    }
}

/// A result in the extension table: bit 23 for round trips, then a character or where its units are.
fn extension_result(extension: &Reader<'_>, value: u32) -> Result<Option<Mapping>, String> {
    let round_trip = value & 0x80_0000 != 0;
    let value = value & 0x7F_FFFF;
    if value < 0x1F_0000 {
        return Ok(None);
    }
    if value <= 0x2F_FFFF {
        return Ok(Some(Mapping { characters: [value - 0x1F_0000, 0], round_trip }));
    }
    let (index, length) = ((value & 0x3_FFFF) as usize, ((value >> 18) - 12) as usize);
    let units = extension.u32(12)? as usize;
    let units: Vec<u16> =
        (index..index + length).map(|index| extension.u16(units + 2 * index)).collect::<Result<_, _>>()?;
    let text = String::from_utf16(&units).map_err(|error| extension.error(&error.to_string()))?;
    let mut characters = text.chars().map(u32::from);
    let pair = [characters.next().unwrap_or(0), characters.next().unwrap_or(0)];
    match characters.next() {
        None => Ok(Some(Mapping { characters: pair, round_trip })),
        Some(_) => Err(extension.error(&format!("{text:?} is longer than two characters"))),
    }
}

fn mapped(character: u32, round_trip: bool) -> Base {
    Base::Mapped(Mapping { characters: [character, 0], round_trip })
}
