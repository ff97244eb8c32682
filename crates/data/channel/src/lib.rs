//! JSON becomes a channel of containers and a channel becomes JSON, laid out as the CICS JSON assistant (DFHJS2LS)
//! does.
//!
//! z/OS Connect's OpenAPI 3 projects have JSON Schemas of what a program takes and answers. The program has structures
//! that the assistant made from them. [`Interface::compile`] makes the same structures, by the crate `assistant`, and a
//! plan that reads and writes them. Parts that vary lie in further containers, which fields of the record name.
//!
//! ```
//! use channel::{Interface, Options, Side};
//! let schema = r#"{"type": "object", "properties": {"channel": {"type": "object", "properties": {
//!     "DFHHTTPMETHOD": {"type": "string"},
//!     "data": {"description": "json-schema", "type": "object", "required": ["id"], "properties": {
//!         "id": {"type": "string", "minLength": 4, "maxLength": 4}}}}}}}"#;
//! let options = Options::zos_connect(codepage::Encoding::by_ccsid(37).expect("CCSID 37"));
//! let interface = Interface::compile(schema, Side::Request, &options).expect("a schema of a channel");
//! let json = br#"{"channel": {"DFHHTTPMETHOD": "GET", "data": {"id": "A001"}}}"#;
//! let channel = interface.to_channel(json).expect("it fits the schema");
//! assert_eq!(channel.get("BAQBASE").expect("the record").content.bytes(), [0xC1, 0xF0, 0xF0, 0xF1]);
//! ```
//!
//! [`Imported`] is for programs whose copybooks came first: a bind for each container. Deliberately absent: IO, and
//! what a program means by its containers.
//!
//! # How it works
//!
//! The crate `assistant` lays a schema out once and gives the result twice: as a copybook for people, and as `Area`s.
//! An area says which field stands for which member. `compile.rs` looks the fields up in the layout that the crate
//! `copybook` makes of the same copybook. So offsets and slack have one source. The result is a tree of nodes.
//!
//! `write.rs` reads the JSON once and writes each value to its place. It opens a further container where an array
//! begins. `read.rs` goes the other way and believes nothing. The program chooses lengths, counts, presence and names
//! of containers.
//!
//! Messages of XML are laid out by the same crate (DFHWS2LS). `xml.rs` and the modules in it read and write them over the same
//! nodes, which then have names of XML. There, groups have no element, choices have a container, and any XML is text.
//!
//! [`Interface::compile_record`] makes a record with data areas without a channel around it. Such a record is read more
//! strictly: an item that a program puts into an area is named exactly once. Anything else is a fault.

mod compile;
mod error;
mod imported;
mod limits;
mod made;
mod members;
mod octets;
mod options;
mod plan;
mod read;
mod schema;
mod text;
mod values;
mod wrapper;
mod write;
mod xml;

pub use assistant::{Apart, CharVarying, Diagnostic, MappingLevel, Numbered, Severity, Shape, Side};
pub use error::{Error, ErrorKind, RecordPlace};
pub use imported::{CHANNEL_WRAPPER, Commarea, Imported, ImportedContainer, ImportedForm};
pub use options::{
    CHANNEL_BYTES_MAX, CONTAINERS_MAX, GENERATED_PREFIX, JSON_BYTES_MAX, Options, RECORD_CONTAINER, ROWS_MAX,
    UnknownMembers,
};

use codepage::Encoding;
use service::{Channel, Container, Content, DataArea};

/// The JSON type of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberForm {
    /// Text, a number, or true or false.
    Single,
    /// An object.
    Object,
    /// An array.
    Array,
}

/// The name of the element of a message.
#[derive(Clone, Copy, Debug)]
pub struct Element<'e> {
    /// The name without a prefix.
    pub local: &'e str,
    /// Empty for none.
    pub namespace: &'e str,
    /// The attributes that it may have although the record does not have them.
    pub other_attributes: &'e ::xml::OtherAttributes,
}

/// One direction of a program's interface, compiled.
#[derive(Debug)]
pub struct Interface {
    root: plan::Root,
    areas: Vec<plan::Area>,
    encoding: Encoding,
    unknown_members: UnknownMembers,
    /// How generated names begin.
    prefix: &'static str,
    channel_max_bytes: usize,
    /// The element of a message; none if it has none.
    xml: Option<plan::XmlRoot>,
    /// Values must be those that the schema of a message fixes.
    checks_fixed: bool,
    /// The JSON Schema of a message.
    schema: std::sync::Arc<str>,
    /// The same for an answer of a program.
    answer_schema: std::sync::Arc<str>,
    copybook: String,
    warnings: Vec<Diagnostic>,
}

