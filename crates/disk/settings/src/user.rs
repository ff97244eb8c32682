//! Folders of the user who runs the gateway: for state and for what is kept to save work.

use std::path::PathBuf;

/// A folder of the user's: that of a variable of the XDG Base Directory Specification, or its default below the home folder.
#[must_use]
pub fn user_folder(variable: &str, below_home: &str) -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    folder(variable).or_else(|| Some(folder("HOME")?.join(below_home)))
}
