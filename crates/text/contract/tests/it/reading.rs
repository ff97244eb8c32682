//! Accepted documents, and the messages for refused ones.

use contract::{Contract, Limits, Location, Requirement, SecurityKind, Status, Version, json_content};
use http::Method;

use crate::setting::{contract, document, only, problems, with_body};

#[test]
fn everything_in_a_document_is_read() {
    let contract = contract(
        r##"{"openapi": "3.0.3", "info": {"title": "Books", "version": "1.2", "description": "D"},
        "servers": [{"url": "https://{host}:8080/{base}/", "variables": {"host": {"default": "h"}, "base": {"default": "api/v1"}}}],
        "security": [{"key": []}], "x-ibm-zcon-roles-allowed": ["Reader"],
        "components": {
            "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}, "jwt": {"type": "http", "scheme": "Bearer"}},
            "requestBodies": {"Book": {"required": true, "content": {"text/xml": {}, "application/json; charset=utf-8": {"schema": {"type": "object"}}}}},
            "responses": {"Fine": {"description": "fine", "headers": {"X-A": {"schema": {"type": "string"}}},
                "content": {"application/json": {"schema": {"type": "array"}}}}}},
        "paths": {"/books/{isbn}": {
            "parameters": [{"name": "isbn", "in": "path", "required": true, "schema": {"type": "string"}}],
            "get": {"operationId": "getBook", "summary": "S", "description": "D", "tags": ["a", "b"], "deprecated": true,
                "responses": {"200": {"$ref": "#/components/responses/Fine"}, "4XX": {"description": "wrong"}, "default": {"description": "other"}}},
            "put": {"requestBody": {"$ref": "#/components/requestBodies/Book"}, "security": [{"jwt": ["write"], "key": []}, {}],
                "x-ibm-zcon-roles-allowed": ["Writer"], "responses": {"204": {"description": "done"}}}},
            "x-other": {}}}"##,
    );
    assert_eq!((contract.version(), contract.base_path()), (Version::OpenApi30, "/api/v1"));
    assert_eq!(contract.info().title, "Books");
    let [get, put] = contract.operations() else { panic!("two operations") };
    assert_eq!(
        (&get.method, get.path.as_str(), get.id.as_deref()),
        (&Method::GET, "/books/{isbn}", Some("getBook"))
    );
    assert_eq!(
        (get.summary.as_deref(), get.tags.join(" "), get.deprecated),
        (Some("S"), "a b".to_owned(), true)
    );
    assert_eq!((get.parameters[0].location, get.parameters[0].required), (Location::Path, true));
    assert_eq!(get.place.pointer, "#/paths/~1books~1{isbn}/get");
    let statuses: Vec<Status> = get.responses.iter().map(|response| response.status).collect();
    assert_eq!(statuses, [Status::Code(200), Status::Class(4), Status::Default]);
    let described = |status: u16| get.response(status).map(|response| response.description.as_str());
    assert_eq!([200, 404, 500].map(described), [Some("fine"), Some("wrong"), Some("other")]);
    assert_eq!(get.responses[0].headers[0].name, "X-A");
    let requirement = |names: &[(&str, &[&str])]| Requirement {
        schemes: names
            .iter()
            .map(|(name, scopes)| {
                ((*name).to_owned(), scopes.iter().map(|scope| (*scope).to_owned()).collect())
            })
            .collect(),
    };
    assert_eq!(get.security, [requirement(&[("key", &[])])]);
    assert_eq!(put.security, [requirement(&[("jwt", &["write"]), ("key", &[])]), requirement(&[])]);
    assert_eq!(get.roles_allowed.as_deref(), Some(&["Reader".to_owned()][..]));
    assert_eq!(put.roles_allowed.as_deref(), Some(&["Writer".to_owned()][..]));
    let kinds: Vec<&SecurityKind> = contract.security_schemes().iter().map(|scheme| &scheme.kind).collect();
    let key = SecurityKind::ApiKey { location: Location::Header, name: "X-Key".to_owned() };
    assert_eq!(kinds, [&key, &SecurityKind::Http("bearer".to_owned())]);
    let body = put.body.as_ref().expect("a body");
    let json = json_content(&body.content).map(|content| content.media_type.as_str());
    assert_eq!((body.required, json), (true, Some("application/json")));
}

