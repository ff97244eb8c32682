//! Tests the client of the official SDK, in both lifecycles. If it works, other clients that follow
//! the protocol work.
//!
//! The SDK has one HTTP client without another HTTP library. It speaks over Unix sockets, so a
//! thread passes bytes on.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};

use http::{HeaderName, HeaderValue};
use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::json;
use tempfile::TempDir;

use super::{ON, seven};
use crate::folder::{ECHO_API, Folder};
use crate::process::Gantry;
use crate::security::{BASIC, user};

/// A Unix socket that forwards its connections to an address.
struct Bridge(TempDir);

impl Bridge {
    fn new(address: SocketAddr) -> Self {
        let folder = TempDir::new().expect("a folder");
        let listener = UnixListener::bind(folder.path().join("socket")).expect("a socket");
        std::thread::spawn(move || {
            // Nobody stops this thread. It ends with the process.
            for client in listener.incoming().map_while(Result::ok) {
                let gateway = TcpStream::connect(address).expect("the gateway accepts");
                pass(client, gateway);
            }
        });
        Self(folder)
    }

    fn path(&self) -> String {
        self.0.path().join("socket").to_str().expect("UTF-8").to_owned()
    }
}

fn pass(client: UnixStream, gateway: TcpStream) {
    let (mut from_client, mut to_gateway) =
        (client.try_clone().expect("a socket"), gateway.try_clone().expect("a socket"));
    let (mut from_gateway, mut to_client) = (gateway, client);
    std::thread::spawn(move || {
        let _ = io::copy(&mut from_client, &mut to_gateway);
        let _ = to_gateway.shutdown(Shutdown::Write);
    });
    std::thread::spawn(move || {
        let _ = io::copy(&mut from_gateway, &mut to_client);
        let _ = to_client.shutdown(Shutdown::Both);
    });
}

type Client = RunningService<RoleClient, ()>;

async fn connect(
    bridge: &Bridge,
    lifecycle: ClientLifecycleMode,
    basic: Option<&str>,
) -> Result<Client, String> {
    let mut config = StreamableHttpClientTransportConfig::with_uri("http://localhost/mcp");
    if let Some(basic) = basic {
        let value = HeaderValue::from_str(&format!("Basic {basic}")).expect("a value");
        config = config.custom_headers([(HeaderName::from_static("authorization"), value)].into());
    }
    let transport = StreamableHttpClientTransport::from_unix_socket_with_config(&bridge.path(), config);
    ().serve_with_lifecycle(transport, lifecycle).await.map_err(|error| format!("{error:?}"))
}

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(work)
}

fn lifecycles() -> [ClientLifecycleMode; 2] {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    [ClientLifecycleMode::Initialize, ClientLifecycleMode::Discover { preferred_versions }]
}

#[test]
fn the_client_of_the_sdk_lists_and_calls() {
    let gantry = Gantry::folder(Folder::echo(ON).path());
    let bridge = Bridge::new(gantry.address());
    for lifecycle in lifecycles() {
        run(async {
            let client = connect(&bridge, lifecycle, None).await.expect("a client");
            let tools = client.list_all_tools().await.expect("tools");
            let [tool] = tools.as_slice() else { panic!("{tools:?}") };
            assert_eq!(tool.name, "putecho");
            assert!(tool.output_schema.is_some() && tool.annotations.is_some());
            let call = |arguments: serde_json::Value| {
                let arguments = arguments.as_object().expect("an object").clone();
                client.call_tool(CallToolRequestParams::new("putecho").with_arguments(arguments))
            };
            let fine = call(seven()).await.expect("a result");
            assert_eq!(fine.is_error, Some(false));
            assert_eq!(fine.structured_content, Some(json!({ "number_of": 7, "words": "hi" })));
            let wrong = call(json!({ "number": 70_000, "body": {} })).await.expect("a result");
            assert_eq!(wrong.is_error, Some(true));
            let other = client.call_tool(CallToolRequestParams::new("other")).await;
            assert!(other.expect_err("no such tool").to_string().contains("Unknown tool: other"));
            client.cancel().await.expect("the end");
        });
    }
}

#[test]
fn the_client_of_the_sdk_takes_tools_of_a_contract() {
    let tree = crate::contract::DOCUMENT.replacen(
        "items: {type: string}",
        "items: {$ref: '#/components/schemas/Note'}",
        1,
    );
    let folder = crate::contract::notes().with("gantry.toml", ON).with("apis/notes/openapi.yaml", &tree);
    let gantry = Gantry::folder(folder.path());
    let bridge = Bridge::new(gantry.address());
    for lifecycle in lifecycles() {
        run(async {
            let client = connect(&bridge, lifecycle, None).await.expect("a client");
            let tools = client.list_all_tools().await.expect("tools");
            let note = tools.iter().find(|tool| tool.name == "getNote").expect("the tool");
            let output = note.output_schema.as_ref().expect("a schema");
            assert!(output.contains_key("$defs"), "{output:?}");
            let arguments = json!({ "number": 7 }).as_object().expect("an object").clone();
            let called = CallToolRequestParams::new("getNote").with_arguments(arguments);
            let result = client.call_tool(called).await.expect("a result");
            assert_eq!(result.structured_content.expect("content")["id"], 8);
            assert_eq!(result.meta.expect("metadata").0["gantry/headers"], json!({ "x-number": "7" }));
            client.cancel().await.expect("the end");
        });
    }
}

#[test]
fn the_client_of_the_sdk_is_known_by_its_headers() {
    let (base, operation) = ECHO_API.split_once("\n\n").expect("a base path");
    let staff = format!("{base}\n[security]\nroles.invoke = [\"staff\"]\n{operation}");
    let users = format!("{}{}", user("mary", "staff", "secret"), user("john", "", "word"));
    let folder =
        Folder::echo(&format!("{ON}{BASIC}")).with("users.txt", &users).with("apis/echo/api.toml", &staff);
    let gantry = Gantry::folder(folder.path());
    let bridge = Bridge::new(gantry.address());
    for lifecycle in lifecycles() {
        run(async {
            let unknown = connect(&bridge, lifecycle.clone(), None).await.expect_err("nobody");
            assert!(unknown.contains("AuthRequired"), "{unknown}");
            for (basic, count) in [("bWFyeTpzZWNyZXQ=", 1), ("am9objp3b3Jk", 0)] {
                let client = connect(&bridge, lifecycle.clone(), Some(basic)).await.expect("a client");
                assert_eq!(client.list_all_tools().await.expect("tools").len(), count);
            }
        });
    }
}
