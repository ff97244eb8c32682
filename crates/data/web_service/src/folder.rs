//! A bind file as the files of a configuration folder: a service for each operation, its copybooks, and the
//! web service.
//!
//! A bind file on the shelf therefore loads as if somebody had written these files.

use std::collections::HashSet;
use std::fmt::Write as _;

use copybook::{Kind, Paths, ProgramText};
use xml::OtherAttributes;

use crate::parts::{Members, is_time, layout, missing};
use crate::{
    BindFile, CharOccurs, CharVarying, FieldChoice, FieldForm, InterfaceKind, Nillable, NullRows, Operation,
    Part, Problem, Role, SoapVersions, XmlPlace,
};

/// The channel of a program that gets its record in a container.
const CHANNEL: &str = "DFHAHC-V1";
/// The folder of foreign WSDL documents.
const WSDL_FOLDER: &str = "wsdl";

impl BindFile {
    /// The files by their paths: `soap/NAME.toml`, `services/NAME.toml` for the only operation or
    /// `services/NAME-OPERATION.toml` for each of several, `copybooks/NAME/…`, and `wsdl/NAME/…` if the file
    /// has a foreign WSDL. `ccsid` is the code page of text if the file names none.
    ///
    /// # Errors
    /// All faults of the copybooks, and addresses that a folder cannot have: an address without a path, or a
    /// requester's address without a host.
    pub fn folder(&self, ccsid: u16) -> Result<Vec<(String, String)>, Vec<Problem>> {
        self.parts(ccsid)?;
        if self.role == Role::Requester {
            return self.requester(ccsid);
        }
        let path = self.path().ok_or_else(|| vec![Problem::error("uri", "expected a path, found none")])?;
        let mut web_service = format!("path = {}\nversions = {}\n", quoted(&path), quoted(self.versions()));
        let _ = writeln!(web_service, "namespace = {}", quoted(&self.namespace));
        let mut files = Vec::new();
        match &self.wsdl {
            Some(documents) => {
                let folder = format!("{WSDL_FOLDER}/{}", self.name);
                let _ = writeln!(web_service, "wsdl = {}", quoted(&format!("{folder}/{}", documents.file)));
                let documents = documents.files.iter();
                files.extend(documents.map(|(name, text)| (format!("{folder}/{name}"), text.clone())));
            }
            None => {
                let _ = writeln!(web_service, "mapping_level = {}", quoted(self.mapping_level.name()));
            }
        }
        web_service.push_str("naming = \"ls2ws\"\n");
        for operation in &self.operation {
            let service = match self.operation.as_slice() {
                [_] => self.name.clone(),
                _ => format!("{}-{}", self.name, operation.name),
            };
            web_service.push_str(&operation_section(operation, &service));
            let text = self.service(operation, &service, ccsid, &mut files)?;
            files.push((format!("services/{service}.toml"), text));
        }
        files.insert(0, (format!("soap/{}.toml", self.name), web_service));
        Ok(files)
    }

