//! Double-byte EBCDIC: the tables between codes of two bytes and characters.
//!
//! `cargo xtask codepages` writes a table as a file, `tables/dbcs-<CCSID>.bin`. All numbers are little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 2, 2, 2 | the counts of rows `r`, of wide entries `w`, of one-way codes `o` |
//! | 256 | for each first byte of a code the number of its row, from 1; 0 for none |
//! | 384 `r` | the rows: for each second byte from 40 to FF a UTF-16 unit, FFFD for no character |
//! | 8 `w` | the wide entries: two code points, the second one 0 if there is only one |
//! | 2 `o` | the codes whose character is encoded as another code |
//!
//! A unit that is a surrogate, D800 + `n`, stands for the wide entry `n`: a character beyond U+FFFF, or one
//! that Unicode writes as two, such as か with U+309A. The way back is derived from the file when it is first
//! needed, in less than a millisecond.

use crate::reverse::UNDEFINED;
use std::sync::OnceLock;

/// The first byte of the second bytes that have a column in the rows.
const FIRST_TRAIL: u8 = 0x40;
const ROW_CODES: usize = 0xC0;
const WIDE: std::ops::Range<u16> = 0xD800..0xE000;

/// The double-byte codes of a page.
#[derive(Debug)]
pub(crate) struct DoubleByte {
    rows: &'static [u8; 256],
    units: &'static [[u8; 2]],
    wide: &'static [[u8; 8]],
    one_way: &'static [[u8; 2]],
    reverse: OnceLock<Reverse>,
}

/// The characters of a code: one character, or two if Unicode needs two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Characters {
    One(char),
    Two(char, char),
}

/// The codes of the characters: `blocks[index[character >> 8]][lower byte]`, with 0 for "none". Block 0 is
/// empty.
#[derive(Debug)]
pub(crate) struct Reverse {
    index: Vec<u16>,
    blocks: Vec<[u16; 256]>,
    /// By ascending characters.
    pairs: Vec<(char, char, u16)>,
    /// The second characters of the pairs, ascending.
    pair_seconds: Vec<char>,
    /// True for each byte that begins one of them in UTF-8.
    pair_second_leads: [bool; 256],
}

impl DoubleByte {
    /// Reads a table; the compiler refuses one that is too short.
    pub(crate) const fn new(table: &'static [u8]) -> DoubleByte {
        let ([rows, wide, one_way], rest) = header(table);
        let (Some(row_numbers), (_, rest)) = (rest.first_chunk(), rest.split_at(256)) else {
            panic!("a table has 256 row numbers")
        };
        let (units, rest) = rest.split_at(rows * ROW_CODES * 2);
        let (wide, rest) = rest.split_at(wide * 8);
        assert!(rest.len() == one_way * 2, "a table ends with its one-way codes");
        DoubleByte {
            rows: row_numbers,
            units: units.as_chunks().0,
            wide: wide.as_chunks().0,
            one_way: rest.as_chunks().0,
            reverse: OnceLock::new(),
        }
    }

    /// The characters of a code of these two bytes.
    pub(crate) fn decode(&self, lead: u8, trail: u8) -> Option<Characters> {
        let unit = self.unit(lead, trail);
        match char::from_u32(unit.into()) {
            Some(_) if unit == UNDEFINED => None,
            Some(character) => Some(Characters::One(character)),
            None => self.wide(unit - WIDE.start),
        }
    }

    /// The unit in the table for a code of these two bytes; U+FFFD for none.
    pub(crate) fn unit(&self, lead: u8, trail: u8) -> u16 {
        let row = usize::from(self.rows[usize::from(lead)]).wrapping_sub(1);
        let column = usize::from(trail).wrapping_sub(FIRST_TRAIL.into());
        let place = row.wrapping_mul(ROW_CODES).wrapping_add(column);
        match self.units.get(place) {
            Some(unit) if column < ROW_CODES => u16::from_le_bytes(*unit),
            _ => UNDEFINED,
        }
    }

