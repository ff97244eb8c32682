//! The binary as a process: tests start it, read its output and signal it. It ends with the test.

use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

use crate::client::{Client, Response};

const BINARY: &str = env!("CARGO_BIN_EXE_gantry");
const LOCAL: &str = "127.0.0.1:0";

/// The address of a server of the example `connector`.
const SAMPLE: &str = "127.0.0.1:15000";
/// True while a test runs these servers. Only one test at a time can.
static SAMPLES: AtomicBool = AtomicBool::new(false);

/// The right to start the servers of the example `connector`.
struct Samples;

impl Samples {
    fn take() -> Self {
        while SAMPLES.swap(true, Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(10));
        }
        Self
    }
}

impl Drop for Samples {
    fn drop(&mut self) {
        // The servers end after their gateway.
        while TcpStream::connect(SAMPLE).is_ok() {
            std::thread::sleep(Duration::from_millis(10));
        }
        SAMPLES.store(false, Ordering::SeqCst);
    }
}

/// A gateway that serves. It is killed if the test does not stop it.
pub(crate) struct Gantry {
    child: Child,
    /// This pipe stays open. If it closed, prints of the process would fail because of the test.
    _stdout: BufReader<ChildStdout>,
    log: Option<JoinHandle<String>>,
    /// The folder where an example was started.
    _folder: Option<tempfile::TempDir>,
    /// Given back when the servers of the example `connector` have ended.
    _samples: Option<Samples>,
    /// The hints that the process printed.
    hints: Vec<String>,
    pub(crate) listeners: Vec<SocketAddr>,
    pub(crate) admin: SocketAddr,
}

impl Gantry {
    /// Serves an example.
    pub(crate) fn example(name: &str) -> Self {
        let samples = (name == "connector").then(Samples::take);
        // An example keeps its data where it was started.
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = Command::new(BINARY);
        command.current_dir(folder.path());
        let mut gantry = Self::spawn(command, &["--example", name, "--listen", LOCAL, "--admin", LOCAL]);
        gantry._folder = Some(folder);
        gantry._samples = samples;
        gantry
    }

    /// Serves a folder on one address of its own.
    pub(crate) fn folder(folder: &Path) -> Self {
        Self::start(&[text(folder), "--listen", LOCAL, "--admin", LOCAL])
    }

    /// Serves a folder on the listeners that it configures.
    pub(crate) fn configured(folder: &Path) -> Self {
        Self::start(&[text(folder), "--admin", LOCAL])
    }

    /// Serves a folder exactly as it is written. Its configuration sets an admin address.
    pub(crate) fn as_written(folder: &Path) -> Self {
        Self::start(&[text(folder)])
    }

    /// Serves a folder with a library in front of the system's, and a variable for the library.
    pub(crate) fn preloaded(folder: &Path, library: &Path, (name, value): (&str, &Path)) -> Self {
        let mut command = Command::new(BINARY);
        command.env("LD_PRELOAD", library).env(name, value);
        Self::spawn(command, &[text(folder), "--listen", LOCAL, "--admin", LOCAL])
    }

