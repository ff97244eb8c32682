//! The Markdown pages of the repository: their headings and links, and the check that no link is dead and no page lost.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::Path;

use crate::graph::root;

/// The page where the documentation begins.
pub(crate) const INDEX: &str = "docs/README.md";

/// Folders at the top that pages name in code, as `perf/bench.sh`.
const FOLDERS: [&str; 9] =
    ["crates/", "docs/", "examples/", "experiments/", "fuzz/", "perf/", "tests/", "xtask/", ".ci/"];

/// A folder that commands write, so a fresh copy does not have it.
const WRITTEN: &str = "perf/runs/tmp";

/// Pages about the past, which name files that are gone.
const HISTORY: [&str; 2] = ["CHANGELOG.md", "perf/"];

/// A page.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) text: String,
    /// The first heading.
    pub(crate) title: String,
    /// The headings of the second level, with their lines.
    pub(crate) sections: Vec<(usize, String)>,
    pub(crate) anchors: BTreeSet<String>,
    pub(crate) links: Vec<Link>,
    /// Code within a line, with the number of the line.
    codes: Vec<(usize, String)>,
}

/// A link or a picture.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Link {
    /// From 1.
    pub(crate) line: usize,
    pub(crate) text: String,
    pub(crate) target: String,
    /// Where the target stands in the page's text.
    pub(crate) place: Range<usize>,
}

impl Link {
    /// The file that is linked to, from the root of the pages, and the anchor in it; none if it is elsewhere.
    pub(crate) fn resolve(&self, page: &str) -> Option<(String, Option<String>)> {
        if self.target.contains("://") || self.target.starts_with("mailto:") {
            return None;
        }
        let (file, anchor) = match self.target.split_once('#') {
            Some((file, anchor)) => (file, Some(anchor.to_owned())),
            None => (self.target.as_str(), None),
        };
        if file.is_empty() {
            return Some((page.to_owned(), anchor));
        }
        let mut parts: Vec<&str> = page.split('/').collect();
        parts.pop();
        for part in file.split('/') {
            match part {
                "" | "." => {}
                ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
                _ => parts.push(part),
            }
        }
        Some((parts.join("/"), anchor))
    }
}

impl Page {
    pub(crate) fn read(text: String) -> Self {
        let (prose, codes) = prose(&text);
        let mut page = Self {
            title: String::new(),
            sections: vec![],
            anchors: BTreeSet::new(),
            links: links(&text, &prose),
            codes,
            text,
        };
        let mut start = 0;
        for (number, blank) in prose.split_inclusive('\n').enumerate() {
            let line = page.text[start..start + blank.len()].trim_end();
            start += blank.len();
            let level = blank.bytes().take_while(|byte| *byte == b'#').count();
            if (1..=6).contains(&level) && blank[level..].starts_with(' ') {
                let heading = unlinked(line[level..].trim());
                if level == 1 && page.title.is_empty() {
                    page.title = heading.replace('`', "");
                } else if level == 2 {
                    page.sections.push((number + 1, heading.replace('`', "")));
                }
                let (slug, mut anchor, mut count) = (slug(&heading), slug(&heading), 0);
                while !page.anchors.insert(anchor.clone()) {
                    count += 1;
                    anchor = format!("{slug}-{count}");
                }
            }
            for (at, _) in blank.match_indices("id=\"") {
                let name = blank[at + 4..].split('"').next().unwrap_or_default();
                page.anchors.insert(name.to_owned());
            }
        }
        page
    }
}

/// The text with blanks in place of code and remarks, and the code within lines. All bytes keep their places.
fn prose(text: &str) -> (String, Vec<(usize, String)>) {
    let mut bytes = text.as_bytes().to_vec();
    let (mut codes, mut fence, mut start) = (Vec::new(), false, 0);
    let mut paragraph = 0..0;
    let mut close = |bytes: &mut Vec<u8>, range: Range<usize>| {
        spans(text, range, &mut |code| {
            let line = text[..code.start].matches('\n').count() + 1;
            codes.push((line, text[code.clone()].trim_matches('`').replace('\n', " ")));
            blank(bytes, code);
        });
    };
    for line in text.split_inclusive('\n') {
        let range = start..start + line.len();
        start = range.end;
        let is_fence = line.trim_start().starts_with("```");
        if is_fence || fence || line.trim().is_empty() {
            close(&mut bytes, std::mem::replace(&mut paragraph, range.end..range.end));
            if is_fence || fence {
                blank(&mut bytes, range);
            }
            fence ^= is_fence;
        } else {
            paragraph.end = range.end;
        }
    }
    close(&mut bytes, paragraph);
    let mut prose = String::from_utf8(bytes).unwrap_or_default();
    while let Some(from) = prose.find("<!--") {
        let to = prose[from..].find("-->").map_or(prose.len(), |length| from + length + 3);
        let mut bytes = prose.into_bytes();
        blank(&mut bytes, from..to);
        prose = String::from_utf8(bytes).unwrap_or_default();
    }
    (prose, codes)
}

