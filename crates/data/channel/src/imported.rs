//! Programs whose copybooks came first: a bind for a commarea, or for each container of a channel.
//!
//! z/OS Connect's assets of the type `cicsCommarea-1.0` have the copybook beside their schemas
//! (`providerFiles/gen/*.cpy`), and JSON `{"commarea": {"<01 level>": {...}}}` whose names are COBOL's, hyphens kept:
//! a bind with [`record::Naming::Cobol`] and the 01 level as its wrapper. A channel has an object of that kind for each
//! container; no public asset of a channel with copybooks was found to compare with. Services of our own have one object whose
//! members are the containers, each under a name of its own.

use record::Bind;
use service::{Channel, Container, Content};

use crate::error::{Error, ErrorKind, RecordPlace};
use crate::members;
use crate::options::UnknownMembers;
use crate::text;
use assistant::Apart;
use codepage::Encoding;
use record::{Schema, write_string};

/// The member around all containers in the JSON of z/OS Connect's assets.
pub const CHANNEL_WRAPPER: &str = "channel";

/// A channel of containers that were there before their JSON.
#[derive(Debug)]
pub struct Imported {
    containers: Vec<ImportedContainer>,
    /// The member around all containers, if there is one.
    wrapper: Option<&'static str>,
    unknown_members: UnknownMembers,
}

/// One container.
#[derive(Debug)]
pub struct ImportedContainer {
    /// Its name in the channel.
    pub name: String,
    /// Its name in JSON.
    pub member: String,
    /// JSON or a channel without this container is refused.
    pub required: bool,
    /// The form of its content.
    pub form: ImportedForm,
}

/// The content of a container.
#[derive(Debug)]
pub enum ImportedForm {
    /// Text (CHAR), sent in this encoding.
    Text(Encoding),
    /// A record (BIT).
    Record(Box<Bind>),
    /// A record that is text as a whole (CHAR), in this encoding: programs may get it in another.
    TextRecord(Box<Bind>, Encoding),
}

impl Imported {
    /// A channel of these containers; in JSON they may be within one member.
    ///
    /// # Errors
    /// Two containers have the same name, or a name is not valid for a container.
    pub fn new(
        containers: Vec<ImportedContainer>,
        wrapper: Option<&'static str>,
        unknown_members: UnknownMembers,
    ) -> Result<Self, String> {
        for (index, container) in containers.iter().enumerate() {
            crate::wrapper::check_name(&container.name)?;
            let before = &containers[..index];
            for (name, of) in [
                (&container.name, (|other| &other.name) as fn(&ImportedContainer) -> &String),
                (&container.member, |other| &other.member),
            ] {
                if before.iter().any(|other| of(other) == name) {
                    return Err(format!("expected containers with different names, found '{name}' twice"));
                }
            }
        }
        Ok(Self { containers, wrapper, unknown_members })
    }

    /// The containers of JSON, `{"<container>": ...}`, within the wrapper if there is one.
    ///
    /// # Errors
    /// The JSON does not fit a container's bind.
    pub fn to_channel(&self, json: &[u8]) -> Result<Channel, Error> {
        let text = utf8(json)?;
        let (channel, start) = match self.wrapper {
            Some(wrapper) => only(text, wrapper)?,
            None => (text, 0),
        };
        let found = members::of(channel).map_err(|error| self.within(moved(text, start, error)))?;
        let mut containers: Vec<Container> = Vec::with_capacity(found.len());
        for member in &found {
            let at = start + member.offset;
            let fail = |error: Error| self.within(moved(text, at, error).within(&member.name));
            let Some(known) = self.containers.iter().find(|known| known.member == member.name) else {
                match self.unknown_members {
                    UnknownMembers::Ignore => continue,
                    UnknownMembers::Refuse => {
                        let message = "expected a container of the program, found another member";
                        return Err(fail(Error::new(ErrorKind::UnknownMember, message)));
                    }
                }
            };
            if containers.iter().any(|other| other.name == known.name) {
                let message = "expected the member once, found it twice";
                return Err(fail(Error::new(ErrorKind::DuplicateMember, message)));
            }
            let content = known.content(member.value).map_err(fail)?;
            containers.push(Container { name: known.name.clone(), content });
        }
        let absent = self
            .containers
            .iter()
            .find(|known| known.required && containers.iter().all(|found| found.name != known.name));
        if let Some(known) = absent {
            let error = Error::new(ErrorKind::MissingMember, "expected the required member, found none");
            return Err(self.within(error.within(&known.member)));
        }
        Ok(Channel::of(containers))
    }

