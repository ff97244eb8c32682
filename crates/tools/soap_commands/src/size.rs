//! `gantry soap size`: how large the messages of a copybook are, as they are sent, and by the formula of the sizing rules.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use record::{Bind, Counters, Options, Schema};
use settings::copybooks::{SOURCE_CCSID, record_source_page};
use web_service::{BindFile, CharVarying, Choices, Level, Operation, Part};

use crate::copybooks::Folders;

/// The records to size.
#[derive(Debug, Args)]
pub struct SizeArgs {
    /// The file with the copybook.
    copybook: PathBuf,
    /// The 01 level, if there are several.
    #[arg(long)]
    record: Option<String>,
    /// The program's name, which the operation is named after; default: the copybook's.
    #[arg(long)]
    program: Option<String>,
    /// The message is a response: its element is named PROGRAMOperationResponse.
    #[arg(long)]
    response: bool,
    /// The namespace of the message; default: the one that ls2ws makes.
    #[arg(long, value_name = "URI")]
    namespace: Option<String>,
    /// CHAR-VARYING: `no` sends the blanks at the end of text, `collapse` does not.
    #[arg(long, value_enum, default_value_t)]
    char_varying: CharVaryingWord,
    /// An additional folder with members for COPY.
    #[arg(long, value_name = "FOLDER")]
    copybooks: Vec<PathBuf>,
    /// The code page of a copybook that is not UTF-8.
    #[arg(long, value_name = "CCSID", default_value_t = SOURCE_CCSID)]
    source_ccsid: u16,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum CharVaryingWord {
    #[default]
    No,
    Collapse,
}

/// The beginning of an envelope, up to the body.
const HEAD: &str =
    "<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"http://schemas.xmlsoap.org/soap/envelope/\"><SOAP-ENV:Body>";
const TAIL: &str = "</SOAP-ENV:Body></SOAP-ENV:Envelope>";

/// Bytes of prefix and suffix by the formula.
const FORMULA_AROUND: usize = 278;
/// Bytes of an operation beside its program's name, twice.
const FORMULA_OPERATION: usize = 23;
/// Bytes of an element beside its name, twice, and its data.
const FORMULA_ELEMENT: usize = 5;

/// How full the values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fill {
    /// Empty text, zeros, as few rows as there may be.
    Least,
    /// Half of the characters, digits and rows.
    Typical,
    /// All of them.
    Most,
}

/// One message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Message {
    soap_bytes: usize,
    /// Of these, what is around the body.
    around: usize,
    /// Of these, the tags of the operation.
    operation: usize,
    /// Of these, all elements in it.
    content: usize,
    json_bytes: usize,
    /// Elements with a value.
    elements: usize,
    /// Elements with other elements in them.
    groups: usize,
    /// Bytes of the names of elements with a value.
    name_bytes: usize,
    /// Bytes of the values.
    data_bytes: usize,
}

impl Message {
    /// The size by the formula, which knows no groups.
    fn by_formula(&self, program: &str) -> usize {
        FORMULA_AROUND
            + (2 * program.len() + FORMULA_OPERATION)
            + (2 * self.name_bytes + self.data_bytes + FORMULA_ELEMENT * self.elements)
    }
}

/// Prints the sizes.
pub(crate) fn run(args: &SizeArgs) -> Result<(), String> {
    let (binds, program) = binds(args)?;
    let binds = &binds;
    let messages = [Fill::Least, Fill::Typical, Fill::Most].map(|fill| message(binds, fill));
    let [least, typical, most] = messages;
    print!("{}", table(&program, [least?, typical?, most?]));
    Ok(())
}

/// The plans of a message.
struct Binds {
    /// Makes records, and counts the rows of tables itself.
    of_values: Bind,
    /// Makes the messages.
    of_messages: Bind,
}

fn binds(args: &SizeArgs) -> Result<(Binds, String), String> {
    let own = args.copybook.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folders: Vec<PathBuf> =
        std::iter::once(own.unwrap_or(Path::new(".")).to_owned()).chain(args.copybooks.clone()).collect();
    let name = args.copybook.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = args.copybook.file_stem().unwrap_or_default().to_string_lossy();
    let program = args.program.clone().unwrap_or_else(|| stem.to_uppercase());
    let word = if args.response { "Response" } else { "Request" };
    let part = Part {
        element: format!("{program}Operation{}", if args.response { word } else { "" }),
        namespace: args
            .namespace
            .clone()
            .unwrap_or_else(|| format!("http://www.{program}.{}.{word}.com", stem.to_uppercase())),
        copybook: name.clone(),
        record: args.record.clone(),
        ..Part::default()
    };
    let char_varying = match args.char_varying {
        CharVaryingWord::No => CharVarying::No,
        CharVaryingWord::Collapse => CharVarying::Collapse,
    };
    let mut file = BindFile {
        mapping_level: Level::CURRENT,
        options: Choices { char_varying, data_truncation: true, ..Choices::default() },
        operation: vec![Operation { name: part.element.clone(), request: part, ..Operation::default() }],
        ..BindFile::default()
    };
    Folders::new(&folders, record_source_page(args.source_ccsid)?)?.add(&name, &mut file.copybooks)?;
    let parts = match file.parts(37) {
        Ok((parts, warnings)) => {
            crate::tell(&warnings, "the copybook")?;
            parts
        }
        Err(problems) => return Err(crate::tell(&problems, "the copybook").err().unwrap_or_default()),
    };
    let interface = &parts.first().ok_or("there is no operation")?.request;
    let compile = |options: &Options| {
        Bind::compile(&interface.layout, options).map_err(|errors| {
            let lines = errors.iter().map(|error| format!("line {}: {error}", error.line));
            lines.collect::<Vec<_>>().join("\n")
        })
    };
    let counting = Options { counters: Counters::Hide, ..interface.options.clone() };
    let binds = Binds { of_values: compile(&counting)?, of_messages: compile(&interface.options)? };
    Ok((binds, program))
}

