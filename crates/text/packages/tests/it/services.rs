//! Service archives: layouts, names, defaults, options, channels, and bind files with copybooks given.

use packages::{FaultKind, Given, GivenCopybook, Limits, PackageKind};
use serde_json::{Value, json};

use crate::made::{
    archive, bind, datatype, decimal, faults, field, interface, notes, read, service, service_entries, text,
};

/// Every type, a gap, views, a fixed table and one of varying length with an aligned number in its rows.
fn orders() -> String {
    let integer = "<marshaller isNativeInteger=\"N\" alignment=\"NATURAL\"/>\
                   <applicationDatatype datatype=\"INT\" precision=\"8\"/>";
    let double = "<marshaller alignment=\"DOUBLEWORD\"/><applicationDatatype datatype=\"DOUBLE\"/>";
    let view = field("KEY_YEAR", Some(9), 4, "included=\"N\"", &decimal("ZONEDDECIMAL", "N", 4, 0));
    let row = [
        field("ROW_NAME", None, 5, " name=\"rowName\"", &datatype("CHAR")),
        field("ROW_RATE", None, 8, "", double),
    ]
    .concat();
    let fields = [
        field("ID", Some(1), 4, " name=\"orderId\" defaultValue=\"7\"", integer),
        field("MARK", Some(5), 2, "included=\"N\" defaultValue=\"C1C2\" isHex=\"true\"", &datatype("CHAR")),
        // Bytes 7 and 8 belong to no field.
        field("KEY", Some(9), 6, "", &datatype("CHAR")),
        field(
            "KEY_PARTS",
            Some(9),
            6,
            "included=\"N\" redefines=\"KEY\"",
            &format!("{}{view}", datatype("STRUCT")),
        ),
        field("AMOUNT", Some(15), 5, "", &decimal("PACKEDDECIMAL", "Y", 9, 2)),
        field("FLAGS", Some(20), 3, " minOccurs=\"3\" maxOccurs=\"3\"", &datatype("CHAR")),
        field(
            "COUNT",
            Some(23),
            2,
            "included=\"N\" dependedOn=\"true\"",
            "<applicationDatatype datatype=\"SHORT\" precision=\"4\"/>",
        ),
        field(
            "ROWS",
            Some(25),
            32,
            " name=\"rows\" dependsOn=\"COUNT\" minOccurs=\"0\" maxOccurs=\"2\"",
            &format!("{}{row}", datatype("ARRAY")),
        ),
    ]
    .concat();
    interface("ORDER", 56, &fields)
}

#[test]
fn an_interface_becomes_a_copybook_with_the_same_places() {
    let package = read(&service(&orders(), &[])).expect("a package");
    assert_eq!(
        (package.kind, package.name.as_str(), package.version.as_str()),
        (PackageKind::Service, "orders", "1.0.2")
    );
    let (layout, bind) = bind(&package, "orders", true);
    let place = |name: &str| {
        let field = layout.field(layout.resolve(name).expect("a field"));
        (field.offset, field.bytes)
    };
    for (name, at, bytes) in [
        ("ID", 0, 4),
        ("MARK", 4, 2),
        ("KEY", 8, 6),
        ("KEY-YEAR", 8, 4),
        ("AMOUNT", 14, 5),
        ("FLAGS", 19, 1),
        ("COUNT", 22, 2),
        ("ROWS", 24, 16),
        ("ROW-RATE", 32, 8),
    ] {
        assert_eq!(place(name), (at, bytes), "{name}");
    }
    assert_eq!(layout.max_bytes(), 56);
    let mut record = Vec::new();
    let request = json!({"ORDER": {"KEY": "AB", "AMOUNT": -12.5, "FLAGS": ["x"], "rows": [{"rowName": "n", "ROW_RATE": 1}]}});
    bind.encode(request.to_string().as_bytes(), &mut record).expect("a record");
    let expected = [
        "00000007",
        "C1C2",
        "4040",
        "C1C240404040",
        "000001250D",
        "A74040",
        "0001",
        "9540404040",
        "404040",
        "4110000000000000",
    ];
    let hex: String = record.iter().map(|byte| format!("{byte:02X}")).collect();
    assert_eq!(hex, expected.concat());
    let mut answer = Vec::new();
    bind.decode(&record, &mut answer).expect("JSON");
    let answer: Value = serde_json::from_slice(&answer).expect("JSON");
    assert_eq!(
        answer,
        json!({"ORDER": {"orderId": 7, "KEY": "AB", "AMOUNT": -12.5, "FLAGS": ["x", "", ""],
               "rows": [{"rowName": "n", "ROW_RATE": 1}]}})
    );
}

