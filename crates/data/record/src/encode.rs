//! JSON and XML to record: the plan of each object, and the target of both. One pass over the text writes
//! each value straight to its place.

mod json;
mod sink;

use copybook::{FieldId, Layout};

pub(crate) use json::JsonReader;
pub(crate) use sink::{RequestPolicies, Sink, Target};

use crate::json::json_name;
use crate::lookup::Lookup;
use crate::model::{Member, Node, Shown};
use crate::number::QuickNumber;
use crate::slot::{Codec, Slot};
use crate::text::TextCodec;
use crate::views::Rule;

/// The plan of one JSON object.
#[derive(Clone, Debug)]
pub(crate) struct ObjectPlan {
    pub(crate) lookup: Lookup,
    pub(crate) members: Vec<MemberPlan>,
    /// Positions of members that must be there.
    pub(crate) required: Vec<usize>,
    /// Some members are views of the same bytes.
    pub(crate) has_views: bool,
    /// The choices between views of the same bytes, by the fields that tell views apart.
    pub(crate) choices: Vec<ChoicePlan>,
}

/// Views of the same bytes, each with a rule.
#[derive(Clone, Debug)]
pub(crate) struct ChoicePlan {
    pub(crate) area: FieldId,
    pub(crate) rules: Vec<usize>,
    /// Their names, for messages.
    pub(crate) names: Box<str>,
}

impl ChoicePlan {
    /// The choices of an object. If a view has no rule, the record may always hold it, so there is no choice.
    fn all(members: &[Member]) -> Vec<Self> {
        let mut choices: Vec<Self> = Vec::new();
        let views = || members.iter().filter_map(|member| Some((member, member.view.as_ref()?)));
        for (_, first) in views() {
            if choices.iter().any(|known| known.area == first.area) {
                continue;
            }
            let of_area: Vec<_> = views().filter(|(_, view)| view.area == first.area).collect();
            let rules: Option<Vec<usize>> = of_area
                .iter()
                .map(|(_, view)| match view.shown {
                    Shown::If(rule) => Some(rule),
                    Shown::Always | Shown::Unless(_) => None,
                })
                .collect();
            let names: Vec<String> = of_area.iter().map(|(member, _)| format!("'{}'", member.name)).collect();
            choices.extend(rules.map(|rules| Self {
                area: first.area,
                rules,
                names: names.join(", ").into(),
            }));
        }
        choices
    }
}

#[derive(Clone, Debug)]
pub(crate) struct MemberPlan {
    pub(crate) name: Box<str>,
    pub(crate) key: Key,
    /// The way to write most values.
    pub(crate) quick: Quick,
    pub(crate) value: ValuePlan,
    pub(crate) table: Option<TablePlan>,
    pub(crate) view: Option<ViewPlan>,
    /// The field tells which view of other bytes the record holds, or the number of rows of a table.
    pub(crate) tells: bool,
    /// The number of its counter, if the field is one.
    pub(crate) counter: Option<usize>,
}

/// The way to write most values of a member, at an offset: numbers without an exponent, text without escapes.
#[derive(Clone, Debug)]
pub(crate) enum Quick {
    Number {
        number: QuickNumber,
        offset: usize,
    },
    Text {
        codec: TextCodec,
        offset: usize,
        bytes: usize,
    },
    /// All other members. Some have more to note than their value.
    Never,
}

impl Quick {
    fn new(member: &Member, tells: bool) -> Self {
        let Node::Scalar(slot) = &member.node else { return Quick::Never };
        if tells || member.view.is_some() {
            return Quick::Never;
        }
        let (offset, bytes) = (slot.offset, slot.bytes);
        match &slot.codec {
            Codec::Text(codec) => Quick::Text { codec: *codec, offset, bytes },
            Codec::Number(codec) => match QuickNumber::new(codec, bytes) {
                Some(number) => Quick::Number { number, offset },
                None => Quick::Never,
            },
            Codec::Rich(_) => Quick::Never,
        }
    }
}

/// A member's name as JSON has it, with quotes and colon.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    bytes: Box<[u8]>,
    /// The first bytes of the key, and the mask of their bits.
    first: u128,
    mask: u128,
}

impl Key {
    fn new(name: &str) -> Self {
        let bytes = json_name(name);
        let mut first = [0; 16];
        let length = bytes.len().min(first.len());
        first[..length].copy_from_slice(&bytes[..length]);
        let mask = u128::MAX >> (u128::BITS - 8 * length as u32);
        Self { bytes: bytes.into(), first: u128::from_le_bytes(first), mask }
    }

    /// The length of the key if a text starts with it.
    #[inline]
    pub(crate) fn starts(&self, text: &[u8]) -> Option<usize> {
        let length = self.bytes.len();
        let is_first = match text.first_chunk::<16>() {
            Some(window) => (u128::from_le_bytes(*window) ^ self.first) & self.mask == 0,
            None => true,
        };
        let is_whole = is_first && ((length <= 16 && text.len() >= 16) || text.starts_with(&self.bytes));
        is_whole.then_some(length)
    }
}

