//! Points in time as text.

use interceptor::time::Time;
use proptest::prelude::*;

#[test]
fn known_points() {
    for (micros, text) in [
        (0, "1970-01-01T00:00:00.000000Z"),
        (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
        (951_868_800_000_000, "2000-03-01T00:00:00.000000Z"),
        (1_763_746_205_250_001, "2025-11-21T17:30:05.250001Z"),
        (4_107_542_399_999_999, "2100-02-28T23:59:59.999999Z"),
        (4_107_542_400_000_000, "2100-03-01T00:00:00.000000Z"),
    ] {
        assert_eq!(Time(micros).to_string(), text);
    }
}

proptest! {
    #[test]
    fn later_is_later_as_text_too(one in 0_u64..4_000_000_000_000_000, more in 1_u64..4_000_000_000_000_000) {
        prop_assert!(Time(one).to_string() < Time(one + more).to_string());
    }
}
