//! From a request to a document and a bind file.

use std::collections::BTreeMap;

use record::{Bind, PROGRAM_INTERFACE, ProgramInterface};
use web_service::{BindFile, FORMAT, Operation, OperationParts, Part, Problem, Role, SoapVersions};
use wsdl::{Definitions, ElementName, TypeNames, Versions};

use super::channel;
use super::request::{Carrier, Request};

/// The code page of a program's text where nothing names it; the sizes and the types of elements do not depend on it.
const CCSID_DEFAULT: u16 = 37;

/// Gives a copybook, with the members that it copies.
pub(crate) type Copybook<'c> = dyn Fn(&str, &mut BTreeMap<String, String>) -> Result<(), String> + 'c;

/// Gives the text of the description of a channel.
pub(crate) type Description<'d> = dyn Fn(&str) -> Result<String, String> + 'd;

/// Where copybooks and descriptions come from.
#[derive(Clone, Copy)]
pub(crate) struct Sources<'s> {
    pub(crate) copybook: &'s Copybook<'s>,
    pub(crate) description: &'s Description<'s>,
}

/// The files that were made.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) file: BindFile,
    pub(crate) wsdl: String,
    /// The records of its operation.
    pub(crate) parts: Vec<OperationParts>,
    pub(crate) warnings: Vec<Problem>,
    /// The content of the document, in words.
    pub(crate) summary: String,
}

/// Makes document and bind file.
///
/// # Errors
/// All that is wrong with the copybooks.
pub(crate) fn make(request: &Request, sources: &Sources<'_>) -> Result<Made, Vec<Problem>> {
    let file = bind_file(request, sources)?;
    let (parts, warnings) = file.parts(CCSID_DEFAULT)?;
    let (mut schemas, mut names) = (Vec::new(), TypeNames::default());
    let mapping_level = file.mapping_level.name();
    for (found, operation) in parts.iter().zip(&file.operation) {
        let type_name = names.add(&operation.request.namespace, PROGRAM_INTERFACE);
        let interface = ProgramInterface { mapping_level, type_name: &type_name };
        schemas.push(bind(&found.request)?.request_program_interface(interface));
        if let (Some(response), Some(part)) = (&found.response, &operation.response) {
            let type_name = names.add(&part.namespace, PROGRAM_INTERFACE);
            let interface = ProgramInterface { mapping_level, type_name: &type_name };
            schemas.push(bind(response)?.response_program_interface(interface));
        }
    }
    let shape = if request.response.is_some() { "request and response" } else { "one-way" };
    let summary = format!("{}, {shape}, SOAP {}", request.operation, versions(file.soap).1);
    let wsdl = wsdl::write(&definitions(&file, schemas));
    Ok(Made { file, wsdl, parts, warnings, summary })
}

fn bind(interface: &interface::Interface) -> Result<Bind, Vec<Problem>> {
    Bind::compile(&interface.layout, &interface.options).map_err(|errors| {
        let told = errors.iter().map(|error| {
            Problem::error(format!("{}, line {}", interface.layout.name(), error.line), error.to_string())
        });
        told.collect()
    })
}

