//! The line of a record, made from the JSON that the bind wrote: both are in the order of the plan, so that the one is
//! written while the other is read.

use super::{CsvPlan, Node, separate};
use crate::cursor::{Cursor, Scalar, unescape};

/// How much is copied at once; only the first bytes count.
const WINDOW_BYTES: usize = 32;

impl CsvPlan {
    /// Appends the line of names.
    pub(crate) fn write_header(&self, out: &mut Vec<u8>) {
        for (column, name) in self.names.iter().enumerate() {
            separate(column, out);
            write_cell(name.as_bytes(), out);
        }
        out.extend_from_slice(b"\r\n");
    }

    /// Appends the line of a record, from the JSON that the bind wrote.
    pub(crate) fn write_row(&self, json: &[u8], out: &mut Vec<u8>) {
        let start = out.len();
        // A comma stands behind each cell, until the last one's is taken away.
        Line { cursor: Cursor::new(json), out }.node(&self.root);
        if !self.names.is_empty() {
            out.pop();
        }
        // A line without a character is not a row to most readers.
        if out.len() == start && self.names.len() == 1 {
            out.extend_from_slice(b"\"\"");
        }
        out.extend_from_slice(b"\r\n");
    }
}

/// A line while it is written.
struct Line<'j, 'o> {
    cursor: Cursor<'j>,
    out: &'o mut Vec<u8>,
}

impl Line<'_, '_> {
    /// Writes the cells of the value that is next.
    fn node(&mut self, node: &Node) {
        match node {
            Node::Value { .. } => self.value(),
            Node::View { inner, .. } => {
                self.out.extend_from_slice(b"true,");
                self.node(inner);
            }
            Node::Object(members) => {
                // Members come in the order of the plan; those that were left out have empty cells.
                let mut next = members.as_slice();
                let mut is_open = self.cursor.take(b'{');
                if !is_open {
                    self.cursor.skip();
                }
                while is_open {
                    let rest = self.cursor.rest();
                    let rest = rest.strip_prefix(b",").unwrap_or(rest);
                    if let Some((member, after)) = next.split_first()
                        && member.starts(rest)
                    {
                        self.cursor.pass(self.cursor.rest().len() - rest.len() + member.key.len());
                        self.node(&member.node);
                        next = after;
                        continue;
                    }
                    let Some(name) = self.cursor.member() else {
                        is_open = false;
                        continue;
                    };
                    match next.iter().position(|member| member.name() == name) {
                        Some(at) => {
                            next[..at].iter().for_each(|member| self.empty(member.columns));
                            self.node(&next[at].node);
                            next = &next[at + 1..];
                        }
                        None => self.cursor.skip(),
                    }
                }
                next.iter().for_each(|member| self.empty(member.columns));
            }
            Node::Rows { count, rows, columns } => {
                if !self.cursor.take(b'[') {
                    self.cursor.skip();
                    self.empty(usize::from(count.is_some()) + rows.len() * columns);
                    return;
                }
                let start = self.out.len();
                let mut found = 0;
                while self.cursor.element() {
                    match rows.get(found) {
                        Some(row) => self.node(row),
                        None => self.cursor.skip(),
                    }
                    found += 1;
                }
                self.empty(rows.len().saturating_sub(found) * columns);
                if count.is_some() {
                    self.out.splice(start..start, format!("{found},").into_bytes());
                }
            }
        }
    }

    fn empty(&mut self, cells: usize) {
        self.out.resize(self.out.len() + cells, b',');
    }

    /// Writes the cell of the value that is next, and a comma.
    #[inline]
    fn value(&mut self) {
        let rest = self.cursor.rest();
        // Text that JSON does not escape may hold a comma, but no quote and no line end.
        if let Some(text) = rest.strip_prefix(b"\"") {
            let plain = plain_length(text);
            if text.get(plain) == Some(&b'"') {
                self.cursor.pass(plain + 2);
                return self.copy(text, plain);
            }
        } else if !rest.starts_with(b"n") {
            let length =
                rest.iter().position(|byte| matches!(byte, b',' | b'}' | b']')).unwrap_or(rest.len());
            self.cursor.pass(length);
            return self.copy(rest, length);
        }
        self.odd_value();
    }

