//! A written bind file can be read again.

use std::collections::BTreeMap;

use proptest::prelude::*;
use web_service::{
    BindFile, CharOccurs, CharVarying, Choices, DateTime, Documents, FORMAT, FieldChoice, FieldForm,
    InterfaceKind, Laying, Level, Nillable, NullRows, Operation, Part, Role, SoapVersions, XmlPlace,
};
use xml::OtherAttributes;
use xsd::TextType;

fn xml_name() -> impl Strategy<Value = String> {
    "[A-Za-z_][A-Za-z0-9_.-]{0,12}"
}

fn level() -> impl Strategy<Value = Level> {
    prop::sample::select(Level::all().collect::<Vec<_>>())
}

fn choices() -> impl Strategy<Value = Choices> {
    let varying = prop::sample::select(vec![
        CharVarying::No,
        CharVarying::Null,
        CharVarying::Collapse,
        CharVarying::Binary,
    ]);
    let occurs = prop::sample::select(vec![CharOccurs::Array, CharOccurs::String]);
    let datetime = prop::sample::select(vec![DateTime::Unused, DateTime::Packed15]);
    (varying, occurs, datetime, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(char_varying, char_occurs, datetime, data_truncation, bad_numbers_are_zero, full_tables)| Choices {
            char_varying,
            char_occurs,
            datetime,
            data_truncation,
            bad_numbers_are_zero,
            null_rows: if full_tables { NullRows::Omit } else { NullRows::Keep },
            full_tables,
        },
    )
}

fn field() -> impl Strategy<Value = FieldChoice> {
    let form = prop::sample::select(vec![
        FieldForm::Hex,
        FieldForm::Base64,
        FieldForm::Boolean,
        FieldForm::Text(TextType::DateTime),
        FieldForm::Text(TextType::Token),
    ]);
    let xml = prop::sample::select(vec![XmlPlace::Element, XmlPlace::Attribute, XmlPlace::Text]);
    let namespace = prop::option::of("\\PC{0,12}");
    let included = prop::option::of(any::<bool>());
    (prop::option::of(xml_name()), included, any::<bool>(), prop::option::of(form), namespace, xml).prop_map(
        |(name, included, required, form, namespace, xml)| FieldChoice {
            name,
            included,
            required,
            form,
            namespace,
            xml,
            omit_blank: required,
            any_order: required,
            default: required.then(|| "a \"default\"".to_owned()),
            fixed: required,
            other_attributes: others(required),
            nil: if required { Nillable::Write } else { Nillable::Refuse },
        },
    )
}

/// Attributes without a field, or none.
fn others(some: bool) -> OtherAttributes {
    if some { OtherAttributes::all_but(["", "urn:\"a\""]) } else { OtherAttributes::default() }
}

fn part(copybook: &'static str) -> impl Strategy<Value = Part> {
    let fields = prop::collection::btree_map("[A-Z][A-Z0-9.-]{0,20}", field(), 0..3);
    (xml_name(), "\\PC{0,20}", prop::option::of("[A-Z]{1,8}"), fields).prop_map(
        move |(element, namespace, record, fields)| Part {
            element,
            namespace,
            copybook: copybook.to_owned(),
            record,
            containers: BTreeMap::new(),
            other_attributes: others(!fields.is_empty()),
            fields,
        },
    )
}

fn operations() -> impl Strategy<Value = Vec<Operation>> {
    let one = (part("A"), prop::option::of(part("B")), "\\PC{0,12}");
    prop::collection::vec(one, 1..4).prop_map(|found| {
        let numbered = found.into_iter().enumerate().map(|(number, (mut request, response, soap_action))| {
            request.element.push_str(&number.to_string());
            Operation {
                name: format!("operation{number}"),
                response_action: soap_action.clone(),
                soap_action,
                by_wsdl: false,
                request,
                response,
            }
        });
        numbered.collect()
    })
}

prop_compose! {
    fn file()(
        name in "[A-Za-z0-9_.-]{1,20}",
        levels in (level(), level()),
        choices in choices(),
        operation in operations(),
        // Every character, quotes and control characters among them.
        texts in (any::<String>(), ".{0,80}"),
        namespace in "\\PC{1,20}",
        ccsid in prop::option::of(any::<u16>()),
        soap in prop::sample::select(vec![SoapVersions::V11, SoapVersions::V12, SoapVersions::All]),
        is_provider in any::<bool>(),
        is_channel in any::<bool>(),
    ) -> BindFile {
        BindFile {
            wsbind: FORMAT,
            name,
            role: if is_provider { Role::Provider } else { Role::Requester },
            program: is_provider.then(|| "PROGRAM".to_owned()),
            interface: if is_channel { InterfaceKind::Channel } else { InterfaceKind::Commarea },
            container: is_channel.then(|| "DFHWS-DATA".to_owned()),
            uri: Some("/cics/services/a?b".to_owned()),
            transaction: is_provider.then(|| "CPIH".to_owned()),
            mapping_level: levels.0.min(levels.1),
            minimum_runtime_level: levels.0.max(levels.1),
            soap,
            namespace,
            ccsid,
            options: choices,
            operation: operation
                .into_iter()
                .map(|operation| Operation { by_wsdl: is_channel && is_provider, ..operation })
                .collect(),
            binding: (is_channel && is_provider).then(|| "Binding".to_owned()),
            layout: is_channel.then(|| Laying { wide_comp3: is_provider, ..Laying::default() }),
            wsdl: is_channel.then(|| Documents {
                file: "a.wsdl".to_owned(),
                files: BTreeMap::from([("a.wsdl".to_owned(), texts.1.clone()), ("b/c".to_owned(), String::new())]),
            }),
            copybooks: BTreeMap::from([("A".to_owned(), texts.0), ("B".to_owned(), texts.1)]),
        }
    }
}

proptest! {
    #[test]
    fn a_file_that_is_written_is_read_again(file in file()) {
        let text = file.write().expect("a text");
        let again = BindFile::read(text.as_bytes()).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
        prop_assert_eq!(again, file);
    }

    #[test]
    fn no_bytes_do_harm(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = BindFile::read(&bytes);
    }
}