    /// An error with its place in the whole.
    fn within(&self, error: Error) -> Error {
        match self.wrapper {
            Some(wrapper) => error.within(wrapper),
            None => error,
        }
    }

    /// The JSON Schema of requests.
    #[must_use]
    pub fn request_schema(&self) -> Schema {
        self.schema(Bind::request_schema)
    }

    /// The JSON Schema of answers.
    #[must_use]
    pub fn response_schema(&self) -> Schema {
        self.schema(Bind::response_schema)
    }

    fn schema(&self, of: fn(&Bind) -> Schema) -> Schema {
        let member = |known: &ImportedContainer| {
            let schema = match &known.form {
                ImportedForm::Text(_) => Schema { kind: "string", ..Schema::default() },
                ImportedForm::Record(bind) | ImportedForm::TextRecord(bind, _) => of(bind),
            };
            (known.member.clone(), schema)
        };
        let required = self.containers.iter().filter(|known| known.required);
        let inner = Schema {
            required: required.map(|known| known.member.clone()).collect(),
            ..Schema::object(self.containers.iter().map(member).collect())
        };
        match self.wrapper {
            None => inner,
            Some(wrapper) => Schema {
                required: vec![wrapper.to_owned()],
                ..Schema::object(vec![(wrapper.to_owned(), inner)])
            },
        }
    }

    /// Appends the JSON of containers. After an error `out` is as it was.
    ///
    /// # Errors
    /// A required container is missing, or its bytes do not have its layout.
    pub fn to_json(&self, channel: &Channel, out: &mut Vec<u8>) -> Result<(), Error> {
        let start = out.len();
        let written = self.write(channel, out);
        if written.is_err() {
            out.truncate(start);
        }
        written.map_err(|error| self.within(error))
    }

    fn write(&self, channel: &Channel, out: &mut Vec<u8>) -> Result<(), Error> {
        if let Some(wrapper) = self.wrapper {
            out.push(b'{');
            write_string(wrapper, out);
            out.push(b':');
        }
        out.push(b'{');
        let mut first = true;
        for known in &self.containers {
            let Some(container) = channel.get(&known.name) else {
                if !known.required {
                    continue;
                }
                let message = format!("expected the container {} in the channel, found none", known.name);
                return Err(Error::new(ErrorKind::MissingContainer, message).within(&known.member));
            };
            if !std::mem::replace(&mut first, false) {
                out.push(b',');
            }
            write_string(&known.member, out);
            out.push(b':');
            known.json(container, out).map_err(|error| error.within(&known.member))?;
        }
        out.push(b'}');
        if self.wrapper.is_some() {
            out.push(b'}');
        }
        Ok(())
    }
}

impl ImportedContainer {
    fn content(&self, json: &str) -> Result<Content, Error> {
        match &self.form {
            ImportedForm::Record(bind) => {
                let mut record = Vec::new();
                bind.encode(json.as_bytes(), &mut record)?;
                Ok(Content::Bit(record))
            }
            ImportedForm::TextRecord(bind, encoding) => {
                let mut bytes = Vec::new();
                bind.encode(json.as_bytes(), &mut bytes)?;
                Ok(Content::Char { bytes, ccsid: encoding.ccsid() })
            }
            ImportedForm::Text(encoding) => {
                let shown = members::as_text(json).ok_or_else(|| {
                    Error::new(ErrorKind::WrongType, "expected text, found a value of another type")
                })?;
                let mut bytes = Vec::new();
                text::encode(*encoding, &shown, &mut bytes)?;
                Ok(Content::Char { bytes, ccsid: encoding.ccsid() })
            }
        }
    }

