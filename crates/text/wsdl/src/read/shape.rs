//! Turns a message into a shape, by the rules of DFHWS2LS: the form of each element, attribute and type of
//! XML Schema in a record.

use ::xml::OtherAttributes;
use assistant::{
    Array, Binary, Choice as Alternatives, Decimal, Encoding, Kind, MappingLevel, Member, Moment, Number,
    NumberForm, Options, Shape, Text, Wildcard, Xml, XmlForm,
};
use xsd::TextType;

use super::fault::{Fault, Place};
use super::given::valued;
use super::model::{
    Attribute, Base, Choice, Complex, Content, Element, Limit, Name, Particle, Reason, Simple, WhiteSpace,
};

/// The most characters of XML in a container, for `xsd:any`.
pub const ANY_CHARACTERS_MAX: u64 = 32 << 20;

/// The most characters of a date without a time, of a year or of a month. The assistants use this number for
/// all of them.
const PART_OF_DATE_CHARACTERS: u64 = 32;

/// The most characters of the name before `-xmlns-cont`.
const ANY_NAME_CHARACTERS_MAX: usize = 17;

/// The least and greatest value of a built-in type of whole numbers; none for an end without a limit.
pub(super) fn integer_range(name: &str) -> Option<(Option<i128>, Option<i128>)> {
    let signed = |bits: u32| Some((Some(-(1_i128 << (bits - 1))), Some((1_i128 << (bits - 1)) - 1)));
    let unsigned = |bits: u32| Some((Some(0), Some((1_i128 << bits) - 1)));
    match name {
        "integer" => Some((None, None)),
        "nonPositiveInteger" => Some((None, Some(0))),
        "negativeInteger" => Some((None, Some(-1))),
        "nonNegativeInteger" => Some((Some(0), None)),
        "positiveInteger" => Some((Some(1), None)),
        "long" => signed(64),
        "int" => signed(32),
        "short" => signed(16),
        "byte" => signed(8),
        "unsignedLong" => unsigned(64),
        "unsignedInt" => unsigned(32),
        "unsignedShort" => unsigned(16),
        "unsignedByte" => unsigned(8),
        _ => None,
    }
}

/// The shape of the element of a body: an object with the element's content.
///
/// # Errors
/// All parts that no record can hold, or that the mapping level does not have, with their lines.
pub fn shape(element: &Element, options: &Options) -> Result<Shape, Vec<Fault>> {
    let mut shaper = Shaper { options, faults: Vec::new() };
    let members = match &element.content {
        Content::Complex(complex) if !complex.is_empty() => shaper.members(complex, element),
        _ => shaper.element(element, true).into_iter().collect(),
    };
    if !shaper.faults.is_empty() {
        return Err(shaper.faults);
    }
    if members.is_empty() {
        return Err(vec![Fault::new(&element.place, format!("element {} has no content", element.name))]);
    }
    Ok(Shape {
        kind: Kind::Object(members),
        nullable: false,
        description: element.documentation.clone(),
        place: at(&element.place),
    })
}

/// True if a message has no data for a record.
#[must_use]
pub fn is_empty(element: &Element) -> bool {
    matches!(&element.content, Content::Complex(complex) if complex.is_empty())
}

struct Shaper<'o> {
    options: &'o Options,
    faults: Vec<Fault>,
}

fn at(place: &Place) -> assistant::Place {
    assistant::Place { pointer: place.to_string(), offset: None }
}

fn xml(name: &Name, form: XmlForm) -> Option<Xml> {
    let (name, namespace) = (name.local.clone(), name.namespace.clone());
    Some(Xml {
        name,
        namespace,
        form,
        any_order: false,
        value: None,
        fixed: false,
        other_attributes: OtherAttributes::default(),
        wildcard: None,
    })
}

/// The name with the attributes that the element may have beside its members.
fn with_others(xml: Option<Xml>, other_attributes: OtherAttributes) -> Option<Xml> {
    xml.map(|xml| Xml { other_attributes, ..xml })
}

