//! A pull cursor over XML text: elements with their namespaces resolved, text with references resolved,
//! positions for messages. `tokens.rs` gives the tokens. The cursor checks names, namespaces, attributes and
//! characters.

use std::borrow::Cow;
use std::num::NonZero;

use codepage::readable::position;

use crate::attributes::{Attribute, RawAttribute, attributes, check_name, reference};
use crate::characters::{Scan, is_name, scan, trim};
use crate::encoding::Encoding;
use crate::error::{Error, ErrorKind, Fault, syntax};
use crate::others::OtherAttributes;
use crate::scopes::{Scope, Scopes};
use crate::tokens::{Token, Tokens};
use crate::{XML_DEPTH_MAX, XML_NAME_BYTES_MAX, XSI};

/// A reading position in XML text. A caller writes each value to its place while reading it. The cursor can
/// be passed on: one reader may open an element, and another one may read its content.
///
/// The cursor checks the text that it passes: tags match, names are names, prefixes are declared, characters
/// are allowed, attributes occur once. The name of an element is only checked if its reader does not know it
/// ([`Cursor::check_name`]), because known names are valid.
pub struct Cursor<'a> {
    text: &'a str,
    encoding: Encoding,
    tokens: Tokens<'a>,
    scopes: Scopes<'a>,
    depth: usize,
    /// The last opened element had no end tag. Its end is still to be reported.
    is_empty: bool,
    /// True if carriage returns must become line feeds.
    returns: bool,
}

/// The start tag of an element. The cursor knows more about it while the element is open.
#[derive(Clone, Copy, Debug)]
pub struct Open<'a> {
    /// Its start in the text, in bytes.
    pub at: usize,
    /// The prefix of its name, or nothing.
    pub prefix: &'a str,
    /// The name without a prefix.
    pub name: &'a str,
    /// The start of the first attribute that is neither a declaration nor in the namespace [`XSI`].
    attribute: Option<NonZero<usize>>,
    /// The end of its attributes in the text.
    end: usize,
    /// 1 if `xsi:nil` is true. It is as wide as the other fields, so that the whole is copied in words.
    nil: u32,
    depth: u32,
    scope: Scope,
}

impl Default for Open<'_> {
    /// An empty start tag, for overwriting.
    fn default() -> Self {
        let scope = Scope::NONE;
        Self { at: 0, prefix: "", name: "", attribute: None, end: 0, nil: 0, depth: 0, scope }
    }
}

impl<'a> Open<'a> {
    /// True if `xsi:nil` is true.
    #[inline]
    #[must_use]
    pub fn is_nil(&self) -> bool {
        self.nil != 0
    }

    /// The start of the first attribute that is neither a declaration of a namespace nor in the namespace
    /// [`XSI`].
    #[must_use]
    pub fn attribute(&self) -> Option<usize> {
        self.attribute.map(NonZero::get)
    }

    /// The same element, for a reader that need not know its attributes.
    #[must_use]
    pub fn without_attributes(self) -> Self {
        Self { attribute: None, ..self }
    }

    /// The number of the declaration of the element's namespace. Elements of one cursor with the same number
    /// are in the same namespace.
    #[inline]
    #[must_use]
    pub fn declaration(&self) -> u32 {
        self.scope.serial
    }

    /// The end of its name in the text. Attributes may follow it.
    fn name_end(&self) -> usize {
        let prefix = if self.prefix.is_empty() { 0 } else { self.prefix.len() + 1 };
        self.at + 1 + prefix + self.name.len()
    }
}

/// A character where words are.
#[repr(align(8))]
struct Wide(char);

