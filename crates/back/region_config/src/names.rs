//! Names of programs, transactions, channels and containers, as they may be written.

use wire::{Name, name};

/// The name of a channel or a container.
pub(crate) fn container_name(text: &str) -> Result<Name<16>, String> {
    check_length("name of a channel or container", text, 16)?;
    Ok(name(text))
}

pub(crate) fn check_length(what: &str, text: &str, most: usize) -> Result<(), String> {
    let fits = (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
    match fits {
        true => Ok(()),
        false => Err(format!("expected a {what} of 1 to {most} characters without blanks, found '{text}'")),
    }
}

pub(crate) fn checked<const N: usize>(what: &str, text: &str) -> Result<Name<N>, String> {
    check_length(what, text, N)?;
    Ok(name(text))
}
