//! The server behind rmcp: it describes itself, lists tools, and calls them.

use std::sync::Arc;

use http::request::Parts;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult,
    ErrorCode, ErrorData, Implementation, ListToolsResult, MetaObject, PaginatedRequestParams,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;

use super::call::{Called, call};
use super::message::{Aside, Message};
use crate::loaded::Offered;

#[derive(Clone)]
pub(super) struct Server {
    tools: Arc<[Offered]>,
    info: Arc<ServerConfig>,
}

impl Server {
    pub(super) fn new(tools: Arc<[Offered]>, instructions: Option<String>) -> Self {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("gantry", env!("CARGO_PKG_VERSION")));
        info.instructions = instructions;
        Self { tools, info: Arc::new(info) }
    }

    /// The definitions of the tools that the caller may call, as a JSON array.
    fn list(&self, message: &Message) -> String {
        let Message { gateway, peer, identity, .. } = message;
        let callable = self.tools.iter().filter(|offered| {
            let entry = gateway.operation(offered.api, offered.operation);
            entry.guard.is_open(peer, identity.as_deref()) && entry.target.is_started()
        });
        let definitions: Vec<&str> = callable.map(|offered| offered.tool.definition()).collect();
        format!("[{}]", definitions.join(","))
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::clone(&self.info)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let (_, message) = message(&context)?;
        message.set_aside(Aside { members: vec![("tools", self.list(message))], ..Aside::default() });
        Ok(ListToolsResult::default())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (parts, message) = message(&context)?;
        let Some(offered) = self.tools.iter().find(|offered| offered.tool.name() == request.name) else {
            return Err(ErrorData::invalid_params(format!("Unknown tool: {}", request.name), None));
        };
        // A client that has gone gets no answer. Its call is dropped like any other request.
        let Called { text, fine, headers, aside } = tokio::select! {
            called = call(message, offered, parts) => called,
            () = context.ct.cancelled() => return Err(ErrorData::internal_error("cancelled", None)),
        };
        message.set_aside(aside);
        let content = vec![ContentBlock::text(text)];
        let mut result = if fine { CallToolResult::success(content) } else { CallToolResult::error(content) };
        result.meta = meta(headers);
        Ok(result.into())
    }

    /// Handles requests that rmcp does not know: other methods, and known ones with wrong
    /// parameters.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        Err(match method.as_str() {
            "initialize" | "tools/list" | "tools/call" => {
                ErrorData::invalid_params(format!("Invalid params: not those of {method}"), None)
            }
            _ => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None),
        })
    }
}

/// The name of the headers in the metadata of a result.
const HEADERS: &str = "gantry/headers";

fn meta(headers: Vec<(String, String)>) -> Option<MetaObject> {
    if headers.is_empty() {
        return None;
    }
    let headers = headers.into_iter().map(|(name, value)| (name, Value::String(value))).collect();
    let mut meta = MetaObject::new();
    meta.0.insert(HEADERS.to_owned(), Value::Object(headers));
    Some(meta)
}

/// The message that was put into the request before rmcp got it.
fn message(context: &RequestContext<RoleServer>) -> Result<(&Parts, &Arc<Message>), ErrorData> {
    let parts = context.extensions.get::<Parts>();
    let found = parts.and_then(|parts| Some((parts, parts.extensions.get::<Arc<Message>>()?)));
    found.ok_or_else(|| ErrorData::internal_error("a message without what passes beside it", None))
}
