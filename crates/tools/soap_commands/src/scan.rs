//! Takes new bind files from the pickup folders of a configuration to the shelves of its pipelines.
//!
//! The gateway loads what is on the shelves. A file gets there only if it is good, so a bad one never takes the place of one that
//! runs.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use web_service::pipeline::{PipelineSection, of_configuration};
use web_service::{BIND_FILE_BYTES_MAX, BindFile, Problem, Role};

/// The ending of bind files.
const ENDING: &str = ".wsbind";
/// The most bind files of a folder.
const FILES_MAX: usize = 10_000;
/// The code page of text where a bind file names none; whether it is good does not depend on it.
const CCSID: u16 = 819;

/// A bind file that is good as it stands, and is to go to the shelf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its path on the shelf, below the configuration's folder.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// Tells what is wrong with each candidate beside all else that the configuration has; nothing if it can be loaded.
pub type Judge<'j> = dyn FnMut(&[Candidate]) -> Vec<Vec<String>> + 'j;

/// The outcome of a file in a pickup folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is new on the shelf.
    Installed,
    /// It took the place of an older one.
    Replaced,
    /// The shelf has it already.
    Unchanged,
    /// The one on the shelf is newer, and stays.
    Older,
    /// It has faults; what the shelf has stays.
    Refused(Vec<String>),
}

/// A file with what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scanned {
    /// The pipeline.
    pub pipeline: String,
    /// The file's name.
    pub file: String,
    /// See [`Outcome`].
    pub outcome: Outcome,
}

impl fmt::Display for Scanned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: ", self.pipeline, self.file)?;
        match &self.outcome {
            Outcome::Installed => f.write_str("installed"),
            Outcome::Replaced => f.write_str("replaced"),
            Outcome::Unchanged => f.write_str("unchanged"),
            Outcome::Older => f.write_str("older than the one on the shelf, which stays"),
            Outcome::Refused(faults) => write!(f, "refused: {}", faults.join("; ")),
        }
    }
}

/// Takes the new files of all pipelines of a configuration folder to their shelves. A folder without pipelines has none.
///
/// # Errors
/// `gantry.toml` cannot be read, its pipelines are wrong, or a folder cannot be read. Faults of a bind file
/// are an [`Outcome`].
pub fn scan(folder: &Path, judge: &mut Judge<'_>) -> Result<Vec<Scanned>, String> {
    scanned(folder, judge, &|good, name| good.put(name))
}

/// The outcomes that [`scan`] would have. Nothing is written.
///
/// # Errors
/// As [`scan`].
pub fn would_scan(folder: &Path, judge: &mut Judge<'_>) -> Result<Vec<Scanned>, String> {
    scanned(folder, judge, &|good, _| if good.is_new { Outcome::Installed } else { Outcome::Replaced })
}

/// Looks at the new files of all pipelines, and does something with those that are good.
fn scanned(
    folder: &Path,
    judge: &mut Judge<'_>,
    take: &dyn Fn(&Good, &str) -> Outcome,
) -> Result<Vec<Scanned>, String> {
    let path = folder.join("gantry.toml");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let pipelines = of_configuration(&text).map_err(|message| format!("{}: {message}", path.display()))?;
    let mut taken = Taken::read(folder, &pipelines)?;
    let (mut scanned, mut waiting, mut candidates) = (Vec::new(), Vec::new(), Vec::new());
    for pipeline in &pipelines {
        for file in bind_files(&folder.join(pipeline.pickup()))? {
            let outcome = match taken.look(folder, pipeline, &file) {
                Look::Done(outcome) => outcome,
                Look::Good(good) => {
                    candidates.push(Candidate {
                        path: format!("{}/{file}", pipeline.shelf()),
                        text: good.text.clone(),
                    });
                    waiting.push((scanned.len(), good));
                    // It is not there before it is judged.
                    Outcome::Unchanged
                }
            };
            scanned.push(Scanned { pipeline: pipeline.name.clone(), file, outcome });
        }
    }
    let faults = if candidates.is_empty() { Vec::new() } else { judge(&candidates) };
    let faults = faults.into_iter().chain(std::iter::repeat(Vec::new()));
    for ((at, good), faults) in waiting.into_iter().zip(faults) {
        let file = &mut scanned[at];
        file.outcome = if faults.is_empty() { take(&good, &file.file) } else { Outcome::Refused(faults) };
    }
    Ok(scanned)
}

