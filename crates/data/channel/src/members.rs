//! The members of one JSON object as they stand in a text, for schemas and for values that others read.

use std::borrow::Cow;

use record::JsonCursor;

use crate::error::Error;

/// A member's name and its value's text.
pub(crate) struct RawMember<'t> {
    pub(crate) name: Cow<'t, str>,
    pub(crate) value: &'t str,
    /// Bytes of the text before the value.
    pub(crate) offset: usize,
}

/// The members of the object that a text is, in their order.
///
/// # Errors
/// The text is not JSON, or not an object.
pub(crate) fn of(text: &str) -> Result<Vec<RawMember<'_>>, Error> {
    let mut cursor = JsonCursor::new(text);
    let mut found = Vec::new();
    cursor.expect(b'{')?;
    if !cursor.take(b'}') {
        loop {
            let name = cursor.string()?;
            cursor.expect(b':')?;
            cursor.peek();
            let offset = cursor.at();
            cursor.skip_value(1)?;
            found.push(RawMember { name, value: &text[offset..cursor.at()], offset });
            if !cursor.take(b',') {
                cursor.expect(b'}')?;
                break;
            }
        }
    }
    match cursor.peek() {
        None => Ok(found),
        Some(_) => Err(cursor.unexpected("the end of the text").into()),
    }
}

/// A member of that name.
pub(crate) fn get<'m, 't>(members: &'m [RawMember<'t>], name: &str) -> Option<&'m RawMember<'t>> {
    members.iter().find(|member| member.name == name)
}

/// The string that a JSON text holds, if it is a string.
pub(crate) fn as_text(value: &str) -> Option<Cow<'_, str>> {
    JsonCursor::new(value).string().ok()
}
