//! Writes a command as COBOL: arguments into the slots of the frame, the call, the results, and the place to
//! go on.
//!
//! Every option is written with its own line, so that cobc reports a wrong name at the place where the user
//! wrote it.

use std::ops::Range;

use copybook::TokenKind;

use super::blocks::Block;
use super::command::{Parsed, ParsedOption, Target};
use super::data::{Class, Data};
use super::frame::Frame;
use super::literals::Substitutes;
use super::output::{Edit, Origin};
use super::varying::Varying;
use super::{LABELS_MAX, Translator, codes};
use crate::commands::names::{CONDITION, MEDIATYPE};
use crate::commands::{Argument, Way, Width};
use crate::interface::{self, Given, Invocation, Kind, SLOTS_MAX};

/// GnuCOBOL's limit for a literal under -std=ibm-strict. Longer commands are items of WORKING-STORAGE.
const LITERAL_MAX_BYTES: usize = 160;

/// Words that begin a value that is not a data item.
const NOT_ITEMS: &[&str] = &["DFHRESP", "DFHVALUE", "FUNCTION", "LENGTH", "ZERO", "ZEROES", "ZEROS"];

/// The facts of the text around a command.
pub(super) struct Context<'c> {
    pub(super) substitutes: &'c Substitutes,
    pub(super) data: &'c Data,
    pub(super) groups: &'c [Varying],
}

/// A command whose labels have numbers.
pub(super) struct Labelled {
    parsed: Parsed,
    /// The number of each option's label; 0 for none.
    labels: Vec<u16>,
}

/// A command that is being written.
struct Writer<'w> {
    context: &'w Context<'w>,
    /// The program of the command.
    unit: Option<usize>,
    /// True if the command has an option for the length of its data.
    has_length: bool,
    options: Vec<Given>,
    slots: usize,
    /// True if a number of the command is in a pointer.
    pointer_numbers: bool,
    before: Vec<(Origin, String)>,
    after: Vec<(Origin, String)>,
}

