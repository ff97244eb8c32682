//! The arguments of one EXEC CICS command: the slots of a program's frame and the literals of its command.
//!
//! Everything here belongs to the program that gave the command, which waits for its end; what is read is copied or
//! used before that. Addresses are believed: a wrong one ends the worker, and that is an abend of its task alone.

#![allow(unsafe_code)]

use program::commands::{self, Command, OptionName};
use program::interface::{Argument, BadCommand, HEADER_BYTES, Invocation, Kind, Slot};

use crate::cobol::address_map::AddressMap;
use crate::watch;

/// The beginning of a program's frame; its slots follow.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct FrameHead {
    runtime: [i64; 2],
}

/// A command, decoded once and kept as long as the process lives: commands are constants of programs, which are never
/// unloaded.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) invocation: Invocation,
    /// None for a function that this version does not know.
    pub(crate) command: Option<&'static Command>,
    /// The place among the options of the name that tells commands of one kind apart.
    pub(crate) subject: Option<usize>,
}

impl Plan {
    /// The longest name of the option at a place; none if it has data.
    pub(crate) fn text_bytes(&self, at: usize) -> Option<usize> {
        watch::name_bytes(self.invocation.options.get(at)?.number, self.command)
    }
}

/// The plans by the addresses of their commands.
#[derive(Debug, Default)]
pub(crate) struct Plans(AddressMap<usize, &'static Plan>);

impl Plans {
    /// The plan of the command at an address.
    ///
    /// # Errors
    /// The bytes are not a command.
    ///
    /// # Safety
    /// `command` points to a command that stays as it is for as long as the process lives.
    pub(crate) unsafe fn of(&mut self, command: *const u8) -> Result<&'static Plan, BadCommand> {
        if let Some(plan) = self.0.get(&command.addr()) {
            return Ok(plan);
        }
        // SAFETY: the caller says that there is a command, which begins with its header and has as many bytes as
        // that says.
        let bytes = unsafe {
            let header = command.cast::<[u8; HEADER_BYTES]>().read_unaligned();
            std::slice::from_raw_parts(command, Invocation::bytes(header)?)
        };
        let invocation = Invocation::decode(bytes)?;
        let known = commands::by_function(invocation.function);
        let subject = watch::subject(&invocation.options, known);
        let plan: &'static Plan = Box::leak(Box::new(Plan { invocation, command: known, subject }));
        self.0.insert(command.addr(), plan);
        Ok(plan)
    }
}

/// The arguments of a command that runs now.
#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) plan: &'static Plan,
    frame: *mut FrameHead,
}

/// An item of the program: where it is, and how long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Area {
    address: *mut u8,
    pub(crate) bytes: usize,
}

impl Area {
    /// An area that has nothing.
    pub(crate) const NONE: Area = Area { address: std::ptr::null_mut(), bytes: 0 };

    pub(crate) fn new(address: *mut u8, bytes: usize) -> Self {
        Self { address, bytes }
    }

    pub(crate) fn address(self) -> *mut u8 {
        self.address
    }

    /// The same area, at most that long.
    pub(crate) fn first(self, bytes: usize) -> Self {
        Self { bytes: self.bytes.min(bytes), ..self }
    }

    /// True if the other begins within this one and does not go beyond it.
    pub(crate) fn holds(self, other: Area) -> bool {
        let (start, inner) = (self.address.addr(), other.address.addr());
        inner >= start && inner.saturating_add(other.bytes) <= start.saturating_add(self.bytes)
    }

    /// A copy of its bytes.
    pub(crate) fn copy(self) -> Vec<u8> {
        if self.bytes == 0 || self.address.is_null() {
            return Vec::new();
        }
        // SAFETY: the program gave the address and the length of an item of its own, and waits.
        unsafe { std::slice::from_raw_parts(self.address, self.bytes) }.to_vec()
    }

    /// The bytes before the first X'00'; none if the area has none. Nothing behind that byte is read.
    pub(crate) fn copy_to_null(self) -> Option<Vec<u8>> {
        let mut copied = Vec::new();
        for at in 0..self.bytes {
            // SAFETY: as in `copy`; the program's text goes on to its X'00', which is not before this byte.
            match unsafe { self.address.add(at).read() } {
                0 => return Some(copied),
                byte => copied.push(byte),
            }
        }
        None
    }

