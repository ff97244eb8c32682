//! The mapping of one operation: `mapping.xml` and the maps that it names, as steps in the words of the API editor.

mod rules;

use crate::archive::Tree;
use crate::fault::{Fault, FaultKind, Notes};
use crate::limits::Limits;
use crate::xml::{self, Element};

pub(crate) use rules::Rules;

/// The mapping of one operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mapping {
    /// None passes all fields through.
    pub(crate) request: Option<Map>,
    pub(crate) responses: Vec<Response>,
    /// The status of the default response, which is used unless a rule chooses another.
    pub(crate) default_status: Option<u16>,
}

/// One of the responses.
#[derive(Clone, Debug)]
pub(crate) struct Response {
    pub(crate) line: usize,
    pub(crate) status: u16,
    pub(crate) description: String,
    /// The rules that choose it; none without rules. A rule that was not understood is an error with its
    /// line.
    pub(crate) rules: Result<Option<Rules>, (usize, String)>,
    /// None passes all fields through.
    pub(crate) map: Option<Map>,
}

/// One direction.
#[derive(Clone, Debug)]
pub(crate) struct Map {
    pub(crate) file: String,
    /// The object around the fields of the service; may be empty.
    pub(crate) wrapper: String,
    pub(crate) steps: Vec<Step>,
}

/// One step of a map.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) line: usize,
    pub(crate) action: Action,
}

/// The action of a step. Fields are paths of JSON names below the object around all fields: `a/b`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// A parameter into a field.
    MoveIn { from: Parameter, field: String, required: bool },
    /// A field into a response header.
    MoveOut { field: String, header: String },
    /// Removes a field from the body.
    Remove { field: String },
    /// Sets a field: always, or if the body does not have it. `text` is true if the field is known to be
    /// text.
    Assign { field: String, value: String, always: bool, text: bool },
    /// Sets a response header.
    AssignHeader { header: String, value: String },
    /// A step without a counterpart.
    Other { what: String },
}

/// A parameter of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// `path`, `query` or `header`.
    pub(crate) place: &'static str,
    pub(crate) name: String,
}

/// The groups of the HTTP message, and our names for their parameters.
const GROUPS: [(&str, &str); 3] =
    [("PathParameters/", "path"), ("QueryParameters/", "query"), ("Headers/", "header")];

impl Mapping {
    pub(crate) fn read(tree: &Tree, file: &str, limits: &Limits, notes: &mut Notes) -> Result<Self, Fault> {
        let root = xml::parse(file, tree.text(file)?, limits)?;
        let wrong =
            |element: &Element, message: String| Fault::at(FaultKind::Content, file, element.line, message);
        if root.name != "ZosConnectServiceMapping" {
            return Err(wrong(&root, format!("expected a ZosConnectServiceMapping, found <{}>", root.name)));
        }
        let status = |element: &Element, text: &str| {
            let number = text.parse::<u16>().ok().filter(|status| (100..=599).contains(status));
            number.ok_or_else(|| wrong(element, format!("'{text}' is not a status of a response")))
        };
        let mut mapping = Self::default();
        if let Some(context) = root.child("mappingContext")
            && let Some(text) = context.filled("defaultResponseCode")
        {
            mapping.default_status = Some(status(context, text)?);
        }
        if let Some(request) = root.child("requestMessage") {
            for child in request.children.iter().filter(|child| child.name != "mappingRootModel") {
                let reason = format!("<{}> of a message is unknown and not imported", child.name);
                notes.add(file, child.line, reason);
            }
            mapping.request = map(tree, file, request, true, limits)?;
        }
        for response in root.all("responseMessages") {
            let text = response.filled("code").unwrap_or("200");
            mapping.responses.push(Response {
                line: response.line,
                status: status(response, text)?,
                description: response.get("description").unwrap_or_default().to_owned(),
                rules: rules::read(response),
                map: map(tree, file, response, false, limits)?,
            });
        }
        Ok(mapping)
    }
}

fn map(
    tree: &Tree,
    file: &str,
    message: &Element,
    request: bool,
    limits: &Limits,
) -> Result<Option<Map>, Fault> {
    let Some(model) = message.child("mappingRootModel") else { return Ok(None) };
    let Some(location) = model.filled("location") else {
        return Err(Fault::at(FaultKind::Content, file, model.line, "a mapping without location"));
    };
    if model.get("type") != Some("MSL") {
        let message = format!("a mapping of type '{}'; MSL is known", model.get("type").unwrap_or_default());
        return Err(Fault::at(FaultKind::Content, file, model.line, message));
    }
    let location = location.replace('\\', "/");
    let root = xml::parse(&location, tree.text(&location)?, limits)?;
    Map::read(&location, &root, request).map(Some)
}

