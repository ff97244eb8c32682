//! The parameters of DFHWS2LS.

use crate::parameters::{Parameter, Tool};

/// The assistant.
#[derive(Debug)]
pub(crate) struct Ws2ls;

const OF_LS2WS: &str = "it is a parameter of ls2ws";
const NO_DOWNLOAD: &str = "nothing is downloaded";
const OF_JSON: &str = "it is for JSON: gantry new makes services of JSON, gantry record schema and gantry record copybook convert schemas";

impl Tool for Ws2ls {
    const PROCEDURE: &'static str = "DFHWS2LS";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::taken("WSDL", "The WSDL document to read; required"),
        Parameter::taken(
            "REQMEM",
            "The copybooks of requests, 1 to 6 characters; a number follows; required",
        ),
        Parameter::taken(
            "RESPMEM",
            "The copybooks of responses, likewise; required unless all operations are one-way",
        ),
        Parameter::taken("WSBIND", "The bind file to write; required"),
        Parameter::taken("PDSLIB", "The folder for the copybooks"),
        Parameter::taken("LANG", "The language of the copybooks: COBOL [default: COBOL]"),
        Parameter::taken(
            "PGMNAME",
            "The program of a provider, 1 to 8 characters. Without it the bind file is for a requester",
        ),
        Parameter::taken("PGMINT", "The program's interface: COMMAREA or CHANNEL; required with PGMNAME"),
        Parameter::taken("CONTID", "The container of a program with a channel [default: DFHWS-DATA]"),
        Parameter::taken(
            "URI",
            "The path of a provider, or the address that a requester calls [default: that of the WSDL]",
        ),
        Parameter::taken("BINDING", "The binding, if the WSDL has several"),
        Parameter::taken("WSDL-SERVICE", "The service whose binding is taken"),
        Parameter::taken("OPERATIONS", "The operations, separated by commas [default: all]"),
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
            "Text of varying length: NO, COLLAPSE, NULL or YES, from level 1.2 [default: NO]",
        ),
        Parameter::taken(
            "CHAR-VARYING-LIMIT",
            "Longer text goes into a container, 0 to 32767 [default: 32767]",
        ),
        Parameter::taken(
            "DEFAULT-CHAR-MAXLENGTH",
            "The characters of text without a limit, 1 to 2147483647 [default: 255]",
        ),
        Parameter::taken(
            "CHAR-MULTIPLIER",
            "The bytes of a field for each character of its text, 1 to 4, from level 1.2 [default: 1; 2 with CCSID=1200]",
        ),
        Parameter::taken(
            "DEFAULT-FRACTION-DIGITS",
            "The decimal places of decimal numbers that say none [default: 3]",
        ),
        Parameter::taken(
            "INLINE-MAXOCCURS-LIMIT",
            "Longer arrays go into containers, 0 to 32767, from level 2.1 [default: 1]",
        ),
        Parameter::taken(
            "NAME-TRUNCATION",
            "Which end of long names is cut off: RIGHT or LEFT [default: RIGHT]",
        ),
        Parameter::taken("WIDE-COMP3", "Packed numbers of 31 digits: NO or YES [default: NO]"),
        Parameter::taken(
            "DATETIME",
            "xsd:dateTime: UNUSED or STRING (text), or PACKED15, from level 3.0 [default: UNUSED]",
        ),
        Parameter::taken("WSADDR-EPR-ANY", "Endpoints of WS-Addressing are any XML: TRUE"),
        Parameter::taken("MAPPING-OVERRIDES", "UNDERSCORES-AS-HYPHENS, in names"),
        Parameter::taken("TRANSACTION", "The transaction that the program runs under"),
        Parameter::taken("CCSID", "The code page of the program's text"),
        Parameter::ignored("PDSCP", "copybooks are written in UTF-8"),
        Parameter::ignored("WSDLCP", "the WSDL says its encoding itself"),
        Parameter::ignored("HTTPPROXY", NO_DOWNLOAD),
        Parameter::ignored("HTTPPROXY-USERNAME", NO_DOWNLOAD),
        Parameter::ignored("HTTPPROXY-PASSWORD", NO_DOWNLOAD),
        Parameter::ignored("SSL-KEYSTORE", NO_DOWNLOAD),
        Parameter::ignored("SSL-KEYPWD", NO_DOWNLOAD),
        Parameter::ignored("SSL-TRUSTSTORE", NO_DOWNLOAD),
        Parameter::ignored("SSL-TRUSTPWD", NO_DOWNLOAD),
        Parameter::ignored("WSRR-SERVER", NO_DOWNLOAD),
        Parameter::refused_unless("XML-ONLY", "FALSE", "a program gets records, and not the XML of the body"),
        Parameter::refused("STRUCTURE", "it names structures of C and PL/I, which are not written"),
        Parameter::refused("DATA-TRUNCATION", OF_LS2WS),
        Parameter::refused("DATA-SCREENING", OF_LS2WS),
        Parameter::refused("TRUNCATE-NULL-ARRAYS", OF_LS2WS),
        Parameter::refused("TRUNCATE-NULL-ARRAY-VALUES", OF_LS2WS),
        Parameter::refused_unless(
            "SYNCONRETURN",
            "NO",
            "the unit of work of the request ends when it is answered",
        ),
        Parameter::refused("USERID", "the program runs for the caller; the configuration says who may call"),
        Parameter::refused("SERVICE", "it is for IBM's support"),
        Parameter::refused("CHAR-OCCURS", OF_LS2WS),
        Parameter::refused("SOAPVER", "the binding of the WSDL says the version"),
        Parameter::refused("OPERATION-NAME", OF_LS2WS),
        Parameter::refused("REQUEST-CHANNEL", OF_LS2WS),
        Parameter::refused("RESPONSE-CHANNEL", OF_LS2WS),
        Parameter::refused("REQUEST-NAMESPACE", OF_LS2WS),
        Parameter::refused("RESPONSE-NAMESPACE", OF_LS2WS),
        Parameter::refused("WSDL-NAMESPACE", OF_LS2WS),
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
