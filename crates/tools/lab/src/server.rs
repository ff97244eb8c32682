//! Servers of an experiment: their folders are written, their commands run, and they are ended with all that they started.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use load::interrupt::Interrupt;
use load::plan::{Endpoint, build_request};
use load::response::ResponseReader;
use load::{step, wire};
use rustix::process::{Pid, Signal, kill_process_group};

use crate::file::{Experiment, Server, Value};
use crate::template::{self, Scope};

/// The longest time for one command before the start.
const PREPARE_MAX: Duration = Duration::from_secs(600);
/// How long a server may take to end when it is asked to.
const END_MAX: Duration = Duration::from_secs(5);
/// How often the lab looks whether something happened.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// How much of the end of a log is shown.
const TOLD_LINES: usize = 5;

/// The leaders of all process groups that were started and not ended.
#[derive(Debug, Clone, Default)]
pub(crate) struct Groups(Arc<Mutex<Vec<Pid>>>);

impl Groups {
    /// Kills all of them at once.
    pub(crate) fn kill(&self) {
        for pid in self.leaders().iter() {
            let _ = kill_process_group(*pid, Signal::KILL);
        }
    }

    fn leaders(&self) -> std::sync::MutexGuard<'_, Vec<Pid>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, pid: Pid) {
        self.leaders().push(pid);
    }

    fn remove(&self, pid: Pid) {
        self.leaders().retain(|known| *known != pid);
    }
}

/// Where what a process writes goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output<'p> {
    /// Errors, and all else that has no other place.
    pub(crate) log: &'p Path,
    /// Standard output, written anew; none if it goes to the log, too.
    pub(crate) lines: Option<&'p Path>,
}

impl<'p> Output<'p> {
    fn logged(log: &'p Path) -> Output<'p> {
        Output { log, lines: None }
    }
}

/// A process with a group of its own; the group ends with it.
pub(crate) struct Process {
    child: Child,
    leader: Pid,
    groups: Groups,
    ended: Option<ExitStatus>,
}

impl Process {
    /// Starts a command in a folder, bound to a core if it shall be.
    pub(crate) fn start(
        command: &[String],
        folder: &Path,
        output: Output<'_>,
        core: Option<usize>,
        groups: &Groups,
    ) -> Result<Process, String> {
        let cannot = |error: &dyn std::fmt::Display| format!("cannot start '{}': {error}", command.join(" "));
        let [program, arguments @ ..] = command else { return Err("there is no command".to_owned()) };
        let log = || File::options().create(true).append(true).open(output.log);
        let lines = output.lines.map_or_else(log, File::create);
        let (output, errors) =
            (lines.map_err(|error| cannot(&error))?, log().map_err(|error| cannot(&error))?);
        let mut command_line = Command::new(program);
        command_line.args(arguments).current_dir(folder).process_group(0);
        command_line.stdin(Stdio::null()).stdout(output).stderr(errors);
        // A process has the cores of the thread that starts it.
        let spawn = move || -> Result<io::Result<Child>, load::Error> {
            core.map_or(Ok(()), step::run_on)?;
            Ok(command_line.spawn())
        };
        let spawned =
            std::thread::spawn(spawn).join().map_err(|_| cannot(&"the thread that starts it failed"))?;
        let child = spawned.map_err(|error| cannot(&error))?.map_err(|error| cannot(&error))?;
        let leader = Pid::from_child(&child);
        groups.add(leader);
        Ok(Process { child, leader, groups: groups.clone(), ended: None })
    }

    /// How it ended, if it did; what is left of its group ends with it.
    pub(crate) fn has_ended(&mut self) -> Option<ExitStatus> {
        if self.ended.is_none() {
            // The group is known by its leader until the leader was awaited, so the group ends first.
            let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
            let is_zombie = stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('Z'));
            if is_zombie {
                let _ = kill_process_group(self.leader, Signal::KILL);
                self.groups.remove(self.leader);
                self.ended = Some(self.child.wait().unwrap_or_default());
            }
        }
        self.ended
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.has_ended().is_some() {
            return;
        }
        let _ = kill_process_group(self.leader, Signal::TERM);
        let deadline = Instant::now() + END_MAX;
        while self.has_ended().is_none() {
            if Instant::now() >= deadline {
                let _ = kill_process_group(self.leader, Signal::KILL);
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }
}

/// A server that runs.
pub(crate) struct Instance {
    process: Process,
    log: PathBuf,
    /// The parameters with those of the server: its folder, its ports.
    pub(crate) names: BTreeMap<String, String>,
    /// Where it tells the CPU time of its providers.
    pub(crate) metrics: Option<Endpoint>,
}

impl Instance {
    /// The process whose group is measured.
    pub(crate) fn leader(&self) -> u32 {
        self.process.child.id()
    }

