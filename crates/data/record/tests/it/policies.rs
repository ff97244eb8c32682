//! Policies for values that are not plain: blanks, low-values, control characters, null, lengths, omission,
//! initial values.

use record::ErrorKind::{BadData, DuplicateField, MissingField, OutOfRange, TooLong, Unmappable, WrongType};
use record::{
    BadNumber, ControlCharacters, DuplicateFields, Initialise, LongText, LowValueText, MissingFields,
    MissingRows, Nulls, OmitEmpty, PaddedNumbers, Policies, Substitution, TextNumbers, TrimText,
};

use crate::Case;

fn with(copybook: &str, policies: Policies) -> Case {
    Case::with(copybook, |choices| choices.options.policies = policies)
}

#[test]
fn numbers_of_blanks_and_low_values() {
    let text = "01 R. 05 Z PIC 9(3). 05 P PIC S9(3) COMP-3. 05 B PIC 9(4) COMP.";
    let null = BadNumber::Null;
    let blanks = with(text, Policies { blank_numbers: null, ..Policies::default() });
    blanks.check_decode("404040 4040 0040", r#"{"z":null,"p":null,"b":64}"#);
    blanks.refuse_record(
        "000000 4040 0040",
        BadData,
        "z: the bytes 00 00 00 are not a number of the field's type (record offset 0)",
    );
    let zero = BadNumber::Zero;
    let low = with(text, Policies { low_value_numbers: zero, ..Policies::default() });
    low.check_decode("000000 0000 0000", r#"{"z":0,"p":0,"b":0}"#);
    let any = with(text, Policies { bad_numbers: null, ..Policies::default() });
    any.check_decode("F1C1F2 ABCD FFFF", r#"{"z":null,"p":null,"b":null}"#);
}

#[test]
fn numbers_with_blanks_around_their_digits() {
    let text = "01 R. 05 Z PIC S9(4). 05 N PIC 9(3) NATIONAL.";
    let case = with(text, Policies { padded_numbers: PaddedNumbers::Accept, ..Policies::default() });
    case.check_decode("404040F5 0020 0031 0032", r#"{"z":5,"n":12}"#);
    case.check_decode("F1D20000 0033 0000 0000", r#"{"z":-12,"n":3}"#);
    assert_eq!(case.decode("40404040 0030 0030 0030").expect_err("no digit at all").kind, BadData);
    assert_eq!(case.decode("F140F240 0030 0030 0030").expect_err("a blank within").kind, BadData);
}

#[test]
fn numbers_that_a_request_gives_as_text() {
    let text = "01 R. 05 I PIC 9(4). 05 D PIC S9(3)V99 COMP-3. 05 F COMP-1. 05 X PIC X(2).";
    let case = with(text, Policies { text_numbers: TextNumbers::Accept, ..Policies::default() });
    case.check_encode(r#"{"i":"0010","d":"-1.5","f":"1.5","x":"07"}"#, "F0F0F1F0 00150D 41180000 F0F7");
    case.check_encode(r#"{"i":10,"d":-1.5,"f":1.5}"#, "F0F0F1F0 00150D 41180000 4040");
    case.check_decode("F0F0F1F0 00150D 41180000 F0F7", r#"{"i":10,"d":-1.5,"f":1.5,"x":"07"}"#);
    for (json, kind) in [
        (r#"{"i":""}"#, WrongType),
        (r#"{"i":"ten"}"#, WrongType),
        (r#"{"i":" 1"}"#, WrongType),
        (r#"{"i":"1e2"}"#, WrongType),
        (r#"{"i":"10000"}"#, OutOfRange),
        (r#"{"d":"1.234"}"#, OutOfRange),
        (r#"{"i":true}"#, WrongType),
        (r#"{"x":7}"#, WrongType),
    ] {
        assert_eq!(case.encode(json).expect_err(json).kind, kind, "{json}");
    }
    let strict = with(text, Policies::default());
    assert_eq!(strict.encode(r#"{"i":"0010"}"#).expect_err("text").kind, WrongType);
}

#[test]
fn one_field_has_its_own_policies() {
    let case = Case::with("01 R. 05 A PIC 9. 05 B PIC 9.", |choices| {
        let policies = Policies { blank_numbers: BadNumber::Null, ..Policies::default() };
        choices.field("A").policies = Some(policies);
    });
    case.check_decode("40F1", r#"{"a":null,"b":1}"#);
    assert_eq!(case.decode("F140").expect_err("B is strict").path, "b");
}

#[test]
fn blanks_and_low_values_in_text() {
    let text = "01 R. 05 A PIC X(4). 05 J PIC X(4) JUSTIFIED.";
    let both = with(text, Policies { trim_text: TrimText::Both, ..Policies::default() });
    both.check_decode("40C14040 40C14040", r#"{"a":"A","j":"A"}"#);
    let trim = with(text, Policies { low_value_text: LowValueText::Trim, ..Policies::default() });
    trim.check_decode("C1004000 0040C100", r#"{"a":"A","j":"A\u0000"}"#);
    let null = with(text, Policies { low_value_text: LowValueText::Null, ..Policies::default() });
    null.check_decode("00000000 C1000000", r#"{"a":null,"j":"A\u0000\u0000\u0000"}"#);
}

#[test]
fn control_characters() {
    let text = "01 R. 05 A PIC X(4).";
    let policies = |control_characters| Policies { control_characters, ..Policies::default() };
    let (blank, remove, refuse) = (
        with(text, policies(ControlCharacters::Blank)),
        with(text, policies(ControlCharacters::Remove)),
        with(text, policies(ControlCharacters::Refuse)),
    );
    blank.check_decode("C105C200", r#"{"a":"A B "}"#);
    remove.check_decode("C105C200", r#"{"a":"AB"}"#);
    refuse.refuse_record("C105C240", BadData, "a: control character U+0009 at character 1 (record offset 0)");
    blank.check_encode(r#"{"a":"A\tB"}"#, "C140C240");
    remove.check_encode(r#"{"a":"A\tB\nC\rD\b"}"#, "C1C2C3C4");
    let shown = "a: control character U+0009 at character 1 (line 1, column 6)";
    refuse.refuse_json(r#"{"a":"A\tB"}"#, OutOfRange, shown);
}

#[test]
fn long_text_and_characters_beyond_the_page() {
    let text = "01 R. 05 A PIC X(3). 05 J PIC X(3) JUSTIFIED. 05 N PIC N(2).";
    let cut = with(text, Policies { long_text: LongText::Cut, ..Policies::default() });
    cut.check_encode(r#"{"a":"ABCDE","j":"ABCDE","n":"a😀"}"#, "C1C2C3 C3C4C5 00610020");
    let strict = Case::new(text);
    assert_eq!(strict.encode(r#"{"a":"ABCD"}"#).expect_err("too long").kind, TooLong);
    let substitute = with(text, Policies { unmappable: Substitution::Substitute, ..Policies::default() });
    substitute.check_encode(r#"{"a":"A€"}"#, "C13F40 404040 00200020");
    assert_eq!(strict.encode(r#"{"a":"€"}"#).expect_err("not in 037").kind, Unmappable);
}

#[test]
fn null_in_a_request() {
    let text =
        "01 R. 05 A PIC X(2) VALUE 'AB'. 05 N PIC 9(2) VALUE 7. 05 G. 10 B PIC X. 05 T PIC X OCCURS 2.";
    let nulls = |nulls| with(text, Policies { nulls, ..Policies::default() });
    let json = r#"{"a":null,"n":null}"#;
    nulls(Nulls::Initial).check_encode(json, "C1C2 F0F7 40 4040");
    nulls(Nulls::Blanks).check_encode(json, "4040 4040 40 4040");
    nulls(Nulls::LowValues).check_encode(json, "0000 0000 40 4040");
    nulls(Nulls::Initial).check_encode(r#"{"g":null,"t":null}"#, "C1C2 F0F7 40 4040");
    let strict = nulls(Nulls::Refuse);
    strict.refuse_json(json, WrongType, "a: expected text, found null (line 1, column 6)");
}

#[test]
fn values_that_are_left_out() {
    let text = "01 R. 05 A PIC X(2). 05 N PIC 9(2). 05 G. 10 B PIC X. 10 C PIC X. 05 T PIC X OCCURS 2.";
    let omit = |omit_empty| with(text, Policies { omit_empty, ..Policies::default() });
    omit(OmitEmpty::Text).check_decode("4040 F0F0 40 40 4040", r#"{"n":0,"g":{},"t":["",""]}"#);
    omit(OmitEmpty::Zero).check_decode("4040 F0F0 40 C3 C140", r#"{"g":{"c":"C"},"t":["A",""]}"#);
    omit(OmitEmpty::Zero)
        .check_decode("C140 F0F1 C2 40 C140", r#"{"a":"A","n":1,"g":{"b":"B"},"t":["A",""]}"#);
    let named = Case::with(text, |choices| {
        choices.field("A").omit = Some("--".to_owned());
        choices.field("N").omit = Some("99".to_owned());
    });
    named.check_decode("6060 F9F9 C2 C3 C1C2", r#"{"g":{"b":"B","c":"C"},"t":["A","B"]}"#);
    named.check_decode("4040 F9F8 C2 C3 C1C2", r#"{"a":"","n":98,"g":{"b":"B","c":"C"},"t":["A","B"]}"#);
}

#[test]
fn initial_values() {
    let text = "01 R. 05 A PIC X(2) VALUE 'AB'. 05 N PIC 9(2) VALUE 7. 05 F PIC S9 COMP-3.";
    let initialise = |initialise| Case::with(text, |choices| choices.options.initialise = initialise);
    initialise(Initialise::Values).check_encode("{}", "C1C2 F0F7 0C");
    initialise(Initialise::Types).check_encode("{}", "4040 F0F0 0C");
    initialise(Initialise::LowValues).check_encode("{}", "0000 0000 00");
    initialise(Initialise::ValuesOrLowValues).check_encode("{}", "C1C2 F0F7 00");
    initialise(Initialise::LowValues).check_encode(r#"{"n":1}"#, "0000 F0F1 00");
}

#[test]
fn fields_that_are_missing_or_given_twice() {
    let text = "01 R. 05 A PIC X. 05 G. 10 B PIC 9. 05 C PIC 9. 05 T PIC X OCCURS 0 TO 2 DEPENDING ON C.";
    let all = Case::with(text, |choices| choices.options.missing_fields = MissingFields::Refuse);
    all.check(r#"{"a":"A","g":{"b":1}}"#, "C1 F1 F0");
    all.refuse_json(r#"{"a":"A","g":{}}"#, MissingField, "g.b: this field is required (line 1, column 14)");
    let twice = r#"{"a":"A","a":"B"}"#;
    let last = Case::with(text, |choices| choices.options.duplicate_fields = DuplicateFields::Last);
    last.check_encode(twice, "C2 F0 F0");
    assert_eq!(Case::new(text).encode(twice).expect_err("twice").kind, DuplicateField);
}

#[test]
fn tables_of_fixed_length_with_fewer_rows() {
    let text = "01 R. 05 T PIC X(2) VALUE '--' OCCURS 3.";
    let lenient = Case::with(text, |choices| choices.options.missing_rows = MissingRows::Initial);
    lenient.check_encode(r#"{"t":["A"]}"#, "C140 6060 6060");
    lenient.check_encode(r#"{"t":[]}"#, "6060 6060 6060");
    assert!(Case::new(text).encode(r#"{"t":["A"]}"#).is_err());
    assert!(lenient.encode(r#"{"t":["A","B","C","D"]}"#).is_err());
}

#[test]
fn counters_are_read_by_the_policies() {
    let text = "01 R. 05 N PIC 99. 05 T PIC X OCCURS 0 TO 5 DEPENDING ON N.";
    let policies = Policies {
        blank_numbers: BadNumber::Zero,
        padded_numbers: PaddedNumbers::Accept,
        ..Policies::default()
    };
    let case = with(text, policies);
    case.check_decode("4040", "{}");
    case.check_decode("F240 C1C2", r#"{"t":["A","B"]}"#);
}

#[test]
fn groups_and_arrays_given_twice_are_no_mixture() {
    let text = "01 R. 05 A PIC X. 05 G. 10 B PIC 9. 05 T PIC X OCCURS 2.";
    let last = Case::with(text, |choices| choices.options.duplicate_fields = DuplicateFields::Last);
    last.check_encode(r#"{"a":"x","a":"y"}"#, "A8 F0 4040");
    for json in [r#"{"g":{"b":1},"g":{}}"#, r#"{"t":["a","b"],"t":["c","d"]}"#] {
        assert_eq!(last.encode(json).expect_err(json).kind, DuplicateField);
    }
}

#[test]
fn what_is_left_out_or_null_in_other_forms() {
    let text = "01 R. 05 N PIC 9(4). 05 M PIC 9(2) NATIONAL.";
    let quoted = Policies {
        numbers: record::NumberStyle::Text,
        omit_empty: OmitEmpty::Zero,
        nulls: Nulls::Blanks,
        ..Policies::default()
    };
    let case = with(text, quoted);
    case.check_decode("F0F0F0F0 0030 0031", r#"{"m":"1"}"#);
    case.check_encode(r#"{"n":null,"m":null}"#, "40404040 0020 0020");
    let omit =
        Case::with("01 R. 05 N PIC 9V99.", |choices| choices.field("N").omit = Some("1.50".to_owned()));
    omit.check_decode("F1F5F0", "{}");
}
