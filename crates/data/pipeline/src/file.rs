//! From the XML of a pipeline file to a pipeline, or to everything that is wrong with it.
//!
//! Elements and their order are those of CICS TS, "Pipeline configuration files". Prefixes are allowed, which CICS TS 3.1
//! did not know.

use std::fmt;

use roxmltree::{Document, Node, ParsingOptions};

use crate::{
    Handler, HeaderProgram, LocalName, Mtom, Pipeline, Role, SendMtom, SoapHandler, Terminal, Transport,
};
use soap::Version;

/// The namespace of all elements.
pub const NAMESPACE: &str = "http://www.ibm.com/software/htp/cics/pipeline";

/// The most bytes of a pipeline file's text.
pub const PIPELINE_FILE_MAX_BYTES: usize = 1 << 20;

/// The most programs that a pipeline file names.
pub const PIPELINE_PROGRAMS_MAX: usize = 200;

/// The most elements, attributes and texts of a pipeline file.
const NODES_MAX: u32 = 50_000;

/// The application handler that is built in.
pub const BUILT_IN_APPLICATION: &str = "DFHPITP";

/// Something that is wrong with a pipeline file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// Reads a pipeline file.
///
/// # Errors
/// All that is wrong with it, in the order of the file.
pub fn parse(text: &str) -> Result<Pipeline, Vec<Finding>> {
    let wrong = |line: usize, message: String| vec![Finding { line, message }];
    if text.len() > PIPELINE_FILE_MAX_BYTES {
        let length = text.len();
        return Err(wrong(1, format!("expected at most {PIPELINE_FILE_MAX_BYTES} bytes, found {length}")));
    }
    let options = ParsingOptions { allow_dtd: false, nodes_limit: NODES_MAX, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| wrong(error.pos().row as usize, format!("cannot be read as XML: {error}")))?;
    let mut reader = Reader { document: &document, findings: Vec::new(), username_token: false };
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

/// How often a child may stand.
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
    username_token: bool,
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
            found => {
                if found != "provider_pipeline" {
                    let expected = "expected <provider_pipeline> or <requester_pipeline>";
                    self.wrong(root, format!("{expected}, found <{found}>"));
                }
                Role::Provider
            }
        };
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
        for (place, (own, _)) in transport.named.iter().enumerate() {
            if transport.named[..place].iter().any(|(other, _)| other == own) {
                self.wrong(node, format!("expected one <named_transport_entry> for {own}, found several"));
            }
        }
        transport
    }

    fn named_transport(&mut self, node: Node<'d, 't>) -> (String, Vec<Handler>) {
        // `type` only says whether the name is that of a listener or of a queue.
        self.attributes(node, &["type"]);
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
        (own, handlers.unwrap_or_default())
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
        if role == Role::Provider && terminal.is_none() {
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
                ("wsse_handler", _) => self.security(child),
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
            self.wrong(node, "expected one handler in <terminal_handler>");
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
        SoapHandler {
            version,
            header_programs: programs.map(|program| self.header_program(program)).collect(),
        }
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

    /// `wsse_handler`: names and passwords alone. Signatures and encryption are refused by their names.
    fn security(&mut self, node: Node<'d, 't>) {
        self.no_attributes(node);
        let children = self.children(node, &[("dfhwsse_configuration", Once)]);
        let Some(configuration) = children.first() else {
            return self.wrong(node, "<wsse_handler> needs <dfhwsse_configuration>");
        };
        self.attributes(*configuration, &["version"]);
        for child in configuration.children().filter(Node::is_element) {
            match name(child) {
                "authentication" => {
                    self.attributes(child, &["mode", "trust"]);
                    let (mode, trust) = (child.attribute("mode"), child.attribute("trust"));
                    if mode != Some("basic") || !matches!(trust, None | Some("none")) {
                        self.wrong(child, "expected mode=\"basic\" and trust=\"none\": others are not supported");
                    }
                    self.username_token = true;
                }
                other => self.wrong(
                    child,
                    format!("<{other}> is not supported: signatures, encryption and security token services are absent"),
                ),
            }
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
                        mtom.send = match child.attribute("send_mtom") {
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
                        // Yes is what CICS takes if nothing is said.
                        mtom.send_without_parts = child.attribute("send_when_no_xop") != Some("no");
                    }
                    // Both say what only CICS's own data mapping, and the writer of parts, can choose.
                    "xop_options" => self.attributes(child, &["apphandler_supports_xop"]),
                    _ => self.attributes(child, &["content_id_domain"]),
                }
            }
        }
        mtom
    }

    /// The children, each of which must have a name of `order`, and stand behind those before it there.
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

    /// The child elements that have one of these names; others, and text, are wrong.
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

    /// What stands in an element, as it is written.
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
