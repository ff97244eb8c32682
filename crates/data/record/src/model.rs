//! The view that JSON has of a layout: which fields show, under which names, in which objects and arrays.

use std::collections::{HashMap, HashSet};

use copybook::{Field, FieldId, Kind, Layout, Place};

use crate::decimal::Decimal;
use crate::error::CompileError;
use crate::fields::slot_of;
use crate::names::UniqueNames;
use crate::options::{Conditions, Counters, FieldOptions, Filler, MissingFields, MissingRows, Options};
use crate::schema::{Listed, listed};
use crate::shape::Shape;
use crate::slot::Slot;
use crate::template::initial_of;
use crate::text::TextTables;
use crate::views::Rule;
use crate::xml::XmlForm;

/// How deep tables may nest: COBOL's limit.
pub(crate) const TABLE_DEPTH_MAX: usize = 7;

/// One member of a JSON object.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) field: FieldId,
    pub(crate) node: Node,
    pub(crate) table: Option<Table>,
    pub(crate) required: bool,
    pub(crate) description: Option<String>,
    /// One of several views of the same bytes.
    pub(crate) view: Option<View>,
    /// The values of its condition names, for the schema.
    pub(crate) listed: Option<Vec<(Listed, Option<Listed>)>>,
    /// The field has a SYNCHRONIZED clause, for the schema.
    pub(crate) synchronized: bool,
    /// It shows the counter of this number, which tables that show use.
    pub(crate) counter: Option<usize>,
}

/// A view of bytes that other members describe too.
#[derive(Clone, Debug)]
pub(crate) struct View {
    /// The first field at these bytes. Views of the same bytes have the same first field.
    pub(crate) area: FieldId,
    pub(crate) shown: Shown,
    /// The view's bytes where a request gives no values.
    pub(crate) initial: Vec<u8>,
}

/// The condition under which a record shows a view. Rules are known by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    Always,
    If(usize),
    /// The first view of the bytes, if it has no rule: it shows if no rule of another view holds.
    Unless(Vec<usize>),
}

/// The view that JSON has of a layout.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) members: Vec<Member>,
    pub(crate) rules: Vec<Rule>,
}

/// The content of a member, or of each of its rows.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Object(Vec<Member>),
    Scalar(Slot),
}

/// The rows of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    /// Bytes of a row, tables in it at their largest.
    pub(crate) stride: usize,
    pub(crate) min: usize,
    pub(crate) max: usize,
    /// The number of its counter in the shape.
    pub(crate) counter: Option<usize>,
    /// The number of tables around this one.
    pub(crate) depth: usize,
}

/// Makes the view of a layout: the members of its outermost object.
pub(crate) fn model(
    layout: &Layout,
    options: &Options,
    shape: &Shape,
    tables: &TextTables,
) -> Result<Model, Vec<CompileError>> {
    let mut builder = Builder {
        layout,
        options,
        shape,
        tables,
        rules: Vec::new(),
        rule_numbers: HashMap::new(),
        chosen_views: HashMap::new(),
        fallbacks: HashSet::new(),
        fillers: layout.iter().filter(|(_, field)| field.filler).map(|(id, _)| id).zip(0..).collect(),
        failed: Vec::new(),
        errors: Vec::new(),
    };
    builder.choose_views();
    let (root, field) = layout.iter().next().expect("a layout has a root");
    let mut names = options.naming.unique();
    let members = match field.kind {
        Kind::Group => {
            builder.reserve_names(field, &mut names);
            builder.members(field, 0, &mut names)
        }
        _ => builder.member(root, 0, &mut names).into_iter().collect(),
    };
    let members = builder.with_counters(members);
    builder.check_unused(&members);
    if !builder.errors.is_empty() {
        return Err(builder.errors);
    }
    Ok(Model { members, rules: builder.rules })
}

