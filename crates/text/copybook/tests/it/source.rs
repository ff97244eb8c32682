//! Columns, indicators, comments, continuation and odd characters.

use copybook::{Format, Literal, Options};

use crate::table::{check, parse, parse_with, refuse, warn};

#[test]
fn sequence_and_identification_areas_are_not_read() {
    let text = "\
000100 01  ORDER-RECORD.                                                00010000
000200     05  ORDER-NUMBER        PIC 9(6).                            ABCDEFGH
000300*    05  ORDER-OLD           PIC X(9).                            00010000
000400     05  ORDER-TEXT          PIC X(20).                           00010000
";
    check(
        text,
        "ORDER-RECORD 0 26 group
         ORDER-NUMBER 0 6 zoned 6/0
         ORDER-TEXT 6 20 text",
    );
}

#[test]
fn a_text_at_the_left_edge_is_free_format() {
    let text = "01 A.\n  05 B PIC X. *> the first\n  *> 05 C PIC X.\n* 05 D PIC X.\n  05 E PIC X(2).\n";
    check(text, "A 0 3 group\nB 0 1 text\nE 1 2 text");
}

#[test]
fn the_format_can_be_given_or_stated() {
    let wide = format!("01 A.\n{}05 B PIC X(2).\n", " ".repeat(80));
    check(&format!(">>SOURCE FORMAT IS FREE\n{wide}"), "A 0 2 group\nB 0 2 text");
    check(&format!("      $SET SOURCEFORMAT\"FREE\"\n{wide}"), "A 0 2 group\nB 0 2 text");
    let options = Options { format: Format::Free, ..Options::default() };
    assert_eq!(parse_with(&wide, &options).layouts[0].max_bytes(), 2);
}

#[test]
fn indicators_of_comments_and_debugging_lines() {
    let text = "      * a remark\n      / a page\n       01 A.\n      D    05 B PIC X.\n      d    05 C PIC X.\n           05 E PIC X.\n";
    check(text, "A 0 1 group\nE 0 1 text");
}

#[test]
fn a_remark_may_begin_in_column_1() {
    let text = "* what the 01 below is for\n*\n000100 01  R.\n** its only field\n*CR12      05  Z PIC X.\n000200     05  A PIC X.\n";
    check(text, "R 0 2 group\nZ 0 1 text\nA 1 1 text");
}

#[test]
fn listing_statements_and_compiler_options_are_skipped() {
    let text = "\
       CBL APOST,NOSEQ
 PROCESS XOPTS(APOST)
000010 CBL NODYNAM
00002A PROCESS LIB
       01  A.
           EJECT
           05 B PIC X.
           SKIP1
           SKIP2.
           TITLE 'of a page'
           05 C PIC X.
";
    check(text, "A 0 2 group\nB 0 1 text\nC 1 1 text");
}

#[test]
fn crlf_tabs_form_feeds_a_byte_order_mark_and_an_end_of_file_character() {
    let text = "\u{feff}       01  A.\r\n\u{c}           05  B PIC X.\r\n\t   05  C PIC X(3).\r\n\u{1a}";
    check(text, "A 0 4 group\nB 0 1 text\nC 1 3 text");
}

#[test]
fn tabs_of_any_width_do_not_push_text_past_column_72() {
    let text = format!("       01  A.\n\t\t\t   05  B{}PIC X(3).\n", " ".repeat(45));
    check(&text, "A 0 3 group\nB 0 3 text");
}

#[test]
fn a_word_continues_on_the_next_line() {
    let text = "       01  A.\n           05  CUSTOMER-NU\n      -        MBER PIC X(1\n      *  in between\n      -    2).\n";
    check(text, "A 0 12 group\nCUSTOMER-NUMBER 0 12 text");
}

