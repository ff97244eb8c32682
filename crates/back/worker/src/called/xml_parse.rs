//! XML PARSE: the events of a document, one for each call of a program.
//!
//! The rules are those of Enterprise COBOL with XMLPARSE(XMLSS) (Language Reference, "XML PARSE statement"
//! and the special registers; Programming Guide, "Processing XML input"). XML-CODE has a return code of z/OS
//! XML System Services in its upper half. Its lower half has a reason that IBM documents, if one fits;
//! otherwise 0.

use std::collections::{HashMap, VecDeque};

use codepage::{Encoding, Form, Unmappable};
use program::interface::NEXT_LEAVE;
use program::interface::xml::{
    EVENT_BYTES, FLAG_NATIONAL_DOCUMENT, FLAG_RETURNING_NATIONAL, Parse, Register, STATE_EVENT, STATE_NONE,
};
use xml::{Event, EventKind, Events, Exception, Wrong};

use crate::cobol::arguments::Area;
use crate::task;

/// The most bytes of a document, with all its parts, whose events the program has not had yet.
const DOCUMENT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// A text of an event fits its register.
const _: () = assert!(xml::XML_EVENT_BYTES_MAX == program::interface::xml::TEXT_BYTES_MAX);

/// UTF-16, big-endian: the encoding of national items.
const NATIONAL: u16 = 1200;

/// The program ends the parse.
const CODE_STOP: i32 = -1;

/// At END-OF-INPUT: the item has the next part of the document.
const CODE_NEXT_PART: i32 = 1;

/// XRC_NOT_WELL_FORMED.
const NOT_WELL_FORMED: i32 = 0x000C_0000;

/// XRC_NOT_WELL_FORMED with XRSN_ENDTAG_NAME_MISMATCH.
const END_TAG: i32 = 0x000C_3035;

/// XRC_WARNING with the reasons of Enterprise COBOL for prefixes that are not declared. The program may go on.
const ELEMENT_PREFIX: i32 = 0x0004_0800;
const ATTRIBUTE_PREFIX: i32 = 0x0004_0801;

/// XRC_FAILURE: the document is not accepted.
const NOT_TAKEN: i32 = 0x0008_0000;

/// XRC_FATAL: the document has no encoding that can be read.
const NO_ENCODING: i32 = 0x0010_0000;

/// XML-INFORMATION: a text is complete, or goes on in the next event.
const WHOLE: i32 = 1;
const GOES_ON: i32 = 2;

/// The abend of a program that sets XML-CODE to a value that is not allowed (Language Environment: IGZ0230S
/// ends with it).
const BAD_CODE: [u8; 4] = *b"4038";

/// The parses of a task, by the address of the area that the program and the runtime share.
#[derive(Debug, Default)]
pub(crate) struct Parses(HashMap<usize, Parser>);

/// An event as the program gets it.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    name: &'static str,
    /// The text, or else the character for the national register.
    text: String,
    namespace: String,
    prefix: String,
    information: i32,
    code: i32,
    /// True for a character that the document's encoding does not have.
    is_character: bool,
}

/// One parse.
#[derive(Debug)]
struct Parser {
    events: Events,
    /// The encoding of the document; none if it is not known.
    encoding: Option<Encoding>,
    is_national: bool,
    /// The first bytes of a character that the last part of the document has cut.
    rest: Vec<u8>,
    /// Events that come before the next one of the document.
    queue: VecDeque<Told>,
    /// The last event.
    last: Last,
    /// The registers of the last event, each with a blank behind it.
    texts: [Vec<u8>; Register::ALL.len()],
}

/// The effect of an event on the program's next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    Normal,
    /// The program may give another part.
    InputEnd,
    DocumentEnd,
    /// An exception, and its code. The program may go on only after a warning.
    Exception {
        code: i32,
        is_warning: bool,
    },
}

/// The outcome of a call.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Event(Told),
    /// The parse ends with this code.
    End(i32),
    /// The program has set XML-CODE to a value that is not allowed.
    BadCode,
}

