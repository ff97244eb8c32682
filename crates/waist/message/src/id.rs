//! The ids of messages: 24 bytes that a queue manager makes, or that a caller brings.

use std::fmt;

/// Bytes of an id.
pub const ID_BYTES: usize = 24;

/// A text that is not an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdError {
    found_characters: usize,
}

impl fmt::Display for IdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.found_characters == ID_BYTES * 2 {
            return f.write_str("expected 48 hexadecimal digits, found other characters among them");
        }
        write!(f, "expected 48 hexadecimal digits, found {} characters", self.found_characters)
    }
}

impl std::error::Error for IdError {}

fn parse(text: &str) -> Result<[u8; ID_BYTES], IdError> {
    let fault = IdError { found_characters: text.chars().count() };
    let digits = text.as_bytes();
    if digits.len() != ID_BYTES * 2 {
        return Err(fault);
    }
    let mut id = [0; ID_BYTES];
    for (byte, pair) in id.iter_mut().zip(digits.chunks_exact(2)) {
        let digit = |digit: u8| char::from(digit).to_digit(16);
        let (Some(high), Some(low)) = (digit(pair[0]), digit(pair[1])) else { return Err(fault) };
        *byte = u8::try_from(high * 16 + low).expect("two digits are a byte");
    }
    Ok(id)
}

fn show(id: [u8; ID_BYTES], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    id.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub [u8; ID_BYTES]);

        impl $name {
            /// All zero: no id.
            pub const NONE: Self = Self([0; ID_BYTES]);

            /// True if all bytes are zero.
            #[must_use]
            pub fn is_none(self) -> bool {
                self == Self::NONE
            }

            /// The id of 48 hexadecimal digits of either case.
            ///
            /// # Errors
            /// The text has another length, or other characters.
            pub fn from_hex(text: &str) -> Result<Self, IdError> {
                parse(text).map(Self)
            }
        }

        /// 48 lower-case hexadecimal digits.
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                show(self.0, f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                show(self.0, f)
            }
        }
    };
}

id! {
    /// The id of one message. The queue manager makes one that no other message has, unless the caller brings one.
    MessageId
}

id! {
    /// The id that connects a message with others, such as a reply with its request. [`CorrelationId::NONE`]
    /// if there is no connection.
    CorrelationId
}

impl From<MessageId> for CorrelationId {
    /// The correlation id of a reply: the id of its request.
    fn from(id: MessageId) -> Self {
        Self(id.0)
    }
}

impl From<CorrelationId> for MessageId {
    fn from(id: CorrelationId) -> Self {
        Self(id.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_48_digits_of_either_case() {
        let text = "414d5120514d39202020202020202020c21e2a6201350140";
        let id = MessageId::from_hex(text).unwrap();
        assert_eq!((id.to_string().as_str(), &id.0[..8]), (text, b"AMQ QM9 ".as_slice()));
        assert_eq!(MessageId::from_hex(&text.to_uppercase()).unwrap(), id);
        assert!(MessageId::from_hex(&"0".repeat(48)).unwrap().is_none());
    }

    #[test]
    fn other_texts_are_no_ids() {
        let shown = |text: &str| CorrelationId::from_hex(text).unwrap_err().to_string();
        assert_eq!(shown("12"), "expected 48 hexadecimal digits, found 2 characters");
        assert_eq!(
            shown(&"x".repeat(48)),
            "expected 48 hexadecimal digits, found other characters among them"
        );
        assert_eq!(shown(&"é".repeat(24)), "expected 48 hexadecimal digits, found 24 characters");
        assert!(CorrelationId::from_hex(&"+1".repeat(24)).is_err());
    }
}
