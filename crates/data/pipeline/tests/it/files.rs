//! Pipeline files, good and bad.

use pipeline::file::{PIPELINE_FILE_MAX_BYTES, parse};
use pipeline::{By, Handler, HeaderProgram, LocalName, Pipeline, Role, SoapHandler, Terminal};
use proptest::prelude::*;
use soap::SendMtom;
use soap::Version;

pub(crate) const NAMESPACE: &str = "xmlns=\"http://www.ibm.com/software/htp/cics/pipeline\"";

fn handler(program: &str) -> Handler {
    Handler { program: program.to_owned(), parameters: None }
}

#[test]
fn the_smallest_file_has_a_soap_handler_alone() {
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<provider_pipeline {NAMESPACE}>\n <service>\n  <terminal_handler>\
         <cics_soap_1.1_handler/></terminal_handler>\n </service>\n <apphandler>DFHPITP</apphandler>\n</provider_pipeline>"
    );
    let pipeline = parse(&text).expect("a pipeline");
    let soap = SoapHandler { version: Version::Soap11, header_programs: Vec::new() };
    assert_eq!(pipeline.role, Role::Provider);
    assert_eq!(pipeline.terminal, Some(Terminal::Soap(soap)));
    assert_eq!(pipeline.application, None);
    assert!(pipeline.calls_nobody(By::Http("main"), std::iter::empty()));
    assert_eq!(pipeline.programs().count(), 0);
}

#[test]
fn all_elements_are_read() {
    let text = format!(
        "<p:provider_pipeline {}>
  <p:cics_mtom_handler><p:dfhmtom_configuration version=\"1\">
    <p:mtom_options send_mtom=\"yes\" send_when_no_xop=\"no\"/><p:xop_options apphandler_supports_xop=\"no\"/>
    <p:mime_options content_id_domain=\"example.org\"/></p:dfhmtom_configuration></p:cics_mtom_handler>
  <p:transport>
    <p:default_transport_handler_list><p:handler><p:program>ANY</p:program></p:handler></p:default_transport_handler_list>
    <p:default_http_transport_handler_list><p:handler><p:program>HTTP</p:program></p:handler></p:default_http_transport_handler_list>
    <p:named_transport_entry type=\"http\"><p:name>PORT80</p:name>
      <p:transport_handler_list><p:handler><p:program>NAMED</p:program></p:handler></p:transport_handler_list>
    </p:named_transport_entry>
  </p:transport>
  <p:service>
    <p:service_handler_list>
      <p:wsse_handler><p:dfhwsse_configuration version=\"1\"><p:authentication trust=\"none\" mode=\"basic\"/></p:dfhwsse_configuration></p:wsse_handler>
      <p:handler><p:program>FIRST</p:program><p:handler_parameter_list><level>3</level> more</p:handler_parameter_list></p:handler>
    </p:service_handler_list>
    <p:terminal_handler><p:cics_soap_1.2_handler>
      <p:headerprogram><p:program_name>HEAD</p:program_name><p:namespace>urn:h</p:namespace><p:localname>Order*</p:localname><p:mandatory>1</p:mandatory></p:headerprogram>
      <p:headerprogram><p:program_name>OTHER</p:program_name><p:namespace>urn:o</p:namespace><p:localname>one</p:localname><p:mandatory>false</p:mandatory></p:headerprogram>
    </p:cics_soap_1.2_handler></p:terminal_handler>
  </p:service>
  <p:apphandler> OWNAPP </p:apphandler>
  <p:service_parameter_list><a>1</a></p:service_parameter_list>
</p:provider_pipeline>",
        NAMESPACE.replace("xmlns=", "xmlns:p=")
    );
    let pipeline = parse(&text).unwrap_or_else(|findings| panic!("{findings:#?}"));
    assert_eq!(pipeline.transport.of(By::Http("PORT80")), [handler("NAMED")]);
    assert_eq!(pipeline.transport.of(By::Queue("PORT80")), [handler("ANY")], "its type is http");
    assert_eq!(pipeline.transport.of(By::Http("main")), [handler("HTTP")]);
    assert_eq!(pipeline.transport.of(By::Queue("Q")), [handler("ANY")]);
    let parameters = Some("<level>3</level> more".to_owned());
    assert_eq!(pipeline.handlers, [Handler { program: "FIRST".to_owned(), parameters }]);
    let header = |program: &str, namespace: &str, local_name, is_mandatory| HeaderProgram {
        program: program.to_owned(),
        namespace: namespace.to_owned(),
        local_name,
        is_mandatory,
    };
    let header_programs = vec![
        header("HEAD", "urn:h", LocalName::Prefix("Order".to_owned()), true),
        header("OTHER", "urn:o", LocalName::Exact("one".to_owned()), false),
    ];
    assert_eq!(
        pipeline.terminal,
        Some(Terminal::Soap(SoapHandler { version: Version::Soap12, header_programs }))
    );
    assert_eq!(pipeline.application.as_deref(), Some("OWNAPP"));
    assert_eq!(pipeline.service_parameters.as_deref(), Some("<a>1</a>"));
    assert!(pipeline.username_token);
    let mtom = pipeline.mtom.as_ref().expect("a handler for MTOM");
    assert_eq!((mtom.send, mtom.send_without_parts), (SendMtom::Yes, false));
    let programs: Vec<&str> = pipeline.programs().collect();
    assert_eq!(programs, ["ANY", "HTTP", "NAMED", "FIRST", "HEAD", "OTHER", "OWNAPP"]);
}