    /// The files of a requester: `requesters/NAME/requester.toml` and its copybooks.
    fn requester(&self, ccsid: u16) -> Result<Vec<(String, String)>, Vec<Problem>> {
        let uri = self.uri.as_deref().filter(|uri| uri.contains("://")).ok_or_else(|| {
            vec![Problem::error("uri", "expected the address of the server, which begins with https://")]
        })?;
        let mut text = format!("kind = \"soap\"\nuri = {}\n", quoted(uri));
        let _ = writeln!(text, "ccsid = {}\nnaming = \"ls2ws\"", self.ccsid.unwrap_or(ccsid));
        let version = if self.soap == SoapVersions::V12 { "1.2" } else { "1.1" };
        let mut files = Vec::new();
        if let Some(documents) =
            self.wsdl.as_ref().filter(|_| self.operation.iter().any(|found| found.by_wsdl))
        {
            let documents = documents.files.iter();
            files.extend(
                documents.map(|(name, text)| (format!("{WSDL_FOLDER}/{}/{name}", self.name), text.clone())),
            );
        }
        for operation in &self.operation {
            let Operation { name, soap_action, request, response, .. } = operation;
            let _ = writeln!(text, "\n[[operation]]\nname = {}\n\n[operation.soap]", quoted(name));
            let _ = writeln!(text, "soap = \"{version}\"\nsoap_action = {}", quoted(soap_action));
            let (element, namespace) = (quoted(&request.element), quoted(&request.namespace));
            let _ = writeln!(text, "element = {element}\nnamespace = {namespace}");
            match response {
                Some(part) => {
                    let (element, namespace) = (quoted(&part.element), quoted(&part.namespace));
                    let _ = writeln!(text, "response_element = {element}\nresponse_namespace = {namespace}");
                }
                None => text.push_str("one_way = true\n"),
            }
            if operation.by_wsdl {
                let folder = format!("{WSDL_FOLDER}/{}/", self.name);
                text.push_str(&self.messages_text(operation, "operation.messages", &folder));
                continue;
            }
            let parts = [("request", Some(request)), ("response", response.as_ref())];
            if parts.iter().any(|(_, part)| part.is_some_and(|part| !part.containers.is_empty())) {
                let message = "a requester has its record in one container, DFHWS-DATA";
                return Err(vec![Problem::error(format!("operation {name}"), message)]);
            }
            for (section, part) in parts.into_iter().filter_map(|(section, part)| Some((section, part?))) {
                let path = format!("{}/{name}.{section}.cpy", self.name);
                text.push_str(&self.section(&format!("operation.{section}"), part, &path)?);
                files.push((format!("copybooks/{path}"), self.expanded(part)));
            }
        }
        files.insert(0, (format!("requesters/{}/requester.toml", self.name), text));
        Ok(files)
    }

    /// The path of the URI, which may be a whole address; none if the address does not have a path.
    #[must_use]
    pub fn path(&self) -> Option<String> {
        let uri = self.uri.clone().unwrap_or_else(|| format!("/cics/services/{}", self.name));
        let path = match uri.split_once("://") {
            Some((_, rest)) => rest.split_once('/')?.1,
            None => uri.trim_start_matches('/'),
        };
        let path = path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
        (!path.is_empty()).then(|| format!("/{path}"))
    }

