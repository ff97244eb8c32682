//! Reads the XML of a rule set into rules, or finds all its faults.

use http::HeaderName;
use roxmltree::{Document, Node, ParsingOptions};
use xml::own_attribute;

use super::{Action, Condition, Finding, PROPERTIES, Piece, Rule, RuleSet};

/// The most bytes of a rule set's text.
pub const RULE_SET_MAX_BYTES: usize = 1 << 20;

/// The most elements, attributes and texts of a rule set.
const NODES_MAX: u32 = 100_000;

/// The value of `match` that allows every value.
const ANY_VALUE: &str = "ANY_VALUE";

pub(super) fn parse(text: &str) -> Result<(RuleSet, Vec<Finding>), Vec<Finding>> {
    let wrong = |line: usize, message: String| vec![Finding { line, message, is_warning: false }];
    if text.len() > RULE_SET_MAX_BYTES {
        let length = text.len();
        return Err(wrong(1, format!("expected at most {RULE_SET_MAX_BYTES} bytes, found {length}")));
    }
    let options = ParsingOptions { allow_dtd: false, nodes_limit: NODES_MAX, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| wrong(error.pos().row as usize, format!("is not acceptable XML: {error}")))?;
    let root = document.root_element();
    let mut reader = Reader { document: &document, findings: Vec::new() };
    if !root.has_tag_name("ruleset") {
        reader.wrong(root, format!("expected <ruleset>, found <{}>", root.tag_name().name()));
    }
    let rules = reader.children(root, "rule").into_iter();
    let mut rules: Vec<Rule> = rules.map(|rule| reader.rule(rule)).collect();
    if rules.is_empty() {
        reader.wrong(root, "expected at least one <rule>, found none");
    }
    reader.warn_of_conflicts(&rules);
    // The sort is stable: rules with the same number of headers keep the order of the file.
    rules.sort_by_key(|rule| std::cmp::Reverse(rule.conditions.len()));
    let findings = reader.findings;
    if findings.iter().any(|finding| !finding.is_warning) {
        return Err(findings);
    }
    Ok((RuleSet { rules }, findings))
}

struct Reader<'d, 't> {
    document: &'d Document<'t>,
    findings: Vec<Finding>,
}

impl<'d, 't> Reader<'d, 't> {
    fn line(&self, node: Node<'d, 't>) -> usize {
        self.document.text_pos_at(node.range().start).row as usize
    }

    fn wrong(&mut self, node: Node<'d, 't>, message: impl Into<String>) {
        let line = self.line(node);
        self.findings.push(Finding { line, message: message.into(), is_warning: false });
    }

    fn warn(&mut self, line: usize, message: impl Into<String>) {
        self.findings.push(Finding { line, message: message.into(), is_warning: true });
    }

    /// The child elements. All must have this name, and only blanks may stand between them.
    fn children(&mut self, parent: Node<'d, 't>, name: &str) -> Vec<Node<'d, 't>> {
        let mut found = Vec::new();
        for child in parent.children() {
            if child.is_element() && child.has_tag_name(name) {
                found.push(child);
            } else if child.is_element() {
                self.wrong(child, format!("expected <{name}>, found <{}>", child.tag_name().name()));
            } else if child.is_text() && !child.text().unwrap_or_default().trim().is_empty() {
                self.wrong(child, format!("expected <{name}>, found text"));
            }
        }
        found
    }