fn bind_file(request: &Request, sources: &Sources<'_>) -> Result<BindFile, Vec<Problem>> {
    let program = &request.program;
    let member = match &request.request {
        Some(Carrier::Member(member)) => Some(member.as_str()),
        _ => None,
    };
    // IBM names the response after REQMEM too.
    let word = member.map_or_else(|| program.clone(), |member| format!("{program}.{member}"));
    let mut copybooks = BTreeMap::new();
    let mut problems = Vec::new();
    let mut part = |carrier: &Carrier, element: String, namespace: &Option<String>, kind: &str| {
        let namespace = namespace.clone().unwrap_or_else(|| format!("http://www.{word}.{kind}.com"));
        let part = Part { element, namespace, ..Part::default() };
        match carrier {
            Carrier::Member(member) => {
                if let Err(message) = (sources.copybook)(member, &mut copybooks) {
                    problems.push(Problem::error("", message));
                }
                Part { copybook: member.clone(), ..part }
            }
            Carrier::Channel(path) => match channel_part(path, kind, sources, &mut copybooks) {
                Ok((copybook, containers)) => Part { copybook, containers, ..part },
                Err(found) => {
                    problems.extend(found);
                    part
                }
            },
        }
    };
    let operation = request.operation.clone();
    let asked = request.request.as_ref();
    let asked = asked.map(|carrier| part(carrier, operation.clone(), &request.request_namespace, "Request"));
    let response = request.response.as_ref().map(|carrier| {
        part(carrier, format!("{operation}Response"), &request.response_namespace, "Response")
    });
    if !problems.is_empty() {
        return Err(problems);
    }
    let name = request.wsbind.rsplit('/').next().unwrap_or_default();
    Ok(BindFile {
        binding: None,
        layout: None,
        wsbind: FORMAT,
        name: name.strip_suffix(".wsbind").unwrap_or(name).to_owned(),
        role: Role::Provider,
        program: Some(program.clone()),
        interface: request.interface,
        container: request.container.clone(),
        uri: Some(request.uri.clone()),
        transaction: request.transaction.clone(),
        mapping_level: request.level,
        minimum_runtime_level: request.minimum_runtime_level,
        soap: request.versions,
        namespace: request.wsdl_namespace.clone().unwrap_or_else(|| format!("http://www.{word}.com")),
        wsdl: None,
        ccsid: request.ccsid,
        options: request.choices,
        operation: vec![Operation {
            by_wsdl: false,
            name: operation,
            soap_action: String::new(),
            response_action: String::new(),
            request: asked.unwrap_or_default(),
            response,
        }],
        copybooks,
    })
}

/// The copybook of all containers of a channel, and which container each of its groups is.
fn channel_part(
    path: &str,
    kind: &str,
    sources: &Sources<'_>,
    copybooks: &mut BTreeMap<String, String>,
) -> Result<(String, BTreeMap<String, String>), Vec<Problem>> {
    let text = (sources.description)(path).map_err(|message| vec![Problem::error(path, message)])?;
    let containers = channel::read(path, &text)?;
    let (mut members, mut problems) = (BTreeMap::new(), Vec::new());
    for container in &containers {
        if let Err(message) = (sources.copybook)(&container.member, &mut members) {
            problems.push(Problem::error(path, message));
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let record = format!("{}-CHANNEL", kind.to_ascii_uppercase());
    let combined = channel::combine(&record, &containers, &members)?;
    copybooks.insert(record.clone(), combined.text);
    Ok((record, combined.containers))
}

/// The versions, and how people call them.
fn versions(versions: SoapVersions) -> (Versions, &'static str) {
    match versions {
        SoapVersions::V11 => (Versions::V11, "1.1"),
        SoapVersions::V12 => (Versions::V12, "1.2"),
        SoapVersions::All => (Versions::All, "1.1 and 1.2"),
    }
}

fn definitions(file: &BindFile, schemas: Vec<String>) -> Definitions {
    let uri = file.uri.as_deref().unwrap_or_default();
    let address = if uri.contains("://") {
        uri.to_owned()
    } else {
        format!("http://server:port/{}", uri.trim_start_matches('/'))
    };
    let element = |part: &Part| ElementName { namespace: part.namespace.clone(), name: part.element.clone() };
    let operations = file.operation.iter().map(|operation| wsdl::Operation {
        name: operation.name.clone(),
        action: operation.soap_action.clone(),
        request: element(&operation.request),
        response: operation.response.as_ref().map(element),
    });
    Definitions {
        // Names of programs may have signs that names of XML do not have.
        name: xml::element_name(file.program.as_ref().unwrap_or(&file.name)),
        namespace: file.namespace.clone(),
        address,
        versions: versions(file.soap).0,
        comment: Some(format!(
            "This document was generated by Gantry at mapping level {}.",
            file.mapping_level
        )),
        schemas,
        operations: operations.collect(),
    }
}