#[test]
fn a_literal_continues_with_the_blanks_up_to_column_72() {
    let first = format!("{:<72}", "           05  B PIC X(99) VALUE 'AB");
    let text = format!("       01  A.\n{first}00010000\n      -    'CD''E'.\n");
    let parsed = parse(&text);
    let blanks = " ".repeat(72 - "           05  B PIC X(99) VALUE 'AB".len());
    assert_eq!(parsed.layouts[0].fields()[1].value, Some(Literal::Text(format!("AB{blanks}CD'E"))));
    // A line that stops early is blank up to column 72 just the same.
    let short = text.replace(&first, first.trim_end()).replace("00010000", "");
    assert_eq!(parse(&short).layouts[0].fields()[1].value, parsed.layouts[0].fields()[1].value);
}

#[test]
fn what_is_wrong_with_columns_is_said_where_it_is() {
    refuse("       01  A PIC X.\n      X    05 B PIC X.\n", "2:7 CPY002");
    refuse("      -    01  A PIC X.\n", "1:8 CPY003");
    refuse("       01  A PIC X VALUE 'a\n      -    b'.\n", "2:12 CPY003");
    refuse("       01  A PIC X.\n       >>IF X\n", "2:8 CPY005");
    warn("      01  A PIC X.\n      * a comment\n", "1:7 CPY002");
}

#[test]
fn text_across_column_72_is_reported() {
    let text = format!("{:<68}EXTERNAL.\n", "       01  A PIC X(5)");
    refuse(&text, "1:69 CPY022\n1:73 CPY004");
}

#[test]
fn clauses_lost_after_column_72_are_an_error() {
    let lost =
        format!("       01  R.\n{:<72} COMP-3.\n           05  B PIC X.\n", "           05  A PIC S9(5)");
    refuse(&lost, "2:22 CPY006");
    // Without its end, the first entry would take the level of the second for its number of rows.
    let swallowed = format!("       01  R.\n{:<72} 3.\n           05  PIC X.\n", "           05  A OCCURS");
    refuse(&swallowed, "2:18 CPY006");
    let identified = lost.replace(" COMP-3.", "COMP0003").replace("(5) ", "(5).");
    check(&identified, "R 0 6 group\nA 0 5 zoned 5/0 trailing\nB 5 1 text");
}

#[test]
fn the_format_changes_where_the_text_says_so() {
    let text = "
      * fixed
       01  A.
           05  B PIC X.                                                 00010000
       >>SOURCE FORMAT IS FREE
  05 C PIC X(2). *> and now free
>>SOURCE FORMAT FIXED
000100     05  D PIC X(3).                                              00010000
      $SET SOURCEFORMAT\"FREE\"
05 E PIC X(4).
";
    check(text, "A 0 10 group\nB 0 1 text\nC 1 2 text\nD 3 3 text\nE 6 4 text");
    refuse("       >>SOURCE FORMAT IS VARIABLE\n       01  A PIC X.\n", "1:8 CPY005");
}

#[test]
fn directives_that_change_no_text_are_passed_over() {
    let text = "       >>PAGE\n       >>LISTING OFF\n       $SET ANS85\n       >>TURN EC-ALL CHECKING ON\n       01  A PIC X.\n      *CBL NOSOURCE\n           *CONTROL NOLIST\n";
    check(text, "A 0 1 text");
}

#[test]
fn conditional_text_counts_by_what_the_text_defines() {
    let text = "
       >>DEFINE SIZE AS 4
000100 >>DEFINE KIND AS 'LONG'
       01  R.
       >>IF SIZE > 3 AND KIND = \"LONG\"
           05  A PIC X.
       >>IF KIND IS NOT DEFINED
           05  B PIC X.
       >>ELIF SIZE EQUAL TO 4
           05  C PIC X.
       >>ELSE
           05  D PIC X.
       >>END-IF
       >>ELSE
           this is no COBOL
       >>IF SIZE = 4
           05  E PIC X.
       >>END-IF
       >>END-IF
       >>DEFINE SIZE OFF
      $IF (KIND NOT DEFINED OR KIND < 'M') AND NOT KIND = 'X'
           05  F PIC X.
      $ELSE
           05  G PIC X.
      $END
";
    check(text, "R 0 3 group\nA 0 1 text\nC 1 1 text\nF 2 1 text");
    let guard = "      $IF CONSTANTS NOT DEFINED\n       01  A PIC X.\n      $END\n       >>IF OTHER DEFINED\n       01  B PIC X.\n       >>END-IF\n";
    let parsed = warn(guard, "1:7 CPY005\n4:8 CPY005");
    assert_eq!(parsed.layouts.len(), 1);
}

