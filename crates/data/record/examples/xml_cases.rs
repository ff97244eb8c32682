//! Writes schemas and documents of many records into a folder, for validators that are not ours to judge:
//! `cargo run -p record --example xml_cases -- <folder>`.
//!
//! A case is a folder with `request.xsd` and `response.xsd`, documents that these must take (`request-*.xml`, which
//! give a record, and `response-*.xml`, which came of one) and such as they must refuse (`bad-*.xml`, which are
//! refused here as well).

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use codepage::CodePage;
use copybook::Layout;
use record::{
    BadNumber, Bind, CENTURY_WINDOW_DEFAULT, Conditions, Counters, DataTruncation, DateFormat, EditedValue,
    FieldOptions, Filler, Format, MissingFields, Naming, Nulls, NumberStyle, OmitEmpty, Options, ViewRule,
    XmlOptions, ZeroOccurs,
};

#[allow(dead_code)]
#[path = "../tests/it/random.rs"]
mod random;
#[allow(dead_code)]
#[path = "../tests/it/value.rs"]
mod value;

use random::{Dice, RandomLayout};

/// How many random layouts there are.
const RANDOM: u32 = 40;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A copybook with options, and documents that its schemas must accept or refuse.
struct Case {
    name: &'static str,
    copybook: &'static str,
    choose: fn(&Layout, &mut Options),
    good: &'static [&'static str],
    bad: &'static [&'static str],
}

