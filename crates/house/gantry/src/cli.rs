//! The command line: `serve`, `check`, `region`, `connector`, `queue`, `health`, `backup`, `call`, `new`, `example`, `import`, `program`, `record`, `soap`, `file`, `user`, `key`, `load`,
//! `completions` and `man`.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::Write;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::LazyLock;

use clap::{Args, ColorChoice, FromArgMatches, Parser, Subcommand};
use settings::{Files, Problems};

use crate::call::{self, CallArgs};
use crate::check;
use crate::file::{self, FileCommand};
use crate::group_door;
use crate::help::{self, CompletionsArgs, ManArgs};
use crate::import::{self, ImportArgs};
use crate::live::{pick_up, tell_scanned};
use crate::load_door::{self, RegionDoor};
use crate::new;
use crate::sample_server::{self, SampleServerArgs, SampleServers};
use crate::sandbox;
use crate::serve::serve;
use crate::users::{KeyCommand, UserCommand, run_key, run_user};
use crate::watching::{fingerprint, of_folders};
use configuration::{Settings, Source, WORKERS_MAX, addresses, load};
use gateway::{LoadedApi, LogFormat};
use operator_commands::{
    BackupArgs, ConnectorArgs, HealthArgs, QueueArgs, RegionArgs, ScanArgs, StoreArgs, Trouble,
};
use program_commands::ProgramCommand;
use record_commands::RecordArgs;
use server::{Listener, Listening};
use soap_commands::Outcome;
use terminal::{Colour, Telling, count, show};

/// The version, with the commit if the build was given one (`make build` gives it).
static VERSION: LazyLock<String> = LazyLock::new(|| match option_env!("GANTRY_COMMIT") {
    Some(commit) if !commit.is_empty() => format!("{} ({commit})", env!("CARGO_PKG_VERSION")),
    _ => env!("CARGO_PKG_VERSION").to_owned(),
});

/// Optional parts of the binary, and whether it is static, for `--version`.
const FEATURES: &[(&str, bool)] = &[
    ("ldap", cfg!(feature = "ldap")),
    ("parquet", cfg!(feature = "parquet")),
    ("wasm", cfg!(feature = "wasm")),
    ("static", cfg!(target_feature = "crt-static")),
];

static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let there = |(name, there): &(&'static str, bool)| there.then_some(*name);
    let features: Vec<&str> = FEATURES.iter().filter_map(there).collect();
    format!("{}\nfeatures: {}", VERSION.as_str(), features.join(", "))
});

/// Open gateway for record-oriented programs: turns COBOL copybooks into REST APIs.
#[derive(Debug, Parser)]
#[command(name = "gantry", version = VERSION.as_str(), long_version = LONG_VERSION.as_str())]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
    /// When messages have colours. `auto` means at a terminal, unless the environment has NO_COLOR.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: ColorChoice,
    /// Say only the result and errors: no warnings, hints, progress and names of files that were written.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Say more, to find faults: `check` lists what serves, and `serve` logs at the level debug unless RUST_LOG says otherwise.
    #[arg(short, long, global = true)]
    verbose: bool,
}

/// Applies the colour choice of the command line to the process.
fn choose_colour(choice: ColorChoice) {
    terminal::set_colour(match choice {
        ColorChoice::Auto => Colour::Auto,
        ColorChoice::Always => Colour::Always,
        ColorChoice::Never => Colour::Never,
    });
}

/// `gantry soap`.
#[derive(Debug, Subcommand)]
enum SoapCommand {
    #[command(flatten)]
    Assistant(soap_commands::Command),
    /// Take new bind files from the pickup folders of pipelines to their shelves.
    ///
    /// Without a folder, a running gateway does it, and serves them.
    Scan(ScanArgs),
}

