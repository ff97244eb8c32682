//! The bytes of commands: encoded commands are decoded again, and other bytes are refused.

use program::interface::{Argument, Given, Invocation, Kind};
use proptest::prelude::*;

fn argument() -> impl Strategy<Value = Argument> {
    let ways = (any::<bool>(), any::<bool>());
    prop_oneof![
        Just(Argument::Keyword),
        proptest::collection::vec(any::<u8>(), 0..40).prop_map(Argument::Literal),
        any::<u16>().prop_map(Argument::Label),
        (any::<u8>(), ways, 0..3_u8).prop_map(|(slot, (read, write), kind)| {
            let kind = match kind {
                0 => Kind::Data { read, write },
                1 => Kind::Number { read, write },
                _ => Kind::Pointer { read, write },
            };
            Argument::Slot(slot, kind)
        }),
    ]
}

fn invocation() -> impl Strategy<Value = Invocation> {
    let given = (any::<u16>(), argument()).prop_map(|(number, argument)| Given { number, argument });
    (any::<u16>(), any::<bool>(), any::<u32>(), proptest::collection::vec(given, 0..20))
        .prop_map(|(function, no_handle, line, options)| Invocation { function, no_handle, line, options })
}

proptest! {
    #[test]
    fn what_is_encoded_is_decoded(invocation in invocation(), more in proptest::collection::vec(any::<u8>(), 0..9)) {
        let mut bytes = invocation.encode().expect("a command");
        let header = bytes[..12].try_into().expect("a header");
        prop_assert_eq!(Invocation::bytes(header), Ok(bytes.len()));
        // What lies behind the command in memory is none of its.
        bytes.extend(more);
        prop_assert_eq!(Invocation::decode(&bytes), Ok(invocation));
    }

    #[test]
    fn any_bytes_are_a_command_or_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
        if let Ok(invocation) = Invocation::decode(&bytes) {
            prop_assert!(invocation.options.len() <= bytes.len() / 4);
        }
    }

    #[test]
    fn a_command_cut_short_is_refused(invocation in invocation(), cut in 1..200_usize) {
        let bytes = invocation.encode().expect("a command");
        let cut = cut.min(bytes.len());
        prop_assert!(Invocation::decode(&bytes[..bytes.len() - cut]).is_err());
    }
}

#[test]
fn what_is_refused_is_said() {
    let refused = |bytes: &[u8]| Invocation::decode(bytes).expect_err("no command").0;
    let good = Invocation { function: 0x0E08, no_handle: false, line: 7, options: Vec::new() };
    let bytes = good.encode().expect("a command");
    let mut other = bytes.clone();
    other[0] = 9;
    assert!(refused(&other).contains("expected interface version 1, found 9"));
    let mut longer = bytes.clone();
    longer[9] = 14;
    assert!(refused(&longer).contains("ends after 12 bytes"));
    longer.extend([0, 0]);
    assert!(refused(&longer).contains("2 bytes follow"));
    let mut kind = bytes.clone();
    kind[11] = 1;
    kind[9] = 16;
    kind.extend([0, 1, 0x77, 0]);
    assert!(refused(&kind).contains("0x77 is not a kind"));
    kind[9] = 15;
    assert!(refused(&kind).contains("at least 16 bytes for 1 options"));
    let long = Given { number: 1, argument: Argument::Literal(vec![0; 70_000]) };
    assert!(Invocation { options: vec![long], ..good }.encode().is_err());
}