/// The names of the bind files of a folder, in their order; none if it does not exist.
fn bind_files(folder: &Path) -> Result<Vec<String>, String> {
    let fail = |error: io::Error| format!("{}: {error}", folder.display());
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(fail(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.map_err(fail)?.file_name().to_string_lossy().into_owned();
        if name.ends_with(ENDING) && !name.starts_with('.') {
            names.push(name);
        }
        if names.len() > FILES_MAX {
            return Err(format!("{}: expected at most {FILES_MAX} bind files", folder.display()));
        }
    }
    names.sort();
    Ok(names)
}

/// The files of configurations that bind files on shelves stand for, with the shelf and name of each.
struct Taken(BTreeMap<String, (PathBuf, String)>);

impl Taken {
    fn read(folder: &Path, pipelines: &[PipelineSection]) -> Result<Self, String> {
        let mut taken = Self(BTreeMap::new());
        for pipeline in pipelines {
            let shelf = folder.join(pipeline.shelf());
            for name in bind_files(&shelf)? {
                if let Ok((bytes, _)) = read_file(&shelf.join(&name))
                    && let Ok(claims) = judged(&name, &bytes)
                {
                    taken.add(&shelf, &name, claims);
                }
            }
        }
        Ok(taken)
    }

    fn add(&mut self, shelf: &Path, name: &str, claims: Vec<String>) {
        let own = (shelf.to_owned(), name.to_owned());
        self.0.retain(|_, owner| *owner != own);
        self.0.extend(claims.into_iter().map(|claim| (claim, own.clone())));
    }

    fn look(&mut self, folder: &Path, pipeline: &PipelineSection, name: &str) -> Look {
        let (from, shelf) = (folder.join(pipeline.pickup()).join(name), folder.join(pipeline.shelf()));
        let to = shelf.join(name);
        let (bytes, changed) = match read_file(&from) {
            Ok(read) => read,
            Err(message) => return Look::Done(Outcome::Refused(vec![message])),
        };
        let known = to.exists().then(|| read_file(&to)).and_then(Result::ok);
        match &known {
            Some((old, _)) if *old == bytes => return Look::Done(Outcome::Unchanged),
            Some((_, since)) if changed < *since => return Look::Done(Outcome::Older),
            _ => {}
        }
        let claims = match judged(name, &bytes) {
            Ok(claims) => claims,
            Err(problems) => {
                return Look::Done(Outcome::Refused(problems.iter().map(ToString::to_string).collect()));
            }
        };
        let faults = self.conflicts(folder, (&shelf, name), &claims);
        if !faults.is_empty() {
            return Look::Done(Outcome::Refused(faults));
        }
        self.add(&shelf, name, claims);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Look::Good(Good { shelf, text, changed, is_new: known.is_none() })
    }

    /// Claims that a file of the folder or another bind file has already.
    fn conflicts(&self, folder: &Path, own: (&Path, &str), claims: &[String]) -> Vec<String> {
        let mut faults = Vec::new();
        for claim in claims {
            if let Some((shelf, other)) = self.0.get(claim)
                && (shelf.as_path(), other.as_str()) != own
            {
                faults.push(format!("{other} on the shelf has {claim} already"));
            } else if !claim.starts_with("the path ") && folder.join(claim).exists() {
                faults.push(format!("the configuration has {claim} already"));
            }
        }
        faults
    }
}

/// The state of a file when it has been read.
enum Look {
    Done(Outcome),
    Good(Good),
}

/// A file that may go to the shelf.
struct Good {
    shelf: PathBuf,
    text: String,
    changed: SystemTime,
    is_new: bool,
}

impl Good {
    fn put(&self, name: &str) -> Outcome {
        match put(&self.shelf, name, self.text.as_bytes(), self.changed) {
            Ok(()) if self.is_new => Outcome::Installed,
            Ok(()) => Outcome::Replaced,
            Err(error) => {
                let shelf = self.shelf.display();
                Outcome::Refused(vec![format!("cannot be written to the shelf {shelf}: {error}")])
            }
        }
    }
}

impl Outcome {
    /// The word for it.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Outcome::Installed => "installed",
            Outcome::Replaced => "replaced",
            Outcome::Unchanged => "unchanged",
            Outcome::Older => "older",
            Outcome::Refused(_) => "refused",
        }
    }

    /// The faults of the file.
    #[must_use]
    pub fn faults(&self) -> &[String] {
        match self {
            Outcome::Refused(faults) => faults,
            _ => &[],
        }
    }
}

