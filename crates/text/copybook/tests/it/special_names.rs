//! CURRENCY SIGN: which character of a picture stands for it, and how many bytes it takes.

use crate::table::{refuse, table};

fn row(clause: &str, picture: &str) -> String {
    let text = format!(
        "       ENVIRONMENT DIVISION.
       CONFIGURATION SECTION.
       SPECIAL-NAMES.
           {clause}.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  F PIC {picture}.
"
    );
    table(&crate::table::parse(&text).layouts[0])
}

#[test]
fn currency_signs() {
    assert_eq!(row("CURRENCY SIGN IS 'F'", "FFF9.99"), "F 0 7 edited FFF9.99");
    assert_eq!(row("CURRENCY 'F'", "$$$9.99"), "F 0 7 edited $$$9.99");
    assert_eq!(row("CURRENCY SIGN IS 'EUR' WITH PICTURE SYMBOL 'U'", "U(3)9.99"), "F 0 9 edited U(3)9.99");
    assert_eq!(row("CURRENCY 'EUR' PICTURE SYMBOL 'U'", "+U99"), "F 0 6 edited +U99");
    assert_eq!(row("CURRENCY SIGN X'9F' PICTURE SYMBOL '$'", "$99"), "F 0 3 edited $99");
    assert_eq!(
        row(
            "CURRENCY SIGN 'EUR' PICTURE SYMBOL 'U'
               CURRENCY SIGN 'CHF ' PICTURE SYMBOL 'W'",
            "W99"
        ),
        "F 0 6 edited W99"
    );
    refuse("       01  F PIC FFF9.\n", "1:18 CPY040");
}
