//! Every page against glibc's `iconv`, whose tables do not come from ICU: they must agree on every byte that
//! is not listed in [`DIFFERENCES`], and differ on every byte that is. Checked with glibc 2.36.

use codepage::{CodePage, Family};
use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

const UNDEFINED: u16 = 0xFFFD;

/// Pages that `iconv` does not have, or not the same edition of.
const NOT_COMPARED: [(u16, &str); 8] = [
    (720, "not in glibc"),
    (867, "not in glibc"),
    (868, "glibc has an older table: base letters for presentation forms, the rest moved by one"),
    (918, "glibc has an older table: base letters for presentation forms"),
    (1006, "not in glibc"),
    (1098, "not in glibc"),
    (1131, "not in glibc"),
    (1276, "not in glibc"),
];

/// The names that are not `IBM` and the CCSID. The first three are mixed pages whose single-byte part is the
/// page: glibc's own IBM290 has full-width Katakana and no small letters.
const ICONV_NAMES: [(u16, &str); 34] = [
    (290, "IBM930"),
    (8482, "IBM1390"),
    (5123, "IBM1399"),
    (838, "IBM9030"),
    (878, "KOI8-R"),
    (913, "ISO-8859-3"),
    (914, "ISO-8859-4"),
    (923, "ISO-8859-15"),
    (1051, "HP-ROMAN8"),
    (1168, "KOI8-U"),
    (5012, "ISO-8859-8"),
    (9005, "ISO-8859-7"),
    (9067, "IBM4971"),
    (737, "CP737"),
    (1125, "CP1125"),
    (1250, "CP1250"),
    (1251, "CP1251"),
    (1252, "CP1252"),
    (1253, "CP1253"),
    (1254, "CP1254"),
    (1255, "CP1255"),
    (1256, "CP1256"),
    (1257, "CP1257"),
    (1258, "CP1258"),
    (5346, "CP1250"),
    (5348, "CP1252"),
    (5349, "CP1253"),
    (5350, "CP1254"),
    (5351, "CP1255"),
    (5352, "CP1256"),
    (5353, "CP1257"),
    (5354, "CP1258"),
    (9447, "CP1255"),
    (9449, "CP1257"),
];