#[test]
fn security_is_names_and_passwords_alone() {
    let told = |configuration: &str| {
        let handlers = format!(
            "<service_handler_list>\n<wsse_handler>{configuration}</wsse_handler></service_handler_list>{TERMINAL}"
        );
        let findings = parse(&provider(&handlers, "")).err().unwrap_or_default();
        findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    };
    let configured = |content: &str| {
        told(&format!("<dfhwsse_configuration version=\"1\">{content}</dfhwsse_configuration>"))
    };
    assert_eq!(configured("<authentication trust=\"none\" mode=\"basic\"/>"), "");
    assert_eq!(configured("<authentication mode=\"basic\"/>"), "");
    let basic = "<authentication mode=\"basic\"/>";
    for (content, word) in [
        (
            "<authentication trust=\"blind\" mode=\"basic\"/>",
            "trust=\"blind\" is not supported: every caller shows a password",
        ),
        ("<authentication trust=\"signature\" mode=\"basic\"/>", "trust=\"signature\" is not supported"),
        ("<authentication trust=\"all\" mode=\"basic\"/>", "trust: expected none, found \"all\""),
        ("<authentication mode=\"signature\"/>", "XML signatures are absent"),
        ("<authentication/>", "mode: expected basic, found none"),
        (
            "<authentication mode=\"basic\"><suppress/></authentication>",
            "<suppress> is not supported: credentials are",
        ),
        (&format!("{basic}{basic}"), "expected one <authentication>, found several"),
        (
            &format!("{basic}<sts_endpoint/>"),
            "<sts_endpoint> is not supported: security token services are absent",
        ),
        (
            &format!("{basic}<encrypt_body/>"),
            "<encrypt_body> is not supported: XML signatures and encryption are absent",
        ),
        (&format!("{basic}<reject_signature/>"), "<reject_signature> is not supported"),
        ("", "needs <authentication>"),
    ] {
        let told = configured(content);
        assert!(told.starts_with("line 4: ") && told.contains(word), "{content}: {told}");
    }
    assert!(told("").contains("<wsse_handler> needs <dfhwsse_configuration>"));
    let requester = format!(
        "<requester_pipeline {NAMESPACE}><service><service_handler_list><cics_soap_1.1_handler/><wsse_handler/>\
         </service_handler_list></service></requester_pipeline>"
    );
    let findings = parse(&requester).expect_err("a finding");
    assert!(findings[0].message.contains("[connections] have the credentials"), "{findings:?}");
}

#[test]
fn header_blocks_find_their_programs() {
    let program = |local_name| HeaderProgram {
        program: "P".to_owned(),
        namespace: "urn:h".to_owned(),
        local_name,
        is_mandatory: false,
    };
    let prefix = program(LocalName::Prefix("Order".to_owned()));
    assert!(prefix.takes("urn:h", "Order") && prefix.takes("urn:h", "OrderLine"));
    assert!(!prefix.takes("urn:h", "order") && !prefix.takes("urn:x", "Order"));
    let exact = program(LocalName::Exact("Order".to_owned()));
    assert!(exact.takes("urn:h", "Order") && !exact.takes("urn:h", "OrderLine"));
}

