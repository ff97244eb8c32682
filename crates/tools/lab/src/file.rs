//! Experiment files as they are written, and what is checked in them: every fault with file and line.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use load::plan::{CLIENTS_MAX_COUNT, ROUNDS_MAX_COUNT, STEP_MAX_S};
use serde::Deserialize;
use settings::{Files, Loader, Problems};
use toml::Spanned;

use crate::command;
use crate::figures::Figure;
use crate::server::plain;
use crate::template::{self, Scope};

/// The most values of a sweep.
pub const VALUES_MAX_COUNT: usize = 100;
/// The most messages of a target.
pub const MESSAGES_MAX_COUNT: u32 = 10_000;
/// Parameters that the lab itself sets for each server.
pub const SERVER_NAMES: [&str; 4] = ["gantry", "folder", "port", "admin_port"];

/// An experiment, checked.
#[derive(Debug, Clone)]
pub struct Experiment {
    /// The name of its file, without `.toml`.
    pub name: String,
    /// Where its files are.
    pub files: Files,
    /// Its path among them.
    pub path: String,
    /// The content of the file.
    pub written: Written,
}

/// An experiment file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Written {
    /// A sentence about the measurement.
    pub description: String,
    /// How often everything is measured.
    #[serde(default = "five")]
    pub rounds: Spanned<u32>,
    /// Cores of their own for servers and driver.
    pub cores: Option<Cores>,
    /// The work of the clients.
    pub load: Load,
    /// Names that templates may use.
    #[serde(default)]
    pub parameters: BTreeMap<Spanned<String>, Parameter>,
    /// The value that changes.
    pub sweep: Option<Sweep>,
    /// The servers that the lab starts.
    #[serde(default)]
    pub server: Vec<Server>,
    /// The targets that it calls.
    pub target: Vec<Target>,
    /// When a window does not count.
    #[serde(default)]
    pub void: Void,
    /// The figures that tables show, by their names.
    #[serde(default = "usual_figures")]
    pub figures: Vec<Spanned<String>>,
    /// Figures of its own, which commands tell.
    #[serde(default)]
    pub figure: Vec<OwnFigure>,
    /// The charts of the page.
    #[serde(default)]
    pub chart: Vec<Chart>,
    /// Published results of other projects, to be read beside ours.
    #[serde(default)]
    pub reference: Vec<Reference>,
}

fn five() -> Spanned<u32> {
    Spanned::new(0..0, 5)
}

fn usual_figures() -> Vec<Spanned<String>> {
    let usual = [
        Figure::RequestsPerS,
        Figure::ResponseP50Us,
        Figure::ResponseP99Us,
        Figure::CpuUsPerRequest,
        Figure::MemoryMib,
        Figure::ServerCorePct,
        Figure::DriverCorePct,
    ];
    usual.map(|figure| Spanned::new(0..0, figure.name().to_owned())).to_vec()
}

/// `[cores]`
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cores {
    /// Of all servers.
    pub server: usize,
    /// Of the driver.
    pub driver: usize,
}

/// `[load]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// Clients at one time.
    pub clients: Spanned<u32>,
    /// From an answer to the client's next request.
    #[serde(default)]
    pub think_ms: u32,
    /// Requests a second, whether or not there are answers.
    pub rate_per_s: Option<Spanned<f64>>,
    /// Before each window.
    #[serde(default = "one")]
    pub warmup_s: f64,
    /// Each window.
    pub duration_s: Spanned<f64>,
    /// For one request.
    #[serde(default = "five_thousand")]
    pub timeout_ms: u32,
}

fn one() -> f64 {
    1.0
}

fn five_thousand() -> u32 {
    5_000
}

/// A value of a parameter.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Parameter {
    /// A whole number.
    Number(i64),
    /// A text.
    Text(String),
}

impl Parameter {
    /// As templates write it.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Parameter::Number(number) => number.to_string(),
            Parameter::Text(text) => text.clone(),
        }
    }
}

