//! Files with records of several kinds: which view a record has, and which records belong to which.

use std::collections::BTreeMap;

use copybook::{FieldId, Layout};

use super::super::tree::Tree;
use super::options::CaseOptions;
use super::rules::{Rule, value};

/// The kinds of records.
#[derive(Default)]
pub(super) struct Segments {
    /// The field that says which kind a record is.
    field: Option<FieldId>,
    /// Values of the field, and the view that they stand for.
    views: BTreeMap<String, FieldId>,
    /// Children of a view, by child.
    parents: BTreeMap<FieldId, FieldId>,
    /// Views that show by the values of other fields.
    rules: Vec<Rule>,
    /// Only records with one of these values are wanted.
    wanted: Option<Vec<String>>,
}

impl Segments {
    pub(super) fn new(layout: &Layout, options: &CaseOptions) -> Result<Self, String> {
        let find = |name: &str| {
            let name = name.trim();
            let folded = |name: &str| name.to_ascii_uppercase().replace('_', "-");
            let found = layout.iter().find(|(_, field)| folded(&field.name) == folded(name));
            found.map(|(id, _)| id).ok_or_else(|| format!("no field {name}"))
        };
        let mut segments = Segments::default();
        for rule in options.all("redefine_rule") {
            let (view, condition) = rule.split_once("=>").ok_or_else(|| format!("the rule {rule}"))?;
            segments.rules.push(Rule::new(find(view)?, condition));
        }
        let Some(field) = options.get("segment_field") else { return Ok(segments) };
        segments.field = Some(find(field)?);
        for rule in options.all("redefine_segment_id_map") {
            let (view, values) = rule.split_once("=>").ok_or_else(|| format!("the rule {rule}"))?;
            for value in values.split(',') {
                segments.views.insert(value.trim().to_owned(), find(view)?);
            }
        }
        for rule in options.all("segment_children") {
            let (parent, children) = rule.split_once("=>").ok_or_else(|| format!("the rule {rule}"))?;
            for child in children.split(',') {
                segments.parents.insert(find(child)?, find(parent)?);
            }
        }
        let wanted = options.get("segment_filter");
        segments.wanted =
            wanted.map(|values| values.split(',').map(|value| value.trim().to_owned()).collect());
        Ok(segments)
    }

    /// Chooses the views of records, leaves out those that are not wanted, and puts children into their parents.
    ///
    /// # Errors
    /// A rule is not understood.
    pub(super) fn arrange(&self, layout: &Layout, mut records: Vec<Tree>) -> Result<Vec<Tree>, String> {
        for record in &mut records {
            let mut hidden = Vec::new();
            for rule in &self.rules {
                if !rule.holds(layout, record)? {
                    hidden.push(rule.view);
                }
            }
            hide(record, &hidden);
        }
        let Some(field) = self.field else { return Ok(records) };
        let mut roots: Vec<Tree> = Vec::new();
        // Where the latest record of each kind lies, in the root.
        for mut record in records {
            let kind = match value(&record, field) {
                Some(Tree::Text(text)) => text.trim_matches(|c| c <= ' ').to_owned(),
                Some(Tree::Number(text)) => text.clone(),
                _ => String::new(),
            };
            let view = self.views.get(&kind).copied();
            if let Some(wanted) = &self.wanted
                && !wanted.contains(&kind)
                && !wanted
                    .iter()
                    .any(|value| self.views.get(value).is_some_and(|wanted| Some(*wanted) == view))
            {
                continue;
            }
            self.keep_only(&mut record, view);
            let parent = view.and_then(|view| self.parents.get(&view));
            match (view, parent) {
                (Some(view), Some(_)) => {
                    let Some(root) = roots.last_mut() else { continue };
                    let Some(part) = find(&mut record, view).cloned() else { continue };
                    self.adopt(root, view, self.with_room(view, part));
                }
                (Some(view), None) => {
                    if let Some(part) = find(&mut record, view) {
                        *part = self.with_room(view, part.clone());
                    }
                    roots.push(record);
                }
                (None, _) if self.parents.is_empty() => roots.push(record),
                // A record of no known kind belongs nowhere.
                (None, _) => {}
            }
        }
        Ok(roots)
    }

    fn keep_only(&self, tree: &mut Tree, view: Option<FieldId>) {
        match tree {
            Tree::Members(members) => {
                members.retain(|id, _| view == Some(*id) || !self.views.values().any(|other| other == id));
                members.values_mut().for_each(|member| self.keep_only(member, view));
            }
            Tree::Rows(rows) => rows.iter_mut().for_each(|row| self.keep_only(row, view)),
            _ => {}
        }
    }

    /// Adds the lists that a view's children will be in.
    fn with_room(&self, view: FieldId, part: Tree) -> Tree {
        let Tree::Members(mut members) = part else { return part };
        let children = self.parents.iter().filter(|(_, parent)| **parent == view);
        members.extend(children.map(|(child, _)| (*child, Tree::Rows(Vec::new()))));
        Tree::Members(members)
    }

    /// Adds a child to the latest of its parents.
    fn adopt(&self, root: &mut Tree, child: FieldId, part: Tree) {
        if let Some(Tree::Rows(rows)) = find_last(root, child) {
            rows.push(part);
        }
    }
}

/// Takes fields out.
fn hide(tree: &mut Tree, hidden: &[FieldId]) {
    match tree {
        Tree::Members(members) => {
            members.retain(|id, _| !hidden.contains(id));
            members.values_mut().for_each(|member| hide(member, hidden));
        }
        Tree::Rows(rows) => rows.iter_mut().for_each(|row| hide(row, hidden)),
        _ => {}
    }
}

fn find(tree: &mut Tree, id: FieldId) -> Option<&mut Tree> {
    let Tree::Members(members) = tree else { return None };
    if members.contains_key(&id) {
        return members.get_mut(&id);
    }
    members.values_mut().find_map(|member| find(member, id))
}

/// The field in the last rows.
fn find_last(tree: &mut Tree, id: FieldId) -> Option<&mut Tree> {
    match tree {
        Tree::Members(members) => {
            if members.contains_key(&id) {
                return members.get_mut(&id);
            }
            members.values_mut().find_map(|member| find_last(member, id))
        }
        Tree::Rows(rows) => rows.last_mut().and_then(|row| find_last(row, id)),
        _ => None,
    }
}
