//! The C handler against the bind: the same records of the same messages, the same messages of the same records, and the same
//! refusals, byte for byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use interface::Interface;
use record::{Bind, XmlContent, XmlMember, XmlValue};
use web_service::{BindFile, Choices, Level};

use super::converter;
use super::make::{Sources, make};
use super::request::{Carrier, Request};

const ALL_TYPES: &str = "       01  CLAIM-IN.
           03  CLAIM-KEY.
               05  CLAIM-NO       PIC X(6).
               05  CLAIM-RIGHT    PIC X(5) JUST RIGHT.
               05  COUNT-2        PIC S9(4) COMP.
               05  COUNT-4        PIC 9(9) COMP.
               05  COUNT-8        PIC S9(18) COMP.
               05  COUNT-N        PIC S9(9) COMP-5.
               05  COUNT-U        PIC 9(18) COMP-5.
           03  FILLER             PIC X(2).
           03  ROWS OCCURS 3.
               05  AMOUNT         PIC S9(5)V99 COMP-3.
               05  RATE           PIC 9(4)V9(3) COMP-3.
               05  LONG-ONE       PIC S9(18)V9(13) COMP-3.
               05  DEEP OCCURS 2.
                   07  FLAG       PIC X.
                   07  PART-NO    PIC 9(3).
           03  PLAIN              PIC 9(5)V9.
           03  NUM-T              PIC S9(4)V99.
           03  NUM-L              PIC S9(4) SIGN LEADING.
           03  NUM-TS             PIC S9(4) SIGN TRAILING SEPARATE.
           03  NUM-LS             PIC S9(20) SIGN LEADING SEPARATE.
           03  FRACTION           PIC SV9(4) COMP-3.
           03  NAMES              PIC X(3) OCCURS 4.
";

/// Numbers that look random and are the same each time (xorshift).
struct Seed(u64);

impl Seed {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % below
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.next(chances) == 0
    }

    fn of<'t, T: ?Sized>(&mut self, choices: &[&'t T]) -> &'t T {
        choices[self.next(choices.len())]
    }
}

fn request(text: &str, choices: Choices, ccsid: u16) -> Interface {
    let request = Request {
        program: "CLAIM".to_owned(),
        request: Some(Carrier::Member("CLAIMI".to_owned())),
        level: Level::V4_0,
        minimum_runtime_level: Level::V4_0,
        operation: "CLAIMOperation".to_owned(),
        wsbind: "CLAIM.wsbind".to_owned(),
        ccsid: Some(ccsid),
        choices,
        ..Request::default()
    };
    let copybook = |member: &str, into: &mut BTreeMap<String, String>| {
        into.insert(member.to_owned(), text.to_owned());
        Ok(())
    };
    let sources = Sources { copybook: &copybook, description: &|_| Err("there is none".to_owned()) };
    let made = make(&request, &sources).expect("copybooks without faults");
    let mut parts = BindFile::parts(&made.file, ccsid).expect("parts").0;
    parts.remove(0).request
}

/// Writes messages of a record's elements, with all that XML allows around them.
struct Writer<'s> {
    seed: &'s mut Seed,
    prefix: &'static str,
    out: String,
}

