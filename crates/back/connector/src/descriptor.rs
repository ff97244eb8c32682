//! Endpoint group descriptors: the XML of z/TPF's high speed connector. Pure: text in, values or
//! faults out.
//!
//! The elements are those of the published example, under any prefix. The example leaves some units
//! open. We chose them: `syncTimeout` is in milliseconds, `heartbeatInterval` in seconds,
//! `qThreshold` in percent of `qMaxDepth`.

use xml::{Cursor, Encoding, Open};

use crate::balance::Role;

/// The longest name of a group or an endpoint, in characters.
pub const NAME_CHARACTERS_MAX: usize = 8;

/// The values of a descriptor. A value that it leaves out is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Descriptor {
    /// `groupName`.
    pub group_name: String,
    /// `Endpoint`, at least one.
    pub endpoints: Vec<EndpointDescriptor>,
    /// `qMaxDepth`: requests that wait at one time.
    pub queue_max: Option<u32>,
    /// `qThreshold`, in percent.
    pub queue_threshold_percent: Option<u32>,
    /// `syncTimeout`.
    pub sync_timeout_ms: Option<u32>,
    /// `heartbeatInterval`.
    pub heartbeat_interval_s: Option<u32>,
}

/// An endpoint of a descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointDescriptor {
    /// `endpointName`.
    pub name: String,
    /// `role`.
    pub role: Role,
    /// `destination`: a host or an address, and a port.
    pub destination: String,
    /// `startSocket`: connections that are opened at the start.
    pub start_sockets: Option<u32>,
    /// `maxSocket`: connections at one time.
    pub max_sockets: Option<u32>,
}

/// A fault of a descriptor, with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// The expected and the found value.
    pub message: String,
}

impl From<xml::Error> for Fault {
    fn from(error: xml::Error) -> Self {
        Self { line: error.position.map_or(1, |(line, _)| line), message: error.message }
    }
}

/// Reads a descriptor.
///
/// # Errors
/// The text is not XML or has a document type. An element is unknown, missing, repeated or has a
/// wrong value.
pub fn read(text: &str) -> Result<Descriptor, Fault> {
    // Skip a byte order mark.
    read_decoded(text.strip_prefix('\u{feff}').unwrap_or(text), Encoding::Utf8)
}

/// Reads a descriptor in the encoding that it declares.
///
/// # Errors
/// As [`read`], and an encoding that is not known, or bytes that are not text in it.
pub fn read_bytes(bytes: &[u8]) -> Result<Descriptor, Fault> {
    let (text, encoding) = xml::decode_declared(bytes)?;
    read_decoded(&text, encoding)
}

fn read_decoded(text: &str, encoding: Encoding) -> Result<Descriptor, Fault> {
    let mut reader = Reader { cursor: Cursor::new(text, encoding)?, end: text.len() };
    let root = reader.cursor.root()?;
    if root.name != "EndpointGroup" {
        let message = format!("expected the element EndpointGroup, found {}", xml::shown(root.name));
        return Err(reader.fault(root.at, message));
    }
    let descriptor = reader.group(root.at)?;
    reader.cursor.end()?;
    Ok(descriptor)
}

/// Checks the name of a group or an endpoint.
///
/// # Errors
/// It is empty, too long, or has other characters than letters, digits, `@`, `#`, `$`, `_` and `-`.
pub fn check_name(name: &str) -> Result<(), String> {
    let allowed = |character: char| character.is_ascii_alphanumeric() || "@#$_-".contains(character);
    if name.is_empty() || name.len() > NAME_CHARACTERS_MAX || !name.chars().all(allowed) {
        return Err(format!(
            "expected a name of 1 to {NAME_CHARACTERS_MAX} letters, digits, @, #, $, _ or -, found '{name}'"
        ));
    }
    Ok(())
}

/// Checks a destination: a host or an address, a colon, and a port from 1.
///
/// # Errors
/// The text is not a destination.
pub fn check_destination(destination: &str) -> Result<(), String> {
    let is_right = destination.rsplit_once(':').is_some_and(|(host, port)| {
        let is_host = match host.strip_prefix('[') {
            Some(rest) => rest.strip_suffix(']').is_some_and(|v6| v6.parse::<core::net::Ipv6Addr>().is_ok()),
            None => !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c)),
        };
        is_host
            && port.bytes().all(|byte| byte.is_ascii_digit())
            && port.parse::<u16>().is_ok_and(|port| port > 0)
    });
    if is_right { Ok(()) } else { Err(format!("expected HOST:PORT, found '{destination}'")) }
}

