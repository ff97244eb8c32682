//! Text that crosses the border between two regions: from the code page of one to that of the other.

use codepage::{Converter, Encoding, Unmappable};
use wire::{Cargo, Container};

/// Gives the text of containers the code page of the region that receives them. Text that cannot be converted
/// without loss keeps its code page. The program that reads it converts or refuses it.
pub(super) fn receive(cargo: &mut Cargo, ccsid: u16) {
    if let Cargo::Channel { containers, .. } = cargo {
        receive_containers(containers, ccsid);
    }
}

/// The same for containers alone.
pub(super) fn receive_containers(containers: &mut [Container], ccsid: u16) {
    for container in containers {
        let Some(from) = container.ccsid.filter(|from| *from != ccsid) else { continue };
        if let Some(converted) = convert(&container.bytes, from, ccsid) {
            container.bytes = converted;
            container.ccsid = Some(ccsid);
        }
    }
}

/// Converts the parts of a commarea that are text. Characters of both code pages have one byte, so that every
/// field keeps its place. True if all text could be converted.
pub(super) fn convert_parts(bytes: &mut [u8], parts: &[(usize, usize)], (from, to): (u16, u16)) -> bool {
    if from == to {
        return true;
    }
    let mut whole = true;
    for (start, length) in parts {
        let end = start.saturating_add(*length).min(bytes.len());
        let Some(part) = bytes.get_mut(*start..end) else { continue };
        match convert(part, from, to) {
            Some(converted) if converted.len() == part.len() => part.copy_from_slice(&converted),
            _ => whole = false,
        }
    }
    whole
}

/// The text in another code page. None if a character does not exist there, or if a code page is unknown.
fn convert(bytes: &[u8], from: u16, to: u16) -> Option<Vec<u8>> {
    let converter = Converter::new(Encoding::by_ccsid(from)?, Encoding::by_ccsid(to)?);
    let mut converted = Vec::with_capacity(bytes.len());
    let substituted = converter.convert(bytes, Unmappable::Substitute, &mut converted).ok()?;
    (substituted == 0).then_some(converted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::name;

    #[test]
    fn text_is_converted_where_nothing_is_lost() {
        let container = |ccsid, bytes: &[u8]| Container { name: name("C"), ccsid, bytes: bytes.to_vec() };
        let containers = vec![
            container(Some(819), b"AB"),
            container(None, b"AB"),
            container(Some(1208), "\u{20ac}".as_bytes()),
            container(Some(7), b"AB"),
        ];
        let mut cargo =
            Cargo::Channel { name: name("CHANNEL"), containers: containers.clone(), deleted: vec![] };
        receive(&mut cargo, 37);
        let Cargo::Channel { containers: found, .. } = cargo else { panic!("a channel") };
        assert_eq!(found[0], container(Some(37), &[0xC1, 0xC2]));
        assert_eq!(found[1..], containers[1..], "bits, the euro sign, and a page that is not known");
    }

    #[test]
    fn only_the_text_of_a_commarea_is_converted() {
        let mut bytes = b"AB\x01\x02CD".to_vec();
        assert!(convert_parts(&mut bytes, &[(0, 2), (4, 10), (20, 4)], (819, 37)));
        assert_eq!(bytes, [0xC1, 0xC2, 1, 2, 0xC3, 0xC4]);
        assert!(convert_parts(&mut bytes, &[(0, 2), (4, 2)], (37, 819)));
        assert_eq!(bytes, b"AB\x01\x02CD");
        assert!(!convert_parts(&mut bytes, &[(0, 2)], (819, 7)));
    }
}
