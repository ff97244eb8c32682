//! The cost of a file: megabytes of records a second into /dev/null, for the 1K record of the performance
//! reports and for an order of 1K with many numbers.
//!
//! `cargo bench -p dataset --bench decode`; a number after `--` is the size of the file in megabytes (1000). The file
//! is made in the folder for temporary files, read once so that it is in the page cache, and removed.

use std::fs::{self, File};
use std::io::{BufWriter, Read};
use std::path::{Path, PathBuf};
use std::time::Instant;

use codepage::CodePage;
use copybook::Layout;
use dataset::{
    CsvPlan, Decode, Format, Framing, JsonTexts, Output, Portion, RecordFormat, RecordReader, RecordWriter,
    encode, stop,
};
use record::{Bind, Options};

/// Five fields and rows of 32 bytes: 1,024 bytes.
const COPYBOOK: &str = "01 ANSWER.
    05 RECV-SIZE PIC 9(8) COMP-4.
    05 SEND-SIZE PIC 9(8) COMP-4.
    05 TASKID    PIC 9(8) COMP-4.
    05 TRANID    PIC X(4).
    05 RS-SPARE  PIC X(16).
    05 USER-DATA PIC X(32) OCCURS 31 TIMES.";
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

const RECORD_BYTES: usize = 1024;
const RUNS: usize = 5;

struct Setting {
    /// The JSON of a record, and where it has a binary number in which records differ.
    json: String,
    number_at: usize,
    layout: Layout,
    options: Options,
    bind: Bind,
}

impl Setting {
    fn framing(&self, recfm: RecordFormat, block_words: bool) -> Framing {
        let format = Format { recfm, block_words, ..Format::default() };
        Framing::new(&format, &self.layout, &self.bind, &self.options).expect("a format for the layout")
    }
}

/// A file that vanishes.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn main() {
    let megabytes = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(1000usize);
    let records = megabytes * 1_000_000 / RECORD_BYTES;
    let setting = setting_of(COPYBOOK, report_json(), 8);
    let path = std::env::temp_dir().join(format!("gantry-dataset-bench-{}", std::process::id()));
    let file = Scratch(path);

    println!("decode, {records} records of {RECORD_BYTES} bytes   MB/s: worst  median    best");
    let fixed = setting.framing(RecordFormat::Fixed, false);
    make(&file.0, &setting, &fixed, records);
    measure("fb, no decoding", || scan(&file.0, &fixed));
    measure("fb to JSON lines", || decode(&file.0, &setting, &fixed, &Output::JsonLines, 1));
    measure("fb to JSON lines, 2 threads", || decode(&file.0, &setting, &fixed, &Output::JsonLines, 2));
    let csv = Output::Csv(CsvPlan::new(&setting.bind).expect("a plan"));
    measure("fb to CSV", || decode(&file.0, &setting, &fixed, &csv, 1));
    let blocked = setting.framing(RecordFormat::Variable, true);
    make(&file.0, &setting, &blocked, records);
    measure("vb in blocks to JSON lines", || decode(&file.0, &setting, &blocked, &Output::JsonLines, 1));
    println!("most memory used so far: {}", most_memory());
    let lines = scan_lines(&file.0, &setting, &blocked);
    measure("JSON lines to fb", || encode_lines(&lines, &setting, &fixed));

    let order = setting_of(ORDER, order_json(), 10);
    let fixed = order.framing(RecordFormat::Fixed, false);
    make(&file.0, &order, &fixed, records);
    let csv = Output::Csv(CsvPlan::new(&order.bind).expect("a plan"));
    measure("orders to JSON lines", || decode(&file.0, &order, &fixed, &Output::JsonLines, 1));
    measure("orders to CSV", || decode(&file.0, &order, &fixed, &csv, 1));
    let lines = scan_lines(&file.0, &order, &fixed);
    measure("JSON lines to orders", || encode_lines(&lines, &order, &fixed));
}

