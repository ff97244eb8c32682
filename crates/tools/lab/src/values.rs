//! The values of a document, so that answers of servers that write XML or JSON in their own ways can be compared.

use document::{Node, Value};

/// A leaf: its name without a prefix, and its text.
pub(crate) type Leaf = (String, String);

/// The leaves of an XML or JSON document, in their order.
///
/// # Errors
/// The text is neither.
pub(crate) fn leaves(text: &str) -> Result<Vec<Leaf>, String> {
    let mut found = Vec::new();
    if text.trim_start().starts_with('<') {
        let tree = roxmltree::Document::parse(text).map_err(|error| format!("it is not XML: {error}"))?;
        let elements = tree.descendants().filter(|node| node.is_element());
        for element in elements.filter(|node| !node.children().any(|child| child.is_element())) {
            found.push((element.tag_name().name().to_owned(), element.text().unwrap_or_default().to_owned()));
        }
    } else {
        let tree = document::read(text).map_err(|_| "it is neither XML nor JSON".to_owned())?;
        add_leaves("", &tree, &mut found);
    }
    Ok(found)
}

fn add_leaves(name: &str, node: &Node<'_>, found: &mut Vec<Leaf>) {
    match &node.value {
        Value::Object(members) => members.iter().for_each(|(name, node)| add_leaves(name, node, found)),
        Value::Array(elements) => elements.iter().for_each(|node| add_leaves(name, node, found)),
        _ => {
            let text = node.text().map_or_else(
                || {
                    let mut json = Vec::new();
                    node.write_json(&mut json);
                    String::from_utf8_lossy(&json).into_owned()
                },
                str::to_owned,
            );
            found.push((name.to_owned(), text));
        }
    }
}

/// The first difference between the values of two documents; none if they have the same values.
pub(crate) fn difference(expected: &str, found: &str) -> Option<String> {
    let (expected, found) = match (leaves(expected), leaves(found)) {
        (Ok(expected), Ok(found)) => (expected, found),
        (Err(message), _) => return Some(format!("the expected answer: {message}")),
        (_, Err(message)) => return Some(message),
    };
    for (number, (expected, found)) in expected.iter().zip(&found).enumerate() {
        if expected != found {
            let ((wanted, text), (name, other)) = (expected, found);
            return Some(format!("value {}: {name} {other:?} instead of {wanted} {text:?}", number + 1));
        }
    }
    (expected.len() != found.len())
        .then(|| format!("it has {} values instead of {}", found.len(), expected.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_of_a_document_does_not_matter() {
        let ours = "<a xmlns='x'><b>1</b><c>two</c></a>";
        let theirs = "<?xml version='1.0'?>\n<p:a xmlns:p='x'>\n <p:b >1</p:b>\n <p:c>two</p:c></p:a>";
        assert_eq!(difference(ours, theirs), None);
        assert_eq!(difference(r#"{"a":[1,2.50],"b":null}"#, "{ \"a\" : [1, 2.50],\n\"b\":null}"), None);
    }

    #[test]
    fn the_first_other_value_is_told() {
        let told = |expected, found| difference(expected, found).expect("a difference");
        assert!(told("<a><b>1</b></a>", "<a><b>2</b></a>").contains("value 1: b \"2\" instead of b \"1\""));
        assert!(told("<a><b>1</b><c/></a>", "<a><b>1</b></a>").contains("1 values instead of 2"));
        assert!(told(r#"{"a":1}"#, r#"{"a":"1x"}"#).contains("1x"));
        assert!(told("<a/>", "nothing").contains("neither XML nor JSON"));
    }
}
