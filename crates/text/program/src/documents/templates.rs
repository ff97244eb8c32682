//! Templates: text with `&symbol;`, and with the commands `#set`, `#echo` and `#include` of server-side includes.

use super::symbols::{Symbols, is_name};

/// The most levels of templates that include each other.
pub const TEMPLATE_LEVELS_MAX: usize = 32;

/// The most templates that one template may include, directly or through others.
pub const TEMPLATE_INCLUDES_MAX: usize = 10_000;

/// The longest name of a template.
const TEMPLATE_NAME_MAX_BYTES: usize = 48;

/// The reason why a template cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadTemplate {
    /// The text at this byte of its template is not a valid command.
    Command {
        /// Bytes from the start of the template.
        at: usize,
    },
    /// Templates include each other on too many levels, or too often.
    TooDeep,
    /// A template does not exist.
    Missing,
    /// The text is longer than a document may be.
    TooLong,
}

/// A command of a template.
enum Embedded<'t> {
    Set(&'t [u8], &'t [u8]),
    Echo(&'t [u8]),
    Include(&'t [u8]),
}

const START: &[u8] = b"<!--#";
const END: &[u8] = b"-->";

/// The text of a template with its symbols replaced. The values of `#set` are kept among the symbols. Other
/// templates come from the function, and the length of the text is limited.
///
/// # Errors
/// The template, or one that it includes, cannot be used.
pub fn fill(
    template: &[u8],
    symbols: &mut Symbols,
    other: &mut dyn FnMut(&[u8]) -> Option<Vec<u8>>,
    most: usize,
) -> Result<Vec<u8>, BadTemplate> {
    let mut out = Vec::with_capacity(template.len());
    Filling { symbols, other, most, includes: 0 }.fill(template, 0, &mut out)?;
    Ok(out)
}

struct Filling<'f> {
    symbols: &'f mut Symbols,
    other: &'f mut dyn FnMut(&[u8]) -> Option<Vec<u8>>,
    most: usize,
    includes: usize,
}

impl Filling<'_> {
    fn fill(&mut self, template: &[u8], level: usize, out: &mut Vec<u8>) -> Result<(), BadTemplate> {
        self.includes += 1;
        if level > TEMPLATE_LEVELS_MAX || self.includes > TEMPLATE_INCLUDES_MAX + 1 {
            return Err(BadTemplate::TooDeep);
        }
        // A default holds for the whole template. If there are several, the last one counts.
        for_each_command(template, |_, command| {
            if let Embedded::Set(name, value) = command {
                self.symbols.set_default(name, value);
            }
            Ok(())
        })?;
        let mut copied = 0;
        let mut includes = Vec::new();
        for_each_command(template, |span, command| {
            includes.push((span, command));
            Ok(())
        })?;
        for (span, command) in includes {
            self.text(&template[copied..span.start], out)?;
            copied = span.end;
            match command {
                Embedded::Set(..) => {}
                Embedded::Echo(name) => match self.symbols.value(name) {
                    Some(value) => self.add(value.to_vec().as_slice(), out)?,
                    // The reference stays, because the document has no value for it.
                    None => self.add(&template[span], out)?,
                },
                Embedded::Include(name) => {
                    let included = (self.other)(name).ok_or(BadTemplate::Missing)?;
                    self.fill(&included, level + 1, out)?;
                }
            }
        }
        self.text(&template[copied..], out)
    }

    /// Text with its references to symbols replaced.
    fn text(&self, text: &[u8], out: &mut Vec<u8>) -> Result<(), BadTemplate> {
        let mut rest = text;
        while let Some(amp) = rest.iter().position(|byte| *byte == b'&') {
            self.add(&rest[..amp], out)?;
            rest = &rest[amp..];
            let name = rest[1..].iter().position(|byte| *byte == b';').map(|end| &rest[1..=end]);
            match name.filter(|name| is_name(name)).and_then(|name| Some((name, self.symbols.value(name)?))) {
                Some((name, value)) => {
                    self.add(value, out)?;
                    rest = &rest[name.len() + 2..];
                }
                None => {
                    self.add(b"&", out)?;
                    rest = &rest[1..];
                }
            }
        }
        self.add(rest, out)
    }

    fn add(&self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), BadTemplate> {
        if out.len() + bytes.len() > self.most {
            return Err(BadTemplate::TooLong);
        }
        out.extend_from_slice(bytes);
        Ok(())
    }
}

/// Finds the commands of a template, with their places. Other server-side includes are text.
fn for_each_command<'t>(
    template: &'t [u8],
    mut found: impl FnMut(std::ops::Range<usize>, Embedded<'t>) -> Result<(), BadTemplate>,
) -> Result<(), BadTemplate> {
    let mut at = 0;
    while let Some(start) = super::find(&template[at..], START).map(|start| at + start) {
        let inside = &template[start + START.len()..];
        let length = inside.iter().position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(inside.len());
        let (word, rest) = inside.split_at(length);
        let names: &[&[u8]] = match word {
            b"set" => &[b"var", b"value"],
            b"echo" => &[b"var"],
            b"include" => &[b"template"],
            _ => {
                at = start + START.len();
                continue;
            }
        };
        let bad = BadTemplate::Command { at: start };
        let (values, after) = parameters(rest, names).ok_or(bad)?;
        let is_fit = match word {
            b"include" => (1..=TEMPLATE_NAME_MAX_BYTES).contains(&values[0].len()),
            _ => is_name(values[0]),
        };
        if !is_fit {
            return Err(bad);
        }
        let end = template.len() - after.len();
        let command = match word {
            b"set" => Embedded::Set(values[0], values[1]),
            b"echo" => Embedded::Echo(values[0]),
            _ => Embedded::Include(values[0]),
        };
        found(start..end, command)?;
        at = end;
    }
    Ok(())
}

