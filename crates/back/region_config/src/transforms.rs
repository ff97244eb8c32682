//! The targets of TRANSFORM (`[[region.transform]]`): records of services.

use std::collections::BTreeMap;
use std::sync::Arc;

use conversion::Conversion;
use record::Bind;
use serde::Deserialize;
use settings::{GANTRY_FILE, Loader};
use toml::Spanned;

use crate::names::check_length;

/// `[[region.transform]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransformSection {
    /// JSONTRANSFRM, TRANSFORMER or XMLTRANSFORM.
    pub(crate) name: Spanned<String>,
    /// The service that has the record.
    pub service: Spanned<String>,
    /// Which of its records.
    pub(crate) record: RecordSide,
}

/// One of the two records of a service.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RecordSide {
    Request,
    Response,
}

/// How a service converts its records, if that is known.
#[derive(Debug)]
pub enum Converted<'c> {
    /// It is there.
    By(&'c Conversion),
    /// It has faults, which are reported elsewhere.
    Faulty,
    /// There is none of that name.
    Unknown,
}

/// The binds of `[[region.transform]]` by their names.
pub fn transforms<'c>(
    loader: &mut Loader<'_>,
    written: &[TransformSection],
    conversion: impl Fn(&str) -> Converted<'c>,
) -> BTreeMap<String, Arc<Bind>> {
    let mut transforms = BTreeMap::new();
    for TransformSection { name, service, record } in written {
        if let Err(message) = check_length("name of a transformation", name.get_ref(), 32) {
            loader.at(GANTRY_FILE, name.span(), message);
        }
        let wanted = service.get_ref();
        let bind = match conversion(wanted) {
            Converted::By(Conversion::Record { request, response }) => match record {
                RecordSide::Request => Arc::clone(request),
                RecordSide::Response => Arc::clone(response),
            },
            Converted::By(_) => {
                loader.at(
                    GANTRY_FILE,
                    service.span(),
                    format!("expected a service with a copybook for each record, '{wanted}' is none"),
                );
                continue;
            }
            // Its own faults are reported elsewhere.
            Converted::Faulty => continue,
            Converted::Unknown => {
                loader.at(GANTRY_FILE, service.span(), format!("service '{wanted}' does not exist"));
                continue;
            }
        };
        if transforms.insert(name.get_ref().clone(), bind).is_some() {
            let message = format!("the transformation '{}' is defined twice", name.get_ref());
            loader.at(GANTRY_FILE, name.span(), message);
        }
    }
    transforms
}
