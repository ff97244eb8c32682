//! A folder that answers in place of the WSDL's server, with examples or by a program.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use soap_commands::{Elements, Provided, Provider};
use web_service::InterfaceKind;
use wsdl::read::{Binding, Element, Version};

use super::document::Document;
use super::try_out::{made, soap_request};
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
    (document, binding): (&Document, &Binding),
    folder: PathBuf,
) -> Result<Scaffold, String> {
    let name = &args.name;
    let rules = soap_commands::laying_of_provider();
    let (found, mut lacks) = taken(document, binding, &Laid::without_program(&rules), BTreeSet::new())?;
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
    // The copybooks help to write the program.
    let program = Program { name: &program_name(name), interface: InterfaceKind::Channel, container: None };
    if let Ok(provided) = program.provided(name, (document, binding)) {
        put(&mut files, copybooks(provided.copybooks));
    }
    let api = rest::make(name, document, &taken)?;
    put(&mut files, api.files);
    let path = soap_path(name);
    let mut requests = api.requests;
    for operation in &taken {
        if let Some(sample) = made(operation.request()) {
            requests.push_str(&soap_request(operation.operation, binding.version, &path, &sample.element));
        }
    }
    put(
        &mut files,
        [
            ("gantry.toml".to_owned(), GANTRY_HEAD.to_owned()),
            (format!("soap/{name}-soap.toml"), web_service(&path, document, binding, &taken)),
            ("requests.http".to_owned(), requests),
        ],
    );
    let mut next = vec![format!("gantry serve {}", folder.display())];
    next.extend(api.commands);
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
    (document, binding): (&Document, &Binding),
    folder: PathBuf,
) -> Result<Scaffold, String> {
    let name = &args.name;
    let mut file =
        SourceFile { path: path.to_owned(), copybooks: args.back.copybooks.clone(), given: BTreeMap::new() };
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_ascii_uppercase();
    let channel =
        Program { name: &stem, interface: InterfaceKind::Channel, container: containers::of_request(path)? };
    // The program may copy these new copybooks. Both interfaces have copybooks with the same names.
    if let Ok(provided) = channel.provided(name, (document, binding)) {
        file.given = provided.copybooks.into_iter().collect();
    }
    let takes_commarea = entries::linkage(&file)?.iter().any(|record| record == COMMAREA);
    let program = match takes_commarea {
        true => Program { name: &stem, interface: InterfaceKind::Commarea, container: None },
        false => channel,
    };
    let mut provided =
        program.provided(name, (document, binding)).map_err(|lacks| match lacks.as_slice() {
            [one] if !one.contains(": ") => one.clone(),
            lacks => none_is_left(document, lacks),
        })?;
    file.given = provided.copybooks.iter().cloned().collect();
    let mut used = Used::by(&file)?;
    let linked = used.with_linked(&file)?;
    let mut files = BTreeMap::new();
    put(&mut files, copybooks(provided.copybooks));
    add(&mut files, &sources::program(&file)?)?;
    add(&mut files, &linked)?;
    let (request, response) = (&Way::Nothing, &Way::Nothing);
    let plan = Plan { name, ccsid: PROGRAM_CCSID, request, response, key: None, used: &used };
    let settings = Back::Program(file, None).settings(&plan);
    let gantry = format!("{GANTRY_HEAD}\n[[pipeline]]\nname = {}\n{settings}", quoted(name));
    let api = program.api(name, (document, binding), &mut provided.file)?;
    let bind = provided.file.write().map_err(|problems| lines(&problems))?;
    let place = |folder: &str| format!("pipelines/{name}/{folder}/{}.wsbind", provided.file.name);
    let mut requests = requests(binding, &provided.file, name)?;
    let mut next = vec![format!("gantry serve {}", folder.display())];
    if let Some(api) = api {
        requests.insert_str(0, &api.requests);
        put(&mut files, api.files);
        files.extend(document.files()?);
        next.extend(api.commands);
    }
    let texts =
        [("gantry.toml".to_owned(), gantry), (place("pickup"), bind), ("requests.http".to_owned(), requests)];
    put(&mut files, texts);
    let left_out = provided.left_out.into_iter();
    let mut lacks = together(left_out.map(|(operation, reason)| lack(&operation, vec![reason])).collect());
    lacks.extend(used.lacks().into_iter().map(|lack| format!("the program needs {lack}")));
    next.push(format!("curl -s '{ADDRESS}{}?wsdl'", soap_path(name)));
    let picked_up = vec![(place("pickup"), place("shelf"))];
    Ok(Scaffold { folder, files, picked_up, lacks: ("not served, or not there", lacks), next })
}