#[test]
fn a_requester_has_its_soap_handler_first_and_its_transport_last() {
    let text = format!(
        "<requester_pipeline {NAMESPACE}><service><service_handler_list><cics_soap_1.1_handler/>\
         <handler><program>OUT</program></handler></service_handler_list></service><transport>\
         <default_transport_handler_list><handler><program>LAST</program></handler></default_transport_handler_list>\
         </transport></requester_pipeline>"
    );
    let pipeline = parse(&text).unwrap_or_else(|findings| panic!("{findings:#?}"));
    assert_eq!((pipeline.role, &pipeline.handlers[..]), (Role::Requester, &[handler("OUT")][..]));
    assert!(pipeline.soap_handler().is_some());
}

/// A provider with this in `service`, and this behind it.
fn provider(service: &str, rest: &str) -> String {
    format!("<provider_pipeline {NAMESPACE}>\n<service>\n{service}</service>\n{rest}</provider_pipeline>")
}

const TERMINAL: &str = "<terminal_handler><cics_soap_1.1_handler/></terminal_handler>\n";

/// Files, each with the line of its fault and words of the message.
fn told(cases: &[(String, usize, &str)]) {
    for (text, line, message) in cases {
        let findings = parse(text).expect_err(text);
        let found = findings.iter().find(|finding| finding.message.contains(message));
        let found = found.unwrap_or_else(|| panic!("{message} is not in {findings:#?} of {text}"));
        assert_eq!(found.line, *line, "{found} of {text}");
    }
}

#[test]
fn attributes_of_other_namespaces_are_those_of_tools() {
    let note = "xmlns:x=\"urn:x\" x:type";
    let transport = format!(
        "<transport><named_transport_entry {note}=\"none\"><name>A</name><transport_handler_list><handler><program>LIST</program>\
         </handler></transport_handler_list></named_transport_entry></transport>"
    );
    let text = provider(TERMINAL, "<apphandler>DFHPITP</apphandler>").replacen(
        "<service>",
        &format!("{transport}<service>"),
        1,
    );
    let pipeline = parse(&text).unwrap_or_else(|found| panic!("{found:#?}"));
    assert_eq!(pipeline.transport.named[0].kind, None);
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    told(&[
        ("<provider_pipeline/>".to_owned(), 1, "in the namespace"),
        (format!("<pipeline {NAMESPACE}/>"), 1, "expected <provider_pipeline> or <requester_pipeline>"),
        (format!("<provider_pipeline {NAMESPACE}/>"), 1, "needs <service>"),
        (provider("", ""), 2, "needs <terminal_handler>"),
        (provider("<terminal_handler/>", ""), 3, "expected one handler"),
        (provider(&format!("{TERMINAL}{TERMINAL}"), ""), 4, "expected one <terminal_handler>, found several"),
        (provider(&format!("{TERMINAL}<service_handler_list/>"), ""), 4, "stands before <terminal_handler>"),
        (provider(TERMINAL, "<transport/>"), 5, "stands before <service>"),
        (provider(TERMINAL, "<apphandler_class>a.B</apphandler_class>"), 5, "Java"),
        (provider("<terminal_handler><cics_soap_1.1_handler_java/></terminal_handler>", ""), 3, "Java"),
        (provider(TERMINAL, "<apphandler>lower</apphandler>"), 5, "expected a program of 1 to 8 characters"),
        (
            provider(TERMINAL, "<apphandler>WAYTOOLONG</apphandler>"),
            5,
            "expected a program of 1 to 8 characters",
        ),
        (provider(TERMINAL, "<apphandler><x/></apphandler>"), 5, "expected text in <apphandler>"),
        (provider(TERMINAL, "stray"), 4, "found text"),
        (provider(TERMINAL, "<apphandler a='1'>X</apphandler>"), 5, "has no attribute 'a'"),
        (provider(TERMINAL, "<other/>"), 5, "found <other>"),
        (
            "<?xml version='1.0'?>\n<!DOCTYPE a [<!ENTITY b 'c'>]>\n<a>&b;</a>".to_owned(),
            2,
            "cannot be read as XML",
        ),
        (provider(TERMINAL, "").replace("</provider_pipeline>", ""), 5, "cannot be read as XML"),
        (
            format!("<provider_pipeline_json {NAMESPACE}/>"),
            1,
            "services of JSON are in apis/, and need no pipeline",
        ),
        ("<provider_pipeline>\n<".to_owned(), 2, "cannot be read as XML"),
        (" ".repeat(PIPELINE_FILE_MAX_BYTES + 1), 1, "expected at most"),
    ]);
}