    /// Serves a folder with at most this many open files.
    pub(crate) fn folder_with_files(folder: &Path, files: u32) -> Self {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -n {files}; exec \"$0\" \"$@\""), BINARY]);
        Self::spawn(shell, &[text(folder), "--listen", LOCAL, "--admin", LOCAL])
    }

    /// Serves a folder on a socket that a service manager has kept, and reports to the manager.
    pub(crate) fn managed(folder: &Path, notify: &Path, kept: &TcpListener) -> Self {
        let address = kept.local_addr().expect("a socket has an address").to_string();
        let mut shell = Command::new("sh");
        // The first file from a manager has the number 3.
        let script = "exec 3<&0 </dev/null; LISTEN_FDS=1 LISTEN_PID=$$ exec \"$0\" \"$@\"";
        shell.args(["-c", script, BINARY]).env("NOTIFY_SOCKET", notify);
        shell.stdin(OwnedFd::from(kept.try_clone().expect("a copy of the socket")));
        Self::spawn(shell, &[text(folder), "--listen", &address, "--admin", LOCAL])
    }

    fn start(arguments: &[&str]) -> Self {
        Self::spawn(Command::new(BINARY), arguments)
    }

    /// Serves a folder with this choice of what to log.
    pub(crate) fn logging(folder: &Path, choice: &str) -> Self {
        let mut command = Command::new(BINARY);
        command.env("RUST_LOG", choice);
        Self::spawn(command, &[text(folder), "--listen", LOCAL, "--admin", LOCAL])
    }

    fn spawn(mut command: Command, arguments: &[&str]) -> Self {
        if !command.get_envs().any(|(name, _)| name == "RUST_LOG") {
            command.env("RUST_LOG", "debug");
        }
        let mut child = command
            .arg("serve")
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut stderr = child.stderr.take().expect("stderr is piped");
        let log = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            stderr.read_to_end(&mut bytes).expect("the log can be read");
            String::from_utf8_lossy(&bytes).into_owned()
        });
        let mut stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let (mut listeners, mut admin, mut hints) = (Vec::new(), None, Vec::new());
        loop {
            let mut line = String::new();
            if stdout.read_line(&mut line).expect("stdout can be read") == 0 {
                panic!("gantry did not start: {}", log.join().expect("the log is read"));
            }
            if let Some(url) = line.strip_prefix("gantry serves on ") {
                listeners.push(address(url));
            } else if let Some(url) = line.strip_prefix("metrics and health on ") {
                admin = Some(address(url));
            } else if line.starts_with("Ctrl-C") {
                break;
            } else if let Some(hint) = line.strip_prefix("  ") {
                hints.push(hint.trim_end().to_owned());
            }
        }
        let admin = admin.expect("an admin address is printed");
        Self {
            child,
            _stdout: stdout,
            log: Some(log),
            _folder: None,
            _samples: None,
            hints,
            listeners,
            admin,
        }
    }

    /// Gives the hints that the process printed.
    pub(crate) fn hints(&self) -> Vec<String> {
        self.hints.clone()
    }

    /// Gives the first address.
    pub(crate) fn address(&self) -> SocketAddr {
        self.listeners[0]
    }

    /// Connects to the first address.
    pub(crate) fn connect(&self) -> Client {
        Client::connect(self.address())
    }

    /// Sends one request on its own connection.
    pub(crate) fn request(&self, request: &[u8]) -> Response {
        self.connect().ask(request)
    }

    pub(crate) fn get(&self, path: &str) -> Response {
        self.request(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes())
    }

    pub(crate) fn put(&self, path: &str, json: &str) -> Response {
        self.send("PUT", path, "content-type: application/json\r\n", json)
    }

    /// Sends a request with a body and its length; `headers` are whole lines.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> Response {
        self.request(request(method, path, headers, body).as_bytes())
    }

    /// Gives the value of a line of the metrics, or 0 without this line.
    pub(crate) fn metric(&self, name: &str) -> f64 {
        let mut client = Client::connect(self.admin);
        let answer = client.ask(b"GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n");
        let found = answer.text().lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
        found.unwrap_or(0.0)
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("the process is there");
    }

    /// Kills the process.
    pub(crate) fn kill(&self) {
        let pid = Pid::from_child(&self.child);
        let _ = kill_process(pid, Signal::KILL);
        // Wait for the end, but leave the status for later calls that wait.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        let _ = waitid(WaitId::Pid(pid), options);
    }

    /// Waits for the end of the process; gives its status and its log.
    pub(crate) fn wait(mut self) -> (ExitStatus, String) {
        let status = self.child.wait().expect("the process ends");
        let log = self.log.take().expect("only waited for once").join().expect("the log is read");
        (status, log)
    }

    /// Ends the process as an operator does; gives its log.
    pub(crate) fn stop(self) -> String {
        self.signal(Signal::TERM);
        let (status, log) = self.wait();
        assert!(status.success(), "{status}: {log}");
        log
    }
}

impl Drop for Gantry {
    fn drop(&mut self) {
        // After wait() the process has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Makes a request with a body and its length. The body is JSON unless the headers name another
/// type.
pub(crate) fn request(method: &str, path: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    let typed = body.is_empty() || headers.contains("content-type:");
    let kind = if typed { "" } else { "content-type: application/json\r\n" };
    format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\n{kind}{headers}content-length: {length}\r\n\r\n{body}"
    )
}

/// Runs a command that ends by itself.
pub(crate) fn run(arguments: &[&str]) -> Output {
    Command::new(BINARY).args(arguments).output().expect("the binary starts")
}

/// Runs a command. Nobody reads its standard output and standard error.
pub(crate) fn run_unread(arguments: &[&str]) -> ExitStatus {
    let closed = || {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        writer
    };
    Command::new(BINARY)
        .args(arguments)
        .stdout(closed())
        .stderr(closed())
        .status()
        .expect("the binary starts")
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().expect("temporary paths are UTF-8")
}

fn address(url: &str) -> SocketAddr {
    let rest = url.split_once("://").expect("a URL has a scheme").1;
    let end = rest.find(['/', '\n']).expect("an address ends");
    rest[..end].parse().expect("an address is printed")
}
