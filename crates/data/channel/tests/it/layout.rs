//! JSON to bytes, byte by byte, and back.

use channel::{CharVarying, Interface, MappingLevel, Options, Side};
use codepage::Encoding;
use service::{Channel, Content};

pub(crate) fn options() -> Options {
    Options::zos_connect(Encoding::by_ccsid(37).expect("CCSID 37"))
}

/// The schema of a channel with the context of a call and a record.
pub(crate) fn request(record: &str) -> String {
    format!(
        r#"{{"type":"object","required":["channel"],"properties":{{"channel":{{"type":"object","properties":{{
            "DFHWS-URI":{{"type":"string"}},
            "DFHHTTPMETHOD":{{"type":"string","enum":["GET","POST"]}},
            "data":{{"description":"json-schema",{record}}}}}}}}}}}"#
    )
}

/// The schema of a channel that is a record.
pub(crate) fn response(record: &str) -> String {
    format!(
        r#"{{"type":"object","properties":{{"channel":{{"description":"json-schema",{record}}},
            "abendCode":{{"type":"string"}}}}}}"#
    )
}

pub(crate) fn compile(schema: &str, side: Side, options: &Options) -> Interface {
    Interface::compile(schema, side, options).unwrap_or_else(|found| panic!("{found:?}"))
}

/// Bytes by their hexadecimal digits, and text in quotes in CCSID 37: `00 05 'HELLO'`.
pub(crate) fn bytes(written: &str) -> Vec<u8> {
    let encoding = Encoding::by_ccsid(37).expect("CCSID 37");
    let mut found = Vec::new();
    for (index, part) in written.split('\'').enumerate() {
        if index % 2 == 1 {
            encoding.encode(part, codepage::Unmappable::Error, &mut found).expect("text");
            continue;
        }
        for word in part.split_whitespace() {
            match word.split_once('*') {
                Some((octet, times)) => {
                    let octet = u8::from_str_radix(octet, 16).expect("hexadecimal");
                    found.resize(found.len() + times.parse::<usize>().expect("a number"), octet);
                }
                None => found.push(u8::from_str_radix(word, 16).expect("hexadecimal")),
            }
        }
    }
    found
}

fn container<'c>(channel: &'c Channel, name: &str) -> &'c [u8] {
    channel.get(name).unwrap_or_else(|| panic!("no container {name}")).content.bytes()
}

fn round_trip(interface: &Interface, json: &str) -> Channel {
    let channel = interface.to_channel(json.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    let mut out = b"before".to_vec();
    interface.to_json(&channel, &mut out).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(String::from_utf8_lossy(&out), format!("before{json}"));
    channel
}

const PARCEL: &str = r#""type":"object","required":["code","weight","parts","fragile"],"properties":{
    "code":{"type":"string","minLength":4,"maxLength":4},
    "note":{"type":"string","maxLength":6},
    "weight":{"type":"number","format":"decimal","minimum":0,"maximum":999.99},
    "count":{"type":"integer","minimum":-5,"maximum":70000},
    "fragile":{"type":"boolean"},
    "parts":{"type":"array","minItems":0,"maxItems":3,"items":{"type":"object","required":["name"],"properties":{
        "name":{"type":"string","maxLength":5},
        "tags":{"type":"array","items":{"type":"string","maxLength":3}}}}}}"#;

#[test]
fn a_request_has_text_containers_a_record_and_rows() {
    let interface = compile(&request(PARCEL), Side::Request, &options());
    let channel = round_trip(
        &interface,
        r#"{"channel":{"DFHWS-URI":"/parcel/1","DFHHTTPMETHOD":"GET","data":{"code":"AB12","note":"x\"é","weight":1.5,"count":-2,"fragile":true,"parts":[{"name":"wheel"},{"name":"","tags":["a","bcd"]}]}}}"#,
    );
    let text = |name| channel.get(name).expect("a container").content.clone();
    assert_eq!(text("DFHWS-URI"), Content::Char { bytes: bytes("'/parcel/1'"), ccsid: 37 });
    assert_eq!(text("DFHHTTPMETHOD"), Content::Char { bytes: bytes("'GET     '"), ccsid: 37 });
    // The code; the note with its presence, length and slack; 5 packed digits; the count with slack and presence; the
    // boolean; slack; the rows, their number and container.
    let record = bytes(
        "'AB12' 00 00 00 01 00 03 'x\"é' 00*3 00 15 0F 00 00 00 00 01 FF FF FF FE 01 00*3 \
         00 00 00 02 'DFHPICC-00000001'",
    );
    assert_eq!(container(&channel, "BAQBASE"), record, "{}", interface.copybook());
}

