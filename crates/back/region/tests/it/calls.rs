//! What programs ask of what is around their region, in real workers.

use std::sync::Arc;
use std::time::Duration;

use queue::Manager;
use region::{
    Failure, Limits, QueueManagers, Region, Request, Settings, Surroundings, TaskCaller, WebClients,
};
use requesters::WebClient;
use service::{
    ApiAnswer, ApiCall, ApiError, ApiErrorKind, ApiFuture, ApiOperation, ApiRequest, ApiRequester, Channel,
    Container, Content, DataArea, Invocation, InvokeError, InvokeFault, InvokeFuture, ServiceInvoker, Target,
    TransformError, Transformation, Transformer,
};
use wire::Interface;

use crate::region::{request, settings, text};

/// Answers as a gateway would.
#[derive(Debug)]
struct Gateway;

impl QueueManagers for Gateway {
    fn queue_manager(&self) -> Option<Manager> {
        None
    }
}

impl WebClients for Gateway {
    fn web_client(&self) -> Arc<WebClient> {
        Arc::default()
    }
}

impl ApiRequester for Gateway {
    fn call_api(&self, call: ApiCall<'_>, request: ApiRequest) -> ApiFuture {
        let failed =
            |kind, status, message: &str| Err(ApiError { kind, status, message: message.to_owned() });
        let known = ApiOperation::At { method: "POST", path: "%2Forders" };
        let user = call.caller.map(|caller| caller.user.to_owned());
        let outcome = match request.record.as_slice() {
            _ if call.api != "Orders_1.0" => failed(ApiErrorKind::Gateway, 404, "there is no such API"),
            _ if call.operation != known => failed(ApiErrorKind::Gateway, 404, "there is no such operation"),
            b"WRONG" => failed(ApiErrorKind::Api, 422, "the API said no"),
            b"SLEEP" => return Box::pin(std::future::pending()),
            b"HELLO" => {
                let record = user.unwrap_or_default().into_bytes();
                Ok(ApiAnswer { status: 201, record, areas: Vec::new() })
            }
            b"AREAS" => Ok(echo(request.areas.expect("a caller who knows data areas"))),
            other => panic!("unexpected: {other:?}"),
        };
        Box::pin(std::future::ready(outcome))
    }
}

/// The data areas that came, and a record that says what they are.
fn echo(areas: Vec<DataArea>) -> ApiAnswer {
    let shown: Vec<String> = areas
        .iter()
        .map(|area| format!("{} {}x{}", area.name, area.elements(), area.element_bytes))
        .collect();
    ApiAnswer { status: 200, record: shown.join(",").into_bytes(), areas }
}

impl ServiceInvoker for Gateway {
    fn invoke(&self, invocation: Invocation<'_>, channel: Channel) -> InvokeFuture {
        let given = channel.get("DFHWS-DATA").map(|container| container.content.bytes().to_vec());
        let outcome = match invocation.service {
            "Orders" => {
                let target = match invocation.target {
                    Target::Configured => "",
                    Target::Uri("http://h/a?b") => " there",
                    Target::Uri(_) => return refused(InvokeError::Refused("the URI".to_owned())),
                    Target::UriMap(_) => return refused(InvokeError::NoUriMap),
                };
                let given = given.unwrap_or_default();
                let bytes = [invocation.operation.as_bytes(), b" ", &given, target.as_bytes()].concat();
                Ok(Channel::of(vec![Container {
                    name: "DFHWS-DATA".to_owned(),
                    content: Content::Bit(bytes),
                }]))
            }
            "Faulty" => {
                let content = Content::Char { bytes: b"<Body>no</Body>".to_vec(), ccsid: 1208 };
                let containers = vec![Container { name: "DFHWS-BODY".to_owned(), content }];
                Err(InvokeError::Fault(Box::new(InvokeFault { message: "no".to_owned(), containers })))
            }
            _ => Err(InvokeError::NoService),
        };
        Box::pin(std::future::ready(outcome))
    }
}

fn refused(error: InvokeError) -> InvokeFuture {
    Box::pin(std::future::ready(Err(error)))
}

