//! The stable codes of the translator's findings, each with one line on what it means.

use copybook::Code;

macro_rules! codes {
    ($($name:ident = $id:literal, $meaning:literal;)*) => {
        $(pub(super) const $name: Code = Code { id: $id, meaning: $meaning };)*

        /// Every code of the translator, in order. Findings about text, columns and COPY have codes of `copybook`.
        pub const CODES: &[Code] = &[$($name),*];
    };
}

codes! {
    NOT_CLOSED = "EXC001", "An EXEC block has no END-EXEC.";
    MISPLACED = "EXC002", "An EXEC CICS command is outside of a PROCEDURE DIVISION.";
    UNKNOWN_COMMAND = "EXC003", "CICS does not have this command.";
    NOT_SUPPORTED = "EXC004", "Gantry does not support this command of CICS.";
    TERMINAL = "EXC005", "A command needs a terminal, which programs behind an API do not have.";
    UNKNOWN_OPTION = "EXC006", "A command has no such option.";
    DUPLICATE_OPTION = "EXC007", "A command has the same option twice.";
    BAD_ARGUMENT = "EXC008", "An option lacks its argument, has one too many, or has one of the wrong kind.";
    MISSING_OPTION = "EXC009", "A command lacks an option that it needs.";
    OPTIONS_EXCLUDE = "EXC010", "Two options of a command exclude each other.";
    UNKNOWN_CONDITION = "EXC011", "CICS does not have this condition.";
    UNKNOWN_VALUE = "EXC012", "DFHVALUE does not have this value.";
    SQL = "EXC013", "An EXEC SQL block has no precompiler, or the precompiler refuses it.";
    OTHER_LANGUAGE = "EXC014", "An EXEC block is neither CICS nor SQL.";
    TOO_MANY = "EXC015", "A program or a command exceeds a limit.";
    NOT_UTF_8 = "EXC016", "The text has bytes outside of comments that are not UTF-8.";
    UNKNOWN_LABEL = "EXC017", "A HANDLE command names a label that is not a paragraph or section of its program.";
    DEBUGGING_LINES = "EXC018", "The program has WITH DEBUGGING MODE, but lines with D in column 7 are left out.";
    NOT_IN_GNUCOBOL = "EXC019", "GnuCOBOL does not have this statement of Enterprise COBOL.";
    NO_JSON = "EXC020", "JSON GENERATE does nothing, because this GnuCOBOL was built without a JSON library.";
    OTHER_NAME = "EXC021", "The program's name differs from its PROGRAM-ID.";
    MESSAGE_QUEUE = "EXC022", "The program makes a call of IBM MQ that Gantry does not have.";
    NO_PERIOD = "EXC023", "A period is missing; the translator adds it, as on a mainframe.";
    UNREACHABLE = "EXC024", "A CALL names neither a program nor another name that a program may call.";
    BAD_XML_PARSE = "EXC025", "An XML PARSE statement is incomplete, or has a phrase that Gantry does not have.";
}
