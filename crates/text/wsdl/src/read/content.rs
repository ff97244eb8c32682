//! Complex types and elements: the content of an element, with references, groups, extensions and
//! restrictions resolved.

use std::collections::HashMap;

use ::xml::OtherAttributes;

use super::fault::{Fault, Place};
use super::index::{Index, Part, Space};
use super::limits::{CONTENT_DEPTH_MAX, ELEMENTS_MAX, STEPS_MAX};
use super::model::{Attribute, Base, Complex, Content, Element, Name, Simple};
use super::names::{self, children, is_true, own_attribute, xsd};
use super::simple::{FACETS, built_in};

/// The most characters of a sentence about an element.
const DOCUMENTATION_CHARACTERS_MAX: usize = 300;

/// Reads the messages of one operation.
pub(super) struct Reader<'i, 'd> {
    pub(super) index: &'i Index<'d>,
    /// The types, elements and groups around the present one.
    around: Vec<(usize, usize)>,
    elements: usize,
    steps: usize,
    /// The parts that are left out.
    pub(super) warnings: Vec<Fault>,
}

/// The content of a type.
pub(super) enum Typed {
    Simple(Simple),
    Complex(Complex),
    /// Any content. Elements with it may have the attributes of the type, which are not part of a record.
    Any(Complex),
}

impl<'i, 'd> Reader<'i, 'd> {
    pub(super) fn new(index: &'i Index<'d>) -> Self {
        Self { index, around: Vec::new(), elements: 0, steps: 0, warnings: Vec::new() }
    }

    /// Reads a part. A part must not contain itself.
    pub(super) fn within<T>(
        &mut self,
        part: Part<'d>,
        at: &Place,
        read: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let id = part.id();
        if self.around.contains(&id) {
            let name = own_attribute(part.node, "name").unwrap_or("a type");
            let message = format!("'{name}' contains itself, and a record cannot hold that");
            return Err(Fault::new(at, message));
        }
        if self.around.len() >= CONTENT_DEPTH_MAX {
            let message = format!("expected at most {CONTENT_DEPTH_MAX} types and groups in each other");
            return Err(Fault::new(at, message));
        }
        self.steps += 1;
        if self.steps > STEPS_MAX {
            let message =
                format!("expected at most {STEPS_MAX} declarations, each as often as something refers to it");
            return Err(Fault::new(at, message));
        }
        self.around.push(id);
        let read = read(self);
        self.around.pop();
        read
    }

    /// Counts a part of the message.
    pub(super) fn count(&mut self, part: Part<'d>) -> Result<(), Fault> {
        self.elements += 1;
        if self.elements > ELEMENTS_MAX {
            let message = format!("expected at most {ELEMENTS_MAX} elements and attributes in the messages");
            return Err(self.index.fault(part, message));
        }
        Ok(())
    }

    /// The global element with a name. It occurs once.
    pub(super) fn global(&mut self, name: &Name, at: &Place) -> Result<Element, Fault> {
        let part = self.index.find(Space::Element, name, at)?;
        if Index::is_abstract(part) {
            let message = format!(
                "element {name} is abstract, and a body cannot have it: expected an element that can occur"
            );
            return Err(Fault::new(at, message));
        }
        self.within(part, at, |reader| reader.element(part, name.clone()))
    }

    /// An element by its declaration. The caller sets how often it occurs.
    pub(super) fn element(&mut self, part: Part<'d>, name: Name) -> Result<Element, Fault> {
        self.count(part)?;
        let node = part.node;
        Ok(Element {
            name,
            min: 1,
            max: Some(1),
            nillable: is_true(node, "nillable"),
            fixed: own_attribute(node, "fixed").map(str::to_owned),
            default: own_attribute(node, "default").map(str::to_owned),
            content: self.content(part)?,
            documentation: documentation(part),
            place: self.index.place(part),
        })
    }

    /// The content of an element.
    fn content(&mut self, part: Part<'d>) -> Result<Content, Fault> {
        if let Some(node) = children(part.node).find(|node| xsd(*node) == "alternative") {
            return Err(self.index.fault(part.at(node), "xsd:alternative is not supported"));
        }
        if let Some(name) = self.index.name(part, "type")? {
            return self.content_named(&name, &self.index.place(part));
        }
        for node in children(part.node) {
            let inner = part.at(node);
            match xsd(node) {
                "simpleType" => {
                    let simple =
                        self.within(inner, &self.index.place(part), |reader| reader.simple(inner))?;
                    return Ok(Content::Simple(simple));
                }
                "complexType" => {
                    let typed =
                        self.within(inner, &self.index.place(part), |reader| reader.complex(inner))?;
                    return Ok(content_of(typed));
                }
                "unique" | "key" | "keyref" => {}
                name => self.without_effect(inner, name)?,
            }
        }
        // The type is that of the first element that it may replace.
        let head = own_attribute(part.node, "substitutionGroup").unwrap_or_default();
        match head.split_whitespace().next().map(|head| self.index.qualified(part, head)).transpose()? {
            Some(head) => {
                let place = self.index.place(part);
                let head = self.index.find(Space::Element, &head, &place)?;
                self.within(head, &place, |reader| reader.content(head))
            }
            None => Ok(Content::Any(OtherAttributes::default())),
        }
    }