struct Builder<'l, 'o> {
    layout: &'l Layout,
    options: &'o Options,
    shape: &'l Shape,
    tables: &'o TextTables,
    rules: Vec<Rule>,
    /// The numbers of the rules of views; none for a rule with an error.
    rule_numbers: HashMap<FieldId, Option<usize>>,
    /// For each field that is described more than once, the views that the options include.
    chosen_views: HashMap<FieldId, Vec<FieldId>>,
    /// Views that show if no rule of another view holds.
    fallbacks: HashSet<FieldId>,
    /// The numbers of fields without a name.
    fillers: HashMap<FieldId, usize>,
    failed: Vec<FieldId>,
    errors: Vec<CompileError>,
}

impl<'l> Builder<'l, '_> {
    fn choice(&self, id: FieldId) -> Option<&FieldOptions> {
        self.options.fields.get(&id)
    }

    /// Notes which members are counters of tables that show.
    fn with_counters(&self, mut members: Vec<Member>) -> Vec<Member> {
        let mut used = HashSet::new();
        each_member(&mut members, &mut |member| used.extend(member.table.and_then(|table| table.counter)));
        each_member(&mut members, &mut |member| {
            member.counter = self.shape.counter_of(member.field).filter(|counter| used.contains(counter));
        });
        members
    }

    /// Takes the names that users chose, before those that the profile makes.
    fn reserve_names(&mut self, group: &'l Field, names: &mut UniqueNames) {
        for child in &group.children {
            if !self.shows(*child) {
                continue;
            }
            if self.dissolves(*child) {
                self.reserve_names(self.layout.field(*child), names);
            } else if let Some(name) = self.choice(*child).and_then(|choice| choice.name.clone())
                && !names.reserve(&name)
            {
                self.fail(*child, format!("the name '{name}' is given twice in one group"));
            }
        }
    }

    fn members(&mut self, group: &'l Field, depth: usize, names: &mut UniqueNames) -> Vec<Member> {
        let mut members = Vec::new();
        for child in &group.children {
            if !self.shows(*child) {
                continue;
            }
            if self.dissolves(*child) {
                members.extend(self.members(self.layout.field(*child), depth, names));
            } else {
                members.extend(self.member(*child, depth, names));
            }
        }
        members
    }

    /// A group without a name that is not shown itself: its fields belong to the group around it.
    fn dissolves(&self, id: FieldId) -> bool {
        let field = self.layout.field(id);
        field.filler && field.kind == Kind::Group && field.occurs.is_none() && !self.exposes_filler(id)
    }

    fn exposes_filler(&self, id: FieldId) -> bool {
        match self.choice(id) {
            Some(FieldOptions { included: Some(included), .. }) => *included,
            Some(FieldOptions { when: Some(_), .. }) => true,
            // No other view would show the bytes.
            _ if self.fallbacks.contains(&id) => true,
            _ => self.options.filler == Filler::Expose,
        }
    }

    fn shows(&self, id: FieldId) -> bool {
        let field = self.layout.field(id);
        let included = self.choice(id).and_then(|choice| choice.included);
        let removed = self.choice(id).is_some_and(|choice| choice.removed);
        if removed || included == Some(false) || self.hides_counter(id) || !self.is_chosen_view(id) {
            return false;
        }
        match field.kind {
            Kind::Group => true,
            Kind::Pointer => included == Some(true),
            _ => !field.filler || self.exposes_filler(id),
        }
    }

    fn hides_counter(&self, id: FieldId) -> bool {
        self.options.counters == Counters::Hide && self.is_counter(id)
    }

    fn is_counter(&self, id: FieldId) -> bool {
        self.shape.counter_of(id).is_some()
    }

    /// Of several views of the same bytes, those show that the options include, or else the first one.
    fn is_chosen_view(&self, id: FieldId) -> bool {
        let original = self.layout.field(id).redefines.unwrap_or(id);
        self.chosen_views.get(&original).map_or(original == id, |chosen| chosen.contains(&id))
    }

    /// The data of a member that is one of several views; none for all other members.
    fn view(&mut self, id: FieldId) -> Option<View> {
        let field = self.layout.field(id);
        let area = field.redefines.unwrap_or(id);
        let has_rule = self.choice(id).is_some_and(|choice| choice.when.is_some());
        let chosen = self.chosen_views.get(&area).map_or(0, Vec::len);
        if chosen < 2 && !has_rule && !self.shape.varies_within(id) {
            return None;
        }
        let shown = match self.rule(id) {
            Some(rule) => Shown::If(rule),
            None if self.fallbacks.contains(&id) => {
                let others = self.chosen_views.get(&area).cloned().unwrap_or_default();
                Shown::Unless(others.into_iter().filter_map(|other| self.rule(other)).collect())
            }
            None => Shown::Always,
        };
        let initial = initial_of(self.layout, id, self.options, self.shape, self.tables);
        let initial = initial.unwrap_or_else(|errors| {
            self.errors.extend(errors);
            Vec::new()
        });
        Some(View { area, shown, initial })
    }

    /// The number of the rule of a view. The rule is compiled at its first use.
    fn rule(&mut self, id: FieldId) -> Option<usize> {
        if let Some(known) = self.rule_numbers.get(&id) {
            return *known;
        }
        let when = self.choice(id)?.when.clone()?;
        let number = match Rule::new(self.layout, id, &when, self.options, self.tables) {
            Ok(rule) => {
                self.rules.push(rule);
                Some(self.rules.len() - 1)
            }
            Err(message) => {
                self.fail(id, message);
                None
            }
        };
        self.rule_numbers.insert(id, number);
        number
    }

    fn member(&mut self, id: FieldId, depth: usize, names: &mut UniqueNames) -> Option<Member> {
        let field = self.layout.field(id);
        let table = self.shape.rows_of(id).map(|rows| {
            let (min, max) = self.shape.limits(rows);
            Table { stride: field.bytes, min, max, counter: rows.counter, depth }
        });
        let inner_depth = depth + usize::from(table.is_some());
        if inner_depth > TABLE_DEPTH_MAX {
            self.fail(id, format!("tables nest deeper than {TABLE_DEPTH_MAX}"));
            return None;
        }
        let choice = self.choice(id).cloned().unwrap_or_default();
        let node = if field.kind == Kind::Group {
            let mut inner_names = self.options.naming.unique();
            self.reserve_names(field, &mut inner_names);
            let members = self.members(field, inner_depth, &mut inner_names);
            if members.is_empty() {
                return None;
            }
            Node::Object(members)
        } else {
            Node::Scalar(self.slot(id, &choice)?)
        };
        let name = choice.name.unwrap_or_else(|| names.add(self.name_of(id, field)));
        let view = self.view(id);
        let inner = matches!(&node, Node::Object(members) if table.is_none() && members.iter().any(|member| member.required));
        // An attribute that is left out for some value may be missing, too.
        let attribute = choice.xml.as_ref().is_some_and(|xml| xml.form == XmlForm::Attribute);
        let demanded = self.options.missing_fields == MissingFields::Refuse
            && !(attribute && choice.omit.is_some())
            && table.is_none_or(|table| {
                table.counter.is_none() && self.options.missing_rows == MissingRows::Refuse
            });
        if choice.required && view.is_some() {
            self.fail(id, "a view among several cannot be required".to_owned());
        }
        let required = (choice.required || inner || demanded) && view.is_none();
        let listed = if self.options.conditions == Conditions::Ignore { None } else { listed(field, &node) };
        let description = choice.description;
        let (synchronized, counter) = (field.synchronized, None);
        Some(Member {
            name,
            field: id,
            node,
            table,
            required,
            description,
            view,
            listed,
            synchronized,
            counter,
        })
    }

    fn name_of(&self, id: FieldId, field: &Field) -> String {
        if field.filler {
            self.options.naming.filler(self.fillers.get(&id).copied().unwrap_or_default())
        } else {
            self.options.naming.apply(&field.spelling)
        }
    }

    fn slot(&mut self, id: FieldId, choice: &FieldOptions) -> Option<Slot> {
        match slot_of(self.layout, id, self.options, self.tables) {
            Ok(mut slot) => {
                if let Err(message) = limit(&mut slot, choice) {
                    self.fail(id, message);
                    return None;
                }
                if let (Some(counter), Some(limits)) = (self.shape.counter_of(id), slot.codec.limits_mut()) {
                    limits.greatest = limits.greatest.min(self.shape.counters[counter].max as i128);
                    limits.least = limits.least.max(0);
                }
                Some(slot)
            }
            Err(message) => {
                self.fail(id, message);
                None
            }
        }
    }

    /// Notes which views the options include.
    fn choose_views(&mut self) {
        for (id, field) in self.layout.iter() {
            let Some(choice) = self.choice(id) else { continue };
            if choice.when.is_some() && !self.layout.is_overlaid(id) {
                self.fail(id, "'when' is for views of a REDEFINES".to_owned());
            } else if choice.included == Some(true) || choice.when.is_some() {
                self.chosen_views.entry(field.redefines.unwrap_or(id)).or_default().push(id);
            }
        }
        // If there are only rules, and none for the first view, that view shows in all other records.
        let areas: Vec<FieldId> = self.chosen_views.keys().copied().collect();
        for area in areas {
            let views = &self.chosen_views[&area];
            let rules =
                views.iter().all(|view| self.choice(*view).is_some_and(|choice| choice.when.is_some()));
            let hidden =
                self.choice(area).is_some_and(|choice| choice.removed || choice.included == Some(false));
            if rules && !hidden && !views.contains(&area) {
                self.fallbacks.insert(area);
                self.chosen_views.entry(area).or_default().insert(0, area);
            }
        }
    }

    /// Refuses choices for fields that do not show. They would have no effect.
    fn check_unused(&mut self, members: &[Member]) {
        let mut shown = HashSet::new();
        collect_fields(members, &mut shown);
        let mut unused: Vec<FieldId> = self
            .options
            .fields
            .iter()
            .filter(|(id, choice)| {
                let for_shown = choice.name.is_some()
                    || choice.required
                    || choice.minimum.is_some()
                    || choice.maximum.is_some();
                for_shown
                    && choice.included != Some(false)
                    && !choice.removed
                    && !shown.contains(*id)
                    && !self.failed.iter().any(|failed| self.layout.is_within(*failed, **id))
            })
            .map(|(id, _)| *id)
            .collect();
        unused.sort_unstable();
        for id in unused {
            let why = if self.hides_counter(id) {
                "it is the counter of a table and is filled from the array's length"
            } else {
                "it is not part of the interface"
            };
            self.fail(
                id,
                format!("name, limits or 'required' are given for a field that does not show: {why}"),
            );
        }
    }

    fn fail(&mut self, id: FieldId, message: String) {
        let Place { line, .. } = self.layout.field(id).place;
        self.failed.push(id);
        self.errors.push(CompileError { field: self.layout.path(id), line, message });
    }
}

