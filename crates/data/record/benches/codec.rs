//! The cost of the codec on one core: nanoseconds a record, both ways, for the records of the performance
//! reports.
//!
//! The same run measures two peers in turns: code that a programmer would write without it (a struct with
//! serde, the text through a table of 256 characters), and a copy of the record's bytes.
//!
//! `cargo bench -p record --bench codec`; a word after `--` runs only the cases whose name holds it.

use std::hint::black_box;
use std::time::{Duration, Instant};

use codepage::CodePage;
use record::{Bind, Options};
use serde::{Deserialize, Serialize};

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

/// An order: texts and numbers of all kinds, 126 values in 1,024 bytes.
const ORDER: &str = "01 CUST-ORDER.
    05 ORDER-NO     PIC 9(10).
    05 CUSTOMER.
       10 CUST-ID   PIC 9(8) COMP.
       10 CUST-NAME PIC X(30).
       10 STREET    PIC X(30).
       10 CITY      PIC X(25).
       10 POST-CODE PIC X(10).
       10 COUNTRY   PIC X(3).
    05 ORDER-DATE   PIC 9(8).
    05 STATUS-CODE  PIC X(2).
    05 CURRENCY-CODE PIC X(3).
    05 TOTAL        PIC S9(11)V99 COMP-3.
    05 BALANCE      PIC S9(9)V99.
    05 FILLER       PIC X(5).
    05 ITEMS OCCURS 14 TIMES.
       10 ITEM-NO   PIC X(12).
       10 TITLE     PIC X(20).
       10 QUANTITY  PIC S9(5) COMP-3.
       10 PRICE     PIC S9(7)V99.
       10 WEIGHT    PIC S9(5)V9(3) COMP-3.
       10 STOCK     PIC S9(9) COMP.
       10 DISCOUNT  PIC S9(3)V99.
       10 FLAGS     PIC X(3).
    05 REMARK       PIC X(18).
    05 CHECKSUM     PIC 9(4) COMP.
    05 FILLER       PIC X(2).";

fn order_json() -> String {
    let item = concat!(
        r#"{"item_no":"AB-1234-XY","title":"Hexagon screw M8","quantity":125,"price":1234.56,"#,
        r#""weight":12.345,"stock":-98765,"discount":-2.5,"flags":"YN"}"#
    );
    let customer = concat!(
        r#"{"cust_id":87654321,"cust_name":"Muster GmbH","street":"Hauptstrasse 12","city":"Stuttgart","#,
        r#""post_code":"70173","country":"DE"}"#
    );
    let head = r#""order_date":20261122,"status_code":"OK","currency_code":"EUR","total":123456.78,"balance":-5432.1"#;
    let items = vec![item; 14].join(",");
    format!(
        r#"{{"order_no":1234567890,"customer":{customer},{head},"items":[{items}],"remark":"Please, call","checksum":4711}}"#
    )
}

/// The reports' record as a programmer has it who writes a struct for it.
#[derive(Default, Deserialize, Serialize)]
struct Answer {
    recv_size: u32,
    send_size: u32,
    taskid: u32,
    tranid: String,
    rs_spare: String,
    user_data: Vec<String>,
}

/// Where its texts lie, with their lengths; the rows of `user_data` follow.
const TRANID: std::ops::Range<usize> = 12..16;
const RS_SPARE: std::ops::Range<usize> = 16..32;
const ROW_BYTES: usize = 32;

impl Answer {
    fn read(record: &[u8], page: &CodePage) -> Self {
        let number =
            |at: usize| record[at..at + 4].iter().fold(0, |value, byte| value << 8 | u32::from(*byte));
        let text = |bytes: &[u8]| {
            let table = page.to_unicode();
            let characters = bytes.iter().map(|byte| char::from_u32(table[usize::from(*byte)].into()));
            let text: String = characters.map(Option::unwrap_or_default).collect();
            text.trim_end().to_owned()
        };
        Self {
            recv_size: number(0),
            send_size: number(4),
            taskid: number(8),
            tranid: text(&record[TRANID]),
            rs_spare: text(&record[RS_SPARE]),
            user_data: record[RS_SPARE.end..].chunks(ROW_BYTES).map(text).collect(),
        }
    }

    fn write(&self, record: &mut Vec<u8>, page: &CodePage) {
        record.clear();
        for number in [self.recv_size, self.send_size, self.taskid] {
            record.extend_from_slice(&number.to_be_bytes());
        }
        let mut text = |text: &str, bytes: usize| {
            let end = record.len() + bytes;
            record.extend(text.chars().map(|character| page.encode_char(character).expect("in the page")));
            record.resize(end, page.space());
        };
        text(&self.tranid, TRANID.len());
        text(&self.rs_spare, RS_SPARE.len());
        self.user_data.iter().for_each(|row| text(row, ROW_BYTES));
    }
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
        Case { name: "order", copybook: ORDER.to_owned(), json: order_json() },
    ];
    // Cargo itself gives `--bench`.
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    println!("ns a record                        record->JSON           JSON->record        copy");
    println!("                     bytes       ours      serde       ours      serde");
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
    let (serde_decode, serde_encode) = match case.name.contains('K') {
        true => with_serde(case, &record, page),
        false => ("-".to_owned(), "-".to_owned()),
    };
    let mut copied = vec![0; record.len()];
    let copy_ns = nanoseconds(|| {
        copied.copy_from_slice(black_box(&record));
        black_box(&copied);
    });
    println!(
        "{:<18}{:>8}{decode_ns:>11.0}{serde_decode:>11}{encode_ns:>11.0}{serde_encode:>11}{copy_ns:>12.0}",
        case.name,
        record.len()
    );
}

/// The same by a struct and serde, for the reports' records.
fn with_serde(case: &Case, record: &[u8], page: &CodePage) -> (String, String) {
    let mut json = Vec::new();
    serde_json::to_writer(&mut json, &Answer::read(record, page)).expect("JSON");
    assert_eq!(json, case.json.as_bytes(), "the peer does the same");
    let decode_ns = nanoseconds(|| {
        json.clear();
        serde_json::to_writer(&mut json, &Answer::read(black_box(record), page)).expect("JSON");
        black_box(&json);
    });
    let mut written = Vec::new();
    let encode_ns = nanoseconds(|| {
        let answer: Answer = serde_json::from_slice(black_box(case.json.as_bytes())).expect("JSON");
        answer.write(&mut written, page);
        black_box(&written);
    });
    assert_eq!(written, record, "the peer does the same");
    (format!("{decode_ns:.0}"), format!("{encode_ns:.0}"))
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
