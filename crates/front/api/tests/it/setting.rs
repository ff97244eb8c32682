//! A service and APIs over it, made from texts.

use std::collections::HashMap;
use std::sync::Arc;

use api::{
    Api, ApiSpec, Inputs, MoveSpec, Operation, OperationProtection, OperationSpec, RequestSpec, ResponseSpec,
    Route, Router, ServiceInterface, Source, SpecError,
};
use codepage::CodePage;
use failure::Failure;
use http::{HeaderMap, Method};
use interface::Interface;
use record::Options;

const COPYBOOK: &str = "       01  NOTE.
           05  FIRST-TEXT   PIC X(20).
           05  SECOND-TEXT  PIC X(20).
";

/// The only service: text in, text out, in ASCII.
fn services() -> HashMap<String, ServiceInterface> {
    let parsed = copybook::parse("NOTE.cpy", COPYBOOK, &copybook::Options::default()).expect("a copybook");
    let layout = Arc::new(parsed.layouts.into_iter().next().expect("a record"));
    let page = CodePage::by_ccsid(1208).or_else(|| CodePage::by_ccsid(819)).expect("a code page");
    let interface = Interface { layout, options: Options::new(page) };
    let service = ServiceInterface {
        name: "note".to_owned(),
        request: interface.clone(),
        response: interface,
        states_status: false,
    };
    HashMap::from([("note".to_owned(), service)])
}

/// An operation whose path parameters go into the fields in turn.
pub(crate) fn operation(method: Method, path: &str) -> OperationSpec {
    let names = path.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name);
    let moves = names.zip(["FIRST-TEXT", "SECOND-TEXT"]).map(|(name, field)| step(Source::Path, name, field));
    OperationSpec {
        operation_id: Some(format!("{method} {path}")),
        method,
        path: path.into(),
        service: "note".into(),
        summary: None,
        description: None,
        request: RequestSpec { moves: moves.collect(), ..RequestSpec::default() },
        response: ResponseSpec::default(),
        responses: Vec::new(),
        protection: OperationProtection::default(),
    }
}

pub(crate) fn step(source: Source, name: &str, field: &str) -> MoveSpec {
    MoveSpec { source, name: name.into(), field: field.into(), required: true, description: None }
}

pub(crate) fn compile(
    name: &str,
    base_path: &str,
    operations: Vec<OperationSpec>,
) -> Result<Api, Vec<SpecError>> {
    let spec = ApiSpec {
        name: name.to_owned(),
        title: name.to_owned(),
        version: "1".to_owned(),
        description: String::new(),
        base_path: base_path.into(),
        refuse_unknown_query: false,
        statuses: Vec::new(),
        schemes: Vec::new(),
        operations,
    };
    Api::compile(&spec, &services())
}

pub(crate) fn api(name: &str, base_path: &str, operations: &[(Method, &str)]) -> Api {
    let operations = operations.iter().map(|(method, path)| operation(method.clone(), path)).collect();
    compile(name, base_path, operations).expect("the API is fine")
}

/// The two texts of the record that a GET makes.
pub(crate) fn record(router: &Router, url: &str, headers: &HeaderMap) -> Result<(String, String), Failure> {
    let (path, query) = url.split_once('?').map_or((url, None), |(path, query)| (path, Some(query)));
    let Route::Operation { operation: Operation::Mapped(mapped), path, .. } =
        router.route(&Method::GET, path)
    else {
        panic!("{url} is no operation")
    };
    let record = mapped.request(&Inputs { path: &path, query, headers, body: b"" })?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    Ok((text(&record[..20]), text(&record[20..])))
}
