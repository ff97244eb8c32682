//! Copybooks from files, with the members that they copy. Their faults go to the problems.

use std::cell::RefCell;
use std::io;
use std::ops::{Range, RangeInclusive};

use clap::ValueEnum;
use codepage::{CodePage, Family};
use copybook::{Format, Layout, Member, Options, parse_with};
use serde::Deserialize;

use crate::files::Files;
use crate::maps::{self, MapIndex};
use crate::problem::Problems;

/// The columns of a COBOL text, in the words of the command line and of service files.
#[derive(Clone, Copy, Debug, Default, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum FormatWord {
    #[default]
    /// Found by looking at the text.
    Auto,
    /// Columns 8 to 72.
    Fixed,
    /// No columns.
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

/// The code page of sources that are not UTF-8, unless another is named.
pub const SOURCE_CCSID: u16 = 1252;

/// The code page of sources by its CCSID.
///
/// # Errors
/// It is not known, its columns are not bytes, or it does not have COBOL's own characters in the places of
/// ASCII.
pub fn source_page(ccsid: u16) -> Result<&'static CodePage, String> {
    CodePage::by_ccsid(ccsid).filter(|page| page.family() == Family::Ascii).ok_or_else(|| {
        format!(
            "expected a single-byte code page of the ASCII family, as sources have it, found CCSID {ccsid}"
        )
    })
}

/// The code page of copybooks that `gantry record` reads: of EBCDIC too, as they are on a mainframe.
///
/// # Errors
/// The page is not a single-byte one.
pub fn record_source_page(ccsid: u16) -> Result<&'static CodePage, String> {
    CodePage::by_ccsid(ccsid)
        .ok_or_else(|| format!("--source-ccsid: expected a single-byte code page, found CCSID {ccsid}"))
}

/// A copybook, the folders of its members, and its replacements.
#[derive(Clone)]
pub struct Copybook<'a> {
    /// The folders. The copybook lies in the first of them.
    pub libraries: &'a [Library<'a>],
    /// Its file's name in that folder.
    pub name: &'a str,
    /// Phrases in the form of COPY REPLACING.
    pub replacing: &'a [String],
    /// The file and the place of these phrases, for their faults.
    pub replaced_at: (&'a str, Option<Range<usize>>),
}

/// The name of the copybook as a member, if text is replaced in it.
const REPLACED_MEMBER: &str = "GANTRY-COPYBOOK";

/// The folder in the names of such texts. No file has it.
const COPYING: &str = "REPLACING";

/// A text that copies a copybook with REPLACING. It has a name of its own, for a member with its own name would copy
/// itself. The last part of the name is that of the record of a copybook without a level 01.
#[derive(Clone, Debug)]
pub struct Copying {
    /// Its name.
    pub name: String,
    /// The text. No line goes beyond column 72, because fixed format would lose the rest.
    pub text: String,
}

impl Copying {
    /// The text for a copybook with a name.
    pub fn new(copybook: &str, replacing: &[String]) -> Self {
        let mut text = format!("           COPY {REPLACED_MEMBER} REPLACING");
        for phrase in replacing {
            for word in phrase.split(' ').filter(|word| !word.is_empty()) {
                text.push_str("\n           ");
                text.push_str(word);
            }
        }
        Self { name: format!("{COPYING}/{copybook}"), text: text + " .\n" }
    }

    /// True if a text of this name copies a copybook so.
    pub fn is_named(name: &str) -> bool {
        name.strip_prefix(COPYING).is_some_and(|rest| rest.starts_with('/'))
    }

    /// True if the text asks for the copybook under this name.
    pub fn copies(member: &str) -> bool {
        member.eq_ignore_ascii_case(REPLACED_MEMBER)
    }
}

/// A phrase of COPY REPLACING, of itself or of its short form: `:TAG:=CUST` is `==:TAG:== BY ==CUST==`.
///
/// # Errors
/// It has neither form.
pub fn replacing_phrase(text: &str) -> Result<String, String> {
    if text.to_ascii_uppercase().contains(" BY ") {
        return Ok(text.to_owned());
    }
    let form = "expected OLD=NEW, or a phrase of COBOL with BY";
    let (old, new) = text.split_once('=').ok_or_else(|| format!("'{text}': {form}"))?;
    if old.trim().is_empty() || new.contains('=') {
        return Err(format!("'{text}': {form}"));
    }
    Ok(format!("=={old}== BY =={new}=="))
}

