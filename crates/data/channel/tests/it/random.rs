//! Any schema, and any JSON that fits it: the containers give the JSON back; and any containers at all are read or
//! refused, without a panic.

use channel::{CharVarying, Interface, MappingLevel, Options, Side};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use service::{Channel, Container, Content};

use crate::layout::options;

/// The facts of a schema, kept so that the tests can make values for it.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Text { min: usize, more: usize },
    Listed,
    Decimal { whole: u32, places: u32 },
    Integer { least: i64, more: i64 },
    Double,
    Boolean,
    Octets { threes: usize },
    Date,
    Object(Vec<Member>),
    Array { min: usize, more: usize, open: bool, nullable: bool, items: Box<Shape> },
}

#[derive(Clone, Debug)]
pub(crate) struct Member {
    name: String,
    required: bool,
    nullable: bool,
    shape: Shape,
}

pub(crate) fn shape() -> impl Strategy<Value = Shape> {
    let scalar = prop_oneof![
        (0_usize..4, 0_usize..9)
            .prop_map(|(min, more)| Shape::Text { min, more: more + usize::from(min == 0) }),
        Just(Shape::Text { min: 0, more: 40_000 }),
        Just(Shape::Listed),
        (1_u32..12, 0_u32..6).prop_map(|(whole, places)| Shape::Decimal { whole, places }),
        (-70_000_i64..70_000, 0_i64..9_000_000_000).prop_map(|(least, more)| Shape::Integer { least, more }),
        Just(Shape::Integer { least: 0, more: 999 }),
        Just(Shape::Double),
        Just(Shape::Boolean),
        (1_usize..5).prop_map(|threes| Shape::Octets { threes }),
        Just(Shape::Date),
    ];
    scalar.prop_recursive(3, 24, 4, |inner| {
        let array = (0_usize..3, 0_usize..4, any::<bool>(), proptest::bool::weighted(0.2), inner.clone())
            .prop_map(|(min, more, open, nullable, items)| {
                let more = more + usize::from(min == 0);
                Shape::Array { min, more, open, nullable, items: Box::new(items) }
            });
        prop_oneof![object(inner), array]
    })
}

pub(crate) fn object(shape: impl Strategy<Value = Shape>) -> impl Strategy<Value = Shape> {
    let member = ("[a-z]{1,6}|status|Title|a_b", any::<bool>(), proptest::bool::weighted(0.2), shape);
    proptest::collection::vec(member, 1..5).prop_map(|members| {
        let mut kept: Vec<Member> = Vec::new();
        for (name, required, nullable, shape) in members {
            if kept.iter().all(|other| other.name != name) {
                // An array that is null has no rows, and comes back as such.
                let nullable = nullable && !matches!(shape, Shape::Array { .. });
                kept.push(Member { name, required, nullable, shape });
            }
        }
        Shape::Object(kept)
    })
}

/// The same schema, of values that may be null.
fn or_null(mut schema: Value) -> Value {
    schema["type"] = json!([schema["type"], "null"]);
    if let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        values.push(Value::Null);
    }
    schema
}

