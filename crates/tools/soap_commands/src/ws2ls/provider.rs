//! What others need of `gantry soap ws2ls`: the copybooks and the bind file of a program, with the operations that it cannot have.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use assistant::{CharVarying, MappingLevel, Options};
use web_service::{BindFile, InterfaceKind, Laying, Level, OPERATIONS_MAX, Problem};
use wsdl::read::{Binding, Files, Name, Operation};

use super::make::{Made, make_of, read};
use super::request::Request;

/// The most characters of a copybook's name before the letter that tells requests from responses.
const MEMBER_CHARACTERS_MAX: usize = 5;

/// A program that answers the operations of a binding.
#[derive(Clone, Debug)]
pub struct Provider<'a> {
    /// The name of the web service.
    pub name: &'a str,
    /// The program.
    pub program: &'a str,
    /// How the program gets its records.
    pub interface: InterfaceKind,
    /// The container of the record of a program with a channel; DFHWS-DATA if it is not said.
    pub container: Option<String>,
    /// The path of the web service.
    pub path: &'a str,
}

/// What was made for a program.
#[derive(Debug)]
pub struct Provided {
    /// The copybooks by their names. Beginning and number are those of [`Provider::name`] and of the operation.
    pub copybooks: Vec<(String, String)>,
    /// The bind file.
    pub file: BindFile,
    /// Operations that are left out, each with the reason.
    pub left_out: Vec<(String, String)>,
}

/// How the records of [`provider`] are laid out.
#[must_use]
pub fn laying_of_provider() -> Laying {
    Laying::of(LEVEL, &options())
}

/// The newest rules: they have all that a WSDL can say.
const LEVEL: Level = Level::CURRENT;

fn options() -> Options {
    // Blanks at the end of a text are no part of it.
    Options {
        mapping_level: MappingLevel::V4_3,
        char_varying: CharVarying::Collapse,
        ..Options::web_service("")
    }
}

/// Makes copybooks and a bind file. An operation that the program cannot have is left out.
///
/// # Errors
/// The WSDL cannot be read, or no operation is left: all reasons.
pub fn provider(
    wanted: &Provider<'_>,
    binding: &Binding,
    (name, bytes): (&str, &[u8]),
    files: &mut Files<'_>,
) -> Result<Provided, Vec<String>> {
    let mut request = request(wanted, binding);
    let read = read(name, bytes.to_vec(), files).map_err(|problems| told(&problems))?;
    let of = |request: &Request| outcome(make_of(request, &read));
    let (mut good, mut left_out) = (Vec::new(), Vec::new());
    let mut elements = Elements::default();
    for operation in &binding.operations {
        let name = match operation {
            Ok(operation) => &operation.name,
            Err(faults) => &faults.name,
        };
        if good.len() == OPERATIONS_MAX {
            left_out.push((name.clone(), format!("a bind file has at most {OPERATIONS_MAX} operations")));
            continue;
        }
        request.operations = vec![name.clone()];
        let made = of(&request).map_err(|reasons| reasons.join("; "));
        let made = made.and_then(|_| operation.as_ref().map_or(Ok(()), |operation| elements.take(operation)));
        match made {
            Ok(()) => good.push(name.clone()),
            Err(reason) => left_out.push((name.clone(), reason)),
        }
    }
    if good.is_empty() {
        return Err(left_out
            .into_iter()
            .map(|(operation, reason)| format!("{operation}: {reason}"))
            .collect());
    }
    request.operations = good;
    let (copybooks, file) = of(&request)?;
    Ok(Provided { copybooks, file, left_out })
}

/// The elements of requests, with the operations that have them. A web service tells its operations apart by these elements.
#[derive(Default)]
pub struct Elements<'w>(HashMap<&'w Name, &'w str>);

impl<'w> Elements<'w> {
    /// Adds the element of an operation.
    ///
    /// # Errors
    /// Another operation has it already.
    pub fn take(&mut self, operation: &'w Operation) -> Result<(), String> {
        let Some(element) = &operation.request else { return Ok(()) };
        match self.0.entry(&element.name) {
            Entry::Vacant(free) => {
                free.insert(&operation.name);
                Ok(())
            }
            Entry::Occupied(other) => Err(format!(
                "operation '{}' has the same element, and a web service tells its operations apart by their elements",
                other.get()
            )),
        }
    }
}

/// Copybooks with their names, and the bind file.
type Texts = (Vec<(String, String)>, BindFile);

/// The bind file and its copybooks; without a bind file, the warnings say why.
fn outcome(made: Result<Made, Vec<Problem>>) -> Result<Texts, Vec<String>> {
    let made = made.map_err(|problems| told(&problems))?;
    let Some(file) = made.file else { return Err(told(&made.obstacles)) };
    // What is wrong with its texts is told here, and not when it is picked up.
    file.write().map_err(|problems| told(&problems))?;
    Ok((made.copybooks.into_iter().map(|copybook| (copybook.member, copybook.text)).collect(), file))
}

fn told(problems: &[Problem]) -> Vec<String> {
    problems.iter().map(ToString::to_string).collect()
}

fn request(wanted: &Provider<'_>, binding: &Binding) -> Request {
    let start: String = wanted
        .name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(MEMBER_CHARACTERS_MAX)
        .collect::<String>()
        .to_ascii_uppercase();
    Request {
        wsdl: String::new(),
        wsbind: format!("{}.wsbind", wanted.name),
        request_member: format!("{start}Q"),
        response_member: Some(format!("{start}A")),
        library: None,
        log: None,
        program: Some(wanted.program.to_owned()),
        interface: wanted.interface,
        container: wanted.container.clone(),
        uri: Some(wanted.path.to_owned()),
        binding: Some(binding.name.clone()),
        service: None,
        operations: Vec::new(),
        level: LEVEL,
        minimum_runtime_level: LEVEL,
        transaction: None,
        ccsid: None,
        options: options(),
        says_bytes: false,
    }
}
