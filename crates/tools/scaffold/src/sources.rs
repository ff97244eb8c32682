//! Copybooks and programs of the user, with the members that they copy, for the new folder.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use copybook::{Layout, Member, Options, PLACEHOLDER, parse_with};
use program::translate::{Settings, TerminalCommands, translate};
use settings::copybooks::{Copying, FoundMember, Library, SOURCE_CCSID, find_file, source_page};
use settings::{Files, MapIndex, Problems, source_text};

/// A copybook or a program of the user.
#[derive(Clone, Debug, Default)]
pub(crate) struct SourceFile {
    pub(crate) path: PathBuf,
    /// Further folders with members that it copies.
    pub(crate) copybooks: Vec<PathBuf>,
    /// Phrases of COPY REPLACING that its text needs.
    pub(crate) replacing: Vec<String>,
    /// Members that are made for it, by their names. They replace members that no folder has.
    pub(crate) given: BTreeMap<String, String>,
    /// The mapsets of its folders.
    pub(crate) maps: Rc<MapIndex>,
}

/// The bytes of files, by their paths in the new folder.
pub(crate) type NewFiles = Vec<(String, Vec<u8>)>;

/// A copybook, and its wanted record; none for all.
pub(crate) struct Wanted<'a> {
    pub(crate) file: &'a SourceFile,
    pub(crate) record: Option<&'a str>,
}

/// A copybook after reading.
pub(crate) struct Found {
    /// The name of its file in `copybooks/`.
    pub(crate) name: String,
    /// The names of its records.
    pub(crate) records: Vec<String>,
    /// Its records.
    pub(crate) layouts: Vec<Layout>,
    /// The comma is the decimal point of its pictures.
    pub(crate) decimal_comma: bool,
    /// Phrases of COPY REPLACING that its text needs.
    pub(crate) replacing: Vec<String>,
    /// The copybook and its members, by their paths in the new folder.
    pub(crate) files: Vec<(String, Vec<u8>)>,
}

/// Reads a copybook. Its members are in the same folder, or in one of the given folders.
///
/// # Errors
/// It cannot be read, or has faults, which are printed.
pub(crate) fn copybook(wanted: &Wanted<'_>) -> Result<Found, String> {
    let text = Source::read(&wanted.file.path)?;
    let members = Members::beside(wanted.file);
    let parse = |decimal_comma| {
        let options =
            Options { record: wanted.record.map(str::to_owned), decimal_comma, ..Options::default() };
        members.library(|library| match wanted.file.replacing.as_slice() {
            [] => parse_with(&text.name, &text.text, &options, library),
            replacing => {
                let copying = Copying::new(&text.name, replacing);
                let with_it = |member: &str, from: Option<&str>| match Copying::copies(member) {
                    true => Ok(Member { name: text.name.clone(), text: text.text.clone() }),
                    false => library.member(member, from),
                };
                parse_with(&copying.name, &copying.text, &options, &with_it)
            }
        })
    };
    // The program of a copybook says that the comma is the decimal point, and the copybook does not.
    let (parsed, decimal_comma) = match parse(false) {
        Ok(parsed) => (parsed, false),
        Err(diagnostics) => match parse(true) {
            Ok(parsed) => (parsed, true),
            Err(_) => return Err(members.tell_all(&text, diagnostics)),
        },
    };
    let mut files = members.files()?;
    files.push((format!("copybooks/{}", text.name), text.bytes));
    let records = parsed.layouts.iter().map(|layout| layout.name().to_owned()).collect();
    let replacing = wanted.file.replacing.clone();
    Ok(Found { name: text.name, records, layouts: parsed.layouts, decimal_comma, replacing, files })
}

/// A program and its members, by their paths in the new folder.
///
/// # Errors
/// It cannot be read or translated. The faults are printed.
pub(crate) fn program(file: &SourceFile) -> Result<NewFiles, String> {
    let text = Source::read(&file.path)?;
    let members = Members::of_program(file);
    let programs = translated(&text, &members).map_err(|findings| members.tell_all(&text, findings))?;
    if programs.is_empty() {
        let path = text.path.display();
        return Err(format!(
            "{path}: expected a program, found no PROGRAM-ID; --copybook FILE takes a copybook"
        ));
    }
    files_of(text, &members)
}

/// The source of a program in a folder. The case of its name does not matter.
pub(crate) fn source_in(folder: &Path, name: &str) -> Option<PathBuf> {
    file_in(folder, name, &|path| path.extension().is_some_and(is_source_ending))
}

/// A file of a folder whose name without its ending is this one.
fn file_in(folder: &Path, name: &str, is_meant: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
    let is_it = |path: &PathBuf| {
        path.file_stem().is_some_and(|stem| stem.eq_ignore_ascii_case(name)) && is_meant(path)
    };
    let entries = std::fs::read_dir(folder).ok()?;
    entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_it).min()
}

