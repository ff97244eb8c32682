//! XML to record: one pass over the text, each element's value written straight to its place.

use std::borrow::Cow;

use ::xml::{Attribute, Cursor, Open, OtherAttributes, XSI, is_space, shown, trim};
use copybook::FieldId;

use super::options::ElementOrder;
use super::qualified::Names;
use crate::decimal::Decimal;
use crate::encode::{MemberPlan, ObjectPlan, Seen, Sink, TablePlan, ValuePlan};
use crate::error::{Error, ErrorKind};
use crate::options::UnknownFields;
use crate::policies::Nulls;
use crate::rich::{Base, Form, Rich};
use crate::slot::{Codec, Given, NumberCodec, Slot};
use crate::text::TextTables;

/// Reads one element into a record.
pub(crate) struct XmlReader<'c, 'a> {
    cursor: &'c mut Cursor<'a>,
    sink: Sink<'c>,
    /// The namespace that elements must be in; empty for none.
    namespace: &'c str,
    /// The declaration that put an earlier element into this namespace.
    declaration: Option<u32>,
    order: ElementOrder,
}

/// A group while its elements are read.
struct Group<'p> {
    plan: &'p ObjectPlan,
    /// The names of the members, if they are not just those of the plan in one namespace.
    names: Option<&'p Names>,
    seen: Seen,
    chosen: Vec<FieldId>,
    /// The member that is expected next.
    expected: usize,
    /// The greatest position of a member so far, plus one.
    reached: usize,
    rows: Option<OpenTable<'p>>,
}

/// The content of an element with elements.
#[derive(Clone, Copy)]
pub(crate) struct Content<'p> {
    pub(crate) plan: &'p ObjectPlan,
    /// The names of the members, if they are not just those of the plan in one namespace.
    pub(crate) names: Option<&'p Names>,
    pub(crate) others: Others<'p>,
}

/// The attributes that an element may have although no field has them.
type Others<'p> = Option<&'p OtherAttributes>;

/// The position of a member among the names of its group, if these are not just those of the plan in one namespace.
type Named<'p> = Option<(&'p Names, usize)>;

/// A table whose rows may go on.
struct OpenTable<'p> {
    position: usize,
    table: &'p TablePlan,
    rows: usize,
    /// Where its first row starts in the text.
    at: usize,
    /// Its only element is nil, and so it has no row.
    nil: bool,
}

impl<'c, 'a> XmlReader<'c, 'a> {
    pub(crate) fn new(
        cursor: &'c mut Cursor<'a>,
        sink: Sink<'c>,
        namespace: &'c str,
        order: ElementOrder,
    ) -> Self {
        Self { cursor, sink, namespace, declaration: None, order }
    }

    /// Reads an element that must have this name.
    pub(crate) fn run(mut self, open: &Open<'a>, name: &str, content: Content<'_>) -> Result<(), Error> {
        if !self.is_ours(open) || open.name != name {
            self.cursor.check_name(open)?;
            let message = format!("expected the element {name}, found {}", self.described(open));
            return Err(self.placed(Error::new(ErrorKind::NotAnObject, message), open.at));
        }
        if open.is_nil() {
            self.check_attributes(open, content.others)?;
            let error = Error::new(ErrorKind::NotAnObject, format!("the element {name} cannot be nil"));
            return Err(self.placed(error, open.at));
        }
        self.group(content, open)?;
        self.sink.settle()
    }

    /// True if the element is in the namespace of the elements.
    #[inline]
    fn is_ours(&mut self, open: &Open<'a>) -> bool {
        let declaration = Some(open.declaration());
        if declaration == self.declaration {
            return true;
        }
        let is_ours = self.cursor.is_in(open, self.namespace);
        if is_ours {
            self.declaration = declaration;
        }
        is_ours
    }

    /// An element's name, with its namespace if only the namespace is wrong.
    fn described(&mut self, open: &Open<'a>) -> String {
        if self.is_ours(open) {
            return shown(open.name);
        }
        match self.cursor.namespace(open) {
            "" => format!("{} without a namespace", shown(open.name)),
            namespace => format!("{} of the namespace {}", shown(open.name), shown(namespace)),
        }
    }

