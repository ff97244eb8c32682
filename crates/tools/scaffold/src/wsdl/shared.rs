//! Schemas of objects and texts that a document has several times: they become components, and stand once.
//!
//! Messages of a WSDL share types, and each schema of a message has all of them again. Without components, the document of a large WSDL
//! would have many times the bytes of the WSDL.
//!
//! Schemas are texts without spaces, as the crate `channel` writes them. They stay texts, so numbers keep all digits.

use std::collections::{BTreeMap, HashMap};

use channel::Numbered;

/// How the schemas begin that may be components. Long ones of texts list values.
const STARTS: [&str; 2] = [r#"{"type":"object""#, r#"{"type":"string""#];
/// Shorter schemas stay where they are: a reference is hardly shorter.
const SHARED_BYTES_MIN: usize = 120;
/// The name of a component that no member has: the body of a message.
const NAMELESS: &str = "Message";

/// The schemas in some texts.
#[derive(Default)]
pub(super) struct Shared<'t> {
    /// How often each is there, and the member that has it first.
    found: HashMap<&'t str, (usize, &'t str)>,
    /// The names of those that became components.
    named: HashMap<&'t str, String>,
    /// All names in use.
    names: Numbered,
    /// The components by their names.
    components: BTreeMap<String, String>,
}

impl<'t> Shared<'t> {
    /// Counts the schemas of a text. Schemas inside of a known one do not count again.
    pub(super) fn count(&mut self, text: &'t str) {
        let mut covered = 0;
        for (start, end) in schemas(text) {
            if start < covered || end - start < SHARED_BYTES_MIN {
                continue;
            }
            let object = &text[start..end];
            let (times, _) = self.found.entry(object).or_insert((0, member(text, start)));
            *times += 1;
            if *times > 1 {
                covered = end;
            }
        }
    }

    /// A text that was counted, with references in place of the schemas that are there several times.
    pub(super) fn referring(&mut self, text: &'t str) -> String {
        self.written(text, false)
    }

    /// The same; a component refers to others in it, and not to itself.
    fn written(&mut self, text: &'t str, is_component: bool) -> String {
        let (mut out, mut at) = (String::new(), 0);
        for (start, end) in schemas(text) {
            let is_itself = is_component && (start, end) == (0, text.len());
            if start < at || end - start < SHARED_BYTES_MIN || is_itself {
                continue;
            }
            let object = &text[start..end];
            if self.found.get(object).is_some_and(|(times, _)| *times > 1) {
                out.push_str(&text[at..start]);
                out.push_str(&self.reference(object));
                at = end;
            }
        }
        out + &text[at..]
    }

