//! The channel of a program: the containers that its EXEC CICS commands get and put.

use std::collections::BTreeSet;
use std::path::Path;

use web_service::CONTAINER_DEFAULT;

use crate::commands::{commands, literal, option, words_of};
use crate::sources::SourceFile;

/// The channel of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Channel {
    pub(crate) name: String,
    /// The containers that the program gets, in the order of its commands.
    pub(crate) request: Vec<Container>,
    /// The containers that the program puts, in the order of its commands.
    pub(crate) response: Vec<Container>,
    /// The program gets containers that the gateway makes of the HTTP request.
    pub(crate) gets_context: bool,
    /// The program puts the status of the HTTP answer.
    pub(crate) puts_status: bool,
}

/// A container and the record of the program that has its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Container {
    pub(crate) name: String,
    pub(crate) record: String,
    /// A command converts it as text: it is CHAR.
    pub(crate) is_text: bool,
}

/// The most characters of a channel's name.
const CHANNEL_MAX: usize = 16;
/// The containers that the gateway makes of an HTTP request, as the crate `region` names them.
const CONTEXT: [&str; 5] =
    ["DFHWS-URI", "DFHWS-URI-QUERY", "DFHHTTPMETHOD", "BAQHTTPHEADERS", "DFHWS-USERID"];
/// The container of the status of an HTTP answer.
const STATUS: &str = "DFHHTTPSTATUS";
/// Options by which a command converts text.
const TEXT: [&str; 6] = ["CHAR", "DATATYPE", "INTOCCSID", "INTOCODEPAGE", "FROMCCSID", "FROMCODEPAGE"];

/// Verbs that pass a channel on, and those of them that start another task.
const PASSES: [&str; 5] = ["LINK", "XCTL", "START", "RUN", "RETURN"];
const STARTS: [&str; 2] = ["START", "RUN"];

/// The channel of a program; none if it gets and puts no containers.
///
/// # Errors
/// The program does not tell the name or the record of a container: the reason.
pub(crate) fn channel(file: &SourceFile) -> Result<Option<Channel>, String> {
    let path = &file.path;
    of_program(&words_of(file)?, &path.file_stem().unwrap_or_default().to_string_lossy())
        .map_err(|reason| format!("{}: {reason}; write the records of its containers into the service yourself: docs/guides/programs.md, 'Several containers'", path.display()))
}

/// The container that a program gets, if it names only one.
///
/// # Errors
/// The program cannot be read.
pub(crate) fn of_request(path: &Path) -> Result<Option<String>, String> {
    let words = words_of(&SourceFile { path: path.to_owned(), ..SourceFile::default() })?;
    let got = commands(&words).filter(|command| command.first().is_some_and(|word| word == "GET"));
    let mut names: BTreeSet<String> =
        got.filter_map(|command| named(&words, option(command, "CONTAINER")?).ok()).collect();
    names.retain(|name| !is_around_a_message(name));
    match names.len() {
        1 => Ok(names.pop_first()),
        _ => Ok(None),
    }
}

fn of_program(words: &[String], program: &str) -> Result<Option<Channel>, String> {
    let name: String = program.to_ascii_uppercase().chars().take(CHANNEL_MAX).collect();
    let others = passed_on(words, &PASSES);
    // A program that only has channels of others calls them its own, but not those of tasks that it starts.
    match of_words(words, &name, &others)? {
        None if !others.is_empty() => of_words(words, &name, &passed_on(words, &STARTS)),
        found => Ok(found),
    }
}

/// The channel, without the containers of channels in `others`.
fn of_words(words: &[String], name: &str, others: &BTreeSet<String>) -> Result<Option<Channel>, String> {
    let mut found = Channel {
        name: name.to_owned(),
        request: Vec::new(),
        response: Vec::new(),
        gets_context: false,
        puts_status: false,
    };
    let mut has_name = false;
    let (current, of_children) = (channels_of(words, "ASSIGN"), channels_of(words, "FETCH"));
    for command in commands(words) {
        let (is_got, records) = match command.first().map(String::as_str) {
            Some("GET") => (true, ["INTO", "SET"].as_slice()),
            Some("PUT") => (false, ["FROM"].as_slice()),
            _ => continue,
        };
        let Some(container) = option(command, "CONTAINER") else { continue };
        let channel = option(command, "CHANNEL");
        if channel.is_some_and(|field| of_children.contains(field)) {
            continue;
        }
        let channel = channel.filter(|field| !current.contains(*field));
        let channel = channel.map(|channel| named(words, channel)).transpose()?;
        if channel.as_ref().is_some_and(|name| others.contains(name)) {
            continue;
        }
        let name = named(words, container)?;
        let Some(record) = records.iter().find_map(|word| option(command, word)).and_then(<[_]>::last) else {
            continue;
        };
        if is_around_a_message(&name) {
            found.gets_context |= is_got && CONTEXT.contains(&name.as_str());
            found.puts_status |= !is_got && name == STATUS;
            continue;
        }
        if !has_name && let Some(channel) = channel {
            (found.name, has_name) = (channel, true);
        }
        let is_text = TEXT.iter().any(|word| command.iter().any(|found| found == *word));
        let way = if is_got { &mut found.request } else { &mut found.response };
        note(way, Container { name, record: record.clone(), is_text })?;
    }
    let has_any = !found.request.is_empty() || !found.response.is_empty();
    Ok((has_any || found.gets_context || found.puts_status).then_some(found))
}

