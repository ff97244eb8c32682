//! Programs that attack what is around their worker: each way out is closed, as root and as another user.

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use region::{Failure, Limits, Region, Settings};
use wire::{Interface, WorkerUser};

use crate::programs::folder;
use crate::region::{request, settings, text};

const COMMAREA_BYTES: usize = 16_000;

/// Compiles the attacker, beside the other programs.
fn attacker() {
    static COMPILED: OnceLock<()> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/attack/ATTACK.c");
        let mut command = Command::new("cc");
        command.args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"]);
        let output = command.arg(folder().join("ATTACK.so")).arg(source).output();
        let output = output.expect("these tests need a C compiler: install Debian's package build-essential");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    });
}

fn region(user: Option<WorkerUser>) -> std::sync::Arc<Region> {
    attacker();
    let limits = Limits { workers: 1, memory_max_bytes: 64 << 20, ..Limits::default() };
    Region::start(Settings { limits, user, ..settings() }).expect("a region")
}

async fn attack(region: &Region, how: &str) -> String {
    let mut commarea = format!("{how}\0").into_bytes();
    commarea.resize(COMMAREA_BYTES, 0);
    let answer = region.run(request("ATTACK", Interface::Commarea(commarea))).await.expect("an answer");
    text(answer).trim_end_matches(['\0', ' ']).to_owned()
}

/// The users that workers can have here: the configured one, and the region's own, which may be root.
fn users() -> Vec<Option<WorkerUser>> {
    let mut users = vec![settings().user, None];
    users.dedup();
    users
}

#[tokio::test]
async fn nothing_outside_of_the_worker_can_be_reached() {
    for user in users() {
        let region = region(user);
        let secret = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(secret.path(), "secret").expect("a file");
        let before = std::fs::metadata(secret.path()).expect("a file");
        let told = attack(&region, secret.path().to_str().expect("a path")).await;
        let reached: Vec<&str> = told.lines().filter(|line| !line.ends_with(" denied")).collect();
        assert_eq!(reached, [""; 0], "as {user:?}");
        assert!(told.lines().count() > 120, "{told}");
        let after = std::fs::metadata(secret.path()).expect("a file");
        assert_eq!(before.permissions(), after.permissions());
        assert_eq!(before.modified().ok(), after.modified().ok());
        assert_eq!(std::fs::read_to_string(secret.path()).ok().as_deref(), Some("secret"));
    }
}

#[tokio::test]
async fn memory_ends_where_the_limit_is() {
    for user in users() {
        let region = region(user);
        let bytes: u64 = attack(&region, "MEMORY").await.parse().expect("a number");
        assert!((32 << 20..=64 << 20).contains(&bytes), "{bytes}");
    }
}

#[tokio::test]
async fn a_worker_has_no_terminal_and_no_descriptor_of_the_region() {
    let limits = Limits { workers: 1, ..Limits::default() };
    let named = Settings { applid: wire::name("WALLED"), limits, ..settings() };
    let region = Region::start(named).expect("a region");
    region.run(request("ECHO", Interface::Commarea(vec![b' '; 29]))).await.expect("an answer");
    let workers = crate::kill::workers("WALLED");
    let [worker] = workers[..] else { panic!("expected one worker, found {workers:?}") };
    let stat = std::fs::read_to_string(format!("/proc/{worker}/stat")).expect("a worker");
    let fields: Vec<&str> = stat.rsplit_once(") ").expect("a name").1.split(' ').collect();
    // Of state, parent, group, session, terminal: the group and the terminal; and the number of threads.
    assert_eq!((fields[2], fields[4]), (worker.to_string().as_str(), "0"));
    assert_eq!(fields[17], "1");
    // Stack counts in no limit of memory, so that it has a limit of its own, which cannot be raised.
    let limits = std::fs::read_to_string(format!("/proc/{worker}/limits")).expect("limits");
    let stack =
        limits.lines().find_map(|line| line.strip_prefix("Max stack size")).expect("that of the stack");
    assert!(stack.split_whitespace().take(2).all(|most| most.parse::<u64>().is_ok()), "{stack}");
    let link = |fd: u32| std::fs::read_link(format!("/proc/{worker}/fd/{fd}")).expect("a descriptor");
    assert_eq!(link(0), Path::new("/dev/null"));
    for fd in [1, 2] {
        assert!(link(fd).to_string_lossy().starts_with("pipe:"), "{:?}", link(fd));
    }
}

#[tokio::test]
async fn a_call_reaches_no_function_of_the_c_library() {
    let region = Region::start(settings()).expect("a region");
    for how in ["SOCKET", "OPEN", "CREATE", "EXEC", "KILL", "FORK"] {
        let mut bytes = format!("{how:8}+000000000/etc/passwd!").into_bytes();
        bytes.resize(82, b' ');
        let ended = region.run(request("PROBE", Interface::Commarea(bytes))).await;
        let Err(Failure::Abend { code, program, message }) = ended else { panic!("{how}: {ended:?}") };
        assert_eq!((code.as_str(), program.as_str()), ("4038", "PROBE"), "{how}: {message}");
        assert!(
            message.ends_with("the region has no such program, and region.callable does not list it"),
            "{message}"
        );
    }
}
