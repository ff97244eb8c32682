//! Folders of the user who runs the gateway: one for state, one for a cache.

use std::path::PathBuf;

/// A folder of the user. A variable of the XDG Base Directory Specification names it, or it has its default
/// place below the home folder.
#[must_use]
pub fn user_folder(variable: &str, below_home: &str) -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    folder(variable).or_else(|| Some(folder("HOME")?.join(below_home)))
}
