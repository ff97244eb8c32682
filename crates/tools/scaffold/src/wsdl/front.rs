//! Services in front of an existing SOAP server, and their API.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

use web_service::{Laying, Level, TextLaying};
use wsdl::read::{Binding, Version};

use super::document::{Document, address};
use super::{CCSID, Laid, put, rest, taken, together};
use crate::texts::{GANTRY_HEAD, quoted};
use crate::{NewArgs, Scaffold};

/// Decimal places of numbers if the schema gives none. With 31 digits, 21 are left before the
/// point.
const FRACTION_DIGITS: u8 = 10;
/// Text without a limit goes into a container, which can hold any length.
const UNLIMITED: u64 = 2_147_483_647;

/// The layout of messages that no program gets. Values lose nothing in it.
fn laying() -> Laying {
    Laying {
        mapping_level: Level::CURRENT,
        char_varying: TextLaying::Yes,
        default_char_maxlength: UNLIMITED,
        default_fraction_digits: FRACTION_DIGITS,
        wide_comp3: true,
        ..Laying::default()
    }
}

/// Makes the files.
///
/// # Errors
/// The server's address is missing, or no operation can be served.
pub(super) fn make(
    args: &NewArgs,
    document: &Document,
    binding: &Binding,
    folder: PathBuf,
) -> Result<Scaffold, String> {
    let name = &args.name;
    let (taken, lacks) =
        taken(document, binding, &Laid::without_program(&laying()), BTreeSet::new(), HashMap::new())?;
    let url = address(binding, args.back.http.as_deref(), args.back.allow_plaintext)?;
    let mut files: BTreeMap<String, Vec<u8>> = document.files()?.into_iter().collect();
    let version = match binding.version {
        Version::V1_1 => "1.1",
        Version::V1_2 => "1.2",
    };
    for taken in &taken {
        let provider = format!(
            "[provider]\nkind = \"soap\"\nconnection = {}\nsoap = \"{version}\"\nsoap_action = {}\n",
            quoted(name),
            quoted(&taken.operation.action)
        );
        let path = format!("services/{}.toml", taken.service);
        put(&mut files, [(path, taken.service_file(document, &provider, CCSID))]);
    }
    let api = rest::make(name, document, &taken, &folder)?;
    put(&mut files, api.files);
    put(&mut files, api.requests.files);
    put(
        &mut files,
        [
            ("gantry.toml".to_owned(), GANTRY_HEAD.to_owned()),
            (format!("connections/{name}.toml"), url.connection()),
            ("requests.http".to_owned(), api.requests.text),
        ],
    );
    let next = [format!("gantry serve {}", terminal::word(&folder))]
        .into_iter()
        .chain(api.requests.commands)
        .collect();
    Ok(Scaffold { folder, files, picked_up: Vec::new(), lacks: ("not served", together(lacks)), next })
}