/// Reads the copybook of a folder and the members that its COPY statements name, which lie in the same
/// folder, or in the folder below it that OF or IN names. Gives its records, or none if it has faults.
///
/// # Errors
/// The copybook itself cannot be read.
pub fn read(
    place: Library<'_>,
    name: &str,
    options: &Options,
    problems: &mut Problems,
) -> io::Result<Option<Vec<Layout>>> {
    let source = Copybook { libraries: &[place], name, replacing: &[], replaced_at: (name, None) };
    read_with(source, options, problems)
}

/// The same with further folders, and with text replaced in the copybook.
///
/// # Errors
/// The copybook itself cannot be read.
pub fn read_with(
    source: Copybook<'_>,
    options: &Options,
    problems: &mut Problems,
) -> io::Result<Option<Vec<Layout>>> {
    let Copybook { libraries, name, replacing, replaced_at: (replaced_in, span) } = source;
    let Some(place) = libraries.first() else { return Err(io::ErrorKind::NotFound.into()) };
    let path = join(place.folder, name);
    let text = place.files.read_source(&path, place.page)?;
    let shown = place.files.display(&path);
    problems.text(&shown, &text);
    let (members, index) = (RefCell::new(Vec::new()), MapIndex::default());
    let library = |member: &str, library: Option<&str>| {
        if Copying::copies(member) {
            return Ok(Member { name: shown.clone(), text: text.clone() });
        }
        let found = find_file(libraries, &index, member, library)?.member;
        members.borrow_mut().push((found.name.clone(), found.text.clone()));
        Ok(found)
    };
    let own = match replacing {
        [] => Copying { name: name.to_owned(), text: text.clone() },
        _ => Copying::new(name, replacing),
    };
    let (layouts, diagnostics) = match parse_with(&own.name, &own.text, options, &library) {
        Ok(parsed) => (Some(parsed.layouts), parsed.warnings),
        Err(diagnostics) => (None, diagnostics),
    };
    for (name, text) in members.take() {
        problems.text(&name, &text);
    }
    for diagnostic in diagnostics {
        if diagnostic.file == own.name && !replacing.is_empty() {
            // No file has the text that copies it.
            problems.add(replaced_in, span.clone(), diagnostic.message);
            continue;
        }
        let file = if diagnostic.file == own.name { shown.clone() } else { diagnostic.file.clone() };
        problems.copybook(&file, diagnostic);
    }
    Ok(layouts)
}

pub(crate) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// A folder in which COPY looks for members.
#[derive(Clone, Copy)]
pub struct Library<'f> {
    /// The files that have the folder.
    pub files: &'f Files,
    /// The folder's path in the files; empty for all files.
    pub folder: &'f str,
    /// The code page of sources that are not UTF-8.
    pub page: &'static CodePage,
}

/// The ways in which a file can match a COPY statement, the likeliest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// Its name is exactly the one in the statement.
    Named,
    /// Its ending is that of a copybook.
    Copybook,
    /// It has no ending.
    Bare,
    /// It has an ending without a meaning. The source of a mapset comes before it.
    Any,
    /// Its ending is that of a mapset's source, `.bms`. The copybook can be made from it.
    Map,
    /// Its ending is one that sources of mapsets have too.
    LikelyMap,
    /// Its ending is that of a program. It may have a copybook's name, but is seldom meant.
    Program,
}

impl Rank {
    /// The way in which a file matches a member; none if it has another name, or is not text.
    fn of(file: &str, member: &str) -> Option<Self> {
        let (stem, ending) = file.split_once('.').unwrap_or((file, ""));
        if maps::is_map_file(file) && stem.eq_ignore_ascii_case(member) {
            return Some(if ending.eq_ignore_ascii_case("bms") { Self::Map } else { Self::LikelyMap });
        }
        if file == member {
            return Some(Self::Named);
        }
        if !stem.eq_ignore_ascii_case(member) && !file.eq_ignore_ascii_case(member) {
            return None;
        }
        match ending.to_ascii_lowercase().as_str() {
            "cpy" | "copy" | "cpb" => Some(Self::Copybook),
            "cbl" | "cob" | "cobol" => Some(Self::Program),
            "so" => None,
            "" => Some(Self::Bare),
            _ => Some(Self::Any),
        }
    }
}