fn each_member(members: &mut [Member], visit: &mut impl FnMut(&mut Member)) {
    for member in members {
        visit(member);
        if let Node::Object(inner) = &mut member.node {
            each_member(inner, visit);
        }
    }
}

fn collect_fields(members: &[Member], shown: &mut HashSet<FieldId>) {
    for member in members {
        shown.insert(member.field);
        if let Node::Object(inner) = &member.node {
            collect_fields(inner, shown);
        }
    }
}

/// Narrows a slot to the limits that the options give.
pub(crate) fn limit(slot: &mut Slot, choice: &FieldOptions) -> Result<(), String> {
    if choice.minimum.is_none() && choice.maximum.is_none() {
        return Ok(());
    }
    let Some(codec) = slot.codec.limits_mut() else {
        return Err("minimum and maximum are for decimal numbers".to_owned());
    };
    let parse = |text: &str| {
        Decimal::from_text(text.as_bytes())
            .and_then(|decimal| decimal.scaled_to(codec.scale))
            .map_err(|_| format!("the limit '{text}' is not a number that the field can hold"))
    };
    let least = choice.minimum.as_deref().map(parse).transpose()?.unwrap_or(codec.least);
    let greatest = choice.maximum.as_deref().map(parse).transpose()?.unwrap_or(codec.greatest);
    if least < codec.least || greatest > codec.greatest {
        return Err("a limit is beyond what the field can hold".to_owned());
    }
    if least > greatest {
        return Err("minimum is greater than maximum".to_owned());
    }
    (codec.least, codec.greatest) = (least, greatest);
    Ok(())
}
