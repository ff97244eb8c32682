//! Names of character sets in HTTP, programs and packages, and their encodings.

use crate::Encoding;

/// Names that do not have their CCSID in them: the names of IANA's registry, and short ones that people
/// write.
const NAMES: [(&str, u16); 33] = [
    ("UTF-8", 1208),
    ("UTF8", 1208),
    ("UTF-16", 1200),
    ("UTF-16BE", 1200),
    ("UTF-16LE", 1202),
    ("US-ASCII", 367),
    ("ASCII", 367),
    ("ISO-8859-1", 819),
    ("ISO-8859-2", 912),
    ("ISO-8859-3", 913),
    ("ISO-8859-4", 914),
    ("ISO-8859-5", 915),
    ("ISO-8859-6", 1089),
    ("ISO-8859-7", 813),
    ("ISO-8859-8", 916),
    ("ISO-8859-9", 920),
    ("ISO-8859-13", 921),
    ("ISO-8859-15", 923),
    ("LATIN1", 819),
    ("LATIN2", 912),
    ("LATIN5", 920),
    ("KOI8-R", 878),
    ("KOI8-U", 1168),
    ("EBCDIC-CP-US", 37),
    ("EBCDIC-CP-CA", 37),
    ("EBCDIC-CP-NL", 37),
    ("EBCDIC-CP-WT", 37),
    ("EBCDIC-CP-DK", 277),
    ("EBCDIC-CP-FI", 278),
    ("EBCDIC-CP-IT", 280),
    ("EBCDIC-CP-ES", 284),
    ("EBCDIC-CP-GB", 285),
    ("EBCDIC-CP-FR", 297),
];

/// The texts before the number in a name that has its CCSID: `IBM037`, `Cp1047`, `windows-1252`, or the
/// number alone.
const PREFIXES: [&str; 6] = ["", "IBM", "IBM-", "CP", "CP-", "WINDOWS-"];

impl Encoding {
    /// The encoding of a character set: a name of IANA's registry, `IBM`, `CP` or `WINDOWS` with a number, or
    /// the number alone. Lower case is the same. None if it is not known.
    ///
    /// `UTF-16` without a byte order is big-endian, as in RFC 2781, section 4.3, for texts without a mark.
    #[must_use]
    pub fn by_charset(name: &str) -> Option<Encoding> {
        let known = NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, ccsid)| *ccsid);
        let numbered = || {
            let digits = name.trim_start_matches(|letter: char| !letter.is_ascii_digit());
            let prefix = &name[..name.len() - digits.len()];
            let is_known = PREFIXES.iter().any(|known| known.eq_ignore_ascii_case(prefix));
            digits.parse().ok().filter(|_| is_known)
        };
        known.or_else(numbered).and_then(Encoding::by_ccsid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn character_sets_have_names() {
        let found = |name: &str| Encoding::by_charset(name).map(|encoding| encoding.ccsid());
        for (name, expected) in [
            ("utf8", Some(1208)),
            ("IBM037", Some(37)),
            ("IBM-1047", Some(1047)),
            ("ibm01140", Some(1140)),
            ("windows-1252", Some(1252)),
            ("Cp437", Some(437)),
            ("037", Some(37)),
            ("IBM-930", Some(930)),
            ("LATIN", None),
            ("IBM99999", None),
            ("IBM9", None),
            ("IBM\u{b2}", None),
            ("", None),
        ] {
            assert_eq!(found(name), expected, "{name}");
        }
        for (name, number) in NAMES {
            assert_eq!(found(&name.to_lowercase()), Some(number), "{name}: the page is not known");
        }
    }
}