    fn versions(&self) -> &'static str {
        match self.soap {
            SoapVersions::V11 => "1.1",
            SoapVersions::V12 => "1.2",
            SoapVersions::All => "all",
        }
    }

    fn service(
        &self,
        operation: &Operation,
        service: &str,
        ccsid: u16,
        files: &mut Vec<(String, String)>,
    ) -> Result<String, Vec<Problem>> {
        let program = self.program.as_deref().unwrap_or_default();
        let mut text = format!("description = {}\n", quoted(&format!("The operation {}", operation.name)));
        let _ = writeln!(text, "ccsid = {}\nnaming = \"ls2ws\"", self.ccsid.unwrap_or(ccsid));
        // The configuration may name another provider, for the service or for its program.
        let _ = writeln!(text, "program = {}", quoted(program));
        let is_channel = self.interface == InterfaceKind::Channel;
        if is_channel || self.transaction.is_some() {
            let _ = writeln!(text, "\n[provider]\nkind = \"program\"\nprogram = {}", quoted(program));
            if let Some(transaction) = &self.transaction {
                let _ = writeln!(text, "transaction = {}", quoted(transaction));
            }
            if is_channel {
                let _ = writeln!(text, "channel = {}", quoted(CHANNEL));
            }
            if let Some(container) = self.container.as_ref().filter(|_| !operation.by_wsdl) {
                let _ = writeln!(text, "request_container = {}", quoted(container));
            }
        }
        if operation.by_wsdl {
            let folder = format!("{WSDL_FOLDER}/{}/", self.name);
            text.push_str(&self.messages_text(operation, "messages", &folder));
            return Ok(text);
        }
        // A service has both records; a one-way operation does not read the second.
        let response = operation.response.as_ref().unwrap_or(&operation.request);
        for (section, part) in [("request", &operation.request), ("response", response)] {
            let path = format!("{}/{service}.{section}.cpy", self.name);
            text.push_str(&self.section(section, part, &path)?);
            files.push((format!("copybooks/{path}"), self.expanded(part)));
        }
        Ok(text)
    }

    /// The section of the messages of an operation by WSDL.
    fn messages_text(&self, operation: &Operation, name: &str, folder: &str) -> String {
        let section = self.messages_section(operation, folder);
        // The section has only names, numbers and words.
        let section = section.and_then(|section| toml::Table::try_from(section).ok()).unwrap_or_default();
        let mut tables = toml::Table::new();
        let mut inner = toml::Value::Table(section);
        let mut parts = name.rsplit('.');
        let first = parts.next_back().unwrap_or(name);
        for part in parts {
            inner = toml::Value::Table(toml::Table::from_iter([(part.to_owned(), inner)]));
        }
        tables.insert(first.to_owned(), inner);
        format!("\n{tables}")
    }

    fn section(&self, section: &str, part: &Part, path: &str) -> Result<String, Vec<Problem>> {
        let mut text =
            format!("\n[{section}]\ncopybook = {}\nformat = \"free\"\nwrapper = \"\"\n", quoted(path));
        if let Some(record) = &part.record {
            let _ = writeln!(text, "record = {}", quoted(record));
        }
        if !part.other_attributes.is_empty() {
            let _ = writeln!(text, "other_attributes = {}", list(&part.other_attributes));
        }
        text.push_str("missing_fields = \"refuse\"\nedited = \"value\"\n");
        text.push_str(match self.options.full_tables {
            true => "filler = \"hide\"\ncounters = \"hide\"\ntable_room = \"full\"\n",
            false => "filler = \"expose\"\ncounters = \"show\"\n",
        });
        text.push_str(match self.options.null_rows {
            NullRows::Keep => "",
            NullRows::OmitGroups => "missing_rows = \"initial\"\nempty_rows = \"omit_groups\"\n",
            NullRows::Omit => "missing_rows = \"initial\"\nempty_rows = \"omit\"\n",
        });
        if self.options.char_occurs == CharOccurs::String {
            text.push_str("character_tables = \"text\"\n");
        }
        if self.options.data_truncation {
            text.push_str("data_truncation = \"accept\"\n");
        }
        let mut values = Vec::new();
        if matches!(self.options.char_varying, CharVarying::No | CharVarying::Null) {
            values.push("trim_text = \"keep\"");
        }
        if self.options.char_varying == CharVarying::Null {
            values.push("low_value_text = \"end\"");
        }
        if self.options.bad_numbers_are_zero {
            values.push("bad_numbers = \"zero\"");
        }
        if !values.is_empty() {
            let _ = writeln!(text, "values = {{ {} }}", values.join(", "));
        }
        if !part.containers.is_empty() {
            let pairs: Vec<String> = part
                .containers
                .iter()
                .map(|(group, name)| format!("{} = {}", quoted(group), quoted(name)))
                .collect();
            let _ = writeln!(text, "containers = {{ {} }}", pairs.join(", "));
        }
        let fields = self.fields(part)?;
        if !fields.is_empty() {
            let _ = write!(text, "\n[{section}.fields]\n{fields}");
        }
        Ok(text)
    }

    /// The choices for fields, one a line.
    fn fields(&self, part: &Part) -> Result<String, Vec<Problem>> {
        let layout = layout(self, part)?;
        let mut lines = String::new();
        // A field that is named below has its own choices.
        let paths = Paths::of(&layout);
        let named: HashSet<_> = part.fields.keys().filter_map(|name| paths.resolve(name).ok()).collect();
        for (id, field) in layout.iter().filter(|(id, field)| !field.filler && !named.contains(id)) {
            let form = match &field.kind {
                Kind::Text { .. } if self.options.char_varying == CharVarying::Binary => "bytes = \"base64\"",
                kind if is_time(kind, &self.options) => "date = \"ABSTIME\"",
                _ => continue,
            };
            let _ = writeln!(lines, "{} = {{ {form} }}", quoted(&layout.path(id)));
        }
        for (name, choice) in &part.fields {
            let mut keys = Vec::new();
            let name_key = choice.name.as_ref().map(|name| format!("name = {}", quoted(name)));
            if choice.is_of_wsdl(&self.options) {
                keys.push(xml_key(choice, name_key));
            } else {
                keys.extend(name_key);
            }
            keys.extend(choice.omit_blank.then(|| "omit = \"\"".to_owned()));
            keys.extend(choice.included.map(|included| format!("included = {included}")));
            keys.extend(choice.required.then(|| "required = true".to_owned()));
            keys.extend(choice.form.map(|form| match form {
                FieldForm::Hex => "bytes = \"hex\"".to_owned(),
                FieldForm::Base64 => "bytes = \"base64\"".to_owned(),
                FieldForm::Boolean => assistant::BOOLEAN.to_owned(),
                FieldForm::Text(kind) => format!("xsd = {}", quoted(kind.name())),
            }));
            let bytes = paths.resolve(name).map_or(0, |id| layout.field(id).bytes);
            keys.extend(
                missing(choice, &self.options, bytes).map(|zeros| format!("default = {}", quoted(&zeros))),
            );
            let _ = writeln!(lines, "{} = {{ {} }}", quoted(name), keys.join(", "));
        }
        Ok(lines)
    }

    /// The copybook with its members in it, so that members of other bind files cannot change it.
    fn expanded(&self, part: &Part) -> String {
        let text = self.copybooks.get(&part.copybook).map(String::as_str).unwrap_or_default();
        let options = copybook::Options::default();
        ProgramText::read(&part.copybook, text, &options, &Members(self)).text().to_owned()
    }
}

