//! The records between which a program moves its commarea, if the commarea itself has no fields.
//!
//! Many programs declare `01 DFHCOMMAREA PIC X(150).`, and move it to a record of the
//! WORKING-STORAGE SECTION and back. That record tells what the bytes are.

use std::collections::BTreeSet;

use copybook::{Field, Kind, Layout};

use crate::commands::words_of;
use crate::entries;
use crate::of_program::COMMAREA;
use crate::sources::SourceFile;

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
/// A record may be longer than the commarea that the program declares, as callers pass the whole
/// record. A remark says which bytes the program does not see then.
///
/// # Errors
/// The program or its commarea cannot be read.
pub(crate) fn records(file: &SourceFile) -> Result<Option<(String, String)>, String> {
    let Some(commarea) = entries::layout(file, COMMAREA)?.filter(is_plain) else { return Ok(None) };
    let words = words_of(file)?;
    let Moves { taken, given, is_clear, is_cut } = moves(&words);
    let Some(request) = only(&taken).filter(|_| is_clear) else { return Ok(None) };
    let response = if given.is_empty() { Some(request) } else { only(&given) };
    let Some(response) = response else { return Ok(None) };
    let bytes = |name: &str| {
        // Faults of its entries count; a name without entries is no record.
        entries::layout(file, name)?;
        let found = entries::record(file, name).ok();
        let layout = found.as_ref().and_then(|found| found.layouts.first());
        Ok::<_, String>(layout.filter(|layout| !is_plain(layout)).map(Layout::max_bytes))
    };
    let (Some(sent), Some(back)) = (bytes(request)?, bytes(response)?) else { return Ok(None) };
    let seen = commarea.max_bytes();
    if is_cut && sent.max(back) > seen {
        let longer = if sent > seen { request } else { response };
        terminal::remark!(
            "{longer} has {} bytes, and {COMMAREA} {seen}: the program sees the first {seen} bytes; behind them, the answer has the bytes of the request",
            sent.max(back)
        );
    }
    Ok(Some((request.to_owned(), response.to_owned())))
}

/// The records that a program lays over its commarea with SET ADDRESS OF or ADDRESS COMMAREA: the first is the request, and the
/// second, if there is one, the response. None if no record fits, if there are more, or if the commarea has fields.
///
/// # Errors
/// The program cannot be read.
pub(crate) fn laid_over(file: &SourceFile) -> Result<Option<(String, String)>, String> {
    if entries::layout(file, COMMAREA)?.is_some_and(|layout| !is_plain(&layout)) {
        return Ok(None);
    }
    let words = words_of(file)?;
    Ok(match over(&words).as_slice() {
        [only] => Some(((*only).to_owned(), (*only).to_owned())),
        [request, response] => Some(((*request).to_owned(), (*response).to_owned())),
        _ => None,
    })
}

