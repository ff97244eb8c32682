//! Work that needs all schemas at once: schemas that contain themselves in place, and properties that get
//! facts from their references.

use super::{Schema, SchemaId, Schemas, default_of};

/// Schemas that would check a value for ever: they lead to themselves without a step into the value.
pub(super) fn find(schemas: &Schemas) -> Vec<SchemaId> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; schemas.0.len()];
    let mut found = Vec::new();
    for start in 0..schemas.0.len() {
        // It has a list of its own instead of recursion, because chains of schemas can be as long as
        // documents allow.
        let mut path = vec![(start, in_place(&schemas.0[start]))];
        if marks[start] != Mark::New {
            continue;
        }
        marks[start] = Mark::Open;
        while let Some((at, pending)) = path.last_mut() {
            let Some(next) = pending.pop() else {
                marks[*at] = Mark::Done;
                path.pop();
                continue;
            };
            let next_at = next.0 as usize;
            match marks[next_at] {
                Mark::New => {
                    marks[next_at] = Mark::Open;
                    path.push((next_at, in_place(&schemas.0[next_at])));
                }
                Mark::Open => found.push(next),
                Mark::Done => {}
            }
        }
    }
    found
}

/// The schemas that check the same value.
fn in_place(schema: &Schema) -> Vec<SchemaId> {
    let mut ids = schema.all.clone();
    for alternatives in &schema.alternatives {
        ids.extend(&alternatives.schemas);
        let told = alternatives.discriminator.iter().flat_map(|discriminator| &discriminator.schemas);
        ids.extend(told.map(|(_, id)| *id));
    }
    ids.extend(schema.not);
    if let Some(condition) = &schema.condition {
        ids.push(condition.test);
        ids.extend(condition.then);
        ids.extend(condition.otherwise);
    }
    if let Some(object) = &schema.object {
        ids.extend(object.dependent_schemas.iter().map(|(_, id)| *id));
    }
    ids
}

/// Gives properties the facts of their schemas, or of the targets of these: read only, write only, a default.
pub(super) fn spread(schemas: &mut Schemas) {
    for at in 0..schemas.0.len() {
        let Some(mut object) = schemas.0[at].object.take() else { continue };
        for property in &mut object.properties {
            (property.read_only, property.write_only) = directions(schemas, property.schema);
            property.default = default_of(schemas, property.schema);
        }
        schemas.0[at].object = Some(object);
    }
}

fn directions(schemas: &Schemas, id: SchemaId) -> (bool, bool) {
    let (mut read_only, mut write_only) = (false, false);
    let mut pending = vec![id];
    let mut seen = Vec::new();
    while let Some(id) = pending.pop() {
        if seen.contains(&id) {
            continue;
        }
        seen.push(id);
        let schema = schemas.get(id);
        read_only |= schema.read_only;
        write_only |= schema.write_only;
        pending.extend(&schema.all);
    }
    (read_only, write_only)
}