#[test]
fn what_is_wrong_with_handlers_is_told_with_its_line() {
    told(&[
        (
            provider(
                "<service_handler_list><handler/></service_handler_list>\n<terminal_handler><handler><program>P</program></handler></terminal_handler>",
                "",
            ),
            3,
            "<handler> needs <program>",
        ),
        (
            provider(
                &format!("<service_handler_list><cics_soap_1.1_handler/></service_handler_list>{TERMINAL}"),
                "",
            ),
            3,
            "stands in <terminal_handler>",
        ),
        (
            provider(
                &format!(
                    "<service_handler_list><wsse_handler><dfhwsse_configuration><expect_signed_body/></dfhwsse_configuration></wsse_handler></service_handler_list>{TERMINAL}"
                ),
                "",
            ),
            3,
            "<expect_signed_body> is not supported",
        ),
    ]);
}

#[test]
fn what_is_wrong_with_header_programs_is_told_with_its_line() {
    let header = |content: &str| {
        provider(
            &format!(
                "<terminal_handler><cics_soap_1.1_handler>\n<headerprogram>{content}</headerprogram></cics_soap_1.1_handler></terminal_handler>"
            ),
            "",
        )
    };
    told(&[
        (header("<program_name>P</program_name>"), 4, "<headerprogram> needs"),
        (
            header(
                "<namespace>u</namespace><program_name>P</program_name><localname>x</localname><mandatory>1</mandatory>",
            ),
            4,
            "stands before <namespace>",
        ),
        (
            header(
                "<program_name>P</program_name><namespace>u</namespace><localname>x*y</localname><mandatory>1</mandatory>",
            ),
            4,
            "expected a local name",
        ),
        (
            header(
                "<program_name>P</program_name><namespace>u</namespace><localname>x</localname><mandatory>yes</mandatory>",
            ),
            4,
            "expected true, 1, false or 0",
        ),
    ]);
}

/// A file with these handlers and header programs.
pub(crate) fn file(handlers: &[&str], headers: &[(&str, bool)]) -> String {
    let handlers: String =
        handlers.iter().map(|program| format!("<handler><program>{program}</program></handler>")).collect();
    let headers: String = headers
        .iter()
        .map(|(program, mandatory)| {
            format!(
                "<headerprogram><program_name>{program}</program_name><namespace>urn:{program}</namespace>\
                 <localname>*</localname><mandatory>{mandatory}</mandatory></headerprogram>"
            )
        })
        .collect();
    provider(
        &format!(
            "<service_handler_list>{handlers}</service_handler_list><terminal_handler><cics_soap_1.1_handler>\
             {headers}</cics_soap_1.1_handler></terminal_handler>"
        ),
        "",
    )
}

pub(crate) fn pipeline(text: &str) -> Pipeline {
    parse(text).unwrap_or_else(|findings| panic!("{findings:#?}"))
}

proptest! {
    #[test]
    fn any_text_is_a_pipeline_or_has_findings(text in "(<[a-z_]{1,9}( a='b')?/?>|</[a-z_]{1,9}>|[a-z ]){0,12}") {
        if let Err(findings) = parse(&text) {
            prop_assert!(!findings.is_empty());
        }
    }

    #[test]
    fn handlers_keep_their_order(names in proptest::collection::vec("[A-Z$@#][A-Z0-9]{0,7}", 0..8)) {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let pipeline = pipeline(&file(&names, &[]));
        prop_assert_eq!(pipeline.programs().collect::<Vec<_>>(), names);
    }
}

