//! Tests COBOL programs behind an API. These tests need GnuCOBOL 3, and fail without it.

use std::path::Path;

use crate::folder::Folder;
use crate::process::{Gantry, run, text};

/// Makes the example `programs` with its own cache. `more` goes to the section `[region]`.
pub(crate) fn example(more: &str) -> Folder {
    let mut folder = Folder::empty();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/programs");
    for part in ["apis/programs", "services", "copybooks", "programs", "soap", "pipelines"] {
        for entry in std::fs::read_dir(root.join(part)).expect("the example has the folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
            let content = std::fs::read_to_string(&path).expect("a text");
            folder = folder.with(&format!("{part}/{name}"), &content);
        }
    }
    let requester = "requesters/CABASIC/requester.toml";
    let folder = folder.with(requester, &std::fs::read_to_string(root.join(requester)).expect("a text"));
    let gantry = std::fs::read_to_string(root.join("gantry.toml")).expect("a text");
    let cache = format!("{}-cache", text(folder.path()));
    // A folder whose name begins with a dot is not part of the configuration.
    let cache = cache.replace("-cache", "/.cache");
    let gantry = gantry.replace("[region]", &format!("[region]\ncache = \"{cache}\"\n{more}"));
    folder.with("gantry.toml", &gantry)
}

