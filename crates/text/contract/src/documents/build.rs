//! Values of documents that are built member by member.

use std::borrow::Cow;

use document::{Node, Value};

/// The members of an object that is being made.
#[derive(Debug, Default)]
pub(super) struct Members<'t>(Vec<(String, Node<'t>)>);

impl<'t> Members<'t> {
    /// The members of an object, for changing them.
    pub(super) fn of(node: Node<'t>) -> Self {
        match node.value {
            Value::Object(members) => Self(members),
            _ => Self::default(),
        }
    }

    /// Sets a member: in its place if it exists, else at the end.
    pub(super) fn put(&mut self, name: &str, node: Node<'t>) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = node,
            None => self.0.push((name.to_owned(), node)),
        }
    }

    /// Sets a member if there is a value.
    pub(super) fn put_some(&mut self, name: &str, node: Option<Node<'t>>) {
        if let Some(node) = node {
            self.put(name, node);
        }
    }

    /// Removes a member.
    pub(super) fn remove(&mut self, name: &str) -> Option<Node<'t>> {
        let at = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(at).1)
    }

    /// Keeps the members whose names pass.
    pub(super) fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        self.0.retain(|(name, _)| keep(name));
    }

    /// The names of the members.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    pub(super) fn get(&self, name: &str) -> Option<&Node<'t>> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, node)| node)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The members as a list.
    pub(super) fn into_list(self) -> Vec<(String, Node<'t>)> {
        self.0
    }

    /// Changes each member.
    pub(super) fn map(self, mut change: impl FnMut(&str, Node<'t>) -> Node<'t>) -> Self {
        Self(self.0.into_iter().map(|(name, node)| (name.clone(), change(&name, node))).collect())
    }

    pub(super) fn into_node(self) -> Node<'t> {
        node(Value::Object(self.0))
    }
}

pub(super) fn node(value: Value<'_>) -> Node<'_> {
    Node { offset: 0, value }
}

pub(super) fn text<'t>(text: impl Into<Cow<'t, str>>) -> Node<'t> {
    node(Value::Text(text.into()))
}

pub(super) fn truth<'t>(value: bool) -> Node<'t> {
    node(Value::Bool(value))
}

pub(super) fn array(elements: Vec<Node<'_>>) -> Node<'_> {
    node(Value::Array(elements))
}

/// An object of one member.
pub(super) fn one<'t>(name: &str, member: Node<'t>) -> Node<'t> {
    node(Value::Object(vec![(name.to_owned(), member)]))
}

/// An object without members.
pub(super) fn empty<'t>() -> Node<'t> {
    node(Value::Object(Vec::new()))
}

/// Changes each element of an array. Other values stay.
pub(super) fn map_elements<'t>(list: Node<'t>, change: impl FnMut(Node<'t>) -> Node<'t>) -> Node<'t> {
    match list.value {
        Value::Array(elements) => {
            Node { offset: list.offset, value: Value::Array(elements.into_iter().map(change).collect()) }
        }
        _ => list,
    }
}

/// Changes each member of an object. Other values stay.
pub(super) fn map_members<'t>(object: Node<'t>, mut change: impl FnMut(Node<'t>) -> Node<'t>) -> Node<'t> {
    match object.value {
        Value::Object(_) => Members::of(object).map(|_, node| change(node)).into_node(),
        _ => object,
    }
}