impl Interface {
    /// Compiles the schema of a channel: an object with the member `channel`, as `requestSchema.json` and
    /// `responseSchema.json` of an asset of z/OS Connect have it.
    ///
    /// If the channel itself is marked with the description `json-schema`, it is a record in
    /// [`Options::container`]. Else each of its members is a container. A member with that description is the
    /// record; all others are text.
    ///
    /// # Errors
    /// The text is not such a schema, or describes values that a record cannot hold. The error has every
    /// finding with its place.
    pub fn compile(schema: &str, side: Side, options: &Options) -> Result<Self, Vec<Diagnostic>> {
        compile::interface(schema, side, options)
    }

    /// Compiles the schema of one record without a channel around it, with data areas in place of further
    /// containers: a request or a response of an API requester that programs reach by the Host API
    /// ([`Options::host_api`]).
    ///
    /// # Errors
    /// The text is not the schema of an object, or describes values that a record cannot hold. The error has
    /// every finding with its place.
    pub fn compile_record(schema: &str, side: Side, options: &Options) -> Result<Self, Vec<Diagnostic>> {
        compile::record_interface(schema, side, options)
    }

    /// Compiles the shape of a message, as `gantry soap ws2ls` lays it out: XML and JSON of it become
    /// containers, and back. `rules` says how it is laid out; of the options, the encodings, the container of
    /// the record and the limits count.
    ///
    /// # Errors
    /// The shape has a part that a record cannot hold.
    pub fn compile_message(
        shape: &Shape,
        element: Element<'_>,
        rules: &assistant::Options,
        options: &Options,
    ) -> Result<Self, Vec<Diagnostic>> {
        compile::message_interface(shape, element, rules, options)
    }

