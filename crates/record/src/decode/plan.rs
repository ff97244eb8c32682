//! Makes the steps that write a record as JSON, from the members that show and all that varies in length.

use std::ops::Range;

use copybook::{FieldId, Kind, Layout};

use super::{CommaRule, DecodePlan, Step, TableStep, TableText};
use crate::json::write_string;
use crate::model::{Member, Node};
use crate::options::DataTruncation;
use crate::shape::Shape;
use crate::slot::Codec;

/// Makes the plan.
pub(crate) fn plan(
    members: &[Member],
    wrapper: Option<&str>,
    layout: &Layout,
    shape: &Shape,
    truncation: DataTruncation,
) -> DecodePlan {
    let mut planner = Planner {
        layout,
        shape,
        steps: Vec::new(),
        literals: Vec::new(),
        paths: Vec::new(),
        prefix: wrapper.unwrap_or_default().to_owned(),
    };
    let root = layout.root();
    planner.literal(b"{");
    if let Some(wrapper) = wrapper {
        planner.name(wrapper);
        planner.literal(b"{");
    }
    let mut object = ObjectState::Empty;
    if root.kind == Kind::Group {
        planner.group(&root.children, members, &mut object);
    } else if let Some(member) = members.first() {
        planner.member(member, &mut object);
    }
    planner.literal(if wrapper.is_some() { b"}}" } else { b"}" });
    DecodePlan {
        steps: planner.steps,
        literals: planner.literals,
        paths: planner.paths,
        max_bytes: layout.max_bytes(),
        truncation,
    }
}

/// Whether an object has members already when the next one is planned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ObjectState {
    /// Certainly not.
    Empty,
    /// Only such as may be left out.
    Perhaps,
    /// Certainly.
    Begun,
}

struct Planner<'l> {
    layout: &'l Layout,
    shape: &'l Shape,
    steps: Vec<Step>,
    literals: Vec<u8>,
    paths: Vec<String>,
    prefix: String,
}