impl Shape {
    pub(crate) fn schema(&self) -> Value {
        match self {
            Shape::Text { min, more } => json!({"type": "string", "minLength": min, "maxLength": min + more}),
            Shape::Listed => json!({"type": "string", "enum": ["A", "longer", "né"]}),
            Shape::Decimal { whole, places } => {
                let most = 10_i64.pow(*whole) - 1;
                let unit: Value = serde_json::from_str(&format!("1e-{places}")).expect("a number");
                json!({"type": "number", "format": "decimal", "multipleOf": unit, "minimum": -most, "maximum": most})
            }
            Shape::Integer { least, more } => {
                json!({"type": "integer", "minimum": least, "maximum": least + more})
            }
            Shape::Double => json!({"type": "number"}),
            Shape::Boolean => json!({"type": "boolean"}),
            Shape::Octets { threes } => json!({"type": "string", "format": "byte", "maxLength": threes * 4}),
            Shape::Date => json!({"type": "string", "format": "date"}),
            Shape::Array { min, more, open, nullable, items } => {
                let items = if *nullable { or_null(items.schema()) } else { items.schema() };
                let mut schema = json!({"type": "array", "minItems": min, "items": items});
                if !open {
                    schema["maxItems"] = json!(min + more);
                }
                schema
            }
            Shape::Object(members) => {
                let mut properties = Map::new();
                for member in members {
                    let schema = member.shape.schema();
                    let schema = if member.nullable { or_null(schema) } else { schema };
                    properties.insert(member.name.clone(), schema);
                }
                let required: Vec<&str> = members
                    .iter()
                    .filter(|member| member.required)
                    .map(|member| member.name.as_str())
                    .collect();
                json!({"type": "object", "properties": properties, "required": required})
            }
        }
    }

    /// A value that comes back as it was: text that ends in no blank, arrays that may be left out with elements.
    pub(crate) fn value(&self, dice: &mut Dice, varying: CharVarying) -> Value {
        match self {
            Shape::Text { min, more } => {
                let length = (*min + dice.roll((*more).min(20) + 1)).min(min + more);
                let mut text: String =
                    (0..length).map(|_| dice.pick(&['a', 'Z', ' ', 'é', '"', '\\', '0'])).collect();
                if text.ends_with(' ') {
                    text.pop();
                    text.push('x');
                }
                json!(text)
            }
            Shape::Listed => json!(dice.pick(&["A", "longer", "né"])),
            Shape::Decimal { whole, places } => {
                let whole = dice.roll(10_usize.pow(*whole));
                let sign = if dice.roll(2) == 0 { "" } else { "-" };
                let fraction: String = (0..*places).map(|_| dice.pick(&['0', '1', '5'])).collect();
                let text = if whole == 0 { "0".to_owned() } else { format!("{sign}{whole}") };
                let text = if *places == 0 || whole == 0 || whole % 10 == 9 {
                    text
                } else {
                    format!("{text}.{fraction}")
                };
                let exact: f64 = text.parse().expect("a number");
                if exact.fract() == 0.0 { json!(exact as i64) } else { json!(exact) }
            }
            Shape::Integer { least, more } => json!(least + dice.roll(*more as usize + 1) as i64),
            Shape::Double => json!(dice.roll(100_000) as f64 * 0.25 + 0.125),
            Shape::Boolean => json!(dice.roll(2) == 1),
            Shape::Octets { threes } => {
                // Without a length beside them they fill their field.
                let threes = if varying == CharVarying::Yes { dice.roll(threes + 1) } else { *threes };
                // A null ends them where nothing else does.
                json!(if varying == CharVarying::Null { "Af8Q" } else { "AP8Q" }.repeat(threes))
            }
            Shape::Date => json!("2026-11-21"),
            Shape::Array { min, more, open, items, .. } => {
                let room = if *open { 5 } else { *more };
                let count = (*min + dice.roll(room + 1)).max(1);
                Value::Array((0..count).map(|_| items.value(dice, varying)).collect())
            }
            Shape::Object(members) => {
                let mut object = Map::new();
                for member in members {
                    if member.required && member.nullable && dice.roll(3) == 0 {
                        object.insert(member.name.clone(), Value::Null);
                    } else if member.required || dice.roll(3) > 0 {
                        object.insert(member.name.clone(), member.shape.value(dice, varying));
                    }
                }
                Value::Object(object)
            }
        }
    }
}

/// Numbers from a seed.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides.max(1)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.roll(from.len())]
    }
}

/// The options that change layouts.
#[derive(Clone, Copy, Debug)]
struct Choices {
    char_varying: CharVarying,
    mapping_level: MappingLevel,
    inline_max_occurs: u64,
}

