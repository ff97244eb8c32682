//! Operands of a macro: keywords with their values.

use crate::Fault;
use crate::statements::Statement;

/// The operands of one macro.
pub(crate) struct Operands<'s> {
    line: usize,
    operation: &'s str,
    /// Keywords in capitals, and values as they are written.
    values: Vec<(String, &'s str)>,
}

impl<'s> Operands<'s> {
    /// Splits the operands of a statement.
    ///
    /// # Errors
    /// An operand has no keyword, stands there twice, or its parentheses do not match.
    pub(crate) fn of(statement: &'s Statement) -> Result<Self, Fault> {
        let mut found = Self { line: statement.line, operation: &statement.operation, values: Vec::new() };
        for operand in split(&statement.operands) {
            let operand = operand.map_err(|message| found.fault(message))?;
            if operand.is_empty() {
                continue;
            }
            let Some((keyword, value)) = operand.split_once('=') else {
                return Err(found.fault(format!("expected KEYWORD=VALUE, found {operand}")));
            };
            let keyword = keyword.to_ascii_uppercase();
            if found.value(&keyword).is_some() {
                return Err(found.fault(format!("the operand {keyword} is there twice")));
            }
            found.values.push((keyword, value));
        }
        Ok(found)
    }

    /// A fault of this macro.
    pub(crate) fn fault(&self, message: impl Into<String>) -> Fault {
        Fault { line: self.line, message: format!("{}: {}", self.operation, message.into()) }
    }

    /// The value of a keyword, as it is written.
    pub(crate) fn value(&self, keyword: &str) -> Option<&'s str> {
        self.values.iter().find(|(name, _)| name == keyword).map(|(_, value)| *value)
    }

    /// The words of a value, in capitals: one, or several in parentheses.
    pub(crate) fn words(&self, keyword: &str) -> Option<Vec<String>> {
        let value = self.value(keyword)?;
        let inner = value.strip_prefix('(').and_then(|value| value.strip_suffix(')')).unwrap_or(value);
        Some(inner.split(',').map(|word| word.trim().to_ascii_uppercase()).collect())
    }

    /// The only word of a value, in capitals.
    ///
    /// # Errors
    /// There are several.
    pub(crate) fn word(&self, keyword: &str) -> Result<Option<String>, Fault> {
        match self.words(keyword) {
            None => Ok(None),
            Some(mut words) if words.len() == 1 => Ok(words.pop()),
            Some(words) => {
                Err(self.fault(format!("{keyword}: expected one word, found ({})", words.join(","))))
            }
        }
    }

    /// A word of a list of choices.
    ///
    /// # Errors
    /// The value is none of them.
    pub(crate) fn choice<T: Copy>(&self, keyword: &str, choices: &[(&str, T)]) -> Result<Option<T>, Fault> {
        let Some(word) = self.word(keyword)? else { return Ok(None) };
        match choices.iter().find(|(name, _)| *name == word) {
            Some((_, choice)) => Ok(Some(*choice)),
            None => {
                let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
                Err(self.fault(format!("{keyword}: expected {}, found {word}", names.join(" or "))))
            }
        }
    }

    /// A number within limits.
    ///
    /// # Errors
    /// The value is not a number, or is beyond the limit.
    pub(crate) fn number(&self, keyword: &str, (name, most): (&str, usize)) -> Result<Option<usize>, Fault> {
        let Some(word) = self.word(keyword)? else { return Ok(None) };
        let number: usize =
            word.parse().map_err(|_| self.fault(format!("{keyword}: expected a number, found {word}")))?;
        if number > most {
            return Err(self.fault(format!("{keyword}: expected at most {most} ({name}), found {number}")));
        }
        Ok(Some(number))
    }

    /// A text in quotation marks, without them.
    ///
    /// # Errors
    /// The value has no quotation marks.
    pub(crate) fn quoted(&self, keyword: &str) -> Result<Option<String>, Fault> {
        let Some(value) = self.value(keyword) else { return Ok(None) };
        let inner = value.strip_prefix('\'').and_then(|value| value.strip_suffix('\'')).ok_or_else(|| {
            self.fault(format!("{keyword}: expected a text in quotation marks, found {value}"))
        })?;
        Ok(Some(inner.replace("''", "'").replace("&&", "&")))
    }
}

/// The operands between commas. Commas in parentheses and quotation marks belong to an operand.
fn split(text: &str) -> impl Iterator<Item = Result<&str, String>> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let (mut depth, mut quoted) = (0_usize, false);
        for (at, character) in text.char_indices() {
            match character {
                '\'' => quoted = !quoted,
                _ if quoted => {}
                '(' => depth += 1,
                ')' if depth == 0 => {
                    rest = None;
                    return Some(Err("a closing parenthesis without an opening one".to_owned()));
                }
                ')' => depth -= 1,
                ',' if depth == 0 => {
                    rest = Some(&text[at + 1..]);
                    return Some(Ok(&text[..at]));
                }
                _ => {}
            }
        }
        rest = None;
        match depth {
            0 => Some(Ok(text)),
            _ => Some(Err(format!("expected a closing parenthesis in {text}"))),
        }
    })
}