/// Pages and `byte:ours/iconv`, with FFFD for "no character", and the reason.
const DIFFERENCES: &[(&[u16], &str, &str)] = &[
    (
        &[437, 737, 775, 850, 851, 852, 855, 857, 858, 860, 861, 862, 863, 864, 865, 866, 869, 874, 1125],
        "1A:001C/001A 1C:007F/001C 7F:001A/007F",
        "IBM rotates three controls in PC pages; glibc does not",
    ),
    (&[437, 860, 861, 862, 863, 865], "E6:03BC/00B5", "IBM says Greek mu, glibc (and Microsoft) micro sign"),
    (&[278], "71:005C/00C9 E0:00C9/005C", "glibc has them swapped; its own IBM1143 agrees with ICU"),
    (&[871], "4A:00DE/00FE C0:00FE/00DE", "glibc has them swapped; its own IBM1149 agrees with ICU"),
    (&[285], "A1:00AF/203E", "macron or overline; glibc's own IBM1146 agrees with ICU"),
    (&[420], "45:200B/FFFD", "glibc's own IBM16804 agrees with ICU"),
    (&[424], "78:2017/21D4 8F:00B1/FFFD B3:2022/00B7 BC:203E/00AF", "glibc's own IBM12712 agrees with ICU"),
    (&[813], "A4:FFFD/20AC A5:FFFD/20AF AA:FFFD/037A", "added to ISO 8859-7 in 2003: CCSIDs 4909, 9005"),
    (&[813], "B4:00B4/0384 B7:0387/00B7", "acute or tonos, ano teleia or middle dot: one sign, two numbers"),
    (
        &[851],
        "B7:039C/039D B8:039D/039C F7:00B8/02DB",
        "glibc has mu and nu swapped, and an ogonek for a cedilla",
    ),
    (&[852], "AA:FFFD/00AC", "ICU leaves AA free, as IBM's first edition of the page"),
    (&[864], "25:0025/066A", "percent sign or Arabic percent sign: one sign, two numbers"),
    (
        &[864],
        "9F:200B/FFFD D7:FEC3/FEC1 D8:FEC7/FEC5 F1:FE7C/0651",
        "ICU has other presentation forms of the letters",
    ),
    (&[869], "88:0387/00B7 EF:00B4/0384", "acute or tonos, ano teleia or middle dot: one sign, two numbers"),
    (&[870], "B0:02D9/00B7", "dot above or middle dot; glibc's own IBM1153 agrees with ICU"),
    (
        &[874],
        "80:FFFD/20AC 85:FFFD/2026 91:FFFD/2018 92:FFFD/2019 93:FFFD/201C 94:FFFD/201D 95:FFFD/2022 \
         96:FFFD/2013 97:FFFD/2014 A0:0E48/00A0 DB:0E49/FFFD DC:0E4A/FFFD DD:0E4B/FFFD DE:0E4C/FFFD \
         FC:00A2/FFFD FD:00AC/FFFD FE:00A6/FFFD FF:00A0/FFFD",
        "glibc has the Windows page under the name: CCSID 1162",
    ),
    (&[875], "6A:007C/FFFD 74:00A0/2207 DD:0387/00B7", "glibc's own IBM4971 agrees with ICU"),
    (
        &[916],
        "AF:203E/00AF B7:2022/00B7 FD:FFFD/200E FE:FFFD/200F",
        "glibc has a later ISO 8859-8: CCSID 5012",
    ),
    (
        &[1026],
        "9A:20BA/00AA 9D:00B8/02DB BC:00AF/2014",
        "glibc's own IBM1155 agrees with ICU on 9D and BC; 9A is next",
    ),
    (&[1155], "9A:20BA/00AA", "quotation mark (ICU) or ordinal indicator (glibc), as in 1026"),
    (&[1132], "70:20AD/006B", "the kip sign; glibc has a second letter k"),
    (
        &[1051],
        "A0:FFFD/00A0 A9:0060/02CB AF:00A3/20A4 B0:203E/00AF B3:02DA/00B0 F3:03BC/00B5 F6:002D/2014",
        "ICU has IBM's edition of the page, glibc HP's",
    ),
    (&[1125], "FA:00F7/00B7 FB:00B1/221A", "ICU has the division and plus-minus signs, glibc those of 866"),
    (&[9067], "E1:20AF/FFFD EC:037A/FFFD", "added to 4971 in 2005"),
    (
        &[5123],
        "41:FFFD/001A 6A:FFFD/001A 80:FFFD/001A 90:FFFD/001A",
        "glibc decodes a byte without a character to SUB in the mixed pages",
    ),
    (
        &[8482],
        "57:FFFD/001A 59:FFFD/001A 6A:FFFD/001A 9C:FFFD/001A",
        "glibc decodes a byte without a character to SUB in the mixed pages",
    ),
    (
        &[5123, 8482],
        "CA:FFFD/001A CB:FFFD/001A CC:FFFD/001A CD:FFFD/001A CE:FFFD/001A CF:FFFD/001A DA:FFFD/001A \
         DB:FFFD/001A DC:FFFD/001A DD:FFFD/001A DE:FFFD/001A DF:FFFD/001A EA:FFFD/001A EB:FFFD/001A \
         EC:FFFD/001A ED:FFFD/001A EE:FFFD/001A EF:FFFD/001A FA:FFFD/001A FB:FFFD/001A FC:FFFD/001A \
         FD:FFFD/001A FE:FFFD/001A",
        "glibc decodes a byte without a character to SUB in the mixed pages",
    ),
    (&[1253, 5349], "AA:00AA/FFFD", "a free byte of Windows: U+00AA in ICU, nothing in glibc"),
    (
        &[5351],
        "A1:FFFD/00A1 AA:FFFD/00D7 B8:FFFD/00B8 BA:FFFD/00F7 BF:FFFD/00BF D7:FFFD/05F3 D8:FFFD/05F4",
        "the page of 1998; 9447 is the later one",
    ),
    (
        &[5353],
        "8D:008D/00A8 8E:008E/02C7 8F:008F/00B8 9D:009D/00AF 9E:009E/02DB B4:FFFD/00B4 FF:FFFD/02D9",
        "the page of 1998; 9449 is the later one",
    ),
    (
        &[5352],
        "8A:008A/0679 8F:008F/0688 98:0098/06A9 9A:009A/0691 9F:009F/06BA AA:FFFD/06BE C0:FFFD/06C1 FF:FFFD/06D2",
        "the page of 1998; 9448 is the later one",
    ),
];

/// Bytes 80 to 9F that a Windows page leaves free: a C1 control in ICU, as in Windows; nothing in glibc.
const FREE_IN_WINDOWS: &[(&[u16], &[u8])] = &[
    (&[1250, 5346], &[0x81, 0x83, 0x88, 0x90, 0x98]),
    (&[1251], &[0x98]),
    (&[1252, 5348], &[0x81, 0x8D, 0x8F, 0x90, 0x9D]),
    (&[1253, 5349], &[0x81, 0x88, 0x8A, 0x8C, 0x8D, 0x8E, 0x8F, 0x90, 0x98, 0x9A, 0x9C, 0x9D, 0x9E, 0x9F]),
    (&[1254, 5350], &[0x81, 0x8D, 0x8E, 0x8F, 0x90, 0x9D, 0x9E]),
    (&[1255, 9447], &[0x81, 0x8A, 0x8C, 0x8D, 0x8E, 0x8F, 0x90, 0x9A, 0x9C, 0x9D, 0x9E, 0x9F]),
    (&[5351], &[0x81, 0x8A, 0x8C, 0x8D, 0x8E, 0x8F, 0x90, 0x9A, 0x9C, 0x9D, 0x9E, 0x9F]),
    (&[1257, 9449], &[0x81, 0x83, 0x88, 0x8A, 0x8C, 0x90, 0x98, 0x9A, 0x9C, 0x9F]),
    (&[5353], &[0x81, 0x83, 0x88, 0x8A, 0x8C, 0x90, 0x98, 0x9A, 0x9C, 0x9F]),
    (&[1258, 5354], &[0x81, 0x8A, 0x8D, 0x8E, 0x8F, 0x90, 0x9A, 0x9D, 0x9E]),
];

