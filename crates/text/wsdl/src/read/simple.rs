//! Simple types: built-in ones, and their restrictions, lists and unions.

use assistant::Decimal;

use super::content::Reader;
use super::fault::Fault;
use super::index::{Part, Space};
use super::model::{Base, Limit, Name, Simple, WhiteSpace};
use super::names::{self, children, own_attribute, xsd};

/// The built-in types of XML Schema that hold text or numbers.
const BUILT_IN: &[&str] = &[
    "anySimpleType",
    "string",
    "normalizedString",
    "token",
    "language",
    "Name",
    "NCName",
    "NMTOKEN",
    "NMTOKENS",
    "ID",
    "IDREF",
    "IDREFS",
    "ENTITY",
    "ENTITIES",
    "QName",
    "NOTATION",
    "anyURI",
    "boolean",
    "decimal",
    "integer",
    "nonPositiveInteger",
    "negativeInteger",
    "nonNegativeInteger",
    "positiveInteger",
    "long",
    "int",
    "short",
    "byte",
    "unsignedLong",
    "unsignedInt",
    "unsignedShort",
    "unsignedByte",
    "float",
    "double",
    "dateTime",
    "date",
    "time",
    "duration",
    "gYear",
    "gYearMonth",
    "gMonth",
    "gMonthDay",
    "gDay",
    "hexBinary",
    "base64Binary",
];

/// The facets of simple types.
pub(super) const FACETS: [&str; 12] = [
    "length",
    "minLength",
    "maxLength",
    "totalDigits",
    "fractionDigits",
    "minInclusive",
    "minExclusive",
    "maxInclusive",
    "maxExclusive",
    "enumeration",
    "whiteSpace",
    "pattern",
];

/// The built-in type with a name.
pub(super) fn built_in(name: &Name) -> Option<Simple> {
    let known = BUILT_IN.iter().find(|known| **known == name.local && name.namespace == names::XSD)?;
    Some(Simple::new(match *known {
        "NMTOKENS" | "IDREFS" | "ENTITIES" => Base::List,
        known => Base::BuiltIn(known),
    }))
}