/// The fields that get the name of a channel: of the current one by ASSIGN, of that of a child by FETCH.
fn channels_of<'w>(words: &'w [String], verb: &str) -> BTreeSet<&'w [String]> {
    let has_verb = |command: &&[String]| command.first().is_some_and(|word| word == verb);
    commands(words).filter(has_verb).filter_map(|command| option(command, "CHANNEL")).collect()
}

/// The channels that the program makes for other programs: it passes them on by one of these verbs, and puts something into
/// them before it gets anything.
fn passed_on(words: &[String], verbs: &[&str]) -> BTreeSet<String> {
    let verb = |command: &[String]| command.first().cloned().unwrap_or_default();
    let channel = |command: &[String]| named(words, option(command, "CHANNEL")?).ok();
    let is_made = |name: &String| {
        let first = &mut commands(words).filter(|command| option(command, "CONTAINER").is_some());
        first
            .find(|command| channel(command).as_ref() == Some(name))
            .is_some_and(|command| verb(command) == "PUT")
    };
    let passes = |command: &&[String]| verbs.contains(&verb(command).as_str());
    commands(words).filter(passes).filter_map(channel).filter(is_made).collect()
}

/// Notes a container of a command; several commands may have one container.
fn note(way: &mut Vec<Container>, container: Container) -> Result<(), String> {
    match way.iter_mut().find(|known| known.name == container.name) {
        Some(known) if known.record == container.record => known.is_text |= container.is_text,
        Some(known) => {
            return Err(format!(
                "the container {} has two records: {} and {}",
                known.name, known.record, container.record
            ));
        }
        None => match way.iter().find(|known| known.name.eq_ignore_ascii_case(&container.name)) {
            Some(known) => {
                return Err(format!(
                    "the containers {} and {} differ only in case",
                    known.name, container.name
                ));
            }
            None => way.push(container),
        },
    }
    Ok(())
}

/// The container does not have the message, but what CICS or the gateway says of it.
fn is_around_a_message(name: &str) -> bool {
    (name.starts_with("DFH") && name != CONTAINER_DEFAULT) || CONTEXT.contains(&name)
}

