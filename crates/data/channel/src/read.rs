//! Containers to JSON: every length, count and name that a program gives is checked before it is used.

use std::collections::HashMap;

use assistant::Apart;
use codepage::Encoding;
use record::write_string;
use service::{Channel, Container, Content, DataArea};

use crate::error::{Error, ErrorKind, RecordPlace};
use crate::options::{JSON_BYTES_MAX, ROWS_MAX};
use crate::plan::{
    Choice, ContainerForm, ContainerMember, Field, Member, Node, Object, Place, Root, Rows, Table,
};
use crate::{Interface, octets, text};

/// Channels of more containers than this are looked up by a table.
const SEARCHED_MAX: usize = 16;

/// Appends the JSON of containers.
pub(crate) fn json(interface: &Interface, channel: &Channel, out: &mut Vec<u8>) -> Result<(), Error> {
    let start = out.len();
    let read = Reader::new(interface, channel, out).root();
    if read.is_err() {
        out.truncate(start);
    }
    read
}

/// Appends the JSON of a record and its data areas.
pub(crate) fn record_json(
    interface: &Interface,
    record: Vec<u8>,
    areas: Vec<DataArea>,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let (Root::Bare { container } | Root::Record { container }) = &interface.root else {
        return Err(Error::new(ErrorKind::MissingContainer, "expected containers, found a record alone"));
    };
    let mut elements = HashMap::with_capacity(areas.len());
    let mut containers = Vec::with_capacity(areas.len() + 1);
    for DataArea { name, element_bytes, bytes } in areas {
        if elements.insert(name.clone(), element_bytes).is_some() {
            let message = format!("expected data areas with names of their own, found {name} twice");
            return Err(Error::new(ErrorKind::BadData, message));
        }
        containers.push(Container { name, content: Content::Bit(bytes) });
    }
    containers.push(Container { name: container.clone(), content: Content::Bit(record) });
    let channel = Channel::of(containers);
    let start = out.len();
    let mut reader = Reader::new(interface, &channel, out);
    reader.elements = Some(elements);
    let read = reader.root().and_then(|()| reader.all_are_named());
    read.map_err(|mut error| {
        out.truncate(start);
        if let Some(place) = &mut error.record {
            place.apart = Apart::DataAreas;
            if place.container == *container {
                place.container.clear();
            }
        }
        error
    })
}

/// The place of a container as a whole.
fn whole(container: &Container) -> RecordPlace {
    let (apart, field) = (Apart::Containers, String::new());
    RecordPlace { container: container.name.clone(), apart, field, offset: 0 }
}

pub(crate) struct Reader<'p, 'c, 'o> {
    pub(crate) interface: &'p Interface,
    channel: &'c Channel,
    /// Empty for channels that are searched.
    by_name: HashMap<&'c str, &'c Container>,
    pub(crate) json_end: usize,
    pub(crate) out: &'o mut Vec<u8>,
    rows: usize,
    pub(crate) text: String,
    /// The row length of each data area that no field has named yet; none if there are containers instead.
    elements: Option<HashMap<String, usize>>,
}

/// The record, or the row, that is read.
#[derive(Clone, Copy)]
pub(crate) struct Record<'c> {
    container: &'c str,
    /// Bytes of the container before it.
    start: usize,
    pub(crate) bytes: &'c [u8],
}

impl Record<'_> {
    /// Says where in the channel an error is.
    pub(crate) fn at(&self, place: &Place, delta: usize, error: Error) -> Error {
        let found = RecordPlace {
            container: self.container.to_owned(),
            apart: Apart::Containers,
            field: place.field.to_string(),
            offset: self.start + place.offset + delta,
        };
        Error { record: error.record.or(Some(Box::new(found))), ..error }
    }
}