#[test]
fn conditions_that_cannot_be_decided_are_refused_once() {
    let text = "       01  A.\n       >>IF X = 1\n           05  B PIC X.\n       >>ELSE\n           05  B PIC XX.\n       >>END-IF\n";
    refuse(text, "2:8 CPY005");
    for wrong in ["X", "1 =", "1 = 'A'", "(1 = 1", "1 = 1 2", "", "NOT", "1 NOT DEFINED AND"] {
        refuse(&format!("       01  A PIC X.\n       >>IF {wrong}\n       >>END-IF\n"), "2:8 CPY005");
    }
    refuse("       01  A PIC X.\n       >>ELSE\n", "2:8 CPY005");
    refuse("       01  A PIC X.\n      $END\n", "2:7 CPY005");
    refuse("       >>IF 1 = 1\n       01  A PIC X.\n", "2:8 CPY005");
    refuse("       >>EVALUATE TRUE\n       01  A PIC X.\n", "1:8 CPY005");
    let nested = format!("       >>IF {}1 = 1\n       01  A PIC X.\n       >>END-IF\n", "(".repeat(100_000));
    refuse(&nested, "1:8 CPY005");
}

#[test]
fn what_editors_and_transfers_leave_between_words_is_blank() {
    let text = "       01  A.\r\r\n           05\u{a0}B PIC\u{1a}X.\n           05  C\u{0}PIC X(3).\n           05 D PIC X.\u{c}\n\u{1a}\n";
    check(text, "A 0 5 group\nB 0 1 text\nC 1 3 text\nD 4 1 text");
    let literal = parse("       01  A PIC X(3) VALUE '\u{1a}\u{a0}B'.\n");
    assert_eq!(literal.layouts[0].root().value, Some(Literal::Text("\u{1a}\u{a0}B".into())));
}

#[test]
fn sequence_areas_may_hold_anything_and_the_last_line_has_no_end() {
    let text = "CR0012 01  A.                                                           CR0012\nñ$é\"'9     05  B PIC X.\nABCDEF     05  C PIC X.";
    check(text, "A 0 2 group\nB 0 1 text\nC 1 1 text");
}

#[test]
fn notes_in_the_sequence_area_make_no_free_format() {
    let positions = "\
CR0001* CR0001 : length and position of each field
       01  R.
01 03     05 A PIC S9(4)V COMP-3.
04 05     05 B PIC S9(9)V COMP-3.
  9  2    05 C PIC X(2).
 11       05 D PIC X.
";
    check(
        positions,
        "R 0 11 group\nA 0 3 packed 4/0 signed\nB 3 5 packed 9/0 signed\nC 8 2 text\nD 10 1 text",
    );
    let marked = "01 AB    * a remark\nBR1    01  R.\nBR1        05 A PIC X(4).\n";
    check(&marked.replace("01 AB    *", "01 AB *"), "R 0 4 group\nA 0 4 text");
    let free = "   *> indented remarks\n   *> of free format\n\n01 R.\n 05 A PIC X.\n";
    check(free, "R 0 1 group\nA 0 1 text");
}

#[test]
fn a_star_in_the_sequence_area_makes_no_comment_of_an_entry() {
    let text = "       01  R.\n*          05  A PIC X(2).\n**         05  B PIC X(3).\n* a remark\n*      and its second line\n";
    let parsed = warn(text, "2:1 CPY002\n3:1 CPY002");
    assert_eq!(parsed.layouts[0].max_bytes(), 5);
}

#[test]
fn a_star_where_an_entry_would_begin_is_a_comment() {
    let text = "          * a remark\n       01  R.\n        * another\n           05  A PIC\n               **9.99.\n        *\n";
    check(text, "R 0 6 group\nA 0 6 edited **9.99");
}