    /// Reads the content of the element that is open, to its end, into containers. The element has a name of this message.
    ///
    /// # Errors
    /// The element is not of the schema, has a character that the code page lacks, or becomes more than a limit allows.
    pub fn channel_of_element<'a>(
        &self,
        cursor: &mut ::xml::Cursor<'a>,
        open: &::xml::Open<'a>,
    ) -> Result<Channel, Error> {
        xml::channel(self, cursor, open)
    }

    /// Appends the element of a message. After an error `out` is as it was.
    ///
    /// # Errors
    /// As [`Interface::to_json`]. Besides, a container for any XML has text that is not XML.
    pub fn to_element(&self, channel: &Channel, out: &mut Vec<u8>) -> Result<(), Error> {
        xml::element(self, channel, out)
    }

    /// Reads the content of the element that is open, as [`Interface::channel_of_element`] does, into the record alone.
    ///
    /// # Errors
    /// As [`Interface::channel_of_element`]. Besides, the message has a container beside the record.
    pub fn record_of_element<'a>(
        &self,
        cursor: &mut ::xml::Cursor<'a>,
        open: &::xml::Open<'a>,
    ) -> Result<Vec<u8>, Error> {
        let mut containers = xml::channel(self, cursor, open)?.into_containers();
        match (containers.pop(), containers.as_slice()) {
            (Some(record), []) => Ok(record.content.into_bytes()),
            _ => Err(Error::new(ErrorKind::TooLarge, "expected one record, found further containers")),
        }
    }

    /// Appends the element of a message that is a record alone. After an error `out` is as it was.
    ///
    /// # Errors
    /// As [`Interface::to_element`].
    pub fn record_to_element(&self, record: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
        let (plan::Root::Bare { container } | plan::Root::Record { container }) = &self.root else {
            return Err(Error::new(ErrorKind::MissingContainer, "expected containers, found a record alone"));
        };
        let record = Container { name: container.clone(), content: Content::Bit(record.to_vec()) };
        xml::element(self, &Channel::of(vec![record]), out).map_err(|mut error| {
            if let Some(place) = &mut error.record {
                place.container.clear();
            }
            error
        })
    }

    /// True if this is the interface of a message of XML.
    #[must_use]
    pub fn is_message(&self) -> bool {
        self.xml.is_some()
    }

    /// The name and the namespace of the element of a message; none if it is of JSON alone.
    #[must_use]
    pub fn element(&self) -> Option<(&str, &str)> {
        self.xml.as_ref().map(|root| (&*root.name.local, &*root.name.namespace))
    }

    /// The JSON Schema of a message; empty for an interface that was made of one.
    #[must_use]
    pub fn json_schema(&self) -> std::sync::Arc<str> {
        std::sync::Arc::clone(&self.schema)
    }

    /// The JSON Schema of a message whose record a program makes. The program may leave another value than that of
    /// `fixed`, so the schema has it as an example.
    #[must_use]
    pub fn answer_schema(&self) -> std::sync::Arc<str> {
        std::sync::Arc::clone(&self.answer_schema)
    }

    /// The record of JSON and the data areas that it names.
    ///
    /// # Errors
    /// As [`Interface::to_channel`].
    pub fn to_record(&self, json: &[u8]) -> Result<(Vec<u8>, Vec<DataArea>), Error> {
        write::record(self, json)
    }

    /// The record of JSON, for a message that is a record alone.
    ///
    /// # Errors
    /// As [`Interface::to_record`]. Besides, the record names data areas, which it cannot have here.
    pub fn to_record_alone(&self, json: &[u8]) -> Result<Vec<u8>, Error> {
        match self.to_record(json)? {
            (record, areas) if areas.is_empty() => Ok(record),
            _ => Err(Error::new(ErrorKind::TooLarge, "expected one record, found further data areas")),
        }
    }

    /// Appends the JSON of a record and the data areas that it names. After an error `out` is as it was.
    ///
    /// # Errors
    /// As [`Interface::to_json`]. Besides, it is an error if an area does not have the elements that the
    /// record says. Each area must be named exactly once, so that no data of the program is lost.
    pub fn record_to_json(
        &self,
        record: Vec<u8>,
        areas: Vec<DataArea>,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        read::record_json(self, record, areas, out)
    }

    /// The containers of JSON.
    ///
    /// # Errors
    /// The JSON does not fit the schema, has a character that the code page lacks, or becomes more than a limit allows.
    pub fn to_channel(&self, json: &[u8]) -> Result<Channel, Error> {
        write::channel(self, json)
    }

    /// Appends the JSON of containers. After an error `out` is as it was.
    ///
    /// # Errors
    /// A container is missing or too short, or its bytes are not a value of a field's type. Lengths, counts
    /// and names of containers are checked too. The JSON, or the number of rows, is beyond a limit.
    pub fn to_json(&self, channel: &Channel, out: &mut Vec<u8>) -> Result<(), Error> {
        read::json(self, channel, out)
    }

    /// True if the record may name containers or data areas of its own.
    #[must_use]
    pub fn has_data_areas(&self) -> bool {
        self.areas.len() > 1 || self.first_apart().is_some()
    }

    /// The first field of the record, by its COBOL path, that has the name of a container or data area; none if the record stands alone.
    #[must_use]
    pub fn first_apart(&self) -> Option<&str> {
        self.areas.iter().find_map(|area| area.node.first_apart()).map(|place| &*place.field)
    }

    /// The kind of the member at a path of member names; none if the record's JSON has no such member. Paths
    /// do not lead into arrays.
    #[must_use]
    pub fn member(&self, path: &[&str]) -> Option<MemberForm> {
        let mut node = &self.areas.first()?.node;
        for name in path {
            node = node.opened(&self.areas).member(name)?;
        }
        Some(node.opened(&self.areas).form())
    }

    /// The members of the record that all JSON must have.
    pub fn required_members(&self) -> impl Iterator<Item = &str> {
        let root = self.areas.first().map(|area| area.node.opened(&self.areas));
        root.into_iter().flat_map(plan::Node::required_members)
    }

    /// The bytes of the longest structure: the record, or a row of a container or data area.
    #[must_use]
    pub fn structure_max_bytes(&self) -> usize {
        self.areas.iter().map(|area| area.bytes).max().unwrap_or(0)
    }

    /// The structures as a copybook; empty if no container holds a record.
    #[must_use]
    pub fn copybook(&self) -> &str {
        &self.copybook
    }

    /// Things worth knowing that did not prevent an interface.
    #[must_use]
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }
}