/// Gives the next event of a parse.
pub(crate) fn next(frame: usize, parse: &mut Parse) -> i32 {
    let outcome = task::with(|runtime| {
        if runtime.level().leaving {
            return None;
        }
        let ccsid = runtime.task.ccsid;
        let key = std::ptr::from_ref(parse).addr();
        if parse.state == STATE_NONE {
            runtime.xml_parses.0.insert(key, Parser::new(parse, ccsid));
        }
        let parser = runtime.xml_parses.0.get_mut(&key)?;
        let area = Area::new(parse.document, usize::try_from(parse.bytes).unwrap_or(0));
        let outcome = parser.answer(parse.state == STATE_EVENT, parse.code, || area.copy());
        match &outcome {
            Outcome::Event(told) => parser.show(told, parse, ccsid),
            _ => drop(runtime.xml_parses.0.remove(&key)),
        }
        Some(outcome)
    });
    match outcome.flatten() {
        None => return NEXT_LEAVE,
        Some(Outcome::Event(_)) => parse.state = STATE_EVENT,
        Some(Outcome::End(code)) => (parse.state, parse.code) = (STATE_NONE, code),
        Some(Outcome::BadCode) => {
            let message = format!(
                "XML PARSE at line {}: expected XML-CODE 0 or -1, or 1 at END-OF-INPUT, found {}",
                parse.line, parse.code
            );
            parse.state = STATE_NONE;
            task::abend_in_call(BAD_CODE, message);
        }
    }
    task::after_call(frame)
}

impl Parser {
    fn new(parse: &Parse, ccsid: u16) -> Self {
        let is_document = parse.flags & FLAG_NATIONAL_DOCUMENT != 0;
        let wanted = match (is_document, u16::try_from(parse.ccsid)) {
            (true, _) => NATIONAL,
            (false, Ok(0)) => ccsid,
            (false, wanted) => wanted.unwrap_or(0),
        };
        let bytes = Area::new(parse.document, usize::try_from(parse.bytes).unwrap_or(0)).copy();
        let is_national = is_document || parse.flags & FLAG_RETURNING_NATIONAL != 0;
        Self::of(&bytes, Encoding::by_ccsid(wanted), is_national)
    }

    fn of(bytes: &[u8], encoding: Option<Encoding>, is_national: bool) -> Self {
        let mut parser = Self {
            events: Events::new(String::new()),
            encoding,
            is_national,
            rest: Vec::new(),
            queue: VecDeque::new(),
            last: Last::Normal,
            texts: Default::default(),
        };
        if parser.encoding.is_none_or(|encoding| encoding.form() == Form::DoubleByte) {
            parser.queue.push_back(Told::exception(NO_ENCODING));
        } else {
            parser.take(bytes);
        }
        // Whatever the bytes are, the document begins.
        if let Some(failed) = parser.queue.pop_front() {
            parser.queue.extend([Told::event(EventKind::DocumentStart), failed]);
        }
        parser
    }

    /// Takes a part of the document. If it is not valid, an exception is the next event.
    fn take(&mut self, bytes: &[u8]) {
        let Some(encoding) = self.encoding else { return };
        self.rest.extend_from_slice(bytes);
        if self.rest.len() > DOCUMENT_BYTES_MAX {
            return self.queue.push_back(Told::exception(NOT_TAKEN));
        }
        let whole = whole_characters(encoding.form(), &self.rest);
        let mut text = String::with_capacity(whole);
        match encoding.decode(&self.rest[..whole], Unmappable::Error, &mut text) {
            Ok(_) => {
                self.rest.drain(..whole);
                // A byte order mark is not a part of the document.
                self.events.push(text.strip_prefix('\u{feff}').unwrap_or(&text));
            }
            Err(_) => self.queue.push_back(Told::exception(NO_ENCODING)),
        }
    }

    /// The next event, after the program has answered the last one with a code.
    fn answer(&mut self, has_event: bool, code: i32, part: impl FnOnce() -> Vec<u8>) -> Outcome {
        if has_event {
            match (self.last, code) {
                (Last::Exception { code: own, is_warning }, code) if !is_warning || code != 0 => {
                    return Outcome::End(own);
                }
                (Last::Exception { .. }, _) => {}
                (_, CODE_STOP) => return Outcome::End(CODE_STOP),
                (Last::DocumentEnd, 0) => return Outcome::End(0),
                (Last::InputEnd, CODE_NEXT_PART) => self.take(&part()),
                (Last::InputEnd, 0) if self.rest.is_empty() => self.events.finish(),
                // Half of a character is left.
                (Last::InputEnd, 0) => self.queue.push_back(Told::exception(NO_ENCODING)),
                (_, 0) => {}
                _ => return Outcome::BadCode,
            }
        }
        if self.queue.is_empty() {
            self.read();
        }
        let Some(told) = self.queue.pop_front() else { return Outcome::End(NOT_WELL_FORMED) };
        self.last = match told.name {
            INPUT_END => Last::InputEnd,
            DOCUMENT_END => Last::DocumentEnd,
            EXCEPTION => {
                let is_warning = matches!(told.code, ELEMENT_PREFIX | ATTRIBUTE_PREFIX);
                Last::Exception { code: told.code, is_warning }
            }
            _ => Last::Normal,
        };
        Outcome::Event(told)
    }

