//! Commands of IDCAMS: clusters, alternate indexes, paths, and the data sets that REPRO copies.
//!
//! A command ends with its line, unless the line ends with a hyphen or a plus sign. Comments stand between
//! `/*` and `*/`.

use std::sync::Arc;

use crate::cards::{Line, card};
use crate::limits::Limits;
use crate::place::{Fault, Note, Place};

/// The organization of a cluster's records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Organization {
    Indexed,
    NonIndexed,
    Numbered,
    Linear,
}

/// A cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cluster {
    pub(crate) name: String,
    pub(crate) organization: Organization,
    /// The length and the offset of the key.
    pub(crate) key: Option<(u64, u64)>,
    /// The bytes of the longest record.
    pub(crate) record_bytes: Option<u64>,
    /// LOG: whether changes are backed out; none if it is missing.
    pub(crate) recoverable: Option<bool>,
    pub(crate) place: Place,
}

/// An alternate index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AlternateIndex {
    pub(crate) name: String,
    /// The cluster whose records it finds.
    pub(crate) cluster: String,
    pub(crate) key: Option<(u64, u64)>,
    pub(crate) unique: bool,
    pub(crate) place: Place,
}

/// A path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path {
    pub(crate) name: String,
    /// The alternate index, or a cluster.
    pub(crate) entry: String,
}

/// A copy of a data set into another one. Each is the name of a DD statement, or a data set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Copied {
    pub(crate) from: End,
    pub(crate) to: End,
    pub(crate) place: Place,
}

/// An end of REPRO.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Dd(String),
    DataSet(String),
}

/// The definitions of commands.
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    pub(crate) clusters: Vec<Cluster>,
    pub(crate) indexes: Vec<AlternateIndex>,
    pub(crate) paths: Vec<Path>,
    pub(crate) copies: Vec<Copied>,
    pub(crate) notes: Vec<Note>,
}

/// A word, with the content of the parentheses behind it.
#[derive(Debug)]
struct Parameter {
    word: String,
    line: usize,
    inner: Vec<Parameter>,
}

impl Parameter {
    /// A parameter in the parentheses, by any of its names.
    fn find(&self, names: &[&str]) -> Option<&Parameter> {
        self.inner.iter().find(|inner| names.contains(&inner.word.as_str()))
    }

    fn has(&self, names: &[&str]) -> bool {
        self.find(names).is_some()
    }

    /// The first word in the parentheses of a parameter.
    fn name(&self, names: &[&str]) -> Option<String> {
        Some(self.find(names)?.inner.first()?.word.clone())
    }

    /// The two numbers in the parentheses of a parameter.
    fn numbers(&self, names: &[&str]) -> Option<(u64, u64)> {
        let [first, second] = self.find(names)?.inner.as_slice() else { return None };
        Some((first.word.parse().ok()?, second.word.parse().ok()?))
    }
}

