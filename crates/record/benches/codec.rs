//! What the codec costs on one core: nanoseconds a record, both ways, for the records of the performance reports.
//!
//! `cargo bench -p record --bench codec`; a word after `--` runs only the cases whose name holds it.

use std::hint::black_box;
use std::time::{Duration, Instant};

use codepage::CodePage;
use record::{Bind, Options};

/// The answer of the reports' program: five fields and rows of 32 bytes, 1,024 or 4,096 bytes in all.
fn report_record(rows: usize) -> String {
    format!(
        "01 ANSWER.
            05 RECV-SIZE PIC 9(8) COMP-4.
            05 SEND-SIZE PIC 9(8) COMP-4.
            05 TASKID    PIC 9(8) COMP-4.
            05 TRANID    PIC X(4).
            05 RS-SPARE  PIC X(16).
            05 USER-DATA PIC X(32) OCCURS {rows} TIMES."
    )
}

/// JSON for it, with rows of this text.
fn report_json(rows: usize, row: &str) -> String {
    let rows = vec![format!("\"{row}\""); rows].join(",");
    format!(
        r#"{{"recv_size":1024,"send_size":32,"taskid":1234567,"tranid":"CSMI","rs_spare":"SPARE","user_data":[{rows}]}}"#
    )
}

/// Rows of four numbers, one of each form.
const NUMBERS: &str = "01 NUMBERS.
    05 ROWS OCCURS 16.
        10 ZONE-N PIC S9(7)V99.
        10 PACK-N PIC S9(7)V99 COMP-3.
        10 BIN-N  PIC S9(9) COMP.
        10 DATE-N PIC 9(8).";

fn numbers_json() -> String {
    let row = r#"{"zone_n":-12345.67,"pack_n":7654321.5,"bin_n":123456789,"date_n":20261121}"#;
    format!(r#"{{"rows":[{}]}}"#, vec![row; 16].join(","))
}

struct Case {
    name: &'static str,
    copybook: String,
    json: String,
}

fn main() {
    let full = "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345";
    let sparse = "ABCDEFGHIJ";
    let cases = [
        Case { name: "1K full", copybook: report_record(31), json: report_json(31, full) },
        Case { name: "1K sparse", copybook: report_record(31), json: report_json(31, sparse) },
        Case { name: "4K full", copybook: report_record(127), json: report_json(127, full) },
        Case { name: "4K sparse", copybook: report_record(127), json: report_json(127, sparse) },
        Case { name: "64 numbers", copybook: NUMBERS.to_owned(), json: numbers_json() },
    ];
    // Cargo itself gives `--bench`.
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    println!("codec, ns a record   bytes   record->JSON   JSON->record");
    for case in cases.iter().filter(|case| case.name.contains(&wanted)) {
        measure(case);
    }
}

fn measure(case: &Case) {
    let options = copybook::Options { format: copybook::Format::Free, ..copybook::Options::default() };
    let parsed = copybook::parse("BENCH.cpy", &case.copybook, &options).expect("a valid copybook");
    let page = CodePage::by_ccsid(37).expect("CCSID 37");
    let bind = Bind::compile(&parsed.layouts[0], &Options::new(page)).expect("a bind");

    let (mut record, mut json) = (Vec::new(), Vec::new());
    bind.encode(case.json.as_bytes(), &mut record).expect("JSON that fits");
    bind.decode(&record, &mut json).expect("a valid record");
    assert_eq!(json, case.json.as_bytes(), "what is measured is right");

    let decode_ns = nanoseconds(|| {
        json.clear();
        bind.decode(black_box(&record), &mut json).expect("a valid record");
        black_box(&json);
    });
    let encode_ns = nanoseconds(|| {
        bind.encode(black_box(case.json.as_bytes()), &mut record).expect("JSON that fits");
        black_box(&record);
    });
    println!("{:<20}{:>6}{:>15.0}{:>15.0}", case.name, record.len(), decode_ns, encode_ns);
}

/// The median over batches of the time of one run. A batch is long enough for the clock, and short enough that most
/// are not interrupted.
fn nanoseconds(mut run: impl FnMut()) -> f64 {
    const BATCHES: usize = 301;
    let batch = Duration::from_millis(1);
    let start = Instant::now();
    let mut runs = 0u32;
    while start.elapsed() < 10 * batch {
        run();
        runs += 1;
    }
    let runs = (runs / 10).max(1);
    let mut times: Vec<f64> = (0..BATCHES)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..runs {
                run();
            }
            start.elapsed().as_nanos() as f64 / f64::from(runs)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[BATCHES / 2]
}
