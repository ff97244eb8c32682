//! Values of a schema in their fields: those that stand in a message, those that the schema gives, and the only ones that it allows
//! (`fixed`).

use ::xml::{is_space, shown, trim};
use service::Content;
use xsd::TextType;

use crate::error::{Error, ErrorKind};
use crate::limits::TextLimits;
use crate::made::Made;
use crate::plan::{End, Field, Member, Node, Place};
use crate::{Interface, octets, text};

/// Puts values into records and containers.
pub(crate) struct Values<'v> {
    pub(crate) interface: &'v Interface,
    pub(crate) made: &'v mut Made,
    /// Text in the encoding of the record.
    pub(crate) encoded: &'v mut Vec<u8>,
}

impl Values<'_> {
    /// Puts a value in the form that XML has.
    ///
    /// # Errors
    /// The text is not a value of the field's type, or beyond a limit.
    pub(crate) fn put(
        &mut self,
        node: &Node,
        value: &str,
        record: &mut [u8],
        delta: usize,
    ) -> Result<(), Error> {
        let encoding = self.interface.encoding;
        match node {
            Node::Text(field) => {
                self.encode(&field.limits.value(value), &field.limits)?;
                field.field.put(self.encoded, encoding, record, delta)
            }
            Node::Octets(field) => {
                let octets = octets::decode(field.encoding, &without_spaces(value))?;
                field.field.put(&octets, encoding, record, delta)
            }
            Node::Boolean(place) => {
                let truth = match trim(value) {
                    "true" | "1" => 1,
                    "false" | "0" => 0,
                    other => {
                        let message = format!("expected true or false, found '{}'", shown(other));
                        return Err(Error::new(ErrorKind::WrongType, message));
                    }
                };
                record[place.range(delta)].fill(truth);
                Ok(())
            }
            Node::Number(number) => {
                let field = &mut record[number.place.range(delta)];
                number.codec.write_xml(value, field)?;
                number.limits.check(trim(value).trim_start_matches('+'))
            }
            Node::LongText { name, limits, may_be_none } => {
                self.encode(&limits.value(value), limits)?;
                if self.encoded.is_empty() && *may_be_none {
                    return Ok(());
                }
                self.made.grow(self.encoded.len())?;
                let bytes = self.encoded.clone();
                let container = self.made.name(encoding, &mut record[name.range(delta)])?;
                self.made.put(container, Content::Char { bytes, ccsid: encoding.ccsid() })
            }
            Node::LongOctets { name, encoding: form, most } => {
                let shown = without_spaces(value);
                TextLimits { max: *most, ..TextLimits::default() }.check(&shown)?;
                let octets = octets::decode(*form, &shown)?;
                self.made.grow(octets.len())?;
                let container = self.made.name(encoding, &mut record[name.range(delta)])?;
                self.made.put(container, Content::Bit(octets))
            }
            Node::Object(_) | Node::Table(_) | Node::Rows(_) | Node::One { .. } | Node::Choice(_) => Ok(()),
        }
    }

    /// Puts the value that the schema gives to a member, if it gives one. The member then counts as one that is there.
    ///
    /// # Errors
    /// As for [`Values::put`].
    pub(crate) fn put_given(
        &mut self,
        member: &Member,
        record: &mut [u8],
        delta: usize,
    ) -> Result<(), Error> {
        let Some(given) = member.given() else { return Ok(()) };
        if let Some(presence) = &member.presence {
            text::put_count(presence, 1, record, delta);
        }
        self.put(&member.node, given, record, delta)
    }

    /// Checks the value that was just put, if the schema allows only one. Numbers are compared as the record has them, and dates and
    /// times as values: `1.0` and `1` are one number. The record then has the text of the schema.
    ///
    /// # Errors
    /// It is another value.
    pub(crate) fn check_fixed(
        &mut self,
        member: &Member,
        node: &Node,
        record: &mut [u8],
        delta: usize,
    ) -> Result<(), Error> {
        let Some(fixed) = member.fixed().filter(|_| self.interface.checks_fixed) else { return Ok(()) };
        let is_it = match node {
            Node::LongText { limits, .. } => {
                self.encode(&limits.value(fixed), limits)?;
                self.made.last().is_some_and(|bytes| *bytes == **self.encoded)
            }
            Node::LongOctets { encoding, .. } => {
                let octets = octets::decode(*encoding, &without_spaces(fixed))?;
                self.made.last().is_some_and(|bytes| *bytes == *octets)
            }
            node => {
                let found = bytes_of(node, record, delta);
                let value = self.typed_text(node, record, delta)?;
                self.put(node, fixed, record, delta)?;
                found == bytes_of(node, record, delta)
                    || value.is_some_and(|(kind, text)| kind.is_same(&text, &kind.value(fixed, usize::MAX)))
            }
        };
        match is_it {
            true => Ok(()),
            false => {
                let message = format!(
                    "expected '{}', the only value that the schema allows, found another",
                    shown(fixed)
                );
                Err(Error::new(ErrorKind::NotListed, message))
            }
        }
    }

    /// The text of a field, if it is of a type with values that have several texts.
    fn typed_text(
        &self,
        node: &Node,
        record: &[u8],
        delta: usize,
    ) -> Result<Option<(TextType, String)>, Error> {
        let Node::Text(field) = node else { return Ok(None) };
        let Some(kind) = field.limits.kind else { return Ok(None) };
        let encoding = self.interface.encoding;
        let bytes = field.field.bytes(encoding, record, delta).map_err(|(error, _)| error)?;
        let mut text = String::new();
        text::decode(encoding, bytes, &mut text)?;
        Ok(Some((kind, text)))
    }

    fn encode(&mut self, value: &str, limits: &TextLimits) -> Result<(), Error> {
        limits.check(value)?;
        self.encoded.clear();
        text::encode(self.interface.encoding, value, self.encoded)
    }
}

/// The bytes of a value in its record, with those of its length.
fn bytes_of(node: &Node, record: &[u8], delta: usize) -> Vec<u8> {
    let of_field = |Field { place, end }: &Field| {
        let length = match end {
            End::Length(length) => &record[length.range(delta)],
            End::Fixed | End::Blanks | End::Null => &[],
        };
        [length, &record[place.range(delta)]].concat()
    };
    let of_place = |place: &Place| record[place.range(delta)].to_vec();
    match node {
        Node::Text(text) => of_field(&text.field),
        Node::Octets(octets) => of_field(&octets.field),
        Node::Boolean(place) => of_place(place),
        Node::Number(number) => of_place(&number.place),
        _ => Vec::new(),
    }
}

/// Octets as text, which may have white space anywhere.
pub(crate) fn without_spaces(value: &str) -> String {
    value.chars().filter(|character| !u8::try_from(*character).is_ok_and(is_space)).collect()
}
