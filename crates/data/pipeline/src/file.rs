//! From the XML of a pipeline file to a pipeline, or to all errors in the file.
//!
//! Elements and their order are those of CICS TS, "Pipeline configuration files". Prefixes are allowed, which
//! CICS TS 3.1 did not know.

use std::fmt;

use ::xml::own_attribute;
use roxmltree::{Document, Node, ParsingOptions};

use crate::{
    Handler, HeaderProgram, LocalName, NamedTransport, Pipeline, Role, SoapHandler, Terminal, Transport,
    TransportKind,
};
use soap::{Mtom, SendMtom, Version};

/// The namespace of all elements.
pub const NAMESPACE: &str = "http://www.ibm.com/software/htp/cics/pipeline";

/// The most bytes of a pipeline file's text.
pub const PIPELINE_FILE_MAX_BYTES: usize = 1 << 20;

/// The most programs that a pipeline file names.
pub const PIPELINE_PROGRAMS_MAX: usize = 200;

/// The longest domain of content ids: that of a name in DNS.
const CONTENT_ID_DOMAIN_BYTES_MAX: usize = 255;

/// The most elements, attributes and texts of a pipeline file.
const NODES_MAX: u32 = 50_000;

/// The application handler that is built in.
pub const BUILT_IN_APPLICATION: &str = "DFHPITP";

/// The header program of CICS for WS-Addressing, which providers have built in.
const BUILT_IN_ADDRESSING: &str = "DFHWSADH";

/// The message about a pipeline for JSON.
const NO_JSON: &str = ": services of JSON are in apis/, and need no pipeline";

/// The code page of files in EBCDIC that declare none, that of CICS TS, and its character `<`.
const EBCDIC_CCSID: u16 = 37;
const EBCDIC_LESS_THAN: u8 = 0x4C;

/// An error in a pipeline file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The line, from 1.
    pub line: usize,
    /// The text of the error.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// The text of a pipeline file. Files from a mainframe are in EBCDIC, or still declare it when they are not: UTF-8 counts more than the
/// declaration.
///
/// # Errors
/// The bytes are not text of an encoding that is known.
pub fn text(bytes: Vec<u8>) -> Result<String, String> {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)),
        Err(error) => error.into_bytes(),
    };
    let is_ebcdic = bytes.first() == Some(&EBCDIC_LESS_THAN) && xml::declared_charset(&bytes).is_none();
    let decoded = match codepage::Encoding::by_ccsid(EBCDIC_CCSID).filter(|_| is_ebcdic) {
        Some(encoding) => xml::decode_as(&bytes, encoding),
        None => xml::decode_declared(&bytes),
    };
    // EBCDIC's new line.
    decoded.map(|(text, _)| text.replace('\u{85}', "\n")).map_err(|error| error.to_string())
}

/// Reads a pipeline file.
///
/// # Errors
/// All errors in the file, in their order.
pub fn parse(text: &str) -> Result<Pipeline, Vec<Finding>> {
    let wrong = |line: usize, message: String| vec![Finding { line, message }];
    if text.len() > PIPELINE_FILE_MAX_BYTES {
        let length = text.len();
        return Err(wrong(1, format!("expected at most {PIPELINE_FILE_MAX_BYTES} bytes, found {length}")));
    }
    let options = ParsingOptions { allow_dtd: false, nodes_limit: NODES_MAX, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        let line = match &error {
            // The parser does not say where these are.
            roxmltree::Error::DtdDetected => line_of(text, text.find("<!DOCTYPE").unwrap_or_default()),
            roxmltree::Error::UnclosedRootNode | roxmltree::Error::UnexpectedEndOfStream => {
                line_of(text, text.len())
            }
            error => error.pos().row as usize,
        };
        wrong(line, format!("cannot be read as XML: {error}"))
    })?;
    let mut reader = Reader {
        document: &document,
        findings: Vec::new(),
        role: Role::Provider,
        username_token: false,
        reads_parts: None,
    };
    let pipeline = reader.pipeline(document.root_element());
    let mut findings = reader.findings;
    let programs = pipeline.programs().count();
    if programs > PIPELINE_PROGRAMS_MAX {
        let message = format!("expected at most {PIPELINE_PROGRAMS_MAX} programs, found {programs}");
        findings.push(Finding { line: 1, message });
    }
    findings.sort_by_key(|finding| finding.line);
    if findings.is_empty() { Ok(pipeline) } else { Err(findings) }
}