    fn json(&self, container: &Container, out: &mut Vec<u8>) -> Result<(), Error> {
        match &self.form {
            ImportedForm::Record(bind) => {
                bind.decode(container.content.bytes(), out).map_err(|error| in_record(&self.name, error))
            }
            ImportedForm::TextRecord(bind, encoding) => {
                if let Content::Char { ccsid, .. } = &container.content
                    && *ccsid != encoding.ccsid()
                {
                    let message =
                        format!("expected a record in CCSID {}, found it in {ccsid}", encoding.ccsid());
                    return Err(Error::new(ErrorKind::BadData, message));
                }
                bind.decode(container.content.bytes(), out).map_err(|error| in_record(&self.name, error))
            }
            ImportedForm::Text(encoding) => {
                let encoding = match &container.content {
                    Content::Char { ccsid, .. } => Encoding::by_ccsid(*ccsid).ok_or_else(|| {
                        let message = format!("expected a CCSID that is known, found {ccsid}");
                        Error::new(ErrorKind::BadData, message)
                    })?,
                    Content::Bit(_) => *encoding,
                };
                let mut shown = String::new();
                text::decode(encoding, container.content.bytes(), &mut shown)?;
                write_string(&shown, out);
                Ok(())
            }
        }
    }
}

/// A program with a commarea.
#[derive(Debug)]
pub struct Commarea {
    bind: Bind,
}

impl Commarea {
    /// The bind of its copybook.
    #[must_use]
    pub fn new(bind: Bind) -> Self {
        Self { bind }
    }

    /// The commarea of JSON, `{"commarea": ...}`.
    ///
    /// # Errors
    /// The JSON does not fit the bind.
    pub fn to_record(&self, json: &[u8]) -> Result<Vec<u8>, Error> {
        let text = utf8(json)?;
        let (value, start) = only(text, "commarea")?;
        let mut record = Vec::new();
        let encoded = self.bind.encode(value.as_bytes(), &mut record);
        encoded.map_err(|error| moved(text, start, error.into()).within("commarea"))?;
        Ok(record)
    }

    /// Appends the JSON of a commarea. After an error `out` is as it was.
    ///
    /// # Errors
    /// The bytes do not have the layout.
    pub fn to_json(&self, record: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
        let start = out.len();
        out.extend_from_slice(b"{\"commarea\":");
        match self.bind.decode(record, out) {
            Ok(()) => {
                out.push(b'}');
                Ok(())
            }
            Err(error) => {
                out.truncate(start);
                Err(in_record("", error).within("commarea"))
            }
        }
    }
}

fn utf8(json: &[u8]) -> Result<&str, Error> {
    std::str::from_utf8(json).map_err(|error| {
        let message = format!("expected UTF-8, found other bytes after byte {}", error.valid_up_to());
        Error::new(ErrorKind::Syntax, message)
    })
}

/// The value of the only member that an object may have, and its place.
fn only<'t>(text: &'t str, name: &str) -> Result<(&'t str, usize), Error> {
    let found = members::of(text)?;
    if let Some(other) = found.iter().find(|member| member.name != name) {
        let message = format!("expected the member '{name}' alone, found another");
        return Err(Error::new(ErrorKind::UnknownMember, message).within(&other.name));
    }
    match found.as_slice() {
        [member] => Ok((member.value, member.offset)),
        [] => {
            Err(Error::new(ErrorKind::MissingMember, "expected the required member, found none").within(name))
        }
        _ => {
            let error = Error::new(ErrorKind::DuplicateMember, "expected the member once, found it twice");
            Err(error.within(name))
        }
    }
}

/// An error of a part of the text, with its place in the whole.
fn moved(text: &str, offset: usize, error: Error) -> Error {
    let before = &text[..offset];
    let lines = before.matches('\n').count();
    let last = before.rsplit('\n').next().map_or(0, |line| line.chars().count());
    let position = match error.position {
        Some((1, column)) => (lines + 1, last + column),
        Some((line, column)) => (lines + line, column),
        None => (lines + 1, last + 1),
    };
    Error { position: Some(position), ..error }
}

/// An error of a record, with its container and offset.
fn in_record(container: &str, error: record::Error) -> Error {
    let place = error.offset.map(|offset| {
        let (container, field) = (container.to_owned(), error.path.clone());
        Box::new(RecordPlace { container, apart: Apart::Containers, field, offset })
    });
    Error { record: place, ..error.into() }
}
