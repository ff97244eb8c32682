//! Names of elements and attributes in several namespaces. They are checked and compiled when a bind is made.
//! Binds without such choices do not have these parts.

use std::collections::{HashMap, HashSet};

use ::xml::{Cursor, Open, OtherAttributes, XML, XMLNS, XSI, is_name, scan};
use copybook::{FieldId, Layout};

use super::{Nil, XmlField, XmlForm};
use crate::error::CompileError;
use crate::lookup::Lookup;
use crate::model::{Member, Node, Table};
use crate::options::{Naming, Options};

/// The names of the members of one object, in the order of its plan.
#[derive(Debug)]
pub(crate) struct Names {
    /// The local names of elements, each once.
    lookup: Lookup,
    /// For each of these names, the first member that has it.
    first: Vec<usize>,
    members: Vec<Name>,
    /// The positions of attributes.
    pub(crate) attributes: Vec<usize>,
    /// The member that is the text of the element.
    pub(crate) text: Option<usize>,
    /// The position of the first element.
    pub(crate) first_element: usize,
    /// The elements come in any order.
    pub(crate) any_order: bool,
}

#[derive(Debug)]
struct Name {
    local: Box<str>,
    /// Empty for none.
    namespace: Box<str>,
    form: XmlForm,
    /// The element may be nil, and counts as missing then.
    nillable: bool,
    /// The next element with the same local name.
    next: Option<usize>,
    /// The value of an empty element, and of an attribute that is missing.
    default: Option<Box<str>>,
    /// The default is the only value.
    fixed: bool,
    other_attributes: OtherAttributes,
    inner: Option<Names>,
}

impl Names {
    /// The position of an element. `expected` is tried first.
    #[inline]
    pub(crate) fn find(&self, cursor: &Cursor<'_>, open: &Open<'_>, expected: usize) -> Option<usize> {
        let is_it = |name: &Name| {
            name.form == XmlForm::Element && &*name.local == open.name && cursor.is_in(open, &name.namespace)
        };
        if self.members.get(expected).is_some_and(is_it) {
            return Some(expected);
        }
        let mut candidate = self.first.get(self.lookup.find(open.name.as_bytes(), usize::MAX)?).copied();
        while let Some(position) = candidate {
            let name = &self.members[position];
            if is_it(name) {
                return Some(position);
            }
            candidate = name.next;
        }
        None
    }

    /// The position of an attribute.
    pub(crate) fn attribute(&self, namespace: &str, local: &str) -> Option<usize> {
        let is_it = |position: &usize| {
            let name = &self.members[*position];
            &*name.local == local && &*name.namespace == namespace
        };
        self.attributes.iter().copied().find(is_it)
    }

    /// True if a nil element counts as missing.
    pub(crate) fn is_nillable(&self, position: usize) -> bool {
        self.members[position].nillable
    }

    /// The names in a member that is a group.
    pub(crate) fn inner(&self, position: usize) -> Option<&Names> {
        self.members[position].inner.as_ref()
    }

    /// The value of an empty element, and of an attribute that is missing.
    #[inline]
    pub(crate) fn default(&self, position: usize) -> Option<&str> {
        self.members[position].default.as_deref()
    }

    /// The only value of an element or attribute.
    #[inline]
    pub(crate) fn fixed(&self, position: usize) -> Option<&str> {
        self.default(position).filter(|_| self.members[position].fixed)
    }

    /// The attributes that an element may have although no field has them.
    pub(crate) fn other_attributes(&self, position: usize) -> &OtherAttributes {
        &self.members[position].other_attributes
    }

    /// The known name nearest to an unknown one.
    pub(crate) fn nearest(&self, name: &str) -> Option<&str> {
        self.lookup.nearest(name)
    }
}

/// The names of fields in tags, with their prefixes, if they differ from those of all elements.
#[derive(Debug, Default)]
pub(crate) struct Tags {
    /// The prefix of elements with its colon, or nothing.
    pub(crate) prefix: String,
    own: HashMap<FieldId, String>,
    forms: HashMap<FieldId, XmlForm>,
    /// Missing elements that are written as nil.
    nils: HashSet<FieldId>,
}

