//! Reads single-byte converters from ICU's common data file (`icudt*l.dat`, little-endian).
//!
//! The formats are those of ICU's `ucmndata.h` (the package), `udata.h` (the headers), `ucnv_bld.h` and
//! `ucnvmbcs.h` (the converters).

/// U+FFFD: what `to_unicode` holds where a byte has no character.
pub(crate) const UNDEFINED: u16 = 0xFFFD;

/// The mappings of one single-byte converter.
#[derive(Clone)]
pub(crate) struct Converter {
    pub(crate) ccsid: u16,
    pub(crate) name: String,
    pub(crate) substitute: u8,
    /// The character of each byte, [`UNDEFINED`] for none.
    pub(crate) to_unicode: [u16; 256],
    /// The bytes whose character is encoded as another byte or not at all (`|3` in a `.ucm` file).
    pub(crate) one_way: Vec<u8>,
}

impl Converter {
    /// A page whose first `count` bytes are the characters of the same number.
    pub(crate) fn identity(ccsid: u16, name: &str, count: u16) -> Converter {
        let to_unicode =
            std::array::from_fn(|byte| if byte < count.into() { byte as u16 } else { UNDEFINED });
        Converter { ccsid, name: name.to_string(), substitute: 0x1A, to_unicode, one_way: Vec::new() }
    }

    /// The bytes that survive a round trip, with their characters.
    pub(crate) fn round_trips(&self) -> impl Iterator<Item = (u8, u16)> {
        (0u8..=255)
            .map(|byte| (byte, self.to_unicode[usize::from(byte)]))
            .filter(|(byte, unit)| *unit != UNDEFINED && !self.one_way.contains(byte))
    }

    /// The byte of a character.
    pub(crate) fn encode(&self, character: u16) -> Option<u8> {
        self.round_trips().find(|(_, unit)| *unit == character).map(|(byte, _)| byte)
    }
}

/// The single-byte converters that have a CCSID. The others (Macintosh and internal tables, some ISO 8859
/// parts) have 0 in its place.
pub(crate) fn single_byte_converters(data: &[u8]) -> Result<Vec<Converter>, String> {
    let mut converters = Vec::new();
    for item in items(data)?.iter().filter(|item| item.name.ends_with(".cnv")) {
        converters.extend(converter(item)?);
    }
    Ok(converters)
}

/// The items of the package, each with its name.
pub(super) fn items(data: &[u8]) -> Result<Vec<Reader<'_>>, String> {
    let package = Reader { data, start: 0, name: "the data file" };
    let contents = package.after_header(b"CmnD")?;
    let mut items = Vec::new();
    for entry in 0..contents.u32(0)? as usize {
        let name = contents.text(contents.u32(4 + 8 * entry)? as usize)?;
        let start = contents.start + contents.u32(8 + 8 * entry)? as usize;
        items.push(Reader { data, start, name });
    }
    Ok(items)
}

/// The converter in one `.cnv` item, `None` if it is not a single-byte one with a CCSID.
fn converter(item: &Reader<'_>) -> Result<Option<Converter>, String> {
    // UConverterStaticData
    let data = item.after_header(b"cnvt")?;
    let ccsid = data.u32(64)?;
    let (conversion_type, byte_count_max) = (data.u8(69)?, data.u8(71)?);
    if conversion_type != 2 || byte_count_max != 1 || ccsid == 0 {
        return Ok(None);
    }
    let ccsid = u16::try_from(ccsid).map_err(|_| data.error(&format!("CCSID {ccsid} exceeds 65535")))?;

    // _MBCSHeader, then the states. The low byte of the flags is the output type, the rest an extension.
    let table = Reader { start: data.start + data.u32(0)? as usize, ..data };
    let (version, states, flags) = (table.u8(0)?, table.u32(4)?, table.u32(24)?);
    if (version, states, flags) != (4, 1, 0) {
        return Err(data.error(&format!("version {version}, {states} states, flags {flags:#x}, not 4, 1, 0")));
    }
    let (to_unicode, one_way) = decode_mappings(&table)?;
    let converter =
        Converter { ccsid, name: data.text(4)?.to_string(), substitute: data.u8(72)?, to_unicode, one_way };
    check_encode_mappings(&converter, &table)?;
    Ok(Some(converter))
}