    /// The content of a named type.
    pub(super) fn content_named(&mut self, name: &Name, at: &Place) -> Result<Content, Fault> {
        match self.index.get(Space::Type, name).filter(|part| Index::is_abstract(*part)) {
            Some(_) => self.derived(name, at),
            None => self.typed(name, at).map(content_of),
        }
    }

    /// The types that may replace an abstract one.
    fn derived(&mut self, name: &Name, at: &Place) -> Result<Content, Fault> {
        let mut types = Vec::new();
        let mut bases = vec![name.clone()];
        let mut seen = HashMap::from([(name.clone(), ())]);
        while let Some(base) = bases.pop() {
            for part in self.index.derived.get(&base).cloned().unwrap_or_default() {
                let Some(local) = own_attribute(part.node, "name") else { continue };
                let namespace = self.index.schemas[part.schema].target.clone();
                let derived = Name { namespace, local: local.to_owned() };
                if seen.insert(derived.clone(), ()).is_some() {
                    continue;
                }
                bases.push(derived.clone());
                if Index::is_abstract(part) {
                    continue;
                }
                match self.within(part, at, |reader| reader.complex(part))? {
                    Typed::Complex(complex) => types.push((derived, complex)),
                    Typed::Simple(_) | Typed::Any(_) => {
                        let message = format!(
                            "type {derived} has mixed content, and so cannot stand for an abstract type"
                        );
                        return Err(Fault::new(at, message));
                    }
                }
            }
        }
        Ok(match types.is_empty() {
            true => Content::Any(OtherAttributes::default()),
            false => Content::Types(types),
        })
    }

    /// The content of a named type, abstract or not.
    pub(super) fn typed(&mut self, name: &Name, at: &Place) -> Result<Typed, Fault> {
        if let Some(simple) = built_in(name) {
            return Ok(Typed::Simple(simple));
        }
        if name.namespace == names::XSD && name.local == "anyType" {
            return Ok(Typed::Any(Complex::default()));
        }
        // For programs, an endpoint of WS-Addressing is XML, as with WSADDR-EPR-ANY=TRUE.
        if name.namespace == names::ADDRESSING && self.index.get(Space::Type, name).is_none() {
            return Ok(Typed::Any(Complex::default()));
        }
        let part = self.index.find(Space::Type, name, at)?;
        match xsd(part.node) {
            "simpleType" => self.within(part, at, |reader| reader.simple(part)).map(Typed::Simple),
            _ => self.within(part, at, |reader| reader.complex(part)),
        }
    }

    /// The content of an element `complexType`.
    pub(super) fn complex(&mut self, part: Part<'d>) -> Result<Typed, Fault> {
        if is_true(part.node, "mixed") {
            let derived = children(part.node).find(|node| xsd(*node) == "complexContent");
            return match derived {
                Some(node) => self.mixed_content(part.at(node)),
                None => Ok(Typed::Any(self.attributes_of_any(part, Complex::default()))),
            };
        }
        for node in children(part.node) {
            let inner = part.at(node);
            match xsd(node) {
                "simpleContent" => return self.simple_content(inner),
                "complexContent" if is_true(node, "mixed") => return self.mixed_content(inner),
                "complexContent" => return self.complex_content(inner),
                _ => {}
            }
        }
        let mut complex = Complex::default();
        self.body(part, &mut complex)?;
        Ok(Typed::Complex(complex))
    }

    /// Adds the elements and attributes of a part.
    fn body(&mut self, part: Part<'d>, complex: &mut Complex) -> Result<(), Fault> {
        let mut wildcard = None;
        for node in children(part.node) {
            let inner = part.at(node);
            match xsd(node) {
                "sequence" | "choice" | "all" | "group" => {
                    let before = complex.particles.len();
                    self.particles(inner, &mut complex.particles)?;
                    if complex.particles.len() > before {
                        // A group that extends a base comes behind it, unless both come in any order.
                        complex.any_order = self.is_all(inner)? && (before == 0 || complex.any_order);
                    }
                }
                "attribute" | "attributeGroup" | "anyAttribute" => {
                    self.attribute(inner, complex, &mut wildcard)?;
                }
                name => self.without_effect(inner, name)?,
            }
        }
        let of_base = std::mem::take(&mut complex.other_attributes);
        complex.other_attributes = of_base.or(wildcard.unwrap_or_default());
        Ok(())
    }