fn operation_section(operation: &Operation, service: &str) -> String {
    let Operation { name, soap_action, response_action, request, response, .. } = operation;
    let mut text =
        format!("\n[[operation]]\nname = {}\nservice = {}\n", quoted(&request.element), quoted(service));
    let _ = writeln!(text, "request_namespace = {}", quoted(&request.namespace));
    if let Some(response) = response {
        let _ = writeln!(text, "response = {}", quoted(&response.element));
        let _ = writeln!(text, "response_namespace = {}", quoted(&response.namespace));
    } else {
        text.push_str("one_way = true\n");
    }
    if !soap_action.is_empty() {
        let _ = writeln!(text, "soap_action = {}", quoted(soap_action));
    }
    if !response_action.is_empty() {
        let _ = writeln!(text, "response_action = {}", quoted(response_action));
    }
    debug_assert!(!name.is_empty());
    text
}

/// The form of a field in XML, if its schema is not made from the copybook.
fn xml_key(choice: &FieldChoice, name: Option<String>) -> String {
    let namespace = choice.namespace.as_ref().map(|namespace| format!("namespace = {}", quoted(namespace)));
    let form = match choice.xml {
        XmlPlace::Element => None,
        XmlPlace::Attribute => Some("form = \"attribute\""),
        XmlPlace::Text => Some("form = \"text\""),
    };
    let nil = match choice.nil {
        Nillable::Refuse => None,
        Nillable::Accept => Some("nil = \"accept\""),
        Nillable::Write => Some("nil = \"write\""),
    };
    let any_order = choice.any_order.then_some("any_order = true");
    let default = choice.default.as_ref().map(|default| format!("default = {}", quoted(default)));
    let fixed = choice.fixed.then(|| "fixed = true".to_owned());
    let others = &choice.other_attributes;
    let others = (!others.is_empty()).then(|| format!("other_attributes = {}", list(others)));
    let words = form.into_iter().chain(nil).chain(any_order).map(str::to_owned);
    let values = default.into_iter().chain(fixed).chain(others);
    let keys: Vec<String> = name.into_iter().chain(namespace).chain(words).chain(values).collect();
    format!("xml = {{ {} }}", keys.join(", "))
}

