//! JSON to containers: the text is read once, and each value goes to its place.

use assistant::XmlForm;
use record::JsonCursor;
use service::{Channel, Content, DataArea};

use crate::error::{Error, ErrorKind};
use crate::limits::TextLimits;
use crate::made::{Made, put_name};
use crate::options::UnknownMembers;
use crate::plan::{Choice, ContainerForm, ContainerMember, Member, Node, Object, Octets, Root, Rows, Table};
use crate::values::Values;
use crate::{Interface, octets, text};

/// The containers of JSON.
pub(crate) fn channel(interface: &Interface, json: &[u8]) -> Result<Channel, Error> {
    Ok(made(interface, json)?.into_channel())
}

/// The record of JSON, and its data areas.
pub(crate) fn record(interface: &Interface, json: &[u8]) -> Result<(Vec<u8>, Vec<DataArea>), Error> {
    let made = made(interface, json)?;
    match &interface.root {
        Root::Bare { container } | Root::Record { container } => Ok(made.into_areas(container)),
        Root::Containers(_) => Ok(made.into_areas("")),
    }
}

fn made(interface: &Interface, json: &[u8]) -> Result<Made, Error> {
    let json = std::str::from_utf8(json).map_err(|error| {
        let message = format!("expected UTF-8, found other bytes after byte {}", error.valid_up_to());
        Error::new(ErrorKind::Syntax, message)
    })?;
    let mut writer = Writer {
        interface,
        text: json,
        cursor: JsonCursor::new(json),
        made: Made::new(interface),
        seen: Vec::new(),
        encoded: Vec::new(),
    };
    writer.root()?;
    Ok(writer.made)
}

struct Writer<'p, 'j> {
    interface: &'p Interface,
    text: &'j str,
    cursor: JsonCursor<'j>,
    made: Made,
    /// Which members the objects around the cursor have had.
    seen: Vec<bool>,
    /// Text in the encoding of the record.
    encoded: Vec<u8>,
}

impl<'p, 'j> Writer<'p, 'j> {
    fn root(&mut self) -> Result<(), Error> {
        match &self.interface.root {
            Root::Bare { container } => self.record(container)?,
            Root::Record { .. } | Root::Containers(_) => self.in_channel()?,
        }
        match self.cursor.peek() {
            None => Ok(()),
            Some(_) => Err(self.cursor.unexpected("the end of the text").into()),
        }
    }

    fn in_channel(&mut self) -> Result<(), Error> {
        let seen = self.seen.len();
        self.seen.push(false);
        self.members(|writer, name, position| {
            if name != "channel" {
                return writer.unknown(name, position);
            }
            writer.first(seen, name, position)?;
            writer.whole_channel().map_err(|error| error.within("channel"))
        })?;
        if !self.seen[seen] {
            return Err(missing("channel").at(self.cursor.position(self.cursor.at())));
        }
        Ok(())
    }

    fn whole_channel(&mut self) -> Result<(), Error> {
        match &self.interface.root {
            Root::Record { container } | Root::Bare { container } => self.record(container),
            Root::Containers(members) => {
                let base = self.seen.len();
                self.seen.resize(base + members.len(), false);
                self.members(|writer, name, position| {
                    let Some(index) = members.iter().position(|member| *member.name == *name) else {
                        return writer.unknown(name, position);
                    };
                    writer.first(base + index, name, position)?;
                    writer.container(&members[index]).map_err(|error| error.within(name))
                })?;
                let absent =
                    members.iter().zip(&self.seen[base..]).find(|(member, seen)| member.required && !**seen);
                if let Some((member, _)) = absent {
                    return Err(missing(&member.name).at(self.cursor.position(self.cursor.at())));
                }
                self.seen.truncate(base);
                Ok(())
            }
        }
    }

    /// A member of the channel.
    fn container(&mut self, member: &ContainerMember) -> Result<(), Error> {
        match &member.form {
            ContainerForm::Record { container } => self.record(container),
            ContainerForm::Text { limits, padded_bytes } => {
                let mut bytes = self.long_text(limits)?;
                let blank = text::blank(self.interface.encoding);
                bytes.resize(bytes.len().max(*padded_bytes), blank);
                let ccsid = self.interface.encoding.ccsid();
                self.made.put(member.name.to_string(), Content::Char { bytes, ccsid })
            }
        }
    }

    /// The record, in a container of that name.
    fn record(&mut self, container: &str) -> Result<(), Error> {
        let mut record = self.start(0)?;
        self.value(None, &self.interface.areas[0].node, &mut record, 0)?;
        self.made.put(container.to_owned(), Content::Bit(record))
    }

    /// The bytes of a record before anything is written.
    fn start(&mut self, area: usize) -> Result<Vec<u8>, Error> {
        let template = &self.interface.areas[area].template;
        self.made.grow(template.len())?;
        Ok(template.clone())
    }

