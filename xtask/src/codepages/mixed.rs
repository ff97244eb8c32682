//! Writes the tables of the mixed and the double-byte pages: `tables/mixed.rs` with the lists and the
//! single-byte parts, and `tables/dbcs-*.bin` with the double-byte parts, whose format is described in
//! `double_byte.rs` of the `codepage` crate.

use super::icu::UNDEFINED;
use super::mbcs::{self, Mapping, Mixed};
use super::{HEADER, write};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// The double-byte parts: the CCSID that names the file, ICU's converter, and a name.
const DOUBLE_BYTE_PARTS: [(u16, &str, &str); 8] = [
    (300, "ibm-930_P120-1999", "EBCDIC Japan, double-byte"),
    (834, "ibm-933_P110-1995", "EBCDIC Korea, double-byte"),
    (835, "ibm-937_P110-1999", "EBCDIC Traditional Chinese, double-byte"),
    (837, "ibm-935_P110-1999", "EBCDIC Simplified Chinese, double-byte"),
    (4930, "ibm-1364_P110-2007", "EBCDIC Korea, double-byte, full Hangul"),
    (4933, "ibm-1388_P100-2024", "EBCDIC Simplified Chinese, double-byte, GB 18030"),
    (9027, "ibm-1371_P100-1999", "EBCDIC Traditional Chinese, double-byte with euro"),
    (16684, "ibm-1390_P110-2003", "EBCDIC Japan, double-byte, JIS X 0213, with euro"),
];

/// Double-byte CCSIDs that are a subset of another one and use its table.
const DOUBLE_BYTE_SUBSETS: [(u16, u16, &str); 1] =
    [(4396, 300, "EBCDIC Japan, double-byte, 1880 user-defined characters")];

/// The mixed pages: CCSID, the CCSID of the double-byte part, ICU's converter, and a name. ICU takes the tables
/// of 930 and 939 for 5026 and 5035, which have fewer user-defined characters.
const MIXED_PAGES: [(u16, u16, &str, &str); 12] = [
    (930, 300, "ibm-930_P120-1999", "EBCDIC Japan, Katakana and Kanji"),
    (933, 834, "ibm-933_P110-1995", "EBCDIC Korea"),
    (935, 837, "ibm-935_P110-1999", "EBCDIC Simplified Chinese"),
    (937, 835, "ibm-937_P110-1999", "EBCDIC Traditional Chinese"),
    (939, 300, "ibm-939_P120-1999", "EBCDIC Japan, Latin and Kanji"),
    (1364, 4930, "ibm-1364_P110-2007", "EBCDIC Korea, full Hangul"),
    (1371, 9027, "ibm-1371_P100-1999", "EBCDIC Traditional Chinese with euro"),
    (1388, 4933, "ibm-1388_P100-2024", "EBCDIC Simplified Chinese, GB 18030"),
    (1390, 16684, "ibm-1390_P110-2003", "EBCDIC Japan, Katakana and Kanji, JIS X 0213, with euro"),
    (1399, 16684, "ibm-1399_P110-2003", "EBCDIC Japan, Latin and Kanji, JIS X 0213, with euro"),
    (5026, 300, "ibm-930_P120-1999", "EBCDIC Japan, Katakana and Kanji, 1880 user-defined characters"),
    (5035, 300, "ibm-939_P120-1999", "EBCDIC Japan, Latin and Kanji, 1880 user-defined characters"),
];

/// The second bytes of a code are at least this; a row of a table has those from here to FF.
const FIRST_TRAIL: u16 = 0x40;
const ROW_CODES: usize = 0xC0;