/// Patterns of attributes as a list of TOML.
fn list(attributes: &OtherAttributes) -> String {
    let patterns: Vec<String> = attributes.patterns().iter().map(|pattern| quoted(pattern)).collect();
    format!("[{}]", patterns.join(", "))
}

/// A string of TOML.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_keeps_its_order_and_nil() {
        let choice = FieldChoice { any_order: true, nil: Nillable::Accept, ..FieldChoice::default() };
        assert_eq!(xml_key(&choice, None), "xml = { nil = \"accept\", any_order = true }");
        let choice = FieldChoice { default: Some("a \"b\"".to_owned()), ..FieldChoice::default() };
        assert_eq!(xml_key(&choice, None), "xml = { default = 'a \"b\"' }");
        let other_attributes = OtherAttributes::all_but(["", "urn:a"]);
        let choice = FieldChoice { fixed: true, other_attributes, ..choice };
        let expected = "xml = { default = 'a \"b\"', fixed = true, other_attributes = [\"*\", \"!{}*\", \"!{urn:a}*\"] }";
        assert_eq!(xml_key(&choice, None), expected);
    }

    const FILE: &str = r#"
wsbind = 1
name = "CLAIM"
program = "CLAIMPGM"
uri = "https://host.example/cics/services/claim?x"
mapping_level = "4.0"
minimum_runtime_level = "4.0"
namespace = "urn:claim"

[options]
char_occurs = "string"

[[operation]]
name = "CLAIMOperation"
request = { element = "CLAIMOperation", namespace = "urn:in", copybook = "CLAIMI" }
response = { element = "CLAIMResponse", namespace = "urn:out", copybook = "CLAIMI", fields = { CLAIM-NO = { name = "no" } } }

