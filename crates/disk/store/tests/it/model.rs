//! Random units side by side: what each of them sees, and what is left, are what a simple model says.

use proptest::prelude::*;
use store::{Drive, Options, Store};

use crate::disk::FaultyDisk;
use crate::world::{Model, World};

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn units_see_what_the_model_says(choices in proptest::collection::vec(any::<u16>(), 0..1_500)) {
        let options = Options { drive: Drive::Caller, ..Options::default() };
        let disk = FaultyDisk::new(Vec::new());
        let store = Store::open_on(disk.clone(), options.clone()).unwrap();
        let mut world = World::new(store, Model::default());
        world.looks = true;
        let mut left = choices.into_iter();
        while left.len() > 0 {
            world.step(&mut |end| usize::from(left.next().unwrap_or(0)) % end);
        }
        let model = world.finish();
        let store = Store::open_on(FaultyDisk::new(disk.bytes()), options).unwrap();
        prop_assert!(model.is(&Model::of(&store)));
    }
}