fn blank(bytes: &mut [u8], range: Range<usize>) {
    bytes[range].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}

/// Gives each piece of code in a paragraph, with its backquotes.
fn spans(text: &str, range: Range<usize>, found: &mut dyn FnMut(Range<usize>)) {
    let part = &text[range.clone()];
    let mut at = 0;
    while let Some(open) = part[at..].find('`').map(|from| at + from) {
        let ticks = part[open..].bytes().take_while(|byte| *byte == b'`').count();
        let fence = "`".repeat(ticks);
        let mut from = open + ticks;
        let end = loop {
            let Some(next) = part[from..].find(&fence).map(|length| from + length) else { break None };
            let run = part[next..].bytes().take_while(|byte| *byte == b'`').count();
            if run == ticks {
                break Some(next + run);
            }
            from = next + run;
        };
        match end {
            Some(end) => {
                found(range.start + open..range.start + end);
                at = end;
            }
            None => at = open + ticks,
        }
    }
}

fn links(text: &str, prose: &str) -> Vec<Link> {
    let mut links = Vec::new();
    let mut add = |from: usize, ends: &[char], said: &str| {
        let target = prose[from..].split(ends).next().unwrap_or_default();
        let line = prose[..from].matches('\n').count() + 1;
        let place = from..from + target.len();
        links.push(Link { line, text: said.to_owned(), target: target.to_owned(), place });
    };
    for (at, _) in prose.match_indices("](") {
        let open = prose[..at].rfind('[').map_or(at, |open| open + 1);
        add(at + 2, &[')', ' ', '\n'], &text[open..at]);
    }
    for attribute in ["href=\"", "src=\""] {
        for (at, _) in prose.match_indices(attribute) {
            add(at + attribute.len(), &['"'], "");
        }
    }
    links.sort_by_key(|link| link.place.start);
    links
}

/// A heading without its links: their texts stay.
fn unlinked(heading: &str) -> String {
    let mut out = String::new();
    let mut rest = heading;
    while let Some((before, link)) = rest.split_once("](") {
        out += &before.replacen('[', "", 1);
        rest = link.split_once(')').map_or("", |(_, behind)| behind);
    }
    out + rest
}

/// The anchor of a heading, as GitHub and mdBook make it.
fn slug(heading: &str) -> String {
    heading
        .to_lowercase()
        .chars()
        .filter_map(|character| match character {
            ' ' => Some('-'),
            '-' | '_' => Some(character),
            _ => character.is_alphanumeric().then_some(character),
        })
        .collect()
}

/// All pages below a folder, by their paths in it.
///
/// # Errors
/// A page cannot be read.
pub(crate) fn read_all(folder: &Path) -> Result<BTreeMap<String, Page>, String> {
    let mut pages = BTreeMap::new();
    let mut folders = vec![String::new()];
    while let Some(inside) = folders.pop() {
        let fault = |error: std::io::Error| format!("{inside}: {error}");
        for entry in fs::read_dir(folder.join(&inside)).map_err(fault)? {
            let entry = entry.map_err(fault)?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = if inside.is_empty() { name.clone() } else { format!("{inside}/{name}") };
            let kind = entry.file_type().map_err(fault)?;
            let is_ours =
                !name.starts_with('.') && !matches!(name.as_str(), "target" | "node_modules" | "tmp");
            if kind.is_dir() && is_ours {
                folders.push(path);
            } else if kind.is_file() && name.ends_with(".md") {
                let text = fs::read_to_string(entry.path()).map_err(fault)?;
                pages.insert(path, Page::read(text));
            }
        }
    }
    Ok(pages)
}

/// Links that lead nowhere.
pub(crate) fn dead(folder: &Path, pages: &BTreeMap<String, Page>) -> Vec<String> {
    let mut faults = Vec::new();
    for (path, page) in pages {
        for link in &page.links {
            let Some((file, anchor)) = link.resolve(path) else { continue };
            let fault = match (pages.get(&file), anchor) {
                (Some(to), Some(anchor)) if !to.anchors.contains(&anchor) => "has no such heading",
                (Some(_), _) => continue,
                (None, _) if file.starts_with("..") => "leads out of the repository",
                (None, _) if folder.join(&file).is_dir() => "is a folder: name a file in it",
                (None, _) if folder.join(&file).is_file() => continue,
                (None, _) => "does not exist",
            };
            faults.push(format!("{path}:{}: {} {fault}", link.line, link.target));
        }
    }
    faults
}