const CASES: &[Case] = &[
    Case {
        name: "text",
        copybook: "01 R. 05 T PIC X(3). 05 J PIC X(2) JUSTIFIED. 05 N PIC N(2).",
        choose: |_, _| {},
        good: &["<r><t>abc</t><j>b</j><n>é</n></r>", "<r><t> a </t></r>", "<r/>", "<r><t/></r>"],
        bad: &[
            "<r><t>abcd</t></r>",
            "<r><j>a</j><t>a</t></r>",
            "<r><x/></r>",
            "<r a='1'/>",
            "<x/>",
            "<r>a</r>",
        ],
    },
    Case {
        name: "numbers",
        copybook: "01 R. 05 A PIC 9(2). 05 B PIC S9(4) COMP. 05 C PIC S9(9) COMP-5. 05 D PIC 9(18). 05 E PIC S9(31) COMP-3. \
            05 F PIC 9(3)V99 COMP-3. 05 G PIC SV9(2). 05 H PIC 9(2)PPP. 05 I PIC VPP9(3). 05 K COMP-1. 05 L COMP-2. \
            05 M PIC 9(9) COMP-5. 05 N PIC 9(18) COMP-5. 05 O PIC S9(4) COMP-5.",
        choose: |_, _| {},
        good: &[
            "<r><a>99</a><b>-9999</b><c>-2147483648</c><d>999999999999999999</d><e>-9999999999999999999999999999999</e>\
             <f>999.99</f><g>-.99</g><h>99000</h><i>0.00999</i><k>1.5E+3</k><l>-1e-9</l><m>4294967295</m>\
             <n>18446744073709551615</n><o>-32768</o></r>",
            "<r><a> 007 </a><b>+1</b><f>5.</f><h>0</h><i>0</i></r>",
        ],
        bad: &[
            "<r><a>100</a></r>",
            "<r><a>-1</a></r>",
            "<r><a>1.5</a></r>",
            "<r><a/></r>",
            "<r><a>x</a></r>",
            "<r><b>10000</b></r>",
            "<r><c>2147483648</c></r>",
            "<r><d>1000000000000000000</d></r>",
            "<r><e>10000000000000000000000000000000</e></r>",
            "<r><f>1000</f></r>",
            "<r><f>1.234</f></r>",
            "<r><f>-1</f></r>",
            "<r><g>1</g></r>",
            "<r><h>100</h></r>",
            "<r><h>100000</h></r>",
            "<r><i>0.01</i></r>",
            "<r><i>0.000001</i></r>",
            "<r><k>a</k></r>",
            "<r><m>4294967296</m></r>",
            "<r><n>18446744073709551616</n></r>",
            "<r><o>32768</o></r>",
        ],
    },
    Case {
        name: "tables",
        copybook: "01 R. 05 N PIC 9. 05 T PIC X OCCURS 3. 05 V PIC 9 OCCURS 2 TO 4 DEPENDING ON N. \
            05 G. 10 O OCCURS 2. 15 P PIC 9.",
        choose: |_, _| {},
        good: &[
            "<r><t>a</t><t/><t>c</t><v>1</v><v>2</v><g><o><p>1</p></o><o/></g></r>",
            "<r><v>1</v><v>2</v><v>3</v><v>4</v></r>",
            "<r><g/></r>",
        ],
        bad: &[
            "<r><t>a</t></r>",
            "<r><t/><t/><t/><t/></r>",
            "<r><v>1</v></r>",
            "<r><v>1</v><v>2</v><v>3</v><v>4</v><v>5</v></r>",
            "<r><v>1</v><t/><v>2</v></r>",
            "<r><g><o/></g></r>",
            "<r><n>1</n></r>",
        ],
    },
    Case {
        name: "required",
        copybook: "01 R. 05 A PIC 9. 05 G. 10 B PIC X. 05 C PIC 9. 05 T PIC X OCCURS 1 TO 3 DEPENDING ON C. 05 U PIC 9 OCCURS 2.",
        choose: |_, options| {
            options.missing_fields = MissingFields::Refuse;
            options.zero_occurs = ZeroOccurs::Refuse;
        },
        good: &[
            "<r><a>1</a><g><b/></g><t>x</t><u>1</u><u>2</u></r>",
            "<r><a>1</a><g><b/></g><u>1</u><u>2</u></r>",
        ],
        bad: &["<r/>", "<r><a>1</a><g/><u>1</u><u>2</u></r>", "<r><a>1</a><g><b/></g></r>"],
    },
    Case {
        name: "namespace",
        copybook: "01 R. 05 A PIC 9. 05 G. 10 B PIC X.",
        choose: |_, options| {
            options.xml.namespace = Some("urn:a&b".to_owned());
            options.xml.root = Some("Operation".to_owned());
        },
        good: &[
            "<Operation xmlns='urn:a&amp;b'><a>1</a></Operation>",
            "<p:Operation xmlns:p='urn:a&amp;b'><p:g><b xmlns='urn:a&amp;b'>x</b></p:g></p:Operation>",
        ],
        bad: &[
            "<Operation><a>1</a></Operation>",
            "<p:Operation xmlns:p='urn:a&amp;b'><a>1</a></p:Operation>",
            "<Operation xmlns='urn:b'/>",
        ],
    },
    Case {
        name: "prefix",
        copybook: "01 R. 05 9-A PIC 9. 05 B-2 PIC X.",
        choose: |_, options| {
            options.naming = Naming::Cobol;
            (options.xml.namespace, options.xml.prefix) = (Some("urn:x".to_owned()), Some("p".to_owned()));
        },
        good: &["<R xmlns='urn:x'><_9-A>1</_9-A><B-2/></R>"],
        bad: &["<R xmlns='urn:x'><B-2/><_9-A>1</_9-A></R>"],
    },
    Case {
        name: "forms",
        copybook: "01 R. 05 D PIC 9(8). 05 T PIC 9(6). 05 S PIC 9(14). 05 B PIC X. 05 H PIC X(2). 05 I PIC X(4). \
            05 E PIC Z,ZZ9.99-. 05 Q PIC 9(3).",
        choose: |layout, options| {
            let date = |picture: &str| DateFormat::parse(picture, CENTURY_WINDOW_DEFAULT).expect("a date");
            let boolean = Format::Boolean { yes: "Y".to_owned(), no: "N".to_owned() };
            for (name, format) in [
                ("D", Format::Date(date("yyyyMMdd"))),
                ("T", Format::Date(date("HHmmss"))),
                ("S", Format::Date(date("yyyyMMddHHmmss"))),
                ("B", boolean),
                ("H", Format::Hex),
                ("I", Format::Base64),
            ] {
                field(layout, options, name).format = Some(format);
            }
            options.edited = EditedValue::Value;
            options.policies.numbers = NumberStyle::Text;
            field(layout, options, "D").description = Some("A day, <of any> kind & \u{1}age ]]>".to_owned());
        },
        good: &[
            "<r><d>2026-11-21</d><t>16:48:12</t><s>2026-11-21T16:48:12</s><b>true</b><h>00FF</h><i>AAECAw==</i>\
             <e>-1234.5</e><q>7</q></r>",
            "<r><d>2026-11-21</d><t>00:00:00</t><s>2026-11-21T00:00:00</s><b>0</b><h>00ff</h><i> AAEC Aw== </i></r>",
        ],
        bad: &[
            "<r><d>2026-02-30</d></r>",
            "<r><d>2026-11-21Z</d></r>",
            "<r><t>25:00:00</t></r>",
            "<r><s>2026-11-21</s></r>",
            "<r><b>yes</b></r>",
            "<r><h>00</h></r>",
            "<r><h>0</h></r>",
            "<r><i>AA==</i></r>",
            "<r><e>12345</e></r>",
            "<r><q>1000</q></r>",
        ],
    },
    Case {
        name: "conditions",
        copybook: "01 R. 05 A PIC X. 88 Y VALUE 'Y'. 88 N VALUE 'N' ' '. 05 B PIC 9(2). 88 LOW VALUE 1 THRU 5. \
            88 HIGH VALUE 90 THRU 99 50. 05 C PIC S9V9. 88 HALF VALUE 0.5. 05 D PIC 9. 88 MID VALUE 3 THRU 6.",
        choose: |layout, options| {
            options.conditions = Conditions::Enforce;
            for (name, default) in [("B", "1"), ("C", "0.5"), ("D", "3")] {
                field(layout, options, name).default = Some(default.to_owned());
            }
        },
        good: &["<r><a>Y</a><b>95</b><c>0.50</c><d>6</d></r>", "<r><a/><b>50</b></r>"],
        bad: &[
            "<r><a>X</a></r>",
            "<r><b>6</b></r>",
            "<r><b>100</b></r>",
            "<r><c>1</c></r>",
            "<r><d>7</d></r>",
        ],
    },
    Case {
        name: "nil",
        copybook: "01 R. 05 A PIC 9(2). 05 B PIC X. 05 T PIC 9 OCCURS 2. 05 G. 10 C PIC 9.",
        choose: |_, options| {
            options.policies.nulls = Nulls::Blanks;
            options.policies.blank_numbers = BadNumber::Null;
            options.policies.omit_empty = OmitEmpty::Null;
        },
        good: &[
            "<r xmlns:i='http://www.w3.org/2001/XMLSchema-instance'><a i:nil='true'/><b i:nil='1'></b>\
             <t>1</t><t i:nil='true'/><g i:nil='true'/></r>",
            "<r><a>1</a><t>1</t><t>2</t></r>",
        ],
        bad: &[
            "<r xmlns:i='http://www.w3.org/2001/XMLSchema-instance'><a i:nil='true'>1</a></r>",
            "<r xmlns:i='http://www.w3.org/2001/XMLSchema-instance'><a i:nil='false'/></r>",
        ],
    },
    Case {
        name: "views",
        copybook: "01 R. 05 K PIC X. 05 A. 10 A1 PIC 99. 05 B REDEFINES A PIC X(2). 05 C REDEFINES A. \
            10 C1 PIC 9 OCCURS 2. 05 Z PIC X.",
        choose: |layout, options| {
            let teller = layout.resolve("K").expect("K");
            // One of the good cases holds none of the views.
            options.unmatched_views = record::UnmatchedViews::Omit;
            for (name, value) in [("A", "a"), ("B", "b"), ("C", "c")] {
                let rule = ViewRule { field: teller, values: vec![value.to_owned()] };
                field(layout, options, name).when = Some(rule);
            }
        },
        good: &[
            "<r><k>a</k><a><a1>1</a1></a><z/></r>",
            "<r><b>xy</b></r>",
            "<r><k>c</k><c><c1>1</c1><c1>2</c1></c><z>z</z></r>",
            "<r><k>d</k></r>",
        ],
        bad: &["<r><a/><b/></r>", "<r><b/><k>b</k></r>", "<r><k>c</k><c><c1>1</c1></c></r>"],
    },
    Case {
        name: "cut",
        copybook: "01 R. 05 A PIC 9. 05 T PIC 9 OCCURS 3.",
        choose: |_, options| {
            options.data_truncation = DataTruncation::Accept;
            options.missing_rows = record::MissingRows::Initial;
        },
        good: &["<r><a>1</a><t>1</t></r>", "<r><a>1</a></r>"],
        bad: &["<r><t>1</t><t>1</t><t>1</t><t>1</t></r>"],
    },
];

