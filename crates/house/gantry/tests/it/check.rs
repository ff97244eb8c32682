//! Tests `gantry check` and the other commands that end by themselves: messages, places, exit
//! codes.

use std::net::TcpListener;

use tempfile::TempDir;

use crate::folder::{ECHO_API, Folder, NOTE, service};
use crate::process::{Gantry, run, text};

/// Gives the lines for programs, `file:line: message`, without the folder.
#[track_caller]
pub(crate) fn problems(folder: &Folder) -> Vec<String> {
    let output = run(&["check", text(folder.path())]);
    let errors = String::from_utf8(output.stderr).expect("messages are UTF-8");
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(output.stdout.is_empty());
    let prefix = format!("{}/", text(folder.path()));
    let lines: Vec<String> =
        errors.lines().filter_map(|line| line.strip_prefix(&prefix)).map(str::to_owned).collect();
    let count = if lines.len() == 1 { "1 error".to_owned() } else { format!("{} errors", lines.len()) };
    assert!(errors.ends_with(&format!("gantry: {count} in the configuration\n")), "{errors}");
    lines
}

/// Expects exactly one problem, which begins with `place` and contains `part`.
#[track_caller]
fn one_problem(folder: &Folder, place: &str, part: &str) {
    let found = problems(folder);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with(&format!("{place}: ")), "expected {place}: {found:?}");
    assert!(found[0].contains(part), "expected '{part}': {found:?}");
}

#[test]
fn quiet_leaves_warnings_out_and_verbose_lists_what_serves() {
    let folder = Folder::echo("").with("servcies/a.txt", "");
    let check = |flag: &[&str]| {
        let output = run(&[&["check", text(folder.path())], flag].concat());
        let utf8 = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        assert_eq!(output.status.code(), Some(0));
        (utf8(output.stdout), utf8(output.stderr))
    };
    let fine = "fine: 1 service, 1 API, 1 operation\n";
    let (out, errors) = check(&[]);
    assert!(out == fine && errors.contains("is it meant to be 'services'?"), "{out}{errors}");
    assert_eq!(check(&["--quiet"]), (fine.to_owned(), String::new()));
    assert_eq!(check(&["-q"]).1, "");
    let (out, errors) = check(&["--verbose"]);
    assert!(out.contains("service echo: simulated\nAPI echo: /echo, 1 operation\n"), "{out}");
    assert!(errors.contains("is it meant to be"), "{errors}");
    assert_eq!(run(&["check", "-q", "-v", text(folder.path())]).status.code(), Some(2));
    // `-q` does not hide errors.
    let faulty = Folder::echo("nothing = 1\n");
    let output = run(&["-q", "check", text(faulty.path())]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("1 error in the configuration"), "{output:?}");
}

#[test]
fn the_examples_are_fine() {
    for (name, expected) in [
        ("performance", "fine: 3 services, 1 API, 3 operations\n"),
        ("faults", "fine: 5 services, 1 API, 5 operations\n"),
        ("queues", "fine: 3 services, 2 APIs, 2 operations, messaging REST\n"),
        ("soap", "fine: 2 services, 0 APIs, 2 web services, 2 operations\n"),
    ] {
        let output = run(&["check", "--example", name]);
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
        assert_eq!(output.status.code(), Some(0));
        let folder = TempDir::new().expect("a folder");
        let target = folder.path().join("new");
        assert_eq!(run(&["example", name, text(&target)]).status.code(), Some(0));
        assert!(target.join(".gitignore").is_file());
        let output = run(&["check", text(&target)]);
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
        // The command does not overwrite existing files.
        assert_eq!(run(&["example", name, text(&target)]).status.code(), Some(1));
    }
    let listed = String::from_utf8(run(&["example"]).stdout).expect("text");
    let names: Vec<&str> = listed.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names, ["connector", "faults", "performance", "programs", "queues", "soap"]);
    // Each example has a sentence.
    assert!(listed.lines().all(|line| line.len() > 30 && line.ends_with('.')), "{listed}");
    let unknown = run(&["check", "--example", "perfomance"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("known: connector, faults, performance"));
}

