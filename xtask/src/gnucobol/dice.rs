//! Random choices that a seed repeats: the layouts of a run, and the values of a field wherever it stands.

/// A generator of pseudo-random numbers (SplitMix64), good enough to choose test cases.
pub(crate) struct Dice {
    state: u64,
}

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A generator for one thing of several that share a seed.
    pub(crate) fn of(seed: u64, parts: &[usize]) -> Self {
        let mut dice = Self::new(seed);
        for part in parts {
            dice.state = dice.next() ^ *part as u64;
        }
        dice
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `sides` - 1.
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        (self.next() % sides as u64) as usize
    }

    pub(crate) fn one_in(&mut self, sides: usize) -> bool {
        self.roll(sides) == 0
    }

    pub(crate) fn pick<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        &of[self.roll(of.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::Dice;

    #[test]
    fn a_seed_repeats_its_choices() {
        let rolls = |seed, parts: &[usize]| {
            let mut dice = Dice::of(seed, parts);
            [dice.roll(1_000), dice.roll(1_000), dice.roll(1_000)]
        };
        assert_eq!(rolls(1, &[2, 3]), rolls(1, &[2, 3]));
        assert_ne!(rolls(1, &[2, 3]), rolls(1, &[3, 2]));
        assert_ne!(rolls(1, &[2, 3]), rolls(2, &[2, 3]));
    }
}
