//! `gantry record explain`: one record as a dump beside the names, types and values of its fields.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use codepage::readable::spaced_hex;
use copybook::Layout;
use dataset::{Content, Explainer, Item, Portion};

use crate::files::{FormatArgs, Source};
use crate::layout::describe;
use crate::{View, ViewArgs, print};

/// Bytes on a line of the dump.
const LINE_BYTES: usize = 16;
/// Characters of a value on its line.
const VALUE_SHOWN_MAX: usize = 60;

/// The file, and the number of the record.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The file with records; default or `-`: standard input.
    input: Option<PathBuf>,
    /// The record's number, from 1.
    #[arg(long, short, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    number: u64,
    #[command(flatten)]
    format: FormatArgs,
    /// Bytes before the first record.
    #[arg(long, value_name = "BYTES", default_value_t)]
    skip_bytes: u64,
}

/// Shows one record.
pub(crate) fn explain(view: &ViewArgs, args: &ExplainArgs) -> Result<(), String> {
    let view = View::new(view)?;
    let framing = args.format.framing(&view)?;
    let source = Source::open(args.input.as_deref(), true)?;
    let name = source.name.clone();
    let portion = Portion { skip_bytes: args.skip_bytes, skip: args.number - 1, ..Portion::default() };
    let (mut reader, hints) = source.records(&framing, portion, &view, args.format.recfm())?;
    let found = reader.next_record().map_err(|error| hints.explain(format!("{name}: {error}")))?;
    let Some(record) = found else {
        return Err(hints.explain(format!("{name} has no record {}", args.number)));
    };
    let mut text = format!(
        "record {} of {name}, {} at file offset {}\n\n",
        record.number,
        terminal::count(record.whole.len(), "byte"),
        record.offset
    );
    let explainer = Explainer::new(&view.layout, &view.options);
    text.push_str(&dump(&view.layout, &explainer, record.whole));
    let decoded = view.bind.decode(record.bytes, &mut Vec::new());
    print(&text)?;
    match decoded {
        Ok(()) => {
            hints.warn();
            Ok(())
        }
        Err(error) => Err(hints.explain(format!("the record does not fit the copybook: {error}"))),
    }
}

/// The columns beside the bytes of a field.
struct Row {
    field: String,
    kind: String,
    value: String,
}

fn dump(layout: &Layout, explainer: &Explainer<'_>, record: &[u8]) -> String {
    let items = explainer.explain(record);
    let rows: Vec<Row> = items.iter().map(|item| row(layout, item)).collect();
    let width = |of: fn(&Row) -> &str, head: &str| {
        rows.iter().map(|row| of(row).chars().count()).chain([head.len()]).max().unwrap_or(0)
    };
    let is_whole = |item: &Item| matches!(item.content, Content::Group | Content::Table { .. });
    let bytes = items.iter().filter(|item| !is_whole(item)).map(|item| item.bytes.min(LINE_BYTES)).max();
    let characters = bytes.unwrap_or_default().max("characters".len());
    let hex = (3 * bytes.unwrap_or_default()).saturating_sub(1).max("hex".len());
    let widths = [hex, characters, width(|row| &row.field, "field"), width(|row| &row.kind, "type")];
    let mut text = String::new();
    line(&mut text, ["offset", "hex", "characters", "field", "type", "value"], widths);
    for (item, row) in items.iter().zip(&rows) {
        let Row { field, kind, value } = row;
        let offset = item.offset.to_string();
        if is_whole(item) || item.bytes == 0 {
            line(&mut text, [&offset, "", "", field, kind, value], widths);
            continue;
        }
        let bytes = record.get(item.offset..item.offset + item.bytes).unwrap_or_default();
        let mut before: Option<&[u8]> = None;
        let mut repeated = false;
        for (index, piece) in bytes.chunks(LINE_BYTES).enumerate() {
            // Lines that say the same as the one before are left out, as other dumps do.
            let last = (index + 1) * LINE_BYTES >= bytes.len();
            if before == Some(piece) && !last {
                if !std::mem::replace(&mut repeated, true) {
                    line(&mut text, ["*", "", "", "", "", ""], widths);
                }
                continue;
            }
            (before, repeated) = (Some(piece), false);
            let offset = (item.offset + index * LINE_BYTES).to_string();
            let characters = explainer.characters(piece);
            let beside = if index == 0 { [field.as_str(), kind, value] } else { [""; 3] };
            let [field, kind, value] = beside;
            line(
                &mut text,
                [&offset, &spaced_hex(piece, LINE_BYTES), &characters, field, kind, value],
                widths,
            );
        }
    }
    text
}

fn line(text: &mut String, cells: [&str; 6], widths: [usize; 4]) {
    let [offset, hex, characters, field, kind, value] = cells;
    let line = format!(
        "{offset:>6}  {hex:<0$}  {characters:<1$}  {field:<2$}  {kind:<3$}  {value}",
        widths[0], widths[1], widths[2], widths[3]
    );
    // Writing into a string does not fail.
    let _ = writeln!(text, "{}", line.trim_end());
}

fn row(layout: &Layout, item: &Item) -> Row {
    let indent = "  ".repeat(item.depth);
    let Some(field) = item.field.map(|id| layout.field(id)) else {
        return Row {
            field: "(beyond)".to_owned(),
            kind: String::new(),
            value: "(the copybook does not describe these bytes)".to_owned(),
        };
    };
    let row = item.row.map(|row| format!("[{row}]")).unwrap_or_default();
    let name = format!("{indent}{:02} {}{row}", field.level, field.spelling);
    let kind = match (&item.content, field.redefines) {
        (Content::Table { rows, .. }, _) => format!("table, {}", terminal::count(*rows, "row")),
        (_, Some(original)) if item.row.is_none() => {
            format!("{}, redefines {}", describe(&field.kind), layout.field(original).name)
        }
        _ => describe(&field.kind),
    };
    let value = match &item.content {
        Content::Group | Content::Table { fault: None, .. } => String::new(),
        Content::Table { fault: Some(fault), rows } => {
            format!("!! {fault}; shown with {}", terminal::count(*rows, "row"))
        }
        Content::Text(text) => format!("\"{}\"", shortened(text)),
        Content::Number(number) => number.clone(),
        Content::Opaque(_) => "(not shown)".to_owned(),
        Content::Fault(fault) => format!("!! {fault}"),
        Content::Missing if item.bytes > 0 => {
            format!("!! the record ends within it, {} of {} bytes are there", item.bytes, field.bytes)
        }
        Content::Missing => "!! the record ends before it".to_owned(),
        Content::Beyond => String::new(),
    };
    Row { field: name, kind, value }
}

/// Text on one line.
fn shortened(text: &str) -> String {
    let plain: String = text
        .chars()
        .take(VALUE_SHOWN_MAX)
        .map(|character| if character.is_control() { '.' } else { character })
        .collect();
    if text.chars().count() > VALUE_SHOWN_MAX { plain + "..." } else { plain }
}
