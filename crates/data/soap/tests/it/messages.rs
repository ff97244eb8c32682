//! Accepted envelopes, and the faults of refused ones.

use failure::Code;
use service::Payload;
use soap::{Heard, Version, Versions};

use crate::{ADD, RECORD, S11, S12, envelope, fault, fault_of, service, take, taken, taken_by};

#[test]
fn both_versions_become_records_whatever_their_prefixes() {
    for (version, namespace) in [(Version::Soap11, S11), (Version::Soap12, S12)] {
        for message in [
            envelope(namespace, "", ADD),
            format!("<Envelope xmlns=\"{namespace}\"><Body>{ADD}</Body></Envelope>"),
            format!(
                "<?xml version=\"1.0\"?>\n<!-- hello --><e:Envelope xmlns:e='{namespace}' xmlns:q='urn:in'>\n <e:Header/>\n\
                 <e:Body xmlns:a='urn:a' a:b='c'> <q:add><q:number_of> 7 </q:number_of><q:words><![CDATA[hello]]></q:words></q:add>\
                 <!-- --></e:Body> </e:Envelope>\n"
            ),
        ] {
            let (heard, taken) = taken(&message);
            let taken = taken.unwrap_or_else(|trouble| panic!("{trouble:?}: {message}"));
            assert_eq!((taken.version, taken.operation, &*taken.record), (version, 0, &RECORD[..]));
            assert_eq!((heard.version, heard.reply), (Some(version), None));
        }
    }
}

#[test]
fn answers_are_written_around_the_element() {
    let service = service(Versions::All);
    for (version, namespace) in [(Version::Soap11, S11), (Version::Soap12, S12)] {
        let answer = service.operations[0]
            .answer(version, &Heard::default(), &Payload::Record(RECORD.to_vec()))
            .expect("an answer");
        let expected = format!(
            "<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"{namespace}\"><SOAP-ENV:Body><added xmlns=\"urn:out\">\
             <number_of>7</number_of><words>hello</words></added></SOAP-ENV:Body></SOAP-ENV:Envelope>"
        );
        assert_eq!(String::from_utf8(answer).expect("UTF-8"), expected);
    }
    let trouble = service.operations[0].answer(
        Version::Soap11,
        &Heard::default(),
        &Payload::Record(RECORD[..5].to_vec()),
    );
    let trouble = trouble.expect_err("too short");
    assert_eq!(trouble.failure.code, Code::BadRecord);
    let (status, text) = fault_of(&service, &Heard::default(), &trouble);
    assert_eq!(status, 500);
    assert!(text.contains("<faultcode>SOAP-ENV:Server</faultcode><faultstring>Conversion to SOAP failed<"));
}

#[test]
fn every_charset_is_read() {
    let service = service(Versions::All);
    let plain = envelope(S11, "", ADD);
    let read =
        |bytes: &[u8], charset: Option<&str>| take(&service, (bytes, charset, ""), &mut Heard::default());
    let declared =
        format!("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>{}", plain.replace("hello", "h\u{e4}"));
    let latin: Vec<u8> = declared.chars().map(|c| c as u8).collect();
    let record = read(&latin, None).expect("ISO 8859-1 as declared").record;
    assert_eq!(record[4..6], [0x88, 0x43]);
    assert_eq!(read(&latin, Some("iso-8859-1")).expect("and as the header says").record, record);
    // The header overrides the document.
    assert!(read(&latin, Some("utf-8")).is_err());
    assert_eq!(read(declared.as_bytes(), Some("UTF-8")).expect("UTF-8 as the header says").record, record);
    let wrong = declared.replace("ISO-8859-1", "UTF-16");
    let wrong: Vec<u8> = wrong.chars().map(|c| c as u8).collect();
    assert_eq!(read(&wrong, Some("iso-8859-1")).expect("the header decides").record, record);
    let mut utf16 = vec![0xFF, 0xFE];
    utf16.extend(plain.encode_utf16().flat_map(u16::to_le_bytes));
    assert_eq!(read(&utf16, Some("UTF-16")).expect("UTF-16 with a mark").record, RECORD);
    assert_eq!(read(&utf16, None).expect("the mark is enough").record, RECORD);
    let without: Vec<u8> = plain.encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert_eq!(read(&without, Some("utf-16be")).expect("UTF-16BE without a mark").record, RECORD);
    let page = codepage::Encoding::by_ccsid(37).expect("CCSID 37");
    let mut ebcdic = Vec::new();
    page.encode(&plain, codepage::Unmappable::Error, &mut ebcdic).expect("EBCDIC");
    assert_eq!(read(&ebcdic, Some("IBM037")).expect("EBCDIC").record, RECORD);
    let unknown = read(plain.as_bytes(), Some("klingon")).expect_err("unknown");
    assert_eq!(unknown.failure.code, Code::BadEnvelope);
}

