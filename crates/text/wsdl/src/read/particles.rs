//! Sequences, choices, groups and the elements in them.

use ::xml::OtherAttributes;

use super::content::Reader;
use super::fault::Fault;
use super::index::{Index, Part, Space};
use super::model::{Choice, Element, Name, Particle, Reason};
use super::names::{children, own_attribute, xsd};

/// The number of times that a particle occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Occurs {
    min: u64,
    max: Option<u64>,
}

impl Occurs {
    const ONCE: Self = Self { min: 1, max: Some(1) };
    const AT_MOST_ONCE: Self = Self { min: 0, max: Some(1) };

    /// How often the only particle of a group occurs, if the group occurs this often; none if one number of
    /// times does not say it.
    fn of(self, only: Self) -> Option<Self> {
        match (self, only) {
            (group, Self::ONCE) => Some(group),
            (Self::AT_MOST_ONCE, only) if only.min <= 1 => Some(Self { min: 0, ..only }),
            _ => None,
        }
    }
}

impl<'d> Reader<'_, 'd> {
    /// Adds the content of a sequence, choice, group or element.
    pub(super) fn particles(&mut self, part: Part<'d>, out: &mut Vec<Particle>) -> Result<(), Fault> {
        let occurs = self.occurs(part)?;
        if occurs.max == Some(0) {
            return Ok(());
        }
        match xsd(part.node) {
            "element" => out.push(self.occurring(part, occurs)?),
            "any" => {
                self.count(part)?;
                out.push(self.any(part, occurs)?);
            }
            "sequence" | "all" => {
                let inner = self.inner(part)?;
                self.sequence(inner, occurs, part, out);
            }
            "group" => {
                let Some(name) = self.index.name(part, "ref")? else { return Ok(()) };
                let place = self.index.place(part);
                let group = self.index.find(Space::Group, &name, &place)?;
                let inner = self.within(group, &place, |reader| reader.inner(group))?;
                self.sequence(inner, occurs, part, out);
            }
            "choice" => self.choice(part, occurs, out)?,
            name => self.without_effect(part, name)?,
        }
        Ok(())
    }

    /// Any element that a wildcard allows.
    fn any(&self, part: Part<'d>, occurs: Occurs) -> Result<Particle, Fault> {
        for word in ["notNamespace", "notQName"] {
            if own_attribute(part.node, word).is_some() {
                return Err(self.index.fault(part, format!("xsd:any: {word} is not supported")));
            }
        }
        let (names, place) = (self.wildcard(part), self.index.place(part));
        Ok(Particle::Any { names, min: occurs.min, max: occurs.max, place })
    }

    /// True if the particles of a part may come in any order: it is `xsd:all`, or a group of that.
    pub(super) fn is_all(&self, part: Part<'d>) -> Result<bool, Fault> {
        match xsd(part.node) {
            "all" => Ok(true),
            "group" => {
                let Some(name) = self.index.name(part, "ref")? else { return Ok(false) };
                let group = self.index.find(Space::Group, &name, &self.index.place(part))?;
                Ok(children(group.node).any(|node| xsd(node) == "all"))
            }
            _ => Ok(false),
        }
    }

    /// The content of a sequence or group.
    fn inner(&mut self, part: Part<'d>) -> Result<Vec<Particle>, Fault> {
        let mut inner = Vec::new();
        for node in children(part.node) {
            self.deeper(part.at(node), &mut inner)?;
        }
        Ok(inner)
    }

    /// Adds the content of a part of a group, one level deeper.
    fn deeper(&mut self, part: Part<'d>, out: &mut Vec<Particle>) -> Result<(), Fault> {
        let place = self.index.place(part);
        self.within(part, &place, |reader| reader.particles(part, out))
    }

    /// Adds particles that occur together this number of times. A single particle that occurs once takes over
    /// the number.
    fn sequence(&self, mut inner: Vec<Particle>, occurs: Occurs, part: Part<'d>, out: &mut Vec<Particle>) {
        if occurs == Occurs::ONCE || inner.is_empty() {
            out.append(&mut inner);
            return;
        }
        if let [only] = inner.as_mut_slice()
            && let Some((min, max)) = only.occurs_mut()
            && let Some(both) = occurs.of(Occurs { min: *min, max: *max })
        {
            (*min, *max) = (both.min, both.max);
            out.append(&mut inner);
            return;
        }
        let place = self.index.place(part);
        out.push(Particle::Group { particles: inner, min: occurs.min, max: occurs.max, place });
    }

    fn choice(&mut self, part: Part<'d>, occurs: Occurs, out: &mut Vec<Particle>) -> Result<(), Fault> {
        let mut options: Vec<Vec<Particle>> = Vec::new();
        let mut min = occurs.min;
        for node in children(part.node) {
            let inner = part.at(node);
            let mut option = Vec::new();
            self.deeper(inner, &mut option)?;
            if xsd(node) != "annotation" && option.is_empty() {
                min = 0;
            }
            match option.as_slice() {
                [] => {}
                // A choice inside a choice becomes one choice with it.
                [
                    Particle::Choice(Choice {
                        options: of_inner,
                        reason: Reason::Choice,
                        min: least,
                        max: Some(1),
                        ..
                    }),
                ] => {
                    min = min.min(*least);
                    options.extend(of_inner.iter().cloned());
                }
                _ => options.push(option),
            }
        }
        match options.len() {
            0 => {}
            1 => {
                let only = options.remove(0);
                self.sequence(only, Occurs { min, ..occurs }, part, out);
            }
            _ => {
                let place = self.index.place(part);
                out.push(Particle::Choice(Choice {
                    options,
                    reason: Reason::Choice,
                    min,
                    max: occurs.max,
                    place,
                }));
            }
        }
        Ok(())
    }

    fn occurs(&self, part: Part<'d>) -> Result<Occurs, Fault> {
        let count = |attribute: &str| match own_attribute(part.node, attribute).map(str::trim) {
            None => Ok(Some(1)),
            Some("unbounded") if attribute == "maxOccurs" => Ok(None),
            Some(text) => text.parse::<u64>().map(Some).map_err(|_| {
                self.index.fault(part, format!("{attribute}: expected a number, found '{text}'"))
            }),
        };
        let occurs = Occurs { min: count("minOccurs")?.unwrap_or(1), max: count("maxOccurs")? };
        match occurs.max {
            Some(max) if max < occurs.min => {
                Err(self.index.fault(part, format!("expected room for {} elements, found {max}", occurs.min)))
            }
            _ => Ok(occurs),
        }
    }

    /// An element of a group, by its own declaration or by reference.
    fn occurring(&mut self, part: Part<'d>, occurs: Occurs) -> Result<Particle, Fault> {
        let Some(name) = self.index.name(part, "ref")? else {
            let qualified = self.index.schemas[part.schema].elements_qualified;
            let name = self.index.local_name(part, qualified)?;
            let element = self.element(part, name)?;
            let element = Element { min: occurs.min, max: occurs.max, ..element };
            return Ok(Particle::Element(Box::new(element)));
        };
        let place = self.index.place(part);
        let declared = match self.index.find(Space::Element, &name, &place) {
            Ok(declared) => declared,
            // Its declaration is in a schema of W3C, which few WSDLs include.
            Err(_) if name.namespace == super::names::XSD && name.local == "schema" => {
                let mut names = OtherAttributes::default();
                names.add(&name.namespace, &name.local);
                return Ok(Particle::Any { names, min: occurs.min, max: occurs.max, place });
            }
            Err(fault) => return Err(fault),
        };
        let candidates = self.candidates(&name, declared);
        match candidates.as_slice() {
            [] => {
                self.count(part)?;
                let names = OtherAttributes::all_but([""; 0]);
                Ok(Particle::Any { names, min: occurs.min, max: occurs.max, place })
            }
            [(one, of_one)] => {
                let (name, of_one) = (one.clone(), *of_one);
                let element = self.within(of_one, &place, |reader| reader.element(of_one, name))?;
                let element = Element { min: occurs.min, max: occurs.max, place, ..element };
                Ok(Particle::Element(Box::new(element)))
            }
            _ => {
                let mut options = Vec::new();
                for (name, candidate) in candidates {
                    let element = self.within(candidate, &place, |reader| reader.element(candidate, name))?;
                    options.push(vec![Particle::Element(Box::new(element))]);
                }
                let reason = Reason::Substitution(name);
                Ok(Particle::Choice(Choice { options, reason, min: occurs.min, max: occurs.max, place }))
            }
        }
    }

    /// The elements that may occur where one is named: itself, and those of its substitution group.
    fn candidates(&self, name: &Name, declared: Part<'d>) -> Vec<(Name, Part<'d>)> {
        let mut found = Vec::new();
        let mut heads = vec![(name.clone(), declared)];
        let mut at = 0;
        while let Some((head, part)) = heads.get(at).cloned() {
            at += 1;
            if !Index::is_abstract(part) {
                found.push((head.clone(), part));
            }
            for member in self.index.substitutes.get(&head).into_iter().flatten() {
                let Some(local) = own_attribute(member.node, "name") else { continue };
                let namespace = self.index.schemas[member.schema].target.clone();
                let name = Name { namespace, local: local.to_owned() };
                if !heads.iter().any(|(known, _)| *known == name) {
                    heads.push((name, *member));
                }
            }
        }
        found
    }
}