/// How often a child may occur.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Times {
    /// At most once.
    Once,
    /// Any number of times.
    Many,
}

use Times::{Many, Once};

struct Reader<'d, 't> {
    document: &'d Document<'t>,
    findings: Vec<Finding>,
    role: Role,
    username_token: bool,
    /// The element that says that the application handler reads the parts of packages itself.
    reads_parts: Option<Node<'d, 't>>,
}

impl<'d, 't> Reader<'d, 't> {
    fn wrong(&mut self, node: Node<'d, 't>, message: impl Into<String>) {
        let line = self.document.text_pos_at(node.range().start).row as usize;
        self.findings.push(Finding { line, message: message.into() });
    }

    fn pipeline(&mut self, root: Node<'d, 't>) -> Pipeline {
        self.check_namespace(root);
        self.no_attributes(root);
        let role = match name(root) {
            "requester_pipeline" => Role::Requester,
            _ => Role::Provider,
        };
        self.role = role;
        let order: &[(&str, Times)] = match role {
            Role::Provider => &[
                ("cics_mtom_handler", Once),
                ("transport", Once),
                ("service", Once),
                ("apphandler", Once),
                ("service_parameter_list", Once),
            ],
            Role::Requester => &[
                ("service", Once),
                ("transport", Once),
                ("cics_mtom_handler", Once),
                ("service_parameter_list", Once),
            ],
        };
        let mut pipeline = Pipeline {
            role,
            transport: Transport::default(),
            handlers: Vec::new(),
            terminal: None,
            application: None,
            service_parameters: None,
            username_token: false,
            mtom: None,
        };
        let found = name(root);
        if !matches!(found, "provider_pipeline" | "requester_pipeline") {
            let expected = "expected <provider_pipeline> or <requester_pipeline>";
            let help = if found.contains("json") { NO_JSON } else { "" };
            self.wrong(root, format!("{expected}, found <{found}>{help}"));
            return pipeline;
        }
        let children = self.children(root, order);
        if children.iter().all(|child| name(*child) != "service") {
            self.wrong(root, format!("<{}> needs <service>", name(root)));
        }
        for child in children {
            match name(child) {
                "cics_mtom_handler" => pipeline.mtom = Some(self.mtom(child)),
                "transport" => pipeline.transport = self.transport(child, role),
                "service" => (pipeline.handlers, pipeline.terminal) = self.service(child, role),
                "apphandler" => {
                    let program = self.program(child);
                    pipeline.application = Some(program).filter(|program| program != BUILT_IN_APPLICATION);
                }
                _ => pipeline.service_parameters = Some(self.inner(child)),
            }
        }
        pipeline.username_token = self.username_token;
        if let (Some(node), Some(program)) = (self.reads_parts, &pipeline.application) {
            let message = format!(
                "apphandler_supports_xop=\"yes\" is not supported with the application handler {program}: it gets whole messages"
            );
            self.wrong(node, message);
        }
        pipeline
    }

    fn transport(&mut self, node: Node<'d, 't>, role: Role) -> Transport {
        let mut order = vec![
            ("default_transport_handler_list", Once),
            ("default_http_transport_handler_list", Once),
            ("default_mq_transport_handler_list", Once),
        ];
        if role == Role::Provider {
            order.push(("named_transport_entry", Many));
        }
        self.no_attributes(node);
        let mut transport = Transport::default();
        for child in self.children(node, &order) {
            match name(child) {
                "default_transport_handler_list" => transport.any = Some(self.handlers(child)),
                "default_http_transport_handler_list" => transport.http = Some(self.handlers(child)),
                "default_mq_transport_handler_list" => transport.queue = Some(self.handlers(child)),
                _ => transport.named.push(self.named_transport(child)),
            }
        }
        for (place, own) in transport.named.iter().enumerate() {
            let is_same = |other: &NamedTransport| {
                other.name == own.name
                    && (other.kind.is_none() || own.kind.is_none() || other.kind == own.kind)
            };
            if transport.named[..place].iter().any(is_same) {
                let name = &own.name;
                self.wrong(node, format!("expected one <named_transport_entry> for {name}, found several"));
            }
        }
        transport
    }