/// The values of these parameters in their order, with or without quotes, and the text after the end of the
/// command.
fn parameters<'t>(mut rest: &'t [u8], names: &[&[u8]]) -> Option<(Vec<&'t [u8]>, &'t [u8])> {
    let mut values = Vec::new();
    for name in names {
        let spaces = rest.len() - rest.trim_ascii_start().len();
        if spaces == 0 {
            return None;
        }
        rest = rest.trim_ascii_start().strip_prefix(*name)?.trim_ascii_start();
        rest = rest.strip_prefix(b"=")?.trim_ascii_start();
        let quote = *rest.first()?;
        let value;
        if matches!(quote, b'\'' | b'"') {
            let end = rest[1..].iter().position(|byte| *byte == quote)?;
            (value, rest) = (&rest[1..=end], &rest[end + 2..]);
        } else {
            let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
            let end = super::find(rest, END).unwrap_or(rest.len()).min(end);
            (value, rest) = rest.split_at(end);
        }
        values.push(value);
    }
    let rest = rest.trim_ascii_start().strip_prefix(END)?;
    Some((values, rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MOST: usize = 1_000_000;

    fn filled(template: &str, list: &str) -> Result<String, BadTemplate> {
        let mut symbols = Symbols::default();
        symbols.set_list(list.as_bytes(), None, true).expect("symbols");
        let mut other = |name: &[u8]| match name {
            b"inner" => Some(b"[&A; <!--#set var=B value=inner-->&B;]".to_vec()),
            b"twice" => Some(b"<!--#include template=twice2--><!--#include template=twice2-->".to_vec()),
            b"twice2" => Some(b"<!--#include template=inner-->".repeat(TEMPLATE_INCLUDES_MAX / 2)),
            b"self" => Some(b"<!--#include template=self-->".to_vec()),
            _ => None,
        };
        let text = fill(template.as_bytes(), &mut symbols, &mut other, MOST)?;
        Ok(String::from_utf8(text).expect("text"))
    }

    #[test]
    fn symbols_are_replaced() {
        for (template, list, expected) in [
            ("Your order number is &ORDER_NUMBER;.", "ORDER_NUMBER=0012345", "Your order number is 0012345."),
            ("&a;&a;& &b; &amp; &", "a=1", "11& &b; &amp; &"),
            ("This is the <!--#echo var=ASYM--> symbol.", "ASYM=new", "This is the new symbol."),
            ("This is the <!--#echo var=ASYM--> symbol.", "", "This is the <!--#echo var=ASYM--> symbol."),
            ("<!--#set var=ASYM value='first'-->&ASYM;", "", "first"),
            ("<!--#set var=ASYM value='first'-->&ASYM;", "ASYM=mine", "mine"),
            ("&A;<!--#set var=A value=x--><!--#set var='A' value = \"a b-->\" -->", "", "a b-->"),
            ("<!-- #set --><!--#exec cmd=x-->&A;", "A=&", "<!-- #set --><!--#exec cmd=x-->"),
            ("<!--#include template=inner-->&B;", "A=1", "[1 inner]inner"),
            ("<!--#include template=\"inner\" -->", "A=1&B=2", "[1 2]"),
            ("&A;", "A=%26B;&B=no", "&B;"),
        ] {
            assert_eq!(filled(template, list).as_deref(), Ok(expected), "{template}");
        }
    }

    #[test]
    fn bad_templates_are_told() {
        for (template, expected) in [
            ("ab<!--#echo-->", BadTemplate::Command { at: 2 }),
            ("<!--#echo var=A", BadTemplate::Command { at: 0 }),
            ("<!--#set var=A-->", BadTemplate::Command { at: 0 }),
            ("<!--#set value=1 var=A-->", BadTemplate::Command { at: 0 }),
            ("<!--#set var=A value='x-->", BadTemplate::Command { at: 0 }),
            ("<!--#echo var='A B'-->", BadTemplate::Command { at: 0 }),
            ("<!--#include template=''-->", BadTemplate::Command { at: 0 }),
            ("<!--#include template=none-->", BadTemplate::Missing),
            ("<!--#include template=self-->", BadTemplate::TooDeep),
            ("<!--#include template=twice-->", BadTemplate::TooDeep),
        ] {
            assert_eq!(filled(template, ""), Err(expected), "{template}");
        }
        assert_eq!(filled(&"x".repeat(MOST + 1), ""), Err(BadTemplate::TooLong));
    }

    proptest! {
        #[test]
        fn any_template_is_read(template in "(<!--#(set|echo|include)|var|value|template|=|'|\"| |-->|&|;|A|inner|self){0,14}") {
            let _ = filled(&template, "A=1");
        }
    }
}
