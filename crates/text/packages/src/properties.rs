//! `service.properties` of a service project of the API toolkit, read as the manifest of its archive.

use crate::archive::Tree;
use crate::fault::{Fault, FaultKind};
use crate::manifest::Manifest;
use crate::names::check_name;

/// The file that every service project has.
pub(crate) const FILE: &str = "service.properties";

/// The folder of a project's interfaces.
const INTERFACES: &str = "service-interfaces";

/// Names of the project's properties, and their names in manifests.
const RENAMED: [(&str, &str); 1] = [("executableName", "program")];

/// Properties that name an interface, and their names in manifests.
const INTERFACE_NAMES: [(&str, &str); 2] =
    [("requestSIName", "wvRequestInterfaceFile"), ("responseSIName", "wvResponseInterfaceFile")];

/// Properties that a manifest has in places of their own.
const HEAD: [&str; 4] = ["name", "version", "description", "provider"];

/// Reads the project's properties.
pub(crate) fn read(tree: &Tree) -> Result<Manifest, Fault> {
    let pairs = pairs(tree.text(FILE)?);
    let wrong = |line: usize, message: String| Fault::at(FaultKind::Content, FILE, line, message);
    let text = |key: &str| {
        let found = pairs.iter().find(|(known, ..)| known == key);
        found.map(|(_, value, _)| value.clone()).unwrap_or_default()
    };
    let name = text("name");
    check_name(&name).map_err(|why| wrong(0, format!("the service's name {why}")))?;
    let mut manifest = Manifest {
        file: FILE.to_owned(),
        version: text("version"),
        description: text("description"),
        provider: text("provider"),
        ..Manifest::default()
    };
    for (key, value, line) in &pairs {
        if HEAD.contains(&key.as_str()) {
            continue;
        }
        let renamed = |table: &[(&str, &'static str)]| {
            table.iter().find(|(known, _)| known == key).map(|(_, renamed)| (*renamed).to_owned())
        };
        let (key, value) = match (renamed(&INTERFACE_NAMES), renamed(&RENAMED)) {
            (Some(key), _) if !value.is_empty() => (key, format!("{INTERFACES}/{value}")),
            (_, Some(key)) => (key, value.clone()),
            _ => (key.clone(), value.clone()),
        };
        manifest.properties.push((key, value, *line));
    }
    if let Some((_, missing)) =
        INTERFACE_NAMES.iter().find(|(_, renamed)| manifest.property(renamed).is_none())
    {
        let key = INTERFACE_NAMES.iter().find(|(_, renamed)| renamed == missing).map_or("", |(key, _)| key);
        return Err(wrong(0, format!("the property {key} is missing, which names an interface (.si)")));
    }
    manifest.name = name;
    Ok(manifest)
}

/// Keys and values with their lines, in the format of Java.
fn pairs(text: &str) -> Vec<(String, String, usize)> {
    let mut pairs = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let line = line.trim_start();
        if line.is_empty() || line.starts_with(['#', '!']) {
            continue;
        }
        let mut whole = line.to_owned();
        // A line whose last character is escaped continues.
        while whole.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1 {
            whole.pop();
            let Some((_, next)) = lines.next() else { break };
            whole.push_str(next.trim_start());
        }
        let end = key_end(&whole);
        let (key, rest) = whole.split_at(end);
        let rest = rest.trim_start();
        let rest = rest.strip_prefix(['=', ':']).unwrap_or(rest).trim_start();
        pairs.push((unescaped(key), unescaped(rest), at + 1));
    }
    pairs
}

/// The end of a key: the first `=`, `:` or blank that is not escaped.
fn key_end(line: &str) -> usize {
    let mut escaped = false;
    for (at, character) in line.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '=' | ':' | ' ' | '\t' => return at,
            _ => {}
        }
    }
    line.len()
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            out.push(character);
            continue;
        }
        match characters.next() {
            Some('t') => out.push('\t'),
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('u') => {
                let digits: String = characters.by_ref().take(4).collect();
                let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                out.push(code.unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_read_as_java_writes_them() {
        let text =
            "#Mon Jun 29\n! c\nname=Pay\\ it\n\n description = a\\:b \\\n   c\\u00e4\nbidiConfigRef=\nlast";
        let expected =
            [("name", "Pay it", 3), ("description", "a:b cä", 5), ("bidiConfigRef", "", 7), ("last", "", 8)];
        let expected = expected.map(|(key, value, line)| (key.to_owned(), value.to_owned(), line));
        assert_eq!(pairs(text), expected);
    }
}
