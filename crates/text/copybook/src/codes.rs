//! The stable codes of all findings, each with one line on what it means.

/// A finding's code and its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// The code as shown to people, such as `CPY012`. It never changes its meaning.
    pub id: &'static str,
    /// One line on what it means.
    pub meaning: &'static str,
}

macro_rules! codes {
    ($($name:ident = $id:literal, $meaning:literal;)*) => {
        $(pub(crate) const $name: Code = Code { id: $id, meaning: $meaning };)*

        /// Every code, in order.
        pub const CODES: &[Code] = &[$($name),*];
    };
}

codes! {
    // The text and its columns.
    TEXT_TOO_LONG = "CPY001", "The text has more bytes than a copybook may have.";
    BAD_INDICATOR = "CPY002", "Column 7 of a fixed-format line has an invalid indicator.";
    BAD_CONTINUATION = "CPY003", "A continuation line has nothing to continue, or does not resume the literal.";
    PAST_COLUMN_72 = "CPY004", "Text runs across column 72 of a fixed-format line; the rest is not read.";
    DIRECTIVE = "CPY005", "A compiler directive or library statement is not supported.";
    PERIOD_CUT_OFF = "CPY006", "An entry does not end before column 72, and a period follows after it.";

    EXPANSION_TOO_LONG = "CPY007", "COPY and REPLACE make more text, or take more work, than is allowed.";

    // Words.
    BAD_CHARACTER = "CPY010", "A character has no place in COBOL text.";
    BAD_LITERAL = "CPY011", "A literal is not closed, or its content does not fit its prefix.";

    // Entries.
    EXPECTED_LEVEL = "CPY020", "An entry does not start with a level number.";
    BAD_LEVEL = "CPY021", "The level number is not 01-49, 66, 77 or 88.";
    UNKNOWN_CLAUSE = "CPY022", "A word is not a clause of a data description entry.";
    DUPLICATE_CLAUSE = "CPY023", "An entry has the same clause twice.";
    INCOMPLETE_CLAUSE = "CPY024", "A clause lacks a part, or has an unexpected one.";
    MISSING_PERIOD = "CPY025", "An entry or a statement does not end with a period.";
    COPY_STATEMENT = "CPY026", "A COPY or INCLUDE statement is not expanded, or its member is missing.";
    TOO_MANY_ENTRIES = "CPY027", "The text has more entries than a copybook may have.";
    BAD_OCCURS = "CPY028", "The row counts of OCCURS are impossible.";
    OCCURS_ASSUMED = "CPY029", "OCCURS leaves something out; a value is assumed.";
    NO_DATA = "CPY030", "The text describes no data.";
    UNKNOWN_RECORD = "CPY031", "No record has the name that was asked for.";

    BAD_COPY = "CPY032", "A COPY or REPLACE statement is wrong.";
    COPY_TOO_DEEP = "CPY033", "Members copy each other in a circle, or too deep.";
    BAD_CONSTANT = "CPY034", "A level-78 constant is wrong, or is unknown where it is used.";

    VALUE_NOT_KEPT = "CPY035", "A VALUE joins characters and hexadecimal digits, and is not kept.";

    BAD_NAME = "CPY036", "A name begins or ends with a hyphen.";

    // Pictures and usages.
    BAD_PICTURE = "CPY040", "The PICTURE string is wrong.";
    TOO_MANY_DIGITS = "CPY041", "A number has more digits than its usage allows.";
    LENIENT_PICTURE = "CPY042", "The PICTURE string breaks a rule, and its meaning is still clear.";
    PICTURE_AND_USAGE = "CPY043", "The PICTURE string and the USAGE do not go together.";
    PICTURE_ON_GROUP = "CPY044", "A group has a PICTURE clause.";
    NO_PICTURE = "CPY045", "An elementary item has no PICTURE clause.";
    USAGE_CONFLICT = "CPY046", "An item's USAGE differs from that of the group around it.";
    CLAUSE_NOT_FOR_ITEM = "CPY047", "A clause does not apply to an item of this kind.";
    UNSUPPORTED_USAGE = "CPY048", "The USAGE is not one of IBM Enterprise COBOL's.";

    // The tree and the layout.
    ORPHAN_CONDITION = "CPY060", "A level-88 entry has no item above it.";
    BAD_REDEFINES = "CPY061", "REDEFINES does not name the item whose storage comes just before.";
    LONGER_REDEFINES = "CPY062", "A redefinition is longer than the item it redefines; the group is extended.";
    REDEFINES_TABLE = "CPY063", "The redefined item has an OCCURS clause.";
    UNKNOWN_COUNTER = "CPY064", "DEPENDING ON does not name a field of the record.";
    COUNTER_AFTER_TABLE = "CPY065", "The counter of DEPENDING ON is not before its table.";
    BAD_COUNTER = "CPY066", "The counter of DEPENDING ON is not an integer field outside of other tables.";
    COUNTER_IN_ROW = "CPY067", "The counter of DEPENDING ON is in a row of a table around both.";
    RECORD_TOO_LONG = "CPY068", "A record is longer than the maximum.";
    MISALIGNED = "CPY069", "A synchronized item redefines storage that is not aligned for it.";
    BAD_RENAMES = "CPY070", "RENAMES does not name items of the record, in their order and outside of tables.";
}
