//! `gantry soap scan` without a folder: a running gateway takes the new bind files of its pickup folders.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use administration::paths;
use clap::Args;
use http::Method;
use serde_json::Value;

use crate::asked::{Gateway, WORK_MAX};
use crate::shown::list;
use crate::{Place, Trouble, table};

/// Which configuration: that of a running gateway, or a folder.
#[derive(Debug, Args)]
pub struct ScanArgs {
    /// The configuration folder, for a scan without a gateway.
    #[arg(conflicts_with_all = ["admin", "user", "key_file"])]
    pub folder: Option<PathBuf>,
    #[command(flatten)]
    place: Place,
}

/// Sends the scan to the gateway, and prints the result for each file. Fails if a file is refused.
///
/// # Errors
/// The gateway was not reached, or the files cannot serve.
pub fn scan(args: &ScanArgs) -> Result<ExitCode, Trouble> {
    let answer = Gateway::at(&args.place, WORK_MAX)?.ask(Method::POST, paths::SCAN.to_owned(), None)?;
    let (text, refused) = told(&answer.value);
    let _ = std::io::stdout().write_all(text.as_bytes()).and_then(|()| std::io::stdout().flush());
    if refused > 0 {
        let files = if refused == 1 { "bind file" } else { "bind files" };
        return Err(Trouble::refused(format!("{refused} {files} refused")));
    }
    Ok(ExitCode::SUCCESS)
}

/// A line for each file, and the number of refused files.
fn told(answer: &Value) -> (String, usize) {
    let (mut text, mut refused) = (String::new(), 0);
    for file in list(answer, "files") {
        let of = |name: &str| table::visible(file[name].as_str().unwrap_or("-"));
        let faults: Vec<String> =
            list(file, "faults").iter().filter_map(Value::as_str).map(table::visible).collect();
        let why = if faults.is_empty() { String::new() } else { format!(": {}", faults.join("; ")) };
        refused += usize::from(file["outcome"] == "refused");
        text.push_str(&format!("{}: {}: {}{why}\n", of("pipeline"), of("file"), of("outcome")));
    }
    (text, refused)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_file_is_a_line() {
        let answer = json!({ "files": [
            { "pipeline": "p", "file": "A.wsbind", "outcome": "installed", "faults": [] },
            { "pipeline": "p", "file": "B.wsbind", "outcome": "refused", "faults": ["a\u{1b}b", "c"] },
        ] });
        let (text, refused) = told(&answer);
        assert_eq!(refused, 1);
        assert!(text.starts_with("p: A.wsbind: installed\np: B.wsbind: refused: a"), "{text}");
        assert!(!text.contains('\u{1b}') && text.ends_with("; c\n"), "{text}");
        assert_eq!(told(&json!({})), (String::new(), 0));
    }
}