/// Makes a record of values, and the messages of the record.
fn message(binds: &Binds, fill: Fill) -> Result<Message, String> {
    let mut json = String::new();
    value(&binds.of_values.request_schema(), fill, &mut json);
    let fail = |error: record::Error| format!("a record of these values cannot be made: {error}");
    let (mut record, mut sent, mut xml) = (Vec::new(), Vec::new(), Vec::new());
    binds.of_values.encode(json.as_bytes(), &mut record).map_err(fail)?;
    binds.of_messages.decode(&record, &mut sent).map_err(fail)?;
    binds.of_messages.decode_xml(&record, &mut xml).map_err(fail)?;
    let text = String::from_utf8(xml).map_err(|error| error.to_string())?;
    let document = roxmltree::Document::parse(&text).map_err(|error| error.to_string())?;
    let root = document.root_element();
    let mut message =
        Message { json_bytes: sent.len(), around: HEAD.len() + TAIL.len(), ..Message::default() };
    let first = root.first_child().map(|child| child.range().start);
    let last = root.last_child().map(|child| child.range().end);
    message.content = first.zip(last).map_or(0, |(first, last)| last - first);
    message.operation = text.len() - message.content;
    message.soap_bytes = message.around + text.len();
    for element in root.descendants().filter(|node| node.is_element() && *node != root) {
        if element.children().any(|child| child.is_element()) {
            message.groups += 1;
        } else {
            message.elements += 1;
            message.name_bytes += element.tag_name().name().len();
            let inside = element.first_child().zip(element.last_child());
            message.data_bytes += inside.map_or(0, |(first, last)| last.range().end - first.range().start);
        }
    }
    Ok(message)
}

/// Writes a value of a schema as JSON.
fn value(schema: &Schema, fill: Fill, out: &mut String) {
    match schema.kind {
        "object" => {
            out.push('{');
            for (number, (name, member)) in schema.properties.iter().enumerate() {
                let comma = if number == 0 { "" } else { "," };
                let _ = write!(out, "{comma}\"{name}\":");
                value(member, fill, out);
            }
            out.push('}');
        }
        "array" => {
            let (min, max) = (schema.min_items.unwrap_or(0), schema.max_items.unwrap_or(0));
            let rows = pick(fill, min, min.midpoint(max), max);
            out.push('[');
            for row in 0..rows {
                if row > 0 {
                    out.push(',');
                }
                if let Some(items) = &schema.items {
                    value(items, fill, out);
                }
            }
            out.push(']');
        }
        "string" => text(schema, fill, out),
        "boolean" => out.push_str("true"),
        _ => number(schema, fill, out),
    }
}

fn pick<T>(fill: Fill, least: T, typical: T, most: T) -> T {
    match fill {
        Fill::Least => least,
        Fill::Typical => typical,
        Fill::Most => most,
    }
}

fn text(schema: &Schema, fill: Fill, out: &mut String) {
    let most = schema.max_length.unwrap_or(0);
    let characters = pick(fill, 0, most / 2, most);
    if schema.content_encoding.is_some() {
        // Such text has always all of its bytes.
        let _ = write!(out, "\"{}\"", "A".repeat(most));
    } else {
        let _ = write!(out, "\"{}\"", "x".repeat(characters));
    }
}

/// The number with the most characters is the greatest, or the least if it is negative.
fn number(schema: &Schema, fill: Fill, out: &mut String) {
    let greatest = schema.maximum.as_deref().unwrap_or("0");
    let most = schema.minimum.as_deref().filter(|least| least.len() > greatest.len()).unwrap_or(greatest);
    match fill {
        Fill::Least => out.push('0'),
        Fill::Most => out.push_str(most),
        Fill::Typical => {
            let whole = greatest.trim_start_matches('-').split('.').next().unwrap_or("0");
            out.push_str(&whole[..whole.len().div_ceil(2)]);
        }
    }
}

