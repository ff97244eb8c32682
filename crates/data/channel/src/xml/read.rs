//! XML to containers: the elements are read once, in the order of the schema, and each value goes to its
//! place.
//!
//! The reader always knows which member an element belongs to. XML Schema demands this (Unique Particle
//! Attribution), so the reader never goes back.

use ::xml::{
    Attribute, Cursor, Error as XmlError, ErrorKind as XmlErrorKind, Open, OtherAttributes, XSI, shown, trim,
};
use assistant::XmlForm;
use service::{Channel, Content};

use super::{Special, any, option};
use crate::error::{Error, ErrorKind};
use crate::made::{Made, put_name};
use crate::plan::{Choice, Member, Node, Object};
use crate::values::Values;
use crate::{Interface, text};

/// The code page of any XML: UTF-8, which has all characters.
const UTF_8: u16 = 1208;

/// The containers of an element that is open.
pub(crate) fn channel<'a>(
    interface: &Interface,
    cursor: &mut Cursor<'a>,
    open: &Open<'a>,
) -> Result<Channel, Error> {
    let crate::plan::Root::Bare { container } = &interface.root else {
        return Err(Error::new(ErrorKind::WrongType, "the interface is one of JSON"));
    };
    let mut reader =
        Reader { interface, cursor, made: Made::new(interface), encoded: Vec::new(), surplus: None };
    let mut record = reader.start(0)?;
    if open.is_nil() {
        return Err(reader.placed(Error::new(ErrorKind::WrongType, "the element cannot be nil"), open.at));
    }
    if let Node::Object(object) = &interface.areas[0].node {
        let others = interface.xml.as_ref().map(|root| &root.name.other_attributes);
        reader.content((object, others), open, &mut record, 0)?;
    }
    reader.made.put(container.clone(), Content::Bit(record))?;
    Ok(reader.made.into_channel())
}

impl From<XmlError> for Error {
    fn from(error: XmlError) -> Self {
        let kind = match error.kind {
            XmlErrorKind::Content => ErrorKind::WrongType,
            XmlErrorKind::TooDeep => ErrorKind::TooLarge,
            XmlErrorKind::Character => ErrorKind::BadData,
            _ => ErrorKind::Syntax,
        };
        Self { position: error.position, ..Self::new(kind, error.message) }
    }
}

struct Reader<'p, 'c, 'a> {
    interface: &'p Interface,
    cursor: &'c mut Cursor<'a>,
    made: Made,
    /// Text in the encoding of the record.
    encoded: Vec<u8>,
    /// Where the last element begins for which a table has no row, and the error if nothing else takes it.
    surplus: Option<(usize, Error)>,
}

/// The attributes that an element may have although the record does not have them.
type Others<'p> = Option<&'p OtherAttributes>;

/// The elements in an open element.
struct Kids<'a> {
    /// The next element to read.
    next: Option<Open<'a>>,
    /// Where the one around them starts.
    at: usize,
}

