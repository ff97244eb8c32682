//! Names of elements: those of JSON, made valid where XML does not allow them.

use super::XmlOptions;
use super::characters::{is_name, is_name_character, is_name_start};
use crate::error::CompileError;
use crate::model::{Member, Node};
use crate::names::UniqueNames;

/// The name of an element for a member's name: an underscore in front of what may not be first, and `X`, as the web
/// services assistants have it, for what may not be at all.
pub(crate) fn element_name(name: &str) -> String {
    if is_name(name) {
        return name.to_owned();
    }
    let mut element: String =
        name.chars().map(|character| if is_name_character(character) { character } else { 'X' }).collect();
    if !element.chars().next().is_some_and(is_name_start) {
        element.insert(0, '_');
    }
    element
}

/// The same members under the names of their elements; none if all have them already.
pub(crate) fn with_element_names(members: &[Member]) -> Option<Vec<Member>> {
    if members.iter().all(is_named) {
        return None;
    }
    let mut names = UniqueNames::default();
    // Names that are valid stay as they are, and the others make way for them.
    for member in members.iter().filter(|member| is_name(&member.name)) {
        names.reserve(&member.name);
    }
    let renamed = members.iter().map(|member| {
        let mut member = member.clone();
        if !is_name(&member.name) {
            member.name = names.add(element_name(&member.name));
        }
        if let Node::Object(inner) = &member.node
            && let Some(inner) = with_element_names(inner)
        {
            member.node = Node::Object(inner);
        }
        member
    });
    Some(renamed.collect())
}

fn is_named(member: &Member) -> bool {
    is_name(&member.name)
        && match &member.node {
            Node::Object(inner) => inner.iter().all(is_named),
            Node::Scalar(_) => true,
        }
}

/// Checks what the options name.
pub(crate) fn check_names(options: &XmlOptions) -> Result<(), CompileError> {
    let fail = |message: String| Err(CompileError { field: String::new(), line: 0, message });
    if let Some(root) = options.root.as_deref().filter(|root| !is_name(root)) {
        return fail(format!("'{root}' is not a name for an element of XML"));
    }
    if let Some(prefix) = options.prefix.as_deref() {
        if !is_name(prefix) || prefix.to_ascii_lowercase().starts_with("xml") || prefix == "xsi" {
            return fail(format!("'{prefix}' is not a prefix for a namespace of XML"));
        }
        if options.namespace.is_none() {
            return fail(format!("the prefix '{prefix}' has no namespace"));
        }
    }
    match options.namespace.as_deref() {
        Some("" | super::XSI | super::XML | super::XMLNS) => {
            fail("the namespace of the elements must be one of your own".to_owned())
        }
        Some(namespace) if super::characters::scan(namespace).forbidden.is_some() => {
            fail("the namespace has a character that XML does not allow".to_owned())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::element_name;

    #[test]
    fn names_become_valid() {
        for (name, element) in [
            ("count_in", "count_in"),
            ("COUNT-IN", "COUNT-IN"),
            ("9A-ID", "_9A-ID"),
            ("-A", "_-A"),
            ("A#B", "AXB"),
            ("a b:c", "aXbXc"),
            ("#", "X"),
            ("", "_"),
            ("été", "été"),
        ] {
            assert_eq!(element_name(name), element);
        }
    }
}
