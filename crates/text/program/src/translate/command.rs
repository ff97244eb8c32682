//! Reads an EXEC CICS block by the table of commands.

use std::ops::Range;

use copybook::{Severity, TokenKind};

use super::blocks::Block;
use super::literals::{similar, unknown_condition};
use super::{Message, TerminalCommands, Translator, codes};
use crate::commands::{self, Argument, Command, CommandOption, Refusal};
use crate::conditions;

/// HANDLE CONDITION and IGNORE CONDITION take this many conditions at most.
const CONDITIONS_MAX: usize = 16;

/// Words of WEB commands that programs shorten.
const SHORT_WORDS: [(&str, &str); 2] = [("STARTBR", "STARTBROWSE"), ("ENDBR", "ENDBROWSE")];

/// A command that has been read and has no faults.
pub(super) struct Parsed {
    pub(super) command: &'static Command,
    pub(super) options: Vec<ParsedOption>,
    /// The item of RESP.
    pub(super) resp: Option<Range<usize>>,
    /// The item of RESP2.
    pub(super) resp2: Option<Range<usize>>,
    pub(super) no_handle: bool,
}

/// An option that has been read.
pub(super) struct ParsedOption {
    pub(super) target: Target,
    /// Its name's token.
    pub(super) word: usize,
    /// The tokens in its brackets.
    pub(super) argument: Option<Range<usize>>,
}

/// The kinds of options.
#[derive(Clone, Copy)]
pub(super) enum Target {
    Option(&'static CommandOption),
    /// A condition of HANDLE CONDITION or IGNORE CONDITION, by its number.
    Condition(u16),
}

/// A word and the content of the brackets behind it.
#[derive(Clone)]
struct Item {
    word: usize,
    argument: Option<Range<usize>>,
}

impl Translator<'_> {
    /// Reads a block. None after a reported error.
    pub(super) fn command(&mut self, block: &Block) -> Option<Parsed> {
        let items = self.items(block)?;
        let Some((verb, items)) = items.split_first() else {
            let message = ("expected a command after EXEC CICS".to_owned(), None);
            self.error(codes::UNKNOWN_COMMAND, block.first..block.end, message);
            return None;
        };
        let command = match self.find(verb, items) {
            Ok(command) => command,
            Err((code, message)) => return self.refused(code, message, verb, items),
        };
        if let Some((message, help)) = commands::absent(command) {
            let word = verb.word..verb.word + 1;
            self.report(codes::ABSENT, word, (message, Some(help.to_owned())), Severity::Warning);
        }
        let found_before = self.findings.len();
        let mut parsed = Parsed { command, options: Vec::new(), resp: None, resp2: None, no_handle: false };
        for item in items {
            self.option(item, &mut parsed);
        }
        self.check_rules(&parsed, verb.word);
        if self.findings.len() > found_before {
            return None;
        }
        self.warn_of_absent_options(command, items);
        Some(parsed)
    }

    /// Warns of options that give nothing here.
    fn warn_of_absent_options(&mut self, command: &Command, items: &[Item]) {
        for item in items {
            let option = command.option(self.tokens[item.word].text);
            if let Some((message, help)) =
                option.and_then(|option| commands::absent_option(command, option.name))
            {
                let message = (message, Some(help.to_owned()));
                self.report(codes::ABSENT, item.word..item.word + 1, message, Severity::Warning);
            }
        }
    }

    /// Reports a command that cannot be translated. Or lets a command that needs a terminal fail at run time.
    fn refused(
        &mut self,
        code: copybook::Code,
        message: Message,
        verb: &Item,
        items: &[Item],
    ) -> Option<Parsed> {
        let word = verb.word..verb.word + 1;
        if code != codes::TERMINAL || self.settings.terminal == TerminalCommands::Refuse {
            self.error(code, word, message);
            return None;
        }
        self.report(code, word, message, Severity::Warning);
        let mut parsed = Parsed {
            command: &commands::TERMINAL_COMMAND,
            options: Vec::new(),
            resp: None,
            resp2: None,
            no_handle: false,
        };
        let common = ["RESP", "RESP2", "NOHANDLE"];
        let found_before = self.findings.len();
        for item in items.iter().filter(|item| self.tokens[item.word].is_any(&common)) {
            self.option(item, &mut parsed);
        }
        (self.findings.len() == found_before).then_some(parsed)
    }

