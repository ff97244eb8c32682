//! Containers to XML. Everything that a program gives is checked, as for JSON.

use ::xml::{write_attribute, write_text};
use assistant::XmlForm;
use service::Channel;

use super::{Special, any, option};
use crate::Interface;
use crate::error::{Error, ErrorKind};
use crate::options::ROWS_MAX;
use crate::plan::{Member, Node, Object, Place, Root, XmlName};
use crate::read::{Reader, Record};
use crate::{octets, text};

/// Appends the element of a message.
pub(crate) fn element(interface: &Interface, channel: &Channel, out: &mut Vec<u8>) -> Result<(), Error> {
    let start = out.len();
    let written = Reader::new(interface, channel, out).message();
    if written.is_err() {
        out.truncate(start);
    }
    written
}

impl Reader<'_, '_, '_> {
    fn message(&mut self) -> Result<(), Error> {
        let interface = self.interface;
        let (Some(root), Root::Bare { container }) = (&interface.xml, &interface.root) else {
            return Err(Error::new(ErrorKind::BadData, "the interface is one of JSON"));
        };
        let container = self.container(container)?;
        self.rows_of(container, 0, 1, |reader, _, record| {
            reader.out.push(b'<');
            reader.out.extend_from_slice(root.name.tag.as_bytes());
            reader.out.extend_from_slice(root.declarations.as_bytes());
            match &interface.areas[0].node {
                Node::Object(object) => reader.content(object, record, 0)?,
                _ => reader.out.push(b'>'),
            }
            reader.end_tag(&root.name);
            reader.fits()
        })
    }

    fn end_tag(&mut self, name: &XmlName) {
        self.out.extend_from_slice(b"</");
        self.out.extend_from_slice(name.tag.as_bytes());
        self.out.push(b'>');
    }

    /// Writes the rest of a start tag, and the content of the element.
    fn content(&mut self, object: &Object, record: Record<'_>, delta: usize) -> Result<(), Error> {
        let areas = &self.interface.areas;
        match Special::of(object, areas) {
            Some(Special::Chosen(member)) => {
                let Node::Choice(choice) = &member.node else { return Ok(()) };
                let Some((container, area)) = self.chosen(choice, record, delta)? else {
                    let message = format!("expected one of {} types, found none", choice.areas.len());
                    return Err(record.at(&choice.which, delta, Error::new(ErrorKind::BadData, message)));
                };
                let Some(member) = option(areas, area) else { return Ok(()) };
                self.rows_of(container, area, 1, |reader, _, inner| reader.typed(member, inner, 0))
            }
            Some(Special::Types(object)) => {
                for member in &object.members {
                    if let Some(place) = &member.presence
                        && self.count(place, record, delta, 1)? > 0
                    {
                        return self.typed(member, record, delta);
                    }
                }
                Err(Error::new(ErrorKind::BadData, "expected one of the types, found none"))
            }
            Some(Special::Any(text, prefixes)) => {
                self.out.push(b'>');
                self.any(text, prefixes, record, delta)
            }
            None => {
                self.attributes(object, record, delta)?;
                self.out.push(b'>');
                self.particles(object, record, delta)
            }
        }
    }

    /// The attribute `xsi:type`, and the content of an element of this type.
    fn typed(&mut self, member: &Member, record: Record<'_>, delta: usize) -> Result<(), Error> {
        let tag = member.xml.as_ref().map(|xml| &*xml.tag).unwrap_or_default();
        self.out.extend_from_slice(format!(" xsi:type=\"{tag}\"").as_bytes());
        match &member.node {
            Node::Object(object) => self.content(object, record, delta),
            // The element is empty.
            _ => {
                self.out.push(b'>');
                Ok(())
            }
        }
    }

    fn attributes(&mut self, object: &Object, record: Record<'_>, delta: usize) -> Result<(), Error> {
        for member in object.members.iter().filter(|member| member.form() == Some(XmlForm::Attribute)) {
            let Some(xml) = &member.xml else { continue };
            if let Some(place) = &member.presence
                && self.count(place, record, delta, 1)? == 0
            {
                continue;
            }
            let start = self.out.len();
            self.scalar(&member.node, record, delta, true).map_err(|error| error.within(&member.name))?;
            let value = self.out.split_off(start);
            // Blanks in an optional field mean that the value is missing, if the record has no other sign for
            // that.
            if value.is_empty() && !member.required && member.presence.is_none() {
                continue;
            }
            self.out.push(b' ');
            self.out.extend_from_slice(xml.tag.as_bytes());
            self.out.extend_from_slice(b"=\"");
            self.out.extend_from_slice(&value);
            self.out.push(b'"');
        }
        Ok(())
    }

    /// Elements, text and any XML, in the order of the schema.
    fn particles(&mut self, object: &Object, record: Record<'_>, delta: usize) -> Result<(), Error> {
        for (index, member) in object.members.iter().enumerate() {
            let written = match member.form() {
                Some(XmlForm::Element | XmlForm::Group) => self.occurrences(member, record, delta),
                Some(XmlForm::Text) => self.scalar(&member.node, record, delta, false),
                Some(XmlForm::Any) => match object.members.get(index + 1) {
                    Some(prefixes) => self.any(member, prefixes, record, delta),
                    None => Ok(()),
                },
                Some(XmlForm::Attribute | XmlForm::Prefixes | XmlForm::Type) | None => Ok(()),
            };
            written.map_err(|error| error.within(&member.name))?;
        }
        Ok(())
    }

    /// Writes a member as often as it occurs.
    fn occurrences(&mut self, member: &Member, record: Record<'_>, delta: usize) -> Result<(), Error> {
        if let Some(place) = &member.presence
            && self.count(place, record, delta, 1)? == 0
        {
            if member.required && member.nullable {
                self.nil(member);
            }
            return Ok(());
        }
        match &member.node {
            Node::Table(table) => {
                let count = match &table.count {
                    Some(place) => self.count(place, record, delta, table.max)?,
                    None => table.max,
                };
                for row in 0..count {
                    self.count_row()?;
                    self.row(member, &table.row, record, delta + row * table.row_bytes)
                        .map_err(|error| error.within_row(row))?;
                }
                Ok(())
            }
            Node::Rows(rows) => {
                let most = rows.max.and_then(|max| usize::try_from(max).ok()).unwrap_or(ROWS_MAX);
                let count = self.count(&rows.count, record, delta, most.min(ROWS_MAX))?;
                if count == 0 {
                    return Ok(());
                }
                let container = self.named(&rows.name, record, delta)?;
                let node = &self.interface.areas[rows.area].node;
                self.rows_of(container, rows.area, count, |reader, index, row| {
                    reader.row(member, node, row, 0).map_err(|error| error.within_row(index))
                })
            }
            Node::One { name, area } => {
                let container = self.named(name, record, delta)?;
                let node = &self.interface.areas[*area].node;
                self.rows_of(container, *area, 1, |reader, _, inner| reader.row(member, node, inner, 0))
            }
            node => self.row(member, node, record, delta),
        }
    }

    fn nil(&mut self, member: &Member) {
        if let Some(xml) = &member.xml {
            self.out.push(b'<');
            self.out.extend_from_slice(xml.tag.as_bytes());
            self.out.extend_from_slice(b" xsi:nil=\"true\"/>");
        }
    }

    /// A member once.
    fn row(&mut self, member: &Member, node: &Node, record: Record<'_>, delta: usize) -> Result<(), Error> {
        let Some(xml) = &member.xml else { return Ok(()) };
        if xml.form == XmlForm::Group {
            return match node {
                Node::Object(object) => self.particles(object, record, delta),
                Node::Choice(choice) => match self.chosen(choice, record, delta)? {
                    Some((container, area)) => {
                        let Some(inner) = option(&self.interface.areas, area) else { return Ok(()) };
                        self.rows_of(container, area, 1, |reader, _, record| {
                            reader.occurrences(inner, record, 0).map_err(|error| error.within(&inner.name))
                        })
                    }
                    None if member.required => {
                        let message = "expected one member of a choice, found none";
                        Err(record.at(&choice.which, delta, Error::new(ErrorKind::BadData, message)))
                    }
                    None => Ok(()),
                },
                _ => Ok(()),
            };
        }
        self.out.push(b'<');
        self.out.extend_from_slice(xml.tag.as_bytes());
        match node {
            Node::Object(object) => self.content(object, record, delta)?,
            scalar => {
                self.out.push(b'>');
                self.scalar(scalar, record, delta, false)?;
            }
        }
        self.end_tag(xml);
        self.fits()
    }

    /// The text of a value.
    fn scalar(
        &mut self,
        node: &Node,
        record: Record<'_>,
        delta: usize,
        in_attribute: bool,
    ) -> Result<(), Error> {
        let encoding = self.interface.encoding;
        let at: Option<&Place> = match node {
            Node::Text(value) => {
                let bytes = self.bytes(&value.field, record, delta)?;
                self.text.clear();
                text::decode(encoding, bytes, &mut self.text)
                    .map_err(|error| record.at(&value.field.place, delta, error))?;
                Some(&value.field.place)
            }
            Node::LongText { name, .. } => {
                let container = self.named(name, record, delta)?;
                self.take_text(container, false)?;
                None
            }
            Node::Octets(value) => {
                let bytes = self.bytes(&value.field, record, delta)?;
                self.text.clear();
                octets::encode(value.encoding, bytes, &mut self.text);
                None
            }
            Node::LongOctets { name, encoding, .. } => {
                let container = self.named(name, record, delta)?;
                self.text.clear();
                octets::encode(*encoding, container.content.bytes(), &mut self.text);
                None
            }
            Node::Boolean(_) | Node::Number(_) => return self.value(node, record, delta),
            Node::Object(_) | Node::Table(_) | Node::Rows(_) | Node::One { .. } | Node::Choice(_) => {
                return Ok(());
            }
        };
        let start = self.out.len();
        let written = write_text(&self.text, self.out).map_err(|error| {
            let error = Error::new(ErrorKind::BadData, error.message);
            match at {
                Some(place) => record.at(place, delta, error),
                None => error,
            }
        });
        if in_attribute && written.is_ok() {
            self.out.truncate(start);
            let mut value = String::new();
            write_attribute(&self.text, &mut value);
            self.out.extend_from_slice(value.as_bytes());
        }
        written
    }

    /// Any XML that a program has put into a container.
    fn any(
        &mut self,
        text: &Member,
        prefixes: &Member,
        record: Record<'_>,
        delta: usize,
    ) -> Result<(), Error> {
        let Node::LongText { name, .. } = &text.node else { return Ok(()) };
        if self.is_blank(name, record, delta) {
            return Ok(());
        }
        let declarations = match &prefixes.node {
            Node::LongText { name, .. } if !self.is_blank(name, record, delta) => {
                let container = self.named(name, record, delta)?;
                self.take_text(container, true)?;
                std::mem::take(&mut self.text)
            }
            _ => String::new(),
        };
        let container = self.named(name, record, delta)?;
        self.take_text(container, true)?;
        any::write(&self.text, &declarations, self.out, self.json_end)
            .map_err(|error| record.at(name, delta, error))?;
        self.fits()
    }
}
