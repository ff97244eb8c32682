//! Pictures of dates and times: text with components in brackets (XPath's format-dateTime).

use super::super::integers::{Case, Form, IntegerPicture};
use crate::error::Error;
use crate::evaluate::Result;

pub(super) struct Picture {
    pub(super) parts: Vec<Part>,
}

pub(super) enum Part {
    Text(String),
    Component(Component),
}

pub(super) struct Component {
    /// `Y`, `M`, `D` and others.
    pub(super) letter: char,
    /// The case of names, if names are wanted.
    pub(super) names: Option<Case>,
    pub(super) integer: Option<IntegerPicture>,
    /// `t` behind the presentation: Greenwich becomes Z.
    pub(super) zulu: bool,
    pub(super) width_min: Option<usize>,
    pub(super) width_max: Option<usize>,
}

impl Picture {
    /// # Errors
    /// D3132 an unknown component, D3135 brackets that do not match, D313x a fault of a number's picture.
    pub(super) fn parse(text: &str) -> Result<Picture> {
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '[' | ']' if characters.peek() == Some(&character) => {
                    characters.next();
                    literal.push(character);
                }
                '[' => {
                    if !literal.is_empty() {
                        parts.push(Part::Text(std::mem::take(&mut literal)));
                    }
                    let mut marker = String::new();
                    loop {
                        match characters.next() {
                            Some(']') => break,
                            Some(character) if character.is_whitespace() => {}
                            Some(character) => marker.push(character),
                            None => {
                                return Err(Error::new(
                                    "D3135",
                                    format!("the picture {text:?} has a [ without its ]"),
                                ));
                            }
                        }
                    }
                    parts.push(Part::Component(Component::parse(&marker)?));
                }
                other => literal.push(other),
            }
        }
        if !literal.is_empty() {
            parts.push(Part::Text(literal));
        }
        Ok(Picture { parts })
    }
}

impl Component {
    fn parse(marker: &str) -> Result<Component> {
        let mut characters = marker.chars();
        let letter = characters.next().unwrap_or(' ');
        let (presentation, width) = match characters.as_str().rsplit_once(',') {
            Some((presentation, width)) => (presentation, Some(width)),
            None => (characters.as_str(), None),
        };
        let default = match letter {
            'Y' | 'M' | 'D' | 'd' | 'W' | 'w' | 'X' | 'x' | 'H' | 'h' | 'f' => "1",
            'm' | 's' => "01",
            'F' | 'P' | 'C' | 'E' => "n",
            'Z' | 'z' => "01:01",
            _ => return Err(Error::new("D3132", format!("[{marker}] is not a component of a date or time"))),
        };
        let (presentation, modifier) = match presentation.char_indices().last() {
            Some((at, modifier)) if at > 0 && "atco".contains(modifier) => {
                (&presentation[..at], Some(modifier))
            }
            _ => (presentation, None),
        };
        let presentation = if presentation.is_empty() { default } else { presentation };
        let (width_min, width_max) = widths(width)?;
        let names = match presentation {
            "n" => Some(Case::Lower),
            "N" => Some(Case::Upper),
            "Nn" => Some(Case::Title),
            _ => None,
        };
        if names.is_some() && !"MxFPCE".contains(letter) {
            return Err(Error::new("D3133", format!("[{marker}]: this component has no name")));
        }
        let mut integer = None;
        if names.is_none() {
            let ordinal = if modifier == Some('o') { ";o" } else { "" };
            integer = Some(IntegerPicture::parse(&format!("{presentation}{ordinal}"))?);
        }
        if let (Some(IntegerPicture { form: Form::Decimal(digits), .. }), Some(least)) =
            (&mut integer, width_min)
        {
            digits.mandatory = digits.mandatory.max(least.min(38));
        }
        Ok(Component { letter, names, integer, zulu: modifier == Some('t'), width_min, width_max })
    }
}

/// `least-most`, each a number or `*`.
fn widths(text: Option<&str>) -> Result<(Option<usize>, Option<usize>)> {
    let Some(text) = text else { return Ok((None, None)) };
    let (least, most) = match text.split_once('-') {
        Some((least, most)) => (least, Some(most)),
        None => (text, None),
    };
    let number = |text: &str| match text {
        "*" => Ok(None),
        digits => digits
            .parse()
            .map(Some)
            .map_err(|_| Error::new("D3132", format!("a width must be a number or *, found {digits:?}"))),
    };
    Ok((number(least)?, most.map_or(Ok(None), number)?))
}
