//! Attributes of XML elements: `attr-NAME-value`, and `attr-NAME-exist` before it if the attribute is
//! optional.

use super::{Field, LENGTH, Layer, Layouter, Made, Role, join};
use crate::options::DateTime;
use crate::shape::{Kind, Member};

/// The suffixes of an attribute's fields.
const EXIST: &str = "-exist";
const VALUE: &str = "-value";
const VALUE_LENGTH: &str = "-value-length";

impl Layouter<'_> {
    /// The fields of an attribute. `presence` becomes the field that says whether it is there.
    pub(super) fn attribute(
        &mut self,
        member: &Member,
        layer: &Layer<'_>,
        presence: &mut Option<String>,
        out: &mut Vec<Field>,
    ) -> Made {
        let own = member.xml.as_ref().map_or(member.name.as_str(), |xml| xml.name.as_str());
        let paired = self.is_paired(&member.shape);
        // In a single record, a blank text counts as missing.
        let is_text = match member.shape.kind {
            Kind::Text(_) | Kind::Binary(_) => true,
            Kind::Moment(_) => self.options.datetime == DateTime::Text,
            _ => false,
        };
        let blank = self.options.one_record && is_text;
        let optional = self.is_optional(member) && !blank;
        let suffixes: Vec<&str> = [(optional, EXIST), (true, VALUE), (paired, VALUE_LENGTH)]
            .into_iter()
            .filter_map(|(wanted, suffix)| wanted.then_some(suffix))
            .collect();
        let name = self.names.take(&format!("attr-{own}"), &suffixes);
        if optional {
            let json = join(&layer.json, &member.name);
            let exist = format!("{name}{EXIST}");
            out.push(Field {
                name: exist.clone(),
                clauses: vec!["PIC X".to_owned(), "DISPLAY".to_owned()],
                comments: vec![format!(
                    "{json} is optional; {exist} is X'00' where it is missing, else X'01'."
                )],
                bytes: 1,
                ..Field::default()
            });
            self.note(layer, &json, &format!("{}{EXIST}", member.name), &exist, Role::Presence);
            *presence = Some(join(&layer.path, &exist));
        }
        debug_assert!(VALUE_LENGTH.ends_with(LENGTH), "the length of a value has its name");
        let made = self.value(member, &format!("{name}{VALUE}"), None, layer, out);
        Made { bytes: made.bytes + u64::from(optional), ..made }
    }
}