/// `[sweep]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// `clients`, or a name that templates use.
    pub parameter: Spanned<String>,
    /// Its values.
    pub values: Spanned<Vec<Parameter>>,
    /// The value to compare with: tables have their first figure as a multiple of the figure at this value.
    pub baseline: Option<Spanned<Parameter>>,
    /// Other parameters that change with it: each has one value for each of the sweep.
    #[serde(default)]
    pub with: BTreeMap<String, Spanned<Vec<Parameter>>>,
}

/// `[[server]]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// Its name.
    pub name: Spanned<String>,
    /// Commands that must be installed.
    #[serde(default)]
    pub needs: Vec<String>,
    /// The servers before it in the file that it calls: they run beside it, and its templates name their ports `port_of_NAME`.
    #[serde(default)]
    pub calls: Vec<Spanned<String>>,
    /// A folder of templates that becomes the server's folder.
    pub files: Option<Spanned<String>>,
    /// Commands that run in that folder before the start.
    #[serde(default)]
    pub prepare: Vec<Vec<Spanned<String>>>,
    /// The command that is the server.
    pub start: Spanned<Vec<Spanned<String>>>,
    /// A path that answers with 200 once the server is ready; without it, a port that takes connections will do.
    pub ready: Option<String>,
    /// How long that may take.
    #[serde(default = "thirty")]
    pub ready_max_s: u32,
    /// A Prometheus page that tells the CPU time of service providers.
    pub metrics: Option<Spanned<String>>,
}

fn thirty() -> u32 {
    30
}

/// `[[target]]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Its name.
    pub name: Spanned<String>,
    /// The server that it is at.
    pub server: Option<Spanned<String>>,
    /// Its path there.
    pub path: Option<Spanned<String>>,
    /// A whole URL, of a server that is not started here.
    pub url: Option<Spanned<String>>,
    /// How messages stand in the stream; without it the server speaks HTTP.
    pub framing: Option<Spanned<String>>,
    /// Instead of a server: a command that measures each window, and tells its figures.
    pub command: Option<Spanned<Vec<Spanned<String>>>>,
    /// Commands that the command needs.
    #[serde(default)]
    pub needs: Vec<String>,
    /// A folder of templates that becomes the command's folder.
    pub files: Option<Spanned<String>>,
    /// How long a window of the command may take.
    #[serde(default = "six_hundred")]
    pub max_s: u32,
    /// The method.
    #[serde(default = "post")]
    pub method: Spanned<String>,
    /// Headers of all requests, as `Name: value`.
    #[serde(default)]
    pub headers: Vec<String>,
    /// The template of the bodies.
    pub request: Option<Spanned<String>>,
    /// How many different messages are made of it.
    #[serde(default = "one_message")]
    pub messages: Spanned<u32>,
    /// The template of the expected bodies of answers.
    pub answer: Option<Spanned<String>>,
    /// How answers are judged.
    pub compare: Option<Spanned<Compare>>,
    /// The expected status.
    #[serde(default = "ok")]
    pub status: u16,
    /// Whether clients keep their connections.
    #[serde(default)]
    pub connections: Connections,
    /// Correct answers that must come before the first window counts.
    #[serde(default)]
    pub warmup_requests: u64,
}

fn six_hundred() -> u32 {
    600
}

fn post() -> Spanned<String> {
    Spanned::new(0..0, "POST".to_owned())
}

fn one_message() -> Spanned<u32> {
    Spanned::new(0..0, 1)
}

fn ok() -> u16 {
    200
}

/// How answers are judged, beside their status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compare {
    /// They are the expected text, byte for byte.
    Bytes,
    /// The first answer to each message has the values of the expected text; later ones have the bytes of the first.
    Values,
    /// They have the bytes of the first answer to the message.
    Same,
    /// Not at all.
    Status,
}

impl Compare {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Compare::Bytes => "bytes",
            Compare::Values => "values",
            Compare::Same => "same",
            Compare::Status => "status",
        }
    }
}

/// Whether connections are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Connections {
    /// A client keeps its connection.
    #[default]
    Kept,
    /// Each request has its own.
    New,
}

/// `[void]`
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Void {
    /// The least busy share of the servers' core.
    pub server_core_min_pct: f64,
    /// The greatest busy share of the driver's core.
    pub driver_core_max_pct: f64,
    /// How often a void window is repeated.
    pub repeats_max: u32,
}

