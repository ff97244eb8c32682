//! XML PARSE: GnuCOBOL 3 accepts the statement, but does not carry it out. The translator turns it into a
//! loop that asks the runtime for an event and performs the processing procedure.
//!
//! The special registers become items of the program. Registers of fixed length are in its storage, and those
//! whose length changes are at an address from the runtime. A register with its length is an item with
//! reference modification. This is an elementary item, like the register.

use std::collections::BTreeSet;
use std::ops::{ControlFlow, Range};

use copybook::{Token, TokenKind};

use super::blocks::Block;
use super::calls::ended_verb;
use super::data::Class;
use super::emit::Context;
use super::frame::Frame;
use super::literals::{Substitute, Substitutes};
use super::output::{Edit, Origin};
use super::units::{Region, Unit, Units};
use super::{Translator, codes};
use crate::interface::xml::{
    FLAG_NATIONAL_DOCUMENT, FLAG_RETURNING_NATIONAL, NEXT_EVENT, Register, STATE_NONE, TEXT_BYTES_MAX,
    storage,
};
use crate::verbs::VERBS;

/// The part of the statement before its exception phrases.
struct Head {
    /// The word XML.
    first: usize,
    document: Range<usize>,
    encoding: Option<Range<usize>>,
    is_national: bool,
    /// The procedure, with THRU.
    procedure: Range<usize>,
}

/// An exception phrase: its words, and whether it has NOT.
struct Phrase {
    words: Range<usize>,
    is_not: bool,
}

/// The part behind the head.
struct Tail {
    phrases: Vec<Phrase>,
    /// The token after the statement.
    end: usize,
    /// END-XML.
    closing: Option<usize>,
}

/// The needs of programs with XML PARSE.
#[derive(Default)]
pub(super) struct XmlParses {
    /// The outermost programs with the statement, in themselves or in nested ones.
    roots: BTreeSet<usize>,
    /// The registers that each program names.
    named: Vec<(usize, Register)>,
    /// The places of the statements, with their programs.
    statements: Vec<(usize, usize)>,
}

impl XmlParses {
    /// The programs with the statement.
    pub(super) fn programs(&self) -> impl Iterator<Item = usize> {
        self.statements.iter().map(|(_, unit)| *unit)
    }

    /// The additions to a program's WORKING-STORAGE.
    pub(super) fn storage(&self, unit: usize) -> Vec<String> {
        if self.roots.contains(&unit) { storage() } else { Vec::new() }
    }

    /// The additions to a program's LINKAGE SECTION.
    pub(super) fn linkage(&self, unit: usize) -> Vec<String> {
        let entry = |register: Register| {
            let bytes = if register.is_national() { 2 * TEXT_BYTES_MAX } else { TEXT_BYTES_MAX };
            format!("01 {} PIC X({bytes}).", register.item())
        };
        self.registers(unit).map(entry).collect()
    }

    /// The statements that find the registers of a program.
    pub(super) fn addresses(&self, unit: usize) -> Vec<String> {
        let address = |register: Register| {
            let item = register.item();
            format!("SET ADDRESS OF {item} TO {item}-AT")
        };
        self.registers(unit).map(address).collect()
    }

    fn registers(&self, unit: usize) -> impl Iterator<Item = Register> {
        self.named.iter().filter(move |(known, _)| *known == unit).map(|(_, register)| *register)
    }
}

