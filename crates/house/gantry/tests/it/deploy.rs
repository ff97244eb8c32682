//! Tests packages that come and go while the gateway runs, through the folder and through the
//! administration interface.

use std::io::{Cursor, Write};

use serde_json::Value;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::client::{Client, Response};
use crate::folder::Folder;
use crate::process::Gantry;

/// Makes an API package with one operation, `PUT <base path>/note`, which passes everything to the
/// service `echo`.
pub(crate) fn package(name: &str, base_path: &str) -> Vec<u8> {
    package_of(name, base_path, "echo")
}

/// Makes the same package for another service.
pub(crate) fn package_of(name: &str, base_path: &str, service: &str) -> Vec<u8> {
    let description = format!(
        r#"<zosConnectApi xmlns="http://www.ibm.com/zosConnect/2.0/zosConnectApi" id="{name}">
        <apiSpec title="{name}" basePath="{base_path}" description="Notes" version="2.0.0">
        <path relativePath="/note"><method type="PUT" zosConnectServiceRef="{service}"
            httpXformFile="api/note/PUT/mapping.xml" operationId="putNote"/></path>
        </apiSpec></zosConnectApi>"#
    );
    let mapping = format!(
        r#"<ns2:ZosConnectServiceMapping xmlns:ns2="http://www.ibm.com/zosConnect/2.0/zosConnectServiceMapping"
        mappingSpecVersion="1.0"><mappingContext basePath="{base_path}" relativePath="/note" method="PUT"
        serviceName="{service}"/></ns2:ZosConnectServiceMapping>"#
    );
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (entry, text) in [("package.xml", description), ("api/note/PUT/mapping.xml", mapping)] {
        writer.start_file(entry, SimpleFileOptions::default()).expect("an entry");
        writer.write_all(text.as_bytes()).expect("its content");
    }
    writer.finish().expect("an archive").into_inner()
}

pub(crate) fn admin(gantry: &Gantry, method: &str, path: &str, body: &[u8]) -> Response {
    let kind = if body.is_empty() { "" } else { "content-type: application/zip\r\n" };
    let head = format!(
        "{method} /zosConnect{path} HTTP/1.1\r\nhost: localhost\r\n{kind}content-length: {}\r\n\r\n",
        body.len()
    );
    Client::connect(gantry.admin).ask(&[head.as_bytes(), body].concat())
}

#[track_caller]
pub(crate) fn detail(answer: &Response, status: u16) -> Value {
    assert_eq!(answer.status, status, "{}", answer.text());
    serde_json::from_str(answer.text()).expect("JSON")
}

const QUIET: &str = "[server]\nreload_poll_ms = 0";

