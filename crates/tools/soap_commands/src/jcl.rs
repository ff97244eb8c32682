//! The lines of an assistant's parameters: a file of them, or a job that has them as the in-stream data of SYSUT1.
//!
//! Of a job only what the lines need is read: EXEC statements with their procedures and symbols, SET and PROC statements, and the DD
//! statement SYSUT1 with those that follow it without a name. Symbols are replaced in the data where the DD statement has SYMBOLS,
//! as JES does it.

use std::collections::HashMap;

/// The last column of a line of data, and the column that continues a text in quotes.
const DATA_COLUMNS: usize = 72;
/// The last column of a statement of a job.
const STATEMENT_COLUMNS: usize = 71;
/// The columns of a card.
const CARD_COLUMNS: usize = 80;
/// The columns before the rest of a text in quotes, which begins in column 16.
const QUOTED_COLUMNS: usize = 15;
/// The most characters of a line after symbols are replaced.
const LINE_CHARACTERS_MAX: usize = 10_000;

/// The procedures of the assistants, with the commands that do their work.
const ASSISTANTS: [(&str, &str); 4] = [
    ("DFHLS2WS", "use gantry soap ls2ws"),
    ("DFHWS2LS", "use gantry soap ws2ls"),
    (
        "DFHLS2JS",
        "use gantry new NAME --copybook REQMEM --response RESPMEM for a service of JSON, or gantry record schema for the schema alone",
    ),
    (
        "DFHJS2LS",
        "use gantry record copybook for the copybook, or gantry new NAME --openapi for a service of an OpenAPI document",
    ),
];

/// A line of parameters, and its number in the text.
pub(crate) type Line = (usize, String);

/// The lines of `NAME=value`, without comments and empty lines, continued lines joined. In a job these are the ones of the step
/// that runs `procedure`, or of the step that is named.
///
/// # Errors
/// A job without such a step, or with several, or with parameters that are not in it.
pub(crate) fn lines(text: &str, procedure: &str, step: Option<&str>) -> Result<Vec<Line>, String> {
    let text = text.trim_start_matches('\u{feff}');
    let raw: Vec<Line> = text.lines().enumerate().map(|(at, line)| (at + 1, line.to_owned())).collect();
    let is_job =
        raw.iter().find(|(_, line)| !line.trim().is_empty()).is_some_and(|(_, line)| line.starts_with("//"));
    if !is_job {
        return match step {
            Some(step) => Err(format!("there is no step {step}: the file is not a job")),
            None => Ok(join(raw)),
        };
    }
    let steps = steps(&raw);
    let step = chosen(&steps, procedure, step)?;
    match &step.data {
        Some(Ok(data)) => Ok(join(data.clone())),
        Some(Err(message)) => Err(message.clone()),
        None => Err(format!("the step {} has no data in SYSUT1", step.shown())),
    }
}

/// The step that is named, or the only one that runs the procedure. A number counts the steps that run it, because steps may have the
/// same name.
fn chosen<'s>(steps: &'s [Step], procedure: &str, name: Option<&str>) -> Result<&'s Step, String> {
    let shown = |steps: &[&Step]| match steps {
        [] => "none".to_owned(),
        steps => steps.iter().map(|step| step.shown()).collect::<Vec<_>>().join(", "),
    };
    let fits = |found: &&Step| match name {
        Some(name) => found.name.eq_ignore_ascii_case(name),
        None => found.procedure.eq_ignore_ascii_case(procedure),
    };
    let runs = |step: &&Step| step.procedure.eq_ignore_ascii_case(procedure);
    let numbered: Vec<&Step> = steps.iter().filter(runs).collect();
    let found: Vec<&Step> = match name.map(str::parse::<usize>) {
        Some(Ok(number)) => numbered.iter().copied().skip(number.wrapping_sub(1)).take(1).collect(),
        _ => steps.iter().filter(fits).collect(),
    };
    let all: Vec<&Step> = steps.iter().collect();
    match (found.as_slice(), name) {
        ([step], _) => match other_assistant(step, procedure) {
            Some(message) => Err(format!("the step {} runs {message}", step.shown())),
            None => Ok(step),
        },
        ([], Some(name)) => Err(format!("there is no step {name}; the job has {}", shown(&all))),
        ([], None) => {
            let others =
                steps.iter().filter_map(|step| Some((step.shown(), other_assistant(step, procedure)?)));
            let others: Vec<String> =
                others.map(|(step, message)| format!("{step} runs {message}")).collect();
            let others = if others.is_empty() { String::new() } else { format!("; {}", others.join("; ")) };
            Err(format!("no step of the job runs {procedure}; its steps are {}{others}", shown(&all)))
        }
        (several, _) => {
            let which = match name {
                Some(name) => format!("the job has {} steps {name}", several.len()),
                None => format!("several steps run {procedure}"),
            };
            let numbers =
                numbered.iter().enumerate().map(|(at, step)| format!("{} {}", at + 1, step.shown()));
            let numbers = numbers.collect::<Vec<_>>().join(", ");
            Err(format!("{which}; choose one with --step, by its name or number: {numbers}"))
        }
    }
}

