//! The parameters of DFHLS2WS.

use crate::parameters::{Parameter, Tool};

/// The assistant.
#[derive(Debug)]
pub(crate) struct Ls2ws;

const OF_WS2LS: &str = "it is a parameter of ws2ls";
const NO_DOWNLOAD: &str = "nothing is downloaded";
const OF_JSON: &str = "it is for JSON: gantry new makes services of JSON, gantry record schema and gantry record copybook convert schemas";

impl Tool for Ls2ws {
    const PROCEDURE: &'static str = "DFHLS2WS";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::taken("PGMNAME", "The program, 1 to 8 characters; required"),
        Parameter::taken("PGMINT", "The program's interface: COMMAREA or CHANNEL; required"),
        Parameter::taken("REQMEM", "The copybook of the request; required"),
        Parameter::taken("RESPMEM", "The copybook of the response. Without it the service is one-way"),
        Parameter::taken(
            "REQUEST-CHANNEL",
            "A file that describes the containers of the request, in place of REQMEM, from level 3.0",
        ),
        Parameter::taken(
            "RESPONSE-CHANNEL",
            "A file that describes the containers of the response, in place of RESPMEM",
        ),
        Parameter::taken("CONTID", "The container of a program with a channel [default: DFHWS-DATA]"),
        Parameter::taken("PDSLIB", "The folder with the copybooks"),
        Parameter::taken("LANG", "The language of the copybooks: COBOL [default: COBOL]"),
        Parameter::taken(
            "URI",
            "The path of the service, or its whole address [default: /cics/services/PGMNAME]",
        ),
        Parameter::taken("WSBIND", "The bind file to write; required"),
        Parameter::taken("WSDL", "The WSDL document to write; required"),
        Parameter::taken("WSDL_1.1", "The same as WSDL"),
        Parameter::taken(
            "WSDLCP",
            "The code page of the document: UTF-8, LOCAL, EBCDIC-CP-US [default: UTF-8]",
        ),
        Parameter::taken("LOGFILE", "A file for what there is to say"),
        Parameter::taken(
            "MAPPING-LEVEL",
            "The rules: 1.0, 1.1, 1.2, 2.0, 2.1, 2.2, 3.0, 4.0 to 4.3 [default: 1.0]",
        ),
        Parameter::taken(
            "MINIMUM-RUNTIME-LEVEL",
            "The oldest rules that a system must have: MINIMUM, CURRENT or a level [default: MINIMUM]",
        ),
        Parameter::taken(
            "CHAR-VARYING",
            "Text fields: NO, NULL, COLLAPSE or BINARY, from level 1.2 [default: NO]",
        ),
        Parameter::taken("CHAR-OCCURS", "PIC X OCCURS: ARRAY or STRING, from level 4.0 [default: ARRAY]"),
        Parameter::taken("CHAR-MULTIPLIER", "The bytes of a character: 1"),
        Parameter::taken("DATETIME", "S9(15) COMP-3: UNUSED or PACKED15, from level 3.0 [default: UNUSED]"),
        Parameter::taken(
            "DATA-TRUNCATION",
            "Short records: DISABLED or ENABLED, from level 3.0 [default: DISABLED]",
        ),
        Parameter::taken(
            "DATA-SCREENING",
            "Bad numbers: ENABLED (a fault) or DISABLED (0) [default: ENABLED]",
        ),
        Parameter::taken(
            "TRUNCATE-NULL-ARRAYS",
            "Rows of groups without values at the end of tables: DISABLED (elements) or ENABLED (none), from level 4.1 [default: DISABLED]",
        ),
        Parameter::taken(
            "TRUNCATE-NULL-ARRAY-VALUES",
            "The same for rows of single values, with TRUNCATE-NULL-ARRAYS=ENABLED [default: DISABLED]",
        ),
        Parameter::taken("SOAPVER", "The versions of SOAP: 1.1, 1.2 or ALL [default: 1.1]"),
        Parameter::taken("REQUEST-NAMESPACE", "The namespace of the request"),
        Parameter::taken("RESPONSE-NAMESPACE", "The namespace of the response"),
        Parameter::taken("WSDL-NAMESPACE", "The namespace of the WSDL document"),
        Parameter::taken("OPERATION-NAME", "The operation and its element [default: PGMNAMEOperation]"),
        Parameter::taken("MAPPING-OVERRIDES", "HYPHENS-AS-UNDERSCORES, which holds anyway"),
        Parameter::taken("TRANSACTION", "The transaction that the program runs under"),
        Parameter::taken("CCSID", "The code page of the program's text"),
        Parameter::ignored("PDSCP", "--source-ccsid says the code page of the copybooks here"),
        Parameter::ignored("HTTPPROXY", NO_DOWNLOAD),
        Parameter::ignored("HTTPPROXY-USERNAME", NO_DOWNLOAD),
        Parameter::ignored("HTTPPROXY-PASSWORD", NO_DOWNLOAD),
        Parameter::ignored("SSL-KEYSTORE", NO_DOWNLOAD),
        Parameter::ignored("SSL-KEYPWD", NO_DOWNLOAD),
        Parameter::ignored("SSL-TRUSTSTORE", NO_DOWNLOAD),
        Parameter::ignored("SSL-TRUSTPWD", NO_DOWNLOAD),
        Parameter::refused("WSDL_2.0", "WSDL 2.0 is not written; ask for WSDL or WSDL_1.1"),
        Parameter::refused("STRUCTURE", "it names structures of C and PL/I, which are not read"),
        Parameter::refused_unless(
            "SYNCONRETURN",
            "NO",
            "the unit of work of the request ends when it is answered",
        ),
        Parameter::refused("USERID", "the program runs for the caller; the configuration says who may call"),
        Parameter::refused("SERVICE", "it is for IBM's support"),
        Parameter::refused("BINDING", OF_WS2LS),
        Parameter::refused("OPERATIONS", OF_WS2LS),
        Parameter::refused("WSDL-SERVICE", OF_WS2LS),
        Parameter::refused("NAME-TRUNCATION", OF_WS2LS),
        Parameter::refused("CHAR-VARYING-LIMIT", OF_WS2LS),
        Parameter::refused("DEFAULT-CHAR-MAXLENGTH", OF_WS2LS),
        Parameter::refused("DEFAULT-FRACTION-DIGITS", OF_WS2LS),
        Parameter::refused("INLINE-MAXOCCURS-LIMIT", OF_WS2LS),
        Parameter::refused("WIDE-COMP3", OF_WS2LS),
        Parameter::refused("WSADDR-EPR-ANY", OF_WS2LS),
        Parameter::refused("JSON-SCHEMA", OF_JSON),
        Parameter::refused("JSON-SCHEMA-REQUEST", OF_JSON),
        Parameter::refused("JSON-SCHEMA-RESPONSE", OF_JSON),
        Parameter::refused("JSON-SCHEMA-RESTFUL", OF_JSON),
        Parameter::refused("JSON-SCHEMA-CODEPAGE", OF_JSON),
        Parameter::refused("HTTP-METHODS", OF_JSON),
        Parameter::refused("ADDITIONAL-PROPERTIES-DEFAULT", OF_JSON),
        Parameter::refused("ADDITIONAL-PROPERTIES-MAX", OF_JSON),
        Parameter::refused("ADDITIONAL-PROPERTIES-SIZE", OF_JSON),
    ];
}