impl Map {
    fn read(file: &str, root: &Element, request: bool) -> Result<Self, Fault> {
        let wrong =
            |element: &Element, message: String| Fault::at(FaultKind::Content, file, element.line, message);
        if root.name != "mappingRoot" {
            return Err(wrong(root, format!("expected a mappingRoot, found <{}>", root.name)));
        }
        let mut map = Self { file: file.to_owned(), wrapper: String::new(), steps: Vec::new() };
        for declaration in root.all("mappingDeclaration") {
            let side = if request { "output" } else { "input" };
            let path = declaration.child(side).and_then(|side| side.filled("path")).unwrap_or_default();
            // The object around the fields of the service.
            let wrapper = path.split_once('/').map_or("", |(_, wrapper)| wrapper);
            wrapper.clone_into(&mut map.wrapper);
            let reader = Reader { file, wrapper, request };
            for element in &declaration.children {
                match element.name.as_str() {
                    "input" | "output" => {}
                    "passthrough" => {
                        for update in element.all("updates").flat_map(|updates| &updates.children) {
                            map.steps.extend(reader.step(update)?);
                        }
                    }
                    _ => map.steps.extend(reader.step(element)?),
                }
            }
        }
        Ok(map)
    }
}

struct Reader<'a> {
    file: &'a str,
    wrapper: &'a str,
    request: bool,
}

impl Reader<'_> {
    /// A step; none for a comment.
    fn step(&self, element: &Element) -> Result<Option<Step>, Fault> {
        let step = |action: Action| Ok(Some(Step { line: element.line, action }));
        let other = |what: &str| step(Action::Other { what: what.to_owned() });
        let output = element.child("output");
        match element.name.as_str() {
            "task" => Ok(None),
            "move" if self.request => {
                let (input, output) = (self.end(element, "input")?, self.end(element, "output")?);
                let from = GROUPS.iter().find_map(|(group, place)| {
                    let name = input.filled("path")?.strip_prefix(group)?;
                    Some(Parameter { place, name: name.to_owned() })
                });
                let Some(from) = from else { return other("a move within the body") };
                let required = input.get("required") == Some("true");
                step(Action::MoveIn { from, field: self.field(output)?, required })
            }
            "move" => {
                let (input, output) = (self.end(element, "input")?, self.end(element, "output")?);
                match header(output) {
                    Some(header) => step(Action::MoveOut { field: self.field(input)?, header }),
                    None => other("a move within the body"),
                }
            }
            "remove" => match output {
                Some(output) if header(output).is_some() => Ok(None),
                Some(output) => step(Action::Remove { field: self.field(output)? }),
                None => other("a remove without a field"),
            },
            "assign" => {
                let output = self.end(element, "output")?;
                let value = element.get("value").unwrap_or_default().to_owned();
                match header(output) {
                    Some(header) if !self.request => step(Action::AssignHeader { header, value }),
                    Some(_) => other("a value for a header of the request"),
                    None if self.request => {
                        let always = output.get("omitFromInterface") == Some("true");
                        let kind = output.get("xsdBuiltInOrDerivedSimpleType").unwrap_or_default();
                        let text = kind.ends_with(":string");
                        step(Action::Assign { field: self.field(output)?, value, always, text })
                    }
                    None => other("a value for a field of the response"),
                }
            }
            name => other(&format!("the step <{name}>")),
        }
    }

    fn end<'e>(&self, element: &'e Element, side: &str) -> Result<&'e Element, Fault> {
        element.child(side).ok_or_else(|| {
            let message = format!("<{}> without <{side}>", element.name);
            Fault::at(FaultKind::Content, self.file, element.line, message)
        })
    }

    /// The path of a field below the object around all fields.
    fn field(&self, end: &Element) -> Result<String, Fault> {
        let path = end.filled("path").unwrap_or_default();
        let path = match path.strip_prefix("Body/") {
            Some(rest) if self.wrapper.is_empty() => rest.split_once('/').map_or("", |(_, rest)| rest),
            Some(rest) => {
                rest.strip_prefix(self.wrapper).and_then(|rest| rest.strip_prefix('/')).unwrap_or(rest)
            }
            None => path,
        };
        if path.is_empty()
            || path == "."
            || path.split('/').any(|part| part.is_empty() || part.starts_with('$'))
        {
            let message = format!("'{}' is the path of no field", end.get("path").unwrap_or_default());
            return Err(Fault::at(FaultKind::Content, self.file, end.line, message));
        }
        Ok(path.to_owned())
    }
}

fn header(end: &Element) -> Option<String> {
    let path = end.filled("path")?;
    let name = path.strip_prefix("Headers/")?;
    (!name.is_empty()).then(|| name.to_owned())
}
