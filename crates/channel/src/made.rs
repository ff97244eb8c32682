//! The containers that a JSON text becomes, within their limits.

use service::{Channel, Container, Content};

use crate::error::{Error, ErrorKind};
use crate::options::{CHANNEL_BYTES_MAX, CONTAINERS_MAX, GENERATED_PREFIX};

/// Containers as they are made.
#[derive(Debug, Default)]
pub(crate) struct Made {
    containers: Vec<Container>,
    /// How many names were made.
    generated: usize,
    /// Bytes of all containers, those that are not finished among them.
    bytes: usize,
}

impl Made {
    /// A name that no other container has.
    pub(crate) fn generate(&mut self) -> String {
        self.generated += 1;
        format!("{GENERATED_PREFIX}{:08}", self.generated)
    }

    /// Gives the last name back: its container has nothing to hold.
    pub(crate) fn take_back(&mut self) {
        self.generated -= 1;
    }

    /// Counts bytes that a container will have.
    ///
    /// # Errors
    /// They are more than [`CHANNEL_BYTES_MAX`].
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), Error> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > CHANNEL_BYTES_MAX {
            let message = format!("expected containers of at most {CHANNEL_BYTES_MAX} bytes, found more");
            return Err(Error::new(ErrorKind::TooLarge, message));
        }
        Ok(())
    }

    /// Puts a finished container.
    ///
    /// # Errors
    /// There are more than [`CONTAINERS_MAX`].
    pub(crate) fn put(&mut self, name: String, content: Content) -> Result<(), Error> {
        if self.containers.len() >= CONTAINERS_MAX {
            let message = format!("expected at most {CONTAINERS_MAX} containers, found more");
            return Err(Error::new(ErrorKind::TooLarge, message));
        }
        self.containers.push(Container { name, content });
        Ok(())
    }

    pub(crate) fn into_channel(self) -> Channel {
        Channel::of(self.containers)
    }
}
