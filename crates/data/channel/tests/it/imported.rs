//! Containers and commareas whose copybooks came first.

use channel::{
    CHANNEL_WRAPPER, Commarea, ErrorKind, Imported, ImportedContainer, ImportedForm, UnknownMembers,
};
use codepage::{CodePage, Encoding};
use record::{Bind, Naming};
use service::{Channel, Container, Content};

use crate::layout::bytes;

/// A bind as the JSON of z/OS Connect's assets has it: COBOL's names, within the 01 level.
fn bind() -> Bind {
    let text = "       01  IN-DATA.\n           05  CUST-ID PIC 9(4).\n           05  CUST-NAME PIC X(6).\n";
    let parsed = copybook::parse("IN.cpy", text, &copybook::Options::default()).expect("a copybook");
    let mut options = record::Options::new(CodePage::by_ccsid(37).expect("CCSID 37"));
    options.naming = Naming::Cobol;
    options.wrapper = Some("IN-DATA".to_owned());
    Bind::compile(&parsed.layouts[0], &options).expect("a bind")
}

fn imported(unknown_members: UnknownMembers) -> Imported {
    let text = ImportedForm::Text(Encoding::by_ccsid(37).expect("CCSID 37"));
    let containers = vec![
        ImportedContainer {
            name: "INPUT".to_owned(),
            member: "INPUT".to_owned(),
            required: true,
            form: ImportedForm::Record(Box::new(bind())),
        },
        ImportedContainer { name: "NOTE".to_owned(), member: "NOTE".to_owned(), required: false, form: text },
    ];
    Imported::new(containers, Some(CHANNEL_WRAPPER), unknown_members).expect("containers")
}

const JSON: &str = r#"{"channel":{"INPUT":{"IN-DATA":{"CUST-ID":12,"CUST-NAME":"Ann"}},"NOTE":"é"}}"#;

#[test]
fn each_container_has_its_own_form() {
    let imported = imported(UnknownMembers::Refuse);
    let channel = imported.to_channel(JSON.as_bytes()).expect("it fits");
    assert_eq!(channel.get("INPUT").expect("a record").content, Content::Bit(bytes("'0012Ann   '")));
    assert_eq!(channel.get("NOTE").expect("text").content, Content::Char { bytes: bytes("'é'"), ccsid: 37 });
    let mut out = Vec::new();
    imported.to_json(&channel, &mut out).expect("it has the layout");
    assert_eq!(String::from_utf8(out).expect("text"), JSON);
}

#[test]
fn faults_have_their_place_in_the_whole() {
    let refused =
        |json: &str| imported(UnknownMembers::Refuse).to_channel(json.as_bytes()).expect_err("refused");
    for (json, kind, says) in [
        (
            "{\"channel\":\n {\"INPUT\": {\"IN-DATA\":\n  {\"CUST-ID\": -1}}}}",
            ErrorKind::OutOfRange,
            "channel.INPUT.IN-DATA.CUST-ID: ",
        ),
        (
            "{\"channel\":{\"NOTE\":\"\"}}",
            ErrorKind::MissingMember,
            "channel.INPUT: expected the required member",
        ),
        ("{\"channel\":{\"INPUT\":1}}", ErrorKind::WrongType, "channel.INPUT: "),
        ("{\"channel\":{\"NOTE\":1}}", ErrorKind::WrongType, "channel.NOTE: expected text"),
        ("{\"channel\":{\"NOTE\":\"€\"}}", ErrorKind::Unmappable, "channel.NOTE: "),
        ("{\"channel\":{\"NOTE\":\"\",\"NOTE\":\"\"}}", ErrorKind::DuplicateMember, "channel.NOTE: "),
        ("{\"channel\":{\"OTHER\":1}}", ErrorKind::UnknownMember, "channel.OTHER: expected a container"),
        ("{\"channel\":{},\"x\":1}", ErrorKind::UnknownMember, "x: expected the member 'channel' alone"),
        ("{}", ErrorKind::MissingMember, "channel: "),
        ("{\"channel\":{\"NOTE\" 1}}", ErrorKind::Syntax, "expected ':'"),
    ] {
        let error = refused(json);
        assert_eq!(error.kind, kind, "{json}: {error}");
        assert!(error.to_string().contains(says), "{json}: {error}");
    }
    let error = refused("{\"channel\":\n {\"INPUT\": {\"IN-DATA\":\n  {\"CUST-ID\": -1}}}}");
    assert_eq!(error.position, Some((3, 15)), "{error}");
}

