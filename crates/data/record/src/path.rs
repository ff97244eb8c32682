//! The place of a value as a path of JSON names: `order.items[2].price`.

use std::fmt;

/// The path below an enclosing object.
#[must_use]
pub fn within(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        inner if inner.starts_with('[') => format!("{name}{inner}"),
        inner => format!("{name}.{inner}"),
    }
}

/// The path below a row, which counts from 0.
#[must_use]
pub fn within_row(path: &str, row: usize) -> String {
    let separator = if path.is_empty() || path.starts_with('[') { "" } else { "." };
    format!("[{row}]{separator}{path}")
}

/// Writes a message with its path, and with line and column if text was read.
///
/// # Errors
/// The formatter does not take it.
pub fn write_place(
    f: &mut fmt::Formatter<'_>,
    path: &str,
    message: &str,
    position: Option<(usize, usize)>,
) -> fmt::Result {
    if !path.is_empty() {
        write!(f, "{path}: ")?;
    }
    f.write_str(message)?;
    match position {
        Some((line, column)) => write!(f, " (line {line}, column {column})"),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_grow_from_the_inside() {
        assert_eq!(within("", "price"), "price");
        assert_eq!(within(&within_row("price", 2), "items"), "items[2].price");
        assert_eq!(within_row(&within_row("", 1), 0), "[0][1]");
    }
}
