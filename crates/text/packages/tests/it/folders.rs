//! Unpacked packages and API projects.

use packages::{Body, Condition, Given, Limits, PackageKind, Project, read_folder};

use crate::made::read;

fn files(entries: &[(&str, &str)]) -> Vec<(String, Vec<u8>)> {
    entries.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
}

const OPENAPI: &str = "openapi: 3.0.0
info: {title: Books, version: 1.0.2}
paths:
  /book/{title}:
    get: {operationId: getBook}
    put: {operationId: putBook}
";

const REQUEST: &str = "version: 1.2
mappings:
- channel:
    mappings:
    - data:
        mappings:
        - title:
            type: \"string\"
            template: \"{{$pathParameters.'title'}}\"
            required: true
            nullable: false
        - pages:
            expression: \"$body.pages\"
            odd: 1
";

const RESPONSE: &str = "version: 1.2
mappings:
- body:
    existsIfEmpty: \"$exists($zosAssetResponse.channel.ok)\"
    foreach:
        input: \"$zosAssetResponse.channel.ok\"
        existsIfEmpty: \"$exists($item)\"
        mappings:
        - title:
            template: \"{{$item.'title'}}\"
";

const RESPONSES: &str = "version: 1.0
response_200.yaml:
  condition: \"$exists($zosAssetResponse.channel.ok)\"
  httpStatusCode: 200
response_500.yaml:
  condition: true
  httpStatusCode: 500
";

fn project() -> Vec<(&'static str, &'static str)> {
    vec![
        ("src/main/api/openapi.yaml", OPENAPI),
        ("src/main/operations/%2Fbook%2F%7Btitle%7D/get/operation.yaml", "version: 1\nzasset: books\n"),
        ("src/main/operations/%2Fbook%2F%7Btitle%7D/get/request.yaml", REQUEST),
        ("src/main/operations/%2Fbook%2F%7Btitle%7D/get/response_200.yaml", RESPONSE),
        ("src/main/operations/%2Fbook%2F%7Btitle%7D/get/response_500.yaml", "version: 1.2\nmappings:\n"),
        ("src/main/operations/%2Fbook%2F%7Btitle%7D/get/response_mapping.yaml", RESPONSES),
        (
            "src/main/zosAssets/books/zosAsset.yaml",
            "type: cicsChannel-1.1\ndescription: ''\nproviderProperties:\n  program: BOOKS\n  ccsid: '037'\n",
        ),
        ("src/main/zosAssets/books/providerFiles/transform.wsbind", "x"),
        ("src/main/config/options.yaml", "provider: CICS\nccsid: 037\n"),
    ]
}

#[test]
fn a_project_is_read_into_its_model() {
    let project = Project::read(&files(&project()), &Limits::default()).expect("a project");
    assert_eq!((project.title.as_str(), project.version.as_str()), ("Books", "1.0.2"));
    assert_eq!(project.options["ccsid"], "037");
    let asset = &project.assets[0];
    assert_eq!((asset.name.as_str(), asset.properties["program"].as_str()), ("books", "BOOKS"));
    assert_eq!(asset.files, ["src/main/zosAssets/books/providerFiles/transform.wsbind"]);
    let operation = &project.operations[0];
    assert_eq!((operation.method.as_str(), operation.path.as_str()), ("get", "/book/{title}"));
    let Body::Object(channel) = &operation.request[0].body else { panic!("an object") };
    let Body::Object(data) = &channel[0].body else { panic!("an object") };
    let Body::Template(template) = &data[0].body else { panic!("a template") };
    assert_eq!((template.text.as_str(), template.line), ("{{$pathParameters.'title'}}", 9));
    assert_eq!((data[0].required, data[0].nullable), (Some(true), Some(false)));
    let [first, last] = operation.responses.as_slice() else { panic!("two responses") };
    assert!(matches!(&first.condition, Condition::When(when) if when.line == 3), "{first:?}");
    assert_eq!((&last.condition, last.status), (&Condition::Always, 500));
    let Body::Each { input, body, .. } = &first.mappings[0].body else { panic!("a loop") };
    assert_eq!(input.text, "$zosAssetResponse.channel.ok");
    assert!(matches!(&**body, Body::Object(inner) if inner[0].name == "title"));
    let notes: String = project.notes().iter().map(|note| format!("{note}\n")).collect();
    for part in
        ["request.yaml:14: pages: 'odd' is unknown", "openapi.yaml:6: put /book/{title} has no mapping"]
    {
        assert!(notes.contains(part), "{part} in\n{notes}");
    }
    let package =
        read_folder(&files(&self::project()), &Limits::default(), &Given::default()).expect("a package");
    assert_eq!((package.kind, package.name.as_str()), (PackageKind::Project, "Books"));
    let paths: Vec<&str> = package.files().iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths[..2], ["apis/Books/api.toml", "apis/Books/api/openapi.yaml"]);
    assert!(paths.contains(&"apis/Books/zosAssets/books/zosAsset.yaml"), "{paths:?}");
}