#[test]
fn the_service_file_says_what_the_archive_says() {
    let properties = [
        ("connectionRef", "cicsConn"),
        ("trimOutputTrailingWhitespace", "false"),
        ("omitOutputFieldsByValue", "true"),
        ("enforceMinArrayOccurrence", "true"),
        ("enforceMinArrayOccurrenceResponse", "true"),
        ("ccsid", "1047"),
        ("bidiConfigRef", "b"),
    ];
    let package = read(&service(&orders(), &properties)).expect("a package");
    let file = text(&package, "services/orders.toml");
    for line in [
        "# Made of the service archive orders, version 1.0.2",
        "description = \"Orders, new and \\\"old\\\"\"",
        "ccsid = 1047",
        "# Its provider there was CICS-1.0, the program ORDPGM, over the connection cicsConn.",
        "zero_occurs = \"refuse\"\n",
        "[response.values]\ntrim_text = \"keep\"\nlow_value_text = \"null\"\nlow_value_numbers = \"null\"\nomit_empty = \"null\"\n",
        "ID = { name = \"orderId\", omit = 0 }",
        "MARK = { included = false }",
    ] {
        assert!(file.contains(line), "{line}\nin\n{file}");
    }
    assert!(!file.contains("[provider]\n"), "{file}");
    assert!(notes(&package).contains("bidirectional"), "{}", notes(&package));
    // Fields that are omitted if all bytes are 00 are left out.
    let (_, bind) = bind(&package, "orders", false);
    let mut answer = Vec::new();
    bind.decode(&[0; 24], &mut answer).expect("JSON");
    assert_eq!(String::from_utf8_lossy(&answer), r#"{"ORDER":{"FLAGS":[null,null,null]}}"#);
}

#[test]
fn a_view_that_shows_is_chosen_in_place_of_the_first() {
    let one = field("A", Some(1), 4, "included=\"N\"", &datatype("CHAR"));
    let other = field("B", Some(1), 4, "redefines=\"A\"", &decimal("ZONEDDECIMAL", "N", 4, 0));
    let package = read(&service(&interface("R", 4, &format!("{one}{other}")), &[])).expect("a package");
    let (_, bind) = bind(&package, "orders", false);
    let mut answer = Vec::new();
    bind.decode(&[0xF0, 0xF0, 0xF1, 0xF2], &mut answer).expect("JSON");
    assert_eq!(String::from_utf8_lossy(&answer), r#"{"R":{"B":12}}"#);
}

#[test]
fn a_record_has_the_bytes_of_its_fields() {
    let one = field("A", Some(1), 4, "", &datatype("CHAR"));
    let other = field("B", Some(5), 2, "", &decimal("ZONEDDECIMAL", "N", 2, 0));
    let package = read(&service(&interface("R", 5, &format!("{one}{other}")), &[])).expect("a package");
    let told = notes(&package);
    assert!(told.contains("R: bytes is 5, but its fields have 6: the fields count"), "{told}");
    let (layout, bind) = bind(&package, "orders", false);
    assert_eq!(layout.max_bytes(), 6);
    let mut answer = Vec::new();
    bind.decode(&[0xC1, 0xC2, 0xC3, 0xC4, 0xF0, 0xF7], &mut answer).expect("JSON");
    assert_eq!(String::from_utf8_lossy(&answer), r#"{"R":{"A":"ABCD","B":7}}"#);
}

#[test]
fn numbers_of_views_that_show_beside_others_may_be_unreadable() {
    let one = field("A", Some(1), 4, "", &datatype("CHAR"));
    let inner = field("N", Some(1), 2, "", &decimal("ZONEDDECIMAL", "N", 2, 0))
        + &field("M", Some(3), 2, "", &decimal("ZONEDDECIMAL", "N", 2, 0));
    let other = field("B", Some(1), 4, "redefines=\"A\"", &format!("{}{inner}", datatype("STRUCT")));
    let strict = field("C", Some(5), 2, "", &decimal("ZONEDDECIMAL", "N", 2, 0));
    let package =
        read(&service(&interface("R", 6, &format!("{one}{other}{strict}")), &[])).expect("a package");
    let told = notes(&package);
    assert!(told.contains("ORD.si:4: A: other views of its bytes show too"), "{told}");
    let (_, bind) = bind(&package, "orders", false);
    let decode = |record: &[u8]| {
        let mut answer = Vec::new();
        bind.decode(record, &mut answer).map(|()| String::from_utf8_lossy(&answer).into_owned())
    };
    let whole = decode(&[0xF0, 0xF1, 0xF2, 0xF3, 0xF0, 0xF9]).expect("JSON");
    assert_eq!(whole, r#"{"R":{"A":"0123","B":{"N":1,"M":23},"C":9}}"#);
    let part = decode(&[0xC1, 0xC2, 0xF2, 0xF3, 0xF0, 0xF9]).expect("JSON");
    assert_eq!(part, r#"{"R":{"A":"AB23","B":{"M":23},"C":9}}"#);
    // Outside of views, bytes that are not a number stay an error.
    assert!(decode(&[0xF0, 0xF1, 0xF2, 0xF3, 0xC1, 0xC1]).is_err());
}

#[test]
fn contradictions_of_an_interface_are_faults_with_their_lines() {
    let text = |fields: &str, bytes| faults(&service(&interface("R", bytes, fields), &[]));
    let packed = field("P", Some(1), 4, "", &decimal("PACKEDDECIMAL", "Y", 9, 2));
    assert!(
        text(&packed, 4).contains("files/interfaces/ORD.si:4: P: packed with 9 digits has 5 bytes, not 4")
    );
    let overlap =
        [field("A", Some(1), 4, "", &datatype("CHAR")), field("B", Some(3), 4, "", &datatype("CHAR"))]
            .concat();
    assert!(text(&overlap, 8).contains("B: startPos is 3, but its offset is 5"), "{}", text(&overlap, 8));
    let inner = field("A", Some(1), 4, "", &datatype("CHAR"));
    let short = field("G", Some(1), 3, "", &format!("{}{inner}", datatype("STRUCT")));
    assert!(text(&short, 3).contains("1 bytes behind"));
    let table = field("T", Some(1), 4, " dependsOn=\"N\" minOccurs=\"0\" maxOccurs=\"4\"", &datatype("CHAR"));
    assert!(text(&table, 4).contains("depend on N, which is not before it"));
    assert!(text(&field("V", Some(1), 4, "redefines=\"X\"", &datatype("CHAR")), 4).contains("redefines X"));
    assert!(
        text(&field("D", Some(1), 3, "", "<applicationDatatype datatype=\"DOUBLE\"/>"), 3)
            .contains("of 3 bytes")
    );
    let table = field("T", Some(1), 4, " minOccurs=\"3\" maxOccurs=\"3\"", &datatype("CHAR"));
    assert!(text(&table, 4).contains("4 bytes are not 3 rows"));
}

#[test]
fn what_has_no_counterpart_is_told() {
    let odd = field("A", Some(1), 4, " pattern=\"yy\"", &datatype("BLOB"));
    let date = field("D", Some(5), 8, "", &datatype("DATE"));
    let package = read(&service(&interface("R", 12, &format!("{odd}{date}")), &[])).expect("a package");
    let notes = notes(&package);
    for part in ["ORD.si:4: A: pattern = 'yy'", "A: the type BLOB is unknown", "D: its form as DATE"] {
        assert!(notes.contains(part), "{part} in {notes}");
    }
    assert!(text(&package, "services/orders.toml").contains("A = { bytes = \"hex\" }"));
}

#[test]
fn containers_of_a_channel_stand_in_one_record() {
    let segment = |name: &str, field: &str| format!("<segment name=\"{name}\">{field}</segment>");
    let structure =
        |name: &str, inner: &str| field(name, Some(1), 4, "", &format!("{}{inner}", datatype("STRUCT")));
    let one = segment("Data_In", &structure("REQ", &field("A", Some(1), 4, "", &datatype("CHAR"))));
    let other =
        segment("STATUS", &structure("ST", &field("B", Some(1), 4, "", &decimal("ZONEDDECIMAL", "N", 4, 0))));
    let file = format!("<m serviceType=\"CICS_CHANNEL\"><message name=\"X\">{one}{other}</message></m>");
    let package = read(&service(&file, &[])).expect("a package");
    let (_, bind) = bind(&package, "orders", false);
    let mut answer = Vec::new();
    bind.decode(&[0xC1, 0xC2, 0x40, 0x40, 0xF0, 0xF0, 0xF0, 0xF9], &mut answer).expect("JSON");
    let expected = r#"{"ordersOperationResponse":{"Data_In":{"REQ":{"A":"AB"}},"STATUS":{"ST":{"B":9}}}}"#;
    assert_eq!(String::from_utf8_lossy(&answer), expected);
    let service = text(&package, "services/orders.toml");
    assert_eq!(
        service.matches("containers = { DATA-IN = \"Data_In\", STATUS = \"STATUS\" }").count(),
        2,
        "{service}"
    );
}

/// Fields that a request leaves out stay 00, unless the service initialises its fields. Defaults of the
/// interface hold.
#[test]
fn fields_that_are_left_out_follow_the_services_flag() {
    let encoded = |properties: &[(&str, &str)]| {
        let package = read(&service(&orders(), properties)).expect("a package");
        let (_, bind) = bind(&package, "orders", true);
        let mut record = Vec::new();
        bind.encode(br#"{"ORDER":{"KEY":"AB"}}"#, &mut record).expect("a record");
        record.iter().map(|byte| format!("{byte:02X}")).collect::<String>()
    };
    let off = [("initializeInputFields", "false")];
    assert_eq!(encoded(&off), "00000007C1C20000C1C24040404000000000000000000000");
    assert_eq!(encoded(&[]), "00000007C1C24040C1C240404040000000000C4040400000");
}

/// Tools leave `name` empty and write the container's name as `originalName`.
#[test]
fn a_container_without_a_name_of_its_own_has_its_original_name() {
    let structure = field("REQ", Some(1), 4, "", &datatype("CHAR"));
    let file = |names: &str| {
        let segment =
            format!("<segment id=\"1\" {names} containerType=\"BIT\" required=\"Y\">{structure}</segment>");
        format!("<m serviceType=\"CICS_CHANNEL\"><message name=\"Channel\">{segment}</message></m>")
    };
    let package = read(&service(&file("name=\"\" originalName=\"IN-DATA\""), &[])).expect("a package");
    let (_, bind) = bind(&package, "orders", true);
    let mut record = Vec::new();
    bind.encode(br#"{"ordersOperation":{"IN-DATA":{"REQ":"AB"}}}"#, &mut record).expect("a record");
    assert_eq!(record, [0xC1, 0xC2, 0x40, 0x40]);
    let told = faults(&service(&file("name=\"\""), &[]));
    assert!(told.contains("neither a name nor an originalName"), "{told}");
}

fn bound() -> Vec<u8> {
    let schema = |wrapper: &str| {
        json!({"type": "object", "properties": {wrapper: {"type": "object", "properties": {
            "ca_request_id": {"type": "string"},
            "ca_order": {"type": "object", "properties": {"ca_item": {"type": "integer"}}}
        }}}})
        .to_string()
    };
    let manifest = "name: place\nprovider: CICS-1.0\nrequestSchema:\n  value: file:///schemas/q.json\nresponseSchema:\n  \
                    value: file:///schemas/r.json\nproviderProperties:\n- propertyName: dataXformType\n  value: WSBIND\n";
    archive(&[
        ("manifest.yml", manifest.to_owned()),
        ("schemas/q.json", schema("PGMOperation")),
        ("schemas/r.json", schema("PGMOperationResponse")),
        ("files/place.wsbind", "\u{1}".to_owned()),
    ])
}

fn given(text: &str) -> Given {
    let copybook =
        |name: &str| GivenCopybook { name: name.into(), file: "dir/CA.cpy".into(), text: text.into() };
    Given { copybooks: vec![copybook("REQUEST"), copybook("place.RESPONSE")] }
}

#[test]
fn a_bind_file_needs_copybooks_and_says_how() {
    let fault = &read(&bound()).expect_err("a fault")[0];
    assert_eq!(fault.kind, FaultKind::CopybookNeeded);
    assert!(fault.message.contains("--copybook REQUEST=FILE"), "{fault}");
}

#[test]
fn with_copybooks_the_schemas_choose_what_shows() {
    let text = "
       01  COMM.
           03  CA-REQUEST-ID PIC X(6).
           03  CA-SECRET PIC X(2).
           03  CA-INQUIRE PIC X(4).
           03  CA-ORDER REDEFINES CA-INQUIRE.
               05  CA-ITEM PIC 9(4).
";
    let package =
        packages::read_with("p.sar", &bound(), &Limits::default(), &given(text)).expect("a package");
    let paths: Vec<&str> = package.files().iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["services/place.toml", "copybooks/place/CA.cpy"]);
    let (_, bind) = bind(&package, "place", false);
    let mut answer = Vec::new();
    bind.decode(&[0x40, 0x40, 0x40, 0x40, 0x40, 0xC1, 0x40, 0x40, 0xF0, 0xF0, 0xF0, 0xF3], &mut answer)
        .expect("JSON");
    let expected = r#"{"PGMOperationResponse":{"ca_request_id":"     A","ca_order":{"ca_item":3}}}"#;
    assert_eq!(String::from_utf8_lossy(&answer), expected);
    let wrong = packages::read_with(
        "p.sar",
        &bound(),
        &Limits::default(),
        &given("       01  C.\n           03  X PIC X.\n"),
    );
    let wrong = wrong.expect_err("another copybook")[0].to_string();
    assert!(wrong.contains("no field: ca_order, ca_request_id"), "{wrong}");
}

#[test]
fn broken_manifests_are_faults() {
    let mut entries = service_entries(&orders(), &[]);
    entries.retain(|(name, _)| !name.ends_with(".si"));
    assert!(
        faults(&archive(&entries)).contains("files/interfaces/ORD.si: the package does not have this file")
    );
    let with = |text: &str| faults(&archive(&[("manifest.yml", text)]));
    assert!(with("name: [").contains("manifest.yml:"));
    assert!(with("name: ../x\n").contains("cannot be that of a file"));
    assert!(with("a\n").contains("expected a map"));
    assert!(
        with("name: x\nproviderProperties:\n- propertyName: dataXformType\n  value: NEW\n")
            .contains("transformation is NEW")
    );
}

#[test]
fn a_service_of_mq_is_served_over_queues() {
    let more = [
        ("connectionFactory", "jms/cf1"),
        ("destination", "jms/orders"),
        ("replyDestination", "jms/replies"),
        ("waitInterval", "3000"),
        ("persistence", "true"),
    ];
    let mut entries = service_entries(&orders(), &more);
    entries[0].1 = entries[0].1.replace("CICS-1.0", "MQ-1.0");
    let package = read(&archive(&entries)).expect("a package");
    let file = text(&package, "services/orders.toml");
    let provider = "over the connection factory jms/cf1.\n[provider]\nkind = \"queue\"\ndestination = \"jms/orders\"\n\
                    reply_destination = \"jms/replies\"\nwait_ms = 3000\npersistent = true\non_timeout = \"204\"\n\n[request]\n";
    assert!(file.contains(provider), "{file}");
    toml::from_str::<toml::Table>(file).expect("TOML");
    assert!(notes(&package).contains("destination = 'jms/orders' is a JNDI name"), "{}", notes(&package));
}
