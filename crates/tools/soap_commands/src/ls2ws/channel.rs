//! Descriptions of channels: which containers a program gets, and the copybook of each. The containers become the outermost groups
//! of one record.
//!
//! ```xml
//! <channel name="CLAIMS" xmlns="http://www.ibm.com/xmlns/prod/CICS/channel">
//!   <container name="CLAIM-IN" type="bit" use="required"><structure location="//HLQ.COPYLIB(CLAIMI)"/></container>
//! </channel>
//! ```

use std::collections::BTreeMap;

use copybook::{Member, Options, ProgramText, TokenKind};
use roxmltree::{Document, Node};
use web_service::Problem;
use xml::own_attribute;

/// The most bytes of a description.
pub(crate) const CHANNEL_BYTES_MAX: usize = 1 << 20;
/// The most containers of a channel.
const CONTAINERS_MAX: usize = 100;
/// The last column of text in the fixed format.
const LINE_CHARACTERS_MAX: usize = 72;
/// Where entries begin.
const INDENT: &str = "           ";

const NAMESPACE: &str = "http://www.ibm.com/xmlns/prod/CICS/channel";

/// A container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Container {
    pub(crate) name: String,
    /// The member with its copybook.
    pub(crate) member: String,
}

/// Reads a description.
///
/// # Errors
/// All that is wrong with it, each with its line.
pub(crate) fn read(name: &str, text: &str) -> Result<Vec<Container>, Vec<Problem>> {
    let one = |place: String, message: String| vec![Problem::error(place, message)];
    if text.len() > CHANNEL_BYTES_MAX {
        let message = format!("expected at most {CHANNEL_BYTES_MAX} bytes, found {}", text.len());
        return Err(one(name.to_owned(), message));
    }
    let document = Document::parse(text).map_err(|error| one(name.to_owned(), error.to_string()))?;
    let place = |node: Node<'_, '_>| format!("{name}, line {}", document.text_pos_at(node.range().start).row);
    let root = document.root_element();
    if !is(root, "channel") {
        let message = format!("expected <channel> of {NAMESPACE}, found <{}>", root.tag_name().name());
        return Err(one(place(root), message));
    }
    let (mut containers, mut problems) = (Vec::<Container>::new(), Vec::new());
    for node in root.children().filter(Node::is_element) {
        match container(node) {
            Ok(found) if containers.iter().any(|known| known.name == found.name) => {
                let message = format!("the container {} is there twice", found.name);
                problems.push(Problem::error(place(node), message));
            }
            Ok(found) => containers.push(found),
            Err(message) => problems.push(Problem::error(place(node), message)),
        }
    }
    if problems.is_empty() && !(1..=CONTAINERS_MAX).contains(&containers.len()) {
        let message = format!("expected 1 to {CONTAINERS_MAX} containers, found {}", containers.len());
        problems.push(Problem::error(place(root), message));
    }
    if problems.is_empty() { Ok(containers) } else { Err(problems) }
}

fn is(node: Node<'_, '_>, name: &str) -> bool {
    node.tag_name().name() == name && node.tag_name().namespace().is_none_or(|found| found == NAMESPACE)
}

fn container(node: Node<'_, '_>) -> Result<Container, String> {
    if !is(node, "container") {
        return Err(format!("expected <container>, found <{}>", node.tag_name().name()));
    }
    let name = own_attribute(node, "name").unwrap_or_default();
    if name.is_empty() {
        return Err("the container has no name".to_owned());
    }
    match own_attribute(node, "type").unwrap_or("bit").to_ascii_lowercase().as_str() {
        "bit" => {}
        "char" => {
            return Err(format!("container {name}: type char is not supported; a copybook describes bits"));
        }
        other => return Err(format!("container {name}: expected type bit, found '{other}'")),
    }
    if own_attribute(node, "use").is_some_and(|word| !word.eq_ignore_ascii_case("required")) {
        return Err(format!("container {name}: only use=\"required\" is supported; all containers are sent"));
    }
    let mut structures = node.children().filter(Node::is_element);
    let (Some(structure), None) = (structures.next(), structures.next()) else {
        return Err(format!("container {name}: expected one <structure>"));
    };
    if !is(structure, "structure") {
        return Err(format!(
            "container {name}: expected <structure>, found <{}>",
            structure.tag_name().name()
        ));
    }
    let location = own_attribute(structure, "location").unwrap_or_default();
    match member(location) {
        Some(member) => Ok(Container { name: name.to_owned(), member }),
        None => Err(format!("container {name}: expected a member as location, found '{location}'")),
    }
}

