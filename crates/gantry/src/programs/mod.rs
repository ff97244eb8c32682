//! Programs from the folder `programs/`: sources are translated and compiled, shared objects taken as they are, and
//! all of them put into one folder for the workers.

mod cache;
mod compiler;
pub(crate) mod confined;
mod encoded;
pub(crate) mod user;
mod words;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use ::program::translate::{NEEDS_JSON, Settings, TerminalCommands, translate};
use codepage::CodePage;
use copybook::{Diagnostic, Format};

use crate::config::{Files, Problems};
use crate::copybooks::{Library, find};
pub(crate) use cache::Cache;
use compiler::{Compiler, Program};
use region::WorkerUser;

/// The folder of programs in a configuration.
pub(crate) const FOLDER: &str = "programs";

/// The most characters of a name that LINK can say.
const NAME_MAX_BYTES: usize = 8;

/// Folders in which COPY finds members, in this order.
const COPYBOOK_FOLDERS: [&str; 2] = [FOLDER, "copybooks"];

/// Reads programs and gathers what is wrong with them.
pub(crate) struct Sources<'s> {
    pub(crate) files: &'s Files,
    pub(crate) problems: &'s mut Problems,
    /// The code page that programs have text in.
    pub(crate) page: &'static CodePage,
    /// The code page of sources that are not UTF-8.
    pub(crate) source_page: &'static CodePage,
}

impl Sources<'_> {
    /// Builds all programs; gives the folder that has them. None if one has faults, which are then told.
    pub(crate) fn build(mut self, cache: &Cache, user: Option<WorkerUser>) -> Option<PathBuf> {
        let before = self.problems.error_count();
        let entries = match self.files.list(FOLDER) {
            Ok(entries) => entries,
            Err(error) => return self.fault(FOLDER, format!("cannot be read: {error}")),
        };
        let mut compiler = None;
        let mut programs: BTreeMap<String, PathBuf> = BTreeMap::new();
        for entry in entries {
            let path = format!("{FOLDER}/{entry}");
            let (stem, ending) = entry.rsplit_once('.').unwrap_or((&entry, ""));
            let built: Option<(String, PathBuf)> = match ending.to_ascii_lowercase().as_str() {
                "cbl" | "cob" => self.compile(&path, stem, (cache, &mut compiler), user),
                "so" => self.take(&path, cache).map(|file| (stem.to_owned(), file)),
                // Members that programs copy lie beside them.
                "cpy" | "" => continue,
                _ => {
                    self.fault(&path, "is no program: sources end with .cbl or .cob, shared objects with .so")
                }
            };
            let Some((name, file)) = built else { continue };
            if programs.contains_key(&name) {
                let _: Option<()> = self.fault(&path, format!("the program {name} is there twice"));
            }
            programs.insert(name, file);
        }
        if self.problems.error_count() > before {
            return None;
        }
        match cache.set(&programs) {
            Ok(folder) => Some(folder),
            Err(message) => self.fault(FOLDER, message),
        }
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

    /// Translates and compiles a program; gives its name and the object.
    fn compile(
        &mut self,
        path: &str,
        stem: &str,
        (cache, compiler): (&Cache, &mut Option<Compiler>),
        user: Option<WorkerUser>,
    ) -> Option<(String, PathBuf)> {
        let text = match self.files.read_source(path, self.source_page) {
            Ok(text) => text,
            Err(error) => return self.fault(path, format!("cannot be read: {error}")),
        };
        let (name, translated, json) = self.translate(path, stem, &text)?;
        if compiler.is_none() {
            match Compiler::find(user) {
                Ok(found) => *compiler = Some(found),
                Err(message) => return self.fault(path, message),
            }
        }
        let compiler = compiler.as_ref()?;
        if let Some(finding) = json.filter(|_| !compiler.has_json()) {
            self.problems.add_line(&finding.file, finding.place.line as usize, finding.message);
            return None;
        }
        let bytes = match encoded::encode(&translated, self.page) {
            Ok(bytes) => bytes,
            Err(unknown) => {
                let file = unknown.file.unwrap_or_else(|| self.files.display(path));
                let (character, page) = (unknown.character, self.page.ccsid());
                let message =
                    format!("the character {character} is not in the region's code page, CCSID {page}");
                self.problems.add_line(&file, unknown.line, message);
                return None;
            }
        };
        match compiler.compile(&Program { name: &name, text: &translated, bytes: &bytes }, cache) {
            Ok(Ok(file)) => Some((name, file)),
            Ok(Err(messages)) => {
                for message in messages {
                    let file = message.file.unwrap_or_else(|| self.files.display(path));
                    self.problems.add_line(&file, message.line, message.text);
                }
                None
            }
            Err(message) => self.fault(path, message),
        }
    }

    /// The program's name, in capitals as the mainframe's compiler has it, its text as GnuCOBOL takes it, and the first
    /// statement that needs a JSON library; none if it has faults.
    fn translate(
        &mut self,
        path: &str,
        stem: &str,
        text: &str,
    ) -> Option<(String, String, Option<Diagnostic>)> {
        let shown = self.files.display(path);
        self.problems.text(&shown, text);
        let libraries =
            COPYBOOK_FOLDERS.map(|folder| Library { files: self.files, folder, page: self.source_page });
        let members = RefCell::new(Vec::new());
        let library = |member: &str, library: Option<&str>| {
            let found = find(&libraries, member, library)?;
            members.borrow_mut().push((found.name.clone(), found.text.clone()));
            Ok(found)
        };
        let settings = Settings {
            format: Format::Auto,
            sql: None,
            terminal: TerminalCommands::FailAtRunTime,
            name: is_name(stem).then_some(stem),
            callable: None,
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
                let json = if json.is_empty() { None } else { Some(json.swap_remove(0)) };
                Some((name.clone(), text, json))
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

/// True if LINK can say a name.
fn is_name(stem: &str) -> bool {
    (1..=NAME_MAX_BYTES).contains(&stem.len())
        && stem.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"@#$".contains(&byte))
}
