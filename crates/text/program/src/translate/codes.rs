//! The stable codes of the translator's findings, each with one line about its meaning and one about the
//! remedy.

use copybook::Code;

macro_rules! codes {
    ($($name:ident = $id:literal, $meaning:literal, $advice:literal;)*) => {
        $(pub(super) const $name: Code = Code { id: $id, meaning: $meaning, advice: $advice };)*

        /// Every code of the translator, in order. Findings about text, columns and COPY have codes of `copybook`.
        pub const CODES: &[Code] = &[$($name),*];
    };
}

codes! {
    NOT_CLOSED = "EXC001", "An EXEC block has no END-EXEC.",
        "Add END-EXEC. It may be missing in the block before.";
    MISPLACED = "EXC002", "An EXEC CICS command is outside of a PROCEDURE DIVISION.",
        "Move the command into the PROCEDURE DIVISION.";
    UNKNOWN_COMMAND = "EXC003", "CICS does not have this command.",
        "Correct the command. The finding names one that is spelt alike.";
    NOT_SUPPORTED = "EXC004", "Gantry does not support this command of CICS.",
        "Use another command. [The supported commands](../guides/programs.md#supported-commands) are listed.";
    TERMINAL = "EXC005", "A command needs a terminal, which programs behind an API do not have.",
        "Call the program's logic in a program without terminal commands. If the commands run only when nobody has linked to the program, translate with `--allow-terminal-commands`.";
    UNKNOWN_OPTION = "EXC006", "Gantry does not know this option of the command.",
        "Correct the option. The finding names one that is spelt alike. If CICS has the option, do without it: Gantry does not support it.";
    DUPLICATE_OPTION = "EXC007", "A command has the same option twice.",
        "Remove one of the two options.";
    BAD_ARGUMENT = "EXC008", "An option lacks its argument, has one too many, or has one of the wrong kind.",
        "Give the option an argument of the kind that the finding names: a number, a name of limited length, a data area.";
    MISSING_OPTION = "EXC009", "A command lacks an option that it needs.",
        "Add the option that the finding names.";
    OPTIONS_EXCLUDE = "EXC010", "Two options of a command exclude each other.",
        "Remove one of the two options.";
    UNKNOWN_CONDITION = "EXC011", "CICS does not have this condition.",
        "Correct the name of the condition.";
    UNKNOWN_VALUE = "EXC012", "DFHVALUE does not have this value.",
        "Correct the name of the value.";
    SQL = "EXC013", "An EXEC SQL block has no precompiler, or the precompiler refuses it.",
        "Name a precompiler with `--sql-precompiler`, or correct what its message says. Without one, call a program that has no SQL.";
    OTHER_LANGUAGE = "EXC014", "An EXEC block is neither CICS nor SQL.",
        "Replace the block: only EXEC CICS and EXEC SQL are translated.";
    TOO_MANY = "EXC015", "A program or a command exceeds a limit.",
        "Divide the program or the command. The finding names the limit.";
    NOT_UTF_8 = "EXC016", "The text has bytes outside of comments that are not UTF-8.",
        "Save the source as UTF-8, or name its code page with `--source-ccsid`.";
    UNKNOWN_LABEL = "EXC017", "A HANDLE command names a label that is not a paragraph or section of its program.",
        "Correct the name, or add the paragraph to the program.";
    DEBUGGING_LINES = "EXC018", "The program has WITH DEBUGGING MODE, but lines with D in column 7 are left out.",
        "Nothing, unless you want the debugging lines: remove the D from column 7 then.";
    NOT_IN_GNUCOBOL = "EXC019", "GnuCOBOL does not have this statement of Enterprise COBOL.",
        "Replace the statement, such as JSON PARSE.";
    NO_JSON = "EXC020", "JSON GENERATE does nothing, because this GnuCOBOL was built without a JSON library.",
        "Use a GnuCOBOL with a JSON library, or make the text with STRING or with EXEC CICS DOCUMENT.";
    OTHER_NAME = "EXC021", "The program's name differs from its PROGRAM-ID.",
        "Give the file the name of the PROGRAM-ID. The file's name is the program's name here.";
    MESSAGE_QUEUE = "EXC022", "The program makes a call of IBM MQ that Gantry does not have.",
        "Use a call that Gantry has: MQCONN, MQCONNX, MQDISC, MQOPEN, MQCLOSE, MQPUT, MQPUT1, MQGET, MQINQ, MQSET, MQSUB, MQSUBRQ, MQCRTMH, MQDLTMH, MQSETMP, MQINQMP, MQDLTMP, MQCMIT or MQBACK. A program of that name in `programs/` is called instead.";
    NO_PERIOD = "EXC023", "A period is missing; the translator adds it, as on a mainframe.",
        "Nothing is to be done. Add the period if other compilers shall read the program.";
    UNREACHABLE = "EXC024", "A CALL names neither a program nor another name that a program may call.",
        "Put the program into `programs/`, or list the name in `callable` of `[region]`. With ON EXCEPTION the program can run without it.";
    BAD_XML_PARSE = "EXC025", "An XML PARSE statement is incomplete, or has a phrase that Gantry does not have.",
        "Complete the statement: XML PARSE, an item, PROCESSING PROCEDURE and a name. VALIDATING is not supported.";
    OWN_FILE = "EXC026", "The program has a file of COBOL itself (SELECT), which CICS does not allow.",
        "Define the file as `[[region.file]]`, and use EXEC CICS commands. A worker may not open files, so OPEN fails. A unit of work does not include what COBOL reads and writes. Files of SORT (SD) are allowed.";
    OWN_IO = "EXC027", "ACCEPT, DISPLAY UPON or STOP does not do here what it does outside of CICS.",
        "Follow the finding. ACCEPT from DATE, DAY, DAY-OF-WEEK and TIME, DISPLAY without UPON and STOP RUN work.";
    ABSENT = "EXC028", "A command needs a facility that no region here has: the spool of JES, a journal, a program that LOAD reads as a table, the common work area.",
        "Follow the finding. The program is translated: the command does what the finding says, as in a region of CICS without the facility.";
    SHORT_ADDRESS = "EXC029", "An item of 4 bytes and a POINTER redefine each other. Addresses have 4 bytes on a mainframe and 8 here.",
        "Copy addresses with SET between items that are POINTERs, and change them with SET ... UP BY and DOWN BY. A program that moves or adds through the item of 4 bytes gets an address that leads nowhere, and its task ends with ASRA.";
    SYNCHRONIZED = "EXC030", "SYNCHRONIZED of a record stays, because the translator cannot read all entries of the record.",
        "Compare the places of the record's items with those on the mainframe, or write the slack bytes as FILLER and remove the clause. GnuCOBOL puts slack bytes in other places than the mainframe's compiler.";
    NO_DATA_DIVISION = "EXC031", "A section of data stands outside of a DATA DIVISION, or the DATA DIVISION stands behind the PROCEDURE DIVISION.",
        "Write DATA DIVISION in front of the first section of data, and PROCEDURE DIVISION behind the last one.";
}