/// The assistant that a step runs, with its command, if it is not this one.
fn other_assistant(step: &Step, procedure: &str) -> Option<String> {
    let known = ASSISTANTS.iter().find(|(name, _)| step.procedure.eq_ignore_ascii_case(name));
    let (name, command) = known.filter(|(name, _)| *name != procedure)?;
    Some(format!("{name}: {command}"))
}

/// Leaves comments and empty lines out. An asterisk at the end continues a line.
fn join(raw: Vec<Line>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut continues = false;
    for (number, line) in raw {
        if line.starts_with('#') {
            continue;
        }
        let text = line.trim();
        let (text, next) = match text.strip_suffix('*') {
            Some(start) => (start.trim_end(), true),
            None => (text, false),
        };
        match lines.last_mut() {
            Some((_, last)) if continues => last.push_str(text),
            _ if text.is_empty() => {}
            _ => lines.push((number, text.to_owned())),
        }
        continues = next;
    }
    lines
}

/// A step of a job.
#[derive(Debug, Default)]
struct Step {
    name: String,
    procedure: String,
    /// The data of SYSUT1, or why they cannot be had.
    data: Option<Result<Vec<Line>, String>>,
}

impl Step {
    fn shown(&self) -> &str {
        if self.name.is_empty() { "without a name" } else { &self.name }
    }

    /// Adds data of SYSUT1. A DD statement without a name adds to that before it.
    fn add(&mut self, found: Result<Vec<Line>, String>) {
        self.data = Some(match (self.data.take(), found) {
            (Some(Ok(mut data)), Ok(found)) => {
                data.extend(found);
                Ok(data)
            }
            (Some(Err(message)), _) | (_, Err(message)) => Err(message),
            (None, Ok(found)) => Ok(found),
        });
    }
}

/// A statement of a job, with its continuations joined.
struct Statement {
    name: String,
    /// In upper case.
    operation: String,
    operands: String,
}

fn steps(raw: &[Line]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut symbols: HashMap<String, String> = HashMap::new();
    let (mut at, mut in_sysut1) = (0, false);
    while let Some((number, first)) = raw.get(at) {
        at += 1;
        if !first.starts_with("//") || first.starts_with("//*") {
            continue;
        }
        let Statement { name, operation, operands } = statement(raw, &mut at);
        let continues = operation == "DD" && name.is_empty() && in_sysut1;
        in_sysut1 = operation == "DD" && (is_sysut1(&name) || continues);
        match operation.as_str() {
            "SET" => symbols.extend(keywords(&operands)),
            // The values of a procedure hold if its caller has no others.
            "PROC" => keywords(&operands).into_iter().for_each(|(name, value)| {
                symbols.entry(name).or_insert(value);
            }),
            "EXEC" => {
                let first = split(&operands).into_iter().next().unwrap_or_default();
                let procedure = match first.split_once('=') {
                    Some((word, procedure)) if word.eq_ignore_ascii_case("PROC") => procedure.to_owned(),
                    _ => first,
                };
                symbols.extend(keywords(&operands));
                steps.push(Step { name, procedure, data: None });
            }
            "DD" if in_sysut1 => {
                let found = data(raw, &mut at, &operands, &symbols).unwrap_or_else(|| {
                    Err(format!(
                        "line {number}: the lines of SYSUT1 are not in the job; put them into a file for --parameters"
                    ))
                });
                if let Some(step) = steps.last_mut() {
                    if step.data.is_some() && !continues {
                        let message = format!("line {number}: the step {} has SYSUT1 twice", step.shown());
                        step.data = Some(Err(message));
                    } else {
                        step.add(found);
                    }
                }
            }
            _ => {}
        }
    }
    steps
}

fn is_sysut1(name: &str) -> bool {
    name.rsplit('.').next().is_some_and(|last| last.eq_ignore_ascii_case("SYSUT1"))
}

/// The columns of a line up to `last`, without sequence numbers behind it.
fn card(line: &str, last: usize) -> &str {
    let columns = line.char_indices().nth(last).map(|(at, _)| at);
    match columns {
        Some(end) if line.chars().count() <= CARD_COLUMNS => line[..end].trim_end(),
        _ => line.trim_end(),
    }
}

