//! Operations of other servers: the envelope of a request, and the answer of the server.

use std::fmt;

use failure::Code;
use service::Payload;
use xml::{Cursor, Encoding};

use crate::envelope::{self, Expected, Heard};
use crate::parts::Parts;
use crate::side::{Given, Side};
use crate::trouble::Trouble;
use crate::version::{TAIL, Version, Versions};
use crate::web_service::cursor;

/// The most bytes that are kept of a fault's code, of its reason and of its detail. The body has
/// all of them.
pub const FAULT_WORDS_BYTES_MAX: usize = 1_024;

/// The initial capacity for an envelope, in bytes.
const ENVELOPE_BYTES: usize = 1_024;

/// An operation of another server.
#[derive(Clone, Debug)]
pub struct RemoteOperation {
    /// The version of its messages.
    pub version: Version,
    /// The SOAP action; empty for none.
    pub action: String,
    /// Turns the payload of a request into its element.
    pub request: Side,
    /// Turns the element of an answer into its payload; none for an operation without an answer.
    pub response: Option<Side>,
}

/// Why an answer is not a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// The server answered with a fault.
    Fault(Box<RemoteFault>),
    /// The answer cannot be read.
    Trouble(Box<Trouble>),
}

/// A fault of another server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteFault {
    /// Its code: a qualified name, as the server wrote it.
    pub code: String,
    /// Its reason for people: the first text.
    pub reason: String,
    /// The element with its further details, as the server wrote it; empty for none.
    pub detail: String,
    /// The element `Body` with the whole fault.
    pub body: String,
    /// The declarations of prefixes that are in force in it.
    pub namespaces: String,
}

impl fmt::Display for RemoteFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The text stands on one line of a log.
        let line = |text: &str| -> String {
            text.chars().map(|shown| if shown.is_control() { ' ' } else { shown }).collect()
        };
        write!(f, "{}: {}", line(&self.code), line(&self.reason))?;
        if self.detail.is_empty() { Ok(()) } else { write!(f, " {}", line(&self.detail)) }
    }
}

impl From<Trouble> for Unanswered {
    fn from(trouble: Trouble) -> Self {
        Unanswered::Trouble(Box::new(trouble))
    }
}

impl From<xml::Error> for Unanswered {
    fn from(error: xml::Error) -> Self {
        Trouble::from(error).into()
    }
}

impl RemoteOperation {
    /// The content type of its requests.
    #[must_use]
    pub fn content_type(&self) -> String {
        self.content_type_for(&self.action)
    }

    /// The same for another action.
    #[must_use]
    pub fn content_type_for(&self, action: &str) -> String {
        match self.version {
            Version::Soap12 if !action.is_empty() => {
                format!("{}; action=\"{action}\"", self.version.content_type())
            }
            _ => self.version.content_type().to_owned(),
        }
    }

    /// The envelope of a request.
    ///
    /// # Errors
    /// The record does not fit its layout, or a text in it has a character that XML does not allow.
    pub fn envelope(&self, given: Given<'_>) -> Result<Vec<u8>, Trouble> {
        let mut out = Vec::with_capacity(ENVELOPE_BYTES);
        out.extend_from_slice(self.version.head().as_bytes());
        self.request.write(given, &mut out)?;
        out.extend_from_slice(TAIL.as_bytes());
        Ok(out)
    }

    /// The element `Body` of a request. It fits into an envelope with the prefix `SOAP-ENV`.
    ///
    /// # Errors
    /// As [`RemoteOperation::envelope`].
    pub fn body(&self, given: Given<'_>) -> Result<String, Trouble> {
        let mut out = BODY.0.as_bytes().to_vec();
        self.request.write(given, &mut out)?;
        out.extend_from_slice(BODY.1.as_bytes());
        // A bind writes only UTF-8.
        Ok(String::from_utf8(out)
            .unwrap_or_else(|wrong| String::from_utf8_lossy(wrong.as_bytes()).into_owned()))
    }

    /// The payload of an answer, read in one pass. An operation without an answer has an empty
    /// record.
    ///
    /// # Errors
    /// The answer is a fault, or cannot be read.
    pub fn payload(&self, text: &str, encoding: Encoding) -> Result<Payload, Unanswered> {
        let mut cursor = cursor(text, encoding)?;
        // A server that does not know the version says so in another version.
        let expected = Expected { versions: Versions::All, action: "", tokens: false, is_answer: true };
        let message = envelope::read(&mut cursor, &expected, &mut Heard::default()).map_err(of_answer)?;
        if message.open.name == "Fault" && cursor.is_in(&message.open, message.version.namespace()) {
            return Err(fault(cursor, text, encoding));
        }
        if message.version != self.version {
            let (found, own) = (message.version.number(), self.version.number());
            let details = format!("expected a message of SOAP {own}, found one of SOAP {found}");
            return Err(Trouble::new(Code::SoapVersion, details).into());
        }
        let Some(side) = &self.response else { return Ok(Payload::Record(Vec::new())) };
        Ok(side.payload(&mut cursor, &message.open, message.version)?)
    }
}