/// Bytes of a file, and when it was changed.
fn read_file(path: &Path) -> Result<(Vec<u8>, SystemTime), String> {
    let metadata = fs::metadata(path).map_err(|error| error.to_string())?;
    if metadata.len() > BIND_FILE_BYTES_MAX as u64 {
        return Err(format!("expected at most {BIND_FILE_BYTES_MAX} bytes, found {}", metadata.len()));
    }
    let changed = metadata.modified().map_err(|error| error.to_string())?;
    Ok((fs::read(path).map_err(|error| error.to_string())?, changed))
}

/// The claims of a bind file, which only one may have: the files that it stands for, and its path.
fn judged(name: &str, bytes: &[u8]) -> Result<Vec<String>, Vec<Problem>> {
    let file = BindFile::read(bytes)?;
    let stem = name.strip_suffix(ENDING).unwrap_or(name);
    if file.name != stem {
        return Err(vec![Problem::error(
            "name",
            format!("expected '{stem}', as the file is called, found '{}'", file.name),
        )]);
    }
    let (parts, _) = file.parts(CCSID)?;
    let faults = crate::faults_of_binds(&parts);
    if !faults.is_empty() {
        return Err(faults);
    }
    let files = file.folder(CCSID)?;
    let mut claims: Vec<String> = files.into_iter().map(|(path, _)| path).collect();
    // The path of a requester is one of another server.
    let path = file.path().filter(|_| file.role == Role::Provider);
    claims.extend(path.map(|path| format!("the path {path}")));
    Ok(claims)
}

