//! An output for text of many short pieces. It makes room before each piece, so that a piece can be written
//! as a vector of fixed length. Only its first bytes count.

/// The least room that is made.
const ROOM_BYTES: usize = 512;

/// Text at the end of a `Vec`, with room behind it. [`Out::finish`] must be called: the `Vec` is longer until then.
#[derive(Debug)]
pub(crate) struct Out<'v> {
    /// The text. From `at` on it holds zeros or remains of vectors.
    bytes: &'v mut Vec<u8>,
    at: usize,
}

impl<'v> Out<'v> {
    /// Writes behind the content of `bytes`, about `wanted` bytes.
    pub(crate) fn new(bytes: &'v mut Vec<u8>, wanted: usize) -> Self {
        let at = bytes.len();
        bytes.resize(at + wanted, 0);
        Self { bytes, at }
    }

    /// Removes the unused room.
    pub(crate) fn finish(self) {
        self.bytes.truncate(self.at);
    }

    /// The `N` bytes behind the text, with any content: [`Out::advance`] makes the first ones text.
    #[inline]
    pub(crate) fn window<const N: usize>(&mut self) -> &mut [u8; N] {
        if self.bytes.len() - self.at < N {
            self.grow(N);
        }
        match self.bytes[self.at..].first_chunk_mut() {
            Some(window) => window,
            None => unreachable!("the room was made"),
        }
    }

    /// The bytes behind the text, `length` of them.
    #[inline]
    pub(crate) fn room(&mut self, length: usize) -> &mut [u8] {
        if self.bytes.len() - self.at < length {
            self.grow(length);
        }
        &mut self.bytes[self.at..self.at + length]
    }

    /// The first bytes of the last window, or room, are text now.
    #[inline]
    pub(crate) fn advance(&mut self, length: usize) {
        debug_assert!(self.at + length <= self.bytes.len(), "only what has room is text");
        self.at += length;
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, length: usize) {
        self.bytes.resize(self.at + length + ROOM_BYTES, 0);
    }

    #[inline]
    pub(crate) fn push(&mut self, byte: u8) {
        *self.window() = [byte];
        self.at += 1;
    }

    #[inline(never)]
    pub(crate) fn extend(&mut self, bytes: &[u8]) {
        self.room(bytes.len()).copy_from_slice(bytes);
        self.at += bytes.len();
    }

    /// Writes the first `length` bytes of a window that is at least that long.
    #[inline]
    pub(crate) fn extend_window<const N: usize>(&mut self, window: &[u8; N], length: usize) {
        debug_assert!(length <= N, "the window holds the piece");
        *self.window() = *window;
        self.at += length;
    }

    #[inline]
    pub(crate) fn last(&self) -> Option<u8> {
        self.at.checked_sub(1).map(|last| self.bytes[last])
    }

    /// Calls a function that appends to a `Vec`.
    pub(crate) fn with<T>(&mut self, write: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        self.bytes.truncate(self.at);
        let result = write(self.bytes);
        self.at = self.bytes.len();
        result
    }
}

#[cfg(test)]
mod tests {
    use super::Out;

    #[test]
    fn pieces_of_every_kind_follow_each_other() {
        let mut bytes = b"before".to_vec();
        let mut out = Out::new(&mut bytes, 3);
        assert_eq!(out.last(), Some(b'e'));
        out.push(b'|');
        out.extend_window(b"short and more", 5);
        out.extend(&[b'x'; 700]);
        out.with(|bytes| bytes.extend_from_slice(b"vec"));
        out.window::<4>().copy_from_slice(b"wxyz");
        out.advance(2);
        assert_eq!(out.last(), Some(b'x'));
        out.finish();
        assert_eq!(bytes, format!("before|short{}vecwx", "x".repeat(700)).as_bytes());
    }

    #[test]
    fn without_text_there_is_no_last_byte() {
        let mut bytes = Vec::new();
        let out = Out::new(&mut bytes, 100);
        assert_eq!(out.last(), None);
        out.finish();
        assert!(bytes.is_empty());
    }
}
