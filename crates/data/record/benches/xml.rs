//! What XML costs on one core: a message of 123 values to its record and back. Beside it, in turns in the same run, stand
//! quick-xml's bare events of the same text, and the cursor's.
//!
//! `cargo bench -p record --bench xml`

use std::hint::black_box;
use std::time::{Duration, Instant};

use codepage::CodePage;
use quick_xml::events::Event;
use record::{Bind, Naming, Options};
use xml::{Cursor, Encoding};

/// How many rounds there are; the medians are shown.
const ROUNDS: usize = 15;

/// How long a round of one case is.
const ROUND: Duration = Duration::from_millis(100);

/// Texts of 4 to 30 characters, zoned, binary and packed numbers, and rows of seven fields.
fn copybook() -> String {
    let mut text = "01 MESSAGE.".to_owned();
    let mut field = |name: String, rest: &str| text.push_str(&format!(" 05 {name} {rest}."));
    (0..20).for_each(|at| field(format!("TEXT-{at}"), &format!("PIC X({})", 4 + (at * 26) / 19)));
    (0..12).for_each(|at| field(format!("ZONED-{at}"), "PIC 9(7)"));
    (0..8).for_each(|at| field(format!("SIGNED-{at}"), "PIC S9(7)"));
    (0..8).for_each(|at| field(format!("FULL-{at}"), "PIC S9(9) COMP"));
    (0..6).for_each(|at| field(format!("HALF-{at}"), "PIC S9(4) COMP"));
    (0..6).for_each(|at| field(format!("PACKED-{at}"), "PIC S9(9)V99 COMP-3"));
    text.push_str(
        " 05 ITEMS OCCURS 9. 10 ITEM-CODE PIC X(10). 10 ITEM-COUNT PIC 9(4). 10 ITEM-ID PIC S9(8) COMP. \
         10 ITEM-PRICE PIC S9(7)V99 COMP-3. 10 ITEM-UNIT PIC X(4). 10 ITEM-KIND PIC S9(4) COMP. 10 ITEM-WEIGHT PIC 9(5).",
    );
    text
}

fn json() -> String {
    let mut members = Vec::new();
    for at in 0..20 {
        let text: String = "Lorem ipsum dolor sit amet cons".chars().take(4 + (at * 26) / 19).collect();
        members.push(format!("\"text_{at}\":\"{}\"", text.trim_end()));
    }
    let mut numbers = |name: &str, count: usize, value: &dyn Fn(usize) -> String| {
        (0..count).for_each(|at| members.push(format!("\"{name}_{at}\":{}", value(at))));
    };
    numbers("zoned", 12, &|at| (1_234_567 - at).to_string());
    numbers("signed", 8, &|at| format!("-{}", 7_654_321 - at));
    numbers("full", 8, &|at| format!("-{}", 123_456_789 - at));
    numbers("half", 6, &|at| (1_234 + at).to_string());
    numbers("packed", 6, &|at| format!("{}.25", 123_456_789 - at));
    let row = r#"{"item_code":"AB-1234-XY","item_count":1234,"item_id":-12345678,"item_price":12345.67,"item_unit":"KGMX","item_kind":-42,"item_weight":54321}"#;
    members.push(format!("\"items\":[{}]", [row; 9].join(",")));
    format!("{{{}}}", members.join(","))
}

fn bare_events(text: &str) -> usize {
    let mut reader = quick_xml::Reader::from_str(text);
    let mut events = 0;
    loop {
        match reader.read_event() {
            Ok(Event::Eof) => return events,
            Ok(event) => {
                black_box(&event);
                events += 1;
            }
            Err(error) => panic!("{error}"),
        }
    }
}

fn passed_over(text: &str) -> usize {
    let mut cursor = Cursor::new(text, Encoding::Utf8).expect("characters of XML");
    let open = cursor.root().expect("an element");
    cursor.raw(&open).expect("XML").len()
}

/// A case: its name, and the code to measure.
type Case<'c> = (&'static str, Box<dyn FnMut() + 'c>);

/// Nanoseconds for one run, from about [`ROUND`] of them.
fn time(run: &mut dyn FnMut()) -> f64 {
    let start = Instant::now();
    let mut runs = 0u32;
    while start.elapsed() < ROUND {
        (0..16).for_each(|_| run());
        runs += 16;
    }
    start.elapsed().as_nanos() as f64 / f64::from(runs)
}

fn main() {
    let options = copybook::Options { format: copybook::Format::Free, ..copybook::Options::default() };
    let layout = copybook::parse("MESSAGE.cpy", &copybook(), &options).expect("a copybook").layouts.remove(0);
    let page = CodePage::by_ccsid(37).expect("CCSID 37");
    let mut options = Options { naming: Naming::Ls2ws, ..Options::new(page) };
    options.xml.namespace = Some("http://www.MESSAGE.com".to_owned());
    let bind = Bind::compile(&layout, &options).expect("a bind");
    let (mut record, mut xml) = (Vec::new(), Vec::new());
    bind.encode(json().as_bytes(), &mut record).expect("JSON");
    bind.decode_xml(&record, &mut xml).expect("a record");
    let text = String::from_utf8(xml).expect("XML");
    // The same with a prefix, as most clients write it.
    let prefixed = text.replace("</", "</m:").replace("xmlns=", "xmlns:m=");
    let mut names = String::new();
    for (at, piece) in prefixed.split('<').enumerate() {
        let prefix = if at == 0 {
            ""
        } else if piece.starts_with('/') {
            "<"
        } else {
            "<m:"
        };
        names.push_str(prefix);
        names.push_str(piece);
    }
    for (kind, text) in [("default namespace", text), ("prefix", names)] {
        compare(kind, &text, &bind, &record);
    }
}

fn compare(kind: &str, text: &str, bind: &Bind, record: &[u8]) {
    let (mut encoded, mut decoded) = (Vec::new(), Vec::new());
    bind.encode_xml(text.as_bytes(), &mut encoded).expect("XML");
    assert_eq!(encoded, record);
    let mut cases: [Case<'_>; 4] = [
        (
            "quick-xml, bare events",
            Box::new(|| {
                black_box(bare_events(black_box(text)));
            }),
        ),
        (
            "cursor, passed over",
            Box::new(|| {
                black_box(passed_over(black_box(text)));
            }),
        ),
        ("to record", Box::new(|| bind.encode_xml(black_box(text.as_bytes()), &mut encoded).expect("XML"))),
        (
            "to XML",
            Box::new(|| {
                decoded.clear();
                bind.decode_xml(black_box(record), &mut decoded).expect("a record");
            }),
        ),
    ];
    let mut times = vec![Vec::new(); cases.len()];
    for _ in 0..ROUNDS {
        for ((_, run), times) in cases.iter_mut().zip(&mut times) {
            times.push(time(run));
        }
    }
    println!("{kind}: {} bytes of XML, {} of record", text.len(), record.len());
    let medians: Vec<f64> = times
        .iter_mut()
        .map(|times| {
            times.sort_by(f64::total_cmp);
            times[ROUNDS / 2]
        })
        .collect();
    for (((name, _), median), times) in cases.iter().zip(&medians).zip(&times) {
        println!(
            "  {name:24} {median:8.0} ns ({:.0} to {:.0}), {:6.0} MB/s, {:.2} of quick-xml's",
            times[0],
            times[ROUNDS - 1],
            text.len() as f64 * 1e3 / median,
            median / medians[0]
        );
    }
}
