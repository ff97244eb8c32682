//! Programs from the folder `programs/`. Sources are translated and compiled. Shared objects are taken as they are. All
//! of them are put into one folder for the workers.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use codepage::CodePage;
use copybook::{Diagnostic, Format};
use program::translate::{NEEDS_JSON, SQL, Settings, TerminalCommands, translate};
use program::{CommareaBytes, FOLDER, commarea_bytes};
use settings::copybooks::{Library, find_file};
use settings::{Files, MAP_ENDINGS, MapIndex, Part, PartState, Problem, Problems, Severity};
use wire::WorkerUser;

use crate::Cache;
use crate::compiler::{Checks, Compiler};
use crate::side_by_side::{self, Job, Outcome};

/// The most characters of a name that LINK can say.
const NAME_MAX_BYTES: usize = 8;

/// Folders in which COPY finds members, in this order.
const COPYBOOK_FOLDERS: [&str; 2] = [FOLDER, "copybooks"];

/// The beginning of a COPY statement's error if the member does not exist.
const MISSING_MEMBER: &str = "[CPY026] the member ";

/// Reads programs and gathers their faults.
#[derive(Debug)]
pub struct Sources<'s> {
    /// The files of the configuration.
    pub files: &'s Files,
    /// Gathers the faults.
    pub problems: &'s mut Problems,
    /// The code page that programs have text in.
    pub page: &'static CodePage,
    /// The code page of sources that are not UTF-8.
    pub source_page: &'static CodePage,
    /// Checks of running programs.
    pub checks: Checks,
    /// Names that programs may CALL besides each other.
    pub callable: Vec<String>,
    /// Gets the name of each program that is compiled, its number among the sources, and their count. It is
    /// not called for programs in the cache. Several threads call it.
    pub compiles: Option<fn(&str, usize, usize)>,
}

/// The programs of a configuration.
#[derive(Debug)]
pub struct Built {
    /// The folder of the usable programs.
    pub folder: PathBuf,
    /// The names of the unusable ones.
    pub faulty: BTreeSet<String>,
    /// The DFHCOMMAREA of each that declares one.
    pub commareas: BTreeMap<String, CommareaBytes>,
}

/// The tools that programs are made with.
#[derive(Clone, Copy)]
struct Tools<'t> {
    cache: &'t Cache,
    /// None if no program is a source.
    compiler: Option<&'t Compiler>,
    /// The mapsets of the folders.
    maps: &'t MapIndex,
}

/// The file of a source.
#[derive(Clone, Copy)]
struct Source<'s> {
    /// In the configuration.
    path: &'s str,
    /// Its name without its ending, which is the program's.
    stem: &'s str,
}

/// A translated program without faults.
struct Translated {
    /// In capitals, as the mainframe's compiler has it.
    name: String,
    /// As GnuCOBOL takes it.
    text: String,
    /// The first statement that needs a JSON library.
    needs_json: Option<Diagnostic>,
}

/// A program that can be used.
struct Usable {
    name: String,
    file: PathBuf,
    commarea: Option<CommareaBytes>,
}

/// A file of the folder on its way to a program.
struct Row {
    entry: String,
    path: String,
    /// The faults that are known so far.
    faults: Vec<Problem>,
    state: State,
}

enum State {
    /// It has faults.
    Faulty,
    /// A shared object.
    Taken(Usable),
    /// A source that is translated, and waits for the compiler.
    Translated { program: Translated, commarea: Option<CommareaBytes> },
}

