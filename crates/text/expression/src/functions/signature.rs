//! Signatures of functions: their arguments, the argument that the context can replace, and the values that
//! become arrays.

use crate::error::Error;
use crate::value::Value;

/// The parameters of a function, read from JSONata's notation: `<s-nn?:s>`.
#[derive(Debug)]
pub(crate) struct Signature {
    parameters: Vec<Parameter>,
}

#[derive(Debug, Default)]
struct Parameter {
    types: u16,
    /// The type is `a`: a single value becomes an array with it.
    array: bool,
    /// The types of the array's elements.
    elements: u16,
    /// The context replaces a missing argument.
    context: bool,
    optional: bool,
    plural: bool,
}

const STRING: u16 = 1;
const NUMBER: u16 = 2;
const BOOLEAN: u16 = 4;
const NULL: u16 = 8;
const OBJECT: u16 = 16;
const ARRAY: u16 = 32;
const FUNCTION: u16 = 64;
const UNDEFINED: u16 = 128;
const JSON: u16 = STRING | NUMBER | BOOLEAN | NULL | OBJECT | ARRAY | UNDEFINED;

fn type_of(value: &Value) -> u16 {
    match value {
        Value::Undefined => UNDEFINED,
        Value::Null => NULL,
        Value::Bool(_) => BOOLEAN,
        Value::Number(_) => NUMBER,
        Value::String(_) => STRING,
        Value::Array(_) => ARRAY,
        Value::Object(_) => OBJECT,
        Value::Function(_) => FUNCTION,
    }
}

fn type_named(letter: u8) -> Option<u16> {
    Some(match letter {
        b's' => STRING | UNDEFINED,
        b'n' => NUMBER | UNDEFINED,
        b'b' => BOOLEAN | UNDEFINED,
        b'l' => NULL | UNDEFINED,
        b'o' => OBJECT | UNDEFINED,
        b'a' | b'x' => JSON | FUNCTION,
        b'j' => JSON,
        b'f' => FUNCTION,
        _ => return None,
    })
}

/// A call: the function, the arguments, and the context.
pub(crate) struct Given<'a> {
    pub(crate) name: &'a str,
    pub(crate) arguments: Vec<Value>,
    pub(crate) context: &'a Value,
}

impl Signature {
    /// # Errors
    /// S0401, S0402 for an invalid signature.
    pub(crate) fn parse(text: &str) -> Result<Signature, Error> {
        let wrong = |code, what: &str| Error::new(code, format!("{what} in the signature {text}"));
        let mut parameters: Vec<Parameter> = Vec::new();
        let bytes = text.as_bytes();
        let mut at = 1;
        while let Some(&byte) = bytes.get(at).filter(|byte| !matches!(byte, b':' | b'>')) {
            let last = parameters.last_mut();
            match (byte, last) {
                (b'-', Some(last)) => last.context = true,
                (b'?', Some(last)) => last.optional = true,
                (b'+', Some(last)) => last.plural = true,
                (b'(', _) => {
                    let end =
                        at + bytes[at..].iter().position(|byte| *byte == b')').unwrap_or(bytes.len() - at);
                    let types = bytes[at + 1..end]
                        .iter()
                        .try_fold(UNDEFINED, |types, letter| Some(types | type_named(*letter)?));
                    let types = types.ok_or_else(|| wrong("S0402", "a choice of other than simple types"))?;
                    parameters.push(Parameter { types, ..Parameter::default() });
                    at = end;
                }
                (b'<', Some(last)) if last.array || last.types == FUNCTION => {
                    let elements = bytes.get(at + 1).and_then(|letter| type_named(*letter)).unwrap_or(0);
                    last.elements = if last.array { elements & !UNDEFINED } else { 0 };
                    at = closing(bytes, at).ok_or_else(|| wrong("S0401", "an open '<'"))?;
                }
                (b'<', _) => {
                    return Err(wrong("S0401", "expected an array or a function for the element type"));
                }
                (letter, _) => {
                    let types = type_named(letter).ok_or_else(|| wrong("S0402", "an unknown type"))?;
                    parameters.push(Parameter { types, array: letter == b'a', ..Parameter::default() });
                }
            }
            at += 1;
        }
        Ok(Signature { parameters })
    }

    pub(crate) fn parameters(&self) -> usize {
        self.parameters.len()
    }

    /// The arguments in the form for the function.
    ///
    /// # Errors
    /// T0410 arguments of other types, T0411 a context of another type, T0412 elements of other types.
    pub(crate) fn apply(&self, given: Given) -> Result<Vec<Value>, Error> {
        let mut counts = vec![0; self.parameters.len()];
        let mut furthest = 0;
        if !self.distribute(0, &given.arguments, &mut counts, &mut furthest) {
            return Err(unsuited(&given, furthest));
        }
        let Given { name, arguments, context } = given;
        let mut arguments = arguments.into_iter();
        let mut out = Vec::with_capacity(self.parameters.len());
        for (parameter, count) in self.parameters.iter().zip(counts) {
            if count == 0 && parameter.context {
                if type_of(context) & parameter.types == 0 {
                    let found = context.type_name();
                    return Err(Error::new(
                        "T0411",
                        format!("${name}: the context cannot be used, it is a {found}"),
                    ));
                }
                out.push(context.clone());
            } else if count == 0 {
                out.push(arguments.next().unwrap_or_default());
            }
            for argument in arguments.by_ref().take(count) {
                out.push(parameter.take(argument, name)?);
            }
        }
        Ok(out)
    }

    /// Gives the arguments to the parameters in order. Each takes as many as it can. If the rest does not
    /// fit, it tries fewer.
    fn distribute(
        &self,
        parameter: usize,
        arguments: &[Value],
        counts: &mut [usize],
        furthest: &mut usize,
    ) -> bool {
        let Some(this) = self.parameters.get(parameter) else { return arguments.is_empty() };
        let most = if this.plural { arguments.len() } else { 1 };
        let fitting =
            arguments.iter().take(most).take_while(|value| type_of(value) & this.types != 0).count();
        let least = usize::from(!(this.context || this.optional));
        let done: usize = counts[..parameter].iter().sum();
        *furthest = (*furthest).max(done + fitting);
        for count in (least..=fitting).rev() {
            counts[parameter] = count;
            if self.distribute(parameter + 1, &arguments[count..], counts, furthest) {
                return true;
            }
        }
        counts[parameter] = 0;
        false
    }
}

fn unsuited(given: &Given, furthest: usize) -> Error {
    let name = given.name;
    Error::new(
        "T0410",
        match given.arguments.get(furthest) {
            Some(found) => format!("${name}: argument {} cannot be a {}", furthest + 1, found.type_name()),
            None => format!("${name}: argument {} is missing", furthest + 1),
        },
    )
}

fn closing(bytes: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in bytes.iter().enumerate().skip(open) {
        match byte {
            b'<' => depth += 1,
            b'>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

impl Parameter {
    fn take(&self, argument: Value, name: &str) -> Result<Value, Error> {
        if !self.array || !argument.is_defined() {
            return Ok(argument);
        }
        if self.elements != 0
            && let Some(wrong) = argument.elements().iter().find(|item| type_of(item) & self.elements == 0)
        {
            let found = wrong.type_name();
            return Err(Error::new(
                "T0412",
                format!("${name}: the array's elements cannot be of type {found}"),
            ));
        }
        Ok(match argument {
            Value::Array(_) => argument,
            single => Value::array([single]),
        })
    }
}
