//! Every kernel compared with the plain definition, on every level that the CPU has. Under Miri too, with
//! fewer cases.

use super::{Cpu, PairTable, SLACK_BYTES, Utf8Pairs};
use crate::translate::{JsonRows, plain, plain_json, plain_until};
use crate::unicode::ByteOrder;
#[cfg(not(miri))]
use proptest::prelude::*;

/// Lengths around every vector's, and some longer ones.
fn lengths() -> Vec<usize> {
    match cfg!(miri) {
        true => vec![0, 1, 63, 64, 65, 97, 128, 130],
        false => (0..=300).collect(),
    }
}

fn alignments() -> std::ops::Range<usize> {
    if cfg!(miri) { 0..2 } else { 0..33 }
}

/// A table without order, in which every byte occurs once.
fn table() -> [u8; 256] {
    std::array::from_fn(|byte| (byte as u8).wrapping_mul(167) ^ 0x5B)
}

/// All bytes, repeated.
fn bytes(length: usize) -> Vec<u8> {
    (0..length).map(|place| (place * 37 + place / 256) as u8).collect()
}

#[test]
fn every_level_is_tried() {
    let levels = Cpu::all();
    assert_eq!(levels.first(), Some(&Cpu::portable()));
    assert_eq!(levels.last(), Some(&Cpu::best()));
}

#[test]
fn translate_is_the_plain_loop_at_all_lengths_and_alignments() {
    let (table, data) = (table(), bytes(400));
    for cpu in Cpu::all() {
        for length in lengths() {
            for start in alignments() {
                let from = &data[start..start + length];
                let (mut expected, mut found) = (vec![0; length], vec![0xEE; start + length + 70]);
                plain(&table, from, &mut expected);
                cpu.translate(&table, from, &mut found[start..start + length]);
                assert_eq!(found[start..start + length], expected, "{cpu:?}, {length} from {start}");
                let around = [&found[..start], &found[start + length..]].concat();
                assert!(
                    around.iter().all(|byte| *byte == 0xEE),
                    "{cpu:?} wrote beyond {length} from {start}"
                );
            }
        }
    }
}

#[test]
fn every_byte_is_translated_at_every_place() {
    let table = table();
    for cpu in Cpu::all() {
        for byte in (0..=255u8).step_by(if cfg!(miri) { 51 } else { 1 }) {
            for length in [1, 16, 33, 64, 129] {
                let mut found = vec![0; length];
                cpu.translate(&table, &vec![byte; length], &mut found);
                assert_eq!(found, vec![table[usize::from(byte)]; length], "{cpu:?}");
            }
        }
    }
}

/// One special byte at each place, and none.
#[test]
fn the_first_special_byte_is_found() {
    let table = table();
    let special = table[usize::from(b'~')];
    for cpu in Cpu::all() {
        for length in lengths() {
            let clean = vec![b'A'; length];
            for place in (0..=length).rev().step_by(if cfg!(miri) { 29 } else { 11 }) {
                let mut from = clean.clone();
                from[place..].fill(b'~');
                let (mut until, mut json) = (vec![0; length], vec![0; length]);
                assert_eq!(cpu.translate_until(&table, special, &from, &mut until), place, "{cpu:?}");
                let mut appended = b"kept".to_vec();
                let done = cpu.append_until(&table, Some(special), &from, &mut appended);
                assert!(done == place || done == 0, "{cpu:?}");
                for stop in [b'"', b'\\', 0x1F, 0, 0x80, 0xFF] {
                    from[place..].fill(stop);
                    assert_eq!(cpu.translate_json(&table, &from, &mut json), place, "{cpu:?}, {stop:02X}");
                }
                let expected = vec![table[usize::from(b'A')]; place];
                assert_eq!(until[..place], expected);
                assert_eq!(json[..place], expected);
                assert_eq!(appended[4..], expected[..done]);
            }
        }
    }
}

