//! Slots: single fields set before JSON is filled in, and read from a record that came from a program.

use record::ErrorKind::{BadData, OutOfRange, RecordLength, TooLong, Unmappable, WrongType};
use record::{Error, FieldSlot};

use crate::{Case, bytes, hex};

impl Case {
    #[track_caller]
    fn slot(&self, name: &str) -> FieldSlot {
        let id = self.layout.resolve(name).expect(name);
        self.bind.slot(&self.layout, id, &self.options).expect(name)
    }

    fn get(&self, name: &str, record: &str) -> Result<String, Error> {
        self.bind.get(&self.slot(name), &bytes(record))
    }

    /// The record that a field set alone leaves.
    fn set(&self, name: &str, text: &str) -> Result<String, Error> {
        let mut record = Vec::new();
        self.bind.start(&mut record);
        self.bind.set(&self.slot(name), text, &mut record)?;
        self.bind.finish(&mut record)?;
        Ok(hex(&record))
    }
}

const FLAT: &str = "01 R. 05 A PIC X(3). 05 N PIC S9(2)V9 COMP-3. 05 G. 10 J PIC X(2) JUST.";

#[test]
fn set_and_get() {
    let case = Case::new(FLAT);
    for (name, text, record) in [
        ("A", "é\"", "517F40 000C 4040"),
        ("A", "", "404040 000C 4040"),
        ("N", "-1.5", "404040 015D 4040"),
        ("N", "+001.50", "404040 015C 4040"),
        ("G.J", "Z", "404040 000C 40E9"),
    ] {
        assert_eq!(case.set(name, text).map(|set| bytes(&set)), Ok(bytes(record)), "{name} {text}");
    }
    let record = "7FE040 015D 40E9";
    assert_eq!(case.get("A", record).as_deref(), Ok("\"\\"));
    assert_eq!(case.get("N", record).as_deref(), Ok("-1.5"));
    assert_eq!(case.get("J", record).as_deref(), Ok("Z"));
    assert_eq!(case.slot("J").path(), "G.J");
}

#[test]
fn what_does_not_fit_is_refused() {
    let case = Case::new(FLAT);
    for (name, text, kind) in [
        ("A", "abcd", TooLong),
        ("A", "€", Unmappable),
        ("N", "", WrongType),
        ("N", " 1", WrongType),
        ("N", "1e1", WrongType),
        ("N", "1,5", WrongType),
        ("N", "100", OutOfRange),
        ("N", "1.55", OutOfRange),
    ] {
        assert_eq!(case.set(name, text).expect_err(text).kind, kind, "{name} {text}");
    }
    let error = case.get("N", "404040 01FF").expect_err("a bad digit");
    assert_eq!(
        error.to_string(),
        "N: the bytes 01 FF are not a number of the field's type (record offset 3)"
    );
    assert_eq!(error.kind, BadData);
    let error = case.get("J", "404040 015D 40").expect_err("too short");
    assert_eq!(
        error.to_string(),
        "G.J: the record ends after 6 bytes, before this field does (record offset 5)"
    );
    assert_eq!(error.kind, RecordLength);
}

#[test]
fn a_value_that_json_leaves_out_is_none() {
    let case = Case::with("01 R. 05 A PIC X(3). 05 N PIC 9(2). 05 B PIC X. 05 P PIC 9.", |choices| {
        choices.field("A").omit = Some("--".to_owned());
        choices.field("N").omit = Some("0".to_owned());
        choices.field("B").format = Some(record::Format::Boolean { yes: "Y".to_owned(), no: "N".to_owned() });
    });
    let found = |name: &str, record: &str| {
        case.bind.get_unless_omitted(&case.slot(name), &bytes(record)).expect("a value")
    };
    for (name, record, expected) in [
        ("A", "606040 F0F0 E8 F0", None),
        ("A", "606060 F0F0 E8 F0", Some("---")),
        ("N", "606040 F0F0 E8 F0", None),
        ("N", "606040 F0F7 E8 F0", Some("7")),
        ("B", "606040 F0F7 D5 F0", Some("false")),
        ("P", "606040 F0F7 D5 F0", Some("0")),
    ] {
        assert_eq!(found(name, record).as_deref(), expected, "{name}");
        assert!(case.get(name, record).is_ok());
    }
    let none = case.bind.get_unless_omitted(&case.slot("N"), &bytes("606040 4040 E8 F0"));
    assert_eq!(
        none.expect_err("no number").to_string(),
        case.get("N", "606040 4040 E8 F0").expect_err("no number").to_string()
    );
}