/// A member, and its file.
#[derive(Clone, Debug)]
pub struct FoundMember {
    /// The member.
    pub member: Member,
    /// The file in the form that is shown to people. The name of a symbolic map is not that of its file.
    pub file: String,
}

/// The member of a COPY statement: the file of its name, with any ending or none, in upper or lower case. A
/// copybook in any of the folders comes before the source of a mapset. This one comes before a file whose ending
/// has no meaning, and before a program. Among equals the first folder counts. The source of a mapset becomes its
/// symbolic map. It has the member's name, or one of its mapsets has it.
///
/// The index keeps the mapsets of the folders for the next member.
///
/// # Errors
/// No folder has the member, or one folder has several equally likely files.
pub fn find_file(
    libraries: &[Library<'_>],
    index: &MapIndex,
    member: &str,
    library: Option<&str>,
) -> Result<FoundMember, String> {
    let mut folders = Vec::new();
    for place in libraries {
        folders.push(Matches::of(*place, member, library)?);
    }
    let copybook = folders.iter().find(|found| found.has(Rank::Named..=Rank::Any));
    if let Some(found) = copybook.filter(|found| found.has(Rank::Named..=Rank::Bare)) {
        return found.take(Rank::Named..=Rank::Bare, member);
    }
    let searched: Vec<(Library<'_>, String)> =
        folders.iter().map(|found| (found.place, found.folder.clone())).collect();
    let (by_name, refused) = map_named(&folders, member)?;
    let map = match by_name {
        Some(map) => Some(map),
        None => index.search(&searched, member)?,
    };
    if let Some(map) = map {
        let sure = folders.iter().find(|found| found.has(Rank::Named..=Rank::Bare));
        return sure.map_or(Ok(map), |found| found.take(Rank::Named..=Rank::Bare, member));
    }
    if let Some(found) = copybook {
        return found.take(Rank::Any..=Rank::Any, member);
    }
    if let Some(found) = folders.iter().find(|found| found.has(Rank::Program..=Rank::Program)) {
        return found.take(Rank::Program..=Rank::Program, member);
    }
    if let Some(reason) = refused {
        return Err(reason);
    }
    let shown = |place: &Library<'_>| match place.files.display(place.folder) {
        folder if folder.is_empty() => ".".to_owned(),
        folder => folder.trim_end_matches('/').to_owned(),
    };
    let places = libraries.iter().map(shown).collect::<Vec<_>>().join(" or ");
    let near = nearest(libraries, member).map(|name| format!("; did you mean {name}?")).unwrap_or_default();
    Err(format!("no file with this name in {places}{near}{}", index.limit_reached(&searched)))
}

/// The symbolic map of a source with the member's name. Other files may have the endings of such sources: they are
/// passed over, and the first reason for it is given.
///
/// # Errors
/// The source has a fault, or one folder has several equally likely sources.
fn map_named(folders: &[Matches<'_>], member: &str) -> Result<(Option<FoundMember>, Option<String>), String> {
    let mut refused = None;
    for found in folders {
        for rank in [Rank::Map, Rank::LikelyMap] {
            let mut sources = Vec::new();
            for (_, name) in found.files.iter().filter(|(other, _)| *other == rank) {
                let path = join(&found.folder, name);
                let file = found.place.files.display(&path);
                match maps::read_map(found.place, &path) {
                    Ok(text) if mapset::is_source(&text) => sources.push((name, file, text)),
                    Ok(_) => {
                        let reason = "is not a BMS source; a copybook needs another ending, such as .cpy";
                        refused.get_or_insert(format!("{file} {reason}"));
                    }
                    Err(reason) => {
                        refused.get_or_insert(reason);
                    }
                }
            }
            match sources.as_slice() {
                [] => {}
                [(_, file, text)] => {
                    let member = maps::symbolic_map(file, text, member)?;
                    return Ok((Some(FoundMember { member, file: file.clone() }), refused));
                }
                several => return Err(are_alike(several.iter().map(|(name, ..)| name.as_str()))),
            }
        }
    }
    Ok((None, refused))
}

pub(crate) fn are_alike<'n>(names: impl Iterator<Item = &'n str>) -> String {
    format!("several files match: {}", names.collect::<Vec<_>>().join(", "))
}

/// A file as people see it, if it lies below the folder of its library.
pub(crate) fn shown_below(place: Library<'_>, path: &str) -> Result<String, String> {
    let file = place.files.display(path);
    match place.files.lies_below(place.folder, path) {
        true => Ok(file),
        false => Err(format!("{file} is a link that leads out of the folder")),
    }
}

/// The files of one folder that match a member. Only names that the folder lists are compared, so no COPY leads
/// out of it.
struct Matches<'f> {
    place: Library<'f>,
    /// The folder that OF or IN names, or that of the place.
    folder: String,
    files: Vec<(Rank, String)>,
}

