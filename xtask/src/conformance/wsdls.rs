//! WSDLs of other projects: each becomes copybooks that GnuCOBOL compiles, or is on the list of those that are refused.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use assistant::Options;
use wsdl::read::{Element, Operation, is_empty, read, shape};

/// How Gantry compiles programs.
const DIALECT: &str = "-std=ibm-strict";

/// The cases of a WSDL: itself, and each of its operations that is refused. A file without a binding is a part of another WSDL,
/// and no case.
pub(super) fn cases(path: &Path) -> Vec<(String, Result<(), String>)> {
    let is_wsdl = path.extension().is_some_and(|ending| ending == "wsdl");
    let bytes = if is_wsdl { fs::read(path).unwrap_or_default() } else { Vec::new() };
    let text = String::from_utf8_lossy(&bytes);
    if !["<binding", ":binding"].iter().any(|tag| text.contains(&format!("{tag} "))) {
        return Vec::new();
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut files = |name: &str| fs::read(folder.join(name)).map_err(|error| error.kind().to_string());
    let read = match read(&name, bytes, &mut files) {
        Ok(read) => read,
        Err(faults) => return vec![(name, Err(faults[0].to_string()))],
    };
    let (mut records, mut refused, mut good) = (String::new(), Vec::new(), 0);
    for binding in &read.bindings {
        for operation in &binding.operations {
            let (called, made) = match operation {
                Ok(operation) => (&operation.name, copybooks(operation, good)),
                Err(faults) => (&faults.name, Err(faults.faults[0].to_string())),
            };
            match made {
                Ok(text) => {
                    records.push_str(&text);
                    good += 1;
                }
                Err(message) => refused.push((format!("{name}, {}, {called}", binding.name), Err(message))),
            }
        }
    }
    let own = match refused.first() {
        Some((_, Err(message))) if good == 0 => return vec![(name, Err(message.clone()))],
        _ => compile(&records),
    };
    refused.push((name, own));
    refused
}

/// The copybooks of an operation.
fn copybooks(operation: &Operation, number: usize) -> Result<String, String> {
    let mut records = String::new();
    let response = operation.response.as_ref().and_then(Option::as_ref);
    let messages: [(char, Option<&Element>); 2] = [('Q', operation.request.as_ref()), ('A', response)];
    for (letter, element) in messages {
        let Some(element) = element.filter(|element| !is_empty(element)) else { continue };
        let options = Options::web_service(&format!("{letter}{number:03}"));
        let shape = shape(element, &options).map_err(|faults| faults[0].to_string())?;
        let copybook = assistant::write(&shape, &options).map_err(|found| found[0].to_string())?;
        // Our own parser must take what the compiler takes.
        copybook::parse("X", &copybook.text, &copybook::Options::default())
            .map_err(|found| format!("{}: our own parser: {}", operation.name, found[0].message))?;
        records.push_str(&copybook.text);
    }
    Ok(records)
}

fn compile(records: &str) -> Result<(), String> {
    let mut program = String::new();
    for line in
        ["IDENTIFICATION DIVISION.", "PROGRAM-ID. WSDLS.", "DATA DIVISION.", "WORKING-STORAGE SECTION."]
    {
        let _ = writeln!(program, "       {line}");
    }
    let _ = write!(program, "{records}       PROCEDURE DIVISION.\n           GOBACK.\n");
    let path = std::env::temp_dir().join(format!("gantry-wsdls-{}.cbl", std::process::id()));
    fs::write(&path, program).map_err(|error| format!("{}: {error}", path.display()))?;
    let run = Command::new("cobc").args(["-fsyntax-only", DIALECT]).arg(&path).stdin(Stdio::null()).output();
    let _ = fs::remove_file(&path);
    let output = run.map_err(|error| format!("GnuCOBOL 3 (cobc) does not run: {error}"))?;
    let told = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        Ok(())
    } else {
        Err(format!("cobc: {}", told.lines().next().unwrap_or_default()))
    }
}