    /// Copies the first bytes that fit into `to`; gives their number.
    fn copy_to(self, to: &mut [u8]) -> usize {
        let count = self.bytes.min(to.len());
        if count == 0 || self.address.is_null() {
            return 0;
        }
        // SAFETY: as in `copy`; `to` is ours and is not in the program's item.
        unsafe { std::ptr::copy_nonoverlapping(self.address, to.as_mut_ptr(), count) };
        count
    }

    /// Writes the bytes that fit; the rest of the area stays as it is.
    pub(crate) fn write(self, bytes: &[u8]) {
        let count = self.bytes.min(bytes.len());
        if count > 0 && !self.address.is_null() {
            // SAFETY: as in `copy`; the bytes are ours and are not in the program's item.
            unsafe { std::ptr::copy(bytes.as_ptr(), self.address, count) };
        }
    }
}

impl Arguments {
    /// The arguments of a command in a frame; all numbers and pointers that may be given back are marked as not given.
    ///
    /// # Safety
    /// `frame` is that of a program which waits for the command, and has the slots that the command names.
    pub(crate) unsafe fn new(plan: &'static Plan, frame: *mut FrameHead) -> Self {
        let arguments = Self { plan, frame };
        for given in &plan.invocation.options {
            if let Argument::Slot(
                slot,
                Kind::Number { write: true, .. } | Kind::Pointer { write: true, .. },
            ) = given.argument
            {
                // SAFETY: the command names the slot, so that the frame has it.
                unsafe { (*arguments.slot(slot)).set = 0 };
            }
        }
        arguments
    }

    /// The address by which instances of a program differ.
    pub(crate) fn frame(&self) -> usize {
        self.frame.addr()
    }

    pub(crate) fn has(&self, name: OptionName) -> bool {
        self.find(name).is_some()
    }

