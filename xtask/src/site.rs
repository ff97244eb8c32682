//! The site of the documentation: the pages as mdBook takes them, with a summary made of the index of the documentation.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::graph::root;
use crate::pages::{INDEX, Page, read_all};

const BOOK: &str = "# Made by cargo xtask site.
[book]
title = \"Gantry\"
description = \"An open gateway for record-oriented programs\"
language = \"en\"
src = \"src\"

[build]
build-dir = \"book\"
create-missing = false

[output.html]
additional-css = [\"wide.css\"]
no-section-label = true
smart-punctuation = false

[output.html.fold]
enable = true
level = 0

[output.html.search]
limit-results = 40
boost-title = 4
heading-split-level = 3
";

/// The book's own styles are for prose in narrow columns.
const STYLE: &str = "/* Wide tables and long commands are read without scrolling sideways. One rem is 10 px here. */
:root { --content-max-width: 95rem; }
.content main table { width: 100%; }
.content main .table-wrapper + .table-wrapper { margin-block-start: 2rem; }
.content main td:first-child code { white-space: nowrap; }
.content main td:not(:first-child) code { overflow-wrap: anywhere; }
.content main code.language-sh, .content main code.language-console { white-space: pre-wrap; overflow-wrap: anywhere; }
";

/// Where a page stands in the book: mdBook serves an index.md at the folder's own address.
fn staged(path: &str) -> String {
    match path.strip_suffix("README.md") {
        Some(folder) => format!("{folder}index.md"),
        None => path.to_owned(),
    }
}

/// Writes the folder of a book: its settings, its summary, and all pages that README.md leads to.
///
/// # Errors
/// A page cannot be read, or a file not written.
pub(crate) fn run(target: &Path) -> Result<(), String> {
    let root = root();
    let pages = read_all(&root)?;
    let reached = reached(&pages);
    let src = target.join("src");
    if src.exists() {
        fs::remove_dir_all(&src).map_err(|error| format!("{}: {error}", src.display()))?;
    }
    let write = |path: &str, bytes: &[u8]| {
        let to = target.join(path);
        let folder = to.parent().unwrap_or(target);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&to, bytes))
            .map_err(|error| format!("{}: {error}", to.display()))
    };
    for path in &reached {
        match pages.get(path) {
            Some(page) => write(&format!("src/{}", staged(path)), relinked(page).as_bytes())?,
            None => {
                let bytes = fs::read(root.join(path)).map_err(|error| format!("{path}: {error}"))?;
                write(&format!("src/{path}"), &bytes)?;
            }
        }
    }
    write("src/SUMMARY.md", summary(&pages, &reached).as_bytes())?;
    write("book.toml", BOOK.as_bytes())?;
    write("wide.css", STYLE.as_bytes())?;
    println!(
        "{}: {} pages",
        target.display(),
        reached.iter().filter(|path| pages.contains_key(*path)).count()
    );
    Ok(())
}

/// All files of the repository that the README leads to, by links of pages.
fn reached(pages: &BTreeMap<String, Page>) -> BTreeSet<String> {
    let mut reached = BTreeSet::from(["README.md".to_owned()]);
    let mut open = vec!["README.md".to_owned()];
    while let Some(path) = open.pop() {
        let Some(page) = pages.get(&path) else { continue };
        for (file, _) in page.links.iter().filter_map(|link| link.resolve(&path)) {
            if reached.insert(file.clone()) {
                open.push(file);
            }
        }
    }
    reached
}

/// A page whose links to indexes are those of the book.
fn relinked(page: &Page) -> String {
    let mut text = page.text.clone();
    for link in page.links.iter().rev() {
        let (file, anchor) = match link.target.split_once('#') {
            Some((file, anchor)) => (file, format!("#{anchor}")),
            None => (link.target.as_str(), String::new()),
        };
        if file.ends_with("README.md") && !file.contains("://") {
            text.replace_range(link.place.clone(), &(staged(file) + &anchor));
        }
    }
    text
}

/// A title with a capital; a command keeps its letters.
fn capital(title: &str) -> String {
    let mut letters = title.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    if title.starts_with("gantry ") { title.to_owned() } else { first + letters.as_str() }
}

/// The table of contents: the sections of the index with their pages, those of other indexes below theirs, then the rest.
fn summary(pages: &BTreeMap<String, Page>, reached: &BTreeSet<String>) -> String {
    let mut summary = String::from("# Summary\n\n[Gantry](index.md)\n[Documentation](docs/index.md)\n");
    let mut listed = BTreeSet::from(["README.md".to_owned(), INDEX.to_owned()]);
    let mut line = |summary: &mut String, indent: &str, path: &str, title: &str| {
        let is_new = pages.contains_key(path) && listed.insert(path.to_owned());
        if is_new {
            writeln!(summary, "{indent}- [{title}]({})", staged(path)).expect("a string");
        }
        is_new
    };
    if let Some(index) = pages.get(INDEX) {
        let ends = index.sections.iter().map(|(line, _)| *line).skip(1).chain([usize::MAX]);
        for ((start, title), end) in index.sections.iter().zip(ends) {
            write!(summary, "\n# {title}\n\n").expect("a string");
            for link in index.links.iter().filter(|link| (*start..end).contains(&link.line)) {
                let Some((path, anchor)) = link.resolve(INDEX) else { continue };
                // A link into a page says what is there, and not what the page is.
                let said = capital(&link.text.replace(['`', '\n'], ""));
                let title = match (anchor, pages.get(&path)) {
                    (Some(_), Some(page)) => page.title.clone(),
                    _ => said,
                };
                if !line(&mut summary, "", &path, &title) || !path.ends_with("README.md") {
                    continue;
                }
                let below = pages[&path].links.iter().filter_map(|link| link.resolve(&path));
                for (below, _) in
                    below.filter(|(below, _)| below.starts_with(path.trim_end_matches("README.md")))
                {
                    let title = pages.get(&below).map(|page| page.title.clone()).unwrap_or_default();
                    line(&mut summary, "  ", &below, &title);
                }
            }
        }
    }
    summary.push_str("\n# More\n\n");
    for path in reached {
        let title = pages.get(path).map(|page| page.title.clone()).unwrap_or_default();
        line(&mut summary, "", path, &title);
    }
    summary
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::dead;

    #[test]
    fn the_site_has_every_page_once_and_no_dead_link() {
        let folder = tempfile::tempdir().expect("a folder");
        run(folder.path()).expect("the site is written");
        let src = folder.path().join("src");
        let mut pages = read_all(&src).expect("its pages");
        let summary = pages.remove("SUMMARY.md").expect("a summary");
        assert_eq!(dead(&src, &pages), Vec::<String>::new());

        let mut listed: Vec<String> = summary.links.iter().map(|link| link.target.clone()).collect();
        listed.sort_unstable();
        let there: Vec<String> = pages.keys().cloned().collect();
        assert_eq!(listed, there);
        assert!(summary.links.iter().all(|link| !link.text.is_empty()), "{}", summary.text);
        let of_repository = read_all(&root()).expect("the pages of the repository");
        for path in of_repository.keys().filter(|path| path.starts_with("docs/")) {
            assert!(there.contains(&staged(path)), "{path}");
        }
    }

    #[test]
    fn links_to_indexes_lead_to_the_index_of_the_folder() {
        let page =
            Page::read("# A\n[r](../README.md#x) [c](commands/README.md) [p](b.md#README.md)\n".to_owned());
        assert_eq!(relinked(&page), "# A\n[r](../index.md#x) [c](commands/index.md) [p](b.md#README.md)\n");
    }
}
