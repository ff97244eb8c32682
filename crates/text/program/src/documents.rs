//! Documents of EXEC CICS DOCUMENT: text, binary data and bookmarks, made of buffers and templates with
//! symbols.
//!
//! The rules are those of CICS TS ("CICS documents and document templates", "DOCUMENT CREATE" and similar
//! commands). Data is bytes of a code page of ASCII's family. `symbols.rs` has symbols and their lists,
//! `templates.rs` the commands of templates.
//!
//! A document that a program retrieves without DATAONLY has marks. Their form is ours, because IBM does not
//! document its own.

mod symbols;
mod templates;

pub use symbols::{BadSymbol, Symbols, is_delimiter};
pub use templates::{BadTemplate, TEMPLATE_INCLUDES_MAX, TEMPLATE_LEVELS_MAX, fill};

/// The name of a bookmark or of a document, filled with blanks.
pub type Name = [u8; 16];

/// The bookmark at the start of every document.
pub const TOP: Name = *b"TOP             ";

/// The start and the end of the marks in a retrieved document.
const MARK: &[u8] = b"<!--#gantry ";
const MARK_END: &[u8] = b"-->";
const BOOKMARK: &[u8] = b"bookmark=";
const BINARY: &[u8] = b"binary=";

/// A part of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text.
    Text {
        /// Its bytes.
        bytes: Vec<u8>,
        /// The CCSID that HOSTCODEPAGE named; none for the region's.
        ccsid: Option<u16>,
    },
    /// Data that is never converted.
    Binary(Vec<u8>),
    /// A place that commands can name.
    Bookmark(Name),
}

/// A document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    pieces: Vec<Piece>,
    /// The values of its symbols.
    pub symbols: Symbols,
}

/// The reason why pieces cannot go to the place that a command gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadPlace {
    /// The bookmark of AT does not exist.
    NoStart,
    /// The bookmark of TO does not exist.
    NoEnd,
    /// TO stands before AT.
    Reversed,
    /// The bookmark already exists.
    Twice,
    /// The text cannot be the name of a bookmark.
    Name,
}

/// A retrieved document whose marks differ from those that [`Document::retrieved`] writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadMark;

impl Document {
    /// The parts, in their order.
    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The number of bytes that [`Document::retrieved`] gives without conversion.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.pieces.iter().map(Piece::bytes).sum()
    }

    /// Puts pieces behind the bookmark AT, in place of the text before TO; without AT, at the end. Bookmarks
    /// of another document that already exist here are left out.
    ///
    /// # Errors
    /// The bookmarks do not exist, or are in the wrong order, or a piece is a bookmark that cannot be set.
    pub fn insert(&mut self, pieces: Vec<Piece>, at: Option<Name>, to: Option<Name>) -> Result<(), BadPlace> {
        if let [Piece::Bookmark(name)] = pieces[..] {
            if !is_bookmark(&name) {
                return Err(BadPlace::Name);
            }
            if self.place(name).is_some() {
                return Err(BadPlace::Twice);
            }
        }
        let (start, end) = match (at, to) {
            (None, _) => (self.pieces.len(), self.pieces.len()),
            (Some(at), None) => {
                let start = self.place(at).ok_or(BadPlace::NoStart)?;
                (start, start)
            }
            (Some(at), Some(to)) => {
                let start = self.place(at).ok_or(BadPlace::NoStart)?;
                let end = self.place(to).ok_or(BadPlace::NoEnd)?.checked_sub(1).ok_or(BadPlace::Reversed)?;
                if end < start {
                    return Err(BadPlace::Reversed);
                }
                (start, end)
            }
        };
        let known: Vec<Name> = self.pieces.iter().filter_map(Piece::bookmark).collect();
        let is_new =
            |piece: &Piece| piece.bookmark().is_none_or(|name| !known.contains(&name) && name != TOP);
        self.pieces.splice(start..end, pieces.into_iter().filter(is_new));
        Ok(())
    }

    /// The place behind a bookmark.
    fn place(&self, name: Name) -> Option<usize> {
        if name == TOP {
            return Some(0);
        }
        Some(self.pieces.iter().position(|piece| piece.bookmark() == Some(name))? + 1)
    }

    /// The document in the form for a program, with marks for parts that are not text. Text goes through a
    /// function.
    ///
    /// # Errors
    /// Those of the function.
    pub fn retrieved<E>(
        &self,
        with_marks: bool,
        mut converted: impl FnMut(&[u8], Option<u16>) -> Result<Vec<u8>, E>,
    ) -> Result<Vec<u8>, E> {
        let mut out = Vec::with_capacity(self.bytes());
        for piece in &self.pieces {
            if with_marks && !piece.mark().is_empty() {
                out.extend(converted(&piece.mark(), None)?);
            }
            match piece {
                Piece::Text { bytes, ccsid } => out.extend(converted(bytes, *ccsid)?),
                other => out.extend_from_slice(other.data()),
            }
        }
        Ok(out)
    }
}