/// Cases whose schemas have the shape of DFHLS2WS.
const PROGRAMS: &[Case] = &[
    Case {
        name: "program-numbers",
        copybook: "01 R. 05 A PIC 9(2). 05 B PIC S9(4) COMP. 05 C PIC S9(9) COMP-5. 05 D PIC 9(18). 05 E PIC S9(31) COMP-3. \
            05 F PIC 9(3)V99 COMP-3. 05 G PIC SV9(2). 05 H PIC 9(2)PPP. 05 I PIC VPP9(3). 05 K COMP-1. 05 L COMP-2.",
        choose: |_, _| {},
        good: &[
            "<R><a>99</a><b>-9999</b><c>-999999999</c><d>999999999999999999</d><e>-9999999999999999999999999999999</e>\
             <f>999.99</f><g>-0.99</g><h>99000</h><i>0.00999</i><k>1.5E+3</k><l>-1e-9</l></R>",
        ],
        bad: &[
            "<R><a>100</a></R>",
            "<R><a>-1</a></R>",
            "<R><b>32768</b></R>",
            "<R><f>-1</f></R>",
            "<R><g>1.234</g></R>",
        ],
    },
    Case {
        name: "program-tables",
        copybook: "01 R. 05 N PIC 9. 05 YEAR PIC X(4). 05 YEAR PIC X(4). 05 FILLER PIC X(2). 05 T PIC X OCCURS 2. \
            05 G OCCURS 1 TO 5 DEPENDING ON N. 10 A PIC X.",
        choose: |_, options| {
            options.xml.namespace = Some("http://www.TABLES.com".to_owned());
            options.data_truncation = DataTruncation::Accept;
        },
        good: &[
            "<R xmlns='http://www.TABLES.com'><n>2</n><year>1999</year><year1/><filler1> </filler1><t>a</t><t>b</t>\
             <g><a>x</a></g><g><a>y</a></g></R>",
        ],
        bad: &[
            "<R><n>1</n></R>",
            "<R xmlns='http://www.TABLES.com'><n>1</n><t>a</t></R>",
            "<R xmlns='http://www.TABLES.com'><n>9</n><x/></R>",
        ],
    },
    Case {
        name: "program-views",
        copybook: "01 R. 05 K PIC X. 05 V PIC X(2). 05 W REDEFINES V PIC 9(2).",
        choose: |layout, options| {
            let teller = layout.resolve("K").expect("a field of the copybook");
            for (view, value) in [("V", "V"), ("W", "W")] {
                let rule = ViewRule { field: teller, values: vec![value.to_owned()] };
                field(layout, options, view).when = Some(rule);
            }
        },
        good: &["<R><k>V</k><v>ab</v></R>", "<R><k>W</k><w>12</w></R>"],
        bad: &["<R><k>V</k><v>a</v><w>1</w></R>", "<R><k>V</k><v>abc</v></R>"],
    },
];

