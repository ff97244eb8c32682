//! Names of queues and queue managers: up to 48 characters of a small set.

use std::fmt;
use std::sync::Arc;

/// The most characters of a name.
pub const NAME_CHARACTERS_MAX: usize = 48;

/// A text that cannot be a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameError {
    /// No characters.
    Empty,
    /// Too many characters: this number.
    Long(usize),
    /// A character that names must not have.
    Character(char),
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("expected 1 to 48 characters, found none"),
            Self::Long(found) => write!(f, "expected at most 48 characters, found {found}"),
            Self::Character(found) => {
                write!(f, "expected letters without accents, digits and ./_% only, found {found:?}")
            }
        }
    }
}

impl std::error::Error for NameError {}

fn check(text: &str) -> Result<(), NameError> {
    let allowed = |found: char| found.is_ascii_alphanumeric() || matches!(found, '.' | '/' | '_' | '%');
    if let Some(found) = text.chars().find(|&found| !allowed(found)) {
        return Err(NameError::Character(found));
    }
    match text.len() {
        0 => Err(NameError::Empty),
        1..=NAME_CHARACTERS_MAX => Ok(()),
        length => Err(NameError::Long(length)),
    }
}

macro_rules! name {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Makes a name from a text. Case matters.
            ///
            /// # Errors
            /// The text is empty, too long, or has characters that names must not have.
            pub fn new(text: &str) -> Result<Self, NameError> {
                check(text).map(|()| Self(text.into()))
            }

            /// The name as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl std::str::FromStr for $name {
            type Err = NameError;

            fn from_str(text: &str) -> Result<Self, NameError> {
                Self::new(text)
            }
        }
    };
}

name! {
    /// The name of a queue. Copies share its characters.
    QueueName
}

name! {
    /// The name of a queue manager. Copies share its characters.
    ManagerName
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_characters_of_ibm_mq() {
        for good in ["DEV.QUEUE.1", "a", "A/b_%9", &"Q".repeat(48)] {
            assert_eq!(QueueName::new(good).unwrap().as_str(), good);
        }
        assert_eq!(QueueName::new(""), Err(NameError::Empty));
        assert_eq!(QueueName::new(&"Q".repeat(49)), Err(NameError::Long(49)));
        for (bad, found) in [("A B", ' '), ("A-B", '-'), ("Ä", 'Ä'), ("A\0", '\0'), ("A*", '*')] {
            assert_eq!(QueueName::new(bad), Err(NameError::Character(found)));
        }
    }
}
