//! From an elementary field of the layout to its slot: its type, its options and its policies select the
//! codec.

use codepage::{Encoding, Form as EncodingForm};
use copybook::{Field, FieldId, Kind, Layout, Literal};

use crate::characters;
use crate::date;
use crate::decimal::{Decimal, NUMBER_DIGITS_MAX};
use crate::edited::{EditPlan, InsertionPlan};
use crate::error::Error;
use crate::number::NumberForm;
use crate::options::{Conditions, EditedValue, FieldOptions, Format, Options};
use crate::policies::{LowValueText, NumberStyle, Policies, TrimText};
use crate::rich::{Allowed, Base, Form, Rich};
use crate::slot::{Codec, Found, Given, Limits, NumberCodec, Slot};
use crate::template::set_literal;
use crate::text::{TextCodec, TextTables};

/// The most digits that every reader of JSON keeps exactly in a number.
const SAFE_DIGITS: u8 = 15;

/// The slot of an elementary field, limited by its picture alone.
pub(crate) fn slot_of(
    layout: &Layout,
    id: FieldId,
    options: &Options,
    tables: &TextTables,
) -> Result<Slot, String> {
    let field = layout.field(id);
    if field.kind == Kind::Group {
        return Err("a group has no value itself".to_owned());
    }
    let plain_choice = FieldOptions::default();
    let choice = options.fields.get(&id).unwrap_or(&plain_choice);
    let mut policies = options.policies_of(id);
    if !matches!(field.kind, Kind::Text { .. }) && policies.low_value_text == LowValueText::End {
        policies.low_value_text = LowValueText::Keep;
    }
    let allowed = match options.conditions {
        Conditions::Enforce => allowed(field, choice, options, tables)?,
        _ => None,
    };
    let special = choice.format.is_some() || choice.omit.is_some() || allowed.is_some();
    let codec = match plain(field, policies, options)? {
        Some(codec) if !special => codec,
        codec => {
            let base = base(field, choice, options)?;
            let mut form = form(field, &base, choice, policies)?;
            if let (Form::Typed { plain, .. }, Some(Codec::Text(codec))) = (&mut form, codec) {
                *plain = Some(codec);
            }
            let encoding = options.encoding;
            let mut rich = Rich { base, form, policies, omit: None, allowed: None, encoding };
            read_back(&mut rich, field.bytes, choice, tables)?;
            rich.allowed = allowed;
            Codec::Rich(Box::new(rich))
        }
    };
    Ok(Slot { offset: field.offset, bytes: field.bytes, codec })
}

/// Puts the values of a boolean, and the value to omit, into the form that reading a record gives them.
fn read_back(
    rich: &mut Rich,
    bytes: usize,
    choice: &FieldOptions,
    tables: &TextTables,
) -> Result<(), String> {
    let back = |rich: &Rich, text: &str| {
        let mut field = vec![0; bytes];
        let mut read = String::new();
        rich.write(Given::Untyped(text), &mut field, tables)?;
        match rich.read(&field, tables, &mut read)? {
            Found::Boolean(value) => Ok(value.to_string()),
            _ => Ok(read),
        }
    };
    if let Form::Boolean { yes, no } = rich.form.clone() {
        rich.form = Form::Plain;
        let fit = |text: &str| {
            back(rich, text)
                .map_err(|error: Error| format!("the field cannot hold '{text}': {}", error.message))
        };
        let (yes, no) = (fit(&yes)?, fit(&no)?);
        if yes == no {
            return Err(format!("true and false are both '{yes}'"));
        }
        rich.form = Form::Boolean { yes, no };
    }
    // The field may not hold this value and still be read as it: the empty text, for null.
    rich.omit = choice.omit.as_ref().map(|text| back(rich, text).unwrap_or_else(|_| text.clone()));
    Ok(())
}

