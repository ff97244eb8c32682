//! Makes the pages of the commands in `docs/reference/commands` from the command line itself. Also
//! checks the command lines that all pages show.
//!
//! UPDATE_GOLDEN=1 writes the pages.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use clap::builder::StyledStr;
use clap::error::ErrorKind;
use clap::{Arg, Command, CommandFactory};

use super::GROUPS;
use crate::cli::Cli;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");
const MADE: &str =
    "<!-- Made from the command line: UPDATE_GOLDEN=1 cargo test -p gantry --bin gantry pages -->\n\n";

/// Pages with more about a command, as links from the command's own page.
const MORE: &[(&str, &str)] = &[
    ("serve", "[Configuration](../configuration.md), [observability](../observability.md)"),
    ("check", "[Configuration](../configuration.md), [codes of findings](../codes.md)"),
    ("example", "[Tutorial](../../tutorial.md)"),
    ("new", "[A new configuration folder](../../guides/new.md)"),
    ("record", "[Looking into copybooks and data files](../../guides/records.md)"),
    (
        "program",
        "[COBOL programs written for CICS](../../guides/programs.md), [codes of findings](../codes.md)",
    ),
    ("soap", "[Web services](../../guides/soap.md), [the assistants](../soap-assistants.md)"),
    ("import", "[Bring APIs and services from z/OS Connect](../../guides/import.md)"),
    ("call", "[Call a REST API from a record](../../guides/outbound.md)"),
    ("region", "[Operate a region](../../guides/operators.md), [regions](../regions.md)"),
    ("connector", "[Endpoint groups](../connector.md#gantry-connector)"),
    ("queue", "[Queues](../queues.md#gantry-queue)"),
    ("health", "[Health](../../guides/security.md#health)"),
    ("backup", "[The store](../store.md#backup)"),
    ("store", "[The store](../store.md#salvage)"),
    ("file", "[Files of a region](../regions.md#files)"),
    ("user", "[Security](../../guides/security.md#authentication)"),
    ("key", "[Security](../../guides/security.md#authentication)"),
    ("load", "[Measuring a server](../../guides/load.md)"),
    ("lab", "[Running experiments](../../guides/lab.md)"),
];

/// All pages by the names of their files.
fn pages() -> BTreeMap<String, String> {
    let mut command = Cli::command();
    command.build();
    let mut pages = BTreeMap::new();
    let mut index = format!(
        "# Commands\n\n{MADE}This page lists the commands of `gantry`. Each has a page with its arguments and options. `gantry \
         COMMAND --help` shows the same. [Exit codes](../exit-codes.md) says how commands end.\n"
    );
    for (title, names) in GROUPS {
        write!(index, "\n## {title}\n\n| command | what it does |\n| --- | --- |\n").expect("a string");
        for name in *names {
            let known = command.find_subcommand(name).expect("a test of the groups finds it");
            writeln!(index, "| [`gantry {name}`]({name}.md) | {} |", about(known)).expect("a string");
            let mut page = String::new();
            section(&mut page, known, &format!("gantry {name}"), true);
            if let Some((_, more)) = MORE.iter().find(|(of, _)| of == name) {
                write!(page, "\n## More\n\n{more}.\n").expect("a string");
            }
            pages.insert(format!("{name}.md"), page);
        }
    }
    pages.insert("README.md".to_owned(), index);
    pages
}

/// The description of a command in one line.
fn about(command: &Command) -> String {
    command.get_about().map(plain).unwrap_or_default()
}