impl Transformer for Gateway {
    fn transform(&self, name: &str, way: Transformation, input: &[u8]) -> Result<Vec<u8>, TransformError> {
        match (name, way, input) {
            ("ORDERS", Transformation::DataToJson, data) => {
                Ok(format!("{{\"x\":\"{}\"}}", String::from_utf8_lossy(data)).into_bytes())
            }
            ("ORDERS", Transformation::JsonToData, b"{\"x\":1}") => Ok(b"ONE".to_vec()),
            ("ORDERS", _, _) => Err(TransformError::Input("expected an object".to_owned())),
            _ => Err(TransformError::Unknown),
        }
    }
}

/// Both must be kept: the region's way out leads to the gateway as long as that is there.
fn region(limits: Limits) -> (Arc<Region>, Arc<Gateway>) {
    let region = Region::start(Settings { limits, ..settings() }).expect("a region");
    let gateway = Arc::new(Gateway);
    let apis: Arc<dyn ApiRequester> = gateway.clone();
    let services: Arc<dyn ServiceInvoker> = gateway.clone();
    let transformers: Arc<dyn Transformer> = gateway.clone();
    let queues: Arc<dyn QueueManagers> = gateway.clone();
    let web: Arc<dyn WebClients> = gateway.clone();
    region.surround(Surroundings {
        apis: Arc::downgrade(&apis),
        services: Arc::downgrade(&services),
        transformers: Arc::downgrade(&transformers),
        queues: Arc::downgrade(&queues),
        web: Arc::downgrade(&web),
    });
    (region, gateway)
}

/// Enough for each of the programs here.
const COMMAREA_BYTES: usize = 110;

/// The answer of a program, or its abend code.
async fn call(region: &Region, program: &str, how: &str) -> String {
    let mut bytes = how.as_bytes().to_vec();
    bytes.resize(COMMAREA_BYTES, b' ');
    let caller = TaskCaller { user: "Maude".into(), groups: Box::default() };
    let request = Request { caller: Some(Arc::new(caller)), ..request(program, Interface::Commarea(bytes)) };
    match region.run(request).await {
        Ok(answer) => text(answer)[10..].trim_end().to_owned(),
        Err(Failure::Abend { code, .. }) => code,
        Err(other) => panic!("expected an answer or an abend, found {other:?}"),
    }
}

#[tokio::test]
async fn baqcstub_reaches_apis_and_says_where_it_failed() {
    let limits = Limits { workers: 1, wall_max: Duration::from_secs(2), ..Limits::default() };
    let (region, _gateway) = region(limits);
    // The copybook's numbers are where the worker looks for them.
    assert!(call(&region, "APICALL", "SIZE").await.ends_with("00780"));
    for (how, expected) in [
        ("STUB", "000201Maude"),
        ("SHORT", "003201expected room for 5 bytes in the response, fo"),
        ("NEGATIVE", "003400the length of the request is negative"),
        ("NOAPI", "002404there is no such API"),
        ("LONGNAME", "003400expected names of at most 255 bytes for the"),
        ("STATUS", "001422the API said no"),
    ] {
        let found = call(&region, "APICALL", how).await;
        assert!(expected.starts_with(&found) && found.len() > 6, "{how}: {found}");
    }
}

#[tokio::test]
async fn without_a_way_out_the_program_is_told() {
    let region = Region::start(settings()).expect("a region");
    assert_eq!(call(&region, "APICALL", "STUB").await, "003503the region has no way out to APIs");
    assert_eq!(call(&region, "APICALL", "NOSERV").await, "013000");
    assert_eq!(call(&region, "APICALL", "NOTRANS").await, "013001");
    assert_eq!(call(&region, "APICALL", "WEBHOST").await, "070100");
}

#[tokio::test]
async fn servers_that_are_not_configured_are_not_called() {
    let (region, _gateway) = region(Limits { workers: 1, ..Limits::default() });
    for (how, expected) in
        [("WEBHOST", "070100"), ("WEBMAP", "013061"), ("WEBSEND", "019027"), ("MAP", "013001")]
    {
        assert_eq!(call(&region, "APICALL", how).await, expected, "{how}");
    }
}

#[tokio::test]
async fn the_host_api_reaches_apis() {
    let (region, _gateway) = region(Limits { workers: 1, ..Limits::default() });
    for (how, expected) in [
        ("EXEC", "000201Maude"),
        ("WRONG", "004422the API said no"),
        ("NOINIT", "012000BAQEXEC came before BAQINIT"),
        ("EYE", "012000expected an area that begins with BAQA"),
    ] {
        assert_eq!(call(&region, "HOSTAPI", how).await, expected, "{how}");
    }
}

