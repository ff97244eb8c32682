//! Tests interceptors of WebAssembly: their decisions, their failures, and messages about their
//! faults.

use crate::deploy::package;
use crate::folder::Folder;
use crate::process::Gantry;

const JSON: &str = "content-type: application/json\r\nx-origin: branch\r\nx-request-id: r-1\r\n";

/// Makes a module with this body of `before`. `data` begins at 16.
fn module(body: &str, data: &str) -> String {
    let data = data.replace('"', "\\\"");
    format!(
        r#"(module
  (import "gantry" "log" (func $log (param i32 i32 i32)))
  (import "gantry" "get" (func $get (param i32 i32 i32 i32) (result i32)))
  (import "gantry" "set_header" (func $set_header (param i32 i32 i32 i32)))
  (memory (export "memory") 2)
  (data (i32.const 16) "{data}")
  (func (export "gantry_abi") (result i32) i32.const 1)
  (func (export "alloc") (param i32) (result i32) i32.const 4096)
  (func (export "before") (param $at i32) (param $length i32) (result i64) {body})
  (func (export "after") (param $at i32) (param $length i32)
    (call $log (i32.const 3) (local.get $at) (local.get $length))))"#
    )
}

/// Makes the body of a `before` that answers this many bytes at 16.
fn answer(length: usize) -> String {
    format!("i64.const {}", (16_u64 << 32) | length as u64)
}

fn folder(text: &str, more: &str) -> Folder {
    Folder::echo(&format!(
        "[server]\nreload_poll_ms = 0\nworkers = 1\n[[interceptor]]\nkind = \"wasm\"\nname = \"judge\"\n\
         file = \"interceptors/judge.wat\"\n{more}\n"
    ))
    .with("interceptors/judge.wat", text)
}

fn gantry(text: &str, more: &str) -> (Folder, Gantry) {
    let folder = folder(text, more);
    let gantry = Gantry::folder(folder.path());
    (folder, gantry)
}

/// Gives the messages of `gantry check`.
fn check(folder: &Folder) -> String {
    let output = crate::process::run(&["check", folder.path().to_str().expect("UTF-8")]);
    assert!(!output.status.success());
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Gives the module in the reference.
fn documented() -> &'static str {
    let page = include_str!("../../../../../docs/reference/interceptors.md");
    let (_, rest) = page.split_once("```wat\n").expect("a module");
    rest.split_once("```").expect("its end").0
}

#[test]
fn the_module_of_the_reference_refuses_all_but_get() {
    let (_folder, gantry) = gantry(documented(), "on_failure = \"open\"");
    assert_eq!(gantry.send("PUT", "/echo/7", JSON, "{}").fails(405, "GTY0437W"), "read only");
    assert_eq!(gantry.metric("gantry_provider_calls_total{service=\"echo\"}"), 0.0);
    assert_eq!(gantry.metric("gantry_interceptor_failures_total{interceptor=\"judge\"}"), 0.0);
}