/// The statement whose first line is the one before `at`. A comma at the end of the operands, or a text in quotes that does not end,
/// continues it in the next statement line. Such a text fills its line to the last column.
fn statement(raw: &[Line], at: &mut usize) -> Statement {
    let first = raw.get(*at - 1).map_or("", |(_, line)| line.as_str());
    let mut last = card(first, STATEMENT_COLUMNS);
    let text = last.get(2..).unwrap_or_default();
    let (name, rest) = match text.find(' ') {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let rest = rest.trim_start();
    let (operation, after) = rest.split_once(' ').unwrap_or((rest, ""));
    let mut operands = operands_of(after.trim_start()).to_owned();
    while operands.ends_with(',') || (in_quotes(&operands) && last.chars().count() == STATEMENT_COLUMNS) {
        let Some((_, next)) = raw.get(*at).filter(|(_, next)| next.starts_with("//")) else { break };
        *at += 1;
        if next.starts_with("//*") {
            continue;
        }
        last = card(next, STATEMENT_COLUMNS);
        if in_quotes(&operands) {
            let start = last.char_indices().nth(QUOTED_COLUMNS).map_or(last.len(), |(at, _)| at);
            // The rest of the text ends at a quote, and the operands at a blank behind it.
            let whole = format!("{operands}{}", &last[start..]);
            operands_of(&whole).clone_into(&mut operands);
        } else {
            operands.push_str(operands_of(last.get(2..).unwrap_or_default().trim_start()));
        }
    }
    Statement { name: name.to_owned(), operation: operation.to_ascii_uppercase(), operands }
}

/// True if a text in quotes does not end in the operands.
fn in_quotes(operands: &str) -> bool {
    operands.matches('\'').count() % 2 == 1
}

/// The operands: up to the first blank outside of quotes. The rest is a comment.
fn operands_of(text: &str) -> &str {
    let mut quoted = false;
    for (at, character) in text.char_indices() {
        match character {
            '\'' => quoted = !quoted,
            ' ' if !quoted => return &text[..at],
            _ => {}
        }
    }
    text
}

/// The operands one by one: commas part them, outside of quotes and parentheses.
fn split(text: &str) -> Vec<String> {
    let (mut parts, mut quoted, mut depth) = (vec![String::new()], false, 0usize);
    for character in text.chars() {
        match character {
            '\'' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth = depth.saturating_sub(1),
            ',' if !quoted && depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = parts.last_mut() {
            last.push(character);
        }
    }
    parts
}

/// `NAME=value` of operands, quotes taken off.
fn keywords(text: &str) -> Vec<(String, String)> {
    let pair = |operand: String| {
        let (name, value) = operand.split_once('=')?;
        let value = match value.strip_prefix('\'').and_then(|value| value.strip_suffix('\'')) {
            Some(inner) => inner.replace("''", "'"),
            None => value.to_owned(),
        };
        Some((name.to_ascii_uppercase(), value))
    };
    split(text).into_iter().filter_map(pair).collect()
}

/// The in-stream data that follows a DD statement; none if it has none.
fn data(
    raw: &[Line],
    at: &mut usize,
    operands: &str,
    symbols: &HashMap<String, String>,
) -> Option<Result<Vec<Line>, String>> {
    let parts = split(operands);
    let all = match parts.first().map(|first| first.to_ascii_uppercase()).as_deref() {
        Some("*") => false,
        Some("DATA") => true,
        _ => return None,
    };
    let options: HashMap<String, String> = keywords(operands).into_iter().collect();
    let delimiter = options.get("DLM").cloned();
    let replaces = options.contains_key("SYMBOLS");
    let mut lines = Vec::new();
    while let Some((number, line)) = raw.get(*at) {
        let ends = match &delimiter {
            Some(delimiter) => line.starts_with(delimiter.as_str()),
            None => line.starts_with("/*") || (!all && line.starts_with("//")),
        };
        if ends {
            break;
        }
        *at += 1;
        if is_cut(line) {
            return Some(Err(format!(
                "line {number}: it goes on behind column {DATA_COLUMNS}, where sequence numbers stand; end it with an asterisk, and continue it in the next line"
            )));
        }
        let text = card(line, DATA_COLUMNS);
        lines.push((*number, if replaces { replaced(text, symbols) } else { text.to_owned() }));
    }
    Some(Ok(lines))
}

/// True if a card has text in its last column that goes on behind it, and is no comment.
fn is_cut(line: &str) -> bool {
    let mut columns = line.chars().skip(DATA_COLUMNS - 1);
    let ends = |character: Option<char>| character.is_none_or(|character| matches!(character, ' ' | '*'));
    let goes_on = !ends(columns.next()) && !ends(columns.next());
    goes_on && line.chars().count() <= CARD_COLUMNS && !line.starts_with('#')
}

/// Replaces `&NAME` and `&NAME.` where the symbol is known; `&&` stands for `&`.
fn replaced(text: &str, symbols: &HashMap<String, String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('&') {
            out.push('&');
            rest = after;
            continue;
        }
        let end =
            rest.find(|character: char| !(character.is_ascii_alphanumeric() || "$@#".contains(character)));
        let name = &rest[..end.unwrap_or(rest.len())];
        match symbols.get(&name.to_ascii_uppercase()) {
            Some(value) if out.len() < LINE_CHARACTERS_MAX => {
                out.push_str(value);
                rest = &rest[name.len()..];
                rest = rest.strip_prefix('.').unwrap_or(rest);
            }
            _ => out.push('&'),
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests;