fn table(program: &str, messages: [Message; 3]) -> String {
    let rows: [(&str, [usize; 3]); 9] = [
        ("SOAP, bytes", messages.map(|message| message.soap_bytes)),
        ("  prefix and suffix", messages.map(|message| message.around)),
        ("  operation", messages.map(|message| message.operation)),
        ("  elements", messages.map(|message| message.content)),
        ("JSON, bytes", messages.map(|message| message.json_bytes)),
        ("by the formula", messages.map(|message| message.by_formula(program))),
        ("elements with data", messages.map(|message| message.elements)),
        ("  their names, bytes", messages.map(|message| message.name_bytes)),
        ("  their data, bytes", messages.map(|message| message.data_bytes)),
    ];
    let mut text = format!("{:24}{:>12}{:>12}{:>12}\n", program, "least", "typical", "most");
    for (name, values) in rows {
        let [least, typical, most] = values;
        let _ = writeln!(text, "{name:24}{least:>12}{typical:>12}{most:>12}");
    }
    text.push_str("The formula is 278 + (2p + 23) + n(2e + d + 5): p is the length of the program's name, n the number\n");
    text.push_str(
        "of elements with data, e and d the average lengths of their names and data. It knows no groups.\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binds_of(copybook: &str) -> Binds {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("PROGRAM1.cpy");
        std::fs::write(&path, copybook).expect("written");
        let args = SizeArgs {
            copybook: path,
            record: None,
            program: None,
            response: false,
            namespace: None,
            char_varying: CharVaryingWord::No,
            copybooks: Vec::new(),
            source_ccsid: SOURCE_CCSID,
        };
        let (binds, program) = binds(&args).expect("binds");
        assert_eq!(program, "PROGRAM1");
        binds
    }

    /// A copybook of `elements` fields, with names of `name_bytes` and data of `data_bytes`.
    fn sized(elements: usize, name_bytes: usize, data_bytes: usize) -> Message {
        let mut text = "       01  RECORD-IN.\n".to_owned();
        for number in 0..elements {
            let name = format!("F{number:0width$}", width = name_bytes - 1);
            let _ = writeln!(text, "           05  {name} PIC X({data_bytes}).");
        }
        message(&binds_of(&text), Fill::Most).expect("a message")
    }

    #[test]
    fn the_formula_gives_the_figures_of_the_sizing_rules() {
        let cases = [
            (128, 8, 32, 7_101),
            (512, 8, 8, 15_165),
            (2_048, 8, 2, 47_421),
            (4_096, 8, 1, 90_429),
            (512, 16, 8, 23_357),
            (2_048, 24, 2, 112_957),
            (4_096, 30, 1, 270_653),
        ];
        for (elements, name_bytes, data_bytes, expected) in cases {
            let message = sized(elements, name_bytes, data_bytes);
            assert_eq!(message.by_formula("PROGRAM1"), expected, "{elements} of {data_bytes}");
            assert_eq!(message.content, elements * (2 * name_bytes + data_bytes + 5));
        }
    }

    #[test]
    fn a_message_is_its_parts() {
        let message = sized(3, 4, 5);
        assert_eq!(message.soap_bytes, message.around + message.operation + message.content);
        let root =
            "<PROGRAM1Operation xmlns=\"http://www.PROGRAM1.PROGRAM1.Request.com\"></PROGRAM1Operation>";
        assert_eq!(message.operation, root.len());
        assert_eq!(
            (message.elements, message.groups, message.name_bytes, message.data_bytes),
            (3, 0, 12, 15)
        );
        assert_eq!(message.json_bytes, "{\"f000\":\"xxxxx\",\"f001\":\"xxxxx\",\"f002\":\"xxxxx\"}".len());
    }

    #[test]
    fn least_is_not_more_than_typical_and_that_not_more_than_most() {
        let schema = Schema {
            minimum: Some("-99.99".to_owned()),
            maximum: Some("99.99".to_owned()),
            kind: "number",
            ..Schema::default()
        };
        let shown = |fill| {
            let mut out = String::new();
            number(&schema, fill, &mut out);
            out
        };
        assert_eq!([Fill::Least, Fill::Typical, Fill::Most].map(shown), ["0", "9", "-99.99"]);
    }

    #[test]
    fn counters_have_the_number_of_the_rows() {
        let binds = binds_of(
            "       01  RECORD-IN.\n           05  USED PIC 9(2).\n           05  LINE-ITEM OCCURS 1 TO 10 DEPENDING ON USED.\n\
             \x20              10  A PIC X(4).\n               10  N PIC 9(2) COMP.\n",
        );
        for (fill, rows, data_bytes) in [
            (Fill::Least, 1, "1".len() + 1),
            (Fill::Typical, 5, "5".len() + 5 * 5),
            (Fill::Most, 10, "10".len() + 10 * 6),
        ] {
            let found = message(&binds, fill).expect("a message");
            assert_eq!((found.groups, found.elements), (rows, 1 + 2 * rows), "{fill:?}: {found:?}");
            assert!(found.data_bytes >= data_bytes, "{fill:?}: {found:?}");
        }
    }
}