/// The tags around the content of a body.
const BODY: (&str, &str) = ("<SOAP-ENV:Body>", "</SOAP-ENV:Body>");

/// Header blocks that must be understood normally have words for the sender. Here they concern the
/// answer.
fn of_answer(mut trouble: Trouble) -> Trouble {
    if !trouble.not_understood.is_empty() {
        let names: Vec<&str> = trouble.not_understood.iter().map(|name| &*name.local).collect();
        trouble.failure.details =
            Some(format!("must understand the header blocks {}, which are not known here", names.join(", ")));
    }
    trouble
}

/// The fault of an open element. It keeps its body as written, so this reads the message a second
/// time.
fn fault(mut cursor: Cursor<'_>, text: &str, encoding: Encoding) -> Unanswered {
    let read = |cursor: &mut Cursor<'_>| -> Result<RemoteFault, Trouble> {
        let [code, reason, detail] = words(cursor)?;
        let whole = crate::web_service::cursor(text, encoding)?;
        let parts = Parts::of(whole, (Versions::All, &mut Heard::default()))?;
        Ok(RemoteFault {
            code,
            reason,
            detail,
            body: parts.body(text).to_owned(),
            namespaces: parts.namespaces.clone(),
        })
    };
    match read(&mut cursor) {
        Ok(fault) => Unanswered::Fault(Box::new(fault)),
        Err(trouble) => trouble.into(),
    }
}

/// The code, the reason and the detail of a fault, of either version.
fn words(cursor: &mut Cursor<'_>) -> Result<[String; 3], Trouble> {
    let [mut code, mut reason, mut detail] = [const { String::new() }; 3];
    while let Some(child) = cursor.child()? {
        match child.name {
            "faultcode" => code = short(cursor)?,
            "faultstring" => reason = short(cursor)?,
            "Code" => code = first(cursor, "Value")?,
            "Reason" => reason = first(cursor, "Text")?,
            "detail" | "Detail" => detail = beginning(cursor.raw(&child)?),
            _ => cursor.skip()?,
        }
    }
    Ok([code, reason, detail])
}

/// The text of the first child with this name. It reads to the element's end.
fn first(cursor: &mut Cursor<'_>, name: &str) -> Result<String, Trouble> {
    let mut found = None;
    while let Some(child) = cursor.child()? {
        if child.name == name && found.is_none() {
            found = Some(short(cursor)?);
        } else {
            cursor.skip()?;
        }
    }
    Ok(found.unwrap_or_default())
}

fn short(cursor: &mut Cursor<'_>) -> Result<String, Trouble> {
    Ok(beginning(xml::trim(&cursor.text()?)))
}

fn beginning(text: &str) -> String {
    text[..text.floor_char_boundary(FAULT_WORDS_BYTES_MAX)].to_owned()
}

#[cfg(test)]
mod tests {
    use codepage::Encoding as Page;
    use std::sync::Arc;

    use record::{Bind, Options};

    use super::*;

    const COPYBOOK: &str = "       01 ITEM.\n          05 NUMBER-OF PIC 9(3).\n          05 NAME PIC X(5).\n";

    fn bind(root: &str) -> Side {
        let parsed = copybook::parse("ITEM.cpy", COPYBOOK, &copybook::Options::default()).expect("a layout");
        let mut options = Options::new(Page::by_ccsid(37).expect("a page"));
        options.xml.root = Some(root.to_owned());
        options.xml.namespace = Some("urn:shop".to_owned());
        Arc::new(Bind::compile(&parsed.layouts[0], &options).expect("a bind")).into()
    }

    fn operation(version: Version) -> RemoteOperation {
        RemoteOperation {
            version,
            action: "urn:shop/find".to_owned(),
            request: bind("Find"),
            response: Some(bind("Found")),
        }
    }

    fn envelope(version: Version, header: &str, body: &str) -> String {
        let namespace = version.namespace();
        format!("<e:Envelope xmlns:e='{namespace}'>{header}<e:Body>{body}</e:Body></e:Envelope>")
    }

    const FOUND: &str =
        "<s:Found xmlns:s='urn:shop'><s:number_of>7</s:number_of><s:name>Pen</s:name></s:Found>";

    fn record(version: Version, text: &str) -> Result<Vec<u8>, Unanswered> {
        match operation(version).payload(text, Encoding::Utf8)? {
            Payload::Record(record) => Ok(record),
            other => panic!("{other:?}"),
        }
    }