/// The attributes that an element may have, and that no record has: those of a wildcard, and below level 1.1 all of the schema.
fn others(complex: &Complex, level: MappingLevel) -> OtherAttributes {
    match level < MappingLevel::V1_1 {
        true => complex.all_attributes(),
        false => complex.other_attributes.clone(),
    }
}

/// The attributes that the element of a body may have although no record has them.
#[must_use]
pub fn other_attributes(element: &Element, options: &Options) -> OtherAttributes {
    match &element.content {
        Content::Complex(complex) => others(complex, options.mapping_level),
        Content::Any(others) => others.clone(),
        Content::Simple(_) | Content::Types(_) => OtherAttributes::default(),
    }
}

impl Shaper<'_> {
    /// Notes a fault if the mapping level is too low for a feature.
    fn needs(&mut self, level: MappingLevel, what: &str, place: &Place) -> bool {
        let has = self.options.mapping_level >= level;
        if !has {
            let message = format!("{what} needs mapping level {level}, found {}", self.options.mapping_level);
            self.faults.push(Fault::new(place, message));
        }
        has
    }

    /// The members of an element.
    fn members(&mut self, complex: &Complex, around: &Element) -> Vec<Member> {
        let mut members = Vec::new();
        // Level 1.0 has no attributes: programs do not get them.
        if self.options.mapping_level >= MappingLevel::V1_1 {
            for attribute in &complex.attributes {
                members.extend(self.attribute(attribute));
            }
        }
        if let Some(text) = &complex.text {
            let name = Name { namespace: String::new(), local: around.name.local.clone() };
            let given = (&around.fixed, &around.default);
            members.extend(self.value(text, &around.place).map(|kind| Member {
                name: name.local.clone(),
                required: true,
                xml: valued(xml(&name, XmlForm::Text), &kind, given, self.options),
                shape: Shape { kind, nullable: false, description: None, place: at(&around.place) },
            }));
        }
        let elements = members.len();
        self.particles(&complex.particles, around, &mut members);
        let elements = &mut members[elements..];
        if complex.any_order && elements.len() > 1 {
            elements.iter_mut().filter_map(|member| member.xml.as_mut()).for_each(|xml| xml.any_order = true);
        }
        members
    }

    fn particles(&mut self, particles: &[Particle], around: &Element, members: &mut Vec<Member>) {
        let mut wildcards = 0;
        for particle in particles {
            match particle {
                Particle::Element(element) => members.extend(self.element(element, false)),
                Particle::Choice(choice) => self.choice(choice, around, members),
                Particle::Group { particles, min, max, place } => {
                    self.group(particles, (*min, *max), place, around, members);
                }
                Particle::Any { names, max, place, .. } => {
                    wildcards += 1;
                    if wildcards > 1 {
                        let message = "expected one xsd:any in an element, found another";
                        self.faults.push(Fault::new(place, message));
                    } else {
                        let wildcard = Wildcard { names: names.clone(), max: *max };
                        self.any(&around.name.local, Some(wildcard), place, members);
                    }
                }
            }
        }
    }

    /// An element. `outermost` is true for that of the body, which is always there.
    fn element(&mut self, element: &Element, outermost: bool) -> Option<Member> {
        let place = &element.place;
        // The element of the body is always there, so it cannot be null.
        let nullable = element.nillable && !outermost;
        let kind = match &element.content {
            Content::Simple(simple) => self.value(simple, place)?,
            // Below level 1.1, an element with attributes alone has no members.
            Content::Complex(complex) => match self.members(complex, element) {
                members if members.is_empty() => empty(),
                members => Kind::Object(members),
            },
            Content::Any(_) => {
                let mut members = Vec::new();
                self.any(&element.name.local, None, place, &mut members);
                Kind::Object(members)
            }
            Content::Types(types) => self.types(types, element)?,
        };
        if matches!(&kind, Kind::Object(members) if members.is_empty()) {
            return None;
        }
        let shape = Shape { kind, nullable, description: described(element), place: at(place) };
        let form = match (&shape.kind, outermost) {
            (_, false) => XmlForm::Element,
            (Kind::Object(_), true) => XmlForm::Group,
            (_, true) => XmlForm::Text,
        };
        let others = other_attributes(element, self.options);
        let member = Member {
            name: element.name.local.clone(),
            required: element.min > 0,
            xml: valued(
                with_others(xml(&element.name, form), others),
                &shape.kind,
                (&element.fixed, &element.default),
                self.options,
            ),
            shape,
        };
        Some(if outermost { member } else { occurring(member, element.min, element.max) })
    }

    /// The possible types of an element with an abstract type. Each is a member, and one of them is there.
    fn types(&mut self, types: &[(Name, Complex)], element: &Element) -> Option<Kind> {
        if !self.needs(MappingLevel::V2_2, "an abstract type", &element.place) {
            return None;
        }
        let mut options = Vec::new();
        for (name, complex) in types {
            let inner =
                Element { name: name.clone(), content: Content::Complex(complex.clone()), ..element.clone() };
            let members = self.members(complex, &inner);
            let kind = if members.is_empty() { empty() } else { Kind::Object(members) };
            let shape = Shape { kind, nullable: false, description: None, place: at(&element.place) };
            let required = !self.options.one_record;
            let xml = with_others(xml(name, XmlForm::Type), others(complex, self.options.mapping_level));
            options.push(Member { name: name.local.clone(), required, shape, xml });
        }
        Some(Kind::Object(match self.options.one_record {
            true => options,
            false => vec![Member {
                name: element.name.local.clone(),
                required: true,
                shape: Shape {
                    kind: Kind::Choice(Alternatives { options }),
                    nullable: false,
                    description: None,
                    place: at(&element.place),
                },
                xml: xml(&Name::default(), XmlForm::Group),
            }],
        }))
    }

    /// Fields for any XML: its text, and the declarations of prefixes that hold for it. `wildcard` has the elements that may
    /// stand in a group; without it, it is the whole content of an element.
    fn any(&mut self, name: &str, wildcard: Option<Wildcard>, place: &Place, members: &mut Vec<Member>) {
        let what = if wildcard.is_some() { "xsd:any" } else { "any content" };
        if !self.needs(MappingLevel::V2_1, what, place) {
            return;
        }
        if self.options.one_record {
            let message = format!("{what} needs containers, and one record has none");
            self.faults.push(Fault::new(place, message));
            return;
        }
        let name: String = name.chars().take(ANY_NAME_CHARACTERS_MAX).collect();
        for (suffix, form) in [("-xml-cont", XmlForm::Any), ("-xmlns-cont", XmlForm::Prefixes)] {
            let text =
                Text { max: Some(ANY_CHARACTERS_MAX), format: Some("XML".to_owned()), ..Text::default() };
            members.push(Member {
                name: format!("{name}{suffix}"),
                required: true,
                shape: Shape { kind: Kind::Text(text), nullable: false, description: None, place: at(place) },
                xml: xml(&Name::default(), form)
                    .map(|xml| Xml { wildcard: wildcard.clone().filter(|_| form == XmlForm::Any), ..xml }),
            });
        }
    }

    /// Particles that occur together, and not just once.
    fn group(
        &mut self,
        particles: &[Particle],
        (min, max): (u64, Option<u64>),
        place: &Place,
        around: &Element,
        members: &mut Vec<Member>,
    ) {
        if (min, max) == (0, Some(1)) {
            if self.needs(MappingLevel::V2_1, "a group of elements that may be missing", place) {
                let mut inner = Vec::new();
                self.particles(particles, around, &mut inner);
                members.extend(inner.into_iter().map(|member| Member { required: false, ..member }));
            }
            return;
        }
        if !self.needs(MappingLevel::V2_2, "a group of elements that repeats", place) {
            return;
        }
        let mut inner = Vec::new();
        self.particles(particles, around, &mut inner);
        if let Some(member) = grouped(inner, &around.name.local, place) {
            // A row without elements is none, unless the table always has this number of rows.
            let is_empty = max != Some(min) && may_be_empty(particles);
            members.push(occurring(member, if is_empty { 0 } else { min }, max));
        }
    }

    fn choice(&mut self, choice: &Choice, around: &Element, members: &mut Vec<Member>) {
        let place = &choice.place;
        let named = match &choice.reason {
            Reason::Choice => &around.name.local,
            Reason::Substitution(head) => &head.local,
        };
        let simple = choice.options.iter().all(|option| matches!(option.as_slice(), [Particle::Element(_)]));
        let (wanted, what) = match (&choice.reason, simple) {
            (Reason::Substitution(_), _) => (true, "a substitution group"),
            (Reason::Choice, false) => (true, "a choice with groups in it"),
            (Reason::Choice, true) => (choice.max != Some(1), "a choice that repeats"),
        };
        if wanted && !self.needs(MappingLevel::V2_2, what, place) {
            return;
        }
        let mut options = Vec::new();
        for option in &choice.options {
            let mut inner = Vec::new();
            self.particles(option, around, &mut inner);
            options.extend(match inner.len() {
                0 | 1 => inner.pop(),
                _ => grouped(inner, &first_name(option, named), place),
            });
        }
        let shape = |kind| Shape { kind, nullable: false, description: None, place: at(place) };
        let kind = match self.options.one_record {
            false => Kind::Choice(Alternatives { options }),
            true => {
                let options = options.into_iter().map(|member| Member { required: false, ..member });
                if choice.max == Some(1) {
                    members.extend(options);
                    return;
                }
                Kind::Object(options.collect())
            }
        };
        let member = Member {
            name: named.clone(),
            required: choice.min > 0,
            shape: shape(kind),
            xml: xml(&Name::default(), XmlForm::Group),
        };
        // If the table always has this number of rows, all are used, and it needs no count.
        let is_fixed = choice.max != Some(1) && choice.max == Some(choice.min);
        let may_be_empty = !is_fixed && choice.options.iter().any(|option| may_be_empty(option));
        members.push(occurring(member, if may_be_empty { 0 } else { choice.min }, choice.max));
    }

    fn attribute(&mut self, attribute: &Attribute) -> Option<Member> {
        let kind = self.value(&attribute.simple, &attribute.place)?;
        let description = [("Default", &attribute.default), ("Always", &attribute.fixed)]
            .into_iter()
            .find_map(|(word, value)| value.as_ref().map(|value| format!("{word}: {value}.")));
        let xml = xml(&attribute.name, XmlForm::Attribute);
        Some(Member {
            name: format!("@{}", attribute.name.local),
            required: attribute.required,
            xml: valued(xml, &kind, (&attribute.fixed, &attribute.default), self.options),
            shape: Shape { kind, nullable: false, description, place: at(&attribute.place) },
        })
    }

    /// The form of a value of a simple type.
    fn value(&mut self, simple: &Simple, place: &Place) -> Option<Kind> {
        let Base::BuiltIn(base) = simple.base else {
            let what = if simple.base == Base::List { "a list (xsd:list)" } else { "a union (xsd:union)" };
            return self.needs(MappingLevel::V1_1, what, place).then(|| text(simple, None));
        };
        let (level, what) = match base {
            "anySimpleType" => (MappingLevel::V1_1, "xsd:anySimpleType"),
            "base64Binary" => (MappingLevel::V1_1, "xsd:base64Binary"),
            "hexBinary" => (MappingLevel::V1_1, "xsd:hexBinary"),
            "float" => (MappingLevel::V1_2, "xsd:float"),
            "double" => (MappingLevel::V1_2, "xsd:double"),
            _ => (MappingLevel::V1_0, ""),
        };
        if !self.needs(level, what, place) {
            return None;
        }
        if base == "decimal" || integer_range(base).is_some() {
            return match number(simple, base) {
                Ok(number) => Some(Kind::Number(number)),
                Err(message) => {
                    self.faults.push(Fault::new(place, message));
                    None
                }
            };
        }
        Some(match base {
            "boolean" => Kind::Boolean,
            "float" => Kind::Number(Number { form: NumberForm::Single, ..Number::default() }),
            "double" => Kind::Number(Number { form: NumberForm::Double, ..Number::default() }),
            "dateTime" => Kind::Moment(Moment::DateTime),
            "date" => Kind::Moment(Moment::Date),
            "time" => Kind::Moment(Moment::Time),
            "duration" => Kind::Moment(Moment::Duration),
            "gYear" | "gYearMonth" | "gMonth" | "gMonthDay" | "gDay" => {
                text(simple, Some(PART_OF_DATE_CHARACTERS))
            }
            "base64Binary" => self.octets(simple, Encoding::Base64),
            "hexBinary" => self.octets(simple, Encoding::Hex),
            _ => text(simple, None),
        })
    }

    /// Octets. Without a limit they go into a container, if containers are allowed.
    fn octets(&self, simple: &Simple, encoding: Encoding) -> Kind {
        let limit = simple.length.or(simple.max_length);
        let unlimited = match self.options.one_record {
            true => self.options.default_char_max,
            false => ANY_CHARACTERS_MAX,
        };
        Kind::Binary(Binary { encoding, max_characters: None, max_octets: Some(limit.unwrap_or(unlimited)) })
    }
}

