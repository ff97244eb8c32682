//! Fields by the names that JSON shows: `/order/item` in a mapping becomes the COBOL path, and all else stays as written.

use std::borrow::Cow;

use record::Bind;

use interface::Interface;

use super::{ServiceInterface, SpecError};
use crate::spec::{HeaderValueSpec, OperationSpec, Text};

/// The specification with COBOL paths for all paths of JSON names, which are those of the service, without the names that
/// the mapping itself gives.
pub(super) fn resolved<'s>(
    spec: &'s OperationSpec,
    service: &ServiceInterface,
) -> Result<Cow<'s, OperationSpec>, Vec<SpecError>> {
    let mut copy = spec.clone();
    let mut errors = Vec::new();
    let request = &mut copy.request;
    let words = request.moves.iter_mut().map(|step| &mut step.field);
    let words =
        words.chain(request.assign.iter_mut().chain(&mut request.default).map(|value| &mut value.field));
    let words =
        words.chain(&mut request.remove).chain(request.rename.iter_mut().map(|rename| &mut rename.field));
    let mut changed = resolve(words, &service.request, &mut errors);
    let responses = copy.responses.iter_mut().chain([&mut copy.response]);
    let words = responses.flat_map(|response| {
        let headers = response.headers.iter_mut().filter_map(|header| match &mut header.value {
            HeaderValueSpec::Field(field) => Some(field),
            HeaderValueSpec::Constant(_) => None,
        });
        let rules = response.when.iter_mut().flat_map(|when| &mut when.rules).map(|rule| &mut rule.field);
        let renames = response.rename.iter_mut().map(|rename| &mut rename.field);
        headers.chain(rules).chain(&mut response.remove).chain(renames)
    });
    changed |= resolve(words, &service.response, &mut errors);
    match (errors.is_empty(), changed) {
        (false, _) => Err(errors),
        (true, true) => Ok(Cow::Owned(copy)),
        (true, false) => Ok(Cow::Borrowed(spec)),
    }
}

/// Puts COBOL paths for the words that are paths of JSON names; true if there were any.
fn resolve<'t>(
    words: impl Iterator<Item = &'t mut Text>,
    interface: &Interface,
    errors: &mut Vec<SpecError>,
) -> bool {
    let mut words = words.filter(|word| word.text.starts_with('/')).peekable();
    if words.peek().is_none() {
        return false;
    }
    // The loader of the service reports a fault of the service's own bind.
    let bind = Bind::compile(&interface.layout, &interface.options).ok();
    for word in words {
        match bind.as_ref().and_then(|bind| bind.field_at(&word.text[1..])) {
            Some(field) => word.text = interface.layout.path(field),
            None => {
                let message = format!("the service's JSON has no field '{}'", word.text);
                errors.push(SpecError::at(word, message));
            }
        }
    }
    true
}
