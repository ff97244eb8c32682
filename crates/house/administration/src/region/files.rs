//! Files of the region at the admin address.

use http::StatusCode;
use region::{Allowed, FileOrganization, FileView, Region};
use serde_json::{Value, json};

use super::{answered, later, name, refused};
use crate::asked::{Answer, Asked, Pending};

/// Answers `/region/files`.
pub(crate) fn all(asked: Asked<'_>) -> Pending<'_> {
    later(&asked, |region| list(region))
}

async fn list(region: &Region) -> Answer {
    match region.files().await {
        Ok(files) => {
            let store = (!files.is_empty()).then(|| region.settings().store.display().to_string());
            answered(&json!({ "store": store, "files": files.iter().map(file).collect::<Vec<_>>() }))
        }
        Err(reason) => {
            refused(StatusCode::INTERNAL_SERVER_ERROR, &format!("the store cannot be read: {reason}"))
        }
    }
}

fn file(view: &FileView) -> Value {
    let definition = &view.definition;
    let (organization, key) = match definition.organization {
        FileOrganization::KeySequenced { key_offset, key_bytes, .. } => {
            ("ksds", Some((key_offset, key_bytes)))
        }
        FileOrganization::EntrySequenced => ("esds", None),
        FileOrganization::Relative => ("rrds", None),
    };
    let key = definition.path.as_ref().map(|path| (path.key_offset, path.key_bytes)).or(key);
    // As INQUIRE FILE has them.
    let (open, enable) = view.state.words();
    json!({
        "name": name(&definition.name),
        "organization": organization,
        "pathOf": definition.path.as_ref().map(|path| name(&path.base)),
        "openStatus": open,
        "enableStatus": enable,
        "recoverable": definition.recoverable,
        "recordFormat": if definition.fixed { "fixed" } else { "variable" },
        "recordBytes": definition.record_bytes,
        "keyOffset": key.map(|(offset, _)| offset),
        "keyBytes": key.map(|(_, bytes)| bytes),
        "allow": allowed(definition.allowed),
        "records": view.records,
        "lockedRecords": view.locked,
        "tasksWaiting": view.waiting,
    })
}

/// The words of the key `allow`.
fn allowed(allowed: Allowed) -> Vec<&'static str> {
    let Allowed { read, add, update, delete, browse } = allowed;
    let all = [("read", read), ("add", add), ("update", update), ("delete", delete), ("browse", browse)];
    all.into_iter().filter_map(|(word, is_allowed)| is_allowed.then_some(word)).collect()
}
