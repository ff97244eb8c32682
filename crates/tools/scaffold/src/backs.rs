//! The back of a service: its section, and the files that it needs.

use std::path::Path;

use codepage::{CodePage, Family};
use toml::Value;

use crate::containers::{Channel, Container};
use crate::messages::{DEAD_LETTERS, QUEUE_NAME_MAX};
use crate::sources::{self, SourceFile};
use crate::texts::{Plan, quoted};
use crate::{BackArgs, PROGRAM_CCSID};

/// The back of a service.
pub(crate) enum Back {
    /// A simulated provider, which answers with the request's record.
    Simulated,
    /// A program: its source, and its channel. A program with a commarea has no channel.
    Program(SourceFile, Option<Channel>),
    /// A queue.
    Queue(String),
    /// A group of TCP servers, and their addresses.
    Group(String, Vec<String>),
    /// A server over HTTP.
    Http(Url),
}

/// The parts of a URL.
pub(crate) struct Url {
    origin: String,
    path: String,
    /// True for another machine without TLS.
    is_plain: bool,
}

/// The suffix for the queue of replies.
const REPLY: &str = ".REPLY";

/// The longest name of a program.
const PROGRAM_NAME_MAX: usize = 8;

/// Looks whether a program can have the name of its file.
///
/// # Errors
/// It cannot, with what to do.
pub(crate) fn check_program_name(path: &Path) -> Result<(), String> {
    let name = path.file_stem().unwrap_or_default().as_encoded_bytes();
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || b"@#$".contains(byte);
    match (1..=PROGRAM_NAME_MAX).contains(&name.len()) && name.iter().all(is_letter) {
        true => Ok(()),
        false => Err(format!(
            "{}: the name of the file is that of the program, and has 1 to {PROGRAM_NAME_MAX} letters, digits, @, # and $: \
             rename the file",
            path.display()
        )),
    }
}

impl Back {
    /// Makes a back of the arguments.
    ///
    /// # Errors
    ///
    /// A name or an address is not valid.
    pub(crate) fn new(args: &BackArgs) -> Result<Self, String> {
        if let Some(path) = &args.program {
            check_program_name(path)?;
            return Ok(Self::Program(
                SourceFile { path: path.clone(), copybooks: args.copybooks.clone(), ..SourceFile::default() },
                None,
            ));
        }
        if let Some(queue) = &args.queue {
            return match is_queue_name(queue, QUEUE_NAME_MAX - REPLY.len()) {
                true => Ok(Self::Queue(queue.clone())),
                false => Err(format!(
                    "--queue: expected 1 to {} letters, digits, '.', '_', '/' and '%', found '{queue}'",
                    QUEUE_NAME_MAX - REPLY.len()
                )),
            };
        }
        if let Some(group) = &args.group {
            let fits = (1..=8).contains(&group.len()) && group.chars().all(|c| c.is_ascii_alphanumeric());
            return match fits {
                true => Ok(Self::Group(group.clone(), args.server.clone())),
                false => Err(format!("--group: expected 1 to 8 letters and digits, found '{group}'")),
            };
        }
        match &args.http {
            Some(url) => {
                let url =
                    Url::new(url, args.allow_plaintext).map_err(|reason| format!("--http: {reason}"))?;
                Ok(Self::Http(url))
            }
            None => Ok(Self::Simulated),
        }
    }

    pub(crate) fn is_program(&self) -> bool {
        matches!(self, Self::Program(..))
    }

    /// `[provider]` of the service, with `[http]` if needed.
    pub(crate) fn section(&self, plan: &Plan<'_>) -> String {
        let name = plan.name;
        match self {
            Self::Simulated => {
                "# It answers with the record that it got. Put your program, queue or server here.\n\
                 [provider]\nkind = \"simulated\"\nanswer = \"echo\"\n"
                    .to_owned()
            }
            Self::Program(file, channel) => {
                let program = program_name(&file.path);
                let channel = channel.as_ref().map(|channel| channel_keys(channel, plan));
                format!(
                    "[provider]\nkind = \"program\"\nprogram = {}\n{}",
                    quoted(&program),
                    channel.unwrap_or_default()
                )
            }
            Self::Queue(queue) => format!(
                "[provider]\nkind = \"queue\"\ndestination = {}\nreply_destination = {}\nwait_ms = 5000\n",
                quoted(queue),
                quoted(&format!("{queue}{REPLY}"))
            ),
            Self::Group(group, _) => format!("[provider]\nkind = \"group\"\ngroup = {}\n", quoted(group)),
            Self::Http(url) => format!(
                "[provider]\nkind = \"http\"\nconnection = {}\n\n[http]\nmethod = \"POST\"\npath = {}\n",
                quoted(name),
                quoted(&url.path)
            ),
        }
    }

    /// The part that is missing before the first call can get an answer.
    pub(crate) fn lack(&self) -> Option<String> {
        match self {
            Self::Queue(queue) => Some(format!(
                "a program or a [[queue_manager.listener]] that answers: it gets the requests from {queue} and puts replies on \
                 {queue}{REPLY}. Until then each call ends with BAQR0405I after 5 s"
            )),
            _ => None,
        }
    }