#[test]
fn what_is_no_message_is_refused() {
    let bodies = |namespace: &str, body: &str| envelope(namespace, "", body);
    for (message, code, part) in [
        (String::new(), Code::BadEnvelope, "expected an element"),
        ("<a/>".to_owned(), Code::BadEnvelope, "expected an envelope, found a without a namespace"),
        ("<!DOCTYPE a><a/>".to_owned(), Code::BadEnvelope, "document type"),
        (format!("{}<?php ?>", envelope(S11, "", ADD)), Code::BadEnvelope, "processing instructions"),
        (format!("<Envelope xmlns='{S11}'/>"), Code::BadEnvelope, "the envelope has no body"),
        (format!("<Envelope xmlns='{S11}'><Header/></Envelope>"), Code::BadEnvelope, "has no body"),
        (format!("<Envelope xmlns='{S11}'><a/></Envelope>"), Code::BadEnvelope, "expected the body"),
        (
            format!("<Envelope xmlns='{S11}'><Header/><Header/></Envelope>"),
            Code::BadEnvelope,
            "expected the body",
        ),
        (bodies(S11, ""), Code::UnknownSoapOperation, "the body has no element"),
        (
            bodies(S11, "<add/>"),
            Code::UnknownSoapOperation,
            "expected add of the namespace urn:in or tell of the namespace urn:in, found add without",
        ),
        (
            bodies(S11, "<sub xmlns='urn:in'/>"),
            Code::UnknownSoapOperation,
            "found sub of the namespace urn:in",
        ),
        (bodies(S11, &ADD.repeat(2)), Code::BadEnvelope, "more than one element"),
        (bodies(S11, "text"), Code::BadEnvelope, "expected elements, found text"),
        (bodies(S11, &ADD.replace('7', "77777")), Code::OutOfRange, "9999"),
        (bodies(S11, &ADD.replace("hello", "hello, world")), Code::TooLong, "longer"),
        (bodies(S11, &ADD.replace("hello", "\u{4e16}")), Code::Unmappable, "words"),
        (bodies(S11, &ADD.replace("7<", "seven<")), Code::WrongType, "integer"),
        (bodies(S11, &ADD.replace("words", "word")), Code::UnknownField, "unknown element"),
        (envelope(S11, "", ADD).replace("</s:Envelope>", ""), Code::BadEnvelope, "end of"),
        (bodies(S11, &"<x>".repeat(80)), Code::UnknownSoapOperation, "found x"),
        (bodies(S11, &format!("<add xmlns='urn:in'>{}", "<x>".repeat(80))), Code::UnknownField, "x"),
        (envelope(S11, &"<x xmlns='u'>".repeat(80), ""), Code::TooDeep, "deeper"),
        (envelope(S11, &"<x xmlns='u'/>".repeat(65), ADD), Code::BadEnvelope, "more than 64 blocks"),
        (envelope(S11, "<x/>", ADD), Code::BadEnvelope, "has no namespace"),
    ] {
        let trouble = taken(&message).1.expect_err(&message);
        let details = trouble.failure.details.clone().unwrap_or_default();
        assert_eq!(trouble.failure.code, code, "{message}: {details}");
        assert!(details.contains(part), "expected '{part}': {details}");
        let (status, text) = fault(&message);
        assert_eq!(status, 500, "{text}");
        assert!(text.contains("<faultcode>SOAP-ENV:Client</faultcode>"), "{text}");
        assert!(text.contains(&format!("<code>{}</code>", code.as_str())), "{text}");
        // SOAP 1.2 gives the same, if the text is an envelope at all.
        if message.contains(S11) {
            let (status, text) = fault(&message.replace(S11, S12));
            assert_eq!(status, 400, "{text}");
            assert!(text.contains("<SOAP-ENV:Value>SOAP-ENV:Sender</SOAP-ENV:Value>"), "{text}");
        }
    }
}

