//! Fuzzing for a bounded time, with the stable compiler: what a change touches, or all targets.
//!
//! A target is touched by a change to its own file, or to a crate of ours that it names or that such a crate needs.
//! Targets are built with LLVM's coverage pass, which libFuzzer reads.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use crate::graph::{Graph, Kind, PLATFORM, Package, root};

/// How long all targets together run by default, in seconds.
const SECONDS: u64 = 300;

/// Below this a target finds nothing: it must read its corpus first. In seconds.
const SECONDS_OF_ONE_MIN: u64 = 5;

/// An input that takes longer than this is a failure. In seconds.
const INPUT_SECONDS_MAX: u64 = 20;

/// A target that takes more memory than this has failed. In MiB.
const MEMORY_MIB_MAX: u64 = 2_048;

/// The flags by which a binary reports to libFuzzer which code an input reached.
const COVERAGE: &[&str] = &[
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// The request of the command line.
struct Asked<'a> {
    seconds: u64,
    since: Option<&'a str>,
    targets: Vec<&'a str>,
}

/// Builds the targets and runs them, one for each core at a time.
///
/// # Errors
/// A target does not build, or fails; the text names the input that made it fail.
pub(crate) fn run(options: &[&str]) -> Result<(), String> {
    let asked = read(options)?;
    let all = targets()?;
    let chosen: Vec<String> = if asked.targets.is_empty() {
        touched(&all, asked.since)?
    } else {
        let unknown = asked.targets.iter().find(|name| !all.contains_key(**name));
        if let Some(name) = unknown {
            return Err(format!("there is no fuzz target {name}"));
        }
        asked.targets.iter().map(|name| (*name).to_owned()).collect()
    };
    if chosen.is_empty() {
        println!("fuzz: the change touches none of {} targets", all.len());
        return Ok(());
    }
    build(&chosen, &features(&chosen, &all)?)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let share = asked.seconds * cores as u64 / chosen.len() as u64;
    let time = Duration::from_secs(share.clamp(SECONDS_OF_ONE_MIN, asked.seconds.max(SECONDS_OF_ONE_MIN)));
    println!("fuzz: {} of {} targets, {} s each, {cores} at once", chosen.len(), all.len(), time.as_secs());
    let failures = run_all(chosen, cores, time);
    if failures.is_empty() { Ok(()) } else { Err(format!("fuzz:\n{}", failures.join("\n"))) }
}

fn read<'a>(options: &[&'a str]) -> Result<Asked<'a>, String> {
    let mut asked = Asked { seconds: SECONDS, since: None, targets: Vec::new() };
    let mut options = options.iter();
    while let Some(option) = options.next() {
        let mut value = || options.next().copied().ok_or_else(|| format!("{option} needs a value"));
        match *option {
            "--seconds" => {
                let text = value()?;
                asked.seconds = text.parse().map_err(|_| format!("--seconds: {text} is not a number"))?;
            }
            "--since" => asked.since = Some(value()?),
            name => asked.targets.push(name),
        }
    }
    Ok(asked)
}

/// One target.
struct Target {
    /// Its text, with those of the modules that it shares with others.
    text: String,
    /// The files that it is made of, from the root.
    files: Vec<PathBuf>,
}

/// Where targets and the modules that they share lie.
const TARGETS: &str = "fuzz/fuzz_targets";

/// The targets by name.
fn targets() -> Result<BTreeMap<String, Target>, String> {
    let (targets, modules): (Vec<_>, Vec<_>) =
        sources()?.into_iter().partition(|(_, text)| text.contains("fuzz_target!"));
    let file = |name: &str| PathBuf::from(format!("{TARGETS}/{name}.rs"));
    let target = |(name, text): (String, String)| {
        let mut target = Target { text, files: vec![file(&name)] };
        for (module, text) in &modules {
            if target.text.contains(&format!("mod {module};")) {
                target.text.push_str(text);
                target.files.push(file(module));
            }
        }
        (name, target)
    };
    Ok(targets.into_iter().map(target).collect())
}

/// The names and texts of the files of targets.
fn sources() -> Result<BTreeMap<String, String>, String> {
    let folder = root().join(TARGETS);
    let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut found = BTreeMap::new();
    for entry in entries.flatten() {
        let path = entry.path();
        let Some(name) = path.file_stem().and_then(|name| name.to_str()) else { continue };
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        found.insert(name.to_owned(), text);
    }
    Ok(found)
}

/// The names of the targets that a change touches: since a commit, or since the last commit of the main branch. All of them
/// if the commit is not here.
fn touched(all: &BTreeMap<String, Target>, since: Option<&str>) -> Result<Vec<String>, String> {
    let Some((base, files)) = changed_files(since)? else {
        println!("fuzz: there is no earlier commit to compare with; all targets run");
        return Ok(all.keys().cloned().collect());
    };
    println!("fuzz: {} files differ from {base}", files.len());
    let graph = Graph::read()?;
    let changed: BTreeSet<&str> =
        graph.members().filter(|(_, package)| has_changed(package, &files)).map(|(id, _)| id).collect();
    let is_touched = |target: &Target| {
        let named =
            graph.members().filter(|(_, package)| names(&target.text, &package.name)).map(|(id, _)| id);
        let named: BTreeSet<&str> = named.collect();
        let needed = graph.reached(named.iter().copied(), |_, kind| kind == Kind::Normal);
        target.files.iter().any(|file| files.contains(file))
            || changed.iter().any(|id| named.contains(id) || needed.contains(id))
    };
    Ok(all.iter().filter(|(_, target)| is_touched(target)).map(|(name, _)| name.clone()).collect())
}

