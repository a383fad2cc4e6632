//! Cursor over the bytes of a text that passes over line splices (C17 5.1.1.2, phase 2).

/// A position in a text. Splices before the current byte are passed over when it is read.
#[derive(Clone)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { bytes, position: 0 }
    }

    pub(super) fn at_end(&self) -> bool {
        self.position >= self.bytes.len()
    }

    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// The bytes from the current one on, as they are written.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.position.min(self.bytes.len())..]
    }

    /// The current byte behind any splices; `None` at the end.
    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        match self.bytes.get(self.position) {
            Some(b'\\') => self.bytes.get(self.behind_splices()).copied(),
            byte => byte.copied(),
        }
    }

    /// Takes the current byte and the splices before it.
    #[inline]
    pub(super) fn bump(&mut self) {
        if self.bytes.get(self.position) == Some(&b'\\') {
            self.position = self.behind_splices();
        }
        self.position = (self.position + 1).min(self.bytes.len());
    }

    /// Takes `count` bytes as they are written.
    pub(super) fn advance(&mut self, count: usize) {
        self.position = (self.position + count).min(self.bytes.len());
    }

    /// Takes the splices here, if there are some.
    pub(super) fn skip_splice(&mut self) -> bool {
        let behind = self.behind_splices();
        let any = behind != self.position;
        self.position = behind;
        any
    }

    fn behind_splices(&self) -> usize {
        let mut position = self.position;
        while self.bytes.get(position) == Some(&b'\\') {
            // GNU C: blanks may stand between the backslash and the line end.
            let mut end = position + 1;
            while matches!(self.bytes.get(end), Some(b' ' | b'\t' | b'\x0b' | b'\x0c')) {
                end += 1;
            }
            if self.bytes.get(end) == Some(&b'\r') && self.bytes.get(end + 1) == Some(&b'\n') {
                end += 1;
            }
            if self.bytes.get(end) != Some(&b'\n') {
                break;
            }
            position = end + 1;
        }
        position
    }
}