impl Tags {
    /// All names have one prefix, with its colon.
    pub(crate) fn new(prefix: String) -> Self {
        Self { prefix, ..Self::default() }
    }

    /// The name of a member in a tag.
    pub(crate) fn name(&self, member: &Member) -> String {
        match self.own.get(&member.field) {
            Some(name) => name.clone(),
            None => format!("{}{}", self.prefix, member.name),
        }
    }

    /// The form of a member.
    pub(crate) fn form(&self, member: &Member) -> XmlForm {
        self.forms.get(&member.field).copied().unwrap_or_default()
    }

    /// True if the missing element is written as nil.
    pub(crate) fn writes_nil(&self, member: &Member) -> bool {
        self.nils.contains(&member.field)
    }

    /// The number of attributes among the members.
    pub(crate) fn attributes(&self, members: &[Member]) -> usize {
        if self.forms.is_empty() {
            return 0;
        }
        members.iter().filter(|member| self.form(member) == XmlForm::Attribute).count()
    }
}

/// The parts of a bind for such names.
pub(crate) struct Qualified {
    /// The members under names that are unique in their object; paths in errors have them.
    pub(crate) members: Vec<Member>,
    pub(crate) names: Names,
    pub(crate) tags: Tags,
    /// Prefixes and namespaces to be declared, beside that of all elements.
    pub(crate) declarations: Vec<(String, String)>,
}

/// Makes the names; none if no field has a choice for them.
///
/// # Errors
/// Names or namespaces that XML does not allow, equal names, and attributes where XML cannot have them.
pub(crate) fn qualified(
    members: &[Member],
    layout: &Layout,
    options: &Options,
) -> Result<Option<Qualified>, CompileError> {
    if options.fields.values().all(|choice| choice.xml.is_none()) {
        return Ok(None);
    }
    let mut builder = Builder { layout, options, prefixes: Vec::new(), tags: Tags::default() };
    builder.name_prefixes(members);
    let (members, names) = builder.object(members)?;
    let main = options.xml.namespace.as_deref();
    let declarations = builder.prefixes.iter().filter(|(prefix, uri)| {
        let is_main = Some(uri.as_str()) == main && builder.tags.prefix.strip_suffix(':') == Some(prefix);
        !is_main && uri != XML
    });
    let declarations = declarations.cloned().collect();
    Ok(Some(Qualified { members, names, tags: builder.tags, declarations }))
}

struct Builder<'l> {
    layout: &'l Layout,
    options: &'l Options,
    /// Prefixes and their namespaces, in the order of their first use.
    prefixes: Vec<(String, String)>,
    tags: Tags,
}

