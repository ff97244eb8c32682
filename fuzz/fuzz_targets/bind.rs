//! The bind that the targets share: every form of field, and tables that vary in every place.

use std::sync::OnceLock;

use codepage::CodePage;
use copybook::Layout;
use record::{Bind, Options, UnknownFields};

const COPYBOOK: &str = "
       01  FUZZ.
           05  COUNT-A     PIC 9(2).
           05  TABLE-A     OCCURS 0 TO 9 DEPENDING ON COUNT-A.
               10  COUNT-B PIC S9(4) COMP.
               10  TABLE-B PIC X(3)
                   OCCURS 1 TO 4 DEPENDING ON COUNT-B.
               10  TABLE-C PIC S9(3)V99 COMP-3
                   OCCURS 0 TO 9 DEPENDING ON COUNT-A.
           05  TEXT-A      PIC X(5).
           05  TEXT-B      PIC X(5) JUSTIFIED.
           05  FIRST-VIEW.
               10  ZONED-A PIC 9(4).
               10  ZONED-B PIC S9(4)V9.
           05  OTHER-VIEW  REDEFINES FIRST-VIEW PIC X(9).
           05  ZONED-C     PIC S9(31) SIGN LEADING SEPARATE.
           05  BINARY-A    PIC 9(18) COMP-5.
           05  BINARY-B    PIC S9(9) COMP OCCURS 2.
           05  PACKED-A    PIC 9(3)PP COMP-3.
           05  PACKED-B    PIC VPP9(3) COMP-6.
           05  FILLER      PIC X(2).
";

/// The bind, compiled once; not every target needs the rest.
#[allow(dead_code)]
pub fn bind() -> &'static Bind {
    parts().2
}

/// The layout and the options too.
pub fn parts() -> (&'static Layout, &'static Options, &'static Bind) {
    static PARTS: OnceLock<(Layout, Options, Bind)> = OnceLock::new();
    let (layout, options, bind) = PARTS.get_or_init(|| {
        let mut parsed =
            copybook::parse("FUZZ.cpy", COPYBOOK, &copybook::Options::default()).expect("a valid copybook");
        let layout = parsed.layouts.remove(0);
        let page = CodePage::by_ccsid(37).expect("CCSID 37");
        let options = Options { unknown_fields: UnknownFields::Ignore, ..Options::new(page) };
        let bind = Bind::compile(&layout, &options).expect("a bind");
        (layout, options, bind)
    });
    (layout, options, bind)
}