    fn group(&mut self, content: Content<'_>, open: &Open<'a>) -> Result<(), Error> {
        let Content { plan, names, others } = content;
        let seen = Seen::new(plan.members.len());
        let chosen = Vec::new();
        let mut group = Group { plan, names, seen, chosen, expected: 0, reached: 0, rows: None };
        match names {
            None => self.check_attributes(open, others)?,
            Some(names) => {
                self.attributes(&mut group, (names, others), open)?;
                group.expected = names.first_element;
                if let Some(text) = names.text {
                    group.seen.insert(text);
                    let member = &plan.members[text];
                    self.sink.note(member);
                    self.text(member, (names, text))
                        .map_err(|error| self.placed(error.within(&member.name), open.at))?;
                    return self.end_group(group, open.at);
                }
            }
        }
        let mut child = Open::default();
        loop {
            // Most elements come in their order, in the namespace of the group.
            let expected = if names.is_none() { plan.members.get(group.expected) } else { None };
            if let Some(member) = expected
                && self.cursor.known_child(&mut child, open, &member.name)
            {
                let position = group.expected;
                self.known(&mut group, position, &child)?;
            } else if self.cursor.next_child(&mut child)? {
                self.element(&mut group, &child)?;
            } else {
                return self.end_group(group, open.at);
            }
        }
    }

    fn end_group(&mut self, mut group: Group<'_>, start: usize) -> Result<(), Error> {
        self.end_rows(&mut group)?;
        let plan = group.plan;
        for required in &plan.required {
            if !group.seen.contains(*required) {
                let error = Error::new(ErrorKind::MissingField, "this field is required");
                return Err(self.placed(error.within(&plan.members[*required].name), start));
            }
        }
        self.sink.expect_choices(plan, &group.chosen);
        Ok(())
    }