    /// Why it does not run any more.
    pub(crate) fn ended(&mut self) -> Option<String> {
        let status = self.process.has_ended()?;
        Some(format!("the server ended ({status}): {}", end_of(&self.log)))
    }
}

/// All that servers are started with.
pub(crate) struct Starter<'a> {
    pub(crate) experiment: &'a Experiment,
    /// The folder of the results.
    pub(crate) results: &'a Path,
    pub(crate) core: Option<usize>,
    pub(crate) groups: &'a Groups,
    pub(crate) interrupt: &'a Interrupt,
}

impl Starter<'_> {
    /// The files and commands of a server for a value, without its own folder and ports. The lab starts equal
    /// servers once.
    pub(crate) fn likeness(&self, server: &Server, value: &Value) -> Result<String, String> {
        let names = crate::file::with_server_names(value.parameters.clone(), Some(server));
        let mut all = String::new();
        for (path, text) in self.texts(server.files.as_ref(), &names)? {
            all.push_str(&path);
            all.push_str(&String::from_utf8_lossy(&text));
        }
        for word in server.prepare.iter().flatten().chain(server.start.get_ref()).chain(&server.metrics) {
            all.push_str(&rendered(word.get_ref(), &names)?);
        }
        Ok(all)
    }

    /// Writes the server's folder, runs what comes before the start, starts it, and waits until it is ready. `ports_of_others` are those
    /// of the servers that it calls, by the names that templates have for them.
    ///
    /// # Errors
    /// Why it cannot be measured, in one line.
    pub(crate) fn start(
        &self,
        server: &Server,
        value: &Value,
        ports_of_others: BTreeMap<String, String>,
    ) -> Result<Instance, String> {
        let missing: Vec<&str> =
            server.needs.iter().map(String::as_str).filter(|command| found(command).is_none()).collect();
        if !missing.is_empty() {
            return Err(format!("not installed: {}", missing.join(", ")));
        }
        let label = value.label.as_ref().map(|label| format!("-{}", plain(label))).unwrap_or_default();
        let name = plain(server.name.get_ref()) + &label;
        let place = self.results.join("servers");
        let parameters = value.parameters.clone().into_iter().chain(ports_of_others).collect();
        let value = &Value { parameters, ..value.clone() };
        let (folder, names) = self.folder(&place.join(&name), server.files.as_ref(), value)?;
        let log = place.join(name + ".log");
        for command in &server.prepare {
            self.prepare(&words(command, &names)?, &folder, &log)?;
        }
        let start = words(server.start.get_ref(), &names)?;
        let process = Process::start(&start, &folder, Output::logged(&log), self.core, self.groups)?;
        let metrics = server.metrics.as_ref().map(|url| rendered(url.get_ref(), &names)).transpose()?;
        let metrics =
            metrics.map(|url| Endpoint::parse(&url)).transpose().map_err(|error| error.to_string())?;
        let port = names.get("port").and_then(|port| port.parse().ok()).unwrap_or_default();
        let mut instance = Instance { process, log, names, metrics };
        self.wait(server, &mut instance, port)?;
        Ok(instance)
    }

    /// Makes a folder and fills it with templates. Gives it, and the parameters with those that the lab sets.
    ///
    /// # Errors
    /// Why that cannot be, in one line.
    pub(crate) fn folder(
        &self,
        folder: &Path,
        files: Option<&toml::Spanned<String>>,
        value: &Value,
    ) -> Result<(PathBuf, BTreeMap<String, String>), String> {
        let system = |what: &str, error: io::Error| format!("cannot {what} {}: {error}", folder.display());
        fs::create_dir_all(folder).map_err(|error| system("make", error))?;
        let folder = folder.canonicalize().map_err(|error| system("find", error))?;
        let mut names = value.parameters.clone();
        let gantry = std::env::current_exe().map_err(|error| system("find this program for", error))?;
        let ports = free_ports().map_err(|error| format!("there are no free ports: {error}"))?;
        names.insert("gantry".to_owned(), gantry.display().to_string());
        names.insert("folder".to_owned(), folder.display().to_string());
        names.insert("port".to_owned(), ports.0.to_string());
        names.insert("admin_port".to_owned(), ports.1.to_string());
        for (path, text) in self.texts(files, &names)? {
            let path = folder.join(path);
            let parent = path.parent().unwrap_or(&folder);
            fs::create_dir_all(parent)
                .and_then(|()| fs::write(&path, text))
                .map_err(|error| system("fill", error))?;
        }
        Ok((folder, names))
    }

