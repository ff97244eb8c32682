//! Random clauses of elementary items: usages, signs and scales, edited pictures, and the values that fit them.

use super::dice::Dice;
use super::entry::{Currency, Kind, Number};

/// The clauses of an item, and its values.
pub(crate) struct Item {
    pub(crate) clauses: Vec<String>,
    pub(crate) value: Kind,
    /// VALUE clauses and condition names may have literals for it: not for edited items, whose VALUE is what they
    /// show, and not for COMP-X with a picture of X, which GnuCOBOL takes for text then.
    pub(crate) literals: bool,
}

/// The surroundings of an item.
#[derive(Clone, Copy)]
pub(crate) struct Around {
    /// SYNCHRONIZED is allowed.
    pub(crate) sync: bool,
    /// Every field has a value moved to it.
    pub(crate) all_moved: bool,
    pub(crate) comma: bool,
    pub(crate) currency: Option<Currency>,
}

/// A random item that JSON shows.
pub(crate) fn item(dice: &mut Dice, around: Around) -> Item {
    match dice.roll(10) {
        0 | 1 => text(dice),
        2 | 3 => edited_number(dice, around),
        4 => edited_text(dice),
        5 | 6 => zoned(dice),
        7 => without_picture(dice, around),
        _ => computational(dice, around.sync),
    }
}

fn text(dice: &mut Dice) -> Item {
    let length = 1 + dice.roll(12);
    let justified = dice.one_in(5);
    let symbol = if dice.one_in(5) { 'A' } else { 'X' };
    let mut clauses = vec![format!("PIC {symbol}({length})")];
    if justified {
        clauses.push((*dice.pick(&["JUSTIFIED", "JUST RIGHT"])).to_owned());
    }
    Item { clauses, value: Kind::Text { length, justified }, literals: true }
}

fn edited_text(dice: &mut Dice) -> Item {
    let mut picture = "X".to_owned();
    let mut length = 1;
    for _ in 0..1 + dice.roll(8) {
        let symbol = *dice.pick(&['X', 'A', '9', 'B', '0', '/', 'X', 'B']);
        length += usize::from(matches!(symbol, 'X' | 'A' | '9'));
        picture.push(symbol);
    }
    if !picture.contains(['B', '0', '/']) {
        picture.push('/');
    }
    Item {
        clauses: vec![format!("PIC {picture}")],
        value: Kind::Text { length, justified: false },
        literals: false,
    }
}

/// The digits of a picture, V and P among them, and the scale. GnuCOBOL cannot do P in packed numbers.
fn digits(dice: &mut Dice, count: usize, scaling: bool) -> (String, i32) {
    let scale = count as i32;
    match dice.roll(8) {
        0 => (format!("V9({count})"), scale),
        1 | 2 if count > 1 => {
            let fraction = 1 + dice.roll(count - 1);
            (format!("9({})V9({fraction})", count - fraction), fraction as i32)
        }
        3 if scaling && count < 15 => {
            let places = 1 + dice.roll(3);
            (format!("9({count}){}", "P".repeat(places)), -(places as i32))
        }
        4 if scaling && count < 15 => {
            let places = 1 + dice.roll(3);
            let point = *dice.pick(&["V", ""]);
            (format!("{point}{}9({count})", "P".repeat(places)), scale + places as i32)
        }
        _ => (format!("9({count})"), 0),
    }
}

/// All numbers of this number of digits.
fn of_digits(count: usize, scale: i32, signed: bool) -> Kind {
    let greatest = 10i128.pow(count as u32) - 1;
    Kind::Number(Number { scale, least: if signed { -greatest } else { 0 }, greatest, written: greatest })
}

/// All numbers of this number of bytes, for a picture of `count` digits.
fn of_bytes(bytes: usize, count: usize, scale: i32, signed: bool) -> Kind {
    let bits = bytes * 8;
    let (least, greatest) =
        if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
    let written = (10i128.pow(count as u32) - 1).min(greatest);
    Kind::Number(Number { scale, least, greatest, written })
}