impl Default for Void {
    fn default() -> Void {
        Void { server_core_min_pct: 90.0, driver_core_max_pct: 90.0, repeats_max: 3 }
    }
}

/// `[[chart]]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chart {
    /// Its title.
    pub title: String,
    /// The figure that it draws, by its name.
    pub figure: Spanned<String>,
}

/// `[[figure]]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnFigure {
    /// The name by which commands tell it.
    pub name: Spanned<String>,
    /// The head of its column, with the unit.
    pub title: String,
}

/// `[[reference]]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// Where it is from.
    pub title: String,
    /// The text of the reference.
    pub text: String,
}

impl Target {
    /// How its answers are judged.
    #[must_use]
    pub fn comparison(&self) -> Compare {
        let unsaid = if self.answer.is_some() { Compare::Bytes } else { Compare::Same };
        self.compare.as_ref().map_or(unsaid, |compare| *compare.get_ref())
    }
}

/// One value of the sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// As tables show it; none if there is no sweep.
    pub label: Option<String>,
    /// All parameters.
    pub parameters: BTreeMap<String, String>,
    /// Clients at one time.
    pub clients: u32,
}

impl Experiment {
    /// Reads and checks a file.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(files: &Files, path: &str) -> Result<Experiment, Problems> {
        let mut loader = Loader::new(files, Problems::default(), |_| Vec::new());
        let written = loader.parse::<Written>(path).map(|(written, _)| written);
        let Some(written) = written else { return Err(loader.problems) };
        let name = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".toml").to_owned();
        let experiment = Experiment { name, files: files.clone(), path: path.to_owned(), written };
        Check { loader: &mut loader, experiment: &experiment }.all();
        if loader.problems.is_empty() { Ok(experiment) } else { Err(loader.problems) }
    }

    /// The values of the sweep; one without a label if there is no sweep.
    #[must_use]
    pub fn values(&self) -> Vec<Value> {
        let written = &self.written;
        let fixed: BTreeMap<String, String> =
            written.parameters.iter().map(|(name, value)| (name.get_ref().clone(), value.text())).collect();
        let clients = *written.load.clients.get_ref();
        let Some(sweep) = &written.sweep else {
            return vec![Value { label: None, parameters: fixed, clients }];
        };
        let value = |(index, value): (usize, &Parameter)| {
            let mut parameters = fixed.clone();
            parameters.insert(sweep.parameter.get_ref().clone(), value.text());
            for (name, values) in &sweep.with {
                parameters.extend(values.get_ref().get(index).map(|value| (name.clone(), value.text())));
            }
            let own = (sweep.parameter.get_ref() == "clients").then(|| value.text().parse().ok()).flatten();
            Value { label: Some(value.text()), parameters, clients: own.unwrap_or(clients) }
        };
        sweep.values.get_ref().iter().enumerate().map(value).collect()
    }

    /// The path of a file that the experiment names.
    #[must_use]
    pub fn beside(&self, path: &str) -> String {
        match self.path.rsplit_once('/') {
            Some((folder, _)) => format!("{folder}/{path}"),
            None => path.to_owned(),
        }
    }

    /// The files of a server's folder, by their paths below it.
    ///
    /// # Errors
    /// The folder cannot be read, or has no files.
    pub fn folder(&self, path: &str) -> std::io::Result<Vec<(String, String)>> {
        let root = self.beside(path);
        let files: Vec<(String, String)> = (self.files.tree(&root)?.into_iter())
            .filter_map(|path| Some((path.strip_prefix(&root)?.trim_start_matches('/').to_owned(), path)))
            .collect();
        if files.is_empty() {
            return Err(std::io::Error::new(std::io::ErrorKind::NotFound, "it has no files"));
        }
        Ok(files)
    }

    /// How many windows a run measures at least, and how long that takes.
    #[must_use]
    pub fn estimate(&self, targets: usize) -> (usize, Duration) {
        const START_S: f64 = 2.0;
        let windows = self.values().len() * targets * *self.written.rounds.get_ref() as usize;
        let load = &self.written.load;
        let window_s = (load.warmup_s + load.duration_s.get_ref()).max(0.0);
        let starts_s = START_S * (self.values().len() * self.written.server.len()) as f64;
        let seconds = (windows as f64 * window_s + starts_s).min(STEP_MAX_S as f64 * 1000.0);
        (windows, Duration::from_secs_f64(seconds))
    }
}

