//! GnuCOBOL's compiler: found, checked, and run with little of the surroundings and within a time.

use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use wire::WorkerUser;

use crate::{Cache, confined, words};

/// Options that give data the form of the mainframe (docs/guides/programs.md). Items behind a table DEPENDING ON move with its length.
///
/// The last two are for PERFORM. GO TO out of a PERFORM keeps a place of GnuCOBOL's stack until the program ends. The stack has the
/// most places that the compiler takes. Without the check, a program that needs more of them writes over its data.
const FLAGS: [&str; 6] =
    ["-m", "-std=ibm-strict", "-fodoslide", "-fsign=EBCDIC", "-fstack-check", "-fstack-size=512"];

/// A redefinition may be longer than the item that it redefines, as for `copybook`: the group is extended.
const LONGER_REDEFINES: &str = "-flarger-redefines=ok";
/// The same for GnuCOBOL 3.1.
const LONGER_REDEFINES_3_1: &str = "-flarger-redefines-ok";

/// The checks of `NUMCHECK`: digits and signs of numbers.
const NUMCHECK: &str = "-fec=EC-DATA-INCOMPATIBLE";
/// The checks of `SSRANGE`: subscripts, and the offset and length of parts of fields.
const SSRANGE: &str = "-fec=EC-BOUND";

/// Checks of running programs, by the names of Enterprise COBOL's options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// `NUMCHECK`: numbers with invalid digits or signs.
    pub numcheck: bool,
    /// `SSRANGE`: subscripts, and parts of fields.
    pub ssrange: bool,
}

/// The list of words beside a source, without its ending.
const WORDS: &str = "gantry";

/// How long a program may take to compile.
const COMPILE_MAX: Duration = Duration::from_secs(120);

/// How often is looked whether the compiler is done.
const POLL: Duration = Duration::from_millis(5);

/// Counts what this process has compiled, for the names of folders.
static BUILDS: AtomicU64 = AtomicU64::new(0);

/// The compiler.
#[derive(Debug)]
pub(crate) struct Compiler {
    /// The compiler's version, because another compiler makes other objects.
    version: String,
    /// Who it runs as.
    user: Option<WorkerUser>,
    /// The words that it keeps for itself.
    words: String,
    checks: Checks,
    /// The option for longer redefinitions.
    longer_redefines: &'static str,
    /// True if it was built with a JSON library: without one JSON GENERATE does nothing.
    json: bool,
}

/// A translated program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Program<'p> {
    pub(crate) name: &'p str,
    pub(crate) text: &'p str,
    /// The text in the region's code page.
    pub(crate) bytes: &'p [u8],
}

/// A message of the compiler about a program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) file: Option<String>,
    pub(crate) line: usize,
    pub(crate) text: String,
}

/// True if programs can be compiled here.
#[must_use]
pub fn is_installed() -> bool {
    Compiler::find(None, Checks::default()).is_ok()
}

impl Compiler {
    /// The compiler that is installed.
    ///
    /// # Errors
    /// There is none, or not one of version 3, or a part of it is missing: the reason for people.
    pub(crate) fn find(user: Option<WorkerUser>, checks: Checks) -> Result<Self, String> {
        // A static binary cannot load GnuCOBOL's library, nor programs.
        if cfg!(target_feature = "crt-static") {
            return Err(
                "programs need the binary for glibc, and this one is static: take the Debian package, or \
                        the archive without 'static' in its name"
                    .to_owned(),
            );
        }
        let missing = "programs need GnuCOBOL 3: install Debian's package gnucobol3";
        let asked = |question: &str| {
            let output = surrounded(Command::new("cobc")).arg(question).output();
            let output = output.map_err(|error| format!("{missing} (cobc: {error})"))?;
            Ok::<_, String>(String::from_utf8_lossy(&output.stdout).into_owned())
        };
        let text = asked("--version")?;
        let version = text.lines().next().unwrap_or_default();
        match version.split_whitespace().find(|word| word.starts_with(|first: char| first.is_ascii_digit())) {
            Some(number) if number.starts_with("3.") => {
                let info = asked("--info")?;
                let words = words::list(&info, &asked("--list-intrinsics")?)?;
                let (json, longer_redefines) = (has_json(&info), longer_redefines(number));
                Ok(Self { version: version.to_owned(), words, checks, longer_redefines, json, user })
            }
            Some(number) if number.starts_with("4.") => Err(format!(
                "{missing}; version {number} is an unfinished snapshot of 2020, without indexed files"
            )),
            _ => Err(format!("{missing}; found '{version}'")),
        }
    }

