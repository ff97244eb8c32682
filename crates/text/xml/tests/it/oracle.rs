//! The cursor reads the same from a text as roxmltree. A fuzz target uses it too.

use roxmltree::{Document, Node};
use xml::{Cursor, Encoding, Error, ErrorKind, Open};

/// Reads a text with both, and compares all names, namespaces, attributes and texts.
///
/// # Panics
/// They differ, or the cursor accepts text that is not XML.
pub(crate) fn compare(text: &str) {
    // roxmltree keeps some carriage returns in front of references; XML has each line end read as a line feed.
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    let Ok(document) = Document::parse(&lines) else {
        return assert!(pass_over(text).is_err(), "this is no XML: {text:?}");
    };
    let _ = read(text, document.root_element(), &mut whole);
    let _ = read(text, document.root_element(), &mut in_parts);
    if pass_over(text).is_err() {
        return;
    }
    // What can be passed over can be read, but for text between elements.
    let read = read(text, document.root_element(), &mut whole);
    assert!(read.is_ok_and(|()| true) || is_mixed(document.root_element()), "{text:?}");
}

fn is_mixed(node: Node<'_, '_>) -> bool {
    node.descendants().any(|node| {
        node.children().any(|child| child.is_element())
            && node
                .children()
                .any(|child| child.is_text() && child.text().is_some_and(|text| !xml::trim(text).is_empty()))
    }) || node.descendants().any(|node| {
        // A reference to white space is text all the same.
        node.children().any(|child| child.is_element()) && node.children().any(|child| child.is_text())
    })
}

fn pass_over(text: &str) -> Result<(), Error> {
    let mut cursor = Cursor::new(text, Encoding::Utf8)?;
    let root = cursor.root()?;
    cursor.check_name(&root)?;
    cursor.skip()?;
    cursor.end()
}

type Reader<'r> = &'r mut dyn FnMut(&mut Cursor<'_>, &Open<'_>, Node<'_, '_>) -> Result<(), Error>;

fn read(text: &str, root: Node<'_, '_>, reader: Reader<'_>) -> Result<(), Error> {
    let mut cursor = Cursor::new(text, Encoding::Utf8)?;
    let open = cursor.root()?;
    if !text.contains('\r') {
        assert_eq!(open.at, root.range().start);
    }
    same_tag(&cursor, &open, root);
    reader(&mut cursor, &open, root)?;
    cursor.end()
}

/// All elements, one after the other.
fn whole(cursor: &mut Cursor<'_>, open: &Open<'_>, node: Node<'_, '_>) -> Result<(), Error> {
    let mut children = node.children().filter(|child| child.is_element());
    if node.children().any(|child| child.is_element()) {
        while let Some(child) = cursor.child()? {
            let node = children.next().expect("as many elements");
            same_tag(cursor, &child, node);
            whole(cursor, &child, node)?;
            assert_eq!(cursor.namespace(open), node.parent().and_then(namespace).unwrap_or_default());
        }
        assert!(children.next().is_none());
        return Ok(());
    }
    let text: String = node.children().filter_map(|child| child.text().filter(|_| child.is_text())).collect();
    assert_eq!(cursor.text()?, text);
    Ok(())
}

/// The elements in the outermost one as texts of their own, with the declarations around them.
fn in_parts(cursor: &mut Cursor<'_>, _: &Open<'_>, node: Node<'_, '_>) -> Result<(), Error> {
    let mut children = node.children().filter(|child| child.is_element());
    while let Some(child) = cursor.child()? {
        let node = children.next().expect("as many elements");
        let around: Vec<(String, String)> = cursor
            .declarations(&child)
            .map(|(prefix, namespace)| (prefix.to_owned(), namespace.to_owned()))
            .collect();
        let raw = cursor.raw(&child)?;
        let mut part = Cursor::new(raw, Encoding::Utf8).expect("a part of XML");
        for (prefix, namespace) in &around {
            part.declare(prefix, namespace).expect("was declared");
        }
        let open = part.root().expect("an element");
        same_tag(&part, &open, node);
        match whole(&mut part, &open, node) {
            Err(error) => assert_eq!(error.kind, ErrorKind::Content, "{raw:?}"),
            Ok(()) => part.end().expect("nothing else is in the part"),
        }
    }
    assert!(children.next().is_none());
    Ok(())
}

fn namespace<'n>(node: Node<'n, '_>) -> Option<&'n str> {
    node.tag_name().namespace()
}

fn same_tag(cursor: &Cursor<'_>, open: &Open<'_>, node: Node<'_, '_>) {
    assert_eq!(open.name, node.tag_name().name());
    assert_eq!(cursor.namespace(open), namespace(node).unwrap_or_default());
    assert_eq!(cursor.namespace_of_prefix(open, open.prefix), Some(cursor.namespace(open)));
    let attributes = cursor.attributes(open).expect("were read before");
    let ours: Vec<(&str, &str, &str)> =
        attributes.iter().map(|given| (&*given.namespace, given.name, &*given.value)).collect();
    let theirs: Vec<(&str, &str, &str)> = node
        .attributes()
        .map(|given| (given.namespace().unwrap_or_default(), given.name(), given.value()))
        .collect();
    assert_eq!(ours, theirs);
    let mut ours: Vec<(&str, &str)> = cursor.declarations(open).collect();
    let mut theirs: Vec<(&str, &str)> = node.parent().map_or(Vec::new(), |parent| {
        let namespaces = parent.namespaces().filter(|given| given.name() != Some("xml"));
        namespaces.map(|given| (given.name().unwrap_or_default(), given.uri())).collect()
    });
    theirs.retain(|(_, uri)| !uri.is_empty());
    ours.sort_unstable();
    theirs.sort_unstable();
    assert_eq!(ours, theirs);
}