/// A program that another links to, and its files. None if it is not in the same folder, or cannot
/// be translated.
pub(crate) fn linked(from: &SourceFile, name: &str) -> Option<(SourceFile, NewFiles)> {
    let without_ending =
        || file_in(from.folder(), name, &|path| path.extension().is_none() && path.is_file());
    let path = source_in(from.folder(), name).or_else(without_ending)?;
    let file = SourceFile {
        path,
        copybooks: from.copybooks.clone(),
        given: from.given.clone(),
        maps: Rc::clone(&from.maps),
        ..SourceFile::default()
    };
    let text = Source::read(&file.path).ok()?;
    let members = Members::of_program(&file);
    translated(&text, &members).ok().filter(|programs| !programs.is_empty())?;
    let files = files_of(text, &members).ok()?;
    Some((file, files))
}

/// Translates a program. Gives the names of the programs in it.
fn translated(text: &Source, members: &Members) -> Result<Vec<String>, Vec<copybook::Diagnostic>> {
    let settings = Settings {
        format: copybook::Format::Auto,
        sql: None,
        // The gateway does the same.
        terminal: TerminalCommands::FailAtRunTime,
        name: None,
        callable: None,
    };
    members.library(|library| {
        translate(&text.name, &text.text, &settings, library).map(|translation| translation.programs)
    })
}

fn files_of(text: Source, members: &Members) -> Result<NewFiles, String> {
    let mut files = members.files()?;
    files.push((format!("programs/{}", program_file(&text.path)), text.bytes));
    Ok(files)
}

/// The name of a program's file in `programs/`. The gateway takes only files with an ending of sources from there; members
/// of a mainframe's library often have none.
fn program_file(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match path.extension().is_some_and(is_source_ending) {
        true => name.into_owned(),
        false => format!("{}.{}", path.file_stem().unwrap_or_default().to_string_lossy(), SOURCE_ENDINGS[0]),
    }
}

fn is_source_ending(ending: &OsStr) -> bool {
    SOURCE_ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known))
}

impl SourceFile {
    fn folder(&self) -> &Path {
        self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }
}

/// The text of a user's file.
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) text: String,
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Source {
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = source_text(bytes.clone(), source_page(SOURCE_CCSID)?);
        Ok(Self { name, text, path: path.to_owned(), bytes })
    }
}

/// Parts of folder names: folders beside a program's folder may have its copybooks. Case does not
/// matter.
const BESIDE_PROGRAMS: [&str; 2] = ["copy", "cpy"];
/// The extensions of sources that the gateway takes from `programs/`.
const SOURCE_ENDINGS: [&str; 2] = ["cbl", "cob"];
/// The code of a missing member.
const MISSING_MEMBER: &str = "CPY026";
/// The faults for a missing section, or a missing record in it.
pub(crate) const NOT_THERE: [&str; 2] = ["CPY030", "CPY031"];

thread_local! {
    /// The faults that were shown.
    static TOLD: RefCell<BTreeSet<String>> = RefCell::default();
}

/// The members that a text copies. The search begins in the text's own folder.
pub(crate) struct Members {
    folders: Vec<(PathBuf, Files)>,
    /// Texts by their names.
    texts: RefCell<BTreeMap<String, String>>,
    /// The files of these texts, behind their paths in `copybooks/`. A file with several mapsets may be the file of several texts.
    paths: RefCell<BTreeSet<(PathBuf, String)>>,
    given: BTreeMap<String, String>,
    maps: Rc<MapIndex>,
}

impl Members {
    pub(crate) fn beside(file: &SourceFile) -> Self {
        Self::new(file, file.copybooks.iter().cloned().chain([file.folder().to_owned()]).collect())
    }

    /// The members of a program. They may also be in a folder of copybooks beside its own.
    pub(crate) fn of_program(file: &SourceFile) -> Self {
        let own = file.folder();
        let around = match (own.file_name(), own.parent()) {
            (Some(_), Some(around)) if around.as_os_str().is_empty() => PathBuf::from("."),
            (Some(_), Some(around)) => around.to_owned(),
            _ => own.join(".."),
        };
        let mut names: Vec<String> = match std::fs::read_dir(&around) {
            Ok(entries) => entries
                .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
                .filter(|name| {
                    let name = name.to_ascii_lowercase();
                    BESIDE_PROGRAMS.iter().any(|part| name.contains(part))
                })
                .collect(),
            // Without the right to read that folder, only the program's own folder counts.
            Err(_) => Vec::new(),
        };
        names.sort_unstable();
        let beside =
            names.iter().map(|name| around.join(name)).filter(|folder| folder.is_dir() && folder != own);
        Self::new(file, file.copybooks.iter().cloned().chain([own.to_owned()]).chain(beside).collect())
    }

