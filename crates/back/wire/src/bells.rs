//! The value of the worker's bell: where the region waits, and whether it must be woken there.
//!
//! The region's bell counts its messages; the worker waits for it to change. The worker's bell has one of the values below:
//! most often the worker has answered before the region's thread looks.

/// The region's thread waits at the bell: it is to be woken.
pub const AT_THE_BELL: u32 = 1;

/// The region waits for a byte on the socket.
pub const AT_THE_SOCKET: u32 = 2;

/// There is a message for the region.
pub const RUNG: u32 = 3;

/// The region's thread looks at the bell before it waits there: it need not be woken.
pub const ABOUT_TO_LOOK: u32 = 4;
