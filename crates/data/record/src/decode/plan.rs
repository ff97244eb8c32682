//! Makes the steps that write a record as JSON or XML, from the members that show and from all parts that
//! vary in length.

use std::collections::HashMap;
use std::ops::Range;

use copybook::{FieldId, Kind, Layout};

use super::shortcuts::{self, Shortcuts};
use super::{CommaRule, DecodePlan, MatchStep, Step, TableStep, TableText, ViewCheck, ViewStep};
use crate::json::json_name;
use crate::model::{Member, Node, Shown};
use crate::options::{DataTruncation, EmptyRows, UnmatchedViews};
use crate::shape::{Counter, Shape, counters_used_outside};
use crate::slot::{Codec, Slot};
use crate::views::Rule;
use crate::xml::{Tags, XmlForm};

/// The input from which a plan is made.
#[derive(Clone, Copy)]
pub(crate) struct Parts<'a> {
    pub(crate) members: &'a [Member],
    pub(crate) rules: &'a [Rule],
    pub(crate) layout: &'a Layout,
    pub(crate) shape: &'a Shape,
    pub(crate) truncation: DataTruncation,
    pub(crate) unmatched: UnmatchedViews,
    pub(crate) empty_rows: EmptyRows,
    pub(crate) wrapper: Option<&'a str>,
}

/// The text around values.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Syntax<'a> {
    /// A whole JSON text.
    Json,
    /// The elements of a group under these names, with its attributes before them.
    Xml(&'a Tags),
}

/// The bytes around the rows of a table.
struct TableBytes {
    open: Vec<u8>,
    between: Vec<u8>,
    close: Vec<u8>,
}

impl Syntax<'_> {
    fn is_json(self) -> bool {
        matches!(self, Syntax::Json)
    }

    fn table(self, name: &str, row: Range<Vec<u8>>) -> TableBytes {
        match self {
            Syntax::Json => TableBytes {
                open: [&json_name(name), b"[".as_slice(), &row.start].concat(),
                between: [&row.end, b",".as_slice(), &row.start].concat(),
                close: [row.end.as_slice(), b"]"].concat(),
            },
            Syntax::Xml(_) => TableBytes {
                between: [row.end.as_slice(), &row.start].concat(),
                open: row.start,
                close: row.end,
            },
        }
    }
}

/// Makes the plan.
pub(crate) fn plan(parts: Parts<'_>, syntax: Syntax<'_>) -> DecodePlan {
    let Parts { members, rules, layout, shape, truncation, unmatched, empty_rows, wrapper } = parts;
    let mut planner = Planner {
        layout,
        shape,
        rules,
        syntax,
        unmatched,
        empty_rows,
        matched: Vec::new(),
        tellers: Vec::new(),
        steps: Vec::new(),
        literals: Vec::new(),
        paths: Vec::new(),
        prefix: wrapper.unwrap_or_default().to_owned(),
        has_nil: false,
        attributes_left: 0,
    };
    let root = layout.root();
    planner.json(b"{");
    if let Some(wrapper) = wrapper {
        planner.json(&json_name(wrapper));
        planner.json(b"{");
    }
    let mut object = ObjectState::Empty;
    planner.begin_attributes(members);
    if root.kind == Kind::Group {
        planner.group(&root.children, members, &mut object);
    } else if let Some(member) = members.first() {
        planner.member(member, &mut object);
    }
    planner.json(if wrapper.is_some() { b"}}" } else { b"}" });
    let Shortcuts { steps, pieces } = Shortcuts::new(&planner.steps, syntax.is_json());
    planner.literals.extend([b' '; shortcuts::PADDING_BYTES]);
    DecodePlan {
        steps,
        literals: planner.literals,
        pieces,
        paths: planner.paths,
        max_bytes: layout.max_bytes(),
        truncation,
        notes: planner.tellers.len(),
        has_nil: planner.has_nil,
    }
}

/// Whether an object has members already when the next one is planned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ObjectState {
    /// Certainly not.
    Empty,
    /// Only members that may be left out.
    Perhaps,
    /// Certainly.
    Begun,
}

impl ObjectState {
    /// The comma before a member that may be left out.
    fn comma(self) -> CommaRule {
        match self {
            ObjectState::Empty => CommaRule::Never,
            ObjectState::Perhaps => CommaRule::UnlessFirst,
            ObjectState::Begun => CommaRule::Always,
        }
    }