impl<'p, 'c, 'o> Reader<'p, 'c, 'o> {
    pub(crate) fn new(interface: &'p Interface, channel: &'c Channel, out: &'o mut Vec<u8>) -> Self {
        let many = channel.containers().len() > SEARCHED_MAX;
        let by_name = channel
            .containers()
            .iter()
            .filter(|_| many)
            .map(|container| (container.name.as_str(), container));
        Reader {
            interface,
            channel,
            by_name: by_name.collect(),
            json_end: out.len().saturating_add(JSON_BYTES_MAX),
            out,
            rows: 0,
            text: String::new(),
            elements: None,
        }
    }

    fn root(&mut self) -> Result<(), Error> {
        if let Root::Bare { container } = &self.interface.root {
            return self.record(container);
        }
        self.out.extend_from_slice(b"{\"channel\":");
        match &self.interface.root {
            Root::Record { container } | Root::Bare { container } => self.record(container),
            Root::Containers(members) => self.containers(members),
        }
        .map_err(|error| error.within("channel"))?;
        self.out.push(b'}');
        Ok(())
    }

    fn containers(&mut self, members: &[ContainerMember]) -> Result<(), Error> {
        self.out.push(b'{');
        let mut first = true;
        for member in members {
            let name = match &member.form {
                ContainerForm::Record { container } => container.as_str(),
                ContainerForm::Text { .. } => &member.name,
            };
            if self.find(name).is_none() && !member.required {
                continue;
            }
            self.name(&member.name, &mut first);
            match &member.form {
                ContainerForm::Record { container } => self.record(container),
                ContainerForm::Text { padded_bytes, .. } => {
                    self.text_container(&member.name, *padded_bytes > 0)
                }
            }
            .map_err(|error| error.within(&member.name))?;
        }
        self.out.push(b'}');
        Ok(())
    }