    fn named_transport(&mut self, node: Node<'d, 't>) -> NamedTransport {
        self.attributes(node, &["type"]);
        let kind = match own_attribute(node, "type") {
            None => None,
            Some("http") => Some(TransportKind::Http),
            Some("mq" | "wmq") => Some(TransportKind::Queue),
            Some(other) => {
                self.wrong(node, format!("type: expected http, mq or wmq, found {other:?}"));
                None
            }
        };
        let (mut own, mut handlers) = (String::new(), None);
        for child in self.children(node, &[("name", Once), ("transport_handler_list", Once)]) {
            match name(child) {
                "name" => own = self.text(child),
                _ => handlers = Some(self.handlers(child)),
            }
        }
        if own.is_empty() || handlers.is_none() {
            self.wrong(node, "<named_transport_entry> needs <name> and <transport_handler_list>");
        }
        let line = self.document.text_pos_at(node.range().start).row as usize;
        NamedTransport { name: own, kind, handlers: handlers.unwrap_or_default(), line }
    }

    fn service(&mut self, node: Node<'d, 't>, role: Role) -> (Vec<Handler>, Option<Terminal>) {
        self.no_attributes(node);
        let mut order = vec![("service_handler_list", Once)];
        if role == Role::Provider {
            order.push(("terminal_handler", Once));
        }
        let (mut handlers, mut terminal) = (Vec::new(), None);
        for child in self.children(node, &order) {
            match name(child) {
                "service_handler_list" => (handlers, terminal) = self.service_handlers(child, role),
                _ => terminal = self.terminal(child),
            }
        }
        // A terminal handler that is refused has its finding.
        let has_one = node.children().any(|child| name(child) == "terminal_handler");
        if role == Role::Provider && !has_one {
            self.wrong(node, "<service> of a provider needs <terminal_handler>");
        }
        (handlers, terminal)
    }

    /// The handlers of a service, and the SOAP handler of a requester.
    fn service_handlers(&mut self, node: Node<'d, 't>, role: Role) -> (Vec<Handler>, Option<Terminal>) {
        self.no_attributes(node);
        let names = ["handler", "cics_soap_1.1_handler", "cics_soap_1.2_handler", "wsse_handler"];
        let (mut handlers, mut soap) = (Vec::new(), None);
        for child in self.any_of(node, &names) {
            match (name(child), role) {
                ("handler", _) => handlers.push(self.handler(child)),
                ("wsse_handler", _) => self.security(child, role),
                (own, Role::Provider) => {
                    self.wrong(child, format!("<{own}> of a provider stands in <terminal_handler>"));
                }
                (_, Role::Requester) if soap.is_some() => {
                    self.wrong(child, "expected one SOAP handler, found several")
                }
                (own, Role::Requester) => {
                    if !handlers.is_empty() {
                        self.wrong(
                            child,
                            format!(
                                "<{own}> of a requester stands before its handlers, for it makes the message"
                            ),
                        );
                    }
                    soap = Some(Terminal::Soap(self.soap(child)));
                }
            }
        }
        (handlers, soap)
    }

    fn terminal(&mut self, node: Node<'d, 't>) -> Option<Terminal> {
        self.no_attributes(node);
        let found = self.any_of(node, &["handler", "cics_soap_1.1_handler", "cics_soap_1.2_handler"]);
        let [child] = found[..] else {
            let refused = node.children().filter(Node::is_element).count() > found.len();
            if !refused {
                self.wrong(node, "expected one handler in <terminal_handler>");
            }
            return None;
        };
        Some(match name(child) {
            "handler" => Terminal::Program(self.handler(child)),
            _ => Terminal::Soap(self.soap(child)),
        })
    }

    fn handlers(&mut self, node: Node<'d, 't>) -> Vec<Handler> {
        self.no_attributes(node);
        let handlers = self.any_of(node, &["handler"]).into_iter();
        handlers.map(|handler| self.handler(handler)).collect()
    }

    fn handler(&mut self, node: Node<'d, 't>) -> Handler {
        self.no_attributes(node);
        let mut handler = Handler { program: String::new(), parameters: None };
        let mut has_program = false;
        for child in self.children(node, &[("program", Once), ("handler_parameter_list", Once)]) {
            match name(child) {
                "program" => (has_program, handler.program) = (true, self.program(child)),
                _ => handler.parameters = Some(self.inner(child)),
            }
        }
        if !has_program {
            self.wrong(node, "<handler> needs <program>");
        }
        handler
    }

