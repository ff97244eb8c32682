//! Service interfaces (`.si`): the layout of a program's data and its form in an API, in one tree of fields.

use crate::fault::{Fault, FaultKind, Notes};
use crate::limits::Limits;
use crate::xml::{self, Element};

/// An interface, by its file.
#[derive(Clone, Debug)]
pub(crate) struct Interface {
    pub(crate) file: String,
    /// The containers of a channel. A commarea is a container without a name.
    pub(crate) segments: Vec<Segment>,
    pub(crate) channel: bool,
}

/// A commarea, or one container.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    /// The name that an API shows.
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) fields: Vec<Field>,
}

/// A field, with the fields in it.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) line: usize,
    /// The name that an API shows.
    pub(crate) name: String,
    /// The COBOL name, with underscores for hyphens.
    pub(crate) original: String,
    pub(crate) included: bool,
    pub(crate) default: Option<String>,
    /// The default is given as bytes.
    pub(crate) hex: bool,
    pub(crate) redefines: Option<String>,
    pub(crate) depends_on: Option<String>,
    pub(crate) depended_on: bool,
    /// Least and greatest number of rows.
    pub(crate) occurs: Option<(usize, usize)>,
    /// From 0. The file counts from 1, and does not have it within tables.
    pub(crate) start: Option<usize>,
    pub(crate) bytes: usize,
    pub(crate) datatype: String,
    pub(crate) converter: String,
    pub(crate) precision: Option<usize>,
    pub(crate) scale: i64,
    /// The sign; none if the file does not have it.
    pub(crate) signed: Option<bool>,
    pub(crate) sign_leading: bool,
    pub(crate) sign_separate: bool,
    pub(crate) wide: bool,
    pub(crate) native: bool,
    pub(crate) alignment: String,
    pub(crate) remarks: String,
    pub(crate) children: Vec<Field>,
}

impl Interface {
    pub(crate) fn parse(
        file: &str,
        text: &str,
        limits: &Limits,
        notes: &mut Notes,
    ) -> Result<Self, Vec<Fault>> {
        let root = xml::parse(file, text, limits).map_err(|fault| vec![fault])?;
        let mut reader = Reader { file, limits, notes, faults: Vec::new(), count: 0 };
        let service_type = root.get("serviceType").unwrap_or_default();
        // The outer element is the whole message, the inner one its only variant.
        let message = root.child("message").unwrap_or(&root);
        if root.all("message").count() > 1 {
            reader.fault(&root, "several messages in one interface");
        }
        let segments: Vec<Segment> = message
            .all("segment")
            .map(|segment| Segment {
                name: segment_name(segment).to_owned(),
                line: segment.line,
                fields: segment.all("field").map(|field| reader.field(field)).collect(),
            })
            .collect();
        if segments.is_empty() || segments.iter().any(|segment| segment.fields.is_empty()) {
            reader.fault(&root, "expected segments with fields in them");
        }
        let channel = service_type.contains("CHANNEL") || segments.len() > 1;
        if channel && segments.iter().any(|segment| segment.name.is_empty()) {
            reader.fault(&root, "a segment of a channel has neither a name nor an originalName");
        }
        if let Some(segment) = segments.first()
            && !channel
            && segment.fields.len() > 1
        {
            reader.fault(&root, "a commarea of several structures; expected one");
        }
        if reader.faults.is_empty() {
            Ok(Self { file: file.to_owned(), segments, channel })
        } else {
            Err(reader.faults)
        }
    }
}

/// Tools leave `name` empty, unless a user gave the segment another name than that of the container.
fn segment_name(segment: &Element) -> &str {
    segment.filled("name").or_else(|| segment.filled("originalName")).unwrap_or_default()
}

struct Reader<'a> {
    file: &'a str,
    limits: &'a Limits,
    notes: &'a mut Notes,
    faults: Vec<Fault>,
    count: usize,
}

