//! Names of elements: the names of JSON, made valid where XML does not allow them.

use ::xml::{XML, XMLNS, XSI, element_name, is_name, scan};

use super::XmlOptions;
use crate::error::CompileError;
use crate::model::{Member, Node};
use crate::options::Naming;

/// The same members under the names of their elements; none if no name differs.
pub(crate) fn with_element_names(members: &[Member]) -> Option<Vec<Member>> {
    if members.iter().all(is_named) {
        return None;
    }
    let mut names = Naming::default().unique();
    // Valid names stay, and the other names avoid them.
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

/// Checks the names in the options.
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
        Some("" | XSI | XML | XMLNS) => {
            fail("the namespace of the elements must be one of your own".to_owned())
        }
        Some(namespace) if scan(namespace).forbidden.is_some() => {
            fail("the namespace has a character that XML does not allow".to_owned())
        }
        _ => Ok(()),
    }
}
