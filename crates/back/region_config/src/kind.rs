//! The kind `program`: a program of the region serves records or channels.

use std::sync::Arc;

use copybook::{FieldId, Layout};
use interface::InterfaceSection;
use providers::{Kind, Origin, Payloads, Place, RecordSide, Section};
use region::{ContainerPart, ProgramProvider, UriForm};
use service::ServiceProvider;
use toml::{Spanned, Table};

use crate::names::container_name;
use crate::provider::{ProgramSection, RegionUse};

/// The kind `program`.
pub static KIND: &dyn Kind = &ProgramKind;

#[derive(Debug)]
struct ProgramKind;

impl Kind for ProgramKind {
    fn word(&self) -> &'static str {
        "program"
    }

    fn read(&self, keys: Table) -> Result<Box<dyn Section>, toml::de::Error> {
        Ok(Box::new(keys.try_into::<ProgramSection>()?))
    }
}

impl Section for ProgramSection {
    fn provider(&self, mut place: Place<'_, '_>) -> Option<Arc<dyn ServiceProvider>> {
        match self.made(&mut place)? {
            Ok(provider) => {
                let (path, span) = (place.section_path, place.span.clone());
                if let Ok(uses) = uses(&mut place) {
                    uses.note_place(provider.program, path, span);
                }
                Some(Arc::new(provider))
            }
            Err(message) => {
                place.fault(message);
                None
            }
        }
    }

    fn runs_here(&self) -> bool {
        true
    }

    fn states_status(&self) -> bool {
        self.use_http_status
    }
}

impl ProgramSection {
    /// The provider, or the fault of the section; none if the fault is already reported.
    fn made(&self, place: &mut Place<'_, '_>) -> Option<Result<ProgramProvider, String>> {
        let (bytes, has, parts) = match place.payloads {
            Payloads::Channels => {
                let uri = match place.origin {
                    Origin::File => UriForm::Url,
                    Origin::Asset => UriForm::Path,
                };
                return Some(uses(place).and_then(|uses| uses.channel_provider(self, uri)));
            }
            Payloads::Messages { .. } if self.channel.is_some() => {
                let message = "interface = \"commarea\" in [messages] goes with a program without 'channel'";
                return Some(Err(message.to_owned()));
            }
            Payloads::Messages { request_bytes, response_bytes } => {
                ((request_bytes, response_bytes), [true; 2], None)
            }
            Payloads::Records { request, response } => {
                let parts = parts(place, [request, response]).ok()?;
                // The fault of a faulty copybook has been reported.
                let bytes = (request.interface?.layout.max_bytes(), response.interface?.layout.max_bytes());
                (bytes, [request, response].map(|side| side.section.is_some()), parts)
            }
        };
        let path = place.path;
        Some(uses(place).and_then(|uses| {
            let provider = uses.record_provider(self, bytes, has, parts)?;
            uses.note_commarea(path, &provider);
            Ok(provider)
        }))
    }
}

fn uses<'p>(place: &'p mut Place<'_, '_>) -> Result<&'p mut RegionUse, String> {
    place.given.get().ok_or_else(|| "programs run in a region, and there is none".to_owned())
}

/// The containers of a service's records. None if they are not containers; an error if a fault was reported.
fn parts(
    place: &mut Place<'_, '_>,
    sides: [RecordSide<'_>; 2],
) -> Result<Option<[Vec<ContainerPart>; 2]>, ()> {
    let names_none = |side: &RecordSide<'_>| side.section.is_none_or(|section| section.containers.is_empty());
    if sides.iter().all(names_none) {
        return Ok(None);
    }
    let [request, response] = sides;
    // The fault of a faulty copybook has been reported.
    let (first, second) = (request.interface.ok_or(())?, response.interface.ok_or(())?);
    let first = parts_of(place, request.section, &first.layout);
    let second = parts_of(place, response.section, &second.layout);
    Ok(Some([first.ok_or(())?, second.ok_or(())?]))
}

/// The containers of one record, in their order.
fn parts_of(
    place: &mut Place<'_, '_>,
    section: Option<&InterfaceSection>,
    layout: &Layout,
) -> Option<Vec<ContainerPart>> {
    let Some(section) = section else { return Some(Vec::new()) };
    let groups = &layout.root().children;
    let mut parts = Vec::new();
    for id in groups {
        let field = layout.field(*id);
        let named =
            section.containers.iter().find(|(name, _)| name.get_ref().eq_ignore_ascii_case(&field.name));
        let Some((key, name)) = named else {
            let message =
                format!("'containers' names no container for {}, a group of the record", field.name);
            place.loader.at(place.path, section.copybook.span(), message);
            return None;
        };
        let is_last = groups.last() == Some(id);
        if !is_last && varies(layout, *id) {
            let message =
                format!("{} has a varying length: only the last container of a record may", field.name);
            place.loader.at(place.path, key.span(), message);
            return None;
        }
        match container_name(name) {
            Ok(container) => parts.push(ContainerPart { container, bytes: field.bytes }),
            Err(message) => {
                place.loader.at(place.path, key.span(), message);
                return None;
            }
        }
    }
    let is_group = |name: &Spanned<String>| {
        groups.iter().any(|id| layout.field(*id).name.eq_ignore_ascii_case(name.get_ref()))
    };
    if let Some(unknown) = section.containers.keys().find(|name| !is_group(name)) {
        place.loader.at(
            place.path,
            unknown.span(),
            format!("the record has no group {} at its outermost level", unknown.get_ref()),
        );
        return None;
    }
    Some(parts)
}

/// True if a group has a table of varying length.
fn varies(layout: &Layout, group: FieldId) -> bool {
    layout.iter().any(|(id, field)| {
        field.occurs.is_some_and(|occurs| occurs.min < occurs.max)
            && layout.around(id).any(|around| around == group)
    })
}
