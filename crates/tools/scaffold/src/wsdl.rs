//! `gantry new --wsdl`: makes a folder from the WSDL of a web service. The folder calls the web
//! service, or answers in its place.
//!
//! The data path: `document` reads the WSDL and its imports, and chooses the binding. Each
//! operation is tried. Operations that Gantry cannot take are listed with the reason. `front`
//! writes services in front of an existing server. `served` writes services that answer here, with
//! or without a program. `rest` writes the API of both, with components by `shared`, and `try_out` the requests to try.

mod document;
mod front;
mod rest;
#[cfg(test)]
mod same_record;
mod served;
mod shared;
mod try_out;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use channel::Interface;
use codepage::Encoding;
use web_service::{InterfaceKind, Laying, Messages, MessagesSection, Problem};
use wsdl::read::{Binding, Operation, OperationFaults, Place};

use crate::backs::check_program_name;
use crate::{NewArgs, Scaffold};
use document::{Document, chosen};

/// The code page of messages that no program here gets. It has all characters of a message.
const CCSID: u16 = 1208;
/// The most reasons that are shown of one operation. The others are only counted.
const REASONS_MAX: usize = 3;
/// The most operations that are named with one reason. The others are only counted.
const NAMED_MAX: usize = 3;

/// Makes the files of a folder from a WSDL.
///
/// # Errors
/// The WSDL or the program cannot be read, a choice is missing, or no operation can be served, with
/// the reason.
pub(crate) fn make(args: &NewArgs, path: &Path, folder: PathBuf) -> Result<Scaffold, String> {
    let document = Document::read(path, args.wsdl_root.as_deref())?;
    let binding = chosen(document.binding(args.binding.as_deref())?, &args.operations)?;
    let binding = binding.as_ref();
    match (&args.back.program, args.soap, &args.back.http) {
        (None, true, Some(_)) => {
            Err("--http URL is for a SOAP server that exists, and --soap answers here: say one of them"
                .to_owned())
        }
        (None, false, _) => front::make(args, &document, binding, folder),
        (None, true, None) => served::simulated(args, &document, binding, folder),
        (Some(program), ..) => {
            check_program_name(program)?;
            served::by_program(args, program, &document, binding, folder)
        }
    }
}

/// An operation that is served.
struct Taken<'w> {
    operation: &'w Operation,
    /// The name of its service and of its path.
    service: String,
    section: MessagesSection,
    messages: Messages,
}

impl Taken<'_> {
    fn request(&self) -> &Interface {
        &self.messages.request
    }

    fn response(&self) -> Option<&Interface> {
        self.messages.response.as_deref()
    }

    /// The file of its service, with a provider and the code page of its texts.
    fn service_file(&self, document: &Document, provider: &str, ccsid: u16) -> String {
        let about = format!("The operation {} of {}", self.operation.name, document.name);
        // It has only names, numbers and words.
        let section = toml::Table::try_from(&self.section).unwrap_or_default();
        let section = toml::Table::from_iter([("messages".to_owned(), toml::Value::Table(section))]);
        format!("description = {}\nccsid = {ccsid}\n\n{provider}\n{section}", crate::texts::quoted(&about))
    }
}

/// How the messages of operations are laid out.
struct Laid<'l> {
    rules: &'l Laying,
    /// The code page of their texts.
    ccsid: u16,
    /// How a program gets them.
    interface: InterfaceKind,
    /// The container of their records; DFHWS-DATA if it is not said.
    container: Option<&'l str>,
}

impl<'l> Laid<'l> {
    /// That of messages which no program gets.
    fn without_program(rules: &'l Laying) -> Self {
        Self { rules, ccsid: CCSID, interface: InterfaceKind::Channel, container: None }
    }
}

