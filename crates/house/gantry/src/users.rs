//! `gantry user` and `gantry key`: lines of the files of users and API keys, passwords read from standard input.

use std::io::{self, BufRead, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use security::{Secret, Users, key_line, user_line, with_groups};
use settings::{Readers, replace};

/// The most bytes of a password.
const PASSWORD_BYTES_MAX: usize = 1_024;

/// `gantry user`.
#[derive(Debug, Subcommand)]
pub(crate) enum UserCommand {
    /// Add a user; the password is the first line of standard input.
    Add(AddArgs),
    /// Change the password of a user.
    Password(UserArgs),
    /// Check the password of a user.
    Check(UserArgs),
    /// Change the groups of a user.
    Groups(AddArgs),
    /// List the users with their groups.
    List(FileArgs),
    /// Remove a user.
    Remove(UserArgs),
}

/// `gantry key`.
#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Create an API key, show it once, and store its digest.
    Add(AddArgs),
    /// List the keys with their groups.
    List(FileArgs),
    /// Remove a key.
    Remove(UserArgs),
}

#[derive(Debug, Args)]
pub(crate) struct FileArgs {
    /// The file.
    file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    #[command(flatten)]
    place: UserArgs,
    /// The groups, separated by commas.
    #[arg(long, value_delimiter = ',')]
    groups: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct UserArgs {
    /// The file; `add` creates the file if it does not exist.
    file: PathBuf,
    /// The name.
    name: String,
}

/// Runs a command over users.
///
/// # Errors
/// The file, the name or the password has a fault.
pub(crate) fn run_user(command: &UserCommand) -> Result<(), String> {
    match command {
        UserCommand::Add(args) => add(args, |name| {
            let line = user_line(name, &args.groups, password()?.expose())?;
            Ok((line, format!("added user {name}")))
        }),
        UserCommand::Password(args) => {
            change(args, "the password", |line| user_line(&args.name, &groups(line), password()?.expose()))
        }
        UserCommand::Check(args) => check(args),
        UserCommand::Groups(AddArgs { place, groups }) => change(place, "the groups", |line| {
            let hash = line.trim().splitn(3, ':').nth(2).unwrap_or_default();
            with_groups(&place.name, groups, hash)
        }),
        UserCommand::List(args) => list(args, "users"),
        UserCommand::Remove(args) => remove(args, "user"),
    }
}

/// Runs a command over API keys.
///
/// # Errors
/// The file or the name has a fault.
pub(crate) fn run_key(command: &KeyCommand) -> Result<(), String> {
    match command {
        KeyCommand::Add(args) => add(args, |id| key_line(id, &args.groups)),
        KeyCommand::List(args) => list(args, "keys"),
        KeyCommand::Remove(args) => remove(args, "key"),
    }
}

/// Adds the new line, and prints the text that comes with it.
fn add(args: &AddArgs, make: impl Fn(&str) -> Result<(String, String), String>) -> Result<(), String> {
    let UserArgs { file, name } = &args.place;
    let mut text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(format!("{}: {error}", file.display())),
    };
    if text.lines().any(|line| names(line, name)) {
        return Err(format!("{} has '{name}' already", file.display()));
    }
    let (line, shown) = make(name)?;
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&line);
    text.push('\n');
    write(file, &text)?;
    println!("{shown}");
    Ok(())
}

/// Replaces the line of a user by a changed one.
fn change(args: &UserArgs, what: &str, make: impl Fn(&str) -> Result<String, String>) -> Result<(), String> {
    let text = read(&args.file)?;
    let changed = make(found(&text, args, "user")?)?;
    put(args, &text, Some(&changed))?;
    aside!("changed {what} of {}", args.name);
    Ok(())
}

fn list(FileArgs { file }: &FileArgs, what: &str) -> Result<(), String> {
    let text = read(file)?;
    let is_entry = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let mut count = 0;
    for line in text.lines().filter(is_entry) {
        let name = line.trim_start().split(':').next().unwrap_or_default();
        println!("{}", format!("{name}  {}", groups(line).join(", ")).trim_end());
        count += 1;
    }
    remark!("{what}: {count}");
    Ok(())
}

fn remove(args: &UserArgs, what: &str) -> Result<(), String> {
    let text = read(&args.file)?;
    found(&text, args, what)?;
    put(args, &text, None)?;
    aside!("removed {what} {}", args.name);
    Ok(())
}

/// The line of a user or a key.
fn found<'t>(text: &'t str, args: &UserArgs, what: &str) -> Result<&'t str, String> {
    let line = text.lines().find(|line| names(line, &args.name));
    line.ok_or_else(|| format!("{} has no {what} '{}'", args.file.display(), args.name))
}

/// The groups of a line.
fn groups(line: &str) -> Vec<String> {
    let groups = line.split(':').nth(1).unwrap_or_default();
    groups.split(',').map(str::trim).filter(|group| !group.is_empty()).map(str::to_owned).collect()
}

/// Writes the file with another line in place of the named one, or without it.
fn put(args: &UserArgs, text: &str, line: Option<&str>) -> Result<(), String> {
    let lines = text.lines().filter_map(|found| if names(found, &args.name) { line } else { Some(found) });
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    write(&args.file, &text)
}

fn check(args: &UserArgs) -> Result<(), String> {
    let users = Users::parse(&read(&args.file)?, 0, 0);
    let users = Arc::new(users.map_err(|error| format!("{}: {error}", args.file.display()))?);
    match users.verify(&args.name, password()?.expose()) {
        Ok(identity) => {
            let groups: Vec<&str> = identity.groups.iter().map(|group| &**group).collect();
            println!("right; groups: {}", groups.join(", "));
            Ok(())
        }
        Err(denied) => Err(denied.to_string()),
    }
}

fn names(line: &str, name: &str) -> bool {
    line.trim_start().split_once(':').is_some_and(|(found, _)| found == name)
}

fn read(file: &Path) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}

/// Writes a file whole or not at all. Only its owner may read it.
fn write(file: &Path, text: &str) -> Result<(), String> {
    replace(file, text.as_bytes(), Readers::Owner).map_err(|error| format!("{}: {error}", file.display()))
}

/// The first line of standard input. A terminal does not show it.
fn password() -> Result<Secret, String> {
    let input = io::stdin();
    let hidden = if input.is_terminal() { Some(hide(&input)?) } else { None };
    let mut line = String::with_capacity(PASSWORD_BYTES_MAX);
    let read = io::Read::take(input.lock(), PASSWORD_BYTES_MAX as u64 + 1).read_line(&mut line);
    drop(hidden);
    read.map_err(|error| format!("no password: {error}"))?;
    if line.len() > PASSWORD_BYTES_MAX {
        return Err(format!("a password has {PASSWORD_BYTES_MAX} bytes at most"));
    }
    Ok(Secret::from_text(line))
}

/// Its drop makes the terminal show input again.
struct Hidden<'t>(&'t io::Stdin, rustix::termios::Termios);

fn hide(terminal: &io::Stdin) -> Result<Hidden<'_>, String> {
    let describe = |error: rustix::io::Errno| format!("the terminal cannot hide the password: {error}");
    let shown = tcgetattr(terminal).map_err(describe)?;
    let mut hidden = shown.clone();
    hidden.local_modes.remove(LocalModes::ECHO);
    tcsetattr(terminal, OptionalActions::Flush, &hidden).map_err(describe)?;
    eprint!("password: ");
    Ok(Hidden(terminal, shown))
}

impl Drop for Hidden<'_> {
    fn drop(&mut self) {
        let _ = tcsetattr(self.0, OptionalActions::Flush, &self.1);
        eprintln!();
    }
}