    fn find(&self, name: &str) -> Option<&'c Container> {
        if self.by_name.is_empty() { self.channel.get(name) } else { self.by_name.get(name).copied() }
    }

    pub(crate) fn container(&self, name: &str) -> Result<&'c Container, Error> {
        self.find(name).ok_or_else(|| {
            let message = match self.elements {
                None => format!("expected the container {name} in the channel, found none"),
                Some(_) => format!("expected elements in the data area {name}, found none"),
            };
            Error::new(ErrorKind::MissingContainer, message)
        })
    }

    /// Checks that a data area has exactly `count` elements of `row_bytes` bytes, and is not named again. If
    /// a program put two arrays into one area by mistake, the first one would else be sent twice.
    fn check_area(&mut self, container: &Container, count: usize, row_bytes: usize) -> Result<(), Error> {
        let Some(elements) = &mut self.elements else { return Ok(()) };
        let name = &container.name;
        let Some(element_bytes) = elements.remove(name) else {
            let message = format!("expected a data area for each array, found {name} twice");
            return Err(Error::new(ErrorKind::BadData, message));
        };
        if element_bytes != row_bytes {
            let message =
                format!("data area {name}: expected elements of {row_bytes} bytes, found {element_bytes}");
            return Err(Error::new(ErrorKind::ShortContainer, message));
        }
        let bytes = container.content.bytes().len();
        if bytes != row_bytes.saturating_mul(count) {
            let found = bytes / row_bytes.max(1);
            let rest = bytes % row_bytes.max(1);
            let message = match rest {
                0 => format!("data area {name}: expected {count} elements, found {found}"),
                _ => format!(
                    "data area {name}: expected {count} elements of {row_bytes} bytes, found {bytes} bytes"
                ),
            };
            return Err(Error::new(ErrorKind::RowCount, message));
        }
        Ok(())
    }

    /// Checks that the record has named all data areas.
    fn all_are_named(&self) -> Result<(), Error> {
        match self.elements.as_ref().and_then(|elements| elements.keys().min()) {
            None => Ok(()),
            Some(name) => {
                let message = format!("expected a field that names the data area {name}, found none");
                Err(Error::new(ErrorKind::BadData, message))
            }
        }
    }

    /// The record in a container of that name.
    pub(crate) fn record(&mut self, name: &str) -> Result<(), Error> {
        let container = self.container(name)?;
        self.rows_of(container, 0, 1, |reader, _, record| reader.area(0, record))
    }

    fn area(&mut self, area: usize, record: Record<'_>) -> Result<(), Error> {
        self.value(&self.interface.areas[area].node, record, 0)
    }

    /// Gives the rows of a container, which must have all of them. The last row may lack the filler at its
    /// end.
    pub(crate) fn rows_of(
        &mut self,
        container: &'c Container,
        area: usize,
        count: usize,
        mut row: impl FnMut(&mut Self, usize, Record<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let plan = &self.interface.areas[area];
        if area != 0 {
            self.check_area(container, count, plan.bytes)?;
        }
        let bytes = container.content.bytes();
        let needed = plan.bytes.saturating_mul(count).saturating_sub(plan.filler_bytes);
        if bytes.len() < needed {
            let message = format!("expected {needed} bytes, found {}", bytes.len());
            let place = RecordPlace { offset: bytes.len(), ..whole(container) };
            let error = Error::new(ErrorKind::ShortContainer, message);
            return Err(Error { record: Some(Box::new(place)), ..error });
        }
        for index in 0..count {
            self.count_row()?;
            let start = index * plan.bytes;
            let end = (start + plan.bytes).min(bytes.len());
            row(self, index, Record { container: &container.name, start, bytes: &bytes[start..end] })?;
        }
        Ok(())
    }

    pub(crate) fn count_row(&mut self) -> Result<(), Error> {
        self.rows += 1;
        if self.rows > ROWS_MAX {
            let message =
                format!("expected at most {ROWS_MAX} rows in a channel or its data areas, found more");
            return Err(Error::new(ErrorKind::TooLarge, message));
        }
        self.fits()
    }

    /// Checks the length of what is written so far.
    pub(crate) fn fits(&self) -> Result<(), Error> {
        if self.out.len() > self.json_end {
            let message = format!("expected JSON of at most {JSON_BYTES_MAX} bytes, found more");
            return Err(Error::new(ErrorKind::TooLarge, message));
        }
        Ok(())
    }

    fn name(&mut self, name: &str, first: &mut bool) {
        if !std::mem::replace(first, false) {
            self.out.push(b',');
        }
        write_string(name, self.out);
        self.out.push(b':');
    }

    fn object(&mut self, object: &Object, record: Record<'_>, delta: usize) -> Result<(), Error> {
        self.out.push(b'{');
        let mut first = true;
        for member in &object.members {
            self.member(member, record, delta, &mut first).map_err(|error| error.within(&member.name))?;
        }
        self.out.push(b'}');
        Ok(())
    }

    fn member(
        &mut self,
        member: &Member,
        record: Record<'_>,
        delta: usize,
        first: &mut bool,
    ) -> Result<(), Error> {
        let (teller, most) = match (&member.presence, member.node.count()) {
            (Some(presence), _) => (Some(presence), 1),
            // An optional array without elements is left out.
            (None, Some(count)) if !member.required => (Some(count), usize::MAX),
            // So is a choice whose members are all missing.
            (None, None) => match &member.node {
                Node::Choice(choice) if !member.required => (Some(&choice.which), usize::from(u8::MAX)),
                _ => (None, 0),
            },
            _ => (None, 0),
        };
        if let Some(place) = teller
            && self.count(place, record, delta, most)? == 0
        {
            if member.required && member.nullable {
                self.name(&member.name, first);
                self.out.extend_from_slice(b"null");
            }
            return Ok(());
        }
        self.name(&member.name, first);
        self.value(&member.node, record, delta)
    }

    pub(crate) fn count(
        &self,
        place: &Place,
        record: Record<'_>,
        delta: usize,
        most: usize,
    ) -> Result<usize, Error> {
        text::counted(place, record.bytes, delta, most)
            .map_err(|(error, place)| record.at(place, delta, error))
    }

    pub(crate) fn value(&mut self, node: &Node, record: Record<'_>, delta: usize) -> Result<(), Error> {
        match node {
            Node::Object(object) => self.object(object, record, delta),
            Node::Text(text) => {
                let bytes = self.bytes(&text.field, record, delta)?;
                let encoding = self.interface.encoding;
                self.string(encoding, bytes).map_err(|error| record.at(&text.field.place, delta, error))
            }
            Node::Octets(octets) => {
                let bytes = self.bytes(&octets.field, record, delta)?;
                self.octets(octets.encoding, bytes)
            }
            Node::Boolean(place) => {
                let word: &[u8] = match record.bytes[place.range(delta)] {
                    [0] => b"false",
                    [1] => b"true",
                    ref other => {
                        let message = format!("expected the byte 00 or 01, found {other:02X?}");
                        return Err(record.at(place, delta, Error::new(ErrorKind::BadData, message)));
                    }
                };
                self.out.extend_from_slice(word);
                Ok(())
            }
            Node::Number(number) => number
                .codec
                .read(&record.bytes[number.place.range(delta)], self.out)
                .map_err(|error| record.at(&number.place, delta, error.into())),
            Node::Table(table) => self.table(table, record, delta),
            Node::Rows(rows) => self.rows(rows, record, delta),
            Node::One { name, area } => {
                let container = self.named(name, record, delta)?;
                self.rows_of(container, *area, 1, |reader, _, inner| reader.area(*area, inner))
            }
            Node::LongText { name, may_be_none, .. } => {
                if *may_be_none && self.is_blank(name, record, delta) {
                    self.out.extend_from_slice(b"\"\"");
                    return Ok(());
                }
                let container = self.named(name, record, delta)?;
                self.content_text(container, false)
            }
            Node::Choice(choice) => match self.chosen(choice, record, delta)? {
                None => {
                    self.out.extend_from_slice(b"{}");
                    Ok(())
                }
                Some((container, area)) => {
                    self.rows_of(container, area, 1, |reader, _, inner| reader.area(area, inner))
                }
            },
            Node::LongOctets { name, encoding, .. } => {
                let container = self.named(name, record, delta)?;
                self.octets(*encoding, container.content.bytes())
            }
        }
    }

    /// The bytes of a field that count.
    pub(crate) fn bytes<'r>(
        &self,
        field: &Field,
        record: Record<'r>,
        delta: usize,
    ) -> Result<&'r [u8], Error> {
        field
            .bytes(self.interface.encoding, record.bytes, delta)
            .map_err(|(error, place)| record.at(place, delta, error))
    }

    fn table(&mut self, table: &Table, record: Record<'_>, delta: usize) -> Result<(), Error> {
        let count = match &table.count {
            Some(place) => self.count(place, record, delta, table.max)?,
            None => table.max,
        };
        self.out.push(b'[');
        for row in 0..count {
            self.count_row()?;
            if row > 0 {
                self.out.push(b',');
            }
            self.value(&table.row, record, delta + row * table.row_bytes)
                .map_err(|error| error.within_row(row))?;
        }
        self.out.push(b']');
        Ok(())
    }

    fn rows(&mut self, rows: &Rows, record: Record<'_>, delta: usize) -> Result<(), Error> {
        let most = rows.max.and_then(|max| usize::try_from(max).ok()).unwrap_or(ROWS_MAX).min(ROWS_MAX);
        let count = self.count(&rows.count, record, delta, most)?;
        self.out.push(b'[');
        if count > 0 {
            let container = self.named(&rows.name, record, delta)?;
            self.rows_of(container, rows.area, count, |reader, index, row| {
                if index > 0 {
                    reader.out.push(b',');
                }
                reader.area(rows.area, row).map_err(|error| error.within_row(index))
            })?;
        }
        self.out.push(b']');
        Ok(())
    }

    /// The container with the chosen member of a choice, and its area; none if no member is chosen.
    pub(crate) fn chosen(
        &mut self,
        choice: &Choice,
        record: Record<'_>,
        delta: usize,
    ) -> Result<Option<(&'c Container, usize)>, Error> {
        let which = record.bytes[choice.which.range(delta)].first().copied().unwrap_or_default();
        let area = match which {
            0 => return Ok(None),
            number => choice.areas.get(usize::from(number) - 1),
        };
        let Some(area) = area else {
            let message =
                format!("expected the number of a member, 0 to {}, found {which}", choice.areas.len());
            return Err(record.at(&choice.which, delta, Error::new(ErrorKind::BadData, message)));
        };
        Ok(Some((self.named(&choice.name, record, delta)?, *area)))
    }

    /// True if a field holds no name.
    pub(crate) fn is_blank(&self, place: &Place, record: Record<'_>, delta: usize) -> bool {
        let blank = text::blank(self.interface.encoding);
        record.bytes[place.range(delta)].iter().all(|byte| *byte == blank || *byte == 0)
    }

    /// The container that a field names.
    pub(crate) fn named(
        &mut self,
        place: &Place,
        record: Record<'_>,
        delta: usize,
    ) -> Result<&'c Container, Error> {
        let encoding = self.interface.encoding;
        let bytes = &record.bytes[place.range(delta)];
        // Programs write names with blanks behind them. INITIALIZE may have left nulls.
        let end = bytes.iter().rposition(|byte| *byte != text::blank(encoding) && *byte != 0);
        let mut name = String::new();
        text::decode(encoding, &bytes[..end.map_or(0, |last| last + 1)], &mut name)
            .map_err(|error| record.at(place, delta, error))?;
        if name.is_empty() {
            let what = if self.elements.is_some() { Apart::DataAreas } else { Apart::Containers }.word();
            let message = format!("expected the name of a {what}, found none");
            let error = Error::new(ErrorKind::MissingContainer, message);
            return Err(record.at(place, delta, error));
        }
        self.container(&name).map_err(|error| record.at(place, delta, error))
    }

    fn text_container(&mut self, name: &str, padded: bool) -> Result<(), Error> {
        let container = self.container(name)?;
        self.content_text(container, padded)
    }

    /// Writes the text of a container as JSON.
    fn content_text(&mut self, container: &Container, padded: bool) -> Result<(), Error> {
        self.take_text(container, padded)?;
        self.quoted();
        self.fits()
    }

    /// Reads the text of a container in the container's own code page, or else in that of the interface.
    pub(crate) fn take_text(&mut self, container: &Container, padded: bool) -> Result<(), Error> {
        let place = |message: String, kind: ErrorKind| {
            let place = whole(container);
            Error { record: Some(Box::new(place)), ..Error::new(kind, message) }
        };
        let encoding = match &container.content {
            Content::Bit(_) => self.interface.encoding,
            Content::Char { ccsid, .. } => Encoding::by_ccsid(*ccsid).ok_or_else(|| {
                place(format!("expected a CCSID that is known, found {ccsid}"), ErrorKind::BadData)
            })?,
        };
        let bytes = container.content.bytes();
        let bytes = if padded { text::trimmed(bytes, text::blank(encoding)) } else { bytes };
        self.text.clear();
        text::decode(encoding, bytes, &mut self.text).map_err(|error| place(error.message, error.kind))
    }

    fn string(&mut self, encoding: Encoding, bytes: &[u8]) -> Result<(), Error> {
        self.text.clear();
        text::decode(encoding, bytes, &mut self.text)?;
        self.quoted();
        self.fits()
    }

    fn octets(&mut self, encoding: assistant::Encoding, octets: &[u8]) -> Result<(), Error> {
        self.text.clear();
        octets::encode(encoding, octets, &mut self.text);
        self.quoted();
        self.fits()
    }

    /// Writes the text as a string; most has nothing to escape.
    fn quoted(&mut self) {
        let plain = |byte: u8| byte >= 0x20 && byte != b'"' && byte != b'\\' && byte != 0x7F;
        if self.text.bytes().all(plain) {
            self.out.push(b'"');
            self.out.extend_from_slice(self.text.as_bytes());
            self.out.push(b'"');
        } else {
            write_string(&self.text, self.out);
        }
    }
}