    fn told(answer: Result<Vec<u8>, Unanswered>) -> String {
        match answer {
            Err(Unanswered::Trouble(trouble)) => trouble.failure.details.unwrap_or_default(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_record_goes_out_and_comes_back() {
        for version in [Version::Soap11, Version::Soap12] {
            let operation = operation(version);
            let back = record(version, &envelope(version, "", FOUND)).expect("a record");
            let out = String::from_utf8(operation.envelope(Given::Record(&back)).expect("an envelope"))
                .expect("UTF-8");
            assert!(out.starts_with(version.head()) && out.ends_with(TAIL), "{out}");
            let body = operation.body(Given::Record(&back)).expect("a body");
            assert!(out.contains(&body), "{body}");
            assert!(
                body.contains("<Find xmlns=\"urn:shop\"><number_of>7</number_of><name>Pen</name>"),
                "{body}"
            );
        }
        assert_eq!(operation(Version::Soap11).content_type(), "text/xml; charset=utf-8");
        assert!(operation(Version::Soap12).content_type().ends_with("; action=\"urn:shop/find\""));
    }

    #[test]
    fn faults_of_both_versions_are_told_with_their_body() {
        let old = "<e:Fault xmlns:x='urn:x'><faultcode>e:Client</faultcode><faultstring>no &lt;such&gt; item\n</faultstring>\
                   <detail><x:why>gone</x:why></detail></e:Fault>";
        let new = "<e:Fault><e:Code><e:Value>e:Sender</e:Value><e:Subcode><e:Value>x:y</e:Value></e:Subcode></e:Code>\
                   <e:Reason><e:Text xml:lang='en'>no item</e:Text><e:Text xml:lang='de'>nichts</e:Text></e:Reason></e:Fault>";
        for (asked, version, text, shown) in [
            (
                Version::Soap11,
                Version::Soap11,
                old,
                "e:Client: no <such> item <detail><x:why>gone</x:why></detail>",
            ),
            (Version::Soap12, Version::Soap12, new, "e:Sender: no item"),
            // The server knows only one version.
            (
                Version::Soap12,
                Version::Soap11,
                old,
                "e:Client: no <such> item <detail><x:why>gone</x:why></detail>",
            ),
        ] {
            match record(asked, &envelope(version, "", text)) {
                Err(Unanswered::Fault(fault)) => {
                    assert_eq!(fault.to_string(), shown);
                    assert_eq!(fault.body, format!("<e:Body>{text}</e:Body>"));
                    assert!(fault.namespaces.contains("xmlns:e="), "{}", fault.namespaces);
                }
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn addresses_of_an_answer_do_not_count() {
        let block = |name: &str, content: &str| {
            let namespace = crate::ADDRESSING;
            format!("<w:{name} xmlns:w='{namespace}' e:mustUnderstand='1'>{content}</w:{name}>")
        };
        for blocks in [
            block("RelatesTo", "urn:7"),
            block("ReplyTo", "<w:Address>http://elsewhere/</w:Address>"),
            [block("Action", "urn:a"), block("FaultTo", ""), block("MessageID", "urn:8")].concat(),
        ] {
            let header = format!("<e:Header>{blocks}</e:Header>");
            record(Version::Soap11, &envelope(Version::Soap11, &header, FOUND)).expect(&blocks);
        }
    }

    #[test]
    fn half_an_answer_is_never_a_whole_one() {
        let fault = "<e:Fault><faultcode>e:Client</faultcode><detail><x/></detail></e:Fault>";
        for body in [FOUND, fault] {
            let whole = envelope(Version::Soap11, "<e:Header/>", body);
            for end in 0..whole.len() {
                let cut = record(Version::Soap11, &whole[..end]);
                assert!(matches!(cut, Err(Unanswered::Trouble(_))), "{end}: {cut:?}");
            }
        }
    }

    #[test]
    fn an_answer_that_is_none_is_told_with_its_place() {
        let own = Version::Soap11;
        for (text, word) in [
            (envelope(Version::Soap12, "", FOUND), "expected a message of SOAP 1.1, found one of SOAP 1.2"),
            (
                envelope(own, "<e:Header><h:a xmlns:h='urn:h' e:mustUnderstand='1'/></e:Header>", FOUND),
                "blocks a",
            ),
            (envelope(own, "", "<Other xmlns='urn:shop'/>"), "Other"),
            (envelope(own, "", "<Found/>"), "Found"),
            (envelope(own, "", &FOUND.replace('7', "7777")), "number_of"),
            (envelope(own, "", &format!("{FOUND}{FOUND}")), "more than one element"),
            (envelope(own, "", ""), "no element"),
            (envelope(own, "", "<e:Fault><faultcode>x</e:Fault>"), "faultcode"),
            (envelope(own, "", FOUND)[..120].to_owned(), ""),
            (format!("<!DOCTYPE a [<!ENTITY b 'c'>]>{}", envelope(own, "", FOUND)), "document type"),
            ("<html>".to_owned(), "expected an envelope"),
            ("no XML".to_owned(), ""),
        ] {
            let told = told(record(own, &text));
            assert!(told.contains(word), "{text}: {told}");
        }
    }
}
