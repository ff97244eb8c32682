//! The whole assistant: from arguments and files to files.

use std::fs;
use std::path::Path;

use clap::Parser;
use record::Bind;
use web_service::{BindFile, InterfaceKind, Level, SoapVersions};

use super::*;

#[derive(Debug, Parser)]
struct Cli {
    #[command(flatten)]
    args: Ls2wsArgs,
}

const REQUEST: &str = "       01  CLAIM-IN.
           03  CLAIM-KEY.
               05  CLAIM-NO       PIC X(6).
               05  CLAIM-COUNT    PIC S9(4) COMP.
           03  FILLER             PIC X(2).
";

const RESPONSE: &str = "       01  CLAIM-OUT.
           COPY CLAIMROW.
";

const ROW: &str = "           03  CLAIM-ROW OCCURS 2.
               05  AMOUNT         PIC S9(5)V99 COMP-3.
               05  NOTE           PIC X(10).
";

/// A folder with the copybooks of a claim.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in [("CLAIMI.cpy", REQUEST), ("CLAIMO.cpy", RESPONSE), ("CLAIMROW.cpy", ROW)] {
        fs::write(folder.path().join(name), text).expect("written");
    }
    folder
}

fn run_with(folder: &Path, arguments: &[&str]) -> Result<(), String> {
    let shown = folder.display().to_string();
    let mut all = vec!["ls2ws", "--copybooks", &shown, "--out", &shown];
    all.extend(arguments);
    run(&Cli::try_parse_from(all).map_err(|error| error.to_string())?.args)
}

const PLAIN: [&str; 10] = [
    "--pgmname",
    "CLAIM",
    "--pgmint",
    "COMMAREA",
    "--reqmem",
    "CLAIMI",
    "--wsbind",
    "CLAIM.wsbind",
    "--wsdl",
    "CLAIM.wsdl",
];

fn plain<'a>(more: &[&'a str]) -> Vec<&'a str> {
    PLAIN.iter().chain(more).copied().collect()
}

fn made(folder: &Path) -> (BindFile, String) {
    let bytes = fs::read(folder.join("CLAIM.wsbind")).expect("a bind file");
    let wsdl = fs::read_to_string(folder.join("CLAIM.wsdl")).expect("a document");
    (BindFile::read(&bytes).unwrap_or_else(|problems| panic!("{problems:?}")), wsdl)
}

#[test]
fn copybooks_become_a_document_and_a_bind_file() {
    let folder = folder();
    run_with(folder.path(), &plain(&["--respmem", "CLAIMO", "--mapping-level", "3.0"])).expect("made");
    let (file, wsdl) = made(folder.path());
    assert_eq!((file.name.as_str(), file.program.as_deref()), ("CLAIM", Some("CLAIM")));
    assert_eq!(file.namespace, "http://www.CLAIM.CLAIMI.com");
    assert_eq!(file.uri.as_deref(), Some("/cics/services/CLAIM"));
    assert_eq!((file.mapping_level, file.minimum_runtime_level), (Level::V3_0, Level::V3_0));
    assert_eq!(file.copybooks.keys().collect::<Vec<_>>(), ["CLAIMI", "CLAIMO", "CLAIMROW"]);
    let operation = &file.operation[0];
    assert_eq!(operation.request.namespace, "http://www.CLAIM.CLAIMI.Request.com");
    let response = operation.response.as_ref().expect("a response");
    assert_eq!(response.namespace, "http://www.CLAIM.CLAIMI.Response.com");
    let document = roxmltree::Document::parse(&wsdl).unwrap_or_else(|error| panic!("{error}\n{wsdl}"));
    let elements: Vec<&str> = document
        .descendants()
        .filter(|node| node.tag_name().name() == "element")
        .filter_map(|node| node.attribute("name"))
        .collect();
    let expected = [
        "claim_key",
        "claim_no",
        "claim_count",
        "filler1",
        "CLAIMOperation",
        "claim_row",
        "amount",
        "note",
        "CLAIMOperationResponse",
    ];
    assert_eq!(elements, expected);
    let address = document.descendants().find_map(|node| node.attribute("location"));
    assert_eq!(address, Some("http://server:port/cics/services/CLAIM"));
}