impl Writer<'_> {
    fn space(&mut self) {
        if self.seed.one_in(6) {
            let space = self.seed.of(&[" ", "\n", "\r\n", "\t", "<!-- x - y -->", "<![CDATA[ \n]]>", "  "]);
            self.out.push_str(space);
        }
    }

    fn start(&mut self, name: &str) {
        self.space();
        let attributes = [
            " ",
            "\n",
            " xmlns:unused='urn:x'",
            " xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:nil=' false '",
            " xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\" i:type='a:b' i:nil=\"0\"",
            " xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:nil='1'",
            " xmlns:q='urn:&#x31;&amp;' q:a='1'",
            " other='1'",
        ];
        let more = if self.seed.one_in(8) { attributes[self.seed.next(6)] } else { "" };
        let more = if self.seed.one_in(200) { attributes[self.seed.next(8)] } else { more };
        let prefix = self.prefix;
        self.out.push_str(&format!("<{prefix}{name}{more}>"));
    }

    fn end(&mut self, name: &str) {
        let space = if self.seed.one_in(9) { " \n" } else { "" };
        let prefix = self.prefix;
        self.out.push_str(&format!("</{prefix}{name}{space}>"));
    }

    fn members(&mut self, members: &[XmlMember]) {
        for XmlMember { name, rows, content } in members {
            for _ in 0..rows.map_or(1, |rows| rows.0) {
                self.start(name);
                match content {
                    XmlContent::Group(inner) => self.members(inner),
                    XmlContent::Value { bytes, value: XmlValue::Text { .. }, .. } => self.text(*bytes),
                    XmlContent::Value { value: XmlValue::Number { scale, least, greatest, .. }, .. } => {
                        self.number(*scale, *least, *greatest);
                    }
                }
                if matches!(content, XmlContent::Group(_)) {
                    self.space();
                }
                self.end(name);
            }
        }
    }

    fn text(&mut self, bytes: usize) {
        let length = self.seed.next(bytes + 1) + usize::from(self.seed.one_in(120));
        for _ in 0..length {
            let piece = self.seed.of(&[
                "A",
                "b",
                "7",
                " ",
                "é",
                "&lt;",
                "&#x41;",
                "&#233;",
                "&amp;",
                "<![CDATA[<]]>",
                "Z",
                "ü",
                "]",
                "'",
                "\"",
                ">",
                "-",
                "x",
                "y",
                "{",
            ]);
            self.out.push_str(piece);
        }
        if self.seed.one_in(150) {
            let piece = self.seed.of(&[
                "\r",
                "\n",
                "€",
                "\u{1F600}",
                "&#0;",
                "&nbsp;",
                "\u{fffd}",
                "&#13;",
                "<!---->",
            ]);
            self.out.push_str(piece);
        }
    }

    fn number(&mut self, scale: u32, least: i128, greatest: i128) {
        let width = self.seed.next(39) as u32;
        let random = (self.seed.next(usize::MAX) as i128) << 40 ^ self.seed.next(usize::MAX) as i128;
        let random = random % 10i128.pow(width.min(37) + 1);
        let value = match self.seed.next(12) {
            0 => greatest,
            1 => least,
            2 => 0,
            3 if self.seed.one_in(9) => greatest + 1,
            4 if self.seed.one_in(9) => least - 1,
            _ if least < 0 && self.seed.one_in(2) => -(random % (greatest + 1)),
            _ => random % (greatest + 1),
        };
        let digits = format!("{:0width$}", value.unsigned_abs(), width = scale as usize + 1);
        let (integer, fraction) = digits.split_at(digits.len() - scale as usize);
        let sign = if value < 0 { "-" } else { self.seed.of(&["", "", "", "+"]) };
        let zeros = self.seed.of(&["", "", "", "", "0", "000"]);
        let integer = if integer == "0" && self.seed.one_in(2) && scale > 0 { "" } else { integer };
        let more = self.seed.of(&["", "", "0", "00000"]);
        let fraction =
            if scale == 0 && self.seed.one_in(2) { String::new() } else { format!(".{fraction}{more}") };
        let around = self.seed.of(&["", "", "", "", " ", "\n", "&#32;", "<!-- n -->", "<![CDATA[ ]]>"]);
        let number = format!("{around}{sign}{zeros}{integer}{fraction}{around}");
        let odd = ["", "1e2", "1 2", "--1", "+", ".", "1.5.", "0x1", "-.5", "5.", "1,5", "\u{661}"];
        let number = if self.seed.one_in(150) { odd[self.seed.next(odd.len())].to_owned() } else { number };
        self.out.push_str(&number);
    }
}

