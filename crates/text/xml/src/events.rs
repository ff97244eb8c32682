//! A document as a flat run of events, for readers that need every piece, with its markup, and that may get
//! the document in parts.
//!
//! The [`Cursor`](crate::Cursor) is faster, and is for readers that know the elements they need. This reader
//! keeps the unread text itself, so its caller need not hold the document.

mod content;
mod markup;
mod prefixes;

use std::collections::VecDeque;

use crate::error::{Error, ErrorKind};
use prefixes::Prefixes;

/// The most bytes of a tag, a comment or a processing instruction. Longer texts of elements come in several
/// events.
pub const XML_EVENT_BYTES_MAX: usize = 1_048_576;

/// The kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// The document begins.
    DocumentStart,
    /// The version in the XML declaration.
    Version,
    /// The encoding in the XML declaration.
    Encoding,
    /// `standalone` in the XML declaration.
    Standalone,
    /// A start tag: the name without a prefix.
    ElementStart,
    /// A declaration of a namespace in the tag.
    Namespace,
    /// The name of an attribute, without a prefix.
    AttributeName,
    /// The value of the attribute.
    AttributeText,
    /// Text of an element, with references resolved.
    Text,
    /// A CDATA section begins; its content is [`EventKind::Text`].
    DataStart,
    /// A CDATA section ends.
    DataEnd,
    /// The end of an element, with or without an end tag.
    ElementEnd,
    /// A comment.
    Comment,
    /// The target of a processing instruction.
    InstructionTarget,
    /// The text behind the target.
    InstructionData,
    /// The given text has ended, but the document has not.
    InputEnd,
    /// The document has ended. No event follows.
    DocumentEnd,
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its kind.
    pub kind: EventKind,
    /// The name, or the text.
    pub text: String,
    /// The namespace of the name, or the declared namespace. Empty for none.
    pub namespace: String,
    /// The prefix of the name, or the declared prefix. Empty for none, and for the default namespace.
    pub prefix: String,
    /// False if more of the same text follows in another event.
    pub whole: bool,
}

impl Event {
    fn new(kind: EventKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), namespace: String::new(), prefix: String::new(), whole: true }
    }
}

/// The reason why the document cannot be read further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Wrong {
    /// An end tag has another name than its start tag.
    EndTag,
    /// The prefix of an element is not declared. The reader can go on, with the name in no namespace.
    ElementPrefix,
    /// The prefix of an attribute is not declared. The reader can go on, as with an element.
    AttributePrefix,
    /// Another part is not XML.
    Other,
    /// The text may be XML, but is refused: a document type, or a part beyond a limit.
    NotTaken,
}

/// The fault of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exception {
    /// Its kind.
    pub wrong: Wrong,
    /// The fault in words. The position counts from the start of the document.
    pub error: Error,
}

/// The next action of the reader.
enum Next {
    Event(Event),
    /// A part without an event was passed.
    Passed,
    /// More text is needed for the next event.
    More,
}

/// A failure at a byte of the remaining text.
type Failed = (Wrong, usize, String);

fn failed<T>(at: usize, message: impl Into<String>) -> Result<T, Failed> {
    Err((Wrong::Other, at, message.into()))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Nothing has been read, so an XML declaration may come.
    Start,
    /// Before the outermost element.
    Prolog,
    Content,
    Data,
    Epilog,
    End,
}

/// An open element.
#[derive(Clone, Debug)]
struct Element {
    /// As written.
    name: String,
    namespace: String,
}

/// Reads a document event by event.
#[derive(Debug)]
pub struct Events {
    /// The remaining text.
    text: String,
    at: usize,
    /// The lines and the column of the text that is gone.
    passed: (usize, usize),
    place: Place,
    elements: Vec<Element>,
    prefixes: Prefixes,
    /// Events of the last tag that have not been given yet.
    queue: VecDeque<Result<Event, Exception>>,
    /// True once no more text comes.
    is_last: bool,
    /// A fault after which the reader cannot go on.
    broken: Option<Exception>,
}

