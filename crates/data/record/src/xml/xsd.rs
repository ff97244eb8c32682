//! The XML Schema that follows from a layout: elements in the order of the copybook, each with the least type that
//! holds what its field can hold.

use std::fmt::Write;

use ::xml::{is_allowed, scan, write_attribute};

use crate::decimal::Decimal;
use crate::model::{Member, Node, Shown, Table};
use crate::policies::Nulls;
use crate::rich::{Base, Form, Rich};
use crate::schema::{Listed, scalar_schema};
use crate::slot::{Codec, Limits, Slot};

/// How a record is described: what a request may leave out differs from what a response has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct XsdRules {
    /// What a record shows, in which empty tables and values to omit are not there.
    pub(crate) response: bool,
    /// Tables of fixed length may have fewer rows.
    pub(crate) rows_may_be_missing: bool,
    /// Tables of varying length may have no rows although their least number is greater.
    pub(crate) tables_may_be_empty: bool,
    /// Groups may be nil.
    pub(crate) groups_may_be_nil: bool,
}

/// Writes the schema of one element with these members.
pub(crate) fn schema(root: &str, namespace: Option<&str>, members: &[Member], rules: XsdRules) -> String {
    let mut writer = Writer { out: String::new(), depth: 0, rules };
    let target = namespace.map(|namespace| {
        let namespace = attribute(namespace);
        format!(" targetNamespace=\"{namespace}\" elementFormDefault=\"qualified\"")
    });
    let target = target.unwrap_or_default();
    writer.open(&format!("xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\"{target}"));
    writer.open(&format!("xs:element name=\"{root}\""));
    writer.group(members);
    writer.close("xs:element");
    writer.close("xs:schema");
    writer.out
}

fn attribute(value: &str) -> String {
    let mut out = String::new();
    write_attribute(value, &mut out);
    out
}

struct Writer {
    out: String,
    depth: usize,
    rules: XsdRules,
}

/// How often an element stands in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Occurs {
    min: usize,
    max: usize,
    /// Or not at all.
    or_none: bool,
}

