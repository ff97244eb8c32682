//! The order of keys: that of their bytes, or that of another code page.
//!
//! Programs see text of an ASCII page, where digits come before letters. The files that they were written for
//! are in EBCDIC order, where letters come first. A collation maps each byte of a key to its place in that
//! order, one to one. The engine then compares only bytes, and the key can be restored. HIGH-VALUES are the
//! highest in every order.

use codepage::CodePage;

use crate::error::{Error, ErrorKind, Result};

/// The order of a file's keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Collation {
    /// By the bytes of the key.
    Binary,
    /// By the bytes that the key's characters have in another single-byte page.
    Page {
        /// The CCSID of the keys.
        data_ccsid: u16,
        /// The CCSID whose byte values are the order.
        order_ccsid: u16,
    },
}

impl Default for Collation {
    /// EBCDIC order: keys in ISO 8859-1 (CCSID 819), ordered as in CCSID 37. The two have the same 256 characters.
    fn default() -> Self {
        Collation::Page { data_ccsid: 819, order_ccsid: 37 }
    }
}

/// A collation as two tables, each the other's inverse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Order {
    pub(crate) forward: Box<[u8; 256]>,
    backward: Box<[u8; 256]>,
}

impl Order {
    /// The tables of a collation; none if the order is that of the bytes.
    ///
    /// Bytes without a counterpart in the other page get the remaining places, in their own order.
    pub(crate) fn of(collation: Collation) -> Result<Option<Order>> {
        let Collation::Page { data_ccsid, order_ccsid } = collation else { return Ok(None) };
        let page = |ccsid| {
            CodePage::by_ccsid(ccsid).ok_or_else(|| {
                Error::new(
                    ErrorKind::Misuse,
                    format!("collation: CCSID {ccsid} is not a known single-byte page"),
                )
            })
        };
        let (data, order) = (page(data_ccsid)?, page(order_ccsid)?);
        let mut forward = [None; 256];
        let mut taken = [false; 256];
        for byte in 0..=255u8 {
            let character = char::from_u32(u32::from(data.to_unicode()[usize::from(byte)]));
            let place = character.and_then(|character| order.encode_char(character));
            if let Some(place) = place.filter(|place| !taken[usize::from(*place)]) {
                forward[usize::from(byte)] = Some(place);
                taken[usize::from(place)] = true;
            }
        }
        let mut left = (0..=255u8).filter(|place| !taken[usize::from(*place)]);
        let mut whole = forward.map(|place| place.or_else(|| left.next()).unwrap_or_default());
        // Programs look for the end of a range of keys with HIGH-VALUES, whatever character it is in their
        // page.
        if let Some(last) = whole.iter().position(|place| *place == u8::MAX) {
            whole.swap(last, usize::from(u8::MAX));
        }
        Order::from_table(whole).map(Some)
    }

    /// The tables, given the place of each byte.
    ///
    /// # Errors
    /// `Corrupt` if two bytes have the same place.
    pub(crate) fn from_table(forward: [u8; 256]) -> Result<Order> {
        let mut backward = [None; 256];
        for (byte, place) in (0..=255u8).zip(forward) {
            if backward[usize::from(place)].replace(byte).is_some() {
                let message = format!("collation: two bytes have the place {place:02X}");
                return Err(Error::new(ErrorKind::Corrupt, message));
            }
        }
        let backward = backward.map(Option::unwrap_or_default);
        Ok(Order { forward: Box::new(forward), backward: Box::new(backward) })
    }

    pub(crate) fn apply(&self, key: &mut [u8]) {
        key.iter_mut().for_each(|byte| *byte = self.forward[usize::from(*byte)]);
    }

    pub(crate) fn undo(&self, key: &mut [u8]) {
        key.iter_mut().for_each(|byte| *byte = self.backward[usize::from(*byte)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(collation: Collation, keys: &[&str]) -> Vec<String> {
        let order = Order::of(collation).unwrap();
        let place = |key: &str| {
            let mut bytes = key.as_bytes().to_vec();
            if let Some(order) = &order {
                order.apply(&mut bytes);
            }
            bytes
        };
        let mut keys: Vec<String> = keys.iter().map(|key| (*key).to_string()).collect();
        keys.sort_by_key(|key| place(key));
        keys
    }

    #[test]
    fn letters_come_before_digits_in_ebcdic_order() {
        let keys = ["A1", "1A", "a1", " 1", "Z9", "-1"];
        assert_eq!(sorted(Collation::default(), &keys), [" 1", "-1", "a1", "A1", "Z9", "1A"]);
        let (low, high) = ("\0", "\u{7F}");
        let order = Order::of(Collation::default()).unwrap().unwrap();
        assert_eq!((order.forward[0], order.forward[0xFF]), (0, 0xFF), "LOW-VALUES and HIGH-VALUES");
        assert_eq!(sorted(Collation::default(), &[high, "9", low]), [low, high, "9"]);
        assert_eq!(sorted(Collation::Binary, &keys), [" 1", "-1", "1A", "A1", "Z9", "a1"]);
    }

    #[test]
    fn every_pair_of_pages_is_one_to_one() {
        for data_ccsid in CodePage::all().iter().map(CodePage::ccsid) {
            for order_ccsid in [37, 273, 500, 1047, 290, 420] {
                let order = Order::of(Collation::Page { data_ccsid, order_ccsid }).unwrap().unwrap();
                let whole: Vec<u8> = (0..=255).collect();
                let mut there_and_back = whole.clone();
                order.apply(&mut there_and_back);
                order.undo(&mut there_and_back);
                assert_eq!(there_and_back, whole, "{data_ccsid} in the order of {order_ccsid}");
            }
        }
    }

    #[test]
    fn unknown_pages_and_broken_tables_are_refused() {
        let unknown = Order::of(Collation::Page { data_ccsid: 1208, order_ccsid: 37 }).unwrap_err();
        assert_eq!(unknown.kind(), ErrorKind::Misuse);
        assert_eq!(unknown.to_string(), "collation: CCSID 1208 is not a known single-byte page");
        assert_eq!(Order::from_table([7; 256]).unwrap_err().kind(), ErrorKind::Corrupt);
    }
}
