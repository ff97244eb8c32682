//! Rules of a response in `mapping.xml`: the fields of the service's answer that choose it.
//!
//! IBM's documentation lists the parts of a rule (a name, a field, an operator and a value, joined by AND or
//! OR), but shows no file. So a rule is any element with a field, an operator and a value, under the names
//! below. The element around several rules says how they are joined. If a rule is not understood, the
//! response is not imported, because guessing would be worse than leaving it out.

use crate::xml::Element;

/// The rules that were understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    pub(crate) rules: Vec<Rule>,
    /// True if all of them must hold; else one is enough.
    pub(crate) all: bool,
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    /// The path of the field in the file.
    pub(crate) field: String,
    /// The comparison, in the words of our API files.
    pub(crate) comparison: &'static str,
    pub(crate) value: String,
}

const FIELDS: [&str; 6] = ["field", "path", "servicefield", "fieldpath", "responsefield", "inputpath"];
const OPERATORS: [&str; 5] = ["operator", "comparison", "comparisonoperator", "op", "condition"];
const VALUES: [&str; 3] = ["value", "comparisonvalue", "comparevalue"];
const JOINS: [&str; 7] =
    ["operator", "match", "join", "logicaloperator", "logic", "expression", "ruleexpression"];

/// Spellings of comparisons, without blanks, hyphens and underscores, and ours.
const COMPARISONS: [(&[&str], &str); 9] = [
    (&["=", "==", "eq", "equal", "equals", "equalto", "isequalto"], "="),
    (&["!=", "<>", "≠", "ne", "neq", "notequal", "notequals", "notequalto", "isnotequalto"], "!="),
    (&["<=", "≤", "le", "lte", "lessthanorequal", "lessthanorequals", "lessthanorequalto"], "<="),
    (&[">=", "≥", "ge", "gte", "greaterthanorequal", "greaterthanorequals", "greaterthanorequalto"], ">="),
    (&["<", "lt", "lessthan", "islessthan"], "<"),
    (&[">", "gt", "greaterthan", "isgreaterthan"], ">"),
    (&["startswith"], "starts_with"),
    (&["endswith"], "ends_with"),
    (&["contains"], "contains"),
];

/// The rules of a response; none if it has none.
///
/// # Errors
/// The rule that is not understood, with its line.
pub(crate) fn read(message: &Element) -> Result<Option<Rules>, (usize, String)> {
    let mut found = Vec::new();
    let mut joins = Vec::new();
    for child in message.children.iter().filter(|child| child.name != "mappingRootModel") {
        gather(child, &mut found, &mut joins)?;
    }
    let Some(last) = found.last() else { return Ok(None) };
    joins.dedup();
    let all = match joins.as_slice() {
        _ if found.len() == 1 => true,
        [all] => *all,
        [] => return Err((last.0, "it does not say how its rules combine".to_owned())),
        _ => return Err((last.0, "its rules are joined by AND and by OR".to_owned())),
    };
    Ok(Some(Rules { rules: found.into_iter().map(|(_, rule)| rule).collect(), all }))
}

fn gather(
    element: &Element,
    found: &mut Vec<(usize, Rule)>,
    joins: &mut Vec<bool>,
) -> Result<(), (usize, String)> {
    let not = |what: String| Err((element.line, what));
    let (field, operator, value) =
        (part(element, &FIELDS), part(element, &OPERATORS), part(element, &VALUES));
    if let (Some(field), Some(operator)) = (field, operator) {
        let Some(comparison) = comparison(operator) else {
            return not(format!("the comparison '{operator}' is not known"));
        };
        let Some(value) = value else { return not(format!("<{}> has no value", element.name)) };
        found.push((element.line, Rule { field: field.to_owned(), comparison, value: value.to_owned() }));
        return Ok(());
    }
    let before = found.len();
    if let Some(joined) = part(element, &JOINS) {
        joins.push(join(joined).ok_or_else(|| (element.line, format!("'{joined}' joins no rules")))?);
    }
    if let Some(all) = join(&element.name) {
        joins.push(all);
    }
    for child in &element.children {
        gather(child, found, joins)?;
    }
    match found.len() > before || is_part(&element.name) {
        true => Ok(()),
        false => not(format!("<{}> is not known", element.name)),
    }
}