/// A message of elements that is often a good one.
fn message(seed: &mut Seed, root: (&str, &str), members: &[XmlMember]) -> Vec<u8> {
    let (namespace, root) = root;
    let prefix = seed.of(&["", "", "p:", "é:"]);
    let before = seed.of(&[
        "",
        "",
        "",
        "\u{feff}",
        "<?xml version='1.0'?>",
        "<?xml version=\"1.0\" encoding='utf-8' standalone=\"no\" ?>\n",
        "<?xml version='1.0' encoding='&#x55;TF-8'?>",
        "<!-- a -->\n",
    ]);
    let mut writer = Writer { seed, prefix, out: before.to_owned() };
    let declared =
        if prefix.is_empty() { String::new() } else { format!(":{}", prefix.trim_end_matches(':')) };
    writer.out.push_str(&format!("<{prefix}{root}  xmlns{declared} = '{namespace}'>"));
    writer.members(members);
    writer.space();
    writer.end(root);
    let after = if writer.seed.one_in(9) { "\n<!-- end -->" } else { "" };
    writer.out.push_str(after);
    let mut message = writer.out.into_bytes();
    if seed.one_in(3) {
        broken(seed, &mut message);
    }
    message
}

/// Puts something into a message, or takes something out.
fn broken(seed: &mut Seed, message: &mut Vec<u8>) {
    let pieces: &[&str] = &[
        "<",
        ">",
        "/",
        "&",
        ";",
        "]]>",
        "<!--",
        "-->",
        "--",
        "<?",
        "?>",
        "<?xml version='1.0'?>",
        "<?pi?>",
        "<!DOCTYPE a>",
        "<![CDATA[",
        "]]",
        "<a/>",
        "x",
        " ",
        "\"",
        "'",
        "=",
        ":",
        "xmlns=''",
        " xmlns=\"\"",
        " xmlns:xml='urn:x'",
        " xmlns:xmlns='urn:x'",
        " xmlns:a=''",
        " xmlns:p='urn:other'",
        " p:a='1'",
        " a='<'",
        " a='&#x;'",
        "\u{0}",
        "\u{b}",
        "&#11;",
        "\u{ffff}",
        "&lt;",
        "&#1114112;",
        "&#xD800;",
        "\r",
        "<p:claim_key>",
        "</claim_key>",
        "standalone='maybe'",
        "version='1.1'",
        "utf-16",
    ];
    let at = seed.next(message.len());
    let length = (1 + seed.next(9)).min(message.len() - at);
    match seed.next(5) {
        0 => drop(message.drain(at..at + length)),
        1 => message[at] = seed.next(256) as u8,
        2 => message.truncate(at),
        _ => {
            let piece = seed.of(pieces).as_bytes();
            drop(message.splice(at..at, piece.iter().copied()));
        }
    }
}

/// A record, often one that can be shown.
fn record(seed: &mut Seed, good: &[u8]) -> Vec<u8> {
    let mut record = good.to_owned();
    for _ in 0..seed.next(4) {
        let at = seed.next(record.len());
        record[at] = seed.next(256) as u8;
    }
    if seed.one_in(40) {
        record.push(0x40);
    }
    record
}