#[test]
fn rows_of_rows_have_containers_of_their_own() {
    let interface = compile(&request(PARCEL), Side::Request, &options());
    let parts = r#"[{"name":"wheel","tags":["x"]},{"name":""},{"name":"axle","tags":["a","bcd"]}]"#;
    let json =
        format!(r#"{{"channel":{{"data":{{"code":"AB12","weight":0,"fragile":false,"parts":{parts}}}}}}}"#);
    let channel = round_trip(&interface, &json);
    // A length, 5 characters, a byte of slack, the number of tags and the name of their container.
    let rows = bytes(
        "00 05 'wheel' 00 00 00 00 01 'DFHPICC-00000002' \
         00 00 00*5 00 00 00 00 00 '                ' \
         00 04 'axle' 00 00 00 00 00 02 'DFHPICC-00000003'",
    );
    assert_eq!(container(&channel, "DFHPICC-00000001"), rows);
    // A length and 3 characters, and a byte of filler that makes the next length even.
    assert_eq!(container(&channel, "DFHPICC-00000003"), bytes("00 01 'a' 00 00 00 00 03 'bcd' 00"));
    assert_eq!(channel.containers().len(), 4);
}

#[test]
fn answers_are_apart_and_name_their_containers() {
    let record = r#""type":"object","properties":{
        "responseCode200":{"type":"array","items":{"type":"object","required":["id"],"properties":{
            "id":{"type":"integer","minimum":0,"maximum":999},"cost":{"type":"number"}}}},
        "responseCode404":{"type":"object","required":["message"],"properties":{
            "message":{"type":"string"}}},
        "responseCode500":{"type":"string","maxLength":7}}"#;
    let interface =
        compile(&response(record), Side::Response, &Options { default_char_max: 10, ..options() });
    let put = |channel: &mut Channel, name: &str, written: &str| {
        let content = Content::Bit(bytes(written));
        channel.put(service::Container { name: name.to_owned(), content });
    };
    let json = |channel: &Channel| {
        let mut out = Vec::new();
        interface.to_json(channel, &mut out).unwrap_or_else(|error| panic!("{error}"));
        String::from_utf8(out).expect("text")
    };
    let mut channel = Channel::default();
    // A program's names are its own, and what it does not use may be null or blank.
    put(&mut channel, "BAQBASE", "00*4 00*16 00 00 00 01 'NOT-THERE       ' 00*4 '                '");
    put(&mut channel, "NOT-THERE", "00 04 'none' 40*6");
    assert_eq!(json(&channel), r#"{"channel":{"responseCode404":{"message":"none"}}}"#);
    put(&mut channel, "BAQBASE", "00*4 00*16 00*4 00*16 00 00 00 01 'BAD             '");
    put(&mut channel, "BAD", "00 07 'failure' 00");
    assert_eq!(json(&channel), r#"{"channel":{"responseCode500":"failure"}}"#);
    // Rows of 3 digits, slack, presence and floating point; the slack before the next row is a filler of 1 to 3 bytes.
    put(&mut channel, "BAQBASE", "00 00 00 02 'ROWS            ' 00*4 00*16 00*4 00*16");
    put(&mut channel, "ROWS", "'007' 00 00 00 00 01 C1 18 00*6 '999' 00 00*4 00*8");
    assert_eq!(json(&channel), r#"{"channel":{"responseCode200":[{"id":7,"cost":-1.5},{"id":999}]}}"#);
    for json in [
        r#"{"channel":{"responseCode404":{"message":"none"}}}"#,
        r#"{"channel":{"responseCode200":[{"id":7,"cost":-1.5},{"id":999}],"responseCode500":""}}"#,
        r#"{"channel":{}}"#,
    ] {
        round_trip(&interface, json);
    }
}

#[test]
fn tables_within_the_limit_are_in_the_record() {
    let record = r#""type":"object","required":["grid","codes"],"properties":{
        "grid":{"type":"array","minItems":2,"maxItems":2,"items":{"type":"object","required":["x"],"properties":{
            "x":{"type":"integer"},"y":{"type":"string","maxLength":1}}}},
        "codes":{"type":"array","maxItems":3,"items":{"type":"string","minLength":1,"maxLength":2}}}"#;
    let options = Options { inline_max_occurs: 3, ..options() };
    let interface = compile(&request(record), Side::Request, &options);
    let json = r#"{"channel":{"data":{"grid":[{"x":1,"y":"a"},{"x":-1}],"codes":["p","qr"]}}}"#;
    let channel = round_trip(&interface, json);
    let record = bytes(
        "00*7 01 00 00 00 01 00 01 'a' 00 FF*8 00*4 00*4 \
         00 00 00 02 00 01 'p' 00 00 02 'qr' 00*4",
    );
    assert_eq!(container(&channel, "BAQBASE"), record, "{}", interface.copybook());
}

#[test]
fn text_ends_as_the_option_says() {
    let record = r#""type":"object","required":["t","f"],"properties":{
        "t":{"type":"string","maxLength":4},"f":{"type":"string","minLength":2,"maxLength":2}}"#;
    for (char_varying, expected) in [
        (CharVarying::No, "'ab' 40 40 'x '"),
        (CharVarying::Collapse, "'ab' 40 40 'x '"),
        (CharVarying::Null, "'ab' 00 00 00 'x '"),
        (CharVarying::Yes, "00 02 'ab' 00 00 'x '"),
    ] {
        let options = Options { char_varying, mapping_level: MappingLevel::V4_3, ..options() };
        let interface = compile(&request(record), Side::Request, &options);
        let channel = round_trip(&interface, r#"{"channel":{"data":{"t":"ab","f":"x "}}}"#);
        assert_eq!(container(&channel, "BAQBASE"), bytes(expected), "{char_varying:?}");
    }
}

#[test]
fn long_values_are_in_containers() {
    let record = r#""type":"object","required":["essay","photo"],"properties":{
        "essay":{"type":"string","maxLength":100000},
        "photo":{"type":"string","format":"byte","maxLength":100000},
        "thumb":{"type":"string","format":"byte","maxLength":8}}"#;
    let interface = compile(&request(record), Side::Request, &options());
    let channel =
        round_trip(&interface, r#"{"channel":{"data":{"essay":"long ago","photo":"AP8Q","thumb":"/w=="}}}"#);
    assert_eq!(
        container(&channel, "BAQBASE"),
        bytes("'DFHPICC-00000001DFHPICC-00000002' 00 00 00 01 00 01 FF 00*5")
    );
    let essay = Content::Char { bytes: bytes("'long ago'"), ccsid: 37 };
    assert_eq!(channel.get("DFHPICC-00000001").expect("a container").content, essay);
    let photo = Content::Bit(vec![0, 255, 16]);
    assert_eq!(channel.get("DFHPICC-00000002").expect("a container").content, photo);
}

#[test]
fn null_is_told_apart_by_the_field_that_tells() {
    let record = r#""type":"object","required":["a"],"properties":{
        "a":{"type":["string","null"],"maxLength":2},"b":{"type":["integer","null"],"minimum":0,"maximum":9}}"#;
    let interface = compile(&request(record), Side::Request, &options());
    let channel = round_trip(&interface, r#"{"channel":{"data":{"a":null}}}"#);
    assert_eq!(container(&channel, "BAQBASE"), bytes("00*8 00*4 '0'"), "{}", interface.copybook());
    let channel = interface.to_channel(br#"{"channel":{"data":{"a":"","b":null}}}"#).expect("it fits");
    assert_eq!(container(&channel, "BAQBASE"), bytes("00 00 00 01 00*4 00*4 '0'"));
}