/// The options that go with the shape of DFHLS2WS.
fn program_options() -> Options {
    Options {
        naming: Naming::Ls2ws,
        filler: Filler::Expose,
        counters: Counters::Show,
        xml: XmlOptions { root: Some("R".to_owned()), ..XmlOptions::default() },
        ..options()
    }
}

fn field<'o>(layout: &Layout, options: &'o mut Options, name: &str) -> &'o mut FieldOptions {
    let id = layout.resolve(name).expect("a field of the copybook");
    options.fields.entry(id).or_default()
}

fn main() -> Result<()> {
    let folder: PathBuf = std::env::args().nth(1).ok_or("a folder is missing")?.into();
    for case in CASES {
        write_case(&folder.join(case.name), case).map_err(|error| format!("{}: {error}", case.name))?;
    }
    for case in PROGRAMS {
        write_program(&folder.join(case.name), case).map_err(|error| format!("{}: {error}", case.name))?;
    }
    for seed in 1..=RANDOM {
        write_random(&folder.join(format!("random-{seed:02}")), seed)
            .map_err(|error| format!("{seed}: {error}"))?;
    }
    Ok(())
}

fn layout(copybook: &str) -> Result<Layout> {
    let options = copybook::Options { format: copybook::Format::Free, ..copybook::Options::default() };
    let mut parsed =
        copybook::parse("CASE.cpy", copybook, &options).map_err(|findings| format!("{findings:?}"))?;
    Ok(parsed.layouts.remove(0))
}

