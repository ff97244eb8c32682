//! Optional members of the outermost object that have containers of their own.

use super::field::container_field;
use super::{Container, Field, Held, Layer, Layouter, Role, counter_field, join};
use crate::area::{self, Content, Holds, Placed};
use crate::shape::{Member, Shape};

impl Layouter<'_> {
    /// A field that says whether the member is there, and the name of its container.
    pub(super) fn one_container(
        &mut self,
        member: &Member,
        layer: &Layer<'_>,
        out: &mut Vec<Field>,
    ) -> Placed {
        let suffix = self.presence_suffix();
        let (apart, what) = (self.options.apart.suffix(), self.options.apart.word());
        let name = self.names.take(&member.name, &[suffix, apart]);
        let (presence, field) = (format!("{name}{suffix}"), format!("{name}{apart}"));
        let json = join(&layer.json, &member.name);
        let record = self.names.take(&format!("{}-{}", self.options.name, member.name), &[]);
        let says = format!(
            "{json} is optional; {presence} is 0 where it is missing. Else the {what} that {field} names holds it, \
             laid out as {record}.{}",
            self.access()
        );
        out.push(counter_field(&presence, says));
        self.note(layer, &json, &format!("{}{suffix}", member.name), &presence, Role::Presence);
        out.push(container_field(&field));
        self.note(layer, &json, &member.name, &field, Role::Container);
        self.note_xml(member);
        let holds = Holds::One { area: self.areas };
        let area = self.areas;
        self.areas += 1;
        let shape = Shape { nullable: false, ..member.shape.clone() };
        let row = Member { name: member.name.clone(), required: true, shape, xml: member.xml.clone() };
        let outer = layer.json.clone();
        let content = Content::Container(area::Container { field: join(&layer.path, &field), holds });
        self.containers.push(Container { record, field, json, outer, row, area, holds: Held::Value });
        Placed {
            name: member.name.clone(),
            required: member.required,
            nullable: member.shape.nullable,
            presence: Some(join(&layer.path, &presence)),
            xml: member.xml.clone(),
            content,
        }
    }
}
