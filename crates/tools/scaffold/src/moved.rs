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

/// Values that are no records.
const FIGURATIVE: [&str; 8] =
    ["SPACE", "SPACES", "ZERO", "ZEROS", "ZEROES", "LOW-VALUE", "LOW-VALUES", "HIGH-VALUES"];
/// Words with which a statement begins, and the period at the end of one.
const BEGINS: [&str; 10] =
    [".", "MOVE", "STRING", "UNSTRING", "EXEC", "CALL", "IF", "ELSE", "PERFORM", "INITIALIZE"];

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
    let Moves { taken, given, is_clear } = moves(&words);
    let Some(request) = only(&taken).filter(|_| is_clear) else { return Ok(None) };
    let response = if given.is_empty() { Some(request) } else { only(&given) };
    let Some(response) = response else { return Ok(None) };
    let fits = |name: &str| {
        entries::record(file, name).is_ok_and(|found| {
            let layout = found.layouts.first();
            layout
                .is_some_and(|layout| texts(layout) != Some(1) && layout.max_bytes() <= commarea.max_bytes())
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

/// The moves of the commarea.
#[derive(Default)]
struct Moves<'w> {
    /// The records that get the commarea.
    taken: BTreeSet<&'w str>,
    /// The records that the commarea gets.
    given: BTreeSet<&'w str>,
    /// False if something else writes to the commarea.
    is_clear: bool,
}

fn moves(words: &[String]) -> Moves<'_> {
    let mut moves = Moves { is_clear: true, ..Moves::default() };
    let mut written = BTreeSet::new();
    for (at, _) in words.iter().enumerate().filter(|(_, word)| *word == "MOVE") {
        let Some((from, rest)) = whole(&words[at + 1..]) else { continue };
        let Some((_, target)) = rest.split_first().filter(|(to, _)| *to == "TO") else { continue };
        let Some((to, _)) = whole(target) else { continue };
        match (from == COMMAREA, to == COMMAREA) {
            (true, false) => drop(moves.taken.insert(to)),
            (false, true) => {
                written.insert(words.len() - target.len());
                if !FIGURATIVE.contains(&from) {
                    moves.given.insert(from);
                }
            }
            _ => {}
        }
    }
    let mut named = words.iter().enumerate().filter(|(_, word)| *word == COMMAREA).map(|(at, _)| at);
    moves.is_clear = !named.any(|at| !written.contains(&at) && is_written(&words[..at]));
    moves
}

/// True if a name behind these words is changed, or given to a program that may change it.
fn is_written(before: &[String]) -> bool {
    let begins = |word: &String| BEGINS.contains(&word.as_str());
    let statement = before.iter().rposition(begins).map_or(before, |at| &before[at..]);
    let has = |word: &str| statement.iter().any(|known| known == word);
    match before {
        [.., before] if before == "OF" => false,
        [.., division, using] if using == "USING" => division != "DIVISION",
        [.., option, open] if option == "COMMAREA" && open == "(" => has("LINK") || has("XCTL"),
        _ => has("TO") || has("INTO"),
    }
}

/// A whole record and the words after it. `DFHCOMMAREA(1:EIBCALEN)` is a whole record, too.
fn whole(words: &[String]) -> Option<(&str, &[String])> {
    let (name, rest) = words.split_first()?;
    let rest = match rest {
        [open, one, colon, length, ..]
            if open == "("
                && one == "1"
                && colon == ":"
                && matches!(length.as_str(), "EIBCALEN" | "LENGTH") =>
        {
            &rest[rest.iter().position(|word| word == ")")? + 1..]
        }
        rest => rest,
    };
    let is_part = rest.first().is_some_and(|next| PARTS.contains(&next.as_str()));
    (!is_part).then_some((name.as_str(), rest))
}

fn only<'w>(names: &BTreeSet<&'w str>) -> Option<&'w str> {
    names.first().copied().filter(|_| names.len() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(names: BTreeSet<&str>) -> Vec<&str> {
        names.into_iter().collect()
    }

    #[track_caller]
    fn check(code: &str, (taken, given, is_clear): (&[&str], &[&str], bool)) {
        let lines = code.replace(" MOVE", "\n           MOVE");
        let words = words(&format!("       PROCEDURE DIVISION USING DFHCOMMAREA.\n           {lines}\n"));
        let moves = moves(&words);
        assert_eq!((list(moves.taken), list(moves.given)), (taken.to_vec(), given.to_vec()), "{code}");
        assert_eq!(moves.is_clear, is_clear, "{code}");
    }

    #[test]
    fn moves_of_the_whole_commarea_count() {
        check("MOVE DFHCOMMAREA TO A. MOVE B TO DFHCOMMAREA.", (&["A"], &["B"], true));
        check("MOVE DFHCOMMAREA(1:EIBCALEN) TO A MOVE A TO DFHCOMMAREA (1:EIBCALEN)", (&["A"], &["A"], true));
        check("MOVE DFHCOMMAREA TO A MOVE DFHCOMMAREA TO C", (&["A", "C"], &[], true));
        check("MOVE SPACES TO DFHCOMMAREA MOVE A TO DFHCOMMAREA", (&[], &["A"], true));
        check("INITIALIZE DFHCOMMAREA MOVE LENGTH OF DFHCOMMAREA TO N", (&[], &[], true));
    }

    #[test]
    fn moves_of_parts_do_not() {
        check("MOVE DFHCOMMAREA(5:2) TO A. MOVE DFHCOMMAREA(1:9) TO A.", (&[], &[], true));
        check("MOVE DFHCOMMAREA TO B IN C. MOVE X TO Y. MOVE", (&[], &[], true));
    }

    #[test]
    fn other_ways_into_the_commarea_leave_it_open() {
        check("MOVE DFHCOMMAREA TO A. MOVE B TO C DFHCOMMAREA.", (&["A"], &[], false));
        check("MOVE B(1) TO DFHCOMMAREA.", (&[], &[], false));
        check("MOVE B TO DFHCOMMAREA(1:4).", (&[], &[], false));
        check("STRING B DELIMITED BY SIZE INTO DFHCOMMAREA.", (&[], &[], false));
        check("CALL 'X' USING DFHCOMMAREA.", (&[], &[], false));
        check("EXEC CICS LINK PROGRAM('X') COMMAREA(DFHCOMMAREA) END-EXEC.", (&[], &[], false));
        check("EXEC CICS RETURN COMMAREA(DFHCOMMAREA) END-EXEC.", (&[], &[], true));
    }
}