#[test]
fn a_bind_file_gives_binds_that_read_and_write_messages() {
    let folder = folder();
    run_with(
        folder.path(),
        &plain(&["--respmem", "CLAIMO", "--mapping-level", "1.2", "--char-varying", "COLLAPSE"]),
    )
    .expect("made");
    let (file, _) = made(folder.path());
    let (parts, warnings) = file.parts(37).expect("parts");
    assert!(warnings.is_empty(), "{warnings:?}");
    let bind = |interface: &interface::Interface| {
        Bind::compile(&interface.layout, &interface.options).expect("a bind")
    };
    let request = bind(&parts[0].request);
    let xml = "<CLAIMOperation xmlns=\"http://www.CLAIM.CLAIMI.Request.com\"><claim_key><claim_no>A1</claim_no><claim_count>-2</claim_count></claim_key><filler1></filler1></CLAIMOperation>";
    let (mut record, mut shown) = (Vec::new(), Vec::new());
    request.encode_xml(xml.as_bytes(), &mut record).expect("a record");
    assert_eq!(record, [0xC1, 0xF1, 0x40, 0x40, 0x40, 0x40, 0xFF, 0xFE, 0x40, 0x40]);
    request.decode_xml(&record, &mut shown).expect("XML");
    assert_eq!(String::from_utf8_lossy(&shown), xml);
    let response = bind(parts[0].response.as_ref().expect("a response"));
    let row = [0x00, 0x01, 0x23, 0x4C, 0xC1, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40];
    shown.clear();
    response.decode_xml(&[row, row].concat(), &mut shown).expect("XML");
    let expected = "<claim_row><amount>12.34</amount><note>A</note></claim_row>".repeat(2);
    assert!(String::from_utf8_lossy(&shown).contains(&expected), "{}", String::from_utf8_lossy(&shown));
    // A field that the request does not have is not filled silently.
    let short = "<CLAIMOperation xmlns=\"http://www.CLAIM.CLAIMI.Request.com\"></CLAIMOperation>";
    assert!(request.encode_xml(short.as_bytes(), &mut Vec::new()).is_err());
}

#[test]
fn a_converter_is_written_beside_or_nothing_is() {
    let folder = folder();
    let path = folder.path().join("claim.c");
    let shown = path.display().to_string();
    let mut arguments = plain(&["--respmem", "CLAIMO"]);
    arguments.extend(["--converter", &shown]);
    run_with(folder.path(), &arguments).expect("made");
    let source = fs::read_to_string(&path).expect("a source");
    for function in
        ["claim_request_read", "claim_request_write", "claim_response_read", "claim_response_write"]
    {
        assert!(source.contains(&format!("int {function}(")), "{function}");
    }
    for name in ["claim.c", "CLAIM.wsbind", "CLAIM.wsdl"] {
        fs::remove_file(folder.path().join(name)).expect("removed");
    }
    fs::write(folder.path().join("CLAIMROW.cpy"), "           03  AMOUNT COMP-2.\n").expect("written");
    arguments.extend(["--mapping-level", "3.0"]);
    let error = run_with(folder.path(), &arguments).expect_err("floating point");
    assert_eq!(error, "1 error for the converter; nothing was written");
    assert!(!path.exists() && !folder.path().join("CLAIM.wsbind").exists());
}

#[test]
fn text_of_fixed_length_keeps_its_blanks() {
    let folder = folder();
    run_with(folder.path(), &PLAIN).expect("made");
    let (file, _) = made(folder.path());
    let (parts, _) = file.parts(37).expect("parts");
    let bind = Bind::compile(&parts[0].request.layout, &parts[0].request.options).expect("a bind");
    let (mut record, mut shown) = (Vec::new(), Vec::new());
    bind.start(&mut record);
    bind.decode_xml(&record, &mut shown).expect("XML");
    let shown = String::from_utf8_lossy(&shown).into_owned();
    assert!(shown.contains("<claim_no>      </claim_no>"), "{shown}");
}

