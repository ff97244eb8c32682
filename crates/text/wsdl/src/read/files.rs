//! The files of a WSDL: the WSDL itself and its imports and includes, from a callback.
//!
//! Nothing is fetched. A location is a path from the folder of the file that names it. The reader remembers
//! URLs, and files that it did not get. It reports them if a declaration of their namespace is missing.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use roxmltree::{Attribute, Document, Node, ParsingOptions};

use super::fault::{Fault, Lines, Place};
use super::limits::{self, FILE_BYTES_MAX, FILES_BYTES_MAX, FILES_MAX, IMPORT_DEPTH_MAX};
use super::names;

/// Gives the bytes of a file by its path from the folder of the WSDL, with `/`. It begins with `../` if it
/// leads out of that folder. The callback decides whether that is allowed ([`below_root`]). The error is the
/// reason why there is no file.
pub type Files<'f> = dyn FnMut(&str) -> Result<Vec<u8>, String> + 'f;

/// A file.
pub(super) struct Source {
    pub(super) text: String,
    pub(super) lines: Lines,
}

/// A location without a file.
#[derive(Clone, Debug)]
pub(super) struct Unread {
    /// The namespace of the missing file.
    pub(super) namespace: String,
    /// The fault of the location.
    pub(super) fault: Fault,
}

/// All files.
#[derive(Default)]
pub(super) struct Sources {
    pub(super) all: Vec<Source>,
    pub(super) by_name: HashMap<String, usize>,
    pub(super) unread: Vec<Unread>,
}

/// A file that another file names.
struct Wanted {
    name: String,
    namespace: String,
    depth: usize,
    place: Option<Place>,
}

impl Sources {
    /// Reads the WSDL and all files that it names, each once.
    pub(super) fn read(name: &str, bytes: Vec<u8>, files: &mut Files<'_>) -> Result<Self, Fault> {
        let mut sources = Self::default();
        let mut total = 0;
        let first = Wanted { name: name.to_owned(), namespace: String::new(), depth: 0, place: None };
        let mut waiting = VecDeque::from([(first, Some(bytes))]);
        while let Some((wanted, given)) = waiting.pop_front() {
            if sources.by_name.contains_key(&wanted.name) {
                continue;
            }
            let start = Place { file: Arc::from(wanted.name.as_str()), line: 1, column: 1 };
            let importer = wanted.place.clone().unwrap_or_else(|| start.clone());
            let bytes = match given.map_or_else(|| files(&wanted.name), Ok) {
                Ok(bytes) => bytes,
                Err(message) => {
                    let fault = Fault::new(&importer, format!("{}: {message}", wanted.name));
                    sources.unread.push(Unread { namespace: wanted.namespace, fault });
                    continue;
                }
            };
            total += bytes.len();
            let count = sources.all.len();
            for (found, most, what) in [
                (bytes.len(), FILE_BYTES_MAX, "bytes in a file"),
                (total, FILES_BYTES_MAX, "bytes in all files"),
                (count + 1, FILES_MAX, "files"),
                (wanted.depth, IMPORT_DEPTH_MAX, "files between the WSDL and one that it imports"),
            ] {
                if found > most {
                    return Err(Fault::new(
                        &importer,
                        format!("expected at most {most} {what}, found {found}"),
                    ));
                }
            }
            let text = decode(bytes).map_err(|message| Fault::new(&start, message))?;
            let lines = Lines::new(start.file, &text);
            limits::check(&text, &lines)?;
            sources.want_imports(&text, &lines, &wanted, &mut waiting)?;
            sources.by_name.insert(wanted.name, count);
            sources.all.push(Source { text, lines });
        }
        Ok(sources)
    }

    /// The texts by their names, without declarations of XML.
    pub(super) fn documents(&self) -> BTreeMap<String, String> {
        let documents = self.by_name.iter();
        documents
            .map(|(name, at)| (name.clone(), without_declaration(&self.all[*at].text).to_owned()))
            .collect()
    }

