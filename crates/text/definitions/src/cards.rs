//! Lines of card images. Columns 73 to 80 have sequence numbers, which are not part of the text.

/// The last column of a command.
pub(crate) const COMMAND_COLUMNS: usize = 72;
/// The columns of a card.
const CARD_COLUMNS: usize = 80;

/// A line, and its number in the file, from 1.
pub(crate) type Line<'t> = (usize, &'t str);

/// The lines of a text.
pub(crate) fn lines(text: &str) -> Vec<Line<'_>> {
    text.lines().enumerate().map(|(at, line)| (at + 1, line)).collect()
}

/// A line without its sequence number and without blanks at its end.
pub(crate) fn card(line: &str) -> &str {
    let Some((at, _)) = line.char_indices().nth(COMMAND_COLUMNS) else { return line.trim_end() };
    let (card, rest) = line.split_at(at);
    let is_number = rest.trim().bytes().all(|byte| byte.is_ascii_alphanumeric())
        && rest.chars().count() <= CARD_COLUMNS - COMMAND_COLUMNS
        && rest.bytes().any(|byte| byte.is_ascii_digit());
    if is_number { card.trim_end() } else { line.trim_end() }
}

/// True if a line is full, so that a word may continue in the next one.
pub(crate) fn is_full(card: &str) -> bool {
    card.chars().count() >= COMMAND_COLUMNS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_numbers_are_no_text() {
        let text = format!("{:<72}00010000", " DEFINE X");
        assert_eq!(card(&text), " DEFINE X");
        assert_eq!(card("short  "), "short");
        let long = format!("{:<72}(more than a card, and no number)", "WSDIR");
        assert_eq!(card(&long), long);
        assert!(is_full(&"x".repeat(72)) && !is_full("x"));
    }
}
