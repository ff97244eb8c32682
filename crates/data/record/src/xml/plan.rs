//! The part of a bind that only XML needs.

use ::xml::{Cursor, Open, OtherAttributes, XSI, element_name, write_attribute};
use copybook::Layout;

use super::names::{check_names, with_element_names};
use super::qualified::{Names, Qualified, Tags, qualified};
use super::read::{Content, XmlReader};
use super::write::Xml;
use super::{ElementOrder, XmlOptions};
use crate::decode::{DecodePlan, Parts, Source, Syntax, plan};
use crate::encode::{ObjectPlan, Sink};
use crate::error::{CompileError, Error};
use crate::model::{Member, Model};
use crate::options::Options;

/// The plans of the elements of a record.
#[derive(Debug)]
pub(crate) struct XmlPlan {
    /// The members under the names of their elements; none if they are the same as in JSON.
    members: Option<Vec<Member>>,
    /// The plan of the outermost element's content; none if it is the same as for JSON.
    encode: Option<ObjectPlan>,
    decode: DecodePlan,
    pub(crate) root: String,
    pub(crate) namespace: Option<String>,
    /// The names, if some are in other namespaces or some are attributes.
    pub(super) names: Option<Names>,
    /// The prefix with its colon, or nothing.
    pub(super) prefix: String,
    /// The start tag of the outermost element ends in the plan, behind its attributes.
    pub(super) has_attributes: bool,
    /// Declarations of namespaces, each with a blank before it.
    pub(super) declarations: String,
    /// The prefix of the path in an error.
    wrapper: Option<String>,
    pub(super) order: ElementOrder,
    /// The attributes that the outermost element may have although no field has them.
    other_attributes: OtherAttributes,
}

impl XmlPlan {
    /// Makes the plans.
    ///
    /// # Errors
    /// The options have a name that XML does not allow.
    pub(crate) fn new(model: &Model, parts: Parts<'_>, options: &Options) -> Result<Self, CompileError> {
        let XmlOptions { namespace, prefix, root, order, other_attributes } = options.xml.clone();
        check_names(&options.xml)?;
        let layout = parts.layout;
        let prefix = prefix.map(|prefix| format!("{prefix}:")).unwrap_or_default();
        let (members, names, tags, others) = match qualified(&model.members, layout, options)? {
            Some(Qualified { members, names, tags, declarations }) => {
                (Some(members), Some(names), tags, declarations)
            }
            None => {
                let tags = Tags::new(prefix);
                (with_element_names(&model.members), None, tags, Vec::new())
            }
        };
        let encode = members.as_deref().map(|members| ObjectPlan::new(members, layout, &model.rules));
        let shown = members.as_deref().unwrap_or(&model.members);
        let decode = plan(Parts { members: shown, ..parts }, Syntax::Xml(&tags));
        let has_attributes = tags.attributes(shown) > 0;
        let prefix = tags.prefix;
        let declarations = declarations(namespace.as_deref(), &prefix, &others, decode.has_nil());
        let root = root.unwrap_or_else(|| root_name(layout, options));
        let wrapper = options.wrapper.clone();
        Ok(Self {
            members,
            encode,
            decode,
            root,
            namespace,
            names,
            prefix,
            has_attributes,
            declarations,
            wrapper,
            order,
            other_attributes,
        })
    }

    /// The members under the names of their elements; `json` has them under those of JSON.
    pub(crate) fn members<'a>(&'a self, json: &'a [Member]) -> &'a [Member] {
        self.members.as_deref().unwrap_or(json)
    }

    /// Writes the values of the only element of a text into a record; `json` is the plan of the same members for JSON.
    pub(crate) fn fill(
        &self,
        cursor: &mut Cursor<'_>,
        json: &ObjectPlan,
        sink: Sink<'_>,
    ) -> Result<(), Error> {
        let open = cursor.root()?;
        self.fill_element(cursor, &open, json, sink)?;
        cursor.end()?;
        Ok(())
    }

    /// Writes the values of an element that was opened into a record.
    pub(crate) fn fill_element<'a>(
        &self,
        cursor: &mut Cursor<'a>,
        open: &Open<'a>,
        json: &ObjectPlan,
        sink: Sink<'_>,
    ) -> Result<(), Error> {
        let plan = self.encode.as_ref().unwrap_or(json);
        let namespace = self.namespace.as_deref().unwrap_or_default();
        let read = XmlReader::new(cursor, sink, namespace, self.order);
        let content = Content { plan, names: self.names.as_ref(), others: Some(&self.other_attributes) };
        let read = read.run(open, &self.root, content);
        read.map_err(|error| self.in_wrapper(error))
    }

    /// Writes a record as an element, with the declarations of its namespaces or without; after an error `out` is as
    /// it was.
    pub(crate) fn write(
        &self,
        record: &[u8],
        source: Source<'_>,
        declared: bool,
        out: &mut Vec<u8>,
    ) -> Result<usize, Error> {
        let start = out.len();
        out.push(b'<');
        out.extend_from_slice(self.prefix.as_bytes());
        out.extend_from_slice(self.root.as_bytes());
        if declared {
            out.extend_from_slice(self.declarations.as_bytes());
        }
        if !self.has_attributes {
            out.push(b'>');
        }
        let written = self.decode.run::<Xml>(record, source, out);
        if written.is_err() {
            out.truncate(start);
        } else {
            out.extend_from_slice(b"</");
            out.extend_from_slice(self.prefix.as_bytes());
            out.extend_from_slice(self.root.as_bytes());
            out.push(b'>');
        }
        written.map_err(|error| self.in_wrapper(error))
    }

    /// The tags of an element around records whose own elements declare nothing.
    pub(crate) fn around(&self, name: &str) -> (String, String) {
        let name = element_name(name);
        (format!("<{}{name}{}>", self.prefix, self.declarations), format!("</{}{name}>", self.prefix))
    }

    /// The paths of JSON start with the wrapper.
    fn in_wrapper(&self, error: Error) -> Error {
        match &self.wrapper {
            Some(_) if !error.path.is_empty() => error.within(&self.root),
            _ => error,
        }
    }
}

fn declarations(namespace: Option<&str>, prefix: &str, others: &[(String, String)], has_nil: bool) -> String {
    let mut text = String::new();
    let mut declare = |name: &str, uri: &str| {
        text.push_str(&format!(" {name}=\""));
        write_attribute(uri, &mut text);
        text.push('"');
    };
    match (namespace, prefix.strip_suffix(':')) {
        (Some(uri), Some(prefix)) => declare(&format!("xmlns:{prefix}"), uri),
        (Some(uri), None) => declare("xmlns", uri),
        (None, _) => {}
    }
    for (prefix, uri) in others {
        declare(&format!("xmlns:{prefix}"), uri);
    }
    if has_nil {
        declare("xmlns:xsi", XSI);
    }
    text
}

/// The name of the outermost element, if the options have none.
fn root_name(layout: &Layout, options: &Options) -> String {
    let root = layout.root();
    let name = match &options.wrapper {
        Some(wrapper) => wrapper.clone(),
        None if root.filler => "record".to_owned(),
        None => options.naming.apply(&root.spelling),
    };
    element_name(&name)
}
