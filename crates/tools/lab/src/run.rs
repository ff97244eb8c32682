//! Runs an experiment: starts its servers, asks each message once, measures round by round, and writes each line down.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use load::interrupt::Interrupt;
use load::numbers::figure_or_na;
use load::step::{self, Measured, Step};
use load::{Error, ErrorKind, machine, table};
use terminal::count;

use crate::command::{self, Ended, Prepared};
use crate::figures::figures_of;
use crate::file::{Experiment, Server, Target, Value, port_name};
use crate::messages::{self, Messages};
use crate::record::{self, End, Line, NotRun, Note, Round, Run};
use crate::server::{Groups, Instance, Starter, plain, rendered};

/// The file of a result folder that has the lines.
pub(crate) const RESULT_FILE: &str = "result.jsonl";
/// How long one warm-up window is that only counts requests.
const WARMUP_WINDOW: Duration = Duration::from_secs(1);
/// The most such windows.
const WARMUP_WINDOWS_MAX: u32 = 120;
/// How long before a request is due the driver polls.
const SPIN: Duration = Duration::from_micros(60);

/// The outcome of a run.
pub(crate) struct Outcome {
    /// Whether the user stopped it.
    pub(crate) is_interrupted: bool,
    /// Whether everything was measured, and counts.
    pub(crate) is_whole: bool,
}

/// How a target is measured.
enum Way {
    /// By our own driver.
    Driven(Messages),
    /// By a command.
    Told(Prepared),
}

/// One target with one value of the sweep.
struct Leg<'a> {
    target: &'a Target,
    value: &'a Value,
    way: Way,
    instance: Option<usize>,
    /// Correct answers so far.
    answered: u64,
    /// Why it is not measured any more.
    dead: bool,
}

struct Runner<'a> {
    experiment: &'a Experiment,
    interrupt: Interrupt,
    journal: Journal,
    how: How<'a>,
    groups: Groups,
    /// Windows of commands so far.
    commanded: u64,
    instances: Vec<Instance>,
    void: u32,
    is_whole: bool,
}

/// The settings of the run alone.
#[derive(Clone, Copy)]
pub(crate) struct How<'a> {
    /// The folder that messages and their answers are written to, if there is one.
    pub(crate) messages: Option<&'a Path>,
    /// The seed for random choices of commands.
    pub(crate) seed: u64,
}

/// Runs the experiment into the folder.
///
/// # Errors
/// The machine or the folder do not allow it.
pub(crate) fn run(experiment: &Experiment, results: &Path, how: How<'_>) -> Result<Outcome, Error> {
    let groups = Groups::default();
    let interrupt = Interrupt::on_signals({
        let groups = groups.clone();
        move || groups.kill()
    })?;
    fs::create_dir_all(results)
        .map_err(|error| Error::system(format!("cannot make the folder {}", results.display()), error))?;
    let journal = Journal::create(results)?;
    let instances = Vec::new();
    let (groups, commanded, void) = (groups, 0, 0);
    let mut runner = Runner {
        experiment,
        interrupt,
        journal,
        how,
        groups: groups.clone(),
        commanded,
        instances,
        void,
        is_whole: true,
    };
    runner.journal.write(&Line::Run(Box::new(about(experiment, how.seed))))?;
    let values = experiment.values();
    let clients = values.iter().map(|value| value.clients).max().unwrap_or(0);
    step::allow_clients(clients)?;
    let starter = Starter {
        experiment,
        results,
        core: experiment.written.cores.map(|cores| cores.server),
        groups: &groups,
        interrupt: &runner.interrupt.clone(),
    };
    let mut legs = runner.legs(&starter, &values)?;
    if let Some(cores) = experiment.written.cores {
        step::run_on(cores.driver)?;
    }
    runner.rounds(&mut legs)?;
    let is_interrupted = runner.interrupt.is_set();
    let complete = runner.is_whole && !is_interrupted;
    runner.journal.write(&Line::End(End { complete, void: runner.void }))?;
    Ok(Outcome { is_interrupted, is_whole: runner.is_whole })
}