impl Events {
    /// A reader of a document that begins with this text. A byte order mark is not part of it.
    #[must_use]
    pub fn new(text: String) -> Self {
        Self {
            text,
            at: 0,
            passed: (1, 1),
            place: Place::Start,
            elements: Vec::new(),
            prefixes: Prefixes::default(),
            queue: VecDeque::from([Ok(Event::new(EventKind::DocumentStart, ""))]),
            is_last: false,
            broken: None,
        }
    }

    /// Adds the next part of the document.
    pub fn push(&mut self, text: &str) {
        let gone = &self.text[..self.at];
        let lines = gone.bytes().filter(|byte| *byte == b'\n').count();
        let last = gone.rfind('\n').map_or(0, |found| found + 1);
        let column = gone[last..].chars().count();
        let before = if lines == 0 { self.passed.1 } else { 1 };
        self.passed = (self.passed.0 + lines, before + column);
        self.text.drain(..self.at);
        self.at = 0;
        self.text.push_str(text);
    }

    /// Ends the document.
    pub fn finish(&mut self) {
        self.is_last = true;
    }

    /// The next event. After [`EventKind::InputEnd`] the caller gives more text, or ends the document.
    ///
    /// # Errors
    /// The document is not XML, or is refused. A second call gives the same error, or goes on if the kind of
    /// the error allows it.
    pub fn next_event(&mut self) -> Result<Event, Exception> {
        loop {
            if let Some(told) = self.queue.pop_front() {
                return told;
            }
            if let Some(broken) = &self.broken {
                return Err(broken.clone());
            }
            match self.step() {
                Ok(Next::Event(event)) => return Ok(event),
                Ok(Next::Passed) => {}
                Ok(Next::More) if self.is_last => {
                    let failed =
                        (Wrong::Other, self.text.len() - self.at, "the document does not end".to_owned());
                    self.broken = Some(self.exception(failed));
                }
                Ok(Next::More) => return Ok(Event::new(EventKind::InputEnd, "")),
                Err(failed) => self.broken = Some(self.exception(failed)),
            }
        }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn step(&mut self) -> Result<Next, Failed> {
        match self.place {
            Place::Start => self.declaration(),
            Place::Prolog | Place::Epilog => self.around(),
            Place::Content => self.content(),
            Place::Data => self.data(),
            Place::End => Ok(Next::Event(Event::new(EventKind::DocumentEnd, ""))),
        }
    }

    /// The content before and after the outermost element.
    fn around(&mut self) -> Result<Next, Failed> {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
        let rest = self.rest();
        if rest.is_empty() && self.place == Place::Epilog {
            self.place = Place::End;
            return Ok(Next::Passed);
        }
        match rest.as_bytes() {
            [] | [b'<'] => Ok(Next::More),
            [b'<', b'!' | b'?', ..] => self.special(),
            [b'<', b'/', ..] => failed(0, "an end tag ends no element that is open"),
            [b'<', ..] if self.place == Place::Epilog => {
                failed(0, "expected the end of the document, found another element")
            }
            [b'<', ..] => self.start_tag(),
            _ if self.place == Place::Epilog => {
                failed(0, "expected the end of the document, found more text")
            }
            _ => failed(0, "expected an element, found text"),
        }
    }

    /// A fault at a byte of the remaining text, with its line and column.
    fn exception(&self, (wrong, at, message): Failed) -> Exception {
        let end = (self.at + at).min(self.text.len());
        let (line, column) = codepage::readable::position(&self.text, end);
        let (lines, first) = self.passed;
        let position = (lines + line - 1, if line == 1 { first + column - 1 } else { column });
        let error = Error { position: Some(position), ..Error::new(ErrorKind::Syntax, message) };
        Exception { wrong, error }
    }
}