impl Translator<'_> {
    /// Finds the statements, and replaces the names of registers in programs with such statements.
    pub(super) fn find_xml_parses(
        &mut self,
        units: &Units,
        blocks: &[Block],
        substitutes: &mut Substitutes,
    ) -> XmlParses {
        let mut parses = XmlParses::default();
        let mut at = 0;
        while at + 1 < self.tokens.len() {
            let is_parse = self.tokens[at].is("XML") && self.tokens[at + 1].is("PARSE");
            if let (true, Region::Code(unit)) = (is_parse, units.regions[at]) {
                parses.statements.push((at, unit));
                parses.roots.insert(root(&units.programs, unit));
            }
            at = block_end(blocks, at).unwrap_or(at + 1);
        }
        if !parses.roots.is_empty() {
            self.replace_registers(units, blocks, &mut parses, substitutes);
        }
        parses
    }

    fn replace_registers(
        &mut self,
        units: &Units,
        blocks: &[Block],
        parses: &mut XmlParses,
        substitutes: &mut Substitutes,
    ) {
        let mut at = 0;
        while at < self.tokens.len() {
            let Region::Code(unit) = units.regions[at] else {
                at += 1;
                continue;
            };
            let is_ours = parses.roots.contains(&root(&units.programs, unit));
            let found = if is_ours { self.register(at) } else { None };
            let Some((substitute, register)) = found else {
                at += 1;
                continue;
            };
            if let Some(register) = register.filter(|register| !parses.named.contains(&(unit, *register))) {
                parses.named.push((unit, register));
            }
            if !blocks.iter().any(|block| (block.first..block.end).contains(&at)) {
                let span = self.tokens[at].span.start..self.tokens[at + substitute.tokens - 1].span.end;
                self.edits.push(Edit::inline(span, substitute.text.clone()));
            }
            at += substitute.tokens;
            substitutes.insert(at - substitute.tokens, substitute);
        }
    }

    /// The replacement of a register at a token, with the functions around it.
    fn register(&self, at: usize) -> Option<(Substitute, Option<Register>)> {
        let is = |at: usize, word: &str| self.tokens.get(at).is_some_and(|token| token.is(word));
        let text = |at: usize| self.tokens.get(at).map_or("", |token| token.text);
        let whole = |register: Register, tokens: usize| {
            let item = register.item();
            (Substitute { text: format!("{item}(1:{item}-BYTES)"), tokens }, Some(register))
        };
        let plain = |text: String, tokens: usize| Some((Substitute { text, tokens }, None));
        let token = &self.tokens[at];
        if token.kind != TokenKind::Word {
            return None;
        }
        if token.is_any(&["XML-EVENT", "XML-INFORMATION"]) {
            return plain(format!("GANTRY-{}", token.text.to_ascii_uppercase()), 1);
        }
        if token.is("LENGTH") && is(at + 1, "OF") {
            return plain(format!("{}-BYTES", self.named_register(at + 2)?.item()), 3);
        }
        if token.is("ADDRESS") && is(at + 1, "OF") {
            let register = self.named_register(at + 2)?;
            let text = format!("ADDRESS OF {}", register.item());
            return Some((Substitute { text, tokens: 3 }, Some(register)));
        }
        if token.is("FUNCTION") && text(at + 2) == "(" && text(at + 4) == ")" {
            let register = self.named_register(at + 3);
            if is(at + 1, "LENGTH") {
                return plain(format!("{}-UNITS", register?.item()), 5);
            }
            if is(at + 1, "DISPLAY-OF") && register == Some(Register::NationalText) {
                return Some(whole(Register::Shown, 5));
            }
        }
        let register = self.named_register(at)?;
        match text(at + 1) {
            "(" => self.modified(at, register),
            _ => Some(whole(register, 1)),
        }
    }

    fn named_register(&self, at: usize) -> Option<Register> {
        let token = self.tokens.get(at)?;
        Register::ALL.into_iter().find(|register| register.name().is_some_and(|name| token.is(name)))
    }

    /// A register with reference modification. In a national register this counts characters of two bytes.
    fn modified(&self, at: usize, register: Register) -> Option<(Substitute, Option<Register>)> {
        let (mut depth, mut colon) = (0_usize, None);
        let mut close = at + 1;
        loop {
            let token = self.tokens.get(close)?;
            match token.text {
                "(" => depth += 1,
                ")" if depth == 1 => break,
                ")" => depth -= 1,
                ":" if depth == 1 => colon = Some(close),
                _ if token.kind == TokenKind::Period => return None,
                _ => {}
            }
            close += 1;
        }
        let colon = colon?;
        let item = register.item();
        let text = |tokens: Range<usize>| {
            let span = self.tokens.get(tokens.start)?.span.start..self.tokens.get(tokens.end - 1)?.span.end;
            Some(self.program.text()[span].replace('\n', " "))
        };
        let start = text(at + 2..colon)?;
        let length = if colon + 1 < close { Some(text(colon + 1..close)?) } else { None };
        let text = match (register.is_national(), length) {
            (false, Some(length)) => format!("{item}({start}:{length})"),
            (false, None) => format!("{item}({start}:{item}-BYTES - ({start}) + 1)"),
            (true, Some(length)) => format!("{item}(({start}) * 2 - 1:({length}) * 2)"),
            (true, None) => format!("{item}(({start}) * 2 - 1:{item}-BYTES - ({start}) * 2 + 2)"),
        };
        Some((Substitute { text, tokens: close + 1 - at }, Some(register)))
    }

    /// Writes the statements.
    pub(super) fn write_xml_parses(
        &mut self,
        parses: &XmlParses,
        blocks: &[Block],
        context: &Context<'_>,
        frames: &[Frame],
    ) {
        for &(at, unit) in &parses.statements {
            let head = match self.xml_head(at) {
                Ok(head) => head,
                Err((tokens, message)) => {
                    self.error(codes::BAD_XML_PARSE, tokens, (message, None));
                    continue;
                }
            };
            let tail = self.xml_tail(head.procedure.end, blocks);
            let lines = self.xml_loop(&head, context, &frames[unit].go_on(), &parses.addresses(unit));
            let span = self.tokens[head.first].span.start..self.tokens[head.procedure.end - 1].span.end;
            self.edits.push(Edit::lines(span, lines));
            self.write_xml_tail(&tail);
        }
    }

    /// Reads the statement up to its exception phrases.
    fn xml_head(&self, first: usize) -> Result<Head, (Range<usize>, String)> {
        let words = ["WITH", "ENCODING", "RETURNING", "VALIDATING", "PROCESSING"];
        let is = |at: usize, word: &str| self.tokens.get(at).is_some_and(|token| token.is(word));
        let until = |from: usize| {
            let ends = |token: &Token<'_>| token.is_any(&words) || token.kind == TokenKind::Period;
            let found = self.tokens[from..].iter().position(ends);
            from + found.unwrap_or(self.tokens.len() - from)
        };
        let wrong = |at: usize, message: &str| {
            let found = self.tokens.get(at).map_or("the end of the text", |token| token.text);
            Err((first..first + 2, format!("{message}, found {found}")))
        };
        let mut at = until(first + 2);
        let document = first + 2..at;
        if document.is_empty() {
            return wrong(at, "expected the item that has the document");
        }
        let (mut encoding, mut is_national) = (None, false);
        loop {
            let word = at + usize::from(is(at, "WITH"));
            if is(word, "ENCODING") {
                at = until(word + 1);
                encoding = Some(word + 1..at).filter(|tokens| !tokens.is_empty());
            } else if is(word, "RETURNING") && is(word + 1, "NATIONAL") {
                is_national = true;
                at = word + 2;
            } else if is(word, "VALIDATING") {
                return Err((word..word + 1, "XML PARSE does not validate documents".to_owned()));
            } else {
                break;
            }
        }
        if !is(at, "PROCESSING") || !is(at + 1, "PROCEDURE") {
            return wrong(at, "expected PROCESSING PROCEDURE");
        }
        let start = at + 2 + usize::from(is(at + 2, "IS"));
        let Some(mut end) = self.procedure_end(start) else {
            return wrong(start, "expected the name of a paragraph or section");
        };
        if is(end, "THRU") || is(end, "THROUGH") {
            end = match self.procedure_end(end + 1) {
                Some(end) => end,
                None => return wrong(end + 1, "expected the name of a paragraph or section"),
            };
        }
        Ok(Head { first, document, encoding, is_national, procedure: start..end })
    }

    /// The token after the name of a procedure, which may be qualified.
    fn procedure_end(&self, at: usize) -> Option<usize> {
        let is_name = |at: usize| {
            self.tokens.get(at).is_some_and(|token| matches!(token.kind, TokenKind::Word | TokenKind::Number))
        };
        if !is_name(at) {
            return None;
        }
        let is_qualified = self.tokens.get(at + 1).is_some_and(|token| token.is_any(&["OF", "IN"]));
        Some(if is_qualified && is_name(at + 2) { at + 3 } else { at + 1 })
    }

    /// The loop that replaces the head.
    fn xml_loop(
        &self,
        head: &Head,
        context: &Context<'_>,
        go_on: &str,
        addresses: &[String],
    ) -> Vec<(Origin, String)> {
        let origin = |token: usize| Origin::Text(self.tokens[token].span.start);
        let start = origin(head.first);
        let document = self.argument(&head.document, context);
        let is_national_document = match &self.tokens[head.document.clone()] {
            [name] => context.data.class(name.text) == Some(Class::National),
            _ => false,
        };
        let mut flags = if head.is_national { FLAG_RETURNING_NATIONAL } else { 0 };
        flags |= if is_national_document { FLAG_NATIONAL_DOCUMENT } else { 0 };
        let (encoding, encoding_at) = match &head.encoding {
            Some(tokens) => (self.argument(tokens, context), origin(tokens.start)),
            None => ("0".to_owned(), start),
        };
        let line = self.program.place(&self.tokens[head.first].span).line;
        let at_document = origin(head.document.start);
        let mut lines = vec![
            (start, "MOVE 0 TO GANTRY-XML-STATE GANTRY-XML-CODE".to_owned()),
            (start, format!("MOVE {flags} TO GANTRY-XML-FLAGS MOVE {line} TO GANTRY-XML-LINE")),
            (encoding_at, format!("MOVE {encoding} TO GANTRY-XML-CCSID")),
            (start, format!("PERFORM WITH TEST AFTER UNTIL GANTRY-XML-STATE = {STATE_NONE}")),
            (at_document, format!("SET GANTRY-XML-DOCUMENT TO ADDRESS OF {document}")),
            (at_document, format!("MOVE LENGTH OF {document} TO GANTRY-XML-BYTES")),
            (start, format!("CALL \"{NEXT_EVENT}\" USING GANTRY-FRAME GANTRY-XML")),
            (start, format!("RETURNING GANTRY-NEXT {go_on}")),
            (start, "MOVE GANTRY-XML-CODE TO XML-CODE".to_owned()),
            (start, format!("IF GANTRY-XML-STATE NOT = {STATE_NONE}")),
        ];
        lines.extend(addresses.iter().map(|address| (start, address.clone())));
        let procedure = self.argument(&head.procedure, context);
        lines.push((origin(head.procedure.start), format!("PERFORM {procedure}")));
        lines.push((start, "MOVE XML-CODE TO GANTRY-XML-CODE END-IF END-PERFORM".to_owned()));
        lines
    }

    /// Finds the exception phrases and the end of the statement: at END-XML, or where the statement around it
    /// goes on.
    fn xml_tail(&self, from: usize, blocks: &[Block]) -> Tail {
        let mut scan = Scan { open: vec![Open { verb: "XML", in_phrase: false, has_not: false }], at: from };
        let mut tail = Tail { phrases: Vec::new(), end: from, closing: None };
        while let Some(token) = self.tokens.get(scan.at) {
            if let Some(end) = block_end(blocks, scan.at) {
                if scan.begins().is_break() {
                    break;
                }
                scan.at = end;
                continue;
            }
            if token.kind == TokenKind::Period {
                break;
            }
            if token.kind == TokenKind::Word && self.xml_word(&mut scan, &mut tail) {
                break;
            }
            scan.at += 1;
        }
        tail.end = tail.closing.map_or(scan.at, |closing| closing + 1);
        tail
    }

    /// Reads a word behind the head. True if the statement ends with it, or before it.
    fn xml_word(&self, scan: &mut Scan, tail: &mut Tail) -> bool {
        let at = scan.at;
        let token = &self.tokens[at];
        let is = |at: usize, word: &str| self.tokens.get(at).is_some_and(|token| token.is(word));
        if token.is("EXCEPTION") {
            let on = at - usize::from(self.tokens[at - 1].is("ON"));
            let is_not = self.tokens[on - 1].is("NOT");
            if !scan.is_of_another(is_not) {
                scan.open.truncate(1);
                tail.phrases.push(Phrase { words: on - usize::from(is_not)..at + 1, is_not });
                scan.open[0].in_phrase = true;
            }
            return false;
        }
        if token.is_any(&["END", "INVALID", "ERROR", "OVERFLOW", "END-OF-PAGE", "EOP"]) {
            if let Some(open) = scan.open[1..].last_mut() {
                open.in_phrase = true;
            }
            return false;
        }
        if token.is_any(&["ELSE", "WHEN"]) {
            let wanted: &[&str] = if token.is("ELSE") { &["IF"] } else { &["EVALUATE", "SEARCH"] };
            return !scan.back_to(wanted);
        }
        if let Some(verb) = ended_verb(token) {
            if verb == "XML" && !scan.open[1..].iter().any(|open| open.verb == "XML") {
                tail.closing = Some(at);
                return true;
            }
            return !scan.close(verb);
        }
        let Some(verb) = VERBS.iter().find(|verb| token.is(verb)) else { return false };
        // READ NEXT and EXIT PERFORM are one statement each.
        if (*verb == "NEXT" && !is(at + 1, "SENTENCE")) || self.tokens[at - 1].is("EXIT") {
            return false;
        }
        if scan.begins().is_break() {
            return true;
        }
        // `PERFORM name` does not have an end of its own.
        if *verb != "PERFORM" || self.is_inline(at) {
            let in_phrase = matches!(*verb, "IF" | "EVALUATE" | "SEARCH" | "PERFORM");
            scan.open.push(Open { verb, in_phrase, has_not: false });
        }
        false
    }

    /// True for a PERFORM with statements of its own.
    fn is_inline(&self, at: usize) -> bool {
        let [_, next, after, ..] = &self.tokens[at..] else { return false };
        next.is_any(&["UNTIL", "VARYING", "WITH", "TEST"]) || next.is_any(VERBS) || after.is("TIMES")
    }

    /// Makes an IF of the exception phrases.
    fn write_xml_tail(&mut self, tail: &Tail) {
        for (number, phrase) in tail.phrases.iter().enumerate() {
            let text = match (number, phrase.is_not) {
                (0, false) => "IF XML-CODE NOT = 0",
                (0, true) => "IF XML-CODE = 0",
                _ => "ELSE",
            };
            let tokens = &self.tokens[phrase.words.clone()];
            let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { continue };
            self.edits.push(Edit::inline(first.span.start..last.span.end, text.to_owned()));
        }
        let end = if tail.phrases.is_empty() { "" } else { " END-IF" };
        match tail.closing {
            Some(closing) => {
                let span = self.tokens[closing].span.clone();
                self.edits.push(Edit::inline(span, end.trim_start().to_owned()));
            }
            None => {
                let at = self.tokens[tail.end - 1].span.end;
                self.edits.push(Edit::inline(at..at, end.to_owned()));
            }
        }
    }
}