/// The state table: one entry a byte, the action in bits 20 to 23 and the character below.
fn decode_mappings(table: &Reader<'_>) -> Result<([u16; 256], Vec<u8>), String> {
    let mut to_unicode = [UNDEFINED; 256];
    let mut one_way = Vec::new();
    for byte in 0u8..=255 {
        let entry = table.u32(32 + 4 * usize::from(byte))?;
        let unit = entry as u16;
        match (entry >> 20) & 0xF {
            0 => to_unicode[usize::from(byte)] = unit,
            2 => {
                to_unicode[usize::from(byte)] = unit;
                one_way.push(byte);
            }
            6 | 7 => {}
            action => return Err(table.error(&format!("byte {byte:02X} has action {action}"))),
        }
    }
    Ok((to_unicode, one_way))
}

/// The trie from characters to bytes must hold the same round trips (results F00 and above). Its other
/// results are fallbacks (`|1` in a `.ucm` file), such as full-width letters: those are left out, so that
/// text is never encoded as something that decodes to other text.
fn check_encode_mappings(converter: &Converter, table: &Reader<'_>) -> Result<(), String> {
    let (trie, results) = (table.u32(16)? as usize, table.u32(20)? as usize);
    for character in 0..=0xFFFFu16 {
        let index = usize::from(character);
        let stage2 = usize::from(table.u16(trie + 2 * (index >> 10))?) + ((index >> 4) & 0x3F);
        let stage3 = usize::from(table.u16(trie + 2 * stage2)?) + (index & 0xF);
        let result = table.u16(results + 2 * stage3)?;
        let encoded = (result >= 0xF00).then_some(result as u8);
        let decoded = encoded.map(|byte| converter.to_unicode[usize::from(byte)]);
        let one_way = encoded.is_some_and(|byte| converter.one_way.contains(&byte));
        if one_way || decoded.is_some_and(|unit| unit != character) {
            return Err(table.error(&format!("U+{character:04X} makes no round trip")));
        }
        if encoded.is_none() && converter.encode(character).is_some() {
            return Err(table.error(&format!("U+{character:04X} is decoded but not encoded")));
        }
    }
    Ok(())
}

/// Little-endian numbers at offsets from `start`, with the item's name for errors.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) data: &'a [u8],
    pub(super) start: usize,
    pub(super) name: &'a str,
}

impl<'a> Reader<'a> {
    fn bytes<const N: usize>(&self, offset: usize) -> Result<[u8; N], String> {
        let start = self.start + offset;
        let bytes = self.data.get(start..start + N).and_then(|bytes| bytes.try_into().ok());
        bytes.ok_or_else(|| self.error(&format!("ends before offset {start}")))
    }

    pub(super) fn u8(&self, offset: usize) -> Result<u8, String> {
        Ok(self.bytes::<1>(offset)?[0])
    }

    pub(super) fn u16(&self, offset: usize) -> Result<u16, String> {
        Ok(u16::from_le_bytes(self.bytes(offset)?))
    }

    pub(super) fn u32(&self, offset: usize) -> Result<u32, String> {
        Ok(u32::from_le_bytes(self.bytes(offset)?))
    }

    /// The text up to the next NUL.
    pub(super) fn text(&self, offset: usize) -> Result<&'a str, String> {
        let rest = self.data.get(self.start + offset..).unwrap_or_default();
        let end =
            rest.iter().position(|byte| *byte == 0).ok_or_else(|| self.error("has text without end"))?;
        std::str::from_utf8(&rest[..end]).map_err(|error| self.error(&error.to_string()))
    }

    /// The data behind ICU's header, which must name this format: length, magic number, and UDataInfo.
    pub(super) fn after_header(&self, format: &[u8; 4]) -> Result<Reader<'a>, String> {
        if self.bytes(2)? != [0xDA, 0x27] || self.u8(8)? != 0 || self.bytes(12)? != *format {
            let format = String::from_utf8_lossy(format);
            return Err(self.error(&format!("is not little-endian ICU data of the format {format}")));
        }
        Ok(Reader { start: self.start + usize::from(self.u16(0)?), ..*self })
    }

    pub(super) fn error(&self, problem: &str) -> String {
        format!("{}: {problem}", self.name)
    }
}