    fn texts(
        &self,
        files: Option<&toml::Spanned<String>>,
        names: &BTreeMap<String, String>,
    ) -> Result<Vec<(String, Vec<u8>)>, String> {
        let Some(folder) = files else { return Ok(Vec::new()) };
        let files = self.experiment.folder(folder.get_ref()).map_err(|error| error.to_string())?;
        let mut texts = Vec::new();
        for (name, path) in files {
            let text = match self.experiment.files.read(&path) {
                Ok(text) => rendered(&text, names)?.into_bytes(),
                Err(_) => {
                    self.experiment.files.read_bytes(&path).map_err(|error| format!("{path}: {error}"))?
                }
            };
            texts.push((name, text));
        }
        Ok(texts)
    }

    fn prepare(&self, command: &[String], folder: &Path, log: &Path) -> Result<(), String> {
        let mut process = Process::start(command, folder, Output::logged(log), None, self.groups)?;
        let deadline = Instant::now() + PREPARE_MAX;
        let status = loop {
            if let Some(status) = process.has_ended() {
                break status;
            }
            if self.interrupt.is_set() {
                return Err("stopped".to_owned());
            }
            if Instant::now() >= deadline {
                return Err(format!("'{}' takes longer than {} s", command.join(" "), PREPARE_MAX.as_secs()));
            }
            std::thread::sleep(LOOK_EVERY);
        };
        if status.success() {
            return Ok(());
        }
        Err(format!("'{}' failed ({status}): {}", command.join(" "), end_of(log)))
    }

    fn wait(&self, server: &Server, instance: &mut Instance, port: u16) -> Result<(), String> {
        let deadline = Instant::now() + Duration::from_secs(u64::from(server.ready_max_s));
        let ready = server.ready.as_ref().map(|path| rendered(path, &instance.names)).transpose()?;
        loop {
            if is_ready(port, ready.as_deref()) {
                return Ok(());
            }
            if let Some(why) = instance.ended() {
                return Err(why);
            }
            if self.interrupt.is_set() {
                return Err("stopped".to_owned());
            }
            if Instant::now() >= deadline {
                let seconds = server.ready_max_s;
                return Err(format!("the server is not ready within {seconds} s: {}", end_of(&instance.log)));
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }
}

fn is_ready(port: u16, path: Option<&str>) -> bool {
    let Some(path) = path else { return TcpStream::connect(("127.0.0.1", port)).is_ok() };
    let answer = Endpoint::parse(&format!("http://127.0.0.1:{port}{path}")).and_then(|endpoint| {
        let request = build_request(&http::Method::GET, &endpoint, &[], None, false)?;
        wire::exchange(&endpoint, &request, ResponseReader::new(false), Duration::from_secs(1))
    });
    answer.is_ok_and(|(answer, _)| answer.status == 200)
}

/// Two ports that nobody listens on now.
fn free_ports() -> io::Result<(u16, u16)> {
    let (one, other) = (TcpListener::bind("127.0.0.1:0")?, TcpListener::bind("127.0.0.1:0")?);
    Ok((one.local_addr()?.port(), other.local_addr()?.port()))
}

/// Where a command is: in the folders of `PATH`, beside this program, or in `examples` there, where cargo puts what is built
/// for measurements.
pub(crate) fn found(command: &str) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let own = std::env::current_exe().ok().and_then(|path| path.parent().map(Path::to_owned));
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let own = own.into_iter().flat_map(|folder| [folder.join("examples"), folder]);
    let mut files = std::env::split_paths(&paths).chain(own).map(|folder| folder.join(command));
    files.find(|file| {
        fs::metadata(file).is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
    })
}

/// A command whose program is looked for beside this program, too.
pub(crate) fn words(
    command: &[toml::Spanned<String>],
    names: &BTreeMap<String, String>,
) -> Result<Vec<String>, String> {
    let mut words: Vec<String> =
        command.iter().map(|word| rendered(word.get_ref(), names)).collect::<Result<_, _>>()?;
    if let Some(program) = words.first_mut().filter(|program| !program.contains('/'))
        && let Some(path) = found(program)
    {
        *program = path.display().to_string();
    }
    Ok(words)
}

/// A template as text, or its fault in one line.
pub(crate) fn rendered(text: &str, names: &BTreeMap<String, String>) -> Result<String, String> {
    template::render(text, Scope { names, message: 0 }).map_err(|fault| fault.message)
}

/// A name that is a file name.
pub(crate) fn plain(name: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || letter == '.' { letter } else { '-' };
    name.chars().map(plain).collect()
}

/// The last lines of a log.
pub(crate) fn end_of(log: &Path) -> String {
    let text = fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = lines[lines.len().saturating_sub(TOLD_LINES)..].join(" | ");
    if last.is_empty() { "it said nothing".to_owned() } else { last }
}
