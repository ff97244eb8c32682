//! Tasks from the region's door to a program and back.

use std::collections::BTreeMap;
use std::time::Duration;

use region::{Definitions, DumpSettings, Failure, Limits, Region, Request, Rights, Settings};
use wire::{Interface, WorkerUser, name};

use crate::programs::{folder, worker};

pub(crate) fn settings() -> Settings {
    Settings {
        applid: name("TESTREG"),
        sysid: name("TST1"),
        default_user: name("NOBODY"),
        ccsid: 819,
        work_area_bytes: 0,
        rights: Rights::default(),
        programs: folder().to_owned(),
        command: vec![worker().into()],
        transactions: Default::default(),
        start_users: Default::default(),
        limits: Limits { workers: 2, ..Limits::default() },
        // Nobody can make it, whoever runs the tests.
        store: "/dev/null/region.store".into(),
        keeps_counters: false,
        definitions: Definitions::default(),
        user: unprivileged(),
        programs_limits: BTreeMap::new(),
        links: region::link::definition::Links::default(),
        dumps: DumpSettings::default(),
        callable: Vec::new(),
    }
}

/// Somebody else, if the tests run as root, who alone can choose.
fn unprivileged() -> Option<WorkerUser> {
    rustix::process::geteuid().is_root().then_some(WorkerUser { uid: 64_242, gid: 64_243 })
}

pub(crate) fn request(program: &str, interface: Interface) -> Request {
    Request {
        program: name(program),
        transaction: name("TRN1"),
        user: Some(name("MAUDE")),
        refused_programs: Vec::new(),
        caller: None,
        until: None,
        interface,
    }
}

fn commarea(text: &str, bytes: usize) -> Interface {
    let mut commarea = text.as_bytes().to_vec();
    commarea.resize(bytes, b' ');
    Interface::Commarea(commarea)
}

pub(crate) fn text(interface: Interface) -> String {
    match interface {
        Interface::Commarea(bytes) => String::from_utf8(bytes).expect("text"),
        other => panic!("expected a commarea, found {other:?}"),
    }
}

fn code(failure: Result<Interface, Failure>) -> String {
    match failure {
        Err(Failure::Abend { code, .. }) => code,
        other => panic!("expected an abend, found {other:?}"),
    }
}

#[tokio::test]
async fn a_commarea_goes_to_a_program_and_back() {
    let region = Region::start(settings()).expect("a region");
    for _ in 0..5 {
        let answer = region.run(request("ECHO", commarea("HELLO", 29))).await.expect("an answer");
        assert_eq!(text(answer), "ANSWERED000290001TRN1MAUDE   ");
    }
}

/// Nobody knows the length of the DFHCOMMAREA of a shared object that was there ready-made.
#[tokio::test]
async fn a_shared_object_reaches_into_zeros_behind_a_short_commarea() {
    let limits = Limits { workers: 1, ..Limits::default() };
    let region = Region::start(Settings { limits, ..settings() }).expect("a region");
    for _ in 0..3 {
        for bytes in [5, 90, 32_000] {
            let answer = region.run(request("LONGAREA", commarea("", bytes))).await.expect("an answer");
            assert_eq!(text(answer), format!("{:05}{}", 32_763 - bytes, " ".repeat(bytes - 5)));
        }
        let answer = region.run(request("ECHO", commarea("HELLO", 29))).await.expect("an answer");
        assert_eq!(text(answer), "ANSWERED000290001TRN1MAUDE   ");
    }
}

#[tokio::test]
async fn a_program_that_is_not_there_is_an_abend() {
    let region = Region::start(settings()).expect("a region");
    assert_eq!(code(region.run(request("NOSUCH", Interface::None)).await), "APCT");
    assert_eq!(code(region.run(request("../ECHO", Interface::None)).await), "APCT");
    let longest = region.run(request("ECHO", commarea("", 32_763))).await;
    assert_eq!(text(longest.expect("an answer")).len(), 32_763);
    let too_long = region.run(request("ECHO", commarea("", 32_764))).await;
    assert!(matches!(too_long, Err(Failure::NotBegun(_))), "{too_long:?}");
}

#[tokio::test]
async fn a_called_program_leaves_the_level_of_its_caller() {
    let region = Region::start(settings()).expect("a region");
    for _ in 0..3 {
        let run = |how: &str| region.run(request("CALLER", commarea(how, 10)));
        // Storage of called programs lasts for the level, and no longer.
        assert_eq!(text(run("G").await.expect("an answer")), "G0002ENDED");
        assert_eq!(text(run("R").await.expect("an answer")), "R0002BEGUN");
        assert_eq!(text(run("S").await.expect("an answer")), "S0002BEGUN");
        assert_eq!(code(run("A").await), "SUBA");
        // The caller handles the abend of what it called.
        let handled = region.run(request("CALLER", commarea("A         H", 11))).await.expect("an answer");
        assert_eq!(text(handled), "A0002SUBANH");
    }
}

