//! Bytes that make rows of a container start at the boundaries of their fields (SYNC). There is no OCCURS
//! that would do this.

use super::{Field, Structure};
use crate::picture::Scalar;

/// The boundary of the widest numbers: SYNC puts those of 4 and of 8 bytes at multiples of 4 (Enterprise COBOL
/// Language Reference, SYNCHRONIZED).
const BOUNDARY_MAX: u64 = 4;

/// The boundary of an elementary field: its place is a multiple of it.
pub(super) fn boundary(scalar: &Scalar) -> u64 {
    let sync = scalar.clauses.iter().any(|clause| clause == "SYNC");
    if sync { scalar.bytes.min(BOUNDARY_MAX) } else { 1 }
}

/// Adds a filler to the end of a structure if its rows would not follow each other at its strictest boundary,
/// as the assistants do. If the row is a group, the filler is in the group. Returns its bytes.
pub(super) fn fill(structure: &mut Structure) -> u64 {
    let (end, strictest) = place(&structure.fields, 0);
    let bytes = (strictest - end % strictest) % strictest;
    if bytes > 0 {
        let filler = Field {
            name: "FILLER".to_owned(),
            clauses: vec![format!("PIC X({bytes})")],
            comments: vec!["No data: the next row starts at its boundary.".to_owned()],
            bytes,
            ..Field::default()
        };
        match structure.fields.as_mut_slice() {
            [group] if !group.children.is_empty() && group.rows == 0 => group.children.push(filler),
            _ => structure.fields.push(filler),
        }
    }
    bytes
}

/// The end of fields that begin at a place, and their strictest boundary.
fn place(fields: &[Field], start: u64) -> (u64, u64) {
    let mut at = start;
    let mut strictest = 1;
    for field in fields {
        let boundary = field.boundary.max(1);
        at = at.next_multiple_of(boundary);
        let (end, inner) =
            if field.children.is_empty() { (at + field.bytes, boundary) } else { place(&field.children, at) };
        let row = match field.rows {
            0 => end - at,
            _ => (end - at).next_multiple_of(inner),
        };
        at = at.saturating_add(row.saturating_mul(field.rows.max(1)));
        strictest = strictest.max(inner);
    }
    (at, strictest)
}