impl<'p, 'a> Reader<'p, '_, 'a> {
    /// The bytes of an area before anything is written.
    fn start(&mut self, area: usize) -> Result<Vec<u8>, Error> {
        let template = &self.interface.areas[area].template;
        self.made.grow(template.len())?;
        Ok(template.clone())
    }

    fn kids(&mut self, open: &Open<'a>) -> Result<Kids<'a>, Error> {
        Ok(Kids { next: self.cursor.child()?, at: open.at })
    }

    #[cold]
    fn placed(&self, error: Error, at: usize) -> Error {
        error.at(self.cursor.position(at))
    }

    /// The content of an element, to its end, with the attributes that it may have besides.
    fn content(
        &mut self,
        (object, others): (&'p Object, Others<'p>),
        open: &Open<'a>,
        record: &mut [u8],
        delta: usize,
    ) -> Result<(), Error> {
        match Special::of(object, &self.interface.areas) {
            Some(Special::Chosen(member)) => {
                let Node::Choice(choice) = &member.node else { return Ok(()) };
                let (index, area, member) = self.type_of(choice, open)?;
                self.chosen(choice, index, area, record, delta, |reader, inner| {
                    reader.typed(member, open, inner, 0)
                })
            }
            Some(Special::Types(object)) => {
                let found = self.type_named(object.members.iter(), open)?;
                if let Some(presence) = &found.presence {
                    text::put_count(presence, 1, record, delta);
                }
                self.typed(found, open, record, delta)
            }
            Some(Special::Any(content, prefixes)) => {
                self.check_attributes(open, others)?;
                self.any_content(content, prefixes, open, record, delta)
            }
            None => {
                self.attributes((object, others), open, record, delta)?;
                let text = object.members.iter().find(|member| member.form() == Some(XmlForm::Text));
                if let Some(member) = text {
                    let value = self.cursor.text()?;
                    return self
                        .element_value(member, &member.node, &value, record, delta)
                        .map_err(|error| self.placed(error, open.at));
                }
                let mut kids = self.kids(open)?;
                self.particles(object, &mut kids, record, delta)?;
                match &kids.next {
                    None => Ok(()),
                    Some(extra) => Err(self.unknown(extra)),
                }
            }
        }
    }

    #[cold]
    fn unknown(&mut self, open: &Open<'a>) -> Error {
        if let Some((at, error)) = self.surplus.take_if(|(at, _)| *at == open.at) {
            return self.placed(error, at);
        }
        if let Err(error) = self.cursor.check_name(open) {
            return error.into();
        }
        let of = match self.cursor.namespace(open) {
            "" => String::new(),
            namespace => format!(" of the namespace {}", shown(namespace)),
        };
        let message = format!("this element{of} is unknown, or not allowed here");
        self.placed(Error::new(ErrorKind::UnknownMember, message).within(&shown(open.name)), open.at)
    }

    /// The type that `xsi:type` names, among those of a choice.
    fn type_of(&self, choice: &'p Choice, open: &Open<'a>) -> Result<(usize, usize, &'p Member), Error> {
        let areas = &self.interface.areas;
        let members = choice.areas.iter().filter_map(|area| option(areas, *area));
        let found = self.type_named(members, open)?;
        let is_it = |area: &&usize| option(areas, **area).is_some_and(|member| std::ptr::eq(member, found));
        let index = choice.areas.iter().position(|area| is_it(&area)).unwrap_or_default();
        Ok((index, choice.areas[index], found))
    }

    fn type_named(
        &self,
        mut types: impl Iterator<Item = &'p Member> + Clone,
        open: &Open<'a>,
    ) -> Result<&'p Member, Error> {
        let all = types.clone();
        let given = self.cursor.attributes(open)?;
        let given = given.iter().find(|found| found.namespace == XSI && found.name == "type");
        if let Some(Attribute { value, .. }) = given {
            let (prefix, local) = trim(value).split_once(':').unwrap_or(("", trim(value)));
            let namespace = self.cursor.namespace_of_prefix(open, prefix).unwrap_or_default();
            let is_it = |member: &&Member| {
                member.xml.as_ref().is_some_and(|xml| &*xml.local == local && &*xml.namespace == namespace)
            };
            if let Some(found) = types.find(is_it) {
                return Ok(found);
            }
        }
        let names: Vec<&str> = all.map(|member| &*member.name).collect();
        let found = given.map_or("none".to_owned(), |given| shown(&given.value));
        let message = format!("expected xsi:type with one of {}, found {found}", names.join(", "));
        Err(self.placed(Error::new(ErrorKind::NotListed, message), open.at))
    }

    /// The content of an element of one of several types.
    fn typed(
        &mut self,
        member: &'p Member,
        open: &Open<'a>,
        record: &mut [u8],
        delta: usize,
    ) -> Result<(), Error> {
        match &member.node {
            Node::Object(object) => self.content((object, member.other_attributes()), open, record, delta),
            // The element is empty.
            _ => {
                self.check_attributes(open, member.other_attributes())?;
                match self.cursor.child()? {
                    None => Ok(()),
                    Some(extra) => Err(self.unknown(&extra)),
                }
            }
        }
    }

    /// Puts one of several members into a container of its own.
    fn chosen(
        &mut self,
        choice: &Choice,
        index: usize,
        area: usize,
        record: &mut [u8],
        delta: usize,
        fill: impl FnOnce(&mut Self, &mut [u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        record[choice.which.range(delta)].fill(index as u8 + 1);
        let mut inner = self.start(area)?;
        let container = self.made.name(self.interface.encoding, &mut record[choice.name.range(delta)])?;
        fill(self, &mut inner)?;
        self.made.put(container, Content::Bit(inner))
    }

    fn attributes(
        &mut self,
        (object, others): (&'p Object, Others<'p>),
        open: &Open<'a>,
        record: &mut [u8],
        delta: usize,
    ) -> Result<(), Error> {
        let known = |member: &&Member| member.form() == Some(XmlForm::Attribute);
        let mut seen = Vec::new();
        if open.attribute().is_some() {
            for Attribute { at, namespace, name, value } in self.cursor.attributes(open)? {
                if namespace == XSI {
                    continue;
                }
                let is_it = |member: &&Member| {
                    let xml = member.xml.as_ref();
                    xml.is_some_and(|xml| &*xml.local == name && *xml.namespace == *namespace)
                };
                let Some(member) = object.members.iter().filter(known).find(is_it) else {
                    if others.is_some_and(|others| others.has(&namespace, name)) {
                        continue;
                    }
                    return Err(self.unknown_attribute(at));
                };
                self.note(member, true, record, delta);
                self.put(member, &member.node, &value, record, delta)
                    .map_err(|error| self.placed(error.within(&member.name), at))?;
                seen.push(&*member.name);
            }
        }
        for member in object.members.iter().filter(known) {
            if !seen.contains(&&*member.name) {
                self.missing_attribute(member, record, delta)
                    .map_err(|error| self.placed(error.within(&member.name), open.at))?;
            }
        }
        Ok(())
    }

    /// An attribute that the element does not have. The schema may give a value to it, and then it counts as one that is there.
    fn missing_attribute(&mut self, member: &Member, record: &mut [u8], delta: usize) -> Result<(), Error> {
        if member.required {
            return Err(Error::new(ErrorKind::MissingMember, "expected the attribute, found none"));
        }
        self.values().put_given(member, record, delta)
    }

    /// Checks the attributes of an element without fields for attributes.
    fn check_attributes(&self, open: &Open<'a>, others: Others<'_>) -> Result<(), Error> {
        let unknown = self.cursor.unknown_attribute(open, others)?;
        unknown.map_or(Ok(()), |at| Err(self.unknown_attribute(at)))
    }

    #[cold]
    fn unknown_attribute(&self, at: usize) -> Error {
        let message = format!("unknown attribute {}", self.cursor.name_at(at));
        self.placed(Error::new(ErrorKind::UnknownMember, message), at)
    }

    /// The elements of a group, in the order of the schema or in any order.
    fn particles(
        &mut self,
        object: &'p Object,
        kids: &mut Kids<'a>,
        record: &mut [u8],
        delta: usize,
    ) -> Result<(), Error> {
        let mut read = vec![false; if object.any_order { object.members.len() } else { 0 }];
        if object.any_order {
            self.in_any_order(object, &mut read, kids, record, delta)?;
        }
        for (index, member) in object.members.iter().enumerate() {
            if read.get(index).is_none_or(|read| !read) {
                self.particle(object, index, kids, record, delta)
                    .map_err(|error| error.within(&member.name))?;
            }
        }
        Ok(())
    }

    fn particle(
        &mut self,
        object: &'p Object,
        index: usize,
        kids: &mut Kids<'a>,
        record: &mut [u8],
        delta: usize,
    ) -> Result<(), Error> {
        let member = &object.members[index];
        match member.form() {
            Some(XmlForm::Element | XmlForm::Group) => self.occurrences(member, kids, record, delta),
            Some(XmlForm::Any) => self.any(&object.members[index..], kids, record, delta),
            _ => Ok(()),
        }
    }

    /// The elements of `xsd:all` that are there, as they come. Notes which members were read.
    fn in_any_order(
        &mut self,
        object: &'p Object,
        read: &mut [bool],
        kids: &mut Kids<'a>,
        record: &mut [u8],
        delta: usize,
    ) -> Result<(), Error> {
        while let Some(open) = kids.next {
            let is_it = |member: &Member| {
                member.form() != Some(XmlForm::Any) && self.starts(member, &member.node, &open)
            };
            let Some(index) = object.members.iter().position(is_it) else { return Ok(()) };
            let name = &object.members[index].name;
            if std::mem::replace(&mut read[index], true) {
                let error = Error::new(ErrorKind::DuplicateMember, "this element occurs twice in its group");
                return Err(self.placed(error.within(name), open.at));
            }
            self.particle(object, index, kids, record, delta).map_err(|error| error.within(name))?;
        }
        Ok(())
    }

    /// Reads a member as often as it occurs.
    fn occurrences(
        &mut self,
        member: &'p Member,
        kids: &mut Kids<'a>,
        record: &mut [u8],
        delta: usize,
    ) -> Result<(), Error> {
        match &member.node {
            Node::Table(table) => {
                let rows = self.rows(member, &table.row, (table.max as u64, kids), |reader, row, kids| {
                    reader.once(member, &table.row, kids, record, delta + row * table.row_bytes)
                })?;
                self.check_rows(member, rows, table.min as u64, kids)?;
                if let Some(count) = &table.count {
                    text::put_count(count, rows, record, delta);
                }
                self.note(member, rows > 0, record, delta);
                Ok(())
            }
            Node::Rows(rows) => {
                let interface = self.interface;
                let area = &interface.areas[rows.area];
                let name = self.made.generate();
                let mut bytes = Vec::new();
                let most = rows.max.unwrap_or(u64::MAX);
                let count = self.rows(member, &area.node, (most, kids), |reader, _, kids| {
                    reader.made.grow(area.bytes)?;
                    let start = bytes.len();
                    bytes.extend_from_slice(&area.template);
                    reader.once(member, &area.node, kids, &mut bytes[start..], 0)
                })?;
                self.check_rows(member, count, rows.min, kids)?;
                if count == 0 {
                    self.made.take_back();
                    return Ok(());
                }
                text::put_count(&rows.count, count, record, delta);
                put_name(&name, self.interface.encoding, &mut record[rows.name.range(delta)])?;
                self.note(member, true, record, delta);
                self.made.put_rows(name, area.bytes, Content::Bit(bytes))
            }
            node => {
                let is_there = kids.next.as_ref().is_some_and(|open| self.starts(member, node, open));
                if !is_there {
                    return if member.required { Err(self.missing(member, kids)) } else { Ok(()) };
                }
                let open = kids.next.filter(|_| member.form() == Some(XmlForm::Element));
                if let Some(open) = open.filter(|open| open.is_nil() && member.nullable) {
                    return self.nil(member, &open, kids);
                }
                self.note(member, true, record, delta);
                if let Node::One { name, area } = node {
                    let mut inner = self.start(*area)?;
                    let container =
                        self.made.name(self.interface.encoding, &mut record[name.range(delta)])?;
                    let node = &self.interface.areas[*area].node;
                    self.once(member, node, kids, &mut inner, 0)?;
                    return self.made.put(container, Content::Bit(inner));
                }
                self.once(member, node, kids, record, delta)
            }
        }
    }

    /// Notes that a member is there.
    fn note(&self, member: &Member, is_there: bool, record: &mut [u8], delta: usize) {
        if let Some(presence) = member.presence.as_ref().filter(|_| is_there) {
            text::put_count(presence, 1, record, delta);
        }
    }

    /// Reads rows while they go on, at most `most`, and counts them. A further element may belong to the next row of a group
    /// around them.
    fn rows(
        &mut self,
        member: &'p Member,
        node: &'p Node,
        (most, kids): (u64, &mut Kids<'a>),
        mut row: impl FnMut(&mut Self, usize, &mut Kids<'a>) -> Result<(), Error>,
    ) -> Result<usize, Error> {
        let mut rows = 0;
        while let Some(open) = kids.next.filter(|open| self.starts(member, node, open)) {
            if rows as u64 >= most {
                let error = too_many(most).within_row(rows).within(&member.name);
                self.surplus = Some((open.at, error));
                break;
            }
            row(self, rows, kids).map_err(|error| self.placed(error.within_row(rows), open.at))?;
            rows += 1;
        }
        Ok(rows)
    }

    fn check_rows(&self, member: &Member, rows: usize, min: u64, kids: &Kids<'a>) -> Result<(), Error> {
        let is_absent = rows == 0 && !member.required;
        if rows as u64 >= min || is_absent {
            return Ok(());
        }
        let next = match &kids.next {
            Some(open) => match self.cursor.namespace(open) {
                "" => format!("{} without a namespace follows", shown(open.name)),
                namespace => format!("{} of the namespace {} follows", shown(open.name), shown(namespace)),
            },
            None => "the element around them ends".to_owned(),
        };
        let message = format!("expected at least {min} elements, found {rows}; {next}");
        let at = kids.next.map_or(kids.at, |open| open.at);
        Err(self.placed(Error::new(ErrorKind::RowCount, message), at))
    }

    #[cold]
    fn missing(&self, member: &Member, kids: &Kids<'a>) -> Error {
        let found = match &kids.next {
            Some(open) if self.surplus.as_ref().is_some_and(|(at, _)| *at == open.at) => {
                format!("found {} more often than it may occur", shown(open.name))
            }
            Some(open) => format!("found {}", shown(open.name)),
            None => "found the end of the element around it".to_owned(),
        };
        let message = match &member.node {
            Node::Choice(choice) => {
                let areas = &self.interface.areas;
                let names = choice.areas.iter().filter_map(|area| Some(&*option(areas, *area)?.name));
                format!("expected one of {}, {found}", names.collect::<Vec<_>>().join(", "))
            }
            _ => match (&kids.next, &member.xml) {
                (Some(open), Some(xml)) if *xml.local == *open.name => {
                    let place = |namespace: &str| match namespace {
                        "" => "no namespace".to_owned(),
                        namespace => format!("the namespace {}", shown(namespace)),
                    };
                    let (wanted, found) = (place(&xml.namespace), place(self.cursor.namespace(open)));
                    format!("expected this element in {wanted}, found it in {found}")
                }
                _ => format!("expected this element, {found}"),
            },
        };
        let at = kids.next.map_or(kids.at, |open| open.at);
        self.placed(Error::new(ErrorKind::MissingMember, message), at)
    }

    /// True if an element is the first one of a member.
    fn starts(&self, member: &Member, node: &Node, open: &Open<'a>) -> bool {
        let Some(xml) = &member.xml else { return false };
        match xml.form {
            XmlForm::Element => *xml.local == *open.name && self.cursor.is_in(open, &xml.namespace),
            XmlForm::Group => self.begins(node, open),
            XmlForm::Any => self.is_any(member, open),
            XmlForm::Attribute | XmlForm::Text | XmlForm::Type | XmlForm::Prefixes => false,
        }
    }

    /// True if the wildcard of any XML allows an element.
    fn is_any(&self, member: &Member, open: &Open<'a>) -> bool {
        member.wildcard().is_none_or(|wildcard| wildcard.names.has(self.cursor.namespace(open), open.name))
    }

    /// True if an element is the first one in a group.
    fn begins(&self, node: &Node, open: &Open<'a>) -> bool {
        let areas = &self.interface.areas;
        match node {
            Node::Object(object) => {
                for member in &object.members {
                    if self.starts(member, &member.node, open) {
                        return true;
                    }
                    let is_element = matches!(member.form(), Some(XmlForm::Element | XmlForm::Group));
                    if member.required && is_element {
                        return false;
                    }
                }
                false
            }
            Node::Choice(choice) => choice.areas.iter().any(|area| {
                option(areas, *area).is_some_and(|member| self.starts(member, &member.node, open))
            }),
            Node::Table(table) => self.begins(&table.row, open),
            Node::Rows(rows) => self.begins(&areas[rows.area].node, open),
            Node::One { area, .. } => self.begins(&areas[*area].node, open),
            _ => false,
        }
    }

    /// Reads a member once. Its first element is next.
    fn once(
        &mut self,
        member: &'p Member,
        node: &'p Node,
        kids: &mut Kids<'a>,
        record: &mut [u8],
        delta: usize,
    ) -> Result<(), Error> {
        let Some(open) = kids.next else { return Ok(()) };
        if member.form() == Some(XmlForm::Group) {
            return match node {
                Node::Object(object) => self.particles(object, kids, record, delta),
                Node::Choice(choice) => self.choice(choice, kids, record, delta),
                _ => Ok(()),
            };
        }
        let read = match node {
            _ if open.is_nil() => Err(Error::new(ErrorKind::WrongType, "the element cannot be nil")),
            Node::Object(object) => self.content((object, member.other_attributes()), &open, record, delta),
            scalar => self.check_attributes(&open, member.other_attributes()).and_then(|()| {
                let value = self.cursor.text()?;
                self.element_value(member, scalar, &value, record, delta)
            }),
        };
        read.map_err(|error| self.placed(error, open.at))?;
        kids.next = self.cursor.child()?;
        Ok(())
    }

    fn nil(&mut self, member: &Member, open: &Open<'a>, kids: &mut Kids<'a>) -> Result<(), Error> {
        self.check_attributes(open, member.other_attributes())?;
        if !self.cursor.text()?.is_empty() {
            let error = Error::new(ErrorKind::WrongType, "an element that is nil must be empty");
            return Err(self.placed(error, open.at));
        }
        kids.next = self.cursor.child()?;
        Ok(())
    }

    fn choice(
        &mut self,
        choice: &'p Choice,
        kids: &mut Kids<'a>,
        record: &mut [u8],
        delta: usize,
    ) -> Result<(), Error> {
        let interface = self.interface;
        let Some(open) = kids.next else { return Ok(()) };
        let options = choice.areas.iter().enumerate();
        let mut options =
            options.filter_map(|(index, area)| Some((index, *area, option(&interface.areas, *area)?)));
        let found = options.find(|(_, _, member)| self.starts(member, &member.node, &open));
        let Some((index, area, member)) = found else { return Err(self.unknown(&open)) };
        self.chosen(choice, index, area, record, delta, |reader, inner| {
            reader.occurrences(member, kids, inner, 0).map_err(|error| error.within(&member.name))
        })
    }

    /// Reads the elements that the wildcard allows, up to one that a member behind them has.
    fn any(
        &mut self,
        members: &'p [Member],
        kids: &mut Kids<'a>,
        record: &mut [u8],
        delta: usize,
    ) -> Result<(), Error> {
        let [content, prefixes, rest @ ..] = members else { return Ok(()) };
        let (mut raw, mut declarations) = (String::new(), String::new());
        let most = content.wildcard().and_then(|wildcard| wildcard.max).unwrap_or(u64::MAX);
        let mut found = 0;
        while let Some(open) = kids.next.filter(|open| self.is_any(content, open)) {
            if found == most || rest.iter().any(|member| self.starts(member, &member.node, &open)) {
                break;
            }
            found += 1;
            if raw.is_empty() {
                for (prefix, namespace) in self.cursor.declarations(&open) {
                    any::declaration(prefix, namespace, &mut declarations);
                }
            }
            raw.push_str(self.cursor.raw(&open)?);
            kids.next = self.cursor.child()?;
        }
        self.put_any(content, prefixes, raw, declarations, record, delta)
    }

    /// Reads the whole content of an element.
    fn any_content(
        &mut self,
        content: &'p Member,
        prefixes: &'p Member,
        open: &Open<'a>,
        record: &mut [u8],
        delta: usize,
    ) -> Result<(), Error> {
        let mut declarations = String::new();
        let around: Vec<(&str, String)> =
            self.cursor.declarations(open).map(|(prefix, uri)| (prefix, uri.to_owned())).collect();
        let whole = self.cursor.raw(open)?;
        let (tag, inside) = any::inside(whole);
        let own = any::declared(tag);
        let is_own = |prefix: &str| {
            own.iter().any(|(name, _)| {
                name.strip_prefix("xmlns").is_some_and(|found| found.trim_start_matches(':') == prefix)
            })
        };
        for (prefix, namespace) in around.iter().filter(|(prefix, _)| !is_own(prefix)) {
            any::declaration(prefix, namespace, &mut declarations);
        }
        for (name, value) in own {
            declarations
                .push_str(&format!("{}{name}={value}", if declarations.is_empty() { "" } else { " " }));
        }
        self.put_any(content, prefixes, trim(inside).to_owned(), declarations, record, delta)
    }

    /// Puts any XML into containers; no containers if there is no XML.
    fn put_any(
        &mut self,
        content: &Member,
        prefixes: &Member,
        raw: String,
        declarations: String,
        record: &mut [u8],
        delta: usize,
    ) -> Result<(), Error> {
        if raw.is_empty() {
            return Ok(());
        }
        for (member, text) in [(content, raw), (prefixes, declarations)] {
            if let Node::LongText { name, .. } = &member.node
                && !text.is_empty()
            {
                self.made.grow(text.len())?;
                let container = self.made.name(self.interface.encoding, &mut record[name.range(delta)])?;
                self.made.put(container, Content::Char { bytes: text.into_bytes(), ccsid: UTF_8 })?;
            }
        }
        Ok(())
    }

    /// The text of an element. If the element is empty, it has the value that the schema gives (XML Schema part 1,
    /// 3.3.1).
    fn element_value(
        &mut self,
        member: &Member,
        node: &Node,
        text: &str,
        record: &mut [u8],
        delta: usize,
    ) -> Result<(), Error> {
        let given = member.given().filter(|_| text.is_empty());
        self.put(member, node, given.unwrap_or(text), record, delta)
    }

    /// Puts the text of an element or an attribute, which must be the only value if the schema has one.
    fn put(
        &mut self,
        member: &Member,
        node: &Node,
        text: &str,
        record: &mut [u8],
        delta: usize,
    ) -> Result<(), Error> {
        self.values().put(node, text, record, delta)?;
        self.values().check_fixed(member, node, record, delta)
    }

    fn values(&mut self) -> Values<'_> {
        Values { interface: self.interface, made: &mut self.made, encoded: &mut self.encoded }
    }
}

#[cold]
fn too_many(most: u64) -> Error {
    Error::new(ErrorKind::RowCount, format!("expected at most {most} elements, found more"))
}