/// The outermost program around one.
fn root(programs: &[Unit], unit: usize) -> usize {
    std::iter::successors(Some(unit), |unit| programs[*unit].parent).last().unwrap_or(unit)
}

/// The token after the block that a token begins.
fn block_end(blocks: &[Block], at: usize) -> Option<usize> {
    let found = blocks.binary_search_by_key(&at, |block| block.first).ok()?;
    Some(blocks[found].end)
}

/// An open statement, which may have an end of its own.
struct Open {
    verb: &'static str,
    /// Statements stand in it.
    in_phrase: bool,
    /// It has a phrase with NOT.
    has_not: bool,
}

/// The state of the reader of statements.
struct Scan {
    /// The open statements. The first one is the XML PARSE.
    open: Vec<Open>,
    at: usize,
}

impl Scan {
    /// A statement begins. Those before it end, unless it is in one of their phrases. Breaks if the XML PARSE
    /// ends.
    fn begins(&mut self) -> ControlFlow<()> {
        while self.open.last().is_some_and(|open| !open.in_phrase) {
            self.open.pop();
        }
        if self.open.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// An exception phrase begins. True if it belongs to a statement in a phrase of the XML PARSE: to the
    /// last one that may have exceptions and does not have such a phrase yet.
    fn is_of_another(&mut self, is_not: bool) -> bool {
        let may_have = |open: &Open| {
            let takes = matches!(open.verb, "CALL" | "XML" | "JSON" | "INVOKE");
            takes && if is_not { !open.has_not } else { !open.in_phrase }
        };
        let Some(found) = self.open.iter().skip(1).rposition(may_have) else { return false };
        self.open.truncate(found + 2);
        self.open[found + 1].in_phrase = true;
        self.open[found + 1].has_not = is_not;
        true
    }

    /// Ends the statements above the last of these; false if the only one is around the XML PARSE.
    fn back_to(&mut self, verbs: &[&str]) -> bool {
        let found = self.open.iter().skip(1).rposition(|open| verbs.contains(&open.verb));
        match found {
            Some(found) => {
                self.open.truncate(found + 2);
                true
            }
            None => false,
        }
    }

    /// Ends a statement by its END-word; false if it stands around the XML PARSE.
    fn close(&mut self, verb: &str) -> bool {
        let found = self.open.iter().skip(1).rposition(|open| open.verb.eq_ignore_ascii_case(verb));
        match found {
            Some(found) => {
                self.open.truncate(found + 1);
                true
            }
            None => false,
        }
    }
}