impl Sources<'_> {
    /// Builds all programs. A program with faults is left out, and its faults are reported. None if no
    /// program can be built.
    pub fn build(mut self, cache: &Cache, user: Option<WorkerUser>) -> Option<Built> {
        let entries = match self.files.list(FOLDER) {
            Ok(entries) => entries,
            Err(error) => return self.fault(FOLDER, format!("cannot be read: {error}")),
        };
        self.callable
            .extend(entries.iter().filter(|entry| is_program_file(entry)).map(|entry| program_name(entry)));
        let mut compiler = None;
        if entries.iter().any(|entry| is_source(entry)) {
            match Compiler::find(user, self.checks) {
                Ok(found) => compiler = Some(found),
                Err(message) => return self.fault(FOLDER, message),
            }
        }
        let tools = Tools { cache, compiler: compiler.as_ref(), maps: &MapIndex::default() };
        let mut rows = Vec::new();
        for entry in entries {
            if self.is_program(&entry) {
                rows.push(self.row(entry, tools));
            }
        }
        let outcomes = self.compiled(&rows, tools);
        let mut programs: BTreeMap<String, PathBuf> = BTreeMap::new();
        let mut built = Built { folder: PathBuf::new(), faulty: BTreeSet::new(), commareas: BTreeMap::new() };
        for (row, outcome) in rows.into_iter().zip(outcomes) {
            self.add(row, outcome, &mut programs, &mut built);
        }
        let lengths = built.commareas.iter().map(|(name, bytes)| (name.clone(), bytes.most));
        let templates = self.templates();
        match cache.set(&programs, &lengths.collect(), &templates) {
            Ok(folder) => Some(Built { folder, ..built }),
            Err(message) => self.fault(FOLDER, message),
        }
    }

    /// True for sources and shared objects. Other files are passed over. They are reported unless they are
    /// members or maps.
    fn is_program(&mut self, entry: &str) -> bool {
        let ending = entry.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
        match ending.as_str() {
            _ if is_program_file(entry) => true,
            "cpy" | "copy" | "" => false,
            ending if MAP_ENDINGS.contains(&ending) => false,
            _ => {
                let message =
                    "is not taken as a program: sources end with .cbl or .cob, shared objects with .so";
                self.warn(&format!("{FOLDER}/{entry}"), message);
                false
            }
        }
    }

    /// A file of the folder. A source is translated, but not compiled yet.
    fn row(&mut self, entry: String, tools: Tools<'_>) -> Row {
        let path = format!("{FOLDER}/{entry}");
        self.problems.begin_part();
        let state = self.begun(&entry, &path, tools).unwrap_or(State::Faulty);
        let faults = self.problems.end_part();
        Row { entry, path, faults, state }
    }

    /// None if the file has faults, which are then reported.
    fn begun(&mut self, entry: &str, path: &str, tools: Tools<'_>) -> Option<State> {
        let (stem, _) = entry.rsplit_once('.')?;
        let Some(compiler) = tools.compiler.filter(|_| is_source(entry)) else {
            let file = self.take(path, tools.cache)?;
            return Some(State::Taken(Usable { name: stem.to_owned(), file, commarea: None }));
        };
        let text = match self.files.read_source(path, self.source_page) {
            Ok(text) => text,
            Err(error) => return self.fault(path, format!("cannot be read: {error}")),
        };
        let program = self.translate(Source { path, stem }, &text, tools.maps)?;
        if let Some(finding) = program.needs_json.as_ref().filter(|_| !compiler.has_json()) {
            let line = finding.place.line as usize;
            self.problems.add_line(&finding.file, line, finding.message.clone());
            return None;
        }
        let commarea = self.commarea(path, &text, tools.maps);
        Some(State::Translated { program, commarea })
    }

    /// Compiles what is translated. Each row has an outcome; none if it has nothing to compile.
    fn compiled(&self, rows: &[Row], tools: Tools<'_>) -> Vec<Option<Outcome>> {
        let Some(compiler) = tools.compiler else { return rows.iter().map(|_| None).collect() };
        let mut number = 0;
        let jobs: Vec<Option<Job<'_>>> = rows
            .iter()
            .map(|row| {
                number += usize::from(is_source(&row.entry));
                let State::Translated { program, .. } = &row.state else { return None };
                Some(Job { name: &program.name, text: &program.text, number })
            })
            .collect();
        let tell = |job: &Job<'_>| {
            self.compiles.iter().for_each(|tell| tell(job.name, job.number, number));
        };
        side_by_side::compile(compiler, tools.cache, self.page, &jobs, &tell)
    }

    /// Adds a program to those of the configuration, or reports why it cannot be used.
    fn add(
        &mut self,
        row: Row,
        outcome: Option<Outcome>,
        programs: &mut BTreeMap<String, PathBuf>,
        built: &mut Built,
    ) {
        let Row { entry, path, mut faults, state } = row;
        self.problems.begin_part();
        let usable = match state {
            State::Faulty => None,
            State::Taken(usable) => Some(usable),
            State::Translated { program, commarea } => outcome
                .and_then(|outcome| self.object(&path, outcome))
                .map(|file| Usable { name: program.name, file, commarea }),
        };
        let usable = usable.filter(|usable| !self.is_there_twice(&path, &usable.name, programs));
        faults.extend(self.problems.end_part());
        let name = usable.as_ref().map_or_else(|| program_name(&entry), |usable| usable.name.clone());
        let part = self.part(&path, &name, &faults);
        self.problems.add_part(part);
        match usable {
            Some(Usable { name, file, commarea }) => {
                built.commareas.extend(commarea.map(|bytes| (name.clone(), bytes)));
                built.faulty.remove(&name);
                programs.insert(name, file);
            }
            None if programs.contains_key(&name) => {}
            None => {
                built.faulty.insert(name);
            }
        }
    }

    /// The object that was made of a program; none if it has faults, which are then reported.
    fn object(&mut self, path: &str, outcome: Outcome) -> Option<PathBuf> {
        match outcome {
            Outcome::Made(object) => Some(object),
            Outcome::Faulty(messages) => {
                for message in messages {
                    let file = message.file.unwrap_or_else(|| self.files.display(path));
                    self.problems.add_line(&file, message.line, message.text);
                }
                None
            }
            Outcome::Failed(message) => self.fault(path, message),
        }
    }

    fn is_there_twice(&mut self, path: &str, name: &str, programs: &BTreeMap<String, PathBuf>) -> bool {
        let is_twice = programs.contains_key(name);
        if is_twice {
            let _: Option<()> = self.fault(path, format!("the program {name} is there twice"));
        }
        is_twice
    }

    /// The state of a program with these faults.
    fn part(&self, path: &str, name: &str, faults: &[Problem]) -> Part {
        let place = match faults.first() {
            Some(fault) => self.problems.place_of(fault),
            None => self.files.display(path),
        };
        let state = match faults {
            [] => PartState::Ok,
            faults => self.reason(path, faults),
        };
        Part { name: name.to_owned(), state, place }
    }

    /// The reason why a program does not run, by its faults.
    fn reason(&self, path: &str, faults: &[Problem]) -> PartState {
        let sql = format!("[{}]", SQL.id);
        if faults.iter().any(|fault| fault.message.starts_with(&sql)) {
            return PartState::Sql;
        }
        let missing = |fault: &Problem| {
            Some(fault.message.strip_prefix(MISSING_MEMBER)?.split(' ').next()?.to_ascii_uppercase())
        };
        let missing: Vec<String> = faults.iter().filter_map(missing).collect();
        if missing.is_empty() {
            return PartState::Faulty;
        }
        let text = self.files.read_source(path, self.source_page).unwrap_or_default().to_ascii_uppercase();
        let is_map = |member: &String| {
            ["MAPSET", "MAP"].iter().any(|word| text.contains(&format!("{word}('{member}')")))
        };
        if missing.iter().any(is_map) { PartState::Map } else { PartState::Member }
    }

    fn warn(&mut self, path: &str, message: &str) {
        let (severity, file) = (Severity::Warning, self.files.display(path));
        self.problems.push(Problem { severity, file, span: None, message: message.to_owned(), help: None });
    }

    fn fault<T>(&mut self, path: &str, message: impl Into<String>) -> Option<T> {
        let shown = self.files.display(path);
        self.problems.add(&shown, None, message);
        None
    }

    fn take(&mut self, path: &str, cache: &Cache) -> Option<PathBuf> {
        let kept = self.files.read_bytes(path).map_err(|error| error.to_string());
        match kept.and_then(|bytes| cache.keep(&bytes)) {
            Ok(file) => Some(file),
            Err(message) => self.fault(path, format!("cannot be taken: {message}")),
        }
    }

    /// The length of the program's DFHCOMMAREA, if it declares one.
    fn commarea(&self, path: &str, text: &str, maps: &MapIndex) -> Option<CommareaBytes> {
        let libraries = self.libraries();
        commarea_bytes(path, text, &|member: &str, library: Option<&str>| {
            find_file(&libraries, maps, member, library).map(|found| found.member)
        })
    }

    /// Where members are.
    fn libraries(&self) -> [Library<'_>; 2] {
        COPYBOOK_FOLDERS.map(|folder| Library { files: self.files, folder, page: self.source_page })
    }

    /// Translates a program; none if it has faults, which are then reported.
    fn translate(
        &mut self,
        Source { path, stem }: Source<'_>,
        text: &str,
        maps: &MapIndex,
    ) -> Option<Translated> {
        let shown = self.files.display(path);
        self.problems.text(&shown, text);
        let (files, page) = (self.files, self.source_page);
        let libraries = COPYBOOK_FOLDERS.map(|folder| Library { files, folder, page });
        let members = RefCell::new(Vec::new());
        let library = |member: &str, library: Option<&str>| {
            let found = find_file(&libraries, maps, member, library)?.member;
            members.borrow_mut().push((found.name.clone(), found.text.clone()));
            Ok(found)
        };
        let settings = Settings {
            format: Format::Auto,
            sql: None,
            terminal: TerminalCommands::FailAtRunTime,
            name: is_name(stem).then_some(stem),
            callable: Some(&self.callable),
        };
        let result = translate(&shown, text, &settings, &library);
        for (name, text) in members.take() {
            self.problems.text(&name, &text);
        }
        let (translation, findings) = match result {
            Ok(translation) => (Some((translation.text, translation.programs)), translation.warnings),
            Err(findings) => (None, findings),
        };
        // The compiler decides about these.
        let (mut json, findings): (Vec<_>, Vec<_>) =
            findings.into_iter().partition(|finding| finding.code == NEEDS_JSON.id);
        for finding in findings {
            let file = finding.file.clone();
            self.problems.copybook(&file, finding);
        }
        let (text, programs) = translation?;
        match programs.first() {
            Some(name) if name.eq_ignore_ascii_case(stem) => {
                let needs_json = if json.is_empty() { None } else { Some(json.swap_remove(0)) };
                Some(Translated { name: name.clone(), text, needs_json })
            }
            other => {
                let found = other.map_or("none", String::as_str);
                self.fault(
                    path,
                    format!("expected the PROGRAM-ID {stem}, as the file is named, found {found}"),
                )
            }
        }
    }
}

/// True if a file is the source of a program.
fn is_source(entry: &str) -> bool {
    let ending = entry.rsplit_once('.').map_or("", |(_, ending)| ending);
    ending.eq_ignore_ascii_case("cbl") || ending.eq_ignore_ascii_case("cob")
}

/// True for sources and shared objects.
fn is_program_file(entry: &str) -> bool {
    is_source(entry) || entry.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("so"))
}

/// The name of a program by that of its file.
fn program_name(entry: &str) -> String {
    let stem = entry.rsplit_once('.').map_or(entry, |(stem, _)| stem);
    if is_source(entry) { stem.to_uppercase() } else { stem.to_owned() }
}

/// True if LINK can say a name.
fn is_name(stem: &str) -> bool {
    (1..=NAME_MAX_BYTES).contains(&stem.len())
        && stem.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"@#$".contains(&byte))
}