    /// The state after a member that may be left out.
    fn perhaps(self) -> Self {
        if self == ObjectState::Empty { ObjectState::Perhaps } else { self }
    }
}

struct Planner<'l> {
    layout: &'l Layout,
    shape: &'l Shape,
    rules: &'l [Rule],
    syntax: Syntax<'l>,
    unmatched: UnmatchedViews,
    empty_rows: EmptyRows,
    /// Areas for which a step already checks that the record holds one of their views.
    matched: Vec<FieldId>,
    /// Fields that tell views apart, in the order in which they are noted.
    tellers: Vec<FieldId>,
    steps: Vec<Step>,
    literals: Vec<u8>,
    paths: Vec<String>,
    prefix: String,
    has_nil: bool,
    /// Attributes that are still to be written before the start tag ends.
    attributes_left: usize,
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

    /// Appends a literal of JSON.
    fn json(&mut self, bytes: &[u8]) {
        if self.syntax.is_json() {
            self.literal(bytes);
        }
    }

    /// Writes the text before the value of a member. A tag with attributes stays open.
    fn start(&mut self, member: &Member) {
        match self.syntax {
            Syntax::Json => self.literal(&json_name(&member.name)),
            Syntax::Xml(tags) => match &member.node {
                Node::Object(inner) if tags.attributes(inner) > 0 => {
                    self.literal(format!("<{}", tags.name(member)).as_bytes());
                }
                _ => self.literal(format!("<{}>", tags.name(member)).as_bytes()),
            },
        }
    }

    /// Writes the end tag after the value.
    fn end(&mut self, member: &Member) {
        if let Syntax::Xml(tags) = self.syntax {
            self.literal(format!("</{}>", tags.name(member)).as_bytes());
        }
    }

    /// Notes how many attributes come first in an object.
    fn begin_attributes(&mut self, members: &[Member]) {
        if let Syntax::Xml(tags) = self.syntax {
            self.attributes_left = tags.attributes(members);
        }
    }

    /// Plans an attribute, and ends the start tag behind the last one.
    fn attribute(&mut self, member: &Member, name: &str) {
        let Node::Scalar(slot) = &member.node else { return };
        let may_omit = matches!(&slot.codec, Codec::Rich(rich) if rich.may_be_omitted());
        let (path, name) =
            (self.path(self.path_of(&member.name)), self.bytes(format!(" {name}=\"").as_bytes()));
        self.steps.push(Step::Attribute { slot: slot.clone(), path, name, may_omit });
        self.attributes_left -= 1;
        if self.attributes_left == 0 {
            self.literal(b">");
        }
    }

    fn form(&self, member: &Member) -> XmlForm {
        match self.syntax {
            Syntax::Json => XmlForm::Element,
            Syntax::Xml(tags) => tags.form(member),
        }
    }

    fn path(&mut self, path: String) -> usize {
        self.paths.push(path);
        self.paths.len() - 1
    }

    /// Plans the fields of a group in the order of the record: the members that show, and the fields that
    /// must be read on the way (counters, tables of varying length).
    fn group(&mut self, children: &[FieldId], members: &[Member], object: &mut ObjectState) {
        let by_field: HashMap<FieldId, &Member> =
            members.iter().rev().map(|member| (member.field, member)).collect();
        for child in children {
            let field = self.layout.field(*child);
            if let Some(counter) = self.shape.counter_of(*child)
                && self.shape.counts()
            {
                self.count(counter);
            }
            if self.rules.iter().any(|rule| rule.field == *child) {
                let note = self.tellers.len();
                self.tellers.push(*child);
                self.steps.push(Step::Teller { note, offset: field.offset });
            }
            let member = by_field.get(child).copied();
            match member {
                Some(Member { view: Some(view), .. }) => {
                    self.expect_match(view.area, members);
                    self.view(*child, &view.shown, |planner| {
                        planner.member(member.expect("it was found"), &mut object.perhaps());
                    });
                }
                Some(member) => {
                    self.member(member, object);
                    continue;
                }
                None if self.shape.varies_within(*child) => {
                    for counter in counters_used_outside(self.layout, self.shape, *child) {
                        self.count(counter);
                    }
                }
                None if field.kind != Kind::Group && field.occurs.is_none() => {}
                // If a record was cut, the bytes that a hidden view lacks may belong to other views.
                None if self.layout.is_overlaid(*child) => {
                    self.view(*child, &Shown::Always, |planner| planner.hidden(*child, members, object));
                }
                None => self.hidden(*child, members, object),
            }
            if member.is_some() && *object == ObjectState::Empty {
                *object = ObjectState::Perhaps;
            }
        }
    }

    /// Plans the reading of a hidden table or group. A group may hold counters, fields that tell views apart,
    /// and members that it gave to the group around it.
    fn hidden(&mut self, id: FieldId, members: &[Member], object: &mut ObjectState) {
        let field = self.layout.field(id);
        match field.occurs {
            Some(_) => self.hidden_table(id),
            None => self.group(&field.children.clone(), members, object),
        }
    }

    fn count(&mut self, counter: usize) {
        let Counter { field, slot, .. } = &self.shape.counters[counter];
        let offset = slot.offset;
        let path = self.path(self.path_of(&self.layout.field(*field).name));
        self.steps.push(Step::Count { counter, offset, path });
    }

    /// Plans the check that the record holds one of the views of these bytes, if all of them have rules.
    fn expect_match(&mut self, area: FieldId, members: &[Member]) {
        if self.unmatched == UnmatchedViews::Omit || self.matched.contains(&area) {
            return;
        }
        self.matched.push(area);
        let mut views = members
            .iter()
            .filter_map(|member| Some((member, member.view.as_ref().filter(|view| view.area == area)?)))
            .peekable();
        let Some((first, _)) = views.peek().copied() else { return };
        let rules: Option<Vec<usize>> = views
            .map(|(_, view)| match view.shown {
                Shown::If(rule) => Some(rule),
                Shown::Always | Shown::Unless(_) => None,
            })
            .collect();
        let Some(rules) = rules else { return };
        let checks = rules.into_iter().map(|rule| self.check(rule)).collect();
        let path = self.path(self.path_of(&first.name));
        let offset = self.layout.field(area).offset;
        self.steps.push(Step::Match(MatchStep { checks, offset, path }));
    }

    /// Plans how the field of a rule is found.
    fn check(&mut self, rule: usize) -> ViewCheck {
        let teller = self.rules[rule].field;
        let note = self.tellers.iter().position(|noted| *noted == teller);
        let path = self.path(self.layout.path(teller));
        ViewCheck { rule, note, path }
    }

    /// Plans steps that run if the record holds this view.
    fn view(&mut self, id: FieldId, shown: &Shown, body: impl FnOnce(&mut Self)) {
        for counter in counters_used_outside(self.layout, self.shape, id) {
            self.count(counter);
        }
        let (rules, when) = match shown {
            Shown::Always => (&[][..], false),
            Shown::If(rule) => (std::slice::from_ref(rule), true),
            Shown::Unless(rules) => (rules.as_slice(), false),
        };
        let checks = rules.iter().map(|rule| self.check(*rule)).collect();
        let at = self.steps.len();
        self.steps.push(Step::View(ViewStep { checks, when, body: 0 }));
        body(self);
        let length = self.steps.len() - at - 1;
        if let Step::View(step) = &mut self.steps[at] {
            step.body = length;
        }
        self.separate();
    }

    /// Ends the last literal, so that the next one is not joined to it.
    fn separate(&mut self) {
        self.literals.push(b' ');
    }

    fn path_of(&self, name: &str) -> String {
        if self.prefix.is_empty() { name.to_owned() } else { format!("{}.{name}", self.prefix) }
    }

    fn member(&mut self, member: &Member, object: &mut ObjectState) {
        let outer = std::mem::take(&mut self.prefix);
        self.prefix = outer.clone();
        let path = self.path_of(&member.name);
        match (member.table, self.syntax, self.form(member)) {
            (None, Syntax::Xml(tags), XmlForm::Attribute) => {
                self.attribute(member, &tags.name(member));
            }
            (None, _, XmlForm::Text) => {
                self.prefix = path;
                self.value(member);
            }
            (None, ..) if self.depends_on_value(member) => {
                self.named_value(member, path, object.comma());
                *object = object.perhaps();
            }
            (None, ..) => {
                self.comma(*object);
                *object = ObjectState::Begun;
                self.start(member);
                self.prefix = path;
                self.value(member);
                self.end(member);
            }
            (Some(_), ..) => {
                self.prefix = format!("{path}[]");
                self.table(member, path, object);
            }
        }
        self.prefix = outer;
    }

    /// True if the value decides what text stands around it: the member may be left out, or nil.
    fn depends_on_value(&self, member: &Member) -> bool {
        match &member.node {
            Node::Scalar(Slot { codec: Codec::Rich(rich), .. }) => {
                let may_be_omitted = member.table.is_none() && rich.may_be_omitted();
                may_be_omitted || (!self.syntax.is_json() && rich.may_be_null())
            }
            _ => false,
        }
    }

    fn named_value(&mut self, member: &Member, path: String, comma: CommaRule) {
        let Node::Scalar(slot) = &member.node else { return };
        let name = match self.syntax {
            Syntax::Json => json_name(&member.name),
            Syntax::Xml(tags) => tags.name(member).into_bytes(),
        };
        let (path, name) = (self.path(path), self.bytes(&name));
        let (mut may_omit, mut comma) = (member.table.is_none(), comma);
        if !self.syntax.is_json() {
            let rich = if let Codec::Rich(rich) = &slot.codec { Some(rich) } else { None };
            self.has_nil |= rich.is_some_and(|rich| rich.may_be_null());
            may_omit &= rich.is_some_and(|rich| rich.may_be_omitted());
            comma = CommaRule::Never;
        }
        self.steps.push(Step::Member { slot: slot.clone(), path, comma, name, may_omit });
    }

    fn comma(&mut self, object: ObjectState) {
        match object {
            _ if !self.syntax.is_json() => {}
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
                    self.json(b"\"");
                }
                let path = self.path(self.prefix.clone());
                self.steps.push(Step::Value { slot: slot.clone(), path });
                if quoted {
                    self.json(b"\"");
                }
            }
            Node::Object(members) => {
                self.json(b"{");
                self.begin_attributes(members);
                let children = self.layout.field(member.field).children.clone();
                self.group(&children, members, &mut ObjectState::Empty);
                self.json(b"}");
            }
        }
    }

    /// Plans one row of a table.
    fn row(&mut self, member: &Member) {
        if self.syntax.is_json() {
            self.value(member);
        } else if self.depends_on_value(member) {
            self.named_value(member, self.prefix.clone(), CommaRule::Never);
        } else {
            self.start(member);
            self.value(member);
            self.end(member);
        }
    }

    fn table(&mut self, member: &Member, path: String, object: &mut ObjectState) {
        let comma = if self.syntax.is_json() { object.comma() } else { CommaRule::Never };
        *object = object.perhaps();
        let at = self.steps.len();
        self.table_step(member.field, path, |planner| planner.row(member));
        let nil = match self.syntax {
            Syntax::Xml(tags) if tags.writes_nil(member) => {
                self.has_nil = true;
                format!("<{} xsi:nil=\"true\"/>", tags.name(member))
            }
            _ => String::new(),
        };
        let row = self.rows_without_borders(at + 1);
        let bytes = self.syntax.table(&member.name, row);
        let text = TableText {
            comma,
            open: self.bytes(&bytes.open),
            between: self.bytes(&bytes.between),
            close: self.bytes(&bytes.close),
            none: self.bytes(nil.as_bytes()),
        };
        let body = self.steps.len() - at - 1;
        let of_groups = matches!(member.node, Node::Object(_));
        if let Step::Table(step) = &mut self.steps[at] {
            step.trims = step.rows.counter.is_none() && !step.varies && self.empty_rows.omits(of_groups);
            (step.text, step.body) = (Some(text), body);
        }
    }

    /// Takes the literals at the start and at the end of the steps from `at` on out of them.
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

    /// Keeps bytes that do not become a step of their own.
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
        let step = TableStep { offset, stride, rows, text: None, body: 0, varies, trims: false, path };
        self.steps.push(Step::Table(step));
        body(self);
        let length = self.steps.len() - at - 1;
        if let Step::Table(step) = &mut self.steps[at] {
            step.body = length;
        }
        self.separate();
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