fn zoned(dice: &mut Dice) -> Item {
    const SIGNS: [&str; 7] = [
        "SIGN LEADING",
        "SIGN IS LEADING SEPARATE",
        "SIGN TRAILING SEPARATE CHARACTER",
        "TRAILING",
        "LEADING SEPARATE",
        "",
        "",
    ];
    let most = if dice.one_in(3) { 31 } else { 9 };
    let count = 1 + dice.roll(most);
    let signed = dice.one_in(2);
    let (picture, scale) = digits(dice, count, true);
    let mut clauses = vec![format!("PIC {}{picture}", if signed { "S" } else { "" })];
    if dice.one_in(4) {
        clauses.push("USAGE DISPLAY".to_owned());
    }
    if signed {
        clauses.push((*dice.pick(&SIGNS)).to_owned());
    }
    clauses.retain(|clause| !clause.is_empty());
    Item { clauses, value: of_digits(count, scale, signed), literals: true }
}

/// The bytes of a binary number by its picture's digits.
fn binary_bytes(count: usize) -> usize {
    match count {
        0..=4 => 2,
        5..=9 => 4,
        _ => 8,
    }
}

fn computational(dice: &mut Dice, sync: bool) -> Item {
    const USAGES: [&str; 11] = [
        "COMP",
        "COMP-4",
        "BINARY",
        "COMP-5",
        "COMP-3",
        "PACKED-DECIMAL",
        "COMP-6",
        "COMP-X",
        "COMPUTATIONAL",
        "COMPUTATIONAL-3",
        "USAGE IS COMP-3",
    ];
    let usage = *dice.pick(&USAGES);
    let decimal =
        matches!(usage, "COMP-3" | "PACKED-DECIMAL" | "COMP-6" | "COMPUTATIONAL-3" | "USAGE IS COMP-3");
    let count = 1 + dice.roll(if decimal { 31 } else { 18 });
    // GnuCOBOL gives COMP-5 of one or two digits one byte, IBM's compiler two.
    let count = if usage == "COMP-5" { count.max(3) } else { count };
    let signed = usage != "COMP-6" && dice.one_in(2);
    // GnuCOBOL's COMP-X is too narrow for signed numbers of 7 and of 12 digits.
    let signed = signed && !(usage == "COMP-X" && matches!(count, 7 | 12));
    let (picture, scale) = digits(dice, count, !decimal);
    let mut clauses = vec![format!("PIC {}{picture}", if signed { "S" } else { "" }), usage.to_owned()];
    let value = match usage {
        _ if decimal => of_digits(count, scale, signed),
        "COMP-X" => {
            let greatest = 10u128.pow(count as u32) - 1;
            let bits = greatest.ilog2() as usize + 1 + usize::from(signed);
            of_bytes(bits.div_ceil(8), count, scale, signed)
        }
        _ => of_bytes(binary_bytes(count), count, scale, signed),
    };
    // GnuCOBOL aligns 8 bytes at 8, IBM's compiler at 4.
    let word = decimal || count <= 9;
    if sync && word && usage != "COMP-X" && dice.one_in(3) {
        clauses.push((*dice.pick(&["SYNC", "SYNCHRONIZED"])).to_owned());
    }
    // GnuCOBOL refuses literals of binary numbers with P at their end as too large.
    Item { clauses, value, literals: decimal || scale >= 0 }
}

fn without_picture(dice: &mut Dice, around: Around) -> Item {
    let sync = around.sync;
    // INITIALIZE takes COMP-X with a picture of X for text.
    if around.all_moved && dice.one_in(3) {
        let bytes = 1 + dice.roll(8);
        return Item {
            clauses: vec![format!("PIC X({bytes})"), "COMP-X".to_owned()],
            value: of_bytes(bytes, 20, 0, false),
            literals: false,
        };
    }
    let (usage, value) = match dice.roll(6) {
        0 => ("COMP-1", Kind::Float { bits: 24 }),
        1 => ("COMP-2", Kind::Float { bits: 53 }),
        2 => ("BINARY-CHAR", of_bytes(1, 19, 0, true)),
        3 => ("BINARY-SHORT", of_bytes(2, 19, 0, true)),
        4 => ("BINARY-LONG", of_bytes(4, 19, 0, true)),
        _ => ("BINARY-DOUBLE", of_bytes(8, 19, 0, true)),
    };
    let mut clauses = vec![usage.to_owned()];
    let mut found = value;
    if let Kind::Number(number) = &found
        && dice.one_in(2)
    {
        clauses.push("UNSIGNED".to_owned());
        let greatest = number.greatest * 2 + 1;
        found = Kind::Number(Number { scale: 0, least: 0, greatest, written: greatest });
    }
    if sync && usage != "BINARY-DOUBLE" && dice.one_in(3) {
        clauses.push("SYNC".to_owned());
    }
    Item { clauses, value: found, literals: true }
}