/// Rows from JSON, one by one: the expected result of [`Cpu::translate_json_rows`].
fn rows_one_by_one(table: &[u8; 256], blank: u8, row_bytes: usize, from: &[u8], to: &mut [u8]) -> JsonRows {
    let mut done = JsonRows::default();
    let mut at = 0;
    for row in to.chunks_exact_mut(row_bytes) {
        let Some(text) = from.get(at..).and_then(|rest| rest.strip_prefix(b"\"")) else { break };
        let is_plain = |byte: &u8| matches!(byte, b' '..0x80) && !b"\"\\".contains(byte);
        let length = text.iter().position(|byte| !is_plain(byte)).unwrap_or(text.len());
        if length > row_bytes || text.get(length) != Some(&b'"') {
            break;
        }
        row.fill(blank);
        row.iter_mut().zip(&text[..length]).for_each(|(to, from)| *to = table[usize::from(*from)]);
        done = JsonRows { rows: done.rows + 1, read: at + length + 2 };
        if from.get(done.read) != Some(&b',') {
            break;
        }
        at = done.read + 1;
    }
    done
}

fn check_rows(table: &[u8; 256], row_bytes: usize, from: &[u8], rows: usize) {
    let before: Vec<u8> = (0..row_bytes * rows + row_bytes / 2).map(|place| place as u8).collect();
    for cpu in Cpu::all() {
        let (mut expected, mut found) = (before.clone(), before.clone());
        let wanted = rows_one_by_one(table, 0x40, row_bytes, from, &mut expected);
        let done = cpu.translate_json_rows(table, 0x40, row_bytes, from, &mut found);
        assert_eq!(done, wanted, "{cpu:?}, rows of {row_bytes}: {:?}", String::from_utf8_lossy(from));
        let written = done.rows * row_bytes;
        assert_eq!(found[..written], expected[..written], "{cpu:?}, rows of {row_bytes}");
        // The row where it ended is undefined. The rows behind it are unchanged.
        let kept = (written + row_bytes).min(before.len());
        assert_eq!(found[kept..], before[kept..], "{cpu:?}, rows of {row_bytes}");
    }
}

#[test]
fn rows_of_json_of_every_length() {
    let table = table();
    let lengths: &[usize] = if cfg!(miri) {
        &[1, 31, 63, 64]
    } else {
        &[1, 2, 7, 8, 15, 16, 31, 32, 33, 62, 63, 64, 65, 127, 130]
    };
    for row_bytes in lengths {
        let text = |length: usize| format!("\"{}\"", "A~ z".repeat(length).get(..length).unwrap_or_default());
        let full = vec![text(*row_bytes); 5].join(",");
        let falling: Vec<String> = (0..=*row_bytes).rev().map(text).collect();
        for from in
            [full.clone(), falling.join(","), format!("{},{full}", text(row_bytes + 1)), format!("{full},1")]
        {
            for rows in [0, 1, 3, 5, 6] {
                check_rows(&table, *row_bytes, from.as_bytes(), rows);
            }
            if !cfg!(miri) {
                (0..from.len().min(300))
                    .for_each(|end| check_rows(&table, *row_bytes, &from.as_bytes()[..end], 4));
            }
        }
        for stop in [&b"\\"[..], b"\n", b"\x1F", b"\x00", "\u{E9}".as_bytes(), b"\x7F", b"\"", b" "] {
            for place in [0, 1, *row_bytes, row_bytes + 1, 2 * row_bytes, 2 * row_bytes + 3, 3 * row_bytes] {
                let mut from = full.clone().into_bytes();
                from.splice(place.min(from.len())..place.min(from.len()), stop.iter().copied());
                check_rows(&table, *row_bytes, &from, 6);
            }
        }
    }
}

/// The levels for conversions. Miri uses only one of them.
fn converting_levels() -> Vec<Cpu> {
    if cfg!(miri) { vec![Cpu::best()] } else { Cpu::all() }
}

/// The characters of 437, roughly: some above U+07FF, and one that is missing.
fn units() -> [u16; 256] {
    std::array::from_fn(|byte| match byte {
        0..0x80 => byte as u16,
        0x80..0xC0 => 0xC0 + (byte as u16 - 0x80),
        0xC0..0xE0 => 0x391 + (byte as u16 - 0xC0),
        0xFF => 0xFFFD,
        _ => 0x2500 + byte as u16,
    })
}

/// A page whose ASCII stands elsewhere, with two Greek letters in the lower half.
fn shuffled_units() -> [u16; 256] {
    let mut units: [u16; 256] = std::array::from_fn(|byte| u16::from(byte as u8 ^ 0x95));
    units[0x20] = 0x3B1;
    units[0xA0] = 0x3B2;
    units
}

/// A page of Latin-1 alone, in another order.
fn latin1_units() -> [u16; 256] {
    table().map(u16::from)
}

