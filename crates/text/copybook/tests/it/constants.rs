//! Constants: level 78, and 01 with CONSTANT.

use copybook::Literal;

use crate::table::{check, parse, refuse};

#[test]
fn constants_stand_for_literals() {
    let text = "
       78  NAME-LENGTH VALUE 12.
       78  ROWS VALUE IS 3.
       01  LEAST CONSTANT AS 1.
       01  TITLE CONSTANT IS GLOBAL AS 'Sir'.
       78  ROWS-TOO VALUE ROWS.
       01  R.
           05  A PIC X(name-length) VALUE TITLE.
           05  B PIC 9(ROWS)V9(LEAST) OCCURS ROWS TIMES.
           05  C PIC -(ROWS)9.
           05  N PIC 9.
           05  T PIC X OCCURS LEAST TO ROWS DEPENDING ON N.
               88  D VALUES TITLE, 'Madam'.
       78  LAST-ONE VALUE 'unused' & 'too'.
";
    check(
        text,
        "R 0 32 group
         A 0 12 text
         B 12 4 zoned 4/1 x3..3
         C 24 4 edited -(3)9
         N 28 1 zoned 1/0
         T 29 1 text x1..3 by N",
    );
    let fields = parse(text).layouts[0].fields().to_vec();
    let title = Literal::Text("Sir".to_owned());
    assert_eq!(fields[1].value, Some(title.clone()));
    assert_eq!(fields[5].conditions[0].values, [(title, None), (Literal::Text("Madam".to_owned()), None)]);
}

#[test]
fn an_expression_counts_only_where_it_is_used() {
    let text = |used: &str| {
        format!("       78  A VALUE (1 + 2).\n       78  B VALUE LENGTH OF R.\n       01  R PIC X{used}.\n")
    };
    check(&text(""), "R 0 1 text");
    refuse(&text("(A)"), "3:18 CPY034");
    refuse(&text(" VALUE B"), "3:26 CPY034");
}

#[test]
fn constants_are_reckoned_from_left_to_right() {
    let text = "       78  A VALUE 2.\n       78  B VALUE A + 3 * 4.\n       78  C VALUE B / A - 1.\n";
    check(
        &format!(
            "{text}       01  D CONSTANT 4.\n       01  R.\n           05  S PIC X(C).\n           05  T PIC X(D) OCCURS B.\n"
        ),
        "R 0 89 group
         S 0 9 text
         T 9 4 text x20..20",
    );
    for wrong in ["A - 5", "7 / 0", "A * 'x'", "A + 1.5", "A *"] {
        refuse(
            &format!("       78  A VALUE 2.\n       78  B VALUE {wrong}.\n       01  R PIC X(B).\n"),
            "3:18 CPY034",
        );
    }
}

#[test]
fn what_is_wrong_with_a_constant() {
    refuse("       78  A.\n       01  R PIC X.\n", "1:13 CPY024");
    refuse("       78  A VALUE 'x'.\n       01  R PIC X(A).\n", "2:18 CPY034");
    refuse("       78  A VALUE 1.5.\n       01  R.\n           05  T PIC X OCCURS A.\n", "3:31 CPY034");
    refuse("       78  A VALUE 1.\n       01  R PIC X(B).\n", "2:19 CPY040");
    refuse("       78  A VALUE 40.\n       01  R PIC 9(A).\n", "2:18 CPY041");
}