/// The commit to compare with, and the files that differ from it; none if the commit is not here.
fn changed_files(since: Option<&str>) -> Result<Option<(String, BTreeSet<PathBuf>)>, String> {
    let known = |commit: &str| git(&["rev-parse", "--short", "--verify", "--quiet", commit]).ok();
    let head = known("HEAD");
    let base = match since {
        Some(commit) => Some(known(commit).ok_or_else(|| format!("--since: there is no commit {commit}"))?),
        None => known("origin/main").filter(|base| Some(base) != head.as_ref()).or_else(|| known("HEAD~1")),
    };
    let Some(base) = base else { return Ok(None) };
    let files = git(&["diff", "--name-only", &base])?;
    Ok(Some((base, files.lines().map(PathBuf::from).collect())))
}

fn git(arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("git").args(arguments).current_dir(root()).output();
    let output = output.map_err(|error| format!("git: {error}"))?;
    if !output.status.success() {
        return Err(format!(
            "git {}: {}",
            arguments.join(" "),
            String::from_utf8_lossy(&output.stderr).trim()
        ));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// A source file of the package differs, not only its tests.
fn has_changed(package: &Package, files: &BTreeSet<PathBuf>) -> bool {
    let Ok(folder) = package.folder.strip_prefix(root()) else { return false };
    files.iter().any(|file| file.starts_with(folder.join("src")))
}

/// Whether a source text names a crate: `name::` after something that ends no word.
fn names(text: &str, name: &str) -> bool {
    let path = format!("{}::", name.replace('-', "_"));
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
    text.match_indices(&path).any(|(at, _)| !text[..at].ends_with(is_word))
}

fn folder() -> PathBuf {
    root().join("target/fuzz")
}

/// The crates that the fuzz crate has as optional dependencies and that these targets name.
fn features(targets: &[String], all: &BTreeMap<String, Target>) -> Result<Vec<String>, String> {
    let path = root().join("fuzz/Cargo.toml");
    let manifest = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let optional = manifest.lines().filter(|line| line.contains("optional = true"));
    let optional = optional.filter_map(|line| line.split(" = ").next());
    let is_named = |name: &&str| {
        targets.iter().any(|target| all.get(target).is_some_and(|found| names(&found.text, name)))
    };
    Ok(optional.filter(is_named).map(str::to_owned).collect())
}

fn build(targets: &[String], features: &[String]) -> Result<(), String> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args([
        "build",
        "--locked",
        "--profile",
        "fuzz",
        "--target",
        PLATFORM,
        "--manifest-path",
        "fuzz/Cargo.toml",
    ]);
    for target in targets {
        cargo.args(["--bin", target]);
    }
    if !features.is_empty() {
        cargo.args(["--features", &features.join(",")]);
    }
    let status = cargo
        .arg("--target-dir")
        .arg(folder())
        .env("CARGO_ENCODED_RUSTFLAGS", COVERAGE.join("\u{1f}"))
        .current_dir(root())
        .status()
        .map_err(|error| format!("cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err("the fuzz targets do not build".to_owned()) }
}

/// Runs all targets; what became of each that failed.
fn run_all(targets: Vec<String>, at_once: usize, time: Duration) -> Vec<String> {
    let left = Mutex::new(VecDeque::from(targets));
    let failures = Mutex::new(Vec::new());
    let next = || left.lock().ok()?.pop_front();
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                while let Some(target) = next() {
                    match run_one(&target, time) {
                        Ok(runs) => println!("fuzz: {target}: {runs}"),
                        Err(failure) => {
                            if let Ok(mut failures) = failures.lock() {
                                failures.push(failure);
                            }
                        }
                    }
                }
            });
        }
    });
    failures.into_inner().unwrap_or_default()
}

/// Runs one target; the line with which libFuzzer says how many inputs it tried.
fn run_one(target: &str, time: Duration) -> Result<String, String> {
    let [corpus, failures] = [folder().join("corpus").join(target), folder().join("failures")];
    for folder in [&corpus, &failures] {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let output = Command::new(folder().join(PLATFORM).join("fuzz").join(target))
        .arg(format!("-max_total_time={}", time.as_secs()))
        .arg(format!("-timeout={INPUT_SECONDS_MAX}"))
        .arg(format!("-rss_limit_mb={MEMORY_MIB_MAX}"))
        .arg(format!("-artifact_prefix={}", failures.join(format!("{target}-")).display()))
        .arg(&corpus)
        .output()
        .map_err(|error| format!("{target}: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        let done = said.lines().rev().find(|line| line.starts_with("Done "));
        return done
            .map(str::to_owned)
            .ok_or_else(|| format!("{target}: libFuzzer did not say how it ended"));
    }
    let lines: Vec<&str> = said.lines().collect();
    let last = lines[lines.len().saturating_sub(40)..].join("\n  ");
    Err(format!("{target} failed ({}):\n  {last}", output.status))
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_target_names_its_crates() {
        let text = "use record::{Bind};\nlet _ = crate::channel::x(); my_api::y(); xml::record::z();";
        assert!(names(text, "record"));
        assert!(!names(text, "channel") && !names(text, "api"));
        assert!(names(text, "my-api"));
    }
}
