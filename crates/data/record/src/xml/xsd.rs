//! The XML Schema that follows from a layout: elements in the order of the copybook, each with the smallest
//! type that holds all values of its field. It has two shapes: one element with all types inside, and the
//! shape of DFHLS2WS.

mod simple;

use std::fmt::Write;

use ::xml::{is_allowed, write_attribute};

use crate::model::{Member, Node, Shown, Table};
use crate::options::EmptyRows;
use crate::policies::Nulls;
use crate::slot::{Codec, Slot};

use simple::{Facet, Simple};

/// The rules of a description: requests and responses may leave out different elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct XsdRules {
    /// True for a response: it leaves out empty tables and values to omit.
    pub(crate) response: bool,
    /// Tables of fixed length may have fewer rows.
    pub(crate) rows_may_be_missing: bool,
    /// Empty rows at the end of tables are left out.
    pub(crate) empty_rows: EmptyRows,
    /// Tables of varying length may have no rows although their least number is greater.
    pub(crate) tables_may_be_empty: bool,
    /// Groups may be nil.
    pub(crate) groups_may_be_nil: bool,
}

/// The shape of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape<'a> {
    /// The outermost element has all types inside.
    Record,
    /// The outermost element has a type with a name, as DFHLS2WS has it. A caller must give every field that no
    /// rule leaves out.
    ProgramInterface(ProgramInterface<'a>),
}

/// A schema in the shape of DFHLS2WS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramInterface<'a> {
    /// The mapping level that the schema states, such as `3.0`.
    pub mapping_level: &'a str,
    /// The name of the element's type. A namespace has each name once, so further schemas need another name.
    pub type_name: &'a str,
}

impl<'a> From<&'a str> for ProgramInterface<'a> {
    /// The type has the name that DFHLS2WS gives it.
    fn from(mapping_level: &'a str) -> Self {
        Self { mapping_level, type_name: PROGRAM_INTERFACE }
    }
}

/// The name that DFHLS2WS gives to the type of the outermost element.
pub const PROGRAM_INTERFACE: &str = "ProgramInterface";

/// The source that the assistants' annotations name.
const ANNOTATIONS: &str = "http://www.ibm.com/software/htp/cics/annotations";

/// The prefix of the assistants' properties.
const PROPERTY: &str = "com.ibm.cics.wsdl.properties.";

/// Writes the schema of one element with these members.
pub(crate) fn schema(
    root: &str,
    namespace: Option<&str>,
    members: &[Member],
    rules: XsdRules,
    shape: Shape<'_>,
) -> String {
    let prefix = if shape == Shape::Record { "xs" } else { "xsd" };
    let mut writer = Writer { out: String::new(), depth: 0, prefix, rules, shape };
    if let Shape::ProgramInterface(interface) = shape {
        writer.program_interface(root, namespace, members, interface);
        return writer.out;
    }
    let target = namespace.map(|namespace| {
        let namespace = attribute(namespace);
        format!(" targetNamespace=\"{namespace}\" elementFormDefault=\"qualified\"")
    });
    let target = target.unwrap_or_default();
    writer.open(&format!("schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\"{target}"));
    writer.open(&format!("element name=\"{root}\""));
    writer.group(members);
    writer.close("element");
    writer.close("schema");
    writer.out
}

fn attribute(value: &str) -> String {
    let mut out = String::new();
    write_attribute(value, &mut out);
    out
}

struct Writer<'a> {
    out: String,
    depth: usize,
    /// The prefix of the namespace of XML Schema.
    prefix: &'static str,
    rules: XsdRules,
    shape: Shape<'a>,
}

