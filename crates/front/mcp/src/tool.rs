//! One operation as a tool: its definition, and where each argument goes.

use std::collections::HashSet;

use api::{OperationDescription, ParameterDescription, Source, Style};
use http::{HeaderName, Method};

use crate::members::{self, quoted};
use crate::names::{clean, distinct};
use crate::schema::{self, Property};

/// The choices of the configuration for a tool.
#[derive(Clone, Debug, Default)]
pub struct Presentation {
    /// Its name, unique among all tools.
    pub name: String,
    /// The description for models, in place of the operation's own texts.
    pub description: Option<String>,
    /// Whether it changes nothing, where the method does not tell: many programs are asked by POST.
    pub read_only: Option<bool>,
}

/// An operation that can be called as a tool.
#[derive(Debug)]
pub struct Tool {
    pub(crate) name: String,
    definition: String,
    pub(crate) method: Method,
    template: String,
    pub(crate) path: Vec<Piece>,
    pub(crate) inputs: Vec<Input>,
}

/// A piece of a path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Literal(String),
    /// The place of the input among all.
    Input(usize),
}

/// An argument and where it goes.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) name: String,
    pub(crate) place: Place,
    /// How the text of a parameter holds its value.
    pub(crate) style: Style,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Path,
    Query(String),
    Header(HeaderName),
    Body,
}

/// The name of the argument that is the request's body.
const BODY: &str = "body";

impl Tool {
    /// Compiles a tool. Header parameters that are among `withheld` are no arguments: the headers that say who calls
    /// come from the caller's own request.
    #[must_use]
    pub fn new(
        operation: &OperationDescription,
        presentation: &Presentation,
        withheld: &[HeaderName],
    ) -> Self {
        let (inputs, properties) = inputs(operation, withheld);
        Self {
            name: presentation.name.clone(),
            definition: definition(operation, presentation, &properties),
            method: operation.method.clone(),
            template: operation.path.clone(),
            path: pieces(operation, &inputs),
            inputs: inputs.into_iter().map(|(input, _)| input).collect(),
        }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its entry in `tools/list`, as JSON text.
    #[must_use]
    pub fn definition(&self) -> &str {
        &self.definition
    }

    /// Method and path of its operation, for logs.
    #[must_use]
    pub fn operation(&self) -> (&Method, &str) {
        (&self.method, &self.template)
    }

    /// The headers that its arguments set; of a caller's own they are not taken.
    pub fn headers(&self) -> impl Iterator<Item = &HeaderName> {
        self.inputs.iter().filter_map(|input| match &input.place {
            Place::Header(name) => Some(name),
            _ => None,
        })
    }
}

/// The inputs, each with the name of its parameter, and their properties.
fn inputs(
    operation: &OperationDescription,
    withheld: &[HeaderName],
) -> (Vec<(Input, String)>, Vec<Property>) {
    let (mut inputs, mut properties, mut taken) = (Vec::new(), Vec::new(), HashSet::new());
    for parameter in &operation.parameters {
        let Some(place) = place(parameter, withheld) else { continue };
        let alone = operation.parameters.iter().filter(|other| other.name == parameter.name).count() == 1;
        let wanted = if alone {
            clean(&parameter.name)
        } else {
            clean(&format!("{}_{}", parameter.source.word(), parameter.name))
        };
        let name = distinct(&wanted, &mut taken);
        let schema =
            schema::described(&schema::tolerant(&parameter.schema), parameter.description.as_deref());
        properties.push(Property { name: name.clone(), schema, required: parameter.required });
        inputs.push((Input { name, place, style: parameter.style }, parameter.name.clone()));
    }
    if let Some(body) = &operation.body {
        let name = distinct(BODY, &mut taken);
        let schema = schema::tolerant(&body.schema);
        properties.push(Property { name: name.clone(), schema, required: body.required });
        inputs.push((Input { name, place: Place::Body, style: Style::Json }, String::new()));
    }
    (inputs, properties)
}

fn place(parameter: &ParameterDescription, withheld: &[HeaderName]) -> Option<Place> {
    match parameter.source {
        Source::Path => Some(Place::Path),
        Source::Query => Some(Place::Query(parameter.name.clone())),
        Source::Header => {
            let name = HeaderName::from_bytes(parameter.name.as_bytes()).ok()?;
            (!withheld.contains(&name)).then_some(Place::Header(name))
        }
    }
}

/// The path, cut at its parameters.
fn pieces(operation: &OperationDescription, inputs: &[(Input, String)]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut literal = String::new();
    let mut rest = operation.path.as_str();
    while let Some((before, after)) = rest.split_once('{') {
        literal.push_str(before);
        let (name, behind) = after.split_once('}').unwrap_or((after, ""));
        let at = inputs.iter().position(|(input, known)| input.place == Place::Path && known == name);
        match at {
            Some(at) => {
                pieces.push(Piece::Literal(std::mem::take(&mut literal)));
                pieces.push(Piece::Input(at));
            }
            None => literal.push_str(&format!("{{{name}}}")),
        }
        rest = behind;
    }
    literal.push_str(rest);
    pieces.push(Piece::Literal(literal));
    pieces
}

fn definition(
    operation: &OperationDescription,
    presentation: &Presentation,
    properties: &[Property],
) -> String {
    let name = quoted(&presentation.name);
    let title = operation.summary.as_deref().map(quoted);
    let own = presentation.description.as_deref().or(operation.description.as_deref());
    let own = own.or(operation.summary.as_deref());
    let description = own.map_or_else(|| quoted(&format!("{} {}", operation.method, operation.path)), quoted);
    let input = schema::input(properties, &operation.definitions);
    let output = schema::output(&operation.answers, &operation.answer_definitions);
    let hints = hints(&operation.method, presentation.read_only);
    let mut members = vec![("name", name.as_str())];
    members.extend(title.as_deref().map(|title| ("title", title)));
    members.extend([("description", description.as_str()), ("inputSchema", input.as_str())]);
    members.extend(output.as_deref().map(|output| ("outputSchema", output)));
    members.push(("annotations", &hints));
    members::write(members)
}

/// The hints of the method (RFC 9110, 9.2): GET changes nothing, PUT and DELETE may be repeated. The gateway
/// cannot know what a program does with other methods, so all of these may destroy. No tool reaches beyond
/// the gateway's services.
fn hints(method: &Method, read_only: Option<bool>) -> String {
    let read_only = read_only.unwrap_or(*method == Method::GET);
    let idempotent = read_only || matches!(*method, Method::PUT | Method::DELETE);
    let word = |value: bool| if value { "true" } else { "false" };
    members::write([
        ("readOnlyHint", word(read_only)),
        ("destructiveHint", word(!read_only)),
        ("idempotentHint", word(idempotent)),
        ("openWorldHint", "false"),
    ])
}