    /// Reads the next event of the document into the queue.
    fn read(&mut self) {
        match self.events.next_event() {
            Ok(event) => self.tell(event),
            Err(Exception { wrong, .. }) => self.queue.push_back(Told::exception(match wrong {
                Wrong::EndTag => END_TAG,
                Wrong::ElementPrefix => ELEMENT_PREFIX,
                Wrong::AttributePrefix => ATTRIBUTE_PREFIX,
                Wrong::NotTaken => NOT_TAKEN,
                _ => NOT_WELL_FORMED,
            })),
        }
    }

    /// Gives an event to the program. It becomes several events if it has characters that the document's
    /// encoding lacks; only references lead to such characters.
    fn tell(&mut self, event: Event) {
        let is_text = matches!(event.kind, EventKind::AttributeText | EventKind::Text);
        let lacks = |text: &str| {
            !self.is_national
                && self
                    .encoding
                    .is_none_or(|encoding| encoding.encode(text, Unmappable::Error, &mut Vec::new()).is_err())
        };
        let information = match is_text {
            true if event.whole => WHOLE,
            true => GOES_ON,
            false => 0,
        };
        let Event { kind, text, namespace, prefix, .. } = event;
        if !is_text || !lacks(&text) {
            let told = Told { text, namespace, prefix, information, ..Told::event(kind) };
            return self.queue.push_back(told);
        }
        let name = if kind == EventKind::Text { CONTENT_CHARACTER } else { ATTRIBUTE_CHARACTER };
        let mut pieces: Vec<Told> = Vec::new();
        let mut piece = String::new();
        for character in text.chars() {
            let mut buffer = [0; 4];
            let shown = character.encode_utf8(&mut buffer);
            if !lacks(shown) {
                piece.push(character);
                continue;
            }
            if !piece.is_empty() {
                let text = std::mem::take(&mut piece);
                pieces.push(Told { text, information: GOES_ON, ..Told::event(kind) });
            }
            pieces.push(Told { name, text: shown.to_owned(), is_character: true, ..Told::event(kind) });
        }
        if !piece.is_empty() {
            pieces.push(Told { text: piece, information, ..Told::event(kind) });
        }
        self.queue.extend(pieces);
    }

    /// Puts an event where the program sees it.
    fn show(&mut self, told: &Told, parse: &mut Parse, ccsid: u16) {
        self.texts.iter_mut().for_each(Vec::clear);
        let national = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
        let own = |text: &str| encoded(text, self.encoding);
        let shown =
            |register: Register| Register::ALL.iter().position(|known| *known == register).unwrap_or(0);
        if self.is_national || told.is_character {
            self.texts[shown(Register::NationalText)] = national(&told.text);
            self.texts[shown(Register::NationalNamespace)] = national(&told.namespace);
            self.texts[shown(Register::NationalPrefix)] = national(&told.prefix);
            self.texts[shown(Register::Shown)] = encoded(&told.text, Encoding::by_ccsid(ccsid));
        } else {
            self.texts[shown(Register::Text)] = own(&told.text);
            self.texts[shown(Register::Namespace)] = own(&told.namespace);
            self.texts[shown(Register::Prefix)] = own(&told.prefix);
        }
        for ((place, text), register) in parse.texts.iter_mut().zip(&mut self.texts).zip(Register::ALL) {
            let bytes = i64::try_from(text.len()).unwrap_or(0);
            (place.bytes, place.units) = (bytes, if register.is_national() { bytes / 2 } else { bytes });
            // A register without text still has an address at which a program may look.
            text.push(b' ');
            place.address = text.as_mut_ptr();
        }
        (parse.code, parse.information) = (told.code, told.information);
        parse.event = [b' '; EVENT_BYTES];
        parse.event[..told.name.len()].copy_from_slice(told.name.as_bytes());
    }
}

