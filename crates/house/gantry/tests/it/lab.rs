//! Tests `gantry lab` with its own servers: it starts and measures them, and leaves none behind.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// Counts the processes that were started in a folder.
fn processes_of(folder: &Path) -> usize {
    let entries = fs::read_dir("/proc").expect("/proc").flatten();
    let folder = folder.display().to_string();
    let names = |entry: &fs::DirEntry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let text = String::from_utf8_lossy(&line).into_owned();
        text.contains(&folder) && text.contains("serve")
    };
    entries.filter(names).count()
}

fn lab(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gantry"));
    command.args(["lab", "run"]).args(words).arg("--output").arg(folder.join("results")).arg("--unpinned");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn a_shipped_experiment_runs_to_its_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = ["simple", "--rounds", "1", "--duration-s", "0.3", "--warmup-s", "0"];
    let output = lab(folder.path(), &words).output().expect("it runs");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
    assert!(
        told.lines().last().is_some_and(|line| line.starts_with("simple: measured 4 of 4; results in ")),
        "{told}"
    );
    let result = fs::read_to_string(folder.path().join("results/result.jsonl")).expect("a result");
    let valid = result.lines().filter(|line| line.contains("\"void\":null")).collect::<Vec<_>>();
    assert!(
        valid.len() == 4 && valid.iter().all(|line| line.contains("\"cpu_us_per_request\":")),
        "{result}"
    );
    assert!(result.lines().last().is_some_and(|line| line.contains("\"complete\":true")));
    assert_eq!(processes_of(folder.path()), 0);
}

#[test]
fn a_stopped_run_keeps_its_lines_and_ends_its_servers() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = lab(folder.path(), &["simple", "--duration-s", "600"]).spawn().expect("it runs");
    let result = folder.path().join("results/result.jsonl");
    while fs::read_to_string(&result).unwrap_or_default().matches("\"kind\":\"target\"").count() < 4 {
        assert!(child.try_wait().expect("a child").is_none(), "it ended early");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(processes_of(folder.path()), 1);
    kill_process(Pid::from_child(&child), Signal::INT).expect("it is there");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(processes_of(folder.path()), 0);
    let lines = fs::read_to_string(&result).expect("a result");
    assert!(lines.lines().last().is_some_and(|line| line.contains("\"complete\":false")));
}