    /// The same of text with escapes or commas, and of null.
    #[cold]
    fn odd_value(&mut self) {
        match self.cursor.scalar() {
            Scalar::Null => {}
            Scalar::Bare(bare) => self.out.extend_from_slice(bare),
            Scalar::Text(text) => {
                let mut plain = Vec::new();
                unescape(text, &mut plain);
                write_cell(&plain, self.out);
            }
        }
        self.out.push(b',');
    }

    /// Writes the first bytes of a slice, and a comma.
    #[inline]
    fn copy(&mut self, bytes: &[u8], length: usize) {
        let end = self.out.len() + length;
        match bytes.first_chunk::<WINDOW_BYTES>() {
            Some(window) if length <= WINDOW_BYTES => self.out.extend_from_slice(window),
            _ => self.out.extend_from_slice(&bytes[..length]),
        }
        self.out.truncate(end);
        self.out.push(b',');
    }
}

/// How many bytes there are before the first quote, backslash or comma, or in all.
#[inline]
fn plain_length(text: &[u8]) -> usize {
    let (words, rest) = text.as_chunks::<8>();
    for (number, word) in words.iter().enumerate() {
        let found = marks(u64::from_le_bytes(*word));
        if found != 0 {
            return number * 8 + found.trailing_zeros() as usize / 8;
        }
    }
    let end = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | b','));
    words.len() * 8 + end.unwrap_or(rest.len())
}

/// Sets the highest bit of each byte of a word that is a quote, a backslash or a comma. Bytes above the first one may be
/// marked falsely, by a borrow from it.
#[inline]
fn marks(word: u64) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH_BITS: u64 = ONES << 7;
    let is = |wanted: u8| {
        let others = word ^ (ONES * u64::from(wanted));
        others.wrapping_sub(ONES) & !others
    };
    (is(b'"') | is(b'\\') | is(b',')) & HIGH_BITS
}