    fn new(file: &SourceFile, folders: Vec<PathBuf>) -> Self {
        let folders = folders.into_iter().map(|folder| (folder.clone(), Files::at(folder)));
        Self {
            folders: folders.collect(),
            texts: RefCell::default(),
            paths: RefCell::default(),
            given: file.given.clone(),
            maps: Rc::clone(&file.maps),
        }
    }

    /// Runs a reader with this library of members.
    pub(crate) fn library<T>(
        &self,
        read: impl FnOnce(&dyn copybook::Library) -> Result<T, Vec<copybook::Diagnostic>>,
    ) -> Result<T, Vec<copybook::Diagnostic>> {
        let page = source_page(SOURCE_CCSID).expect("the default page is known");
        let libraries: Vec<Library<'_>> =
            self.folders.iter().map(|(_, files)| Library { files, folder: "", page }).collect();
        let library = |member: &str, library: Option<&str>| {
            let found = match (
                find_file(&libraries, &self.maps, member, library),
                self.given.get(&member.to_ascii_uppercase()),
            ) {
                (Ok(found), _) => found,
                // This member is written by its maker, too.
                (Err(_), Some(text)) => {
                    return Ok(Member { name: member.to_owned(), text: text.clone() });
                }
                (Err(reason), None) => return Err(reason),
            };
            let FoundMember { member: found, file } = found;
            self.texts.borrow_mut().insert(found.name.clone(), found.text.clone());
            self.paths.borrow_mut().insert((path_in_library(&file, library), file));
            Ok(found)
        };
        read(&library)
    }

    /// Prints the faults of a text or its members. Gives their count, as the reason.
    pub(crate) fn tell_all(&self, source: &Source, mut found: Vec<copybook::Diagnostic>) -> String {
        let lacks_member = found.iter().any(|diagnostic| diagnostic.code == MISSING_MEMBER);
        if lacks_member {
            // The member may have the record.
            found.retain(|diagnostic| !NOT_THERE.contains(&diagnostic.code));
        }
        let mut problems = Problems::default();
        problems.text(&source.name, &source.text);
        for (name, text) in self.texts.borrow().iter() {
            problems.text(name, text);
        }
        for diagnostic in found {
            // No file has the text that copies a copybook with REPLACING.
            if Copying::is_named(&diagnostic.file) {
                problems.add("--replacing", None, diagnostic.message);
                continue;
            }
            let file = diagnostic.file.clone();
            problems.copybook(&file, diagnostic);
        }
        // A record may be looked for in several ways, which find the same faults.
        if TOLD.with_borrow_mut(|told| told.insert(problems.lines())) {
            terminal::show(&problems);
        }
        let errors = terminal::count(problems.error_count(), "error");
        let hint = match () {
            () if lacks_member => "; --copybooks FOLDER says where members lie",
            () if problems.has_code(PLACEHOLDER.id) => {
                "; --replacing ':TAG:=NAME' gives the placeholders a text"
            }
            () => "",
        };
        format!("{errors} in {}{hint}", source.path.display())
    }

    /// The files of the members, BMS sources too, as files of `copybooks/`, in the folders of their libraries.
    pub(crate) fn files(&self) -> Result<Vec<(String, Vec<u8>)>, String> {
        let paths = self.paths.borrow();
        let files = paths.iter().map(|(path, shown)| {
            let bytes = std::fs::read(shown).map_err(|error| format!("{shown}: {error}"))?;
            Ok((format!("copybooks/{}", path.display()), bytes))
        });
        files.collect()
    }
}

/// The path in `copybooks/` at which a COPY statement finds the file of a member again: in the folder that OF or IN
/// names, if the file lies in such a folder.
fn path_in_library(file: &str, library: Option<&str>) -> PathBuf {
    let file = Path::new(file);
    let name = PathBuf::from(file.file_name().unwrap_or_default());
    let folder = file.parent().and_then(Path::file_name).unwrap_or_default();
    match library {
        Some(library) if folder.eq_ignore_ascii_case(library) => Path::new(folder).join(name),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_lies_where_its_copy_statement_looks() {
        let path = |file: &str, library| path_in_library(file, library).display().to_string();
        assert_eq!(path("src/maps/MENU.bms", None), "MENU.bms");
        assert_eq!(path("src/Lib/PART.cpy", Some("LIB")), "Lib/PART.cpy");
        assert_eq!(path("src/PART.cpy", Some("LIB")), "PART.cpy");
    }
}
