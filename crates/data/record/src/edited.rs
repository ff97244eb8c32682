//! Edited pictures: from a number or text to its form with insertions, and back.
//!
//! The rules are those of the language reference, "PICTURE clause editing": simple, special, fixed and
//! floating insertion, zero suppression and replacement.

use copybook::Edited;

use crate::decimal::power_of_ten;

/// The most digits of an edited number.
const DIGITS_MAX: usize = 38;

/// A picture, its symbols one by one.
#[derive(Clone, Debug)]
pub(crate) struct EditPlan {
    symbols: Vec<char>,
    /// The symbol of a floating string, `+`, `-` or `$`.
    floating: Option<char>,
    currency: String,
    point: char,
    comma: char,
    blank_when_zero: bool,
    digits: u8,
    scale: u8,
    signed: bool,
}

impl EditPlan {
    /// The plan of a numeric edited picture; none if it has symbols that make its number ambiguous (P, a currency sign
    /// that is only known in hexadecimal).
    pub(crate) fn numeric(edited: &Edited) -> Option<Self> {
        let symbols = expand(edited);
        if !edited.numeric || symbols.contains(&'P') || (symbols.contains(&'$') && edited.currency.is_empty())
        {
            return None;
        }
        let count = |wanted: char| symbols.iter().filter(|symbol| **symbol == wanted).count();
        let floating = ['+', '-', '$'].into_iter().find(|symbol| count(*symbol) > 1);
        let signed = symbols.iter().any(|symbol| matches!(symbol, '+' | '-' | 'C' | 'D'));
        let (point, comma) = if edited.decimal_comma { (',', '.') } else { ('.', ',') };
        let mut plan = Self {
            symbols,
            floating,
            currency: edited.currency.clone(),
            point,
            comma,
            blank_when_zero: edited.blank_when_zero,
            digits: 0,
            scale: 0,
            signed,
        };
        let mut after_point = false;
        for (at, symbol) in plan.symbols.iter().enumerate() {
            after_point |= matches!(symbol, '.' | 'V');
            if plan.is_digit(at) {
                plan.digits = plan.digits.checked_add(1)?;
                plan.scale += u8::from(after_point);
            }
        }
        (plan.digits > 0 && usize::from(plan.digits) < DIGITS_MAX).then_some(plan)
    }

    pub(crate) fn scale(&self) -> i32 {
        self.scale.into()
    }

    /// The least and greatest value in units of the last place.
    pub(crate) fn range(&self) -> (i128, i128) {
        let greatest = power_of_ten(self.digits.into()).unwrap_or(i128::MAX) - 1;
        (if self.signed { -greatest } else { 0 }, greatest)
    }

    /// A position that shows a digit: 9, Z, *, and all but the first of a floating string.
    fn is_digit(&self, at: usize) -> bool {
        let symbol = self.symbols[at];
        match symbol {
            '9' | 'Z' | '*' => true,
            _ if Some(symbol) == self.floating => self.symbols[..at].contains(&symbol),
            _ => false,
        }
    }

    /// Appends the number as the picture shows it. It must be within the picture's range.
    pub(crate) fn edit(&self, value: i128, out: &mut String) {
        let start = out.len();
        self.edit_digits(value, out);
        let suppressible = (0..self.symbols.len()).all(|at| !self.is_digit(at) || self.symbols[at] != '9');
        if value != 0 || !(suppressible || self.blank_when_zero) {
            return;
        }
        // All blanks, or all asterisks but for the decimal point.
        let asterisks = !self.blank_when_zero && self.symbols.contains(&'*');
        let shown = out.split_off(start);
        for character in shown.chars() {
            out.push(match character {
                point if asterisks && point == self.point && self.symbols.contains(&'.') => point,
                _ if asterisks => '*',
                _ => ' ',
            });
        }
    }