/// Writes everything into `crates/text/codepage/src/tables`.
pub(super) fn generate(icu_data: &[u8], folder: &Path) -> Result<(), String> {
    let mut parts = BTreeMap::new();
    for (ccsid, converter, _) in DOUBLE_BYTE_PARTS {
        let mixed = mbcs::mixed_converter(icu_data, converter)?;
        let bytes = table(&mixed)?;
        let path = folder.join(format!("dbcs-{ccsid}.bin"));
        std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        parts.insert(ccsid, mixed);
    }
    let mut pages = Vec::new();
    for (ccsid, part, converter, name) in MIXED_PAGES {
        let mixed = mbcs::mixed_converter(icu_data, converter)?;
        check(&mixed, &parts[&part])?;
        pages.push((ccsid, part, name, mixed));
    }
    write(&folder.join("mixed.rs"), &rust_file(&pages)?)
}

/// The pages of one part must have its codes, and no character two codes.
fn check(page: &Mixed, part: &Mixed) -> Result<(), String> {
    let same = |((code, mapping), (part_code, part_mapping)): (&(u16, Mapping), &(u16, Mapping))| {
        (code, mapping.characters) == (part_code, part_mapping.characters)
    };
    if page.double.len() != part.double.len() || !page.double.iter().zip(&part.double).all(same) {
        return Err(format!("{} does not have the double-byte part of {}", page.name, part.name));
    }
    if (page.substitute, page.double_substitute) != (0x3F, 0xFEFE) {
        return Err(format!("{}: the substitutes are not 3F and FEFE", page.name));
    }
    let single = page.single.iter().flatten().copied();
    let double = page.double.iter().map(|(_, mapping)| *mapping);
    let mut seen = BTreeSet::new();
    match single.chain(double).filter(|mapping| mapping.round_trip).find(|mapping| !seen.insert(*mapping)) {
        Some(mapping) => Err(format!("{}: two codes for {mapping:X?}", page.name)),
        None => Ok(()),
    }
}

/// The binary table of a double-byte part.
fn table(mixed: &Mixed) -> Result<Vec<u8>, String> {
    let leads: BTreeSet<u8> = mixed.double.iter().map(|(code, _)| code.to_be_bytes()[0]).collect();
    let mut rows = [0u8; 256];
    for (number, lead) in (1u8..).zip(&leads) {
        rows[usize::from(*lead)] = number;
    }
    let mut units = vec![UNDEFINED; leads.len() * ROW_CODES];
    let (mut wide, mut one_way) = (Vec::new(), Vec::new());
    for (code, Mapping { characters, round_trip }) in &mixed.double {
        let [lead, trail] = code.to_be_bytes();
        let column = u16::from(trail).checked_sub(FIRST_TRAIL).filter(|_| trail != 0xFF);
        let column = column.ok_or_else(|| format!("{}: code {code:04X}", mixed.name))?;
        let place = (usize::from(rows[usize::from(lead)]) - 1) * ROW_CODES + usize::from(column);
        units[place] = match (u16::try_from(characters[0]), characters[1]) {
            (Ok(unit @ (0..0xD800 | 0xE000..UNDEFINED)), 0) => unit,
            _ => {
                wide.push(*characters);
                0xD800 + wide.len() as u16 - 1
            }
        };
        // A mapping that is one-way only because the single-byte part has the character is not one-way in this part.
        let single = mixed.single.iter().flatten().any(|single| single.characters == *characters);
        if !round_trip && !single {
            one_way.push(*code);
        }
    }
    if wide.len() > 0x800 {
        return Err(format!("{}: {} wide characters", mixed.name, wide.len()));
    }
    let counts = [leads.len(), wide.len(), one_way.len()].map(|count| count as u16);
    let mut bytes: Vec<u8> = counts.iter().flat_map(|count| count.to_le_bytes()).collect();
    bytes.extend(rows);
    bytes.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
    bytes.extend(wide.iter().flatten().flat_map(|character| character.to_le_bytes()));
    bytes.extend(one_way.iter().flat_map(|code| code.to_le_bytes()));
    Ok(bytes)
}