    /// Reads the members of an object, giving each name with its place in the text.
    fn members(
        &mut self,
        mut member: impl FnMut(&mut Self, &str, (usize, usize)) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if self.cursor.peek() != Some(b'{') {
            return Err(self.wrong_type("an object"));
        }
        self.cursor.expect(b'{')?;
        if self.cursor.take(b'}') {
            return Ok(());
        }
        loop {
            if self.cursor.peek() != Some(b'"') {
                return Err(self.cursor.unexpected("a member's name in quotes").into());
            }
            let at = self.cursor.at();
            let name = self.cursor.string()?;
            self.cursor.expect(b':')?;
            member(self, &name, (at, self.cursor.at()))?;
            if !self.cursor.take(b',') {
                break;
            }
        }
        if self.cursor.take(b'}') { Ok(()) } else { Err(self.cursor.unexpected("',' or '}'").into()) }
    }

    fn object(&mut self, object: &Object, record: &mut [u8], delta: usize) -> Result<(), Error> {
        let base = self.seen.len();
        self.seen.resize(base + object.members.len(), false);
        let mut next = 0;
        self.members(|writer, name, position| {
            // Members mostly come in the order of the schema.
            let index = match object.members.get(next) {
                Some(expected) if *expected.name == *name => next,
                _ => match object.by_name.get(name) {
                    Some(index) => *index,
                    None => return writer.unknown(name, position),
                },
            };
            next = index + 1;
            writer.first(base + index, name, position)?;
            let member = &object.members[index];
            writer.member(member, record, delta).map_err(|error| error.within(name))
        })?;
        for (index, member) in object.members.iter().enumerate() {
            if !self.seen[base + index] {
                self.absent(member, record, delta)
                    .map_err(|error| error.at(self.cursor.position(self.cursor.at())))?;
            }
        }
        self.seen.truncate(base);
        Ok(())
    }

    /// A member that the JSON does not have. An attribute of XML has the value that the schema gives, as in XML.
    fn absent(&mut self, member: &Member, record: &mut [u8], delta: usize) -> Result<(), Error> {
        match member.form() {
            _ if member.required => Err(missing(&member.name)),
            Some(XmlForm::Attribute) => {
                self.values().put_given(member, record, delta).map_err(|error| error.within(&member.name))
            }
            _ => Ok(()),
        }
    }

