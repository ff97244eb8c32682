//! A translated program in the region's code page: a character that is one byte on the mainframe is one byte
//! for GnuCOBOL.

use codepage::CodePage;

/// A character that the code page does not have, by the place in the user's files.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unknown {
    pub(crate) file: Option<String>,
    pub(crate) line: usize,
    pub(crate) character: char,
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
                return Err(Unknown { file: file.map(str::to_owned), line, character });
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
        assert_eq!(unknown, Err(Unknown { file: Some("A.cbl".into()), line: 8, character: '\u{20AC}' }));
    }
}