impl<'d> Reader<'_, 'd> {
    /// The simple type of a name.
    pub(super) fn simple_named(&mut self, name: &Name, at: Part<'d>) -> Result<Simple, Fault> {
        if let Some(simple) = built_in(name) {
            return Ok(simple);
        }
        let place = self.index.place(at);
        let part = self.index.find(Space::Type, name, &place)?;
        if xsd(part.node) != "simpleType" {
            return Err(Fault::new(
                &place,
                format!("expected a simple type, found {name}, which is complex"),
            ));
        }
        self.within(part, &place, |reader| reader.simple(part))
    }

    /// The simple type in an element `simpleType`.
    pub(super) fn simple(&mut self, part: Part<'d>) -> Result<Simple, Fault> {
        for node in children(part.node) {
            let inner = part.at(node);
            match xsd(node) {
                "restriction" => {
                    let base = self.simple_of(inner, "base")?;
                    let base =
                        base.ok_or_else(|| self.index.fault(inner, "expected a base type, found none"))?;
                    return self.restricted(base, inner);
                }
                "list" => return Ok(Simple::new(Base::List)),
                "union" => return Ok(self.union(inner)),
                _ => {}
            }
        }
        Err(self.index.fault(part, "expected a restriction, list or union, found none"))
    }

    /// A union. White space around its values is not part of them if no member type has it. A member type that cannot be
    /// read may have it.
    fn union(&mut self, part: Part<'d>) -> Simple {
        let mut simple = Simple::new(Base::Union);
        let named = own_attribute(part.node, "memberTypes").unwrap_or_default();
        let named: Vec<_> = named
            .split_whitespace()
            .map(|name| self.index.qualified(part, name).and_then(|name| self.simple_named(&name, part)))
            .collect();
        let place = self.index.place(part);
        let inside = children(part.node).filter(|node| xsd(*node) == "simpleType").map(|node| {
            let inner = part.at(node);
            self.within(inner, &place, |reader| reader.simple(inner))
        });
        let members: Vec<_> = named.into_iter().chain(inside).collect();
        let collapses = |member: &Result<Simple, Fault>| {
            member.as_ref().is_ok_and(|member| member.white_space == WhiteSpace::Collapse)
        };
        if !members.is_empty() && members.iter().all(collapses) {
            simple.white_space = WhiteSpace::Collapse;
        }
        simple
    }

    /// The type that an attribute names, or that is inside the part.
    pub(super) fn simple_of(&mut self, part: Part<'d>, attribute: &str) -> Result<Option<Simple>, Fault> {
        match self.index.name(part, attribute)? {
            Some(name) => self.simple_named(&name, part).map(Some),
            None => match children(part.node).find(|node| xsd(*node) == "simpleType") {
                Some(node) => {
                    let (inner, place) = (part.at(node), self.index.place(part));
                    self.within(inner, &place, |reader| reader.simple(inner)).map(Some)
                }
                None => Ok(None),
            },
        }
    }

    /// A type with the facets of a restriction.
    pub(super) fn restricted(&self, mut simple: Simple, part: Part<'d>) -> Result<Simple, Fault> {
        let mut values = Vec::new();
        for node in children(part.node) {
            let facet = part.at(node);
            let value = own_attribute(node, "value").unwrap_or_default();
            let wrong = |what: &str| self.index.fault(facet, format!("expected {what}, found '{value}'"));
            let count = || value.trim().parse::<u64>().map_err(|_| wrong("a number of characters or digits"));
            let limit = |exclusive| match number(value) {
                Some(value) => Ok(Some(Limit { value, exclusive })),
                // Dates have limits too, but a picture cannot express them.
                None if !is_number(&simple) => Ok(None),
                None => Err(wrong("a number of at most 36 digits")),
            };
            match xsd(node) {
                "length" if is_measured(&simple) => simple.length = Some(count()?),
                "minLength" if is_measured(&simple) => simple.min_length = Some(count()?),
                "maxLength" if is_measured(&simple) => simple.max_length = Some(count()?),
                "totalDigits" => {
                    simple.total_digits =
                        Some(u32::try_from(count()?).map_err(|_| wrong("a number of digits"))?);
                }
                "fractionDigits" => {
                    simple.fraction_digits =
                        Some(u8::try_from(count()?).map_err(|_| wrong("at most 255 digits"))?);
                }
                "minInclusive" => simple.least = limit(false)?,
                "minExclusive" => simple.least = limit(true)?,
                "maxInclusive" => simple.greatest = limit(false)?,
                "maxExclusive" => simple.greatest = limit(true)?,
                "enumeration" => values.push(value.to_owned()),
                "whiteSpace" => {
                    simple.white_space = match value.trim() {
                        "preserve" => WhiteSpace::Preserve,
                        "replace" => WhiteSpace::Replace,
                        "collapse" => WhiteSpace::Collapse,
                        _ => return Err(wrong("preserve, replace or collapse")),
                    };
                }
                "pattern" => simple.pattern = Some(value.to_owned()),
                // The attributes of a type with text stand beside its facets.
                "attribute" | "attributeGroup" | "anyAttribute" => {}
                name => self.without_effect(facet, name)?,
            }
        }
        if !values.is_empty() {
            simple.values = values;
        }
        Ok(simple)
    }
}

/// A number in the form of XML Schema.
pub(super) fn number(text: &str) -> Option<Decimal> {
    let text = text.trim();
    Decimal::parse(text.strip_prefix('+').unwrap_or(text))
}

/// True if the facets of length count characters or octets, not values of a list.
fn is_measured(simple: &Simple) -> bool {
    matches!(simple.base, Base::BuiltIn(_))
}

fn is_number(simple: &Simple) -> bool {
    let Base::BuiltIn(name) = simple.base else { return false };
    name == "decimal" || super::shape::integer_range(name).is_some()
}
