//! Each refusal has its kind, its place on both sides, and a message.

use channel::{Error, ErrorKind, Interface, JSON_BYTES_MAX, Options, ROWS_MAX, Side, UnknownMembers};
use codepage::Encoding;
use service::{Channel, Container, Content};

use crate::layout::{bytes, compile, options, request, response};

const RECORD: &str = r#""type":"object","required":["code","rows"],"properties":{
    "code":{"type":"string","minLength":2,"maxLength":4},
    "kind":{"type":"string","enum":["A","BB"]},
    "price":{"type":"number","format":"decimal","minimum":0,"maximum":99.99},
    "rate":{"type":"number","maximum":10},
    "step":{"type":"integer","enum":[1,5]},
    "hash":{"type":"string","format":"byte","maxLength":4},
    "rows":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"object","required":["n"],"properties":{
        "n":{"type":"integer","minimum":0,"maximum":9}}}},
    "flag":{"type":"boolean"}}"#;

fn interface() -> Interface {
    compile(&request(RECORD), Side::Request, &options())
}

/// The error of a record's members, given as JSON without the braces.
fn refused(members: &str) -> Error {
    let json = format!("{{\"channel\":{{\"data\":\n{{{members}}}}}}}");
    match interface().to_channel(json.as_bytes()) {
        Ok(channel) => panic!("{members} was taken: {channel:?}"),
        Err(error) => error,
    }
}