/// `gantry program`.
#[derive(Debug, Subcommand)]
enum ProgramWhat {
    /// Make the service of a program that the configuration folder has, from its LINKAGE SECTION or its containers.
    Service(scaffold::ServiceArgs),
    #[command(flatten)]
    Other(ProgramCommand),
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the APIs of a configuration folder.
    Serve(ServeArgs),
    /// Check a configuration folder and report every fault.
    Check(CheckArgs),
    /// Look at the region of a running gateway, and act on it: programs, tasks, queues, links, dumps.
    Region(RegionArgs),
    /// Look at the endpoint groups of a running gateway, and act on them.
    Connector(ConnectorArgs),
    /// Look at the queues of a running gateway, and act on them: browse, put, move, purge, export, define.
    Queue(QueueArgs),
    /// Ask a running gateway whether it takes requests, for containers and scripts.
    Health(HealthArgs),
    /// Copy the store of a running gateway into a new file.
    Backup(BackupArgs),
    /// Copy what can be read of a damaged store into a new one.
    Store(StoreArgs),
    /// Make a new configuration folder from a copybook, a program, an OpenAPI document or a WSDL.
    New(Box<scaffold::NewArgs>),
    /// List the built-in examples, or write one to a folder.
    Example(ExampleArgs),
    /// Call a service, or an operation of an API requester, once.
    Call(CallArgs),
    /// Convert packages of z/OS Connect to text files of a configuration folder.
    Import(ImportArgs),
    /// Translate COBOL programs that were written for CICS, and make services of them.
    #[command(subcommand)]
    Program(ProgramWhat),
    /// Read and convert copybooks and data files.
    Record(RecordArgs),
    /// Make and size web services, and take new ones into service.
    #[command(subcommand)]
    Soap(SoapCommand),
    /// Load and unload the files of a region.
    #[command(subcommand)]
    File(FileCommand),
    /// Manage a file of users and passwords.
    #[command(subcommand)]
    User(UserCommand),
    /// Manage a file of API keys.
    #[command(subcommand)]
    Key(KeyCommand),
    /// Internal: run the compiler with its limits. The gateway starts this.
    #[command(hide = true)]
    Compiler {
        /// Internal arguments.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<std::ffi::OsString>,
    },
    /// Internal: run programs. The region starts this.
    #[command(hide = true)]
    Worker {
        /// Internal arguments.
        arguments: Vec<OsString>,
    },
    /// Internal: test the sandbox. `check --sandbox` starts this.
    #[command(hide = true)]
    SandboxProbe {
        /// The worker's user.
        user: String,
    },
    /// Internal: be a sample server of the example `connector`.
    #[command(hide = true)]
    SampleServer(SampleServerArgs),
    /// Internal: be the other region of `load programs`.
    #[command(hide = true)]
    LoadRegion {
        /// The socket to listen on.
        socket: PathBuf,
    },
    /// Measure a server with clients that have think time.
    Load(Box<LoadCommand>),
    /// Run experiments: text files of servers, targets, sweeps and rounds.
    Lab(lab::LabArgs),
    /// Print the completions of a shell.
    Completions(CompletionsArgs),
    /// Print the man page of a command.
    Man(ManArgs),
}

/// The server over HTTP that `load` measures, or a subcommand for something else.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
struct LoadCommand {
    #[command(flatten)]
    server: ::load::LoadArgs,
    #[command(subcommand)]
    experiment: Option<LoadExperiment>,
}

#[derive(Debug, Subcommand)]
enum LoadExperiment {
    /// Measure programs in a region, without HTTP; needs GnuCOBOL 3.
    Programs(::load::programs::ProgramsArgs),
    /// Measure an endpoint group of a configuration, without a gateway.
    Group(::load::group::GroupArgs),
}

#[derive(Debug, Args)]
pub(crate) struct WhereArgs {
    /// The configuration folder; it has a gantry.toml.
    #[arg(default_value = ".", conflicts_with = "example")]
    folder: PathBuf,
    /// Use a built-in example instead of a folder.
    #[arg(long)]
    example: Option<String>,
}

#[derive(Debug, Args)]
struct CheckArgs {
    #[command(flatten)]
    place: WhereArgs,
    /// Check this machine instead of a configuration: try forbidden actions inside a worker's sandbox.
    #[arg(long, conflicts_with_all = ["folder", "example"])]
    sandbox: bool,
    /// Print the result and every fault as JSON, for programs.
    #[arg(long, conflicts_with = "sandbox")]
    json: bool,
}

