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
    MISPLACED = "EXC002", "An EXEC CICS command stands outside of a PROCEDURE DIVISION.";
    UNKNOWN_COMMAND = "EXC003", "A command is none of CICS.";
    NOT_SUPPORTED = "EXC004", "A command of CICS is not supported.";
    TERMINAL = "EXC005", "A command needs a terminal, which programs behind an API do not have.";
    UNKNOWN_OPTION = "EXC006", "A command has no such option.";
    DUPLICATE_OPTION = "EXC007", "A command has the same option twice.";
    BAD_ARGUMENT = "EXC008", "An option lacks its argument, has one too many, or has one of the wrong kind.";
    MISSING_OPTION = "EXC009", "A command lacks an option that it needs.";
    OPTIONS_EXCLUDE = "EXC010", "Two options of a command exclude each other.";
    UNKNOWN_CONDITION = "EXC011", "A condition is none of CICS.";
    UNKNOWN_VALUE = "EXC012", "DFHVALUE names no value that is known.";
    SQL = "EXC013", "An EXEC SQL block has no precompiler, or the precompiler refuses it.";
    OTHER_LANGUAGE = "EXC014", "An EXEC block is neither CICS nor SQL.";
    TOO_MANY = "EXC015", "A program or a command has more of something than is allowed.";
    NOT_UTF_8 = "EXC016", "The text has bytes that are no UTF-8, outside of comments.";
    UNKNOWN_LABEL = "EXC017", "A HANDLE command names no paragraph or section of its program.";
    DEBUGGING_LINES = "EXC018", "WITH DEBUGGING MODE asks for lines with D in column 7, which are left out.";
    NOT_IN_GNUCOBOL = "EXC019", "A statement of Enterprise COBOL is not in GnuCOBOL.";
    NO_JSON = "EXC020", "JSON GENERATE does nothing in a GnuCOBOL that was built without a JSON library.";
    OTHER_NAME = "EXC021", "A program is known by another name than its PROGRAM-ID.";
    MESSAGE_QUEUE = "EXC022", "A program calls IBM MQ, which is not here.";
    NO_PERIOD = "EXC023", "A period is missing; it is assumed, as on a mainframe.";
    UNREACHABLE = "EXC024", "A CALL names no program, and nothing else that a program may call.";
}
