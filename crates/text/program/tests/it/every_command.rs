//! Every command of the table, with every option that can stand with the others: it translates, and says to the runtime
//! what the table says. `tests/gnucobol/run.sh` compiles the golden file.

use program::commands::{self, Argument, Command, CommandOption, Rule};
use program::interface::{self, Invocation};

use crate::golden::{compare, folder};
use crate::{alone, around, shown};

/// The options that can stand together, the first of those that exclude each other.
fn together(command: &'static Command) -> Vec<&'static CommandOption> {
    let mut chosen: Vec<&CommandOption> = Vec::new();
    for option in command.options {
        let excluded = command.rules.iter().any(|rule| match rule {
            Rule::Exclusive(names) => {
                names.contains(&option.name) && chosen.iter().any(|other| names.contains(&other.name))
            }
            _ => false,
        });
        if !excluded {
            chosen.push(option);
        }
    }
    // What needs an option that is not there goes too.
    loop {
        let names: Vec<_> = chosen.iter().map(|option| option.name).collect();
        let before = chosen.len();
        chosen.retain(|option| {
            command.rules.iter().all(|rule| match rule {
                Rule::With(name, others) if *name == option.name => {
                    others.iter().any(|other| names.contains(other))
                }
                _ => true,
            })
        });
        if chosen.len() == before {
            return chosen;
        }
    }
}

fn written(option: &CommandOption) -> String {
    let argument = match option.argument {
        Argument::None => return option.name.text.to_owned(),
        Argument::Text { .. } => "'A'",
        Argument::Separator => "'/'",
        Argument::Data(_) | Argument::Optional | Argument::Characters { .. } => "X",
        Argument::Number(..) => "N",
        Argument::Packed(_) => "K",
        Argument::Pointer(_) => "P",
        Argument::Label => "L1",
    };
    format!("{}({argument})", option.name.text)
}

fn statement(command: &'static Command) -> String {
    let options = together(command);
    let named = |word: &&&str| !options.iter().any(|option| option.name.text == **word);
    let mut words: Vec<String> = vec![command.words[0].to_owned()];
    words.extend(command.words[1..].iter().filter(named).map(|word| (*word).to_owned()));
    words.extend(options.into_iter().map(written));
    format!("EXEC CICS {}\nRESP(N) RESP2(N) END-EXEC.\n", words.join("\n"))
}

/// The commands in a translated text, from their literals or from WORKING-STORAGE.
fn invocations(text: &str) -> Vec<Invocation> {
    let bytes = |hex: &str| -> Vec<u8> {
        hex.as_bytes()
            .chunks(2)
            .map(|two| u8::from_str_radix(std::str::from_utf8(two).expect("ASCII"), 16).expect("a digit"))
            .collect()
    };
    let mut found = Vec::new();
    for (_, rest) in text.match_indices(interface::ENTRY_POINT).map(|(at, _)| text.split_at(at)) {
        let argument = rest.split_whitespace().nth(3).expect("an argument");
        let hex = match argument.strip_prefix("X\"") {
            Some(literal) => literal.trim_end_matches('"').to_owned(),
            None => {
                let entry = text.split(&format!("01 {argument}.")).nth(1).expect("an entry");
                let entry = entry.split("01 ").next().expect("an end");
                entry.split("X\"").skip(1).map(|piece| piece.split('"').next().expect("a quote")).collect()
            }
        };
        found.push(Invocation::decode(&bytes(&hex)).expect("a command"));
    }
    found
}

#[test]
fn every_command_translates_and_says_what_the_table_says() {
    let commands: Vec<&Command> =
        commands::all().filter(|command| command.words[0] != "terminal command").collect();
    let code: String = commands.iter().map(|command| statement(command)).collect();
    let translation = alone(&around(&code)).unwrap_or_else(|findings| panic!("{}", shown(&findings)));
    compare(&folder().join("every-command/program.i"), &translation.text);
    let invocations = invocations(&translation.text);
    assert_eq!(invocations.len(), commands.len());
    for (command, invocation) in commands.iter().zip(invocations) {
        let name = command.name();
        assert!(invocation.no_handle, "{name}: RESP says that conditions are not handled");
        assert_eq!(invocation.function, command.function, "{name}");
        let expected: Vec<u16> = together(command)
            .iter()
            .filter(|option| {
                option.argument != Argument::None || !command.words[1..].contains(&option.name.text)
            })
            .map(|option| option.name.number)
            .collect();
        let found: Vec<u16> = invocation.options.iter().map(|given| given.number).collect();
        assert_eq!(found, expected, "{name}");
    }
}