#[test]
fn json_wins_over_what_was_set_before() {
    let case = Case::new(FLAT);
    let mut record = Vec::new();
    case.bind.start(&mut record);
    case.bind.set(&case.slot("A"), "one", &mut record).expect("fits");
    case.bind.set(&case.slot("N"), "1", &mut record).expect("fits");
    case.bind.fill(br#"{"a":"two"}"#, &mut record).expect("fits");
    case.bind.finish(&mut record).expect("fits");
    assert_eq!(record, bytes("A3A696 010C 4040"));
}

const VARIABLE: &str = "01 R. 05 C PIC 9. 05 T PIC X(2) OCCURS 0 TO 3 DEPENDING ON C. 05 M PIC 9(2). \
                        05 O OCCURS 2. 10 IC PIC 9. 10 I PIC X OCCURS 0 TO 2 DEPENDING ON IC. 05 E PIC X(2).";

#[test]
fn fields_after_varying_tables() {
    let case = Case::new(VARIABLE);
    let record = "F1 C1C1 F0F7 F2C1C2 F0 C5C6";
    for (name, value) in [("C", "1"), ("M", "7"), ("E", "EF")] {
        assert_eq!(case.get(name, record).as_deref(), Ok(value), "{name}");
    }
    assert_eq!(case.get("E", "F0 F0F7 F0 F1C1 C5C6").as_deref(), Ok("EF"));
    assert_eq!(case.get("E", "F3 C1C1C1C1C1C1 F0F7 F2C1C1 F2C1C1 C5C6").as_deref(), Ok("EF"));

    let mut record = Vec::new();
    case.bind.start(&mut record);
    case.bind.set(&case.slot("E"), "EF", &mut record).expect("fits");
    case.bind.fill(br#"{"t":["A"],"m":7,"o":[{"i":["A","B"]},{}]}"#, &mut record).expect("fits");
    case.bind.finish(&mut record).expect("fits");
    assert_eq!(record, bytes("F1 C140 F0F7 F2C1C2 F0 C5C6"));
}

#[test]
fn errors_after_varying_tables_say_where_the_field_lies() {
    let case = Case::new(VARIABLE);
    for (name, record, shown) in [
        ("M", "F1 C1C1 40F7", "M: the bytes 40 F7 are not a number of the field's type (record offset 3)"),
        ("M", "F1 C1C1 F0", "M: the record ends after 4 bytes, before this field does (record offset 3)"),
        ("M", "F4 C1C1", "M: the counter holds 4, the table has 0 to 3 rows (record offset 0)"),
        ("M", "40 C1C1", "M: the bytes 40 are not a number of the field's type (record offset 0)"),
        ("E", "F0 F0F7 F0 F3", "E: the counter holds 3, the table has 0 to 2 rows (record offset 4)"),
        ("E", "F0 F0F7 F0", "E: the record ends after 4 bytes, before this field does (record offset 4)"),
    ] {
        assert_eq!(case.get(name, record).expect_err(record).to_string(), shown);
    }
}

#[test]
fn a_counter_that_is_set_alone_is_checked() {
    let case = Case::new("01 R. 05 C PIC 99. 05 T PIC X OCCURS 1 TO 3 DEPENDING ON C.");
    assert_eq!(case.set("C", "2").as_deref(), Ok("F0F24040"));
    let error = case.set("C", "4").expect_err("4 rows");
    assert_eq!(error.to_string(), "the number is greater than the greatest allowed, 3");
    assert_eq!(error.kind, OutOfRange);
}

#[test]
fn fields_without_a_slot() {
    let case = Case::new("01 R. 05 G. 10 A PIC X. 05 T PIC X OCCURS 2. 05 U OCCURS 2. 10 B PIC X.");
    for (name, shown) in [
        ("G", "G: a group has no value itself"),
        ("T", "T: a field in a table has no single value"),
        ("B", "U.B: a field in a table has no single value"),
    ] {
        let id = case.layout.resolve(name).expect(name);
        let error = case.bind.slot(&case.layout, id, &case.options).expect_err(name);
        assert_eq!(error.to_string(), shown);
    }
}