/// Text in an encoding. Characters that it does not have are substituted: they stand in names of namespaces alone.
fn encoded(text: &str, encoding: Option<Encoding>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    if let Some(encoding) = encoding {
        // Substitution does not fail.
        let _ = encoding.encode(text, Unmappable::Substitute, &mut bytes);
    }
    bytes
}

/// How many of the bytes are whole characters, if more may follow.
fn whole_characters(form: Form, bytes: &[u8]) -> usize {
    match form {
        Form::Utf8 => match std::str::from_utf8(bytes) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => bytes.len(),
        },
        Form::Utf16 => {
            let even = bytes.len() & !1;
            // The first half of a pair.
            let is_half = even >= 2 && (0xD8..0xDC).contains(&bytes[even - 2]);
            if is_half { even - 2 } else { even }
        }
        _ => bytes.len(),
    }
}

const INPUT_END: &str = "END-OF-INPUT";
const DOCUMENT_END: &str = "END-OF-DOCUMENT";
const EXCEPTION: &str = "EXCEPTION";
const CONTENT_CHARACTER: &str = "CONTENT-NATIONAL-CHARACTER";
const ATTRIBUTE_CHARACTER: &str = "ATTRIBUTE-NATIONAL-CHARACTER";

/// The value of XML-EVENT.
fn name(kind: EventKind) -> &'static str {
    match kind {
        EventKind::DocumentStart => "START-OF-DOCUMENT",
        EventKind::Version => "VERSION-INFORMATION",
        EventKind::Encoding => "ENCODING-DECLARATION",
        EventKind::Standalone => "STANDALONE-DECLARATION",
        EventKind::ElementStart => "START-OF-ELEMENT",
        EventKind::Namespace => "NAMESPACE-DECLARATION",
        EventKind::AttributeName => "ATTRIBUTE-NAME",
        EventKind::AttributeText => "ATTRIBUTE-CHARACTERS",
        EventKind::Text => "CONTENT-CHARACTERS",
        EventKind::DataStart => "START-OF-CDATA-SECTION",
        EventKind::DataEnd => "END-OF-CDATA-SECTION",
        EventKind::ElementEnd => "END-OF-ELEMENT",
        EventKind::Comment => "COMMENT",
        EventKind::InstructionTarget => "PROCESSING-INSTRUCTION-TARGET",
        EventKind::InstructionData => "PROCESSING-INSTRUCTION-DATA",
        EventKind::InputEnd => INPUT_END,
        EventKind::DocumentEnd => DOCUMENT_END,
    }
}

impl Told {
    /// An event without texts.
    fn event(kind: EventKind) -> Self {
        Self {
            name: name(kind),
            text: String::new(),
            namespace: String::new(),
            prefix: String::new(),
            information: 0,
            code: 0,
            is_character: false,
        }
    }