/// A command with its arguments and options, then its subcommands.
fn section(page: &mut String, command: &Command, name: &str, is_first: bool) {
    let hashes = if is_first { "#" } else { "\n##" };
    write!(page, "{hashes} {name}\n\n").expect("a string");
    if is_first {
        page.push_str(MADE);
    }
    let text = command.get_long_about().or(command.get_about()).map(StyledStr::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim();
    let usage: Vec<&str> = usage.lines().map(str::trim).collect();
    write!(page, "{}\n\n```text\n{}\n```\n", escaped(&sentence(&text)), usage.join("\n")).expect("a string");

    let subcommands: Vec<&Command> = command
        .get_subcommands()
        .filter(|known| !known.is_hide_set() && known.get_name() != "help")
        .collect();
    if !subcommands.is_empty() {
        page.push_str("\n| command | what it does |\n| --- | --- |\n");
        for known in &subcommands {
            let (called, about) = (known.get_name(), about(known));
            writeln!(page, "| [`{called}`](#{}) | {about} |", format!("{name} {called}").replace(' ', "-"))
                .expect("a string");
        }
    }
    let shown = |arg: &&Arg| !arg.is_hide_set() && !matches!(arg.get_id().as_str(), "help" | "version");
    let (positional, options): (Vec<&Arg>, Vec<&Arg>) =
        command.get_arguments().filter(shown).partition(|arg| arg.is_positional());
    table(page, "argument", &positional);
    table(page, "option", &options);
    for known in subcommands {
        section(page, known, &format!("{name} {}", known.get_name()), false);
    }
}

fn table(page: &mut String, head: &str, arguments: &[&Arg]) {
    if arguments.is_empty() {
        return;
    }
    write!(page, "\n| {head} | meaning |\n| --- | --- |\n").expect("a string");
    for arg in arguments {
        writeln!(page, "| {} | {} |", called(arg).replace('|', "\\|"), meaning(arg)).expect("a string");
    }
}

/// The form of an argument on the command line.
fn called(arg: &Arg) -> String {
    let values = || -> Vec<String> {
        let names = arg.get_value_names().unwrap_or_default();
        names.iter().map(ToString::to_string).collect()
    };
    if arg.is_positional() {
        let more = if arg.get_num_args().is_some_and(|range| range.max_values() > 1) { "..." } else { "" };
        return format!("`{}{more}`", values().join(" "));
    }
    let value =
        if arg.get_action().takes_values() { format!(" {}", values().join(" ")) } else { String::new() };
    let long = arg.get_long().map(|long| format!("`--{long}{value}`"));
    let short = arg.get_short().map(|short| format!("`-{short}{value}`"));
    [short, long].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The meaning of an argument, its default and its possible values.
fn meaning(arg: &Arg) -> String {
    let help = arg.get_long_help().or(arg.get_help()).map(plain).unwrap_or_default();
    let mut parts = vec![help];
    if arg.get_action().takes_values() {
        let words: Vec<String> = arg
            .get_possible_values()
            .iter()
            .filter(|value| !value.is_hide_set())
            .map(|value| format!("`{}`", value.get_name()))
            .collect();
        if !words.is_empty() {
            parts.push(format!("One of {}.", words.join(", ")));
        }
        let defaults: Vec<String> =
            arg.get_default_values().iter().map(|value| format!("`{}`", value.to_string_lossy())).collect();
        if !defaults.is_empty() {
            parts.push(format!("Default: {}.", defaults.join(", ")));
        }
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" ")
}

/// A text as one line of whole sentences. Markdown shows it unchanged, also in a table.
fn plain(text: &StyledStr) -> String {
    let line = text.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    escaped(&sentence(&line)).replace('|', "\\|")
}

/// A text with its last period.
fn sentence(text: &str) -> String {
    let is_whole = text.is_empty() || text.ends_with('.');
    if is_whole { text.to_owned() } else { format!("{text}.") }
}

/// A text that Markdown shows unchanged.
fn escaped(text: &str) -> String {
    text.replace('<', "&lt;").replace('*', "\\*")
}

#[test]
fn the_pages_of_the_commands_say_what_the_command_line_takes() {
    let folder = Path::new(ROOT).join("docs/reference/commands");
    let made = pages();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("the folder can be made");
        for (name, page) in &made {
            fs::write(folder.join(name), page).expect("a page can be written");
        }
    }
    let entries = fs::read_dir(&folder).expect("the folder is there");
    let mut there: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
    there.sort_unstable();
    assert_eq!(there, made.keys().cloned().collect::<Vec<_>>(), "run the test with UPDATE_GOLDEN=1");
    for (name, page) in &made {
        let written = fs::read_to_string(folder.join(name)).expect("the page is there");
        assert_eq!(&written, page, "{name}: run the test with UPDATE_GOLDEN=1");
    }
}

#[test]
fn every_command_has_a_page_that_says_more_or_needs_none() {
    let named: Vec<&str> = MORE.iter().map(|(name, _)| *name).chain(["completions", "man"]).collect();
    for name in GROUPS.iter().flat_map(|(_, names)| *names) {
        assert!(named.contains(name), "{name}: add its guide to MORE");
    }
}

/// All code of a page that begins with `gantry`, with its line.
fn command_lines(text: &str) -> Vec<(usize, String)> {
    let (mut found, mut prose, mut fence) = (Vec::new(), String::new(), None);
    let mut whole: Option<(usize, String)> = None;
    for (number, line) in text.lines().enumerate() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            fence = if fence.is_some() { None } else { Some(language.to_owned()) };
            prose.push('\n');
            continue;
        }
        let Some(language) = &fence else {
            prose.push_str(line);
            prose.push('\n');
            continue;
        };
        prose.push('\n');
        if !matches!(language.as_str(), "sh" | "console" | "text" | "") {
            continue;
        }
        // A backslash continues a command.
        let (from, so_far) = whole.take().unwrap_or((number + 1, String::new()));
        match line.strip_suffix('\\') {
            Some(part) => whole = Some((from, so_far + part)),
            None => found.push((from, so_far + line)),
        }
    }
    let mut line = 1;
    for (index, part) in prose.split('`').enumerate() {
        if index % 2 == 1 {
            found.push((line, part.replace('\n', " ")));
        }
        line += part.matches('\n').count();
    }
    // These words also begin the content of a store.
    found.retain(|(_, text)| text != "gantry store");
    found.retain_mut(|(_, text)| {
        let command = text.trim_start().trim_start_matches("$ ");
        let command = command.strip_prefix("./target/").unwrap_or(command);
        let is_command = command.starts_with("gantry ");
        *text = command.to_owned();
        is_command
    });
    found
}