/// Files of the repository that pages name in code and that do not exist.
fn absent(folder: &Path, pages: &BTreeMap<String, Page>) -> Vec<String> {
    let mut faults = Vec::new();
    for (path, page) in pages.iter().filter(|(path, _)| !HISTORY.iter().any(|past| path.starts_with(past))) {
        for (line, code) in &page.codes {
            let is_path = FOLDERS.iter().any(|known| code.starts_with(known))
                && code.chars().all(|one| one.is_ascii_alphanumeric() || "_-./".contains(one));
            if is_path && !code.starts_with(WRITTEN) && !folder.join(code).exists() {
                faults.push(format!("{path}:{line}: {code} does not exist"));
            }
        }
    }
    faults
}

/// Pages for readers that no index leads to. Indexes are called README.md.
fn lost(pages: &BTreeMap<String, Page>) -> Vec<String> {
    let mut reached = BTreeSet::from(["README.md".to_owned()]);
    let mut indexes = vec!["README.md".to_owned()];
    while let Some(index) = indexes.pop() {
        let Some(page) = pages.get(&index) else { continue };
        for (file, _) in page.links.iter().filter_map(|link| link.resolve(&index)) {
            if pages.contains_key(&file) && reached.insert(file.clone()) && file.ends_with("README.md") {
                indexes.push(file);
            }
        }
    }
    let is_for_readers =
        |path: &str| !path.contains('/') || path.starts_with("docs/") || path.starts_with("examples/");
    let lost = pages.keys().filter(|path| is_for_readers(path) && !reached.contains(*path));
    lost.map(|path| format!("{path}: no index leads to it; add it to {INDEX}")).collect()
}

/// Checks all pages of the repository.
///
/// # Errors
/// The faults, a line each.
pub(crate) fn run() -> Result<(), String> {
    let root = root();
    let pages = read_all(&root)?;
    let mut faults = dead(&root, &pages);
    faults.extend(absent(&root, &pages));
    faults.extend(lost(&pages));
    if !faults.is_empty() {
        return Err(format!("{} in pages:\n{}", faults.len(), faults.join("\n")));
    }
    let links: usize = pages.values().map(|page| page.links.len()).sum();
    println!("{} pages, {links} links: none is dead, and every page is reached", pages.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_link_of_the_repository_is_dead_and_every_page_is_reached() {
        if let Err(faults) = run() {
            panic!("{faults}");
        }
    }

    #[test]
    fn links_are_found_outside_of_code_alone() {
        let text = "# A `b` c\n\nSee [one\ntwo](x.md#y), `[no](n.md)` and <a href=\"z.md\">.\n\n```sh\n[no](n.md)\n```\n\
            <!-- [no](n.md) -->\n![picture](p.svg)\n";
        let page = Page::read(text.to_owned());
        let found: Vec<_> = page.links.iter().map(|link| (link.line, link.target.as_str())).collect();
        assert_eq!(found, [(4, "x.md#y"), (4, "z.md"), (10, "p.svg")]);
        assert_eq!(page.links[0].text, "one\ntwo");
        assert_eq!((page.title.as_str(), &text[page.links[0].place.clone()]), ("A b c", "x.md#y"));
    }

    #[test]
    fn anchors_are_those_of_github() {
        let page =
            Page::read("# A\n## `[a.b]` and C_d\n## X\n## X\n## [Y z](w.md)\n<a id=\"q\"></a>\n".to_owned());
        let anchors: Vec<&str> = page.anchors.iter().map(String::as_str).collect();
        assert_eq!(anchors, ["a", "ab-and-c_d", "q", "x", "x-1", "y-z"]);
    }

    #[test]
    fn what_is_dead_or_lost_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a page");
        };
        write("README.md", "# R\n[d](docs/README.md) [x](gone.md) [y](docs/a.md#gone) [z](docs)\n");
        write(
            "docs/README.md",
            "# D\n[a](a.md) [r](../README.md#r) [up](../../up.md) `docs/gone.md` `docs/a.md`\n",
        );
        write("docs/a.md", "# A\n[h](https://example.com) [s](#a)\n");
        write("docs/b.md", "# B\n");
        let pages = read_all(folder.path()).expect("pages");
        assert_eq!(
            dead(folder.path(), &pages),
            [
                "README.md:2: gone.md does not exist",
                "README.md:2: docs/a.md#gone has no such heading",
                "README.md:2: docs is a folder: name a file in it",
                "docs/README.md:2: ../../up.md leads out of the repository",
            ]
        );
        assert_eq!(absent(folder.path(), &pages), ["docs/README.md:2: docs/gone.md does not exist"]);
        assert_eq!(lost(&pages), ["docs/b.md: no index leads to it; add it to docs/README.md"]);
    }
}