    fn values(&mut self) -> Values<'_> {
        Values { interface: self.interface, made: &mut self.made, encoded: &mut self.encoded }
    }

    fn member(&mut self, member: &Member, record: &mut [u8], delta: usize) -> Result<(), Error> {
        if member.nullable && self.cursor.peek() == Some(b'n') {
            // The field for presence stays as in the template: it says that the value is missing.
            return Ok(self.cursor.word("null")?);
        }
        if let Some(presence) = &member.presence {
            text::put_count(presence, 1, record, delta);
        }
        self.value(Some(member), &member.node, record, delta)
    }

    /// A value of a member, or of one of its rows.
    fn value(
        &mut self,
        member: Option<&Member>,
        node: &Node,
        record: &mut [u8],
        delta: usize,
    ) -> Result<(), Error> {
        let Some(member) = member.filter(|member| member.given().is_some() && node.is_single()) else {
            return self.plain_value(member, node, record, delta);
        };
        self.cursor.peek();
        let at = self.cursor.at();
        // An empty element of XML is an empty text here, and has the value that the schema gives.
        let is_element = member.form() != Some(XmlForm::Attribute);
        match member.given().filter(|_| is_element && node.is_text() && self.text[at..].starts_with("\"\"")) {
            Some(given) => {
                self.cursor.string()?;
                self.values().put(node, given, record, delta)
            }
            None => {
                self.plain_value(None, node, record, delta)?;
                self.values().check_fixed(member, node, record, delta)
            }
        }
        .map_err(|error| error.at(self.cursor.position(at)))
    }

    fn plain_value(
        &mut self,
        member: Option<&Member>,
        node: &Node,
        record: &mut [u8],
        delta: usize,
    ) -> Result<(), Error> {
        match node {
            Node::Object(object) => self.object(object, record, delta),
            Node::Text(text) => {
                let at = self.encode(&text.limits)?;
                text.field
                    .put(&self.encoded, self.interface.encoding, record, delta)
                    .map_err(|error| error.at(self.cursor.position(at)))
            }
            Node::Octets(octets) => self.octets(octets, record, delta),
            Node::Boolean(place) => {
                let value = self.boolean()?;
                record[place.range(delta)].fill(u8::from(value));
                Ok(())
            }
            Node::Number(number) => {
                if !matches!(self.cursor.peek(), Some(b'-' | b'0'..=b'9')) {
                    return Err(self.wrong_type("a number"));
                }
                let at = self.cursor.at();
                // Only ASCII gets here.
                let json = std::str::from_utf8(self.cursor.number()).unwrap_or_default();
                let field = &mut record[number.place.range(delta)];
                let written = number.limits.check(json).and_then(|()| Ok(number.codec.write(json, field)?));
                written.map_err(|error| error.at(self.cursor.position(at)))
            }
            Node::Table(table) => self.table(member, table, record, delta),
            Node::Rows(rows) => self.rows(member, rows, record, delta),
            Node::One { name, area } => {
                let mut inner = self.start(*area)?;
                let container = self.made.name(self.interface.encoding, &mut record[name.range(delta)])?;
                self.value(member, &self.interface.areas[*area].node, &mut inner, 0)?;
                self.made.put(container, Content::Bit(inner))
            }
            Node::LongText { name, limits, may_be_none } => {
                let bytes = self.long_text(limits)?;
                if bytes.is_empty() && *may_be_none {
                    return Ok(());
                }
                let container = self.made.name(self.interface.encoding, &mut record[name.range(delta)])?;
                let ccsid = self.interface.encoding.ccsid();
                self.made.put(container, Content::Char { bytes, ccsid })
            }
            Node::LongOctets { name, encoding, most } => {
                let limits = TextLimits { max: *most, ..TextLimits::default() };
                let at = self.string_at()?;
                let shown = self.cursor.string()?;
                let octets = limits.check(&shown).and_then(|()| octets::decode(*encoding, &shown));
                let octets = octets.map_err(|error| error.at(self.cursor.position(at)))?;
                self.made.grow(octets.len())?;
                let container = self.made.name(self.interface.encoding, &mut record[name.range(delta)])?;
                self.made.put(container, Content::Bit(octets))
            }
            Node::Choice(choice) => self.choice(choice, record, delta),
        }
    }

    /// One of several members: an object that has just this one.
    fn choice(&mut self, choice: &Choice, record: &mut [u8], delta: usize) -> Result<(), Error> {
        let at = self.cursor.at();
        let mut found = false;
        self.members(|writer, name, position| {
            let areas = &writer.interface.areas;
            let member = |area: usize| match &areas[area].node {
                Node::Object(object) => object.members.first().filter(|member| *member.name == *name),
                _ => None,
            };
            let known = choice.areas.iter().enumerate();
            let known = known.filter_map(|(index, area)| Some((index, *area, member(*area)?))).next();
            let Some((index, area, member)) = known else { return writer.unknown(name, position) };
            if std::mem::replace(&mut found, true) {
                let message = "expected one member of a choice, found another";
                let error = Error::new(ErrorKind::DuplicateMember, message);
                return Err(error.within(name).at(writer.cursor.position(position.0)));
            }
            record[choice.which.range(delta)].fill(index as u8 + 1);
            let mut inner = writer.start(area)?;
            let container =
                writer.made.name(writer.interface.encoding, &mut record[choice.name.range(delta)])?;
            writer.member(member, &mut inner, 0).map_err(|error| error.within(name))?;
            writer.made.put(container, Content::Bit(inner))
        })?;
        if found {
            return Ok(());
        }
        let error = Error::new(ErrorKind::MissingMember, "expected one member of a choice, found none");
        Err(error.at(self.cursor.position(at)))
    }

    fn octets(&mut self, octets: &Octets, record: &mut [u8], delta: usize) -> Result<(), Error> {
        let at = self.string_at()?;
        let shown = self.cursor.string()?;
        let put = octets::decode(octets.encoding, &shown)
            .and_then(|bytes| octets.field.put(&bytes, self.interface.encoding, record, delta));
        put.map_err(|error| error.at(self.cursor.position(at)))
    }

    fn boolean(&mut self) -> Result<bool, Error> {
        match self.cursor.peek() {
            Some(b't') => self.cursor.word("true").map(|()| true),
            Some(b'f') => self.cursor.word("false").map(|()| false),
            _ => return Err(self.wrong_type("true or false")),
        }
        .map_err(Error::from)
    }

    /// An array in a table of the record.
    fn table(
        &mut self,
        member: Option<&Member>,
        table: &Table,
        record: &mut [u8],
        delta: usize,
    ) -> Result<(), Error> {
        let at = self.array_at()?;
        let count = self.elements(|writer, row| {
            if row >= table.max {
                return Err(too_many(table.max as u64));
            }
            writer.value(member, &table.row, record, delta + row * table.row_bytes)
        })?;
        self.enough(count, table.min as u64, at)?;
        if let Some(place) = &table.count {
            text::put_count(place, count, record, delta);
        }
        Ok(())
    }

    /// An array in a container of its own.
    fn rows(
        &mut self,
        member: Option<&Member>,
        rows: &Rows,
        record: &mut [u8],
        delta: usize,
    ) -> Result<(), Error> {
        let at = self.array_at()?;
        let name = self.made.generate();
        let area = &self.interface.areas[rows.area];
        let mut bytes = Vec::new();
        let count = self.elements(|writer, row| {
            if rows.max.is_some_and(|max| row as u64 >= max) {
                return Err(too_many(rows.max.unwrap_or_default()));
            }
            writer.made.grow(area.bytes)?;
            let start = bytes.len();
            bytes.extend_from_slice(&area.template);
            writer.value(member, &area.node, &mut bytes[start..], 0)
        })?;
        self.enough(count, rows.min, at)?;
        if count == 0 {
            // No container: its name is blank, as in the template, and free for the next array.
            self.made.take_back();
            return Ok(());
        }
        text::put_count(&rows.count, count, record, delta);
        put_name(&name, self.interface.encoding, &mut record[rows.name.range(delta)])?;
        self.made.put_rows(name, area.bytes, Content::Bit(bytes))
    }

    /// Reads the elements of an array and counts them.
    fn elements(
        &mut self,
        mut element: impl FnMut(&mut Self, usize) -> Result<(), Error>,
    ) -> Result<usize, Error> {
        self.cursor.expect(b'[')?;
        if self.cursor.take(b']') {
            return Ok(0);
        }
        let mut count = 0;
        loop {
            self.cursor.peek();
            let at = self.cursor.at();
            element(self, count).map_err(|error| error.within_row(count).at(self.cursor.position(at)))?;
            count += 1;
            if !self.cursor.take(b',') {
                break;
            }
        }
        if self.cursor.take(b']') { Ok(count) } else { Err(self.cursor.unexpected("',' or ']'").into()) }
    }

    fn enough(&mut self, count: usize, min: u64, at: usize) -> Result<(), Error> {
        if (count as u64) < min {
            let message = format!("expected at least {min} elements, found {count}");
            return Err(Error::new(ErrorKind::RowCount, message).at(self.cursor.position(at)));
        }
        Ok(())
    }

    /// Encodes the text that is next; returns where it stands.
    fn encode(&mut self, limits: &TextLimits) -> Result<usize, Error> {
        let at = self.string_at()?;
        let text = self.cursor.string()?;
        self.encoded.clear();
        let encoded = limits
            .check(&text)
            .and_then(|()| text::encode(self.interface.encoding, &text, &mut self.encoded));
        encoded.map(|()| at).map_err(|error| error.at(self.cursor.position(at)))
    }

    /// The text that is next, as the bytes of a container.
    fn long_text(&mut self, limits: &TextLimits) -> Result<Vec<u8>, Error> {
        self.encode(limits)?;
        self.made.grow(self.encoded.len())?;
        Ok(self.encoded.clone())
    }

    fn string_at(&mut self) -> Result<usize, Error> {
        if self.cursor.peek() == Some(b'"') { Ok(self.cursor.at()) } else { Err(self.wrong_type("text")) }
    }

    fn array_at(&mut self) -> Result<usize, Error> {
        if self.cursor.peek() == Some(b'[') { Ok(self.cursor.at()) } else { Err(self.wrong_type("an array")) }
    }

    #[cold]
    fn wrong_type(&mut self, expected: &str) -> Error {
        if self.cursor.kind() == "no value" {
            return self.cursor.unexpected("a value").into();
        }
        let message = format!("expected {expected}, found {}", self.cursor.kind());
        Error::new(ErrorKind::WrongType, message).at(self.cursor.position(self.cursor.at()))
    }

    /// A member that the schema does not have. `at` is where its name and its value stand.
    fn unknown(&mut self, name: &str, at: (usize, usize)) -> Result<(), Error> {
        match self.interface.unknown_members {
            UnknownMembers::Ignore => Ok(self.cursor.skip_value(1)?),
            UnknownMembers::Refuse => {
                let error =
                    Error::new(ErrorKind::UnknownMember, "expected a member of the schema, found another");
                Err(error.within(name).at(self.cursor.position(at.0)))
            }
        }
    }

    /// Notes a member. A second member of the same name is an error.
    fn first(&mut self, seen: usize, name: &str, at: (usize, usize)) -> Result<(), Error> {
        if std::mem::replace(&mut self.seen[seen], true) {
            let error = Error::new(ErrorKind::DuplicateMember, "expected the member once, found it twice");
            return Err(error.within(name).at(self.cursor.position(at.0)));
        }
        Ok(())
    }
}

#[cold]
fn missing(name: &str) -> Error {
    Error::new(ErrorKind::MissingMember, "expected the required member, found none").within(name)
}

#[cold]
fn too_many(most: u64) -> Error {
    Error::new(ErrorKind::RowCount, format!("expected at most {most} elements, found more"))
}