#[test]
fn a_small_folder_is_fine() {
    for folder in
        [Folder::echo(""), Folder::slow_echo("[limits]\nconnections_max = 1\n"), crate::mapping::shop()]
    {
        let output = run(&["check", text(folder.path())]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn a_missing_copybook_leads_to_the_nearest_one() {
    for (written, expected) in [
        ("note.cpy", Some("NOTE.cpy")),
        ("NOTE", Some("NOTE.cpy")),
        ("NOTES.cpy", Some("NOTE.cpy")),
        ("ORDERS.cpy", None),
    ] {
        let service = service("echo", "").replace("NOTE.cpy", written);
        let told = problems_of(&Folder::echo("").with("services/echo.toml", &service));
        let near = expected.map(|name| format!("; did you mean {name}?"));
        assert!(told.contains(&format!("copybooks/{written} cannot be read")), "{told}");
        assert_eq!(told.contains("did you mean"), near.is_some(), "{told}");
        assert!(told.contains(&near.unwrap_or_default()), "{told}");
    }
}

#[test]
fn folders_that_are_none() {
    let output = run(&["check", "/nowhere/at/all"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "gantry: /nowhere/at/all does not exist\n");
    one_problem(&Folder::empty(), "gantry.toml", "the file does not exist");
    assert_eq!(run(&["check", "--no-such-flag"]).status.code(), Some(2));
}

#[test]
fn unknown_keys_are_told_with_the_nearest_known_one() {
    let folder = Folder::echo("[limits]\nconnection_max = 7\n");
    one_problem(&folder, "gantry.toml:2", "'connection_max' is not known here");
    let output = run(&["check", text(folder.path())]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("did you mean 'connections_max'?"));
    let api = ECHO_API.replace("service =", "servise =");
    one_problem(&Folder::echo("").with("apis/echo/api.toml", &api), "apis/echo/api.toml:6", "'servise'");
    let bad = service("echo", "").replace("ccsid", "cssid");
    one_problem(&Folder::echo("").with("services/echo.toml", &bad), "services/echo.toml:1", "'cssid'");
    // A fault in a provider's key has the place of the provider's section.
    let bad = service("echo", "delay = 5");
    one_problem(&Folder::echo("").with("services/echo.toml", &bad), "services/echo.toml:3", "'delay'");
}

#[test]
fn a_section_in_a_wrong_file_leads_to_the_right_one() {
    let told = |folder: &Folder| {
        let output = run(&["check", text(folder.path())]);
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let cors = "[cors]\norigins = [\"https://shop.example\"]\n";
    let found = told(&Folder::echo(cors));
    assert!(found.contains("gantry.toml:1: 'cors' is not known here"), "{found}");
    assert!(found.contains("help: 'cors' belongs in apis/NAME/api.toml"), "{found}");
    let service = format!("{}\n{cors}", service("echo", ""));
    let found = told(&Folder::echo("").with("services/echo.toml", &service));
    assert!(found.contains("help: 'cors' belongs in apis/NAME/api.toml"), "{found}");
    let api = format!("{ECHO_API}\n[[listener]]\naddress = \"127.0.0.1:0\"\n");
    let found = told(&Folder::echo("").with("apis/echo/api.toml", &api));
    assert!(found.contains("help: 'listener' belongs in gantry.toml"), "{found}");
    // The same word within a section is something else.
    let found = told(&Folder::echo("[limits]\ncors = 1\n"));
    assert!(found.contains("'cors' is not known here") && !found.contains("belongs"), "{found}");
}

/// A section under a misspelled name counts as the one that was meant, so that what refers to it is not a fault.
#[test]
fn a_misspelled_section_is_one_fault() {
    let right = "[queue_manager]\nname = \"QM1\"\n[[queue_manager.queue]]\nname = \"A\"\n\
        [[queue_manager.queue]]\nname = \"B\"\nalias_of = \"A\"\n\
        [[queue_manager.subscription]]\nname = \"s\"\ntopics = \"a\"\nqueue = \"A\"\n";
    let check = |text_of: &str| {
        let folder = Folder::empty().with("gantry.toml", text_of);
        let told = run(&["check", text(folder.path())]);
        String::from_utf8_lossy(&told.stderr).into_owned()
    };
    assert_eq!(check(right), "");
    for (wrong, line) in [
        (right.replacen("[queue_manager]", "[queue_managr]", 1), 1),
        (right.replacen("[[queue_manager.queue]]", "[[queue_manager.queu]]", 1), 3),
        (right.replacen("[[queue_manager.subscription]]", "[[queue_manager.subscripton]]", 1), 8),
        (right.replacen("alias_of", "alias_off", 1), 7),
    ] {
        let told = check(&wrong);
        assert!(
            told.contains(&format!("gantry.toml:{line}: ")) && told.contains("help: did you mean '"),
            "{told}"
        );
        assert!(told.contains("gantry: 1 error in the configuration"), "{told}");
        assert!(!told.contains("no section defines"), "{told}");
    }
}

#[test]
fn all_keys_and_values_of_a_file_are_told_at_once() {
    let folder =
        Folder::echo("[limits]\nconnection_max = 7\n[server]\nworkers = true\n[[listener]]\nname = 5\n")
            .with(
                "apis/echo/api.toml",
                &ECHO_API.replace("service =", "servise =").replace("\"/echo\"", "5"),
            );
    let found = problems(&folder);
    let expected = [
        ("gantry.toml:2: ", "'connection_max' is not known here: expected one of 'request_body_max_bytes'"),
        ("gantry.toml:4: ", "expected a whole number from 0, found true"),
        ("gantry.toml:5: ", "'address' is missing"),
        ("gantry.toml:6: ", "expected a text, found the number 5"),
        ("apis/echo/api.toml:1: ", "expected a text, found the number 5"),
        ("apis/echo/api.toml:6: ", "'servise' is not known here"),
    ];
    for (place, part) in expected {
        let is_it = |line: &&String| line.starts_with(place) && line.contains(part);
        assert!(found.iter().any(|line| is_it(&line)), "{place}{part}: {found:?}");
    }
    assert_eq!(found.len(), expected.len(), "{found:?}");
}

#[test]
fn faults_of_fields_are_told_at_their_lines() {
    let fields = "[request.fields]\nWORDS = { default = \"a text of more than twenty characters\" }\n\
                  NUMBER-OF = { default = 100000 }\nNOTHING = { required = true }\nNO = { name = \"a\" }\n";
    let written = service("echo", "");
    let (head, rest) = written.split_once("[response]").expect("a response");
    let text = format!("{head}{fields}[response]{rest}");
    let line = text.lines().position(|line| line == "[request.fields]").expect("a line") + 1;
    let found = problems(&Folder::echo("").with("services/echo.toml", &text));
    for (offset, part) in [(3, "NOTHING"), (4, "'NO'")] {
        let place = format!("services/echo.toml:{}: ", line + offset);
        assert!(
            found.iter().any(|found| found.starts_with(&place) && found.contains(part)),
            "{place}: {found:?}"
        );
    }
    let text = text.replace("NOTHING = { required = true }\nNO = { name = \"a\" }\n", "");
    let found = problems(&Folder::echo("").with("services/echo.toml", &text));
    for (offset, part) in [(1, "WORDS: the default"), (2, "NUMBER-OF: the default")] {
        let place = format!("services/echo.toml:{}: ", line + offset);
        assert!(
            found.iter().any(|found| found.starts_with(&place) && found.contains(part)),
            "{place}: {found:?}"
        );
    }
}

#[test]
fn addresses_that_two_have_and_numbers_that_nobody_means() {
    let listener =
        |address: &str| format!("[[listener]]\naddress = \"{address}\"\nallow_unprotected = true\n");
    for (gantry, place) in [
        (listener("127.0.0.1:4001") + &listener("127.0.0.1:4001"), Some("gantry.toml:5")),
        (listener("0.0.0.0:4001") + &listener("127.0.0.1:4001"), Some("gantry.toml:5")),
        (listener("127.0.0.1:4001") + "[admin]\naddress = \"127.0.0.1:4001\"\n", Some("gantry.toml:5")),
        ("[admin]\naddress = \"127.0.0.1:2222\"\n".to_owned(), Some("gantry.toml:2")),
        (listener("127.0.0.1:4001") + &listener("127.0.0.2:4001"), None),
        (listener("127.0.0.1:4001") + &listener("127.0.0.1:4002"), None),
        (listener("127.0.0.1:0") + &listener("127.0.0.1:0"), None),
    ] {
        let folder = Folder::echo(&gantry);
        match place {
            Some(place) => one_problem(&folder, place, "is taken by another listener"),
            None => assert!(run(&["check", text(folder.path())]).status.success(), "{gantry}"),
        }
    }
    let many = "expected at most 1024 workers, found 1000000";
    one_problem(&Folder::echo("[server]\nworkers = 1000000\n"), "gantry.toml:2", many);
}

#[test]
fn programs_that_are_not_there_are_told_with_their_lines() {
    let program = "[[region.program]]\nname = \"LIMITED\"\ncpu_max_ms = 5\n\
                   [[region.transaction]]\nname = \"TRAN\"\nprogram = \"STARTED\"\n\
                   [[region.program]]\nname = \"PAT*\"\ncpu_max_ms = 5\n";
    let own = service("echo", "")
        .replace("kind = \"simulated\"\nanswer = \"echo\"", "kind = \"program\"\nprogram = \"OWN\"");
    let own = own.replace("ccsid = 37", "ccsid = 819");
    let folder = Folder::echo("").with("services/echo.toml", &own);
    let cache = format!("[region]\ncache = \"{}/.cache\"\n", text(folder.path()));
    let folder = folder.with("gantry.toml", &format!("{cache}{program}"));
    let output = run(&["check", text(folder.path())]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{told}");
    for expected in [
        "services/echo.toml:3: the program OWN of a service does not exist",
        "gantry.toml:3: program LIMITED does not exist in programs/: this section changes nothing",
        "gantry.toml:8: program STARTED does not exist in programs/: tasks of this transaction end with abend APCT",
    ] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
    assert!(!told.contains("PAT"), "{told}");
    // `gantry.toml` may also name the provider of a service.
    let unbound = own.replace("[provider]\nkind = \"program\"\nprogram = \"OWN\"\n", "");
    let bound = format!("{cache}[providers.echo]\nkind = \"program\"\nprogram = \"BOUND\"\n");
    let folder = folder.with("services/echo.toml", &unbound).with("gantry.toml", &bound);
    let told = String::from_utf8_lossy(&run(&["check", text(folder.path())]).stderr).into_owned();
    assert!(told.contains("gantry.toml:3: the program BOUND of a service does not exist"), "{told}");
    let many = bound.replace("[region]\n", "[region]\nworkers = 5000\n");
    let found = problems_of(&folder.with("gantry.toml", &many));
    assert!(found.contains("gantry.toml:2: expected at most 1024 workers, found 5000"), "{found}");
}

#[test]
fn dates_that_a_request_may_leave_out_are_warned_of() {
    let dated = service("echo", "")
        .replace("[response]", "[request.fields]\nWORDS = { date = \"YYYY-MM-DD\" }\n[response]");
    let note = NOTE.replace("X(20)", "X(10)");
    let folder = Folder::echo("").with("services/echo.toml", &dated).with("copybooks/NOTE.cpy", &note);
    let output = run(&["check", text(folder.path())]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = 1 + dated.lines().position(|line| line.starts_with("WORDS")).expect("a line");
    let expected = format!("services/echo.toml:{line}: 'words' is a date without an initial value");
    assert!(output.status.success() && told.contains(&expected), "{told}");
}

#[test]
fn dates_of_answers_that_are_not_set_are_told_of_with_the_setting_that_helps() {
    let dated = service("echo", "") + "[response.fields]\nWORDS = { date = \"YYYY-MM-DD\" }\n";
    let note = NOTE.replace("X(20)", "X(10)");
    let folder = Folder::echo("").with("services/echo.toml", &dated).with("copybooks/NOTE.cpy", &note);
    let output = run(&["check", text(folder.path())]);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.contains("is refused with GTY0502E: words of echo. blank_numbers = \"null\""), "{told}");
    let call = |folder: &Folder| run(&["call", "echo", "--in", text(folder.path())]);
    let refused = call(&folder);
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(told.contains("words: '', in bytes 40 40") && told.contains("blank_numbers"), "{told}");
    let answer = Gantry::folder(folder.path()).put("/echo/7", "{}");
    assert_eq!(answer.fails(502, "GTY0502E"), "bad value: words at offset 4, a date that is not set");
    let lenient = format!("{dated}[response.values]\nblank_numbers = \"null\"\n");
    let folder = folder.with("services/echo.toml", &lenient);
    let told = String::from_utf8_lossy(&run(&["check", text(folder.path())]).stdout).into_owned();
    assert!(!told.contains("dates:"), "{told}");
    assert!(String::from_utf8_lossy(&call(&folder).stdout).contains(r#""words":null"#));
}

#[test]
fn fields_whose_initial_values_break_their_conditions_are_warned_of() {
    let enforced = service("echo", "").replace("[response]", "conditions = \"enforce\"\n[response]");
    let note = format!("{NOTE}              88 IS-FINE VALUE 'FINE'.\n");
    let folder = Folder::echo("").with("services/echo.toml", &enforced).with("copybooks/NOTE.cpy", &note);
    let told = |folder: &Folder| {
        let output = run(&["check", text(folder.path())]);
        assert!(output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let expected =
        "a request without 'words' gives the program an initial value that is none of the condition names";
    assert!(told(&folder).contains(expected), "{}", told(&folder));
    let field = "[request.fields]\nWORDS = { required = true }\n[response]";
    let folder = folder.with("services/echo.toml", &enforced.replace("[response]", field));
    assert!(!told(&folder).contains("condition names"), "{}", told(&folder));
}

#[test]
fn what_is_right_in_gantry_toml_is_there_for_other_files() {
    let shop = "[connections.shop]\nurl = \"http://127.0.0.1:1\"\nbad = 1\n[server]\nworkers = \"two\"\n";
    let asking = service("echo", "").replace(
        "kind = \"simulated\"\nanswer = \"echo\"",
        "kind = \"soap\"\nconnection = \"shop\"\npath = \"/a\"\nnamespace = \"urn:a\"",
    );
    let folder = Folder::echo(shop).with("services/asking.toml", &asking);
    let told = problems_of(&folder);
    assert!(told.contains("gantry.toml:3: 'bad' is not known here"), "{told}");
    assert!(told.contains("gantry.toml:5: expected a whole number"), "{told}");
    assert!(!told.contains("there is no connection"), "{told}");
    // A file without an organization is a fault too, which may come from the misspelled key.
    let misspelled = "[[region.file]]\nname = \"A\"\norganisation = \"ksds\"\nrecord_bytes = 5\n";
    one_problem(&Folder::echo(misspelled), "gantry.toml:3", "'organisation' is not known here");
    // It does not cause faults of pipelines' folders.
    let pipeline = |name: &str| format!("[[pipeline]]\nname = \"{name}\"\npickup = \"one\"\n");
    let told = problems_of(&Folder::echo(&format!("bad = 1\n{}{}", pipeline("A"), pipeline("B"))));
    assert!(told.contains("gantry.toml:1: 'bad'"), "{told}");
    assert!(told.contains("pipeline 'B': 'one' is the folder of something else too"), "{told}");
}

#[test]
fn a_faulty_interceptor_is_one_problem() {
    let api = ECHO_API.to_owned() + "\n[interceptors]\nnames = [\"audit\"]\n";
    let file = "file = { path = \".state/audit.jsonl\" }\n";
    for (section, line, expected) in [
        (format!("kind = \"audit\"\nname = \"audit\"\nbad = 1\n{file}"), 1, "'bad' is not known here"),
        (format!("kind = \"adit\"\nname = \"audit\"\n{file}"), 2, "'adit' is not known here"),
        (format!("kind = \"audit\"\nnme = \"audit\"\n{file}"), 1, "'nme' is not known here"),
        (
            "kind = \"audit\"\nname = \"audit\"\nfile = { path = \".a/b\", queue_max_lines = 0 }\n"
                .to_owned(),
            1,
            "queue_max_lines is 0",
        ),
    ] {
        let folder = Folder::echo(&format!("[[interceptor]]\n{section}")).with("apis/echo/api.toml", &api);
        one_problem(&folder, &format!("gantry.toml:{line}"), expected);
    }
    // Another name is a fault of its own.
    let section = format!("[[interceptor]]\nkind = \"audit\"\nname = \"other\"\nbad = 1\n{file}");
    let told = problems_of(&Folder::echo(&section).with("apis/echo/api.toml", &api));
    assert!(told.contains("'bad'") && told.contains("there is no interceptor 'audit'"), "{told}");
    let text = "x = \n";
    one_problem(&Folder::echo(text).with("apis/echo/api.toml", &api), "gantry.toml:1", "");
}

#[test]
fn numbers_are_asked_for_in_plain_words() {
    for (written, expected) in [
        ("[region]\nbatch_tasks_max = -1", "expected a whole number from 0, found the number -1"),
        ("[region]\nbatch_tasks_max = 1.5", "expected a whole number from 0, found the number 1.5"),
        ("[region]\nccsid = 70000", "expected a whole number from 0 to 65535, found the number 70000"),
    ] {
        one_problem(&Folder::empty().with("gantry.toml", written), "gantry.toml:2", expected);
    }
}

#[test]
fn values_of_the_wrong_type() {
    one_problem(
        &Folder::echo("[server]\nworkers = \"two\"\n"),
        "gantry.toml:2",
        "expected a whole number from 0, found the text",
    );
    one_problem(
        &Folder::echo("[server]\nworkers = -1\n"),
        "gantry.toml:2",
        "expected a whole number from 0, found the number -1",
    );
    one_problem(&Folder::echo("[limits\n"), "gantry.toml:1", "");
    let float = ECHO_API.to_owned() + "request.assign = { WORDS = 1.5 }\n";
    one_problem(&Folder::echo("").with("apis/echo/api.toml", &float), "apis/echo/api.toml:8", "decimal");
    let method = ECHO_API.replace("PUT", "FETCH");
    one_problem(&Folder::echo("").with("apis/echo/api.toml", &method), "apis/echo/api.toml:4", "FETCH");
    one_problem(&Folder::echo("[limits]\nheader_max_bytes = 1\n"), "gantry.toml", "8192 at least");
}

#[test]
fn names_that_lead_nowhere() {
    let api = |from: &str, to: &str| Folder::echo("").with("apis/echo/api.toml", &ECHO_API.replace(from, to));
    one_problem(&api("NUMBER-OF", "NUMBR-OF"), "apis/echo/api.toml:7", "NUMBER-OF");
    one_problem(&api("\"echo\"", "\"ecko\""), "apis/echo/api.toml:6", "known: echo");
    one_problem(&api("path.number", "body.number"), "apis/echo/api.toml:7", "expected path.NAME");
    let found = problems(&api("path.number", "path.nmber"));
    assert!(found.iter().any(|line| line.contains("path parameter 'number' is not moved")), "{found:?}");
    assert!(found.iter().any(|line| line.contains("the path has no parameter 'nmber'")), "{found:?}");
    let field = service("echo", "") + "[response.fields]\nWORD = { included = false }\n";
    one_problem(&Folder::echo("").with("services/echo.toml", &field), "services/echo.toml:16", "WORDS");
}

#[test]
fn apis_that_contradict_each_other() {
    let second = Folder::echo("").with("apis/other/api.toml", ECHO_API);
    one_problem(&second, "apis/other/api.toml", "base path '/echo' is already that of API 'echo'");
    let operation = &ECHO_API[ECHO_API.find("[[").expect("an operation")..];
    let twice = format!("{ECHO_API}\n{}operation_id = \"again\"\n", operation);
    one_problem(
        &Folder::echo("").with("apis/echo/api.toml", &twice),
        "apis/echo/api.toml",
        "PUT /echo/{number} is defined twice",
    );
    let ids = format!("{ECHO_API}\n{}", operation.replace("/{number}", "/x/{number}"));
    one_problem(
        &Folder::echo("").with("apis/echo/api.toml", &ids),
        "apis/echo/api.toml:11",
        "set operation_id",
    );
    let base = ECHO_API.replace("\"/echo\"", "\"echo/\"");
    one_problem(
        &Folder::echo("").with("apis/echo/api.toml", &base),
        "apis/echo/api.toml:1",
        "must start with '/'",
    );
}

#[test]
fn copybooks_that_cannot_be_used() {
    let broken = NOTE.replace("PIC X(20)", "PIC Q(20)");
    one_problem(&Folder::echo("").with("copybooks/NOTE.cpy", &broken), "copybooks/NOTE.cpy:3", "");
    let folder =
        Folder::echo("").with("services/echo.toml", &service("echo", "").replace("NOTE.cpy", "NOTES.cpy"));
    let found = problems(&folder);
    assert!(found.iter().all(|line| line.contains("copybooks/NOTES.cpy cannot be read")), "{found:?}");
    let folder = Folder::echo("")
        .with("services/echo.toml", &service("echo", "").replace("NOTE.cpy", "../gantry.toml"));
    assert!(problems(&folder).iter().all(|line| line.contains("below copybooks/")));
    let page = service("echo", "").replace("37", "12345");
    one_problem(
        &Folder::echo("").with("services/echo.toml", &page),
        "services/echo.toml:1",
        "CCSID 12345 is not known",
    );
    let several =
        Folder::echo("").with("copybooks/NOTE.cpy", &format!("{NOTE}{}", NOTE.replace("NOTE", "MEMO")));
    assert!(problems(&several).iter().all(|line| line.contains("one of NOTE, MEMO")));
}

#[test]
fn simulations_that_make_no_sense() {
    for (answer, more, part) in [
        ("constant", "", "needs the record as 'hex'"),
        ("echo", "hex = \"00\"", "'hex' goes with"),
        ("constant", "hex = \"0\"", "even number"),
        ("constant", "hex = \"+1\"", "even number"),
        ("constant", "hex = \"\u{e4}\"", "even number"),
    ] {
        let folder = Folder::echo("").with("services/echo.toml", &service(answer, more));
        one_problem(&folder, "services/echo.toml:3", part);
    }
}

#[test]
fn addresses_that_others_reach_need_consent() {
    let listener = |more: &str| Folder::echo(&format!("[[listener]]\naddress = \"0.0.0.0:0\"\n{more}"));
    one_problem(&listener(""), "gantry.toml:2", "allow_unprotected");
    assert_eq!(run(&["check", text(listener("allow_unprotected = true\n").path())]).status.code(), Some(0));
    let admin = |more: &str| Folder::echo(&format!("[admin]\naddress = \"0.0.0.0:0\"\n{more}"));
    one_problem(&admin(""), "gantry.toml:2", "without TLS and authentication");
    let keys = "[[security.authenticator]]\nkind = \"api_key\"\nkeys = \"keys.txt\"\n";
    one_problem(&admin(keys).with("keys.txt", ""), "gantry.toml:2", "without TLS");
    // Administration always needs a known caller, even if calls do not.
    let open = format!("{keys}[security]\nrequire_auth = false\n");
    one_problem(&admin(&open).with("keys.txt", ""), "gantry.toml:2", "without TLS");
    assert_eq!(run(&["check", text(admin("allow_unprotected = true\n").path())]).status.code(), Some(0));
    one_problem(
        &Folder::echo("[[listener]]\naddress = \"here\"\n"),
        "gantry.toml:2",
        "not an address with a port",
    );
    let output = run(&["serve", "--example", "faults", "--listen", "0.0.0.0:0"]);
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(
        told.contains("can be reached from other machines") && told.contains("with tls and an authenticator")
    );
    let output = run(&["serve", "--example", "faults", "--listen", "0.0.0.0"]);
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("expected an address with a port, such as 127.0.0.1:2222"), "{told}");
    let output = run(&["serve", "--example", "faults", "--listen", "127.0.0.1:0", "--workers", "5000"]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("--workers: expected at most 1024 workers, found 5000"), "{told}");
}

/// Gives what `check` prints, whether the configuration serves or not.
fn problems_of(folder: &Folder) -> String {
    String::from_utf8_lossy(&run(&["check", text(folder.path())]).stderr).into_owned()
}

#[test]
fn calls_of_a_queue_manager_that_is_not_configured_are_warned_of() {
    let program = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. ASKS.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n       \
        01  H  PIC S9(9) BINARY.\n       PROCEDURE DIVISION.\n           CALL 'MQDISC' USING H H H.\n           GOBACK.\n";
    let own = service("echo", "")
        .replace("kind = \"simulated\"\nanswer = \"echo\"", "kind = \"program\"\nprogram = \"ASKS\"");
    let folder = Folder::echo("").with("services/echo.toml", &own.replace("ccsid = 37", "ccsid = 819"));
    let cache = format!("[region]\ncache = \"{}/.cache\"\n", text(folder.path()));
    let folder = folder.with("gantry.toml", &cache).with("programs/ASKS.cbl", program);
    let told = problems_of(&folder);
    assert!(
        told.contains(
            "programs/ASKS.cbl:7: the program calls MQDISC, and gantry.toml has no [queue_manager]"
        ),
        "{told}"
    );
    let mut folder = folder.with("gantry.toml", &format!("{cache}[queue_manager]\nname = \"QM1\"\n"));
    let told = problems_of(&folder);
    assert!(!told.contains("MQDISC"), "{told}");
    // A faulty section is there, too.
    let asking = "ccsid = 819\n\n[provider]\nkind = \"queue\"\ndestination = \"A\"\nreply_destination = \"B\"\n\n\
        [request]\ncopybook = \"NOTE.cpy\"\n[response]\ncopybook = \"NOTE.cpy\"\n";
    folder = folder.with("services/asking.toml", asking);
    for (faulty, expected) in [
        ("[queue_manager]\nqueues_max = 5\n", "'name' is missing"),
        ("[queue_manager]\nname = 5\n", "expected a text, found the number 5"),
        ("[queue_manager\nname = \"QM1\"\n", "gantry.toml:3"),
    ] {
        folder = folder.with("gantry.toml", &format!("{cache}{faulty}"));
        let told = problems_of(&folder);
        assert!(told.contains(expected) && !told.contains("[queue_manager]"), "{told}");
    }
}

#[test]
fn tls_files_that_cannot_be_used() {
    let listener = crate::tls::TLS_LISTENER;
    one_problem(&Folder::echo(listener), "gantry.toml:3", "cert.pem");
    let made =
        |name: &str| rcgen::generate_simple_self_signed([name.to_owned()]).expect("a certificate is made");
    let (one, other) = (made("one"), made("other"));
    let folder = |certificate: &str, key: &str| {
        Folder::echo(listener).with("cert.pem", certificate).with("key.pem", key)
    };
    let (certificate, key) = (one.cert.pem(), one.signing_key.serialize_pem());
    one_problem(&folder(&key, &key), "gantry.toml:3", "no certificate in it");
    one_problem(&folder(&certificate, &certificate), "gantry.toml:3", "key.pem");
    one_problem(&folder(&certificate, &other.signing_key.serialize_pem()), "gantry.toml:3", "cert.pem");
    one_problem(&folder("nonsense", &key), "gantry.toml:3", "cert.pem");
    assert_eq!(run(&["check", text(folder(&certificate, &key).path())]).status.code(), Some(0));
}

#[test]
fn all_problems_are_told_at_once() {
    let folder = Folder::echo("[limits]\nrequest_body_max_bytes = 0\nconnections_max = 0\n[server]\ntrusted_proxies = [\"10.0.0.0/40\"]\n")
        .with("copybooks/BAD.cpy", "       01  BAD.\n           05  A  PIC Q.\n")
        .with("services/bad.toml", &service("echo", "").replace("NOTE.cpy", "BAD.cpy"))
        .with("services/worse.toml", "ccsid = \"37\"\n")
        .with("services/readme.txt", "")
        .with("apis/bad/api.toml", &ECHO_API.replace("/echo", "/bad").replace("NUMBER-OF", "NUMBERS"))
        .with("apis/worse/api.toml", "base_path = 7\n");
    let found = problems(&folder);
    for (place, count) in [
        ("gantry.toml", 2),
        ("gantry.toml:5", 1),
        ("copybooks/BAD.cpy:2", 1),
        ("services/worse.toml:1", 1),
        ("services/readme.txt", 1),
        ("apis/bad/api.toml:7", 1),
        ("apis/worse/api.toml:1", 1),
    ] {
        let lines = found.iter().filter(|line| line.starts_with(&format!("{place}: "))).count();
        assert_eq!(lines, count, "{place}: {found:?}");
    }
    assert_eq!(found.len(), 8, "{found:?}");
}

#[test]
fn all_faults_of_a_region_are_told_at_once() {
    let gantry = "
[region]
applid = 'TOOLONGAPPLID'
sysid = 'REGION'
ccsid = 37
start_users = ['TOOLONGUSER', 'ALSOTOOLONG']

[[region.link]]
sysid = 'B'
address = 'nowhere'

[[region.file]]
name = 'ACCT'
";
    let folder = Folder::echo(gantry);
    let found = problems(&folder);
    for (line, part) in [
        (3, "applid"),
        (4, "sysid"),
        (5, "found CCSID 37"),
        (6, "start_users"),
        (8, "'unix:PATH' or 'HOST:PORT'"),
        (12, "a file needs"),
    ] {
        let place = format!("gantry.toml:{line}: ");
        let is_told = |fault: &&String| fault.starts_with(&place) && fault.contains(part);
        assert!(found.iter().any(|fault| is_told(&fault)), "{place}{part}: {found:#?}");
    }
    assert_eq!(found.iter().filter(|fault| fault.contains("start_users")).count(), 2, "{found:#?}");
}

#[test]
fn a_port_in_use_is_told_clearly() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    for arguments in
        [["--listen", &address, "--admin", "127.0.0.1:0"], ["--listen", "127.0.0.1:0", "--admin", &address]]
    {
        let output = run(&[&["serve", "--example", "faults"][..], &arguments].concat());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains(&format!("{address} is in use by another program")), "{errors}");
        assert!(output.stdout.is_empty());
    }
    // Programs are not compiled before that.
    let folder = Folder::empty()
        .with("programs/IDLE.cbl", "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. IDLE.\n       PROCEDURE DIVISION.\n           GOBACK.\n")
        .with("services/idle.toml", "ccsid = 819\n[provider]\nkind = \"program\"\nprogram = \"IDLE\"\n[request]\n[response]\n");
    let cache = folder.path().join("cache");
    let gantry =
        format!("[[listener]]\naddress = \"{address}\"\n[region]\ncache = \"{}\"\n", cache.display());
    let folder = folder.with("gantry.toml", &gantry);
    let output = run(&["serve", text(folder.path())]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains(&format!("{address} is in use by another program")), "{errors}");
    assert!(!cache.exists(), "{errors}");
}

#[test]
fn values_from_elsewhere_keep_clear_of_the_body() {
    let copybook = "       01  NOTE.\n           05  NUMBER-OF PIC 9(4).\n           05  WORDS PIC X(8).\n           05  CODE-OF REDEFINES WORDS PIC X(2).\n";
    let api = |request: &str| {
        let text = format!(
            "base_path = \"/echo\"\n[[operation]]\nmethod = \"POST\"\npath = \"/x\"\nservice = \"echo\"\n[operation.request]\n{request}\n"
        );
        Folder::echo("").with("copybooks/NOTE.cpy", copybook).with("apis/echo/api.toml", &text)
    };
    one_problem(
        &api("assign = { CODE-OF = \"AB\" }"),
        "apis/echo/api.toml:7",
        "bytes are also those of WORDS",
    );
    one_problem(&api("assign = { NUMBER-OF = \"12345\" }"), "apis/echo/api.toml:4", "does not fit");
    one_problem(&api("remove = [\"NOTE\"]"), "apis/echo/api.toml:7", "the whole record");
}

#[test]
fn copied_members_lie_beside_their_copybook() {
    let copybook = "       01  NOTE.\n           05  NUMBER-OF PIC 9(4).\n           COPY TEXTS REPLACING ==:W:== BY ==WORDS==.\n";
    let folder = || Folder::echo("").with("copybooks/NOTE.cpy", copybook);
    let good = folder().with("copybooks/texts.CPY", "           05  :W: PIC X(8).\n");
    let output = run(&["check", text(good.path())]);
    assert!(output.status.success(), "{output:?}");
    one_problem(&folder(), "copybooks/NOTE.cpy:3", "no file with this name in ");
    let faulty = folder().with("copybooks/texts.CPY", "           05  :W: PIC Q(8).\n");
    one_problem(&faulty, "copybooks/texts.CPY:1", "'Q'");
}

#[test]
#[cfg(not(feature = "wasm"))]
fn a_feature_that_is_not_built_in_is_named() {
    let folder = Folder::echo(
        "[[interceptor]]\nkind = \"wasm\"\nname = \"judge\"\nfile = \"judge.wasm\"\non_failure = \"open\"\n",
    );
    let output = run(&["check", text(folder.path())]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success());
    let part =
        "interceptor 'judge': this gantry was built without WebAssembly; cargo build --features wasm has it";
    assert!(told.contains(part) && told.contains("gantry.toml:1"), "{told}");
}

#[test]
fn programs_read_the_result_as_json() {
    let checked = |folder: &Folder| -> (Option<i32>, serde_json::Value) {
        let output = run(&["check", "--json", text(folder.path())]);
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        (output.status.code(), serde_json::from_slice(&output.stdout).expect("JSON"))
    };
    let (code, result) = checked(&Folder::echo(""));
    assert_eq!((code, &result["fine"], &result["errors"]), (Some(0), &true.into(), &0.into()));
    assert_eq!((&result["serves"]["services"], &result["serves"]["operations"]), (&1.into(), &1.into()));

    let bad = NOTE.replace("PIC 9(4)", "PIC 9(40)");
    let folder = Folder::echo("[limits]\nconnection_max = 7\n").with("copybooks/NOTE.cpy", &bad);
    let (code, result) = checked(&folder);
    assert_eq!((code, &result["fine"]), (Some(1), &false.into()));
    assert!(result.get("serves").is_none(), "{result}");
    let problems = result["problems"].as_array().expect("a list");
    assert_eq!(result["errors"], problems.len());
    let of = |ending: &str| {
        let is_of = |problem: &&serde_json::Value| {
            problem["file"].as_str().is_some_and(|file| file.ends_with(ending))
        };
        problems.iter().find(is_of).unwrap_or_else(|| panic!("{ending}: {result}"))
    };
    let key = of("gantry.toml");
    assert_eq!(
        (&key["severity"], &key["line"], &key["code"]),
        (&"error".into(), &2.into(), &serde_json::Value::Null)
    );
    assert!(key["help"].as_str().is_some_and(|help| help.contains("connections_max")), "{key}");
    let copybook = of("NOTE.cpy");
    assert_eq!((&copybook["code"], &copybook["line"]), (&"CPY041".into(), &2.into()));
}

#[test]
fn colours_are_there_when_they_are_asked_for() {
    let folder = Folder::echo("[limits]\nconnection_max = 7\n");
    let escapes = |options: &[&str]| {
        let output = run(&[&["check", text(folder.path())], options].concat());
        output.stderr.contains(&0x1B)
    };
    // The tests have no terminal.
    assert!(!escapes(&[]) && !escapes(&["--color", "never"]) && !escapes(&["--color", "auto"]));
    assert!(escapes(&["--color", "always"]));
}
