//! Operations of a binding that somebody asks for by their names.

use wsdl::read::{Binding, Operation, OperationFaults};

/// The most names that a message lists. The others are only counted.
const LISTED_MAX: usize = 50;

/// The name of an operation, whatever is wrong with it.
#[must_use]
pub fn operation_name(operation: &Result<Operation, OperationFaults>) -> &str {
    match operation {
        Ok(operation) => &operation.name,
        Err(faults) => &faults.name,
    }
}

/// The message if a binding lacks some of the wanted operations: these names, the names that were probably
/// meant, and all names of the binding. None if the binding has all of them.
#[must_use]
pub fn unknown_operations(binding: &Binding, wanted: &[String]) -> Option<String> {
    let names: Vec<&str> = binding.operations.iter().map(operation_name).collect();
    let missing = wanted.iter().filter(|wanted| !names.contains(&wanted.as_str()));
    let missing: Vec<String> = missing.map(|wanted| shown(wanted, &names)).collect();
    if missing.is_empty() {
        return None;
    }
    let more = names.len().saturating_sub(LISTED_MAX);
    let listed = match (names[..names.len() - more].join(", "), more) {
        (listed, _) if listed.is_empty() => "none".to_owned(),
        (listed, 0) => listed,
        (listed, more) => format!("{listed} and {more} more"),
    };
    Some(format!("binding {} has no operation {}; it has {listed}", binding.name, missing.join(", ")))
}

/// A name that is unknown, with the one that is most like it.
fn shown(wanted: &str, names: &[&str]) -> String {
    let lower = wanted.to_ascii_lowercase();
    let distance = |known: &str| copybook::edit_distance(&known.to_ascii_lowercase(), &lower);
    let near = names.iter().map(|known| (distance(known), known)).min();
    match near.filter(|(distance, _)| *distance <= wanted.chars().count().div_ceil(3)) {
        Some((_, known)) => format!("'{wanted}' (did you mean '{known}'?)"),
        None => format!("'{wanted}'"),
    }
}