/// A member that is one of several views of the same bytes.
#[derive(Clone, Debug)]
pub(crate) struct ViewPlan {
    pub(crate) view: FieldId,
    pub(crate) area: FieldId,
    pub(crate) offset: usize,
    pub(crate) initial: Box<[u8]>,
    pub(crate) shown: Shown,
}

#[derive(Clone, Debug)]
pub(crate) enum ValuePlan {
    Object(ObjectPlan),
    Scalar(Slot),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct TablePlan {
    pub(crate) stride: usize,
    pub(crate) min: usize,
    pub(crate) max: usize,
    pub(crate) counter: Option<usize>,
    pub(crate) depth: usize,
}

impl ObjectPlan {
    /// Plans the members of an object.
    pub(crate) fn new(members: &[Member], layout: &Layout, rules: &[Rule]) -> Self {
        let names = members.iter().map(|member| member.name.as_str().into()).collect();
        let required =
            members.iter().enumerate().filter(|(_, member)| member.required).map(|(at, _)| at).collect();
        let has_views = members.iter().any(|member| member.view.is_some());
        let choices = ChoicePlan::all(members);
        let members = members.iter().map(|member| MemberPlan::new(member, layout, rules)).collect();
        Self { lookup: Lookup::new(names), members, required, has_views, choices }
    }

    /// An object with this one as its only member.
    pub(crate) fn wrapped(self, name: &str) -> Self {
        let required = if self.required.is_empty() { Vec::new() } else { vec![0] };
        let value = ValuePlan::Object(self);
        let (key, quick) = (Key::new(name), Quick::Never);
        let (table, view, tells, counter) = (None, None, false, None);
        let member = MemberPlan { name: name.into(), key, quick, value, table, view, tells, counter };
        let (lookup, members) = (Lookup::new(vec![name.into()]), vec![member]);
        Self { lookup, members, required, has_views: false, choices: Vec::new() }
    }
}

impl ObjectPlan {
    /// The only group with a member of this name.
    #[cold]
    pub(crate) fn group_with(&self, name: &str) -> Option<&str> {
        let has_it = |member: &&MemberPlan| match &member.value {
            ValuePlan::Object(inner) => {
                member.table.is_none() && inner.lookup.find(name.as_bytes(), 0).is_some()
            }
            ValuePlan::Scalar(_) => false,
        };
        let mut groups = self.members.iter().filter(has_it);
        groups.next().filter(|_| groups.next().is_none()).map(|member| &*member.name)
    }

    /// The object in this one, if it is a wrapper.
    pub(crate) fn content(&self, is_wrapper: bool) -> &Self {
        match self.members.first().map(|member| &member.value) {
            Some(ValuePlan::Object(content)) if is_wrapper => content,
            _ => self,
        }
    }
}

impl MemberPlan {
    fn new(member: &Member, layout: &Layout, rules: &[Rule]) -> Self {
        let value = match &member.node {
            Node::Object(members) => ValuePlan::Object(ObjectPlan::new(members, layout, rules)),
            Node::Scalar(slot) => ValuePlan::Scalar(slot.clone()),
        };
        let table = member.table.map(|table| TablePlan {
            stride: table.stride,
            min: table.min,
            max: table.max,
            counter: table.counter,
            depth: table.depth,
        });
        let view = member.view.as_ref().map(|view| ViewPlan {
            view: member.field,
            area: view.area,
            offset: layout.field(member.field).offset,
            initial: view.initial.as_slice().into(),
            shown: view.shown.clone(),
        });
        let counter = member.counter;
        let tells = counter.is_some() || rules.iter().any(|rule| rule.field == member.field);
        let quick = Quick::new(member, tells);
        let key = Key::new(&member.name);
        Self { name: member.name.as_str().into(), key, quick, value, table, view, tells, counter }
    }
}

/// The members of an object that were there.
pub(crate) enum Seen {
    Small(u64),
    Large(Vec<bool>),
}

impl Seen {
    #[inline]
    pub(crate) fn new(members: usize) -> Self {
        if members <= 64 { Seen::Small(0) } else { Seen::Large(vec![false; members]) }
    }

    /// Notes a member; false if it was there before.
    #[inline]
    pub(crate) fn insert(&mut self, position: usize) -> bool {
        match self {
            Seen::Small(bits) => {
                let bit = 1 << position;
                let new = *bits & bit == 0;
                *bits |= bit;
                new
            }
            Seen::Large(flags) => !std::mem::replace(&mut flags[position], true),
        }
    }

    pub(crate) fn contains(&self, position: usize) -> bool {
        match self {
            Seen::Small(bits) => bits & (1 << position) != 0,
            Seen::Large(flags) => flags[position],
        }
    }
}
