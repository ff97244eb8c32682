//! Symbols and their values: one by one, and in lists.

use std::collections::BTreeMap;

/// The longest name of a symbol.
const NAME_MAX_BYTES: usize = 32;

/// The default separator of the definitions in a list.
const USUAL_DELIMITER: u8 = b'&';

/// A definition that is not valid, by its place in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadSymbol {
    /// Bytes from the start of the list.
    pub at: usize,
}

/// The symbols of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    given: BTreeMap<Vec<u8>, Vec<u8>>,
    /// The values that templates have set. The values of the program override them.
    defaults: BTreeMap<Vec<u8>, Vec<u8>>,
}

/// True if this byte may separate definitions.
#[must_use]
pub fn is_delimiter(byte: u8) -> bool {
    !matches!(byte, 0 | 0x0E | 0x0F | b' ' | b'+' | b':' | b'=' | b'%' | b'\\')
}

/// True for the name of a symbol.
pub(super) fn is_name(name: &[u8]) -> bool {
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"$_-#.@".contains(byte);
    (1..=NAME_MAX_BYTES).contains(&name.len()) && name.iter().all(allowed)
}

impl Symbols {
    /// The value of a symbol.
    #[must_use]
    pub fn value(&self, name: &[u8]) -> Option<&[u8]> {
        self.given.get(name).or_else(|| self.defaults.get(name)).map(Vec::as_slice)
    }

    /// Sets the value of a symbol.
    ///
    /// # Errors
    /// The name cannot be that of a symbol.
    pub fn set(&mut self, name: &[u8], value: &[u8]) -> Result<(), BadSymbol> {
        if !is_name(name) {
            return Err(BadSymbol { at: 0 });
        }
        self.given.insert(name.to_vec(), value.to_vec());
        Ok(())
    }

    pub(super) fn set_default(&mut self, name: &[u8], value: &[u8]) {
        self.defaults.insert(name.to_vec(), value.to_vec());
    }

    /// Gives the symbols of a list their values: `name=value&name=value`. In a value `+` is a blank and `%hh`
    /// a byte, unless the list is not escaped. Either all of them are set or none.
    ///
    /// # Errors
    /// The first definition without `=`, or with a name that cannot be that of a symbol.
    pub fn set_list(
        &mut self,
        list: &[u8],
        delimiter: Option<u8>,
        is_escaped: bool,
    ) -> Result<(), BadSymbol> {
        let delimiter = delimiter.unwrap_or(USUAL_DELIMITER);
        let mut new = Vec::new();
        let mut at = 0;
        for definition in list.split(|byte| *byte == delimiter) {
            let start = at;
            at += definition.len() + 1;
            if definition.is_empty() {
                continue;
            }
            let equals = definition.iter().position(|byte| *byte == b'=').ok_or(BadSymbol { at: start })?;
            let (name, value) = (&definition[..equals], &definition[equals + 1..]);
            if !is_name(name) {
                return Err(BadSymbol { at: start });
            }
            let value = if is_escaped { unescaped(value) } else { value.to_vec() };
            new.push((name.to_vec(), value));
        }
        self.given.extend(new);
        Ok(())
    }

    /// The number of bytes of all values.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.given.iter().chain(&self.defaults).map(|(name, value)| name.len() + value.len()).sum()
    }
}

/// A value of a list.
fn unescaped(value: &[u8]) -> Vec<u8> {
    let digit = |at: usize| value.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let mut out = Vec::with_capacity(value.len());
    let mut at = 0;
    while let Some(&byte) = value.get(at) {
        match (byte, digit(at + 1), digit(at + 2)) {
            (b'+', ..) => out.push(b' '),
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 2;
            }
            _ => out.push(byte),
        }
        at += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lists_have_names_and_values() {
        let mut symbols = Symbols::default();
        symbols.set_list(b"applid=IYCQ&jobname=a+b%26c%zz&e=", None, true).expect("symbols");
        for (name, value) in [("applid", "IYCQ"), ("jobname", "a b&c%zz"), ("e", "")] {
            assert_eq!(symbols.value(name.as_bytes()), Some(value.as_bytes()), "{name}");
        }
        assert_eq!(symbols.value(b"APPLID"), None);
        symbols.set_list(b"applid=a+b&c;x=%41;", Some(b';'), false).expect("symbols");
        assert_eq!(symbols.value(b"applid"), Some(&b"a+b&c"[..]));
        assert_eq!(symbols.value(b"x"), Some(&b"%41"[..]));
        for (list, at) in [("a=1&b", 4), ("a=1&b c=2", 4), ("=1", 0), ("a=1&b&c=1", 4)] {
            assert_eq!(symbols.set_list(list.as_bytes(), None, true), Err(BadSymbol { at }), "{list}");
        }
        assert_eq!(symbols.value(b"a"), None, "a list with a fault sets nothing");
        let long = [b'a'; 33];
        assert_eq!(symbols.set(&long, b""), Err(BadSymbol { at: 0 }));
        assert_eq!(symbols.set(&long[..32], b"x"), Ok(()));
    }

    #[test]
    fn what_the_program_sets_goes_before_defaults() {
        let mut symbols = Symbols::default();
        symbols.set_default(b"a", b"default");
        assert_eq!(symbols.value(b"a"), Some(&b"default"[..]));
        symbols.set(b"a", b"given").expect("a symbol");
        symbols.set_default(b"a", b"other");
        assert_eq!(symbols.value(b"a"), Some(&b"given"[..]));
    }

    proptest! {
        #[test]
        fn any_list_is_read(list in prop::collection::vec(any::<u8>(), 0..60), delimiter: Option<u8>, is_escaped: bool) {
            let _ = Symbols::default().set_list(&list, delimiter, is_escaped);
        }
    }
}