fn about(experiment: &Experiment, seed: u64) -> Run {
    let written = &experiment.written;
    let labels = experiment.values().into_iter().filter_map(|value| value.label).collect();
    Run {
        format: record::FORMAT,
        experiment: experiment.name.clone(),
        description: written.description.clone(),
        started_utc: crate::now().in_seconds(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect(),
        machine: machine::describe(),
        cores: written.cores.map(|cores| (cores.server, cores.driver)),
        rounds: *written.rounds.get_ref(),
        clients: *written.load.clients.get_ref(),
        think_ms: f64::from(written.load.think_ms),
        warmup_s: record::rounded(written.load.warmup_s),
        duration_s: record::rounded(*written.load.duration_s.get_ref()),
        sweep: written.sweep.as_ref().map(|sweep| (sweep.parameter.get_ref().clone(), labels)),
        baseline: written
            .sweep
            .as_ref()
            .and_then(|sweep| sweep.baseline.as_ref())
            .map(|baseline| baseline.get_ref().text()),
        figures: written.figures.iter().map(|name| name.get_ref().clone()).collect(),
        charts: (written.chart.iter())
            .map(|chart| (chart.title.clone(), chart.figure.get_ref().clone()))
            .collect(),
        titles: (written.figure.iter())
            .map(|figure| (figure.name.get_ref().clone(), figure.title.clone()))
            .collect(),
        references: (written.reference.iter())
            .map(|reference| (reference.title.clone(), reference.text.clone()))
            .collect(),
        seed: written.target.iter().any(|target| target.command.is_some()).then_some(seed),
    }
}

impl Runner<'_> {
    /// Starts the servers and sends all messages once. Reports and leaves out targets that cannot be measured.
    fn legs<'a>(&mut self, starter: &Starter<'a>, values: &'a [Value]) -> Result<Vec<Leg<'a>>, Error> {
        let experiment = starter.experiment;
        let mut started: BTreeMap<(String, String), Result<usize, String>> = BTreeMap::new();
        let mut legs = Vec::new();
        for value in values {
            for target in &experiment.written.target {
                if self.interrupt.is_set() {
                    return Ok(legs);
                }
                let leg = match target.command {
                    Some(_) => Prepared::of(starter, target, value).map(|prepared| Leg {
                        target,
                        value,
                        way: Way::Told(prepared),
                        instance: None,
                        answered: 0,
                        dead: false,
                    }),
                    None => self
                        .instance(starter, target, value, &mut started)
                        .and_then(|instance| self.leg(experiment, target, value, instance)),
                };
                match leg {
                    Ok(leg) => {
                        self.journal.write(&Line::Target(described(&leg)))?;
                        legs.push(leg);
                    }
                    Err(_) if self.interrupt.is_set() => return Ok(legs),
                    Err(reason) => self.not_run(target, value, reason)?,
                }
            }
        }
        Ok(legs)
    }

    /// The server of a target, started if none like it runs.
    fn instance(
        &mut self,
        starter: &Starter<'_>,
        target: &Target,
        value: &Value,
        started: &mut BTreeMap<(String, String), Result<usize, String>>,
    ) -> Result<Option<usize>, String> {
        let named = |server: &&crate::file::Server| {
            Some(server.name.get_ref()) == target.server.as_ref().map(|n| n.get_ref())
        };
        let Some(server) = starter.experiment.written.server.iter().find(named) else { return Ok(None) };
        self.server(starter, server, value, started).map(Some)
    }

    /// A server, started if none like it runs, and before it those that it calls.
    fn server(
        &mut self,
        starter: &Starter<'_>,
        server: &Server,
        value: &Value,
        started: &mut BTreeMap<(String, String), Result<usize, String>>,
    ) -> Result<usize, String> {
        let mut likeness = starter.likeness(server, value)?;
        let mut ports = BTreeMap::new();
        for name in &server.calls {
            let named = |other: &&Server| other.name.get_ref() == name.get_ref();
            let Some(other) = starter.experiment.written.server.iter().find(named) else { continue };
            let instance = self.server(starter, other, value, started)?;
            let port = self.instances[instance].names.get("port").cloned().unwrap_or_default();
            likeness.push_str(&port);
            ports.insert(port_name(name.get_ref()), port);
        }
        let key = (server.name.get_ref().clone(), likeness);
        if let Some(known) = started.get(&key) {
            return known.clone();
        }
        terminal::remark!("starting {}{}", server.name.get_ref(), told(value));
        let outcome = starter.start(server, value, ports).map(|instance| {
            self.instances.push(instance);
            self.instances.len() - 1
        });
        started.insert(key, outcome.clone());
        outcome
    }

    fn leg<'a>(
        &self,
        experiment: &Experiment,
        target: &'a Target,
        value: &'a Value,
        instance: Option<usize>,
    ) -> Result<Leg<'a>, String> {
        let mut names = value.parameters.clone();
        let own = instance.map(|instance| &self.instances[instance].names);
        for name in ["port", "admin_port"] {
            names.extend(own.and_then(|own| Some((name.to_owned(), own.get(name)?.clone()))));
        }
        let url = match (&target.path, &target.url) {
            (None, None) if target.framing.is_some() => rendered("tcp://127.0.0.1:{{port}}", &names)?,
            (Some(path), _) => rendered(&format!("http://127.0.0.1:{{{{port}}}}{}", path.get_ref()), &names)?,
            (None, Some(url)) => rendered(url.get_ref(), &names)?,
            (None, None) => return Err("it has no path".to_owned()),
        };
        let timeout = Duration::from_millis(u64::from(experiment.written.load.timeout_ms));
        let messages = messages::ask(experiment, target, url, &names, timeout)?;
        if let Some(folder) = self.how.messages {
            let label = value.label.as_ref().map(|label| format!("-{}", plain(label)));
            messages.write(&folder.join(plain(target.name.get_ref()) + &label.unwrap_or_default()))?;
        }
        Ok(Leg { target, value, way: Way::Driven(messages), instance, answered: 0, dead: false })
    }

    fn not_run(&mut self, target: &Target, value: &Value, reason: String) -> Result<(), Error> {
        self.is_whole = false;
        eprintln!("not run: {}{}: {reason}", target.name.get_ref(), told(value));
        let target = target.name.get_ref().clone();
        self.journal.write(&Line::NotRun(NotRun { target, value: value.label.clone(), reason }))
    }

    /// Every round measures all values and targets, so that a slow change of the machine meets all of them alike.
    fn rounds(&mut self, legs: &mut [Leg<'_>]) -> Result<(), Error> {
        for leg in legs.iter_mut() {
            self.warm_up(leg)?;
        }
        for round in 1..=*self.experiment.written.rounds.get_ref() {
            for leg in legs.iter_mut().filter(|leg| !leg.dead) {
                if !self.round(leg, round)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn warm_up(&mut self, leg: &mut Leg<'_>) -> Result<(), Error> {
        let mut windows = 0;
        let Way::Driven(messages) = &leg.way else { return Ok(()) };
        while leg.answered < leg.target.warmup_requests
            && windows < WARMUP_WINDOWS_MAX
            && !self.interrupt.is_set()
        {
            if let Some(round) = self.window(leg, messages, Duration::ZERO, WARMUP_WINDOW)? {
                leg.answered += round.transactions;
            }
            windows += 1;
        }
        Ok(())
    }

    fn window(
        &self,
        leg: &Leg<'_>,
        messages: &Messages,
        warmup: Duration,
        duration: Duration,
    ) -> Result<Option<load::result::Round>, Error> {
        let written = &self.experiment.written;
        let instance = leg.instance.map(|instance| &self.instances[instance]);
        let step = Step {
            target: &messages.target,
            clients: leg.value.clients,
            threads: 1,
            think: Duration::from_millis(u64::from(written.load.think_ms)),
            rate: written.load.rate_per_s.as_ref().map(|rate| *rate.get_ref()),
            warmup,
            duration,
            timeout: Duration::from_millis(u64::from(written.load.timeout_ms)),
            spin: SPIN,
            server: instance.map_or(Measured::Nothing, |instance| Measured::Group(instance.leader())),
            metrics: instance.and_then(|instance| instance.metrics.as_ref()),
            driver_core: written.cores.map(|cores| cores.driver),
        };
        step::measure(&step, &self.interrupt)
    }

    /// One round of a target; false if the user stopped it.
    fn round(&mut self, leg: &mut Leg<'_>, number: u32) -> Result<bool, Error> {
        let Way::Driven(messages) = &leg.way else { return self.told_round(leg, number) };
        let load = &self.experiment.written.load;
        let (warmup, duration) =
            (Duration::from_secs_f64(load.warmup_s), Duration::from_secs_f64(*load.duration_s.get_ref()));
        for attempt in 1..=1 + self.experiment.written.void.repeats_max {
            let measured = self.window(leg, messages, warmup, duration);
            if let Some(why) = leg.instance.and_then(|instance| self.instances[instance].ended()) {
                leg.dead = true;
                self.not_run(leg.target, leg.value, why)?;
                return Ok(true);
            }
            let Some(round) = measured? else { return Ok(false) };
            leg.answered += round.warmup_transactions;
            let void = self.void(leg, &round);
            leg.answered += round.transactions;
            self.journal.write(&Line::Round(Round {
                target: leg.target.name.get_ref().clone(),
                value: leg.value.label.clone(),
                round: number,
                attempt,
                void: void.clone(),
                figures: figures_of(&round, messages.request_bytes, messages.answer_bytes),
            }))?;
            self.tell(leg, number, &round, void.as_deref());
            if void.is_none() {
                return Ok(true);
            }
            self.void += 1;
        }
        self.is_whole = false;
        Ok(true)
    }

    /// One round of a target that a command measures; false if the user stopped it.
    fn told_round(&mut self, leg: &mut Leg<'_>, number: u32) -> Result<bool, Error> {
        let (Way::Told(prepared), Some(command)) = (&leg.way, &leg.target.command) else { return Ok(true) };
        let load = &self.experiment.written.load;
        for attempt in 1..=1 + self.experiment.written.void.repeats_max {
            let window = command::Window {
                warmup_s: load.warmup_s,
                duration_s: *load.duration_s.get_ref(),
                seed: self.how.seed.wrapping_add(self.commanded),
            };
            self.commanded += 1;
            let told = match prepared.run(command.get_ref(), window, (&self.groups, &self.interrupt)) {
                Ended::Told(told) => told,
                Ended::Interrupted => return Ok(false),
                Ended::Failed(reason) => {
                    leg.dead = true;
                    self.not_run(leg.target, leg.value, reason)?;
                    return Ok(true);
                }
            };
            let (target, value) = (leg.target.name.get_ref().clone(), leg.value.label.clone());
            let figures: BTreeMap<String, f64> =
                told.figures.iter().map(|(name, value)| (name.clone(), record::rounded(*value))).collect();
            terminal::remark!("{}", told_line(number, self.experiment, leg, &figures, told.void.as_deref()));
            let void = told.void.clone();
            let round = Round { target, value, round: number, attempt, void, figures };
            let note = Note {
                target: round.target.clone(),
                value: round.value.clone(),
                round: number,
                text: told.text,
                drawing: told.drawing,
            };
            self.journal.write(&Line::Round(round))?;
            if told.void.is_some() {
                self.void += 1;
                continue;
            }
            if note.text.is_some() || note.drawing.is_some() {
                self.journal.write(&Line::Note(note))?;
            }
            return Ok(true);
        }
        self.is_whole = false;
        Ok(true)
    }

    /// Why a window does not count.
    fn void(&self, leg: &Leg<'_>, round: &load::result::Round) -> Option<String> {
        let rules = self.experiment.written.void;
        if round.failures.total() > 0 {
            return Some(format!("wrong answers: {}", table::failure_kinds(&round.failures)));
        }
        if round.transactions == 0 {
            return Some("no answer came in the window".to_owned());
        }
        if leg.answered < leg.target.warmup_requests {
            let (answered, asked) = (leg.answered, leg.target.warmup_requests);
            return Some(format!("warmed up by {answered} requests instead of {asked}"));
        }
        let server = round.server.and_then(|server| server.core_busy_pct);
        if let Some(busy) = server.filter(|busy| *busy < rules.server_core_min_pct) {
            return Some(format!("the servers' core was only {busy:.0} % busy"));
        }
        let driver = round.driver_core_busy_pct.filter(|busy| *busy > rules.driver_core_max_pct)?;
        Some(format!("the driver's core was {driver:.0} % busy"))
    }

    fn tell(&self, leg: &Leg<'_>, number: u32, round: &load::result::Round, void: Option<&str>) {
        let cpu = round.cpu_ms_per_tx().map(|ms| ms * 1e3);
        terminal::remark!(
            "round {number}/{}  {}{}  {} requests/s  CPU {} µs/request{}",
            self.experiment.written.rounds.get_ref(),
            leg.target.name.get_ref(),
            told(leg.value),
            figure_or_na(Some(round.tps())),
            figure_or_na(cpu),
            void.map(|void| format!("  VOID: {void}")).unwrap_or_default(),
        );
    }
}

/// A window of a command as a line.
fn told_line(
    number: u32,
    experiment: &Experiment,
    leg: &Leg<'_>,
    figures: &BTreeMap<String, f64>,
    void: Option<&str>,
) -> String {
    let written = &experiment.written;
    let shown = written.figures.iter().filter_map(|name| {
        let own = written.figure.iter().find(|figure| figure.name.get_ref() == name.get_ref());
        let title = own.map_or(name.get_ref().as_str(), |own| own.title.as_str());
        Some(format!("  {} {title}", figure_or_na(Some(*figures.get(name.get_ref())?))))
    });
    format!(
        "round {number}/{}  {}{}{}{}",
        written.rounds.get_ref(),
        leg.target.name.get_ref(),
        told(leg.value),
        shown.collect::<String>(),
        void.map(|void| format!("  VOID: {void}")).unwrap_or_default(),
    )
}

fn described(leg: &Leg<'_>) -> record::Target {
    let (url, messages, request_bytes, answer_bytes) = match &leg.way {
        Way::Driven(messages) => {
            let target = &messages.target;
            (target.url.clone(), target.calls.len(), messages.request_bytes, messages.answer_bytes)
        }
        Way::Told(_) => {
            let words = leg.target.command.iter().flat_map(|command| command.get_ref());
            let words: Vec<&str> = words.map(|word| word.get_ref().as_str()).collect();
            (words.join(" "), 0, 0.0, 0.0)
        }
    };
    record::Target {
        name: leg.target.name.get_ref().clone(),
        server: leg.target.server.as_ref().map(|name| name.get_ref().clone()).unwrap_or_default(),
        value: leg.value.label.clone(),
        url,
        messages,
        request_bytes: record::rounded(request_bytes),
        answer_bytes: record::rounded(answer_bytes),
        compare: match leg.way {
            Way::Driven(_) => leg.target.comparison().word().to_owned(),
            Way::Told(_) => "by the command".to_owned(),
        },
    }
}

/// A value as lines tell it, with a blank in front.
fn told(value: &Value) -> String {
    value.label.as_ref().map(|label| format!(" at {label}")).unwrap_or_default()
}

/// The file of the lines.
struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    fn create(results: &Path) -> Result<Journal, Error> {
        let path = results.join(RESULT_FILE);
        let file = File::options().write(true).create_new(true).open(&path);
        let cannot = |error| Error::system(format!("cannot write {}", path.display()), error);
        Ok(Journal { file: file.map_err(cannot)?, path })
    }

    fn write(&mut self, line: &Line) -> Result<(), Error> {
        let written = self.file.write_all(record::line(line).as_bytes());
        written.map_err(|error| Error::system(format!("cannot write {}", self.path.display()), error))
    }
}

/// A sentence on what a run will do.
pub(crate) fn intent(experiment: &Experiment) -> String {
    let written = &experiment.written;
    let (windows, time) = experiment.estimate(written.target.len());
    let values = experiment.values().len();
    let sweep =
        written.sweep.as_ref().map(|sweep| format!(", {values} values of {}", sweep.parameter.get_ref()));
    format!(
        "{}: {}{}, {}: {} of {} s after {} s of warm-up, about {}",
        experiment.name,
        count(written.target.len(), "target"),
        sweep.unwrap_or_default(),
        count(*written.rounds.get_ref() as usize, "round"),
        count(windows, "window"),
        written.load.duration_s.get_ref(),
        written.load.warmup_s,
        minutes(time),
    )
}

/// A time as people say it.
pub(crate) fn minutes(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..120 => format!("{} s", seconds.max(1)),
        seconds => format!("{} min", seconds.div_ceil(60)),
    }
}

/// An error for wrong use.
pub(crate) fn usage(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Usage, message)
}