    /// A reference to the component of a schema, which is made if it is not there.
    fn reference(&mut self, object: &'t str) -> String {
        if !self.named.contains_key(object) {
            let name = self.free_name(object);
            self.named.insert(object, name.clone());
            let text = self.written(object, true);
            self.components.insert(name, text);
        }
        let name = self.named.get(object).map_or(NAMELESS, String::as_str);
        format!(r##"{{"$ref":"#/components/schemas/{name}"}}"##)
    }

    /// A name of letters, digits and the signs that names of components may have.
    fn free_name(&mut self, object: &str) -> String {
        let is_plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        let member = self.found.get(object).map_or("", |(_, member)| member);
        let plain: String = member.chars().filter(is_plain).collect();
        let plain = if plain.is_empty() { NAMELESS.to_owned() } else { plain };
        self.names.take(&plain)
    }

    /// The components as the member of a document, with a comma before it; empty if there are none.
    pub(super) fn components(&self) -> String {
        if self.components.is_empty() {
            return String::new();
        }
        let members: Vec<String> =
            self.components.iter().map(|(name, schema)| format!("\"{name}\":{schema}")).collect();
        format!(r#","components":{{"schemas":{{{}}}}}"#, members.join(","))
    }
}

/// Where schemas begin and end, the outer before those in it.
fn schemas(text: &str) -> Vec<(usize, usize)> {
    let (mut found, mut open) = (Vec::new(), Vec::new());
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = end_of_text(bytes, at),
            b'{' => {
                let is_schema = STARTS.iter().any(|start| text[at..].starts_with(start));
                open.push(is_schema.then(|| {
                    found.push((at, at));
                    found.len() - 1
                }));
            }
            b'}' => {
                if let Some(Some(index)) = open.pop() {
                    found[index].1 = at + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    // All of them have an end, because the texts are JSON.
    found
}

/// The quote that ends a text.
fn end_of_text(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at
}

/// The name of the member that has a schema: of the array, for the schema of its elements.
fn member(text: &str, start: usize) -> &str {
    let before = text[..start].strip_suffix(r#"{"type":"array","items":"#).unwrap_or(&text[..start]);
    let Some(before) = before.strip_suffix("\":") else { return "" };
    before.rsplit_once('"').map_or("", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The schema of an object with a member that makes it long enough.
    fn object(members: &str) -> String {
        let filler = "x".repeat(SHARED_BYTES_MIN);
        format!(r#"{{"type":"object","properties":{{"{filler}":{{"type":"string"}}{members}}}}}"#)
    }

    #[test]
    fn schemas_that_are_there_twice_stand_once() {
        let inner = object("");
        let outer = object(&format!(r#","in":{inner}"#));
        let texts = [
            object(&format!(r#","a":{outer},"b":{{"type":"array","items":{outer}}}"#)),
            object(&format!(
                r#","say":{{"type":"string","description":"{{\"type\":\"object\" }}"}},"in":{inner}"#
            )),
        ];
        let mut shared = Shared::default();
        texts.iter().for_each(|text| shared.count(text));
        let told: Vec<String> = texts.iter().map(|text| shared.referring(text)).collect();
        let reference = |name: &str| format!(r##"{{"$ref":"#/components/schemas/{name}"}}"##);
        let expected = format!(r#","a":{0},"b":{{"type":"array","items":{0}}}"#, reference("a"));
        assert_eq!(told[0], object(&expected));
        assert_eq!(
            told[1],
            object(&format!(
                r#","say":{{"type":"string","description":"{{\"type\":\"object\" }}"}},"in":{}"#,
                reference("in")
            ))
        );
        assert_eq!(
            shared.components(),
            format!(
                r#","components":{{"schemas":{{"a":{},"in":{inner}}}}}"#,
                object(&format!(r#","in":{}"#, reference("in")))
            )
        );
    }

    #[test]
    fn names_of_components_are_plain_and_differ() {
        let (first, second) = (object(""), object(r#","more":{"type":"integer"}"#));
        let text = object(&format!(r#","@Größe":{first},"b":{first},"@Gre":{second},"d":{second}"#));
        let (mut shared, root) = (Shared::default(), object(""));
        shared.count(&text);
        let told = shared.referring(&text);
        assert!(told.contains("schemas/Gre\"") && told.contains("schemas/Gre2\""), "{told}");
        // A whole message may be there twice, too.
        let mut shared = Shared::default();
        shared.count(&root);
        shared.count(&root);
        for _ in 0..2 {
            assert_eq!(shared.referring(&root), r##"{"$ref":"#/components/schemas/Message"}"##);
        }
        assert_eq!(shared.components(), format!(r#","components":{{"schemas":{{"Message":{root}}}}}"#));
    }

    #[test]
    fn long_lists_of_values_are_shared() {
        let values: Vec<String> = (0..40).map(|number| format!("\"VALUE-{number}\"")).collect();
        let list = format!(r#"{{"type":"string","enum":[{}]}}"#, values.join(","));
        let text = object(&format!(r#","a":{list},"b":{list}"#));
        let mut shared = Shared::default();
        shared.count(&text);
        let reference = r##"{"$ref":"#/components/schemas/a"}"##;
        assert_eq!(shared.referring(&text), object(&format!(r#","a":{reference},"b":{reference}"#)));
        assert_eq!(shared.components(), format!(r#","components":{{"schemas":{{"a":{list}}}}}"#));
    }

    #[test]
    fn what_is_there_once_or_short_stays() {
        let once = object(r#","a":{"type":"object"},"b":{"type":"object"}"#);
        let mut shared = Shared::default();
        shared.count(&once);
        assert_eq!((shared.referring(&once), shared.components()), (once.clone(), String::new()));
    }
}
