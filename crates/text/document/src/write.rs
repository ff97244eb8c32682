//! Writes a document as JSON again: members in their order, numbers as they came.

use crate::{Node, Value};

impl Node<'_> {
    /// The value as JSON without blanks.
    ///
    /// # Panics
    /// Never: the written text is UTF-8.
    #[must_use]
    pub fn json(&self) -> String {
        let mut out = Vec::new();
        self.write_json(&mut out);
        String::from_utf8(out).expect("JSON is written in UTF-8")
    }

    /// The value as JSON for people: a line for each member and element.
    ///
    /// # Panics
    /// Never: the written text is UTF-8.
    #[must_use]
    pub fn pretty_json(&self) -> String {
        let mut out = Vec::new();
        self.write_pretty(0, &mut out);
        out.push(b'\n');
        String::from_utf8(out).expect("JSON is written in UTF-8")
    }

    fn write_pretty(&self, depth: usize, out: &mut Vec<u8>) {
        let line = |depth: usize, out: &mut Vec<u8>| {
            out.push(b'\n');
            out.resize(out.len() + 2 * depth, b' ');
        };
        match &self.value {
            Value::Array(elements) if !elements.is_empty() => {
                out.push(b'[');
                for (position, element) in elements.iter().enumerate() {
                    if position > 0 {
                        out.push(b',');
                    }
                    line(depth + 1, out);
                    element.write_pretty(depth + 1, out);
                }
                line(depth, out);
                out.push(b']');
            }
            Value::Object(members) if !members.is_empty() => {
                out.push(b'{');
                for (position, (name, member)) in members.iter().enumerate() {
                    if position > 0 {
                        out.push(b',');
                    }
                    line(depth + 1, out);
                    write_text(name, out);
                    out.extend_from_slice(b": ");
                    member.write_pretty(depth + 1, out);
                }
                line(depth, out);
                out.push(b'}');
            }
            _ => self.write_json(out),
        }
    }

    /// Writes the value as JSON without blanks.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        match &self.value {
            Value::Null => out.extend_from_slice(b"null"),
            Value::Bool(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
            Value::Number(text) => out.extend_from_slice(text.as_bytes()),
            Value::Text(text) => write_text(text, out),
            Value::Array(elements) => {
                out.push(b'[');
                for (position, element) in elements.iter().enumerate() {
                    if position > 0 {
                        out.push(b',');
                    }
                    element.write_json(out);
                }
                out.push(b']');
            }
            Value::Object(members) => {
                out.push(b'{');
                for (position, (name, member)) in members.iter().enumerate() {
                    if position > 0 {
                        out.push(b',');
                    }
                    write_text(name, out);
                    out.push(b':');
                    member.write_json(out);
                }
                out.push(b'}');
            }
        }
    }
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    serde_json::to_writer(out, text).expect("a string is written to memory");
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::read;

    fn rewritten(text: &str) -> String {
        let mut out = Vec::new();
        read(text).expect("JSON").write_json(&mut out);
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn what_was_read_is_written() {
        let text = r#"{"z":[1.50,-0,1e400,null,true,false],"a":{"q\"\\\n":"\u0001é"},"":[],"o":{}}"#;
        assert_eq!(rewritten(text), text);
        assert_eq!(rewritten("\u{feff} [ 1 , \"\\u00e9\\/\" ] "), "[1,\"é/\"]");
    }

    fn json() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(Into::into),
            any::<i64>().prop_map(Into::into),
            any::<String>().prop_map(Into::into),
        ];
        leaf.prop_recursive(6, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
                prop::collection::vec((any::<String>(), inner), 0..6)
                    .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_document_comes_back(value in json()) {
            let text = serde_json::to_string(&value).expect("JSON");
            prop_assert_eq!(rewritten(&text), text.as_str());
            let pretty = serde_json::to_string_pretty(&value).expect("JSON") + "\n";
            prop_assert_eq!(read(&text).expect("JSON").pretty_json(), pretty);
        }
    }
}