#[test]
fn containers_that_do_not_fit_are_refused() {
    let imported = imported(UnknownMembers::Ignore);
    assert!(imported.to_channel(JSON.replace("\"NOTE\"", "\"OTHER\"").as_bytes()).is_ok());
    let mut out = b"kept".to_vec();
    let mut channel = Channel::default();
    let error = imported.to_json(&channel, &mut out).expect_err("no record");
    assert_eq!(error.kind, ErrorKind::MissingContainer, "{error}");
    let content = Content::Bit(bytes("'00X2Ann   '"));
    channel.put(Container { name: "INPUT".to_owned(), content });
    let error = imported.to_json(&channel, &mut out).expect_err("no number");
    assert_eq!(error.kind, ErrorKind::BadData, "{error}");
    let place = error.record.expect("a place");
    assert_eq!((place.container.as_str(), place.offset), ("INPUT", 0));
    assert_eq!(out, b"kept");
    let twice = || ImportedContainer {
        name: "A".to_owned(),
        member: "a".to_owned(),
        required: true,
        form: ImportedForm::Record(Box::new(bind())),
    };
    assert!(Imported::new(vec![twice(), twice()], None, UnknownMembers::Refuse).is_err());
    let unnamed = ImportedContainer { name: "A B".to_owned(), ..twice() };
    assert!(Imported::new(vec![unnamed], None, UnknownMembers::Refuse).is_err());
    let same_member = ImportedContainer { name: "B".to_owned(), ..twice() };
    assert!(Imported::new(vec![twice(), same_member], None, UnknownMembers::Refuse).is_err());
}

#[test]
fn a_commarea_is_one_record() {
    let commarea = Commarea::new(bind());
    let json = r#"{"commarea":{"IN-DATA":{"CUST-ID":12,"CUST-NAME":"Ann"}}}"#;
    let record = commarea.to_record(json.as_bytes()).expect("it fits");
    assert_eq!(record, bytes("'0012Ann   '"));
    let mut out = Vec::new();
    commarea.to_json(&record, &mut out).expect("it has the layout");
    assert_eq!(String::from_utf8(out).expect("text"), json);
    let error = commarea.to_record(br#"{"commarea":{"IN-DATA":{"CUST-ID":"x"}}}"#).expect_err("no number");
    assert!(error.to_string().starts_with("commarea.IN-DATA.CUST-ID: "), "{error}");
    let mut out = b"kept".to_vec();
    let error = commarea.to_json(&record[..3], &mut out).expect_err("too short");
    assert_eq!((error.kind, out.as_slice()), (ErrorKind::ShortContainer, &b"kept"[..]), "{error}");
}

#[test]
fn without_a_wrapper_the_containers_are_the_members() {
    let encoding = Encoding::by_ccsid(37).expect("CCSID 37");
    let containers = vec![
        ImportedContainer {
            name: "INPUT".to_owned(),
            member: "order".to_owned(),
            required: true,
            form: ImportedForm::TextRecord(Box::new(bind()), encoding),
        },
        ImportedContainer {
            name: "NOTE".to_owned(),
            member: "note".to_owned(),
            required: false,
            form: ImportedForm::Text(encoding),
        },
    ];
    let imported = Imported::new(containers, None, UnknownMembers::Refuse).expect("containers");
    let json = r#"{"order":{"IN-DATA":{"CUST-ID":12,"CUST-NAME":"Ann"}},"note":"x"}"#;
    let mut channel = imported.to_channel(json.as_bytes()).expect("it fits");
    let text = Content::Char { bytes: bytes("'0012Ann   '"), ccsid: 37 };
    assert_eq!(channel.get("INPUT").expect("a record").content, text);
    let mut out = Vec::new();
    imported.to_json(&channel, &mut out).expect("it has the layout");
    assert_eq!(String::from_utf8(out).expect("text"), json);
    let error = imported.to_channel(b"{\"INPUT\":{}}").expect_err("the name is that of the member");
    assert_eq!(
        (error.kind, error.to_string().starts_with("INPUT: ")),
        (ErrorKind::UnknownMember, true),
        "{error}"
    );
    // A record is in one code page as a whole. Text in another one is an error.
    let content = Content::Char { bytes: b"0012Ann   ".to_vec(), ccsid: 819 };
    channel.put(Container { name: "INPUT".to_owned(), content });
    let error = imported.to_json(&channel, &mut Vec::new()).expect_err("another page");
    assert!(error.to_string().contains("expected a record in CCSID 37, found it in 819"), "{error}");
    assert_eq!(imported.request_schema().required, ["order"]);
}
