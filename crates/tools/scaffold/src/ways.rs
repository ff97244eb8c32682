//! The data of each direction between JSON and a service: nothing, a record, or containers.

use serde_json::{Map, Value};

use crate::Side;
use crate::backs::toml_text as quoted;
use crate::sample::sample;
use crate::sources::NewFiles;

/// Requests and answers.
pub(crate) type Ways = (Way, Way);

/// The data of one direction.
pub(crate) enum Way {
    Nothing,
    Record(Box<Side>),
    /// Containers that one record cannot stand for: several, or text.
    Containers(Vec<Part>),
}

/// A container.
pub(crate) struct Part {
    pub(crate) name: String,
    /// It is text as a whole (CHAR).
    pub(crate) is_text: bool,
    /// Its record; none for text without fields.
    pub(crate) side: Option<Side>,
    /// The most bytes of text without fields.
    pub(crate) max_bytes: usize,
}

impl From<Option<Side>> for Way {
    fn from(side: Option<Side>) -> Self {
        side.map_or(Self::Nothing, |side| Self::Record(Box::new(side)))
    }
}

impl Way {
    /// The only record.
    pub(crate) fn record(&self) -> Option<&Side> {
        match self {
            Self::Record(side) => Some(side),
            Self::Nothing | Self::Containers(_) => None,
        }
    }

    /// The copybooks, by their paths in the new folder. A path may come twice.
    pub(crate) fn files(&self) -> impl Iterator<Item = &NewFiles> {
        let parts = match self {
            Self::Containers(parts) => parts.as_slice(),
            Self::Nothing | Self::Record(_) => &[],
        };
        let sides = parts.iter().filter_map(|part| part.side.as_ref()).chain(self.record());
        sides.map(|side| &side.found.files)
    }

    /// The JSON of a request; none if there is none.
    ///
    /// # Errors
    /// No request fits the record.
    pub(crate) fn sample(&self) -> Result<Option<Value>, String> {
        match self {
            Self::Nothing => Ok(None),
            Self::Record(side) => sample_of(side).map(Some),
            Self::Containers(parts) if parts.is_empty() => Ok(None),
            Self::Containers(parts) => {
                let member = |part: &Part| {
                    let value = match &part.side {
                        Some(side) => sample_of(side)?,
                        None => Value::from(part.name.chars().take(part.max_bytes).collect::<String>()),
                    };
                    Ok((part.name.to_lowercase(), value))
                };
                parts.iter().map(member).collect::<Result<Map<_, _>, String>>().map(Value::Object).map(Some)
            }
        }
    }

    /// The JSON Schema of containers; none if there are none.
    ///
    /// # Errors
    /// A schema cannot be written: a fault of Gantry's own.
    pub(crate) fn schema_of_containers(&self, is_answer: bool) -> Result<Option<String>, String> {
        let Self::Containers(parts) = self else { return Ok(None) };
        if parts.is_empty() {
            return Ok(None);
        }
        let member = |part: &Part| {
            let name = Value::from(part.name.to_lowercase());
            let schema = match &part.side {
                // Bytes are characters of the region's page.
                None => format!(r#"{{"type":"string","maxLength":{}}}"#, part.max_bytes),
                Some(side) => {
                    let bind = &side.bind;
                    let schema = if is_answer { bind.response_schema() } else { bind.request_schema() };
                    serde_json::to_string(&schema).map_err(|error| error.to_string())?
                }
            };
            Ok(format!("{name}:{schema}"))
        };
        let members = parts.iter().map(member).collect::<Result<Vec<_>, String>>()?.join(",");
        let required: Vec<Value> = match may_lack(parts, is_answer) {
            true => Vec::new(),
            false => parts.iter().map(|part| Value::from(part.name.to_lowercase())).collect(),
        };
        let required = if required.is_empty() {
            String::new()
        } else {
            format!(r#""required":{},"#, Value::from(required))
        };
        Ok(Some(format!(r#"{{"type":"object",{required}"properties":{{{members}}}}}"#)))
    }

    /// The sections of the service's file.
    pub(crate) fn sections(&self, title: &str, is_answer: bool) -> String {
        match self {
            Self::Nothing => String::new(),
            Self::Record(side) => {
                let keys = copybook(side).map(|(key, value)| format!("{key} = {value}\n"));
                format!("\n[{title}]\n{}wrapper = \"\"\n", keys.collect::<String>())
            }
            Self::Containers(parts) => {
                let may_lack = may_lack(parts, is_answer);
                parts.iter().map(|part| part.section(title, may_lack)).collect()
            }
        }
    }
}

/// An answer need not have all of several containers: the program may put one of them, such as that of an error.
fn may_lack(parts: &[Part], is_answer: bool) -> bool {
    is_answer && parts.len() > 1
}

impl Part {
    fn section(&self, title: &str, may_lack: bool) -> String {
        let mut text = format!("\n[[{title}_container]]\nname = {}\n", quoted(&self.name));
        if may_lack {
            text.push_str("optional = true\n");
        }
        if let Some(side) = &self.side {
            let keys: Vec<String> = copybook(side).map(|(key, value)| format!("{key} = {value}")).collect();
            if self.is_text {
                text.push_str("data_type = \"char\"\n");
            }
            text.push_str(&format!("record = {{ {} }}\n", keys.join(", ")));
        }
        text
    }
}

/// The keys that name a copybook and its record.
fn copybook(side: &Side) -> impl Iterator<Item = (&'static str, String)> {
    let record = side.is_one_of_several.then(|| ("record", quoted(side.layout.name())));
    let comma = side.found.decimal_comma.then(|| ("decimal_comma", "true".to_owned()));
    let phrases: Vec<String> = side.found.replacing.iter().map(|phrase| quoted(phrase)).collect();
    let replacing = (!phrases.is_empty()).then(|| ("replacing", format!("[{}]", phrases.join(", "))));
    [("copybook", quoted(&side.found.name))].into_iter().chain(record).chain(replacing).chain(comma)
}

/// A request that fits a record.
fn sample_of(side: &Side) -> Result<Value, String> {
    sample(&side.layout, &side.bind)
        .map_err(|error| format!("no request fits {}: {error}", side.layout.name()))
}
