//! cobc: compiling a batch of records, running it, and its frames.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::entry::Record;
use super::program::{self, Frame};
use super::text;

/// The output of the program of one record.
pub(crate) type Frames = Vec<(Frame, Vec<u8>)>;

/// The outcome of one record.
pub(crate) type Outcome = Result<Frames, String>;

/// IBM's rules, and items behind a table of varying length move up.
const OPTIONS: [&str; 3] = ["-x", "-std=ibm", "-fodoslide"];

/// How long the program of a batch may run; it needs milliseconds.
const RUN_TIME_MAX: Duration = Duration::from_secs(5);

/// How often it is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// The differences between the batches of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Dialect {
    /// Free format, else fixed.
    pub(crate) free: bool,
    /// Signs as GnuCOBOL has them by default, else IBM's letters.
    pub(crate) ascii_signs: bool,
}

/// The version line of cobc.
///
/// # Errors
/// It is not there, or is none of those that the comparison is for.
pub(crate) fn version() -> Result<String, String> {
    version_of("cobc")
}

fn version_of(cobc: &str) -> Result<String, String> {
    let missing = "cobc is missing: apt-get install gnucobol3";
    let output =
        Command::new(cobc).arg("--version").output().map_err(|error| format!("{missing} ({error})"))?;
    let shown = String::from_utf8_lossy(&output.stdout);
    supported(shown.lines().next().unwrap_or_default())
}

/// GnuCOBOL 3 only: the packages of 4 are snapshots of its trunk that were left behind by the releases of 3.
fn supported(line: &str) -> Result<String, String> {
    let number = line.rsplit(' ').next().unwrap_or_default();
    if number.starts_with("3.") {
        return Ok(line.to_owned());
    }
    Err(format!(
        "expected GnuCOBOL 3, found '{line}': 4.x packages are stale snapshots, which lack fixes of the 3.x \
         releases; apt-get install gnucobol3"
    ))
}

/// Compiles and runs records together; those that spoil it for others are found by halving.
pub(crate) fn run(folder: &Path, records: &[Record], dialect: Dialect) -> Vec<Outcome> {
    match run_together(folder, records, dialect) {
        Ok(outcomes) => outcomes.into_iter().map(Ok).collect(),
        Err(message) if records.len() < 2 => records.iter().map(|_| Err(message.clone())).collect(),
        Err(_) => {
            let (left, right) = records.split_at(records.len() / 2);
            [run(folder, left, dialect), run(folder, right, dialect)].concat()
        }
    }
}

fn run_together(folder: &Path, records: &[Record], dialect: Dialect) -> Result<Vec<Frames>, String> {
    let put = |name: String, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text::bytes(text)).map_err(|error| format!("{}: {error}", path.display()))
    };
    for record in records {
        put(format!("{}.cpy", program::name(record)), &record.copybook())?;
    }
    put("batch.cob".to_owned(), &program::source(records))?;
    let mut cobc = Command::new("cobc");
    cobc.args(OPTIONS).args(dialect.free.then_some("-free"));
    cobc.arg(if dialect.ascii_signs { "-fsign=ASCII" } else { "-fsign=EBCDIC" });
    cobc.args(["-o", "batch", "batch.cob"]);
    cobc.current_dir(folder).env("LC_ALL", "C");
    compile(&mut cobc)?;
    let output = execute(folder, RUN_TIME_MAX)?;
    let mut bytes = output.as_slice();
    let found = records.iter().map(|record| {
        let frames = program::frames(record).into_iter();
        frames.map(|frame| Some((frame, take_frame(&mut bytes)?))).collect::<Option<Vec<_>>>()
    });
    let found: Option<Vec<_>> = found.collect();
    found
        .filter(|_| bytes.is_empty())
        .ok_or_else(|| "the program's output is not what it should be".to_owned())
}

fn take_frame(bytes: &mut &[u8]) -> Option<Vec<u8>> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let length = usize::try_from(i32::from_le_bytes(*length)).ok()?;
    let (frame, rest) = rest.split_at_checked(length)?;
    *bytes = rest;
    Some(frame.to_vec())
}

/// The output of the program of a batch. It is killed if it does not end.
fn execute(folder: &Path, time_max: Duration) -> Result<Vec<u8>, String> {
    let path = folder.join("batch.out");
    let describe = |error: std::io::Error| format!("{}: {error}", path.display());
    let file = File::create(&path).map_err(describe)?;
    let mut command = Command::new(folder.join("batch"));
    command.current_dir(folder).stdin(Stdio::null()).stdout(file).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| format!("the program did not start: {error}"))?;
    let begin = Instant::now();
    let status = loop {
        match child.try_wait().map_err(describe)? {
            Some(status) => break status,
            None if begin.elapsed() > time_max => {
                child.kill().and_then(|()| child.wait().map(drop)).map_err(describe)?;
                return Err(format!("the program did not end within {} s", time_max.as_secs()));
            }
            None => std::thread::sleep(POLL_INTERVAL),
        }
    };
    if !status.success() {
        return Err(format!("the program failed, {status}"));
    }
    fs::read(&path).map_err(describe)
}

/// Runs the compiler.
fn compile(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("cobc did not start: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said: Vec<&str> = said.lines().filter(|line| line.contains("error")).take(5).collect();
    Err(format!("cobc failed, {}: {}", output.status, said.join("; ")))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::time::Duration;

    use super::{execute, supported, take_frame, version_of};

    #[test]
    fn a_missing_compiler_is_named_with_its_package() {
        let message = version_of("no-such-cobc").unwrap_err();
        assert!(message.starts_with("cobc is missing: apt-get install gnucobol3"), "{message}");
    }

    #[test]
    fn programs_that_fail_or_do_not_end_are_no_results() {
        let folder = std::env::temp_dir().join(format!("gantry-gnucobol-test-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let run = |script: &str, time_max| {
            // Beside the old one, which may still be open as a running program.
            fs::write(folder.join("new"), format!("#!/bin/sh\n{script}\n")).unwrap();
            fs::set_permissions(folder.join("new"), fs::Permissions::from_mode(0o700)).unwrap();
            fs::rename(folder.join("new"), folder.join("batch")).unwrap();
            execute(&folder, time_max)
        };
        assert_eq!(run("printf ab", Duration::from_secs(60)), Ok(b"ab".to_vec()));
        let failed = run("exit 3", Duration::from_secs(60)).unwrap_err();
        assert_eq!(failed, "the program failed, exit status: 3");
        let endless = run("exec sleep 60", Duration::ZERO).unwrap_err();
        assert_eq!(endless, "the program did not end within 0 s");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn only_releases_of_3_are_taken() {
        assert!(supported("cobc (GnuCOBOL) 3.1.2.0").is_ok());
        let refused = supported("cobc (GnuCOBOL) 4.0-early-dev.0").unwrap_err();
        assert!(
            refused.contains("stale snapshots") && refused.contains("apt-get install gnucobol3"),
            "{refused}"
        );
        assert!(supported("").is_err());
    }

    #[test]
    fn frames_that_are_cut_are_none() {
        let mut bytes: &[u8] = &[2, 0, 0, 0, 7, 8, 1, 0, 0, 0];
        assert_eq!(take_frame(&mut bytes), Some(vec![7, 8]));
        assert_eq!(take_frame(&mut bytes), None);
        assert_eq!(take_frame(&mut [255u8, 255, 255, 255, 0].as_slice()), None);
    }
}