    /// Checks that a part of a type says nothing of its elements and attributes.
    ///
    /// # Errors
    /// The part has no place there. What it declares would be missing in the record.
    pub(super) fn without_effect(&self, part: Part<'d>, name: &str) -> Result<(), Fault> {
        match name {
            "element" | "any" | "sequence" | "choice" | "all" | "group" | "attribute" | "attributeGroup"
            | "anyAttribute" | "extension" | "complexType" | "simpleContent" | "complexContent" => {
                Err(self.index.fault(part, format!("xsd:{name} has no place here")))
            }
            "openContent" => Err(self.index.fault(part, "xsd:openContent is not supported")),
            // Parts of other namespaces have no name here.
            "" | "annotation" | "assert" | "assertion" | "simpleType" | "explicitTimezone" => Ok(()),
            name if FACETS.contains(&name) => Ok(()),
            _ => Err(self.index.fault(part, format!("there is no xsd:{name}"))),
        }
    }

    fn simple_content(&mut self, part: Part<'d>) -> Result<Typed, Fault> {
        let (inner, base) = self.derivation(part)?;
        let mut complex = match self.typed(&base, &self.index.place(inner))? {
            Typed::Simple(simple) => Complex { text: Some(simple), ..Complex::default() },
            Typed::Complex(complex) if complex.text.is_some() => complex,
            Typed::Complex(_) | Typed::Any(_) => {
                return Err(self.index.fault(inner, format!("expected a base with text, found {base}")));
            }
        };
        if xsd(inner.node) == "restriction" {
            complex.other_attributes = OtherAttributes::default();
            if let Some(text) = complex.text.take() {
                complex.text = Some(self.restricted(text, inner)?);
            }
        }
        self.body(inner, &mut complex)?;
        Ok(Typed::Complex(complex))
    }

    fn complex_content(&mut self, part: Part<'d>) -> Result<Typed, Fault> {
        let (inner, base) = self.derivation(part)?;
        let typed = self.typed(&base, &self.index.place(inner))?;
        let extends = xsd(inner.node) == "extension";
        let mut complex = match typed {
            Typed::Complex(complex) => complex,
            Typed::Any(_) if !extends => Complex::default(),
            Typed::Any(of_base) => return Ok(Typed::Any(self.attributes_of_any(inner, of_base))),
            Typed::Simple(_) => {
                return Err(self.index.fault(inner, format!("expected a complex base, found {base}")));
            }
        };
        if !extends {
            // A restriction repeats the elements and the wildcard of the base, but not its attributes.
            complex.particles.clear();
            complex.any_order = false;
            complex.other_attributes = OtherAttributes::default();
        }
        self.body(inner, &mut complex)?;
        Ok(Typed::Complex(complex))
    }

    /// Mixed content that extends or restricts other content.
    fn mixed_content(&mut self, part: Part<'d>) -> Result<Typed, Fault> {
        let (inner, base) = self.derivation(part)?;
        // The elements of the base do not count, and so they may be what a record cannot hold.
        let mut of_base = match self.typed(&base, &self.index.place(inner)) {
            Ok(Typed::Any(of_base) | Typed::Complex(of_base)) => of_base,
            _ => Complex::default(),
        };
        if xsd(inner.node) == "restriction" {
            of_base.other_attributes = OtherAttributes::default();
        }
        Ok(Typed::Any(self.attributes_of_any(inner, of_base)))
    }

    /// The attributes of an element with any content, which no record has, added to those of the base. A fault of
    /// one does not count.
    fn attributes_of_any(&mut self, part: Part<'d>, of_base: Complex) -> Complex {
        let (Complex { attributes, other_attributes, .. }, mut wildcard) = (of_base, None);
        let before = attributes.len();
        let mut complex = Complex { attributes, ..Complex::default() };
        for node in children(part.node) {
            if matches!(xsd(node), "attribute" | "attributeGroup" | "anyAttribute") {
                drop(self.attribute(part.at(node), &mut complex, &mut wildcard));
            }
        }
        if complex.attributes.len() > before {
            let message = "attributes of mixed content are accepted, and are not part of the record";
            self.warnings.push(self.index.fault(part, message));
        }
        complex.other_attributes = other_attributes.or(wildcard.unwrap_or_default());
        complex
    }