/// The codec of the plain cases; none for all others.
fn plain(field: &Field, policies: Policies, options: &Options) -> Result<Option<Codec>, String> {
    let trim = policies.trim_text;
    let strict = Policies { trim_text: trim, ..Policies::default() };
    let text = |justified| TextCodec { justified, trim: trim == TrimText::Trailing };
    let codec = match &field.kind {
        _ if policies != strict || trim == TrimText::Both => None,
        Kind::Text { justified } => Some(Codec::Text(text(*justified))),
        Kind::Edited(edited) if !edited.national && options.edited == EditedValue::Text => {
            Some(Codec::Text(text(false)))
        }
        Kind::NationalNumber { .. } => None,
        kind => number_codec(kind, field.bytes, options)?.map(Codec::Number),
    };
    Ok(codec)
}

fn number_codec(kind: &Kind, bytes: usize, options: &Options) -> Result<Option<NumberCodec>, String> {
    let Some(shape) = NumberForm::of(kind, options) else { return Ok(None) };
    if usize::from(shape.digits) >= NUMBER_DIGITS_MAX || shape.digits == 0 {
        return Err(format!("a number of {} digits is not supported", shape.digits));
    }
    let (least, greatest) = shape.range(bytes);
    Ok(Some(NumberCodec { form: shape.form, limits: Limits { scale: shape.scale, least, greatest } }))
}

fn base(field: &Field, choice: &FieldOptions, options: &Options) -> Result<Base, String> {
    if matches!(choice.format, Some(Format::Hex | Format::Base64)) {
        return Ok(Base::Bytes);
    }
    let (encoding, national) = (options.encoding, options.national);
    Ok(match &field.kind {
        Kind::Text { justified } => Base::Text { encoding, justified: *justified, most: None },
        Kind::National { justified } => Base::Text { encoding: national, justified: *justified, most: None },
        Kind::Dbcs { justified } => {
            Base::Text { encoding: dbcs(options)?, justified: *justified, most: None }
        }
        Kind::Utf8 { characters } => {
            Base::Text { encoding: characters::utf8(), justified: false, most: *characters }
        }
        Kind::Edited(edited) => {
            let encoding = if edited.national { national } else { encoding };
            let by_value = options.edited == EditedValue::Value;
            let numeric = EditPlan::numeric(edited).filter(|_| by_value);
            let text = InsertionPlan::new(edited).filter(|_| by_value);
            match (numeric, text) {
                (Some(plan), _) => {
                    let (least, greatest) = plan.range();
                    let limits = Limits { scale: plan.scale(), least, greatest };
                    Base::EditedNumber { plan, limits, encoding }
                }
                (_, Some(plan)) => Base::EditedText { plan, encoding },
                _ => Base::Text { encoding, justified: false, most: None },
            }
        }
        Kind::Float => Base::Float(options.float_codec()),
        Kind::Pointer => Base::Bytes,
        kind => match number_codec(kind, field.bytes, options)? {
            Some(codec) => Base::Number(codec),
            None => return Err("a group has no value itself".to_owned()),
        },
    })
}

/// The encoding of PIC G and DISPLAY-1.
pub(crate) fn dbcs(options: &Options) -> Result<Encoding, String> {
    let encoding = options.dbcs.or_else(|| options.encoding.double_byte());
    match encoding.map(|encoding| (encoding, encoding.form())) {
        Some((encoding, EncodingForm::DoubleByte | EncodingForm::Utf16)) => Ok(encoding),
        Some((encoding, _)) => Err(format!("CCSID {} is not double-byte", encoding.ccsid())),
        None => Err(format!(
            "CCSID {} has no double-byte characters for PIC G; say which CCSID they have, or hide the field",
            options.encoding.ccsid()
        )),
    }
}