fn options() -> Options {
    Options::new(CodePage::by_ccsid(37).expect("CCSID 37"))
}

fn bind(layout: &Layout, options: &Options) -> Result<Bind> {
    Bind::compile(layout, options).map_err(|errors| format!("{errors:?}").into())
}

fn write_schemas(folder: &Path, bind: &Bind) -> Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join("request.xsd"), bind.request_xsd())?;
    fs::write(folder.join("response.xsd"), bind.response_xsd())?;
    Ok(())
}

fn write_case(folder: &Path, case: &Case) -> Result<()> {
    let layout = layout(case.copybook)?;
    let mut options = options();
    (case.choose)(&layout, &mut options);
    let bind = bind(&layout, &options)?;
    write_schemas(folder, &bind)?;
    write_documents(folder, &bind, case)
}

fn write_program(folder: &Path, case: &Case) -> Result<()> {
    let layout = layout(case.copybook)?;
    let mut options = program_options();
    (case.choose)(&layout, &mut options);
    let bind = bind(&layout, &options)?;
    fs::create_dir_all(folder)?;
    fs::write(folder.join("request.xsd"), bind.request_program_interface("3.0"))?;
    fs::write(folder.join("response.xsd"), bind.response_program_interface("3.0"))?;
    write_documents(folder, &bind, case)
}

fn write_documents(folder: &Path, bind: &Bind, case: &Case) -> Result<()> {
    let mut record = Vec::new();
    for (number, document) in case.good.iter().enumerate() {
        bind.encode_xml(document.as_bytes(), &mut record).map_err(|error| format!("{error}: {document}"))?;
        fs::write(folder.join(format!("request-{number}.xml")), document)?;
        let mut answer = record::XML_DECLARATION.as_bytes().to_vec();
        bind.decode_xml(&record, &mut answer).map_err(|error| format!("{error}: {document}"))?;
        fs::write(folder.join(format!("response-{number}.xml")), answer)?;
    }
    for (number, document) in case.bad.iter().enumerate() {
        if bind.encode_xml(document.as_bytes(), &mut record).is_ok() {
            return Err(format!("this should have been refused: {document}").into());
        }
        fs::write(folder.join(format!("bad-{number}.xml")), document)?;
    }
    Ok(())
}

/// A random layout, with documents of random records: all of them are for requests and responses alike.
fn write_random(folder: &Path, seed: u32) -> Result<()> {
    let mut state = u64::from(seed);
    let mut rolls = Vec::new();
    for _ in 0..1_500 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        rolls.push((state >> 33) as u32);
    }
    let mut dice = Dice::new(&rolls);
    let random = RandomLayout::new(&mut dice);
    let layout = layout(&random.copybook)?;
    let mut options = options();
    for name in &random.chosen {
        field(&layout, &mut options, name).included = Some(true);
    }
    // A request may give none of the views.
    options.unmatched_views = record::UnmatchedViews::Omit;
    for (view, teller, value) in &random.rules {
        let teller = layout.resolve(teller).map_err(|_| "names are those of the copybook")?;
        let rule = ViewRule { field: teller, values: vec![(*value).to_owned()] };
        field(&layout, &mut options, view).when = Some(rule);
    }
    options.edited = EditedValue::Value;
    options.policies.control_characters = record::ControlCharacters::Blank;
    let bind = bind(&layout, &options)?;
    write_schemas(folder, &bind)?;
    fs::write(folder.join("copybook.cpy"), &random.copybook)?;
    let programs = folder.with_file_name(format!("random-program-{seed:02}"));
    fs::create_dir_all(&programs)?;
    for direction in ["request", "response"] {
        fs::write(programs.join(format!("{direction}.xsd")), bind.response_program_interface("3.0"))?;
    }
    for number in 0..3 {
        let (mut record, mut document) = (Vec::new(), Vec::new());
        bind.encode(random.value(&mut dice).plain().as_bytes(), &mut record)?;
        bind.decode_xml(&record, &mut document)?;
        fs::write(folder.join(format!("request-{number}.xml")), &document)?;
        fs::write(folder.join(format!("response-{number}.xml")), &document)?;
        // What comes of a record is for the other shape of the schema too.
        fs::write(programs.join(format!("request-{number}.xml")), &document)?;
        fs::write(programs.join(format!("response-{number}.xml")), &document)?;
    }
    Ok(())
}