    /// Splits a block into words with their brackets.
    fn items(&mut self, block: &Block) -> Option<Vec<Item>> {
        let inside = block.inside();
        let mut items = Vec::new();
        let mut at = inside.start;
        while at < inside.end {
            if self.tokens[at].kind != TokenKind::Word {
                let message = format!("expected an option of the command, found {}", self.tokens[at].text);
                let help = Some("write the value in parentheses after its option".to_owned());
                self.error(codes::BAD_ARGUMENT, at..at + 1, (message, help));
                return None;
            }
            let word = at;
            at += 1;
            let mut argument = None;
            if at < inside.end && self.tokens[at].text == "(" {
                let Some(close) = self.closing(at..inside.end) else {
                    let message = format!("the bracket after {} is not closed", self.tokens[word].text);
                    self.error(codes::BAD_ARGUMENT, word..at + 1, (message, None));
                    return None;
                };
                argument = Some(at + 1..close);
                at = close + 1;
            }
            items.push(Item { word, argument });
        }
        Some(items)
    }

    /// The bracket that closes the first one.
    fn closing(&self, tokens: Range<usize>) -> Option<usize> {
        let mut depth = 0_usize;
        for at in tokens {
            match self.tokens[at].text {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(at);
            }
        }
        None
    }

    fn find(&self, verb: &Item, items: &[Item]) -> Result<&'static Command, (copybook::Code, Message)> {
        let name = self.tokens[verb.word].text.to_ascii_uppercase();
        let second = items.first().map(|item| self.tokens[item.word].text.to_ascii_uppercase());
        let refused_pair = second.as_deref().is_some_and(|second| commands::is_refused_pair(&name, second));
        let is_short = |item: &Item, word: &str| {
            SHORT_WORDS.iter().any(|(short, full)| *full == word && self.tokens[item.word].is(short))
        };
        let has = |word: &str| {
            items
                .iter()
                .any(|item| self.tokens[item.word].is(word) || (name == "WEB" && is_short(item, word)))
        };
        // Options may have any order. In a browse, they may also stand in front of the resource.
        let word = |item: &Item| self.tokens[item.word].text.to_ascii_uppercase();
        let resource =
            items.iter().map(word).find(|word| !matches!(word.as_str(), "START" | "NEXT" | "END" | "AT"));
        let found = commands::find(&name, resource.as_deref(), has);
        // With a session token, a command of the server side is one of the client side.
        let has_token = found.is_some_and(|command| command.option("SESSTOKEN").is_some());
        let is_client = name == "WEB" && has("SESSTOKEN") && !has_token;
        if let Some(command) = found.filter(|_| !refused_pair && !is_client) {
            return Ok(command);
        }
        let shown = match second.as_deref() {
            Some("INTO" | "SET" | "FROM") | None => name.clone(),
            Some(second) if is_client && found.is_some() => format!("{name} {second} with SESSTOKEN"),
            Some(second) => format!("{name} {second}"),
        };
        Err(match commands::refusal(&name, second.as_deref()) {
            Some(Refusal::Terminal) => {
                let message = format!(
                    "EXEC CICS {shown} needs a terminal, which a program behind an API does not have"
                );
                let help = "move the code that other programs call into a program without terminal commands; in programs/, and with --allow-terminal-commands, they fail when they run";
                (codes::TERMINAL, (message, Some(help.to_owned())))
            }
            Some(Refusal::NotSupported) => {
                let help = commands::instead(&name).map(str::to_owned);
                (codes::NOT_SUPPORTED, (format!("EXEC CICS {shown} is not supported"), help))
            }
            None => {
                let verbs = commands::all().map(|command| command.words[0]).chain(commands::verbs());
                let message = format!("{name} is not a command of CICS");
                (codes::UNKNOWN_COMMAND, (message, similar(&name, verbs)))
            }
        })
    }

    fn option(&mut self, item: &Item, parsed: &mut Parsed) {
        let name = self.tokens[item.word].text.to_ascii_uppercase();
        match name.as_str() {
            "RESP" | "RESP2" => {
                parsed.no_handle |= name == "RESP";
                let place = if name == "RESP" { &mut parsed.resp } else { &mut parsed.resp2 };
                match &item.argument {
                    Some(argument) if !argument.is_empty() && place.is_none() => {
                        *place = Some(argument.clone())
                    }
                    Some(argument) if !argument.is_empty() => self.duplicate(item, &name),
                    _ => self.error_at(item, format!("{name} needs a binary fullword in brackets")),
                }
                return;
            }
            "NOHANDLE" => {
                parsed.no_handle = true;
                return;
            }
            _ => {}
        }
        let short = SHORT_WORDS.iter().find(|(short, _)| parsed.command.words[0] == "WEB" && *short == name);
        let name = short.map_or(name, |(_, full)| (*full).to_owned());
        let option = parsed.command.option(&name);
        let is_own_word = parsed.command.words[1..].contains(&name.as_str());
        let target = match option {
            Some(option) => Target::Option(option),
            None if is_own_word => return,
            None if parsed.command.words[1..] == ["CONDITION"] => match self.condition(item, &name, parsed) {
                Some(target) => target,
                None => return,
            },
            None => {
                let names = parsed.command.options.iter().map(|option| option.name.text);
                let help = similar(&name, names);
                let message = format!("Gantry does not know the option {name} of {}", parsed.command.name());
                return self.error(codes::UNKNOWN_OPTION, item.word..item.word + 1, (message, help));
            }
        };
        let same = |other: &ParsedOption| match (other.target, target) {
            (Target::Option(one), Target::Option(other)) => one.name == other.name,
            (Target::Condition(one), Target::Condition(other)) => one == other,
            _ => false,
        };
        if parsed.options.iter().any(same) {
            return self.duplicate(item, &name);
        }
        if let Target::Option(option) = target {
            let wants = option.argument != Argument::None;
            let has = item.argument.as_ref().is_some_and(|argument| !argument.is_empty());
            match (wants, has) {
                (true, false)
                    if !matches!(option.argument, Argument::Separator | Argument::Optional)
                        || item.argument.is_some() =>
                {
                    return self.error_at(item, format!("{name} needs a value in brackets"));
                }
                (false, _) if item.argument.is_some() => {
                    return self.error_at(item, format!("{name} takes no value"));
                }
                _ => {}
            }
            // A word that selects the command has no other meaning.
            if !wants && is_own_word {
                return;
            }
        }
        parsed.options.push(ParsedOption { target, word: item.word, argument: item.argument.clone() });
    }

    fn condition(&mut self, item: &Item, name: &str, parsed: &Parsed) -> Option<Target> {
        let Some(condition) = conditions::by_name(name) else {
            self.error(codes::UNKNOWN_CONDITION, item.word..item.word + 1, unknown_condition(name));
            return None;
        };
        if parsed.options.len() >= CONDITIONS_MAX {
            let message = (format!("expected at most {CONDITIONS_MAX} conditions in one command"), None);
            self.error(codes::TOO_MANY, item.word..item.word + 1, message);
            return None;
        }
        if parsed.command.words[0] == "IGNORE" && item.argument.is_some() {
            self.error_at(item, "IGNORE CONDITION takes conditions without labels".to_owned());
            return None;
        }
        if item.argument.as_ref().is_some_and(|argument| argument.is_empty()) {
            self.error_at(item, format!("expected a label in the brackets after {name}"));
            return None;
        }
        Some(Target::Condition(condition.number))
    }

    fn duplicate(&mut self, item: &Item, name: &str) {
        let message = (format!("{name} occurs twice in the command"), None);
        self.error(codes::DUPLICATE_OPTION, item.word..item.word + 1, message);
    }

    fn error_at(&mut self, item: &Item, message: String) {
        self.error(codes::BAD_ARGUMENT, item.word..item.word + 1, (message, None));
    }
}
