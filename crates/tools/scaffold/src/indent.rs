//! JSON with lines and indents.

/// JSON without spaces as people read it: a member or an element a line. Numbers and the order of members stay as they are.
pub(crate) fn indented(json: &str) -> String {
    let (mut out, mut depth, mut in_text) = (String::with_capacity(json.len() * 2), 0_usize, false);
    let mut characters = json.chars().peekable();
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    };
    while let Some(found) = characters.next() {
        out.push(found);
        match found {
            '\\' if in_text => out.extend(characters.next()),
            '"' => in_text = !in_text,
            _ if in_text => {}
            '{' | '[' => {
                if let Some(close @ ('}' | ']')) = characters.peek() {
                    out.push(*close);
                    characters.next();
                } else {
                    depth += 1;
                    line(&mut out, depth);
                }
            }
            '}' | ']' => {
                out.pop();
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(found);
            }
            ',' => line(&mut out, depth),
            ':' => out.push(' '),
            _ => {}
        }
    }
    out + "\n"
}

#[cfg(test)]
mod tests {
    use super::indented;

    #[test]
    fn json_gets_lines_and_keeps_its_values() {
        let json = r#"{"a":{},"b":[1.50,"x,{\"y\":1}"],"c":{"d":[]}}"#;
        let expected = "{\n  \"a\": {},\n  \"b\": [\n    1.50,\n    \"x,{\\\"y\\\":1}\"\n  ],\n  \"c\": {\n    \"d\": []\n  }\n}\n";
        assert_eq!(indented(json), expected);
    }
}