/// The token at the cursor.
enum Piece<'a> {
    Open(Open<'a>),
    Close,
    Text(&'a str),
    /// The content of a CDATA section, which has no markup.
    Data(&'a str),
    Character(Wide),
    Nothing,
    End,
}

/// A tag without attributes, if it was next.
enum PlainTag {
    Start,
    End,
    No,
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
        let tokens = Tokens::new(text);
        let scopes = Scopes::default();
        Ok(Self { text, encoding, tokens, scopes, depth: 0, is_empty: false, returns })
    }

    /// Adds a declaration of a namespace from outside of the text.
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

    /// The position of the cursor, in bytes of the text.
    #[must_use]
    pub fn at(&self) -> usize {
        self.tokens.at
    }

    /// The start tag of the outermost element.
    ///
    /// # Errors
    /// The text before it is not XML, or there is no element.
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

    /// The start tag of the next element in the open element; none at its end, which is passed.
    ///
    /// # Errors
    /// There is text where only elements may be, or the text is not XML.
    pub fn child(&mut self) -> Result<Option<Open<'a>>, Error> {
        let mut open = Open::default();
        Ok(self.next_child(&mut open)?.then_some(open))
    }

    /// The same for readers of many elements. The start tag is written to `open`, and not copied from call to
    /// call. False at the end.
    ///
    /// # Errors
    /// As [`Cursor::child`].
    #[inline]
    pub fn next_child(&mut self, open: &mut Open<'a>) -> Result<bool, Error> {
        if std::mem::take(&mut self.is_empty) {
            self.leave();
            return Ok(false);
        }
        self.tokens.skip_space();
        match self.plain_tag(open)? {
            PlainTag::Start => Ok(true),
            PlainTag::End => Ok(false),
            PlainTag::No => self.other_child(open),
        }
    }

    /// Passes an end tag of the usual form, or a start tag that has only a name. Anything else is not passed.
    #[inline(always)]
    fn plain_tag(&mut self, open: &mut Open<'a>) -> Result<PlainTag, Error> {
        if self.tokens.take_end() {
            self.leave();
            return Ok(PlainTag::End);
        }
        let at = self.at();
        let Some((end, colon)) = self.tokens.take_start() else {
            return Ok(PlainTag::No);
        };
        self.depth += 1;
        if self.depth > XML_DEPTH_MAX {
            return Err(self.too_deep(at));
        }
        let text: &'a str = self.text;
        let name = &text[at + 1..end];
        let (prefix, local) = if colon == 0 { ("", name) } else { (&name[..colon], &name[colon + 1..]) };
        let Some(scope) = self.scopes.find(prefix) else {
            return Err(self.undeclared(at, name, prefix));
        };
        open.at = at;
        open.prefix = prefix;
        open.name = local;
        open.attribute = None;
        open.end = end;
        open.nil = 0;
        open.depth = self.depth as u32;
        open.scope = scope;
        Ok(PlainTag::Start)
    }

    /// The same for readers that know the next element. If it has this name, the prefix and so the namespace
    /// of the open element, and no attributes, its start tag is written to `open`. Else the result is false,
    /// and at most white space has been passed.
    #[inline]
    pub fn known_child(&mut self, open: &mut Open<'a>, within: &Open<'a>, name: &str) -> bool {
        if self.is_empty || self.depth >= XML_DEPTH_MAX {
            return false;
        }
        self.tokens.skip_space();
        let at = self.at();
        let prefix = if within.prefix.is_empty() { 0 } else { within.prefix.len() + 1 };
        if !self.tokens.take_known(name.as_bytes(), prefix, within.at) {
            return false;
        }
        self.depth += 1;
        let text: &'a str = self.text;
        let (start, end) = (at + 1 + prefix, at + 1 + prefix + name.len());
        open.at = at;
        open.prefix = within.prefix;
        open.name = &text[start..end];
        open.attribute = None;
        open.end = end;
        open.nil = 0;
        open.depth = self.depth as u32;
        // The tag has no declarations, so the prefix means the same as in the tag around it.
        open.scope = within.scope;
        true
    }

    /// The next element, if it is not a tag without attributes.
    #[inline(never)]
    fn other_child(&mut self, child: &mut Open<'a>) -> Result<bool, Error> {
        loop {
            let at = self.at();
            match self.next()? {
                Piece::Open(open) => {
                    *child = open;
                    return Ok(true);
                }
                Piece::Close => return Ok(false),
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

    /// The text of the open element, to its end, which is passed. It is borrowed if it is in one piece.
    ///
    /// # Errors
    /// There are elements where only text may be, or the text is not XML.
    #[inline]
    pub fn text(&mut self) -> Result<Cow<'a, str>, Error> {
        if std::mem::take(&mut self.is_empty) {
            self.leave();
            return Ok(Cow::Borrowed(""));
        }
        match self.plain_text() {
            Some(text) => Ok(Cow::Borrowed(text)),
            None => self.other_text(),
        }
    }

    /// The same for an element that has an end tag and only text without references and carriage returns. For
    /// any other element, nothing is passed.
    #[inline]
    pub fn plain_text(&mut self) -> Option<&'a str> {
        if self.is_empty {
            return None;
        }
        let text = self.tokens.plain_text()?;
        self.leave();
        Some(text)
    }

    /// The text of an element that has more than plain text.
    #[inline(never)]
    fn other_text(&mut self) -> Result<Cow<'a, str>, Error> {
        let mut text = Cow::Borrowed("");
        loop {
            let at = self.at();
            let piece = match self.next()? {
                Piece::Close => return Ok(text),
                Piece::Text(piece) | Piece::Data(piece) => self.lines(piece),
                Piece::Character(Wide(character)) => {
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

    /// Passes over the rest of the open element.
    ///
    /// # Errors
    /// The text is not XML.
    pub fn skip(&mut self) -> Result<(), Error> {
        let outer = self.depth - 1;
        let mut open = Open::default();
        while self.depth > outer {
            if std::mem::take(&mut self.is_empty) {
                self.leave();
                continue;
            }
            if self.plain_text().is_some() {
                continue;
            }
            self.tokens.skip_space();
            match self.plain_tag(&mut open)? {
                PlainTag::End => {}
                PlainTag::Start => self.check_name(&open)?,
                PlainTag::No => {
                    let at = self.at();
                    match self.next()? {
                        Piece::Open(open) => self.check_name(&open)?,
                        Piece::End => return Err(self.unfinished(at)),
                        _ => {}
                    }
                }
            }
        }
        Ok(())
    }

    /// The next start tag, at any depth. Text and end tags before it are passed. None at the end of the
    /// document.
    ///
    /// # Errors
    /// The text is not XML.
    pub fn next_open(&mut self) -> Result<Option<Open<'a>>, Error> {
        loop {
            if std::mem::take(&mut self.is_empty) {
                self.leave();
            }
            let at = self.at();
            match self.next()? {
                Piece::Open(open) => {
                    self.check_name(&open)?;
                    return Ok(Some(open));
                }
                Piece::End if self.depth == 0 => return Ok(None),
                Piece::End => return Err(self.unfinished(at)),
                _ => {}
            }
        }
    }

    /// The number of open elements.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Passes over the rest of open elements, until `depth` elements are open.
    ///
    /// # Errors
    /// The text is not XML.
    pub fn skip_to(&mut self, depth: usize) -> Result<(), Error> {
        while self.depth > depth {
            self.skip()?;
        }
        Ok(())
    }

    /// Checks that nothing follows the outermost element.
    ///
    /// # Errors
    /// There is more text.
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

    /// Passes over the rest of an element that was just opened, and gives its text unchanged, with its tags.
    /// It may use prefixes that are declared around it ([`Cursor::declarations`]).
    ///
    /// # Errors
    /// The text is not XML.
    pub fn raw(&mut self, open: &Open<'a>) -> Result<&'a str, Error> {
        self.skip()?;
        Ok(&self.text[open.at..self.at()])
    }

    /// The namespace of an open element; empty for none.
    #[must_use]
    pub fn namespace(&self, open: &Open<'a>) -> &str {
        self.scopes.uri(open.scope)
    }

    /// True if an open element is in this namespace; the empty text means no namespace.
    #[inline]
    #[must_use]
    pub fn is_in(&self, open: &Open<'a>, namespace: &str) -> bool {
        self.scopes.uri(open.scope) == namespace
    }

    /// The namespace of a prefix in a value in an open element, such as the name of a type. For an empty
    /// prefix it is the default namespace, empty for none. None if the prefix is not declared.
    #[must_use]
    pub fn namespace_of_prefix(&self, open: &Open<'a>, prefix: &str) -> Option<&str> {
        self.scopes.find_at(prefix, open.depth).map(|scope| self.scopes.uri(scope))
    }

    /// The declarations in force around an open element: prefixes, empty for the default namespace, and
    /// namespaces, outermost first. The declarations in its own tag are not included.
    pub fn declarations(&self, open: &Open<'a>) -> impl Iterator<Item = (&'a str, &str)> {
        self.scopes.at(open.depth.saturating_sub(1))
    }

    /// The attributes of an open element, in their order, without declarations of namespaces. They are read
    /// again, so this is for rare elements.
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

    /// The place of the first attribute of an open element that is not one of these. Declarations of namespaces and attributes of
    /// the namespace [`XSI`] do not count.
    ///
    /// # Errors
    /// None for an element that this cursor has opened.
    #[inline]
    pub fn unknown_attribute(
        &self,
        open: &Open<'a>,
        known: Option<&OtherAttributes>,
    ) -> Result<Option<usize>, Error> {
        match (open.attribute(), known.filter(|known| !known.is_empty())) {
            (None, _) => Ok(None),
            (first, None) => Ok(first),
            (Some(_), Some(known)) => self.attribute_beyond(open, known),
        }
    }

    #[cold]
    fn attribute_beyond(&self, open: &Open<'a>, known: &OtherAttributes) -> Result<Option<usize>, Error> {
        let is_known =
            |found: &Attribute<'_>| found.namespace == XSI || known.has(&found.namespace, found.name);
        Ok(self.attributes(open)?.iter().find(|found| !is_known(found)).map(|found| found.at))
    }

    /// The name of an attribute or element at a byte of the text, for messages.
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

    /// A piece of text with the line ends of XML (section 2.11).
    fn lines(&self, piece: &'a str) -> Cow<'a, str> {
        if self.returns && piece.contains('\r') {
            return Cow::Owned(piece.replace("\r\n", "\n").replace('\r', "\n"));
        }
        Cow::Borrowed(piece)
    }

    #[inline]
    fn next(&mut self) -> Result<Piece<'a>, Error> {
        let at = self.at();
        let text: &'a str = self.text;
        match self.tokens.next().map_err(|fault| syntax(text, fault))? {
            Token::Start { name_end, end, close } => {
                let open = self.open(at, name_end, end)?;
                self.is_empty = end < close;
                Ok(Piece::Open(open))
            }
            Token::End => {
                self.leave();
                Ok(Piece::Close)
            }
            Token::Text(piece) => Ok(Piece::Text(piece)),
            Token::Eof => Ok(Piece::End),
            other => self.other(at, other),
        }
    }

    /// Rare tokens.
    #[cold]
    fn other(&mut self, at: usize, token: Token<'a>) -> Result<Piece<'a>, Error> {
        let text: &'a str = self.text;
        match token {
            Token::Data(piece) => Ok(Piece::Data(piece)),
            Token::Reference(name) => reference(name, at)
                .map(|found| Piece::Character(Wide(found)))
                .map_err(|fault| syntax(text, fault)),
            Token::Declaration => {
                let end = self.at();
                self.declaration(at, end).map_err(|fault| syntax(text, fault))?;
                Ok(Piece::Nothing)
            }
            Token::Instruction => Err(self.fault(at, "processing instructions are not taken")),
            Token::DocumentType => Err(self.fault(at, "document type declarations are not taken")),
            _ => Ok(Piece::Nothing),
        }
    }

    #[cold]
    fn too_deep(&self, at: usize) -> Error {
        let message = format!("elements nest deeper than {XML_DEPTH_MAX}");
        Error { position: Some(self.position(at)), ..Error::new(ErrorKind::TooDeep, message) }
    }

    /// Reads a start tag. `<` is at `at`, and the character before `>` or `/>` is before `end`.
    #[inline]
    fn open(&mut self, at: usize, name_end: usize, end: usize) -> Result<Open<'a>, Error> {
        let text: &'a str = self.text;
        self.depth += 1;
        if self.depth > XML_DEPTH_MAX {
            return Err(self.too_deep(at));
        }
        let name = &text[at + 1..name_end];
        if name.is_empty() {
            return Err(self.fault(at, "expected a name"));
        }
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        let depth = self.depth as u32;
        let none = Scope::NONE;
        let mut open = Open { at, prefix, name: local, nil: 0, attribute: None, end, depth, scope: none };
        if name_end < end {
            self.read_attributes(&mut open, name_end, end).map_err(|fault| syntax(text, fault))?;
        }
        let Some(scope) = self.scopes.find(prefix).filter(|_| !name.starts_with(':')) else {
            return Err(self.undeclared(at, name, prefix));
        };
        open.scope = scope;
        Ok(open)
    }

    #[cold]
    fn undeclared(&self, at: usize, name: &str, prefix: &str) -> Error {
        if let Err(fault) = check_name(name, at) {
            return syntax(self.text, fault);
        }
        self.fault(at, format!("the prefix {} is not declared", shown(prefix)))
    }

    /// Checks the name of an unknown element. Known names are valid.
    ///
    /// # Errors
    /// It is not a valid name.
    pub fn check_name(&self, open: &Open<'a>) -> Result<(), Error> {
        if open.name.len() <= XML_NAME_BYTES_MAX && is_name(open.name) {
            return Ok(());
        }
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
                (XSI, "nil", "true" | "1") => open.nil = 1,
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
        check_declared_order(&given).map_err(|message| (at, message.to_owned()))?;
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
}

/// Checks that an XML declaration has the required and the allowed parts, in order (section 2.8).
pub(crate) fn check_declared_order(given: &[RawAttribute<'_>]) -> Result<(), &'static str> {
    let all = ["version", "encoding", "standalone"];
    let is_known = |given: &RawAttribute<'_>| all.contains(&given.name);
    let in_order = given.first().is_some_and(|first| first.name == "version")
        && given.is_sorted_by_key(|given| all.iter().position(|known| *known == given.name))
        && given.iter().all(is_known);
    match in_order {
        true => Ok(()),
        false => Err("an XML declaration has a version, then an encoding, then 'standalone'"),
    }
}

/// The start of a request's text, cut to the length that a message shows: 64 characters.
#[must_use]
pub fn shown(written: &str) -> String {
    written.chars().take(64).collect()
}
