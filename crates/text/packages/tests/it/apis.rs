//! API and API requester archives: operations, mappings, parameters, and their notes.

use packages::PackageKind;

use crate::made::{archive, faults, notes, read, service_entries, text};

fn mapping(default_status: &str, responses: &str) -> String {
    format!(
        "<ns2:ZosConnectServiceMapping xmlns:ns2=\"http://www.ibm.com/zosConnect/2.0/zosConnectServiceMapping\">\n\
         <mappingContext basePath=\"/shop\" method=\"PUT\" serviceName=\"orders\" {default_status}/>\n\
         <requestMessage><mappingRootModel type=\"MSL\" location=\"api\\o\\PUT\\request.map\"/></requestMessage>\n\
         {responses}</ns2:ZosConnectServiceMapping>"
    )
}

fn map(side: &str, root: &str, steps: &str) -> String {
    format!(
        "<mappingRoot xmlns=\"http://www.ibm.com/2008/ccl/Mapping\"><inlinedXMLSchema><![CDATA[<x/>]]></inlinedXMLSchema>\
         <mappingDeclaration name=\"m\"><{side} path=\"$root/{root}\"/><passthrough><updates>\n{steps}</updates></passthrough>\
         </mappingDeclaration></mappingRoot>"
    )
}

const PACKAGE: &str = "<zosConnectApi xmlns=\"http://www.ibm.com/zosConnect/2.0/zosConnectApi\" id=\"shop\">\n\
    <apiSpec title=\"The shop\" basePath=\"/shop\" description=\"d\" version=\"2.0\">\n\
    <path relativePath=\"/o/{id}\"><method type=\"PUT\" zosConnectServiceRef=\"orders\" \
    httpXformFile=\"api/o/PUT/mapping.xml\" operationId=\"putOrders\"/></path>\n\
    <apiDoc docType=\"SWAGGER\">api-docs/swagger.json</apiDoc></apiSpec></zosConnectApi>";

const SWAGGER: &str = r#"{"paths":{"/o/{id}":{"put":{"summary":"Change","description":"Changes an order","parameters":[
    {"name":"Authorization","in":"header","required":false},{"name":"id","in":"path","required":true,"description":"The id"},
    {"name":"dry","in":"query","required":true},{"name":"lost","in":"query"},{"name":"X-Why","in":"header"}]}}}}"#;

fn shop(request: &str, responses: &str, response: &str) -> Vec<(&'static str, String)> {
    vec![
        ("package.xml", PACKAGE.to_owned()),
        ("api-docs\\swagger.json", SWAGGER.to_owned()),
        ("api/o/PUT/mapping.xml", mapping("defaultResponseCode=\"201\"", responses)),
        ("api/o/PUT/request.map", map("output", "ORDER", request)),
        ("api/o/PUT/response.map", map("input", "ORDER", response)),
    ]
}

const RESPONSES: &str = "<responseMessages code=\"404\" description=\"none\"><rule x=\"y\"/></responseMessages>\n\
    <responseMessages code=\"201\"><mappingRootModel type=\"MSL\" location=\"api/o/PUT/response.map\"/></responseMessages>\n";

fn step(name: &str, input: &str, output: &str) -> String {
    let input = if input.is_empty() { String::new() } else { format!("<input {input}/>") };
    let end = name.split(' ').next().unwrap_or(name);
    format!("<{name}>{input}<output {output}/></{end}>\n")
}