#[test]
fn what_follows_the_body_is_for_soap_1_1() {
    let with = |namespace: &str, more: &str| {
        format!("<e:Envelope xmlns:e='{namespace}'><e:Body>{ADD}</e:Body>{more}</e:Envelope>")
    };
    assert_eq!(taken(&with(S11, "<a xmlns='urn:a'><b/></a>")).1.expect("allowed").record, RECORD);
    for message in
        [with(S12, "<a xmlns='urn:a'/>"), with(S11, "<a/>"), with(S11, "<e:Body/>"), with(S12, "<e:Body/>")]
    {
        let trouble = taken(&message).1.expect_err("not allowed");
        assert_eq!(trouble.failure.code, Code::BadEnvelope);
        assert!(trouble.place.position.is_some(), "{trouble:?}");
    }
}

#[test]
fn encoding_styles_are_not_known() {
    let styled = |namespace: &str, style: &str| {
        let body = ADD.replace("<add ", &format!("<add s:encodingStyle='{style}' "));
        envelope(namespace, "", &body)
    };
    let (status, text) = fault(&styled(S12, "http://www.w3.org/2003/05/soap-envelope/encoding"));
    assert_eq!(status, 500);
    assert!(text.contains("<SOAP-ENV:Value>SOAP-ENV:DataEncodingUnknown</SOAP-ENV:Value>"), "{text}");
    let (status, text) = fault(&styled(S11, "http://schemas.xmlsoap.org/soap/encoding/"));
    assert_eq!(status, 500);
    assert!(text.contains("<faultcode>SOAP-ENV:Client</faultcode>") && text.contains("GTY0453W"), "{text}");
    let none = styled(S12, "http://www.w3.org/2003/05/soap-envelope/encoding/none");
    assert_eq!(taken(&none).1.expect("that is literal").record, RECORD);
    // The own elements of SOAP 1.2 may have no encoding style.
    for (place, name) in [("<s:Envelope ", "Envelope"), ("<s:Header ", "Header"), ("<s:Body ", "Body")] {
        let message = envelope(S12, "", ADD)
            .replace("<s:Header>", "<s:Header >")
            .replace("<s:Body>", "<s:Body >")
            .replace(place, &format!("{place} s:encodingStyle='urn:a' "));
        let trouble = taken(&message).1.expect_err(name);
        assert_eq!(trouble.failure.code, Code::BadEnvelope, "{name}");
    }
}

#[test]
fn other_versions_are_told_which_there_are() {
    let both = [S11, S12].map(|namespace| {
        format!("<upg:SupportedEnvelope qname=\"env:Envelope\" xmlns:env=\"{namespace}\"/>")
    });
    let old = envelope("http://www.w3.org/2001/12/soap-envelope", "", ADD);
    let (status, text) = fault(&old);
    assert_eq!(status, 500);
    assert!(text.contains("<faultcode>SOAP-ENV:VersionMismatch</faultcode>"), "{text}");
    assert!(text.contains(&both.concat()) && !text.contains("<detail>"), "{text}");
    for (only, other) in [(Version::Soap11, S12), (Version::Soap12, S11)] {
        let service = service(Versions::Only(only));
        let (heard, taken) = taken_by(&service, &envelope(other, "", ADD));
        assert_eq!(heard.version, Some(Version::Soap11));
        let (status, text) = fault_of(&service, &heard, &taken.expect_err("the other version"));
        assert_eq!(status, 500);
        assert!(text.contains(&format!("xmlns:env=\"{}\"", only.namespace())), "{text}");
        assert_eq!(text.matches("upg:SupportedEnvelope").count(), 1, "{text}");
        assert!(taken_by(&service, &envelope(only.namespace(), "", ADD)).1.is_ok());
    }
}