/// The bytes that a kernel appends to existing ones, and the number of bytes that it has read.
fn appended(kernel: impl Fn(&mut Vec<u8>) -> usize, room: usize) -> (usize, Vec<u8>) {
    let mut out = Vec::with_capacity(4 + room);
    out.extend(b"kept");
    let read = kernel(&mut out);
    assert!(out.starts_with(b"kept"));
    (read, out.split_off(4))
}

fn utf16(order: ByteOrder, text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(|unit| order.bytes(unit)).collect()
}

#[cfg(not(miri))]
/// Letters of one and two bytes in UTF-8, in runs.
fn short_text() -> impl Strategy<Value = String> {
    "([ -~]{0,70}|[\u{0}-\u{7F}]|[À-ÿ]{1,3}|[\u{80}-\u{7FF}]){0,30}"
}

#[cfg(not(miri))]
fn any_text() -> impl Strategy<Value = String> {
    "([ -~]{0,70}|[À-ÿ]{1,3}|[Α-ω]|\u{7FF}|\u{800}|[一-龥]|😀|\u{0}){0,30}"
}

/// Checks that a kernel converted a prefix of a text. It may stop less than a step before a character that it
/// cannot convert, and only there.
fn check_prefix(
    text: &str,
    (read, written): (usize, Vec<u8>),
    width: impl Fn(char) -> usize,
    target: impl Fn(&str) -> Vec<u8>,
    can: impl Fn(char) -> bool,
    level: Cpu,
) {
    let (mut end, mut length) = (0, 0);
    for one in text.chars() {
        if length == read {
            break;
        }
        (end, length) = (end + one.len_utf8(), length + width(one));
    }
    assert_eq!(length, read, "{level:?} reads whole characters of {text:?}");
    assert_eq!(written, target(&text[..end]), "{level:?}: {text:?}");
    assert!(text[..end].chars().all(&can));
    let step: String = text[end..].chars().take(66).collect();
    let stopped_early = step.chars().map(width).sum::<usize>() > 66 && step.chars().all(can);
    assert!(!stopped_early || level.is_portable(), "{level:?} stopped before {step:?}");
}

fn check_table(table: &[u8; 256], data: &[u8], special: u8) {
    for cpu in Cpu::all() {
        let (mut expected, mut found) = (vec![0; data.len()], vec![0; data.len()]);
        plain(table, data, &mut expected);
        cpu.translate(table, data, &mut found);
        assert_eq!(found, expected, "{cpu:?}");
        let until = plain_until(table, special, data, &mut expected);
        assert_eq!(cpu.translate_until(table, special, data, &mut found), until, "{cpu:?}");
        assert_eq!(found[..until], expected[..until]);
        let json = plain_json(table, data, &mut expected);
        assert_eq!(cpu.translate_json(table, data, &mut found), json, "{cpu:?}");
        assert_eq!(found[..json], expected[..json]);
    }
}

fn check_bytes_to_unicode(units: &[u16; 256], data: &[u8]) {
    let (table, pairs) = (PairTable::new(units), Utf8Pairs::new(units));
    let character = |byte: &u8| char::from_u32(units[usize::from(*byte)].into()).expect("no surrogate");
    let characters: Vec<char> = data.iter().map(character).collect();
    for cpu in converting_levels() {
        let check_stop = |read: usize, stops: fn(&char) -> bool| {
            let next: Vec<char> = characters[read..].iter().copied().take(32).collect();
            assert!(cpu.is_portable() || next.len() < 32 || next.iter().any(stops), "{cpu:?}: {next:?}");
        };
        for order in [ByteOrder::Big, ByteOrder::Little] {
            let kernel = |out: &mut _| cpu.bytes_to_utf16(&table, order, data, out);
            let (read, written) = appended(kernel, 2 * data.len() + SLACK_BYTES);
            let text: String = characters[..read].iter().collect();
            assert_eq!(written, utf16(order, &text), "{cpu:?}");
            check_stop(read, |one| *one == char::REPLACEMENT_CHARACTER);
        }
        let kernel = |out: &mut _| cpu.bytes_to_utf8(&pairs, data, out);
        let (read, written) = appended(kernel, 2 * data.len() + SLACK_BYTES);
        let text: String = characters[..read].iter().collect();
        assert_eq!(written, text.into_bytes(), "{cpu:?}");
        check_stop(read, |one| *one > '\u{7FF}');
    }
}