fn over(words: &[String]) -> Vec<&str> {
    let text: Vec<&str> = words.iter().map(String::as_str).collect();
    let laid = |at: usize| match &text[at..] {
        ["SET", "ADDRESS", "OF", name, "TO", "ADDRESS", "OF", to, ..] if *to == COMMAREA => Some(*name),
        ["EXEC", "CICS", "ADDRESS", "COMMAREA", "(", "ADDRESS", "OF", name, ")", ..] => Some(*name),
        _ => None,
    };
    let mut found = Vec::new();
    for name in (0..text.len()).filter_map(laid) {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// True if a record has no fields: one text, which may be a table of single characters.
pub(crate) fn is_plain(layout: &Layout) -> bool {
    let mut fields = layout.iter().map(|(_, field)| field).filter(|field| field.children.is_empty());
    let is_text = |field: &Field| {
        let is_table = layout.iter().any(|(_, field)| field.occurs.is_some());
        matches!(field.kind, Kind::Text { .. }) && (field.bytes == 1 || !is_table)
    };
    fields.next().is_some_and(is_text) && fields.next().is_none()
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
    /// True if a move goes as far as the program declares its commarea, and not as far as its caller says.
    is_cut: bool,
}

fn moves(words: &[String]) -> Moves<'_> {
    let mut moves = Moves { is_clear: true, ..Moves::default() };
    let (mut written, lengths) = (BTreeSet::new(), lengths(words));
    for (at, _) in words.iter().enumerate().filter(|(_, word)| *word == "MOVE") {
        let Some((from, rest)) = whole(&words[at + 1..], &lengths) else { continue };
        let Some((_, target)) = rest.split_first().filter(|(to, _)| *to == "TO") else { continue };
        let Some((to, _)) = whole(target, &lengths) else { continue };
        let has_length = |words: &[String]| words.get(1).is_some_and(|open| open == "(");
        match (from == COMMAREA, to == COMMAREA) {
            (true, false) => {
                moves.taken.insert(to);
                moves.is_cut |= !has_length(&words[at + 1..]);
            }
            (false, true) => {
                written.insert(words.len() - target.len());
                if !FIGURATIVE.contains(&from) {
                    moves.given.insert(from);
                    moves.is_cut |= !has_length(target);
                }
            }
            _ => {}
        }
    }
    let mut named = words.iter().enumerate().filter(|(_, word)| *word == COMMAREA).map(|(at, _)| at);
    moves.is_clear = !named.any(|at| !written.contains(&at) && is_written(&words[..at]));
    moves
}

/// The names that hold the length of a record or of the commarea: `MOVE LENGTH OF R TO N`, `MOVE EIBCALEN TO N`.
fn lengths(words: &[String]) -> BTreeSet<&str> {
    let text: Vec<&str> = words.iter().map(String::as_str).collect();
    let moved = |at: usize| match &text[at..] {
        ["MOVE", "LENGTH", "OF", _, "TO", name, ..] | ["MOVE", "EIBCALEN", "TO", name, ..] => Some(*name),
        _ => None,
    };
    (0..text.len()).filter_map(moved).chain(["EIBCALEN", "LENGTH"]).collect()
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

/// A whole record and the words after it. `DFHCOMMAREA(1:EIBCALEN)` is a whole record, too, and so is a record as long as another
/// name of such a length says.
fn whole<'w>(words: &'w [String], lengths: &BTreeSet<&str>) -> Option<(&'w str, &'w [String])> {
    let (name, rest) = words.split_first()?;
    let rest = match rest {
        [open, one, colon, length, ..]
            if open == "(" && one == "1" && colon == ":" && lengths.contains(length.as_str()) =>
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
    use crate::commands::words;

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
    fn records_are_laid_over_the_commarea() {
        let found = |code: &str| {
            let words = words(&format!("       PROCEDURE DIVISION.\n           {code}\n"));
            over(&words).join(",")
        };
        assert_eq!(found("SET ADDRESS OF A TO ADDRESS OF DFHCOMMAREA SET ADDRESS OF B TO P"), "A");
        let both = "EXEC CICS ADDRESS COMMAREA(ADDRESS OF B) END-EXEC\n           SET ADDRESS OF A TO ADDRESS OF DFHCOMMAREA";
        assert_eq!(found(both), "B,A");
        assert_eq!(found("SET P TO ADDRESS OF DFHCOMMAREA"), "");
    }

    #[test]
    fn a_length_may_be_in_a_field() {
        let code = "MOVE LENGTH OF A TO N MOVE DFHCOMMAREA(1:N) TO A MOVE A TO DFHCOMMAREA(1 : N).";
        check(code, (&["A"], &["A"], true));
        check("MOVE EIBCALEN TO L MOVE DFHCOMMAREA(1:L) TO A", (&["A"], &[], true));
        check("MOVE 7 TO N MOVE DFHCOMMAREA(1:N) TO A", (&[], &[], true));
    }

    #[test]
    fn a_move_without_a_length_ends_with_the_declared_commarea() {
        let is_cut =
            |code: &str| moves(&words(&format!("       PROCEDURE DIVISION.\n           {code}\n"))).is_cut;
        assert!(is_cut("MOVE DFHCOMMAREA TO A"));
        assert!(!is_cut("MOVE DFHCOMMAREA(1:EIBCALEN) TO A"));
        assert!(is_cut("MOVE DFHCOMMAREA(1:EIBCALEN) TO A MOVE A TO DFHCOMMAREA"));
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