/// The member of `//'HLQ.LIB(MEMBER)'`, of a path, or of a name alone.
fn member(location: &str) -> Option<String> {
    let location = location.trim().trim_matches('\'').trim_end_matches('\'');
    let member = match location.split_once('(') {
        Some((_, rest)) => rest.trim_end_matches('\'').strip_suffix(')')?,
        None => location.rsplit('/').next()?.split('.').next()?,
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_$@#".contains(c);
    (!member.is_empty() && member.chars().all(is_name)).then(|| member.to_owned())
}

/// One copybook of the copybooks of all containers, and the group that each has become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Combined {
    pub(crate) text: String,
    /// The containers by the names of their groups.
    pub(crate) containers: BTreeMap<String, String>,
}

/// Puts the records of all containers below one record. `copybooks` has the members with all that they copy.
///
/// # Errors
/// A copybook has no record or several, or two records have one name.
pub(crate) fn combine(
    record: &str,
    containers: &[Container],
    copybooks: &BTreeMap<String, String>,
) -> Result<Combined, Vec<Problem>> {
    let mut combined = Combined { text: format!("       01  {record}.\n"), containers: BTreeMap::new() };
    let mut problems = Vec::new();
    for container in containers {
        let mut lowered = Lowered { out: &mut combined.text, records: Vec::new() };
        if let Err(message) = lowered.add(&container.member, copybooks) {
            problems.push(Problem::error(&container.member, message));
            continue;
        }
        match lowered.records.as_slice() {
            [group] if combined.containers.contains_key(group) => {
                let message = format!("another container has a record {group} too");
                problems.push(Problem::error(&container.member, message));
            }
            [group] => drop(combined.containers.insert(group.clone(), container.name.clone())),
            found => {
                let message = format!("expected one record, found {}", found.len());
                problems.push(Problem::error(&container.member, message));
            }
        }
    }
    if problems.is_empty() { Ok(combined) } else { Err(problems) }
}

/// Entries whose levels are one more, so that a record becomes a group.
struct Lowered<'o> {
    out: &'o mut String,
    /// The names of the 01 levels.
    records: Vec<String>,
}