fn check_unicode_to_unicode(text: &str) {
    let is_short = |one| one < '\u{800}';
    for cpu in converting_levels() {
        for order in [ByteOrder::Big, ByteOrder::Little] {
            let units = utf16(order, text);
            let to_utf8 = |out: &mut _| cpu.utf16_to_utf8(order, &units, out);
            let done = appended(to_utf8, units.len() + SLACK_BYTES);
            check_prefix(text, done, |one| 2 * one.len_utf16(), |text| text.into(), is_short, cpu);
            let to_utf16 = |out: &mut _| cpu.utf8_to_utf16(order, text.as_bytes(), out);
            let done = appended(to_utf16, 2 * text.len() + SLACK_BYTES);
            check_prefix(text, done, char::len_utf8, |text| utf16(order, text), is_short, cpu);
        }
    }
}

/// The bytes of the Latin-1 letters, without the last ones and one of ASCII.
fn partial_latin1() -> [u8; 256] {
    let mut latin1 = table();
    latin1[0] = 0;
    latin1[0xF0..].fill(0);
    latin1[usize::from(b'~')] = 0;
    latin1
}

fn check_unicode_to_bytes(latin1: &[u8; 256], text: &str) {
    let has = |one: char| one == '\0' || latin1.get(one as usize).is_some_and(|byte| *byte != 0);
    let target = |text: &str| text.chars().map(|one| latin1[one as usize]).collect();
    let known: String = text.chars().filter(|one| has(*one)).collect();
    for text in [text, &known] {
        for cpu in converting_levels() {
            for order in [ByteOrder::Big, ByteOrder::Little] {
                let units = utf16(order, text);
                let kernel = |out: &mut _| cpu.utf16_to_bytes(latin1, order, &units, out);
                let done = appended(kernel, units.len() + SLACK_BYTES);
                check_prefix(text, done, |one| 2 * one.len_utf16(), target, has, cpu);
            }
            let kernel = |out: &mut _| cpu.utf8_to_bytes(latin1, text.as_bytes(), out);
            let done = appended(kernel, text.len() + SLACK_BYTES);
            check_prefix(text, done, char::len_utf8, target, has, cpu);
        }
    }
}

/// Checks that the bytes that are read are UTF-8, whatever the bytes are.
fn check_noise(bytes: &[u8]) {
    let latin1 = std::array::from_fn(|byte| byte as u8);
    for cpu in converting_levels() {
        let kernel = |out: &mut _| cpu.utf8_to_utf16(ByteOrder::Big, bytes, out);
        let (read, written) = appended(kernel, 2 * bytes.len() + SLACK_BYTES);
        let text = str::from_utf8(&bytes[..read]).expect("what is read is UTF-8");
        assert_eq!(written, utf16(ByteOrder::Big, text), "{cpu:?}");
        let (read, written) = appended(|out| cpu.utf8_to_bytes(&latin1, bytes, out), bytes.len());
        let text = str::from_utf8(&bytes[..read]).expect("what is read is UTF-8");
        assert!(text.chars().map(u32::from).eq(written.into_iter().map(u32::from)), "{cpu:?}");
    }
}

/// If there is less room than kernels need, they end early.
fn check_room(text: &str, room: usize) {
    let (table, pairs) = (PairTable::new(&units()), Utf8Pairs::new(&units()));
    let units = utf16(ByteOrder::Big, text);
    let latin1 = std::array::from_fn(|byte| byte as u8);
    for cpu in converting_levels() {
        let (read, _) = appended(|out| cpu.utf8_to_bytes(&latin1, text.as_bytes(), out), room);
        assert!(text.is_char_boundary(read));
        appended(|out| cpu.utf8_to_utf16(ByteOrder::Big, text.as_bytes(), out), room);
        appended(|out| cpu.utf16_to_utf8(ByteOrder::Big, &units, out), room);
        appended(|out| cpu.utf16_to_bytes(&latin1, ByteOrder::Big, &units, out), room);
        appended(|out| cpu.bytes_to_utf8(&pairs, text.as_bytes(), out), room);
        appended(|out| cpu.bytes_to_utf16(&table, ByteOrder::Big, text.as_bytes(), out), room);
    }
}

