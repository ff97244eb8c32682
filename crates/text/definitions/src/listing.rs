//! What LIST of DFHCSDUP prints with OBJECTS: the resources of the CSD with all their attributes.
//!
//! The first column may have a character for the printer. A resource begins there or right behind it, as
//! `FILE(ACCT)   GROUP(BANK)`. Its attributes follow in any number of lines, under headings. Attributes
//! without a value have empty parentheses.

use std::sync::Arc;

use crate::cards::Line;
use crate::csd::{self, Definition};
use crate::limits::Limits;
use crate::place::Fault;

/// Characters in the first column that move the paper.
const PAPER: &[char] = &[' ', '-', '0', '1', '+'];

/// True if lines are such a listing.
pub(crate) fn is_listing(lines: &[Line<'_>]) -> bool {
    lines.iter().any(|(_, line)| is_resource(line))
}

/// Reads the resources of a listing.
///
/// # Errors
/// More than a limit.
pub(crate) fn read(file: &Arc<str>, lines: &[Line<'_>], limits: &Limits) -> Result<Vec<Definition>, Fault> {
    let mut resources: Vec<Vec<Line<'_>>> = Vec::new();
    // Lines of no resource: they stand in front of the first one, or below the heading of a group or list.
    let mut is_outside = true;
    for (number, line) in lines {
        if is_resource(line) {
            resources.push(Vec::new());
            is_outside = false;
        }
        is_outside |= is_heading(line);
        if let Some(resource) = resources.last_mut().filter(|_| !is_outside) {
            resource.push((*number, text(line)));
        }
    }
    let mut definitions = Vec::new();
    for resource in &resources {
        definitions.extend(csd::listed(file, resource, limits)?);
    }
    Ok(definitions)
}

/// A line without the character for the printer.
fn text(line: &str) -> &str {
    line.strip_prefix(PAPER).unwrap_or(line)
}

/// True for the first line of a resource: its kind and name, and nothing but blanks before its group.
fn is_resource(line: &str) -> bool {
    let Some((kind, rest)) = text(line).split_once('(') else { return false };
    let Some((_, rest)) = rest.split_once(')') else { return false };
    csd::is_kind(kind) && rest.starts_with(' ') && rest.trim_start().starts_with("GROUP(")
}

/// True for the line above the resources of a group, and for others with a colon behind their title.
fn is_heading(line: &str) -> bool {
    let title = line.split('(').next().unwrap_or_default();
    title.contains("NAME:")
}