impl Lowered<'_> {
    fn add(&mut self, member: &str, copybooks: &BTreeMap<String, String>) -> Result<(), String> {
        let text = copybooks.get(member).ok_or("there is no such copybook")?;
        let library = |name: &str, _: Option<&str>| {
            let found = copybooks.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
            let (name, text) = found.ok_or_else(|| "there is no such member".to_owned())?;
            Ok(Member { name: name.clone(), text: text.clone() })
        };
        let program = ProgramText::read(member, text, &Options::default(), &library);
        if let Some(finding) = program.findings().first() {
            return Err(format!("{}, line {}: {}", finding.file, finding.place.line, finding.message));
        }
        let (mut column, mut begins, mut level) = (0, true, 0);
        for token in program.tokens() {
            let mut word = token.text.to_owned();
            if begins && token.kind == TokenKind::Number {
                level = token.text.parse::<u8>().map_err(|_| format!("'{}' is not a level", token.text))?;
                word = match level {
                    0..=48 => format!("{:02}", level + 1),
                    _ => token.text.to_owned(),
                };
                self.out.push_str(INDENT);
                column = INDENT.len();
            } else if level == 1 && token.kind == TokenKind::Word {
                // The name of the record stands behind its level.
                self.records.push(token.text.to_ascii_uppercase());
                level = 0;
            }
            begins = token.kind == TokenKind::Period;
            if begins {
                self.out.push_str(".\n");
                continue;
            }
            if column + 1 + word.len() >= LINE_CHARACTERS_MAX {
                self.out.push('\n');
                self.out.push_str(INDENT);
                column = INDENT.len();
            }
            if column + 1 + word.len() >= LINE_CHARACTERS_MAX {
                return Err(format!("'{word}' is too long for a line"));
            }
            self.out.push(' ');
            self.out.push_str(&word);
            column += 1 + word.len();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(result: Result<Vec<Container>, Vec<Problem>>) -> Vec<String> {
        result.expect_err("refused").iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_description_names_containers_and_members() {
        let text = "<channel name='C' xmlns='http://www.ibm.com/xmlns/prod/CICS/channel'>
            <container name='IN' type='BIT' use='required'><structure location=\"//'HLQ.COPYLIB(CLAIMI)'\"/></container>
            <container name='ROWS'><structure location='/u/copy/ROWS.cpy'/></container></channel>";
        let found = read("c.xml", text).unwrap_or_else(|problems| panic!("{problems:?}"));
        let pairs: Vec<(&str, &str)> =
            found.iter().map(|one| (one.name.as_str(), one.member.as_str())).collect();
        assert_eq!(pairs, [("IN", "CLAIMI"), ("ROWS", "ROWS")]);
    }

    #[test]
    fn what_no_record_holds_is_refused_with_its_line() {
        let wrong = |inner: &str, expected: &str| {
            let found = told(read("c.xml", &format!("<channel>\n{inner}</channel>")));
            assert_eq!(found, [format!("c.xml, line 2: {expected}")], "{inner}");
        };
        let structure = "<structure location='X'/>";
        wrong("<container/>", "the container has no name");
        wrong(
            "<container name='A' type='char'/>",
            "container A: type char is not supported; a copybook describes bits",
        );
        wrong("<container name='A' type='x'/>", "container A: expected type bit, found 'x'");
        wrong(
            &format!("<container name='A' use='optional'>{structure}</container>"),
            "container A: only use=\"required\" is supported; all containers are sent",
        );
        wrong("<container name='A'/>", "container A: expected one <structure>");
        wrong(
            "<container name='A'><structure location='a(b'/></container>",
            "container A: expected a member as location, found 'a(b'",
        );
        // Attributes of other namespaces are those of tools.
        let noted =
            "<container xmlns:x='urn:x' x:type='char' name='A'><structure x:location='X'/></container>";
        wrong(noted, "container A: expected a member as location, found ''");
        wrong("<x/>", "expected <container>, found <x>");
        let twice = format!("<container name='A'>{structure}</container>").repeat(2);
        wrong(&twice, "the container A is there twice");
        assert!(told(read("c.xml", "<a/>"))[0].contains("expected <channel>"));
        assert!(told(read("c.xml", "<channel/>"))[0].contains("expected 1 to 100 containers, found 0"));
        assert!(!told(read("c.xml", "<channel>")).is_empty());
        assert!(told(read("c.xml", &" ".repeat(CHANNEL_BYTES_MAX + 1)))[0].contains("expected at most"));
    }

    #[test]
    fn records_become_groups_of_one_record() {
        let containers = [("IN", "A"), ("OUT-ROWS", "B")]
            .map(|(name, member)| Container { name: name.to_owned(), member: member.to_owned() });
        let text = |lines: &str| lines.lines().map(|line| format!("       {line}\n")).collect::<String>();
        let copybooks = BTreeMap::from([
            (
                "A".to_owned(),
                text(
                    "01  CLAIM.\n    COPY KEYS REPLACING ==:P:== BY ==CLAIM==.\n    05 T PIC X(3) VALUE 'a.b'.",
                ),
            ),
            ("B".to_owned(), text("01 ROWS.\n  02 R OCCURS 2.\n   03 N PIC S9(3)V99\n   COMP-3.")),
            ("KEYS".to_owned(), text("    05  :P:-NO PIC 9(4).")),
        ]);
        let made = combine("ALL-OF-IT", &containers, &copybooks).unwrap_or_else(|found| panic!("{found:?}"));
        let pairs: Vec<(&str, &str)> =
            made.containers.iter().map(|(group, name)| (group.as_str(), name.as_str())).collect();
        assert_eq!(pairs, [("CLAIM", "IN"), ("ROWS", "OUT-ROWS")]);
        let parsed = copybook::parse("X", &made.text, &Options::default());
        let layout = &parsed.unwrap_or_else(|found| panic!("{}\n{found:?}", made.text)).layouts[0];
        let at = |name: &str| layout.field(layout.resolve(name).expect("a field")).offset;
        assert_eq!((at("CLAIM-NO"), at("T"), at("ROWS"), at("N")), (0, 4, 7, 7));
        assert_eq!(layout.max_bytes(), 13);
        let same = [containers[0].clone(), Container { name: "X".to_owned(), member: "A".to_owned() }];
        let refused = combine("R", &same, &copybooks).expect_err("refused");
        assert_eq!(refused[0].message, "another container has a record CLAIM too");
        let none = [Container { name: "X".to_owned(), member: "KEYS".to_owned() }];
        assert_eq!(
            combine("R", &none, &copybooks).expect_err("refused")[0].message,
            "expected one record, found 0"
        );
    }
}
