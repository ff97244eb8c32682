//! Secrets in a configuration: the place of each secret, never its value.

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
    /// The text that the file or the variable has. The caller turns it at once into a secret that cannot be
    /// shown.
    ///
    /// # Errors
    /// The file or the variable does not exist, or the section names none or both. The error is a text for
    /// people.
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