#[test]
fn every_action_is_carried_over() {
    let request = [
        step("move", "httpIn=\"path\" path=\"PathParameters/id\"", "httpIn=\"body\" path=\"orderId\""),
        step("move", "httpIn=\"query\" path=\"QueryParameters/dry\"", "path=\"flags/dry\""),
        step("move", "httpIn=\"header\" path=\"Headers/X-Why\"", "path=\"why\""),
        step("assign value=\"A&quot;1\"", "", "omitFromInterface=\"true\" path=\"kind\""),
        step("assign value=\"EUR\"", "", "path=\"currency\""),
        step("assign", "", "omitFromInterface=\"true\" path=\"user\""),
        step("remove", "", "omitFromInterface=\"true\" path=\"a/b\""),
        "<task>later</task>\n".to_owned(),
    ]
    .concat();
    let response = [
        step("remove", "", "path=\"Body/ORDER/secret\""),
        step("move", "path=\"taskId\"", "httpIn=\"header\" path=\"Headers/X-Task\""),
        step("assign value=\"g\"", "", "path=\"Headers/X-Origin\""),
    ]
    .concat();
    let package = read(&archive(&shop(&request, RESPONSES, &response))).expect("a package");
    assert_eq!((package.kind, package.name.as_str()), (PackageKind::Api, "shop"));
    let expected = r#"# Made of the API archive shop
title = "The shop"
version = "2.0"
description = "d"
base_path = "/shop"

[[operation]]
method = "PUT"
path = "/o/{id}"
service = "orders"
operation_id = "putOrders"
summary = "Change"
description = "Changes an order"

[operation.request]
move = [
    { from = "path.id", to = "/orderId", description = "The id" },
    { from = "query.dry", to = "/flags/dry", required = true },
    { from = "header.X-Why", to = "/why" },
]
assign = { "/kind" = "A\"1" }
default = { "/currency" = "EUR" }
remove = ["/user", "/a/b"]

[operation.response]
status = 201
remove = ["/secret"]
headers = { X-Task = { field = "/taskId" }, X-Origin = { value = "g" } }
"#;
    assert_eq!(text(&package, "apis/shop/api.toml"), expected);
    let notes = notes(&package);
    for part in [
        "mapping.xml:4: PUT /o/{id}: the response 404 is not imported: <rule> is not known; where its rules hold, 201 is given",
        "package.xml:3: PUT /o/{id}: the query parameter 'lost'",
    ] {
        assert!(notes.contains(part), "{part} in\n{notes}");
    }
    assert!(!notes.contains("Authorization"), "{notes}");
}

#[test]
fn rules_choose_responses() {
    let responses = "<responseMessages code=\"404\" description=\"No such order\"><rules operator=\"OR\">\n\
        <rule name=\"Rule 1\" path=\"ORDER/returnCode\" operator=\"=\" value=\"20\"/>\n\
        <rule name=\"Rule 2\" path=\"Body/ORDER/text\" operator=\"Starts with\" value=\"NOT &quot;\"/></rules>\n\
        <mappingRootModel type=\"MSL\" location=\"api/o/PUT/response.map\"/></responseMessages>\n\
        <responseMessages code=\"201\" description=\"OK\"/>\n\
        <responseMessages code=\"500\"><rule path=\"ORDER/returnCode\" operator=\"&gt;\" value=\"20\"/></responseMessages>\n";
    let package =
        read(&archive(&shop("", responses, &step("remove", "", "path=\"secret\"")))).expect("a package");
    let expected = r#"
[operation.response]
status = 201
description = "OK"

[[operation.responses]]
when = [
    { field = "/returnCode", is = "=", value = "20" },
    { field = "/text", is = "starts_with", value = "NOT \"" },
]
match = "any"
status = 404
description = "No such order"
remove = ["/secret"]

[[operation.responses]]
when = [
    { field = "/returnCode", is = ">", value = "20" },
]
status = 500
"#;
    let file = text(&package, "apis/shop/api.toml");
    assert!(file.ends_with(expected), "{file}");
    assert!(!notes(&package).contains("not imported"), "{}", notes(&package));
}

/// What nothing here reads is named, and nothing is dropped in silence.
#[test]
fn entries_that_are_not_read_are_told() {
    let mut entries = shop("", RESPONSES, "");
    for name in
        ["WEB-INF/web.xml", "cics.xml", "ws-binds/putOrders.wsbind", "README.md", "services/x/schemas/q.json"]
    {
        entries.push((name, "x".to_owned()));
    }
    let notes = notes(&read(&archive(&entries)).expect("a package"));
    assert!(notes.contains("WEB-INF/web.xml: is not read, and nothing of it is imported"), "{notes}");
    assert!(notes.contains("cics.xml: is not read"), "{notes}");
    assert!(notes.contains("ws-binds/putOrders.wsbind: ignored: a bind file has no layout"), "{notes}");
    assert!(
        !notes.contains("README") && !notes.contains("q.json") && !notes.contains("package.xml: is"),
        "{notes}"
    );
}