fn cabasic(count: usize) -> String {
    format!(r#"{{"CABASICOperation":{{"count_out":{count}}}}}"#)
}

#[test]
fn cabasic_answers_as_the_simulation_does() {
    let folder = example("");
    let (real, simulated) = (Gantry::folder(folder.path()), Gantry::example("performance"));
    for count in [1, 2, 31, 32, 3] {
        let program = real.put("/programs/CABASIC-RS2/7", &cabasic(count));
        let expected = simulated.put("/performance.api/mapping/CABASIC-RS2/7", &cabasic(count));
        assert_eq!((program.status, program.text()), (200, expected.text()), "{count}");
    }
}

#[test]
fn programs_link_each_other_by_commarea_channel_and_queue() {
    let folder = example("");
    let gantry = Gantry::folder(folder.path());
    let order = |item: &str, quantity: u32| {
        let body = format!(r#"{{"order":{{"item":"{item}","quantity":{quantity}}}}}"#);
        gantry.send("POST", "/programs/orders", "content-type: application/json\r\n", &body)
    };
    order("LAMP", 3).is_json(
        200,
        r#"{"order":{"item":"LAMP","quantity":3,"customer":"GANTRY","amount":74.85,"stock_left":97,"status":"TAKEN","journal_items":1,"journal_line":"TAKEN     3 LAMP       TASK 0000001"}}"#,
    );
    order("CHAIR", 101).is_json(
        200,
        r#"{"order":{"item":"CHAIR","quantity":101,"customer":"GANTRY","amount":15049,"stock_left":-1,"status":"TOO FEW","journal_items":2,"journal_line":"TAKEN   101 CHAIR      TASK 0000002"}}"#,
    );
    // The answer says that there was an abend. Only the log has its code.
    let failed = order("SOFA", 1);
    assert!(!failed.text().contains("ITEM"), "{}", failed.text());
    failed.fails(502, "GTY0509E");
    assert_eq!(order("LAMP", 1).status, 200);
    let log = gantry.stop();
    assert!(log.contains("abend ITEM in program PRICER: ABEND at line 20"), "{log}");
}

#[test]
fn faults_of_programs_are_told_at_their_own_lines() {
    let folder = example("").with(
        "programs/ORDER.cbl",
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. ORDER.\n       PROCEDURE DIVISION.\n           MOVE 1 TO NOT-THERE.\n           EXEC CICS RETURN END-EXEC.\n",
    );
    let output = run(&["check", text(folder.path())]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success());
    assert!(said.contains("'NOT-THERE' is not defined") && said.contains("programs/ORDER.cbl:4"), "{said}");
    let folder = example("").with(
        "programs/ORDER.cbl",
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. ODER.\n       PROCEDURE DIVISION.\n           EXEC CICS RETRUN END-EXEC.\n",
    );
    let output = run(&["check", text(folder.path())]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("RETRUN") && said.contains("programs/ORDER.cbl:4"), "{said}");
}

#[test]
fn names_are_found_as_the_mainframe_finds_them() {
    let order = "       CBL CICS('SP,EDF')
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ORDER.
       AUTHOR. A. N. O'THER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  TIMESTAMP        PIC X(26) VALUE '  NOW'.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY ORDER.
       PROCEDURE DIVISION USING DFHCOMMAREA.
           MOVE FUNCTION TRIM(TIMESTAMP) TO OR-STATUS
           EXEC CICS LINK PROGRAM('TAXES') COMMAREA(DFHCOMMAREA)
           END-EXEC
           EXEC CICS RETURN END-EXEC.
";
    let taxes = "       identification division.
       program-id. taxes.
       data division.
       linkage section.
       01  dfhcommarea.
           copy orderrec.
       procedure division.
           multiply 2 by or-quantity
           exec cics return end-exec.
       end program 'TAXES'.
";
    // The copybook ORDER has the name of a program. The program's folder comes first in the search.
    let folder = example("")
        .with("programs/ORDER.cbl", order)
        .with("programs/taxes.cob", taxes)
        .with("copybooks/order.CPY", "           COPY ORDERREC SUPPRESS.\n");
    let gantry = Gantry::folder(folder.path());
    let body = r#"{"order":{"item":"LAMP","quantity":3}}"#;
    gantry.send("POST", "/programs/orders", "content-type: application/json\r\n", body).is_json(
        200,
        r#"{"order":{"item":"LAMP","quantity":6,"customer":"","amount":0,"stock_left":0,"status":"NOW","journal_items":0,"journal_line":""}}"#,
    );
}

#[test]
fn a_program_is_called_once_without_a_server() {
    let folder = example("");
    let call =
        |body: &str| run(&["call", "order", "--in", text(folder.path()), "--json", body, "--caller", "ANNA"]);
    let output = call(r#"{"order":{"item":"CHAIR","quantity":2}}"#);
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains(r#""customer":"ANNA","amount":298,"stock_left":98"#), "{said}");
    let output = call(r#"{"order":{"item":"SOFA","quantity":2}}"#);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("abend ITEM in program PRICER: ABEND at line 20"), "{said}");
}

#[test]
fn members_that_are_alike_are_named() {
    let program = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. TWICE.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n           COPY SAME.\n           COPY NOWHERE.\n       PROCEDURE DIVISION.\n           GOBACK.\n";
    let folder = example("")
        .with("programs/TWICE.cbl", program)
        .with("copybooks/SAME.cpy", "       01  A PIC X.\n")
        .with("copybooks/same.copy", "       01  A PIC X.\n");
    let output = run(&["check", text(folder.path())]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success());
    assert!(said.contains("TWICE.cbl:5") && said.contains("several files match: SAME.cpy, same.copy"));
    let missing = format!("no file with this name in {0}/programs or {0}/copybooks", text(folder.path()));
    assert!(said.contains("TWICE.cbl:6") && said.contains(&missing), "{said}");
}

#[test]
fn a_changed_program_serves_without_a_stop_and_queues_stay() {
    let folder = example("").with("programs/IGNORED.cpy", "      * a member\n");
    let gantry_file = std::fs::read_to_string(folder.path().join("gantry.toml")).expect("a text");
    let folder = folder.with("gantry.toml", &format!("{gantry_file}\n[server]\nreload_poll_ms = 20\n"));
    let gantry = Gantry::folder(folder.path());
    let order = || {
        let body = r#"{"order":{"item":"LAMP","quantity":1}}"#;
        gantry.send("POST", "/programs/orders", "content-type: application/json\r\n", body)
    };
    assert!(order().text().contains(r#""amount":24.95,"#));
    let source = folder.path().join("programs/PRICER.cbl");
    let changed = std::fs::read_to_string(&source).expect("a text").replace("24.95", "19.95");
    std::fs::write(&source, changed).expect("a file");
    let mut calls = 1;
    let answer = loop {
        calls += 1;
        let answer = order();
        assert_eq!(answer.status, 200, "{}", answer.text());
        if answer.text().contains(r#""amount":19.95,"#) {
            break answer.text().to_owned();
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    };
    assert!(answer.contains(&format!(r#""journal_items":{calls},"#)), "{answer}");
}

#[test]
fn faults_of_transactions_are_told_together() {
    let folder = example("start_users = [\"TOOLONGUSER\"]");
    let more = "[[region.transaction]]\nname = \"LONGER\"\nprogram = \"ORDER\"\n\
        [[region.transaction]]\nname = \"ORD1\"\nprogram = \"OR DER\"\n\
        [[region.transaction]]\nname = \"ORD1\"\nprogram = \"ORDER\"\ntasks_max = 0\n";
    let gantry_file = std::fs::read_to_string(folder.path().join("gantry.toml")).expect("a text");
    let folder = folder.with("gantry.toml", &format!("{gantry_file}\n{more}"));
    let output = run(&["check", text(folder.path())]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    for expected in [
        "expected a transaction of 1 to 4 characters without blanks, found 'LONGER'",
        "expected a program of 1 to 8 characters without blanks, found 'OR DER'",
        "the transaction 'ORD1' is defined twice",
        "expected at least 1; 'enabled = false' keeps a transaction from being started",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
}

#[test]
fn without_gnucobol_the_package_is_named() {
    let folder = example("");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gantry"));
    let output = command.args(["check", text(folder.path())]).env("PATH", "/nonexistent").output();
    let output = output.expect("the binary starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success());
    assert!(said.contains("programs need GnuCOBOL 3: install Debian's package gnucobol3"), "{said}");
}

#[test]
fn sections_that_cannot_be_are_told() {
    for (provider, expected) in [
        ("program = \"TOO-LONG-NAME\"", "expected a program of 1 to 8 characters"),
        ("program = \"ORDER\"\ntransaction = \"TOOLONG\"", "expected a transaction of 1 to 4 characters"),
        ("program = \"ORDER\"\nrequest_container = \"DATA\"", "containers go with 'channel'"),
        ("program = \"ORDER\"\nchannel = \"A B\"", "expected a name of a channel or container"),
        ("program = \"ORDER\"\nchanel = \"A\"", "'chanel' is not known here"),
    ] {
        let service = std::fs::read_to_string(
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/programs/services/order.toml"),
        );
        let service =
            service.expect("a text").replace("program = \"ORDER\"\ntransaction = \"ORDR\"", provider);
        let folder = example("").with("services/order.toml", &service);
        let output = run(&["check", text(folder.path())]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(expected) && said.contains("services/order.toml"), "{provider}: {said}");
    }
    for (key, expected) in [
        ("ccsid = 37", "expected a single-byte code page of the ASCII family"),
        ("default_user = \"MUCH-TOO-LONG\"", "expected a default_user of 1 to 8 characters"),
        ("workerz = 1", "'workerz' is not known here"),
        ("worker_user = \"no such user\"", "expected a user of /etc/passwd or a number, found no such user"),
        ("worker_user = \"0\"", "expected an unprivileged user, found 0"),
    ] {
        let folder = example(key);
        let output = run(&["check", text(folder.path())]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(expected) && said.contains("gantry.toml"), "{key}: {said}");
    }
    // This record fits into no commarea.
    let folder = example("").with("copybooks/ORDERREC.cpy", "           05  OR-ITEM PIC X(10).\n           05  OR-QUANTITY PIC 9(5).\n           05  MORE PIC X(32763).\n")
        .with("services/order.toml", "ccsid = 819\n[provider]\nkind = \"program\"\nprogram = \"ORDER\"\n[request]\ncopybook = \"ORDERREC.cpy\"\n[response]\ncopybook = \"ORDERREC.cpy\"\n");
    let said = String::from_utf8_lossy(&run(&["check", text(folder.path())]).stderr).into_owned();
    assert!(
        said.contains("expected records of at most 32763 bytes for a commarea, found 32778: use a channel"),
        "{said}"
    );
}

#[test]
fn data_goes_from_program_to_program_by_each_method() {
    let folder = example("");
    let gantry = Gantry::folder(folder.path());
    let transfer = |method: &str, bytes: u32| {
        let body = format!(r#"{{"transfer":{{"method":"{method}","bytes":{bytes},"times":3}}}}"#);
        gantry.send("POST", "/programs/transfers", "content-type: application/json\r\n", &body)
    };
    for (method, bytes) in [
        ("COMMAREA", 8),
        ("COMMAREA", 32_763),
        ("CHANNEL", 1024),
        ("CHANNEL", 1_048_576),
        ("QUEUE", 32_000),
        ("QUEUE", 32_001),
        ("QUEUE", 1_048_576),
    ] {
        let expected =
            format!(r#"{{"transfer":{{"method":"{method}","bytes":{bytes},"times":3,"done":3}}}}"#);
        transfer(method, bytes).is_json(200, &expected);
    }
    // MOVER ends with an abend if the data does not fit into a commarea, and for an unknown method.
    transfer("COMMAREA", 32_764).fails(502, "GTY0509E");
    transfer("PIGEON", 8).fails(502, "GTY0509E");
    let log = gantry.stop();
    assert!(log.contains("abend MVLN in program MOVER") && log.contains("abend MVHW"), "{log}");
}

#[test]
fn programs_are_measured_at_the_doors_of_regions() {
    let folder = Folder::empty();
    let output = folder.path().join("result");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gantry"));
    command.args(["load", "programs", "--sizes", "1024,65536", "--characters", "1024"]);
    command.args(["--duration-s", "0.01", "--rounds", "1", "--output", text(&output)]);
    command.env("XDG_CACHE_HOME", folder.path()).env("XDG_STATE_HOME", folder.path());
    // The second run works like the first: nothing is left behind.
    for _ in 0..2 {
        let done = command.output().expect("the binary starts");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
    let json = std::fs::read_to_string(output.join("result.json")).expect("a result");
    let report: load::programs::ProgramsReport = serde_json::from_str(&json).expect("the shape of results");
    assert!(report.complete && report.place.contains("linked by a socket"), "{}", report.place);
    // There are five transfers in one region, and five between two.
    assert_eq!((report.transfers.len(), report.conversions.len()), (10, 12));
    let rounds = report.transfers.iter().map(|step| &step.rounds);
    for rounds in rounds.chain(report.conversions.iter().map(|step| &step.rounds)) {
        assert!(rounds.len() == 1 && rounds[0].calls > 0 && rounds[0].cpu_s > 0.0, "{rounds:?}");
    }
    assert!(std::fs::read_to_string(output.join("report.html")).expect("a page").contains("Programs report"));
}

#[test]
fn limits_of_programs_are_checked_and_hold() {
    for (limits, expected) in [
        ("name = \"ORDER\"\nworkers_max = 0", "expected at least 1 worker, found 0"),
        ("name = \"MUCH-TOO-LONG\"", "expected a program of 1 to 8 characters"),
        ("name = \"ORDER\"\ncpu_max = 1", "'cpu_max' is not known here"),
        (
            "name = \"ORDER\"\ncpu_max_ms = 1\n[[region.program]]\nname = \"ORDER\"\ncpu_max_ms = 2",
            "there is another [[region.program]] for ORDER",
        ),
    ] {
        let folder = limited(limits);
        let said = String::from_utf8_lossy(&run(&["check", text(folder.path())]).stderr).into_owned();
        assert!(said.contains(expected) && said.contains("gantry.toml"), "{limits}: {said}");
    }
    let endless = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. ORDER.\n       PROCEDURE DIVISION.\n       AGAIN.\n           GO TO AGAIN.\n";
    let folder =
        limited("name = \"ORDER\"\ncpu_max_ms = 50\nworkers_max = 1").with("programs/ORDER.cbl", endless);
    let gantry = Gantry::folder(folder.path());
    let body = r#"{"order":{"item":"LAMP","quantity":3}}"#;
    let failed = gantry.send("POST", "/programs/orders", "content-type: application/json\r\n", body);
    failed.fails(502, "GTY0509E");
    assert_eq!(gantry.put("/programs/CABASIC-RS2/7", &cabasic(1)).status, 200);
    let log = gantry.stop();
    assert!(
        log.contains("abend AICA in program ORDER: ") && log.contains("more than 50 ms of processor time"),
        "{log}"
    );
}

/// Waits in CICS for longer than any test.
const HANGS: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. ORDER.
       PROCEDURE DIVISION.
           EXEC CICS DELAY FOR SECONDS(600) END-EXEC
           EXEC CICS RETURN END-EXEC.
";

#[test]
fn a_program_that_hangs_holds_others_up_for_their_service_s_time_at_most() {
    let folder = limited("name = \"CABASIC\"\nworkers_kept = 1").with("programs/ORDER.cbl", HANGS);
    let service = folder.path().join("services/order.toml");
    let text = std::fs::read_to_string(&service).expect("a text");
    let folder = folder.with("services/order.toml", &format!("timeout_ms = 700\n{text}"));
    let gantry = Gantry::folder(folder.path());
    let body = r#"{"order":{"item":"LAMP","quantity":3}}"#;
    let order = || {
        let answer = gantry.send("POST", "/programs/orders", "content-type: application/json\r\n", body);
        assert_eq!((answer.status, answer.text().contains("the limit is 700 ms")), (503, true), "{answer:?}");
    };
    // One worker belongs to CABASIC. The first order has the other worker, and the next orders wait
    // for it.
    std::thread::scope(|scope| {
        let orders: Vec<_> = (0..3).map(|_| scope.spawn(order)).collect();
        while gantry.metric("gantry_region_tasks_waiting") < 2.0 {}
        assert_eq!(gantry.metric("gantry_region_workers_busy"), 1.0);
        for order in orders {
            order.join().expect("each is refused in time");
        }
    });
    // The first order still runs.
    assert_eq!(gantry.put("/programs/CABASIC-RS2/7", &cabasic(1)).status, 200);
    assert_eq!(gantry.metric("gantry_program_tasks_total{program=\"CABASIC\"}"), 1.0);
    assert_eq!(gantry.metric("gantry_program_abends_total{program=\"CABASIC\"}"), 0.0);
    let cost = gantry.metric("gantry_program_cpu_seconds_total{program=\"CABASIC\"}");
    assert!(cost > 0.0 && cost < 60.0, "{cost}");
    order();
}

/// Makes the example with limits of a program.
fn limited(limits: &str) -> Folder {
    let folder = example("");
    let gantry = std::fs::read_to_string(folder.path().join("gantry.toml")).expect("a text");
    let gantry = gantry.replace("workers = 4", "workers = 2");
    folder.with("gantry.toml", &format!("{gantry}\n[[region.program]]\n{limits}\n"))
}

#[test]
fn copy_does_not_leave_its_folders() {
    for (copy, expected) in [
        ("COPY '/etc/passwd'.", "/etc/passwd"),
        ("COPY '../../etc/passwd'.", "passwd"),
        ("COPY LINKED.", "is a link that leads out of the folder"),
        ("COPY PASSWD OF ELSEWHERE.", "is a link that leads out of the folder"),
    ] {
        let source = format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. ORDER.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n           {copy}\n       PROCEDURE DIVISION.\n           GOBACK.\n"
        );
        let folder = example("").with("programs/ORDER.cbl", &source);
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("programs/LINKED.cpy")).expect("a link");
        std::os::unix::fs::symlink("/etc", folder.path().join("programs/ELSEWHERE")).expect("a link");
        let output = run(&["check", text(folder.path())]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(expected), "{copy}: {said}");
        assert!(!said.contains("/bin/"), "{copy}: a line of the file is told: {said}");
    }
}

/// Tests what a shell can do in the compiler's place.
#[test]
fn the_compiler_is_kept_from_the_system() {
    let folder = tempfile::tempdir().expect("a folder");
    let elsewhere = tempfile::tempdir().expect("a folder");
    let secret = elsewhere.path().join("secret");
    std::fs::write(&secret, "secret").expect("a file");
    let (there, secret) = (text(folder.path()), text(&secret).to_owned());
    let tries = |command: &str| {
        let output = run(&["compiler", "same", there, "sh", "-c", command]);
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert!(tries("echo made > made && cat made && cat /etc/passwd > /dev/null && test \"$(pwd)\" != /").0);
    for command in [
        format!("cat {secret}"),
        format!("echo more > {secret}"),
        format!("echo more > {}/new", text(elsewhere.path())),
        "ln -s / root && cat root/root/.profile".to_owned(),
        // The compiler cannot signal the process of this test, and cannot change a file's owner.
        format!("kill -0 {}", std::process::id()),
        "chown $(id -u) made".to_owned(),
        // This would take 512 MiB of the disk.
        "head -c 536870912 /dev/zero > large".to_owned(),
    ] {
        assert!(!tries(&command).0, "{command}");
    }
    assert_eq!(std::fs::read(&secret).expect("a file"), b"secret");
    // The parent of the gateway may leave a file open. A shell without these limits can read it.
    let gantry = env!("CARGO_BIN_EXE_gantry");
    let inherits = |before: &str| {
        let command = format!("exec 9< {secret}; {before} sh -c 'cat <&9'");
        std::process::Command::new("sh").args(["-c", &command]).output().expect("a shell").stdout
    };
    assert_eq!(inherits(""), b"secret");
    assert_eq!(inherits(&format!("{gantry} compiler same {there}")), b"");
    // The limit is 2 GiB of memory, in kilobytes.
    assert!(tries("test $(ulimit -d) = 2097152").0);
    // The shell reads its own status, because the limits hold for its process.
    let holds = |line: &str| {
        format!(
            "while read name value; do test \"$name $value\" = \"{line}\" && exit 0; done < /proc/self/status; exit 1"
        )
    };
    for line in ["NoNewPrivs: 1", "Seccomp: 2"] {
        assert!(tries(&holds(line)).0, "{line}");
    }
}

/// Makes the example with more at the end of gantry.toml.
fn example_and(more: &str) -> Folder {
    let folder = example("");
    let path = folder.path().join("gantry.toml");
    let gantry = std::fs::read_to_string(&path).expect("a text");
    folder.with("gantry.toml", &format!("{gantry}\n{more}"))
}

#[test]
fn definitions_of_what_programs_share_are_checked_with_their_places() {
    let wrong = "[[region.tsmodel]]
prefix = \"A\"
pool = \"NONE\"

[[region.tsmodel]]
prefix = \"B\"
pool = \"NONE\"
recoverable = true

[[region.file]]
name = \"F\"
organization = \"ksds\"
record_bytes = 10

[[region.tdqueue]]
name = \"QUEUE\"
";
    let folder = example_and(wrong);
    let output = run(&["check", text(folder.path())]);
    let said =
        String::from_utf8(output.stderr).expect("text") + &String::from_utf8(output.stdout).expect("text");
    assert!(!output.status.success());
    for expected in [
        "there is no pool 'NONE' in [[region.tspool]]",
        "shared queues are not recoverable",
        "a ksds needs key_bytes",
        "expected a queue of 1 to 4 characters",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
}

#[test]
fn a_gateway_has_its_store_alone() {
    let folder = example_and("");
    let gantry = std::fs::read_to_string(folder.path().join("gantry.toml")).expect("a text");
    let with_store = gantry.replace("[region]", "[region]\nstore = \".state/region.store\"");
    let file = "\n[[region.file]]\nname = \"ACCT\"\norganization = \"rrds\"\nrecord_bytes = 10\n";
    let folder = folder.with("gantry.toml", &format!("{with_store}{file}"));
    let list = ["file", "list", "ACCT", "--in", text(folder.path())];
    {
        let _gantry = Gantry::folder(folder.path());
        let output = run(&list);
        let said = String::from_utf8(output.stderr).expect("text");
        assert!(!output.status.success() && said.contains("region.store"), "{said}");
    }
    assert!(run(&list).status.success());
}

#[test]
fn programs_and_copybooks_may_be_in_a_code_page() {
    let folder = example("");
    for file in ["programs/ORDER.cbl", "copybooks/ORDERREC.cpy"] {
        let path = folder.path().join(file);
        let mut bytes = b"      * pr\xE9s de l'\xE9t\xE9 \x80\n".to_vec();
        bytes.extend(std::fs::read(&path).expect("a source"));
        std::fs::write(path, bytes).expect("a file");
    }
    let check = |ccsid: &str| {
        let path = folder.path().join("gantry.toml");
        let gantry = std::fs::read_to_string(&path).expect("a text");
        std::fs::write(path, format!("{ccsid}{gantry}")).expect("a file");
        let output = run(&["check", text(folder.path())]);
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (done, said) = check("");
    assert!(done, "{said}");
    let (done, said) = check("source_ccsid = 37\n");
    assert!(!done && said.contains("gantry.toml:1") && said.contains("found CCSID 37"), "{said}");
}

#[test]
fn lines_that_programs_display_are_in_the_log_with_program_and_task() {
    let pricer = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/programs/programs/PRICER.cbl"),
    )
    .expect("a text");
    let (before, after) = pricer.split_once("PROCEDURE DIVISION").expect("code");
    let (rest, code) = after.split_once(".\n").expect("a header");
    let displays = "           DISPLAY 'PRICE ' X'1B' '[2J ASKED'\n           PERFORM 30 TIMES DISPLAY 'MUCH' END-PERFORM.\n";
    let program = format!("{before}PROCEDURE DIVISION{rest}.\n{displays}{code}");
    let folder = example("display_lines_per_second_max = 20").with("programs/PRICER.cbl", &program);
    let gantry = Gantry::folder(folder.path());
    let body = r#"{"order":{"item":"LAMP","quantity":3}}"#;
    let answer = gantry.send("POST", "/programs/orders", "content-type: application/json\r\n", body);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let log = gantry.stop();
    let line = log.lines().find(|line| line.contains("ASKED")).unwrap_or_else(|| panic!("{log}"));
    // The task begins with another program, which links to this one.
    assert!(line.contains("PRICE \\u{1b}[2J ASKED") && line.contains("task=1"), "{line}");
    assert!(line.contains("program=\"ORDER\"") && line.contains("display"), "{line}");
    let most = "programs displayed more than 20 lines in a second (region.display_lines_per_second_max)";
    assert!(log.contains(most), "{log}");
    assert_eq!(log.lines().filter(|line| line.contains("display: MUCH ")).count(), 19, "{log}");
}

#[test]
fn a_call_of_a_function_of_the_c_library_makes_its_program_faulty() {
    let program = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. PIPER.\n       PROCEDURE DIVISION.\n           \
                   CALL 'pipe'.\n           CALL 'PRICER'.\n           GOBACK.\n";
    let folder = example("callable = [\"bad name\"]").with("programs/PIPER.cbl", program);
    let output = run(&["check", text(folder.path())]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{said}");
    assert!(said.contains("programs/PIPER.cbl:4") && said.contains("found CALL 'pipe'"), "{said}");
    assert!(!said.contains("CALL 'PRICER'"), "{said}");
    assert!(said.contains("callable: expected the name of a function, found \"bad name\""), "{said}");
}

#[test]
fn the_sandbox_of_this_machine_can_be_tried() {
    let output = run(&["check", "--sandbox"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.starts_with("kernel: ") && said.contains("workers run as: "), "{said}");
    assert_eq!(said.lines().filter(|line| line.starts_with("denied: ")).count(), 10, "{said}");
    assert!(!said.contains("POSSIBLE") && !said.contains("missing: the kernel"), "{said}");
}

/// Adds to a number and reads a row of a table, as its commarea says. It displays so much before that the region has been told a part
/// when a fault comes.
const CHECKED: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. CHECKED.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  LONG-TEXT       PIC X(2000) VALUE ALL 'x'.
       01  ROWS.
           05  ROW         PIC 9 OCCURS 3 VALUE 1.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  DIGITS      PIC X(3).
           05  NUMBER-OF REDEFINES DIGITS PIC 9(3).
           05  AT-ROW      PIC 9(3).
           05  RESULT      PIC 9(5).
       PROCEDURE DIVISION.
           DISPLAY LONG-TEXT.
           ADD 1 TO NUMBER-OF GIVING RESULT.
           ADD ROW(AT-ROW) TO RESULT.
           EXEC CICS RETURN END-EXEC.
";

/// A folder with an API at `/c` of a program CHECKED, whose commarea is this copybook. `keys` are those of the region.
pub(crate) fn checked(program: &str, copybook: &str, keys: &str) -> Folder {
    let sides = "copybook = \"CHECKED.cpy\", wrapper = \"\"";
    let service = format!(
        "ccsid = 819\nprovider = {{ kind = \"program\", program = \"CHECKED\" }}\nrequest = {{ {sides} }}\nresponse = {{ {sides} }}\n"
    );
    let api = "base_path = \"/c\"\n[[operation]]\nmethod = \"POST\"\npath = \"/\"\nservice = \"checked\"\n";
    let folder = Folder::empty()
        .with("programs/CHECKED.cbl", program)
        .with("copybooks/CHECKED.cpy", copybook)
        .with("services/checked.toml", &service)
        .with("apis/c/api.toml", api);
    let cache = format!("{}/.cache", text(folder.path()));
    folder.with("gantry.toml", &format!("[region]\ncache = \"{cache}\"\n{keys}\n"))
}

#[test]
fn programs_check_numbers_and_subscripts_if_they_should() {
    let copybook =
        "           05  DIGITS PIC X(3).\n           05  AT-ROW PIC 9(3).\n           05  RESULT PIC 9(5).\n";
    let called = |keys: &str, body: &str| {
        let folder = checked(CHECKED, copybook, keys);
        let gantry = Gantry::folder(folder.path());
        let answer = gantry.send("POST", "/c", "content-type: application/json\r\n", body);
        (answer.status, gantry.stop())
    };
    let (number, row) = (r#"{"digits":" 1 ","at_row":1}"#, r#"{"digits":"001","at_row":200}"#);
    let (status, log) = called("numcheck = true", number);
    assert!(
        status == 502
            && log.contains("abend ASRA in program CHECKED: ")
            && log.contains("CHECKED.cbl:16: 'NUMBER-OF'"),
        "{log}"
    );
    let (status, log) = called("ssrange = true", row);
    assert!(
        status == 502
            && log.contains("abend 4038 in program CHECKED: ")
            && log.contains("CHECKED.cbl:17: subscript of 'ROW' out of bounds: 200"),
        "{log}"
    );
    assert_eq!(called("", number).0, 200);
}

/// Leaves a PERFORM by GO TO as often as its commarea says.
const LEAVER: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. CHECKED.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  TIMES-LEFT      PIC S9(8) COMP VALUE 0.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  DIGITS      PIC 9(5).
           05  RESULT      PIC 9(5).
       PROCEDURE DIVISION.
       NEXT-ONE.
           IF TIMES-LEFT = DIGITS
               MOVE TIMES-LEFT TO RESULT
               EXEC CICS RETURN END-EXEC.
           PERFORM LEAVE-IT.
           MOVE 99999 TO RESULT.
           EXEC CICS RETURN END-EXEC.
       LEAVE-IT.
           ADD 1 TO TIMES-LEFT.
           GO TO NEXT-ONE.
";

#[test]
fn a_program_that_leaves_too_many_performs_abends_and_writes_over_nothing() {
    let copybook = "           05  DIGITS PIC 9(5).\n           05  RESULT PIC 9(5).\n";
    let folder = checked(LEAVER, copybook, "");
    let gantry = Gantry::folder(folder.path());
    let send = |digits: u32| {
        gantry.send("POST", "/c", "content-type: application/json\r\n", &format!("{{\"digits\":{digits}}}"))
    };
    let answer = send(500);
    let body = String::from_utf8_lossy(&answer.body);
    assert!(answer.status == 200 && body.contains("\"result\":500"), "{body}");
    assert_eq!(send(5_000).status, 502);
    assert_eq!(send(1).status, 200, "the next one has a stack of its own");
    let log = gantry.stop();
    assert!(log.contains("abend 4038 in program CHECKED: ") && log.contains("stack overflow"), "{log}");
}

/// Keys have 8 bytes; most fields of RIDFLD are their first 4.
const PARTS: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. PARTS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  ROW.
           05  ROW-KEY.
               10  ROW-NAME    PIC X(4).
               10  ROW-NUMBER  PIC 9(4).
           05  ROW-TEXT        PIC X(8).
       01  SPARE               PIC X(16).
       01  WHOLE.
           05  WHOLE-NAME      PIC X(4).
           05  WHOLE-NUMBER    PIC 9(4).
       01  AT-ROW.
           05  AT-NAME         PIC X(4).
           05  FILLER          PIC X(300) VALUE SPACES.
       01  STATE               PIC S9(8) COMP.
       01  SHOWN               PIC 99.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  RESULT          PIC X(60).
       PROCEDURE DIVISION.
           MOVE SPACES TO RESULT.
           MOVE 'ROOF' TO ROW-NAME.
           MOVE 'TILE' TO ROW-TEXT.
           PERFORM VARYING ROW-NUMBER FROM 1 BY 1 UNTIL ROW-NUMBER > 3
               EXEC CICS WRITE FILE('ROWS') FROM(ROW)
                   RIDFLD(ROW-NAME) END-EXEC
           END-PERFORM.
           MOVE 2 TO ROW-NUMBER.
           EXEC CICS READ FILE('ROWS') INTO(ROW) RIDFLD(ROW-NAME)
               RESP(STATE) END-EXEC.
           MOVE STATE TO SHOWN.
           MOVE SHOWN TO RESULT(1:2).
           MOVE ROW-KEY TO RESULT(4:8).
           MOVE 'ROOF' TO AT-NAME.
           EXEC CICS STARTBR FILE('ROWS') RIDFLD(AT-NAME)
               GENERIC KEYLENGTH(4) END-EXEC.
           PERFORM UNTIL STATE > 0
               EXEC CICS READNEXT FILE('ROWS') INTO(ROW)
                   RIDFLD(AT-NAME) RESP(STATE) END-EXEC
               IF STATE = 0
                   MOVE ROW-NUMBER TO RESULT(8 + 5 * ROW-NUMBER:4)
               ELSE
                   MOVE STATE TO SHOWN
                   MOVE SHOWN TO RESULT(28:2)
               END-IF
           END-PERFORM.
           EXEC CICS DELETE FILE('ROWS') RIDFLD(ROW-NAME) END-EXEC.
           EXEC CICS READ FILE('ROWS') INTO(ROW) RIDFLD(ROW-NAME)
               RESP(STATE) END-EXEC.
           MOVE STATE TO SHOWN.
           MOVE SHOWN TO RESULT(31:2).
           EXEC CICS ENDBR FILE('ROWS') END-EXEC.
           MOVE 'ROOF' TO WHOLE-NAME.
           MOVE 1 TO WHOLE-NUMBER.
           EXEC CICS STARTBR FILE('ROWS') RIDFLD(WHOLE-NAME) END-EXEC.
           EXEC CICS READNEXT FILE('ROWS') INTO(SPARE)
               RIDFLD(WHOLE-NAME) END-EXEC.
           EXEC CICS READNEXT FILE('ROWS') INTO(SPARE)
               RIDFLD(WHOLE-NAME) END-EXEC.
           MOVE WHOLE TO RESULT(34:8).
           MOVE 1 TO WHOLE-NUMBER.
           EXEC CICS READNEXT FILE('ROWS') INTO(SPARE)
               RIDFLD(WHOLE-NAME) END-EXEC.
           MOVE WHOLE-NUMBER TO RESULT(43:4).
           EXEC CICS ENDBR FILE('ROWS') END-EXEC.
           MOVE 0 TO WHOLE-NUMBER.
           EXEC CICS READ FILE('ROWS') INTO(SPARE) RIDFLD(WHOLE-NAME)
               GTEQ END-EXEC.
           EXEC CICS DELETE FILE('ROWS') RIDFLD(WHOLE-NAME) END-EXEC.
           MOVE WHOLE-NUMBER TO RESULT(48:4).
           EXEC CICS RETURN END-EXEC.
";

#[test]
fn a_key_may_go_on_behind_ridfld() {
    let service = "ccsid = 819\nprogram = \"PARTS\"\n[request]\ncopybook = \"PARTS.cpy\"\n[response]\ncopybook = \"PARTS.cpy\"\n";
    let folder = Folder::empty()
        .with("programs/PARTS.cbl", PARTS)
        .with("copybooks/PARTS.cpy", "       01  AREA-OF.\n           05  RESULT PIC X(60).\n")
        .with("services/parts.toml", service);
    let (root, file) = (text(folder.path()).to_owned(), "name = \"ROWS\"\norganization = \"ksds\"");
    let folder = folder.with(
        "gantry.toml",
        &format!("[store]\npath = \"{root}/.store\"\n[region]\ncache = \"{root}/.cache\"\n[[region.file]]\n{file}\nrecord_bytes = 16\nkey_bytes = 8\n"),
    );
    let called = run(&["call", "parts", "--in", text(folder.path())]);
    let output = String::from_utf8_lossy(&called.stdout);
    assert!(output.contains(r#""00 ROOF0002 0001 0002 0003 20 13 ROOF0002 0001 0001""#), "{called:?}");
}

/// Looks at the abend of the program that it links to.
const LOOKS: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. LOOKS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-HEX          PIC X(8).
       01  WS-KEY          PIC S9(8) COMP.
       01  WS-TERMINAL     PIC X(4) VALUE 'none'.
       01  WS-STATE        PIC S9(8) COMP.
       01  SHOWN           PIC 99.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  RESULT      PIC X(60).
       PROCEDURE DIVISION.
           MOVE SPACES TO RESULT.
           EXEC CICS HANDLE ABEND LABEL(CAUGHT) END-EXEC.
           EXEC CICS LINK PROGRAM('FAILS') END-EXEC.
       CAUGHT.
           EXEC CICS ASSIGN ABCODE(RESULT(1:4)) ABPROGRAM(RESULT(6:8))
               ASRAPSW(WS-HEX) ASRAKEY(WS-KEY) FCI(RESULT(15:1))
               ABDUMP(RESULT(16:1)) END-EXEC.
           IF WS-HEX = LOW-VALUES AND WS-KEY = DFHVALUE(NOTAPPLIC)
               AND RESULT(15:1) = X'00' AND RESULT(16:1) = X'FF'
               MOVE 'OK' TO RESULT(15:2)
           END-IF.
           EXEC CICS ASSIGN FACILITY(WS-TERMINAL) SYSID(RESULT(18:4))
               RESP(WS-STATE) END-EXEC.
           MOVE WS-STATE TO SHOWN.
           MOVE SHOWN TO RESULT(23:2).
           MOVE WS-TERMINAL TO RESULT(26:4).
           EXEC CICS RETURN END-EXEC.
";

const FAILS: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. FAILS.
       PROCEDURE DIVISION.
           EXEC CICS ABEND ABCODE('OOPS') END-EXEC.
";

#[test]
fn an_exit_may_ask_for_all_of_the_abend() {
    let service = "ccsid = 819\nprogram = \"LOOKS\"\n[request]\ncopybook = \"LOOKS.cpy\"\n[response]\ncopybook = \"LOOKS.cpy\"\n";
    let folder = Folder::empty()
        .with("programs/LOOKS.cbl", LOOKS)
        .with("programs/FAILS.cbl", FAILS)
        .with("copybooks/LOOKS.cpy", "       01  AREA-OF.\n           05  RESULT PIC X(60).\n")
        .with("services/looks.toml", service);
    let cache = format!("{}/.cache", text(folder.path()));
    let folder = folder.with("gantry.toml", &format!("[region]\ncache = \"{cache}\"\n"));
    let called = run(&["call", "looks", "--in", text(folder.path())]);
    let output = String::from_utf8_lossy(&called.stdout);
    assert!(output.contains(r#""OOPS FAILS    OK GTRY 16 none""#), "{called:?}");
}

/// Links to a program that transfers control to another, which tells who called it.
const CHAIN: [(&str, &str); 3] = [
    ("FIRST", "EXEC CICS LINK PROGRAM('SECOND') COMMAREA(DFHCOMMAREA)"),
    ("SECOND", "EXEC CICS XCTL PROGRAM('THIRD') COMMAREA(DFHCOMMAREA)"),
    ("THIRD", "EXEC CICS ASSIGN INVOKINGPROG(INVOKED) RETURNPROG(RETURNS)"),
];

#[test]
fn who_invoked_a_program_is_not_always_whom_it_returns_to() {
    let areas = "           05  INVOKED  PIC X(8).\n           05  RETURNS  PIC X(8).\n";
    let service = "ccsid = 819\nprogram = \"FIRST\"\n[request]\ncopybook = \"CHAIN.cpy\"\nwrapper = \"\"\n[response]\ncopybook = \"CHAIN.cpy\"\nwrapper = \"\"\n";
    let mut folder = Folder::empty()
        .with("copybooks/CHAIN.cpy", &format!("       01  AREA-OF.\n{areas}"))
        .with("services/first.toml", service);
    for (name, command) in CHAIN {
        let program = format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. {name}.\n       DATA DIVISION.\n       LINKAGE SECTION.\n       01  DFHCOMMAREA.\n{areas}       PROCEDURE DIVISION.\n           {command}\n               END-EXEC.\n           EXEC CICS RETURN END-EXEC.\n"
        );
        folder = folder.with(&format!("programs/{name}.cbl"), &program);
    }
    let cache = format!("{}/.cache", text(folder.path()));
    let folder = folder.with("gantry.toml", &format!("[region]\ncache = \"{cache}\"\n"));
    let called = run(&["call", "first", "--in", text(folder.path())]);
    let output = String::from_utf8_lossy(&called.stdout);
    assert!(output.contains(r#"{"invoked":"SECOND","returns":"FIRST"}"#), "{called:?}");
}
