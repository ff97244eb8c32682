//! Message handles of a task. Each holds the properties and the descriptor of one message.

use std::collections::{BTreeMap, HashSet};

use message::{Property, PropertyValue, Reason};
use mqi::{Fields, MESSAGE, PROPERTY, padded};

use crate::property_name::{FIELDS, Pattern, field_name, plain};
use crate::property_value::bytes_of;

/// The most message handles of a task: no program needs more, and each takes memory.
pub(crate) const HANDLES_MAX: usize = 64;

/// The most properties of a handle, and of a message that is put.
pub(crate) const PROPERTIES_MAX: usize = 1_000;

/// The most bytes of names and values that a program may set in a handle, or put with a message.
pub(crate) const PROPERTIES_BYTES_MAX: usize = 1 << 20;

/// The attributes of a property (MQPD). They last as long as the handle: a message does not keep them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attributes {
    pub(crate) support: i32,
    pub(crate) context: i32,
    pub(crate) copies: i32,
}

impl Attributes {
    /// Those of a property that came with a message: MQPD-SUPPORT-OPTIONAL, MQPD-NO-CONTEXT, MQCOPY-DEFAULT.
    pub(crate) const OF_MESSAGE: Self = Self { support: 1, context: 0, copies: 22 };
    /// Those of a field of MQMD, which no other message gets (MQCOPY-NONE).
    const OF_FIELD: Self = Self { support: 1, context: 0, copies: 0 };

    /// Reads MQPD.
    ///
    /// # Errors
    /// `PropertyDescriptor`.
    pub(crate) fn of(descriptor: &[u8]) -> Result<Self, Reason> {
        let fields = Fields::read(&PROPERTY, descriptor).map_err(|_| Reason::PropertyDescriptor)?;
        let (support, context) = (fields.number("SUPPORT"), fields.number("CONTEXT"));
        let copies = fields.number("COPYOPTIONS");
        let is_known = fields.number("OPTIONS") == 0 && matches!(context, 0 | 1) && copies & !0x1F == 0;
        if is_known { Ok(Self { support, context, copies }) } else { Err(Reason::PropertyDescriptor) }
    }

    /// Writes them into an MQPD.
    pub(crate) fn give(self, fields: &mut Fields) {
        fields.set_number("SUPPORT", self.support);
        fields.set_number("CONTEXT", self.context);
        fields.set_number("COPYOPTIONS", self.copies);
    }

    /// True if a queue manager that does not know the property must refuse it: a bit of MQPD-REJECT-UNSUP-MASK, or of
    /// MQPD-ACCEPT-UNSUP-IF-XMIT-MASK, because all queues are local.
    pub(crate) fn needs_support(self) -> bool {
        self.support & !0x3FF != 0
    }
}

/// A property in a handle.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Held {
    pub(crate) property: Property,
    pub(crate) attributes: Attributes,
}

/// Where MQSETMP puts a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SetAt {
    /// In place of the first one with the name, or at the end.
    First,
    /// Behind all others with the name.
    Append,
    /// In place of the value under the cursor.
    UnderCursor,
    /// Behind the property under the cursor.
    AfterCursor,
    /// Before the property under the cursor.
    BeforeCursor,
}

/// Where MQINQMP looks for a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LookAt {
    /// From the first on.
    First,
    /// Behind the cursor.
    Next,
    /// Under the cursor.
    UnderCursor,
}

/// The place of the property that was inquired last.
#[derive(Clone, Debug)]
struct Cursor {
    pattern: Pattern,
    at: usize,
    /// False if the property was deleted; `at` is then the place of the next one.
    is_there: bool,
}

/// A message handle. Places count the fields of MQMD first, and then the properties.
#[derive(Debug)]
pub(crate) struct Handle {
    held: Vec<Held>,
    /// MQMD, version 2.
    pub(crate) descriptor: Fields,
    cursor: Option<Cursor>,
}

/// A property or a field of MQMD that was found.
#[derive(Debug)]
pub(crate) enum Found<'h> {
    Field(&'static str),
    Property(&'h Held),
}

impl Found<'_> {
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Field(field) => field_name(field),
            Self::Property(held) => plain(held.property.name()).to_owned(),
        }
    }

    pub(crate) fn attributes(&self) -> Attributes {
        match self {
            Self::Field(_) => Attributes::OF_FIELD,
            Self::Property(held) => held.attributes,
        }
    }
}

/// MQMD with its initial values.
pub(crate) fn initial_descriptor() -> Result<Fields, Reason> {
    Fields::initial(&MESSAGE, 2, padded).ok_or(Reason::Unexpected)
}

impl Handle {
    fn new() -> Result<Self, Reason> {
        Ok(Self { held: Vec::new(), descriptor: initial_descriptor()?, cursor: None })
    }

    /// All properties.
    pub(crate) fn held(&self) -> &[Held] {
        &self.held
    }

