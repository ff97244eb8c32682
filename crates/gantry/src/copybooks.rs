//! Copybooks from files, with the members that they copy; what is wrong with them goes to the problems.

use std::cell::RefCell;
use std::io;

use clap::ValueEnum;
use copybook::{Format, Layout, Member, Options, parse_with};
use serde::Deserialize;

use crate::config::{Files, Problems};

/// The columns of a COBOL text, as the command line and service files say them.
#[derive(Clone, Copy, Debug, Default, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FormatWord {
    #[default]
    Auto,
    Fixed,
    Free,
}

impl From<FormatWord> for Format {
    fn from(word: FormatWord) -> Self {
        match word {
            FormatWord::Auto => Format::Auto,
            FormatWord::Fixed => Format::Fixed,
            FormatWord::Free => Format::Free,
        }
    }
}

/// Reads the copybook of a folder and the members that its COPY statements name, which lie in the same folder, or in
/// the one below it that OF or IN names. Gives its records, or none if it has faults.
///
/// # Errors
/// The copybook itself cannot be read.
pub(crate) fn read(
    files: &Files,
    folder: &str,
    name: &str,
    options: &Options,
    problems: &mut Problems,
) -> io::Result<Option<Vec<Layout>>> {
    let path = join(folder, name);
    let text = files.read_copybook(&path)?;
    let shown = files.display(&path);
    problems.text(&shown, &text);
    let members = RefCell::new(Vec::new());
    let library = |member: &str, library: Option<&str>| {
        let found = find(files, folder, member, library)?;
        members.borrow_mut().push((found.name.clone(), found.text.clone()));
        Ok(found)
    };
    let (layouts, diagnostics) = match parse_with(name, &text, options, &library) {
        Ok(parsed) => (Some(parsed.layouts), parsed.warnings),
        Err(diagnostics) => (None, diagnostics),
    };
    for (name, text) in members.take() {
        problems.text(&name, &text);
    }
    for diagnostic in diagnostics {
        let file = if diagnostic.file == name { shown.clone() } else { diagnostic.file.clone() };
        problems.copybook(&file, diagnostic);
    }
    Ok(layouts)
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// A member is the file of its name, with any ending or none, in upper or lower case. Only names that the folder lists
/// are compared, so no COPY leads out of it.
pub(crate) fn find(
    files: &Files,
    search_folder: &str,
    member: &str,
    library: Option<&str>,
) -> Result<Member, String> {
    let list = |folder: &str| files.list(folder).map_err(|error| format!("{folder} cannot be read: {error}"));
    let folder = match library {
        None => search_folder.to_owned(),
        Some(library) => {
            let names = list(search_folder)?;
            let found = names.iter().find(|name| name.eq_ignore_ascii_case(library));
            // Without a folder of its own, a library's members lie with the others.
            found.map_or(search_folder.to_owned(), |name| join(search_folder, name))
        }
    };
    let stem = |name: &str| name.split_once('.').map_or(name.to_owned(), |(stem, _)| stem.to_owned());
    let mut names = list(&folder)?;
    names.retain(|name| name.eq_ignore_ascii_case(member) || stem(name).eq_ignore_ascii_case(member));
    let name = match names.as_slice() {
        [] => return Err("no file of this name lies beside the copybook".to_owned()),
        [one] => one,
        several => several
            .iter()
            .find(|name| name.as_str() == member)
            .ok_or_else(|| format!("several files could be it: {}", several.join(", ")))?,
    };
    let path = join(&folder, name);
    if !files.lies_below(search_folder, &path) {
        return Err(format!("{} is a link that leads out of the folder", files.display(&path)));
    }
    let text = files.read_copybook(&path).map_err(|error| error.to_string())?;
    Ok(Member { name: files.display(&path), text })
}