fn rust_file(pages: &[(u16, u16, &str, Mixed)]) -> Result<String, String> {
    let mut text =
        format!("//! The lists of the mixed and the double-byte pages, by ascending CCSID.\n{HEADER}\n");
    text += "use crate::double_byte::DoubleByte;\nuse crate::mixed::Mixed;\nuse crate::reverse::Reverse;\n";
    text += "use crate::{CodePage, Data, Family};\n\n";
    for (ccsid, converter, _) in DOUBLE_BYTE_PARTS {
        let _ = writeln!(
            text,
            "// {converter}\nstatic PART_{ccsid}: DoubleByte = \
             DoubleByte::new(include_bytes!(\"dbcs-{ccsid}.bin\"));"
        );
    }
    let mut parts: Vec<_> =
        DOUBLE_BYTE_PARTS.iter().map(|(ccsid, _, name)| (*ccsid, *ccsid, *name)).collect();
    parts.extend(DOUBLE_BYTE_SUBSETS);
    parts.sort_unstable();
    let count = parts.len();
    let _ = write!(
        text,
        "\n/// Every double-byte CCSID, with its name.\n#[rustfmt::skip]\n\
         pub(crate) static DOUBLE_BYTE: [(u16, &str, &DoubleByte); {count}] = [\n"
    );
    for (ccsid, part, name) in parts {
        let _ = writeln!(text, "    ({ccsid}, {name:?}, &PART_{part}),");
    }
    text += "];\n\n/// Every mixed page.\n#[rustfmt::skip]\n";
    let _ = writeln!(text, "pub(crate) static MIXED: [Mixed; {}] = [", pages.len());
    for (ccsid, part, name, Mixed { name: converter, substitute, .. }) in pages {
        let table = table_of(pages, converter);
        let _ = writeln!(
            text,
            "    Mixed::new(CodePage::new(Data {{ ccsid: {ccsid}, name: {name:?}, converter: {converter:?}, \
             family: Family::Ebcdic, substitute: 0x{substitute:02X}, to_unicode: &CHARACTERS_{table}, \
             one_way: &[] }}, BYTES_{table}.view()), &PART_{part}),"
        );
    }
    text += "];\n";
    for (ccsid, _, _, mixed) in pages {
        if table_of(pages, &mixed.name) == *ccsid {
            text += &single_byte_part(*ccsid, mixed)?;
        }
    }
    Ok(text)
}

/// The first page with a converter has the arrays.
fn table_of(pages: &[(u16, u16, &str, Mixed)], converter: &str) -> u16 {
    pages.iter().find(|(.., mixed)| mixed.name == converter).map_or(0, |(ccsid, ..)| *ccsid)
}

fn single_byte_part(ccsid: u16, mixed: &Mixed) -> Result<String, String> {
    let mut units = Vec::new();
    for mapping in &mixed.single {
        units.push(match mapping {
            None => UNDEFINED,
            Some(Mapping { characters: [character, 0], round_trip: true }) => {
                u16::try_from(*character).map_err(|error| format!("{}: {error}", mixed.name))?
            }
            Some(mapping) => return Err(format!("{}: a single byte is {mapping:X?}", mixed.name)),
        });
    }
    let uppers: BTreeSet<u16> =
        units.iter().filter(|unit| **unit != UNDEFINED).map(|unit| unit >> 8).collect();
    let mut text =
        format!("\n// {}\n#[rustfmt::skip]\nstatic CHARACTERS_{ccsid}: [u16; 256] = [\n", mixed.name);
    for row in units.chunks(32) {
        let row: Vec<String> = row.iter().map(|unit| format!("0x{unit:04X}")).collect();
        let _ = writeln!(text, "    {},", row.join(","));
    }
    let blocks = uppers.len() + 1;
    let _ = write!(
        text,
        "];\nstatic BYTES_{ccsid}: Reverse<{blocks}> = Reverse::new(&CHARACTERS_{ccsid}, &[]);\n"
    );
    Ok(text)
}
