//! The small part of DER (X.690) that is needed to read names and times in a certificate.

/// A value with its tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item<'d> {
    pub(crate) tag: u8,
    pub(crate) content: &'d [u8],
}

/// Reads items one after another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Der<'d>(pub(crate) &'d [u8]);

impl<'d> Der<'d> {
    /// The next item. None at the end, or if the next item's tag has several bytes or its length is
    /// not definite.
    pub(crate) fn next(&mut self) -> Option<Item<'d>> {
        let (&tag, rest) = self.0.split_first()?;
        let (&first, rest) = rest.split_first()?;
        // Certificates have no tags of several bytes.
        if tag & 0x1F == 0x1F {
            return None;
        }
        let (length, rest) = match first {
            0..=0x7F => (usize::from(first), rest),
            0x81..=0x84 => {
                let (bytes, rest) = rest.split_at_checked(usize::from(first & 0x7F))?;
                (bytes.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)), rest)
            }
            _ => return None,
        };
        let (content, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some(Item { tag, content })
    }

    /// The content of the next item, which must have this tag.
    pub(crate) fn expect(&mut self, tag: u8) -> Option<&'d [u8]> {
        self.next().filter(|item| item.tag == tag).map(|item| item.content)
    }
}

/// SEQUENCE.
pub(crate) const SEQUENCE: u8 = 0x30;
/// `[0]` around the version of a certificate.
const VERSION: u8 = 0xA0;

/// The fields of a certificate behind its version: serial number, algorithm, issuer, validity, subject and others (RFC 5280,
/// 4.1).
pub(crate) fn fields_of(certificate: &[u8]) -> Option<Der<'_>> {
    let mut signed = Der(Der(certificate).expect(SEQUENCE)?);
    let mut fields = Der(signed.expect(SEQUENCE)?);
    let mut after_version = fields;
    if after_version.next()?.tag == VERSION {
        fields = after_version;
    }
    Some(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_both_forms() {
        let mut der = Der(&[0x04, 1, 9, 0x30, 0x81, 2, 7, 8]);
        assert_eq!(der.expect(0x04), Some(&[9][..]));
        assert_eq!(der.next(), Some(Item { tag: 0x30, content: &[7, 8] }));
        assert_eq!(der.next(), None);
        for bad in
            [&[0x30][..], &[0x30, 2, 1], &[0x30, 0x80, 0, 0], &[0x30, 0x85, 0, 0, 0, 0, 1, 1], &[0x1F, 1, 1]]
        {
            assert_eq!(Der(bad).next(), None, "{bad:?}");
        }
    }
}