    fn edit_digits(&self, value: i128, out: &mut String) {
        let negative = value < 0;
        let digits = format!("{:0width$}", value.unsigned_abs(), width = usize::from(self.digits));
        let mut digits = digits.chars();
        let fill = if self.symbols.contains(&'*') { '*' } else { ' ' };
        // Zeros are suppressed from the first suppressing symbol to the first digit that counts.
        let mut suppressing = false;
        let mut ended = false;
        // The place of the floating symbol: in front of the first character that is not suppressed.
        let mut floats_at = None;
        for (at, symbol) in self.symbols.iter().enumerate() {
            let suppresses = matches!(symbol, 'Z' | '*') || Some(*symbol) == self.floating;
            suppressing |= suppresses && !ended;
            if self.is_digit(at) {
                let digit = digits.next().unwrap_or('0');
                if suppressing && suppresses && digit == '0' {
                    out.push(fill);
                    continue;
                }
                self.end(&mut suppressing, &mut ended, &mut floats_at, out.len());
                out.push(digit);
                continue;
            }
            match symbol {
                '.' => {
                    self.end(&mut suppressing, &mut ended, &mut floats_at, out.len());
                    out.push(self.point);
                }
                'V' => self.end(&mut suppressing, &mut ended, &mut floats_at, out.len()),
                ',' | 'B' | '0' | '/' if suppressing => out.push(fill),
                ',' => out.push(self.comma),
                'B' => out.push(' '),
                '0' | '/' => out.push(*symbol),
                'C' => out.push_str(if negative { "CR" } else { "  " }),
                'D' => out.push_str(if negative { "DB" } else { "  " }),
                _ if Some(*symbol) == self.floating => {
                    out.extend(std::iter::repeat_n(' ', self.insertion(*symbol, negative).chars().count()));
                }
                _ => out.push_str(&self.insertion(*symbol, negative)),
            }
        }
        if let (Some(symbol), Some(at)) = (self.floating, floats_at) {
            let text = self.insertion(symbol, negative);
            let from = out[..at].char_indices().rev().nth(text.chars().count() - 1).map_or(0, |(at, _)| at);
            out.replace_range(from..at, &text);
        }
    }

    fn end(&self, suppressing: &mut bool, ended: &mut bool, floats_at: &mut Option<usize>, at: usize) {
        if *suppressing {
            floats_at.get_or_insert(at);
        }
        (*suppressing, *ended) = (false, true);
    }

    /// The characters that a sign or the currency symbol inserts.
    fn insertion(&self, symbol: char, negative: bool) -> String {
        match symbol {
            '$' => self.currency.clone(),
            '+' if !negative => "+".to_owned(),
            '-' if !negative => " ".to_owned(),
            _ => "-".to_owned(),
        }
    }

    /// The number that the picture shows as this text; none if it shows no number so.
    pub(crate) fn parse(&self, shown: &str) -> Option<i128> {
        if shown.chars().all(|character| character == ' ') {
            let mut zero = String::new();
            self.edit(0, &mut zero);
            return (zero == shown).then_some(0);
        }
        let tail = shown.trim_end();
        let negative = shown.contains('-') || tail.ends_with("CR") || tail.ends_with("DB");
        let mut value = 0i128;
        // A sign of several characters takes more than one place in the text.
        let width = |symbol: char| match symbol {
            'V' => 0,
            'C' | 'D' => 2,
            '$' => self.currency.chars().count(),
            _ => 1,
        };
        let mut characters = shown.chars();
        for (at, symbol) in self.symbols.iter().enumerate() {
            let digit = self.is_digit(at);
            let places = if digit { 1 } else { width(*symbol) };
            for _ in 0..places {
                let character = characters.next()?;
                if digit {
                    value = value * 10 + i128::from(character.to_digit(10).unwrap_or(0));
                }
            }
        }
        let value = if negative { -value } else { value };
        let mut again = String::new();
        self.edit(value, &mut again);
        (again == shown).then_some(value)
    }
}

/// An alphanumeric edited picture: characters with blanks, zeros and slashes between them.
#[derive(Clone, Debug)]
pub(crate) struct InsertionPlan {
    symbols: Vec<char>,
}

impl InsertionPlan {
    /// None for external floating point, whose text is its value.
    pub(crate) fn new(edited: &Edited) -> Option<Self> {
        let symbols = expand(edited);
        let simple = symbols.iter().all(|symbol| matches!(symbol, 'X' | 'A' | '9' | 'B' | '0' | '/'));
        (simple && !edited.numeric).then_some(Self { symbols })
    }

    /// Characters of the value.
    pub(crate) fn length(&self) -> usize {
        self.symbols.iter().filter(|symbol| is_character(**symbol)).count()
    }

    /// Appends text with its insertions, blanks where it is too short.
    pub(crate) fn edit(&self, text: &str, out: &mut String) {
        let mut characters = text.chars();
        for symbol in &self.symbols {
            out.push(match symbol {
                'B' => ' ',
                '0' | '/' => *symbol,
                _ => characters.next().unwrap_or(' '),
            });
        }
    }