/// The words of a command, without the shell's redirections and remarks.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for character in command.chars() {
        match (quote, character) {
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (Some(open), _) if open == character => quote = None,
            (None, '|' | '>' | '<' | ';' | '&') => break,
            (None, '#') if word.is_none() => break,
            (None, ' ') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

/// The fault of a command line on a page. A page may leave out arguments, and write a word for a
/// number.
fn fault(words: &[String]) -> Option<String> {
    use ErrorKind::{ArgumentConflict, InvalidSubcommand, NoEquals, TooManyValues, UnknownArgument};
    let error = Cli::command().try_get_matches_from(words).err()?;
    let is_fault = matches!(
        error.kind(),
        UnknownArgument | InvalidSubcommand | ArgumentConflict | NoEquals | TooManyValues
    );
    is_fault.then(|| error.to_string())
}

fn markdown(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            markdown(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
}

#[test]
fn every_command_line_in_the_pages_is_one_that_the_command_takes() {
    let root = Path::new(ROOT);
    let mut pages = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    markdown(&root.join("docs"), &mut pages);
    markdown(&root.join("examples"), &mut pages);
    // The usages on these pages are not commands.
    pages.retain(|page| !page.starts_with(root.join("docs/reference/commands")));
    let (mut faults, mut count) = (String::new(), 0);
    for page in pages {
        let text = fs::read_to_string(&page).expect("a page");
        for (line, command) in command_lines(&text) {
            count += 1;
            if let Some(fault) = fault(&words(&command)) {
                writeln!(faults, "{}:{line}: {command}\n  {fault}", page.display()).expect("a string");
            }
        }
    }
    assert!(faults.is_empty(), "{faults}");
    assert!(count > 100, "{count} command lines are too few: are they still found?");
}

#[test]
fn command_lines_are_found_and_cut() {
    let page = "Use `gantry check\nshop`, `ls`.\n\n```sh\nls\ngantry new shop \\\n  --soap   # a remark\n```\n\n\
        ```toml\ngantry = 1\n```\n";
    let found = command_lines(page);
    assert_eq!(
        found,
        [(6, "gantry new shop   --soap   # a remark".to_owned()), (1, "gantry check shop".to_owned())]
    );
    assert_eq!(words(&found[0].1), ["gantry", "new", "shop", "--soap"]);
    assert_eq!(
        words("gantry call A --json '{\"a\": 1}' | jq"),
        ["gantry", "call", "A", "--json", "{\"a\": 1}"]
    );
    assert!(fault(&words("gantry chek shop")).is_some());
    assert!(fault(&words("gantry check shop --fast")).is_some());
    assert!(fault(&words("gantry check")).is_none());
}
