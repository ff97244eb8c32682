//! The lines of an assistant's parameters: a file of them, or a job that has them as the in-stream data of SYSUT1.
//!
//! Of a job only what the lines need is read: EXEC statements with their procedures and symbols, SET statements, and the DD
//! statement SYSUT1. Symbols are replaced in the data where the DD statement has SYMBOLS, as JES does it.

use std::collections::HashMap;

/// The last column of a statement of a job.
const STATEMENT_COLUMNS: usize = 72;
/// The columns of a card.
const CARD_COLUMNS: usize = 80;
/// The most characters of a line after symbols are replaced.
const LINE_CHARACTERS_MAX: usize = 10_000;

/// A line of parameters, and its number in the text.
pub(crate) type Line = (usize, String);

/// The lines of `NAME=value`, without comments and empty lines, continued lines joined. In a job these are the ones of the step
/// that runs `procedure`, or of the step that is named.
///
/// # Errors
/// A job without such a step, or with several.
pub(crate) fn lines(text: &str, procedure: &str, step: Option<&str>) -> Result<Vec<Line>, String> {
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
    let fits = |found: &&Step| match step {
        Some(name) => found.name.eq_ignore_ascii_case(name),
        None => found.procedure.eq_ignore_ascii_case(procedure),
    };
    let mut found = steps.iter().filter(fits);
    let names = || {
        let names: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    match (found.next(), found.next()) {
        (None, _) => Err(match step {
            Some(step) => format!("there is no step {step}; the job has {}", names()),
            None => format!("no step of the job runs {procedure}; its steps are {}", names()),
        }),
        (Some(_), Some(_)) => {
            Err(format!("several steps run {procedure}; choose one with --step: {}", names()))
        }
        (Some(step), None) => match &step.data {
            Some(data) => Ok(join(data.clone())),
            None => Err(format!("the step {} has no data in SYSUT1", step.name)),
        },
    }
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
    data: Option<Vec<Line>>,
}

fn steps(raw: &[Line]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut symbols: HashMap<String, String> = HashMap::new();
    let mut at = 0;
    while let Some((_, first)) = raw.get(at) {
        at += 1;
        if !first.starts_with("//") || first.starts_with("//*") {
            continue;
        }
        let (mut statement, name) = statement(first);
        // A comma at the end of the operands continues them in the next statement line.
        while statement.ends_with(',')
            && let Some((_, next)) = raw.get(at)
            && next.starts_with("//")
        {
            at += 1;
            if !next.starts_with("//*") {
                statement.push_str(operands(card(next)[2..].trim_start()));
            }
        }
        let (operation, rest) = statement.split_once(' ').unwrap_or((statement.as_str(), ""));
        match operation {
            "SET" => symbols.extend(keywords(rest)),
            "EXEC" => {
                let mut operands = split(rest).into_iter();
                let first = operands.next().unwrap_or_default();
                let procedure = first.strip_prefix("PROC=").unwrap_or(&first).to_owned();
                symbols.extend(keywords(rest));
                steps.push(Step { name, procedure, data: None });
            }
            "DD" if is_sysut1(&name) => {
                let data = data(raw, &mut at, rest, &symbols);
                if let Some(step) = steps.last_mut() {
                    step.data = data;
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

/// The columns of a line that a statement or a parameter may use.
fn card(line: &str) -> &str {
    let columns = line.char_indices().nth(STATEMENT_COLUMNS).map(|(at, _)| at);
    match columns {
        Some(end) if line.chars().count() <= CARD_COLUMNS => line[..end].trim_end(),
        _ => line.trim_end(),
    }
}

/// Operation with operands, and name, of the first line of a statement.
fn statement(line: &str) -> (String, String) {
    let text = &card(line)[2..];
    let (name, rest) = match text.find(' ') {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let rest = rest.trim_start();
    let (operation, after) = rest.split_once(' ').unwrap_or((rest, ""));
    (format!("{} {}", operation.to_ascii_uppercase(), operands(after.trim_start())), name.to_owned())
}

/// The operands: up to the first blank outside of quotes. The rest is a comment.
fn operands(text: &str) -> &str {
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
) -> Option<Vec<Line>> {
    let parts = split(operands);
    let all = match parts.first().map(String::as_str) {
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
        let text = card(line);
        lines.push((*number, if replaces { replaced(text, symbols) } else { text.to_owned() }));
    }
    Some(lines)
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
mod tests {
    use super::*;

    const JOB: &str = "//GENASOAP  JOB  ,SMITH,CLASS=A,NOTIFY=&SYSUID,
//         MSGCLASS=A,REGION=900M
//* a comment
//JOBPROC JCLLIB ORDER=CICS.SDFHINST
//         SET HOME='/u/smith',APP=GENAPP
//ONE       EXEC DFHLS2WS,                                              00010001
//    JAVADIR='java601',  the Java
//    USSDIR='cics660',
//    TMPFILE='LS2WS'
//INPUT.SYSUT1 DD *,SYMBOLS=JCLONLY
 PGMNAME=LGIPVS01                                                       00020001
 LOGFILE=&HOME./&APP..LOG
# not this
 URI=GENAPP/ *
    LGIPVS01
 WSDL=&&A&UNKNOWN.
/*
//TWO      EXEC PROC=DFHWS2LS
//INPUT.SYSUT1 DD DATA,DLM='@@'
//PGMNAME=A&APP
@@
//
";

    fn found(procedure: &str, step: Option<&str>) -> Result<Vec<String>, String> {
        lines(JOB, procedure, step).map(|lines| lines.into_iter().map(|(_, line)| line).collect())
    }

    #[test]
    fn the_data_of_a_step_is_read_with_its_symbols() {
        let lines = found("DFHLS2WS", None).expect("lines");
        let expected =
            ["PGMNAME=LGIPVS01", "LOGFILE=/u/smith/GENAPP.LOG", "URI=GENAPP/LGIPVS01", "WSDL=&A&UNKNOWN."];
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_step_is_found_by_its_procedure_or_name() {
        let expected = vec!["//PGMNAME=A&APP".to_owned()];
        assert_eq!(found("DFHWS2LS", None), Ok(expected.clone()));
        assert_eq!(found("DFHLS2WS", Some("two")), Ok(expected));
        assert_eq!(
            found("DFHLS2JS", None),
            Err("no step of the job runs DFHLS2JS; its steps are ONE, TWO".to_owned())
        );
        assert_eq!(found("X", Some("THREE")), Err("there is no step THREE; the job has ONE, TWO".to_owned()));
    }

    #[test]
    fn a_step_without_data_and_two_steps_alike_are_refused() {
        let none = "//A EXEC DFHLS2WS\n//INPUT.SYSUT1 DD DSN=X,DISP=SHR\n";
        assert_eq!(lines(none, "DFHLS2WS", None), Err("the step A has no data in SYSUT1".to_owned()));
        let two = "//A EXEC DFHLS2WS\n//B EXEC DFHLS2WS\n";
        let message = "several steps run DFHLS2WS; choose one with --step: A, B";
        assert_eq!(lines(two, "DFHLS2WS", None), Err(message.to_owned()));
    }

    #[test]
    fn strange_jobs_do_no_harm() {
        for text in [
            "//",
            "// ",
            "//A",
            "//A EXEC",
            "//A DD *",
            "//INPUT.SYSUT1 DD",
            "//é DD *\nA=B",
            "//A SET ',(",
            "//A EXEC X,\n//",
        ] {
            let _ = lines(text, "X", None);
        }
        assert_eq!(lines("", "X", None), Ok(Vec::new()));
    }
}
