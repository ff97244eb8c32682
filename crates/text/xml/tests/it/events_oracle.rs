//! What events tell of a text is what roxmltree reads, in whatever parts the text comes. A fuzz target uses it too.

use roxmltree::{Document, Node, ParsingOptions};
use xml::{Event, EventKind, Events, Exception, Wrong};

/// Reads a text with both, whole and in parts that end at these places, and compares.
///
/// # Panics
/// They differ, or a text that is not XML is accepted.
pub(crate) fn compare(text: &str, places: &[usize]) {
    let told = events(&[text]);
    if !places.is_empty() {
        assert_eq!(joined(&events(&parts(text, places))), joined(&told), "{text:?} in parts {places:?}");
    }
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    // roxmltree keeps some carriage returns in front of references; XML has each line end read as a line feed.
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    match (Document::parse_with_options(&lines, options), told) {
        (Ok(document), Ok(events)) => assert_eq!(shown(&events), expected(&document), "{text:?}"),
        (Ok(document), Err(exception)) => {
            // A document type and our limits are all that we lack.
            let taken = exception.wrong != Wrong::NotTaken;
            assert!(
                !taken || has_bad_target(&document) || has_empty_prefix(&document),
                "{text:?}: {exception:?}, {}",
                document.root_element().tag_name().name()
            );
        }
        (Err(error), Ok(_)) => panic!("this is no XML: {text:?} ({error})"),
        (Err(_), Err(_)) => {}
    }
}

/// True if a processing instruction has neither white space nor its end behind the target, or has the target of the XML declaration,
/// or a colon in it: no XML with namespaces, but roxmltree takes it.
fn has_bad_target(document: &Document<'_>) -> bool {
    document.descendants().any(|node| {
        node.pi().is_some_and(|instruction| {
            let text = &document.input_text()[node.range()];
            let behind = text.strip_prefix("<?").and_then(|rest| rest.strip_prefix(instruction.target));
            instruction.target.eq_ignore_ascii_case("xml")
                || instruction.target.contains(':')
                || behind
                    .is_some_and(|rest| !rest.starts_with([' ', '\t', '\n', '\r']) && !rest.starts_with("?>"))
        })
    })
}

/// True if a name begins with a colon: no XML with namespaces, but roxmltree takes it.
fn has_empty_prefix(document: &Document<'_>) -> bool {
    let text = document.input_text();
    document.descendants().filter(Node::is_element).any(|node| {
        text[node.range()].starts_with("<:")
            || node.attributes().any(|attribute| text[attribute.range()].starts_with(':'))
    })
}

/// All events of a text that comes in parts. Prefixes that are not declared are errors.
pub(crate) fn events(parts: &[&str]) -> Result<Vec<Event>, Exception> {
    let mut parts = parts.iter();
    let mut reader = Events::new((*parts.next().expect("a part")).to_owned());
    let mut told = Vec::new();
    loop {
        let event = reader.next_event()?;
        match event.kind {
            EventKind::InputEnd => match parts.next() {
                Some(part) => reader.push(part),
                None => reader.finish(),
            },
            EventKind::DocumentEnd => {
                // The rest stands behind the document. Only its end shows its kind.
                let rest: String = parts.copied().collect();
                told.push(event);
                return if rest.trim_matches([' ', '\t', '\n', '\r']).is_empty() {
                    Ok(told)
                } else {
                    behind(told, &rest)
                };
            }
            _ => told.push(event),
        }
    }
}

/// What follows a document that ended with a part of its text: read as if it followed an element.
fn behind(mut told: Vec<Event>, rest: &str) -> Result<Vec<Event>, Exception> {
    let end = told.pop().expect("the end");
    let mut reader = Events::new(format!("<a/>{rest}"));
    reader.finish();
    for _ in 0..3 {
        reader.next_event()?;
    }
    loop {
        let event = reader.next_event()?;
        if event.kind == EventKind::DocumentEnd {
            told.push(end);
            return Ok(told);
        }
        told.push(event);
    }
}

fn parts<'t>(text: &'t str, places: &[usize]) -> Vec<&'t str> {
    let mut places: Vec<usize> = places.iter().copied().filter(|at| text.is_char_boundary(*at)).collect();
    places.sort_unstable();
    let mut parts = Vec::new();
    let mut from = 0;
    for at in places.into_iter().chain([text.len()]) {
        parts.push(&text[from..at.max(from)]);
        from = at.max(from);
    }
    parts
}

/// Events with their joined texts, or the fault.
fn joined(told: &Result<Vec<Event>, Exception>) -> Result<Vec<Event>, (Wrong, String)> {
    let told = told.as_ref().map_err(|exception| (exception.wrong, exception.error.to_string()));
    // Where a text does not end, the last part tells less of it than the whole.
    let told = told.map_err(|(wrong, _)| (wrong, String::new()))?;
    let mut joined: Vec<Event> = Vec::new();
    for event in told {
        match joined.last_mut() {
            Some(last) if last.kind == EventKind::Text && event.kind == EventKind::Text => {
                last.text.push_str(&event.text);
                last.whole = event.whole;
            }
            _ => joined.push(event.clone()),
        }
    }
    joined.iter_mut().for_each(|event| event.whole = true);
    Ok(joined)
}

/// Events as lines, without what a tree does not keep.
fn shown(events: &[Event]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut text = String::new();
    for event in events {
        let Event { kind, text: value, namespace, .. } = event;
        let line = match kind {
            EventKind::Text => {
                text.push_str(value);
                continue;
            }
            EventKind::DataStart | EventKind::DataEnd => continue,
            EventKind::ElementStart => format!("<{{{namespace}}}{value}"),
            EventKind::ElementEnd => format!(">{{{namespace}}}{value}"),
            EventKind::AttributeName => format!("@{{{namespace}}}{value}"),
            EventKind::AttributeText => format!("={value}"),
            EventKind::Comment => format!("!{value}"),
            EventKind::InstructionTarget => format!("?{value}"),
            EventKind::InstructionData => format!("?={value}"),
            _ => continue,
        };
        if !text.is_empty() {
            lines.push(format!("'{}", std::mem::take(&mut text)));
        }
        lines.push(line);
    }
    lines
}

fn expected(document: &Document<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    for child in document.root().children() {
        walk(child, &mut lines);
    }
    lines
}

fn walk(node: Node<'_, '_>, lines: &mut Vec<String>) {
    if node.is_text() {
        // A tree may have an empty text where a CDATA section was.
        let text = node.text().unwrap_or_default();
        match lines.last_mut().filter(|last| last.starts_with('\'')) {
            Some(last) => last.push_str(text),
            None if text.is_empty() => {}
            None => lines.push(format!("'{text}")),
        }
    } else if node.is_comment() {
        lines.push(format!("!{}", node.text().unwrap_or_default()));
    } else if let Some(instruction) = node.pi() {
        lines.push(format!("?{}", instruction.target));
        lines.push(format!("?={}", instruction.value.unwrap_or_default()));
    } else if node.is_element() {
        let name = node.tag_name();
        let name = format!("{{{}}}{}", name.namespace().unwrap_or_default(), name.name());
        lines.push(format!("<{name}"));
        for attribute in node.attributes() {
            lines.push(format!("@{{{}}}{}", attribute.namespace().unwrap_or_default(), attribute.name()));
            lines.push(format!("={}", attribute.value()));
        }
        node.children().for_each(|child| walk(child, lines));
        lines.push(format!(">{name}"));
    }
}