/// Reads the commands of a file.
///
/// # Errors
/// More than a limit.
pub(crate) fn read(file: &Arc<str>, lines: &[Line<'_>], limits: &Limits) -> Result<Catalog, Fault> {
    let mut catalog = Catalog::default();
    for words in commands(lines) {
        let mut words = words.into_iter().peekable();
        let parameters = parameters(&mut words, file, limits, limits.depth_max)?;
        catalog.carry_out(file, &parameters);
    }
    Ok(catalog)
}

impl Catalog {
    fn carry_out(&mut self, file: &Arc<str>, parameters: &[Parameter]) {
        let [verb, rest @ ..] = parameters else { return };
        let place = |line: usize| Place { file: Arc::clone(file), line };
        match (verb.word.as_str(), rest) {
            ("DEFINE" | "DEF", [object, parts @ ..]) => match object.word.as_str() {
                "CLUSTER" | "CL" => self.cluster(object, parts, place(verb.line)),
                "ALTERNATEINDEX" | "AIX" => self.index(object, parts, place(verb.line)),
                "PATH" => {
                    let names = (object.name(&["NAME"]), object.name(&["PATHENTRY", "PENT"]));
                    if let (Some(name), Some(entry)) = names {
                        self.paths.push(Path { name, entry });
                    }
                }
                other => {
                    let subject = match object.name(&["NAME"]) {
                        Some(name) => format!("{other}({name})"),
                        None => other.to_owned(),
                    };
                    let reason = "is not a file of programs, and is not imported".to_owned();
                    self.notes.push(Note { place: place(verb.line), subject, reason });
                }
            },
            ("REPRO", rest) => {
                let end = |dd: &[&str], set: &[&str]| {
                    let named = |names: &[&str]| {
                        let found = rest.iter().find(|one| names.contains(&one.word.as_str()))?;
                        Some(found.inner.first()?.word.clone())
                    };
                    named(dd).map(End::Dd).or_else(|| named(set).map(End::DataSet))
                };
                let from = end(&["INFILE", "IFILE"], &["INDATASET", "IDS"]);
                let to = end(&["OUTFILE", "OFILE"], &["OUTDATASET", "ODS"]);
                if let (Some(from), Some(to)) = (from, to) {
                    self.copies.push(Copied { from, to, place: place(verb.line) });
                }
            }
            // Commands that delete, list, test and print are not definitions.
            _ => {}
        }
    }

    fn cluster(&mut self, cluster: &Parameter, parts: &[Parameter], place: Place) {
        let Some(name) = cluster.name(&["NAME"]) else { return };
        let data = parts.iter().find(|part| matches!(part.word.as_str(), "DATA" | "D"));
        let either =
            |names: &[&str]| cluster.numbers(names).or_else(|| data.and_then(|data| data.numbers(names)));
        let organization = match () {
            () if cluster.has(&["NONINDEXED", "NIXD"]) => Organization::NonIndexed,
            () if cluster.has(&["NUMBERED", "NUMD"]) => Organization::Numbered,
            () if cluster.has(&["LINEAR", "LIN"]) => Organization::Linear,
            () => Organization::Indexed,
        };
        self.clusters.push(Cluster {
            name,
            organization,
            key: either(&["KEYS"]),
            record_bytes: either(&["RECORDSIZE", "RECSZ"]).map(|(_, most)| most),
            recoverable: cluster.name(&["LOG"]).map(|log| log != "NONE"),
            place,
        });
    }

    fn index(&mut self, index: &Parameter, parts: &[Parameter], place: Place) {
        let data = parts.iter().find(|part| matches!(part.word.as_str(), "DATA" | "D"));
        let keys = index.numbers(&["KEYS"]).or_else(|| data.and_then(|data| data.numbers(&["KEYS"])));
        let (Some(name), Some(cluster)) = (index.name(&["NAME"]), index.name(&["RELATE", "REL"])) else {
            return;
        };
        let is_unique = |part: &Parameter| part.has(&["UNIQUEKEY", "UNQK"]);
        if index.has(&["NOUPGRADE", "NUPG"]) {
            let reason = "NOUPGRADE: here every change of a record changes its alternate indexes".to_owned();
            let subject = format!("ALTERNATEINDEX({name})");
            self.notes.push(Note { place: place.clone(), subject, reason });
        }
        let unique = is_unique(index) || data.is_some_and(is_unique);
        self.indexes.push(AlternateIndex { name, cluster, key: keys, unique, place });
    }

    /// Takes over the definitions of another file.
    pub(crate) fn extend(&mut self, other: Catalog) {
        let Catalog { clusters, indexes, paths, copies, notes } = other;
        self.clusters.extend(clusters);
        self.indexes.extend(indexes);
        self.paths.extend(paths);
        self.copies.extend(copies);
        self.notes.extend(notes);
    }
}

/// A word or a parenthesis, with its line.
type Word = (String, usize);

/// The words of each command, in upper case.
fn commands(lines: &[Line<'_>]) -> Vec<Vec<Word>> {
    let mut commands = Vec::new();
    let mut words: Vec<Word> = Vec::new();
    let mut is_comment = false;
    for (number, line) in lines {
        let text = without_comments(card(line), &mut is_comment);
        let text = text.trim_end();
        let (text, goes_on) = match text.strip_suffix(['-', '+']) {
            Some(text) => (text, true),
            None => (text, false),
        };
        split(text, *number, &mut words);
        // A line with only a comment does not end a command.
        let is_only_comment = text.is_empty() && !line.trim().is_empty();
        if !goes_on && !is_comment && !is_only_comment && !words.is_empty() {
            commands.push(std::mem::take(&mut words));
        }
    }
    if !words.is_empty() {
        commands.push(words);
    }
    commands
}

fn without_comments(line: &str, is_comment: &mut bool) -> String {
    let mut out = String::new();
    let mut rest = line;
    loop {
        let end = if *is_comment { "*/" } else { "/*" };
        let Some((before, after)) = rest.split_once(end) else { break };
        if !*is_comment {
            out.push_str(before);
        }
        *is_comment = !*is_comment;
        rest = after;
    }
    if !*is_comment {
        out.push_str(rest);
    }
    out
}

fn split(text: &str, line: usize, words: &mut Vec<Word>) {
    let mut word = String::new();
    let mut is_quoted = false;
    for character in text.chars() {
        match character {
            '\'' => is_quoted = !is_quoted,
            _ if is_quoted => word.push(character),
            '(' | ')' => {
                push(words, &mut word, line);
                words.push((character.to_string(), line));
            }
            ',' | ';' => push(words, &mut word, line),
            _ if character.is_whitespace() => push(words, &mut word, line),
            _ => word.extend(character.to_uppercase()),
        }
    }
    push(words, &mut word, line);
}

fn push(words: &mut Vec<Word>, word: &mut String, line: usize) {
    if !word.is_empty() {
        words.push((std::mem::take(word), line));
    }
}

/// The parameters up to the closing parenthesis. A missing parenthesis counts as closed at the end of the
/// command.
fn parameters(
    words: &mut std::iter::Peekable<std::vec::IntoIter<Word>>,
    file: &Arc<str>,
    limits: &Limits,
    depth: usize,
) -> Result<Vec<Parameter>, Fault> {
    let mut found: Vec<Parameter> = Vec::new();
    while let Some((word, line)) = words.next() {
        match word.as_str() {
            ")" => return Ok(found),
            "(" if depth == 0 => {
                let message = format!("parameters nest deeper than depth_max, {}", limits.depth_max);
                return Err(Fault { place: Place { file: Arc::clone(file), line }, message });
            }
            "(" => {
                let inner = parameters(words, file, limits, depth - 1)?;
                match found.last_mut() {
                    Some(last) if last.inner.is_empty() => last.inner = inner,
                    _ => found.extend(inner),
                }
            }
            _ => {
                if word.len() > limits.value_max_bytes {
                    let message = format!("a word has more than value_max_bytes, {}", limits.value_max_bytes);
                    return Err(Fault { place: Place { file: Arc::clone(file), line }, message });
                }
                found.push(Parameter { word, line, inner: Vec::new() });
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::lines;

    fn catalog(text: &str) -> Catalog {
        read(&Arc::from("T.jcl"), &lines(text), &Limits::default()).expect("commands")
    }

    #[test]
    fn clusters_have_keys_and_lengths_where_they_may_stand() {
        let text = " DELETE A.B\n IF MAXCC=8 -\n THEN SET MAXCC=0\n DEFINE CLUSTER(NAME(a.b)-\n INDEXED - /* a comment -\n */\n LOG(UNDO) -\n) -\n\
                    DATA(NAME(A.B.DATA)-\n KEYS(10 4)-\n RECORDSIZE(225 300)) -\n INDEX(NAME(A.B.INDEX))\n\
                    DEF CL (NAME('A.C') NIXD RECSZ(80,80) LOG(NONE))";
        let catalog = catalog(text);
        let [ksds, esds] = catalog.clusters.as_slice() else { panic!("{catalog:?}") };
        assert_eq!((ksds.name.as_str(), ksds.key, ksds.record_bytes), ("A.B", Some((10, 4)), Some(300)));
        assert_eq!(
            (ksds.organization, ksds.recoverable, ksds.place.line),
            (Organization::Indexed, Some(true), 4)
        );
        assert_eq!((esds.name.as_str(), esds.organization), ("A.C", Organization::NonIndexed));
        assert_eq!((esds.record_bytes, esds.recoverable), (Some(80), Some(false)));
    }

    #[test]
    fn alternate_indexes_paths_and_copies_are_read() {
        let text = "DEFINE AIX (NAME(A.AIX) RELATE(A.B) KEYS(26 304) -\n NONUNIQUEKEY UPGRADE)\n\
                    DEFINE ALTERNATEINDEX (NAME(A.U) REL(A.B) KEYS(1 2) UNIQUEKEY NOUPGRADE)\n\
                    DEFINE PATH (NAME(A.PATH) PATHENTRY(A.AIX))\nREPRO INFILE(IN) ODS(A.B)\nDEFINE GDG (NAME(X) LIMIT(5))";
        let catalog = catalog(text);
        let [first, second] = catalog.indexes.as_slice() else { panic!("{catalog:?}") };
        assert_eq!((first.cluster.as_str(), first.key, first.unique), ("A.B", Some((26, 304)), false));
        assert!(second.unique);
        assert_eq!(catalog.paths, [Path { name: "A.PATH".to_owned(), entry: "A.AIX".to_owned() }]);
        let copied = &catalog.copies[0];
        assert_eq!((&copied.from, &copied.to), (&End::Dd("IN".to_owned()), &End::DataSet("A.B".to_owned())));
        assert_eq!(catalog.notes.len(), 2, "{:?}", catalog.notes);
    }

    #[test]
    fn deep_parameters_are_refused_by_name() {
        let text = format!("DEFINE {}", "A(".repeat(40));
        let fault = read(&Arc::from("T"), &lines(&text), &Limits::default()).expect_err("too deep");
        assert!(fault.message.contains("depth_max"), "{fault}");
    }
}