impl Builder<'_> {
    fn choice(&self, member: &Member) -> XmlField {
        let choice = self.options.fields.get(&member.field).and_then(|choice| choice.xml.clone());
        choice.unwrap_or_default()
    }

    /// The namespace of an element or attribute; empty for none.
    fn namespace(&self, choice: &XmlField) -> String {
        match (&choice.namespace, choice.form) {
            (Some(namespace), _) => namespace.clone(),
            (None, XmlForm::Element) => self.options.xml.namespace.clone().unwrap_or_default(),
            (None, _) => String::new(),
        }
    }

    /// Gives each namespace a prefix. The namespace of all elements is the default one, unless the options
    /// give it a prefix, or elements without a namespace stand beside it.
    fn name_prefixes(&mut self, members: &[Member]) {
        let mut used = Vec::new();
        self.gather(members, &mut used);
        let main = self.options.xml.namespace.clone();
        let has_bare = used.iter().any(|(uri, form)| uri.is_empty() && *form == XmlForm::Element);
        let given = self.options.xml.prefix.clone();
        if let Some(main) = &main
            && (given.is_some() || has_bare)
        {
            let prefix = given.clone().unwrap_or_else(|| "ns".to_owned());
            self.tags.prefix = format!("{prefix}:");
            self.prefixes.push((prefix, main.clone()));
        }
        for (uri, form) in used {
            let is_default =
                form == XmlForm::Element && main.as_ref() == Some(&uri) && self.tags.prefix.is_empty();
            if uri.is_empty() || is_default || self.prefixes.iter().any(|(_, known)| *known == uri) {
                continue;
            }
            let prefix = if uri == XML { "xml".to_owned() } else { self.free_prefix() };
            self.prefixes.push((prefix, uri));
        }
    }

    /// A prefix that is not in use.
    fn free_prefix(&self) -> String {
        let is_free = |prefix: &String| self.prefixes.iter().all(|(known, _)| known != prefix);
        (1..).map(|number| format!("ns{number}")).find(is_free).unwrap_or_default()
    }

    fn gather(&self, members: &[Member], used: &mut Vec<(String, XmlForm)>) {
        for member in members {
            let choice = self.choice(member);
            let entry = (self.namespace(&choice), choice.form);
            if choice.form != XmlForm::Text && !used.contains(&entry) {
                used.push(entry);
            }
            if let Node::Object(inner) = &member.node {
                self.gather(inner, used);
            }
        }
    }

    fn object(&mut self, members: &[Member]) -> Result<(Vec<Member>, Names), CompileError> {
        let mut unique = Naming::default().unique();
        let (mut renamed, mut names) = (Vec::new(), Vec::<Name>::new());
        let (mut locals, mut first) = (Vec::<Box<str>>::new(), Vec::new());
        let (mut attributes, mut text, mut first_element) = (Vec::new(), None, None);
        let mut taken = HashSet::new();
        for (position, member) in members.iter().enumerate() {
            let choice = self.choice(member);
            let (local, namespace) = self.named(member, &choice)?;
            if choice.form != XmlForm::Text && !taken.insert((choice.form, namespace.clone(), local.clone()))
            {
                return Err(self.fault(member, format!("the name '{local}' is given twice in one element")));
            }
            match choice.form {
                XmlForm::Element if text.is_some() => {
                    return Err(self.fault(member, "an element with text cannot have elements".to_owned()));
                }
                XmlForm::Element => {
                    first_element.get_or_insert(position);
                    chain(&local, position, &mut locals, &mut first, &mut names);
                }
                XmlForm::Attribute if first_element.is_some() || text.is_some() => {
                    let message = "attributes must come before the elements and the text of their group";
                    return Err(self.fault(member, message.to_owned()));
                }
                XmlForm::Attribute => attributes.push(position),
                XmlForm::Text if first_element.is_some() || text.is_some() => {
                    let message = "the text of an element must be its only content";
                    return Err(self.fault(member, message.to_owned()));
                }
                XmlForm::Text => text = Some(position),
            }
            let mut member = member.clone();
            self.tag(&member, &choice, &local, &namespace);
            member.name = unique.add(local.clone());
            let inner = match &member.node {
                Node::Scalar(_) => None,
                Node::Object(members) => {
                    let (members, names) = self.object(members)?;
                    member.node = Node::Object(members);
                    Some(names)
                }
            };
            let default = self.default(&member, &choice)?;
            let form = choice.form;
            let (local, namespace, nillable) =
                (local.into(), namespace.into(), self.nillable(&member, choice.nil)?);
            let (fixed, other_attributes) = (choice.fixed, choice.other_attributes);
            names.push(Name {
                local,
                namespace,
                form,
                nillable,
                next: None,
                default,
                fixed,
                other_attributes,
                inner,
            });
            renamed.push(member);
        }
        let first_element = first_element.unwrap_or(members.len());
        let any_order = self.any_order(members)?;
        let lookup = Lookup::new(locals);
        Ok((renamed, Names { lookup, first, members: names, attributes, text, first_element, any_order }))
    }

    /// True if the elements of an object come in any order.
    fn any_order(&self, members: &[Member]) -> Result<bool, CompileError> {
        let mut any_order = None;
        for member in members {
            let choice = self.choice(member);
            match (choice.form, any_order.replace(choice.any_order)) {
                (XmlForm::Element, Some(known)) if known != choice.any_order => {
                    let message = "either all elements of a group come in any order, or none of them";
                    return Err(self.fault(member, message.to_owned()));
                }
                (XmlForm::Attribute | XmlForm::Text, _) if choice.any_order => {
                    let message = "only elements come in any order";
                    return Err(self.fault(member, message.to_owned()));
                }
                (XmlForm::Attribute | XmlForm::Text, known) => any_order = known,
                (XmlForm::Element, _) => {}
            }
        }
        Ok(any_order.unwrap_or_default())
    }

    /// The local name and the namespace of a member, checked.
    fn named(&self, member: &Member, choice: &XmlField) -> Result<(String, String), CompileError> {
        let local = choice.name.clone().unwrap_or_else(|| ::xml::element_name(&member.name));
        let namespace = self.namespace(choice);
        if !is_name(&local) {
            return Err(self.fault(member, format!("'{local}' is not a name of XML")));
        }
        let is_reserved = namespace == XSI
            || namespace == XMLNS
            || (namespace == XML && choice.form != XmlForm::Attribute)
            || (choice.form == XmlForm::Attribute && namespace.is_empty() && local == "xmlns");
        if is_reserved || scan(&namespace).forbidden.is_some() {
            return Err(self.fault(member, "this namespace or name is XML's own".to_owned()));
        }
        let is_single = matches!(member.node, Node::Scalar(_)) && member.table.is_none();
        if choice.form != XmlForm::Element && (!is_single || member.view.is_some()) {
            let message = "only a single value can be an attribute or the text of an element";
            return Err(self.fault(member, message.to_owned()));
        }
        Ok((local, namespace))
    }

    /// True if the element may be nil: a counter says whether it is there.
    fn nillable(&mut self, member: &Member, nil: Nil) -> Result<bool, CompileError> {
        if nil == Nil::Refuse {
            return Ok(false);
        }
        let one = |table: &Table| (table.min, table.max) == (0, 1) && table.counter.is_some();
        if !member.table.as_ref().is_some_and(one) {
            let message = "nil is for an element that is there once or not at all, as a counter says";
            return Err(self.fault(member, message.to_owned()));
        }
        if nil == Nil::Write {
            self.tags.nils.insert(member.field);
        }
        Ok(true)
    }

    /// The value of an empty element, or of an attribute that is missing.
    fn default(&self, member: &Member, choice: &XmlField) -> Result<Option<Box<str>>, CompileError> {
        if choice.default.is_some() && !matches!(member.node, Node::Scalar(_)) {
            return Err(self.fault(member, "only a single value has a default".to_owned()));
        }
        Ok(choice.default.as_deref().map(Box::from))
    }

    fn tag(&mut self, member: &Member, choice: &XmlField, local: &str, namespace: &str) {
        let is_main = self.options.xml.namespace.as_deref().unwrap_or_default() == namespace;
        let name = match self.prefixes.iter().find(|(_, uri)| uri == namespace) {
            _ if namespace.is_empty() => local.to_owned(),
            _ if is_main && choice.form == XmlForm::Element => format!("{}{local}", self.tags.prefix),
            Some((prefix, _)) => format!("{prefix}:{local}"),
            None => local.to_owned(),
        };
        self.tags.own.insert(member.field, name);
        if choice.form != XmlForm::Element {
            self.tags.forms.insert(member.field, choice.form);
        }
    }

    fn fault(&self, member: &Member, message: String) -> CompileError {
        let line = self.layout.field(member.field).place.line;
        CompileError { field: self.layout.path(member.field), line, message }
    }
}

/// Adds an element under its local name, behind others of the same name.
fn chain(
    local: &str,
    position: usize,
    locals: &mut Vec<Box<str>>,
    first: &mut Vec<usize>,
    names: &mut [Name],
) {
    let Some(known) = locals.iter().position(|known| &**known == local) else {
        locals.push(local.into());
        first.push(position);
        return;
    };
    let mut last = first[known];
    while let Some(next) = names[last].next {
        last = next;
    }
    names[last].next = Some(position);
}
