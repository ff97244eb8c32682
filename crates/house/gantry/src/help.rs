//! The help of the program: its commands in groups, completions for shells, and man pages.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

/// The commands by their users, in the order of the help.
const GROUPS: &[(&str, &[&str])] = &[
    ("Serve", &["serve", "check", "example"]),
    ("Build services", &["new", "record", "program", "soap", "import", "call"]),
    ("Operate", &["region", "connector", "queue", "health", "backup", "store", "file", "user", "key"]),
    ("Measure", &["load", "lab"]),
    ("Set up this command", &["completions", "man"]),
];

/// The shell whose completions are printed.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

/// The command whose page is printed.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The command, with its subcommands: `record decode`. Default: the page of gantry itself.
    #[arg(conflicts_with = "into")]
    command: Vec<String>,
    /// Write the pages of all commands to this folder instead.
    #[arg(long, value_name = "FOLDER")]
    into: Option<PathBuf>,
}

/// The command line of `C`, whose help lists the commands in groups.
pub(crate) fn grouped<C: CommandFactory>() -> Command {
    let command = C::command();
    let (header, literal) = (*command.get_styles().get_header(), *command.get_styles().get_literal());
    let width = command.get_subcommands().map(|known| known.get_name().len()).max().unwrap_or(0);
    let mut list = String::new();
    for (title, names) in GROUPS {
        list.push_str(&format!("{header}{title}:{header:#}\n"));
        for known in names.iter().filter_map(|name| command.find_subcommand(name)) {
            let about = known.get_about().map(ToString::to_string).unwrap_or_default();
            let name = known.get_name();
            list.push_str(&format!(
                "  {literal}{name}{literal:#}{:pad$}  {about}\n",
                "",
                pad = width - name.len()
            ));
        }
        list.push('\n');
    }
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}{header}Options:{header:#}\n{{options}}\n"
    ))
}

/// Prints the completions of a shell.
pub(crate) fn completions<C: CommandFactory>(args: &CompletionsArgs) -> Result<(), String> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut visible(&C::command()), "gantry", &mut text);
    print(&text)
}

/// The command without its hidden commands, because shells would offer them.
fn visible(command: &Command) -> Command {
    let shown = command.get_subcommands().filter(|known| !known.is_hide_set());
    Command::new("gantry")
        .version(env!("CARGO_PKG_VERSION"))
        .args(command.get_arguments().filter(|known| !known.is_hide_set()).cloned())
        .subcommands(shown.cloned())
}

/// Prints a man page, as roff, or writes all of them.
///
/// # Errors
/// The command or the folder does not exist.
pub(crate) fn man<C: CommandFactory>(args: &ManArgs) -> Result<(), String> {
    let mut command = C::command();
    if let Some(folder) = &args.into {
        return clap_mangen::generate_to(command, folder)
            .map_err(|error| format!("{}: {error}", folder.display()));
    }
    command.build();
    for name in &args.command {
        let found = command.find_subcommand(name).filter(|found| !found.is_hide_set());
        command = found.cloned().ok_or_else(|| format!("there is no command {}", args.command.join(" ")))?;
    }
    let mut page = Vec::new();
    Man::new(command).render(&mut page).map_err(|error| error.to_string())?;
    print(&page)
}

/// Writes to standard output. It is not an error if the reader stops reading.
fn print(text: &[u8]) -> Result<(), String> {
    match io::stdout().write_all(text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(format!("standard output: {error}")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod pages;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;

    #[test]
    fn each_command_is_in_one_group() {
        let command = Cli::command();
        let mut shown: Vec<&str> =
            command.get_subcommands().filter(|known| !known.is_hide_set()).map(Command::get_name).collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        shown.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, shown);
    }

    #[test]
    fn hidden_commands_are_shown_nowhere() {
        let help = grouped::<Cli>().render_help().to_string();
        assert!(help.contains("\nOperate:\n  region") && help.contains("--version"), "{help}");
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::Elvish, Shell::PowerShell] {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut visible(&Cli::command()), "gantry", &mut script);
            let script = String::from_utf8(script).expect("UTF-8");
            for hidden in ["sandbox-probe", "sample-server", "load-region"] {
                assert!(!script.contains(hidden), "{shell}: {hidden}");
            }
            assert!(script.contains("completions") && script.contains("dry-run"), "{shell}");
        }
        let mut page = Vec::new();
        Man::new(Cli::command()).render(&mut page).expect("a page");
        let page = String::from_utf8(page).expect("UTF-8");
        for hidden in ["sandbox-probe", "load-region", "compiler"] {
            assert!(!help.contains(hidden) && !page.contains(hidden), "{hidden}");
        }
    }
}
