//! The part of `gantry soap ws2ls` for other crates: the copybooks and the bind file of a program, with the
//! operations that it cannot have.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use assistant::{CharVarying, MappingLevel, Options};
use web_service::{BindFile, Documents, InterfaceKind, Laying, Level, Messages, OPERATIONS_MAX, Problem};
use wsdl::read::{Binding, Name, Operation, Place, Wsdl};

use super::make::{Bound, bind_file, documents, one, problems};
use super::operations::operation_name;
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
    /// The code page of the texts of its messages.
    pub ccsid: u16,
}

/// The files for a program.
#[derive(Debug)]
pub struct Provided {
    /// The copybooks by their names. Beginning and number are those of [`Provider::name`] and of the operation.
    pub copybooks: Vec<(String, String)>,
    /// The bind file.
    pub file: BindFile,
    /// The messages of operations by WSDL, by the places of these in the WSDL.
    pub messages: HashMap<Place, Messages>,
    /// Operations that are left out, each with the reason.
    pub left_out: Vec<(String, String)>,
}

/// How the records of [`provider`] are laid out for the operations of a binding.
#[must_use]
pub fn laying_of_provider(binding: &Binding) -> Laying {
    Laying::of(LEVEL, &options(binding))
}

/// The newest rules: they have all that a WSDL can say.
const LEVEL: Level = Level::CURRENT;

/// The digits of packed numbers without WIDE-COMP3.
const DIGITS: u32 = 18;

fn options(binding: &Binding) -> Options {
    let operations = binding.operations.iter().flatten();
    // Blanks at the end of a text are no part of it.
    Options {
        mapping_level: MappingLevel::V4_3,
        char_varying: CharVarying::Collapse,
        // Compilers have numbers of more digits only if that is asked for.
        wide_comp3: operations.map(Operation::decimal_digits_max).any(|digits| digits > DIGITS),
        ..Options::web_service("")
    }
}

/// Makes copybooks and a bind file of a WSDL that is read. An operation that the program cannot have is left out.
///
/// # Errors
/// No operation is left: all reasons.
pub fn provider(wanted: &Provider<'_>, binding: &Binding, read: &Wsdl) -> Result<Provided, Vec<String>> {
    let request = request(wanted, binding);
    // Checks of one operation look at names alone, and the texts are large.
    let named = Documents { file: read.file.clone(), files: [(read.file.clone(), String::new())].into() };
    let (mut copybooks, mut whole) = (Vec::new(), Bound::default());
    let (mut good, mut left_out) = (0, Vec::new());
    let mut elements = Elements::default();
    for operation in &binding.operations {
        let name = operation_name(operation);
        if good == OPERATIONS_MAX {
            left_out.push((name.to_owned(), format!("a bind file has at most {OPERATIONS_MAX} operations")));
            continue;
        }
        let made = match operation {
            Ok(operation) => one(&request, operation, good + 1).map(|made| (operation, made)),
            Err(faults) => Err(problems(&faults.faults)),
        };
        let made = made.map_err(|problems| told(&problems).join("; ")).and_then(|(operation, made)| {
            let (members, bound) = made;
            let file = bind_file(&request, read, (binding, named.clone()), bound.clone());
            match file.problems().as_slice() {
                [] => elements.take(operation).map(|()| (members, bound)),
                problems => Err(told(problems).join("; ")),
            }
        });
        match made {
            Ok((members, bound)) => {
                good += 1;
                copybooks.extend(members.into_iter().map(|copybook| (copybook.member, copybook.text)));
                whole.add(bound);
            }
            Err(reason) => left_out.push((name.to_owned(), reason)),
        }
    }
    if good == 0 {
        return Err(left_out
            .into_iter()
            .map(|(operation, reason)| format!("{operation}: {reason}"))
            .collect());
    }
    let messages = std::mem::take(&mut whole.messages);
    let file = bind_file(&request, read, (binding, documents(read)), whole);
    match file.problems().as_slice() {
        [] => Ok(Provided { copybooks, file, messages, left_out }),
        problems => Err(told(problems)),
    }
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
        usual_ccsid: wanted.ccsid,
        options: options(binding),
        says_bytes: false,
    }
}
