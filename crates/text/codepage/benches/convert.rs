//! Measures conversions between CCSIDs on 4 KB blocks: the twelve pairs of IBM's CICS TS 3.1 performance
//! report beside glibc's iconv, and the double-byte pages.
//!
//! Two texts from the repertoire of each pair: all ASCII, and one character in eight beyond it. iconv runs in
//! `iconv.c`, compiled with `cc` when the bench starts; without a compiler its column is empty. The column
//! `portable` is the same conversion without vector kernels. Speeds are in bytes of input a second, the best of fifteen
//! rounds of 10 ms each, in which they take turns. Names of pairs such as `37-1208` choose among them.
//!
//! At the end translation alone, as other crates use it, of blocks and of fields of some lengths.

use codepage::{CodePage, Converter, Encoding, Unmappable};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const PAIRS: [(u16, u16); 12] = [
    (1208, 437),
    (1208, 37),
    (1208, 1200),
    (437, 1208),
    (37, 1208),
    (1200, 1208),
    (37, 1200),
    (437, 1200),
    (1200, 37),
    (1200, 437),
    (37, 437),
    (437, 37),
];

const MIXED: [(u16, &str); 4] =
    [(1399, "漢字かな"), (1364, "한국어"), (1388, "简体中文"), (1371, "繁體中文")];

const BLOCK_BYTES: usize = 4096;
const TURNS: usize = 5;
const ROUNDS: usize = 3;

fn main() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let peer = compile_peer(&folder);
    println!(
        "{:>6} {:>6}  {:14} {:>10} {:>10} {:>10} {:>6}",
        "from", "to", "text", "GB/s", "portable", "iconv", "ratio"
    );
    let chosen: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let is_chosen = |from: u16, to: u16| chosen.is_empty() || chosen.contains(&format!("{from}-{to}"));
    for (from, to) in PAIRS.into_iter().filter(|(from, to)| is_chosen(*from, *to)) {
        for (name, text) in [("ASCII", text(None)), ("1 in 8 beyond", text(Some(western())))] {
            line(peer.as_deref(), &folder, from, to, name, &text);
        }
    }
    for (page, word) in MIXED {
        let text = format!("AB 12 {word} ").repeat(BLOCK_BYTES / 24);
        for (from, to) in [(page, 1208), (1208, page)].into_iter().filter(|(from, to)| is_chosen(*from, *to))
        {
            line(peer.as_deref(), &folder, from, to, "words", &text);
        }
    }
    println!("\n{:>6} {:>10} {:>16} {:>15}  (ns)", "bytes", "translate", "translate_until", "translate_json");
    for length in [8, 30, 64, 100, 256, BLOCK_BYTES] {
        translations(length);
    }
}

/// Measures the translation of this number of bytes.
fn translations(length: usize) {
    let table: [u8; 256] = std::array::from_fn(|byte| byte as u8 & 0x7F ^ 0x15);
    let (from, mut to) = (vec![b'A'; length], vec![0; length]);
    let best_ns = |call: &mut dyn FnMut()| {
        let calls = 2_000_000 / (length as u32 + 100);
        let round = |_| {
            let start = Instant::now();
            (0..calls).for_each(|_| call());
            start.elapsed().as_secs_f64() * 1e9 / f64::from(calls)
        };
        (0..TURNS * ROUNDS).map(round).fold(f64::INFINITY, f64::min)
    };
    let plain = best_ns(&mut || codepage::translate(black_box(&table), black_box(&from), black_box(&mut to)));
    let until = best_ns(&mut || {
        black_box(codepage::translate_until(black_box(&table), 0x80, black_box(&from), black_box(&mut to)));
    });
    let json = best_ns(&mut || {
        black_box(codepage::translate_json(black_box(&table), black_box(&from), black_box(&mut to)));
    });
    println!("{length:>6} {plain:>10.1} {until:>16.1} {json:>15.1}");
}

/// The letters beyond ASCII that 037 and 437 have.
fn western() -> Vec<char> {
    let has = |ccsid, character| {
        CodePage::by_ccsid(ccsid).is_some_and(|page: &CodePage| page.encode_char(character).is_some())
    };
    ('\u{C0}'..='\u{FF}').filter(|character| has(37, *character) && has(437, *character)).collect()
}

/// A block of ASCII, or one with one of the letters in eight characters, at places that do not repeat soon.
fn text(letters: Option<Vec<char>>) -> String {
    let mut random = 1u32;
    let mut next = move || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        random >> 16
    };
    (0..BLOCK_BYTES)
        .map(|_| match &letters {
            Some(letters) if next() % 8 == 0 => letters[next() as usize % letters.len()],
            _ => char::from(b' ' + (next() % 95) as u8),
        })
        .collect()
}

fn line(peer: Option<&Path>, folder: &Path, from: u16, to: u16, name: &str, text: &str) {
    let encoding = |ccsid| Encoding::by_ccsid(ccsid).expect("a known CCSID");
    let mut input = Vec::new();
    encoding(from).encode(text, Unmappable::Error, &mut input).expect("the text is in the repertoire");
    let converter = Converter::new(encoding(from), encoding(to));
    let portable = Converter::portable(encoding(from), encoding(to));
    let file = folder.join("input.bin");
    std::fs::write(&file, &input).expect("the folder can be written");
    let (mut ours, mut plain, mut theirs) = (0f64, 0f64, None::<f64>);
    for _ in 0..TURNS {
        ours = ours.max(measure(&converter, &input));
        plain = plain.max(measure(&portable, &input));
        theirs = peer
            .and_then(|peer| run_peer(peer, from, to, &file))
            .map(|speed| speed.max(theirs.unwrap_or(0.0)));
    }
    let (peer, ratio) = theirs.map_or((String::from("-"), String::from("-")), |peer| {
        (format!("{:.3}", peer / 1e9), format!("{:.1}", ours / peer))
    });
    let [ours, plain] = [ours, plain].map(|speed| speed / 1e9);
    println!("{from:>6} {to:>6}  {name:14} {ours:>10.3} {plain:>10.3} {peer:>10} {ratio:>6}");
}

fn run_peer(peer: &Path, from: u16, to: u16, file: &Path) -> Option<f64> {
    let output = Command::new(peer).args([iconv_name(from), iconv_name(to)]).arg(file).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

fn iconv_name(ccsid: u16) -> String {
    match ccsid {
        1200 => String::from("UTF-16BE"),
        1208 => String::from("UTF-8"),
        page => format!("IBM{page:03}"),
    }
}

/// The bytes of input a second.
fn measure(converter: &Converter, input: &[u8]) -> f64 {
    let mut out = Vec::with_capacity(4 * input.len());
    let mut best = 0f64;
    for _ in 0..ROUNDS {
        let (start, mut calls) = (Instant::now(), 0u32);
        while start.elapsed() < Duration::from_millis(10) {
            for _ in 0..16 {
                out.clear();
                converter.convert(black_box(input), Unmappable::Error, &mut out).expect("the text converts");
                black_box(&out);
            }
            calls += 16;
        }
        best = best.max(input.len() as f64 * f64::from(calls) / start.elapsed().as_secs_f64());
    }
    best
}

fn compile_peer(folder: &Path) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/iconv.c");
    let program = folder.join("iconv-peer");
    let status = Command::new("cc").arg("-O2").arg(source).arg("-o").arg(&program).status();
    status.is_ok_and(|status| status.success()).then_some(program)
}