/// The elements of a group.
const GROUP_ELEMENTS: &[&str] =
    &["Endpoint", "groupName", "qMaxDepth", "qThreshold", "syncTimeout", "heartbeatInterval"];
/// The elements of an endpoint.
const ENDPOINT_ELEMENTS: &[&str] = &["endpointName", "role", "destination", "startSocket", "maxSocket"];

struct Reader<'a> {
    cursor: Cursor<'a>,
    /// The end of the text, in bytes.
    end: usize,
}

impl<'a> Reader<'a> {
    fn fault(&self, at: usize, message: impl Into<String>) -> Fault {
        Fault { line: self.cursor.position(at).0, message: message.into() }
    }

    /// The next element inside of one that begins at a byte.
    fn child(&mut self, within: &str, at: usize) -> Result<Option<Open<'a>>, Fault> {
        self.cursor.child().map_err(|error| self.within(error, within, at))
    }

    /// The fault of an error inside of an element. A text that ends too early is the fault of the element.
    fn within(&self, error: xml::Error, element: &str, at: usize) -> Fault {
        if error.position != Some(self.cursor.position(self.end)) {
            return error.into();
        }
        self.fault(at, format!("the element {element} begins here and is never closed"))
    }

    fn group(&mut self, at: usize) -> Result<Descriptor, Fault> {
        let mut found = Descriptor::default();
        let mut seen: Vec<&'a str> = Vec::new();
        while let Some(child) = self.child("EndpointGroup", at)? {
            self.once(&child, &mut seen, child.name != "Endpoint")?;
            match child.name {
                "Endpoint" => {
                    let endpoint = self.endpoint(child.at)?;
                    if found.endpoints.iter().any(|other| other.name == endpoint.name) {
                        let message = format!("there are two endpoints '{}'", endpoint.name);
                        return Err(self.fault(child.at, message));
                    }
                    found.endpoints.push(endpoint);
                }
                "groupName" => found.group_name = self.name(&child)?,
                "qMaxDepth" => found.queue_max = Some(self.number(&child, 0..=1_000_000)?),
                "qThreshold" => found.queue_threshold_percent = Some(self.number(&child, 0..=100)?),
                "syncTimeout" => found.sync_timeout_ms = Some(self.number(&child, 1..=3_600_000)?),
                "heartbeatInterval" => found.heartbeat_interval_s = Some(self.number(&child, 0..=86_400)?),
                _ => return Err(self.unknown(&child, "EndpointGroup", GROUP_ELEMENTS)),
            }
        }
        if found.group_name.is_empty() {
            return Err(self.fault(at, "expected the element groupName"));
        }
        if found.endpoints.is_empty() {
            return Err(self.fault(at, "expected an element Endpoint at least"));
        }
        Ok(found)
    }

    fn endpoint(&mut self, at: usize) -> Result<EndpointDescriptor, Fault> {
        let (mut name, mut role, mut destination) = (None, None, None);
        let (mut start_sockets, mut max_sockets) = (None, None);
        let mut seen: Vec<&'a str> = Vec::new();
        while let Some(child) = self.child("Endpoint", at)? {
            self.once(&child, &mut seen, true)?;
            match child.name {
                "endpointName" => name = Some(self.name(&child)?),
                "role" => role = Some(self.role(&child)?),
                "destination" => {
                    let text = self.text(&child)?;
                    check_destination(&text).map_err(|message| self.fault(child.at, message))?;
                    destination = Some(text);
                }
                "startSocket" => start_sockets = Some(self.number(&child, 0..=10_000)?),
                "maxSocket" => max_sockets = Some(self.number(&child, 1..=10_000)?),
                _ => return Err(self.unknown(&child, "Endpoint", ENDPOINT_ELEMENTS)),
            }
        }
        if let (Some(start), Some(max)) = (start_sockets, max_sockets)
            && start > max
        {
            return Err(self.fault(at, format!("startSocket is {start}, more than maxSocket, {max}")));
        }
        let missing = |what: &str| self.fault(at, format!("expected the element {what} in Endpoint"));
        Ok(EndpointDescriptor {
            name: name.ok_or_else(|| missing("endpointName"))?,
            role: role.ok_or_else(|| missing("role"))?,
            destination: destination.ok_or_else(|| missing("destination"))?,
            start_sockets,
            max_sockets,
        })
    }

    /// Notes an element that may occur once, without attributes.
    fn once(&mut self, child: &Open<'a>, seen: &mut Vec<&'a str>, once: bool) -> Result<(), Fault> {
        if child.attribute().is_some() {
            return Err(
                self.fault(child.at, format!("the element {} takes no attributes", xml::shown(child.name)))
            );
        }
        if once && seen.contains(&child.name) {
            return Err(
                self.fault(child.at, format!("the element {} is there twice", xml::shown(child.name)))
            );
        }
        seen.push(child.name);
        Ok(())
    }

    fn unknown(&self, child: &Open<'a>, within: &str, known: &[&str]) -> Fault {
        let (name, known) = (xml::shown(child.name), known.join(", "));
        self.fault(child.at, format!("{within} has no element {name}: expected one of {known}"))
    }

    fn text(&mut self, child: &Open<'a>) -> Result<String, Fault> {
        let shown = xml::shown(child.name);
        let text = self.cursor.text().map_err(|error| self.within(error, &shown, child.at))?;
        match xml::trim(&text) {
            "" => {
                Err(self
                    .fault(child.at, format!("expected a value in the element {}", xml::shown(child.name))))
            }
            text => Ok(text.to_owned()),
        }
    }

    fn name(&mut self, child: &Open<'a>) -> Result<String, Fault> {
        let name = self.text(child)?;
        check_name(&name).map_err(|message| self.fault(child.at, message))?;
        Ok(name)
    }

    fn role(&mut self, child: &Open<'a>) -> Result<Role, Fault> {
        match self.text(child)?.as_str() {
            "PRIMARY" => Ok(Role::Primary),
            "BACKUP" => Ok(Role::Backup),
            other => Err(self.fault(child.at, format!("expected PRIMARY or BACKUP, found '{other}'"))),
        }
    }

    fn number(&mut self, child: &Open<'a>, range: std::ops::RangeInclusive<u32>) -> Result<u32, Fault> {
        let text = self.text(child)?;
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|number| is_plain && range.contains(number)).ok_or_else(|| {
            let (least, most) = (range.start(), range.end());
            let name = xml::shown(child.name);
            self.fault(child.at, format!("{name}: expected a number from {least} to {most}, found '{text}'"))
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The published example.
    const EXAMPLE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<tns:EndpointGroup xmlns:tns="http://www.ibm.com/xmlns/prod/ztpf/endpointgroup">
  <tns:Endpoint>
    <tns:endpointName>PRCRYP1</tns:endpointName>
    <tns:role>PRIMARY</tns:role>
    <tns:destination>remHost.ibm.com:15000</tns:destination>
    <tns:startSocket>25</tns:startSocket>
    <tns:maxSocket>100</tns:maxSocket>
  </tns:Endpoint>
  <tns:Endpoint>
    <tns:endpointName>BKCRYP1</tns:endpointName>
    <tns:role>BACKUP</tns:role>
    <tns:destination>9.57.13.155:15000</tns:destination>
    <tns:startSocket>25</tns:startSocket>
    <tns:maxSocket>100</tns:maxSocket>
  </tns:Endpoint>
  <tns:groupName> CRYPSVR1 </tns:groupName>
  <tns:qMaxDepth>400</tns:qMaxDepth>
  <tns:qThreshold>45</tns:qThreshold>
  <tns:syncTimeout>500</tns:syncTimeout>
  <tns:heartbeatInterval>300</tns:heartbeatInterval>
</tns:EndpointGroup>
"#;

    #[test]
    fn the_published_example_is_read() {
        let read = read(EXAMPLE).expect("a descriptor");
        let endpoint = |name: &str, role, destination: &str| EndpointDescriptor {
            name: name.to_owned(),
            role,
            destination: destination.to_owned(),
            start_sockets: Some(25),
            max_sockets: Some(100),
        };
        assert_eq!(
            read,
            Descriptor {
                group_name: "CRYPSVR1".to_owned(),
                endpoints: vec![
                    endpoint("PRCRYP1", Role::Primary, "remHost.ibm.com:15000"),
                    endpoint("BKCRYP1", Role::Backup, "9.57.13.155:15000"),
                ],
                queue_max: Some(400),
                queue_threshold_percent: Some(45),
                sync_timeout_ms: Some(500),
                heartbeat_interval_s: Some(300),
            }
        );
        let other_prefix = EXAMPLE.replace("tns:", "").replace("xmlns:tns", "xmlns").replace(":tns=", "=");
        assert_eq!(super::read(&other_prefix), Ok(read));
    }

    #[test]
    fn a_file_has_the_encoding_that_it_declares() {
        let expected = Ok(read(EXAMPLE).expect("a descriptor"));
        let utf16: Vec<u8> = "\u{feff}"
            .chars()
            .chain(EXAMPLE.replace("UTF-8", "UTF-16").chars())
            .flat_map(|c| (c as u16).to_le_bytes())
            .collect();
        let latin = EXAMPLE
            .replace("UTF-8", "ISO-8859-1")
            .replace("  <tns:groupName>", "  <!-- \u{e9} --><tns:groupName>");
        let latin: Vec<u8> = latin.chars().map(|c| c as u8).collect();
        let marked = [b"\xEF\xBB\xBF", EXAMPLE.as_bytes()].concat();
        for bytes in
            [EXAMPLE.as_bytes(), &utf16, &latin, &marked, EXAMPLE.replace("UTF-8", "US-ASCII").as_bytes()]
        {
            assert_eq!(read_bytes(bytes), expected, "{}", String::from_utf8_lossy(bytes));
        }
        let refused = |bytes: &[u8]| read_bytes(bytes).expect_err("a fault").message;
        assert!(refused(EXAMPLE.replace("UTF-8", "KLINGON").as_bytes()).contains("KLINGON is not known"));
        assert!(refused(&latin[1..]).contains("UTF-8") || refused(&latin[1..]).contains("UTF8"));
    }

    #[test]
    fn faults_have_their_lines() {
        for (from, to, line, message) in [
            ("<tns:EndpointGroup", "<!DOCTYPE x []>\n<tns:EndpointGroup", 2, "document type"),
            ("<tns:qMaxDepth>", "<tns:colour>red</tns:colour><tns:qMaxDepth>", 18, "has no element colour"),
            ("<tns:syncTimeout>", "<tns:qMaxDepth>1</tns:qMaxDepth><tns:syncTimeout>", 20, "is there twice"),
            ("<tns:startSocket>25", "<tns:startSocket>101", 3, "more than maxSocket"),
            ("BACKUP", "SPARE", 12, "expected PRIMARY or BACKUP"),
            (">500<", ">+5<", 20, "expected a number from 1"),
            ("CRYPSVR1", "CRYPSVR12", 17, "a name of 1 to 8"),
            ("BKCRYP1", "PRCRYP1", 10, "two endpoints 'PRCRYP1'"),
            ("9.57.13.155:15000", "9.57.13.155", 13, "expected HOST:PORT"),
            ("9.57.13.155:15000", "9.57.13.155:0", 13, "expected HOST:PORT"),
            ("<tns:role>P", "<tns:role x=\"1\">P", 5, "takes no attributes"),
            ("</tns:EndpointGroup>", "", 2, "the element EndpointGroup begins here"),
            (
                "</tns:Endpoint>\n  <tns:groupName>",
                "<tns:groupName>",
                16,
                "Endpoint has no element groupName",
            ),
            ("maxSocket>", "maxSockets>", 8, "expected one of endpointName, role"),
        ] {
            let fault = read(&EXAMPLE.replacen(from, to, 1)).expect_err(message);
            assert!(fault.message.contains(message), "{from} {to}: {fault:?}");
            assert_eq!(fault.line, line, "{from} {to}: {fault:?}");
        }
        let none = "<EndpointGroup><groupName>A</groupName></EndpointGroup>";
        assert!(read(none).expect_err("a fault").message.contains("Endpoint at least"));
    }

    proptest! {
        #[test]
        fn any_text_is_judged(text in "[<>/a-zA-Z:\"= !\\[\\]]{0,80}") {
            let _ = read(&text);
        }

        #[test]
        fn a_cut_descriptor_is_a_fault(cut in 0..EXAMPLE.len() - 2) {
            prop_assume!(EXAMPLE.is_char_boundary(cut));
            prop_assert!(read(&EXAMPLE[..cut]).is_err());
        }
    }
}