    fn soap(&mut self, node: Node<'d, 't>) -> SoapHandler {
        self.no_attributes(node);
        let version = match name(node) {
            "cics_soap_1.1_handler" => Version::Soap11,
            _ => Version::Soap12,
        };
        let programs = self.any_of(node, &["headerprogram"]).into_iter();
        let programs = programs.map(|program| self.header_program(program));
        let header_programs = programs.filter(|header| header.program != BUILT_IN_ADDRESSING).collect();
        SoapHandler { version, header_programs }
    }

    fn header_program(&mut self, node: Node<'d, 't>) -> HeaderProgram {
        self.no_attributes(node);
        let (mut program, mut namespace, mut local, mut is_mandatory) = (None, None, None, None);
        let order = [("program_name", Once), ("namespace", Once), ("localname", Once), ("mandatory", Once)];
        for child in self.children(node, &order) {
            match name(child) {
                "program_name" => program = Some(self.program(child)),
                "namespace" => namespace = Some(self.text(child)),
                "localname" => local = Some(self.local_name(child)),
                _ => is_mandatory = Some(self.truth(child)),
            }
        }
        let all = program.is_some() && namespace.is_some() && local.is_some() && is_mandatory.is_some();
        if !all {
            self.wrong(
                node,
                "<headerprogram> needs <program_name>, <namespace>, <localname> and <mandatory>, in this order",
            );
        }
        HeaderProgram {
            program: program.unwrap_or_default(),
            namespace: namespace.unwrap_or_default(),
            local_name: local.unwrap_or(LocalName::Exact(String::new())),
            is_mandatory: is_mandatory.unwrap_or_default(),
        }
    }

    fn local_name(&mut self, node: Node<'d, 't>) -> LocalName {
        let text = self.text(node);
        let (start, is_prefix) = match text.strip_suffix('*') {
            Some(start) => (start, true),
            None => (text.as_str(), false),
        };
        if start.contains(['*', ':', ' ']) || (start.is_empty() && !is_prefix) {
            self.wrong(node, format!("expected a local name, or the start of names and *, found {text:?}"));
        }
        if is_prefix { LocalName::Prefix(start.to_owned()) } else { LocalName::Exact(text) }
    }

    fn truth(&mut self, node: Node<'d, 't>) -> bool {
        match &*self.text(node) {
            "true" | "1" => true,
            "false" | "0" => false,
            other => {
                self.wrong(node, format!("expected true, 1, false or 0, found {other:?}"));
                false
            }
        }
    }

    /// `wsse_handler`: names and passwords alone. What else CICS has there is refused by its name.
    fn security(&mut self, node: Node<'d, 't>, role: Role) {
        self.no_attributes(node);
        if role == Role::Requester {
            let message = "<wsse_handler> of a requester is not supported: [connections] have the credentials of requests";
            return self.wrong(node, message);
        }
        if std::mem::replace(&mut self.username_token, true) {
            self.wrong(node, "expected one <wsse_handler>, found several");
        }
        let children = self.children(node, &[("dfhwsse_configuration", Once)]);
        let Some(configuration) = children.first() else {
            return self.wrong(node, "<wsse_handler> needs <dfhwsse_configuration>");
        };
        self.attributes(*configuration, &["version"]);
        if !matches!(own_attribute(*configuration, "version"), None | Some("1")) {
            self.wrong(*configuration, "version: expected 1");
        }
        let mut has_authentication = false;
        for child in configuration.children().filter(Node::is_element) {
            self.check_namespace(child);
            match name(child) {
                "authentication" if has_authentication => {
                    self.wrong(child, "expected one <authentication>, found several");
                }
                "authentication" => {
                    has_authentication = true;
                    self.authentication(child);
                }
                other => self.wrong(child, format!("<{other}> is not supported: {}", why_no_security(other))),
            }
        }
        if !has_authentication {
            self.wrong(*configuration, "<dfhwsse_configuration> needs <authentication>");
        }
    }

    /// Callers must show a name and a password. Other modes are refused, and so are trusted users who name
    /// callers without a password.
    fn authentication(&mut self, node: Node<'d, 't>) {
        self.attributes(node, &["mode", "trust"]);
        match own_attribute(node, "mode") {
            Some("basic") => {}
            Some("signature") => {
                let message = "mode=\"signature\" is not supported: XML signatures are absent, use client certificates of TLS";
                self.wrong(node, message);
            }
            found => self.wrong(node, format!("mode: expected basic, found {}", found.unwrap_or("none"))),
        }
        match own_attribute(node, "trust") {
            None | Some("none") => {}
            Some(found @ ("basic" | "blind" | "signature")) => self.wrong(
                node,
                format!("trust=\"{found}\" is not supported: every caller shows a password of its own, so nobody names another one"),
            ),
            Some(found) => self.wrong(node, format!("trust: expected none, found {found:?}")),
        }
        for child in node.children().filter(Node::is_element) {
            let other = name(child);
            self.wrong(child, format!("<{other}> is not supported: {}", why_no_security(other)));
        }
    }

