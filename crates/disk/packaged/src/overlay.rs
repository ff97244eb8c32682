//! Packages of z/OS Connect in the folder `packages`, and assets of API projects. Each stands for text files of ours, which
//! load as if they were in the folder.

use std::collections::BTreeMap;
use std::sync::Arc;

use packages::Limits;
use settings::{Files, Part, PartState, Problems};

use crate::projects::{self, Projects};
use crate::{archives, settings_of};

/// The folder of packages.
pub const FOLDER: &str = "packages";

/// Adds the text files of packages and assets to the files of the folder. Also gives the API projects among them.
/// Problems of packages go to `problems`.
pub fn with_packages(
    files: &Files,
    others: &[Other],
    left_out: &LeftOut,
    problems: &mut Problems,
) -> (Files, Projects) {
    let names = match files.list(FOLDER) {
        Ok(names) => names,
        Err(error) => {
            problems.add(&files.display(FOLDER), None, format!("cannot be read: {error}"));
            Vec::new()
        }
    };
    let packages = names.into_iter().filter(|name| !settings_of::is_one(name));
    let packages = packages.map(|name| (format!("{FOLDER}/{name}"), None));
    let mut texts = Texts::new();
    for (path, other) in packages.chain(others.iter().map(|other| (other.path.clone(), Some(other)))) {
        let faults = match left_out.faults_of(&path) {
            Some(earlier) => problems.take_part(earlier, |file| is_in(files, &path, file)),
            None => {
                problems.begin_part();
                let added = match other {
                    Some(other) => other.added(files, &texts, problems),
                    None => read_package(files, &path, &texts, problems),
                };
                if let Some(added) = added {
                    texts.extend(added);
                }
                problems.end_part()
            }
        };
        let (state, place) = match faults.first() {
            Some(fault) => (PartState::Faulty, problems.place_of(fault)),
            None => (PartState::Ok, files.display(&path)),
        };
        problems.add_part(Part { name: path, state, place });
    }
    settings_of::apply(files, &mut texts, problems);
    let files = overlaid(files, texts);
    let projects = projects::read_all(&files);
    let services = asset_services(&files, &projects, problems);
    (overlaid(&files, services), projects)
}

/// The files of a package, without those that another package has too. None if the package has faults; they
/// go to `problems`.
fn read_package(files: &Files, path: &str, texts: &Texts, problems: &mut Problems) -> Option<Texts> {
    let shown = files.display(path);
    let package = match archives::read_path(files, path) {
        Ok(package) => package,
        Err(faults) => {
            faults.into_iter().for_each(|fault| problems.add(&shown, None, fault));
            return None;
        }
    };
    for note in package.notes() {
        let line = if note.line > 0 { format!(":{}", note.line) } else { String::new() };
        let place = if note.file.is_empty() { shown.clone() } else { format!("{shown}!{}{line}", note.file) };
        problems.warn(&place, note.reason.clone());
    }
    let own = package.files().iter().map(|file| (file.path.as_str(), file.text.as_str()));
    new_texts(files, path, own, texts, problems)
}

/// A source of files like a package, but outside of the folder of packages.
#[derive(Clone, Debug)]
pub struct Other {
    /// Its path in the configuration.
    pub path: String,
    /// The files by their paths, or the faults of the source.
    pub texts: Result<Vec<(String, String)>, Vec<String>>,
}

impl Other {
    fn added(&self, files: &Files, texts: &Texts, problems: &mut Problems) -> Option<Texts> {
        match &self.texts {
            Ok(own) => {
                let own = own.iter().map(|(path, text)| (path.as_str(), text.as_str()));
                new_texts(files, &self.path, own, texts, problems)
            }
            Err(faults) => {
                let shown = files.display(&self.path);
                faults.iter().for_each(|fault| problems.add(&shown, None, fault.clone()));
                None
            }
        }
    }
}

/// The files of a package or of another source, without those that an earlier source has with the same text.
/// None if another source has another text at the same path; this fault goes to `problems`.
fn new_texts<'t>(
    files: &Files,
    path: &str,
    own: impl Iterator<Item = (&'t str, &'t str)>,
    texts: &Texts,
    problems: &mut Problems,
) -> Option<Texts> {
    let (mut added, mut is_whole) = (Texts::new(), true);
    for (name, text) in own {
        // Packages carry the services that they need, so two may have the same one.
        let known = texts.get(name).map(|(known, from)| (known == text, from.clone()));
        let other = match known {
            Some((true, _)) => continue,
            Some((false, from)) => Some(files.display(&from)),
            None => files.read(name).is_ok().then(|| files.display(name)),
        };
        if let Some(other) = other {
            problems.add(&files.display(path), None, format!("its {name} is also in {other}, and differs"));
            is_whole = false;
        }
        added.insert(name.to_owned(), (text.to_owned(), path.to_owned()));
    }
    is_whole.then_some(added)
}

/// Packages whose files had faults when they were loaded, each with the problems of that load.
#[derive(Debug, Default)]
pub struct LeftOut(BTreeMap<String, Problems>);

impl LeftOut {
    /// Adds the packages that have errors; false if there are no new ones.
    pub fn find(&mut self, files: &Files, others: &[Other], problems: &Problems) -> bool {
        let faulty = problems.faulty_files();
        let names = files.list(FOLDER).unwrap_or_default().into_iter();
        let paths = names.map(|name| format!("{FOLDER}/{name}"));
        let found: Vec<String> = paths
            .chain(others.iter().map(|other| other.path.clone()))
            .filter(|path| !self.0.contains_key(path))
            .filter(|path| faulty.iter().any(|file| is_in(files, path, file)))
            .collect();
        let is_new = !found.is_empty();
        self.0.extend(found.into_iter().map(|path| (path, problems.clone())));
        is_new
    }

    fn faults_of(&self, path: &str) -> Option<&Problems> {
        self.0.get(path)
    }
}

/// True if a file, under its displayed name, is in a package.
fn is_in(files: &Files, package: &str, file: &str) -> bool {
    file.strip_prefix(&files.display(package)).is_some_and(|rest| rest.starts_with('!'))
}

/// Files by path, each with its source.
pub(crate) type Texts = BTreeMap<String, (String, String)>;

fn overlaid(files: &Files, texts: Texts) -> Files {
    if texts.is_empty() {
        return files.clone();
    }
    Files::Packaged { base: Box::new(files.clone()), texts: Arc::new(texts) }
}

/// The services of API projects whose assets describe their structures.
fn asset_services(files: &Files, projects: &Projects, problems: &mut Problems) -> Texts {
    let mut texts = Texts::new();
    for (api, found) in projects {
        let folder = format!("apis/{api}/{}", found.root);
        let Ok(read) = &found.read else { continue };
        let Ok(project) = &read.project else { continue };
        match project.services(api, &read.files, &Limits::default()) {
            Ok(services) => {
                let origin = format!("{folder}zosAssets");
                texts.extend(services.into_iter().map(|file| (file.path, (file.text, origin.clone()))));
            }
            Err(faults) => {
                for fault in faults {
                    let path = format!("{folder}{}", fault.file);
                    let shown = files.display(&path);
                    problems.text(&shown, &files.read(&path).unwrap_or_default());
                    problems.add_line(&shown, fault.line, fault.message);
                }
            }
        }
    }
    texts
}