    /// Notes the imports and includes of a file.
    fn want_imports(
        &mut self,
        text: &str,
        lines: &Lines,
        importer: &Wanted,
        waiting: &mut VecDeque<(Wanted, Option<Vec<u8>>)>,
    ) -> Result<(), Fault> {
        let document = parse(text, lines)?;
        for node in document.descendants() {
            let Some(location) = location(node) else { continue };
            let namespace = names::own_attribute(node, "namespace").unwrap_or_default().to_owned();
            let place = lines.place(node.range().start);
            match resolve(&importer.name, location) {
                Ok(name) => {
                    let depth = importer.depth + 1;
                    waiting.push_back((Wanted { name, namespace, depth, place: Some(place) }, None));
                }
                Err(message) => {
                    let fault = Fault::new(&place, format!("'{location}' {message}"));
                    self.unread.push(Unread { namespace, fault });
                }
            }
        }
        Ok(())
    }

    /// The file of an import or include.
    pub(super) fn target(&self, from: usize, node: Node<'_, '_>) -> Option<usize> {
        let name = resolve(&self.all[from].lines.file, location(node)?).ok()?;
        self.by_name.get(&name).copied()
    }
}

/// The tree of a text that has passed [`limits::check`].
pub(super) fn parse<'t>(text: &'t str, lines: &Lines) -> Result<Document<'t>, Fault> {
    let options = ParsingOptions { nodes_limit: FILE_BYTES_MAX as u32, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| {
        let at = error.pos();
        let place = Place { file: Arc::clone(&lines.file), line: at.row as usize, column: at.col as usize };
        Fault::new(&place, format!("expected XML, found something else: {error}"))
    })
}

/// The location in an import, include or redefinition.
fn location<'d>(node: Node<'d, '_>) -> Option<&'d str> {
    location_attribute(node).map(|(_, location)| location)
}

/// The attribute with that location.
pub(super) fn location_attribute<'d, 'i>(node: Node<'d, 'i>) -> Option<(Attribute<'d, 'i>, &'d str)> {
    let name = node.tag_name();
    let attribute = match (name.namespace()?, name.name()) {
        (names::XSD, "import" | "include" | "redefine") => "schemaLocation",
        (names::WSDL, "import") => "location",
        _ => return None,
    };
    let found = names::own_attribute_node(node, attribute)?;
    Some((found, found.value()))
}

/// The path of a location that a file names, from the folder of the WSDL.
fn resolve(from: &str, location: &str) -> Result<String, &'static str> {
    let location = location.trim();
    if location.contains(':') {
        return Err("is not a file of this folder; it is not fetched. Store it there and name its path");
    }
    if location.is_empty() || location.starts_with('/') || location.contains('\\') {
        return Err("is not a path from the folder of this file: store it there and name its path");
    }
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut path: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in location.split('/') {
        match part {
            "" | "." => {}
            ".." if path.last().is_some_and(|last| *last != "..") => drop(path.pop()),
            part => path.push(part),
        }
    }
    Ok(path.join("/"))
}