impl Piece {
    /// Text in the region's page.
    #[must_use]
    pub fn text(bytes: Vec<u8>) -> Self {
        Piece::Text { bytes, ccsid: None }
    }

    /// The number of its bytes in a retrieved document, with its mark.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.mark().len() + self.data().len()
    }

    fn bookmark(&self) -> Option<Name> {
        match self {
            Piece::Bookmark(name) => Some(*name),
            _ => None,
        }
    }

    fn data(&self) -> &[u8] {
        match self {
            Piece::Text { bytes, .. } | Piece::Binary(bytes) => bytes,
            Piece::Bookmark(_) => &[],
        }
    }

    fn mark(&self) -> Vec<u8> {
        match self {
            Piece::Text { .. } => Vec::new(),
            Piece::Binary(bytes) => [MARK, BINARY, bytes.len().to_string().as_bytes(), MARK_END].concat(),
            Piece::Bookmark(name) => [MARK, BOOKMARK, name.trim_ascii_end(), MARK_END].concat(),
        }
    }
}

/// True if a bookmark may have the name: characters without blanks between them.
#[must_use]
pub fn is_bookmark(name: &Name) -> bool {
    let name = name.trim_ascii_end();
    !name.is_empty()
        && name.iter().all(|byte| byte.is_ascii_graphic() && !b"<>-=".contains(byte) || *byte == b'-')
}

/// The data of FROM: a document that was retrieved with its marks, or text with symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum From {
    /// Text that may have symbols.
    Text,
    /// The pieces of a retrieved document. Symbols in them stay unchanged.
    Pieces(Vec<Piece>),
}

/// Reads the data of FROM.
///
/// # Errors
/// A mark is not one of a retrieved document.
pub fn from(buffer: &[u8]) -> Result<From, BadMark> {
    if find(buffer, MARK).is_none() {
        return Ok(From::Text);
    }
    let mut pieces = Vec::new();
    let mut rest = buffer;
    while let Some(start) = find(rest, MARK) {
        if start > 0 {
            pieces.push(Piece::text(rest[..start].to_vec()));
        }
        rest = &rest[start + MARK.len()..];
        let end = find(rest, MARK_END).ok_or(BadMark)?;
        let mark = &rest[..end];
        rest = &rest[end + MARK_END.len()..];
        if let Some(name) = mark.strip_prefix(BOOKMARK) {
            let mut filled = [b' '; 16];
            filled.get_mut(..name.len()).ok_or(BadMark)?.copy_from_slice(name);
            let is_there = pieces.contains(&Piece::Bookmark(filled));
            if !is_bookmark(&filled) || is_there || filled == TOP {
                return Err(BadMark);
            }
            pieces.push(Piece::Bookmark(filled));
        } else {
            let length = mark.strip_prefix(BINARY).and_then(|digits| std::str::from_utf8(digits).ok());
            let length: usize = length.and_then(|digits| digits.parse().ok()).ok_or(BadMark)?;
            let (data, after) = rest.split_at_checked(length).ok_or(BadMark)?;
            pieces.push(Piece::Binary(data.to_vec()));
            rest = after;
        }
    }
    if !rest.is_empty() {
        pieces.push(Piece::text(rest.to_vec()));
    }
    Ok(From::Pieces(pieces))
}