/// Compiles the source with a driver around it.
fn compiled(folder: &Path, source: &str, bytes: usize) -> std::path::PathBuf {
    fs::write(folder.join("claim.c"), source).expect("written");
    fs::write(folder.join("driver.c"), include_str!("converter_driver.c")).expect("written");
    let program = folder.join("convert");
    let output = Command::new("gcc")
        .args(["-Wall", "-Werror", "-O1", &format!("-DRECORD_BYTES={bytes}"), "-o"])
        .arg(&program)
        .args([folder.join("claim.c"), folder.join("driver.c")])
        .output()
        .expect("gcc runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}

/// The results of the C handler for messages and records: codes and bytes.
fn converted(folder: &Path, program: &Path, asked: &[(u8, Vec<u8>)]) -> Vec<(u8, Vec<u8>)> {
    let mut input = Vec::new();
    for (what, bytes) in asked {
        input.push(*what);
        input.extend((bytes.len() as u32).to_ne_bytes());
        input.extend(bytes);
    }
    let path = folder.join("input");
    fs::write(&path, input).expect("written");
    let output = Command::new(program).arg(path).output().expect("it runs");
    assert!(output.status.success(), "{:?}", output.status);
    let (mut rest, mut answers) = (output.stdout.as_slice(), Vec::new());
    while let [code, a, b, c, d, after @ ..] = rest {
        let (bytes, after) = after.split_at(u32::from_ne_bytes([*a, *b, *c, *d]) as usize);
        answers.push((*code, bytes.to_owned()));
        rest = after;
    }
    assert_eq!(answers.len(), asked.len());
    answers
}

fn compare(choices: Choices, ccsid: u16, start: u64) {
    let interface = request(ALL_TYPES, choices, ccsid);
    let bind = Bind::compile(&interface.layout, &interface.options).expect("a bind");
    let outline = bind.xml_outline(&interface.layout).expect("an outline");
    let source = converter::write("CLAIM", &[("request", &interface)]).expect("a source");
    let folder = tempfile::tempdir().expect("a folder");
    let program = compiled(folder.path(), &source, bind.max_bytes());
    let mut seed = Seed(start);
    let (mut asked, mut expected, mut good) = (Vec::new(), Vec::new(), Vec::new());
    bind.start(&mut good);
    for _ in 0..2_000 {
        let message = message(&mut seed, bind.xml_element(), &outline.members);
        let mut made = Vec::new();
        let fits = bind.encode_xml(&message, &mut made).is_ok();
        expected.push(fits.then(|| made.clone()));
        asked.push((b'r', message));
        if fits {
            good = made;
        }
        let record = record(&mut seed, &good);
        let mut shown = Vec::new();
        expected.push(bind.decode_xml(&record, &mut shown).is_ok().then_some(shown));
        asked.push((b'w', record));
    }
    let answers = converted(folder.path(), &program, &asked);
    for (at, (((what, given), expected), (code, bytes))) in
        asked.iter().zip(&expected).zip(&answers).enumerate()
    {
        let shown = || format!("{at}: {} {}", char::from(*what), String::from_utf8_lossy(given));
        assert_eq!(expected.is_some(), *code == 0, "{} code {code}", shown());
        if let Some(expected) = expected {
            assert_eq!(bytes, expected, "{}", shown());
        }
    }
    for what in [b'r', b'w'] {
        let of = || asked.iter().zip(&expected).filter(|((is, _), _)| *is == what);
        let (all, well) = (of().count(), of().filter(|(_, expected)| expected.is_some()).count());
        assert!(well > all / 10 && well < all * 9 / 10, "{well} of {all} are good");
    }
}

#[test]
fn the_c_handler_converts_as_the_bind_does() {
    compare(Choices::default(), 37, 0x9E37_79B9_7F4A_7C15);
}

#[test]
fn the_c_handler_converts_text_without_blanks_in_other_pages_too() {
    let choices = Choices { char_varying: web_service::CharVarying::Collapse, ..Choices::default() };
    compare(choices, 1_252, 0xD1B5_4A32_D192_ED03);
    compare(choices, 1_141, 0x2545_F491_4F6C_DD1D);
}

#[test]
fn what_is_wrong_has_a_code() {
    let text = "       01  CLAIM-IN.\n           03  N PIC 9(3).\n           03  X PIC X(2).\n";
    let interface = request(text, Choices::default(), 37);
    let source = converter::write("CLAIM", &[("request", &interface)]).expect("a source");
    let folder = tempfile::tempdir().expect("a folder");
    let program = compiled(folder.path(), &source, 5);
    let message = |content: &str| {
        let namespace = "http://www.CLAIM.CLAIMI.Request.com";
        format!("<CLAIMOperation xmlns=\"{namespace}\">{content}</CLAIMOperation>").into_bytes()
    };
    let good = message("<n>12</n><x>a </x>");
    let record = vec![0xF0, 0xF1, 0xF2, 0x81, 0x40];
    let asked = [
        (b'r', good.clone(), 0),
        (b'w', record.clone(), 0),
        (b'r', Vec::new(), 2),
        (b'r', b"<!DOCTYPE a []><a/>".to_vec(), 1),
        (b'r', good[..good.len() - 1].to_vec(), 1),
        (b'r', [&good[..], b"<a/>"].concat(), 1),
        (b'r', message("<n>12</n>"), 2),
        (b'r', message("<x>a</x><n>12</n>"), 2),
        (b'r', message("<n>1</n><x/><y/>"), 2),
        (b'r', message("<n>1</n><x y='1'/>"), 2),
        (b'r', message("<n>1</n><p:x/>"), 2),
        (b'r', message("<n>1234</n><x/>"), 3),
        (b'r', message("<n>a</n><x/>"), 3),
        (b'r', message("<n>1</n><x>abc</x>"), 3),
        (b'r', message("<n>1</n><x>\u{20ac}</x>"), 3),
        (b'w', vec![0xF0, 0xF1, 0x40, 0x81, 0x40], 4),
        (b'w', vec![0xF0, 0xF1, 0xF1, 0x01, 0x3F], 4),
        (b'w', vec![0xF0], 4),
        (b's', record.clone(), 5),
    ];
    let given: Vec<_> = asked.iter().map(|(what, bytes, _)| (*what, bytes.clone())).collect();
    let answers = converted(folder.path(), &program, &given);
    for ((what, bytes, code), (found, _)) in asked.iter().zip(&answers) {
        assert_eq!(found, code, "{} {}", char::from(*what), String::from_utf8_lossy(bytes));
    }
    assert_eq!(answers[0].1, record);
    assert_eq!(answers[1].1, good);
}

#[test]
fn what_the_c_handler_cannot_convert_is_refused_by_name() {
    let refused = |fields: &str, choices: Choices, ccsid: u16| {
        let text = format!("       01  CLAIM-IN.\n           03  A PIC X.\n           03  B {fields}.\n");
        converter::write("CLAIM", &[("request", &request(&text, choices, ccsid))]).expect_err(fields)
    };
    for (fields, what) in [
        ("COMP-1", "floating point"),
        ("PIC N(4)", "neither text nor a number"),
        ("PIC ZZ9", "an edited picture"),
        ("PIC 9(3)PP", "a picture that ends in P"),
    ] {
        let found = refused(fields, Choices::default(), 37);
        assert!(found.len() == 1 && found[0].starts_with("request, CLAIM-IN, line 3: B: "), "{found:?}");
        assert!(found[0].contains(what), "{fields}: {found:?}");
    }
    let null = Choices { char_varying: web_service::CharVarying::Null, ..Choices::default() };
    let screening = Choices { bad_numbers_are_zero: true, ..Choices::default() };
    let time = Choices { datetime: web_service::DateTime::Packed15, ..Choices::default() };
    for (fields, choices, what) in [
        ("PIC X(3)", null, "text with policies"),
        ("PIC 9(3)", screening, "a number with policies"),
        ("PIC S9(15) COMP-3", time, "a number with policies"),
    ] {
        assert!(refused(fields, choices, 37).iter().any(|error| error.contains(what)), "{fields}");
    }
    let truncation = Choices { data_truncation: true, ..Choices::default() };
    assert!(refused("PIC 9(3)", truncation, 37)[0].contains("records that end early"));
    assert!(
        refused("PIC X(3)", Choices::default(), 1_208).iter().any(|error| error.contains("several bytes"))
    );
    let depending = "PIC 9(2).\n           03  C OCCURS 1 TO 5 DEPENDING ON B PIC X";
    let truncation = Choices { data_truncation: true, ..Choices::default() };
    assert!(refused(depending, truncation, 37)[0].contains("records that end early"));
}