#[test]
fn what_has_no_counterpart_is_told() {
    let request = [
        step("concat", "path=\"a\"", "path=\"b\""),
        step("move", "path=\"Body/ORDER/a\"", "path=\"b\""),
        step("assign value=\"x\"", "", "path=\"Headers/X\""),
    ]
    .concat();
    let response = [
        step("move", "path=\"a\"", "path=\"Body/ORDER/b\""),
        step("assign value=\"x\"", "", "path=\"Body/ORDER/a\""),
    ];
    let package = read(&archive(&shop(&request, RESPONSES, &response.concat()))).expect("a package");
    let notes = notes(&package);
    for part in [
        "request.map:2: PUT /o/{id}: the step <concat>",
        "request.map:3: PUT /o/{id}: a move within the body",
        "a value for a header of the request",
        "response.map:2: PUT /o/{id}: a move within the body",
        "a value for a field of the response",
        "the path parameter 'id' is moved to no field",
    ] {
        assert!(notes.contains(part), "{part} in\n{notes}");
    }
}

#[test]
fn a_whole_service_in_the_archive_comes_with_it() {
    let fields = crate::made::field("A", Some(1), 4, "", &crate::made::datatype("CHAR"));
    let interface = crate::made::interface("ORDER", 4, &fields);
    let mut entries: Vec<(String, String)> =
        shop("", RESPONSES, "").into_iter().map(|(name, text)| (name.to_owned(), text)).collect();
    for (name, text) in service_entries(&interface, &[]) {
        entries.push((format!("services/orders/{name}"), text));
    }
    entries.push(("services/other/manifest.yml".to_owned(), "name: other\n".to_owned()));
    let package = read(&archive(&entries)).expect("a package");
    let paths: Vec<&str> = package.files().iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["apis/shop/api.toml", "services/orders.toml", "copybooks/orders/ORD.cpy"]);
    assert!(notes(&package).contains("of the service other there are only the schemas"));
}

#[test]
fn faults_have_their_places() {
    let with = |name: &str, text: &str| {
        let mut entries = shop("", RESPONSES, "");
        entries.iter_mut().filter(|(known, _)| *known == name).for_each(|entry| entry.1 = text.to_owned());
        faults(&archive(&entries))
    };
    assert!(with("package.xml", "<a/>").contains("package.xml:1: expected a zosConnectApi"));
    assert!(
        with("package.xml", &PACKAGE.replace("id=\"shop\"", "id=\"../shop\""))
            .contains("cannot be that of a file")
    );
    assert!(
        with("package.xml", &PACKAGE.replace("PUT\" zos", "TRACE\" zos"))
            .contains("TRACE /o/{id}: the method")
    );
    assert!(with("package.xml", &PACKAGE.replace("zosConnectServiceRef", "x")).contains("calls no service"));
    assert!(with("api-docs\\swagger.json", "{").contains("api-docs/swagger.json:1"));
    assert!(with("api/o/PUT/mapping.xml", "<a/>").contains("expected a ZosConnectServiceMapping"));
    assert!(
        with("api/o/PUT/mapping.xml", &mapping("defaultResponseCode=\"9\"", ""))
            .contains("'9' is not a status")
    );
    assert!(with("api/o/PUT/request.map", "<a>").contains("request.map:1: <a> is not closed"));
    let step = map("output", "ORDER", &step("remove", "", "path=\"a//b\""));
    assert!(with("api/o/PUT/request.map", &step).contains("request.map:2: 'a//b' is the path of no field"));
}

