//! A document as a flat run of events: what a reader needs that is told of every piece, markup too, and that may get the
//! document in parts.
//!
//! The [`Cursor`](crate::Cursor) is faster and is for readers that know what they look for. This reader keeps the text that
//! is still to be read, so it needs nobody who holds the document.

mod content;
mod markup;
mod prefixes;

use std::collections::VecDeque;

use crate::error::{Error, ErrorKind};
use prefixes::Prefixes;

/// How many bytes a tag, a comment or a processing instruction may have. Longer texts of elements come in several events.
pub const XML_EVENT_BYTES_MAX: usize = 1_048_576;

/// What an event tells.
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
    /// What follows the target.
    InstructionData,
    /// The text that was given has ended, and the document has not.
    InputEnd,
    /// The document has ended. No event follows.
    DocumentEnd,
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What it tells.
    pub kind: EventKind,
    /// The name, or the text.
    pub text: String,
    /// The namespace of the name; the namespace that is declared. Empty for none.
    pub namespace: String,
    /// The prefix of the name; the prefix that is declared. Empty for none, and for the default namespace.
    pub prefix: String,
    /// False if more of the same text follows in another event.
    pub whole: bool,
}

impl Event {
    fn new(kind: EventKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), namespace: String::new(), prefix: String::new(), whole: true }
    }
}

/// Why the document cannot be read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Wrong {
    /// An end tag has another name than the start tag.
    EndTag,
    /// The prefix of an element is not declared. The reader can go on, with the name in no namespace.
    ElementPrefix,
    /// The prefix of an attribute is not declared. The reader can go on, as with an element.
    AttributePrefix,
    /// Something else is not XML.
    Other,
    /// It may be XML, but is not taken: a document type, or what exceeds a limit.
    NotTaken,
}

/// What is wrong with a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exception {
    /// What it is.
    pub wrong: Wrong,
    /// In words. The position counts from the start of the document.
    pub error: Error,
}

/// What the reader does next.
enum Next {
    Event(Event),
    /// Something without an event was passed.
    Passed,
    /// More text is needed to know.
    More,
}

/// A failure at a byte of the text that is left.
type Failed = (Wrong, usize, String);

fn failed<T>(at: usize, message: impl Into<String>) -> Result<T, Failed> {
    Err((Wrong::Other, at, message.into()))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Nothing has been read, so that an XML declaration may come.
    Start,
    /// Before the outermost element.
    Prolog,
    Content,
    Data,
    Epilog,
    End,
}

/// An element that is open.
#[derive(Clone, Debug)]
struct Element {
    /// As written.
    name: String,
    namespace: String,
}

/// Reads a document event by event.
#[derive(Debug)]
pub struct Events {
    /// What is left.
    text: String,
    at: usize,
    /// The lines and the column of what is gone from the text.
    passed: (usize, usize),
    place: Place,
    elements: Vec<Element>,
    prefixes: Prefixes,
    /// What the last tag has told, and has not been given yet.
    queue: VecDeque<Result<Event, Exception>>,
    /// True once no more text comes.
    is_last: bool,
    /// What the reader cannot go on after.
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

    /// Adds the part of the document that follows.
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

    /// Says that nothing follows.
    pub fn finish(&mut self) {
        self.is_last = true;
    }

    /// The next event. After [`EventKind::InputEnd`] the caller gives more text, or says that there is none.
    ///
    /// # Errors
    /// The document is not XML, or is not taken. A second call gives the same error, or goes on if the kind of the
    /// error says so.
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

    /// What stands before and after the outermost element.
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

    /// What is wrong at a byte of the text that is left, with its line and column.
    fn exception(&self, (wrong, at, message): Failed) -> Exception {
        let end = (self.at + at).min(self.text.len());
        let (line, column) = codepage::readable::position(&self.text, end);
        let (lines, first) = self.passed;
        let position = (lines + line - 1, if line == 1 { first + column - 1 } else { column });
        let error = Error { position: Some(position), ..Error::new(ErrorKind::Syntax, message) };
        Exception { wrong, error }
    }
}