#[test]
fn programs_of_cics_are_built_in_or_refused_by_name() {
    let header = |program: &str| {
        format!(
            "<cics_soap_1.1_handler>\n<headerprogram><program_name>{program}</program_name><namespace>urn:a</namespace>\
             <localname>*</localname><mandatory>true</mandatory></headerprogram></cics_soap_1.1_handler>"
        )
    };
    let in_provider = |program: &str| {
        provider(
            &format!("<terminal_handler>{}</terminal_handler>", header(program)),
            "<apphandler>DFHPITP</apphandler>",
        )
    };
    // Providers have WS-Addressing anyway.
    let pipeline = pipeline(&in_provider("DFHWSADH"));
    assert_eq!(pipeline.programs().count(), 0);
    let requester = format!(
        "<requester_pipeline {NAMESPACE}>\n<service><service_handler_list>{}</service_handler_list></service></requester_pipeline>",
        header("DFHWSADH")
    );
    let handler = |program: &str| format!("<handler>\n<program>{program}</program></handler>");
    let list = |program: &str| {
        format!("<service_handler_list>{}</service_handler_list>{TERMINAL}", handler(program))
    };
    told(&[
        (requester, 3, "DFHWSADH of CICS is not supported: requests have no blocks of WS-Addressing"),
        (in_provider("DFHWSATH"), 4, "DFHWSATH of CICS is not supported: web service transactions"),
        (in_provider("DFHPITP"), 4, "it stands in <apphandler>"),
        (provider(TERMINAL, "<apphandler>DFHWSATX</apphandler>"), 5, "web service transactions"),
        (provider(&list("DFHWSSE1"), ""), 4, "use <wsse_handler>"),
        (provider(&list("DFHWSADH"), ""), 4, "it is a header program"),
        (
            provider(&format!("<terminal_handler>{}</terminal_handler>", handler("DFHPIJT")), ""),
            4,
            "services of JSON are in apis/",
        ),
    ]);
    // Others may be programs of yours.
    assert!(parse(&in_provider("DFH0XHDR")).is_ok());
}

#[test]
fn what_is_refused_is_told_once() {
    let java = "<terminal_handler>\n<cics_soap_1.1_handler_java><jvmserver>J</jvmserver></cics_soap_1.1_handler_java></terminal_handler>";
    let findings = parse(&provider(java, "")).expect_err("a finding");
    assert_eq!(findings.len(), 1, "{findings:?}");
    let json =
        format!("<provider_pipeline_json {NAMESPACE}><jvmserver>J</jvmserver></provider_pipeline_json>");
    assert_eq!(parse(&json).expect_err("a finding").len(), 1);
}

#[test]
fn files_have_the_encoding_of_where_they_come_from() {
    let file = |declaration: &str| format!("{declaration}\n{}", provider(TERMINAL, "<!-- \u{e4} -->"));
    let ebcdic = |text: &str| {
        let page = codepage::CodePage::by_ccsid(37).expect("CCSID 37");
        let byte = |character| match character {
            '\n' => 0x15,
            character => page.encode_char(character).expect("a character of the page"),
        };
        text.chars().map(byte).collect::<Vec<u8>>()
    };
    let latin = |text: &str| text.chars().map(|character| character as u8).collect::<Vec<u8>>();
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
    let of_cics = file("<?xml version=\"1.0\" encoding=\"EBCDIC-CP-US\"?>");
    for bytes in [
        of_cics.clone().into_bytes(),
        ebcdic(&of_cics),
        ebcdic(&provider(TERMINAL, "")),
        format!("\u{feff}{of_cics}").into_bytes(),
        latin(&file("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>")),
        utf16(&format!("\u{feff}{}", file("<?xml version=\"1.0\" encoding=\"UTF-16\"?>"))),
    ] {
        let text = pipeline::file::text(bytes).unwrap_or_else(|error| panic!("{error}"));
        assert!(text.starts_with('<'), "{text}");
        pipeline(&text);
        // Lines are counted as in the file.
        let findings = parse(&text.replace("terminal_handler", "other")).expect_err("findings");
        assert!(findings.iter().any(|finding| finding.line > 2), "{findings:?}");
    }
    for bytes in
        [latin(&file("")), b"\xFE\xFF<".to_vec(), b"<?xml version='1.0' encoding='martian'?>\xFF".to_vec()]
    {
        assert!(pipeline::file::text(bytes.clone()).is_err(), "{bytes:?}");
    }
}
