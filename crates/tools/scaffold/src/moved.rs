//! The records between which a program moves its commarea, if the commarea itself has no fields.
//!
//! Many programs declare `01 DFHCOMMAREA PIC X(150).`, and move it to a record of the
//! WORKING-STORAGE SECTION and back. That record tells what the bytes are.

use std::collections::BTreeSet;

use copybook::{Kind, Layout};

use crate::commands::words;
use crate::entries;
use crate::of_program::COMMAREA;
use crate::sources::{Source, SourceFile};

/// Words after a name that make it another place than the whole record.
const PARTS: [&str; 3] = ["(", "OF", "IN"];

/// The records that a program moves its commarea to, and from; none if the commarea has fields, or
/// if the program does not tell.
///
/// # Errors
/// The program or its commarea cannot be read.
pub(crate) fn records(file: &SourceFile) -> Result<Option<(String, String)>, String> {
    let commarea = entries::record(file, COMMAREA)?;
    let Some(commarea) = commarea.layouts.first().filter(|layout| texts(layout) == Some(1)) else {
        return Ok(None);
    };
    let words = words(&Source::read(&file.path)?.text);
    let (taken, given) = moves(&words);
    let Some(request) = only(&taken) else { return Ok(None) };
    let response = if given.is_empty() { Some(request) } else { only(&given) };
    let Some(response) = response else { return Ok(None) };
    let fits = |name: &str| {
        is_record(&words, name)
            && entries::record(file, name).is_ok_and(|found| {
                let layout = found.layouts.first();
                layout.is_some_and(|layout| {
                    texts(layout) != Some(1) && layout.max_bytes() <= commarea.max_bytes()
                })
            })
    };
    let is_fit = fits(request) && (request == response || fits(response));
    Ok(is_fit.then(|| (request.to_owned(), response.to_owned())))
}

/// The number of fields, if all are text.
fn texts(layout: &Layout) -> Option<usize> {
    let mut fields = layout.iter().map(|(_, field)| field).filter(|field| field.children.is_empty());
    fields.try_fold(0, |count, field| matches!(field.kind, Kind::Text { .. }).then_some(count + 1))
}

/// What the program moves the commarea to, and what it moves to the commarea.
fn moves(words: &[String]) -> (BTreeSet<&str>, BTreeSet<&str>) {
    let (mut taken, mut given) = (BTreeSet::new(), BTreeSet::new());
    for (at, _) in words.iter().enumerate().filter(|(_, word)| *word == "MOVE") {
        let Some((from, rest)) = whole(&words[at + 1..]) else { continue };
        let Some((to, _)) = rest.split_first().filter(|(to, _)| *to == "TO").and_then(|(_, to)| whole(to))
        else {
            continue;
        };
        match (from == COMMAREA, to == COMMAREA) {
            (true, false) => taken.insert(to),
            (false, true) => given.insert(from),
            _ => false,
        };
    }
    (taken, given)
}

/// A whole record and the words after it. `DFHCOMMAREA(1:EIBCALEN)` is a whole record, too.
fn whole(words: &[String]) -> Option<(&str, &[String])> {
    let (name, rest) = words.split_first()?;
    let rest = match rest {
        [open, one, colon, ..] if open == "(" && one == "1" && colon == ":" => {
            &rest[rest.iter().position(|word| word == ")")? + 1..]
        }
        rest => rest,
    };
    let is_part = rest.first().is_some_and(|next| PARTS.contains(&next.as_str()));
    (!is_part).then_some((name.as_str(), rest))
}

/// True if the program itself has this 01 level.
fn is_record(words: &[String], name: &str) -> bool {
    words.windows(2).any(|two| (two[0] == "01" || two[0] == "1") && two[1] == name)
}

fn only<'w>(names: &BTreeSet<&'w str>) -> Option<&'w str> {
    names.first().copied().filter(|_| names.len() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(code: &str, expected: (&[&str], &[&str])) {
        let lines = code.replace("MOVE", "\n           MOVE");
        let words = words(&format!("       PROCEDURE DIVISION.{lines}\n"));
        let (taken, given) = moves(&words);
        let lists = (taken.into_iter().collect::<Vec<_>>(), given.into_iter().collect::<Vec<_>>());
        assert_eq!(lists, (expected.0.to_vec(), expected.1.to_vec()), "{code}");
    }

    #[test]
    fn moves_of_the_whole_commarea_count() {
        check("MOVE DFHCOMMAREA TO A. MOVE B TO DFHCOMMAREA.", (&["A"], &["B"]));
        check("MOVE DFHCOMMAREA(1:EIBCALEN) TO A MOVE A TO DFHCOMMAREA (1:90)", (&["A"], &["A"]));
        check("MOVE DFHCOMMAREA TO A MOVE DFHCOMMAREA TO C", (&["A", "C"], &[]));
    }

    #[test]
    fn moves_of_parts_do_not() {
        check("MOVE DFHCOMMAREA(5:2) TO A. MOVE B(1) TO DFHCOMMAREA. MOVE B OF C TO DFHCOMMAREA", (&[], &[]));
        check("MOVE DFHCOMMAREA TO B IN C. MOVE X TO Y. MOVE", (&[], &[]));
    }
}