/// The operations of a binding that Gantry can take, and the others, each with the reason. `names` has the names of other services,
/// in lower case. `ready` has messages that are compiled so already, by the places of their operations.
///
/// # Errors
/// Gantry can take none. The text has all reasons.
fn taken<'w>(
    document: &Document,
    binding: &'w Binding,
    laid: &Laid<'_>,
    mut names: BTreeSet<String>,
    mut ready: HashMap<Place, Messages>,
) -> Result<(Vec<Taken<'w>>, Vec<String>), String> {
    let ccsid = laid.ccsid;
    let encoding = Encoding::by_ccsid(ccsid).ok_or_else(|| format!("CCSID {ccsid} is not known"))?;
    let (mut taken, mut lacks) = (Vec::new(), Vec::new());
    for operation in &binding.operations {
        let operation = match operation {
            Ok(operation) => operation,
            Err(OperationFaults { name, faults }) => {
                let reasons = faults.iter().map(|fault| format!("{}: {}", fault.place, fault.message));
                lacks.push(lack(name, reasons.collect()));
                continue;
            }
        };
        let section = MessagesSection {
            wsdl: document.path(),
            binding: document.has_other_port_types(binding).then(|| binding.name.clone()),
            operation: operation.name.clone(),
            interface: laid.interface,
            container: laid.container.map(str::to_owned),
            layout: laid.rules.clone(),
        };
        let compiled =
            ready.remove(&operation.place).map_or_else(|| section.of_operation(operation, encoding), Ok);
        match compiled {
            Ok(messages) => {
                let service = service_name(&operation.name, &mut names);
                taken.push(Taken { operation, service, section, messages });
            }
            Err(problems) => {
                let own = format!("operation {}, ", operation.name);
                let reasons = problems.iter().map(Problem::to_string);
                let reasons = reasons.map(|reason| reason.replacen(&own, "", 1)).collect();
                lacks.push(lack(&operation.name, reasons));
            }
        }
    }
    match taken.is_empty() {
        true => Err(none_is_left(document, &lacks)),
        false => Ok((taken, lacks)),
    }
}

/// An operation that is not served, with the reasons.
fn lack(operation: &str, mut reasons: Vec<String>) -> String {
    let more = reasons.len().saturating_sub(REASONS_MAX);
    reasons.truncate(REASONS_MAX);
    if more > 0 {
        reasons.push(format!("and {more} more"));
    }
    format!("{operation}: {}", reasons.join("; "))
}

/// The same operations, those with the same reason in one line. Operations share types, and so the faults of these.
fn together(lacks: Vec<String>) -> Vec<String> {
    let mut of_reason: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for lack in &lacks {
        // No name of an operation has a colon.
        let (operation, reason) = lack.split_once(": ").unwrap_or(("", lack));
        let at = *known.entry(reason).or_insert_with(|| {
            of_reason.push((reason, Vec::new()));
            of_reason.len() - 1
        });
        of_reason[at].1.push(operation);
    }
    let told = of_reason.into_iter().map(|(reason, operations)| {
        let more = operations.len().saturating_sub(NAMED_MAX);
        let named = operations[..operations.len() - more].join(", ");
        match (named.as_str(), more) {
            ("", 0) => reason.to_owned(),
            (named, 0) => format!("{named}: {reason}"),
            (named, more) => format!("{named} and {more} more: {reason}"),
        }
    });
    told.collect()
}

fn none_is_left(document: &Document, lacks: &[String]) -> String {
    match lacks {
        [] => format!("{}: the binding has no operation", document.name),
        lacks => {
            let lines = together(lacks.to_vec()).join("\n        ");
            format!("{}: Gantry can take no operation:\n        {lines}", document.name)
        }
    }
}

/// A unique name for the service of an operation.
fn service_name(operation: &str, names: &mut BTreeSet<String>) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let plain: String = operation.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
    let numbered = (2_u32..).map(|number| format!("{plain}-{number}"));
    // Some file systems ignore the case of names.
    let mut free = std::iter::once(plain.clone()).chain(numbered);
    let name = free.find(|name| !names.contains(&name.to_ascii_lowercase())).unwrap_or(plain);
    names.insert(name.to_ascii_lowercase());
    name
}

/// Adds texts to files.
fn put(files: &mut BTreeMap<String, Vec<u8>>, texts: impl IntoIterator<Item = (String, String)>) {
    files.extend(texts.into_iter().map(|(path, text)| (path, text.into_bytes())));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_have_names_of_their_own() {
        let mut names = BTreeSet::new();
        let mut name = |operation| service_name(operation, &mut names);
        assert_eq!(name("Get.Price"), "Get-Price");
        assert_eq!(name("get-price"), "get-price-2");
        assert_eq!(name("Größe"), "Gr--e");
    }

    #[test]
    fn operations_with_the_same_reason_are_in_one_line() {
        let lacks = ["A: x: y", "B: z", "C: x: y", "alone", "D: x: y", "E: x: y", "F: x: y"];
        assert_eq!(
            together(lacks.map(str::to_owned).to_vec()),
            ["A, C, D and 2 more: x: y", "B: z", "alone"]
        );
    }

    #[test]
    fn many_reasons_are_counted() {
        let reasons = (1..=5).map(|number| number.to_string()).collect();
        assert_eq!(lack("find", reasons), "find: 1; 2; 3; and 2 more");
    }
}
