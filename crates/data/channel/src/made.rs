//! The containers that a JSON text becomes, within their limits.

use codepage::Encoding;
use service::{Channel, Container, Content, DataArea};

use crate::Interface;
use crate::error::{Error, ErrorKind};
use crate::options::CONTAINERS_MAX;
use crate::plan::Root;
use crate::text;

/// The containers that have been made so far.
#[derive(Debug)]
pub(crate) struct Made {
    /// The prefix of generated names.
    prefix: &'static str,
    /// The most containers, and the most bytes of all of them.
    containers_max: usize,
    bytes_max: usize,
    containers: Vec<Container>,
    /// The bytes of one row of each container; all bytes of a container without rows.
    row_bytes: Vec<usize>,
    /// How many names were made.
    generated: usize,
    /// Bytes of all containers, unfinished ones included.
    bytes: usize,
}

impl Made {
    pub(crate) fn new(interface: &Interface) -> Self {
        // A record that stands alone is not one of its own data areas.
        let alone = matches!(interface.root, Root::Bare { .. });
        Self {
            prefix: interface.prefix,
            containers_max: CONTAINERS_MAX + usize::from(alone),
            bytes_max: interface.channel_max_bytes,
            containers: Vec::new(),
            row_bytes: Vec::new(),
            generated: 0,
            bytes: 0,
        }
    }

    /// A name that no other container has.
    pub(crate) fn generate(&mut self) -> String {
        self.generated += 1;
        format!("{}{:08}", self.prefix, self.generated)
    }

    /// Makes a name and puts it into the field that names the container.
    ///
    /// # Errors
    /// The encoding does not have its characters.
    pub(crate) fn name(&mut self, encoding: Encoding, field: &mut [u8]) -> Result<String, Error> {
        let name = self.generate();
        put_name(&name, encoding, field)?;
        Ok(name)
    }

    /// Gives the last name back: its container has nothing to hold.
    pub(crate) fn take_back(&mut self) {
        self.generated -= 1;
    }

    /// Counts bytes that a container will have.
    ///
    /// # Errors
    /// The bytes of all containers are more than the limit.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), Error> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > self.bytes_max {
            let most = self.bytes_max;
            let message = format!("expected containers or data areas of at most {most} bytes, found more");
            return Err(Error::new(ErrorKind::TooLarge, message));
        }
        Ok(())
    }

    /// Puts a finished container.
    ///
    /// # Errors
    /// There are more than [`CONTAINERS_MAX`].
    pub(crate) fn put(&mut self, name: String, content: Content) -> Result<(), Error> {
        let row_bytes = content.bytes().len();
        self.put_rows(name, row_bytes, content)
    }

    /// Puts a finished container of rows. Each row has `row_bytes` bytes.
    ///
    /// # Errors
    /// There are more than [`CONTAINERS_MAX`].
    pub(crate) fn put_rows(&mut self, name: String, row_bytes: usize, content: Content) -> Result<(), Error> {
        if self.containers.len() >= self.containers_max {
            let message = format!("expected at most {CONTAINERS_MAX} containers or data areas, found more");
            return Err(Error::new(ErrorKind::TooLarge, message));
        }
        self.containers.push(Container { name, content });
        self.row_bytes.push(row_bytes);
        Ok(())
    }

    /// The bytes of the container that was put last.
    pub(crate) fn last(&self) -> Option<&[u8]> {
        self.containers.last().map(|container| container.content.bytes())
    }

    /// The record in the container of that name, and the others as data areas.
    pub(crate) fn into_areas(self, record: &str) -> (Vec<u8>, Vec<DataArea>) {
        let mut areas = Vec::with_capacity(self.containers.len().saturating_sub(1));
        let mut found = Vec::new();
        for (Container { name, content }, element_bytes) in self.containers.into_iter().zip(self.row_bytes) {
            let (Content::Bit(bytes) | Content::Char { bytes, .. }) = content;
            if name == record {
                found = bytes;
            } else {
                areas.push(DataArea { name, element_bytes, bytes });
            }
        }
        (found, areas)
    }

    pub(crate) fn into_channel(self) -> Channel {
        Channel::of(self.containers)
    }
}

/// Puts the name of a container into its field.
///
/// # Errors
/// The encoding does not have its characters.
pub(crate) fn put_name(name: &str, encoding: Encoding, field: &mut [u8]) -> Result<(), Error> {
    let mut encoded = Vec::with_capacity(field.len());
    text::encode(encoding, name, &mut encoded)?;
    // Names have 16 characters, as their fields do.
    field.copy_from_slice(&encoded);
    Ok(())
}