fn requester(response: &str) -> Vec<u8> {
    let description = "<zosConnectApi id=\"rules\" packageType=\"requester\"><apiSpec title=\"r\" basePath=\"/r\" \
        connectionRef=\"c\"><path relativePath=\"/rule\"><method type=\"GET\" operationId=\"rule\" \
        httpXformFile=\"api/m.xml\"/></path></apiSpec></zosConnectApi>";
    let mapping = "<ZosConnectServiceMapping><requestMessage><mappingRootModel type=\"MSL\" location=\"api/r.map\"/>\
        </requestMessage></ZosConnectServiceMapping>";
    let map = "<mappingRoot><mappingDeclaration><move><input path=\"ReqQueryParameters/kind\"/><output \
        path=\"QueryParameters/kind\"/></move></mappingDeclaration></mappingRoot>";
    let request = r#"{"type":"object","required":["ReqQueryParameters"],"properties":{"ReqQueryParameters":
        {"type":"object","required":["kind","amount"],"properties":{"kind":{"type":"string"},"amount":{"type":"number"}}}}}"#;
    archive(&[
        ("package.xml", description),
        ("api/m.xml", mapping),
        ("api/r.map", map),
        ("services/rule/schemas/rule_request.json", request),
        ("services/rule/schemas/rule_200_response.json", response),
    ])
}

const RULE: &str = r#"{"type":"object","required":["RespBody"],"properties":{"RespBody":
    {"type":"object","properties":{"reason":{"type":"string"}}}}}"#;

fn given(request: &str, response: &str) -> packages::Given {
    let copybook = |name: &str, text: &str| packages::GivenCopybook {
        name: name.to_owned(),
        file: format!("{name}.cpy"),
        text: text.to_owned(),
    };
    packages::Given {
        copybooks: vec![copybook("rule.REQUEST", request), copybook("rule.RESPONSE", response)],
    }
}

/// As z/OS Connect's build toolkit makes it: no level 01, lengths, boundaries.
const RULE_REQUEST: &str = "           06 ReqQueryParameters.\n             09 kind-length   PIC S9999 COMP-5 SYNC.\n\
             09 kind          PIC X(255).\n             09 amount        COMP-2 SYNC.\n";
const RULE_RESPONSE: &str = "           06 RespBody.\n             09 reason-num      PIC S9(9) COMP-5 SYNC.\n\
             09 reason.\n               12 reason2-length PIC S9999 COMP-5\n            SYNC.\n\
               12 reason2        PIC X(255).\n";

/// Lengths, counters and floating point of copybooks that programs have are laid out by the schemas, if they are the same.
#[test]
fn copybooks_of_the_build_toolkit_fit_or_are_refused() {
    let read = |request: &str, response: &str| {
        packages::read_with(
            "rules.ara",
            &requester(RULE),
            &packages::Limits::default(),
            &given(request, response),
        )
    };
    let package = read(RULE_REQUEST, RULE_RESPONSE).expect("a package");
    let file = text(&package, "requesters/rules/requester.toml");
    for part in [
        "ccsid = 819\n",
        "[structures]\ninline_max_occurs = 1\nsynchronized_floats = true\nunknown_fields = \"ignore\"\n",
        "request_schema = \"rule-request.json\"\nresponse_schema = \"rule-response.json\"\n",
        "status = \"200\"\nmember = \"RespBody\"\n",
    ] {
        assert!(file.contains(part), "{part}\nin\n{file}");
    }
    assert_eq!(text(&package, "copybooks/rules/rule-response.cpy"), RULE_RESPONSE);
    let other = RULE_RESPONSE.replace("X(255)", "X(40)");
    let faults = read(RULE_REQUEST, &other).expect_err("another layout");
    let told = faults.iter().map(ToString::to_string).collect::<String>();
    assert!(
        told.contains("rule.RESPONSE.cpy: rule: the copybook has REASON-NUM, as DFHJS2LS makes it, but"),
        "{told}"
    );
    assert!(told.contains("with 255 bytes, found REASON2 at 6 with 40 bytes"), "{told}");
    // A record is one as before.
    let record = "       01  R.\n           05  KIND    PIC X(8).\n           05  AMOUNT  PIC 9(5).\n";
    let package = read(record, "       01  A.\n           05  REASON  PIC X(9).\n").expect("a package");
    assert!(!text(&package, "requesters/rules/requester.toml").contains("structures"));
}