    /// Its sections of `gantry.toml`.
    pub(crate) fn settings(&self, plan: &Plan<'_>) -> String {
        match self {
            Self::Queue(queue) => {
                let queues = [queue.clone(), format!("{queue}{REPLY}"), DEAD_LETTERS.to_owned()]
                    .map(|queue| format!("\n[[queue_manager.queue]]\nname = {}\n", quoted(&queue)));
                format!(
                    "\n[store]\npath = {}\n\n[queue_manager]\nname = \"QM1\"\ndead_letter_queue = {}\n{}",
                    store(plan),
                    quoted(DEAD_LETTERS),
                    queues.concat()
                )
            }
            Self::Program(file, _) => {
                let stored = plan.used.sections(&program_name(&file.path), plan.name);
                match stored.is_empty() {
                    true => region(plan),
                    false => format!("{}\n[store]\npath = {}\n{stored}", region(plan), store(plan)),
                }
            }
            _ => String::new(),
        }
    }

    /// The files that it needs, by their paths.
    ///
    /// # Errors
    /// A program cannot be read or translated.
    pub(crate) fn files(&self, plan: &Plan<'_>) -> Result<Vec<(String, Vec<u8>)>, String> {
        Ok(match self {
            Self::Simulated | Self::Queue(_) => Vec::new(),
            Self::Program(file, _) => sources::program(file)?,
            Self::Group(group, servers) => {
                let endpoints = servers.iter().enumerate().map(|(index, server)| {
                    let name = format!("SERVER{}", index + 1);
                    format!("\n[[endpoint]]\nname = {}\ndestination = {}\n", quoted(&name), quoted(server))
                });
                let text = format!("framing = \"length\"\n{}", endpoints.collect::<String>());
                vec![(format!("endpoints/{group}.toml"), text.into_bytes())]
            }
            Self::Http(url) => {
                let text = url.connection_to(&url.origin);
                vec![(format!("connections/{}.toml", plan.name), text.into_bytes())]
            }
        })
    }
}

/// The name of the program in a source.
fn program_name(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().to_ascii_uppercase()
}

/// True if a queue may have this name.
pub(crate) fn is_queue_name(name: &str, max: usize) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._/%".contains(c);
    (1..=max).contains(&name.len()) && name.chars().all(fits)
}

/// `[region]`, if the records are in another page of programs than a region has without it.
fn region(plan: &Plan<'_>) -> String {
    let page = CodePage::by_ccsid(plan.ccsid).filter(|page| page.family() == Family::Ascii);
    match page {
        Some(page) if page.ccsid() != PROGRAM_CCSID => format!("\n[region]\nccsid = {}\n", page.ccsid()),
        _ => String::new(),
    }
}

/// The keys of a program with a channel.
fn channel_keys(channel: &Channel, plan: &Plan<'_>) -> String {
    let mut text = format!("channel = {}\n", quoted(&channel.name));
    // Containers that one record cannot stand for have sections of their own.
    for (key, way, containers) in [
        ("request_container", plan.request, &channel.request),
        ("response_container", plan.response, &channel.response),
    ] {
        if let (Some(_), Some(Container { name, .. })) = (way.record(), containers.first()) {
            text.push_str(&format!("{key} = {}\n", quoted(name)));
        }
    }
    if channel.gets_context {
        text.push_str("use_context_containers = true\n");
    }
    if channel.puts_status {
        text.push_str("use_http_status = true\n");
    }
    text
}

/// The path of the store.
fn store(plan: &Plan<'_>) -> String {
    quoted(&format!(".gantry/{}.store", plan.name))
}

impl Url {
    /// Reads a URL.
    ///
    /// # Errors
    ///
    /// The text is not a URL of a server. Or it is a server on another machine without TLS, and
    /// this is not allowed.
    pub(crate) fn new(text: &str, allow_plaintext: bool) -> Result<Self, String> {
        let wrong = || format!("expected http://HOST[:PORT]/PATH or https, found '{text}'");
        let (scheme, rest) = text.split_once("://").ok_or_else(wrong)?;
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        if !matches!(scheme, "http" | "https") || host.is_empty() || path.contains(['?', '#', '{']) {
            return Err(wrong());
        }
        let is_here = ["localhost", "127.0.0.1", "[::1]"]
            .iter()
            .any(|here| host == *here || host.strip_prefix(here).is_some_and(|rest| rest.starts_with(':')));
        let is_plain = scheme == "http" && !is_here;
        if is_plain && !allow_plaintext {
            return Err(format!(
                "expected https for another machine, or --allow-plaintext for one without TLS, found '{text}'"
            ));
        }
        Ok(Self { origin: format!("{scheme}://{host}"), path: format!("/{path}"), is_plain })
    }

    /// The file of a connection to this URL, with its path.
    pub(crate) fn connection(&self) -> String {
        self.connection_to(&format!("{}{}", self.origin, self.path.trim_end_matches('/')))
    }

    fn connection_to(&self, url: &str) -> String {
        let plain = if self.is_plain { "allow_plaintext = true\n" } else { "" };
        format!("url = {}\n{plain}", quoted(url))
    }
}

/// A text in the form of TOML.
pub(crate) fn toml_text(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}