/// True if the particles may occur without any element.
fn may_be_empty(particles: &[Particle]) -> bool {
    particles.iter().all(|particle| match particle {
        Particle::Element(element) => element.min == 0,
        Particle::Choice(choice) => {
            choice.min == 0 || choice.options.iter().any(|option| may_be_empty(option))
        }
        Particle::Group { particles, min, .. } => *min == 0 || may_be_empty(particles),
        Particle::Any { min, .. } => *min == 0,
    })
}

/// Members that occur together, as one member that is not an element.
fn grouped(members: Vec<Member>, name: &str, place: &Place) -> Option<Member> {
    (!members.is_empty()).then(|| Member {
        name: name.to_owned(),
        required: true,
        shape: Shape { kind: Kind::Object(members), nullable: false, description: None, place: at(place) },
        xml: xml(&Name::default(), XmlForm::Group),
    })
}

/// A member that occurs this number of times.
fn occurring(member: Member, min: u64, max: Option<u64>) -> Member {
    if max == Some(1) {
        return Member { required: min > 0, ..member };
    }
    let shape = Shape {
        kind: Kind::Array(Array { items: Box::new(member.shape.clone()), min, max }),
        nullable: false,
        description: None,
        place: member.shape.place.clone(),
    };
    Member { required: min > 0, shape, ..member }
}

