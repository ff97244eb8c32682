//! A folder that answers in place of the WSDL's server, with examples or by a program.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use soap_commands::{Elements, Provided, Provider};
use web_service::{BIND_FILE_BYTES_MAX, InterfaceKind};
use wsdl::read::{Binding, Element, Version};

use super::document::Document;
use super::try_out::{made, over_soap};
use super::{CCSID, Laid, Taken, lack, none_is_left, put, rest, taken, together};
use crate::backs::Back;
use crate::of_program::COMMAREA;
use crate::sources::SourceFile;
use crate::texts::{ADDRESS, GANTRY_HEAD, Plan, quoted};
use crate::used::Used;
use crate::ways::Way;
use crate::{NewArgs, PROGRAM_CCSID, Scaffold, add, containers, entries, sources};

/// The channel of a program that gets the messages of a web service.
const CHANNEL: &str = "DFHAHC-V1";

/// Makes a folder that answers with examples, until a program replaces them.
///
/// # Errors
/// No operation can be served.
pub(super) fn simulated(
    args: &NewArgs,
    document: &Document,
    binding: &Binding,
    folder: PathBuf,
) -> Result<Scaffold, String> {
    let name = &args.name;
    let rules = soap_commands::laying_of_provider(binding);
    // The copybooks help to write the program.
    let program = Program {
        name: &program_name(name),
        interface: InterfaceKind::Channel,
        container: None,
        ccsid: CCSID,
    };
    let mut provided = program.provided(name, document, binding).ok();
    let ready = provided.as_mut().map(|provided| std::mem::take(&mut provided.messages)).unwrap_or_default();
    let laid = Laid::without_program(&rules);
    let (found, mut lacks) = taken(document, binding, &laid, BTreeSet::new(), ready)?;
    let mut files: BTreeMap<String, Vec<u8>> = document.files()?.into_iter().collect();
    let mut taken = Vec::new();
    let mut elements = Elements::default();
    for operation in found {
        let simulated = elements.take(operation.operation).and_then(|()| simulation(name, &operation));
        match simulated {
            Ok((provider, vectors)) => {
                let path = format!("services/{}.toml", operation.service);
                put(&mut files, [(path, operation.service_file(document, &provider, CCSID))]);
                put(&mut files, vectors);
                taken.push(operation);
            }
            Err(reason) => lacks.push(lack(&operation.operation.name, vec![reason])),
        }
    }
    if taken.is_empty() {
        return Err(none_is_left(document, &lacks));
    }
    if let Some(provided) = provided {
        put(&mut files, copybooks(provided.copybooks));
    }
    let api = rest::make(name, document, &taken, &folder)?;
    put(&mut files, api.files);
    let path = soap_path(name);
    let mut requests = api.requests;
    requests.extend(over_soap(&taken, binding.version, &path, &folder));
    put(&mut files, requests.files);
    put(
        &mut files,
        [
            ("gantry.toml".to_owned(), GANTRY_HEAD.to_owned()),
            (format!("soap/{name}-soap.toml"), web_service(&path, document, binding, &taken)),
            ("requests.http".to_owned(), requests.text),
        ],
    );
    let mut next = vec![format!("gantry serve {}", terminal::word(&folder))];
    next.extend(requests.commands);
    next.push(format!("curl -s '{ADDRESS}{path}?wsdl'"));
    Ok(Scaffold { folder, files, picked_up: Vec::new(), lacks: ("not served", together(lacks)), next })
}

/// The back of an operation: its provider, and the file of its answer.
fn simulation(name: &str, taken: &Taken<'_>) -> Result<(String, Vec<(String, String)>), String> {
    let hint = format!(
        "# To have a program answer, put its source into programs/, and these keys here in place of the others:\n\
         # kind = \"program\", program = {}, channel = \"{CHANNEL}\". copybooks/ has its records.\n",
        quoted(&program_name(name))
    );
    let Some(response) = taken.response() else {
        let text = format!("{hint}[provider]\nkind = \"simulated\"\nanswer = \"echo\"\n");
        return Ok((text, Vec::new()));
    };
    let sample = made(response).ok_or("Gantry found no answer that fits the schema")?;
    let file = format!("{}.jsonl", taken.service);
    let containers: Vec<String> = sample
        .containers
        .iter()
        .map(|(name, bytes)| format!(r#""{name}":{{"hex":"{}"}}"#, hex(bytes)))
        .collect();
    let vector = format!("{{\"response\":{{\"containers\":{{{}}}}}}}\n", containers.join(","));
    let text = format!(
        "{hint}[provider]\nkind = \"simulated\"\nanswer = \"playback\"\nvectors = {}\n",
        quoted(&file)
    );
    Ok((text, vec![(format!("vectors/{file}"), vector)]))
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02X}");
    }
    text
}

