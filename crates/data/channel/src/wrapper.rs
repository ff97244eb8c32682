//! The outermost object of an asset's schema: which containers the channel has, and which of them is the record.

use assistant::{Diagnostic, Severity};
use record::JsonCursor;

use crate::error::Error;
use crate::limits::TextLimits;
use crate::members::{self, RawMember};
use crate::options::Options;
use crate::plan::{ContainerForm, ContainerMember, Root};

/// The description that marks a part of the channel as a record.
const RECORD_MARK: &str = "json-schema";

/// The container whose text programs expect to have a fixed length, and that length: CICS fills it up with blanks.
const PADDED: (&str, usize) = ("DFHHTTPMETHOD", 8);

/// The schema's object around everything, with its member `channel`.
pub(crate) struct Wrapper<'t> {
    schema: &'t str,
    /// The keywords of the channel's schema.
    channel: Vec<RawMember<'t>>,
    offset: usize,
}

impl<'t> Wrapper<'t> {
    /// Finds the channel in a schema.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn read(schema: &'t str) -> Result<Self, Diagnostic> {
        let top = members::of(schema).map_err(|error| at_text(schema, 0, "#", &error))?;
        let properties = members::get(&top, "properties").ok_or_else(|| {
            finding("#", "expected 'properties' with the member 'channel', found none".to_owned())
        })?;
        let inner = members::of(properties.value)
            .map_err(|error| at_text(schema, properties.offset, "#/properties", &error))?;
        let Some(channel) = members::get(&inner, "channel") else {
            let message = match members::get(&inner, "commarea") {
                Some(_) => {
                    "expected the member 'channel', found 'commarea': a commarea is one record, of a copybook"
                }
                None => "expected the member 'channel', found none",
            };
            return Err(finding("#/properties", message.to_owned()));
        };
        let offset = properties.offset + channel.offset;
        let keywords = members::of(channel.value)
            .map_err(|error| at_text(schema, offset, "#/properties/channel", &error))?;
        Ok(Self { schema, channel: keywords, offset })
    }

    /// The place of the channel in JSON, and where the schema of the record stands, if there is one.
    pub(crate) fn root(&self, options: &Options) -> Result<(Root, Option<String>), Diagnostic> {
        const CHANNEL: &str = "#/properties/channel";
        if is_record(&self.channel) {
            let container = options.container.clone();
            return Ok((Root::Record { container }, Some("/properties/channel".to_owned())));
        }
        let fail = |message: &str| finding(CHANNEL, message.to_owned());
        let properties = members::get(&self.channel, "properties")
            .ok_or_else(|| fail("expected 'properties', a member for each container, found none"))?;
        let offset = self.offset + properties.offset;
        let place = format!("{CHANNEL}/properties");
        let found =
            members::of(properties.value).map_err(|error| at_text(self.schema, offset, &place, &error))?;
        let required =
            members::get(&self.channel, "required").map_or_else(Vec::new, |list| texts(list.value));
        let (mut containers, mut record) = (Vec::new(), None);
        for member in &found {
            let place = format!("{place}/{}", member.name);
            let keywords = members::of(member.value)
                .map_err(|error| at_text(self.schema, offset + member.offset, &place, &error))?;
            let form = if is_record(&keywords) {
                let escaped = member.name.replace('~', "~0").replace('/', "~1");
                if record.replace(format!("/properties/channel/properties/{escaped}")).is_some() {
                    return Err(finding(
                        &place,
                        format!("expected one member marked '{RECORD_MARK}', found two"),
                    ));
                }
                ContainerForm::Record { container: options.container.clone() }
            } else {
                text_container(&member.name, &keywords).map_err(|message| finding(&place, message))?
            };
            let required = required.contains(&member.name.to_string());
            containers.push(ContainerMember { name: member.name.as_ref().into(), required, form });
        }
        if containers.is_empty() {
            return Err(finding(&place, "expected a member for each container, found none".to_owned()));
        }
        distinct(&containers).map_err(|message| finding(&place, message))?;
        Ok((Root::Containers(containers), record))
    }
}

