//! `gantry import cics`: turns definitions of a CICS region into sections of `gantry.toml`. Text of
//! the user stays.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use definitions::{Choices, Import, Limits, Section, Source};

use super::read_file;
use super::sections::{Begun, Own, ToArgs, check_read, tell_faults, texts};

/// The files to read, and the folder to write to.
#[derive(Debug, Args)]
pub(super) struct CicsArgs {
    /// Files or folders: DFHCSDUP commands or what its LIST prints, jobs with commands of DFHCSDUP or IDCAMS, SIT
    /// overrides, bundles.
    #[arg(required = true, value_name = "FILE|FOLDER")]
    from: Vec<PathBuf>,
    #[command(flatten)]
    to: ToArgs,
    /// Import only this group; may be given several times.
    #[arg(long, value_name = "NAME")]
    group: Vec<String>,
    /// Import only the groups of this list; may be given several times.
    #[arg(long, value_name = "NAME")]
    list: Vec<String>,
    /// The first records of a file of the region, from a flat file of lines or of records of one length.
    #[arg(long, value_name = "NAME=FILE", value_parser = named)]
    data: Vec<(String, PathBuf)>,
}

fn named(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => Ok((name.to_uppercase(), file.into())),
        _ => Err("expected NAME=FILE".to_owned()),
    }
}

/// Reads definitions, and writes the new ones.
///
/// # Errors
/// Nothing was written, with the reason.
pub(super) fn run(args: &CicsArgs) -> Result<(), String> {
    let texts = texts(&args.from)?;
    let sources: Vec<Source<'_>> = texts.iter().map(|(name, text)| Source { name, text }).collect();
    let choices = Choices { groups: args.group.clone(), lists: args.list.clone() };
    let mut import = definitions::read(&sources, &choices, &Limits::default()).map_err(tell_faults)?;
    let expected = "commands of DFHCSDUP or IDCAMS, what LIST of DFHCSDUP prints, SIT overrides or a resource of a bundle";
    check_read(&args.from, &texts, &import, expected)?;
    let data = data(args, &mut import)?;
    let begun = Begun { args: &args.to, import: &import, data, own: Own::Region };
    begun.end(&args.from, "gantry import cics")
}

/// The files of `--data`, and the commands that load them.
fn data(args: &CicsArgs, import: &mut Import) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let mut files = BTreeMap::new();
    for (name, path) in &args.data {
        let bytes = read_file(path, Limits::default().files_max_bytes)?;
        let is_it = |section: &&mut Section| section.path() == "region.file" && section.name == *name;
        let section = import.sections.iter_mut().find(is_it);
        let section = section.ok_or_else(|| format!("--data {name}: no file of this name is imported"))?;
        if let Some(hint) = region_config::page_hint(&path.display().to_string(), &bytes) {
            remark!("warning: {hint}");
        }
        let (ending, format) = format_of(&bytes, section).ok_or_else(|| {
            format!(
                "{}: expected lines, or records of the length of {name}: find the format with gantry record, and use gantry file load",
                path.display()
            )
        })?;
        let to = format!("data/{name}.{ending}");
        section.pairs.retain(|(key, _)| !matches!(*key, "load" | "load_format"));
        section.pairs.push(("load", to.as_str().into()));
        section.pairs.push(("load_format", format.into()));
        import.wanted.retain(|wanted| wanted.file != *name);
        import.new_files.retain(|file| file.path != to);
        files.insert(to, bytes);
    }
    Ok(files)
}

/// The extension and the format of a flat file with a file's records.
fn format_of(bytes: &[u8], section: &Section) -> Option<(&'static str, &'static str)> {
    let length = section.pairs.iter().find_map(|(key, value)| match (*key, value) {
        ("record_bytes", definitions::Value::Number(bytes)) => usize::try_from(*bytes).ok(),
        _ => None,
    })?;
    let has_lines = bytes.contains(&b'\n')
        && bytes
            .split(|byte| *byte == b'\n')
            .all(|line| line.len() <= length + usize::from(line.ends_with(b"\r")));
    match () {
        () if has_lines => Some(("txt", "lines")),
        () if !bytes.is_empty() && bytes.len().is_multiple_of(length) => Some(("dat", "fixed")),
        () => None,
    }
}