    fn mtom(&mut self, node: Node<'d, 't>) -> Mtom {
        self.no_attributes(node);
        let mut mtom = Mtom::default();
        for configuration in self.children(node, &[("dfhmtom_configuration", Once)]) {
            self.attributes(configuration, &["version"]);
            let order = [("mtom_options", Once), ("xop_options", Once), ("mime_options", Once)];
            for child in self.children(configuration, &order) {
                match name(child) {
                    "mtom_options" => {
                        self.attributes(child, &["send_mtom", "send_when_no_xop"]);
                        mtom.send = match own_attribute(child, "send_mtom") {
                            None | Some("same") => SendMtom::Same,
                            Some("yes") => SendMtom::Yes,
                            Some("no") => SendMtom::No,
                            Some(other) => {
                                self.wrong(
                                    child,
                                    format!("send_mtom: expected yes, no or same, found {other:?}"),
                                );
                                SendMtom::No
                            }
                        };
                        // Without the attribute, CICS takes yes.
                        mtom.send_without_parts = match own_attribute(child, "send_when_no_xop") {
                            None | Some("yes") => true,
                            Some("no") => false,
                            Some(other) => {
                                let message =
                                    format!("send_when_no_xop: expected yes or no, found {other:?}");
                                self.wrong(child, message);
                                true
                            }
                        };
                    }
                    "xop_options" => self.xop(child),
                    _ => self.mime(child, &mut mtom),
                }
            }
        }
        mtom
    }

    /// The setting for application handlers that read parts themselves. The built-in handler always gets a
    /// whole message.
    fn xop(&mut self, node: Node<'d, 't>) {
        self.attributes(node, &["apphandler_supports_xop"]);
        match own_attribute(node, "apphandler_supports_xop") {
            None | Some("no") => {}
            Some("yes") => self.reads_parts = Some(node),
            Some(other) => {
                self.wrong(node, format!("apphandler_supports_xop: expected yes or no, found {other:?}"));
            }
        }
    }

    fn mime(&mut self, node: Node<'d, 't>, mtom: &mut Mtom) {
        self.attributes(node, &["content_id_domain"]);
        let Some(domain) = own_attribute(node, "content_id_domain") else { return };
        let is_character = |byte: u8| byte.is_ascii_alphanumeric() || b".-".contains(&byte);
        if !(1..=CONTENT_ID_DOMAIN_BYTES_MAX).contains(&domain.len()) || !domain.bytes().all(is_character) {
            let most = CONTENT_ID_DOMAIN_BYTES_MAX;
            self.wrong(
                node,
                format!("content_id_domain: expected 1 to {most} letters, digits, dots and hyphens, found {domain:?}"),
            );
        }
        domain.clone_into(&mut mtom.content_id_domain);
    }

    /// The children. Each must have a name of `order`, and stand behind those before it there.
    fn children(&mut self, parent: Node<'d, 't>, order: &[(&str, Times)]) -> Vec<Node<'d, 't>> {
        let names: Vec<&str> = order.iter().map(|(name, _)| *name).collect();
        let found = self.any_of(parent, &names);
        let mut reached = 0;
        for child in &found {
            let place = names.iter().position(|known| *known == name(*child)).unwrap_or_default();
            if place + 1 < reached {
                let before = names[reached - 1];
                self.wrong(*child, format!("<{}> stands before <{before}>", name(*child)));
            } else if place + 1 == reached && order[place].1 == Once {
                self.wrong(*child, format!("expected one <{}>, found several", name(*child)));
            }
            reached = reached.max(place + 1);
        }
        found
    }

    /// The child elements with one of these names. Other elements and text are errors.
    fn any_of(&mut self, parent: Node<'d, 't>, names: &[&str]) -> Vec<Node<'d, 't>> {
        let mut found = Vec::new();
        let expected = || names.iter().map(|name| format!("<{name}>")).collect::<Vec<_>>().join(", ");
        for child in parent.children() {
            if child.is_text() && !child.text().unwrap_or_default().trim().is_empty() {
                self.wrong(child, format!("expected {}, found text", expected()));
            }
            if !child.is_element() {
                continue;
            }
            self.check_namespace(child);
            if names.contains(&name(child)) {
                found.push(child);
            } else if is_of_java(name(child)) {
                self.wrong(child, format!("<{}> is not supported: handlers in Java are absent", name(child)));
            } else {
                self.wrong(child, format!("expected {}, found <{}>", expected(), name(child)));
            }
        }
        found
    }