    fn wide(&self, number: u16) -> Option<Characters> {
        let [a, b, c, d, second @ ..] = *self.wide.get(usize::from(number))?;
        let first = char::from_u32(u32::from_le_bytes([a, b, c, d]))?;
        match u32::from_le_bytes(second) {
            0 => Some(Characters::One(first)),
            second => Some(Characters::Two(first, char::from_u32(second)?)),
        }
    }

    /// The code of a character.
    pub(crate) fn encode(&self, character: char) -> Option<u16> {
        self.reverse().code(character)
    }

    /// The common code of two characters.
    pub(crate) fn encode_pair(&self, first: char, second: char) -> Option<u16> {
        self.reverse().pair(first, second)
    }

    /// The reverse table, for callers that ask often.
    pub(crate) fn encoder(&self) -> &Reverse {
        self.reverse()
    }

    /// Every code that has a character, ascending.
    fn codes(&self) -> impl Iterator<Item = (u16, Characters)> {
        (0x4040..=0xFEFEu16).filter_map(|code| {
            let [lead, trail] = code.to_be_bytes();
            Some((code, self.decode(lead, trail)?))
        })
    }

    fn reverse(&self) -> &Reverse {
        self.reverse.get_or_init(|| {
            let mut reverse = Reverse {
                index: Vec::new(),
                blocks: vec![[0; 256]],
                pairs: Vec::new(),
                pair_seconds: Vec::new(),
                pair_second_leads: [false; 256],
            };
            for (code, characters) in self.codes() {
                if !self.one_way.contains(&code.to_le_bytes()) {
                    reverse.insert(code, characters);
                }
            }
            reverse.pairs.sort_unstable();
            reverse.pair_seconds.sort_unstable();
            reverse.pair_seconds.dedup();
            for second in &reverse.pair_seconds {
                let mut bytes = [0; 4];
                let lead = second.encode_utf8(&mut bytes).as_bytes()[0];
                reverse.pair_second_leads[usize::from(lead)] = true;
            }
            reverse
        })
    }
}

impl Reverse {
    /// The code of a character.
    pub(crate) fn code(&self, character: char) -> Option<u16> {
        let [upper, lower] = [u32::from(character) >> 8, u32::from(character) & 0xFF];
        let block = *self.index.get(upper as usize)?;
        let code = self.blocks[usize::from(block)][lower as usize];
        (code != 0).then_some(code)
    }

    /// The common code of two characters.
    pub(crate) fn pair(&self, first: char, second: char) -> Option<u16> {
        self.pair_seconds.binary_search(&second).ok()?;
        let place = self.pairs.binary_search_by_key(&(first, second), |pair| (pair.0, pair.1)).ok()?;
        Some(self.pairs[place].2)
    }

    /// Whether the second character of some pair begins with this byte in UTF-8.
    pub(crate) fn may_end_a_pair(&self, lead: u8) -> bool {
        self.pair_second_leads[usize::from(lead)]
    }

    fn insert(&mut self, code: u16, characters: Characters) {
        let character = match characters {
            Characters::One(character) => u32::from(character) as usize,
            Characters::Two(first, second) => {
                self.pairs.push((first, second, code));
                self.pair_seconds.push(second);
                return;
            }
        };
        let (upper, lower) = (character >> 8, character & 0xFF);
        if self.index.len() <= upper {
            self.index.resize(upper + 1, 0);
        }
        if self.index[upper] == 0 {
            self.index[upper] = self.blocks.len() as u16;
            self.blocks.push([0; 256]);
        }
        self.blocks[usize::from(self.index[upper])][lower] = code;
    }
}

/// The three counts, and the rest of the table.
const fn header(table: &'static [u8]) -> ([usize; 3], &'static [u8]) {
    let Some((&[a, b, c, d, e, f], rest)) = table.split_first_chunk() else {
        panic!("a table begins with three counts")
    };
    let counts = [u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]), u16::from_le_bytes([e, f])];
    ([counts[0] as usize, counts[1] as usize, counts[2] as usize], rest)
}