fn setting_of(copybook: &str, json: String, number_at: usize) -> Setting {
    let options = copybook::Options { format: copybook::Format::Free, ..copybook::Options::default() };
    let mut parsed = copybook::parse("BENCH.cpy", copybook, &options).expect("a valid copybook");
    let layout = parsed.layouts.remove(0);
    let options = Options::new(CodePage::by_ccsid(37).expect("CCSID 37"));
    let bind = Bind::compile(&layout, &options).expect("a bind");
    Setting { json, number_at, layout, options, bind }
}

fn report_json() -> String {
    let rows = vec!["\"ABCDEFGHIJKLMNOPQRSTUVWXYZ012345\""; 31].join(",");
    format!(r#"{{"recv_size":1024,"send_size":32,"tranid":"CSMI","rs_spare":"SPARE","user_data":[{rows}]}}"#)
}

/// Writes a file whose records differ in a number.
fn make(path: &Path, setting: &Setting, framing: &Framing, records: usize) {
    let file = File::create(path).expect("a file for the records");
    let mut writer = RecordWriter::new(BufWriter::new(file), framing);
    let mut record = Vec::new();
    setting.bind.encode(setting.json.as_bytes(), &mut record).expect("JSON that fits");
    for number in 0..records {
        record[setting.number_at..setting.number_at + 4]
            .copy_from_slice(&(number as u32 % 100_000_000).to_be_bytes());
        writer.write(&record).expect("room for the file");
    }
    writer.finish().expect("room for the file");
    // Into the page cache.
    let mut buffer = vec![0; 1 << 20];
    let mut file = File::open(path).expect("the file");
    while file.read(&mut buffer).expect("the file can be read") > 0 {}
}

fn reader(path: &Path, framing: &Framing) -> RecordReader<File> {
    RecordReader::new(File::open(path).expect("the file"), framing, Portion::default()).expect("a reader")
}

/// Bytes of a file whose records are only told apart.
fn scan(path: &Path, framing: &Framing) -> u64 {
    let mut reader = reader(path, framing);
    let mut bytes = 0;
    while let Some(record) = reader.next_record().expect("a file as it was made") {
        bytes += record.bytes.len() as u64;
    }
    bytes
}

/// Bytes of a file that was decoded into /dev/null.
fn decode(path: &Path, setting: &Setting, framing: &Framing, output: &Output, threads: usize) -> u64 {
    let mut reader = reader(path, framing);
    let mut target = File::create("/dev/null").expect("/dev/null");
    let decode = Decode { bind: &setting.bind, output, threads };
    decode.run(&mut reader, &mut target, &mut stop).expect("a file as it was made");
    reader.offset()
}

/// Some JSON lines of the file.
fn scan_lines(path: &Path, setting: &Setting, framing: &Framing) -> Vec<u8> {
    let portion = Portion { limit: Some(50_000), ..Portion::default() };
    let mut reader =
        RecordReader::new(File::open(path).expect("the file"), framing, portion).expect("a reader");
    let mut lines = Vec::new();
    let decode = Decode { bind: &setting.bind, output: &Output::JsonLines, threads: 1 };
    decode.run(&mut reader, &mut lines, &mut stop).expect("a file as it was made");
    lines
}

/// Bytes of the records that the lines became.
fn encode_lines(lines: &[u8], setting: &Setting, framing: &Framing) -> u64 {
    let mut writer = RecordWriter::new(File::create("/dev/null").expect("/dev/null"), framing);
    let counts =
        encode(&setting.bind, &mut JsonTexts::new(lines), &mut writer, &mut stop).expect("lines that fit");
    writer.finish().expect("/dev/null");
    counts.read * RECORD_BYTES as u64
}

fn measure(name: &str, mut run: impl FnMut() -> u64) {
    let mut speeds: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            let bytes = run();
            bytes as f64 / 1e6 / start.elapsed().as_secs_f64()
        })
        .collect();
    speeds.sort_by(f64::total_cmp);
    println!("{name:<46}{:>9.0}{:>8.0}{:>8.0}", speeds[0], speeds[RUNS / 2], speeds[RUNS - 1]);
}

/// As the operating system counts it, where it does.
fn most_memory() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".to_owned(), |value| value.trim().to_owned())
}