impl Planner<'_> {
    /// Appends a literal, to the one before if that is the last step.
    fn literal(&mut self, bytes: &[u8]) {
        let start = self.literals.len();
        self.literals.extend_from_slice(bytes);
        match self.steps.last_mut() {
            Some(Step::Literal(range)) if range.end == start => range.end = self.literals.len(),
            _ => self.steps.push(Step::Literal(start..self.literals.len())),
        }
    }

    fn name(&mut self, name: &str) {
        let mut text = Vec::new();
        write_string(name, &mut text);
        text.push(b':');
        self.literal(&text);
    }

    fn path(&mut self, path: String) -> usize {
        self.paths.push(path);
        self.paths.len() - 1
    }

    /// Plans the fields of a group in the order of the record: the members that show, and what must be read on the
    /// way (counters, tables of varying length).
    fn group(&mut self, children: &[FieldId], members: &[Member], object: &mut ObjectState) {
        for child in children {
            let field = self.layout.field(*child);
            if let Some(counter) = self.shape.counter_of(*child)
                && !self.shape.is_fixed()
            {
                let path = self.path(self.path_of(&field.name));
                self.steps.push(Step::Count { counter, offset: field.offset, path });
            }
            match members.iter().find(|member| member.field == *child) {
                Some(member) => self.member(member, object),
                // A hidden group may hold members that it gave to the group around it, and counters.
                None if field.kind == Kind::Group && field.occurs.is_none() => {
                    self.group(&field.children.clone(), members, object);
                }
                None if field.occurs.is_some() => self.hidden_table(*child),
                None => {}
            }
        }
    }

    fn path_of(&self, name: &str) -> String {
        if self.prefix.is_empty() { name.to_owned() } else { format!("{}.{name}", self.prefix) }
    }

    fn member(&mut self, member: &Member, object: &mut ObjectState) {
        let outer = std::mem::take(&mut self.prefix);
        self.prefix = outer.clone();
        let path = self.path_of(&member.name);
        match member.table {
            None => {
                self.comma(*object);
                *object = ObjectState::Begun;
                self.name(&member.name);
                self.prefix = path;
                self.value(member);
            }
            Some(_) => {
                self.prefix = format!("{path}[]");
                self.table(member, path, object);
            }
        }
        self.prefix = outer;
    }

    fn comma(&mut self, object: ObjectState) {
        match object {
            ObjectState::Empty => {}
            ObjectState::Perhaps => self.steps.push(Step::Comma),
            ObjectState::Begun => self.literal(b","),
        }
    }

    fn value(&mut self, member: &Member) {
        match &member.node {
            Node::Scalar(slot) => {
                let quoted = matches!(slot.codec, Codec::Text(_));
                if quoted {
                    self.literal(b"\"");
                }
                let path = self.path(self.prefix.clone());
                self.steps.push(Step::Value { slot: slot.clone(), path });
                if quoted {
                    self.literal(b"\"");
                }
            }
            Node::Object(members) => {
                self.literal(b"{");
                let children = self.layout.field(member.field).children.clone();
                self.group(&children, members, &mut ObjectState::Empty);
                self.literal(b"}");
            }
        }
    }

    fn table(&mut self, member: &Member, path: String, object: &mut ObjectState) {
        let comma = match *object {
            ObjectState::Empty => CommaRule::Never,
            ObjectState::Perhaps => CommaRule::UnlessFirst,
            ObjectState::Begun => CommaRule::Always,
        };
        if *object == ObjectState::Empty {
            *object = ObjectState::Perhaps;
        }
        let at = self.steps.len();
        self.table_step(member.field, path, |planner| planner.value(member));
        let row = self.rows_without_borders(at + 1);
        let mut open = Vec::new();
        write_string(&member.name, &mut open);
        open.extend_from_slice(b":[");
        open.extend_from_slice(&row.start);
        let text = TableText {
            comma,
            open: self.bytes(&open),
            between: self.bytes(&[&row.end, b",".as_slice(), &row.start].concat()),
            close: self.bytes(&[row.end.as_slice(), b"]"].concat()),
        };
        let body = self.steps.len() - at - 1;
        if let Step::Table(step) = &mut self.steps[at] {
            (step.text, step.body) = (Some(text), body);
        }
    }

    /// Takes the literals at which the steps from `at` on start and end out of them.
    fn rows_without_borders(&mut self, at: usize) -> Range<Vec<u8>> {
        let mut borders = Vec::new()..Vec::new();
        if let Some(Step::Literal(range)) = self.steps.get(at) {
            borders.start = self.literals[range.clone()].to_vec();
            self.steps.remove(at);
        }
        if let Some(Step::Literal(range)) = self.steps[at..].last() {
            borders.end = self.literals[range.clone()].to_vec();
            self.steps.pop();
        }
        borders
    }

    /// Keeps bytes that are no step of their own.
    fn bytes(&mut self, bytes: &[u8]) -> Range<usize> {
        let start = self.literals.len();
        self.literals.extend_from_slice(bytes);
        start..self.literals.len()
    }

    fn hidden_table(&mut self, field: FieldId) {
        let varies = self.layout.field(field).occurs.is_some_and(|occurs| occurs.depending_on.is_some());
        if !varies && !self.holds_varying_table(field) {
            return;
        }
        let path = self.path_of(&self.layout.field(field).name);
        let children = self.layout.field(field).children.clone();
        let outer = std::mem::replace(&mut self.prefix, format!("{path}[]"));
        self.table_step(field, path, |planner| {
            planner.group(&children, &[], &mut ObjectState::Empty);
        });
        self.prefix = outer;
    }

    /// Plans a table that does not show.
    fn table_step(&mut self, id: FieldId, path: String, body: impl FnOnce(&mut Self)) {
        let field = self.layout.field(id);
        let (offset, stride) = (field.offset, field.bytes);
        let Some(rows) = self.shape.rows_of(id) else { return };
        let varies = self.holds_varying_table(id);
        let path = self.path(path);
        let at = self.steps.len();
        self.steps.push(Step::Table(TableStep { offset, stride, rows, text: None, body: 0, varies, path }));
        body(self);
        let length = self.steps.len() - at - 1;
        if let Step::Table(step) = &mut self.steps[at] {
            step.body = length;
        }
        // What follows must not be joined to the last literal of the row.
        self.literals.push(b' ');
    }

    fn holds_varying_table(&self, id: FieldId) -> bool {
        let mut pending = self.layout.field(id).children.clone();
        while let Some(next) = pending.pop() {
            let field = self.layout.field(next);
            if field.occurs.is_some_and(|occurs| occurs.depending_on.is_some()) {
                return true;
            }
            pending.extend(&field.children);
        }
        false
    }
}