/// Reads a WSDL at a path below a root, with `/`. `read` gets the name of the WSDL, and asks for imports by
/// their names: paths from the folder of the WSDL, or from the root if an import leads out of that folder.
/// `files` gives the bytes of a path below the root. Files outside of the root are refused with the text
/// `outside`.
pub fn below_root<T>(
    (path, outside): (&str, &str),
    files: &mut Files<'_>,
    mut read: impl FnMut(&str, &mut Files<'_>) -> T,
) -> T {
    let (folder, own) = path.rsplit_once('/').unwrap_or(("", path));
    let mut leads_out = false;
    let result = read(own, &mut |name| {
        if name.starts_with("../") {
            leads_out = true;
            return Err(outside.to_owned());
        }
        if folder.is_empty() { files(name) } else { files(&format!("{folder}/{name}")) }
    });
    if !leads_out || folder.is_empty() {
        return result;
    }
    read(path, &mut |name| if name.starts_with("../") { Err(outside.to_owned()) } else { files(name) })
}

/// The text behind its declaration of XML.
pub(super) fn without_declaration(text: &str) -> &str {
    let text = text.trim_start_matches('\u{feff}');
    match text.strip_prefix("<?xml ").and_then(|rest| rest.split_once("?>")) {
        Some((_, rest)) => rest.trim_start(),
        None => text,
    }
}

/// The text of a file: UTF-8 or UTF-16 by its first bytes, or the encoding that it declares.
fn decode(bytes: Vec<u8>) -> Result<String, String> {
    let units = |order: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes[2..].chunks_exact(2).map(|pair| order([pair[0], pair[1]])).collect();
        String::from_utf16(&units).map_err(|_| "expected UTF-16, found other bytes".to_owned())
    };
    match bytes.as_slice() {
        [0xFE, 0xFF, ..] => units(u16::from_be_bytes),
        [0xFF, 0xFE, ..] => units(u16::from_le_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => {
            String::from_utf8(rest.to_vec()).map_err(|_| "expected UTF-8, found other bytes".to_owned())
        }
        _ => {
            let head = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]);
            let declared = head
                .strip_prefix("<?xml")
                .and_then(|head| head.split_once("?>"))
                .and_then(|(head, _)| head.split_once("encoding"))
                .and_then(|(_, value)| value.split(['"', '\'']).nth(1))
                .unwrap_or("UTF-8")
                .to_ascii_uppercase();
            match declared.as_str() {
                "ISO-8859-1" | "LATIN1" => Ok(bytes.iter().map(|byte| char::from(*byte)).collect()),
                "UTF-8" | "US-ASCII" | "ASCII" => String::from_utf8(bytes).map_err(|error| {
                    format!("expected UTF-8, found other bytes at {}", error.utf8_error().valid_up_to())
                }),
                other => Err(format!("expected UTF-8, UTF-16 or ISO-8859-1, found {other}")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_paths_from_the_folder() {
        assert_eq!(resolve("a.wsdl", "./types/b.xsd"), Ok("types/b.xsd".to_owned()));
        assert_eq!(resolve("types/b.xsd", "../c.xsd"), Ok("c.xsd".to_owned()));
        assert_eq!(resolve("types/b.xsd", "../../c/../d.xsd"), Ok("../d.xsd".to_owned()));
        assert_eq!(resolve("../types/b.xsd", "../../c.xsd"), Ok("../../c.xsd".to_owned()));
        for location in ["http://example.org/a.xsd", "/etc/passwd", "", "c:\\x", "file:///etc/passwd"] {
            assert!(resolve("a.wsdl", location).is_err(), "{location}");
        }
    }

    #[test]
    fn nothing_outside_of_the_root_is_given() {
        let given = |path: &str, imports: &[&str]| {
            let mut asked = Vec::new();
            let mut files = |name: &str| {
                asked.push(name.to_owned());
                Ok(Vec::new())
            };
            let names = below_root((path, "outside"), &mut files, |name, files| {
                let mut names = vec![name.to_owned()];
                for import in imports {
                    let import = resolve(name, import).expect("a path");
                    names.push(files(&import).map_or_else(|why| why, |_| import));
                }
                names
            });
            (names, asked)
        };
        let (names, asked) = given("wsdl/s/a.wsdl", &["b.xsd", "t/c.xsd"]);
        assert_eq!(
            (names, asked),
            (
                vec!["a.wsdl".into(), "b.xsd".into(), "t/c.xsd".into()],
                vec!["wsdl/s/b.xsd".into(), "wsdl/s/t/c.xsd".into()]
            )
        );
        let (names, asked) = given("wsdl/s/a.wsdl", &["../t/c.xsd", "../../../x"]);
        assert_eq!(names, ["wsdl/s/a.wsdl", "wsdl/t/c.xsd", "outside"]);
        assert_eq!(asked, ["wsdl/t/c.xsd"]);
        let (names, asked) = given("a.wsdl", &["../t/c.xsd"]);
        assert_eq!((names, asked), (vec!["a.wsdl".into(), "outside".into()], Vec::new()));
    }

    #[test]
    fn files_are_text_in_the_encoding_that_they_say() {
        assert_eq!(decode(b"<a>\xC3\xA4</a>".to_vec()), Ok("<a>ä</a>".to_owned()));
        assert_eq!(decode(b"\xEF\xBB\xBF<a/>".to_vec()), Ok("<a/>".to_owned()));
        let latin = b"<?xml version='1.0' encoding='iso-8859-1'?><a>\xE4</a>";
        assert!(decode(latin.to_vec()).is_ok_and(|text| text.ends_with("<a>ä</a>")));
        assert_eq!(decode(b"\xFF\xFE<\0a\0/\0>\0".to_vec()), Ok("<a/>".to_owned()));
        assert!(decode(b"<a>\xE4</a>".to_vec()).is_err());
        assert!(decode(b"<?xml version='1.0' encoding='cp037'?><a/>".to_vec()).is_err());
    }
}