/// Writes a file whole or not at all. It keeps the time of its change, which tells which file is newer.
fn put(shelf: &Path, name: &str, bytes: &[u8], changed: SystemTime) -> io::Result<()> {
    fs::create_dir_all(shelf)?;
    let temporary = shelf.join(format!(".{name}.new"));
    let mut file = File::create(&temporary)?;
    file.write_all(bytes)?;
    file.set_modified(changed)?;
    file.sync_all()?;
    fs::rename(&temporary, shelf.join(name))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const FILE: &str = "wsbind = 1
name = \"NAME\"
program = \"CLAIM\"
uri = \"/claims/NAME\"
mapping_level = \"3.0\"
minimum_runtime_level = \"3.0\"
namespace = \"urn:claim\"

[[operation]]
name = \"CLAIMOperation\"
request = { element = \"CLAIMOperation\", namespace = \"urn:in\", copybook = \"C\" }

[copybooks]
C = '''
       01  R.
           03  A  PIC X(6).
'''
";

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("gantry.toml"), "[[pipeline]]\nname = \"claims\"\n").expect("written");
        fs::create_dir_all(folder.path().join("pipelines/claims/pickup")).expect("made");
        folder
    }

    /// Puts a file into the pickup folder, changed this number of seconds after a day of 1970.
    fn pick_up(folder: &Path, name: &str, text: &str, seconds: u64) {
        let path = folder.join("pipelines/claims/pickup").join(name);
        fs::write(&path, text).expect("written");
        let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + seconds);
        File::options().write(true).open(path).expect("open").set_modified(changed).expect("set");
    }

    fn outcomes(folder: &Path) -> Vec<String> {
        scan(folder, &mut |_| Vec::new()).expect("scanned").iter().map(ToString::to_string).collect()
    }

    fn shelf(folder: &Path, name: &str) -> String {
        fs::read_to_string(folder.join("pipelines/claims/shelf").join(name)).expect("on the shelf")
    }

    #[test]
    fn new_files_go_to_the_shelf_and_newer_ones_replace_them() {
        let folder = folder();
        let folder = folder.path();
        assert!(outcomes(folder).is_empty());
        let first = FILE.replace("NAME", "A");
        pick_up(folder, "A.wsbind", &first, 1);
        assert_eq!(outcomes(folder), ["claims: A.wsbind: installed"]);
        assert_eq!(outcomes(folder), ["claims: A.wsbind: unchanged"]);
        let second = first.replace("X(6)", "X(7)");
        pick_up(folder, "A.wsbind", &second, 0);
        assert_eq!(outcomes(folder), ["claims: A.wsbind: older than the one on the shelf, which stays"]);
        assert_eq!(shelf(folder, "A.wsbind"), first);
        pick_up(folder, "A.wsbind", &second, 2);
        assert_eq!(outcomes(folder), ["claims: A.wsbind: replaced"]);
        assert_eq!(shelf(folder, "A.wsbind"), second);
    }

    #[test]
    fn a_bad_file_leaves_the_one_on_the_shelf_and_the_others() {
        let folder = folder();
        let folder = folder.path();
        let good = FILE.replace("NAME", "A");
        pick_up(folder, "A.wsbind", &good, 1);
        assert_eq!(outcomes(folder), ["claims: A.wsbind: installed"]);
        pick_up(folder, "A.wsbind", &good.replace("PIC X(6)", "POINTER"), 2);
        pick_up(folder, "B.wsbind", &FILE.replace("NAME", "B"), 2);
        pick_up(folder, "C.wsbind", "hello", 2);
        pick_up(folder, "D.wsbind", &FILE.replace("NAME", "E"), 2);
        pick_up(folder, "notes.txt", "no bind file", 2);
        let found = outcomes(folder);
        assert_eq!(found.len(), 4, "{found:?}");
        assert_eq!(
            found[0],
            "claims: A.wsbind: refused: C, line 2: A: pointers and indexes have no element at any level"
        );
        assert_eq!(found[1], "claims: B.wsbind: installed");
        assert!(found[2].starts_with("claims: C.wsbind: refused: line 1: "), "{}", found[2]);
        assert_eq!(
            found[3],
            "claims: D.wsbind: refused: name: expected 'D', as the file is called, found 'E'"
        );
        assert_eq!(shelf(folder, "A.wsbind"), good);
    }

    #[test]
    fn what_somebody_else_has_is_refused() {
        let folder = folder();
        let folder = folder.path();
        fs::create_dir_all(folder.join("services")).expect("made");
        fs::write(folder.join("services/A.toml"), "").expect("written");
        pick_up(folder, "A.wsbind", &FILE.replace("NAME", "A"), 1);
        pick_up(folder, "B.wsbind", &FILE.replace("NAME", "B"), 1);
        pick_up(folder, "C.wsbind", &FILE.replace("NAME", "C").replace("/claims/C", "/claims/B"), 1);
        assert_eq!(
            outcomes(folder),
            [
                "claims: A.wsbind: refused: the configuration has services/A.toml already",
                "claims: B.wsbind: installed",
                "claims: C.wsbind: refused: B.wsbind on the shelf has the path /claims/B already",
            ]
        );
    }

    #[test]
    fn what_does_not_load_beside_all_else_stays_off_the_shelf() {
        let folder = folder();
        let folder = folder.path();
        pick_up(folder, "A.wsbind", &FILE.replace("NAME", "A"), 1);
        pick_up(folder, "B.wsbind", &FILE.replace("NAME", "B"), 1);
        let mut asked = Vec::new();
        let found = scan(folder, &mut |candidates| {
            asked = candidates.iter().map(|candidate| candidate.path.clone()).collect();
            vec![vec!["soap/A.toml: no".to_owned()], Vec::new()]
        });
        let found: Vec<String> = found.expect("scanned").iter().map(ToString::to_string).collect();
        assert_eq!(asked, ["pipelines/claims/shelf/A.wsbind", "pipelines/claims/shelf/B.wsbind"]);
        assert_eq!(found, ["claims: A.wsbind: refused: soap/A.toml: no", "claims: B.wsbind: installed"]);
        assert!(!folder.join("pipelines/claims/shelf/A.wsbind").exists());
        // The next scan asks again, and not for what is there.
        let found = scan(folder, &mut |candidates| vec![Vec::new(); candidates.len()]).expect("scanned");
        let words: Vec<&str> = found.iter().map(|file| file.outcome.word()).collect();
        assert_eq!(words, ["installed", "unchanged"]);
    }

    #[test]
    fn a_shelf_that_cannot_be_written_is_told_of_each_file() {
        let folder = folder();
        let folder = folder.path();
        fs::write(folder.join("pipelines/claims/shelf"), "no folder").expect("written");
        pick_up(folder, "A.wsbind", &FILE.replace("NAME", "A"), 1);
        let found = scan(folder, &mut |_| Vec::new());
        // A file in place of the shelf cannot even be listed.
        assert!(found.is_err_and(|message| message.contains("pipelines/claims/shelf")));
    }

    #[test]
    fn pipelines_that_are_wrong_are_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let told = |text: &str| {
            fs::write(folder.path().join("gantry.toml"), text).expect("written");
            scan(folder.path(), &mut |_| Vec::new()).expect_err("refused")
        };
        assert!(
            told("[[pipeline]]\nname = \"a\"\nshelf = \"/etc\"\n").contains("'/etc' is not a folder below")
        );
        assert!(told("[[pipeline]]\nshelf = \"x\"\n").contains("missing field `name`"));
        fs::remove_file(folder.path().join("gantry.toml")).expect("removed");
        assert!(scan(folder.path(), &mut |_| Vec::new()).expect_err("refused").contains("gantry.toml"));
    }
}