/// The path of the web service.
fn soap_path(name: &str) -> String {
    format!("/cics/services/{name}")
}

/// The file of the web service.
fn web_service(path: &str, document: &Document, binding: &Binding, taken: &[Taken<'_>]) -> String {
    let of_port_type = document.wsdl.bindings.iter().filter(|other| other.port_type == binding.port_type);
    let has = |version| of_port_type.clone().any(|other| other.version == version);
    let versions = match (has(Version::V1_1), has(Version::V1_2)) {
        (true, true) => "all",
        (false, true) => "1.2",
        _ => "1.1",
    };
    let mut text = format!(
        "path = {}\nversions = \"{versions}\"\nnamespace = {}\nwsdl = {}\n",
        quoted(path),
        quoted(&document.wsdl.namespace),
        quoted(&document.path())
    );
    for Taken { operation, service, .. } in taken {
        let Some(request) = &operation.request else { continue };
        let mut keys = vec![
            ("name", &request.name.local),
            ("service", service),
            ("request_namespace", &request.name.namespace),
        ];
        if let Some(Some(Element { name, .. })) = &operation.response {
            keys.extend([("response", &name.local), ("response_namespace", &name.namespace)]);
        }
        let actions = [("soap_action", &operation.action), ("response_action", &operation.response_action)];
        keys.extend(actions.into_iter().filter(|(_, action)| !action.is_empty()));
        text.push_str("\n[[operation]]\n");
        for (key, value) in keys {
            // Writing to a text cannot fail.
            let _ = writeln!(text, "{key} = {}", quoted(value));
        }
        if operation.response.is_none() {
            text.push_str("one_way = true\n");
        }
    }
    text
}

/// Makes a folder in which a program answers. It has a bind file for the pickup folder of a
/// pipeline.
///
/// # Errors
/// The program cannot be read or translated, or no operation is possible.
pub(super) fn by_program(
    args: &NewArgs,
    path: &Path,
    document: &Document,
    binding: &Binding,
    folder: PathBuf,
) -> Result<Scaffold, String> {
    let name = &args.name;
    let mut file =
        SourceFile { path: path.to_owned(), copybooks: args.back.copybooks.clone(), ..SourceFile::default() };
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_ascii_uppercase();
    let channel = Program {
        name: &stem,
        interface: InterfaceKind::Channel,
        container: containers::of_request(path)?,
        ccsid: PROGRAM_CCSID,
    };
    // The program may copy these new copybooks. Both interfaces have copybooks with the same names.
    let of_channel = channel.provided(name, document, binding);
    if let Ok(provided) = &of_channel {
        file.given = provided.copybooks.iter().cloned().collect();
    }
    let takes_commarea = entries::linkage(&file)?.iter().any(|record| record == COMMAREA);
    let (program, provided) = match takes_commarea {
        true => {
            let program = Program { interface: InterfaceKind::Commarea, container: None, ..channel };
            let provided = program.provided(name, document, binding);
            (program, provided)
        }
        false => (channel, of_channel),
    };
    let mut provided = provided.map_err(|lacks| refusal(document, &lacks))?;
    file.given = provided.copybooks.iter().cloned().collect();
    let mut used = Used::by(&file)?;
    let linked = used.with_linked(&file)?;
    let mut files = BTreeMap::new();
    put(&mut files, copybooks(std::mem::take(&mut provided.copybooks)));
    add(&mut files, &sources::program(&file)?)?;
    add(&mut files, &linked)?;
    let (request, response) = (&Way::Nothing, &Way::Nothing);
    let plan = Plan { name, ccsid: PROGRAM_CCSID, request, response, key: None, used: &used };
    let settings = Back::Program(file, None).settings(&plan);
    let gantry = format!("{GANTRY_HEAD}\n[[pipeline]]\nname = {}\n{settings}", quoted(name));
    let (taken, without_rest) = program.taken(name, document, binding, &mut provided)?;
    let api = rest::make(name, document, &taken, &folder)?;
    put(&mut files, api.files);
    put(&mut files, program.services(document, &taken));
    files.extend(document.files()?);
    let bind = bind_text(&provided.file, BIND_FILE_BYTES_MAX)?;
    let place = |folder: &str| format!("pipelines/{name}/{folder}/{}.wsbind", provided.file.name);
    let mut requests = api.requests;
    requests.extend(over_soap(&taken, binding.version, &soap_path(name), &folder));
    put(&mut files, requests.files);
    let texts = [
        ("gantry.toml".to_owned(), gantry),
        (place("pickup"), bind),
        ("requests.http".to_owned(), requests.text),
    ];
    put(&mut files, texts);
    let left_out = provided.left_out.into_iter();
    let left_out = left_out.map(|(operation, reason)| lack(&operation, vec![reason]));
    let mut lacks = together(left_out.chain(without_rest).collect());
    lacks.extend(used.lacks(name).into_iter().map(|lack| format!("the program needs {lack}")));
    let mut next = vec![format!("gantry serve {}", terminal::word(&folder))];
    next.extend(requests.commands);
    next.push(format!("curl -s '{ADDRESS}{}?wsdl'", soap_path(name)));
    let picked_up = vec![(place("pickup"), place("shelf"))];
    Ok(Scaffold { folder, files, picked_up, lacks: ("not served, or not there", lacks), next })
}

/// The error of a WSDL without a possible operation. A reason that names no operation stands alone.
fn refusal(document: &Document, lacks: &[String]) -> String {
    match lacks {
        [one] if !one.contains(": ") => one.clone(),
        lacks => none_is_left(document, lacks),
    }
}

/// The text of a bind file.
///
/// # Errors
/// It has faults, or a gateway would not read it.
fn bind_text(file: &web_service::BindFile, bytes_max: usize) -> Result<String, String> {
    let text = file.write().map_err(|problems| lines(&problems))?;
    if text.len() > bytes_max {
        return Err(format!(
            "the bind file of {} would have {} bytes, and at most {bytes_max} are possible: choose some operations with \
             --operations A,B",
            terminal::count(file.operation.len(), "operation"),
            text.len()
        ));
    }
    Ok(text)
}

/// The program that answers, and its interface for messages.
struct Program<'a> {
    name: &'a str,
    interface: InterfaceKind,
    container: Option<String>,
    /// The code page of its texts.
    ccsid: u16,
}