    /// The value of a required attribute. All attributes must be among `known`.
    fn attribute(&mut self, node: Node<'d, 't>, name: &str, known: &[&str]) -> &'d str {
        for attribute in node.attributes() {
            // Attributes of other namespaces are for tools.
            if attribute.namespace().is_none() && !known.contains(&attribute.name()) {
                let message = format!("<{}> has no attribute '{}'", node.tag_name().name(), attribute.name());
                self.wrong(node, message);
            }
        }
        own_attribute(node, name).unwrap_or_else(|| {
            self.wrong(node, format!("<{}> needs the attribute '{name}'", node.tag_name().name()));
            ""
        })
    }

    fn rule(&mut self, node: Node<'d, 't>) -> Rule {
        let name = self.attribute(node, "name", &["name"]).trim().to_owned();
        let (mut conditions, mut actions) = (Vec::new(), Vec::new());
        let mut counts = [0; 2];
        for child in node.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "conditions" => {
                    counts[0] += 1;
                    for header in self.children(child, "header") {
                        conditions.extend(self.condition(header));
                    }
                }
                "actions" => counts[1] += 1,
                other => {
                    self.wrong(child, format!("expected <conditions> and <actions>, found <{other}>"));
                }
            }
        }
        for (count, element) in counts.into_iter().zip(["conditions", "actions"]) {
            if count != 1 {
                self.wrong(node, format!("rule '{name}' needs one <{element}>, found {count}"));
            }
        }
        // Read the actions after all conditions, because their values may name headers.
        for child in node.children().filter(|child| child.has_tag_name("actions")) {
            for set in self.children(child, "set") {
                let action = self.action(set, &conditions);
                actions.push(action);
            }
        }
        if conditions.is_empty() && counts[0] == 1 {
            self.wrong(node, format!("rule '{name}' has no header among its conditions"));
        }
        if actions.is_empty() && counts[1] == 1 {
            self.wrong(node, format!("rule '{name}' sets nothing"));
        }
        Rule { line: self.line(node), name, conditions, actions }
    }

    fn condition(&mut self, node: Node<'d, 't>) -> Option<Condition> {
        const KNOWN: [&str; 3] = ["name", "value", "match"];
        let name = self.attribute(node, "name", &KNOWN).trim();
        let value = self.attribute(node, "value", &KNOWN);
        let any = match own_attribute(node, "match") {
            None => false,
            Some(ANY_VALUE) => true,
            Some(other) => {
                self.wrong(node, format!("expected match=\"{ANY_VALUE}\" or none, found '{other}'"));
                return None;
            }
        };
        let Ok(header) = name.parse::<HeaderName>() else {
            self.wrong(node, format!("'{name}' cannot be a header's name"));
            return None;
        };
        let values: Vec<Box<str>> =
            value.split(',').map(str::trim).filter(|value| !value.is_empty()).map(Box::from).collect();
        match (any, values.is_empty()) {
            (true, true) => Some(Condition { header, values: None }),
            (true, false) => {
                let message = format!("match=\"{ANY_VALUE}\" goes with value=\"\", found '{value}'");
                self.wrong(node, message);
                None
            }
            (false, true) => {
                let message =
                    format!("the header '{name}' has no value to fit; any: value=\"\" match=\"{ANY_VALUE}\"");
                self.wrong(node, message);
                None
            }
            (false, false) => Some(Condition { header, values: Some(values) }),
        }
    }

    fn action(&mut self, node: Node<'d, 't>, conditions: &[Condition]) -> Action {
        const KNOWN: [&str; 2] = ["property", "value"];
        let property = self.attribute(node, "property", &KNOWN).trim();
        let value = self.attribute(node, "value", &KNOWN);
        let line = self.line(node);
        if property.is_empty() {
            self.wrong(node, "a property needs a name");
        } else if !PROPERTIES.contains(&property) {
            self.warn(line, format!("z/OS Connect knows no property '{property}'; a provider may"));
        }
        let value = self.pieces(node, value.trim(), conditions);
        Action { property: property.into(), value, line }
    }

    /// The pieces of a value: texts, and headers written as `${name}`.
    fn pieces(&mut self, node: Node<'d, 't>, value: &str, conditions: &[Condition]) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut rest = value;
        while let Some((before, after)) = rest.split_once("${") {
            let Some((name, next)) = after.split_once('}') else {
                self.wrong(node, format!("'${{{after}' has no closing brace"));
                return pieces;
            };
            if !before.is_empty() {
                pieces.push(Piece::Text(before.into()));
            }
            let header = name.trim().to_ascii_lowercase();
            match conditions.iter().position(|condition| condition.header.as_str() == header) {
                Some(at) => pieces.push(Piece::Header(at)),
                None => self.wrong(
                    node,
                    format!("'${{{name}}}' names a header that is not among the conditions of the rule"),
                ),
            }
            rest = next;
        }
        if !rest.is_empty() || pieces.is_empty() {
            pieces.push(Piece::Text(rest.into()));
        }
        pieces
    }

    /// Warns of two rules that one request can meet and that set the same property.
    fn warn_of_conflicts(&mut self, rules: &[Rule]) {
        let exclude = |one: &Rule, other: &Rule| {
            one.conditions.iter().any(|own| other.conditions.iter().any(|others| own.excludes(others)))
        };
        for (at, rule) in rules.iter().enumerate() {
            for action in &rule.actions {
                let sets = |other: &&Rule| other.actions.iter().any(|set| set.property == action.property);
                if let Some(other) = rules[..at].iter().filter(sets).find(|other| !exclude(rule, other)) {
                    self.warn(
                        action.line,
                        format!(
                            "BAQR1204W: the property '{}' is set by the rules '{}' (line {}) and '{}', which one request \
                             can meet both; the one with more headers decides, or the first",
                            action.property, other.name, other.line, rule.name
                        ),
                    );
                }
            }
        }
    }
}
