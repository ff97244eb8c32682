//! A translated program in the region's code page: a character that is one byte on the mainframe is one byte
//! for GnuCOBOL.

use codepage::{CodePage, Family};

use crate::compiler::Message;

/// A character that the code page does not have, by the place in the user's files.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unknown {
    pub(crate) file: Option<String>,
    pub(crate) line: usize,
    pub(crate) character: char,
    /// The CCSID of a page that has all characters of the text.
    pub(crate) other: Option<u16>,
}

impl Unknown {
    /// The fault for people, with the way out if there is one.
    pub(crate) fn message(self, page: &CodePage) -> Message {
        let (character, ccsid) = (self.character, page.ccsid());
        let way = match self.other {
            Some(other) => {
                format!(
                    "CCSID {other} has all characters of the program: set ccsid = {other} in [region], or --ccsid {other} with gantry new"
                )
            }
            None => "no single-byte page of the ASCII family has all characters of the program".to_owned(),
        };
        let text =
            format!("the character {character} is not in the region's code page, CCSID {ccsid}: {way}");
        Message { file: self.file, line: self.line, text }
    }
}

/// Pages that are known better than others with the same characters: Latin 1 with the euro sign, then those of ISO 8859 and of
/// Windows for Central Europe, Cyrillic, Greek, Turkish and the Baltic.
const FIRST: [u16; 12] = [923, 1252, 912, 1250, 915, 1251, 813, 1253, 920, 1254, 921, 1257];

/// A page that a region may have, with all characters of a text.
fn page_for(text: &str) -> Option<u16> {
    let lines = text.lines().filter(|line| place(line).is_none());
    let mut characters: Vec<char> = lines.flat_map(str::chars).filter(|found| !found.is_ascii()).collect();
    characters.sort_unstable();
    characters.dedup();
    let first = FIRST.iter().filter_map(|ccsid| CodePage::by_ccsid(*ccsid));
    let is_fit = |page: &&CodePage| {
        page.family() == Family::Ascii
            && page.has_all_ascii()
            && characters.iter().all(|found| page.encode_char(*found).is_some())
    };
    first.chain(CodePage::all()).find(is_fit).map(CodePage::ccsid)
}

/// The bytes of a translated text. Lines with `#line`, which only name files, stay as they are.
///
/// # Errors
/// The first character that the code page does not have.
pub(crate) fn encode(text: &str, page: &CodePage) -> Result<Vec<u8>, Unknown> {
    let mut bytes = Vec::with_capacity(text.len());
    let (mut file, mut line) = (None, 0);
    for content in text.split_inclusive('\n') {
        if let Some((number, name)) = place(content) {
            (file, line) = (Some(name), number);
            bytes.extend(content.bytes());
            continue;
        }
        for character in content.chars() {
            let byte = if character.is_ascii() { Some(character as u8) } else { page.encode_char(character) };
            let Some(byte) = byte else {
                return Err(Unknown {
                    file: file.map(str::to_owned),
                    line,
                    character,
                    other: page_for(text),
                });
            };
            bytes.push(byte);
        }
        line += 1;
    }
    Ok(bytes)
}

/// The place that `#line number "file"` gives for the line below it.
fn place(content: &str) -> Option<(usize, &str)> {
    let (number, name) = content.strip_prefix("#line ")?.split_once(' ')?;
    Some((number.parse().ok()?, name.trim().trim_matches('"')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_is_a_byte() {
        let page = CodePage::by_ccsid(819).expect("Latin 1");
        let text = "#line 7 \"prés/A.cbl\"\nMOVE 'é~' TO X\n";
        let expected = [b"#line 7 \"pr\xC3\xA9s/A.cbl\"\nMOVE '" as &[u8], b"\xE9~' TO X\n"].concat();
        assert_eq!(encode(text, page), Ok(expected));
        let unknown = encode("#line 7 \"A.cbl\"\nX\nMOVE '\u{20AC}' TO X\n", page);
        let (file, other) = (Some("A.cbl".into()), Some(923));
        assert_eq!(unknown, Err(Unknown { file, line: 8, character: '\u{20AC}', other }));
    }

    #[test]
    fn the_message_names_a_page_with_all_characters() {
        let page = CodePage::by_ccsid(819).expect("Latin 1");
        let message = |text: &str| encode(text, page).expect_err("unknown").message(page).text;
        assert!(
            message("'Łódź'")
                .ends_with("CCSID 912 has all characters of the program: set ccsid = 912 in [region], or --ccsid 912 with gantry new")
        );
        assert!(message("'Łódź €'").contains("ccsid = 1250 "), "{}", message("'Łódź €'"));
        assert!(
            message("'日本'")
                .ends_with("no single-byte page of the ASCII family has all characters of the program")
        );
    }
}
