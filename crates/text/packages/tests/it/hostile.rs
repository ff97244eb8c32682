//! Archives that are made to harm, and any bytes at all: refused with a reason, never a panic.

use std::io::{Cursor, Write};

use packages::{FaultKind, Limits, RATIO_FREE_BYTES, read};
use proptest::prelude::*;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::made::{archive, datatype, decimal, faults, field, interface, notes, service, service_entries};

fn limited(bytes: &[u8], limits: Limits) -> String {
    let faults = read("x", bytes, &limits).expect_err("a limit");
    assert!(faults.iter().all(|fault| fault.kind == FaultKind::Limit), "{faults:?}");
    faults[0].message.clone()
}

#[test]
fn each_limit_holds_and_has_its_name() {
    let plain = archive(&[("a", "1"), ("b", "2")]);
    let limits = Limits::default();
    assert!(limited(&plain, Limits { package_max_bytes: 10, ..limits }).contains("package_max_bytes"));
    assert!(limited(&plain, Limits { entry_count_max: 1, ..limits }).contains("entry_count_max"));
    assert!(limited(&plain, Limits { entry_max_bytes: 0, ..limits }).contains("entry_max_bytes"));
    assert!(limited(&plain, Limits { unpacked_max_bytes: 1, ..limits }).contains("unpacked_max_bytes"));
    assert!(
        limited(&archive(&[("aaa", "1")]), Limits { entry_name_max_bytes: 2, ..limits })
            .contains("entry_name_max_bytes")
    );
    let bomb = archive(&[("bomb", vec![0u8; RATIO_FREE_BYTES * 20])]);
    assert!(bomb.len() < 5_000);
    assert!(limited(&bomb, limits).contains("unpacked_ratio_max"));
    let deep = format!("<a>{}</a>", "<b>".repeat(100));
    assert!(limited(&archive(&[("package.xml", deep.as_str())]), limits).contains("depth_max"));
    let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
    assert!(limited(&archive(&[("manifest.yml", deep.as_str())]), limits).contains("depth_max"));
    let fields: String =
        (0..3).map(|n| field(&format!("F{n}"), Some(n + 1), 1, "", &datatype("CHAR"))).collect();
    let many = service(&interface("R", 3, &fields), &[]);
    assert!(limited(&many, Limits { field_count_max: 3, ..limits }).contains("field_count_max"));
    assert!(limited(&many, Limits { node_count_max: 20, ..limits }).contains("node_count_max"));
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    for name in ["../a", "a/../../b", "/etc/a", "C:/a", "..\\a", "\\a", "a//b", "./a", "a\u{1}b"] {
        let text = faults(&archive(&[(name, "1")]));
        assert!(text.contains("the name"), "{name}: {text}");
    }
    let both = archive(&[("a/b", "1"), ("a\\b", "2")]);
    assert!(faults(&both).contains("a/b: two entries have this name"));
}

/// Changes every place where some bytes stand.
fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut out = bytes.to_vec();
    for at in 0..out.len().saturating_sub(from.len()) {
        if &out[at..at + from.len()] == from {
            out[at..at + to.len()].copy_from_slice(to);
        }
    }
    out
}

#[test]
fn the_same_name_twice_is_refused() {
    let twice = replaced(
        &archive(&[("manifest.yml", "name: a"), ("manifest.xml", "name: b")]),
        b"manifest.xml",
        b"manifest.yml",
    );
    assert!(faults(&twice).contains("same name"), "{}", faults(&twice));
}

/// The content of an archive inside an archive is never unpacked.
#[test]
fn archives_in_archives_are_told_or_passed_over() {
    let inner = || archive(&[("manifest.yml", "name: inner")]);
    // An archive with only packages in it: the fault says what to do.
    let bundle =
        archive(&[("claims/one.sar", inner()), ("claims/two.sar", inner()), ("claims/a.txt", b"1".to_vec())]);
    assert_eq!(
        faults(&bundle),
        "this is no package, but has archives in it (one.sar, two.sar); unpack it, and read each by itself"
    );
    let files = [("one.sar".to_owned(), inner())];
    let folder = packages::read_folder(&files, &Limits::default(), &packages::Given::default());
    assert!(folder.expect_err("a bundle")[0].to_string().contains("(one.sar)"));
    // A package with archives beside it is read, and they are noted.
    let fields = field("A", Some(1), 1, "", &datatype("CHAR"));
    let mut entries: Vec<_> = service_entries(&interface("R", 1, &fields), &[])
        .into_iter()
        .map(|(path, text)| (path, text.into_bytes()))
        .collect();
    entries.extend([("files/other.sar", inner()), ("gradle/wrapper.jar", inner())]);
    let package = read("x", &archive(&entries), &Limits::default()).expect("a service");
    assert_eq!(
        notes(&package),
        "files/other.sar: is an archive itself, and is not read\ngradle/wrapper.jar: is an archive itself, and is not read"
    );
}