#[derive(Debug, Args)]
struct ServeArgs {
    #[command(flatten)]
    place: WhereArgs,
    /// Serve only on this address of this machine, without TLS, instead of the configured listeners.
    #[arg(long, value_parser = address)]
    listen: Option<SocketAddr>,
    /// Serve metrics and health on this address instead of the configured one.
    #[arg(long, value_parser = address)]
    admin: Option<SocketAddr>,
    /// Number of serving threads; overrides the configuration.
    #[arg(long)]
    workers: Option<usize>,
    /// Do not start if a program or a package has faults. By default Gantry serves everything else.
    #[arg(long)]
    strict: bool,
}

#[derive(Debug, Args)]
struct ExampleArgs {
    /// The example's name.
    #[arg(requires = "folder")]
    name: Option<String>,
    /// The folder to write it to.
    #[arg(requires = "name")]
    folder: Option<PathBuf>,
}

/// Runs the command of the arguments.
pub(crate) fn run() -> ExitCode {
    let arguments = help::grouped::<Cli>().get_matches();
    let Cli { command, color, quiet, verbose } =
        Cli::from_arg_matches(&arguments).unwrap_or_else(|error| error.exit());
    choose_colour(color);
    terminal::set_telling(match (quiet, verbose) {
        (true, _) => Telling::Quiet,
        (false, true) => Telling::Verbose,
        (false, false) => Telling::Usual,
    });
    match command {
        Command::Serve(args) => run_serve(&args),
        Command::Check(args) if args.sandbox => sandbox::check().unwrap_or_else(|message| fail(&message)),
        Command::Check(args) => check::run(&args.place, args.json),
        Command::Region(args) => operated(operator_commands::run(&args)),
        Command::Connector(args) => operated(operator_commands::run_connector(&args)),
        Command::Queue(args) => operated(operator_commands::run_queue(&args)),
        Command::Health(args) => operated(operator_commands::run_health(&args)),
        Command::Backup(args) => operated(operator_commands::run_backup(&args)),
        Command::Store(args) => operated(operator_commands::run_store(&args)),
        Command::New(args) => finish(new::run(&args)),
        Command::Example(args) => run_example(&args),
        Command::Call(args) => finish(call::run(&args)),
        Command::Import(args) => match import::run(&args) {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => fail(&message),
        },
        Command::Program(ProgramWhat::Service(args)) => finish(new::service(&args)),
        Command::Program(ProgramWhat::Other(command)) => match program_commands::run(command) {
            Ok(code) => code,
            Err(message) => fail(&message),
        },
        Command::Record(args) => match record_commands::run(args) {
            Ok(code) => code,
            Err(message) => fail(&message),
        },
        Command::Soap(command) => run_soap(&command),
        Command::File(command) => match file::run(&command) {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => fail(&message),
        },
        Command::User(command) => finish(run_user(&command)),
        Command::Key(command) => finish(run_key(&command)),
        Command::Compiler { arguments } => fail(&compiling::confined::run(&arguments)),
        Command::Worker { arguments } => match wire::WorkerOptions::from_arguments(&arguments) {
            Some(options) => worker::run(&options),
            None => fail("a worker is started by a region"),
        },
        Command::SandboxProbe { user } => sandbox::run_probe(&user).unwrap_or_else(|message| fail(&message)),
        Command::SampleServer(args) => finish(sample_server::run(&args)),
        Command::LoadRegion { socket } => finish(load_door::be_the_other(&socket)),
        Command::Load(command) => run_load(*command),
        Command::Lab(args) => lab::run(args).unwrap_or_else(|error| {
            fail(&error.to_string());
            ExitCode::from(error.exit_code())
        }),
        Command::Completions(args) => finish(help::completions::<Cli>(&args)),
        Command::Man(args) => finish(help::man::<Cli>(&args)),
    }
}

fn run_load(command: LoadCommand) -> ExitCode {
    let result = match command.experiment {
        None => ::load::run(command.server),
        Some(LoadExperiment::Programs(args)) => match RegionDoor::open(&args.ways) {
            Ok(mut door) => ::load::programs::run(&args, &mut door),
            Err(message) => return fail(&message),
        },
        Some(LoadExperiment::Group(args)) => {
            ::load::group::run(&args, || group_door::open(&args.folder, &args.group, args.idempotent))
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            fail(&error.to_string());
            ExitCode::from(error.exit_code())
        }
    }
}

