//! Secrets in a configuration: where they are, never what they are.

use serde::Deserialize;

use crate::files::Files;

/// A value from a file or the environment.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecretSection {
    file: Option<String>,
    env: Option<String>,
}

impl SecretSection {
    /// The text that the file or the variable has. The caller makes a secret of it at once, which cannot be shown.
    ///
    /// # Errors
    /// The file or the variable is not there, or the section names none or both: the reason for people.
    pub fn text(&self, files: &Files) -> Result<String, String> {
        match (&self.file, &self.env) {
            (Some(file), None) => {
                files.read(file).map_err(|error| format!("{}: {error}", files.display(file)))
            }
            (None, Some(name)) => {
                std::env::var(name).map_err(|_| format!("the environment has no variable {name} in UTF-8"))
            }
            _ => Err("a secret is { file = \"...\" } or { env = \"...\" }".to_owned()),
        }
    }
}