    /// Appends the text without the insertions; false if an insertion is missing.
    pub(crate) fn parse(&self, shown: &str, out: &mut String) -> bool {
        let mut characters = shown.chars();
        for symbol in &self.symbols {
            let Some(character) = characters.next() else { return false };
            let fits = match symbol {
                'B' => character == ' ',
                '0' | '/' => character == *symbol,
                _ => {
                    out.push(character);
                    true
                }
            };
            if !fits {
                return false;
            }
        }
        characters.next().is_none()
    }
}

fn is_character(symbol: char) -> bool {
    matches!(symbol, 'X' | 'A' | '9')
}

fn expand(edited: &Edited) -> Vec<char> {
    let repeat = |(symbol, count): &(char, u32)| std::iter::repeat_n(*symbol, *count as usize);
    edited.symbols.iter().flat_map(repeat).collect()
}

#[cfg(test)]
mod tests {
    use copybook::Kind;

    use super::{EditPlan, InsertionPlan};

    fn edited(clauses: &str, decimal_comma: bool) -> copybook::Edited {
        let options = copybook::Options { decimal_comma, ..copybook::Options::default() };
        let text = format!("01 R. 05 F PIC {clauses}.");
        let parsed = copybook::parse("R", &text, &options).unwrap();
        match &parsed.layouts[0].fields()[1].kind {
            Kind::Edited(edited) => edited.clone(),
            other => panic!("{other:?}"),
        }
    }

    fn number(clauses: &str, value: i128, shown: &str) {
        let plan = EditPlan::numeric(&edited(clauses, false)).unwrap();
        let mut out = String::new();
        plan.edit(value, &mut out);
        assert_eq!(out, shown, "{clauses} {value}");
        assert_eq!(plan.parse(shown), Some(value), "{clauses} {shown}");
    }

    #[test]
    fn suppression_and_simple_insertion() {
        number("ZZ,ZZ9.99", 1_234_567, "12,345.67");
        number("ZZ,ZZ9.99", 1_234, "    12.34");
        number("ZZ,ZZ9.99", 0, "     0.00");
        number("Z,ZZZ.ZZ", 0, "        ");
        number("Z,ZZZ.ZZ", 5, "     .05");
        number("***,**9.99", 123_456, "**1,234.56");
        number("****.**", 0, "****.**");
        number("****.**", 1, "****.01");
        number("99/99/9999", 21_112_026, "21/11/2026");
        number("9(3)B9(3)", 12_034, "012 034");
        number("990099", 1_234, "120034");
        number("ZZZ9 BLANK WHEN ZERO", 0, "    ");
        number("9(4) BLANK WHEN ZERO", 0, "    ");
        number("9(4) BLANK WHEN ZERO", 12, "0012");
        number("Z9V99", 5, " 005");
    }

    #[test]
    fn signs_and_currency() {
        number("-9(3).99", -1_234, "-012.34");
        number("-9(3).99", 1_234, " 012.34");
        number("+9(3)", 12, "+012");
        number("9(3)-", -12, "012-");
        number("ZZ9CR", -12, " 12CR");
        number("ZZ9DB", 12, " 12  ");
        number("$ZZ9.99", 1_234, "$ 12.34");
        number("$$,$$9.99", 12_300, "  $123.00");
        number("$$,$$9.99", 123_400, "$1,234.00");
        number("$$$.$$", 0, "      ");
        number("++++9", -42, "  -42");
        number("----9.99", -5, "   -0.05");
        number("----9.99", 123_456, " 1234.56");
        number("---9", 0, "   0");
        number("+$$$9", 7, "+  $7");
    }

    #[test]
    fn what_a_picture_does_not_show() {
        let plan = EditPlan::numeric(&edited("ZZ,ZZ9.99", false)).unwrap();
        for shown in ["12345.67 ", "0,012.34 ", "   12.3X", "         ", "    12,34", "00,012.34"] {
            assert_eq!(plan.parse(shown), None, "{shown}");
        }
        let comma = EditPlan::numeric(&edited("Z.ZZ9,99", true)).unwrap();
        let mut out = String::new();
        comma.edit(123_456, &mut out);
        assert_eq!(out, "1.234,56");
        assert_eq!(comma.parse("1.234,56"), Some(123_456));
    }

    #[test]
    fn text() {
        let plan = InsertionPlan::new(&edited("XX/XXBX0", false)).unwrap();
        let mut out = String::new();
        plan.edit("ABCDE", &mut out);
        assert_eq!(out, "AB/CD E0");
        let mut back = String::new();
        assert!(plan.parse(&out, &mut back));
        assert_eq!(back, "ABCDE");
        assert!(!plan.parse("AB-CD E0", &mut String::new()));
    }
}