/// The exit code of a command to a running gateway.
fn operated(result: Result<ExitCode, Trouble>) -> ExitCode {
    result.unwrap_or_else(|trouble| {
        fail(&trouble.message);
        trouble.exit_code()
    })
}

fn finish(result: Result<(), String>) -> ExitCode {
    result.map_or_else(|message| fail(&message), |()| ExitCode::SUCCESS)
}

pub(crate) fn fail(message: &str) -> ExitCode {
    eprintln!("gantry: {message}");
    ExitCode::FAILURE
}

pub(crate) fn files(place: &WhereArgs) -> Result<Files, String> {
    match &place.example {
        Some(name) => crate::examples::files(name),
        None if place.folder.is_dir() => Ok(Files::at(place.folder.clone())),
        None => Err(no_folder(&place.folder)),
    }
}

/// Why a path is not a configuration folder.
pub(crate) fn no_folder(path: &Path) -> String {
    match path.metadata() {
        Ok(_) => format!("{} is not a folder", path.display()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            format!("{} does not exist", path.display())
        }
        Err(error) => format!("{}: {error}", path.display()),
    }
}

fn run_soap(command: &SoapCommand) -> ExitCode {
    match command {
        SoapCommand::Assistant(command) => {
            soap_commands::run(command).unwrap_or_else(|message| fail(&message))
        }
        SoapCommand::Scan(ScanArgs { folder: Some(folder), .. }) => run_scan(folder),
        SoapCommand::Scan(args) => operator_commands::scan(args).unwrap_or_else(|trouble| {
            fail(&trouble.message);
            trouble.exit_code()
        }),
    }
}

/// Takes new bind files to the shelves of a folder. No gateway need serve it.
fn run_scan(folder: &Path) -> ExitCode {
    match pick_up(&Files::at(folder.to_owned()), problems_of) {
        Ok(scanned) => {
            scanned.iter().for_each(|file| println!("{file}"));
            let refused = scanned.iter().filter(|file| matches!(file.outcome, Outcome::Refused(_))).count();
            let problems = problems_of(&Files::at(folder.to_owned()));
            match () {
                () if problems.error_count() > 0 => report(&problems),
                () if refused > 0 => fail(&format!("{} refused", count(refused, "bind file"))),
                () => ExitCode::SUCCESS,
            }
        }
        Err(message) => fail(&message),
    }
}

/// The faults of a configuration's files.
pub(crate) fn problems_of(files: &Files) -> Problems {
    match load(files) {
        Ok(settings) => settings.warnings,
        Err(problems) => problems,
    }
}

/// Shows all problems: in full for a person, and one line each for programs.
pub(crate) fn report(problems: &Problems) -> ExitCode {
    show(problems);
    fail(&format!("{} in the configuration", count(problems.error_count(), "error")))
}

fn run_example(args: &ExampleArgs) -> ExitCode {
    match (&args.name, &args.folder) {
        (Some(name), Some(folder)) => match crate::examples::copy(name, folder) {
            Ok(written) => {
                let serve = format!("gantry serve {}", terminal::word(folder));
                let (written, serve) = (count(written, "file"), terminal::to_paste(&serve));
                aside!("wrote {written} to {}; try: {serve}", folder.display());
                ExitCode::SUCCESS
            }
            Err(message) => fail(&message),
        },
        _ => {
            print!("{}", crate::examples::list());
            ExitCode::SUCCESS
        }
    }
}

