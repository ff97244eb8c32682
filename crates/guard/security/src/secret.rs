//! A value that must not be seen: in no log, no message and, once dropped, in no memory.

use std::fmt;

use zeroize::Zeroizing;

/// Bytes that `Debug` does not show, and that are overwritten when they are dropped. There is no `Display`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<Vec<u8>>);

impl Secret {
    /// Takes the bytes.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// Takes the text of a file or of an environment variable: one line end behind it is no part of the secret.
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

    /// The bytes themselves; the caller sees to it that they go nowhere else.
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