fn choices() -> impl Strategy<Value = Choices> {
    let varying = prop_oneof![
        Just(CharVarying::No),
        Just(CharVarying::Collapse),
        Just(CharVarying::Null),
        Just(CharVarying::Yes),
    ];
    let level = prop_oneof![Just(MappingLevel::V4_3), Just(MappingLevel::V5_0)];
    (varying, level, 0_u64..5).prop_map(|(char_varying, mapping_level, inline_max_occurs)| Choices {
        char_varying,
        mapping_level,
        inline_max_occurs,
    })
}

fn compile(shape: &Shape, whole: bool, choices: Choices) -> Interface {
    let Choices { char_varying, mapping_level, inline_max_occurs } = choices;
    let options = Options { char_varying, mapping_level, inline_max_occurs, ..options() };
    let mut record = shape.schema();
    record["description"] = json!("json-schema");
    let (channel, side) = if whole {
        (record, Side::Response)
    } else {
        (json!({"properties": {"A": {"type": "string"}, "data": record}}), Side::Request)
    };
    let schema = json!({"properties": {"channel": channel}}).to_string();
    Interface::compile(&schema, side, &options).unwrap_or_else(|found| panic!("{schema}: {found:?}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn json_goes_to_containers_and_back(
        shape in object(shape()), choices in choices(), whole in any::<bool>(), seed in any::<u64>(),
    ) {
        let interface = compile(&shape, whole, choices);
        let mut dice = Dice(seed);
        let record = shape.value(&mut dice, choices.char_varying);
        let json = if whole { json!({"channel": record}) } else { json!({"channel": {"A": "/x", "data": record}}) };
        let channel = interface.to_channel(json.to_string().as_bytes());
        let channel = channel.unwrap_or_else(|error| panic!("{json}: {error}\n{}", interface.copybook()));
        let mut out = Vec::new();
        let read = interface.to_json(&channel, &mut out);
        prop_assert!(read.is_ok(), "{}: {:?}\n{}", json, read, interface.copybook());
        let back: Value = serde_json::from_slice(&out).expect("JSON");
        prop_assert_eq!(back, json, "{}", interface.copybook());
    }

    #[test]
    fn any_containers_are_read_or_refused(
        shape in object(shape()), choices in choices(), whole in any::<bool>(), seed in any::<u64>(),
        changes in proptest::collection::vec((any::<usize>(), any::<usize>(), any::<u8>()), 0..6),
        cut in proptest::option::of(any::<usize>()),
    ) {
        let interface = compile(&shape, whole, choices);
        let record = shape.value(&mut Dice(seed), choices.char_varying);
        let json = if whole { json!({"channel": record}) } else { json!({"channel": {"A": "/x", "data": record}}) };
        let channel = interface.to_channel(json.to_string().as_bytes()).expect("it fits");
        let mut contents: Vec<(String, Vec<u8>)> = channel
            .containers()
            .iter()
            .map(|container| (container.name.clone(), container.content.bytes().to_vec()))
            .collect();
        for (which, place, byte) in changes {
            let count = contents.len();
            let content = &mut contents[which % count].1;
            let length = content.len().max(1);
            if let Some(changed) = content.get_mut(place % length) {
                *changed = byte;
            }
        }
        if let Some(cut) = cut {
            let count = contents.len();
            let content = &mut contents[cut % count].1;
            content.truncate(cut % (content.len() + 1));
        }
        let containers = contents.into_iter().map(|(name, bytes)| Container { name, content: Content::Bit(bytes) });
        let mut out = Vec::new();
        match interface.to_json(&Channel::of(containers.collect()), &mut out) {
            Ok(()) => prop_assert!(serde_json::from_slice::<Value>(&out).is_ok()),
            Err(error) => {
                prop_assert!(out.is_empty());
                prop_assert!(!error.message.is_empty() && error.path.starts_with("channel"), "{}", error);
            }
        }
    }
}