/// The program that answers, and its interface for messages.
struct Program<'a> {
    name: &'a str,
    interface: InterfaceKind,
    container: Option<String>,
}

impl Program<'_> {
    /// Its copybooks and its bind file.
    fn provided(
        &self,
        name: &str,
        (document, binding): (&Document, &Binding),
    ) -> Result<Provided, Vec<String>> {
        let provider = Provider {
            name,
            program: self.name,
            interface: self.interface,
            container: self.container.clone(),
            path: &soap_path(name),
        };
        let mut part = |name: &str| document.part(name);
        soap_commands::provider(&provider, binding, (&document.name, &document.bytes), &mut part)
    }

    /// The API of the operations of its bind file, with their services; none for a program with a commarea. JSON has the names of the WSDL.
    /// So the services have messages of the WSDL, which are channels.
    fn api(
        &self,
        name: &str,
        (document, binding): (&Document, &Binding),
        file: &mut web_service::BindFile,
    ) -> Result<Option<rest::Api>, String> {
        if self.interface == InterfaceKind::Commarea {
            return Ok(None);
        }
        let rules = soap_commands::laying_of_provider();
        let laid = Laid { rules: &rules, ccsid: PROGRAM_CCSID, container: self.container.as_deref() };
        // No API and web service have the same name, and the services of the shelf have that of the web service.
        let soap = format!("{name}-soap");
        let on_shelf = file.operation.iter().map(|operation| format!("{soap}-{}", operation.name));
        let names = on_shelf.chain([soap.clone()]).map(|name| name.to_ascii_lowercase());
        // The bind file has said already what is not possible.
        let Ok((mut found, _)) = taken(document, binding, &laid, names.collect()) else { return Ok(None) };
        found.retain(|taken| file.operation.iter().any(|bound| bound.name == taken.operation.name));
        if found.is_empty() {
            return Ok(None);
        }
        let provider = format!(
            "[provider]\nkind = \"program\"\nprogram = {}\nchannel = \"{CHANNEL}\"\n",
            quoted(self.name)
        );
        let service = |taken: &Taken<'_>| {
            let path = format!("services/{}.toml", taken.service);
            (path, taken.service_file(document, &provider, PROGRAM_CCSID))
        };
        let mut api = rest::make(name, document, &found)?;
        api.files.extend(found.iter().map(service));
        file.name = soap;
        Ok(Some(api))
    }
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

/// A request for each operation of a bind file.
fn requests(binding: &Binding, file: &web_service::BindFile, name: &str) -> Result<String, String> {
    let mut requests = String::new();
    let encoding = codepage::Encoding::by_ccsid(PROGRAM_CCSID)
        .ok_or_else(|| format!("CCSID {PROGRAM_CCSID} is not known"))?;
    let operations = binding.operations.iter().flatten();
    for operation in operations.filter(|found| file.operation.iter().any(|bound| bound.name == found.name)) {
        let section = web_service::MessagesSection {
            wsdl: String::new(),
            binding: None,
            operation: operation.name.clone(),
            container: None,
            layout: soap_commands::laying_of_provider(),
        };
        let sample = section.of_operation(operation, encoding).ok().and_then(|found| made(&found.request));
        match sample {
            Some(sample) => requests.push_str(&soap_request(
                operation,
                binding.version,
                &soap_path(name),
                &sample.element,
            )),
            None => requests.push_str(&format!(
                "### {}: Gantry found no request that fits the schema\n\n",
                operation.name
            )),
        }
    }
    Ok(requests)
}