#[tokio::test]
async fn elements_go_out_and_come_back_in_their_order() {
    let (region, _gateway) = region(Limits { workers: 1, ..Limits::default() });
    for (how, expected) in [
        // What BAQEXEC sent, the elements, then completion and reason at the end of the area.
        ("ROUND", "LINES 3x5,TAGS 1x5|ONE  TWO  THREE|004005"),
        // Areas go with one request: the second has none.
        ("TWICE", "||008004"),
        // Nor does a request that was refused leave its areas to the next one.
        ("EYE", "LINES 3x5,TAGS 1x5|ONE  TWO  THREE|004005"),
        ("EMPTY", "||008004"),
    ] {
        assert_eq!(call(&region, "HOSTAREA", how).await, expected, "{how}");
    }
}

#[tokio::test]
async fn faults_with_data_areas_have_their_codes() {
    let (region, _gateway) = region(Limits { workers: 1, ..Limits::default() });
    for (how, expected) in [
        ("P-NOINIT", "012001BAQPUTN came before BAQINIT"),
        ("P-TERM", "012001BAQPUTN came before BAQINIT"),
        ("P-NAME", "008003expected the name of a data area, 1 to 16 characters"),
        ("P-ZERO", "008006expected an element of 1 byte or more, found 0"),
        ("P-HUGE", "008007expected data areas of at most 67108864 bytes, found more"),
        ("P-OTHER", "008006data area LINES: expected an element of 5 bytes, found 4"),
        ("P-NULL", "012002expected the address of the element, found null"),
        ("G-NOINIT", "012001BAQGETN came before BAQINIT"),
        ("G-NAME", "008004the answer has no data area NONE"),
        ("G-BLANK", "008003expected the name of a data area, 1 to 16 characters"),
        ("G-FREE", "008004the answer has no data area LINES"),
        ("G-LENGTH", "008006data area LINES: expected the length of its elements, 5, found 6"),
        // An address that is none of the program's is the end of its task alone.
        ("P-WILD", "ASRA"),
        ("P-NULL", "012002expected the address of the element, found null"),
    ] {
        assert_eq!(call(&region, "HOSTAREA", how).await, expected, "{how}");
    }
}

#[tokio::test]
async fn services_and_transformations_work_on_containers() {
    let (region, _gateway) = region(Limits { workers: 1, ..Limits::default() });
    for (how, expected) in [
        ("INVOKE", "000000get HELLO"),
        ("NOSERV", "013000"),
        ("FAULT", "016006<Body>no</Body>"),
        ("URI", "000000get HELLO there"),
        ("NOURI", "016000HELLO"),
        ("URIMAP", "013000"),
        ("JSON", "000000{\"x\":\"HELLO\"}"),
        ("DATA", "000000ONE"),
        ("BADJSON", "016006expected an object"),
        ("NOIN", "110003"),
        ("KIND", "016008"),
        ("NOTRANS", "013001"),
        ("NOCHAN", "122002"),
        ("FAULTS", "016003"),
    ] {
        assert_eq!(call(&region, "APICALL", how).await, expected, "{how}");
    }
}

#[tokio::test]
async fn operators_are_told() {
    let limits = Limits { operator_messages_max: 2, ..Limits::default() };
    let (region, _gateway) = region(limits);
    for (how, expected) in [
        ("REPLY", "031000"),
        ("OPERATOR", "000000"),
        ("REPLY", "031000"),
        ("TOOLONG", "016001"),
        ("ROUTES", "016003"),
    ] {
        assert_eq!(call(&region, "APICALL", how).await, expected, "{how}");
    }
    let found: Vec<_> = region
        .operator_messages()
        .into_iter()
        .map(|message| (message.text, message.routes, message.action, message.user))
        .collect();
    let expected = [
        ("ORDERS ARE LATE".to_owned(), vec![2, 11], 2, *b"MAUDE   "),
        ("GO ON?".to_owned(), vec![], 0, *b"MAUDE   "),
    ];
    assert_eq!(found, expected);
}
