//! The channel of a program: the containers that its EXEC CICS commands get and put.

use std::collections::BTreeSet;
use std::path::Path;

use web_service::CONTAINER_DEFAULT;

use crate::commands::{commands, literal, option, words};
use crate::sources::Source;

/// How a program with a channel is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Channel {
    pub(crate) name: String,
    /// What the program gets; none if it gets nothing.
    pub(crate) request: Option<Container>,
    /// What the program puts; none if it puts nothing.
    pub(crate) response: Option<Container>,
}

/// A container and the record of the program that has its bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Container {
    pub(crate) name: String,
    pub(crate) record: String,
}

/// The name of a channel has at most so many characters.
const CHANNEL_MAX: usize = 16;
/// Options by which a command converts text: the container is not one of bytes.
const TEXT: [&str; 6] = ["CHAR", "DATATYPE", "INTOCCSID", "INTOCODEPAGE", "FROMCCSID", "FROMCODEPAGE"];

/// The channel of a program; none if it gets and puts no containers.
///
/// # Errors
/// It has containers that one record each way cannot stand for: the reason.
pub(crate) fn channel(path: &Path) -> Result<Option<Channel>, String> {
    let source = Source::read(path)?;
    of_text(&source.text, &path.file_stem().unwrap_or_default().to_string_lossy())
        .map_err(|reason| format!("{}: {reason}; say --copybook FILE", path.display()))
}

/// The container that a program gets, if it names one alone.
///
/// # Errors
/// The program cannot be read.
pub(crate) fn of_request(path: &Path) -> Result<Option<String>, String> {
    let words = words(&Source::read(path)?.text);
    let got = commands(&words).filter(|command| command.first().is_some_and(|word| word == "GET"));
    let mut names: BTreeSet<String> =
        got.filter_map(|command| named(&words, option(command, "CONTAINER")?).ok()).collect();
    // These have what is around a message, not the message.
    names.retain(|name| !name.starts_with("DFH") || name == CONTAINER_DEFAULT);
    match names.len() {
        1 => Ok(names.pop_first()),
        _ => Ok(None),
    }
}

fn of_text(text: &str, program: &str) -> Result<Option<Channel>, String> {
    let words = words(text);
    let (mut got, mut put, mut channels) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for command in commands(&words) {
        let (into, records) = match command.first().map(String::as_str) {
            Some("GET") => (&mut got, ["INTO", "SET"].as_slice()),
            Some("PUT") => (&mut put, ["FROM"].as_slice()),
            _ => continue,
        };
        let Some(container) = option(command, "CONTAINER") else { continue };
        let name = named(&words, container)?;
        if let Some(word) = TEXT.iter().find(|word| command.iter().any(|found| found == *word)) {
            return Err(format!("the container {name} has text ({word}), not a record"));
        }
        let Some(record) = records.iter().find_map(|word| option(command, word)).and_then(<[_]>::last) else {
            continue;
        };
        into.insert(Container { name, record: record.clone() });
        if let Some(channel) = option(command, "CHANNEL") {
            channels.insert(named(&words, channel)?);
        }
    }
    let shown = |found: &BTreeSet<Container>| {
        let all: Vec<String> =
            found.iter().map(|container| format!("{} ({})", container.name, container.record)).collect();
        if all.is_empty() { "none".to_owned() } else { all.join(", ") }
    };
    let mut one = (got.iter(), put.iter());
    match (got.len(), put.len()) {
        (0, 0) => Ok(None),
        (0 | 1, 0 | 1) => Ok(Some(Channel {
            name: channels
                .pop_first()
                .unwrap_or_else(|| program.to_ascii_uppercase().chars().take(CHANNEL_MAX).collect()),
            request: one.0.next().cloned(),
            response: one.1.next().cloned(),
        })),
        _ => Err(format!(
            "expected at most one container that the program gets and one that it puts, found {} and {}",
            shown(&got),
            shown(&put)
        )),
    }
}

/// The name of a container or a channel.
fn named(words: &[String], value: &[String]) -> Result<String, String> {
    literal(words, value).map_err(|reason| format!("of a container or channel, {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn container(name: &str, record: &str) -> Option<Container> {
        Some(Container { name: name.to_owned(), record: record.to_owned() })
    }

    #[test]
    fn literals_and_values_name_containers() {
        let text = "       ID DIVISION.
       WORKING-STORAGE SECTION.
       01  CHANNEL-OF-IT  PIC X(16) VALUE 'ORDERS'.
       01  NAME-OF-IT     PIC X(16) VALUE SPACES.
      *    EXEC CICS GET CONTAINER('OLD') INTO(X) END-EXEC
           MOVE 'IN' TO NAME-OF-IT.
           EXEC CICS GET CONTAINER(NAME-OF-IT) CHANNEL(CHANNEL-OF-IT)
                INTO(WS-IN) RESP(R) END-EXEC
           EXEC CICS PUT CONTAINER(\"OUT\")
                FROM(WS-OUT) FLENGTH(LENGTH OF WS-OUT) END-EXEC.
";
        let found = of_text(text, "taker").expect("one each way").expect("a channel");
        assert_eq!(found.name, "ORDERS");
        assert_eq!((found.request, found.response), (container("IN", "WS-IN"), container("OUT", "WS-OUT")));
    }

    #[test]
    fn the_program_names_a_channel_that_no_command_names() {
        let text = "EXEC CICS GET CONTAINER('A') SET(ADDRESS OF R) END-EXEC EXEC CICS PUT CONTAINER('A') FROM(R) END-EXEC\n";
        let text =
            format!("       ID DIVISION.\n           {}", text.replace(" EXEC ", "\n           EXEC "));
        let found = of_text(&text, "taker").expect("one each way").expect("a channel");
        assert_eq!((found.name.as_str(), &found.request), ("TAKER", &container("A", "R")));
        assert_eq!(found.request, found.response);
    }

    #[test]
    fn a_program_may_only_get_or_only_put() {
        let channel = |text: &str| {
            let text = format!("           EXEC CICS {text} END-EXEC\n");
            let found = of_text(&text, "P").expect("at most one each way").expect("a channel");
            (found.request, found.response)
        };
        assert_eq!(channel("GET CONTAINER('A') INTO(R)"), (container("A", "R"), None));
        assert_eq!(channel("PUT CONTAINER('A') FROM(R)"), (None, container("A", "R")));
    }

    #[test]
    fn what_one_record_cannot_stand_for_is_refused() {
        let line = |text: &str| of_text(&format!("           EXEC CICS {text} END-EXEC\n"), "P");
        assert_eq!(line("LINK PROGRAM('B')"), Ok(None));
        let refused = |text: &str| line(text).expect_err("a refusal");
        let two = "GET CONTAINER('A') INTO(R) END-EXEC\n           EXEC CICS GET CONTAINER('B') INTO(S)";
        assert!(refused(two).contains("found A (R), B (S) and none"));
        assert!(refused("PUT CONTAINER('A') FROM(R) CHAR").contains("the container A has text (CHAR)"));
        assert!(
            refused("PUT CONTAINER(N) FROM(R)").contains("is in N, whose value the program does not tell")
        );
    }
}