#[test]
fn it_is_asked_before_and_told_after() {
    let log = "(call $log (i32.const 2) (local.get $at) (local.get $length)) i64.const 0";
    let (_folder, gantry) =
        gantry(&module(log, ""), "on_failure = \"closed\"\nsend_headers = [\"X-Origin\"]\nsend_body = true");
    assert_eq!(gantry.send("PUT", "/echo/7?a=b", JSON, r#"{"words":"hello"}"#).status, 200);
    let log = gantry.stop().replace("\\\"", "\"");
    let common = r#""requestId":"r-1","user":null,"groups":[],"api":"echo","operation":"putecho","service":"echo","method":"PUT","path":"/echo/7","query":"a=b","headers":{"x-origin":"branch"}"#;
    let before = format!(r#"{{"stage":"before",{common},"body":{{"words":"hello"}}}}"#);
    let after = format!(r#"{{"stage":"after",{common},"status":200}}"#);
    for said in [before, after] {
        let lines: Vec<&str> = log.lines().filter(|line| line.contains(&said)).collect();
        let [line] = lines[..] else { panic!("{said} once: {log}") };
        assert!(line.contains("r-1") && line.contains("judge"), "{line}");
    }
}

#[test]
fn headers_that_it_sets_are_its_own() {
    // The data has "mirror" at 16, "MIJO" at 22, and an answer of 37 bytes at 26.
    let set = "(call $set_header (i32.const 16) (i32.const 6) (i32.const 22) (i32.const 4))";
    let data = r#"mirrorMIJO{"allow":true,"setHeaders":{"b":"2"}}"#;
    let body = format!("{set} i64.const {}", (26_u64 << 32) | (data.len() as u64 - 10));
    let more = "on_failure = \"closed\"\nmay_set_headers = [\"mirror\", \"b\"]";
    let rules = "<ruleset><rule name=\"r\"><conditions><header name=\"mirror\" value=\"MIJO\"/><header name=\"b\" value=\"2\"/>\
                 </conditions><actions><set property=\"cicsTransId\" value=\"${mirror}\"/></actions></rule></ruleset>";
    let folder = folder(&module(&body, data), more).with("policies/p.xml", rules);
    let text = std::fs::read_to_string(folder.path().join("gantry.toml")).expect("the file");
    let folder = folder.with("gantry.toml", &format!("policy = \"p\"\n{text}"));
    let gantry = Gantry::folder(folder.path());
    assert_eq!(gantry.send("PUT", "/echo/7", &format!("{JSON}mirror: FAKE\r\n"), "{}").status, 200);
    let log = gantry.stop();
    let set: Vec<&str> = log.lines().filter(|line| line.contains("properties set by the policy")).collect();
    let [line] = set[..] else { panic!("once: {log}") };
    assert!(line.contains("MIJO"), "{line}");
}

#[test]
fn a_module_that_fails_leaves_the_call_open_or_closed() {
    let bad = r#"{"allow":1}"#;
    let header = "(call $set_header (i32.const 16) (i32.const 1) (i32.const 16) (i32.const 1)) i64.const 0";
    for (body, data, said) in [
        ("unreachable".to_owned(), "", "unreachable"),
        ("(loop $again (br $again)) i64.const 0".to_owned(), "", "fuel"),
        ("i64.const -1".to_owned(), "", "not in its memory"),
        (answer(70_000), "", "at most 65536 bytes, found 70000"),
        (answer(bad.len()), bad, "expected {\\\"allow\\\""),
        (header.to_owned(), "x", "may not set the header 'x'"),
    ] {
        for policy in ["open", "closed"] {
            let more = format!("on_failure = \"{policy}\"\nfuel_per_call = 100000");
            let (_folder, gantry) = gantry(&module(&body, data), &more);
            let answer = gantry.send("PUT", "/echo/7", JSON, "{}");
            match policy {
                "open" => assert_eq!(answer.status, 200, "{said}"),
                _ => assert_eq!(answer.fails(503, "GTY0507E"), "", "{said}: nothing from inside"),
            }
            assert_eq!(gantry.metric("gantry_interceptor_failures_total{interceptor=\"judge\"}"), 1.0);
            let log = gantry.stop();
            let plain = said.replace("\\\"", "\"");
            assert!(log.contains("judge") && (log.contains(said) || log.contains(&plain)), "{said}: {log}");
        }
    }
}

#[test]
fn an_end_that_cannot_be_told_is_counted() {
    let text =
        module("i64.const 0", "").replace("(i32.const 3) (local.get $at)", "(i32.const 3) (i32.const -1)");
    let (_folder, gantry) = gantry(&text, "on_failure = \"closed\"");
    assert_eq!(gantry.send("PUT", "/echo/7", JSON, "{}").status, 200);
    assert_eq!(gantry.metric("gantry_interceptor_failures_total{interceptor=\"judge\"}"), 1.0);
    assert!(gantry.stop().contains("could not run `after` for the end of a call"));
}

#[test]
fn a_changed_module_is_taken_and_a_faulty_one_leaves_the_old() {
    let (folder, gantry) = gantry(&module("i64.const 0", ""), "on_failure = \"closed\"");
    assert_eq!(gantry.send("PUT", "/echo/7", JSON, "{}").status, 200);
    let refusal = r#"{"allow":false,"status":409}"#;
    let folder = folder.with("interceptors/judge.wat", &module(&answer(refusal.len()), refusal));
    gantry.signal(rustix::process::Signal::HUP);
    crate::reload::wait(|| gantry.send("PUT", "/echo/7", JSON, "{}").status == 409);
    let _folder = folder.with("interceptors/judge.wat", "(module");
    gantry.signal(rustix::process::Signal::HUP);
    crate::reload::wait(|| gantry.metric("gantry_configuration_reloads_total{outcome=\"refused\"}") >= 1.0);
    assert_eq!(gantry.send("PUT", "/echo/7", JSON, "{}").status, 409);
}

#[test]
fn faults_of_a_module_are_told_with_file_and_line() {
    let good = module("i64.const 0", "");
    for (text, more, parts) in [
        (
            good.replace("(memory", "(memry"),
            "on_failure = \"open\"",
            &["judge.wat:5", "expected valid module field"][..],
        ),
        (
            good.replace("\"alloc\"", "\"aloc\""),
            "on_failure = \"open\"",
            &["judge.wat", "must export a function 'alloc'"],
        ),
        (
            good.replace("\"set_header\"", "\"set\""),
            "on_failure = \"open\"",
            &["judge.wat", "found gantry.set"],
        ),
        (
            good.replace("i64.const 0", ""),
            "on_failure = \"open\"",
            &["judge.wat", "is not a valid module", "offset"],
        ),
        (good.clone(), "", &["gantry.toml", "'on_failure' is missing"]),
        (good.clone(), "on_failure = \"open\"\ntimeout_ms = 0", &["gantry.toml:4", "timeout_ms is 0"]),
        (good.clone(), "on_failure = \"open\"\nfuel_per_call = 0", &["judge.wat", "used up the fuel"]),
        (good.clone(), "on_failure = \"open\"\nfuel = 0", &["gantry.toml", "'fuel' is not known here"]),
    ] {
        let told = check(&folder(&text, more));
        for part in parts {
            assert!(told.contains(part), "{part}: {told}");
        }
    }
}

#[test]
fn a_module_comes_from_the_folder_alone() {
    for (path, part) in [
        ("../judge.wat", "below the configuration's folder"),
        ("/judge.wat", "below the configuration's folder"),
        // The file exists, but a package brought it.
        ("apis/notes/api.toml", "below the configuration's folder"),
        ("interceptors/none.wasm", "cannot be read"),
    ] {
        let folder = Folder::echo(&format!(
            "[[interceptor]]\nkind = \"wasm\"\nname = \"judge\"\nfile = \"{path}\"\non_failure = \"open\"\n"
        ));
        let packages = folder.path().join("packages");
        std::fs::create_dir(&packages).expect("a folder can be made");
        std::fs::write(packages.join("notes.aar"), package("notes", "/notes"))
            .expect("a file can be written");
        let told = check(&folder);
        assert!(told.contains(part) && told.contains("gantry.toml:1"), "{part}: {told}");
    }
}