/// The names that a template in a file of its own may use.
#[derive(Clone, Copy)]
enum Names<'s> {
    /// The parameters.
    OfMessage,
    /// Those that the lab sets too, and the ports of the servers that this one calls.
    OfFolder(Option<&'s Server>),
}

/// Finds all faults that the form of the file does not.
struct Check<'a, 'f> {
    loader: &'a mut Loader<'f>,
    experiment: &'a Experiment,
}

impl Check<'_, '_> {
    fn all(&mut self) {
        let written = &self.experiment.written;
        self.range(&written.rounds, "rounds", ROUNDS_MAX_COUNT);
        self.range(&written.load.clients, "load.clients", CLIENTS_MAX_COUNT);
        let seconds = *written.load.duration_s.get_ref();
        let all = [("load.warmup_s", written.load.warmup_s, 0.0), ("load.duration_s", seconds, 0.01)];
        for (key, value, least) in all {
            if !(least..=STEP_MAX_S as f64).contains(&value) {
                let message = format!("'{key}' must be from {least} to {STEP_MAX_S}, not {value}");
                self.at(written.load.duration_s.span(), message);
            }
        }
        for name in written.parameters.keys().filter(|name| SERVER_NAMES.contains(&name.get_ref().as_str())) {
            self.at(name.span(), format!("'{}' is set by the lab itself", name.get_ref()));
        }
        if written.target.is_empty() {
            self.loader.at_file(&self.experiment.path, "it has no target");
        }
        self.sweep();
        self.unique(written.server.iter().map(|server| &server.name), "servers");
        self.unique(written.target.iter().map(|target| &target.name), "targets");
        written.server.iter().for_each(|server| self.server(server));
        written.target.iter().for_each(|target| self.target(target));
        self.unique(written.figure.iter().map(|figure| &figure.name), "figures");
        for figure in &written.figure {
            if Figure::named(figure.name.get_ref()).is_some() {
                self.at(figure.name.span(), format!("the lab has a figure '{}'", figure.name.get_ref()));
            }
        }
        for name in written.figures.iter().chain(written.chart.iter().map(|chart| &chart.figure)) {
            let is_own = |figure: &OwnFigure| figure.name.get_ref() == name.get_ref();
            if Figure::named(name.get_ref()).is_none() && !written.figure.iter().any(is_own) {
                self.at(name.span(), format!("there is no figure '{}'", name.get_ref()));
            }
        }
        if let Some(rate) = &written.load.rate_per_s
            && !(0.001..=1e7).contains(rate.get_ref())
        {
            self.at(rate.span(), "'load.rate_per_s' must be from 0.001 to 10000000");
        }
    }

    fn at(&mut self, span: Range<usize>, message: impl Into<String>) {
        self.loader.at(&self.experiment.path, span, message);
    }

    fn range(&mut self, value: &Spanned<u32>, key: &str, max: u32) {
        if !(1..=max).contains(value.get_ref()) {
            self.at(value.span(), format!("'{key}' must be from 1 to {max}, not {}", value.get_ref()));
        }
    }