    fn find(&self, name: OptionName) -> Option<&'static Argument> {
        let given = self.plan.invocation.options.iter().find(|given| given.number == name.number)?;
        Some(&given.argument)
    }

    fn slot(&self, slot: u8) -> *mut Slot {
        // SAFETY: the slots follow the head, and commands only name slots that their frame has.
        unsafe { self.frame.add(1).cast::<Slot>().add(usize::from(slot)) }
    }

    fn value(&self, slot: u8) -> i64 {
        // SAFETY: as in `slot`; the program waits.
        unsafe { (*self.slot(slot)).value }
    }

    /// A data item. A negative length counts as none.
    pub(crate) fn area(&self, name: OptionName) -> Option<Area> {
        self.area_of(self.find(name)?)
    }

    fn area_of(&self, argument: &Argument) -> Option<Area> {
        match argument {
            Argument::Slot(slot, Kind::Data { .. }) => {
                // SAFETY: as in `slot`; the program waits.
                let address = unsafe { (*self.slot(*slot)).address };
                Some(Area::new(address, usize::try_from(self.value(*slot)).unwrap_or(0)))
            }
            _ => None,
        }
    }

    /// The bytes of a data item, or of a literal, at most `limit` of them if that is given.
    pub(crate) fn bytes(&self, name: OptionName, limit: Option<usize>) -> Option<Vec<u8>> {
        let limit = limit.unwrap_or(usize::MAX);
        match self.find(name)? {
            Argument::Literal(literal) => Some(literal[..literal.len().min(limit)].to_vec()),
            _ => Some(self.area(name)?.first(limit).copy()),
        }
    }

    /// The bytes of a data item or of a literal. If the program gives a length, the item has that many bytes, also beyond
    /// its end, as in CICS; a literal is not read beyond its end.
    pub(crate) fn bytes_of(&self, name: OptionName, length: Option<usize>) -> Option<Vec<u8>> {
        match (self.area(name), length) {
            (Some(area), Some(length)) => Some(Area::new(area.address(), length).copy()),
            _ => self.bytes(name, length),
        }
    }

    /// A name, filled with blanks or cut; the characters that count are those before the blanks at its end.
    pub(crate) fn name<const N: usize>(&self, name: OptionName) -> Option<[u8; N]> {
        let given = match self.find(name)? {
            Argument::Literal(literal) => literal.clone(),
            _ => self.area(name)?.first(N).copy(),
        };
        let mut filled = [b' '; N];
        let count = given.len().min(N);
        filled[..count].copy_from_slice(&given[..count]);
        Some(filled)
    }

    /// A number that the program gives.
    pub(crate) fn number(&self, name: OptionName) -> Option<i64> {
        match self.find(name)? {
            Argument::Slot(slot, Kind::Number { read: true, .. }) => Some(self.value(*slot)),
            _ => None,
        }
    }

    /// Gives a number back, if the program wants it.
    pub(crate) fn set_number(&self, name: OptionName, number: i64) {
        if let Some(Argument::Slot(slot, Kind::Number { write: true, .. })) = self.find(name) {
            // SAFETY: as in `slot`; the program waits.
            unsafe {
                let slot = self.slot(*slot);
                (*slot).value = number;
                (*slot).set = 1;
            }
        }
    }

    /// A pointer that the program gives.
    pub(crate) fn pointer(&self, name: OptionName) -> Option<*mut u8> {
        match self.find(name)? {
            // SAFETY: as in `slot`; the program waits.
            Argument::Slot(slot, Kind::Pointer { read: true, .. }) => {
                Some(unsafe { (*self.slot(*slot)).address })
            }
            _ => None,
        }
    }

    /// Gives a pointer back, if the program wants it.
    pub(crate) fn set_pointer(&self, name: OptionName, pointer: *mut u8) {
        if let Some(Argument::Slot(slot, Kind::Pointer { write: true, .. })) = self.find(name) {
            // SAFETY: as in `slot`; the program waits.
            unsafe {
                let slot = self.slot(*slot);
                (*slot).address = pointer;
                (*slot).set = 1;
            }
        }
    }

    /// Writes the characters that fit to an item, if the program wants them.
    pub(crate) fn set_characters(&self, name: OptionName, characters: &[u8]) {
        if let Some(area) = self.area(name) {
            area.write(characters);
        }
    }

    /// The 8 bytes of a packed number, whatever length the program says.
    pub(crate) fn packed(&self, name: OptionName) -> Option<Area> {
        Some(Area { bytes: 8, ..self.area(name)? })
    }

    /// The argument of the option at a place.
    fn at(&self, at: usize) -> Option<&'static Argument> {
        self.plan.invocation.options.get(at).map(|given| &given.argument)
    }

    /// The data item at a place among the options.
    fn area_at(&self, at: usize) -> Option<Area> {
        self.area_of(self.at(at)?)
    }

    /// Copies the first bytes of the literal or data item at a place among the options; gives their number.
    pub(crate) fn copy_text(&self, at: usize, to: &mut [u8]) -> usize {
        match self.at(at) {
            Some(Argument::Literal(literal)) => {
                let count = literal.len().min(to.len());
                to[..count].copy_from_slice(&literal[..count]);
                count
            }
            _ => self.area_at(at).map_or(0, |area| area.copy_to(to)),
        }
    }

    /// How many bytes the literal or data item at a place among the options has.
    pub(crate) fn bytes_at(&self, at: usize) -> usize {
        match self.at(at) {
            Some(Argument::Literal(literal)) => literal.len(),
            _ => self.area_at(at).map_or(0, |area| area.bytes),
        }
    }

    /// The number at a place among the options; 0 if it is none.
    pub(crate) fn value_at(&self, at: usize) -> i64 {
        match self.at(at) {
            Some(Argument::Slot(slot, Kind::Number { .. })) => self.value(*slot),
            _ => 0,
        }
    }

    /// The number at a place among the options that the command has given back.
    pub(crate) fn given_back_at(&self, at: usize) -> Option<i64> {
        match self.at(at)? {
            Argument::Slot(slot, Kind::Number { write: true, .. }) => {
                // SAFETY: as in `slot`; the program waits.
                let is_given = unsafe { (*self.slot(*slot)).set == 1 };
                is_given.then(|| self.value(*slot))
            }
            _ => None,
        }
    }

    /// A label of the program.
    pub(crate) fn label(&self, name: OptionName) -> Option<u16> {
        match self.find(name)? {
            Argument::Label(label) => Some(*label),
            _ => None,
        }
    }
}
