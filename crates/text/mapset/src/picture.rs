//! PICIN and PICOUT: which characters they may have, and how many bytes they are.

/// The characters of PICIN and PICOUT, besides digits in parentheses.
const ALLOWED: &str = "ABCDEGNPRSVXZ09,.+-$*/";

/// The bytes of data with this picture.
///
/// # Errors
/// The picture has other characters than pictures have, or its parentheses are wrong.
pub(crate) fn bytes(picture: &str) -> Result<usize, String> {
    let mut bytes = 0_usize;
    let mut rest = picture;
    while let Some(symbol) = rest.chars().next() {
        let upper = symbol.to_ascii_uppercase();
        if !ALLOWED.contains(upper) {
            return Err(format!("expected a picture of COBOL, found {symbol} in '{picture}'"));
        }
        rest = &rest[symbol.len_utf8()..];
        let mut count = 1;
        if let Some(inner) = rest.strip_prefix('(') {
            let (digits, behind) = inner
                .split_once(')')
                .ok_or_else(|| format!("expected a closing parenthesis in '{picture}'"))?;
            count =
                digits.parse::<u16>().map(usize::from).ok().filter(|count| *count > 0).ok_or_else(|| {
                    format!("expected a count in parentheses, found {digits} in '{picture}'")
                })?;
            rest = behind;
        }
        let width = match upper {
            // A sign without SIGN SEPARATE, an assumed point, and places that are not stored.
            'S' | 'V' | 'P' => 0,
            'G' | 'N' => 2,
            _ => 1,
        };
        bytes += count * width;
    }
    match bytes {
        0 => Err(format!("expected a picture of COBOL, found '{picture}'")),
        bytes => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn pictures_have_the_bytes_of_cobol() {
        assert_eq!(bytes("X(8)"), Ok(8));
        assert_eq!(bytes("+ZZZ,ZZZ,ZZZ.99"), Ok(15));
        assert_eq!(bytes("$,$$0.00"), Ok(8));
        assert_eq!(bytes("S9(5)V99"), Ok(7));
        assert_eq!(bytes("9(3)CR"), Ok(5));
        assert_eq!(bytes("G(4)"), Ok(8));
    }

    #[test]
    fn anything_else_is_refused() {
        for picture in ["", "X(", "X(0)", "X(99999)", "Y", "X Y", "X. 01 A", "V"] {
            assert!(bytes(picture).is_err(), "{picture}");
        }
    }
}