/// The name of a container or a channel.
fn named(words: &[String], value: &[String]) -> Result<String, String> {
    literal(words, value).map_err(|reason| format!("of a container or channel, {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::words;

    fn of_text(text: &str, program: &str) -> Result<Option<Channel>, String> {
        of_program(&words(text), program)
    }

    fn container(name: &str, record: &str) -> Container {
        Container { name: name.to_owned(), record: record.to_owned(), is_text: false }
    }

    fn line(text: &str) -> Result<Option<Channel>, String> {
        of_text(&format!("           EXEC CICS {text} END-EXEC\n"), "P")
    }

    fn lines(commands: &[&str]) -> Channel {
        line(&commands.join(" END-EXEC\n           EXEC CICS "))
            .expect("what a channel can be")
            .expect("a channel")
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
        assert_eq!(
            (found.request, found.response),
            (vec![container("IN", "WS-IN")], vec![container("OUT", "WS-OUT")])
        );
    }

    #[test]
    fn the_program_names_a_channel_that_no_command_names() {
        let text = "EXEC CICS GET CONTAINER('A') SET(ADDRESS OF R) END-EXEC EXEC CICS PUT CONTAINER('A') FROM(R) END-EXEC\n";
        let text =
            format!("       ID DIVISION.\n           {}", text.replace(" EXEC ", "\n           EXEC "));
        let found = of_text(&text, "taker").expect("one each way").expect("a channel");
        assert_eq!((found.name.as_str(), &found.request), ("TAKER", &vec![container("A", "R")]));
        assert_eq!(found.request, found.response);
    }

    #[test]
    fn a_program_may_only_get_or_only_put() {
        let got = lines(&["GET CONTAINER('A') INTO(R)"]);
        assert_eq!((got.request, got.response), (vec![container("A", "R")], Vec::new()));
        let put = lines(&["PUT CONTAINER('A') FROM(R)"]);
        assert_eq!((put.request, put.response), (Vec::new(), vec![container("A", "R")]));
        assert_eq!(line("LINK PROGRAM('B')"), Ok(None));
    }

    #[test]
    fn several_containers_come_in_the_order_of_commands() {
        let one = lines(&[
            "GET CONTAINER('A') INTO(R)",
            "GET CONTAINER('A') INTO(R)",
            "PUT CONTAINER('A') FROM(R)",
        ]);
        assert_eq!((one.request.len(), one.response.len()), (1, 1));
        let two = lines(&["GET CONTAINER('B') INTO(S)", "GET CONTAINER('A') INTO(R)"]);
        assert_eq!(two.request, [container("B", "S"), container("A", "R")]);
        let text = lines(&["PUT CONTAINER('A') FROM(R) CHAR"]);
        assert!(text.response[0].is_text);
    }

    #[test]
    fn containers_of_the_request_and_the_status_are_no_data() {
        let found = lines(&[
            "GET CONTAINER('DFHHTTPMETHOD') INTO(M)",
            "GET CONTAINER('A') INTO(R)",
            "PUT CONTAINER('DFHHTTPSTATUS') FROM(S) CHAR",
        ]);
        assert_eq!((found.request, found.response.len()), (vec![container("A", "R")], 0));
        assert!(found.gets_context && found.puts_status);
    }

    #[test]
    fn containers_for_other_programs_are_not_those_of_callers() {
        let found = lines(&[
            "GET CONTAINER('A') INTO(R)",
            "PUT CONTAINER('Q') CHANNEL('SUB') FROM(Q)",
            "LINK PROGRAM('OTHER') CHANNEL('SUB')",
            "GET CONTAINER('Q') CHANNEL('SUB') INTO(Q)",
        ]);
        assert_eq!(
            (found.name.as_str(), found.request, found.response),
            ("P", vec![container("A", "R")], Vec::new())
        );
    }

    #[test]
    fn a_channel_for_tasks_that_the_program_starts_is_never_its_own() {
        for start in ["RUN TRANSID('SUB1') CHILD(T)", "START TRANSID('SUB1')"] {
            let one = format!("PUT CONTAINER('IN') CHANNEL('SUB') FROM('one') END-EXEC EXEC CICS {start}");
            let two = one.replace("'one'", "'two'");
            let text = format!("{one} CHANNEL('SUB') END-EXEC EXEC CICS {two} CHANNEL('SUB')");
            assert_eq!(line(&text.replace(" EXEC ", "\n           EXEC ")), Ok(None), "{start}");
        }
    }

    #[test]
    fn a_channel_that_came_from_a_caller_may_be_passed_on() {
        let found = lines(&[
            "GET CONTAINER('A') CHANNEL('ORDERS') INTO(R)",
            "LINK PROGRAM('VALIDATE') CHANNEL('ORDERS')",
            "PUT CONTAINER('B') CHANNEL('ORDERS') FROM(S)",
        ]);
        assert_eq!(
            (found.name.as_str(), found.request, found.response),
            ("ORDERS", vec![container("A", "R")], vec![container("B", "S")])
        );
        let only = lines(&[
            "PUT CONTAINER('B') CHANNEL('ORDERS') FROM(S)",
            "LINK PROGRAM('NEXT') CHANNEL('ORDERS')",
        ]);
        assert_eq!(only.response, [container("B", "S")]);
    }

    #[test]
    fn the_current_channel_needs_no_name_and_those_of_children_do_not_count() {
        let found = lines(&[
            "ASSIGN CHANNEL(MINE)",
            "GET CONTAINER('A') CHANNEL(MINE) INTO(R)",
            "FETCH CHILD(T) CHANNEL(THEIRS)",
            "GET CONTAINER('B') CHANNEL(THEIRS) INTO(S)",
        ]);
        assert_eq!(
            (found.name.as_str(), found.request, found.response),
            ("P", vec![container("A", "R")], Vec::new())
        );
    }

    #[test]
    fn what_the_program_does_not_tell_is_refused() {
        let refused = |text: &str| line(text).expect_err("a refusal");
        let two = "GET CONTAINER('A') INTO(R) END-EXEC\n           EXEC CICS GET CONTAINER('A') INTO(S)";
        assert_eq!(refused(two), "the container A has two records: R and S");
        let two =
            "GET CONTAINER('Item') INTO(R) END-EXEC\n           EXEC CICS GET CONTAINER('ITEM') INTO(S)";
        assert_eq!(refused(two), "the containers Item and ITEM differ only in case");
        assert!(
            refused("PUT CONTAINER(N) FROM(R)").contains("is in N, whose value the program does not tell")
        );
    }
}