#[tokio::test]
async fn programs_in_a_ring_have_storage_of_their_own() {
    let region = Region::start(settings()).expect("a region");
    for _ in 0..3 {
        // CA-AT begins so that the first two digits go to the first place of the trace.
        let mut commarea = b"0004".to_vec();
        commarea.resize(44, b' ');
        commarea.extend(b"00");
        let answer = region.run(request("RING", Interface::Commarea(commarea))).await.expect("an answer");
        let found = text(answer);
        assert_eq!(found[5..13].to_owned(), "04030201", "{found}");
    }
}

#[tokio::test]
async fn a_program_that_fails_ends_its_own_task_alone() {
    let limits = Limits { workers: 1, cpu_max: Duration::from_millis(100), ..Limits::default() };
    let callable = vec!["cob_stop_run".to_owned()];
    let region = Region::start(Settings { limits, callable, ..settings() }).expect("a region");
    let bad = |how: &str| region.run(request("BAD", commarea(how, 8)));
    for (how, expected) in [
        ("NULL", "ASRA"),
        ("STOP", "GSTP"),
        ("LOOP", "AICA"),
        ("OLD", "AEIP"),
        ("TERMINAL", "ADPL"),
        ("CALL", "4038"),
        // The program has kept what its literal reached.
        ("CALL", "4038"),
    ] {
        assert_eq!(code(bad(how).await), expected, "{how}");
        // The next task finds a worker.
        assert_eq!(text(bad("FINE").await.expect("an answer")), "DONE    ", "{how}");
    }
    assert_eq!(text(bad("STOPRUN").await.expect("an answer")), "STOPPED ");
}

#[tokio::test]
async fn memory_and_time_have_limits() {
    let limits = Limits {
        workers: 1,
        memory_max_bytes: 64 << 20,
        wall_max: Duration::from_secs(1),
        ..Limits::default()
    };
    let region = Region::start(Settings { limits, ..settings() }).expect("a region");
    let bad = |how: &str| region.run(request("BAD", commarea(how, 8)));
    assert_eq!(bad("SLEEP").await, Err(Failure::TimedOut));
    // GETMAIN raises NOSTG, which abends where nobody can wait for it.
    assert_eq!(code(bad("MEMORY").await), "AEIA");
    assert_eq!(text(bad("FINE").await.expect("an answer")), "DONE    ");
}

#[tokio::test]
async fn whoever_stops_waiting_ends_the_task() {
    let limits = Limits { workers: 1, ..Limits::default() };
    let region = Region::start(Settings { limits, ..settings() }).expect("a region");
    let sleeps = region.run(request("BAD", commarea("SLEEP", 8)));
    assert!(tokio::time::timeout(Duration::from_millis(50), sleeps).await.is_err());
    // The one worker was killed, and another takes its place.
    let answer = region.run(request("BAD", commarea("FINE", 8))).await;
    assert_eq!(text(answer.expect("an answer")), "DONE    ");
}

/// The number that a call of the C library gave to a program.
async fn probe(region: &Region, how: &str, name: &str) -> i64 {
    let mut bytes = format!("{how:8}+000000000{name}!").into_bytes();
    bytes.resize(82, b' ');
    let answer = region.run(request("PROBE", Interface::Commarea(bytes))).await.expect("an answer");
    let Interface::Commarea(bytes) = answer else { panic!("expected a commarea, found {answer:?}") };
    std::str::from_utf8(&bytes[8..18]).expect("digits").parse().expect("a number")
}

#[tokio::test]
async fn workers_are_kept_from_the_system() {
    // Its functions of the C library are listed, so that it comes as far as the kernel.
    let callable = ["socket", "open", "system", "getppid", "kill", "fork"].map(str::to_owned).to_vec();
    let region = Region::start(Settings { callable, ..settings() }).expect("a region");
    let lacks = region.notes().iter().filter(|note| !note.contains("only root can give them another"));
    assert_eq!(lacks.collect::<Vec<_>>(), [""; 0], "the kernel lacks something that these tests need");
    let secret = tempfile::NamedTempFile::new().expect("a file");
    let secret = secret.path().to_str().expect("a path");
    let created = folder().join("created");
    let created = created.to_str().expect("a path");
    for (how, name) in [("OPEN", secret), ("CREATE", created), ("SOCKET", ""), ("KILL", ""), ("FORK", "")] {
        assert_eq!(probe(&region, how, name).await, -1, "{how} {name}");
    }
    assert!(!folder().join("created").exists());
    // The shell cannot be started.
    assert_ne!(probe(&region, "EXEC", "true").await, 0);
    // Libraries can be read, and standard input is empty.
    assert!(probe(&region, "OPEN", "/etc/ld.so.cache").await > 2);
    assert_eq!(probe(&region, "INPUT", "").await, 1);
}