    fn unique<'n>(&mut self, names: impl Iterator<Item = &'n Spanned<String>>, what: &str) {
        let mut known = Vec::new();
        for name in names {
            let text = name.get_ref();
            let is_plain = |letter: char| !letter.is_control() && !"/\\".contains(letter);
            if text.is_empty() || text.len() > 64 || text.starts_with('.') || !text.chars().all(is_plain) {
                self.at(name.span(), "a name has 1 to 64 bytes, no '/', and no '.' in front");
            }
            if known.contains(&text) {
                self.at(name.span(), format!("two {what} are named '{text}'"));
            } else if known.iter().any(|other: &&String| plain(other) == plain(text)) {
                // They would share a folder and a log.
                self.at(name.span(), format!("the names of two {what} differ only in signs: '{text}'"));
            }
            known.push(text);
        }
    }

    fn sweep(&mut self) {
        let Some(sweep) = &self.experiment.written.sweep else { return };
        let (values, count) = (&sweep.values, sweep.values.get_ref().len());
        if !(1..=VALUES_MAX_COUNT).contains(&count) {
            self.at(values.span(), format!("a sweep has 1 to {VALUES_MAX_COUNT} values, not {count}"));
        }
        // Windows, folders and rows of tables are known by the value.
        let mut known = BTreeMap::new();
        for value in values.get_ref() {
            let text = value.text();
            if let Some(before) = known.insert(plain(&text), text.clone()) {
                self.at(
                    values.span(),
                    format!(
                        "the values '{before}' and '{text}' of a sweep must differ in letters, digits or dots"
                    ),
                );
            }
        }
        for (name, with) in &sweep.with {
            if with.get_ref().len() != count {
                let other = with.get_ref().len();
                self.at(with.span(), format!("'{name}' has {other} values, and the sweep has {count}"));
            }
        }
        if let Some(baseline) = &sweep.baseline
            && !values.get_ref().iter().any(|value| value.text() == baseline.get_ref().text())
        {
            self.at(baseline.span(), format!("'{}' is no value of the sweep", baseline.get_ref().text()));
        }
        let parameter = sweep.parameter.get_ref();
        if SERVER_NAMES.contains(&parameter.as_str()) {
            self.at(sweep.parameter.span(), format!("'{parameter}' is set by the lab itself"));
        }
        if parameter == "clients" {
            for value in values.get_ref() {
                let text = value.text();
                if !text.parse().is_ok_and(|clients| (1..=CLIENTS_MAX_COUNT).contains(&clients)) {
                    let message =
                        format!("'{text}' is not a number of clients from 1 to {CLIENTS_MAX_COUNT}");
                    self.at(values.span(), message);
                }
            }
        }
    }

    /// A target that a command measures.
    fn commanded(&mut self, target: &Target, command: &Spanned<Vec<Spanned<String>>>) {
        let others =
            [&target.server, &target.path, &target.url, &target.framing, &target.request, &target.answer];
        if others.iter().any(|other| other.is_some()) || target.compare.is_some() {
            self.at(target.name.span(), "a target with a 'command' has nothing else to call");
        }
        if command.get_ref().is_empty() {
            self.at(command.span(), "'command' is empty");
        }
        for word in command.get_ref() {
            for value in self.experiment.values() {
                let checked = command::checked(word.get_ref(), with_server_names(value.parameters, None));
                if let Err(fault) = checked {
                    self.at(word.span(), fault);
                    break;
                }
            }
        }
        if let Some(folder) = &target.files {
            self.folder(folder, None);
        }
    }

    fn server(&mut self, server: &Server) {
        if server.start.get_ref().is_empty() {
            self.at(server.start.span(), "'start' needs a command");
        }
        self.calls(server);
        let words = server.prepare.iter().flatten().chain(server.start.get_ref()).chain(&server.metrics);
        words.for_each(|word| self.inline(word, Some(server)));
        if let Some(folder) = &server.files {
            self.folder(folder, Some(server));
        }
    }

    /// A folder of templates.
    fn folder(&mut self, folder: &Spanned<String>, server: Option<&Server>) {
        match self.experiment.folder(folder.get_ref()) {
            Err(error) => self.at(folder.span(), format!("the folder cannot be read: {error}")),
            Ok(files) => {
                let texts = files.iter().filter(|(_, path)| self.experiment.files.read(path).is_ok());
                let texts: Vec<&str> = texts.map(|(_, path)| path.as_str()).collect();
                texts.into_iter().for_each(|path| self.template(path, Names::OfFolder(server)));
            }
        }
    }

    /// Servers that a server calls stand before it, so that no two wait for each other.
    fn calls(&mut self, server: &Server) {
        let all = &self.experiment.written.server;
        let before = all.iter().take_while(|other| other.name.get_ref() != server.name.get_ref());
        let before: Vec<&str> = before.map(|other| other.name.get_ref().as_str()).collect();
        for name in &server.calls {
            let is_word =
                |letter: u8| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == b'_';
            if !before.contains(&name.get_ref().as_str()) {
                self.at(name.span(), format!("no server '{}' stands before this one", name.get_ref()));
            } else if !name.get_ref().bytes().all(is_word) {
                self.at(name.span(), "a server that others call has a name of small letters, digits and '_'");
            }
        }
    }

    fn target(&mut self, target: &Target) {
        let written = &self.experiment.written;
        self.range(&target.messages, "messages", MESSAGES_MAX_COUNT);
        if let Some(command) = &target.command {
            return self.commanded(target, command);
        }
        if let Some(framing) = &target.framing
            && let Err(message) = load::frames::Framing::parse(framing.get_ref())
        {
            self.at(framing.span(), message);
        }
        let no_path = Spanned::new(0..0, String::new());
        let is_framed = target.framing.is_some() && target.server.is_some();
        let path = target.path.as_ref().or(is_framed.then_some(&no_path));
        match (&target.server, path, &target.url) {
            (Some(server), Some(path), None) => {
                if !written.server.iter().any(|known| known.name.get_ref() == server.get_ref()) {
                    self.at(server.span(), format!("there is no server '{}'", server.get_ref()));
                }
                self.inline(path, None);
            }
            (None, None, Some(url)) => self.inline(url, None),
            _ => self.at(
                target.name.span(),
                "a target has 'server' with 'path' or 'framing', or 'url', or 'command'",
            ),
        }
        if target.method.get_ref().parse::<http::Method>().is_err() || target.method.get_ref() == "HEAD" {
            self.at(target.method.span(), "this method cannot be measured");
        }
        if let Err(error) = load::plan::Endpoint::parse("http://127.0.0.1:1/").and_then(|endpoint| {
            load::plan::build_request(&http::Method::POST, &endpoint, &target.headers, None, true)
        }) {
            self.at(target.name.span(), error.to_string());
        }
        let needs_answer = matches!(target.comparison(), Compare::Bytes | Compare::Values);
        if let Some(compare) = target.compare.as_ref().filter(|_| needs_answer != target.answer.is_some()) {
            let word = compare.get_ref().word();
            let message =
                format!("compare = \"{word}\" {} 'answer'", if needs_answer { "needs an" } else { "has no" });
            self.at(compare.span(), message);
        }
        for file in [&target.request, &target.answer].into_iter().flatten() {
            let path = self.experiment.beside(file.get_ref());
            match self.experiment.files.read(&path) {
                Err(error) => self.at(file.span(), format!("the file cannot be read: {error}")),
                Ok(_) => self.template(&path, Names::OfMessage),
            }
        }
    }

    /// A template in a file of its own; the first fault in it counts.
    fn template(&mut self, path: &str, known: Names<'_>) {
        let text = self.experiment.files.read(path).unwrap_or_default();
        for value in self.experiment.values() {
            let names = match known {
                Names::OfFolder(server) => with_server_names(value.parameters, server),
                Names::OfMessage => value.parameters,
            };
            if let Err(fault) = template::render(&text, Scope { names: &names, message: 0 }) {
                self.loader.at_line(path, fault.line, fault.message);
                return;
            }
        }
    }

    /// A template in the experiment file itself.
    fn inline(&mut self, word: &Spanned<String>, server: Option<&Server>) {
        for value in self.experiment.values() {
            let names = with_server_names(value.parameters, server);
            if let Err(fault) = template::render(word.get_ref(), Scope { names: &names, message: 0 }) {
                self.at(word.span(), fault.message);
                return;
            }
        }
    }
}

/// How templates name the port of a server that theirs calls.
pub(crate) fn port_name(server: &str) -> String {
    format!("port_of_{server}")
}

/// The parameters with stand-ins for what the lab sets.
pub(crate) fn with_server_names(
    mut parameters: BTreeMap<String, String>,
    server: Option<&Server>,
) -> BTreeMap<String, String> {
    parameters.extend(SERVER_NAMES.map(|name| (name.to_owned(), "1".to_owned())));
    let calls = server.into_iter().flat_map(|server| &server.calls);
    parameters.extend(calls.map(|name| (port_name(name.get_ref()), "1".to_owned())));
    parameters
}