    fn element<'p>(&mut self, group: &mut Group<'p>, open: &Open<'a>) -> Result<(), Error> {
        let plan = group.plan;
        let found = match group.names {
            None => plan.lookup.find(open.name.as_bytes(), group.expected).filter(|_| self.is_ours(open)),
            Some(names) => names.find(self.cursor, open, group.expected),
        };
        match found {
            Some(position) => self.known(group, position, open),
            None => self.unknown(group, open),
        }
    }

    /// An element that is the member at this position.
    fn known<'p>(&mut self, group: &mut Group<'p>, position: usize, open: &Open<'a>) -> Result<(), Error> {
        let plan = group.plan;
        let member = &plan.members[position];
        if group.rows.as_ref().is_none_or(|rows| rows.position != position) {
            self.end_rows(group)?;
            self.begin(group, position, open)?;
        }
        match &mut group.rows {
            Some(rows) if rows.nil => {
                let error = Error::new(ErrorKind::DuplicateField, "this element occurs twice in its group");
                Err(self.placed(error.within(&member.name), open.at))
            }
            Some(rows)
                if open.is_nil()
                    && rows.rows == 0
                    && group.names.is_some_and(|names| names.is_nillable(position)) =>
            {
                rows.nil = true;
                self.absent(open, group.names.map(|names| names.other_attributes(position)))
                    .map_err(|error| self.placed(error.within(&member.name), open.at))
            }
            Some(rows) => {
                let row = rows.rows;
                rows.rows += 1;
                self.sink
                    .row(rows.table, row)
                    .map_err(|error| self.placed(error.within(&member.name), rows.at))?;
                let named = group.names.map(|names| (names, position));
                self.value(&member.value, named, open)
                    .map_err(|error| self.placed(error.within_row(row).within(&member.name), open.at))
            }
            None => {
                let named = group.names.map(|names| (names, position));
                self.member(member, named, open)
                    .map_err(|error| self.placed(error.within(&member.name), open.at))
            }
        }
    }

    /// Begins a member: once, in its place, and as the chosen view.
    fn begin<'p>(&mut self, group: &mut Group<'p>, position: usize, open: &Open<'a>) -> Result<(), Error> {
        let member = &group.plan.members[position];
        let fail = |kind, message: &str| Err(Error::new(kind, message).within(&member.name));
        let checked = if !group.seen.insert(position) && !self.sink.target.takes_twice(member) {
            match member.table {
                None => fail(ErrorKind::DuplicateField, "this element occurs twice in its group"),
                Some(_) => {
                    fail(ErrorKind::DuplicateField, "other elements are between the rows of this table")
                }
            }
        } else if position < group.reached && self.is_ordered(group) {
            let before = &group.plan.members[group.reached - 1].name;
            fail(ErrorKind::ElementOrder, &format!("this element must come before {before}"))
        } else {
            Ok(())
        };
        checked.map_err(|error| self.placed(error, open.at))?;
        group.reached = group.reached.max(position + 1);
        group.expected = position + 1;
        if let Some(view) = &member.view {
            self.sink
                .choose(view, &mut group.chosen, &member.name)
                .map_err(|error| self.placed(error.within(&member.name), open.at))?;
        }
        self.sink.note(member);
        if let Some(table) = &member.table {
            self.sink.enter();
            group.expected = position;
            group.rows = Some(OpenTable { position, table, rows: 0, at: open.at, nil: false });
        }
        Ok(())
    }

    /// True if the elements of a group come in the order of the schema.
    #[cold]
    fn is_ordered(&self, group: &Group<'_>) -> bool {
        self.order == ElementOrder::Schema && group.names.is_none_or(|names| !names.any_order)
    }

    fn end_rows(&mut self, group: &mut Group<'_>) -> Result<(), Error> {
        let Some(OpenTable { position, table, rows, at, .. }) = group.rows.take() else { return Ok(()) };
        group.expected = position + 1;
        let name = &group.plan.members[position].name;
        self.sink.leave(table, rows).map_err(|error| self.placed(error.within(name), at))
    }

    /// An element that is nil, and so does not count as a row.
    #[cold]
    fn absent(&mut self, open: &Open<'a>, others: Others<'_>) -> Result<(), Error> {
        self.check_attributes(open, others)?;
        self.nothing()
    }

    /// Adds line and column to an error that has none yet.
    #[cold]
    fn placed(&self, mut error: Error, at: usize) -> Error {
        error.position.get_or_insert_with(|| self.cursor.position(at));
        error
    }

    #[cold]
    fn unknown(&mut self, group: &Group<'_>, open: &Open<'a>) -> Result<(), Error> {
        self.cursor.check_name(open)?;
        if self.sink.target.policies.unknown_fields == UnknownFields::Ignore {
            return Ok(self.cursor.skip()?);
        }
        let message = if self.is_ours(open) {
            let known =
                group.names.map_or(group.plan.lookup.nearest(open.name), |names| names.nearest(open.name));
            match known {
                Some(nearest) => format!("unknown element; did you mean '{nearest}'?"),
                None => "unknown element".to_owned(),
            }
        } else {
            format!("unknown element {}", self.described(open))
        };
        Err(self.placed(Error::new(ErrorKind::UnknownField, message).within(&shown(open.name)), open.at))
    }

    fn check_attributes(&self, open: &Open<'a>, others: Others<'_>) -> Result<(), Error> {
        if self.sink.target.policies.unknown_fields != UnknownFields::Refuse {
            return Ok(());
        }
        let unknown = self.cursor.unknown_attribute(open, others)?;
        unknown.map_or(Ok(()), |at| Err(self.unknown_attribute(at)))
    }

    #[cold]
    fn unknown_attribute(&self, at: usize) -> Error {
        let message = format!("unknown attribute {}", self.cursor.name_at(at));
        self.placed(Error::new(ErrorKind::UnknownField, message), at)
    }

    fn member(&mut self, member: &MemberPlan, named: Named<'_>, open: &Open<'a>) -> Result<(), Error> {
        if open.is_nil()
            && self.sink.target.policies.nulls != Nulls::Refuse
            && matches!(member.value, ValuePlan::Object(_))
        {
            // A group that is nil keeps its initial values.
            self.check_attributes(open, others_of(named))?;
            return self.nothing();
        }
        self.value(&member.value, named, open)
    }

    fn value(&mut self, value: &ValuePlan, named: Named<'_>, open: &Open<'a>) -> Result<(), Error> {
        match value {
            ValuePlan::Scalar(slot) if open.is_nil() => {
                self.check_attributes(open, others_of(named))?;
                self.null(slot)
            }
            ValuePlan::Scalar(slot) => {
                self.check_attributes(open, others_of(named))?;
                if let Some(text) = self.cursor.plain_text() {
                    return self.named_scalar(slot, named, text);
                }
                let text = self.cursor.text()?;
                self.named_scalar(slot, named, &text)
            }
            ValuePlan::Object(_) if open.is_nil() => {
                self.check_attributes(open, others_of(named))?;
                Err(Error::new(ErrorKind::WrongType, "expected a group, found nil"))
            }
            ValuePlan::Object(plan) => {
                let names = named.and_then(|(names, position)| names.inner(position));
                self.group(Content { plan, names, others: others_of(named) }, open)
            }
        }
    }

    /// Reads the attributes of a group whose names say which are fields.
    fn attributes(
        &mut self,
        group: &mut Group<'_>,
        (names, others): (&Names, Others<'_>),
        open: &Open<'a>,
    ) -> Result<(), Error> {
        if open.attribute().is_some() {
            self.given_attributes(group, (names, others), open)?;
        }
        for position in &names.attributes {
            if let Some(default) = names.default(*position)
                && !group.seen.contains(*position)
                && !group.plan.required.contains(position)
            {
                self.attribute(&group.plan.members[*position], (names, *position), default)
                    .map_err(|error| self.placed(error, open.at))?;
            }
        }
        Ok(())
    }

    fn given_attributes(
        &mut self,
        group: &mut Group<'_>,
        (names, others): (&Names, Others<'_>),
        open: &Open<'a>,
    ) -> Result<(), Error> {
        let plan = group.plan;
        for Attribute { at, namespace, name, value } in self.cursor.attributes(open)? {
            if namespace == XSI {
                continue;
            }
            let Some(position) = names.attribute(&namespace, name) else {
                let refuses = self.sink.target.policies.unknown_fields == UnknownFields::Refuse;
                if refuses && others.is_none_or(|others| !others.has(&namespace, name)) {
                    return Err(self.unknown_attribute(at));
                }
                continue;
            };
            let member = &plan.members[position];
            group.seen.insert(position);
            self.attribute(member, (names, position), &value).map_err(|error| self.placed(error, at))?;
        }
        Ok(())
    }

    /// The value of an attribute.
    fn attribute(
        &mut self,
        member: &MemberPlan,
        (names, position): (&Names, usize),
        value: &str,
    ) -> Result<(), Error> {
        self.sink.note(member);
        let ValuePlan::Scalar(slot) = &member.value else { return Ok(()) };
        self.scalar(slot, value)
            .and_then(|()| self.check_fixed(slot, names.fixed(position)))
            .map_err(|error| error.within(&member.name))
    }

    /// Reads the text of an element that has attributes too.
    fn text(&mut self, member: &MemberPlan, named: (&Names, usize)) -> Result<(), Error> {
        let text = self.cursor.text()?;
        match &member.value {
            ValuePlan::Scalar(slot) => self.named_scalar(slot, Some(named), &text),
            ValuePlan::Object(_) => Ok(()),
        }
    }

    /// The value of an element: that of its text, or the default if it is empty (XML Schema part 1, 3.3.1).
    #[inline]
    fn named_scalar(&mut self, slot: &Slot, named: Named<'_>, text: &str) -> Result<(), Error> {
        let Some((names, position)) = named else { return self.scalar(slot, text) };
        let default = names.default(position).filter(|_| text.is_empty());
        self.scalar(slot, default.unwrap_or(text))?;
        self.check_fixed(slot, names.fixed(position))
    }

    /// Checks the value that was just put, if the schema allows only one. Numbers are compared as the record has them, and dates and
    /// times as values. The record then has the text of the schema.
    fn check_fixed(&mut self, slot: &Slot, fixed: Option<&str>) -> Result<(), Error> {
        let Some(fixed) = fixed else { return Ok(()) };
        let delta = self.sink.delta();
        let found = slot.field_mut(self.sink.record, delta).to_vec();
        self.scalar(slot, fixed)?;
        if *slot.field_mut(self.sink.record, delta) == *found
            || is_same(slot, &found, fixed, self.sink.target.tables)
        {
            return Ok(());
        }
        let message =
            format!("expected '{}', the only value that the schema allows, found another", shown(fixed));
        Err(Error::new(ErrorKind::NotListed, message))
    }

    /// The content of an element that is nil.
    fn nothing(&mut self) -> Result<(), Error> {
        if self.cursor.text()?.is_empty() {
            return Ok(());
        }
        Err(Error::new(ErrorKind::WrongType, "an element that is nil must be empty"))
    }

    fn null(&mut self, slot: &Slot) -> Result<(), Error> {
        self.nothing()?;
        let expected = match &slot.codec {
            Codec::Text(_) => "text",
            Codec::Number(_) => "a number",
            Codec::Rich(rich) if rich.policies.nulls != Nulls::Refuse => {
                let field = slot.field_mut(self.sink.record, self.sink.delta());
                return rich.write(Given::Null, field, self.sink.target.tables);
            }
            Codec::Rich(rich) => rich.expected(),
        };
        Err(Error::new(ErrorKind::WrongType, format!("expected {expected}, found nil")))
    }

    #[inline]
    fn scalar(&mut self, slot: &Slot, text: &str) -> Result<(), Error> {
        let (delta, tables) = (self.sink.delta(), self.sink.target.tables);
        match &slot.codec {
            Codec::Text(codec) => tables.encode(*codec, text, slot.field_mut(self.sink.record, delta)),
            Codec::Number(codec) => {
                let field = slot.field_mut(self.sink.record, delta);
                write_number(codec, trim(text), field)
            }
            Codec::Rich(rich) => {
                let field = slot.field_mut(self.sink.record, delta);
                let text = typed(rich, Cow::Borrowed(text), field.len())?;
                rich.write(Given::Untyped(&text), field, tables)
            }
        }
    }
}

/// True if a field of a type of XML Schema has the value of a text.
fn is_same(slot: &Slot, found: &[u8], text: &str, tables: &TextTables) -> bool {
    let Codec::Rich(rich) = &slot.codec else { return false };
    let Form::Typed { kind, .. } = &rich.form else { return false };
    let mut shown = String::new();
    rich.read(found, tables, &mut shown).is_ok() && kind.is_same(&shown, &kind.value(text, usize::MAX))
}

/// The attributes that an element may have although no field has them.
#[inline]
fn others_of(named: Named<'_>) -> Others<'_> {
    named.map(|(names, position)| names.other_attributes(position))
}

fn write_number(codec: &NumberCodec, text: &str, field: &mut [u8]) -> Result<(), Error> {
    // Most numbers have the form of JSON, which is read fast. But decimals of XML Schema have no exponent.
    let mut number = if text.contains(['e', 'E']) {
        Decimal::from_text(text.as_bytes())
    } else {
        Decimal::from_json(text.as_bytes())
    };
    if number.is_err() {
        check_given(text, "a number")?;
        number = Decimal::from_text(plain_number(text).as_bytes());
    }
    codec.form.write(codec.limits.admit(number)?, field);
    Ok(())
}

fn check_given(text: &str, expected: &str) -> Result<(), Error> {
    if text.is_empty() {
        return Err(Error::new(ErrorKind::WrongType, format!("expected {expected}, found an empty element")));
    }
    Ok(())
}

/// A number as this crate reads it: XML Schema allows `.5`, `5.`, a plus sign and leading zeros too.
pub(crate) fn plain_number(text: &str) -> Cow<'_, str> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let mantissa = unsigned.split(['e', 'E']).next().unwrap_or_default();
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let usual = !text.starts_with('+')
        && !fraction.is_empty()
        && (integer == "0" || (!integer.is_empty() && !integer.starts_with('0')));
    if usual || (integer.is_empty() && fraction.is_empty()) || mantissa.is_empty() {
        return Cow::Borrowed(text);
    }
    let sign = if text.starts_with('-') { "-" } else { "" };
    let exponent = &unsigned[mantissa.len()..];
    let integer = match integer.trim_start_matches('0') {
        "" => "0",
        integer => integer,
    };
    let fraction = if fraction.is_empty() { "0" } else { fraction };
    Cow::Owned(format!("{sign}{integer}.{fraction}{exponent}"))
}

/// The text in the form of its type. White space around it counts only in text, and base64 may have it
/// anywhere. `room` is the room of the field.
fn typed<'t>(rich: &Rich, text: Cow<'t, str>, room: usize) -> Result<Cow<'t, str>, Error> {
    let is_number = match (&rich.form, &rich.base) {
        (Form::Plain, Base::Text { .. } | Base::EditedText { .. }) => return Ok(text),
        (Form::Base64, _) => {
            return Ok(if text.bytes().any(is_space) {
                Cow::Owned(text.replace([' ', '\t', '\n', '\r'], ""))
            } else {
                text
            });
        }
        (Form::Typed { kind, .. }, _) => {
            return Ok(match text {
                Cow::Borrowed(text) => kind.value(text, room),
                Cow::Owned(text) => Cow::Owned(kind.value(&text, room).into_owned()),
            });
        }
        (Form::Plain | Form::Quoted, _) => true,
        _ => false,
    };
    let trimmed = match text {
        Cow::Borrowed(text) => Cow::Borrowed(trim(text)),
        Cow::Owned(text) => Cow::Owned(trim(&text).to_owned()),
    };
    if !matches!(rich.form, Form::Hex) {
        check_given(&trimmed, rich.expected())?;
    }
    Ok(match trimmed {
        Cow::Borrowed(text) if is_number => plain_number(text),
        Cow::Owned(text) if is_number => Cow::Owned(plain_number(&text).into_owned()),
        other => other,
    })
}