fn first_name(particles: &[Particle], otherwise: &str) -> String {
    let first = particles.iter().find_map(|particle| match particle {
        Particle::Element(element) => Some(element.name.local.clone()),
        _ => None,
    });
    first.unwrap_or_else(|| otherwise.to_owned())
}

/// The shape of an empty element. Its field has one character, because COBOL has no empty fields.
fn empty() -> Kind {
    Kind::Text(Text { max: Some(0), format: Some("empty element".to_owned()), ..Text::default() })
}

fn described(element: &Element) -> Option<String> {
    let value = [("Default", &element.default), ("Always", &element.fixed)]
        .into_iter()
        .find_map(|(word, value)| value.as_ref().map(|value| format!("{word}: {value}.")));
    match (&element.documentation, value) {
        (Some(text), Some(value)) => Some(format!("{text} {value}")),
        (text, value) => text.clone().or(value),
    }
}

fn text(simple: &Simple, most: Option<u64>) -> Kind {
    // The lengths of a list count its values, and the reader leaves them out.
    let max = simple.length.or(simple.max_length).or(most);
    let min = simple.length.or(simple.min_length).unwrap_or(0);
    // An empty value needs no room in a field.
    let mut values =
        if simple.values.iter().all(String::is_empty) { Vec::new() } else { simple.values.clone() };
    let kind = text_type(simple);
    if let Some(kind) = kind {
        for value in &mut values {
            *value = match simple.white_space {
                WhiteSpace::Replace => kind.value(value, usize::MAX).into_owned(),
                _ => ::xml::collapse(value).into_owned(),
            };
        }
    }
    Kind::Text(Text {
        min: min.min(max.unwrap_or(u64::MAX)),
        max: max.map(|max| max.max(1)),
        values,
        pattern: simple.pattern.clone(),
        format: None,
        kind,
    })
}