#[test]
fn pages_agree_with_iconv() {
    let mut problems = String::new();
    let compared =
        CodePage::all().iter().filter(|page| !NOT_COMPARED.iter().any(|(not, _)| *not == page.ccsid()));
    for page in compared {
        let name = iconv_name(page.ccsid());
        let theirs = iconv_table(page, &name);
        let pairs = (0u8..=255).zip(page.to_unicode().iter().copied().zip(theirs));
        let found: BTreeMap<u8, (u16, u16)> = pairs.filter(|(_, (ours, theirs))| ours != theirs).collect();
        let expected = expected_differences(page.ccsid());
        if found != expected {
            let (ccsid, found, expected) = (page.ccsid(), show(&found), show(&expected));
            problems += &format!("{ccsid} and {name} differ in\n  {found}\nnot in\n  {expected}\n");
        }
    }
    assert!(problems.is_empty(), "{problems}");
}

fn show(differences: &BTreeMap<u8, (u16, u16)>) -> String {
    let shown: Vec<String> = differences
        .iter()
        .map(|(byte, (ours, theirs))| format!("{byte:02X}:{ours:04X}/{theirs:04X}"))
        .collect();
    shown.join(" ")
}

fn expected_differences(ccsid: u16) -> BTreeMap<u8, (u16, u16)> {
    let hex = |digits: &str| u16::from_str_radix(digits, 16).expect("hexadecimal digits");
    let mut expected = BTreeMap::new();
    for (_, list, _) in DIFFERENCES.iter().filter(|(pages, _, _)| pages.contains(&ccsid)) {
        for difference in list.split_whitespace() {
            let (byte, units) = difference.split_once(':').expect("byte:ours/theirs");
            let (ours, theirs) = units.split_once('/').expect("ours/theirs");
            expected.insert(hex(byte) as u8, (hex(ours), hex(theirs)));
        }
    }
    for (_, bytes) in FREE_IN_WINDOWS.iter().filter(|(pages, _)| pages.contains(&ccsid)) {
        expected.extend(bytes.iter().map(|byte| (*byte, (u16::from(*byte), UNDEFINED))));
    }
    expected
}

fn iconv_name(ccsid: u16) -> String {
    let listed = ICONV_NAMES.iter().find(|(named, _)| *named == ccsid);
    listed.map_or_else(|| format!("IBM{ccsid:03}"), |(_, name)| (*name).to_string())
}

/// What `iconv` makes of every byte. It stops at a byte that has no character, so it is started again behind
/// it. A blank after each byte keeps it from composing letters and accents.
fn iconv_table(page: &CodePage, name: &str) -> [u16; 256] {
    let mixed = matches!(name, "IBM930" | "IBM1390" | "IBM1399");
    let mut table = [UNDEFINED; 256];
    let mut start = 0;
    while start < 256 {
        let bytes = start as u8..=255;
        // In a mixed page these two are the shifts; they are taken as agreed.
        let is_shift = |byte: u8| mixed && page.family() == Family::Ebcdic && matches!(byte, 0x0E | 0x0F);
        let input: Vec<u8> =
            bytes.flat_map(|byte| [if is_shift(byte) { page.space() } else { byte }, page.space()]).collect();
        let units = iconv(name, &input);
        let (pairs, rest) = units.as_chunks::<2>();
        assert!(rest.is_empty() && pairs.iter().all(|pair| pair[1] == 0x20), "{name}: {units:04X?}");
        for (byte, [unit, _]) in (start..).zip(pairs) {
            table[byte] = if is_shift(byte as u8) { byte as u16 } else { *unit };
        }
        start += pairs.len() + 1;
    }
    table
}

/// Runs `iconv` and returns the UTF-16 units it wrote before it ended or met a byte without a character.
fn iconv(name: &str, input: &[u8]) -> Vec<u16> {
    let output = run(&["-f", name, "-t", "UTF-16BE"], input);
    let (pairs, _) = output.as_chunks::<2>();
    pairs.iter().copied().map(u16::from_be_bytes).collect()
}

/// Runs `iconv` and returns its output.
pub(crate) fn run(arguments: &[&str], input: &[u8]) -> Vec<u8> {
    let mut child = Command::new("iconv")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .env("LC_ALL", "C")
        .spawn()
        .unwrap_or_else(|error| panic!("cannot run iconv ({error}): install libc-bin"));
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    let output = std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input).expect("iconv reads its input"));
        child.wait_with_output().expect("iconv ends")
    });
    // With -c, newer releases fail without a message when they leave something out.
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() || message.is_empty() || message.contains("position"),
        "iconv {arguments:?}: {message}\nglibc's converters are in the package libc6"
    );
    output.stdout
}
