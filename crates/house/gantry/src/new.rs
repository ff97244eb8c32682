//! `gantry new`: checks the files of the crate `scaffold` as a configuration, and then writes them.

use std::sync::Arc;

use scaffold::{Limits, NewArgs, NewService, Scaffold, ServiceArgs};
use settings::{Files, Problems, Severity};
use terminal::count;

use crate::examples;
use configuration::load;

/// Makes a configuration folder. Nothing is written if it would have faults.
///
/// # Errors
/// Nothing was written, with the reason.
pub(crate) fn run(args: &NewArgs) -> Result<(), String> {
    let Scaffold { folder, files, picked_up, lacks, next } =
        scaffold::run(args, Limits { record_max_bytes: gateway::Limits::default().record_max_bytes })?;
    // Programs may take minutes to compile. A folder that is not empty is found before that.
    examples::check_empty(&folder)?;
    let mut served = files.clone();
    for (path, shelf) in picked_up {
        served.insert(shelf, files.get(&path).cloned().unwrap_or_default());
    }
    let shown = folder.display().to_string();
    let faults = |number: usize| Err(not_written(number));
    // Files in memory are shown like an example, but these belong to a future folder.
    let tell = |problems: &Problems| {
        let text = problems.lines();
        let is_told = problems.error_count() + problems.faulty_part_count() > 0 || !terminal::is_quiet();
        if !text.is_empty() && is_told {
            eprintln!("{}", text.replace(&format!("examples/{shown}/"), &format!("{shown}/")));
        }
    };
    match load(&Files::Example(shown.clone(), Arc::new(served))) {
        Ok(settings) => {
            tell(&settings.warnings);
            if settings.warnings.faulty_part_count() > 0 {
                return faults(settings.warnings.faulty_part_count());
            }
        }
        Err(problems) => {
            tell(&problems);
            return faults(problems.error_count());
        }
    }
    for path in examples::write(&files, &folder)? {
        aside!("wrote {}", folder.join(path).display());
    }
    let (title, lacks) = lacks;
    if !lacks.is_empty() {
        println!("\n{title}:");
        for line in lacks {
            println!("  {line}");
        }
    }
    aside!("\nnext:");
    for line in next {
        aside!("  {}", terminal::to_paste(&line));
    }
    Ok(())
}

/// The faults stand in files that would have been written.
fn not_written(faults: usize) -> String {
    format!("{} in files that would be made; nothing was written", count(faults, "fault"))
}

/// Tells the problems of a new service and its program. All else that the folder has is left to `gantry check`.
///
/// # Errors
/// The program has faults, so it would not run.
fn check_own(problems: &Problems, is_own: impl Fn(&str) -> bool) -> Result<(), String> {
    let own = problems.all().iter().filter(|problem| is_own(&problem.file));
    let (faults, warnings): (Vec<_>, Vec<_>) = own.partition(|problem| problem.severity != Severity::Warning);
    for problem in &faults {
        eprintln!("{}: {}", problems.place_of(problem), problem.message);
    }
    for problem in warnings {
        remark!("{}: {} (warning)", problems.place_of(problem), problem.message);
    }
    match faults.len() {
        0 => Ok(()),
        some => Err(format!("{} in the program; nothing was written", count(some, "fault"))),
    }
}

/// Makes the service of a program in a configuration folder. Nothing is written if the folder would
/// have faults.
///
/// # Errors
/// Nothing was written, with the reason.
pub(crate) fn service(args: &ServiceArgs) -> Result<(), String> {
    // The check of the folder knows its own limits.
    let NewService { scaffold, needs, source } =
        scaffold::service(args, Limits { record_max_bytes: usize::MAX })?;
    let Scaffold { folder, files, next, lacks: (title, api), .. } = scaffold;
    let shown = |path: &str| folder.join(path).display().to_string();
    let texts = files
        .iter()
        .map(|(path, bytes)| (path.clone(), (String::from_utf8_lossy(bytes).into_owned(), shown(path))));
    let base = Box::new(Files::at(&folder));
    match load(&Files::Packaged { base, texts: Arc::new(texts.collect()) }) {
        Ok(settings) => check_own(&settings.warnings, |file| {
            file == shown(&source) || files.keys().any(|own| file == shown(own))
        })?,
        Err(problems) => {
            eprintln!("{}", problems.lines());
            return Err(not_written(problems.error_count()));
        }
    }
    for (path, bytes) in &files {
        let to = folder.join(path);
        let describe = |error: std::io::Error| format!("{}: {error}", to.display());
        if let Some(parent) = to.parent() {
            std::fs::create_dir_all(parent).map_err(describe)?;
        }
        std::fs::write(&to, bytes).map_err(describe)?;
        aside!("wrote {}", shown(path));
    }
    if !needs.is_empty() {
        println!("\nthe program also needs:");
        needs.iter().for_each(|line| println!("{}", format!("  {line}").trim_end()));
    }
    aside!("\nnext:");
    for line in next {
        aside!("  {}", terminal::to_paste(&line));
    }
    if !api.is_empty() {
        aside!("\n{title}:");
    }
    for line in api {
        aside!("{}", format!("  {line}").trim_end());
    }
    Ok(())
}