impl Writer {
    fn line(&mut self, text: &str) {
        self.out.push_str(&"  ".repeat(self.depth));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn open(&mut self, tag: &str) {
        self.line(&format!("<{tag}>"));
        self.depth += 1;
    }

    fn close(&mut self, name: &str) {
        self.depth -= 1;
        self.line(&format!("</{name}>"));
    }

    fn group(&mut self, members: &[Member]) {
        self.open("xs:complexType");
        self.open("xs:sequence");
        let mut rest = members;
        while let Some((member, others)) = rest.split_first() {
            let area = member.view.as_ref().map(|view| view.area);
            let same = |other: &&Member| area.is_some() && other.view.as_ref().map(|view| view.area) == area;
            let views = others.iter().take_while(same).count();
            // A request gives one view at most, a record shows all that it holds.
            if views > 0 && !self.rules.response {
                self.open("xs:choice minOccurs=\"0\"");
                rest[..=views].iter().for_each(|view| self.member(view, false));
                self.close("xs:choice");
                rest = &rest[views + 1..];
            } else {
                self.member(member, self.may_be_left_out(member));
                rest = others;
            }
        }
        self.close("xs:sequence");
        self.close("xs:complexType");
    }

    fn may_be_left_out(&self, member: &Member) -> bool {
        if !self.rules.response {
            return !member.required;
        }
        let omitted = match &member.node {
            Node::Scalar(Slot { codec: Codec::Rich(rich), .. }) => {
                member.table.is_none() && rich.may_be_omitted()
            }
            _ => false,
        };
        omitted || member.view.as_ref().is_some_and(|view| view.shown != Shown::Always)
    }

    fn occurs(&self, table: Table, may_be_left_out: bool) -> Occurs {
        let Table { min, max, counter, .. } = table;
        let empty = if counter.is_some() {
            self.rules.tables_may_be_empty && self.rules.response
        } else {
            self.rules.rows_may_be_missing
        };
        let fewer = self.rules.rows_may_be_missing && (self.rules.response || counter.is_none());
        let min = if fewer { 0 } else { min };
        Occurs { min, max, or_none: min > 0 && (may_be_left_out || empty) }
    }

    fn member(&mut self, member: &Member, may_be_left_out: bool) {
        let once = Occurs { min: 1, max: 1, or_none: may_be_left_out };
        let mut occurs = member.table.map_or(once, |table| self.occurs(table, may_be_left_out));
        if occurs.or_none && occurs.min <= 1 {
            occurs = Occurs { min: 0, or_none: false, ..occurs };
        }
        if occurs.or_none {
            self.open("xs:sequence minOccurs=\"0\"");
        }
        self.element(member, occurs);
        if occurs.or_none {
            self.close("xs:sequence");
        }
    }

    fn element(&mut self, member: &Member, occurs: Occurs) {
        let mut tag = format!("xs:element name=\"{}\"", member.name);
        for (name, count) in [("minOccurs", occurs.min), ("maxOccurs", occurs.max)] {
            if count != 1 {
                let _ = write!(tag, " {name}=\"{count}\"");
            }
        }
        let nillable = match &member.node {
            Node::Object(_) => self.rules.groups_may_be_nil && member.table.is_none(),
            Node::Scalar(Slot { codec: Codec::Rich(rich), .. }) if self.rules.response => rich.may_be_null(),
            Node::Scalar(Slot { codec: Codec::Rich(rich), .. }) => rich.policies.nulls != Nulls::Refuse,
            Node::Scalar(_) => false,
        };
        if nillable {
            tag.push_str(" nillable=\"true\"");
        }
        let simple = match &member.node {
            Node::Scalar(slot) => Some(Simple::of(slot, member.listed.as_deref())),
            Node::Object(_) => None,
        };
        // A type without limits of its own can stand in the tag.
        if let Some(Simple { base, facets, others }) = &simple
            && facets.is_empty()
            && others.is_empty()
        {
            let _ = write!(tag, " type=\"{base}\"");
            if member.description.is_none() {
                return self.line(&format!("<{tag}/>"));
            }
        }
        self.open(&tag);
        if let Some(description) = &member.description {
            let text: String = description.chars().filter(|character| is_allowed(*character)).collect();
            self.open("xs:annotation");
            self.line(&format!(
                "<xs:documentation>{}</xs:documentation>",
                attribute(&text).replace("]]>", "]]&gt;")
            ));
            self.close("xs:annotation");
        }
        match (simple, &member.node) {
            (Some(simple), _) => self.simple_type(&simple),
            (None, Node::Object(members)) => self.group(members),
            (None, Node::Scalar(_)) => {}
        }
        self.close("xs:element");
    }

    fn simple_type(&mut self, simple: &Simple) {
        if simple.others.is_empty() {
            if !simple.facets.is_empty() {
                self.open("xs:simpleType");
                self.restriction(&simple.base, &simple.facets);
                self.close("xs:simpleType");
            }
            return;
        }
        self.open("xs:simpleType");
        self.open("xs:union");
        for facets in &simple.others {
            self.open("xs:simpleType");
            let all: Vec<Facet> = simple.facets.iter().chain(facets).cloned().collect();
            self.restriction(&simple.base, &all);
            self.close("xs:simpleType");
        }
        self.close("xs:union");
        self.close("xs:simpleType");
    }

    fn restriction(&mut self, base: &str, facets: &[Facet]) {
        self.open(&format!("xs:restriction base=\"{base}\""));
        for (name, value) in facets {
            self.line(&format!("<xs:{name} value=\"{}\"/>", attribute(value)));
        }
        self.close("xs:restriction");
    }
}

/// The facets of a type, and their values.
type Facet = (&'static str, String);

/// A simple type: one of XML Schema's own and what limits it.
struct Simple {
    base: String,
    facets: Vec<Facet>,
    /// Alternatives: one of these sets of facets must hold.
    others: Vec<Vec<Facet>>,
}

impl Simple {
    fn new(base: &str, facets: Vec<Facet>) -> Self {
        Self { base: base.to_owned(), facets, others: Vec::new() }
    }

    fn of(slot: &Slot, listed: Option<&[(Listed, Option<Listed>)]>) -> Self {
        let mut simple = match &slot.codec {
            Codec::Text(_) => Self::text(slot),
            Codec::Number(codec) => Self::decimal(&codec.limits),
            Codec::Rich(rich) => Self::rich(rich, slot),
        };
        if let Some(listed) = listed {
            simple.list(listed);
        }
        simple
    }

    fn rich(rich: &Rich, slot: &Slot) -> Self {
        let length = vec![("length", slot.bytes.to_string())];
        match (&rich.form, &rich.base) {
            (Form::Hex, _) => Self::new("xs:hexBinary", length),
            (Form::Base64, _) => Self::new("xs:base64Binary", length),
            (Form::Boolean { .. }, _) => Self::new("xs:boolean", Vec::new()),
            (Form::Date(format), _) => {
                let (base, pattern) = format.xsd_type();
                Self::new(base, vec![("pattern", pattern.to_owned())])
            }
            (_, Base::Number(codec)) => Self::decimal(&codec.limits),
            (_, Base::EditedNumber { limits, .. }) => Self::decimal(limits),
            (_, Base::Float(_)) if slot.bytes == 4 => Self::new("xs:float", Vec::new()),
            (_, Base::Float(_)) => Self::new("xs:double", Vec::new()),
            (_, Base::Text { .. } | Base::EditedText { .. } | Base::Bytes) => Self::text(slot),
        }
    }

    fn text(slot: &Slot) -> Self {
        let mut facets = Vec::new();
        if let Some(length) = scalar_schema(slot).max_length {
            facets.push(("maxLength", length.to_string()));
        }
        facets.push(("whiteSpace", "preserve".to_owned()));
        Self::new("xs:string", facets)
    }

    fn decimal(limits: &Limits) -> Self {
        let shown = |mantissa| Decimal { mantissa, scale: limits.scale }.to_string();
        let (least, greatest) = (limits.least, limits.greatest);
        let mut facets = Vec::new();
        let (base, implied_least, implied_greatest) = if limits.scale > 0 {
            let places = limits.scale.unsigned_abs();
            let digits = digits(least).max(digits(greatest)).max(places);
            facets.push(("totalDigits", digits.to_string()));
            facets.push(("fractionDigits", places.to_string()));
            // These count all digits, wherever the point is, and so do not limit the value.
            ("xs:decimal", None, None)
        } else {
            if limits.scale < 0 {
                let zeros = limits.scale.unsigned_abs();
                facets.push(("pattern", format!("[+\\-]?([0-9]*0{{{zeros}}}|0+)")));
            }
            let unit = 10i128.checked_pow(limits.scale.unsigned_abs()).unwrap_or(1);
            let whole = |mantissa: i128| mantissa.saturating_mul(unit);
            let (base, least, greatest) = integer(whole(least), whole(greatest));
            let implied = |limit: Option<i128>| limit.filter(|_| unit == 1);
            (base, implied(least), implied(greatest))
        };
        if Some(least) != implied_least && !(base == "xs:nonNegativeInteger" && least == 0) {
            facets.push(("minInclusive", shown(least)));
        }
        if Some(greatest) != implied_greatest {
            facets.push(("maxInclusive", shown(greatest)));
        }
        Self::new(base, facets)
    }

    /// Adds the values of condition names: an enumeration if there are only single ones, else a choice of ranges. XML
    /// Schema has no ranges of text, so that text with a range is not limited, as in JSON Schema.
    fn list(&mut self, listed: &[(Listed, Option<Listed>)]) {
        let text = |value: &Listed| match value {
            Listed::Number(text) | Listed::Text(text) => text.clone(),
        };
        let mut singles: Vec<Facet> = Vec::new();
        let mut ranges = Vec::new();
        for (first, last) in listed {
            match (first, last) {
                (first, None) if scan(&text(first)).forbidden.is_none() => {
                    let facet = ("enumeration", text(first));
                    if !singles.contains(&facet) {
                        singles.push(facet);
                    }
                }
                (Listed::Number(least), Some(Listed::Number(greatest))) => {
                    ranges.push(vec![("minInclusive", least.clone()), ("maxInclusive", greatest.clone())]);
                }
                _ => return,
            }
        }
        if ranges.is_empty() {
            self.facets.extend(singles);
            return;
        }
        // Each range has its own ends in place of the field's.
        self.facets.retain(|(name, _)| !matches!(*name, "minInclusive" | "maxInclusive"));
        if !singles.is_empty() {
            ranges.push(singles);
        }
        match <[Vec<Facet>; 1]>::try_from(ranges) {
            Ok([range]) => self.facets.extend(range),
            Err(several) => self.others = several,
        }
    }
}

/// The least type of integers that holds all from one to another, and what limits it by itself.
fn integer(least: i128, greatest: i128) -> (&'static str, Option<i128>, Option<i128>) {
    let types: [(&str, i128, i128); 6] = [
        ("xs:unsignedShort", 0, u16::MAX.into()),
        ("xs:short", i16::MIN.into(), i16::MAX.into()),
        ("xs:unsignedInt", 0, u32::MAX.into()),
        ("xs:int", i32::MIN.into(), i32::MAX.into()),
        ("xs:unsignedLong", 0, u64::MAX.into()),
        ("xs:long", i64::MIN.into(), i64::MAX.into()),
    ];
    let fits = |(_, from, to): &&(&str, i128, i128)| *from <= least && greatest <= *to;
    match types.iter().find(fits) {
        Some((base, from, to)) => (base, Some(*from), Some(*to)),
        None if least >= 0 => ("xs:nonNegativeInteger", None, None),
        None => ("xs:integer", None, None),
    }
}

/// The digits of a number without its sign.
fn digits(number: i128) -> u32 {
    number.unsigned_abs().checked_ilog10().map_or(1, |log| log + 1)
}