#[test]
fn text_that_00_ends_and_points_in_time_are_converted() {
    let folder = folder();
    let text = "       01  CLAIM-IN.
           03  CLAIM-NO  PIC X(6).
           03  MADE-AT   PIC S9(15) COMP-3.
";
    fs::write(folder.path().join("CLAIMI.cpy"), text).expect("written");
    let arguments = plain(&["--mapping-level", "3.0", "--char-varying", "NULL", "--datetime", "PACKED15"]);
    run_with(folder.path(), &arguments).expect("made");
    let (file, wsdl) = made(folder.path());
    assert!(wsdl.contains("maxLength value=\"5\"") && wsdl.contains("xsd:dateTime"), "{wsdl}");
    let (parts, _) = file.parts(37).expect("parts");
    let bind = Bind::compile(&parts[0].request.layout, &parts[0].request.options).expect("a bind");
    let message = |number: &str| {
        let time = "<made_at>2001-12-29T00:00:00.001</made_at>";
        format!(
            "<CLAIMOperation xmlns=\"http://www.CLAIM.CLAIMI.Request.com\"><claim_no>{number}</claim_no>{time}</CLAIMOperation>"
        )
    };
    let (mut record, mut shown) = (Vec::new(), Vec::new());
    bind.encode_xml(message("A1 ").as_bytes(), &mut record).expect("a record");
    let expected = [0xC1, 0xF1, 0x40, 0, 0, 0, 0x00, 0x32, 0x18, 0x57, 0x28, 0x00, 0x00, 0x1C];
    assert_eq!(record, expected);
    // Bytes behind the end do not count.
    record[5] = 0xC2;
    bind.decode_xml(&record, &mut shown).expect("XML");
    assert_eq!(String::from_utf8_lossy(&shown), message("A1 "));
    // The end needs a byte.
    assert!(bind.encode_xml(message("ABCDE").as_bytes(), &mut Vec::new()).is_ok());
    assert!(bind.encode_xml(message("ABCDEF").as_bytes(), &mut Vec::new()).is_err());
    assert!(
        bind.encode(b"{\"claim_no\":\"A\\u0000\",\"made_at\":\"2001-12-29T00:00:00\"}", &mut Vec::new())
            .is_err()
    );
}