    /// The extension or restriction in a part, and the name of its base type.
    fn derivation(&self, part: Part<'d>) -> Result<(Part<'d>, Name), Fault> {
        let inner = children(part.node).find(|node| matches!(xsd(*node), "extension" | "restriction"));
        let inner = inner
            .ok_or_else(|| self.index.fault(part, "expected an extension or restriction, found none"))?;
        let inner = part.at(inner);
        let base = self.index.name(inner, "base")?;
        base.map(|base| (inner, base)).ok_or_else(|| self.index.fault(inner, "expected a base, found none"))
    }

    /// Adds an attribute, or the attributes of a group. A new one replaces an existing one with the same
    /// name. Wildcards in one type allow what all of them allow.
    fn attribute(
        &mut self,
        part: Part<'d>,
        complex: &mut Complex,
        wildcard: &mut Option<OtherAttributes>,
    ) -> Result<(), Fault> {
        match xsd(part.node) {
            "anyAttribute" => {
                let message =
                    "attributes that the schema does not list are accepted, and are not part of the record";
                self.warnings.push(self.index.fault(part, message));
                let found = self.wildcard(part);
                *wildcard = Some(match wildcard.take() {
                    Some(known) => known.and(found),
                    None => found,
                });
                return Ok(());
            }
            "attributeGroup" => {
                let Some(name) = self.index.name(part, "ref")? else { return Ok(()) };
                let place = self.index.place(part);
                let group = self.index.find(Space::AttributeGroup, &name, &place)?;
                return self.within(group, &place, |reader| {
                    let of_group: Vec<_> = children(group.node).map(|node| group.at(node)).collect();
                    of_group.into_iter().try_for_each(|part| match xsd(part.node) {
                        "attribute" | "attributeGroup" | "anyAttribute" => {
                            reader.attribute(part, complex, wildcard)
                        }
                        name => reader.without_effect(part, name),
                    })
                });
            }
            _ => {}
        }
        let (name, declared) = self.attribute_name(part)?;
        complex.attributes.retain(|attribute| attribute.name != name);
        if own_attribute(part.node, "use") == Some("prohibited") {
            return Ok(());
        }
        self.count(part)?;
        let simple = match declared {
            Some(declared) => self.simple_of(declared, "type")?,
            None => None,
        };
        let value = |name: &str| {
            let own = own_attribute(part.node, name);
            own.or_else(|| declared.and_then(|declared| own_attribute(declared.node, name)))
                .map(str::to_owned)
        };
        complex.attributes.push(Attribute {
            name,
            required: own_attribute(part.node, "use") == Some("required"),
            fixed: value("fixed"),
            default: value("default"),
            simple: simple.unwrap_or_else(|| Simple::new(Base::BuiltIn("anySimpleType"))),
            place: self.index.place(part),
        });
        Ok(())
    }

    /// The attributes or elements that a wildcard allows. Whether these are declared does not count
    /// (`processContents`).
    pub(super) fn wildcard(&self, part: Part<'d>) -> OtherAttributes {
        let target = &self.index.schemas[part.schema].target;
        match own_attribute(part.node, "namespace").map(str::trim) {
            None | Some("##any") => OtherAttributes::all_but([""; 0]),
            Some("##other") => OtherAttributes::all_but(["", target.as_str()]),
            Some(list) => OtherAttributes::only(list.split_whitespace().map(|word| match word {
                "##targetNamespace" => target.as_str(),
                "##local" => "",
                namespace => namespace,
            })),
        }
    }

    /// The name of an attribute and its declaration. Attributes of the namespace `xml` are built in.
    fn attribute_name(&self, part: Part<'d>) -> Result<(Name, Option<Part<'d>>), Fault> {
        if let Some(name) = self.index.name(part, "ref")? {
            if name.namespace == names::XML {
                return Ok((name, None));
            }
            let declared = self.index.find(Space::Attribute, &name, &self.index.place(part))?;
            return Ok((name, Some(declared)));
        }
        let qualified = self.index.schemas[part.schema].attributes_qualified;
        Ok((self.index.local_name(part, qualified)?, Some(part)))
    }
}

fn content_of(typed: Typed) -> Content {
    match typed {
        Typed::Simple(simple) => Content::Simple(simple),
        Typed::Complex(complex) => Content::Complex(complex),
        Typed::Any(complex) => Content::Any(complex.all_attributes()),
    }
}

/// The first sentences about an element, on one line.
fn documentation(part: Part<'_>) -> Option<String> {
    let annotation = children(part.node).find(|node| xsd(*node) == "annotation")?;
    let text: String = children(annotation).find(|node| xsd(*node) == "documentation")?.text()?.to_owned();
    let words: Vec<&str> = text.split_whitespace().collect();
    let text: String = words.join(" ").chars().take(DOCUMENTATION_CHARACTERS_MAX).collect();
    (!text.is_empty()).then_some(text)
}
