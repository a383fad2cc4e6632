//! The writing end of a connection that carries frames, encrypted if it leads to another host.

use std::io::{self, IoSlice, Write};
use std::net::TcpStream;
use std::sync::Arc;

use crate::net::mesh::tls::Tls;
use crate::net::poll::send_available;

/// Bytes that are encrypted at once: the other end decrypts meanwhile.
const MAX_ENCRYPTED_AT_ONCE: usize = 256 << 10;

/// Where frames are written.
pub(crate) struct OutStream {
    socket: TcpStream,
    tls: Option<Arc<Tls>>,
    /// The rest of what was written without waiting, as it is to be sent.
    unsent: Vec<u8>,
}

impl OutStream {
    pub(crate) fn new(socket: TcpStream, tls: Option<Arc<Tls>>) -> OutStream {
        OutStream { socket, tls, unsent: Vec::new() }
    }

    /// Sends whole frames without waiting; what does not fit is kept for the next writer. Whether all was
    /// sent.
    pub(crate) fn send_now(&mut self, bytes: &[u8]) -> io::Result<bool> {
        match &self.tls {
            Some(tls) => self.unsent.extend(tls.encrypt(&[bytes])?),
            None if self.unsent.is_empty() => {
                let sent = send_available(&self.socket, bytes);
                self.unsent.extend_from_slice(&bytes[sent..]);
                return Ok(self.unsent.is_empty());
            }
            None => self.unsent.extend_from_slice(bytes),
        }
        let sent = send_available(&self.socket, &self.unsent);
        self.unsent.drain(..sent);
        Ok(self.unsent.is_empty())
    }

    /// Sends what was kept, and waits for room.
    pub(crate) fn send_kept(&mut self) -> io::Result<()> {
        self.socket.write_all(&self.unsent)?;
        self.unsent.clear();
        Ok(())
    }
}

impl Write for OutStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        self.send_kept()?;
        let Some(tls) = &self.tls else { return self.socket.write_vectored(parts) };
        let mut room = MAX_ENCRYPTED_AT_ONCE;
        let mut plain: Vec<&[u8]> = Vec::with_capacity(parts.len());
        for part in parts {
            plain.push(&part[..part.len().min(room)]);
            room -= part.len().min(room);
        }
        self.socket.write_all(&tls.encrypt(&plain)?)?;
        Ok(MAX_ENCRYPTED_AT_ONCE - room)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.send_kept()
    }
}
