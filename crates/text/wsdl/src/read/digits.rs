//! The numbers of digits of the decimal numbers of an operation.

use super::model::{Base, Complex, Content, Element, Operation, Particle, Simple};

impl Operation {
    /// The most digits of the decimal and whole numbers in its messages, as far as they have a limit; 0 if none
    /// has one.
    #[must_use]
    pub fn decimal_digits_max(&self) -> u32 {
        let sides = [self.request.as_ref(), self.response.as_ref().and_then(Option::as_ref)];
        sides.into_iter().flatten().map(of_element).max().unwrap_or(0)
    }
}

fn of_element(element: &Element) -> u32 {
    match &element.content {
        Content::Simple(simple) => of_simple(simple),
        Content::Complex(complex) => of_complex(complex),
        Content::Types(types) => types.iter().map(|(_, complex)| of_complex(complex)).max().unwrap_or(0),
        Content::Any(_) => 0,
    }
}

fn of_complex(complex: &Complex) -> u32 {
    let simple = complex.attributes.iter().map(|attribute| &attribute.simple).chain(&complex.text);
    simple.map(of_simple).max().unwrap_or(0).max(of_particles(&complex.particles))
}

fn of_particles(particles: &[Particle]) -> u32 {
    let of_each = particles.iter().map(|particle| match particle {
        Particle::Element(element) => of_element(element),
        Particle::Group { particles, .. } => of_particles(particles),
        Particle::Choice(choice) => {
            choice.options.iter().map(|option| of_particles(option)).max().unwrap_or(0)
        }
        Particle::Any { .. } => 0,
    });
    of_each.max().unwrap_or(0)
}

fn of_simple(simple: &Simple) -> u32 {
    // The ranges of other types have at most 20 digits, and their fields do not depend on this.
    let is_unlimited = matches!(
        simple.base,
        Base::BuiltIn(
            "decimal"
                | "integer"
                | "nonNegativeInteger"
                | "nonPositiveInteger"
                | "positiveInteger"
                | "negativeInteger"
        )
    );
    simple.total_digits.filter(|_| is_unlimited).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use crate::read::read;

    #[test]
    fn the_longest_decimal_number_counts_wherever_it_stands() {
        let of = |digits: u32, base: &str, element: &str| {
            let text = format!(
                "<definitions targetNamespace=\"urn:t\" xmlns=\"http://schemas.xmlsoap.org/wsdl/\" xmlns:t=\"urn:t\" \
                 xmlns:s=\"http://schemas.xmlsoap.org/wsdl/soap/\" xmlns:x=\"http://www.w3.org/2001/XMLSchema\"><types>\
                 <x:schema targetNamespace=\"urn:t\"><x:simpleType name=\"D\"><x:restriction base=\"x:{base}\">\
                 <x:totalDigits value=\"{digits}\"/></x:restriction></x:simpleType>\
                 <x:simpleType name=\"I\"><x:restriction base=\"x:long\"><x:totalDigits value=\"30\"/></x:restriction></x:simpleType>\
                 <x:element name=\"e\"><x:complexType>{element}</x:complexType></x:element></x:schema></types>\
                 <message name=\"m\"><part name=\"p\" element=\"t:e\"/></message>\
                 <portType name=\"P\"><operation name=\"O\"><input message=\"t:m\"/></operation></portType>\
                 <binding name=\"B\" type=\"t:P\"><s:binding transport=\"http://schemas.xmlsoap.org/soap/http\"/>\
                 <operation name=\"O\"><s:operation/><input><s:body use=\"literal\"/></input></operation></binding></definitions>"
            );
            let read = read("t.wsdl", text.into_bytes(), &mut |_| Err("none".to_owned()));
            let read = read.unwrap_or_else(|faults| panic!("{faults:?}"));
            read.bindings[0].operations[0].as_ref().expect("an operation").decimal_digits_max()
        };
        let element = "<x:element name=\"d\" type=\"t:D\"/>";
        for (digits, inner) in [
            (26, format!("<x:sequence>{element}</x:sequence>")),
            (27, format!("<x:choice><x:element name=\"a\" type=\"x:int\"/>{element}</x:choice>")),
            (
                28,
                format!(
                    "<x:sequence maxOccurs=\"3\"><x:element name=\"a\" type=\"x:int\"/>{element}</x:sequence>"
                ),
            ),
            (29, "<x:attribute name=\"d\" type=\"t:D\"/>".to_owned()),
        ] {
            for base in ["decimal", "integer", "negativeInteger"] {
                assert_eq!(of(digits, base, &inner), digits, "{base}: {inner}");
            }
        }
        assert_eq!(of(9, "decimal", "<x:sequence><x:element name=\"i\" type=\"t:I\"/></x:sequence>"), 0);
    }
}