#[test]
fn swagger_is_read_too() {
    let contract = contract(
        r##"{"swagger": "2.0", "info": {"title": "T", "version": "1"}, "basePath": "/v2/", "consumes": ["application/json"],
        "securityDefinitions": {"b": {"type": "basic"}},
        "definitions": {"Pet": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string", "x-nullable": true}}}},
        "paths": {"/pets": {"post": {"parameters": [
            {"name": "limit", "in": "query", "type": "integer", "maximum": 5, "required": true},
            {"name": "ids", "in": "query", "type": "array", "items": {"type": "integer"}, "collectionFormat": "pipes"},
            {"name": "all", "in": "query", "type": "array", "items": {"type": "string"}, "collectionFormat": "multi"},
            {"name": "pet", "in": "body", "required": true, "schema": {"$ref": "#/definitions/Pet"}}],
            "produces": ["application/vnd.x+json"],
            "responses": {"200": {"description": "fine", "schema": {"$ref": "#/definitions/Pet"},
                "headers": {"X-A": {"type": "integer"}}}}}}}}"##,
    );
    assert_eq!((contract.version(), contract.base_path()), (Version::Swagger20, "/v2"));
    let operation = only(&contract);
    let names: Vec<&str> = operation.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    assert_eq!(names, ["limit", "ids", "all"]);
    assert_eq!(operation.responses[0].content[0].media_type, "application/vnd.x+json");
    let headers = http::HeaderMap::new();
    let parts = |query| contract::RequestParts { path: &[], query, headers: &headers };
    let options = contract::Options::default();
    let read =
        contract.parameters(operation, &parts("limit=5&ids=1|2&all=a&all=b"), &options).expect("parameters");
    assert_eq!(crate::setting::json(&read.query.into()), r#"{"limit":5,"ids":[1,2],"all":["a","b"]}"#);
    let wrong = contract.parameters(operation, &parts("limit=6"), &options).expect_err("too many");
    assert_eq!(wrong[0].to_string(), "query parameter limit: expected at most 5, found 6");
    assert!(contract.body(operation, br#"{"name": null}"#, &options).is_ok());
    let wrong = contract.body(operation, b"{}", &options).expect_err("no name");
    assert_eq!(wrong[0].to_string(), "expected the member 'name', found none");
    assert!(contract.body(operation, b"", &options).is_err());
}

#[test]
fn other_documents_are_refused() {
    for (text, expected) in [
        ("", "expected JSON"),
        ("\u{0}", "expected JSON"),
        ("[]", "found an array"),
        ("{}", "neither the member 'openapi' nor 'swagger'"),
        (r#"{"openapi": "3.2.0"}"#, "found openapi: 3.2.0"),
        (r#"{"openapi": "3.01"}"#, "found openapi: 3.01"),
        (r#"{"openapi": 3.1}"#, "found openapi: 3.1 without quotes"),
        (r#"{"swagger": "1.2"}"#, "found swagger: 1.2"),
        (r#"{"openapi": "3.1.0", "info": []}"#, "#/info: expected an object, found an array"),
        (
            r#"{"openapi": "3.1.0", "info": {"version": "1"}, "paths": {}}"#,
            "expected the member 'title', found none",
        ),
        (
            r#"{"openapi": "3.1.0", "info": {"title": 1, "version": "1"}, "paths": {}}"#,
            "expected a string, found 1",
        ),
        (
            r#"{"openapi": "3.1.0", "info": {"title": "t", "version": "1"}}"#,
            "expected the member 'paths', found none",
        ),
    ] {
        let found = problems(text).join("\n");
        assert!(found.contains(expected), "{text}: {found}");
    }
    let problems = Contract::read(b"\xff", &Limits::default()).expect_err("no UTF-8");
    assert!(problems[0].message.contains("expected UTF-8"));
}

#[test]
fn of_two_paths_for_the_same_requests_the_first_counts() {
    let answer = "{\"responses\": {\"200\": {\"description\": \"x\"}}}";
    let parameter = |name: &str| {
        format!("[{{\"name\": \"{name}\", \"in\": \"path\", \"required\": true, \"schema\": {{}}}}]")
    };
    let contract = contract(&format!(
        "{{\"openapi\": \"3.1.0\", \"info\": {{\"title\": \"t\", \"version\": \"1\"}}, \"paths\": {{\n\
         \"/c/{{x}}\": {{\"parameters\": {}, \"get\": {answer}}},\n\
         \"/c/{{y}}\": {{\"parameters\": {}, \"get\": {answer}, \"put\": {answer}}}}}}}",
        parameter("x"),
        parameter("y"),
    ));
    let hidden: Vec<Option<&str>> =
        contract.operations().iter().map(|operation| operation.hidden_by.as_deref()).collect();
    assert_eq!(hidden, [None, Some("GET /c/{x}"), None]);
    let warnings: Vec<String> = contract.warnings().iter().map(ToString::to_string).collect();
    let expected = "line 3: #/paths/~1c~1{y}: the path '/c/{y}' matches the same requests as '/c/{x}', which comes first";
    assert_eq!(warnings, [expected]);
}

#[test]
fn all_problems_are_told_with_pointer_and_line() {
    let text = "{\"openapi\": \"3.1.0\", \"info\": {\"title\": \"t\", \"version\": \"1\"}, \"paths\": {\n\
        \"/a\": {\"get\": {\"responses\": {\"20\": {\"description\": \"x\"}}}},\n\
        \"b\": {},\n\
        \"/c/{x}\": {\"get\": {\"operationId\": \"i\", \"responses\": {}}},\n\
        \"/c/{y}\": {\"get\": {\"operationId\": \"i\", \"responses\": {\"200\": {}}}},\n\
        \"/d/{x}/{x}\": {}, \"/e/{\": {},\n\
        \"/f\": {\"get\": 1, \"put\": {\"security\": [{\"no\": []}], \"tags\": 1, \"responses\": {\"200\": {\"$ref\": \"x.json\"}}}}}}";
    let found = problems(text);
    let expected = [
        "line 2: #/paths/~1a/get/responses/20: expected a status, a class like 4XX, or 'default', found '20'",
        "line 2: #/paths/~1a/get/responses: expected at least one response, found none",
        "line 3: #/paths/b: the path 'b': expected a slash at its beginning",
        "line 4: #/paths/~1c~1{x}/get: expected a parameter 'x' in the path, as '/c/{x}' has it, found none",
        "line 5: #/paths/~1c~1{y}/get: the operationId 'i' is also that of GET /c/{x}",
        "line 5: #/paths/~1c~1{y}/get/responses/200: expected the member 'description', found none",
        "line 6: #/paths/~1d~1{x}~1{x}: the path '/d/{x}/{x}': the parameter 'x' is there twice",
        "line 6: #/paths/~1e~1{: the path '/e/{': expected braces in pairs around each parameter",
        "line 7: #/paths/~1f/get: expected an operation, found 1",
        "line 7: #/paths/~1f/put/security/0: expected the security scheme 'no', found none of this name",
        "line 7: #/paths/~1f/put/tags: expected an array of strings, found 1",
        "line 7: #/paths/~1f/put/responses/200: expected a reference into this document, which begins with '#', found 'x.json'",
    ];
    for line in expected {
        assert!(found.iter().any(|found| found == line), "{line}\nis not in\n{}", found.join("\n"));
    }
}

#[test]
fn only_openapi_3_1_lets_an_operation_say_nothing_of_its_answers() {
    let document = |version: &str| {
        format!(
            r#"{{"openapi": "{version}", "info": {{"title": "T", "version": "1"}}, "paths": {{"/a": {{"get": {{}}}}}}}}"#
        )
    };
    let contract = Contract::read(document("3.1.0").as_bytes(), &Limits::default()).expect("a contract");
    assert!(contract.operations().iter().all(|operation| operation.responses.is_empty()));
    let problems = Contract::read(document("3.0.3").as_bytes(), &Limits::default()).expect_err("a problem");
    assert_eq!(problems[0].message, "expected the member 'responses', found none");
}

#[test]
fn schemas_that_make_no_sense_are_told() {
    for (schema, expected) in [
        (r#"{"type": "text"}"#, "expected the name of a type, found text"),
        (r#"{"type": 1}"#, "expected the name of a type, found 1"),
        (r#"{"enum": []}"#, "expected the values of 'enum'"),
        (r#"{"minLength": -1}"#, "expected a count in 'minLength', found -1"),
        (r#"{"maximum": "1"}"#, "expected a number in 'maximum', found the text '1'"),
        (r#"{"multipleOf": 0}"#, "above zero"),
        (r#"{"pattern": 1}"#, "expected a regular expression"),
        (r#"{"required": "a"}"#, "expected an array of names"),
        (r#"{"properties": []}"#, "expected an object, found an array"),
        (r#"{"allOf": {}}"#, "expected schemas in 'allOf'"),
        (r#"{"items": 1}"#, "expected a schema, found 1"),
        (r##"{"$ref": "#/nowhere"}"##, "leads to nothing in this document"),
        (r#"{"$ref": "other.yaml"}"#, "expected a reference into this document"),
        (r#"{"oneOf": [{}], "discriminator": {}}"#, "expected the member 'propertyName'"),
        (r##"{"$ref": "#/components/schemas/Loop"}"##, "at most 20 references"),
        (r##"{"$ref": "#/components/schemas/Self"}"##, "the schema contains itself"),
        (r##"{"not": {"$ref": "#/components/schemas/Other"}}"##, "the schema contains itself"),
    ] {
        let body =
            format!(r#""requestBody": {{"content": {{"application/json": {{"schema": {schema}}}}}}},"#);
        let components = r##""Loop": {"$ref": "#/components/schemas/Loop"},
            "Self": {"allOf": [{"$ref": "#/components/schemas/Self"}]},
            "Other": {"anyOf": [{"$ref": "#/components/schemas/Another"}]},
            "Another": {"if": {"$ref": "#/components/schemas/Other"}}"##;
        let found = problems(&document("3.1.0", &body, components)).join("\n");
        assert!(found.contains(expected), "{schema}: {found}");
    }
}

#[test]
fn what_is_said_in_vain_is_a_warning() {
    for (version, schema, expected) in [
        (
            "3.1.0",
            r#"{"pattern": "(a)\\1"}"#,
            "the pattern '(a)\\1' is not checked: it refers back to a group",
        ),
        ("3.1.0", r#"{"minLenght": 1}"#, "'minLenght' is not a keyword of schemas"),
        ("3.1.0", r#"{"unevaluatedProperties": false}"#, "'unevaluatedProperties' is not checked"),
        ("3.1.0", r#"{"type": "string", "nullable": true}"#, "'nullable' has no effect in OpenAPI 3.1"),
        ("3.0.3", r#"{"nullable": true}"#, "'nullable' says nothing without a type"),
    ] {
        let contract = with_body(version, schema, "");
        let found: Vec<String> = contract.warnings().iter().map(ToString::to_string).collect();
        assert!(found.len() == 1 && found[0].contains(expected), "{schema}: {found:?}");
        assert!(
            found[0]
                .starts_with("line 2: #/paths/~1things/post/requestBody/content/application~1json/schema")
        );
    }
}

#[test]
fn documents_have_limits() {
    let limited = |limits: Limits| {
        let text = document(
            "3.1.0",
            r#""requestBody": {"content": {"application/json": {"schema": {"items": {"items": {}}}}}},"#,
            "",
        );
        let found = Contract::read(text.as_bytes(), &limits).expect_err("a limit");
        found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    assert!(limited(Limits { operation_count_max: 0, ..Limits::default() }).contains("operation_count_max"));
    let paths: Vec<String> = (0..5)
        .map(|n| format!(r#""/a{n}": {{"get": {{"responses": {{"200": {{"description": "x"}}}}}}}}"#))
        .collect();
    let many = format!(
        r#"{{"openapi": "3.1.0", "info": {{"title": "a", "version": "1"}}, "paths": {{{}}}}}"#,
        paths.join(",")
    );
    let found = Contract::read(many.as_bytes(), &Limits { operation_count_max: 2, ..Limits::default() });
    assert_eq!(found.expect_err("a limit").len(), 1, "the rest is not read");
    assert!(limited(Limits { schema_count_max: 3, ..Limits::default() }).contains("schema_count_max"));
    let many = document("3.1.0", r#""tags": [1, 2, 3, 4],"#, "");
    let found = Contract::read(many.as_bytes(), &Limits { problem_count_max: 2, ..Limits::default() });
    let found = found.expect_err("problems");
    assert_eq!((found.len(), found[2].message.as_str()), (3, "2 more are not shown"));
}