    /// True if JSON GENERATE does something.
    pub(crate) fn has_json(&self) -> bool {
        self.json
    }

    /// Compiles a translated program if its object is not in the cache. `begins` is called before it
    /// compiles.
    ///
    /// # Errors
    /// The compiler could not be run; inside it, the compiler's errors in the program.
    pub(crate) fn compile(
        &self,
        program: &Program<'_>,
        cache: &Cache,
        begins: impl Fn(),
    ) -> Result<Result<PathBuf, Vec<Message>>, String> {
        // Text in two code pages is two programs.
        let page = if program.text.is_ascii() { String::new() } else { format!("{:x?}", program.bytes) };
        let flags = self.flags().collect::<Vec<_>>().join(" ");
        let object = cache.object(&[program.name, &self.version, &flags, &self.words, program.text, &page]);
        if object.exists() {
            return Ok(Ok(object));
        }
        begins();
        // Another process, or another thread, may make the same object.
        let number = BUILDS.fetch_add(1, Ordering::Relaxed);
        let own = |ending: &str| object.with_extension(format!("{}-{number}.{ending}", std::process::id()));
        let (folder, part) = (own("build"), own("part"));
        let built = self.build(program, &folder);
        let placed = built.and_then(|built| match built {
            Ok(file) => match take(&file, &part, &object) {
                Ok(()) => Ok(Ok(object)),
                Err(error) => Err(format!("{}: {error}", folder.display())),
            },
            Err(messages) => Ok(Err(messages)),
        });
        // A folder that is left over is not needed; the next start makes its own.
        let _ = std::fs::remove_dir_all(&folder);
        placed
    }

    fn flags(&self) -> impl Iterator<Item = &'static str> {
        let checks = [(NUMCHECK, self.checks.numcheck), (SSRANGE, self.checks.ssrange)];
        let checks = checks.into_iter().filter_map(|(flag, is_on)| is_on.then_some(flag));
        FLAGS.into_iter().chain([self.longer_redefines]).chain(checks)
    }

    fn build(&self, program: &Program<'_>, folder: &Path) -> Result<Result<PathBuf, Vec<Message>>, String> {
        let name = program.name;
        let describe = |error: std::io::Error| format!("{}: {error}", folder.display());
        std::fs::create_dir_all(folder).map_err(describe)?;
        // The ending tells the compiler that there is nothing to be preprocessed.
        let source = folder.join(format!("{name}.i"));
        std::fs::write(&source, program.bytes).map_err(describe)?;
        // The compiler looks for the list in the folder that it runs in.
        let list = folder.join(format!("{WORDS}.words"));
        std::fs::write(&list, words::for_program(&self.words, program.text).as_bytes()).map_err(describe)?;
        let target = folder.join(format!("{name}.so"));
        self.give(folder, &[&source, &list]).map_err(describe)?;
        let mut command = surrounded(confined::command(self.user, folder, "cobc"));
        command
            .args(self.flags())
            .arg(format!("-freserved-words={WORDS}"))
            .arg("-O2")
            .arg("-o")
            .arg(format!("{name}.so"))
            .arg(format!("{name}.i"))
            .env("TMPDIR", ".");
        let (succeeded, said) = run(command)?;
        if succeeded {
            return Ok(Ok(target));
        }
        let messages = messages(&said);
        match messages.is_empty() {
            true => Err(format!("cobc failed: {}", said.trim())),
            false => Ok(Err(messages)),
        }
    }

    /// The folder and the files in it become the compiler's, if it is another user.
    fn give(&self, folder: &Path, files: &[&Path]) -> std::io::Result<()> {
        let Some(WorkerUser { uid, gid }) = self.user else { return Ok(()) };
        for file in files {
            std::os::unix::fs::chown(file, Some(uid), Some(gid))?;
        }
        std::os::unix::fs::chown(folder, Some(uid), Some(gid))
    }
}

