//! Writes the tables of the `codepage` crate from the converters in ICU's data file.
//!
//! The data file is the one in ICU's source release. On Debian, with a `deb-src` line for the release:
//!
//! ```text
//! apt-get source --download-only icu
//! tar xzf icu_76.1.orig.tar.gz icu/source/data/in/icudt76l.dat
//! cargo xtask codepages icu/source/data/in/icudt76l.dat
//! ```
//!
//! The release has no `.ucm` files; the compiled converters in the data file say the same: which mappings are
//! round trips, which are one-way, and the substitution byte. Debian 12 (ICU 72) and 13 (ICU 76) give the same
//! single-byte tables; of the mixed pages, 1388 was renewed between them, and the checked-in one is ICU 76's.
//! The output depends on nothing else, so a second run writes the same bytes.

mod icu;
mod mbcs;
mod mixed;
mod names;

use icu::Converter;
use std::fmt::Write;
use std::path::Path;

/// Windows pages whose table is that of a later CCSID, the one ICU takes for the same `windows-` name: with
/// the euro sign and, for 1255 to 1257, the letters Windows added later.
const NEWER_TABLES: [(u16, u16); 9] = [
    (1250, 5346),
    (1251, 5347),
    (1252, 5348),
    (1253, 5349),
    (1254, 5350),
    (1255, 9447),
    (1256, 9448),
    (1257, 9449),
    (1258, 5354),
];

/// Which of the two generated files a page is in.
#[derive(Clone, Copy, PartialEq)]
enum Family {
    Ebcdic,
    Ascii,
}

/// One entry of the generated list.
struct Page {
    ccsid: u16,
    name: &'static str,
    family: Family,
    /// The CCSID whose arrays this page uses; its own unless [`NEWER_TABLES`] says otherwise.
    table: u16,
    converter: Converter,
}

/// Reads ICU's data file and writes `crates/text/codepage/src/tables.rs` and `tables/*.rs`.
pub(crate) fn generate(icu_data: &Path) -> Result<(), String> {
    let data = std::fs::read(icu_data).map_err(|error| format!("{}: {error}", icu_data.display()))?;
    let pages = pages(icu::single_byte_converters(&data)?)?;

    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/text/codepage/src");
    write(&source.join("tables/ebcdic.rs"), &family_file(&pages, Family::Ebcdic))?;
    write(&source.join("tables/ascii.rs"), &family_file(&pages, Family::Ascii))?;
    write(&source.join("tables.rs"), &list_file(&pages))?;
    mixed::generate(&data, &source.join("tables"))?;
    println!("{} single-byte pages", pages.len());
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// The pages to write, by ascending CCSID.
fn pages(mut converters: Vec<Converter>) -> Result<Vec<Page>, String> {
    // ICU has these two as code, not as tables.
    converters.push(Converter::identity(367, "US-ASCII", 0x80));
    converters.push(Converter::identity(819, "ISO-8859-1", 0x100));
    converters.sort_by_key(|converter| converter.ccsid);

    converters.iter().map(|converter| page(converter.ccsid, &converters)).collect()
}

fn page(ccsid: u16, converters: &[Converter]) -> Result<Page, String> {
    let table =
        NEWER_TABLES.iter().find(|(replaced, _)| *replaced == ccsid).map_or(ccsid, |(_, newer)| *newer);
    let converter = converters
        .iter()
        .find(|converter| converter.ccsid == table)
        .ok_or_else(|| format!("no converter for CCSID {table}"))?
        .clone();
    let name = names::name(ccsid).ok_or_else(|| format!("CCSID {ccsid} has no name in names.rs"))?;
    let family = match converter.encode(b'0'.into()) {
        Some(0xF0) => Family::Ebcdic,
        Some(0x30) => Family::Ascii,
        digit => return Err(format!("{}: '0' is {digit:?}, neither F0 nor 30", converter.name)),
    };
    // The reverse tables of the crate use 00 for "no byte", and a page promises a blank.
    if converter.encode(0) != Some(0) || converter.encode(b' '.into()).is_none() {
        return Err(format!("{}: needs U+0000 as 00 and a blank", converter.name));
    }
    Ok(Page { ccsid, name, family, table, converter })
}

const HEADER: &str = "//!
//! Written by `cargo xtask codepages` from ICU's data; do not edit. The data is Copyright © Unicode, Inc.,
//! under the Unicode-3.0 licence: see LICENSE-UNICODE.
";

fn family_file(pages: &[Page], family: Family) -> String {
    let title = match family {
        Family::Ebcdic => "The characters of the EBCDIC pages.",
        Family::Ascii => "The characters of the ASCII pages.",
    };
    let mut text = format!("//! {title}\n{HEADER}\nuse crate::reverse::Reverse;\n");
    for page in pages.iter().filter(|page| page.family == family && page.table == page.ccsid) {
        let Page { ccsid, converter, .. } = page;
        let _ = write!(text, "\n// {}\n#[rustfmt::skip]\n", converter.name);
        let _ = writeln!(text, "pub(super) static CHARACTERS_{ccsid}: [u16; 256] = [");
        for row in converter.to_unicode.chunks(32) {
            let row: Vec<String> = row.iter().map(|unit| format!("0x{unit:04X}")).collect();
            let _ = writeln!(text, "    {},", row.join(","));
        }
        let one_way: Vec<String> = converter.one_way.iter().map(|byte| format!("0x{byte:02X}")).collect();
        let blocks = block_count(converter);
        let _ = write!(
            text,
            "];\npub(super) static BYTES_{ccsid}: Reverse<{blocks}> = \
             Reverse::new(&CHARACTERS_{ccsid}, &[{}]);\n",
            one_way.join(", ")
        );
    }
    text
}

/// One block for "none" and one for each upper byte of the characters that can be encoded.
fn block_count(converter: &Converter) -> usize {
    let mut uppers: Vec<u16> = converter.round_trips().map(|(_, unit)| unit >> 8).collect();
    uppers.sort_unstable();
    uppers.dedup();
    uppers.len() + 1
}

fn list_file(pages: &[Page]) -> String {
    let mut text = format!("//! The list of the code pages, by ascending CCSID.\n{HEADER}\n");
    text += "mod ascii;\nmod ebcdic;\npub(crate) mod mixed;\n\nuse crate::{CodePage, Data, Family};\n\n";
    text += "/// Every page, by ascending CCSID.\n#[rustfmt::skip]\n";
    let _ = writeln!(text, "pub(crate) static PAGES: [CodePage; {}] = [", pages.len());
    for Page { ccsid, name, family, table, converter } in pages {
        let (variant, module) = match family {
            Family::Ebcdic => ("Ebcdic", "ebcdic"),
            Family::Ascii => ("Ascii", "ascii"),
        };
        let _ = writeln!(
            text,
            "    CodePage::new(Data {{ ccsid: {ccsid}, name: {name:?}, converter: {:?}, family: Family::{variant}, \
             substitute: 0x{:02X}, to_unicode: &{module}::CHARACTERS_{table}, one_way: &{:?} }}, \
             {module}::BYTES_{table}.view()),",
            converter.name, converter.substitute, converter.one_way
        );
    }
    text += "];\n";
    text
}