/// The type of text that has rules for its white space.
fn text_type(simple: &Simple) -> Option<TextType> {
    match simple.white_space {
        WhiteSpace::Preserve => return None,
        WhiteSpace::Replace => return Some(TextType::Normalized),
        WhiteSpace::Collapse => {}
    }
    Some(match simple.base {
        Base::BuiltIn("ID" | "IDREF" | "ENTITY") => TextType::NcName,
        Base::BuiltIn("NOTATION") => TextType::QName,
        // Restrictions of strings may collapse, too. They may have any other text.
        Base::BuiltIn("normalizedString") | Base::List | Base::Union => TextType::Token,
        Base::BuiltIn(name) => TextType::by_name(name).unwrap_or(TextType::Token),
    })
}

fn number(simple: &Simple, base: &str) -> Result<Number, String> {
    let range = integer_range(base);
    let mut values = Vec::new();
    for value in &simple.values {
        values
            .push(super::simple::number(value).ok_or_else(|| format!("expected a number, found '{value}'"))?);
    }
    if let Some((Some(least), Some(greatest))) = range {
        // The type decides the width of the field, whatever its facets.
        let (least, greatest) = (Some(Decimal::integer(least)), Some(Decimal::integer(greatest)));
        return Ok(Number { form: NumberForm::Integer, least, greatest, fraction_digits: Some(0), values });
    }
    let (least, greatest) = range.unwrap_or_default();
    let listed = values.iter().map(|value| value.fraction_digits()).max();
    let fraction = if range.is_some() { Some(0) } else { simple.fraction_digits.or(listed) };
    let mut least = narrowed(least.map(Decimal::integer), simple.least, fraction, true);
    let mut greatest = narrowed(greatest.map(Decimal::integer), simple.greatest, fraction, false);
    if let Some(total) = simple.total_digits {
        let (low, high) = digits(total, fraction.unwrap_or(0));
        least = Some(least.map_or(low, |least| least.max(low)));
        greatest = Some(greatest.map_or(high, |greatest| greatest.min(high)));
    }
    if !values.is_empty() {
        least = values.iter().min().copied();
        greatest = values.iter().max().copied();
    }
    if let (Some(low), Some(high)) = (least, greatest)
        && low > high
    {
        return Err(format!("expected a range of numbers, found from {low} to {high}"));
    }
    let form = if range.is_some() { NumberForm::Integer } else { NumberForm::Decimal };
    Ok(Number { form, least, greatest, fraction_digits: fraction, values })
}

/// The limit of the base, or that of a facet if there is one.
fn narrowed(base: Option<Decimal>, facet: Option<Limit>, fraction: Option<u8>, low: bool) -> Option<Decimal> {
    let Some(Limit { value, exclusive }) = facet else { return base };
    let Some(fraction) = fraction else { return Some(value) };
    let inside = if low { value.ceiling(fraction) } else { value.floor(fraction) };
    if exclusive && inside == value {
        return inside.plus(if low { 1 } else { -1 }, fraction).or(Some(inside));
    }
    Some(inside)
}

/// The least and greatest number with this number of digits.
fn digits(total: u32, fraction: u8) -> (Decimal, Decimal) {
    let nines = Decimal::nines(total);
    let point = Decimal::parse(&format!("{nines}e-{fraction}")).unwrap_or_else(|| Decimal::integer(nines));
    let negative =
        Decimal::parse(&format!("-{nines}e-{fraction}")).unwrap_or_else(|| Decimal::integer(-nines));
    (negative, point)
}