#[test]
fn a_job_has_the_parameters() {
    let folder = folder();
    let job = "//GENASOAP JOB ,SMITH
//         SET HOME='/u/smith'
//LS2WSVS   EXEC DFHLS2WS,
//    JAVADIR='java601',
//    TMPFILE='LS2WS'
//INPUT.SYSUT1 DD *,SYMBOLS=JCLONLY
 PDSLIB=//'CICS.COPYLIB'
 PDSCP=037
 LANG=COBOL
 PGMNAME=CLAIM
 REQMEM=CLAIMI
 RESPMEM=CLAIMO
 LOGFILE=&HOME./CLAIM.LOG
 URI=GENAPP/CLAIM
 PGMINT=COMMAREA
 WSBIND=&HOME./CLAIM.wsbind
 WSDL=&HOME./CLAIM.wsdl
 HTTPPROXY=PROXY:80
/*
//
";
    let path = folder.path().join("job.jcl");
    fs::write(&path, job).expect("written");
    let path = path.display().to_string();
    // The copybooks lie beside the job, since the data set is not here. A flag counts more than a line.
    let shown = folder.path().display().to_string();
    let arguments = ["ls2ws", "--out", &shown, "--parameters", &path, "--soapver", "ALL"];
    run(&Cli::try_parse_from(arguments).expect("arguments").args).expect("made");
    let (file, wsdl) = made(folder.path());
    assert_eq!(file.uri.as_deref(), Some("GENAPP/CLAIM"));
    assert_eq!((file.soap, file.mapping_level), (SoapVersions::All, Level::V1_0));
    assert!(wsdl.contains("location=\"http://server:port/GENAPP/CLAIM\""), "{wsdl}");
    let log = fs::read_to_string(folder.path().join("CLAIM.LOG")).expect("a log");
    assert!(log.contains("HTTPPROXY changes nothing") && log.contains("wrote "), "{log}");
}

#[test]
fn a_service_without_a_response_is_one_way() {
    let folder = folder();
    run_with(folder.path(), &PLAIN).expect("made");
    let (file, wsdl) = made(folder.path());
    assert_eq!(file.operation[0].response, None);
    assert!(!wsdl.contains("<output"), "{wsdl}");
}

#[test]
fn a_program_with_a_channel_has_a_container() {
    let folder = folder();
    let arguments: Vec<&str> = plain(&["--contid", "CLAIM-DATA"])
        .iter()
        .map(|word| if *word == "COMMAREA" { "CHANNEL" } else { word })
        .collect();
    run_with(folder.path(), &arguments).expect("made");
    let (file, _) = made(folder.path());
    assert_eq!((file.interface, file.container.as_deref()), (InterfaceKind::Channel, Some("CLAIM-DATA")));
}

#[test]
fn namespaces_and_the_operation_can_be_named() {
    let folder = folder();
    let arguments = plain(&[
        "--request-namespace",
        "urn:in",
        "--wsdl-namespace",
        "urn:all",
        "--operation-name",
        "check",
        "--uri",
        "https://a.example/check",
    ]);
    run_with(folder.path(), &arguments).expect("made");
    let (file, wsdl) = made(folder.path());
    assert_eq!((file.namespace.as_str(), file.operation[0].name.as_str()), ("urn:all", "check"));
    assert!(
        wsdl.contains("xmlns:reqns=\"urn:in\"") && wsdl.contains("location=\"https://a.example/check\""),
        "{wsdl}"
    );
}

/// The parameters as the reader sees them.
fn refused(lines: &str) -> Vec<String> {
    let placed = lines.lines().map(|line| ("-".to_owned(), line.to_owned())).collect();
    let parameters = match crate::parameters::Parameters::from_lines::<Ls2ws>(placed) {
        Ok(parameters) => parameters,
        Err(errors) => return errors,
    };
    Request::read(&parameters).err().unwrap_or_default()
}

const GOOD: &str = "PGMNAME=A\nPGMINT=COMMAREA\nREQMEM=B\nWSBIND=a.wsbind\nWSDL=a.wsdl\n";

#[test]
fn what_a_parameter_cannot_say_is_refused_by_its_name() {
    assert!(refused(GOOD).is_empty());
    let cases = [
        ("CHAR-VARYING=COLLAPSE", "-: CHAR-VARYING: needs mapping level 1.2 or later; the level is 1.0"),
        ("CHAR-OCCURS=STRING", "-: CHAR-OCCURS: needs mapping level 4.0 or later; the level is 1.0"),
        ("DATA-TRUNCATION=ENABLED", "-: DATA-TRUNCATION: needs mapping level 3.0 or later; the level is 1.0"),
        ("LANG=C", "-: LANG: only COBOL is read, found 'C'"),
        ("SOAPVER=2.0", "-: SOAPVER: expected 1.1 or 1.2 or ALL, found '2.0'"),
        (
            "STRUCTURE=(A,B)",
            "-: STRUCTURE does not apply: it names structures of C and PL/I, which are not read",
        ),
        ("WSDL_2.0=a", "-: WSDL_2.0 does not apply: WSDL 2.0 is not written; ask for WSDL or WSDL_1.1"),
        ("BINDING=a", "-: BINDING does not apply: it is a parameter of ws2ls"),
        ("CONTID=A", "-: CONTID: a program with a commarea has no container"),
        (
            "MINIMUM-RUNTIME-LEVEL=0.9",
            "-: MINIMUM-RUNTIME-LEVEL: MINIMUM, CURRENT or a level: expected a mapping level",
        ),
        ("MAPPING-OVERRIDES=INTEGER-AS-PIC9", "-: MAPPING-OVERRIDES: INTEGER-AS-PIC9 is for ws2ls"),
        ("CCSID=99", "-: CCSID: CCSID 99 is not known"),
        ("TRANSACTION=TOOLONG", "-: TRANSACTION: expected 1 to 4 characters, found 'TOOLONG'"),
        ("WSDL_1.1=b", "-: WSDL_1.1: WSDL is given too"),
    ];
    for (line, expected) in cases {
        let errors = refused(&format!("{GOOD}{line}\n"));
        assert!(errors.len() == 1 && errors[0].starts_with(expected), "{line}: {errors:?}");
    }
}

#[test]
fn what_is_missing_is_told_at_once() {
    let missing = [
        "PGMNAME is missing",
        "PGMINT is missing",
        "REQMEM is missing: the copybook of the request",
        "WSBIND is missing",
        "WSDL is missing",
    ];
    assert_eq!(refused(""), missing);
}

#[test]
fn what_a_copybook_cannot_have_is_told_with_its_line() {
    let folder = folder();
    let text = "       01  CLAIM-IN.\n           03  A POINTER.\n           03  B COMP-1.\n";
    fs::write(folder.path().join("CLAIMI.cpy"), text).expect("written");
    let message = run_with(folder.path(), &PLAIN).expect_err("refused");
    assert_eq!(message, "2 errors in the copybooks");
    assert!(!folder.path().join("CLAIM.wsbind").exists() && !folder.path().join("CLAIM.wsdl").exists());
    let missing = run_with(folder.path(), &plain(&["--respmem", "NOTHERE"])).expect_err("refused");
    assert_eq!(missing, "1 error in the copybooks");
}

#[test]
fn a_document_can_be_in_ebcdic() {
    let folder = folder();
    run_with(folder.path(), &plain(&["--wsdlcp", "EBCDIC-CP-US"])).expect("made");
    let bytes = fs::read(folder.path().join("CLAIM.wsdl")).expect("a document");
    // `<?xml` in EBCDIC.
    assert_eq!(bytes[..5], [0x4C, 0x6F, 0xA7, 0x94, 0x93]);
}

const CHANNEL: &str = "<channel name='CLAIMS' xmlns='http://www.ibm.com/xmlns/prod/CICS/channel'>
  <container name='Claim_In' type='bit' use='required'><structure location=\"//'HLQ.LIB(CLAIMI)'\"/></container>
  <container name='Claim_Out'><structure location='CLAIMO'/></container></channel>";

#[test]
fn a_channel_description_becomes_one_record_with_a_group_for_each_container() {
    let folder = folder();
    let path = folder.path().join("channel.xml");
    fs::write(&path, CHANNEL).expect("written");
    let shown = path.display().to_string();
    let with = |more: &[&str]| {
        let mut all = vec![
            "--pgmname",
            "CLAIM",
            "--pgmint",
            "CHANNEL",
            "--wsbind",
            "CLAIM.wsbind",
            "--wsdl",
            "CLAIM.wsdl",
        ];
        all.extend(more);
        run_with(folder.path(), &all)
    };
    let both = ["--request-channel", &shown, "--response-channel", &shown];
    with(&[&both[..], &["--mapping-level", "3.0"]].concat()).expect("made");
    let (file, wsdl) = made(folder.path());
    let request = &file.operation[0].request;
    assert_eq!(request.copybook, "REQUEST-CHANNEL");
    let pairs: Vec<(&str, &str)> =
        request.containers.iter().map(|(group, name)| (group.as_str(), name.as_str())).collect();
    assert_eq!(pairs, [("CLAIM-IN", "Claim_In"), ("CLAIM-OUT", "Claim_Out")]);
    let (parts, _) = file.parts(37).unwrap_or_else(|problems| panic!("{problems:?}"));
    assert_eq!(parts[0].request.layout.max_bytes(), 10 + 28);
    assert!(wsdl.contains("<xsd:element name=\"claim_in\"") && wsdl.contains("name=\"claim_row\""), "{wsdl}");
    let files = file.folder(819).expect("files");
    let service = &files.iter().find(|(path, _)| path == "services/CLAIM.toml").expect("a service").1;
    assert!(
        service.contains("containers = { \"CLAIM-IN\" = \"Claim_In\", \"CLAIM-OUT\" = \"Claim_Out\" }"),
        "{service}"
    );
    assert!(with(&[&both[..], &["--mapping-level", "2.2"]].concat()).is_err());
    assert!(with(&["--request-channel", &shown, "--respmem", "CLAIMO", "--mapping-level", "3.0"]).is_err());
    assert!(with(&["--request-channel", "nothing.xml", "--mapping-level", "3.0"]).is_err());
    fs::write(&path, CHANNEL.replace("CLAIMI", "NOTHERE")).expect("written");
    assert!(with(&[&both[..], &["--mapping-level", "3.0"]].concat()).is_err());
}

#[test]
fn null_rows_are_left_out_from_level_4_1_on() {
    let folder = folder();
    let arrays = ["--truncate-null-arrays", "ENABLED"];
    let values = ["--truncate-null-array-values", "ENABLED"];
    let with = |level: &'static str, more: &[&'static str]| {
        run_with(folder.path(), &plain(&[&["--respmem", "CLAIMO", "--mapping-level", level], more].concat()))
    };
    with("4.1", &arrays).expect("made");
    let (file, wsdl) = made(folder.path());
    assert_eq!(file.options.null_rows, web_service::NullRows::OmitGroups);
    assert!(wsdl.contains("name=\"claim_row\" minOccurs=\"0\" maxOccurs=\"2\""), "{wsdl}");
    let files = file.folder(819).expect("files");
    let service = &files.iter().find(|(path, _)| path == "services/CLAIM.toml").expect("a service").1;
    assert!(service.contains("empty_rows = \"omit_groups\""), "{service}");
    with("4.3", &[arrays, values].concat()).expect("made");
    assert_eq!(made(folder.path()).0.options.null_rows, web_service::NullRows::Omit);
    assert!(with("4.0", &arrays).is_err());
    assert!(with("4.3", &values).is_err());
}

/// Programs may have `$`, `@` and `#` in their names. Names of XML and paths do not.
#[test]
fn a_program_with_signs_in_its_name_needs_other_names_for_its_service() {
    let of = |more: &str| {
        let text =
            format!("PGMNAME=A#B\nPGMINT=COMMAREA\nREQMEM=CLAIMI\nWSBIND=A.wsbind\nWSDL=A.wsdl\n{more}");
        crate::ls2ws_document(&text, &|_| Some(REQUEST.to_owned()))
    };
    let missing = of("").expect_err("no names");
    assert_eq!(
        missing,
        [
            "URI is missing: the program's name has '#', which the path of the service cannot have",
            "OPERATION-NAME is missing: 'A#BOperation' is not a name of XML",
        ]
    );
    let wrong = of("URI=/a\nOPERATION-NAME=a b\n").expect_err("no name");
    assert_eq!(wrong, ["line 7: OPERATION-NAME: expected a name of XML, found 'a b'"]);
    let document = of("URI=/a\nOPERATION-NAME=Do\n").expect("a document");
    let read = wsdl::read::read("A.wsdl", document.clone().into_bytes(), &mut |_| Err("none".to_owned()));
    let read = read.unwrap_or_else(|faults| panic!("{faults:?}"));
    let binding = &read.bindings[0];
    assert_eq!((binding.name.as_str(), binding.port_type.local.as_str()), ("AXBHTTPSoapBinding", "AXBPort"));
    let document = roxmltree::Document::parse(&document).expect("XML");
    for node in
        document.descendants().filter(|node| node.tag_name().namespace() == Some(wsdl::WSDL_NAMESPACE))
    {
        assert!(node.attribute("name").is_none_or(xml::is_name), "{node:?}");
    }
}