#[test]
fn json_that_does_not_fit_is_refused_with_its_place() {
    let rows = r#""rows":[{"n":1}]"#;
    for (members, kind, says) in [
        (
            r#""code":"ABCDE""#,
            ErrorKind::Length,
            "channel.data.code: expected text of at most 4 characters, found 5 (line 2, column 9)",
        ),
        (
            r#""code":"A""#,
            ErrorKind::Length,
            "channel.data.code: expected text of at least 2 characters, found 1",
        ),
        (
            r#""code":12"#,
            ErrorKind::WrongType,
            "channel.data.code: expected text, found a number (line 2, column 9)",
        ),
        (r#""code":null"#, ErrorKind::WrongType, "expected text, found null"),
        (r#""code":"A€""#, ErrorKind::Unmappable, "U+20AC"),
        (
            r#""kind":"B""#,
            ErrorKind::NotListed,
            "channel.data.kind: expected one of the listed values, found 'B'",
        ),
        (r#""price":100"#, ErrorKind::OutOfRange, "expected a number of at most 99.99, found 100"),
        (r#""price":-1"#, ErrorKind::OutOfRange, "expected a number of at least 0, found -1"),
        (r#""price":1.234"#, ErrorKind::OutOfRange, "more than 2 decimal places"),
        (r#""price":01"#, ErrorKind::WrongType, "number"),
        (r#""price":"1""#, ErrorKind::WrongType, "expected a number, found text"),
        (r#""rate":10.5"#, ErrorKind::OutOfRange, "at most 10"),
        (r#""rate":1e70"#, ErrorKind::OutOfRange, "within the schema's limits"),
        (r#""rate":-1e80"#, ErrorKind::OutOfRange, "number"),
        (r#""step":2"#, ErrorKind::NotListed, "found '2'"),
        (r#""hash":"AAAAAAAA""#, ErrorKind::Length, "expected at most 3 bytes, found 6"),
        (r#""hash":"*""#, ErrorKind::WrongType, "expected base64"),
        (r#""flag":1"#, ErrorKind::WrongType, "expected true or false, found a number"),
        (r#""rows":[]"#, ErrorKind::RowCount, "channel.data.rows: expected at least 1 elements, found 0"),
        (
            r#""rows":[{"n":1},{"n":1},{"n":1}]"#,
            ErrorKind::RowCount,
            "channel.data.rows[2]: expected at most 2 elements",
        ),
        (r#""rows":{}"#, ErrorKind::WrongType, "expected an array, found an object"),
        (
            r#""rows":[{"n":1},{}]"#,
            ErrorKind::MissingMember,
            "channel.data.rows[1].n: expected the required member",
        ),
        (r#""rows":[{"n":10}]"#, ErrorKind::OutOfRange, "channel.data.rows[0].n:"),
        (r#""what":1"#, ErrorKind::UnknownMember, "channel.data.what: expected a member of the schema"),
        (
            r#""code":"AB","code":"AB""#,
            ErrorKind::DuplicateMember,
            "channel.data.code: expected the member once",
        ),
        (r#""code":"AB""#, ErrorKind::MissingMember, "channel.data.rows: expected the required member"),
        (r#""code":"AB" "#, ErrorKind::MissingMember, "rows"),
        (r#""code" "AB""#, ErrorKind::Syntax, "expected ':'"),
        (r#""code":"AB" 1"#, ErrorKind::Syntax, "expected ',' or '}'"),
        (r#""code":"A\q""#, ErrorKind::Syntax, "escape"),
        (r#""code":"#, ErrorKind::Syntax, "expected a value"),
    ] {
        let error = refused(members);
        assert_eq!(error.kind, kind, "{members}: {error}");
        assert!(error.to_string().contains(says), "{members}: {error}");
        assert!(error.position.is_some() && error.record.is_none(), "{members}: {error:?}");
    }
    let whole = format!(r#"{{"channel":{{"data":{{"code":"AB",{rows}}}}}}}"#);
    assert!(interface().to_channel(whole.as_bytes()).is_ok());
    for (json, kind) in [
        (&b"{\"channel\":{\"data\":\"\xFF\"}}"[..], ErrorKind::Syntax),
        (b"", ErrorKind::Syntax),
        (b"[]", ErrorKind::WrongType),
        (b"{}", ErrorKind::MissingMember),
        (b"{\"channel\":{}} x", ErrorKind::Syntax),
        (b"{\"channel\":{\"DFHHTTPMETHOD\":\"PUT\"}}", ErrorKind::NotListed),
        (b"{\"channel\":{\"OTHER\":1}}", ErrorKind::UnknownMember),
        (b"{\"abendCode\":\"ASRA\"}", ErrorKind::UnknownMember),
    ] {
        let error = interface().to_channel(json).expect_err("refused");
        assert_eq!(error.kind, kind, "{error}");
    }
}

#[test]
fn unknown_members_are_passed_over_where_that_is_chosen() {
    let options = Options { unknown_members: UnknownMembers::Ignore, ..options() };
    let interface = compile(&request(RECORD), Side::Request, &options);
    let json =
        r#"{"a":[{}],"channel":{"b":{"c":null},"data":{"code":"AB","d":[1,"]"],"rows":[{"n":1,"e":1}]}}}"#;
    assert!(interface.to_channel(json.as_bytes()).is_ok());
    let faulty = json.replace("null", "nul");
    assert_eq!(interface.to_channel(faulty.as_bytes()).expect_err("no JSON").kind, ErrorKind::Syntax);
}

const ANSWER: &str = r#""type":"object","required":["ok"],"properties":{
    "ok":{"type":"object","required":["name","rows"],"properties":{
        "name":{"type":"string","maxLength":4},
        "flag":{"type":"boolean"},
        "cost":{"type":"number","format":"decimal","minimum":0,"maximum":999},
        "rows":{"type":"array","maxItems":3,"items":{"type":"string","minLength":2,"maxLength":2}}}},
    "bad":{"type":"string","maxLength":4}}"#;

/// An answer with some bytes changed.
fn answer(changes: &[(usize, &str)], rows: Option<&str>) -> Result<String, Error> {
    let interface = compile(&response(ANSWER), Side::Response, &options());
    let mut record = bytes(
        "00 02 'ab' 00 00 00 00 00 00 00 01 01 00*3 00*4 00 00 0F 00 \
         00 00 00 02 'ROWS            ' 00*4 '                '",
    );
    for (offset, written) in changes {
        let written = bytes(written);
        record[*offset..offset + written.len()].copy_from_slice(&written);
    }
    let mut channel = Channel::default();
    channel.put(Container { name: "BAQBASE".to_owned(), content: Content::Bit(record) });
    if let Some(rows) = rows {
        channel.put(Container { name: "ROWS".to_owned(), content: Content::Bit(bytes(rows)) });
    }
    let mut out = b"kept".to_vec();
    let read = interface.to_json(&channel, &mut out);
    let out = String::from_utf8(out).expect("text");
    match read {
        Ok(()) => Ok(out),
        Err(error) => {
            assert_eq!(out, "kept", "nothing is left of a failed answer");
            Err(error)
        }
    }
}

#[test]
fn an_answer_is_not_believed() {
    let rows = Some("'xxyy'");
    let taken = answer(&[], rows).expect("a sound answer");
    assert_eq!(taken, r#"kept{"channel":{"ok":{"name":"ab","flag":true,"rows":["xx","yy"]}}}"#);
    for (changes, rows, kind, says) in [
        (
            &[(0, "FF FF")][..],
            rows,
            ErrorKind::BadData,
            "channel.ok.name: expected 0 to 4, found -1 (container BAQBASE, field ok.name-length, offset 0)",
        ),
        (&[(0, "00 05")], rows, ErrorKind::BadData, "expected 0 to 4, found 5"),
        (&[(8, "00 00 00 02")], rows, ErrorKind::BadData, "channel.ok.flag: expected 0 to 1, found 2"),
        (&[(8, "80 00 00 00")], rows, ErrorKind::BadData, "found -2147483648"),
        (&[(12, "02")], rows, ErrorKind::BadData, "channel.ok.flag: expected the byte 00 or 01, found [02]"),
        (&[(16, "00 00 00 01"), (20, "00 00 00")], rows, ErrorKind::BadData, "channel.ok.cost:"),
        (&[(24, "00 00 00 04")], rows, ErrorKind::BadData, "channel.ok.rows: expected 0 to 3, found 4"),
        (&[(24, "FF FF FF FF")], rows, ErrorKind::BadData, "channel.ok.rows: expected 0 to 3, found -1"),
        (
            &[(24, "00 00 00 03")],
            rows,
            ErrorKind::ShortContainer,
            "channel.ok.rows: expected 6 bytes, found 4 (container ROWS)",
        ),
        (
            &[],
            None,
            ErrorKind::MissingContainer,
            "channel.ok.rows: expected the container ROWS in the channel, found none (container BAQBASE, field ok.rows-cont, offset 28)",
        ),
        (&[(28, "40*16")], rows, ErrorKind::MissingContainer, "expected the name of a container, found none"),
        (&[(28, "00*16")], rows, ErrorKind::MissingContainer, "expected the name of a container, found none"),
        (
            &[(44, "00 00 00 01")],
            rows,
            ErrorKind::MissingContainer,
            "channel.bad: expected the name of a container",
        ),
        (
            &[(44, "00 00 00 01 'BAQBASE         '"), (0, "00 05")],
            rows,
            ErrorKind::BadData,
            "channel.ok.name: expected 0 to 4, found 5",
        ),
    ] {
        let error = answer(changes, rows).expect_err(says);
        assert_eq!(error.kind, kind, "{error}");
        assert!(error.to_string().contains(says), "{error}");
    }
}

#[test]
fn a_short_record_is_an_error_and_a_long_one_is_not() {
    let interface = compile(&response(ANSWER), Side::Response, &options());
    let mut out = Vec::new();
    let error = interface.to_json(&Channel::default(), &mut out).expect_err("no record");
    assert_eq!(error.kind, ErrorKind::MissingContainer);
    for (bytes, kind) in
        [(0, Some(ErrorKind::ShortContainer)), (63, Some(ErrorKind::ShortContainer)), (64, None), (99, None)]
    {
        let mut channel = Channel::default();
        channel.put(Container { name: "BAQBASE".to_owned(), content: Content::Bit(vec![0; bytes]) });
        let read = interface.to_json(&channel, &mut out);
        assert_eq!(read.err().map(|error| error.kind), kind, "{bytes}");
    }
}

#[test]
fn what_a_program_can_make_grow_has_an_end() {
    let inner = r#"{"type":"object","required":["b"],"properties":{"b":{"type":"array","items":
        {"type":"object","required":["c"],"properties":{"c":{"type":"string","maxLength":30000}}}}}}"#;
    let record = format!(
        r#""type":"object","required":["a"],"properties":{{"a":{{"type":"array","items":{inner}}}}}"#
    );
    let interface = compile(&response(&record), Side::Response, &options());
    let put = |channel: &mut Channel, name: &str, content: Vec<u8>| {
        channel.put(Container { name: name.to_owned(), content: Content::Bit(content) });
    };
    let rows = |count: u32, name: &str| {
        let mut found = count.to_be_bytes().to_vec();
        found.extend(bytes(&format!("'{name:16}'")));
        found
    };
    // Every row names the same container: few bytes that would become many.
    let mut channel = Channel::default();
    put(&mut channel, "BAQBASE", rows(2_000, "A"));
    put(&mut channel, "A", rows(2_000, "B").repeat(2_000));
    let empty = vec![0; 30_002];
    put(&mut channel, "B", empty.repeat(2_000));
    let mut out = Vec::new();
    let error = interface.to_json(&channel, &mut out).expect_err("too many rows");
    assert!(error.to_string().contains(&ROWS_MAX.to_string()), "{error}");
    assert_eq!((error.kind, out.len()), (ErrorKind::TooLarge, 0));
    let full = bytes("75 30 40*30000");
    put(&mut channel, "B", full.repeat(2_000));
    let error = interface.to_json(&channel, &mut out).expect_err("too many bytes");
    assert!(error.to_string().contains(&JSON_BYTES_MAX.to_string()), "{error}");
    assert_eq!((error.kind, out.len()), (ErrorKind::TooLarge, 0));
}

#[test]
fn what_a_request_can_make_grow_has_an_end() {
    let record = r#""type":"object","required":["a"],"properties":{"a":{"type":"array","items":
        {"type":"object","properties":{"b":{"type":"string","maxLength":30000},
        "c":{"type":"array","items":{"type":"boolean"}}}}}}"#;
    let interface = compile(&request(record), Side::Request, &options());
    let wide = format!(r#"{{"channel":{{"data":{{"a":[{}{{}}]}}}}}}"#, "{},".repeat(3_000));
    let error = interface.to_channel(wide.as_bytes()).expect_err("too many bytes");
    assert_eq!(error.kind, ErrorKind::TooLarge, "{error}");
    let record = record.replace("30000", "3");
    let interface = compile(&request(&record), Side::Request, &options());
    let many = format!(r#"{{"channel":{{"data":{{"a":[{}{{}}]}}}}}}"#, r#"{"c":[true]},"#.repeat(10_000));
    let error = interface.to_channel(many.as_bytes()).expect_err("too many containers");
    assert_eq!(error.kind, ErrorKind::TooLarge, "{error}");
    assert!(error.to_string().starts_with("channel.data.a: expected at most 10000 containers"), "{error}");
}

#[test]
fn text_containers_are_read_in_their_own_code_page() {
    let interface = compile(&request(RECORD), Side::Request, &options());
    let read = |content: Content| {
        let mut channel = Channel::default();
        channel.put(Container { name: "DFHWS-URI".to_owned(), content });
        let mut out = Vec::new();
        interface.to_json(&channel, &mut out).map(|()| String::from_utf8(out).expect("text"))
    };
    let utf8 = Content::Char { bytes: "/ü€".into(), ccsid: 1208 };
    assert_eq!(read(utf8).expect("text"), r#"{"channel":{"DFHWS-URI":"/ü€"}}"#);
    assert_eq!(read(Content::Bit(bytes("'/x'"))).expect("text"), r#"{"channel":{"DFHWS-URI":"/x"}}"#);
    let error = read(Content::Char { bytes: vec![1], ccsid: 9 }).expect_err("no such CCSID");
    assert_eq!(
        error.to_string(),
        "channel.DFHWS-URI: expected a CCSID that is known, found 9 (container DFHWS-URI)"
    );
    let error = read(Content::Char { bytes: vec![0xFF], ccsid: 1208 }).expect_err("no UTF-8");
    assert_eq!(error.kind, ErrorKind::BadData);
}

/// The messages of a schema that is refused.
fn schema_refused(schema: &str, options: &Options) -> String {
    let found = Interface::compile(schema, Side::Request, options).expect_err("refused");
    found.iter().map(|finding| format!("{finding}\n")).collect()
}

#[test]
fn schemas_without_a_channel_are_refused() {
    let channel = |inner: &str| format!("{{\"properties\":\n{{\"channel\":{inner}}}}}");
    for (schema, says) in [
        ("{".to_owned(), "1:2: #: expected"),
        ("{}".to_owned(), "expected 'properties' with the member 'channel', found none"),
        (r#"{"properties":{"commarea":{}}}"#.to_owned(), "found 'commarea': a commarea is one record"),
        (channel("{}"), "expected 'properties', a member for each container"),
        (channel("{\n \"properties\": 7}"), "3:16: #/properties/channel/properties: expected '{', found '7'"),
        (channel(r#"{"properties":{}}"#), "a member for each container, found none"),
        (channel(r#"{"properties":{"A":{"type":"object"}}}"#), "needs that copybook"),
        (channel(r#"{"properties":{"A":{}}}"#), "expected a type, found none"),
        (channel(r#"{"properties":{"A":{"type":"string","maxLength":-1}}}"#), "maxLength"),
        (channel(r#"{"properties":{"A NAME":{"type":"string"}}}"#), "the name of a container"),
        (channel(r#"{"properties":{"ABCDEFGHIJKLMNOPQ":{"type":"string"}}}"#), "1 to 16 characters"),
        (channel(r#"{"properties":{"DFHPICC-X":{"type":"string"}}}"#), "which names of arrays start with"),
        (
            channel(
                r#"{"properties":{"A":{"description":"json-schema"},"B":{"description":"json-schema"}}}"#,
            ),
            "expected one member marked 'json-schema', found two",
        ),
        (
            channel(r#"{"properties":{"A":{"description":"json-schema"},"BAQBASE":{"type":"string"}}}"#),
            "found 'BAQBASE' twice",
        ),
        (channel(r#"{"description":"json-schema","type":"string"}"#), "expected an object"),
        (
            request(r#""type":"object","properties":{"x":{"type":"object"}}"#),
            "#/properties/channel/properties/data/properties/x: expected members",
        ),
    ] {
        let found = schema_refused(&schema, &options());
        assert!(found.contains(says), "{schema}: {found}");
    }
}

#[test]
fn options_that_no_record_has_are_refused() {
    let schema = request(RECORD);
    let utf16 = Options { encoding: Encoding::by_ccsid(1200).expect("UTF-16"), ..options() };
    assert!(schema_refused(&schema, &utf16).contains("found 1200"));
    let wide = Options { char_varying_max: 32_768, ..options() };
    assert!(schema_refused(&schema, &wide).contains("32768"));
    let unnamed = Options { container: String::new(), ..options() };
    assert!(schema_refused(&schema, &unnamed).contains("the name of a container"));
}
