//! The body of the resource for commands: `runCommand` with a text, or `runCommandJSON`.

use mqsc::{Parameter, Syntax, Words};
use serde::Deserialize;
use serde_json::Value;

use super::command::Command;
use crate::trouble::Trouble;
use crate::unique::Members;

/// Bytes of a command.
pub const MQSC_BYTES_MAX: usize = 32_768;

/// In which form a command is asked and answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `runCommand`.
    Text,
    /// `runCommandJSON`.
    Json,
}

/// A command, and the form of its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The form.
    pub form: Form,
    /// The command; or the piece of its text at which it cannot be understood, which its answer tells.
    pub command: Result<Command, String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    r#type: String,
    #[serde(default)]
    command: Option<String>,
    #[serde(default)]
    qualifier: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    parameters: Members,
    #[serde(default)]
    response_parameters: Vec<String>,
}

impl Asked {
    /// Reads the body of a request.
    ///
    /// # Errors
    /// It is not JSON of one of the two forms. The answer to the command has the faults of the command itself.
    pub fn parse(body: &[u8]) -> Result<Self, Trouble> {
        if body.len() > MQSC_BYTES_MAX {
            return Err(Trouble::body(format!("A command has at most {MQSC_BYTES_MAX} bytes.")));
        }
        let body: Body = serde_json::from_slice(body)
            .map_err(|error| Trouble::body(format!("It is not a command in JSON: {error}.")))?;
        let (form, words) = match &*body.r#type {
            "runCommand" => {
                let Some(Value::String(command)) = body.parameters.0.get("command") else {
                    return Err(Trouble::body("The member 'parameters.command' must be a text."));
                };
                (Form::Text, mqsc::parse(command))
            }
            "runCommandJSON" => (Form::Json, Ok(words(body)?)),
            other => {
                let other = crate::trouble::shown(other.as_bytes());
                return Err(Trouble::body(format!(
                    "The member 'type' is '{other}'; expected runCommand or runCommandJSON."
                )));
            }
        };
        let command = words.and_then(Command::of).map_err(|Syntax(piece)| piece);
        Ok(Self { form, command })
    }
}

fn words(body: Body) -> Result<Words, Trouble> {
    let needed = |member: Option<String>, name: &str| {
        member
            .map(|text| text.to_ascii_uppercase())
            .ok_or_else(|| Trouble::body(format!("The member '{name}' is missing.")))
    };
    let single = |value: Value| match value {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(true) => Some("YES".to_owned()),
        Value::Bool(false) => Some("NO".to_owned()),
        _ => None,
    };
    let parameter = |(name, value): (String, Value)| {
        let is_null = value.is_null();
        let value = match value {
            Value::Array(values) => {
                let values: Option<Vec<String>> = values.into_iter().map(single).collect();
                values.map(|values| values.join(","))
            }
            value => single(value),
        };
        if value.is_none() && !is_null {
            let message = format!("The parameter '{name}' must be a text, a number, or a list of them.");
            return Err(Trouble::body(message));
        }
        Ok(Parameter { name: name.to_ascii_uppercase(), value })
    };
    Ok(Words {
        verb: needed(body.command, "command")?,
        object: needed(body.qualifier, "qualifier")?,
        name: body.name,
        parameters: body.parameters.0.into_iter().map(parameter).collect::<Result<_, _>>()?,
        wanted: body.response_parameters.iter().map(|name| name.to_ascii_uppercase()).collect(),
    })
}
