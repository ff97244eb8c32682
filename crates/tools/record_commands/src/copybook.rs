//! Which copybook `gantry record` reads, and how: its columns, code page, members and what replaces its placeholders.

use std::path::{Path, PathBuf};

use clap::Args;
use copybook::{Layout, PointerBytes};
use settings::copybooks::{
    Copybook, FormatWord, Library, SOURCE_CCSID, record_source_page, replacing_phrase,
};
use settings::{Files, Problems};

/// Which copybook.
#[derive(Debug, Args)]
pub(crate) struct CopybookArgs {
    /// The file with the copybook.
    copybook: PathBuf,
    /// The 01 level, if there are several.
    #[arg(long)]
    record: Option<String>,
    /// The reference format of the copybook.
    #[arg(long, value_enum, default_value_t)]
    format: FormatWord,
    /// The code page of sources that are not UTF-8. An EBCDIC page (37) applies to all sources; their lines end with
    /// NL, with LF, or after 80 bytes.
    #[arg(long, value_name = "CCSID", default_value_t = SOURCE_CCSID)]
    source_ccsid: u16,
    /// An additional folder with members for COPY; the copybook's own folder comes first.
    #[arg(long, value_name = "FOLDER")]
    copybooks: Vec<PathBuf>,
    /// Replace text as COPY REPLACING does: ':TAG:=CUST', or a COBOL phrase such as 'LEADING ==OLD== BY ==NEW=='.
    #[arg(long, value_name = "OLD=NEW")]
    replacing: Vec<String>,
    /// The comma is the decimal point: DECIMAL-POINT IS COMMA.
    #[arg(long)]
    decimal_comma: bool,
    /// The bytes of a POINTER or INDEX: 4, or 8 with LP(64).
    #[arg(long, value_name = "BYTES", default_value_t = 4, value_parser = clap::value_parser!(u8).range(4..=8))]
    pointer_bytes: u8,
}

/// The only record that is meant.
pub(crate) fn load(args: &CopybookArgs) -> Result<Layout, String> {
    let mut layouts = load_all(args)?;
    if layouts.len() > 1 {
        let names: Vec<&str> = layouts.iter().map(Layout::name).collect();
        return Err(format!(
            "the copybook has several records; choose one: --record one of {}",
            names.join(", ")
        ));
    }
    layouts.pop().ok_or_else(|| "the copybook has no record".to_owned())
}

/// All records, or the one that is named.
pub(crate) fn load_all(args: &CopybookArgs) -> Result<Vec<Layout>, String> {
    let options = copybook::Options {
        format: args.format.into(),
        record: args.record.clone(),
        decimal_comma: args.decimal_comma,
        pointer_bytes: match args.pointer_bytes {
            4 => PointerBytes::Four,
            8 => PointerBytes::Eight,
            other => return Err(format!("--pointer-bytes is 4 or 8, not {other}")),
        },
        ..copybook::Options::default()
    };
    let page = record_source_page(args.source_ccsid)?;
    let name = args.copybook.file_name().unwrap_or_default().to_string_lossy();
    let own = args.copybook.parent().filter(|folder| !folder.as_os_str().is_empty());
    let own = own.unwrap_or(Path::new("."));
    for folder in &args.copybooks {
        if !folder.is_dir() {
            return Err(format!("--copybooks: {} is not a folder", folder.display()));
        }
    }
    let folders: Vec<Files> = [own]
        .into_iter()
        .chain(args.copybooks.iter().map(PathBuf::as_path))
        .map(|path| Files::at(path.to_owned()))
        .collect();
    let libraries: Vec<Library<'_>> =
        folders.iter().map(|files| Library { files, folder: "", page }).collect();
    let replacing =
        args.replacing.iter().map(|text| replacing_phrase(text)).collect::<Result<Vec<_>, _>>()?;
    let replaced_at = ("--replacing", None);
    let source = Copybook { libraries: &libraries, name: &name, replacing: &replacing, replaced_at };
    let mut problems = Problems::default();
    let layouts = settings::copybooks::read_with(source, &options, &mut problems)
        .map_err(|error| format!("{}: {error}", args.copybook.display()))?;
    terminal::show(&problems);
    layouts.ok_or_else(|| {
        let mut message = format!("{} in the copybook", terminal::count(problems.error_count(), "error"));
        let has = |code: copybook::Code| problems.has_code(code.id);
        if has(copybook::BAD_INDICATOR) && matches!(args.format, FormatWord::Auto | FormatWord::Fixed) {
            message.push_str("\n        hint: for text in free format, say --format free");
        }
        if !args.decimal_comma && has(copybook::SECOND_POINT) {
            message.push_str("\n        hint: if the comma is the decimal point, say --decimal-comma");
        }
        if has(copybook::PLACEHOLDER) {
            message.push_str("\n        hint: give the placeholders a text: --replacing ':TAG:=NAME'");
        }
        message
    })
}
