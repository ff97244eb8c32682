//! Frames of variables. The evaluation owns all of them, so functions that refer to each other leave nothing
//! behind.

use std::ops::Range;

use crate::node::Place;
use crate::value::Value;

#[derive(Default)]
pub(crate) struct Frames {
    frames: Vec<Frame>,
    /// Frames that nothing refers to any more.
    unused: Vec<usize>,
}

struct Frame {
    parent: usize,
    slots: Vec<Option<Value>>,
}

impl Frames {
    /// A frame with this number of slots, without any values.
    pub(crate) fn open(&mut self, parent: usize, slots: usize) -> usize {
        if let Some(number) = self.unused.pop() {
            let frame = &mut self.frames[number];
            frame.parent = parent;
            frame.slots.resize(slots, None);
            return number;
        }
        self.frames.push(Frame { parent, slots: vec![None; slots] });
        self.frames.len() - 1
    }

    /// Gives back a frame that no function can use.
    pub(crate) fn close(&mut self, number: usize) {
        self.frames[number].slots.clear();
        self.unused.push(number);
    }

    pub(crate) fn get(&self, frame: usize, place: Place) -> Option<&Value> {
        let mut frame = &self.frames[frame];
        for _ in 0..place.up {
            frame = &self.frames[frame.parent];
        }
        frame.slots[place.slot].as_ref()
    }

    pub(crate) fn set(&mut self, frame: usize, slot: usize, value: Value) {
        self.frames[frame].slots[slot] = Some(value);
    }

    pub(crate) fn clear(&mut self, frame: usize, slots: Range<usize>) {
        self.frames[frame].slots[slots].fill(None);
    }
}