    fn check_namespace(&mut self, node: Node<'d, 't>) {
        if node.tag_name().namespace() != Some(NAMESPACE) {
            let found = node.tag_name().namespace().unwrap_or("none");
            self.wrong(
                node,
                format!("expected <{}> in the namespace {NAMESPACE}, found {found}", name(node)),
            );
        }
    }

    fn no_attributes(&mut self, node: Node<'d, 't>) {
        self.attributes(node, &[]);
    }

    fn attributes(&mut self, node: Node<'d, 't>, known: &[&str]) {
        for attribute in node.attributes() {
            // Attributes of other namespaces, such as xsi:schemaLocation, are for tools.
            if attribute.namespace().is_none() && !known.contains(&attribute.name()) {
                self.wrong(node, format!("<{}> has no attribute '{}'", name(node), attribute.name()));
            }
        }
    }

    /// The name of a program: 1 to 8 characters.
    fn program(&mut self, node: Node<'d, 't>) -> String {
        let text = self.text(node);
        let is_character =
            |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"$@#".contains(&byte);
        if !(1..=8).contains(&text.len()) || !text.bytes().all(is_character) {
            self.wrong(
                node,
                format!("expected a program of 1 to 8 characters of A-Z, 0-9, $, @ and #, found {text:?}"),
            );
        } else if let Some(why) = why_no_program(&text, name(node), self.role) {
            self.wrong(node, format!("the program {text} of CICS is not supported: {why}"));
        }
        text
    }

    /// The text of an element that has no elements, without blanks around it.
    fn text(&mut self, node: Node<'d, 't>) -> String {
        self.no_attributes(node);
        let mut text = String::new();
        for child in node.children() {
            if child.is_element() {
                self.wrong(child, format!("expected text in <{}>, found <{}>", name(node), name(child)));
            }
            if child.is_text() {
                text.push_str(child.text().unwrap_or_default());
            }
        }
        text.trim().to_owned()
    }

    /// The content of an element, as it is written.
    fn inner(&mut self, node: Node<'d, 't>) -> String {
        let children = || node.children();
        match (children().next(), children().next_back()) {
            (Some(first), Some(last)) => {
                self.document.input_text()[first.range().start..last.range().end].to_owned()
            }
            _ => String::new(),
        }
    }
}

fn name<'d>(node: Node<'d, '_>) -> &'d str {
    node.tag_name().name()
}

/// The line of a byte, from 1.
fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// The reason why a program of CICS cannot stand in an element; none if it can, or if it is not a program of CICS.
fn why_no_program(program: &str, element: &str, role: Role) -> Option<&'static str> {
    match program {
        BUILT_IN_ADDRESSING if element == "program_name" && role == Role::Provider => None,
        BUILT_IN_ADDRESSING if element == "program_name" => Some("requests have no blocks of WS-Addressing"),
        BUILT_IN_ADDRESSING => Some("it is a header program"),
        BUILT_IN_APPLICATION if element != "apphandler" => Some("it stands in <apphandler>"),
        "DFHWSATH" | "DFHWSATR" | "DFHWSATX" => {
            Some("web service transactions (WS-AtomicTransaction) are absent")
        }
        "DFHWSSE1" => Some("use <wsse_handler>"),
        "DFHPIJT" => Some("services of JSON are in apis/, and need no pipeline"),
        _ => None,
    }
}

/// Why an element of `dfhwsse_configuration` is refused.
fn why_no_security(name: &str) -> &'static str {
    match name {
        "suppress" => "credentials are always judged",
        "sts_authentication" | "sts_endpoint" => "security token services are absent",
        _ => "XML signatures and encryption are absent, use TLS and its client certificates",
    }
}

/// Elements for handlers in Java.
fn is_of_java(name: &str) -> bool {
    matches!(
        name,
        "apphandler_class"
            | "jvmserver"
            | "repository"
            | "addressing"
            | "cics_json_java_handler"
            | "handler_class"
    ) || name.ends_with("_handler_java")
}