#[test]
fn an_api_package_is_deployed_updated_and_deleted() {
    let folder = Folder::echo(QUIET);
    let gantry = Gantry::folder(folder.path());
    let notes = package("notes", "/notes");
    let api = detail(&admin(&gantry, "POST", "/apis", &notes), 201);
    assert_eq!(
        (&api["name"], &api["status"], &api["version"]),
        (&"notes".into(), &"Started".into(), &"2.0.0".into())
    );
    assert_eq!(
        gantry.put("/notes/note", r#"{"words":"hello"}"#).text(),
        r#"{"number_of":0,"words":"hello"}"#
    );
    assert_eq!(admin(&gantry, "POST", "/apis", &notes).status, 409, "it is there");
    assert_eq!(admin(&gantry, "PUT", "/apis/notes", &notes).status, 409, "it is started");
    assert_eq!(admin(&gantry, "DELETE", "/apis/notes", b"").status, 409, "it is started");

    assert_eq!(detail(&admin(&gantry, "PUT", "/apis/notes?status=stopped", b""), 200)["status"], "Stopped");
    assert_eq!(gantry.put("/notes/note", "{}").status, 404);
    assert_eq!(admin(&gantry, "PUT", "/apis/notes", &package("other", "/notes")).status, 409, "another name");
    detail(&admin(&gantry, "PUT", "/apis/notes", &package("notes", "/moved")), 200);
    assert_eq!(gantry.put("/moved/note", "{}").status, 200);
    assert_eq!(gantry.put("/notes/note", "{}").status, 404);
    gantry.stop();

    let gantry = Gantry::folder(folder.path());
    assert_eq!(gantry.put("/moved/note", "{}").status, 200, "it is kept");
    detail(&admin(&gantry, "PUT", "/apis/notes?status=stopped", b""), 200);
    assert_eq!(detail(&admin(&gantry, "DELETE", "/apis/notes", b""), 200)["name"], "notes");
    assert_eq!(admin(&gantry, "GET", "/apis/notes", b"").status, 404);
    assert_eq!(gantry.put("/echo/7", "{}").status, 200, "the others serve on");
}

#[test]
fn what_cannot_serve_changes_nothing() {
    let folder = Folder::echo(QUIET);
    let gantry = Gantry::folder(folder.path());
    assert_eq!(admin(&gantry, "POST", "/apis", b"no archive").status, 400);
    assert_eq!(admin(&gantry, "POST", "/services", &package("notes", "/notes")).status, 400, "no service");
    let taken = admin(&gantry, "POST", "/apis", &package("notes", "/echo"));
    // Two APIs may have paths below one base path. But the gateway cannot serve both documents
    // there.
    assert_eq!(taken.status, 409, "{}", taken.text());
    assert_eq!(admin(&gantry, "GET", "/apis/notes", b"").status, 404);
    let left: Vec<_> = std::fs::read_dir(folder.path().join("packages")).expect("the folder").collect();
    assert!(left.is_empty(), "{left:?}");
    let mut client = Client::connect(gantry.admin);
    let answer = client.ask(b"GET /configuration HTTP/1.1\r\nhost: localhost\r\n\r\n");
    assert!(answer.text().contains("\"current\":true"), "{}", answer.text());

    detail(&admin(&gantry, "PUT", "/apis/echo?status=stopped", b""), 200);
    assert_eq!(admin(&gantry, "DELETE", "/apis/echo", b"").status, 409, "it is from text files");
    assert_eq!(admin(&gantry, "DELETE", "/apis/none", b"").status, 404);
}

#[test]
fn a_refused_replacement_does_not_start_what_is_stopped() {
    let folder = Folder::echo(QUIET);
    let gantry = Gantry::folder(folder.path());
    detail(&admin(&gantry, "POST", "/apis", &package("notes", "/notes")), 201);
    detail(&admin(&gantry, "PUT", "/apis/notes?status=stopped", b""), 200);
    let refused = admin(&gantry, "PUT", "/apis/notes", &package("notes", "/echo"));
    assert_eq!(refused.status, 409, "{}", refused.text());
    assert_eq!(detail(&admin(&gantry, "GET", "/apis/notes", b""), 200)["status"], "Stopped");
    assert_eq!(gantry.put("/notes/note", "{}").status, 404);
    let refused = admin(&gantry, "POST", "/apis?status=stopped", &package("new", "/echo"));
    assert_eq!(refused.status, 409, "{}", refused.text());
    let stopped = std::fs::read_to_string(folder.path().join(".gantry/stopped")).expect("it is kept");
    assert_eq!(stopped, "api notes\n");
}

/// The stop is for the new package. Clients read 409 as: the name is taken.
#[test]
fn a_refused_replacement_is_refused_before_anything_is_stopped() {
    let folder = Folder::echo(QUIET);
    let gantry = Gantry::folder(folder.path());
    detail(&admin(&gantry, "POST", "/apis", &package("notes", "/notes")), 201);
    // One that is started cannot be replaced at all.
    detail(&admin(&gantry, "PUT", "/apis/notes?status=stopped", b""), 200);
    // A folder stands in the way of the file of stopped objects. So nothing can be stopped, and a stop
    // before the refusal would have another answer.
    let stopped = folder.path().join(".gantry/stopped");
    std::fs::remove_file(&stopped).expect("the file");
    std::fs::create_dir(&stopped).expect("a folder");
    let refused = admin(&gantry, "PUT", "/apis/notes?status=stopped", &package("notes", "/echo"));
    assert_eq!(refused.status, 409, "{}", refused.text());
    assert!(refused.text().contains("/echo"), "{}", refused.text());
    assert_eq!(detail(&admin(&gantry, "GET", "/apis/notes", b""), 200)["status"], "Stopped");
}

#[test]
fn a_missing_service_is_no_conflict() {
    let folder = Folder::empty().with("gantry.toml", QUIET);
    let gantry = Gantry::folder(folder.path());
    let refused = admin(&gantry, "POST", "/apis", &package("notes", "/notes"));
    assert_eq!(refused.status, 400, "{}", refused.text());
    assert!(refused.text().contains("services that are not here: echo"), "{}", refused.text());
}

/// A service that converts by a bind file finds its copybooks by name, both in the folder and when
/// deployed.
#[test]
fn copybooks_of_bind_files_are_found_by_name() {
    let manifest = "name: place\nprovider: CICS-1.0\nproviderProperties:\n- {propertyName: dataXformType, value: WSBIND}\n\
                    - {propertyName: program, value: PLACEPGM}\n";
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (entry, text) in [("manifest.yml", manifest), ("files/place.wsbind", "x")] {
        writer.start_file(entry, SimpleFileOptions::default()).expect("an entry");
        writer.write_all(text.as_bytes()).expect("its content");
    }
    let archive = writer.finish().expect("an archive").into_inner();
    let copybook = "       01  PLACE.\n           05  ITEM  PIC 9(4).\n";
    for names in [&["placepgm.cpy"][..], &["PLACE"], &["place.REQUEST.cpy", "place.RESPONSE.cpy"]] {
        let folder = Folder::empty().with("gantry.toml", QUIET);
        let gantry = Gantry::folder(folder.path());
        let refused = admin(&gantry, "POST", "/services", &archive);
        assert_eq!(refused.status, 400, "{}", refused.text());
        assert!(refused.text().contains("copybooks/place.REQUEST.cpy"), "{}", refused.text());
        let folder =
            names.iter().fold(folder, |folder, name| folder.with(&format!("copybooks/{name}"), copybook));
        detail(&admin(&gantry, "POST", "/services", &archive), 201);
        gantry.stop();
        let gantry = Gantry::folder(folder.path());
        let schema = detail(&admin(&gantry, "GET", "/services/place/schema/request", b""), 200);
        assert_eq!(schema["properties"]["placeOperation"]["properties"]["item"]["maximum"], 9999, "{schema}");
        let service = detail(&admin(&gantry, "GET", "/services/place", b""), 200);
        assert_eq!(service["zosConnect"]["serviceProvider"], "CICS-1.0", "what its clients know");
    }
}

#[test]
fn names_do_not_lead_out_of_the_folder() {
    let folder = Folder::echo(QUIET);
    let gantry = Gantry::folder(folder.path());
    for name in ["../evil", "..", ".", "a/b", "a\\b", "/evil", ".hidden", "a\u{7}b"] {
        let answer = admin(&gantry, "POST", "/apis", &package(name, "/notes"));
        if answer.status == 201 {
            // The name of a deployed API is the name of one file in the folder of packages.
            let made = detail(&answer, 201)["name"].as_str().expect("a name").to_owned();
            assert!(folder.path().join("packages").join(format!("{made}.aar")).is_file(), "{name}: {made}");
            assert!(!made.contains(['/', '\\']) && !made.starts_with('.'), "{name}: {made}");
            detail(&admin(&gantry, "PUT", &format!("/apis/{made}?status=stopped"), b""), 200);
            detail(&admin(&gantry, "DELETE", &format!("/apis/{made}"), b""), 200);
        } else {
            assert_eq!(answer.status, 400, "{name:?}: {}", answer.text());
        }
    }
    let parent = folder.path().parent().expect("a parent");
    assert!(!parent.join("evil.aar").exists() && !folder.path().join("evil.aar").exists());
    for path in ["/apis/..%2F..%2Fgantry", "/apis/%2e%2e%2fgantry.toml", "/services/..%2F..%2Fx", "/apis/%00"]
    {
        assert_eq!(admin(&gantry, "DELETE", path, b"").status, 404, "{path}");
        assert_eq!(admin(&gantry, "GET", path, b"").status, 404, "{path}");
    }
    assert!(folder.path().join("gantry.toml").is_file());
}

#[test]
fn a_package_in_the_folder_serves_like_text_files() {
    let folder = Folder::echo("[server]\nreload_poll_ms = 20");
    std::fs::create_dir_all(folder.path().join("packages")).expect("a folder");
    std::fs::write(folder.path().join("packages/notes.aar"), package("notes", "/notes")).expect("a file");
    let gantry = Gantry::folder(folder.path());
    assert_eq!(gantry.put("/notes/note", "{}").status, 200);
    std::fs::write(folder.path().join("packages/notes.aar"), b"broken").expect("a file");
    crate::reload::wait(|| gantry.metric("gantry_configuration_current") == 0.0);
    assert_eq!(gantry.put("/notes/note", "{}").status, 200, "the one before still serves");
}

#[test]
fn a_service_without_a_provider_refuses_until_it_has_one() {
    let service = "ccsid = 37\n[request]\ncopybook = \"NOTE.cpy\"\nwrapper = \"\"\n[response]\ncopybook = \"NOTE.cpy\"\nwrapper = \"\"\n";
    let folder = Folder::echo(QUIET).with("services/echo.toml", service);
    let gantry = Gantry::folder(folder.path());
    let answer = gantry.put("/echo/7", "{}");
    assert_eq!(answer.status, 503);
    assert!(answer.text().contains("GTY0503E"), "{}", answer.text());
    gantry.stop();

    let bound = "[providers.echo]\nkind = \"simulated\"\nanswer = \"echo\"\n";
    let folder = folder.with("gantry.toml", bound);
    let gantry = Gantry::folder(folder.path());
    assert_eq!(gantry.put("/echo/7", "{}").status, 200);
    gantry.stop();
    let folder = folder.with("gantry.toml", &bound.replace("providers.echo", "providers.none"));
    let output = crate::process::run(&["check", folder.path().to_str().expect("UTF-8")]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("service 'none' does not exist"));
}