fn run_serve(args: &ServeArgs) -> ExitCode {
    let files = match files(&args.place) {
        Ok(files) => files,
        Err(message) => return fail(&message),
    };
    if let Err(message) = check_overrides(args) {
        return fail(&message);
    }
    // Programs may take minutes to compile. An address that is taken is found before that. The address
    // is released again; another program may still take it.
    if let Err(error) = check_addresses(&files, args) {
        return fail(&error.to_string());
    }
    // A fault here is reported by the loader, or there is no pickup folder.
    let scanned = pick_up(&files, problems_of).unwrap_or_default();
    let before = of_folders(&files);
    let mut settings = match load(&files) {
        Ok(settings) => settings,
        Err(problems) => return report(&problems),
    };
    if args.strict && settings.warnings.faulty_part_count() > 0 {
        return report(&settings.warnings.into_errors());
    }
    start_log(settings.gateway.log.format);
    tell_scanned(&scanned);
    show(&settings.warnings);
    let source = settings.source(files.clone(), None);
    override_addresses(&mut settings, args);
    if let Some(workers) = args.workers {
        if workers > WORKERS_MAX {
            return fail(&format!("--workers: expected at most {WORKERS_MAX} workers, found {workers}"));
        }
        settings.workers = workers.max(1);
    }
    // The servers end when this is dropped.
    let servers = match SampleServers::of(&files) {
        Ok(servers) => servers,
        Err(message) => return fail(&message),
    };
    let mut hints: Vec<String> = hints(&settings, &files).iter().map(|hint| servers.named(hint)).collect();
    // In a folder, the process ids of the servers are not known.
    hints.retain(|hint| !hint.contains("{pid "));
    // Compute it after the last file is read. A file that is read later would look like a change.
    let loaded = (of_folders(&files) == before).then(|| fingerprint(&files, settings.store.path()));
    let source = Source { loaded, is_strict: args.strict, ..source };
    let started = |listening: &[Listening], admin: Option<&Listening>| announce(listening, admin, &hints);
    match serve(settings, source, started) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error.to_string()),
    }
}

/// Checks that the addresses can be had.
fn check_addresses(files: &Files, args: &ServeArgs) -> Result<(), server::Error> {
    let (listeners, admin) = addresses(files);
    let listeners = args.listen.map_or(listeners, |listen| vec![listen]);
    listeners.into_iter().chain(args.admin.or(admin)).try_for_each(server::check_free)
}

/// Checks that the addresses of the command line are those of this machine.
fn check_overrides(args: &ServeArgs) -> Result<(), String> {
    for address in [args.listen, args.admin].into_iter().flatten() {
        if !address.ip().is_loopback() {
            return Err(format!(
                "{address} can be reached from other machines: configure it in gantry.toml as a [[listener]], with tls and an authenticator"
            ));
        }
    }
    Ok(())
}

fn override_addresses(settings: &mut Settings, args: &ServeArgs) {
    if let Some(address) = args.listen {
        let administration = settings.listeners.iter().any(|listener| listener.administration);
        settings.listeners = vec![Listener { administration, ..Listener::plain(address) }];
    }
    if let Some(address) = args.admin {
        settings.admin = Some(Listener::plain(address));
    }
}

/// Parses an address of this machine, with a port.
fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "expected an address with a port, such as 127.0.0.1:2222".to_owned())
}

/// Operations that are listed at the start; the documents have all.
const OPERATIONS_SHOWN_MAX: usize = 10;

/// Hints for a first try: for each API, where its documents are; for the examples, requests to paste; else
/// the operations.
fn hints(settings: &Settings, files: &Files) -> Vec<String> {
    let mut hints = Vec::new();
    // An example brings them, also where it was written to a folder.
    let requests = files.read("try.txt").ok();
    if let Some(text) = &requests {
        hints.extend(text.lines().map(str::to_owned));
    }
    // If an example's hints log in, its documents need the login, too.
    let logs_in = hints.iter().any(|hint| hint.contains("-c cookies.txt"));
    for LoadedApi { api, guard, .. } in &settings.gateway.apis {
        let known = match () {
            () if logs_in => " -b cookies.txt".to_owned(),
            () if guard.access.requires_auth() => settings.gateway.security.curl_credentials(),
            () => String::new(),
        };
        let paths = api.documents().iter().map(|document| percent::path_escaped(&document.path));
        hints.extend(paths.map(|path| match path.contains('?') {
            // Shells treat a question mark as a pattern.
            true => format!("curl -s{known} '{{url}}{path}'"),
            false => format!("curl -s{known} {{url}}{path}"),
        }));
    }
    if requests.is_none() {
        hints.extend(operations(settings));
    }
    hints
}