/// The number of times that an element occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Occurs {
    min: usize,
    max: usize,
    /// The element may also be missing.
    or_none: bool,
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        self.out.push_str(&"  ".repeat(self.depth));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn open(&mut self, tag: &str) {
        self.line(&format!("<{}:{tag}>", self.prefix));
        self.depth += 1;
    }

    fn close(&mut self, name: &str) {
        self.depth -= 1;
        self.line(&format!("</{}:{name}>", self.prefix));
    }

    /// The schema in the form of DFHLS2WS: a type with a name, and a global element of it.
    fn program_interface(
        &mut self,
        root: &str,
        namespace: Option<&str>,
        members: &[Member],
        ProgramInterface { mapping_level, type_name }: ProgramInterface<'_>,
    ) {
        let namespace = namespace.map(attribute);
        let (target, own) = match &namespace {
            Some(namespace) => {
                (format!(" targetNamespace=\"{namespace}\" xmlns:tns=\"{namespace}\""), "tns:")
            }
            None => (String::new(), ""),
        };
        self.open(&format!(
            "schema xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\" attributeFormDefault=\"qualified\" \
             elementFormDefault=\"qualified\"{target}"
        ));
        self.open("annotation");
        self.line(&format!(
            "<xsd:documentation source=\"{ANNOTATIONS}\">This schema was generated by Gantry in the shape of \
             the CICS Web services assistant.</xsd:documentation>"
        ));
        self.close("annotation");
        self.properties(&[format!("mappingLevel={}", attribute(mapping_level))]);
        self.open(&format!(
            "complexType abstract=\"false\" block=\"#all\" final=\"#all\" mixed=\"false\" name=\"{type_name}\""
        ));
        self.sequence(members);
        self.close("complexType");
        self.line(&format!("<xsd:element name=\"{root}\" nillable=\"false\" type=\"{own}{type_name}\"/>"));
        self.close("schema");
    }

    /// An annotation with properties of the assistants.
    fn properties(&mut self, properties: &[String]) {
        self.open("annotation");
        let lines: String = properties.iter().map(|property| format!("\n{PROPERTY}{property}")).collect();
        self.line(&format!("<xsd:appinfo source=\"{ANNOTATIONS}\">{lines}</xsd:appinfo>"));
        self.close("annotation");
    }

    fn is_record(&self) -> bool {
        self.shape == Shape::Record
    }

    fn group(&mut self, members: &[Member]) {
        self.open(if self.is_record() { "complexType" } else { "complexType mixed=\"false\"" });
        self.sequence(members);
        self.close("complexType");
    }

    fn sequence(&mut self, members: &[Member]) {
        self.open("sequence");
        let mut rest = members;
        while let Some((member, others)) = rest.split_first() {
            let area = member.view.as_ref().map(|view| view.area);
            let same = |other: &&Member| area.is_some() && other.view.as_ref().map(|view| view.area) == area;
            let views = others.iter().take_while(same).count();
            // A request gives at most one view. A record shows all views that it holds.
            if views > 0 && !self.rules.response {
                self.open("choice minOccurs=\"0\"");
                rest[..=views].iter().for_each(|view| self.member(view, false));
                self.close("choice");
                rest = &rest[views + 1..];
            } else {
                self.member(member, self.may_be_left_out(member));
                rest = others;
            }
        }
        self.close("sequence");
    }

    fn may_be_left_out(&self, member: &Member) -> bool {
        if !self.rules.response {
            return if self.is_record() { !member.required } else { member.view.is_some() };
        }
        let omitted = match &member.node {
            Node::Scalar(Slot { codec: Codec::Rich(rich), .. }) => {
                member.table.is_none() && rich.may_be_omitted()
            }
            _ => false,
        };
        omitted || member.view.as_ref().is_some_and(|view| view.shown != Shown::Always)
    }

    fn occurs(&self, table: Table, of_groups: bool, may_be_left_out: bool) -> Occurs {
        let Table { min, max, counter, .. } = table;
        let empty = if !self.is_record() && !self.rules.response {
            false
        } else if counter.is_some() {
            self.rules.tables_may_be_empty && self.rules.response
        } else {
            self.rules.rows_may_be_missing
        };
        let fewer = self.rules.rows_may_be_missing && (self.rules.response || counter.is_none())
            || counter.is_none() && self.rules.empty_rows.omits(of_groups);
        let min = if fewer { 0 } else { min };
        Occurs { min, max, or_none: min > 0 && (may_be_left_out || empty) }
    }

    fn member(&mut self, member: &Member, may_be_left_out: bool) {
        let once = Occurs { min: 1, max: 1, or_none: may_be_left_out };
        let of_groups = matches!(member.node, Node::Object(_));
        let mut occurs = member.table.map_or(once, |table| self.occurs(table, of_groups, may_be_left_out));
        if occurs.or_none && occurs.min <= 1 {
            occurs = Occurs { min: 0, or_none: false, ..occurs };
        }
        if occurs.or_none {
            self.open("sequence minOccurs=\"0\"");
        }
        self.element(member, occurs);
        if occurs.or_none {
            self.close("sequence");
        }
    }

    fn element(&mut self, member: &Member, occurs: Occurs) {
        let mut tag = format!("element name=\"{}\"", member.name);
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
        if nillable || !self.is_record() {
            let _ = write!(tag, " nillable=\"{nillable}\"");
        }
        let simple = match &member.node {
            Node::Scalar(slot) => Some(Simple::of(slot, member.listed.as_deref(), self.shape)),
            Node::Object(_) => None,
        };
        // A type without limits of its own can stand in the tag.
        if let Some(Simple { base, facets, others }) = &simple
            && self.is_record()
            && facets.is_empty()
            && others.is_empty()
        {
            let _ = write!(tag, " type=\"xs:{base}\"");
            if member.description.is_none() {
                return self.line(&format!("<xs:{tag}/>"));
            }
        }
        self.open(&tag);
        if let Some(description) = &member.description {
            let text: String = description.chars().filter(|character| is_allowed(*character)).collect();
            self.open("annotation");
            self.line(&format!(
                "<{0}:documentation>{1}</{0}:documentation>",
                self.prefix,
                attribute(&text).replace("]]>", "]]&gt;")
            ));
            self.close("annotation");
        }
        match (simple, &member.node) {
            (Some(simple), _) => self.simple_type(&simple, member),
            (None, Node::Object(members)) => self.group(members),
            (None, Node::Scalar(_)) => {}
        }
        self.close("element");
    }

    fn simple_type(&mut self, simple: &Simple, member: &Member) {
        if self.is_record() && simple.others.is_empty() && simple.facets.is_empty() {
            return;
        }
        self.open("simpleType");
        if !self.is_record() {
            let fixed = (simple.base == "string").then(|| "charlength=fixed".to_owned());
            let synchronized = format!("synchronized={}", member.synchronized);
            let properties: Vec<String> = fixed.into_iter().chain([synchronized]).collect();
            self.properties(&properties);
        }
        if simple.others.is_empty() {
            self.restriction(simple.base, &simple.facets);
        } else {
            self.open("union");
            for facets in &simple.others {
                self.open("simpleType");
                let all: Vec<Facet> = simple.facets.iter().chain(facets).cloned().collect();
                self.restriction(simple.base, &all);
                self.close("simpleType");
            }
            self.close("union");
        }
        self.close("simpleType");
    }

    fn restriction(&mut self, base: &str, facets: &[Facet]) {
        let prefix = self.prefix;
        if facets.is_empty() {
            return self.line(&format!("<{prefix}:restriction base=\"{prefix}:{base}\"/>"));
        }
        self.open(&format!("restriction base=\"{prefix}:{base}\""));
        for (name, value) in facets {
            self.line(&format!("<{prefix}:{name} value=\"{}\"/>", attribute(value)));
        }
        self.close("restriction");
    }
}