#[test]
fn links_and_encryption_are_refused() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.add_symlink("link", "/etc/passwd", SimpleFileOptions::default()).expect("a link");
    assert!(faults(&writer.finish().expect("an archive").into_inner()).contains("symbolic link"));
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    writer.start_file("secret", stored).expect("an entry");
    writer.write_all(b"text").expect("its content");
    let mut bytes = writer.finish().expect("an archive").into_inner();
    // The bit of encryption, in the entry's own header and in the directory.
    bytes[6] |= 1;
    let directory = bytes.windows(4).position(|part| part == b"PK\x01\x02").expect("a directory");
    bytes[directory + 8] |= 1;
    assert!(faults(&bytes).contains("encrypted"), "{}", faults(&bytes));
}

#[test]
fn what_is_no_package_is_unknown() {
    assert!(faults(b"").contains("or a rule set"));
    assert!(faults(b"PK\x03\x04").contains("cut off or damaged"));
    assert!(faults(&archive(&[("a", "1")])).contains("neither package.xml, nor manifest.yml"));
    let sound = archive(&[("manifest.yml", "name: abcdefghijklmnopqrstuvwxyz")]);
    let torn = &sound[..sound.len() - 10];
    assert!(faults(torn).contains("cut off or damaged"));
}

fn documents() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("<field name=\"A\"><bytes>4</bytes>"),
        Just("</field>"),
        Just("<segment>"),
        Just("</segment>"),
        Just("<message>"),
        Just("</message>"),
        Just("<startPos>1</startPos>"),
        Just("&lt;"),
        Just("<![CDATA[x]]>"),
        Just("- a: "),
        Just("\n"),
        Just("  b: \"c\"\n"),
        Just("&x"),
        Just("*x"),
        Just("{"),
        Just("}"),
        Just("[a, "),
        Just("name: x\n"),
        Just("<!--"),
        Just("<"),
        Just("é"),
        Just("<field name=\"B\" redefines=\"A\" maxOccurs=\"2\">"),
    ];
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_refused_or_read(mut bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = read("x", &bytes, &Limits::default());
        bytes.splice(0..0, *b"PK\x03\x04");
        let _ = read("x", &bytes, &Limits::default());
    }

    #[test]
    fn damaged_archives_are_refused_or_read(flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let fields = field("A", Some(1), 4, "", &decimal("PACKEDDECIMAL", "Y", 7, 2));
        let mut bytes = service(&interface("R", 4, &fields), &[]);
        for (at, byte) in flips {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let _ = read("x", &bytes, &Limits::default());
    }

    #[test]
    fn any_documents_are_refused_or_read(one in documents(), other in documents(), third in documents()) {
        for manifest in [one.clone(), format!("name: a\nproviderProperties:\n{one}")] {
            let _ = read("x", &archive(&[("manifest.yml", manifest)]), &Limits::default());
        }
        let _ = read("x", &archive(&[("package.xml", &other)]), &Limits::default());
        let _ = read("x", &service(&interface("R", 4, &third), &[]), &Limits::default());
        let _ = read("x", &service(&third, &[]), &Limits::default());
    }

    /// A layout of any fields has them where the interface says, or is refused; it is never another one.
    #[test]
    fn interfaces_and_copybooks_agree(parts in prop::collection::vec((0usize..5, 1usize..12, 0usize..4), 1..20)) {
        let mut at = 1;
        let mut fields = String::new();
        let mut places = Vec::new();
        for (number, (kind, size, gap)) in parts.into_iter().enumerate() {
            at += gap;
            let name = format!("F_{number}");
            let (bytes, inner) = match kind {
                0 => (size, datatype("CHAR")),
                1 => (size, decimal("ZONEDDECIMAL", "Y", size, (size / 2) as i64)),
                2 => (size / 2 + 1, decimal("PACKEDDECIMAL", "Y", size, (size / 2) as i64)),
                3 => (8, "<applicationDatatype datatype=\"DOUBLE\"/>".to_owned()),
                _ => (4, "<applicationDatatype datatype=\"INT\" precision=\"8\"/>".to_owned()),
            };
            fields.push_str(&field(&name, Some(at), bytes, "", &inner));
            places.push((name.replace('_', "-"), at - 1, bytes));
            at += bytes;
        }
        let package = crate::made::read(&service(&interface("R", at + 2, &fields), &[])).expect("a package");
        let (layout, _) = crate::made::bind(&package, "orders", true);
        prop_assert_eq!(layout.max_bytes(), at + 2);
        for (name, offset, bytes) in places {
            let field = layout.field(layout.resolve(&name).expect("a field"));
            prop_assert_eq!((field.offset, field.bytes), (offset, bytes));
        }
    }
}

#[test]
fn downloads_that_went_wrong_are_known() {
    let message =
        |bytes: &[u8]| read("x.aar", bytes, &Limits::default()).expect_err("refused")[0].message.clone();
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 12\n";
    assert!(message(pointer).contains("a pointer of Git LFS"));
    for page in ["<!DOCTYPE html>\n<html>", "\u{feff}<HTML>", " <!doctype HTML>"] {
        assert!(message(page.as_bytes()).contains("a web page"), "{page}");
    }
    let whole = archive(&[("a", "1"), ("b", "2")]);
    assert!(message(&whole[..whole.len() - 30]).contains("cut off or damaged"));
    assert!(message(b"hello").starts_with("expected an archive"));
}