/// The first operations, with their URLs, and the credentials that they need: each once, though all operations of a web service have one.
fn operations(settings: &Settings) -> Vec<String> {
    let (mut all, mut known) = (Vec::new(), HashSet::new());
    // The requests of messaging REST have longer paths, which its document shows.
    let messaging = messaging::ROOT.trim_end_matches('/');
    let apis = settings.gateway.apis.iter();
    let guarded = apis.flat_map(|loaded| loaded.api.operations().iter().zip(&loaded.guard.operations));
    for (operation, guard) in guarded {
        if operation.path() == messaging {
            continue;
        }
        let mut line = format!("{} {{url}}{}", operation.method(), percent::path_escaped(operation.path()));
        let credentials = settings.gateway.security.curl_credentials_for(guard);
        if !credentials.is_empty() {
            line.push_str(&format!("   (curl{credentials})"));
        }
        if known.insert(line.clone()) {
            all.push(line);
        }
    }
    let left = all.len().saturating_sub(OPERATIONS_SHOWN_MAX);
    all.truncate(OPERATIONS_SHOWN_MAX);
    if left > 0 {
        all.push(format!("and {left} more"));
    }
    all
}

fn announce(listening: &[Listening], admin: Option<&Listening>, hints: &[String]) {
    let mut lines: Vec<String> =
        listening.iter().map(|listener| format!("gantry serves on {}", url(listener))).collect();
    let admin_url = admin.map(near_url).unwrap_or_default();
    if let Some(admin) = admin {
        let admin = url(admin);
        lines.push(format!("metrics and health on {admin}/metrics, {admin}/health"));
    }
    if let Some(first) = listening.first().filter(|_| !terminal::is_quiet() && !hints.is_empty()) {
        lines.push("\nTry:".to_owned());
        lines.extend(hints.iter().map(|hint| {
            let hint = hint.replace("{url}", &near_url(first)).replace("{admin}", &admin_url);
            format!("  {}", terminal::to_paste(&hint))
        }));
    }
    lines.push(if terminal::is_quiet() { "\n" } else { "\nCtrl-C ends it.\n" }.to_owned());
    // Perhaps nobody reads it. Serve nevertheless.
    let _ = std::io::stdout().write_all(lines.join("\n").as_bytes());
    let _ = std::io::stdout().flush();
}

fn url(listener: &Listening) -> String {
    url_at(listener, listener.address)
}

/// The URL by which callers on this machine reach a listener. One that listens on all addresses has that of this machine, too.
fn near_url(listener: &Listening) -> String {
    let mut address = listener.address;
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    url_at(listener, address)
}

fn url_at(listener: &Listening, address: SocketAddr) -> String {
    format!("{}://{address}", if listener.tls { "https" } else { "http" })
}

/// The log level if RUST_LOG is not set.
fn usual_level() -> &'static str {
    match () {
        () if terminal::is_quiet() => "warn",
        () if terminal::is_verbose() => "debug",
        () => "info",
    }
}

/// Starts the log on standard error. RUST_LOG chooses the lines (`RUST_LOG=debug` shows every
/// failed request).
fn start_log(format: LogFormat) {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(usual_level()));
    // rmcp logs every message with its values. We log its calls like any other call.
    let quiet = "rmcp=error".parse().expect("a directive");
    let filter = if filter.to_string().contains("rmcp") { filter } else { filter.add_directive(quiet) };
    // Without this, a closed standard error makes it print an error and panic.
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .log_internal_errors(false);
    match format {
        LogFormat::Text => log.with_ansi(terminal::has_colour()).init(),
        LogFormat::Json => log.json().flatten_event(true).with_span_list(false).init(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_to_try_name_an_address_that_can_be_reached() {
        for (address, expected) in [
            ("0.0.0.0:80", "http://127.0.0.1:80"),
            ("[::]:80", "http://[::1]:80"),
            ("192.0.2.1:80", "http://192.0.2.1:80"),
        ] {
            let listener = Listening { address: address.parse().expect("an address"), tls: false };
            assert_eq!(near_url(&listener), expected);
        }
    }
}