impl Reader<'_> {
    fn fault(&mut self, element: &Element, message: impl Into<String>) {
        self.faults.push(Fault::at(FaultKind::Content, self.file, element.line, message));
    }

    fn field(&mut self, element: &Element) -> Field {
        self.count += 1;
        if self.count == self.limits.field_count_max + 1 {
            let message = format!("more than {} fields (field_count_max)", self.limits.field_count_max);
            self.faults.push(Fault::at(FaultKind::Limit, self.file, element.line, message));
        }
        let name = element.filled("name").unwrap_or_default().to_owned();
        let original = element.filled("originalName").unwrap_or(&name).to_owned();
        if name.is_empty() {
            self.fault(element, "a field without a name");
        }
        let none = Element::default();
        let datatype = element.child("applicationDatatype").unwrap_or(&none);
        let marshaller = element.child("marshaller").unwrap_or(&none);
        let yes = |name: &str| marshaller.get(name).map(|value| value == "Y" || value == "true");
        let occurs = self.occurs(element);
        let start = self.number(element, "startPos");
        let start = match start {
            Some(0) => {
                self.fault(element, format!("{name}: startPos counts from 1"));
                None
            }
            other => other.map(|start| start - 1),
        };
        let bytes = self.number(element, "bytes");
        if bytes.is_none() {
            self.fault(element, format!("{name}: bytes is missing"));
        }
        self.unknown(element, &name);
        Field {
            line: element.line,
            included: element.get("included") != Some("N"),
            default: element.get("defaultValue").filter(|value| !value.is_empty()).map(str::to_owned),
            hex: element.get("isHex") == Some("true"),
            redefines: element.filled("redefines").map(str::to_owned),
            depends_on: element.filled("dependsOn").map(str::to_owned),
            depended_on: element.get("dependedOn") == Some("true"),
            occurs,
            start,
            bytes: bytes.unwrap_or_default(),
            datatype: datatype.filled("datatype").unwrap_or("CHAR").to_ascii_uppercase(),
            converter: marshaller.child_text("typeConverter").unwrap_or_default().to_ascii_uppercase(),
            precision: self.number_attribute(datatype, "precision"),
            scale: datatype.filled("scale").and_then(|scale| scale.parse().ok()).unwrap_or_default(),
            signed: yes("isSigned"),
            sign_leading: yes("isSignLeading") == Some(true),
            sign_separate: yes("isSignSeparate") == Some(true),
            wide: yes("isWCHAROnly") == Some(true),
            native: yes("isNativeInteger") == Some(true),
            alignment: marshaller.filled("alignment").unwrap_or_default().to_ascii_uppercase(),
            remarks: element.child_text("remarks").unwrap_or_default().to_owned(),
            children: element.all("field").map(|child| self.field(child)).collect(),
            name,
            original,
        }
    }

    fn occurs(&mut self, element: &Element) -> Option<(usize, usize)> {
        let least = self.number_attribute(element, "minOccurs");
        let most = self.number_attribute(element, "maxOccurs")?;
        let least = least.unwrap_or(most);
        if most == 0 || least > most {
            self.fault(element, format!("a table cannot have {least} to {most} rows"));
        }
        Some((least, most))
    }

    fn number_attribute(&mut self, element: &Element, name: &str) -> Option<usize> {
        let text = element.filled(name)?.to_owned();
        self.parsed(element, name, &text)
    }

    fn number(&mut self, element: &Element, name: &str) -> Option<usize> {
        let text = element.child_text(name)?.to_owned();
        self.parsed(element, name, &text)
    }

    fn parsed(&mut self, element: &Element, name: &str, text: &str) -> Option<usize> {
        match text.parse::<u32>() {
            Ok(number) => Some(number as usize),
            Err(_) => {
                self.fault(element, format!("{name} is '{text}', expected a number"));
                None
            }
        }
    }

    /// Notes unknown content of newer tools, so that it is never lost silently.
    fn unknown(&mut self, element: &Element, name: &str) {
        const ATTRIBUTES: &[&str] = &[
            "name",
            "originalName",
            "included",
            "defaultValue",
            "isHex",
            "path",
            "codepageConversion",
            "redefines",
            "dependsOn",
            "dependsOnPath",
            "dependedOn",
            "minOccurs",
            "maxOccurs",
        ];
        const CHILDREN: &[&str] =
            &["startPos", "bytes", "maxBytes", "remarks", "marshaller", "applicationDatatype", "field"];
        for (attribute, value) in &element.attributes {
            if !ATTRIBUTES.contains(&attribute.as_str()) && !value.is_empty() {
                let reason = format!("{name}: {attribute} = '{value}' is unknown and not imported");
                self.notes.add(self.file, element.line, reason);
            }
        }
        for child in &element.children {
            if !CHILDREN.contains(&child.name.as_str()) {
                let reason = format!("{name}: <{}> is unknown and not imported", child.name);
                self.notes.add(self.file, child.line, reason);
            }
        }
        if element.get("codepageConversion") == Some("N") {
            let reason = format!("{name} is not converted from its code page there; here it is text");
            self.notes.add(self.file, element.line, reason);
        }
    }
}
