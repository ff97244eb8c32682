//! Conversion between CCSIDs and Unicode: the contract, tables to follow.

/// Which digits, letters and signs a page uses for numbers in text form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Digits are F0 to F9, the blank is 40.
    Ebcdic,
    /// Digits are 30 to 39, the blank is 20.
    Ascii,
}

/// A single-byte code page.
#[derive(Debug)]
pub struct CodePage {
    ccsid: u16,
    name: &'static str,
    family: Family,
    to_unicode: &'static [u16; 256],
}

impl CodePage {
    /// The page of a coded character set identifier, if it is known.
    #[must_use]
    pub fn by_ccsid(ccsid: u16) -> Option<&'static CodePage> {
        let _ = ccsid;
        None
    }
    /// The CCSID.
    #[must_use]
    pub fn ccsid(&self) -> u16 {
        self.ccsid
    }
    /// A readable name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }
    /// EBCDIC or ASCII.
    #[must_use]
    pub fn family(&self) -> Family {
        self.family
    }
    /// The character of each byte as a UTF-16 unit; U+FFFD where the page has none.
    #[must_use]
    pub fn to_unicode(&self) -> &'static [u16; 256] {
        self.to_unicode
    }
    /// The byte of a character, if the page has it.
    #[must_use]
    pub fn encode_char(&self, character: char) -> Option<u8> {
        let _ = character;
        None
    }
}
