//! A pull cursor over XML text: elements with their namespaces resolved, text with references resolved, positions for
//! messages. The tokens come from quick-xml; what that leaves to its users is checked here.

use std::borrow::Cow;
use std::num::NonZero;

use codepage::readable::position;
use memchr::memchr;
use quick_xml::Reader;
use quick_xml::errors::IllFormedError;
use quick_xml::events::Event;

use crate::attributes::{Attribute, RawAttribute, attributes, check_name, reference};
use crate::characters::{Scan, is_space, scan, trim};
use crate::encoding::Encoding;
use crate::error::{Error, ErrorKind, Fault, syntax};
use crate::scopes::{Scope, Scopes};
use crate::{XML_DEPTH_MAX, XSI};

/// A reading position in XML text. It is for those who write values to their places while they read them, and can be
/// handed on: who opens an element may let somebody else read what is in it.
///
/// What is passed is checked: tags match, names are names, prefixes are declared, characters are allowed, attributes
/// occur once. Names of elements are checked when nobody knows them ([`Cursor::check_name`]): known ones are names.
pub struct Cursor<'a> {
    text: &'a str,
    encoding: Encoding,
    reader: Reader<&'a [u8]>,
    scopes: Scopes<'a>,
    depth: usize,
    /// The element that was opened last had no end tag: its end is still to be told.
    is_empty: bool,
    /// There are carriage returns to be taken for line feeds.
    returns: bool,
}

/// The start tag of an element. It says more with its cursor, while the element is open.
#[derive(Clone, Copy, Debug)]
pub struct Open<'a> {
    /// Where it starts in the text, in bytes.
    pub at: usize,
    /// The prefix of its name, or nothing.
    pub prefix: &'a str,
    /// The name without a prefix.
    pub name: &'a str,
    /// `xsi:nil` is true.
    pub nil: bool,
    /// Where the first attribute starts that has a meaning of its own: neither a declaration nor one of [`XSI`].
    attribute: Option<NonZero<usize>>,
    /// Where its attributes end in the text.
    end: usize,
    depth: u32,
    scope: Scope,
}

impl<'a> Open<'a> {
    /// Where the first attribute starts that is neither a declaration of a namespace nor in the namespace [`XSI`].
    #[must_use]
    pub fn attribute(&self) -> Option<usize> {
        self.attribute.map(NonZero::get)
    }

    /// The same element for a reader that need not know of its attributes.
    #[must_use]
    pub fn without_attributes(self) -> Self {
        Self { attribute: None, ..self }
    }

    /// Where its attributes may start in the text, behind its name.
    fn name_end(&self) -> usize {
        let prefix = if self.prefix.is_empty() { 0 } else { self.prefix.len() + 1 };
        self.at + 1 + prefix + self.name.len()
    }
}

