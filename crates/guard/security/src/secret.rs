//! A value that must stay secret: it appears in no log and no message, and its memory is
//! overwritten after use.

use std::fmt;

use zeroize::Zeroizing;

/// Secret bytes. `Debug` does not show them, and the drop overwrites them. There is no `Display`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<Vec<u8>>);

impl Secret {
    /// Takes the bytes.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// Takes the text of a file or of an environment variable. One line end behind it does not
    /// belong to the secret.
    #[must_use]
    pub fn from_text(text: String) -> Self {
        let mut bytes = text.into_bytes();
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
            if bytes.last() == Some(&b'\r') {
                bytes.pop();
            }
        }
        Self::new(bytes)
    }

    /// The bytes themselves. The caller must not pass them on.
    #[must_use]
    pub fn expose(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_it_is_shown() {
        let secret = Secret::from_text("hunter2\r\n".to_owned());
        assert_eq!(format!("{secret:?} {:#?}", Some(&secret)), "Secret Some(\n    Secret,\n)");
        assert_eq!(secret.expose(), b"hunter2");
        assert_eq!(Secret::from_text("two\n\n".to_owned()).expose(), b"two\n");
    }
}