    /// Replaces all by those of a message.
    pub(crate) fn hold(&mut self, descriptor: Fields, held: Vec<Held>) {
        *self = Self { held, descriptor, cursor: None };
    }

    /// Sets a property.
    ///
    /// # Errors
    /// `PropertyNotAvailable` without a property under the cursor; `StorageNotAvailable` beyond the limit.
    pub(crate) fn set(&mut self, new: Held, at: SetAt) -> Result<(), Reason> {
        let has_name = |held: &Held| plain(held.property.name()) == new.property.name();
        let replaced = match at {
            SetAt::First => self.held.iter().position(has_name),
            SetAt::UnderCursor => Some(self.under_cursor()?),
            SetAt::Append | SetAt::AfterCursor | SetAt::BeforeCursor => None,
        };
        let all = self.held.iter().map(bytes_held).sum::<usize>() + bytes_held(&new);
        let less = replaced.map_or(0, |place| bytes_held(&self.held[place]));
        let has_room = replaced.is_some() || self.held.len() < PROPERTIES_MAX;
        if !has_room || all - less > PROPERTIES_BYTES_MAX {
            return Err(Reason::StorageNotAvailable);
        }
        let place = match (at, replaced) {
            (SetAt::UnderCursor, Some(place)) => {
                let name = self.held[place].property.name();
                let property = Property::new(name, new.property.value().clone());
                let property = property.map_err(|_| Reason::PropertyName)?;
                self.held[place] = Held { property, attributes: new.attributes };
                return Ok(());
            }
            (_, Some(place)) => {
                self.held[place] = new;
                return Ok(());
            }
            (SetAt::Append, None) => self.held.iter().rposition(has_name).map(|last| last + 1),
            (SetAt::AfterCursor, None) => Some(self.under_cursor()? + 1),
            (SetAt::BeforeCursor, None) => Some(self.under_cursor()?),
            (SetAt::First | SetAt::UnderCursor, None) => None,
        };
        self.insert(place.unwrap_or(self.held.len()), new);
        Ok(())
    }

    fn insert(&mut self, at: usize, new: Held) {
        self.held.insert(at, new);
        if let Some(cursor) = &mut self.cursor {
            let place = FIELDS.len() + at;
            if cursor.at > place || (cursor.at == place && cursor.is_there) {
                cursor.at += 1;
            }
        }
    }

    /// The place of the property under the cursor among the properties.
    fn under_cursor(&self) -> Result<usize, Reason> {
        let cursor = self.cursor.as_ref().filter(|cursor| cursor.is_there);
        let at = cursor.and_then(|cursor| cursor.at.checked_sub(FIELDS.len()));
        at.filter(|at| *at < self.held.len()).ok_or(Reason::PropertyNotAvailable)
    }

    /// Finds a property. [`Handle::moved`] then moves the cursor there.
    ///
    /// # Errors
    /// `PropertyNotAvailable`.
    pub(crate) fn find(&self, look: LookAt, pattern: Option<&Pattern>) -> Result<usize, Reason> {
        let from = match (look, &self.cursor) {
            (LookAt::UnderCursor, Some(cursor)) if cursor.is_there => return Ok(cursor.at),
            (LookAt::UnderCursor, _) => return Err(Reason::PropertyNotAvailable),
            // Another name begins at the first one again.
            (LookAt::Next, Some(cursor)) if Some(&cursor.pattern) == pattern => {
                cursor.at + usize::from(cursor.is_there)
            }
            _ => 0,
        };
        let pattern = pattern.ok_or(Reason::PropertyNameLength)?;
        let end = FIELDS.len() + self.held.len();
        (from..end)
            .find(|at| match FIELDS.get(*at) {
                Some(field) => pattern.is_of_field(field),
                None => pattern.is_of_property(self.held[at - FIELDS.len()].property.name()),
            })
            .ok_or(Reason::PropertyNotAvailable)
    }

    /// Moves the cursor to a place that was found with a pattern; without one, the cursor is there already.
    pub(crate) fn moved(&mut self, at: usize, pattern: Option<Pattern>) {
        if let Some(pattern) = pattern {
            self.cursor = Some(Cursor { pattern, at, is_there: true });
        }
    }

    /// The property at a place.
    ///
    /// # Errors
    /// `PropertyNotAvailable`.
    pub(crate) fn at(&self, at: usize) -> Result<Found<'_>, Reason> {
        match FIELDS.get(at) {
            Some(field) => Ok(Found::Field(field)),
            None => self.held.get(at - FIELDS.len()).map(Found::Property).ok_or(Reason::PropertyNotAvailable),
        }
    }

    /// Deletes the property at a place. A field of MQMD gets its initial value.
    pub(crate) fn delete(&mut self, at: usize) -> Result<(), Reason> {
        if let Some(field) = FIELDS.get(at) {
            let field = field.to_ascii_uppercase();
            let initial = initial_descriptor()?;
            self.descriptor.set_bytes(&field, initial.bytes(&field).unwrap_or_default());
            return Ok(());
        }
        let place = at - FIELDS.len();
        if place >= self.held.len() {
            return Err(Reason::PropertyNotAvailable);
        }
        self.held.remove(place);
        if let Some(cursor) = &mut self.cursor {
            if cursor.at > at {
                cursor.at -= 1;
            } else if cursor.at == at {
                cursor.is_there = false;
            }
        }
        Ok(())
    }
}