impl<'f> Matches<'f> {
    fn of(place: Library<'f>, member: &str, library: Option<&str>) -> Result<Self, String> {
        let list = |folder: &str| {
            place.files.list(folder).map_err(|error| format!("{folder} cannot be read: {error}"))
        };
        let folder = match library {
            None => place.folder.to_owned(),
            Some(library) => {
                let names = list(place.folder)?;
                let found = names.iter().find(|name| name.eq_ignore_ascii_case(library));
                // If a library has no folder of its own, its members lie with the others.
                found.map_or(place.folder.to_owned(), |name| join(place.folder, name))
            }
        };
        let files = list(&folder)?
            .into_iter()
            .filter_map(|name| Rank::of(&name, member).map(|rank| (rank, name)))
            .collect();
        Ok(Self { place, folder, files })
    }

    fn has(&self, ranks: RangeInclusive<Rank>) -> bool {
        self.files.iter().any(|(rank, _)| ranks.contains(rank))
    }

    /// The member in the likeliest file of these ranks.
    fn take(&self, ranks: RangeInclusive<Rank>, member: &str) -> Result<FoundMember, String> {
        let ranks = self.files.iter().map(|(rank, _)| *rank).filter(|rank| ranks.contains(rank));
        let best = ranks.min();
        let mut names =
            self.files.iter().filter(|(rank, _)| Some(*rank) == best).map(|(_, name)| name.as_str());
        let (Some(name), None) = (names.clone().next(), names.clone().nth(1)) else {
            return Err(are_alike(names.by_ref()));
        };
        let path = join(&self.folder, name);
        let file = shown_below(self.place, &path)?;
        let text = self.place.files.read_source(&path, self.place.page).map_err(|error| error.to_string())?;
        let member = match mapset::is_source(&text) {
            true => maps::symbolic_map(&file, &text, member)?,
            false => Member { name: file.clone(), text },
        };
        Ok(FoundMember { member, file })
    }
}

/// The member of a folder whose name differs from the searched one by a few letters.
fn nearest(libraries: &[Library<'_>], member: &str) -> Option<String> {
    let wanted = member.to_ascii_uppercase();
    let most = 1 + wanted.len() / 4;
    let mut near: Vec<(usize, String)> = Vec::new();
    for place in libraries {
        for file in place.files.list(place.folder).unwrap_or_default() {
            let stem = file.rsplit_once('.').map_or(file.as_str(), |(stem, _)| stem).to_ascii_uppercase();
            let distance = copybook::edit_distance(&stem, &wanted);
            if distance <= most && Rank::of(&file, &stem).is_some_and(|rank| rank < Rank::Program) {
                near.push((distance, stem));
            }
        }
    }
    near.into_iter().min().map(|(_, stem)| stem)
}

/// The file of a folder whose name is nearly the searched one: in the other case, with another ending, or with a few other
/// letters.
pub fn nearest_file(place: Library<'_>, wanted: &str) -> Option<String> {
    let upper = wanted.to_ascii_uppercase();
    let stem = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
    let rank = |name: &str| {
        let name = name.to_ascii_uppercase();
        match copybook::edit_distance(&name, &upper) {
            0 => Some(0),
            _ if stem(&name) == stem(&upper) => Some(1),
            distance => (distance <= 1 + upper.len() / 6).then_some(1 + distance),
        }
    };
    let names = place.files.list(place.folder).unwrap_or_default();
    let near = names.into_iter().filter_map(|name| Some((rank(&name)?, name)));
    near.min().map(|(_, name)| name)
}