fn form(field: &Field, base: &Base, choice: &FieldOptions, policies: Policies) -> Result<Form, String> {
    match &choice.format {
        Some(Format::Hex) => Ok(Form::Hex),
        Some(Format::Base64) => Ok(Form::Base64),
        Some(Format::Date(format)) => {
            match base {
                Base::Text { .. } | Base::EditedText { .. } => {
                    let room = characters_of(field, base);
                    date::check_length(format, room, false)?;
                }
                Base::Number(NumberCodec { limits, .. }) if limits.scale == 0 => {
                    let digits = limits.greatest.checked_ilog10().map_or(1, |log| log as usize + 1);
                    date::check_length(format, digits, true)?;
                }
                _ => return Err("a date is kept as text or as an integer".to_owned()),
            }
            Ok(Form::Date(format.clone()))
        }
        Some(Format::Boolean { yes, no }) if yes == no => Err(format!("true and false are both '{yes}'")),
        Some(Format::Boolean { yes, no }) => Ok(Form::Boolean { yes: yes.clone(), no: no.clone() }),
        Some(Format::Typed(kind)) => match base {
            Base::Text { .. } => Ok(Form::Typed { kind: *kind, plain: None }),
            _ => Err(format!("a value of the type {} is kept as text", kind.name())),
        },
        None if matches!(base, Base::Bytes) => Ok(Form::Hex),
        None => Ok(match (policies.numbers, base) {
            (_, Base::Text { .. } | Base::EditedText { .. } | Base::Bytes) => Form::Plain,
            (NumberStyle::Text, _) => Form::Quoted,
            (
                NumberStyle::LargeAsText,
                Base::Number(NumberCodec { limits, .. }) | Base::EditedNumber { limits, .. },
            ) if digits_of(limits) > SAFE_DIGITS => Form::Quoted,
            _ => Form::Plain,
        }),
    }
}

fn digits_of(limits: &Limits) -> u8 {
    let zeros = (-limits.scale).max(0) as u8;
    limits.greatest.checked_ilog10().map_or(1, |log| log as u8 + 1).saturating_add(zeros)
}

/// The number of characters that a text field has room for.
pub(crate) fn characters_of(field: &Field, base: &Base) -> usize {
    match base {
        Base::Text { most: Some(most), .. } => *most,
        Base::Text { encoding, .. } => match encoding.form() {
            EncodingForm::DoubleByte | EncodingForm::Utf16 => field.bytes / 2,
            _ => field.bytes,
        },
        Base::EditedText { plan, .. } => plan.length(),
        _ => field.bytes,
    }
}

/// The values of all condition names of a field; none if it has none.
fn allowed(
    field: &Field,
    choice: &FieldOptions,
    options: &Options,
    tables: &TextTables,
) -> Result<Option<Allowed>, String> {
    // Another form has other values than the condition names. Floating point is compared neither by bytes nor
    // by exact numbers.
    let is_other = |format: &Format| !matches!(format, Format::Typed(_));
    let other = choice.format.as_ref().is_some_and(is_other) || field.kind == Kind::Float;
    if field.conditions.is_empty() || other {
        return Ok(None);
    }
    let ranges = field.conditions.iter().flat_map(|condition| &condition.values);
    let scale = match base(field, choice, options)? {
        Base::Number(codec) => Some(codec.limits.scale),
        Base::EditedNumber { limits, .. } => Some(limits.scale),
        _ => None,
    };
    if let Some(scale) = scale {
        let number = |literal: &Literal| number_of(literal, scale);
        let numbers: Option<Vec<(i128, i128)>> = ranges
            .clone()
            .map(|(first, last)| Some((number(first)?, last.as_ref().map_or(number(first), number)?)))
            .collect();
        if let Some(numbers) = numbers {
            return Ok(Some(Allowed::Numbers(numbers)));
        }
    }
    let bytes = |literal: &Literal| {
        let mut bytes = vec![0; field.bytes];
        set_literal(field, literal, &mut bytes, tables, options).map(|()| bytes)
    };
    let ranges: Result<Vec<_>, String> = ranges
        .map(|(first, last)| Ok((bytes(first)?, last.as_ref().map_or_else(|| bytes(first), bytes)?)))
        .collect();
    Ok(Some(Allowed::Bytes(ranges?)))
}

/// A literal as an integer of a scale.
pub(crate) fn number_of(literal: &Literal, scale: i32) -> Option<i128> {
    match literal {
        Literal::Number(text) => Decimal::from_text(text.as_bytes()).ok()?.scaled_to(scale).ok(),
        Literal::Zeros => Some(0),
        Literal::Text(digits) => {
            let value: i128 = digits.parse().ok()?;
            digits.bytes().all(|byte| byte.is_ascii_digit()).then_some(value)
        }
        _ => None,
    }
}