[copybooks]
CLAIMI = """
       01  CLAIM-IN.
           COPY CLAIMROW REPLACING ==:P:== BY ==CLAIM==.
"""
CLAIMROW = """
           03  :P:-NO  PIC X(6).
"""
"#;

    fn file(text: &str) -> BindFile {
        BindFile::read(text.as_bytes()).unwrap_or_else(|problems| panic!("{problems:?}"))
    }

    #[test]
    fn a_bind_file_becomes_the_files_of_a_folder() {
        let files = file(FILE).folder(819).expect("files");
        let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
        let expected = [
            "soap/CLAIM.toml",
            "copybooks/CLAIM/CLAIM.request.cpy",
            "copybooks/CLAIM/CLAIM.response.cpy",
            "services/CLAIM.toml",
        ];
        assert_eq!(paths, expected);
        for (path, text) in files.iter().filter(|(path, _)| path.ends_with(".toml")) {
            toml::from_str::<toml::Table>(text).unwrap_or_else(|error| panic!("{path}: {error}\n{text}"));
        }
        let (_, soap) = &files[0];
        assert!(soap.starts_with("path = \"/cics/services/claim\"\nversions = \"1.1\"\n"), "{soap}");
        assert!(soap.contains("response = \"CLAIMResponse\"\nresponse_namespace = \"urn:out\""), "{soap}");
        let (_, copybook) = &files[1];
        assert!(copybook.contains("CLAIM-NO") && !copybook.contains("COPY"), "{copybook}");
        let (_, service) = &files[3];
        assert!(service.contains("program = \"CLAIMPGM\"") && !service.contains("[provider]"), "{service}");
        assert!(
            service.contains("character_tables = \"text\"")
                && service.contains("values = { trim_text = \"keep\" }"),
            "{service}"
        );
        assert!(
            service.contains("CLAIM-NO = { name = \"no\" }")
                || service.contains("\"CLAIM-NO\" = { name = \"no\" }"),
            "{service}"
        );
    }

    #[test]
    fn a_program_with_a_channel_or_a_transaction_has_a_provider() {
        let text = FILE.replacen(
            "uri =",
            "interface = \"channel\"\ncontainer = \"IN\"\ntransaction = \"CLM1\"\nuri =",
            1,
        );
        let files = file(&text).folder(819).expect("files");
        let (_, service) = &files[3];
        let provider = "[provider]\nkind = \"program\"\nprogram = \"CLAIMPGM\"\ntransaction = \"CLM1\"\nchannel = \"DFHAHC-V1\"\nrequest_container = \"IN\"\n";
        assert!(service.contains(provider), "{service}");
    }

    #[test]
    fn names_of_a_wsdl_and_its_documents_come_with_the_file() {
        let text = FILE.replacen("[options]", "[options]\nfull_tables = true", 1).replacen(
            "name = \"no\"",
            "name = \"no\", namespace = \"urn:x\", xml = \"attribute\", omit_blank = true",
            1,
        ) + "[wsdl]\nfile = \"a.wsdl\"\nfiles = { \"a.wsdl\" = \"<a/>\", \"types/b.xsd\" = \"<b/>\" }\n";
        let files = file(&text).folder(819).expect("files");
        let of = |path: &str| files.iter().find(|(found, _)| found == path).expect(path).1.as_str();
        assert_eq!((of("wsdl/CLAIM/a.wsdl"), of("wsdl/CLAIM/types/b.xsd")), ("<a/>", "<b/>"));
        let soap = of("soap/CLAIM.toml");
        assert!(soap.contains("wsdl = \"wsdl/CLAIM/a.wsdl\"") && !soap.contains("mapping_level"), "{soap}");
        let service = of("services/CLAIM.toml");
        toml::from_str::<toml::Table>(service).unwrap_or_else(|error| panic!("{error}\n{service}"));
        let field = "{ xml = { name = \"no\", namespace = \"urn:x\", form = \"attribute\" }, omit = \"\" }";
        assert!(service.contains(field) && service.contains("table_room = \"full\""), "{service}");
    }

    #[test]
    fn a_requester_has_a_file_of_its_own() {
        let text = FILE.replacen("program = \"CLAIMPGM\"", "role = \"requester\"", 1);
        let files = file(&text).folder(819).expect("files");
        let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
        let copybook = |side: &str| format!("copybooks/CLAIM/CLAIMOperation.{side}.cpy");
        assert_eq!(paths, ["requesters/CLAIM/requester.toml", &copybook("request"), &copybook("response")]);
        let (_, text) = &files[0];
        let read: toml::Table = toml::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(read["uri"].as_str(), Some("https://host.example/cics/services/claim?x"));
        let operation = &read["operation"][0];
        assert_eq!(operation["soap"]["response_namespace"].as_str(), Some("urn:out"));
        assert_eq!(operation["response"]["fields"]["CLAIM-NO"]["name"].as_str(), Some("no"));
    }

    #[test]
    fn what_no_folder_has_is_refused() {
        let requester = FILE.replacen("program = \"CLAIMPGM\"", "role = \"requester\"", 1);
        let nowhere = requester.replacen("https://host.example", "", 1);
        let refused = file(&nowhere).folder(819).expect_err("refused");
        assert!(refused[0].message.starts_with("expected the address of the server"), "{refused:?}");
        let no_path = FILE.replacen("/cics/services/claim?x", "", 1);
        assert_eq!(
            file(&no_path).folder(819).expect_err("refused")[0].message,
            "expected a path, found none"
        );
        let broken = FILE.replacen("PIC X(6)", "POINTER", 1);
        assert!(file(&broken).folder(819).is_err());
    }
}