impl Translator<'_> {
    /// Gives the labels of a command their numbers in its program.
    pub(super) fn labelled(&mut self, parsed: Parsed, frame: &mut Frame) -> Labelled {
        let labels = parsed.options.iter().map(|option| {
            let is_label = match option.target {
                Target::Option(option) => option.argument == Argument::Label,
                Target::Condition(_) => true,
            };
            let argument = option.argument.clone().filter(|_| is_label)?;
            Some(self.label(argument, frame))
        });
        let labels: Vec<Result<u16, (Range<usize>, String)>> =
            labels.map(|label| label.unwrap_or(Ok(0))).collect();
        let numbers = labels.into_iter().map(|label| {
            label.unwrap_or_else(|(tokens, message)| {
                self.error(codes::BAD_ARGUMENT, tokens, (message, None));
                0
            })
        });
        Labelled { labels: numbers.collect(), parsed }
    }

    fn label(&self, argument: Range<usize>, frame: &mut Frame) -> Result<u16, (Range<usize>, String)> {
        let [token] = &self.tokens[argument.clone()] else {
            return Err((argument, "expected the name of one paragraph or section".to_owned()));
        };
        // A number may name a paragraph.
        if !matches!(token.kind, TokenKind::Word | TokenKind::Number) {
            return Err((argument, format!("expected a paragraph or section, found {}", token.text)));
        }
        let number = frame.label(token.text, argument.start);
        let number = number.filter(|number| usize::from(*number) <= LABELS_MAX);
        number.ok_or_else(|| (argument, format!("expected at most {LABELS_MAX} labels in a program")))
    }

    /// Puts COBOL in place of a block.
    pub(super) fn emit(
        &mut self,
        block: &Block,
        labelled: &Labelled,
        context: &Context<'_>,
        frame: &mut Frame,
    ) {
        let start = Origin::Text(self.tokens[block.first].span.start);
        let mut writer = Writer {
            context,
            unit: block.unit_code,
            has_length: labelled.parsed.options.iter().any(has_length),
            options: Vec::new(),
            slots: 0,
            pointer_numbers: false,
            before: Vec::new(),
            after: Vec::new(),
        };
        for (option, label) in labelled.parsed.options.iter().zip(&labelled.labels) {
            self.write_option(option, *label, &mut writer);
        }
        if writer.slots > SLOTS_MAX {
            let message = (format!("expected at most {SLOTS_MAX} arguments in a command"), None);
            return self.error(codes::TOO_MANY, block.first..block.end, message);
        }
        let parsed = &labelled.parsed;
        let invocation = Invocation {
            function: parsed.command.function,
            no_handle: parsed.no_handle,
            line: self.program.place(&self.tokens[block.first].span).line,
            options: writer.options,
        };
        let bytes = match invocation.encode() {
            Ok(bytes) => bytes,
            Err(reason) => return self.error(codes::TOO_MANY, block.first..block.end, (reason.0, None)),
        };
        frame.slots = frame.slots.max(writer.slots);
        frame.used = true;
        frame.pointer_numbers |= writer.pointer_numbers;
        let mut lines = writer.before;
        let command = if bytes.len() <= LITERAL_MAX_BYTES { hex(&bytes) } else { frame.long_command(bytes) };
        lines.push((start, format!("CALL \"{}\" USING GANTRY-FRAME", interface::ENTRY_POINT)));
        lines.push((start, command));
        lines.push((start, "RETURNING GANTRY-NEXT".to_owned()));
        lines.extend(writer.after);
        for (field, argument) in [("EIBRESP", &parsed.resp), ("EIBRESP2", &parsed.resp2)] {
            if let Some(argument) = argument {
                self.check_number(argument, context, if field == "EIBRESP" { "RESP" } else { "RESP2" });
                let at = Origin::Text(self.tokens[argument.start].span.start);
                lines.push((at, format!("MOVE {field} TO {}", self.argument(argument, context))));
            }
        }
        lines.push((start, frame.go_on()));
        let span = self.tokens[block.first].span.start..self.tokens[block.end - 1].span.end;
        self.edits.push(Edit::lines(span, lines));
    }

    fn write_option(&mut self, option: &ParsedOption, label: u16, writer: &mut Writer<'_>) {
        let known = match option.target {
            Target::Condition(number) => {
                let argument = interface::Argument::Label(label);
                writer.options.push(Given { number: CONDITION + number, argument });
                return;
            }
            Target::Option(known) => known,
        };
        let number = known.name.number;
        let Some(argument) = &option.argument else {
            writer.options.push(Given { number, argument: interface::Argument::Keyword });
            return;
        };
        let kind = match known.argument {
            Argument::None => Kind::Keyword,
            Argument::Label => Kind::Label,
            Argument::Text { .. } | Argument::Separator | Argument::Optional => {
                if let Some(literal) = self.literal(argument) {
                    return self.write_literal(option, literal, writer);
                }
                Kind::Data { read: true, write: false }
            }
            Argument::Data(way) => match self.literal(argument) {
                Some(literal) if way == Way::In => return self.write_literal(option, literal, writer),
                // WEB CONVERSE takes and gives a media type. A literal does not get one back.
                Some(literal) if known.name == MEDIATYPE => {
                    return self.write_literal(option, literal, writer);
                }
                Some(_) => return self.needs_item(argument, known.name.text),
                None => Kind::Data { read: way != Way::Out, write: way != Way::In },
            },
            Argument::Characters { .. } if self.literal(argument).is_some() => {
                return self.needs_item(argument, known.name.text);
            }
            Argument::Characters { .. } => Kind::Data { read: false, write: true },
            Argument::Packed(way) => Kind::Data { read: way != Way::Out, write: way != Way::In },
            Argument::Number(way, width) => {
                self.check_number(argument, writer.context, known.name.text);
                self.check_width(argument, width, known.name.text);
                let is_item = self.is_item(argument);
                if way == Way::Out && !is_item {
                    return self.needs_item(argument, known.name.text);
                }
                // A length that is a literal or LENGTH OF does not get a value back.
                Kind::Number { read: way != Way::Out, write: way != Way::In && is_item }
            }
            Argument::Pointer(way) => Kind::Pointer { read: way != Way::Out, write: way != Way::In },
        };
        if kind == Kind::Label {
            writer.options.push(Given { number, argument: interface::Argument::Label(label) });
            return;
        }
        writer.slots += 1;
        let slot = u8::try_from(writer.slots - 1).unwrap_or(u8::MAX);
        writer.options.push(Given { number, argument: interface::Argument::Slot(slot, kind) });
        self.write_slot(argument, kind, writer);
    }

    /// Reports a literal, or another value that is not a data item, in an option that the command sets.
    fn needs_item(&mut self, argument: &Range<usize>, option: &str) {
        let message = format!("expected a data item for {option}, which the command sets");
        self.error(codes::BAD_ARGUMENT, argument.clone(), (message, None));
    }

    /// The statements that fill a slot, and those that take the result back.
    fn write_slot(&self, argument: &Range<usize>, kind: Kind, writer: &mut Writer<'_>) {
        let at = Origin::Text(self.tokens[argument.start].span.start);
        let value = self.argument(argument, writer.context);
        let n = writer.slots;
        let back = |statement: String| (at, format!("IF GANTRY-SET({n}) NOT = 0 {statement} END-IF"));
        match kind {
            Kind::Keyword | Kind::Literal | Kind::Label => {}
            Kind::Data { read, .. } => {
                writer.before.push((at, format!("SET GANTRY-ADDRESS({n}) TO ADDRESS OF {value}")));
                // A group has its greatest length for data that arrives, and if the program says how much of it counts.
                let whole = if read && !writer.has_length { None } else { self.length_max(argument, writer) };
                let length = whole.unwrap_or_else(|| format!("LENGTH OF {value}"));
                writer.before.push((at, format!("MOVE {length} TO GANTRY-VALUE({n})")));
            }
            // Tokens of browses are fullwords. Generated programs keep them in pointers.
            Kind::Number { read, write } if self.is_pointer(argument, writer.context) => {
                writer.pointer_numbers = true;
                if read {
                    writer.before.push((at, format!("SET GANTRY-ADDRESS({n}) TO {value}")));
                    writer.before.push((at, format!("MOVE GANTRY-NUMBER({n}) TO GANTRY-VALUE({n})")));
                }
                if write {
                    let number = format!("MOVE GANTRY-VALUE({n}) TO GANTRY-NUMBER({n})");
                    writer.after.push(back(format!("{number} SET {value} TO GANTRY-ADDRESS({n})")));
                }
            }
            Kind::Number { read, write } => {
                if read && self.is_expression(argument) {
                    writer.before.push((at, format!("COMPUTE GANTRY-VALUE({n}) = {value}")));
                } else if read {
                    writer.before.push((at, format!("MOVE {value} TO GANTRY-VALUE({n})")));
                }
                if write {
                    writer.after.push(back(format!("MOVE GANTRY-VALUE({n}) TO {value}")));
                }
            }
            Kind::Pointer { read, write } => {
                if read {
                    writer.before.push((at, format!("SET GANTRY-ADDRESS({n}) TO {value}")));
                }
                if write {
                    writer.after.push(back(format!("SET {value} TO GANTRY-ADDRESS({n})")));
                }
            }
        }
    }

    /// The greatest length of a group with a table DEPENDING ON an item.
    fn length_max(&self, argument: &Range<usize>, writer: &Writer<'_>) -> Option<String> {
        let mut groups = writer.context.groups.iter();
        let group =
            groups.find(|group| Some(group.unit) == writer.unit && self.is_named(group, argument.clone()))?;
        Some(group.bytes_max.to_string())
    }

    fn write_literal(
        &mut self,
        option: &ParsedOption,
        literal: Result<Vec<u8>, String>,
        writer: &mut Writer<'_>,
    ) {
        let (Target::Option(known), Some(tokens)) = (option.target, option.argument.clone()) else { return };
        let bytes = match literal {
            Ok(bytes) => bytes,
            Err(message) => return self.error(codes::BAD_ARGUMENT, tokens, (message, None)),
        };
        let most = match known.argument {
            Argument::Text { max_bytes } => max_bytes.into(),
            Argument::Separator => 1,
            _ => usize::from(u16::MAX),
        };
        let significant = bytes.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1);
        if significant > most {
            let name = known.name.text;
            let message = format!("expected at most {most} characters for {name}, found {significant}");
            return self.error(codes::BAD_ARGUMENT, tokens, (message, None));
        }
        let argument = interface::Argument::Literal(bytes);
        writer.options.push(Given { number: known.name.number, argument });
    }

    /// The bytes of an argument that is one literal.
    fn literal(&self, argument: &Range<usize>) -> Option<Result<Vec<u8>, String>> {
        let [token] = &self.tokens[argument.clone()] else { return None };
        match &token.kind {
            TokenKind::Text(text) if text.is_ascii() => Some(Ok(text.clone().into_bytes())),
            TokenKind::Text(_) => Some(Err(
                "expected a literal of ASCII characters; put other text into a data item".to_owned(),
            )),
            TokenKind::Hex(bytes) => Some(Ok(bytes.clone())),
            TokenKind::Number => Some(Err(format!("expected characters, found the number {}", token.text))),
            _ => None,
        }
    }

    /// The text of an argument on one line, with its functions and registers replaced.
    pub(super) fn argument(&self, argument: &Range<usize>, context: &Context<'_>) -> String {
        let text = self.program.text();
        let mut out = String::new();
        let mut at = argument.start;
        let mut copied = self.tokens[at].span.start;
        while at < argument.end {
            let Some(substitute) = context.substitutes.get(&at) else {
                at += 1;
                continue;
            };
            out.push_str(&text[copied..self.tokens[at].span.start]);
            out.push_str(&substitute.text);
            at += substitute.tokens;
            copied = self.tokens[at - 1].span.end;
        }
        out.push_str(&text[copied..self.tokens[argument.end - 1].span.end.max(copied)]);
        // A literal never contains a line end.
        out.replace('\n', " ")
    }

    /// True if an argument must be computed.
    fn is_expression(&self, argument: &Range<usize>) -> bool {
        let mut depth = 0_usize;
        let first = &self.tokens[argument.start];
        if first.is_any(&["LENGTH", "FUNCTION"]) {
            return false;
        }
        self.tokens[argument.clone()].iter().any(|token| {
            match token.text {
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && matches!(token.text, "+" | "-" | "*" | "/")
        })
    }

    /// True if an argument is a data item that can be set.
    fn is_item(&self, argument: &Range<usize>) -> bool {
        let first = &self.tokens[argument.start];
        let is_name = first.kind == TokenKind::Word && !first.is_any(NOT_ITEMS);
        is_name && !self.is_expression(argument)
    }

    /// True if an argument is an item of USAGE POINTER.
    fn is_pointer(&self, argument: &Range<usize>, context: &Context<'_>) -> bool {
        let name = self.tokens[argument.start].text;
        self.is_item(argument) && context.data.class(name) == Some(Class::Pointer)
    }

    /// Checks that a number is not a group or an item of characters.
    fn check_number(&mut self, argument: &Range<usize>, context: &Context<'_>, option: &str) {
        let [token] = &self.tokens[argument.clone()] else { return };
        let found = match (&token.kind, context.data.class(token.text)) {
            (TokenKind::Text(_) | TokenKind::Hex(_), _) => "a literal of characters",
            (TokenKind::Word, Some(Class::Group)) => "a group",
            (TokenKind::Word, Some(Class::Text)) => "an item of characters",
            _ => return,
        };
        let message = format!("expected a number for {option}, found {found}: {}", token.text);
        self.error(codes::BAD_ARGUMENT, argument.clone(), (message, None));
    }

    /// Checks that a literal number fits its field.
    fn check_width(&mut self, argument: &Range<usize>, width: Width, option: &str) {
        let [token] = &self.tokens[argument.clone()] else { return };
        if token.kind != TokenKind::Number {
            return;
        }
        let (least, most) = match width {
            Width::Half => (i64::from(i16::MIN), i64::from(u16::MAX)),
            Width::Full | Width::Cvda => (i64::from(i32::MIN), i64::from(u32::MAX)),
            Width::Double => (i64::MIN, i64::MAX),
            Width::Time => (0, 9_999_999),
        };
        let fits = token.text.parse::<i64>().is_ok_and(|number| (least..=most).contains(&number));
        if !fits {
            let message =
                format!("expected a number from {least} to {most} for {option}, found {}", token.text);
            self.error(codes::BAD_ARGUMENT, argument.clone(), (message, None));
        }
    }
}

/// True for options with the length of a command's data.
fn has_length(option: &ParsedOption) -> bool {
    let Target::Option(option) = option.target else { return false };
    option.name.text.ends_with("LENGTH") && option.name.text != "KEYLENGTH"
}

/// A hexadecimal literal.
pub(super) fn hex(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    format!("X\"{digits}\"")
}
