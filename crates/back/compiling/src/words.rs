//! The words that GnuCOBOL keeps for itself: those of its IBM dialect, but no more than Enterprise COBOL keeps, and with the
//! functions that Enterprise COBOL has since version 6.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;

/// GnuCOBOL's own list of words of the dialect, in the folder of its configuration.
const DIALECT: &str = "ibm.words";

/// Words that the list keeps and Enterprise COBOL's table of reserved words (Language Reference, appendix) does not have:
/// programs use them as names.
const FREE: &[&str] = &[
    "BLOB",
    "BLOB-FILE",
    "BLOB-LOCATOR",
    "CHAR-VARYING",
    "CLOB",
    "CLOB-FILE",
    "CLOB-LOCATOR",
    "DATE-RECORD",
    "DBCLOB",
    "DBCLOB-FILE",
    "DBCLOB-LOCATOR",
    "LONG-VARBINARY",
    "LONG-VARCHAR",
    "RESULT-SET-LOCATOR",
    "ROWID",
    "SYMBOL",
    "TIME-RECORD",
    "TIMESTAMP",
    "TIMESTAMP-OFFSET",
    "TIMESTAMP-OFFSET-RECORD",
    "TIMESTAMP-RECORD",
];

/// Functions of Enterprise COBOL 6 (Language Reference, "Intrinsic functions") that the list lacks.
const FUNCTIONS: &[&str] = &[
    "ABS",
    "BIT-OF",
    "BIT-TO-CHAR",
    "BYTE-LENGTH",
    "COMBINED-DATETIME",
    "E",
    "EXP",
    "EXP10",
    "FORMATTED-CURRENT-DATE",
    "FORMATTED-DATE",
    "FORMATTED-DATETIME",
    "FORMATTED-TIME",
    "HEX-OF",
    "HEX-TO-CHAR",
    "INTEGER-OF-FORMATTED-DATE",
    "NUMVAL-F",
    "PI",
    "SECONDS-FROM-FORMATTED-TIME",
    "SECONDS-PAST-MIDNIGHT",
    "SIGN",
    "TEST-DATE-YYYYMMDD",
    "TEST-DAY-YYYYDDD",
    "TEST-FORMATTED-DATETIME",
    "TEST-NUMVAL",
    "TEST-NUMVAL-C",
    "TEST-NUMVAL-F",
    "TRIM",
];

/// Words that only mean something in XML GENERATE and JSON GENERATE. The compiler takes them for these words in other places too, such
/// as `PERFORM VARYING I FROM 1 BY 1 UNTIL I > LENGTH OF NAME`.
const OF_GENERATE: &[&str] = &[
    "ATTRIBUTE",
    "ATTRIBUTES",
    "ELEMENT",
    "ENCODING",
    "NAME",
    "NAMESPACE",
    "NAMESPACE-PREFIX",
    "NONNUMERIC",
    "VALIDATING",
    "XML-DECLARATION",
];

/// Keeps the name of an alphabet that Enterprise COBOL knows and the list lacks.
const OF_ALPHABET: &str = "reserved: EBCDIC\n";

/// The list for a program, by its translated text: without words that it cannot mean, and with EBCDIC if it has alphabets.
pub(crate) fn for_program<'l>(list: &'l str, text: &str) -> Cow<'l, str> {
    // In a literal or a comment a word does no harm either.
    let has = |wanted: &str| {
        let words = &mut text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
        words.any(|word| word.eq_ignore_ascii_case(wanted))
    };
    let (generates, has_alphabet) = (has("GENERATE"), has("ALPHABET") && has("EBCDIC"));
    if generates && !has_alphabet {
        return Cow::Borrowed(list);
    }
    let keeps = |line: &&str| generates || reserved(line).is_none_or(|word| !OF_GENERATE.contains(&word));
    let mut kept: String = list.lines().filter(keeps).flat_map(|line| [line, "\n"]).collect();
    if has_alphabet {
        kept.push_str(OF_ALPHABET);
    }
    Cow::Owned(kept)
}

/// The word that a line of the list reserves. It may have a mark that it counts in its context only, an alias and a remark.
fn reserved(line: &str) -> Option<&str> {
    let (kind, word) = line.split_once(':')?;
    let word = word.split(['*', '=', '#']).next().unwrap_or_default().trim();
    (kind == "reserved").then_some(word)
}

/// The list for `-freserved-words`, from the output of `cobc --info` and `cobc --list-intrinsics`.
///
/// # Errors
/// The dialect's list is not where the compiler says: the reason for people.
pub(crate) fn list(info: &str, intrinsics: &str) -> Result<String, String> {
    let folder = configuration(info).ok_or("cobc --info says nothing of COB_CONFIG_DIR")?;
    let path = Path::new(folder).join(DIALECT);
    let dialect = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(adapted(&dialect, intrinsics))
}

/// The folder that the compiler has its lists in.
fn configuration(info: &str) -> Option<&str> {
    let line = info.lines().find_map(|line| line.strip_prefix("COB_CONFIG_DIR"))?;
    Some(line.split_once(':')?.1.trim()).filter(|folder| !folder.is_empty())
}

fn adapted(dialect: &str, intrinsics: &str) -> String {
    let is_free = |line: &&str| reserved(line).is_some_and(|word| FREE.contains(&word));
    let implemented: HashSet<&str> = intrinsics
        .lines()
        .filter_map(|line| {
            // A name, whether it is there, how many arguments it takes.
            let mut words = line.split_whitespace();
            words.next().filter(|_| words.next() == Some("Yes"))
        })
        .collect();
    let mut list = String::with_capacity(dialect.len());
    for line in dialect.lines().filter(|line| !is_free(line)) {
        list.push_str(line);
        list.push('\n');
    }
    for function in FUNCTIONS.iter().filter(|function| implemented.contains(*function)) {
        list.push_str(&format!("intrinsic-function: {function}\n"));
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_programs_are_freed_and_functions_added() {
        let dialect = "reserved:\tTIME\nreserved:\tTIMESTAMP\nreserved:\tSYMBOL* # here\nregister:\tTALLY\n";
        let intrinsics = "TRIM   Yes   1 - 2\nBIT-OF  No 1\nABS Yes 1\nCONCATENATE Yes\n";
        assert_eq!(
            adapted(dialect, intrinsics),
            "reserved:\tTIME\nregister:\tTALLY\nintrinsic-function: ABS\nintrinsic-function: TRIM\n"
        );
    }

    #[test]
    fn words_of_generate_are_names_in_other_programs() {
        let list = "reserved:\tNAME*   # note\nreserved:\tMOVE\nregister:\tTALLY\n";
        assert_eq!(for_program(list, "MOVE NAME TO X-GENERATE-Y"), "reserved:\tMOVE\nregister:\tTALLY\n");
        assert_eq!(for_program(list, "XML generate X FROM Y"), list);
    }

    #[test]
    fn an_alphabet_may_be_that_of_ebcdic() {
        let list = "reserved:\tMOVE\n";
        assert_eq!(for_program(list, "ALPHABET A IS EBCDIC"), "reserved:\tMOVE\nreserved: EBCDIC\n");
        assert_eq!(for_program(list, "MOVE EBCDIC TO A"), list);
    }

    #[test]
    fn a_missing_list_is_told_with_its_path() {
        let info = "COB_CC : gcc\nCOB_CONFIG_DIR           : /nonexistent/gnucobol\n";
        assert!(list(info, "").is_err_and(|message| message.contains("/nonexistent/gnucobol/ibm.words")));
        assert!(list("COB_CC : gcc\n", "").is_err_and(|message| message.contains("COB_CONFIG_DIR")));
    }
}