/// Two members must not become the same container.
fn distinct(containers: &[ContainerMember]) -> Result<(), String> {
    let names = containers.iter().filter_map(|member| match &member.form {
        ContainerForm::Record { container } => Some(container.as_str()),
        ContainerForm::Text { .. } => None,
    });
    for name in names {
        if containers
            .iter()
            .any(|other| matches!(other.form, ContainerForm::Text { .. }) && &*other.name == name)
        {
            return Err(format!("expected containers with different names, found '{name}' twice"));
        }
    }
    Ok(())
}

fn is_record(keywords: &[RawMember<'_>]) -> bool {
    let text = members::get(keywords, "description").and_then(|member| members::as_text(member.value));
    text.as_deref() == Some(RECORD_MARK)
}

/// A container of text.
fn text_container(name: &str, keywords: &[RawMember<'_>]) -> Result<ContainerForm, String> {
    check_name(name)?;
    if name.starts_with(crate::GENERATED_PREFIX) {
        let prefix = crate::GENERATED_PREFIX;
        return Err(format!(
            "expected a name that does not start with {prefix}, which names of arrays start with"
        ));
    }
    let kind = members::get(keywords, "type").and_then(|member| members::as_text(member.value));
    match kind.as_deref() {
        Some("string") => {}
        Some(other) => {
            return Err(format!(
                "expected text, or the description '{RECORD_MARK}', found the type {other}: a container with a \
                 copybook of its own needs that copybook"
            ));
        }
        None => return Err("expected a type, found none".to_owned()),
    }
    let count = |keyword: &str| match members::get(keywords, keyword) {
        None => Ok(None),
        Some(member) => member
            .value
            .parse::<u64>()
            .map(Some)
            .map_err(|_| format!("expected {keyword} to be a whole number, found {}", member.value)),
    };
    let values = members::get(keywords, "enum").map_or_else(Vec::new, |list| texts(list.value));
    let mut values: Vec<Box<str>> = values.into_iter().map(String::into_boxed_str).collect();
    values.sort_unstable();
    let limits = TextLimits {
        min: count("minLength")?.unwrap_or(0),
        max: count("maxLength")?,
        values,
        ..TextLimits::default()
    };
    let padded_bytes = if name == PADDED.0 { PADDED.1 } else { 0 };
    Ok(ContainerForm::Text { limits, padded_bytes })
}

/// The strings of an array. Elements of other types are ignored.
fn texts(list: &str) -> Vec<String> {
    let mut cursor = JsonCursor::new(list);
    let mut found = Vec::new();
    if !cursor.take(b'[') {
        return found;
    }
    loop {
        match cursor.peek() {
            Some(b'"') => found.extend(cursor.string().map(|text| text.into_owned())),
            _ => {
                if cursor.skip_value(1).is_err() {
                    return found;
                }
            }
        }
        if !cursor.take(b',') {
            return found;
        }
    }
}

/// A fault in a part of the schema's text, with its place in the whole.
fn at_text(schema: &str, offset: usize, pointer: &str, error: &Error) -> Diagnostic {
    let before = schema.get(..offset).unwrap_or_default();
    let lines = before.matches('\n').count();
    let last = before.rsplit('\n').next().map_or(0, |line| line.chars().count());
    let (line, column) = match error.position {
        Some((1, column)) => (lines + 1, last + column),
        Some((line, column)) => (lines + line, column),
        None => (lines + 1, last + 1),
    };
    Diagnostic { line, column, ..finding(pointer, error.message.clone()) }
}

/// Names of containers have 1 to 16 characters of one byte each.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    let most = service::CONTAINER_NAME_CHARACTERS_MAX;
    if name.is_empty() || name.len() > most || !name.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(format!("expected the name of a container, 1 to {most} characters, found '{name}'"));
    }
    Ok(())
}

/// An error at a place of the schema.
pub(crate) fn finding(pointer: &str, message: String) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        pointer: pointer.to_owned(),
        line: 0,
        column: 0,
        message,
        help: None,
    }
}
