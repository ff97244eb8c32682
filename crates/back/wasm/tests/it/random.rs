//! Whatever a module is and says, a call of it ends with an answer within its limits or an error.

use proptest::prelude::*;
use wasm::Sandbox;

use crate::{LIMITS, ask, packed};

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_place_of_an_answer_is_taken_or_refused(at in any::<u32>(), length in any::<u32>(), small in any::<bool>()) {
        let (at, length) = if small { (at % 70_000, length % 2_000) } else { (at, length) };
        let (at, length) = (u64::from(at), u64::from(length));
        let fits = at + length <= 65_536 && length <= 1024;
        // The question stands at 1024, so not all of it is zero.
        let answer = ask(&packed(at, length), "");
        prop_assert_eq!(answer.map(|answer| answer.len() as u64).ok(), fits.then_some(length));
    }

    #[test]
    fn any_bytes_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200), is_binary in any::<bool>()) {
        let source = if is_binary { [b"\0asm\x01\0\0\0".as_slice(), &bytes].concat() } else { bytes };
        prop_assert!(Sandbox::compile(&source, LIMITS).is_err());
    }
}
