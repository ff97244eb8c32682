//! The differential test against GnuCOBOL: generated records, written by COBOL programs and by our binds.
//!
//! Each record becomes a copybook and a program that has the compiler say where fields lie, moves values, and writes
//! the bytes; we lay the copybook out, encode the same values as JSON, and read the bytes back. Deliberate
//! differences are not in the generated records; docs/reference/gnucobol.md lists them.

mod compare;
mod compiler;
mod dice;
mod entry;
mod make;
mod picture;
mod program;
mod shrink;
mod text;
mod values;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use compiler::{Dialect, Outcome};
use entry::Record;

/// Records of one compilation: more take longer than two halves, as the compiler is not linear.
const BATCH_RECORDS: usize = 50;

/// Records that are compared unless said otherwise.
const COUNT_DEFAULT: usize = 500;

const SEED_DEFAULT: u64 = 1;

/// Differences that are made smaller and shown in full unless said otherwise; the others get a line.
const SHOWN_DEFAULT: usize = 3;

/// How the message of a record begins that the compiler, or its program, does not take.
const REFUSED: &str = "GnuCOBOL: ";

/// The choices of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Choices {
    seed: u64,
    count: usize,
    /// Only this record.
    only: Option<usize>,
    /// See [`SHOWN_DEFAULT`].
    shown: usize,
}

/// Runs the comparison; `arguments` are `--seed N`, `--count N`, `--only ID` and `--show N`.
///
/// # Errors
/// cobc is missing or is not the one that is meant, or there are differences; they are printed.
pub(crate) fn run(arguments: &[&str]) -> Result<(), String> {
    let choices = choices(arguments)?;
    let version = compiler::version()?;
    let folder = std::env::temp_dir().join(format!("gantry-gnucobol-{}", std::process::id()));
    let result = compare_all(&folder, choices, &version);
    // A run that ended badly leaves a folder with its process number, so no other run meets it.
    let _ = fs::remove_dir_all(&folder);
    result
}

fn choices(arguments: &[&str]) -> Result<Choices, String> {
    let mut choices = Choices { seed: SEED_DEFAULT, count: COUNT_DEFAULT, only: None, shown: SHOWN_DEFAULT };
    let mut rest = arguments.iter();
    while let Some(option) = rest.next() {
        let number = rest.next().and_then(|value| value.parse::<u64>().ok());
        let number = number.ok_or_else(|| format!("expected a number after {option}"))?;
        match *option {
            "--seed" => choices.seed = number,
            "--count" => choices.count = number as usize,
            "--only" => choices.only = Some(number as usize),
            "--show" => choices.shown = number as usize,
            _ => return Err(format!("expected --seed, --count, --only or --show, found {option}")),
        }
    }
    Ok(choices)
}

/// A record that differs.
struct Failure {
    record: Record,
    dialect: Dialect,
    message: String,
}

fn compare_all(folder: &Path, choices: Choices, version: &str) -> Result<(), String> {
    let begin = Instant::now();
    let ids: Vec<usize> = choices.only.map_or_else(|| (0..choices.count).collect(), |id| vec![id]);
    let batches: Vec<&[usize]> = ids.chunks(BATCH_RECORDS).collect();
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(2, usize::from).min(batches.len().max(1));
    let workers: Result<Vec<PathBuf>, String> =
        (0..threads).map(|worker| make_folder(folder, worker)).collect();
    std::thread::scope(|scope| {
        for folder in workers.as_ref().map_or(&[][..], Vec::as_slice) {
            let (next, failures, batches) = (&next, &failures, &batches);
            scope.spawn(move || {
                while let Some(ids) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = compare_batch(folder, choices.seed, ids);
                    failures.lock().unwrap_or_else(std::sync::PoisonError::into_inner).extend(found);
                }
            });
        }
    });
    let folder = workers?.remove(0);
    let mut failures = failures.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    failures.sort_by_key(|failure: &Failure| failure.record.id);
    let count = failures.len();
    show(&folder, choices, failures);
    let seconds = begin.elapsed().as_secs_f64();
    println!(
        "gnucobol: {version}, seed {}, {} records, {count} differ, {seconds:.1} s",
        choices.seed,
        ids.len()
    );
    if count > 0 { Err(format!("{count} records differ from GnuCOBOL")) } else { Ok(()) }
}

fn make_folder(folder: &Path, worker: usize) -> Result<PathBuf, String> {
    let folder = folder.join(worker.to_string());
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

fn compare_batch(folder: &Path, seed: u64, ids: &[usize]) -> Vec<Failure> {
    let records: Vec<Record> = ids.iter().map(|id| make::record(seed, *id)).collect();
    // Every other batch is in free format, and one in five has GnuCOBOL's own signs.
    let batch = ids.first().map_or(0, |id| id / BATCH_RECORDS);
    let dialect = Dialect { free: batch % 2 == 1, ascii_signs: batch % 5 == 4 };
    let outcomes = compiler::run(folder, &records, dialect);
    let compared = records.into_iter().zip(outcomes);
    compared
        .filter_map(|(record, outcome)| {
            let message = verdict(&record, outcome, dialect).err()?;
            Some(Failure { record, dialect, message })
        })
        .collect()
}

/// The difference of a record.
fn verdict(record: &Record, outcome: Outcome, dialect: Dialect) -> Result<(), String> {
    let frames = outcome.map_err(|message| format!("{REFUSED}{message}"))?;
    compare::compare(record, &frames, dialect)
}

fn show(folder: &Path, choices: Choices, failures: Vec<Failure>) {
    let seed = choices.seed;
    for (number, Failure { record, dialect, message }) in failures.into_iter().enumerate() {
        let id = record.id;
        if number >= choices.shown {
            println!("record {id} of seed {seed}: {}", message.lines().next().unwrap_or_default());
            continue;
        }
        let (record, message) = shrink::shrink(folder, record, message, dialect);
        println!("record {id} of seed {seed} (--seed {seed} --only {id}), made smaller: {message}");
        println!("{}{}", record.special_names(), record.copybook());
        for statement in values::moves(&record, values::Set::Full).statements {
            println!("           {}", statement.join(" "));
        }
        println!();
    }
}

#[cfg(test)]
mod tests {
    use super::{Choices, choices};

    #[test]
    fn arguments() {
        let found = choices(&["--seed", "7", "--count", "20"]);
        assert_eq!(found, Ok(Choices { seed: 7, count: 20, only: None, shown: 3 }));
        assert_eq!(choices(&["--seed"]), Err("expected a number after --seed".to_owned()));
        assert!(choices(&["--sead", "7"]).is_err());
    }
}