/// The place of some bytes in others.
fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn name(text: &str) -> Name {
        let mut name = [b' '; 16];
        name[..text.len()].copy_from_slice(text.as_bytes());
        name
    }

    fn text(text: &str) -> Vec<Piece> {
        vec![Piece::text(text.as_bytes().to_vec())]
    }

    fn shown(document: &Document, with_marks: bool) -> String {
        let same = |bytes: &[u8], _: Option<u16>| Ok::<_, ()>(bytes.to_vec());
        String::from_utf8(document.retrieved(with_marks, same).expect("no fault")).expect("text")
    }

    #[test]
    fn pieces_go_behind_bookmarks() {
        let mut document = Document::default();
        let insert = |document: &mut Document, pieces: Vec<Piece>, at: &str, to: &str| {
            let place = |text: &str| (!text.is_empty()).then(|| name(text));
            document.insert(pieces, place(at), place(to))
        };
        assert_eq!(insert(&mut document, text("Pre-bookmark text. "), "", ""), Ok(()));
        assert_eq!(insert(&mut document, vec![Piece::Bookmark(name("ABookmark"))], "", ""), Ok(()));
        assert_eq!(insert(&mut document, text("Post-bookmark text."), "", ""), Ok(()));
        assert_eq!(insert(&mut document, text("Inserted at a bookmark. "), "ABookmark", ""), Ok(()));
        assert_eq!(shown(&document, false), "Pre-bookmark text. Inserted at a bookmark. Post-bookmark text.");
        assert_eq!(insert(&mut document, vec![Piece::Bookmark(name("BBookmark"))], "", ""), Ok(()));
        assert_eq!(insert(&mut document, text("Over."), "ABookmark", "BBookmark"), Ok(()));
        assert_eq!(insert(&mut document, text("Top. "), "TOP", ""), Ok(()));
        assert_eq!(shown(&document, false), "Top. Pre-bookmark text. Over.");
        assert_eq!(document.bytes(), shown(&document, true).len());
        for (pieces, at, to, expected) in [
            (text("x"), "NONE", "", BadPlace::NoStart),
            (text("x"), "ABookmark", "NONE", BadPlace::NoEnd),
            (text("x"), "BBookmark", "ABookmark", BadPlace::Reversed),
            (text("x"), "ABookmark", "TOP", BadPlace::Reversed),
            (vec![Piece::Bookmark(name("ABookmark"))], "", "", BadPlace::Twice),
            (vec![Piece::Bookmark(TOP)], "", "", BadPlace::Twice),
            (vec![Piece::Bookmark(name("A B"))], "", "", BadPlace::Name),
            (vec![Piece::Bookmark(name(""))], "", "", BadPlace::Name),
        ] {
            assert_eq!(insert(&mut document, pieces, at, to), Err(expected));
        }
    }

    #[test]
    fn marks_are_read_back() {
        let mut document = Document::default();
        let pieces = [
            text("&a; and "),
            vec![Piece::Binary(b"\x00<!--#gantry bookmark=B-->".to_vec())],
            vec![Piece::Bookmark(name("B-1"))],
            text("the rest"),
        ];
        for pieces in pieces {
            document.insert(pieces, None, None).expect("a place");
        }
        let same = |bytes: &[u8], _: Option<u16>| Ok::<_, ()>(bytes.to_vec());
        let retrieved = document.retrieved(true, same).expect("no fault");
        assert_eq!(from(&retrieved), Ok(From::Pieces(document.pieces().to_vec())));
        assert_eq!(from(b"<b>&a;</b>"), Ok(From::Text));
        for bad in [
            "<!--#gantry ",
            "<!--#gantry other=1-->",
            "<!--#gantry binary=9-->x",
            "<!--#gantry binary=x-->",
            "<!--#gantry bookmark=-->",
            "<!--#gantry bookmark=TOP-->",
            "<!--#gantry bookmark=A123456789ABCDEFG-->",
            "<!--#gantry bookmark=A--><!--#gantry bookmark=A-->",
        ] {
            assert_eq!(from(bad.as_bytes()), Err(BadMark), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..80), tail in "<!--#gantry (binary|bookmark)=[0-9a-z]{0,3}-->x{0,9}") {
            let _ = from(&bytes);
            let _ = from(&[bytes, tail.into_bytes()].concat());
        }
    }
}