impl Program<'_> {
    /// Its copybooks and its bind file.
    fn provided(&self, name: &str, document: &Document, binding: &Binding) -> Result<Provided, Vec<String>> {
        let provider = Provider {
            name,
            program: self.name,
            interface: self.interface,
            container: self.container.clone(),
            path: &soap_path(name),
            ccsid: self.ccsid,
        };
        soap_commands::provider(&provider, binding, &document.wsdl)
    }

    /// The operations of its bind file, with messages of the WSDL: JSON has the names of the WSDL. They have the layout of the copybooks.
    /// The bind file gets a name beside that of the API. Operations that no JSON can reach come with the reason.
    ///
    /// # Errors
    /// None is left.
    fn taken<'w>(
        &self,
        name: &str,
        document: &Document,
        binding: &'w Binding,
        provided: &mut Provided,
    ) -> Result<(Vec<Taken<'w>>, Vec<String>), String> {
        let rules = soap_commands::laying_of_provider(binding);
        let laid = Laid {
            rules: &rules,
            ccsid: self.ccsid,
            interface: self.interface,
            container: self.container.as_deref(),
        };
        // No API and web service have the same name, and the services of the shelf have that of the web service.
        let soap = format!("{name}-soap");
        let on_shelf = provided.file.operation.iter().map(|operation| format!("{soap}-{}", operation.name));
        let names = on_shelf.chain([soap.clone()]).map(|name| name.to_ascii_lowercase());
        let ready = std::mem::take(&mut provided.messages);
        let bound: Vec<&str> = provided.file.operation.iter().map(|bound| bound.name.as_str()).collect();
        let (mut found, lacks) = taken(document, binding, &laid, names.collect(), ready)?;
        found.retain(|taken| bound.contains(&taken.operation.name.as_str()));
        let found_names = found.iter().map(|taken| taken.operation.name.as_str());
        let without_rest = over_soap_only(&bound, &found_names.collect(), &lacks);
        provided.file.name = soap;
        Ok((found, without_rest))
    }

    /// The services of operations: each calls the program.
    fn services(&self, document: &Document, taken: &[Taken<'_>]) -> Vec<(String, String)> {
        let mut provider = format!("[provider]\nkind = \"program\"\nprogram = {}\n", quoted(self.name));
        if self.interface == InterfaceKind::Channel {
            provider.push_str(&format!("channel = \"{CHANNEL}\"\n"));
        }
        let service = |taken: &Taken<'_>| {
            let path = format!("services/{}.toml", taken.service);
            (path, taken.service_file(document, &provider, self.ccsid))
        };
        taken.iter().map(service).collect()
    }
}

