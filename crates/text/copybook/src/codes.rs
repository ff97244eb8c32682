//! The stable codes of all findings, each with one line about its meaning and one about the remedy.

/// A finding's code and its meaning. `docs/reference/codes.md` is made of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// The code for people, such as `CPY012`. It never changes its meaning.
    pub id: &'static str,
    /// One line about its meaning.
    pub meaning: &'static str,
    /// The remedy, in Markdown. Its links are relative to `docs/reference`.
    pub advice: &'static str,
}

macro_rules! codes {
    ($($name:ident = $id:literal, $meaning:literal, $advice:literal;)*) => {
        $(pub(crate) const $name: Code = Code { id: $id, meaning: $meaning, advice: $advice };)*

        /// Every code, in order.
        pub const CODES: &[Code] = &[$($name),*];
    };
}

codes! {
    // The text and its columns.
    TEXT_TOO_LONG = "CPY001", "The text has more bytes than a copybook may have.",
        "Split the text into members, or leave out what does not describe data. The limit is 4 MiB.";
    BAD_INDICATOR = "CPY002", "Column 7 of a fixed-format line has an invalid indicator.",
        "Column 7 may have a blank, `*`, `/`, `-` or `D`. If the text has no sequence area, give it as free format, or move it to column 8.";
    BAD_CONTINUATION = "CPY003", "A continuation line has nothing to continue, or does not resume the literal.",
        "Begin the rest of a literal with its quotation mark, behind a `-` in column 7. Remove the `-` if no line is to be continued.";
    PAST_COLUMN_72 = "CPY004", "Text runs across column 72 of a fixed-format line; the rest is not read.",
        "Move the text to columns 8 to 72. If the lines are longer on purpose, give the text as free format.";
    DIRECTIVE = "CPY005", "A compiler directive or library statement is not supported.",
        "Carry out the directive first, as the library system or the compiler would, and give the text that it makes.";
    PERIOD_CUT_OFF = "CPY006", "An entry does not end before column 72, and a period follows after it.",
        "Move the period to column 72 or before it.";

    EXPANSION_TOO_LONG = "CPY007", "COPY and REPLACE make more text, or take more work, than is allowed.",
        "Look for members that copy each other many times, and for REPLACING that finds what it inserts.";

    // Words.
    BAD_CHARACTER = "CPY010", "A character has no place in COBOL text.",
        "Remove the character. Often it is a tab, a quotation mark of a word processor, or text in another encoding.";
    BAD_LITERAL = "CPY011", "A literal is not closed, or its content does not fit its prefix.",
        "Close the literal with the quotation mark that opened it. X'...' has an even number of hexadecimal digits.";

    // Entries.
    EXPECTED_LEVEL = "CPY020", "An entry does not start with a level number.",
        "Begin each entry with its level number. Remove lines that are not data, or begin comments with `*` in column 7.";
    BAD_LEVEL = "CPY021", "The level number is not 01-49, 66, 77 or 88.",
        "Correct the level number.";
    UNKNOWN_CLAUSE = "CPY022", "A word is not a clause of a data description entry.",
        "Correct the word. The finding names a clause that is spelt alike.";
    DUPLICATE_CLAUSE = "CPY023", "An entry has the same clause twice.",
        "Remove one of the two clauses.";
    INCOMPLETE_CLAUSE = "CPY024", "A clause lacks a part, or has an unexpected one.",
        "Complete the clause: the finding says what was expected and what was found.";
    MISSING_PERIOD = "CPY025", "An entry or a statement does not end with a period.",
        "End the entry before this line with a period.";
    COPY_STATEMENT = "CPY026", "A COPY or INCLUDE statement is not expanded, or its member is missing.",
        "Put the member into the folders in which members are searched: those of `-I`, or `copybooks/` of the configuration.";
    TOO_MANY_ENTRIES = "CPY027", "The text has more entries than a copybook may have.",
        "Split the text. The limit is 50,000 entries.";
    BAD_OCCURS = "CPY028", "The row counts of OCCURS are impossible.",
        "Give at least one row, and a range that ascends: OCCURS 1 TO 20.";
    OCCURS_ASSUMED = "CPY029", "OCCURS leaves something out; a value is assumed.",
        "Add DEPENDING ON if the number of rows varies. Otherwise nothing is to be done: the greatest number is taken.";
    NO_DATA = "CPY030", "The text describes no data.",
        "Look whether the file is the right one. It needs at least one data description entry.";
    UNKNOWN_RECORD = "CPY031", "No record has the name that was asked for.",
        "Use the name of a record at level 01 or 77. The finding lists those of the text.";

    BAD_COPY = "CPY032", "A COPY or REPLACE statement is wrong.",
        "Correct the statement: COPY NAME, then REPLACING with pairs of words or pseudo-text, then a period.";
    COPY_TOO_DEEP = "CPY033", "Members copy each other in a circle, or too deep.",
        "Remove the COPY that leads back. Members may copy each other 16 deep.";
    BAD_CONSTANT = "CPY034", "A level-78 constant is wrong, or is unknown where it is used.",
        "Declare the constant before its first use, with a literal: expressions are not computed.";

    VALUE_NOT_KEPT = "CPY035", "A VALUE joins characters and hexadecimal digits, and is not kept.",
        "Nothing, if no default value is needed. Otherwise set the default in the service.";

    BAD_NAME = "CPY036", "A name begins or ends with a hyphen.",
        "Remove the hyphen at the end of the name.";

    PLACEHOLDER = "CPY037", "A name has a placeholder of COPY REPLACING, such as `:TAG:`.",
        "Give the placeholder a text: `--replacing ':TAG:=NAME'` of the commands, or the key `replacing` of a service.";

    // Pictures and usages.
    BAD_PICTURE = "CPY040", "The PICTURE string is wrong.",
        "Correct the string at the place of the finding.";
    TOO_MANY_DIGITS = "CPY041", "A number has more digits than its usage allows.",
        "Use fewer digits: at most 31, and fewer for some usages.";
    LENIENT_PICTURE = "CPY042", "The PICTURE string breaks a rule, and its meaning is still clear.",
        "Look whether the field is what you mean. Nothing is to be done if it is.";
    PICTURE_AND_USAGE = "CPY043", "The PICTURE string and the USAGE do not go together.",
        "Use a PICTURE that the USAGE allows: 9, S and V for COMP-3 and BINARY, none for COMP-1, COMP-2 and POINTER.";
    PICTURE_ON_GROUP = "CPY044", "A group has a PICTURE clause.",
        "Remove the PICTURE clause, or the entries below the group.";
    NO_PICTURE = "CPY045", "An elementary item has no PICTURE clause.",
        "Add a PICTURE clause, or the entries of the group. A wrong level number of the next entry has the same effect.";
    USAGE_CONFLICT = "CPY046", "An item's USAGE differs from that of the group around it.",
        "Give the item the USAGE of its group, or remove the USAGE of one of them.";
    CLAUSE_NOT_FOR_ITEM = "CPY047", "A clause does not apply to an item of this kind.",
        "Remove the clause, or move it to the item that it is for.";
    UNSUPPORTED_USAGE = "CPY048", "The USAGE is not one of IBM Enterprise COBOL's.",
        "Replace the USAGE by one of Enterprise COBOL's with the same bytes.";

    SECOND_POINT = "CPY049", "The PICTURE string has a second decimal point.",
        "Remove one of them. If the comma is the decimal point, say so: `--decimal-comma`, or the key `decimal_comma` of a service.";

    // The tree and the layout.
    ORPHAN_CONDITION = "CPY060", "A level-88 entry has no item above it.",
        "Move the level 88 behind the item that it belongs to.";
    BAD_REDEFINES = "CPY061", "REDEFINES does not name the item whose storage comes just before.",
        "Name the item that stands directly before, at the same level.";
    LONGER_REDEFINES = "CPY062", "A redefinition is longer than the item it redefines; the group is extended.",
        "Look whether the redefinition is meant to be longer. If it is not, correct its fields.";
    REDEFINES_TABLE = "CPY063", "The redefined item has an OCCURS clause.",
        "Redefine a group around the table, and not the table.";
    UNKNOWN_COUNTER = "CPY064", "DEPENDING ON does not name a field of the record.",
        "Correct the name. The counter must be a field of the same record.";
    COUNTER_AFTER_TABLE = "CPY065", "The counter of DEPENDING ON is not before its table.",
        "Move the counter before its table.";
    BAD_COUNTER = "CPY066", "The counter of DEPENDING ON is not an integer field outside of other tables.",
        "Use an integer field that is not in a table.";
    COUNTER_IN_ROW = "CPY067", "The counter of DEPENDING ON is in a row of a table around both.",
        "Move the counter out of the table that is around both.";
    RECORD_TOO_LONG = "CPY068", "A record is longer than the maximum.",
        "Correct the number of rows or bytes. The limit is 128 MiB.";
    MISALIGNED = "CPY069", "A synchronized item redefines storage that is not aligned for it.",
        "Remove SYNCHRONIZED, or align the storage with fillers.";
    BAD_RENAMES = "CPY070", "RENAMES does not name items of the record, in their order and outside of tables.",
        "Name two items of the record in front, in their order, and not in tables.";
}