/// A line of a process's status, without its name.
fn status(pid: i32, name: &str) -> String {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("a worker");
    let line = text.lines().find_map(|line| line.strip_prefix(name)).expect("the line");
    line.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn workers_are_nobody_in_particular_and_show_what_they_run() {
    let limits = Limits { workers: 1, ..Limits::default() };
    let region = Region::start(Settings { applid: name("SHOWN"), limits, ..settings() }).expect("a region");
    region.run(request("ECHO", commarea("HELLO", 29))).await.expect("an answer");
    let workers = crate::kill::workers("SHOWN");
    let [worker] = workers[..] else { panic!("expected one worker, found {workers:?}") };
    assert_eq!(status(worker, "Name:"), "gantry:ECHO");
    assert_eq!(status(worker, "NoNewPrivs:"), "1");
    assert_eq!(status(worker, "Seccomp:"), "2");
    assert_eq!(status(worker, "CapEff:"), status(worker, "CapPrm:"));
    if unprivileged().is_some() {
        assert_eq!(status(worker, "Uid:"), "64242 64242 64242 64242");
        assert_eq!(status(worker, "Gid:"), "64243 64243 64243 64243");
        assert_eq!(status(worker, "Groups:"), "");
        assert_eq!(status(worker, "CapPrm:"), "0000000000000000");
    } else {
        assert!(region.notes().iter().any(|note| note.contains("only root can give them another")));
    }
}

#[test]
fn programs_that_the_user_may_not_read_are_told_at_start() {
    use std::os::unix::fs::PermissionsExt;
    let Some(user) = unprivileged() else { return };
    let closed = tempfile::tempdir().expect("a folder");
    std::fs::copy(folder().join("ECHO.so"), closed.path().join("ECHO.so")).expect("a program");
    std::fs::set_permissions(closed.path().join("ECHO.so"), PermissionsExt::from_mode(0o700))
        .expect("a mode");
    std::fs::set_permissions(closed.path(), PermissionsExt::from_mode(0o755)).expect("a mode");
    let started = Region::start(Settings { programs: closed.path().to_owned(), ..settings() });
    let reason = started.expect_err("it cannot start");
    let expected = format!("user {}, as whom workers run, cannot read the programs in", user.uid);
    assert!(reason.starts_with(&expected) && reason.contains("ECHO.so"), "{reason}");
}

#[tokio::test]
async fn commands_say_what_they_should() {
    let region = Region::start(settings()).expect("a region");
    let answer = text(region.run(request("VERBS", commarea("", 2000))).await.expect("an answer"));
    let expected = [
        "NOCHAN 016 004",
        "NOCHAN2 122 002",
        "BADNAME 110 018",
        "PUT 000 000",
        "NOCONT 110 010",
        "01234567 022 011",
        "00012",
        "TYPE 016 033",
        "APPEND 000 000",
        "NODATA 000 000",
        "00014",
        "EBCDIC 000 000",
        "CCSID 123 002",
        "BIT 123 003",
        "COUNT 000 000",
        "00002",
        "MOVE 000 000",
        "D 000 000",
        "END 083 000",
        "ENDBR 000 000",
        "TOKEN 112 000",
        "DELETED 000 000",
        "GONE 122 002",
        "PGMID 027 001",
        "LENGTH 022 011",
        "SYSID 053 072",
        "RETURN 016 002",
        "POP 016 000",
        "******** 000 000",
        "FREED 016 001",
        "00-01-01 000 000",
        "11:50:45 000 000",
        "11:50:45 000 000",
        "11:50:45 000 000",
        "NOTIME 016 001",
        "CONVERT 000 000",
        "NODATE 016 001",
        "TRACE 000 000",
        "TRACENUM 016 001",
        "TRACELEN 022 004",
        "ENABLED 000 000",
        "INQUIRE 027 001",
        "000256Q 000 000",
        "DEEDIT 022 000",
        "TESTREG 000 000",
        "FACIL 016 001",
        "HANDLED 044 000",
        "IGNORED 044 000",
        "",
    ]
    .join(";");
    assert_eq!(answer[..1900].trim_end(), expected);
    assert_eq!(&answer[1989..1993], "XCTL");
}

#[tokio::test]
async fn a_program_that_gets_control_by_xctl_keeps_the_interface_block() {
    let region = Region::start(settings()).expect("a region");
    let answer = region.run(request("PASSED", Interface::Commarea(format!("1{:25}", "").into_bytes()))).await;
    let Ok(Interface::Commarea(bytes)) = answer else { panic!("expected a commarea, found {answer:?}") };
    let text = String::from_utf8(bytes).expect("text");
    // The time is that at which the task began, and the last command is the XCTL.
    assert_eq!(text[1..8], text[8..15], "{text}");
    assert_eq!(&text[15..], "PASSED  YES");
}
