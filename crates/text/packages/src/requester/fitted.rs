//! Existing copybooks of programs that DFHJS2LS has made from the same schemas. If they equal ours, the
//! schemas can lay the operation's structures out, with their lengths, counters and floating point.

use assistant::{CharVarying, Floats, MappingLevel, Options, Source};
use copybook::Kind;

use super::Operation;
use crate::fault::{Fault, FaultKind};
use crate::{Given, GivenCopybook};

/// The layout choices for given copybooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fitted {
    /// The most elements of an array that is a table.
    pub(crate) inline_max_occurs: u64,
    /// COMP-1 and COMP-2 are on their boundaries.
    pub(crate) synchronized_floats: bool,
}

/// The choices to try, in this order: the tools' defaults, all arrays as tables, and floating point without
/// boundaries.
const CHOICES: [Fitted; 4] = [
    Fitted { inline_max_occurs: 1, synchronized_floats: true },
    Fitted { inline_max_occurs: 32_767, synchronized_floats: true },
    Fitted { inline_max_occurs: 1, synchronized_floats: false },
    Fitted { inline_max_occurs: 32_767, synchronized_floats: false },
];

/// The relation of a copybook to its schema.
enum Fit {
    /// The layout that DFHJS2LS makes with each of these choices.
    Structure(Vec<Fitted>),
    /// Another layout without fields that only DFHJS2LS has: a record.
    Record,
}

/// The layout choices for the structures of an operation; none if no copybook was given, or the given ones
/// are for records.
///
/// # Errors
/// A copybook is of neither kind, or there are more schemas than one structure can have.
pub(crate) fn fitted(operation: &Operation, given: &Given) -> Result<Option<Fitted>, Vec<Fault>> {
    let request = operation.request.as_ref().map(|schema| ("REQUEST", schema));
    let mut responses =
        operation.responses.iter().filter_map(|response| Some(("RESPONSE", response.schema.as_ref()?)));
    let response = responses.next();
    let mut choices = CHOICES.to_vec();
    let (mut found, mut records, mut faults) = (false, false, Vec::new());
    for (side, schema) in request.into_iter().chain(response) {
        let Some(copybook) = given.copybook(&operation.name, side) else { continue };
        match fit(operation, copybook, schema) {
            Ok(Fit::Structure(fitting)) => {
                found = true;
                choices.retain(|choice| fitting.contains(choice));
            }
            Ok(Fit::Record) => records = true,
            Err(message) => faults.push(Fault::new(FaultKind::Content, &copybook.file, message)),
        }
    }
    let wrong = |message: &str| {
        let message = format!("{}: {message}", operation.name);
        Err(vec![Fault::new(FaultKind::Content, &operation.file, message)])
    };
    match (found, records, choices.first()) {
        _ if !faults.is_empty() => Err(faults),
        (false, ..) => Ok(None),
        (true, true, _) => {
            wrong("one copybook is of DFHJS2LS and the other is a record; give both of one kind")
        }
        (true, false, _) if responses.next().is_some() => {
            wrong("copybooks of DFHJS2LS fit one response with a body; this operation has several")
        }
        (true, false, Some(choice)) => Ok(Some(*choice)),
        (true, false, None) => {
            wrong("arrays or floating point of the two copybooks are laid out in different ways")
        }
    }
}

fn fit(operation: &Operation, given: &GivenCopybook, schema: &str) -> Result<Fit, String> {
    let own = fields(&given.text)?;
    let mut difference = None;
    let mut fitting = Vec::new();
    for choice in CHOICES {
        let options = Options {
            mapping_level: MappingLevel::V5_0,
            char_varying: CharVarying::Yes,
            inline_max_occurs: choice.inline_max_occurs,
            floats: match choice.synchronized_floats {
                true => Floats::Synchronized,
                false => Floats::Float,
            },
            ..Options::assistant("GIVEN")
        };
        let Ok(made) = assistant::from_json(schema, &Source::Schema, &options) else { continue };
        let made = fields(&made.text)?;
        match (0..own.len().max(made.len())).find(|at| own.get(*at).map(place) != made.get(*at).map(place)) {
            None => fitting.push(choice),
            Some(at) => difference = difference.or_else(|| Some(told(own.get(at), made.get(at)))),
        }
    }
    if !fitting.is_empty() {
        return Ok(Fit::Structure(fitting));
    }
    let of_assistant = |field: &&Field| {
        field.name.ends_with("-LENGTH") || field.name.ends_with("-NUM") || field.kind == "Float"
    };
    match own.iter().find(of_assistant) {
        None => Ok(Fit::Record),
        Some(field) => {
            let difference = difference.unwrap_or_else(|| "no layout of the schema fits".to_owned());
            Err(format!(
                "the copybook has {}, as DFHJS2LS makes it, but is not what it makes of the schema of {}: {difference}; \
                 leave it out and use the copybook that import makes",
                field.name, operation.name
            ))
        }
    }
}

/// An elementary field of a copybook.
struct Field {
    name: String,
    offset: usize,
    bytes: usize,
    rows: usize,
    kind: String,
}

/// The facts that must be equal. Names are the program's own.
fn place(field: &Field) -> (usize, usize, usize, &str) {
    (field.offset, field.bytes, field.rows, &field.kind)
}

fn told(own: Option<&Field>, made: Option<&Field>) -> String {
    let shown = |field: Option<&Field>| match field {
        Some(Field { name, offset, bytes, .. }) => format!("{name} at {offset} with {bytes} bytes"),
        None => "nothing more".to_owned(),
    };
    format!("expected {}, found {}", shown(made), shown(own))
}

/// The elementary fields of the only structure of a text. Structures of API requesters begin below level 01.
fn fields(text: &str) -> Result<Vec<Field>, String> {
    let options = copybook::Options::default();
    let whole = format!("       01  GIVEN.\n{text}");
    let parsed = copybook::parse("copybook", text, &options).ok();
    let is_record = |level: u8| level == 1;
    let parsed = match parsed {
        Some(parsed)
            if parsed
                .layouts
                .iter()
                .all(|layout| layout.fields().iter().any(|field| is_record(field.level))) =>
        {
            parsed
        }
        _ => copybook::parse("copybook", &whole, &options)
            .map_err(|found| found.first().map_or_else(String::new, |diagnostic| diagnostic.to_string()))?,
    };
    let [layout] = parsed.layouts.as_slice() else {
        return Err(format!("the copybook has {} structures; expected one", parsed.layouts.len()));
    };
    let elementary = layout.iter().filter(|(_, field)| field.kind != Kind::Group);
    let fields = elementary.map(|(_, field)| Field {
        name: field.name.clone(),
        offset: field.offset,
        bytes: field.bytes,
        rows: field.occurs.as_ref().map_or(1, |occurs| occurs.max as usize),
        kind: format!("{:?}", field.kind),
    });
    Ok(fields.collect())
}