fn plain(word: &str) -> String {
    word.chars().filter(|c| !c.is_whitespace() && !matches!(c, '-' | '_')).collect::<String>().to_lowercase()
}

fn is_part(name: &str) -> bool {
    let name = plain(name);
    JOINS.contains(&name.as_str()) || join(&name).is_some()
}

/// The value of an attribute or a child element with one of the names.
fn part<'e>(element: &'e Element, names: &[&str]) -> Option<&'e str> {
    let named = |name: &str| names.contains(&plain(name).as_str());
    let attribute = element.attributes.iter().find(|(name, _)| named(name));
    let child = || element.children.iter().find(|child| named(&child.name) && child.children.is_empty());
    attribute.map(|(_, value)| value.as_str()).or_else(|| child().map(|child| child.text.as_str()))
}

fn comparison(operator: &str) -> Option<&'static str> {
    let operator = plain(operator);
    let found = COMPARISONS.iter().find(|(spellings, _)| spellings.contains(&operator.as_str()))?;
    Some(found.1)
}

/// True for AND, false for OR, none for an expression with both.
fn join(text: &str) -> Option<bool> {
    match plain(text).as_str() {
        "and" | "all" | "allof" => return Some(true),
        "or" | "any" | "anyof" => return Some(false),
        _ => {}
    }
    // `Rule 1 AND Rule 2`
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let has = |word: &str| words.iter().any(|known| known == word);
    match (has("and"), has("or")) {
        (true, false) if !text.contains('(') => Some(true),
        (false, true) if !text.contains('(') => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::xml;

    fn rules(inner: &str) -> Result<Option<Rules>, String> {
        let text = format!("<responseMessages code='404'>\n{inner}</responseMessages>");
        let element = xml::parse("m.xml", &text, &Limits::default()).expect("a document");
        read(&element).map_err(|(line, what)| format!("{line}: {what}"))
    }

    fn rule(field: &str, comparison: &'static str, value: &str) -> Rule {
        Rule { field: field.to_owned(), comparison, value: value.to_owned() }
    }

    #[test]
    fn rules_have_a_field_an_operator_and_a_value() {
        let one = rules("<rules><rule name='Rule 1' path='a/b' operator='=' value='20'/></rules>");
        assert_eq!(one, Ok(Some(Rules { rules: vec![rule("a/b", "=", "20")], all: true })));
        let text = "<ruleSet match='ANY'><rule><serviceField>a</serviceField><comparison>Starts with</comparison>\
                    <value>NO</value></rule><rule field='b' operator='NOT_EQUAL' value=''/></ruleSet>";
        let two = vec![rule("a", "starts_with", "NO"), rule("b", "!=", "")];
        assert_eq!(rules(text), Ok(Some(Rules { rules: two, all: false })));
        let text = "<rules expression='Rule1 AND Rule2'><rule field='a' op='&gt;' value='1'/>\
                    <rule field='a' op='&lt;=' value='5'/></rules>";
        let two = vec![rule("a", ">", "1"), rule("a", "<=", "5")];
        assert_eq!(rules(text), Ok(Some(Rules { rules: two, all: true })));
        assert_eq!(rules(""), Ok(None));
    }

    #[test]
    fn what_is_not_understood_is_said() {
        let two = "<rule field='a' op='=' value='1'/><rule field='b' op='=' value='1'/>";
        for (text, expected) in [
            ("<rule field='a' operator='like' value='1'/>", "2: the comparison 'like' is not known"),
            ("<rule field='a' operator='='/>", "2: <rule> has no value"),
            ("<rule x='y'/>", "2: <rule> is not known"),
            (two, "2: it does not say how its rules combine"),
            (&format!("<rules match='sometimes'>{two}</rules>"), "2: 'sometimes' joins no rules"),
        ] {
            assert_eq!(rules(text), Err(expected.to_owned()), "{text}");
        }
    }
}