/// The same checks as the properties, on texts that reach every branch, short enough for Miri.
#[test]
fn samples() {
    let ascii = "The quick brown fox, 0123456789 ~ and 64 bytes of ASCII and more. ";
    let western =
        "d\u{E9}j\u{E0} vu, \u{FC}ber alle \u{F1}and\u{FA}s; na\u{EF}ve \u{C5}ngstr\u{F6}m \u{F0}\u{DF}"
            .repeat(4);
    let greek = "\u{3B1}\u{3B2}\u{3B3} \u{7FF}\u{80}".repeat(7);
    let texts = [
        String::new(),
        format!("{ascii}\u{E9}{ascii}"),
        // A character of two bytes across each border of a step.
        format!("{:31}\u{E9}{:30}\u{C0}{:29}\u{E8}", "", "", ""),
        format!("{western}{greek}{ascii}"),
        format!("{ascii}\u{4E00}{western}\u{1F600}{ascii}"),
        format!("{ascii}\0{}\u{FF}", ascii.replace('~', "-")),
    ];
    for text in &texts {
        check_unicode_to_unicode(text);
        check_unicode_to_bytes(&partial_latin1(), text);
        check_room(text, text.len());
        check_table(&table(), text.as_bytes(), table()[usize::from(b'~')]);
    }
    let printable: Vec<u8> = bytes(300).into_iter().map(|byte| byte % 0x5F + b' ').collect();
    let western: Vec<u8> = printable.iter().map(|byte| byte ^ (byte & 1) << 7).collect();
    for units in [units(), shuffled_units(), latin1_units()] {
        for data in [&bytes(300), &printable, &western, texts[1].as_bytes()] {
            check_bytes_to_unicode(&units, data);
        }
    }
    for fault in [&b"\xC3"[..], b"\x80", b"\xC1\xBF", b"\xE0\x80\x80", b"\xC3\xC3\x80", b"\xFF"] {
        for place in [0, 30, 31, 32, 40] {
            check_noise(&[&b"\xC3\xA9".repeat(16)[..], &vec![b'A'; place], fault, &[b'A'; 70]].concat());
        }
    }
}

// Miri is too slow for generated texts.
#[cfg(not(miri))]
proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn any_table_and_bytes(
        table in prop::array::uniform32(prop::array::uniform8(any::<u8>())),
        data in prop::collection::vec(any::<u8>(), 0..700),
        special in any::<u8>(),
    ) {
        let table: [u8; 256] = table.concat().try_into().expect("32 times 8");
        check_table(&table, &data, special);
    }

    #[test]
    fn any_rows_of_json(
        row_bytes in 1..80usize,
        rows in prop::collection::vec("[ -~]{0,70}|[A-Z]{0,12}", 0..8),
        noise in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..2),
    ) {
        let mut from = rows.iter().map(|row| format!("\"{row}\"")).collect::<Vec<_>>().join(",").into_bytes();
        for (place, byte) in noise {
            if !from.is_empty() {
                let place = place.index(from.len());
                from[place] = byte;
            }
        }
        check_rows(&table(), row_bytes, &from, 6);
    }

    #[test]
    fn bytes_to_unicode(
        data in prop::collection::vec(prop_oneof![8 => b' '..b'~', 1 => any::<u8>(), 3 => 0x80..0xE0u8], 0..700),
        known in any::<bool>(),
    ) {
        for units in [units(), shuffled_units(), latin1_units()] {
            let is_wanted = |byte: &u8| !known || units[usize::from(*byte)] < 0x800;
            let data: Vec<u8> = data.iter().copied().filter(is_wanted).collect();
            check_bytes_to_unicode(&units, &data);
        }
    }

    #[test]
    fn unicode_to_unicode(text in prop_oneof![short_text(), any_text()]) {
        check_unicode_to_unicode(&text);
    }

    #[test]
    fn unicode_to_bytes(text in prop_oneof![short_text(), any_text()]) {
        check_unicode_to_bytes(&partial_latin1(), &text);
    }

    #[test]
    fn only_utf8_is_read(
        text in short_text(),
        noise in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
    ) {
        let mut bytes = text.into_bytes();
        for (place, byte) in noise {
            if !bytes.is_empty() {
                let place = place.index(bytes.len());
                bytes[place] = byte;
            }
        }
        check_noise(&bytes);
    }

    #[test]
    fn kernels_keep_to_the_room(text in short_text(), room in 0..400usize) {
        check_room(&text, room);
    }
}