fn bytes_held(held: &Held) -> usize {
    held.property.name().len() + bytes_of(held.property.value())
}

/// The message handles of a task.
#[derive(Debug, Default)]
pub(crate) struct Handles {
    handles: BTreeMap<i32, Handle>,
    last: i32,
}

impl Handles {
    /// Makes a handle, which never had another message.
    ///
    /// # Errors
    /// `HandleNotAvailable`.
    pub(crate) fn create(&mut self) -> Result<i32, Reason> {
        if self.handles.len() >= HANDLES_MAX || self.last == i32::MAX {
            return Err(Reason::HandleNotAvailable);
        }
        self.last += 1;
        self.handles.insert(self.last, Handle::new()?);
        Ok(self.last)
    }

    /// # Errors
    /// `MessageHandle`.
    pub(crate) fn get(&mut self, handle: i64) -> Result<&mut Handle, Reason> {
        let handle = i32::try_from(handle).ok();
        handle.and_then(|handle| self.handles.get_mut(&handle)).ok_or(Reason::MessageHandle)
    }

    /// # Errors
    /// `MessageHandle`.
    pub(crate) fn delete(&mut self, handle: i64) -> Result<(), Reason> {
        let handle = i32::try_from(handle).ok();
        let deleted = handle.and_then(|handle| self.handles.remove(&handle));
        deleted.map(|_| ()).ok_or(Reason::MessageHandle)
    }

    pub(crate) fn clear(&mut self) {
        self.handles.clear();
    }

    /// The properties of a message that is put with two handles, as MQPMO names them.
    ///
    /// # Errors
    /// `MessageHandle`; `Action`; `UnsupportedProperty`; `PropertiesTooBig`.
    pub(crate) fn composed(&mut self, options: &Fields) -> Result<Vec<Held>, Reason> {
        if options.bytes("ACTION").is_none() {
            return Ok(Vec::new());
        }
        let copied = match options.number("ACTION") {
            NEW => None,
            FORWARD => Some(copy::FORWARD),
            REPLY => Some(copy::REPLY),
            REPORT => Some(copy::REPORT),
            _ => return Err(Reason::Action),
        };
        let mut held = self.held_by(options.long("ORIGINALMSGHANDLE"))?;
        if let Some(copied) = copied {
            held.retain(|held| held.attributes.copies & (copied | copy::ALL) != 0);
        }
        // A report of the queue manager, or a message on a backout queue, may have it. Senders cannot set it.
        held.retain(|held| held.property.name() != Property::ORIGIN_QUEUE);
        let new = self.held_by(options.long("NEWMSGHANDLE"))?;
        let names = |all: &[Held]| -> HashSet<String> {
            all.iter().map(|held| plain(held.property.name()).to_owned()).collect()
        };
        let (of_original, of_new) = (names(&held), names(&new));
        held.retain(|held| !of_new.contains(plain(held.property.name())));
        let removes = |new: &Held| {
            *new.property.value() == PropertyValue::Null && of_original.contains(plain(new.property.name()))
        };
        let own = |new: &Held| !removes(new) && new.property.name() != Property::ORIGIN_QUEUE;
        held.extend(new.into_iter().filter(own));
        if held.iter().any(|held| held.attributes.needs_support()) {
            return Err(Reason::UnsupportedProperty);
        }
        if held.len() > PROPERTIES_MAX || held.iter().map(bytes_held).sum::<usize>() > PROPERTIES_BYTES_MAX {
            return Err(Reason::PropertiesTooBig);
        }
        Ok(held)
    }

    fn held_by(&mut self, handle: i64) -> Result<Vec<Held>, Reason> {
        match handle {
            NO_HANDLE => Ok(Vec::new()),
            handle => Ok(self.get(handle)?.held().to_vec()),
        }
    }
}

/// MQHM-NONE.
pub(crate) const NO_HANDLE: i64 = 0;

/// MQACTP.
const NEW: i32 = 0;
const FORWARD: i32 = 1;
const REPLY: i32 = 2;
const REPORT: i32 = 3;

/// MQCOPY.
pub(crate) mod copy {
    pub(crate) const ALL: i32 = 1;
    pub(crate) const FORWARD: i32 = 2;
    pub(crate) const PUBLISH: i32 = 4;
    pub(crate) const REPLY: i32 = 8;
    pub(crate) const REPORT: i32 = 16;
}