/// The option for longer redefinitions of the compiler with this version.
fn longer_redefines(version: &str) -> &'static str {
    let is_3_1 = ["3.0", "3.1"].iter().any(|old| version.starts_with(old));
    if is_3_1 { LONGER_REDEFINES_3_1 } else { LONGER_REDEFINES }
}

/// True if `cobc --info` names a JSON library.
fn has_json(info: &str) -> bool {
    let said = info.lines().find_map(|line| line.strip_prefix("JSON library")?.split_once(':'));
    said.is_some_and(|(_, library)| !matches!(library.trim(), "" | "not found" | "disabled"))
}

/// A command with little of the surroundings.
fn surrounded(mut command: Command) -> Command {
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
    command.env_clear().env("PATH", path).env("LC_ALL", "C.UTF-8").stdin(Stdio::null());
    for variable in ["COB_CONFIG_DIR", "COB_COPY_DIR", "LD_LIBRARY_PATH"] {
        if let Some(value) = std::env::var_os(variable) {
            command.env(variable, value);
        }
    }
    command
}

/// Copies the compiler's output to a file of our own. It may belong to another user and have any content.
fn take(made: &Path, part: &Path, object: &Path) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    let file = options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(made)?;
    if !file.metadata()?.is_file() {
        return Err(std::io::Error::new(
            std::io::ErrorKind::InvalidData,
            "expected a file of the compiler's",
        ));
    }
    let mut to = std::fs::File::create(part)?;
    std::io::copy(&mut file.take(confined::FILE_MAX_BYTES), &mut to)?;
    std::fs::rename(part, object)
}

fn run(mut command: Command) -> Result<(bool, String), String> {
    let failed = |error: std::io::Error| format!("cobc: {error}");
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().map_err(failed)?;
    let mut stderr = child.stderr.take().expect("it is piped");
    let reader = std::thread::spawn(move || {
        let mut said = Vec::new();
        // The compiler's output until it ended or was killed.
        let _ = stderr.read_to_end(&mut said);
        String::from_utf8_lossy(&said).into_owned()
    });
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            break status;
        }
        if begun.elapsed() > COMPILE_MAX {
            // It leads a session of its own (`confined`), and the processes that it started are in its group.
            let group = rustix::process::Pid::from_child(&child);
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            let _ = child.kill();
            child.wait().map_err(failed)?;
            return Err(format!("cobc took more than {} s", COMPILE_MAX.as_secs()));
        }
        std::thread::sleep(POLL);
    };
    Ok((status.success(), reader.join().unwrap_or_default()))
}

/// The errors in the compiler's output: `FILE:LINE: error: TEXT`.
fn messages(said: &str) -> Vec<Message> {
    let error = |line: &str| {
        let (place, text) = line.split_once(": error: ")?;
        let (file, number) = place.rsplit_once(':')?;
        let line = number.parse().ok()?;
        Some(Message { file: Some(file.to_owned()), line, text: text.to_owned() })
    };
    said.lines().filter_map(error).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_json_library_is_known() {
        let said = |library: &str| {
            has_json(&format!("XML library : libxml2\nJSON library             : {library}\n"))
        };
        assert!(said("json-c") && said("cJSON"));
        assert!(!said("not found") && !said("disabled") && !has_json("XML library : libxml2\n"));
    }

    #[test]
    fn errors_have_files_and_lines() {
        let said =
            "a/B.cbl: in paragraph 'X':\na/B.cbl:24: error: 'Y' is not defined\nB.cbl:3: warning: old\n";
        let expected = Message { file: Some("a/B.cbl".into()), line: 24, text: "'Y' is not defined".into() };
        assert_eq!(messages(said), [expected]);
        assert!(messages("gcc: fatal error").is_empty());
    }
}