/// Symbols of a numeric edited picture while it is put together.
struct Edit<'d> {
    dice: &'d mut Dice,
    picture: String,
    comma: bool,
    /// The decimal point is there.
    fraction: bool,
}

impl Edit<'_> {
    /// An insertion character, one time in four. In a suppressed place only those that GnuCOBOL suppresses, too, and
    /// in a fraction no comma, which it shows as zero where it is a point.
    fn insertion(&mut self, suppressed: bool) {
        if self.dice.one_in(4) {
            let symbols = [if self.comma { '.' } else { ',' }, 'B', '0', '/'];
            let symbols = match suppressed {
                true => &symbols[..2],
                false if self.fraction => &symbols[1..],
                false => &symbols,
            };
            let symbol = *self.dice.pick(symbols);
            self.picture.push(symbol);
        }
    }

    fn digits(&mut self, symbol: &str, count: usize) {
        for at in 0..count {
            // Of three currency symbols that are all apart GnuCOBOL sees none.
            if at > 1 || (at > 0 && matches!(symbol, "9" | "Z" | "*")) {
                self.insertion(symbol != "9");
            }
            self.picture.push_str(symbol);
        }
    }
}

/// A number shown by any of the symbols, in an order that the language reference allows.
fn edited_number(dice: &mut Dice, around: Around) -> Item {
    let currency = around.currency.map_or("$", |currency| currency.symbol.unwrap_or(currency.sign));
    let symbol = *dice.pick(&["", "Z", "Z", "*", "+", "-", currency]);
    let floats = !matches!(symbol, "" | "Z" | "*");
    // A floating string of two symbols alone, with an insertion between them, is not a picture to GnuCOBOL.
    let suppressed = if symbol.is_empty() { 0 } else { 1 + usize::from(floats) + dice.roll(6) };
    let nines = if suppressed == 0 { 1 + dice.roll(6) } else { dice.roll(4) };
    let fraction = if dice.one_in(2) { 1 + dice.roll(4) } else { 0 };
    let mut signed = matches!(symbol, "+" | "-");
    let mut edit = Edit { dice, picture: String::new(), comma: around.comma, fraction: false };
    if !signed && edit.dice.one_in(4) {
        signed = true;
        let sign = *edit.dice.pick(&["+", "-"]);
        edit.picture.push_str(sign);
    }
    // GnuCOBOL shows the wrong sign in front of a currency symbol.
    if signed && symbol == currency {
        edit.picture.clear();
        signed = false;
    }
    if symbol != currency && edit.picture.is_empty() && edit.dice.one_in(4) {
        edit.picture.push_str(currency);
    }
    edit.digits(symbol, suppressed + usize::from(floats));
    if suppressed > 0 && nines > 0 {
        edit.insertion(true);
    }
    edit.digits("9", nines);
    if fraction > 0 {
        let point = if around.comma { ',' } else { '.' };
        let point = if edit.dice.one_in(4) { 'V' } else { point };
        edit.picture.push(point);
        edit.fraction = true;
        // With no 9 in front, the suppressing symbol may go on behind the point, and then all must be it.
        // No insertions then: GnuCOBOL shows them as zeros.
        // Currency symbols there GnuCOBOL refuses if a sign follows.
        if nines == 0 && symbol != currency && edit.dice.one_in(2) {
            edit.picture.push_str(&symbol.repeat(fraction));
        } else {
            edit.digits("9", fraction);
        }
    }
    if !signed && edit.dice.one_in(3) {
        signed = true;
        // + and - right behind a row of currency symbols GnuCOBOL takes for a part of it.
        let signs = ["CR", "DB", "+", "-"];
        let row = symbol == currency && nines == 0 && fraction == 0;
        let sign = *edit.dice.pick(&signs[..if row { 2 } else { 4 }]);
        edit.picture.push_str(sign);
    } else if edit.dice.one_in(6) {
        let end = *edit.dice.pick(&['B', '0', '/']);
        edit.picture.push(end);
    }
    let mut clauses = vec![format!("PIC {}", edit.picture)];
    // To V in a picture of digits alone GnuCOBOL gives a place of its own then.
    let plain = clauses[0].trim_start_matches("PIC ").trim_matches('9') == "V";
    if symbol != "*" && !plain && dice.one_in(5) {
        clauses.push("BLANK WHEN ZERO".to_owned());
    }
    Item {
        clauses,
        value: of_digits(suppressed + nines + fraction, fraction as i32, signed),
        literals: false,
    }
}