    fn exception(code: i32) -> Self {
        Self { name: EXCEPTION, code, ..Self::event(EventKind::DocumentEnd) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parser(bytes: &[u8], ccsid: u16) -> Parser {
        Parser::of(bytes, Encoding::by_ccsid(ccsid), false)
    }

    /// All events of a document, each with its text or code, and the code at the end.
    fn run(mut parser: Parser) -> (Vec<String>, i32) {
        let mut shown = Vec::new();
        let mut has_event = false;
        loop {
            match parser.answer(has_event, 0, Vec::new) {
                Outcome::Event(told) => {
                    let code = if told.code == 0 { String::new() } else { format!("{:08X}", told.code) };
                    shown.push(format!("{} {}{code}", told.name, told.text).trim_end().to_owned());
                }
                Outcome::End(code) => return (shown, code),
                Outcome::BadCode => panic!("0 is a code"),
            }
            has_event = true;
        }
    }

    #[test]
    fn characters_that_the_encoding_lacks_have_events_of_their_own() {
        let (shown, code) = run(parser(b"<e a='&#x20ac;1'>abc&#x1234;xyz</e>  ", 819));
        assert_eq!(
            shown,
            [
                "START-OF-DOCUMENT",
                "START-OF-ELEMENT e",
                "ATTRIBUTE-NAME a",
                "ATTRIBUTE-NATIONAL-CHARACTER \u{20ac}",
                "ATTRIBUTE-CHARACTERS 1",
                "CONTENT-CHARACTERS abc",
                "CONTENT-NATIONAL-CHARACTER \u{1234}",
                "CONTENT-CHARACTERS xyz",
                "END-OF-ELEMENT e",
                "END-OF-DOCUMENT",
            ]
        );
        assert_eq!(code, 0);
        // UTF-8 has all of them.
        let (shown, _) = run(parser("<e>é&#x1234;</e>".as_bytes(), 1208));
        assert_eq!(shown[2], "CONTENT-CHARACTERS é\u{1234}");
    }

    #[test]
    fn exceptions_have_the_codes_of_the_documentation() {
        for (bytes, ccsid, expected) in [
            (&b"<msg>Hello</mmsg>"[..], 819, 0x000C_3035),
            (b"<a:b/>", 819, 0x0004_0800),
            (b"<b c:d=''/>", 819, 0x0004_0801),
            (b"<a>", 819, 0x000C_0000),
            (b"<!DOCTYPE a><a/>", 819, 0x0008_0000),
            (b"<a>\xFF</a>", 1208, 0x0010_0000),
            (b"<a/>", 7, 0x0010_0000),
            (b"\0<\0a\0", 1200, 0x0010_0000),
        ] {
            let (shown, code) = run(parser(bytes, ccsid));
            assert_eq!(shown[0], "START-OF-DOCUMENT");
            let exceptions: Vec<&String> =
                shown.iter().filter(|event| event.starts_with(EXCEPTION)).collect();
            assert_eq!(exceptions, [&format!("EXCEPTION {expected:08X}")], "{bytes:?}");
            // Only a warning is passed over when the program sets XML-CODE to 0.
            let is_warning = matches!(expected, ELEMENT_PREFIX | ATTRIBUTE_PREFIX);
            assert_eq!(code, if is_warning { 0 } else { expected }, "{bytes:?}");
        }
    }

    #[test]
    fn a_program_can_stop_and_cannot_invent_codes() {
        let mut stopped = parser(b"<a/>", 819);
        assert!(matches!(stopped.answer(false, 0, Vec::new), Outcome::Event(_)));
        assert_eq!(stopped.answer(true, -1, Vec::new), Outcome::End(-1));
        for code in [1, 5, -2] {
            let mut parser = parser(b"<a/>", 819);
            assert!(matches!(parser.answer(false, 0, Vec::new), Outcome::Event(_)));
            assert_eq!(parser.answer(true, code, Vec::new), Outcome::BadCode, "{code}");
        }
        // An exception ends the parse, whatever the program says.
        for code in [0, -1, 5] {
            let mut parser = parser(b"x", 819);
            for _ in 0..2 {
                assert!(matches!(parser.answer(true, 0, Vec::new), Outcome::Event(_)));
            }
            assert_eq!(parser.answer(true, code, Vec::new), Outcome::End(NOT_WELL_FORMED), "{code}");
        }
    }

    #[test]
    fn parts_may_end_within_a_character() {
        for (ccsid, text) in [
            (1208, "<a>é\u{1F600}</a>".as_bytes().to_vec()),
            (1200, { "<a>é\u{1F600}</a>".encode_utf16().flat_map(u16::to_be_bytes).collect() }),
        ] {
            let mut bytes = text.chunks(1);
            let mut parser = parser(bytes.next().expect("a byte"), ccsid);
            let (mut content, mut has_event, mut code) = (String::new(), false, 0);
            loop {
                match parser.answer(has_event, code, || bytes.next().expect("a byte").to_vec()) {
                    Outcome::Event(told) => {
                        code = i32::from(told.name == INPUT_END);
                        if told.name == "CONTENT-CHARACTERS" {
                            content.push_str(&told.text);
                        }
                    }
                    end => break assert_eq!(end, Outcome::End(0)),
                }
                has_event = true;
            }
            assert_eq!(content, "é\u{1F600}");
        }
    }

    #[test]
    fn documents_that_are_too_long_are_not_taken() {
        let mut document = b"<a>".to_vec();
        document.resize(DOCUMENT_BYTES_MAX + 1, b' ');
        let (shown, code) = run(parser(&document, 819));
        assert_eq!(shown, ["START-OF-DOCUMENT", "EXCEPTION 00080000"]);
        assert_eq!(code, NOT_TAKEN);
    }
}
