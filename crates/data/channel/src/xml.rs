//! Messages of XML over the same nodes as JSON: elements become containers, and containers elements.

mod any;
mod names;
mod read;
mod write;

pub(crate) use names::Prefixes;
pub(crate) use read::channel;
pub(crate) use write::element;

use assistant::XmlForm;

use crate::plan::{Area, Member, Node, Object};

/// The form of an object, if it does not simply have elements.
enum Special<'p> {
    /// The attribute `xsi:type` of the element around tells which of the types is there: each is an object with one member,
    /// which the choice of this member puts into a container.
    Chosen(&'p Member),
    /// The same, with all types in the record.
    Types(&'p Object),
    /// Any content: its text, and the declarations of prefixes.
    Any(&'p Member, &'p Member),
}

impl<'p> Special<'p> {
    fn of(object: &'p Object, areas: &'p [Area]) -> Option<Self> {
        match object.members.as_slice() {
            // A wildcard counts elements, and so its content is not simply any.
            [text, prefixes]
                if (text.form(), prefixes.form()) == (Some(XmlForm::Any), Some(XmlForm::Prefixes))
                    && text.wildcard().is_none() =>
            {
                Some(Special::Any(text, prefixes))
            }
            [only] if only.form() == Some(XmlForm::Group) => {
                let choice = match &only.node {
                    Node::Choice(choice) => choice,
                    // The element of the body stands for itself: it is the one group of its record.
                    Node::Object(inner) => return Special::of(inner, areas),
                    _ => return None,
                };
                let first = choice.areas.first().and_then(|area| option(areas, *area))?;
                (first.form() == Some(XmlForm::Type)).then_some(Special::Chosen(only))
            }
            [first, ..] if first.form() == Some(XmlForm::Type) => Some(Special::Types(object)),
            _ => None,
        }
    }
}

/// The member of a choice that an area holds.
fn option(areas: &[Area], area: usize) -> Option<&Member> {
    match &areas[area].node {
        Node::Object(object) => object.members.first(),
        _ => None,
    }
}