/// The token at the cursor.
enum Piece<'a> {
    Open(Open<'a>),
    Close,
    Text(&'a str),
    /// Of a CDATA section, in which nothing is markup.
    Data(&'a str),
    Character(char),
    Nothing,
    End,
}

impl<'a> Cursor<'a> {
    /// A cursor at the start of a document.
    ///
    /// # Errors
    /// A character that XML does not allow.
    pub fn new(text: &'a str, encoding: Encoding) -> Result<Self, Error> {
        let Scan { returns, forbidden } = scan(text);
        if let Some(at) = forbidden {
            let character = text[at..].chars().next().map_or(0, u32::from);
            return Err(syntax(text, (at, format!("character U+{character:04X} is not allowed in XML"))));
        }
        if text.starts_with('\u{feff}') {
            return Err(syntax(text, (0, "expected an element, found a byte order mark".to_owned())));
        }
        let mut reader = Reader::from_str(text);
        reader.config_mut().check_comments = true;
        let scopes = Scopes::default();
        Ok(Self { text, encoding, reader, scopes, depth: 0, is_empty: false, returns })
    }

    /// Notes a declaration of a namespace that stands around the text.
    ///
    /// # Errors
    /// The prefix cannot be declared for the namespace.
    pub fn declare(&mut self, prefix: &'a str, namespace: &'a str) -> Result<(), Error> {
        let attribute = RawAttribute { at: 0, name: prefix, value: Cow::Borrowed(namespace) };
        self.scopes.declare(0, prefix, &attribute).map_err(|fault| syntax(self.text, fault))
    }

    /// Line and column, from 1, of a byte of the text.
    #[must_use]
    pub fn position(&self, at: usize) -> (usize, usize) {
        position(self.text, at)
    }

    /// Where the cursor is, in bytes of the text.
    #[must_use]
    pub fn at(&self) -> usize {
        self.reader.buffer_position() as usize
    }

    /// The start tag of the outermost element.
    ///
    /// # Errors
    /// What is no XML before it, or nothing at all.
    pub fn root(&mut self) -> Result<Open<'a>, Error> {
        loop {
            let at = self.at();
            match self.next()? {
                Piece::Open(open) => return Ok(open),
                Piece::Nothing => {}
                Piece::Text(text) if trim(text).is_empty() => {}
                Piece::End => return Err(self.fault(at, "expected an element, found the end of the text")),
                _ => return Err(self.fault(at, "expected an element, found text")),
            }
        }
    }

    /// The start tag of the next element in the one that is open; none at its end, which is passed.
    ///
    /// # Errors
    /// Text where only elements may be, or what is no XML.
    pub fn child(&mut self) -> Result<Option<Open<'a>>, Error> {
        if std::mem::take(&mut self.is_empty) {
            self.leave();
            return Ok(None);
        }
        loop {
            let at = self.at();
            match self.next()? {
                Piece::Open(open) => return Ok(Some(open)),
                Piece::Close => return Ok(None),
                Piece::Nothing => {}
                Piece::Text(text) | Piece::Data(text) if trim(text).is_empty() => {}
                Piece::End => return Err(self.unfinished(at)),
                _ => {
                    let error = Error::new(ErrorKind::Content, "expected elements, found text");
                    return Err(Error { position: Some(self.position(at)), ..error });
                }
            }
        }
    }

    /// The text of the element that is open, to its end, which is passed; borrowed if it is in one piece.
    ///
    /// # Errors
    /// Elements where only text may be, or what is no XML.
    pub fn text(&mut self) -> Result<Cow<'a, str>, Error> {
        if std::mem::take(&mut self.is_empty) {
            self.leave();
            return Ok(Cow::Borrowed(""));
        }
        let mut text = Cow::Borrowed("");
        loop {
            let at = self.at();
            let piece = match self.next()? {
                Piece::Close => return Ok(text),
                Piece::Text(piece) | Piece::Data(piece) => self.lines(piece),
                Piece::Character(character) => {
                    text.to_mut().push(character);
                    continue;
                }
                Piece::Nothing => continue,
                Piece::End => return Err(self.unfinished(at)),
                Piece::Open(open) => {
                    let message = format!("expected text, found the element {}", shown(open.name));
                    let error = Error::new(ErrorKind::Content, message);
                    return Err(Error { position: Some(self.position(at)), ..error });
                }
            };
            if text.is_empty() {
                text = piece;
            } else {
                text.to_mut().push_str(&piece);
            }
        }
    }

    /// Passes over the rest of the element that is open.
    ///
    /// # Errors
    /// What is no XML.
    pub fn skip(&mut self) -> Result<(), Error> {
        let outer = self.depth - 1;
        loop {
            if std::mem::take(&mut self.is_empty) {
                self.leave();
            } else {
                let at = self.at();
                match self.next()? {
                    Piece::Open(open) => self.check_name(&open)?,
                    Piece::End => return Err(self.unfinished(at)),
                    _ => {}
                }
            }
            if self.depth == outer && !self.is_empty {
                return Ok(());
            }
        }
    }

    /// How many elements are open.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Passes over the rest of elements that are open, until so many are.
    ///
    /// # Errors
    /// What is no XML.
    pub fn skip_to(&mut self, depth: usize) -> Result<(), Error> {
        while self.depth > depth {
            self.skip()?;
        }
        Ok(())
    }

    /// Sees that nothing follows the outermost element.
    ///
    /// # Errors
    /// Something does.
    pub fn end(&mut self) -> Result<(), Error> {
        loop {
            let at = self.at();
            match self.next()? {
                Piece::End => return Ok(()),
                Piece::Nothing => {}
                Piece::Text(text) if trim(text).is_empty() => {}
                Piece::Open(_) => {
                    return Err(self.fault(at, "expected the end of the text, found another element"));
                }
                _ => return Err(self.fault(at, "expected the end of the text, found more text")),
            }
        }
    }

    /// Passes over the rest of an element that was just opened, and gives its text as it stands, tags included. It may
    /// use prefixes that are declared around it ([`Cursor::declarations`]).
    ///
    /// # Errors
    /// What is no XML.
    pub fn raw(&mut self, open: &Open<'a>) -> Result<&'a str, Error> {
        self.skip()?;
        Ok(&self.text[open.at..self.at()])
    }

    /// The namespace of an element that is open; empty for none.
    #[must_use]
    pub fn namespace(&self, open: &Open<'a>) -> &str {
        self.scopes.uri(open.scope)
    }

    /// True if an element that is open is in this namespace; none is empty.
    #[inline]
    #[must_use]
    pub fn is_in(&self, open: &Open<'a>, namespace: &str) -> bool {
        self.scopes.uri(open.scope) == namespace
    }

    /// The namespace of a prefix in a value in an element that is open, such as a type's name; of an empty prefix the
    /// default namespace, empty for none. None if the prefix is not declared.
    #[must_use]
    pub fn namespace_of_prefix(&self, open: &Open<'a>, prefix: &str) -> Option<&str> {
        self.scopes.find_at(prefix, open.depth).map(|scope| self.scopes.uri(scope))
    }

    /// The declarations that an element which is open sees from around it: prefixes, empty for the default namespace,
    /// and namespaces, outermost first. Those in its own tag are not among them.
    pub fn declarations(&self, open: &Open<'a>) -> impl Iterator<Item = (&'a str, &str)> {
        self.scopes.at(open.depth.saturating_sub(1))
    }

    /// The attributes of an element that is open, in their order, without declarations of namespaces. They are read
    /// anew, so this is for elements of which a document has few.
    ///
    /// # Errors
    /// None for an element that this cursor has opened.
    pub fn attributes(&self, open: &Open<'a>) -> Result<Vec<Attribute<'a>>, Error> {
        let given = attributes(self.text, open.name_end(), open.end);
        let given = given.map_err(|fault| syntax(self.text, fault))?;
        let is_attribute = |given: &RawAttribute<'_>| given.declared().is_none();
        let resolved = given.into_iter().filter(is_attribute).map(|RawAttribute { at, name, value }| {
            let (prefix, name) = name.split_once(':').unwrap_or(("", name));
            let scope = self.scopes.find_at(prefix, open.depth).filter(|_| !prefix.is_empty());
            let namespace = scope.map_or(Cow::Borrowed(""), |scope| self.scopes.owned(scope));
            Attribute { at, namespace, name, value }
        });
        Ok(resolved.collect())
    }

    /// The name of an attribute or element as it stands at a byte of the text, for messages.
    #[must_use]
    pub fn name_at(&self, at: usize) -> String {
        let rest = self.text.get(at..).unwrap_or_default();
        let end = rest.find(['=', '>', '/', ' ', '\t', '\n', '\r']).unwrap_or(rest.len());
        shown(&rest[..end])
    }

    /// An error of the kind [`ErrorKind::Syntax`] at a byte of the text.
    #[cold]
    pub fn fault(&self, at: usize, message: impl Into<String>) -> Error {
        syntax(self.text, (at, message.into()))
    }

    #[cold]
    fn unfinished(&self, at: usize) -> Error {
        self.fault(at, "expected the end of an element, found the end of the text")
    }

    fn leave(&mut self) {
        self.depth -= 1;
        self.scopes.leave(self.depth as u32);
    }

    /// A piece of text with its line ends as XML reads them (section 2.11).
    fn lines(&self, piece: &'a str) -> Cow<'a, str> {
        if self.returns && piece.contains('\r') {
            return Cow::Owned(piece.replace("\r\n", "\n").replace('\r', "\n"));
        }
        Cow::Borrowed(piece)
    }

    fn next(&mut self) -> Result<Piece<'a>, Error> {
        let at = self.at();
        let event = self.reader.read_event().map_err(|error| self.broken(&error))?;
        let text: &'a str = self.text;
        let end = self.at();
        match event {
            Event::Start(_) => self.open(at, end - 1),
            Event::Empty(_) => {
                let open = self.open(at, end - 2)?;
                self.is_empty = true;
                Ok(open)
            }
            Event::End(_) => {
                self.leave();
                Ok(Piece::Close)
            }
            Event::Text(_) => {
                let piece = &text[at..end];
                let found = memchr(b'>', piece.as_bytes()).and_then(|_| piece.find("]]>"));
                match found {
                    Some(found) => Err(self.fault(at + found, "']]>' in text must be written as ]]&gt;")),
                    None => Ok(Piece::Text(piece)),
                }
            }
            Event::CData(_) => Ok(Piece::Data(&text[at + "<![CDATA[".len()..end - "]]>".len()])),
            Event::GeneralRef(_) => {
                let character = reference(&text[at + 1..end - 1], at).map_err(|fault| syntax(text, fault))?;
                Ok(Piece::Character(character))
            }
            Event::Comment(_) => Ok(Piece::Nothing),
            Event::Decl(_) => {
                self.declaration(at, end).map_err(|fault| syntax(text, fault))?;
                Ok(Piece::Nothing)
            }
            Event::PI(_) => Err(self.fault(at, "processing instructions are not taken")),
            Event::DocType(_) => Err(self.fault(at, "document type declarations are not taken")),
            Event::Eof => Ok(Piece::End),
        }
    }

    /// Reads a start tag, `<` at `at` and its last character but `>` or `/>` before `end`.
    fn open(&mut self, at: usize, end: usize) -> Result<Piece<'a>, Error> {
        let text: &'a str = self.text;
        self.depth += 1;
        if self.depth > XML_DEPTH_MAX {
            let message = format!("elements nest deeper than {XML_DEPTH_MAX}");
            let error = Error::new(ErrorKind::TooDeep, message);
            return Err(Error { position: Some(self.position(at)), ..error });
        }
        let tag = &text[at + 1..end];
        let name_length = tag.bytes().position(is_space).unwrap_or(tag.len());
        let name = &tag[..name_length];
        if name.is_empty() {
            return Err(self.fault(at, "expected a name"));
        }
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        let depth = self.depth as u32;
        let none = Scope::NONE;
        let mut open = Open { at, prefix, name: local, nil: false, attribute: None, end, depth, scope: none };
        if name_length < tag.len() {
            self.read_attributes(&mut open, at + 1 + name_length, end)
                .map_err(|fault| syntax(text, fault))?;
        }
        let Some(scope) = self.scopes.find(prefix).filter(|_| !name.starts_with(':')) else {
            return Err(self.undeclared(at, name, prefix));
        };
        open.scope = scope;
        Ok(Piece::Open(open))
    }

    #[cold]
    fn undeclared(&self, at: usize, name: &str, prefix: &str) -> Error {
        if let Err(fault) = check_name(name, at) {
            return syntax(self.text, fault);
        }
        self.fault(at, format!("the prefix {} is not declared", shown(prefix)))
    }

    /// Checks the name of an element that is not known: known ones are names.
    ///
    /// # Errors
    /// It is not a name.
    pub fn check_name(&self, open: &Open<'a>) -> Result<(), Error> {
        if open.name.contains(':') {
            return Err(
                self.fault(open.at, format!("'{}:{}' is not a name", shown(open.prefix), shown(open.name)))
            );
        }
        check_name(open.name, open.at).map_err(|fault| syntax(self.text, fault))
    }

    #[inline(never)]
    fn read_attributes(&mut self, open: &mut Open<'a>, at: usize, end: usize) -> Result<(), Fault> {
        let given = attributes(self.text, at, end)?;
        for attribute in &given {
            if let Some(prefix) = attribute.declared() {
                self.scopes.declare(open.depth, prefix, attribute)?;
            }
        }
        let mut expanded: Vec<(&str, &str)> = Vec::new();
        for given in given.iter().filter(|given| given.declared().is_none()) {
            let RawAttribute { at, name, value } = given;
            let Some((prefix, local)) = name.split_once(':') else {
                open.attribute = open.attribute.or(NonZero::new(*at));
                continue;
            };
            let Some(scope) = self.scopes.find(prefix) else {
                return Err((*at, format!("the prefix {} is not declared", shown(prefix))));
            };
            let namespace = self.scopes.uri(scope);
            if expanded.contains(&(namespace, local)) {
                return Err((*at, format!("the attribute {name} occurs twice in one tag")));
            }
            expanded.push((namespace, local));
            match (namespace, local, trim(value)) {
                (XSI, "nil", "true" | "1") => open.nil = true,
                (XSI, "nil", "false" | "0") => {}
                (XSI, "nil", _) => return Err((*at, format!("{name} must be true or false"))),
                (XSI, _, _) => {}
                _ => open.attribute = open.attribute.or(NonZero::new(*at)),
            }
        }
        Ok(())
    }

    /// Checks the declaration of a document.
    fn declaration(&self, at: usize, end: usize) -> Result<(), Fault> {
        if at > 0 {
            return Err((at, "the XML declaration must be the first in the text".to_owned()));
        }
        let given = attributes(self.text, "<?xml".len(), end - "?>".len())?;
        let names: Vec<&str> = given.iter().map(|attribute| attribute.name).collect();
        let all = ["version", "encoding", "standalone"];
        let in_order = names.first() == Some(&"version")
            && names.is_sorted_by_key(|name| all.iter().position(|known| known == name))
            && names.iter().all(|name| all.contains(name));
        if !in_order {
            return Err((
                at,
                "an XML declaration has a version, then an encoding, then 'standalone'".to_owned(),
            ));
        }
        for RawAttribute { at, name, value } in &given {
            let valid = match *name {
                "version" => value == "1.0",
                "encoding" => self.encoding.allows(value),
                _ => value == "yes" || value == "no",
            };
            if !valid {
                let message = match *name {
                    "version" => format!("version {} of XML is not taken, only 1.0", shown(value)),
                    "encoding" => {
                        let found = self.encoding.name();
                        format!("the declared encoding is {}, but the text is {found}", shown(value))
                    }
                    _ => "standalone must be yes or no".to_owned(),
                };
                return Err((*at, message));
            }
        }
        Ok(())
    }

    /// The error for wrong tokens, in the words of the other messages.
    #[cold]
    fn broken(&self, error: &quick_xml::Error) -> Error {
        use quick_xml::Error::{IllFormed, Syntax};
        use quick_xml::errors::SyntaxError;
        let at = self.reader.error_position() as usize;
        let message = match error {
            IllFormed(IllFormedError::MismatchedEndTag { expected, found }) => {
                format!("expected </{}>, found </{}>", shown(expected), shown(found))
            }
            IllFormed(IllFormedError::UnmatchedEndTag(found)) => {
                format!("</{}> ends no element that is open", shown(found))
            }
            IllFormed(IllFormedError::DoubleHyphenInComment) => "a comment must not have '--'".to_owned(),
            IllFormed(IllFormedError::UnclosedReference) => "'&' must be written as &amp;".to_owned(),
            IllFormed(IllFormedError::MissingDoctypeName) | Syntax(SyntaxError::UnclosedDoctype) => {
                "document type declarations are not taken".to_owned()
            }
            Syntax(SyntaxError::UnclosedTag) => "the tag that starts here does not end".to_owned(),
            Syntax(
                SyntaxError::UnclosedSingleQuotedAttributeValue
                | SyntaxError::UnclosedDoubleQuotedAttributeValue,
            ) => "the value of an attribute in this tag does not end".to_owned(),
            Syntax(SyntaxError::UnclosedComment) => "the comment that starts here does not end".to_owned(),
            Syntax(SyntaxError::UnclosedCData) => {
                "the CDATA section that starts here does not end".to_owned()
            }
            Syntax(SyntaxError::UnclosedPI | SyntaxError::UnclosedXmlDecl) => {
                "the XML declaration that starts here does not end".to_owned()
            }
            _ => "this is not markup of XML".to_owned(),
        };
        self.fault(at.min(self.text.len()), message)
    }
}

/// The start of a request's text, cut to the length that a message shows: 64 characters.
#[must_use]
pub fn shown(written: &str) -> String {
    written.chars().take(64).collect()
}
