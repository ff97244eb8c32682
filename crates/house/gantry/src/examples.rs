//! The examples in the binary. They come from the repository's `examples` folder.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use rust_embed::Embed;
use settings::Files;

#[derive(Embed)]
#[folder = "../../../examples"]
struct Embedded;

/// The part of an example that needs GnuCOBOL. Its files are added to the others, or to the end of
/// a file of the same name.
const WITH_COBOL: &str = "with-cobol/";

/// The files of an example. Without GnuCOBOL, files that need it are left out.
///
/// # Errors
/// The example does not exist. The text has the names of the existing ones.
pub(crate) fn files(name: &str) -> Result<Files, String> {
    Ok(Files::Example(name.to_owned(), Arc::new(bytes(name)?)))
}

fn bytes(name: &str) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let prefix = format!("{name}/");
    let file = |path: std::borrow::Cow<'static, str>| {
        Some((path.strip_prefix(&prefix)?.to_owned(), Embedded::get(&path)?.data.into_owned()))
    };
    let mut files: BTreeMap<_, _> = Embedded::iter().filter_map(file).collect();
    if files.is_empty() {
        return Err(format!("there is no example '{name}'; known: {}", names().join(", ")));
    }
    let with_cobol: Vec<_> =
        files.extract_if(WITH_COBOL.to_owned().., |path, _| path.starts_with(WITH_COBOL)).collect();
    if !with_cobol.is_empty() && compiling::is_installed() {
        for (path, bytes) in with_cobol {
            files.entry(path[WITH_COBOL.len()..].to_owned()).or_default().extend(bytes);
        }
    }
    Ok(files)
}

/// The names of the examples in the binary.
pub(crate) fn names() -> Vec<String> {
    let mut names: Vec<String> =
        Embedded::iter().filter_map(|path| path.split_once('/').map(|(name, _)| name.to_owned())).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// All examples, one a line: the name, and the first line of its gantry.toml.
pub(crate) fn list() -> String {
    let names = names();
    let width = names.iter().map(String::len).max().unwrap_or(0);
    let line = |name: &String| {
        let file = Embedded::get(&format!("{name}/gantry.toml")).map(|file| file.data.into_owned());
        let text = String::from_utf8(file.unwrap_or_default()).unwrap_or_default();
        let about = text.lines().next().unwrap_or_default().trim_start_matches("# ").to_owned();
        format!("{name:width$}  {about}\n")
    };
    names.iter().map(line).collect()
}

/// Writes all files of an example into a new or empty folder. Gives their number.
///
/// # Errors
/// The example does not exist, or the folder is not empty or cannot be written.
pub(crate) fn copy(name: &str, target: &Path) -> Result<usize, String> {
    write(&bytes(name)?, target).map(|written| written.len())
}

/// The file that keeps other files out of Git.
const IGNORED_FILE: &str = ".gitignore";
/// The files that the gateway writes into its folder, and files with secrets, by the names that the guides use.
const IGNORED: &str = "\
# The store and other files that the gateway writes.
/.gantry/
# Keys and passwords.
/secrets/
*.key
*.password
*.pem
";
/// The folder of Git. A folder that has nothing else counts as empty.
const GIT_FOLDER: &str = ".git";

/// Checks that a folder is new or empty.
///
/// # Errors
/// It is not, or cannot be read.
pub(crate) fn check_empty(target: &Path) -> Result<(), String> {
    let describe = |error: io::Error| format!("{}: {error}", target.display());
    if !target.exists() {
        return Ok(());
    }
    for entry in std::fs::read_dir(target).map_err(describe)? {
        if entry.map_err(describe)?.file_name() != GIT_FOLDER {
            return Err(format!("{} is not empty: name a new or an empty folder", target.display()));
        }
    }
    Ok(())
}

/// Writes files into a new or empty folder, with a `.gitignore`. Gives the paths of all files.
///
/// # Errors
/// The folder is not empty or cannot be written.
pub(crate) fn write(files: &BTreeMap<String, Vec<u8>>, target: &Path) -> Result<Vec<String>, String> {
    check_empty(target)?;
    let ignored = (!files.contains_key(IGNORED_FILE)).then_some((IGNORED_FILE, IGNORED.as_bytes()));
    let files = files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()));
    let mut written = Vec::new();
    for (path, bytes) in ignored.into_iter().chain(files) {
        let to = target.join(path);
        let describe = |at: &Path, error: io::Error| format!("{}: {error}", at.display());
        if let Some(folder) = to.parent() {
            std::fs::create_dir_all(folder).map_err(|error| describe(folder, error))?;
        }
        std::fs::write(&to, bytes).map_err(|error| describe(&to, error))?;
        written.push(path.to_owned());
    }
    Ok(written)
}