/// Writes a cell, in quotes if it holds what separates cells and rows.
fn write_cell(text: &[u8], out: &mut Vec<u8>) {
    let special = memchr::memchr3(b',', b'"', b'\n', text).or_else(|| memchr::memchr(b'\r', text));
    if special.is_none() {
        out.extend_from_slice(text);
        return;
    }
    out.push(b'"');
    for part in text.split_inclusive(|byte| *byte == b'"') {
        out.extend_from_slice(part);
        if part.last() == Some(&b'"') {
            out.push(b'"');
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use copybook::Layout;
    use proptest::prelude::*;
    use record::{Bind, Options};
    use serde_json::Value;

    use super::{CsvPlan, plain_length};

    const COPYBOOK: &str = "01 R. 05 A PIC X(40). 05 G. 10 B PIC S9(5)V99. 10 C PIC X(3). 05 N PIC 9.
        05 T PIC X(8) OCCURS 3. 05 U OCCURS 0 TO 4 DEPENDING ON N. 10 D PIC X(9). 10 E PIC 9(4). 05 Z PIC X(5).";

    fn plan(copybook: &str) -> CsvPlan {
        let options = copybook::Options { format: copybook::Format::Free, ..copybook::Options::default() };
        let layout: Layout = copybook::parse("R", copybook, &options).expect("a copybook").layouts.remove(0);
        let page = codepage::CodePage::by_ccsid(37).expect("CCSID 37");
        CsvPlan::new(&Bind::compile(&layout, &Options::new(page)).expect("a bind")).expect("a plan")
    }

    /// The cell of a column, found by its name.
    fn cell(json: &Value, name: &str) -> String {
        let mut value = json;
        for part in name.split('.') {
            let (member, row) =
                part.split_once('[').map_or((part, None), |(member, row)| (member, Some(row)));
            value = &value[member];
            match row.map(|row| row.trim_end_matches(']')) {
                None => {}
                Some("") => return value.as_array().map_or(String::new(), |rows| rows.len().to_string()),
                Some(row) => value = &value[row.parse::<usize>().expect("a row")],
            }
        }
        match value {
            Value::Null => String::new(),
            Value::String(text) if text.contains([',', '"', '\n', '\r']) => {
                format!("\"{}\"", text.replace('"', "\"\""))
            }
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }

    #[track_caller]
    fn check(plan: &CsvPlan, json: &Value) {
        let cells: Vec<String> = plan.names().iter().map(|name| cell(json, name)).collect();
        let mut line = b"before".to_vec();
        plan.write_row(json.to_string().as_bytes(), &mut line);
        assert_eq!(String::from_utf8_lossy(&line), format!("before{}\r\n", cells.join(",")), "{json}");
    }

    #[test]
    fn members_may_be_left_out_and_unknown_ones_are_passed_over() {
        let plan = plan(COPYBOOK);
        for json in [
            r#"{}"#,
            r#"{"a":"x","z":"y"}"#,
            r#"{"z":"y"}"#,
            r#"{"g":null,"t":null,"u":null,"z":null}"#,
            r#"{"x":[{"y":1}],"a":"1","more":{},"g":{"b":-1.5,"q":"r","c":"2"},"z":"3","end":"\""}"#,
            r#"{"g":{"c":"only"},"t":["1"],"u":[{"e":1},{},{"d":"2"},null]}"#,
            r#"{"t":["1","2","3","4","5"],"u":[{"d":"x","e":1},{"d":"x","e":1},{"d":"x","e":1},{"d":"x","e":1},{"d":"z"}]}"#,
            r#"{"a":true,"g":{"b":false,"c":null}}"#,
        ] {
            check(&plan, &serde_json::from_str(json).expect("JSON"));
        }
    }

    #[test]
    fn any_text_ends_the_line() {
        let plan = plan(COPYBOOK);
        for json in [
            "",
            "{",
            "{\"a\"",
            "{\"a\":",
            "{\"a\":\"",
            "[",
            "null",
            "{\"t\":[",
            "{\"t\":[1",
            "{\"u\":[{\"d\":\"\\",
        ] {
            let mut line = Vec::new();
            plan.write_row(json.as_bytes(), &mut line);
            assert!(line.ends_with(b"\r\n"), "{json}");
        }
    }

    #[test]
    fn a_text_ends_at_any_place() {
        for end in *b"\"\\," {
            for length in 0..70 {
                for behind in 0..20 {
                    let text = [vec![b'#'; length], vec![end], vec![end; behind]].concat();
                    assert_eq!(plain_length(&text), length);
                }
                // Bytes near the three are not one of them.
                let text: Vec<u8> =
                    (0..length).map(|at| b"!#+-[]\x00\x80\xA2\xDC\xAC\xFF"[at % 12]).collect();
                assert_eq!(plain_length(&text), length);
            }
        }
    }

    fn text() -> impl Strategy<Value = Value> {
        prop_oneof![
            4 => "[a-z0-9 ]{0,40}".prop_map(Value::from),
            2 => "[a-z,\"\\\\\r\n\t\u{1}é€😀]{0,20}".prop_map(Value::from),
            1 => Just(Value::Null),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn cells_are_the_values_of_their_columns(
            texts in prop::collection::vec(text(), 12),
            numbers in prop::collection::vec(-99_999..99_999i64, 5),
            rows in 0..=4usize,
        ) {
            let [a, c, t, u, v, z, d @ ..] = texts.as_slice() else { unreachable!("there are twelve") };
            let rows: Vec<Value> =
                (0..rows).map(|row| serde_json::json!({ "d": d[row], "e": numbers[row] })).collect();
            let mut json = serde_json::json!({ "a": a, "g": { "b": numbers[4], "c": c }, "t": [t, u, v], "z": z });
            if !rows.is_empty() {
                json["u"] = rows.into();
            }
            check(&plan(COPYBOOK), &json);
        }
    }
}
