//! Names of elements for names that XML does not allow.

use crate::characters::{is_name, is_name_character, is_name_start};

/// The name of an element for another name. A character that must not be first gets an underscore in front. A
/// character that no name may have becomes `X`, as in the web services assistants.
#[must_use]
pub fn element_name(name: &str) -> String {
    if is_name(name) {
        return name.to_owned();
    }
    let mut element: String =
        name.chars().map(|character| if is_name_character(character) { character } else { 'X' }).collect();
    if !element.chars().next().is_some_and(is_name_start) {
        element.insert(0, '_');
    }
    element
}

#[cfg(test)]
mod tests {
    use super::element_name;

    #[test]
    fn names_become_valid() {
        for (name, element) in [
            ("count_in", "count_in"),
            ("COUNT-IN", "COUNT-IN"),
            ("9A-ID", "_9A-ID"),
            ("-A", "_-A"),
            ("A#B", "AXB"),
            ("a b:c", "aXbXc"),
            ("#", "X"),
            ("", "_"),
            ("été", "été"),
        ] {
            assert_eq!(element_name(name), element);
        }
    }
}