#[test]
fn a_mapping_of_nothing_may_have_an_item_without_a_name() {
    let mut entries = project();
    let response = entries.iter_mut().find(|(path, _)| path.ends_with("response_500.yaml")).expect("a file");
    response.1 = "---\nmappings:\n- {}\nversion: 1\n";
    let project = Project::read(&files(&entries), &Limits::default()).expect("a project");
    assert!(project.operations[0].responses[1].mappings.is_empty());
}

#[test]
fn a_response_without_a_condition_is_never_the_answer() {
    let mut entries = project();
    let mapping =
        entries.iter_mut().find(|(path, _)| path.ends_with("response_mapping.yaml")).expect("a file");
    mapping.1 = "version: '1.0'\nresponse_400.yaml:\n  httpStatusCode: 400\nresponse_500.yaml:\n  condition: true\n  httpStatusCode: 500\n";
    let project = Project::read(&files(&entries), &Limits::default()).expect("a project");
    let statuses: Vec<u16> = project.operations[0].responses.iter().map(|response| response.status).collect();
    assert_eq!(statuses, [500]);
    let notes: String = project.notes().iter().map(|note| format!("{note}\n")).collect();
    assert!(notes.contains("response_mapping.yaml:3: response_400.yaml: it has no condition"), "{notes}");
}

#[test]
fn an_answer_whose_status_has_no_body_has_none() {
    let with = |mapping: &'static str| {
        let mut entries = project();
        for (path, text) in &mut entries {
            if path.ends_with("response_mapping.yaml") {
                *text = "response_500.yaml: {condition: true, httpStatusCode: 204}\n";
            } else if path.ends_with("response_500.yaml") {
                *text = mapping;
            }
        }
        let project = Project::read(&files(&entries), &Limits::default()).expect("a project");
        assert!(project.operations[0].responses[0].mappings.is_empty());
        project.notes().iter().map(|note| format!("{note}\n")).collect::<String>()
    };
    let notes = with("mappings:\n- body:\n    mappings: []\n");
    assert!(!notes.contains("has no body"), "{notes}");
    let notes = with("mappings:\n- body:\n    template: 'gone'\n");
    assert!(notes.contains("response_500.yaml:3: an answer with status 204 has no body"), "{notes}");
}

#[test]
fn a_project_of_an_api_requester_is_told_its_command() {
    let refused = |path: &str| {
        let folder = [(path, "openapi: 3.0.0\n"), ("build.gradle", "")];
        read_folder(&files(&folder), &Limits::default(), &Given::default()).expect_err("a fault")[0]
            .to_string()
    };
    let told = refused("src/main/api/books.yaml");
    assert!(told.ends_with("gantry import requester src/main/api/books.yaml"), "{told}");
    assert!(refused("src/main/other/books.yaml").ends_with("nor api/openapi.yaml"));
}