/// The operations of a bind file that the API lacks, each with the reason.
fn over_soap_only(bound: &[&str], of_api: &HashSet<&str>, lacks: &[String]) -> Vec<String> {
    let missing = bound.iter().filter(|operation| !of_api.contains(*operation));
    let told = missing.map(|operation| {
        let reason = lacks.iter().find_map(|lack| lack.strip_prefix(operation)?.strip_prefix(": "));
        let reason = reason.unwrap_or("the messages have no JSON");
        lack(operation, vec![format!("it answers over SOAP only; for the API: {reason}")])
    });
    told.collect()
}

/// A name for a program: at most 8 letters and digits.
fn program_name(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.take(8).collect::<String>().to_ascii_uppercase()
}

fn copybooks(made: Vec<(String, String)>) -> impl Iterator<Item = (String, String)> {
    made.into_iter().map(|(name, text)| (format!("copybooks/{name}.cpy"), text))
}

fn lines(problems: &[web_service::Problem]) -> String {
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    lines.join("\n        ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_that_the_wsdl_lays_out_come_with_the_bind_file() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/channel/tests/orders.wsdl");
        let document = Document::read(Path::new(path), None).expect("a WSDL");
        let binding = &document.wsdl.bindings[0];
        let program = Program { name: "P", interface: InterfaceKind::Channel, container: None, ccsid: CCSID };
        let mut provided = program.provided("shop", &document, binding).expect("operations");
        let made = provided.messages.values().next().expect("messages").clone();
        let (taken, _) = program.taken("shop", &document, binding, &mut provided).expect("an API");
        // They are not compiled again.
        assert!(std::sync::Arc::ptr_eq(&taken[0].messages.request, &made.request));
    }

    #[test]
    fn operations_that_only_the_bind_file_has_are_told_with_the_reason() {
        let lacks = ["Find: no place", "FindAll: x: y; z", "Gone: not in the bind file"].map(str::to_owned);
        let told = over_soap_only(&["Find", "Buy", "FindAll", "Sell"], &HashSet::from(["Buy"]), &lacks);
        assert_eq!(
            told,
            [
                "Find: it answers over SOAP only; for the API: no place",
                "FindAll: it answers over SOAP only; for the API: x: y; z",
                "Sell: it answers over SOAP only; for the API: the messages have no JSON",
            ]
        );
    }

    #[test]
    fn a_bind_file_that_is_too_large_is_refused_with_what_to_do() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../text/wsdl/tests/golden/levels/service.wsdl");
        let document = Document::read(Path::new(path), None).expect("a WSDL");
        let program = Program { name: "P", interface: InterfaceKind::Channel, container: None, ccsid: CCSID };
        let provided = program.provided("shop", &document, &document.wsdl.bindings[0]).expect("operations");
        let text = bind_text(&provided.file, BIND_FILE_BYTES_MAX).expect("a text");
        assert!(bind_text(&provided.file, text.len()).is_ok());
        let error = bind_text(&provided.file, text.len() - 1).expect_err("too large");
        assert!(
            error.starts_with("the bind file of ")
                && error.ends_with("choose some operations with --operations A,B"),
            "{error}"
        );
    }
}
