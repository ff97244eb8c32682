//! Any schema becomes a copybook that our own parser and bind take, with the members of the schema; and any text at all
//! is refused or taken, without a panic.

use std::collections::BTreeSet;

use assistant::{
    Alternatives, CharVarying, Content, Copybook, Enums, FieldName, Floats, Holds, Integers, MappingLevel,
    Optional, Options, Role, RootOptional, Source, VaryingArrays, from_json,
};
use codepage::CodePage;
use copybook::{Kind, Layout};
use proptest::prelude::*;
use record::{Bind, FieldOptions};

/// A random schema as JSON text.
fn schema() -> impl Strategy<Value = String> {
    object(scalar().boxed(), 4).prop_map(|members| format!(r#"{{"title":"Any","type":"object",{members}}}"#))
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        (0_u32..5, 1_u32..60).prop_map(|(least, room)| {
            format!(r#"{{"type":"string","minLength":{least},"maxLength":{}}}"#, least + room)
        }),
        Just(r#"{"type":["string","null"],"maxLength":3}"#.to_owned()),
        Just(r#"{"enum":["A","b'c","Zürich",""]}"#.to_owned()),
        Just(r#"{"type":"string","format":"date-time"}"#.to_owned()),
        Just(r#"{"type":"string","format":"byte","maxLength":20}"#.to_owned()),
        Just(r#"{"type":"boolean","description":"Yes or no; perhaps 01 A PIC X."}"#.to_owned()),
        Just(r#"{"type":"integer"}"#.to_owned()),
        Just(r#"{"type":"integer","enum":[-3,12]}"#.to_owned()),
        (-1_000_000_i64..1_000_000, 0_i64..1_000_000_000_000).prop_map(|(least, more)| {
            format!(r#"{{"type":"integer","minimum":{least},"maximum":{}}}"#, least + more)
        }),
        (0_u32..5, 0_u64..100_000_000, any::<bool>()).prop_map(|(places, greatest, signed)| {
            let unit = format!("1e-{places}");
            let least = if signed { format!("-{greatest}") } else { "0".to_owned() };
            format!(r#"{{"type":"number","multipleOf":{unit},"minimum":{least},"maximum":{greatest}}}"#)
        }),
        Just(r#"{"type":"number"}"#.to_owned()),
    ]
}

/// Names that meet in COBOL, are reserved, are too long, or have other characters.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,8}",
        "[a-zA-Z_.-][a-zA-Z0-9_ .é-]{0,40}",
        Just("status".to_owned()),
        Just("a_b".to_owned()),
        Just("a.b".to_owned()),
        Just("A-B".to_owned()),
        Just("rows-num".to_owned()),
        Just("rows".to_owned()),
        Just("0".to_owned()),
    ]
}

fn object(value: BoxedStrategy<String>, members: usize) -> BoxedStrategy<String> {
    let member = (name(), nested(value), any::<bool>());
    proptest::collection::vec(member, 1..=members)
        .prop_map(|members| {
            let mut seen = BTreeSet::new();
            let members: Vec<_> =
                members.into_iter().filter(|(name, ..)| seen.insert(name.clone())).collect();
            let quoted = |name: &str| serde_json::to_string(name).unwrap_or_default();
            let properties: Vec<String> =
                members.iter().map(|(name, value, _)| format!("{}:{value}", quoted(name))).collect();
            let required: Vec<String> =
                members.iter().filter(|(.., required)| *required).map(|(name, ..)| quoted(name)).collect();
            format!(r#""properties":{{{}}},"required":[{}]"#, properties.join(","), required.join(","))
        })
        .boxed()
}

/// A value of any shape: at most two levels of objects and arrays around the scalars.
fn nested(scalar: BoxedStrategy<String>) -> BoxedStrategy<String> {
    scalar
        .prop_recursive(2, 12, 3, |inner| {
            let names = proptest::collection::vec((name(), inner.clone(), any::<bool>()), 1..4);
            let object = names.prop_map(|members| {
                let mut seen = BTreeSet::new();
                let properties: Vec<String> = members
                    .into_iter()
                    .filter(|(name, ..)| seen.insert(name.clone()))
                    .map(|(name, value, _)| {
                        format!("{}:{value}", serde_json::to_string(&name).unwrap_or_default())
                    })
                    .collect();
                format!(r#"{{"type":"object","properties":{{{}}}}}"#, properties.join(","))
            });
            let array = (inner, 0_u32..3, 1_u32..4)
                .prop_filter("an array of arrays is no table of rows", |(items, ..)| {
                    !items.starts_with(r#"{"type":"array""#)
                })
                .prop_map(|(items, least, room)| {
                    let most = least + room;
                    format!(r#"{{"type":"array","minItems":{least},"maxItems":{most},"items":{items}}}"#)
                });
            prop_oneof![object, array]
        })
        .boxed()
}

fn layouts(copybook: &Copybook) -> Vec<Layout> {
    let parsed = copybook::parse("RANDOM.cpy", &copybook.text, &copybook::Options::default());
    parsed.unwrap_or_else(|found| panic!("{}\n{found:#?}", copybook.text)).layouts
}

/// The paths of a JSON Schema's members, `[]` after arrays.
fn members(schema: &serde_json::Value, path: &str, found: &mut BTreeSet<String>) {
    if let Some(properties) = schema["properties"].as_object() {
        for (name, value) in properties {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            let path = if value["items"].is_object() { format!("{path}[]") } else { path };
            found.insert(path.clone());
            members(value, &path, found);
        }
    } else if schema["items"].is_object() {
        members(&schema["items"], path, found);
    }
}

/// The bind that the names of a copybook make.
fn bind(layout: &Layout, names: &[FieldName], text: &str) -> Bind {
    let page = CodePage::by_ccsid(37).expect("CCSID 37");
    let mut options = record::Options::new(page);
    for name in names.iter().filter(|name| matches!(name.role, Role::Value | Role::Rows)) {
        let id =
            layout.resolve(&name.field).unwrap_or_else(|error| panic!("{text}\n{}: {error:?}", name.field));
        assert_eq!(layout.path(id).to_ascii_uppercase(), name.path.to_ascii_uppercase(), "{text}");
        options.fields.insert(
            id,
            FieldOptions {
                name: Some(name.name.clone()),
                required: name.required,
                minimum: name.minimum.clone(),
                maximum: name.maximum.clone(),
                ..FieldOptions::default()
            },
        );
    }
    Bind::compile(layout, &options).unwrap_or_else(|errors| panic!("{text}\n{errors:#?}"))
}

/// Every path of an area leads to a field, of the kind that it should be.
fn check_area(content: &Content, layout: &Layout) {
    let field = |path: &str| {
        let id = layout.resolve(path).unwrap_or_else(|error| panic!("{path}: {error:?}"));
        assert!(layout.path(id).eq_ignore_ascii_case(path), "{path}");
        layout.field(id)
    };
    let counter =
        |path: &str| assert!(matches!(field(path).kind, Kind::Binary { signed: true, .. }), "{path}");
    match content {
        Content::Object(members) => {
            for member in members {
                member.presence.iter().for_each(|path| counter(path));
                check_area(&member.content, layout);
            }
        }
        Content::Value(value) => {
            assert_ne!(field(&value.field).kind, Kind::Group);
            value.length.iter().for_each(|path| counter(path));
        }
        Content::Table(table) => {
            table.count.iter().for_each(|path| counter(path));
            let rows = field(&table.field).occurs.map_or(0, |occurs| u64::from(occurs.max));
            assert_eq!(rows, table.max, "{}", table.field);
            check_area(&table.row, layout);
        }
        Content::Container(container) => {
            assert_eq!(field(&container.field).bytes, 16);
            if let Holds::Rows { count, .. } = &container.holds {
                counter(count);
            }
        }
    }
}

/// The boundary of a field: its place is a multiple of it.
fn boundary(field: &copybook::Field) -> usize {
    // All binary numbers of the assistants are synchronized.
    if matches!(field.kind, Kind::Binary { .. }) { field.bytes.min(4) } else { 1 }
}

fn check_columns(text: &str) -> Result<(), TestCaseError> {
    for line in text.lines() {
        prop_assert!(line.len() <= 72 && line.is_ascii(), "{line}");
        prop_assert!(line.is_empty() || line.starts_with("      "), "{line}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_record_for_the_gateway_has_the_members_of_its_schema(
        schema in schema(),
        char_varying in prop_oneof![Just(CharVarying::No), Just(CharVarying::Null), Just(CharVarying::Collapse)],
        integers in prop_oneof![Just(Integers::Native), Just(Integers::Binary)],
        conditions in any::<bool>(),
    ) {
        let enums = if conditions { Enums::Conditions } else { Enums::Comments };
        let options = Options { char_varying, integers, enums, ..Options::gateway("RANDOM") };
        let copybook = from_json(&schema, &Source::Schema, &options).expect(&schema);
        check_columns(&copybook.text)?;
        let layouts = layouts(&copybook);
        prop_assert_eq!(layouts.len(), 1);
        let bind = bind(&layouts[0], &copybook.names, &copybook.text);
        let made = serde_json::to_value(bind.request_schema()).expect("JSON");
        let given: serde_json::Value = serde_json::from_str(&schema).expect("JSON");
        let (mut expected, mut found) = (BTreeSet::new(), BTreeSet::new());
        members(&given, "", &mut expected);
        members(&made, "", &mut found);
        prop_assert_eq!(found, expected, "{}", copybook.text);
    }

    #[test]
    fn structures_of_the_assistant_are_valid_and_their_names_unique(
        schema in schema(),
        char_varying in prop_oneof![Just(CharVarying::No), Just(CharVarying::Yes)],
        varying_arrays in prop_oneof![
            Just(VaryingArrays::Inline), Just(VaryingArrays::DependingOn), Just(VaryingArrays::Container),
        ],
        mapping_level in prop_oneof![Just(MappingLevel::V4_3), Just(MappingLevel::V5_0)],
        optional in prop_oneof![Just(Optional::Counter), Just(Optional::Plain)],
        root_optional in prop_oneof![Just(RootOptional::Inline), Just(RootOptional::Container)],
        inline_max_occurs in 1_u64..4,
    ) {
        let options = Options {
            char_varying, varying_arrays, mapping_level, optional, root_optional, inline_max_occurs,
            floats: Floats::Packed, ..Options::assistant("RANDOM")
        };
        let copybook = from_json(&schema, &Source::Schema, &options).expect(&schema);
        check_columns(&copybook.text)?;
        let layouts = layouts(&copybook);
        let mut names = BTreeSet::new();
        for (_, field) in layouts.iter().flat_map(Layout::iter) {
            prop_assert!(field.spelling.len() <= 30, "{}", field.spelling);
            prop_assert!(field.filler || names.insert(field.name.clone()), "{} twice in\n{}", field.name, copybook.text);
        }
        prop_assert_eq!(layouts.len(), copybook.areas.len());
        for area in &copybook.areas {
            let layout = layouts.iter().find(|layout| layout.name().eq_ignore_ascii_case(&area.record));
            check_area(&area.content, layout.expect(&copybook.text));
        }
        // Rows of containers follow each other at the boundaries of their fields.
        for layout in &layouts[1..] {
            let strictest = layout.iter().map(|(_, field)| boundary(field)).max().unwrap_or(1);
            prop_assert_eq!(layout.max_bytes() % strictest, 0, "{}", copybook.text);
        }
        for layout in &layouts {
            let names: Vec<FieldName> = copybook
                .names
                .iter()
                .filter(|name| name.record.eq_ignore_ascii_case(layout.name()))
                .cloned()
                .collect();
            // Names of members may meet those of counters, which a bind tells apart by numbers; so none are given.
            let page = CodePage::by_ccsid(37).expect("CCSID 37");
            let bind = Bind::compile(layout, &record::Options::new(page));
            prop_assert!(bind.is_ok(), "{}\n{:#?}", copybook.text, bind.err());
            for name in &names {
                prop_assert!(layout.resolve(&name.field).is_ok(), "{}\n{}", name.field, copybook.text);
            }
        }
    }

    #[test]
    fn any_text_is_taken_or_refused(text in "\\PC{0,80}") {
        let _ = from_json(&text, &Source::Schema, &Options::assistant("R"));
    }

    #[test]
    fn any_json_is_taken_or_refused(text in keywords(), first in any::<bool>()) {
        let alternatives = if first { Alternatives::First } else { Alternatives::Refuse };
        let options = Options { alternatives, ..Options::assistant("R") };
        if let Ok(copybook) = from_json(&text, &Source::Schema, &options) {
            let parsed = copybook::parse("R.cpy", &copybook.text, &copybook::Options::default());
            prop_assert!(parsed.is_ok(), "{}\n{:#?}", copybook.text, parsed.err());
        }
    }
}

/// JSON in which keywords stand where they may mean something, with values that may be wrong.
fn keywords() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("-1".to_owned()),
        Just("1e2".to_owned()),
        Just("0.005".to_owned()),
        Just("99999999999999999999999999999999999999999".to_owned()),
        Just(r#""string""#.to_owned()),
        Just(r#""object""#.to_owned()),
        Just(r#""integer""#.to_owned()),
        Just(r##""#/properties/a""##.to_owned()),
        Just(r##""#""##.to_owned()),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        let key = prop_oneof![
            Just("type"),
            Just("properties"),
            Just("items"),
            Just("allOf"),
            Just("oneOf"),
            Just("$ref"),
            Just("enum"),
            Just("const"),
            Just("maxItems"),
            Just("minItems"),
            Just("maxLength"),
            Just("minimum"),
            Just("maximum"),
            Just("exclusiveMaximum"),
            Just("multipleOf"),
            Just("required"),
            Just("a"),
            Just("b"),
            Just("format"),
            Just("nullable"),
            Just("additionalProperties"),
        ];
        prop_oneof![
            proptest::collection::btree_map(key, inner.clone(), 0..6).prop_map(|members| {
                let members: Vec<String> =
                    members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
            proptest::collection::vec(inner, 0..4).prop_map(|elements| format!("[{}]", elements.join(","))),
        ]
    })
    .prop_map(|value| format!(r#"{{"type":"object","properties":{{"a":{value},"b":{value}}}}}"#))
}
