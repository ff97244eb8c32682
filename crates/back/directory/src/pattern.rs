//! Patterns of filters and names, in which a caller's words stand escaped.

use std::borrow::Cow;

/// Where a pattern is used, which decides what is escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escape {
    /// In a search filter (RFC 4515, section 3).
    Filter,
    /// In a distinguished name (RFC 4514, section 2.4).
    Name,
}

/// Text with places for one word: `(uid={user})`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The text around the places; one piece more than places.
    pieces: Vec<String>,
    escape: Escape,
}

impl Pattern {
    /// Reads a pattern, in which `{word}` stands once at least and no other brace does.
    ///
    /// # Errors
    /// The fault of the pattern.
    pub fn parse(text: &str, word: &str, escape: Escape) -> Result<Self, String> {
        let pieces: Vec<String> = text.split(&format!("{{{word}}}")).map(str::to_owned).collect();
        if pieces.len() < 2 {
            return Err(format!("'{text}' does not have {{{word}}} in it"));
        }
        if pieces.iter().any(|piece| piece.contains(['{', '}'])) {
            return Err(format!("'{text}' has other braces than those of {{{word}}}"));
        }
        let pattern = Self { pieces, escape };
        if escape == Escape::Filter && ldap3::parse_filter(pattern.fill("x")).is_err() {
            return Err(format!("'{text}' is not a search filter (RFC 4515), such as (uid={{{word}}})"));
        }
        Ok(pattern)
    }

    /// The text with this word, whatever it holds.
    #[must_use]
    pub fn fill(&self, word: &str) -> String {
        let word: Cow<'_, str> = match self.escape {
            Escape::Filter => ldap3::ldap_escape(word),
            Escape::Name => ldap3::dn_escape(word),
        };
        self.pieces.join(&word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_strangers_stay_words() {
        let filter =
            Pattern::parse("(&(objectClass=person)(uid={user}))", "user", Escape::Filter).expect("ok");
        assert_eq!(filter.fill("mary"), "(&(objectClass=person)(uid=mary))");
        assert_eq!(filter.fill("*"), r"(&(objectClass=person)(uid=\2a))");
        assert_eq!(filter.fill("x)(uid=*"), r"(&(objectClass=person)(uid=x\29\28uid=\2a))");
        assert_eq!(filter.fill("a\\2a\0"), r"(&(objectClass=person)(uid=a\5c2a\00))");
        let name = Pattern::parse("uid={user},ou=people,dc=test", "user", Escape::Name).expect("ok");
        assert_eq!(name.fill("mary"), "uid=mary,ou=people,dc=test");
        assert_eq!(name.fill("x,ou=admins"), r"uid=x\2cou\3dadmins,ou=people,dc=test");
        assert_eq!(name.fill(" #a "), r"uid=\20#a\20,ou=people,dc=test");
        assert_eq!(name.fill("a+b=\"c\";<d>"), r"uid=a\2bb\3d\22c\22\3b\3cd\3e,ou=people,dc=test");
    }

    #[test]
    fn patterns_that_cannot_be_used() {
        for (text, part) in [
            ("(uid=mary)", "{user}"),
            ("(uid={user}{other})", "other braces"),
            ("(uid={user}", "not a search filter"),
            ("uid={user})(x=y", "not a search filter"),
        ] {
            let error = Pattern::parse(text, "user", Escape::Filter).expect_err(text);
            assert!(error.contains(part), "{error}");
        }
    }
}
