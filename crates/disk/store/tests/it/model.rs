//! Random units side by side: the view of each, and the final content, agree with a simple model.

use proptest::prelude::*;
use store::{Drive, EngineKind, Options, Store};

use crate::disk::FaultyDisk;
use crate::world::{Model, World};

/// No log, one whose parts take turns often, and one that never takes turns.
fn log_bytes() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(1_000), Just(20_000), Just(1 << 24)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn units_see_what_the_model_says(log_bytes_max in log_bytes(), choices in proptest::collection::vec(any::<u16>(), 0..1_500)) {
        let engine = if log_bytes_max == 0 { EngineKind::File } else { EngineKind::Log };
        let options = Options { drive: Drive::Caller, engine, log_bytes_max, ..Options::default() };
        let disk = FaultyDisk::new(Vec::new());
        let store = Store::open_on_disks(disk.clone(), disk.log(), options.clone()).unwrap();
        let mut world = World::new(store, Model::default());
        world.looks = true;
        let mut left = choices.into_iter();
        while left.len() > 0 {
            world.step(&mut |end| usize::from(left.next().unwrap_or(0)) % end);
        }
        let model = world.finish();
        let disk = disk.after_process_end();
        let store = Store::open_on_disks(disk.clone(), disk.log(), options).unwrap();
        prop_assert!(model.is(&Model::of(&store)));
    }
}