#[test]
fn faults_of_a_project_have_their_places() {
    let with = |end: &str, text: &'static str| {
        let mut entries = project();
        entries.iter_mut().filter(|(path, _)| path.ends_with(end)).for_each(|entry| entry.1 = text);
        let faults = Project::read(&files(&entries), &Limits::default()).expect_err("a fault");
        faults.iter().map(|fault| format!("{fault}\n")).collect::<String>()
    };
    assert!(
        with("operation.yaml", "zasset: other\n").contains("operation.yaml:1: there is no asset 'other'")
    );
    assert!(with("operation.yaml", "version: 1\n").contains("names no zasset"));
    assert!(with("openapi.yaml", "info: {}\n").contains("has no operation get /book/{title}"));
    assert!(with("zosAsset.yaml", "a: b\n").contains("has no type"));
    assert!(with("request.yaml", "a: b\n").contains("expected 'mappings'"));
    assert!(
        with("request.yaml", "mappings:\n- a: {template: \"{{x\"}\n").contains("request.yaml:2: a: braces")
    );
    assert!(
        with("request.yaml", "mappings:\n- a: {template: x, expression: y}\n")
            .contains("both template and expression")
    );
    assert!(
        with("request.yaml", "mappings:\n- a: {foreach: {template: x}}\n").contains("foreach without input")
    );
    assert!(with("request.yaml", "mappings:\n- a: {required: maybe}\n").contains("expected true or false"));
    assert!(with("request.yaml", "mappings:\n- a: {}\n  b: {}\n").contains("expected one name"));
    assert!(
        with("response_mapping.yaml", "r.yaml: {condition: true, httpStatusCode: 99}\n")
            .contains("not a status")
    );
    assert!(
        with("response_mapping.yaml", "r.yaml: {condition: [], httpStatusCode: 200}\n")
            .contains("expected a condition, or true")
    );
    assert!(
        with("response_mapping.yaml", "r.yaml: {httpStatusCode: 200}\n").contains("no response is named")
    );
    assert!(with("response_mapping.yaml", "version: 1\n").contains("no response is named"));
    let nothing = Project::read(&files(&[("a.txt", "")]), &Limits::default()).expect_err("a fault");
    assert!(nothing[0].message.contains("api/openapi.yaml"));
}

#[test]
fn folders_have_the_limits_of_archives() {
    let refused = |entries: &[(&str, &str)], limits: &Limits| {
        read_folder(&files(entries), limits, &Given::default()).expect_err("a fault")[0].to_string()
    };
    let limits = Limits::default();
    assert!(
        refused(&[("a", "123")], &Limits { package_max_bytes: 2, ..limits }).contains("package_max_bytes")
    );
    assert!(refused(&[("a", "123")], &Limits { entry_max_bytes: 2, ..limits }).contains("entry_max_bytes"));
    assert!(
        refused(&[("a", ""), ("b", "")], &Limits { entry_count_max: 1, ..limits })
            .contains("entry_count_max")
    );
    assert!(refused(&[("../a", "")], &limits).contains("the name"));
    assert!(refused(&[("a", "")], &limits).contains("expected a package"));
}

#[test]
fn other_xml_is_no_server() {
    let fault = &read(b"<beans/>").expect_err("a fault")[0];
    assert!(fault.message.contains("found <beans>"), "{fault}");
}

/// A service project of the API toolkit is read as the archive that is made of it, in a folder and packed with its folder.
#[test]
fn a_service_project_is_read_as_its_archive_is() {
    let fields = crate::made::field("A", Some(1), 4, "", &crate::made::datatype("CHAR"));
    let interface = crate::made::interface("ORDER", 4, &fields);
    let properties = "#Mon Jun 29\nname=orders\nversion=1.0.1\ndescription=Orders\\: all\nprovider=cics\n\
                      servicetype=cicsCommarea\nexecutableName=ORDPGM\nconnectionRef=\nccsid=1047\n\
                      requestSIName=ORD.si\nresponseSIName=ORD.si\ninitializeInputFields=false\n";
    let entries = [
        ("service.properties", properties),
        ("service-interfaces/ORD.si", interface.as_str()),
        ("bin/orders.xml", "<x/>"),
        (".project", "<x/>"),
    ];
    let files: Vec<(String, Vec<u8>)> =
        entries.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
    let folder = packages::read_folder(&files, &packages::Limits::default(), &packages::Given::default());
    let folder = folder.expect("a package");
    assert_eq!((folder.name.as_str(), folder.version.as_str()), ("orders", "1.0.1"));
    assert_eq!(folder.description, "Orders: all");
    let text = crate::made::text(&folder, "services/orders.toml");
    for line in ["ccsid = 1047", "program = \"ORDPGM\"", "initialise = \"values_or_low_values\""] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
    assert!(folder.notes().is_empty(), "{:?}", folder.notes());
    let packed: Vec<(String, &str)> =
        entries.iter().map(|(path, text)| (format!("ordersProject/{path}"), *text)).collect();
    let packed = crate::made::read(&crate::made::archive(&packed)).expect("a package");
    assert_eq!(packed.files(), folder.files());
    let nameless = [("service.properties", "name=orders\nrequestSIName=ORD.si\n")];
    let faults = crate::made::faults(&crate::made::archive(&nameless));
    assert!(faults.contains("service.properties: the property responseSIName is missing"), "{faults}");
}
